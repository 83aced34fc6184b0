#include "linkwright/numeric/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <unordered_map>

#include "linkwright/numeric/rounding.hpp"
#include "linkwright/numeric/settle.hpp"
#include "linkwright/solve/nearest_closure.hpp"

namespace linkwright::numeric {

namespace {

using Index = Eigen::Index;

/// Where a symbol stands in a list.
class Places {
public:
    explicit Places(const std::vector<Expr>& symbols) {
        for (std::size_t i = 0; i < symbols.size(); ++i) of_.emplace(symbols[i].id(), static_cast<Index>(i));
    }
    std::optional<Index> operator()(const Expr& e) const {
        const auto at = e.is_symbol() ? of_.find(e.id()) : of_.end();
        if (at == of_.end()) return std::nullopt;
        return at->second;
    }

private:
    std::unordered_map<sym::NodeId, Index> of_;
};

void normalise(const eom::EquationsOfMotion& e, VectorXd& q) {
    for (const auto& group : e.quaternions) {
        double size = 0;
        for (const std::size_t i : group) size += q[i] * q[i];
        if (!(size > 0)) continue;
        for (const std::size_t i : group) q[i] /= std::sqrt(size);
    }
}

/// Rows for the positions: holonomic constraints, unit quaternions, held expressions; and their derivatives by q.
class Positions {
public:
    Positions(const CompiledEquations& numbers, const std::vector<Wanted>& wanted, double t, bool with_held, bool with_guesses = false)
        : e_(numbers.equations()) {
        start_ = numbers.zero_state(t);
        std::vector<Expr> rows;
        for (const eom::Constraint& c : e_.constraints) {
            if (!c.is_holonomic) continue;
            rows.push_back(c.phi);
            names_.push_back(c.name);
        }
        const Places q(e_.q), x(e_.x);
        spheres_ = e_.quaternions;  // |e|² folds to 1 in the graph: these rows are filled in by hand
        for (const Wanted& w : wanted) {
            if (w.is_speed) continue;
            if (const auto k = x(w.what)) {
                start_.x[*k] = w.value;
            } else if (const auto i = q(w.what)) {
                start_.q[*i] = w.value;
                if (w.is_held && with_held) hold(*i);
            } else if ((w.is_held && with_held) || (!w.is_held && with_guesses)) {
                rows.push_back(w.what);
                targets_.push_back({static_cast<Index>(rows.size()) - 1, w.value, w.what.op() == sym::Op::atan2});
                names_.push_back(w.name);
            }
        }
        std::ranges::sort(held_);
        held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
        normalise(e_, start_.q);
        rows_ = static_cast<Index>(rows.size());
        const sym::SparseMatrix J = jacobian(rows, e_.q);
        for (const auto& entry : J.entries) {
            places_.emplace_back(entry.row, static_cast<Index>(entry.column));
            rows.push_back(entry.value);
        }
        function_ = numbers.compile(rows);
    }

    bool is_trivial() const { return rows_ == 0; }
    const State& start() const { return start_; }
    void start_from(const VectorXd& q) { start_.q = q; }
    void start_from(const State& s) { start_ = s; }
    void aim(const VectorXd& values) {
        for (std::size_t k = 0; k < targets_.size(); ++k) targets_[k].value = values[static_cast<Index>(k)];
    }
    std::span<const Index> held() const { return held_; }
    std::string name(Index row) const { return row >= 0 && row < static_cast<Index>(names_.size()) ? names_[row] : "a unit quaternion"; }

