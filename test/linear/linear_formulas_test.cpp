// Linear models as formulas: the triple pendulum of [lynch88 Appendix B] as it is printed there, and the numbers of its tables.

#include "linkwright/linear/linear_formulas.hpp"

#include <fstream>
#include <map>

#include "linkwright/linear/linearize.hpp"
#include "linkwright/linear/reduced_formulas.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/readable.hpp"
#include "motion/subject.hpp"
#include "print/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using linear::LinearFormulas;
using sym::Expr;

/// "Mlin(1,1)" and the like to the text of their formula.
std::map<std::string, std::string> printed() {
    std::map<std::string, std::string> formulas;
    std::ifstream file(project_root() + "/test/print/lynch_appendix_b.txt");
    EXPECT_TRUE(file);
    std::string line, name;
    while (std::getline(file, line)) {
        if (line.empty() || line[0] == '#') continue;
        const std::size_t equals = line[0] == ' ' ? std::string::npos : line.find(" = ");
        if (equals != std::string::npos) name = line.substr(0, equals);
        formulas[name] += equals == std::string::npos ? line : line.substr(equals + 3);
    }
    return formulas;
}

numeric::OperatingPoint hanging(const numeric::CompiledEquations& numbers) {
    return numeric::operating_point(numbers, numbers.zero_state());
}

TEST(LinearFormulas, AreThoseOfAppendixB) {
    print::Subject s = print::subject("models/lynch_triple_pendulum/lynch.toml");
    const numeric::CompiledEquations numbers(s.equations);
    const LinearFormulas formulas = linear::linear_formulas(numbers, hanging(numbers));
    for (const LinearFormulas::Value& v : formulas.values) EXPECT_FALSE(v.is_symbol) << v.name;
    print::Desk desk;
    desk.lay_out(s.equations);
    const std::map<std::string, std::string> print = printed();
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const std::string place = "(" + std::to_string(i + 1) + "," + std::to_string(j + 1) + ")";
            desk.expect_equal(formulas.form.M[i][j], print.at("Mlin" + place), "Mlin" + place);
            desk.expect_equal(formulas.form.C[i][j], "-(" + print.at("Clin" + place) + ")", "Clin" + place);
            desk.expect_equal(formulas.form.K[i][j], "-(" + print.at("Klin" + place) + ")", "Klin" + place);
        }
    }
}

TEST(LinearFormulas, HaveTheNumbersOfTheTables) {
    const print::Subject s = print::subject("models/lynch_triple_pendulum/lynch.toml");
    const numeric::CompiledEquations numbers(s.equations);
    const linear::Linearization L = linear::linearize(numbers, hanging(numbers));
    ASSERT_TRUE(L.is_ok) << L.why;
    const MatrixXd M{{9.35, 0, 1.45}, {0, 2.9, 0}, {1.45, 0, 0.45}}, K{{44.145, 0, 4.905}, {0, 19.62, 0}, {4.905, 0, 4.905}};
    EXPECT_TRUE(L.second_order.M.isApprox(M, 1e-14)) << L.second_order.M;
    EXPECT_TRUE(L.second_order.K.isApprox(K, 1e-14)) << L.second_order.K;
    EXPECT_EQ(L.second_order.C.norm(), 0);
    EXPECT_TRUE(L.second_order.is_mechanical);
}

