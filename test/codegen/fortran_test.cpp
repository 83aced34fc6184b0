// Emitted Fortran, compiled without a warning and run: it says what the interpreter says.

#include "linkwright/codegen/fortran/fortran.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/support.hpp"
#include "linkwright/codegen/statements.hpp"

namespace linkwright::codegen {
namespace {

using test::Point;
using test::Specimen;

constexpr const char* printing = R"(
subroutine print_numbers(rows, columns, x)
  use, intrinsic :: iso_fortran_env, only: dp => real64
  implicit none
  integer, intent(in) :: rows, columns
  real(dp), intent(in) :: x(rows, columns)
  integer :: i, j
  do i = 1, rows
    do j = 1, columns
      write (*, '(es26.17e3)') x(i, j)
    end do
  end do
end subroutine
)";

std::string vector(const std::string& name, const test::Values& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) text += fmt::format("  {}({}) = {}_dp\n", name, i + 1, shortest(values[i]));
    return text;
}

std::string driver(const Specimen& s, const std::vector<Point>& points) {
    const Package& k = s.package;
    std::string text =
        fmt::format("subroutine run_{0}()\n  use {0}\n  implicit none\n  integer, parameter :: dp = kind(1d0)\n", k.identifier);
    text +=
        "  real(dp) :: t, q(nq), u(nu), w(nw), p(np), c(nc), udot(nu), lambda(nm), x(nx), xdot(nx), a(nx, nx), b(nx, nw)\n  integer :: "
        "status\n";
    for (const Function& f : k.functions) {
        for (const Result& r : f.results) text += fmt::format("  real(dp) :: out_{}_{}({}, {})\n", f.name, r.name, r.rows, r.columns);
    }
    text += "  status = 0; x = 0; xdot = 0; a = 0; b = 0\n";
    for (const Point& point : points) {
        text += fmt::format("  t = {}_dp\n", shortest(point[0][0]));
        for (const std::size_t i : {1, 2, 3, 6, 7}) text += vector(k.arguments[i].name, point[i]);
        text += "  p = parameters\n  call setup(p, c)\n";
        for (const Function& f : k.functions) {
            std::vector<std::string> names;
            for (const std::size_t i : f.arguments) names.push_back(k.arguments[i].name);
            std::string print;
            for (const Result& r : f.results) {
                const std::string out = fmt::format("out_{}_{}", f.name, r.name);
                const bool is_matrix = r.columns > 1 || r.name.find('_') != std::string::npos || r.name == "M" || r.name == "G";
                names.push_back(r.is_scalar ? out + "(1, 1)" : is_matrix ? out : out + "(:, 1)");
                print += fmt::format("  call print_numbers({}, {}, {})\n", r.rows, r.columns, out);
            }
            std::string call = fmt::format("  call {}({})\n", f.name, fmt::join(names, ", &\n    "));
            text += call + print;
        }
        if (k.nu() > 0) {
            text += "  x(:nq) = q\n  x(nq+1:) = u\n";
            if (k.m() > 0) {
                text +=
                    "  call accelerations(t, q, u, w, c, udot, lambda, status)\n  if (status /= 0) call print_numbers(1, 1, [t])\n"
                    "  call print_numbers(nu, 1, udot)\n  call print_numbers(nm, 1, lambda)\n";
            }
            text +=
                "  call rhs(t, x, w, c, xdot, status)\n  if (status /= 0) call print_numbers(1, 1, [t])\n  call print_numbers(nx, 1, "
                "xdot)\n"
                "  call rhs_jacobian(t, x, w, c, a, b, status)\n  if (status /= 0) call print_numbers(1, 1, [t])\n"
                "  call print_numbers(nx, nx, a)\n  call print_numbers(nx, nw, b)\n";
        }
    }
    return text + "end subroutine\n";
}

