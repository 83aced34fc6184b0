#pragma once
// The recursions over the moves of a linkage.

#include "linkwright/eom/sparse_rows.hpp"
#include "linkwright/formulation/recursive/linkage.hpp"
#include "linkwright/formulation/recursive/links.hpp"

namespace linkwright::formulation::recursive {

/// All that the recursions look at, so that it can be copied to a pool of its own.
struct Task {
    Linkage linkage;
    struct Freedom {
        Expr u, udot, tau;
        bool is_given;
        Expr armature = 0;  ///< of a drive along it
    };
    std::vector<Freedom> freedoms;
    std::vector<Wrench> loads;      ///< on each move's frame
    std::vector<Expr> wheel_rates;  ///< of the held speed of each wheel; nothing for those that are free
};
Task task(const System& system);
Task copy(const Task& task, sym::Pool& pool);

/// Angular velocity, its rate, and the true acceleration of the origin; the ground accelerates against gravity.
struct Motion {
    Vec3 w, wdot, a;
};

/// Of every move's frame, when the freedoms accelerate by `udot`.
std::vector<Motion> motions(const Task& task, std::span<const Expr> udot, LinkRecord* record = nullptr);

/// On each move's frame, without what comes from outside: inertia, wheels, loads.
std::vector<Wrench> own_wrenches(const Task& task, std::span<const Motion> motion, std::span<const Expr> udot,
                                 LinkRecord* record = nullptr);

/// Where a move's frame stands in that of its root, and what is given there, seen from the root.
struct FromRoot {
    Mat3 R = spatial::identity();
    Vec3 p{};

    Wrench operator()(const Wrench& F) const;
    Twist operator()(const Twist& V) const;
};
std::vector<FromRoot> poses(const Linkage& linkage);

/// The way outwards.
struct Outwards {
    std::vector<Motion> motion;
    std::vector<Wrench> wrenches;  ///< each move's own
};
/// When the freedoms that are free do not accelerate; given ones do.
Outwards bias(const Task& task, LinkRecord* record = nullptr);

/// M u̇ − f of every freedom, by Newton and Euler: velocities and accelerations outwards, wrenches inwards.
std::vector<Expr> inverse_dynamics(const Task& task, std::span<const Expr> udot);
/// −f: the same for the bias, which is there already.
std::vector<Expr> inverse_dynamics(const Task& task, Outwards bias);

/// Composite moments inwards; the momentum of each freedom's unit rate meets every freedom on the way to the ground.
Matrix mass_matrix(const Task& task);
/// The same without its zeros.
eom::SparseRows mass_entries(const Task& task);
/// Its diagonal.
std::vector<Expr> inertias(const Task& task);

/// u̇ of a tree's freedoms that are not given, by articulated bodies; those of given ones are their symbols.
std::vector<Expr> forward_dynamics(const Task& task);
std::vector<Expr> forward_dynamics(const Task& task, Outwards bias, LinkRecord* record);

}  // namespace linkwright::formulation::recursive
