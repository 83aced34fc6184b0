import { describe, expect, it } from "vitest";
import { samples } from "../../samples/page";
import { layout, whole } from "../../src/graph/layout";
import { read_report, type Scene, type Vec3 } from "../../src/report";
import type { Model } from "../../src/model";
import { contact_point } from "../../src/scene/figure";
import { eye_of, has_left, held, nearest_eye, nothing_seen, still_frame, with_ground, with_points } from "../../src/scene/framing";
import { measured } from "../../src/scene/measure";
import { plane_normal, sight } from "../../src/scene/outlook";
import { in_ground, poses_at, read_poses } from "../../src/scene/pose";
import { bar_radius, distance, norm, skeleton } from "../../src/scene/skeleton";
import { tracked_points } from "../../src/scene/trails";
import { coil, coil_points } from "../../src/scene/tube";
import { fitting_speed, time_digits } from "../../src/scene/transport";
import { nice_step } from "../../src/scene/view";

type Made = { scene: Scene; model: Model; parameters: number[] };
const made = new Map<string, Made>();

function sample(name: string): Made {
  if (!made.has(name)) made.set(name, make(name));
  return made.get(name)!;
}

function make(name: string): Made {
  const { report, code } = samples[name]!();
  new Function(code)();
  const read = read_report(JSON.stringify(report));
  return { scene: read.scene, model: (globalThis as any).linkwrightModel, parameters: read.parameters.map((one) => one.value) };
}

describe("poses", () => {
  it("join the links of a chain", () => {
    const { scene, model, parameters } = sample("triple_pendulum");
    const poses = poses_at(model, scene, 0, [0.3, -0.2, 0.7], model.setup(parameters));
    for (const joint of scene.joints) {
      const [a, b] = [joint.parent, joint.child].map((name) => poses.bodies[scene.bodies.findIndex((body) => body.name === name)]!);
      expect(distance(in_ground(a!, joint.parent_at), in_ground(b!, joint.child_at))).toBeLessThan(1e-14);
    }
  });
  it("end with the points of beams", () => {
    const { scene, model } = sample("parts");
    const poses = read_poses(scene, model.poses(0, [0.5], []));
    expect(poses.beams[0]).toHaveLength(13);
    expect(poses.beams[0]![0]).toEqual([3.4, 0.3, 1]);
  });
});

describe("measures", () => {
  it("follow the parameters", () => {
    const { scene, model, parameters } = sample("triple_pendulum");
    const longer = measured(scene, model, model.setup(parameters.map((value, i) => (i === 1 ? 1.7 : value))));
    expect(longer.bodies[1]!.com).toEqual([0, -1.7, 0]);
    expect(longer.joints[1]!.parent_at).toEqual([0, -1.7, 0]);
    expect(scene.bodies[1]!.com).toEqual([0, -1, 0]);
  });
});

describe("skeleton", () => {
  const body = (points: Vec3[], com: Vec3 = [0, 0, 0]): Scene => ({
    ...sample("triple_pendulum").scene, size: 1, joints: [],
    bodies: [{ name: "ground", mass: 0, com: [0, 0, 0], points: [], hidden: false }, { name: "b", mass: 1, com, points: points.map((at) => ({ name: "p", at })), hidden: false }],
  });
  it("is a lump, a bar, a bar with a lump, a plate or a star", () => {
    expect(skeleton(body([]), "b")).toEqual({ bars: [], plate: [], lump: [0, 0, 0] });
    expect(skeleton(body([[0, 0, 0]], [0, -1, 0]), "b")).toEqual({ bars: [[[0, 0, 0], [0, -1, 0]]], plate: [], lump: [0, -1, 0] });
    expect(skeleton(body([[0, 0, 0], [1, 0, 0], [3, 0, 0], [2, 0, 0]]), "b").bars).toEqual([[[0, 0, 0], [3, 0, 0]]]);
    expect(skeleton(body([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0]]), "b").plate).toHaveLength(3);
    expect(skeleton(body([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), "b").bars).toHaveLength(4);
  });
  it("is slender and visible", () => {
    const { scene } = sample("chain60");
    expect(bar_radius(scene)).toBeGreaterThan(0.002 * scene.size);
    expect(bar_radius(scene)).toBeLessThan(0.25 / 4);
  });
});

