#include "codegen/support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "linkwright/codegen/elimination.hpp"
#include "linkwright/formulation/recursive/derivatives.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/formulation/recursive/substructures.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/solve/descriptor.hpp"
#include "support/n_four_bar.hpp"
#include "support/project_root.hpp"
#include "support/random_model.hpp"
#include "support/servo.hpp"

namespace linkwright::codegen::test {
namespace {

namespace fs = std::filesystem;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::string text_of(const Diagnostics& problems) {
    std::string text;
    for (const Diagnostic& d : problems) text += to_string(d) + "\n";
    return text;
}

Values values_of(const VectorXd& v) { return {v.data(), v.data() + v.size()}; }
VectorXd vector_of(const Values& v) { return Eigen::Map<const VectorXd>(v.data(), static_cast<Index>(v.size())); }
MatrixXd matrix_of(const Values& v, std::size_t rows, std::size_t columns) {
    MatrixXd m(rows, columns);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) m(static_cast<Index>(i), static_cast<Index>(j)) = v[i * columns + j];
    }
    return m;
}
Values values_of(const MatrixXd& m) {
    Values v;
    for (Index i = 0; i < m.rows(); ++i) {
        for (Index j = 0; j < m.cols(); ++j) v.push_back(m(i, j));
    }
    return v;
}

/// Coordinates of [initial] shaken and closed again, speeds drawn and fitted, inputs other than their defaults.
/// Deflections of beams stay small: kinetic energy to second order is none for beams that bend far.
std::vector<State> random_states(const numeric::CompiledEquations& numbers, const model::Model& model, int wanted_states) {
    const eom::EquationsOfMotion& e = numbers.equations();
    std::set<std::string> elastic;
    for (const model::Body& body : model.bodies) {
        if (!body.beam) continue;
        for (const sym::Expr& s : body.beam->elastic.coordinates) elastic.insert(s.symbol().name);
    }
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    const numeric::AssembledState at = assemble(numbers, wanted(numbers));
    std::vector<State> states;
    for (int k = 0; k < 4 * wanted_states && states.size() < static_cast<std::size_t>(wanted_states); ++k) {
        std::vector<numeric::Wanted> guesses;
        const double t = std::abs(normal(random));
        for (std::size_t i = 0; i < e.q.size(); ++i) {
            const bool bends = elastic.contains(e.q[i].symbol().name);
            guesses.push_back({"", e.q[i], at.state.q[i] + (bends ? 0.005 : 0.1) * normal(random), bends, false});
        }
        for (const sym::Expr& u : e.u) guesses.push_back({"", u, normal(random), false, true});
        for (const sym::Expr& x : e.x) guesses.push_back({"", x, normal(random), false, false});
        numeric::AssembledState shaken = assemble(numbers, guesses, t);
        if (!shaken.is_ok()) continue;
        for (Index i = 0; i < shaken.state.w.size(); ++i) shaken.state.w[i] += 0.3 * normal(random);
        states.push_back(shaken.state);
    }
    return states;
}

/// As `linkwright generate` does it. (Not the start itself: its last digits are not the same everywhere, golden files are.)
void put_in_rank(Specimen& s) {
    const numeric::AssembledState start = assemble(*s.numbers, wanted(*s.numbers));
    if (!start.is_ok() || s.package.m() == 0) return;
    const numeric::Dynamics d = s.numbers->dynamics(start.state);
    s.package.rank = static_cast<std::size_t>(solve::solve_descriptor(d.M, d.f, d.G, d.gamma).rank);
}

double largest(const Values& v) {
    double most = 0;
    for (const double x : v) most = std::max(most, std::abs(x));
    return most;
}

}  // namespace

std::unique_ptr<Specimen> make_specimen(const std::string& name, model::Model model) {
    auto s = std::make_unique<Specimen>();
    s->name = name;
    s->model = std::make_unique<model::Model>(std::move(model));
    topology::Analysis analysis = topology::analyse(*s->model);
    if (!analysis.topology) throw std::runtime_error(name + ": " + text_of(analysis.problems));
    formulation::Derived derived = formulation::recursive::derive(*s->model, *analysis.topology);
    if (!derived.equations) throw std::runtime_error(name + ": " + text_of(derived.problems));
    s->equations = std::move(*derived.equations);
    s->numbers = std::make_unique<numeric::CompiledEquations>(s->equations);
    s->package = make_package(s->equations);
    put_in_rank(*s);
    s->states = random_states(*s->numbers, *s->model, 3);
    if (s->states.empty()) throw std::runtime_error(name + ": no state found");
    return s;
}

