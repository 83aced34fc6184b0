// SHA-256 of a text [fips180-4]: pages opened from disk may have no crypto.subtle.

const constants = first_primes(64).map((p) => fraction(Math.cbrt(p)));
const beginning = first_primes(8).map((p) => fraction(Math.sqrt(p)));

function first_primes(count: number): number[] {
  const list: number[] = [];
  for (let n = 2; list.length < count; ++n) if (list.every((p) => n % p !== 0)) list.push(n);
  return list;
}

/** The first 32 bits behind the point. */
function fraction(x: number): number {
  return ((x - Math.floor(x)) * 0x100000000) >>> 0;
}

const turn = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

/** The text's UTF-8 bytes, a 1, zeros, and their number in bits: whole blocks of 64 bytes. */
function padded(text: string): DataView {
  const bytes = new TextEncoder().encode(text);
  const size = Math.ceil((bytes.length + 9) / 64) * 64;
  const buffer = new Uint8Array(size);
  buffer.set(bytes);
  buffer[bytes.length] = 0x80;
  const view = new DataView(buffer.buffer);
  view.setUint32(size - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(size - 4, (bytes.length << 3) >>> 0);
  return view;
}

function schedule(view: DataView, block: number): Uint32Array {
  const w = new Uint32Array(64);
  for (let i = 0; i < 16; ++i) w[i] = view.getUint32(block + 4 * i);
  for (let i = 16; i < 64; ++i) {
    const [a, b] = [w[i - 15]!, w[i - 2]!];
    const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  return w;
}

function compress(state: Uint32Array, w: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; ++i) {
    const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[i]! + w[i]!) >>> 0;
    const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) >>> 0, c, b, a, (t1 + t2) >>> 0];
  }
  [a, b, c, d, e, f, g, h].forEach((x, i) => (state[i]! += x));
}

/** 64 hexadecimal digits. */
export function sha256(text: string): string {
  const view = padded(text);
  const state = Uint32Array.from(beginning);
  for (let block = 0; block < view.byteLength; block += 64) compress(state, schedule(view, block));
  return Array.from(state, (x) => x.toString(16).padStart(8, "0")).join("");
}
