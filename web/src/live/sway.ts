// A mechanism swaying in one of its modes: q(φ) = q₀ + a Re(shape e^{iφ}), loops closed behind it.
//
// Real shapes swing to and fro; those of complex modes turn: points of the mechanism run on ellipses. The amplitude a is for the eye: no
// point moves further than a part of the mechanism's size, no body turns by more than half a radian.

import { is_finite, largest } from "../math/matrix";
import type { Complex } from "../math/complex";
import type { Model } from "../model";
import type { Sway } from "../shared";
import { project } from "./closing";
import { make_system, residuals, type State, type System } from "./system";

const longest_way = 0.15;
const largest_turn = 0.5;

function moved(from: State, shape: readonly Complex[], a: number, phase: number): State {
  const [c, s] = [Math.cos(phase), Math.sin(phase)];
  const q = from.q.map((x, i) => x + a * ((shape[i]?.[0] ?? 0) * c - (shape[i]?.[1] ?? 0) * s));
  return { t: from.t, q, u: new Float64Array(from.u.length) };
}

/** How far the farthest point moves, and how far a body turns, for a unit amplitude. `bodies`: how many there are but the ground. */
function reach(system: System, from: State, shape: readonly Complex[], bodies: number): { way: number; turn: number } {
  const small = 1e-4;
  const { model, c } = system;
  const rest = model.poses(from.t, from.q, c);
  let [way, turn] = [0, 0];
  for (const phase of [0, Math.PI / 2]) {
    const pose = model.poses(from.t, moved(from, shape, small, phase).q, c);
    const change = (first: number, count: number): number => {
      let sum = 0;
      for (let i = first; i < first + count; ++i) sum += (pose[i]! - rest[i]!) ** 2;
      return Math.sqrt(sum) / small;
    };
    for (let b = 0; b < bodies; ++b) {
      turn = Math.max(turn, change(15 * b, 9) / Math.SQRT2);
      way = Math.max(way, change(15 * b + 9, 3), change(15 * b + 12, 3));
    }
    for (let k = 15 * bodies; k + 3 <= pose.length; k += 3) way = Math.max(way, change(k, 3));
  }
  return { way, turn };
}

export interface SwayOf {
  model: Model;
  name: string;
  shape: readonly Complex[];
  /** Where the small motion is about, and with which parameters. */
  state: State;
  p: ArrayLike<number>;
  bodies: number;
  /** Of the mechanism, a length. */
  size: number;
}

/** Throws what the model's code throws. */
export function make_sway({ model, name, shape, state, p, bodies, size }: SwayOf): Sway {
  const system = make_system(model, p, state);
  const { way, turn } = reach(system, state, shape, bodies);
  const a = Math.min(way > 0 ? (longest_way * size) / way : Infinity, turn > 0 ? largest_turn / turn : Infinity);
  const amplitude = Number.isFinite(a) ? a : 0;
  return {
    name,
    p: system.p,
    q(phase) {
      const open = moved(state, shape, amplitude, phase);
      if (model.NM === 0) return model.normalise?.(open.q) ?? open.q;
      const closed = project(system, open);
      const is_closed = is_finite(closed.q) && largest(residuals(system, closed).phi) <= largest(residuals(system, open).phi);
      return is_closed ? closed.q : open.q;
    },
  };
}
