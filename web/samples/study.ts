// The triple pendulum with all that a page can hold: equations, a recursive form, a lesson, code, analysis, curves, trust. Its modes, root
// locus and responses are computed here with the page's own routines.
import { live_modes } from "../src/live/linear";
import { make_system } from "../src/live/system";
import { sha256 } from "../src/math/sha256";
import type { Complex } from "../src/math/complex";
import { chain } from "./chain";
import type { Sample } from "./page";

const mark = (symbol: number, latex: string): string => `\\htmlData{symbol=${symbol}}{${latex}}`;

function symbols(): object[] {
  return [
    ["g", "g", "parameter", "m/s^2", "gravity", 9.81], ["l1", "l_{1}", "parameter", "m", "length of the upper rod", 1],
    ["l2", "l_{2}", "parameter", "m", "length of the middle rod", 0.8], ["m1", "m_{1}", "parameter", "kg", "mass at its end", 1],
    ["m2", "m_{2}", "parameter", "kg", "mass at its end", 1], ["q1", "q_{1}", "coordinate", "rad", "angle of the upper rod", null],
    ["q2", "q_{2}", "coordinate", "rad", "angle between upper and middle rod", null], ["u1", "\\dot q_{1}", "speed", "rad/s", "", null],
  ].map(([name, latex, kind, unit, about, value]) => ({ name, latex, kind, unit, about, value }));
}

function equations(code: string): object {
  const [g, l1, l2, m1, m2, q1, q2, u1] = ["g", "l_{1}", "l_{2}", "m_{1}", "m_{2}", "q_{1}", "q_{2}", "\\dot q_{1}"].map((latex, i) => mark(i, latex)) as [string, string, string, string, string, string, string, string];
  const M = `M = \\begin{bmatrix} (${m1} + ${m2})\\,${l1}^{2} + ${m2}\\,${l2}^{2} + 2\\,${m2}\\,${l1}\\,${l2}\\cos ${q2} & ${m2}\\,${l2}\\,(${l2} + ${l1}\\cos ${q2}) \\\\ ${m2}\\,${l2}\\,(${l2} + ${l1}\\cos ${q2}) & ${m2}\\,${l2}^{2} \\end{bmatrix}`;
  const long = Array.from({ length: 9 }, (_, i) => `${m2}\\,${l1}\\,${l2}\\,${u1}^{${i + 2}}\\sin ${q2}`).join(" + ");
  const formula = (latex: string, number: number | null): object => ({ kind: "formula", latex, citation: "", number });
  const parts = [
    { id: "overview", title: "The form of the equations", collapsed: false, blocks: [
      { kind: "text", runs: [{ text: "Two of the three links, as " }, { latex: "M(q)\\,\\ddot q = f(q, \\dot q)" }, { text: ", derived by " }, { strong: "Kane's method" }, { text: "." }] },
      { kind: "text", runs: [{ text: "Angles are " }, { latex: q1 }, { text: " and " }, { latex: q2 }, { text: ". Rods have no mass." }] },
      { kind: "table", rows: [[[{ latex: l1 }], [{ text: "1 m" }], [{ text: "upper rod" }]], [[{ latex: l2 }], [{ text: "0.8 m" }], [{ text: "middle rod" }]]] }] },
    { id: "M", title: "Mass matrix", collapsed: false, blocks: [{ kind: "formula", latex: M, citation: "", number: 1 }] },
    { id: "f", title: "Forcing", collapsed: false, blocks: [formula(`f_{1} = -(${m1} + ${m2})\\,${g}\\,${l1}\\sin ${q1} - ${m2}\\,${g}\\,${l2}\\sin(${q1} + ${q2})`, 2), formula(`f_{2} = ${long}`, 3)] },
    { id: "energy", title: "Energies", collapsed: true, blocks: [formula(`V = -(${m1} + ${m2})\\,${g}\\,${l1}\\cos ${q1}`, 4)] },
  ];
  return {
    form: "Readable form", hash: sha256("equations"), parts,
    counts: [{ name: "accelerations", text: "83 add, 144 mul, 3 sincos" }, { name: "energy", text: "18 add, 39 mul, 3 sincos" }],
    latex: `\\[ ${M.replace(/\\htmlData\{[^}]*\}/g, "")} \\]`,
    recursive: [{ id: "outward", title: "Outwards: velocities", collapsed: false, blocks: [formula("{}^{i}\\omega_{i} = {}^{i}R_{i-1}\\,{}^{i-1}\\omega_{i-1} + \\dot q_{i}\\,e_{i}", null)] }],
    lesson: [
      { title: "Where the masses are", text: "Each mass hangs from the one above.", blocks: [formula(`x_{1} = ${l1}\\sin ${q1}`, null)], citation: "T. R. Kane, D. A. Levinson: Dynamics, chapter 2" },
      { title: "How fast they move", text: "Differentiate.\n\nSpeeds are rates of angles.", blocks: [formula(`\\dot x_{1} = ${l1}\\,${u1}\\cos ${q1}`, null)], citation: "" },
      { title: "What pulls", text: "Gravity alone.", blocks: [formula(`F = -${m1}\\,${g}`, null)], citation: "" },
    ],
    code: [
      { language: "javascript", file: "triple_pendulum.js", text: code },
      { language: "python", file: "triple_pendulum.py", text: '"""Equations of motion <b>not bold</b>"""\nimport numpy as np\n\ndef rates(t, q, u, c):\n    # the simplest case\n    return 1.0*u\n' },
    ],
  };
}

