// e^A by a Taylor series of A/2ˢ, squared s times [higham08 §10.3].

import { identity, largest, multiply, zeros, type Matrix } from "./matrix";

export function exponential(a: Matrix): Matrix {
  const n = a.rows;
  const size = n * largest(a.entries);
  const squarings = size > 0.25 && Number.isFinite(size) ? Math.ceil(Math.log2(size / 0.25)) : 0;
  const scaled: Matrix = { ...zeros(n, n), entries: a.entries.map((x) => x / 2 ** squarings) };
  let result = identity(n);
  let term = identity(n);
  for (let k = 1; k <= 14; ++k) {
    term = multiply(term, scaled);
    for (let i = 0; i < n * n; ++i) result.entries[i]! += term.entries[i]! /= k;
  }
  for (let s = 0; s < squarings; ++s) result = multiply(result, result);
  return result;
}
