// The transport: play, scrub, speed, loop. It moves the one cursor in time that scene and plots share.

import { el } from "../element";
import type { Shared } from "../shared";
import { end_of, no_motion, row_at, start_of } from "../trajectory";

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 50];

// Decimals that tell the frames of a motion apart.
export const time_digits = (span: number): number => Math.min(Math.max(Math.ceil(2 - Math.log10(span > 0 ? span : 1) + 0.01), 0), 9);

// A speed at which the whole motion takes between two and thirty seconds.
export function fitting_speed(span: number): number {
  if (!(span > 0)) return 1;
  if (span >= 2 && span <= 30) return 1;
  return speeds.reduce((best, one) => (Math.abs(Math.log(span / one / 10)) < Math.abs(Math.log(span / best / 10)) ? one : best), 1);
}

export function transport(shared: Shared): HTMLElement {
  const shown = shared.shown();
  if (!shown || shown.t.length < 2) return el("p", { class: "note no-motion" }, no_motion(shown));
  shared.speed.set(fitting_speed(end_of(shown) - start_of(shown)));
  const play = el("button", { type: "button", class: "play", onclick: () => shared.playing.update((on) => !on) });
  const readout = el("output", { class: "readout" });
  const scrub = el("input", { type: "range", class: "scrub", "aria-label": "Time", step: "any", oninput: () => (shared.playing.set(false), shared.sway.set(null), shared.time.set(Number(scrub.value))) });
  const speed = el("select", { "aria-label": "Speed", onchange: () => shared.speed.set(Number(speed.value)) },
    ...[...new Set([...speeds, shared.speed.get()])].sort((a, b) => a - b).map((one) => el("option", { value: one, selected: one === shared.speed.get() }, `${one}×`)));
  const loop = el("button", { type: "button", "aria-label": "Loop", title: "Loop", onclick: () => shared.loop.update((on) => !on) }, "⟳");
  const row = (way: number) => (): void => {
    const one = shared.shown()!;
    shared.playing.set(false);
    const i = row_at(one.t, shared.time.get());
    const at = way < 0 && one.t[i]! < shared.time.get() ? i : Math.min(Math.max(i + way, 0), one.t.length - 1);
    shared.time.set(one.t[at]!);
  };

  const span = (): void => {
    const one = shared.shown();
    if (!one) return;
    scrub.min = String(start_of(one));
    scrub.max = String(end_of(one));
    if (shared.time.get() > end_of(one)) shared.time.set(end_of(one));
    if (shared.time.get() < start_of(one)) shared.time.set(start_of(one));
    tell();
  };
  const tell = (): void => {
    const one = shared.shown()!;
    const digits = time_digits(end_of(one) - start_of(one));
    const text = shared.time.get().toFixed(digits);
    scrub.value = String(shared.time.get());
    scrub.setAttribute("aria-valuetext", `${text} seconds`);
    readout.textContent = `${text} s`;
  };
  shared.motion.listen(span);
  shared.live.listen(span, true);
  shared.time.listen(tell);
  shared.playing.listen((on) => {
    play.textContent = on ? "❚❚" : "▶";
    play.setAttribute("aria-label", on ? "Pause" : "Play");
  }, true);
  shared.loop.listen((on) => loop.setAttribute("aria-pressed", String(on)), true);
  return el("div", { class: "transport", role: "group", "aria-label": "Motion" },
    play,
    el("button", { type: "button", class: "step", "aria-label": "Row before", onclick: row(-1) }, "‹"),
    el("button", { type: "button", class: "step", "aria-label": "Row after", onclick: row(1) }, "›"),
    scrub, readout, speed, loop);
}
