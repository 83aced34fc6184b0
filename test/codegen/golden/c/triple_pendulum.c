/* Triple pendulum: equations of motion, written by linkwright 0.1.0.
 * What everything means stands in triple_pendulum.h.
 */
#include "triple_pendulum.h"

#include <float.h>
#include <math.h>

const char *const triple_pendulum_coordinate_names[4] = {
    "q1",
    "q2",
    "q3",
    0
};
const char *const triple_pendulum_speed_names[4] = {
    "q1'",
    "q2'",
    "q3'",
    0
};
const char *const triple_pendulum_input_names[4] = {
    "TAU21",
    "TAU32",
    "TAU43",
    0
};
const char *const triple_pendulum_parameter_names[28] = {
    "g",
    "DL22",
    "DL33",
    "DL44",
    "SL32",
    "SL43",
    "MA2",
    "MA3",
    "MA4",
    "J2X",
    "J2Y",
    "J2Z",
    "J3X",
    "J3Y",
    "J3Z",
    "J4X",
    "J4Y",
    "J4Z",
    "KR21",
    "KR32",
    "KR43",
    "CR21",
    "CR32",
    "CR43",
    "PHI02",
    "PHI03",
    "PHI04",
    0
};
const char *const triple_pendulum_constraint_names[1] = {
    0
};
const char *const triple_pendulum_output_names[10] = {
    "hand.x",
    "hand.y",
    "hand.z",
    "hanger.fx",
    "hanger.fy",
    "hanger.fz",
    "hanger.tx",
    "hanger.ty",
    "hanger.tz",
    0
};
const double triple_pendulum_inputs[4] = {
    0.0,  /* TAU21 */
    0.0,  /* TAU32 */
    0.0,  /* TAU43 */
    0.0
};
const double triple_pendulum_parameters[28] = {
    9.81,  /* g, m/s^2 */
    0.5,  /* DL22, m */
    0.5,  /* DL33, m */
    0.5,  /* DL44, m */
    0.5,  /* SL32, m */
    0.5,  /* SL43, m */
    1.0,  /* MA2, kg */
    1.0,  /* MA3, kg */
    1.0,  /* MA4, kg */
    0.2,  /* J2X, kg*m^2 */
    0.1,  /* J2Y, kg*m^2 */
    0.2,  /* J2Z, kg*m^2 */
    0.2,  /* J3X, kg*m^2 */
    0.1,  /* J3Y, kg*m^2 */
    0.2,  /* J3Z, kg*m^2 */
    0.2,  /* J4X, kg*m^2 */
    0.1,  /* J4Y, kg*m^2 */
    0.2,  /* J4Z, kg*m^2 */
    0.0,  /* KR21, N*m/rad */
    0.0,  /* KR32, N*m/rad */
    0.0,  /* KR43, N*m/rad */
    0.0,  /* CR21, N*m*s/rad */
    0.0,  /* CR32, N*m*s/rad */
    0.0,  /* CR43, N*m*s/rad */
    0.0,  /* PHI02, rad */
    0.0,  /* PHI03, rad */
    0.0,  /* PHI04, rad */
    0.0
};

/* What depends on parameters only, worked out once. Operations: 7 add, 7 mul, 1 div. */
void triple_pendulum_setup(const double *restrict p, double *restrict c)
{
    const double v0 = p[17] + p[8]*(p[3]*p[3]);
    const double v1 = p[7] + p[8];
    c[0] = p[0];  /* g */
    c[1] = p[1];  /* DL22 */
    c[2] = p[2];  /* DL33 */
    c[3] = p[3];  /* DL44 */
    c[4] = p[4];  /* SL32 */
    c[5] = p[5];  /* SL43 */
    c[6] = p[6];  /* MA2 */
    c[7] = p[7];  /* MA3 */
    c[8] = p[8];  /* MA4 */
    c[9] = p[11];  /* J2Z */
    c[10] = p[12];  /* J3X */
    c[11] = p[13];  /* J3Y */
    c[12] = p[14];  /* J3Z */
    c[13] = p[15];  /* J4X */
    c[14] = p[16];  /* J4Y */
    c[15] = p[17];  /* J4Z */
    c[16] = p[18];  /* KR21 */
    c[17] = p[19];  /* KR32 */
    c[18] = p[20];  /* KR43 */
    c[19] = p[21];  /* CR21 */
    c[20] = p[22];  /* CR32 */
    c[21] = p[23];  /* CR43 */
    c[22] = p[3]*p[8];  /* c0 = DL44*MA4 */
    c[23] = v0;  /* c1 = J4Z + MA4*DL44^2 */
    c[24] = -p[24];  /* c2 = -PHI02 */
    c[25] = -p[25];  /* c3 = -PHI03 */
    c[26] = -p[26];  /* c4 = -PHI04 */
    c[27] = v1;  /* c5 = MA3 + MA4 */
    c[28] = p[1]*(p[6] + v1);  /* c6 = DL22*(MA3 + MA4 + MA2) */
    c[29] = p[2]*v1;  /* c7 = DL33*(MA3 + MA4) */
    c[30] = p[0]*p[7];  /* c8 = g*MA3 */
    c[31] = p[0]*p[8];  /* c9 = g*MA4 */
    c[32] = 1.0/v0;  /* c10 = 1/(J4Z + MA4*DL44^2) */
    c[33] = -p[18];  /* c11 = -KR21 */
}

/* Rates of the coordinates. Operations: none. */
void triple_pendulum_rates(double t, const double *restrict q, const double *restrict u, const double *restrict c,
    double *restrict qdot)
{
    (void)t;
    (void)q;
    (void)c;
    qdot[0] = u[0];
    qdot[1] = u[1];
    qdot[2] = u[2];
}

