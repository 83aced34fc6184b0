// What words and files mean: time axes, tables, samples, states, lists, ranges, complex numbers.

#include <complex>
#include <limits>
#include <nlohmann/json.hpp>

#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/place.hpp"
#include "linkwright/session/samples.hpp"
#include "linkwright/session/sweep.hpp"
#include "linkwright/session/table.hpp"
#include "linkwright/session/time_axis.hpp"
#include "session/subject.hpp"

namespace linkwright::session {
namespace {

using test::first_error;
using testing::ElementsAre;
using testing::HasSubstr;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(TimeAxis, EqualIntervals) {
    Report report;
    EXPECT_THAT(*make_times({.until = 2, .samples = 4}, 1, report), ElementsAre(1, 1.25, 1.5, 1.75, 2));
    EXPECT_EQ(make_times({.until = 2}, 0, report)->size(), 101U);
    EXPECT_THAT(*make_times({.times = {1, 1, 3}}, 0, report), ElementsAre(1, 1, 3));
    EXPECT_TRUE(report.is_ok());
}

TEST(TimeAxis, Nonsense) {
    const auto error = [](const TimeAxis& axis) {
        Report report;
        EXPECT_FALSE(make_times(axis, 1, report));
        EXPECT_EQ(report.status, Status::wrong_input);
        return first_error(report);
    };
    EXPECT_THAT(error({}), HasSubstr("neither --until nor --times is given"));
    EXPECT_EQ(error({.until = -1}), "--until -1 is not after the start at t = 1");
    EXPECT_EQ(error({.until = nan}), "--until nan is not after the start at t = 1");
    EXPECT_THAT(error({.until = 2, .samples = 0}), HasSubstr("--samples 0"));
    EXPECT_THAT(error({.times = {2, 1.5}}), HasSubstr("1.5 comes after 2"));
    EXPECT_THAT(error({.times = {0}}), HasSubstr("--times must ascend from the start"));
    EXPECT_THAT(error({.until = 2, .times = {3}}), HasSubstr("--times continue after --until"));
}

TEST(Table, GoesOutAndComesBack) {
    Table table{{"t", "hip"}, {}};
    for (const double t : {0.0, 0.1, 1e-300, 1.0 / 3}) table.rows.push_back(Eigen::Vector2d(t, -t));
    Report report;
    const auto back = parse_table(to_csv(table), "a.csv", report);
    ASSERT_TRUE(back) << to_string(report.problems);
    EXPECT_EQ(back->columns, table.columns);
    for (std::size_t i = 0; i < table.rows.size(); ++i) EXPECT_EQ(back->rows[i], table.rows[i]);
    const nlohmann::ordered_json j{{"columns", to_json(table)}};
    const auto from_json = parse_table(j.dump(), "a.json", report);
    ASSERT_TRUE(from_json);
    EXPECT_EQ(from_json->rows.back(), table.rows.back());
}

TEST(Table, WrongOnesAreTold) {
    const auto problem = [](const std::string& text) {
        Report report;
        EXPECT_FALSE(parse_table(text, "a.csv", report));
        return to_string(report.problems);
    };
    EXPECT_THAT(problem(""), HasSubstr("a.csv:1:1: error: the file is empty"));
    EXPECT_THAT(problem("t,x\n0,1\n1,b\n"), HasSubstr("a.csv:3:3: error: 'b' is not a finite number"));
    EXPECT_THAT(problem("t,x\n0,nan\n"), HasSubstr("'nan' is not a finite number"));
    EXPECT_THAT(problem("t,x\n0\n"), HasSubstr("1 values, 2 columns in the header"));
    EXPECT_THAT(problem("t,t\n0,1\n"), HasSubstr("column 't' occurs twice"));
    EXPECT_THAT(problem("t;x\n0;1\n"), HasSubstr("separated by commas"));
    EXPECT_THAT(problem("{\"columns\": 3}"), HasSubstr("there are no \"columns\""));
    Report report;
    EXPECT_FALSE(read_table("/no/such/file", report));
    EXPECT_FALSE(read_table("", report));
}

TEST(Samples, AreACurve) {
    Report report;
    Table table{{"t", "other", "tau"}, {}};
    for (int i = 0; i <= 10; ++i) table.rows.push_back(Eigen::Vector3d(0.1 * i, 7, std::sin(0.1 * i)));
    const auto samples = make_samples(table, "a.csv", {"hip", "tau"}, "input", report);
    ASSERT_TRUE(samples);
    EXPECT_THAT(samples->which, ElementsAre(1U));
    Eigen::VectorXd x;
    samples->curve(0.55, x);
    EXPECT_NEAR(x[0], std::sin(0.55), 1e-4);
    EXPECT_FALSE(make_samples(table, "a.csv", {"hip"}, "coordinate", report));
    EXPECT_EQ(first_error(report), "a.csv: no column is the coordinate of the model");
    table.rows[3][0] = 0.1;
    Report other;
    EXPECT_FALSE(make_samples(table, "a.csv", {"tau"}, "input", other));
    EXPECT_THAT(first_error(other), HasSubstr("the times do not ascend"));
}

TEST(State, ByNames) {
    const Session pendulum = test::pendulum();
    const auto at =
        evaluate(pendulum, {.state = {.values = NamedState{.t = 1, .values = {{"hip", 0.5}, {"hip'", 2}}, .inputs = {{"tau", 3}}}}});
    ASSERT_TRUE(at) << to_string(at.problems);
    EXPECT_EQ(at->state.t, 1);
    EXPECT_EQ(at->state.q[0], 0.5);
    EXPECT_EQ(at->state.u[0], 2);
    EXPECT_NEAR(at->evaluation.accelerations[0], (3 - 0.1 * 2) / (2 * 0.25) - 9.81 / 0.5 * std::sin(0.5), 1e-12);
}

TEST(State, NonsenseIsTold) {
    const Session pendulum = test::pendulum();
    const auto error = [&](const NamedState& state) {
        const auto r = evaluate(pendulum, {.state = {.values = state}});
        EXPECT_FALSE(r);
        EXPECT_EQ(r.status, Status::wrong_input);
        return first_error(r);
    };
    EXPECT_EQ(error({.values = {{"hop", 1}}}), "the state given: no coordinate or speed 'hop'");
    EXPECT_EQ(error({.values = {{"hip", nan}}}), "the state given: \"hip\" must be a number");
    EXPECT_EQ(error({.t = nan}), "the state given: \"t\" must be a number");
    EXPECT_EQ(error({.values = {{"hip", 1}, {"hip", 2}}}), "the state given: \"hip\" is given twice");
    EXPECT_EQ(error({.inputs = {{"torque", 1}}}), "the state given: no input 'torque'");
    EXPECT_EQ(evaluate(pendulum, {.state = {.file = "/no/such/state.json"}}).status, Status::wrong_input);
}

TEST(State, OfAFileAndOfAResult) {
    const Session pendulum = test::pendulum();
    const test::TemporaryFile file("state.json", R"({"t": 2, "values": {"hip": 0.25}})");
    const auto at = evaluate(pendulum, {.state = {.file = file.path()}});
    ASSERT_TRUE(at) << to_string(at.problems);
    EXPECT_EQ(at->state.q[0], 0.25);
    const test::TemporaryFile result("result.json", dump(to_json(*at)));  // what evaluate gives is a state file too
    const auto again = evaluate(pendulum, {.state = {.file = result.path()}});
    ASSERT_TRUE(again) << to_string(again.problems);
    EXPECT_EQ(again->state.q, at->state.q);
    const test::TemporaryFile broken("broken.json", "{\"t\": ");
    const auto r = evaluate(pendulum, {.state = {.file = broken.path()}});
    EXPECT_FALSE(r);
    EXPECT_EQ(first_error(r), "this is not JSON");
}

TEST(State, LoopsAreClosed) {
    const Session four_bar = test::opened("four_bar/model.toml");
    const auto start = initial_state(four_bar);
    ASSERT_TRUE(start) << to_string(start.problems);
    const std::string name = (*four_bar.equations())->q[0].symbol().name;
    const auto near = closed_state(four_bar, {.values = NamedState{.values = {{name, start->q[0] + 0.01}}}});
    ASSERT_TRUE(near) << to_string(near.problems);
    EXPECT_NEAR(near->q[0], start->q[0] + 0.01, 1e-9);
    const auto at = evaluate(four_bar, {.state = {.values = NamedState{.values = {{name, start->q[0] + 0.01}}}}, .assemble = true});
    ASSERT_TRUE(at);
    EXPECT_LT(at->evaluation.residuals.position(), 1e-9);
}

TEST(Names, Lists) {
    EXPECT_THAT(split_list({"a, b", "c", " ", "f(1,2)=3,d"}), ElementsAre("a", "b", "c", "f(1,2)=3", "d"));
    EXPECT_EQ(trimmed("\t a b "), "a b");
    const std::vector<std::string> known{"hip", "knee"};
    EXPECT_EQ(hint_for("hop", known), "did you mean hip?");
    EXPECT_EQ(hint_for("elbow", known), "there are hip, knee");
    EXPECT_EQ(hint_for("elbow", {}, "there is none"), "there is none");
}

TEST(Complex, IsRead) {
    using C = std::complex<double>;
    EXPECT_EQ(read_complex("-1+2i"), C(-1, 2));
    EXPECT_EQ(read_complex(" 3 "), C(3));
    EXPECT_EQ(read_complex("-1e-3-2j"), C(-1e-3, -2));
    EXPECT_EQ(read_complex("i"), C(0, 1));
    for (const char* wrong : {"", "1+", "x", "1+2", "nan", "1..2i"}) EXPECT_FALSE(read_complex(wrong)) << wrong;
}

TEST(Sweep, Words) {
    const Session pendulum = test::pendulum();
    const auto equations = pendulum.equations();
    const auto words = [&](const std::string& text, Report& report) { return read_sweep("--sweep", text, **equations, report); };
    Report report;
    EXPECT_THAT(words("m=1:2:4", report)->values, ElementsAre(1, 1.25, 1.5, 1.75, 2));
    EXPECT_THAT(words("m = 1, 3, g", report)->values, ElementsAre(1, 3, 9.81));
    EXPECT_TRUE(report.is_ok());
    for (const char* wrong :
         {"", "m", "mm=1:2", "m=1:2:0", "m=1:1", "m=1:2:3:4", "m=1,1", "m=1,3,2", "m=x:2", "m=:2", "m=hip:2", "m=1/0:2"}) {
        Report told;
        EXPECT_FALSE(words(wrong, told)) << wrong;
        EXPECT_EQ(told.status, Status::wrong_input) << wrong;
    }
}

}  // namespace
}  // namespace linkwright::session
