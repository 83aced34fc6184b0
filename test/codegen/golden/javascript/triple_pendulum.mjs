// Triple pendulum: equations of motion
// Derived by the formulation 'recursive', written by linkwright 0.1.0.
//
//     qdot = N(q, t) u + nu(q, t)
//     M(q, t) udot = f(q, u, w, t)
//
// SI units, angles in radians. The state x is q, then u.
//
// Coordinates q, with their initial values
//     0  q1  0.0
//     1  q2  0.0
//     2  q3  0.0
//
// Speeds u, with their initial values
//     0  q1'  0.0
//     1  q2'  0.0
//     2  q3'  0.0
//
// Inputs w, with their default values
//     0  TAU21  0.0
//     1  TAU32  0.0
//     2  TAU43  0.0
//
// Parameters p, with their values in the model
//      0  g      9.81  m/s^2      98.1 gives the eigenvalues of his tables 6.1 and 6.2
//      1  DL22   0.5   m          joint to centre of mass
//      2  DL33   0.5   m
//      3  DL44   0.5   m
//      4  SL32   0.5   m          centre of mass to the next joint
//      5  SL43   0.5   m
//      6  MA2    1.0   kg
//      7  MA3    1.0   kg
//      8  MA4    1.0   kg
//      9  J2X    0.2   kg*m^2
//     10  J2Y    0.1   kg*m^2
//     11  J2Z    0.2   kg*m^2
//     12  J3X    0.2   kg*m^2
//     13  J3Y    0.1   kg*m^2
//     14  J3Z    0.2   kg*m^2
//     15  J4X    0.2   kg*m^2
//     16  J4Y    0.1   kg*m^2
//     17  J4Z    0.2   kg*m^2
//     18  KR21   0.0   N*m/rad    joint stiffness
//     19  KR32   0.0   N*m/rad
//     20  KR43   0.0   N*m/rad
//     21  CR21   0.0   N*m*s/rad  joint damping; simulation 2 has 5
//     22  CR32   0.0   N*m*s/rad
//     23  CR43   0.0   N*m*s/rad
//     24  PHI02  0.0   rad        angle at which the spring is free
//     25  PHI03  0.0   rad
//     26  PHI04  0.0   rad
//
// Outputs y
//     0  hand.x
//     1  hand.y
//     2  hand.z
//     3  hanger.fx
//     4  hanger.fy
//     5  hanger.fz
//     6  hanger.tx
//     7  hanger.ty
//     8  hanger.tz
//
// Functions and their operations
//     setup           p -> c                                32 add, 33 mul, 1 div
//     rates           t q u c -> qdot                       none
//     dynamics        t q u w c -> M f                      62 add, 76 mul, 3 sincos
//     accelerations   t q u w c -> udot                     68 add, 86 mul, 2 div, 3 sincos
//     rate_jacobians  t q u c -> qdot_q qdot_u              none
//     jacobians       t q u w udot lambda c -> r_q r_u r_w  137 add, 216 mul, 3 sincos
//     inverse         t q u w udot lambda c -> r            54 add, 67 mul, 3 sincos
//     energy          t q u c -> T V                        35 add, 60 mul, 3 sincos
//     momentum        t q u c -> linear angular             63 add, 102 mul, 3 sincos
//     outputs         t q u w udot lambda c -> y            110 add, 164 mul, 3 sincos
//
// Use
//
//     import * as model from "./triple_pendulum.mjs";
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

