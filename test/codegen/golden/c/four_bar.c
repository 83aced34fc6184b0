/* Four-bar: equations of motion, written by linkwright 0.1.0.
 * For the meaning of everything see four_bar.h.
 */
#include "four_bar.h"

#include <float.h>
#include <math.h>

const char *const four_bar_coordinate_names[4] = {
    "alpha",
    "beta",
    "delta",
    0
};
const char *const four_bar_speed_names[4] = {
    "alpha'",
    "beta'",
    "delta'",
    0
};
const char *const four_bar_input_names[2] = {
    "drive",
    0
};
const char *const four_bar_parameter_names[7] = {
    "g",
    "base",
    "a",
    "b",
    "c",
    "rho",
    0
};
const char *const four_bar_constraint_names[3] = {
    "knee.x",
    "knee.y",
    0
};
const char *const four_bar_output_names[7] = {
    "knee",
    "knee'",
    "pen.x",
    "pen.y",
    "pen.z",
    "freudenstein",
    0
};
const double four_bar_start[7] = {
    0.0,  /* alpha */
    0.0,  /* beta */
    0.0,  /* delta */
    0.0,  /* alpha' */
    0.0,  /* beta' */
    0.0,  /* delta' */
    0.0
};
const double four_bar_inputs[2] = {
    0.0,  /* drive */
    0.0
};
const double four_bar_parameters[7] = {
    9.81,  /* g */
    0.4,  /* base, m */
    0.1,  /* a, m */
    0.35,  /* b, m */
    0.25,  /* c, m */
    2.0,  /* rho, kg/m */
    0.0
};

/* What depends on parameters only, computed once. Operations: 3 add, 36 mul. */
void four_bar_setup(const double *restrict p, double *restrict c)
{
    const double v0 = p[3]*p[5];
    const double v1 = p[3]*v0;
    const double v2 = p[3]*p[3];
    const double v3 = p[3]*v2;
    const double v4 = p[5]*v3;
    const double v5 = p[2]*v0;
    const double v6 = p[2]*p[5];
    const double v7 = p[2]*v6;
    const double v8 = p[4]*p[5];
    const double v9 = 0.5*p[4];
    const double v10 = p[4]*p[4];
    const double v11 = 0.3333333333333333*p[4];
    const double v12 = 0.5*p[0];
    const double v13 = p[2]*v1;
    const double v14 = p[2]*(v5 + 0.33333333333333337*v7);
    c[0] = p[0];  /* g */
    c[1] = p[2];  /* a */
    c[2] = p[3];  /* b */
    c[3] = p[4];  /* c */
    c[4] = v1;  /* c0 = b*rho*b */
    c[5] = v5 + 0.5*v7;  /* c1 = b*rho*a + a*rho*a/2 */
    c[6] = v8*v12;  /* c2 = c*rho*g/2 */
    c[7] = 0.5*v13;  /* c3 = b*rho*b*a/2 */
    c[8] = v13;  /* c4 = b*rho*b*a */
    c[9] = 0.33333333333333337*v4 + v14;  /* c5 */
    c[10] = 0.3333333333333333*v4;  /* c6 = 3333333333333333*rho*b^3/10000000000000000 */
    c[11] = v10*(p[5]*v11);  /* c7 = 3333333333333333*rho*c^3/10000000000000000 */
    c[12] = v0;  /* c8 = b*rho */
    c[13] = 2.0*p[4];  /* c9 = 2*c */
    c[14] = 2.0*p[2];  /* c10 = 2*a */
    c[15] = 0.5*v1;  /* c11 = b*rho*b/2 */
    c[16] = 0.5*v6;  /* c12 = a*rho/2 */
    c[17] = 0.3333333333333333*p[3];  /* c13 = 3333333333333333*b/10000000000000000 */
    c[18] = v14;  /* c14 = a*(b*rho*a + 3333333333333333*a*rho*a/10000000000000000) */
    c[19] = v12;  /* c15 = g/2 */
    c[20] = v11;  /* c16 = 3333333333333333*c/10000000000000000 */
    c[21] = v8;  /* c17 = c*rho */
    c[22] = 0.5*p[3];  /* c18 = b/2 */
    c[23] = 0.3333333333333333*v8;  /* c19 = 3333333333333333*c*rho/10000000000000000 */
    c[24] = 0.3333333333333333*v6;  /* c20 = 3333333333333333*a*rho/10000000000000000 */
    c[25] = 0.08333333333333333*v2;  /* c21 = 8333333333333333*b^2/100000000000000000 */
    c[26] = v8*v9;  /* c22 = c*rho*c/2 */
    c[27] = p[1];  /* base */
    c[28] = v9;  /* c23 = c/2 */
    c[29] = v6;  /* c24 = a*rho */
    c[30] = 0.25*p[4];  /* c25 = c/4 */
    c[31] = v10;  /* c26 = c^2 */
    c[32] = v3;  /* c27 = b^3 */
    c[33] = p[2]*p[2];  /* c28 = a^2 */
    c[34] = 0.08333333333333333*p[5];  /* c29 = 8333333333333333*rho/100000000000000000 */
    c[35] = v2;  /* c30 = b^2 */
}

