// What pushes where: weights, forces, torques, springs, drives of joints from the code's `loads`, reactions from the columns of the motion.

import type { Model, Numbers } from "../model";
import type { Anchor, Scene, Vec3 } from "../report";
import { value_at, type Trajectory } from "../trajectory";
import { in_ground, poses_at, turned, type Poses } from "./pose";
import { dot, minus, norm, plus, times, unit } from "./skeleton";

export interface Load {
  name: string;
  kind: "weight" | "force" | "spring" | "reaction";
  is_torque: boolean;
  /** Ground axes; N, or N·m about it. */
  vector: Vec3;
  at: Vec3;
}

export interface Moment {
  t: number;
  q: Numbers;
  u: Numbers;
  w: Numbers;
  c: Numbers;
}

/** Everything that acts at one moment, in an order that stays. What the code does not know is left out. */
export function loads_at(scene: Scene, model: Model, now: Moment, poses: Poses, motion: Trajectory | null): Load[] {
  const index = new Map(scene.bodies.map((body, i) => [body.name, i]));
  const pose = (name: string | undefined): Poses["bodies"][number] => poses.bodies[index.get(name ?? "") ?? 0]!;
  const place = (anchor: Anchor): Vec3 => in_ground(pose(anchor.body), anchor.at);
  const list = weights(scene, poses);
  const numbers = model.loads?.(now.t, now.q, now.u, now.w, now.c);
  if (numbers) {
    let next = 0;
    const take = (count: number): Float64Array | null => {
      const from = next;
      next += count;
      return scene.loads.slice(from, next).every((known) => known) && next <= numbers.length ? numbers.slice(from, next) : null;
    };
    const rates = scene.springs.length ? end_rates(scene, model, now) : null;
    for (const spring of scene.springs) {
      const found = take(4);
      if (!found || !rates) continue;
      const [k, d, rest, actuator] = found as unknown as [number, number, number, number];
      const [from, to] = [place(spring.from), place(spring.to)];
      const along = unit(minus(to, from));
      const rate = dot(minus(rates(spring.to), rates(spring.from)), along);
      const push = times(along, -k * (norm(minus(to, from)) - rest) - d * rate + actuator); // on `to`, along increasing length
      list.push({ name: spring.name, kind: "spring", is_torque: false, vector: push, at: to });
      list.push({ name: spring.name, kind: "spring", is_torque: false, vector: times(push, -1), at: from });
    }
    for (const force of scene.forces) {
      const found = take(3);
      if (!found) continue;
      const vector = turned(pose(force.in).R, [found[0]!, found[1]!, found[2]!]);
      list.push({ name: force.name, kind: "force", is_torque: false, vector, at: place(force) });
      if (force.from) list.push({ name: force.name, kind: "force", is_torque: false, vector: times(vector, -1), at: place(force.from) });
    }
    for (const torque of scene.torques) {
      const found = take(3);
      if (found) list.push({ name: torque.name, kind: "force", is_torque: true, vector: turned(pose(torque.in).R, [found[0]!, found[1]!, found[2]!]), at: pose(torque.body).com });
    }
    for (const joint of scene.joints) {
      const found = take(joint.loads ?? 0);
      if (!found || !joint.loads || !["revolute", "prismatic", "screw"].includes(joint.type)) continue;
      const axis = turned(pose(joint.child).R, turned(joint.child_axes, unit(joint.axes[0] ?? [0, 0, 1])));
      list.push({ name: joint.name, kind: "force", is_torque: joint.type !== "prismatic", vector: times(axis, found[0]!), at: in_ground(pose(joint.child), joint.child_at) });
    }
  }
  list.push(...reactions(scene, poses, index, motion, now.t));
  return list.filter((one) => one.vector.every(Number.isFinite) && one.at.every(Number.isFinite));
}

function weights(scene: Scene, poses: Poses): Load[] {
  if (!(norm(scene.gravity) > 0)) return [];
  return scene.bodies.flatMap((body, i) =>
    i > 0 && body.mass > 0 ? [{ name: `weight of ${body.name}`, kind: "weight" as const, is_torque: false, vector: times(scene.gravity, body.mass), at: poses.bodies[i]!.com }] : []);
}

/** Velocities of points of bodies, by a difference along q̇. */
function end_rates(scene: Scene, model: Model, { t, q, u, c }: Moment): ((anchor: Anchor) => Vec3) | null {
  if (!model.rates) return null;
  const h = 1e-5;
  const rates = model.rates(t, q, u, c);
  const moved = (sign: number): Poses => poses_at(model, scene, t + sign * h, Array.from(q, (x, i) => x + sign * h * rates[i]!), c);
  const [before, after] = [moved(-1), moved(1)];
  return ({ body, at }) => {
    const i = Math.max(0, scene.bodies.findIndex((one) => one.name === body));
    return times(minus(in_ground(after.bodies[i]!, at), in_ground(before.bodies[i]!, at)), 1 / (2 * h));
  };
}

function reactions(scene: Scene, poses: Poses, index: Map<string, number>, motion: Trajectory | null, t: number): Load[] {
  if (!motion) return [];
  return scene.reactions.flatMap(({ name, joint: joint_name }) => {
    const joint = scene.joints.find((one) => one.name === joint_name);
    const columns = ["fx", "fy", "fz"].map((axis) => motion.columns.findIndex((one) => one.name === `${name}.${axis}`));
    if (!joint || columns.some((column) => column < 0)) return [];
    const vector = columns.map((column) => value_at(motion, column, t)) as Vec3;
    return [{ name, kind: "reaction" as const, is_torque: false, vector, at: in_ground(poses.bodies[index.get(joint.child) ?? 0]!, joint.child_at) }];
  });
}

/** The largest force and the largest torque, for a scale. */
export function largest_loads(list: readonly Load[]): { force: number; torque: number } {
  const most = { force: 0, torque: 0 };
  for (const one of list) {
    const key = one.is_torque ? "torque" : "force";
    most[key] = Math.max(most[key], norm(one.vector));
  }
  return most;
}

/** The tip of an arrow that is `longest` for the largest. */
export const tip_of = (one: Load, most: { force: number; torque: number }, longest: number): Vec3 => {
  const scale = one.is_torque ? most.torque : most.force;
  return plus(one.at, times(one.vector, scale > 0 ? longest / scale : 0));
};
