// A tube along points that move: a bent beam, the wire of a spring.
//
// The ring at each point stands across the curve; it is carried from point to point by the least turn
// (parallel transport), so that it never twists.

import { BufferAttribute, BufferGeometry, Mesh, type Material } from "three";
import type { Vec3 } from "../report";
import { across, cross, dot, minus, norm, plus, times, unit } from "./skeleton";

export class Tube {
  readonly mesh: Mesh;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;

  constructor(readonly count: number, readonly radius: number, material: Material, readonly sides = 8) {
    const vertices = count * sides;
    this.positions = new Float32Array(3 * vertices);
    this.normals = new Float32Array(3 * vertices);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.positions, 3));
    geometry.setAttribute("normal", new BufferAttribute(this.normals, 3));
    const index: number[] = [];
    for (let i = 0; i + 1 < count; i++)
      for (let k = 0; k < sides; k++) {
        const [a, b] = [i * sides + k, i * sides + ((k + 1) % sides)];
        index.push(a, b, a + sides, b, b + sides, a + sides);
      }
    geometry.setIndex(index);
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  // `points` are as many as the tube was made for.
  bend(points: Vec3[]): void {
    let side: Vec3 | null = null;
    for (let i = 0; i < this.count; i++) {
      const along = unit(minus(points[Math.min(i + 1, this.count - 1)]!, points[Math.max(i - 1, 0)]!));
      if (side) side = minus(side, times(along, dot(side, along)));
      if (!side || norm(side) < 1e-9) side = across(along);
      side = unit(side);
      this.ring(i, points[i]!, side, cross(along, side));
    }
    const { position, normal } = this.mesh.geometry.attributes;
    position!.needsUpdate = true;
    normal!.needsUpdate = true;
    this.mesh.geometry.computeBoundingSphere(); // hovering finds the tube where it is now
  }

  private ring(i: number, centre: Vec3, x: Vec3, y: Vec3): void {
    for (let k = 0; k < this.sides; k++) {
      const angle = (2 * Math.PI * k) / this.sides;
      const out = plus(times(x, Math.cos(angle)), times(y, Math.sin(angle)));
      const at = 3 * (i * this.sides + k);
      this.normals.set(out, at);
      this.positions.set(plus(centre, times(out, this.radius)), at);
    }
  }
}

export const coil_points = 10 * 14 + 3;

// The wire of a coil spring from a to b: straight ends, ten turns between that open and close with the length.
export function coil(a: Vec3, b: Vec3, radius: number): Vec3[] {
  const length = norm(minus(b, a));
  const along = length > 0 ? unit(minus(b, a)) : ([0, 0, 1] as Vec3);
  const x = across(along);
  const y = cross(along, x);
  const turns = 10;
  const inside = coil_points - 2;
  const points: Vec3[] = [a];
  for (let i = 0; i < inside; i++) {
    const s = i / (inside - 1);
    const angle = 2 * Math.PI * turns * s;
    const grown = radius * Math.min(1, 12 * s, 12 * (1 - s));
    const centre = plus(a, times(along, length * (0.1 + 0.8 * s)));
    points.push(plus(centre, plus(times(x, grown * Math.cos(angle)), times(y, grown * Math.sin(angle)))));
  }
  points.push(b);
  return points;
}
