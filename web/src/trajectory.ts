// A motion in numbers: columns over the times of its rows.
//
// Both kinds are one: motions that the program recorded (`read_trajectory` decodes them from the report) and those
// that the page computes itself when a parameter is pulled (live/*). Between rows coordinates are interpolated by
// cubic Hermite polynomials where their rates are known (u = q̇ for most; the model's `rates` in general), linearly
// elsewhere.

import type { Column, Motion } from "./report";
import type { Model, Numbers } from "./model";

export interface Trajectory {
  name: string;
  t: Float64Array; // strictly increasing, or equal where an event has two rows
  columns: Column[]; // as in the report; column 0 is t
  values: Float64Array[]; // one for each column
  q: number[]; // columns of the code's q, in its order
  u: number[];
  events: { t: number; name: string }[];
  statistics: { name: string; value: string | number }[];
  ended: string;
  command: string;
  parameters: { name: string; value: number }[]; // those that differ from the file's
  until?: number; // of a motion that is still being computed: when it will end; past its last row it rests there
  is_exact?: boolean; // of a motion that the page computed: it is not the rough one that comes first
  p: Float64Array; // all of them, in the order of the report's `parameters`
}

// Little-endian numbers from base64.
export function decode_numbers(base64: string, type: "f64" | "f32"): Float64Array {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const width = type === "f32" ? 4 : 8;
  const view = new DataView(bytes.buffer);
  const numbers = new Float64Array(Math.floor(bytes.length / width));
  for (let i = 0; i < numbers.length; i++)
    numbers[i] = type === "f32" ? view.getFloat32(4 * i, true) : view.getFloat64(8 * i, true);
  return numbers;
}

export function read_trajectory(motion: Motion, parameters: { name: string; value: number }[]): Trajectory {
  const data = decode_numbers(motion.data ?? "", motion.type);
  const rows = Math.min(motion.rows, motion.columns.length ? Math.floor(data.length / motion.columns.length) : 0);
  const values = motion.columns.map((_, i) => data.subarray(i * motion.rows, i * motion.rows + rows));
  const changed = new Map((motion.parameters ?? []).map((one) => [one.name, one.value]));
  return {
    name: motion.name,
    t: values[0] ?? new Float64Array(0),
    columns: motion.columns,
    values,
    q: motion.q ?? [],
    u: motion.u ?? [],
    events: motion.events ?? [],
    statistics: motion.statistics ?? [],
    ended: motion.ended ?? "",
    command: motion.command ?? "",
    parameters: motion.parameters ?? [],
    p: Float64Array.from(parameters, (one) => changed.get(one.name) ?? one.value),
  };
}

export const start_of = (one: Trajectory): number => one.t[0] ?? 0;
export const end_of = (one: Trajectory): number => one.until ?? one.t[one.t.length - 1] ?? 0;

// The last row whose time is not after `time` (0 where all are).
export function row_at(t: Numbers, time: number): number {
  let low = 0;
  let high = t.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

// The value of a column at a time, linear between rows; NaN where a row of the two is.
export function value_at(one: Trajectory, column: number, time: number): number {
  const v = one.values[column];
  if (!v || v.length === 0) return NaN;
  const i = row_at(one.t, time);
  const j = Math.min(i + 1, v.length - 1);
  const h = one.t[j]! - one.t[i]!;
  const s = h > 0 ? Math.min(Math.max((time - one.t[i]!) / h, 0), 1) : 0;
  return s === 0 ? v[i]! : v[i]! + s * (v[j]! - v[i]!);
}

const row_of = (one: Trajectory, columns: number[], i: number): Float64Array =>
  Float64Array.from(columns, (column) => one.values[column]?.[i] ?? 0);

// q at a time. With a model, `rates` gives the slopes at both rows and q is cubic between them, so that a few hundred
// rows move as smoothly as the integrator's own; the slope is not used where it disagrees with the rows (an event).
export function coordinates_at(one: Trajectory, time: number, model: Model | null, c: Numbers | null): Float64Array {
  const i = row_at(one.t, time);
  const q0 = row_of(one, one.q, i);
  const j = Math.min(i + 1, one.t.length - 1);
  const h = one.t[j]! - one.t[i]!;
  const s = h > 0 ? Math.min(Math.max((time - one.t[i]!) / h, 0), 1) : 0;
  if (!(s > 0)) return q0;
  const q1 = row_of(one, one.q, j);
  if (!model?.rates || !c || one.u.length === 0) return q0.map((value, k) => value + s * (q1[k]! - value));
  const d0 = model.rates(one.t[i]!, q0, row_of(one, one.u, i), c);
  const d1 = model.rates(one.t[j]!, q1, row_of(one, one.u, j), c);
  return q0.map((value, k) => hermite(value, q1[k]!, h * (d0[k] ?? NaN), h * (d1[k] ?? NaN), s));
}

function hermite(a: number, b: number, da: number, db: number, s: number): number {
  const linear = a + s * (b - a);
  if (!Number.isFinite(da) || !Number.isFinite(db)) return linear;
  const r = 1 - s;
  return linear + s * r * (r * (da - (b - a)) - s * (db - (b - a)));
}

// Why nothing plays.
export const no_motion = (one: Trajectory | null): string => (one?.ended ? `There is no motion: ${one.ended}.` : "The report holds no motion.");
