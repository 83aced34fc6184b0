#include "linkwright/linear/formula_system.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "linkwright/sym/arrangement.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/readable.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::linear {

namespace {

using Clock = std::chrono::steady_clock;
using Eigen::Index;
using sym::Formula;
using sym::Rational;

constexpr std::size_t large_group = 5, long_entry = 400;  // unknowns; nodes
constexpr double many_operations = 100;                   // for a fraction beside what cannot be read
constexpr sym::Budget budget{.terms = 400, .time = std::chrono::milliseconds(300)};

/// All in one pool, the coefficients those of the unknowns alone.
struct Copy {
    Matrix A, B;
    Copy(const FormulaSystem& system, sym::Pool& pool) {
        sym::Transplant carry(pool);
        std::vector<Expr> all;  // older ones first, so that they are the older ones here too
        for (std::size_t i = 0; i < system.A.size(); ++i) {
            for (const std::size_t k : system.unknowns) all.push_back(system.A[i][k]);
            all.insert(all.end(), system.B[i].begin(), system.B[i].end());
        }
        std::ranges::sort(all, {}, &Expr::id);
        for (const Expr& e : all) carry(e);
        for (std::size_t i = 0; i < system.A.size(); ++i) {
            auto &a = A.emplace_back(), &b = B.emplace_back();
            for (const std::size_t k : system.unknowns) a.push_back(carry(system.A[i][k]));
            for (const Expr& e : system.B[i]) b.push_back(carry(e));
        }
    }
};

struct Eliminated {
    Matrix X;
    Places rows;                   ///< in which the pivots stood
    bool has_plain_pivots = true;  ///< numbers
};

std::optional<Eliminated> eliminate(Copy copy, Eigen::MatrixXd value) {
    auto& [A, B] = copy;
    const std::size_t n = columns_of(A), width = columns_of(B);
    std::vector<bool> is_used(A.size(), false), is_done(n, false);
    std::vector<std::pair<std::size_t, std::size_t>> pivots;  // row, unknown
    const Eigen::VectorXd size = value.cwiseAbs().rowwise().maxCoeff();
    Eliminated result;
    for (std::size_t step = 0; step < n; ++step) {
        double most = 0;
        const auto for_each = [&](auto&& look) {
            for (std::size_t i = 0; i < A.size(); ++i) {
                for (std::size_t k = 0; k < n && !is_used[i]; ++k) {
                    if (!is_done[k] && size[i] > 0) look(i, k, std::abs(value(static_cast<Index>(i), static_cast<Index>(k))) / size[i]);
                }
            }
        };
        for_each([&](std::size_t, std::size_t, double x) { most = std::max(most, x); });
        if (!(most > 1e-9)) return std::nullopt;
        // of those large enough the simplest: a number rather than a formula, then the older node
        std::optional<std::tuple<bool, std::uint32_t, std::size_t, std::size_t>> best;
        for_each([&](std::size_t i, std::size_t k, double x) {
            if (x < 0.1 * most || A[i][k].is_literally(0)) return;
            const std::tuple candidate(!A[i][k].is_number(), static_cast<std::uint32_t>(A[i][k].id()), i, k);
            if (!best || candidate < *best) best = candidate;
        });
        if (!best) return std::nullopt;
        const std::size_t p = std::get<2>(*best), c = std::get<3>(*best);
        result.has_plain_pivots &= A[p][c].is_number();
        is_used[p] = is_done[c] = true;
        pivots.emplace_back(p, c);
        result.rows.push_back(p);
        for (std::size_t i = 0; i < A.size(); ++i) {
            if (is_used[i] || A[i][c].is_literally(0)) continue;
            const Expr factor = A[i][c] / A[p][c];
            const double number = value(static_cast<Index>(i), static_cast<Index>(c)) / value(static_cast<Index>(p), static_cast<Index>(c));
            for (std::size_t k = 0; k < n; ++k) {
                if (!is_done[k] && !A[p][k].is_literally(0)) A[i][k] -= factor * A[p][k];
            }
            for (std::size_t j = 0; j < width; ++j) {
                if (!B[p][j].is_literally(0)) B[i][j] -= factor * B[p][j];
            }
            value.row(i) -= number * value.row(p);
            A[i][c] = 0;
        }
    }
    result.X = sym::zeros(n, width);
    for (auto pivot = pivots.rbegin(); pivot != pivots.rend(); ++pivot) {
        const auto [p, k] = *pivot;
        for (std::size_t j = 0; j < width; ++j) {
            Expr rest = B[p][j];
            for (auto later = pivots.rbegin(); later != pivot; ++later) {
                const auto other = later->second;
                if (!A[p][other].is_literally(0) && !result.X[other][j].is_literally(0)) rest -= A[p][other] * result.X[other][j];
            }
            result.X[k][j] = rest.is_literally(0) ? rest : rest / A[p][k];
        }
    }
    return result;
}

/// Unknowns that meet in the same equations.
struct Group {
    Places rows, unknowns;
};

std::vector<Group> groups_of(const Matrix& A, const Places& rows) {
    std::vector<Group> groups;
    for (const std::size_t i : rows) {
        Group group{{i}, {}};
        for (std::size_t k = 0; k < A[i].size(); ++k) {
            if (!A[i][k].is_literally(0)) group.unknowns.push_back(k);
        }
        std::erase_if(groups, [&](const Group& other) {
            const bool meets = std::ranges::any_of(
                other.unknowns, [&](std::size_t k) { return std::ranges::find(group.unknowns, k) != group.unknowns.end(); });
            if (!meets) return false;
            group.rows.insert(group.rows.end(), other.rows.begin(), other.rows.end());
            group.unknowns.insert(group.unknowns.end(), other.unknowns.begin(), other.unknowns.end());
            std::ranges::sort(group.unknowns);
            group.unknowns.erase(std::ranges::unique(group.unknowns).begin(), group.unknowns.end());
            return true;
        });
        groups.push_back(std::move(group));
    }
    return groups;
}

bool is_long(const Expr& e) { return sym::nodes_below(std::span(&e, 1)).size() > long_entry; }

/// coefficient · Π base^power, the bases of a pool that does not fold.
struct Product {
    Rational coefficient = 1;
    std::vector<std::pair<Expr, Rational>> factors;
};

void take_apart(const Expr& e, const Rational& power, Product& product) {
    if (e.is_number() && power.is_integer()) {
        product.coefficient = product.coefficient * pow(Expr(e.number()), power).number();
    } else if (e.op() == sym::Op::mul && power.is_integer()) {
        take_apart(e.arg(0), power, product);
        take_apart(e.arg(1), power, product);
    } else if (e.op() == sym::Op::pow && power.is_integer()) {
        take_apart(e.arg(0), power * e.exponent(), product);
    } else {
        product.factors.emplace_back(e, power);
    }
}

/// Fractions with what is shared above and below cancelled.
class Reading {
public:
    explicit Reading(Clock::time_point deadline) : deadline_(deadline) {}

