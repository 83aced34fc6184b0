#include "linkwright/codegen/fmu/runtime.hpp"

namespace linkwright::codegen::fmu {

const char* const sampling_text = R"runtime(
/* ---- filters with a period ---- */

#if HAS_SAMPLES
static const double short_time = 1e-9;  /* in periods */

/* Numbers of all filters at t and x: period, D, B, A, input of each. */
static void calc_sampling(Instance *i, double t, const double *x, double *numbers)
{
    double w[nw + 1];
    const double *q = x, *u = x + nq, *c = i->c;
    (void)q, (void)u, (void)c, (void)t;
    for (int k = 0; k < sample_numbers; ++k) numbers[k] = 0;
    calc_inputs(i, t, w);
    CALL_sampling
}

static void multiply(int n, const double *a, const double *b, double factor, double *to)
{
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += a[r*n + k]*b[k*n + s];
            to[r*n + s] = factor*sum;
        }
    }
}

enum { square = (sample_most + 1)*(sample_most + 1) };

/* M becomes its exponential: a series for a small part of M, squared again and again. */
static void exponential(int n, double *M)
{
    double power[square], sum[square], next[square], size = 0;
    int squarings = 0;
    for (int r = 0; r < n; ++r) {
        double row = 0;
        for (int s = 0; s < n; ++s) row += fabs(M[r*n + s]);
        size = fmax(size, row);
    }
    while (size > 0.5 && squarings < 1100) size /= 2, ++squarings;
    for (int k = 0; k < n*n; ++k) M[k] = ldexp(M[k], -squarings);
    for (int k = 0; k < n*n; ++k) power[k] = sum[k] = k % (n + 1) == 0;
    for (int term = 1; term <= 18; ++term) {
        multiply(n, power, M, 1.0/term, next);
        memcpy(power, next, sizeof next);
        for (int k = 0; k < n*n; ++k) sum[k] += power[k];
    }
    for (; squarings > 0; --squarings) {
        multiply(n, sum, sum, 1, next);
        memcpy(sum, next, sizeof next);
    }
    memcpy(M, sum, (size_t)(n*n)*sizeof *M);
}

/* P = 1/M by elimination with pivots; what has no inverse gives what is no number. */
static void invert(int n, double *M, double *P)
{
    for (int k = 0; k < n*n; ++k) P[k] = k % (n + 1) == 0;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int r = k + 1; r < n; ++r) {
            if (fabs(M[r*n + k]) > fabs(M[best*n + k])) best = r;
        }
        for (int s = 0; s < n; ++s) {
            const double a = M[k*n + s], b = P[k*n + s];
            M[k*n + s] = M[best*n + s], P[k*n + s] = P[best*n + s];
            M[best*n + s] = a, P[best*n + s] = b;
        }
        const double pivot = M[k*n + k];
        for (int s = 0; s < n; ++s) M[k*n + s] /= pivot, P[k*n + s] /= pivot;
        for (int r = 0; r < n; ++r) {
            const double share = M[r*n + k];
            if (r == k) continue;
            for (int s = 0; s < n; ++s) M[r*n + s] -= share*M[k*n + s], P[r*n + s] -= share*P[k*n + s];
        }
    }
}

/* From the continuous filters to what goes from sample to sample: y = C x + D u, then x = A x + B u. */
static int discretise(Instance *i)
{
    double numbers[sample_numbers];
    set_up(i);
    if (i->is_discrete) return s_ok;
    calc_sampling(i, i->m.t, i->m.x, numbers);
    for (int k = 0; k < ns; ++k) {
        const int n = sample_size[k], wide = n + 1;
        const double *of = numbers + sample_at[k], T = of[0], *b = of + 2, *a = b + n;
        double *A = i->A[k], *B = i->B[k], *C = i->C[k], M[square], P[square];
        i->period[k] = T;
        i->D[k] = of[1];
        if (!(T > 0) || !is_number(T)) return say(i, s_error, "the period of the filter '%s' is not a positive number", sample_name[k]), s_error;
        if (sample_is_tustin[k]) {
            double change = 0;
            for (int r = 0; r < n*n; ++r) M[r] = (r % (n + 1) == 0) - T/2*a[r];
            invert(n, M, P);
            for (int r = 0; r < n*n; ++r) M[r] = (r % (n + 1) == 0) + T/2*a[r];
            multiply(n, P, M, 1, A);
            for (int r = 0; r < n; ++r) {
                B[r] = 0;
                for (int s = 0; s < n; ++s) B[r] += T*P[r*n + s]*b[s];
                C[r] = P[r];
            }
            if (n > 0) change = B[0]/2;
            i->D[k] += change;
        } else {
            for (int r = 0; r < wide*wide; ++r) M[r] = 0;
            for (int r = 0; r < n; ++r) {
                for (int s = 0; s < n; ++s) M[r*wide + s] = T*a[r*n + s];
                M[r*wide + n] = T*b[r];
            }
            exponential(wide, M);
            for (int r = 0; r < n; ++r) {
                for (int s = 0; s < n; ++s) A[r*n + s] = M[r*wide + s];
                B[r] = M[r*wide + n];
                C[r] = r == 0;
            }
        }
        if (!are_numbers((size_t)(n*n), A) || !are_numbers((size_t)n, B) || !are_numbers((size_t)n, C) || !is_number(i->D[k]))
            return say(i, s_error, "the filter '%s' cannot be sampled with a period of %.17g", sample_name[k], T), s_error;
    }
    i->is_discrete = 1;
    return s_ok;
}

