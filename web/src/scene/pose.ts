// Where everything is: the numbers of the code's `poses`, read body by body.
//
// For each body but the ground: R row-major (9), p (3), the centre of mass (3), all in the ground; then the points of
// the deflected axes of beams. The ground itself is added in front: index i is scene.bodies[i].

import type { Scene, Vec3 } from "../report";
import type { Model, Numbers } from "../model";

export interface Pose {
  R: ArrayLike<number>;
  p: Vec3;
  com: Vec3;
}

export interface Poses {
  bodies: Pose[];
  beams: Vec3[][]; // in the order of scene.beams
}

const ground = (com: Vec3): Pose => ({ R: [1, 0, 0, 0, 1, 0, 0, 0, 1], p: [0, 0, 0], com });

export function read_poses(scene: Scene, numbers: Numbers): Poses {
  const vec = (i: number): Vec3 => [numbers[i] ?? NaN, numbers[i + 1] ?? NaN, numbers[i + 2] ?? NaN];
  const bodies: Pose[] = scene.bodies.length ? [ground(scene.bodies[0]!.com)] : [];
  const elastic = new Set(scene.beams.map((beam) => beam.body));
  let at = 0;
  for (let i = 1; i < scene.bodies.length; i++, at += 15) {
    const R = Array.from({ length: 9 }, (_, k) => numbers[at + k] ?? NaN);
    const p = vec(at + 9);
    // of an elastic body the code gives the centre of its rigid parts alone; the scene has that of the straight body
    bodies.push({ R, p, com: elastic.has(scene.bodies[i]!.name) ? in_ground({ R, p, com: p }, scene.bodies[i]!.com) : vec(at + 12) });
  }
  const beams = scene.beams.map((beam) => {
    const points = Array.from({ length: beam.count }, (_, k) => vec(at + 3 * k));
    at += 3 * beam.count;
    return points;
  });
  return { bodies, beams };
}

export const poses_at = (model: Model, scene: Scene, t: number, q: Numbers, c: Numbers): Poses =>
  read_poses(scene, model.poses(t, q, c));

// A point of a body, in the ground.
export const in_ground = ({ R, p }: Pose, at: Vec3): Vec3 => [
  p[0] + R[0]! * at[0] + R[1]! * at[1] + R[2]! * at[2],
  p[1] + R[3]! * at[0] + R[4]! * at[1] + R[5]! * at[2],
  p[2] + R[6]! * at[0] + R[7]! * at[1] + R[8]! * at[2],
];

// A matrix (row-major, 9) times a vector.
export const turned = (R: ArrayLike<number>, v: Vec3): Vec3 => in_ground({ R, p: [0, 0, 0], com: [0, 0, 0] }, v);

export const is_finite = (poses: Poses): boolean =>
  poses.bodies.every((one) => one.p.every(Number.isFinite) && one.com.every(Number.isFinite) && Array.from(one.R).every(Number.isFinite)) &&
  poses.beams.every((points) => points.every((point) => point.every(Number.isFinite)));
