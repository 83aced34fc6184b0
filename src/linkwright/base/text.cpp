#include "linkwright/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace linkwright {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Rows of the optimal string alignment table; two rows back is needed for a swap.
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, now);
    }
    return last[b.size()];
}

std::optional<std::string> did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    constexpr std::size_t longest_word = 64;  // nobody mistypes more; keeps the search cheap on hostile input
    if (word.size() > longest_word) return std::nullopt;
    const auto lower = [](std::string_view s) {
        std::string out(s);
        std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return out;
    };
    const std::string wanted = lower(word);
    std::optional<std::string> best;
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > longest_word) continue;
        const std::size_t distance = edit_distance(wanted, lower(candidate));
        if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace linkwright
