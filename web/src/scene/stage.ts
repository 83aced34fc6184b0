// The stage: the scene with its clock and tools. Without WebGL it says so, and everything else of the page works.

import { Mesh, Vector3 } from "three";
import { el } from "../element";
import type { Numbers } from "../model";
import type { Report, Scene, Vec3 } from "../report";
import type { Shared, Thing } from "../shared";
import { colour, thing_colours } from "../theme";
import { coordinates_at, end_of, start_of, value_at, type Trajectory } from "../trajectory";
import { transport } from "./transport";
import { Arrows } from "./arrows";
import { Figure, type Colours, type Layers } from "./figure";
import { has_left, held, reach_of, still_frame, with_ground } from "./framing";
import { largest_loads, loads_at, type Load } from "./loads";
import { measured } from "./measure";
import { plane_normal, sight, type Outlook } from "./outlook";
import { is_finite, poses_at, type Poses } from "./pose";
import { save_picture, video_button } from "./pictures";
import { dot, norm, plus, times, unit } from "./skeleton";
import { describe } from "./words";
import { Trails, tracked_points } from "./trails";
import { bounds_of, drawn_points, sample_poses, type Bounds, type Drawn } from "./travel";
import { View } from "./view";

// The configuration that a mechanism without a motion is shown in.
export function resting(report: Report, shared: Shared): Numbers {
  const q = report.analysis?.equilibrium?.found ? report.analysis.equilibrium.q : null;
  const model = shared.model;
  if (q && model && q.length === model.NQ) return q;
  return model ? model.COORDINATES.map((one) => one.value ?? 0) : [];
}

const has_poses = (one: Trajectory | null, shared: Shared): one is Trajectory =>
  one !== null && one.t.length > 0 && one.q.length === shared.model?.NQ;

export function stage(report: Report, shared: Shared): HTMLElement {
  const viewport = el("div", { class: "viewport" });
  const tools = el("div", { class: "stage-tools" });
  const box = el("div", { class: "stage" }, viewport, transport(shared), tools);
  const build = (): void => {
    try {
      if (!shared.model) throw new Error("The page holds no equations to draw the mechanism with.");
      const canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": `Scene of ${report.title}. Arrow keys turn it, plus and minus zoom, 0 fits, space plays.` });
      viewport.append(canvas);
      const scene_view = new Scenery(report, shared, canvas, viewport);
      tools.append(...scene_view.tools());
      performance.mark("linkwright-scene");
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const is_webgl = /webgl/i.test(text);
      viewport.classList.add("without-scene");
      viewport.replaceChildren(el("p", { role: "status" }, is_webgl
        ? "This browser shows no WebGL, so there is no picture of the mechanism here. Plots, equations and analyses work as ever."
        : `The mechanism cannot be drawn: ${text}`));
      tools.remove();
    }
  };
  after_first_paint(build);
  return box;
}

// Words first: making the scene keeps the graphics busy, and with them what would show the words. A page that is not painted now (in the
// background, or no such news from the browser) does not wait for it.
function after_first_paint(act: () => void): void {
  let is_done = false;
  const once = (): void => {
    if (is_done) return;
    is_done = true;
    setTimeout(act, 0);
  };
  if (typeof PerformanceObserver !== "undefined" && PerformanceObserver.supportedEntryTypes.includes("paint"))
    new PerformanceObserver((_list, observer) => (observer.disconnect(), once())).observe({ type: "paint", buffered: true });
  requestAnimationFrame(() => setTimeout(once, 400));
  setTimeout(once, 2000);
}

class Scenery {
  private readonly view: View;
  private figure!: Figure;
  private ghost: Figure | null = null;
  private trails: Trails | null = null;
  private arrows: Arrows | null = null;
  private measures = ""; // the parameters the figure was built for
  private ghost_measures = "";
  private ghost_of: Trajectory | null = null;
  private readonly constants = new WeakMap<object, Float64Array>(); // of each set of parameters
  private readonly layers: Layers = { names: false, frames: false, masses: false, forces: false, contacts: false };
  private has_trails = false;
  private has_reactions = false;
  private readonly idle = new Set<string>(); // loads that do nothing all the time
  private has_floor: boolean;
  private follows = false;
  private frame: Vec3[] = []; // what the picture must hold
  private box: Bounds = { low: [0, 0, 0], high: [0, 0, 0] }; // around it
  private centre: Vec3 = [0, 0, 0];
  private home: Vec3 = [0, 0, 0]; // the centre of mass at the start
  private outlook: Outlook = "default";
  private normal: Vec3 | null = null;
  private phase = 0;
  private readonly caption = el("div", { class: "caption", "aria-live": "polite" });
  private readonly scale = el("div", { class: "scale" });
  private readonly banner = el("div", { class: "banner" });

