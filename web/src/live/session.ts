// The model at work in the page: when a parameter is pulled, its motion, equilibrium and poles are computed anew.
//
// One session belongs to a page. It listens to shared.parameters; while they are those of the file there is nothing to compute and the
// recorded motion is shown. A change ends what was under way. Poles come first, since they are quick; the motion runs in slices, first
// roughly, to be looked at while the slider moves, then as exactly as the program's.

import type { Model } from "../model";
import type { Report } from "../report";
import { initial_parameters, store, type Shared, type Store } from "../shared";
import type { Trajectory } from "../trajectory";
import { assemble } from "./closing";
import { continuous } from "./continuous";
import { find_rest } from "./equilibrium";
import { begin, recorded_start } from "./initial";
import { live_modes, one_for_each_lambda, type LiveMode } from "./linear";
import { make_recorder } from "./record";
import { default_options, preview_options, simulate, type Simulated } from "./simulate";
import { run_in_slices } from "./slices";
import { make_system, type State, type System } from "./system";

export interface LiveLinear {
  modes: LiveMode[];
  /** Where the model was linearised, and with which parameters. */
  state: State;
  p: Float64Array;
  /** Empty, or what a reader must know: no equilibrium was found nearby. */
  text: string;
}

export interface LiveSession {
  /** Parameters are not those of the file. */
  changed: Store<boolean>;
  /** How much of the motion is done, 0 to 1; null: nothing runs. */
  progress: Store<number | null>;
  /** Why the motion could not be computed, or ended early; empty when all is well. */
  trouble: Store<string>;
  /** Null while the parameters are those of the file: the report's own are shown then. */
  linear: Store<LiveLinear | null>;
  /** Whether the page can find the report's poles, and so move them; null before it tried. */
  poles_follow: Store<boolean | null>;
}

const sessions = new WeakMap<Shared, LiveSession>();

export function live_session(shared: Shared): LiveSession {
  const known = sessions.get(shared);
  if (known) return known;
  const session: LiveSession = { changed: store(false), progress: store<number | null>(null), trouble: store(""), linear: store<LiveLinear | null>(null), poles_follow: store<boolean | null>(null) };
  sessions.set(shared, session);
  const { model, report } = shared;
  if (model) listen(session, shared, model, report);
  return session;
}

export function differences(report: Report, p: ArrayLike<number>): { name: string; value: number }[] {
  return report.parameters.flatMap((one, i) => (p[i] === one.value ? [] : [{ name: one.name, value: p[i]! }]));
}

function listen(session: LiveSession, shared: Shared, model: Model, report: Report): void {
  let turn = 0;
  const poles = pole_finder(session, model, report);
  const next_frame = (run: () => void): void => void (document.hidden ? setTimeout(run, 0) : requestAnimationFrame(run));
  const compute = (): void => {
    const mine = ++turn;
    const p = shared.parameters.get();
    const changed = differences(report, p);
    session.changed.set(changed.length > 0);
    session.trouble.set("");
    session.progress.set(null);
    if (changed.length === 0) {
      shared.live.set(null);
      session.linear.set(null);
      return;
    }
    const is_stale = (): boolean => mine !== turn;
    next_frame(() => {
      if (is_stale()) return;
      if (poles.is_quick()) poles.find(p);
      // poles that take long are found when the reader rests: who pulls on is not kept waiting
      void move(session, shared, model, p, is_stale).then(() => setTimeout(() => {
        if (!is_stale() && session.linear.get()?.p !== p) poles.find(p);
      }, poles.is_quick() ? 0 : rest_before_poles));
    });
  };
  shared.parameters.listen(compute);
  shared.motion.listen(() => session.changed.get() && compute());
}

/** Finds poles for a session: with each pull of a slider where that is quick, otherwise when the motion is done. */
function pole_finder(session: LiveSession, model: Model, report: Report): { is_quick(): boolean; find(p: Float64Array): void } {
  let took = 0; // milliseconds, the last time
  return {
    is_quick: () => took < 40,
    find(p) {
      if (!report.analysis?.modes.length) return;
      const start = performance.now();
      if (session.poles_follow.get() === null) session.poles_follow.set(finds_recorded_poles(model, report));
      session.linear.set(session.poles_follow.get() ? linear_at(model, report, p) : null);
      took = performance.now() - start;
    },
  };
}

/** Milliseconds without a pull before slow poles are looked for. */
const rest_before_poles = 400;

/** Milliseconds between two looks at a motion that is still being computed: drawing it anew takes its time too. */
const between_looks = 60;

