// The emitted C++ header, compiled without a warning and run: it says what the interpreter says, for several scalars.

#include "linkwright/codegen/cpp/cpp.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/support.hpp"
#include "linkwright/codegen/statements.hpp"

namespace linkwright::codegen {
namespace {

using test::Point;
using test::Specimen;

constexpr const char* flags = "-std=c++17 -Wall -Wextra -pedantic -Wshadow -Werror -O0";

constexpr const char* printing = R"(
#include <cstdio>
#include <random>
inline void print(double x) { std::printf("%.17g\n", x); }
template <class T, std::size_t n>
void print(const std::array<T, n>& x) { for (const T& y : x) print(y); }
)";

std::string array(const std::string& name, const test::Values& values) {
    std::vector<std::string> words;
    for (const double x : values) words.push_back(shortest(x));
    return fmt::format("    const std::array<double, {}> {}{{{}}};\n", values.size(), name,
                       words.empty() ? "" : fmt::format("{{{}}}", fmt::join(words, ", ")));
}

std::string list_of(const Function& f, const Package& k) {
    std::string text;
    for (const std::size_t a : f.arguments) text += (text.empty() ? "" : ", ") + k.arguments[a].name;
    return text;
}

/// Prints everything at some points.
std::string driver(const Specimen& s, const std::vector<Point>& points) {
    const Package& k = s.package;
    std::string text = fmt::format("inline void run_{}() {{\n    using namespace {};\n", k.identifier, k.identifier);
    for (const Point& point : points) {
        text += "    {\n";
        for (const std::size_t a : {1, 2, 3, 6, 7}) text += "    " + array(k.arguments[a].name, point[a]);
        text += fmt::format("        const double t = {};\n        (void)t, (void)q, (void)u, (void)w, (void)udot, (void)lambda;\n",
                            shortest(point[0][0]));
        text += "        const Parameters<double> p{};\n        const Setup<double> c = setup(p);\n";
        text +=
            "        if (nc > 0) { double x[nc + 1]; static_assert(sizeof(c) == nc * sizeof(double) || nc == 0); std::memcpy(x, &c, nc * "
            "sizeof(double)); for (std::size_t i = 0; i < nc; ++i) print(x[i]); }\n";
        for (const Function& f : k.functions) {
            if (f.name == "setup") continue;
            text += fmt::format("        {{\n            const auto out = {}::{}({});\n", k.identifier, f.name, list_of(f, k));
            for (const Result& r : f.results)
                text += fmt::format("            print({});\n", f.results.size() == 1 ? "out" : "out." + r.name);
            text += "        }\n";
        }
        if (k.nu() > 0) {
            text +=
                "        std::array<double, nx> x{};\n        for (std::size_t i = 0; i < nq; ++i) x[i] = q[i];\n"
                "        for (std::size_t i = 0; i < nu; ++i) x[nq + i] = u[i];\n";
            if (k.m() > 0) {
                text += fmt::format(
                    "        const auto a = {}::accelerations(t, q, u, w, c);\n        if (a.status != Status::ok) print(0.0);\n        "
                    "print(a.udot);\n        print(a.lambda);\n",
                    k.identifier);
            }
            text +=
                "        const auto r = rhs(t, x, w, c);\n        if (r.status != Status::ok) print(0.0);\n        print(r.xdot);\n"
                "        const auto J = rhs_jacobian(t, x, w, c);\n        if (J.status != Status::ok) print(0.0);\n        print(J.A);\n  "
                "      print(J.B);\n";
        }
        text += "    }\n";
    }
    return text + "}\n";
}

/// A d against the complex step, and float against double.
std::string steps(const Specimen& s, const Point& point) {
    const Package& k = s.package;
    std::string text =
        fmt::format("inline void step_{0}() {{\n    using namespace {0};\n    using C = std::complex<double>;\n", k.identifier);
    for (const std::size_t a : {1, 2, 3}) text += array(k.arguments[a].name, point[a]);
    text += fmt::format("    const double t = {};\n", shortest(point[0][0]));
    return text + R"(    std::array<double, nx> x{}, d{};
    std::array<C, nx> z{};
    std::array<C, nw> v{};
    std::array<float, nx> xf{};
    std::array<float, nw> wf{};
    std::mt19937 random(3);
    for (std::size_t i = 0; i < nx; ++i) {
        x[i] = i < nq ? q[i] : u[i - nq];
        d[i] = std::uniform_real_distribution<double>(-1, 1)(random);
        z[i] = C(x[i], 1e-60*d[i]);
        xf[i] = float(x[i]);
    }
    for (std::size_t i = 0; i < nw; ++i) v[i] = w[i], wf[i] = float(w[i]);
    const auto J = rhs_jacobian(t, x, w, setup(Parameters<double>{}));
    const auto r = rhs(t, z, v, setup(Parameters<C>{}));
    const auto f = rhs(float(t), xf, wf, setup(Parameters<float>{}));
    double error = 0, size = 0, off = 0, largest = 0;
    for (std::size_t i = 0; i < nx; ++i) {
        double Ad = 0;
        for (std::size_t j = 0; j < nx; ++j) Ad += J.A[i][j]*d[j];
        error = std::max(error, std::abs(Ad - r.xdot[i].imag()*1e60));
        size = std::max(size, std::abs(Ad));
        off = std::max(off, std::abs(double(f.xdot[i]) - r.xdot[i].real()));
        largest = std::max(largest, std::abs(r.xdot[i].real()));
    }
    print(error/size);
    print(off/largest);
}
)";
}

