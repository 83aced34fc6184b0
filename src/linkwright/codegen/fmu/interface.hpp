#pragma once
// The variables of an FMU and what each depends on, as both versions of the standard see them.

#include <optional>

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen::fmu {

enum class Kind : std::uint8_t { time, parameter, input, followed, state, derivative, output, event, energy, multiplier, count, moment };

struct Variable {
    Kind kind;
    std::size_t reference;  ///< also the place in the list
    std::string name, unit, about;
    std::string causality, variability, initial;  ///< initial is empty where there is none
    std::optional<double> start{};
    std::size_t state = 0;  ///< of a derivative: the reference of its state
};

/// How an unknown depends on a known: references ascend, kinds are words of the standard.
struct Dependencies {
    std::vector<std::size_t> on;
    std::vector<std::string> kinds;
};

struct Unknown {
    std::size_t reference;
    Dependencies dependencies;
};

/// The lists of <ModelStructure>. Parameters are knowns of FMI 3 everywhere, of FMI 2 in initialization only. Time is never listed.
struct Interface {
    std::vector<Variable> variables;
    std::vector<Unknown> outputs, derivatives, initial_unknowns, event_indicators;
    std::vector<bool> follows_time;                 ///< for each input: given by a formula
    std::vector<bool> held_positions, held_speeds;  ///< for each speed: what closing the start leaves alone
    bool is_tunable = false;                        ///< parameters may change while it moves: where there are no constraints
    bool uses_time = false;                         ///< t occurs in the equations
};

Interface make_interface(const Package& package);

}  // namespace linkwright::codegen::fmu
