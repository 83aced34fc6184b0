#include "linkwright/sym/taylor.hpp"

#include <algorithm>
#include <array>

#include "linkwright/sym/functions.hpp"
#include "linkwright/sym/node_map.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::sym {

namespace {

/// A power series in ε, cut after a fixed order. A constant has one coefficient; what moves has two or more (unless only
/// the value is asked for), trailing zeros beyond the second are not kept.
using Series = std::vector<Expr>;

bool is_zero_node(const Expr& e) { return e.id() == Pool::zero_id; }

class SeriesAlgebra {
public:
    SeriesAlgebra(Pool& pool, std::size_t order) : pool_(pool), order_(order) {}

    Expr zero() const { return {pool_, Pool::zero_id}; }
    Expr one() const { return {pool_, Pool::one_id}; }
    Expr at(const Series& x, std::size_t k) const { return k < x.size() ? x[k] : zero(); }
    Expr number(const Rational& r) const { return {pool_, pool_.make_number(r)}; }
    Expr number(std::size_t n) const { return number(Rational(static_cast<std::int64_t>(n))); }

    /// Without trailing zeros; and where one coefficient is undefined, all that follow are.
    Series trimmed(Series x) const {
        const auto hole = std::ranges::find_if(x, &Expr::is_undefined);
        if (hole != x.end()) {
            x.erase(hole, x.end());
            x.resize(order_ + 1, Expr(pool_, Pool::undefined_id));
        }
        while (x.size() > 2 && is_zero_node(x.back())) x.pop_back();
        return x;
    }
    Series add(const Series& x, const Series& y) const {
        Series z;
        for (std::size_t k = 0; k < std::max(x.size(), y.size()); ++k) z.push_back(at(x, k) + at(y, k));
        return trimmed(std::move(z));
    }
    Series sub(const Series& x, const Series& y) const { return add(x, scale(number(Rational(-1)), y)); }
    Series scale(const Expr& a, Series x) const {
        for (Expr& c : x) c = a * c;
        return trimmed(std::move(x));
    }
    Series mul(const Series& x, const Series& y) const {
        Series z(std::min(order_ + 1, x.size() + y.size() - 1), zero());
        const bool is_whole = std::ranges::none_of(y, &Expr::is_undefined);
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (is_zero_node(x[i]) && is_whole) continue;
            for (std::size_t j = 0; j < y.size() && i + j < z.size(); ++j) z[i + j] += x[i] * y[j];
        }
        return trimmed(std::move(z));
    }
    /// x^r. Away from x_0 = 0 by k x_0 y_k = Σ_j (j r − (k−j)) x_j y_{k−j}  (differentiate x·y' = r·x'·y).
    Series power(const Series& x, const Rational& r) const {
        const auto n = r.small_numerator();
        const bool is_small_natural = r.is_integer() && n && *n >= 0 && (*n <= 64 || is_zero_node(x[0]));
        if (is_small_natural) {
            if (is_zero_node(x[0]) && *n > static_cast<std::int64_t>(order_)) return Series(std::min<std::size_t>(x.size(), 2), zero());
            Series result{one()}, square = x;
            for (std::int64_t m = *n; m != 0; m >>= 1) {
                if ((m & 1) != 0) result = mul(result, square);
                if (m > 1) square = mul(square, square);
            }
            return result;
        }
        Series y{pow(x[0], r)};
        if (x.size() == 1) return trimmed(std::move(y));
        const Expr inverse = pow(x[0], -1);
        for (std::size_t k = 1; k <= order_; ++k) {
            Expr sum = zero();
            for (std::size_t j = 1; j <= k && j < x.size(); ++j) {
                const Rational factor = Rational(static_cast<std::int64_t>(j)) * r - Rational(static_cast<std::int64_t>(k - j));
                sum += number(factor) * x[j] * y[k - j];
            }
            y.push_back(sum * inverse * number(Rational(1, static_cast<std::int64_t>(k))));
        }
        return trimmed(std::move(y));
    }
    /// y' = x'·w, y_0 given: k y_k = Σ_j j x_j w_{k−j}.
    Expr integral_term(const Series& x, const Series& w, std::size_t k) const {
        Expr sum = zero();
        for (std::size_t j = 1; j <= k && j < x.size(); ++j) sum += number(j) * x[j] * at(w, k - j);
        return sum * number(Rational(1, static_cast<std::int64_t>(k)));
    }
    Series integral(const Expr& y0, const Series& x, const Series& w) const {
        Series y{y0};
        for (std::size_t k = 1; k <= order_ && x.size() > 1; ++k) y.push_back(integral_term(x, w, k));
        return trimmed(std::move(y));
    }
    /// c0 + c1·x + c2·x²; the square is looked at only when c2 is not 0.
    Series quadratic(const std::array<int, 3>& c, const Series& x, const Series& square) const {
        Series sum;
        if (c[2] != 0) sum = scale(number(Rational(c[2])), square);
        if (c[1] != 0) sum = add(sum, scale(number(Rational(c[1])), x));
        return c[0] != 0 ? add({number(Rational(c[0]))}, sum) : sum;
    }
    /// y' = x'·w(y), with w = c0 + c1·y + c2·y² built along with y.
    Series grown(const Expr& y0, const Series& x, const std::array<int, 3>& c) const {
        Series y{y0};
        for (std::size_t k = 1; k <= order_ && x.size() > 1; ++k) {
            const Series w = quadratic(c, y, c[2] != 0 ? mul(y, y) : Series());
            y.push_back(integral_term(x, w, k));
        }
        return trimmed(std::move(y));
    }
    /// w of y' = x'·w(x), w = ±(c0 + c1·x + c2·x²)^r.
    Series slope_by_argument(const Slope& s, const Series& x, const Series& square) const {
        Series w = power(quadratic(s.c, x, square), Rational(s.halves, 2));
        return s.sign < 0 ? scale(number(Rational(-1)), std::move(w)) : w;
    }
    std::pair<Series, Series> sine_cosine(const Series& x) const {
        Series s{sin(x[0])}, c{cos(x[0])};
        for (std::size_t k = 1; k <= order_ && x.size() > 1; ++k) {
            const Expr s_k = integral_term(x, c, k), c_k = -integral_term(x, s, k);
            s.push_back(s_k);
            c.push_back(c_k);
        }
        return {trimmed(std::move(s)), trimmed(std::move(c))};
    }
    /// atan2(y, x): the angle's rate is (x y' − y x') / (x² + y²).
    Series direction(const Series& y, const Series& x) const {
        const bool crosses_the_cut = is_zero_node(y[0]) && y.size() > 1 && x[0].is_number() && x[0].number().sign() < 0;
        if (crosses_the_cut) return trimmed({atan2(y[0], x[0]), Expr(pool_, Pool::undefined_id)});
        const Series w = power(add(mul(x, x), mul(y, y)), -1);
        Series angle = integral(zero(), y, mul(x, w));
        angle = add(angle, scale(number(Rational(-1)), integral(zero(), x, mul(y, w))));
        angle[0] = atan2(y[0], x[0]);
        return trimmed(std::move(angle));
    }
    /// if(condition > 0, a, b). A condition that passes through zero at the point leaves only the value there.
    Series choose(const Series& switching, const Series& a, const Series& b) const {
        const Expr& condition = switching[0];
        if (is_zero_node(condition) && switching.size() > 1 && a != b) return trimmed({b[0], Expr(pool_, Pool::undefined_id)});
        Series z;
        for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) z.push_back(select(condition, at(a, k), at(b, k)));
        return trimmed(std::move(z));
    }
    Series absolute(const Series& x) const {
        if (x.size() > 1 && is_zero_node(x[0])) return trimmed({zero(), Expr(pool_, Pool::undefined_id)});
        Series y = scale(sign(x[0]), x);
        y[0] = abs(x[0]);
        return y;
    }

    Series apply(const Expr& e, const Series& x) const {
        const Series square = mul(x, x);  // ahead of all else, whatever the function: the order of nodes is that of terms in print
        const Op f = e.op();
        switch (f) {
            case Op::sin: return sine_cosine(x).first;
            case Op::cos: return sine_cosine(x).second;
            case Op::abs: return absolute(x);
            case Op::sign:
                if (x.size() > 1 && is_zero_node(x[0])) return trimmed({zero(), Expr(pool_, Pool::undefined_id)});
                return trimmed(x.size() > 1 ? Series{sign(x[0]), zero()} : Series{sign(x[0])});
            default: break;
        }
        const Slope& s = elementary_function(f).slope;
        if (s.kind == Slope::Kind::by_value) return grown(make_function(f, x[0]), x, s.c);
        if (s.kind != Slope::Kind::by_argument) return {Expr(pool_, Pool::undefined_id)};
        return integral(make_function(f, x[0]), x, slope_by_argument(s, x, square));
    }