std::string compiled_and_run(const test::Folder& folder) {
    const test::Ran compiled = test::run_command(fmt::format("cd '{}' && g++ {} main.cpp -o run", folder.path().string(), flags));
    EXPECT_EQ(compiled.status, 0) << compiled.output.substr(0, 4000);
    if (compiled.status != 0) return "";
    const test::Ran ran = test::run_command(fmt::format("'{}/run'", folder.path().string()));
    EXPECT_EQ(ran.status, 0) << ran.output.substr(0, 4000);
    return ran.output;
}

void expect_right(const std::vector<std::string>& names, const Specimen& (*specimen)(const std::string&) = test::specimen) {
    const test::Folder folder;
    std::string includes, runs, calls;
    std::vector<test::Quantity> all;
    for (const std::string& name : names) {
        const Specimen& s = specimen(name);
        std::vector<Point> points;
        for (std::size_t i = 0; i < 2; ++i) {
            points.push_back(make_point(s, s.states[i]));
            for (test::Quantity& x : expected(s, points.back()))
                all.push_back(std::move(x)), all.back().name = s.name + " " + all.back().name;
        }
        const std::vector<File> files = cpp::write(s.package);
        ASSERT_EQ(files.size(), 1U);
        test::expect_anonymous(files);
        folder.write(files);
        includes += fmt::format("#include \"{}\"\n", files[0].name);
        runs += driver(s, points);
        calls += fmt::format("    run_{}();\n", s.package.identifier);
    }
    folder.write("main.cpp", includes + "#include <cstring>\n" + printing + runs + "int main() {\n" + calls + "}\n");
    test::expect_near("C++", all, test::read_numbers(compiled_and_run(folder)));
}

TEST(EmittedCpp, IsRight) {
    if (!test::have("g++")) GTEST_SKIP() << "there is no g++ here to compile what was written";
    expect_right({"four_bar", "spatial_four_bar", "bennett", "rolling_disk", "satellite", "triple_pendulum", "kapitza_pendulum",
                  "cart_pole", "driven_crank", "stewart_platform", "every_function", "own_speeds", "bare", "servo"});
}

