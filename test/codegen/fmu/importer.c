/* A small importer of FMUs, written from the published standard: loads a library, drives it as FMI 2.0 or 3.0 has it, and prints numbers.

       importer LIBRARY VERSION TOKEN NX NZ END ROWS STEP REFERENCES KNOWNS UNKNOWNS WHAT

   REFERENCES, KNOWNS, UNKNOWNS: value references with commas. WHAT is any of these words with commas:
     me      model exchange: Runge and Kutta's classical method with steps of STEP, events found by bisection; a line "me t values…" for each row
     cs      co-simulation by the FMU's own integrator; lines "cs …"
     linear  near the end of a motion: "slope UNKNOWN KNOWN by-differences directional" for every pair
     state   saves, goes on, restores, goes on again: both ways must agree to the last bit
     misuse  calls out of order, null pointers, numbers that are none: every answer must be an error */
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ok = 0, discard = 2, error = 3, most = 512 };

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks;

typedef struct {
    int again, terminate, nominals, values, has_next;
    double next;
} EventInfo;

static void *library;
static int version, messages;
static size_t nx, nz;
static const char *token;
static double tolerance = 1e-10;
static double next_event = HUGE_VAL;  /* the time event that the FMU asked for last */

static void log2_(void *e, const char *name, int status, const char *category, const char *message, ...)
{
    (void)e, (void)name, (void)category;
    ++messages;
    if (status < 0 || getenv("SHOW")) fprintf(stderr, "%d %s\n", status, message);
}

static void log3(void *e, int status, const char *category, const char *message) { log2_(e, "", status, category, message); }

static const Callbacks callbacks = {log2_, calloc, free, NULL, NULL};

/* The function NAME of this version: fmi2NAME or fmi3NAME. */
static void *find(const char *name)
{
    char full[80];
    void *f;
    snprintf(full, sizeof full, "fmi%d%s", version, name);
    f = dlsym(library, full);
    if (!f) {
        fprintf(stderr, "no function %s\n", full);
        exit(2);
    }
    return f;
}
#define CALL(result, name, types) ((result(*) types)find(name))

static void *instantiate(const char *name, const char *with, int is_cs)
{
    if (version == 2)
        return CALL(void *, "Instantiate", (const char *, int, const char *, const char *, const Callbacks *, int, int))(name, is_cs, with, "", &callbacks, 0, 0);
    if (is_cs)
        return CALL(void *, "InstantiateCoSimulation", (const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *, void (*)(void *, int, const char *, const char *), void *))(
            name, with, "", false, false, false, false, NULL, 0, NULL, log3, NULL);
    return CALL(void *, "InstantiateModelExchange", (const char *, const char *, const char *, bool, bool, void *, void (*)(void *, int, const char *, const char *)))(
        name, with, "", false, false, NULL, log3);
}

static void release(void *c) { CALL(void, "FreeInstance", (void *))(c); }
static int simple(void *c, const char *name) { return CALL(int, name, (void *))(c); }

static int enter_initialization(void *c, double stop)
{
    if (version == 3) return CALL(int, "EnterInitializationMode", (void *, bool, double, double, bool, double))(c, true, tolerance, 0, true, stop);
    int status = CALL(int, "SetupExperiment", (void *, int, double, double, int, double))(c, 1, tolerance, 0, 1, stop);
    return status ? status : simple(c, "EnterInitializationMode");
}

static int get(void *c, const unsigned *vr, size_t n, double *v)
{
    if (version == 2) return CALL(int, "GetReal", (void *, const unsigned *, size_t, double *))(c, vr, n, v);
    return CALL(int, "GetFloat64", (void *, const unsigned *, size_t, double *, size_t))(c, vr, n, v, n);
}

static int set(void *c, const unsigned *vr, size_t n, const double *v)
{
    if (version == 2) return CALL(int, "SetReal", (void *, const unsigned *, size_t, const double *))(c, vr, n, v);
    return CALL(int, "SetFloat64", (void *, const unsigned *, size_t, const double *, size_t))(c, vr, n, v, n);
}

static int vector(void *c, const char *name, double *v, size_t n) { return CALL(int, name, (void *, double *, size_t))(c, v, n); }
static const char *rates_name(void) { return version == 2 ? "GetDerivatives" : "GetContinuousStateDerivatives"; }

static int directional(void *c, unsigned unknown, unsigned known, double seed, double *result)
{
    if (version == 2)
        return CALL(int, "GetDirectionalDerivative", (void *, const unsigned *, size_t, const unsigned *, size_t, const double *, double *))(c, &unknown, 1, &known, 1, &seed, result);
    return CALL(int, "GetDirectionalDerivative", (void *, const unsigned *, size_t, const unsigned *, size_t, const double *, size_t, double *, size_t))(c, &unknown, 1, &known, 1, &seed, 1, result, 1);
}

