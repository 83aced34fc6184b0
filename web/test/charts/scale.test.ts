import { expect, it } from "vitest";
import { fine_ticks, fraction, scale_of, tick_digits, ticks, value_of, type Scale } from "../../src/charts/scale";

it("ticks are round and lie within the scale", () => {
  expect(ticks({ kind: "linear", min: -0.3, max: 1.1 }, 5)).toEqual([0, 0.5, 1]);
  expect(ticks({ kind: "linear", min: 0, max: 10 }, 5)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(ticks({ kind: "log", min: 0.05, max: 2000 }, 6)).toEqual([0.1, 1, 10, 100, 1000]);
  expect(ticks({ kind: "linear", min: 1, max: 1 }, 5)).toEqual([]);
});

it("scales go there and back", () => {
  for (const scale of [{ kind: "linear", min: -2, max: 3 }, { kind: "log", min: 0.1, max: 50 }] as Scale[]) {
    for (const f of [0, 0.3, 1]) expect(fraction(scale, value_of(scale, f))).toBeCloseTo(f, 12);
  }
});

it("scales take what there is: one number, none, some that are not finite", () => {
  const one = scale_of([5]);
  expect(one.min).toBeLessThan(5);
  expect(one.max).toBeGreaterThan(5);
  expect(scale_of([])).toEqual({ kind: "linear", min: -1, max: 1 });
  expect(scale_of([NaN, 1, 2], "linear", 0)).toEqual({ kind: "linear", min: 1, max: 2 });
  expect(scale_of([0, -1, 10, 1000], "log", 0)).toEqual({ kind: "log", min: 10, max: 1000 });
});

it("a constant with its rounding stands in the middle", () => {
  const { min, max } = scale_of([5, 5 + 1e-14, 5 - 2e-14]);
  expect(min).toBeCloseTo(4.5, 9);
  expect(max).toBeCloseTo(5.5, 9);
});

it("ticks that lie close have the digits that tell them apart", () => {
  expect(tick_digits([0, 0.5, 1])).toBe(5);
  expect(tick_digits([1.5763, 1.57630001])).toBe(11);
  expect(tick_digits([1])).toBe(5);
});

it("a logarithmic scale of many decades has only powers of ten at its ticks, where there is little room", () => {
  expect(ticks({ kind: "log", min: 0.005, max: 3000 }, 4)).toEqual([0.01, 1, 100]);
});

it("a logarithmic scale of few decades has ticks at 1, 2, 5 and fine lines between", () => {
  expect(ticks({ kind: "log", min: 0.3, max: 30 }, 6)).toEqual([0.5, 1, 2, 5, 10, 20]);
  expect(fine_ticks({ kind: "log", min: 0.75, max: 3.5 })).toEqual([0.8, 0.9, 2, 3]);
  expect(fine_ticks({ kind: "linear", min: 0, max: 1 })).toEqual([]);
});
