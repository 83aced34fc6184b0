// Multiple scales: the result in formulas, backbone and response curves, and simulated points over them.

import "../style/analysis.css";
import "../style/equations.css";
import { chart, path, type Chart, type Frame } from "../charts/chart";
import { scale_of } from "../charts/scale";
import { copy_button } from "../code/listing";
import { el, svg } from "../element";
import { parts_of } from "../math/parts";
import { explain_symbols } from "../math/symbols";
import type { Perturbation, Report } from "../report";
import type { Shared } from "../shared";

type Curve = Perturbation["curves"][number];

export function perturbation(report: Report, shared: Shared): HTMLElement {
  const p = report.perturbation;
  if (!p) return el("p", { class: "note" }, "This page was made without the method of multiple scales.");
  const panel = el("div", { class: "perturbation" },
    p.latex && el("div", { class: "row spread equations-head" },
      el("p", { class: "sans soft" }, "Amplitudes and phases that change slowly, by the method of multiple scales. Point at a symbol to see what it is."),
      copy_button("Copy LaTeX", () => p.latex)),
    ...charts_of(p.curves).map(curve_card),
    parts_of(p.parts));
  explain_symbols(panel, report, shared);
  return panel;
}

/** Curves of one name are branches of one chart. */
export function charts_of(curves: readonly Curve[]): Curve[][] {
  const charts = new Map<string, Curve[]>();
  for (const one of curves) {
    if (one.points.length < 2 && one.simulated.length === 0) continue;
    const same = charts.get(one.name);
    if (same) same.push(one);
    else charts.set(one.name, [one]);
  }
  return [...charts.values()];
}

const titled = (axis: { name: string; unit: string }): string => (axis.unit ? `${axis.name}, ${axis.unit}` : axis.name);

/** Runs of points that are all stable or all unstable; neighbours share their point, so that the line is whole. */
export function stretches(curve: Pick<Curve, "points" | "stable">): { stable: boolean; points: [number, number][] }[] {
  const list: { stable: boolean; points: [number, number][] }[] = [];
  curve.points.forEach((point, i) => {
    const stable = curve.stable[i] ?? true;
    const last = list[list.length - 1];
    if (last && last.stable === stable) return void last.points.push(point);
    if (last) last.points.push(point);
    list.push({ stable, points: [point] });
  });
  return list;
}

function draw(frame: Frame, curve: Curve): void {
  for (const one of stretches(curve)) {
    frame.inside.append(svg("path", { class: `line series-0${one.stable ? "" : " is-unstable"}`, d: path(frame, one.points) }));
  }
  curve.simulated.forEach(([x, y], i) => {
    const is_stable = curve.simulated_stable[i] ?? true;
    frame.inside.append(svg("circle", { class: `dot series-1${is_stable ? " is-simulated" : ""}`, cx: frame.x(x), cy: frame.y(y), r: 4 }));
  });
}

function curve_card(branches: Curve[]): HTMLElement {
  const first = branches[0]!;
  const all = branches.flatMap((one) => [...one.points, ...one.simulated]);
  const dots = branches.flatMap((one) => one.simulated.map((_, i) => one.simulated_stable[i] ?? true));
  const drawn: Chart = chart(() => ({
    label: `${first.name}: ${first.y.name} over ${first.x.name}, ${dots.length} simulated points`,
    height: 0.6,
    x: { title: titled(first.x), scale: scale_of(all.map((one) => one[0])) },
    y: { title: titled(first.y), scale: scale_of([0, ...all.map((one) => one[1])]) },
    draw: (frame) => branches.forEach((one) => draw(frame, one)),
  }));
  const words = [
    branches.some((one) => one.stable.includes(false)) ? "Solid: stable; dashed: unstable." : "",
    dots.length > 0 ? "Dots: simulated with the full equations." : "",
    dots.includes(false) ? "Hollow dots: unstable." : "",
    ...branches.map((one) => (one.left_out ? `Of the simulated points ${one.left_out}.` : "")),
  ].filter(Boolean).join(" ");
  return el("div", { class: "card" }, el("h3", {}, first.name), drawn.element, words && el("p", { class: "sans soft" }, words));
}