/// Two panels on a hinge each, a wheel in the inner one; `fingers` sit on the outer one, if there are any.
static std::string arms(const std::string& name, std::size_t on_bus, std::size_t on_ground, std::size_t fingers, bool is_given) {
    std::string text = fmt::format(R"(
format = 1
name = "{}"
gravity = [0, 0.3, "-g"]
[parameters]
g = 9.81
k = 4
m = 0.7
[inputs]
motor = 0.2
[[body]]
name = "bus"
mass = 20
inertia = [3, 4, 5]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "bus"
[[chain]]
name = "arm"
ports = ["root"]
set = {{ turn = 0.3, L = 0.8 }}
[[chain.body]]
name = "inner"
mass = "m"
inertia = [0.01, 0.05, 0.05]
com = ["L/2", 0, 0.02]
rotor = {{ axis = "x", inertia = 0.005, torque = "motor/10" }}
[[chain.body]]
name = "outer"
mass = "m*L"
inertia = [0.01, 0.04, 0.05]
com = [0.3, 0.05, 0]
[[chain.joint]]
name = "shoulder"
type = "revolute"
parent = "root"
child = "inner"
parent_at = [0.4, "turn", 0]
parent_axes = {{ rotate = ["z", "x"], by = ["turn", 0.4] }}
axis = "y"
stiffness = "k"
damping = 0.1
actuator = "motor"
[[chain.joint]]
name = "elbow"
type = "universal"
parent = "inner"
child = "outer"
parent_at = ["L", 0, 0]
damping = 0.2
)",
                                   name);
    for (std::size_t f = 0; f < fingers; ++f) {
        text += fmt::format(
            "[[chain.body]]\nname = \"f{0}\"\nmass = 0.1\ninertia = [0.001, 0.002, 0.002]\ncom = [0.1, 0, 0.01]\n"
            "[[chain.body]]\nname = \"g{0}\"\nmass = 0.05\ninertia = [0.001, 0.001, 0.002]\ncom = [0.05, 0, 0]\n"
            "[[chain.joint]]\nname = \"knuckle{0}\"\ntype = \"revolute\"\nparent = \"outer\"\nchild = \"f{0}\"\nparent_at = [0.5, {1}, "
            "0]\naxis = \"z\"\n"
            "[[chain.joint]]\nname = \"tip{0}\"\ntype = \"prismatic\"\nparent = \"f{0}\"\nchild = \"g{0}\"\nparent_at = [0.2, 0, 0]\naxis "
            "= \"x\"\nstiffness = 3\n",
            f, 0.1 * static_cast<double>(f));
    }
    for (std::size_t i = 0; i < on_bus + on_ground; ++i) {
        text += fmt::format("[[instance]]\nof = \"arm\"\nname = \"n{}\"\nroot = \"{}\"\nset = {{ turn = {}, L = {} }}\n", i,
                            i < on_bus ? "bus" : "ground", 0.5 * static_cast<double>(i), 0.8 + 0.1 * static_cast<double>(i % 3));
    }
    for (std::size_t i = 0; is_given && i < on_bus + on_ground; ++i)
        text += fmt::format("[[motion]]\ncoordinate = \"n{}.shoulder\"\nequals = \"0.2*sin({}*t)\"\n", i, i + 1);
    return text;
}

const std::map<std::string, std::string>& with_repeated_chains() {
    static const std::map<std::string, std::string> all{
        {"arms", arms("Arms", 3, 0, 0, false)},
        {"given_arms", arms("Given arms", 2, 1, 0, true)},
        {"pillars", arms("Pillars", 0, 3, 0, false)},
        {"hands", arms("Hands", 2, 0, 2, false)},
        {"many_arms", arms("Many arms", 14, 0, 0, false)},
    };
    return all;
}

static void use_routines(Specimen& s) {
    const topology::Analysis analysis = topology::analyse(*s.model);
    const auto chains = formulation::recursive::substructures(*s.model, *analysis.topology);
    if (!chains) throw std::runtime_error(s.name + ": no chain is there twice");
    s.package = make_package(s.equations, &*chains, UseRoutines::always);
    if (s.package.routines.empty()) throw std::runtime_error(s.name + ": no routines");
}

