// What every worked derivation tells at its end: formulas printed give the matrices printed, with the model's own speeds,
// driven rotors and given motions.

#include "linkwright/formulation/explain_finish.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/formulation/kane/explain.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/substitute.hpp"
#include "print/subject.hpp"

namespace linkwright::print {
namespace {

using eom::Step;
using sym::Matrix;

constexpr std::string_view arms = R"(
format = 1
name = "two arms"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
m = 1
l = 1
J = 0.3
[[body]]
name = "b"
mass = "m"
inertia = ["J", "2*J", "3*J"]
com = [0, "-l", 0]
[[body]]
name = "c"
mass = "m"
inertia = ["2*J", "J", "J"]
com = [0, "-l", 0.1]
rotor = [{axis = "x", inertia = 0.01, torque = "0.1*t"}, {axis = "y", inertia = 0.02, speed = 3}]
[[joint]]
name = "p"
type = "revolute"
parent = "ground"
child = "b"
[[joint]]
name = "q"
type = "revolute"
axis = "x"
parent = "b"
child = "c"
parent_at = [0, "-l", 0]
)";
constexpr std::string_view own_speeds = R"(
[speeds]
u1 = "p'"
u2 = "cos(p)*p' + 2*q' + t"
)";

const Step::Line* find(const eom::Derivation& d, std::string_view symbol) {
    for (auto step = d.steps.rbegin(); step != d.steps.rend(); ++step) {
        for (auto line = step->lines.rbegin(); line != step->lines.rend(); ++line) {
            if (line->symbol == symbol && !line->value.empty()) return &*line;
        }
    }
    return nullptr;
}
const Matrix& value(const eom::Derivation& d, std::string_view symbol) {
    const Step::Line* line = find(d, symbol);
    EXPECT_NE(line, nullptr) << symbol;
    static const Matrix none;
    return line == nullptr ? none : line->value;
}
Matrix operator*(const Matrix& a, const Matrix& b) { return sym::product(a, b); }
Matrix sum(Matrix a, const Matrix& b, int sign = 1) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] += sign * b[i][j];
    }
    return a;
}
void expect_equal(const Matrix& a, const Matrix& b, const std::string& what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].size(), b[i].size()) << what;
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            EXPECT_EQ(is_zero(a[i][j] - b[i][j]), sym::Verdict::equal) << what << ", entry " << i + 1 << ", " << j + 1;
        }
    }
}

struct Told {
    Told(const formulation::Formulation& f, const Subject& s)
        : equations(f.derive(*s.model, s.topology, {}).equations.value()), derivation(f.explain(*s.model, s.topology, equations)) {}
    eom::EquationsOfMotion equations;
    eom::Derivation derivation;
};

void expect_own_speeds(const Subject& s, const formulation::Formulation& f, const std::string& row) {
    const Told told(f, s);
    const eom::Derivation& d = told.derivation;
    const sym::PoolScope scope(*told.equations.pool);
    const Matrix &Y = value(d, "Y"), &y = value(d, "y"), &M = value(d, "M"), &M_own = value(d, "M_own"), &z = value(d, "z");
    ASSERT_FALSE(Y.empty());
    const std::string name(f.name);
    expect_equal(transpose(Y) * M * Y, M_own, name + " M_own");
    expect_equal(M_own, told.equations.M, name + " M");
    // u = Y s + y put in: the joints' speeds stand in the derivation by name.
    const Matrix own = sym::column(told.equations.u);
    const Matrix u = sum(Y * own, y);
    std::vector<sym::Binding> speeds;
    model::Model plain = *s.model;
    plain.speeds.clear();
    const eom::EquationsOfMotion natural = f.derive(plain, s.topology, {}).equations.value();
    for (std::size_t i = 0; i < u.size(); ++i) {
        const Expr symbol = told.equations.pool->symbol(natural.u[i].symbol().name, sym::Role::speed);
        if (std::ranges::find(told.equations.u, symbol) == told.equations.u.end()) speeds.emplace_back(symbol, u[i][0]);
    }
    ASSERT_FALSE(speeds.empty());
    sym::Substitution put_in(speeds);
    const auto in_own = [&](Matrix m) {
        for (auto& r : m) {
            for (Expr& x : r) x = put_in(x);
        }
        return m;
    };
    expect_equal(in_own(transpose(Y) * sum(value(d, "f"), M * z, -1)), value(d, "f_own"), name + " f_own");
    for (const eom::Constraint& c : told.equations.constraints) {
        const Matrix& G = value(d, row + "[" + c.name + "]");
        expect_equal(G * Y, {c.G}, name + " G_own");
        expect_equal(in_own(sum(value(d, "gamma[" + c.name + "]"), G * z, -1)), {{c.gamma}}, name + " gamma_own");
    }
}

