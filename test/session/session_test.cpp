// Opening a model: right ones, wrong ones, and what a session owns.

#include "linkwright/session/session.hpp"

#include "linkwright/model/build.hpp"
#include "linkwright/session/evaluate.hpp"
#include "session/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright::session {
namespace {

using test::first_error;
using testing::HasSubstr;

TEST(Open, WrongInputIsTold) {
    for (const auto& [path, what] : {std::pair<std::string, std::string>{"", "the path of the model is empty"},
                                     {"no/such/file.toml", "there is no such file"},
                                     {project_root(), ""}}) {
        const auto opened = linkwright::open(path);
        EXPECT_FALSE(opened) << path;
        EXPECT_EQ(opened.status, Status::wrong_input);
        EXPECT_THAT(to_string(opened.problems), HasSubstr(what));
        EXPECT_THROW(*opened, std::logic_error);
    }
    EXPECT_FALSE(open_text("this is no model"));
    EXPECT_FALSE(open_text(""));
}

TEST(Open, OptionsAreChecked) {
    const auto error = [](const OpenOptions& options) { return first_error(open_text(test::pendulum_text, "pendulum.toml", options)); };
    EXPECT_EQ(error({.set = {"m"}}), "--set takes name=value, not 'm'");
    EXPECT_THAT(error({.set = {"mm=1"}}), HasSubstr("--set mm=1: "));
    EXPECT_EQ(error({.freeze = {"mass"}}), "--freeze: no parameter 'mass'");
    EXPECT_EQ(error({.formulation = "newton"}), "unknown formulation 'newton'");
    EXPECT_THAT(error({.set = {"m=-1"}}), HasSubstr("negative"));
    EXPECT_EQ(error({.set = {"m=3"}, .freeze = {"all"}, .formulation = "lagrange"}), "");
}

TEST(Open, MessagesHaveTheirPlace) {
    const auto opened = open_text("format = 1\n[[body]]\nname = \"bob\"\nmas = 1\n", "mine.toml");
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.problems.front().file, "mine.toml");
    EXPECT_GT(opened.problems.front().where.line, 0U);
}

TEST(Session, OwnsWhatItGivesAway) {
    Result<Equations> equations;
    std::optional<Session> copy;
    {
        const Session pendulum = test::pendulum();
        copy = pendulum;
        equations = pendulum.equations();
    }
    ASSERT_TRUE(equations);
    EXPECT_EQ((*equations)->formulation, "kane");
    EXPECT_EQ((*equations)->q.front().symbol().name, "hip");
    EXPECT_EQ(copy->model().name, "Pendulum");
    copy.reset();
    EXPECT_EQ((*equations)->u.front().symbol().name, "hip'");
}

TEST(Session, DerivesOnceByEachFormulation) {
    const Session pendulum = test::pendulum();
    for (const char* name : {"kane", "recursive", "lagrange", "newton_euler", "barycentric", "roberson_schwertassek"}) {
        const auto first = pendulum.equations(name), again = pendulum.equations(name);
        ASSERT_TRUE(first) << to_string(first.problems);
        EXPECT_EQ(first->get(), again->get());
        EXPECT_EQ((*first)->formulation, name);
    }
    const auto unknown = pendulum.equations("d'alembert");
    EXPECT_FALSE(unknown);
    EXPECT_EQ(first_error(unknown), "unknown formulation 'd'alembert'");
    EXPECT_EQ((*test::pendulum({.formulation = "lagrange"}).equations())->formulation, "lagrange");
}

TEST(Session, KnowsItsParametersBeforeTheyWereFrozen) {
    const Session pendulum = test::pendulum({.set = {"m=3"}, .freeze = {"m", "g"}});
    EXPECT_EQ(pendulum.model().parameters.size(), 2U);
    EXPECT_EQ(pendulum.whole_model().parameters.size(), 4U);
}

TEST(Session, OfAModelMadeInCpp) {
    using namespace linkwright::model;
    Model m = empty_model("Block");
    const Expr k = parameter(m, "k", 8);
    const BodyIndex block = body(m, "block", {.mass = 2});
    joint(m, JointType::prismatic, "x", ground, block, {.axes = {spatial::unit(0)}, .actuator = {k}});
    const auto opened = linkwright::open_model(m);
    m = empty_model();  // the session has its own
    ASSERT_TRUE(opened) << to_string(opened.problems);
    const auto r = evaluate(*opened);
    ASSERT_TRUE(r);
    EXPECT_DOUBLE_EQ(r->evaluation.accelerations[0], 4);
}

TEST(Report, StatusIsTheWorst) {
    Report report;
    report.warn("hm"), report.note("so");
    EXPECT_TRUE(report.is_ok());
    EXPECT_FALSE(has_error(report.problems));
    report.error("no");
    report.fail("nor this");
    EXPECT_EQ(report.status, Status::wrong_input);
    EXPECT_EQ(to_string(report.problems), "warning: hm\nnote: so\nerror: no\nerror: nor this\n");
}

}  // namespace
}  // namespace linkwright::session
