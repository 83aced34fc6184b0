// Mechanism: what it is in sentences, its graph of bodies and joints, tables of both, its parameters.

import { el, format_number } from "../element";
import type { Report, Vec3 } from "../report";
import type { Shared, Thing } from "../shared";
import { same_thing } from "../shared";
import { graph } from "../graph/graph";

export function mechanism(report: Report, shared: Shared): HTMLElement {
  return el("div", { class: "mechanism" },
    report.summary.length ? el("div", { class: "summary" }, ...report.summary.map((line) => el("p", {}, line))) : null,
    report.scene.bodies.length > 1 ? el("figure", { class: "card" }, el("h3", {}, "Bodies and joints"), graph(report, shared)) : null,
    bodies(report, shared),
    joints(report, shared),
    parameters(report),
    report.model.text ? el("details", {}, el("summary", {}, `Model file ${report.model.file}`), el("pre", { tabindex: 0 }, report.model.text)) : null);
}

const place = (at: Vec3): string => `(${at.map((x) => format_number(x, 4)).join(", ")})`;

// A row that is marked with its thing in the scene, and marks it.
export function linked(shared: Shared, thing: Thing, row: HTMLElement): HTMLElement {
  row.addEventListener("pointerenter", () => shared.hovered.set(thing));
  row.addEventListener("pointerleave", () => shared.hovered.set(null));
  row.addEventListener("click", () => shared.selected.set(same_thing(shared.selected.get(), thing) ? null : thing));
  const mark = (): void => {
    row.classList.toggle("hovered", same_thing(shared.hovered.get(), thing));
    row.classList.toggle("selected", same_thing(shared.selected.get(), thing));
  };
  shared.hovered.listen(mark);
  shared.selected.listen(mark);
  return row;
}

function table(title: string, head: string[], rows: HTMLElement[], open = false): HTMLElement | null {
  if (!rows.length) return null;
  return el("details", { open }, el("summary", {}, `${title} (${rows.length})`),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, el("table", {},
      el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, ...rows))));
}

const cells = (...texts: string[]): HTMLElement => el("tr", {}, ...texts.map((text) => el("td", {}, text)));

function bodies(report: Report, shared: Shared): HTMLElement | null {
  const rows = report.scene.bodies.slice(1).filter((body) => !body.hidden).map((body) =>
    linked(shared, { kind: "body", name: body.name }, cells(body.name, `${format_number(body.mass)} kg`, place(body.com), body.points.map((point) => point.name).join(", "))));
  return table("Bodies", ["body", "mass", "centre of mass, m", "points"], rows);
}

function joints(report: Report, shared: Shared): HTMLElement | null {
  const rows = report.scene.joints.map((joint) =>
    linked(shared, { kind: "joint", name: joint.name }, cells(joint.name, joint.type + (joint.cut ? " (cut)" : ""), `${joint.parent} to ${joint.child}`, joint.coordinates.join(", "))));
  return table("Joints", ["joint", "type", "between", "coordinates"], rows);
}

function parameters(report: Report): HTMLElement | null {
  const rows = report.parameters.map((one) => cells(one.name, `${format_number(one.value, 6)} ${one.unit}`.trim(), one.about));
  return table("Parameters", ["parameter", "value", "meaning"], rows);
}