TEST(Finish, FormulasWithTheModelsOwnSpeedsGiveTheMatricesPrinted) {
    const Subject chain(model::read(std::string(arms) + std::string(own_speeds)));
    const Subject driven(model::read(
        std::string(arms) + "[[motion]]\ncoordinate = \"p\"\nequals = \"sin(t)\"\n[speeds]\nu1 = \"cos(q)*p' + (2+cos(q))*q'\"\n"));
    const Subject closed(
        model::read(std::string(arms) + "[[constraint]]\nname = \"tie\"\nholonomic = \"sin(p) + q\"\n" + std::string(own_speeds)));
    for (const formulation::Formulation& f : formulation::formulations()) {
        if (f.explain == nullptr || f.name == "newton_euler") continue;
        for (const Subject* s : {&chain, &driven, &closed}) expect_own_speeds(*s, f, f.name == "lagrange" ? "row" : "G");
    }
}

TEST(Finish, RotorsAddWhatIsPrinted) {
    const Subject s{model::read(std::string(arms))};
    const sym::PoolScope scope(*s.model->pool);
    const formulation::System system = formulation::set_up(*s.model, s.topology);
    const formulation::kane::Literal literal = formulation::kane::multiply_out(system);
    const auto rotors = formulation::own_terms(system.mechanism);
    ASSERT_TRUE(rotors.has_value());
    expect_equal(sum(literal.M, rotors->M), s.equations.M, "M");
    Matrix f, expected;
    for (std::size_t i = 0; i < literal.f.size(); ++i) f.push_back({literal.f[i] + rotors->f[i]}), expected.push_back({s.equations.f[i]});
    expect_equal(f, expected, "f");
    for (const formulation::Formulation& formulation : formulation::formulations()) {
        if (formulation.explain == nullptr) continue;
        const Told told(formulation, s);
        const Step::Line *added = find(told.derivation, "M_rotors"), *M = find(told.derivation, "M");
        ASSERT_NE(added, nullptr) << formulation.name;
        const bool is_said =
            M->definition.find("M_rotors") != std::string::npos || formulation.name == "lagrange";  // there in an earlier step
        EXPECT_TRUE(is_said) << formulation.name << ": " << M->definition;
        // Without the rotor's own part the last row and column are zero: it has no other inertia.
        const sym::PoolScope there(*told.equations.pool);
        const Matrix rest = sum(told.equations.M, added->value, -1);
        for (const Expr& x : rest.back()) EXPECT_TRUE(x.is_literally(0)) << formulation.name;
    }
}

TEST(Finish, GivenMotionsAndNothingAtAll) {
    const Subject driven(model::read(std::string(arms) + "[[motion]]\ncoordinate = \"p\"\nequals = \"sin(t)\"\n"));
    const Subject empty(model::read("format = 1\nname = \"empty\"\n"));
    for (const formulation::Formulation& f : formulation::formulations()) {
        if (f.explain == nullptr) continue;
        const eom::Derivation nothing = Told(f, empty).derivation;
        ASSERT_EQ(nothing.steps.size(), 1U) << f.name;
        EXPECT_NE(nothing.steps[0].text.find("no equations"), std::string::npos) << f.name;
        if (f.name == "newton_euler") continue;
        const Told told(f, driven);
        EXPECT_NE(find(told.derivation, "f")->definition.find("M_fg u_g'"), std::string::npos) << f.name;
        EXPECT_EQ(find(told.derivation, "M")->value.size(), 2U) << f.name;
    }
}

}  // namespace
}  // namespace linkwright::print
