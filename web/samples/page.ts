// Samples: pages for development and tests without the program. Reports made by hand, with models made by hand.
import { chain } from "./chain";
import { four_bar } from "./four_bar";
import { parts } from "./parts";
import { study } from "./study";

export interface Sample {
  report: object;
  code: string; // sets globalThis.linkwrightModel
}

export const samples: Record<string, () => Sample> = {
  triple_pendulum: () => chain(3),
  chain60: () => chain(60),
  four_bar,
  parts,
  study,
};

// A report and its code put into the built page, as the program does it.
export function fill_page(html: string, sample: Sample): string {
  const json = JSON.stringify(sample.report).replace(/</g, "\\u003c");
  return html
    .replace("<!--linkwright:report-->", () => `<script type="application/json" id="linkwright-report">${json}</script>`)
    .replace("<!--linkwright:code-->", () => `<script id="linkwright-code">${sample.code}</script>`);
}

export const sample_page = (html: string, name: string): string =>
  fill_page(html, (samples[name] ?? samples["triple_pendulum"]!)());

export function encode(columns: number[][]): string {
  const numbers = new Float64Array(columns.flat());
  const bytes = new Uint8Array(numbers.buffer);
  let text = "";
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(text);
}

export const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];

// What every sample report has.
export function basic_report(title: string): Record<string, any> {
  return {
    format: "linkwright-report",
    version: 1,
    title,
    program: { name: "linkwright", version: "0.11.0" },
    command: "linkwright report model.toml -o page.html",
    model: { name: title, file: "model.toml", sha256: "0".repeat(64), text: `format = 1\nname = "${title}"\n` },
    summary: [],
    sections: ["mechanism", "motion", "equations", "analysis", "trust"],
    notes: [],
    symbols: [],
    parameters: [],
    scene: { up: [0, 1, 0], gravity: [0, -9.81, 0], size: 1, bodies: [], joints: [], beams: [], springs: [], rods: [], gears: [], wheels: [], rotors: [], forces: [], torques: [], shapes: [], geometry: [] },
    motions: [],
    equations: { form: "Kane", hash: "", parts: [], counts: [], latex: "", recursive: null, lesson: null, code: [] },
    analysis: { equilibrium: null, linear: null, modes: [], stability: "", sensitivities: [], sweeps: [], frequency: [] },
    perturbation: null,
    trust: { certificate: null, checks: [], tolerances: [], hashes: [], versions: [], verify: "linkwright report --verify page.html" },
  };
}
