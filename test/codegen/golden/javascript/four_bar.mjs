// Four-bar: equations of motion
// Derived by the formulation 'recursive', written by linkwright 0.1.0.
//
//     qdot = N(q, t) u + nu(q, t)
//     M(q, t) udot + G(q, t)' lambda = f(q, u, w, t)
//     G(q, t) udot = gamma(q, u, t)
//
// SI units, angles in radians. The state x is q, then u.
//
// Coordinates q, with their initial values
//     0  alpha  0.0
//     1  beta   0.0
//     2  delta  0.0
//
// Speeds u, with their initial values
//     0  alpha'  0.0
//     1  beta'   0.0
//     2  delta'  0.0
//
// Inputs w, with their default values
//     0  drive  0.0
//
// Parameters p, with their values in the model
//     0  g     9.81
//     1  base  0.4   m     between the pins in the ground
//     2  a     0.1   m     crank
//     3  b     0.35  m     coupler
//     4  c     0.25  m     rocker
//     5  rho   2.0   kg/m  mass per length of the bars
//
// Constraints: rows of G, entries of lambda
//     0  knee.x  joint 'knee' holds its point along x of the ground
//     1  knee.y  joint 'knee' holds its point along y of the ground
//
// Of the 2 rows of G 2 are independent at the initial state, and are assumed to be so at every call. Parameters
// that change this number need code of their own.
//
// Outputs y
//     0  knee
//     1  knee'
//     2  pen.x
//     3  pen.y
//     4  pen.z
//     5  freudenstein
//
// Functions and their operations
//     setup           p -> c                                            3 add, 36 mul
//     rates           t q u c -> qdot                                   none
//     dynamics        t q u w c -> M f G gamma                          19 add, 32 mul, 4 sincos
//     rate_jacobians  t q u c -> qdot_q qdot_u                          none
//     jacobians       t q u w udot lambda c -> r_q r_u r_w s_q s_u s_w  38 add, 65 mul, 4 sincos
//     inverse         t q u w udot lambda c -> r                        22 add, 31 mul, 4 sincos
//     energy          t q u c -> T V                                    10 add, 21 mul, 4 sincos
//     momentum        t q u c -> linear angular                         20 add, 39 mul, 4 sincos
//     residuals       t q u c -> phi rate                               11 add, 15 mul, 3 sincos
//     outputs         t q u w udot lambda c -> y                        15 add, 11 mul, 5 sincos, 1 other
//
// Use
//
//     import * as model from "./four_bar.mjs";
//     const p = model.values(model.PARAMETERS, { "g": 9.81 });  // others as in the table
//     const c = model.setup(p);  // again whenever a parameter changes
//     const w = model.values(model.INPUTS);
//     const x = Float64Array.of(...model.values(model.COORDINATES), ...model.values(model.SPEEDS));
//     for (let step = 0; step < 1000; ++step) {  // Euler's method, the simplest there is
//       const rate = model.rhs(1e-3 * step, x, w, c);
//       for (let i = 0; i < x.length; ++i) x[i] += 1e-3 * rate[i];
//     }
//     const { A, B } = model.rhs_jacobian(1, x, w, c);
//
// Vectors are Float64Arrays (any array-like goes in), matrices the same, row by row. Several results come as an object.
// What a function returned may be handed to it again as its last argument, to be written over.
//
// A state must fulfil the constraints (see residuals); accelerations keep it there up to the drift of the integrator.
// Rows may be redundant: of the multipliers that serve the shortest are returned. Rows that contradict each other by
// more than drift explains, and motions without inertia, throw an Error.

const name = "Four-bar";
const formulation = "recursive";
const NQ = 3, NU = 3, NW = 1, NP = 6, NC = 36, NM = 2;
const RANK = 2;  // independent constraints, at the start
const COORDINATES = [
  { name: "alpha", unit: "", about: "", value: 0.0 },
  { name: "beta", unit: "", about: "", value: 0.0 },
  { name: "delta", unit: "", about: "", value: 0.0 },
];
const SPEEDS = [
  { name: "alpha'", unit: "", about: "", value: 0.0 },
  { name: "beta'", unit: "", about: "", value: 0.0 },
  { name: "delta'", unit: "", about: "", value: 0.0 },
];
const INPUTS = [
  { name: "drive", unit: "", about: "", value: 0.0 },
];
const PARAMETERS = [
  { name: "g", unit: "", about: "", value: 9.81 },
  { name: "base", unit: "m", about: "between the pins in the ground", value: 0.4 },
  { name: "a", unit: "m", about: "crank", value: 0.1 },
  { name: "b", unit: "m", about: "coupler", value: 0.35 },
  { name: "c", unit: "m", about: "rocker", value: 0.25 },
  { name: "rho", unit: "kg/m", about: "mass per length of the bars", value: 2.0 },
];
const CONSTRAINTS = [
  { name: "knee.x", unit: "", about: "joint 'knee' holds its point along x of the ground", value: 0.0 },
  { name: "knee.y", unit: "", about: "joint 'knee' holds its point along y of the ground", value: 0.0 },
];
const OUTPUTS = [
  { name: "knee", unit: "", about: "", value: 0.0 },
  { name: "knee'", unit: "", about: "", value: 0.0 },
  { name: "pen.x", unit: "", about: "", value: 0.0 },
  { name: "pen.y", unit: "", about: "", value: 0.0 },
  { name: "pen.z", unit: "", about: "", value: 0.0 },
  { name: "freudenstein", unit: "", about: "", value: 0.0 },
];

