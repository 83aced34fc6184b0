// Numbers: forward and inverse dynamics of the models in bench/models by native code, by the interpreter, by MuJoCo and
// by Simbody; then the way from a model file to the first number.
//
//     engines_bench --values     every system's results at the same postures, after the check sums were met (exit 1:
//     not) engines_bench [...]        times, as Google Benchmark is asked to give them

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/sym/substitute.hpp"
#include "mujoco_model.hpp"
#include "simbody_model.hpp"

namespace {

using namespace linkwright;
using bench::Limb;
using bench::Posture;
using sym::Expr;

constexpr const char* models[] = {"stanford6", "puma6", "iiwa7", "chain12", "tree30f", "chain30"};
constexpr std::size_t postures_timed = 16, postures_compared = 4, batch_points = 4096;

enum class Task { forward, inverse };
constexpr Task tasks[] = {Task::forward, Task::inverse};
const char* word(Task task) { return task == Task::forward ? "forward" : "inverse"; }

std::string file_of(const std::string& model, const char* file) {
    return std::string(LINKWRIGHT_ROOT "/bench/models/") + model + "/" + file;
}

[[noreturn]] void refuse(const Diagnostics& problems) {
    for (const Diagnostic& d : problems) std::fprintf(stderr, "%s\n", to_string(d).c_str());
    throw std::runtime_error("no equations");
}

eom::EquationsOfMotion derive(const model::Reading& reading) {
    if (!reading.model) refuse(reading.problems);
    const topology::Analysis analysis = topology::analyse(*reading.model);
    if (!analysis.topology) refuse(analysis.problems);
    formulation::Derived derived = formulation::recursive::derive(*reading.model, *analysis.topology);
    if (!derived.equations) refuse(derived.problems);
    return std::move(*derived.equations);
}

/// M u̇ − f where nothing drives.
std::vector<Expr> undriven_inverse(const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*e.pool);
    std::vector<Expr> rows = e.inverse;
    for (std::size_t i = rows.size(); i < e.u.size(); ++i) {
        Expr row = -e.f[i];
        for (std::size_t j = 0; j < e.u.size(); ++j) row = row + e.M[i][j] * e.udot[j];
        rows.push_back(row);
    }
    std::vector<sym::Binding> nothing;
    for (const eom::Input& input : e.inputs) nothing.push_back({input.symbol, Expr(0)});
    sym::Substitution rest(nothing);
    for (Expr& row : rows) row = rest(row);
    return rows;
}

/// One of our programs, and where in its rows of numbers the joints of a tree are found.
struct Ours {
    program::Program program;
    std::vector<double> row;               ///< inputs when everything stands at zero
    std::vector<std::size_t> q, u, drive;  ///< of each joint, among the inputs
    std::vector<std::size_t> result;       ///< and among the outputs
    std::unique_ptr<program::Evaluator> native, interpreter;

    std::vector<double> inputs(const Posture& at) const {
        std::vector<double> in = row;
        for (std::size_t i = 0; i < q.size(); ++i) {
            in[q[i]] = at.q[i];
            in[u[i]] = at.u[i];
            in[drive[i]] = at.drive[i];
        }
        return in;
    }
};

/// By name: equations have a pool of their own.
std::size_t index_of(const std::vector<Expr>& symbols, const Expr& symbol) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].symbol().name == symbol.symbol().name) return i;
    }
    throw std::runtime_error("the equations have no " + symbol.symbol().name);
}

/// A model as all the systems know it.
struct Subject {
    std::string name;
    std::map<Task, Ours> ours;
    std::unique_ptr<bench::MujocoModel> mujoco;
    std::unique_ptr<bench::SimbodyModel> simbody;
    std::vector<std::string> joints;  ///< names of the joints that are not floating bases
    std::vector<std::string> inputs;  ///< names of their actuators
    std::vector<Posture> postures;
};