describe("framing", () => {
  const slope = 0.3;
  const seen = ([x, y, z]: Vec3, [a, b, c]: Vec3, aspect: number): [number, number] => [(x - a) / (slope * aspect * (z - c)), (y - b) / (slope * (z - c))];
  it.each([0.5, 1, 2.4])("fills a picture of aspect %s from edge to edge, and leaves nothing out", (aspect) => {
    const points: Vec3[] = Array.from({ length: 40 }, (_, i) => [Math.sin(1.3 * i) + 2, 0.8 * Math.cos(2.1 * i), 3 * Math.sin(0.7 * i)]);
    const eye = nearest_eye(points, slope, aspect, 0);
    const all = points.map((point) => seen(point, eye, aspect));
    const widest = [0, 1].map((k) => [Math.min(...all.map((one) => one[k]!)), Math.max(...all.map((one) => one[k]!))] as const);
    for (const [low, high] of widest) expect([low >= -1 - 1e-12, high <= 1 + 1e-12]).toEqual([true, true]);
    const touches = widest.filter(([low, high]) => low < -1 + 1e-9 && high > 1 - 1e-9);
    expect(touches.length).toBeGreaterThan(0);
  });
  it("shows one point from a distance", () => expect(nearest_eye([[1, 2, 3]], slope, 1, 0.6)).toEqual([1, 2, expect.closeTo(1, 12)]));
  it("does not shrink what moves for what stands far off", () => {
    const moving: Vec3[] = [[0, 0, 0], [1, 2, 2]];
    const all = with_ground(moving, [[0.5, 1, 1], [1000, 0, -50]]);
    expect(all.slice(0, 3)).toEqual([...moving, [0.5, 1, 1]]);
    expect(all[3]).toEqual([expect.closeTo(1.3, 12), 0, expect.closeTo(-0.3, 12)]);
    expect(with_ground([], [[5, 0, 0]])).toEqual([[5, 0, 0]]);
  });
  it("holds a whole turn", () => {
    const start: Vec3[] = [[0, 0, 0], [1, -1, 0]];
    const swing = Array.from({ length: 32 }, (_, i): Vec3[] => [[0, 0, 0], [Math.SQRT2 * Math.cos(0.2 * i), -Math.SQRT2 * Math.sin(0.2 * i), 0]]);
    expect(still_frame(start, swing, 0.1)).toEqual([...start, ...swing.flat()]);
  });
  it("is made for the start and what is near it when a boom slides away", () => {
    const start: Vec3[] = [[0, 0, 0], [1, 0, 0]];
    const travel = Array.from({ length: 50 }, (_, i): Vec3[] => [[0, 0, 0], [1 + 0.1 * i, 0, 0]]);
    const right = (points: Vec3[]): number => Math.max(...points.map((point) => point[0]));
    expect(right(still_frame(start, travel, 0.1))).toBeCloseTo(1.2, 12);
    // the frame does not depend on how far it goes afterwards
    const farther = [...travel, ...travel.map((pose): Vec3[] => [pose[0]!, [1000 * pose[1]![0], 0, 0]])];
    expect(right(still_frame(start, farther, 0.1))).toBeCloseTo(1.2, 12);
    expect(right(still_frame([[0, 0, 0]], travel, 2))).toBeCloseTo(5.9, 12); // of a mere point the size of the model counts
  });
  it("knows when nothing is left in it", () => {
    const box = { low: [0, 0, 0], high: [1, 0, 0] } as { low: Vec3; high: Vec3 };
    expect(has_left([[3, 0, 0], [0.5, 0, 0]], box)).toBe(false);
    expect(has_left([[3, 0, 0], [4, 0, 0]], box)).toBe(true);
    expect(has_left([[1.5, 0, 0]], box)).toBe(false); // the eye steps back for it
    expect(has_left([], box)).toBe(false);
  });
  it("steps back for what is outside of it, continuously and not without end", () => {
    const frame: Vec3[] = [[-1, -1, 0], [1, 1, 0]];
    const box = { low: frame[0]!, high: frame[1]! };
    const base = with_points(nothing_seen(), frame, slope, 1, 0);
    const depth = (x: number): number => eye_of(with_points(base, held([[x, 0, 0]], box), slope, 1, 0), slope, 1)[2];
    expect([0, 0.5, 1].map(depth)).toEqual([0, 1, 2].map(() => eye_of(base, slope, 1)[2]));
    for (let x = 0.9; x < 4; x += 0.1) {
      expect(depth(x + 0.1)).toBeLessThanOrEqual(depth(x));
      expect(depth(x) - depth(x + 0.1)).toBeLessThan(0.1 / (2 * slope) + 1e-9);
    }
    expect(depth(2)).toBeLessThan(depth(1));
    expect(depth(1e6)).toBe(depth(100));
    const eye = eye_of(with_points(base, held([[2.5, 0, 0]], box), slope, 1, 0), slope, 1);
    for (const point of [...frame, [2.5, 0, 0] as Vec3]) for (const one of seen(point, eye, 1)) expect(Math.abs(one)).toBeLessThanOrEqual(1 + 1e-12);
  });
});

