import { describe, expect, it } from "vitest";
import { nyquist_points, unjoined } from "../../src/analysis/frequency";
import { pole_text, whirl_words, words } from "../../src/analysis/modes";
import { pole_scales } from "../../src/analysis/pole_plane";
import { colours_of } from "../../src/analysis/sweep";
import { sentence } from "../../src/panels/analysis";
import { step_title } from "../../src/panels/lesson";
import { charts_of, stretches } from "../../src/panels/perturbation";
import { rounded, scale_for } from "../../src/panels/sliders";
import { raised } from "../../src/math/raised";
import { equations_of } from "../../src/panels/trust";

describe("modes", () => {
  it("are told in words", () => {
    expect(words([0, 2 * Math.PI])).toBe("oscillates at 1 Hz");
    expect(words([-Math.LN2, 0])).toBe("decays, halves in 1 s");
    expect(words([Math.LN2 / 2, 3])).toMatch(/^oscillates and grows at 0\.4775 Hz, doubles in 2 s$/);
    expect(words([0, 0])).toContain("at zero");
    expect(pole_text([-0.5, 2])).toBe("−0.5 ± 2 i");
    expect(pole_text([0, -2])).toBe("± 2 i");
    expect(pole_text([3, 0])).toBe("3");
    expect(["forward", "mixed", "", null].map(whirl_words)).toEqual(["whirls forward", "whirls forward and backward", "", ""]);
  });

  it("have room around them in the plane, on both sides of zero", () => {
    const { x, y } = pole_scales([[0, 5], [0, 9]]);
    expect(x.min).toBeLessThan(0);
    expect(x.max).toBeGreaterThan(0);
    expect(y.max).toBeGreaterThan(9);
    expect(y.min).toBeLessThan(-9);
  });
});

describe("a root locus", () => {
  it("has one colour for both of a conjugate pair", () => {
    const poles: [number, number][] = [[-1, 0], [0, 2], [-1, 3], [0, -2], [-1, -3]];
    expect(colours_of({ parameter: "k", unit: "", values: [1], poles: [poles] })).toEqual([0, 1, 2, 1, 2]);
  });
});

describe("responses", () => {
  it("turn magnitude and phase into points, and do not join jumps of the phase", () => {
    const [p] = nyquist_points({ input: "", output: "", unit: "", hz: [1], magnitude: [2], phase: [-90] });
    expect(p![0]).toBeCloseTo(0, 14);
    expect(p![1]).toBeCloseTo(-2, 14);
    expect(unjoined([1, 2, 3], [-170, 175, 170]).filter(([, y]) => Number.isNaN(y))).toHaveLength(1);
  });
});

describe("curves", () => {
  it("fall into stable and unstable stretches that touch", () => {
    const list = stretches({ points: [[0, 0], [1, 1], [2, 2], [3, 3]], stable: [true, true, false, false] });
    expect(list.map((one) => [one.stable, one.points.length])).toEqual([[true, 3], [false, 2]]);
  });
  it("of one name are branches of one chart, and what has nothing to draw has none", () => {
    const curve = (name: string, points: [number, number][]) => ({ name, x: { name: "", unit: "" }, y: { name: "", unit: "" }, points, stable: [], simulated: [], simulated_stable: [], left_out: "" });
    const list = charts_of([curve("response", [[0, 0], [1, 1]]), curve("backbone", [[0, 0], [1, 1]]), curve("response", [[2, 0], [3, 1]]), curve("backbone of 2", [])]);
    expect(list.map((one) => [one[0]!.name, one.length])).toEqual([["response", 2], ["backbone", 1]]);
  });
});

it("numbers in sentences have their powers raised", () => {
  expect(raised("at most 4e-09 J in 1e+12 steps of 2^-59 m/s^2")).toBe("at most 4·10⁻⁹ J in 10¹² steps of 2⁻⁵⁹ m/s²");
  expect(raised("file1e5, 0x1e-3b")).toBe("file1e5, 0x1e-3b");
});

describe("sliders", () => {
  const parameter = (value: number, min: number | null, max: number | null) => ({ name: "k", value, unit: "", about: "", min, max, live: true });
  it("move by factors over many decades, and have readable values", () => {
    expect(scale_for(parameter(1, 0.001, 1000)).kind).toBe("log");
    expect(scale_for(parameter(1, 0.5, 2)).kind).toBe("linear");
    expect(scale_for(parameter(3, null, null))).toEqual({ kind: "linear", min: 0, max: 6 });
    expect(rounded(1.23456789, { kind: "linear", min: 0, max: 2 })).toBe(1.235);
    expect(rounded(5, { kind: "linear", min: 0, max: 2 })).toBe(2);
  });
});

describe("trust", () => {
  it("hashes what is made of the equations alone", () => {
    expect(equations_of("a\n// where the motion starts\nb")).toBe("a");
    expect(equations_of("a")).toBe("a");
  });

  it("raises powers", () => {
    expect(raised("below 2^-59.")).toBe("below 2⁻⁵⁹.");
  });
});

describe("words of the program", () => {
  it("become sentences and titles", () => {
    expect(sentence("stable: the lowest frequency is 2 rad/s")).toBe("Stable: the lowest frequency is 2 rad/s.");
    expect(sentence("It rests.")).toBe("It rests.");
    const step = (title: string) => ({ title, text: "", blocks: [], citation: "" });
    expect(step_title(step("Step 3. Loads"), 2)).toBe("3. Loads");
    expect(step_title(step("Loads"), 2)).toBe("3. Loads");
  });
});
