// A motion computed in the page: steps of explicit.ts or rosenbrock.ts, loops closed after each, rows at given times.
//
// It is a generator that pauses after every step, so that who runs it (slices.ts) decides how long the page may wait.
//
// Which method steps is decided along the way. The explicit one tells how near its steps are to the bound of stability; where fifteen were
// beyond it, with no six in a row that were not, equations are stiff [hairer96 §IV.2] and the Rosenbrock method takes over. It keeps
// its place as long as its steps are long enough to be worth their price.

import { is_finite } from "../math/matrix";
import { project } from "./closing";
import { explicit, limit_of_stability } from "./explicit";
import { state_matrix } from "./linear";
import { rosenbrock } from "./rosenbrock";
import { make_sampling } from "./sampling";
import { first_step, step_factor, type Method, type Step, type Tolerances } from "./stepper";
import { join, normalise, rhs, split, type State, type System } from "./system";

export interface SimulateOptions {
  tolerances: Tolerances;
  /** More evaluations than this, and the motion ends with what there is. */
  evaluations: number;
}

/** Held against `simulate --tolerance 1e-11` motions of the zoo differ by less than 1e-6; the program's own default differs by more. */
export const default_options: SimulateOptions = { tolerances: { relative: 1e-11, absolute: 1e-12 }, evaluations: 3e6 };

/** Good enough to look at while a slider is pulled, in a fraction of the time. */
export const preview_options: SimulateOptions = { tolerances: { relative: 1e-4, absolute: 1e-6 }, evaluations: 2e5 };

export interface Simulated {
  rows: State[];
  steps: number;
  /** Of these, steps of the method for stiff equations. */
  stiff_steps: number;
  rejected: number;
  evaluations: number;
  /** Empty, or why there are fewer rows than times. */
  ended: string;
}

/** Fraction of the time that is done, after each step. */
export type Simulation = Generator<number, Simulated>;

/** Rows at `times`, which rise; the first is where `start` is. They are put into `rows` as they come. */
export function* simulate(
  system: System, start: State, times: ArrayLike<number>, options: SimulateOptions = default_options, rows: State[] = [],
): Simulation {
  rows.push(start);
  const result: Simulated = { rows, steps: 0, stiff_steps: 0, rejected: 0, evaluations: 0, ended: "" };
  const end = times[times.length - 1] ?? start.t;
  const span = end - start.t;
  if (!(span > 0)) return result;
  const f = (t: number, x: Float64Array): Float64Array => (++result.evaluations, rhs(system, t, x));
  const choice = method_choice(explicit(f, options.tolerances), rosenbrock(f, (t, x) => state_matrix(system, split(system, t, x)), options.tolerances));
  const longest = span / 20;
  try {
    let t = start.t;
    let x = join(start);
    const sampling = make_sampling(system, t, x);
    if (sampling.next() <= t + sampling.slack) {
      sampling.sample(x);
      result.rows[0] = split(system, t, x);
    }
    let first = f(t, x);
    let h = first_step(f, t, x, first, options.tolerances, longest, choice.method().order);
    while (t < end) {
      const stop = Math.min(end, sampling.next());
      const is_cut = t + 1.0001 * h >= stop;
      const method = choice.method();
      const step = method.attempt(t, x, first, is_cut ? stop - t : h);
      const is_good = step.error <= 1 && is_finite(step.to);
      const next_h = Math.min(longest, step.h * Math.min(step_factor(step.error, method.order), is_good ? 5 : 0.9));
      if (is_good) {
        t = is_cut ? stop : t + step.h;
        ++result.steps;
        if (choice.is_stiff()) ++result.stiff_steps;
        const is_sample = is_cut && stop === sampling.next();
        add_rows(system, step, times, is_sample ? t - sampling.slack : t, result.rows);
        const next = join(project(system, split(system, t, step.to)));
        if (is_sample) {
          sampling.sample(next);
          // rows at the time of a sample show what comes after it
          while (result.rows.length < times.length && times[result.rows.length]! <= t + sampling.slack) result.rows.push(split(system, times[result.rows.length]!, next));
        }
        const is_moved = next.some((y, i) => y !== step.to[i]);
        x = next;
        first = is_moved || !step.last ? f(t, x) : step.last;
        choice.learn(step);
      } else {
        ++result.rejected;
      }
      h = is_good && is_cut ? Math.max(h, next_h) : next_h; // a step that was cut short says nothing against long ones
      if (h < 1e-13 * Math.max(Math.abs(t), span)) throw new Error("steps become too short");
      if (result.evaluations > options.evaluations) throw new Error("it takes too many steps for a page");
      yield (t - start.t) / span;
    }
  } catch (error) {
    const reached = result.rows[result.rows.length - 1]!.t;
    result.ended = `ended at t = ${Number(reached.toPrecision(4))} s: ${(error as Error).message}`;
  }
  return result;
}

/** Steps of the Rosenbrock method over which it is judged, and how much longer than explicit ones they must be: they cost about so much more. */
const trial = 30;
const price = 2;

interface MethodChoice {
  method(): Method;
  is_stiff(): boolean;
  /** From a step that was taken. */
  learn(step: Step): void;
}

function method_choice(usual: Method, stiff: Method): MethodChoice {
  let is_stiff = false;
  let [beyond, within] = [0, 0]; // steps at the bound of stability, and since then
  let [short, sum, count] = [0, 0, 0]; // the explicit step that was too short; lengths of those taken instead
  let patience = 1; // how often the bound must be met before the other method is tried again
  const learn_usual = (step: Step): void => {
    if (step.stiffness > limit_of_stability) {
      within = 0;
      if (++beyond < 15 * patience) return;
      [is_stiff, short, sum, count] = [true, step.h, 0, 0];
    } else if (++within === 6) {
      [beyond, within] = [0, 0];
    }
  };
  const learn_stiff = (step: Step): void => {
    sum += step.h;
    if (++count < trial) return;
    if (sum < price * short * count) [is_stiff, beyond, within, patience] = [false, 0, 0, 4 * patience];
    [sum, count] = [0, 0];
  };
  return {
    method: () => (is_stiff ? stiff : usual),
    is_stiff: () => is_stiff,
    learn: (step) => (is_stiff ? learn_stiff(step) : learn_usual(step)),
  };
}

function add_rows(system: System, step: Step, times: ArrayLike<number>, until: number, rows: State[]): void {
  while (rows.length < times.length && times[rows.length]! <= until) {
    const t = times[rows.length]!;
    const theta = Math.min(1, Math.max(0, (t - step.t) / step.h));
    const s = split(system, t, theta === 1 ? step.to : step.inside(theta));
    s.q = normalise(system, s.q);
    rows.push(s);
  }
}
