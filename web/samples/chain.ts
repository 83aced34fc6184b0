// A chain of n pendulums: point masses at the ends of rods, joint angles q_i between neighbours. Absolute angles
// θ_i = q_1 + … + q_i; M_ij = μ_max(i,j) l_i l_j cos(θ_i − θ_j) with μ_k the mass from k outwards.
import { basic_report, encode, identity, type Sample } from "./page";

// The model is written as source, since it goes into the page; the sample's motion is computed with the same text.
const source = (n: number): string => `
(() => {
  const n = ${n};
  const list = (count, make) => Array.from({ length: count }, (_, i) => make(i));
  const solve = (A, b) => {
    for (let i = 0; i < n; i++) {
      let p = i;
      for (let r = i + 1; r < n; r++) if (Math.abs(A[r][i]) > Math.abs(A[p][i])) p = r;
      [A[i], A[p]] = [A[p], A[i]]; [b[i], b[p]] = [b[p], b[i]];
      for (let r = i + 1; r < n; r++) {
        const k = A[r][i] / A[i][i];
        for (let j = i; j < n; j++) A[r][j] -= k * A[i][j];
        b[r] -= k * b[i];
      }
    }
    for (let i = n - 1; i >= 0; i--) { for (let j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j]; b[i] /= A[i][i]; }
    return b;
  };
  const sums = (q) => { let s = 0; return Array.from(q, (x) => (s += x)); };
  const masses = (c) => { const mu = new Array(n); let s = 0; for (let i = n - 1; i >= 0; i--) mu[i] = (s += c[1 + n + i]); return mu; };
  const accelerations = (t, q, u, w, c) => {
    const th = sums(q), om = sums(u), mu = masses(c), g = c[0];
    const A = list(n, (i) => list(n, (j) => mu[Math.max(i, j)] * c[1 + i] * c[1 + j] * Math.cos(th[i] - th[j])));
    const b = list(n, (i) => {
      let s = -mu[i] * g * c[1 + i] * Math.sin(th[i]);
      for (let j = 0; j < n; j++) s -= mu[Math.max(i, j)] * c[1 + i] * c[1 + j] * Math.sin(th[i] - th[j]) * om[j] * om[j];
      return s;
    });
    const al = solve(A, b);
    return Float64Array.from(al, (x, i) => x - (i ? al[i - 1] : 0));
  };
  const rhs = (t, x, w, c) => {
    const q = x.slice(0, n), u = x.slice(n);
    const out = new Float64Array(2 * n);
    out.set(u, 0); out.set(accelerations(t, q, u, w, c), n);
    return out;
  };
  globalThis.linkwrightModel = {
    name: "chain", NQ: n, NU: n, NW: 0, NP: 1 + 2 * n, NC: 1 + 2 * n, NM: 0, RANK: 0,
    COORDINATES: list(n, (i) => ({ name: "q" + (i + 1), unit: "rad", about: "", value: 0.6 })),
    SPEEDS: list(n, (i) => ({ name: "u" + (i + 1), unit: "rad/s", about: "", value: 0 })),
    INPUTS: [], PARAMETERS: [], CONSTRAINTS: [], OUTPUTS: [],
    setup: (p) => Float64Array.from(p),
    rates: (t, q, u, c) => Float64Array.from(u),
    accelerations, rhs,
    rhs_jacobian: (t, x, w, c) => {
      const A = new Float64Array(4 * n * n), h = 1e-6;
      for (let j = 0; j < 2 * n; j++) {
        const a = Float64Array.from(x), b = Float64Array.from(x); a[j] += h; b[j] -= h;
        const fa = rhs(t, a, w, c), fb = rhs(t, b, w, c);
        for (let i = 0; i < 2 * n; i++) A[i * 2 * n + j] = (fa[i] - fb[i]) / (2 * h);
      }
      return { A, B: new Float64Array(0) };
    },
    energy: (t, q, u, c) => {
      const th = sums(q), om = sums(u); let T = 0, V = 0, x = 0, y = 0, vx = 0, vy = 0;
      for (let i = 0; i < n; i++) {
        const l = c[1 + i], m = c[1 + n + i];
        y -= l * Math.cos(th[i]); vx += l * om[i] * Math.cos(th[i]); vy += l * om[i] * Math.sin(th[i]);
        T += 0.5 * m * (vx * vx + vy * vy); V += m * c[0] * y;
      }
      return { T, V };
    },
    poses: (t, q, c) => {
      const th = sums(q), out = new Float64Array(15 * n); let x = 0, y = 0;
      for (let i = 0; i < n; i++) {
        const C = Math.cos(th[i]), S = Math.sin(th[i]), l = c[1 + i], o = 15 * i;
        out.set([C, -S, 0, S, C, 0, 0, 0, 1, x, y, 0], o);
        x += l * S; y -= l * C;
        out.set([x, y, 0], o + 12);
      }
      return out;
    },
    geometry: (c) => {
      const out = [];
      for (let i = 0; i < n; i++) { out.push(-c[1 + i]); if (i + 1 < n) out.push(-c[1 + i]); }
      return Float64Array.from(out);
    },
  };
})();
`;

