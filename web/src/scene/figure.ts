// The figure: the mechanism as one object of three.js that takes poses.
//
// Bodies are groups whose matrix is the body's pose; what hangs on a body is built once in its axes. Springs, rods and
// beams join bodies or bend, and are laid anew for each pose. A second, pale figure is the ghost of another motion.

import {
  BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, type Material, type Object3D, type Sprite,
} from "three";
import type { Anchor, Joint, Scene, Vec3, Wheel } from "../report";
import type { Thing } from "../shared";
import { slide_coil, spiral, spiral_points, spring_shape, turn_of } from "./joint_springs";
import { mass_sign, name_label } from "./label";
import { in_ground, turned, type Poses } from "./pose";
import { ball, bar, foot, gear_solid, joint_markers, placed, plate, rotor_solid, shape_solid, vector, wheel_solid } from "./solids";
import { across, bar_radius, cross, distance, dot, minus, norm, places, plus, skeleton, times, unit } from "./skeleton";
import { slide_range } from "./travel";
import { coil, coil_points, Tube } from "./tube";

export interface Colours {
  things: string[];
  ink: string;
  soft: string;
  paper: string;
  accent: string;
}

export interface Layers {
  names: boolean;
  frames: boolean;
  masses: boolean;
  forces: boolean;
  contacts: boolean;
}

type Laid = (poses: Poses) => void;

export class Figure {
  readonly group = new Group();
  readonly sprites: Sprite[] = [];
  readonly radius: number;
  private readonly bodies: Group[] = [];
  private readonly laid: Laid[] = [];
  private readonly layers: Record<keyof Layers, Object3D[]> = { names: [], frames: [], masses: [], forces: [], contacts: [] };
  private readonly marked = new Map<string, Mesh[]>();
  private readonly index = new Map<string, number>();
  private is_named = false; // names are pictures: drawn when first asked for

  constructor(readonly scene: Scene, private readonly colours: Colours, range: Poses[], private readonly ghost = false) {
    this.radius = bar_radius(scene);
    scene.bodies.forEach((body, i) => this.index.set(body.name, i));
    for (const body of scene.bodies) {
      const group = new Group();
      group.name = body.name;
      group.matrixAutoUpdate = false;
      this.bodies.push(group);
      this.group.add(group);
    }
    this.draw_bodies();
    if (!ghost) this.draw_joints(range);
    this.draw_between();
    this.draw_wheels();
    if (!ghost) {
      this.draw_gears();
      this.draw_layers();
    }
    this.group.traverse((object) => {
      if (object instanceof Mesh) object.castShadow = object.receiveShadow = !ghost;
    });
  }

  // Every part goes where it is in this configuration.
  pose(poses: Poses): void {
    poses.bodies.forEach(({ R, p }, i) => {
      this.bodies[i]!.matrix.set(R[0]!, R[1]!, R[2]!, p[0], R[3]!, R[4]!, R[5]!, p[1], R[6]!, R[7]!, R[8]!, p[2], 0, 0, 0, 1);
      this.bodies[i]!.matrixWorldNeedsUpdate = true;
    });
    for (const lay of this.laid) lay(poses);
  }

  show(layers: Layers): void {
    if (layers.names && !this.is_named) this.draw_names();
    for (const [name, objects] of Object.entries(this.layers)) for (const one of objects) one.visible = layers[name as keyof Layers];
  }

  // The thing a mesh belongs to.
  static thing_of(object: Object3D | null): Thing | null {
    for (let one = object; one; one = one.parent) if (one.userData["thing"]) return one.userData["thing"] as Thing;
    return null;
  }

  // Whether a part hangs on the ground.
  is_ground(object: Object3D): boolean {
    for (let one: Object3D | null = object; one; one = one.parent) if (one === this.bodies[0]) return true;
    return false;
  }