/// Formulas, with the values of what stayed symbols, are the numbers; so are those on independent coordinates.
void expect_numbers(const Subject& subject, const numeric::State& state, const std::vector<std::string>& keep) {
    const numeric::OperatingPoint point = numeric::operating_point(*subject.numbers, state);
    const LinearFormulas formulas = linear::linear_formulas(*subject.numbers, point, keep);
    const linear::Linearizer linearizer(*subject.numbers);
    const linear::FullLinear full = linearizer.evaluate(point);
    const sym::PoolScope scope(*formulas.form.pool);
    std::map<std::string, double> values;
    for (const LinearFormulas::Value& v : formulas.values) {
        if (v.is_symbol) values[v.name] = v.value;
    }
    for (std::size_t i = 0; i < subject.equations.parameters.size(); ++i) {
        values[subject.equations.parameters[i].symbol.symbol().name] = subject.numbers->parameters()[i];
    }
    const auto check = [&](const sym::Matrix& entries, const MatrixXd& a, const char* name) {
        for (std::size_t i = 0; i < entries.size(); ++i) {
            for (std::size_t j = 0; j < entries[i].size(); ++j) {
                const double x = sym::evaluate<double>(entries[i][j], [&](const Expr& s) { return values.at(s.symbol().name); });
                EXPECT_NEAR(x, a(static_cast<Index>(i), static_cast<Index>(j)), 1e-9 * (1 + a.cwiseAbs().maxCoeff())) << name << i << j;
            }
        }
    };
    check(formulas.form.M, full.M, "M");
    check(formulas.form.C, full.C, "C");
    check(formulas.form.K, full.K, "K");
    check(formulas.form.geometric, full.geometric, "geometric");
    check(formulas.form.G, full.G, "G");
    check(formulas.form.N, full.N, "N");
    check(formulas.form.H, full.H, "H");

    const linear::Linearization L = linearizer(point);
    ASSERT_TRUE(L.is_ok) << L.why;
    const linear::ReducedFormulas r = linear::reduced_formulas(formulas, L);
    ASSERT_TRUE(r.is_ok) << r.why;
    for (const auto& [symbol, formula] : r.names) {
        ASSERT_FALSE(values.contains(symbol.symbol().name));
        values[symbol.symbol().name] = sym::evaluate<double>(formula, [&](const Expr& s) { return values.at(s.symbol().name); });
    }
    check(r.Y, L.Y, "Y");
    check(r.Z, L.Z, "Z");
    check(r.P, L.P, "P");
    check(r.A, L.state_space.A, "A");
    check(r.B_x, L.state_space.B, "B_x");
    if (L.second_order.is_mechanical && !L.second_order.has_replaced_speeds) {
        check(r.M, L.second_order.M, "M");
        check(r.C, L.second_order.C, "C");
        check(r.K, L.second_order.K, "K");
    }
}

TEST(LinearFormulas, AreTheNumbersWithTheirValuesPutIn) {
    for (const std::string name : {"double_pendulum", "rod_pendulum", "satellite", "four_bar", "cart_pole", "bicycle", "gyrostat",
                                   "lee_two_masses", "knife_edge_sleigh", "slider_crank", "spatial_four_bar"}) {
        const Subject subject("models/" + name + "/model.toml");
        SCOPED_TRACE(name);
        expect_numbers(subject, subject.start(), {});
        expect_numbers(subject, subject.start(), {"all"});
    }
}

/// What the model gives as an expression stays one: the bicycle's wheel turns at −v/rR.
TEST(LinearFormulas, KeepTheExpressionsOfTheModel) {
    const Subject subject("models/bicycle/model.toml");
    const LinearFormulas formulas = linear::linear_formulas(*subject.numbers, numeric::operating_point(*subject.numbers, subject.start()));
    const auto spin = std::ranges::find(formulas.values, "rear_spin'", &LinearFormulas::Value::name);
    ASSERT_NE(spin, formulas.values.end());
    EXPECT_FALSE(spin->is_symbol);
    EXPECT_EQ(sym::print(spin->exact), "-v/rR");
    EXPECT_TRUE(std::ranges::find(formulas.values, "lean", &LinearFormulas::Value::name)->exact.is_literally(0))
        << "zero, whatever it is called";
    EXPECT_THROW(linear::linear_formulas(*subject.numbers, numeric::operating_point(*subject.numbers, subject.start()), {"nothing"}),
                 std::invalid_argument);
}

// m1 ẍ + … on two masses and a rod: the hanging bob of the rod pendulum has λ = g/l, from the rod's pull and length alone.
TEST(ReducedFormulas, OfTheRodPendulumAreThoseOfAPendulum) {
    const Subject subject("models/rod_pendulum/model.toml");
    numeric::State hangs = subject.numbers->zero_state();
    hangs.q << 0, 0, -1;
    const numeric::OperatingPoint point = numeric::operating_point(*subject.numbers, hangs);
    const LinearFormulas formulas = linear::linear_formulas(*subject.numbers, point);
    const linear::Linearization L = linear::linearize(*subject.numbers, point, {.onto = {"at.x", "at.y"}});
    ASSERT_TRUE(L.is_ok) << L.why;
    const linear::ReducedFormulas r = linear::reduced_formulas(formulas, L);
    ASSERT_TRUE(r.is_ok) << r.why;
    EXPECT_TRUE(r.K[0][1].is_literally(0));
    EXPECT_EQ(sym::print(r.M[0][0]), sym::print(formulas.form.M[0][0]));
    const linear::ReducedFormulas small = linear::reduced_formulas(formulas, L, {.states = 2});
    EXPECT_FALSE(small.is_ok);
    EXPECT_THAT(small.why, testing::HasSubstr("up to 2 states"));
}

