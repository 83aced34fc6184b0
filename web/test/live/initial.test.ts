import { describe, expect, it } from "vitest";
import { begin, read_tables } from "../../src/live/initial";
import { make_system } from "../../src/live/system";
import { read_report, type Report } from "../../src/report";
import type { Model } from "../../src/model";
import { four_bar, four_bar_state, pendulum } from "./mechanisms";

function report_of(model: Model, text: string): Report {
  const parameters = model.PARAMETERS.map((one) => ({ ...one, min: null, max: null, live: true }));
  return read_report(JSON.stringify({ format: "linkwright-report", version: 1, model: { name: "", file: "", sha256: "", text }, parameters }));
}

describe("read_tables", () => {
  it("reads keys, bare, dotted or quoted, and their values", () => {
    const text = `[parameters]\nl = { value = 2, unit = "m" } # length\nI = "m/12"\n[[body]]\nname = "a"\n[initial]\nhip = "30*deg"\n"hip'" = -1.5 # fast\nfly.wx = 1\n[guess]\nknee = '2'\n`;
    const tables = read_tables(text, ["initial", "guess", "parameters"]);
    expect([...tables.get("initial")!]).toEqual([["hip", "30*deg"], ["hip'", "-1.5"], ["fly.wx", "1"]]);
    expect([...tables.get("guess")!]).toEqual([["knee", "2"]]);
    expect([...tables.get("parameters")!]).toEqual([["l", "2"], ["I", "m/12"]]);
  });
});

describe("begin", () => {
  it("follows values that are made of parameters", () => {
    const model = pendulum(); // begins at θ = 1, l = 1
    const report = report_of(model, `[parameters]\nhalf = "l/2"\n[initial]\ntheta = "2*half"\n"theta'" = 0\n`);
    const found = begin(make_system(model, [9.81, 1.5, 0], { t: 0, q: Float64Array.of(1), u: Float64Array.of(0) }), report, null);
    expect(found.state.q[0]).toBeCloseTo(1.5, 14);
  });

  it("keeps the recorded beginning where the file says something else", () => {
    const model = pendulum();
    const report = report_of(model, `[initial]\ntheta = "3*l"\n`); // recorded with --initial theta=1
    const found = begin(make_system(model, [9.81, 1.5, 0], { t: 0, q: Float64Array.of(1), u: Float64Array.of(0) }), report, null);
    expect(found.state.q[0]).toBe(1);
  });

  it("closes a loop near the recorded state with what [initial] gives held", () => {
    const model = four_bar();
    const p = model.PARAMETERS.map((one) => one.value);
    const q = four_bar_state(p, 0.8);
    model.COORDINATES.forEach((one, i) => (one.value = q[i]!));
    const guess = model.COORDINATES.map((one, i) => (i === 2 ? "" : `${one.name} = ${one.value}`)).join("\n");
    const report = report_of(model, `[initial]\nq2 = 0.8\n[guess]\n${guess}\n`);
    const longer = [9.81, 0.24, 0.6, 0.45, 0.5];
    const found = begin(make_system(model, longer, { t: 0, q, u: new Float64Array(9) }), report, null);
    expect(found.ok).toBe(true);
    four_bar_state(longer, 0.8).forEach((x, i) => expect(found.state.q[i]).toBeCloseTo(x, 10));
  });
});
