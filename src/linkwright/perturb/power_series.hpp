#pragma once
// Polynomials in several small variables, cut after a total degree, and the walk of an expression's graph with them for numbers:
// every function of the graph becomes its Taylor polynomial without a single symbolic derivative.
//
// Coefficients are elements of a *field*: doubles here, expressions elsewhere. The variables stand in three blocks of n, a motion,
// its rate and its acceleration, so that d/dt is an operation on polynomials as well.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/functions.hpp"

namespace linkwright::perturb {

/// The monomials of some variables up to a degree, numbered by degree; within a degree Π x_(a_i), a_1 ≤ … ≤ a_k, has the number
/// Σ C(a_i + i − 1, i).
class Monomials {
public:
    Monomials(std::size_t variables, unsigned degree);

    std::size_t variables() const { return variables_; }
    unsigned degree() const { return degree_; }
    std::size_t size() const { return first_.back(); }
    /// The first of a degree; of degree() + 1 it is size().
    std::size_t first(unsigned degree) const { return first_[degree]; }
    unsigned degree_of(std::size_t monomial) const { return degrees_[monomial]; }
    /// Its variables, ascending, each as often as its power.
    std::span<const std::uint16_t> factors(std::size_t monomial) const { return {&factors_[monomial * degree_], degrees_[monomial]}; }
    std::size_t number(std::span<const std::uint16_t> factors) const;
    std::size_t variable(std::size_t v) const { return 1 + v; }

    /// Where the degree stays within bounds.
    std::size_t times(std::size_t monomial, std::size_t v) const { return times_[monomial * variables_ + v]; }
    std::size_t product(std::size_t a, std::size_t b) const {
        if (degrees_[a] < degrees_[b]) std::swap(a, b);
        for (const std::uint16_t v : factors(b)) a = times(a, v);
        return a;
    }
    /// Without one factor v, which it has.
    std::size_t without(std::size_t monomial, std::size_t v) const;
    std::vector<std::uint8_t> powers(std::size_t monomial) const;

private:
    std::size_t variables_;
    unsigned degree_;
    std::vector<std::size_t> first_;
    std::vector<std::uint8_t> degrees_;
    std::vector<std::uint16_t> factors_;
    std::vector<std::uint32_t> times_;
    std::vector<std::size_t> binomial_;  ///< C(x, i), rows of degree + 1
};

/// Coefficients of f(x + δ) = Σ c_k δ^k. Not finite, or undefined, where there is no expansion.
template <class Real>
std::vector<Real> taylor_coefficients(sym::Op f, const Real& x, unsigned order);
template <class Real>
std::vector<Real> taylor_coefficients_of_power(const Real& x, const sym::Rational& exponent, unsigned order);

/// Doubles as coefficients.
struct RealField {
    using Element = double;
    static bool is_zero(double x) { return x == 0; }
    static double number(const sym::Rational& r) { return r.to_double(); }
    static double pi() { return 3.14159265358979323846; }
    /// 0: cannot be told from zero beside `size`.
    static int sign(double x, double size) { return std::abs(x) <= 1e-10 * size ? 0 : x > 0 ? 1 : -1; }
    static double size(double x) { return std::abs(x); }
    static bool is_fine(double x) { return std::isfinite(x); }
    static std::optional<std::array<double, 2>> sine_cosine(double x) { return std::array{std::sin(x), std::cos(x)}; }
    static std::vector<double> function(sym::Op f, double x, unsigned order);
    static std::vector<double> power(double x, const sym::Rational& exponent, unsigned order);
    static std::optional<double> atan2(double y, double x) { return std::atan2(y, x); }
};

/// A polynomial: monomials ascending, coefficients not zero.
template <class C>
using PowerSeries = std::vector<std::pair<std::uint32_t, C>>;

template <class Field>
class SeriesAlgebra {
public:
    using C = typename Field::Element;
    using Series = PowerSeries<C>;

    explicit SeriesAlgebra(const Monomials& monomials, Field of = {})
        : field(std::move(of)), m(monomials), sum_(m.size(), C{}), is_used_(m.size(), 0) {}

    Field field;
    const Monomials& m;
    std::string why;  ///< what the last walk could not do; empty otherwise

