#pragma once
// Where a verb is to look at a model: --at equilibrium|initial, --state FILE, and what an equilibrium may be like.

#include "linkwright/linear/equilibrium/operating.hpp"
#include "start.hpp"

namespace linkwright::cli {

/// What kind of equilibrium is asked for, as it was typed.
struct EquilibriumWords {
    std::vector<std::string> hold;    ///< name=value; values are numbers or expressions in parameters
    std::vector<std::string> moving;  ///< coordinates
    std::vector<std::string> trim;    ///< inputs
    bool steady = false;
};
void declare(CLI::App& words, EquilibriumWords& equilibrium);

struct OperatingWords {
    std::optional<linear::Operating::At> at;  ///< empty: equilibrium, or the state of the file if there is one
    std::string state;
    EquilibriumWords equilibrium;
};
void declare(CLI::App& words, OperatingWords& operating);

/// The options behind the words; empty when they are wrong, and that has been told. Steady motion without any speed held holds those
/// of [initial] whose coordinates may move; speeds of [initial] that are not kept are noted unless `quiet`.
std::optional<linear::EquilibriumOptions> read_equilibrium(const EquilibriumWords& words, const numeric::CompiledEquations& numbers, const linear::Equilibria& equilibria, bool quiet);

/// What to try when there is none.
std::string hint_without_equilibrium(const linear::Equilibrium& tried, const linear::EquilibriumOptions& options, const numeric::CompiledEquations& numbers, const linear::Equilibria& equilibria);

struct OperatingState {
    numeric::OperatingPoint point;
    linear::Operating what;                          ///< for OperatingPoints, to find it again with other parameters
    std::optional<linear::Equilibrium> equilibrium;  ///< when it is one
    int status = done;
    bool has_point = false;  ///< false: nothing to go on with; the reasons have been told
};

/// Finds the point that the words mean. Notes go to standard error unless `quiet`.
OperatingState operating_state(const OperatingWords& words, const numeric::CompiledEquations& numbers, bool quiet);

/// Whether these equations can be linearized at all: those with more speeds than freedoms (newton_euler) cannot, and that is told.
bool can_linearize(const eom::EquationsOfMotion& equations);

}  // namespace linkwright::cli
