// Multiple scales: what the expansion costs, what the series and its steady states cost, beside one derivation of the equations.
//
//     perturb_bench [--json] [MODEL ...]

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/linear/equilibrium/operating.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/perturb/expansion.hpp"
#include "linkwright/perturb/modulation.hpp"

namespace {

using namespace linkwright;
using Clock = std::chrono::steady_clock;

/// The fastest of three runs, in seconds.
template <class Work>
double fastest(Work work) {
    double best = 1e9;
    for (int k = 0; k < 3; ++k) {
        const auto start = Clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
}

struct Figures {
    std::string name;
    unsigned degree = 0;
    std::size_t modes = 0, terms = 0;
    double derive = 0, expand = 0, scales = 0, steady = 0;
    double whole() const { return expand + scales + steady; }
};

Figures measure(const std::string& path, unsigned degree) {
    const model::Reading reading = model::read_file(path);
    if (!reading.model) throw std::runtime_error(path + " cannot be read");
    const auto topology = topology::analyse(*reading.model).topology.value();
    Figures f;
    f.degree = degree;
    // A derivation fills the model's own pool: each begins with a copy of the file.
    f.derive = fastest([&] {
        const model::Reading again = model::read_file(path);
        formulation::recursive::derive(*again.model, topology::analyse(*again.model).topology.value(), {});
    });
    const eom::EquationsOfMotion equations = formulation::recursive::derive(*reading.model, topology, {}).equations.value();
    f.name = equations.name;
    const numeric::CompiledEquations numbers(equations, jit::native());
    linear::Operating what;
    what.start = numbers.zero_state();
    const numeric::OperatingPoint at = linear::OperatingPoints(numbers, what).find();
    perturb::ExpansionOptions options;
    options.degree = degree;
    perturb::Expansion expansion;
    f.expand = fastest([&] { expansion = perturb::expand(numbers, at, options); });
    if (!expansion.is_ok) throw std::runtime_error(path + ": " + expansion.why);
    perturb::MultipleScales<double> scales;
    f.scales = fastest([&] { scales = perturb::multiple_scales(*expansion.numeric); });
    if (!scales.is_ok) throw std::runtime_error(path + ": " + scales.why);
    f.steady = fastest([&] { perturb::backbones(scales), perturb::steady_states(scales); });
    f.modes = scales.omega.size();
    for (const auto& mode : scales.solution) f.terms += mode.size();
    return f;
}

}  // namespace

int main(int argc, char** argv) {
    bool as_json = false;
    std::vector<std::pair<std::string, unsigned>> models;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--json") == 0)
            as_json = true;
        else
            models.emplace_back(argv[i], 3);
    }
    if (models.empty()) {
        const std::string root = LINKWRIGHT_ROOT "/models/";
        models = {{root + "double_pendulum/point_masses.toml", 3},
                  {root + "double_pendulum/point_masses.toml", 5},
                  {root + "spring_pendulum/model.toml", 3},
                  {root + "single_pendulum/model.toml", 5}};
    }
    if (as_json)
        fmt::print("[");
    else
        fmt::print("{:<32}{:>7}{:>7}{:>8}{:>12}{:>12}{:>12}{:>12}{:>8}\n", "model", "degree", "modes", "terms", "derive ms", "expand ms",
                   "scales ms", "steady ms", "ratio");
    for (std::size_t k = 0; k < models.size(); ++k) {
        const Figures f = measure(models[k].first, models[k].second);
        if (as_json) {
            fmt::print(
                "{}{{\"model\":\"{}\",\"degree\":{},\"modes\":{},\"terms\":{},\"derive\":{:.6g},\"expand\":{:.6g},\"scales\":{:.6g},"
                "\"steady\":{:.6g}}}",
                k == 0 ? "" : ",\n", f.name, f.degree, f.modes, f.terms, f.derive, f.expand, f.scales, f.steady);
        } else {
            fmt::print("{:<32}{:>7}{:>7}{:>8}{:>12.2f}{:>12.2f}{:>12.2f}{:>12.2f}{:>8.1f}\n", f.name, f.degree, f.modes, f.terms,
                       1e3 * f.derive, 1e3 * f.expand, 1e3 * f.scales, 1e3 * f.steady, f.whole() / f.derive);
        }
    }
    if (as_json) fmt::print("]\n");
}