  constructor(private readonly report: Report, private readonly shared: Shared, canvas: HTMLCanvasElement, private readonly viewport: HTMLElement) {
    this.view = new View(canvas, report.scene.up, () => this.place());
    this.has_floor = norm(report.scene.gravity) > 0 || report.scene.wheels.length > 0;
    viewport.append(this.banner, this.caption, this.scale);
    this.build();
    this.listen(canvas);
    this.resize();
    this.fit();
  }

  // ---- what is shown now ----

  private setup(p: Numbers): Float64Array {
    const known = this.constants.get(p);
    if (known) return known;
    const c = this.shared.model!.setup(p);
    this.constants.set(p, c);
    return c;
  }

  private now(): { t: number; q: Numbers; p: Numbers } {
    const { shared } = this;
    const sway = shared.sway.get();
    if (sway) return { t: shared.time.get(), q: sway.q(this.phase), p: sway.p ?? shared.parameters.get() };
    const shown = shared.shown();
    return has_poses(shown, shared) ? this.on(shown) : { t: 0, q: resting(this.report, shared), p: shared.parameters.get() };
  }

  private on(one: Trajectory, t = this.shared.time.get()): { t: number; q: Numbers; p: Numbers } {
    const model = this.shared.model!;
    return { t, q: coordinates_at(one, t, model, this.setup(one.p)), p: one.p };
  }

  private poses({ t, q, p }: { t: number; q: Numbers; p: Numbers }): Poses | null {
    try {
      const poses = poses_at(this.shared.model!, this.report.scene, t, q, this.setup(p));
      return is_finite(poses) ? poses : null;
    } catch {
      return null;
    }
  }

  private colours(): Colours {
    return { things: thing_colours(), ink: colour("ink"), soft: colour("soft"), paper: colour("card"), accent: colour("accent") };
  }

  private key = (p: Numbers): string => (this.report.scene.geometry.length ? Array.from(p).join(" ") : "");

  private scene_for(p: Numbers): Scene {
    return measured(this.report.scene, this.shared.model, this.setup(p));
  }

  // ---- building ----

  private build(): void {
    const { shared, report } = this;
    const { p } = this.now();
    const scene = this.scene_for(p);
    const shown = shared.shown();
    const list = sample_poses(report.scene, shared.model!, has_poses(shown, shared) ? shown : null, resting(report, shared), p);
    const first = list[0] ?? this.poses(this.now());
    if (!first) throw new Error("its poses are not finite at the start.");
    this.normal = plane_normal(scene, first);
    this.rebuild();
    this.figure.pose(first);
    this.furnish(scene, list.length ? list : [first]);
    this.colour();
  }

  private rebuild(): void {
    const { shared, report } = this;
    const { p } = this.now();
    const shown = shared.shown();
    const list = sample_poses(report.scene, shared.model!, has_poses(shown, shared) ? shown : null, resting(report, shared), p, 40);
    this.figure?.dispose();
    this.figure = new Figure(this.scene_for(p), this.colours(), list);
    this.measures = this.key(p);
    this.view.root.add(this.figure.group);
    this.figure.show(this.layers);
    this.view.size_sprites(this.figure.sprites);
    this.mark();
    this.retrail();
    this.rearrow();
    this.reghost();
  }

  private retrail(): void {
    this.trails?.dispose();
    this.trails = null;
    const shown = this.shared.shown();
    if (!this.has_trails || !has_poses(shown, this.shared)) return;
    const scene = this.scene_for(shown.p);
    try {
      this.trails = new Trails(scene, this.shared.model!, shown, thing_colours(), tracked_points(scene));
      this.view.root.add(this.trails.group);
    } catch {
      // a motion through a configuration without poses leaves no trail
    }
  }

  // ---- forces ----

  private loads(one: Trajectory | null, t: number, poses: Poses | null): Load[] {
    const { model } = this.shared;
    const { q, p } = one ? this.on(one, t) : this.now();
    const at = poses ?? this.poses({ t, q, p });
    if (!model || !at) return [];
    const c = this.setup(p);
    const u = Float64Array.from({ length: model.NU }, (_, i) => (one && one.u.length === model.NU ? value_at(one, one.u[i]!, t) : 0));
    const w = model.input_values ? model.input_values(t, c) : Float64Array.from(model.INPUTS, (input) => input.value);
    return loads_at(this.scene_for(p), model, { t, q, u, w, c }, at, one)
      .filter((load) => (load.kind === "reaction" ? this.has_reactions : this.layers.forces) && !this.idle.has(load.name));
  }