async function move(session: LiveSession, shared: Shared, model: Model, p: Float64Array, is_stale: () => boolean): Promise<void> {
  const pattern = shared.motions[shared.motion.get()] ?? null;
  try {
    if (shared.report.live.why_not) throw new Error(shared.report.live.why_not);
    const system = make_system(model, p, recorded_start(model, pattern));
    const start = begin(system, shared.report, pattern);
    if (!start.ok) throw new Error("the mechanism does not close with these values");
    session.progress.set(0);
    const times = times_of(pattern);
    const changed = differences(shared.report, p);
    for (const options of [preview_options, default_options]) {
      const is_final = options === default_options;
      const rows: State[] = [];
      const recorder = make_recorder(system, times.length, pattern, changed);
      let [taken, shown] = [0, performance.now()];
      const record = (motion: Pick<Simulated, "steps" | "evaluations" | "ended">): Trajectory => {
        recorder.add(rows.slice(taken));
        taken = rows.length;
        return recorder.trajectory(motion);
      };
      const motion = await run_in_slices(simulate(system, start.state, times, options, rows), is_stale, (done) => {
        session.progress.set(done);
        // a long motion is shown from its beginning on, as far as it has come
        if (is_final || rows.length < taken + 2 || performance.now() < shown + between_looks) return;
        shared.live.set({ ...record({ steps: 0, evaluations: 0, ended: "" }), until: times[times.length - 1]!, is_exact: false });
        shown = performance.now();
      });
      if (!motion) return;
      if (is_final) session.progress.set(null);
      if (is_final) session.trouble.set(motion.ended);
      if (is_final || motion.ended === "") shared.live.set({ ...record(motion), is_exact: is_final });
    }
  } catch (error) {
    session.progress.set(null);
    session.trouble.set(`No motion: ${(error as Error).message}.`);
    shared.live.set(null);
  }
}

/** Times of the rows: those of the recorded motion, each once; ten seconds where there is none. */
function times_of(pattern: Trajectory | null): number[] {
  if (!pattern || pattern.t.length < 2) return Array.from({ length: 501 }, (_, i) => i / 50);
  return Array.from(pattern.t).filter((t, i, all) => i === 0 || t > all[i - 1]!);
}

/** Where the report linearised the model: its state, and whether that was an equilibrium that follows the parameters. */
function recorded_place(model: Model, report: Report): { state: State; is_rest: boolean } | null {
  const { equilibrium, linear } = report.analysis!;
  const q = linear?.at.q ?? equilibrium?.q;
  if (!q || q.length !== model.NQ) return null;
  const u = linear?.at.u.length === model.NU ? linear.at.u : new Array<number>(model.NU).fill(0);
  const state: State = { t: 0, q: Float64Array.from(q), u: Float64Array.from(u) };
  return { state, is_rest: (equilibrium?.found ?? false) && u.slice(0, model.NQ).every((x) => x === 0) };
}

/** Poles and shapes with other parameters, at the equilibrium that the recorded one moved to. */
export function linear_at(sampled: Model, report: Report, p: Float64Array): LiveLinear | null {
  const model = continuous(sampled);
  const place = recorded_place(model, report);
  if (!place) return null;
  try {
    const found = place.is_rest ? follow_rest(model, report, place.state, p) : null;
    const system = found?.system ?? make_system(model, p, place.state);
    const state = found?.state ?? assemble(system, { state: place.state, held_q: [], held_u: [] }).state;
    const text = place.is_rest && !found ? "No equilibrium was found near the recorded one: poles are those at the recorded position." : "";
    return { modes: as_recorded(live_modes(system, state), report), state, p, text };
  } catch (error) {
    return { modes: [], state: place.state, p, text: `No poles: ${(error as Error).message}.` };
  }
}

const poles_in = (modes: readonly { pole: readonly [number, number] }[]): number => modes.reduce((sum, one) => sum + (one.pole[1] === 0 ? 1 : 2), 0);

/** In the manner of the report: one for each pole or pair, or one for each λ. */
function as_recorded(modes: LiveMode[], report: Report): LiveMode[] {
  const recorded = report.analysis!.modes;
  const all = poles_in(modes);
  return poles_in(recorded) !== all && 2 * recorded.length === all ? one_for_each_lambda(modes) : modes;
}

/**
 * Does the page find the recorded poles with the file's parameters? Away from an equilibrium poles of a closed chain depend on the
 * coordinates that are chosen, so that the page's own need not be the program's.
 */
export function finds_recorded_poles(model: Model, report: Report): boolean {
  const recorded = report.analysis?.modes ?? [];
  const found = linear_at(model, report, initial_parameters(report.parameters))?.modes ?? [];
  const most = recorded.reduce((best, one) => Math.max(best, Math.hypot(...one.pole)), 0);
  return recorded.length > 0 && recorded.every(({ pole }) => found.some((one) => Math.hypot(one.pole[0] - pole[0], one.pole[1] - pole[1]) <= 1e-3 * most));
}

/** In one go, or where that leads nowhere along the way from the file's parameters in steps. */
function follow_rest(model: Model, report: Report, from: State, p: Float64Array): { system: System; state: State } | null {
  const origin = initial_parameters(report.parameters);
  for (const steps of [1, 8]) {
    let state: State | null = from;
    let system: System | null = null;
    for (let k = 1; k <= steps && state; ++k) {
      system = make_system(model, origin.map((x, i) => (k === steps ? p[i]! : x + (k / steps) * (p[i]! - x))), state);
      const rest = find_rest(system, assemble(system, { state, held_q: [], held_u: [] }).state);
      state = rest.found ? rest.state : null;
    }
    if (system && state) return { system, state };
  }
  return null;
}

