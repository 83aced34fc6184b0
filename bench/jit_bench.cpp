// How good native code is: accelerations of the models in bench/models by the interpreter, by our compiler, and by gcc from
// the same lines printed as C. Then what compiling costs, for programs of up to 300 000 lines.
//
//     jit_bench [--kane] [--no-gcc] [--registers 16] [model ...]
//
// Times are the least of many short runs, taken in turn, so that a busy machine disturbs all alike.

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/parallel.hpp"

namespace {

using namespace linkwright;
using program::Op;
using program::Program;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Seconds per call of each function, taken in turn.
std::vector<double> least_times(const std::vector<std::function<void()>>& functions, int rounds = 60) {
    std::vector<double> best(functions.size(), 1e9);
    std::vector<int> repeats;
    for (const auto& f : functions) {
        int n = 1;
        for (;; n *= 2) {
            const auto begin = Clock::now();
            for (int k = 0; k < n; ++k) f();
            if (seconds_since(begin) > 5e-4) break;
        }
        repeats.push_back(n);
    }
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < functions.size(); ++i) {
            const auto begin = Clock::now();
            for (int k = 0; k < repeats[i]; ++k) functions[i]();
            best[i] = std::min(best[i], seconds_since(begin) / repeats[i]);
        }
    }
    return best;
}

/// u̇ of a model as a program in t, q, u, w; parameters have their values.
Program accelerations_of(const std::string& name, bool kane) {
    const model::Reading reading = model::read_file(fmt::format("{}/bench/models/{}/model.toml", LINKWRIGHT_ROOT, name));
    const topology::Analysis analysis = topology::analyse(reading.model.value());
    const auto derive = kane ? formulation::kane::derive : formulation::recursive::derive;
    const eom::EquationsOfMotion equations = derive(*reading.model, analysis.topology.value(), {}).equations.value();
    return numeric::CompiledEquations(equations).lower(eom::accelerations(equations));
}

/// The same lines as C, a double each.
std::string print_c(const Program& p) {
    std::string text = "#define _GNU_SOURCE\n#include <math.h>\nvoid f(const double *restrict x, double *restrict y) {\n";
    const auto value = [&](program::Index i) {
        if (i < p.inputs) return fmt::format("x[{}]", i);
        if (i < p.first_line()) return fmt::format("({:a})", p.constants[i - p.inputs]);
        return fmt::format("v{}", i - p.first_line());
    };
    for (std::size_t k = 0; k < p.lines.size(); ++k) {
        const auto& [op, args] = p.lines[k];
        const std::string a = value(args[0]), b = arity(op) > 1 ? value(args[1]) : "", c = arity(op) > 2 ? value(args[2]) : "";
        if (is_sincos(p, k)) {
            text += fmt::format("double v{}, v{}; sincos({}, &v{}, &v{});\n", k, k + 1, a, k, k + 1);
            ++k;
            continue;
        }
        std::string right;
        switch (op) {
            case Op::neg: right = "-" + a; break;
            case Op::add: right = a + " + " + b; break;
            case Op::sub: right = a + " - " + b; break;
            case Op::mul: right = a + " * " + b; break;
            case Op::div: right = a + " / " + b; break;
            case Op::abs: right = fmt::format("{} < 0 ? -{} : {}", a, a, a); break;
            case Op::sign: right = fmt::format("{} > 0 ? 1 : {} < 0 ? -1 : {}", a, a, a); break;
            case Op::min: right = fmt::format("{} < {} ? {} : {}", b, a, b, a); break;
            case Op::max: right = fmt::format("{} < {} ? {} : {}", a, b, b, a); break;
            case Op::select: right = fmt::format("{} > 0 ? {} : {}", a, b, c); break;
            default: right = fmt::format("{}({}{}{})", name(op), a, arity(op) > 1 ? ", " : "", b);
        }
        text += fmt::format("const double v{} = {};\n", k, right);
    }
    for (std::size_t k = 0; k < p.outputs.size(); ++k) text += fmt::format("y[{}] = {};\n", k, value(p.outputs[k]));
    return text + "}\n";
}

using Function = void (*)(const double*, double*);

