#include "linkwright/codegen/fmu/runtime.hpp"

namespace linkwright::codegen::fmu {

const char* const fmi3_types = R"runtime(
/* Types of FMI 3.0. */
#include <stdbool.h>
#if defined(_WIN32)
#define FMI __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI __attribute__((visibility("default")))
#else
#define FMI
#endif
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#if defined(FMI3_FUNCTION_PREFIX) && !defined(FMI3_OVERRIDE_FUNCTION_PREFIX)
#define FUNCTION(name) JOINED(FMI3_FUNCTION_PREFIX, name)
#else
#define FUNCTION(name) name
#endif

typedef void LogMessage(void *environment, int status, const char *category, const char *message);
typedef struct {
    void *environment;
    LogMessage *log;
} Environment;
)runtime";

const char* const fmi3_text = R"runtime(
/* ---- FMI 3.0 ---- */

static void say(Instance *i, int status, const char *format, ...)
{
    char text[400];
    va_list list;
    if (!i->environment.log || (status < s_discard && !i->is_logging)) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    i->environment.log(i->environment.environment, status, status == s_error || status == s_fatal ? "logStatusError" : status == s_discard ? "logStatusDiscard" : "logEvents", text);
}

FMI const char *FUNCTION(fmi3GetVersion)(void) { return "3.0"; }

FMI int FUNCTION(fmi3SetDebugLogging)(void *c, bool on, size_t n, const char *const categories[])
{
    Instance *i = c;
    (void)n, (void)categories;
    NEED(any_stage, "fmi3SetDebugLogging");
    i->is_logging = on;
    return s_ok;
}

static void *instantiate(const char *name, const char *token, bool logging, void *environment, LogMessage *log, int is_cosimulation)
{
    Instance *i = calloc(1, sizeof *i);
    if (!i) return NULL;
    i->environment.environment = environment;
    i->environment.log = log;
    i->is_logging = logging;
    begin(&i->m, is_cosimulation);
    if (name && *name && token && strcmp(token, fmu_token) == 0) return i;
    say(i, s_error, !name || !*name ? "the instance has no name" : "the instantiation token is not that of this FMU");
    free(i);
    return NULL;
}

FMI void *FUNCTION(fmi3InstantiateModelExchange)(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment, LogMessage *log)
{
    (void)resources, (void)visible;
    return instantiate(name, token, logging, environment, log, 0);
}

FMI void *FUNCTION(fmi3InstantiateCoSimulation)(const char *name, const char *token, const char *resources, bool visible, bool logging, bool event_mode_used,
    bool early_return_allowed, const uint32_t intermediate[], size_t n, void *environment, LogMessage *log, void (*update)(void))
{
    (void)resources, (void)visible, (void)event_mode_used, (void)early_return_allowed, (void)intermediate, (void)n, (void)update;
    return instantiate(name, token, logging, environment, log, 1);
}

FMI void *FUNCTION(fmi3InstantiateScheduledExecution)(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment,
    LogMessage *log, void (*clock_update)(void), void (*lock)(void), void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock_update, (void)lock, (void)unlock;
    if (log) log(environment, s_error, "logStatusError", "this FMU has no scheduled execution");
    return NULL;
}

FMI void FUNCTION(fmi3FreeInstance)(void *c) { free(c); }

FMI int FUNCTION(fmi3EnterInitializationMode)(void *c, bool has_tolerance, double tolerance, double start, bool has_stop, double stop)
{
    const int status = set_experiment(c, has_tolerance, tolerance, start, has_stop, stop, "fmi3EnterInitializationMode");
    return status == s_ok ? change_stage(c, instantiated, initializing, "fmi3EnterInitializationMode") : status;
}

FMI int FUNCTION(fmi3ExitInitializationMode)(void *c) { return end_initialization(c, "fmi3ExitInitializationMode"); }
FMI int FUNCTION(fmi3EnterEventMode)(void *c) { return change_stage(c, continuous_mode, event_mode, "fmi3EnterEventMode"); }
FMI int FUNCTION(fmi3Terminate)(void *c) { return change_stage(c, running | step_failed, terminated, "fmi3Terminate"); }
FMI int FUNCTION(fmi3Reset)(void *c) { return reset(c, "fmi3Reset"); }

