// Motion: the triple pendulum over 100 s, for SciPy to be laid beside; one second of Lynch's examples, beside his own
// figures.
//
//     simulate_bench --values           the pendulum's state after two seconds
//     simulate_bench --python DIR       the same equations for Python: the module we generate, and one function of
//     plain floats simulate_bench FILE.json RUNS     CPU times

#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "linkwright/codegen/python/python.hpp"
#include "linkwright/codegen/statements.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/motion/simulate.hpp"
#include "linkwright/numeric/assemble.hpp"

namespace {

using namespace linkwright;
using motion::Integrator;

constexpr double tolerance = 1e-9;        // relative and absolute
constexpr double lynch_tolerance = 1e-6;  // he does not print his

eom::EquationsOfMotion equations_of(const char* file) {
    const auto refuse = [&](const Diagnostics& problems) {
        for (const Diagnostic& d : problems) std::cerr << to_string(d) << '\n';
        throw std::runtime_error(std::string("no equations of ") + file);
    };
    const model::Reading reading = model::read_file(std::string(LINKWRIGHT_ROOT "/") + file);
    if (!reading.model) refuse(reading.problems);
    const topology::Analysis analysis = topology::analyse(*reading.model);
    if (!analysis.topology) refuse(analysis.problems);
    formulation::Derived derived = formulation::recursive::derive(*reading.model, *analysis.topology);
    if (!derived.equations) refuse(derived.problems);
    return std::move(*derived.equations);
}

constexpr const char* triple_pendulum = "models/triple_pendulum/model.toml";
constexpr const char* stanford_arm = "models/stanford_arm/model.toml";

std::vector<double> rows_until(double end, int rows) {
    std::vector<double> times;
    for (int k = 0; k <= rows; ++k) times.push_back(end * k / rows);
    return times;
}

/// Everything that is left to do once there are equations: native code, the first state, the motion.
motion::Motion motion_of(const eom::EquationsOfMotion& e, Integrator integrator, double until, int rows, double wanted) {
    const numeric::CompiledEquations numbers(e, jit::native());
    const numeric::AssembledState start = numeric::assemble(numbers, numeric::wanted(numbers));
    motion::SimulateOptions options;
    options.times = rows_until(until, rows);
    options.tolerance = options.absolute = wanted;
    options.integrator = integrator;
    if (!start.is_ok()) throw std::runtime_error(start.why);
    motion::Motion motion = motion::simulate(numbers, start.state, options);
    if (motion.stop != motion::Stop::reached) throw std::runtime_error(motion.why);
    return motion;
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

nlohmann::ordered_json time_motion(const eom::EquationsOfMotion& e, Integrator integrator, double until, int rows, double wanted,
                                   int runs) {
    nlohmann::ordered_json j;
    motion::Motion motion;
    for (int k = 0; k < runs; ++k) {
        const double before = cpu_seconds();
        motion = motion_of(e, integrator, until, rows, wanted);
        j["seconds"].push_back(cpu_seconds() - before);
        j["integrating"].push_back(motion.statistics.cpu_seconds);
    }
    j["steps"] = motion.statistics.steps;
    j["evaluations"] = motion.statistics.evaluations;
    j["energy_error"] = motion.statistics.energy_error;
    return j;
}

void print_values() {
    const eom::EquationsOfMotion e = equations_of(triple_pendulum);
    for (const auto& [name, integrator] : {std::pair("adams", Integrator::adams), std::pair("rk", Integrator::rk)}) {
        const motion::Motion motion = motion_of(e, integrator, 2, 1, 1e-12);
        fmt::print("linkwright-{} motion/triple_pendulum 2", name);
        for (std::size_t i = 1; i <= e.q.size() + e.u.size(); ++i) fmt::print(" {:.17g}", motion.rows.back()[static_cast<Eigen::Index>(i)]);
        fmt::print("\n");
    }
}

// ------------------------------------------------------------------------------------------------------------ for
// Python

/// rhs(t, x) with math.sin and floats throughout: what Python runs fastest one state at a time.
std::string plain_python(const eom::EquationsOfMotion& e) {
    std::vector<sym::Expr> outputs = e.qdot;
    const std::vector<sym::Expr> accelerations = eom::accelerations(e);
    outputs.insert(outputs.end(), accelerations.begin(), accelerations.end());
    const numeric::CompiledEquations numbers(e);
    codegen::Spelling spelling{.inputs = {"t"}, .number = codegen::shortest, .call = [](program::Op op, std::span<const std::string> args) {
                                   std::string list;
                                   for (const std::string& arg : args) list += (list.empty() ? "" : ", ") + arg;
                                   return fmt::format("{}({})", program::name(op), list);
                               }};
    std::string state;
    for (std::size_t i = 0; i < e.q.size() + e.u.size(); ++i) {
        spelling.inputs.push_back(fmt::format("x{}", i));
        state += fmt::format("x{}, ", i);
    }
    for (const eom::Input& input : e.inputs)
        spelling.inputs.push_back(fmt::format("({})", codegen::shortest(numbers.constant(input.value))));
    const codegen::Listing listing = codegen::write_statements(numbers.lower(outputs), spelling);
    std::string text = "from math import *\n\n\ndef rhs(t, x):\n    " + state.substr(0, state.size() - 2) + " = x.tolist()\n";
    for (const codegen::Statement& s : listing.statements) text += fmt::format("    {} = {}\n", s.name, s.value);
    text += "    return [";
    for (std::size_t i = 0; i < listing.outputs.size(); ++i) text += (i == 0 ? "" : ", ") + listing.outputs[i];
    return text + "]\n";
}

void write_python(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const eom::EquationsOfMotion e = equations_of(triple_pendulum);
    for (const codegen::File& file : codegen::python::write(codegen::make_package(e))) std::ofstream(folder / file.name) << file.text;
    std::ofstream(folder / "plain.py") << plain_python(e);
}

void write_times(const std::string& file, int runs) {
    nlohmann::ordered_json j;
    const eom::EquationsOfMotion pendulum = equations_of(triple_pendulum), arm = equations_of(stanford_arm);
    for (const auto& [name, integrator] : {std::pair("adams", Integrator::adams), std::pair("rk", Integrator::rk)}) {
        j["triple_pendulum"][name] = time_motion(pendulum, integrator, 100, 100, tolerance, runs);
        j["lynch_triple_pendulum"][name] = time_motion(pendulum, integrator, 1, 100, lynch_tolerance, 5 * runs);
        j["lynch_stanford_arm"][name] = time_motion(arm, integrator, 1, 100, lynch_tolerance, 5 * runs);
    }
    std::ofstream out(file);
    out << j.dump(1) << '\n';
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

int run(const std::vector<std::string>& words) {
    if (words.size() == 1 && words[0] == "--values") {
        print_values();
    } else if (words.size() == 2 && words[0] == "--python") {
        write_python(words[1]);
    } else if (words.size() == 2) {
        write_times(words[0], std::stoi(words[1]));
    } else {
        std::cerr << "usage: simulate_bench --values | --python DIR | FILE.json RUNS\n";
        return 2;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& e) {
        std::cerr << "simulate_bench: " << e.what() << '\n';
        return 1;
    }
}
