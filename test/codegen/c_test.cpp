// Emitted C, compiled without a warning and run: it says what the interpreter says.

#include "linkwright/codegen/c/c.hpp"

#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/support.hpp"
#include "linkwright/codegen/elimination.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/codegen/statements.hpp"
#include "linkwright/motion/simulate.hpp"
#include "linkwright/program/elimination.hpp"

namespace linkwright::codegen {
namespace {

using test::Point;
using test::Specimen;

constexpr const char* flags = "-std=c99 -Wall -Wextra -pedantic -Werror -O1";

std::string array(const std::string& name, const test::Values& values) {
    std::vector<std::string> words;
    for (const double x : values) words.push_back(shortest(x));
    if (words.empty()) words.emplace_back("0.0");
    return fmt::format("        static const double {}[] = {{{}}};\n", name, fmt::join(words, ", "));
}

/// A function that prints everything at some points; NAME_ in front of names.
std::string driver(const Specimen& s, const std::vector<Point>& points) {
    const Package& k = s.package;
    const std::string& id = k.identifier;
    std::string text = fmt::format(
        "#include \"{}.h\"\n\nvoid print_numbers(int n, const double *x);\nvoid run_{}(void);\nvoid run_{}(void)\n{{\n", id, id, id);
    for (const Point& point : points) {
        text += "    {\n";
        for (std::size_t a = 1; a < 8; ++a) {
            if (a != 5) text += array(k.arguments[a].name, point[a]);
        }
        text += fmt::format("        const double t = {};\n        double c[{}_nc + 1], x[{}_nx + 1];\n", shortest(point[0][0]), id, id);
        text += fmt::format(
            "        (void)t; (void)q; (void)u; (void)w; (void)p; (void)udot; (void)lambda; (void)c; (void)x;\n        {}_setup(p, c);\n",
            id);
        for (const Function& f : k.functions) {
            std::string call, print;
            text += "        {\n";
            for (const std::size_t a : f.arguments) call += (call.empty() ? "" : ", ") + k.arguments[a].name;
            for (const Result& r : f.results) {
                text += fmt::format("            double out_{}[{}];\n", r.name, r.rows * r.columns);
                call += ", out_" + r.name;
                print += fmt::format("            print_numbers({}, out_{});\n", r.rows * r.columns, r.name);
            }
            text += fmt::format("            {}_{}({});\n{}        }}\n", id, f.name, call, print);
        }
        if (k.nu() > 0) {
            text += fmt::format(
                "        for (int i = 0; i < {0}_nq; ++i) x[i] = q[i];\n        for (int i = 0; i < {0}_nu; ++i) x[{0}_nq + i] = u[i];\n",
                id);
            if (k.m() > 0) {
                text += fmt::format(
                    "        {{\n            double a[{0}_nu], l[{0}_nm], bad = 0.0 / 0.0;\n"
                    "            if ({0}_accelerations(t, q, u, w, c, a, l) != {0}_ok) print_numbers(1, &bad);\n"
                    "            print_numbers({0}_nu, a);\n            print_numbers({0}_nm, l);\n        }}\n",
                    id);
            }
            text += fmt::format(
                "        {{\n            static double xdot[{0}_nx], A[{0}_nx*{0}_nx], B[{0}_nx*{0}_nw + 1], bad;\n            bad = 0.0 / "
                "0.0;\n"
                "            if ({0}_rhs(t, x, w, c, xdot) != {0}_ok) print_numbers(1, &bad);\n            print_numbers({0}_nx, xdot);\n"
                "            if ({0}_rhs_jacobian(t, x, w, c, A, B) != {0}_ok) print_numbers(1, &bad);\n"
                "            print_numbers({0}_nx*{0}_nx, A);\n            print_numbers({0}_nx*{0}_nw, B);\n        }}\n",
                id);
        }
        text += "    }\n";
    }
    return text + "}\n";
}

/// Compiles and runs all of them in one program, and compares.
void expect_right(const std::vector<const Specimen*>& specimens, const std::string& options = flags) {
    const test::Folder folder;
    std::string main =
        "#include <stdio.h>\n#include <stdlib.h>\nvoid print_numbers(int n, const double *x);\n"
        "void print_numbers(int n, const double *x)\n{\n    for (int i = 0; i < n; ++i) printf(\"%.17g\\n\", x[i]);\n}\n";
    std::string calls, sources = "main.c";
    std::vector<std::vector<std::vector<test::Quantity>>> wanted;
    for (const Specimen* s : specimens) {
        const std::string& id = s->package.identifier;
        std::vector<Point> points;
        auto& list = wanted.emplace_back();
        for (const test::State& state : s->states) {
            points.push_back(make_point(*s, state));
            list.push_back(expected(*s, points.back()));
        }
        folder.write(c::write(s->package));
        folder.write("run_" + id + ".c", driver(*s, points));
        main += fmt::format("void run_{}(void);\n", id);
        calls += fmt::format("    run_{}();\n    puts(\"next\");\n", id);
        sources += fmt::format(" {0}.c run_{0}.c", id);
    }
    folder.write("main.c", main + "int main(void)\n{\n" + calls + "    return 0;\n}\n");
    const test::Ran compiled = test::run_command(fmt::format("cd '{}' && gcc {} {} -o run -lm", folder.path().string(), options, sources));
    ASSERT_EQ(compiled.status, 0) << compiled.output.substr(0, 4000);
    const test::Ran ran = test::run_command(fmt::format("'{}/run'", folder.path().string()));
    ASSERT_EQ(ran.status, 0) << ran.output.substr(0, 4000);
    std::size_t at = 0;
    for (std::size_t i = 0; i < specimens.size(); ++i) {
        const std::size_t end = ran.output.find("next\n", at);
        ASSERT_NE(end, std::string::npos);
        const std::vector<double> printed = test::read_numbers(ran.output.substr(at, end - at));
        at = end + 5;
        std::vector<test::Quantity> all;
        for (const auto& list : wanted[i]) all.insert(all.end(), list.begin(), list.end());
        expect_near(specimens[i]->name, all, printed);
    }
}

std::vector<const Specimen*> look_up(const std::vector<std::string>& names) {
    std::vector<const Specimen*> list;
    for (const std::string& name : names) list.push_back(&test::specimen(name));
    return list;
}

#define NEED(program) \
    if (!test::have(program)) GTEST_SKIP() << "there is no " program " here to compile what was written"

const std::set<std::string> heavy{"mufti_closed", "mufti_tree", "satellite_with_arms", "bricard", "bicycle"};

TEST(EmittedC, OfTheZooIsRight) {
    NEED("gcc");
    std::vector<std::string> names = test::zoo();
    std::erase_if(names, [](const std::string& name) { return heavy.contains(name); });
    expect_right(look_up(names));
}

/// Interpreter, emitted elimination, kernel: all the same wherever the domain says so, and beyond it the kernel's.
TEST(EmittedC, EliminationAgreesWithinItsDomain) {
    NEED("gcc");
    std::vector<const Specimen*> list;
    for (const char* name : {"four_bar", "spatial_four_bar", "stewart_platform", "slider_crank", "n_four_bar"}) {
        list.push_back(&test::specimen_with_elimination(name));
        const Specimen& s = *list.back();
        const Function* f = s.package.find("elimination");
        ASSERT_NE(f, nullptr);
        std::size_t within = 0;
        for (const test::State& state : s.states) {
            const Point point = make_point(s, state);
            const std::vector<test::Values> out = test::run(*f, point);
            if (!(out[2][0] >= 1 && out[3][0] <= program::Elimination::most_growth)) continue;
            ++within;
            for (const std::size_t k : {0U, 1U}) {
                double size = 0;
                for (const double x : point[6 + k]) size = std::max(size, std::abs(x));
                for (std::size_t i = 0; i < out[k].size(); ++i) EXPECT_NEAR(out[k][i], point[6 + k][i], 1e-9 * (1 + size)) << name;
            }
        }
        EXPECT_GT(within, 0U) << name;
    }
    expect_right(list);
    EXPECT_NE(c::write(list.front()->package)[1].text.find("four_bar_eliminate("), std::string::npos);
    EXPECT_EQ(c::write(test::specimen("four_bar").package)[1].text.find("four_bar_eliminate("), std::string::npos);
}

TEST(EmittedC, OfHeavyModelsIsRight) {  // not optimised, for the time it takes
    NEED("gcc");
    expect_right(look_up({heavy.begin(), heavy.end()}), "-std=c99 -Wall -Wextra -pedantic -Werror -O0");
}

TEST(EmittedC, OfOddModelsIsRight) {
    NEED("gcc");
    expect_right(look_up({"every_function", "own_speeds", "bare", "servo", "hub_beam_electric"}));
}

TEST(EmittedC, WithRoutinesIsRight) {
    NEED("gcc");
    expect_right(look_up({"arms", "given_arms", "pillars", "hands"}));
    expect_right(look_up({"many_arms"}), "-std=c99 -Wall -Wextra -pedantic -Werror -O0");
    EXPECT_NE(c::write(test::specimen("hands").package)[1].text.find("static void hands_chain_2_inwards("), std::string::npos);
}

TEST(EmittedC, WithDerivativesIsRight) {
    NEED("gcc");
    expect_right(look_up(
        {"stanford6+derivatives", "motor_driven_arm+derivatives", "servo+derivatives", "satellite+derivatives", "gyrostat+derivatives"}));
}

TEST(EmittedC, OfRandomTreesIsRight) {
    NEED("gcc");
    std::vector<std::unique_ptr<Specimen>> trees;
    std::vector<const Specimen*> list;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        trees.push_back(test::make_specimen(fmt::format("tree{}", seed), test::random_tree(seed, 3)));
        list.push_back(trees.back().get());
    }
    expect_right(list, "-std=c99 -Wall -Wextra -pedantic -Werror -O0");
}

/// Compiles one model with a main of its own, and returns what it printed.
std::string run_with(const Package& package, const std::string& main, const std::string& compiler, const std::string& main_name) {
    const test::Folder folder;
    folder.write(c::write(package));
    folder.write(main_name, main);
    const std::string where = folder.path().string();
    const test::Ran compiled =
        test::run_command(fmt::format("cd '{}' && gcc {} -c {}.c && {} -Wall -Wextra -pedantic -Werror {} {}.o -o run -lm", where, flags,
                                      package.identifier, compiler, main_name, package.identifier));
    EXPECT_EQ(compiled.status, 0) << compiled.output.substr(0, 4000);
    if (compiled.status != 0) return "";
    const test::Ran ran = test::run_command(fmt::format("'{}/run'", where));
    EXPECT_EQ(ran.status, 0);
    return ran.output;
}

/// A bob on a rod: pivots chosen where it hangs do not serve where it stands out sideways; the code says so, and the kernel takes over.
TEST(EmittedC, SaysWhenTheStateLeavesTheDomain) {
    NEED("gcc");
    const auto s = test::make_specimen(
        "bob", std::string("format = 1\nname = \"bob\"\ngravity = [0, 0, -9.81]\n[ground]\npoints = { hook = [0, 0, 0] }\n[[body]]\nname = "
                           "\"bob\"\nmass = 0.2\n"
                           "[[joint]]\nname = \"at\"\ntype = \"translation\"\nparent = \"ground\"\nchild = \"bob\"\n"
                           "[[rod]]\nname = \"string\"\nfrom = \"ground.hook\"\nto = \"bob\"\nlength = 1\n[guess]\nat.z = -1\n"));
    for (std::size_t i = 0; i < 3; ++i) s->package.arguments[1].entries[i].value = i == 2 ? -1 : 0;
    ASSERT_EQ(put_in_elimination(s->package), "");
    const std::string main = R"(#include "bob.h"
#include <stdio.h>
static void look(double x, double z)
{
    double c[bob_nc + 1], q[3] = {0}, u[3] = {0}, a[3], l[1];
    q[0] = x;
    q[2] = z;
    bob_setup(bob_parameters, c);
    printf("%d ", bob_eliminate(0, q, u, bob_inputs, c, a, l) == bob_outside);
    printf("%d ", bob_accelerations(0, q, u, bob_inputs, c, a, l));
    printf("%.3f; ", a[2] + 0.0);
}
int main(void)
{
    look(0, -1);
    look(0.6, -0.8);
    look(1, 0);
    return 0;
}
)";
    EXPECT_EQ(run_with(s->package, main, "gcc -std=c99", "main.c"), "0 0 0.000; 0 0 -3.532; 1 0 -9.810; ");
}

