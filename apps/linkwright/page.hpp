#pragma once
// Text for people: lines of at most 100 columns, columns that are as wide as what is in them.

#include <string>
#include <string_view>
#include <vector>

namespace linkwright::cli {

inline constexpr std::size_t page_width = 100;

/// Characters, not bytes.
std::size_t width_of(std::string_view text);

/// Broken at blanks; the first line begins with `indent` blanks, the others with `hanging`. Ends with a line end.
std::string wrapped(std::string_view text, std::size_t indent = 0, std::size_t hanging = 0);

/// "\u00a0" holds words together while a text is wrapped; here it is a blank again.
std::string with_plain_blanks(std::string text);

/// Columns two blanks apart; those listed in `right` are flush right. The last column is wrapped where it goes beyond the page.
class Columns {
public:
    explicit Columns(std::vector<std::string> head, std::vector<std::size_t> right = {});
    void add(std::vector<std::string> row);
    std::string text(std::size_t indent = 0) const;

private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> right_;
};

}  // namespace linkwright::cli
