#include "linkwright/sym/rational.hpp"

#include <mpfr.h>

#include <flint/fmpz.h>

#include <charconv>
#include <cmath>

#include "linkwright/sym/rational_flint.hpp"
#include "linkwright/sym/residue.hpp"

namespace linkwright::sym {

namespace {

constexpr std::int64_t small_limit = (std::int64_t{1} << 62) - 1;

/// FLINT keeps a cache of big integers per thread; it is given back when a thread that used it ends.
struct FlintThread {
    ~FlintThread() { flint_cleanup(); }
};
void touch_flint() {
    thread_local FlintThread thread;
    (void)thread;
}

template <class Verb>
Rational with_flint(Verb verb) {
    touch_flint();
    Rational result;
    verb(flint(result));
    return result;
}

/// numerator / denominator from 128-bit parts that are known to fit after reduction; false if they do not.
bool reduce_small(__int128 n, __int128 d, std::int64_t& num, std::int64_t& den) {
    unsigned __int128 a = n < 0 ? -static_cast<unsigned __int128>(n) : static_cast<unsigned __int128>(n);
    auto b = static_cast<unsigned __int128>(d);
    if (a > UINT64_MAX || b > UINT64_MAX) return false;
    std::uint64_t x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    while (y != 0) {
        const std::uint64_t r = x % y;
        x = y;
        y = r;
    }
    a /= x, b /= x;
    if (a > small_limit || b > small_limit) return false;
    num = n < 0 ? -static_cast<std::int64_t>(a) : static_cast<std::int64_t>(a);
    den = static_cast<std::int64_t>(b);
    return true;
}

Rational make_small(std::int64_t num, std::int64_t den) {
    Rational r;
    r.words()[0] = num;
    r.words()[1] = den;
    return r;
}

}  // namespace

Rational::Rational(std::int64_t n) : numerator_(n) {
    if (n > small_limit || n < -small_limit) {
        touch_flint();
        numerator_ = 0;
        fmpz_set_si(fmpq_numref(flint(*this)), n);
    }
}

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
    touch_flint();
    fmpz_t d;
    fmpz_init_set_si(d, denominator);
    fmpz_set_si(fmpq_numref(flint(*this)), numerator);
    fmpz_swap(fmpq_denref(flint(*this)), d);
    fmpz_clear(d);
    fmpq_canonicalise(flint(*this));
}

void Rational::adopt_copy() {
    touch_flint();
    fmpq copy;
    fmpq_init(&copy);
    fmpq_set(&copy, flint(*this));
    numerator_ = copy.num;
    denominator_ = copy.den;
}

void Rational::release() { fmpq_clear(flint(*this)); }

Rational& Rational::operator=(const Rational& r) {
    if (this != &r) {
        if (is_inline() && r.is_inline()) {
            numerator_ = r.numerator_, denominator_ = r.denominator_;
        } else {
            touch_flint();
            fmpq_set(flint(*this), flint(r));
        }
    }
    return *this;
}

Rational& Rational::operator=(Rational&& r) noexcept {
    std::swap(numerator_, r.numerator_);
    std::swap(denominator_, r.denominator_);
    return *this;
}

Rational operator+(const Rational& a, const Rational& b) {
    if (a.is_inline() && b.is_inline()) {
        std::int64_t n = 0, d = 0, whole = 0;
        if (a.is_integer() && b.is_integer()) {
            if (!__builtin_add_overflow(a.numerator_, b.numerator_, &whole)) return Rational(whole);
        } else if (reduce_small(static_cast<__int128>(a.numerator_) * b.denominator_ + static_cast<__int128>(b.numerator_) * a.denominator_,
                                static_cast<__int128>(a.denominator_) * b.denominator_, n, d)) {
            return make_small(n, d);
        }
    }
    return with_flint([&](fmpq* r) { fmpq_add(r, flint(a), flint(b)); });
}
Rational operator-(const Rational& a, const Rational& b) { return a + -b; }
Rational operator*(const Rational& a, const Rational& b) {
    if (a.is_inline() && b.is_inline()) {
        std::int64_t n = 0, d = 0;
        if (reduce_small(static_cast<__int128>(a.numerator_) * b.numerator_, static_cast<__int128>(a.denominator_) * b.denominator_, n,
                         d)) {
            return make_small(n, d);
        }
    }
    return with_flint([&](fmpq* r) { fmpq_mul(r, flint(a), flint(b)); });
}
Rational operator/(const Rational& a, const Rational& b) {
    return with_flint([&](fmpq* r) { fmpq_div(r, flint(a), flint(b)); });
}
Rational Rational::operator-() const {
    if (is_inline()) return make_small(-numerator_, denominator_);
    return with_flint([&](fmpq* r) { fmpq_neg(r, flint(*this)); });
}
bool operator==(const Rational& a, const Rational& b) { return fmpq_equal(flint(a), flint(b)) != 0; }
bool operator<(const Rational& a, const Rational& b) { return fmpq_cmp(flint(a), flint(b)) < 0; }

int Rational::sign() const { return fmpq_sgn(flint(*this)); }

