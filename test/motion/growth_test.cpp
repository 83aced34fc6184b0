// What trees of many bodies cost, counted and not timed: nodes of the graph, lines of programs, numbers that are kept.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/calls.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/motion/simulate.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/deferred_evaluator.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/program/inline.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/program/roll.hpp"
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

/// A tree of joints, loads and rotors of every kind; bodies of one kind come again and again.
std::string mixed_tree(std::size_t n, std::size_t branching) {
    std::string text = "format = 1\ngravity = [0, \"-g\", 0.3]\n[parameters]\ng = 9.81\nk = 20\nc = 0.2\n[inputs]\nw = 0.4\n";
    for (std::size_t i = 1; i <= n; ++i) {
        text +=
            fmt::format("[[body]]\nname = \"b{}\"\nmass = {}\ncom = [0.5, {}, 0.02]\ninertia = [0.3, {}, 0.4]\n", i,
                        1 + static_cast<double>(37 * i % 101) / 1000, i % 2 == 0 ? 0.0 : 0.1, 0.2 + static_cast<double>(7 * i % 97) / 1000);
        if (i % 7 == 3) text += "rotor = { axis = \"x\", inertia = 0.05, torque = 0.1 }\n";
        if (i % 7 == 5) text += "rotor = { axis = \"y\", inertia = 0.05, speed = 20 }\n";
    }
    constexpr std::array types{"revolute", "prismatic", "cylindrical", "universal", "spherical", "revolute", "weld"};
    for (std::size_t i = 1; i <= n; ++i) {
        const std::size_t from = (i - 1) / branching;
        const std::string type = types[i * i % 11 % types.size()];
        text += fmt::format("[[joint]]\nname = \"q{}\"\ntype = \"{}\"\nparent = \"{}\"\nchild = \"b{}\"\nparent_at = [{}, {}, 0]\n", i,
                            type, from == 0 ? "ground" : fmt::format("b{}", from), i, from == 0 ? 0 : 1, static_cast<double>(i % 3) / 4);
        if (type == "revolute" || type == "prismatic") {
            text += fmt::format("axis = \"{}\"\nstiffness = \"k\"\ndamping = \"c\"\n", "xyz"[i % 3]);
            if (i % 4 == 0) text += "armature = 0.2\n";
            if (i % 5 == 0) text += "actuator = \"w\"\n";
        }
    }
    return text;
}

/// Accelerations link by link, and in a straight line.
struct Rolled {
    program::Program straight, calling;

    explicit Rolled(const Tree& tree, program::Shorten shorten = program::Shorten::no) {
        const eom::EquationsOfMotion& e = tree.equations;
        std::vector<sym::Binding> values;
        for (const eom::Parameter& p : e.parameters) values.emplace_back(p.symbol, p.value);
        std::vector<sym::NodeId> origins;
        straight = program::transcribe(eom::accelerations(e), numeric::arguments(e), values, &origins);
        std::vector<program::Group> group;
        for (const sym::NodeId node : origins) {
            const auto next = std::ranges::upper_bound(e.strands, node, {}, &eom::Strand::first);
            group.push_back(next == e.strands.begin() ? program::no_group : std::prev(next)->group);
        }
        calling = rolled(straight, std::move(group), shorten);
    }
    std::size_t routines() const { return calling.library == nullptr ? 0 : calling.library->routines.size(); }
    std::size_t code() const {
        std::size_t lines = plain();
        for (const auto& routine : calling.library->routines) lines += routine.program.lines.size();
        return lines;
    }
    /// Lines that are there once.
    std::size_t plain() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(calling.lines, [](const auto& line) { return line.op != program::Op::result; }));
    }
};

TEST_P(Growth, IsCodeForALinkOfEachKind) {
    const auto [shape, floats] = GetParam();
    const auto inner = [word = std::string(shape)](std::size_t i) -> std::size_t {
        return word == "tree" ? i / 2 : word == "star" ? 0 : i - 1;
    };
    const formulation::Options options{.only_accelerations = true};
    const Rolled a(Tree(tree_of(500, inner, floats), options)), b(Tree(tree_of(2000, inner, floats), options));
    EXPECT_GT(a.routines(), 0U);
    EXPECT_LT(b.routines(), 1.3 * static_cast<double>(a.routines()) + 4);  // some are alone among few
    EXPECT_LT(b.plain(), 1.3 * static_cast<double>(a.plain()) + 1000);
    EXPECT_LT(b.code(), 1.3 * static_cast<double>(a.code()) + 1000);
    EXPECT_GT(b.straight.lines.size(), 3.5 * static_cast<double>(a.straight.lines.size()));
}