// The default values of these symbols as an array; changes is an object {name: value}.
function values(symbols, changes = {}) {
  const unknown = Object.keys(changes).filter((name) => !symbols.some((s) => s.name === name));
  if (unknown.length > 0) throw new RangeError(`no symbol is called ${unknown.join(", ")}`);
  return Float64Array.from(symbols, (s) => (Object.hasOwnProperty.call(changes, s.name) ? changes[s.name] : s.value));
}

// What depends on parameters only, computed once.
// c (36): constants for the other functions.
// Operations: 3 add, 36 mul.
function setup(p, out = new Float64Array(36)) {
  const c = out;
  const v0 = p[3]*p[5];
  const v1 = p[3]*v0;
  const v2 = p[3]*p[3];
  const v3 = p[3]*v2;
  const v4 = p[5]*v3;
  const v5 = p[2]*v0;
  const v6 = p[2]*p[5];
  const v7 = p[2]*v6;
  const v8 = p[4]*p[5];
  const v9 = 0.5*p[4];
  const v10 = p[4]*p[4];
  const v11 = 0.3333333333333333*p[4];
  const v12 = 0.5*p[0];
  const v13 = p[2]*v1;
  const v14 = p[2]*(v5 + 0.33333333333333337*v7);
  c[0] = p[0];  // g
  c[1] = p[2];  // a
  c[2] = p[3];  // b
  c[3] = p[4];  // c
  c[4] = v1;  // c0 = b*rho*b
  c[5] = v5 + 0.5*v7;  // c1 = b*rho*a + a*rho*a/2
  c[6] = v8*v12;  // c2 = c*rho*g/2
  c[7] = 0.5*v13;  // c3 = b*rho*b*a/2
  c[8] = v13;  // c4 = b*rho*b*a
  c[9] = 0.33333333333333337*v4 + v14;  // c5
  c[10] = 0.3333333333333333*v4;  // c6 = 3333333333333333*rho*b^3/10000000000000000
  c[11] = v10*(p[5]*v11);  // c7 = 3333333333333333*rho*c^3/10000000000000000
  c[12] = v0;  // c8 = b*rho
  c[13] = 2.0*p[4];  // c9 = 2*c
  c[14] = 2.0*p[2];  // c10 = 2*a
  c[15] = 0.5*v1;  // c11 = b*rho*b/2
  c[16] = 0.5*v6;  // c12 = a*rho/2
  c[17] = 0.3333333333333333*p[3];  // c13 = 3333333333333333*b/10000000000000000
  c[18] = v14;  // c14 = a*(b*rho*a + 3333333333333333*a*rho*a/10000000000000000)
  c[19] = v12;  // c15 = g/2
  c[20] = v11;  // c16 = 3333333333333333*c/10000000000000000
  c[21] = v8;  // c17 = c*rho
  c[22] = 0.5*p[3];  // c18 = b/2
  c[23] = 0.3333333333333333*v8;  // c19 = 3333333333333333*c*rho/10000000000000000
  c[24] = 0.3333333333333333*v6;  // c20 = 3333333333333333*a*rho/10000000000000000
  c[25] = 0.08333333333333333*v2;  // c21 = 8333333333333333*b^2/100000000000000000
  c[26] = v8*v9;  // c22 = c*rho*c/2
  c[27] = p[1];  // base
  c[28] = v9;  // c23 = c/2
  c[29] = v6;  // c24 = a*rho
  c[30] = 0.25*p[4];  // c25 = c/4
  c[31] = v10;  // c26 = c^2
  c[32] = v3;  // c27 = b^3
  c[33] = p[2]*p[2];  // c28 = a^2
  c[34] = 0.08333333333333333*p[5];  // c29 = 8333333333333333*rho/100000000000000000
  c[35] = v2;  // c30 = b^2
  return out;
}

// Rates of the coordinates.
// qdot (3): rates of the coordinates.
// Operations: none.
function rates(t, q, u, c, out = new Float64Array(3)) {
  const qdot = out;
  qdot[0] = u[0];
  qdot[1] = u[1];
  qdot[2] = u[2];
  return out;
}

