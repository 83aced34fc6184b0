/* Four-bar: equations of motion
 * Derived by the formulation 'recursive', written by linkwright 0.1.0.
 *
 *     qdot = N(q, t) u + nu(q, t)
 *     M(q, t) udot + G(q, t)' lambda = f(q, u, w, t)
 *     G(q, t) udot = gamma(q, u, t)
 *
 * SI units, angles in radians. The state x is q, then u.
 *
 * Coordinates q, with their initial values
 *     0  alpha  0.0
 *     1  beta   0.0
 *     2  delta  0.0
 *
 * Speeds u, with their initial values
 *     0  alpha'  0.0
 *     1  beta'   0.0
 *     2  delta'  0.0
 *
 * Inputs w, with their default values
 *     0  drive  0.0
 *
 * Parameters p, with their values in the model
 *     0  g     9.81
 *     1  base  0.4   m     between the pins in the ground
 *     2  a     0.1   m     crank
 *     3  b     0.35  m     coupler
 *     4  c     0.25  m     rocker
 *     5  rho   2.0   kg/m  mass per length of the bars
 *
 * Constraints: rows of G, entries of lambda
 *     0  knee.x  joint 'knee' holds its point along x of the ground
 *     1  knee.y  joint 'knee' holds its point along y of the ground
 *
 * Of the 2 rows of G 2 are independent at the initial state, and are assumed to be so at every call. Parameters
 * that change this number need code of their own.
 *
 * Outputs y
 *     0  knee
 *     1  knee'
 *     2  pen.x
 *     3  pen.y
 *     4  pen.z
 *     5  freudenstein
 *
 * Functions and their operations
 *     setup           p -> c                                            3 add, 36 mul
 *     rates           t q u c -> qdot                                   none
 *     dynamics        t q u w c -> M f G gamma                          19 add, 32 mul, 4 sincos
 *     rate_jacobians  t q u c -> qdot_q qdot_u                          none
 *     jacobians       t q u w udot lambda c -> r_q r_u r_w s_q s_u s_w  38 add, 65 mul, 4 sincos
 *     inverse         t q u w udot lambda c -> r                        22 add, 31 mul, 4 sincos
 *     energy          t q u c -> T V                                    10 add, 21 mul, 4 sincos
 *     momentum        t q u c -> linear angular                         20 add, 39 mul, 4 sincos
 *     residuals       t q u c -> phi rate                               11 add, 15 mul, 3 sincos
 *     outputs         t q u w udot lambda c -> y                        15 add, 11 mul, 5 sincos, 1 other
 *
 * Matrices are dense, row by row. A null pointer may be passed where an array has no entries. Arrays must not overlap.
 * Nothing is allocated, nothing is kept between calls; threads may call at the same time.
 *
 *     double c[four_bar_nc + 1], x[four_bar_nx + 1], xdot[four_bar_nx + 1];
 *     four_bar_setup(four_bar_parameters, c);                      // again whenever a parameter changes
 *     for (int i = 0; i < four_bar_nx; ++i) x[i] = four_bar_start[i];
 *     for (int step = 0; step < 1000; ++step) {            // Euler's method, the simplest there is
 *         if (four_bar_rhs(1e-3*step, x, four_bar_inputs, c, xdot) != four_bar_ok) break;
 *         for (int i = 0; i < four_bar_nx; ++i) x[i] += 1e-3*xdot[i];
 *         four_bar_normalise(x);
 *     }
 *
 * Start where the constraints are satisfied, as four_bar_start does with the parameters of the model; four_bar_residuals
 * gives their violation.
 */
#ifndef four_bar_h_included
#define four_bar_h_included