/* Event iteration: 1 to end the simulation, -1 for trouble. */
static int new_discrete_states(void *c)
{
    EventInfo info = {1, 0, 0, 0, 0, 0};
    for (int turn = 0; info.again && turn < 10; ++turn) {
        if (version == 2) {
            if (CALL(int, "NewDiscreteStates", (void *, EventInfo *))(c, &info)) return -1;
        } else {
            bool again, terminate, nominals, values, has_next;
            double next;
            if (CALL(int, "UpdateDiscreteStates", (void *, bool *, bool *, bool *, bool *, bool *, double *))(c, &again, &terminate, &nominals, &values, &has_next, &next)) return -1;
            info.again = again, info.terminate = terminate, info.has_next = has_next, info.next = next;
        }
    }
    next_event = info.has_next ? info.next : HUGE_VAL;
    return info.terminate ? 1 : 0;
}

static int completed(void *c, int *event)
{
    if (version == 2) {
        int terminate;
        return CALL(int, "CompletedIntegratorStep", (void *, int, int *, int *))(c, 1, event, &terminate);
    }
    bool enter, terminate;
    int status = CALL(int, "CompletedIntegratorStep", (void *, bool, bool *, bool *))(c, true, &enter, &terminate);
    *event = enter;
    return status;
}

static void check(int status, const char *what)
{
    if (status == ok) return;
    fprintf(stderr, "%s returned %d\n", what, status);
    exit(3);
}

static size_t read_list(const char *text, unsigned *list)
{
    size_t n = 0;
    while (*text && n < most) {
        char *end;
        list[n++] = (unsigned)strtoul(text, &end, 10);
        text = *end ? end + 1 : end;
    }
    return n;
}

static void print_row(const char *word, void *c, double t, const unsigned *vr, size_t n)
{
    double v[most];
    check(get(c, vr, n, v), "get");
    printf("%s %.17g", word, t);
    for (size_t k = 0; k < n; ++k) printf(" %.17g", v[k]);
    printf("\n");
}

/* ---- model exchange ---- */

static void rates(void *c, double t, const double *x, double *v)
{
    check(CALL(int, "SetTime", (void *, double))(c, t), "SetTime");
    check(CALL(int, "SetContinuousStates", (void *, const double *, size_t))(c, x, nx), "SetContinuousStates");
    check(vector(c, rates_name(), v, nx), "derivatives");
}

static void runge_kutta(void *c, double t, const double *x, double h, double *to)
{
    double a[most], b[most], d[most], e[most], y[most];
    rates(c, t, x, a);
    for (size_t k = 0; k < nx; ++k) y[k] = x[k] + h/2*a[k];
    rates(c, t + h/2, y, b);
    for (size_t k = 0; k < nx; ++k) y[k] = x[k] + h/2*b[k];
    rates(c, t + h/2, y, d);
    for (size_t k = 0; k < nx; ++k) y[k] = x[k] + h*d[k];
    rates(c, t + h, y, e);
    for (size_t k = 0; k < nx; ++k) to[k] = x[k] + h/6*(a[k] + 2*b[k] + 2*d[k] + e[k]);
    check(CALL(int, "SetTime", (void *, double))(c, t + h), "SetTime");
    check(CALL(int, "SetContinuousStates", (void *, const double *, size_t))(c, to, nx), "SetContinuousStates");
}

static int crossed(const double *a, const double *b)
{
    for (size_t k = 0; k < nz; ++k) {
        if ((a[k] > 0) != (b[k] > 0)) return 1;
    }
    return 0;
}