// M udot + G' lambda = f, G udot = gamma.
// M (3 x 3): mass matrix, symmetric.
// f (3): forcing.
// G (2 x 3): Jacobian of the constraints.
// gamma (2): right-hand side of the constraints.
// Operations: 19 add, 32 mul, 4 sincos.
function dynamics(t, q, u, w, c, out = {
  M: new Float64Array(9),
  f: new Float64Array(3),
  G: new Float64Array(6),
  gamma: new Float64Array(2),
}) {
  const { M, f, G, gamma } = out;
  M.fill(0);
  const v0 = q[0] + q[1];
  const v1 = u[0] + u[1];
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = u[0]*(u[0]*c[1]);
  const v5 = Math.sin(q[0]);
  const v6 = Math.cos(q[0]);
  const v7 = c[0]*v6;
  const v8 = Math.sin(q[2]);
  const v9 = Math.cos(q[2]);
  const v10 = c[3]*v9;
  const v11 = v1*v1;
  const v12 = c[4]*(v3*v7 - v2*(c[0]*v5 - v4));
  const v13 = v3*c[8];
  const v14 = Math.sin(v0);
  const v15 = Math.cos(v0);
  const v16 = c[2]*v15;
  const v17 = c[2]*v14;
  const v18 = c[2]*v11;
  const v19 = u[2]*(u[2]*c[3]);
  M[0] = v13 + c[9];
  M[3] = M[1] = 0.5*v13 + c[10];
  M[4] = c[10];
  M[8] = c[11];
  f[0] = v2*(c[7]*v11) + (w[0] - v7*c[5]) - 0.5*v12;
  f[1] = -0.5*v12;
  f[2] = -0.05*u[2] - v10*c[6];
  G[0] = v17 + c[1]*v5;
  G[1] = v17;
  G[2] = -c[3]*v8;
  G[3] = -(v16 + c[1]*v6);
  G[4] = -v16;
  G[5] = v10;
  gamma[0] = v9*v19 - (v15*v18 + v4*v6);
  gamma[1] = v8*v19 - (v14*v18 + v4*v5);
  return out;
}

// Derivatives of the coordinates' rates.
// qdot_q (3 x 3): derivative of qdot by q.
// qdot_u (3 x 3): derivative of qdot by u.
// Operations: none.
function rate_jacobians(t, q, u, c, out = { qdot_q: new Float64Array(9), qdot_u: new Float64Array(9) }) {
  const { qdot_q, qdot_u } = out;
  qdot_q.fill(0);
  qdot_u.fill(0);
  qdot_u[0] = 1.0;
  qdot_u[4] = 1.0;
  qdot_u[8] = 1.0;
  return out;
}

// Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda.
// r_q (3 x 3): derivative of r by q.
// r_u (3 x 3): derivative of r by u.
// r_w (3 x 1): derivative of r by w.
// s_q (2 x 3): derivative of s by q.
// s_u (2 x 3): derivative of s by u.
// s_w (2 x 1): derivative of s by w.
// Operations: 38 add, 65 mul, 4 sincos.
function jacobians(t, q, u, w, udot, lambda, c, out = {
  r_q: new Float64Array(9),
  r_u: new Float64Array(9),
  r_w: new Float64Array(3),
  s_q: new Float64Array(6),
  s_u: new Float64Array(6),
  s_w: new Float64Array(2),
}) {
  const { r_q, r_u, r_w, s_q, s_u, s_w } = out;
  r_q.fill(0);
  r_u.fill(0);
  r_w.fill(0);
  s_w.fill(0);
  const v0 = q[0] + q[1];
  const v1 = u[0] + u[1];
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = u[0]*c[1];
  const v5 = Math.sin(q[0]);
  const v6 = Math.cos(q[0]);
  const v7 = c[0]*v5;
  const v8 = c[0]*v6;
  const v9 = Math.sin(q[2]);
  const v10 = Math.cos(q[2]);
  const v11 = Math.sin(v0);
  const v12 = Math.cos(v0);
  const v13 = c[2]*v12;
  const v14 = v13 + c[1]*v6;
  const v15 = c[3]*v10;
  const v16 = u[2]*v9;
  const v17 = u[0]*v5;
  const v18 = v1*v11;
  const v19 = c[2]*v11;
  const v20 = c[1]*v5;
  const v21 = v19 + v20;
  const v22 = c[3]*v9;
  const v23 = v1*v12;
  const v24 = c[2]*v1;
  const v25 = u[0]*v6;
  const v26 = u[2]*v10;
  const v27 = u[2]*c[3];
  const v28 = lambda[0]*v13 + lambda[1]*v19;
  const v29 = v28 - c[15]*(v3*(v7 - u[0]*v4) + v2*(udot[0]*c[1] + v8));
  const v30 = v1*(v2*c[8]);
  const v31 = v4*(c[4]*v2);
  const v32 = udot[1]*v13 - v18*v24;
  const v33 = v23*v24 + udot[1]*v19;
  const v34 = 2.0*(c[2]*v23);
  const v35 = 2.0*(c[2]*v18);
  r_q[0] = lambda[1]*v21 + (lambda[0]*v14 - c[0]*(c[12]*(v20 + 0.5*v19) + v20*c[16]));
  r_q[1] = v29 - ((udot[0] + udot[1])*v2 + v1*(v1*v3))*c[7];
  r_q[3] = v28 - (v2*v8 + v3*v7)*c[15];
  r_q[4] = v29;
  r_q[8] = -v22*(lambda[1] + c[6]) - lambda[0]*v15;
  r_u[0] = v31 - v30;
  r_u[1] = -v30;
  r_u[3] = v31;
  r_u[8] = 0.05;
  r_w[0] = -1.0;
  s_q[0] = udot[0]*v14 + v32 - v4*v17;
  s_q[1] = v32 + udot[0]*v13;
  s_q[2] = v16*v27 - udot[2]*v15;
  s_q[3] = udot[0]*v21 + (v4*v25 + v33);
  s_q[4] = v33 + udot[0]*v19;
  s_q[5] = -(v26*v27 + udot[2]*v22);
  s_u[0] = c[14]*v25 + v34;
  s_u[1] = v34;
  s_u[2] = -c[13]*v26;
  s_u[3] = v17*c[14] + v35;
  s_u[4] = v35;
  s_u[5] = -v16*c[13];
  return out;
}

