#pragma once
// Seeded random expressions, each with a shadow: the same operations carried out on plain doubles as it was built, so that
// whatever building rewrote can be compared with what was asked for.

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/expr.hpp"

namespace linkwright::sym::test {

constexpr std::size_t points = 3;

struct Shadowed {
    Expr e;
    std::array<double, points> value;
};

struct Kinds {
    bool analytic_functions = true;  // exp, log, tanh, atan, asin, sqrt, …
    bool kinks = false;              // abs, sign, min, max, if
    bool quotients = true;
    bool angles_are_linear = false;  // only sines of integer combinations of symbols
};

class RandomExpr {
public:
    RandomExpr(Pool& pool, std::uint64_t seed, Kinds kinds = {}) : pool_(pool), random_(seed), kinds_(kinds) {
        const std::array<Role, 4> roles{Role::coordinate, Role::speed, Role::parameter, Role::input};
        std::uniform_real_distribution<double> value(0.3, 1.4);
        for (std::size_t i = 0; i < 6; ++i) {
            Shadowed s{pool.symbol(std::string(1, "xyzabc"[i]), roles[i % 4]), {}};
            for (double& v : s.value) v = value(random_) * (below(2) == 0 ? 1 : -1);
            symbols_.push_back(s);
        }
    }

    const std::vector<Shadowed>& symbols() const { return symbols_; }
    std::vector<Expr> symbol_list() const {
        std::vector<Expr> list;
        for (const Shadowed& s : symbols_) list.push_back(s.e);
        return list;
    }
    /// The value of a symbol at one of the points.
    auto at(std::size_t point) const {
        return [this, point](const Expr& s) {
            for (const Shadowed& known : symbols_) {
                if (known.e.symbol().name == s.symbol().name) return known.value[point];
            }
            return std::nan("");
        };
    }

    /// An expression of about `size` operations, built over a growing heap of parts so that parts are shared.
    Shadowed operator()(std::size_t size) {
        std::vector<Shadowed> heap(symbols_);
        heap.push_back(number());
        heap.push_back(number());
        for (std::size_t i = 0; i < size; ++i) heap.push_back(step(heap));
        return heap.back();
    }

    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

    Shadowed number() {
        const auto n = static_cast<std::int64_t>(below(9)) - 4, d = static_cast<std::int64_t>(below(4)) + 1;
        const Rational r(n, d);
        Shadowed s{Expr(pool_, pool_.make_number(r)), {}};
        s.value.fill(r.to_double());
        return s;
    }

private:
    template <class F, class... S>
    static std::array<double, points> map(F f, const S&... x) {
        std::array<double, points> v{};
        for (std::size_t i = 0; i < points; ++i) v[i] = f(x.value[i]...);
        return v;
    }

    Shadowed pick(const std::vector<Shadowed>& heap) {  // recent parts are likelier: expressions grow deep
        const std::size_t n = heap.size();
        return heap[below(2) == 0 ? below(n) : n - 1 - below(std::min<std::size_t>(n, 4))];
    }
    Shadowed angle() {
        Shadowed sum{Expr(pool_, Pool::zero_id), {}};
        for (std::size_t i = 0; i < 1 + below(3); ++i) {
            const Shadowed& q = symbols_[below(4)];
            const auto n = static_cast<std::int64_t>(below(7)) - 3;
            sum = {sum.e + Expr(pool_, pool_.make_number(Rational(n))) * q.e,
                   map([n](double a, double b) { return a + static_cast<double>(n) * b; }, sum, q)};
        }
        return sum;
    }
    Shadowed circular(const Shadowed& x) {
        if (below(2) == 0) return {sin(x.e), map([](double a) { return std::sin(a); }, x)};
        return {cos(x.e), map([](double a) { return std::cos(a); }, x)};
    }
    /// Something of size about 1: keeps numbers comparable.
    Shadowed step(const std::vector<Shadowed>& heap) {
        const Shadowed x = pick(heap), y = pick(heap);
        switch (below(kinds_.kinks ? 16 : kinds_.analytic_functions ? 12 : 7)) {
            case 0:
            case 1: return {x.e + y.e, map([](double a, double b) { return a + b; }, x, y)};
            case 2: return {x.e - y.e, map([](double a, double b) { return a - b; }, x, y)};
            case 3: return {x.e * y.e, map([](double a, double b) { return a * b; }, x, y)};
            case 4: return circular(kinds_.angles_are_linear ? angle() : x);
            case 5: {
                const int n = static_cast<int>(below(kinds_.quotients ? 6 : 3)) - (kinds_.quotients ? 2 : -1);
                return {pow(x.e, n), map([n](double a) { return std::pow(a, n); }, x)};
            }
            case 6:
                if (kinds_.quotients && below(3) == 0) return {x.e / y.e, map([](double a, double b) { return a / b; }, x, y)};
                return {-x.e, map([](double a) { return -a; }, x)};
            case 7: return {tanh(x.e), map([](double a) { return std::tanh(a); }, x)};
            case 8: return {exp(sin(x.e)), map([](double a) { return std::exp(std::sin(a)); }, x)};
            case 9: {
                const Rational r(static_cast<std::int64_t>(below(7)) - 3, 2);
                return {pow(1 + x.e * x.e, r), map([&](double a) { return std::pow(1 + a * a, r.to_double()); }, x)};
            }
            case 10: return {atan(x.e) + tan(y.e / 5), map([](double a, double b) { return std::atan(a) + std::tan(b / 5); }, x, y)};
            case 11:
                return {asin(sin(x.e) / 2) - acos(cos(y.e) / 3) + log(2 + cos(x.e)),
                        map([](double a,
                               double b) { return std::asin(std::sin(a) / 2) - std::acos(std::cos(b) / 3) + std::log(2 + std::cos(a)); },
                            x, y)};
            case 12:
                return {abs(x.e) * sign(y.e), map([](double a, double b) { return std::abs(a) * (b > 0 ? 1 : b < 0 ? -1 : 0); }, x, y)};
            case 13: return {min(x.e, y.e), map([](double a, double b) { return std::min(a, b); }, x, y)};
            case 14: return {max(x.e, -y.e), map([](double a, double b) { return std::max(a, -b); }, x, y)};
            default: {
                const Shadowed c = pick(heap);
                return {select(c.e, x.e, y.e), map([](double s, double a, double b) { return s > 0 ? a : b; }, c, x, y)};
            }
        }
    }

    Pool& pool_;
    std::mt19937_64 random_;
    Kinds kinds_;
    std::vector<Shadowed> symbols_;
};

/// Close as two computations of one thing in double precision are, after some cancellation.
inline bool is_near(double a, double b, double tolerance = 1e-7) {
    return std::abs(a - b) <= tolerance * (1 + std::max(std::abs(a), std::abs(b)));
}
/// Worth comparing: finite, and not so large that a cancellation inside has eaten the digits.
inline bool is_tame(double x) { return std::isfinite(x) && std::abs(x) < 1e4; }

}  // namespace linkwright::sym::test
