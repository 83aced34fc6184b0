#include "linkwright/compare/compare_numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "linkwright/sym/normal_form.hpp"

namespace linkwright::compare {

namespace {

/// How far from the state that the model starts in, and how many points of each: with the model's parameters, and again with others.
enum class Reach : std::uint8_t { near, around, turns, rest, any_size };
struct Draws {
    Reach reach;
    std::uint64_t count;
};
constexpr std::array plan{Draws{Reach::near, 4}, Draws{Reach::around, 4}, Draws{Reach::turns, 4}, Draws{Reach::rest, 6},
                          Draws{Reach::any_size, 16}};
constexpr double spread = 0.1;                      // of the other parameters
constexpr double least_power = -6, most_power = 6;  // of ten, in any_size
constexpr std::size_t fewest = 8;                   // points that say something

class Point {
public:
    Point(const Quantities& ours, std::uint64_t seed, const Draws& draws, std::uint64_t draw, bool varies)
        : ours_(ours),
          random_(sym::keyed_hash(seed, static_cast<std::uint64_t>(draws.reach), 2 * draw + (varies ? 1 : 0))),
          draws_(draws),
          draw_(draw),
          varies_(varies) {}

    Real operator()(const Expr& symbol) {
        if (const auto known = values_.find(symbol.id()); known != values_.end()) return known->second;
        if (symbol.symbol().quaternion >= 0)
            draw_quaternion(symbol);
        else
            values_.emplace(symbol.id(), draw(symbol));
        return values_.at(symbol.id());
    }

    /// "th = 4.2, th' = -1": what the formulas hang on; parameters only where they are not the model's.
    std::string to_string(const sym::Pool& desk) const {
        constexpr std::size_t most = 6;
        std::vector<std::string> told;
        for (const auto& [id, value] : values_) {
            if (desk.symbol_info(id).role == sym::Role::parameter && !varies_) continue;
            if (told.size() == most) return fmt::format("{}, …", fmt::join(told, ", "));
            told.push_back(fmt::format("{} = {:.6g}", desk.symbol_info(id).name, value.number.value));
        }
        return fmt::format("{}", fmt::join(told, ", "));
    }

private:
    double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

    double draw(const Expr& symbol) {
        const auto at = ours_.nominal.find(symbol.symbol().name);
        const double start = at == ours_.nominal.end() ? 0 : at->second;
        if (symbol.symbol().role == sym::Role::parameter) {
            if (!varies_) return start;
            return start == 0 ? between(-spread, spread) : start * between(1 - spread, 1 + spread);
        }
        const double one = symbol.symbol().role == sym::Role::coordinate ? 0.4 : 1;
        switch (draws_.reach) {
            case Reach::near: break;
            case Reach::around: return start + between(-6 * one, 6 * one);
            case Reach::turns: return start + between(-20, 20);
            case Reach::rest:
                if (between(-1, 1) < 0) return 0;
                break;
            case Reach::any_size: {  // every second time all of about one size, and each size in its turn
                const double all = most_power - least_power, part = all / static_cast<double>(draws_.count);
                const double from = least_power + part * static_cast<double>(draw_);
                const double size = std::pow(10, draw_ % 2 == 0 ? from + between(0, 2 * part) : least_power + between(0, all));
                return between(-1, 1) < 0 ? -size : size;
            }
        }
        return start + between(-one, one);
    }
    void draw_quaternion(const Expr& symbol) {
        std::array<double, 4> e{};
        double square = 0;
        for (double& x : e) x = between(-1, 1), square += x * x;
        const auto& group = symbol.pool().quaternions()[symbol.symbol().quaternion].e;
        for (std::size_t k = 0; k < 4; ++k) values_.emplace(group[k], sym::Approximate(e[k] / std::sqrt(square), 1e-15));
    }