/// Compiled by gcc and loaded; nothing when there is no gcc.
Function compile_c(const std::string& name, const std::string& text, double& seconds) {
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("jit_bench_{}", getpid());
    std::filesystem::create_directories(folder);
    const std::string source = folder / (name + ".c"), library = folder / (name + ".so");
    std::ofstream(source) << text;
    const auto begin = Clock::now();
    const std::string command = fmt::format("gcc -O3 -march=native -ffp-contract=fast -shared -fPIC -o {} {} -lm", library, source);
    const bool is_made = std::system(command.c_str()) == 0;
    seconds = seconds_since(begin);
    void* handle = is_made ? dlopen(library.c_str(), RTLD_NOW) : nullptr;
    const auto function = handle != nullptr ? reinterpret_cast<Function>(dlsym(handle, "f")) : nullptr;
    std::filesystem::remove_all(folder);
    return function;
}

#if defined(__x86_64__)
typedef double Four __attribute__((vector_size(32)));

/// 12 chains of fused products, so that latency does not matter. Operations (2 for each) per second.
__attribute__((target("avx2,fma"), noinline)) double vector_peak() {
    double best = 1e9;
    constexpr int turns = 100000;
    for (int round = 0; round < 20; ++round) {
        Four a[12];
        for (auto& x : a) x = Four{1, 2, 3, 4};
        const Four b = Four{0.5, 0.5, 0.5, 0.5};
        const auto begin = Clock::now();
        for (int k = 0; k < turns; ++k) {
            for (auto& x : a) asm("vfmadd213pd %1, %1, %0" : "+x"(x) : "x"(b));
        }
        best = std::min(best, seconds_since(begin));
        for (auto& x : a) asm volatile("" ::"x"(x));
    }
    return 12.0 * 4 * 2 * turns / best;
}
__attribute__((target("avx2,fma"), noinline)) double scalar_peak() {
    double best = 1e9;
    constexpr int turns = 100000;
    for (int round = 0; round < 20; ++round) {
        double a[12];
        for (auto& x : a) x = 1;
        const double b = 0.5;
        const auto begin = Clock::now();
        for (int k = 0; k < turns; ++k) {
            for (auto& x : a) asm("vfmadd213sd %1, %1, %0" : "+x"(x) : "x"(b));
        }
        best = std::min(best, seconds_since(begin));
        for (auto& x : a) asm volatile("" ::"x"(x));
    }
    return 12.0 * 2 * turns / best;
}
#else
double vector_peak() { return NAN; }
double scalar_peak() { return NAN; }
#endif

/// Sums, differences and products of recent values.
Program random_lines(std::size_t lines, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Program p{40, std::vector<double>(20, 0.7), {}, {}};
    for (std::size_t k = 0; k < lines; ++k) {
        const auto pick = [&] {
            const std::size_t known = p.values(), reach = random() % 4 == 0 ? known : 50;
            return static_cast<program::Index>(known - 1 - random() % std::min(reach, known));
        };
        const Op op = std::array{Op::add, Op::sub, Op::mul}[random() % 3];
        const auto a = pick(), b = pick();
        p.lines.push_back({op, {a, b, 0}});
    }
    for (std::size_t k = 0; k < 30; ++k) p.outputs.push_back(static_cast<program::Index>(p.values() - 1 - k));
    return p;
}

}  // namespace