    void operator()(const VectorXd& q, VectorXd& phi, MatrixXd& J) const {
        State s = start_;
        s.q = q;
        const VectorXd x = function_(s);
        const Index n = q.size(), m = rows_ + static_cast<Index>(spheres_.size());
        phi.resize(m);
        J.setZero(m, n);
        phi.head(rows_) = x.head(rows_);
        for (const Target& target : targets_) {
            phi[target.row] -= target.value;
            if (target.is_angle) phi[target.row] = std::remainder(phi[target.row], 2 * std::numbers::pi);
        }
        for (std::size_t k = 0; k < places_.size(); ++k) J(places_[k].first, places_[k].second) = x[rows_ + static_cast<Index>(k)];
        for (std::size_t k = 0; k < spheres_.size(); ++k) {
            double size = 0;
            for (const std::size_t i : spheres_[k]) {
                const double e = q[i];
                size += e * e;
                J(rows_ + static_cast<Index>(k), static_cast<Index>(i)) = e;
            }
            phi[rows_ + static_cast<Index>(k)] = (size - 1) / 2;
        }
    }

private:
    void hold(Index i) {
        if (e_.q[static_cast<std::size_t>(i)].symbol().quaternion >= 0) {
            for (const auto& group : e_.quaternions) {
                if (std::ranges::find(group, static_cast<std::size_t>(i)) == group.end()) continue;
                for (const std::size_t k : group) held_.push_back(k);
                return;
            }
        }
        held_.push_back(i);
    }

