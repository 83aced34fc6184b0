// Linear models: every derivative against difference quotients of the true vector field on independent coordinates, at random closed
// states of every model of the zoo; what is said where there is no linear model.

#include "linkwright/linear/linearize.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <random>

#include "linkwright/numeric/evaluate.hpp"
#include "motion/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using linear::Linearization;
using linear::Linearizer;
using numeric::CompiledEquations;
using numeric::OperatingPoint;
using numeric::State;

OperatingPoint point_at(const CompiledEquations& numbers, const State& state) {
    const numeric::Evaluation v = numeric::evaluate(numbers, state);
    EXPECT_TRUE(v.is_ok) << v.why;
    OperatingPoint p;
    p.state = state;
    p.udot = v.accelerations;
    p.lambda = v.multipliers;
    return p;
}

std::vector<std::string> zoo() {
    std::vector<std::string> names;
    for (const auto& folder : std::filesystem::directory_iterator(project_root() + "/models")) {
        if (std::filesystem::exists(folder.path() / "model.toml")) names.push_back(folder.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

/// A closed state away from the first, moving, with random inputs.
std::optional<State> random_state(const CompiledEquations& numbers, const State& start, std::uint64_t seed, double size) {
    const eom::EquationsOfMotion& e = numbers.equations();
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const numeric::Closing close(numbers);
    State s = start;
    for (double& x : s.q) x += size * normal(random);
    for (const auto& group : e.quaternions) {
        double length = 0;
        for (const std::size_t i : group) length += s.q[i] * s.q[i];
        for (const std::size_t i : group) s.q[i] /= std::sqrt(length);
    }
    const solve::Assembly closed = close(s, {});
    if (!closed.ok) return std::nullopt;
    s.q = closed.x;
    for (const double b : numbers.branches(s)) {
        if (!(b > 0)) return std::nullopt;
    }
    for (double& x : s.u) x += normal(random);
    for (double& x : s.w) x += normal(random);
    for (double& x : s.x) x += normal(random);
    const MatrixXd G = numbers.dynamics(s).G;
    if (G.rows() > 0) s.u -= Eigen::CompleteOrthogonalDecomposition<MatrixXd>(G).setThreshold(1e-9).solve(numbers.residuals(s).rate);
    if (!numeric::evaluate(numbers, s).is_ok) return std::nullopt;  // a singular position, met by chance
    return s;
}

/// The vector field itself, near a point, in the coordinates of a linear model.
class Field {
public:
    Field(const CompiledEquations& numbers, const Linearization& L) : numbers_(numbers), e_(numbers.equations()), L_(L) {}

    /// Closed, at the point moved by y and z: turns of quaternions as exponentials.
    State at(const VectorXd& y, const VectorXd& z) const {
        VectorXd s = VectorXd::Zero(L_.full.S.cols());
        for (std::size_t k = 0; k < L_.y.size(); ++k) s[L_.y[k]] = y[k];
        State x = L_.point.state;
        const std::vector<Index> dependent = others(L_.y, s.size());
        Eigen::ColPivHouseholderQR<MatrixXd> of_positions;
        if (!dependent.empty()) of_positions.compute(pick(L_.full.Phi, dependent));
        for (int k = 0; k < 30; ++k) {
            const VectorXd q_and_x = moved(s);
            x.q = q_and_x.head(x.q.size()), x.x = q_and_x.tail(x.x.size());
            if (dependent.empty()) break;
            VectorXd phi = numbers_.residuals(x).phi;
            for (std::size_t i = 0; i < e_.constraints.size(); ++i) {
                if (!e_.constraints[i].is_holonomic) phi[i] = 0;
            }
            const VectorXd step = of_positions.solve(phi);
            for (std::size_t i = 0; i < dependent.size(); ++i) s[dependent[i]] -= step[i];
            if (step.cwiseAbs().maxCoeff() < 1e-16) break;
        }
        for (std::size_t k = 0; k < L_.z.size(); ++k) x.u[L_.z[k]] += z[k];
        const std::vector<Index> led = others(L_.z, x.u.size());
        if (!led.empty()) {
            const auto of_speeds = pick(numbers_.dynamics(x).G, led).colPivHouseholderQr();
            for (int k = 0; k < 2; ++k) {
                const VectorXd step = of_speeds.solve(numbers_.residuals(x).rate);
                for (std::size_t i = 0; i < led.size(); ++i) x.u[led[i]] -= step[i];
            }
        }
        return x;
    }

    struct Rates {
        VectorXd q, u, outputs;  ///< of q and x, of u
    };
    Rates rates(const State& x) const {
        const numeric::Evaluation v = numeric::evaluate(numbers_, x);
        VectorXd q_and_x(v.coordinate_rates.size() + v.auxiliary_rates.size());
        q_and_x << v.coordinate_rates, v.auxiliary_rates;
        return {q_and_x, v.accelerations, v.outputs};
    }

    /// Columns of A over y, z, then of B, by central differences; with outputs below.
    struct PointDerivatives {
        MatrixXd x, o;
    };
    PointDerivatives derivatives(double h) const {
        const Index ny = static_cast<Index>(L_.y.size()), nz = static_cast<Index>(L_.z.size()), nw = L_.point.state.w.size();
        const MatrixXd& S = L_.full.S;
        const MatrixXd left = (S.transpose() * S).inverse() * S.transpose();
        const MatrixXd Sdot = moving_turns();
        PointDerivatives r{MatrixXd::Zero(ny + nz, ny + nz + nw), MatrixXd::Zero(e_.outputs.size(), ny + nz + nw)};
        for (Index j = 0; j < ny + nz + nw; ++j) {
            Rates side[2];
            for (int k = 0; k < 2; ++k) {
                VectorXd d = VectorXd::Zero(ny + nz + nw);
                d[j] = k == 0 ? h : -h;
                State x = at(d.head(ny), d.segment(ny, nz));
                x.w += d.tail(nw);
                side[k] = rates(x);
            }
            const VectorXd dq = (side[0].q - side[1].q) / (2 * h), du = (side[0].u - side[1].u) / (2 * h);
            VectorXd ds = VectorXd::Zero(S.cols());
            if (j < ny) ds = L_.Y.col(j);
            const VectorXd rate = left * (dq - Sdot * ds);
            for (std::size_t i = 0; i < L_.y.size(); ++i) r.x(static_cast<Index>(i), j) = rate[L_.y[i]];
            for (std::size_t i = 0; i < L_.z.size(); ++i) r.x(ny + static_cast<Index>(i), j) = du[L_.z[i]];
            r.o.col(j) = (side[0].outputs - side[1].outputs) / (2 * h);
        }
        return r;
    }

private:
    static std::vector<Index> others(const std::vector<std::size_t>& list, Index n) {
        std::vector<Index> rest;
        for (Index i = 0; i < n; ++i) {
            if (std::ranges::find(list, static_cast<std::size_t>(i)) == list.end()) rest.push_back(i);
        }
        return rest;
    }
    static MatrixXd pick(const MatrixXd& a, const std::vector<Index>& columns) {
        MatrixXd part(a.rows(), static_cast<Index>(columns.size()));
        for (std::size_t k = 0; k < columns.size(); ++k) part.col(k) = a.col(columns[k]);
        return part;
    }
    /// q and x: e ∘ exp(½ θ) for quaternions, a sum for the rest.
    VectorXd moved(const VectorXd& s) const {
        const MatrixXd& S = L_.full.S;
        VectorXd q(S.rows());
        q << L_.point.state.q, L_.point.state.x;
        const VectorXd straight = S * s;
        q += straight;
        for (const auto& group : e_.quaternions) {
            // along the sphere: cos|v| e + sin|v| v/|v|
            Eigen::Vector4d e, v;
            for (int k = 0; k < 4; ++k) {
                const Index i = group[k];
                e[k] = L_.point.state.q[i], v[k] = straight[i];
            }
            const double angle = v.norm();
            const Eigen::Vector4d turned =
                std::cos(angle) * e + (angle > 0 ? Eigen::Vector4d(std::sin(angle) / angle * v) : Eigen::Vector4d::Zero());
            for (int k = 0; k < 4; ++k) q[group[k]] = turned[k];
        }
        return q;
    }
    /// Ṡ: S is linear in the quaternions themselves.
    MatrixXd moving_turns() const {
        MatrixXd rate = MatrixXd::Zero(L_.full.S.rows(), L_.full.S.cols());
        const VectorXd qdot = numbers_.coordinate_rates(L_.point.state);
        for (const auto& g : e_.quaternions) {
            const auto i = [&](int k) { return static_cast<Index>(g[k]); };
            Index at = 0;
            const auto is_its_own = [&](Index column) {
                double part = 0;
                for (int k = 0; k < 4; ++k) part += std::abs(L_.full.S(i(k), column));
                return part > 0;
            };
            while (!is_its_own(at)) ++at;
            const double e[4] = {qdot[i(0)], qdot[i(1)], qdot[i(2)], qdot[i(3)]};
            const double E[4][3] = {{-e[1], -e[2], -e[3]}, {e[0], -e[3], e[2]}, {e[3], e[0], -e[1]}, {-e[2], e[1], e[0]}};
            for (int r = 0; r < 4; ++r) {
                for (int c = 0; c < 3; ++c) rate(i(r), at + c) = E[r][c] / 2;
            }
        }
        return rate;
    }

    const CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    const Linearization& L_;
};

/// Entry by entry, against the size of its row.
double mismatch(const MatrixXd& a, const MatrixXd& b) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::infinity();
    double most = 0;
    for (Index i = 0; i < a.rows() && a.cols() > 0; ++i)
        most = std::max(most, (a.row(i) - b.row(i)).cwiseAbs().maxCoeff() / std::max(1.0, b.row(i).cwiseAbs().maxCoeff()));
    return most;
}

class LinearizeOfTheZoo : public testing::TestWithParam<std::string> {};

TEST_P(LinearizeOfTheZoo, IsTheDerivativeOfTheVectorField) {
    const Subject subject("models/" + GetParam() + "/model.toml");
    const CompiledEquations& numbers = *subject.numbers;
    const Linearizer linearizer(numbers);
    const State start = subject.start();
    int tried = 0;
    for (std::uint64_t seed = 0; seed < 12 && tried < 3; ++seed) {
        const auto state = seed == 0 ? std::optional(start) : random_state(numbers, start, seed, seed < 6 ? 0.3 : 0.03);
        if (!state) continue;
        const Linearization L = linearizer(point_at(numbers, *state));
        ASSERT_TRUE(L.is_ok) << "seed " << seed << ": " << L.why;
        ++tried;
        const Index nx = L.state_space.A.rows();
        const Field field(numbers, L);
        const Field::PointDerivatives derivatives = field.derivatives(1e-5), finer = field.derivatives(5e-6);
        const MatrixXd x = (4 * finer.x - derivatives.x) / 3, o = (4 * finer.o - derivatives.o) / 3;  // Richardson
        EXPECT_LT(mismatch(L.state_space.A, x.leftCols(nx)), 2e-7) << "seed " << seed << "\n"
                                                                   << L.state_space.A << "\n\n"
                                                                   << x.leftCols(nx);
        const double rounding = 1e-16 * numeric::evaluate(numbers, *state).accelerations.cwiseAbs().maxCoeff() / 5e-6;  // of stiff models
        EXPECT_LT(mismatch(L.state_space.B, x.rightCols(x.cols() - nx)), 2e-7 + 10 * rounding) << "seed " << seed;
        if (o.rows() > 0) {
            MatrixXd CD(L.state_space.C.rows(), x.cols());
            CD << L.state_space.C, L.state_space.D;
            EXPECT_LT(mismatch(CD, o), 1e-6) << "seed " << seed << "\n" << CD << "\n\n" << o;
        }
    }
    EXPECT_GE(tried, 2);
}
INSTANTIATE_TEST_SUITE_P(Linearize, LinearizeOfTheZoo, testing::ValuesIn(zoo()), [](const auto& i) { return i.param; });

}  // namespace
}  // namespace linkwright