    Series constant(const C& c) const {
        if (field.is_zero(c)) return {};
        return {{0, c}};
    }
    Series variable(std::size_t v) const { return {{static_cast<std::uint32_t>(m.variable(v)), field.number(1)}}; }
    C value(const Series& x) const { return !x.empty() && x.front().first == 0 ? x.front().second : C{}; }
    C coefficient(const Series& x, std::size_t monomial) const {
        const auto at = std::ranges::lower_bound(x, monomial, {}, [](const auto& term) { return std::size_t{term.first}; });
        return at != x.end() && at->first == monomial ? at->second : C{};
    }
    static bool is_constant(const Series& x) { return x.empty() || (x.size() == 1 && x.front().first == 0); }

    Series add(const Series& x, const Series& y) const {
        Series z;
        z.reserve(x.size() + y.size());
        std::size_t i = 0, j = 0;
        while (i < x.size() || j < y.size()) {
            if (j == y.size() || (i < x.size() && x[i].first < y[j].first)) {
                z.push_back(x[i++]);
            } else if (i == x.size() || y[j].first < x[i].first) {
                z.push_back(y[j++]);
            } else {
                C c = x[i].second + y[j].second;
                if (!field.is_zero(c)) z.emplace_back(x[i].first, std::move(c));
                ++i, ++j;
            }
        }
        return z;
    }
    Series scale(const C& a, Series x) const {
        if (field.is_zero(a)) return {};
        for (auto& term : x) term.second = a * term.second;
        std::erase_if(x, [&](const auto& term) { return field.is_zero(term.second); });
        return x;
    }
    Series subtract(const Series& x, const Series& y) const { return add(x, scale(field.number(-1), y)); }
    Series multiply(const Series& x, const Series& y);
    /// Only terms up to a degree.
    Series cut(Series x, unsigned degree) const {
        std::erase_if(x, [&](const auto& term) { return m.degree_of(term.first) > degree; });
        return x;
    }
    /// ∂x/∂(variable v): of a degree less.
    Series derivative(const Series& x, std::size_t v) const;
    /// dx/dt where variable v + n is the rate of v, for the first two of three blocks of n.
    Series rate(const Series& x) const;
    /// Σ c_k (x − x_0)^k.
    Series compose(const std::vector<C>& c, const Series& x);

    Series power(const Series& x, const sym::Rational& exponent);
    Series function(sym::Op f, const Series& x);
    Series function(sym::Op f, const Series& x, const Series& y);
    Series select(const Series& condition, const Series& a, const Series& b);