TEST(EmittedC, IsIncludedByCpp) {
    NEED("g++");
    const std::string main = R"(#include "triple_pendulum.h"
#include <cstdio>
int main() {
    double c[triple_pendulum_nc + 1], x[triple_pendulum_nx] = {0.3, 0.2, 0.1}, xdot[triple_pendulum_nx];
    triple_pendulum_setup(triple_pendulum_parameters, c);
    std::printf("%d %s\n", triple_pendulum_rhs(0, x, triple_pendulum_inputs, c, xdot), triple_pendulum_coordinate_names[2]);
}
)";
    EXPECT_EQ(run_with(test::specimen("triple_pendulum").package, main, "g++ -std=c++17", "main.cpp"), "0 q3\n");
}

// Two points on a line that a constraint ties together, a third that another moves; parameters decide what is wrong.
TEST(EmittedC, TellsWhatIsWrong) {
    NEED("gcc");
    const auto s = test::make_specimen("trouble", std::string(R"toml(
format = 1
name = "Trouble"
[parameters]
m = 1
k = 1
[[body]]
name = "a"
mass = "m"
[[body]]
name = "b"
mass = "m"
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "a"
axis = "x"
[[joint]]
name = "y"
type = "prismatic"
parent = "ground"
child = "b"
axis = "x"
[[constraint]]
nonholonomic = "x' + y'"
[[constraint]]
nonholonomic = "k*x' + k*y' - (k - 1)*sin(t)"
)toml"));
    const std::string main = R"(#include "trouble.h"
#include <math.h>
#include <stdio.h>
static void look(double m, double k, double x)
{
    double p[trouble_np] = {0}, c[trouble_nc + 1], q[2] = {0}, u[2] = {0}, a[2], l[2];
    p[0] = m;
    p[1] = k;
    q[0] = x;
    u[0] = x;
    trouble_setup(p, c);
    printf("%d ", trouble_accelerations(0.5, q, u, 0, c, a, l));
}
int main(void)
{
    look(1, 1, 0);
    look(0, 1, 0);
    look(1, 2, 0);
    look(HUGE_VAL, 1, 0);
    return 0;
}
)";
    EXPECT_EQ(run_with(s->package, main, "gcc -std=c99", "main.c"), "0 1 2 3 ");
}

