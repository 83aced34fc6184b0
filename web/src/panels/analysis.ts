// Analysis: equilibrium and stability, modes and poles, matrices, sensitivities, root loci, frequency responses.

import "../style/analysis.css";
import { frequency_card } from "../analysis/frequency";
import { matrices } from "../analysis/matrices";
import { modes_card } from "../analysis/modes_card";
import { sensitivities } from "../analysis/sensitivities";
import { sweep_card } from "../analysis/sweep";
import { el, format_number } from "../element";
import { raised } from "../math/raised";
import type { Analysis, Report } from "../report";
import type { Shared } from "../shared";

export function analysis(report: Report, shared: Shared): HTMLElement {
  const a = report.analysis;
  if (!a) return el("p", { class: "note" }, "This page was made without an analysis.");
  const sweeps = a.sweeps.filter((one) => one.values.length > 1);
  const responses = a.frequency.filter((one) => one.hz.length > 1);
  const cards = [
    (a.equilibrium || a.stability) && equilibrium(a, report, shared),
    a.modes.length > 0 && modes_card(report, shared),
    ...sweeps.map(sweep_card),
    a.sensitivities.some((one) => one.items.length > 0) && sensitivities(a.sensitivities.filter((one) => one.items.length > 0)),
    responses.length > 0 && frequency_card(responses),
    a.linear && matrices(a.linear),
  ].filter((one) => one instanceof HTMLElement);
  return el("div", { class: "analysis" }, ...(cards.length ? cards : [el("p", { class: "note" }, "There is nothing to show here: no equilibrium, no linear model.")]));
}

/** As the program says it, with a capital and a full stop. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

function equilibrium(a: Analysis, report: Report, shared: Shared): HTMLElement {
  const e = a.equilibrium;
  const names = shared.model?.COORDINATES ?? report.symbols.filter((one) => one.kind === "coordinate");
  const rows: [string, number, string][] = [
    ...(e?.q ?? []).map((value, i) => [names[i]?.name ?? `q${i + 1}`, value, names[i]?.unit ?? ""] as [string, number, string]),
    ...(e?.outputs ?? []).map((one) => [one.name, one.value, one.unit] as [string, number, string]),
  ];
  const show = shared.model && e?.found && e.q.length === shared.model.NQ
    ? el("button", { type: "button", onclick: () => shared.sway.set({ name: "Equilibrium", q: () => e.q, p: report.parameters.map((one) => one.value) }) }, "Show it in the scene")
    : null;
  return el("div", { class: "card" },
    el("h3", {}, "Equilibrium and stability"),
    e?.text && e.text !== a.stability ? el("p", {}, sentence(e.text)) : null,
    a.stability ? el("p", { class: "verdict" }, sentence(a.stability)) : null,
    ...(e?.notes ?? []).map((note) => el("p", { class: "note" }, note)),
    show,
    rows.length > 0 && el("details", {}, el("summary", {}, "Values"),
      el("div", { class: "scroll", tabindex: 0, role: "group" }, el("table", {}, el("tbody", {},
        ...rows.map(([name, value, unit]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, format_number(value)), el("td", {}, raised(unit)))))))));
}
