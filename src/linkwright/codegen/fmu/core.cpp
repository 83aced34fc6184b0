#include "linkwright/codegen/fmu/runtime.hpp"

namespace linkwright::codegen::fmu {

const char* const core_text = R"runtime(
enum { nq = NAME_nq, nu = NAME_nu, nw = NAME_nw, np = NAME_np, nc = NAME_nc, nm = NAME_nm, ny = NAME_ny, nx = NAME_nx };

/* Value references: one after the other. */
enum {
    vr_time = 0,
    vr_p = 1,               /* parameters */
    vr_w = vr_p + np,       /* inputs */
    vr_x = vr_w + nw,       /* states: coordinates, speeds, auxiliary states */
    vr_d = vr_x + nx,       /* their derivatives */
    vr_y = vr_d + nx,       /* outputs */
    vr_z = vr_y + ny,       /* event functions */
    vr_energy = vr_z + nz,  /* kinetic, potential */
    vr_lambda = vr_energy + 2,
    vr_count = vr_lambda + nm,  /* how often events happened */
    vr_when = vr_count + nz,    /* and when last */
    vr_end = vr_when + nz
};

/* What a function reports; the numbers are those of the standard. */
enum { s_ok = 0, s_warning = 1, s_discard = 2, s_error = 3, s_fatal = 4 };

/* Where an instance is in its life; functions name the stages in which they may be called. */
enum {
    instantiated = 1,
    initializing = 2,
    event_mode = 4,
    continuous_mode = 8,
    step_mode = 16,
    step_failed = 32,
    terminated = 64
};

/* All that an instance remembers: a plain block of numbers, which is also what a saved state is. */
typedef struct {
    char token[72];
    int stage, is_cosimulation;
    int is_open;   /* the start is not closed yet */
    int has_stop, is_over;  /* is_over: an event ended the motion */
    double t, start, stop, tolerance;
    double p[np + 1], w[nw + 1], x[nx + 1];
    double side[nz + 1], count[nz + 1], when[nz + 1];
#if HAS_SAMPLES
    double number[ns], period[ns];  /* of the next samples, and what periods they count */
#endif
    /* the integrator: its last step from t0 to t1 = t0 + h as a polynomial, rates at t1, the next step's length */
    int has_step, is_stiff, doubts;
    double t0, t1, next, dense[5][nx + 1], k1[nx + 1], seen;
} Memory;

typedef struct {
    Memory m;
    int is_setup, is_fresh;  /* c follows from p; what stands below follows from the memory */
    double c[nc + 1], v[nx + 1], lambda[nm + 1], signal[ny + nz + 1], energy[2], input[nw + 1];
    double peak_step, wall;  /* no step is longer, none goes beyond */
#if HAS_SAMPLES
    int is_discrete;  /* these follow from c */
    double period[ns], D[ns], C[ns][sample_most + 1], B[ns][sample_most + 1], A[ns][sample_most*sample_most + 1];
#endif
    char *name;
    int is_logging;
    Environment environment;
} Instance;

static void say(Instance *i, int status, const char *format, ...);

static int is_number(double x) { return isfinite(x) != 0; }

static int are_numbers(size_t n, const double *x)
{
    for (size_t i = 0; i < n; ++i) {
        if (!is_number(x[i])) return 0;
    }
    return 1;
}

/* ---- the model ---- */

static void set_up(Instance *i)
{
    if (i->is_setup) return;
    NAME_setup(i->m.p, i->c);
    i->is_setup = 1;
#if HAS_SAMPLES
    i->is_discrete = 0;
#endif
}

/* Inputs: what was set, but those that follow time. */
static void calc_inputs(Instance *i, double t, double *w)
{
    const double *c = i->c;
    (void)t, (void)c;
    for (int k = 0; k < nw; ++k) w[k] = 0;
    CALL_input_values
    for (int k = 0; k < nw; ++k) {
        if (!follows_time[k]) w[k] = i->m.w[k];
    }
}

/* Rates of x at t, and multipliers: 0, or what the model's code returned. */
static int calc_rates(Instance *i, double t, const double *x, double *xdot, double *lambda)
{
    double w[nw + 1];
    const double *q = x, *u = x + nq, *c = i->c;
    double *qdot = xdot, *udot = xdot + nq;
    int status = 0;
    (void)q, (void)u, (void)c, (void)qdot, (void)udot, (void)lambda;
    calc_inputs(i, t, w);
    CALL_rates
    CALL_accelerations
    if (status == 0 && !are_numbers(nx, xdot)) status = NAME_not_finite;
    return status;
}

static void calc_signals(Instance *i, double t, const double *x, const double *udot, const double *lambda, double *v)
{
    double w[nw + 1];
    const double *q = x, *u = x + nq, *c = i->c;
    (void)q, (void)u, (void)c, (void)udot, (void)lambda, (void)v;
    calc_inputs(i, t, w);
    CALL_signals
}

static void calc_residuals(Instance *i, double t, const double *x, double *phi, double *rate)
{
    const double *q = x, *u = x + nq, *c = i->c;
    (void)t, (void)q, (void)u, (void)c;
    for (int k = 0; k < nm; ++k) phi[k] = rate[k] = 0;
    CALL_residuals
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int k = 0; k < n; ++k) {
        if (!(fabs(x[k]) <= most)) most = fabs(x[k]);
    }
    return most;
}