// Generalized forces required in addition for this udot (inverse dynamics).
// r (3): M udot + G' lambda - f.
// Operations: 22 add, 31 mul, 4 sincos.
function inverse(t, q, u, w, udot, lambda, c, out = new Float64Array(3)) {
  const r = out;
  const v0 = q[0] + q[1];
  const v1 = u[0] + u[1];
  const v2 = udot[0] + udot[1];
  const v3 = Math.sin(q[1]);
  const v4 = Math.cos(q[1]);
  const v5 = Math.sin(q[0]);
  const v6 = Math.cos(q[0]);
  const v7 = c[0]*v6;
  const v8 = c[4]*(0.5*(v4*(udot[0]*c[1] + v7) - v3*(c[0]*v5 - c[1]*(u[0]*u[0]))) + v2*c[17]);
  const v9 = Math.sin(q[2]);
  const v10 = Math.cos(q[2]);
  const v11 = Math.sin(v0);
  const v12 = Math.cos(v0);
  const v13 = c[2]*v12;
  const v14 = c[2]*v11;
  const v15 = lambda[0]*(v14 + c[1]*v5) + (v7*c[5] + (v8 - (v1*(v1*v3) - v2*v4)*c[7]) + udot[0]*c[18] - w[0]);
  r[0] = v15 - lambda[1]*(v13 + c[1]*v6);
  r[1] = v8 + lambda[0]*v14 - lambda[1]*v13;
  r[2] = 0.05*u[2] + c[3]*((v10*c[19] + udot[2]*c[20])*c[21] - lambda[0]*v9 + lambda[1]*v10);
  return out;
}

// Kinetic and potential energy.
// T: kinetic energy.
// V: potential energy.
// Operations: 10 add, 21 mul, 4 sincos.
function energy(t, q, u, c, out = { T: 0, V: 0 }) {
  const v0 = u[0] + u[1];
  const v1 = Math.sin(q[1]);
  const v2 = Math.cos(q[1]);
  const v3 = c[1]*Math.sin(q[0]);
  const v4 = u[2]*c[3];
  const v5 = u[0]*c[1];
  const v6 = v0*c[22] + v2*v5;
  const v7 = v1*v5;
  out.T = 0.5*(v5*(v5*c[24]) + (v4*(v4*c[23]) + c[12]*(v0*(v0*c[25]) + (v6*v6 + v7*v7))));
  out.V = c[0]*(v3*c[16] + (Math.sin(q[2])*c[26] + c[12]*(Math.sin(q[0] + q[1])*c[22] + v3)));
  return out;
}

// Linear momentum, and angular momentum about the origin, in ground axes.
// linear (3): linear momentum.
// angular (3): angular momentum.
// Operations: 20 add, 39 mul, 4 sincos.
function momentum(t, q, u, c, out = { linear: new Float64Array(3), angular: new Float64Array(3) }) {
  const { linear, angular } = out;
  linear.fill(0);
  angular.fill(0);
  const v0 = q[0] + q[1];
  const v1 = u[0] + u[1];
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = Math.sin(q[0]);
  const v5 = Math.cos(q[0]);
  const v6 = Math.sin(q[2]);
  const v7 = Math.cos(q[2]);
  const v8 = Math.sin(v0);
  const v9 = Math.cos(v0);
  const v10 = c[1]*v5;
  const v11 = c[1]*v4;
  const v12 = u[0]*c[1];
  const v13 = u[2]*c[3];
  const v14 = v13*c[21];
  const v15 = v6*v14;
  const v16 = c[12]*(v1*c[22] + v3*v12);
  const v17 = c[12]*(v2*v12);
  const v18 = v9*v17 - v8*v16;
  const v19 = v12*c[29];
  const v20 = v4*v19;
  const v21 = 0.5*(v7*v14);
  const v22 = v9*v16 + v8*v17;
  const v23 = v5*v19;
  const v24 = v15*(v6*c[30]) + (v21*(c[27] + v7*c[28]) + v22*(v9*c[22] + v10));
  const v25 = (v13*c[31] + v1*c[32] + v12*c[33])*c[34] + v24 - (v8*c[22] + v11)*v18 + 0.25*(v11*v20);
  linear[0] = -0.5*v15 + (v18 - 0.5*v20);
  linear[1] = v21 + (v22 + 0.5*v23);
  angular[2] = v25 + 0.25*(v10*v23);
  return out;
}

