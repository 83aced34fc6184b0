// Closed chains beside Simbody and MuJoCo: accelerations of the joints with the loops closed.
//
//     loop_engines_bench
//
// All three have the same tree and the same joints cut. Linkwright's time is that of compiled code for M, f, G, γ with the elimination
// (numeric/eliminated_dynamics.hpp); Simbody's that of calcAcceleration with constraints, MuJoCo's that of mj_forward with equality constraints. They must
// agree first: Simbody to 1e-9; MuJoCo, whose constraints give way by design, to 1e-3 of the largest acceleration. CPU time, the least of several runs.

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "least_time.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/eliminated_dynamics.hpp"
#include "linkwright/solve/descriptor.hpp"
#include "mujoco_model.hpp"
#include "n_four_bar.hpp"
#include "simbody_model.hpp"

namespace {

using namespace linkwright;
namespace engines = linkwright::bench;
using ::bench::least_time;
using engines::Limb;

/// A mechanism at rest where its motion begins, under its weight: MuJoCo leaves out what speeds do to the rows of constraints.
struct Subject {
    std::string name;
    model::Model model;
    eom::EquationsOfMotion e;
    numeric::CompiledEquations numbers;
    numeric::State start;
    engines::Tree tree;
    engines::Posture posture;
    std::vector<Eigen::Index> places;  ///< of the posture's speeds among ours

    Subject(std::string called, model::Model read)
        : name(std::move(called)),
          model(std::move(read)),
          e(formulation::recursive::derive(model, topology::analyse(model).topology.value(), {}).equations.value()),
          numbers(e, jit::native()),
          tree(engines::make_tree(model, true)) {
        const numeric::AssembledState assembled = numeric::assemble(numbers, numeric::wanted(numbers), 0);
        if (!assembled.is_ok()) throw std::runtime_error(name + ": " + assembled.why);
        start = assembled.state;
        start.w.setZero();
        start.u.setZero();
        find_posture();
    }

private:
    static Eigen::Index place(const std::vector<sym::Expr>& all, const std::string& name) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].symbol().name == name) return static_cast<Eigen::Index>(i);
        }
        throw std::runtime_error(name + " was cut");
    }

    /// The others refuse bodies that have no moment of inertia about an axis, even where they never turn about it.
    void give_moments(Limb& limb) const {
        if (std::ranges::all_of(tree.closures, &engines::Closure::is_plane))
            limb.inertia = limb.inertia(2, 2) * Eigen::Matrix3d::Identity();
        limb.inertia += 1e-12 * limb.inertia.trace() * Eigen::Matrix3d::Identity();
    }

    void find_posture() {
        for (Limb& limb : tree.limbs) {
            give_moments(limb);
            const auto joint = std::ranges::find(model.joints, limb.joint_name, &model::Joint::name);
            if (limb.joint == Limb::Joint::free) {  // stands still where it is, and that is its reference pose
                for (std::size_t k = 0; k < 3; ++k)
                    limb.X_PF.translation()[static_cast<Eigen::Index>(k)] += start.q[place(e.q, joint->coordinates.at(k).symbol().name)];
                if (start.q[place(e.q, joint->coordinates.at(3).symbol().name)] != 1) throw std::runtime_error(limb.name + " is turned");
                continue;
            }
            for (std::size_t k = 0; k < limb.freedoms(); ++k) {
                places.push_back(place(e.u, limb.speeds[k]));
                posture.q.push_back(start.q[place(e.q, joint->coordinates.at(k).symbol().name)]);
                posture.u.push_back(start.u[places.back()]);
                posture.drive.push_back(0);
            }
        }
    }
};

std::string row(Subject subject) {
    const sym::PoolScope scope(*subject.e.pool);
    const eom::EquationsOfMotion& e = subject.e;
    std::vector<sym::Expr> all;
    for (std::size_t i = 0; i < e.M.size(); ++i) all.insert(all.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
    all.insert(all.end(), e.f.begin(), e.f.end());
    for (const eom::Constraint& c : e.constraints) all.insert(all.end(), c.G.begin(), c.G.end()), all.push_back(c.gamma);
    const Eigen::VectorXd in = numeric::arguments(subject.numbers.layout(), subject.start);
    const std::span<const double> at(in.data(), static_cast<std::size_t>(in.size()));
    std::vector<double> out(all.size());
    subject.numbers.compile(all)(at, out);
    const numeric::Dynamics d = subject.numbers.dynamics(subject.start);
    const Eigen::Index rank = solve::solve_descriptor(d.M, d.f, d.G, d.gamma).rank;
    numeric::EliminatedDynamics ours(subject.numbers, subject.numbers.lower(all), rank);
    if (!ours.choose(out) || !ours.solve(at)) throw std::runtime_error(subject.name + ": " + ours.why());

    engines::SimbodyModel simbody(subject.tree);
    engines::MujocoModel mujoco(subject.tree);
    std::vector<double> by_simbody(subject.posture.u.size()), by_mujoco(by_simbody);
    simbody.forward(subject.posture, by_simbody);
    mujoco.forward(subject.posture, by_mujoco);
    double largest = 1e-3, apart_simbody = 0, apart_mujoco = 0;
    for (std::size_t i = 0; i < subject.places.size(); ++i) largest = std::max(largest, std::abs(ours.udot()[subject.places[i]]));
    for (std::size_t i = 0; i < subject.places.size(); ++i) {
        const double a = ours.udot()[subject.places[i]];
        apart_simbody = std::max(apart_simbody, std::abs(a - by_simbody[i]) / largest);
        apart_mujoco = std::max(apart_mujoco, std::abs(a - by_mujoco[i]) / largest);
    }
    if (!(apart_simbody < 1e-9) || !(apart_mujoco < 1e-3))
        throw std::runtime_error(fmt::format("{}: Simbody is {:.2g} away, MuJoCo {:.2g}", subject.name, apart_simbody, apart_mujoco));
    const double own = least_time(2e-3, 9, [&] { ours.solve(at); });
    const double s = least_time(2e-3, 9, [&] { simbody.forward(subject.posture, by_simbody); });
    const double m = least_time(2e-3, 9, [&] { mujoco.forward(subject.posture, by_mujoco); });
    return fmt::format("| {} | {} | {} | {:.3f} | {:.1f} | {:.1f} | {:.0f} | {:.0f} | {:.0e} | {:.0e} |\n", subject.name, e.u.size(),
                       e.constraints.size(), own * 1e6, m * 1e6, s * 1e6, m / own, s / own, apart_mujoco, apart_simbody);
}

model::Model file(const std::string& folder) { return model::read_file(LINKWRIGHT_ROOT "/models/" + folder + "/model.toml").model.value(); }

}  // namespace

int main() try {
    if (const std::string why = jit::why_not(); !why.empty()) {
        fmt::print("{}\n", why);
        return 0;
    }
    fmt::print(
        "| u̇ and λ | speeds | rows | Linkwright, µs | MuJoCo {}, µs | Simbody {}, µs | × MuJoCo | × Simbody | MuJoCo apart | Simbody apart "
        "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        engines::MujocoModel::version(), engines::SimbodyModel::version());
    for (const std::string folder : {"four_bar", "stewart_platform"}) fmt::print("{}", row(Subject(folder, file(folder))));
    for (const int n : {2, 10, 40})
        fmt::print("{}", row(Subject(fmt::format("n_four_bar {}", n), model::read(::bench::n_four_bar(n)).model.value())));
    return 0;
} catch (const std::exception& problem) {
    fmt::print(stderr, "loop_engines_bench: {}\n", problem.what());
    return 1;
}
