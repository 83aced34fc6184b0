#pragma once
// Frequencies of a structure along a parameter: anew at every value, or by a small model that keeps parameters as symbols.

#include "linkwright/session/structure.hpp"
#include "linkwright/structure/retained.hpp"

namespace linkwright::session {

struct StructureSweepOptions {
    StructureOptions structure{};       ///< with another method than full each value has a synthesis of its own, and nothing is retained
    std::vector<std::string> retain{};  ///< parameters that stay symbols; empty: what the beams of the model say
    std::string along{};                ///< "EI=50:200:1000", in the parameter's own unit; may be empty
    double wanted = 1e-6;               ///< of retained parameters: largest relative error of a frequency
    double range = 0.2;                 ///< a retained parameter that is not swept may change by this part of itself
};
Diagnostics check(const StructureSweepOptions& options);

struct SweptStructure {
    std::string model;
    structure::RetainedModel retained;      ///< its parameters are empty where everything was put together anew
    std::vector<std::string> coefficients;  ///< as formulas
    Eigen::VectorXd frequencies;            ///< Hz, at the values of the model
    Table table;                            ///< the parameter, then f1, f2, … in Hz; no rows without a sweep
};

/// What was stopped keeps its rows: status numerical_failure, and a value all the same.
Result<SweptStructure> sweep_structure(const Session& session, const StructureSweepOptions& options);
Json to_json(const SweptStructure& result);

}  // namespace linkwright::session