std::unique_ptr<Specimen> make_specimen(const std::string& name, const std::string& toml) {
    model::Reading reading = model::read(toml);
    if (!reading.model) throw std::runtime_error(name + ": " + text_of(reading.problems));
    return make_specimen(name, std::move(*reading.model));
}

const Specimen& specimen(const std::string& name) {
    static std::map<std::string, std::unique_ptr<Specimen>> known;
    std::unique_ptr<Specimen>& s = known[name];
    if (s) return *s;
    if (const std::size_t plus = name.find('+'); plus != std::string::npos) {
        const std::string of = name.substr(0, plus);
        const fs::path shelf =
            fs::path(project_root()) / (fs::exists(fs::path(project_root()) / "models" / of) ? "models" : "bench/models");
        if (of == "servo")
            s = make_specimen(name, linkwright::test::servo());
        else
            s = make_specimen(name, std::move(model::read_file(shelf / of / "model.toml").model.value()));
        const auto derivatives =
            formulation::recursive::differentiate_accelerations(*s->model, topology::analyse(*s->model).topology.value()).value();
        s->package = make_package(s->equations, nullptr, UseRoutines::when_shorter, {.derivatives = &derivatives});
        return *s;
    }
    if (name == "servo") {
        s = make_specimen(name, linkwright::test::servo());
        return *s;
    }
    if (const auto odd = oddities().find(name); odd != oddities().end()) {
        s = make_specimen(name, odd->second);
        return *s;
    }
    if (const auto repeated = with_repeated_chains().find(name); repeated != with_repeated_chains().end()) {
        s = make_specimen(name, repeated->second);
        use_routines(*s);
        return *s;
    }
    for (const char* shelf : {"models", "bench/models"}) {
        const bool is_variant = name.find('/') != std::string::npos;  // "ralf/control"
        const fs::path path = fs::path(project_root()) / shelf / (name + (is_variant ? ".toml" : "/model.toml"));
        if (!fs::exists(path)) continue;
        model::Reading reading = model::read_file(path);
        if (!reading.model) throw std::runtime_error(name + ": " + text_of(reading.problems));
        s = make_specimen(name, std::move(*reading.model));
        return *s;
    }
    throw std::runtime_error("no model " + name);
}

const Specimen& specimen_with_elimination(const std::string& name) {
    static std::map<std::string, std::unique_ptr<Specimen>> known;
    auto& s = known[name];
    if (s) return *s;
    if (name == "n_four_bar") {
        s = make_specimen(name, "name = \"n_four_bar\"\n" + linkwright::test::n_four_bar(10));
    } else {
        const Specimen& from = specimen(name);
        s = std::make_unique<Specimen>();
        s->name = name, s->equations = from.equations, s->package = from.package, s->states = from.states;
        s->numbers = std::make_unique<numeric::CompiledEquations>(s->equations);
    }
    const Point start = make_point(*s, s->states.front());
    for (const std::size_t a : {1U, 2U, 3U}) {
        for (std::size_t i = 0; i < start[a].size(); ++i) s->package.arguments[a].entries[i].value = start[a][i];
    }
    if (const std::string why = put_in_elimination(s->package); !why.empty()) throw std::runtime_error(name + ": " + why);
    return *s;
}

std::unique_ptr<Specimen> make_specimen_with_poses(const std::string& name) {
    model::Reading reading = model::read_file(fs::path(project_root()) / "models" / name / "model.toml");
    if (!reading.model) throw std::runtime_error(name + ": " + text_of(reading.problems));
    auto s = make_specimen(name, std::move(*reading.model));
    const sym::PoolScope scope(*s->equations.pool);
    Extras extras{.poses = true, .geometry = {sym::Expr(0)}};
    for (const eom::Parameter& p : s->equations.parameters) extras.geometry.insert(extras.geometry.end(), {p.symbol, p.symbol * p.symbol});
    s->package = make_package(s->equations, nullptr, UseRoutines::when_shorter, extras);
    put_in_rank(*s);
    return s;
}

std::vector<std::string> zoo() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(fs::path(project_root()) / "models")) {
        if (fs::exists(entry.path() / "model.toml")) names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
}

