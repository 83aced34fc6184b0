#pragma once
// What a mechanism is: its degrees of freedom, masses, which constraints are redundant, whether it closes and where its joints are then.

#include <array>
#include <complex>

#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/numeric/rank_nearby.hpp"
#include "linkwright/session/assembled_joints.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct Inspection {
    struct Row {
        std::string name, about;
        bool is_holonomic = true;
        bool is_redundant_always = false;  ///< it follows from those before it, in every position
    };
    /// The count of Grübler and Kutzbach: 6 for each body, less what joints and other constraints take away, those too that say nothing new.
    struct Mobility {
        long bodies = 0;  ///< that may move
        long inside = 0;  ///< freedoms inside bodies: rotors that turn
        long joints = 0;  ///< 6 − f of every joint, added up
        long others = 0;  ///< rods, gears, rolling, given motions, written constraints
        long counted() const { return 6 * bodies + inside - joints - others; }
    };
    /// A beam by itself: its frame held, what is on it with it.
    struct OwnBeam {
        std::string name;
        std::string about;                ///< frame, shapes, order
        std::vector<double> frequencies;  ///< rad/s, ascending
        std::vector<std::vector<double>> damping;
        std::vector<std::pair<std::string, double>> constants;  ///< its shape constants
    };
    /// A filter by itself.
    struct OwnFilter {
        std::string name, input;
        std::vector<std::string> states;
        std::vector<std::complex<double>> poles, zeros;
        double static_gain = 0;  ///< infinite where there is a pole at 0
        double period = 0;       ///< 0: continuous
        SampleMethod method = SampleMethod::hold;
    };
    struct OwnMotor {
        std::string name, type, drives;  ///< "electric", "joint 'shoulder'"
        std::string input;
        std::string state;  ///< "motor.current"; empty when nothing is stored
        std::string force;  ///< "motor.torque"
        double lag = 0;     ///< storage over loss, in seconds
        double gear = 1;
    };
    struct OwnBody {
        std::string name;
        bool is_beam = false;
        double mass = 0;                         ///< of a beam with what is fixed on it
        std::array<double, 3> com{}, moments{};  ///< of a rigid body: centre of mass, moments of inertia about it, both in body axes
        std::array<double, 3> products{};        ///< Ixy, Ixz, Iyz
    };
    std::string summary;          ///< one sentence: what it is, and its degrees of freedom
    std::vector<OwnBody> bodies;  ///< in the order of the file, without the ground
    double total_mass() const;
    std::vector<AssembledJoint> joints;
    std::vector<OwnBeam> beams;
    std::vector<OwnMotor> motors;
    std::vector<OwnFilter> filters;
    std::vector<std::string> trajectories;  ///< "ref: cycloid from 0 to 1 in 2 s"
    Names names;
    std::vector<Row> rows;                            ///< of constraints
    std::vector<eom::SatisfiedConstraint> satisfied;  ///< hold in every position, whatever the other rows do
    std::size_t freedoms = 0;                         ///< of motion; at a singular position those beside it
    std::size_t rank = 0;                             ///< of the constraints, at the assembled state
    numeric::RankNearby nearby;                       ///< the same, and beside it
    Mobility mobility;
    /// Constraints beyond those that are needed for these freedoms.
    long redundant() const { return static_cast<long>(freedoms) - mobility.counted(); }
    numeric::AssembledState closed;   ///< [initial], or the nearest approach
    numeric::Evaluation at;           ///< there
    std::vector<std::string> unused;  ///< parameters and inputs that nothing is made of
};

Result<Inspection> inspect(const Session& session);

/// With the graph and its matrices.
Json to_json(const Inspection& inspection, const Session& session);

/// Parameters and inputs that no equation, output, event or initial value is made of, nor another parameter that is.
std::vector<std::string> unused(const eom::EquationsOfMotion& equations);

}  // namespace linkwright::session
