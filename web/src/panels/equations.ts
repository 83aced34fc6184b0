// Equations: the parts of the readable form, the recursive form, the derivation as a lesson, the code.

import "../style/equations.css";
import { el } from "../element";
import { copy_button, listing } from "../code/listing";
import { parts_of } from "../math/parts";
import { explain_symbols } from "../math/symbols";
import type { Equations, Report } from "../report";
import type { Shared } from "../shared";
import { tabs, type Tab } from "../tabs";
import { lesson } from "./lesson";

export function equations(report: Report, shared: Shared): HTMLElement {
  const e = report.equations;
  if (!e) return el("p", { class: "note" }, "This page was made without equations.");
  const list: Tab[] = [{ name: "readable", title: "Equations", make: () => readable(e) }];
  if (e.recursive?.length) list.push({ name: "recursive", title: "Recursive form", make: () => parts_of(e.recursive!) });
  if (e.lesson?.length) list.push({ name: "lesson", title: "Derivation", make: () => lesson(e.lesson!) });
  if (e.code.length) list.push({ name: "code", title: "Code", make: () => code(e) });
  const panel = el("div", { class: "equations" }, tabs("Views of the equations", list));
  explain_symbols(panel, report, shared);
  return panel;
}

function readable(e: Equations): HTMLElement {
  return el("div", {},
    el("div", { class: "row spread equations-head" },
      el("p", { class: "sans soft" }, e.form ? `${e.form.replace(/[.\s]+$/, "")}. ` : "", "Point at a symbol to see what it is; with the keyboard, arrow keys go through the symbols of a formula."),
      e.latex && copy_button("Copy LaTeX", () => e.latex)),
    e.parts.length ? parts_of(e.parts) : el("p", { class: "note" }, "No parts are shown."),
    e.counts.length > 0 && counts(e));
}

function counts(e: Equations): HTMLElement {
  return el("details", { class: "part card" },
    el("summary", {}, el("h3", {}, "Operations")),
    el("div", { class: "part-body scroll" },
      el("table", {}, el("tbody", {},
        ...e.counts.map((one) => el("tr", {}, el("th", { scope: "row" }, one.name), el("td", {}, one.text)))))));
}

function code(e: Equations): HTMLElement {
  const view = el("div", { class: "code-view" });
  const show = (i: number): void => {
    const one = e.code[i]!;
    view.replaceChildren(listing(one.text, one.language, `${one.file}: source code`));
  };
  const choice = el("select", { "aria-label": "File", onchange: () => show(choice.selectedIndex) },
    ...e.code.map((one, i) => el("option", { value: i }, one.file || one.language)));
  show(0);
  return el("div", {},
    el("div", { class: "row code-bar" }, choice, copy_button("Copy", () => e.code[choice.selectedIndex]!.text)),
    view);
}