  // Arrows on one scale over the whole motion.
  private rearrow(): void {
    this.arrows?.dispose();
    this.arrows = null;
    if (!this.layers.forces && !this.has_reactions) return;
    const shown = this.shared.shown();
    const one = has_poses(shown, this.shared) ? shown : null;
    const times_of = one ? Array.from({ length: 40 }, (_, i) => start_of(one) + ((end_of(one) - start_of(one)) * i) / 39) : [0];
    this.idle.clear();
    const all = times_of.map((t) => this.loads(one, t, null));
    const busy = new Set(all.flat().filter((load) => norm(load.vector) > 0).map((load) => load.name));
    for (const load of all.flat()) if (!busy.has(load.name)) this.idle.add(load.name);
    const pattern = (all[0] ?? []).filter((load) => busy.has(load.name));
    this.arrows = new Arrows(pattern, largest_loads(all.flat()), 0.28 * this.report.scene.size, this.figure.radius);
    this.view.root.add(this.arrows.group);
    this.viewport.after(this.arrows.legend);
  }

  private reghost(): void {
    const behind = this.shared.behind();
    this.ghost?.dispose();
    this.ghost = null;
    this.ghost_of = behind;
    if (!has_poses(behind, this.shared)) return;
    this.ghost = new Figure(this.scene_for(behind.p), this.colours(), [], true);
    this.ghost_measures = this.key(behind.p);
    this.view.root.add(this.ghost.group);
  }

  // How much the picture must hold, and where the floor lies: under everything that moves, or where wheels roll.
  private furnish(scene: Scene, list: Poses[]): void {
    this.go_home();
    this.figure.pose(list[0]!);
    this.home = this.middle(list[0]!);
    const solid = this.corners();
    const started = drawn_points(scene, list[0]!);
    const at_start = with_ground([...started.moving, ...solid.moving], [...started.ground, ...solid.ground]);
    // what goes far as a whole is followed
    const least = 0.3 * scene.size;
    const travel = list.map((poses) => drawn_points(scene, poses).moving);
    const is_free = scene.joints.every((joint) => ![joint.parent, joint.child].includes(scene.bodies[0]!.name) || ["free", "planar", "translation"].includes(joint.type));
    const start_box = bounds_of(at_start);
    const is_lost = start_box !== null && travel.some((points) => has_left(points, start_box));
    this.follows = (is_free || is_lost) && reach_of([...at_start, ...travel.flat()], least) > 4 * reach_of(at_start, least);
    this.frame = this.follows ? at_start : is_free ? [...at_start, ...travel.flat()] : still_frame(at_start, travel, least);
    this.box = bounds_of(this.frame) ?? { low: [0, 0, 0], high: [0, 0, 0] };
    this.centre = times(plus(this.box.low, this.box.high), 0.5);
    const up = unit(scene.up);
    const wheel = scene.wheels[0];
    const lowest = this.frame.reduce((least, point) => Math.min(least, dot(point, up)), dot(this.centre, up));
    const height = wheel ? dot(wheel.plane_at, up) : lowest - 0.06 * scene.size;
    const floor = this.has_floor ? plus(this.centre, times(up, height - dot(this.centre, up))) : null;
    this.view.furnish(this.centre, reach_of(this.frame, least), floor, colour("line-strong"), this.shared.theme.get() === "dark");
    this.scale.textContent = floor ? `grid ${this.view.grid_step} m` : "";
  }

  // Corners of the boxes around what is drawn now, each along its own axes: gears, rails and feet have an extent too.
  private corners(): Drawn {
    const { root } = this.view;
    root.updateMatrixWorld(true);
    const drawn: Drawn = { moving: [], ground: [] };
    this.figure.group.traverse((one) => {
      if (!(one instanceof Mesh) || !one.visible) return;
      one.geometry.computeBoundingBox();
      const box = one.geometry.boundingBox;
      if (!box || box.isEmpty()) return;
      const points = this.figure.is_ground(one) ? drawn.ground : drawn.moving;
      for (const x of [box.min.x, box.max.x])
        for (const y of [box.min.y, box.max.y])
          for (const z of [box.min.z, box.max.z]) points.push(root.worldToLocal(one.localToWorld(new Vector3(x, y, z))).toArray() as Vec3);
    });
    return drawn;
  }

