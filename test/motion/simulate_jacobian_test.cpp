// The Jacobians that Newton's method is given, against differences.

#include <random>

#include "linkwright/motion/rate_jacobian.hpp"
#include "linkwright/motion/stabilised_form.hpp"
#include "motion/subject.hpp"

namespace linkwright {
namespace {

using namespace numeric;
using namespace motion;

constexpr std::array models{"chain10",      "four_bar", "satellite_with_arms", "driven_crank",
                            "rolling_disk", "bricard",  "kapitza_pendulum",    "stewart_platform"};

/// A direction in which quaternions stay on their spheres: δq = N δ.
VectorXd direction(const Subject& s, const State& at, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    State along = at;
    VectorXd d(at.q.size() + at.u.size());
    for (double& x : along.u) x = normal(random);
    State still = at;
    still.u.setZero();
    d.head(at.q.size()) = s.numbers->coordinate_rates(along) - s.numbers->coordinate_rates(still);
    for (Index i = 0; i < at.u.size(); ++i) d[at.q.size() + i] = normal(random);
    return d;
}

void expect_close(const VectorXd& exact, const VectorXd& difference, const std::string& what) {
    EXPECT_LT((exact - difference).lpNorm<Eigen::Infinity>(), 2e-6 * (1 + exact.lpNorm<Eigen::Infinity>())) << what;
}

TEST(RateJacobian, IsTheDerivativeOfTheRates) {
    std::mt19937_64 random(5);
    for (const char* name : models) {
        const Subject s(std::string("models/") + name + "/model.toml");
        const State start = s.start();
        for (const ConstraintStabilization keep : {ConstraintStabilization::projection, ConstraintStabilization::baumgarte}) {
            SimulateOptions options;
            options.keep = keep;
            options.baumgarte = 3;
            MotionSystem system(*s.numbers, start, options);
            if (system.rank() < system.rows()) continue;  // beside the constraints redundant rows contradict each other
            RateJacobian jacobian(system, options);
            const Index nq = system.coordinates(), n = system.speeds(), size = nq + n + (system.has_power() ? 1 : 0);
            VectorXd x = VectorXd::Zero(size);
            x << start.q, start.u, VectorXd::Zero(size - nq - n);
            for (Index i = 0; i < n; ++i) x[nq + i] += 0.1 * static_cast<double>(i % 3);
            MatrixXd J(size, size);
            ASSERT_TRUE(jacobian.calc(0.1, x.data(), J.data())) << system.failure();
            const auto rates = [&](const VectorXd& at) {
                system.put(0.1, at.data(), at.data() + nq);
                EXPECT_TRUE(system.calc_rates());
                VectorXd r(size);
                r << system.qdot(), system.udot(), (system.has_power() ? VectorXd::Constant(1, system.power()) : VectorXd(0));
                return r;
            };
            for (int k = 0; k < 5; ++k) {
                VectorXd d = VectorXd::Zero(size);
                d.head(nq + n) = direction(s, {0.1, start.q, x.segment(nq, n), start.w}, random);
                const double h = 1e-6;
                expect_close(J * d, (rates(x + h * d) - rates(x - h * d)) / (2 * h), name);
            }
        }
    }
}

TEST(StabilisedForm, ItsJacobianIsTheDerivativeOfItsResidual) {
    std::mt19937_64 random(6);
    std::normal_distribution<double> normal;
    for (const char* name : models) {
        const Subject s(std::string("models/") + name + "/model.toml");
        const State start = s.start();
        const SimulateOptions options;
        MotionSystem system(*s.numbers, start, options);
        StabilisedForm form(system);
        ASSERT_TRUE(form.choose());
        const Index nq = system.coordinates(), n = system.speeds();
        VectorXd x = VectorXd::Zero(nq + n + (system.has_power() ? 1 : 0)), rate;
        x.head(nq) = start.q, x.segment(nq, n) = start.u;
        ASSERT_TRUE(form.complete(0, x, rate));
        const auto residual = [&](const VectorXd& at, const VectorXd& derivative) {
            VectorXd r(form.size());
            EXPECT_TRUE(form.calc_residual(0, at.data(), derivative.data(), r.data()));
            return r;
        };
        EXPECT_LT(residual(x, rate).lpNorm<Eigen::Infinity>(), 1e-9 * (1 + rate.lpNorm<Eigen::Infinity>())) << name;
        const double c = 1.7, h = 1e-6;
        MatrixXd J(form.size(), form.size());
        ASSERT_TRUE(form.calc_jacobian(0, c, x.data(), rate.data(), J.data()));
        for (int k = 0; k < 5; ++k) {
            VectorXd d(form.size());
            for (double& entry : d) entry = normal(random);
            d.head(nq + n) = direction(s, start, random);
            expect_close(J * d, (residual(x + h * d, rate + c * h * d) - residual(x - h * d, rate - c * h * d)) / (2 * h), name);
        }
    }
}

}  // namespace
}  // namespace linkwright