/* ---- closed chains and unit quaternions ---- */

#if IS_CLOSED
/* The shortest step delta of the speeds' directions with G delta = -residual; directions that are held stay. */
static int solve_constraints(Instance *i, double t, const double *x, const double *residual, const int *held, double *delta)
{
    static const double none[nw + 1] = {0};
    double M[nu*nu], f[nu], G[nm*nu], gamma[nm], right[nm];
    const double *q = x, *u = x + nq, *w = none, *c = i->c;
    CALL_dynamics
    if (!are_numbers(nm*nu, G)) return 1;
    for (int k = 0; k < nu*nu; ++k) M[k] = 0;
    for (int k = 0; k < nu; ++k) {
        M[k*nu + k] = 1;
        delta[k] = 0;
        for (int j = 0; j < nm && held && held[k]; ++j) G[j*nu + k] = 0;
    }
    for (int k = 0; k < nm; ++k) right[k] = -residual[k];
    NAME_solve_descriptor(M, G, 1, delta, right);
    return !are_numbers(nu, delta);
}
#endif

/* Brings x back to where the constraints hold, positions by Newton's method, then speeds; what is held stays as it is when
   `at_start`. Unit quaternions get their length. Returns 0 when that is done. */
static int close_up(Instance *i, double t, double *x, int at_start)
{
    NAME_normalise(x);
#if IS_CLOSED
    double phi[nm], rate[nm], delta[nu], trial[nx], before = HUGE_VAL;
    for (int turn = 0; turn < 60; ++turn) {
        const double *q = x, *u = x + nq, *c = i->c;
        double qdot_q[nq*nq + 1], qdot_u[nq*nu + 1], share = 1, size, now;
        calc_residuals(i, t, x, phi, rate);
        size = largest(nm, phi);
        if (!is_number(size)) return 1;
        if (size <= 1e-14*(1 + largest(nq, x))) break;
        if (size >= 0.5*before && size < 1e-10) break;
        before = size;
        if (solve_constraints(i, t, x, phi, at_start ? is_held : 0, delta)) return 1;
        CALL_rate_jacobians
        for (;; share /= 2) {
            for (int k = 0; k < nx; ++k) trial[k] = x[k];
            for (int k = 0; k < nq; ++k) {
                for (int j = 0; j < nu; ++j) trial[k] += share*qdot_u[k*nu + j]*delta[j];
            }
            NAME_normalise(trial);
            calc_residuals(i, t, trial, phi, rate);
            now = largest(nm, phi);
            if (now < size || share < 1e-3) break;
        }
        if (!(now < size)) {
            if (size < 1e-9) break;
            return 1;
        }
        for (int k = 0; k < nq; ++k) x[k] = trial[k];
    }
    calc_residuals(i, t, x, phi, rate);
    if (!(largest(nm, phi) < 1e-8*(1 + largest(nq, x)))) return 1;
    for (int turn = 0; turn < 2; ++turn) {
        if (solve_constraints(i, t, x, rate, at_start ? is_held + nu : 0, delta)) return 1;
        for (int k = 0; k < nu; ++k) x[nq + k] += delta[k];
        calc_residuals(i, t, x, phi, rate);
    }
    if (!(largest(nm, rate) < 1e-7*(1 + largest(nu, x + nq)))) return 1;
#else
    (void)i, (void)t, (void)at_start;
#endif
    return 0;
}

