// The model with one set of parameters: what an integrator, a closing of loops or a linear model asks of it.
//
//     q̇ = N(q, t) u + ν(q, t)        x = [q; u], auxiliary states behind the speeds in u
//     G(q, t) u̇ = γ                   of these rows some hold positions too, φ(q, t) = 0; the others (wheels that roll) only speeds

import { matrix, zeros, type Matrix } from "../math/matrix";
import { solver } from "../math/orthogonal";
import type { Model, Numbers } from "../model";

export interface System {
  model: Model;
  p: Float64Array;
  c: Float64Array;
  /** Rows of G whose φ is not zero by itself. */
  positions: number[];
  /** How many of these are independent; of all rows it is model.RANK. */
  positions_rank: number;
}

export interface State {
  t: number;
  q: Float64Array;
  u: Float64Array;
}

export const copy = (s: State): State => ({ t: s.t, q: s.q.slice(), u: s.u.slice() });
export const join = (s: State): Float64Array => Float64Array.from([...s.q, ...s.u]);
export const split = (system: System, t: number, x: Float64Array): State => ({
  t,
  q: x.slice(0, system.model.NQ),
  u: x.slice(system.model.NQ),
});

/** `near`: a place where ranks are looked at: loops closed there, or nearly. Throws what `setup` throws. */
export function make_system(model: Model, p: Numbers, near: State): System {
  const values = Float64Array.from(p);
  const system: System = { model, p: values, c: model.setup(values), positions: [], positions_rank: 0 };
  if (model.NM === 0) return system;
  system.positions = find_positions(system, near);
  const all = system.positions.length === model.NM;
  system.positions_rank = all ? model.RANK : solver(constraint_rows(system, near, system.positions)).rank;
  return system;
}

/** Rows that only speeds obey have φ = 0 everywhere: also at places that are no solutions. */
function find_positions(system: System, near: State): number[] {
  const seen = new Set<number>();
  for (const scale of [0.1, 0.37, 0.9]) {
    const q = near.q.map((x, i) => x + scale * Math.sin(1 + 7 * i + 3 * scale));
    residuals(system, { ...near, q }).phi.forEach((phi, i) => phi !== 0 && seen.add(i));
  }
  return [...seen].sort((a, b) => a - b);
}

export function inputs(system: System, t: number): Float64Array {
  const { model, c } = system;
  return model.input_values ? model.input_values(t, c) : Float64Array.from(model.INPUTS, (one) => one.value);
}

export function rhs(system: System, t: number, x: Numbers): Float64Array {
  return system.model.rhs(t, x, inputs(system, t), system.c);
}

/** q̇ of any speeds. */
export function rates(system: System, s: State): Float64Array {
  const { model, c } = system;
  return model.rates ? model.rates(s.t, s.q, s.u, c) : rhs(system, s.t, join(s)).subarray(0, model.NQ);
}

export function residuals(system: System, s: State): { phi: Float64Array; rate: Float64Array } {
  const none = new Float64Array(0);
  return system.model.residuals?.(s.t, s.q, s.u, system.c) ?? { phi: none, rate: none };
}

/** N: how speeds become rates of coordinates; columns of auxiliary states are zero. */
export function rate_matrix(system: System, s: State): Matrix {
  const { NQ, NU } = system.model;
  const n = zeros(NQ, NU);
  const still: State = { ...s, u: new Float64Array(NU) };
  const base = rates(system, still);
  for (let j = 0; j < NU; ++j) {
    still.u[j] = 1;
    rates(system, still).forEach((x, i) => (n.entries[i * NU + j] = x - base[i]!));
    still.u[j] = 0;
  }
  return n;
}

/** M and G at a state. */
export function matrices(system: System, s: State): { M: Matrix; G: Matrix } {
  const { model, c } = system;
  const found = model.dynamics?.(s.t, s.q, s.u, inputs(system, s.t), c);
  if (!found) throw new Error("the page has no equations for this");
  return { M: matrix(model.NU, model.NU, found.M), G: matrix(model.NM, model.NU, found.G ?? []) };
}

export function constraint_rows(system: System, s: State, rows: readonly number[]): Matrix {
  const { G } = matrices(system, s);
  const result = zeros(rows.length, G.columns);
  rows.forEach((i, k) => result.entries.set(G.entries.subarray(i * G.columns, (i + 1) * G.columns), k * G.columns));
  return result;
}

export function normalise(system: System, q: Float64Array): Float64Array {
  return system.model.normalise ? Float64Array.from(system.model.normalise(q)) : q;
}