int main(int argc, char** argv) {
    bool kane = false, with_gcc = true;
    jit::Options options;
    std::vector<std::string> models;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        if (arg == "--kane")
            kane = true;
        else if (arg == "--no-gcc")
            with_gcc = false;
        else if (arg == "--registers" && i + 1 < argc)
            options.registers = static_cast<unsigned>(std::atoi(argv[++i]));
        else
            models.push_back(arg);
    }
    if (models.empty()) models = {"stanford6", "puma6", "iiwa7", "chain12", "chain30", "tree30f"};
    if (const std::string why = jit::why_not(); !why.empty()) {
        fmt::print("{}\n", why);
        return 0;
    }
    const double scalar = scalar_peak(), vector = vector_peak();
    fmt::print("Peak of this core: {:.1f} GFLOP/s scalar FMA, {:.1f} GFLOP/s AVX2 FMA.\n\n", scalar / 1e9, vector / 1e9);
    fmt::print("u̇ by {}, ns per call\n", kane ? "Kane's equations and the factored M" : "the recursive formulation");
    fmt::print("{:10} {:>6} {:>4} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9} {:>10} {:>10} {:>9}\n", "model", "ops", "trig", "interpret", "scalar",
               "gcc", "scal/gcc", "batch", "% scalar", "% AVX2", "compile", "gcc takes");
    for (const std::string& model : models) {
        const Program p = accelerations_of(model, kane);
        const auto count = program::count(p);
        const auto begin = Clock::now();
        const auto code = jit::compile(p, options);
        const double compile_time = seconds_since(begin);
        const program::Interpreter interpreter(p);
        double gcc_time = NAN;
        const Function native = with_gcc ? compile_c(model, print_c(p), gcc_time) : nullptr;

        std::mt19937_64 random(1);
        constexpr std::size_t points = 4096;
        std::vector<double> in(points * p.inputs), out(points * p.outputs.size());
        for (double& x : in) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
        const std::span<const double> x(in.data(), p.inputs);
        const std::span<double> y(out.data(), p.outputs.size());
        // Sixteen states in turn: a loop over one state lets the processor learn too much.
        std::size_t k = 0;
        const auto next = [&] { return std::span<const double>(in).subspan(p.inputs * (k++ % 16), p.inputs); };
        std::vector<std::function<void()>> runs{[&] { interpreter(next(), y); }, [&] { (*code)(next(), y); },
                                                [&] { code->batch(points, in, out); }};
        if (native != nullptr) runs.emplace_back([&] { native(next().data(), y.data()); });
        const auto time = least_times(runs);
        const auto flops = static_cast<double>(count.add + count.mul + count.div + count.sqrt);
        const double gcc = native != nullptr ? time[3] : NAN, batch = time[2] / points;
        fmt::print("{:10} {:6} {:4} {:9.1f} {:8.1f} {:8.1f} {:8.2f} {:8.1f} {:8.0f}% {:9.0f}% {:7.2f} ms {:7.1f} s\n", model, count.total(),
                   count.sincos, 1e9 * time[0], 1e9 * time[1], 1e9 * gcc, time[1] / gcc, 1e9 * batch, 100 * flops / time[1] / scalar,
                   100 * flops / batch / vector, 1e3 * compile_time, gcc_time);
        std::fflush(stdout);
        // Numbers first, then their price: all ways agree.
        std::vector<double> a(p.outputs.size()), b(a), c(a);
        interpreter(x, a);
        (*code)(x, b);
        if (native != nullptr)
            native(x.data(), c.data());
        else
            c = b;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double size = 1e-7 * (1 + std::abs(a[i]));
            if (!(std::abs(a[i] - b[i]) < size && std::abs(a[i] - c[i]) < size)) {
                fmt::print("  output {} differs: interpreter {}, ours {}, gcc {}\n", i, a[i], b[i], c[i]);
                return 1;
            }
        }
    }

    fmt::print("\nRandom sums and products: ns per line\n{:>8} {:>9} {:>9} {:>9} {:>9}\n", "lines", "compile", "scalar", "batch",
               "interpret");
    for (const std::size_t lines : {1000, 10000, 100000, 300000}) {
        const Program p = random_lines(lines, 1);
        const program::Interpreter interpreter(p);
        double compile_time = 1e9;
        std::unique_ptr<program::Evaluator> code;
        for (int k = 0; k < 5; ++k) {
            Program copy = p;
            const auto begin = Clock::now();
            code = jit::compile(std::move(copy), options);
            compile_time = std::min(compile_time, seconds_since(begin));
        }
        std::vector<double> in(p.inputs * 64), out(p.outputs.size() * 64);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0.5 * std::sin(static_cast<double>(i));
        const std::span<const double> x(in.data(), p.inputs);
        const std::span<double> y(out.data(), p.outputs.size());
        const auto time = least_times({[&] { (*code)(x, y); }, [&] { code->batch(64, in, out); }, [&] { interpreter(x, y); }}, 10);
        const double each = 1e9 / static_cast<double>(lines);
        fmt::print("{:8} {:9.1f} {:9.3f} {:9.3f} {:9.3f}\n", lines, compile_time * each, time[0] * each, time[1] / 64 * each,
                   time[2] * each);
        std::fflush(stdout);
    }
    return 0;
}
