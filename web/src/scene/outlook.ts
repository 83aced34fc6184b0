// From where to look: a plane mechanism from the front, others from above one corner.

import type { Scene, Vec3 } from "../report";
import { turned, type Poses } from "./pose";
import { across, cross, dot, norm, plus, times, unit } from "./skeleton";

// The normal of the plane in which everything moves, or null: all axes of turning joints are parallel, and nothing slides along them.
export function plane_normal(scene: Scene, poses: Poses): Vec3 | null {
  let normal: Vec3 | null = null;
  for (const joint of scene.joints) {
    if (joint.type === "weld" || joint.type === "section") continue;
    const child = scene.bodies.findIndex((body) => body.name === joint.child);
    const parent = scene.bodies.findIndex((body) => body.name === joint.parent);
    if (child < 0 || parent < 0) continue;
    if (joint.type !== "revolute" && joint.type !== "planar") continue;
    const axis = unit(turned(poses.bodies[child]!.R, turned(joint.child_axes, joint.axes[0] ?? [0, 0, 1])));
    if (normal && norm(cross(normal, axis)) > 1e-3) return null;
    normal ??= axis;
  }
  if (!normal) return null;
  for (const joint of scene.joints) {
    if (["weld", "section", "revolute", "planar"].includes(joint.type)) continue;
    const parent = scene.bodies.findIndex((body) => body.name === joint.parent);
    const axis = joint.axes[0];
    if (joint.type !== "prismatic" || !axis || parent < 0) return null;
    if (Math.abs(dot(unit(turned(poses.bodies[parent]!.R, turned(joint.parent_axes, axis))), normal)) > 1e-3) return null;
  }
  return normal;
}

export type Outlook = "default" | "front" | "corner" | "x" | "y" | "z";

// The direction of sight for an outlook, in ground axes.
export function sight(outlook: Outlook, up: Vec3, normal: Vec3 | null): Vec3 {
  const axes: Record<string, Vec3> = { x: [-1, 0, 0], y: [0, -1, 0], z: [0, 0, -1] };
  if (axes[outlook]) return axes[outlook];
  const is_upright = normal !== null && Math.abs(dot(unit(normal), unit(up))) < 0.9;
  if (is_upright && outlook !== "corner") {
    const facing = times(facing_reader(unit(normal)), -1);
    if (outlook === "front") return facing;
    return unit(plus(plus(facing, times(unit(cross(facing, up)), -0.28)), times(unit(up), -0.16)));
  }
  // from one corner, a little above: x towards the lower left, as in drawings by hand
  const vertical = unit(up);
  const east: Vec3 = Math.abs(vertical[0]) < 0.9 ? unit(plus([1, 0, 0], times(vertical, -vertical[0]))) : across(vertical);
  const north = cross(vertical, east);
  const lies_flat = normal !== null && outlook === "default"; // a plane mechanism that is not upright: seen from well above
  const down = outlook === "front" ? 0 : lies_flat ? -1.3 : -0.42;
  const eastward = outlook === "front" ? 0 : -0.55;
  return unit(plus(plus(times(east, eastward), times(north, outlook === "front" ? 1 : 0.8)), times(vertical, down)));
}

// Of the two sides of a plane, the one a reader expects: +z towards the eye, or +y away.
function facing_reader(normal: Vec3): Vec3 {
  const [x, y, z] = normal.map(Math.abs) as Vec3;
  const lead = z >= x && z >= y ? normal[2] : y >= x ? -normal[1] : normal[0];
  return lead < 0 ? times(normal, -1) : normal;
}
