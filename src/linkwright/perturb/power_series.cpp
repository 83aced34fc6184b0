#include "linkwright/perturb/power_series.hpp"

namespace linkwright::perturb {

Monomials::Monomials(std::size_t variables, unsigned degree) : variables_(variables), degree_(degree) {
    const std::size_t rows = variables + degree + 1, columns = degree + 1;
    binomial_.assign(rows * columns, 0);
    for (std::size_t x = 0; x < rows; ++x) {
        binomial_[x * columns] = 1;
        for (std::size_t i = 1; i < columns && x > 0; ++i) {
            binomial_[x * columns + i] = binomial_[(x - 1) * columns + i - 1] + binomial_[(x - 1) * columns + i];
        }
    }
    // C(variables + k − 1, k) of degree k
    first_ = {0};
    for (unsigned k = 0; k <= degree; ++k) {
        const std::size_t count = k == 0 ? 1 : variables == 0 ? 0 : binomial_[(variables + k - 1) * columns + k];
        first_.push_back(first_.back() + count);
    }
    degrees_.resize(size());
    factors_.assign(size() * std::max(1U, degree), 0);
    for (unsigned k = 0; k <= degree; ++k) {
        std::vector<std::uint16_t> f(k, 0);
        for (std::size_t at = first_[k]; at < first_[k + 1]; ++at) {
            degrees_[at] = static_cast<std::uint8_t>(k);
            std::ranges::copy(f, factors_.begin() + static_cast<std::ptrdiff_t>(at * degree));
            // the next in this order: the first factor that may grow does, those before it start again
            for (unsigned i = 0; i < k; ++i) {
                if (i + 1 < k && f[i] == f[i + 1]) continue;
                ++f[i];
                std::fill_n(f.begin(), i, std::uint16_t{0});
                break;
            }
        }
    }
    times_.resize(degree == 0 ? 0 : first_[degree] * variables);
    std::vector<std::uint16_t> f;
    for (std::size_t at = 0; degree > 0 && at < first_[degree]; ++at) {
        for (std::size_t v = 0; v < variables; ++v) {
            f.assign(factors(at).begin(), factors(at).end());
            f.insert(std::ranges::upper_bound(f, static_cast<std::uint16_t>(v)), static_cast<std::uint16_t>(v));
            times_[at * variables + v] = static_cast<std::uint32_t>(number(f));
        }
    }
}

std::size_t Monomials::number(std::span<const std::uint16_t> f) const {
    std::size_t at = first_[f.size()];
    for (std::size_t i = 0; i < f.size(); ++i) at += binomial_[(f[i] + i) * (degree_ + 1) + i + 1];
    return at;
}

std::size_t Monomials::without(std::size_t monomial, std::size_t v) const {
    std::vector<std::uint16_t> f(factors(monomial).begin(), factors(monomial).end());
    f.erase(std::ranges::find(f, static_cast<std::uint16_t>(v)));
    return number(f);
}

std::vector<std::uint8_t> Monomials::powers(std::size_t monomial) const {
    std::vector<std::uint8_t> p(variables_, 0);
    for (const std::uint16_t v : factors(monomial)) ++p[v];
    return p;
}

}  // namespace linkwright::perturb
