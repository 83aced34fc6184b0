// Many states at once: accelerations of trees and closed chains, single, in four lanes (AVX2), in eight (AVX-512), and on two threads.
//
//     batch_bench [MODEL…]     folders of bench/models or models
//
// Nanoseconds a state, 4096 states in a row; CPU time, the least of several runs in turn, but threads by the clock, which needs a machine with nothing else to do.
// Every lane gives the bits of the single call, or the run ends.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "least_time.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/jit/emit.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/program/elimination.hpp"
#include "linkwright/program/parallel.hpp"

namespace {

using namespace linkwright;
using bench::least_time;

constexpr std::size_t points = 4096;

struct Subject {
    eom::EquationsOfMotion e;
    program::Program program;
    std::vector<double> states;

    explicit Subject(const std::string& name) {
        const std::string own = fmt::format("{}/bench/models/{}/model.toml", LINKWRIGHT_ROOT, name);
        const std::string path = std::filesystem::exists(own) ? own : fmt::format("{}/models/{}/model.toml", LINKWRIGHT_ROOT, name);
        const model::Model model = model::read_file(path).model.value();
        e = formulation::recursive::derive(model, topology::analyse(model).topology.value()).equations.value();
        const sym::PoolScope scope(*e.pool);
        const numeric::CompiledEquations numbers(e);
        const numeric::AssembledState start = numeric::assemble(numbers, numeric::wanted(numbers), 0);
        if (!start.is_ok()) throw std::runtime_error(name + ": " + start.why);
        const Eigen::VectorXd at = numeric::arguments(numbers.layout(), start.state);
        program = e.constraints.empty() ? numbers.lower(eom::accelerations(e)) : eliminated(numbers, at);
        std::mt19937_64 random(1);
        for (std::size_t p = 0; p < points; ++p) {
            for (const double x : at) states.push_back(x + (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 0.01);
        }
    }

private:
    program::Program eliminated(const numeric::CompiledEquations& numbers, const Eigen::VectorXd& at) const {
        std::vector<sym::Expr> all;
        for (std::size_t i = 0; i < e.M.size(); ++i)
            all.insert(all.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
        all.insert(all.end(), e.f.begin(), e.f.end());
        for (const eom::Constraint& c : e.constraints) all.insert(all.end(), c.G.begin(), c.G.end()), all.push_back(c.gamma);
        std::vector<double> reference(all.size());
        numbers.compile(all)({at.data(), static_cast<std::size_t>(at.size())}, reference);
        program::Elimination made = program::eliminate(numbers.lower(all), {e.u.size(), e.constraints.size()}, reference);
        if (!made.is_ok()) throw std::runtime_error(made.why);
        made.program.outputs.resize(e.u.size() + e.constraints.size() + 2);
        return std::move(made.program);
    }
};

double clock_seconds(int rounds, const std::function<void()>& f) {
    double best = 1e9;
    for (int i = 0; i < rounds; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        f();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

std::string row(const std::string& name) {
    const Subject s(name);
    const std::size_t width = s.program.inputs, size = s.program.outputs.size();
    std::vector<double> out(points * size), other(out);
    const auto narrow = jit::compile(s.program, {.registers = 16}), wide = jit::compile(s.program);
    for (std::size_t p = 0; p < points; ++p) (*wide)(std::span(s.states).subspan(p * width, width), std::span(out).subspan(p * size, size));
    const auto check = [&](const program::Evaluator& run) {
        run.batch(points, s.states, other);
        if (!std::ranges::equal(out, other, [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }))
            throw std::runtime_error(name + ": a batch has other bits than single calls");
    };
    check(*narrow), check(*wide);
    const double single =
        least_time(2e-3, 9,
                   [&] {
                       for (std::size_t p = 0; p < 256; ++p)
                           (*wide)(std::span(s.states).subspan(p * width, width), std::span(other).subspan(p * size, size));
                   }) /
        256;
    double four = 1e9, eight = 1e9;  // in turns: neighbours on the machine disturb both alike
    for (int i = 0; i < 5; ++i) {
        four = std::min(four, least_time(2e-3, 3, [&] { narrow->batch(points, s.states, other); }) / points);
        eight = std::min(eight, least_time(2e-3, 3, [&] { wide->batch(points, s.states, other); }) / points);
    }
    constexpr std::size_t times = 16;  // as many rows of states again, so that threads have something to do
    const auto run = [&](unsigned threads) {
        return clock_seconds(15, [&] {
            program::run_in_parts(
                points * times,
                [&](std::size_t from, std::size_t to) {
                    std::vector<double> mine(std::min(points, to - from) * size);
                    for (std::size_t at = from; at < to;) {
                        const std::size_t place = at % points, count = std::min(points - place, to - at);
                        wide->batch(count, std::span(s.states).subspan(place * width, count * width), std::span(mine).first(count * size));
                        at += count;
                    }
                },
                threads);
        });
    };
    const double one = run(1), two = run(2);
    return fmt::format("| {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} |\n", name, single * 1e9, four * 1e9, eight * 1e9, four / eight,
                       one / two);
}

}  // namespace

int main(int argc, char** argv) try {
    if (const std::string why = jit::why_not(); !why.empty()) {
        fmt::print("{}\n", why);
        return 0;
    }
    std::vector<std::string> names(argv + 1, argv + argc);
    if (names.empty()) names = {"stanford6", "puma6", "iiwa7", "chain12", "chain30", "tree30f", "four_bar", "stewart_platform"};
    const unsigned lanes = jit::lanes_of(jit::vector_registers());
    fmt::print(
        "| ns a state | single | 4 lanes | {} lanes | 4 lanes / {} lanes | one thread / two, by the clock "
        "|\n|---|---:|---:|---:|---:|---:|\n",
        lanes, lanes);
    for (const std::string& name : names) fmt::print("{}", row(name)), std::fflush(stdout);
    return 0;
} catch (const std::exception& problem) {
    fmt::print(stderr, "batch_bench: {}\n", problem.what());
    return 1;
}