    const eom::EquationsOfMotion& e_;
    State start_;
    Index rows_ = 0;
    std::vector<std::string> names_;
    std::vector<std::array<std::size_t, 4>> spheres_;
    struct Target {
        Index row;
        double value;
        bool is_angle;
    };
    std::vector<Target> targets_;
    std::vector<std::pair<Index, Index>> places_;
    std::vector<Index> held_;
    CompiledEquations::Function function_;
};

/// Closes from the start; when that leads to a wrong branch, from seeded starts further and further away.
solve::Assembly close(const CompiledEquations& numbers, const Positions& positions, std::string& wrong_branch) {
    solve::AssembleOptions options;
    options.normalise = [&](VectorXd& q) { normalise(numbers.equations(), q); };
    const auto closure = [&](const VectorXd& q, VectorXd& phi, MatrixXd& J) { positions(q, phi, J); };
    const auto wrong = [&](const VectorXd& q) -> std::optional<std::string> {
        if (numbers.equations().branches.empty()) return std::nullopt;
        State s = positions.start();
        s.q = q;
        const VectorXd b = numbers.branches(s);
        for (Index i = 0; i < b.size(); ++i) {
            if (!(b[i] > 0)) return numbers.equations().branches[i].name;
        }
        return std::nullopt;
    };
    const auto settle = [&](solve::Assembly& a) {  // the nearest, unless that lies on a wrong branch
        if (!a.ok) return;
        const VectorXd nearest = solve::nearest_closure(closure, positions.start().q, a.x, positions.held(), options).x;
        if (wrong(a.x) || !wrong(nearest)) a.x = nearest;
    };
    solve::Assembly first = solve::assemble(closure, positions.start().q, positions.held(), options);
    settle(first);
    if (!first.ok) return first;
    auto branch = wrong(first.x);
    if (!branch) return first;
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 60; ++k) {
        VectorXd guess = positions.start().q;
        const int ring = k / 6;
        const double size = 0.2 * (1 + ring);
        for (Index i = 0; i < guess.size(); ++i) guess[i] += size * normal(random);
        for (const Index i : positions.held()) guess[i] = positions.start().q[i];
        normalise(numbers.equations(), guess);
        solve::Assembly next = solve::assemble(closure, guess, positions.held(), options);
        if (!next.ok || wrong(next.x)) continue;
        settle(next);
        return next;
    }
    wrong_branch = *branch;
    first.ok = false;
    return first;
}

/// Speeds nearest to what is wanted that fit every row. Where the equations have more speeds than the joints, u = B s + b, those
/// of the joints are looked for: what nobody asks for is 0 there.
void fit_speeds(const CompiledEquations& numbers, const std::vector<Wanted>& wanted, AssembledState& result) {
    const eom::EquationsOfMotion& e = numbers.equations();
    State& s = result.state;
    const std::optional<SpeedMap> map = e.reduction ? std::optional<SpeedMap>(speed_map(numbers, s)) : std::nullopt;
    VectorXd unknown = map ? VectorXd::Zero(map->B.cols()) : s.u;
    const auto finish = [&](const VectorXd& found) { s.u = map ? VectorXd(map->B * found + map->b) : found; };
    const Places u(e.u);
    const auto place = [&](const Wanted& w) -> std::optional<Index> {
        if (!map) return u(w.what);
        const auto at = std::ranges::find(e.reduction->s, w.name, [](const Expr& x) { return x.symbol().name; });
        if (at == e.reduction->s.end()) return std::nullopt;
        return static_cast<Index>(at - e.reduction->s.begin());
    };
    std::vector<Index> held;
    std::vector<Expr> rows;
    std::vector<double> targets;
    std::vector<std::string> names;
    for (const eom::Constraint& c : e.constraints) {
        if (map && c.is_holonomic && c.phi.is_literally(0)) continue;  // holds the joints of the tree: B s + b does
        rows.push_back(c.rate), targets.push_back(0), names.push_back(c.name);
    }
    const std::size_t loops = rows.size();
    for (const Wanted& w : wanted) {
        if (!w.is_speed) continue;
        if (const auto i = place(w)) {
            unknown[*i] = w.value;
            if (w.is_held) held.push_back(*i);
        } else if (w.is_held) {
            rows.push_back(w.what), targets.push_back(w.value), names.push_back(w.name);
        }
    }
    if (rows.empty()) return finish(unknown);
    const Index m = static_cast<Index>(rows.size()), n = static_cast<Index>(e.u.size());
    MatrixXd A = MatrixXd::Zero(m, n);
    const sym::SparseMatrix J = jacobian(rows, e.u);
    std::vector<Expr> all = rows;
    for (const auto& entry : J.entries) all.push_back(entry.value);
    const CompiledEquations::Function function = numbers.compile(all);
    State still = s;
    still.u.setZero();
    const VectorXd x = function(still);
    for (std::size_t k = 0; k < J.entries.size(); ++k) {
        A(static_cast<Index>(J.entries[k].row), static_cast<Index>(J.entries[k].column)) = x[m + static_cast<Index>(k)];
    }
    VectorXd b(m);
    for (Index i = 0; i < m; ++i) b[i] = targets[i] - x[i];
    if (map) {
        b -= A * map->b;
        A *= map->B;
    }
    VectorXd errors;  // of the rows of constraints; those of what is wanted are not known
    if (!map) errors = VectorXd::Zero(m), errors.head(static_cast<Index>(loops)) = row_errors(numbers, still).G;
    const solve::Solution fitted = solve::project(A, b, unknown, held, errors);
    finish(fitted.x);
    if (fitted.ok) return;
    const VectorXd error = A * fitted.x - b;
    Index worst = 0;
    error.cwiseAbs().maxCoeff(&worst);
    result.outcome =
        held.empty() && targets.size() == loops ? AssembledState::Outcome::not_closed : AssembledState::Outcome::overconstrained;
    result.why = fmt::format("the speeds cannot be met together: '{}' is off by {:.3g}", names[worst], std::abs(error[worst]));
}

}  // namespace

SpeedMap speed_map(const CompiledEquations& numbers, const State& state) {
    const eom::Reduction& r = *numbers.equations().reduction;
    const Index rows = static_cast<Index>(r.B.size()), columns = static_cast<Index>(r.s.size());
    std::vector<Expr> entries = r.b;
    for (const auto& row : r.B) entries.insert(entries.end(), row.begin(), row.end());
    const VectorXd x = numbers.compile(entries)(state);
    return {Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(x.data() + rows, rows, columns),
            x.head(rows)};
}

std::vector<Wanted> wanted(const CompiledEquations& numbers) {
    std::vector<Wanted> list;
    for (const bool is_held : {false, true}) {  // what is held comes last and wins
        for (const eom::Initial& i : numbers.equations().initial) {
            if (i.is_held == is_held) list.push_back({i.name, i.what, numbers.constant(i.value), is_held, i.is_speed});
        }
    }
    return list;
}

