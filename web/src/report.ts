// The report: what the program wrote into the page, as types, and how it is read.
//
// The contract is docs/formats/report.md (schema: docs/formats/report.schema.json). A list may be empty, a value
// may be null, and later versions only add keys: `read_report` therefore fills in what is absent, and a page made
// by another version still shows what there is.

export type Vec3 = [number, number, number];

export interface Symbol_ {
  name: string;
  latex: string;
  kind: "parameter" | "coordinate" | "speed" | "acceleration" | "input" | "state" | "multiplier" | "time" | string;
  unit: string;
  about: string;
  value: number | null;
}

export interface Parameter {
  name: string;
  value: number;
  unit: string;
  about: string;
  min: number | null;
  max: number | null;
  live: boolean;
}

// What the page needs beside the code to move the model by itself.
export interface Live {
  why_not: string; // empty: it can
  steady: number[]; // places in u of states that begin where their rates vanish
  sampling: { name: string; method: "hold" | "tustin"; x: number[]; held: number }[]; // filters with a period: places in u
}

// ---- the scene ----

export interface Point {
  name: string;
  at: Vec3;
}

export interface Body {
  name: string;
  mass: number;
  com: Vec3;
  points: Point[];
  hidden: boolean;
}

export interface Joint {
  name: string;
  type: string;
  parent: string;
  child: string;
  cut: boolean;
  parent_at: Vec3;
  child_at: Vec3;
  parent_axes: number[];
  child_axes: number[];
  axes: Vec3[];
  coordinates: string[];
  springs?: number[]; // freedoms that a spring holds
  loads?: number; // how many of its freedoms have forces
}

export interface Anchor {
  body: string;
  at: Vec3;
}

export interface Spring {
  name: string;
  from: Anchor;
  to: Anchor;
  rest: number | null;
}

export interface Rod {
  name: string;
  from: Anchor;
  to: Anchor;
}

export interface Gear {
  name: string;
  drive: string;
  driven: string;
  ratio: number;
}

export interface Wheel {
  name: string;
  type: "disk" | "sphere" | "knife_edge" | string;
  body: string;
  at: Vec3;
  axis: Vec3;
  radius: number;
  plane_at: Vec3;
  normal: Vec3;
}

export interface Shape {
  name: string;
  body: string;
  type: "box" | "cylinder" | "sphere" | "capsule" | "polyline" | "mesh" | string;
  at: Vec3;
  axes: number[];
  size: Vec3 | null;
  radius: number | null;
  length: number | null;
  points: Vec3[];
  colour: string | null;
  mesh: { positions: string } | null;
}

export interface Scene {
  up: Vec3;
  gravity: Vec3;
  size: number;
  bodies: Body[];
  joints: Joint[];
  beams: { body: string; count: number }[];
  springs: Spring[];
  rods: Rod[];
  gears: Gear[];
  wheels: Wheel[];
  rotors: { body: string; axis: Vec3 }[];
  forces: { name: string; body: string; at: Vec3; in?: string; from?: Anchor | null }[];
  torques: { name: string; body: string; in?: string }[];
  reactions: { name: string; joint: string }[]; // outputs NAME.fx …: what the joint does to its child
  loads: boolean[]; // which numbers of the code's loads are known
  shapes: Shape[];
  geometry: (string | number)[][];
}

// ---- motions ----

export type Group =
  | "time"
  | "coordinate"
  | "speed"
  | "state"
  | "energy"
  | "momentum"
  | "input"
  | "output"
  | "reaction"
  | "residual"
  | "other";

export interface Column {
  name: string;
  latex: string;
  unit: string;
  group: Group | string;
}

export interface Motion {
  name: string;
  command: string;
  parameters: { name: string; value: number }[];
  rows: number;
  type: "f64" | "f32";
  data: string;
  columns: Column[];
  q: number[];
  u: number[];
  events: { t: number; name: string }[];
  statistics: { name: string; value: string | number }[];
  ended: string;
}

// ---- equations ----

export interface Run {
  text?: string;
  latex?: string;
  strong?: string;
}

export type Block =
  | { kind: "text"; runs: Run[] }
  | { kind: "formula"; latex: string; plain: string; number: string | number | null }
  | { kind: "table"; rows: Run[][][] };

export interface Part {
  id: string;
  title: string;
  collapsed: boolean;
  blocks: Block[];
}

export interface Equations {
  form: string;
  hash: string;
  parts: Part[];
  counts: { name: string; text: string }[];
  latex: string;
  recursive: Part[] | null;
  lesson: { title: string; text: string; blocks: Block[]; citation: string }[] | null;
  code: { language: string; file: string; text: string }[];
}

// ---- analysis ----

export type Complex = [number, number];

export interface Mode {
  pole: Complex;
  frequency: number;
  damping: number;
  period: number | null;
  whirl: string | null;
  kind: string;
  shape: Complex[];
  text: string;
}

