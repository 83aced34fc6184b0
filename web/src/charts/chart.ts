// A chart in SVG: a frame with axes, ticks and titles, drawn anew when its width changes. Colours come from style/charts.css, so that they
// follow the theme; what is drawn inside is up to who asks for it.

import { el, format_number, svg } from "../element";
import { lettering } from "./lettering";
import { fine_ticks, fraction, tick_digits, ticks, type Scale } from "./scale";

export interface Axis {
  title: string;
  scale: Scale;
}

export interface Frame {
  /** Drawn into; clipped to the frame. */
  inside: SVGGElement;
  x(value: number): number;
  y(value: number): number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Plan {
  /** What a reader who does not see it is told. */
  label: string;
  x: Axis;
  y: Axis;
  /** Height over width of the frame; `same`: one unit is as long in x as in y, the scales grow to fill the frame. */
  height: number;
  /** In pixels of ordinary letters, however wide the page is. */
  tallest?: number;
  same?: boolean;
  draw(frame: Frame): void;
}

export interface Chart {
  element: HTMLElement;
  redraw(): void;
}

/** `plan` is asked for anew at each drawing. */
export function chart(plan: () => Plan): Chart {
  const element = el("div", { class: "chart" });
  let width = 0;
  const redraw = (): void => {
    if (width > 0) element.replaceChildren(drawing(plan(), width));
  };
  new ResizeObserver((entries) => {
    const next = Math.round(entries[0]!.contentRect.width);
    if (next === width || next === 0) return;
    width = next;
    redraw();
  }).observe(element);
  addEventListener("beforeprint", () => width > 0 && element.replaceChildren(drawing(plan(), paper_width, 1)));
  addEventListener("afterprint", redraw);
  return { element, redraw };
}

/** Width of a drawing on paper, in pixels: 13 cm. */
export const paper_width = 491;

const margin = { left: 62, right: 12, top: 10, bottom: 42 };

function drawing(plan: Plan, page_width: number, zoom = lettering()): SVGSVGElement {
  const width = page_width / zoom;
  const height = Math.round(Math.min(Math.max(plan.height * width, 170), plan.tallest ?? 420));
  const [left, right, top, bottom] = [margin.left, width - margin.right, margin.top, height - margin.bottom];
  const [sx, sy] = plan.same ? same_units(plan.x.scale, plan.y.scale, right - left, bottom - top) : [plan.x.scale, plan.y.scale];
  const id = `clip-${++clips}`;
  const inside = svg("g", { "clip-path": `url(#${id})` });
  const frame: Frame = {
    inside, left, right, top, bottom,
    x: (value) => left + fraction(sx, value) * (right - left),
    y: (value) => bottom - fraction(sy, value) * (bottom - top),
  };
  const root = svg("svg", { class: "chart-paper", viewBox: `0 0 ${width} ${height}`, width: page_width, height: height * zoom, role: "img", "aria-label": plan.label },
    svg("clipPath", { id }, svg("rect", { x: left, y: top, width: right - left, height: bottom - top })),
    axes(frame, sx, sy),
    svg("text", { class: "axis-title", x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, plan.x.title),
    svg("text", { class: "axis-title", x: 14, y: (top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(top + bottom) / 2})` }, plan.y.title),
    inside);
  plan.draw(frame);
  return root;
}

let clips = 0;

function same_units(x: Scale, y: Scale, width: number, height: number): [Scale, Scale] {
  const unit = Math.max((x.max - x.min) / width, (y.max - y.min) / height);
  const grown = (s: Scale, length: number): Scale => {
    const middle = (s.min + s.max) / 2;
    return { kind: "linear", min: middle - (unit * length) / 2, max: middle + (unit * length) / 2 };
  };
  return [grown(x, width), grown(y, height)];
}

function axes(frame: Frame, sx: Scale, sy: Scale): SVGGElement {
  const { left, right, top, bottom } = frame;
  const g = svg("g", { class: "axes" });
  for (const value of fine_ticks(sx)) g.append(svg("line", { class: "fine", x1: frame.x(value), x2: frame.x(value), y1: top, y2: bottom }));
  for (const value of fine_ticks(sy)) g.append(svg("line", { class: "fine", x1: left, x2: right, y1: frame.y(value), y2: frame.y(value) }));
  const [across, upward] = [ticks(sx, (right - left) / 90), ticks(sy, (bottom - top) / 45)];
  const [text_x, text_y] = [across, upward].map((list) => (value: number): string => format_number(value, tick_digits(list))) as [(value: number) => string, (value: number) => string];
  for (const value of across) {
    const x = frame.x(value);
    g.append(
      svg("line", { class: value === 0 ? "zero" : "grid", x1: x, x2: x, y1: top, y2: bottom }),
      svg("text", { class: "tick", x, y: bottom + 16, "text-anchor": "middle" }, text_x(value)));
  }
  for (const value of upward) {
    const y = frame.y(value);
    g.append(
      svg("line", { class: value === 0 ? "zero" : "grid", x1: left, x2: right, y1: y, y2: y }),
      svg("text", { class: "tick", x: left - 6, y: y + 4, "text-anchor": "end" }, text_y(value)));
  }
  g.append(svg("rect", { class: "frame", x: left, y: top, width: right - left, height: bottom - top }));
  return g;
}

/** A line through points; what is not finite interrupts it. */
export function path(frame: Frame, points: Iterable<readonly [number, number]>): string {
  let text = "";
  let is_down = false;
  for (const [a, b] of points) {
    const [x, y] = [frame.x(a), frame.y(b)];
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      is_down = false;
      continue;
    }
    text += `${is_down ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`;
    is_down = true;
  }
  return text;
}
