// Eigenvalues and vectors of a real square matrix [golub13 §7.4, §7.5].
//
//     D⁻¹ A D                 balanced: rows and columns alike in size, D of powers of two
//     Qᵀ(D⁻¹ A D) Q = H       Hessenberg form, by Householder's reflections
//     Uᴴ H U = T              upper triangular, by shifted QR steps of plane rotations in complex numbers
//
// The eigenvalues stand on the diagonal of T; D Q U carries T's eigenvectors back. Complex arithmetic takes more work than real steps with
// double shifts and needs a third of the lines; matrices of mechanisms in a page have tens of rows. Pairs are made exactly conjugate at the end.

import { add, conjugate, divide, size, square_root, subtract, times, type Complex } from "./complex";
import { at, identity, type Matrix } from "./matrix";

export interface Eigenpair {
  value: Complex;
  /** Largest entry 1. */
  vector: Complex[];
}

/** A complex matrix by its real and imaginary parts, n × n, row by row. */
interface Schur {
  n: number;
  re: Float64Array;
  im: Float64Array;
  /** Of what carries its vectors back. */
  basis_re: Float64Array;
  basis_im: Float64Array;
}

/** All of them, by |Im| and then Re; of a pair the upper one first. Empty where A has an entry that is no number or steps do not end. */
export function eigen(a: Matrix): Eigenpair[] {
  if (!a.entries.every(Number.isFinite)) return [];
  const { h, scale } = balance(a);
  const basis = hessenberg(h);
  const s: Schur = {
    n: a.rows,
    re: h.entries,
    im: new Float64Array(a.rows * a.rows),
    basis_re: basis.entries,
    basis_im: new Float64Array(a.rows * a.rows),
  };
  if (!triangularise(s)) return [];
  const pairs = Array.from({ length: s.n }, (_, k) => ({
    value: [s.re[k * s.n + k]!, s.im[k * s.n + k]!] as Complex,
    vector: carry_back(s, scale, triangular_vector(s, k)),
  }));
  return in_order(make_conjugate(pairs, size_of(a)));
}

function size_of(a: Matrix): number {
  let most = 0;
  for (let i = 0; i < a.rows; ++i) {
    let sum = 0;
    for (let j = 0; j < a.columns; ++j) sum += Math.abs(at(a, i, j));
    most = Math.max(most, sum);
  }
  return most;
}

function balance(a: Matrix): { h: Matrix; scale: Float64Array } {
  const n = a.rows;
  const h: Matrix = { rows: n, columns: n, entries: a.entries.slice() };
  const scale = new Float64Array(n).fill(1);
  for (let sweep = 0, is_done = false; sweep < 20 && !is_done; ++sweep) {
    is_done = true;
    for (let i = 0; i < n; ++i) {
      let row = 0;
      let column = 0;
      for (let j = 0; j < n; ++j) {
        if (j === i) continue;
        row += Math.abs(at(h, i, j));
        column += Math.abs(at(h, j, i));
      }
      if (row === 0 || column === 0) continue;
      const f = 2 ** Math.round(Math.log2(row / column) / 2);
      if (f === 1 || column * f + row / f > 0.95 * (column + row)) continue;
      is_done = false;
      scale[i]! *= f;
      for (let j = 0; j < n; ++j) {
        h.entries[i * n + j]! /= f;
        h.entries[j * n + i]! *= f;
      }
    }
  }
  return { h, scale };
}

/** Turns h into Hessenberg form, returns Q. */
function hessenberg(h: Matrix): Matrix {
  const n = h.rows;
  const q = identity(n);
  for (let k = 0; k + 2 < n; ++k) {
    const v = new Float64Array(n);
    for (let i = k + 1; i < n; ++i) v[i] = at(h, i, k);
    const length = Math.hypot(...v);
    if (length === 0 || v.every((x, i) => i <= k + 1 || x === 0)) continue;
    v[k + 1]! += v[k + 1]! >= 0 ? length : -length;
    const unit = Math.hypot(...v);
    for (let i = 0; i < n; ++i) v[i]! /= unit;
    for (let j = 0; j < n; ++j) {
      let along = 0;
      for (let i = k + 1; i < n; ++i) along += v[i]! * at(h, i, j);
      for (let i = k + 1; i < n; ++i) h.entries[i * n + j]! -= 2 * along * v[i]!;
    }
    for (const m of [h, q]) {
      for (let i = 0; i < n; ++i) {
        let along = 0;
        for (let j = k + 1; j < n; ++j) along += at(m, i, j) * v[j]!;
        for (let j = k + 1; j < n; ++j) m.entries[i * n + j]! -= 2 * along * v[j]!;
      }
    }
    for (let i = k + 2; i < n; ++i) h.entries[i * n + k] = 0;
  }
  return q;
}

