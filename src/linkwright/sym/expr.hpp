#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <string_view>
#include <vector>

#include "linkwright/sym/pool.hpp"

namespace linkwright::sym {

/// An immutable scalar expression: a handle to one node of a pool's graph.
///
///     E ::= number | pi | symbol | E + E | E · E | E ^ r | f(E) | f(E, E) | if(E > 0, E, E)
///     f  =  sin cos tan asin acos atan exp log tanh abs sign | atan2 min max         r rational; sqrt(E) is E^(1/2)
///
/// Sums and products are binary: sharing is never flattened away and nothing is ever expanded. In one pool, == says
/// whether two handles are the same node. An expression denotes a real function where all its parts are defined; two
/// expressions that agree wherever both are defined count as equal (x/x is 1, exp(log x) is x).
///
/// What building does by itself (x, y any expressions; a, b numbers; every row exact where both sides are defined):
///
///     x + 0 → x                    a + b → number               x + x → 2x              a·x + b·x → (a+b)·x
///     a + (b + x) → (a+b) + x      (−x) + (−y) → −(x + y)
///     x · 0 → 0                    x · 1 → x                    a · b → number          a·(b·x) → (a·b)·x
///     (a·x)·(b·y) → (a·b)·(x·y)    x^r · x^s → x^(r+s)
///     x ^ 0 → 1                    x ^ 1 → x                    a ^ n → number          (x^r)^n → x^(r·n), n integer
///     (a·x)^n → a^n · x^n, n integer                            (a·x)^r → a^r · x^r, a > 0
///     |x|^n → x^n, n even          exp(x)^n → exp(n·x)          a^r → rational · product of prime^(fraction)
///     sin(k·π/12) and cos → exact; likewise asin, acos, atan, exp, log, tanh, abs, sign, min, max of exact arguments
///     f(−x) → −f(x)  for sin tan asin atan tanh sign            f(−x) → f(x)  for cos abs
///     sin(asin x) cos(acos x) tan(atan x) exp(log x) log(exp x) → x
///     min(x, x) max(x, x) if(c, x, x) → x                       if(a, x, y) → x or y
///     E with an undefined part → undefined
///
/// and, when the pool folds, whatever the fingerprint finds: hidden zeros, hidden constants, hidden duplicates.
/// Undefined are: 1/0, 0/0 (also when the 0 is one only by an identity that folding sees), the logarithm of a number ≤ 0,
/// a fractional power of a negative number, asin or acos outside [−1, 1]. An undefined expression evaluates to NaN.
/// Numbers stay exact up to 2^18 bits; larger results stay unevaluated.
///
/// Operands live in one pool; numbers follow the other side into its pool. Expressions of two pools in one operation are a
/// mistake of the program and throw std::invalid_argument.
class Expr {
public:
    Expr() : Expr(Pool::current(), Pool::zero_id) {}
    template <std::integral T>
    Expr(T n) : Expr(Rational::from_integer(n)) {}  // NOLINT: numbers in formulas are meant to convert
    Expr(const Rational& r);                        // NOLINT
    Expr(double x);                                 // NOLINT: the shortest decimal that reads back; undefined if not finite
    Expr(Pool& pool, NodeId id) : pool_(&pool), id_(id) {}

    bool operator==(const Expr&) const = default;

    Pool& pool() const { return *pool_; }
    NodeId id() const { return id_; }
    const Node& node() const { return pool_->node(id_); }
    Op op() const { return node().op; }

    bool is_undefined() const { return id_ == Pool::undefined_id; }
    bool is_number() const { return op() == Op::number; }
    bool is_symbol() const { return op() == Op::symbol; }
    bool is_literally(int n) const;  ///< the number n, as a node; for "is it zero?" see fingerprint.hpp
    Rational number() const { return pool_->number(id_); }
    const SymbolInfo& symbol() const { return pool_->symbol_info(id_); }
    std::size_t arity() const;  ///< a power has one: its exponent is exponent()
    Expr arg(std::size_t i) const;
    Rational exponent() const { return pool_->number(node().b); }  ///< of a power

    Expr& operator+=(const Expr& x);
    Expr& operator-=(const Expr& x);
    Expr& operator*=(const Expr& x);
    Expr& operator/=(const Expr& x);

private:
    Pool* pool_;
    NodeId id_;
};

Expr operator+(const Expr& x, const Expr& y);
Expr operator-(const Expr& x, const Expr& y);
Expr operator*(const Expr& x, const Expr& y);
Expr operator/(const Expr& x, const Expr& y);
Expr operator-(const Expr& x);

Expr pow(const Expr& x, const Rational& exponent);
Expr pow(const Expr& x, const Expr& exponent);  ///< a symbolic exponent gives exp(exponent·log x)
template <std::integral T>
Expr pow(const Expr& x, T exponent) {
    return pow(x, Rational::from_integer(exponent));
}
inline Expr pow(const Expr& x, double exponent) { return pow(x, Expr(exponent)); }
Expr sqrt(const Expr& x);
/// A function of one argument, from the table in functions.hpp; the lines below name its rows.
Expr make_function(Op f, const Expr& x);
inline Expr sin(const Expr& x) { return make_function(Op::sin, x); }
inline Expr cos(const Expr& x) { return make_function(Op::cos, x); }
inline Expr tan(const Expr& x) { return make_function(Op::tan, x); }
inline Expr asin(const Expr& x) { return make_function(Op::asin, x); }
inline Expr acos(const Expr& x) { return make_function(Op::acos, x); }
inline Expr atan(const Expr& x) { return make_function(Op::atan, x); }
inline Expr exp(const Expr& x) { return make_function(Op::exp, x); }
inline Expr log(const Expr& x) { return make_function(Op::log, x); }
inline Expr tanh(const Expr& x) { return make_function(Op::tanh, x); }
inline Expr abs(const Expr& x) { return make_function(Op::abs, x); }
inline Expr sign(const Expr& x) { return make_function(Op::sign, x); }
Expr atan2(const Expr& y, const Expr& x);
Expr min(const Expr& x, const Expr& y);
Expr max(const Expr& x, const Expr& y);
Expr select(const Expr& condition, const Expr& positive, const Expr& otherwise);  ///< if(condition > 0, …, …)

/// Made in the current pool.
Expr pi();
Expr undefined();
Expr symbol(std::string_view name, Role role = Role::parameter);

/// The same operation on other arguments: how walks over the graph rebuild a node. `exponent` is read off `like`.
Expr rebuild(const Expr& like, std::span<const Expr> args);

/// The name of a function as the expression language writes it; empty for numbers, symbols, sums, products, powers.
std::string_view function_name(Op op);

/// The nodes below `roots`, roots included, each once, arguments first. All roots in one pool.
std::vector<Expr> nodes_below(std::span<const Expr> roots);

/// The same expressions in another pool; symbols go over by name and role, quaternion groups as groups.
std::vector<Expr> transplant(std::span<const Expr> roots, Pool& target);

}  // namespace linkwright::sym

template <>
struct std::hash<linkwright::sym::Expr> {
    std::size_t operator()(const linkwright::sym::Expr& e) const noexcept { return e.id() * 0x9E3779B97F4A7C15ULL; }
};
