// Frequency responses: Bode's two charts and Nyquist's curve, with a cursor in frequency that all three share.

import { chart, path, type Frame } from "../charts/chart";
import { scale_of } from "../charts/scale";
import { el, format_number, svg } from "../element";
import { raised } from "../math/raised";
import type { Analysis } from "../report";
import { tabs } from "../tabs";

type Response = Analysis["frequency"][number];

/** Where the phase jumps by more than half a turn the line is interrupted. */
export function unjoined(hz: readonly number[], phase: readonly number[]): [number, number][] {
  const points: [number, number][] = [];
  hz.forEach((f, i) => {
    if (i > 0 && Math.abs(phase[i]! - phase[i - 1]!) > 180) points.push([f, NaN]);
    points.push([f, phase[i]!]);
  });
  return points;
}

/** The response as points of the plane. */
export function nyquist_points(one: Response): [number, number][] {
  return one.magnitude.map((m, i) => {
    const angle = (one.phase[i]! * Math.PI) / 180;
    return [m * Math.cos(angle), m * Math.sin(angle)];
  });
}

function cursor(frame: Frame, x: number): void {
  frame.inside.append(svg("line", { class: "cursor", x1: frame.x(x), x2: frame.x(x), y1: frame.top, y2: frame.bottom }));
}

function charts(one: Response): HTMLElement {
  let at = Math.floor(one.hz.length / 2);
  const x = { title: "frequency, Hz", scale: scale_of(one.hz, "log", 0) };
  const unit = one.unit ? `, ${raised(one.unit)}` : "";
  const what = `${one.output} for ${one.input}`;
  const magnitude = chart(() => ({
    label: `Magnitude of ${what} over frequency`, height: 0.5, tallest: 300, x, y: { title: `magnitude${unit}`, scale: scale_of(one.magnitude, "log") },
    draw(frame) {
      frame.inside.append(svg("path", { class: "line series-0", d: path(frame, one.hz.map((f, i) => [f, one.magnitude[i]!])) }));
      cursor(frame, one.hz[at]!);
    },
  }));
  const phase = chart(() => ({
    label: `Phase of ${what} over frequency`, height: 0.4, tallest: 240, x, y: { title: "phase, degrees", scale: scale_of(one.phase) },
    draw(frame) {
      frame.inside.append(svg("path", { class: "line series-1", d: path(frame, unjoined(one.hz, one.phase)) }));
      cursor(frame, one.hz[at]!);
    },
  }));
  const points = nyquist_points(one);
  const sizes = one.magnitude.filter(Number.isFinite).sort((a, b) => a - b);
  const most = Math.max((sizes[Math.floor(0.92 * (sizes.length - 1))] ?? 1) * 1.3, 1e-300);
  const nyquist = chart(() => ({
    label: `Nyquist curve of ${what}`, height: 0.8, same: true,
    x: { title: `real part${unit}`, scale: { kind: "linear", min: -most, max: most } },
    y: { title: `imaginary part${unit}`, scale: { kind: "linear", min: -most, max: most } },
    draw(frame) {
      frame.inside.append(
        svg("path", { class: "line series-0", d: path(frame, points) }),
        svg("path", { class: "line series-0 is-mirrored", d: path(frame, points.map(([re, im]) => [re, -im])) }),
        svg("path", { class: "critical", d: `M${frame.x(-1) - 5} ${frame.y(0)}h10M${frame.x(-1)} ${frame.y(0) - 5}v10` }),
        svg("circle", { class: "dot series-1", cx: frame.x(points[at]![0]), cy: frame.y(points[at]![1]), r: 5 }));
    },
  }));
  const told = el("output", { class: "sans" });
  const slider = el("input", { type: "range", min: 0, max: one.hz.length - 1, step: 1, value: at, "aria-label": "Frequency", oninput: () => go(slider.valueAsNumber) });
  const go = (to: number): void => {
    at = to;
    const text = `${format_number(one.hz[at]!)} Hz: magnitude ${format_number(one.magnitude[at]!)}${one.unit ? ` ${one.unit}` : ""}, phase ${format_number(one.phase[at]!, 3)}°`;
    slider.setAttribute("aria-valuetext", text);
    told.textContent = text;
    for (const one_chart of [magnitude, phase, nyquist]) one_chart.redraw();
  };
  go(at);
  return el("div", {},
    tabs("Charts of the response", [
      { name: "bode", title: "Bode", make: () => el("div", {}, magnitude.element, phase.element) },
      { name: "nyquist", title: "Nyquist", make: () => nyquist.element },
    ]),
    slider, told);
}

export function frequency_card(list: readonly Response[]): HTMLElement {
  const view = el("div", {});
  const show = (i: number): void => view.replaceChildren(charts(list[i]!));
  const choice = el("select", { "aria-label": "Input and output", onchange: () => show(choice.selectedIndex) },
    ...list.map((one, i) => el("option", { value: i }, `${one.input} → ${one.output}`)));
  show(0);
  return el("div", { class: "card" },
    el("div", { class: "row spread" }, el("h3", {}, "Frequency response"), list.length > 1 ? choice : el("span", { class: "sans soft" }, `${list[0]!.input} → ${list[0]!.output}`)),
    view);
}
