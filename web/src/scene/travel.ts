// How far the mechanism goes: poses over its motion, looked at once before drawing.

import type { Model } from "../model";
import type { Scene, Vec3 } from "../report";
import { coordinates_at, end_of, start_of, type Trajectory } from "../trajectory";
import { in_ground, is_finite, poses_at, turned, type Poses } from "./pose";
import { dot, minus, places, plus } from "./skeleton";

// Poses at up to `count` times, evenly.
export function sample_poses(scene: Scene, model: Model, one: Trajectory | null, q0: ArrayLike<number>, p: ArrayLike<number>, count = 60): Poses[] {
  const c = model.setup(p);
  const list: Poses[] = [];
  const add = (t: number, q: ArrayLike<number>): void => {
    try {
      const poses = poses_at(model, scene, t, q, c);
      if (is_finite(poses)) list.push(poses);
    } catch {
      // a configuration without poses is not drawn
    }
  };
  if (!one || one.t.length === 0 || one.q.length !== model.NQ) add(0, q0);
  else
    for (let i = 0; i < Math.min(count, one.t.length); i++) {
      const t = start_of(one) + ((end_of(one) - start_of(one)) * i) / Math.max(1, Math.min(count, one.t.length) - 1);
      add(t, coordinates_at(one, t, model, c));
    }
  return list;
}

export interface Bounds {
  low: Vec3;
  high: Vec3;
}

// The points that a picture must hold: those of what moves, and those of what stands on the ground.
export interface Drawn {
  moving: Vec3[];
  ground: Vec3[];
}

export function drawn_points(scene: Scene, poses: Poses): Drawn {
  const drawn: Drawn = { moving: [], ground: [] };
  scene.bodies.forEach((body, i) => {
    if (body.hidden) return;
    const points = i > 0 ? drawn.moving : drawn.ground;
    const pose = poses.bodies[i]!;
    for (const at of places(scene, body.name)) points.push(in_ground(pose, at));
    if (i > 0) points.push(pose.com);
    for (const shape of scene.shapes)
      if (shape.body === body.name) {
        const reach = Math.max(shape.radius ?? 0, (shape.length ?? 0) / 2, ...(shape.size ?? [0]).map((s) => s / 2));
        const centre = in_ground(pose, shape.at);
        points.push(minus(centre, [reach, reach, reach]), minus(centre, [-reach, -reach, -reach]));
        for (const point of shape.points) points.push(in_ground(pose, plus(shape.at, turned(shape.axes, point))));
      }
  });
  // ends of springs and rods move with what they hold
  for (const one of [...scene.springs, ...scene.rods])
    for (const end of [one.from, one.to]) {
      const i = scene.bodies.findIndex((body) => body.name === end.body);
      if (i >= 0) drawn.moving.push(in_ground(poses.bodies[i]!, end.at));
    }
  for (const wheel of scene.wheels) {
    const i = scene.bodies.findIndex((body) => body.name === wheel.body);
    if (i < 0) continue;
    const centre = in_ground(poses.bodies[i]!, wheel.at);
    const r = wheel.radius || 0;
    drawn.moving.push(minus(centre, [r, r, r]), minus(centre, [-r, -r, -r]));
  }
  for (const beam of poses.beams) drawn.moving.push(...beam);
  const is_finite_point = (point: Vec3): boolean => point.every(Number.isFinite);
  return { moving: drawn.moving.filter(is_finite_point), ground: drawn.ground.filter(is_finite_point) };
}

export function bounds_of(points: readonly Vec3[]): Bounds | null {
  if (!points.length) return null;
  const low: Vec3 = [Infinity, Infinity, Infinity];
  const high: Vec3 = [-Infinity, -Infinity, -Infinity];
  for (const point of points)
    for (const k of [0, 1, 2] as const) {
      low[k] = Math.min(low[k], point[k]);
      high[k] = Math.max(high[k], point[k]);
    }
  return { low, high };
}

// The stretch of a sliding joint over the motion, along its axis, in the parent's joint axes: where its rail must reach.
export function slide_range(scene: Scene, list: Poses[], joint: Scene["joints"][number], axis: Vec3): [number, number] {
  const parent = scene.bodies.findIndex((body) => body.name === joint.parent);
  const child = scene.bodies.findIndex((body) => body.name === joint.child);
  let [low, high] = [0, 0];
  for (const poses of list) {
    const [a, b] = [poses.bodies[parent], poses.bodies[child]];
    if (!a || !b) continue;
    const direction = turned(a.R, turned(joint.parent_axes, axis));
    const s = dot(minus(in_ground(b, joint.child_at), in_ground(a, joint.parent_at)), direction);
    if (Number.isFinite(s)) [low, high] = [Math.min(low, s), Math.max(high, s)];
  }
  return [low, high];
}