TEST(EmittedCpp, WithRoutinesIsRight) {
    if (!test::have("g++")) GTEST_SKIP() << "there is no g++ here to compile what was written";
    expect_right({"arms", "given_arms", "pillars", "hands", "many_arms"});
}

TEST(EmittedCpp, WithDerivativesIsRight) {
    if (!test::have("g++")) GTEST_SKIP() << "there is no g++ here to compile what was written";
    expect_right({"stanford6+derivatives", "servo+derivatives"});
}

TEST(EmittedCpp, WithEliminationIsRight) {
    if (!test::have("g++")) GTEST_SKIP() << "there is no g++ here to compile what was written";
    expect_right({"four_bar", "spatial_four_bar", "stewart_platform", "n_four_bar"}, test::specimen_with_elimination);
}

/// Pivots chosen with the rods upright do not serve where they lie flat; the code says so, and the kernel takes over.
TEST(EmittedCpp, SaysWhenTheStateLeavesTheDomain) {
    if (!test::have("g++")) GTEST_SKIP() << "there is no g++ here to compile what was written";
    const test::Folder folder;
    const Package& package = test::specimen_with_elimination("n_four_bar").package;
    folder.write(cpp::write(package));
    std::string signs;
    for (const Entry& e : package.arguments[1].entries) signs += e.name.starts_with("a") ? "1, " : "-1, ";
    folder.write("main.cpp", "constexpr double signs[] = {" + signs + "};\n" + R"(#include "n_four_bar.hpp"
#include <cmath>
#include <cstdio>
using namespace n_four_bar;
int main() {
    const auto c = setup(Parameters<double>{});
    for (const double angle : {1.57, 1.0, 0.01, 0.001}) {
        std::array<double, nq> q{};
        for (std::size_t i = 0; i < nq; ++i) q[i] = signs[i]*angle;
        const auto e = elimination(0.0, q, std::array<double, nu>{}, std::array<double, nw>{}, c);
        const auto a = accelerations(0.0, q, std::array<double, nu>{}, std::array<double, nw>{}, c);
        std::printf("%d %d %.4f; ", is_valid(e), a.status == Status::ok, a.udot[0]);
    }
}
)");
    // ((N+1)/3 + N) θ'' = ((N+1)/2 + N) g sin θ, N = 10, angles from the horizontal
    EXPECT_EQ(compiled_and_run(folder), "1 1 -0.0089; 1 1 -6.0114; 0 1 -11.1254; 0 1 -11.1260; ");
}

TEST(EmittedCpp, TakesOtherScalars) {
    if (!test::have("g++")) GTEST_SKIP() << "there is no g++ here to compile what was written";
    const test::Folder folder;
    std::string includes, runs, calls;
    const std::vector<std::string> names{"four_bar",   "rolling_disk", "triple_pendulum", "every_function",
                                         "own_speeds", "hands",        "spatial_four_bar"};
    for (const std::string& name : names) {
        const Specimen& s = name == "spatial_four_bar" ? test::specimen_with_elimination(name) : test::specimen(name);
        folder.write(cpp::write(s.package));
        includes += fmt::format("#include \"{}.hpp\"\n", s.package.identifier);
        runs += steps(s, make_point(s, s.states[0]));
        calls += fmt::format("    step_{}();\n", s.package.identifier);
    }
    folder.write("main.cpp", includes + printing + runs + "int main() {\n" + calls + "}\n");
    const std::vector<double> printed = test::read_numbers(compiled_and_run(folder));
    ASSERT_EQ(printed.size(), 2 * names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_LT(printed[2 * i], 1e-10) << names[i] << ": complex step";
        EXPECT_LT(printed[2 * i + 1], 1e-3) << names[i] << ": float";
    }
}

TEST(EmittedCpp, ReadsAsItDid) {
    for (const char* name : {"triple_pendulum", "four_bar"}) test::expect_golden("cpp", cpp::write(test::specimen(name).package));
}

}  // namespace
}  // namespace linkwright::codegen
