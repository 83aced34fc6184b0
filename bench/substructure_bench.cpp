// What repeated chains cost: a satellite with k arms of three links each, accelerations and inverse dynamics, every arm written out and
// with routines. Time to derive, nodes, lines, bytes of C, gcc's time, time of a call.
//
//     substructure_bench [--no-gcc] [k ...]
//
// Times are seconds of the processor, the least of several runs.

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "linkwright/codegen/c/c.hpp"
#include "linkwright/codegen/routines.hpp"
#include "linkwright/formulation/finish.hpp"
#include "linkwright/formulation/recursive/passes.hpp"
#include "linkwright/formulation/recursive/substructures.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/interpreter.hpp"

namespace {

using namespace linkwright;
using program::Program;
using sym::Expr;

/// Of this process, or of those that it has waited for.
double processor_seconds(int who) {
    rusage used{};
    getrusage(who, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

template <class F>
double least_seconds(int runs, F f, int who = RUSAGE_SELF) {
    double least = 1e300;
    for (int i = 0; i < runs; ++i) {
        const double begin = processor_seconds(who);
        f();
        least = std::min(least, processor_seconds(who) - begin);
    }
    return least;
}

/// Arms around a bus, each a hinge, a swivel and a hinge.
std::string satellite(std::size_t arms) {
    std::string text = R"(
format = 1
name = "Satellite"
[inputs]
motor = 0.1
[[body]]
name = "bus"
mass = 300
inertia = [60, 70, 80]
com = [0.01, 0, 0.02]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "bus"
[[chain]]
name = "arm"
ports = ["root"]
set = { heading = 0 }
)";
    for (const char* link : {"a", "b", "c"}) {
        text += fmt::format("[[chain.body]]\nname = \"{}\"\nmass = 2\ninertia = [0.02, 0.1, 0.11]\ncom = [0.4, 0, 0.01]\n", link);
    }
    const auto joint = [&](const char* name, const char* parent, const char* child, const char* at, const char* axis) {
        text += fmt::format(
            "[[chain.joint]]\nname = \"{}\"\ntype = \"revolute\"\nparent = \"{}\"\nchild = \"{}\"\n{}axis = \"{}\"\nstiffness = 5\ndamping "
            "= 0.3\nactuator = \"motor\"\n",
            name, parent, child, at, axis);
    };
    joint("shoulder", "root", "a",
          "parent_at = [\"0.5*cos(heading)\", \"0.5*sin(heading)\", 0.1]\nparent_axes = { rotate = [\"z\"], by = [\"heading\"] }\n", "y");
    joint("elbow", "a", "b", "parent_at = [0.8, 0, 0]\n", "z");
    joint("wrist", "b", "c", "parent_at = [0.8, 0, 0]\n", "y");
    for (std::size_t i = 0; i < arms; ++i) {
        text += fmt::format("[[instance]]\nof = \"arm\"\nname = \"n{}\"\nroot = \"bus\"\nset = {{ heading = {} }}\n", i,
                            6.283185307 * (static_cast<double>(i) + 0.3) / static_cast<double>(arms));
    }
    return text;
}

/// Both functions, and what they were made with.
struct Made {
    Program accelerations, inverse;
    std::shared_ptr<const program::Library> library;
    double derive = 0, lower = 0;  ///< seconds
    std::size_t nodes = 0;
};

std::vector<Expr> inputs_of(const model::Model& m, const kinematics::Mechanism& mechanism, sym::Pool& pool) {
    sym::Transplant put_in(pool);
    std::vector<Expr> list;
    for (const kinematics::Coordinate& c : mechanism.coordinates) list.push_back(put_in(c.q));
    for (const kinematics::Freedom& f : mechanism.freedoms) list.push_back(put_in(f.u));
    for (const kinematics::Freedom& f : mechanism.freedoms) list.push_back(put_in(f.udot));
    for (const model::Input& w : m.inputs) list.push_back(put_in(w.symbol));
    for (const model::Parameter& p : m.parameters) list.push_back(put_in(p.symbol));
    list.push_back(put_in(m.t));
    return list;
}

/// As the recursive formulation does it, without what else it derives.
Made written_out(const model::Model& m, const topology::Topology& topology, int runs) {
    Made r;
    std::vector<Expr> a, f, in;
    std::shared_ptr<sym::Pool> pool;
    r.derive = least_seconds(runs, [&] {
        const sym::PoolScope scope(*m.pool);
        const formulation::System system = formulation::set_up(m, topology);
        const formulation::recursive::Task given = formulation::recursive::task(system);
        pool = formulation::pool_with_symbols(system);
        const formulation::recursive::Task task = copy(given, *pool);
        const sym::PoolScope inner(*pool);
        std::vector<Expr> udot;
        for (const auto& freedom : task.freedoms) udot.push_back(freedom.udot);
        a = forward_dynamics(task);
        f = inverse_dynamics(task, udot);
        in = inputs_of(m, system.mechanism, *pool);
    });
    r.nodes = pool->size();
    r.lower = least_seconds(runs, [&] {
        r.accelerations = program::lower(a, in);
        r.inverse = program::lower(f, in);
    });
    return r;
}

std::optional<Made> with_routines(const model::Model& m, const topology::Topology& topology, int runs) {
    Made r;
    std::optional<eom::Substructures> chains;
    r.derive = least_seconds(runs, [&] { chains = formulation::recursive::substructures(m, topology); });
    if (!chains) return std::nullopt;
    std::set<const sym::Pool*> pools{chains->accelerations.pool.get(), chains->inverse.pool.get()};
    for (const eom::Routine& routine : chains->routines) pools.insert(routine.body.pool.get());
    for (const sym::Pool* pool : pools) r.nodes += pool->size();
    const sym::PoolScope scope(*m.pool);
    const formulation::System system = formulation::set_up(m, topology);
    const auto pool = formulation::pool_with_symbols(system);
    const std::vector<Expr> in = inputs_of(m, system.mechanism, *pool);
    r.lower = least_seconds(runs, [&] {
        const codegen::Routines routines = codegen::lower_routines(*chains, *pool);
        r.library = routines.library;
        r.accelerations = program::lower(routines.accelerations.values, in, routines.accelerations.calls, routines.library);
        r.inverse = program::lower(routines.inverse.values, in, routines.inverse.calls, routines.library);
    });
    return r;
}

/// Functions of one vector, printed as C.
std::string written(const Made& made) {
    codegen::Package package;
    package.name = package.identifier = "bench";
    package.arguments.resize(8);
    const auto function = [&](const std::string& name, const Program& program) {
        package.arguments.push_back({"x", "", false, std::vector<codegen::Entry>(program.inputs)});
        codegen::Result y{.name = "y", .about = "", .rows = program.outputs.size(), .at = {}};
        for (std::size_t k = 0; k < program.outputs.size(); ++k) y.at.push_back(k);
        return codegen::Function{name, name, {package.arguments.size() - 1}, {y}, program, program::count(program)};
    };
    if (made.library) {
        for (const program::Routine& routine : made.library->routines) package.routines.push_back(function(routine.name, routine.program));
    }
    package.functions = {function("accelerations", made.accelerations), function("inverse", made.inverse)};
    std::string text = codegen::c::write(package)[1].text;
    for (const char* name : {"accelerations", "inverse"}) {  // of the package they would not be the file's own
        const std::string head = fmt::format("static void bench_{}(const", name);
        if (const std::size_t at = text.find(head); at != std::string::npos) text.erase(at, 7);
    }
    return text.erase(0, text.find("#include <math.h>"));
}

using Native = void (*)(const double*, double*);
struct Compiled {
    double seconds = 0;
    void* handle = nullptr;
    Native function(const char* name) const { return reinterpret_cast<Native>(dlsym(handle, name)); }
};
Compiled compiled(const std::string& text, const std::filesystem::path& folder, const std::string& name) {
    const std::string source = (folder / (name + ".c")).string(), library = (folder / (name + ".so")).string();
    std::ofstream(source) << text;
    Compiled c;
    const std::string command = fmt::format("gcc -std=c99 -O2 -shared -fPIC -o '{}' '{}' -lm", library, source);
    c.seconds = least_seconds(
        1,
        [&] {
            if (std::system(command.c_str()) != 0) fmt::print("gcc failed on {}\n", source);
        },
        RUSAGE_CHILDREN);
    c.handle = dlopen(library.c_str(), RTLD_NOW);
    return c;
}

double per_call(Native f, const std::vector<double>& in, std::vector<double>& out) {
    const int calls = std::max(1, static_cast<int>(60000 / out.size()));
    return least_seconds(20,
                         [&] {
                             for (int i = 0; i < calls; ++i) f(in.data(), out.data());
                         }) /
           calls;
}

void tell(std::size_t k, const char* how, const Made& m, double gcc, double forward, double inverse) {
    fmt::print("| {:>2} | {:<11} | {:>7.2f} | {:>7.2f} | {:>7} | {:>7} | {:>7} | {:>8} | {:>6.2f} | {:>7.2f} | {:>7.2f} |\n", k, how,
               1e3 * m.derive, 1e3 * m.lower, m.nodes, program::length(m.accelerations), program::length(m.inverse), written(m).size(), gcc,
               1e6 * forward, 1e6 * inverse);
}

void measure(std::size_t k, bool with_gcc, const std::filesystem::path& folder) {
    model::Reading reading = model::read(satellite(k));
    if (!reading.model) throw std::runtime_error(reading.problems.front().what);
    const model::Model& m = *reading.model;
    const topology::Analysis analysis = topology::analyse(m);
    const int runs = k < 16 ? 9 : 3;
    const Made flat = written_out(m, *analysis.topology, runs);
    const std::optional<Made> called = with_routines(m, *analysis.topology, runs);
    std::mt19937_64 random(k);
    std::uniform_real_distribution<double> between(-1, 1);
    std::vector<double> in(flat.accelerations.inputs), a(flat.accelerations.outputs.size()), b(a.size());
    for (double& x : in) x = between(random);
    for (const bool is_called : {false, true}) {
        if (is_called && !called) {
            fmt::print("| {:>2} | routines    | none: no chain is there twice\n", k);
            return;
        }
        const Made& made = is_called ? *called : flat;
        double gcc = std::nan(""), forward = gcc, inverse = gcc;
        if (with_gcc) {
            const Compiled c = compiled(written(made), folder, fmt::format("k{}_{}", k, is_called));
            gcc = c.seconds;
            forward = per_call(c.function("bench_accelerations"), in, is_called ? b : a);
            std::vector<double> r(a.size());
            inverse = per_call(c.function("bench_inverse"), in, r);
        }
        tell(k, is_called ? "routines" : "written out", made, gcc, forward, inverse);
    }
    double largest = 0, off = 0;
    for (std::size_t i = 0; with_gcc && i < a.size(); ++i)
        largest = std::max(largest, std::abs(a[i])), off = std::max(off, std::abs(a[i] - b[i]));
    if (off > 1e-9 * largest) fmt::print("accelerations differ by {} of {}\n", off, largest);
}

}  // namespace

int main(int argc, char** argv) {
    bool with_gcc = true;
    std::vector<std::size_t> sizes;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--no-gcc")
            with_gcc = false;
        else
            sizes.push_back(std::strtoull(argv[i], nullptr, 10));
    }
    if (sizes.empty()) sizes = {1, 2, 8, 64};
    char folder[] = "/tmp/substructure_XXXXXX";
    if (mkdtemp(folder) == nullptr) return 1;
    fmt::print(
        "|  k |             | derive ms | lower ms | nodes | lines forward | lines inverse | bytes of C | gcc s | forward µs | inverse µs "
        "|\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const std::size_t k : sizes) measure(k, with_gcc, folder);
    std::filesystem::remove_all(folder);
}
