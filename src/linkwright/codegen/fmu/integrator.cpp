#include "linkwright/codegen/fmu/runtime.hpp"

namespace linkwright::codegen::fmu {

const char* const integrator_text = R"runtime(
/* ---- co-simulation ----

   Dormand and Prince's pair of orders 5(4) with its interpolant of order 4; where steps become short for stability's sake, Radau IIA of order 5
   from then on, with the exact Jacobian. After every accepted step the state is brought back to the constraints. Steps go beyond
   the communication point where nothing changes there, and the interpolant answers; Radau's steps end at it. */

/* Weighted by the tolerances: below 1 is good enough. */
static double error_norm(const Memory *m, const double *error, const double *y0, const double *y1)
{
    double sum = 0;
    for (int k = 0; k < nx; ++k) {
        const double size = fmax(fabs(y0[k]), fabs(y1[k])), scaled = error[k]/(m->tolerance*(0.01 + size));
        sum += scaled*scaled;
    }
    return nx > 0 ? sqrt(sum/nx) : 0;
}

static void interpolate(const Memory *m, double t, double *x)
{
    const double s = m->t1 > m->t0 ? (t - m->t0)/(m->t1 - m->t0) : 1, r = 1 - s;
    for (int k = 0; k < nx; ++k)
        x[k] = m->dense[0][k] + s*(m->dense[1][k] + r*(m->dense[2][k] + s*(m->dense[3][k] + r*m->dense[4][k])));
}

/* The state at the end of the last step. */
static void end_of_step(const Memory *m, double *y)
{
    for (int k = 0; k < nx; ++k) y[k] = m->dense[0][k] + m->dense[1][k];
}

/* A first step without a past: a point, and how far one may go [hairer93 II.4]. */
static int begin_steps(Instance *i)
{
    Memory *m = &i->m;
    double lambda[nm + 1], zero[nx + 1], size, speed;
    memset(m->dense, 0, sizeof m->dense);
    memset(zero, 0, sizeof zero);
    for (int k = 0; k < nx; ++k) m->dense[0][k] = m->x[k];
    m->t0 = m->t1 = m->seen = m->t;
    if (calc_rates(i, m->t, m->x, m->k1, lambda)) return 1;
    size = error_norm(m, m->x, m->x, zero);
    speed = error_norm(m, m->k1, m->x, zero);
    m->next = size > 1e-5 && speed > 1e-5 ? 0.01*size/speed : 1e-6;
    m->next = fmin(m->next, i->peak_step);
    m->has_step = 1;
    return 0;
}

/* A step that passed: closed, and kept with the polynomial of the method. 0: it cannot be closed, or has no rates. */
static int accept(Instance *i, double t0, double h, double *y1, double *k1)
{
#if HAS_CONSTRAINTS
    double lambda[nm + 1];
    if (close_up(i, t0 + h, y1, 0) || calc_rates(i, t0 + h, y1, k1, lambda)) return 0;
#else
    (void)i, (void)t0, (void)h, (void)y1, (void)k1;
#endif
    return 1;
}

static void weigh(const double *y, double h, const double k[][nx + 1], const double *a, int stages, double *to)
{
    for (int j = 0; j < nx; ++j) {
        double sum = 0;
        for (int s = 0; s < stages; ++s) sum += a[s]*k[s][j];
        to[j] = y[j] + h*sum;
    }
}

/* One trial of Dormand and Prince [hairer93 II.5, II.6]: its error in units of the tolerance; huge where there are no rates. */
static double try_explicit(Instance *i, double h, double *y1, double k[7][nx + 1], double *stability)
{
    static const double c[7] = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1, 1};
    static const double a[6][6] = {
        {1.0/5},
        {3.0/40, 9.0/40},
        {44.0/45, -56.0/15, 32.0/9},
        {19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729},
        {9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656},
        {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84}};
    static const double e[7] = {71.0/57600, 0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525, -1.0/40};
    Memory *m = &i->m;
    double y0[nx + 1], y[nx + 1], error[nx + 1], zero[nx + 1], lambda[nm + 1], above = 0, below = 0;
    end_of_step(m, y0);
    memcpy(k[0], m->k1, sizeof m->k1);
    memset(y, 0, sizeof y);
    memset(zero, 0, sizeof zero);
    for (int s = 1; s < 7; ++s) {
        if (s == 6) memcpy(error, y, sizeof y);
        weigh(y0, h, (const double(*)[nx + 1])k, a[s - 1], s, y);
        if (!are_numbers(nx, y) || calc_rates(i, m->t1 + c[s]*h, y, k[s], lambda)) return HUGE_VAL;
    }
    for (int j = 0; j < nx; ++j) {
        above += (k[6][j] - k[5][j])*(k[6][j] - k[5][j]);
        below += (y[j] - error[j])*(y[j] - error[j]);
        y1[j] = y[j];
    }
    *stability = below > 0 ? h*sqrt(above/below) : 0;
    weigh(zero, h, (const double(*)[nx + 1])k, e, 7, error);
    return error_norm(m, error, y0, y1);
}

