#pragma once
// FLINT's multivariate polynomials as values, with the reductions of normal_form.hpp. For sources, not for public headers.

#include <flint/fmpq_mpoly.h>

#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "linkwright/sym/normal_form.hpp"
#include "linkwright/sym/rational_flint.hpp"

namespace linkwright::sym {

/// Thrown inside the normal form when the budget is spent; caught at its door.
struct TooLarge : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Ring;

/// An element of a Ring. Only the Ring makes them.
class Polynomial {
public:
    explicit Polynomial(const Ring& ring);
    Polynomial(const Polynomial& p);
    Polynomial(Polynomial&& p) noexcept;
    Polynomial& operator=(Polynomial p) noexcept;
    ~Polynomial();

    fmpq_mpoly_struct* get() { return &p_; }
    const fmpq_mpoly_struct* get() const { return &p_; }
    const Ring& ring() const { return *ring_; }
    std::size_t size() const;
    bool is_zero() const { return size() == 0; }
    bool operator==(const Polynomial& other) const;

private:
    const Ring* ring_;
    fmpq_mpoly_struct p_;
};

/// Q[generators], lexicographic, first generator largest, modulo relations g^degree = value. Every product is reduced.
class Ring {
public:
    Ring(std::size_t generators, Budget budget);
    ~Ring();
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    /// From now on g^degree is replaced by `value`, which must use later generators only.
    void relate(std::size_t generator, std::uint64_t degree, Polynomial value);

    Polynomial constant(const Rational& r) const;
    Polynomial generator(std::size_t i) const;
    Polynomial add(const Polynomial& a, const Polynomial& b) const;
    Polynomial sub(const Polynomial& a, const Polynomial& b) const;
    Polynomial mul(const Polynomial& a, const Polynomial& b) const;
    Polynomial scale(const Polynomial& a, const Rational& r) const;
    Polynomial pow(const Polynomial& a, std::uint64_t n) const;
    /// a / b when b divides a as polynomials and that is cheap to find out.
    std::optional<Polynomial> quotient(const Polynomial& a, const Polynomial& b) const;
    /// Throws TooLarge when the time is up.
    void check_time() const;

    const fmpq_mpoly_ctx_struct* context() const { return context_; }
    std::size_t generators() const { return generators_; }

private:
    struct Relation {
        std::size_t generator;
        std::uint64_t degree;
        Polynomial value;
    };
    Polynomial reduce(Polynomial p) const;
    void check_size(std::size_t terms) const;
    void check_degree(const Polynomial& p, std::uint64_t times) const;

    std::size_t generators_;
    Budget budget_;
    std::chrono::steady_clock::time_point deadline_;
    fmpq_mpoly_ctx_t context_;
    std::vector<Relation> relations_;
};

/// A polynomial as constant · Π factor^power; the factors irreducible, integral and primitive.
struct PolynomialFactors {
    Rational constant;
    std::vector<std::pair<Polynomial, std::int64_t>> factors;
};

/// Empty when the polynomial is large enough for factoring to take noticeable time.
std::optional<PolynomialFactors> factors_of(const Polynomial& p);

/// The terms of a polynomial, its generators spelled as `letters`.
Terms terms_of(const Polynomial& p, std::span<const Expr> letters);

}  // namespace linkwright::sym
