#include "linkwright/proof/second_witness.hpp"

#include <algorithm>
#include <numeric>

#include "linkwright/sym/normal_form.hpp"

namespace linkwright::proof {

std::size_t ExactEntries::count(std::size_t other) const { return static_cast<std::size_t>(std::ranges::count(is_equal[other], true)); }
std::size_t ExactEntries::count(std::size_t one, std::size_t other) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < is_equal[one].size(); ++i) n += is_equal[one][i] && is_equal[other][i] ? 1 : 0;
    return n;
}

ExactEntries exactly_equal(const EquationsOfMotion& first, std::span<const EquationsOfMotion* const> others, std::chrono::milliseconds patience) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + patience;
    const std::vector<Entry> wanted = entries(first);
    std::vector<std::size_t> size(wanted.size()), order(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) size[i] = sym::nodes_below(std::span(&wanted[i].value, 1)).size();
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return size[i]; });
    ExactEntries result;
    std::vector<std::vector<Entry>> lists;
    for (const EquationsOfMotion* e : others) {
        lists.push_back(entries(*e));
        result.is_equal.emplace_back(wanted.size(), false);
    }
    std::size_t refused = 0;
    for (const std::size_t i : order) {
        for (std::size_t k = 0; k < others.size(); ++k) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
            if (left.count() <= 0 || refused > 3) return result;
            if (i >= lists[k].size() || lists[k][i].name != wanted[i].name) continue;
            const sym::Budget budget{.terms = 5'000, .time = std::max(std::chrono::milliseconds(1), std::min(left, patience / 5))};
            const auto exact = sym::equal_exactly(wanted[i].value, lists[k][i].value, budget);
            result.is_equal[k][i] = exact.verdict == sym::Verdict::equal;
            if (!exact.why_not.empty()) ++refused;
        }
    }
    return result;
}

}  // namespace linkwright::proof
