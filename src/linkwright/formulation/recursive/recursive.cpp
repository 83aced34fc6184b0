#include "linkwright/formulation/recursive/recursive.hpp"

#include <algorithm>
#include <functional>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/armature.hpp"
#include "linkwright/formulation/recursive/elastic.hpp"
#include "linkwright/formulation/recursive/passes.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::formulation::recursive {

namespace {

/// What is written first. The inverse makes for shorter programs; but then M and f may be written by its parts in which accelerations cancel.
enum class First : std::uint8_t { inverse, matrix };

/// In a pool of its own, where what comes first decides how equal things are written; or where the mechanism is, for what has many bodies and
/// is written in one way only: a third of the time would go into copying.
enum class Where : std::uint8_t { apart, beside_the_mechanism };

class Writing {
public:
    Writing(const System& system, const Task& task, First first, bool only_accelerations, Where where)
        : raw_{.pool = where == Where::apart ? pool_with_symbols(system) : nullptr},
          pool_(raw_.pool ? *raw_.pool : *system.mechanism.model->pool),
          task_(raw_.pool ? copy(task, pool_) : task),
          first_(first),
          only_accelerations_(only_accelerations) {
        const sym::PoolScope scope(pool_);
        for (const Task::Freedom& freedom : task_.freedoms) udot_.push_back(freedom.udot);
        if (first_ == First::matrix) add_matrix();
    }

    /// Articulated bodies.
    void solve_by_recursion() {
        const sym::PoolScope scope(pool_.get());
        LinkRecord record(task_.linkage, pool_.get());
        bias_ = bias(task_, &record);
        raw_.accelerations = forward_dynamics(task_, *bias_, &record);
        raw_.strands = std::move(record).strands();
    }
    /// The mass matrix factored.
    void solve_by_factors() {
        const sym::PoolScope scope(pool_.get());
        raw_.strands.clear();
        if (first_ == First::inverse) raw_.inverse = inverse_dynamics(task_, udot_);
        add_matrix();
        std::vector<std::size_t> free, place(udot_.size());
        for (std::size_t i = 0; i < task_.freedoms.size(); ++i) {
            place[i] = free.size();
            if (!task_.freedoms[i].is_given) free.push_back(i);
        }
        eom::SparseRows M;
        std::vector<Expr> f, udot(udot_.size());
        for (std::size_t i = 0; i < udot.size(); ++i) {
            if (task_.freedoms[i].is_given) udot[i] = udot_[i];
        }
        const std::vector<Expr> left = free.size() == udot.size() ? raw_.f : inverse_dynamics(task_, udot);
        for (const std::size_t i : free) {
            M.emplace_back();
            for (const auto& [j, entry] : entries_[i]) {
                if (!task_.freedoms[j].is_given) M.back().emplace(place[j], entry);
            }
            f.push_back(free.size() == udot.size() ? left[i] : -left[i]);
        }
        const std::vector<Expr> a = eom::factored_accelerations(std::move(M), f);
        raw_.accelerations = udot_;
        for (std::size_t i = 0; i < free.size(); ++i) raw_.accelerations[free[i]] = a[i];
    }
    std::size_t size() const { return eom::arithmetic(raw_.accelerations); }

    /// The rest; false when M, f or what follows from them is written with accelerations, on which it does not depend.
    bool complete() {
        const sym::PoolScope scope(pool_.get());
        if (only_accelerations_) {
            leave_out_matrix();
        } else {
            if (raw_.inverse.empty()) raw_.inverse = inverse_dynamics(task_, udot_);
            add_matrix();
        }
        std::vector<Expr> all = raw_.M.empty() ? raw_.inertias : sym::flat(raw_.M);
        all.insert(all.end(), raw_.f.begin(), raw_.f.end());
        for (std::size_t i = 0; i < raw_.accelerations.size(); ++i) {
            if (!task_.freedoms[i].is_given) all.push_back(raw_.accelerations[i]);
        }
        const std::vector<Expr> symbols = sym::symbols_in(all);  // ascending
        return std::ranges::none_of(task_.freedoms, [&](const Task::Freedom& freedom) {
            return !freedom.is_given && std::ranges::binary_search(symbols, freedom.udot.id(), {}, &Expr::id);
        });
    }

