// A root locus: how poles move when a parameter goes through its values. A slider picks a value; its poles are marked on their branches.

import { chart, path, type Frame } from "../charts/chart";
import { scale_of } from "../charts/scale";
import { el, format_number, svg } from "../element";
import { raised } from "../math/raised";
import { size, type Complex } from "../math/complex";
import type { Analysis } from "../report";
import { pole_text } from "./modes";
import { pole_scales, shade_growth } from "./pole_plane";

type Sweep = Analysis["sweeps"][number];

const branch = (sweep: Sweep, k: number): Complex[] => sweep.poles.map((list) => list[k] ?? [NaN, NaN]);
const branches = (sweep: Sweep): number => Math.max(0, ...sweep.poles.map((list) => list.length));

/** The colour of each branch: of a conjugate pair both have one. */
export function colours_of(sweep: Sweep): number[] {
  const middle = sweep.poles[sweep.poles.length >> 1] ?? [];
  const colours: number[] = [];
  let count = 0;
  for (let k = 0; k < branches(sweep); ++k) {
    const [re, im] = middle[k] ?? [NaN, NaN];
    const twin = im === 0 ? -1 : middle.findIndex((z, j) => j < k && Math.hypot(z[0] - re, z[1] + im) <= 1e-9 * Math.hypot(re, im));
    colours.push(twin < 0 ? count++ % 7 : colours[twin]!);
  }
  return colours;
}

function draw_locus(frame: Frame, sweep: Sweep, at: number): void {
  shade_growth(frame);
  const colours = colours_of(sweep);
  for (let k = 0; k < branches(sweep); ++k) {
    frame.inside.append(svg("path", { class: `line series-${colours[k]}`, d: path(frame, branch(sweep, k)) }));
  }
  (sweep.poles[at] ?? []).forEach(([re, im], k) => {
    frame.inside.append(svg("circle", { class: `dot series-${colours[k]}`, cx: frame.x(re), cy: frame.y(im), r: 5 }));
  });
}

/** What a branch is drawn by over the parameter: its frequency, or its real part where nothing oscillates. */
function draw_over_parameter(frame: Frame, sweep: Sweep, at: number, value: (pole: Complex) => number): void {
  const colours = colours_of(sweep);
  for (let k = 0; k < branches(sweep); ++k) {
    const points = branch(sweep, k).map((pole, i) => [sweep.values[i]!, value(pole)] as const);
    frame.inside.append(svg("path", { class: `line series-${colours[k]}`, d: path(frame, points) }));
  }
  const x = frame.x(sweep.values[at]!);
  frame.inside.append(svg("line", { class: "cursor", x1: x, x2: x, y1: frame.top, y2: frame.bottom }));
}

const frequency_of = ([, im]: Complex): number => (im < 0 ? NaN : im / (2 * Math.PI));
const rate_of = ([re]: Complex): number => re;

export function sweep_card(sweep: Sweep): HTMLElement {
  let at = Math.floor(sweep.values.length / 2);
  const all = sweep.poles.flat().filter((z) => Number.isFinite(size(z)));
  const locus = chart(() => {
    const { x, y } = pole_scales(all);
    return {
      label: `Root locus: poles while ${sweep.parameter} changes`, height: 0.72,
      x: { title: "real part, 1/s", scale: x }, y: { title: "imaginary part, rad/s", scale: y },
      draw: (frame) => draw_locus(frame, sweep, at),
    };
  });
  const unit = sweep.unit ? `, ${raised(sweep.unit)}` : "";
  const oscillates = all.some((z) => z[1] !== 0);
  const value = oscillates ? frequency_of : rate_of;
  const beside = chart(() => ({
    label: `${oscillates ? "Frequencies" : "Real parts of the poles"} while ${sweep.parameter} changes`, height: 0.72,
    x: { title: `${sweep.parameter}${unit}`, scale: scale_of(sweep.values, "linear", 0) },
    y: { title: oscillates ? "frequency, Hz" : "real part, 1/s", scale: scale_of([0, ...all.map(value)]) },
    draw: (frame) => draw_over_parameter(frame, sweep, at, value),
  }));
  const told = el("output", { class: "sans" });
  const slider = el("input", { type: "range", min: 0, max: sweep.values.length - 1, step: 1, value: at, "aria-label": `${sweep.parameter}: place in the sweep`, oninput: () => go(slider.valueAsNumber) });
  const go = (to: number): void => {
    at = to;
    const value = `${format_number(sweep.values[at]!)}${sweep.unit ? ` ${sweep.unit}` : ""}`;
    slider.setAttribute("aria-valuetext", value);
    const upper = (sweep.poles[at] ?? []).filter((z) => z[1] >= 0);
    told.replaceChildren(el("strong", {}, `${sweep.parameter} = ${value}`), `   poles ${upper.map(pole_text).join(",  ")}`);
    locus.redraw();
    beside.redraw();
  };
  go(at);
  return el("div", { class: "card" },
    el("h3", {}, `Root locus along ${sweep.parameter}`),
    el("div", { class: "beside" }, locus.element, beside.element),
    slider, told);
}
