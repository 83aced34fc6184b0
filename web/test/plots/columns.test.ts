import { describe, expect, it } from "vitest";
import { samples } from "../../samples/page";
import { find_columns, first_plans, resampled, to_csv } from "../../src/plots/columns";
import { first_pair } from "../../src/plots/phase_plane";
import { read_report } from "../../src/report";
import { read_trajectory } from "../../src/trajectory";

const report = read_report(JSON.stringify(samples["triple_pendulum"]!().report));
const one = read_trajectory(report.motions[0]!, report.parameters);

describe("columns", () => {
  it("begin with coordinates and energies", () => {
    expect(first_plans(one)).toEqual([
      { title: "Coordinates", columns: ["q1", "q2", "q3"] },
      { title: "Energies", columns: ["kinetic energy", "potential energy", "energy"] },
    ]);
    expect(first_plans({ ...one, columns: one.columns.slice(0, 1) })).toEqual([]);
    const still = { ...one, columns: one.columns.map((column, i) => (i === 1 ? { ...column, group: "residual" } : column)), values: one.values.map((column, i) => (i === 1 ? column.map(() => 0) : column)) };
    expect(first_plans(still).map((plan) => plan.title)).toEqual(["Coordinates", "Energies"]);
  });
  it("are found by words of name, group and unit", () => {
    expect(find_columns(one.columns, "ener kin").map((column) => column.name)).toEqual(["kinetic energy"]);
    expect(find_columns(one.columns, "rad/s")).toHaveLength(3);
    expect(find_columns(one.columns, "")).toHaveLength(one.columns.length);
  });
  it("are compared at the times of the other", () => {
    expect(resampled(one, "q1", Float64Array.from([-1, 0, 99]))).toEqual([null, one.values[1]![0], null]);
    expect(resampled(one, "no such", Float64Array.from([0]))).toEqual([null]);
  });
  it("leave as CSV", () => {
    const lines = to_csv({ ...one, columns: one.columns.map((column, i) => (i === 1 ? { ...column, name: 'a "b", c' } : column)) }).split("\n");
    expect(lines[0]!.startsWith('t,"a ""b"", c",q2')).toBe(true);
    expect(lines).toHaveLength(one.t.length + 2);
    expect(Number(lines[5]!.split(",")[2])).toBe(one.values[2]![4]);
  });
  it("pair a coordinate with its speed", () => expect(first_pair(one)).toEqual(["q1", "u1"]));
  it("pair a coordinate that moves with its own rate, beside a quaternion too", () => {
    const names = ["t", "fly.e0", "fly.x", "fly.z", "fly.wx", "fly.vx", "fly.vz"];
    const values = [[0, 1, 2], [1, 1, 1], [0, 1e-15, 2e-15], [0, -1, -3], [0, 0, 0], [1e-15, 0, 1e-15], [0, -1, -2]].map((list) => Float64Array.from(list));
    const flying = { ...one, columns: names.map((name) => ({ name, latex: name, unit: "", group: "" })), values, q: [1, 2, 3], u: [4, 5, 6].slice(0, 3) };
    expect(first_pair({ ...flying, q: [1, 2, 3, 3] })).toEqual(["fly.z", "fly.vz"]);
  });
});