AssembledState assemble(const CompiledEquations& numbers, const std::vector<Wanted>& wanted, double t, const InputsAt& inputs) {
    AssembledState result;
    Positions positions(numbers, wanted, t, true);
    const VectorXd asked = positions.start().q;
    // A guess for a cut joint's coordinate cannot be put in; a first attempt gets as near to it as the loop allows.
    const eom::EquationsOfMotion& e = numbers.equations();
    const Places q(e.q), x(e.x);
    const auto is_out_of_reach = [&](const Wanted& w) { return !w.is_speed && !w.is_held && !q(w.what) && !x(w.what); };
    if (std::ranges::any_of(wanted, is_out_of_reach)) {
        const Positions near(numbers, wanted, t, true, true);
        solve::AssembleOptions once;
        once.starts = 0;
        once.normalise = [&](VectorXd& q) { normalise(numbers.equations(), q); };
        const auto closure = [&](const VectorXd& q, VectorXd& phi, MatrixXd& J) { near(q, phi, J); };
        const solve::Assembly met = solve::assemble(closure, asked, near.held(), once);
        positions.start_from(met.ok ? solve::nearest_closure(closure, asked, met.x, near.held(), once).x : met.x);
    }
    result.state = positions.start();
    if (!positions.is_trivial()) {
        std::string wrong_branch;
        const solve::Assembly closed = close(numbers, positions, wrong_branch);
        result.state.q = closed.x;
        if (!closed.ok) {
            std::string ignored;
            const Positions loose(numbers, wanted, t, false);
            const bool closes_without = close(numbers, loose, ignored).ok;
            result.outcome = closes_without && !positions.held().empty() ? AssembledState::Outcome::overconstrained
                                                                         : AssembledState::Outcome::not_closed;
            result.why =
                !wrong_branch.empty()
                    ? fmt::format("'{}' closes only the wrong way round: a joint's axes opposite, or a disk tilted past lying flat",
                                  wrong_branch)
                    : fmt::format("'{}' stays open by {:.3g}", positions.name(closed.worst), closed.residual);
        }
        for (Index i = 0; i < result.state.q.size(); ++i) {
            if (std::abs(result.state.q[i] - asked[i]) > 1e-9) {
                result.moved.push_back(numbers.equations().q[i].symbol().name);
            }
        }
    }
    if (result.is_ok()) fit_speeds(numbers, wanted, result);
    if (inputs) inputs(t, result.state.w);
    if (!e.steady.empty()) {
        std::vector<bool> is_given(e.x.size(), false);
        for (const Wanted& w : wanted) {
            if (const auto k = x(w.what)) is_given[*k] = true;
        }
        result.unsettled = settle(numbers, is_given, result.state);
    }
    const Residuals r = numbers.residuals(result.state);
    result.position = r.position();
    result.velocity = r.velocity();
    return result;
}

struct Closing::Rows {
    const CompiledEquations& numbers;
    Positions positions;
};

Closing::Closing(const CompiledEquations& numbers, const std::vector<Wanted>& followed)
    : rows_(new Rows{numbers, Positions(numbers, followed, 0, true)}) {}
Closing::~Closing() = default;

solve::Assembly Closing::operator()(const State& guess, std::span<const Index> held) const { return (*this)(guess, held, VectorXd()); }

solve::Assembly Closing::operator()(const State& guess, std::span<const Index> held, const VectorXd& values) const {
    solve::AssembleOptions options;
    options.starts = 0;
    options.normalise = [&](VectorXd& q) { normalise(rows_->numbers.equations(), q); };
    Positions rows = rows_->positions;
    rows.start_from(guess);
    if (values.size() > 0) rows.aim(values);
    return solve::assemble([&](const VectorXd& q, VectorXd& phi, MatrixXd& J) { rows(q, phi, J); }, guess.q, held, options);
}

std::string Closing::name(Index row) const { return rows_->positions.name(row); }

}  // namespace linkwright::numeric
