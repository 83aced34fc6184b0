#include "linkwright/report/momentum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/numeric/jacobian_function.hpp"
#include "linkwright/numeric/quaternions.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::report {

namespace {

using Eigen::VectorXd;
using Component = Eigen::Index;  ///< 0 to 2 linear, 3 to 5 angular

constexpr std::array<const char*, 6> columns{"momentum.linear.x",  "momentum.linear.y",  "momentum.linear.z",
                                             "momentum.angular.x", "momentum.angular.y", "momentum.angular.z"};

/// A row of the motion, with inputs beside their values: what they push outside is then seen.
numeric::State state_of(const VectorXd& row, const numeric::CompiledEquations& numbers) {
    const numeric::Layout& n = numbers.layout();
    numeric::State s{.t = row[0], .q = row.segment(1, n.nq), .u = row.segment(1 + n.nq, n.nu), .w = numbers.input_values(row[0])};
    s.x = row.segment(1 + n.nq + n.nu, n.nx);
    for (Eigen::Index i = 0; i < s.w.size(); ++i) s.w[i] += 1 + 0.37 * static_cast<double>(i);
    return s;
}

/// The law at one state: ṗ of each component, and the sum of its terms' sizes.
struct Rates {
    VectorXd sum, size;
};

/// Gradients of the six components by t, q, x, u.
class Gradients {
public:
    explicit Gradients(const numeric::CompiledEquations& numbers) : numbers_(numbers) {
        const eom::EquationsOfMotion& e = numbers.equations();
        std::vector<sym::Expr> p(e.momentum.linear.begin(), e.momentum.linear.end());
        p.insert(p.end(), e.momentum.angular.begin(), e.momentum.angular.end());
        std::vector<sym::Expr> by = numeric::arguments(e);
        by.resize(static_cast<std::size_t>(numbers.layout().w()));
        function_ = numeric::JacobianFunction(numbers, p, by);
    }
    Eigen::MatrixXd operator()(const numeric::State& s) const { return function_(numeric::arguments(numbers_.layout(), s)); }

private:
    const numeric::CompiledEquations& numbers_;
    numeric::JacobianFunction function_;
};

Rates rates_at(const Eigen::MatrixXd& gradients, const numeric::Evaluation& at) {
    const Eigen::Index q = at.coordinate_rates.size(), x = at.auxiliary_rates.size(), u = at.accelerations.size();
    VectorXd rates(1 + q + x + u);
    rates << 1, at.coordinate_rates, at.auxiliary_rates, at.accelerations;
    return {.sum = gradients * rates, .size = gradients.cwiseAbs() * rates.cwiseAbs()};
}

/// The largest sizes of t, q, x, u in the motion.
VectorXd largest_of(const std::vector<VectorXd>& rows, const numeric::Layout& n) {
    VectorXd most = VectorXd::Zero(n.w());
    for (const VectorXd& row : rows) {
        most[0] = std::max(most[0], std::abs(row[0]));
        most.segment(numeric::Layout::q(), n.nq) = most.segment(numeric::Layout::q(), n.nq).cwiseMax(row.segment(1, n.nq).cwiseAbs());
        most.segment(n.u(), n.nu) = most.segment(n.u(), n.nu).cwiseMax(row.segment(1 + n.nq, n.nu).cwiseAbs());
    }
    return most;
}

/// A closed state beside one of the motion, in directions that are always the same; a motion may be symmetric where the mechanism is not.
std::optional<numeric::State> beside(numeric::State s, const numeric::CompiledEquations& numbers, const numeric::Closing& close,
                                     const VectorXd& most, std::size_t direction) {
    constexpr double step = 0.05, kick = 0.5;  // of a radian or of the lengths in the motion; of its speeds
    const numeric::Layout& n = numbers.layout();
    const eom::EquationsOfMotion& e = numbers.equations();
    const auto along = [&](Eigen::Index i) { return std::cos(1 + 2.4 * static_cast<double>(i) + 1.7 * static_cast<double>(direction)); };
    for (Eigen::Index i = 0; i < n.nq; ++i) {
        const bool is_length = static_cast<std::size_t>(i) < e.q_units.size() && e.q_units[static_cast<std::size_t>(i)] == "m";
        s.q[i] += step * (is_length ? most[numeric::Layout::q() + i] : 1) * along(i);
    }
    const double fastest = n.nu > 0 ? most.segment(n.u(), n.nu).maxCoeff() : 0;
    for (Eigen::Index i = 0; i < n.nu; ++i) s.u[i] += kick * (fastest > 0 ? fastest : 1) * along(n.nq + i);
    numeric::normalise_quaternions(e, s.q);
    const solve::Assembly closed = close(s, {});
    if (!closed.ok) return std::nullopt;
    s.q = closed.x;
    const VectorXd rate = numbers.residuals(s).rate;
    if (rate.size() == 0) return s;
    const solve::Solution change = solve::solve_least_squares(numbers.dynamics(s).G, rate);
    s.u -= change.x;
    return s;
}

/// What the equations say of each component at states of a motion, and beside them.
struct Law {
    std::array<bool, columns.size()> is_kept{};
    Eigen::MatrixXd steepest;  ///< the largest sizes of its gradient by t, q, x, u
};

std::optional<Law> law_of(const std::vector<VectorXd>& rows, const VectorXd& most, const numeric::CompiledEquations& numbers) {
    constexpr std::size_t most_states = 8;
    constexpr double nothing = 1e-6;  // of the terms; a law misses it by rounding and by how well loops close, and what is none by much
    const Gradients gradients(numbers);
    const std::size_t states = std::min(rows.size(), most_states);
    Law law{.is_kept = {}, .steepest = Eigen::MatrixXd::Zero(6, numbers.layout().w())};
    VectorXd sum = VectorXd::Zero(6), size = VectorXd::Zero(6);
    const auto ask = [&](const numeric::State& s) {
        const numeric::Evaluation at = numeric::evaluate(numbers, s);
        if (!at.is_ok) return false;
        const Eigen::MatrixXd J = gradients(s);
        const Rates rates = rates_at(J, at);
        sum = sum.cwiseMax(rates.sum.cwiseAbs());
        size = size.cwiseMax(rates.size);
        law.steepest = law.steepest.cwiseMax(J.cwiseAbs());
        return true;
    };
    const numeric::Closing close(numbers);
    std::size_t others = 0;
    for (std::size_t i = 0; i < states; ++i) {
        const numeric::State s = state_of(rows[states == 1 ? 0 : i * (rows.size() - 1) / (states - 1)], numbers);
        if (!ask(s)) return std::nullopt;
        const auto other = beside(s, numbers, close, most, i);
        if (other && ask(*other)) ++others;
    }
    if (others == 0) return std::nullopt;
    for (Component k = 0; k < 6; ++k)  // what is zero by structure is no news
        law.is_kept[static_cast<std::size_t>(k)] = size[k] > 0 && sum[k] <= nothing * size[k];
    return law;
}

/// What a step may add to t, q, x, u: δ|x| + α, |x| the largest of the motion; nothing to time, and x takes no part in momentum.
VectorXd added_by_a_step(const VectorXd& most, const numeric::Layout& n, const session::SimulateOptions& how) {
    const double alpha = how.absolute.value_or(how.tolerance / 100);
    VectorXd added = VectorXd::Zero(n.w());
    added.segment(numeric::Layout::q(), n.nq) = (how.tolerance * most.segment(numeric::Layout::q(), n.nq)).array() + alpha;
    added.segment(n.u(), n.nu) = (how.tolerance * most.segment(n.u(), n.nu)).array() + alpha;
    return added;
}

}  // namespace

