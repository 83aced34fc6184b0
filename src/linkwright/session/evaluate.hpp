#pragma once
// Numbers at a state: mass matrix, forcing, accelerations, energies, outputs.

#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/quantities.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/state_file.hpp"
#include "linkwright/session/units.hpp"

namespace linkwright::session {

struct EvaluateOptions {
    StateWords state{};     ///< as it stands; none: the assembled initial state
    bool assemble = false;  ///< close the loops of that state first
    Quantities quantities{};
};
Diagnostics check(const EvaluateOptions& options);

/// A frame at a state: v = J u + rest, v̇ = J u̇ + bias.
struct EvaluatedFrame {
    std::string name, about;
    std::vector<std::string> rows;
    Eigen::MatrixXd J, Jdot;
    Eigen::VectorXd rest, bias;
    std::vector<std::size_t> moved;  ///< rows of J that do not vanish whatever the state is
    Eigen::MatrixXd inertia;         ///< Λ of those rows; empty when there is none
    std::string why_no_inertia;
};

/// What was asked for beside the equations; the rest is empty.
struct EvaluatedQuantities {
    Eigen::MatrixXd C;
    Eigen::VectorXd g;
    std::vector<std::pair<std::string, Eigen::VectorXd>> causes;
    std::vector<EvaluatedFrame> frames;
};

struct EvaluatedState {
    Names names;
    numeric::State state;
    numeric::Evaluation evaluation;
    Units units{};
    Quantities asked{};
    EvaluatedQuantities quantities{};
};

Result<EvaluatedState> evaluate(const Session& session, const EvaluateOptions& options = {});
Json to_json(const EvaluatedState& result);

/// The initial state, closed.
Result<numeric::State> initial_state(const Session& session);
/// The state that is meant, closed.
Result<numeric::State> closed_state(const Session& session, const StateWords& words);

}  // namespace linkwright::session