Subject make_subject(const std::string& name) {
    const model::Reading reading = model::read_file(file_of(name, "model.toml"));
    const eom::EquationsOfMotion e = derive(reading);
    const model::Model& model = *reading.model;
    const numeric::CompiledEquations numbers(e);
    const numeric::State zero = numbers.zero_state();
    std::vector<double> row{0.0};
    for (const auto* part : {&zero.q, &zero.u, &zero.w}) row.insert(row.end(), part->begin(), part->end());
    std::vector<Expr> inputs;
    for (const eom::Input& input : e.inputs) inputs.push_back(input.symbol);
    Subject subject{name, {}, nullptr, nullptr, {}, {}, {}};
    const std::size_t nq = e.q.size(), n = e.u.size(), nw = e.inputs.size();
    for (const Task task : tasks) {
        Ours& ours = subject.ours[task];
        const bool is_forward = task == Task::forward;
        ours.program = is_forward ? numbers.lower(eom::accelerations(e)) : numbers.lower(undriven_inverse(e), true);
        ours.row = row;
        ours.row.resize(ours.program.inputs, 0.0);
        for (const model::Joint& joint : model.joints) {
            if (joint.coordinates.size() != 1) continue;
            const std::size_t speed = index_of(e.u, joint.speeds[0]);
            const std::size_t input = index_of(inputs, joint.forces.at(0).actuator);
            ours.q.push_back(1 + index_of(e.q, joint.coordinates[0]));
            ours.u.push_back(1 + nq + speed);
            ours.drive.push_back(1 + nq + n + (is_forward ? input : nw + speed));
            ours.result.push_back(speed);
            if (!is_forward) continue;
            subject.joints.push_back(joint.name);
            subject.inputs.push_back(inputs[input].symbol().name);
        }
        ours.native = jit::compile(ours.program);
        ours.interpreter = std::make_unique<program::Interpreter>(ours.program);
    }
    const bench::Tree tree = bench::make_tree(model);
    subject.mujoco = std::make_unique<bench::MujocoModel>(tree);
    subject.simbody = std::make_unique<bench::SimbodyModel>(tree);
    std::mt19937_64 random(1);
    const auto draw = [&] {
        std::vector<double> v(subject.joints.size());
        for (double& x : v) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
        return v;
    };
    for (std::size_t k = 0; k < postures_timed; ++k) {
        Posture p;
        p.q = draw();
        p.u = draw();
        p.drive = draw();
        subject.postures.push_back(std::move(p));
    }
    return subject;
}

// ------------------------------------------------------------------------------------------------------- the same
// values

std::vector<double> of_joints(const Ours& ours, std::span<const double> out) {
    std::vector<double> values;
    for (const std::size_t i : ours.result) values.push_back(out[i]);
    return values;
}

std::map<std::string, std::vector<double>> results(Subject& s, Task task, const Posture& at) {
    std::map<std::string, std::vector<double>> all;
    const Ours& ours = s.ours.at(task);
    const std::vector<double> in = ours.inputs(at);
    std::vector<double> out(ours.program.outputs.size());
    (*ours.native)(in, out);
    all["linkwright"] = of_joints(ours, out);
    (*ours.interpreter)(in, out);
    all["linkwright-interpreter"] = of_joints(ours, out);
    std::vector<double> many_in, many_out(8 * out.size());
    for (int k = 0; k < 8; ++k) many_in.insert(many_in.end(), in.begin(), in.end());
    ours.native->batch(8, many_in, many_out);
    all["linkwright-batch"] = of_joints(ours, std::span(many_out).last(out.size()));
    for (const char* rival : {"mujoco", "simbody"}) {
        std::vector<double>& values = all[rival];
        values.resize(s.joints.size());
        if (rival == std::string_view("mujoco")) {
            task == Task::forward ? s.mujoco->forward(at, values) : s.mujoco->inverse(at, values);
        } else {
            task == Task::forward ? s.simbody->forward(at, values) : s.simbody->inverse(at, values);
        }
    }
    return all;
}

