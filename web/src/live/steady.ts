// States that begin steady: where their rates vanish while the mechanism is where it is. Of a filter with a period these are the rates of the
// continuous one, and it holds what that puts out. Newton's method, with differences for the derivatives: rates are linear in most of these
// states, so that it ends after a step or two.

import { largest, zeros } from "../math/matrix";
import { least_squares } from "../math/orthogonal";
import { filters } from "./sampling";
import { join, rhs, split, type State, type System } from "./system";

/** The state with all of `live.steady` settled but those in `given` (places in u). */
export function settle(system: System, state: State, given: readonly number[]): State {
  const { model } = system;
  const nq = model.NQ;
  const wanted = (model.live?.steady ?? []).filter((place) => !given.includes(place));
  if (!wanted.length) return state;
  const sampling = model.live!.sampling;
  const unknown = [...wanted, ...sampling.map((one) => one.held)].map((place) => nq + place);
  const x = join(state);
  const rows = (): Float64Array => {
    const rates = rhs(system, state.t, x);
    const sampled = filters(system, state.t, x);
    const held = sampling.map((one, i) => {
      const { A, B, D, input } = sampled[i]!;
      const states = one.x.map((place) => x[nq + place]!);
      one.x.forEach((place, k) => (rates[nq + place] = B[k]! * input + states.reduce((sum, y, j) => sum + A.entries[k * A.columns + j]! * y, 0)));
      return (states[0] ?? 0) + D * input - x[nq + one.held]!;
    });
    return Float64Array.from([...wanted.map((place) => rates[nq + place]!), ...held]);
  };
  for (let k = 0; k < 10; ++k) {
    const rest = rows();
    const n = unknown.length;
    const j = zeros(n, n);
    unknown.forEach((place, column) => {
      const kept = x[place]!;
      const h = 1e-4 * Math.max(1, Math.abs(kept));
      x[place] = kept + h;
      const ahead = rows();
      x[place] = kept - h;
      const behind = rows();
      x[place] = kept;
      ahead.forEach((y, row) => (j.entries[row * n + column] = (y - behind[row]!) / (2 * h)));
    });
    // rows of unlike units
    for (let row = 0; row < n; ++row) {
      const size = largest(j.entries.subarray(row * n, row * n + n)) || 1;
      for (let column = 0; column < n; ++column) j.entries[row * n + column]! /= size;
      rest[row]! /= size;
    }
    const step = least_squares(j, rest);
    unknown.forEach((place, i) => (x[place]! -= step[i]!));
    if (largest(step) <= 1e-13 * Math.max(1, largest(unknown.map((place) => x[place]!)))) break;
  }
  return split(system, state.t, x);
}
