// Linear models of large mechanisms: what the graph costs, what its code costs, and how long one evaluation takes beside forward
// dynamics.
//
//     linearize_bench [--json] [MODEL ...]

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/linear/linearize.hpp"
#include "linkwright/model/read.hpp"

namespace {

using namespace linkwright;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The fastest of several runs of `work`, in seconds for one.
template <class Work>
double fastest(Work work) {
    work();
    double best = 1e9;
    for (int k = 0; k < 7; ++k) {
        int n = 0;
        const auto start = Clock::now();
        while (seconds_since(start) < 0.02) work(), ++n;
        best = std::min(best, seconds_since(start) / n);
    }
    return best;
}

struct Figures {
    std::string name;
    std::size_t freedoms = 0, entries = 0;
    double derive = 0, graph = 0, code = 0, matrices = 0, whole = 0, dynamics = 0;
};

Figures measure(const std::string& path) {
    const model::Reading reading = model::read_file(path);
    if (!reading.model) throw std::runtime_error(path + " cannot be read");
    Figures f;
    auto start = Clock::now();
    const auto topology = topology::analyse(*reading.model).topology.value();
    const eom::EquationsOfMotion equations = formulation::recursive::derive(*reading.model, topology, {}).equations.value();
    f.derive = seconds_since(start);
    f.name = equations.name;
    f.freedoms = equations.u.size();
    const numeric::CompiledEquations numbers(equations, jit::native());

    start = Clock::now();
    const linear::LinearForm form = linear::linear_form(equations);
    f.graph = seconds_since(start);
    for (const auto* rows : {&form.M, &form.C, &form.K, &form.B, &form.N, &form.H, &form.G, &form.Phi, &form.D, &form.E, &form.F}) {
        for (const auto& row : *rows) {
            for (const sym::Expr& e : row) f.entries += e.is_literally(0) ? 0 : 1;
        }
    }
    start = Clock::now();
    const linear::Linearizer linearizer(numbers);
    f.code = seconds_since(start);  // the graph is there already: looked up, lowered, compiled

    numeric::State state = numbers.zero_state();
    for (Eigen::Index i = 0; i < state.u.size(); ++i) {
        state.u[i] = 0.3 * std::cos(1.7 * static_cast<double>(i));
        if (state.q.size() == state.u.size()) state.q[i] = 0.5 * std::sin(1.0 + static_cast<double>(i));
    }
    const numeric::OperatingPoint point = numeric::operating_point(numbers, state);
    f.matrices = fastest([&] { linearizer.evaluate(point); });
    f.whole = fastest([&] { linearizer(point, {.checks_rank = false}); });
    if (!equations.a.empty()) {
        const auto forward = numbers.compile(equations.a);
        std::vector<double> in(1 + static_cast<std::size_t>(state.q.size() + state.u.size() + state.w.size())), out(equations.a.size());
        Eigen::Map<Eigen::VectorXd>(in.data(), static_cast<Eigen::Index>(in.size())) << state.t, state.q, state.u, state.w;
        f.dynamics = fastest([&] { forward(in, out); });
    }
    return f;
}

}  // namespace

int main(int argc, char** argv) {
    bool as_json = false;
    std::vector<std::string> models;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--json") == 0)
            as_json = true;
        else
            models.emplace_back(argv[i]);
    }
    if (models.empty()) {
        for (const char* name : {"bench/models/iiwa7", "bench/models/chain12", "bench/models/chain30", "bench/models/tree30f"}) {
            models.push_back(fmt::format("{}/{}/model.toml", LINKWRIGHT_ROOT, name));
        }
    }
    if (as_json)
        fmt::print("[");
    else
        fmt::print("{:<28}{:>9}{:>9}{:>12}{:>12}{:>12}{:>14}{:>14}{:>14}{:>8}\n", "model", "freedoms", "entries", "derive ms", "graph ms",
                   "code ms", "matrices us", "with A us", "dynamics us", "ratio");
    for (std::size_t k = 0; k < models.size(); ++k) {
        const Figures f = measure(models[k]);
        const double ratio = f.dynamics > 0 ? f.matrices / f.dynamics : 0;
        if (as_json) {
            fmt::print(
                "{}{{\"model\":\"{}\",\"freedoms\":{},\"entries\":{},\"derive\":{:.6g},\"graph\":{:.6g},\"code\":{:.6g},\"matrices\":{:.6g}"
                ",\"whole\":{:.6g},\"dynamics\":{:.6g}}}",
                k == 0 ? "" : ",\n", f.name, f.freedoms, f.entries, f.derive, f.graph, f.code, f.matrices, f.whole, f.dynamics);
        } else {
            fmt::print("{:<28}{:>9}{:>9}{:>12.1f}{:>12.1f}{:>12.1f}{:>14.2f}{:>14.2f}{:>14.3f}{:>8.1f}\n", f.name, f.freedoms, f.entries,
                       1e3 * f.derive, 1e3 * f.graph, 1e3 * f.code, 1e6 * f.matrices, 1e6 * f.whole, 1e6 * f.dynamics, ratio);
        }
    }
    if (as_json) fmt::print("]\n");
}