/// Every system's sums beside those of check.json.
bool meets_check_sums(Subject& s) {
    std::ifstream file(file_of(s.name, "check.json"));
    const auto check = nlohmann::json::parse(file);
    bool is_met = true;
    for (const Task task : tasks) {
        const auto& state = check["forward"]["state"];
        Posture at;
        for (std::size_t i = 0; i < s.joints.size(); ++i) {
            at.q.push_back(state["values"].value(s.joints[i], 0.0));
            at.u.push_back(state["values"].value(s.joints[i] + "'", 0.0));
            at.drive.push_back(task == Task::forward ? state["inputs"].value(s.inputs[i], 0.0)
                                                     : check["inverse"]["accelerations"].value(s.joints[i] + "'", 0.0));
        }
        const double agreed = task == Task::forward ? check["forward"]["sum_of_actuated_accelerations"].get<double>()
                                                    : check["inverse"]["sum_of_torques"].get<double>();
        for (const auto& [system, values] : results(s, task, at)) {
            double sum = 0;
            for (const double v : values) sum += v;
            if (std::abs(sum / agreed - 1) <= 1e-7) continue;
            std::fprintf(stderr, "engines_bench: %s, %s of %s: the sum is %.9g, not %.9g\n", system.c_str(), word(task), s.name.c_str(),
                         sum, agreed);
            is_met = false;
        }
    }
    return is_met;
}

/// "system forward/puma6 0 values…"; what was counted and which versions these are as "note …".
int print_values() {
    bool is_met = true;
    std::printf("note versions %s %s\n", bench::MujocoModel::version(), bench::SimbodyModel::version().c_str());
    for (const char* name : models) {
        Subject s = make_subject(name);
        is_met &= meets_check_sums(s);
        for (const Task task : tasks) {
            for (std::size_t k = 0; k < postures_compared; ++k) {
                for (const auto& [system, values] : results(s, task, s.postures[k])) {
                    std::printf("%s %s/%s %zu", system.c_str(), word(task), name, k);
                    for (const double v : values) std::printf(" %.17g", v);
                    std::printf("\n");
                }
            }
        }
    }
    return is_met ? 0 : 1;
}

// -----------------------------------------------------------------------------------------------------------------
// times

void note(benchmark::State& state, const program::Program& program) {
    const program::Operations count = program::count(program);
    state.counters["operations"] = static_cast<double>(count.total());
    state.counters["mul"] = static_cast<double>(count.mul);
    state.counters["add"] = static_cast<double>(count.add);
}

