import { expect, it } from "vitest";
import { make_record } from "../../src/live/record";
import { simulate } from "../../src/live/simulate";
import { make_system } from "../../src/live/system";
import type { Trajectory } from "../../src/trajectory";
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