/// The same operations on the same numbers, to the last bit.
TEST(LinkByLink, IsTheSameProgram) {
    for (const std::size_t branching : {1, 2, 5}) {
        const Tree tree(mixed_tree(90, branching), {.only_accelerations = true});
        const Rolled both(tree);
        ASSERT_GT(both.routines(), 0U);
        std::vector<double> in(both.straight.inputs);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(static_cast<double>(3 * i + 1));
        EXPECT_EQ(program::run<double>(program::inlined(both.calling), in), program::run<double>(both.straight, in)) << branching;
        const Rolled shorter(tree, program::Shorten::yes);
        const auto x = program::run<double>(program::inlined(shorter.calling), in), y = program::run<double>(both.straight, in);
        double off = 0, size = 0;
        for (std::size_t i = 0; i < x.size(); ++i) off = std::max(off, std::abs(x[i] - y[i])), size = std::max(size, std::abs(y[i]));
        EXPECT_LT(off, 1e-9 * size) << branching;
    }
}

TEST(LinkByLink, IsHowLongChainsMove) {
    if (!jit::why_not().empty()) GTEST_SKIP() << jit::why_not();
    const Tree tree(tree_of(1000, [](std::size_t i) { return i - 1; }), {.only_accelerations = true});
    const numeric::CompiledEquations numbers(tree.equations, jit::native());
    const auto by_links = numbers.compile_when_used(eom::accelerations(tree.equations));
    const auto* deferred = dynamic_cast<const numeric::DeferredEvaluator*>(&by_links.evaluator());
    ASSERT_NE(deferred, nullptr);
    EXPECT_TRUE(jit::is_calling(deferred->first()));
    const auto straight = numbers.compile(eom::accelerations(tree.equations));
    EXPECT_FALSE(jit::is_calling(straight.evaluator()));
    numeric::State s{0, Eigen::VectorXd(1000), Eigen::VectorXd(1000), Eigen::VectorXd(0), Eigen::VectorXd(0)};
    for (Eigen::Index i = 0; i < 1000; ++i) s.q[i] = 0.02 * static_cast<double>(i % 7), s.u[i] = 0.01 * static_cast<double>(i % 5);
    const Eigen::VectorXd a = by_links(s), b = straight(s);
    EXPECT_LT((a - b).norm(), 1e-9 * b.norm());
    EXPECT_FALSE(deferred->is_compiled());
}

/// A straight line takes over when it is asked for often enough, and never where it would leave the caches.
TEST(LinkByLink, IsAStraightLineInTheEnd) {
    if (!jit::why_not().empty()) GTEST_SKIP() << jit::why_not();
    for (const std::size_t bodies : {300, 3000}) {
        const Tree tree(tree_of(bodies, [](std::size_t i) { return i - 1; }), {.only_accelerations = true});
        const numeric::CompiledEquations numbers(tree.equations, jit::native());
        const auto f = numbers.compile_when_used(eom::accelerations(tree.equations));
        const auto* deferred = dynamic_cast<const numeric::DeferredEvaluator*>(&f.evaluator());
        EXPECT_EQ(deferred == nullptr, bodies == 3000);
        EXPECT_EQ(jit::is_calling(f.evaluator()), bodies == 3000);
        if (deferred == nullptr) continue;
        const auto n = static_cast<Eigen::Index>(bodies);
        const numeric::State s{0, Eigen::VectorXd::Constant(n, 0.1), Eigen::VectorXd::Constant(n, 0.3), Eigen::VectorXd(0),
                               Eigen::VectorXd(0)};
        const Eigen::VectorXd first = f(s);
        for (std::size_t call = 1; call < numeric::DeferredEvaluator::many_calls; ++call) f(s);
        EXPECT_FALSE(deferred->is_compiled());
        const Eigen::VectorXd last = f(s);
        EXPECT_TRUE(deferred->is_compiled());
        EXPECT_LT((first - last).norm(), 1e-9 * last.norm());
    }
}

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
    Tree tree(tree_of(200, [](std::size_t i) { return i - 1; }), {.only_accelerations = true});
    tree.equations.strands.clear();  // a program that nobody can tell links in
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