/* Mass matrix and forcing: M udot = f. Operations: 114 add, 167 mul, 3 sincos. */
void triple_pendulum_dynamics(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict c, double *restrict M, double *restrict f)
{
    (void)t;
    for (int i = 0; i < 9; ++i) M[i] = 0.0;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = c[2]*v2;
    const double v5 = c[4] + c[2]*v3;
    const double v6 = sin(q[2]), v7 = cos(q[2]);
    const double v8 = c[3]*v6;
    const double v9 = c[5] + c[3]*v7;
    const double v10 = u[0]*c[1];
    const double v11 = u[1]*c[2];
    const double v12 = u[0]*v3;
    const double v13 = u[0]*v2;
    const double v14 = v10 + u[0]*v5;
    const double v15 = u[2]*c[3];
    const double v16 = u[1]*v7 + v6*v13;
    const double v17 = v7*v13 - u[1]*v6;
    const double v18 = v8*v12;
    const double v19 = v14 + v9*v12;
    const double v20 = v7*v18 - v6*v19;
    const double v21 = u[2] + v12;
    const double v22 = v15 + (v7*v19 + v6*v18);
    const double v23 = v9*v9;
    const double v24 = v8*v8;
    const double v25 = c[8]*v24;
    const double v26 = c[13]*v6;
    const double v27 = c[14]*v7;
    const double v28 = c[8]*v9;
    const double v29 = v3*v28;
    const double v30 = v4*(v2*v28);
    const double v31 = v2*(v2*(c[11] + (v25 + (v7*v27 + v6*v26)))) + v3*(v3*(c[10] + (c[15] + c[8]*(v23 + v24))));
    const double v32 = v29 + c[27]*v5;
    const double v33 = c[9] + (c[27]*(v5*v5) + (2.0*(v5*v29 + v30) - v30 - v30 + v31)) + c[1]*v32;
    const double v34 = c[22]*v7;
    const double v35 = c[0]*v0;
    const double v36 = c[0]*v1;
    const double v37 = u[1]*v13;
    const double v38 = u[1]*v12;
    const double v39 = v2*v36;
    const double v40 = v3*v36;
    const double v41 = v35 - v11*v13;
    const double v42 = v40 - v8*v37;
    const double v43 = v41 - v9*v37;
    const double v44 = c[10]*v12;
    const double v45 = c[11]*v13;
    const double v46 = u[1]*c[12];
    const double v47 = c[7]*v11;
    const double v48 = c[7]*v14;
    const double v49 = c[13]*v16;
    const double v50 = c[14]*v17;
    const double v51 = c[15]*v21;
    const double v52 = c[8]*v22;
    const double v53 = c[8]*v20;
    const double v54 = c[8]*(v11 + (u[1]*v9 + v8*v13));
    const double v55 = v16*v53 - v17*v52;
    const double v56 = c[8]*(v15*v17 + (v39 + v8*v38));
    const double v57 = v17*v51 - v21*v50 + c[13]*(u[2]*v17 + v6*v38);
    const double v58 = v21*v49 - v16*v51 + c[14]*(v7*v38 - u[2]*v16);
    const double v59 = v16*v50 - v17*v49 - c[15]*v37;
    const double v60 = c[8]*(u[2]*v20 + (v7*v43 + v6*v42)) - (v21*v53 + v17*v54);
    const double v61 = v16*v54 + v21*v52 + c[8]*(v15*v21 - u[2]*v22 + (v7*v42 - v6*v43));
    const double v62 = v55 - v56;
    const double v63 = v7*v61 + v6*v60;
    const double v64 = v7*v60 - v6*v61;
    const double v65 = v13*v48 + c[7]*v39 + (v56 - v55);
    const double v66 = c[7]*v41 - v13*v47 + v64;
    const double v67 = v2*(v12*v46 - u[1]*v44 + c[11]*v38 + (v7*v58 + v6*v57 - v8*v62));
    const double v68 = c[6]*v35 + v66;
    const double v69 = u[0]*(c[6]*v10) + c[6]*v36 + (v3*(v12*v48 + u[1]*v47 + c[7]*v40 + v63) + v2*v65);
    const double v70 = v5*v66 + (v67 - v3*(v13*v46 - u[1]*v45 + c[10]*v37 - (v59 + (v8*v63 + v9*v64))));
    const double v71 = v70 + (c[1]*v1*(v1*v68 - v0*v69) + c[1]*v0*(v1*v69 + v0*v68));
    const double v72 = v13*v44 - v12*v45 + (v7*v57 - v6*v58 - v9*v62) + c[2]*v65;
    M[0*3 + 0] = v33 + c[1]*(c[28] + v32);
    M[1*3 + 0] = M[0*3 + 1] = v4*(c[8]*v8) + v2*(c[8]*(v8*v9) + (v7*v26 - v6*v27));
    M[1*3 + 1] = c[12] + (c[8]*v23 + (v6*(c[14]*v6) + v7*(c[13]*v7))) + c[2]*v28 + c[2]*(c[29] + v28);
    M[2*3 + 0] = M[0*3 + 2] = v5*v34 + v3*(c[15] + (v25 + v9*v34)) + c[1]*v34;
    M[2*3 + 2] = c[23];
    f[0] = w[0] - u[0]*c[19] - c[16]*(q[0] + c[24]) - v71;
    f[1] = w[1] - u[1]*c[20] - c[17]*(q[1] + c[25]) - v72;
    f[2] = w[2] - u[2]*c[21] - c[18]*(q[2] + c[26]) - (v59 + c[3]*v60);
}

/* Accelerations, written out. Operations: 120 add, 177 mul, 2 div, 3 sincos. */
void triple_pendulum_accelerations(double t, const double *restrict q, const double *restrict u,
    const double *restrict w, const double *restrict c, double *restrict udot)
{
    (void)t;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = c[2]*v2;
    const double v5 = c[4] + c[2]*v3;
    const double v6 = sin(q[2]), v7 = cos(q[2]);
    const double v8 = c[3]*v6;
    const double v9 = c[5] + c[3]*v7;
    const double v10 = u[0]*c[1];
    const double v11 = u[1]*c[2];
    const double v12 = u[0]*v3;
    const double v13 = u[0]*v2;
    const double v14 = v10 + u[0]*v5;
    const double v15 = u[2]*c[3];
    const double v16 = u[1]*v7 + v6*v13;
    const double v17 = v7*v13 - u[1]*v6;
    const double v18 = v8*v12;
    const double v19 = v14 + v9*v12;
    const double v20 = v7*v18 - v6*v19;
    const double v21 = u[2] + v12;
    const double v22 = v15 + (v7*v19 + v6*v18);
    const double v23 = v9*v9;
    const double v24 = v8*v8;
    const double v25 = c[8]*v24;
    const double v26 = c[13]*v6;
    const double v27 = c[14]*v7;
    const double v28 = c[8]*v9;
    const double v29 = v3*v28;
    const double v30 = v4*(v2*v28);
    const double v31 = v4*(c[8]*v8) + v2*(c[8]*(v8*v9) + (v7*v26 - v6*v27));
    const double v32 = v2*(v2*(c[11] + (v25 + (v7*v27 + v6*v26)))) + v3*(v3*(c[10] + (c[15] + c[8]*(v23 + v24))));
    const double v33 = v29 + c[27]*v5;
    const double v34 = c[9] + (c[27]*(v5*v5) + (2.0*(v5*v29 + v30) - v30 - v30 + v32)) + c[1]*v33;
    const double v35 = c[22]*v7;
    const double v36 = v5*v35 + v3*(c[15] + (v25 + v9*v35)) + c[1]*v35;
    const double v37 = c[0]*v0;
    const double v38 = c[0]*v1;
    const double v39 = u[1]*v13;
    const double v40 = u[1]*v12;
    const double v41 = v2*v38;
    const double v42 = v3*v38;
    const double v43 = v37 - v11*v13;
    const double v44 = v42 - v8*v39;
    const double v45 = v43 - v9*v39;
    const double v46 = c[10]*v12;
    const double v47 = c[11]*v13;
    const double v48 = u[1]*c[12];
    const double v49 = c[7]*v11;
    const double v50 = c[7]*v14;
    const double v51 = c[13]*v16;
    const double v52 = c[14]*v17;
    const double v53 = c[15]*v21;
    const double v54 = c[8]*v22;
    const double v55 = c[8]*v20;
    const double v56 = c[8]*(v11 + (u[1]*v9 + v8*v13));
    const double v57 = v16*v55 - v17*v54;
    const double v58 = c[8]*(v15*v17 + (v41 + v8*v40));
    const double v59 = v17*v53 - v21*v52 + c[13]*(u[2]*v17 + v6*v40);
    const double v60 = v21*v51 - v16*v53 + c[14]*(v7*v40 - u[2]*v16);
    const double v61 = v16*v52 - v17*v51 - c[15]*v39;
    const double v62 = c[8]*(u[2]*v20 + (v7*v45 + v6*v44)) - (v21*v55 + v17*v56);
    const double v63 = v16*v56 + v21*v54 + c[8]*(v15*v21 - u[2]*v22 + (v7*v44 - v6*v45));
    const double v64 = v57 - v58;
    const double v65 = v7*v63 + v6*v62;
    const double v66 = v7*v62 - v6*v63;
    const double v67 = v13*v50 + c[7]*v41 + (v58 - v57);
    const double v68 = c[7]*v43 - v13*v49 + v66;
    const double v69 = v2*(v12*v48 - u[1]*v46 + c[11]*v40 + (v7*v60 + v6*v59 - v8*v64));
    const double v70 = c[6]*v37 + v68;
    const double v71 = u[0]*(c[6]*v10) + c[6]*v38 + (v3*(v12*v50 + u[1]*v49 + c[7]*v42 + v65) + v2*v67);
    const double v72 = v5*v68 + (v69 - v3*(v13*v48 - u[1]*v47 + c[10]*v39 - (v61 + (v8*v65 + v9*v66))));
    const double v73 = v72 + (c[1]*v1*(v1*v70 - v0*v71) + c[1]*v0*(v1*v71 + v0*v70));
    const double v74 = v13*v46 - v12*v47 + (v7*v59 - v6*v60 - v9*v64) + c[2]*v67;
    const double v75 = w[1] - u[1]*c[20] - c[17]*(q[1] + c[25]) - v74;
    const double v76 = w[2] - u[2]*c[21] - c[18]*(q[2] + c[26]) - (v61 + c[3]*v62);
    const double v77 = c[32]*v36;
    const double v78 = 1.0/(c[12] + (c[8]*v23 + (v6*(c[14]*v6) + v7*(c[13]*v7))) + c[2]*v28 + c[2]*(c[29] + v28));
    const double v79 = v31*v78;
    const double v80 = w[0] - u[0]*c[19] - c[16]*(q[0] + c[24]) - v73 - v76*v77 - v75*v79;
    const double v81 = v80/(v34 + c[1]*(c[28] + v33) - v36*v77 - v31*v79);
    udot[0] = v81;
    udot[1] = v75*v78 - v79*v81;
    udot[2] = c[32]*v76 - v77*v81;
}

