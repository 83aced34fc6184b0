// What steps of an integrator have in common: rates, tolerances, how an error is measured and the next step chosen.
//
// Two methods step ẋ = f(t, x): explicit.ts where steps are as long as accuracy allows, rosenbrock.ts where stability would hold them
// shorter (stiff equations). The error of a step, weighted by absolute + relative·|x|, is held at 1 or below in root mean square.

export type Rates = (t: number, x: Float64Array) => Float64Array;

export interface Tolerances {
  relative: number;
  absolute: number;
}

/** A step that was tried. */
export interface Step {
  t: number;
  h: number;
  from: Float64Array;
  to: Float64Array;
  /** Weighted: the step is good enough at 1 or less; not finite where the rates are not. */
  error: number;
  /** f at its end, where the method knows it. */
  last: Float64Array | null;
  /** An estimate of h |λ| for the largest eigenvalue λ of ∂f/∂x; 0 where the method does not ask. */
  stiffness: number;
  /** x within the step, at θ = (time − t)/h between 0 and 1. */
  inside(theta: number): Float64Array;
}

/** One method on one problem. */
export interface Method {
  /** The error of a step goes with h to this power. */
  readonly order: number;
  /** A step of length h from x, where the rates are `first`. */
  attempt(t: number, x: Float64Array, first: Float64Array, h: number): Step;
}

/** x + h Σ weights·k. */
export function combine(x: Float64Array, h: number, weights: readonly number[], k: readonly Float64Array[]): Float64Array {
  const result = x.slice();
  for (let s = 0; s < weights.length; ++s) {
    const weight = h * weights[s]!;
    if (weight === 0) continue;
    const rates = k[s]!;
    for (let i = 0; i < result.length; ++i) result[i]! += weight * rates[i]!;
  }
  return result;
}

/** Root mean square of y against absolute + relative·|x|, the larger of both ends of a step. */
export function weighted(y: Float64Array, from: Float64Array, to: Float64Array, tolerances: Tolerances): number {
  let sum = 0;
  for (let i = 0; i < y.length; ++i) {
    const size = Math.max(Math.abs(from[i]!), Math.abs(to[i]!));
    sum += (y[i]! / (tolerances.absolute + tolerances.relative * size)) ** 2;
  }
  return Math.sqrt(sum / Math.max(1, y.length));
}

/** The factor from this step to the next. */
export function step_factor(error: number, order: number): number {
  if (!Number.isFinite(error)) return 0.2;
  return Math.min(5, Math.max(0.2, 0.9 * Math.max(error, 1e-12) ** (-1 / order)));
}

/** A first step from the sizes of x, ẋ and ẍ [hairer93 §II.4]. */
export function first_step(f: Rates, t: number, x: Float64Array, first: Float64Array, tolerances: Tolerances, longest: number, order: number): number {
  const size = (y: Float64Array): number => weighted(y, x, x, tolerances);
  const [d0, d1] = [size(x), size(first)];
  const h0 = Math.min(longest, d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : (0.01 * d0) / d1);
  const next = f(t + h0, combine(x, h0, [1], [first]));
  const d2 = size(next.map((y, i) => y - first[i]!)) / h0;
  const most = Math.max(d1, d2);
  const h1 = most <= 1e-15 ? Math.max(1e-6, h0 * 1e-3) : (0.01 / most) ** (1 / order);
  const h = Math.min(100 * h0, h1, longest);
  return Number.isFinite(h) && h > 0 ? h : 1e-6 * longest;
}
