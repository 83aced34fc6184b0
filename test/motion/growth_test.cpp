// What trees of many bodies cost, counted and not timed: nodes of the graph, lines of programs, numbers that are kept.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/motion/simulate.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/deferred_evaluator.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/topology/topology.hpp"

namespace linkwright {
namespace {

/// Bodies that turn about x, y, z in turn, no two of one mass; `inner` says on which body each one stands.
std::string tree_of(std::size_t n, const std::function<std::size_t(std::size_t)>& inner, bool floats = false) {
    std::string text = "format = 1\ngravity = [0, \"-g\", 0]\n[parameters]\ng = 9.81\nk = 20\nc = 0.2\n";
    for (std::size_t i = 1; i <= n; ++i) {
        text += fmt::format("[[body]]\nname = \"b{}\"\nmass = {}\ncom = [0.5, 0, 0.02]\ninertia = [0.02, {}, {}]\n", i,
                            1 + static_cast<double>(37 * i % 101) / 1000, 0.1 + static_cast<double>(7 * i % 97) / 1000, 0.1);
    }
    for (std::size_t i = 1; i <= n; ++i) {
        const std::size_t from = inner(i);
        text += fmt::format("[[joint]]\nname = \"q{}\"\nparent = \"{}\"\nchild = \"b{}\"\n", i,
                            from == 0 ? "ground" : fmt::format("b{}", from), i);
        text += floats && i == 1 ? "type = \"free\"\n"
                                 : fmt::format(
                                       "type = \"revolute\"\naxis = \"{}\"\nparent_at = [{}, {}, 0]\nstiffness = \"k\"\n"
                                       "damping = \"c\"\n",
                                       "xyz"[i % 3], from == 0 ? 0 : 1, static_cast<double>(i % 2) / 4);
    }
    return text;
}

struct Tree {
    model::Reading reading;
    topology::Analysis analysis;
    eom::EquationsOfMotion equations;