/* Which samples are next: at the start what is due there; where a period has changed since, the first one after now. */
static void count_samples(Instance *i, int at_start)
{
    Memory *m = &i->m;
    for (int k = 0; k < ns; ++k) {
        const double passed = m->t/i->period[k];
        if (!at_start && m->period[k] == i->period[k]) continue;
        m->number[k] = at_start ? ceil(passed - short_time) : floor(passed + short_time) + 1;
        m->period[k] = i->period[k];
    }
}

/* When the next one is due. */
static double next_sample(const Instance *i)
{
    double t = HUGE_VAL;
    for (int k = 0; k < ns; ++k) t = fmin(t, i->m.number[k]*i->period[k]);
    return t;
}

/* What is not longer than this is no time. */
static double slack(const Instance *i)
{
    double shortest = HUGE_VAL;
    for (int k = 0; k < ns; ++k) shortest = fmin(shortest, i->period[k]);
    return short_time*shortest;
}

/* All filters that are due at the present time sample. Were there any? */
static int take_samples(Instance *i)
{
    Memory *m = &i->m;
    double numbers[sample_numbers], before[ns], y, x[sample_most + 1];
    const double until = m->t + slack(i);
    int due[ns], any = 0, is_heard = 0;
    for (int k = 0; k < ns; ++k) due[k] = m->number[k]*i->period[k] <= until, any |= due[k];
    if (!any) return 0;
    /* First what does not wait for its input; then the others, each after those it hears of: after as many rounds as there are, all have. */
    for (int k = 0; k < ns; ++k) {
        before[k] = 0;
        for (int r = 0; r < sample_size[k]; ++r) before[k] += i->C[k][r]*m->x[sample_state[sample_first[k] + r]];
        if (due[k]) m->x[sample_held[k]] = before[k];
    }
    for (int round = 0; round < ns && !is_heard; ++round) {
        calc_sampling(i, m->t, m->x, numbers);
        is_heard = 1;
        for (int k = 0; k < ns; ++k) {
            if (!due[k] || i->D[k] == 0) continue;
            y = before[k] + i->D[k]*numbers[sample_at[k] + 2 + sample_size[k] + sample_size[k]*sample_size[k]];
            if (y != m->x[sample_held[k]]) is_heard = 0;
            m->x[sample_held[k]] = y;
        }
    }
    calc_sampling(i, m->t, m->x, numbers);
    for (int k = 0; k < ns; ++k) {
        const int n = sample_size[k], *state = sample_state + sample_first[k];
        const double input = numbers[sample_at[k] + 2 + n + n*n];
        if (!due[k]) continue;
        for (int r = 0; r < n; ++r) {
            x[r] = i->B[k][r]*input;
            for (int s = 0; s < n; ++s) x[r] += i->A[k][r*n + s]*m->x[state[s]];
        }
        for (int r = 0; r < n; ++r) m->x[state[r]] = x[r];
        m->number[k] += 1;
        if (m->number[k]*i->period[k] <= until) m->number[k] = floor(m->t/i->period[k] + short_time) + 1;  /* some were missed */
    }
    i->is_fresh = 0;
    m->has_step = 0;
    return 1;
}

/* On which side of zero event functions are where they have jumped: nothing is recorded. */
static void take_sides(Instance *i, const double *z)
{
    for (int k = 0; k < nz; ++k) i->m.side[k] = z[k] > 0 ? 1 : z[k] < 0 ? -1 : 0;
}

/* Samples that are due, and on which side event functions are then. */
static int sample(Instance *i, int *is_changed)
{
    int status;
    if (discretise(i) != s_ok) return s_error;
    count_samples(i, 0);
    if (!take_samples(i)) return s_ok;
    *is_changed = 1;
    status = refresh(i);
    if (status == s_ok) take_sides(i, i->signal + ny);
    return status;
}
#endif

/* When the importer has to come back; 0: no time is wanted. */
static int calc_next_event(const Instance *i, double *t)
{
#if HAS_SAMPLES
    *t = next_sample(i);
    return is_number(*t);
#else
    (void)i;
    *t = 0;
    return 0;
#endif
}
)runtime";

}  // namespace linkwright::codegen::fmu
