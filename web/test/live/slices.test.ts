import { expect, it } from "vitest";
import { run_in_slices } from "../../src/live/slices";

function* count(until: number): Generator<number, string> {
  for (let i = 0; i < until; ++i) yield i;
  return "done";
}

it("runs work to its end and tells how far it is", async () => {
  const told: number[] = [];
  expect(await run_in_slices(count(100000), () => false, (x) => told.push(x), 1)).toBe("done");
  expect(told.length).toBeGreaterThan(0);
});

it("stops where nobody waits", async () => {
  expect(await run_in_slices(count(1e12), () => true, undefined, 1)).toBeNull();
});
