// Computers between sensors and motors, as the program runs them: at the multiples kT of its period each takes its input, puts out and holds
//
//     yₖ = C xₖ + D uₖ,      xₖ₊₁ = A xₖ + B uₖ
//
// where A, B, C, D follow from the continuous filter (Ac, Bc, Cc = (1, 0, …), Dc) in one of two ways [franklin98 §6]:
//
//     hold     A, B from e^(M T), M = [Ac Bc; 0 0]; C = Cc, D = Dc
//     tustin   P = (1 − Ac T/2)⁻¹:  A = P (1 + Ac T/2),  B = T P Bc,  C = Cc P,  D = Dc + Cc P Bc T/2
//
// Its states and what it holds stand among the states after the speeds, where they rest between samples.

import { eliminate, solve } from "../math/elimination";
import { exponential } from "../math/exponential";
import { apply, at, matrix, put, take_columns, take_rows, transpose, zeros, type Matrix } from "../math/matrix";
import type { Model, Numbers } from "../model";
import { inputs, type System } from "./system";

/** The continuous filter of the code's `sampling`, and its input at a state. */
export interface Filter {
  period: number;
  A: Matrix;
  B: Float64Array;
  D: number;
  input: number;
}

/** One for each of `live.sampling`; x is [q; u]. */
export const filters = (system: System, t: number, x: Float64Array): Filter[] => filters_of(system.model, t, x, inputs(system, t), system.c);

export function filters_of(model: Model, t: number, x: Float64Array, w: Numbers, c: Numbers): Filter[] {
  const list = model.live?.sampling ?? [];
  if (!list.length || !model.sampling) return [];
  const numbers = model.sampling(t, x.subarray(0, model.NQ), x.subarray(model.NQ), w, c);
  let next = 0;
  const take = (count: number): Float64Array => numbers.slice(next, (next += count));
  return list.map(({ x }) => {
    const n = x.length;
    const [period, D] = take(2) as unknown as [number, number];
    const B = take(n);
    const A = matrix(n, n, take(n * n));
    return { period, A, B, D, input: take(1)[0]! };
  });
}

interface Discrete {
  A: Matrix;
  B: Float64Array;
  C: Float64Array;
  D: number;
}

export function discretise({ A, B, D, period: T }: Filter, method: string): Discrete {
  const n = A.rows;
  if (n === 0) return { A, B, C: new Float64Array(0), D };
  if (method === "hold") {
    const m = zeros(n + 1, n + 1);
    put(m, 0, 0, { ...A, entries: A.entries.map((x) => T * x) });
    put(m, 0, n, { rows: n, columns: 1, entries: B.map((x) => T * x) });
    const all = Array.from({ length: n }, (_, i) => i);
    const e = take_rows(exponential(m), all);
    return { A: take_columns(e, all), B: Float64Array.from(all, (i) => at(e, i, n)), C: Float64Array.from(all, (i) => (i === 0 ? 1 : 0)), D };
  }
  const one = (i: number, j: number): number => (i === j ? 1 : 0);
  const half = (sign: number): Matrix => matrix(n, n, Array.from(A.entries, (x, k) => one(Math.floor(k / n), k % n) + (sign * T * x) / 2));
  const [slow, fast] = [half(-1), half(1)];
  const [factors, turned] = [eliminate(slow), eliminate(transpose(slow))];
  if (!factors || !turned) throw new Error(`a filter cannot be sampled with a period of ${T}`);
  const result = zeros(n, n);
  for (let j = 0; j < n; ++j) solve(factors, Array.from({ length: n }, (_, i) => at(fast, i, j))).forEach((x, i) => (result.entries[i * n + j] = x));
  const b = solve(factors, B);
  return { A: result, B: b.map((x) => T * x), C: solve(turned, Array.from({ length: n }, (_, i) => one(i, 0))), D: D + (T / 2) * b[0]! };
}

/** Times were printed and read, or are multiples of another period: so much of a period is no time. */
const short_time = 1e-9;

export interface Sampling {
  /** What is not longer than this is no time; zero where nothing samples. */
  slack: number;
  /** When the next one is due; infinite where nothing samples. */
  next(): number;
  /** All that are due at next() sample there; x is changed. */
  sample(x: Float64Array): void;
}

/** From a start on; what samples at that very time is due. */
export function make_sampling(system: System, t: number, x: Float64Array): Sampling {
  const nq = system.model.NQ;
  const computers = filters(system, t, x).map((filter, i) => {
    if (!(filter.period > 0)) throw new Error(`the period of a filter is ${filter.period}`);
    const { x: states, held, method } = system.model.live!.sampling[i]!;
    return { period: filter.period, count: Math.ceil(t / filter.period - short_time), x: states.map((k) => nq + k), held: nq + held, ...discretise(filter, method) };
  });
  type Computer = (typeof computers)[number];
  const due = (one: Computer): number => one.count * one.period;
  const next = (): number => computers.reduce((least, one) => Math.min(least, due(one)), Infinity);
  const sample = (x: Float64Array): void => {
    const now = next();
    const here = computers.filter((one) => due(one) - now <= short_time * one.period);
    const look = (): Map<Computer, number> => new Map(filters(system, now, x).map((one, i) => [computers[i]!, one.input]));
    const output = (one: Computer): number => one.x.reduce((sum, place, k) => sum + one.C[k]! * x[place]!, 0);
    // first what does not wait for its input; then the others, each after those it hears of
    for (const one of here) x[one.held] = output(one);
    for (let round = 0; round < here.length; ++round) {
      const heard = look();
      for (const one of here) if (one.D !== 0) x[one.held] = output(one) + one.D * heard.get(one)!;
    }
    const heard = look();
    for (const one of here) {
      const moved = apply(one.A, one.x.map((place) => x[place]!));
      one.x.forEach((place, k) => (x[place] = moved[k]! + one.B[k]! * heard.get(one)!));
      ++one.count;
    }
  };
  const slack = computers.length ? short_time * Math.min(...computers.map((one) => one.period)) : 0;
  return { slack, next, sample };
}
