#pragma once
// What a mechanism carries at a state: its outputs, the forces of all its springs and the reactions in all its joints, whether the model asks for them or not.

#include <array>
#include <string>
#include <vector>

#include "linkwright/numeric/operating_point.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct Carried {
    struct Spring {
        double length = 0;
        double force = 0;  ///< along increasing length: negative where it pulls
    };
    std::vector<double> outputs;                   ///< of the model, in the order of its equations
    std::vector<Spring> springs;                   ///< in the order of the model
    std::vector<std::array<double, 6>> reactions;  ///< force and moment that each joint passes on to its child, at the joint, ground axes
};

/// Derives the equations once more, with everything to be looked at as an output; then answers for any state.
class Carrying {
public:
    Carrying(const Session& session, const std::string& formulation, Report& report);
    const std::vector<std::string>& springs() const { return springs_; }
    const std::vector<std::string>& joints() const {
        return joints_;
    }  ///< all but free ones, along which nothing acts, and sections of beams
    /// Empty where the equations could not be derived.
    std::vector<Carried> operator()(const std::vector<numeric::OperatingPoint>& points) const;

private:
    std::vector<std::string> springs_, joints_;
    std::shared_ptr<model::Model> model_;  ///< to which the equations refer
    std::shared_ptr<eom::EquationsOfMotion> equations_;
};

}  // namespace linkwright::session
