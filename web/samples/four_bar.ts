// A four-bar linkage turned at a constant rate: crank a, coupler b, rocker d, frame f. The joint between coupler and rocker is
// cut. Its angles in closed form: the diagonal from crank pin to rocker pivot and the law of cosines.
import { basic_report, encode, identity, type Sample } from "./page";

const code = `
(() => {
  const turn = (x, y, a, com) => {
    const C = Math.cos(a), S = Math.sin(a);
    return [C, -S, 0, S, C, 0, 0, 0, 1, x, y, 0, x + C * com, y + S * com, 0];
  };
  globalThis.linkwrightModel = {
    name: "four-bar", NQ: 3, NU: 3, NW: 0, NP: 4, NC: 4, NM: 2, RANK: 2,
    COORDINATES: [{ name: "crank", unit: "rad", about: "", value: 0 }, { name: "coupler", unit: "rad", about: "", value: 0 }, { name: "rocker", unit: "rad", about: "", value: 0 }],
    SPEEDS: [], INPUTS: [], PARAMETERS: [], CONSTRAINTS: [], OUTPUTS: [],
    setup: (p) => Float64Array.from(p),
    accelerations: () => { throw new Error("this sample moves as given"); },
    rhs: () => { throw new Error("this sample moves as given"); },
    poses: (t, q, c) => {
      const [a, b, d, f] = c;
      return Float64Array.from([...turn(0, 0, q[0], a / 2), ...turn(a * Math.cos(q[0]), a * Math.sin(q[0]), q[0] + q[1], b / 2), ...turn(f, 0, q[2], d / 2)]);
    },
    residuals: (t, q, u, c) => {
      const [a, b, d, f] = c;
      return { phi: Float64Array.from([a * Math.cos(q[0]) + b * Math.cos(q[0] + q[1]) - f - d * Math.cos(q[2]), a * Math.sin(q[0]) + b * Math.sin(q[0] + q[1]) - d * Math.sin(q[2])]), rate: new Float64Array(2) };
    },
  };
})();
`;

export function four_bar(): Sample {
  const [a, b, d, f] = [0.2, 0.6, 0.45, 0.5] as const;
  const report = basic_report("Four-bar linkage");
  report["parameters"] = [["a", a, "crank"], ["b", b, "coupler"], ["d", d, "rocker"], ["f", f, "frame"]].map(([name, value, about]) => ({ name, value, unit: "m", about, min: null, max: null, live: false }));
  report["summary"] = ["3 bodies, 4 joints, one loop.", "1 degree of freedom."];
  report["scene"] = {
    ...report["scene"], size: 0.9,
    bodies: [
      { name: "ground", mass: 0, com: [0, 0, 0], points: [], hidden: false },
      { name: "crank", mass: 0.4, com: [a / 2, 0, 0], points: [], hidden: false },
      { name: "coupler", mass: 1, com: [b / 2, 0, 0], points: [{ name: "tip", at: [b / 2, 0.2, 0] }], hidden: false },
      { name: "rocker", mass: 0.8, com: [d / 2, 0, 0], points: [], hidden: false },
    ],
    joints: [
      ["A", "ground", "crank", [0, 0, 0], [0, 0, 0], false], ["B", "crank", "coupler", [a, 0, 0], [0, 0, 0], false],
      ["D", "ground", "rocker", [f, 0, 0], [0, 0, 0], false], ["C", "coupler", "rocker", [b, 0, 0], [d, 0, 0], true],
    ].map(([name, parent, child, parent_at, child_at, cut]) => ({ name, type: "revolute", parent, child, cut, parent_at, child_at, parent_axes: identity, child_axes: identity, axes: [[0, 0, 1]], coordinates: [] })),
  };
  const rows = 201;
  const columns: number[][] = [[], [], [], [], []];
  for (let i = 0; i < rows; i++) {
    const t = (4 * i) / (rows - 1), q1 = Math.PI * t;
    const x = f - a * Math.cos(q1), y = -a * Math.sin(q1), diagonal = Math.hypot(x, y);
    const direction = Math.atan2(y, x), inner = Math.acos((b * b + diagonal * diagonal - d * d) / (2 * b * diagonal));
    const absolute = direction + inner;
    const rocker = Math.atan2(a * Math.sin(q1) + b * Math.sin(absolute), a * Math.cos(q1) + b * Math.cos(absolute) - f);
    [t, q1, absolute - q1, rocker, 1e-16 * Math.sin(9 * i)].forEach((value, k) => columns[k]!.push(value));
  }
  report["motions"] = [{
    name: "as the file says", command: "linkwright simulate model.toml", parameters: [], rows, type: "f64", data: encode(columns),
    columns: [{ name: "t", latex: "t", unit: "s", group: "time" }, ...["crank", "coupler", "rocker"].map((name) => ({ name, latex: name, unit: "rad", group: "coordinate" })), { name: "residual C", latex: "\\varphi", unit: "m", group: "residual" }],
    q: [1, 2, 3], u: [], events: [], statistics: [], ended: "",
  }];
  return { report, code };
}