/* Has x left the constraints, or quaternions their spheres, by more than a tenth of the tolerance? */
static int has_drifted(Instance *i)
{
    const double limit = 0.1*i->m.tolerance;
    double unit[nx + 1];
    for (int k = 0; k < nx; ++k) unit[k] = i->m.x[k];
    NAME_normalise(unit);
    for (int k = 0; k < nq; ++k) {
        if (fabs(unit[k] - i->m.x[k]) > limit) return 1;
    }
#if IS_CLOSED
    double phi[nm], rate[nm];
    calc_residuals(i, i->m.t, i->m.x, phi, rate);
    return largest(nm, phi) > limit*(1 + largest(nq, i->m.x)) || largest(nm, rate) > limit*(1 + largest(nu, i->m.x + nq));
#else
    return 0;
#endif
}

/* ---- what follows from the memory ---- */

static const char *reason(int status)
{
    return status == NAME_no_inertia      ? "a motion that the constraints allow has no inertia"
           : status == NAME_contradiction ? "the constraints contradict each other"
                                          : "the equations give something that is not a finite number";
}

/* Closes the start, once after it was changed. */
static int settle(Instance *i)
{
    set_up(i);
    if (!i->m.is_open) return s_ok;
    if (close_up(i, i->m.t, i->m.x, 1)) {
        say(i, s_error, "the mechanism cannot be assembled with these parameters and start values");
        return s_error;
    }
    i->m.is_open = 0;
    return s_ok;
}

/* Everything at the present time and state. */
static int refresh(Instance *i)
{
    int status;
    const double *q = i->m.x, *u = i->m.x + nq, *c = i->c;
    double t = i->m.t, *T = &i->energy[0], *V = &i->energy[1];
    (void)q, (void)u, (void)c, (void)t, (void)T, (void)V;
    if (i->is_fresh) return s_ok;
    status = settle(i);
    if (status != s_ok) return status;
    calc_inputs(i, t, i->input);
    status = calc_rates(i, t, i->m.x, i->v, i->lambda);
    if (status != 0) {
        say(i, s_discard, "at time %.17g: %s", t, reason(status));
        return s_discard;
    }
    calc_signals(i, t, i->m.x, i->v + nq, i->lambda, i->signal);
    CALL_energy
    i->is_fresh = 1;
    return s_ok;
}

static void begin(Memory *m, int is_cosimulation)
{
    memset(m, 0, sizeof *m);
    strcpy(m->token, fmu_token);
    m->stage = instantiated;
    m->is_cosimulation = is_cosimulation;
    m->tolerance = 1e-6;
    m->is_open = 1;
    for (int k = 0; k < np; ++k) m->p[k] = NAME_parameters[k];
    for (int k = 0; k < nw; ++k) m->w[k] = NAME_inputs[k];
    for (int k = 0; k < nx; ++k) m->x[k] = NAME_start[k];
}

static void forget(Instance *i) { i->is_setup = i->is_fresh = 0; }

/* ---- events ---- */

/* On which side of zero the event functions are: recorded where they changed it in the direction asked for. */
static void note_events(Instance *i, const double *z, double t)
{
    for (int k = 0; k < nz; ++k) {
        const double now = z[k] > 0 ? 1 : z[k] < 0 ? -1 : i->m.side[k] > 0 ? -1 : i->m.side[k];
        if (i->m.side[k] != 0 && now != i->m.side[k] && (event_direction[k] == 0 || event_direction[k] == now)) {
            i->m.count[k] += 1;
            i->m.when[k] = t;
            if (event_stops[k]) i->m.is_over = 1;
        }
        i->m.side[k] = now;
    }
}