/* Derivatives of the coordinates' rates. Operations: none. */
void triple_pendulum_rate_jacobians(double t, const double *restrict q, const double *restrict u,
    const double *restrict c, double *restrict qdot_q, double *restrict qdot_u)
{
    (void)t;
    (void)q;
    (void)u;
    (void)c;
    for (int i = 0; i < 9; ++i) qdot_q[i] = 0.0;
    for (int i = 0; i < 9; ++i) qdot_u[i] = 0.0;
    qdot_u[0*3 + 0] = 1.0;
    qdot_u[1*3 + 1] = 1.0;
    qdot_u[2*3 + 2] = 1.0;
}

static void triple_pendulum_jacobians_1(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c,
    double *restrict r_q, double *restrict r_u, double *restrict r_w, double *restrict s)
{
    (void)t;
    (void)w;
    (void)udot;
    (void)lambda;
    (void)r_u;
    (void)r_w;
    s[0] = sin(q[0]);
    s[1] = cos(q[0]);
    s[2] = c[1]*s[0];
    s[3] = c[1]*s[1];
    s[4] = sin(q[1]);
    s[5] = cos(q[1]);
    s[6] = c[2]*s[4];
    s[7] = c[4] + c[2]*s[5];
    s[8] = sin(q[2]);
    s[9] = cos(q[2]);
    s[10] = c[3]*s[8];
    s[11] = c[3]*s[9];
    s[12] = c[5] + s[11];
    s[13] = u[0]*c[1];
    const double v0 = s[3] + s[1]*s[7];
    s[14] = u[1]*c[2];
    s[15] = u[0]*s[5];
    s[16] = u[0]*s[4];
    const double v1 = s[13] + u[0]*s[7];
    s[17] = s[4]*s[8];
    s[18] = s[4]*s[9];
    s[19] = u[2]*c[3];
    s[20] = u[1]*s[9] + s[8]*s[16];
    s[21] = s[9]*s[16] - u[1]*s[8];
    const double v2 = s[10]*s[16];
    s[22] = s[10]*s[15];
    const double v3 = v1 + s[12]*s[15];
    s[23] = s[9]*v3;
    s[24] = s[8]*s[22];
    const double v4 = s[9]*s[22] - s[8]*v3;
    s[25] = u[2] + s[15];
    const double v5 = s[19] + (s[23] + s[24]);
    s[26] = s[10]*s[12];
    s[27] = s[10]*s[10];
    const double v6 = c[8]*s[27];
    s[28] = c[8]*s[26];
    const double v7 = c[13]*s[8];
    const double v8 = c[14]*s[9];
    s[29] = c[13]*s[9];
    s[30] = c[14]*s[8];
    s[31] = s[9]*v8;
    s[32] = s[8]*v7;
    s[33] = s[8]*v8;
    s[34] = s[9]*v7;
    const double v9 = c[8]*s[12];
    s[35] = c[8]*s[10];
    s[36] = s[4]*v9;
    s[37] = s[6]*(s[5]*v9);
    s[38] = c[1]*(s[36] + c[27]*s[6]);
    s[39] = c[2]*s[35];
    s[40] = s[5]*(s[28] + (s[34] - s[33]) + s[39]);
    const double v10 = c[22]*s[9];
    s[41] = s[5]*s[35];
    s[42] = s[4]*s[35];
    s[43] = s[6]*v10;
    s[44] = s[43] + s[4]*(c[15] + (v6 + s[12]*v10));
    const double v11 = c[0]*s[0];
    const double v12 = c[0]*s[1];
    s[45] = u[1]*s[16];
    s[46] = u[1]*s[15];
    const double v13 = s[4]*v12;
    const double v14 = s[5]*v12;
    s[47] = v11 - s[14]*s[16];
    s[48] = u[2]*v4;
    s[49] = s[10]*s[45];
    const double v15 = v13 + s[10]*s[46];
    const double v16 = v14 - s[49];
    const double v17 = s[47] - s[12]*s[45];
    s[50] = s[9]*v17;
    s[51] = s[8]*v16;
    s[52] = u[2]*s[21] + s[8]*s[46];
    s[53] = s[9]*s[46] - u[2]*s[20];
    s[54] = c[10]*s[15];
    s[55] = c[11]*s[16];
    s[56] = u[1]*c[12];
    s[57] = c[7]*s[14];
    const double v18 = c[7]*v1;
    s[58] = u[1]*s[55];
    s[59] = s[16]*s[56];
    s[60] = s[15]*s[56];
    s[61] = u[1]*s[54];
    s[62] = s[16]*v18;
    s[63] = s[15]*v18;
    s[64] = c[10]*s[45];
    s[65] = c[11]*s[46];
    s[66] = c[7]*v13;
    s[67] = c[7]*v14;
    s[68] = c[13]*s[20];
    s[69] = c[14]*s[21];
    s[70] = c[15]*s[25];
    s[71] = c[8]*v5;
    s[72] = c[8]*v4;
    s[73] = c[8]*(s[14] + (u[1]*s[12] + v2));
    s[74] = s[21]*s[70];
    s[75] = s[20]*s[70];
    s[76] = s[25]*s[72];
    s[77] = s[21]*s[73];
    s[78] = s[20]*s[73];
    s[79] = s[20]*s[72] - s[21]*s[71];
    s[80] = c[8]*(s[19]*s[25] - u[2]*v5 + (s[9]*v16 - s[8]*v17));
    s[81] = c[8]*(s[19]*s[21] + v15);
    s[82] = s[74] - s[25]*s[69] + c[13]*s[52];
    s[83] = s[25]*s[68] - s[75] + c[14]*s[53];
    const double v19 = c[8]*(s[48] + (s[50] + s[51])) - (s[76] + s[77]);
    const double v20 = s[78] + s[25]*s[71] + s[80];
    s[84] = s[79] - s[81];
    s[85] = s[9]*v20;
    s[86] = s[8]*v19;
    s[87] = s[85] + s[86];
    s[88] = s[8]*v20;
    s[89] = s[9]*v19;
    s[90] = s[89] - s[88];
    s[91] = s[10]*s[84];
    s[92] = s[9]*s[83];
    s[93] = s[8]*s[82];
    const double v21 = s[4]*v11;
    const double v22 = c[8]*v21;
    r_q[1*3 + 0] = -(s[12]*v22 + c[2]*(c[7]*v21 + v22));
    r_q[2*3 + 0] = c[3]*(c[8]*(s[9]*v12 - s[8]*(s[5]*v11)));
    r_q[0*3 + 0] = -(c[33] + (c[8]*(c[0]*(s[0]*s[10] - s[12]*(s[1]*s[5]) - v0)) - (c[6]*(c[0]*s[3]) + c[7]*(c[0]*v0))));
    const double v23 = u[0]*s[6];
    s[94] = s[8]*s[15];
    s[95] = s[9]*s[15];
    const double v24 = v23 + s[12]*s[16];
    const double v25 = s[9]*v24 + s[8]*v2;
    const double v26 = s[8]*v24 - s[9]*v2;
    s[96] = -2.0*s[37];
    const double v27 = -2.0*(s[5]*(s[4]*(c[10] + (c[15] + c[8]*(s[12]*s[12] + s[27])))));
    s[97] = 2.0*(s[4]*(s[5]*(c[11] + (v6 + (s[31] + s[32]))))) + v27;
    const double v28 = s[14]*s[15] + s[12]*s[46];
    s[98] = c[10]*s[16];
    s[99] = c[11]*s[15];
    s[100] = c[7]*v23;
    const double v29 = c[13]*s[94];
    const double v30 = c[14]*s[95];
    s[101] = c[15]*s[16];
    s[102] = c[8]*v25;
    s[103] = c[8]*v26;
    const double v31 = c[8]*s[22];
    s[104] = s[20]*s[103] + s[72]*s[94] + (s[21]*s[102] - s[71]*s[95]);
    s[105] = c[8]*(v16 + s[19]*s[95]);
    s[106] = s[70]*s[95] - s[21]*s[101] + (s[16]*s[69] - s[25]*v30) + c[13]*(u[2]*s[95] - s[8]*s[45]);
    s[107] = s[25]*v29 - s[16]*s[68] + (s[20]*s[101] - s[70]*s[94]) - c[14]*(u[2]*s[94] + s[9]*s[45]);
    s[108] = s[20]*v30 + s[69]*s[94] - (s[21]*v29 + s[68]*s[95]) - c[15]*s[46];
    s[109] = c[8]*(u[2]*v26 - (s[9]*v28 + s[8]*v15)) - (s[25]*s[103] - s[16]*s[72] + (s[21]*v31 + s[73]*s[95]));
    const double v32 = c[8]*(u[2]*v25 - s[16]*s[19] + (s[8]*v28 - s[9]*v15));
    const double v33 = s[20]*v31 + s[73]*s[94] - (s[25]*s[102] + s[16]*s[71]) + v32;
    s[110] = s[104] - s[105];
    s[111] = s[9]*v33 + s[8]*s[109];
    s[112] = s[9]*s[109] - s[8]*v33;
}

