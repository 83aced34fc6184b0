import { describe, expect, it } from "vitest";
import { apply, from_rows, largest, multiply, norm, transpose } from "../../src/math/matrix";
import { least_squares, null_space, pseudo_inverse, range, shortest, solver } from "../../src/math/orthogonal";

const redundant = from_rows([[1, 2, 0, 1], [0, 1, 1, 0], [2, 5, 1, 2]]); // row 3 = 2 row 1 + row 2

describe("orthogonal factors", () => {
  it("see the rank and what is left free", () => {
    const s = solver(redundant);
    expect(s.rank).toBe(2);
    const basis = null_space(s);
    expect(basis.columns).toBe(2);
    expect(largest(multiply(redundant, basis).entries)).toBeLessThan(1e-14);
    const unit = multiply(transpose(basis), basis);
    expect(unit.entries[0]).toBeCloseTo(1, 14);
    expect(unit.entries[1]).toBeCloseTo(0, 14);
  });

  it("give the shortest solution of rows that agree", () => {
    const x = shortest(solver(redundant), [3, 1, 7]);
    expect(largest(apply(redundant, x).map((y, i) => y - [3, 1, 7][i]!))).toBeLessThan(1e-13);
    const along = apply(transpose(null_space(solver(redundant))), x);
    expect(norm(along)).toBeLessThan(1e-14);
  });

  it("keep a rank that is known", () => {
    const almost = from_rows([[1, 0], [1, 1e-7]]);
    expect(solver(almost).rank).toBe(2);
    expect(solver(almost, 1).rank).toBe(1);
  });

  it("fit a line by least squares", () => {
    const a = from_rows([[1, 0], [1, 1], [1, 2], [1, 3]]);
    const fit = least_squares(a, [1, 3, 4, 4]);
    expect(fit[0]).toBeCloseTo(1.5, 13);
    expect(fit[1]).toBeCloseTo(1, 13);
  });

  it("invert where there is an inverse, and span nothing of zeros", () => {
    const inverse = pseudo_inverse(from_rows([[2, 1], [1, 1]]));
    [1, -1, -1, 2].forEach((x, i) => expect(inverse.entries[i]).toBeCloseTo(x, 13));
    expect(range(from_rows([[0, 0], [0, 0]])).columns).toBe(0);
  });
});
