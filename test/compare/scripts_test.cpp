// Equations from Python and MATLAB: whole arrays, indices from 0 and from 1, what is passed over, and every problem at its place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/against.hpp"

namespace linkwright::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Against& pendulum() {
    static const Against a("models/double_pendulum/model.toml");
    return a;
}

void expect_all_equal(const Comparison& c, std::size_t entries) {
    EXPECT_THAT(to_string(c.problems), IsEmpty());
    EXPECT_EQ(c.entries.size(), entries);
    for (const ComparedEntry& e : c.entries) EXPECT_EQ(e.outcome, Outcome::equal) << e.ours << ": " << e.difference;
}

std::vector<std::string> places(const Diagnostics& problems) {
    std::vector<std::string> all;
    for (const Diagnostic& d : problems) all.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column));
    return all;
}

TEST(CompareScripts, PythonEntryByEntry) {
    expect_all_equal(pendulum()(R"(import numpy as np
from math import pi


def mass(q, qd, p):
    """The mass matrix.

    M[0,0] = 7   is in a text, and is not read
    """
    c2 = np.cos(q[1]); s2 = np.sin(q[1])  # two on a line; with a comment
    M = np.zeros((2, 2))
    M[0, 0] = (p.m1/3 + p.m2)*p.l1**2 + p.m2*p.l2**2/3 \
        + p.m2*p.l1*p.l2*c2 + 0*s2
    M[0, 1] = self.m2*(l2**2/3
                       + l1*l2/2*c2)
    M[1, 0] = M[0, 1]
    M[1][1] = m2*np.power(l2, 2)/3.
    return M
)",
                                "mass.py"),
                     4);
}

TEST(CompareScripts, PythonWholeArrays) {
    expect_all_equal(pendulum()(R"(th1, th2 = q
c2: float = sympy.cos(th2)
M = np.array([[(m1/3 + m2)*l1**2 + m2*l2**2/3 + m2*l1*l2*c2, m2*(l2**2/3 + l1*l2/2*c2)],
              [m2*(l2**2/3 + l1*l2/2*c2), sp.Rational(1, 3)*m2*l2**2 + 0*th1]], dtype=float)
)",
                                "mass.py"),
                     4);
}

TEST(CompareScripts, MatlabEntryByEntry) {
    expect_all_equal(pendulum()(R"(function M = mass(q, p)
% the mass matrix, 100% by hand
%{
M(1,1) = 7;
%}
c2 = cos(q(2)); M = zeros(2,2);
M(1,1) = (m1/3 + p.m2).*l1.^2 + m2*l2^2./3 ...  goes on
         + m2*l1*l2*c2;
M(1,2) = m2*(l2^2/3 + l1*l2/2*c2); M(2,1) = M(1,2);
M(2,2) = m2*l2^2/3
end
)",
                                "mass.m"),
                     4);
}

TEST(CompareScripts, MatlabWholeArrays) {
    expect_all_equal(pendulum()(R"(c2 = cos(q(2));
M = [(m1/3 + m2)*l1^2 + m2*l2^2/3 + m2*l1*l2*c2   m2*(l2^2/3 + l1*l2/2*c2)
     m2*(l2^2/3 + l1*l2/2*c2), +m2*l2^2/3];
)",
                                "mass.m"),
                     4);
}

TEST(CompareScripts, ColumnsAreVectors) {
    const std::string first = "(m1/2 + m2)*l1*g*sin(th1)", second = "m2*l2/2*g*sin(th1 + th2)";
    const std::string dV1 = first + " + " + second;
    const std::string names = "th1 = q(1); th2 = q(2);\n";
    expect_all_equal(pendulum()(names + "dV = [" + dV1 + "; " + second + "];", "v.m"), 2);
    expect_all_equal(pendulum()(names + "dV(1,1) = " + dV1 + ";\ndV(2,1) = " + second + ";", "v.m"), 2);
    const std::string python = "th1, th2 = q[0], q[1]\n";
    const std::string np1 = "(m1/2 + m2)*l1*g*np.sin(th1) + m2*l2/2*g*np.sin(th1 + th2)", np2 = "m2*l2/2*g*np.sin(th1 + th2)";
    expect_all_equal(pendulum()(python + "dV = np.array([" + np1 + ", " + np2 + "])", "v.py"), 2);
    expect_all_equal(pendulum()(python + "dV = Matrix([[" + np1 + "], [" + np2 + "]])", "v.py"), 2);
}

TEST(CompareScripts, PowersAreThoseOfTheLanguage) {
    EXPECT_EQ(pendulum()("T = m1^2^0*l1", "t.m").entries.size(), 1U);  // (m1^2)^0
    EXPECT_THAT(to_string(pendulum()("M[1,1] = m2*l2^2/3", "m.py").problems), HasSubstr("m.py:1:15: error: '^' is not a power in Python"));
    const Comparison python = pendulum()("M[1,1] = m2*l2**3/3", "m.py");
    ASSERT_FALSE(python.entries.at(0).repairs.empty());
    EXPECT_THAT(python.entries[0].repairs[0][0].what, HasSubstr("2 instead of 3"));
    const Comparison matlab = pendulum()("M(2,2) = m2*l2^3/3;", "m.m");
    ASSERT_FALSE(matlab.entries.at(0).repairs.empty());
    EXPECT_THAT(matlab.entries[0].repairs[0][0].what, HasSubstr("2 instead of 3"));
}

TEST(CompareScripts, AWrongEntryOfAnArrayIsShownAtItsPlace) {
    const Comparison c = pendulum()(
        "c2 = cos(q(2));\nM = [ (m1/3 + m2)*l1^2 + m2*l2^2/3 + m2*l1*l2*c2, m2*(l2^2/3 + l1*l2/2*c2);\n      "
        "m2*(l2^2/3 + l1*l2/2*c2), m2*l2^2/2 ];\n",
        "mass.m");
    ASSERT_EQ(c.entries.size(), 4U);
    EXPECT_EQ(c.entries[3].outcome, Outcome::different);
    EXPECT_EQ(c.entries[3].theirs, "M(2,2)");
    ASSERT_FALSE(c.entries[3].repairs.empty());
    EXPECT_EQ(c.entries[3].repairs[0][0].where, (Position{3, 41}));
}

TEST(CompareScripts, EveryProblemIsToldAtOnce) {
    const Comparison c = pendulum()(R"(for i in range(2):
    M[0,0] = 1
M[0,1] = m2*(l1
M[1,1] = foo(m2)
M[1,0] = m2*l2 l1
)",
                                    "wrong.py");
    EXPECT_THAT(places(c.problems), ElementsAre("1:1", "3:13", "4:10", "5:16"));
    const Comparison matlab = pendulum()("if a > 1\nM(1,1) = 2;\nend\nM(1,2) = m2*(l1;\nM(2,2) = m2';\n", "wrong.m");
    EXPECT_THAT(places(matlab.problems), ElementsAre("1:1", "4:16"));  // m2' is mended: a number is its own transpose
}

}  // namespace
}  // namespace linkwright::compare