  private refurnish(): void {
    const { p } = this.now();
    const shown = this.shared.shown();
    const list = sample_poses(this.report.scene, this.shared.model!, has_poses(shown, this.shared) ? shown : null, resting(this.report, this.shared), p);
    if (list.length) this.furnish(this.scene_for(p), list);
  }

  private resize(): void {
    this.view.resize(this.viewport.clientWidth, this.viewport.clientHeight);
    this.view.size_sprites(this.figure.sprites);
    if (this.view.is_fitted) this.fit();
  }

  // Where a mechanism that is followed began: pictures are framed, and lights set up, there.
  private go_home(): void {
    this.view.root.position.set(0, 0, 0);
  }

  private fit(): void {
    this.go_home();
    this.view.look(sight(this.outlook, this.report.scene.up, this.normal), this.frame, 3 * this.figure.radius);
  }

  private colour(): void {
    this.view.colour(colour("card"), this.shared.theme.get() === "dark");
  }

  // ---- each frame ----

  private place(): void {
    const now = this.now();
    if (this.key(now.p) !== this.measures) this.rebuild();
    const poses = this.poses(now);
    this.viewport.classList.toggle("lost", poses === null);
    if (poses) {
      this.figure.pose(poses);
      if (this.follows) this.follow(poses);
      else this.view.hold(held(drawn_points(this.figure.scene, poses).moving, this.box));
    }
    this.place_arrows(poses);
    const behind = this.shared.behind();
    if (this.ghost && has_poses(behind, this.shared)) {
      if (this.key(behind.p) !== this.ghost_measures) this.reghost();
      const past = this.shared.sway.get() ? null : this.poses(this.on(behind));
      this.ghost.group.visible = past !== null;
      if (past) this.ghost.pose(past);
    }
    if (this.trails) {
      this.trails.group.visible = !this.shared.sway.get();
      this.trails.show(this.shared.time.get());
    }
  }

  // Of a mode that sways nobody knows the speeds: it has no arrows.
  private place_arrows(poses: Poses | null): void {
    if (!this.arrows) return;
    const shown = this.shared.shown();
    this.arrows.group.visible = poses !== null && !this.shared.sway.get();
    if (poses && this.arrows.group.visible) this.arrows.show(this.loads(has_poses(shown, this.shared) ? shown : null, this.shared.time.get(), poses));
  }

  // The centre of all mass.
  private middle(poses: Poses): Vec3 {
    const masses = this.report.scene.bodies.map((body) => body.mass);
    const total = masses.reduce((a, b) => a + b, 0) || 1;
    return poses.bodies.reduce<Vec3>((sum, one, i) => plus(sum, times(one.com, masses[i]! / total)), [0, 0, 0]);
  }

  // The picture goes along with a mechanism that travels; the floor's lines slip past under it.
  private follow(poses: Poses): void {
    const way = plus(this.middle(poses), times(this.home, -1));
    const up = unit(this.report.scene.up);
    const height = dot(way, up);
    const level = plus(way, times(up, -height));
    const climb = Math.sign(height) * Math.max(Math.abs(height) - 0.2 * this.report.scene.size, 0); // small ups and downs are seen as such
    const { root, floor, grid_step } = this.view;
    root.position.set(...times(plus(level, times(up, climb)), -1)).applyQuaternion(root.quaternion);
    const snapped = level.map((s) => Math.round(s / grid_step) * grid_step) as Vec3;
    const start = plus(this.centre, times(up, dot(floor.position.toArray() as Vec3, up) - dot(this.centre, up)));
    floor.position.set(...plus(start, plus(snapped, times(up, -dot(snapped, up)))));
  }

  // ---- listening ----

