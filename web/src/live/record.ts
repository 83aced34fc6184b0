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

/** `pattern`: the recorded motion that it is compared with, or null. */
export function make_record(system: System, motion: Simulated, pattern: Trajectory | null, changed: { name: string; value: number }[]): Trajectory {
  const { columns, q, u } = pattern ?? plain_columns(system);
  const wants = new Set(columns.map((one) => one.group as string));
  const values = columns.map(() => new Float64Array(motion.rows.length).fill(NaN));
  motion.rows.forEach((row, r) => {
    const found = values_of(system, row, wants);
    columns.forEach((column, k) => {
      const value = found.get(column.name);
      if (value !== undefined) values[k]![r] = value;
    });
    q.forEach((k, i) => (values[k]![r] = row.q[i]!));
    u.forEach((k, i) => (values[k]![r] = row.u[i]!));
    values[0]![r] = row.t;
  });
  return {
    name: changed.map((one) => `${one.name} = ${Number(one.value.toPrecision(5))}`).join(", "),
    t: values[0]!, columns, values, q, u,
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
}