/// A second of motion by the emitted code and the classical rule of Runge and Kutta, against simulate.
void expect_the_motion_of_simulate(const Specimen& s, int steps) {
    const std::string& name = s.name;
    const numeric::AssembledState start = assemble(*s.numbers, wanted(*s.numbers));
    ASSERT_TRUE(start.is_ok()) << start.why;
    Package package = s.package;
    const std::size_t nu = start.state.u.size();
    for (std::size_t i = 0; i < package.nq(); ++i) package.arguments[1].entries[i].value = start.state.q[i];
    for (std::size_t i = 0; i < package.nu(); ++i)  // auxiliary states stand after the speeds
        package.arguments[2].entries[i].value = i < nu ? start.state.u[i] : start.state.x[i - nu];
    const std::string main = replace(replace(R"(#include "ID.h"
#include <stdio.h>
int main(void)
{
    enum { n = ID_nx, steps = STEPS };
    double c[ID_nc + 1], x[n], y[n], k[4][n];
    const double h = 1.0/steps, part[4] = {0, h/2, h/2, h};
    ID_setup(ID_parameters, c);
    for (int i = 0; i < n; ++i) x[i] = ID_start[i];
    for (int step = 0; step < steps; ++step) {
        for (int s = 0; s < 4; ++s) {
            int status;
            for (int i = 0; i < n; ++i) y[i] = x[i] + (s > 0 ? part[s]*k[s - 1][i] : 0);
            status = ID_rhs(h*step + part[s], y, ID_inputs, c, k[s]);
            if (status != ID_ok) return status;
        }
        for (int i = 0; i < n; ++i) x[i] += h/6*(k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
    }
    for (int i = 0; i < n; ++i) printf("%.17g\n", x[i]);
    return 0;
}
)",
                                             "ID", s.package.identifier),
                                     "STEPS", std::to_string(steps));
    const std::vector<double> x = test::read_numbers(run_with(package, main, "gcc -std=c99", "main.c"));
    ASSERT_EQ(x.size(), s.package.nq() + s.package.nu()) << name;
    motion::SimulateOptions options;
    options.times = {0, 1};
    options.tolerance = 1e-11;
    const motion::Motion motion = simulate(*s.numbers, start.state, options);
    ASSERT_EQ(motion.stop, motion::Stop::reached) << name << ": " << motion.why;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool is_speed = i >= s.package.nq();
        const std::string& column = s.package.arguments[is_speed ? 2 : 1].entries[is_speed ? i - s.package.nq() : i].name;
        const auto at = std::ranges::find(motion.columns, column);
        ASSERT_NE(at, motion.columns.end()) << column;
        const double here = motion.rows.back()[at - motion.columns.begin()];
        EXPECT_NEAR(x[i], here, 1e-6 * std::max(1.0, std::abs(here))) << name << ": " << column;
    }
}