/* One step, or a part of it that ends just behind an event. Returns the new time; *over when the FMU wants to end. */
static double step(void *c, double t, double h, double *x, double *z, int *over)
{
    double to[most], now[most];
    int event = 0;
    runge_kutta(c, t, x, h, to);
    check(vector(c, "GetEventIndicators", now, nz), "indicators");
    if (crossed(z, now)) {
        double low = 0, high = h;
        for (int turn = 0; turn < 60 && high - low > 1e-15*(1 + t); ++turn) {
            const double middle = (low + high)/2;
            runge_kutta(c, t, x, middle, to);
            check(vector(c, "GetEventIndicators", now, nz), "indicators");
            if (crossed(z, now)) high = middle;
            else low = middle;
        }
        runge_kutta(c, t, x, high, to);
        check(vector(c, "GetEventIndicators", now, nz), "indicators");
        h = high;
        event = 1;
    }
    if (t + h >= next_event - 1e-12*(1 + t)) event = 1;
    memcpy(x, to, nx*sizeof *x);
    int asked = 0;
    check(completed(c, &asked), "CompletedIntegratorStep");
    if (event || asked) {
        check(simple(c, "EnterEventMode"), "EnterEventMode");
        const int end = new_discrete_states(c);
        if (end < 0) check(error, "new discrete states");
        *over = end;
        check(simple(c, "EnterContinuousTimeMode"), "EnterContinuousTimeMode");
        check(vector(c, "GetContinuousStates", x, nx), "GetContinuousStates");
        check(vector(c, "GetEventIndicators", now, nz), "indicators");
    }
    memcpy(z, now, nz*sizeof *z);
    return t + h;
}

/* START in the environment: "3=0.5,7=1", references and values. */
static void set_at_start(void *c)
{
    const char *text = getenv("START");
    while (text && *text) {
        char *end;
        const unsigned vr = (unsigned)strtoul(text, &end, 10);
        const double value = strtod(end + 1, &end);
        check(set(c, &vr, 1, &value), "set");
        text = *end ? end + 1 : end;
    }
}

static void *start(int is_cs, double end)
{
    void *c = instantiate("one", token, is_cs);
    if (!c) check(error, "instantiate");
    set_at_start(c);
    check(enter_initialization(c, end), "EnterInitializationMode");
    check(simple(c, "ExitInitializationMode"), "ExitInitializationMode");
    if (is_cs) return c;
    if (new_discrete_states(c) < 0) check(error, "new discrete states");
    check(simple(c, "EnterContinuousTimeMode"), "EnterContinuousTimeMode");
    return c;
}

/* Up to `end` in `rows` rows; the instance as it is then. */
static void *exchange(double end, int rows, double h, const unsigned *vr, size_t n, int prints)
{
    double x[most], z[most] = {0}, t = 0;
    int over = 0;
    void *c = start(0, end);
    check(vector(c, "GetContinuousStates", x, nx), "GetContinuousStates");
    check(vector(c, "GetEventIndicators", z, nz), "indicators");
    if (prints) print_row("me", c, 0, vr, n);
    for (int row = 1; row <= rows && !over; ++row) {
        const double next = end*row/rows;
        while (next - t > 1e-12*(1 + next) && !over) {
            const double until = next_event < next - 1e-12*(1 + next) ? next_event : next;
            t = step(c, t, until - t < 1.5*h ? until - t : h, x, z, &over);
        }
        if (prints) print_row("me", c, t, vr, n);
    }
    if (prints && over) printf("over %.17g\n", t);
    return c;
}

/* ---- co-simulation ---- */

static int do_step(void *c, double t, double h, int *over, double *reached)
{
    int status;
    if (version == 2) {
        status = CALL(int, "DoStep", (void *, double, double, int))(c, t, h, 1);
        if (status == discard) CALL(int, "GetBooleanStatus", (void *, int, int *))(c, 3, over);
        if (CALL(int, "GetRealStatus", (void *, int, double *))(c, 2, reached)) *reached = t;
        return status == discard && *over ? ok : status;
    }
    bool needs = false, terminate = false, early = false;
    status = CALL(int, "DoStep", (void *, double, double, bool, bool *, bool *, bool *, double *))(c, t, h, true, &needs, &terminate, &early, reached);
    *over = terminate;
    return status;
}

static void cosimulate(double end, int rows, const unsigned *vr, size_t n)
{
    void *c = start(1, end);
    double t = 0;
    int over = 0;
    print_row("cs", c, 0, vr, n);
    for (int row = 1; row <= rows && !over; ++row) {
        check(do_step(c, t, end*row/rows - t, &over, &t), "DoStep");
        print_row("cs", c, t, vr, n);
    }
    if (over) printf("over %.17g\n", t);
    check(simple(c, "Terminate"), "Terminate");
    release(c);
}

/* ---- what depends on what ---- */

/* Parameters may change at events only. */
static void set_at_event(void *c, unsigned vr, double value)
{
    check(simple(c, "EnterEventMode"), "EnterEventMode");
    check(set(c, &vr, 1, &value), "set");
    check(simple(c, "EnterContinuousTimeMode"), "EnterContinuousTimeMode");
}