export function study(): Sample {
  const { report, code } = chain(3) as { report: Record<string, any>; code: string };
  report["title"] = "Triple pendulum, studied";
  report["symbols"] = symbols();
  report["sections"] = ["mechanism", "motion", "equations", "analysis", "perturbation", "trust"];
  report["equations"] = equations(code);
  report["notes"] = [{ section: "equations", text: "Of three links two are shown." }];
  const model = run(code);
  const p = Float64Array.from(report["parameters"], (one: any) => one.value);
  const rest = { t: 0, q: new Float64Array(3), u: new Float64Array(3) };
  const at = (values: Float64Array) => live_modes(make_system(model, values, rest), rest);
  const modes = at(p);
  const n = 6;
  const a = model.rhs_jacobian(0, new Float64Array(n), [], p).A as Float64Array;
  const states = ["q1", "q2", "q3", "u1", "u2", "u3"];
  const lengths = Array.from({ length: 60 }, (_, i) => 0.3 + (1.7 * i) / 59);
  const hz = Array.from({ length: 200 }, (_, i) => 0.05 * 100 ** (i / 199));
  const response = hz.map((f) => {
    const w = 2 * Math.PI * f;
    return modes.reduce<Complex>((sum, mode) => {
      const [x, y] = [mode.pole[1] ** 2 - w * w, 0.06 * mode.pole[1] * w];
      return [sum[0] + x / (x * x + y * y), sum[1] - y / (x * x + y * y)];
    }, [0, 0]);
  });
  report["analysis"] = {
    equilibrium: { found: true, text: "The pendulum hangs at rest.", q: [0, 0, 0], outputs: [{ name: "tip.y", value: -2.4, unit: "m" }], notes: [] },
    linear: { states, inputs: ["tau"], outputs: ["tip.x"], A: Array.from({ length: n }, (_, i) => Array.from(a.slice(i * n, i * n + n), (x) => (Math.abs(x) < 1e-7 ? 0 : x))), B: states.map((_, i) => [i === 3 ? 1 : 0]), C: [[2.4, 1.4, 0.6, 0, 0, 0]], D: [[0]], at: { q: [0, 0, 0], u: [0, 0, 0] }, where: "At the equilibrium." },
    modes: modes.map((one) => ({ pole: one.pole, frequency: one.frequency, damping: one.damping, period: 1 / one.frequency, whirl: null, kind: "oscillation", shape: one.shape, text: `${one.frequency.toPrecision(4)} Hz, undamped` })),
    stability: "Stable: no mode grows; none decays either.",
    sensitivities: modes.map((_, k) => ({ quantity: `frequency of mode ${k + 1}`, unit: "Hz", items: ["l1", "l2", "l3", "m1", "g"].map((parameter, i) => {
      const [up, down] = [1.001, 0.999].map((factor) => at(p.map((x, j) => (report["parameters"][j].name === parameter ? x * factor : x)))[k]!.frequency) as [number, number];
      const relative = Math.log(up / down) / Math.log(1.001 / 0.999);
      return { parameter, value: (relative * modes[k]!.frequency) / (i < 3 ? 1 : 9.81), relative };
    }) })),
    sweeps: [{ parameter: "l1", unit: "m", values: lengths, poles: lengths.map((l) => at(p.map((x, i) => (i === 1 ? l : x))).flatMap((one) => [one.pole, [one.pole[0], -one.pole[1]]])) }],
    frequency: [{ input: "tau", output: "tip.x", unit: "m/(N*m)", hz, magnitude: response.map((z) => Math.hypot(...z)), phase: response.map((z) => (Math.atan2(z[1], z[0]) * 180) / Math.PI) }],
  };
  const backbone = Array.from({ length: 80 }, (_, i) => [1 - (i / 79) ** 2 / 16, i / 79] as [number, number]);
  report["perturbation"] = {
    parts: [{ id: "backbone-curves", title: "Backbone curves", collapsed: false, blocks: [
      { kind: "text", runs: [{ text: "The upper link alone, with an amplitude " }, { latex: "a" }, { text: ": its frequency falls as the amplitude grows." }] },
      { kind: "formula", latex: "\\omega(a) = \\omega_{0}\\left(1 - \\frac{a^{2}}{16}\\right)", citation: "", number: 1 }] }],
    latex: "\\omega(a) = \\omega_{0}\\left(1 - \\frac{a^{2}}{16}\\right)",
    curves: [{ name: "Backbone", x: { name: "frequency over that of small swings", unit: "" }, y: { name: "amplitude", unit: "rad" }, points: backbone, stable: backbone.map((_, i) => i < 60), simulated: backbone.filter((_, i) => i % 10 === 5).map(([x, y]) => [x + 0.0004 * y ** 4, y]), simulated_stable: backbone.filter((_, i) => i % 10 === 5).map((_, i) => i < 6), left_out: "1 of 9 is left out: it did not converge" }],
  };
  report["trust"] = {
    certificate: { verdict: "proved", proved: true, bound: "1e-33", text: "Six formulations, the readable form and the program are the same functions.", formulations: ["kane", "lagrange", "newton_euler"], not_proved: [] },
    checks: [{ name: "energy drift", value: 3.1e-9, text: "of the largest kinetic energy", ok: true }, { name: "constraint residual", value: 0, text: "a tree has none", ok: true }],
    tolerances: [{ tolerance: 1e-6, difference: 3.2e-4 }, { tolerance: 1e-8, difference: 4.1e-6 }, { tolerance: 1e-10, difference: 2.2e-8 }],
    hashes: [{ what: "model", sha256: sha256(report["model"].text) }, { what: "equations", sha256: sha256("equations") }, { what: "code", sha256: sha256(code) }],
    versions: [{ name: "linkwright", version: "0.11.0" }, { name: "front end", version: "1.0.0" }],
    verify: "linkwright report --verify page.html",
  };
  report["model"].text += "# <script>alert(1)</script>\n";
  report["trust"].hashes[0].sha256 = sha256(report["model"].text);
  return { report, code };
}

function run(code: string): any {
  const before = (globalThis as any).linkwrightModel;
  new Function(code)();
  const model = (globalThis as any).linkwrightModel;
  (globalThis as any).linkwrightModel = before;
  return model;
}
