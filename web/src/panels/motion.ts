// Motion: which one, what it did, its plots.

import { el } from "../element";
import { first_plans, group_title, to_csv, type PlotPlan } from "../plots/columns";
import { phase_plane } from "../plots/phase_plane";
import { time_plot } from "../plots/time_plot";
import type { Report } from "../report";
import { file_name, save_blob } from "../save";
import type { Shared } from "../shared";
import { no_motion } from "../trajectory";

export function motion(report: Report, shared: Shared): HTMLElement {
  const shown = shared.shown();
  if (!shown || shown.t.length === 0) return el("p", { class: "note" }, no_motion(shown));
  const plots = el("div", { class: "plots" });
  const add = (plan: PlotPlan): void => {
    const card = time_plot(shared, plan, () => card.remove());
    plots.append(card);
  };
  for (const plan of first_plans(shown)) add(plan);
  return el("div", { class: "motion" },
    choice(shared),
    told(shared),
    plots,
    phase_plane(shared),
    el("div", { class: "row" },
      add_plot(shared, add),
      el("button", { type: "button", onclick: () => save_blob(new Blob([to_csv(shared.shown()!)], { type: "text/csv" }), file_name(report.title, "csv")) }, "Save CSV")));
}

function choice(shared: Shared): HTMLElement | null {
  if (shared.motions.length < 2) return null;
  const options = (): HTMLElement[] => shared.motions.map((one, i) => el("option", { value: i }, one.name));
  const shown = el("select", { onchange: () => shared.motion.set(Number(shown.value)) }, ...options());
  const ghost = el("select", { onchange: () => shared.ghost.set(ghost.value === "" ? null : Number(ghost.value)) },
    el("option", { value: "" }, "none"), ...options());
  return el("div", { class: "row motion-choice" },
    el("label", {}, "Motion ", shown), el("label", {}, "compared with ", ghost));
}

// The command that made it, how it ended, its events and statistics.
function told(shared: Shared): HTMLElement {
  const box = el("div", {});
  const fill = (): void => {
    const one = shared.shown();
    if (!one) return;
    const numbers = one.statistics.map((entry) => `${entry.name}: ${entry.value}`).join(", ");
    box.replaceChildren(...[
      shared.live.get() ? el("p", { class: "note", role: "status" }, "Computed in this page with the parameters as set; the recorded motion is shown pale.") : null,
      one.ended ? el("p", { class: "note", role: "status" }, one.ended) : null,
      one.command && !shared.live.get() ? el("p", { class: "sans soft command" }, el("code", {}, one.command)) : null,
      one.events.length ? events(one.events, shared) : null,
      numbers ? el("details", { class: "sans" }, el("summary", {}, "How it was computed"), el("p", { class: "soft" }, numbers)) : null,
    ].filter((child) => child !== null));
  };
  shared.motion.listen(fill);
  shared.live.listen(fill, true);
  return box;
}

function events(list: { t: number; name: string }[], shared: Shared): HTMLElement {
  return el("details", { class: "sans" }, el("summary", {}, list.length === 1 ? "1 event" : `${list.length} events`),
    el("ul", { class: "events" }, ...list.slice(0, 200).map((event) =>
      el("li", {}, el("button", { type: "button", class: "quiet", onclick: () => (shared.playing.set(false), shared.time.set(event.t)) }, `${event.t.toPrecision(6)} s`), ` ${event.name}`))));
}

// A plot of a whole group, or an empty one to choose columns for.
function add_plot(shared: Shared, add: (plan: PlotPlan) => void): HTMLElement {
  const columns = shared.shown()!.columns.slice(1);
  const groups = [...new Set(columns.map((one) => one.group))];
  const select = el("select", {
    "aria-label": "Add a plot",
    onchange: () => {
      const own = columns.filter((one) => one.group === select.value);
      const unit = own[0]?.unit;
      add({ title: group_title(select.value), columns: own.filter((one) => one.unit === unit).slice(0, 6).map((one) => one.name) });
      select.value = "";
    },
  }, el("option", { value: "" }, "Add a plot …"), ...groups.map((group) => el("option", { value: group }, group_title(group))));
  return select;
}
