// Rows of a computed motion as a trajectory with the columns of a recorded one, so that plots can lay one over the other.
//
// What the model's code gives is filled in by name: coordinates, speeds, energies, momenta, residuals, inputs, outputs. A column that it
// does not give (the energy's balance, which the program integrates along) has no values.

import { largest } from "../math/matrix";
import type { Column } from "../report";
import type { Trajectory } from "../trajectory";
import type { Simulated } from "./simulate";
import { inputs, residuals, type State, type System } from "./system";

/** Columns for a model whose report has no motion. */
export function plain_columns(system: System): { columns: Column[]; q: number[]; u: number[] } {
  const { COORDINATES, SPEEDS, NQ } = system.model;
  const column = (name: string, unit: string, group: string): Column => ({ name, latex: "", unit, group });
  return {
    columns: [
      column("t", "s", "time"),
      ...COORDINATES.map((one) => column(one.name, one.unit, "coordinate")),
      ...SPEEDS.map((one) => column(one.name, one.unit, "speed")),
    ],
    q: COORDINATES.map((_, i) => 1 + i),
    u: SPEEDS.map((_, i) => 1 + NQ + i),
  };
}

type Values = Map<string, number>;

/** All that the code says about one row, by the names of columns. */
function values_of(system: System, s: State, wants: Set<string>): Values {
  const { model, c } = system;
  const found: Values = new Map([["t", s.t]]);
  model.COORDINATES.forEach((one, i) => found.set(one.name, s.q[i]!));
  model.SPEEDS.forEach((one, i) => found.set(one.name, s.u[i]!));
  const w = inputs(system, s.t);
  model.INPUTS.forEach((one, i) => found.set(one.name, w[i]!));
  if (wants.has("energy")) add_energies(system, s, found);
  if (wants.has("momentum")) add_momenta(system, s, found);
  if (wants.has("residual")) {
    const { phi, rate } = residuals(system, s);
    found.set("constraint.position", largest(phi)).set("constraint.velocity", largest(rate));
  }
  if ((wants.has("output") || wants.has("reaction")) && model.outputs) {
    const a = model.accelerations(s.t, s.q, s.u, w, c);
    const [udot, lambda] = "udot" in a ? [a.udot, a.lambda] : [a, new Float64Array(0)];
    const y = model.outputs(s.t, s.q, s.u, w, udot, lambda, c);
    model.OUTPUTS.forEach((one, i) => found.set(one.name, y[i]!));
  }
  return found;
}

function add_energies(system: System, s: State, found: Values): void {
  const e = system.model.energy?.(s.t, s.q, s.u, system.c);
  if (!e) return;
  found.set("energy.kinetic", e.T).set("energy.potential", e.V).set("energy.total", e.T + e.V);
}

function add_momenta(system: System, s: State, found: Values): void {
  const m = system.model.momentum?.(s.t, s.q, s.u, system.c);
  if (!m || m instanceof Float64Array) return;
  for (const kind of ["linear", "angular"]) {
    ["x", "y", "z"].forEach((axis, i) => {
      const value = m[kind]?.[i];
      if (value !== undefined) found.set(`momentum.${kind}.${axis}`, value);
    });
  }
}

/** Rows as they come, so that a motion can be shown while it is computed: each row is asked for its columns once. */
export interface Recorder {
  add(rows: readonly State[]): void;
  /** What there is so far. */
  trajectory(motion: Pick<Simulated, "steps" | "evaluations" | "ended">): Trajectory;
}

/** `pattern`: the recorded motion that it is compared with, or null. `most`: rows that may come. */
export function make_recorder(system: System, most: number, pattern: Trajectory | null, changed: { name: string; value: number }[]): Recorder {
  const { columns, q, u } = pattern ?? plain_columns(system);
  const wants = new Set(columns.map((one) => one.group as string));
  const values = columns.map(() => new Float64Array(most).fill(NaN));
  let count = 0;
  const add_row = (row: State): void => {
    const found = values_of(system, row, wants);
    columns.forEach((column, k) => {
      const value = found.get(column.name);
      if (value !== undefined) values[k]![count] = value;
    });
    q.forEach((k, i) => (values[k]![count] = row.q[i]!));
    u.forEach((k, i) => (values[k]![count] = row.u[i]!));
    values[0]![count++] = row.t;
  };
  const name = changed.map((one) => `${one.name} = ${Number(one.value.toPrecision(5))}`).join(", ");
  return {
    add: (rows) => rows.forEach(add_row),
    trajectory(motion) {
      const filled = values.map((column) => column.subarray(0, count));
      return {
        name, t: filled[0]!, columns, values: filled, q, u,
        events: [],
        statistics: [
          { name: "steps", value: motion.steps },
          { name: "evaluations", value: motion.evaluations },
        ],
        ended: motion.ended,
        command: "",
        parameters: changed,
        p: system.p,
      };
    },
  };
}

export function make_record(system: System, motion: Simulated, pattern: Trajectory | null, changed: { name: string; value: number }[]): Trajectory {
  const recorder = make_recorder(system, motion.rows.length, pattern, changed);
  recorder.add(motion.rows);
  return recorder.trajectory(motion);
}