std::vector<KeptMomentum> kept_momenta(const session::Session& session, const session::Simulation& motion,
                                       const session::SimulateOptions& how) {
    const std::vector<VectorXd>& rows = motion.motion.rows;
    session::Report derived;
    const session::Lease bench = borrow(session, "recursive", derived);
    if (!bench || rows.empty()) return {};
    const numeric::CompiledEquations& numbers = bench->numbers(session::Code::interpreted, derived);
    const VectorXd most = largest_of(rows, numbers.layout());
    const std::optional<Law> law = law_of(rows, most, numbers);
    if (!law) return {};

    const double steps = static_cast<double>(std::max(1L, motion.motion.statistics.steps));
    const VectorXd added = added_by_a_step(most, numbers.layout(), how);
    std::vector<KeptMomentum> kept{{.name = "linear momentum", .components = {}},
                                   {.name = "angular momentum about the origin", .components = {}}};
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto column = std::ranges::find(motion.motion.columns, columns[k]);
        if (!law->is_kept[k] || column == motion.motion.columns.end()) continue;
        const auto place = static_cast<Eigen::Index>(column - motion.motion.columns.begin());
        KeptMomentum& one = kept[k / 3];
        one.components.push_back(std::string(1, "xyz"[k % 3]));
        double largest = 0;
        for (const VectorXd& row : rows) {
            one.drift = std::max(one.drift, std::abs(row[place] - rows.front()[place]));
            largest = std::max(largest, std::abs(row[place]));
        }
        constexpr double rounding = std::numeric_limits<double>::epsilon();
        const double a_step = law->steepest.row(static_cast<Component>(k)).dot(added) + rounding * largest;
        one.promise = std::max(one.promise, steps * a_step);
    }
    std::erase_if(kept, [](const KeptMomentum& one) { return one.components.empty(); });
    return kept;
}

}  // namespace linkwright::report
