#include "linkwright/linear/linear_formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "linkwright/linear/formula_system.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
constexpr double rounding = 1e-11;

constexpr std::array<Matrix LinearForm::*, 22> matrices{
    &LinearForm::S,   &LinearForm::N,         &LinearForm::H,   &LinearForm::W,   &LinearForm::M,   &LinearForm::C,
    &LinearForm::K,   &LinearForm::geometric, &LinearForm::B,   &LinearForm::Phi, &LinearForm::G,   &LinearForm::D,
    &LinearForm::E,   &LinearForm::F,         &LinearForm::O_s, &LinearForm::O_u, &LinearForm::O_a, &LinearForm::O_lambda,
    &LinearForm::O_w, &LinearForm::Phi_w,     &LinearForm::D_w, &LinearForm::F_w};

/// Zero and multiples of π/12, in the current pool.
std::optional<Expr> exact_angle(double x) {
    const double twelfths = x * 12 / std::numbers::pi, whole = std::round(twelfths);
    if (!(std::abs(x) < 1e3) || std::abs(x - whole * std::numbers::pi / 12) > rounding * std::max(1.0, std::abs(x))) return std::nullopt;
    return sym::pi() * Expr(sym::Rational(static_cast<std::int64_t>(whole), 12));
}

class Placing {
public:
    Placing(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& point, const std::vector<std::string>& keep)
        : numbers_(numbers), e_(numbers.equations()), point_(point), pool_(std::make_shared<sym::Pool>()), scope_(*pool_), carry_(*pool_) {
        const LinearForm form = linear_form(e_);
        std::vector<Expr> all;
        for (const auto member : matrices) {
            for (const auto& row : form.*member) all.insert(all.end(), row.begin(), row.end());
        }
        for (const Expr& s : sym::symbols_in(all)) used_.insert(s.id());
        for (std::size_t i = 0; i < e_.parameters.size(); ++i) parameters_.emplace(e_.parameters[i].symbol.symbol().name, i);
        check(keep);
        place_coordinates();
        for (std::size_t i = 0; i < e_.u.size(); ++i) place(e_.u[i], point.state.u[i], true, 1);
        for (std::size_t i = 0; i < e_.x.size(); ++i) place(e_.x[i], point.state.x[i], true, 1);
        for (std::size_t i = 0; i < e_.inputs.size(); ++i) place_input(i);
        put(e_.t, point.state.t, is_kept(e_.t) ? std::nullopt : std::optional(Expr(point.state.t)));
        const double moves = point.udot.size() == 0 ? 1 : std::max(1.0, point.udot.lpNorm<Eigen::Infinity>());
        for (std::size_t i = 0; i < e_.udot.size(); ++i) place_small(e_.udot[i], point.udot[i], moves);
        const double pushes = point.lambda.size() == 0 ? 1 : std::max(1e-300, point.lambda.lpNorm<Eigen::Infinity>());
        const std::vector<std::optional<Expr>> balanced = balancing_forces(pushes);
        for (std::size_t i = 0; i < e_.constraints.size(); ++i) {
            const Expr& lambda = e_.constraints[i].lambda;
            const double value = point.lambda[i];
            if (balanced[i] && std::abs(value) > 1e-9 * pushes)
                put(lambda, value, balanced[i]);
            else
                place_small(lambda, value, pushes);
        }

        result_.form = form;
        result_.form.pool = pool_;
        for (const auto member : matrices) {
            for (auto& row : result_.form.*member) {
                for (Expr& entry : row) entry = carry_(entry);
            }
        }
    }
    LinearFormulas result() { return std::move(result_); }

private:
    void check(const std::vector<std::string>& keep) {
        std::vector<Expr> known = e_.q;
        known.insert(known.end(), e_.u.begin(), e_.u.end());
        known.insert(known.end(), e_.x.begin(), e_.x.end());
        known.insert(known.end(), e_.udot.begin(), e_.udot.end());
        for (const eom::Input& w : e_.inputs) known.push_back(w.symbol);
        for (const eom::Constraint& c : e_.constraints) known.push_back(c.lambda);
        known.push_back(e_.t);
        for (const std::string& name : keep) {
            if (name == "all") {
                for (const auto& list : {e_.q, e_.u, e_.x}) {
                    for (const Expr& s : list) kept_.insert(s.id());
                }
                continue;
            }
            const auto at = std::ranges::find(known, name, [](const Expr& s) { return s.symbol().name; });
            if (at == known.end())
                throw std::invalid_argument(fmt::format("there is no coordinate, speed, input or multiplier '{}'", name));
            kept_.insert(at->id());
        }
    }
    bool is_kept(const Expr& symbol) const { return kept_.contains(symbol.id()); }