std::optional<std::int64_t> Rational::small_numerator() const {
    if (is_big(numerator_)) return std::nullopt;
    return numerator_;
}
std::optional<std::int64_t> Rational::small_denominator() const {
    if (is_big(denominator_)) return std::nullopt;
    return denominator_;
}
Rational Rational::numerator() const {
    return with_flint([&](fmpq* r) { fmpz_set(fmpq_numref(r), fmpq_numref(flint(*this))); });
}
Rational Rational::denominator() const {
    return with_flint([&](fmpq* r) { fmpz_set(fmpq_numref(r), fmpq_denref(flint(*this))); });
}
Rational Rational::floor() const {
    return with_flint([&](fmpq* r) { fmpz_fdiv_q(fmpq_numref(r), fmpq_numref(flint(*this)), fmpq_denref(flint(*this))); });
}
std::size_t Rational::bits() const { return fmpz_bits(fmpq_numref(flint(*this))) + fmpz_bits(fmpq_denref(flint(*this))); }

double Rational::to_double() const {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    if (numerator_ > -exact && numerator_ < exact && denominator_ < exact) {
        return static_cast<double>(numerator_) / static_cast<double>(denominator_);  // both exact: rounded once
    }
    mpfr_t rounded;
    mpfr_init2(rounded, 53);
    fmpq_get_mpfr(rounded, flint(*this), MPFR_RNDN);
    const double value = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_clear(rounded);
    return value;
}

std::string Rational::to_string() const {
    char* text = fmpq_get_str(nullptr, 10, flint(*this));
    std::string s(text);
    flint_free(text);
    return s;
}

std::optional<std::uint64_t> Rational::residue(std::uint64_t prime) const {
    const auto modulo = [prime](const fmpz* x) -> std::uint64_t { return fmpz_fdiv_ui(x, prime); };
    const std::uint64_t d = modulo(fmpq_denref(flint(*this)));
    if (d == 0) return std::nullopt;
    const std::uint64_t n = modulo(fmpq_numref(flint(*this)));
    if (d == 1) return n;
    return n_mulmod2(n, n_invmod(d, prime), prime);
}

std::uint64_t Rational::hash() const {
    // All limbs count: a residue alone would make n and n + modulus the same key.
    const auto part = [](const fmpz* x) {
        if (!COEFF_IS_MPZ(*x)) return keyed_hash(1, static_cast<std::uint64_t>(*x));
        const __mpz_struct* z = COEFF_TO_PTR(*x);
        std::uint64_t h = keyed_hash(2, static_cast<std::uint64_t>(z->_mp_size));
        for (int i = 0; i < std::abs(z->_mp_size); ++i) h = keyed_hash(h, z->_mp_d[i]);
        return h;
    };
    return keyed_hash(part(fmpq_numref(flint(*this))), part(fmpq_denref(flint(*this))));
}

std::optional<Rational> Rational::from_text(std::string_view text, int max_exponent) {
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
        const auto n = from_text(text.substr(0, slash), max_exponent);
        const auto d = from_text(text.substr(slash + 1), max_exponent);
        if (!n || !d || d->is_zero() || text.substr(slash + 1).starts_with('-')) return std::nullopt;
        return *n / *d;
    }
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);

    std::string digits;
    std::int64_t exponent = 0;
    std::size_t i = 0;
    bool point = false;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (c >= '0' && c <= '9') {
            digits += c;
            if (point) --exponent;
        } else if (c == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (digits.empty()) return std::nullopt;
    if (i < text.size()) {
        if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
        std::string_view rest = text.substr(i + 1);
        if (rest.starts_with('+')) rest.remove_prefix(1);
        int written = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), written);
        if (error != std::errc{} || end != rest.data() + rest.size() || rest.starts_with("+")) return std::nullopt;
        if (written > max_exponent || written < -max_exponent) return std::nullopt;
        exponent += written;
    }
    const Rational mantissa = with_flint([&](fmpq* r) { fmpz_set_str(fmpq_numref(r), digits.c_str(), 10); });
    const Rational value = exponent == 0 ? mantissa : mantissa * power(Rational(10), exponent);
    return negative ? -value : value;
}

std::optional<Rational> Rational::from_double(double x) {
    if (!std::isfinite(x)) return std::nullopt;
    char buffer[64];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, x);
    return from_text(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

Rational power(const Rational& r, std::int64_t n) {
    return with_flint([&](fmpq* out) { fmpq_pow_si(out, flint(r), n); });
}
Rational abs(const Rational& r) { return r.sign() < 0 ? -r : r; }
Rational gcd(const Rational& a, const Rational& b) {
    return with_flint([&](fmpq* r) { fmpz_gcd(fmpq_numref(r), fmpq_numref(flint(a)), fmpq_numref(flint(b))); });
}
std::int64_t remove_factor(Rational& n, std::int64_t p) {
    touch_flint();
    const Rational prime(p);
    fmpz* integer = fmpq_numref(flint(n));
    return fmpz_remove(integer, integer, fmpq_numref(flint(prime)));
}
std::optional<Rational> exact_root(const Rational& n, std::int64_t k) {
    bool is_exact = false;
    Rational root = with_flint([&](fmpq* r) { is_exact = fmpz_root(fmpq_numref(r), fmpq_numref(flint(n)), k) != 0; });
    if (!is_exact) return std::nullopt;
    return root;
}
Rational lcm(const Rational& a, const Rational& b) {
    return with_flint([&](fmpq* r) { fmpz_lcm(fmpq_numref(r), fmpq_numref(flint(a)), fmpq_numref(flint(b))); });
}

}  // namespace linkwright::sym