static void triple_pendulum_jacobians_2(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c,
    double *restrict r_q, double *restrict r_u, double *restrict r_w, double *restrict s)
{
    (void)t;
    (void)q;
    (void)w;
    (void)lambda;
    const double v34 = s[67] + (s[63] - s[16]*s[100]) + (s[105] - s[104]);
    const double v35 = -2.0*(s[15]*s[57]) + s[112];
    const double v36 = s[5]*(s[111] - (s[66] + (s[62] + s[15]*s[100]))) - s[4]*(s[63] + u[1]*s[57] + s[67] + s[87]);
    const double v37 = v36 + (s[5]*(s[62] + s[66] + (s[81] - s[79])) + s[4]*v34);
    const double v38 = s[4]*(s[64] - s[59] - s[58] + (s[9]*s[107] + s[8]*s[106] - s[10]*s[110]));
    const double v39 = s[4]*(s[59] - s[58] + s[64] - (s[20]*s[69] - s[21]*s[68] - c[15]*s[45] + (s[10]*s[87] + s[12]*s[90])));
    const double v40 = v39 - s[5]*(s[61] + (s[60] - s[65]) - (s[108] + (s[10]*s[111] + s[12]*s[112])));
    const double v41 = s[5]*(s[60] - s[61] + s[65] + (s[92] + s[93] - s[91])) + v38 + v40;
    const double v42 = s[3]*(s[1]*v35 - s[0]*v37) + s[2]*(s[1]*v37 + s[0]*v35);
    const double v43 = s[15]*s[54] - s[16]*s[98] + (s[16]*s[55] - s[15]*s[99]) + (s[9]*s[106] - s[8]*s[107] - s[12]*s[110]);
    const double v44 = -2.0*(c[27]*(s[6]*s[7])) + (s[96] + (2.0*(2.0*s[37] - (s[7]*s[36] + s[37])) + s[96]) + s[97]) - s[38] - s[38];
    r_q[0*3 + 1] = s[7]*v35 - s[6]*(c[7]*s[47] - s[16]*s[57] + s[90]) + v41 + v42 + udot[0]*v44 + udot[1]*s[40] - udot[2]*s[44];
    r_q[1*3 + 1] = c[17] + (v43 + c[2]*v34) + udot[0]*s[40];
    r_q[2*3 + 1] = s[108] + c[3]*s[109] - udot[0]*s[44];
    const double v45 = s[10]*s[11];
    const double v46 = c[8]*v45;
    const double v47 = 2.0*v46;
    const double v48 = -2.0*s[33] + 2.0*s[34];
    const double v49 = s[6]*s[42];
    const double v50 = s[43] + s[4]*(c[8]*(s[11]*s[12] - s[27]) + (s[8]*s[30] - s[31] + (s[9]*s[29] - s[32])));
    const double v51 = s[4]*(s[4]*(v47 + v48)) + s[5]*(s[5]*(c[8]*(-2.0*s[26] + 2.0*v45)));
    const double v52 = c[1]*s[41];
    const double v53 = s[5]*(v47 - (s[28] + v46)) - s[7]*s[35] - c[1]*s[35];
    const double v54 = c[13]*s[21];
    const double v55 = c[14]*s[20];
    const double v56 = c[8]*(s[24] - s[23] + (s[9]*(s[11]*s[15]) - s[24]));
    const double v57 = c[8]*(s[11]*s[16] - u[1]*s[10]);
    const double v58 = s[21]*s[69] - s[20]*v55 + (s[20]*s[68] - s[21]*v54);
    const double v59 = s[21]*s[72];
    const double v60 = s[25]*v55 - s[75] + c[13]*s[53];
    const double v61 = s[25]*v54 - s[74] - c[14]*s[52];
    const double v62 = s[80] - (s[25]*v56 + (s[21]*v57 - s[78]));
    const double v63 = s[76] + (s[77] + s[20]*v57) - c[8]*(s[48] + (s[50] + s[8]*s[49] + (s[51] + s[9]*(s[11]*s[45]))));
    const double v64 = v59 + s[20]*v56 + (s[20]*s[71] - v59) - c[8]*(s[11]*s[46] - s[19]*s[20]);
    const double v65 = s[9]*v63 - s[88] + (s[89] + s[8]*v62);
    const double v66 = s[9]*v62 - s[86] - (s[85] + s[8]*v63);
    const double v67 = s[5]*v65 - s[4]*v64;
    const double v68 = s[4]*(s[9]*v61 - s[8]*s[83] + (s[9]*s[82] + s[8]*v60) - (s[10]*v64 + s[11]*s[84]));
    const double v69 = s[7]*v66 + (v68 + s[5]*(v58 + (s[10]*v65 + s[11]*s[87] + (s[12]*v66 - s[10]*s[90]))));
    const double v70 = udot[0]*(v49 + (v49 - 2.0*(s[7]*s[41] + v49)) + v51 - v52 - v52);
    const double v71 = v69 + (s[3]*(s[1]*v66 - s[0]*v67) + s[2]*(s[1]*v67 + s[0]*v66)) + v70 + udot[1]*v50;
    r_q[0*3 + 2] = v71 + udot[2]*v53;
    const double v72 = s[91] - s[12]*v64 + (s[9]*v60 - s[93] - (s[92] + s[8]*v61)) - c[2]*v64 + udot[0]*v50;
    r_q[1*3 + 2] = v72 + udot[1]*(-2.0*s[28] - v48 - s[39] - s[39]);
    r_q[2*3 + 2] = c[18] + (v58 + c[3]*v62) + udot[0]*v53;
    const double v73 = c[1] + s[7];
    const double v74 = s[5]*s[10];
    const double v75 = v73 + s[5]*s[12];
    const double v76 = s[9]*v75 + s[8]*v74;
    const double v77 = s[9]*v74 - s[8]*v75;
    const double v78 = u[1]*s[4];
    const double v79 = u[1]*s[5];
    const double v80 = s[10]*v78;
    const double v81 = s[4]*s[14] + s[12]*v78;
    const double v82 = c[10]*s[5];
    const double v83 = c[11]*s[4];
    const double v84 = c[7]*v73;
    const double v85 = c[13]*s[17];
    const double v86 = c[14]*s[18];
    const double v87 = c[15]*s[5];
    const double v88 = c[8]*v76;
    const double v89 = c[8]*v77;
    const double v90 = s[20]*v89 + s[17]*s[72] - (s[21]*v88 + s[18]*s[71]);
    const double v91 = c[8]*(s[18]*s[19] + s[10]*v79);
    const double v92 = s[21]*v87 + s[18]*s[70] - (s[25]*v86 + s[5]*s[69]) + c[13]*(u[2]*s[18] + s[8]*v79);
    const double v93 = s[25]*v85 + s[5]*s[68] - (s[20]*v87 + s[17]*s[70]) + c[14]*(s[9]*v79 - u[2]*s[17]);
    const double v94 = s[20]*v86 + s[17]*s[69] - (s[21]*v85 + s[18]*s[68]) - c[15]*v78;
    const double v95 = c[8]*(u[2]*v77 - (s[9]*v81 + s[8]*v80)) - (s[25]*v89 + s[5]*s[72] + (s[21]*s[42] + s[18]*s[73]));
    const double v96 = c[8]*(s[5]*s[19] - u[2]*v76 + (s[8]*v81 - s[9]*v80));
    const double v97 = s[20]*s[42] + s[17]*s[73] + (s[25]*v88 + s[5]*s[71]) + v96;
    const double v98 = v90 - v91;
    const double v99 = s[9]*v97 + s[8]*v95;
    const double v100 = s[9]*v95 - s[8]*v97;
    const double v101 = 2.0*(s[16]*v84) + (v91 - v90);
    const double v102 = -2.0*(s[4]*s[57]) + v100;
    const double v103 = s[4]*(s[5]*s[56] - u[1]*v82 + c[11]*v79 + (s[9]*v93 + s[8]*v92 - s[10]*v98));
    const double v104 = 2.0*(c[6]*s[13]) + (s[5]*(2.0*(s[15]*v84) + v99) + s[4]*v101);
    const double v105 = s[7]*v102 + (v103 - s[5]*(s[4]*s[56] - u[1]*v83 + c[10]*v78 - (v94 + (s[10]*v99 + s[12]*v100))));
    r_u[0*3 + 0] = c[19] + (v105 + (s[3]*(s[1]*v102 - s[0]*v104) + s[2]*(s[1]*v104 + s[0]*v102)));
    r_u[1*3 + 0] = 2.0*(s[16]*v82) - 2.0*(s[15]*v83) + (s[9]*v92 - s[8]*v93 - s[12]*v98) + c[2]*v101;
    r_u[2*3 + 0] = v94 + c[3]*v95;
    const double v106 = c[8]*(c[2] + s[12]);
    const double v107 = s[25]*s[30] - s[8]*s[70] + c[13]*(s[94] - u[2]*s[8]);
    const double v108 = s[25]*s[29] - s[9]*s[70] + c[14]*(s[95] - u[2]*s[9]);
    const double v109 = s[9]*s[69] - s[20]*s[30] + (s[8]*s[68] - s[21]*s[29]) - s[101];
    const double v110 = s[102] + (s[21]*v106 - s[8]*s[73]);
    const double v111 = s[103] + (s[20]*v106 + s[9]*s[73]);
    const double v112 = s[8]*s[71] + s[9]*s[72] - c[8]*(s[22] - s[8]*s[19]);
    const double v113 = s[9]*v111 - s[8]*v110;
    const double v114 = s[8]*v111 + s[9]*v110;
    const double v115 = -2.0*s[100] - v114;
    const double v116 = s[5]*(2.0*s[57] + v113) - s[4]*v112;
    const double v117 = s[4]*(s[99] + (c[12]*s[15] - s[54]) + (s[9]*v108 + s[8]*v107 - s[10]*v112));
    const double v118 = s[7]*v115 + (v117 - s[5]*(s[98] + (c[12]*s[16] - s[55]) - (v109 + (s[10]*v113 - s[12]*v114))));
    r_u[0*3 + 1] = v118 + (s[3]*(s[1]*v115 - s[0]*v116) + s[2]*(s[1]*v116 + s[0]*v115));
    r_u[1*3 + 1] = c[20] + (s[9]*v107 - s[8]*v108 - s[12]*v112 - c[2]*v112);
    const double v119 = c[3]*v110;
    r_u[2*3 + 1] = v109 - v119;
    r_u[1*3 + 2] = v119 - v109;
    const double v120 = v56 + (s[71] + c[22]*s[25]);
    const double v121 = s[9]*v120;
    const double v122 = s[8]*v120;
    const double v123 = s[5]*v121 + 2.0*(s[4]*v57);
    const double v124 = s[4]*(2.0*(s[10]*v57) + (s[9]*(s[68] - c[15]*s[20] - v55) + s[8]*(v54 + (c[15]*s[21] - s[69]))));
    const double v125 = s[2]*(s[1]*v123 - s[0]*v122) - s[3]*(s[0]*v123 + s[1]*v122);
    r_u[0*3 + 2] = v124 + s[5]*(s[10]*v121 - s[12]*v122) - s[7]*v122 + v125;
    r_u[2*3 + 2] = c[21];
    r_w[0*3 + 0] = -1.0;
    r_w[1*3 + 1] = -1.0;
    r_w[2*3 + 2] = -1.0;
}

