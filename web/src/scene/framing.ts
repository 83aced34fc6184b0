// Where the eye stands so that a picture is filled by what it must hold.
//
// A point (x, y, z) in axes of the picture (right, above, forward) is seen from an eye at (a, b, c) within the picture's half angles when
//
//     |x − a| + margin ≤ s (z − c)        s: slope of half the picture's width; the same with y, b and its height
//
// For each direction both signs give  max(x + margin − s z) + s c ≤ a ≤ min(x − margin + s z) − s c.  The eye that stands nearest (largest c) has
// a in the middle of the two, and c = (min − max)/(2 s) of the direction that needs more room. Nothing nearer shows all points.

import type { Vec3 } from "../report";
import { bounds_of } from "./travel";

function along(points: readonly Vec3[], k: 0 | 1, slope: number, margin: number): { middle: number; depth: number } {
  let [most, least] = [-Infinity, Infinity];
  for (const point of points) {
    most = Math.max(most, point[k] + margin - slope * point[2]);
    least = Math.min(least, point[k] - margin + slope * point[2]);
  }
  return { middle: (most + least) / 2, depth: (least - most) / (2 * slope) };
}

/** The eye, in axes of the picture; `slope`: tangent of half the angle of its height. */
export function nearest_eye(points: readonly Vec3[], slope: number, aspect: number, margin: number): Vec3 {
  const across = along(points, 0, slope * aspect, margin);
  const upright = along(points, 1, slope, margin);
  return [across.middle, upright.middle, Math.min(across.depth, upright.depth)];
}

/** What moves is shown whole; of what stands on the ground far off, no more than its direction: points are brought to a box somewhat larger than what moves. */
export function with_ground(moving: readonly Vec3[], ground: readonly Vec3[]): Vec3[] {
  const box = bounds_of(moving);
  if (!box) return [...ground];
  const room = 0.1 * Math.hypot(...box.high.map((x, k) => x - box.low[k]!));
  const near = (point: Vec3): Vec3 => point.map((x, k) => Math.min(Math.max(x, box.low[k]! - room), box.high[k]! + room)) as Vec3;
  return [...moving, ...ground.map(near)];
}
