// A, B, C, D of the linear model as tables, with the names of states, inputs and outputs.

import { el, format_number } from "../element";
import { copy_button } from "../code/listing";
import type { Linear } from "../report";
import { tabs, type Tab } from "../tabs";

function table(name: string, rows: readonly string[], columns: readonly string[], entries: readonly (readonly number[])[]): HTMLElement {
  return el("div", {},
    el("div", { class: "scroll matrix-scroll", tabindex: 0, role: "region", "aria-label": `Matrix ${name}` },
      el("table", { class: "matrix" },
        el("thead", {}, el("tr", {}, el("td", {}), ...columns.map((one) => el("th", { scope: "col", class: "number" }, one)))),
        el("tbody", {}, ...entries.map((row, i) => el("tr", {}, el("th", { scope: "row" }, rows[i] ?? ""),
          ...row.map((x) => el("td", { class: x === 0 ? "number is-zero" : "number" }, format_number(x)))))))),
    copy_button(`Copy ${name}`, () => `[${entries.map((row) => row.join(", ")).join(";\n ")}]`));
}

export function matrices(linear: Linear): HTMLElement {
  const derivatives = linear.states.map((name) => `d/dt ${name}`);
  const all: [string, string[], string[], number[][]][] = [
    ["A", derivatives, linear.states, linear.A],
    ["B", derivatives, linear.inputs, linear.B],
    ["C", linear.outputs, linear.states, linear.C],
    ["D", linear.outputs, linear.inputs, linear.D],
  ];
  const list: Tab[] = all
    .filter(([, rows, columns, entries]) => entries.length > 0 && rows.length > 0 && columns.length > 0)
    .map(([name, rows, columns, entries]) => ({ name, title: name, make: () => table(name, rows, columns, entries) }));
  const body = el("div", { class: "part-body" });
  const details = el("details", {
    class: "part card",
    ontoggle: () => details.open && !body.hasChildNodes() && body.append(
      linear.where ? el("p", { class: "sans soft" }, linear.where) : "",
      list.length ? tabs("Matrices", list) : el("p", { class: "note" }, "There are no matrices.")),
  }, el("summary", {}, el("h3", {}, `Linear model: ${list.map((one) => one.name).join(", ")}`)), body);
  return details;
}