/* Rates of the coordinates. Operations: none. */
void four_bar_rates(double t, const double *restrict q, const double *restrict u, const double *restrict c,
    double *restrict qdot)
{
    (void)t;
    (void)q;
    (void)c;
    qdot[0] = u[0];
    qdot[1] = u[1];
    qdot[2] = u[2];
}

/* M udot + G' lambda = f, G udot = gamma. Operations: 19 add, 32 mul, 4 sincos. */
void four_bar_dynamics(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict c, double *restrict M, double *restrict f, double *restrict G,
    double *restrict gamma)
{
    (void)t;
    for (int i = 0; i < 9; ++i) M[i] = 0.0;
    const double v0 = q[0] + q[1];
    const double v1 = u[0] + u[1];
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = u[0]*(u[0]*c[1]);
    const double v5 = sin(q[0]), v6 = cos(q[0]);
    const double v7 = c[0]*v6;
    const double v8 = sin(q[2]), v9 = cos(q[2]);
    const double v10 = c[3]*v9;
    const double v11 = v1*v1;
    const double v12 = c[4]*(v3*v7 - v2*(c[0]*v5 - v4));
    const double v13 = v3*c[8];
    const double v14 = sin(v0), v15 = cos(v0);
    const double v16 = c[2]*v15;
    const double v17 = c[2]*v14;
    const double v18 = c[2]*v11;
    const double v19 = u[2]*(u[2]*c[3]);
    M[0*3 + 0] = v13 + c[9];
    M[1*3 + 0] = M[0*3 + 1] = 0.5*v13 + c[10];
    M[1*3 + 1] = c[10];
    M[2*3 + 2] = c[11];
    f[0] = v2*(c[7]*v11) + (w[0] - v7*c[5]) - 0.5*v12;
    f[1] = -0.5*v12;
    f[2] = -0.05*u[2] - v10*c[6];
    G[0*3 + 0] = v17 + c[1]*v5;
    G[0*3 + 1] = v17;
    G[0*3 + 2] = -c[3]*v8;
    G[1*3 + 0] = -(v16 + c[1]*v6);
    G[1*3 + 1] = -v16;
    G[1*3 + 2] = v10;
    gamma[0] = v9*v19 - (v15*v18 + v4*v6);
    gamma[1] = v8*v19 - (v14*v18 + v4*v5);
}