    const Quantities& ours_;
    std::mt19937_64 random_;
    Draws draws_;
    std::uint64_t draw_;
    bool varies_;
    std::map<sym::NodeId, Real> values_;
};

/// theirs − ours with everything cancelled that cancels; or nothing.
std::optional<Expr> cancelled(const Expr& a, const Expr& b, sym::Pool& desk) {
    const auto form = sym::normal_form(a - b, desk, {.terms = 2'000, .time = std::chrono::milliseconds(300)});
    if (!form || form->is_undefined) return std::nullopt;
    return sym::to_expr(*form, desk);
}

/// Both values, or that there is none; empty when nothing certain is seen.
std::string difference_seen(const Real& a, const Real& b, const Real* apart) {
    const auto told = [](const Real& x) {
        return x.is_void ? std::string("has no real value") : fmt::format("is {:.10g}", x.number.value);
    };
    if (a.is_void != b.is_void) {
        if (!a.is_known() && !b.is_known()) return {};
        return fmt::format("theirs {}, ours {}", told(a), told(b));
    }
    if (!a.is_known() || !b.is_known()) return {};
    const double gap = a.number.value - b.number.value, error = a.number.error + b.number.error;
    if (std::abs(gap) > error) {
        if (told(a) != told(b)) return fmt::format("theirs {}, ours {}", told(a), told(b));
        return fmt::format("theirs {}, and theirs - ours is {:.3g}", told(a), gap);
    }
    // smaller than the rounding of either, and certain where the rest has been cancelled
    if (apart == nullptr || !apart->is_known() || (!apart->number.is_positive() && !apart->number.is_negative())) return {};
    if (std::abs(apart->number.value - gap) > error + apart->number.error) return {};
    return fmt::format("theirs {}, and theirs - ours is {:.3g}", told(a), apart->number.value);
}

/// A bound as large as the value itself shows nothing.
bool is_resolved(const Real& a, const Real& b) {
    if (!a.is_known() || !b.is_known()) return false;
    const double size = std::max({std::abs(a.number.value), std::abs(b.number.value), 1e-300});
    return a.number.error + b.number.error <= 1e-6 * size;
}

}  // namespace

bool is_opaque(const Expr& e) { return (e.node().flags & sym::Node::opaque) != 0; }

AsNumbers compare_numbers(const Quantities& ours, const Expr& a, const Expr& b, const Domain& domain, std::uint64_t seed) {
    AsNumbers out;
    std::vector<Expr> roots{a, b};
    roots.insert(roots.end(), domain.asked().begin(), domain.asked().end());
    const auto rest = cancelled(a, b, ours.desk);
    if (rest) roots.push_back(*rest);
    for (const bool varies : {false, true}) {
        for (const Draws& draws : plan) {
            for (std::uint64_t draw = 0; draw < draws.count; ++draw) {
                Point point(ours, seed, draws, draw, varies);
                std::vector<Real> at = sym::evaluate<Real>(std::span<const Expr>(roots), [&](const Expr& s) { return point(s); });
                if (domain.is_outside(std::span(at).subspan(2, domain.asked().size()))) at[0] = Real::none();
                const std::string seen = difference_seen(at[0], at[1], rest ? &at.back() : nullptr);
                out.points += is_resolved(at[0], at[1]) ? 1 : 0;
                if (seen.empty()) continue;
                out.answer = AsNumbers::Answer::different;
                const std::string place = point.to_string(ours.desk);
                out.where = fmt::format("{}{}", place.empty() ? "" : "where " + place + ": ", seen);
                if (varies)
                    out.where += "; with the model's own parameters no difference was seen";
                else if (draws.reach > Reach::near && out.points > 0)
                    out.where += "; near the state that the model starts in no difference was seen";
                return out;
            }
        }
    }
    if (out.points < fewest) return out;
    out.answer = AsNumbers::Answer::agree;
    out.where = fmt::format(
        "at {} points: states near the first one, at rest, beyond any turn and up to 1e{:g}; parameters of the model, and within "
        "{:g} % of them",
        out.points, most_power, 100 * spread);
    return out;
}

}  // namespace linkwright::compare
