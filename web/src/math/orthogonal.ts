// Orthogonal factors of a matrix, with pivoted columns: A P = Q R by Householder's reflections [golub13 §5.4].
//
// Of Aᵀ they give what constrained motion asks for: with Aᵀ P = Q R and rank r,
//
//     shortest x with A x = b:    Rᵣᵀ y = (Pᵀ b)ᵣ,  x = Qᵣ y            no other solution is as short
//     all x with A x = 0:         the last columns of Q                  an orthonormal basis

import { at, identity, multiply, norm, transpose, zeros, type Matrix } from "./matrix";

/** A P = Q R; `order[k]` is the column of A that stands at k in R; |R_kk| falls. */
export interface Factors {
  q: Matrix;
  r: Matrix;
  order: number[];
}

/** Of the diagonal of R, what is smaller than this against the first entry is what rounding left of zero. */
export const rank_tolerance = 1e-9;

export function factor(a: Matrix): Factors {
  const { rows, columns } = a;
  const r: Matrix = { rows, columns, entries: a.entries.slice() };
  const q = identity(rows);
  const order = Array.from({ length: columns }, (_, j) => j);
  for (let k = 0; k < Math.min(rows, columns); ++k) {
    pivot(r, order, k);
    const v = reflector(r, k);
    if (!v) continue;
    reflect_rows(r, v, k);
    reflect_columns(q, v, k);
  }
  return { q, r, order };
}

/** Brings the longest remaining column to place k. */
function pivot(r: Matrix, order: number[], k: number): void {
  let best = k;
  let most = -1;
  for (let j = k; j < r.columns; ++j) {
    let size = 0;
    for (let i = k; i < r.rows; ++i) size += at(r, i, j) ** 2;
    if (size > most) [best, most] = [j, size];
  }
  if (best === k) return;
  for (let i = 0; i < r.rows; ++i) {
    const kept = at(r, i, k);
    r.entries[i * r.columns + k] = at(r, i, best);
    r.entries[i * r.columns + best] = kept;
  }
  [order[k], order[best]] = [order[best]!, order[k]!];
}

/** v with (1 − 2 v vᵀ) that clears column k below its diagonal; null where nothing is to be done. */
function reflector(r: Matrix, k: number): Float64Array | null {
  const v = new Float64Array(r.rows);
  for (let i = k; i < r.rows; ++i) v[i] = at(r, i, k);
  const length = norm(v);
  if (!(length > 0)) return null;
  v[k]! += v[k]! >= 0 ? length : -length;
  const size = norm(v);
  for (let i = k; i < r.rows; ++i) v[i]! /= size;
  return v;
}

function reflect_rows(r: Matrix, v: Float64Array, k: number): void {
  for (let j = 0; j < r.columns; ++j) {
    let along = 0;
    for (let i = k; i < r.rows; ++i) along += v[i]! * at(r, i, j);
    for (let i = k; i < r.rows; ++i) r.entries[i * r.columns + j]! -= 2 * along * v[i]!;
  }
}

function reflect_columns(q: Matrix, v: Float64Array, k: number): void {
  for (let i = 0; i < q.rows; ++i) {
    let along = 0;
    for (let j = k; j < q.columns; ++j) along += at(q, i, j) * v[j]!;
    for (let j = k; j < q.columns; ++j) q.entries[i * q.columns + j]! -= 2 * along * v[j]!;
  }
}

export function rank(factors: Factors, tolerance = rank_tolerance): number {
  const { r } = factors;
  const limit = tolerance * Math.abs(r.entries[0] ?? 0);
  let count = 0;
  while (count < Math.min(r.rows, r.columns) && Math.abs(at(r, count, count)) > limit) ++count;
  return count;
}

/** A factored for shortest solutions: factors of Aᵀ and the rank that is taken. */
export interface Solver {
  factors: Factors;
  rank: number;
}

/** `known`: the rank, where something else has decided it. */
export function solver(a: Matrix, known?: number): Solver {
  const factors = factor(transpose(a));
  return { factors, rank: Math.min(known ?? Infinity, rank(factors, known === undefined ? rank_tolerance : 1e-14)) };
}

/** The shortest x with A x = b. Rows beyond the rank are taken to follow from the others. */
export function shortest(s: Solver, b: ArrayLike<number>): Float64Array {
  const { q, r, order } = s.factors;
  const y = new Float64Array(s.rank);
  for (let i = 0; i < s.rank; ++i) {
    let sum = b[order[i]!]!;
    for (let k = 0; k < i; ++k) sum -= at(r, k, i) * y[k]!;
    y[i] = sum / at(r, i, i);
  }
  const x = new Float64Array(q.rows);
  for (let i = 0; i < q.rows; ++i) {
    for (let k = 0; k < s.rank; ++k) x[i]! += at(q, i, k) * y[k]!;
  }
  return x;
}

/** Columns: an orthonormal basis of all x with A x = 0. */
export function null_space(s: Solver): Matrix {
  const { q } = s.factors;
  const result = zeros(q.rows, q.rows - s.rank);
  for (let i = 0; i < q.rows; ++i) {
    for (let j = s.rank; j < q.rows; ++j) result.entries[i * result.columns + j - s.rank] = at(q, i, j);
  }
  return result;
}

/** Columns: an orthonormal basis of what the columns of A span. */
export function range(a: Matrix, tolerance = rank_tolerance): Matrix {
  const factors = factor(a);
  const count = rank(factors, tolerance);
  const result = zeros(a.rows, count);
  for (let i = 0; i < a.rows; ++i) {
    for (let j = 0; j < count; ++j) result.entries[i * count + j] = at(factors.q, i, j);
  }
  return result;
}

/** The x that meets A x = b best, and of these the shortest. */
export function least_squares(a: Matrix, b: ArrayLike<number>, tolerance = rank_tolerance): Float64Array {
  const basis = range(a, tolerance);
  const reduced = multiply(transpose(basis), a);
  const wanted = new Float64Array(basis.columns);
  for (let j = 0; j < basis.columns; ++j) {
    for (let i = 0; i < basis.rows; ++i) wanted[j]! += at(basis, i, j) * b[i]!;
  }
  return shortest(solver(reduced, basis.columns), wanted);
}

/** A⁺ with A⁺ A x = x for every x that A does not lose: one shortest solution per unit vector. */
export function pseudo_inverse(a: Matrix): Matrix {
  const result = zeros(a.columns, a.rows);
  for (let j = 0; j < a.rows; ++j) {
    const unit = new Float64Array(a.rows);
    unit[j] = 1;
    least_squares(a, unit).forEach((x, i) => (result.entries[i * a.rows + j] = x));
  }
  return result;
}
