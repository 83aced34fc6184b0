// The triple pendulum as the thesis prints it [lynch88 Appendix B] against what Kane's method gives for his own input.

#include <cctype>
#include <cmath>
#include <fstream>
#include <map>

#include "linkwright/sym/readable.hpp"
#include "print/subject.hpp"

namespace linkwright::print {
namespace {

/// "M(1,1)" and the like to the text of their formula.
std::map<std::string, std::string> printed() {
    std::map<std::string, std::string> formulas;
    std::ifstream file(root() + "/test/print/lynch_appendix_b.txt");
    EXPECT_TRUE(file);
    std::string line, name;
    while (std::getline(file, line)) {
        if (line.empty() || line[0] == '#') continue;
        if (line[0] == ' ') {
            formulas[name] += line;
        } else {
            const std::size_t equals = line.find(" = ");
            name = line.substr(0, equals);
            formulas[name] = line.substr(equals + 3);
        }
    }
    return formulas;
}

/// What carrying a text out takes, as written: every + - * / between two things is one operation, a power x^n takes
/// ceil(log2 n) of them, a sign in front is free. Sines and cosines are counted apart: his are variables c(6), s(6),
/// worked out before, and he pays for them once. Ours and his are counted by this one function.
struct Count {
    double operations = 0, functions = 0;
    double all() const { return operations + functions; }
};

Count count(const std::string& text) {
    Count n;
    bool after_value = false;  // a + or - that follows stands between two things
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ' ') continue;
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
            std::size_t end = i;
            while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '\'')) ++end;
            if (end < text.size() && text[end] == '(') n.functions += 1;
            i = end - 1;
            after_value = true;
        } else if (c == '^') {
            n.operations += std::max(1.0, std::ceil(std::log2(std::stod(text.substr(i + 1)))));
            ++i;
        } else if (c == '*' || c == '/' || ((c == '+' || c == '-') && after_value)) {
            n.operations += 1;
            after_value = false;
        } else {
            after_value = c != '(' && c != '+' && c != '-';
        }
    }
    return n;
}

TEST(Count, CountsWhatIsWritten) {
    EXPECT_EQ(count("-a*b^2+(c - -2)/x").operations, 5);
    EXPECT_EQ(count("x^3").operations, 2);
    EXPECT_EQ(count("cos(q1)*sin(q1')^2-1").operations, 3);
    EXPECT_EQ(count("cos(q1)*sin(q1')^2-1").functions, 2);
    EXPECT_EQ(count("0.5*(a)*3").operations, 2);
}

class AppendixB : public testing::Test {
protected:
    AppendixB() : s(subject("models/lynch_triple_pendulum/lynch.toml")) { desk.lay_out(s.equations); }

    /// name in the print → ours.
    std::map<std::string, Expr> entries() const {
        std::map<std::string, Expr> out;
        for (std::size_t i = 0; i < 3; ++i) {
            out.emplace("f(" + std::to_string(i + 1) + ")", s.equations.f[i]);
            for (std::size_t j = 0; j < 3; ++j) {
                out.emplace("M(" + std::to_string(i + 1) + "," + std::to_string(j + 1) + ")", s.equations.M[i][j]);
            }
        }
        return out;
    }
    Subject s;
    Desk desk;
    std::map<std::string, std::string> print = printed();
};

TEST_F(AppendixB, IsWhatKaneGives) {
    ASSERT_EQ(print.size(), 3u + 4 * 9);
    for (const auto& [name, ours] : entries()) desk.expect_equal(ours, print.at(name), name);
    EXPECT_EQ(sym::print(s.equations.M[1][2]), "0");
    EXPECT_EQ(sym::print(s.equations.M[2][1]), "0");
}

TEST_F(AppendixB, ModelFileSaysTheSameAsHisInput) {
    const Subject file = subject("models/triple_pendulum/model.toml");
    for (std::size_t i = 0; i < 3; ++i) {
        desk.expect_equal(file.equations.f[i], print.at("f(" + std::to_string(i + 1) + ")"), "f");
        for (std::size_t j = 0; j < 3; ++j) {
            desk.expect_equal(file.equations.M[i][j], print.at("M(" + std::to_string(i + 1) + "," + std::to_string(j + 1) + ")"), "M");
        }
    }
}

TEST_F(AppendixB, ANegatedTermIsNoticed) {
    std::string text = print.at("f(2)");
    const std::size_t at = text.find("+TAU32");
    ASSERT_NE(at, std::string::npos);
    text[at] = '-';
    EXPECT_EQ(sym::equal(desk.ours(s.equations.f[1]), desk.theirs(text)), sym::Verdict::different);
    EXPECT_EQ(sym::equal_exactly(desk.ours(s.equations.f[1]), desk.theirs(text)).verdict, sym::Verdict::different);
}

/// The linear matrices are derivatives of the printed forces at rest, hanging: clin = ∂f/∂u, klin = ∂f/∂q.
TEST_F(AppendixB, LinearMatricesFollowFromTheNonlinearOnes) {
    std::vector<sym::Binding> rest;
    for (const auto& list : {s.equations.q, s.equations.u}) {
        for (const Expr& x : list) rest.emplace_back(x, Expr(*s.equations.pool, sym::Pool::zero_id));
    }
    sym::Substitution at_rest(rest);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const std::string place = "(" + std::to_string(i + 1) + "," + std::to_string(j + 1) + ")";
            desk.expect_equal(at_rest(s.equations.M[i][j]), print.at("Mlin" + place), "Mlin" + place);
            desk.expect_equal(at_rest(sym::derivative(s.equations.f[i], s.equations.u[j])), print.at("Clin" + place), "Clin" + place);
            desk.expect_equal(at_rest(sym::derivative(s.equations.f[i], s.equations.q[j])), print.at("Klin" + place), "Klin" + place);
        }
    }
}

TEST_F(AppendixB, OursIsNoLonger) {
    double ours_in_all = 0, his_in_all = 0;
    for (const auto& [name, e] : entries()) {
        const auto formula = sym::readable(e);
        ASSERT_TRUE(formula) << name << ": " << formula.why_not;
        const std::string text = write(*formula);
        const Count ours = count(text), his = count(print.at(name));
        EXPECT_EQ(ours.all(), operations(*formula)) << text;
        EXPECT_LE(ours.operations, his.operations) << name << " = " << text;
        EXPECT_LE(ours.all(), his.all()) << name << " = " << text;
        ours_in_all += ours.all();
        his_in_all += his.all();
    }
    EXPECT_LE(2 * ours_in_all, his_in_all);
    RecordProperty("ours", std::to_string(ours_in_all));
    RecordProperty("his", std::to_string(his_in_all));
}

}  // namespace
}  // namespace linkwright::print
