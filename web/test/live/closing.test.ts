import { describe, expect, it } from "vitest";
import { largest } from "../../src/math/matrix";
import { assemble, project } from "../../src/live/closing";
import { make_system, residuals, type State } from "../../src/live/system";
import { four_bar, four_bar_state, free_top, hung } from "./mechanisms";

const still = (q: ArrayLike<number>): State => ({ t: 0, q: Float64Array.from(q), u: new Float64Array(q.length) });
const p = [9.81, 0.2, 0.6, 0.45, 0.5];

describe("assemble", () => {
  it("closes a four-bar whose crank grew, with the crank's angle held", () => {
    const model = four_bar();
    const longer = [9.81, 0.25, 0.6, 0.45, 0.5];
    const from = still(four_bar_state(p, 0.8));
    const system = make_system(model, longer, from);
    expect(largest(residuals(system, from).phi)).toBeGreaterThan(0.01);
    const found = assemble(system, { state: from, held_q: [2], held_u: [] });
    expect(found.ok).toBe(true);
    four_bar_state(longer, 0.8).forEach((x, i) => expect(found.state.q[i]).toBeCloseTo(x, 11));
    expect(found.state.q[2]).toBe(0.8);
  });

  it("fits the other speeds to one that is held", () => {
    const system = make_system(four_bar(), p, still(four_bar_state(p, 0.8)));
    const from = still(four_bar_state(p, 0.8));
    from.u[2] = 3;
    const { state, ok } = assemble(system, { state: from, held_q: [2], held_u: [2] });
    expect(ok).toBe(true);
    expect(state.u[2]).toBe(3);
    const h = 1e-6;
    const [ahead, behind] = [four_bar_state(p, 0.8 + h), four_bar_state(p, 0.8 - h)];
    ahead.forEach((x, i) => expect(state.u[i]).toBeCloseTo((3 * (x - behind[i]!)) / (2 * h), 7));
  });

  it("takes the nearest place where nothing is held", () => {
    // A body pinned by its end, p = [g, l]: |q − q₀| is least where its gradient is normal to the one free direction.
    const model = hung(0.5);
    const from = still([0.5, -0.1, 0.4]);
    const system = make_system(model, [9.81, 0.5], still([0.5, 0, 0]));
    const { state, ok } = assemble(system, { state: from, held_q: [], held_u: [] });
    expect(ok).toBe(true);
    const [x, y, a] = state.q as unknown as [number, number, number];
    expect(x).toBeCloseTo(0.5 * Math.cos(a), 12);
    const free = [-0.5 * Math.sin(a), 0.5 * Math.cos(a), 1];
    const along = (x - 0.5) * free[0]! + (y + 0.1) * free[1]! + (a - 0.4) * free[2]!;
    expect(along).toBeCloseTo(0, 11);
  });

  it("says so where nothing closes", () => {
    const system = make_system(four_bar(), [9.81, 0.2, 2, 0.45, 0.5], still(four_bar_state(p, 0.8)));
    const found = assemble(system, { state: still(four_bar_state(p, 0.8)), held_q: [], held_u: [] });
    expect(found.ok).toBe(false);
    expect(found.residual).toBeGreaterThan(0.1);
  });
});

describe("project", () => {
  it("goes back onto the constraints, positions and speeds", () => {
    const system = make_system(four_bar(true), p, still(four_bar_state(p, 0.8)));
    const off = still(four_bar_state(p, 0.8).map((x, i) => x + 1e-4 * Math.sin(5 * i)));
    off.u.forEach((_, i) => (off.u[i] = 0.01 * Math.cos(3 * i)));
    const on = project(system, off);
    const { phi, rate } = residuals(system, on);
    expect(largest(phi)).toBeLessThan(1e-12);
    expect(largest(rate)).toBeLessThan(1e-12);
    expect(largest(on.q.map((x, i) => x - off.q[i]!))).toBeLessThan(1e-3);
  });

  it("keeps unit quaternions on their sphere", () => {
    const system = make_system(free_top(), [1, 1, 1], { t: 0, q: Float64Array.of(1, 0, 0, 0), u: new Float64Array(3) });
    const { q } = project(system, { t: 0, q: Float64Array.of(1, 0.1, 0, 0), u: new Float64Array(3) });
    expect(Math.hypot(...q)).toBeCloseTo(1, 15);
  });
});
