// Choose columns by search: a button that opens a list with boxes to tick.

import { el } from "../element";
import type { Column } from "../report";
import { find_columns, group_title } from "./columns";

// `chosen` is changed in place; `changed` is told. `single`: the choice replaces the one before.
export function column_chooser(columns: Column[], chosen: string[], changed: () => void, label = "Columns", single = false): HTMLElement {
  const list = el("div", { class: "choices" });
  const search = el("input", { type: "search", placeholder: "search", "aria-label": "Search columns", oninput: () => fill() });
  const details = el("details", { class: "chooser" }, el("summary", {}, label), el("div", { class: "chooser-box" }, search, list));
  const pick = (name: string, on: boolean): void => {
    if (single) chosen.splice(0, chosen.length, name);
    else if (on) chosen.push(name);
    else chosen.splice(chosen.indexOf(name), 1);
    changed();
  };
  const fill = (): void => {
    const found = find_columns(columns, search.value);
    const children: HTMLElement[] = [];
    let group = "";
    for (const one of found.slice(0, 300)) {
      if (one.group !== group) children.push(el("div", { class: "choice-group" }, group_title((group = one.group))));
      const box = el("input", { type: single ? "radio" : "checkbox", name: single ? label : null, onchange: () => pick(one.name, box.checked) });
      box.checked = chosen.includes(one.name);
      children.push(el("label", {}, box, ` ${one.name} `, el("span", { class: "soft" }, one.unit)));
    }
    if (!found.length) children.push(el("p", { class: "soft" }, "No such column."));
    list.replaceChildren(...children);
  };
  details.addEventListener("toggle", () => {
    if (details.open) fill(), search.focus();
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    details.open = false;
    details.querySelector("summary")!.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (details.open && !details.contains(event.target as Node)) details.open = false;
  });
  return details;
}