    void put(const Expr& symbol, double value, const std::optional<Expr>& exact) {
        LinearFormulas::Value v{symbol.symbol().name, value, exact.value_or(Expr(0)), !exact.has_value(), used_.contains(symbol.id())};
        if (exact) carry_.replace(symbol, *exact);
        result_.values.push_back(std::move(v));
    }

    /// What the model gives, when the point has that value: a number, or an expression in parameters.
    std::optional<Expr> given(const Expr& symbol, double value) {
        for (const eom::Initial& initial : e_.initial) {
            if (initial.what != symbol || !initial.is_held) continue;
            const double there = numbers_.constant(initial.value);
            if (std::abs(there - value) <= rounding * std::max(1.0, std::abs(value))) return carry_(initial.value);
        }
        return std::nullopt;
    }

    std::optional<Expr> exact(const Expr& symbol, double value, bool with_given, double size) {
        if (is_kept(symbol)) return std::nullopt;
        if (std::abs(value) <= rounding * size) return Expr(0);
        return with_given ? given(symbol, value) : std::nullopt;
    }
    void place(const Expr& symbol, double value, bool with_given, double size) {
        put(symbol, value, exact(symbol, value, with_given, size));
    }
    void place_small(const Expr& symbol, double value, double size) {
        put(symbol, value, !is_kept(symbol) && std::abs(value) <= 1e-9 * size ? std::optional(Expr(0)) : std::nullopt);
    }

    void place_coordinates() {
        std::vector<std::optional<Expr>> exactly(e_.q.size());
        for (std::size_t i = 0; i < e_.q.size(); ++i) {
            const double x = point_.state.q[i];
            exactly[i] = exact(e_.q[i], x, true, 1);
            if (!exactly[i] && !is_kept(e_.q[i])) exactly[i] = exact_angle(x);
        }
        for (const auto& group : e_.quaternions) {  // all four or none: they stand on a sphere
            constexpr std::array<double, 5> sines{0, 0.5, std::numbers::sqrt2 / 2, std::numbers::sqrt3 / 2, 1};
            bool is_exact = true;
            Expr length = 0;
            for (const std::size_t i : group) {
                const double x = point_.state.q[i];
                const auto at = std::ranges::find_if(sines, [&](double s) { return std::abs(std::abs(x) - s) <= rounding; });
                is_exact &= at != sines.end() && !is_kept(e_.q[i]);
                if (!is_exact) break;
                const std::array<Expr, 5> values{Expr(0), sym::Rational(1, 2), sqrt(Expr(2)) / 2, sqrt(Expr(3)) / 2, Expr(1)};
                exactly[i] = values[at - sines.begin()] * (x < 0 ? -1 : 1);
                length += *exactly[i] * *exactly[i];
            }
            if (is_exact && length.is_literally(1)) continue;
            for (const std::size_t i : group) exactly[i].reset();
        }
        hold_by_constraints(exactly);
        for (std::size_t i = 0; i < e_.q.size(); ++i) put(e_.q[i], point_.state.q[i], exactly[i]);
    }

    /// A coordinate that a constraint holds at a parameter, or at minus one: the bob hangs at −l. The constraint must say so for
    /// all values of parameters, with no other coordinate open in it.
    void hold_by_constraints(std::vector<std::optional<Expr>>& exactly) {
        if (std::ranges::all_of(exactly, [](const auto& value) { return value.has_value(); })) return;
        for (const eom::Constraint& c : e_.constraints) {
            if (!c.is_holonomic) continue;
            std::vector<std::size_t> open;
            bool is_still = true;
            for (const Expr& s : sym::symbols_in(c.phi)) {
                const auto at = std::ranges::find(e_.q, s);
                if (at == e_.q.end())
                    is_still &= parameters_.contains(s.symbol().name);
                else if (!exactly[at - e_.q.begin()])
                    open.push_back(at - e_.q.begin());
            }
            if (!is_still || open.size() != 1 || is_kept(e_.q[open[0]]) ||
                std::ranges::any_of(e_.quaternions, [&](const auto& g) { return std::ranges::find(g, open[0]) != g.end(); }))
                continue;
            const double x = point_.state.q[open[0]];
            for (std::size_t i = 0; i < e_.parameters.size() && !exactly[open[0]]; ++i) {
                const double p = numbers_.parameters()[i];
                if (p == 0 || std::abs(std::abs(x) - std::abs(p)) > rounding * std::max(1.0, std::abs(p))) continue;
                const Expr held = Expr(x * p < 0 ? -1 : 1) * carry_(e_.parameters[i].symbol);
                sym::Transplant there(*pool_);
                for (std::size_t k = 0; k < exactly.size(); ++k) {
                    if (exactly[k]) there.replace(e_.q[k], *exactly[k]);
                }
                there.replace(e_.q[open[0]], held);
                if (there(c.phi).is_literally(0)) exactly[open[0]] = held;
            }
        }
    }