/* By differences of sixth order: states through SetContinuousStates, others by setting them. */
static void linear(double end, double h, const unsigned *known, size_t knowns, const unsigned *unknown, size_t unknowns, unsigned first_state)
{
    static const double weight[3] = {45.0/60, -9.0/60, 1.0/60};
    void *c = exchange(end, 1, h, NULL, 0, 0);
    double x[most], v[most];
    check(vector(c, "GetContinuousStates", x, nx), "GetContinuousStates");
    for (size_t j = 0; j < knowns; ++j) {
        const int is_state = known[j] >= first_state && known[j] < first_state + nx;
        double sum[most] = {0}, value, d;
        check(get(c, &known[j], 1, &value), "get");
        d = 1e-3*(is_state ? fmax(1, fabs(value)) : value != 0 ? fabs(value) : 1);
        for (int step = -3; step <= 3; ++step) {
            const double a = step == 0 ? 0 : (step < 0 ? -1 : 1)*weight[abs(step) - 1]/d;
            double moved = value + step*d;
            if (step == 0) continue;
            if (is_state) {
                double y[most];
                memcpy(y, x, nx*sizeof *y);
                y[known[j] - first_state] = moved;
                check(CALL(int, "SetContinuousStates", (void *, const double *, size_t))(c, y, nx), "SetContinuousStates");
            } else set_at_event(c, known[j], moved);
            check(get(c, unknown, unknowns, v), "get");
            for (size_t k = 0; k < unknowns; ++k) sum[k] += a*v[k];
        }
        if (is_state) check(CALL(int, "SetContinuousStates", (void *, const double *, size_t))(c, x, nx), "SetContinuousStates");
        else set_at_event(c, known[j], value);
        for (size_t k = 0; k < unknowns; ++k) {
            double exact;
            check(directional(c, unknown[k], known[j], 1, &exact), "GetDirectionalDerivative");
            printf("slope %u %u %.17g %.17g\n", unknown[k], known[j], sum[k], exact);
        }
    }
    release(c);
}

/* ---- saved states, independence ---- */

static void save_and_restore(double end, const unsigned *vr, size_t n)
{
    void *c = start(1, end), *other = start(1, end), *saved = NULL, *copy = NULL;
    double a[most], b[most], t = 0;
    size_t size = 0;
    int over = 0;
    char *bytes;
    const char *write = "SerializeFMUstate", *read = "DeSerializeFMUstate", *of = "SerializedFMUstateSize", *grab = "GetFMUstate", *put = "SetFMUstate", *drop = "FreeFMUstate";
    if (version == 3) write = "SerializeFMUState", read = "DeserializeFMUState", of = "SerializedFMUStateSize", grab = "GetFMUState", put = "SetFMUState", drop = "FreeFMUState";
    check(do_step(c, 0, 0.37*end, &over, &t), "DoStep");
    check(CALL(int, grab, (void *, void **))(c, &saved), grab);
    check(CALL(int, of, (void *, void *, size_t *))(c, saved, &size), of);
    bytes = malloc(size);
    check(CALL(int, write, (void *, void *, char *, size_t))(c, saved, bytes, size), write);
    check(do_step(c, t, 0.4*end, &over, &t), "DoStep");
    check(get(c, vr, n, a), "get");
    check(CALL(int, read, (void *, const char *, size_t, void **))(other, bytes, size, &copy), read);
    check(CALL(int, put, (void *, void *))(other, copy), put);
    check(do_step(other, 0.37*end, 0.4*end, &over, &t), "DoStep");
    check(get(other, vr, n, b), "get");
    printf("restored %d\n", memcmp(a, b, n*sizeof *a) == 0);
    check(CALL(int, put, (void *, void *))(c, saved), put);
    check(do_step(c, 0.37*end, 0.4*end, &over, &t), "DoStep");
    check(get(c, vr, n, b), "get");
    printf("restored %d\n", memcmp(a, b, n*sizeof *a) == 0);
    bytes[0] ^= 1;
    printf("refused %d\n", CALL(int, read, (void *, const char *, size_t, void **))(other, bytes, size, &copy) == error);
    printf("refused %d\n", CALL(int, read, (void *, const char *, size_t, void **))(other, bytes, size/2, &copy) == error);
    check(CALL(int, drop, (void *, void **))(c, &saved), drop);
    check(CALL(int, drop, (void *, void **))(c, &copy), drop);
    free(bytes);
    release(c);
    release(other);
}

/* ---- misuse ---- */

static void expect_error(int status, const char *what) { printf("%s %s\n", status == error ? "refused 1" : "refused 0", what); }

