// Sensitivities as bars: how many per cent a quantity changes when a parameter changes by one per cent.

import { el, format_number } from "../element";
import type { Analysis } from "../report";

type Sensitivity = Analysis["sensitivities"][number];

function bars(one: Sensitivity): HTMLElement {
  const has_relative = one.items.some((item) => item.relative !== null);
  const amount = (item: Sensitivity["items"][number]): number => (has_relative ? (item.relative ?? 0) : item.value);
  const items = [...one.items].sort((a, b) => Math.abs(amount(b)) - Math.abs(amount(a)));
  const most = Math.max(...items.map((item) => Math.abs(amount(item))), 1e-300);
  return el("table", { class: "bars" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "parameter"), el("th", { scope: "col" }, has_relative ? "per cent for each per cent" : "derivative"), el("th", { scope: "col", class: "number" }, "relative"), el("th", { scope: "col", class: "number" }, `derivative${one.unit ? `, ${one.unit} per unit` : ""}`))),
    el("tbody", {}, ...items.map((item) => {
      const part = Math.abs(amount(item)) / most;
      const bar = el("span", { class: amount(item) < 0 ? "bar is-negative" : "bar" });
      bar.style.width = `${(50 * part).toFixed(2)}%`;
      return el("tr", {},
        el("th", { scope: "row" }, item.parameter),
        el("td", { class: "bar-cell" }, el("span", { class: "bar-track", "aria-hidden": "true" }, bar)),
        el("td", { class: "number" }, item.relative === null ? "" : format_number(item.relative, 3)),
        el("td", { class: "number" }, format_number(item.value)));
    })));
}

export function sensitivities(list: readonly Sensitivity[]): HTMLElement {
  const view = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Sensitivities" });
  const show = (i: number): void => view.replaceChildren(bars(list[i]!));
  const choice = el("select", { "aria-label": "Quantity", onchange: () => show(choice.selectedIndex) },
    ...list.map((one, i) => el("option", { value: i }, one.quantity)));
  show(0);
  return el("div", { class: "card" },
    el("div", { class: "row spread" }, el("h3", {}, "Sensitivities"), list.length > 1 ? choice : el("span", { class: "sans soft" }, list[0]!.quantity)),
    view);
}
