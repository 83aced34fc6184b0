/* Triple pendulum: equations of motion
 * Derived by the formulation 'recursive', written by linkwright 0.1.0.
 *
 *     qdot = N(q, t) u + nu(q, t)
 *     M(q, t) udot = f(q, u, w, t)
 *
 * SI units, angles in radians. The state x is q, then u.
 *
 * Coordinates q, with their initial values
 *     0  q1  0.0
 *     1  q2  0.0
 *     2  q3  0.0
 *
 * Speeds u, with their initial values
 *     0  q1'  0.0
 *     1  q2'  0.0
 *     2  q3'  0.0
 *
 * Inputs w, with their default values
 *     0  TAU21  0.0
 *     1  TAU32  0.0
 *     2  TAU43  0.0
 *
 * Parameters p, with their values in the model
 *      0  g      9.81  m/s^2      98.1 gives the eigenvalues of his tables 6.1 and 6.2
 *      1  DL22   0.5   m          joint to centre of mass
 *      2  DL33   0.5   m
 *      3  DL44   0.5   m
 *      4  SL32   0.5   m          centre of mass to the next joint
 *      5  SL43   0.5   m
 *      6  MA2    1.0   kg
 *      7  MA3    1.0   kg
 *      8  MA4    1.0   kg
 *      9  J2X    0.2   kg*m^2
 *     10  J2Y    0.1   kg*m^2
 *     11  J2Z    0.2   kg*m^2
 *     12  J3X    0.2   kg*m^2
 *     13  J3Y    0.1   kg*m^2
 *     14  J3Z    0.2   kg*m^2
 *     15  J4X    0.2   kg*m^2
 *     16  J4Y    0.1   kg*m^2
 *     17  J4Z    0.2   kg*m^2
 *     18  KR21   0.0   N*m/rad    joint stiffness
 *     19  KR32   0.0   N*m/rad
 *     20  KR43   0.0   N*m/rad
 *     21  CR21   0.0   N*m*s/rad  joint damping; simulation 2 has 5
 *     22  CR32   0.0   N*m*s/rad
 *     23  CR43   0.0   N*m*s/rad
 *     24  PHI02  0.0   rad        angle at which the spring is free
 *     25  PHI03  0.0   rad
 *     26  PHI04  0.0   rad
 *
 * Outputs y
 *     0  hand.x
 *     1  hand.y
 *     2  hand.z
 *     3  hanger.fx
 *     4  hanger.fy
 *     5  hanger.fz
 *     6  hanger.tx
 *     7  hanger.ty
 *     8  hanger.tz
 *
 * Functions and their operations
 *     setup           p -> c                                32 add, 33 mul, 1 div
 *     rates           t q u c -> qdot                       none
 *     dynamics        t q u w c -> M f                      62 add, 76 mul, 3 sincos
 *     accelerations   t q u w c -> udot                     68 add, 86 mul, 2 div, 3 sincos
 *     rate_jacobians  t q u c -> qdot_q qdot_u              none
 *     jacobians       t q u w udot lambda c -> r_q r_u r_w  137 add, 216 mul, 3 sincos
 *     inverse         t q u w udot lambda c -> r            54 add, 67 mul, 3 sincos
 *     energy          t q u c -> T V                        35 add, 60 mul, 3 sincos
 *     momentum        t q u c -> linear angular             63 add, 102 mul, 3 sincos
 *     outputs         t q u w udot lambda c -> y            110 add, 164 mul, 3 sincos
 *
 * Matrices are dense, row by row. A null pointer may be passed where an array has no entries. Arrays must not overlap.
 * Nothing is allocated, nothing is kept between calls; threads may call at the same time.
 *
 *     double c[triple_pendulum_nc + 1], x[triple_pendulum_nx + 1], xdot[triple_pendulum_nx + 1];
 *     triple_pendulum_setup(triple_pendulum_parameters, c);                      // again whenever a parameter changes
 *     for (int i = 0; i < triple_pendulum_nx; ++i) x[i] = triple_pendulum_start[i];
 *     for (int step = 0; step < 1000; ++step) {            // Euler's method, the simplest there is
 *         if (triple_pendulum_rhs(1e-3*step, x, triple_pendulum_inputs, c, xdot) != triple_pendulum_ok) break;
 *         for (int i = 0; i < triple_pendulum_nx; ++i) x[i] += 1e-3*xdot[i];
 *         triple_pendulum_normalise(x);
 *     }
 */
#ifndef triple_pendulum_h_included
#define triple_pendulum_h_included

