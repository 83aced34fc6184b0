#pragma once
// The motion by multiple scales against the simulated one, once or with ε halved again and again.

#include "linkwright/perturb/scales_motion.hpp"
#include "linkwright/session/perturb.hpp"

namespace linkwright::session {

struct ScalesCompareOptions {
    PerturbOptions perturb{};
    std::vector<std::string> amplitude{};  ///< begin here: MODE=VALUE or COORDINATE=VALUE; empty: [initial]
    std::optional<double> until{};         ///< empty: 20 periods of the slowest mode
    std::optional<long> samples{};         ///< empty: 400
    std::optional<long> halving{};         ///< again with all amplitudes halved so often, over the same slow time
    std::vector<std::string> shrink{};     ///< parameters that shrink like a power of ε: "c=2"
    std::optional<double> tolerance{};     ///< of the simulation; empty: 1e-10
};
Diagnostics check(const ScalesCompareOptions& options);

struct ScalesComparison {
    struct Halving {
        double epsilon = 1, until = 0, error = 0, relative = 0;
        bool is_exact = false;          ///< only the errors of the simulation are left
        std::optional<double> order{};  ///< log₂ of what halving did to the relative error; none where that says nothing
    };
    std::string model;
    std::vector<std::string> coordinates;
    Eigen::VectorXcd A;                           ///< amplitudes of modes at the beginning, ½ a e^{iβ}
    std::optional<perturb::ScalesMotion> motion;  ///< without halving
    std::vector<Halving> halvings;
    unsigned slowness = 0;  ///< times grow like 1/ε to this power
    bool has_more = false;  ///< damping or excitation that did not shrink
    std::vector<std::string> notes;
    Table table() const;  ///< of the motion: t, coordinates, the same by multiple scales
};

/// What could not be followed to the end: status numerical_failure, with what there is.
Result<ScalesComparison> compare_scales(const Session& session, const ScalesCompareOptions& options = {});
Json to_json(const ScalesComparison& result);

}  // namespace linkwright::session