private:
    Pool& pool_;
    std::size_t order_;
};

}  // namespace

std::vector<Expr> taylor(const Expr& e, std::span<const Increment> about, std::size_t order) {
    Pool& pool = e.pool();
    const SeriesAlgebra algebra(pool, order);
    NodeMap<Series> given;
    for (const Increment& i : about) {
        Series x{algebra.zero() + i.at};
        if (order > 0 && !is_zero_node(i.step)) x.push_back(algebra.zero() + i.step);
        given.insert(i.symbol.id(), algebra.trimmed(std::move(x)));
    }
    const Sweep s = sweep(std::span(&e, 1));
    std::vector<Series> value;
    value.reserve(s.steps.size());
    for (const Sweep::Step& step : s.steps) {
        const Expr node(pool, step.id);
        const auto x = [&](std::size_t i) -> const Series& { return value[step.args[i]]; };
        const auto calc = [&]() -> Series {
            switch (node.op()) {
                case Op::undefined:
                case Op::number:
                case Op::pi: return algebra.trimmed({node});
                case Op::symbol: {
                    const Series* known = given.find(step.id);
                    return known == nullptr ? Series{node} : *known;
                }
                case Op::add: return algebra.add(x(0), x(1));
                case Op::mul: return algebra.mul(x(0), x(1));
                case Op::pow: return algebra.power(x(0), node.exponent());
                case Op::atan2: return algebra.direction(x(0), x(1));
                case Op::min: return algebra.choose(algebra.sub(x(1), x(0)), x(0), x(1));
                case Op::max: return algebra.choose(algebra.sub(x(0), x(1)), x(0), x(1));
                case Op::select: return algebra.choose(x(0), x(1), x(2));
                default: return algebra.apply(node, x(0));
            }
        };
        value.push_back(calc());
    }
    Series result = value[s.roots.front()];
    result.resize(order + 1, algebra.zero());  // cut or filled up
    return result;
}

}  // namespace linkwright::sym