  highlight(things: (Thing | null)[]): void {
    const keys = new Set(things.filter((one) => one !== null).map((one) => `${one.kind}:${one.name}`));
    for (const [key, meshes] of this.marked)
      for (const mesh of meshes) {
        const material = mesh.material as MeshStandardMaterial;
        material.emissive?.set(keys.has(key) ? material.color : new Color(0));
        material.emissiveIntensity = keys.has(key) ? 0.55 : 0;
      }
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof Mesh || object instanceof LineSegments) {
        object.geometry.dispose();
        for (const material of [object.material].flat()) (material as Material).dispose();
      }
    });
    for (const one of this.sprites) {
      one.material.map?.dispose();
      one.material.dispose();
    }
    this.group.removeFromParent();
  }

  // ---- materials ----

  private material(colour: string, opacity = 1): MeshStandardMaterial {
    const faded = this.ghost ? 0.22 * opacity : opacity;
    const material = new MeshStandardMaterial({
      color: this.ghost ? this.colours.soft : colour, roughness: 0.6, metalness: 0.05, transparent: faded < 1, opacity: faded, depthWrite: faded === 1,
    });
    material.userData["ghost"] = this.ghost;
    return material;
  }

  private colour_of(i: number): string {
    return i === 0 ? this.colours.soft : this.colours.things[(i - 1) % this.colours.things.length]!;
  }

  private mark(object: Object3D, thing: Thing): void {
    object.userData["thing"] = thing;
    const key = `${thing.kind}:${thing.name}`;
    const list = this.marked.get(key) ?? [];
    object.traverse((one) => {
      if (one instanceof Mesh && one.material instanceof MeshStandardMaterial) list.push(one);
    });
    this.marked.set(key, list);
  }

  // ---- bodies ----

  private draw_bodies(): void {
    const r = this.radius;
    const heaviest = Math.max(...this.scene.bodies.map((body) => body.mass), 0);
    const bent = new Set(this.scene.beams.map((beam) => beam.body));
    this.scene.bodies.forEach((body, i) => {
      const group = this.bodies[i]!;
      const shapes = this.scene.shapes.filter((shape) => shape.body === body.name);
      const material = this.material(this.colour_of(i));
      for (const shape of shapes) group.add(shape_solid(shape, r, material));
      if (i > 0 && !body.hidden && !shapes.length && !bent.has(body.name)) {
        const drawn = skeleton(this.scene, body.name);
        for (const [a, b] of drawn.bars) group.add(bar(a, b, r, material));
        if (drawn.plate.length > 2) group.add(plate(drawn.plate, 0.8 * r, material));
        const is_wheel = this.scene.wheels.some((wheel) => wheel.body === body.name && distance(wheel.at, drawn.lump ?? wheel.at) < r);
        if (drawn.lump && !is_wheel) group.add(ball(drawn.lump, this.lump_radius(body.mass, heaviest, drawn.bars.length > 0), material));
      }
      for (const rotor of this.scene.rotors) if (rotor.body === body.name) group.add(rotor_solid(body.com, rotor.axis, r, material));
      this.mark(group, { kind: "body", name: body.name });
    });
    this.scene.beams.forEach((beam, k) => {
      const i = this.index.get(beam.body) ?? 0;
      if (beam.count < 2) return;
      const tube = new Tube(beam.count, 0.9 * r, this.material(this.colour_of(i)), 12);
      this.mark(tube.mesh, { kind: "body", name: beam.body });
      this.group.add(tube.mesh);
      this.laid.push((poses) => tube.bend(poses.beams[k]!));
      this.draw_stubs(i, k);
    });
  }

  // What of an elastic body is rigid: from its joints to the nearest point of its beam, where they do not lie on it.
  private draw_stubs(i: number, beam: number): void {
    let stubs: { at: Vec3; point: number; tube: Tube }[] | null = null;
    const name = this.scene.bodies[i]!.name;
    this.laid.push((poses) => {
      const points = poses.beams[beam]!;
      stubs ??= places(this.scene, name).flatMap((at) => {
        const end = in_ground(poses.bodies[i]!, at);
        const point = points.reduce((best, one, n) => (distance(one, end) < distance(points[best]!, end) ? n : best), 0);
        if (distance(points[point]!, end) < 2 * this.radius) return [];
        const tube = new Tube(2, 1.2 * this.radius, this.material(this.colour_of(i)), 12);
        tube.mesh.castShadow = tube.mesh.receiveShadow = !this.ghost;
        this.group.add(tube.mesh);
        this.mark(tube.mesh, { kind: "body", name });
        return [{ at, point, tube }];
      });
      for (const stub of stubs) stub.tube.bend([in_ground(poses.bodies[i]!, stub.at), points[stub.point]!]);
    });
  }

  private lump_radius(mass: number, heaviest: number, on_bar: boolean): number {
    const share = heaviest > 0 && mass > 0 ? Math.cbrt(mass / heaviest) : 0.6;
    const largest = on_bar ? 2.6 * this.radius : 4.5 * this.radius;
    return Math.max(largest * share, 1.3 * this.radius);
  }

  // ---- joints ----

  private draw_joints(range: Poses[]): void {
    const r = this.radius;
    for (const joint of this.scene.joints) {
      const [parent, child] = [this.index.get(joint.parent), this.index.get(joint.child)];
      if (parent === undefined || child === undefined) continue;
      if (joint.type === "section") continue; // where a beam goes on into itself
      const slides = slide_range(this.scene, range, joint, joint.axes[0] ?? [0, 0, 1]);
      const markers = joint_markers(joint, r, slides, this.material(this.colours.ink), this.material(this.colours.soft));
      const thing: Thing = { kind: "joint", name: joint.name };
      placed(markers.parent, joint.parent_at, joint.parent_axes);
      placed(markers.child, joint.child_at, joint.child_axes);
      this.bodies[parent]!.add(markers.parent);
      this.bodies[child]!.add(markers.child);
      this.mark(markers.parent, thing);
      this.mark(markers.child, thing);
      this.draw_joint_springs(joint, parent, child, slides[0]);
      if (parent === 0 && ["revolute", "spherical", "universal", "gimbal", "weld"].includes(joint.type)) {
        const stand = foot(joint.parent_at, this.support(joint.parent_at, range[0]), r, this.material(this.colours.soft));
        this.bodies[0]!.add(stand);
        this.mark(stand, { kind: "body", name: this.scene.bodies[0]!.name });
      }
    }
  }

  private draw_joint_springs(joint: Joint, parent: number, child: number, low: number): void {
    for (const freedom of joint.springs ?? []) {
      const shape = spring_shape(joint, freedom);
      if (!shape) continue;
      const tube = new Tube(shape === "coil" ? coil_points : spiral_points, 0.28 * this.radius, this.material(this.colours.ink), 6);
      this.mark(tube.mesh, { kind: "joint", name: joint.name });
      this.group.add(tube.mesh);
      let angle = 0;
      this.laid.push(({ bodies }) => {
        const [a, b] = [bodies[parent]!, bodies[child]!];
        if (shape === "coil") return tube.bend(slide_coil(joint, a, b, low, this.radius));
        angle = turn_of(joint, joint.axes[freedom]!, a, b, angle);
        tube.bend(spiral(joint, freedom, a, b, angle, this.radius));
      });
    }
  }

  // What hangs is held from above, what stands from below: as the mass of the mechanism lies at the start.
  private support(at: Vec3, start: Poses | undefined): Vec3 {
    const up = unit(this.scene.up);
    const total = this.scene.bodies.reduce((sum, body) => sum + body.mass, 0);
    if (!start || !(total > 0)) return times(up, -1);
    const middle = this.scene.bodies.reduce<Vec3>((sum, body, i) => plus(sum, times(start.bodies[i]!.com, body.mass / total)), [0, 0, 0]);
    return times(up, dot(minus(middle, at), up) < -0.02 * this.scene.size ? 1 : -1);
  }

  // ---- springs and rods ----

  private end(anchor: Anchor, poses: Poses): Vec3 {
    return in_ground(poses.bodies[this.index.get(anchor.body) ?? 0]!, anchor.at);
  }

  private draw_between(): void {
    const r = this.radius;
    for (const spring of this.scene.springs) {
      const tube = new Tube(coil_points, 0.28 * r, this.material(this.colours.ink), 6);
      this.mark(tube.mesh, { kind: "spring", name: spring.name });
      this.group.add(tube.mesh);
      this.laid.push((poses) => tube.bend(coil(this.end(spring.from, poses), this.end(spring.to, poses), 1.7 * r)));
    }
    for (const rod of this.scene.rods) {
      const tube = new Tube(2, 0.55 * r, this.material(this.colours.soft), 12);
      this.mark(tube.mesh, { kind: "rod", name: rod.name });
      this.group.add(tube.mesh);
      const ends = [0, 1].map(() => ball([0, 0, 0], 1.1 * r, this.material(this.colours.ink)));
      this.group.add(...ends);
      this.laid.push((poses) => {
        const at = [this.end(rod.from, poses), this.end(rod.to, poses)];
        tube.bend(at);
        ends.forEach((one, k) => one.position.copy(vector(at[k]!)));
      });
    }
    // an end of a spring or rod on the ground hangs there on something
    for (const one of [...this.scene.springs, ...this.scene.rods])
      for (const anchor of [one.from, one.to])
        if (this.index.get(anchor.body) === 0) this.bodies[0]!.add(ball(anchor.at, 1.2 * r, this.material(this.colours.soft)));
  }

  // ---- wheels and gears ----

  private draw_wheels(): void {
    for (const wheel of this.scene.wheels) {
      const i = this.index.get(wheel.body);
      if (i === undefined) continue;
      const solid = wheel_solid(wheel, this.radius, this.material(this.colour_of(i)), this.material(this.colours.soft));
      this.bodies[i]!.add(solid);
      this.mark(solid, { kind: "wheel", name: wheel.name });
    }
  }

  // drive = ratio · driven: the wheels meet without slip, so their radii are as 1 : |ratio|.
  private draw_gears(): void {
    const r = this.radius;
    const rest = this.group;
    this.scene.gears.forEach((gear, pair) => {
      const joints = [gear.drive, gear.driven].map((name) => this.scene.joints.find((joint) => joint.coordinates.includes(name) || joint.name === name));
      const [a, b] = joints;
      if (!a || !b || a === b) return;
      const turning = (type: string): boolean => type === "revolute" || type === "cylindrical" || type === "screw";
      if (!turning(a.type) || !turning(b.type)) return;
      const made: Mesh[] = [];
      this.laid.push((poses) => {
        if (made.length) return; // the first pose tells how far apart they are
        const bodies = [a, b].map((joint) => poses.bodies[this.index.get(joint.child)!]!);
        const at = [a, b].map((joint, k) => in_ground(bodies[k]!, joint.child_at));
        const axes = [a, b].map((joint, k) => unit(turned(bodies[k]!.R, turned(joint.child_axes, joint.axes[0] ?? [0, 0, 1]))));
        const between = minus(at[1]!, at[0]!);
        const apart = norm(minus(between, times(axes[0]!, dot(between, axes[0]!))));
        const ratio = Math.abs(gear.ratio) || 1;
        const is_parallel = norm(cross(axes[0]!, axes[1]!)) < 0.05 && apart > 4 * r;
        const first = is_parallel ? apart / (1 + ratio) : (8 * r) / (1 + ratio);
        [a, b].forEach((joint, k) => {
          const radius = Math.max(k ? first * ratio : first, 1.8 * r);
          // wheels of one shaft stand side by side, one for each pair
          const axis = joint.axes[0] ?? ([0, 0, 1] as Vec3);
          const beside = times(unit(axis), (dot(axes[k]!, axes[0]!) < 0 ? -1 : 1) * (pair % 4) * 1.5 * r);
          const solid = gear_solid(beside, axis, radius, Math.min(0.9 * r, 0.25 * radius), 1.2 * r, this.material(this.colour_of(this.index.get(joint.child)!)));
          const holder = placed(new Group(), joint.child_at, joint.child_axes);
          solid.castShadow = solid.receiveShadow = true;
          holder.add(solid);
          this.bodies[this.index.get(joint.child)!]!.add(holder);
          this.mark(holder, { kind: "gear", name: gear.name });
          made.push(solid);
        });
        rest.updateMatrixWorld(true);
      });
    });
  }

  // ---- what is shown on demand ----

  private layer(name: keyof Layers, object: Object3D, onto: Object3D): void {
    object.visible = false;
    this.layers[name].push(object);
    onto.add(object);
  }

  private sprite(name: keyof Layers, one: Sprite, onto: Object3D, at: Vec3): void {
    one.position.copy(vector(at));
    this.sprites.push(one);
    this.layer(name, one, onto);
  }

  private draw_layers(): void {
    const { paper } = this.colours;
    this.scene.bodies.forEach((body, i) => {
      if (body.hidden) return;
      const group = this.bodies[i]!;
      if (i > 0) {
        if (body.mass > 0) this.draw_mass(i);
      }
      this.layer("frames", axes_cross(8 * this.radius), group);
    });
    for (const force of this.scene.forces) {
      const i = this.index.get(force.body);
      if (i === undefined) continue;
      this.layer("forces", ball(force.at, 1.3 * this.radius, this.material(this.colours.accent)), this.bodies[i]!);
      this.sprite("forces", name_label(force.name, this.colours.accent, paper), this.bodies[i]!, force.at);
    }
    for (const wheel of this.scene.wheels) this.draw_contact(wheel);
  }

  private draw_names(): void {
    const { ink, soft, paper } = this.colours;
    this.is_named = true;
    this.scene.bodies.forEach((body, i) => {
      if (i === 0 || body.hidden) return;
      this.sprite("names", name_label(body.name, this.colour_of(i), paper), this.bodies[i]!, name_place(this.scene, body.name, body.com));
      for (const point of body.points) this.sprite("names", name_label(point.name, ink, paper), this.bodies[i]!, point.at);
    });
    for (const joint of this.scene.joints) {
      const i = this.index.get(joint.child);
      if (i !== undefined && joint.type !== "free" && joint.type !== "section") this.sprite("names", name_label(joint.name, soft, paper, "left"), this.bodies[i]!, joint.child_at);
    }
  }

  // The sign goes where the code says: of an elastic body, to the centre of mass of the straight one.
  private draw_mass(i: number): void {
    const sign = mass_sign(this.colours.ink, this.colours.paper);
    this.sprite("masses", sign, this.group, [0, 0, 0]);
    this.laid.push((poses) => sign.position.copy(vector(poses.bodies[i]!.com)));
  }

  private draw_contact(wheel: Wheel): void {
    const i = this.index.get(wheel.body);
    if (i === undefined) return;
    const dotted = ball([0, 0, 0], 1.1 * this.radius, this.material(this.colours.accent));
    this.layer("contacts", dotted, this.group);
    this.laid.push((poses) => dotted.position.copy(vector(contact_point(wheel, poses.bodies[i]!))));
  }
}