const name = "Triple pendulum";
const formulation = "recursive";
const NQ = 3, NU = 3, NW = 3, NP = 27, NC = 62, NM = 0;
const RANK = 0;
const COORDINATES = [
  { name: "q1", unit: "", about: "", value: 0.0 },
  { name: "q2", unit: "", about: "", value: 0.0 },
  { name: "q3", unit: "", about: "", value: 0.0 },
];
const SPEEDS = [
  { name: "q1'", unit: "", about: "", value: 0.0 },
  { name: "q2'", unit: "", about: "", value: 0.0 },
  { name: "q3'", unit: "", about: "", value: 0.0 },
];
const INPUTS = [
  { name: "TAU21", unit: "", about: "", value: 0.0 },
  { name: "TAU32", unit: "", about: "", value: 0.0 },
  { name: "TAU43", unit: "", about: "", value: 0.0 },
];
const PARAMETERS = [
  { name: "g", unit: "m/s^2", about: "98.1 gives the eigenvalues of his tables 6.1 and 6.2", value: 9.81 },
  { name: "DL22", unit: "m", about: "joint to centre of mass", value: 0.5 },
  { name: "DL33", unit: "m", about: "", value: 0.5 },
  { name: "DL44", unit: "m", about: "", value: 0.5 },
  { name: "SL32", unit: "m", about: "centre of mass to the next joint", value: 0.5 },
  { name: "SL43", unit: "m", about: "", value: 0.5 },
  { name: "MA2", unit: "kg", about: "", value: 1.0 },
  { name: "MA3", unit: "kg", about: "", value: 1.0 },
  { name: "MA4", unit: "kg", about: "", value: 1.0 },
  { name: "J2X", unit: "kg*m^2", about: "", value: 0.2 },
  { name: "J2Y", unit: "kg*m^2", about: "", value: 0.1 },
  { name: "J2Z", unit: "kg*m^2", about: "", value: 0.2 },
  { name: "J3X", unit: "kg*m^2", about: "", value: 0.2 },
  { name: "J3Y", unit: "kg*m^2", about: "", value: 0.1 },
  { name: "J3Z", unit: "kg*m^2", about: "", value: 0.2 },
  { name: "J4X", unit: "kg*m^2", about: "", value: 0.2 },
  { name: "J4Y", unit: "kg*m^2", about: "", value: 0.1 },
  { name: "J4Z", unit: "kg*m^2", about: "", value: 0.2 },
  { name: "KR21", unit: "N*m/rad", about: "joint stiffness", value: 0.0 },
  { name: "KR32", unit: "N*m/rad", about: "", value: 0.0 },
  { name: "KR43", unit: "N*m/rad", about: "", value: 0.0 },
  { name: "CR21", unit: "N*m*s/rad", about: "joint damping; simulation 2 has 5", value: 0.0 },
  { name: "CR32", unit: "N*m*s/rad", about: "", value: 0.0 },
  { name: "CR43", unit: "N*m*s/rad", about: "", value: 0.0 },
  { name: "PHI02", unit: "rad", about: "angle at which the spring is free", value: 0.0 },
  { name: "PHI03", unit: "rad", about: "", value: 0.0 },
  { name: "PHI04", unit: "rad", about: "", value: 0.0 },
];
const CONSTRAINTS = [];
const OUTPUTS = [
  { name: "hand.x", unit: "", about: "", value: 0.0 },
  { name: "hand.y", unit: "", about: "", value: 0.0 },
  { name: "hand.z", unit: "", about: "", value: 0.0 },
  { name: "hanger.fx", unit: "", about: "", value: 0.0 },
  { name: "hanger.fy", unit: "", about: "", value: 0.0 },
  { name: "hanger.fz", unit: "", about: "", value: 0.0 },
  { name: "hanger.tx", unit: "", about: "", value: 0.0 },
  { name: "hanger.ty", unit: "", about: "", value: 0.0 },
  { name: "hanger.tz", unit: "", about: "", value: 0.0 },
];

// The default values of these symbols as an array; changes is an object {name: value}.
function values(symbols, changes = {}) {
  const unknown = Object.keys(changes).filter((name) => !symbols.some((s) => s.name === name));
  if (unknown.length > 0) throw new RangeError(`no symbol is called ${unknown.join(", ")}`);
  return Float64Array.from(symbols, (s) => (Object.hasOwnProperty.call(changes, s.name) ? changes[s.name] : s.value));
}

