#include "linkwright/numeric/layout.hpp"

namespace linkwright::numeric {

using Index = Eigen::Index;

Layout layout_of(const eom::EquationsOfMotion& e) {
    return {static_cast<Index>(e.q.size()), static_cast<Index>(e.x.size()), static_cast<Index>(e.u.size()),
            static_cast<Index>(e.inputs.size()), static_cast<Index>(e.constraints.size())};
}

std::vector<Expr> arguments(const eom::EquationsOfMotion& e, bool with_accelerations) {
    std::vector<Expr> in{e.t};
    const auto add = [&](const std::vector<Expr>& list) { in.insert(in.end(), list.begin(), list.end()); };
    add(e.q), add(e.x), add(e.u);
    for (const eom::Input& w : e.inputs) in.push_back(w.symbol);
    if (!with_accelerations) return in;
    add(e.udot);
    for (const eom::Constraint& c : e.constraints) in.push_back(c.lambda);
    return in;
}

namespace {

void fill(const Layout& at, const State& s, VectorXd& in) {
    in[0] = s.t;
    in.segment(at.q(), at.nq) = s.q;
    if (s.x.size() == at.nx) in.segment(at.x(), at.nx) = s.x;
    in.segment(at.u(), at.nu) = s.u;
    in.segment(at.w(), at.nw) = s.w;
}

}  // namespace

VectorXd arguments(const Layout& at, const State& s) {
    VectorXd in = VectorXd::Zero(at.size());
    fill(at, s, in);
    return in;
}

VectorXd arguments(const Layout& at, const State& s, const VectorXd& udot, const VectorXd& lambda) {
    VectorXd in = VectorXd::Zero(at.size(true));
    fill(at, s, in);
    in.segment(at.udot(), at.nu) = udot;
    in.segment(at.lambda(), at.m) = lambda;
    return in;
}

}  // namespace linkwright::numeric