model::Model random_tree(std::uint64_t seed, std::size_t bodies) {
    using model::JointType;
    constexpr std::array types{JointType::revolute,  JointType::prismatic, JointType::screw, JointType::cylindrical,
                               JointType::universal, JointType::gimbal,    JointType::free,  JointType::spherical};
    laws::Random r(seed);
    model::Model m = model::empty_model(fmt::format("Tree {}", seed));
    const sym::PoolScope scope(*m.pool);
    const sym::Expr tau = model::input(m, "tau", sym::Rational(1, 2));
    m.gravity = {{0, 0, -model::parameter(m, "g", 9.81)}};
    std::vector<model::BodyIndex> known{model::ground};
    for (std::size_t i = 0; i < bodies; ++i) {
        const sym::Expr mass = model::parameter(m, fmt::format("m{}", i), r.number(0.5, 2));
        known.push_back(model::body(m, fmt::format("b{}", i), {.mass = mass, .inertia = r.inertia(), .com = r.vector(0.4), .points = {}}));
        const JointType type = types[r.below(types.size())];
        model::JointOptions o{.parent_at = r.vector(0.5), .child_at = r.vector(0.5), .parent_axes = r.frame(m), .child_axes = r.frame(m)};
        if (type == JointType::revolute || type == JointType::prismatic || type == JointType::screw || type == JointType::cylindrical)
            o.axes = {r.direction()};
        if (type == JointType::universal) o.axes = r.orthogonal(2);
        if (type == JointType::gimbal) o.axes = r.orthogonal(3);
        o.pitch = r.number(0.1, 0.4);
        for (std::size_t k = 0; k < model::freedoms(type, o.axes.size()); ++k) {
            o.damping.push_back(r.number(0, 1));
            o.actuator.push_back(r.number(-1, 1) * tau + r.number(-1, 1) * cos(m.t));
        }
        model::joint(m, type, fmt::format("j{}", i), known[r.below(known.size() - 1)], known.back(), o);
    }
    return m;
}

const std::map<std::string, std::string>& oddities() {
    static const std::map<std::string, std::string> all{
        {"every_function", R"toml(
format = 1
name = "double"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
class = { value = 1.5, unit = "kg", about = "a mass */ with an end of comment /* and a \\ in its words" }
int.for = 0.7
k = 3
[inputs]
while = 0.4
push = { value = "2 + sin(t)", unit = "N", about = "at the tip \u003f?/" }
[[body]]
name = "upper"
mass = "class"
inertia = [0.1, 0.1, 0.2]
com = [0, "-int.for/2", 0]
[[body]]
name = "lower"
mass = 0.8
inertia = [0.1, 0.05, 0.1]
com = [0, -0.2, 0.1]
[[joint]]
name = "return"
type = "revolute"
parent = "ground"
child = "upper"
axis = "z"
stiffness = "k*int.for"
actuator = "while + tanh(return') + abs(return)*sign(return') + min(return, lower.do) - max(return', 0.1*t) + if(return, push, exp(-return))"
[[joint]]
name = "lower.do"
type = "revolute"
parent = "upper"
child = "lower"
parent_at = [0, "-int.for", 0]
axis = [1, 2, 2]
actuator = "atan2(push, 2 + return) + log(2 + cos(lower.do)) + sqrt(1 + lower.do^2) + (1 + return^2)^(1/3) + tan(return/4) + asin(sin(return)/2) + acos(cos(lower.do)/3) + atan(lower.do') - 1e-7*push^2"
[[output]]
name = "endif"
acceleration = "lower"
[[output]]
name = "grip"
reaction = "return"
)toml"},
        {"own_speeds", R"toml(
format = 1
name = "Own speeds: a top on a cart"
gravity = [0, 0, -9.81]
[parameters]
A = 0.3
C = { value = 0.5, unit = "kg*m^2", about = "about the spin axis" }
[inputs]
tau = 0.2
[[body]]
name = "cart"
mass = 2
[[body]]
name = "top"
mass = 1
inertia = ["A", "A", "C"]
com = [0, 0, 0.4]
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "cart"
axis = "x"
actuator = "tau - 0.1*x'"
[[joint]]
name = "s"
type = "universal"
parent = "cart"
child = "top"
axes = ["x", "y"]
[speeds]
v = "x' + 0.3*s.2'"
w1 = "s.1'*cos(s.2)"
w2 = "s.2' - 0.5*sin(s.1)*s.1'"
[[output]]
name = "spin"
expression = "w1 + w2^2 + x'"
)toml"},
        {"bare", R"toml(
format = 1
name = "3 numbers only"
[[body]]
name = "puck"
mass = 2
[[joint]]
name = "fly"
type = "prismatic"
parent = "ground"
child = "puck"
axis = "x"
)toml"},
    };
    return all;
}