const entry = (s: Schur, i: number, j: number): Complex => [s.re[i * s.n + j]!, s.im[i * s.n + j]!];

function triangularise(s: Schur): boolean {
  let last = s.n - 1;
  let steps = 0;
  while (last > 0) {
    let first = last;
    while (first > 0 && !is_small(s, first)) --first;
    if (first === last) {
      --last;
      steps = 0;
      continue;
    }
    if (++steps > 300) return false;
    qr_step(s, first, last, steps % 10 === 0 ? exceptional_shift(s, last) : shift(s, last));
  }
  return true;
}

/** Is the entry below the diagonal in row k what rounding left of zero? It is set to zero then. */
function is_small(s: Schur, k: number): boolean {
  const below = size(entry(s, k, k - 1));
  const around = size(entry(s, k, k)) + size(entry(s, k - 1, k - 1));
  if (below > Number.EPSILON * around && below > 1e-300) return false;
  s.re[k * s.n + k - 1] = 0;
  s.im[k * s.n + k - 1] = 0;
  return true;
}

/** Wilkinson's: the eigenvalue of the last two rows and columns that is nearer to the last entry. */
function shift(s: Schur, k: number): Complex {
  const [a, b, c, d] = [entry(s, k - 1, k - 1), entry(s, k - 1, k), entry(s, k, k - 1), entry(s, k, k)];
  const half: Complex = [(a[0] - d[0]) / 2, (a[1] - d[1]) / 2];
  const product = times(b, c);
  const root = square_root(add(times(half, half), product));
  const is_alike = half[0] * root[0] + half[1] * root[1] >= 0;
  const below = is_alike ? add(half, root) : subtract(half, root);
  return size(below) === 0 ? d : subtract(d, divide(product, below));
}

/** Where steps go round in a circle. */
function exceptional_shift(s: Schur, k: number): Complex {
  return add(entry(s, k, k), [size(entry(s, k, k - 1)), 0]);
}

/** H − σ = Q R, then R Q + σ, on rows and columns first … last; what stands beside them is turned along. */
function qr_step(s: Schur, first: number, last: number, sigma: Complex): void {
  for (let k = first; k <= last; ++k) move(s, k, sigma, -1);
  const turns: { c: number; s: Complex }[] = [];
  for (let k = first; k < last; ++k) {
    const turned = rotation(entry(s, k, k), entry(s, k + 1, k));
    turns.push(turned);
    turn_rows(s, k, turned);
  }
  turns.forEach((turned, i) => turn_columns(s, first + i, Math.min(first + i + 1, last), turned));
  for (let k = first; k <= last; ++k) move(s, k, sigma, 1);
}

function move(s: Schur, k: number, sigma: Complex, sign: number): void {
  s.re[k * s.n + k]! += sign * sigma[0];
  s.im[k * s.n + k]! += sign * sigma[1];
}

/** c real, s complex with [c s; −s̄ c] (x, y)ᵀ = (r, 0)ᵀ. */
function rotation(x: Complex, y: Complex): { c: number; s: Complex } {
  const [a, b] = [size(x), size(y)];
  if (b === 0) return { c: 1, s: [0, 0] };
  if (a === 0) return { c: 0, s: [y[0] / b, -y[1] / b] };
  const length = Math.hypot(a, b);
  const phase: Complex = [x[0] / a, x[1] / a];
  const s = times(phase, conjugate(y));
  return { c: a / length, s: [s[0] / length, s[1] / length] };
}

function turn_rows(m: Schur, k: number, { c, s }: { c: number; s: Complex }): void {
  const { n, re, im } = m;
  for (let j = k; j < n; ++j) {
    const [p, q] = [k * n + j, (k + 1) * n + j];
    const [xr, xi, yr, yi] = [re[p]!, im[p]!, re[q]!, im[q]!];
    re[p] = c * xr + s[0] * yr - s[1] * yi;
    im[p] = c * xi + s[0] * yi + s[1] * yr;
    re[q] = c * yr - s[0] * xr - s[1] * xi;
    im[q] = c * yi - s[0] * xi + s[1] * xr;
  }
}

