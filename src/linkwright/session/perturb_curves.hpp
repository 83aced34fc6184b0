#pragma once
// Curves of multiple scales with points of the full equations over them: backbones of the modes, and the response around the frequency of the
// excitation.

#include "linkwright/perturb/simulated_points.hpp"
#include "linkwright/session/perturb.hpp"

namespace linkwright::session {

struct CurvesOptions {
    PerturbOptions perturb{};
    std::size_t points = 6;     ///< simulated on each backbone
    std::size_t response = 16;  ///< simulated on the branches of the response, together
    long steps = 30'000;        ///< of integration for the backbones, and as many for the response; divided by the number of speeds
};

/// What was simulated: the points there are, and why others are not.
struct SimulatedCurve {
    std::vector<perturb::SimulatedPoint> points{};
    std::vector<std::string> left_out{};
    void add(perturb::SimulatedPoint point);
};

struct BackboneCurve {
    perturb::Backbone backbone;
    double farthest = 0;  ///< amplitude up to which it is drawn
    SimulatedCurve simulated{};
    double frequency_at(double a) const;
};
struct ResponseCurve {
    perturb::ResponseBranch branch;
    SimulatedCurve simulated{};
};
struct PerturbCurves {
    std::vector<BackboneCurve> backbones;  ///< of modes that have one
    std::vector<ResponseCurve> response;   ///< its branches, where something depends on time
    std::vector<std::string> notes;
};

/// How far the backbone is worth drawing. With m corrections to ω, of relative size r together, the first that is left out is of the order r^(m+1): it is
/// drawn until that is a hundredth, and no further than the higher orders of the motion itself stay below the first. A mode that no term bends
/// has no such measure: 1.
double farthest_amplitude(const perturb::Backbone& backbone, const perturb::MultipleScales<double>& scales);

Result<PerturbCurves> perturb_curves(const Session& session, const CurvesOptions& options = {});

}  // namespace linkwright::session
