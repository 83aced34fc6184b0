#include "linkwright/compare/compare_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "linkwright/sym/approximate.hpp"

namespace linkwright::compare {

using sym::Approximate;

namespace {

constexpr int points = 24;  // half of them with the model's own parameters
constexpr double agreement = 1e-9;

/// A point near the state that the model starts from.
class Point {
public:
    Point(const Quantities& ours, std::uint64_t seed, bool varies, double reach)
        : ours_(ours), random_(seed), varies_(varies), reach_(reach) {}

    Approximate operator()(const Expr& symbol) {
        const auto known = values_.find(symbol.id());
        if (known != values_.end()) return known->second;
        if (symbol.symbol().quaternion >= 0)
            draw_quaternion(symbol);
        else
            values_.emplace(symbol.id(), draw(symbol));
        return values_.at(symbol.id());
    }

private:
    double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

    double draw(const Expr& symbol) {
        const auto at = ours_.nominal.find(symbol.symbol().name);
        const double start = at == ours_.nominal.end() ? 0 : at->second;
        switch (symbol.symbol().role) {
            case sym::Role::parameter:
                if (!varies_) return start;
                return start == 0 ? between(-0.1, 0.1) : start * between(0.9, 1.1);
            case sym::Role::coordinate: return start + between(-0.4 * reach_, 0.4 * reach_);
            default: return start + between(-reach_, reach_);
        }
    }
    void draw_quaternion(const Expr& symbol) {
        std::array<double, 4> e{};
        double square = 0;
        for (double& x : e) x = between(-1, 1), square += x * x;
        const auto& group = symbol.pool().quaternions()[symbol.symbol().quaternion].e;
        for (std::size_t k = 0; k < 4; ++k) values_.emplace(group[k], Approximate(e[k] / std::sqrt(square), 1e-15));
    }

    const Quantities& ours_;
    std::mt19937_64 random_;
    bool varies_;
    double reach_;
    std::map<sym::NodeId, Approximate> values_;
};

}  // namespace

bool is_opaque(const Expr& e) { return (e.node().flags & sym::Node::opaque) != 0; }

AsNumbers compare_numbers(const Quantities& ours, const Expr& a, const Expr& b, std::uint64_t seed) {
    int seen = 0;
    bool is_nearby = false;
    const std::array both{a, b};
    for (int i = 0; i < points; ++i) {
        const bool varies = i % 2 != 0, is_far = i % 4 >= 2;
        Point point(ours, seed + static_cast<std::uint64_t>(i), varies, is_far ? 6 : 1);
        const std::vector<Approximate> at =
            sym::evaluate<Approximate>(std::span<const Expr>(both), [&](const Expr& s) { return point(s); });
        if (!at[0].is_known() || !at[1].is_known()) continue;
        ++seen;
        const double apart = std::abs(at[0].value - at[1].value), error = at[0].error + at[1].error;
        if (apart <= error + agreement * std::max(std::abs(at[0].value), std::abs(at[1].value))) {
            // a bound as large as the value itself shows nothing
            if (error > 1e-6 * std::max({std::abs(at[0].value), std::abs(at[1].value), 1e-300})) --seen;
            continue;
        }
        if (!varies && !is_far) return AsNumbers::different;
        is_nearby = true;
    }
    if (seen < points / 4) return AsNumbers::unknown;
    return is_nearby ? AsNumbers::nearby : AsNumbers::equal;
}

}  // namespace linkwright::compare
