#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "linkwright/program/count.hpp"
#include "linkwright/program/inline.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/lower_calls.hpp"

namespace linkwright::program {
namespace {

using sym::Expr;
using testing::ElementsAre;
using testing::HasSubstr;

/// polar(r, a) = (r cos a, r sin a); twice(r, a) calls it for 2a and gives the squares.
class Calls : public testing::Test {
protected:
    sym::Pool pool;
    sym::PoolScope scope{pool};
    Expr x = sym::symbol("x"), y = sym::symbol("y"), p0 = sym::symbol("p0"), p1 = sym::symbol("p1"), q0 = sym::symbol("q0"),
         q1 = sym::symbol("q1");
    std::vector<Expr> inputs{x, y};
    std::shared_ptr<const Library> library = make_library();

    std::shared_ptr<const Library> make_library() const {
        auto made = std::make_shared<Library>();
        made->routines.push_back({"polar", "", lower(std::vector<Expr>{x * cos(y), x * sin(y)}, inputs)});
        const std::vector<CallSite> calls{{0, {x, 2 * y}, {p0, p1}}};
        Program twice = lower(std::vector<Expr>{p0 * p0, p1 * p1}, inputs, calls, made);
        twice.library = nullptr;
        made->routines.push_back({"twice", "", std::move(twice)});
        return made;
    }
    std::vector<double> at(const Program& program, double a, double b) const { return run<double>(program, std::vector<double>{a, b}); }
    static std::string message(auto&& f) {
        try {
            f();
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "nothing was thrown";
    }
};

TEST_F(Calls, StandWhereTheyCanBeMade) {
    const std::vector<CallSite> calls{{0, {x + y, y}, {p0, p1}}, {0, {p0, p1 * x}, {q0, q1}}};
    const Program program = lower(std::vector<Expr>{q0 + x * y, p1}, inputs, calls, library);
    EXPECT_EQ(write(program),
              "v0 = add x0 x1\n"
              "call polar: v0 x1\n"
              "v1 = result 0\n"
              "v2 = result 1\n"
              "v3 = mul x0 v2\n"
              "call polar: v1 v3\n"
              "v4 = result 0\n"
              "v5 = result 1\n"
              "v6 = mul x0 x1\n"
              "v7 = add v4 v6\n"
              "out v7 v2\n");
}

TEST_F(Calls, ComputeWhatTheRoutineDoes) {
    const std::vector<CallSite> calls{{0, {x, y}, {p0, p1}}, {1, {p1, y}, {q0, q1}}};
    const Program program = lower(std::vector<Expr>{p0, q0, q1, x}, inputs, calls, library);
    const double r = 1.7, a = 0.4, s = r * std::sin(a);
    EXPECT_THAT(at(program, r, a), ElementsAre(testing::DoubleEq(r * std::cos(a)), testing::DoubleEq(std::pow(s * std::cos(2 * a), 2)),
                                               testing::DoubleEq(std::pow(s * std::sin(2 * a), 2)), r));
    const Program flat = inlined(program);
    EXPECT_TRUE(flat.calls.empty());
    EXPECT_EQ(at(flat, r, a), at(program, r, a));
    EXPECT_EQ(count(flat), count(program));
    EXPECT_EQ(count(program), (Operations{.mul = 7, .sincos = 2}));
    EXPECT_THAT(routines_of(program), ElementsAre(0, 1));
    EXPECT_EQ(length(flat), flat.lines.size());
    // calls: 2 + 2 arguments, 2 + 2 results; polar 4 lines; twice 1 + 2 lines, 2 arguments, 2 results
    EXPECT_EQ(length(program), 8U + 4U + 7U);
}

TEST_F(Calls, NobodyNeedsAreLeftOut) {
    const std::vector<CallSite> calls{{0, {x, y}, {p0, p1}}, {0, {p0, 3 * y}, {q0, q1}}};
    const Program program = lower(std::vector<Expr>{p1, x}, inputs, calls, library);
    ASSERT_EQ(program.calls.size(), 1U);
    EXPECT_EQ(program.lines.size(), 2U);
    const Program none = lower(std::vector<Expr>{x * y}, inputs, calls, library);
    EXPECT_EQ(none, lower(std::vector<Expr>{x * y}, inputs));
}

TEST_F(Calls, TakeConstantsAndGiveInputsBack) {
    auto own = std::make_shared<Library>();
    own->routines.push_back({"same", "", lower(std::vector<Expr>{y, 3, x * 3}, inputs)});
    const Expr r = sym::symbol("r0");
    const std::vector<CallSite> calls{{0, {Expr(7), x}, {p0, p1, r}}};
    EXPECT_THAT(at(lower(std::vector<Expr>{p0, p1, r * y}, inputs, calls, own), 5, 2), ElementsAre(5, 3, 42));
}

TEST_F(Calls, WithoutProgramsStayAsTheyAre) {
    const Program program = lower(std::vector<Expr>{x * sin(y) + cos(y)}, inputs);
    EXPECT_EQ(inlined(program), program);
    EXPECT_TRUE(routines_of(program).empty());
    EXPECT_EQ(length(program), program.lines.size());
}

TEST_F(Calls, RefuseWhatCannotBeMeant) {
    const std::vector<Expr> out{p0};
    const auto with = [&](std::vector<CallSite> calls) { return message([&] { lower(out, inputs, calls, library); }); };
    EXPECT_THAT(with({{2, {x, y}, {p0, p1}}}), HasSubstr("a call of no routine"));
    EXPECT_THAT(with({{0, {x}, {p0, p1}}}), HasSubstr("other values"));
    EXPECT_THAT(with({{0, {q0, y}, {p0, p1}}, {0, {x, y}, {q0, q1}}}), HasSubstr("a later one"));
    Program program = lower(out, inputs, std::vector<CallSite>{{1, {x, y}, {p0, p1}}}, library);
    program.calls[0].routine = 5;
    EXPECT_THAT(message([&] { inlined(program); }), HasSubstr("routine 5"));
    auto circular = std::make_shared<Library>(*library);
    circular->routines[1].program.calls[0].routine = 1;
    program.calls[0].routine = 1;
    program.library = circular;
    EXPECT_THAT(message([&] { inlined(program); }), HasSubstr("routine 1 where 1 are known"));
}

}  // namespace
}  // namespace linkwright::program
