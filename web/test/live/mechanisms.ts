// Mechanisms for tests, written by hand as the program writes them: a pendulum as a tree, flat bodies with pins, a rigid body that turns freely.

import { apply, at, matrix, multiply, transpose, zeros } from "../../src/math/matrix";
import { least_squares } from "../../src/math/orthogonal";
import type { Model, Numbers } from "../../src/model";

const quantity = (name: string, value = 0) => ({ name, unit: "", about: "", value });
const none = { INPUTS: [], OUTPUTS: [], CONSTRAINTS: [] };

/** θ̈ = −(g/l) sin θ − d θ̇; p = [g, l, d]. */
export function pendulum(): Model {
  const accelerations = (_t: number, q: Numbers, u: Numbers, _w: Numbers, c: Numbers) =>
    Float64Array.of((-c[0]! / c[1]!) * Math.sin(q[0]!) - c[2]! * u[0]!);
  return {
    name: "pendulum", NQ: 1, NU: 1, NW: 0, NP: 3, NC: 3, NM: 0, RANK: 0, ...none,
    COORDINATES: [quantity("theta", 1)], SPEEDS: [quantity("theta'")],
    PARAMETERS: [quantity("g", 9.81), quantity("l", 1), quantity("d")],
    setup: (p) => Float64Array.from(p),
    rates: (_t, _q, u) => Float64Array.from(u),
    accelerations,
    energy: (_t, q, u, c) => ({ T: 0.5 * (c[1]! * u[0]!) ** 2, V: -c[0]! * c[1]! * Math.cos(q[0]!) }),
    poses: () => new Float64Array(15),
    rhs: (t, x, w, c) => Float64Array.of(x[1]!, accelerations(t, [x[0]!], [x[1]!], w, c)[0]!),
    rhs_jacobian: (_t, x, _w, c) => ({
      A: Float64Array.of(0, 1, (-c[0]! / c[1]!) * Math.cos(x[0]!), -c[2]!),
      B: new Float64Array(0),
    }),
  };
}

export interface Pin {
  /** Numbers of bodies; −1 is the ground. */
  a: number;
  b: number;
  /** Where it is on each, from the mass centre: an expression of the parameters. */
  on_a(p: Numbers): [number, number];
  on_b(p: Numbers): [number, number];
}

