// Every operation on every special value: compiled code says what the interpreter says.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "linkwright/jit/compile.hpp"
#include "linkwright/program/interpreter.hpp"

namespace linkwright::jit {
namespace {

using program::Index;
using program::Op;
using program::Program;

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> special{0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  -0.5,
                                  2.0,
                                  -2.5,
                                  1e-300,
                                  -1e-300,
                                  5e-324,
                                  -5e-324,
                                  2.3e-308,
                                  1e300,
                                  -1e300,
                                  inf,
                                  -inf,
                                  nan,
                                  -nan,
                                  0.1,
                                  -0.7,
                                  3.0,
                                  1e22,
                                  -1e22,
                                  1e5,
                                  -7e8,
                                  1.5e9,
                                  -2e12,
                                  0.7853981633974483,
                                  1.5707963267948966,
                                  3.141592653589793,
                                  -6.283185307179586,
                                  1.0000000000000002};

/// Equal to the last bit; NaNs are equal to NaNs only.
bool is_same(double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

/// Within one unit in the last place, and of one sign.
bool is_next(double x, double y) {
    return is_same(x, y) || (std::signbit(x) == std::signbit(y) && (std::nextafter(x, inf) == y || std::nextafter(y, inf) == x));
}

class EveryOperation : public testing::TestWithParam<std::tuple<int, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(Jit, EveryOperation, testing::Combine(testing::Range(0, 22), testing::Values(16U, 32U)), [](const auto& p) {
    return std::string(program::name(static_cast<Op>(std::get<0>(p.param)))) + "_" + std::to_string(std::get<1>(p.param));
});

TEST_P(EveryOperation, SaysWhatTheInterpreterSays) {
    const Op op = static_cast<Op>(std::get<0>(GetParam()));
    const bool is_turn = op == Op::sin || op == Op::cos;
    std::vector<std::array<double, 3>> points;
    for (const double a : special) {
        for (const double b : special) {
            if (arity(op) == 1 && !is_same(b, 0.0)) continue;
            for (const double c : arity(op) == 3 ? special : std::vector{1.0}) points.push_back({a, b, c});
        }
    }
    // The same line from inputs, from constants, and from computed values, with equal arguments among them.
    for (const bool is_computed : {false, true}) {
        Program program{3, {}, {}, {}};
        Index first = 0;
        if (is_computed) {
            first = 3;
            for (Index i = 0; i < 3; ++i) program.lines.push_back({Op::max, {i, i, 0}});
        }
        program.lines.push_back({op, {first, first + 1, first + 2}});
        program.lines.push_back({op, {first, first, first}});
        program.lines.push_back({op, {first + 1, first, first}});
        program.outputs = {first + 3, first + 4, first + 5, first};
        const program::Interpreter reference(program);
        const auto code = compile(program, {std::get<1>(GetParam())});
        ASSERT_EQ(is_native(*code), why_not().empty());
        std::vector<double> in, single(points.size() * 4), batch(points.size() * 4), wanted(points.size() * 4);
        for (const auto& p : points) in.insert(in.end(), p.begin(), p.end());
        for (std::size_t k = 0; k < points.size(); ++k) {
            (*code)(points[k], std::span(single).subspan(4 * k, 4));
            reference(points[k], std::span(wanted).subspan(4 * k, 4));
        }
        code->batch(points.size(), in, batch);
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            const auto& [a, b, c] = points[k / 4];
            const bool is_exact = !is_turn || k % 4 == 3;
            ASSERT_TRUE(is_exact ? is_same(single[k], wanted[k]) : is_next(single[k], wanted[k]))
                << name(op) << " " << a << " " << b << " " << c << " (" << k % 4 << "): " << single[k] << ", not " << wanted[k];
            ASSERT_TRUE(is_same(single[k], batch[k]))
                << name(op) << " " << a << " " << b << " " << c << ": " << single[k] << ", batch " << batch[k];
        }
    }
}

TEST_P(EveryOperation, TakesConstants) {
    const Op op = static_cast<Op>(std::get<0>(GetParam()));
    for (const double a : special) {
        const Program program{0, {a, -1.25, 3.5}, {{op, {0, 1, 2}}, {op, {1, 0, 2}}, {op, {2, 2, 0}}}, {3, 4, 5, 0}};
        std::array<double, 4> wanted{}, got{};
        program::Interpreter reference(program);
        reference({}, wanted);
        (*compile(program, {std::get<1>(GetParam())}))({}, got);
        for (std::size_t k = 0; k < 4; ++k)
            ASSERT_TRUE(is_next(got[k], wanted[k])) << name(op) << " " << a << " " << k << ": " << got[k] << ", not " << wanted[k];
    }
}

TEST(Fusing, SignsAreRight) {
    // ±a·b ± c in all writings; numbers small enough to be exact.
    const std::vector<Program> programs{
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::add, {3, 2, 0}}}, {4}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::add, {2, 3, 0}}}, {4}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::sub, {3, 2, 0}}}, {4}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::sub, {2, 3, 0}}}, {4}},
        {3, {}, {{Op::neg, {0, 0, 0}}, {Op::mul, {3, 1, 0}}, {Op::add, {4, 2, 0}}}, {5}},
        {3, {}, {{Op::neg, {0, 0, 0}}, {Op::mul, {3, 1, 0}}, {Op::sub, {4, 2, 0}}}, {5}},
        {3, {}, {{Op::neg, {0, 0, 0}}, {Op::mul, {3, 1, 0}}, {Op::sub, {2, 4, 0}}}, {5}},
        {3, {}, {{Op::neg, {0, 0, 0}}, {Op::neg, {1, 0, 0}}, {Op::mul, {3, 4, 0}}, {Op::sub, {2, 5, 0}}}, {6}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::neg, {3, 0, 0}}, {Op::add, {4, 2, 0}}}, {5}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::neg, {3, 0, 0}}, {Op::add, {2, 4, 0}}}, {5}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::neg, {3, 0, 0}}, {Op::sub, {2, 4, 0}}}, {5}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::neg, {3, 0, 0}}, {Op::sub, {4, 2, 0}}}, {5}},
        {3, {}, {{Op::neg, {2, 0, 0}}, {Op::mul, {0, 1, 0}}, {Op::add, {4, 3, 0}}}, {5}},
        {3, {}, {{Op::neg, {2, 0, 0}}, {Op::mul, {0, 1, 0}}, {Op::sub, {3, 4, 0}}}, {5}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::mul, {1, 2, 0}}, {Op::sub, {3, 4, 0}}}, {5}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::mul, {1, 2, 0}}, {Op::sub, {4, 3, 0}}}, {5}},
        {3, {}, {{Op::mul, {0, 0, 0}}, {Op::add, {3, 0, 0}}}, {4}},
        {3, {}, {{Op::mul, {0, 0, 0}}, {Op::add, {3, 3, 0}}}, {4, 3}},
        {3, {}, {{Op::mul, {0, 1, 0}}, {Op::add, {3, 2, 0}}}, {4, 3}},
        {3, {}, {{Op::neg, {0, 0, 0}}, {Op::add, {3, 2, 0}}}, {4, 3}},
    };
    const std::array<double, 3> in{3, 5, 7};
    for (const Program& program : programs) {
        std::vector<double> wanted(program.outputs.size()), got(wanted);
        program::Interpreter reference(program);
        reference(in, wanted);
        (*compile(program))(in, got);
        EXPECT_EQ(got, wanted) << write(program);
    }
    // And it is fused: 1 + ε squared less its rounding is what only one rounding can tell.
    const double x = 1 + 0x1p-30;
    double out = 0;
    const auto code = compile(programs[2]);
    (*code)(std::array{x, x, x * x}, std::span(&out, 1));
    if (why_not().empty()) {
        EXPECT_EQ(out, std::fma(x, x, -(x * x)));
    }
}

