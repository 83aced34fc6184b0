// The plane of poles: crosses of the present poles, circles of the recorded ones while a parameter is pulled. The right half is where
// motions grow.

import { chart, type Chart, type Frame } from "../charts/chart";
import { scale_of, type Scale } from "../charts/scale";
import { svg } from "../element";
import { size, type Complex } from "../math/complex";

/** Both axes around zero; one on which nothing happens gets a part of the other's length. */
export function pole_scales(poles: readonly Complex[]): { x: Scale; y: Scale } {
  const most = Math.max(...poles.map(size), 0) || 1;
  const least = 0.12 * most;
  const x = scale_of([...poles.map((z) => z[0]), -least, least], "linear", 0.1);
  const y = scale_of([...poles.flatMap((z) => [z[1], -z[1]]), -least, least], "linear", 0.08);
  return { x, y };
}

/** A click takes what is nearest, as far as a finger is wide. */
export interface PolePlane {
  poles: readonly Complex[];
  ghosts: readonly Complex[];
  chosen: number | null;
  choose?(index: number): void;
}

export function pole_plane(what: () => PolePlane): Chart {
  return chart(() => {
    const plane = what();
    const { x, y } = pole_scales([...plane.poles, ...plane.ghosts]);
    return {
      label: `Poles in the plane: ${plane.poles.length} of them; the table has their values`,
      x: { title: "real part, 1/s", scale: x },
      y: { title: "imaginary part, rad/s", scale: y },
      height: 0.72,
      draw: (frame) => draw(frame, plane),
    };
  });
}

export function shade_growth(frame: Frame): void {
  const zero = Math.min(Math.max(frame.x(0), frame.left), frame.right);
  frame.inside.append(svg("rect", { class: "growth", x: zero, y: frame.top, width: frame.right - zero, height: frame.bottom - frame.top }));
}

const both = ([re, im]: Complex): Complex[] => (im === 0 ? [[re, 0]] : [[re, im], [re, -im]]);

function draw(frame: Frame, plane: PolePlane): void {
  shade_growth(frame);
  for (const pole of plane.ghosts.flatMap(both)) {
    frame.inside.append(svg("circle", { class: "pole-ghost", cx: frame.x(pole[0]), cy: frame.y(pole[1]), r: 5 }));
  }
  plane.poles.forEach((pole, i) => {
    for (const [re, im] of both(pole)) frame.inside.append(cross(frame.x(re), frame.y(im), i, plane));
  });
}

function cross(x: number, y: number, i: number, plane: PolePlane): SVGGElement {
  const g = svg("g", { class: plane.chosen === i ? "pole is-chosen" : "pole", onclick: () => plane.choose?.(i) },
    svg("title", {}, `mode ${i + 1}`),
    svg("circle", { class: "pole-target", cx: x, cy: y, r: 12 }),
    svg("path", { d: `M${x - 5} ${y - 5}L${x + 5} ${y + 5}M${x - 5} ${y + 5}L${x + 5} ${y - 5}` }));
  if (plane.choose) g.classList.add("can-choose");
  return g;
}

