// The chain of chain.hpp in Linkwright: time, nodes made, memory, throughput, and what folding saves.
// Every run has a fresh pool, made and freed inside the measured time unless it is only set-up.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <string_view>

#include "chain.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/normal_form.hpp"
#include "linkwright/sym/substitute.hpp"

namespace {

using linkwright::sym::Binding;
using linkwright::sym::Expr;
using linkwright::sym::Op;
using linkwright::sym::Pool;
using linkwright::sym::PoolScope;
using linkwright::sym::Rational;
using linkwright::sym::Role;

std::vector<bench::Link<Expr>> make_links(Pool& pool, int n, const std::string& prefix = "") {
    return bench::make_chain<Expr>(n, [&](const std::string& name, bench::Kind kind, int) {
        const Role role = kind == bench::Kind::coordinate ? Role::coordinate : kind == bench::Kind::speed ? Role::speed : Role::parameter;
        return pool.symbol(prefix + name, role);
    });
}

struct Chain {
    Pool pool;
    PoolScope scope{pool};
    const std::vector<bench::Link<Expr>> links;

    explicit Chain(int n, bool fold = true) : pool({.fold = fold}), links(make_links(pool, n)) {}
    explicit Chain(const benchmark::State& state) : Chain(static_cast<int>(state.range(0)), state.range(1) != 0) {}

