#include "linkwright/codegen/fmu/runtime.hpp"

namespace linkwright::codegen::fmu {

const char* const fmi2_types = R"runtime(
/* Types of FMI 2.0: references are unsigned, flags and states int, numbers double. In a library that is loaded functions have their own
   names; among sources that are linked together they have the model's name in front. */
#if defined(_WIN32)
#define FMI __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI __attribute__((visibility("default")))
#else
#define FMI
#endif
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#if defined(FMI2_OVERRIDE_FUNCTION_PREFIX)
#define FUNCTION(name) name
#elif defined(FMI2_FUNCTION_PREFIX)
#define FUNCTION(name) JOINED(FMI2_FUNCTION_PREFIX, name)
#else
#define FUNCTION(name) NAME_##name
#endif

typedef struct {
    void (*logger)(void *componentEnvironment, const char *instanceName, int status, const char *category, const char *message, ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(void *componentEnvironment, int status);
    void *componentEnvironment;
} Callbacks;

typedef struct {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged;
    int nextEventTimeDefined;
    double nextEventTime;
} EventInfo;

typedef const Callbacks *Environment;
)runtime";

const char* const fmi2_text = R"runtime(
/* ---- FMI 2.0 ---- */

static void say(Instance *i, int status, const char *format, ...)
{
    const Callbacks *to = i->environment;
    char plain[400], text[800];
    size_t at = 0;
    va_list list;
    if (!to || !to->logger || (status < s_discard && !i->is_logging)) return;
    va_start(list, format);
    vsnprintf(plain, sizeof plain, format, list);
    va_end(list);
    for (const char *p = plain; *p && at + 2 < sizeof text; ++p) {
        if (*p == '%') text[at++] = '%';
        text[at++] = *p;
    }
    text[at] = 0;
    to->logger(to->componentEnvironment, i->name, status, status == s_error || status == s_fatal ? "logStatusError" : status == s_discard ? "logStatusDiscard" : "logEvents", text);
}

FMI const char *FUNCTION(fmi2GetTypesPlatform)(void) { return "default"; }
FMI const char *FUNCTION(fmi2GetVersion)(void) { return "2.0"; }

FMI int FUNCTION(fmi2SetDebugLogging)(void *c, int on, size_t n, const char *const categories[])
{
    Instance *i = c;
    (void)n, (void)categories;
    NEED(any_stage, "fmi2SetDebugLogging");
    i->is_logging = on != 0;
    return s_ok;
}

FMI void *FUNCTION(fmi2Instantiate)(const char *name, int type, const char *guid, const char *resources, const Callbacks *callbacks, int visible, int logging)
{
    Instance *i;
    size_t length = name ? strlen(name) : 0;
    (void)resources, (void)visible;
    if (!callbacks) return NULL;
    i = callbacks->allocateMemory ? callbacks->allocateMemory(1, sizeof *i) : calloc(1, sizeof *i);
    if (!i) return NULL;
    memset(i, 0, sizeof *i);
    i->environment = callbacks;
    i->is_logging = logging != 0;
    i->name = callbacks->allocateMemory ? callbacks->allocateMemory(length + 1, 1) : calloc(length + 1, 1);
    if (i->name) memcpy(i->name, name ? name : "", length + 1 > 1 ? length : 0), i->name[length] = 0;
    begin(&i->m, type == cosimulation);
    if (i->name && length > 0 && guid && strcmp(guid, fmu_token) == 0 && (type == model_exchange || type == cosimulation)) return i;
    say(i, s_error, length == 0 ? "the instance has no name" : type != model_exchange && type != cosimulation ? "the type of the FMU is unknown" : "the guid is not that of this FMU");
    if (callbacks->freeMemory) callbacks->freeMemory(i->name), callbacks->freeMemory(i);
    else free(i->name), free(i);
    return NULL;
}

FMI void FUNCTION(fmi2FreeInstance)(void *c)
{
    Instance *i = c;
    void (*release)(void *);
    if (!i) return;
    release = i->environment->freeMemory ? i->environment->freeMemory : free;
    release(i->name);
    release(i);
}

FMI int FUNCTION(fmi2SetupExperiment)(void *c, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    return set_experiment(c, has_tolerance, tolerance, start, has_stop, stop, "fmi2SetupExperiment");
}

FMI int FUNCTION(fmi2EnterInitializationMode)(void *c) { return change_stage(c, instantiated, initializing, "fmi2EnterInitializationMode"); }
FMI int FUNCTION(fmi2ExitInitializationMode)(void *c) { return end_initialization(c, "fmi2ExitInitializationMode"); }
FMI int FUNCTION(fmi2Terminate)(void *c) { return change_stage(c, running | step_failed, terminated, "fmi2Terminate"); }
FMI int FUNCTION(fmi2Reset)(void *c) { return reset(c, "fmi2Reset"); }

/* ---- variables ---- */

FMI int FUNCTION(fmi2GetReal)(void *c, const unsigned vr[], size_t n, double value[]) { return get_values(c, vr, n, value, n, "fmi2GetReal"); }
FMI int FUNCTION(fmi2SetReal)(void *c, const unsigned vr[], size_t n, const double value[]) { return set_values(c, vr, n, value, n, "fmi2SetReal"); }
FMI int FUNCTION(fmi2GetInteger)(void *c, const unsigned vr[], size_t n, int value[]) { return (void)vr, (void)value, none_of_type(c, n, "Integer"); }
FMI int FUNCTION(fmi2GetBoolean)(void *c, const unsigned vr[], size_t n, int value[]) { return (void)vr, (void)value, none_of_type(c, n, "Boolean"); }
FMI int FUNCTION(fmi2GetString)(void *c, const unsigned vr[], size_t n, const char *value[]) { return (void)vr, (void)value, none_of_type(c, n, "String"); }
FMI int FUNCTION(fmi2SetInteger)(void *c, const unsigned vr[], size_t n, const int value[]) { return (void)vr, (void)value, none_of_type(c, n, "Integer"); }
FMI int FUNCTION(fmi2SetBoolean)(void *c, const unsigned vr[], size_t n, const int value[]) { return (void)vr, (void)value, none_of_type(c, n, "Boolean"); }
FMI int FUNCTION(fmi2SetString)(void *c, const unsigned vr[], size_t n, const char *const value[]) { return (void)vr, (void)value, none_of_type(c, n, "String"); }

/* ---- saved states ---- */

FMI int FUNCTION(fmi2GetFMUstate)(void *c, void **state) { return save_state(c, state, "fmi2GetFMUstate"); }
FMI int FUNCTION(fmi2SetFMUstate)(void *c, void *state) { return restore_state(c, state, "fmi2SetFMUstate"); }
FMI int FUNCTION(fmi2FreeFMUstate)(void *c, void **state) { return free_state(c, state, "fmi2FreeFMUstate"); }
FMI int FUNCTION(fmi2SerializedFMUstateSize)(void *c, void *state, size_t *size) { return size_of_state(c, state, size, "fmi2SerializedFMUstateSize"); }
FMI int FUNCTION(fmi2SerializeFMUstate)(void *c, void *state, char bytes[], size_t size) { return write_state(c, state, bytes, size, "fmi2SerializeFMUstate"); }
FMI int FUNCTION(fmi2DeSerializeFMUstate)(void *c, const char bytes[], size_t size, void **state) { return read_state(c, bytes, size, state, "fmi2DeSerializeFMUstate"); }

FMI int FUNCTION(fmi2GetDirectionalDerivative)(void *c, const unsigned unknown[], size_t unknowns, const unsigned known[], size_t knowns, const double seed[], double result[])
{
    return directional(c, unknown, unknowns, known, knowns, seed, result, "fmi2GetDirectionalDerivative");
}

/* ---- model exchange ---- */

FMI int FUNCTION(fmi2EnterEventMode)(void *c) { return change_stage(c, continuous_mode, event_mode, "fmi2EnterEventMode"); }
FMI int FUNCTION(fmi2EnterContinuousTimeMode)(void *c) { return change_stage(c, event_mode, continuous_mode, "fmi2EnterContinuousTimeMode"); }

FMI int FUNCTION(fmi2NewDiscreteStates)(void *c, EventInfo *info)
{
    Instance *i = c;
    int is_changed = 0, status;
    NEED(event_mode, "fmi2NewDiscreteStates");
    GIVEN(1, info, "fmi2NewDiscreteStates");
    status = handle_event(i, &is_changed);
    memset(info, 0, sizeof *info);
    info->terminateSimulation = i->m.is_over;
    info->valuesOfContinuousStatesChanged = is_changed;
    info->nextEventTimeDefined = calc_next_event(i, &info->nextEventTime);
    return status;
}

FMI int FUNCTION(fmi2CompletedIntegratorStep)(void *c, int keeps_past, int *enter_event_mode, int *terminate)
{
    Instance *i = c;
    (void)keeps_past;
    NEED(continuous_mode, "fmi2CompletedIntegratorStep");
    GIVEN(1, enter_event_mode, "fmi2CompletedIntegratorStep");
    GIVEN(1, terminate, "fmi2CompletedIntegratorStep");
    set_up(i);
    *enter_event_mode = has_drifted(i);
    *terminate = 0;
    return s_ok;
}

FMI int FUNCTION(fmi2SetTime)(void *c, double t) { return set_time(c, t, "fmi2SetTime"); }
FMI int FUNCTION(fmi2SetContinuousStates)(void *c, const double x[], size_t n) { return set_states(c, x, n, "fmi2SetContinuousStates"); }

FMI int FUNCTION(fmi2GetDerivatives)(void *c, double derivatives[], size_t n) { return hand_out(c, derivatives, n, rates_vector, "fmi2GetDerivatives"); }
FMI int FUNCTION(fmi2GetEventIndicators)(void *c, double indicators[], size_t n) { return hand_out(c, indicators, n, event_vector, "fmi2GetEventIndicators"); }
FMI int FUNCTION(fmi2GetContinuousStates)(void *c, double x[], size_t n) { return hand_out(c, x, n, state_vector, "fmi2GetContinuousStates"); }
FMI int FUNCTION(fmi2GetNominalsOfContinuousStates)(void *c, double nominal[], size_t n) { return hand_out(c, nominal, n, nominal_vector, "fmi2GetNominalsOfContinuousStates"); }

/* ---- co-simulation ---- */

FMI int FUNCTION(fmi2SetRealInputDerivatives)(void *c, const unsigned vr[], size_t n, const int order[], const double value[])
{
    Instance *i = c;
    (void)vr, (void)n, (void)order, (void)value;
    NEED(any_stage, "fmi2SetRealInputDerivatives");
    say(i, s_error, "inputs are constant within a communication step");
    return s_error;
}

FMI int FUNCTION(fmi2GetRealOutputDerivatives)(void *c, const unsigned vr[], size_t n, const int order[], double value[])
{
    Instance *i = c;
    (void)vr, (void)n, (void)order, (void)value;
    NEED(any_stage, "fmi2GetRealOutputDerivatives");
    say(i, s_error, "derivatives of outputs by time are not provided");
    return s_error;
}

FMI int FUNCTION(fmi2DoStep)(void *c, double t, double h, int keeps_past)
{
    Instance *i = c;
    int status;
    (void)keeps_past;
    NEED(step_mode, "fmi2DoStep");
    status = communicate(i, t, h, "fmi2DoStep");
    return status == s_ok && i->m.is_over ? s_discard : status;
}

FMI int FUNCTION(fmi2CancelStep)(void *c)
{
    Instance *i = c;
    NEED(any_stage, "fmi2CancelStep");
    say(i, s_error, "fmi2CancelStep: steps are done when fmi2DoStep returns");
    return s_error;
}

FMI int FUNCTION(fmi2GetStatus)(void *c, int kind, int *value)
{
    Instance *i = c;
    (void)value;
    NEED(step_mode | step_failed | terminated, "fmi2GetStatus");
    say(i, s_discard, "fmi2GetStatus: there is no status %d of this type", kind);
    return s_discard;
}

FMI int FUNCTION(fmi2GetRealStatus)(void *c, int kind, double *value)
{
    Instance *i = c;
    NEED(step_mode | step_failed | terminated, "fmi2GetRealStatus");
    GIVEN(1, value, "fmi2GetRealStatus");
    if (kind != 2) return say(i, s_discard, "fmi2GetRealStatus: there is no status %d of this type", kind), s_discard;
    *value = i->m.t;
    return s_ok;
}

FMI int FUNCTION(fmi2GetIntegerStatus)(void *c, int kind, int *value)
{
    Instance *i = c;
    (void)value;
    NEED(step_mode | step_failed | terminated, "fmi2GetIntegerStatus");
    say(i, s_discard, "fmi2GetIntegerStatus: there is no status %d of this type", kind);
    return s_discard;
}

FMI int FUNCTION(fmi2GetBooleanStatus)(void *c, int kind, int *value)
{
    Instance *i = c;
    NEED(step_mode | step_failed | terminated, "fmi2GetBooleanStatus");
    GIVEN(1, value, "fmi2GetBooleanStatus");
    if (kind != 3) return say(i, s_discard, "fmi2GetBooleanStatus: there is no status %d of this type", kind), s_discard;
    *value = i->m.is_over;
    return s_ok;
}

FMI int FUNCTION(fmi2GetStringStatus)(void *c, int kind, const char **value)
{
    Instance *i = c;
    (void)value;
    NEED(step_mode | step_failed | terminated, "fmi2GetStringStatus");
    say(i, s_discard, "fmi2GetStringStatus: there is no status %d of this type", kind);
    return s_discard;
}
)runtime";

}  // namespace linkwright::codegen::fmu