// Overconstrained loops drift like others, and beside the constraints their redundant rows look independent.
TEST(EmittedC, MovesWhereRowsAreRedundant) {
    NEED("gcc");
    for (const char* name : {"bennett", "bricard", "four_bar"}) expect_the_motion_of_simulate(test::specimen(name), 1000);
}

/// Hydraulic motors and filters in feedback around a closed chain of links that bend.
TEST(EmittedC, MovesUnderControl) {
    NEED("gcc");
    expect_the_motion_of_simulate(test::specimen("ralf/control"), 20000);
}

TEST(EmittedC, ReadsAsItDid) {
    for (const char* name : {"triple_pendulum", "four_bar"}) {
        const std::vector<File> files = c::write(test::specimen(name).package);
        test::expect_golden("c", files);
        test::expect_anonymous(files);
    }
}

TEST(EmittedC, KeepsTheModelsWords) {
    const std::vector<File> files = c::write(test::specimen("every_function").package);
    EXPECT_EQ(files[0].name, "double_model.h");
    EXPECT_NE(files[0].text.find("a mass * / with an end of comment / * and a \\ in its words"), std::string::npos);
    EXPECT_NE(files[1].text.find("\"int.for\""), std::string::npos);
}

}  // namespace
}  // namespace linkwright::codegen
