import { describe, expect, it } from "vitest";
import { largest } from "../../src/math/matrix";
import { default_options, simulate, type Simulated, type Simulation } from "../../src/live/simulate";
import { make_system, residuals, type State } from "../../src/live/system";
import type { Model } from "../../src/model";
import { four_bar, four_bar_state, free_top, hung, pendulum, sleigh } from "./mechanisms";

const start = (q: ArrayLike<number>, u: ArrayLike<number>): State => ({ t: 0, q: Float64Array.from(q), u: Float64Array.from(u) });
const values = (model: Model): Float64Array => Float64Array.from(model.PARAMETERS, (one) => one.value);
const grid = (end: number, n: number): number[] => Array.from({ length: n + 1 }, (_, i) => (end * i) / n);

function finish(work: Simulation): Simulated {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
}

/** Of a pendulum with amplitude a: 2π √(l/g) / agm(1, cos(a/2)). */
function period(g: number, l: number, a: number): number {
  let [x, y] = [1, Math.cos(a / 2)];
  for (let k = 0; k < 10; ++k) [x, y] = [(x + y) / 2, Math.sqrt(x * y)];
  return (2 * Math.PI * Math.sqrt(l / g)) / x;
}

describe("simulate", () => {
  it("brings a pendulum back after its period, for small and large amplitudes", () => {
    for (const a of [0.01, 1, 3]) {
      const system = make_system(pendulum(), [9.81, 0.7, 0], start([a], [0]));
      const motion = finish(simulate(system, start([a], [0]), grid(period(9.81, 0.7, a), 40)));
      expect(motion.ended).toBe("");
      expect(motion.rows).toHaveLength(41);
      expect(motion.rows[40]!.q[0]).toBeCloseTo(a, 7);
      expect(motion.rows[20]!.q[0]).toBeCloseTo(-a, 7); // between steps: the interpolant
      expect(motion.rows[40]!.u[0]).toBeCloseTo(0, 6);
    }
  });

  it("has the same motion with the pin as a constraint, and stays on it", () => {
    const l = 0.5;
    const a = 1.2;
    const model = hung(l);
    const s = start([l * Math.sin(a), -l * Math.cos(a), a - Math.PI / 2], [0, 0, 0]);
    const system = make_system(model, values(model), s);
    const motion = finish(simulate(system, s, grid(period(9.81, (4 / 3) * l, a), 20)));
    expect(motion.ended).toBe("");
    expect(motion.rows[20]!.q[2]).toBeCloseTo(a - Math.PI / 2, 8);
    for (const row of motion.rows) expect(largest(residuals(system, row).phi)).toBeLessThan(1e-9);
  });

  it.each([false, true])("keeps a four-bar closed and its energy, redundant pin: %s", (double) => {
    const model = four_bar(double);
    const p = values(model);
    const s = start(four_bar_state(p, 1), new Float64Array(9));
    const system = make_system(model, p, s);
    const motion = finish(simulate(system, s, grid(2, 50)));
    expect(motion.ended).toBe("");
    const energy = motion.rows.map((row) => {
      const { T, V } = model.energy!(row.t, row.q, row.u, system.c);
      return T + V;
    });
    energy.forEach((e) => expect(e).toBeCloseTo(energy[0]!, 7));
    for (const row of motion.rows) {
      const { phi, rate } = residuals(system, row);
      expect(largest(phi)).toBeLessThan(1e-8);
      expect(largest(rate)).toBeLessThan(1e-7);
      const closed = four_bar_state(p, row.q[2]!);
      expect(Math.abs(Math.cos(row.q[8]!) - Math.cos(closed[8]!))).toBeLessThan(1e-7);
    }
    expect(Math.abs(motion.rows[50]!.q[2]! - 1)).toBeGreaterThan(0.1); // it moved
  });

  it("turns a symmetric body as Euler found: its axis precesses at a constant rate", () => {
    const [A, C, spin, tilt] = [2, 1, 3, 0.4];
    const model = free_top();
    const s = start([1, 0, 0, 0], [tilt, 0, spin]);
    const system = make_system(model, [A, A, C], s);
    const motion = finish(simulate(system, s, grid(5, 50)));
    const rate = ((C - A) / A) * spin;
    for (const row of motion.rows) {
      expect(row.u[0]).toBeCloseTo(tilt * Math.cos(rate * row.t), 8);
      expect(row.u[1]).toBeCloseTo(tilt * Math.sin(rate * row.t), 8);
      expect(Math.hypot(...row.q)).toBeCloseTo(1, 14);
    }
  });

  it("moves a blade on a circle", () => {
    const s = start([0, 0, 0], [1, 0, 0.5]);
    const system = make_system(sleigh(), [], s);
    expect(system.positions).toEqual([]);
    const motion = finish(simulate(system, s, grid(4, 8)));
    for (const row of motion.rows) {
      expect(row.q[0]).toBeCloseTo(2 * Math.sin(0.5 * row.t), 9);
      expect(row.q[1]).toBeCloseTo(2 - 2 * Math.cos(0.5 * row.t), 9);
    }
  });

  it("follows inputs that follow time", () => {
    const model: Model = {
      ...pendulum(), NW: 1,
      input_values: (t) => Float64Array.of(Math.sin(3 * t)),
      rhs: (_t, x, w) => Float64Array.of(x[1]!, w[0]!),
    };
    const s = start([0], [0]);
    const motion = finish(simulate(make_system(model, [1, 1, 0], s), s, grid(2, 4)));
    expect(motion.rows[4]!.q[0]).toBeCloseTo(2 / 3 - Math.sin(6) / 9, 9);
  });

  it("ends with a reason where numbers end, steps are too many or the code throws", () => {
    const s = start([1], [0]);
    const run = (rhs: Model["rhs"], evaluations = 1e4): Simulated =>
      finish(simulate(make_system({ ...pendulum(), rhs }, [1, 1, 0], s), s, grid(2, 10), { ...default_options, evaluations }));
    const escape = run((_t, x) => Float64Array.of(x[0]! ** 2, 0)); // x = 1/(1 − t)
    expect(escape.ended).toMatch(/^ended at t = 0\.8 s|^ended at t = 1 s/);
    expect(escape.rows.length).toBeGreaterThan(3);
    expect(run((t) => Float64Array.of(Math.sin(1e6 * t), 0)).ended).toContain("too many steps");
    const thrown = run((t) => {
      if (t > 0.5) throw new Error("a motion without inertia");
      return Float64Array.of(0, 0);
    });
    expect(thrown.ended).toContain("a motion without inertia");
  });
});
