#pragma once
// Colours on a terminal. Texts are painted wherever they are made; whoever writes them asks `shown` whether the colours stay.
//
// They stay when standard output (or standard error) is a terminal that has colours, the environment has no NO_COLOR (https://no-color.org),
// and --color says nothing else. A file of -o has none, ever.

#include <cstdint>
#include <string>
#include <string_view>

namespace linkwright::cli {

enum class Ink : std::uint8_t { heading, good, bad, doubtful, faint };
std::string paint(Ink ink, std::string_view text);

enum class Color : std::uint8_t { automatic, always, never };
void choose_color(Color color);  ///< what --color says

enum class Stream : std::uint8_t { out, error };
/// As this stream shows it: with colours, or without.
std::string shown(std::string_view text, Stream stream);
std::string without_colors(std::string_view text);

}  // namespace linkwright::cli
