import { describe, expect, it } from "vitest";
import { encode } from "../../samples/page";
import { advance } from "../../src/clock";
import { format_number } from "../../src/element";
import { file_name } from "../../src/save";
import { coordinates_at, no_motion, read_trajectory, row_at, value_at } from "../../src/trajectory";
import type { Model } from "../../src/model";

const t = [0, 0.5, 1, 1.5];
const motion = {
  name: "sine", command: "", parameters: [{ name: "b", value: 5 }], rows: 4, type: "f64" as const, data: encode([t, t.map(Math.sin), t.map(Math.cos)]),
  columns: ["t", "q", "u"].map((name) => ({ name, latex: name, unit: "", group: "other" })), q: [1], u: [2], events: [], statistics: [], ended: "",
};
const model = { NQ: 1, rates: (_t: number, _q: unknown, u: ArrayLike<number>) => Float64Array.from(u) } as unknown as Model;

describe("trajectory", () => {
  const one = read_trajectory(motion, [{ name: "a", value: 1 }, { name: "b", value: 2 }]);
  it("is decoded, with its parameters", () => {
    expect([...one.t]).toEqual(t);
    expect([...one.p]).toEqual([1, 5]);
  });
  it("survives data that is cut off", () => {
    const short = read_trajectory({ ...motion, data: encode([[0, 1]]) }, []);
    expect(short.t.length).toBe(0);
    expect(value_at(short, 1, 0.3)).toBeNaN();
    expect(no_motion(null)).toBe("The report holds no motion.");
    expect(no_motion({ ...short, ended: "at t = 0 it is stuck" })).toBe("There is no motion: at t = 0 it is stuck.");
  });
  it("finds rows", () => {
    expect([-1, 0, 0.2, 0.5, 9].map((time) => row_at(one.t, time))).toEqual([0, 0, 0, 1, 3]);
  });
  it("is linear in its columns, cubic in its coordinates", () => {
    expect(value_at(one, 1, 0.25)).toBeCloseTo(Math.sin(0.5) / 2, 14);
    // Hermite's error: h⁴/384 |q''''|
    expect(Math.abs(coordinates_at(one, 0.75, model, [])[0]! - Math.sin(0.75))).toBeLessThan(0.5 ** 4 / 384);
    expect(coordinates_at(one, 1, model, [])[0]).toBe(Math.sin(1));
    expect(coordinates_at(one, 0.25, null, null)[0]).toBeCloseTo(Math.sin(0.5) / 2, 14);
  });
});

describe("clock", () => {
  it("loops, or stays at the end", () => {
    expect(advance(1, 0.5, 0, 2, true)).toEqual({ time: 1.5, ended: false });
    expect(advance(1.75, 0.5, 0, 2, true)).toEqual({ time: 0.25, ended: false });
    expect(advance(1.75, 0.5, 0, 2, false)).toEqual({ time: 2, ended: true });
    expect(advance(0, 1, 0, 0, true)).toEqual({ time: 0, ended: true });
  });
});

describe("words", () => {
  it("writes numbers for people", () => {
    expect([0, -1.5, 1e-7, 123456789, NaN, 0.1 + 0.2].map((x) => format_number(x))).toEqual(["0", "−1.5", "10⁻⁷", "1.235·10⁸", "–", "0.3"]);
    expect(file_name("Parts <b>of</b> it", "png")).toBe("parts-b-of-b-it.png");
    expect(file_name("…", "csv")).toBe("mechanism.csv");
  });
});