    FormulatedEquations finish(const System& system) && {
        const sym::PoolScope scope(pool_.get());
        add_armature(system, Drives::across, raw_);
        raw_.has_armature = true;
        return std::move(raw_);
    }

private:
    void add_matrix() {
        if (!raw_.f.empty()) return;
        const sym::PoolScope scope(pool_.get());
        if (only_accelerations_) {
            entries_ = mass_entries(task_);
        } else {
            raw_.M = mass_matrix(task_);
            entries_ = eom::sparse_rows(raw_.M);
        }
        raw_.f = inverse_dynamics(task_, std::vector<Expr>(udot_.size()));
        for (Expr& f : raw_.f) f = -f;
    }

    void leave_out_matrix() {
        raw_.inertias = inertias(task_);
        raw_.f = inverse_dynamics(task_, bias_ ? std::move(*bias_) : bias(task_));
        bias_.reset();
        for (Expr& f : raw_.f) f = -f;
        const bool has_given = std::ranges::any_of(task_.freedoms, &Task::Freedom::is_given);
        if (has_given && raw_.inverse.empty()) raw_.inverse = inverse_dynamics(task_, udot_);
    }

    FormulatedEquations raw_;
    std::reference_wrapper<sym::Pool> pool_;
    Task task_;
    std::vector<Expr> udot_;
    First first_;
    bool only_accelerations_;
    std::optional<Outwards> bias_{};  ///< once it is there
    eom::SparseRows entries_;         ///< of M
};

constexpr std::size_t many = 100;  // freedoms

/// Whether M, with as many entries in a column as freedoms lie between it and the ground, might be factored with fewer
/// operations than articulated bodies take.
bool may_factor(const Task& task) {
    constexpr double per_entry = 14, per_body = 125;  // a momentum carried past a joint; a body articulated
    std::vector<double> depth(task.linkage.moves.size());
    double factored = 0, articulated = 0;
    for (std::size_t i = 0; i < depth.size(); ++i) {
        const Move& move = task.linkage.moves[i];
        if (move.kind != Move::Kind::root) depth[i] = depth[move.inner];
        for (const Move::MotionAxis& way : move.ways) {
            if (task.freedoms[way.freedom].is_given) continue;
            factored += depth[i] * (depth[i] + 1) + per_entry * depth[i];
            articulated += per_body;
            ++depth[i];
        }
    }
    // Estimates. To write both and see takes time, of which few bodies need little.
    return factored < (task.freedoms.size() > many ? 1 : 2) * articulated;
}

}  // namespace

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options) {
    const sym::PoolScope scope(*model.pool);
    System system = set_up(model, topology);
    if (!system.problems.empty()) return {std::nullopt, std::move(system.problems)};
    if (has_mass_inside(system.mechanism)) return finish(system, elastic_equations(system), "recursive", options);
    const Task given = task(system);
    const bool is_solved = system.rows.empty() && model.speeds.empty() && !has_armature_across(system);
    const bool only_accelerations = is_solved && options.only_accelerations && !options.shares;
    const bool is_long = only_accelerations && given.freedoms.size() > many && !may_factor(given);
    const auto written = [&](First first, Where where) {
        Writing writing(system, given, first, only_accelerations, where);
        if (!is_solved) return writing;
        writing.solve_by_recursion();
        if (!may_factor(given)) return writing;
        Writing other(system, given, first, only_accelerations, where);
        other.solve_by_factors();
        return other.size() < writing.size() ? std::move(other) : std::move(writing);
    };
    Writing writing = written(First::inverse, is_long ? Where::beside_the_mechanism : Where::apart);
    if (!writing.complete()) {
        writing = written(First::matrix, Where::apart);
        writing.complete();
    }
    return finish(system, std::move(writing).finish(system), "recursive", options);
}

}  // namespace linkwright::formulation::recursive
