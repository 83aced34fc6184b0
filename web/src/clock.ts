// The clock: while the page plays, the cursor in time moves with the frames of the screen.

import type { Shared } from "./shared";
import { end_of, start_of } from "./trajectory";

// Where the cursor is `seconds` later: round again when it loops, else it stays at the end.
export function advance(time: number, seconds: number, start: number, end: number, loop: boolean): { time: number; ended: boolean } {
  const next = time + seconds;
  if (next <= end) return { time: next, ended: false };
  const span = end - start;
  if (!loop || span <= 0) return { time: end, ended: true };
  return { time: start + ((next - start) % span), ended: false };
}

export function start_clock(shared: Shared): void {
  let last = 0;
  const step = (now: number): void => {
    const trajectory = shared.shown();
    if (!shared.playing.get() || !trajectory) return;
    const seconds = Math.min((now - last) / 1000, 0.1) * shared.speed.get(); // a tab that slept does not leap
    last = now;
    const next = advance(shared.time.get(), Math.max(seconds, 0), start_of(trajectory), end_of(trajectory), shared.loop.get());
    shared.time.set(next.time);
    if (next.ended) shared.playing.set(false);
    else requestAnimationFrame(step);
  };
  shared.playing.listen((playing) => {
    if (!playing) return;
    const trajectory = shared.shown();
    if (trajectory && shared.time.get() >= end_of(trajectory)) shared.time.set(start_of(trajectory));
    shared.sway.set(null);
    last = performance.now();
    requestAnimationFrame(step);
  });
}
