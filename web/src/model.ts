// The equations of the model as JavaScript, as the program wrote them into the page (`globalThis.linkwrightModel`).
//
// Vectors are Float64Array, matrices row-major Float64Array; `c = setup(p)` are the constants that all else takes.
// A function that the model does not need is absent. See "The code" in docs/formats/report.md.

import type { Live } from "./report";

export type Numbers = ArrayLike<number>;

export interface Quantity {
  name: string;
  unit: string;
  about: string;
  value: number;
}

export interface Dynamics {
  M: Float64Array;
  f: Float64Array;
  G?: Float64Array;
  gamma?: Float64Array;
}

export interface Model {
  name: string;
  NQ: number;
  NU: number;
  NW: number;
  NP: number;
  NC: number;
  NM: number;
  RANK: number;
  COORDINATES: Quantity[];
  SPEEDS: Quantity[];
  INPUTS: Quantity[];
  PARAMETERS: Quantity[];
  CONSTRAINTS: Quantity[];
  OUTPUTS: Quantity[];
  setup(p: Numbers): Float64Array;
  input_values?(t: number, c: Numbers): Float64Array;
  rates?(t: number, q: Numbers, u: Numbers, c: Numbers): Float64Array;
  dynamics?(t: number, q: Numbers, u: Numbers, w: Numbers, c: Numbers): Dynamics;
  accelerations(
    t: number, q: Numbers, u: Numbers, w: Numbers, c: Numbers,
  ): Float64Array | { udot: Float64Array; lambda: Float64Array };
  residuals?(t: number, q: Numbers, u: Numbers, c: Numbers): { phi: Float64Array; rate: Float64Array };
  energy?(t: number, q: Numbers, u: Numbers, c: Numbers): { T: number; V: number };
  momentum?(t: number, q: Numbers, u: Numbers, c: Numbers): Float64Array | Record<string, Float64Array>;
  outputs?(
    t: number, q: Numbers, u: Numbers, w: Numbers, udot: Numbers, lambda: Numbers, c: Numbers,
  ): Float64Array;
  poses(t: number, q: Numbers, c: Numbers): Float64Array;
  geometry?(c: Numbers): Float64Array;
  loads?(t: number, q: Numbers, u: Numbers, w: Numbers, c: Numbers): Float64Array;
  sampling?(t: number, q: Numbers, u: Numbers, w: Numbers, c: Numbers): Float64Array;
  rhs(t: number, x: Numbers, w: Numbers, c: Numbers): Float64Array;
  rhs_jacobian?(t: number, x: Numbers, w: Numbers, c: Numbers): { A: Float64Array; B: Float64Array };
  normalise?(q: Numbers): Float64Array;
  live?: Live; // of the report
}

// The model of this page, or null where the page has none (then nothing moves, and everything else is shown). Its `setup` takes the
// parameters that the report lists, in the report's order.
export function find_model(parameters: { name: string }[], live: Live): Model | null {
  const model = (globalThis as { linkwrightModel?: Model }).linkwrightModel;
  return model && typeof model.setup === "function" && typeof model.poses === "function" ? { ...in_order(model, parameters), live } : null;
}

// The code may have parameters that the report does not list, since nobody can change them (constants with a name, integrals of shape
// functions): these keep the values that the code states.
export function in_order(model: Model, parameters: { name: string }[]): Model {
  const own = model.PARAMETERS ?? [];
  if (!own.length || (own.length === parameters.length && own.every((one, i) => one.name === parameters[i]!.name))) return model;
  const index = new Map(parameters.map((one, i) => [one.name, i]));
  const places = own.map((one) => index.get(one.name));
  return { ...model, setup: (p) => model.setup(own.map((one, i) => (places[i] === undefined ? one.value : p[places[i]!]!))) };
}
