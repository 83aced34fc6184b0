// Where the eye stands so that a picture is filled by what it must hold.
//
// A point (x, y, z) in axes of the picture (right, above, forward) is seen from an eye at (a, b, c) within the picture's half angles when
//
//     |x − a| + margin ≤ s (z − c)        s: slope of half the picture's width; the same with y, b and its height
//
// For each direction both signs give  max(x + margin − s z) + s c ≤ a ≤ min(x − margin + s z) − s c.  The eye that stands nearest (largest c) has
// a in the middle of the two, and c = (min − max)/(2 s) of the direction that needs more room. Nothing nearer shows all points.
//
// What it must hold: the mechanism at its start and its travel, as long as that is not many times the start (a full turn of a crank is held). Where a motion goes farther
// (a boom that slides away), the picture is made for the start and for the poses near it, and the eye steps back while something is
// outside and comes again after it: but only so far, since what flies away must not shrink the rest to a dot. Where all of it goes (a vehicle, a
// block that slides off), the picture goes along.

import type { Vec3 } from "../report";
import { bounds_of, type Bounds } from "./travel";

/** What the inequalities above need of all points seen so far: the extremes across (0) and upright (1), and the range of depths. */
export interface Extent {
  most: [number, number];
  least: [number, number];
  depth: [number, number];
}

export const nothing_seen = (): Extent => ({ most: [-Infinity, -Infinity], least: [Infinity, Infinity], depth: [Infinity, -Infinity] });

/** The extent with more points, in axes of the picture; `slope`: tangent of half the angle of its height. */
export function with_points(before: Extent, points: readonly Vec3[], slope: number, aspect: number, margin: number): Extent {
  const after: Extent = { most: [...before.most], least: [...before.least], depth: [...before.depth] };
  for (const point of points) {
    for (const k of [0, 1] as const) {
      const s = k === 0 ? slope * aspect : slope;
      after.most[k] = Math.max(after.most[k], point[k] + margin - s * point[2]);
      after.least[k] = Math.min(after.least[k], point[k] - margin + s * point[2]);
    }
    after.depth[0] = Math.min(after.depth[0], point[2]);
    after.depth[1] = Math.max(after.depth[1], point[2]);
  }
  return after;
}

/** The nearest eye that sees all of an extent, in axes of the picture. */
export function eye_of({ most, least }: Extent, slope: number, aspect: number): Vec3 {
  const depth = (k: 0 | 1, s: number): number => (least[k] - most[k]) / (2 * s);
  return [(most[0] + least[0]) / 2, (most[1] + least[1]) / 2, Math.min(depth(0, slope * aspect), depth(1, slope))];
}

export const nearest_eye = (points: readonly Vec3[], slope: number, aspect: number, margin: number): Vec3 =>
  eye_of(with_points(nothing_seen(), points, slope, aspect, margin), slope, aspect);

const clamped = (point: Vec3, { low, high }: Bounds, room: number): Vec3 => point.map((x, k) => Math.min(Math.max(x, low[k]! - room), high[k]! + room)) as Vec3;

const diagonal = ({ low, high }: Bounds): number => Math.hypot(...high.map((x, k) => x - low[k]!));

/** What moves is shown whole; of what stands on the ground far off, no more than its direction: points are brought to a box somewhat larger than what moves. */
export function with_ground(moving: readonly Vec3[], ground: readonly Vec3[]): Vec3[] {
  const box = bounds_of(moving);
  if (!box) return [...ground];
  return [...moving, ...ground.map((point) => clamped(point, box, 0.1 * diagonal(box)))];
}

/** Half the diagonal of what surrounds points, at least `least`. */
export function reach_of(points: readonly Vec3[], least: number): number {
  const box = bounds_of(points);
  return box ? Math.max(diagonal(box) / 2, least) : least;
}

const whole_travel = 3; // times the reach of the start: a still picture holds so much, a full turn about a pivot at one end (2.9) among it
const near_travel = 1.2; // of motions that go farther
const steps_back = 0.6; // times the diagonal of the frame, to each side: beyond, what flies away leaves the picture

/** What a still picture of a motion holds. `travel`: the points of each pose. */
export function still_frame(start: readonly Vec3[], travel: readonly (readonly Vec3[])[], least: number): Vec3[] {
  const reach = reach_of(start, least);
  const within = (factor: number): Vec3[] => [...start, ...travel.filter((points) => reach_of([...start, ...points], least) <= factor * reach).flat()];
  const whole = [...start, ...travel.flat()];
  return reach_of(whole, least) <= whole_travel * reach ? whole : within(near_travel);
}

/** Whether nothing of a pose can be seen any more, however far the eye steps back. */
export function has_left(points: readonly Vec3[], frame: Bounds): boolean {
  const room = steps_back * diagonal(frame);
  return points.length > 0 && points.every((point) => point.some((x, k) => x < frame.low[k]! - room || x > frame.high[k]! + room));
}

/** Points for which the eye steps back: those of now, not farther from the frame than it steps. */
export function held(points: readonly Vec3[], frame: Bounds): Vec3[] {
  const room = steps_back * diagonal(frame);
  return points.map((point) => clamped(point, frame, room));
}