static void keep_explicit(Memory *m, double h, const double *y0, const double *y1, double k[7][nx + 1], const double *k1)
{
    static const double d[7] = {-12715105075.0/11282082432, 0, 87487479700.0/32700410799, -10690763975.0/1880347072,
        701980252875.0/199316789632, -1453857185.0/822651844, 69997945.0/29380423};
    for (int j = 0; j < nx; ++j) {
        const double difference = y1[j] - y0[j], slope = h*k[0][j] - difference;
        double last = 0;
        for (int s = 0; s < 7; ++s) last += d[s]*k[s][j];
        m->dense[0][j] = y0[j];
        m->dense[1][j] = difference;
        m->dense[2][j] = slope;
        m->dense[3][j] = difference - h*k1[j] - slope;
        m->dense[4][j] = h*last;
    }
}

#if MOVES
/* A := L U with pivots, n x n; 1 when it is singular. */
static int factor(int n, double *A, int *pivot)
{
    for (int j = 0; j < n; ++j) {
        int best = j;
        for (int k = j + 1; k < n; ++k) best = fabs(A[k*n + j]) > fabs(A[best*n + j]) ? k : best;
        pivot[j] = best;
        if (!(fabs(A[best*n + j]) > 0)) return 1;
        for (int k = 0; k < n && best != j; ++k) {
            const double a = A[j*n + k];
            A[j*n + k] = A[best*n + k];
            A[best*n + k] = a;
        }
        for (int k = j + 1; k < n; ++k) {
            const double l = A[k*n + j] /= A[j*n + j];
            for (int s = j + 1; s < n && l != 0; ++s) A[k*n + s] -= l*A[j*n + s];
        }
    }
    return 0;
}

static void solve(int n, const double *A, const int *pivot, double *b)
{
    for (int j = 0; j < n; ++j) {
        const double x = b[pivot[j]];
        b[pivot[j]] = b[j];
        b[j] = x;
    }
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k) b[j] -= A[j*n + k]*b[k];
    }
    for (int j = n - 1; j >= 0; --j) {
        for (int k = j + 1; k < n; ++k) b[j] -= A[j*n + k]*b[k];
        b[j] /= A[j*n + j];
    }
}

/* One trial of Radau IIA, three stages [hairer96 IV.8]: Z = h (A x 1) F(y0 + Z) by Newton's method with one Jacobian. As above;
   z gets the stages. */