/* Derivatives of r = M udot - f at fixed udot. Operations: 385 add, 533 mul, 3 sincos.
   In 2 parts, which share s: compilers do not like long functions. */
void triple_pendulum_jacobians(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c,
    double *restrict r_q, double *restrict r_u, double *restrict r_w)
{
    double s[113];
    for (int i = 0; i < 9; ++i) r_w[i] = 0.0;
    triple_pendulum_jacobians_1(t, q, u, w, udot, lambda, c, r_q, r_u, r_w, s);
    triple_pendulum_jacobians_2(t, q, u, w, udot, lambda, c, r_q, r_u, r_w, s);
}

/* Forces along the speeds that are missing for this udot (inverse dynamics). Operations: 121 add, 174 mul, 3 sincos. */
void triple_pendulum_inverse(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c, double *restrict r)
{
    (void)t;
    (void)lambda;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = c[2]*v2;
    const double v5 = c[4] + c[2]*v3;
    const double v6 = sin(q[2]), v7 = cos(q[2]);
    const double v8 = c[3]*v6;
    const double v9 = c[5] + c[3]*v7;
    const double v10 = u[0]*c[1];
    const double v11 = u[1]*c[2];
    const double v12 = u[0]*v3;
    const double v13 = u[0]*v2;
    const double v14 = v10 + u[0]*v5;
    const double v15 = u[2]*c[3];
    const double v16 = u[1]*v7 + v6*v13;
    const double v17 = v7*v13 - u[1]*v6;
    const double v18 = v8*v12;
    const double v19 = v14 + v9*v12;
    const double v20 = v7*v18 - v6*v19;
    const double v21 = u[2] + v12;
    const double v22 = v15 + (v7*v19 + v6*v18);
    const double v23 = v9*v9;
    const double v24 = v8*v8;
    const double v25 = c[8]*v24;
    const double v26 = c[13]*v6;
    const double v27 = c[14]*v7;
    const double v28 = c[8]*v9;
    const double v29 = v3*v28;
    const double v30 = v4*(v2*v28);
    const double v31 = v4*(c[8]*v8) + v2*(c[8]*(v8*v9) + (v7*v26 - v6*v27));
    const double v32 = v2*(v2*(c[11] + (v25 + (v7*v27 + v6*v26)))) + v3*(v3*(c[10] + (c[15] + c[8]*(v23 + v24))));
    const double v33 = v29 + c[27]*v5;
    const double v34 = c[9] + (c[27]*(v5*v5) + (2.0*(v5*v29 + v30) - v30 - v30 + v32)) + c[1]*v33;
    const double v35 = c[22]*v7;
    const double v36 = v5*v35 + v3*(c[15] + (v25 + v9*v35)) + c[1]*v35;
    const double v37 = c[0]*v0;
    const double v38 = c[0]*v1;
    const double v39 = u[1]*v13;
    const double v40 = u[1]*v12;
    const double v41 = v2*v38;
    const double v42 = v3*v38;
    const double v43 = v37 - v11*v13;
    const double v44 = v42 - v8*v39;
    const double v45 = v43 - v9*v39;
    const double v46 = c[10]*v12;
    const double v47 = c[11]*v13;
    const double v48 = u[1]*c[12];
    const double v49 = c[7]*v11;
    const double v50 = c[7]*v14;
    const double v51 = c[13]*v16;
    const double v52 = c[14]*v17;
    const double v53 = c[15]*v21;
    const double v54 = c[8]*v22;
    const double v55 = c[8]*v20;
    const double v56 = c[8]*(v11 + (u[1]*v9 + v8*v13));
    const double v57 = v16*v55 - v17*v54;
    const double v58 = c[8]*(v15*v17 + (v41 + v8*v40));
    const double v59 = v17*v53 - v21*v52 + c[13]*(u[2]*v17 + v6*v40);
    const double v60 = v21*v51 - v16*v53 + c[14]*(v7*v40 - u[2]*v16);
    const double v61 = v16*v52 - v17*v51 - c[15]*v39;
    const double v62 = c[8]*(u[2]*v20 + (v7*v45 + v6*v44)) - (v21*v55 + v17*v56);
    const double v63 = v16*v56 + v21*v54 + c[8]*(v15*v21 - u[2]*v22 + (v7*v44 - v6*v45));
    const double v64 = v57 - v58;
    const double v65 = v7*v63 + v6*v62;
    const double v66 = v7*v62 - v6*v63;
    const double v67 = v13*v50 + c[7]*v41 + (v58 - v57);
    const double v68 = c[7]*v43 - v13*v49 + v66;
    const double v69 = v2*(v12*v48 - u[1]*v46 + c[11]*v40 + (v7*v60 + v6*v59 - v8*v64));
    const double v70 = c[6]*v37 + v68;
    const double v71 = u[0]*(c[6]*v10) + c[6]*v38 + (v3*(v12*v50 + u[1]*v49 + c[7]*v42 + v65) + v2*v67);
    const double v72 = v5*v68 + (v69 - v3*(v13*v48 - u[1]*v47 + c[10]*v39 - (v61 + (v8*v65 + v9*v66))));
    const double v73 = v72 + (c[1]*v1*(v1*v70 - v0*v71) + c[1]*v0*(v1*v71 + v0*v70));
    const double v74 = v73 - (w[0] - u[0]*c[19] - c[16]*(q[0] + c[24])) + udot[0]*(v34 + c[1]*(c[28] + v33)) + udot[1]*v31;
    const double v75 = v13*v46 - v12*v47 + (v7*v59 - v6*v60 - v9*v64) + c[2]*v67;
    const double v76 = udot[1]*(c[12] + (c[8]*v23 + (v6*(c[14]*v6) + v7*(c[13]*v7))) + c[2]*v28 + c[2]*(c[29] + v28));
    r[0] = v74 + udot[2]*v36;
    r[1] = v75 - (w[1] - u[1]*c[20] - c[17]*(q[1] + c[25])) + udot[0]*v31 + v76;
    r[2] = v61 + c[3]*v62 - (w[2] - u[2]*c[21] - c[18]*(q[2] + c[26])) + udot[0]*v36 + udot[2]*c[23];
}

