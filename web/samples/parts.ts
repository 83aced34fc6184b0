// One of each thing a scene can hold, moving slowly: what the drawing is looked at with.
import { basic_report, encode, identity, type Sample } from "./page";

const types = ["revolute", "prismatic", "cylindrical", "spherical", "universal", "planar", "screw", "weld"];
const along_x = (i: number): number => i * 0.8;

const code = `
(() => {
  const n = ${types.length};
  const spin = (a, x, y, z, cx, cy, cz) => {
    const C = Math.cos(a), S = Math.sin(a);
    return [C, -S, 0, S, C, 0, 0, 0, 1, x, y, z, x + C * cx - S * cy, y + S * cx + C * cy, z + cz];
  };
  globalThis.linkwrightModel = {
    name: "parts", NQ: 1, NU: 1, NW: 0, NP: 0, NC: 0, NM: 0, RANK: 0,
    COORDINATES: [{ name: "a", unit: "rad", about: "", value: 0 }], SPEEDS: [], INPUTS: [], PARAMETERS: [], CONSTRAINTS: [], OUTPUTS: [],
    setup: () => new Float64Array(0),
    accelerations: () => new Float64Array(1), rhs: () => new Float64Array(2),
    poses: (t, q) => {
      const a = 0.4 * Math.sin(q[0]), out = [];
      const kinds = ${JSON.stringify(types)};
      kinds.forEach((kind, i) => {
        const slides = kind === "prismatic" || kind === "cylindrical" || kind === "screw";
        const turns = kind !== "prismatic" && kind !== "weld";
        out.push(...spin(turns ? a : 0, 0.8 * i, 1, slides ? 0.3 * Math.sin(q[0]) : 0, 0, -0.4, 0));
      });
      out.push(...spin(-q[0], 0.25 * q[0], 0.25, 1, 0, 0, 0)); // the wheel
      out.push(...spin(0, 2.4, 0.5 + 0.15 * Math.sin(q[0]), 1, 0, 0, 0)); // the load of the spring
      out.push(...spin(0, 3.4, 0.3, 1, 0.5, 0, 0)); // the beam's own frame
      out.push(...spin(q[0] / 3, 5.2, 0.5, 1, 0, 0, 0)); // with shapes
      for (let i = 0; i <= 12; i++) { const s = i / 12; out.push(3.4 + s, 0.3 + 0.2 * s * s * Math.sin(q[0]), 1); }
      return Float64Array.from(out);
    },
  };
})();
`;

const triangle = (): string => {
  const points = [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]];
  const numbers = new Float32Array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].flat().flatMap((i) => points[i]!));
  return btoa(String.fromCharCode(...new Uint8Array(numbers.buffer)));
};

export function parts(): Sample {
  const report = basic_report("Parts <b>of</b> a scene </script><script>alert(1)</script>");
  const body = (name: string, com: number[] = [0, 0, 0], mass = 1): object => ({ name, mass, com, points: [], hidden: false });
  const shape = (name: string, type: string, at: number[], more: object): object => ({ name, body: "shapes", type, at, axes: identity, size: null, radius: null, length: null, points: [], colour: null, mesh: null, ...more });
  report["scene"] = {
    ...report["scene"], size: 6,
    bodies: [body("ground"), ...types.map((type) => body(type, [0, -0.4, 0])), body("wheel"), body("load"), body("beam", [0.5, 0, 0]), body("shapes")],
    joints: [
      ...types.map((type, i) => ({ name: `${type} joint`, type, parent: "ground", child: type, cut: false, parent_at: [along_x(i), 1, 0], child_at: [0, 0, 0], parent_axes: identity, child_axes: identity, axes: type === "universal" ? [[0, 0, 1], [1, 0, 0]] : type === "spherical" ? [] : [[0, 0, 1]], coordinates: ["a"] })),
      { name: "free wheel", type: "free", parent: "ground", child: "wheel", cut: false, parent_at: [0, 0, 0], child_at: [0, 0, 0], parent_axes: identity, child_axes: identity, axes: [], coordinates: [] },
      { name: "clamp", type: "weld", parent: "ground", child: "beam", cut: false, parent_at: [3.4, 0.3, 1], child_at: [0, 0, 0], parent_axes: identity, child_axes: identity, axes: [], coordinates: [] },
    ],
    beams: [{ body: "beam", count: 13 }],
    springs: [{ name: "spring", from: { body: "ground", at: [2.4, 1.2, 1] }, to: { body: "load", at: [0, 0, 0] }, rest: 0.6 }],
    rods: [{ name: "rod", from: { body: "load", at: [0, 0, 0] }, to: { body: "ground", at: [3, 0.2, 1] } }],
    gears: [{ name: "gear", drive: "revolute joint", driven: "cylindrical joint", ratio: 2 }],
    wheels: [{ name: "rolling", type: "disk", body: "wheel", at: [0, 0, 0], axis: [0, 0, 1], radius: 0.25, plane_at: [0, 0, 0], normal: [0, 1, 0] }],
    shapes: [
      shape("box", "box", [0.3, 0, 0], { size: [0.2, 0.3, 0.2], colour: "#56b4e9" }),
      shape("cylinder", "cylinder", [-0.3, 0, 0], { radius: 0.1, length: 0.3 }),
      shape("sphere", "sphere", [0, 0.35, 0], { radius: 0.1, colour: "#e69f00" }),
      shape("capsule", "capsule", [0, -0.3, 0], { radius: 0.06, length: 0.3 }),
      shape("line", "polyline", [0, 0, 0], { points: [[-0.3, 0, 0], [0, 0.35, 0], [0.3, 0, 0], [0, -0.3, 0]] }),
      shape("mesh", "mesh", [0, 0, 0.1], { mesh: { positions: triangle() }, colour: "#cc79a7" }),
    ],
  };
  const rows = 101;
  const t = Array.from({ length: rows }, (_, i) => (6 * i) / (rows - 1));
  report["motions"] = [{
    name: "as the file says", command: "", parameters: [], rows, type: "f64", data: encode([t, t.map((s) => s * 2)]),
    columns: [{ name: "t", latex: "t", unit: "s", group: "time" }, { name: "a", latex: "a", unit: "rad", group: "coordinate" }],
    q: [1], u: [], events: [], statistics: [], ended: "",
  }];
  return { report, code };
}