    Expr energy() const { return bench::kinetic_energy<Expr>(links); }
    std::vector<Expr> variables() const { return bench::variables<Expr>(links); }
};

// The two ways to the same 2n derivatives.
std::vector<Expr> by_reverse(const Expr& T, std::span<const Expr> variables) { return gradient(T, variables); }
std::vector<Expr> by_forward(const Expr& T, std::span<const Expr> variables) {
    std::vector<Expr> out;
    for (const Expr& x : variables) out.push_back(derivative(T, x));
    return out;
}

std::vector<Binding> numbers_for_parameters(const Chain& chain) {
    std::vector<Binding> out;
    for (const auto& info : chain.pool.symbols()) {
        if (info.role != Role::parameter) continue;
        const int k = static_cast<int>(&info - chain.pool.symbols().data());
        out.emplace_back(Expr(const_cast<Pool&>(chain.pool), info.node), Rational(bench::thousandths(k), 1000));
    }
    return out;
}

/// q_i = s_i − s_{i−1}: relative angles by absolute ones.
std::vector<Binding> differences_for_coordinates(const Chain& chain) {
    std::vector<Binding> out;
    Expr before = 0;
    for (const auto& link : chain.links) {
        const Expr angle = linkwright::sym::symbol(bench::numbered("s", out.size() + 1), Role::coordinate);
        out.emplace_back(link.q, angle - before);
        before = angle;
    }
    return out;
}

std::size_t heap_in_use() {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// Nodes and bytes of a pool, as counters of the run; `work` is what the benchmark times.
template <class Work>
void count(benchmark::State& state, Work work) {
    const std::size_t heap_before = heap_in_use();
    const Chain chain(state);
    const auto result = work(chain);
    benchmark::DoNotOptimize(result);
    const auto nodes = static_cast<double>(chain.pool.size());
    state.counters["nodes"] = nodes;
    state.counters["calls"] = static_cast<double>(chain.pool.statistics().calls);
    state.counters["pool_bytes_per_node"] = static_cast<double>(chain.pool.bytes()) / nodes;
    state.counters["heap_bytes_per_node"] = static_cast<double>(heap_in_use() - heap_before) / nodes;
}

void build(benchmark::State& state) {
    const auto work = [](const Chain& chain) { return chain.energy(); };
    for (auto _ : state) {
        const Chain chain(state);
        benchmark::DoNotOptimize(work(chain));
    }
    count(state, work);
}

template <std::vector<Expr> (*differentiate)(const Expr&, std::span<const Expr>)>
void build_and_differentiate(benchmark::State& state) {
    const auto work = [](const Chain& chain) { return differentiate(chain.energy(), chain.variables()); };
    for (auto _ : state) {
        const Chain chain(state);
        benchmark::DoNotOptimize(work(chain));
    }
    count(state, work);
}

/// How the cost of a node depends on the length of its chain: 96 links in one pool, as 32 chains of 3, 16 of 6, 8 of
/// 12, 4 of 24. One short chain alone would only show that it fits the caches.
void equal_links(benchmark::State& state) {
    constexpr int links_in_all = 96;
    const auto n = static_cast<int>(state.range(0));
    for (auto _ : state) {
        Pool pool;
        const PoolScope scope(pool);
        for (int i = 0; i < links_in_all; i += n) {
            const auto links = make_links(pool, n, bench::numbered("chain", static_cast<std::size_t>(i)));
            const std::vector<Expr> x = bench::variables<Expr>(links);
            benchmark::DoNotOptimize(by_reverse(bench::kinetic_energy<Expr>(links), x));
        }
        state.counters["nodes"] = static_cast<double>(pool.size());
    }
}

/// `act(chain, derivatives)` is timed on a pool that holds T and its derivatives already.
template <class Act>
void on_derivatives(benchmark::State& state, Act act) {
    std::size_t made = 0;
    for (auto _ : state) {
        state.PauseTiming();
        {
            const Chain chain(state);
            const std::vector<Expr> derivatives = by_reverse(chain.energy(), chain.variables());
            const std::size_t before = chain.pool.size();
            state.ResumeTiming();
            benchmark::DoNotOptimize(act(chain, derivatives));
            state.PauseTiming();
            made = chain.pool.size() - before;
        }
        state.ResumeTiming();
    }
    state.counters["nodes"] = static_cast<double>(made);
}

void jacobian_of_derivatives(benchmark::State& state) {
    on_derivatives(state, [](const Chain& chain, const std::vector<Expr>& rows) { return jacobian(rows, chain.variables()); });
}

template <std::vector<Binding> (*make_bindings)(const Chain&)>
void substitute(benchmark::State& state) {
    on_derivatives(state, [](const Chain& chain, const std::vector<Expr>& roots) {
        const std::vector<Binding> bindings = make_bindings(chain);
        linkwright::sym::Substitution replace(bindings);
        std::vector<Expr> out;
        for (const Expr& e : roots) out.push_back(replace(e));
        return out;
    });
}

/// ∂²T/∂u_i∂u_j, lower triangle.
std::vector<Expr> mass_matrix(const Chain& chain) {
    std::vector<Expr> u, out;
    for (const auto& link : chain.links) u.push_back(link.u);
    const std::vector<Expr> momenta = gradient(chain.energy(), u);
    for (std::size_t i = 0; i < u.size(); ++i) {
        const std::vector<Expr> row = gradient(momenta[i], u);
        out.insert(out.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    return out;
}

void normal_form(benchmark::State& state) {
    const Chain chain(state);
    const std::vector<Expr> entries = mass_matrix(chain);
    for (auto _ : state) {
        Pool plain({.fold = false});
        for (const Expr& e : entries) benchmark::DoNotOptimize(linkwright::sym::normal_form(e, plain));
    }
}

/// Build calls that find their node there: the chain's energy, again and again in one pool.
void existing_calls(benchmark::State& state) {
    const Chain chain(state);
    benchmark::DoNotOptimize(chain.energy());
    const std::uint64_t before = chain.pool.statistics().calls;
    const std::size_t nodes = chain.pool.size();
    for (auto _ : state) benchmark::DoNotOptimize(chain.energy());
    const std::uint64_t calls = chain.pool.statistics().calls - before;
    if (chain.pool.size() != nodes) state.SkipWithError("building again made new nodes");
    state.counters["per_second"] = benchmark::Counter(static_cast<double>(calls), benchmark::Counter::kIsRate);
}

/// Nothing but new nodes: products and sums of all pairs of 400 symbols and of what they make, 200 000 calls.
void new_nodes(benchmark::State& state) {
    constexpr std::size_t symbols = 400, wanted = 200'000;
    double nodes = 0, bytes = 0;
    for (auto _ : state) {
        Pool pool({.fold = state.range(1) != 0});
        std::vector<Expr> known;
        known.reserve(wanted);
        for (std::size_t i = 0; i < symbols; ++i) known.push_back(pool.symbol(bench::numbered("x", i)));
        for (std::size_t i = 1; known.size() < wanted; ++i) {
            for (std::size_t j = 0; j < i && known.size() < wanted; ++j) {
                known.push_back(i % 2 == 0 ? known[i] * known[j] : known[i] + known[j]);
            }
        }
        nodes = static_cast<double>(pool.size());
        bytes = static_cast<double>(pool.bytes());
    }
    state.counters["nodes"] = nodes;
    state.counters["pool_bytes_per_node"] = bytes / nodes;
    state.counters["per_second"] = benchmark::Counter(nodes, benchmark::Counter::kIsIterationInvariantRate);
}

// ------------------------------------------------------------------------------------------ figures that are not times

struct Operations {
    std::size_t products = 0, sums = 0, functions = 0;
};

Operations operations(std::span<const Expr> roots) {
    Operations count;
    for (const Expr& e : nodes_below(roots)) {
        if (e.op() == Op::mul || e.op() == Op::pow) ++count.products;
        if (e.op() == Op::add) ++count.sums;
        if (e.op() > Op::pow) ++count.functions;
    }
    return count;
}

/// "folding n on|off products sums functions nodes-in-pool", for T and its derivatives together.
void print_folding() {
    for (const int n : {3, 6, 12, 24}) {
        for (const bool fold : {true, false}) {
            const Chain chain(n, fold);
            std::vector<Expr> roots{chain.energy()};
            for (const Expr& e : by_reverse(roots[0], chain.variables())) roots.push_back(e);
            const Operations count = operations(roots);
            std::printf("folding %d %s %zu %zu %zu %zu\n", n, fold ? "on" : "off", count.products, count.sums, count.functions,
                        chain.pool.size());
        }
    }
}

std::vector<double> values_of(const std::vector<Expr>& roots) {
    return linkwright::sym::evaluate<double>(std::span(roots), [](const Expr& e) { return bench::value_of(static_cast<int>(e.node().a)); });
}

void print_values() {
    for (const int n : {3, 6, 12, 24}) {
        bench::print_values("complex-step", "energy", n, bench::numeric_values(n));
        for (const bool fold : {true, false}) {
            const Chain chain(n, fold);
            const Expr T = chain.energy();
            const std::vector<Expr> x = chain.variables(), reverse = by_reverse(T, x), forward = by_forward(T, x);
            const auto print = [&](const char* name, const std::vector<Expr>& derivatives) {
                std::vector<Expr> roots{T};
                roots.insert(roots.end(), derivatives.begin(), derivatives.end());
                bench::print_values(name, "energy", n, values_of(roots));
            };
            print(fold ? "linkwright-reverse" : "linkwright-reverse-unfolded", reverse);
            print(fold ? "linkwright-forward" : "linkwright-forward-unfolded", forward);
            if (n != 3) continue;
            std::vector<Expr> full(x.size() * x.size(), Expr(0));
            for (const auto& [row, column, value] : jacobian(reverse, x).entries) full[row * x.size() + column] = value;
            bench::print_values(fold ? "linkwright" : "linkwright-unfolded", "jacobian", n, values_of(full));
            std::vector<double> terms;
            Pool plain({.fold = false});
            for (const Expr& e : mass_matrix(chain)) {
                terms.push_back(static_cast<double>(linkwright::sym::normal_form(e, plain)->numerator.size()));
            }
            bench::print_values(fold ? "linkwright" : "linkwright-unfolded", "terms", n, terms);
        }
    }
}

void every_size(benchmark::internal::Benchmark* b) { b->ArgsProduct({{3, 6, 12, 24}, {1, 0}})->Unit(benchmark::kMillisecond); }
void largest_size(benchmark::internal::Benchmark* b) { b->ArgsProduct({{24}, {1, 0}})->Unit(benchmark::kMillisecond); }

}  // namespace

// Arguments: number of links, folding on (1) or off (0).
BENCHMARK(build)->Apply(every_size);
BENCHMARK(build_and_differentiate<by_reverse>)->Name("build_and_differentiate")->Apply(every_size);
BENCHMARK(build_and_differentiate<by_forward>)->Name("build_and_differentiate_forward")->Apply(every_size);
BENCHMARK(jacobian_of_derivatives)->Apply(every_size);
BENCHMARK(substitute<numbers_for_parameters>)->Name("substitute_numbers")->Apply(every_size);
BENCHMARK(substitute<differences_for_coordinates>)->Name("substitute_angles")->Apply(every_size);
BENCHMARK(normal_form)->ArgsProduct({{3}, {1, 0}})->Unit(benchmark::kMillisecond);
BENCHMARK(equal_links)->Arg(3)->Arg(6)->Arg(12)->Arg(24)->Unit(benchmark::kMillisecond);
BENCHMARK(existing_calls)->Apply(largest_size);
BENCHMARK(new_nodes)->Apply(largest_size);

int main(int argc, char** argv) {
    // Keep freed memory: otherwise long chains pay the system for fresh pages in every run and short ones never do.
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    if (argc == 2 && std::string_view(argv[1]) == "--values") {
        print_values();
        print_folding();
        return 0;
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
