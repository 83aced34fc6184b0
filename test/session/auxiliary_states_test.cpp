// Auxiliary states ẋ = g(q, u, x, w, t), from a model made in C++ to every verb: against a servo written down by hand.

#include "linkwright/model/read.hpp"
#include "linkwright/model/write.hpp"
#include "linkwright/motion/rate_jacobian.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/session/derive.hpp"
#include "linkwright/session/equilibrium.hpp"
#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/generate.hpp"
#include "linkwright/session/inverse.hpp"
#include "linkwright/session/linearize.hpp"
#include "linkwright/session/modes.hpp"
#include "linkwright/session/perturb.hpp"
#include "linkwright/session/prove.hpp"
#include "linkwright/session/sensitivity.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "session/subject.hpp"
#include "support/servo.hpp"

namespace linkwright::test {
namespace {

using namespace session;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;

Session open_servo(const std::vector<std::string>& set = {}) {
    const auto opened = linkwright::open_model(servo(), {.set = set});
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

Session open_closed(const std::string& formulation = {}) {
    model::Reading reading = model::read_file(model_path("four_bar/model.toml"));
    EXPECT_TRUE(reading.model);
    add_motor(*reading.model);
    const auto opened = linkwright::open_model(*reading.model, {.formulation = formulation});
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

/// The servo by hand: hip, current, smooth, wound, hip'.
struct ByHand {
    double g = 9.81, l = 0.5, m = 2, c = 0.1, k = 3, L = 0.05, R = 1.5, T = 0.1, gain = 12, integral = 2, ref = 0.7, volts = 0.4;
    VectorXd rate(const VectorXd& x) const {
        return VectorXd{{x[4], (volts - gain * (x[2] - ref) - x[3] - R * x[1] - k * x[4]) / L, (x[0] - x[2]) / T, integral * (x[0] - ref),
                         (k * x[1] - c * x[4] - m * g * l * std::sin(x[0])) / (m * l * l)}};
    }
    MatrixXd jacobian(double hip) const {
        return MatrixXd{{0, 0, 0, 0, 1},
                        {0, -R / L, -gain / L, -1 / L, -k / L},
                        {1 / T, 0, -1 / T, 0, 0},
                        {integral, 0, 0, 0, 0},
                        {-g * std::cos(hip) / l, k / (m * l * l), 0, 0, -c / (m * l * l)}};
    }
    VectorXd start() const { return VectorXd{{0.3, 0.2 * R, 0, 0, 0}}; }
    VectorXd after(double time) const {  // the classical rule, in steps so short that nothing else is seen
        VectorXd x = start();
        const int steps = 20000;
        const double h = time / steps;
        for (int i = 0; i < steps; ++i) {
            const VectorXd a = rate(x), b = rate(x + h / 2 * a), d = rate(x + h / 2 * b), e = rate(x + h * d);
            x += h / 6 * (a + 2 * b + 2 * d + e);
        }
        return x;
    }
};

VectorXd last(const Simulation& s, std::initializer_list<const char*> names) {
    VectorXd values(static_cast<Eigen::Index>(names.size()));
    const Table table = s.table();
    Eigen::Index i = 0;
    for (const char* name : names) values[i++] = table.rows.back()[static_cast<Eigen::Index>(*table.find(name))];
    return values;
}

TEST(AuxiliaryStates, AreEvaluated) {
    const auto at =
        evaluate(open_servo(), {.state = {.values = NamedState{.values = {{"hip", 0.4}, {"hip'", -1}, {"current", 2}, {"smooth", 0.1}}}}});
    ASSERT_TRUE(at) << to_string(at.problems);
    const VectorXd by_hand = ByHand{}.rate(VectorXd{{0.4, 2, 0.1, 0, -1}});
    EXPECT_LT((at->evaluation.auxiliary_rates - by_hand.segment(1, 3)).norm(), 1e-12 * by_hand.norm());
    EXPECT_NEAR(at->evaluation.accelerations[0], by_hand[4], 1e-12 * std::abs(by_hand[4]));
    const Json json = to_json(*at);
    EXPECT_EQ(json["auxiliary"].size(), 3u);
    EXPECT_EQ(json["state"]["values"]["current"], 2.0);
}

TEST(AuxiliaryStates, MoveAsByHand) {
    const VectorXd by_hand = ByHand{}.after(1.5);
    using motion::Integrator;
    for (const Integrator integrator : {Integrator::adams, Integrator::bdf, Integrator::rk, Integrator::ida}) {
        const auto s = simulate(open_servo(), {.rows = {.until = 1.5}, .tolerance = 1e-10, .integrator = integrator});
        ASSERT_TRUE(s) << to_string(s.problems);
        const VectorXd moved = last(*s, {"hip", "current", "smooth", "wound", "hip'"});
        EXPECT_LT((moved - by_hand).norm(), 1e-6) << static_cast<int>(integrator);
        EXPECT_LT(s->motion.statistics.energy_error, 1e-6) << static_cast<int>(integrator);
    }
    const auto interpreted = simulate(open_servo(), {.rows = {.until = 1.5}, .tolerance = 1e-10, .interpret = true});
    EXPECT_LT((last(*interpreted, {"hip", "current", "smooth", "wound", "hip'"}) - by_hand).norm(), 1e-6);
}

TEST(AuxiliaryStates, GoOnFromAnEarlierResult) {
    const auto whole = simulate(open_servo(), {.rows = {.until = 1}, .tolerance = 1e-11});
    const auto half = simulate(open_servo(), {.rows = {.until = 0.5}, .tolerance = 1e-11});
    ASSERT_TRUE(whole && half);
    const TemporaryFile file("half.csv", to_csv(half->table()));
    const auto rest = simulate(open_servo(), {.rows = {.until = 1}, .restart = file.path(), .tolerance = 1e-11});
    ASSERT_TRUE(rest) << to_string(rest.problems);
    EXPECT_LT((last(*rest, {"hip", "current", "wound"}) - last(*whole, {"hip", "current", "wound"})).norm(), 1e-8);
}

TEST(AuxiliaryStates, AreLinearized) {
    const auto at = linearize(open_servo(), {.operating = {.at = linear::Operating::At::initial}});
    ASSERT_TRUE(at) << to_string(at.problems);
    const ByHand hand;
    EXPECT_LT((at->linear.state_space.A - hand.jacobian(0.3)).norm(), 1e-10);
    EXPECT_LT((at->linear.state_space.B - VectorXd{{0, 1 / hand.L, 0, 0, 0}}).norm(), 1e-12);
}

TEST(AuxiliaryStates, ComeToRest) {
    const ByHand hand;
    const auto found = equilibrium(open_servo());
    ASSERT_TRUE(found && found.is_ok()) << to_string(found.problems);
    const numeric::State& s = found->found.front().point.state;
    const double current = hand.m * hand.g * hand.l * std::sin(hand.ref) / hand.k;
    EXPECT_NEAR(s.q[0], hand.ref, 1e-10);
    EXPECT_LT((s.x - VectorXd{{current, hand.ref, hand.volts - hand.R * current}}).norm(), 1e-9);
    EXPECT_EQ(to_json(*found)["equilibria"].empty(), false);
}

TEST(AuxiliaryStates, ThatNeverRestAreNamed) {
    model::Model m = servo();
    m.states[2].rate = m.pool->symbol("k", sym::Role::parameter);
    const auto opened = linkwright::open_model(m);
    ASSERT_TRUE(opened);
    const auto found = equilibrium(*opened);
    EXPECT_EQ(found.status, Status::numerical_failure);
    EXPECT_THAT(to_string(found.problems), HasSubstr("auxiliary state wound still changes at 3"));
}

TEST(AuxiliaryStates, AreMissedInAResultWithoutThem) {
    const TemporaryFile file("bare.csv", "t,hip,hip'\n0,0.1,0\n");
    EXPECT_THAT(first_error(simulate(open_servo(), {.rows = {.until = 1}, .restart = file.path()})),
                HasSubstr("no column current, smooth, wound"));
}

TEST(AuxiliaryStates, HaveModes) {
    const ByHand hand;
    VectorXd expected = solve::eigenvalues(hand.jacobian(hand.ref)).cwiseAbs();
    std::ranges::sort(expected);
    for (const linear::ModesBy by : {linear::ModesBy::qr, linear::ModesBy::qz}) {
        const auto m = modes(open_servo(), {.methods = {by}});
        ASSERT_TRUE(m) << to_string(m.problems);
        VectorXd sizes = m->modes().poles.cwiseAbs();
        std::ranges::sort(sizes);
        ASSERT_EQ(sizes.size(), expected.size());
        EXPECT_LT((sizes - expected).norm(), 1e-8 * expected.norm()) << static_cast<int>(by);
    }
}

/// (y(p + h) − y(p − h))/2h of the end of a motion.
VectorXd slope_of_motion(const std::string& parameter, double value, double h) {
    const auto end = [&](double p) {
        const auto s = simulate(open_servo({fmt::format("{}={:.17g}", parameter, p)}), {.rows = {.until = 0.8}, .tolerance = 1e-12});
        return last(*s, {"hip", "hip'", "current", "smooth", "wound"});
    };
    return (end(value + h) - end(value - h)) / (2 * h);
}

TEST(AuxiliaryStates, HaveSensitivities) {
    const auto s = motion_sensitivity(open_servo(), {.to = {"T", "R"}, .rows = {.until = 0.8}, .tolerance = 1e-11});
    ASSERT_TRUE(s) << to_string(s.problems);
    const MatrixXd derivative = s->sensitivity.derivatives.back();
    ASSERT_EQ(s->sensitivity.of[2], "current");
    const VectorXd by_T = slope_of_motion("T", 0.1, 1e-5), by_R = slope_of_motion("R", 1.5, 1e-4);  // R moves the start too
    EXPECT_LT((derivative.col(0).head(5) - by_T).norm(), 1e-5 * by_T.norm());
    EXPECT_LT((derivative.col(1).head(5) - by_R).norm(), 1e-5 * by_R.norm());
    const auto beginning = motion_sensitivity(open_servo(), {.to = {"smooth(0)"}, .rows = {.until = 1e-3}, .tolerance = 1e-11});
    ASSERT_TRUE(beginning) << to_string(beginning.problems);
    EXPECT_NEAR(beginning->sensitivity.derivatives.back()(3, 0), std::exp(-1e-3 / 0.1), 1e-5);
}

TEST(AuxiliaryStates, HavePolesThatChange) {
    const auto poles = [](const std::vector<std::string>& set) {  // one of each pair
        const Eigen::VectorXcd all = modes(open_servo(set), {})->modes().poles;
        std::vector<std::complex<double>> upper;
        for (const std::complex<double> p : all) {
            if (p.imag() >= 0) upper.push_back(p);
        }
        return Eigen::VectorXcd(Eigen::Map<Eigen::VectorXcd>(upper.data(), static_cast<Eigen::Index>(upper.size())));
    };
    for (const auto& [name, value] : {std::pair{"gain", 12.0}, std::pair{"l", 0.5}, std::pair{"T", 0.1}}) {
        const auto s = sensitivity(open_servo(), {.of = SensitivityOf::poles, .to = {name}});
        ASSERT_TRUE(s) << to_string(s.problems);
        const double h = 1e-5 * value;
        const Eigen::VectorXcd above = poles({fmt::format("{}={:.17g}", name, value + h)}),
                               below = poles({fmt::format("{}={:.17g}", name, value - h)});
        const Eigen::VectorXcd slope = (above - below) / (2 * h);
        ASSERT_EQ(s->eigenvalues.derivatives.rows(), slope.size()) << name;
        EXPECT_LT((s->eigenvalues.derivatives.col(0) - slope).norm(), 1e-5 * slope.norm()) << name;
    }
    const ByHand hand;
    const auto at = sensitivity(open_servo(), {.of = SensitivityOf::equilibrium, .to = {"ref"}});
    ASSERT_TRUE(at) << to_string(at.problems);
    EXPECT_NEAR(at->derivatives.by[0].x[0], hand.m * hand.g * hand.l * std::cos(hand.ref) / hand.k, 1e-8);
}

TEST(AuxiliaryStates, ArePrinted) {
    const auto text = derive(open_servo());
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, HasSubstr("auxiliary states: current, smooth, wound"));
    EXPECT_THAT(*text, HasSubstr("smooth' ="));
    const auto json = derive(open_servo(), {.to = present::To::json});
    EXPECT_EQ(Json::parse(*json)["auxiliary"].size(), 3u);
    const auto latex = derive(open_servo(), {.to = present::To::latex});
    EXPECT_THAT(*latex, HasSubstr("Auxiliary states"));
}

TEST(AuxiliaryStates, AreProved) {
    const auto tree = prove(open_servo(), {.seed = 5});
    ASSERT_TRUE(tree);
    EXPECT_TRUE(tree.is_ok()) << to_string(tree.problems);
    EXPECT_FALSE(tree->is_different());
    const auto closed = prove(open_closed(), {.seed = 5});
    ASSERT_TRUE(closed);
    EXPECT_FALSE(closed->is_different()) << to_json(*closed).dump(1).substr(0, 2000);
}

TEST(AuxiliaryStates, AreGenerated) {
    const auto code = generate(open_servo(), {.languages = {"c", "python"}});
    ASSERT_TRUE(code) << to_string(code.problems);
    ASSERT_EQ(code->package.nu(), 4u);
    EXPECT_EQ(code->package.arguments[2].entries[1].name, "current");
    EXPECT_NEAR(code->package.arguments[2].entries[1].value, 0.3, 1e-15);

    // what the functions compute is what was derived: u̇, then ẋ
    std::array<std::vector<double>, 6> at{{{0}, {0.4}, {-1, 2, 0.1, 0.5}, {0.4}, {}, {}}};  // t q u w p c
    for (const codegen::Entry& p : code->package.arguments[4].entries) at[4].push_back(p.value);
    const auto run = [&](const char* name) {
        const codegen::Function* f = code->package.find(name);
        std::vector<double> in, out(f->program.outputs.size());
        for (const std::size_t a : f->arguments) in.insert(in.end(), at[a].begin(), at[a].end());
        program::Interpreter(f->program)(in, out);
        return VectorXd(Eigen::Map<VectorXd>(out.data(), static_cast<Eigen::Index>(out.size())));
    };
    if (code->package.find("setup") != nullptr) {
        const VectorXd c = run("setup");
        at[5].assign(c.begin(), c.end());
    }
    const VectorXd by_hand = ByHand{}.rate(VectorXd{{0.4, 2, 0.1, 0.5, -1}}), rates{{by_hand[4], by_hand[1], by_hand[2], by_hand[3]}};
    EXPECT_LT((run("accelerations") - rates).norm(), 1e-12 * rates.norm());
    EXPECT_LT((run("dynamics").tail(3) - rates.tail(3)).norm(), 1e-12 * rates.norm());  // f, where the mass is 1
}

TEST(AuxiliaryStates, HaveTheJacobianThatDifferencesShow) {
    for (const Session& session : {open_servo(), open_closed("recursive")}) {
        const auto e = *session.equations("recursive");
        const numeric::CompiledEquations numbers(*e);
        const numeric::State start = *initial_state(session);
        const motion::SimulateOptions options;
        motion::MotionSystem system(numbers, start, options);
        motion::RateJacobian jacobian(system, options);
        const Eigen::Index nq = system.coordinates(), size = nq + system.speeds(), whole = size + (system.has_power() ? 1 : 0);
        VectorXd x = arguments(numbers.layout(), start).segment(numbers.layout().q(), size);
        for (Eigen::Index i = 0; i < numbers.layout().nx; ++i) x[numbers.layout().nq + i] = 0.7 - 0.2 * static_cast<double>(i);
        MatrixXd J(whole, whole);
        ASSERT_TRUE(jacobian.calc(0, x.data(), J.data()));
        const auto rate = [&](const VectorXd& at) {
            system.put(0, at.data(), at.data() + nq);
            EXPECT_TRUE(system.calc_rates());
            VectorXd r(size);
            r << system.qdot(), system.udot();
            return r;
        };
        for (Eigen::Index j = 0; j < size; ++j) {
            const VectorXd h = 1e-6 * VectorXd::Unit(size, j);
            const VectorXd slope = (rate(x + h) - rate(x - h)) / 2e-6;
            EXPECT_LT((J.col(j).head(size) - slope).norm(), 1e-6 * (1 + slope.norm())) << j;
        }
    }
}

TEST(AuxiliaryStates, DriveClosedChains) {
    std::optional<VectorXd> first;
    using motion::ConstraintStabilization;
    for (const auto keep : {ConstraintStabilization::projection, ConstraintStabilization::partition, ConstraintStabilization::nullspace}) {
        const auto s = simulate(open_closed(), {.rows = {.until = 1}, .tolerance = 1e-10, .constraints = keep});
        ASSERT_TRUE(s) << to_string(s.problems);
        const VectorXd at = last(*s, {"alpha", "alpha'", "current", "energy.total"});
        if (!first) first = at;
        EXPECT_LT((at - *first).norm(), 1e-6 * first->norm()) << static_cast<int>(keep);
        EXPECT_LT(s->motion.statistics.energy_error, 1e-6);
    }
    for (const char* formulation : {"newton_euler", "lagrange", "kane"}) {
        const auto s =
            simulate(open_closed(formulation), {.rows = {.until = 1}, .tolerance = 1e-10, .integrator = motion::Integrator::ida});
        ASSERT_TRUE(s) << to_string(s.problems);
        EXPECT_LT((last(*s, {"alpha", "current", "energy.total"}) - VectorXd{{(*first)[0], (*first)[2], (*first)[3]}}).norm(), 1e-5)
            << formulation;
    }
}

TEST(AuxiliaryStates, AreInvertedForTheInput) {
    const auto r = inverse(open_servo(), {.motion = {"hip = 0.3*cos(2*t)"}, .rows = {.until = 1, .samples = 20}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const auto column = [&](const std::string& name) { return static_cast<Eigen::Index>(*r->table().find(name)); };
    for (const VectorXd& row : r->table().rows) {
        const double t = row[0], q = 0.3 * std::cos(2 * t), v = -0.6 * std::sin(2 * t), a = -4 * q, j = -4 * v, I = 2 * 0.25;
        const double current = (I * a + 0.1 * v + 2 * 9.81 * 0.5 * std::sin(q)) / 3,
                     rate = (I * j + 0.1 * a + 2 * 9.81 * 0.5 * std::cos(q) * v) / 3;
        EXPECT_NEAR(row[column("current")], current, 1e-10);
        EXPECT_NEAR(row[column("volts")], 0.05 * rate + 1.5 * current + 3 * v + 12 * (row[column("smooth")] - 0.7) + row[column("wound")],
                    1e-7);
        EXPECT_NEAR(row[column("wound")], 2 * (0.15 * std::sin(2 * t) - 0.7 * t), 1e-7);
    }
}

TEST(AuxiliaryStates, AreRefusedWhereTheyCannotBe) {
    model::Model m = servo();
    {
        const sym::PoolScope scope(*m.pool);
        m.states[1].rate = m.pool->symbol("hip''", sym::Role::acceleration);
    }
    const auto accelerated = linkwright::open_model(m);
    EXPECT_THAT(to_string(accelerated ? derive(*accelerated).problems : accelerated.problems),
                HasSubstr("the rate of auxiliary state 'smooth' depends on 'hip''"));
    m = servo();
    m.bodies[1].mass = m.states[0].symbol;
    const auto massive = linkwright::open_model(m);
    EXPECT_THAT(to_string(massive ? derive(*massive).problems : massive.problems), HasSubstr("depend on the auxiliary state 'current'"));
    EXPECT_THAT(to_string(session::perturb(open_servo()).problems), HasSubstr("auxiliary states (current"));
    EXPECT_THROW(model::write(servo()), std::invalid_argument);
}

}  // namespace
}  // namespace linkwright::test
