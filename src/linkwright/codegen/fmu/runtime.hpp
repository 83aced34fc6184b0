#pragma once
// The C text around a model's emitted C that makes an FMU of it, the same for every model. NAME stands for the model's identifier, CALL_f
// for a call of its function f (nothing where the model has no such function).

namespace linkwright::codegen::fmu {

/// The instance: what it remembers, how its variables follow from that, closing loops, directional derivatives.
extern const char* const core_text;
/// Filters that a computer runs: when they sample, and what they make of it.
extern const char* const sampling_text;
/// Co-simulation: steps of variable length with dense output, crossings of event functions found within them.
extern const char* const integrator_text;
/// The stages of an instance's life, and what may be called in each: what both versions of the interface have in common.
extern const char* const life_text;
/// The functions of the interface, and types that must stand before all else, as the standards define them.
extern const char* const fmi2_types;
extern const char* const fmi2_text;
extern const char* const fmi3_types;
extern const char* const fmi3_text;

}  // namespace linkwright::codegen::fmu
