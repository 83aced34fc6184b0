// kdl_oracle ROBOT.urdf: what KDL finds of a robot that its own reader has read, as JSON: mass matrix, forces of velocity and of gravity, poses of all
// links, at three states. test/exchange/robots/*.json are what it printed; `make test` holds exchange against them without KDL. `kdl_oracle --check ROBOT.urdf …`
// compares these files with what the library says now.
//
// Inverse dynamics (recursive Newton-Euler) tells all: M by columns from unit accelerations at rest without gravity, the forces of velocity from none,
// those of gravity from rest.

#include <cmath>
#include <cstdio>
#include <fstream>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

/// Angles and speeds that are in no special place, the same on every machine.
double value_of(std::size_t joint, std::size_t state, double size) {
    return size * std::sin(1.0 + 2.3 * static_cast<double>(joint) + 0.7 * static_cast<double>(state * (joint + 1)));
}

json to_json(const KDL::JntArray& x) { return std::vector<double>(x.data.data(), x.data.data() + x.rows()); }

json at_state(KDL::Tree& tree, std::size_t state) {
    const unsigned n = tree.getNrOfJoints();
    KDL::JntArray q(n), u(n), a(n), none(n), force(n);
    for (unsigned i = 0; i < n; ++i) {
        q(i) = value_of(i, state, 1.2);
        u(i) = value_of(i + n, state, 2.0);
    }
    KDL::TreeIdSolver_RNE at_ease(tree, KDL::Vector::Zero()), heavy(tree, KDL::Vector(0, 0, -9.81));
    json M = json::array();
    for (unsigned i = 0; i < n; ++i) {
        KDL::SetToZero(a);
        a(i) = 1;
        at_ease.CartToJnt(q, none, a, {}, force);
        M.push_back(to_json(force));
    }
    json out{{"q", to_json(q)}, {"u", to_json(u)}, {"M", M}};
    at_ease.CartToJnt(q, u, none, {}, force);
    out["bias"] = to_json(force);
    heavy.CartToJnt(q, none, none, {}, force);
    out["gravity"] = to_json(force);
    KDL::TreeFkSolverPos_recursive place(tree);
    for (const auto& [name, element] : tree.getSegments()) {
        KDL::Frame X;
        place.JntToCart(q, X, name);
        json pose = json::array();
        for (int i = 0; i < 3; ++i) pose.push_back(X.p(i));
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) pose.push_back(X.M(i, j));
        }
        out["poses"][name] = pose;
    }
    return out;
}

/// Everything about a robot; null when KDL does not read it.
json tell(const std::string& file) {
    KDL::Tree tree;
    if (!kdl_parser::treeFromFile(file, tree)) return {};
    json joints = json::array();
    joints.get_ref<json::array_t&>().resize(tree.getNrOfJoints());
    for (const auto& [name, element] : tree.getSegments()) {
        if (element.segment.getJoint().getType() != KDL::Joint::None) joints[element.q_nr] = element.segment.getJoint().getName();
    }
    json out{{"joints", joints}, {"states", json::array()}};
    for (std::size_t state = 0; state < 3; ++state) out["states"].push_back(at_state(tree, state));
    return out;
}

/// Numbers within 1e-9 of their size, anything else the same.
bool agree(const json& a, const json& b) {
    if (a.is_number() && b.is_number()) return std::abs(a.get<double>() - b.get<double>()) <= 1e-9 * (1 + std::abs(a.get<double>()));
    if (a.size() != b.size() || a.type() != b.type()) return false;
    if (!a.is_structured()) return a == b;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
        if (!agree(*x, *y)) return false;
    return true;
}

int check(const std::vector<std::string>& files) {
    int bad = 0;
    for (const std::string& file : files) {
        std::ifstream in(file.substr(0, file.size() - 5) + ".json");
        const json kept = json::parse(in, nullptr, false), now = tell(file);
        const bool same = !now.empty() && agree(kept, now);
        std::printf("%s: %s\n", file.c_str(), same ? "the same" : "DIFFERENT");
        bad += same ? 0 : 1;
    }
    return bad != 0 ? 1 : 0;
}

}  // namespace

int main(int count, char** words) {
    const std::vector<std::string> all(words + 1, words + count);
    if (all.size() > 1 && all.front() == "--check") return check({all.begin() + 1, all.end()});
    const json out = all.size() == 1 ? tell(all.front()) : json{};
    if (out.empty()) {
        std::fprintf(stderr, "usage: kdl_oracle ROBOT.urdf      or: kdl_oracle --check ROBOT.urdf...\n");
        return 2;
    }
    std::puts(out.dump(1).c_str());
}
