#include "linkwright/ensemble/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace linkwright::ensemble {

namespace {

struct Row {
    const char* name;
    std::size_t least, most;  ///< how many numbers it takes
    const char* example;
};

constexpr std::array<Row, 8> rows{{{"normal", 2, 2, "normal(1, 0.1): mean and standard deviation"},
                                   {"uniform", 2, 2, "uniform(10, 20): least and greatest value"},
                                   {"lognormal", 2, 2, "lognormal(0, 0.2): mean and standard deviation of the logarithm"},
                                   {"triangular", 3, 3, "triangular(1, 2, 4): least, likeliest, greatest value"},
                                   {"exponential", 1, 1, "exponential(2): the mean"},
                                   {"beta", 2, 4, "beta(2, 5) or beta(2, 5, 10, 20): shapes, then least and greatest value"},
                                   {"weibull", 2, 2, "weibull(1.5, 2): shape and scale"},
                                   {"choice", 1, 1000, "choice(1, 2, 5): one of these values"}}};

const Row& row_of(Family family) { return rows[static_cast<std::size_t>(family)]; }

/// I_x(a, b) by its continued fraction, evaluated from the front [abramowitz64 (26.5.8)].
double regularized_beta(double a, double b, double x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - regularized_beta(b, a, 1 - x);
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
    constexpr double tiny = 1e-300;
    double c = 1, d = 1 / std::max(1 - (a + b) * x / (a + 1), tiny), f = d;
    for (int m = 1; m < 400; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + even * d), c = 1 + even / c, f *= c * d;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + odd * d), c = 1 + odd / c;
        const double change = c * d;
        f *= change;
        if (std::abs(change - 1) < 1e-16) break;
    }
    return front * f;
}

double beta_quantile(double a, double b, double p) {
    double low = 0, high = 1;
    for (int k = 0; k < 200 && high - low > 1e-16 * high; ++k) {
        const double middle = low + (high - low) / 2;
        (regularized_beta(a, b, middle) < p ? low : high) = middle;
        if (middle == low && middle == high) break;
    }
    return low + (high - low) / 2;
}

