#include "linkwright/proof/second_witness.hpp"

#include <algorithm>
#include <numeric>

#include "linkwright/proof/judge.hpp"
#include "linkwright/sym/normal_form.hpp"

namespace linkwright::proof {

std::size_t ExactEntries::count(std::size_t other) const { return static_cast<std::size_t>(std::ranges::count(is_equal[other], true)); }
std::size_t ExactEntries::count(std::size_t one, std::size_t other) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < is_equal[one].size(); ++i) n += is_equal[one][i] && is_equal[other][i] ? 1 : 0;
    return n;
}

ExactEntries exactly_equal(const EquationsOfMotion& first, std::span<const EquationsOfMotion* const> others,
                           std::chrono::milliseconds patience) {
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t too_large = 1000, nodes_per_millisecond = 20;
    const auto end = Clock::now() + 4 * patience;
    std::size_t left = static_cast<std::size_t>(std::max<std::int64_t>(0, patience.count())) * nodes_per_millisecond;
    const std::vector<Entry> wanted = entries(first);
    std::vector<std::size_t> size(wanted.size()), order(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) size[i] = size_up_to(wanted[i].value, too_large);
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
            if (size[i] > left || size[i] >= too_large || refused > 3 || Clock::now() > end) return result;
            if (i >= lists[k].size() || lists[k][i].name != wanted[i].name) continue;
            left -= size[i];
            if (size_up_to(lists[k][i].value, too_large) == too_large) continue;
            const auto exact = sym::equal_exactly(wanted[i].value, lists[k][i].value, {.terms = 500, .time = patience});
            result.is_equal[k][i] = exact.verdict == sym::Verdict::equal;
            if (!exact.why_not.empty()) ++refused;
        }
    }
    return result;
}

}  // namespace linkwright::proof