describe("drawing", () => {
  it("coils from end to end", () => {
    const points = coil([0, 0, 0], [0, 0, 2], 0.1);
    expect(points).toHaveLength(coil_points);
    expect(points[0]).toEqual([0, 0, 0]);
    expect(points[points.length - 1]).toEqual([0, 0, 2]);
    expect(coil([1, 1, 1], [1, 1, 1], 0.1).flat().every(Number.isFinite)).toBe(true);
  });
  it("touches the plane under a disk", () => {
    const { scene, model } = sample("parts");
    const i = scene.bodies.findIndex((one) => one.name === "wheel");
    const at = contact_point(scene.wheels[0]!, read_poses(scene, model.poses(0, [0.7], [])).bodies[i]!);
    expect(at[1]).toBeCloseTo(0, 12);
  });
  it("looks at a plane mechanism from its front", () => {
    const { scene, model, parameters } = sample("four_bar");
    const poses = poses_at(model, scene, 0, [0, 1, 1], model.setup(parameters));
    expect(plane_normal(scene, poses)).toEqual([0, 0, 1]);
    expect(sight("front", scene.up, [0, 0, -1]).map((x) => x + 0)).toEqual([0, 0, -1]);
    const [flat, upright] = [sight("default", [0, 0, 1], [0, 0, 1]), sight("default", [0, 0, 1], null)]; // a mechanism that lies flat is seen from well above
    expect(flat[2]).toBeLessThan(-0.7);
    expect(upright[2]).toBeGreaterThan(-0.5);
    for (const outlook of ["default", "front", "corner", "x"] as const) expect(norm(sight(outlook, [0, 0, 1], null))).toBeCloseTo(1, 12);
    expect(plane_normal(sample("parts").scene, read_poses(sample("parts").scene, sample("parts").model.poses(0, [0], [])))).toBeNull();
  });
  it("follows the ends of chains and named points", () => {
    expect(tracked_points(sample("triple_pendulum").scene).map((one) => one.body)).toEqual([3]);
    expect(tracked_points(sample("four_bar").scene)[0]).toEqual({ body: 2, at: [0.3, 0.2, 0] });
  });
  it("measures in round steps and plays at a fitting speed", () => {
    expect([0.7, 3, 99, 0].map(nice_step)).toEqual([0.5, 2, 50, 1]);
    expect([10, 0.02, 1000, 0].map(fitting_speed)).toEqual([1, 0.05, 50, 1]);
    expect([10, 0.02, 1000].map(time_digits)).toEqual([2, 4, 0]);
  });
});

describe("graph", () => {
  it("stands by depth, children beside one another", () => {
    const places = layout(sample("four_bar").scene);
    expect(places.map((place) => place.depth)).toEqual([0, 1, 2, 1]);
    expect(places[1]!.row).not.toBe(places[3]!.row);
  });
});

describe("the graph", () => {
  it("has beams whole, with what is hinged to their sections", () => {
    const body = (name: string, hidden = false) => ({ name, mass: 1, com: [0, 0, 0] as Vec3, points: [], hidden });
    const joint = (name: string, type: string, parent: string, child: string) => ({ name, type, parent, child, cut: false }) as unknown as Scene["joints"][number];
    const folded = whole({
      bodies: [body("ground"), body("beam"), body("beam.tip", true), body("arm")],
      joints: [joint("pin", "revolute", "ground", "beam"), joint("beam.tip", "section", "beam", "beam.tip"), joint("elbow", "revolute", "beam.tip", "arm")],
    } as unknown as Scene);
    expect(folded.bodies.map((one) => one.name)).toEqual(["ground", "beam", "arm"]);
    expect(folded.joints.map((one) => [one.name, one.parent, one.child])).toEqual([["pin", "ground", "beam"], ["elbow", "beam", "arm"]]);
    expect(layout(folded).map((one) => one.depth)).toEqual([0, 1, 2]);
  });
});
