import { describe, expect, it } from "vitest";
import { continuous } from "../../src/live/continuous";
import { find_rest } from "../../src/live/equilibrium";
import { live_modes } from "../../src/live/linear";
import { discretise, type Filter } from "../../src/live/sampling";
import { simulate, type Simulated, type Simulation } from "../../src/live/simulate";
import { settle } from "../../src/live/steady";
import { make_system, type State } from "../../src/live/system";
import { exponential } from "../../src/math/exponential";
import { matrix } from "../../src/math/matrix";
import type { Model } from "../../src/model";
import { pendulum } from "./mechanisms";

const finish = (work: Simulation): Simulated => {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
};

describe("a filter with a period", () => {
  const first = (a: number, b: number, D: number, period: number): Filter => ({ period, A: matrix(1, 1, [a]), B: Float64Array.of(b), D, input: 0 });

  it("is made discrete as its method says", () => {
    const hold = discretise(first(-3, 2, 0.5, 0.1), "hold");
    expect(hold.A.entries[0]).toBeCloseTo(Math.exp(-0.3), 14);
    expect(hold.B[0]).toBeCloseTo((2 / 3) * (1 - Math.exp(-0.3)), 14);
    expect([hold.C[0], hold.D]).toEqual([1, 0.5]);
    const tustin = discretise(first(-3, 2, 0.5, 0.1), "tustin");
    expect(tustin.A.entries[0]).toBeCloseTo(0.85 / 1.15, 14);
    expect(tustin.B[0]).toBeCloseTo(0.2 / 1.15, 14);
    expect(tustin.C[0]).toBeCloseTo(1 / 1.15, 14);
    expect(tustin.D).toBeCloseTo(0.5 + 0.1 / 1.15, 14);
  });

  it("has the exponential of a turn", () => {
    const e = exponential(matrix(2, 2, [0, -7, 7, 0]));
    [Math.cos(7), -Math.sin(7), Math.sin(7), Math.cos(7)].forEach((x, i) => expect(e.entries[i]).toBeCloseTo(x, 12));
  });
});

/** ẏ = −held, held the sampled y: y falls by (1 − T) from sample to sample, in straight lines. States: x of the filter, what it holds, a motor's current. */
function sampled(T: number): Model {
  return {
    ...pendulum(), NU: 4,
    SPEEDS: ["y", "x", "held", "current"].map((name) => ({ name, unit: "", about: "", value: 0 })),
    rhs: (_t, x) => Float64Array.of(0, -x[3]!, 0, 0, 5 * (2 * x[1]! - x[4]!)),
    rhs_jacobian: undefined as never,
    sampling: (_t, _q, u) => Float64Array.of(T, 1, 0, -1, u[0]!), // period, D, B, A, input
    live: { why_not: "", steady: [3], sampling: [{ name: "c", method: "hold", x: [1], held: 2 }] },
  };
}

describe("a motion with a sampled filter", () => {
  const start = (): State => ({ t: 0, q: Float64Array.of(0), u: Float64Array.of(1, 0, 0, 0) });

  it("holds what was sampled, and rows at a sample show what comes after it", () => {
    const T = 0.25;
    const motion = finish(simulate(make_system(sampled(T), [1, 1, 0], start()), start(), [0, 0.1, 0.25, 0.6, 1]));
    expect(motion.ended).toBe("");
    const line = (t: number): number => {
      const k = Math.floor(t / T + 1e-9);
      return (1 - T) ** k * (1 - (t - k * T));
    };
    motion.rows.forEach((row) => expect(row.u[0]).toBeCloseTo(line(row.t), 10));
    expect(motion.rows[0]!.u[2]).toBeCloseTo(1, 12);
    expect(motion.rows[2]!.u[2]).toBeCloseTo(0.75, 10);
  });

  it("begins with the current that stays, and with what the filter puts out", () => {
    const system = make_system(sampled(0.25), [1, 1, 0], start());
    const s = settle(system, start(), []);
    expect(s.u[3]).toBeCloseTo(2, 9);
    expect(s.u[2]).toBeCloseTo(1, 9);
    expect(settle(system, start(), [3]).u[3]).toBe(0);
  });

  it("has the poles of the filter that works all the time", () => {
    // ẏ = −(x + y), ẋ = −x, a current that follows within 1/5 s; the coordinate stands
    const system = make_system(continuous(sampled(0.25)), [1, 1, 0], start());
    const poles = live_modes(system, start()).map((one) => one.pole);
    expect(poles.map((pole) => Number(pole[0].toFixed(5))).sort((a, b) => a - b)).toEqual([-5, -1, -1, 0]);
    expect(find_rest(system, start()).state.u[0]).toBeCloseTo(0, 7);
  });
});