    Tree(const std::string& text, const formulation::Options& options)
        : reading(model::read(text)), analysis(topology::analyse(*reading.model)) {
        equations = *formulation::recursive::derive(*reading.model, *analysis.topology, options).equations;
    }
};

struct Cost {
    double nodes, operations, rest;
};
Cost cost_of(const std::string& text) {
    const Tree tree(text, {.only_accelerations = true});
    const eom::EquationsOfMotion& e = tree.equations;
    EXPECT_TRUE(e.M.empty());
    const numeric::CompiledEquations numbers(e);
    const std::vector<sym::Expr> rest{e.energy.kinetic, e.energy.potential, e.power, e.momentum.angular[0]};
    const auto lines = [](const program::Program& p) { return static_cast<double>(p.lines.size() + p.constants.size()); };
    return {static_cast<double>(e.pool->size()), lines(numbers.lower(eom::accelerations(e))), lines(numbers.lower(rest, true))};
}

class Growth : public testing::TestWithParam<std::pair<const char*, bool>> {};

TEST_P(Growth, IsInProportionToTheBodies) {
    const auto [shape, floats] = GetParam();
    const auto inner = [word = std::string(shape)](std::size_t i) -> std::size_t {
        return word == "tree" ? i / 2 : word == "star" ? 0 : i - 1;
    };
    const Cost a = cost_of(tree_of(300, inner, floats)), b = cost_of(tree_of(600, inner, floats)),
               c = cost_of(tree_of(1200, inner, floats));
    for (const auto part : {&Cost::nodes, &Cost::operations, &Cost::rest}) {
        EXPECT_NEAR(b.*part / (a.*part), 2, 0.2);
        EXPECT_NEAR(c.*part / (b.*part), 2, 0.2);
    }
    EXPECT_LT(c.operations, 400 * 1200);
}

INSTANTIATE_TEST_SUITE_P(Trees, Growth,
                         testing::Values(std::pair("chain", false), std::pair("tree", false), std::pair("star", false),
                                         std::pair("chain", true)),
                         [](const auto& test) { return std::string(test.param.second ? "Floating" : test.param.first); });

/// A chain whose second joint moves as given, with a rotor.
const char* const driven = R"toml(format = 1
gravity = [0, "-g", 0]
[parameters]
g = 9.81
[[body]]
name = "a"
mass = 2
com = [0.4, 0, 0]
inertia = [0.01, 0.2, 0.2]
rotor = { axis = "x", inertia = 0.005, torque = 0.1 }
[[body]]
name = "b"
mass = 1
com = [0.3, 0.1, 0]
inertia = [0.01, 0.1, 0.1]
[[body]]
name = "c"
mass = 0.5
com = [0.2, 0, 0.1]
inertia = [0.01, 0.05, 0.05]
[[joint]]
name = "p"
type = "revolute"
parent = "ground"
child = "a"
axis = "z"
armature = 0.1
[[joint]]
name = "q"
type = "revolute"
parent = "a"
child = "b"
parent_at = [1, 0, 0]
axis = "y"
[[joint]]
name = "r"
type = "revolute"
parent = "b"
child = "c"
parent_at = [1, 0, 0]
axis = "x"
damping = 0.3
[[motion]]
coordinate = "q"
equals = "0.3*sin(2*t)"
[[output]]
name = "bearing"
reaction = "p"
)toml";

TEST(OnlyAccelerations, AreThoseOfTheWholeEquations) {
    const Tree whole(driven, {}), part(driven, {.only_accelerations = true});
    ASSERT_TRUE(part.equations.M.empty());
    EXPECT_EQ(part.equations.inertias.size(), part.equations.u.size());
    const numeric::CompiledEquations numbers(whole.equations), few(part.equations);
    numeric::State s = numbers.zero_state(0.7);
    for (Eigen::Index i = 0; i < s.q.size(); ++i) s.q[i] = 0.3 + 0.2 * static_cast<double>(i);
    for (Eigen::Index i = 0; i < s.u.size(); ++i) s.u[i] = 1.1 - 0.7 * static_cast<double>(i);
    const numeric::Evaluation all = numeric::evaluate(numbers, s), one = numeric::evaluate(few, s);
    ASSERT_EQ(all.accelerations.size(), one.accelerations.size());
    EXPECT_LT((all.accelerations - one.accelerations).norm(), 1e-12 * all.accelerations.norm());
    EXPECT_LT((all.dynamics.f - one.dynamics.f).norm(), 1e-12 * all.dynamics.f.norm());
    EXPECT_LT((all.outputs - one.outputs).norm(), 1e-12 * all.outputs.norm());
    EXPECT_NEAR(all.power, one.power, 1e-12 * std::abs(all.power));
    const Eigen::VectorXd inertias = few.compile(part.equations.inertias)(s);
    EXPECT_LT((inertias - all.dynamics.M.diagonal()).norm(), 1e-12 * inertias.norm());
}

TEST(OnlyAccelerations, MoveTheTreeAsTheWholeEquationsDo) {
    const Tree whole(driven, {}), part(driven, {.only_accelerations = true});
    const numeric::CompiledEquations numbers(whole.equations), few(part.equations);
    motion::SimulateOptions options;
    options.times = {0, 0.5, 1};
    const numeric::State start = assemble(numbers, numeric::wanted(numbers)).state;
    const motion::Motion a = simulate(numbers, start, options), b = simulate(few, start, options);
    ASSERT_EQ(a.stop, motion::Stop::reached);
    ASSERT_EQ(b.stop, motion::Stop::reached);
    EXPECT_EQ(a.columns, b.columns);
    EXPECT_LT((a.rows.back() - b.rows.back()).norm(), 1e-6 * a.rows.back().norm());
}

/// A long program is interpreted for its first calls, then shortened and compiled; the numbers are the same all the time.
TEST(Deferred, GivesTheNumbersOfACompiledProgram) {
    const Tree tree(tree_of(200, [](std::size_t i) { return i - 1; }), {.only_accelerations = true});
    std::size_t compiled = 0;
    const numeric::CompiledEquations numbers(tree.equations, [&](program::Program program) {
        ++compiled;
        return numeric::interpret(std::move(program));
    });
    const std::vector<sym::Expr> a = eom::accelerations(tree.equations);
    const auto deferred = numbers.compile_when_used(a);
    EXPECT_EQ(compiled, 0U);
    const auto whole = numbers.compile(a);
    ASSERT_EQ(compiled, 1U);
    const auto* evaluator = dynamic_cast<const numeric::DeferredEvaluator*>(&deferred.evaluator());
    ASSERT_NE(evaluator, nullptr);
    numeric::State s;
    s = {0, Eigen::VectorXd::Constant(200, 0.1), Eigen::VectorXd::Constant(200, 0.3), Eigen::VectorXd(0), Eigen::VectorXd(0)};
    const Eigen::VectorXd expected = whole(s);
    for (std::size_t call = 0; call < numeric::DeferredEvaluator::few_calls; ++call) {
        const Eigen::VectorXd found = deferred(s);
        if (call % 50 == 0) EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm());
        ASSERT_FALSE(evaluator->is_compiled());
    }
    EXPECT_LT((deferred(s) - expected).norm(), 1e-9 * expected.norm());
    EXPECT_TRUE(evaluator->is_compiled());
    EXPECT_EQ(compiled, 2U);
}

TEST(Deferred, ShortProgramsAreCompiledAtOnce) {
    const Tree tree(tree_of(3, [](std::size_t i) { return i - 1; }), {.only_accelerations = true});
    const numeric::CompiledEquations numbers(tree.equations);
    const auto function = numbers.compile_when_used(eom::accelerations(tree.equations));
    EXPECT_EQ(dynamic_cast<const numeric::DeferredEvaluator*>(&function.evaluator()), nullptr);
}

}  // namespace
}  // namespace linkwright
