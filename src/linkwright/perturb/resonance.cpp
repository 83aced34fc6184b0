#include "linkwright/perturb/resonance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

namespace linkwright::perturb {

namespace {

using sym::Rational;

int length_of(const Multiples& m) {
    int l = 0;
    for (const int x : m) l += std::abs(x);
    return l;
}

std::string side(const Multiples& m, int sign) {
    std::string s;
    const auto put = [&](int times, const std::string& name) {
        if (times <= 0) return;
        if (!s.empty()) s += " + ";
        s += times == 1 ? name : fmt::format("{} {}", times, name);
    };
    put(sign * m.back(), "Ω");
    for (std::size_t j = 0; j + 1 < m.size(); ++j) put(sign * m[j], fmt::format("ω{}", j + 1));
    return s.empty() ? "0" : s;
}

}  // namespace

double sum_of(const Multiples& multiples, const std::vector<double>& frequencies) {
    double sum = 0;
    for (std::size_t j = 0; j < multiples.size(); ++j) sum += multiples[j] * frequencies[j];
    return sum;
}

Multiples normalised(Multiples m, const std::vector<double>& frequencies) {
    int divisor = 0;
    for (const int x : m) divisor = std::gcd(divisor, x);
    if (divisor == 0) return m;
    int lead = m.back();
    if (lead == 0) {
        double highest = -1;
        for (std::size_t j = 0; j + 1 < m.size(); ++j)
            if (m[j] != 0 && frequencies[j] > highest) highest = frequencies[j], lead = m[j];
    }
    if (lead < 0) divisor = -divisor;
    for (int& x : m) x /= divisor;
    return m;
}

bool is_near(const Multiples& m, const std::vector<double>& frequencies, double closeness) {
    double lowest = INFINITY;
    for (std::size_t j = 0; j < m.size(); ++j)
        if (m[j] != 0) lowest = std::min(lowest, frequencies[j]);
    return std::isfinite(lowest) && std::abs(sum_of(m, frequencies)) <= closeness * lowest;
}

std::size_t rank_of(const std::vector<Multiples>& rows) {
    std::vector<std::vector<Rational>> a;
    for (const auto& r : rows) a.emplace_back(r.begin(), r.end());
    std::size_t rank = 0;
    const std::size_t columns = rows.empty() ? 0 : rows.front().size();
    for (std::size_t c = 0; c < columns && rank < a.size(); ++c) {
        const auto pivot =
            std::find_if(a.begin() + static_cast<long>(rank), a.end(), [&](const auto& r) { return !(r[c] == Rational(0)); });
        if (pivot == a.end()) continue;
        std::swap(*pivot, a[rank]);
        for (std::size_t i = rank + 1; i < a.size(); ++i) {
            const Rational f = a[i][c] / a[rank][c];
            if (f == Rational(0)) continue;
            for (std::size_t j = c; j < columns; ++j) a[i][j] = a[i][j] - f * a[rank][j];
        }
        ++rank;
    }
    return rank;
}

BaseFrequencies::BaseFrequencies(std::vector<double> actual, double farthest, bool keeps_Omega)
    : actual_(std::move(actual)),
      value_(actual_),
      part_(actual_.size(), std::vector<Rational>(actual_.size(), Rational(0))),
      order_(actual_.size(), 0),
      farthest_(farthest),
      keeps_Omega_(keeps_Omega) {
    for (std::size_t k = 0; k < actual_.size(); ++k) part_[k][k] = Rational(1);
}

bool BaseFrequencies::is_exact(const Multiples& m) const {
    for (std::size_t j = 0; j < part_.size(); ++j) {
        Rational sum(0);
        for (std::size_t k = 0; k < m.size(); ++k)
            if (m[k] != 0) sum = sum + Rational(m[k]) * part_[k][j];
        if (!(sum == Rational(0))) return false;
    }
    return true;
}

bool BaseFrequencies::impose(const Multiples& relation, unsigned order) {
    const std::size_t n = part_.size();
    std::vector<Rational> row(n, Rational(0));
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k)
            if (relation[k] != 0) row[j] = row[j] + Rational(relation[k]) * part_[k][j];
    std::size_t pivot = n;
    for (std::size_t j = 0; j < n; ++j) {
        if (row[j] == Rational(0)) continue;
        if (pivot == n || (j + 1 == n ? !keeps_Omega_ : actual_[j] > actual_[pivot])) pivot = j;
    }
    if (pivot == n) return true;
    const BaseFrequencies before = *this;
    for (std::size_t k = 0; k < n; ++k) {
        const Rational share = part_[k][pivot];
        if (share == Rational(0)) continue;
        part_[k][pivot] = Rational(0);
        for (std::size_t j = 0; j < n; ++j)
            if (j != pivot) part_[k][j] = part_[k][j] - share * row[j] / row[pivot];
        order_[k] = order_[k] == 0 ? order : std::min(order_[k], order);
        value_[k] = 0;
        for (std::size_t j = 0; j < n; ++j) value_[k] += part_[k][j].to_double() * actual_[j];
        const bool counts = k + 1 < n || actual_[k] > 0;
        if (counts && !(value_[k] > 0 && std::abs(value_[k] - actual_[k]) <= farthest_ * actual_[k])) {
            *this = before;
            return false;
        }
    }
    return true;
}