/* Kinetic and potential energy. Operations: 35 add, 65 mul, 3 sincos. */
void triple_pendulum_energy(double t, const double *restrict q, const double *restrict u, const double *restrict c,
    double *restrict T, double *restrict V)
{
    (void)t;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = c[1]*v1;
    const double v3 = sin(q[1]), v4 = cos(q[1]);
    const double v5 = c[4] + c[2]*v4;
    const double v6 = sin(q[2]), v7 = cos(q[2]);
    const double v8 = c[3]*v6;
    const double v9 = c[5] + c[3]*v7;
    const double v10 = u[0]*c[1];
    const double v11 = v2 + v1*v5;
    const double v12 = u[1]*c[2];
    const double v13 = u[0]*v4;
    const double v14 = u[0]*v3;
    const double v15 = v10 + u[0]*v5;
    const double v16 = u[1]*v7 + v6*v14;
    const double v17 = v7*v14 - u[1]*v6;
    const double v18 = v8*v13;
    const double v19 = v12 + (u[1]*v9 + v8*v14);
    const double v20 = v15 + v9*v13;
    const double v21 = v7*v18 - v6*v20;
    const double v22 = u[2] + v13;
    const double v23 = u[2]*c[3] + (v7*v20 + v6*v18);
    const double v24 = q[0] + c[24];
    const double v25 = q[1] + c[25];
    const double v26 = q[2] + c[26];
    const double v27 = u[1]*(u[1]*c[12]) + (v14*(c[11]*v14) + v13*(c[10]*v13)) + c[7]*(v15*v15 + v12*v12);
    const double v28 = v22*(c[15]*v22) + (v17*(c[14]*v17) + v16*(c[13]*v16));
    const double v29 = c[8]*(c[0]*(v0*v8 - v9*(v1*v4) - v11)) - (c[6]*(c[0]*v2) + c[7]*(c[0]*v11));
    *T = 0.5*(u[0]*(u[0]*c[9]) + c[6]*(v10*v10) + v27 + (v28 + c[8]*(v19*v19 + (v21*v21 + v23*v23))));
    *V = 0.5*(v24*(c[16]*v24)) + 0.5*(v25*(c[17]*v25)) + 0.5*(v26*(c[18]*v26)) + v29;
}

