// The view: camera, light, floor and the canvas they are drawn on.
//
// The model's upward direction becomes the picture's (three's y) by one turn of `root`; everything in `root` is in ground
// axes. Frames are drawn when something changed, not all the time.

import {
  BufferAttribute, BufferGeometry, Color, DirectionalLight, Group, HemisphereLight, LineBasicMaterial, LineSegments, Mesh, PCFShadowMap, PerspectiveCamera, PlaneGeometry,
  Quaternion, Raycaster, Scene as Space, ShadowMaterial, Spherical, Vector2, Vector3, WebGLRenderer, type Object3D, type Sprite,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Vec3 } from "../report";
import { eye_of, nothing_seen, with_points, type Extent } from "./framing";
import { size_sprite } from "./label";
import { vector } from "./solids";

const fov = 30;

export class View {
  readonly root = new Group();
  readonly camera = new PerspectiveCamera(fov, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly floor = new Group();
  grid_step = 1;
  private readonly renderer: WebGLRenderer;
  private readonly space = new Space();
  private readonly sun = new DirectionalLight(0xffffff, 2.1);
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8578, 1.5);
  private asked = 0;
  private reach = 1;
  private sight: { right: Vector3; above: Vector3; forward: Vector3; extent: Extent; margin: number } | null = null; // null: the reader has turned the picture

