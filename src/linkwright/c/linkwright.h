#ifndef LINKWRIGHT_C_LINKWRIGHT_H
#define LINKWRIGHT_C_LINKWRIGHT_H
/* Linkwright for programs in C, and for whatever can call C: sixteen functions.
 *
 *     lw_mechanism* crane = lw_open("crane.toml", "drive=100");
 *     if (!crane) return fputs(lw_problems(), stderr), 2;
 *     double q[2], u[2], a[2];
 *     lw_start(crane, NULL, q, u, NULL, NULL);
 *     if (lw_accelerations(crane, 0, q, u, NULL, NULL, a, NULL) != LW_DONE) return fputs(lw_problems(), stderr), 1;
 *     lw_close(crane);
 *
 * SI units. Arrays are as long as lw_count() says, matrices stand row by row. Nothing is printed. A mechanism may be shared by threads; what
 * lw_problems() returns belongs to the calling thread and lasts until its next call. Link -llinkwright (pkg-config linkwright). */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LW_API __attribute__((visibility("default")))

/* A mechanism: its model, its equations, compiled code for them. */
typedef struct lw_mechanism lw_mechanism;

/* How a call went; the exit statuses of the program. */
typedef enum lw_status {
    LW_DONE = 0,
    LW_NUMERICAL_FAILURE = 1, /* no convergence, a singular position; what was reached has been returned where there is something */
    LW_WRONG_INPUT = 2
} lw_status;

/* What can be counted and named, in the order of the equations. */
typedef enum lw_list {
    LW_COORDINATES,   /* q */
    LW_SPEEDS,        /* u */
    LW_STATES,        /* x: auxiliary states of motors and filters */
    LW_INPUTS,        /* w */
    LW_MULTIPLIERS,   /* lambda: one for each constraint */
    LW_OUTPUTS,
    LW_PARAMETERS
} lw_list;

/* "0.1.0" */
LW_API const char* lw_version(void);

/* A model file, or its text; `name` stands for the file in messages. `set`: other values of parameters and inputs, "m=2; l=30cm", or NULL.
 * NULL when it cannot be read or its equations cannot be derived: lw_problems() says why, with line and column. */
LW_API lw_mechanism* lw_open(const char* path, const char* set);
LW_API lw_mechanism* lw_open_text(const char* text, const char* name, const char* set);
LW_API void lw_close(lw_mechanism* mechanism); /* NULL is allowed */

/* What this thread's last call had to say: errors, warnings, notes, a line or more each; "" when nothing. */
LW_API const char* lw_problems(void);

LW_API size_t lw_count(const lw_mechanism* mechanism, lw_list list);
/* NULL when there are not so many; lives as long as the mechanism. */
LW_API const char* lw_name(const lw_mechanism* mechanism, lw_list list, size_t index);

/* The initial state, loops closed. What is NULL is not wanted. */
LW_API lw_status lw_start(const lw_mechanism* mechanism, double* t, double* q, double* u, double* x, double* w);

/* M udot + G' lambda = f at a state. x, w: NULL for zeros and for the values of the model. M has n*n entries, G m*n, f n, gamma m (G udot = gamma);
 * what is NULL is not wanted. */
LW_API lw_status lw_equations(const lw_mechanism* mechanism, double t, const double* q, const double* u, const double* x, const double* w,
                              double* M, double* f, double* G, double* gamma);
/* udot and lambda; lambda may be NULL. */
LW_API lw_status lw_accelerations(const lw_mechanism* mechanism, double t, const double* q, const double* u, const double* x, const double* w,
                                  double* udot, double* lambda);
/* qdot = N u + nu, and xdot; either may be NULL. */
LW_API lw_status lw_rates(const lw_mechanism* mechanism, double t, const double* q, const double* u, const double* x, const double* w,
                          double* qdot, double* xdot);
LW_API lw_status lw_outputs(const lw_mechanism* mechanism, double t, const double* q, const double* u, const double* x, const double* w,
                            double* outputs);

/* Answers as text, to be given back with lw_free(). NULL: lw_problems() says why.
 * lw_derive: to "text", "latex", "markdown" or "json". lw_simulate: CSV from the initial state, samples + 1 rows; a motion that ended early has
 * its rows, and lw_problems() says why it ended. lw_modes: JSON, as linkwright modes --json prints it. */
LW_API char* lw_derive(const lw_mechanism* mechanism, const char* to);
LW_API char* lw_simulate(const lw_mechanism* mechanism, double until, size_t samples, double tolerance);
LW_API char* lw_modes(const lw_mechanism* mechanism);
LW_API void lw_free(char* text); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
