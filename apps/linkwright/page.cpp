#include "page.hpp"

#include <algorithm>

#include "paint.hpp"

namespace linkwright::cli {

std::size_t width_of(std::string_view text) {
    const std::string plain = without_colors(text);
    return static_cast<std::size_t>(std::ranges::count_if(plain, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t hanging) {
    std::string out(indent, ' ');
    std::size_t column = indent;
    bool is_first = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        at = end + 1;
        if (word.empty()) continue;
        const std::size_t width = width_of(word);
        if (!is_first && column + 1 + width > page_width) {
            out += "\n" + std::string(hanging, ' ');
            column = hanging;
            is_first = true;
        }
        if (!is_first) out += ' ', ++column;
        out += word;
        column += width;
        is_first = false;
    }
    return out + "\n";
}

std::string with_plain_blanks(std::string text) {
    constexpr std::string_view held = "\u00a0";
    for (std::size_t at = text.find(held); at != std::string::npos; at = text.find(held, at)) text.replace(at, held.size(), " ");
    return text;
}

Columns::Columns(std::vector<std::string> head, std::vector<std::size_t> right) : right_(std::move(right)) {
    for (std::string& word : head) word = paint(Ink::heading, word);
    rows_.push_back(std::move(head));
}

void Columns::add(std::vector<std::string> row) {
    row.resize(rows_.front().size());
    rows_.push_back(std::move(row));
}

std::string Columns::text(std::size_t indent) const {
    const std::size_t n = rows_.front().size();
    std::vector<std::size_t> width(n, 0);
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < n; ++i) width[i] = std::max(width[i], width_of(row[i]));
    }
    std::string out;
    for (const auto& row : rows_) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const std::string blanks(width[i] - width_of(row[i]), ' ');
            const bool is_right = std::ranges::find(right_, i) != right_.end();
            line += (is_right ? blanks + row[i] : row[i] + blanks) + "  ";
        }
        const std::size_t at = width_of(line);
        const bool is_right = std::ranges::find(right_, n - 1) != right_.end();
        line += is_right ? std::string(width[n - 1] - width_of(row[n - 1]), ' ') + row[n - 1] : wrapped(row[n - 1], at, at).substr(at);
        while (line.ends_with('\n')) line.pop_back();
        while (!line.empty() && line.back() == ' ') line.pop_back();
        out += line + "\n";
    }
    return out;
}

}  // namespace linkwright::cli
