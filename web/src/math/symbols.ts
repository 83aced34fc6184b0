// Symbols of formulas explained: what is under the pointer, or reached with the arrow keys, tells its name, meaning, unit and value.
//
// Formulas mark symbols by data-symbol="N", a place in the report's list. One box for the whole page is moved to where it is wanted; all
// other places of the same symbol within the panel are marked.

import { el, format_number } from "../element";
import type { Report, Symbol_ } from "../report";
import type { Shared } from "../shared";
import { value_at } from "../trajectory";
import { raised } from "./raised";
import { inline } from "./typeset";

/** A symbol's value now: of a parameter that of its slider, of a coordinate or speed that of the motion at the cursor. */
export function value_now(symbol: Symbol_, report: Report, shared: Shared): { value: number; is_now: boolean } | null {
  const k = report.parameters.findIndex((one) => one.name === symbol.name);
  if (symbol.kind === "parameter" && k >= 0) return { value: shared.parameters.get()[k]!, is_now: false };
  if (symbol.value !== null && symbol.value !== undefined) return { value: symbol.value, is_now: false };
  if (symbol.kind === "time") return { value: shared.time.get(), is_now: true };
  const motion = shared.shown();
  const column = motion?.columns.findIndex((one) => one.name === symbol.name) ?? -1;
  if (!motion || column < 0) return null;
  const value = value_at(motion, column, shared.time.get());
  return Number.isFinite(value) ? { value, is_now: true } : null;
}

const kinds: Record<string, string> = {
  parameter: "parameter", coordinate: "coordinate", speed: "speed", acceleration: "acceleration", input: "input",
  state: "auxiliary state", multiplier: "multiplier of a constraint", time: "time",
};

function explanation(symbol: Symbol_, report: Report, shared: Shared): HTMLElement[] {
  const now = value_now(symbol, report, shared);
  const unit = symbol.unit ? ` ${raised(symbol.unit)}` : "";
  return [
    el("div", { class: "symbol-head" }, inline(symbol.latex || `\\mathrm{${symbol.name}}`), el("code", {}, symbol.name), el("span", { class: "soft" }, kinds[symbol.kind] ?? symbol.kind)),
    ...(symbol.about ? [el("div", {}, symbol.about)] : []),
    ...(now ? [el("div", { class: "symbol-value" }, `${format_number(now.value)}${unit}`, now.is_now ? el("span", { class: "soft" }, ` at t = ${format_number(shared.time.get(), 3)} s`) : "")] : []),
    ...(!now && symbol.unit ? [el("div", { class: "soft" }, `in ${raised(symbol.unit)}`)] : []),
  ];
}

function in_words(symbol: Symbol_, report: Report, shared: Shared): string {
  const now = value_now(symbol, report, shared);
  return [symbol.name, kinds[symbol.kind] ?? symbol.kind, symbol.about, now ? `${format_number(now.value)} ${symbol.unit}` : symbol.unit].filter(Boolean).join(", ");
}

/** Explains the symbols of all formulas inside `panel`, now and later. */
export function explain_symbols(panel: HTMLElement, report: Report, shared: Shared): void {
  const box = el("div", { class: "symbol-box", role: "tooltip", hidden: true });
  const told = el("div", { class: "unseen", "aria-live": "polite" });
  panel.append(box, told);
  let current: Element | null = null;
  const symbol_of = (target: Element): Symbol_ | undefined => report.symbols[Number((target as HTMLElement).dataset.symbol)];

  const hide = (): void => {
    box.hidden = true;
    current = null;
    panel.querySelectorAll(".symbol-marked").forEach((one) => one.classList.remove("symbol-marked", "symbol-current"));
  };
  const show = (target: Element): void => {
    const symbol = symbol_of(target);
    if (!symbol || target === current) return;
    hide();
    current = target;
    const number = (target as HTMLElement).dataset.symbol!;
    panel.querySelectorAll(`[data-symbol="${CSS.escape(number)}"]`).forEach((one) => one.classList.add("symbol-marked"));
    target.classList.add("symbol-current");
    box.replaceChildren(...explanation(symbol, report, shared));
    box.hidden = false;
    place(box, target);
  };

  panel.addEventListener("pointerover", (event) => {
    const target = (event.target as Element).closest?.("[data-symbol]");
    if (target) show(target);
    else if (current && !box.contains(event.target as Node)) hide();
  });
  panel.addEventListener("pointerleave", hide);
  panel.addEventListener("focusout", hide);
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const formula = (event.target as Element).closest?.(".formula-box");
    if (!formula || (event.key !== "ArrowRight" && event.key !== "ArrowLeft")) return;
    const all = [...formula.querySelectorAll(".katex-html [data-symbol]")];
    if (all.length === 0) return;
    event.preventDefault();
    const at = current ? all.indexOf(current) : -1;
    const step = event.key === "ArrowRight" ? 1 : -1;
    const target = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length]!;
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
    show(target);
    told.textContent = in_words(symbol_of(target)!, report, shared);
  });
  addEventListener("scroll", () => !box.hidden && hide(), { passive: true });
}

/** Below the symbol, or above where there is no room, within the window. */
function place(box: HTMLElement, target: Element): void {
  const at = target.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - width - 8));
  const is_below = at.bottom + height + 10 < innerHeight;
  box.style.left = `${left}px`;
  box.style.top = `${is_below ? at.bottom + 6 : Math.max(8, at.top - height - 6)}px`;
}
