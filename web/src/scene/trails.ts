// Trails: the way that chosen points have come, as lines that end where the point is now.

import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial } from "three";
import type { Model } from "../model";
import type { Scene, Vec3 } from "../report";
import { coordinates_at, end_of, row_at, start_of, type Trajectory } from "../trajectory";
import { in_ground, is_finite, poses_at } from "./pose";
import { distance, places } from "./skeleton";

export interface Tracked {
  body: number;
  at: Vec3 | null; // null: its centre of mass
}

// Points worth following: named ones, and the far ends of bodies that carry no others.
export function tracked_points(scene: Scene, most = 8): Tracked[] {
  const list: Tracked[] = [];
  scene.bodies.forEach((body, i) => {
    if (i === 0 || body.hidden) return;
    for (const point of body.points) list.push({ body: i, at: point.at });
    const carries = scene.joints.some((joint) => joint.parent === body.name);
    if (carries || body.points.length) return;
    const hinge = scene.joints.find((joint) => joint.child === body.name && !joint.cut)?.child_at ?? [0, 0, 0];
    const far = [...places(scene, body.name), body.com].reduce((best, at) => (distance(at, hinge) > distance(best, hinge) + 1e-9 ? at : best), body.com);
    list.push({ body: i, at: distance(far, body.com) < 1e-9 ? null : far });
  });
  return list.slice(0, most);
}

export class Trails {
  readonly group = new Group();
  private readonly lines: Line[] = [];
  private readonly times: Float64Array;

  constructor(scene: Scene, model: Model, one: Trajectory, colours: string[], tracked: Tracked[]) {
    const rows = Math.min(2000, Math.max(600, one.t.length));
    const c = model.setup(one.p);
    const tracks = tracked.map(() => new Float32Array(3 * rows));
    this.times = new Float64Array(rows);
    let filled = 0;
    for (let i = 0; i < rows; i++) {
      const t = start_of(one) + ((end_of(one) - start_of(one)) * i) / (rows - 1);
      const poses = poses_at(model, scene, t, coordinates_at(one, t, model, c), c);
      if (!is_finite(poses)) continue;
      this.times[filled] = t;
      tracked.forEach((track, k) => {
        const pose = poses.bodies[track.body]!;
        tracks[k]!.set(track.at ? in_ground(pose, track.at) : pose.com, 3 * filled);
      });
      filled++;
    }
    this.times = this.times.subarray(0, filled);
    tracks.forEach((positions, k) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(positions, 3));
      const colour = colours[(tracked[k]!.body - 1) % colours.length]!;
      const line = new Line(geometry, new LineBasicMaterial({ color: colour, transparent: true, opacity: 0.8 }));
      line.frustumCulled = false;
      line.raycast = () => {};
      this.lines.push(line);
      this.group.add(line);
    });
  }

  // The way of the last third of the motion up to `time`.
  show(time: number): void {
    const span = (this.times[this.times.length - 1] ?? 0) - (this.times[0] ?? 0);
    const to = row_at(this.times, time);
    const from = row_at(this.times, time - span / 3);
    for (const line of this.lines) line.geometry.setDrawRange(from, to - from + 1);
  }

  dispose(): void {
    for (const line of this.lines) {
      line.geometry.dispose();
      (line.material as LineBasicMaterial).dispose();
    }
    this.group.removeFromParent();
  }
}
