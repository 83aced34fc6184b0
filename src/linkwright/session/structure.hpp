#pragma once
// Natural frequencies and shapes of a mechanism as a structure of finite elements, and component mode synthesis beside it.

#include "linkwright/session/json.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/start_state.hpp"
#include "linkwright/session/table.hpp"
#include "linkwright/structure/synthesis.hpp"

namespace linkwright::session {

struct StructureOptions {
    /// How joints hold: "locked" or "free" for all, "elbow=locked", "elbow=free", "elbow=open" for one; later words win. Without any joints are as
    /// the model has them, and a structure that moves as a whole is an error.
    std::vector<std::string> joints{};
    std::optional<long> elements{};  ///< of every beam; without it: what a beam says, or 20
    structure::Method method = structure::Method::full;
    /// "8": so many modes (of the structure, or elastic ones of each component); "1:8" of a synthesis: a table of all from 1 to 8. Empty: 10, or
    /// 2 of each component.
    std::string modes{};
    StateWords state{};  ///< where; without it: the initial state
    OnStep on_step{};    ///< told the syntheses that are done
};
Diagnostics check(const StructureOptions& options);

/// One synthesis beside the full model.
struct SynthesisRow {
    long modes = 0;  ///< of each component
    structure::Index freedoms = 0;
    Eigen::VectorXd frequencies;  ///< Hz, rigid-body modes first
    Eigen::VectorXd error;        ///< %, beside the same mode of the full model; 0 for rigid-body modes
};

/// How a body moves in a mode: a beam at its nodes, a rigid body at its origin.
struct BodyShape {
    std::string body;
    Eigen::VectorXd x;                   ///< along a beam; empty for a rigid body
    Eigen::MatrixXd displacement, turn;  ///< rows: x y z in ground axes
};

struct FoundStructure {
    std::string model;
    structure::Method method = structure::Method::full;
    std::vector<std::string> bodies;                        ///< the ground not among them
    std::vector<std::size_t> elements;                      ///< of each; 0 for a rigid body
    std::vector<std::string> joints;                        ///< "elbow: locked"
    structure::NaturalModes modes;                          ///< of the method, with as many shapes as were asked for
    Eigen::MatrixXd energy;                                 ///< kinetic, parts of the whole: bodies × modes
    std::vector<std::vector<BodyShape>> shapes;             ///< of each mode
    std::vector<std::string> moving_bodies, moving_joints;  ///< of rigid-body modes
    structure::Index full_freedoms = 0;
    Eigen::VectorXd full;                               ///< Hz: of the full model, where a synthesis is compared with it
    std::vector<SynthesisRow> table;                    ///< of a synthesis
    std::vector<structure::ComponentModes> components;  ///< of the last of them
    std::vector<std::string> notes;
};

Result<FoundStructure> structure(const Session& session, const StructureOptions& options = {});
Json to_json(const FoundStructure& result);
/// Of a synthesis: modes, freedoms, f1, error1, f2, …
Table table_of(const FoundStructure& result);

}  // namespace linkwright::session
