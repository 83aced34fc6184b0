#include "linkwright/codegen/fmu/runtime.hpp"

namespace linkwright::codegen::fmu {

const char* const life_text = R"runtime(
/* ---- what both versions of the interface have in common ---- */

/* Is this an instance, in one of these stages? */
static int may(Instance *i, int stages, const char *function)
{
    if (!i) return 0;
    if (i->m.stage & stages) return 1;
    say(i, s_error, "%s may not be called at this stage", function);
    return 0;
}

/* Does an array that is needed exist? */
static int given(Instance *i, size_t size, const void *array, const char *function)
{
    if (size == 0 || array) return 1;
    say(i, s_error, "%s was called with a null pointer", function);
    return 0;
}

enum { any_stage = 127, model_exchange = 0, cosimulation = 1, running = event_mode | continuous_mode | step_mode };
#define NEED(stages, name) \
    if (!may(i, stages, name)) return s_error
#define GIVEN(size, array, name) \
    if (!given(i, size, array, name)) return s_error

static int change_stage(Instance *i, int from, int to, const char *function)
{
    NEED(from, function);
    i->m.stage = to;
    return s_ok;
}

static int set_experiment(Instance *i, int has_tolerance, double tolerance, double start, int has_stop, double stop, const char *function)
{
    NEED(instantiated, function);
    if (!is_number(start) || (has_stop && !(stop >= start)) || (has_tolerance && !(tolerance > 0 && tolerance < 1))) {
        say(i, s_error, "%s: start, stop or tolerance is out of range", function);
        return s_error;
    }
    i->m.t = i->m.start = start;
    i->m.has_stop = has_stop != 0;
    i->m.stop = has_stop ? stop : 0;
    if (has_tolerance) i->m.tolerance = fmax(tolerance, 1e-13);
    i->m.is_open = 1;
    i->is_fresh = 0;
    return s_ok;
}

static int end_initialization(Instance *i, const char *function)
{
    NEED(initializing, function);
    if (refresh(i) != s_ok) return s_error;
    note_events(i, i->signal + ny, i->m.t);
#if HAS_SAMPLES
    {
        int is_changed;
        if (discretise(i) != s_ok) return s_error;
        count_samples(i, 1);
        if (i->m.is_cosimulation && sample(i, &is_changed) != s_ok) return s_error;
    }
#endif
    i->m.stage = i->m.is_cosimulation ? step_mode : event_mode;
    return s_ok;
}

static int reset(Instance *i, const char *function)
{
    NEED(any_stage, function);
    begin(&i->m, i->m.is_cosimulation);
    forget(i);
    return s_ok;
}

static int get_values(Instance *i, const unsigned vr[], size_t n, double value[], size_t values, const char *function)
{
    int worst = s_ok;
    NEED(any_stage & ~instantiated, function);
    GIVEN(n, vr, function);
    GIVEN(n, value, function);
    if (n != values) return say(i, s_error, "%s: all variables are scalars", function), s_error;
    for (size_t k = 0; k < n; ++k) {
        const int status = calc_value(i, vr[k], &value[k]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static int set_values(Instance *i, const unsigned vr[], size_t n, const double value[], size_t values, const char *function)
{
    NEED(instantiated | initializing | running, function);
    GIVEN(n, vr, function);
    GIVEN(n, value, function);
    if (n != values) return say(i, s_error, "%s: all variables are scalars", function), s_error;
    for (size_t k = 0; k < n; ++k) {
        const int status = set_value(i, vr[k], value[k]);
        if (status != s_ok) return status;
    }
    return s_ok;
}

/* All variables are real numbers. */
static int none_of_type(void *c, size_t n, const char *type)
{
    Instance *i = c;
    NEED(any_stage, type);
    if (n == 0) return s_ok;
    say(i, s_error, "there are no variables of the type %s", type);
    return s_error;
}

/* ---- saved states ---- */

static int save_state(Instance *i, void **state, const char *function)
{
    NEED(any_stage, function);
    GIVEN(1, state, function);
    if (!*state) *state = malloc(sizeof(Memory));
    if (!*state) return say(i, s_error, "no memory is left"), s_error;
    memcpy(*state, &i->m, sizeof(Memory));
    return s_ok;
}

static int restore_state(Instance *i, const void *state, const char *function)
{
    const Memory *saved = state;
    NEED(any_stage, function);
    GIVEN(1, state, function);
    if (strncmp(saved->token, fmu_token, sizeof saved->token) != 0 || saved->is_cosimulation != i->m.is_cosimulation) {
        say(i, s_error, "%s: this is not a state of such an FMU", function);
        return s_error;
    }
    memcpy(&i->m, saved, sizeof(Memory));
    forget(i);
    return s_ok;
}

static int free_state(Instance *i, void **state, const char *function)
{
    NEED(any_stage, function);
    if (!state) return s_ok;
    free(*state);
    *state = NULL;
    return s_ok;
}

static int size_of_state(Instance *i, const void *state, size_t *size, const char *function)
{
    NEED(any_stage, function);
    GIVEN(1, state, function);
    GIVEN(1, size, function);
    *size = sizeof(Memory);
    return s_ok;
}

static int write_state(Instance *i, const void *state, void *bytes, size_t size, const char *function)
{
    NEED(any_stage, function);
    GIVEN(1, state, function);
    GIVEN(1, bytes, function);
    if (size < sizeof(Memory)) return say(i, s_error, "%s: the array is too short", function), s_error;
    memcpy(bytes, state, sizeof(Memory));
    return s_ok;
}

static int read_state(Instance *i, const void *bytes, size_t size, void **state, const char *function)
{
    NEED(any_stage, function);
    GIVEN(1, bytes, function);
    GIVEN(1, state, function);
    if (size != sizeof(Memory) || strncmp(bytes, fmu_token, sizeof i->m.token) != 0)
        return say(i, s_error, "%s: this is not a state of such an FMU", function), s_error;
    if (!*state) *state = malloc(sizeof(Memory));
    if (!*state) return say(i, s_error, "no memory is left"), s_error;
    memcpy(*state, bytes, sizeof(Memory));
    return s_ok;
}

static int directional(Instance *i, const unsigned unknown[], size_t unknowns, const unsigned known[], size_t knowns, const double seed[],
    double result[], const char *function)
{
    NEED(initializing | running | terminated, function);
    GIVEN(unknowns, unknown, function);
    GIVEN(unknowns, result, function);
    GIVEN(knowns, known, function);
    GIVEN(knowns, seed, function);
    return calc_directional(i, unknown, unknowns, known, knowns, seed, result);
}

/* ---- model exchange ---- */

/* At an event: states that have drifted are brought back, crossings are noted, filters sample. */
static int handle_event(Instance *i, int *is_changed)
{
    set_up(i);
    *is_changed = 0;
    if (has_drifted(i)) {
        if (close_up(i, i->m.t, i->m.x, 0)) return say(i, s_error, "at time %.17g the mechanism cannot be closed", i->m.t), s_error;
        i->is_fresh = 0;
        *is_changed = 1;
    }
    if (refresh(i) != s_ok) return s_error;
    note_events(i, i->signal + ny, i->m.t);
#if HAS_SAMPLES
    if (!i->m.is_over && sample(i, is_changed) != s_ok) return s_error;  /* an event that ends the motion comes before a sample at its time */
#endif
    return s_ok;
}

static int set_time(Instance *i, double t, const char *function)
{
    NEED(event_mode | continuous_mode, function);
    if (!is_number(t)) return say(i, s_error, "%s: the time is not a finite number", function), s_error;
    i->m.t = t;
    i->is_fresh = 0;
    return s_ok;
}

static int set_states(Instance *i, const double x[], size_t n, const char *function)
{
    NEED(continuous_mode, function);
    GIVEN(n, x, function);
    if (n != nx) return say(i, s_error, "%s: there are %d states", function, (int)nx), s_error;
    if (!are_numbers(n, x)) return say(i, s_error, "%s: a state is not a finite number", function), s_error;
    for (size_t k = 0; k < n; ++k) i->m.x[k] = x[k];
    i->is_fresh = 0;
    return s_ok;
}

enum { rates_vector, event_vector, state_vector, nominal_vector };

static int hand_out(Instance *i, double to[], size_t n, int which, const char *function)
{
    const size_t size = which == event_vector ? nz : nx;
    int status = s_ok;
    NEED(initializing | event_mode | continuous_mode | terminated | (which == nominal_vector ? instantiated : 0), function);
    GIVEN(n, to, function);
    if (n != size) return say(i, s_error, "%s: the vector has %u entries", function, (unsigned)size), s_error;
    if (which != nominal_vector) status = which == state_vector ? settle(i) : refresh(i);
    if (status != s_ok) return status;
    for (size_t k = 0; k < n; ++k)
        to[k] = which == rates_vector ? i->v[k] : which == event_vector ? i->signal[ny + k] : which == state_vector ? i->m.x[k] : 1;
    if (!are_numbers(n, to)) return say(i, s_discard, "%s: an entry is not a finite number", function), s_discard;
    return s_ok;
}

/* ---- co-simulation ---- */

static int communicate(Instance *i, double t, double h, const char *function)
{
    int status;
    if (!is_number(t) || !is_number(h) || !(h > 0)) return say(i, s_error, "%s: the step must be positive", function), s_error;
    if (fabs(t - i->m.t) > 1e-9*(1 + fabs(t))) {
        say(i, s_error, "%s: the communication point is %.17g, not %.17g", function, i->m.t, t);
        return s_error;
    }
    if (i->m.is_over) return say(i, s_discard, "%s: an event has ended the motion", function), s_discard;
    status = advance(i, t + h);
    if (status != s_ok) i->m.stage = step_failed;
    return status;
}
)runtime";

}  // namespace linkwright::codegen::fmu
