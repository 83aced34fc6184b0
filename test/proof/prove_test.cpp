// What prove says: equal of everything that comes with the project, and of random mechanisms; different where it is.

#include "linkwright/program/lower.hpp"
#include "linkwright/proof/judge.hpp"
#include "linkwright/proof/linear_solve.hpp"
#include "linkwright/proof/maximal.hpp"
#include "linkwright/proof/rerun.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/parse.hpp"
#include "proof/subject.hpp"
#include "support/beams.hpp"
#include "support/project_root.hpp"
#include "support/random_model.hpp"

namespace linkwright::proof {
namespace {

/// `refusing`: formulations that do not take the model, and say so.
void expect_equal(const Certificate& c, const std::vector<std::string>& refusing = {}) {
    EXPECT_EQ(c.verdict(), Verdict::equal);
    EXPECT_EQ(c.left_out.size(), refusing.size());
    for (const std::string& name : refusing) {
        const auto of_name = [&](const LeftOut& said) {
            return to_string(said).starts_with(name + ": the formulation " + name + " is for rigid bodies");
        };
        EXPECT_TRUE(std::ranges::any_of(c.left_out, of_name)) << name;
    }
    EXPECT_LT(c.log2_error(), -20);
    for (const Pair& p : c.pairs) {
        SCOPED_TRACE(p.a + " = " + p.b + ": " + p.about);
        EXPECT_EQ(p.verdict, Verdict::equal) << p.why;
        EXPECT_GT(p.entries, 0U);
        EXPECT_LE(p.exact_entries(), p.entries);
        EXPECT_LE(p.numeric_gap, 1e-10);
        EXPECT_EQ(p.numeric > 0, p.witness.find("numeric to") != std::string::npos) << p.witness;
        if (p.difference) ADD_FAILURE() << p.difference->entry << " " << p.difference->a << " " << p.difference->b;
    }
}

std::string name_of(const std::filesystem::path& p) {
    std::string name = p.parent_path().filename().string() + "_" + p.stem().string();
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}

class OfFile : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(OfFile, EveryPairIsEqual) {
    const Subject subject = Subject::read(GetParam());
    const Certificate c = subject.prove();
    if (has_beams(GetParam())) {
        expect_equal(c, {"barycentric", "newton_euler", "roberson_schwertassek"});
        EXPECT_GE(c.pairs.size(), 3 + 3 + 2);  // kane, lagrange, recursive; their programs; the readable form and the inverse
        return;
    }
    expect_equal(c);
    const std::size_t n = formulation::formulations().size(), relative = n - 1;
    EXPECT_GE(c.pairs.size(), relative * (relative - 1) / 2 + 2 * relative);
}
INSTANTIATE_TEST_SUITE_P(Zoo, OfFile, ::testing::ValuesIn(model_files("/models")), [](const auto& p) { return name_of(p.param); });

INSTANTIATE_TEST_SUITE_P(OnceWrong, OfFile, ::testing::ValuesIn(model_files("/test/proof/models")),
                         [](const auto& p) { return name_of(p.param); });

// ------------------------------------------------------------------------------------------------------ random mechanisms

/// A tree or chain of turns and slides about axes of every kind; with `loops`, some bodies are tied to the ground as well.
model::Model random_mechanism(std::uint64_t seed, std::size_t bodies, std::size_t loops) {
    using model::JointType;
    laws::Random random(seed);
    model::Model m = model::empty_model("random");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.vector(9);
    for (std::size_t b = 1; b <= bodies; ++b) {
        const std::string name = std::to_string(b);
        const model::BodyIndex outer =
            model::body(m, "b" + name, {.mass = random.number(0.5, 3), .inertia = random.inertia(), .com = random.vector(0.4)});
        const model::BodyIndex inner = random.below(4) == 0 ? random.below(outer) : outer - 1;
        const JointType type = random.below(4) == 0 ? JointType::prismatic : JointType::revolute;
        model::JointOptions joint{.parent_at = random.vector(0.5), .child_at = random.vector(0.5)};
        joint.axes = {random.direction()}, joint.damping = {random.number(0, 1)};
        model::joint(m, type, "j" + name, inner, outer, joint);
    }
    for (std::size_t k = 0; k < loops; ++k) {
        model::joint(m, JointType::spherical, "loop" + std::to_string(k), model::ground, bodies - k,
                     {.parent_at = random.vector(1), .child_at = random.vector(0.3)});
    }
    return m;
}

class RandomTree : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(RandomTree, EveryPairIsEqual) { expect_equal(Subject(random_mechanism(GetParam(), 3 + 3 * GetParam(), 0)).prove()); }
INSTANTIATE_TEST_SUITE_P(Seeds, RandomTree, ::testing::Range<std::uint64_t>(0, 5));

class RandomLoop : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(RandomLoop, EveryPairIsEqual) { expect_equal(Subject(random_mechanism(GetParam(), 5 + GetParam(), 1 + GetParam() % 2)).prove()); }
INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoop, ::testing::Range<std::uint64_t>(0, 5));

TEST(Large, SixtyBodies) {
    expect_equal(Subject(random_mechanism(60, 60, 0)).prove({.seed = 1, .formulations = {"kane", "recursive", "newton_euler"}}));
}

// ------------------------------------------------------------------------------------------------------------- differences

TEST(Compare, ShowsWhereAndAtWhichState) {
    const Subject subject = Subject::read(project_root() + "/models/double_pendulum/model.toml");
    const EquationsOfMotion right = subject.derive("kane");
    EquationsOfMotion wrong = right;
    EXPECT_EQ(compare(right, wrong, {.seed = 2}).verdict, Verdict::equal);
    const sym::PoolScope scope(*right.pool);
    wrong.f[1] += right.u[0] * right.u[0];
    const Pair pair = compare(right, wrong, {.seed = 2});
    EXPECT_EQ(pair.verdict, Verdict::different);
    EXPECT_EQ(pair.differing, 1U);
    ASSERT_TRUE(pair.difference);
    EXPECT_EQ(pair.difference->entry, speed_name("f", right.u[1]));
    const auto value = [&](const Expr& s) {
        for (const auto& [name, x] : pair.difference->state) {
            if (name == s.symbol().name) return x;
        }
        return std::nan("");
    };
    EXPECT_NEAR(sym::evaluate<double>(right.f[1], value), pair.difference->a, 1e-12);
    EXPECT_NEAR(sym::evaluate<double>(wrong.f[1], value), pair.difference->b, 1e-12);
}

TEST(Compare, SeesWhatIsMissing) {
    const Subject subject = Subject::read(project_root() + "/models/four_bar/model.toml");
    const EquationsOfMotion right = subject.derive("kane");
    EquationsOfMotion wrong = right;
    wrong.constraints.pop_back();
    EXPECT_EQ(compare(right, wrong).verdict, Verdict::unknown);
    EXPECT_EQ(compare(wrong, right).verdict, Verdict::unknown);
}

/// One formulation after the other is falsified in the maximal form's data, and both pairs are asked.
TEST(BodyCoordinates, AFalseRowOrForceIsSeen) {
    const Subject subject = Subject::read(project_root() + "/models/double_pendulum/model.toml");
    const EquationsOfMotion kane = carried(subject.derive("kane"), 4), right = carried(subject.derive("newton_euler"), 4);
    const sym::PoolScope scope(*right.pool);
    const auto verdicts = [&](const EquationsOfMotion& e) {
        std::vector<Verdict> list;
        for (const Pair& p : maximal_pairs("newton_euler", project(e), "kane", kane, 2)) list.push_back(p.verdict);
        return list;
    };
    EXPECT_EQ(verdicts(right), (std::vector{Verdict::equal, Verdict::equal}));
    EquationsOfMotion row = right;
    for (Expr& g : row.constraints.front().G) {
        if (g.is_literally(0)) continue;
        g *= 2;
        break;
    }
    EXPECT_EQ(verdicts(row).front(), Verdict::different);
    EquationsOfMotion force = right;
    for (Expr& f : force.f) f *= 2;
    EXPECT_EQ(verdicts(force), (std::vector{Verdict::different, Verdict::different}));
}

Pair judged(std::string_view a, std::string_view b) {
    const auto side = [](std::string_view text) {
        auto pool = std::make_shared<sym::Pool>(sym::Pool::Options{.fold = false, .seed = 9});
        for (const char* name : {"x", "y", "q"}) pool->symbol(name);
        return std::pair(pool, *sym::parse(text, sym::names_of(*pool), *pool).expr);
    };
    const auto [first, of_a] = side(a);
    const auto [second, of_b] = side(b);
    return judge(make_side("a", {{EntryKind::force, "entry", of_a}}, 2), make_side("b", {{EntryKind::force, "entry", of_b}}, 2));
}

TEST(Judge, ThreeAnswers) {
    EXPECT_EQ(judged("sin(q)^2 + cos(q)^2", "1").verdict, Verdict::equal);
    EXPECT_EQ(judged("x + y", "x - y").verdict, Verdict::different);
    EXPECT_EQ(judged("tanh(x)*(1 + y)", "tanh(x) + y*tanh(x)").verdict, Verdict::equal);
    EXPECT_EQ(judged("tanh(x)", "2*tanh(x)").verdict, Verdict::different);
    const Pair hidden = judged("sqrt(x^2)", "abs(x)");
    EXPECT_EQ(hidden.verdict, Verdict::unknown);
    EXPECT_NE(hidden.why.find("abs"), std::string::npos) << hidden.why;
}

TEST(Judge, RoundedConstantsAreNotCalledProved) {
    const Pair pair = judged("x/3", "x*0.33333333333333333333");
    EXPECT_EQ(pair.verdict, Verdict::equal);
    EXPECT_EQ(pair.numeric, 1U);
    EXPECT_EQ(judged("x/3", "x*0.3333333333").verdict, Verdict::different);
}

TEST(Judge, SmoothOpaqueFunctionsAreComparedAsNumbers) {
    const Pair twice = judged("tanh(2*x)", "2*tanh(x)/(1 + tanh(x)^2)");
    EXPECT_EQ(twice.verdict, Verdict::equal);
    EXPECT_EQ(twice.numeric, 1U);
    EXPECT_FALSE(twice.is_proved());
    EXPECT_LT(twice.numeric_gap, 1e-12);
    EXPECT_EQ(judged("tanh(2*x)", "2*tanh(x)/(1 + 1.00001*tanh(x)^2)").verdict, Verdict::different);
    EXPECT_EQ(judged("tanh(2*x) + abs(x)", "2*tanh(x)/(1 + tanh(x)^2) + max(x, -x)").verdict, Verdict::unknown);
}

TEST(Judge, TheSameNumberIsExact) {
    const Pair same = judged("2/3", "4/6");
    EXPECT_TRUE(same.is_exact());
    EXPECT_FALSE(judged("x + y", "y + x").is_exact());
    EXPECT_TRUE(judged("x + y", "y + x").is_proved());
}

TEST(Judge, DirectionsArePoints) {
    EXPECT_EQ(judged("cos(q + atan2(3/5, 4/5))", "4/5*cos(q) - 3/5*sin(q)").verdict, Verdict::equal);
    EXPECT_EQ(judged("cos(q + atan2(3, 4))", "4/5*cos(q) - 3/5*sin(q)").verdict, Verdict::equal);
    EXPECT_EQ(judged("sin(2*q - 2*atan2(sin(x), cos(x)))", "sin(2*q - 2*x)").verdict, Verdict::equal);
    EXPECT_EQ(judged("sin(q + atan2(1, 1))", "(sin(q) + cos(q))/sqrt(2)").verdict, Verdict::equal);
    EXPECT_EQ(judged("sin(q + atan2(-3, 4))", "4/5*sin(q) + 3/5*cos(q)").verdict, Verdict::different);
}

// ------------------------------------------------------------------------------------------------------------------- parts

TEST(Rerun, FindsTheNumbersAgain) {
    auto pool = std::make_shared<sym::Pool>();
    const sym::PoolScope scope(*pool);
    const Expr x = sym::symbol("x"), y = sym::symbol("y");
    const std::vector<Expr> outputs{x * sym::Rational(1, 3) + sqrt(Expr(2)) * y / 7, sin(x / 5) * 3 * sqrt(Expr(3)), 1 / (x + y)},
        inputs{x, y};
    program::Program program = program::lower(outputs, inputs);
    sym::Pool plain({.fold = false, .seed = 5});
    const std::vector<Expr> again = rerun(program, outputs, inputs, plain);
    const auto wanted = transplant(outputs, plain);
    for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(sym::equal(again[i], wanted[i]), Verdict::equal) << i;
    for (double& c : program.constants) c *= 1 + 1e-9;
    EXPECT_NE(sym::equal(rerun(program, outputs, inputs, plain)[0], wanted[0]), Verdict::equal);
}

TEST(LinearSolve, InPrimeFields) {
    using sym::Residue;
    const auto r = [](int n) { return sym::residue_of(n); };
    const auto found = solve_linear<Residue>({{r(0), r(2)}, {r(3), r(1)}, {r(3), r(3)}}, {r(4), r(11), r(15)});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->x, (std::vector{r(3), r(2)}));
    EXPECT_EQ(found->rest, (std::vector{r(0)}));
    EXPECT_FALSE(solve_linear<Residue>({{r(1), r(2)}, {r(2), r(4)}}, {r(1), r(2)}));
    const auto real = solve_linear<double>({{1e-30, 1}, {1, 1}}, {1, 2});
    ASSERT_TRUE(real);
    EXPECT_NEAR(real->x[0], 1, 1e-12);
}

