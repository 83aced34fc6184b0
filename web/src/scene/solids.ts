// Solids of the drawing: bars, lumps, plates, markers of joints by type, wheels, gears, shapes of the model file.
// Each is an object of three.js in the axes of its body; colours come from the material it is given.

import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry, DoubleSide, ExtrudeGeometry, Group, Matrix4, Mesh, MeshStandardMaterial,
  Quaternion, Shape as Outline, SphereGeometry, TorusGeometry, Vector3, type Material, type Object3D,
} from "three";
import type { Joint, Shape, Vec3, Wheel } from "../report";
import { decode_numbers } from "../trajectory";
import { across, cross, distance, minus, plus, times, unit } from "./skeleton";

export const vector = (v: ArrayLike<number>): Vector3 => new Vector3(v[0], v[1], v[2]);

// Object whose y points along `axis`, at `at`.
function stand<T extends Object3D>(object: T, at: Vec3, axis: Vec3): T {
  object.position.copy(vector(at));
  object.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), vector(unit(axis))));
  return object;
}

// Object in a frame of the body: R row-major from its axes to the body's.
export function placed<T extends Object3D>(object: T, at: Vec3, R: ArrayLike<number>): T {
  const m = new Matrix4().set(R[0]!, R[1]!, R[2]!, 0, R[3]!, R[4]!, R[5]!, 0, R[6]!, R[7]!, R[8]!, 0, 0, 0, 0, 1);
  object.position.copy(vector(at));
  object.quaternion.setFromRotationMatrix(m);
  return object;
}

export function bar(a: Vec3, b: Vec3, radius: number, material: Material): Mesh {
  const length = distance(a, b);
  return stand(new Mesh(new CapsuleGeometry(radius, length, 6, 16), material), times(plus(a, b), 0.5), minus(b, a));
}

export const ball = (at: Vec3, radius: number, material: Material): Mesh => {
  const mesh = new Mesh(new SphereGeometry(radius, 28, 18), material);
  mesh.position.copy(vector(at));
  return mesh;
};

// A convex polygon as a thin plate.
export function plate(points: Vec3[], thickness: number, material: Material): Mesh {
  const normal = unit(cross(minus(points[1]!, points[0]!), minus(points[2]!, points[0]!)));
  const lift = times(normal, thickness / 2);
  const n = points.length;
  const positions: number[] = [];
  const face = (a: Vec3, b: Vec3, c: Vec3): void => void positions.push(...a, ...b, ...c);
  for (let i = 1; i + 1 < n; i++) {
    face(plus(points[0]!, lift), plus(points[i]!, lift), plus(points[i + 1]!, lift));
    face(minus(points[0]!, lift), minus(points[i + 1]!, lift), minus(points[i]!, lift));
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.computeVertexNormals();
  return new Mesh(geometry, material);
}

const cylinder = (at: Vec3, axis: Vec3, radius: number, length: number, material: Material, sides = 28): Mesh =>
  stand(new Mesh(new CylinderGeometry(radius, radius, length, sides), material), at, axis);

const ring = (at: Vec3, axis: Vec3, radius: number, wire: number, material: Material): Mesh => {
  const mesh = new Mesh(new TorusGeometry(radius, wire, 10, 32), material);
  mesh.position.copy(vector(at));
  mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), vector(unit(axis)));
  return mesh;
};

const beside = (axis: Vec3, side: Vec3, length: number, width: number, height: number, material: Material): Mesh => {
  const mesh = new Mesh(new BoxGeometry(length, width, height), material);
  const x = unit(axis);
  const y = unit(minus(side, times(x, side[0] * x[0] + side[1] * x[1] + side[2] * x[2])));
  const z = cross(x, y);
  mesh.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(vector(x), vector(y), vector(z)));
  return mesh;
};

export interface JointMarkers {
  parent: Object3D; // stands in the parent's joint axes
  child: Object3D; // in the child's
}

