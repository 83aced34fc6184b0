#include "linkwright/proof/rerun.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "linkwright/program/inline.hpp"
#include "linkwright/program/raise.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::proof {

namespace {

using sym::Expr;

/// Exact constants, to be found by the doubles they round to.
class Constants {
public:
    Constants(std::span<const Expr> outputs, sym::Pool& pool) : pool_(pool) {
        if (outputs.empty()) return;
        sym::Transplant over(pool);
        const sym::Sweep s = sym::sweep(outputs);
        const sym::Pool& source = outputs.front().pool();
        std::vector<bool> is_fixed(s.steps.size());
        std::vector<Expr> fixed;
        for (std::size_t i = 0; i < s.steps.size(); ++i) {
            const sym::Sweep::Step& step = s.steps[i];
            is_fixed[i] = source.op(step.id) != sym::Op::symbol;
            for (std::size_t k = 0; k < step.arity; ++k) is_fixed[i] = is_fixed[i] && is_fixed[step.args[k]];
            const Expr e(outputs.front().pool(), step.id);
            if (is_fixed[i]) fixed.push_back(e);
            if (e.op() == sym::Op::pow) remember(e.exponent().to_double(), Expr(pool, pool.make_number(e.exponent())));
        }
        const std::vector<double> values = sym::evaluate<double>(fixed, [](const Expr&) { return std::nan(""); });
        for (std::size_t i = 0; i < fixed.size(); ++i) {
            const Expr exact = over(fixed[i]);
            remember(values[i], exact);
            if (values[i] != 0 && !fixed[i].is_literally(1) && !fixed[i].is_literally(-1)) remember(1 / values[i], pow(exact, -1));
        }
        std::ranges::stable_sort(known_, {}, &Known::size);
        const auto twice = std::ranges::unique(known_, {}, &Known::size);
        known_.erase(twice.begin(), twice.end());
    }

    Expr find(double x) const {
        if (!std::isfinite(x)) return {pool_, sym::Pool::undefined_id};
        if (const auto exact = nearest(x)) return *exact;
        // Lowering gathers constants: a number times a root, the quotient of two coefficients.
        for (const Known& k : known_) {
            if (k.size == 0) continue;
            if (const auto other = nearest(x / k.size)) return *other * k.exact;
        }
        const sym::PoolScope scope(pool_);
        if (const auto simple = simplest(x)) return *simple;
        return Expr(x);
    }

private:
    static constexpr double few_ulps = 1e-15;
    struct Known {
        double size;
        Expr exact;  ///< not negative
    };
    void remember(double x, const Expr& exact) {
        if (std::isfinite(x)) known_.push_back({std::abs(x), x < 0 ? -exact : exact});
    }
    /// The fraction with the smallest parts that rounds to x, if they are much smaller than what a double could hold.
    static std::optional<sym::Rational> simplest(double x) {
        constexpr double largest = 0x1p46;  // numerator times denominator
        double rest = std::abs(x);
        std::int64_t h0 = 0, h1 = 1, k0 = 1, k1 = 0;  // convergents of the continued fraction
        while (rest < 0x1p40) {
            const auto whole = static_cast<std::int64_t>(rest);
            const double h = static_cast<double>(whole) * static_cast<double>(h1) + static_cast<double>(h0);
            const double k = static_cast<double>(whole) * static_cast<double>(k1) + static_cast<double>(k0);
            if (h * k > largest) return std::nullopt;
            h0 = std::exchange(h1, static_cast<std::int64_t>(h)), k0 = std::exchange(k1, static_cast<std::int64_t>(k));
            if (std::abs(h / k - std::abs(x)) <= few_ulps * std::abs(x)) return sym::Rational(x < 0 ? -h1 : h1, k1);
            rest = 1 / (rest - static_cast<double>(whole));
        }
        return std::nullopt;
    }
    std::optional<Expr> nearest(double x) const {
        const double size = std::abs(x), reach = few_ulps * size;
        const Known* best = nullptr;
        for (auto at = std::ranges::lower_bound(known_, size - reach, {}, &Known::size); at != known_.end() && at->size <= size + reach;
             ++at) {
            if (best == nullptr || std::abs(at->size - size) < std::abs(best->size - size)) best = &*at;
        }
        if (best == nullptr) return std::nullopt;
        return x < 0 ? -best->exact : best->exact;
    }

    sym::Pool& pool_;
    std::vector<Known> known_;
};

}  // namespace

std::vector<Expr> rerun(const program::Program& with_calls, std::span<const Expr> outputs, std::span<const Expr> inputs, sym::Pool& pool) {
    const program::Program program = program::inlined(with_calls);
    sym::Transplant over(pool);
    std::vector<Expr> value;
    value.reserve(program.values());
    for (const Expr& input : inputs) value.push_back(over(input));
    const Constants constants(outputs, pool);
    for (const double x : program.constants) value.push_back(constants.find(x));
    for (const program::Line& line : program.lines) {
        value.push_back(program::raise(line.op, value[line.args[0]], value[line.args[1]], value[line.args[2]]));
    }
    std::vector<Expr> result;
    for (const program::Index i : program.outputs) result.push_back(value[i]);
    return result;
}

}  // namespace linkwright::proof
