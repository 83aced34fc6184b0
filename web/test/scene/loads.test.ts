import { describe, expect, it } from "vitest";
import type { Model } from "../../src/model";
import { read_report, type Joint, type Scene, type Vec3 } from "../../src/report";
import { spiral, spiral_points, spring_shape, turn_of } from "../../src/scene/joint_springs";
import { largest_loads, loads_at, tip_of } from "../../src/scene/loads";
import { poses_at, type Pose } from "../../src/scene/pose";
import { distance, norm } from "../../src/scene/skeleton";
import type { Trajectory } from "../../src/trajectory";

const eye = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const joint: Joint = {
  name: "slide", type: "prismatic", parent: "ground", child: "cart", cut: false, parent_at: [0, 0, 0], child_at: [0, 0, 0],
  parent_axes: eye, child_axes: eye, axes: [[1, 0, 0]], coordinates: ["x"], springs: [0], loads: 1,
};

// a cart at x on a rail, turned a quarter about z, with a spring to the ground at (−1, 0, 0), a force along its own y, a torque
const scene: Scene = {
  ...read_report(JSON.stringify({ format: "linkwright-report" })).scene,
  gravity: [0, -10, 0],
  bodies: [
    { name: "ground", mass: 0, com: [0, 0, 0], points: [], hidden: false },
    { name: "cart", mass: 2, com: [0, 0, 0], points: [], hidden: false },
  ],
  joints: [joint],
  springs: [{ name: "tie", from: { body: "ground", at: [-1, 0, 0] }, to: { body: "cart", at: [0, 0, 0] }, rest: 1 }],
  forces: [{ name: "push", body: "cart", at: [0, 0.5, 0], in: "cart", from: null }],
  torques: [{ name: "twist", body: "cart", in: "ground" }],
  reactions: [{ name: "rail", joint: "slide" }],
  loads: Array.from({ length: 11 }, () => true),
};
const model = {
  NQ: 1, NU: 1,
  poses: (_t: number, q: ArrayLike<number>) => Float64Array.of(0, -1, 0, 1, 0, 0, 0, 0, 1, q[0]!, 0, 0, q[0]!, 0, 0),
  rates: (_t: number, _q: unknown, u: ArrayLike<number>) => Float64Array.from(u),
  loads: () => Float64Array.of(100, 5, 1, 7, 0, 3, 0, 0, 0, 4, -6), // k, c, rest, actuator; force; torque; joint
} as unknown as Model;
const now = { t: 0, q: [0.2], u: [0.4], w: [], c: [] };
const motion = {
  t: Float64Array.of(0, 1), values: [[0, 1], [1, 3], [2, 2], [0, 0]].map((one) => Float64Array.from(one)),
  columns: ["t", "rail.fx", "rail.fy", "rail.fz"].map((name) => ({ name, latex: "", unit: "", group: "reaction" })),
} as unknown as Trajectory;

describe("loads", () => {
  const poses = poses_at(model, scene, 0, now.q, []);
  const list = loads_at(scene, model, now, poses, motion);
  const named = (name: string) => list.filter((one) => one.name === name);
  const close = (v: Vec3, w: Vec3): void => v.forEach((x, i) => expect(x).toBeCloseTo(w[i]!, 6));

  it("are weights, springs at both ends, forces in their axes, torques, drives and reactions", () => {
    close(named("weight of cart")[0]!.vector, [0, -20, 0]);
    // −k (length − rest) − c length' + actuator = −100·0.2 − 5·0.4 + 7
    close(named("tie")[0]!.vector, [-15, 0, 0]);
    close(named("tie")[1]!.vector, [15, 0, 0]);
    close(named("tie")[1]!.at, [-1, 0, 0]);
    close(named("push")[0]!.vector, [-3, 0, 0]);
    close(named("push")[0]!.at, [-0.3, 0, 0]);
    close(named("twist")[0]!.vector, [0, 0, 4]);
    expect(named("twist")[0]!.is_torque).toBe(true);
    close(named("slide")[0]!.vector, [0, -6, 0]); // along the child's x
    close(named("rail")[0]!.vector, [1, 2, 0]);
  });

  it("have arrows on one scale, the largest as long as is asked for", () => {
    const most = largest_loads(list);
    expect(most).toEqual({ force: 20, torque: 4 });
    const weight = named("weight of cart")[0]!;
    expect(distance(tip_of(weight, most, 0.5), weight.at)).toBeCloseTo(0.5, 12);
    expect(distance(tip_of(named("twist")[0]!, most, 0.5), poses.bodies[1]!.com)).toBeCloseTo(0.5, 12);
  });

  it("leave out what the code does not know", () => {
    const unknown = loads_at({ ...scene, loads: scene.loads.map((_, i) => i < 4) }, model, now, poses, null);
    expect([...new Set(unknown.map((one) => one.name))]).toEqual(["weight of cart", "tie"]);
  });
});

describe("springs of joints", () => {
  const pin: Joint = { ...joint, type: "revolute", axes: [[0, 0, 1]] };
  const at = (angle: number): Pose => ({ R: [Math.cos(angle), -Math.sin(angle), 0, Math.sin(angle), Math.cos(angle), 0, 0, 0, 1], p: [0, 0, 0], com: [0, 0, 0] });

  it("wind with the joint, beyond a turn too", () => {
    expect(turn_of(pin, [0, 0, 1], at(0), at(0.4), 0)).toBeCloseTo(0.4, 12);
    expect(turn_of(pin, [0, 0, 1], at(0.1), at(6.5), 6.2)).toBeCloseTo(6.4, 12);
  });

  it("are spirals about pins and coils along slides", () => {
    expect(spring_shape(pin, 0)).toBe("spiral");
    expect(spring_shape(joint, 0)).toBe("coil");
    expect(spring_shape({ ...joint, type: "planar" }, 0)).toBeNull();
    const wire = spiral(pin, 0, at(0), at(0.3), 0.3, 0.1);
    expect(wire).toHaveLength(spiral_points);
    wire.forEach((point) => expect(point[2]).toBeCloseTo(0.31, 12));
    expect(norm([wire[0]![0], wire[0]![1], 0])).toBeLessThan(norm([wire[63]![0], wire[63]![1], 0]));
  });
});
