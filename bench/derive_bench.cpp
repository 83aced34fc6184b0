// From a model file to finished equations: reading, topology, Kane's method. Every run reads anew, into a fresh pool,
// and frees it inside the measured time.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/present/present.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace {

using namespace linkwright;

struct Model {
    const char* name;
    const char* file;
};
constexpr Model models[] = {
    {"double_pendulum", "models/double_pendulum/model.toml"},
    {"triple_pendulum", "models/lynch_triple_pendulum/lynch.toml"},  // his input, read as he wrote it
    {"triple_pendulum_toml", "models/triple_pendulum/model.toml"},
    {"stanford_arm", "models/lynch_stanford_arm/lynch.toml"},
    {"stanford_arm_toml", "models/stanford_arm/model.toml"},
    {"stanford6", "bench/models/stanford6/model.toml"},
    {"puma6", "bench/models/puma6/model.toml"},
    {"iiwa7", "bench/models/iiwa7/model.toml"},
    {"chain12", "bench/models/chain12/model.toml"},
    {"chain30", "bench/models/chain30/model.toml"},
    {"tree30f", "bench/models/tree30f/model.toml"},
};

std::string path(const Model& model) { return std::string(LINKWRIGHT_ROOT "/") + model.file; }

/// n links as in bench/models/chain30: axes x, y, z in turn, full inertias, an actuator on every joint.
std::string chain_text(int n) {
    std::string text = "format = 1\nname = \"chain\"\ngravity = [0, 0, -9.81]\n\n[inputs]\n";
    for (int i = 1; i <= n; ++i) text += "tau" + std::to_string(i) + " = 0\n";
    for (int i = 1; i <= n; ++i) {
        const std::string number = std::to_string(i);
        text += "\n[[body]]\nname = \"b" + number + "\"\nmass = " + std::to_string(200 - 2 * (i % 30)) +
                "e-2\ncom = [0.01, 0.02, 0.15]\ninertia = [0.02, 0.021, 0.006, 0.0003, -0.0004, 0.0005]\n";
    }
    for (int i = 1; i <= n; ++i) {
        const std::string number = std::to_string(i);
        text += "\n[[joint]]\nname = \"q" + number + "\"\ntype = \"revolute\"\nparent = \"" +
                (i == 1 ? "ground" : "b" + std::to_string(i - 1)) + "\"\nchild = \"b" + number +
                "\"\nparent_at = [0.02, 0, 0.3]\naxis = \"" + "zxy"[i % 3] + "\"\nactuator = \"tau" + number + "\"\n";
    }
    return text;
}

eom::EquationsOfMotion derive(const model::Reading& reading) {
    const topology::Analysis analysis = topology::analyse(reading.model.value());
    return formulation::kane::derive(*reading.model, analysis.topology.value()).equations.value();
}

void note(benchmark::State& state, const eom::EquationsOfMotion& e) {
    state.counters["nodes"] = static_cast<double>(e.pool->size());
    state.counters["speeds"] = static_cast<double>(e.u.size());
}

void file_to_model(benchmark::State& state, const Model& model) {
    for (auto _ : state) {
        const model::Reading reading = model::read_file(path(model));
        benchmark::DoNotOptimize(&reading);
    }
}

void file_to_equations(benchmark::State& state, const Model& model) {
    for (auto _ : state) {
        const model::Reading reading = model::read_file(path(model));
        const eom::EquationsOfMotion e = derive(reading);
        note(state, e);
    }
}

/// Without the outputs of the file (a tip's path, reactions): what other systems are asked for.
void file_to_bare_equations(benchmark::State& state, const Model& model) {
    for (auto _ : state) {
        model::Reading reading = model::read_file(path(model));
        reading.model->outputs.clear();
        const eom::EquationsOfMotion e = derive(reading);
        note(state, e);
    }
}

/// All of it, with every formula arranged to be read and set as text.
void file_to_page(benchmark::State& state, const Model& model) {
    for (auto _ : state) {
        const model::Reading reading = model::read_file(path(model));
        const eom::EquationsOfMotion e = derive(reading);
        const std::string page = present::present(e, {});
        state.counters["characters"] = static_cast<double>(page.size());
        benchmark::DoNotOptimize(page);
    }
}

void read_chain(benchmark::State& state) {
    const std::string text = chain_text(static_cast<int>(state.range(0)));
    for (auto _ : state) {
        const model::Reading reading = model::read(text);
        benchmark::DoNotOptimize(&reading);
    }
}

void chain_to_equations(benchmark::State& state) {
    const std::string text = chain_text(static_cast<int>(state.range(0)));
    for (auto _ : state) {
        const model::Reading reading = model::read(text);
        const eom::EquationsOfMotion e = derive(reading);
        note(state, e);
    }
}

/// "linkwright kane model M… f…" at one state; kane_sympy.py has the same.
void print_values() {
    for (const Model& model : models) {
        const std::string_view name = model.name;
        if (name != "double_pendulum" && name != "triple_pendulum" && name != "stanford_arm") continue;
        const model::Reading reading = model::read_file(path(model));
        const eom::EquationsOfMotion e = derive(reading);
        std::vector<sym::Expr> roots;
        for (const auto& row : e.M) roots.insert(roots.end(), row.begin(), row.end());
        roots.insert(roots.end(), e.f.begin(), e.f.end());
        const auto value_of = [&](const sym::Expr& x) {
            for (std::size_t i = 0; i < e.q.size(); ++i) {
                if (x == e.q[i]) return 0.3 + 0.2 * static_cast<double>(i);
                if (x == e.u[i]) return 0.7 - 0.3 * static_cast<double>(i);
            }
            for (const eom::Parameter& p : e.parameters) {
                if (x == p.symbol) return p.value.number().to_double();
            }
            return 0.0;  // inputs
        };
        std::printf("linkwright kane %s", model.name);
        for (const double v : sym::evaluate<double>(std::span(std::as_const(roots)), value_of)) std::printf(" %.17g", v);
        std::printf("\n");
    }
}

}  // namespace

int main(int argc, char** argv) {
    // Keep freed memory: otherwise large pools pay the system for fresh pages in every run and small ones never do.
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    if (argc == 2 && std::string_view(argv[1]) == "--values") {
        print_values();
        return 0;
    }
    const auto add = [](const std::string& name, auto work, const Model& model) {
        benchmark::RegisterBenchmark((name + "/" + model.name).c_str(), work, model)->Unit(benchmark::kMillisecond);
    };
    for (const Model& model : models) {
        add("read", file_to_model, model);
        add("derive", file_to_equations, model);
        add("bare", file_to_bare_equations, model);
    }
    add("page", file_to_page, models[0]);
    add("page", file_to_page, models[1]);
    for (auto* chain :
         {benchmark::RegisterBenchmark("read_chain", read_chain), benchmark::RegisterBenchmark("derive_chain", chain_to_equations)}) {
        for (const int n : {10, 20, 50, 100, 200}) chain->Arg(n)->Unit(benchmark::kMillisecond);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