Point make_point(const Specimen& s, const State& state) {
    Point point;
    point[0] = {state.t};
    point[1] = values_of(state.q);
    point[2] = values_of(state.u);
    for (const double x : state.x) point[2].push_back(x);  // auxiliary states stand after the speeds
    point[3] = values_of(state.w);
    for (const Entry& p : s.package.arguments[4].entries) point[4].push_back(p.value);
    if (const Function* setup = s.package.find("setup")) point[5] = run(*setup, point)[0];
    const numeric::Dynamics d = s.numbers->dynamics(state);
    const solve::DescriptorSolution x = solve::solve_descriptor(d.M, d.f, d.G, d.gamma);
    EXPECT_TRUE(x.ok) << s.name << ": " << x.why;
    point[6] = values_of(x.udot);
    for (const double rate : s.numbers->auxiliary_rates(state)) point[6].push_back(rate);
    point[7] = values_of(x.lambda);
    return point;
}

std::vector<Values> run(const Function& f, const Point& point) {
    Values in, out(f.program.outputs.size());
    for (const std::size_t a : f.arguments) in.insert(in.end(), point[a].begin(), point[a].end());
    program::Interpreter interpreter(f.program);
    interpreter(in, out);
    std::vector<Values> results;
    std::size_t next = 0;
    for (const Result& r : f.results) {
        Values& dense = results.emplace_back(r.rows * r.columns, 0.0);
        for (const std::size_t at : r.at) {
            dense[at] = out[next];
            if (r.is_symmetric) dense[(at % r.columns) * r.columns + at / r.columns] = out[next];
            ++next;
        }
    }
    EXPECT_EQ(next, out.size());
    return results;
}

std::vector<Quantity> expected(const Specimen& s, const Point& point) {
    const Package& k = s.package;
    std::vector<Quantity> list;
    std::map<std::string, MatrixXd> known;
    const auto get = [&](const std::string& name, std::size_t rows, std::size_t columns) {
        const auto at = known.find(name);
        return at == known.end() ? MatrixXd(MatrixXd::Zero(rows, static_cast<Index>(columns))) : at->second;
    };
    for (const Function& f : k.functions) {
        const std::vector<Values> results = run(f, point);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Result& r = f.results[i];
            list.push_back({f.name + "." + r.name, r.rows, r.columns, results[i]});
            known[r.name] = matrix_of(results[i], r.rows, r.columns);
        }
    }
    const std::size_t n = k.nu(), m = k.m(), nq = k.nq(), nw = k.nw();
    if (n == 0) return list;
    const MatrixXd M = get("M", n, n), G = get("G", m, n);
    const auto solved = [&](const VectorXd& f, const VectorXd& gamma) { return solve::solve_descriptor(M, f, G, gamma); };
    const solve::DescriptorSolution x = solved(get("f", n, 1), get("gamma", m, 1));
    const double tolerance = 1e-13 * std::max(10.0, x.condition);
    if (m > 0) {
        list.push_back({"accelerations.udot", n, 1, values_of(x.udot), tolerance});
        list.push_back({"accelerations.lambda", m, 1, values_of(x.lambda), tolerance});
    }
    VectorXd xdot(static_cast<Index>(nq + n));
    xdot << vector_of(values_of(get("qdot", nq, 1))), (m > 0 ? x.udot : VectorXd(get("udot", n, 1)));
    list.push_back({"rhs.xdot", nq + n, 1, values_of(xdot), tolerance});

    MatrixXd A(nq + n, nq + n), B = MatrixXd::Zero(nq + n, static_cast<Index>(nw));
    A.topRows(nq) << get("qdot_q", nq, nq), get("qdot_u", nq, n);
    MatrixXd r(n, nq + n + nw), gap(m, nq + n + nw), change(n, nq + n + nw);
    r << get("r_q", n, nq), get("r_u", n, n), get("r_w", n, nw);
    gap << get("s_q", m, nq), get("s_u", m, n), get("s_w", m, nw);
    for (Index j = 0; j < r.cols(); ++j) change.col(j) = solved(-r.col(j), -gap.col(j)).udot;
    A.bottomRows(n) = change.leftCols(nq + n);
    B.bottomRows(n) = change.rightCols(nw);
    list.push_back({"rhs_jacobian.A", nq + n, nq + n, values_of(A), 10 * tolerance});
    if (nw > 0) list.push_back({"rhs_jacobian.B", nq + n, nw, values_of(B), 10 * tolerance});
    return list;
}

