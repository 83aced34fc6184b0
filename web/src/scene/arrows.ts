// Arrows of forces and torques (two heads), and the list of their sizes beside the picture.

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import { el, format_number } from "../element";
import type { Vec3 } from "../report";
import { tip_of, type Load } from "./loads";
import { distance, minus, norm, unit } from "./skeleton";
import { vector } from "./solids";

/** Told apart by colour (safe for the colour-blind) and by name. */
export const load_colours: Record<Load["kind"], string> = { weight: "#8a8578", force: "#d55e00", spring: "#0072b2", reaction: "#cc79a7" };

class Arrow {
  readonly group = new Group();
  private readonly shaft: Mesh;
  private readonly heads: Mesh[];

  constructor(colour: string, private readonly r: number, is_torque: boolean) {
    const material = new MeshStandardMaterial({ color: colour, roughness: 0.7, depthTest: false, transparent: true }); // over what it acts on
    this.shaft = new Mesh(new CylinderGeometry(0.38 * r, 0.38 * r, 1, 12), material);
    this.heads = Array.from({ length: is_torque ? 2 : 1 }, () => new Mesh(new ConeGeometry(1.15 * r, 2.8 * r, 16), material));
    this.group.add(this.shaft, ...this.heads);
    this.group.traverse((one) => {
      one.raycast = () => {};
      one.renderOrder = 6;
    });
  }

  lay(from: Vec3, to: Vec3): void {
    const length = distance(from, to);
    this.group.visible = length > 0.4 * this.r;
    if (!this.group.visible) return;
    const head = Math.min(1, length / (4 * this.r)); // short arrows have small heads
    this.group.position.copy(vector(from));
    this.group.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), vector(unit(minus(to, from)))));
    const end = length - 2.8 * this.r * head;
    this.shaft.scale.set(head, Math.max(end, 1e-9), head);
    this.shaft.position.y = end / 2;
    this.heads.forEach((one, k) => {
      one.scale.setScalar(head);
      one.position.y = length - 1.4 * this.r * head - k * 2 * this.r * head;
    });
  }

  dispose(): void {
    for (const one of [this.shaft, ...this.heads]) one.geometry.dispose();
    (this.shaft.material as MeshStandardMaterial).dispose();
  }
}

export class Arrows {
  readonly group = new Group();
  readonly legend = el("ul", { class: "load-legend", "aria-label": "Forces and torques" });
  private readonly arrows: Arrow[];
  private readonly figures: { text: Text; first: number }[] = [];

  /** `pattern`: the loads at some moment, in their order; `most`: the largest over the motion. */
  constructor(pattern: readonly Load[], private readonly most: { force: number; torque: number }, private readonly longest: number, radius: number) {
    this.arrows = pattern.map((one) => new Arrow(load_colours[one.kind], radius, one.is_torque));
    for (const one of this.arrows) this.group.add(one.group);
    if (!pattern.length) this.legend.append(el("li", {}, "Nothing acts here."));
    pattern.forEach((one, i) => {
      if (i > 0 && pattern[i - 1]!.name === one.name && pattern[i - 1]!.kind === one.kind) return; // both ends of a spring
      const text = document.createTextNode("");
      this.figures.push({ text, first: i });
      const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = load_colours[one.kind];
      this.legend.append(el("li", {}, swatch, `${one.name} `, el("b", {}, text)));
    });
  }

  show(list: readonly Load[]): void {
    list.forEach((one, i) => this.arrows[i]?.lay(one.at, tip_of(one, this.most, this.longest)));
    for (const { text, first } of this.figures) {
      const one = list[first];
      text.data = one ? `${format_number(norm(one.vector), 3)} ${one.is_torque ? "N·m" : "N"}` : "";
    }
  }

  dispose(): void {
    for (const one of this.arrows) one.dispose();
    this.group.removeFromParent();
    this.legend.remove();
  }
}