    /// An input is what somebody says it is: zero, its own expression, or a symbol.
    void place_input(std::size_t i) {
        const eom::Input& w = e_.inputs[i];
        const double x = point_.state.w[i];
        std::optional<Expr> value;
        if (!is_kept(w.symbol)) {
            if (x == 0)
                value = Expr(0);
            else if (w.value.is_number() && std::abs(numbers_.constant(w.value) - x) <= rounding * std::abs(x))
                value = carry_(w.value);
        }
        put(w.symbol, x, value);
    }

    /// λ that follow from Gᵀλ = f − M u̇ in small groups, where that leaves nothing but parameters. Empty for the others.
    std::vector<std::optional<Expr>> balancing_forces(double size) {
        constexpr std::size_t large_group = 3, long_formula = 40;  // rows; nodes
        const std::size_t n = e_.constraints.size(), nu = e_.u.size();
        std::vector<std::optional<Expr>> forces(n);
        std::vector<Places> groups;  // rows of constraints that push on the same speeds
        Matrix G;
        for (std::size_t i = 0; i < n; ++i) {
            auto& row = G.emplace_back();
            for (const Expr& entry : e_.constraints[i].G) row.push_back(carry_(entry));
            Places group{i};
            std::erase_if(groups, [&](const Places& other) {
                const bool meets = std::ranges::any_of(other, [&](std::size_t k) {
                    for (std::size_t j = 0; j < nu; ++j) {
                        if (!G[k][j].is_literally(0) && !row[j].is_literally(0)) return true;
                    }
                    return false;
                });
                if (meets) group.insert(group.end(), other.begin(), other.end());
                return meets;
            });
            groups.push_back(std::move(group));
        }
        const auto value = [&](const Expr& e) {
            return sym::evaluate<double>(e, [&](const Expr& s) { return numbers_.parameters()[parameters_.at(s.symbol().name)]; });
        };
        for (const Places& group : groups) {
            if (group.size() > large_group) continue;
            Matrix pushes, loads;
            for (std::size_t j = 0; j < nu; ++j) {
                if (std::ranges::all_of(group, [&](std::size_t i) { return G[i][j].is_literally(0); })) continue;
                Expr load = carry_(e_.f[j]);
                for (std::size_t k = 0; k < nu; ++k) {
                    if (point_.udot[k] != 0) load -= carry_(e_.M[j][k]) * carry_(e_.udot[k]);
                }
                std::vector<Expr> row;
                for (const std::size_t i : group) row.push_back(G[i][j]);
                row.push_back(load);
                if (!std::ranges::all_of(row, [&](const Expr& e) { return is_of_parameters(e); })) continue;
                row.pop_back();
                pushes.push_back(std::move(row)), loads.push_back({load});
            }
            if (pushes.empty()) continue;
            MatrixXd values(static_cast<Index>(pushes.size()), static_cast<Index>(group.size()));
            Places all;
            for (std::size_t k = 0; k < group.size(); ++k) {
                all.push_back(k);
                for (std::size_t j = 0; j < pushes.size(); ++j) values(static_cast<Index>(j), static_cast<Index>(k)) = value(pushes[j][k]);
            }
            if (!values.allFinite()) continue;
            const auto X = solution({pushes, values, all, loads}, std::chrono::steady_clock::now() + std::chrono::milliseconds(200));
            for (std::size_t k = 0; X && k < group.size(); ++k) {
                const Expr& force = (*X)[k][0];
                const std::size_t i = group[k];
                const bool is_there = std::abs(value(force) - point_.lambda[i]) <= 1e-8 * size;
                if (is_there && !is_kept(e_.constraints[i].lambda) && sym::nodes_below(std::array{force}).size() <= long_formula)
                    forces[i] = force;
            }
        }
        return forces;
    }
    bool is_of_parameters(const Expr& e) const {
        return !e.is_undefined() &&
               std::ranges::all_of(sym::symbols_in(e), [&](const Expr& s) { return parameters_.contains(s.symbol().name); });
    }

    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    const numeric::OperatingPoint& point_;
    std::shared_ptr<sym::Pool> pool_;
    sym::PoolScope scope_;
    sym::Transplant carry_;
    std::unordered_set<sym::NodeId> used_, kept_;
    std::unordered_map<std::string, std::size_t> parameters_;
    LinearFormulas result_;
};

}  // namespace

LinearFormulas linear_formulas(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& point,
                               const std::vector<std::string>& keep) {
    return Placing(numbers, point, keep).result();
}

}  // namespace linkwright::linear