/* ---- variables by reference ---- */

static int calc_value(Instance *i, unsigned vr, double *value)
{
    int status = s_ok;
    if (vr >= vr_end) return say(i, s_error, "there is no variable with the reference %u", vr), s_error;
    if (vr == vr_time) *value = i->m.t;
    else if (vr < vr_w) *value = i->m.p[vr - vr_p];
    else if (vr < vr_x) {
        set_up(i);
        calc_inputs(i, i->m.t, i->input);
        *value = i->input[vr - vr_w];
    } else if (vr < vr_d) {
        status = settle(i);
        *value = i->m.x[vr - vr_x];
    } else if (vr >= vr_when) *value = i->m.when[vr - vr_when];
    else if (vr >= vr_count) *value = i->m.count[vr - vr_count];
    else {
        status = refresh(i);
        if (vr >= vr_lambda) *value = i->lambda[vr - vr_lambda];
        else if (vr >= vr_energy) *value = i->energy[vr - vr_energy];
        else if (vr >= vr_y) *value = i->signal[vr - vr_y];
        else *value = i->v[vr - vr_d];
    }
    if (status == s_ok && !is_number(*value)) {
        say(i, s_discard, "at time %.17g the variable with the reference %u is not a finite number", i->m.t, vr);
        return s_discard;
    }
    return status;
}

static int set_value(Instance *i, unsigned vr, double value)
{
    const int at_start = i->m.stage & (instantiated | initializing);
    if (vr >= vr_end) return say(i, s_error, "there is no variable with the reference %u", vr), s_error;
    if (!is_number(value)) return say(i, s_error, "the variable with the reference %u cannot be set to what is not a finite number", vr), s_error;
    if (vr >= vr_p && vr < vr_w) {
        if (!at_start && !(is_tunable && i->m.stage & (event_mode | step_mode)))
            return say(i, s_error, "the parameter with the reference %u cannot be changed at this stage", vr), s_error;
        if (i->m.p[vr - vr_p] == value) return s_ok;
        i->m.p[vr - vr_p] = value;
        i->is_setup = 0;
        if (at_start) i->m.is_open = 1;
    } else if (vr >= vr_w && vr < vr_x && !follows_time[vr - vr_w]) {
        if (i->m.w[vr - vr_w] == value) return s_ok;
        i->m.w[vr - vr_w] = value;
    } else if (vr >= vr_x && vr < vr_d && at_start) {
        i->m.x[vr - vr_x] = value;
        i->m.is_open = 1;
    } else {
        return say(i, s_error, "the variable with the reference %u cannot be set%s", vr, vr >= vr_x && vr < vr_d ? " at this stage" : ""), s_error;
    }
    i->is_fresh = 0;
    i->m.has_step = 0;
    return s_ok;
}

/* ---- directional derivatives ---- */

typedef struct {
    double x[nx + 1], w[nw + 1], p[np + 1];
} Seed;

