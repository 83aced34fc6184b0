import { describe, expect, it } from "vitest";
import { size } from "../../src/math/complex";
import { multiply, transpose } from "../../src/math/matrix";
import { find_rest } from "../../src/live/equilibrium";
import { live_modes, one_for_each_lambda, tangent, type LiveMode } from "../../src/live/linear";
import { make_system, residuals, type State } from "../../src/live/system";
import { four_bar, four_bar_state, free_top, hung, pendulum, pinned, sleigh } from "./mechanisms";

const still = (q: ArrayLike<number>, speeds = q.length): State => ({ t: 0, q: Float64Array.from(q), u: new Float64Array(speeds) });

describe("live_modes", () => {
  it("has the damped pair of a pendulum, hanging, and its two real poles, standing", () => {
    const system = make_system(pendulum(), [9.81, 0.5, 0.4], still([0]));
    const [mode, ...others] = live_modes(system, still([0]));
    expect(others).toEqual([]);
    const wanted = 9.81 / 0.5;
    expect(mode!.pole[0]).toBeCloseTo(-0.2, 12);
    expect(mode!.pole[1]).toBeCloseTo(Math.sqrt(wanted - 0.04), 12);
    expect(mode!.damping).toBeCloseTo(0.2 / Math.sqrt(wanted), 12);
    expect(mode!.shape[0]![0]).toBeCloseTo(1, 14);
    const standing = live_modes(system, still([Math.PI]));
    expect(standing).toHaveLength(2);
    expect(standing.every((one) => one.pole[1] === 0)).toBe(true);
    expect(standing.some((one) => one.pole[0] > 4)).toBe(true);
  });

  it("leaves out what opens loops: a pinned body has one frequency", () => {
    const l = 0.5;
    const system = make_system(hung(l), [9.81, l], still([0, -l, -Math.PI / 2]));
    const modes = live_modes(system, still([0, -l, -Math.PI / 2]));
    expect(modes).toHaveLength(1);
    expect(modes[0]!.pole[1]).toBeCloseTo(Math.sqrt(9.81 / ((4 / 3) * l)), 6);
    expect(modes[0]!.pole[0]).toBeCloseTo(0, 6);
    const [x, , a] = modes[0]!.shape;
    expect(size(x!) / size(a!)).toBeCloseTo(l, 6);
  });

  it("has the two frequencies of a double pendulum in closed form", () => {
    // Masses 1 and 2, inertias J, rods of length 1: (3 + J) θ1'' + 2 θ2'' + 3 g θ1 = 0, 2 θ1'' + (2 + J) θ2'' + 2 g θ2 = 0.
    const [g, J] = [9.81, 0.1];
    const model = pinned(
      2,
      [
        { a: -1, b: 0, on_a: () => [0, 0], on_b: () => [-1, 0] },
        { a: 0, b: 1, on_a: () => [0, 0], on_b: () => [-1, 0] },
      ],
      () => J, [g], 4,
    );
    const down = still([0, -1, -Math.PI / 2, 0, -2, -Math.PI / 2]);
    const modes = live_modes(make_system(model, [g], down), down);
    const [a, b, c] = [(3 + J) * (2 + J) - 4, -g * (3 * (2 + J) + 2 * (3 + J)), 6 * g * g]; // a ω⁴ + b ω² + c = 0
    const wanted = [-1, 1].map((sign) => Math.sqrt((-b + sign * Math.sqrt(b * b - 4 * a * c)) / (2 * a)));
    expect(modes).toHaveLength(2);
    modes.forEach((mode, k) => expect(mode.pole[1]).toBeCloseTo(wanted[k]!, 4));
  });

  it("spans as many small motions as there are: quaternions, wheels, speeds", () => {
    const top = make_system(free_top(), [1, 2, 3], still([1, 0, 0, 0], 3));
    expect(tangent(top, still([1, 0, 0, 0], 3)).columns).toBe(6);
    const blade = make_system(sleigh(), [], still([0, 0, 0]));
    expect(tangent(blade, still([0, 0, 0])).columns).toBe(5);
    const p = [9.81, 0.2, 0.6, 0.45, 0.5];
    const s = still(four_bar_state(p, 0.8));
    s.u[2] = 2;
    const bar = make_system(four_bar(true), p, s);
    const h = 1e-6;
    const [ahead, behind] = [four_bar_state(p, 0.8 + h), four_bar_state(p, 0.8 - h)];
    s.u = ahead.map((x, i) => (2 * (x - behind[i]!)) / (2 * h));
    expect(Math.max(...residuals(bar, s).rate.map(Math.abs))).toBeLessThan(1e-8);
    const t = tangent(bar, s);
    expect(t.columns).toBe(2);
    const unit = multiply(transpose(t), t);
    [1, 0, 0, 1].forEach((x, i) => expect(unit.entries[i]).toBeCloseTo(x, 12));
    for (const j of [0, 1]) {
      const moved = (values: Float64Array, from: number) => values.map((x, i) => x + 1e-5 * t.entries[(from + i) * 2 + j]!);
      const { rate } = residuals(bar, { t: 0, q: moved(s.q, 0), u: moved(s.u, 9) });
      expect(Math.max(...rate.map(Math.abs))).toBeLessThan(1e-8); // to first order speeds still fit
    }
  });

  it("shows a body that spins about its middle axis to be unstable", () => {
    const s = { t: 0, q: Float64Array.of(1, 0, 0, 0), u: Float64Array.of(0, 2, 0) };
    const modes = live_modes(make_system(free_top(), [1, 2, 3], s), s);
    const growth = 2 * Math.sqrt(((3 - 2) * (2 - 1)) / (1 * 3));
    expect(Math.max(...modes.map((one) => one.pole[0]))).toBeCloseTo(growth, 6);
  });
});

describe("find_rest", () => {
  it("lets a pendulum hang and a four-bar settle where its energy is least", () => {
    const one = make_system(pendulum(), [9.81, 0.5, 0.1], still([0.6]));
    const rest = find_rest(one, still([0.6]));
    expect(rest.found).toBe(true);
    expect(rest.state.q[0]).toBeCloseTo(0, 9);

    const model = four_bar();
    const p = [9.81, 0.2, 0.6, 0.45, 0.5];
    const bar = make_system(model, p, still(four_bar_state(p, -1.5)));
    const found = find_rest(bar, still(four_bar_state(p, -1.5)));
    expect(found.found).toBe(true);
    const height = (a: number): number => model.energy!(0, four_bar_state(p, a), new Float64Array(9), p).V;
    const a = found.state.q[2]!;
    expect((height(a + 1e-4) - height(a - 1e-4)) / 2e-4).toBeCloseTo(0, 5);
    expect(Math.max(...residuals(bar, found.state).phi.map(Math.abs))).toBeLessThan(1e-11);
  });
});

describe("one_for_each_lambda", () => {
  it("keeps one of two poles that belong together", () => {
    const mode = (re: number, im: number): LiveMode => ({ pole: [re, im], frequency: im, damping: 0, shape: [] });
    const kept = one_for_each_lambda([mode(0, 0), mode(0, 0), mode(-2, 0), mode(2, 0), mode(0, 3)]);
    expect(kept.map((one) => one.pole)).toEqual([[0, 0], [2, 0], [0, 3]]);
  });
});