    /// e collected and factored.
    std::optional<Product> factored(const Expr& e) {
        const auto formula = read(e);
        if (!formula) return std::nullopt;
        const sym::PoolScope scope(plain_);
        sym::transplant(sym::symbols_in(std::span(&e, 1)), plain_);
        Product product;
        take_apart(sym::to_expr(*formula, plain_), 1, product);
        return product;
    }

    std::optional<Formula> quotient(Product above, const Product& below) {
        const sym::PoolScope scope(plain_);
        if (below.coefficient.is_zero() || Clock::now() > deadline_) return std::nullopt;
        above.coefficient = above.coefficient / below.coefficient;
        for (const auto& [base, power] : below.factors) divide(above, base, power);
        Expr e(above.coefficient);
        for (const auto& [base, power] : above.factors) e *= pow(base, power);
        Formula as_it_is = sym::faithful(e);
        auto formula = sym::readable(e, budget);
        return formula && !sym::is_shorter(as_it_is, *formula.value) ? std::move(*formula.value) : std::move(as_it_is);
    }

    std::optional<Formula> read(const Expr& e) {
        if (e.is_undefined() || is_long(e) || Clock::now() > deadline_) return std::nullopt;
        return sym::readable(e, budget).value;
    }

private:
    /// Powers of what is the same function but for a number are gathered; folding knows.
    void divide(Product& above, const Expr& base, const Rational& power) {
        const Expr divisor = sym::transplant(std::span(&base, 1), folding_).front();
        for (auto& [own, exponent] : above.factors) {
            const Expr ratio = sym::transplant(std::span(&own, 1), folding_).front() / divisor;
            if (!ratio.is_number() || ratio.is_literally(0)) continue;
            if (!ratio.is_literally(1) && !power.is_integer()) continue;
            // own = ratio · base: base^(−p) = ratio^p · own^(−p)
            above.coefficient = above.coefficient * (ratio.is_literally(1) ? Rational(1) : pow(Expr(ratio.number()), power).number());
            exponent = exponent - power;
            std::erase_if(above.factors, [](const auto& f) { return f.second.is_zero(); });
            return;
        }
        if (has_sums(base) && power.is_integer() && divided(above, base)) return divide(above, base, power - Rational(1));
        if (!power.is_zero()) above.factors.emplace_back(base, -power);
    }