// The lowest point of a wheel over its plane.
export function contact_point(wheel: Wheel, pose: Poses["bodies"][number]): Vec3 {
  const centre = in_ground(pose, wheel.at);
  const normal = unit(wheel.normal);
  if (wheel.type === "sphere") return minus(centre, times(normal, wheel.radius));
  if (wheel.type !== "disk") return centre;
  const axis = unit(turned(pose.R, wheel.axis));
  const down = minus(normal, times(axis, dot(normal, axis)));
  return norm(down) < 1e-9 ? centre : minus(centre, times(unit(down), wheel.radius));
}

function name_place(scene: Scene, name: string, com: Vec3): Vec3 {
  const all = places(scene, name);
  if (!all.length) return com;
  return times([...all, com].reduce(plus, [0, 0, 0]), 1 / (all.length + 1));
}

// Three axes: x vermilion, y green, z blue.
function axes_cross(length: number): LineSegments {
  const geometry = new BufferGeometry();
  const colours = ["#d55e00", "#009e73", "#0072b2"].map((text) => new Color(text));
  const positions: number[] = [];
  const shades: number[] = [];
  for (const k of [0, 1, 2]) {
    const tip: Vec3 = [0, 0, 0];
    tip[k] = length;
    const side = times(across(tip), 0.08 * length);
    const back = times(tip, 0.88);
    for (const point of [[0, 0, 0], tip, tip, plus(back, side), tip, minus(back, side)] as Vec3[]) {
      positions.push(...point);
      shades.push(colours[k]!.r, colours[k]!.g, colours[k]!.b);
    }
  }
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(shades), 3));
  const lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, depthTest: false }));
  lines.renderOrder = 5;
  lines.raycast = () => {};
  return lines;
}
