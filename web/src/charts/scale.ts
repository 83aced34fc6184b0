// From numbers to places on paper: linear and logarithmic scales, and where their ticks stand.

export interface Scale {
  kind: "linear" | "log";
  min: number;
  max: number;
}

/** 0 at min, 1 at max. */
export function fraction(scale: Scale, x: number): number {
  if (scale.kind === "log") return Math.log(x / scale.min) / Math.log(scale.max / scale.min);
  return (x - scale.min) / (scale.max - scale.min);
}

/** The number at a fraction: the inverse of `fraction`. */
export function value_of(scale: Scale, f: number): number {
  if (scale.kind === "log") return scale.min * (scale.max / scale.min) ** f;
  return scale.min + f * (scale.max - scale.min);
}

/** Numbers whose distances are this part of their size are one number, and its rounding. */
const rounding = 1e-9;

/** Room about numbers from `min` to `max`: a constant stands in the middle instead of filling the paper with its rounding. */
export function room_of(min: number, max: number, air: number): number {
  const size = Math.max(Math.abs(min), Math.abs(max));
  return max - min > rounding * size ? air * (max - min) : 0.1 * size || 1;
}

/** A scale around these numbers with some air; what is not finite is left out, and a single number gets a room of its own. */
export function scale_of(values: Iterable<number>, kind: Scale["kind"] = "linear", air = 0.05): Scale {
  let [min, max] = [Infinity, -Infinity];
  for (const x of values) {
    if (!Number.isFinite(x) || (kind === "log" && x <= 0)) continue;
    min = Math.min(min, x);
    max = Math.max(max, x);
  }
  if (min > max) return { kind, min: kind === "log" ? 0.1 : -1, max: kind === "log" ? 10 : 1 };
  if (kind === "log") {
    const wide = Math.max(max / min, 1.01) ** air;
    return { kind, min: min / wide, max: max * wide };
  }
  const room = room_of(min, max, air);
  return { kind, min: min - room, max: max + room };
}

/** Round numbers within the scale, about as many as asked for. */
export function ticks(scale: Scale, count: number): number[] {
  if (scale.kind === "log" && scale.max / scale.min >= 10) return log_ticks(scale, count);
  const width = scale.max - scale.min;
  if (!(width > 0) || !Number.isFinite(width)) return [];
  const raw = width / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) ?? 10);
  const list: number[] = [];
  for (let k = Math.ceil(scale.min / step - 1e-9); k * step <= scale.max + 1e-9 * step; ++k) list.push(k === 0 ? 0 : clean(k * step));
  return list;
}

function log_ticks(scale: Scale, count: number): number[] {
  const first = Math.ceil(Math.log10(scale.min) - 1e-9);
  const last = Math.floor(Math.log10(scale.max) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
  const list: number[] = [];
  for (let k = Math.ceil(first / every) * every; k <= last; k += every) list.push(clean(10 ** k));
  const finer = [1, 2, 5].flatMap((m) => Array.from({ length: last - first + 3 }, (_, i) => clean(m * 10 ** (first - 1 + i))))
    .filter((x) => x >= scale.min && x <= scale.max).sort((a, b) => a - b);
  return list.length < 4 && finer.length <= 2 * Math.max(count, 4) ? finer : list;
}

/** How many digits tell numbers of this size apart that are a step away from each other; at least five. */
export function tick_digits(list: readonly number[]): number {
  const step = Math.abs(list[1]! - list[0]!);
  const size = Math.max(...list.map(Math.abs));
  return step > 0 && Number.isFinite(step) ? Math.min(Math.max(5, Math.ceil(Math.log10(size / step)) + 2), 12) : 5;
}

/** Lines between the ticks of a logarithmic scale: 2, 3 … 9 times each power of ten; none where there are too many. */
export function fine_ticks(scale: Scale): number[] {
  if (scale.kind !== "log" || scale.max / scale.min > 1e6) return [];
  const list: number[] = [];
  for (let k = Math.floor(Math.log10(scale.min)); 10 ** k < scale.max; ++k) {
    for (let m = 2; m < 10; ++m) list.push(clean(m * 10 ** k));
  }
  return list.filter((x) => x > scale.min && x < scale.max);
}

const clean = (x: number): number => Number(x.toPrecision(12));
