// A short tour of the graph: the double pendulum's Lagrangian is built, differentiated into equations of motion, read,
// and compared with what a book prints, once rightly and once with a slip.

#include <fmt/format.h>

#include <array>
#include <vector>

#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/readable.hpp"

using namespace linkwright::sym;

namespace {

std::string reading(const Expr& e, Style style = Style::text) {
    const auto formula = readable(e);
    return formula ? write(*formula, {.style = style}) : "(" + formula.why_not + ")";
}

/// What the fingerprint and the exact normal form say of two expressions.
std::string verdicts(const Expr& a, const Expr& b) {
    const ErrorBound bound = error_bound(a, b);
    const Verdict quick = equal(a, b);
    std::string text = fmt::format("{} by fingerprint", to_string(quick));
    if (quick == Verdict::equal) text += fmt::format(" (wrong with probability below 2^{:.0f})", bound.log2_error);
    return text + fmt::format(", {} by exact normal form", to_string(equal_exactly(a, b).verdict));
}

}  // namespace

int main() {
    Pool pool;
    const PoolScope scope(pool);

    fmt::print("Double pendulum: two point masses, angles q1 and q2 from the vertical.\n\n");
    const std::array q{symbol("q1", Role::coordinate), symbol("q2", Role::coordinate)};
    const std::array u{symbol("q1'", Role::speed), symbol("q2'", Role::speed)};
    const std::array a{symbol("q1''", Role::acceleration), symbol("q2''", Role::acceleration)};
    const Expr m1 = symbol("m1"), m2 = symbol("m2"), l1 = symbol("l1"), l2 = symbol("l2"), g = symbol("g");
    Tangent rate{{q[0], u[0]}, {q[1], u[1]}, {u[0], a[0]}, {u[1], a[1]}};  // d/dt along the motion

    // Positions of the bobs, x to the right and y up; T = ½ Σ m v², V = Σ m g y.
    const Expr x1 = l1 * sin(q[0]), y1 = -l1 * cos(q[0]), x2 = x1 + l2 * sin(q[1]), y2 = y1 - l2 * cos(q[1]);
    const auto square = [](const Expr& e) { return e * e; };
    const Expr T = m1 * (square(rate(x1)) + square(rate(y1))) / 2 + m2 * (square(rate(x2)) + square(rate(y2))) / 2;
    const Expr V = m1 * g * y1 + m2 * g * y2, L = T - V;
    fmt::print("The Lagrangian as it was built:\n  L = {}\nand as it is read:\n  L = {}\n\n", print(L), reading(L));

    fmt::print("Lagrange's equations d/dt(∂L/∂q') - ∂L/∂q = 0, arranged as M q'' = f:\n");
    std::array<Expr, 2> residual;
    for (std::size_t i = 0; i < 2; ++i) residual[i] = rate(derivative(L, u[i])) - derivative(L, q[i]);
    const SparseMatrix M = jacobian(residual, a);
    for (const auto& entry : M.entries) {
        fmt::print("  M{}{} = {}\n", entry.row + 1, entry.column + 1, reading(entry.value));
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const Expr f = M.entries[2 * i].value * a[0] + M.entries[2 * i + 1].value * a[1] - residual[i];
        fmt::print("  f{}  = {}\n", i + 1, reading(f));
    }
    fmt::print("In LaTeX, the first line of M:\n  {}\n  {}\n\n", reading(M.entries[0].value, Style::latex),
               reading(M.entries[1].value, Style::latex));

    fmt::print("A book prints the first equation so:\n");
    const std::string book = "(m1 + m2)*l1*q1'' + m2*l2*q2''*cos(q1 - q2) + m2*l2*q2'^2*sin(q1 - q2) + (m1 + m2)*g*sin(q1)";
    fmt::print("  {} = 0\n", book);
    const Expr printed = *parse(book, names_of(pool)).expr;
    fmt::print("l1 times that, and ours, are {}.\n", verdicts(l1 * printed, residual[0]));
    const std::string slip = "(m1 + m2)*l1*q1'' + m2*l2*q2''*cos(q1 - q2) - m2*l2*q2'^2*sin(q1 - q2) + (m1 + m2)*g*sin(q1)";
    const Expr wrong = *parse(slip, names_of(pool)).expr;
    fmt::print("With one sign slipped they are {};\nthe difference is {}.\n\n", verdicts(l1 * wrong, residual[0]),
               reading(l1 * wrong - residual[0]));

    const Pool::Statistics& s = pool.statistics();
    fmt::print("The pool holds {} nodes; folding by fingerprint found {} hidden duplicates and {} hidden constants.\n", pool.size(),
               s.merged + s.merged_negated, s.folded_to_number);
    fmt::print("The random point of this tour, for whoever wants to repeat it:\n{}", describe_point(std::array{L}));
}