/* Linear momentum, and angular momentum about the origin, in ground axes. Operations: 65 add, 105 mul, 3 sincos. */
void triple_pendulum_momentum(double t, const double *restrict q, const double *restrict u, const double *restrict c,
    double *restrict linear, double *restrict angular)
{
    (void)t;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = c[1]*v0;
    const double v3 = c[1]*v1;
    const double v4 = sin(q[1]), v5 = cos(q[1]);
    const double v6 = c[2]*v4;
    const double v7 = c[4] + c[2]*v5;
    const double v8 = sin(q[2]), v9 = cos(q[2]);
    const double v10 = c[3]*v8;
    const double v11 = c[5] + c[3]*v9;
    const double v12 = u[0]*c[1];
    const double v13 = v0*v4;
    const double v14 = v0*v5;
    const double v15 = v1*v4;
    const double v16 = v1*v5;
    const double v17 = v2 + v0*v7;
    const double v18 = v3 + v1*v7;
    const double v19 = u[1]*c[2];
    const double v20 = u[0]*v5;
    const double v21 = u[0]*v4;
    const double v22 = v12 + u[0]*v7;
    const double v23 = v1*v9 - v8*v14;
    const double v24 = v1*v8 + v9*v14;
    const double v25 = v0*v9 + v8*v16;
    const double v26 = v9*v16 - v0*v8;
    const double v27 = v4*v8;
    const double v28 = v4*v9;
    const double v29 = v17 + (v1*v10 + v11*v14);
    const double v30 = v0*v10 - v11*v16 - v18;
    const double v31 = v6 + v4*v11;
    const double v32 = v10*v20;
    const double v33 = v22 + v11*v20;
    const double v34 = c[6]*v12;
    const double v35 = c[10]*v20;
    const double v36 = c[11]*v21;
    const double v37 = u[1]*c[12];
    const double v38 = c[7]*v19;
    const double v39 = c[7]*v22;
    const double v40 = c[13]*(u[1]*v9 + v8*v21);
    const double v41 = c[14]*(v9*v21 - u[1]*v8);
    const double v42 = c[15]*(u[2] + v20);
    const double v43 = c[8]*(u[2]*c[3] + (v9*v33 + v8*v32));
    const double v44 = c[8]*(v9*v32 - v8*v33);
    const double v45 = c[8]*(v19 + (u[1]*v11 + v10*v21));
    const double v46 = v1*v34;
    const double v47 = v0*v34;
    const double v48 = v1*v39 - v13*v38;
    const double v49 = v0*v39 + v15*v38;
    const double v50 = v5*v38;
    const double v51 = v23*v43 - v24*v44 - v13*v45;
    const double v52 = v15*v45 + (v26*v44 + v25*v43);
    const double v53 = v28*v44 + v27*v43 - v5*v45;
    const double v54 = v13*v42 + (v23*v40 - v24*v41) + (v31*v52 + v30*v53);
    const double v55 = v0*v37 + (v16*v36 - v15*v35) + (v17*v50 - v6*v48);
    const double v56 = u[0]*c[9] + (v3*v46 + v2*v47) + (v4*v36 + v5*v35 + (v18*v48 + v17*v49));
    linear[0] = v46 + v48 + v51;
    linear[1] = v47 + v49 + v52;
    linear[2] = v53 - v50;
    angular[0] = v1*v37 + (v13*v35 - v14*v36) + (v6*v49 + v18*v50) + v54;
    angular[1] = v55 + (v26*v41 + v25*v40 - v15*v42 - (v29*v53 + v31*v51));
    angular[2] = v56 + (v5*v42 + (v28*v41 + v27*v40) + (v29*v52 - v30*v51));
}

