#include "linkwright/exchange/mjcf_spring_damper.hpp"

#include <map>
#include <set>

#include "linkwright/solve/dense.hpp"

namespace linkwright::exchange::mjcf {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr std::size_t most_freedoms = 600;

/// A unit rate of a joint, as it moves what hangs on it: a turn about a line, or a shift.
struct Freedom {
    std::size_t body = 0, joint = 0;
    bool is_turn = true;
    Vector3d axis, at;
};

void add_freedoms(const Tree& tree, std::size_t j, const Pose& X_WB, std::vector<Freedom>& all) {
    const Joint& joint = tree.joints[j];
    const Vector3d at = X_WB * joint.pos;
    const bool is_scalar = joint.kind == JointKind::hinge || joint.kind == JointKind::slide;
    if (is_scalar) return all.push_back({joint.body, j, joint.kind == JointKind::hinge, X_WB.q * joint.axis, at});
    for (int k = 0; k < 3; ++k) {
        all.push_back({joint.body, j, true, X_WB.q * Vector3d::Unit(k), at});
        if (joint.kind == JointKind::free) all.push_back({joint.body, j, false, Vector3d::Unit(k), at});
    }
}

/// M where the file shows the bodies, of what hangs on one body of the world.
struct ShownMass {
    const Tree& tree;
    const std::vector<Inertia>& inertias;
    std::vector<Freedom> freedoms{};
    std::vector<std::size_t> bodies{};

    MatrixXd calc() const {
        MatrixXd M = MatrixXd::Zero(size(), size());
        std::map<std::size_t, std::vector<Index>> moved_by;  // per body, its own freedoms and those inwards
        for (const std::size_t b : bodies) {
            std::vector<Index> own;
            if (const auto inner = moved_by.find(tree.bodies[b].parent); inner != moved_by.end()) own = inner->second;
            for (Index i = 0; i < size(); ++i)
                if (freedoms[static_cast<std::size_t>(i)].body == b) own.push_back(i);
            add_body(b, own, M);
            moved_by[b] = std::move(own);
        }
        for (Index i = 0; i < size(); ++i) M(i, i) += tree.joints[freedoms[static_cast<std::size_t>(i)].joint].armature;
        return M;
    }
    Index size() const { return static_cast<Index>(freedoms.size()); }

private:
    void add_body(std::size_t b, const std::vector<Index>& moved_by, MatrixXd& M) const {
        const Pose X = tree.world_pose(b);
        const Inertia& I = inertias[b];
        const Eigen::Matrix3d R = X.q.toRotationMatrix(), moments = R * I.moments * R.transpose();
        const Vector3d com = X * I.com;
        const auto n = static_cast<Index>(moved_by.size());
        MatrixXd v(3, n), w = MatrixXd::Zero(3, n);
        for (Index i = 0; i < n; ++i) {
            const Freedom& f = freedoms[static_cast<std::size_t>(moved_by[static_cast<std::size_t>(i)])];
            v.col(i) = f.is_turn ? cross(f.axis, com - f.at) : f.axis;
            if (f.is_turn) w.col(i) = f.axis;
        }
        const MatrixXd part = I.mass * v.transpose() * v + w.transpose() * moments * w;
        for (Index i = 0; i < n; ++i)
            for (Index k = 0; k < n; ++k) M(moved_by[static_cast<std::size_t>(i)], moved_by[static_cast<std::size_t>(k)]) += part(i, k);
    }
};

void apply_in_tree(Tree& tree, const ShownMass& shown) {
    const solve::Definite factor = solve::factor_definite(shown.calc());
    if (!factor.ok) return;                                  // something without mass: told when it is to move
    std::map<std::size_t, std::pair<double, int>> mobility;  // per joint: Σ (M⁻¹)_ii, and of how many
    for (Index i = 0; i < shown.size(); ++i) {
        const std::size_t j = shown.freedoms[static_cast<std::size_t>(i)].joint;
        if (!tree.joints[j].spring_damper) continue;
        auto& [sum, count] = mobility[j];
        sum += solve::solve(factor, VectorXd::Unit(shown.size(), i)).x[i];
        ++count;
    }
    for (const auto& [j, all] : mobility) {
        Joint& joint = tree.joints[j];
        const auto [time, ratio] = *joint.spring_damper;
        const double mass = all.second / all.first;
        joint.stiffness = mass / (time * time * ratio * ratio);
        joint.damping = 2 * mass / time;
    }
}

}  // namespace

void apply_spring_dampers(Tree& tree, const std::vector<Inertia>& inertias) {
    std::vector<std::size_t> root(tree.bodies.size(), 0);  // the body of the world that a body hangs on
    for (std::size_t b = 1; b < tree.bodies.size(); ++b) root[b] = tree.bodies[b].parent == 0 ? b : root[tree.bodies[b].parent];
    std::set<std::size_t> asked;
    for (const Joint& joint : tree.joints)
        if (joint.spring_damper) asked.insert(root[joint.body]);
    if (asked.empty()) return;
    std::map<std::size_t, ShownMass> trees;
    for (const std::size_t r : asked) trees.emplace(r, ShownMass{tree, inertias});
    for (std::size_t b = 1; b < tree.bodies.size(); ++b) {
        const auto place = trees.find(root[b]);
        if (place == trees.end() || place->second.freedoms.size() > most_freedoms) continue;
        const Pose X = tree.world_pose(b);
        place->second.bodies.push_back(b);
        for (const std::size_t j : tree.bodies[b].joints) add_freedoms(tree, j, X, place->second.freedoms);
    }
    for (const auto& [r, shown] : trees) {
        if (shown.freedoms.size() <= most_freedoms) {
            apply_in_tree(tree, shown);
            continue;
        }
        for (const Joint& joint : tree.joints)
            if (joint.spring_damper && root[joint.body] == r)
                leave_out(tree.left_out, "springs and dampers made by 'springdamper', in trees of many freedoms", joint.at);
    }
}

}  // namespace linkwright::exchange::mjcf
