// The recorded motion computed once more, in the page, from its own code: a check that a reader can make.

import type { Model } from "../model";
import type { Report } from "../report";
import type { Trajectory } from "../trajectory";
import { begin, recorded_start } from "./initial";
import { simulate, type Simulated } from "./simulate";
import { make_system } from "./system";

export interface Again {
  /** Largest difference of coordinates and speeds, against the largest value of each where that is above 1. */
  difference: number;
  /** Of what, and when. */
  name: string;
  t: number;
  ended: string;
}

export function* compute_again(model: Model, report: Report, recorded: Trajectory): Generator<number, Again> {
  const system = make_system(model, recorded.p, recorded_start(model, recorded));
  const times = Array.from(recorded.t).filter((t, i, all) => i === 0 || t > all[i - 1]!);
  const motion = yield* simulate(system, begin(system, report, recorded).state, times);
  return compare(motion, recorded);
}

export function compare(motion: Simulated, recorded: Trajectory): Again {
  const found: Again = { difference: 0, name: "", t: 0, ended: motion.ended };
  const columns = [...recorded.q.map((k, i) => ({ k, of: "q" as const, i })), ...recorded.u.map((k, i) => ({ k, of: "u" as const, i }))];
  for (const { k, of, i } of columns) {
    const values = recorded.values[k]!;
    const scale = values.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
    let r = 0;
    for (const row of motion.rows) {
      while (r + 1 < recorded.t.length && recorded.t[r]! < row.t) ++r;
      const difference = Math.abs(row[of][i]! - values[r]!) / scale;
      if (!(difference <= found.difference)) Object.assign(found, { difference, name: recorded.columns[k]!.name, t: row.t });
    }
  }
  return found;
}