// A joint by its type. `r` is the radius of bars; `range` the stretch of its travel, for rails.
export function joint_markers(joint: Joint, r: number, range: [number, number], pin: Material, rail: Material): JointMarkers {
  const parent = new Group();
  const child = new Group();
  const axis: Vec3 = joint.axes[0] ?? [0, 0, 1];
  const zero: Vec3 = [0, 0, 0];
  const pivot = (along: Vec3, onto: Group, length = 4.4): void => {
    onto.add(cylinder(zero, along, 1.5 * r, length * r, pin), cylinder(zero, along, 0.75 * r, (length + 1) * r, rail));
  };
  const slide = (along: Vec3, round: boolean): void => {
    const [low, high] = [Math.max(range[0], -60 * r) - 5 * r, Math.min(range[1], 60 * r) + 5 * r]; // what slides off is not chased
    const middle = times(unit(along), (low + high) / 2);
    if (round) parent.add(cylinder(middle, along, 0.7 * r, high - low, rail));
    else {
      const track = beside(along, across(along), high - low, 1.1 * r, 1.1 * r, rail);
      track.position.copy(vector(middle));
      parent.add(track);
    }
    child.add(round ? cylinder(zero, along, 1.7 * r, 5 * r, pin) : beside(along, across(along), 5 * r, 3.2 * r, 3.2 * r, pin));
  };
  switch (joint.type) {
    case "revolute":
      pivot(axis, child);
      break;
    case "prismatic":
      slide(axis, false);
      break;
    case "cylindrical":
      slide(axis, true);
      break;
    case "screw":
      slide(axis, true);
      for (let i = -3; i <= 3; i++) parent.add(ring(times(unit(axis), i * 1.4 * r), axis, 0.85 * r, 0.28 * r, rail));
      break;
    case "point-on-line":
      slide(axis, true);
      child.add(ball(zero, 1.9 * r, pin));
      break;
    case "spherical":
      child.add(ball(zero, 1.9 * r, pin));
      parent.add(ring(zero, axis, 1.95 * r, 0.4 * r, rail));
      break;
    case "universal":
      parent.add(cylinder(zero, axis, 0.7 * r, 5.6 * r, rail));
      child.add(cylinder(zero, joint.axes[1] ?? across(axis), 0.7 * r, 5.6 * r, pin), ball(zero, 1.2 * r, pin));
      break;
    case "gimbal":
      joint.axes.slice(0, 3).forEach((one, i) => (i ? child : parent).add(ring(zero, one, (1.6 + 0.7 * i) * r, 0.3 * r, i ? pin : rail)));
      child.add(ball(zero, 0.9 * r, pin));
      break;
    case "planar":
      child.add(cylinder(zero, axis, 3 * r, 0.8 * r, pin));
      break;
    case "weld":
      child.add(beside(axis, across(axis), 2.6 * r, 2.6 * r, 2.6 * r, rail));
      break;
    case "free":
      break;
    case "translation":
      child.add(beside(axis, across(axis), 3.4 * r, 3.4 * r, 3.4 * r, pin));
      break;
    default: // what the steps of the joint say: turns about its axes
      if (joint.axes.length) joint.axes.forEach((one) => child.add(cylinder(zero, one, 0.8 * r, 4.4 * r, pin)));
      else child.add(ball(zero, 1.6 * r, pin));
  }
  if (joint.cut) child.add(ring(zero, axis, 2.7 * r, 0.22 * r, rail));
  return { parent, child };
}

// What a joint on the ground stands on: the textbook's little triangle, turned about the vertical.
export function foot(at: Vec3, down: Vec3, r: number, material: Material): Group {
  const group = new Group();
  const cone = stand(new Mesh(new ConeGeometry(3 * r, 4.6 * r, 32, 1), material), plus(at, times(down, 2.3 * r)), times(down, -1));
  group.add(cone, cylinder(plus(at, times(down, 4.8 * r)), down, 4 * r, 0.7 * r, material));
  return group;
}

