#include "linkwright/codegen/fmu/units.hpp"

#include <algorithm>
#include <charconv>

namespace linkwright::codegen::fmu {
namespace {

struct Named {
    std::string_view name;
    std::array<int, 8> powers;  ///< kg m s A K mol cd rad
};

constexpr Named table[] = {
    {"kg", {1}},
    {"m", {0, 1}},
    {"s", {0, 0, 1}},
    {"A", {0, 0, 0, 1}},
    {"K", {0, 0, 0, 0, 1}},
    {"mol", {0, 0, 0, 0, 0, 1}},
    {"cd", {0, 0, 0, 0, 0, 0, 1}},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}},
    {"1", {}},
    {"Hz", {0, 0, -1}},
    {"N", {1, 1, -2}},
    {"Pa", {1, -1, -2}},
    {"J", {1, 2, -2}},
    {"W", {1, 2, -3}},
    {"C", {0, 0, 1, 1}},
    {"V", {1, 2, -3, -1}},
    {"F", {-1, -2, 4, 2}},
    {"ohm", {1, 2, -3, -2}},
    {"S", {-1, -2, 3, 2}},
    {"Wb", {1, 2, -2, -1}},
    {"T", {1, 0, -2, -1}},
    {"H", {1, 2, -2, -2}},
};

}  // namespace

std::optional<std::array<int, 8>> exponents(std::string_view unit) {
    std::array<int, 8> sum{};
    int sign = 1;
    while (!unit.empty()) {
        const std::size_t end = std::min(unit.find_first_of("*/"), unit.size());
        std::string_view term = unit.substr(0, end);
        int power = 1;
        if (const std::size_t hat = term.find('^'); hat != std::string_view::npos) {
            const std::string_view digits = term.substr(hat + 1);
            const auto [rest, trouble] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
            if (trouble != std::errc() || rest != digits.data() + digits.size() || std::abs(power) > 100) return std::nullopt;
            term = term.substr(0, hat);
        }
        const auto* const named = std::ranges::find(table, term, &Named::name);
        if (named == std::end(table)) return std::nullopt;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += sign * power * named->powers[i];
        if (end == unit.size()) return sum;
        sign = unit[end] == '/' ? -1 : 1;
        unit.remove_prefix(end + 1);
    }
    return std::nullopt;
}

}  // namespace linkwright::codegen::fmu
