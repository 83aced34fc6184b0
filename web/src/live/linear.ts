// Small motions about a state: poles and shapes of ẋ = A x among the motions that the constraints allow.
//
// A from the model's code is that of all coordinates and speeds. Of a closed chain it also moves loops open, which no motion does. The
// small motions that stay on φ = 0 and φ̇ = 0 are δx = T y with
//
//     T = [ N Z_φ            0 ]     G_φ Z_φ = 0 of the rows that hold positions,  G Z = 0 of all,
//         [ −G⁺ R N Z_φ      Z ]     R = ∂φ̇/∂q along the speeds (zero at rest)
//
// made orthonormal, and ẏ = Tᵀ A T y. Where T's space is kept by A, at an equilibrium and along a steady motion, this is exact.

import { conjugate, size, type Complex } from "../math/complex";
import { eigen } from "../math/eigen";
import { apply, at, identity, largest, matrix, multiply, put, transpose, zeros, type Matrix } from "../math/matrix";
import { null_space, range, shortest, solver, type Solver } from "../math/orthogonal";
import { constraint_rows, inputs, join, matrices, rate_matrix, residuals, type State, type System } from "./system";

export interface LiveMode {
  pole: Complex;
  /** |Im|/2π, in Hz. */
  frequency: number;
  /** −Re/|pole|; 0 of a pole at zero. */
  damping: number;
  /** Over q, then u; the largest entry of q is 1. */
  shape: Complex[];
}

/** ∂ẋ/∂x: the code's own, or differences where it has none. */
export function state_matrix(system: System, s: State): Matrix {
  const { model, c } = system;
  const n = model.NQ + model.NU;
  const x = join(s);
  const w = inputs(system, s.t);
  if (model.rhs_jacobian) return matrix(n, n, model.rhs_jacobian(s.t, x, w, c).A);
  const a = zeros(n, n);
  for (let j = 0; j < n; ++j) {
    const h = 1e-6 * Math.max(1, Math.abs(x[j]!));
    const ahead = model.rhs(s.t, x.map((y, i) => (i === j ? y + h : y)), w, c);
    const behind = model.rhs(s.t, x.map((y, i) => (i === j ? y - h : y)), w, c);
    ahead.forEach((y, i) => (a.entries[i * n + j] = (y - behind[i]!) / (2 * h)));
  }
  return a;
}

/** An orthonormal basis of the small motions that the constraints allow: columns over x. What sampled filters hold does not move by itself. */
export function tangent(system: System, s: State): Matrix {
  const held = (system.model.live?.sampling ?? []).map((one) => system.model.NQ + one.held);
  const all = allowed(system, s);
  if (!held.length) return all;
  for (const row of held) all.entries.fill(0, row * all.columns, (row + 1) * all.columns);
  return range(all, 1e-12);
}

function allowed(system: System, s: State): Matrix {
  const { NQ, NU, NM } = system.model;
  const n = rate_matrix(system, s);
  if (NM === 0) return blocks(NQ, NU, range(n), null, identity(NU));
  const all = solver(matrices(system, s).G, system.model.RANK);
  const held = solver(constraint_rows(system, s, system.positions), system.positions_rank);
  const directions = system.positions.length > 0 ? multiply(n, null_space(held)) : n;
  const positions = range(directions);
  return blocks(NQ, NU, positions, follow(system, s, positions, all), null_space(all));
}

/** How speeds must change with positions so that φ̇ stays zero; null at rest, where they need not. */
function follow(system: System, s: State, positions: Matrix, all: Solver): Matrix | null {
  if (largest(s.u) === 0) return null;
  const result = zeros(system.model.NU, positions.columns);
  const h = 1e-5;
  for (let j = 0; j < positions.columns; ++j) {
    const moved = (sign: number): Float64Array =>
      residuals(system, { ...s, q: s.q.map((x, i) => x + sign * h * at(positions, i, j)) }).rate;
    const behind = moved(-1);
    const change = moved(1).map((x, i) => -(x - behind[i]!) / (2 * h));
    shortest(all, change).forEach((x, i) => (result.entries[i * result.columns + j] = x));
  }
  return result;
}

function blocks(nq: number, nu: number, positions: Matrix, followed: Matrix | null, speeds: Matrix): Matrix {
  const t = zeros(nq + nu, positions.columns + speeds.columns);
  put(t, 0, 0, positions);
  if (followed) put(t, nq, 0, followed);
  put(t, nq, positions.columns, speeds);
  return followed ? range(t, 1e-12) : t;
}

/** Poles with their shapes: one for each real pole and each pair, by frequency; empty where they cannot be found. */
export function live_modes(system: System, s: State): LiveMode[] {
  const t = tangent(system, s);
  const reduced = multiply(multiply(transpose(t), state_matrix(system, s)), t);
  const pairs = eigen(reduced);
  const most = pairs.reduce((best, pair) => Math.max(best, size(pair.value)), 0);
  return pairs
    .map((pair) => ({ ...pair, value: clean(pair.value, most) }))
    .filter(({ value }) => value[1] >= 0)
    .map(({ value: pole, vector }) => ({
      pole,
      frequency: Math.abs(pole[1]) / (2 * Math.PI),
      damping: size(pole) > 0 ? -pole[0] / size(pole) || 0 : 0,
      shape: scaled(expand(t, vector), system.model.NQ),
    }));
}

/** Of a system without damping λ = −μ² stands for two poles: ± a rate, or a pair of zeros. One of the two is kept. */
export function one_for_each_lambda(modes: readonly LiveMode[]): LiveMode[] {
  let zeros = 0;
  return modes.filter(({ pole }) => (size(pole) === 0 ? zeros++ % 2 === 0 : pole[1] > 0 || pole[0] > 0));
}

/** What rounding left of zero is zero: a double zero comes out of rounding as its root. */
function clean(pole: Complex, most: number): Complex {
  if (size(pole) <= 1e-6 * most) return [0, 0];
  return Math.abs(pole[0]) <= 1e-9 * size(pole) ? [0, pole[1]] : pole;
}

function expand(t: Matrix, vector: readonly Complex[]): Complex[] {
  const re = apply(t, vector.map((z) => z[0]));
  const im = apply(t, vector.map((z) => z[1]));
  return Array.from(re, (x, i) => [x, im[i]!] as Complex);
}

function scaled(shape: Complex[], nq: number): Complex[] {
  const among = shape.slice(0, nq).some((z) => size(z) > 1e-12) ? shape.slice(0, nq) : shape;
  const largest_one = among.reduce<Complex>((best, z) => (size(z) > size(best) * (1 + 1e-9) ? z : best), [0, 0]);
  const below = size(largest_one) ** 2;
  if (below === 0) return shape;
  const turn = conjugate(largest_one);
  return shape.map(([x, y]) => [(x * turn[0] - y * turn[1]) / below, (x * turn[1] + y * turn[0]) / below] as Complex);
}
