// Where a motion begins when parameters have changed.
//
// The program begins at the values that the model file gives under [initial], held exactly, near those under [guess], and near zero
// otherwise; values may be made of parameters ("rear_spin'" = "-v/rR"). A report carries the file, so that the page can do the same: it
// takes the two tables, works out their values with the new parameters, and closes the loops. Whether that is what the program did is
// seen with the file's own parameters: where the recorded motion does not begin there (other values were given on the command line, an
// entry is of a kind that the page does not know), the recorded beginning is kept, with what [initial] names held.

import { evaluate } from "../math/expression";
import type { Model } from "../model";
import type { Report } from "../report";
import { initial_parameters } from "../shared";
import type { Trajectory } from "../trajectory";
import { assemble, type Assembled, type Wanted } from "./closing";
import { settle } from "./steady";
import { join, make_system, type State, type System } from "./system";

/** Keys and values of the tables of a TOML text whose values are numbers, strings or tables in one line; other lines are passed over. */
export function read_tables(text: string, names: readonly string[]): Map<string, Map<string, string>> {
  const tables = new Map(names.map((name) => [name, new Map<string, string>()]));
  let current: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const head = /^\s*(\[\[?)\s*([^\]]*?)\s*\]/.exec(line);
    if (head) {
      current = head[1] === "[" ? tables.get(head[2]!) : undefined;
      continue;
    }
    const entry = /^\s*(?:"([^"]*)"|'([^']*)'|([\w-]+(?:\s*\.\s*[\w-]+)*))\s*=\s*(.*)$/.exec(line);
    const value = entry && value_text(entry[4]!);
    if (current && entry && value) current.set((entry[1] ?? entry[2] ?? entry[3]!).replace(/\s/g, ""), value);
  }
  return tables;
}

/** The expression of "…", '…', a number, or { value = … }. */
function value_text(text: string): string | null {
  const quoted = /^"([^"\\]*)"|^'([^']*)'/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2]!;
  const number = /^[+-]?[\d_]+(?:\.[\d_]+)?(?:[eE][+-]?\d+)?/.exec(text);
  if (number) return number[0].replace(/_/g, "");
  const inside = /^\{.*?\bvalue\s*=\s*(.*)$/.exec(text);
  return inside ? value_text(inside[1]!) : null;
}

interface Beginning {
  initial: Map<string, string>;
  guess: Map<string, string>;
  parameters: Map<string, string>;
}

function beginning_of(report: Report): Beginning {
  const tables = read_tables(report.model.text, ["initial", "guess", "parameters"]);
  return { initial: tables.get("initial")!, guess: tables.get("guess")!, parameters: tables.get("parameters")! };
}

/** A parameter's value: one of p, or made of others. */
function lookup_in(report: Report, b: Beginning, p: ArrayLike<number>, depth = 0): (name: string) => number | undefined {
  const places = new Map(report.parameters.map((one, i) => [one.name, i]));
  return (name) => {
    const place = places.get(name);
    if (place !== undefined) return p[place];
    const text = b.parameters.get(name);
    return text === undefined || depth > 20 ? undefined : (evaluate(text, lookup_in(report, b, p, depth + 1)) ?? undefined);
  };
}

/** Coordinates of beams that the file does not mention stay what they are when loops are closed. */
function is_elastic(name: string, report: Report): boolean {
  return report.scene.beams.some((beam) => name.startsWith(`${beam.body}.`));
}

/** What the file asks for with these parameters; null where it asks for something that the page cannot work out. */
function wanted_by_file(model: Model, report: Report, b: Beginning, p: ArrayLike<number>, t: number): Wanted | null {
  const lookup = lookup_in(report, b, p);
  const can_bend = b.initial.get("assemble") === "elastic";
  const state: State = { t, q: new Float64Array(model.NQ), u: new Float64Array(model.NU) };
  const wanted: Wanted = { state, held_q: [], held_u: [] };
  const left = new Set([...b.initial.keys(), ...b.guess.keys()].filter((name) => name !== "assemble"));
  const fill = (list: readonly { name: string }[], values: Float64Array, held: number[]): boolean =>
    list.every(({ name }, i) => {
      left.delete(name);
      const text = b.initial.get(name) ?? b.guess.get(name);
      if (b.initial.has(name) || (text === undefined && !can_bend && is_elastic(name, report))) held.push(i);
      values[i] = text === undefined ? (/(^|\.)e0$/.test(name) ? 1 : 0) : (evaluate(text, lookup) ?? NaN);
      return Number.isFinite(values[i]);
    });
  const is_known = fill(model.COORDINATES, state.q, wanted.held_q) && fill(model.SPEEDS, state.u, wanted.held_u);
  return is_known && left.size === 0 ? wanted : null;
}

/** As the recorded motion began; where its rows are rounded the code's own numbers are taken. */
export function recorded_start(model: Model, pattern: Trajectory | null): State {
  const begun = (k: number | undefined, own: number): number => {
    const value = k === undefined ? undefined : pattern?.values[k]?.[0];
    return value === undefined || Math.abs(value - own) <= 1e-6 * Math.max(1, Math.abs(own)) ? own : value;
  };
  return {
    t: pattern?.t[0] ?? 0,
    q: Float64Array.from(model.COORDINATES, (one, i) => begun(pattern?.q[i], one.value)),
    u: Float64Array.from(model.SPEEDS, (one, i) => begun(pattern?.u[i], one.value)),
  };
}

const is_same = (a: State, b: State): boolean => {
  const [x, y] = [join(a), join(b)];
  return x.every((value, i) => Math.abs(value - y[i]!) <= 1e-6 * Math.max(1, Math.abs(value)));
};

/** The state where a motion with the parameters of `system` begins. */
export function begin(system: System, report: Report, pattern: Trajectory | null): Assembled {
  const { model } = system;
  const recorded = recorded_start(model, pattern);
  const b = beginning_of(report);
  const origin = pattern?.p ?? initial_parameters(report.parameters);
  const then = wanted_by_file(model, report, b, origin, recorded.t);
  const now = wanted_by_file(model, report, b, system.p, recorded.t);
  const start = (at: System, wanted: Wanted): Assembled => {
    const found = assemble(at, wanted, recorded);
    return { ...found, state: settle(at, found.state, wanted.held_u) };
  };
  if (then && now && is_same(start(make_system(model, origin, recorded), then).state, recorded)) return start(system, now);
  const places = (list: readonly { name: string }[]): number[] => list.flatMap((one, i) => (b.initial.has(one.name) ? [i] : []));
  return start(system, { state: recorded, held_q: places(model.COORDINATES), held_u: places(model.SPEEDS) });
}
