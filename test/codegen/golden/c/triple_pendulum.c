/* Triple pendulum: equations of motion, written by linkwright 0.1.0.
 * For the meaning of everything see triple_pendulum.h.
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
const double triple_pendulum_start[7] = {
    0.0,  /* q1 */
    0.0,  /* q2 */
    0.0,  /* q3 */
    0.0,  /* q1' */
    0.0,  /* q2' */
    0.0,  /* q3' */
    0.0
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

/* What depends on parameters only, computed once. Operations: 32 add, 33 mul, 1 div. */
void triple_pendulum_setup(const double *restrict p, double *restrict c)
{
    const double v0 = p[1] + p[4];
    const double v1 = p[2] + p[5];
    const double v2 = p[1]*p[6];
    const double v3 = p[9] - p[10];
    const double v4 = p[1]*v2 + 0.5*(p[11] + v3);
    const double v5 = 0.5*(p[11] - v3);
    const double v6 = p[2]*p[7];
    const double v7 = p[12] - p[13];
    const double v8 = 0.5*(p[12] + p[13] - p[14]);
    const double v9 = p[3]*p[8];
    const double v10 = p[16] - p[15];
    const double v11 = p[17] + v10;
    const double v12 = 0.5*v11;
    const double v13 = 0.5*(p[17] - v10) + p[3]*v9;
    const double v14 = v0*(p[7] + p[8]);
    const double v15 = p[8]*v1;
    const double v16 = v6 + v15;
    const double v17 = p[2]*v6 + 0.5*(p[14] + v7) + v1*v15;
    const double v18 = 0.5*(p[14] - v7) + 0.5*(p[15] + p[16] - p[17]);
    const double v19 = v17 - v18;
    const double v20 = v12 + v13;
    const double v21 = p[0]*p[8];
    const double v22 = p[0]*p[7];
    const double v23 = p[0]*p[6];
    const double v24 = v1*v9;
    c[0] = p[0];  /* g */
    c[1] = p[18];  /* KR21 */
    c[2] = p[19];  /* KR32 */
    c[3] = p[20];  /* KR43 */
    c[4] = p[21];  /* CR21 */
    c[5] = p[22];  /* CR32 */
    c[6] = p[23];  /* CR43 */
    c[7] = p[24];  /* PHI02 */
    c[8] = p[25];  /* PHI03 */
    c[9] = p[26];  /* PHI04 */
    c[10] = v0;  /* c0 = DL22 + SL32 */
    c[11] = v1;  /* c1 = DL33 + SL43 */
    c[12] = v9;  /* c2 = DL44*MA4 */
    c[13] = v11;  /* c3 = J4Y + J4Z - J4X */
    c[14] = v12;  /* c4 = (J4Y + J4Z - J4X)/2 */
    c[15] = v13;  /* c5 = (J4X + J4Z - J4Y)/2 + MA4*DL44^2 */
    c[16] = v14;  /* c6 = (DL22 + SL32)*(MA3 + MA4) */
    c[17] = v2 + v14;  /* c7 = DL22*MA2 + (DL22 + SL32)*(MA3 + MA4) */
    c[18] = v16;  /* c8 = DL33*MA3 + MA4*(DL33 + SL43) */
    c[19] = v17;  /* c9 = DL33*MA3*DL33 + (J3X + J3Z - J3Y)/2 + MA4*(DL33 + SL43)*(DL33 + SL43) */
    c[20] = v18;  /* c10 = (J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2 */
    c[21] = v19;  /* c11 */
    c[22] = v12 - v13;  /* c12 = (J4Y + J4Z - J4X)/2 - ((J4X + J4Z - J4Y)/2 + MA4*DL44^2) */
    c[23] = v20;  /* c13 = (J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2 */
    c[24] = v24;  /* c14 = DL44*MA4*(DL33 + SL43) */
    c[25] = v4;  /* c15 = DL22*MA2*DL22 + (J2X + J2Z - J2Y)/2 */
    c[26] = v5;  /* c16 = (J2Y + J2Z - J2X)/2 */
    c[27] = v8;  /* c17 = (J3X + J3Y - J3Z)/2 */
    c[28] = 2.0*v18;  /* c18 = 2*((J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2) */
    c[29] = 1.0/v20;  /* c19 = 1/((J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2) */
    c[30] = p[1];  /* DL22 */
    c[31] = p[2];  /* DL33 */
    c[32] = p[3];  /* DL44 */
    c[33] = p[4];  /* SL32 */
    c[34] = p[5];  /* SL43 */
    c[35] = p[6];  /* MA2 */
    c[36] = p[7];  /* MA3 */
    c[37] = p[8];  /* MA4 */
    c[38] = 2.0*v1;  /* c20 = 2*(DL33 + SL43) */
    c[39] = -v19;  /* c21 */
    c[40] = 2.0*v9;  /* c22 = 2*DL44*MA4 */
    c[41] = 2.0*v16;  /* c23 = 2*(DL33*MA3 + MA4*(DL33 + SL43)) */
    c[42] = 2.0*v17;  /* c24 = 2*(DL33*MA3*DL33 + (J3X + J3Z - J3Y)/2 + MA4*(DL33 + SL43)*(DL33 + SL43)) */
    c[43] = 2.0*v19;  /* c25 */
    c[44] = 2.0*v24;  /* c26 = 2*DL44*MA4*(DL33 + SL43) */
    c[45] = 2.0*v13;  /* c27 = 2*((J4X + J4Z - J4Y)/2 + MA4*DL44^2) */
    c[46] = v4 + v0*v14 + (v5 + v8);  /* c28 */
    c[47] = p[11];  /* J2Z */
    c[48] = p[12];  /* J3X */
    c[49] = p[13];  /* J3Y */
    c[50] = p[14];  /* J3Z */
    c[51] = p[15];  /* J4X */
    c[52] = p[16];  /* J4Y */
    c[53] = p[17];  /* J4Z */
    c[54] = 0.5*p[20];  /* c29 = KR43/2 */
    c[55] = 0.5*p[19];  /* c30 = KR32/2 */
    c[56] = 0.5*p[18];  /* c31 = KR21/2 */
    c[57] = v21;  /* c32 = g*MA4 */
    c[58] = v22;  /* c33 = g*MA3 */
    c[59] = v21 + v22;  /* c34 = g*MA4 + g*MA3 */
    c[60] = v23;  /* c35 = g*MA2 */
    c[61] = v22 + v23;  /* c36 = g*MA3 + g*MA2 */
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

/* Mass matrix and forcing: M udot = f. Operations: 62 add, 76 mul, 3 sincos. */
void triple_pendulum_dynamics(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict c, double *restrict M, double *restrict f)
{
    (void)t;
    for (int i = 0; i < 9; ++i) M[i] = 0.0;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = sin(q[2]), v5 = cos(q[2]);
    const double v6 = c[0]*v0;
    const double v7 = c[0]*v1 + c[10]*(u[0]*u[0]);
    const double v8 = u[0]*v2;
    const double v9 = u[0]*v3;
    const double v10 = v8*v9;
    const double v11 = v2*v7;
    const double v12 = u[1]*v8;
    const double v13 = u[1]*v9;
    const double v14 = v4*v8 + u[1]*v5;
    const double v15 = v5*v8 - u[1]*v4;
    const double v16 = u[2] + v9;
    const double v17 = v5*c[12];
    const double v18 = c[11]*v17;
    const double v19 = v4*c[22];
    const double v20 = v4*v19;
    const double v21 = c[19] + (c[15] + v20 + 2.0*v18);
    const double v22 = v3*(v3*(v21 - c[20])) + (c[20] + (c[25] + c[10]*(c[16] + 2.0*(v3*(c[18] + v17))))) + c[26] + c[27];
    const double v23 = 2.0*v12;
    const double v24 = u[2] + v16;
    const double v25 = v4*v13 + v15*v24;
    const double v26 = v12 + v14*v15;
    const double v27 = c[14]*(v14*v24 - v5*v13);
    const double v28 = c[15]*v25 + c[12]*(v11 + c[11]*v10);
    const double v29 = c[22]*v26 - c[13]*v12 + c[12]*(v4*(v3*v7 + c[11]*(v9*v9 + u[1]*u[1])) + v5*(v6 - c[11]*v23));
    const double v30 = c[12]*(v4*(v14*v14 + v16*v16) + v5*v26);
    const double v31 = v2*(v13*c[28] + v4*v28 - v5*v27) + v3*(v29 + (c[18]*v6 - c[19]*v23) - c[11]*v30);
    M[0*3 + 0] = c[14] + v22 - v20;
    M[1*3 + 0] = M[0*3 + 1] = -v2*(v5*v19 - v4*c[24]);
    M[1*3 + 1] = c[20] + v21;
    M[2*3 + 0] = M[0*3 + 2] = v3*(c[23] + v18) + c[10]*v17;
    M[2*3 + 2] = c[23];
    f[0] = w[0] - u[0]*c[4] - c[1]*(q[0] - c[7]) - (c[17]*v6 + (v31 + c[10]*(-c[18]*v23 - v30)));
    f[1] = w[1] - u[1]*c[5] - c[2]*(q[1] - c[8]) - c[18]*v11 - v10*c[21] - c[24]*v25 - v4*v27 - v5*v28;
    f[2] = w[2] - u[2]*c[6] - c[3]*(q[2] - c[9]) - v29;
}

/* Accelerations, written out. Operations: 68 add, 86 mul, 2 div, 3 sincos. */
void triple_pendulum_accelerations(double t, const double *restrict q, const double *restrict u,
    const double *restrict w, const double *restrict c, double *restrict udot)
{
    (void)t;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = sin(q[2]), v5 = cos(q[2]);
    const double v6 = c[0]*v0;
    const double v7 = c[0]*v1 + c[10]*(u[0]*u[0]);
    const double v8 = u[0]*v2;
    const double v9 = u[0]*v3;
    const double v10 = v8*v9;
    const double v11 = v2*v7;
    const double v12 = u[1]*v8;
    const double v13 = u[1]*v9;
    const double v14 = v4*v8 + u[1]*v5;
    const double v15 = v5*v8 - u[1]*v4;
    const double v16 = u[2] + v9;
    const double v17 = v5*c[12];
    const double v18 = c[11]*v17;
    const double v19 = v3*(c[23] + v18) + c[10]*v17;
    const double v20 = v4*c[22];
    const double v21 = v4*v20;
    const double v22 = c[19] + (c[15] + v21 + 2.0*v18);
    const double v23 = v2*(v5*v20 - v4*c[24]);
    const double v24 = 2.0*v12;
    const double v25 = u[2] + v16;
    const double v26 = v4*v13 + v15*v25;
    const double v27 = v12 + v14*v15;
    const double v28 = c[14]*(v14*v25 - v5*v13);
    const double v29 = c[15]*v26 + c[12]*(v11 + c[11]*v10);
    const double v30 = c[22]*v27 - c[13]*v12 + c[12]*(v4*(v3*v7 + c[11]*(v9*v9 + u[1]*u[1])) + v5*(v6 - c[11]*v24));
    const double v31 = v30 - (w[2] - u[2]*c[6] - c[3]*(q[2] - c[9]));
    const double v32 = c[12]*(v4*(v14*v14 + v16*v16) + v5*v27);
    const double v33 = u[1]*c[5] + (v5*v29 + (v4*v28 + (c[24]*v26 + (c[18]*v11 + v10*c[21]))) - w[1]);
    const double v34 = c[2]*(q[1] - c[8]) + v33;
    const double v35 = v2*(v13*c[28] + v4*v29 - v5*v28) + v3*(v30 + (c[18]*v6 - c[19]*v24) - c[11]*v32);
    const double v36 = v19*c[29];
    const double v37 = 1.0/(c[20] + v22);
    const double v38 = v23*v37;
    const double v39 = v3*(v3*(v22 - c[20])) + (c[20] + (c[25] + c[10]*(c[16] + 2.0*(v3*(c[18] + v17))))) + c[26] + c[27];
    const double v40 = v31*v36 - (c[17]*v6 + (v35 + c[10]*(-c[18]*v24 - v32)) - (w[0] - u[0]*c[4] - c[1]*(q[0] - c[7])));
    const double v41 = (v40 - v34*v38)/(c[14] + v39 - v21 - v19*v36 - v23*v38);
    udot[0] = v41;
    udot[1] = v38*v41 - v34*v37;
    udot[2] = -(v31*c[29] + v36*v41);
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

/* Derivatives of r = M udot - f at fixed udot. Operations: 137 add, 216 mul, 3 sincos. */
void triple_pendulum_jacobians(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c,
    double *restrict r_q, double *restrict r_u, double *restrict r_w)
{
    (void)t;
    (void)w;
    (void)lambda;
    for (int i = 0; i < 9; ++i) r_w[i] = 0.0;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = sin(q[2]), v5 = cos(q[2]);
    const double v6 = c[0]*v1;
    const double v7 = c[0]*v0;
    const double v8 = u[0]*c[10];
    const double v9 = v6 + u[0]*v8;
    const double v10 = v7 + udot[0]*c[10];
    const double v11 = u[0]*v2;
    const double v12 = u[0]*v3;
    const double v13 = v11*v12;
    const double v14 = v12*v12;
    const double v15 = v3*v9;
    const double v16 = v2*v9;
    const double v17 = u[1]*v11;
    const double v18 = u[1]*v12;
    const double v19 = udot[0]*v2 + v18;
    const double v20 = udot[0]*v3 - v17;
    const double v21 = v17 - v20;
    const double v22 = v15 + c[11]*(v14 + u[1]*u[1]);
    const double v23 = v10 - c[11]*v21;
    const double v24 = v4*v11 + u[1]*v5;
    const double v25 = v5*v11 - u[1]*v4;
    const double v26 = v24*v24;
    const double v27 = v24*v25;
    const double v28 = udot[2] + v20;
    const double v29 = u[2] + v12;
    const double v30 = v18 + v19;
    const double v31 = v14 - v11*v11;
    const double v32 = u[2] + v29;
    const double v33 = udot[1]*v4 + (v24*v32 - v5*v19);
    const double v34 = udot[1]*v5 + (v4*v19 + v25*v32);
    const double v35 = v27 - v28;
    const double v36 = c[12]*v35;
    const double v37 = c[12]*(v26 + v29*v29);
    const double v38 = c[13]*v33;
    const double v39 = v25*v25 - v26;
    const double v40 = c[15]*v34 + c[12]*(v16 + c[11]*(udot[1] + v13));
    const double v41 = v4*v40;
    const double v42 = v5*v38;
    const double v43 = c[30]*v1;
    const double v44 = v1*(c[33] + c[31]*v3) + v43;
    const double v45 = v2*v5;
    const double v46 = v2*v4;
    const double v47 = v5*c[12];
    const double v48 = v4*v12;
    const double v49 = v5*v12;
    const double v50 = 2.0*v24;
    const double v51 = 2.0*v11;
    const double v52 = v4*v20 + (v32*v49 - v11*v25);
    const double v53 = v19 + (v25*v48 + v24*v49);
    const double v54 = c[13]*(v32*v48 - v11*v24 - v5*v20);
    const double v55 = c[15]*v52 + c[12]*(v15 + c[11]*v31);
    const double v56 = c[22]*v53 - c[13]*v19 + c[12]*(v4*(-v13*c[38] - v16) - v5*(c[11]*v30));
    const double v57 = 0.5*v5;
    const double v58 = 0.5*v4;
    const double v59 = c[12]*(v5*v53 + v4*(v48*v50 - v29*v51));
    const double v60 = v4*v55 - v54*v57 - v21*c[39] - c[18]*v10 - v35*c[22] - c[13]*v28 - c[12]*(v4*v22 + v5*v23);
    const double v61 = v3*(v56 + (v41 + v30*c[39] - 0.5*v42) - c[11]*v59) + v2*(c[11]*(v5*v36 + v4*v37) + v60);
    const double v62 = c[15]*v33;
    const double v63 = c[13]*v34;
    const double v64 = c[22]*v39 + c[12]*(v5*v22 - v4*v23);
    const double v65 = v5*(v37 + c[12]*v39) + v4*(v27*c[40] - v36);
    const double v66 = v2*v12;
    const double v67 = v2*v8;
    const double v68 = u[1]*v2;
    const double v69 = u[1]*v3;
    const double v70 = 2.0*v3;
    const double v71 = v4*v69 + (v3*v25 + v32*v45);
    const double v72 = v68 + (v25*v46 + v24*v45);
    const double v73 = c[13]*(v3*v24 + v32*v46 - v5*v69);
    const double v74 = c[15]*v71 + c[12]*(c[38]*v66 + 2.0*v67);
    const double v75 = c[22]*v72 - c[13]*v68 + c[12]*(v4*(v70*(v8 + c[11]*v12)) - v68*(v5*c[38]));
    const double v76 = c[12]*(v5*v72 + v4*(v46*v50 + v29*v70));
    const double v77 = v2*(v69*c[28] + v4*v74 - v57*v73) + v3*(v75 - v68*c[42] - c[11]*v76);
    const double v78 = v48 - v4*v32;
    const double v79 = v11 + (v5*v25 - v4*v24);
    const double v80 = c[15]*v78;
    const double v81 = c[13]*(v5*v32 - v49);
    const double v82 = c[22]*v79 - c[13]*v11 - v25*c[44];
    const double v83 = v47*(v79 + v4*v50);
    const double v84 = v2*(v12*c[28] + v4*v80 - v57*v81) + v3*(v82 - c[19]*v51 - c[11]*v83);
    r_q[0*3 + 0] = c[1] - c[0]*(c[37]*(v0*(c[32]*v4) - (c[34] + c[32]*v5)*(v1*v3) - v44) - c[36]*v44 - c[35]*v43);
    r_q[0*3 + 1] = v61 - c[10]*(c[18]*v30 + v59);
    r_q[0*3 + 2] = v2*(v5*v40 - v4*v62 - 0.5*(v5*v63 - v4*v38)) + v3*(v64 - c[11]*v65) - c[10]*v65;
    r_q[1*3 + 0] = -v2*v7*(c[18] + v47);
    r_q[1*3 + 1] = v5*v55 + (v54*v58 + (v52*c[24] + (c[18]*v15 + (c[2] + c[21]*v31))));
    r_q[1*3 + 2] = -(v41 + v5*v62 - 0.5*(v42 + v4*v63) + v33*c[24]);
    r_q[2*3 + 0] = c[12]*(v5*v6 - v4*(v3*v7));
    r_q[2*3 + 1] = v56;
    r_q[2*3 + 2] = c[3] + v64;
    r_u[0*3 + 0] = c[4] + (v77 - c[10]*(v68*c[41] + v76));
    r_u[0*3 + 1] = v84 - c[10]*(v11*c[41] + v83);
    r_u[0*3 + 2] = v2*(v25*(v4*c[45]) - v5*(c[13]*v24)) - (c[10] + v3*c[11])*(v4*(v29*c[40]));
    r_u[1*3 + 0] = v66*c[43] + (v67*c[41] + (c[24]*v71 + (v5*v74 + v58*v73)));
    r_u[1*3 + 1] = v5*v80 + (v58*v81 + (c[5] + c[24]*v78));
    r_u[1*3 + 2] = -v82;
    r_u[2*3 + 0] = v75;
    r_u[2*3 + 1] = v82;
    r_u[2*3 + 2] = c[6];
    r_w[0*3 + 0] = -1.0;
    r_w[1*3 + 1] = -1.0;
    r_w[2*3 + 2] = -1.0;
}

/* Generalized forces required in addition for this udot (inverse dynamics). Operations: 54 add, 67 mul, 3 sincos. */
void triple_pendulum_inverse(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c, double *restrict r)
{
    (void)t;
    (void)lambda;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = sin(q[2]), v5 = cos(q[2]);
    const double v6 = c[0]*v0;
    const double v7 = c[0]*v1 + c[10]*(u[0]*u[0]);
    const double v8 = v6 + udot[0]*c[10];
    const double v9 = u[0]*v2;
    const double v10 = u[0]*v3;
    const double v11 = v2*v7;
    const double v12 = u[1]*v9;
    const double v13 = u[1]*v10;
    const double v14 = udot[0]*v2 + v13;
    const double v15 = udot[0]*v3 - v12;
    const double v16 = udot[1] + v9*v10;
    const double v17 = v12 - v15;
    const double v18 = v4*v9 + u[1]*v5;
    const double v19 = v5*v9 - u[1]*v4;
    const double v20 = udot[2] + v15;
    const double v21 = u[2] + v10;
    const double v22 = u[2] + v21;
    const double v23 = udot[1]*v5 + (v4*v14 + v19*v22);
    const double v24 = v18*v19 - v20;
    const double v25 = c[14]*(udot[1]*v4 + (v18*v22 - v5*v14));
    const double v26 = c[15]*v23 + c[12]*(v11 + c[11]*v16);
    const double v27 = v24*c[22] + c[13]*v20 + c[12]*(v4*(v3*v7 + c[11]*(v10*v10 + u[1]*u[1])) + v5*(v8 - c[11]*v17));
    const double v28 = c[12]*(v5*v24 + v4*(v18*v18 + v21*v21));
    const double v29 = v16*c[21] + (c[18]*v11 + (v23*c[24] + (v4*v25 + (v5*v26 + (c[2]*(q[1] - c[8]) + u[1]*c[5])))));
    const double v30 = v2*(c[20]*(v13 + v14) + v4*v26 - v5*v25) + (c[17]*v6 + udot[0]*c[46]);
    const double v31 = u[0]*c[4] + (v3*(c[18]*v8 - c[19]*v17 + (v27 - c[11]*v28)) + v30 - c[10]*(c[18]*v17 + v28) - w[0]);
    r[0] = c[1]*(q[0] - c[7]) + v31;
    r[1] = udot[1]*c[28] + v29 - w[1];
    r[2] = v27 - (w[2] - u[2]*c[6] - c[3]*(q[2] - c[9]));
}

/* Kinetic and potential energy. Operations: 35 add, 60 mul, 3 sincos. */
void triple_pendulum_energy(double t, const double *restrict q, const double *restrict u, const double *restrict c,
    double *restrict T, double *restrict V)
{
    (void)t;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = sin(q[2]), v5 = cos(q[2]);
    const double v6 = q[0] - c[7];
    const double v7 = q[1] - c[8];
    const double v8 = q[2] - c[9];
    const double v9 = u[0]*v2;
    const double v10 = u[0]*v3;
    const double v11 = v4*v9 + u[1]*v5;
    const double v12 = v5*v9 - u[1]*v4;
    const double v13 = u[2] + v10;
    const double v14 = c[34] + c[32]*v5;
    const double v15 = c[32]*v4;
    const double v16 = u[1]*c[31];
    const double v17 = u[1]*v14 + v9*v15 + v16;
    const double v18 = c[33] + c[31]*v3;
    const double v19 = u[0]*c[30];
    const double v20 = u[0]*v18 + v19;
    const double v21 = v10*v14 + v20;
    const double v22 = v10*v15;
    const double v23 = v5*v22 - v4*v21;
    const double v24 = v5*v21 + v4*v22 + u[2]*c[32];
    const double v25 = v13*(c[53]*v13) + (v12*(c[52]*v12) + v11*(c[51]*v11));
    const double v26 = u[1]*(u[1]*c[50]) + (v9*(c[49]*v9) + v10*(c[48]*v10)) + c[36]*(v20*v20 + v16*v16);
    const double v27 = v25 + c[37]*(v17*v17 + (v23*v23 + v24*v24)) + (v26 + (u[0]*(u[0]*c[47]) + c[35]*(v19*v19)));
    const double v28 = c[30]*v1;
    const double v29 = v1*v18 + v28;
    const double v30 = v8*(v8*c[54]) + c[0]*(c[37]*(v0*v15 - v14*(v1*v3) - v29) - c[36]*v29 - c[35]*v28);
    *T = 0.5*v27;
    *V = v6*(v6*c[56]) + (v7*(v7*c[55]) + v30);
}

/* Linear momentum, and angular momentum about the origin, in ground axes. Operations: 63 add, 102 mul, 3 sincos. */
void triple_pendulum_momentum(double t, const double *restrict q, const double *restrict u, const double *restrict c,
    double *restrict linear, double *restrict angular)
{
    (void)t;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = sin(q[2]), v5 = cos(q[2]);
    const double v6 = u[0]*v2;
    const double v7 = u[0]*v3;
    const double v8 = c[52]*(v5*v6 - u[1]*v4);
    const double v9 = c[51]*(v4*v6 + u[1]*v5);
    const double v10 = c[34] + c[32]*v5;
    const double v11 = c[32]*v4;
    const double v12 = u[1]*c[31];
    const double v13 = c[33] + c[31]*v3;
    const double v14 = u[0]*c[30];
    const double v15 = u[0]*v13 + v14;
    const double v16 = v7*v10 + v15;
    const double v17 = v7*v11;
    const double v18 = u[1]*c[50];
    const double v19 = c[49]*v6;
    const double v20 = v1*v3;
    const double v21 = c[30]*v1;
    const double v22 = v1*v13 + v21;
    const double v23 = v0*v11 - v10*v20 - v22;
    const double v24 = c[37]*(u[1]*v10 + v6*v11 + v12);
    const double v25 = v0*v2;
    const double v26 = c[37]*(v5*v17 - v4*v16);
    const double v27 = v0*v3;
    const double v28 = v1*v4 + v5*v27;
    const double v29 = c[37]*(v5*v16 + v4*v17 + u[2]*c[32]);
    const double v30 = v1*v5 - v4*v27;
    const double v31 = v29*v30 - v26*v28 - v24*v25;
    const double v32 = c[36]*v15;
    const double v33 = c[36]*v12;
    const double v34 = v1*v32 - v25*v33;
    const double v35 = c[35]*v14;
    const double v36 = v1*v35;
    const double v37 = v1*v2;
    const double v38 = v5*v20 - v0*v4;
    const double v39 = v0*v5 + v4*v20;
    const double v40 = v24*v37 + (v26*v38 + v29*v39);
    const double v41 = v0*v32 + v33*v37;
    const double v42 = v0*v35;
    const double v43 = v2*v5;
    const double v44 = v2*v4;
    const double v45 = v26*v43 + v29*v44 - v3*v24;
    const double v46 = v3*v33;
    const double v47 = c[31]*v2;
    const double v48 = v2*v10 + v47;
    const double v49 = c[53]*(u[2] + v7) + c[48]*v7;
    const double v50 = v41*v47 + (v1*v18 + (v23*v45 + (v40*v48 + (v9*v30 + v25*v49 - v8*v28))) - v19*v27);
    const double v51 = c[30]*v0;
    const double v52 = v0*v13 + v51;
    const double v53 = v1*v11 + v10*v27 + v52;
    const double v54 = v46*v52 + (v19*v20 + (v0*v18 + (v8*v38 + v9*v39 - v37*v49 - v45*v53 - v31*v48)));
    const double v55 = v41*v52 + (v22*v34 + (v2*v19 + (v40*v53 + (v9*v44 + (v8*v43 + v3*v49)) - v23*v31)));
    linear[0] = v31 + (v34 + v36);
    linear[1] = v40 + (v41 + v42);
    linear[2] = v45 - v46;
    angular[0] = v22*v46 + v50;
    angular[1] = v54 - v34*v47;
    angular[2] = v42*v51 + (v21*v36 + (u[0]*c[47] + v55));
}

/* Outputs of the model. Operations: 110 add, 164 mul, 3 sincos. */
void triple_pendulum_outputs(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c, double *restrict y)
{
    (void)t;
    (void)w;
    (void)lambda;
    const double v0 = sin(q[0]), v1 = cos(q[0]);
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = sin(q[2]), v5 = cos(q[2]);
    const double v6 = c[0]*v0;
    const double v7 = u[0]*u[0];
    const double v8 = c[0]*v1 + c[10]*v7;
    const double v9 = v6 + udot[0]*c[10];
    const double v10 = u[0]*v2;
    const double v11 = u[0]*v3;
    const double v12 = v2*v8;
    const double v13 = u[1]*v10;
    const double v14 = u[1]*v11;
    const double v15 = udot[0]*v2 + v14;
    const double v16 = udot[0]*v3 - v13;
    const double v17 = v11*v11 + u[1]*u[1];
    const double v18 = udot[1] + v10*v11;
    const double v19 = v13 - v16;
    const double v20 = v4*v10 + u[1]*v5;
    const double v21 = v5*v10 - u[1]*v4;
    const double v22 = udot[2] + v16;
    const double v23 = u[2] + v11;
    const double v24 = u[2] + v23;
    const double v25 = udot[1]*v5 + (v4*v15 + v21*v24);
    const double v26 = v20*v21 - v22;
    const double v27 = c[12]*v26;
    const double v28 = c[12]*(v20*v20 + v23*v23);
    const double v29 = c[12]*v25;
    const double v30 = c[14]*(udot[1]*v4 + (v20*v24 - v5*v15));
    const double v31 = c[15]*v25 + c[12]*(v12 + c[11]*v18);
    const double v32 = v5*v27 + v4*v28;
    const double v33 = c[20]*(v14 + v15) + v4*v31 - v5*v30;
    const double v34 = v26*c[22] + c[13]*v22 + c[12]*(v4*(v3*v8 + c[11]*v17) + v5*(v9 - c[11]*v19)) - c[11]*v32;
    const double v35 = c[18]*v9 - c[19]*v19 + v34;
    const double v36 = c[18]*v17 + (v5*v28 - v4*v27);
    const double v37 = c[18]*v18 + v29;
    const double v38 = c[18]*v19 + v32;
    const double v39 = v3*v33 - v2*v35;
    const double v40 = v2*v36 - v3*v37;
    const double v41 = c[10]*v40 - v18*c[21] - udot[1]*c[28] - c[18]*v12 - c[11]*v29 - v4*v30 - v5*v31;
    const double v42 = c[34] + c[32]*v5;
    const double v43 = c[32]*v4;
    const double v44 = u[1]*c[31];
    const double v45 = c[33] + c[31]*v3;
    const double v46 = u[0]*c[30];
    const double v47 = u[0]*v45 + v46;
    const double v48 = v11*v42 + v47;
    const double v49 = v11*v43;
    const double v50 = v5*v49 - v4*v48;
    const double v51 = u[2]*c[32];
    const double v52 = v5*v48 + v4*v49 + v51;
    const double v53 = v1*v3;
    const double v54 = c[30] + v45;
    const double v55 = c[37]*(u[1]*v42 + v10*v43 + v44);
    const double v56 = c[37]*v50;
    const double v57 = c[37]*v52;
    const double v58 = c[36]*v47;
    const double v59 = c[36]*v44;
    const double v60 = udot[0]*c[30];
    const double v61 = udot[0]*v45 + v60 - v10*v44;
    const double v62 = v16*v42 + v61;
    const double v63 = v16*v43;
    const double v64 = v20*v55 + v23*v57 + c[37]*(v23*v51 - u[2]*v52 - (v4*v62 - v5*v63));
    const double v65 = v64 + (v5*v53 - v0*v4)*c[57];
    const double v66 = c[37]*(v5*v62 + v4*v63 + (udot[2]*c[32] + u[2]*v50)) - (v23*v56 + v21*v55);
    const double v67 = v66 + (v0*v5 + v4*v53)*c[57];
    const double v68 = udot[1]*c[31];
    const double v69 = v21*v57 + (v10*v58 + c[36]*v68 + v1*v2*c[59] - v20*v56);
    const double v70 = v3*(v5*v65 + v4*v67 + (v11*v58 + u[1]*v59 + v53*c[58]));
    const double v71 = v70 + v2*(c[37]*(udot[1]*v42 + v15*v43 + v68 + v21*v51) + v69) + (u[0]*(c[35]*v46) + v1*c[60]);
    y[0] = v1*v43 + v0*(v54 + v3*v42);
    y[1] = v0*v43 - v42*v53 - v1*v54;
    y[2] = -v2*(c[31] + v42);
    y[3] = -(v0*(c[17]*v7 + (v3*v36 + v2*v37)) + v1*(v38 - udot[0]*c[17]));
    y[4] = v1*v71 + v0*(c[35]*v60 + (c[36]*v61 + (v5*v67 - v4*v65) - v10*v59 + v0*c[61]));
    y[5] = v40;
    y[6] = -(v0*v39 + v1*v41);
    y[7] = v1*v39 - v0*v41;
    y[8] = v3*v35 + (v2*v33 + (c[17]*v6 + udot[0]*c[46])) - c[10]*v38;
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