// What depends on parameters only, computed once.
// c (62): constants for the other functions.
// Operations: 32 add, 33 mul, 1 div.
function setup(p, out = new Float64Array(62)) {
  const c = out;
  const v0 = p[1] + p[4];
  const v1 = p[2] + p[5];
  const v2 = p[1]*p[6];
  const v3 = p[9] - p[10];
  const v4 = p[1]*v2 + 0.5*(p[11] + v3);
  const v5 = 0.5*(p[11] - v3);
  const v6 = p[2]*p[7];
  const v7 = p[12] - p[13];
  const v8 = 0.5*(p[12] + p[13] - p[14]);
  const v9 = p[3]*p[8];
  const v10 = p[16] - p[15];
  const v11 = p[17] + v10;
  const v12 = 0.5*v11;
  const v13 = 0.5*(p[17] - v10) + p[3]*v9;
  const v14 = v0*(p[7] + p[8]);
  const v15 = p[8]*v1;
  const v16 = v6 + v15;
  const v17 = p[2]*v6 + 0.5*(p[14] + v7) + v1*v15;
  const v18 = 0.5*(p[14] - v7) + 0.5*(p[15] + p[16] - p[17]);
  const v19 = v17 - v18;
  const v20 = v12 + v13;
  const v21 = p[0]*p[8];
  const v22 = p[0]*p[7];
  const v23 = p[0]*p[6];
  const v24 = v1*v9;
  c[0] = p[0];  // g
  c[1] = p[18];  // KR21
  c[2] = p[19];  // KR32
  c[3] = p[20];  // KR43
  c[4] = p[21];  // CR21
  c[5] = p[22];  // CR32
  c[6] = p[23];  // CR43
  c[7] = p[24];  // PHI02
  c[8] = p[25];  // PHI03
  c[9] = p[26];  // PHI04
  c[10] = v0;  // c0 = DL22 + SL32
  c[11] = v1;  // c1 = DL33 + SL43
  c[12] = v9;  // c2 = DL44*MA4
  c[13] = v11;  // c3 = J4Y + J4Z - J4X
  c[14] = v12;  // c4 = (J4Y + J4Z - J4X)/2
  c[15] = v13;  // c5 = (J4X + J4Z - J4Y)/2 + MA4*DL44^2
  c[16] = v14;  // c6 = (DL22 + SL32)*(MA3 + MA4)
  c[17] = v2 + v14;  // c7 = DL22*MA2 + (DL22 + SL32)*(MA3 + MA4)
  c[18] = v16;  // c8 = DL33*MA3 + MA4*(DL33 + SL43)
  c[19] = v17;  // c9 = DL33*MA3*DL33 + (J3X + J3Z - J3Y)/2 + MA4*(DL33 + SL43)*(DL33 + SL43)
  c[20] = v18;  // c10 = (J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2
  c[21] = v19;  // c11
  c[22] = v12 - v13;  // c12 = (J4Y + J4Z - J4X)/2 - ((J4X + J4Z - J4Y)/2 + MA4*DL44^2)
  c[23] = v20;  // c13 = (J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2
  c[24] = v24;  // c14 = DL44*MA4*(DL33 + SL43)
  c[25] = v4;  // c15 = DL22*MA2*DL22 + (J2X + J2Z - J2Y)/2
  c[26] = v5;  // c16 = (J2Y + J2Z - J2X)/2
  c[27] = v8;  // c17 = (J3X + J3Y - J3Z)/2
  c[28] = 2.0*v18;  // c18 = 2*((J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2)
  c[29] = 1.0/v20;  // c19 = 1/((J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2)
  c[30] = p[1];  // DL22
  c[31] = p[2];  // DL33
  c[32] = p[3];  // DL44
  c[33] = p[4];  // SL32
  c[34] = p[5];  // SL43
  c[35] = p[6];  // MA2
  c[36] = p[7];  // MA3
  c[37] = p[8];  // MA4
  c[38] = 2.0*v1;  // c20 = 2*(DL33 + SL43)
  c[39] = -v19;  // c21
  c[40] = 2.0*v9;  // c22 = 2*DL44*MA4
  c[41] = 2.0*v16;  // c23 = 2*(DL33*MA3 + MA4*(DL33 + SL43))
  c[42] = 2.0*v17;  // c24 = 2*(DL33*MA3*DL33 + (J3X + J3Z - J3Y)/2 + MA4*(DL33 + SL43)*(DL33 + SL43))
  c[43] = 2.0*v19;  // c25
  c[44] = 2.0*v24;  // c26 = 2*DL44*MA4*(DL33 + SL43)
  c[45] = 2.0*v13;  // c27 = 2*((J4X + J4Z - J4Y)/2 + MA4*DL44^2)
  c[46] = v4 + v0*v14 + (v5 + v8);  // c28
  c[47] = p[11];  // J2Z
  c[48] = p[12];  // J3X
  c[49] = p[13];  // J3Y
  c[50] = p[14];  // J3Z
  c[51] = p[15];  // J4X
  c[52] = p[16];  // J4Y
  c[53] = p[17];  // J4Z
  c[54] = 0.5*p[20];  // c29 = KR43/2
  c[55] = 0.5*p[19];  // c30 = KR32/2
  c[56] = 0.5*p[18];  // c31 = KR21/2
  c[57] = v21;  // c32 = g*MA4
  c[58] = v22;  // c33 = g*MA3
  c[59] = v21 + v22;  // c34 = g*MA4 + g*MA3
  c[60] = v23;  // c35 = g*MA2
  c[61] = v22 + v23;  // c36 = g*MA3 + g*MA2
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

// Mass matrix and forcing: M udot = f.
// M (3 x 3): mass matrix, symmetric.
// f (3): forcing.
// Operations: 62 add, 76 mul, 3 sincos.
function dynamics(t, q, u, w, c, out = { M: new Float64Array(9), f: new Float64Array(3) }) {
  const { M, f } = out;
  M.fill(0);
  const v0 = Math.sin(q[0]);
  const v1 = Math.cos(q[0]);
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = Math.sin(q[2]);
  const v5 = Math.cos(q[2]);
  const v6 = c[0]*v0;
  const v7 = c[0]*v1 + c[10]*(u[0]*u[0]);
  const v8 = u[0]*v2;
  const v9 = u[0]*v3;
  const v10 = v8*v9;
  const v11 = v2*v7;
  const v12 = u[1]*v8;
  const v13 = u[1]*v9;
  const v14 = v4*v8 + u[1]*v5;
  const v15 = v5*v8 - u[1]*v4;
  const v16 = u[2] + v9;
  const v17 = v5*c[12];
  const v18 = c[11]*v17;
  const v19 = v4*c[22];
  const v20 = v4*v19;
  const v21 = c[19] + (c[15] + v20 + 2.0*v18);
  const v22 = v3*(v3*(v21 - c[20])) + (c[20] + (c[25] + c[10]*(c[16] + 2.0*(v3*(c[18] + v17))))) + c[26] + c[27];
  const v23 = 2.0*v12;
  const v24 = u[2] + v16;
  const v25 = v4*v13 + v15*v24;
  const v26 = v12 + v14*v15;
  const v27 = c[14]*(v14*v24 - v5*v13);
  const v28 = c[15]*v25 + c[12]*(v11 + c[11]*v10);
  const v29 = c[22]*v26 - c[13]*v12 + c[12]*(v4*(v3*v7 + c[11]*(v9*v9 + u[1]*u[1])) + v5*(v6 - c[11]*v23));
  const v30 = c[12]*(v4*(v14*v14 + v16*v16) + v5*v26);
  const v31 = v2*(v13*c[28] + v4*v28 - v5*v27) + v3*(v29 + (c[18]*v6 - c[19]*v23) - c[11]*v30);
  M[0] = c[14] + v22 - v20;
  M[3] = M[1] = -v2*(v5*v19 - v4*c[24]);
  M[4] = c[20] + v21;
  M[6] = M[2] = v3*(c[23] + v18) + c[10]*v17;
  M[8] = c[23];
  f[0] = w[0] - u[0]*c[4] - c[1]*(q[0] - c[7]) - (c[17]*v6 + (v31 + c[10]*(-c[18]*v23 - v30)));
  f[1] = w[1] - u[1]*c[5] - c[2]*(q[1] - c[8]) - c[18]*v11 - v10*c[21] - c[24]*v25 - v4*v27 - v5*v28;
  f[2] = w[2] - u[2]*c[6] - c[3]*(q[2] - c[9]) - v29;
  return out;
}

// Accelerations, written out.
// udot (3): accelerations.
// Operations: 68 add, 86 mul, 2 div, 3 sincos.
function accelerations(t, q, u, w, c, out = new Float64Array(3)) {
  const udot = out;
  const v0 = Math.sin(q[0]);
  const v1 = Math.cos(q[0]);
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = Math.sin(q[2]);
  const v5 = Math.cos(q[2]);
  const v6 = c[0]*v0;
  const v7 = c[0]*v1 + c[10]*(u[0]*u[0]);
  const v8 = u[0]*v2;
  const v9 = u[0]*v3;
  const v10 = v8*v9;
  const v11 = v2*v7;
  const v12 = u[1]*v8;
  const v13 = u[1]*v9;
  const v14 = v4*v8 + u[1]*v5;
  const v15 = v5*v8 - u[1]*v4;
  const v16 = u[2] + v9;
  const v17 = v5*c[12];
  const v18 = c[11]*v17;
  const v19 = v3*(c[23] + v18) + c[10]*v17;
  const v20 = v4*c[22];
  const v21 = v4*v20;
  const v22 = c[19] + (c[15] + v21 + 2.0*v18);
  const v23 = v2*(v5*v20 - v4*c[24]);
  const v24 = 2.0*v12;
  const v25 = u[2] + v16;
  const v26 = v4*v13 + v15*v25;
  const v27 = v12 + v14*v15;
  const v28 = c[14]*(v14*v25 - v5*v13);
  const v29 = c[15]*v26 + c[12]*(v11 + c[11]*v10);
  const v30 = c[22]*v27 - c[13]*v12 + c[12]*(v4*(v3*v7 + c[11]*(v9*v9 + u[1]*u[1])) + v5*(v6 - c[11]*v24));
  const v31 = v30 - (w[2] - u[2]*c[6] - c[3]*(q[2] - c[9]));
  const v32 = c[12]*(v4*(v14*v14 + v16*v16) + v5*v27);
  const v33 = u[1]*c[5] + (v5*v29 + (v4*v28 + (c[24]*v26 + (c[18]*v11 + v10*c[21]))) - w[1]);
  const v34 = c[2]*(q[1] - c[8]) + v33;
  const v35 = v2*(v13*c[28] + v4*v29 - v5*v28) + v3*(v30 + (c[18]*v6 - c[19]*v24) - c[11]*v32);
  const v36 = v19*c[29];
  const v37 = 1.0/(c[20] + v22);
  const v38 = v23*v37;
  const v39 = v3*(v3*(v22 - c[20])) + (c[20] + (c[25] + c[10]*(c[16] + 2.0*(v3*(c[18] + v17))))) + c[26] + c[27];
  const v40 = v31*v36 - (c[17]*v6 + (v35 + c[10]*(-c[18]*v24 - v32)) - (w[0] - u[0]*c[4] - c[1]*(q[0] - c[7])));
  const v41 = (v40 - v34*v38)/(c[14] + v39 - v21 - v19*v36 - v23*v38);
  udot[0] = v41;
  udot[1] = v38*v41 - v34*v37;
  udot[2] = -(v31*c[29] + v36*v41);
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

// Derivatives of r = M udot - f at fixed udot.
// r_q (3 x 3): derivative of r by q.
// r_u (3 x 3): derivative of r by u.
// r_w (3 x 3): derivative of r by w.
// Operations: 137 add, 216 mul, 3 sincos.
function jacobians(t, q, u, w, udot, lambda, c, out = {
  r_q: new Float64Array(9),
  r_u: new Float64Array(9),
  r_w: new Float64Array(9),
}) {
  const { r_q, r_u, r_w } = out;
  r_w.fill(0);
  const v0 = Math.sin(q[0]);
  const v1 = Math.cos(q[0]);
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = Math.sin(q[2]);
  const v5 = Math.cos(q[2]);
  const v6 = c[0]*v1;
  const v7 = c[0]*v0;
  const v8 = u[0]*c[10];
  const v9 = v6 + u[0]*v8;
  const v10 = v7 + udot[0]*c[10];
  const v11 = u[0]*v2;
  const v12 = u[0]*v3;
  const v13 = v11*v12;
  const v14 = v12*v12;
  const v15 = v3*v9;
  const v16 = v2*v9;
  const v17 = u[1]*v11;
  const v18 = u[1]*v12;
  const v19 = udot[0]*v2 + v18;
  const v20 = udot[0]*v3 - v17;
  const v21 = v17 - v20;
  const v22 = v15 + c[11]*(v14 + u[1]*u[1]);
  const v23 = v10 - c[11]*v21;
  const v24 = v4*v11 + u[1]*v5;
  const v25 = v5*v11 - u[1]*v4;
  const v26 = v24*v24;
  const v27 = v24*v25;
  const v28 = udot[2] + v20;
  const v29 = u[2] + v12;
  const v30 = v18 + v19;
  const v31 = v14 - v11*v11;
  const v32 = u[2] + v29;
  const v33 = udot[1]*v4 + (v24*v32 - v5*v19);
  const v34 = udot[1]*v5 + (v4*v19 + v25*v32);
  const v35 = v27 - v28;
  const v36 = c[12]*v35;
  const v37 = c[12]*(v26 + v29*v29);
  const v38 = c[13]*v33;
  const v39 = v25*v25 - v26;
  const v40 = c[15]*v34 + c[12]*(v16 + c[11]*(udot[1] + v13));
  const v41 = v4*v40;
  const v42 = v5*v38;
  const v43 = c[30]*v1;
  const v44 = v1*(c[33] + c[31]*v3) + v43;
  const v45 = v2*v5;
  const v46 = v2*v4;
  const v47 = v5*c[12];
  const v48 = v4*v12;
  const v49 = v5*v12;
  const v50 = 2.0*v24;
  const v51 = 2.0*v11;
  const v52 = v4*v20 + (v32*v49 - v11*v25);
  const v53 = v19 + (v25*v48 + v24*v49);
  const v54 = c[13]*(v32*v48 - v11*v24 - v5*v20);
  const v55 = c[15]*v52 + c[12]*(v15 + c[11]*v31);
  const v56 = c[22]*v53 - c[13]*v19 + c[12]*(v4*(-v13*c[38] - v16) - v5*(c[11]*v30));
  const v57 = 0.5*v5;
  const v58 = 0.5*v4;
  const v59 = c[12]*(v5*v53 + v4*(v48*v50 - v29*v51));
  const v60 = v4*v55 - v54*v57 - v21*c[39] - c[18]*v10 - v35*c[22] - c[13]*v28 - c[12]*(v4*v22 + v5*v23);
  const v61 = v3*(v56 + (v41 + v30*c[39] - 0.5*v42) - c[11]*v59) + v2*(c[11]*(v5*v36 + v4*v37) + v60);
  const v62 = c[15]*v33;
  const v63 = c[13]*v34;
  const v64 = c[22]*v39 + c[12]*(v5*v22 - v4*v23);
  const v65 = v5*(v37 + c[12]*v39) + v4*(v27*c[40] - v36);
  const v66 = v2*v12;
  const v67 = v2*v8;
  const v68 = u[1]*v2;
  const v69 = u[1]*v3;
  const v70 = 2.0*v3;
  const v71 = v4*v69 + (v3*v25 + v32*v45);
  const v72 = v68 + (v25*v46 + v24*v45);
  const v73 = c[13]*(v3*v24 + v32*v46 - v5*v69);
  const v74 = c[15]*v71 + c[12]*(c[38]*v66 + 2.0*v67);
  const v75 = c[22]*v72 - c[13]*v68 + c[12]*(v4*(v70*(v8 + c[11]*v12)) - v68*(v5*c[38]));
  const v76 = c[12]*(v5*v72 + v4*(v46*v50 + v29*v70));
  const v77 = v2*(v69*c[28] + v4*v74 - v57*v73) + v3*(v75 - v68*c[42] - c[11]*v76);
  const v78 = v48 - v4*v32;
  const v79 = v11 + (v5*v25 - v4*v24);
  const v80 = c[15]*v78;
  const v81 = c[13]*(v5*v32 - v49);
  const v82 = c[22]*v79 - c[13]*v11 - v25*c[44];
  const v83 = v47*(v79 + v4*v50);
  const v84 = v2*(v12*c[28] + v4*v80 - v57*v81) + v3*(v82 - c[19]*v51 - c[11]*v83);
  r_q[0] = c[1] - c[0]*(c[37]*(v0*(c[32]*v4) - (c[34] + c[32]*v5)*(v1*v3) - v44) - c[36]*v44 - c[35]*v43);
  r_q[1] = v61 - c[10]*(c[18]*v30 + v59);
  r_q[2] = v2*(v5*v40 - v4*v62 - 0.5*(v5*v63 - v4*v38)) + v3*(v64 - c[11]*v65) - c[10]*v65;
  r_q[3] = -v2*v7*(c[18] + v47);
  r_q[4] = v5*v55 + (v54*v58 + (v52*c[24] + (c[18]*v15 + (c[2] + c[21]*v31))));
  r_q[5] = -(v41 + v5*v62 - 0.5*(v42 + v4*v63) + v33*c[24]);
  r_q[6] = c[12]*(v5*v6 - v4*(v3*v7));
  r_q[7] = v56;
  r_q[8] = c[3] + v64;
  r_u[0] = c[4] + (v77 - c[10]*(v68*c[41] + v76));
  r_u[1] = v84 - c[10]*(v11*c[41] + v83);
  r_u[2] = v2*(v25*(v4*c[45]) - v5*(c[13]*v24)) - (c[10] + v3*c[11])*(v4*(v29*c[40]));
  r_u[3] = v66*c[43] + (v67*c[41] + (c[24]*v71 + (v5*v74 + v58*v73)));
  r_u[4] = v5*v80 + (v58*v81 + (c[5] + c[24]*v78));
  r_u[5] = -v82;
  r_u[6] = v75;
  r_u[7] = v82;
  r_u[8] = c[6];
  r_w[0] = -1.0;
  r_w[4] = -1.0;
  r_w[8] = -1.0;
  return out;
}

// Generalized forces required in addition for this udot (inverse dynamics).
// r (3): M udot - f.
// Operations: 54 add, 67 mul, 3 sincos.
function inverse(t, q, u, w, udot, lambda, c, out = new Float64Array(3)) {
  const r = out;
  const v0 = Math.sin(q[0]);
  const v1 = Math.cos(q[0]);
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = Math.sin(q[2]);
  const v5 = Math.cos(q[2]);
  const v6 = c[0]*v0;
  const v7 = c[0]*v1 + c[10]*(u[0]*u[0]);
  const v8 = v6 + udot[0]*c[10];
  const v9 = u[0]*v2;
  const v10 = u[0]*v3;
  const v11 = v2*v7;
  const v12 = u[1]*v9;
  const v13 = u[1]*v10;
  const v14 = udot[0]*v2 + v13;
  const v15 = udot[0]*v3 - v12;
  const v16 = udot[1] + v9*v10;
  const v17 = v12 - v15;
  const v18 = v4*v9 + u[1]*v5;
  const v19 = v5*v9 - u[1]*v4;
  const v20 = udot[2] + v15;
  const v21 = u[2] + v10;
  const v22 = u[2] + v21;
  const v23 = udot[1]*v5 + (v4*v14 + v19*v22);
  const v24 = v18*v19 - v20;
  const v25 = c[14]*(udot[1]*v4 + (v18*v22 - v5*v14));
  const v26 = c[15]*v23 + c[12]*(v11 + c[11]*v16);
  const v27 = v24*c[22] + c[13]*v20 + c[12]*(v4*(v3*v7 + c[11]*(v10*v10 + u[1]*u[1])) + v5*(v8 - c[11]*v17));
  const v28 = c[12]*(v5*v24 + v4*(v18*v18 + v21*v21));
  const v29 = v16*c[21] + (c[18]*v11 + (v23*c[24] + (v4*v25 + (v5*v26 + (c[2]*(q[1] - c[8]) + u[1]*c[5])))));
  const v30 = v2*(c[20]*(v13 + v14) + v4*v26 - v5*v25) + (c[17]*v6 + udot[0]*c[46]);
  const v31 = u[0]*c[4] + (v3*(c[18]*v8 - c[19]*v17 + (v27 - c[11]*v28)) + v30 - c[10]*(c[18]*v17 + v28) - w[0]);
  r[0] = c[1]*(q[0] - c[7]) + v31;
  r[1] = udot[1]*c[28] + v29 - w[1];
  r[2] = v27 - (w[2] - u[2]*c[6] - c[3]*(q[2] - c[9]));
  return out;
}

// Kinetic and potential energy.
// T: kinetic energy.
// V: potential energy.
// Operations: 35 add, 60 mul, 3 sincos.
function energy(t, q, u, c, out = { T: 0, V: 0 }) {
  const v0 = Math.sin(q[0]);
  const v1 = Math.cos(q[0]);
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = Math.sin(q[2]);
  const v5 = Math.cos(q[2]);
  const v6 = q[0] - c[7];
  const v7 = q[1] - c[8];
  const v8 = q[2] - c[9];
  const v9 = u[0]*v2;
  const v10 = u[0]*v3;
  const v11 = v4*v9 + u[1]*v5;
  const v12 = v5*v9 - u[1]*v4;
  const v13 = u[2] + v10;
  const v14 = c[34] + c[32]*v5;
  const v15 = c[32]*v4;
  const v16 = u[1]*c[31];
  const v17 = u[1]*v14 + v9*v15 + v16;
  const v18 = c[33] + c[31]*v3;
  const v19 = u[0]*c[30];
  const v20 = u[0]*v18 + v19;
  const v21 = v10*v14 + v20;
  const v22 = v10*v15;
  const v23 = v5*v22 - v4*v21;
  const v24 = v5*v21 + v4*v22 + u[2]*c[32];
  const v25 = v13*(c[53]*v13) + (v12*(c[52]*v12) + v11*(c[51]*v11));
  const v26 = u[1]*(u[1]*c[50]) + (v9*(c[49]*v9) + v10*(c[48]*v10)) + c[36]*(v20*v20 + v16*v16);
  const v27 = v25 + c[37]*(v17*v17 + (v23*v23 + v24*v24)) + (v26 + (u[0]*(u[0]*c[47]) + c[35]*(v19*v19)));
  const v28 = c[30]*v1;
  const v29 = v1*v18 + v28;
  const v30 = v8*(v8*c[54]) + c[0]*(c[37]*(v0*v15 - v14*(v1*v3) - v29) - c[36]*v29 - c[35]*v28);
  out.T = 0.5*v27;
  out.V = v6*(v6*c[56]) + (v7*(v7*c[55]) + v30);
  return out;
}

// Linear momentum, and angular momentum about the origin, in ground axes.
// linear (3): linear momentum.
// angular (3): angular momentum.
// Operations: 63 add, 102 mul, 3 sincos.
function momentum(t, q, u, c, out = { linear: new Float64Array(3), angular: new Float64Array(3) }) {
  const { linear, angular } = out;
  const v0 = Math.sin(q[0]);
  const v1 = Math.cos(q[0]);
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = Math.sin(q[2]);
  const v5 = Math.cos(q[2]);
  const v6 = u[0]*v2;
  const v7 = u[0]*v3;
  const v8 = c[52]*(v5*v6 - u[1]*v4);
  const v9 = c[51]*(v4*v6 + u[1]*v5);
  const v10 = c[34] + c[32]*v5;
  const v11 = c[32]*v4;
  const v12 = u[1]*c[31];
  const v13 = c[33] + c[31]*v3;
  const v14 = u[0]*c[30];
  const v15 = u[0]*v13 + v14;
  const v16 = v7*v10 + v15;
  const v17 = v7*v11;
  const v18 = u[1]*c[50];
  const v19 = c[49]*v6;
  const v20 = v1*v3;
  const v21 = c[30]*v1;
  const v22 = v1*v13 + v21;
  const v23 = v0*v11 - v10*v20 - v22;
  const v24 = c[37]*(u[1]*v10 + v6*v11 + v12);
  const v25 = v0*v2;
  const v26 = c[37]*(v5*v17 - v4*v16);
  const v27 = v0*v3;
  const v28 = v1*v4 + v5*v27;
  const v29 = c[37]*(v5*v16 + v4*v17 + u[2]*c[32]);
  const v30 = v1*v5 - v4*v27;
  const v31 = v29*v30 - v26*v28 - v24*v25;
  const v32 = c[36]*v15;
  const v33 = c[36]*v12;
  const v34 = v1*v32 - v25*v33;
  const v35 = c[35]*v14;
  const v36 = v1*v35;
  const v37 = v1*v2;
  const v38 = v5*v20 - v0*v4;
  const v39 = v0*v5 + v4*v20;
  const v40 = v24*v37 + (v26*v38 + v29*v39);
  const v41 = v0*v32 + v33*v37;
  const v42 = v0*v35;
  const v43 = v2*v5;
  const v44 = v2*v4;
  const v45 = v26*v43 + v29*v44 - v3*v24;
  const v46 = v3*v33;
  const v47 = c[31]*v2;
  const v48 = v2*v10 + v47;
  const v49 = c[53]*(u[2] + v7) + c[48]*v7;
  const v50 = v41*v47 + (v1*v18 + (v23*v45 + (v40*v48 + (v9*v30 + v25*v49 - v8*v28))) - v19*v27);
  const v51 = c[30]*v0;
  const v52 = v0*v13 + v51;
  const v53 = v1*v11 + v10*v27 + v52;
  const v54 = v46*v52 + (v19*v20 + (v0*v18 + (v8*v38 + v9*v39 - v37*v49 - v45*v53 - v31*v48)));
  const v55 = v41*v52 + (v22*v34 + (v2*v19 + (v40*v53 + (v9*v44 + (v8*v43 + v3*v49)) - v23*v31)));
  linear[0] = v31 + (v34 + v36);
  linear[1] = v40 + (v41 + v42);
  linear[2] = v45 - v46;
  angular[0] = v22*v46 + v50;
  angular[1] = v54 - v34*v47;
  angular[2] = v42*v51 + (v21*v36 + (u[0]*c[47] + v55));
  return out;
}

// Outputs of the model.
// y (9): outputs.
// Operations: 110 add, 164 mul, 3 sincos.
function outputs(t, q, u, w, udot, lambda, c, out = new Float64Array(9)) {
  const y = out;
  const v0 = Math.sin(q[0]);
  const v1 = Math.cos(q[0]);
  const v2 = Math.sin(q[1]);
  const v3 = Math.cos(q[1]);
  const v4 = Math.sin(q[2]);
  const v5 = Math.cos(q[2]);
  const v6 = c[0]*v0;
  const v7 = u[0]*u[0];
  const v8 = c[0]*v1 + c[10]*v7;
  const v9 = v6 + udot[0]*c[10];
  const v10 = u[0]*v2;
  const v11 = u[0]*v3;
  const v12 = v2*v8;
  const v13 = u[1]*v10;
  const v14 = u[1]*v11;
  const v15 = udot[0]*v2 + v14;
  const v16 = udot[0]*v3 - v13;
  const v17 = v11*v11 + u[1]*u[1];
  const v18 = udot[1] + v10*v11;
  const v19 = v13 - v16;
  const v20 = v4*v10 + u[1]*v5;
  const v21 = v5*v10 - u[1]*v4;
  const v22 = udot[2] + v16;
  const v23 = u[2] + v11;
  const v24 = u[2] + v23;
  const v25 = udot[1]*v5 + (v4*v15 + v21*v24);
  const v26 = v20*v21 - v22;
  const v27 = c[12]*v26;
  const v28 = c[12]*(v20*v20 + v23*v23);
  const v29 = c[12]*v25;
  const v30 = c[14]*(udot[1]*v4 + (v20*v24 - v5*v15));
  const v31 = c[15]*v25 + c[12]*(v12 + c[11]*v18);
  const v32 = v5*v27 + v4*v28;
  const v33 = c[20]*(v14 + v15) + v4*v31 - v5*v30;
  const v34 = v26*c[22] + c[13]*v22 + c[12]*(v4*(v3*v8 + c[11]*v17) + v5*(v9 - c[11]*v19)) - c[11]*v32;
  const v35 = c[18]*v9 - c[19]*v19 + v34;
  const v36 = c[18]*v17 + (v5*v28 - v4*v27);
  const v37 = c[18]*v18 + v29;
  const v38 = c[18]*v19 + v32;
  const v39 = v3*v33 - v2*v35;
  const v40 = v2*v36 - v3*v37;
  const v41 = c[10]*v40 - v18*c[21] - udot[1]*c[28] - c[18]*v12 - c[11]*v29 - v4*v30 - v5*v31;
  const v42 = c[34] + c[32]*v5;
  const v43 = c[32]*v4;
  const v44 = u[1]*c[31];
  const v45 = c[33] + c[31]*v3;
  const v46 = u[0]*c[30];
  const v47 = u[0]*v45 + v46;
  const v48 = v11*v42 + v47;
  const v49 = v11*v43;
  const v50 = v5*v49 - v4*v48;
  const v51 = u[2]*c[32];
  const v52 = v5*v48 + v4*v49 + v51;
  const v53 = v1*v3;
  const v54 = c[30] + v45;
  const v55 = c[37]*(u[1]*v42 + v10*v43 + v44);
  const v56 = c[37]*v50;
  const v57 = c[37]*v52;
  const v58 = c[36]*v47;
  const v59 = c[36]*v44;
  const v60 = udot[0]*c[30];
  const v61 = udot[0]*v45 + v60 - v10*v44;
  const v62 = v16*v42 + v61;
  const v63 = v16*v43;
  const v64 = v20*v55 + v23*v57 + c[37]*(v23*v51 - u[2]*v52 - (v4*v62 - v5*v63));
  const v65 = v64 + (v5*v53 - v0*v4)*c[57];
  const v66 = c[37]*(v5*v62 + v4*v63 + (udot[2]*c[32] + u[2]*v50)) - (v23*v56 + v21*v55);
  const v67 = v66 + (v0*v5 + v4*v53)*c[57];
  const v68 = udot[1]*c[31];
  const v69 = v21*v57 + (v10*v58 + c[36]*v68 + v1*v2*c[59] - v20*v56);
  const v70 = v3*(v5*v65 + v4*v67 + (v11*v58 + u[1]*v59 + v53*c[58]));
  const v71 = v70 + v2*(c[37]*(udot[1]*v42 + v15*v43 + v68 + v21*v51) + v69) + (u[0]*(c[35]*v46) + v1*c[60]);
  y[0] = v1*v43 + v0*(v54 + v3*v42);
  y[1] = v0*v43 - v42*v53 - v1*v54;
  y[2] = -v2*(c[31] + v42);
  y[3] = -(v0*(c[17]*v7 + (v3*v36 + v2*v37)) + v1*(v38 - udot[0]*c[17]));
  y[4] = v1*v71 + v0*(c[35]*v60 + (c[36]*v61 + (v5*v67 - v4*v65) - v10*v59 + v0*c[61]));
  y[5] = v40;
  y[6] = -(v0*v39 + v1*v41);
  y[7] = v1*v39 - v0*v41;
  y[8] = v3*v35 + (v2*v33 + (c[17]*v6 + udot[0]*c[46])) - c[10]*v38;
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

// The rate of the state x = [q; u].
function rhs(t, x, w, c, out = new Float64Array(NQ + NU)) {
  const state = x instanceof Float64Array ? x : new Float64Array(x), q = state.subarray(0, NQ), u = state.subarray(NQ);
  rates(t, q, u, c, out.subarray(0, NQ));
  accelerations(t, q, u, w, c, out.subarray(NQ));
  return out;
}

// Its derivatives at one state: A (NX x NX) by x and B (NX x NW) by w, NX = NQ + NU.
function rhs_jacobian(t, x, w, c) {
  const nx = NQ + NU, A = new Float64Array(nx * nx), B = new Float64Array(nx * NW);
  const state = x instanceof Float64Array ? x : new Float64Array(x), q = state.subarray(0, NQ), u = state.subarray(NQ);
  const put = (block, columns, to, stride, row, column) => {  // block's rows into `to`
    for (let i = 0; i < block.length; ++i) to[(row + Math.floor(i / columns)) * stride + column + (i % columns)] = block[i];
  };
  const { qdot_q, qdot_u } = rate_jacobians(t, q, u, c);
  put(qdot_q, NQ, A, nx, 0, 0);
  put(qdot_u, NU, A, nx, 0, NQ);
  const udot = accelerations(t, q, u, w, c), lambda = [], { M } = dynamics(t, q, u, w, c);
  const { r_q, r_u, r_w } = jacobians(t, q, u, w, udot, lambda, c);
  const k = nx + NW, X = new Float64Array(NU * k);
  put(r_q, NQ, X, k, 0, 0);
  put(r_u, NU, X, k, 0, NQ);
  put(r_w, NW, X, k, 0, nx);
  for (let i = 0; i < X.length; ++i) X[i] = -X[i];
  const is_ok = solve_definite(NU, M, 0, NU, Float64Array.from(udot, (_, i) => Math.abs(M[i * NU + i])), k, X, 0);
  if (!is_ok) throw new Error("a motion that the constraints allow has no inertia");
  for (let i = 0; i < NU; ++i) {
    A.set(X.subarray(i * k, i * k + nx), (NQ + i) * nx);
    B.set(X.subarray(i * k + nx, i * k + k), (NQ + i) * NW);
  }
  return { A, B };
}

export { name, formulation, NQ, NU, NW, NP, NC, NM, RANK, COORDINATES, SPEEDS, INPUTS, PARAMETERS,
  CONSTRAINTS, OUTPUTS, values, setup, rates, dynamics, accelerations, rate_jacobians, jacobians, inverse,
  energy, momentum, outputs, rhs, rhs_jacobian };