  private listen(canvas: HTMLCanvasElement): void {
    const { shared, view } = this;
    const draw = (): void => view.invalidate();
    shared.time.listen(draw);
    shared.motion.listen(() => (this.refurnish(), this.rebuild(), draw()));
    shared.ghost.listen(() => (this.reghost(), draw()));
    shared.live.listen(() => {
      this.retrail();
      this.rearrow();
      if (shared.behind() !== this.ghost_of) this.reghost();
      draw();
    });
    shared.parameters.listen(draw);
    shared.theme.listen(() => queueMicrotask(() => (this.colour(), this.refurnish(), this.rebuild(), draw())));
    addEventListener("beforeprint", () => queueMicrotask(() => view.draw()));
    shared.hovered.listen(() => this.mark());
    shared.selected.listen(() => this.mark());
    shared.sway.listen((sway) => this.sway(sway?.name ?? null));
    new ResizeObserver(() => this.resize()).observe(this.viewport);
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) return;
      const box = canvas.getBoundingClientRect();
      const hit = view.pick(event.clientX - box.left, event.clientY - box.top, this.figure.group);
      shared.hovered.set(Figure.thing_of(hit));
    });
    canvas.addEventListener("pointerleave", () => shared.hovered.set(null));
    canvas.addEventListener("click", () => shared.selected.set(shared.hovered.get()));
    canvas.addEventListener("keydown", (event) => this.typed(event));
    Object.assign(canvas, { project: (point: Vec3) => view.project(point), draw: () => view.draw(), poses: () => this.poses(this.now()) }); // for tests: where is it on the screen?
  }

  private typed(event: KeyboardEvent): void {
    const step = 0.12;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.view.turn(-step, 0),
      ArrowRight: () => this.view.turn(step, 0),
      ArrowUp: () => this.view.turn(0, -step),
      ArrowDown: () => this.view.turn(0, step),
      "+": () => this.view.turn(0, 0, 1 / 1.15),
      "=": () => this.view.turn(0, 0, 1 / 1.15),
      "-": () => this.view.turn(0, 0, 1.15),
      "0": () => this.fit(),
      " ": () => this.shared.playing.update((playing) => !playing),
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  }

  private mark(): void {
    const thing = this.shared.hovered.get() ?? this.shared.selected.get();
    this.figure.highlight([this.shared.hovered.get(), this.shared.selected.get()]);
    this.caption.textContent = thing ? describe(this.report, thing as Thing) : "";
    this.view.invalidate();
  }

  private sway(name: string | null): void {
    this.banner.replaceChildren(...(name === null ? [] : [el("span", {}, name), el("button", { type: "button", onclick: () => this.shared.sway.set(null) }, "Stop")]));
    if (name === null) return this.view.invalidate();
    this.shared.playing.set(false);
    let last = performance.now();
    const period = this.shared.still ? 8 : 2; // seconds on the screen
    const step = (now: number): void => {
      if (!this.shared.sway.get()) return;
      this.phase += (2 * Math.PI * Math.min(now - last, 100)) / 1000 / period;
      last = now;
      this.view.invalidate();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // ---- tools ----

  tools(): HTMLElement[] {
    const outlooks: [Outlook, string][] = [["default", "Default view"], ["front", "From the front"], ["corner", "From a corner"], ["x", "Along x"], ["y", "Along y"], ["z", "Along z"]];
    const choice = el("select", { "aria-label": "View", onchange: () => ((this.outlook = choice.value as Outlook), this.fit()) },
      ...outlooks.map(([value, text]) => el("option", { value }, text)));
    const scene = this.report.scene;
    const layer = (name: keyof Layers, text: string): HTMLElement => this.toggle(text, this.layers[name], (on) => ((this.layers[name] = on), this.figure.show(this.layers), this.view.size_sprites(this.figure.sprites)));
    const has_motion = this.shared.motions.some((one) => one.t.length > 1);
    const title = this.report.title;
    return [
      choice,
      el("button", { type: "button", onclick: () => this.fit() }, "Fit"),
      layer("names", "Names"),
      layer("masses", "Centres of mass"),
      layer("frames", "Frames"),
      norm(scene.gravity) > 0 || scene.loads.some((known) => known) || scene.forces.length
        ? this.toggle("Forces", this.layers.forces, (on) => ((this.layers.forces = on), this.figure.show(this.layers), this.view.size_sprites(this.figure.sprites), this.rearrow()))
        : null,
      scene.reactions.length && has_motion ? this.toggle("Reactions", this.has_reactions, (on) => ((this.has_reactions = on), this.rearrow())) : null,
      scene.wheels.length ? layer("contacts", "Contacts") : null,
      has_motion ? this.toggle("Trails", this.has_trails, (on) => ((this.has_trails = on), this.retrail())) : null,
      this.toggle("Floor", this.has_floor, (on) => ((this.has_floor = on), this.refurnish())),
      el("button", { type: "button", onclick: () => save_picture(this.view, title) }, "Save picture"),
      has_motion ? video_button(this.view, this.shared, title) : null,
    ].filter((one) => one !== null);
  }

  private toggle(text: string, initial: boolean, act: (on: boolean) => void): HTMLElement {
    const button = el("button", {
      type: "button", class: "toggle", "aria-pressed": String(initial),
      onclick: () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        act(on);
        this.view.invalidate();
      },
    }, text);
    return button;
  }
}
