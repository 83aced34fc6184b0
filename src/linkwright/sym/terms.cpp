#include "linkwright/sym/terms.hpp"

#include <algorithm>
#include <map>

#include "linkwright/sym/polynomial.hpp"

namespace linkwright::sym {

namespace {

/// Terms as a map, so that equal monomials meet. Keys compare by generator numbers.
class Gathered {
public:
    void add(Rational coefficient, std::vector<Factor> factors) {
        std::erase_if(factors, [](const Factor& f) { return f.exponent == 0; });
        std::ranges::sort(factors, {}, [](const Factor& f) { return f.generator.id(); });
        std::vector<std::pair<NodeId, std::int64_t>> key;
        for (const Factor& f : factors) key.emplace_back(f.generator.id(), f.exponent);
        const auto [place, is_new] = where_.emplace(std::move(key), terms_.size());
        if (is_new) {
            terms_.push_back({std::move(coefficient), std::move(factors)});
        } else {
            terms_[place->second].coefficient += coefficient;
        }
    }
    Terms take() {
        std::erase_if(terms_, [](const Term& t) { return t.coefficient.is_zero(); });
        return std::move(terms_);
    }

private:
    std::map<std::vector<std::pair<NodeId, std::int64_t>>, std::size_t> where_;
    Terms terms_;
};

}  // namespace

Expr to_expr(const Terms& terms, Pool& pool) {
    Expr sum(pool, Pool::zero_id);
    for (const Term& term : terms) {
        Expr product(pool, Pool::one_id);
        for (const Factor& f : term.factors) product *= pow(f.generator, Rational(f.exponent));
        sum += Expr(pool, pool.make_number(term.coefficient)) * product;
    }
    return sum;
}

ContentAndRest factor_content(Terms terms) {
    ContentAndRest result{.content = {Rational(1), {}}, .rest = std::move(terms)};
    Terms& rest = result.rest;
    if (rest.empty()) return result;
    // gcd of numerators over lcm of denominators, with the sign of the first term.
    Rational numerators(0), denominators(1);
    std::vector<Factor> common = rest.front().factors;
    for (const Term& t : rest) {
        numerators = gcd(numerators, t.coefficient.numerator());
        denominators = lcm(denominators, t.coefficient.denominator());
        for (Factor& c : common) {
            const auto own = std::ranges::find(t.factors, c.generator, &Factor::generator);
            c.exponent = own == t.factors.end() ? 0 : std::min(c.exponent, own->exponent);
        }
    }
    std::erase_if(common, [](const Factor& f) { return f.exponent == 0; });
    result.content = {numerators / denominators * Rational(rest.front().coefficient.sign()), common};
    for (Term& t : rest) {
        t.coefficient = t.coefficient / result.content.coefficient;
        for (const Factor& c : common) std::ranges::find(t.factors, c.generator, &Factor::generator)->exponent -= c.exponent;
        std::erase_if(t.factors, [](const Factor& f) { return f.exponent == 0; });
    }
    return result;
}

std::optional<Factored> factor(const Terms& terms) {
    constexpr std::size_t most_terms = 24;
    if (terms.size() < 2 || terms.size() > most_terms) return std::nullopt;
    std::vector<Expr> letters;
    for (const Term& t : terms) {
        for (const Factor& f : t.factors) {
            if (std::ranges::find(letters, f.generator) == letters.end()) letters.push_back(f.generator);
        }
    }
    // x·m + r with a letter x that stands nowhere else: a factor would divide the monomial m and all of r, so it would be a
    // letter that all terms share. Without one there is nothing to factor.
    std::vector<std::size_t> count(letters.size(), 0);
    std::vector<bool> is_linear(letters.size(), true);
    for (const Term& t : terms) {
        for (const Factor& f : t.factors) {
            const auto i = static_cast<std::size_t>(std::ranges::find(letters, f.generator) - letters.begin());
            ++count[i];
            if (f.exponent != 1) is_linear[i] = false;
        }
    }
    const bool is_shared = std::ranges::find(count, terms.size()) != count.end();
    for (std::size_t i = 0; i < letters.size() && !is_shared; ++i) {
        if (count[i] == 1 && is_linear[i]) return std::nullopt;
    }
    const Ring ring(letters.size(), {});
    Polynomial p(ring);
    std::vector<ulong> exponents(std::max<std::size_t>(letters.size(), 1));
    for (const Term& t : terms) {
        std::ranges::fill(exponents, 0);
        for (const Factor& f : t.factors) {
            if (f.exponent > 64) return std::nullopt;
            exponents[std::ranges::find(letters, f.generator) - letters.begin()] = static_cast<ulong>(f.exponent);
        }
        fmpq_mpoly_push_term_fmpq_ui(p.get(), flint(t.coefficient), exponents.data(), ring.context());
    }
    fmpq_mpoly_sort_terms(p.get(), ring.context());
    fmpq_mpoly_combine_like_terms(p.get(), ring.context());
    fmpq_mpoly_reduce(p.get(), ring.context());
    const auto factors = factors_of(p);
    const bool is_irreducible = factors && factors->factors.size() == 1 && factors->factors.front().second == 1;
    if (!factors || is_irreducible) return std::nullopt;
    Factored result{factors->constant, {}};
    for (const auto& [base, power] : factors->factors) result.factors.emplace_back(terms_of(base, letters), power);
    return result;
}

Terms merged_angles(const Terms& terms, Pool& pool) {
    // e^{i k·A} with integer k over the angles A that occur; a complex coefficient for each k.
    using Frequency = std::vector<std::pair<NodeId, std::int64_t>>;
    struct Complex {
        Rational re, im;
    };
    using Waves = std::map<Frequency, Complex>;
    constexpr std::size_t most_waves = 4096;
    const auto shifted = [](Frequency k, NodeId angle, std::int64_t by) {
        const auto at = std::ranges::lower_bound(k, angle, {}, &Frequency::value_type::first);
        if (at != k.end() && at->first == angle) {
            at->second += by;
            if (at->second == 0) k.erase(at);
        } else {
            k.insert(at, {angle, by});
        }
        return k;
    };
    Gathered gathered;
    for (const Term& term : terms) {
        std::vector<Factor> rest;
        Waves waves{{{}, {Rational(1), Rational(0)}}};
        for (const Factor& f : term.factors) {
            const Op op = f.generator.op();
            if ((op != Op::sin && op != Op::cos) || waves.size() > most_waves || f.exponent > 64) {
                rest.push_back(f);
                continue;
            }
            const NodeId angle = f.generator.arg(0).id();
            for (std::int64_t n = 0; n < f.exponent; ++n) {  // cos = (z + 1/z)/2, sin = (z − 1/z)/2i
                Waves next;
                const auto put = [&](const Frequency& k, const Rational& re, const Rational& im) {
                    Complex& c = next[k];
                    c.re += re;
                    c.im += im;
                };
                const Rational half(1, 2);
                for (const auto& [k, c] : waves) {
                    const Frequency up = shifted(k, angle, 1), down = shifted(k, angle, -1);
                    if (op == Op::cos) {
                        put(up, half * c.re, half * c.im);
                        put(down, half * c.re, half * c.im);
                    } else {  // dividing by 2i: (a + bi)/2i = (b − ai)/2
                        put(up, half * c.im, -(half * c.re));
                        put(down, -(half * c.im), half * c.re);
                    }
                }
                waves = std::move(next);
            }
        }
        for (const auto& [k, c] : waves) {
            if (k.empty()) {
                gathered.add(term.coefficient * c.re, rest);
                continue;
            }
            if (k.front().second < 0) continue;  // its conjugate speaks for both
            Expr angle(pool, Pool::zero_id);
            for (const auto& [id, n] : k) angle += Expr(pool, pool.make_number(Rational(n))) * Expr(pool, id);
            const auto wave = [&](const Expr& generator, const Rational& factor) {
                if (factor.is_zero()) return;
                std::vector<Factor> factors = rest;
                factors.push_back({generator, 1});
                gathered.add(term.coefficient * factor, std::move(factors));
            };
            wave(cos(angle), Rational(2) * c.re);
            wave(sin(angle), Rational(-2) * c.im);
        }
    }
    return gathered.take();
}

Terms shorter_squares(const Terms& terms) {
    std::vector<Expr> cosines;
    for (const Term& t : terms) {
        for (const Factor& f : t.factors) {
            if (f.generator.op() == Op::cos && f.exponent >= 2 && std::ranges::find(cosines, f.generator) == cosines.end()) {
                cosines.push_back(f.generator);
            }
        }
    }
    Terms best = terms;
    for (const Expr& c : cosines) {
        const Expr s = sin(c.arg(0));
        Gathered gathered;
        for (const Term& t : best) {
            std::vector<Factor> rest;
            std::int64_t pairs = 0;
            for (Factor f : t.factors) {
                if (f.generator == c) {
                    pairs = f.exponent / 2;
                    f.exponent %= 2;
                }
                rest.push_back(f);
            }
            // (1 − s²)^pairs by the binomial theorem; s may stand in the rest already.
            Rational binomial(1);
            for (std::int64_t k = 0; k <= pairs && pairs <= 64; ++k) {
                std::vector<Factor> factors = rest;
                const auto own = std::ranges::find(factors, s, &Factor::generator);
                if (own != factors.end()) {
                    own->exponent += 2 * k;
                } else {
                    factors.push_back({s, 2 * k});
                }
                gathered.add(t.coefficient * binomial * Rational(k % 2 == 0 ? 1 : -1), std::move(factors));
                binomial = binomial * Rational(pairs - k) / Rational(k + 1);
            }
            if (pairs > 64) gathered.add(t.coefficient, t.factors);
        }
        Terms candidate = gathered.take();
        if (candidate.size() < best.size()) best = std::move(candidate);
    }
    return best;
}

}  // namespace linkwright::sym