export interface Linear {
  states: string[];
  inputs: string[];
  outputs: string[];
  A: number[][];
  B: number[][];
  C: number[][];
  D: number[][];
  at: { q: number[]; u: number[] };
  where: string;
}

export interface Analysis {
  equilibrium: {
    found: boolean;
    text: string;
    q: number[];
    outputs: { name: string; value: number; unit: string }[];
    notes: string[];
  } | null;
  linear: Linear | null;
  modes: Mode[];
  stability: string;
  sensitivities: {
    quantity: string;
    unit: string;
    items: { parameter: string; value: number; relative: number | null }[];
  }[];
  sweeps: { parameter: string; unit: string; values: number[]; poles: Complex[][] }[] ;
  frequency: { input: string; output: string; unit: string; hz: number[]; magnitude: number[]; phase: number[] }[];
}

export interface Perturbation {
  parts: Part[];
  /** The whole as a LaTeX document, to copy. */
  latex: string;
  curves: {
    name: string;
    x: { name: string; unit: string };
    y: { name: string; unit: string };
    points: [number, number][];
    stable: boolean[];
    simulated: [number, number][];
    simulated_stable: boolean[];
    /** How many points are left out and why; "" where none is. */
    left_out: string;
  }[];
}

// ---- trust ----

export interface Trust {
  certificate: {
    verdict: string;
    proved: boolean;
    bound: string | number;
    text: string;
    formulations: string[];
    not_proved: string[];
  } | null;
  checks: { name: string; value: string | number; text: string; ok: boolean }[];
  tolerances: { tolerance: number; difference: number }[];
  hashes: { what: string; sha256: string }[];
  versions: { name: string; version: string }[];
  verify: string;
}

export interface Report {
  format: string;
  version: number;
  title: string;
  program: { name: string; version: string };
  command: string;
  model: { name: string; file: string; sha256: string; text: string };
  summary: string[];
  sections: string[];
  notes: { section: string; text: string }[];
  symbols: Symbol_[];
  parameters: Parameter[];
  live: Live;
  scene: Scene;
  motions: Motion[];
  equations: Equations | null;
  analysis: Analysis | null;
  perturbation: Perturbation | null;
  trust: Trust | null;
}

const empty_live: Live = { why_not: "", steady: [], sampling: [] };

const empty_scene: Scene = {
  up: [0, 1, 0],
  gravity: [0, 0, 0],
  size: 1,
  bodies: [],
  joints: [],
  beams: [],
  springs: [],
  rods: [],
  gears: [],
  wheels: [],
  rotors: [],
  forces: [],
  torques: [],
  reactions: [],
  loads: [],
  shapes: [],
  geometry: [],
};

const empty_report: Report = {
  format: "",
  version: 0,
  title: "",
  program: { name: "linkwright", version: "" },
  command: "",
  model: { name: "", file: "", sha256: "", text: "" },
  summary: [],
  sections: [],
  notes: [],
  symbols: [],
  parameters: [],
  live: empty_live,
  scene: empty_scene,
  motions: [],
  equations: null,
  analysis: null,
  perturbation: null,
  trust: null,
};

const empty_equations: Equations = {
  form: "", hash: "", parts: [], counts: [], latex: "", recursive: null, lesson: null, code: [],
};

const empty_analysis: Analysis = {
  equilibrium: null, linear: null, modes: [], stability: "", sensitivities: [], sweeps: [], frequency: [],
};

const empty_trust: Trust = { certificate: null, checks: [], tolerances: [], hashes: [], versions: [], verify: "" };

// What is absent gets the value of `defaults`; null stays null only where the default is null.
function filled<T extends object>(given: unknown, defaults: T): T {
  const result = { ...defaults } as Record<string, unknown>;
  if (given !== null && typeof given === "object")
    for (const [key, value] of Object.entries(given))
      if (value !== null || !(key in defaults) || result[key] === null) result[key] = value;
  return result as T;
}

const filled_or_null = <T extends object>(given: unknown, defaults: T): T | null =>
  given === null || given === undefined ? null : filled(given, defaults);

// The report from its JSON text. Throws Error with a sentence for the reader where the text is not a report.
export function read_report(text: string): Report {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error("The data of this page cannot be read: it is not JSON.");
  }
  const report = filled(json, empty_report);
  if (json === null || typeof json !== "object" || report.format !== "linkwright-report")
    throw new Error("The data of this page is not a Linkwright report.");
  report.live = filled(report.live, empty_live);
  report.scene = filled(report.scene, empty_scene);
  report.equations = filled_or_null(report.equations, empty_equations);
  report.analysis = filled_or_null(report.analysis, empty_analysis);
  report.trust = filled_or_null(report.trust, empty_trust);
  return report;
}