/* Derivatives of the coordinates' rates. Operations: none. */
void four_bar_rate_jacobians(double t, const double *restrict q, const double *restrict u,
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

/* Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda. Operations: 38 add, 65 mul, 4 sincos. */
void four_bar_jacobians(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c,
    double *restrict r_q, double *restrict r_u, double *restrict r_w, double *restrict s_q,
    double *restrict s_u, double *restrict s_w)
{
    (void)t;
    (void)w;
    for (int i = 0; i < 9; ++i) r_q[i] = 0.0;
    for (int i = 0; i < 9; ++i) r_u[i] = 0.0;
    for (int i = 0; i < 3; ++i) r_w[i] = 0.0;
    for (int i = 0; i < 2; ++i) s_w[i] = 0.0;
    const double v0 = q[0] + q[1];
    const double v1 = u[0] + u[1];
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = u[0]*c[1];
    const double v5 = sin(q[0]), v6 = cos(q[0]);
    const double v7 = c[0]*v5;
    const double v8 = c[0]*v6;
    const double v9 = sin(q[2]), v10 = cos(q[2]);
    const double v11 = sin(v0), v12 = cos(v0);
    const double v13 = c[2]*v12;
    const double v14 = v13 + c[1]*v6;
    const double v15 = c[3]*v10;
    const double v16 = u[2]*v9;
    const double v17 = u[0]*v5;
    const double v18 = v1*v11;
    const double v19 = c[2]*v11;
    const double v20 = c[1]*v5;
    const double v21 = v19 + v20;
    const double v22 = c[3]*v9;
    const double v23 = v1*v12;
    const double v24 = c[2]*v1;
    const double v25 = u[0]*v6;
    const double v26 = u[2]*v10;
    const double v27 = u[2]*c[3];
    const double v28 = lambda[0]*v13 + lambda[1]*v19;
    const double v29 = v28 - c[15]*(v3*(v7 - u[0]*v4) + v2*(udot[0]*c[1] + v8));
    const double v30 = v1*(v2*c[8]);
    const double v31 = v4*(c[4]*v2);
    const double v32 = udot[1]*v13 - v18*v24;
    const double v33 = v23*v24 + udot[1]*v19;
    const double v34 = 2.0*(c[2]*v23);
    const double v35 = 2.0*(c[2]*v18);
    r_q[0*3 + 0] = lambda[1]*v21 + (lambda[0]*v14 - c[0]*(c[12]*(v20 + 0.5*v19) + v20*c[16]));
    r_q[0*3 + 1] = v29 - ((udot[0] + udot[1])*v2 + v1*(v1*v3))*c[7];
    r_q[1*3 + 0] = v28 - (v2*v8 + v3*v7)*c[15];
    r_q[1*3 + 1] = v29;
    r_q[2*3 + 2] = -v22*(lambda[1] + c[6]) - lambda[0]*v15;
    r_u[0*3 + 0] = v31 - v30;
    r_u[0*3 + 1] = -v30;
    r_u[1*3 + 0] = v31;
    r_u[2*3 + 2] = 0.05;
    r_w[0] = -1.0;
    s_q[0*3 + 0] = udot[0]*v14 + v32 - v4*v17;
    s_q[0*3 + 1] = v32 + udot[0]*v13;
    s_q[0*3 + 2] = v16*v27 - udot[2]*v15;
    s_q[1*3 + 0] = udot[0]*v21 + (v4*v25 + v33);
    s_q[1*3 + 1] = v33 + udot[0]*v19;
    s_q[1*3 + 2] = -(v26*v27 + udot[2]*v22);
    s_u[0*3 + 0] = c[14]*v25 + v34;
    s_u[0*3 + 1] = v34;
    s_u[0*3 + 2] = -c[13]*v26;
    s_u[1*3 + 0] = v17*c[14] + v35;
    s_u[1*3 + 1] = v35;
    s_u[1*3 + 2] = -v16*c[13];
}

/* Generalized forces required in addition for this udot (inverse dynamics). Operations: 22 add, 31 mul, 4 sincos. */
void four_bar_inverse(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c, double *restrict r)
{
    (void)t;
    const double v0 = q[0] + q[1];
    const double v1 = u[0] + u[1];
    const double v2 = udot[0] + udot[1];
    const double v3 = sin(q[1]), v4 = cos(q[1]);
    const double v5 = sin(q[0]), v6 = cos(q[0]);
    const double v7 = c[0]*v6;
    const double v8 = c[4]*(0.5*(v4*(udot[0]*c[1] + v7) - v3*(c[0]*v5 - c[1]*(u[0]*u[0]))) + v2*c[17]);
    const double v9 = sin(q[2]), v10 = cos(q[2]);
    const double v11 = sin(v0), v12 = cos(v0);
    const double v13 = c[2]*v12;
    const double v14 = c[2]*v11;
    const double v15 = lambda[0]*(v14 + c[1]*v5) + (v7*c[5] + (v8 - (v1*(v1*v3) - v2*v4)*c[7]) + udot[0]*c[18] - w[0]);
    r[0] = v15 - lambda[1]*(v13 + c[1]*v6);
    r[1] = v8 + lambda[0]*v14 - lambda[1]*v13;
    r[2] = 0.05*u[2] + c[3]*((v10*c[19] + udot[2]*c[20])*c[21] - lambda[0]*v9 + lambda[1]*v10);
}

/* Kinetic and potential energy. Operations: 10 add, 21 mul, 4 sincos. */
void four_bar_energy(double t, const double *restrict q, const double *restrict u, const double *restrict c,
    double *restrict T, double *restrict V)
{
    (void)t;
    const double v0 = u[0] + u[1];
    const double v1 = sin(q[1]), v2 = cos(q[1]);
    const double v3 = c[1]*sin(q[0]);
    const double v4 = u[2]*c[3];
    const double v5 = u[0]*c[1];
    const double v6 = v0*c[22] + v2*v5;
    const double v7 = v1*v5;
    *T = 0.5*(v5*(v5*c[24]) + (v4*(v4*c[23]) + c[12]*(v0*(v0*c[25]) + (v6*v6 + v7*v7))));
    *V = c[0]*(v3*c[16] + (sin(q[2])*c[26] + c[12]*(sin(q[0] + q[1])*c[22] + v3)));
}

/* Linear momentum, and angular momentum about the origin, in ground axes. Operations: 20 add, 39 mul, 4 sincos. */
void four_bar_momentum(double t, const double *restrict q, const double *restrict u, const double *restrict c,
    double *restrict linear, double *restrict angular)
{
    (void)t;
    for (int i = 0; i < 3; ++i) linear[i] = 0.0;
    for (int i = 0; i < 3; ++i) angular[i] = 0.0;
    const double v0 = q[0] + q[1];
    const double v1 = u[0] + u[1];
    const double v2 = sin(q[1]), v3 = cos(q[1]);
    const double v4 = sin(q[0]), v5 = cos(q[0]);
    const double v6 = sin(q[2]), v7 = cos(q[2]);
    const double v8 = sin(v0), v9 = cos(v0);
    const double v10 = c[1]*v5;
    const double v11 = c[1]*v4;
    const double v12 = u[0]*c[1];
    const double v13 = u[2]*c[3];
    const double v14 = v13*c[21];
    const double v15 = v6*v14;
    const double v16 = c[12]*(v1*c[22] + v3*v12);
    const double v17 = c[12]*(v2*v12);
    const double v18 = v9*v17 - v8*v16;
    const double v19 = v12*c[29];
    const double v20 = v4*v19;
    const double v21 = 0.5*(v7*v14);
    const double v22 = v9*v16 + v8*v17;
    const double v23 = v5*v19;
    const double v24 = v15*(v6*c[30]) + (v21*(c[27] + v7*c[28]) + v22*(v9*c[22] + v10));
    const double v25 = (v13*c[31] + v1*c[32] + v12*c[33])*c[34] + v24 - (v8*c[22] + v11)*v18 + 0.25*(v11*v20);
    linear[0] = -0.5*v15 + (v18 - 0.5*v20);
    linear[1] = v21 + (v22 + 0.5*v23);
    angular[2] = v25 + 0.25*(v10*v23);
}

/* How far the constraints are violated, and how fast. Operations: 11 add, 15 mul, 3 sincos. */
void four_bar_residuals(double t, const double *restrict q, const double *restrict u, const double *restrict c,
    double *restrict phi, double *restrict rate)
{
    (void)t;
    const double v0 = q[0] + q[1];
    const double v1 = sin(q[0]), v2 = cos(q[0]);
    const double v3 = sin(q[2]), v4 = cos(q[2]);
    const double v5 = sin(v0), v6 = cos(v0);
    const double v7 = u[2]*c[3];
    const double v8 = u[0]*c[1];
    const double v9 = c[2]*(u[0] + u[1]);
    phi[0] = c[27] + c[3]*v4 - (c[2]*v6 + c[1]*v2);
    phi[1] = c[3]*v3 - (c[2]*v5 + c[1]*v1);
    rate[0] = v1*v8 + v5*v9 - v3*v7;
    rate[1] = v4*v7 - (v2*v8 + v6*v9);
}

/* Outputs of the model. Operations: 15 add, 11 mul, 5 sincos, 1 other. */
void four_bar_outputs(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict udot, const double *restrict lambda, const double *restrict c, double *restrict y)
{
    (void)t;
    (void)w;
    (void)udot;
    (void)lambda;
    for (int i = 0; i < 6; ++i) y[i] = 0.0;
    const double v0 = q[0] + q[1];
    const double v1 = q[2] - v0;
    const double v2 = sin(v1), v3 = cos(v1);
    const double v4 = sin(q[0]), v5 = cos(q[0]);
    const double v6 = sin(v0), v7 = cos(v0);
    const double v8 = c[1]*v5;
    const double v9 = 0.5*(c[2]*v7);
    const double v10 = 0.5*(c[2]*v6);
    y[0] = atan2(v2, v3);
    y[1] = u[2] - (u[0] + u[1]);
    y[2] = v8 + v9 - v10;
    y[3] = v10 + (c[1]*v4 + v9);
    y[5] = c[31] + c[27]*(c[27] - 2.0*v8 + cos(q[2])*c[13]) + c[1]*(c[1] - cos(q[2] - q[0])*c[13]) - c[35];
}

static int four_bar_is_finite(int size, const double *x)
{
    for (int i = 0; i < size; ++i) {
        if (!isfinite(x[i])) return 0;
    }
    return 1;
}

/* A X = B by A = L D L', for the n x n matrix A with rows `stride` apart, of which the lower triangle is read and
   overwritten; B (n x k) becomes X. size[i] is what rounding errors of A[i][i] are proportional to. Returns 1 when a
   pivot is not positive beyond rounding, and leaves B alone. */
static int four_bar_solve_definite(int n, double *A, int stride, const double *size, int k, double *B)
{
    double z[four_bar_nu];
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

/* B := (1 - beta v v') B for B (size x k) */
static void four_bar_reflect(int size, const double *v, double beta, int k, double *B)
{
    for (int j = 0; j < k; ++j) {
        double s = 0;
        for (int i = 0; i < size; ++i) s += v[i]*B[i*k + j];
        s *= beta;
        for (int i = 0; i < size; ++i) B[i*k + j] -= s*v[i];
    }
}

/* Makes x, of length `norm`, the v of a reflection 1 - beta v v' that takes it to (d, 0, 0, ...); returns d. */
static double four_bar_make_reflection(double *x, double norm, double *beta)
{
    const double d = x[0] > 0 ? -norm : norm;
    x[0] -= d;
    *beta = -1/(d*x[0]);
    return d;
}

static double four_bar_norm(int size, const double *x, int stride)
{
    double largest = 0, sum = 0;
    for (int i = 0; i < size; ++i) largest = fabs(x[i*stride]) > largest ? fabs(x[i*stride]) : largest;
    if (!(largest > 0)) return 0;
    for (int i = 0; i < size; ++i) sum += (x[i*stride]/largest)*(x[i*stride]/largest);
    return largest*sqrt(sum);
}

/* M X + G' L = F, G X = C for k right-hand sides: F becomes X, C becomes L; M and G are overwritten. Rows of G may depend on
   each other: of all multipliers, L are those of smallest norm. four_bar_rank of them are independent, as they were at the start;
   less only where rounding leaves nothing of the others. The method is that of the null space. With rows of G scaled to length
   1 and columns by 1/sqrt(M[j][j]),

       P G = V T Q1', Q = [Q1 Q2] from a pivoted QR of G', V and the triangle T from a QR of what that leaves
       T y = V' P C               what the constraints alone decide
       Q2' M Q2 z = Q2' (F - M Q1 y),   X = Q1 y + Q2 z
       T' (V' P L) = Q1' (F - M X)

   Returns 1 when a motion that the constraints allow has no inertia. */
static int four_bar_solve_descriptor(double *M, double *G, int k, double *F, double *C)
{
    enum { n = four_bar_nu, m = four_bar_nm };
    double column[n], row[m], size[n], diagonal[m], beta[m] = {0}, triangle[m] = {0}, turn[m] = {0};
    double W[m*m], N[m*m], v[n + m], Mv[n];
    int order[m], rank = 0, status;

    /* scales: 1/sqrt(M[j][j]) against its geometric mean, within four decades; rows of length 1, but short ones stay short */
    double logs = 0, count = 0, longest = 0, most = 0, first = 0;
    for (int j = 0; j < n; ++j) {
        if (M[j*n + j] > 0) logs += log(M[j*n + j]), ++count;
    }
    for (int j = 0; j < n; ++j) {
        column[j] = M[j*n + j] > 0 ? exp((logs/count - log(M[j*n + j]))/2) : 1;
        column[j] = column[j] < 1e-4 ? 1e-4 : column[j] > 1e4 ? 1e4 : column[j];
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) G[i*n + j] *= column[j];
        row[i] = four_bar_norm(n, G + i*n, 1);
        longest = row[i] > longest ? row[i] : longest;
    }
    const double least = four_bar_rank < 0 ? 1e-10 : 8*DBL_EPSILON*(n + m);
    for (int i = 0; i < m; ++i) {
        row[i] = longest > 1e-13 ? 1/(row[i] > 0.01*longest ? row[i] : 0.01*longest) : 1;
        for (int j = 0; j < n; ++j) G[i*n + j] *= row[i];
        for (int j = 0; j < k; ++j) C[i*k + j] *= row[i];
        order[i] = i;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) M[i*n + j] *= column[i]*column[j];
        for (int j = 0; j < k; ++j) F[i*k + j] *= column[i];
        most = fabs(M[i*n + i]) > most ? fabs(M[i*n + i]) : most;
    }

    /* G' P' = Q R: row s of G keeps the s-th reflection from place s on, later rows the entries of R before it */
    for (int s = 0; s < m && s < n && s != four_bar_rank; ++s) {
        int pivot = s;
        double norm = -1;
        for (int i = s; i < m; ++i) {
            const double length = four_bar_norm(n - s, G + i*n + s, 1);
            if (length > norm) norm = length, pivot = i;
        }
        if (s == 0) first = norm;
        if (!(norm > least*first)) break;
        for (int j = 0; j < n && pivot != s; ++j) {
            const double swap = G[s*n + j];
            G[s*n + j] = G[pivot*n + j];
            G[pivot*n + j] = swap;
        }
        const int swap = order[s];
        order[s] = order[pivot];
        order[pivot] = swap;
        diagonal[s] = four_bar_make_reflection(G + s*n + s, norm, &beta[s]);
        for (int i = s + 1; i < m; ++i) four_bar_reflect(n - s, G + s*n + s, beta[s], 1, G + i*n + s);
        rank = s + 1;
    }

    /* R' = V T; column s of W keeps the s-th reflection from place s on, T stands above */
    for (int i = 0; i < m; ++i) {
        for (int s = 0; s < rank; ++s) W[i*m + s] = s < i ? G[i*n + s] : s == i ? diagonal[s] : 0;
    }
    for (int s = 0; s < rank; ++s) {
        const double norm = four_bar_norm(m - s, W + s*m + s, m);
        for (int i = s; i < m; ++i) v[i] = W[i*m + s];
        triangle[s] = four_bar_make_reflection(v + s, norm, &turn[s]);
        for (int j = s + 1; j < rank; ++j) {
            double sum = 0;
            for (int i = s; i < m; ++i) sum += v[i]*W[i*m + j];
            for (int i = s; i < m; ++i) W[i*m + j] -= turn[s]*sum*v[i];
        }
        for (int i = s; i < m; ++i) W[i*m + s] = v[i];
    }

    /* M := Q' M Q, F := Q' F; and in place of the first `rank` rows of C: y */
    for (int s = 0; s < rank; ++s) {
        const double *h = G + s*n;
        double hMh = 0;
        for (int i = 0; i < n; ++i) {
            Mv[i] = 0;
            for (int j = s; j < n; ++j) Mv[i] += M[i*n + j]*h[j];
            Mv[i] *= beta[s];
        }
        for (int i = s; i < n; ++i) hMh += h[i]*Mv[i];
        for (int i = s; i < n; ++i) Mv[i] -= beta[s]*hMh/2*h[i];
        for (int i = 0; i < n; ++i) {
            for (int j = s; j < n; ++j) M[i*n + j] -= Mv[i]*h[j];
        }
        for (int i = s; i < n; ++i) {
            for (int j = 0; j < n; ++j) M[i*n + j] -= h[i]*Mv[j];
        }
        four_bar_reflect(n - s, h + s, beta[s], k, F + s*k);
    }
    for (int j = 0; j < k; ++j) {
        for (int i = 0; i < m; ++i) v[i] = C[order[i]*k + j];
        for (int i = 0; i < m; ++i) C[i*k + j] = v[i];
    }
    for (int s = 0; s < rank; ++s) {
        for (int i = s; i < m; ++i) v[i] = W[i*m + s];
        four_bar_reflect(m - s, v + s, turn[s], k, C + s*k);
    }
    for (int s = rank - 1; s >= 0; --s) {
        for (int j = 0; j < k; ++j) {
            for (int l = s + 1; l < rank; ++l) C[s*k + j] -= W[s*m + l]*C[l*k + j];
            C[s*k + j] /= triangle[s];
        }
    }

    /* z in place of the last rows of F, then Q1' (F - M X) in place of the first */
    for (int i = rank; i < n; ++i) {
        size[i] = most;
        for (int l = 0; l < rank; ++l) {
            for (int j = 0; j < k; ++j) F[i*k + j] -= M[i*n + l]*C[l*k + j];
        }
    }
    status = four_bar_solve_definite(n - rank, M + rank*n + rank, n, size + rank, k, F + rank*k);
    for (int i = rank; i < n && status != 0; ++i) {
        for (int j = 0; j < k; ++j) F[i*k + j] = 0;
    }
    for (int i = 0; i < rank; ++i) {
        for (int j = 0; j < k; ++j) {
            for (int l = 0; l < rank; ++l) F[i*k + j] -= M[i*n + l]*C[l*k + j];
            for (int l = rank; l < n; ++l) F[i*k + j] -= M[i*n + l]*F[l*k + j];
        }
    }

    /* X takes y from C, C takes T'^-1 of what F had there; then both are turned back */
    for (int s = 0; s < rank; ++s) {
        for (int j = 0; j < k; ++j) {
            double r = F[s*k + j];
            F[s*k + j] = C[s*k + j];
            for (int l = 0; l < s; ++l) r -= W[l*m + s]*C[l*k + j];
            C[s*k + j] = r/triangle[s];
        }
    }
    for (int i = rank; i < m; ++i) {
        for (int j = 0; j < k; ++j) C[i*k + j] = 0;
    }
    for (int s = rank - 1; s >= 0; --s) {
        four_bar_reflect(n - s, G + s*n + s, beta[s], k, F + s*k);
        for (int i = s; i < m; ++i) v[i] = W[i*m + s];
        four_bar_reflect(m - s, v + s, turn[s], k, C + s*k);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < k; ++j) F[i*k + j] *= column[i];
    }
    for (int j = 0; j < k; ++j) {
        for (int i = 0; i < m; ++i) v[order[i]] = row[order[i]]*C[i*k + j];
        for (int i = 0; i < m; ++i) C[i*k + j] = v[i];
    }

    /* L of smallest norm: less its part along what G' does not see, an orthonormal basis N of which comes from the rest of V */
    for (int s = rank; s < m; ++s) {
        double *e = N + s*m;
        for (int i = 0; i < m; ++i) e[i] = i == s;
        for (int l = rank - 1; l >= 0; --l) {
            for (int i = l; i < m; ++i) v[i] = W[i*m + l];
            four_bar_reflect(m - l, v + l, turn[l], 1, e + l);
        }
        for (int i = 0; i < m; ++i) v[order[i]] = row[order[i]]*e[i];
        for (int i = 0; i < m; ++i) e[i] = v[i];
        for (int twice = 0; twice < 2; ++twice) {
            for (int l = rank; l < s; ++l) {
                double along = 0;
                for (int i = 0; i < m; ++i) along += N[l*m + i]*e[i];
                for (int i = 0; i < m; ++i) e[i] -= along*N[l*m + i];
            }
            const double length = four_bar_norm(m, e, 1);
            for (int i = 0; i < m; ++i) e[i] /= length;
        }
        for (int j = 0; j < k; ++j) {
            double along = 0;
            for (int i = 0; i < m; ++i) along += e[i]*C[i*k + j];
            for (int i = 0; i < m; ++i) C[i*k + j] -= along*e[i];
        }
    }
    return status;
}