/** Columns k and k + 1 times the rotation's conjugate transpose: of T down to row `last`, of the basis all. */
function turn_columns(m: Schur, k: number, last: number, turned: { c: number; s: Complex }): void {
  turn_pair(m.re, m.im, m.n, k, last + 1, turned);
  turn_pair(m.basis_re, m.basis_im, m.n, k, m.n, turned);
}

function turn_pair(re: Float64Array, im: Float64Array, n: number, k: number, rows: number, { c, s }: { c: number; s: Complex }): void {
  for (let i = 0; i < rows; ++i) {
    const [p, q] = [i * n + k, i * n + k + 1];
    const [xr, xi, yr, yi] = [re[p]!, im[p]!, re[q]!, im[q]!];
    re[p] = c * xr + s[0] * yr + s[1] * yi;
    im[p] = c * xi + s[0] * yi - s[1] * yr;
    re[q] = c * yr - s[0] * xr + s[1] * xi;
    im[q] = c * yi - s[0] * xi - s[1] * xr;
  }
}

/** The eigenvector of T for its k-th eigenvalue: 1 at k, upwards by substitution. */
function triangular_vector(s: Schur, k: number): Complex[] {
  const value = entry(s, k, k);
  const x: Complex[] = Array.from({ length: s.n }, () => [0, 0] as Complex);
  x[k] = [1, 0];
  const least = Math.max(Number.EPSILON * largest_entry(s), 1e-300);
  for (let i = k - 1; i >= 0; --i) {
    let sum: Complex = [0, 0];
    for (let j = i + 1; j <= k; ++j) sum = add(sum, times(entry(s, i, j), x[j]!));
    let below = subtract(value, entry(s, i, i));
    if (size(below) < least) below = [least, 0];
    x[i] = divide(sum, below);
    const length = size(x[i]!);
    if (length > 1e100) for (let j = i; j <= k; ++j) x[j] = [x[j]![0] / length, x[j]![1] / length];
  }
  return x;
}

function largest_entry(s: Schur): number {
  let most = 0;
  for (let i = 0; i < s.re.length; ++i) most = Math.max(most, Math.abs(s.re[i]!), Math.abs(s.im[i]!));
  return most;
}

function carry_back(s: Schur, scale: Float64Array, x: Complex[]): Complex[] {
  const { n } = s;
  const result = x.map((_, i) => {
    let sum: Complex = [0, 0];
    for (let j = 0; j < n; ++j) sum = add(sum, times([s.basis_re[i * n + j]!, s.basis_im[i * n + j]!], x[j]!));
    return [sum[0] * scale[i]!, sum[1] * scale[i]!] as Complex;
  });
  const most = result.reduce<Complex>((best, z) => (size(z) > size(best) * (1 + 1e-9) ? z : best), [0, 0]);
  return size(most) === 0 ? result : result.map((z) => divide(z, most));
}

/** Complex ones come in pairs: the lower of a pair is put to the upper one's conjugate; what has no partner is real. */
function make_conjugate(pairs: Eigenpair[], scale: number): Eigenpair[] {
  const left = [...pairs].sort((a, b) => b.value[1] - a.value[1]);
  const result: Eigenpair[] = [];
  while (left.length > 0) {
    const upper = left.shift()!;
    const partner = nearest(left, conjugate(upper.value));
    const is_real = partner < 0 || Math.abs(upper.value[1]) <= 8 * Number.EPSILON * scale || size(subtract(left[partner]!.value, conjugate(upper.value))) > Math.abs(upper.value[1]);
    if (is_real) {
      result.push({ value: [upper.value[0], 0], vector: real_part(upper.vector) });
      continue;
    }
    left.splice(partner, 1);
    result.push(upper, { value: conjugate(upper.value), vector: upper.vector.map(conjugate) });
  }
  return result;
}

function nearest(list: Eigenpair[], value: Complex): number {
  let best = -1;
  let least = Infinity;
  list.forEach((pair, k) => {
    const distance = size(subtract(pair.value, value));
    if (distance < least) [best, least] = [k, distance];
  });
  return best;
}

function real_part(vector: Complex[]): Complex[] {
  return vector.map((z) => [z[0], 0] as Complex);
}

function in_order(pairs: Eigenpair[]): Eigenpair[] {
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
  return pairs.sort((a, b) => {
    const [x, y] = [Math.abs(a.value[1]), Math.abs(b.value[1])];
    if (!near(x, y)) return x - y;
    if (!near(a.value[0], b.value[0])) return a.value[0] - b.value[0];
    return b.value[1] - a.value[1];
  });
}