// How far the constraints are violated, and how fast.
// phi (2): position residuals; 0 for rows that only speeds obey.
// rate (2): velocity residuals.
// Operations: 11 add, 15 mul, 3 sincos.
function residuals(t, q, u, c, out = { phi: new Float64Array(2), rate: new Float64Array(2) }) {
  const { phi, rate } = out;
  const v0 = q[0] + q[1];
  const v1 = Math.sin(q[0]);
  const v2 = Math.cos(q[0]);
  const v3 = Math.sin(q[2]);
  const v4 = Math.cos(q[2]);
  const v5 = Math.sin(v0);
  const v6 = Math.cos(v0);
  const v7 = u[2]*c[3];
  const v8 = u[0]*c[1];
  const v9 = c[2]*(u[0] + u[1]);
  phi[0] = c[27] + c[3]*v4 - (c[2]*v6 + c[1]*v2);
  phi[1] = c[3]*v3 - (c[2]*v5 + c[1]*v1);
  rate[0] = v1*v8 + v5*v9 - v3*v7;
  rate[1] = v4*v7 - (v2*v8 + v6*v9);
  return out;
}

// Outputs of the model.
// y (6): outputs.
// Operations: 15 add, 11 mul, 5 sincos, 1 other.
function outputs(t, q, u, w, udot, lambda, c, out = new Float64Array(6)) {
  const y = out;
  y.fill(0);
  const v0 = q[0] + q[1];
  const v1 = q[2] - v0;
  const v2 = Math.sin(v1);
  const v3 = Math.cos(v1);
  const v4 = Math.sin(q[0]);
  const v5 = Math.cos(q[0]);
  const v6 = Math.sin(v0);
  const v7 = Math.cos(v0);
  const v8 = c[1]*v5;
  const v9 = 0.5*(c[2]*v7);
  const v10 = 0.5*(c[2]*v6);
  y[0] = Math.atan2(v2, v3);
  y[1] = u[2] - (u[0] + u[1]);
  y[2] = v8 + v9 - v10;
  y[3] = v10 + (c[1]*v4 + v9);
  y[5] = c[31] + c[27]*(c[27] - 2.0*v8 + Math.cos(q[2])*c[13]) + c[1]*(c[1] - Math.cos(q[2] - q[0])*c[13]) - c[35];
  return out;
}

// A X = B by A = L D L', for the n x n matrix A, which begins at `from` and has rows `stride` apart; its lower triangle is read and
// overwritten. B (n x k), from place `to` on, becomes X. size is what rounding errors of A's diagonal are proportional to. Returns
// false when a pivot is not positive beyond rounding, and leaves B alone.
function solve_definite(n, A, from, stride, size, k, B, to) {
  let z = null;
  for (let j = 0; j < n; ++j) {
    const row = from + j * stride;
    let d = A[row + j];
    for (let i = 0; i < j; ++i) d -= A[row + i] * A[row + i] * A[from + i * stride + i];
    if (!(d > 1e-3 * size[j])) {
      // z' A z = d with z[j] = 1, so errors of A are worth (sum |z| sqrt(size))^2 here
      z ??= new Float64Array(n);
      let bound = Math.sqrt(size[j]);
      for (let i = j - 1; i >= 0; --i) {
        z[i] = -A[row + i];
        for (let l = i + 1; l < j; ++l) z[i] -= A[from + l * stride + i] * z[l];
        bound += Math.abs(z[i]) * Math.sqrt(size[i]);
      }
      if (!(d > 8 * Number.EPSILON * bound * bound)) return false;
    }
    A[row + j] = d;
    for (let i = j + 1; i < n; ++i) {
      let a = A[from + i * stride + j];
      for (let l = 0; l < j; ++l) a -= A[from + i * stride + l] * A[row + l] * A[from + l * stride + l];
      A[from + i * stride + j] = a / d;
    }
  }
  for (let i = 0; i < n; ++i) {
    for (let l = 0; l < i; ++l) {
      for (let j = 0; j < k; ++j) B[to + i * k + j] -= A[from + i * stride + l] * B[to + l * k + j];
    }
  }
  for (let i = n - 1; i >= 0; --i) {
    for (let j = 0; j < k; ++j) B[to + i * k + j] /= A[from + i * stride + i];
    for (let l = i + 1; l < n; ++l) {
      for (let j = 0; j < k; ++j) B[to + i * k + j] -= A[from + l * stride + i] * B[to + l * k + j];
    }
  }
  return true;
}

// B := (1 - beta v v') B for B (size x k); v and B begin at the places `from` and `to`.
function reflect(size, v, from, beta, k, B, to) {
  for (let j = 0; j < k; ++j) {
    let s = 0;
    for (let i = 0; i < size; ++i) s += v[from + i] * B[to + i * k + j];
    s *= beta;
    for (let i = 0; i < size; ++i) B[to + i * k + j] -= s * v[from + i];
  }
}

function norm(size, x, from, stride) {
  let largest = 0, sum = 0;
  for (let i = 0; i < size; ++i) largest = Math.max(largest, Math.abs(x[from + i * stride]));
  if (!(largest > 0)) return 0;
  for (let i = 0; i < size; ++i) sum += (x[from + i * stride] / largest) ** 2;
  return largest * Math.sqrt(sum);
}

