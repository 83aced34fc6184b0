// Gauss's elimination with rows exchanged: P A = L U, for several right-hand sides one after the other [golub13 §3.4].

import { at, type Matrix } from "./matrix";

export interface Eliminated {
  /** L below the diagonal, U on and above it. */
  lu: Matrix;
  /** Row i of P A is row order[i] of A. */
  order: number[];
}

/** Null where a pivot is zero or not a number. */
export function eliminate(a: Matrix): Eliminated | null {
  const n = a.rows;
  const lu: Matrix = { rows: n, columns: n, entries: a.entries.slice() };
  const e = lu.entries;
  const order = Array.from({ length: n }, (_, i) => i);
  for (let k = 0; k < n; ++k) {
    let best = k;
    for (let i = k + 1; i < n; ++i) if (Math.abs(e[i * n + k]!) > Math.abs(e[best * n + k]!)) best = i;
    if (!(Math.abs(e[best * n + k]!) > 0)) return null;
    if (best !== k) exchange(lu, order, k, best);
    for (let i = k + 1; i < n; ++i) {
      const factor = (e[i * n + k]! /= e[k * n + k]!);
      if (factor === 0) continue;
      for (let j = k + 1; j < n; ++j) e[i * n + j]! -= factor * e[k * n + j]!;
    }
  }
  return { lu, order };
}

function exchange(lu: Matrix, order: number[], i: number, k: number): void {
  const n = lu.columns;
  for (let j = 0; j < n; ++j) {
    const kept = at(lu, i, j);
    lu.entries[i * n + j] = at(lu, k, j);
    lu.entries[k * n + j] = kept;
  }
  [order[i], order[k]] = [order[k]!, order[i]!];
}

/** x with A x = b. */
export function solve({ lu, order }: Eliminated, b: ArrayLike<number>): Float64Array {
  const n = lu.rows;
  const e = lu.entries;
  const x = Float64Array.from(order, (i) => b[i]!);
  for (let i = 0; i < n; ++i) for (let j = 0; j < i; ++j) x[i]! -= e[i * n + j]! * x[j]!;
  for (let i = n - 1; i >= 0; --i) {
    for (let j = i + 1; j < n; ++j) x[i]! -= e[i * n + j]! * x[j]!;
    x[i]! /= e[i * n + i]!;
  }
  return x;
}