static double try_implicit(Instance *i, double h, double *y1, double z[3][nx + 1])
{
    const double r = sqrt(6.0), gamma = 30/(6 + cbrt(81.0) - cbrt(9.0));
    const double c[3] = {(4 - r)/10, (4 + r)/10, 1};
    const double a[3][3] = {{(88 - 7*r)/360, (296 - 169*r)/1800, (-2 + 3*r)/225},
        {(296 + 169*r)/1800, (88 + 7*r)/360, (-2 - 3*r)/225}, {(16 - r)/36, (16 + r)/36, 1.0/9}};
    const double e[3] = {-(13 + 7*r)/3, (-13 + 7*r)/3, -1.0/3};
    enum { n = nx, n3 = 3*nx };
    Memory *m = &i->m;
    double *J = calloc((size_t)(2*n*n + n*nw + n3*n3 + 1), sizeof(double)), *E = J + n*n, *B = E + n*n, *N = B + n*nw;
    double y0[nx + 1], y[nx + 1], f[3][nx + 1], right[n3 + 1], error[nx + 1], w[nw + 1], lambda[nm + 1], last = HUGE_VAL, result = HUGE_VAL;
    int pivot[n3 + 1], order[nx + 1];
    if (!J) return HUGE_VAL;
    end_of_step(m, y0);
    calc_inputs(i, m->t1, w);
    if (NAME_rhs_jacobian(m->t1, y0, w, i->c, J, B) == NAME_not_finite) goto end;
    for (int s = 0; s < 3; ++s) {
        for (int l = 0; l < 3; ++l) {
            for (int j = 0; j < n; ++j) {
                for (int k = 0; k < n; ++k) N[(s*n + j)*n3 + l*n + k] = (s == l && j == k) - h*a[s][l]*J[j*n + k];
            }
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) E[j*n + k] = (j == k)*gamma/h - J[j*n + k];
    }
    if (factor(n3, N, pivot) || factor(n, E, order)) goto end;
    memset(z, 0, 3*sizeof *z);
    for (int turn = 0;; ++turn) {
        double change = 0;
        for (int s = 0; s < 3; ++s) {
            for (int j = 0; j < n; ++j) y[j] = y0[j] + z[s][j];
            if (!are_numbers(n, y) || calc_rates(i, m->t1 + c[s]*h, y, f[s], lambda)) goto end;
        }
        for (int s = 0; s < 3; ++s) {
            for (int j = 0; j < n; ++j) right[s*n + j] = -z[s][j] + h*(a[s][0]*f[0][j] + a[s][1]*f[1][j] + a[s][2]*f[2][j]);
        }
        solve(n3, N, pivot, right);
        for (int s = 0; s < 3; ++s) {
            change = fmax(change, error_norm(m, right + s*n, y0, y0));
            for (int j = 0; j < n; ++j) z[s][j] += right[s*n + j];
        }
        if (change < 1e-3) break;
        if (!(change < 0.9*last) || turn == 12) goto end;
        last = change;
    }
    for (int j = 0; j < n; ++j) {
        y1[j] = y0[j] + z[2][j];
        error[j] = m->k1[j] + (e[0]*z[0][j] + e[1]*z[1][j] + e[2]*z[2][j])/h;
    }
    solve(n, E, order, error);
    result = error_norm(m, error, y0, y1);
    if (result >= 1) {
        for (int j = 0; j < n; ++j) y[j] = y0[j] + error[j];
        if (!calc_rates(i, m->t1, y, f[0], lambda)) {
            for (int j = 0; j < n; ++j) error[j] = f[0][j] + (e[0]*z[0][j] + e[1]*z[1][j] + e[2]*z[2][j])/h;
            solve(n, E, order, error);
            result = error_norm(m, error, y0, y1);
        }
    }
    if (!are_numbers(n, y1) || calc_rates(i, m->t1 + h, y1, f[0], lambda)) result = HUGE_VAL;
end:
    free(J);
    return is_number(result) ? result : HUGE_VAL;
}

/* The collocation polynomial through y0, y0 + z1, y0 + z2 and y1. */
static void keep_implicit(Memory *m, const double *y0, const double *y1, double z[3][nx + 1])
{
    const double c1 = (4 - sqrt(6.0))/10, c2 = (4 + sqrt(6.0))/10;
    for (int j = 0; j < nx; ++j) {
        const double d = y1[j] - y0[j], a1 = (z[0][j]/c1 - d)/(1 - c1), a2 = (z[1][j]/c2 - d)/(1 - c2);
        m->dense[0][j] = y0[j];
        m->dense[1][j] = d;
        m->dense[3][j] = (a2 - a1)/(c2 - c1);
        m->dense[2][j] = a1 - c1*m->dense[3][j];
        m->dense[4][j] = 0;
    }
}
#endif

/* One accepted step from t1 on, beyond `end` by no means if it is given. 0 when there is one. */
static int take_step(Instance *i, double target)
{
    Memory *m = &i->m;
#if MOVES
    double k[7][nx + 1], z[3][nx + 1], y0[nx + 1], y1[nx + 1], k1[nx + 1], lambda[nm + 1];
    int was_rejected = 0;
    end_of_step(m, y0);
    for (;;) {
        const double limit = fmin(m->is_stiff ? target : m->has_stop && m->stop > target ? m->stop : m->has_stop ? target : HUGE_VAL, i->wall);
        const double t0 = m->t1;
        double h = fmin(m->next, i->peak_step), stability = 0, error, grow;
        int is_last = 0;
        if (t0 + 1.01*h >= limit) h = limit - t0, is_last = 1;
        if (!(h > 4*DBL_EPSILON*fmax(fabs(t0), 1e-300)) && !is_last) return 1;
        error = m->is_stiff ? try_implicit(i, h, y1, z) : try_explicit(i, h, y1, k, &stability);
        if (error <= 1) {
            memcpy(k1, k[6], sizeof k1);
            if (m->is_stiff && calc_rates(i, t0 + h, y1, k1, lambda)) error = HUGE_VAL;
            else if (!accept(i, t0, h, y1, k1)) error = HUGE_VAL;
        }
        grow = !(error < HUGE_VAL) ? 0.25 : error > 0 ? 0.9*pow(error, m->is_stiff ? -0.25 : -0.2) : 8;
        grow = fmin(was_rejected ? 1 : 8, fmax(0.2, grow));
        if (!(error <= 1)) {
            m->next = h*fmin(grow, 0.9);
            was_rejected = 1;
            continue;
        }
        if (m->is_stiff) keep_implicit(m, y0, y1, z);
        else keep_explicit(m, h, y0, y1, k, k1);
        memcpy(m->k1, k1, sizeof k1);
        m->t0 = t0;
        m->t1 = is_last ? limit : t0 + h;
        if (!is_last || h*grow < m->next) m->next = h*grow;
        m->doubts = stability > 3.25 ? m->doubts + 1 : m->doubts > 0 ? m->doubts - 1 : 0;
        if (m->doubts > 15) m->is_stiff = 1;
        return 0;
    }
#else
    m->t0 = m->t1;
    m->t1 = target;
    return 0;
#endif
}