// What solve_descriptor works in, kept from call to call: a motion calls it thousands of times.
let descriptor_room = null;
function make_descriptor_room(n, m) {
  const of = (count) => new Float64Array(count);
  return { n, m, column: of(n), row: of(m), diagonal: of(m), beta: of(m), triangle: of(m), turn: of(m), W: of(m * m), N: of(m * m),
           v: of(n + m), Mv: of(n), order: new Int32Array(m), size: of(n) };
}

// M X + G' L = F, G X = C with n speeds, m rows and k right-hand sides: F becomes X, C becomes L; M and G are overwritten. Rows of G
// may depend on each other: of the multipliers that serve, L is the shortest. `known` of them are independent, as they were at the
// start, less only where rounding leaves nothing of the others; null: they are counted with a tolerance of 1e-10. The method is
// that of the null space. With rows of G scaled to length 1 and columns by 1/sqrt(M[j][j]),
//
//     P G = V T Q1', Q = [Q1 Q2] from a pivoted QR of G', V and the triangle T from a QR of what that leaves
//     T y = V' P C               what the constraints alone decide
//     Q2' M Q2 z = Q2' (F - M Q1 y),   X = Q1 y + Q2 z
//     T' (V' P L) = Q1' (F - M X)
//
// Returns false when a motion that the constraints allow has no inertia.
function solve_descriptor(n, m, known, M, G, k, F, C) {
  if (descriptor_room === null || descriptor_room.n !== n || descriptor_room.m !== m) descriptor_room = make_descriptor_room(n, m);
  const { column, row, diagonal, beta, triangle, turn, W, N, v, Mv, order, size } = descriptor_room;
  column.fill(1);
  N.fill(0);
  for (let i = 0; i < m; ++i) order[i] = i;

  // scales: 1/sqrt(M[j][j]) against its geometric mean, within four decades; rows of length 1, but short ones stay short
  let logs = 0, count = 0, longest = 0, most = 0, first = 0, rank = 0;
  for (let j = 0; j < n; ++j) {
    if (M[j * n + j] > 0) logs += Math.log(M[j * n + j]), ++count;
  }
  for (let j = 0; j < n; ++j) {
    if (M[j * n + j] > 0) column[j] = Math.min(Math.max(Math.exp((logs / count - Math.log(M[j * n + j])) / 2), 1e-4), 1e4);
  }
  for (let i = 0; i < m; ++i) {
    for (let j = 0; j < n; ++j) G[i * n + j] *= column[j];
    row[i] = norm(n, G, i * n, 1);
    longest = Math.max(longest, row[i]);
  }
  const least = known === null ? 1e-10 : 8 * Number.EPSILON * (n + m);
  for (let i = 0; i < m; ++i) {
    row[i] = longest > 1e-13 ? 1 / Math.max(row[i], 0.01 * longest) : 1;
    for (let j = 0; j < n; ++j) G[i * n + j] *= row[i];
    for (let j = 0; j < k; ++j) C[i * k + j] *= row[i];
  }
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) M[i * n + j] *= column[i] * column[j];
    for (let j = 0; j < k; ++j) F[i * k + j] *= column[i];
    most = Math.max(most, Math.abs(M[i * n + i]));
  }

  // a reflection 1 - beta v v' that takes x, of this length, to (d, 0, 0, ...): x becomes v
  const make_reflection = (x, from, length, into, s) => {
    const d = x[from] > 0 ? -length : length;
    x[from] -= d;
    into[s] = -1 / (d * x[from]);
    return d;
  };

  // G' P' = Q R: row s of G keeps the s-th reflection from place s on, later rows the entries of R before it
  for (let s = 0; s < m && s < n && s !== known; ++s) {
    let pivot = s, length = -1;
    for (let i = s; i < m; ++i) {
      const own = norm(n - s, G, i * n + s, 1);
      if (own > length) length = own, pivot = i;
    }
    if (s === 0) first = length;
    if (!(length > least * first)) break;
    for (let j = 0; j < n && pivot !== s; ++j) {
      const swap = G[s * n + j];
      G[s * n + j] = G[pivot * n + j];
      G[pivot * n + j] = swap;
    }
    const swap = order[s];
    order[s] = order[pivot];
    order[pivot] = swap;
    diagonal[s] = make_reflection(G, s * n + s, length, beta, s);
    for (let i = s + 1; i < m; ++i) reflect(n - s, G, s * n + s, beta[s], 1, G, i * n + s);
    rank = s + 1;
  }

  // R' = V T; column s of W keeps the s-th reflection from place s on, T stands above
  for (let i = 0; i < m; ++i) {
    for (let s = 0; s < rank; ++s) W[i * m + s] = s < i ? G[i * n + s] : s === i ? diagonal[s] : 0;
  }
  for (let s = 0; s < rank; ++s) {
    const length = norm(m - s, W, s * m + s, m);
    for (let i = s; i < m; ++i) v[i] = W[i * m + s];
    triangle[s] = make_reflection(v, s, length, turn, s);
    for (let j = s + 1; j < rank; ++j) {
      let sum = 0;
      for (let i = s; i < m; ++i) sum += v[i] * W[i * m + j];
      for (let i = s; i < m; ++i) W[i * m + j] -= turn[s] * sum * v[i];
    }
    for (let i = s; i < m; ++i) W[i * m + s] = v[i];
  }

  // M := Q' M Q, F := Q' F; and in place of the first `rank` rows of C: y
  for (let s = 0; s < rank; ++s) {
    const h = s * n;
    let hMh = 0;
    for (let i = 0; i < n; ++i) {
      Mv[i] = 0;
      for (let j = s; j < n; ++j) Mv[i] += M[i * n + j] * G[h + j];
      Mv[i] *= beta[s];
    }
    for (let i = s; i < n; ++i) hMh += G[h + i] * Mv[i];
    for (let i = s; i < n; ++i) Mv[i] -= (beta[s] * hMh / 2) * G[h + i];
    for (let i = 0; i < n; ++i) {
      for (let j = s; j < n; ++j) M[i * n + j] -= Mv[i] * G[h + j];
    }
    for (let i = s; i < n; ++i) {
      for (let j = 0; j < n; ++j) M[i * n + j] -= G[h + i] * Mv[j];
    }
    reflect(n - s, G, h + s, beta[s], k, F, s * k);
  }
  for (let j = 0; j < k; ++j) {
    for (let i = 0; i < m; ++i) v[i] = C[order[i] * k + j];
    for (let i = 0; i < m; ++i) C[i * k + j] = v[i];
  }
  for (let s = 0; s < rank; ++s) {
    for (let i = s; i < m; ++i) v[i] = W[i * m + s];
    reflect(m - s, v, s, turn[s], k, C, s * k);
  }
  for (let s = rank - 1; s >= 0; --s) {
    for (let j = 0; j < k; ++j) {
      for (let l = s + 1; l < rank; ++l) C[s * k + j] -= W[s * m + l] * C[l * k + j];
      C[s * k + j] /= triangle[s];
    }
  }

  // z in place of the last rows of F, then Q1' (F - M X) in place of the first
  for (let i = rank; i < n; ++i) {
    for (let l = 0; l < rank; ++l) {
      for (let j = 0; j < k; ++j) F[i * k + j] -= M[i * n + l] * C[l * k + j];
    }
  }
  size.fill(most);
  const is_ok = solve_definite(n - rank, M, rank * n + rank, n, size, k, F, rank * k);
  if (!is_ok) F.fill(0, rank * k, n * k);
  for (let i = 0; i < rank; ++i) {
    for (let j = 0; j < k; ++j) {
      for (let l = 0; l < rank; ++l) F[i * k + j] -= M[i * n + l] * C[l * k + j];
      for (let l = rank; l < n; ++l) F[i * k + j] -= M[i * n + l] * F[l * k + j];
    }
  }

  // X takes y from C, C takes T'^-1 of what F had there; then both are turned back
  for (let s = 0; s < rank; ++s) {
    for (let j = 0; j < k; ++j) {
      let r = F[s * k + j];
      F[s * k + j] = C[s * k + j];
      for (let l = 0; l < s; ++l) r -= W[l * m + s] * C[l * k + j];
      C[s * k + j] = r / triangle[s];
    }
  }
  C.fill(0, rank * k, m * k);
  for (let s = rank - 1; s >= 0; --s) {
    reflect(n - s, G, s * n + s, beta[s], k, F, s * k);
    for (let i = s; i < m; ++i) v[i] = W[i * m + s];
    reflect(m - s, v, s, turn[s], k, C, s * k);
  }
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < k; ++j) F[i * k + j] *= column[i];
  }
  for (let j = 0; j < k; ++j) {
    for (let i = 0; i < m; ++i) v[order[i]] = row[order[i]] * C[i * k + j];
    for (let i = 0; i < m; ++i) C[i * k + j] = v[i];
  }

  // the shortest L: less its part along what G' does not see, an orthonormal basis N of which comes from the rest of V
  for (let s = rank; s < m; ++s) {
    const e = N.subarray(s * m, s * m + m);
    e[s] = 1;
    for (let l = rank - 1; l >= 0; --l) {
      for (let i = l; i < m; ++i) v[i] = W[i * m + l];
      reflect(m - l, v, l, turn[l], 1, e, l);
    }
    for (let i = 0; i < m; ++i) v[order[i]] = row[order[i]] * e[i];
    for (let i = 0; i < m; ++i) e[i] = v[i];
    for (let twice = 0; twice < 2; ++twice) {
      for (let l = rank; l < s; ++l) {
        let along = 0;
        for (let i = 0; i < m; ++i) along += N[l * m + i] * e[i];
        for (let i = 0; i < m; ++i) e[i] -= along * N[l * m + i];
      }
      const length = norm(m, e, 0, 1);
      for (let i = 0; i < m; ++i) e[i] /= length;
    }
    for (let j = 0; j < k; ++j) {
      let along = 0;
      for (let i = 0; i < m; ++i) along += e[i] * C[i * k + j];
      for (let i = 0; i < m; ++i) C[i * k + j] -= along * e[i];
    }
  }
  return is_ok;
}

