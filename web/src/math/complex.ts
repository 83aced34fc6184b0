// A complex number as a pair, as reports write it.

export type Complex = readonly [re: number, im: number];

export const add = (a: Complex, b: Complex): Complex => [a[0] + b[0], a[1] + b[1]];
export const subtract = (a: Complex, b: Complex): Complex => [a[0] - b[0], a[1] - b[1]];
export const times = (a: Complex, b: Complex): Complex => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
export const conjugate = (a: Complex): Complex => [a[0], -a[1]];
export const size = (a: Complex): number => Math.hypot(a[0], a[1]);

/** a/b, scaled so that nothing overflows on the way. */
export function divide(a: Complex, b: Complex): Complex {
  const scale = Math.max(Math.abs(b[0]), Math.abs(b[1]));
  const [c, d] = [b[0] / scale, b[1] / scale];
  const below = (c * c + d * d) * scale;
  return [(a[0] * c + a[1] * d) / below, (a[1] * c - a[0] * d) / below];
}

/** The root in the right half plane. */
export function square_root(a: Complex): Complex {
  const length = size(a);
  if (length === 0) return [0, 0];
  const half = Math.sqrt((length + Math.abs(a[0])) / 2);
  const other = Math.abs(a[1]) / (2 * half);
  const sign = a[1] < 0 ? -1 : 1;
  return a[0] >= 0 ? [half, sign * other] : [other, sign * half];
}
