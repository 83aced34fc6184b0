// What the panels share: small stores that tell their listeners when they change.
//
// The cursor in time is the heart of it: the motion panel's clock moves it, plots and scene follow. A panel reads
// with `get`, writes with `set`, and listens with `listen`; no panel knows another.

import type { Model } from "./model";
import type { Parameter, Report } from "./report";
import { read_trajectory, type Trajectory } from "./trajectory";

export interface Store<T> {
  get(): T;
  set(value: T): void; // listeners hear only what is new (Object.is)
  update(change: (value: T) => T): void;
  listen(heard: (value: T) => void, now?: boolean): () => void; // now: hear the present value at once; returns the end of listening
}

export function store<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<(value: T) => void>();
  const self: Store<T> = {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const heard of [...listeners]) heard(value);
    },
    update: (change) => self.set(change(value)),
    listen(heard, now = false) {
      listeners.add(heard);
      if (now) heard(value);
      return () => listeners.delete(heard);
    },
  };
  return self;
}

// A thing of the scene: hovered or selected in one place, it is marked in all.
export interface Thing {
  kind: "body" | "joint" | "spring" | "rod" | "wheel" | "gear" | "force";
  name: string;
}

export const same_thing = (a: Thing | null, b: Thing | null): boolean =>
  a === b || (a !== null && b !== null && a.kind === b.kind && a.name === b.name);

// The mechanism swaying in a mode: while it is set, the scene shows q(phase), phase running at a rate for the eye,
// instead of the motion.
export interface Sway {
  name: string; // "mode 2, 1.31 Hz": shown over the scene
  q(phase: number): ArrayLike<number>; // 2π per period
  p?: ArrayLike<number>; // parameters, where they are not those of `parameters`
}

export type Theme = "light" | "dark";

export interface Shared {
  report: Report;
  model: Model | null;

  time: Store<number>; // the cursor
  playing: Store<boolean>;
  speed: Store<number>; // seconds of motion in a second
  loop: Store<boolean>;

  motions: Trajectory[]; // recorded, in the order of the report
  motion: Store<number>; // index of the one shown
  ghost: Store<number | null>; // index of the one shown pale behind it
  live: Store<Trajectory | null>; // computed in the page from `parameters`: while set, it is shown and motions[motion] is its ghost
  shown(): Trajectory | null; // live, or motions[motion]
  behind(): Trajectory | null; // what is drawn pale

  parameters: Store<Float64Array>; // in the order of report.parameters; a slider sets a new array
  sway: Store<Sway | null>;

  hovered: Store<Thing | null>;
  selected: Store<Thing | null>;
  theme: Store<Theme>;
  still: boolean; // the reader asked for reduced motion: nothing moves by itself
}

export const initial_parameters = (parameters: Parameter[]): Float64Array =>
  Float64Array.from(parameters, (one) => one.value);

export function make_shared(report: Report, model: Model | null, theme: Theme, still: boolean): Shared {
  const motions = report.motions.map((one) => read_trajectory(one, report.parameters));
  const shared: Shared = {
    report,
    model,
    time: store(motions[0]?.t[0] ?? 0),
    playing: store(false),
    speed: store(1),
    loop: store(true),
    motions,
    motion: store(0),
    ghost: store<number | null>(null),
    live: store<Trajectory | null>(null),
    shown: () => shared.live.get() ?? shared.motions[shared.motion.get()] ?? null,
    behind: () =>
      shared.live.get()
        ? (shared.motions[shared.motion.get()] ?? null)
        : shared.ghost.get() === null
          ? null
          : (shared.motions[shared.ghost.get()!] ?? null),
    parameters: store(initial_parameters(report.parameters)),
    sway: store<Sway | null>(null),
    hovered: store<Thing | null>(null),
    selected: store<Thing | null>(null),
    theme: store(theme),
    still,
  };
  return shared;
}