int four_bar_accelerations(double t, const double *restrict q, const double *restrict u, const double *restrict w,
    const double *restrict c, double *restrict udot, double *restrict lambda)
{
    enum { n = four_bar_nu, m = four_bar_nm };
    double M[n*n], G[m*n], G0[m*n], gamma[m];
    double length, longest = 0, drift = 1e-6;
    int status;
    four_bar_dynamics(t, q, u, w, c, M, udot, G, gamma);
    if (!four_bar_is_finite(n*n, M) || !four_bar_is_finite(n, udot) || !four_bar_is_finite(m*n, G) || !four_bar_is_finite(m, gamma)) {
        return four_bar_not_finite;
    }
    for (int i = 0; i < m*n; ++i) G0[i] = G[i];
    for (int i = 0; i < m; ++i) lambda[i] = gamma[i];
    status = four_bar_solve_descriptor(M, G, 1, udot, lambda);
    if (!four_bar_is_finite(n, udot) || !four_bar_is_finite(m, lambda)) return four_bar_not_finite;
    length = four_bar_norm(n, udot, 1);
    for (int j = 0; j < n; ++j) drift += 1e-3*u[j]*u[j];
    for (int i = 0; i < m; ++i) {
        const double norm = four_bar_norm(n, G0 + i*n, 1);
        longest = norm > longest ? norm : longest;
    }
    for (int i = 0; i < m && status == 0; ++i) {
        double left = -gamma[i];
        for (int j = 0; j < n; ++j) left += G0[i*n + j]*udot[j];
        /* more than the drift of an integrator */
        if (fabs(left) > 0.01*(longest*length + fabs(gamma[i])) + drift*(longest > 0 ? longest : 1)) status = four_bar_contradiction;
    }
    return status;
}

