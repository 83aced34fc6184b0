// One column against another: the way of the state in a plane, with the point where it is now.

import { chart, path, type Chart } from "../charts/chart";
import { scale_of } from "../charts/scale";
import { el, svg } from "../element";
import type { Shared } from "../shared";
import { value_at, type Trajectory } from "../trajectory";
import { column_chooser } from "./chooser";
import { column_index } from "./columns";
import { in_sight } from "./in_sight";

/** The column of a coordinate's rate: q' of q, fly.vx of fly.x, a speed of the user's own choice; nothing of a quaternion, which has more coordinates than speeds. */
function rate_of(one: Trajectory, q: number): number {
  const coordinate = one.columns[q]!.name;
  const names = [`${coordinate}'`, coordinate.replace(/(^|\.)([xyz])$/, "$1v$2")];
  const named = one.u.find((column) => names.includes(one.columns[column]!.name));
  return named ?? (one.q.length <= one.u.length ? one.u[one.q.indexOf(q)]! : -1);
}

/** The first coordinate that moves, beside rounding, and whose rate changes; otherwise the first that has a rate, or two columns. */
export function first_pair(one: Trajectory): [string, string] | null {
  const name = (column: number): string => one.columns[column]!.name;
  const range = (column: number): number => {
    const list = one.values[column]!.filter(Number.isFinite);
    return list.reduce((a, b) => Math.max(a, b), -Infinity) - list.reduce((a, b) => Math.min(a, b), Infinity);
  };
  const pairs = one.q.map((q): [number, number] => [q, rate_of(one, q)]).filter(([, u]) => u >= 0);
  const most = [0, 1].map((k) => Math.max(...pairs.map((pair) => range(pair[k]!)))) as [number, number];
  const found = pairs.find(([q, u]) => range(q) > 1e-6 * most[0] && range(u) > 1e-6 * most[1]) ?? pairs[0];
  if (found) return [name(found[0]), name(found[1])];
  return one.columns.length > 2 ? [one.columns[1]!.name, one.columns[2]!.name] : null;
}

export function phase_plane(shared: Shared): HTMLElement | null {
  const first = shared.shown();
  const pair = first && first_pair(first);
  if (!first || !pair) return null;
  const [x, y]: [string[], string[]] = [[pair[0]], [pair[1]]];
  let point: SVGCircleElement | null = null;
  let place: ((a: number, b: number) => void) | null = null;
  const title = (one: Trajectory, name: string): string => {
    const unit = one.columns[column_index(one, name)]?.unit;
    return unit ? `${name}, ${unit}` : name;
  };
  const plane: Chart = chart(() => {
    const shown = shared.shown()!;
    const behind = shared.behind();
    const of = (one: Trajectory): [ArrayLike<number>, ArrayLike<number>] => [one.values[column_index(one, x[0]!)] ?? [], one.values[column_index(one, y[0]!)] ?? []];
    const [a, b] = of(shown);
    const [c, d] = behind ? of(behind) : [[], []];
    return {
      label: `${y[0]} against ${x[0]}`,
      x: { title: title(shown, x[0]!), scale: scale_of([...Array.from(a), ...Array.from(c)]) },
      y: { title: title(shown, y[0]!), scale: scale_of([...Array.from(b), ...Array.from(d)]) },
      height: 0.6,
      draw(frame) {
        const way = (u: ArrayLike<number>, v: ArrayLike<number>): string => path(frame, Array.from(u, (value, i) => [value, v[i]!] as const));
        if (behind) frame.inside.append(svg("path", { d: way(c, d), class: "phase-way behind" }));
        point = svg("circle", { r: 4.5, class: "phase-point" });
        frame.inside.append(svg("path", { d: way(a, b), class: "phase-way" }), point);
        place = (u, v) => {
          point!.setAttribute("cx", String(frame.x(u)));
          point!.setAttribute("cy", String(frame.y(v)));
        };
        move();
      },
    };
  });
  const move = (): void => {
    const shown = shared.shown();
    if (!shown || !place) return;
    const [u, v] = [x, y].map((name) => value_at(shown, column_index(shown, name[0]!), shared.time.get())) as [number, number];
    if (Number.isFinite(u) && Number.isFinite(v)) place(u, v);
  };
  shared.time.listen(in_sight(plane.element, move));
  for (const store of [shared.motion, shared.ghost, shared.live]) (store.listen as (heard: () => void) => void)(() => plane.redraw());
  const columns = first.columns;
  return el("figure", { class: "card plot-card", "aria-label": "Phase plane" },
    el("div", { class: "row spread" }, el("h3", {}, "Phase plane"),
      el("div", { class: "row plot-tools" },
        column_chooser(columns, x, () => plane.redraw(), "Across", true),
        column_chooser(columns, y, () => plane.redraw(), "Up", true))),
    plane.element);
}