export function wheel_solid(wheel: Wheel, r: number, material: Material, spokes: Material): Group {
  const group = new Group();
  const axis = unit(wheel.axis ?? [0, 0, 1]);
  if (wheel.type === "sphere") group.add(ball(wheel.at, wheel.radius, material), ring(wheel.at, axis, wheel.radius, 0.3 * r, spokes), ring(wheel.at, across(axis), wheel.radius, 0.3 * r, spokes));
  else if (wheel.type === "disk") {
    const wire = Math.min(0.9 * r, 0.12 * wheel.radius);
    group.add(ring(wheel.at, axis, wheel.radius - wire, wire, material), cylinder(wheel.at, axis, 1.6 * wire, 3 * wire, material));
    const x = across(axis);
    const y = cross(axis, x);
    for (let i = 0; i < 6; i++) {
      const out = plus(times(x, Math.cos((i * Math.PI) / 3)), times(y, Math.sin((i * Math.PI) / 3)));
      group.add(bar(wheel.at, plus(wheel.at, times(out, wheel.radius - wire)), 0.35 * wire, spokes));
    }
  } else group.add(cylinder(wheel.at, axis, 4 * r, 0.3 * r, material));
  return group;
}

// A toothed disc about an axis.
export function gear_solid(at: Vec3, axis: Vec3, radius: number, tooth: number, width: number, material: Material): Mesh {
  const count = Math.max(8, Math.round((2 * Math.PI * radius) / (2.4 * tooth)));
  const outline = new Outline();
  for (let i = 0; i < 4 * count; i++) {
    const angle = (2 * Math.PI * i) / (4 * count);
    const out = radius + (i % 4 < 2 ? 0.5 : -0.5) * tooth;
    if (i === 0) outline.moveTo(out, 0);
    else outline.lineTo(out * Math.cos(angle), out * Math.sin(angle));
  }
  outline.closePath();
  const geometry = new ExtrudeGeometry(outline, { depth: width, bevelEnabled: false });
  geometry.translate(0, 0, -width / 2);
  const mesh = new Mesh(geometry, material);
  mesh.position.copy(vector(at));
  mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), vector(unit(axis)));
  return mesh;
}

export const rotor_solid = (at: Vec3, axis: Vec3, r: number, material: Material): Mesh => cylinder(at, axis, 3.6 * r, 1.4 * r, material, 40);

function mesh_of(positions: string, material: Material): Mesh {
  const numbers = decode_numbers(positions, "f32");
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(numbers), 3));
  geometry.computeVertexNormals();
  return new Mesh(geometry, material);
}

const is_colour = (text: string | null): text is string => typeof text === "string" && /^#[0-9a-f]{6}$/i.test(text);

export function shape_solid(shape: Shape, r: number, own: MeshStandardMaterial): Group {
  const material = own.clone();
  if (is_colour(shape.colour) && !own.userData["ghost"]) material.color.set(shape.colour);
  const group = new Group();
  const upright = (mesh: Mesh): Mesh => (mesh.geometry.rotateX(Math.PI / 2), mesh); // three's y is the shape's z
  const radius = shape.radius ?? r;
  const length = shape.length ?? 2 * r;
  switch (shape.type) {
    case "box":
      group.add(new Mesh(new BoxGeometry(...(shape.size ?? [r, r, r])), material));
      break;
    case "cylinder":
      group.add(upright(new Mesh(new CylinderGeometry(radius, radius, length, 36), material)));
      break;
    case "capsule":
      group.add(upright(new Mesh(new CapsuleGeometry(radius, length, 8, 24), material)));
      break;
    case "sphere":
      group.add(new Mesh(new SphereGeometry(radius, 32, 20), material));
      break;
    case "polyline":
      shape.points.slice(1).forEach((point, i) => group.add(bar(shape.points[i]!, point, shape.radius ?? 0.5 * r, material)));
      break;
    case "mesh":
      material.side = DoubleSide;
      if (shape.mesh) group.add(mesh_of(shape.mesh.positions, material));
  }
  return placed(group, shape.at, shape.axes);
}