#if HAS_EVENTS
static void signals_within(Instance *i, double t, double *v)
{
    double x[nx + 1];
    interpolate(&i->m, t, x);
    calc_signals(i, t, x, i->v + nq, i->lambda, v);
}

/* Is any event function at another side of zero than it was? */
static int is_across(const Memory *m, const double *z)
{
    for (int k = 0; k < nz; ++k) {
        if (m->side[k] > 0 ? z[k] <= 0 : m->side[k] < 0 && z[k] > 0) return 1;
    }
    return 0;
}
#endif

/* Crossings between `from` and `to`, which lie in the last step, one after the other; where one ends the motion, that is the time
   returned. */
static double watch(Instance *i, double from, double to)
{
#if HAS_EVENTS
    const double step = i->m.t1 - i->m.t0;
    const int pieces = 1 + (int)ceil(8*(step > 0 ? (to - from)/step : 0));
    double v[ny + nz + 1];
    for (int piece = 0; piece < pieces; ++piece) {
        double a = from + (to - from)*piece/pieces;
        const double b = piece + 1 == pieces ? to : from + (to - from)*(piece + 1)/pieces;
        for (int found = 0; found < 100; ++found) {
            double low = a, high = b;
            signals_within(i, b, v);
            if (!is_across(&i->m, v + ny)) break;
            while (high - low > 2*DBL_EPSILON*fabs(high) && low < 0.5*(low + high) && 0.5*(low + high) < high) {
                const double middle = 0.5*(low + high);
                signals_within(i, middle, v);
                if (is_across(&i->m, v + ny)) high = middle;
                else low = middle;
            }
            signals_within(i, high, v);
            note_events(i, v + ny, high);
            if (i->m.is_over) return high;
            a = high;
        }
        signals_within(i, b, v);
        note_events(i, v + ny, b);
    }
#else
    (void)i, (void)from;
#endif
    return to;
}

/* To `target`, or as far as it goes: s_ok, or s_discard with a message. i->m.t and i->m.x say where it got to. */
static int advance_smoothly(Instance *i, double target, double wall)
{
    Memory *m = &i->m;
    int status = s_ok;
    set_up(i);
    i->wall = wall;
    i->peak_step = HUGE_VAL;
#if USES_TIME
    if (target > m->t) i->peak_step = target - m->t;
    if (m->has_stop && m->stop > m->start) i->peak_step = fmin(i->peak_step, (m->stop - m->start)/100);
#endif
    if (!m->has_step && begin_steps(i)) {
        say(i, s_discard, "at time %.17g there are no rates", m->t);
        return s_discard;
    }
    for (long steps = 0;; ++steps) {
        const double end = fmin(m->t1, target);
        double at = end;
        if (end > m->seen) at = watch(i, m->seen, end);
        m->seen = at;
        if (m->is_over || m->t1 >= target) {
            target = at;
            break;
        }
        if (steps == 10000000 || take_step(i, target)) {
            say(i, s_discard, "the integrator cannot get beyond time %.17g", m->t1);
            target = m->t1;
            status = s_discard;
            break;
        }
    }
    m->t = target;
    interpolate(m, target, m->x);
    i->is_fresh = 0;
    return status;
}

/* The same from sample to sample: no step goes over one. */
static int advance(Instance *i, double target)
{
#if HAS_SAMPLES
    for (;;) {
        double due, end;
        int status, is_changed;
        if (discretise(i) != s_ok) return s_error;
        count_samples(i, 0);
        due = next_sample(i);
        if (!(target - i->m.t < 1e7*slack(i)/short_time))
            return say(i, s_discard, "more than 1e7 samples are needed to get to time %.17g", target), s_discard;
        if (!(due <= target + slack(i))) return advance_smoothly(i, target, due);
        end = due < target - slack(i) ? fmax(due, i->m.t) : target;
        status = advance_smoothly(i, end, end);
        if (status != s_ok || i->m.is_over) return status;
        status = sample(i, &is_changed);
        if (status != s_ok || i->m.t >= target) return status;
    }
#else
    return advance_smoothly(i, target, HUGE_VAL);
#endif
}
)runtime";

}  // namespace linkwright::codegen::fmu
