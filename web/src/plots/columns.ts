// Columns of a motion: which plots to begin with, how they are found, how they leave as CSV.

import type { Column } from "../report";
import { value_at, type Trajectory } from "../trajectory";

export interface PlotPlan {
  title: string;
  columns: string[]; // names, so that the plan holds for every motion of the report
}

const titles: Record<string, string> = {
  coordinate: "Coordinates",
  output: "Outputs",
  energy: "Energies",
  reaction: "Reactions",
  residual: "Constraint residuals",
  momentum: "Momenta",
  speed: "Speeds",
  state: "States",
  input: "Inputs",
  other: "Other columns",
};

// What a reader most wants to see, at first glance: at most `most` lines in a plot, one unit per plot; residuals only where there are constraints.
export function first_plans(one: Trajectory, most = 6): PlotPlan[] {
  const plans: PlotPlan[] = [];
  const is_nothing = (i: number): boolean => one.values[i]!.every((value) => value === 0 || Number.isNaN(value));
  for (const group of ["coordinate", "energy", "output", "residual"]) {
    const own = one.columns.filter((column, i) => i > 0 && column.group === group && !(group === "residual" && is_nothing(i)) && !/error/.test(column.name));
    const units = [...new Set(own.map((column) => column.unit))].slice(0, group === "coordinate" || group === "output" ? 2 : 1);
    for (const unit of units) {
      const names = own.filter((column) => column.unit === unit).slice(0, most).map((column) => column.name);
      plans.push({ title: units.length > 1 && unit ? `${titles[group]}, ${unit}` : titles[group]!, columns: names });
    }
  }
  const drift = one.columns.findIndex((column, i) => column.group === "energy" && /error/.test(column.name) && !is_nothing(i));
  if (drift > 0) plans.push({ title: "Energy error", columns: [one.columns[drift]!.name] });
  if (!plans.length && one.columns.length > 1) plans.push({ title: "Columns", columns: one.columns.slice(1, 1 + most).map((column) => column.name) });
  return plans;
}

export const group_title = (group: string): string => titles[group] ?? titles["other"]!;

// Columns in whose name, group or unit all words of a search occur.
export function find_columns(columns: Column[], search: string): Column[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return columns.filter((one) => words.every((word) => `${one.name} ${group_title(one.group)} ${one.unit}`.toLowerCase().includes(word)));
}

export const column_index = (one: Trajectory, name: string): number => one.columns.findIndex((column) => column.name === name);

// A column of another motion at the times of this one; null where the other has not begun or has ended.
export function resampled(other: Trajectory, name: string, t: Float64Array): (number | null)[] {
  const column = column_index(other, name);
  const [first, last] = [other.t[0] ?? NaN, other.t[other.t.length - 1] ?? NaN];
  return Array.from(t, (time) => {
    if (column < 0 || !(time >= first && time <= last)) return null;
    const value = value_at(other, column, time);
    return Number.isFinite(value) ? value : null;
  });
}

// All rows as the program writes them: a line of names, numbers in full.
export function to_csv(one: Trajectory): string {
  const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const lines = [one.columns.map((column) => quoted(column.name)).join(",")];
  for (let i = 0; i < one.t.length; i++) lines.push(one.values.map((column) => (Number.isFinite(column[i]!) ? String(column[i]) : "")).join(","));
  return lines.join("\n") + "\n";
}
