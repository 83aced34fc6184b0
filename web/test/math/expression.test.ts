import { expect, it } from "vitest";
import { evaluate } from "../../src/math/expression";

const lookup = (name: string): number | undefined => ({ v: 5, rR: 0.25, "drive.ratio": 3 })[name];
const value = (text: string): number | null => evaluate(text, lookup);

it("works out what model files write", () => {
  expect(value("-v/rR")).toBe(-20);
  expect(value("30*deg")).toBeCloseTo(Math.PI / 6, 15);
  expect(value("-2*v^2 + 2*(v - 1)")).toBe(-42);
  expect(value("2^-1")).toBe(0.5);
  expect(value("2^3^2")).toBe(512);
  expect(value("atan2(1, 1)*drive.ratio")).toBeCloseTo((3 * Math.PI) / 4, 14);
  expect(value("1.5e-3")).toBe(0.0015);
});

it("has no value for anything else", () => {
  for (const text of ["", "q", "1 +", "(1", "1/0", "alert(1)", "constructor", "toString()", "1; 2", "x => x"]) expect(value(text)).toBeNull();
});
