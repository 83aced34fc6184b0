// Formulas on the page, by KaTeX: typeset when they come near the window, so that long equations cost nothing until they are looked at.
//
// The only command that is trusted beyond formulas is \htmlData, which marks symbols. What KaTeX cannot read stays as text and is counted
// (`data-formula-errors` of the root element).

import katex from "katex";
import { el } from "../element";

/** Longer ones are shown as text, with a button. */
const most_letters = 40000;

const options = (display: boolean): katex.KatexOptions => ({
  displayMode: display,
  output: "htmlAndMathml",
  trust: (context) => context.command === "\\htmlData",
  strict: false,
  throwOnError: false,
  maxSize: 50,
  maxExpand: 100000,
});

export function render(latex: string, into: HTMLElement, display: boolean): void {
  try {
    katex.render(latex, into, options(display));
  } catch {
    into.textContent = latex;
    count_errors(1);
  }
  count_errors(into.querySelectorAll(".katex-error").length);
}

function count_errors(more: number): void {
  const { dataset } = document.documentElement;
  if (more > 0) dataset.formulaErrors = String(Number(dataset.formulaErrors ?? 0) + more);
}

/** A formula within a line of text. */
export function inline(latex: string): HTMLElement {
  const box = el("span", { class: "formula-inline" });
  render(latex, box, false);
  return box;
}

const waiting = new Map<Element, () => void>();
let watcher: IntersectionObserver | null = null;

function show(element: Element): void {
  const make = waiting.get(element);
  waiting.delete(element);
  watcher?.unobserve(element);
  make?.();
}

/** Does `make` when the element comes near the window, or before the page is printed. */
export function when_near(element: Element, make: () => void): void {
  if (typeof IntersectionObserver === "undefined") return make();
  watcher ??= start_watcher();
  waiting.set(element, make);
  watcher.observe(element);
}

function start_watcher(): IntersectionObserver {
  addEventListener("beforeprint", () => [...waiting.keys()].forEach(show));
  return new IntersectionObserver((entries) => entries.forEach((one) => one.isIntersecting && show(one.target)), { rootMargin: "800px 0px" });
}

/** A formula on a line of its own: as large as fits, broken at its operators where it is too long, or scrolled. */
export function displayed(latex: string, plain: string, number: string | number | null): HTMLElement {
  const sheet = el("div", { class: "formula-sheet" }, plain.replace(/\\htmlData\{[^{}]*\}/g, ""));
  const box = el("div", { class: "formula-box", tabindex: 0, role: "group", "aria-label": "Formula" }, sheet);
  const row = el("div", { class: "formula-row" }, box, number !== null && number !== "" && el("span", { class: "formula-number" }, `(${String(number).replace(/^\(|\)$/g, "")})`));
  const typeset = (): void => {
    sheet.textContent = "";
    sheet.classList.add("is-typeset");
    render(latex, sheet, true);
    fit(box, sheet, latex);
  };
  if (latex.length > most_letters) {
    sheet.classList.add("is-plain");
    row.append(el("button", { type: "button", onclick: (event: Event) => ((event.target as HTMLElement).remove(), typeset()) }, "Typeset this long formula"));
  } else {
    when_near(row, typeset);
  }
  return row;
}

function fit(box: HTMLElement, sheet: HTMLElement, latex: string): void {
  const can_break = !/\\begin|\\left|&/.test(latex);
  const adjust = (): void => {
    sheet.style.fontSize = "";
    const ratio = box.clientWidth / sheet.scrollWidth;
    if (ratio < 1 && ratio >= (can_break ? 0.75 : 0.62)) sheet.style.fontSize = `${(ratio * 0.985).toFixed(3)}em`;
    const is_wide = sheet.scrollWidth > box.clientWidth + 1;
    // A region that scrolls is reached by the keyboard.
    if (is_wide) set_all(box, { tabindex: "0", role: "group", "aria-label": "Formula, scrolls sideways" });
    else if (!box.querySelector("[data-symbol]")) for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
  };
  if (can_break && sheet.scrollWidth > box.clientWidth / 0.75) {
    sheet.textContent = "";
    sheet.classList.add("is-broken");
    render(`\\displaystyle ${latex}`, sheet, false);
  }
  if (box.querySelector("[data-symbol]")) set_all(box, { tabindex: "0", role: "group", "aria-label": "Formula; arrow keys go through its symbols" });
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    adjust();
  }).observe(box);
}

function set_all(element: Element, attributes: Record<string, string>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}