// Accelerations and multipliers: M udot + G' lambda = f, G udot = gamma.
// udot (NU): accelerations.
// lambda (NM): multipliers of the constraints, the shortest where rows are redundant.
const acceleration_room = {
  M: new Float64Array(NU * NU), f: new Float64Array(NU), G: new Float64Array(NM * NU), gamma: new Float64Array(NM),
  rows: new Float64Array(NM * NU), udot: new Float64Array(NU), lambda: new Float64Array(NM),
};
function are_finite(x) {
  for (let i = 0; i < x.length; ++i) {
    if (!Number.isFinite(x[i])) return false;
  }
  return true;
}
function accelerations(t, q, u, w, c, out = { udot: new Float64Array(NU), lambda: new Float64Array(NM) }) {
  const { udot, lambda } = out, { M, f, G, gamma, rows } = acceleration_room;
  M.fill(0), f.fill(0), G.fill(0), gamma.fill(0);
  dynamics(t, q, u, w, c, acceleration_room);
  rows.set(G);
  udot.set(f);
  lambda.set(gamma);
  if (!(are_finite(M) && are_finite(f) && are_finite(G) && are_finite(gamma))) {
    udot.fill(NaN);
    lambda.fill(NaN);
    return out;
  }
  if (!solve_descriptor(NU, NM, RANK, M, G, 1, udot, lambda)) throw new Error("a motion that the constraints allow has no inertia");
  let longest = 0, drift = 1e-6;
  for (let i = 0; i < NM; ++i) longest = Math.max(longest, norm(NU, rows, i * NU, 1));
  for (let j = 0; j < NU; ++j) drift += 1e-3 * u[j] * u[j];
  const length = norm(NU, udot, 0, 1);
  for (let i = 0; i < NM; ++i) {
    let left = -gamma[i];
    for (let j = 0; j < NU; ++j) left += rows[i * NU + j] * udot[j];
    // more than the drift of an integrator
    const allowed = 0.01 * (longest * length + Math.abs(gamma[i])) + drift * (longest > 0 ? longest : 1);
    if (Math.abs(left) > allowed) throw new Error("constraints contradict each other here");
  }
  return out;
}

