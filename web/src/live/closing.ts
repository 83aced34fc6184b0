// Loops that stay closed, and loops that are closed anew.
//
// After a step of an integrator positions and speeds are a little off φ = 0 and φ̇ = 0. `project` takes them back along the shortest way in
// the metric of the mass matrix, as the program does:
//
//     G du = −φ,  q := q + N du,  repeated;      G du = −φ̇,  u := u + du
//
// When a length has changed, `assemble` looks for the coordinates nearest to a guess that close all loops, those held exactly kept:
//
//     least |q − q₀|²  with  φ(q) = 0:     q := q₀ − J⁺(φ + J (q₀ − q)),  J = ∂φ/∂q,  repeated until q stays
//
// and then for the speeds nearest to what was asked for that fit.

import { apply, at, is_finite, largest, multiply, norm, take_columns, zeros, type Matrix } from "../math/matrix";
import { pseudo_inverse, shortest, solver } from "../math/orthogonal";
import { constraint_rows, copy, matrices, normalise, rate_matrix, residuals, type State, type System } from "./system";

const negative = (x: ArrayLike<number>): Float64Array => Float64Array.from(x, (y) => -y);

/** Lower L with L Lᵀ = M; null where M is not positive. */
function cholesky(m: Matrix): Matrix | null {
  const n = m.rows;
  const l = zeros(n, n);
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j <= i; ++j) {
      let sum = at(m, i, j);
      for (let k = 0; k < j; ++k) sum -= at(l, i, k) * at(l, j, k);
      if (i === j && !(sum > 1e-12 * Math.abs(at(m, i, i)))) return null;
      l.entries[i * n + j] = i === j ? Math.sqrt(sum) : sum / at(l, j, j);
    }
  }
  return l;
}

/** The step du with G du = b that is shortest in the metric L Lᵀ: H = G L⁻ᵀ, H y = b, du = L⁻ᵀ y. */
function step(g: Matrix, l: Matrix | null, rank: number, b: Float64Array): Float64Array {
  if (!l) return shortest(solver(g, rank), b);
  const n = l.rows;
  const h = zeros(g.rows, n);
  for (let r = 0; r < g.rows; ++r) {
    for (let i = 0; i < n; ++i) {
      let sum = at(g, r, i);
      for (let k = 0; k < i; ++k) sum -= at(l, i, k) * at(h, r, k);
      h.entries[r * n + i] = sum / at(l, i, i);
    }
  }
  const y = shortest(solver(h, rank), b);
  for (let i = n - 1; i >= 0; --i) {
    for (let k = i + 1; k < n; ++k) y[i]! -= at(l, k, i) * y[k]!;
    y[i]! /= at(l, i, i);
  }
  return y;
}

/** Residuals of the rows that hold positions. */
function open(system: System, s: State): Float64Array {
  const { phi } = residuals(system, s);
  return Float64Array.from(system.positions, (i) => phi[i]!);
}

/** The state nearest to this one that fulfils all constraints. The state given is not changed. */
export function project(system: System, from: State): State {
  const s = copy(from);
  s.q = normalise(system, s.q);
  if (system.model.NM === 0) return s;
  const enough = 1e-13 * (1 + largest(s.q));
  let last = Infinity;
  for (let k = 0; k < 6 && system.positions.length > 0; ++k) {
    const phi = open(system, s);
    const size = largest(phi);
    if (size <= enough || !(size < 0.5 * last)) break;
    last = size;
    const { M, G } = matrices(system, s);
    const rows = subset(G, system.positions);
    const du = step(rows, cholesky(M), system.positions_rank, negative(phi));
    apply(rate_matrix(system, s), du).forEach((x, i) => (s.q[i]! += x));
    s.q = normalise(system, s.q);
  }
  const { rate } = residuals(system, s);
  if (largest(rate) > 1e-14 * (1 + largest(s.u))) {
    const { M, G } = matrices(system, s);
    step(G, cholesky(M), system.model.RANK, negative(rate)).forEach((x, i) => (s.u[i]! += x));
  }
  return s;
}