/// The constraint holds the bob at −l for any l, and the string's pull follows from the balance.
TEST(LinearFormulas, PutInWhatAConstraintHoldsAndItsForce) {
    const Subject subject("models/rod_pendulum/model.toml");
    numeric::State hangs = subject.numbers->zero_state();
    hangs.q << 0, 0, -1;
    const numeric::OperatingPoint point = numeric::operating_point(*subject.numbers, hangs);
    const LinearFormulas formulas = linear::linear_formulas(*subject.numbers, point);
    const auto exact = [&](const LinearFormulas& f, const std::string& name) {
        const auto at = std::ranges::find(f.values, name, &LinearFormulas::Value::name);
        return at->is_symbol ? std::string("a symbol") : sym::write(*sym::readable(at->exact));
    };
    EXPECT_EQ(exact(formulas, "at.z"), "-l");
    EXPECT_EQ(exact(formulas, "lambda.string"), "m*g");
    EXPECT_EQ(sym::write(*sym::readable(formulas.form.K[0][0])), "m*g/l");
    const LinearFormulas kept = linear::linear_formulas(*subject.numbers, point, {"lambda.string", "at.z"});
    EXPECT_EQ(exact(kept, "at.z"), "a symbol");
    EXPECT_EQ(exact(kept, "lambda.string"), "a symbol");
    // in motion nothing is in balance with parameters alone
    const LinearFormulas moving = linear::linear_formulas(*subject.numbers, numeric::operating_point(*subject.numbers, subject.start()));
    EXPECT_EQ(exact(moving, "lambda.string"), "a symbol");
}

/// The dependent angles of a four-bar have a pole only where the loop is singular, not where a pivot of its elimination vanishes:
/// with the crank independent, β′ = −1 − a sin(α − δ)/(b sin(α + β − δ)) and δ′ = a sin β/(c sin(α + β − δ)).
TEST(ReducedFormulas, OfAFourBarHaveNoPivotsInThem) {
    const Subject subject("models/four_bar/model.toml");
    const numeric::OperatingPoint point = numeric::operating_point(*subject.numbers, subject.start());
    const LinearFormulas formulas = linear::linear_formulas(*subject.numbers, point, {"all"});
    const auto reduced_onto = [&](const std::string& name) {
        const linear::Linearization L = linear::linearize(*subject.numbers, point, {.onto = {name}});
        EXPECT_TRUE(L.is_ok) << L.why;
        return linear::reduced_formulas(formulas, L, {.reading = std::chrono::minutes(1)});
    };
    const auto written = [](const Expr& e) { return sym::write(*sym::readable(e)); };
    std::map<std::string, double> at{{"a", 0.1}, {"b", 0.35}, {"c", 0.25}, {"alpha", 0.3}, {"beta", -0.3}, {"delta", 1.1}};  // α + β = 0
    const auto value = [&](const Expr& e) { return sym::evaluate<double>(e, [&](const Expr& s) { return at.at(s.symbol().name); }); };
    const auto crank = reduced_onto("alpha");
    ASSERT_TRUE(crank.is_ok) << crank.why;
    const double s = std::sin(-1.1), t = std::sin(0.3 - 1.1);
    EXPECT_NEAR(value(crank.Y[1][0]), -1 - 0.1 * t / (0.35 * s), 1e-12);
    EXPECT_NEAR(value(crank.Y[2][0]), 0.1 * std::sin(-0.3) / (0.25 * s), 1e-12);
    EXPECT_LE(written(crank.Y[2][0]).size(), 45U) << written(crank.Y[2][0]);
    EXPECT_LE(written(crank.Y[1][0]).size(), 85U) << written(crank.Y[1][0]);
    const auto coupler = reduced_onto("beta");
    ASSERT_TRUE(coupler.is_ok) << coupler.why;
    EXPECT_NEAR(value(coupler.Y[0][0]), -0.35 * s / (0.35 * s + 0.1 * t), 1e-12);
    EXPECT_LE(written(coupler.Y[0][0]).size(), 95U) << written(coupler.Y[0][0]);
}

}  // namespace
}  // namespace linkwright
