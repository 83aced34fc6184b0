// growth_bench MODEL: what one mechanism costs, stage by stage, as a line of JSON. bench/growth puts many such lines together.

#include <fmt/format.h>
#include <sys/resource.h>

#include <ctime>
#include <iostream>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/motion/simulate.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/topology/topology.hpp"

namespace {

using namespace linkwright;

/// CPU seconds since the last look.
class Clock {
public:
    double operator()() {
        const std::clock_t before = std::exchange(last_, std::clock());
        return static_cast<double>(last_ - before) / CLOCKS_PER_SEC;
    }

private:
    std::clock_t last_ = std::clock();
};

double megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Of one call, in microseconds: as many as fill a tenth of a second.
double calc_microseconds(const numeric::CompiledEquations::Function& f, std::span<const double> in, std::span<double> out) {
    Clock clock;
    double total = 0;
    long calls = 0;
    while (total < 0.1) {
        for (int i = 0; i < 8; ++i) f(in, out);
        calls += 8;
        total += clock();
    }
    return total / static_cast<double>(calls) * 1e6;
}

int measure(const std::string& path) {
    Clock clock;
    model::Reading reading = model::read_file(path);
    if (!reading.model) return std::cerr << to_string(reading.problems), 2;
    const double read = clock();
    const topology::Analysis analysis = topology::analyse(*reading.model);
    if (!analysis.topology) return std::cerr << to_string(analysis.problems), 2;
    const double graph = clock();
    const formulation::Derived derived = formulation::recursive::derive(*reading.model, *analysis.topology, {.only_accelerations = true});
    if (!derived.equations) return std::cerr << to_string(derived.problems), 2;
    const double derive = clock();
    const eom::EquationsOfMotion& e = *derived.equations;
    const numeric::CompiledEquations numbers(e, jit::native());
    const numeric::AssembledState start = assemble(numbers, numeric::wanted(numbers));
    const double place = clock();
    motion::SimulateOptions options;
    options.tolerance = 1e-6;
    options.times = {0, 1e-3};
    const motion::Motion first = simulate(numbers, start.state, options);
    const double step = clock(), memory = megabytes();
    options.times.back() = 1;
    const motion::Motion second = simulate(numbers, start.state, options);
    const double motion = clock();
    const std::vector<sym::Expr> a = eom::accelerations(e);
    const numeric::CompiledEquations::Function straight = numbers.compile(a);  // every body written out
    const double compile = clock();
    const numeric::CompiledEquations::Function accelerations = numbers.compile_when_used(a);  // as motions have it
    const double roll = clock();
    const std::size_t operations = numbers.lower(a).lines.size();
    const Eigen::VectorXd in = arguments(numbers.layout(), start.state);
    Eigen::VectorXd out(static_cast<Eigen::Index>(e.u.size()));
    const std::span<const double> from{in.data(), static_cast<std::size_t>(in.size())};
    const std::span<double> to{out.data(), static_cast<std::size_t>(out.size())};
    const double call_straight = calc_microseconds(straight, from, to);
    const Eigen::VectorXd expected = out;
    const double call = calc_microseconds(accelerations, from, to), difference = (out - expected).norm() / expected.norm();
    // the two round differently
    if (!(difference < 1e-9)) return std::cerr << "growth_bench: accelerations written out differ by " << difference << '\n', 1;
    const double whole = read + graph + derive + place + step;
    fmt::print(
        R"({{"bodies": {}, "read": {:.4g}, "derive": {:.4g}, "first": {:.4g}, "whole": {:.4g}, "megabytes": {:.4g}, "compile": {:.4g}, )"
        R"("roll": {:.4g}, "straight": {:.4g}, "call": {:.4g}, "difference": {:.2g}, "motion": {:.4g}, "evaluations": {}, "nodes": {}, )"
        R"("operations": {}}})"
        "\n",
        reading.model->bodies.size() - 1, read + graph, derive, place + step, whole, memory, compile, roll, call_straight, call, difference,
        motion, second.statistics.evaluations, e.pool->size(), operations);
    return first.stop == motion::Stop::reached && second.stop == motion::Stop::reached ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    if (count == 2) return measure(words[1]);
    std::cerr << "growth_bench MODEL\n";
    return 2;
}
