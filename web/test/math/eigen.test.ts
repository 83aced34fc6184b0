import { describe, expect, it } from "vitest";
import { add, size, subtract, times, type Complex } from "../../src/math/complex";
import { eigen } from "../../src/math/eigen";
import { at, from_rows, zeros, type Matrix } from "../../src/math/matrix";

const values = (a: Matrix): Complex[] => eigen(a).map((pair) => pair.value);

function residual(a: Matrix): number {
  let most = 0;
  for (const { value, vector } of eigen(a)) {
    for (let i = 0; i < a.rows; ++i) {
      let sum: Complex = [0, 0];
      for (let j = 0; j < a.columns; ++j) sum = add(sum, times([at(a, i, j), 0], vector[j]!));
      most = Math.max(most, size(subtract(sum, times(value, vector[i]!))));
    }
  }
  return most;
}

/** Seeded numbers between −1 and 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => ((state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 31 - 1);
}

describe("eigen", () => {
  it("finds the pair of an oscillator", () => {
    const found = values(from_rows([[0, 1], [-4, -0.4]]));
    expect(found).toHaveLength(2);
    expect(found[0]![0]).toBeCloseTo(-0.2, 13);
    expect(found[0]![1]).toBeCloseTo(Math.sqrt(4 - 0.04), 13);
    expect(found[1]).toEqual([found[0]![0], -found[0]![1]]);
  });

  it("finds the roots of a polynomial by its companion matrix", () => {
    // (x − 1)(x − 2)(x − 3)(x² + 1) = x⁵ − 6x⁴ + 12x³ − 12x² + 11x − 6
    const a = zeros(5, 5);
    a.entries.set([6, -12, 12, -11, 6]);
    for (let i = 1; i < 5; ++i) a.entries[i * 5 + i - 1] = 1;
    const found = values(a);
    const wanted: Complex[] = [[1, 0], [2, 0], [3, 0], [0, 1], [0, -1]];
    wanted.forEach((z, k) => expect(size(subtract(found[k]!, z))).toBeLessThan(1e-11));
  });

  it("has the frequencies of a chain of masses and springs in closed form", () => {
    const n = 12;
    const a = zeros(2 * n, 2 * n);
    for (let i = 0; i < n; ++i) {
      a.entries[i * 2 * n + n + i] = 1;
      a.entries[(n + i) * 2 * n + i] = -2;
      if (i > 0) a.entries[(n + i) * 2 * n + i - 1] = 1;
      if (i + 1 < n) a.entries[(n + i) * 2 * n + i + 1] = 1;
    }
    const found = values(a).filter((z) => z[1] > 0);
    found.forEach((z, k) => {
      expect(z[1]).toBeCloseTo(2 * Math.sin(((k + 1) * Math.PI) / (2 * (n + 1))), 12);
      expect(z[0]).toBeCloseTo(0, 12);
    });
    expect(found).toHaveLength(n);
  });

  it("carries vectors back through balancing: entries from 1e-6 to 1e6", () => {
    const a = from_rows([[1, 1e6, 0], [1e-6, 2, 1e5], [0, 1e-5, 3]]);
    expect(residual(a)).toBeLessThan(1e-8);
  });

  it("fulfils A x = λ x for seeded random matrices", () => {
    for (const n of [1, 2, 3, 7, 20]) {
      const next = numbers(n);
      const a = zeros(n, n);
      for (let i = 0; i < n * n; ++i) a.entries[i] = next();
      expect(eigen(a)).toHaveLength(n);
      expect(residual(a)).toBeLessThan(1e-11);
      const trace = values(a).reduce((sum, z) => sum + z[0], 0);
      let wanted = 0;
      for (let i = 0; i < n; ++i) wanted += at(a, i, i);
      expect(trace).toBeCloseTo(wanted, 11);
    }
  });

  it("takes a double zero, zeros alone, permutations and what is no number", () => {
    for (const z of values(from_rows([[0, 1], [0, 0]]))) expect(size(z)).toBeLessThan(1e-7);
    expect(values(zeros(3, 3))).toEqual([[0, 0], [0, 0], [0, 0]]);
    const circle = values(from_rows([[0, 0, 1], [1, 0, 0], [0, 1, 0]]));
    circle.forEach((z) => expect(size(z)).toBeCloseTo(1, 12));
    expect(eigen(from_rows([[NaN]]))).toEqual([]);
    expect(eigen(zeros(0, 0))).toEqual([]);
  });
});
