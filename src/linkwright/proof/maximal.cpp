#include "linkwright/proof/maximal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "linkwright/proof/at_solution.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::proof {

namespace {

using Clock = std::chrono::steady_clock;

/// Σ a_k x_k
Expr sum_of_products(std::span<const Expr> a, std::span<const Expr> x) {
    Expr sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (!a[k].is_literally(0) && !x[k].is_literally(0)) sum += a[k] * x[k];
    }
    return sum;
}

/// What may use u̇ and λ.
bool is_value(EntryKind kind) { return kind == EntryKind::power || kind == EntryKind::output || kind == EntryKind::event; }
/// What is compared by its action on accelerations, or on both sides by hand.
bool is_of_system(EntryKind kind) { return kind == EntryKind::mass || kind == EntryKind::force || kind == EntryKind::constraint; }

/// Rows of constraints, by what they say about ṡ.
std::string row_name(const eom::Constraint& c) { return fmt::format("G u'[{}]", c.name); }

}  // namespace

Projection project(const EquationsOfMotion& e) {
    const sym::PoolScope scope(*e.pool);
    const eom::Reduction& r = *e.reduction;
    const std::size_t n = e.u.size();
    Projection p{.maximal = &e};
    std::vector<sym::Binding> speeds, moving, accelerations;
    for (std::size_t i = 0; i < n; ++i) {
        p.velocity.push_back(sum_of_products(r.B[i], r.s) + r.b[i]);
        speeds.emplace_back(e.u[i], p.velocity[i]);
    }
    sym::Substitution in_s(speeds);
    for (std::size_t i = 0; i < e.q.size(); ++i) moving.emplace_back(e.q[i], in_s(e.qdot[i]));
    for (std::size_t i = 0; i < e.x.size(); ++i) moving.emplace_back(e.x[i], in_s(e.xdot[i]));
    moving.emplace_back(e.t, Expr(1));
    sym::Tangent rate(moving);
    std::vector<Expr> turning;
    for (std::size_t i = 0; i < n; ++i) {
        turning.push_back(sum_of_products(r.B[i], r.sdot));
        p.left.push_back(rate(p.velocity[i]));
        p.acceleration.push_back(turning[i] + p.left[i]);
        accelerations.emplace_back(e.u[i], p.velocity[i]);
        accelerations.emplace_back(e.udot[i], p.acceleration[i]);
    }
    std::vector<Expr> momentum, force;
    for (std::size_t i = 0; i < n; ++i) {
        momentum.push_back(sum_of_products(e.M[i], turning));
        force.push_back(in_s(e.f[i]) - sum_of_products(e.M[i], p.left));
    }
    for (std::size_t j = 0; j < r.s.size(); ++j) {
        Expr M_row = 0, f = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (r.B[i][j].is_literally(0)) continue;
            M_row += r.B[i][j] * momentum[i];
            f += r.B[i][j] * force[i];
        }
        p.entries.push_back({EntryKind::mass, speed_name("M u'", r.s[j]), M_row});
        p.entries.push_back({EntryKind::force, speed_name("f", r.s[j]), f});
    }
    for (const eom::Constraint& c : e.constraints) {
        p.entries.push_back({EntryKind::constraint, row_name(c), sum_of_products(c.G, turning)});
        p.entries.push_back({EntryKind::gamma, fmt::format("gamma[{}]", c.name), in_s(c.gamma) - sum_of_products(c.G, p.left)});
        p.entries.push_back({EntryKind::rate, fmt::format("rate[{}]", c.name), in_s(c.rate)});
        p.entries.push_back({EntryKind::phi, fmt::format("phi[{}]", c.name), c.phi});
    }
    sym::Substitution in_s_and_sdot(accelerations);
    for (const Entry& entry : entries(e)) {
        if (is_value(entry.kind)) {
            p.values.push_back({entry.kind, entry.name, in_s_and_sdot(entry.value)});
        } else if (entry.kind == EntryKind::energy || entry.kind == EntryKind::momentum) {
            p.entries.push_back({entry.kind, entry.name, in_s(entry.value)});
        }
    }
    for (std::size_t i = 0; i < e.q.size(); ++i) p.entries.push_back({EntryKind::rate, speed_name("rate", e.q[i]), in_s(e.qdot[i])});
    for (std::size_t i = 0; i < e.x.size(); ++i) p.entries.push_back({EntryKind::rate, speed_name("rate", e.x[i]), in_s(e.xdot[i])});
    p.balance = prepare(p);
    return p;
}

std::vector<Pair> maximal_pairs(const std::string& maximal_name, const Projection& p, const std::string& relative_name,
                                const EquationsOfMotion& relative, const sym::Rational& division) {
    const auto start = Clock::now();
    const EquationsOfMotion& e = *p.maximal;
    std::vector<Entry> of_relative;
    {
        const sym::PoolScope scope(*relative.pool);
        for (std::size_t i = 0; i < relative.u.size(); ++i) {
            of_relative.push_back({EntryKind::mass, speed_name("M u'", relative.u[i]), sum_of_products(relative.M[i], relative.udot)});
            of_relative.push_back({EntryKind::force, speed_name("f", relative.u[i]), relative.f[i]});
        }
        for (const eom::Constraint& c : relative.constraints)
            of_relative.push_back({EntryKind::constraint, row_name(c), sum_of_products(c.G, relative.udot)});
        for (const Entry& entry : entries(relative)) {
            if (!is_value(entry.kind) && !is_of_system(entry.kind)) of_relative.push_back(entry);
        }
        // Rows of hinges say nothing about s.
        for (const eom::Constraint& c : e.constraints) {
            if (std::ranges::find(relative.constraints, c.name, &eom::Constraint::name) != relative.constraints.end()) continue;
            for (const auto& [kind, letter] : {std::pair{EntryKind::constraint, "G u'"}, std::pair{EntryKind::gamma, "gamma"},
                                               std::pair{EntryKind::rate, "rate"}, std::pair{EntryKind::phi, "phi"}})
                of_relative.push_back({kind, fmt::format("{}[{}]", letter, c.name), Expr(0)});
        }
    }
    const sym::Rational common = common_division(of_relative, common_division(p.entries, division));
    std::vector<Pair> pairs{judge(make_side(relative_name, std::move(of_relative), common), make_side(maximal_name, p.entries, common))};
    pairs.back().about = "M, f, G, gamma, energies at u = B s + b; G B = 0 for hinges";
    pairs.back().time = Clock::now() - start;
    pairs.push_back(at_solution(relative_name, relative, maximal_name, p, common));
    return pairs;
}

}  // namespace linkwright::proof
