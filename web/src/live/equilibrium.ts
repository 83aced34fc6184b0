// A state of rest near another one: Newton's method on ẋ = 0 among the motions that the constraints allow.
//
//     δx = T y,   Tᵀ A T y = −Tᵀ ẋ,   loops closed again behind each step
//
// Where a direction does not matter (a trolley on a level rail), it is not moved along: the shortest y is taken.

import { apply, is_finite, largest, multiply, norm, transpose } from "../math/matrix";
import { least_squares } from "../math/orthogonal";
import { project } from "./closing";
import { state_matrix, tangent } from "./linear";
import { join, rhs, split, type State, type System } from "./system";

export interface Rest {
  state: State;
  /** Largest entry of ẋ that is left. */
  residual: number;
  found: boolean;
}

/** `near`: where to begin; loops are closed there or nearly. */
export function find_rest(system: System, near: State): Rest {
  let s = project(system, near);
  let residual = largest(rhs(system, s.t, join(s)));
  for (let k = 0; k < 60 && residual > 1e-11; ++k) {
    const t = tangent(system, s);
    const back = transpose(t);
    const a = multiply(multiply(back, state_matrix(system, s)), t);
    const wanted = apply(back, rhs(system, s.t, join(s))).map((x) => -x);
    const d = apply(t, least_squares(a, wanted));
    const longest = Math.min(1, 0.5 / (norm(d.subarray(0, system.model.NQ)) || 1));
    const x = join(s).map((y, i) => y + longest * d[i]!);
    if (!is_finite(x)) break;
    const next = project(system, split(system, s.t, x));
    const left = largest(rhs(system, next.t, join(next)));
    if (!Number.isFinite(left) || (longest === 1 && norm(d) < 1e-14 * (1 + norm(x)))) break;
    if (left >= residual && residual < 1e-8) break; // rounding is all that is left
    [s, residual] = [next, left];
  }
  return { state: s, residual, found: residual <= 1e-7 };
}
