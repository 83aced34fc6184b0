// Trajectories computed independently (explicit Runge–Kutta of order 8, relative tolerance 3e-14), against simulate.

#include "motion/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using namespace numeric;
using namespace motion;

void compare(const Subject& s, const Json& theirs) {
    // Their speeds of a free base are v, ω; ours ω, v.
    const Index n = static_cast<Index>(s.equations.u.size()), nq = static_cast<Index>(s.equations.q.size());
    const auto ours_first = [&](VectorXd u) {
        if (!s.equations.quaternions.empty()) {
            const VectorXd v = u.head(3);
            u.head(3) = u.segment(3, 3), u.segment(3, 3) = v;
        }
        return u;
    };
    State start = s.numbers->zero_state();
    start.q = vector_of(theirs["q"][0]);
    start.u = ours_first(vector_of(theirs["u"][0]));
    SimulateOptions options;
    options.tolerance = 1e-10;
    const VectorXd times = vector_of(theirs["t"]);
    options.times.assign(times.begin(), times.end());
    const Motion motion = simulate(*s.numbers, start, options);
    ASSERT_EQ(motion.stop, Stop::reached) << motion.why;
    ASSERT_EQ(motion.rows.size(), options.times.size());
    for (std::size_t i = 0; i < motion.rows.size(); ++i) {
        const VectorXd& row = motion.rows[i];
        EXPECT_EQ(row[0], options.times[i]);
        EXPECT_LT((row.segment(1, nq) - vector_of(theirs["q"][i])).cwiseAbs().maxCoeff(), 1e-7) << "t = " << row[0];
        EXPECT_LT((row.segment(1 + nq, n) - ours_first(vector_of(theirs["u"][i]))).cwiseAbs().maxCoeff(), 1e-7) << "t = " << row[0];
        EXPECT_NEAR(row[column(motion, "energy.total")], theirs["E"][i].get<double>(), 1e-7);
        EXPECT_LT((row.segment(column(motion, "momentum.linear.x"), 3) - vector_of(theirs["P"][i])).cwiseAbs().maxCoeff(), 2e-6);
        EXPECT_LT((row.segment(column(motion, "momentum.angular.x"), 3) - vector_of(theirs["H_origin"][i])).cwiseAbs().maxCoeff(), 2e-6);
    }
    EXPECT_LT(motion.statistics.energy_error, 1e3 * options.tolerance * motion.statistics.largest_kinetic);
}

Json trajectory(const std::string& model, const std::string& name) {
    std::ifstream file(project_root() + "/test/motion/trajectories.json");
    return Json::parse(file)[model][name];
}

void set(Subject& s, const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [name, value] : values) {
        const auto problem = model::set_value(*s.model, name, value);
        EXPECT_FALSE(problem) << to_string(*problem);
    }
    s.derive();
}

TEST(Trajectory, DoublePendulum) {
    compare(Subject("models/double_pendulum/model.toml"), trajectory("double_pendulum", "theta=(1.0,0.5)_5s"));
}
TEST(Trajectory, TriplePendulum) {
    compare(Subject("models/lynch_triple_pendulum/lynch.toml"), trajectory("triple_pendulum", "undamped_30deg_5s"));
}
TEST(Trajectory, TriplePendulumDamped) {
    Subject s("models/lynch_triple_pendulum/lynch.toml");
    set(s, {{"CR21", "5"}, {"CR32", "5"}, {"CR43", "5"}});
    compare(s, trajectory("triple_pendulum", "damped_c5_30deg_5s"));
}
TEST(Trajectory, TriplePendulumHeavy) {
    Subject s("models/lynch_triple_pendulum/lynch.toml");
    set(s, {{"g", "98.1"}});
    compare(s, trajectory("triple_pendulum", "undamped_30deg_g98.1_2s"));
}
TEST(Trajectory, StanfordArm) {
    const Subject s("models/lynch_stanford_arm/lynch.toml");
    compare(s, trajectory("stanford_arm", "free_fall_from_q2=90deg_1s"));
    compare(s, trajectory("stanford_arm", "free_fall_generic_1s"));
}
TEST(Trajectory, Satellite) {
    const Subject s("models/lynch_satellite/lynch.toml");
    compare(s, trajectory("satellite", "section_5.3_5s"));
    compare(s, trajectory("satellite", "generic_tumbling_5s"));
}
TEST(Trajectory, FourBar) { compare(Subject("models/lynch_four_bar/lynch.toml"), trajectory("fourbar", "parallelogram_0.5rad_5s")); }

}  // namespace
}  // namespace linkwright
