#include "linkwright/formulation/quasi_speeds.hpp"

#include <algorithm>

#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::formulation {

namespace {

/// A number that everybody can see, when it is one: a pool that does not fold has not noticed yet.
Expr as_number(const Expr& e) {
    if (e.is_number()) return e;
    for (const Expr& n : {Expr(0), Expr(1), Expr(-1), Expr(sym::Rational(1, 4))}) {
        if (equal(e, n) == sym::Verdict::equal) return n;
    }
    return e;
}

}  // namespace

QuasiSpeeds::QuasiSpeeds(const Mechanism& m)
    : columns_(m.freedoms.size()), direction_(m.freedoms.size()), is_rate_(m.freedoms.size(), true) {
    std::vector<Expr> rates, u;
    for (const kinematics::Coordinate& c : m.coordinates) q_.push_back(c.q), rates.push_back(c.rate);
    for (const kinematics::Freedom& f : m.freedoms) u.push_back(f.u);
    for (const auto& [r, i, value] : jacobian(rates, u).entries) {
        columns_[i].emplace_back(r, value);
        direction_[i].emplace_back(q_[r], value);
    }
    for (std::size_t i = 0; i < u.size(); ++i) {
        is_rate_[i] = columns_[i].empty() || (columns_[i].size() == 1 && columns_[i][0].second.is_literally(1));
    }
    for (const std::vector<std::size_t>& joint : m.freedoms_of) {
        if (!std::ranges::all_of(joint, [&](std::size_t i) { return is_rate_[i]; })) find_brackets(joint);
    }
}

std::vector<Expr> QuasiSpeeds::derivatives(const Expr& e) const {
    const std::vector<Expr> by_q = gradient(e, q_);
    std::vector<Expr> result;
    for (const auto& column : columns_) {
        Expr sum = 0;
        for (const auto& [r, N] : column) sum += N * by_q[r];
        result.push_back(sum);
    }
    return result;
}

/// A joint's speeds move that joint's coordinates, in a way that depends on those alone: brackets stay within the joint.
void QuasiSpeeds::find_brackets(std::span<const std::size_t> joint) {
    std::vector<std::size_t> rows;
    for (const std::size_t i : joint) {
        for (const auto& [r, entry] : columns_[i]) rows.push_back(r);
    }
    std::ranges::sort(rows);
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
    std::vector<std::vector<Expr>> N;  // by columns
    std::vector<sym::Tangent> along;
    for (const std::size_t i : joint) {
        N.emplace_back(rows.size());
        for (const auto& [r, entry] : columns_[i]) N.back()[std::ranges::find(rows, r) - rows.begin()] = entry;
        along.emplace_back(direction_[i]);
    }
    const auto product = [](const std::vector<Expr>& a, const std::vector<Expr>& b) {
        Expr sum = 0;
        for (std::size_t r = 0; r < a.size(); ++r) sum += a[r] * b[r];
        return as_number(sum);
    };
    Matrix gram;
    for (const auto& a : N) {
        gram.emplace_back();
        for (const auto& b : N) gram.back().push_back(product(a, b));
    }
    // [X_i, X_j] in coordinates, and its components along the columns: NᵀN c = Nᵀ [X_i, X_j].
    for (std::size_t i = 0; i < joint.size(); ++i) {
        for (std::size_t j = 0; j < joint.size(); ++j) {
            if (i == j) continue;
            std::vector<Expr> bracket, right;
            for (std::size_t r = 0; r < rows.size(); ++r) bracket.push_back(along[i](N[j][r]) - along[j](N[i][r]));
            for (const auto& column : N) right.push_back(product(column, bracket));
            if (std::ranges::all_of(right, [](const Expr& e) { return e.is_literally(0); })) continue;
            const std::vector<Expr> c = sym::solve(gram, right);
            for (std::size_t k = 0; k < joint.size(); ++k) {
                const Expr value = as_number(c[k]);
                if (!value.is_literally(0)) brackets_.push_back({joint[i], joint[j], joint[k], value});
            }
        }
    }
}

}  // namespace linkwright::formulation