#ifdef __cplusplus
extern "C" {
#endif

enum {
    triple_pendulum_nq = 3,  /* coordinates */
    triple_pendulum_nu = 3,  /* speeds */
    triple_pendulum_nw = 3,  /* inputs */
    triple_pendulum_np = 27,  /* parameters */
    triple_pendulum_nc = 62,  /* constants, from setup */
    triple_pendulum_nm = 0,  /* constraints */
    triple_pendulum_ny = 9,  /* outputs */
    triple_pendulum_nx = 6   /* states x = [q; u] */
};

/* What rhs and rhs_jacobian may return. */
enum {
    triple_pendulum_ok = 0,
    triple_pendulum_no_inertia = 1,      /* a motion that the constraints allow has no inertia */
    triple_pendulum_contradiction = 2,   /* constraints contradict each other here; the result meets them as closely as possible */
    triple_pendulum_not_finite = 3       /* something is infinite or not a number */
};

/* Names, each list ended by a null pointer; values of the model, each list ended by a 0. */
extern const char *const triple_pendulum_coordinate_names[4];
extern const char *const triple_pendulum_speed_names[4];
extern const char *const triple_pendulum_input_names[4];
extern const char *const triple_pendulum_parameter_names[28];
extern const char *const triple_pendulum_constraint_names[1];
extern const char *const triple_pendulum_output_names[10];
extern const double triple_pendulum_start[7];
extern const double triple_pendulum_inputs[4];
extern const double triple_pendulum_parameters[28];

/* What depends on parameters only, computed once. c (62): constants for the other functions. Operations: 32
   add, 33 mul, 1 div. */
void triple_pendulum_setup(const double *p, double *c);

/* Rates of the coordinates. qdot (3): rates of the coordinates. Operations: none. */
void triple_pendulum_rates(double t, const double *q, const double *u, const double *c, double *qdot);

/* Mass matrix and forcing: M udot = f. M (3 x 3): mass matrix, symmetric. f (3): forcing. Operations: 62 add,
   76 mul, 3 sincos. */
void triple_pendulum_dynamics(double t, const double *q, const double *u, const double *w, const double *c, double *M,
    double *f);

/* Accelerations, written out. udot (3): accelerations. Operations: 68 add, 86 mul, 2 div, 3 sincos. */
void triple_pendulum_accelerations(double t, const double *q, const double *u, const double *w, const double *c,
    double *udot);

/* Derivatives of the coordinates' rates. qdot_q (3 x 3): derivative of qdot by q. qdot_u (3 x 3): derivative
   of qdot by u. Operations: none. */
void triple_pendulum_rate_jacobians(double t, const double *q, const double *u, const double *c, double *qdot_q,
    double *qdot_u);

/* Derivatives of r = M udot - f at fixed udot. r_q (3 x 3): derivative of r by q. r_u (3 x 3): derivative of
   r by u. r_w (3 x 3): derivative of r by w. Operations: 137 add, 216 mul, 3 sincos. */
void triple_pendulum_jacobians(double t, const double *q, const double *u, const double *w, const double *udot,
    const double *lambda, const double *c, double *r_q, double *r_u, double *r_w);

/* Generalized forces required in addition for this udot (inverse dynamics). r (3): M udot - f. Operations: 54
   add, 67 mul, 3 sincos. */
void triple_pendulum_inverse(double t, const double *q, const double *u, const double *w, const double *udot,
    const double *lambda, const double *c, double *r);

/* Kinetic and potential energy. T: kinetic energy. V: potential energy. Operations: 35 add, 60 mul, 3
   sincos. */
void triple_pendulum_energy(double t, const double *q, const double *u, const double *c, double *T, double *V);

/* Linear momentum, and angular momentum about the origin, in ground axes. linear (3): linear momentum.
   angular (3): angular momentum. Operations: 63 add, 102 mul, 3 sincos. */
void triple_pendulum_momentum(double t, const double *q, const double *u, const double *c, double *linear,
    double *angular);

/* Outputs of the model. y (9): outputs. Operations: 110 add, 164 mul, 3 sincos. */
void triple_pendulum_outputs(double t, const double *q, const double *u, const double *w, const double *udot,
    const double *lambda, const double *c, double *y);

/* The rate of the state x = [q; u]. */
int triple_pendulum_rhs(double t, const double *x, const double *w, const double *c, double *xdot);

/* Its derivatives: A (6 x 6) by x, B (6 x 3) by w. */
int triple_pendulum_rhs_jacobian(double t, const double *x, const double *w, const double *c, double *A, double *B);

/* Normalises the unit quaternions in q. */
void triple_pendulum_normalise(double *q);

#ifdef __cplusplus
}
#endif

#endif