    /// A sum above of which the base is a factor that reading did not find.
    bool divided(Product& above, const Expr& base) {
        for (std::size_t i = 0; i < above.factors.size(); ++i) {
            const auto [own, exponent] = above.factors[i];
            if (!exponent.is_one() || !has_sums(own)) continue;
            const auto form = sym::normal_form(own / base, plain_, budget);
            if (!form || form->is_undefined || !form->denominators.empty()) continue;
            const auto rest = sym::readable(sym::to_expr(*form, plain_), budget);
            if (!rest) continue;
            above.factors.erase(above.factors.begin() + static_cast<std::ptrdiff_t>(i));
            take_apart(sym::to_expr(*rest, plain_), 1, above);
            return true;
        }
        return false;
    }
    static bool has_sums(const Expr& e) { return e.op() == sym::Op::add || e.op() == sym::Op::sin || e.op() == sym::Op::cos; }

    Clock::time_point deadline_;
    sym::Pool plain_{sym::Pool::Options{.fold = false}}, folding_;
};

/// The fractions of Cramer's rule; empty places where there are none to read.
using Fractions = std::vector<std::vector<std::optional<Formula>>>;

Fractions cramer(const Copy& copy, const Places& rows, Reading& reading) {
    const std::size_t width = copy.B[0].size();
    Fractions X(rows.size(), std::vector<std::optional<Formula>>(width));
    for (const Group& group : groups_of(copy.A, rows)) {
        const std::size_t n = group.rows.size();
        if (n > large_group || group.unknowns.size() != n) continue;
        Matrix a = sym::zeros(n, n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) a[i][k] = copy.A[group.rows[i]][group.unknowns[k]];
        }
        const auto below = reading.factored(sym::determinant(a));
        if (!below) continue;
        const Matrix adj = sym::adjugate(a);  // row of adj(A) times a column is det A times an unknown
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < width; ++j) {
                Expr above = 0;
                for (std::size_t i = 0; i < n; ++i) above += adj[k][i] * copy.B[group.rows[i]][j];
                const auto product = reading.factored(above);
                if (product) X[group.unknowns[k]][j] = reading.quotient(*product, *below);
            }
        }
    }
    return X;
}

}  // namespace

std::optional<Matrix> solution(const FormulaSystem& system, Clock::time_point deadline) {
    const std::size_t n = system.unknowns.size();
    if (n == 0) return Matrix{};
    if (system.A.empty()) return std::nullopt;
    sym::Pool& home = system.A[0][0].pool();
    Eigen::MatrixXd value(system.value.rows(), static_cast<Index>(n));
    for (std::size_t k = 0; k < n; ++k) value.col(k) = system.value.col(system.unknowns[k]);

    sym::Pool aside;  // what equals a long formula would be folded into it: each way has its own pool
    auto eliminated = [&] {
        const sym::PoolScope scope(aside);
        return eliminate(Copy(system, aside), value);
    }();
    if (!eliminated) return std::nullopt;
    Reading reading(deadline);
    Fractions fractions;
    if (!eliminated->has_plain_pivots) {
        sym::Pool minors;
        const sym::PoolScope scope(minors);
        fractions = cramer(Copy(system, minors), eliminated->rows, reading);
    }
    sym::Transplant carry(home);
    Matrix X = std::move(eliminated->X);
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = 0; j < X[k].size(); ++j) {
            Expr& x = X[k][j];
            std::optional<Expr> shorter;
            if (!fractions.empty() && fractions[k][j] && x.arity() != 0) {
                const Formula& fraction = *fractions[k][j];
                const auto written = reading.read(x);
                const bool is_short = written ? !sym::is_shorter(*written, fraction) : sym::operations(fraction) <= many_operations;
                const bool is_same = sym::equal(sym::to_expr(fraction, aside), x) != sym::Verdict::different;
                if (is_same && is_short) shorter = sym::to_expr(fraction, home);
            }
            x = shorter ? *shorter : carry(x);
        }
    }
    return X;
}

}  // namespace linkwright::linear