function subset(g: Matrix, rows: readonly number[]): Matrix {
  const result = zeros(rows.length, g.columns);
  rows.forEach((i, k) => result.entries.set(g.entries.subarray(i * g.columns, (i + 1) * g.columns), k * g.columns));
  return result;
}

/** What a motion should begin with: these values, of which some are held. */
export interface Wanted {
  state: State;
  held_q: number[];
  held_u: number[];
}

export interface Assembled {
  state: State;
  /** Largest residual of positions that is left. */
  residual: number;
  ok: boolean;
}

const all_but = (n: number, held: readonly number[]): number[] =>
  Array.from({ length: n }, (_, i) => i).filter((i) => !held.includes(i));

/** ∂φ/∂q along the directions that speeds can reach. */
function position_jacobian(system: System, s: State): Matrix {
  return multiply(constraint_rows(system, s, system.positions), pseudo_inverse(rate_matrix(system, s)));
}

/** Closes loops from `from` on with as much of a step as helps: damped Gauss–Newton. */
function close(system: System, from: State, free: readonly number[]): State {
  let s = copy(from);
  let phi = open(system, s);
  for (let k = 0; k < 100 && norm(phi) > 1e-14 * (1 + largest(s.q)); ++k) {
    const j = take_columns(position_jacobian(system, s), free);
    const d = shortest(solver(j), negative(phi));
    let factor = Math.min(1, 0.7 / (norm(d) || 1));
    let next = s;
    let left = phi;
    for (; factor > 1e-4; factor /= 2) {
      next = copy(s);
      free.forEach((i, n) => (next.q[i]! += factor * d[n]!));
      next.q = normalise(system, next.q);
      left = open(system, next);
      if (norm(left) < norm(phi)) break;
    }
    if (!(norm(left) < norm(phi))) break;
    [s, phi] = [next, left];
  }
  return s;
}

/** From a closed state to the nearest to `wanted`. Where that leads nowhere the closed one is kept. */
function nearest(system: System, wanted: State, closed: State, free: readonly number[]): State {
  let s = closed;
  for (let k = 0; k < 200; ++k) {
    const phi = open(system, s);
    const j = take_columns(position_jacobian(system, s), free);
    const back = Float64Array.from(free, (i) => wanted.q[i]! - s.q[i]!);
    const b = apply(j, back).map((x, i) => -x - phi[i]!);
    const d = shortest(solver(j), b).map((x, n) => x + back[n]!);
    if (!is_finite(d) || norm(d) > 1) return closed;
    const next = copy(s);
    free.forEach((i, n) => (next.q[i]! += d[n]!));
    next.q = normalise(system, next.q);
    s = next;
    if (norm(d) < 1e-13 * (1 + norm(s.q))) return s;
  }
  return largest(open(system, s)) <= 1e-10 ? s : closed;
}

function fit_speeds(system: System, s: State, free: readonly number[]): void {
  const { rate } = residuals(system, s);
  if (!(largest(rate) > 0)) return;
  const g = take_columns(matrices(system, s).G, free);
  shortest(solver(g), negative(rate)).forEach((x, n) => (s.u[free[n]!]! += x));
}

/** A consistent state from what is wanted: loops closed, held values kept, speeds that fit. `from`: a closed state on the branch that is meant. */
export function assemble(system: System, wanted: Wanted, from: State = wanted.state): Assembled {
  const { NQ, NU, NM } = system.model;
  const first = copy(wanted.state);
  first.q = normalise(system, first.q);
  if (NM === 0) return { state: first, residual: 0, ok: is_finite(first.q) };
  const free = all_but(NQ, wanted.held_q);
  const near = copy(from);
  wanted.held_q.forEach((i) => (near.q[i] = first.q[i]!));
  let s = system.positions.length > 0 ? close(system, near, free) : first;
  const is_closed = (): boolean => largest(open(system, s)) <= 1e-9 * (1 + largest(s.q));
  if (system.positions.length > 0 && is_closed()) s = nearest(system, first, s, free);
  s.u = first.u.slice();
  fit_speeds(system, s, all_but(NU, wanted.held_u));
  const residual = largest(open(system, s));
  return { state: s, residual, ok: is_closed() && largest(residuals(system, s).rate) <= 1e-8 * (1 + largest(s.u)) };
}