TEST(Certificate, OneMaximalFormHasNothingToCompare) {
    const Subject subject = Subject::read(project_root() + "/models/cart_pole/model.toml");
    EXPECT_TRUE(subject.prove({.seed = 8, .formulations = {"newton_euler"}}).pairs.empty());
}

TEST(Certificate, ClaimsNoProofOfNumbers) {
    const Certificate c = Subject(random_mechanism(2, 3, 0)).prove();
    std::size_t numeric = 0;
    for (const Pair& p : c.pairs) numeric += p.numeric > 0 ? 1 : 0;
    ASSERT_GT(numeric, 0U);  // directions of decimal axes are rounded in the recursion
    EXPECT_EQ(c.verdict(), Verdict::equal);
    EXPECT_FALSE(c.is_proved());
    EXPECT_NE(c.witness().find("which is no proof"), std::string::npos) << c.witness();
}

TEST(AtSolution, SaysWhatWasLeftOut) {
    const Subject subject = Subject::read(project_root() + "/models/four_bar/model.toml");
    std::size_t notes = 0;
    for (const Pair& p : subject.prove({.seed = 5, .formulations = {"kane", "newton_euler"}}).pairs) {
        if (!p.about.starts_with("both systems solved")) continue;
        ++notes;
        EXPECT_NE(p.note.find("forces in a loop are determined only where it is closed: output "), std::string::npos) << p.note;
    }
    EXPECT_EQ(notes, 1U);
}

TEST(Certificate, IsRepeatable) {
    const Subject subject = Subject::read(project_root() + "/models/cart_pole/model.toml");
    const Options unhurried{.seed = 8,
                            .formulations = {},
                            .patience = std::chrono::seconds(60),
                            .reading = std::chrono::seconds(60)};  // a busy machine reads less in its time
    const Certificate a = subject.prove(unhurried), b = subject.prove(unhurried);
    ASSERT_EQ(a.pairs.size(), b.pairs.size());
    for (std::size_t i = 0; i < a.pairs.size(); ++i) {
        EXPECT_EQ(a.pairs[i].entries, b.pairs[i].entries);
        EXPECT_EQ(a.pairs[i].log2_error, b.pairs[i].log2_error);
        EXPECT_EQ(a.pairs[i].witness, b.pairs[i].witness);
    }
    EXPECT_EQ(a.seed, 8U);
    EXPECT_EQ(subject.prove({.seed = 9}).verdict(), Verdict::equal);
    EXPECT_TRUE(subject.prove({.seed = 9, .formulations = {"kane"}}).verdict() == Verdict::equal);
}

}  // namespace
}  // namespace linkwright::proof
