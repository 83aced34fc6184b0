#include "linkwright/sym/polynomial.hpp"

#include <flint/fmpq_mpoly_factor.h>
#include <fmt/format.h>

#include <algorithm>

namespace linkwright::sym {

Polynomial::Polynomial(const Ring& ring) : ring_(&ring) { fmpq_mpoly_init(&p_, ring.context()); }
Polynomial::Polynomial(const Polynomial& p) : Polynomial(*p.ring_) { fmpq_mpoly_set(&p_, &p.p_, ring_->context()); }
Polynomial::Polynomial(Polynomial&& p) noexcept : Polynomial(*p.ring_) { fmpq_mpoly_swap(&p_, &p.p_, ring_->context()); }
Polynomial& Polynomial::operator=(Polynomial p) noexcept {
    fmpq_mpoly_swap(&p_, &p.p_, ring_->context());
    return *this;
}
Polynomial::~Polynomial() { fmpq_mpoly_clear(&p_, ring_->context()); }
std::size_t Polynomial::size() const { return static_cast<std::size_t>(fmpq_mpoly_length(&p_, ring_->context())); }
bool Polynomial::operator==(const Polynomial& other) const { return fmpq_mpoly_equal(&p_, &other.p_, ring_->context()) != 0; }

Ring::Ring(std::size_t generators, Budget budget)
    : generators_(generators), budget_(budget), deadline_(std::chrono::steady_clock::now() + budget.time) {
    fmpq_mpoly_ctx_init(context_, static_cast<slong>(std::max<std::size_t>(generators, 1)), ORD_LEX);
}
Ring::~Ring() {
    relations_.clear();
    fmpq_mpoly_ctx_clear(context_);
}

void Ring::check_time() const {
    if (std::chrono::steady_clock::now() > deadline_) throw TooLarge(fmt::format("out of time after {} ms", budget_.time.count()));
}
void Ring::check_size(std::size_t terms) const {
    if (terms > budget_.terms) throw TooLarge(fmt::format("more than {} terms", budget_.terms));
}

/// FLINT's plain-word exponents are all we use; nobody reads a polynomial of degree 2³².
void Ring::check_degree(const Polynomial& p, std::uint64_t times) const {
    constexpr std::uint64_t largest = std::uint64_t{1} << 32;
    constexpr flint_bitcnt_t surely_small = 16;  // bits a packed exponent takes
    if (p.get()->zpoly->bits <= surely_small && times <= (largest >> surely_small) / std::max<std::size_t>(generators_, 1)) return;
    const bool fits = fmpq_mpoly_total_degree_fits_si(p.get(), context_) != 0;
    const slong degree = fits ? std::max<slong>(fmpq_mpoly_total_degree_si(p.get(), context_), 1) : 0;
    if (!fits || times > largest / static_cast<std::uint64_t>(degree)) throw TooLarge("a degree above 2^32");
}

void Ring::relate(std::size_t generator, std::uint64_t degree, Polynomial value) {
    relations_.push_back({generator, degree, std::move(value)});
    // Outer roots first: replacing one may bring in the ones after it.
    std::ranges::sort(relations_, {}, &Relation::generator);
}

Polynomial Ring::constant(const Rational& r) const {
    Polynomial p(*this);
    fmpq_mpoly_set_fmpq(p.get(), flint(r), context_);
    return p;
}
Polynomial Ring::generator(std::size_t i) const {
    Polynomial p(*this);
    fmpq_mpoly_gen(p.get(), static_cast<slong>(i), context_);
    return p;
}
Polynomial Ring::add(const Polynomial& a, const Polynomial& b) const {
    Polynomial p(*this);
    fmpq_mpoly_add(p.get(), a.get(), b.get(), context_);
    check_size(p.size());
    return p;
}
Polynomial Ring::sub(const Polynomial& a, const Polynomial& b) const {
    Polynomial p(*this);
    fmpq_mpoly_sub(p.get(), a.get(), b.get(), context_);
    check_size(p.size());
    return p;
}
Polynomial Ring::scale(const Polynomial& a, const Rational& r) const {
    Polynomial p(*this);
    fmpq_mpoly_scalar_mul_fmpq(p.get(), a.get(), flint(r), context_);
    return p;
}
Polynomial Ring::mul(const Polynomial& a, const Polynomial& b) const {
    // FLINT cannot be interrupted: what a product may cost is judged before it starts.
    constexpr std::size_t work_per_term = 64;
    check_time();
    if (a.size() > 1 && b.size() > 1 && a.size() > budget_.terms * work_per_term / b.size()) check_size(budget_.terms + 1);
    Polynomial p(*this);
    fmpq_mpoly_mul(p.get(), a.get(), b.get(), context_);
    check_size(p.size());
    check_degree(p, 1);
    return reduce(std::move(p));
}
Polynomial Ring::pow(const Polynomial& a, std::uint64_t n) const {
    check_degree(a, n);
    Polynomial result = constant(1), square = a;
    for (; n != 0; n >>= 1) {
        if ((n & 1) != 0) result = mul(result, square);
        if (n > 1) square = mul(square, square);
    }
    return result;
}

std::optional<Polynomial> Ring::quotient(const Polynomial& a, const Polynomial& b) const {
    constexpr std::size_t cheap = 20'000;
    if (a.size() * b.size() > cheap || a.size() < b.size()) return std::nullopt;
    Polynomial q(*this);
    if (fmpq_mpoly_divides(q.get(), a.get(), b.get(), context_) == 0) return std::nullopt;
    return q;
}

Polynomial Ring::reduce(Polynomial p) const {
    for (const Relation& relation : relations_) {
        const auto g = static_cast<slong>(relation.generator);
        const slong degree = fmpq_mpoly_degree_si(p.get(), g, context_);
        if (degree < static_cast<slong>(relation.degree)) continue;
        check_time();
        // p = Σ_k p_k g^k, gathered by how often the relation applies; Horner in the relation's value.
        std::vector<Polynomial> part;
        const auto steps = static_cast<std::size_t>(degree) / relation.degree;
        for (std::size_t k = 0; k <= steps; ++k) part.emplace_back(*this);
        std::vector<ulong> exponents(std::max<std::size_t>(generators_, 1));
        Rational coefficient;
        const slong length = fmpq_mpoly_length(p.get(), context_);
        for (slong i = 0; i < length; ++i) {
            fmpq_mpoly_get_term_exp_ui(exponents.data(), p.get(), i, context_);
            fmpq_mpoly_get_term_coeff_fmpq(flint(coefficient), p.get(), i, context_);
            ulong& e = exponents[relation.generator];
            Polynomial& target = part[e / relation.degree];
            e %= relation.degree;
            fmpq_mpoly_push_term_fmpq_ui(target.get(), flint(coefficient), exponents.data(), context_);
        }
        for (Polynomial& q : part) {
            fmpq_mpoly_sort_terms(q.get(), context_);
            fmpq_mpoly_combine_like_terms(q.get(), context_);
            fmpq_mpoly_reduce(q.get(), context_);
        }
        Polynomial sum = part.back();
        for (std::size_t k = steps; k-- > 0;) sum = add(part[k], mul(sum, relation.value));
        p = std::move(sum);
    }
    return p;
}

std::optional<PolynomialFactors> factors_of(const Polynomial& p) {
    constexpr std::size_t most_terms = 24;
    constexpr slong highest_degree = 16;
    const Ring& ring = p.ring();
    if (p.is_zero() || p.size() > most_terms || fmpq_mpoly_total_degree_si(p.get(), ring.context()) > highest_degree) return std::nullopt;
    std::optional<PolynomialFactors> result;
    fmpq_mpoly_factor_t f;
    fmpq_mpoly_factor_init(f, ring.context());
    const bool is_done = fmpq_mpoly_factor(f, p.get(), ring.context()) != 0 && fmpq_mpoly_factor_make_integral(f, ring.context()) != 0;
    if (is_done) {
        result.emplace();
        fmpq_mpoly_factor_get_constant_fmpq(flint(result->constant), f, ring.context());
        for (slong i = 0; i < fmpq_mpoly_factor_length(f, ring.context()); ++i) {
            Polynomial base(ring);
            fmpq_mpoly_factor_get_base(base.get(), f, i, ring.context());
            result->factors.emplace_back(std::move(base), fmpq_mpoly_factor_get_exp_si(f, i, ring.context()));
        }
    }
    fmpq_mpoly_factor_clear(f, ring.context());
    return result;
}

Terms terms_of(const Polynomial& p, std::span<const Expr> letters) {
    Terms terms;
    std::vector<ulong> exponents(std::max<std::size_t>(letters.size(), 1));
    for (std::size_t i = 0; i < p.size(); ++i) {
        Term term;
        fmpq_mpoly_get_term_exp_ui(exponents.data(), p.get(), static_cast<slong>(i), p.ring().context());
        fmpq_mpoly_get_term_coeff_fmpq(flint(term.coefficient), p.get(), static_cast<slong>(i), p.ring().context());
        for (std::size_t g = 0; g < letters.size(); ++g) {
            if (exponents[g] != 0) term.factors.push_back({letters[g], static_cast<std::int64_t>(exponents[g])});
        }
        terms.push_back(std::move(term));
    }
    return terms;
}

}  // namespace linkwright::sym