/* M da + G' dl = -r_x dx - r_w dw, G da = -s_x dx - s_w dw, then the chain rule for outputs and event functions. */
static int calc_exact_derivatives(Instance *i, const Seed *seed, double *dxdot, double *dv)
{
    const double t = i->m.t, *q = i->m.x, *u = i->m.x + nq, *w = i->input, *c = i->c, *udot = i->v + nq, *lambda = i->lambda;
    const double *dq = seed->x, *du = seed->x + nq, *dw = seed->w;
    double da[nu + 1], dl[nm + 1];
    int status = 0;
    (void)t, (void)q, (void)u, (void)w, (void)c, (void)udot, (void)lambda, (void)dq, (void)du, (void)dw, (void)da, (void)dl, (void)dv;
    for (int k = 0; k < nx; ++k) dxdot[k] = 0;
#if MOVES
    {
        double *block = calloc((size_t)(nq*nq + nq*nu + nu*nu + nu*nq + nu*nu + nu*nw + nm*nq + nm*nu + nm*nw + nm*nu + nm + nu + 16), sizeof(double));
        double *qdot_q = block, *qdot_u = qdot_q + nq*nq + 1, *M = qdot_u + nq*nu + 1, *r_q = M + nu*nu + 1, *r_u = r_q + nu*nq + 1;
        double *r_w = r_u + nu*nu + 1, *s_q = r_w + nu*nw + 1, *s_u = s_q + nm*nq + 1, *s_w = s_u + nm*nu + 1, *G = s_w + nm*nw + 1;
        double *gamma = G + nm*nu + 1, *f = gamma + nm + 1;
        if (!block) return say(i, s_error, "no memory is left"), s_error;
        (void)s_q, (void)s_u, (void)s_w, (void)G, (void)gamma, (void)r_w;
        CALL_rate_jacobians
        for (int k = 0; k < nq; ++k) {
            for (int j = 0; j < nq; ++j) dxdot[k] += qdot_q[k*nq + j]*dq[j];
            for (int j = 0; j < nu; ++j) dxdot[k] += qdot_u[k*nu + j]*du[j];
        }
        CALL_dynamics
        CALL_jacobians
        for (int k = 0; k < nu; ++k) {
            da[k] = 0;
            for (int j = 0; j < nq; ++j) da[k] -= r_q[k*nq + j]*dq[j];
            for (int j = 0; j < nu; ++j) da[k] -= r_u[k*nu + j]*du[j];
            for (int j = 0; j < nw; ++j) da[k] -= r_w[k*nw + j]*dw[j];
        }
#if IS_CLOSED
        for (int k = 0; k < nm; ++k) {
            dl[k] = 0;
            for (int j = 0; j < nq; ++j) dl[k] -= s_q[k*nq + j]*dq[j];
            for (int j = 0; j < nu; ++j) dl[k] -= s_u[k*nu + j]*du[j];
            for (int j = 0; j < nw; ++j) dl[k] -= s_w[k*nw + j]*dw[j];
        }
        status = NAME_solve_descriptor(M, G, 1, da, dl);
#else
        for (int k = 0; k < nu; ++k) f[k] = fabs(M[k*nu + k]);
        status = NAME_solve_definite(nu, M, nu, f, 1, da);
#endif
        for (int k = 0; k < nu; ++k) dxdot[nq + k] = da[k];
        free(block);
    }
#endif
#if HAS_SIGNALS
    {
        double *block = calloc((size_t)((ny + nz)*(nq + 2*nu + nw + nm) + 8), sizeof(double));
        double *v_q = block, *v_u = v_q + (ny + nz)*nq + 1, *v_w = v_u + (ny + nz)*nu + 1, *v_udot = v_w + (ny + nz)*nw + 1;
        double *v_lambda = v_udot + (ny + nz)*nu + 1;
        if (!block) return say(i, s_error, "no memory is left"), s_error;
        CALL_signal_jacobians
        for (int k = 0; k < ny + nz; ++k) {
            dv[k] = 0;
            for (int j = 0; j < nq; ++j) dv[k] += v_q[k*nq + j]*dq[j];
            for (int j = 0; j < nu; ++j) dv[k] += v_u[k*nu + j]*du[j] + v_udot[k*nu + j]*da[j];
            for (int j = 0; j < nw; ++j) dv[k] += v_w[k*nw + j]*dw[j];
            for (int j = 0; j < nm; ++j) dv[k] += v_lambda[k*nm + j]*dl[j];
        }
        free(block);
    }
#endif
    if (status != 0 || !are_numbers(nx, dxdot) || !are_numbers(ny + nz, dv)) {
        say(i, s_discard, "at time %.17g there are no derivatives: %s", i->m.t, reason(status ? status : NAME_not_finite));
        return s_discard;
    }
    return s_ok;
}