// The rate of the state x = [q; u].
function rhs(t, x, w, c, out = new Float64Array(NQ + NU)) {
  const state = x instanceof Float64Array ? x : new Float64Array(x), q = state.subarray(0, NQ), u = state.subarray(NQ);
  rates(t, q, u, c, out.subarray(0, NQ));
  out.set(accelerations(t, q, u, w, c, acceleration_room).udot, NQ);
  return out;
}

// Its derivatives at one state: A (NX x NX) by x and B (NX x NW) by w, NX = NQ + NU. Columns of A mean
// something along motions that the constraints allow.
function rhs_jacobian(t, x, w, c) {
  const nx = NQ + NU, A = new Float64Array(nx * nx), B = new Float64Array(nx * NW);
  const state = x instanceof Float64Array ? x : new Float64Array(x), q = state.subarray(0, NQ), u = state.subarray(NQ);
  const put = (block, columns, to, stride, row, column) => {  // block's rows into `to`
    for (let i = 0; i < block.length; ++i) to[(row + Math.floor(i / columns)) * stride + column + (i % columns)] = block[i];
  };
  const { qdot_q, qdot_u } = rate_jacobians(t, q, u, c);
  put(qdot_q, NQ, A, nx, 0, 0);
  put(qdot_u, NU, A, nx, 0, NQ);
  const { udot, lambda } = accelerations(t, q, u, w, c), { M, G } = dynamics(t, q, u, w, c);
  const { r_q, r_u, r_w, s_q, s_u, s_w } = jacobians(t, q, u, w, udot, lambda, c);
  const k = nx + NW, X = new Float64Array(NU * k);
  put(r_q, NQ, X, k, 0, 0);
  put(r_u, NU, X, k, 0, NQ);
  put(r_w, NW, X, k, 0, nx);
  for (let i = 0; i < X.length; ++i) X[i] = -X[i];
  const L = new Float64Array(NM * k);
  put(s_q, NQ, L, k, 0, 0);
  put(s_u, NU, L, k, 0, NQ);
  put(s_w, NW, L, k, 0, nx);
  for (let i = 0; i < L.length; ++i) L[i] = -L[i];
  const is_ok = solve_descriptor(NU, NM, RANK, M, G, k, X, L);
  if (!is_ok) throw new Error("a motion that the constraints allow has no inertia");
  for (let i = 0; i < NU; ++i) {
    A.set(X.subarray(i * k, i * k + nx), (NQ + i) * nx);
    B.set(X.subarray(i * k + nx, i * k + k), (NQ + i) * NW);
  }
  return { A, B };
}

export { name, formulation, NQ, NU, NW, NP, NC, NM, RANK, COORDINATES, SPEEDS, INPUTS, PARAMETERS,
  CONSTRAINTS, OUTPUTS, values, setup, rates, dynamics, rate_jacobians, jacobians, inverse, energy, momentum,
  residuals, outputs, accelerations, rhs, rhs_jacobian };
