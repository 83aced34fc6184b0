// The chain of chain.hpp in GiNaC, as its manual would write it: plain expressions, diff, subs with no_pattern.
// Every run has fresh symbols, so nothing is remembered from the run before.

#include <benchmark/benchmark.h>
#include <ginac/ginac.h>

#include <map>
#include <string_view>

#include "chain.hpp"

namespace {

using GiNaC::ex;
using Links = std::vector<bench::Link<ex>>;

struct Chain {
    Links links;
    std::vector<ex> symbols;  // by number
    ex energy() const { return bench::kinetic_energy<ex>(links); }
    std::vector<ex> variables() const { return bench::variables<ex>(links); }
};

Chain make_chain(int n) {
    Chain chain;
    chain.links = bench::make_chain<ex>(n, [&](const std::string& name, bench::Kind, int) {
        chain.symbols.emplace_back(GiNaC::symbol(name));
        return chain.symbols.back();
    });
    return chain;
}

std::vector<ex> gradient(const ex& e, const std::vector<ex>& variables) {
    std::vector<ex> out;
    for (const ex& x : variables) out.push_back(e.diff(GiNaC::ex_to<GiNaC::symbol>(x)));
    return out;
}

/// All ∂²T/∂x∂y: the rows are the derivatives of T.
std::vector<ex> jacobian(const std::vector<ex>& rows, const std::vector<ex>& variables) {
    std::vector<ex> out;
    for (const ex& row : rows) {
        for (const ex& x : gradient(row, variables)) out.push_back(x);
    }
    return out;
}

GiNaC::exmap numbers_for_parameters(const Chain& chain) {
    GiNaC::exmap map;
    for (std::size_t k = 0; k < chain.symbols.size(); ++k) {
        if (k % bench::symbols_per_link < 2) continue;
        map[chain.symbols[k]] = GiNaC::numeric(bench::thousandths(static_cast<int>(k)), 1000);
    }
    return map;
}

/// q_i = s_i − s_{i−1}: relative angles by absolute ones.
GiNaC::exmap differences_for_coordinates(const Chain& chain) {
    GiNaC::exmap map;
    ex before = 0;
    for (const auto& link : chain.links) {
        const ex angle = GiNaC::symbol("s");
        map[link.q] = angle - before;
        before = angle;
    }
    return map;
}

std::vector<ex> substituted(const std::vector<ex>& roots, const GiNaC::exmap& map) {
    std::vector<ex> out;
    for (const ex& e : roots) out.push_back(e.subs(map, GiNaC::subs_options::no_pattern));
    return out;
}

/// ∂²T/∂u_i∂u_j, lower triangle.
std::vector<ex> mass_matrix(const Chain& chain) {
    const ex T = chain.energy();
    std::vector<ex> out;
    for (std::size_t i = 0; i < chain.links.size(); ++i) {
        const ex momentum = T.diff(GiNaC::ex_to<GiNaC::symbol>(chain.links[i].u));
        for (std::size_t j = 0; j <= i; ++j) {
            out.push_back(momentum.diff(GiNaC::ex_to<GiNaC::symbol>(chain.links[j].u)));
        }
    }
    return out;
}

void build(benchmark::State& state) {
    for (auto _ : state) {
        const Chain chain = make_chain(static_cast<int>(state.range(0)));
        benchmark::DoNotOptimize(chain.energy());
    }
}

void build_and_differentiate(benchmark::State& state) {
    for (auto _ : state) {
        const Chain chain = make_chain(static_cast<int>(state.range(0)));
        benchmark::DoNotOptimize(gradient(chain.energy(), chain.variables()));
    }
}

void jacobian_of_derivatives(benchmark::State& state) {
    for (auto _ : state) {
        state.PauseTiming();
        const Chain chain = make_chain(static_cast<int>(state.range(0)));
        const std::vector<ex> variables = chain.variables(), rows = gradient(chain.energy(), variables);
        state.ResumeTiming();
        benchmark::DoNotOptimize(jacobian(rows, variables));
    }
}

template <GiNaC::exmap (*make_map)(const Chain&)>
void substitute(benchmark::State& state) {
    for (auto _ : state) {
        state.PauseTiming();
        const Chain chain = make_chain(static_cast<int>(state.range(0)));
        const std::vector<ex> roots = gradient(chain.energy(), chain.variables());
        const GiNaC::exmap map = make_map(chain);
        state.ResumeTiming();
        benchmark::DoNotOptimize(substituted(roots, map));
    }
}

/// Expanded and reduced by sin² = 1 − cos²; higher powers of a sine do not occur in M.
ex normal_form_of(const ex& e, const Chain& chain) {
    GiNaC::exmap squares;
    for (const auto& link : chain.links) squares[pow(sin(link.q), 2)] = 1 - pow(cos(link.q), 2);
    return e.expand().subs(squares, GiNaC::subs_options::no_pattern).expand();
}

void normal_form(benchmark::State& state) {
    for (auto _ : state) {
        state.PauseTiming();
        const Chain chain = make_chain(static_cast<int>(state.range(0)));
        const std::vector<ex> entries = mass_matrix(chain);
        state.ResumeTiming();
        for (const ex& e : entries) benchmark::DoNotOptimize(normal_form_of(e, chain));
    }
}

/// Numbers for symbols, each different subexpression once; subs and evalf would walk the whole tree.
double value(const ex& e, std::map<ex, double, GiNaC::ex_is_less>& known) {
    if (const auto found = known.find(e); found != known.end()) return found->second;
    double result = 0;
    if (GiNaC::is_a<GiNaC::numeric>(e)) {
        result = GiNaC::ex_to<GiNaC::numeric>(e).to_double();
    } else if (GiNaC::is_a<GiNaC::add>(e)) {
        for (const ex& term : e) result += value(term, known);
    } else if (GiNaC::is_a<GiNaC::mul>(e)) {
        result = 1;
        for (const ex& factor : e) result *= value(factor, known);
    } else if (GiNaC::is_a<GiNaC::power>(e)) {
        result = std::pow(value(e.op(0), known), value(e.op(1), known));
    } else if (GiNaC::is_the_function<GiNaC::sin_SERIAL>(e)) {
        result = std::sin(value(e.op(0), known));
    } else if (GiNaC::is_the_function<GiNaC::cos_SERIAL>(e)) {
        result = std::cos(value(e.op(0), known));
    } else {
        throw std::logic_error("no value for a part of the chain");
    }
    known.emplace(e, result);
    return result;
}

void print_values() {
    for (const int n : {3, 6}) {
        const Chain chain = make_chain(n);
        std::map<ex, double, GiNaC::ex_is_less> known;
        for (std::size_t k = 0; k < chain.symbols.size(); ++k) {
            known[chain.symbols[k]] = bench::value_of(static_cast<int>(k));
        }
        const ex T = chain.energy();
        const std::vector<ex> derivatives = gradient(T, chain.variables());
        std::vector<double> values{value(T, known)};
        for (const ex& e : derivatives) values.push_back(value(e, known));
        bench::print_values("ginac", "energy", n, values);
        if (n != 3) continue;
        values.clear();
        for (const ex& e : jacobian(derivatives, chain.variables())) values.push_back(value(e, known));
        bench::print_values("ginac", "jacobian", n, values);
        values.clear();
        for (const ex& e : mass_matrix(chain)) {
            const ex form = normal_form_of(e, chain);
            values.push_back(GiNaC::is_a<GiNaC::add>(form) ? static_cast<double>(form.nops()) : 1);
        }
        bench::print_values("ginac", "terms", n, values);
    }
}

}  // namespace

BENCHMARK(build)->Arg(3)->Arg(6)->Arg(12)->Unit(benchmark::kMillisecond);
BENCHMARK(build_and_differentiate)->Arg(3)->Arg(6)->Unit(benchmark::kMillisecond);
BENCHMARK(build_and_differentiate)->Arg(12)->Iterations(1)->Repetitions(2)->Unit(benchmark::kMillisecond);
BENCHMARK(jacobian_of_derivatives)->Arg(3)->Arg(6)->Unit(benchmark::kMillisecond);
BENCHMARK(substitute<numbers_for_parameters>)->Name("substitute_numbers")->Arg(3)->Arg(6)->Unit(benchmark::kMillisecond);
BENCHMARK(substitute<differences_for_coordinates>)->Name("substitute_angles")->Arg(3)->Arg(6)->Unit(benchmark::kMillisecond);
BENCHMARK(normal_form)->Arg(3)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--values") {
        print_values();
        return 0;
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