/** Bodies with x, y, θ each, mass 1 + i and inertia given by `inertia`, pins as constraints; p = [g, lengths …]. */
export function pinned(count: number, pins: Pin[], inertia: (p: Numbers, i: number) => number, values: number[], rank: number): Model {
  const n = 3 * count;
  const place = (q: Numbers, body: number, r: [number, number]): [number, number] => {
    if (body < 0) return r;
    const [c, s] = [Math.cos(q[3 * body + 2]!), Math.sin(q[3 * body + 2]!)];
    return [q[3 * body]! + c * r[0] - s * r[1], q[3 * body + 1]! + s * r[0] + c * r[1]];
  };
  const system = (q: Numbers, u: Numbers, c: Numbers) => {
    const M = zeros(n, n);
    const f = new Float64Array(n);
    for (let i = 0; i < count; ++i) {
      M.entries[(3 * i) * n + 3 * i] = M.entries[(3 * i + 1) * n + 3 * i + 1] = 1 + i;
      M.entries[(3 * i + 2) * n + 3 * i + 2] = inertia(c, i);
      f[3 * i + 1] = -(1 + i) * c[0]!;
    }
    const G = zeros(2 * pins.length, n);
    const gamma = new Float64Array(2 * pins.length);
    pins.forEach((pin, k) => {
      for (const [body, r, sign] of [[pin.b, pin.on_b(c), 1], [pin.a, pin.on_a(c), -1]] as const) {
        if (body < 0) continue;
        const [cos, sin] = [Math.cos(q[3 * body + 2]!), Math.sin(q[3 * body + 2]!)];
        const arm = [cos * r[0] - sin * r[1], sin * r[0] + cos * r[1]];
        G.entries[2 * k * n + 3 * body] = sign;
        G.entries[(2 * k + 1) * n + 3 * body + 1] = sign;
        G.entries[2 * k * n + 3 * body + 2] = -sign * arm[1]!;
        G.entries[(2 * k + 1) * n + 3 * body + 2] = sign * arm[0]!;
        gamma[2 * k]! += sign * arm[0]! * u[3 * body + 2]! ** 2;
        gamma[2 * k + 1]! += sign * arm[1]! * u[3 * body + 2]! ** 2;
      }
    });
    return { M, f, G, gamma };
  };
  const accelerations = (q: Numbers, u: Numbers, c: Numbers) => {
    const { M, f, G, gamma } = system(q, u, c);
    const inverse = zeros(n, n);
    for (let i = 0; i < n; ++i) inverse.entries[i * n + i] = 1 / at(M, i, i);
    const h = multiply(G, inverse);
    const lambda = least_squares(multiply(h, transpose(G)), apply(h, f).map((x, i) => x - gamma[i]!));
    const pull = apply(transpose(G), lambda);
    return { udot: f.map((x, i) => (x - pull[i]!) / at(M, i, i)), lambda };
  };
  return {
    name: "pinned", NQ: n, NU: n, NW: 0, NP: values.length, NC: values.length, NM: 2 * pins.length, RANK: rank, ...none,
    COORDINATES: Array.from({ length: n }, (_, i) => quantity(`q${i}`)),
    SPEEDS: Array.from({ length: n }, (_, i) => quantity(`q${i}'`)),
    PARAMETERS: values.map((value, i) => quantity(`p${i}`, value)),
    setup: (p) => Float64Array.from(p),
    rates: (_t, _q, u) => Float64Array.from(u),
    dynamics: (_t, q, u, _w, c) => {
      const { M, f, G, gamma } = system(q, u, c);
      return { M: M.entries, f, G: G.entries, gamma };
    },
    accelerations: (_t, q, u, _w, c) => accelerations(q, u, c),
    residuals: (_t, q, u, c) => {
      const phi = pins.flatMap((pin) => {
        const [a, b] = [place(q, pin.a, pin.on_a(c)), place(q, pin.b, pin.on_b(c))];
        return [b[0] - a[0], b[1] - a[1]];
      });
      return { phi: Float64Array.from(phi), rate: apply(system(q, u, c).G, u) };
    },
    energy: (_t, q, u, c) => {
      let [T, V] = [0, 0];
      for (let i = 0; i < count; ++i) {
        T += 0.5 * (1 + i) * (u[3 * i]! ** 2 + u[3 * i + 1]! ** 2) + 0.5 * inertia(c, i) * u[3 * i + 2]! ** 2;
        V += (1 + i) * c[0]! * q[3 * i + 1]!;
      }
      return { T, V };
    },
    poses: () => new Float64Array(15 * count),
    rhs: (_t, x, _w, c) => {
      const all = Array.from(x);
      const [q, u] = [all.slice(0, n), all.slice(n)];
      return Float64Array.from([...u, ...accelerations(q, u, c).udot]);
    },
  };
}

/** One body hung by its end, p = [g, l]: θ from the horizontal, mass centre at l. */
export const hung = (l = 0.5): Model =>
  pinned(1, [{ a: -1, b: 0, on_a: () => [0, 0], on_b: (p) => [-p[1]!, 0] }], (p) => p[1]! ** 2 / 3, [9.81, l], 2);

/** Crank a, coupler b, rocker d over a frame f: p = [g, a, b, d, f]; `double`: the last pin twice, a redundant one. */
export function four_bar(double = false): Model {
  const half = (k: number, sign: number) => (p: Numbers): [number, number] => [(sign * p[k]!) / 2, 0];
  const last: Pin = { a: 1, b: 2, on_a: half(2, 1), on_b: half(3, 1) };
  const pins: Pin[] = [
    { a: -1, b: 0, on_a: () => [0, 0], on_b: half(1, -1) },
    { a: 0, b: 1, on_a: half(1, 1), on_b: half(2, -1) },
    { a: -1, b: 2, on_a: (p) => [p[4]!, 0], on_b: half(3, -1) },
    last,
  ];
  return pinned(3, double ? [...pins, last] : pins, (p, i) => ((1 + i) * p[i + 1]! ** 2) / 12, [9.81, 0.2, 0.6, 0.45, 0.5], 8);
}

/** Where a four-bar stands for a crank angle, by the law of cosines. */
export function four_bar_state(p: Numbers, crank: number): Float64Array {
  const [, a, b, d, f] = Array.from(p) as [number, number, number, number, number];
  const [x, y] = [f - a * Math.cos(crank), -a * Math.sin(crank)];
  const diagonal = Math.hypot(x, y);
  const coupler = Math.atan2(y, x) + Math.acos((b * b + diagonal * diagonal - d * d) / (2 * b * diagonal));
  const [cx, cy] = [a * Math.cos(crank) + b * Math.cos(coupler), a * Math.sin(crank) + b * Math.sin(coupler)];
  const rocker = Math.atan2(cy, cx - f);
  return Float64Array.of(
    (a / 2) * Math.cos(crank), (a / 2) * Math.sin(crank), crank,
    a * Math.cos(crank) + (b / 2) * Math.cos(coupler), a * Math.sin(crank) + (b / 2) * Math.sin(coupler), coupler,
    f + (d / 2) * Math.cos(rocker), (d / 2) * Math.sin(rocker), rocker,
  );
}

