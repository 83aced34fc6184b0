// The graph of bodies and joints: bodies as boxes, joints as lines, cut joints dashed; what is pointed at here is marked in
// the scene, and the other way round.

import { el, svg } from "../element";
import type { Report } from "../report";
import { same_thing, type Shared, type Thing } from "../shared";
import { describe } from "../scene/words";
import { folded, layout, whole, type Place } from "./layout";

const step_y = 46;
const width = 92;
const height = 26;

const letters = 14; // of a name that is shown
const letter_width = 5.8;

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function graph(report: Report, shared: Shared): HTMLElement {
  const scene = whole(report.scene);
  const { places: list, is_folded } = folded(layout(scene));
  const places = new Map(list.map((place) => [place.name, place]));
  // lines are as long as the longest name on them
  const longest = Math.max(0, ...scene.joints.map((joint) => short(joint.name, letters).length));
  const step_x = width + Math.max(60, Math.round(longest * letter_width) + 14);
  const x = (place: Place): number => 8 + width / 2 + place.depth * step_x;
  const y = (place: Place): number => 12 + height / 2 + place.row * step_y;
  const all = [...places.values()];
  const [wide, tall] = [Math.max(...all.map(x)) + width / 2 + 8, Math.max(...all.map(y)) + height / 2 + 12];
  const lines: SVGElement[] = [];
  const pairs = new Map<string, number>();
  for (const joint of scene.joints) {
    const [a, b] = [places.get(joint.parent), places.get(joint.child)];
    if (!a || !b) continue;
    const pair = [joint.parent, joint.child].sort().join("\u0000");
    const nth = pairs.get(pair) ?? 0;
    pairs.set(pair, nth + 1);
    lines.push(edge(shared, { kind: "joint", name: joint.name }, describe(report, { kind: "joint", name: joint.name }), joint.name, joint.cut, x(a), y(a), x(b), y(b), step_x, nth, is_folded));
  }
  const colour = new Map(report.scene.bodies.map((body, i) => [body.name, i])); // as in the picture
  const boxes = scene.bodies.map((body) => box(shared, { kind: "body", name: body.name }, describe(report, { kind: "body", name: body.name }), colour.get(body.name)!, x(places.get(body.name)!), y(places.get(body.name)!)));
  const drawing = svg("svg", { viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall, class: "graph", role: "group", "aria-label": "Graph of bodies and joints" }, ...lines, ...boxes);
  Object.assign(drawing.style, { width: "100%", height: "auto", maxWidth: `max(${wide}px, ${wide / 16}rem)`, minWidth: `${Math.round(0.7 * wide)}px` }); // a little smaller before it is scrolled
  const has_cut = scene.joints.some((joint) => joint.cut);
  return el("div", {},
    el("div", { class: "scroll graph-scroll", tabindex: 0, role: "region", "aria-label": "Graph of bodies and joints" }, drawing),
    has_cut ? el("p", { class: "soft sans graph-note" }, "Dashed: joints that close loops, cut to make a tree.") : null);
}

function link(shared: Shared, thing: Thing, text: string, element: SVGElement): SVGElement {
  element.append(svg("title", {}, text));
  element.setAttribute("tabindex", "0");
  element.setAttribute("role", "button");
  const seen = element.querySelector("text")?.textContent ?? "";
  element.setAttribute("aria-label", text.startsWith(seen) ? text : `${seen} ${text}`);
  const choose = (): void => shared.selected.set(same_thing(shared.selected.get(), thing) ? null : thing);
  element.addEventListener("pointerenter", () => shared.hovered.set(thing));
  element.addEventListener("pointerleave", () => shared.hovered.set(null));
  element.addEventListener("focus", () => shared.hovered.set(thing));
  element.addEventListener("blur", () => shared.hovered.set(null));
  element.addEventListener("click", choose);
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") event.preventDefault(), choose();
  });
  const mark = (): void => {
    element.classList.toggle("hovered", same_thing(shared.hovered.get(), thing));
    element.classList.toggle("selected", same_thing(shared.selected.get(), thing));
    element.setAttribute("aria-pressed", String(same_thing(shared.selected.get(), thing)));
  };
  shared.hovered.listen(mark);
  shared.selected.listen(mark, true);
  return element;
}

function box(shared: Shared, thing: Thing, text: string, i: number, cx: number, cy: number): SVGElement {
  return link(shared, thing, text, svg("g", { class: i === 0 ? "graph-body ground" : `graph-body thing-${(i - 1) % 7}` },
    svg("rect", { x: cx - width / 2, y: cy - height / 2, width, height, rx: 4 }),
    svg("text", { x: cx, y: cy + 4, "text-anchor": "middle" }, short(thing.name, 13))));
}

function edge(shared: Shared, thing: Thing, text: string, name: string, cut: boolean, x1: number, y1: number, x2: number, y2: number, step_x: number, nth: number, is_folded: boolean): SVGElement {
  const is_turn = is_folded && Math.abs(x2 - x1) < 1 && !cut && nth === 0; // from one band down into the next
  // a line between neighbours; a bow past what stands between, or beside the line before
  const is_far = Math.abs(x2 - x1) > 1.5 * step_x || Math.abs(x2 - x1) < 1;
  const bow = (is_far ? 30 : 0) + 20 * nth;
  const sign = x2 >= x1 ? 1 : -1;
  const [a, b] = Math.abs(x2 - x1) < 1 ? [x1 + width / 2, x2 + width / 2] : [x1 + (sign * width) / 2, x2 - (sign * width) / 2];
  const [mx, my] = [(a + b) / 2 + (Math.abs(x2 - x1) < 1 ? bow : 0), (y1 + y2) / 2 - (Math.abs(x2 - x1) < 1 ? 0 : bow)];
  const d = is_turn ? `M${x1} ${y1 + height / 2} L${x2} ${y2 - height / 2}` : `M${a} ${y1} Q${mx} ${my} ${b} ${y2}`;
  // the name stands in the middle; where lines from one body part, at the height that its own has nearly reached
  const parted = y1 === y2 || Math.abs(x2 - x1) < 1 ? 0 : 0.28;
  const [lx, ly] = is_turn ? [x1 + 6, (y1 + y2) / 2 + 8] : [0.25 * a + 0.5 * mx + 0.25 * b, 0.25 * y1 + 0.5 * my + 0.25 * y2 + parted * (y2 - y1)];
  return link(shared, thing, text, svg("g", { class: cut ? "graph-joint cut" : "graph-joint" },
    svg("path", { d, class: "wide" }), svg("path", { d, class: "line" }),
    svg("text", { x: lx, y: ly - 5, "text-anchor": is_turn ? "start" : "middle" }, short(name, letters))));
}