#ifdef __cplusplus
extern "C" {
#endif

enum {
    four_bar_nq = 3,  /* coordinates */
    four_bar_nu = 3,  /* speeds */
    four_bar_nw = 1,  /* inputs */
    four_bar_np = 6,  /* parameters */
    four_bar_nc = 36,  /* constants, from setup */
    four_bar_nm = 2,  /* constraints */
    four_bar_rank = 2,  /* independent constraints, at the start */
    four_bar_ny = 6,  /* outputs */
    four_bar_nx = 6   /* states x = [q; u] */
};

/* What accelerations, rhs and rhs_jacobian may return. */
enum {
    four_bar_ok = 0,
    four_bar_no_inertia = 1,      /* a motion that the constraints allow has no inertia */
    four_bar_contradiction = 2,   /* constraints contradict each other here; the result meets them as closely as possible */
    four_bar_not_finite = 3       /* something is infinite or not a number */
};

/* Names, each list ended by a null pointer; values of the model, each list ended by a 0. */
extern const char *const four_bar_coordinate_names[4];
extern const char *const four_bar_speed_names[4];
extern const char *const four_bar_input_names[2];
extern const char *const four_bar_parameter_names[7];
extern const char *const four_bar_constraint_names[3];
extern const char *const four_bar_output_names[7];
extern const double four_bar_start[7];
extern const double four_bar_inputs[2];
extern const double four_bar_parameters[7];

/* What depends on parameters only, computed once. c (36): constants for the other functions. Operations: 3
   add, 36 mul. */
void four_bar_setup(const double *p, double *c);

/* Rates of the coordinates. qdot (3): rates of the coordinates. Operations: none. */
void four_bar_rates(double t, const double *q, const double *u, const double *c, double *qdot);

/* M udot + G' lambda = f, G udot = gamma. M (3 x 3): mass matrix, symmetric. f (3): forcing. G (2 x 3):
   Jacobian of the constraints. gamma (2): right-hand side of the constraints. Operations: 19 add, 32 mul, 4
   sincos. */
void four_bar_dynamics(double t, const double *q, const double *u, const double *w, const double *c, double *M,
    double *f, double *G, double *gamma);

/* Derivatives of the coordinates' rates. qdot_q (3 x 3): derivative of qdot by q. qdot_u (3 x 3): derivative
   of qdot by u. Operations: none. */
void four_bar_rate_jacobians(double t, const double *q, const double *u, const double *c, double *qdot_q,
    double *qdot_u);

/* Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda. r_q (3 x 3):
   derivative of r by q. r_u (3 x 3): derivative of r by u. r_w (3): derivative of r by w. s_q (2 x 3):
   derivative of s by q. s_u (2 x 3): derivative of s by u. s_w (2): derivative of s by w. Operations: 38 add,
   65 mul, 4 sincos. */
void four_bar_jacobians(double t, const double *q, const double *u, const double *w, const double *udot,
    const double *lambda, const double *c, double *r_q, double *r_u, double *r_w, double *s_q, double *s_u,
    double *s_w);

/* Generalized forces required in addition for this udot (inverse dynamics). r (3): M udot + G' lambda - f.
   Operations: 22 add, 31 mul, 4 sincos. */
void four_bar_inverse(double t, const double *q, const double *u, const double *w, const double *udot,
    const double *lambda, const double *c, double *r);

/* Kinetic and potential energy. T: kinetic energy. V: potential energy. Operations: 10 add, 21 mul, 4
   sincos. */
void four_bar_energy(double t, const double *q, const double *u, const double *c, double *T, double *V);

/* Linear momentum, and angular momentum about the origin, in ground axes. linear (3): linear momentum.
   angular (3): angular momentum. Operations: 20 add, 39 mul, 4 sincos. */
void four_bar_momentum(double t, const double *q, const double *u, const double *c, double *linear,
    double *angular);

/* How far the constraints are violated, and how fast. phi (2): position residuals; 0 for rows that only
   speeds obey. rate (2): velocity residuals. Operations: 11 add, 15 mul, 3 sincos. */
void four_bar_residuals(double t, const double *q, const double *u, const double *c, double *phi, double *rate);

/* Outputs of the model. y (6): outputs. Operations: 15 add, 11 mul, 5 sincos, 1 other. */
void four_bar_outputs(double t, const double *q, const double *u, const double *w, const double *udot,
    const double *lambda, const double *c, double *y);

/* Accelerations and multipliers; where constraints are redundant, the multipliers of smallest norm. */
int four_bar_accelerations(double t, const double *q, const double *u, const double *w, const double *c,
    double *udot, double *lambda);

/* The rate of the state x = [q; u]. */
int four_bar_rhs(double t, const double *x, const double *w, const double *c, double *xdot);

/* Its derivatives: A (6 x 6) by x, B (6 x 1) by w. Columns of A have a meaning only along motions that the
   constraints allow. */
int four_bar_rhs_jacobian(double t, const double *x, const double *w, const double *c, double *A, double *B);

/* Normalises the unit quaternions in q. */
void four_bar_normalise(double *q);

#ifdef __cplusplus
}
#endif

#endif