int four_bar_rhs(double t, const double *restrict x, const double *restrict w, const double *restrict c, double *restrict xdot)
{
    double lambda[four_bar_nm];
    four_bar_rates(t, x, x + four_bar_nq, c, xdot);
    return four_bar_accelerations(t, x, x + four_bar_nq, w, c, xdot + four_bar_nq, lambda);
}

int four_bar_rhs_jacobian(double t, const double *restrict x, const double *restrict w, const double *restrict c,
    double *restrict A, double *restrict B)
{
    enum { nq = four_bar_nq, n = four_bar_nu, nx = four_bar_nx, nw = four_bar_nw, m = four_bar_nm, k = nx + nw };
    const double *q = x, *u = x + nq;
    double M[n*n], f[n], udot[n], qdot_q[nq*nq], qdot_u[nq*n], r_q[n*nq], r_u[n*n], X[n*k];
    double r_w[n*nw];
    double G[m*n], gamma[m], lambda[m], s_q[m*nq], s_u[m*n], L[m*k];
    double s_w[m*nw];
    int status = four_bar_accelerations(t, q, u, w, c, udot, lambda);
    if (status != four_bar_ok && status != four_bar_contradiction) return status;
    four_bar_dynamics(t, q, u, w, c, M, f, G, gamma);
    four_bar_rate_jacobians(t, q, u, c, qdot_q, qdot_u);
    four_bar_jacobians(t, q, u, w, udot, lambda, c, r_q, r_u, r_w, s_q, s_u, s_w);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < nq; ++j) X[i*k + j] = -r_q[i*nq + j];
        for (int j = 0; j < n; ++j) X[i*k + nq + j] = -r_u[i*n + j];
        for (int j = 0; j < nw; ++j) X[i*k + nx + j] = -r_w[i*nw + j];
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < nq; ++j) L[i*k + j] = -s_q[i*nq + j];
        for (int j = 0; j < n; ++j) L[i*k + nq + j] = -s_u[i*n + j];
        for (int j = 0; j < nw; ++j) L[i*k + nx + j] = -s_w[i*nw + j];
    }
    status = four_bar_solve_descriptor(M, G, k, X, L);
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
    if (status == four_bar_ok && !four_bar_is_finite(nx*nx, A)) status = four_bar_not_finite;
    return status;
}

void four_bar_normalise(double *q)
{
    (void)q;
}