double whole_probability(const Distribution& d, double x) {
    const std::vector<double>& v = d.numbers;
    switch (d.family) {
        case Family::normal: return normal_probability((x - v[0]) / v[1]);
        case Family::uniform: return std::clamp((x - v[0]) / (v[1] - v[0]), 0.0, 1.0);
        case Family::lognormal: return x <= 0 ? 0 : normal_probability((std::log(x) - v[0]) / v[1]);
        case Family::triangular:
            if (x <= v[0]) return 0;
            if (x >= v[2]) return 1;
            if (x <= v[1]) return (x - v[0]) * (x - v[0]) / ((v[2] - v[0]) * (v[1] - v[0]));
            return 1 - (v[2] - x) * (v[2] - x) / ((v[2] - v[0]) * (v[2] - v[1]));
        case Family::exponential: return x <= 0 ? 0 : -std::expm1(-x / v[0]);
        case Family::beta: {
            const double least = v.size() > 2 ? v[2] : 0, greatest = v.size() > 3 ? v[3] : 1;
            return regularized_beta(v[0], v[1], (x - least) / (greatest - least));
        }
        case Family::weibull: return x <= 0 ? 0 : -std::expm1(-std::pow(x / v[1], v[0]));
        case Family::choice: break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double whole_quantile(const Distribution& d, double p) {
    const std::vector<double>& v = d.numbers;
    switch (d.family) {
        case Family::normal: return v[0] + v[1] * normal_quantile(p);
        case Family::uniform: return v[0] + (v[1] - v[0]) * p;
        case Family::lognormal: return std::exp(v[0] + v[1] * normal_quantile(p));
        case Family::triangular: {
            const double whole = v[2] - v[0], left = (v[1] - v[0]) / whole;
            return p <= left ? v[0] + std::sqrt(p * whole * (v[1] - v[0])) : v[2] - std::sqrt((1 - p) * whole * (v[2] - v[1]));
        }
        case Family::exponential: return -v[0] * std::log1p(-p);
        case Family::beta: {
            const double least = v.size() > 2 ? v[2] : 0, greatest = v.size() > 3 ? v[3] : 1;
            return least + (greatest - least) * beta_quantile(v[0], v[1], p);
        }
        case Family::weibull: return v[1] * std::pow(-std::log1p(-p), 1 / v[0]);
        case Family::choice: return v[std::min(v.size() - 1, static_cast<std::size_t>(p * static_cast<double>(v.size())))];
    }
    return std::numeric_limits<double>::quiet_NaN();
}

std::optional<std::string> wrong_numbers(const Distribution& d) {
    const std::vector<double>& v = d.numbers;
    const auto positive = [&](std::size_t i, const char* what) -> std::optional<std::string> {
        if (v[i] > 0) return std::nullopt;
        return fmt::format("{} must be positive, not {:.6g}", what, v[i]);
    };
    switch (d.family) {
        case Family::normal: return positive(1, "the standard deviation");
        case Family::uniform:
            if (!(v[0] < v[1])) return fmt::format("the least value, {:.6g}, must be below the greatest, {:.6g}", v[0], v[1]);
            return std::nullopt;
        case Family::lognormal: return positive(1, "the standard deviation of the logarithm");
        case Family::triangular:
            if (!(v[0] < v[2]) || v[1] < v[0] || v[1] > v[2]) return "the likeliest value must stand between the least and the greatest";
            return std::nullopt;
        case Family::exponential: return positive(0, "the mean");
        case Family::beta:
            if (v.size() == 3) return "after the shapes come the least and the greatest value";
            if (const auto trouble = positive(0, "the first shape")) return trouble;
            if (const auto trouble = positive(1, "the second shape")) return trouble;
            if (v.size() == 4 && !(v[2] < v[3])) return "the least value must be below the greatest";
            return std::nullopt;
        case Family::weibull:
            if (const auto trouble = positive(0, "the shape")) return trouble;
            return positive(1, "the scale");
        case Family::choice: return std::nullopt;
    }
    return std::nullopt;
}

double part_below(const Distribution& d) { return d.least ? whole_probability(d, *d.least) : 0; }
double part_up_to(const Distribution& d) { return d.greatest ? whole_probability(d, *d.greatest) : 1; }

}  // namespace

double normal_probability(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_quantile(double p) {
    // A first guess within 5e-4 [abramowitz64 (26.2.23)], then Halley's method on the complementary error function.
    const bool is_upper = p > 0.5;
    const double tail = is_upper ? 1 - p : p, t = std::sqrt(-2 * std::log(tail));
    double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int k = 0; k < 3; ++k) {
        const double step = (normal_probability(x) - tail) * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
        x -= step / (1 + x * step / 2);
    }
    return is_upper ? -x : x;
}

std::vector<std::string> family_names() {
    std::vector<std::string> names;
    for (const Row& row : rows) names.emplace_back(row.name);
    return names;
}

std::optional<Trouble> find_trouble(const Distribution& d) {
    const Row& row = row_of(d.family);
    const std::string hint = fmt::format("for example {}", row.example);
    if (d.numbers.size() < row.least || d.numbers.size() > row.most)
        return Trouble{fmt::format("{} takes {} number{}, not {}", row.name,
                                   row.least == row.most ? fmt::format("{}", row.least) : fmt::format("{} to {}", row.least, row.most),
                                   row.most == 1 ? "" : "s", d.numbers.size()),
                       hint};
    for (const double x : d.numbers) {
        if (!std::isfinite(x)) return Trouble{fmt::format("{}: one of its numbers is not finite", row.name), hint};
    }
    if (const auto trouble = wrong_numbers(d)) return Trouble{fmt::format("{}: {}", row.name, *trouble), hint};
    if (!d.least && !d.greatest) return std::nullopt;
    if (d.family == Family::choice) return Trouble{"a choice cannot be cut off", "leave out the values that are not wanted"};
    if (d.least && d.greatest && !(*d.least < *d.greatest))
        return Trouble{fmt::format("in [{:.6g}, {:.6g}]: the first must be below the second", *d.least, *d.greatest), {}};
    if (!(part_up_to(d) - part_below(d) > 1e-12))
        return Trouble{fmt::format("{} has practically no values within these bounds", row.name), "widen them"};
    return std::nullopt;
}

double quantile(const Distribution& d, double p) {
    if (!d.least && !d.greatest) return whole_quantile(d, p);
    const double below = part_below(d), above = part_up_to(d);
    double x = whole_quantile(d, below + p * (above - below));
    if (d.least) x = std::max(x, *d.least);
    if (d.greatest) x = std::min(x, *d.greatest);
    return x;
}

double probability(const Distribution& d, double x) {
    const double below = part_below(d), above = part_up_to(d);
    return std::clamp((whole_probability(d, x) - below) / (above - below), 0.0, 1.0);
}

}  // namespace linkwright::ensemble
