// Rodas5P, Steinebach's Rosenbrock method of order 5 for stiff equations: L-stable, stiffly accurate, eight stages, an embedded formula of
// order 4 for the error and an interpolant of order 4 [steinebach23]; in the form that needs no products with J [hairer96 §IV.7]:
//
//     (1/(hγ) − J) kᵢ = f(t + cᵢ h, x + Σ aᵢⱼ kⱼ) + h dᵢ ∂f/∂t + Σ (Cᵢⱼ/h) kⱼ,      J = ∂f/∂x at the beginning of the step
//     x₁ = x + Σ a₈ⱼ kⱼ + k₈,      error k₈

import { eliminate, solve } from "../math/elimination";
import { type Matrix } from "../math/matrix";
import { combine, weighted, type Method, type Rates, type Step, type Tolerances } from "./stepper";

const gamma = 0.21193756319429014;
const ahead = [-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946];
const a: readonly (readonly number[])[] = [
  [],
  [3],
  [2.849394379747939, 0.45842242204463923],
  [-6.954028509809101, 2.489845061869568, -10.358996098473584],
  [2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641],
  ahead,
  [...ahead, 1],
  [...ahead, 1, 1],
];
const coupling: readonly (readonly number[])[] = [
  [],
  [-14.155112264123755],
  [-17.97296035885952, -2.859693295451294],
  [147.12150275711716, -1.41221402718213, 71.68940251302358],
  [165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306],
  [24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471],
  [30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623, -28.087943162872662],
  [37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002, -54.66780262877968, -9.48861652309627],
];
const nodes = [0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1, 1, 1];
const in_time = [0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069, 0, 0, 0];
const bends: readonly (readonly number[])[] = [
  [25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073, 1.1241088310450404, 0.4272876194431874, -0.17202221070155493],
  [-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044, 15.98066361424651, -6.789040303419874, -6.710236069923372],
  [11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654, -59.78993625266729, -0.15582684282751913, 4.883087185713722],
];

export function rosenbrock(f: Rates, jacobian: (t: number, x: Float64Array) => Matrix, tolerances: Tolerances): Method {
  // what belongs to the beginning of a step serves again when the step is tried shorter
  let at: Float64Array | null = null;
  let J: Matrix;
  let by_time: Float64Array;
  return {
    order: 5,
    attempt(t, x, first, h) {
      if (at !== x) {
        J = jacobian(t, x);
        by_time = time_derivative(f, t, x, h);
        at = x;
      }
      return attempt(f, J, by_time, tolerances, t, x, first, h);
    },
  };
}

/** ∂f/∂t by a difference over a part of the step that is coming. */
function time_derivative(f: Rates, t: number, x: Float64Array, h: number): Float64Array {
  const d = 1e-3 * h;
  const later = f(t + d, x);
  const earlier = f(t - d, x);
  return later.map((y, i) => (y - earlier[i]!) / (2 * d));
}

function attempt(f: Rates, J: Matrix, by_time: Float64Array, tolerances: Tolerances, t: number, x: Float64Array, first: Float64Array, h: number): Step {
  const n = x.length;
  const left: Matrix = { rows: n, columns: n, entries: J.entries.map((y) => -y) };
  for (let i = 0; i < n; ++i) left.entries[i * n + i]! += 1 / (h * gamma);
  const factors = eliminate(left);
  const failed: Step = { t, h, from: x, to: x, error: Infinity, last: null, stiffness: 0, inside: () => x };
  if (!factors) return failed;
  const k: Float64Array[] = [];
  let to = x;
  for (let s = 0; s < 8; ++s) {
    to = combine(x, 1, a[s]!, k);
    const rates = s === 0 ? first : f(t + nodes[s]! * h, to);
    k.push(solve(factors, combine(combine(rates, h * in_time[s]!, [1], [by_time]), 1 / h, coupling[s]!, k)));
  }
  to = combine(to, 1, [1], [k[7]!]);
  const zero = new Float64Array(n);
  return {
    t, h, from: x, to, error: weighted(k[7]!, x, to, tolerances), last: null, stiffness: 0,
    inside: (theta) => {
      const [p, q, r] = bends.map((row) => combine(zero, 1, row, k)) as [Float64Array, Float64Array, Float64Array];
      return x.map((y, i) => y + theta * (to[i]! - y + (1 - theta) * (p[i]! + theta * (q[i]! + theta * r[i]!))));
    },
  };
}
