#pragma once
// A package that no model makes: every operation at arguments where languages disagree.

#include <cmath>
#include <limits>

#include "codegen/support.hpp"

namespace linkwright::codegen::test {

/// outputs: q → y, one entry for every operation; and the rows of arguments to try it at.
inline Package every_operation() {
    using program::Op;
    Package k;
    k.name = k.identifier = "every_operation";
    k.formulation = "none";
    k.arguments = {{"t", "time", true, {{"t", "s", "", 0}}},
                   {"q", "coordinates", false, {{"a", "", "", 0}, {"b", "", "", 0}, {"c", "", "", 0}}},
                   {"u", "speeds", false, {}},
                   {"w", "inputs", false, {}},
                   {"p", "parameters", false, {}},
                   {"c", "constants", false, {}},
                   {"udot", "accelerations", false, {}},
                   {"lambda", "multipliers", false, {}}};
    Function f{.name = "outputs", .about = "Every operation.", .arguments = {0, 1}, .results = {}, .program = {}, .operations = {}};
    f.program.inputs = 4;
    f.program.constants = {1.0 / 3.0, -2.0};
    Result y{.name = "y", .about = "values", .rows = 0, .at = {}};
    const auto add = [&](Op op, program::Index a, program::Index b = 0, program::Index c = 0) {
        f.program.lines.push_back({op, {a, b, c}});
        f.program.outputs.push_back(static_cast<program::Index>(f.program.values() - 1));
        y.at.push_back(y.rows++);
    };
    for (int op = 0; op <= static_cast<int>(Op::select); ++op) {
        if (static_cast<Op>(op) == Op::pow) {
            add(Op::pow, 1, 4);
        } else {
            add(static_cast<Op>(op), 1, 2, 3);
        }
    }
    // signs and powers inside others: a − (−2)·b, (a + b)^(1/3), −(a − b)/c, min(a·b, a − c)
    const auto line = [&](Op op, program::Index a, program::Index b = 0) {
        f.program.lines.push_back({op, {a, b, 0}});
        return static_cast<program::Index>(f.program.values() - 1);
    };
    add(Op::sub, 1, line(Op::mul, 5, 2));
    add(Op::pow, line(Op::add, 1, 2), 4);
    add(Op::div, line(Op::neg, line(Op::sub, 1, 2)), 3);
    const program::Index left = line(Op::mul, 1, 2);
    add(Op::min, left, line(Op::sub, 1, 3));
    add(Op::mul, line(Op::neg, 1), line(Op::neg, line(Op::neg, 2)));
    f.program.outputs.push_back(5);
    y.at.push_back(y.rows++);
    f.results.push_back(y);
    k.outputs.assign(y.rows, Entry{"y", "", "", 0});
    f.operations = program::count(f.program);
    k.functions.push_back(std::move(f));
    return k;
}

inline std::vector<Point> edges() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    std::vector<Point> points;
    for (const Values& q : std::vector<Values>{{0.5, -0.25, 2},
                                               {-8, 0.5, 1},
                                               {0, 0, 1},
                                               {0, 1, -1},
                                               {nan, 1, 2},
                                               {1, nan, 2},
                                               {2, 1, nan},
                                               {-0.3, 0.7, 0},
                                               {inf, 1, 2},
                                               {-2, inf, 3},
                                               {0.25, 0.25, 0.1},
                                               {0.5, 0.75, -1}}) {
        Point point;
        point[0] = {0};
        point[1] = q;
        points.push_back(point);
    }
    return points;
}

/// Equal, NaN to NaN, or a few units in the last place apart.
inline void expect_alike(const std::string& who, const Values& expected, std::span<const double> printed) {
    ASSERT_EQ(expected.size(), printed.size()) << who;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double a = expected[i], b = printed[i];
        EXPECT_TRUE((std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 1e-15 * std::abs(a))
            << who << ", entry " << i << ": " << b << ", not " << a;
    }
}

/// Every motion is given: no speeds, nothing to solve.
inline const char* const all_given = R"toml(
format = 1
name = "Platform"
[parameters]
h = { value = 0.2, unit = "m" }
[[body]]
name = "table"
mass = 2
[[joint]]
name = "lift"
type = "prismatic"
parent = "ground"
child = "table"
axis = "z"
[[motion]]
coordinate = "lift"
equals = "h*sin(3*t)"
[[output]]
name = "force"
reaction = "lift"
)toml";

}  // namespace linkwright::codegen::test
