#include "linkwright/motion/sampling.hpp"

#include <fmt/format.h>

#include <cmath>

#include "linkwright/solve/exponential.hpp"

namespace linkwright::motion {

using Eigen::Index;

namespace {
constexpr double short_time = 1e-9;  ///< in periods: times were printed and read, or are multiples of another period
}

DiscreteFilter discretise(const MatrixXd& A, const VectorXd& B, double D, double T, SampleMethod method) {
    const Index n = A.rows();
    DiscreteFilter d{A, B, VectorXd::Zero(n), D};
    if (n == 0) return d;
    if (method == SampleMethod::hold) {
        MatrixXd M = MatrixXd::Zero(n + 1, n + 1);
        M.topLeftCorner(n, n) = T * A;
        M.topRightCorner(n, 1) = T * B;
        const MatrixXd E = solve::exponential(M);
        d.A = E.topLeftCorner(n, n);
        d.B = E.topRightCorner(n, 1);
        d.C[0] = 1;
        return d;
    }
    constexpr double tiny = 1e-15;
    const MatrixXd one = MatrixXd::Identity(n, n), slow = one - T / 2 * A, fast = one + T / 2 * A;
    for (Index j = 0; j < n; ++j) d.A.col(j) = solve::solve_least_squares(slow, fast.col(j), tiny).x;
    const VectorXd b = solve::solve_least_squares(slow, B, tiny).x;
    d.B = T * b;
    d.C = solve::solve_least_squares(slow.transpose(), one.col(0), tiny).x;
    d.D = D + T / 2 * b[0];
    return d;
}

Sampling::Sampling(const numeric::CompiledEquations& numbers, double start, bool resumes) {
    const eom::EquationsOfMotion& e = numbers.equations();
    std::vector<Expr> inputs;
    for (const eom::Sampled& s : e.sampled) {
        Computer c;
        c.name = s.name;
        c.period = numbers.constant(s.period);
        const auto n = static_cast<Index>(s.x.size());
        MatrixXd A(n, n);
        VectorXd B(n);
        for (Index i = 0; i < n; ++i) {
            B[i] = numbers.constant(s.B[i]);
            for (Index j = 0; j < n; ++j) A(i, j) = numbers.constant(s.A[i][j]);
            c.x.push_back(numbers.layout().x() + static_cast<Index>(s.x[i]));
        }
        c.held = numbers.layout().x() + static_cast<Index>(s.held);
        c.filter = discretise(A, B, numbers.constant(s.D), c.period, s.method);
        const double passed = start / c.period;
        c.count = std::llround(std::ceil(passed - short_time));
        if (resumes && static_cast<double>(c.count) <= passed + short_time) ++c.count;
        computers_.push_back(std::move(c));
        inputs.push_back(s.input);
    }
    if (!inputs.empty()) inputs_ = numbers.compile(inputs);
    in_.resize(static_cast<Index>(inputs.size()));
}

std::string Sampling::why_not(double end, double most) const {
    double samples = 0;
    for (const Computer& c : computers_) {
        if (!(c.period > 0)) return fmt::format("the period of '{}' is {:.6g}", c.name, c.period);
        samples += (end - c.due()) / c.period;
        if (!c.filter.A.allFinite() || !c.filter.B.allFinite())
            return fmt::format("'{}' cannot be sampled with a period of {:.6g}", c.name, c.period);
    }
    if (samples <= most) return {};
    return fmt::format("{:.2g} samples are required, more than the {:.2g} steps that are allowed", samples, most);
}

double Sampling::next() const {
    double t = std::numeric_limits<double>::infinity();
    for (const Computer& c : computers_) t = std::min(t, c.due());
    return t;
}

double Sampling::slack() const {
    double shortest = std::numeric_limits<double>::infinity();
    for (const Computer& c : computers_) shortest = std::min(shortest, c.period);
    return short_time * shortest;
}

double Sampling::Computer::output(const VectorXd& at) const {
    double y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) y += filter.C[static_cast<Index>(i)] * at[x[i]];
    return y;
}

void Sampling::sample(VectorXd& at) {
    const double now = next();
    std::vector<std::size_t> due;
    for (std::size_t i = 0; i < computers_.size(); ++i) {
        if (computers_[i].due() - now <= short_time * computers_[i].period) due.push_back(i);
    }
    const auto look = [&] {
        inputs_({at.data(), static_cast<std::size_t>(at.size())}, {in_.data(), static_cast<std::size_t>(in_.size())});
    };
    // First what does not wait for its input; then the others, each after those it hears of: after as many rounds as there are, all have.
    for (const std::size_t i : due) at[computers_[i].held] = computers_[i].output(at);
    for (std::size_t round = 0; round < due.size(); ++round) {
        look();
        bool is_heard = true;
        for (const std::size_t i : due) {
            const Computer& c = computers_[i];
            if (c.filter.D == 0) continue;
            const double y = c.output(at) + c.filter.D * in_[static_cast<Index>(i)];
            is_heard = is_heard && y == at[c.held];
            at[c.held] = y;
        }
        if (is_heard) break;
    }
    look();
    for (const std::size_t i : due) {
        Computer& c = computers_[i];
        VectorXd x(static_cast<Index>(c.x.size()));
        for (Index k = 0; k < x.size(); ++k) x[k] = at[c.x[k]];
        x = c.filter.A * x + c.filter.B * in_[static_cast<Index>(i)];
        for (Index k = 0; k < x.size(); ++k) at[c.x[k]] = x[k];
        ++c.count;
    }
}

}  // namespace linkwright::motion