TEST(Angles, AreTurnedWithinAUnit) {
    // Against 64 bits of mantissa; a group of four, three, two and one.
    for (Index size = 1; size <= 4; ++size) {
        Program program{size, {}, {}, {}};
        for (Index i = 0; i < size; ++i) {
            program.lines.push_back({Op::sin, {i, 0, 0}});
            program.lines.push_back({Op::cos, {i, 0, 0}});
            program.outputs.push_back(size + 2 * i);
            program.outputs.push_back(size + 2 * i + 1);
        }
        const auto code = compile(program);
        std::mt19937_64 random(size);
        std::vector<double> in(size), out(2 * size);
        double worst = 0;
        for (int k = 0; k < 20000; ++k) {
            for (double& x : in) {
                x = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-52 - 1, static_cast<int>(random() % 36) - 5);
                if (random() % 4 == 0)
                    x = std::nextafter(static_cast<double>(random() % 100000) * 1.5707963267948966, random() % 2 == 0 ? 0 : inf);
            }
            (*code)(in, out);
            for (Index i = 0; i < 2 * size; ++i) {
                const long double exact =
                    i % 2 == 0 ? std::sin(static_cast<long double>(in[i / 2])) : std::cos(static_cast<long double>(in[i / 2]));
                const double ulp = std::nextafter(std::abs(static_cast<double>(exact)), inf) - std::abs(static_cast<double>(exact));
                const double off = static_cast<double>(std::abs(static_cast<long double>(out[i]) - exact)) / ulp;
                worst = std::isnan(out[i]) ? inf : std::max(worst, off);
            }
        }
        EXPECT_LT(worst, 0.85);
    }
}

TEST(Angles, AreReducedToTheEnd) {
    // The doubles below 2³⁰ that come nearest to multiples of π/2.
    Program program{1, {}, {{Op::sin, {0, 0, 0}}, {Op::cos, {0, 0, 0}}}, {1, 2}};
    const auto code = compile(program);
    for (const double x : {0x1.6c6cbc45dc8dep+5, 0x1.6c6cbc45dc8dep+9, 0x1.b951f1572eba5p+23, 0x1.b951f1572eba5p+25}) {
        std::array<double, 2> out{};
        (*code)(std::span(&x, 1), out);
        EXPECT_DOUBLE_EQ(out[0], static_cast<double>(std::sin(static_cast<long double>(x))));
        EXPECT_DOUBLE_EQ(out[1], static_cast<double>(std::cos(static_cast<long double>(x))));
    }
}

}  // namespace
}  // namespace linkwright::jit
