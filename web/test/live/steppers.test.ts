import { describe, expect, it } from "vitest";
import { explicit } from "../../src/live/explicit";
import { rosenbrock } from "../../src/live/rosenbrock";
import { simulate, type Simulated, type Simulation } from "../../src/live/simulate";
import type { Method } from "../../src/live/stepper";
import { make_system, type State } from "../../src/live/system";
import { eliminate, solve } from "../../src/math/elimination";
import { apply, matrix } from "../../src/math/matrix";
import type { Model } from "../../src/model";
import { pendulum } from "./mechanisms";

// a driven, damped pendulum: neither linear nor independent of time
const f = (t: number, x: Float64Array): Float64Array => Float64Array.of(x[1]!, Math.cos(t) - Math.sin(x[0]!) - 0.1 * x[1]!);
const jacobian = (_t: number, x: Float64Array) => matrix(2, 2, [0, 1, -Math.cos(x[0]!), -0.1]);
const loose = { relative: 1, absolute: 1e9 };

/** n steps to t = end, the last one only to its part `part`. */
function run(method: Method, end: number, n: number, part = 1): number {
  let x = Float64Array.of(1, 0.5);
  const h = end / n;
  for (let i = 0; i < n - 1; ++i) x = method.attempt(i * h, x, f(i * h, x), h).to as Float64Array<ArrayBuffer>;
  const step = method.attempt((n - 1) * h, x, f((n - 1) * h, x), h);
  return part === 1 ? step.to[0]! : step.inside(part)[0]!;
}

describe.each([
  ["explicit", () => explicit(f, loose), 8, 7],
  ["rosenbrock", () => rosenbrock(f, jacobian, loose), 5, 4],
] as const)("%s steps", (_name, make, order, inside) => {
  const exact = (t: number): number => run(explicit(f, loose), t, 500);
  const slope = (errors: number[]): number => Math.log2(errors[0]! / errors[1]!);

  it("have errors of their order", () => {
    const end = 2;
    expect(slope([4, 8].map((n) => Math.abs(run(make(), end, n) - exact(end))))).toBeGreaterThan(order - 1.3);
    expect(Math.abs(run(make(), end, 64) - exact(end))).toBeLessThan(1e-10);
  });

  it("have an interpolant of its order, which begins and ends where the step does", () => {
    const error = (n: number): number => Math.abs(run(make(), 2, n, 0.4) - exact(2 - (0.6 * 2) / n));
    expect(Math.log2(error(4) / error(16)) / 2).toBeGreaterThan(inside - 1.3);
    const step = make().attempt(0, Float64Array.of(1, 0.5), f(0, Float64Array.of(1, 0.5)), 0.3);
    expect(step.inside(0)[0]).toBeCloseTo(1, 14);
    expect(step.inside(1)[1]).toBeCloseTo(step.to[1]!, 13);
  });
});

describe("stiff equations", () => {
  const start = (q: number, u: number): State => ({ t: 0, q: Float64Array.of(q), u: Float64Array.of(u) });
  const finish = (work: Simulation): Simulated => {
    for (;;) {
      const next = work.next();
      if (next.done) return next.value;
    }
  };

  it("are found and stepped by the method for them", () => {
    // x̂ = −k (x − cos t) − sin t and x: after the transient x is cos t
    const k = 1e6;
    const model: Model = {
      ...pendulum(),
      rhs: (t, x) => Float64Array.of(-k * (x[0]! - Math.cos(t)) - Math.sin(t), -x[1]!),
      rhs_jacobian: () => ({ A: Float64Array.of(-k, 0, 0, -1), B: new Float64Array(0) }),
    };
    const motion = finish(simulate(make_system(model, [1, 1, 0], start(2, 1)), start(2, 1), [0, 1, 2.5, 5]));
    expect(motion.ended).toBe("");
    expect(motion.evaluations).toBeLessThan(20000);
    expect(motion.stiff_steps).toBeGreaterThan(0.5 * motion.steps);
    for (const row of motion.rows.slice(1)) {
      expect(row.q[0]).toBeCloseTo(Math.cos(row.t), 8);
      expect(row.u[0]).toBeCloseTo(Math.exp(-row.t), 8);
    }
  });

  it("are not seen where accuracy alone bounds the steps", () => {
    const motion = finish(simulate(make_system(pendulum(), [9.81, 0.7, 0], start(1, 0)), start(1, 0), [0, 1, 5]));
    expect(motion.stiff_steps).toBe(0);
  });
});

describe("elimination", () => {
  it("solves where rows must be exchanged, and says where it cannot", () => {
    const a = matrix(3, 3, [0, 2, 1, 1, -1, 3, 4, 0, -2]);
    const x = solve(eliminate(a)!, [1, 2, 3]);
    apply(a, x).forEach((y, i) => expect(y).toBeCloseTo(i + 1, 13));
    expect(eliminate(matrix(2, 2, [1, 2, 2, 4]))).toBeNull();
  });
});
