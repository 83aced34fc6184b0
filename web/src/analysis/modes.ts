// Modes as the page shows them: those of the report, or those that the page found for other parameters.

import { size, type Complex } from "../math/complex";
import { format_number } from "../element";
import type { LiveLinear } from "../live/session";
import type { State } from "../live/system";
import type { Model } from "../model";
import type { Report } from "../report";

export interface ShownMode {
  pole: Complex;
  frequency: number;
  damping: number;
  /** In words: "oscillates, 0.341 Hz, damped 2 %". */
  text: string;
  shape: readonly Complex[];
}

export interface ShownModes {
  list: ShownMode[];
  /** Where the small motions are about; null where the page cannot move the mechanism. */
  state: State | null;
  p: ArrayLike<number>;
  is_live: boolean;
  note: string;
}

/** A pole in words. */
export function words([re, im]: Complex): string {
  const length = size([re, im]);
  if (length === 0) return "at zero: stays where it is put, or drifts";
  const rate = re === 0 ? "" : re < 0 ? `, halves in ${format_number(Math.LN2 / -re, 3)} s` : `, doubles in ${format_number(Math.LN2 / re, 3)} s`;
  if (im === 0) return (re < 0 ? "decays" : "grows") + rate;
  const how = re > 0 ? "oscillates and grows" : "oscillates";
  return `${how} at ${format_number(Math.abs(im) / (2 * Math.PI))} Hz${rate}`;
}

/** Which way round a mode of a rotor goes. */
export function whirl_words(whirl: string | null): string {
  if (!whirl) return "";
  return whirl === "mixed" ? "whirls forward and backward" : `whirls ${whirl}`;
}

export function recorded_modes(report: Report, model: Model | null): ShownModes {
  const { modes, linear, equilibrium } = report.analysis!;
  const q = linear?.at.q ?? equilibrium?.q ?? [];
  const u = linear?.at.u ?? [];
  const state = model && q.length === model.NQ
    ? { t: 0, q: Float64Array.from(q), u: Float64Array.from({ length: model.NU }, (_, i) => u[i] ?? 0) }
    : null;
  return {
    list: modes.map((one) => ({ pole: one.pole, frequency: one.frequency, damping: one.damping, text: [one.text || words(one.pole), whirl_words(one.whirl)].filter(Boolean).join("; "), shape: one.shape })),
    state,
    p: report.parameters.map((one) => one.value),
    is_live: false,
    note: "",
  };
}

export function computed_modes(live: LiveLinear): ShownModes {
  return {
    list: live.modes.map((one) => ({ ...one, text: words(one.pole) })),
    state: live.state,
    p: live.p,
    is_live: true,
    note: live.text,
  };
}

/** "0.12 ± 3.4 i" */
export function pole_text([re, im]: Complex): string {
  if (im === 0) return format_number(re);
  const imaginary = `${format_number(Math.abs(im))} i`;
  return re === 0 ? `± ${imaginary}` : `${format_number(re)} ± ${imaginary}`;
}
