import { expect, it } from "vitest";
import { make_record, make_recorder } from "../../src/live/record";
import { simulate, type Simulated } from "../../src/live/simulate";
import { make_system, type State } from "../../src/live/system";
import { end_of, value_at, type Trajectory } from "../../src/trajectory";
import { pendulum } from "./mechanisms";

it("fills the columns of the recorded motion, in its order, and leaves empty what the code does not give", () => {
  const model = pendulum();
  const start = { t: 0, q: Float64Array.of(1), u: Float64Array.of(0) };
  const system = make_system(model, [9.81, 1.2, 0], start);
  const work = simulate(system, start, [0, 0.5, 1]);
  let next = work.next();
  while (!next.done) next = work.next();
  const column = (name: string, group: string) => ({ name, latex: "", unit: "", group });
  const columns = [column("t", "time"), column("energy.total", "energy"), column("theta", "coordinate"), column("theta'", "speed"), column("energy.error", "energy")];
  const pattern = { columns, q: [2], u: [3] } as unknown as Trajectory;
  const record = make_record(system, next.value, pattern, [{ name: "l", value: 1.2 }]);
  expect(Array.from(record.t)).toEqual([0, 0.5, 1]);
  expect(record.values[2]![0]).toBe(1);
  expect(record.values[1]![2]).toBeCloseTo(record.values[1]![0]!, 8);
  expect(record.values[4]!.every(Number.isNaN)).toBe(true);
  expect(record.name).toBe("l = 1.2");
});

it("shows a motion while it is computed: what came first stays as it is", () => {
  const start = { t: 0, q: Float64Array.of(1), u: Float64Array.of(0) };
  const system = make_system(pendulum(), [9.81, 1.2, 0], start);
  const times = Array.from({ length: 41 }, (_, i) => i / 10);
  const rows: State[] = [];
  const work = simulate(system, start, times, undefined, rows);
  const recorder = make_recorder(system, times.length, null, []);
  let [taken, early] = [0, null as Trajectory | null];
  let next = work.next();
  for (; !next.done; next = work.next()) {
    if (rows.length < taken + 10) continue;
    recorder.add(rows.slice(taken));
    taken = rows.length;
    early ??= { ...recorder.trajectory({ steps: 0, evaluations: 0, ended: "" }), until: 4 };
  }
  recorder.add(rows.slice(taken));
  const motion: Simulated = next.value;
  const whole = recorder.trajectory(motion);
  expect(whole.values).toEqual(make_record(system, motion, null, []).values);
  expect(early!.t.length).toBeGreaterThanOrEqual(10);
  expect(early!.t.length).toBeLessThan(41);
  expect(Array.from(early!.values[1]!)).toEqual(Array.from(whole.values[1]!.subarray(0, early!.t.length)));
  expect(end_of(early!)).toBe(4); // the cursor keeps its place
  expect(value_at(early!, 1, 4)).toBe(early!.values[1]![early!.t.length - 1]);
});
