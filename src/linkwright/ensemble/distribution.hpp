#pragma once
// How a value is spread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linkwright::ensemble {

enum class Family : std::uint8_t {
    normal,       ///< mean, standard deviation
    uniform,      ///< least, greatest
    lognormal,    ///< mean and standard deviation of the logarithm
    triangular,   ///< least, likeliest, greatest
    exponential,  ///< mean
    beta,         ///< two shapes; then least and greatest, 0 and 1 without them
    weibull,      ///< shape, scale
    choice,       ///< one of these values, all as likely
};

struct Distribution {
    Family family = Family::normal;
    std::vector<double> numbers;
    std::optional<double> least{}, greatest{};  ///< cut off there, and what is left made whole
};

/// normal uniform lognormal triangular exponential beta weibull choice, in the order of Family.
std::vector<std::string> family_names();

/// What is wrong with its numbers, and what it should be like; nothing when all is well.
struct Trouble {
    std::string what, hint;
};
std::optional<Trouble> find_trouble(const Distribution& distribution);

/// The value below which a part p of all values lies, 0 < p < 1.
double quantile(const Distribution& distribution, double p);
/// The part of all values that lies below x; not of a choice.
double probability(const Distribution& distribution, double x);

double normal_quantile(double p);
double normal_probability(double x);

}  // namespace linkwright::ensemble