    /// Of each root, where the symbol s is `of(s)`. Empty when a function has no expansion here: `why` names it.
    std::vector<Series> walk(std::span<const sym::Expr> roots, const std::function<Series(const sym::Expr&)>& of);

private:
    Series fail(std::string what) {
        if (why.empty()) why = std::move(what);
        return {};
    }
    Series moving(const Series& x) const { return !x.empty() && x.front().first == 0 ? Series(x.begin() + 1, x.end()) : x; }
    int sign(const Series& x) const {
        double size = 0;
        for (const auto& [monomial, c] : x) {
            if (monomial != 0) size = std::max(size, field.size(c));
        }
        return field.sign(value(x), size);
    }
    std::vector<C> sum_;
    std::vector<std::uint8_t> is_used_;
    std::vector<std::uint32_t> used_;
};

// ——— from here on: how ———

template <class Field>
auto SeriesAlgebra<Field>::multiply(const Series& x, const Series& y) -> Series {
    if (x.empty() || y.empty()) return {};
    if (is_constant(x)) return scale(x.front().second, y);
    if (is_constant(y)) return scale(y.front().second, x);
    used_.clear();
    for (const auto& [a, c] : x) {
        const std::size_t end = m.first(m.degree() - m.degree_of(a) + 1);
        for (const auto& [b, d] : y) {
            if (b >= end) break;
            const std::size_t at = m.product(a, b);
            if (is_used_[at] == 0) {
                is_used_[at] = 1;
                used_.push_back(static_cast<std::uint32_t>(at));
                sum_[at] = c * d;
            } else {
                sum_[at] = sum_[at] + c * d;
            }
        }
    }
    std::ranges::sort(used_);
    Series z;
    z.reserve(used_.size());
    for (const std::uint32_t at : used_) {
        is_used_[at] = 0;
        if (!field.is_zero(sum_[at])) z.emplace_back(at, sum_[at]);
    }
    return z;
}

template <class Field>
auto SeriesAlgebra<Field>::derivative(const Series& x, std::size_t v) const -> Series {
    Series z;
    for (const auto& [monomial, c] : x) {
        const auto factors = m.factors(monomial);
        const auto power = std::ranges::count(factors, static_cast<std::uint16_t>(v));
        if (power > 0) z.emplace_back(static_cast<std::uint32_t>(m.without(monomial, v)), field.number(static_cast<int>(power)) * c);
    }
    std::ranges::sort(z, {}, [](const auto& term) { return term.first; });
    return z;
}

template <class Field>
auto SeriesAlgebra<Field>::rate(const Series& x) const -> Series {
    const std::size_t n = m.variables() / 3;
    Series z;
    for (const auto& [monomial, c] : x) {
        const auto factors = m.factors(monomial);
        for (std::size_t k = 0; k < factors.size(); ++k) {
            if (factors[k] >= 2 * n || (k > 0 && factors[k] == factors[k - 1])) continue;
            const auto power = std::ranges::count(factors, factors[k]);
            const std::size_t to = m.times(m.without(monomial, factors[k]), factors[k] + n);
            z.emplace_back(static_cast<std::uint32_t>(to), field.number(static_cast<int>(power)) * c);
        }
    }
    std::ranges::stable_sort(z, {}, [](const auto& term) { return term.first; });
    Series gathered;
    for (auto& term : z) {
        if (!gathered.empty() && gathered.back().first == term.first) {
            gathered.back().second = gathered.back().second + term.second;
        } else {
            gathered.push_back(std::move(term));
        }
    }
    std::erase_if(gathered, [&](const auto& term) { return field.is_zero(term.second); });
    return gathered;
}

template <class Field>
auto SeriesAlgebra<Field>::compose(const std::vector<C>& c, const Series& x) -> Series {
    const Series d = moving(x);
    if (d.empty()) return constant(c[0]);
    const std::size_t most = std::min<std::size_t>(c.size() - 1, m.degree() / std::max(1U, m.degree_of(d.front().first)));
    Series z = constant(c[most]);
    for (std::size_t k = most; k-- > 0;) z = add(multiply(z, d), constant(c[k]));
    return z;
}

template <class Field>
auto SeriesAlgebra<Field>::power(const Series& x, const sym::Rational& r) -> Series {
    const auto n = r.small_numerator();
    if (r.is_integer() && n && *n >= 0 && (*n <= 64 || field.is_zero(value(x)))) {
        if (field.is_zero(value(x)) && *n > static_cast<std::int64_t>(m.degree())) return {};
        Series z = constant(field.number(1)), square = x;
        for (std::int64_t k = *n; k != 0; k >>= 1) {
            if ((k & 1) != 0) z = multiply(z, square);
            if (k > 1) square = multiply(square, square);
        }
        return z;
    }
    if (field.is_zero(value(x)) || (!is_constant(x) && sign(x) == 0))
        return fail(r.is_integer() ? "it divides by zero" : "it is a root of zero");
    const std::vector<C> c = field.power(value(x), r, is_constant(x) ? 0 : m.degree());
    return c.empty() ? fail("it has no expansion") : compose(c, x);
}

template <class Field>
auto SeriesAlgebra<Field>::function(sym::Op f, const Series& x) -> Series {
    using sym::Op;
    const unsigned order = is_constant(x) ? 0 : m.degree();
    if (f == Op::sin || f == Op::cos) {
        const auto both = field.sine_cosine(value(x));
        if (!both) return fail("its argument depends on time otherwise than through sines and cosines");
        const C minus_one = field.number(-1);
        const std::array<C, 4> sines{(*both)[0], (*both)[1], minus_one * (*both)[0], minus_one * (*both)[1]};
        std::vector<C> c;
        std::int64_t factorial = 1;
        for (unsigned k = 0; k <= order; ++k) {
            if (k > 0) factorial *= k;
            c.push_back(field.number(sym::Rational(1, factorial)) * sines[(k + (f == Op::cos ? 1 : 0)) % 4]);
        }
        return compose(c, x);
    }
    if (f == Op::abs || f == Op::sign) {
        const int s = sign(x);
        if (s == 0 && !is_constant(x)) return fail("it has a kink here");
        return f == Op::abs ? scale(field.number(s), x) : constant(field.number(s));
    }
    const std::vector<C> c = field.function(f, value(x), order);
    return c.empty() ? fail("it has no expansion") : compose(c, x);
}

template <class Field>
auto SeriesAlgebra<Field>::function(sym::Op f, const Series& x, const Series& y) -> Series {
    if (f == sym::Op::atan2) {  // the angle from (y0, x0): its tangent is a quotient that vanishes there
        const auto angle = field.atan2(value(x), value(y));
        if (!angle) return fail("it has no expansion");
        if (is_constant(x) && is_constant(y)) return constant(*angle);
        const C a = value(y), b = value(x);
        const Series across = subtract(scale(a, x), scale(b, y)), along = add(scale(a, y), scale(b, x));
        if (field.is_zero(value(along))) return fail("it has no direction here");
        const Series tangent = multiply(moving(across), power(along, -1));
        return add(constant(*angle), compose(field.function(sym::Op::atan, C{}, m.degree()), tangent));
    }
    const Series difference = subtract(x, y);
    const int s = sign(difference);
    if (s == 0 && !is_constant(difference)) return fail("it has a kink here");
    return (s < 0) == (f == sym::Op::min) ? x : y;
}

template <class Field>
auto SeriesAlgebra<Field>::select(const Series& condition, const Series& a, const Series& b) -> Series {
    const int s = sign(condition);
    if (s == 0 && !is_constant(condition)) return fail("its condition changes here");
    return s > 0 ? a : b;
}

template <class Field>
auto SeriesAlgebra<Field>::walk(std::span<const sym::Expr> roots, const std::function<Series(const sym::Expr&)>& of)
    -> std::vector<Series> {
    using sym::Op;
    why.clear();
    if (roots.empty()) return {};
    sym::Pool& pool = roots.front().pool();
    const sym::Sweep s = sym::sweep(roots);
    std::vector<std::uint32_t> last(s.steps.size(), 0);
    for (std::uint32_t i = 0; i < s.steps.size(); ++i) {
        for (std::size_t k = 0; k < s.steps[i].arity; ++k) last[s.steps[i].args[k]] = i;
    }
    for (const std::uint32_t root : s.roots) last[root] = static_cast<std::uint32_t>(s.steps.size());
    std::vector<Series> value(s.steps.size());
    for (std::uint32_t i = 0; i < s.steps.size(); ++i) {
        const auto& step = s.steps[i];
        const sym::Expr e(pool, step.id);
        const auto x = [&](std::size_t k) -> const Series& { return value[step.args[k]]; };
        switch (e.op()) {
            case Op::undefined: why = "something undefined occurs in the equations"; break;
            case Op::number: value[i] = constant(field.number(e.number())); break;
            case Op::pi: value[i] = constant(field.pi()); break;
            case Op::symbol: value[i] = of(e); break;
            case Op::add: value[i] = add(x(0), x(1)); break;
            case Op::mul: value[i] = multiply(x(0), x(1)); break;
            case Op::pow: value[i] = power(x(0), e.exponent()); break;
            case Op::atan2:
            case Op::min:
            case Op::max: value[i] = function(e.op(), x(0), x(1)); break;
            case Op::select: value[i] = select(x(0), x(1), x(2)); break;
            default: value[i] = function(e.op(), x(0));
        }
        for (const auto& term : value[i]) {
            if (why.empty() && !field.is_fine(term.second)) why = "it is not finite here";
        }
        if (!why.empty()) {
            const std::string text = sym::print(e);
            const std::string_view name = sym::function_name(e.op());
            if (e.op() != Op::undefined)
                why = (text.size() <= 60 ? text : name.empty() ? "a part of the equations" : std::string(name) + "(…)") + ": " + why;
            return {};
        }
        for (std::size_t k = 0; k < step.arity; ++k) {
            if (last[step.args[k]] == i) Series().swap(value[step.args[k]]);
        }
    }
    std::vector<Series> out;
    for (const std::uint32_t root : s.roots) out.push_back(value[root]);
    return out;
}

/// b = a^r of power series in one variable: k a_0 b_k = Σ_j (j r − (k − j)) a_j b_(k−j).
template <class Real>
std::vector<Real> power_of(const std::vector<Real>& a, const Real& first, const sym::Rational& r, unsigned order) {
    std::vector<Real> b{first};
    for (unsigned k = 1; k <= order; ++k) {
        Real sum(0);
        for (unsigned j = 1; j <= k && j < a.size(); ++j) {
            const sym::Rational factor = sym::Rational(static_cast<int>(j)) * r - sym::Rational(static_cast<int>(k - j));
            if constexpr (std::is_same_v<Real, double>)
                sum = sum + factor.to_double() * a[j] * b[k - j];
            else
                sum = sum + Real(factor) * a[j] * b[k - j];
        }
        b.push_back(sum / (Real(static_cast<int>(k)) * a[0]));
    }
    return b;
}

template <class Real>
std::vector<Real> taylor_coefficients_of_power(const Real& x, const sym::Rational& exponent, unsigned order) {
    if constexpr (std::is_same_v<Real, double>) {
        return power_of<double>({x, 1.0}, sym::Scalar<double>::power(x, exponent), exponent, order);
    } else {
        return power_of<Real>({x, Real(1)}, pow(x, exponent), exponent, order);
    }
}

/// The quadratic c0 + c1·(x + δ) + c2·(x + δ)² as a series in δ; `value` is it at δ = 0.
template <class Real>
std::vector<Real> quadratic_about(const std::array<int, 3>& c, const Real& x, const Real& value) {
    if (c[2] == 0) return {value, Real(c[1])};
    const Real linear = Real(2 * c[2]) * x;
    return {value, c[1] == 0 ? linear : Real(c[1]) + linear, Real(c[2])};
}
template <class Real>
Real quadratic_at(const std::array<int, 3>& c, const Real& x) {
    if (c[0] == 0 && c[2] == 0) return Real(c[1]) * x;  // keeps the sign of zero
    Real sum(c[0]);
    if (c[1] != 0) sum = sum + Real(c[1]) * x;
    if (c[2] != 0) sum = sum + Real(c[2]) * (x * x);
    return sum;
}

/// y' = c0 + c1·y + c2·y², y = `first` at δ = 0.
template <class Real>
std::vector<Real> solve_by_value(const std::array<int, 3>& c, const Real& first, unsigned order) {
    std::vector<Real> y{first};
    for (unsigned k = 0; k < order; ++k) {
        Real rate(k == 0 ? c[0] : 0);
        if (c[1] != 0) rate = rate + Real(c[1]) * y[k];
        if (c[2] != 0) {
            Real square(0);
            for (unsigned j = 0; j <= k; ++j) square = square + y[j] * y[k - j];
            rate = rate + Real(c[2]) * square;
        }
        y.push_back(rate / Real(static_cast<int>(k + 1)));
    }
    return y;
}
/// y = `first` + ±∫ slope.
template <class Real>
std::vector<Real> integrated(const Real& first, const std::vector<Real>& slope, int sign, unsigned order) {
    std::vector<Real> y{first};
    for (unsigned k = 1; k <= order; ++k) y.push_back(Real(sign) * slope[k - 1] / Real(static_cast<int>(k)));
    return y;
}

/// By the differential equation that the table of elementary functions has for f; none for sin, cos, abs and sign, whose series are
/// made elsewhere.
template <class Real>
std::vector<Real> taylor_coefficients(sym::Op f, const Real& x, unsigned order) {
    using std::sqrt;
    const sym::Slope& s = sym::elementary_function(f).slope;
    const auto value = [&] {
        if constexpr (std::is_same_v<Real, double>)
            return sym::calc_library_function(f, x);
        else
            return sym::make_function(f, x);
    };
    if (s.kind == sym::Slope::Kind::by_value) return solve_by_value<Real>(s.c, value(), order);
    if (s.kind != sym::Slope::Kind::by_argument) return {};
    const Real a = quadratic_at(s.c, x);
    const auto inverse = [&] { return Real(1) / (s.halves == -2 ? a : sqrt(a)); };
    return integrated<Real>(value(), power_of<Real>(quadratic_about(s.c, x, a), inverse(), sym::Rational(s.halves, 2), order), s.sign,
                            order);
}

inline std::vector<double> RealField::function(sym::Op f, double x, unsigned order) { return taylor_coefficients<double>(f, x, order); }
inline std::vector<double> RealField::power(double x, const sym::Rational& exponent, unsigned order) {
    return taylor_coefficients_of_power<double>(x, exponent, order);
}

}  // namespace linkwright::perturb
