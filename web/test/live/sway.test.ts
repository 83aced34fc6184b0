import { expect, it } from "vitest";
import { live_modes } from "../../src/live/linear";
import { make_sway } from "../../src/live/sway";
import { make_system, residuals, type State } from "../../src/live/system";
import type { Model } from "../../src/model";
import { hung } from "./mechanisms";

/** Poses of the one body: R row-major, origin, mass centre. */
const with_poses = (model: Model): Model => ({
  ...model,
  poses: (_t, q) => {
    const [c, s] = [Math.cos(q[2]!), Math.sin(q[2]!)];
    return Float64Array.of(c, -s, 0, s, c, 0, 0, 0, 1, q[0]!, q[1]!, 0, q[0]!, q[1]!, 0);
  },
});

it("sways by a visible amount, to and fro, with the loop closed", () => {
  const l = 0.5;
  const model = with_poses(hung(l));
  const state: State = { t: 0, q: Float64Array.of(0, -l, -Math.PI / 2), u: new Float64Array(3) };
  const p = [9.81, l];
  const system = make_system(model, p, state);
  const sway = make_sway({ model, name: "mode 1", shape: live_modes(system, state)[0]!.shape, state, p, bodies: 1, size: 1 });
  const angle = (phase: number): number => sway.q(phase)[2]! + Math.PI / 2;
  expect(Math.abs(angle(0))).toBeGreaterThan(0.2);
  expect(Math.abs(angle(0))).toBeLessThan(0.5);
  expect(angle(Math.PI)).toBeCloseTo(-angle(0), 6);
  expect(angle(Math.PI / 2)).toBeCloseTo(0, 6);
  for (const phase of [0, 1, 2, 3]) {
    const q = Float64Array.from(sway.q(phase));
    expect(Math.max(...residuals(system, { ...state, q }).phi.map(Math.abs))).toBeLessThan(1e-10);
  }
});