Resonance describe(const Multiples& relation, const std::vector<double>& frequencies, const ExcitationKinds& excitation) {
    Resonance r;
    const int h = std::abs(relation.back());
    r.multiples.assign(relation.begin(), relation.end() - 1);
    r.harmonic = relation.back();
    r.detuning = sum_of(relation, frequencies);
    double sizes_in_all = 0;
    for (std::size_t j = 0; j < relation.size(); ++j) sizes_in_all += std::abs(relation[j]) * frequencies[j];
    if (std::abs(r.detuning) <= 1e-13 * sizes_in_all) r.detuning = 0;  // rounding
    std::vector<int> sizes;
    for (const int m : r.multiples)
        if (m != 0) sizes.push_back(m);
    const int length = length_of(r.multiples);
    std::string name;
    using Kind = Resonance::Kind;
    if (h == 0) {
        r.kind = Kind::internal;
        if (sizes.size() == 2 && sizes[0] * sizes[1] < 0)
            name = fmt::format("internal {}:{}", std::max(std::abs(sizes[0]), std::abs(sizes[1])),
                               std::min(std::abs(sizes[0]), std::abs(sizes[1])));
        else
            name = "internal, combination";
    } else {
        const bool is_tongue = excitation.is_parametric && (length == 2 || (length == 1 && !excitation.is_forced));
        if (is_tongue) {
            r.kind = Kind::parametric;
            if (sizes.size() == 1)
                name = length == 2 && h == 1   ? "parametric, principal"
                       : length == 1 && h == 1 ? "parametric, fundamental"
                                               : "parametric, higher";
            else
                name = sizes[0] * sizes[1] > 0 ? "parametric, sum" : "parametric, difference";
        } else if (sizes.size() == 1) {
            r.kind = length == 1 && h == 1 ? Kind::primary
                     : length == 1         ? Kind::superharmonic
                     : h == 1              ? Kind::subharmonic
                                           : Kind::combination;
            name = r.kind == Kind::primary         ? "primary"
                   : r.kind == Kind::superharmonic ? fmt::format("superharmonic {}", h)
                   : r.kind == Kind::subharmonic   ? fmt::format("subharmonic 1/{}", length)
                                                   : fmt::format("ultrasubharmonic {}/{}", h, length);
        } else {
            r.kind = Kind::combination;
            name = "combination";
        }
    }
    // Ω, or the highest frequency, on the right; a single multiple on the left.
    r.words = h != 0 ? fmt::format("{} = {}, {}", side(relation, 1), side(relation, -1), name)
                     : fmt::format("{} = {}, {}", side(relation, -1), side(relation, 1), name);
    return r;
}

std::vector<Multiples> near_relations(const std::vector<double>& frequencies, unsigned length, unsigned harmonics, double closeness) {
    const std::size_t n = frequencies.size() - 1;
    const bool is_driven = frequencies.back() > 0;
    std::set<Multiples> found;
    Multiples m(n + 1, 0);
    const auto walk = [&](auto&& self, std::size_t j, int left) -> void {
        if (j == n) {
            const int most = is_driven ? left * static_cast<int>(harmonics) : 0;
            for (int h = -most; h <= most; ++h) {
                m[n] = h;
                if (std::all_of(m.begin(), m.end(), [](int x) { return x == 0; })) continue;
                if (is_driven && h != 0 && std::all_of(m.begin(), m.end() - 1, [](int x) { return x == 0; })) continue;
                if (is_near(m, frequencies, closeness)) {
                    const Multiples r = normalised(m, frequencies);
                    if (is_near(r, frequencies, closeness)) found.insert(r);
                }
            }
            m[n] = 0;
            return;
        }
        for (int x = -left; x <= left; ++x) {
            m[j] = x;
            self(self, j + 1, left - std::abs(x));
        }
        m[j] = 0;
    };
    // With many modes only shorter relations are looked at, so that their number stays within reason.
    unsigned reach = length;
    const auto count = [&](unsigned l) {  // about as many as there are
        double c = 1;
        for (unsigned i = 1; i <= l; ++i) c *= 2.0 * static_cast<double>(n + i - 1) / i;
        return c;
    };
    while (reach > 3 && count(reach) > 1e6) --reach;
    walk(walk, 0, static_cast<int>(reach));
    std::vector<Multiples> list(found.begin(), found.end());
    std::stable_sort(list.begin(), list.end(), [](const Multiples& a, const Multiples& b) { return length_of(a) < length_of(b); });
    return list;
}

}  // namespace linkwright::perturb
