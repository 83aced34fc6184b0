// How a body looks that has no shape of its own: what a textbook would draw through its joints.
//
// The places of a body are those where something acts on it: joints, ends of springs and rods, wheels, named points; the
// centre of mass joins them where there would be fewer than two. One place: a lump. Places in a row: a bar. Places in a
// plane: a plate with bars for its edges (the ternary link of the textbooks). Otherwise bars that meet in the middle.

import type { Scene, Vec3 } from "../report";

export interface Skeleton {
  bars: [Vec3, Vec3][];
  plate: Vec3[]; // a convex polygon in order, or nothing
  lump: Vec3 | null; // a solid lump: the body has no extent, or its mass sits at the end of a bar
}

export const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const plus = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const times = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const norm = (a: Vec3): number => Math.hypot(a[0], a[1], a[2]);
export const unit = (a: Vec3): Vec3 => (norm(a) > 0 ? times(a, 1 / norm(a)) : [0, 0, 1]);
export const distance = (a: Vec3, b: Vec3): number => norm(minus(a, b));

// Any unit vector across a.
export function across(a: Vec3): Vec3 {
  const smallest = [0, 1, 2].reduce((i, j) => (Math.abs(a[j]!) < Math.abs(a[i]!) ? j : i)) as 0 | 1 | 2;
  const axis: Vec3 = [0, 0, 0];
  axis[smallest] = 1;
  return unit(cross(a, axis));
}

function distinct(points: Vec3[], tolerance: number): Vec3[] {
  const kept: Vec3[] = [];
  for (const point of points)
    if (point.every(Number.isFinite) && !kept.some((other) => distance(point, other) <= tolerance)) kept.push(point);
  return kept;
}

// The places of a body, in its axes.
export function places(scene: Scene, name: string): Vec3[] {
  const points: Vec3[] = [];
  for (const joint of scene.joints) {
    if (joint.type === "free" || joint.type === "section") continue;
    if (joint.child === name) points.push(joint.child_at);
    if (joint.parent === name) points.push(joint.parent_at);
  }
  for (const one of [...scene.springs, ...scene.rods])
    for (const end of [one.from, one.to]) if (end.body === name) points.push(end.at);
  for (const wheel of scene.wheels) if (wheel.body === name) points.push(wheel.at);
  for (const force of scene.forces) if (force.body === name) points.push(force.at);
  points.push(...(scene.bodies.find((body) => body.name === name)?.points.map((point) => point.at) ?? []));
  return points;
}

export function skeleton(scene: Scene, name: string): Skeleton {
  const body = scene.bodies.find((one) => one.name === name);
  const tolerance = 1e-3 * scene.size;
  const structural = distinct(places(scene, name), tolerance);
  const com = body?.com ?? [0, 0, 0];
  if (structural.length >= 2) return through(structural, tolerance);
  const all = distinct([...structural, com], tolerance);
  if (all.length < 2) return { bars: [], plate: [], lump: all[0] ?? [0, 0, 0] };
  return { bars: [[all[0]!, all[1]!]], plate: [], lump: com };
}

function through(points: Vec3[], tolerance: number): Skeleton {
  let [a, b] = [points[0]!, points[1]!];
  for (const p of points) for (const r of points) if (distance(p, r) > distance(a, b)) [a, b] = [p, r];
  const along = unit(minus(b, a));
  const off = (point: Vec3): number => norm(cross(minus(point, a), along));
  const third = points.reduce((best, point) => (off(point) > off(best) ? point : best), a);
  if (off(third) <= 10 * tolerance) return { bars: [[a, b]], plate: [], lump: null };
  const normal = unit(cross(along, minus(third, a)));
  const is_flat = points.every((point) => Math.abs(dot(minus(point, a), normal)) <= 10 * tolerance);
  if (is_flat) {
    const plate = convex_polygon(points, a, along, cross(normal, along));
    return { bars: plate.map((point, i) => [point, plate[(i + 1) % plate.length]!]), plate, lump: null };
  }
  const middle = times(points.reduce(plus, [0, 0, 0]), 1 / points.length);
  return { bars: points.map((point) => [middle, point]), plate: [], lump: null };
}

// The convex hull of points in a plane (Andrew's monotone chain).
export function convex_polygon(points: Vec3[], origin: Vec3, x: Vec3, y: Vec3): Vec3[] {
  const flat = points
    .map((point) => ({ point, u: dot(minus(point, origin), x), v: dot(minus(point, origin), y) }))
    .sort((p, r) => p.u - r.u || p.v - r.v);
  const half = (list: typeof flat): typeof flat => {
    const chain: typeof flat = [];
    for (const next of list) {
      while (chain.length >= 2) {
        const [p, r] = [chain[chain.length - 2]!, chain[chain.length - 1]!];
        if ((r.u - p.u) * (next.v - p.v) - (r.v - p.v) * (next.u - p.u) > 0) break;
        chain.pop();
      }
      chain.push(next);
    }
    return chain.slice(0, -1);
  };
  return [...half(flat), ...half([...flat].reverse())].map((one) => one.point);
}

// The radius of a bar: slender beside the bars of this mechanism, and visible in a picture of all of it.
export function bar_radius(scene: Scene): number {
  const lengths = scene.bodies
    .slice(1)
    .filter((body) => !body.hidden && !scene.beams.some((beam) => beam.body === body.name))
    .flatMap((body) => skeleton(scene, body.name).bars.map(([a, b]) => distance(a, b)))
    .sort((a, b) => a - b);
  const typical = lengths[lengths.length >> 1] ?? scene.size / 3;
  const least = scene.beams.length ? 0.007 * scene.size : Math.max(0.0035 * scene.size, Math.min(0.009 * scene.size, 0.1 * typical)); // beams are long beside the stubs between them
  return Math.min(Math.max(0.045 * typical, least), 0.018 * scene.size);
}