void expect_near(const std::string& who, const std::vector<Quantity>& expected, std::span<const double> printed) {
    std::size_t total = 0, next = 0;
    for (const Quantity& x : expected) total += x.values.size();
    ASSERT_EQ(printed.size(), total) << who;
    for (const Quantity& x : expected) {
        const double allowed = x.tolerance * std::max(largest(x.values), 1e-300);
        double error = 0;
        std::size_t worst = 0;
        for (std::size_t i = 0; i < x.values.size(); ++i) {
            const double off = std::abs(printed[next + i] - x.values[i]);
            if (!(off <= error)) error = off, worst = i;
        }
        EXPECT_LE(error, allowed) << who << ": " << x.name << "[" << worst / x.columns << "][" << worst % x.columns << "] is "
                                  << printed[next + worst] << ", not " << x.values[worst];
        next += x.values.size();
    }
}

bool have(const std::string& program) { return run_command("command -v " + program).status == 0; }

Ran run_command(const std::string& command) {
    Ran ran;
    FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "r");  // NOLINT(cert-env33-c): compilers are programs
    if (pipe == nullptr) return {-1, "no pipe"};
    std::array<char, 1 << 16> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) ran.output.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
}

std::vector<double> read_numbers(const std::string& text) {
    std::vector<double> numbers;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        double x = std::nan("");
        const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), x);
        numbers.push_back(trouble == std::errc() && end == word.data() + word.size() ? x : std::nan(""));
    }
    return numbers;
}

Folder::Folder() {
    std::string name = fs::temp_directory_path() / "linkwright_codegen_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder " + name);
    path_ = name;
}

Folder::~Folder() {
    std::error_code ignored;
    if (std::getenv("KEEP") == nullptr) fs::remove_all(path_, ignored);
}

void Folder::write(const std::string& name, const std::string& text) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file << text;
    if (!file) throw std::runtime_error("cannot write " + name);
}

void Folder::write(const std::vector<File>& files) const {
    for (const File& f : files) write(f.name, f.text);
}

void expect_golden(const std::string& language, const std::vector<File>& files) {
    const fs::path folder = fs::path(project_root()) / "test/codegen/golden" / language;
    const char* update = std::getenv("UPDATE");
    for (const File& f : files) {
        if (update != nullptr && std::string(update) == "1") {
            fs::create_directories(folder);
            std::ofstream(folder / f.name, std::ios::binary) << f.text;
            continue;
        }
        std::ifstream in(folder / f.name, std::ios::binary);
        const std::string known((std::istreambuf_iterator<char>(in)), {});
        if (known == f.text) continue;
        std::istringstream now(f.text), before(known);
        std::size_t line = 1;
        std::string a, b;
        while (std::getline(before, a) && std::getline(now, b) && a == b) ++line;
        ADD_FAILURE() << language << "/" << f.name << " has changed from line " << line << " on:\n- " << a << "\n+ " << b
                      << "\nUPDATE=1 accepts it";
    }
}

void expect_anonymous(const std::vector<File>& files) {
    for (const File& f : files) {
        for (const char* trace : {"/tmp", "/home", "/root", "/work", "/usr", "20260", "202-"}) {
            EXPECT_EQ(f.text.find(trace), std::string::npos) << f.name << " contains " << trace;
        }
        EXPECT_TRUE(f.text.ends_with('\n')) << f.name;
        EXPECT_EQ(f.text.find(" \n"), std::string::npos) << f.name << " has blanks at the end of a line";
        EXPECT_EQ(f.text.find('\t'), std::string::npos) << f.name << " has tabs";
    }
}

}  // namespace linkwright::codegen::test
