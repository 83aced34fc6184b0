#pragma once
// Exact rational numbers of any size. Small ones (both parts below 2^62) live in the two words themselves; larger ones
// are FLINT integers behind them. FLINT's headers stay out of ours.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linkwright::sym {

/// An exact rational in lowest terms with a positive denominator. A value: copy it, compare it, add it.
///
/// Thread rule: a number above 2^62 belongs to the thread that made it, as FLINT's memory does.
class Rational {
public:
    Rational() = default;
    Rational(std::int64_t n);                                    // NOLINT: numbers in formulas are meant to convert
    Rational(int n) : numerator_(n) {}                           // NOLINT
    Rational(std::int64_t numerator, std::int64_t denominator);  ///< denominator ≠ 0
    Rational(const Rational& r) : numerator_(r.numerator_), denominator_(r.denominator_) {
        if (!is_inline()) adopt_copy();
    }
    Rational(Rational&& r) noexcept : numerator_(r.numerator_), denominator_(r.denominator_) { r.forget(); }
    Rational& operator=(const Rational& r);
    Rational& operator=(Rational&& r) noexcept;
    ~Rational() {
        if (!is_inline()) release();
    }

    /// Any built-in integer, unsigned ones above 2^63 included.
    template <std::integral T>
    static Rational from_integer(T n) {
        if constexpr (std::unsigned_integral<T> && sizeof(T) == sizeof(std::int64_t)) {
            return Rational(static_cast<std::int64_t>(n >> 1)) * Rational(2) + Rational(static_cast<std::int64_t>(n & 1));
        } else {
            return Rational(static_cast<std::int64_t>(n));
        }
    }
    /// Reads `12`, `0.5`, `9.81e-3`, `2/3`: exactly what is written, as a fraction. No sign other than a leading '-'.
    /// Empty when the text is no number or its decimal exponent is beyond ±`max_exponent`.
    static std::optional<Rational> from_text(std::string_view text, int max_exponent = 10'000);
    /// The shortest decimal that reads back as `x`: 9.81 is 981/100. Empty when x is not finite.
    static std::optional<Rational> from_double(double x);

    friend Rational operator+(const Rational& a, const Rational& b);
    friend Rational operator-(const Rational& a, const Rational& b);
    friend Rational operator*(const Rational& a, const Rational& b);
    friend Rational operator/(const Rational& a, const Rational& b);  ///< b ≠ 0
    Rational operator-() const;
    Rational& operator+=(const Rational& r) { return *this = *this + r; }
    Rational& operator*=(const Rational& r) { return *this = *this * r; }
    friend bool operator==(const Rational& a, const Rational& b);
    friend bool operator<(const Rational& a, const Rational& b);

    int sign() const;
    bool is_zero() const { return numerator_ == 0; }
    bool is_one() const { return numerator_ == 1 && denominator_ == 1; }
    bool is_integer() const { return denominator_ == 1; }
    /// Both parts below 2^62 in size, held without memory of their own.
    bool is_inline() const { return !is_big(numerator_) && !is_big(denominator_); }
    /// The parts, when they fit 62 bits.
    std::optional<std::int64_t> small_numerator() const;
    std::optional<std::int64_t> small_denominator() const;
    Rational numerator() const;
    Rational denominator() const;
    Rational floor() const;
    std::size_t bits() const;  ///< size of numerator and denominator together
    /// The nearest double; ±infinity when it is out of range.
    double to_double() const;
    std::string to_string() const;  ///< `-12` or `981/100`
    /// The residue modulo a prime below 2^63; empty when the denominator vanishes there.
    std::optional<std::uint64_t> residue(std::uint64_t prime) const;
    std::uint64_t hash() const;

    /// For code that speaks FLINT (fmpq_t has the same layout): see rational_flint.hpp.
    const std::int64_t* words() const { return &numerator_; }
    std::int64_t* words() { return &numerator_; }

private:
    static constexpr bool is_big(std::int64_t word) { return (word >> 62) == 1; }
    void adopt_copy();
    void release();
    void forget() noexcept { numerator_ = 0, denominator_ = 1; }

    std::int64_t numerator_ = 0;
    std::int64_t denominator_ = 1;
};

/// r^n; n any size the caller has bounded. 0^0 = 1; r ≠ 0 when n < 0.
Rational power(const Rational& r, std::int64_t n);
Rational abs(const Rational& r);
Rational gcd(const Rational& a, const Rational& b);  ///< of integers
/// Divides the integer n by the prime p as often as that goes, and says how often.
std::int64_t remove_factor(Rational& n, std::int64_t p);
/// The integer whose k-th power is the positive integer n, if there is one.
std::optional<Rational> exact_root(const Rational& n, std::int64_t k);
Rational lcm(const Rational& a, const Rational& b);  ///< of integers

}  // namespace linkwright::sym