static void misuse(double end)
{
    double v[most] = {0}, bad = NAN, one = 1;
    unsigned vr = 0, far_off = 4000000;
    int over = 0;
    double reached = 0;
    printf("refused %d a wrong token\n", instantiate("one", "wrong", 0) == NULL && instantiate("one", NULL, 1) == NULL && instantiate("", token, 1) == NULL);
    for (int is_cs = 0; is_cs < 2; ++is_cs) {
        void *c = instantiate("one", token, is_cs);
        const int before = messages;
        expect_error(get(c, &vr, 1, v), "get before initialization");
        expect_error(simple(c, "ExitInitializationMode"), "exit before enter");
        expect_error(simple(c, "EnterContinuousTimeMode"), "continuous time before initialization");
        expect_error(simple(c, "EnterEventMode"), "event mode before initialization");
        expect_error(simple(c, "Terminate"), "terminate before initialization");
        expect_error(do_step(c, 0, 1, &over, &reached), "step before initialization");
        expect_error(vector(c, rates_name(), v, nx), "derivatives before initialization");
        expect_error(set(c, &vr, 1, &one), "set time");
        expect_error(set(c, &far_off, 1, &one), "set what is not there");
        expect_error(set(c, NULL, 1, &one), "set by a null pointer");
        vr = 1;
        expect_error(set(c, &vr, 1, &bad), "set to NaN");
        vr = 0;
        check(enter_initialization(c, end), "EnterInitializationMode");
        expect_error(enter_initialization(c, end), "initialization twice");
        check(simple(c, "ExitInitializationMode"), "ExitInitializationMode");
        expect_error(simple(c, "ExitInitializationMode"), "exit twice");
        expect_error(get(c, &far_off, 1, v), "get what is not there");
        expect_error(get(c, &vr, 1, NULL), "get to a null pointer");
        expect_error(directional(c, far_off, vr, 1, v), "a derivative of nothing");
        if (is_cs) {
            expect_error(vector(c, "GetContinuousStates", v, nx), "states in co-simulation");
            expect_error(do_step(c, 0, -1, &over, &reached), "a step back");
            expect_error(do_step(c, 0, bad, &over, &reached), "a step of NaN");
            expect_error(do_step(c, 5, 1, &over, &reached), "a step from elsewhere");
        } else {
            expect_error(do_step(c, 0, 1, &over, &reached), "a step in model exchange");
            check(new_discrete_states(c), "new discrete states");
            check(simple(c, "EnterContinuousTimeMode"), "EnterContinuousTimeMode");
            expect_error(vector(c, rates_name(), v, nx + 1), "too many derivatives");
            expect_error(CALL(int, "SetTime", (void *, double))(c, bad), "time of NaN");
            expect_error(new_discrete_states(c) < 0 ? error : ok, "event iteration in continuous time");
            if (nx > 0) {
                v[0] = NAN;
                expect_error(CALL(int, "SetContinuousStates", (void *, const double *, size_t))(c, v, nx), "states of NaN");
            }
        }
        check(simple(c, "Terminate"), "Terminate");
        expect_error(do_step(c, 0, 1, &over, &reached), "a step after the end");
        printf("%s messages\n", messages - before >= 15 ? "refused 1" : "refused 0");
        check(simple(c, "Reset"), "Reset");
        check(enter_initialization(c, end), "EnterInitializationMode after Reset");
        release(c);
        expect_error(simple(NULL, "Reset"), "no instance");
        expect_error(get(NULL, &vr, 1, v), "no instance");
        release(NULL);
    }
}

int main(int count, char **words)
{
    static unsigned vr[most], known[most], unknown[most];
    if (count != 14) return 2;
    library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
    version = atoi(words[2]);
    token = words[3];
    nx = (size_t)atoi(words[4]), nz = (size_t)atoi(words[5]);
    const double end = atof(words[6]), h = atof(words[8]);
    const int rows = atoi(words[7]);
    const size_t n = read_list(words[9], vr), knowns = read_list(words[10], known), unknowns = read_list(words[11], unknown);
    const unsigned first_state = (unsigned)atoi(words[12]);
    if (nx >= most || nz >= most) return 2;
    if (strstr(words[13], "me")) {
        void *c = exchange(end, rows, h, vr, n, 1);
        check(simple(c, "Terminate"), "Terminate");
        release(c);
    }
    if (strstr(words[13], "cs")) cosimulate(end, rows, vr, n);
    if (strstr(words[13], "linear")) linear(0.3*end, h, known, knowns, unknown, unknowns, first_state);
    if (strstr(words[13], "state")) save_and_restore(end, vr, n);
    if (strstr(words[13], "misuse")) misuse(end);
    dlclose(library);
    return 0;
}