  // Throws where the browser has no WebGL.
  constructor(readonly canvas: HTMLCanvasElement, up: Vec3, private readonly before: () => void) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.root.quaternion.copy(new Quaternion().setFromUnitVectors(vector(up).normalize(), new Vector3(0, 1, 0)));
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0005;
    this.space.add(this.root, this.sun, this.sun.target, this.sky);
    this.root.add(this.floor);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => (this.sight = null));
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.invalidate());
  }

  invalidate(): void {
    if (!this.asked) this.asked = requestAnimationFrame(() => this.draw());
  }

  // Draws at once: pictures are taken right after.
  draw(): void {
    if (this.asked) cancelAnimationFrame(this.asked);
    this.asked = 0;
    this.before();
    this.renderer.render(this.space, this.camera);
  }

  resize(width: number, height: number): void {
    if (width < 2 || height < 2) return;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const size = this.renderer.getSize(new Vector2());
    if (size.x === width && size.y === height && this.renderer.getPixelRatio() === ratio) return; // setting it clears the picture
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  colour(paper: string, is_dark: boolean): void {
    this.space.background = new Color(paper);
    this.sky.intensity = is_dark ? 1.6 : 2.4;
    this.invalidate();
  }

  size_sprites(list: Sprite[]): void {
    for (const one of list) size_sprite(one, this.canvas.clientHeight || 1, fov);
  }

  // Light and floor for a mechanism of this reach about a centre (ground axes), the floor `height` along up.
  furnish(centre: Vec3, reach: number, floor: Vec3 | null, line: string, is_dark: boolean): void {
    this.reach = reach;
    const middle = this.root.localToWorld(vector(centre));
    this.sun.target.position.copy(middle);
    this.sun.position.copy(middle).add(new Vector3(0.5, 1.6, 0.9).multiplyScalar(2 * reach));
    const shadow = this.sun.shadow.camera;
    Object.assign(shadow, { left: -1.6 * reach, right: 1.6 * reach, top: 1.6 * reach, bottom: -1.6 * reach, near: 0.01 * reach, far: 8 * reach });
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * reach;
    this.camera.near = reach / 100;
    this.camera.far = reach * 60;
    this.camera.updateProjectionMatrix();
    this.lay_floor(floor, reach, line, is_dark);
    this.invalidate();
  }

  private lay_floor(at: Vec3 | null, reach: number, line: string, is_dark: boolean): void {
    for (const one of [...this.floor.children]) {
      one.removeFromParent();
      if (one instanceof Mesh || one instanceof LineSegments) one.geometry.dispose();
    }
    this.grid_step = nice_step(reach / 4);
    if (!at) return;
    const plane = new Mesh(new PlaneGeometry(12 * reach, 12 * reach), new ShadowMaterial({ opacity: is_dark ? 0.35 : 0.16 }));
    plane.rotation.x = -Math.PI / 2;
    plane.receiveShadow = true;
    plane.raycast = () => {};
    this.floor.add(plane, faded_grid(this.grid_step, 3.2 * reach, line));
    this.floor.position.copy(vector(at));
    this.floor.quaternion.copy(this.root.quaternion).invert(); // the floor lies across the picture's upward direction
  }

  // Looks along `direction` (ground axes, from the eye), so that all `points` are in the picture.
  look(direction: Vec3, points: Vec3[], margin: number): void {
    const forward = vector(direction).applyQuaternion(this.root.quaternion).normalize();
    if (Math.abs(forward.y) > 0.999) forward.set(0.02 * Math.sign(forward.x || 1) * 0, forward.y, -0.02).normalize();
    const right = new Vector3().crossVectors(forward, new Vector3(0, 1, 0)).normalize();
    const above = new Vector3().crossVectors(right, forward);
    this.sight = { right, above, forward, extent: nothing_seen(), margin };
    this.sight.extent = this.extended(points.length ? points : [[0, 0, 0]]);
    this.stand(this.sight.extent);
    this.controls.update();
    this.invalidate();
  }

  // Steps back from where `look` stood, as far as these points need; a picture that the reader has turned stays.
  hold(points: Vec3[]): void {
    if (this.sight) this.stand(this.extended(points));
  }

  get is_fitted(): boolean {
    return this.sight !== null;
  }

  private get slope(): number {
    return 0.95 * Math.tan((fov * Math.PI) / 360);
  }

  private extended(points: Vec3[]): Extent {
    const { right, above, forward, extent, margin } = this.sight!;
    const world = new Vector3();
    const seen = points.map((point): Vec3 => {
      this.root.localToWorld(world.set(...point));
      return [world.dot(right), world.dot(above), world.dot(forward)];
    });
    return with_points(extent, seen, this.slope, this.camera.aspect, margin);
  }

  private stand(extent: Extent): void {
    const { right, above, forward } = this.sight!;
    const [x, y, z] = eye_of(extent, this.slope, this.camera.aspect);
    const middle = (extent.depth[0] + extent.depth[1]) / 2;
    const at = (depth: number): Vector3 => right.clone().multiplyScalar(x).addScaledVector(above, y).addScaledVector(forward, depth);
    this.controls.target.copy(at(middle));
    this.camera.position.copy(at(Math.min(z, middle - 0.2 * this.reach)));
    this.camera.lookAt(this.controls.target);
  }

  // By keyboard: angles in radians, a factor of the distance.
  turn(azimuth: number, polar: number, nearer = 1): void {
    this.sight = null;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const s = new Spherical().setFromVector3(offset);
    s.theta += azimuth;
    s.phi = Math.min(Math.max(s.phi + polar, 0.02), Math.PI - 0.02);
    s.radius *= nearer;
    this.camera.position.copy(this.controls.target).add(new Vector3().setFromSpherical(s));
    this.controls.update();
    this.invalidate();
  }

  // The nearest object under a point of the canvas (pixels of the page).
  pick(x: number, y: number, among: Object3D): Object3D | null {
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight), this.camera);
    return caster.intersectObject(among, true).find((hit) => hit.object.visible)?.object ?? null;
  }

  // Where a point of the ground is on the canvas, in pixels of the page.
  project(point: Vec3): [number, number] {
    this.root.updateWorldMatrix(true, false);
    const seen = this.root.localToWorld(vector(point)).project(this.camera);
    return [((seen.x + 1) / 2) * this.canvas.clientWidth, ((1 - seen.y) / 2) * this.canvas.clientHeight];
  }
}

// 1, 2 or 5 times a power of ten, not above `about`.
export function nice_step(about: number): number {
  const power = 10 ** Math.floor(Math.log10(about > 0 ? about : 1));
  const lead = about / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

// Lines over the floor that fade outwards.
function faded_grid(step: number, reach: number, colour: string): LineSegments {
  const shade = new Color(colour);
  const positions: number[] = [];
  const colours: number[] = [];
  const put = (x: number, z: number): void => {
    const fade = Math.max(0, 1 - (Math.hypot(x, z) / reach) ** 2);
    positions.push(x, 0, z);
    colours.push(shade.r, shade.g, shade.b, fade * fade);
  };
  const lines = Math.min(Math.floor(reach / step), 60);
  const pieces = 24;
  for (let i = -lines; i <= lines; i++)
    for (let k = 0; k < pieces; k++) {
      const [a, b] = [reach * ((2 * k) / pieces - 1), reach * ((2 * (k + 1)) / pieces - 1)];
      put(i * step, a), put(i * step, b), put(a, i * step), put(b, i * step);
    }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 4));
  const grid = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
  grid.raycast = () => {};
  return grid;
}