/** A body free to turn, moments of inertia p; q a unit quaternion, u the angular velocity in the body. */
export function free_top(): Model {
  const accelerations = (_t: number, _q: Numbers, u: Numbers, _w: Numbers, c: Numbers) =>
    Float64Array.of(
      ((c[1]! - c[2]!) * u[1]! * u[2]!) / c[0]!, ((c[2]! - c[0]!) * u[2]! * u[0]!) / c[1]!, ((c[0]! - c[1]!) * u[0]! * u[1]!) / c[2]!,
    );
  const rates = (_t: number, q: Numbers, u: Numbers) =>
    Float64Array.of(
      0.5 * (-q[1]! * u[0]! - q[2]! * u[1]! - q[3]! * u[2]!), 0.5 * (q[0]! * u[0]! + q[2]! * u[2]! - q[3]! * u[1]!),
      0.5 * (q[0]! * u[1]! + q[3]! * u[0]! - q[1]! * u[2]!), 0.5 * (q[0]! * u[2]! + q[1]! * u[1]! - q[2]! * u[0]!),
    );
  return {
    name: "top", NQ: 4, NU: 3, NW: 0, NP: 3, NC: 3, NM: 0, RANK: 0, ...none,
    COORDINATES: ["e0", "e1", "e2", "e3"].map((name, i) => quantity(name, i === 0 ? 1 : 0)),
    SPEEDS: ["wx", "wy", "wz"].map((name) => quantity(name)),
    PARAMETERS: ["A", "B", "C"].map((name) => quantity(name, 1)),
    setup: (p) => Float64Array.from(p),
    rates,
    accelerations,
    poses: () => new Float64Array(15),
    rhs: (t, x, w, c) => {
      const all = Array.from(x);
      return Float64Array.from([...rates(t, all, all.slice(4)), ...accelerations(t, all, all.slice(4), w, c)]);
    },
    normalise: (q) => {
      const size = Math.hypot(...Array.from(q));
      return Float64Array.from(q, (x) => x / size);
    },
  };
}

/** A blade on a plane: x, y, θ; it moves only along itself. */
export function sleigh(): Model {
  const row = (q: Numbers) => [-Math.sin(q[2]!), Math.cos(q[2]!), 0];
  return {
    name: "sleigh", NQ: 3, NU: 3, NW: 0, NP: 0, NC: 0, NM: 1, RANK: 1, ...none,
    COORDINATES: [quantity("x"), quantity("y"), quantity("theta")],
    SPEEDS: [quantity("x'"), quantity("y'"), quantity("theta'")],
    PARAMETERS: [],
    setup: () => new Float64Array(0),
    rates: (_t, _q, u) => Float64Array.from(u),
    dynamics: (_t, q, u) => ({
      M: matrix(3, 3, [1, 0, 0, 0, 1, 0, 0, 0, 1]).entries,
      f: new Float64Array(3),
      G: Float64Array.from(row(q)),
      gamma: Float64Array.of(u[2]! * (Math.cos(q[2]!) * u[0]! + Math.sin(q[2]!) * u[1]!)),
    }),
    accelerations: (_t, q, u) => {
      const gamma = u[2]! * (Math.cos(q[2]!) * u[0]! + Math.sin(q[2]!) * u[1]!);
      return { udot: Float64Array.from(row(q), (x) => x * gamma), lambda: Float64Array.of(-gamma) };
    },
    residuals: (_t, q, u) => ({
      phi: new Float64Array(1),
      rate: Float64Array.of(row(q)[0]! * u[0]! + row(q)[1]! * u[1]!),
    }),
    poses: () => new Float64Array(15),
    rhs: (_t, x) => {
      const gamma = x[5]! * (Math.cos(x[2]!) * x[3]! + Math.sin(x[2]!) * x[4]!);
      return Float64Array.of(x[3]!, x[4]!, x[5]!, -Math.sin(x[2]!) * gamma, Math.cos(x[2]!) * gamma, 0);
    },
  };
}