void one_by_one(benchmark::State& state, const Ours& ours, const program::Evaluator& run, const std::vector<Posture>& postures) {
    std::vector<std::vector<double>> in;
    for (const Posture& p : postures) in.push_back(ours.inputs(p));
    std::vector<double> out(run.outputs());
    std::size_t k = 0;
    for (auto _ : state) {
        run(in[k++ % postures_timed], out);
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
    note(state, ours.program);
}

void in_batches(benchmark::State& state, const Ours& ours, const std::vector<Posture>& postures) {
    std::vector<double> in, out(batch_points * ours.native->outputs());
    for (std::size_t k = 0; k < batch_points; ++k) {
        const std::vector<double> row = ours.inputs(postures[k % postures_timed]);
        in.insert(in.end(), row.begin(), row.end());
    }
    ours.native->batch(batch_points, in, out);  // compiles
    for (auto _ : state) {
        ours.native->batch(batch_points, in, out);
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
    state.counters["points"] = static_cast<double>(batch_points);
}

template <class Engine>
void by_engine(benchmark::State& state, Engine& engine, Task task, const std::vector<Posture>& postures) {
    std::vector<double> out(postures[0].q.size());
    std::size_t k = 0;
    for (auto _ : state) {
        const Posture& at = postures[k++ % postures_timed];
        task == Task::forward ? engine.forward(at, out) : engine.inverse(at, out);
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
}

// ---------------------------------------------------------------------------------------- from a file to the first
// number

/// n links, three in a row repeated: axes z, x, y, full inertias.
std::string chain_text(int n) {
    std::string text = "format = 1\nname = \"chain\"\ngravity = [0, 0, -9.81]\n\n[[chain]]\nname = \"three\"\nports = [\"base\"]\n";
    const char* axes[] = {"z", "x", "y"};
    for (int i = 0; i < 3; ++i) {
        const std::string link = std::string("link_") + axes[i];
        text += "\n[[chain.body]]\nname = \"" + link + "\"\nmass = 1." + std::to_string(9 - i) +
                "\ncom = [0.01, 0.02, 0.15]\ninertia = [0.02, 0.021, 0.006, 0.0003, -0.0004, 0.0005]\npoints = { tip = "
                "[0.02, 0, 0.3] }\n";
        text += "\n[[chain.joint]]\nname = \"q_" + std::string(axes[i]) + "\"\ntype = \"revolute\"\nparent = \"" +
                (i == 0 ? "base" : std::string("link_") + axes[i - 1]) + "\"\nchild = \"" + link + "\"\n" +
                (i == 0 ? "" : "parent_at = \"tip\"\n") + "axis = \"" + axes[i] + "\"\n";
    }
    return text + "\n[[instance]]\nof = \"three\"\nname = \"part\"\ncount = " + std::to_string(n / 3) +
           "\nbase = \"ground\"\nnext = { base = \"link_y.tip\" }\n";
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Everything from the file on, and what each part of it takes.
void to_first_number(benchmark::State& state, const std::function<model::Reading()>& read) {
    std::map<std::string, double> parts;
    double before = 0;
    const auto done = [&](const char* part) {
        const double now = cpu_seconds();
        parts[part] += now - before;
        before = now;
    };
    double sum = 0;
    for (auto _ : state) {
        before = cpu_seconds();
        const model::Reading reading = read();
        done("read");
        const eom::EquationsOfMotion e = derive(reading);
        done("derive");
        const numeric::CompiledEquations numbers(e);
        program::Program program = numbers.lower(eom::accelerations(e));
        state.counters["operations"] = static_cast<double>(program::count(program).total());
        done("lower");
        const auto run = jit::compile(std::move(program));
        done("compile");
        std::vector<double> in(run->inputs(), 0.1), out(run->outputs());
        (*run)(in, out);
        for (const double x : out) sum += x;
        done("call");
    }
    if (!std::isfinite(sum)) state.SkipWithError("the first numbers are none");
    for (const auto& [part, seconds] : parts) state.counters[part] = seconds / static_cast<double>(state.iterations());
}

int run(int argc, char** argv) {
    // Keep freed memory: otherwise large pools pay the system for fresh pages in every run and small ones never do.
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    if (argc == 2 && std::string_view(argv[1]) == "--values") return print_values();
    std::vector<Subject> subjects;
    for (const char* name : models) subjects.push_back(make_subject(name));
    for (Subject& s : subjects) {
        for (const Task task : tasks) {
            const std::string name = std::string(word(task)) + "/" + s.name + "/";
            const Ours& ours = s.ours.at(task);
            const auto add = [&](const char* system, auto work) { benchmark::RegisterBenchmark((name + system).c_str(), work); };
            add("single", [&](benchmark::State& state) { one_by_one(state, ours, *ours.native, s.postures); });
            add("interpreter", [&](benchmark::State& state) { one_by_one(state, ours, *ours.interpreter, s.postures); });
            add("batch", [&](benchmark::State& state) { in_batches(state, ours, s.postures); });
            add("mujoco", [&s, task](benchmark::State& state) { by_engine(state, *s.mujoco, task, s.postures); });
            add("simbody", [&s, task](benchmark::State& state) { by_engine(state, *s.simbody, task, s.postures); });
        }
    }
    const auto add_first = [](const std::string& name, std::function<model::Reading()> read) {
        benchmark::RegisterBenchmark(("first/" + name).c_str(), [read](benchmark::State& state) { to_first_number(state, read); });
    };
    for (const char* name : {"iiwa7", "chain30"}) add_first(name, [name] { return model::read_file(file_of(name, "model.toml")); });
    add_first("chain300", [text = chain_text(300)] { return model::read(text); });
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "engines_bench: %s\n", e.what());
        return 1;
    }
}
