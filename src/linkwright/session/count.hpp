#pragma once
// How many operations each program takes, as they stand in emitted code: forward is `accelerations` there, or `dynamics` with constraints; inverse,
// rates and energy go by the same names. What depends on parameters alone is done once, in `setup`, which serves all functions together; here it
// is counted for each by itself. Emitted code that calls routines for chains that repeat (generate --routines) is shorter and does more.

#include "linkwright/codegen/package.hpp"
#include "linkwright/formulation/recursive/base_parameters.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct CountedProgram {
    std::string name, about;
    program::Operations run, setup;  ///< for each state; on parameters alone, once
};

/// Every program of one formulation.
struct CountedFormulation {
    std::string model, formulation;
    bool has_constraints = false;          ///< forward is M, f, G, gamma; a linear system is solved after it
    std::vector<CountedProgram> programs;  ///< forward, inverse, mass_matrix, forcing, rates, energy
    /// Of a closed chain: which pivots solve the linear system in straight-line code, the program `elimination`, and where; or why there are none.
    std::optional<codegen::PivotChoice> pivots{};
    std::string why_no_pivots{};
};

/// Of the session's formulation, or the recursive one.
/// `derivatives`: that of u̇ with all its derivatives too, of rigid trees (formulation/recursive/derivatives.hpp).
Result<CountedFormulation> count(const Session& session, bool derivatives = false);
Json to_json(const CountedFormulation& counted);

/// Of every formulation, each in a pool of its own: a pool that folds would find again what another has written, and count that. `on_step` is
/// told the formulations that are done; stopped: no value.
Result<std::vector<CountedFormulation>> count_all(const Session& session, const OnStep& on_step = {});
Json to_json(const std::vector<CountedFormulation>& all);

/// The combinations of masses and inertias that the equations depend on, and what has no effect.
Result<formulation::recursive::BaseParameters> base_parameters(const Session& session);
Json to_json(const formulation::recursive::BaseParameters& base, const std::string& model);
/// A definition, readable if that is affordable.
std::string written(const sym::Expr& definition);

std::vector<CountedProgram> count_programs(const eom::EquationsOfMotion& equations);

}  // namespace linkwright::session
