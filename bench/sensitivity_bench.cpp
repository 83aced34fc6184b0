// Derivatives of all eigenvalues by all parameters of a tree of 30 freedoms, beside the eigen-solution itself.
//
//     sensitivity_bench [freedoms]
//
// A chain of links that turn about x, y and z in turn, hung from the ground, with springs in its joints; every link has a mass, a
// length, an offset, three moments of inertia and a stiffness of its own, so there are seven parameters a link and gravity.
// Times are the least of many runs.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/linear/design/sensitivity.hpp"
#include "linkwright/linear/equilibrium/operating.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/solve/eigen.hpp"

namespace {

using namespace linkwright;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double least_time(const std::function<void()>& f, int rounds = 60) {
    double best = 1e9;
    for (int k = 0; k < rounds; ++k) {
        const auto begin = Clock::now();
        f();
        best = std::min(best, seconds_since(begin));
    }
    return best;
}

std::string chain(int n) {
    std::string parameters = "g = 9.81\n", bodies, joints;
    for (int i = 1; i <= n; ++i) {
        parameters +=
            fmt::format("m{0} = {1}\nl{0} = {2}\nd{0} = {3}\nA{0} = {4}\nB{0} = {5}\nC{0} = {6}\nk{0} = {7}\n", i, 1 + 0.01 * i,
                        0.3 + 0.003 * i, 0.01 + 0.001 * (i % 5), 0.02 + 0.0003 * i, 0.03 + 0.0002 * i, 0.025 + 0.0001 * i, 40 + i);
        bodies += fmt::format("[[body]]\nname = \"link{0}\"\nmass = \"m{0}\"\ninertia = [\"A{0}\", \"B{0}\", \"C{0}\"]\n", i);
        joints += fmt::format(
            "[[joint]]\nname = \"q{0}\"\ntype = \"revolute\"\nparent = \"{1}\"\nchild = \"link{0}\"\nparent_at = {2}\nchild_at = "
            "[\"d{0}\", 0, \"l{0}\"]\n"
            "axis = \"{3}\"\nstiffness = \"k{0}\"\n",
            i, i == 1 ? "ground" : fmt::format("link{}", i - 1), i == 1 ? "[0, 0, 0]" : fmt::format("[0, 0, \"-l{}\"]", i - 1),
            "xyz"[i % 3]);
    }
    return fmt::format("format = 1\nname = \"chain of {}\"\ngravity = [0, 0, \"-g\"]\n[parameters]\n{}{}{}", n, parameters, bodies, joints);
}

}  // namespace

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 30;
    const model::Reading reading = model::read(chain(n), "chain.toml");
    if (!reading.model) {
        for (const Diagnostic& d : reading.problems) std::fprintf(stderr, "%s\n", to_string(d).c_str());
        return 1;
    }
    const auto topology = topology::analyse(*reading.model).topology.value();
    const eom::EquationsOfMotion e = formulation::recursive::derive(*reading.model, topology, {}).equations.value();
    const numeric::Compile compile = jit::native();
    const numeric::CompiledEquations numbers(e, compile, numeric::Parameters::live);

    auto begin = Clock::now();
    const linear::Linearizer linearizer(numbers);
    const double make_linear = seconds_since(begin);
    linear::Operating what;
    what.start = numbers.zero_state();
    const linear::OperatingPoints points(numbers, what);
    const numeric::OperatingPoint at = points.find();
    if (!at.is_ok) return std::fprintf(stderr, "%s\n", at.why.c_str()), 1;
    std::vector<std::size_t> all(e.parameters.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    const linear::PointDerivatives derivatives = points.derivatives(at, all);
    if (!derivatives.is_ok) return std::fprintf(stderr, "%s\n", derivatives.why.c_str()), 1;

    const linear::LinearizeOptions plain{.onto = {}, .checks_rank = false};
    const linear::Linearization L = linearizer(at, plain);
    const linear::Modes m = linear::modes(L);
    const linear::Sensitivity sensitivity(numbers, linearizer, compile);
    begin = Clock::now();
    const linear::EigenvalueSensitivity s = sensitivity.eigenvalues(L, m, derivatives, all);
    const double make = seconds_since(begin);
    if (!s.is_ok) return std::fprintf(stderr, "%s\n", s.why.c_str()), 1;

    const double linear = least_time([&] { (void)linearizer.evaluate(at); });
    const double symmetric = least_time([&] { (void)solve::symmetric_spectrum(L.second_order.K, L.second_order.M); });
    const double poles = least_time([&] { (void)solve::spectrum(L.state_space.A); });
    const double modes = least_time([&] { (void)linear::modes(L); });
    const double of_lambda = least_time([&] { (void)sensitivity.eigenvalues(L, m, derivatives, all); });
    const double of_poles = least_time([&] { (void)sensitivity.eigenvalues(L, m, derivatives, all, linear::Eigenvalues::poles); });
    const double point = least_time([&] { (void)points.derivatives(at, all); }, 5);

    fmt::print("{} freedoms, {} parameters, {} eigenvalues{}\n", n, all.size(), s.values.size(), s.is_lambda ? " (λ)" : "");
    fmt::print("  made once: linear model {:.3f} s; derivatives {:.3f} s, {} lines\n", make_linear, make, sensitivity.pencil().lines());
    fmt::print("  M, C, K evaluated               {:9.1f} us\n", 1e6 * linear);
    fmt::print("  K x = λ M x solved              {:9.1f} us\n", 1e6 * symmetric);
    fmt::print("  A x = μ x solved                {:9.1f} us\n", 1e6 * poles);
    fmt::print("  modes, all of it                {:9.1f} us\n", 1e6 * modes);
    fmt::print("  dλ/dp, all by all               {:9.1f} us   {:.2f} solutions of modes, {:.2f} of K x = λ M x alone\n", 1e6 * of_lambda,
               of_lambda / modes, of_lambda / symmetric);
    fmt::print("  dμ/dp, all by all               {:9.1f} us   {:.2f} solutions of A x = μ x, one of which is its own\n", 1e6 * of_poles,
               of_poles / poles);
    fmt::print("  the operating point's slopes    {:9.1f} us\n", 1e6 * point);
    return 0;
}