void expect_right(const std::vector<const Specimen*>& models, const std::string& optimisation, std::size_t states) {
    const test::Folder folder;
    std::string calls, sources, drivers = printing;
    std::vector<std::pair<std::string, std::vector<test::Quantity>>> wanted;
    for (const Specimen* model : models) {
        const Specimen& s = *model;
        const std::string& id = s.package.identifier;
        std::vector<Point> points;
        auto& all = wanted.emplace_back(s.name, std::vector<test::Quantity>{}).second;
        for (std::size_t i = 0; i < std::min(states, s.states.size()); ++i) {
            points.push_back(make_point(s, s.states[i]));
            for (test::Quantity& x : expected(s, points.back())) all.push_back(std::move(x));
        }
        const std::vector<File> files = fortran::write(s.package);
        test::expect_anonymous(files);
        std::istringstream lines(files.at(0).text);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t comment = line.find('!');
            EXPECT_LE(comment == std::string::npos ? line.size() : std::min(comment, line.size()), 132U) << line;
        }
        folder.write(files);
        folder.write("run_" + id + ".f90", driver(s, points));
        calls += fmt::format("  call run_{}()\n  print '(a)', 'next'\n", id);
        sources += fmt::format(" {0}.f90", id);
        drivers += driver(s, points);
    }
    folder.write("main.f90", drivers + "program main\n  implicit none\n" + calls + "end program\n");
    const std::string where = folder.path().string();
    const test::Ran compiled = test::run_command(fmt::format(
        "cd '{}' && gfortran -std=f2008 -Wall -Werror {} -c {} && gfortran -O0 main.f90 *.o -o run", where, optimisation, sources));
    ASSERT_EQ(compiled.status, 0) << compiled.output.substr(0, 4000);
    const test::Ran ran = test::run_command(fmt::format("'{}/run'", where));
    ASSERT_EQ(ran.status, 0) << ran.output.substr(0, 4000);
    std::size_t at = 0;
    for (const auto& [name, all] : wanted) {
        const std::size_t end = ran.output.find("next\n", at);
        ASSERT_NE(end, std::string::npos);
        test::expect_near(name, all, test::read_numbers(ran.output.substr(at, end - at)));
        at = end + 5;
    }
}

std::vector<const Specimen*> look_up(const std::vector<std::string>& names) {
    std::vector<const Specimen*> list;
    for (const std::string& name : names) list.push_back(&test::specimen(name));
    return list;
}

#define NEED(program) \
    if (!test::have(program)) GTEST_SKIP() << "there is no " program " here to compile what was written"

TEST(EmittedFortran, IsRight) {
    NEED("gfortran");
    expect_right(look_up({"four_bar", "spatial_four_bar", "bennett", "rolling_disk", "satellite", "kapitza_pendulum", "every_function",
                          "own_speeds", "bare", "servo", "hub_beam_electric"}),
                 "-O1", 3);
}

TEST(EmittedFortran, OfTheZooIsRight) {
    NEED("gfortran");
    expect_right(look_up(test::zoo()), "-O0", 1);
}

TEST(EmittedFortran, WithRoutinesIsRight) {
    NEED("gfortran");
    expect_right(look_up({"arms", "given_arms", "pillars", "hands", "many_arms"}), "-O0", 1);
}

TEST(EmittedFortran, WithDerivativesIsRight) {
    NEED("gfortran");
    expect_right(look_up({"stanford6+derivatives", "servo+derivatives"}), "-O0", 1);
}

TEST(EmittedFortran, OfRandomTreesIsRight) {
    NEED("gfortran");
    std::vector<std::unique_ptr<Specimen>> trees;
    std::vector<const Specimen*> list;
    for (std::uint64_t seed = 4; seed <= 6; ++seed) {
        trees.push_back(test::make_specimen(fmt::format("tree{}", seed), test::random_tree(seed, 3)));
        list.push_back(trees.back().get());
    }
    expect_right(list, "-O0", 1);
}

TEST(EmittedFortran, ReadsAsItDid) {
    for (const char* name : {"triple_pendulum", "four_bar"}) test::expect_golden("fortran", fortran::write(test::specimen(name).package));
}

}  // namespace
}  // namespace linkwright::codegen
