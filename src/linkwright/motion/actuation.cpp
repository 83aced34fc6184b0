#include "linkwright/motion/actuation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::motion {

namespace {

using Index = Eigen::Index;

bool has(const std::vector<std::size_t>& list, std::size_t i) { return std::ranges::find(list, i) != list.end(); }

}  // namespace

/// What stands in which expression, by the places of inputs and states.
struct Actuation::Reach {
    const eom::EquationsOfMotion& e;
    std::vector<std::vector<std::size_t>> inputs_of_state;  ///< that move it, by way of other states too

    explicit Reach(const eom::EquationsOfMotion& equations) : e(equations), inputs_of_state(equations.x.size()) {
        for (std::size_t k = 0; k < e.x.size(); ++k) inputs_of_state[k] = inputs_in({e.xdot[k]});
        for (bool grows = true; grows;) {
            grows = false;
            for (std::size_t k = 0; k < e.x.size(); ++k) {
                for (const std::size_t via : states_in({e.xdot[k]})) {
                    for (const std::size_t w : inputs_of_state[via]) {
                        if (has(inputs_of_state[k], w)) continue;
                        inputs_of_state[k].push_back(w);
                        grows = true;
                    }
                }
            }
        }
    }
    std::vector<std::size_t> inputs_in(const std::vector<Expr>& values) const {
        std::vector<std::size_t> found;
        const std::vector<Expr> symbols = symbols_in(values);
        for (std::size_t i = 0; i < e.inputs.size(); ++i) {
            if (std::ranges::find(symbols, e.inputs[i].symbol) != symbols.end()) found.push_back(i);
        }
        return found;
    }
    std::vector<std::size_t> states_in(const std::vector<Expr>& values) const {
        std::vector<std::size_t> found;
        const std::vector<Expr> symbols = symbols_in(values);
        for (std::size_t i = 0; i < e.x.size(); ++i) {
            if (std::ranges::find(symbols, e.x[i]) != symbols.end()) found.push_back(i);
        }
        return found;
    }
};

Actuation::Actuation(const numeric::CompiledEquations& numbers, std::vector<std::size_t> along)
    : numbers_(&numbers), along_(std::move(along)), carried_(numbers.equations().x.size()) {
    std::iota(carried_.begin(), carried_.end(), std::size_t{0});
}

Actuation::Actuation(const numeric::CompiledEquations& numbers) : numbers_(&numbers) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const sym::PoolScope scope(*e.pool);
    const Reach reach(e);
    std::vector<std::size_t> rows(e.u.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::vector<Expr> values = e.f;
    while (add_level(reach, rows, values) && !levels_.back().states.empty()) {
        rows = levels_.back().states;
        values.clear();
        for (const std::size_t k : rows) values.push_back(e.xdot[k]);
    }
    if (!why_.empty()) return;
    for (std::size_t k = 0; k < e.x.size(); ++k) {
        if (std::ranges::none_of(levels_, [&](const Level& level) { return has(level.states, k); })) carried_.push_back(k);
    }
    can_be_differentiated(reach);
}

/// Of the states in these values those are solved for that inputs move which stand in no row yet.
bool Actuation::add_level(const Reach& reach, std::vector<std::size_t> rows, const std::vector<Expr>& values) {
    const eom::EquationsOfMotion& e = reach.e;
    Level level{.rows = std::move(rows), .inputs = {}, .states = {}, .B = {}};
    const auto is_known = [&](std::size_t w) {
        return has(level.inputs, w) || std::ranges::any_of(levels_, [&](const Level& before) { return has(before.inputs, w); });
    };
    for (const std::size_t w : reach.inputs_in(values)) {
        if (!is_known(w)) level.inputs.push_back(w);
    }
    for (const std::size_t k : reach.states_in(values)) {
        const bool is_taken = std::ranges::any_of(levels_, [&](const Level& before) { return has(before.states, k); });
        if (!is_taken && !std::ranges::all_of(reach.inputs_of_state[k], is_known)) level.states.push_back(k);
    }
    std::vector<Expr> columns;
    for (const std::size_t w : level.inputs) columns.push_back(e.inputs[w].symbol);
    for (const std::size_t k : level.states) columns.push_back(e.x[k]);
    std::vector<sym::Binding> at_zero;
    for (const Expr& p : columns) at_zero.emplace_back(p, Expr(0));
    sym::Substitution put_zero(at_zero);
    for (const auto& entry : jacobian(values, columns).entries) {
        const std::vector<Expr> symbols = symbols_in(entry.value);
        for (const Expr& p : columns) {  // a slope that depends on p, be it by a step as that of max(p, 0)
            if (std::ranges::find(symbols, p) == symbols.end()) continue;
            if (is_zero(entry.value - put_zero(entry.value)) == sym::Verdict::equal) continue;
            const std::string what = levels_.empty() ? "the force along " + e.u[entry.row].symbol().name
                                                     : "the rate of " + e.x[level.rows[entry.row]].symbol().name;
            why_ = fmt::format("{} is not linear in {}{}: it cannot be solved for it", what,
                               p.symbol().role == sym::Role::input ? "the input " : "", p.symbol().name);
            return false;
        }
    }
    level.B = numeric::JacobianFunction(*numbers_, values, columns);
    levels_.push_back(std::move(level));
    return true;
}

/// The states that a level wants are differentiated by time: what they depend on must have rates that are known by then.
bool Actuation::can_be_differentiated(const Reach& reach) {
    const eom::EquationsOfMotion& e = reach.e;
    std::vector<Expr> values = e.f;
    std::vector<std::size_t> inputs, states = carried_;
    for (std::size_t j = 0; j + 1 < levels_.size(); ++j) {
        inputs.insert(inputs.end(), levels_[j].inputs.begin(), levels_[j].inputs.end());
        states.insert(states.end(), levels_[j].states.begin(), levels_[j].states.end());
        for (const std::size_t k : reach.states_in(values)) {
            if (!has(carried_, k)) continue;
            const auto is_unknown_input = [&](std::size_t w) { return !has(inputs, w); };
            const auto is_unknown_state = [&](std::size_t s) { return !has(states, s); };
            if (!std::ranges::any_of(reach.inputs_in({e.xdot[k]}), is_unknown_input) &&
                !std::ranges::any_of(reach.states_in({e.xdot[k]}), is_unknown_state))
                continue;
            why_ = fmt::format("the inputs cannot be worked out one after the other: {} is needed for them and depends on them",
                               e.x[k].symbol().name);
            return false;
        }
        for (const std::size_t k : levels_[j].states) values.push_back(e.xdot[k]);
    }
    return true;
}

MatrixXd Actuation::matrix(const numeric::State& state) const {
    if (is_by_inputs()) return levels_.front().B(numeric::arguments(numbers_->layout(), state));
    MatrixXd B = MatrixXd::Zero(numbers_->layout().nu, static_cast<Index>(along_.size()));
    for (std::size_t k = 0; k < along_.size(); ++k) B(static_cast<Index>(along_[k]), static_cast<Index>(k)) = 1;
    return B;
}

void Actuation::put(std::size_t level, const VectorXd& p, numeric::State& state) const {
    if (!is_by_inputs()) return;
    Index at = 0;
    for (const std::size_t w : levels_[level].inputs) state.w[static_cast<Index>(w)] = p[at++];
    for (const std::size_t k : levels_[level].states) state.x[static_cast<Index>(k)] = p[at++];
}

}  // namespace linkwright::motion
