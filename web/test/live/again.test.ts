import { expect, it } from "vitest";
import { compute_again, type Again } from "../../src/live/again";
import { make_record, plain_columns } from "../../src/live/record";
import { simulate } from "../../src/live/simulate";
import { make_system } from "../../src/live/system";
import { read_report } from "../../src/report";
import { pendulum } from "./mechanisms";

function finish<T>(work: Generator<number, T>): T {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
}

it("computes a recorded motion again, and sees one that is not of this model", () => {
  const model = pendulum();
  const parameters = model.PARAMETERS.map((one) => ({ ...one, min: null, max: null, live: false }));
  const report = read_report(JSON.stringify({ format: "linkwright-report", version: 1, parameters }));
  const start = { t: 0, q: Float64Array.of(1), u: Float64Array.of(0) };
  const system = make_system(model, [9.81, 1, 0], start);
  const recorded = make_record(system, finish(simulate(system, start, [0, 0.5, 1, 1.5])), null, []);
  expect(recorded.columns).toHaveLength(plain_columns(system).columns.length);
  expect(finish(compute_again(model, report, recorded)).difference).toBeLessThan(1e-12);
  recorded.values[1]![2]! += 0.1;
  const other: Again = finish(compute_again(model, report, recorded));
  expect(other.difference).toBeCloseTo(0.1, 6);
  expect([other.name, other.t]).toEqual(["theta", 1]);
});