/* ---- variables ---- */

FMI int FUNCTION(fmi3GetFloat64)(void *c, const uint32_t vr[], size_t n, double value[], size_t values) { return get_values(c, vr, n, value, values, "fmi3GetFloat64"); }
FMI int FUNCTION(fmi3SetFloat64)(void *c, const uint32_t vr[], size_t n, const double value[], size_t values) { return set_values(c, vr, n, value, values, "fmi3SetFloat64"); }

#define NO_VARIABLES(type, number) \
    FMI int FUNCTION(fmi3Get##type)(void *c, const uint32_t vr[], size_t n, number value[], size_t values) \
    { \
        return (void)vr, (void)value, (void)values, none_of_type(c, n, #type); \
    } \
    FMI int FUNCTION(fmi3Set##type)(void *c, const uint32_t vr[], size_t n, const number value[], size_t values) \
    { \
        return (void)vr, (void)value, (void)values, none_of_type(c, n, #type); \
    }
typedef const char *Text;
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, Text)

FMI int FUNCTION(fmi3GetBinary)(void *c, const uint32_t vr[], size_t n, size_t sizes[], const uint8_t *value[], size_t values)
{
    return (void)vr, (void)sizes, (void)value, (void)values, none_of_type(c, n, "Binary");
}
FMI int FUNCTION(fmi3SetBinary)(void *c, const uint32_t vr[], size_t n, const size_t sizes[], const uint8_t *const value[], size_t values)
{
    return (void)vr, (void)sizes, (void)value, (void)values, none_of_type(c, n, "Binary");
}
FMI int FUNCTION(fmi3GetClock)(void *c, const uint32_t vr[], size_t n, bool value[]) { return (void)vr, (void)value, none_of_type(c, n, "Clock"); }
FMI int FUNCTION(fmi3SetClock)(void *c, const uint32_t vr[], size_t n, const bool value[]) { return (void)vr, (void)value, none_of_type(c, n, "Clock"); }

/* What this FMU does not have. */
static int is_missing(Instance *i, const char *function)
{
    NEED(any_stage, function);
    say(i, s_error, "%s: this FMU has nothing of the kind", function);
    return s_error;
}

FMI int FUNCTION(fmi3GetNumberOfVariableDependencies)(void *c, uint32_t vr, size_t *n) { return (void)vr, (void)n, is_missing(c, "fmi3GetNumberOfVariableDependencies"); }
FMI int FUNCTION(fmi3GetVariableDependencies)(void *c, uint32_t vr, size_t element[], uint32_t independent[], size_t of[], int kind[], size_t n)
{
    return (void)vr, (void)element, (void)independent, (void)of, (void)kind, (void)n, is_missing(c, "fmi3GetVariableDependencies");
}
FMI int FUNCTION(fmi3GetIntervalDecimal)(void *c, const uint32_t vr[], size_t n, double interval[], int qualifier[])
{
    return (void)vr, (void)interval, (void)qualifier, none_of_type(c, n, "Clock");
}
FMI int FUNCTION(fmi3GetIntervalFraction)(void *c, const uint32_t vr[], size_t n, uint64_t counter[], uint64_t resolution[], int qualifier[])
{
    return (void)vr, (void)counter, (void)resolution, (void)qualifier, none_of_type(c, n, "Clock");
}
FMI int FUNCTION(fmi3GetShiftDecimal)(void *c, const uint32_t vr[], size_t n, double shift[]) { return (void)vr, (void)shift, none_of_type(c, n, "Clock"); }
FMI int FUNCTION(fmi3GetShiftFraction)(void *c, const uint32_t vr[], size_t n, uint64_t counter[], uint64_t resolution[])
{
    return (void)vr, (void)counter, (void)resolution, none_of_type(c, n, "Clock");
}
FMI int FUNCTION(fmi3SetIntervalDecimal)(void *c, const uint32_t vr[], size_t n, const double interval[]) { return (void)vr, (void)interval, none_of_type(c, n, "Clock"); }
FMI int FUNCTION(fmi3SetIntervalFraction)(void *c, const uint32_t vr[], size_t n, const uint64_t counter[], const uint64_t resolution[])
{
    return (void)vr, (void)counter, (void)resolution, none_of_type(c, n, "Clock");
}
FMI int FUNCTION(fmi3SetShiftDecimal)(void *c, const uint32_t vr[], size_t n, const double shift[]) { return (void)vr, (void)shift, none_of_type(c, n, "Clock"); }
FMI int FUNCTION(fmi3SetShiftFraction)(void *c, const uint32_t vr[], size_t n, const uint64_t counter[], const uint64_t resolution[])
{
    return (void)vr, (void)counter, (void)resolution, none_of_type(c, n, "Clock");
}
FMI int FUNCTION(fmi3EnterConfigurationMode)(void *c) { return is_missing(c, "fmi3EnterConfigurationMode"); }
FMI int FUNCTION(fmi3ExitConfigurationMode)(void *c) { return is_missing(c, "fmi3ExitConfigurationMode"); }
FMI int FUNCTION(fmi3ActivateModelPartition)(void *c, uint32_t clock, double t) { return (void)clock, (void)t, is_missing(c, "fmi3ActivateModelPartition"); }
FMI int FUNCTION(fmi3GetAdjointDerivative)(void *c, const uint32_t unknown[], size_t unknowns, const uint32_t known[], size_t knowns, const double seed[], size_t seeds,
    double result[], size_t results)
{
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)seeds, (void)result, (void)results;
    return is_missing(c, "fmi3GetAdjointDerivative");
}
FMI int FUNCTION(fmi3GetOutputDerivatives)(void *c, const uint32_t vr[], size_t n, const int32_t order[], double value[], size_t values)
{
    return (void)vr, (void)n, (void)order, (void)value, (void)values, is_missing(c, "fmi3GetOutputDerivatives");
}

FMI int FUNCTION(fmi3GetDirectionalDerivative)(void *c, const uint32_t unknown[], size_t unknowns, const uint32_t known[], size_t knowns, const double seed[], size_t seeds,
    double result[], size_t results)
{
    Instance *i = c;
    NEED(any_stage, "fmi3GetDirectionalDerivative");
    if (seeds != knowns || results != unknowns) return say(i, s_error, "fmi3GetDirectionalDerivative: all variables are scalars"), s_error;
    return directional(i, unknown, unknowns, known, knowns, seed, result, "fmi3GetDirectionalDerivative");
}

/* ---- saved states ---- */

FMI int FUNCTION(fmi3GetFMUState)(void *c, void **state) { return save_state(c, state, "fmi3GetFMUState"); }
FMI int FUNCTION(fmi3SetFMUState)(void *c, void *state) { return restore_state(c, state, "fmi3SetFMUState"); }
FMI int FUNCTION(fmi3FreeFMUState)(void *c, void **state) { return free_state(c, state, "fmi3FreeFMUState"); }
FMI int FUNCTION(fmi3SerializedFMUStateSize)(void *c, void *state, size_t *size) { return size_of_state(c, state, size, "fmi3SerializedFMUStateSize"); }
FMI int FUNCTION(fmi3SerializeFMUState)(void *c, void *state, uint8_t bytes[], size_t size) { return write_state(c, state, bytes, size, "fmi3SerializeFMUState"); }
FMI int FUNCTION(fmi3DeserializeFMUState)(void *c, const uint8_t bytes[], size_t size, void **state) { return read_state(c, bytes, size, state, "fmi3DeserializeFMUState"); }

/* ---- model exchange ---- */

FMI int FUNCTION(fmi3EvaluateDiscreteStates)(void *c) { return change_stage(c, event_mode, event_mode, "fmi3EvaluateDiscreteStates"); }

FMI int FUNCTION(fmi3UpdateDiscreteStates)(void *c, bool *again, bool *terminate, bool *new_nominals, bool *new_values, bool *has_next, double *next)
{
    Instance *i = c;
    int is_changed = 0, status;
    double when = 0;
    NEED(event_mode, "fmi3UpdateDiscreteStates");
    GIVEN(1, again, "fmi3UpdateDiscreteStates");
    GIVEN(1, terminate, "fmi3UpdateDiscreteStates");
    GIVEN(1, new_nominals, "fmi3UpdateDiscreteStates");
    GIVEN(1, new_values, "fmi3UpdateDiscreteStates");
    GIVEN(1, has_next, "fmi3UpdateDiscreteStates");
    status = handle_event(i, &is_changed);
    *again = *new_nominals = false;
    *has_next = calc_next_event(i, &when) != 0;
    *terminate = i->m.is_over != 0;
    *new_values = is_changed != 0;
    if (next) *next = when;
    return status;
}

FMI int FUNCTION(fmi3EnterContinuousTimeMode)(void *c) { return change_stage(c, event_mode, continuous_mode, "fmi3EnterContinuousTimeMode"); }

FMI int FUNCTION(fmi3CompletedIntegratorStep)(void *c, bool keeps_past, bool *enter_event_mode, bool *terminate)
{
    Instance *i = c;
    (void)keeps_past;
    NEED(continuous_mode, "fmi3CompletedIntegratorStep");
    GIVEN(1, enter_event_mode, "fmi3CompletedIntegratorStep");
    GIVEN(1, terminate, "fmi3CompletedIntegratorStep");
    set_up(i);
    *enter_event_mode = has_drifted(i) != 0;
    *terminate = false;
    return s_ok;
}

FMI int FUNCTION(fmi3SetTime)(void *c, double t) { return set_time(c, t, "fmi3SetTime"); }
FMI int FUNCTION(fmi3SetContinuousStates)(void *c, const double x[], size_t n) { return set_states(c, x, n, "fmi3SetContinuousStates"); }
FMI int FUNCTION(fmi3GetContinuousStateDerivatives)(void *c, double derivatives[], size_t n) { return hand_out(c, derivatives, n, rates_vector, "fmi3GetContinuousStateDerivatives"); }
FMI int FUNCTION(fmi3GetEventIndicators)(void *c, double indicators[], size_t n) { return hand_out(c, indicators, n, event_vector, "fmi3GetEventIndicators"); }
FMI int FUNCTION(fmi3GetContinuousStates)(void *c, double x[], size_t n) { return hand_out(c, x, n, state_vector, "fmi3GetContinuousStates"); }
FMI int FUNCTION(fmi3GetNominalsOfContinuousStates)(void *c, double nominal[], size_t n) { return hand_out(c, nominal, n, nominal_vector, "fmi3GetNominalsOfContinuousStates"); }

FMI int FUNCTION(fmi3GetNumberOfEventIndicators)(void *c, size_t *n)
{
    Instance *i = c;
    NEED(any_stage, "fmi3GetNumberOfEventIndicators");
    GIVEN(1, n, "fmi3GetNumberOfEventIndicators");
    *n = nz;
    return s_ok;
}

FMI int FUNCTION(fmi3GetNumberOfContinuousStates)(void *c, size_t *n)
{
    Instance *i = c;
    NEED(any_stage, "fmi3GetNumberOfContinuousStates");
    GIVEN(1, n, "fmi3GetNumberOfContinuousStates");
    *n = nx;
    return s_ok;
}

/* ---- co-simulation ---- */

FMI int FUNCTION(fmi3EnterStepMode)(void *c) { return is_missing(c, "fmi3EnterStepMode"); }

FMI int FUNCTION(fmi3DoStep)(void *c, double t, double h, bool keeps_past, bool *needs_events, bool *terminate, bool *early, double *last)
{
    Instance *i = c;
    int status;
    (void)keeps_past;
    NEED(step_mode, "fmi3DoStep");
    status = communicate(i, t, h, "fmi3DoStep");
    if (needs_events) *needs_events = false;
    if (terminate) *terminate = i->m.is_over != 0;
    if (early) *early = false;
    if (last) *last = i->m.t;
    return status;
}
)runtime";

}  // namespace linkwright::codegen::fmu
