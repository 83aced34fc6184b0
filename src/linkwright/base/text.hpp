#pragma once
// Small verbs on words.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace linkwright {

/// The number of single-character edits (insert, delete, replace, swap neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate a person most likely meant by `word`: the nearest one, if it is near enough to be worth saying.
std::optional<std::string> did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace linkwright