export function chain(n: number): Sample {
  const code = source(n);
  const model = run(code);
  const length = n > 5 ? 0.25 : 1;
  const names = ["upper", "middle", "lower"];
  const name = (i: number): string => (n === 3 ? names[i]! : `link ${i + 1}`);
  const report = basic_report(n === 3 ? "Triple pendulum" : `Chain of ${n} links`);
  const parameters = [
    { name: "g", value: 9.81, unit: "m/s^2", about: "gravity", min: null, max: null, live: false },
    ...Array.from({ length: n }, (_, i) => ({ name: `l${i + 1}`, value: length * (n === 3 ? 1 - 0.2 * i : 1), unit: "m", about: `length of the ${name(i)} rod`, min: 0.3, max: 2, live: n === 3 && i < 2 })),
    ...Array.from({ length: n }, (_, i) => ({ name: `m${i + 1}`, value: 1, unit: "kg", about: "mass at its end", min: null, max: null, live: false })),
  ];
  report["parameters"] = parameters;
  report["summary"] = [
    `${n} bodies, ${n} joints, a tree.`, `${n} degrees of freedom.`, `Total mass ${n} kg.`,
  ];
  report["symbols"] = parameters.map((one) => ({ name: one.name, latex: one.name.replace(/(\d+)/, "_{$1}"), kind: "parameter", unit: one.unit, about: one.about, value: one.value }));
  const p = parameters.map((one) => one.value);
  report["scene"].size = length * n;
  report["scene"].bodies = [
    { name: "ground", mass: 0, com: [0, 0, 0], points: [], hidden: false },
    ...Array.from({ length: n }, (_, i) => ({ name: name(i), mass: 1, com: [0, -p[1 + i]!, 0], points: [], hidden: false })),
  ];
  report["scene"].joints = Array.from({ length: n }, (_, i) => ({
    name: `joint ${i + 1}`, type: "revolute", parent: i ? name(i - 1) : "ground", child: name(i), cut: false,
    parent_at: i ? [0, -p[i]!, 0] : [0, 0, 0], child_at: [0, 0, 0], parent_axes: identity, child_axes: identity, axes: [[0, 0, 1]], coordinates: [`q${i + 1}`],
  }));
  report["scene"].geometry = Array.from({ length: n }, (_, i) => [["bodies", i + 1, "com", 1], ...(i + 1 < n ? [["joints", i + 1, "parent_at", 1]] : [])]).flat();
  const start = (angle: number): number[] => [...Array.from({ length: n }, (_, i) => (i ? (n === 3 ? 0.35 : 0.02) : angle)), ...new Array(n).fill(0)];
  report["motions"] = [record(model, n, p, start(n === 3 ? 1.1 : 0.9), "as the file says", [])];
  if (n === 3) {
    const longer = [...p];
    longer[1] = 1.2;
    report["motions"].push(record(model, n, longer, start(1.1), "--set l1=1.2", [{ name: "l1", value: 1.2 }]));
  }
  report["motions"][0].events = [{ t: 1.5, name: "lowest point" }];
  return { report, code };
}

function run(code: string): any {
  const before = (globalThis as any).linkwrightModel;
  new Function(code)();
  const model = (globalThis as any).linkwrightModel;
  (globalThis as any).linkwrightModel = before;
  return model;
}

// Classical Runge–Kutta, many small steps.
function record(model: any, n: number, p: number[], start: number[], name: string, changed: object[]): object {
  const c = model.setup(p);
  const rows = n > 5 ? 61 : 401;
  const end = n > 5 ? 3 : 10;
  const sub = n > 5 ? 4 : 10;
  const h = end / (rows - 1) / sub;
  let x = Float64Array.from(start);
  const out: number[][] = [];
  const move = (a: Float64Array, k: Float64Array, s: number): Float64Array => a.map((value, i) => value + s * k[i]!);
  for (let i = 0; i < rows; i++) {
    const { T, V } = model.energy(0, x.slice(0, n), x.slice(n), c);
    out.push([(i * end) / (rows - 1), ...x, T, V, T + V]);
    for (let j = 0; j < sub; j++) {
      const k1 = model.rhs(0, x, [], c), k2 = model.rhs(0, move(x, k1, h / 2), [], c), k3 = model.rhs(0, move(x, k2, h / 2), [], c), k4 = model.rhs(0, move(x, k3, h), [], c);
      x = x.map((value, k) => value + (h / 6) * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]));
    }
  }
  const columns = [
    { name: "t", latex: "t", unit: "s", group: "time" },
    ...Array.from({ length: n }, (_, i) => ({ name: `q${i + 1}`, latex: `q_{${i + 1}}`, unit: "rad", group: "coordinate" })),
    ...Array.from({ length: n }, (_, i) => ({ name: `u${i + 1}`, latex: `u_{${i + 1}}`, unit: "rad/s", group: "speed" })),
    { name: "kinetic energy", latex: "T", unit: "J", group: "energy" },
    { name: "potential energy", latex: "V", unit: "J", group: "energy" },
    { name: "energy", latex: "E", unit: "J", group: "energy" },
  ];
  return {
    name, command: "linkwright simulate model.toml", parameters: changed, rows, type: "f64",
    data: encode(columns.map((_, i) => out.map((row) => row[i]!))), columns,
    q: Array.from({ length: n }, (_, i) => 1 + i), u: Array.from({ length: n }, (_, i) => 1 + n + i),
    events: [], statistics: [{ name: "steps", value: String(rows * sub) }], ended: "",
  };
}
