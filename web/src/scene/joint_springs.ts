// Springs that sit in joints: a spiral about the axis of a turn, a coil along a slide. Each winds and stretches with its joint.

import type { Joint, Vec3 } from "../report";
import { in_ground, turned, type Pose } from "./pose";
import { across, cross, dot, minus, plus, times, unit } from "./skeleton";
import { coil } from "./tube";

export const spiral_points = 64;
const windings = 3;

const turns = (type: string): boolean => ["revolute", "universal", "gimbal", "screw"].includes(type);
/** Whether a spring on this freedom has a drawing. */
export const spring_shape = (joint: Joint, freedom: number): "spiral" | "coil" | null =>
  turns(joint.type) && joint.axes[freedom] ? "spiral" : joint.type === "prismatic" && freedom === 0 ? "coil" : null;

/** A direction of the joint frame, as parent and child carry it. */
const carried = (pose: Pose, axes: ArrayLike<number>, v: Vec3): Vec3 => turned(pose.R, turned(axes, v));

/** How far the child is turned about the axis against the parent, nearest to `last`. */
export function turn_of(joint: Joint, axis: Vec3, parent: Pose, child: Pose, last: number): number {
  const side = across(unit(axis));
  const along = unit(carried(parent, joint.parent_axes, axis));
  const [x, v] = [carried(parent, joint.parent_axes, side), carried(child, joint.child_axes, side)];
  const angle = Math.atan2(dot(cross(along, x), v), dot(x, v));
  return angle + 2 * Math.PI * Math.round((last - angle) / (2 * Math.PI));
}

/** From a ring on the child, at `angle`, outwards to the parent. */
export function spiral(joint: Joint, freedom: number, parent: Pose, child: Pose, angle: number, r: number): Vec3[] {
  const axis = joint.axes[freedom]!;
  const [pose, axes] = freedom === 0 ? [parent, joint.parent_axes] : [child, joint.child_axes];
  const along = unit(carried(pose, axes, axis));
  const x = unit(carried(pose, axes, across(unit(axis))));
  const y = cross(along, x);
  const centre = plus(in_ground(parent, joint.parent_at), times(along, 3.1 * r));
  return Array.from({ length: spiral_points }, (_, i) => {
    const s = i / (spiral_points - 1);
    const [radius, turn] = [(1.4 + 3.2 * s) * r, angle * (1 - s) + 2 * Math.PI * windings * s];
    return plus(centre, plus(times(x, radius * Math.cos(turn)), times(y, radius * Math.sin(turn))));
  });
}

/** Along the rail, from behind the nearest place of the slide to the slide. */
export function slide_coil(joint: Joint, parent: Pose, child: Pose, low: number, r: number): Vec3[] {
  const along = unit(carried(parent, joint.parent_axes, joint.axes[0] ?? [0, 0, 1]));
  const origin = in_ground(parent, joint.parent_at);
  const slide = in_ground(child, joint.child_at);
  const at = dot(minus(slide, origin), along);
  return coil(plus(origin, times(along, low - 12 * r)), plus(origin, times(along, at - 2.5 * r)), 2.2 * r);
}