/* Where parameters change, or a start that has to be closed: central differences of sixth order along the seed. dx: of the states. */
static int calc_difference_derivatives(Instance *i, const Seed *seed, double *dx, double *dxdot, double *dv)
{
    static const double weight[3] = {45.0/60, -9.0/60, 1.0/60};
    Memory *kept = malloc(sizeof *kept);
    double size = 1e-300, scale = 1, h;
    int status = s_ok;
    if (!kept) return say(i, s_error, "no memory is left"), s_error;
    *kept = i->m;
    for (int k = 0; k < nx; ++k) size = fmax(size, fabs(seed->x[k])), scale = fmax(scale, fabs(kept->x[k]));
    for (int k = 0; k < nw; ++k) size = fmax(size, fabs(seed->w[k]));
    for (int k = 0; k < np; ++k) size = fmax(size, fabs(seed->p[k]));
    h = 1e-3*scale/size;
    for (int k = 0; k < np; ++k) {
        if (seed->p[k] != 0 && kept->p[k] != 0) h = fmin(h, 1e-3*fabs(kept->p[k]/seed->p[k]));
    }
    for (int k = 0; k < nx; ++k) dx[k] = dxdot[k] = 0;
    for (int k = 0; k < ny + nz; ++k) dv[k] = 0;
    for (int step = -3; step <= 3 && status == s_ok; ++step) {
        const double a = step == 0 ? 0 : (step < 0 ? -1 : 1)*weight[abs(step) - 1]/h;
        if (step == 0) continue;
        for (int k = 0; k < nx; ++k) i->m.x[k] = kept->x[k] + step*h*seed->x[k];
        for (int k = 0; k < nw; ++k) i->m.w[k] = kept->w[k] + step*h*seed->w[k];
        for (int k = 0; k < np; ++k) i->m.p[k] = kept->p[k] + step*h*seed->p[k];
        i->m.is_open = kept->stage == initializing;
        forget(i);
        status = refresh(i);
        for (int k = 0; k < nx; ++k) dx[k] += a*i->m.x[k], dxdot[k] += a*i->v[k];
        for (int k = 0; k < ny + nz; ++k) dv[k] += a*i->signal[k];
    }
    i->m = *kept;
    forget(i);
    free(kept);
    return status;
}

static int calc_directional(Instance *i, const unsigned *unknown, size_t unknowns, const unsigned *known, size_t knowns, const double *seeds, double *result)
{
    Seed seed;
    double dx[nx + 1], dxdot[nx + 1], dv[ny + nz + 1];
    int by_differences = IS_CLOSED && i->m.stage == initializing, status;
    memset(&seed, 0, sizeof seed);
    for (size_t k = 0; k < knowns; ++k) {
        const unsigned vr = known[k];
        if (!is_number(seeds[k])) return say(i, s_error, "a seed is not a finite number"), s_error;
        if (vr >= vr_x && vr < vr_d) seed.x[vr - vr_x] += seeds[k];
        else if (vr >= vr_w && vr < vr_x && !follows_time[vr - vr_w]) seed.w[vr - vr_w] += seeds[k];
        else if (vr >= vr_p && vr < vr_w) seed.p[vr - vr_p] += seeds[k], by_differences = 1;
        else return say(i, s_error, "the variable with the reference %u is no known of derivatives", vr), s_error;
    }
    for (size_t k = 0; k < unknowns; ++k) {
        if (unknown[k] < vr_x || unknown[k] >= vr_energy)
            return say(i, s_error, "the variable with the reference %u is no unknown of derivatives", unknown[k]), s_error;
    }
    status = refresh(i);
    if (status != s_ok) return status;
    for (int k = 0; k < nx; ++k) dx[k] = seed.x[k];
    status = by_differences ? calc_difference_derivatives(i, &seed, dx, dxdot, dv) : calc_exact_derivatives(i, &seed, dxdot, dv);
    if (status != s_ok) return status;
    for (size_t k = 0; k < unknowns; ++k) {
        const unsigned vr = unknown[k];
        result[k] = vr < vr_d ? dx[vr - vr_x] : vr < vr_y ? dxdot[vr - vr_d] : dv[vr - vr_y];
    }
    return s_ok;
}
)runtime";

}  // namespace linkwright::codegen::fmu