/* Outputs of the model. Operations: 105 add, 161 mul, 3 sincos. */
void triple_pendulum_outputs(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c, double *restrict y)
{
    (void)t;
    (void)w;
    (void)lambda;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = c[1]*v0;
    const double v3 = c[1]*v1;
    const double v4 = sin(q[1]), v5 = cos(q[1]);
    const double v6 = c[2]*v4;
    const double v7 = c[4] + c[2]*v5;
    const double v8 = sin(q[2]), v9 = cos(q[2]);
    const double v10 = c[3]*v8;
    const double v11 = c[5] + c[3]*v9;
    const double v12 = u[0]*c[1];
    const double v13 = v1*v5;
    const double v14 = u[1]*c[2];
    const double v15 = u[0]*v5;
    const double v16 = u[0]*v4;
    const double v17 = v12 + u[0]*v7;
    const double v18 = u[2]*c[3];
    const double v19 = u[1]*v9 + v8*v16;
    const double v20 = v9*v16 - u[1]*v8;
    const double v21 = v10*v15;
    const double v22 = v17 + v11*v15;
    const double v23 = v9*v21 - v8*v22;
    const double v24 = u[2] + v15;
    const double v25 = v18 + (v9*v22 + v8*v21);
    const double v26 = c[0]*v1;
    const double v27 = u[1]*v16;
    const double v28 = c[10]*v15;
    const double v29 = c[11]*v16;
    const double v30 = u[1]*c[12];
    const double v31 = c[7]*v14;
    const double v32 = c[7]*v17;
    const double v33 = c[13]*v19;
    const double v34 = c[14]*v20;
    const double v35 = c[15]*v24;
    const double v36 = c[8]*v25;
    const double v37 = c[8]*v23;
    const double v38 = c[8]*(v14 + (u[1]*v11 + v10*v16));
    const double v39 = c[31]*(v1*v4);
    const double v40 = udot[0]*c[1];
    const double v41 = udot[1]*c[2];
    const double v42 = udot[0]*v5;
    const double v43 = v27 - v42;
    const double v44 = u[1]*v15 + udot[0]*v4;
    const double v45 = v40 + udot[0]*v7 - v14*v16;
    const double v46 = v10*v43;
    const double v47 = v45 - v11*v43;
    const double v48 = v20*v35 - v24*v34 + c[13]*(u[2]*v20 + (udot[1]*v9 + v8*v44));
    const double v49 = v24*v33 - v19*v35 + c[14]*(v9*v44 - udot[1]*v8 - u[2]*v19);
    const double v50 = v19*v37 - v20*v36 - c[8]*(v18*v20 + (v41 + (udot[1]*v11 + v10*v44)));
    const double v51 = c[8]*(u[2]*v23 + udot[2]*c[3] + (v9*v47 - v8*v46)) - (v24*v37 + v20*v38);
    const double v52 = c[31]*(v0*v9 + v8*v13) + v51;
    const double v53 = v19*v38 + v24*v36 + c[8]*(v18*v24 - u[2]*v25 - (v8*v47 + v9*v46));
    const double v54 = c[31]*(v9*v13 - v0*v8) + v53;
    const double v55 = v50 - v39;
    const double v56 = v9*v54 + v8*v52;
    const double v57 = v9*v52 - v8*v54;
    const double v58 = v19*v34 - v20*v33 + c[15]*(udot[2] + (v42 - v27)) + (v10*v56 + v11*v57);
    const double v59 = v16*v30 - u[1]*v29 + c[10]*v43 - v58;
    const double v60 = v15*v30 - u[1]*v28 + c[11]*v44 + (v9*v49 + v8*v48 - v10*v55);
    const double v61 = c[7]*(v4*v26) + (v16*v32 + c[7]*v41) + (v39 - v50);
    const double v62 = v15*v32 + u[1]*v31 + c[7]*(v5*v26) + v56;
    const double v63 = c[30]*v0 + (c[7]*v45 - v16*v31) + v57;
    const double v64 = v5*v62 + v4*v61;
    const double v65 = v4*v62 - v5*v61;
    const double v66 = v16*v28 - v15*v29 + udot[1]*c[12] + (v9*v48 - v8*v49 - v11*v55) + (v6*v64 - v7*v65);
    const double v67 = v5*v60 + v4*v59 - v6*v63;
    const double v68 = c[6]*(c[0]*v0) + c[6]*v40 + v63;
    const double v69 = u[0]*(c[6]*v12) + c[6]*v26 + v64;
    const double v70 = v1*v68 - v0*v69;
    const double v71 = v1*v69 + v0*v68;
    y[0] = v2 + v0*v7 + (v1*v10 + v11*(v0*v5));
    y[1] = v0*v10 - v11*v13 - (v3 + v1*v7);
    y[2] = -(v6 + v4*v11);
    y[3] = v70;
    y[4] = v71;
    y[5] = v65;
    y[6] = v1*v66 - v0*v67 - v3*v65;
    y[7] = v1*v67 + v0*v66 - v2*v65;
    y[8] = udot[0]*c[9] + (v7*v63 + (v4*v60 - v5*v59)) + (v3*v70 + v2*v71);
}

static int triple_pendulum_is_finite(int size, const double *x)
{
    for (int i = 0; i < size; ++i) {
        if (!isfinite(x[i])) return 0;
    }
    return 1;
}

/* A X = B by A = L D L', for the n x n matrix A with rows `stride` apart, of which the lower triangle is read and
   overwritten; B (n x k) becomes X. size[i] is what rounding errors of A[i][i] are proportional to. Returns 1 when a
   pivot is not positive beyond rounding, and leaves B alone. */
static int triple_pendulum_solve_definite(int n, double *A, int stride, const double *size, int k, double *B)
{
    double z[triple_pendulum_nu];
    for (int j = 0; j < n; ++j) {
        double *row = A + j*stride, d = row[j];
        for (int i = 0; i < j; ++i) d -= row[i]*row[i]*A[i*stride + i];
        if (!(d > 1e-3*size[j])) {
            /* z' A z = d with z[j] = 1, so errors of A are worth (sum |z| sqrt(size))^2 here */
            double bound = sqrt(size[j]);
            for (int i = j - 1; i >= 0; --i) {
                z[i] = -row[i];
                for (int l = i + 1; l < j; ++l) z[i] -= A[l*stride + i]*z[l];
                bound += fabs(z[i])*sqrt(size[i]);
            }
            if (!(d > 8*DBL_EPSILON*bound*bound)) return 1;
        }
        row[j] = d;
        for (int i = j + 1; i < n; ++i) {
            double a = A[i*stride + j];
            for (int l = 0; l < j; ++l) a -= A[i*stride + l]*row[l]*A[l*stride + l];
            A[i*stride + j] = a/d;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int l = 0; l < i; ++l) {
            for (int j = 0; j < k; ++j) B[i*k + j] -= A[i*stride + l]*B[l*k + j];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = 0; j < k; ++j) B[i*k + j] /= A[i*stride + i];
        for (int l = i + 1; l < n; ++l) {
            for (int j = 0; j < k; ++j) B[i*k + j] -= A[l*stride + i]*B[l*k + j];
        }
    }
    return 0;
}

int triple_pendulum_rhs(double t, const double *restrict x, const double *restrict w, const double *restrict c, double *restrict xdot)
{
    triple_pendulum_rates(t, x, x + triple_pendulum_nq, c, xdot);
    triple_pendulum_accelerations(t, x, x + triple_pendulum_nq, w, c, xdot + triple_pendulum_nq);
    return triple_pendulum_is_finite(triple_pendulum_nx, xdot) ? triple_pendulum_ok : triple_pendulum_not_finite;
}

int triple_pendulum_rhs_jacobian(double t, const double *restrict x, const double *restrict w, const double *restrict c,
    double *restrict A, double *restrict B)
{
    enum { nq = triple_pendulum_nq, n = triple_pendulum_nu, nx = triple_pendulum_nx, nw = triple_pendulum_nw, m = triple_pendulum_nm, k = nx + nw };
    const double *q = x, *u = x + nq;
    double M[n*n], f[n], udot[n], qdot_q[nq*nq], qdot_u[nq*n], r_q[n*nq], r_u[n*n], X[n*k];
    double r_w[n*nw];
    double size[n];
    const double *lambda = 0;
    int status;
    triple_pendulum_accelerations(t, q, u, w, c, udot);
    triple_pendulum_dynamics(t, q, u, w, c, M, f);
    triple_pendulum_rate_jacobians(t, q, u, c, qdot_q, qdot_u);
    triple_pendulum_jacobians(t, q, u, w, udot, lambda, c, r_q, r_u, r_w);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < nq; ++j) X[i*k + j] = -r_q[i*nq + j];
        for (int j = 0; j < n; ++j) X[i*k + nq + j] = -r_u[i*n + j];
        for (int j = 0; j < nw; ++j) X[i*k + nx + j] = -r_w[i*nw + j];
    }
    for (int i = 0; i < n; ++i) size[i] = fabs(M[i*n + i]);
    status = triple_pendulum_solve_definite(n, M, n, size, k, X);
    for (int i = 0; i < nq; ++i) {
        for (int j = 0; j < nq; ++j) A[i*nx + j] = qdot_q[i*nq + j];
        for (int j = 0; j < n; ++j) A[i*nx + nq + j] = qdot_u[i*n + j];
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < nx; ++j) A[(nq + i)*nx + j] = X[i*k + j];
    }
    for (int i = 0; i < nq*nw; ++i) B[i] = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < nw; ++j) B[(nq + i)*nw + j] = X[i*k + nx + j];
    }
    if (status == triple_pendulum_ok && !triple_pendulum_is_finite(nx*nx, A)) status = triple_pendulum_not_finite;
    return status;
}

void triple_pendulum_normalise(double *q)
{
    (void)q;
}
