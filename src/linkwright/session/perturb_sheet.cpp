#include "linkwright/session/perturb_sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace linkwright::session {

using present::Runs, present::SheetBlock, present::Style;

PerturbSheet::PerturbSheet(As as, const std::string& title) : as_(as) {
    if (as == As::document) out_ = present::latex_opening(title);
    if (as == As::text) out_ = title + "\n" + std::string(present::width(title, Style::unicode), '=') + "\n";
}

std::vector<SheetBlock>& PerturbSheet::blocks() {
    if (sections_.empty()) sections_.emplace_back();
    return sections_.back().blocks;
}

void PerturbSheet::heading(const std::string& words) {
    close();
    switch (as_) {
        case As::text: out_ += "\n" + words + "\n" + std::string(present::width(words, Style::unicode), '-') + "\n"; break;
        case As::document: out_ += "\n\\section*{" + present::latex_prose(words) + "}\n"; break;
        case As::data: sections_.push_back({words, {}}); break;
    }
}

void PerturbSheet::smaller_heading(const std::string& words) {
    close();
    switch (as_) {
        case As::text: out_ += words + "\n"; break;
        case As::document: out_ += "\\subsection*{" + present::latex_prose(words) + "}\n"; break;
        case As::data: prose(words + ":"); break;
    }
}

void PerturbSheet::prose(const std::string& words) {
    close();
    switch (as_) {
        case As::text:
            for (const std::string& line : present::wrapped(words, 100)) out_ += line + "\n";
            break;
        case As::document: out_ += present::latex_prose(words) + "\n\n"; break;
        case As::data: blocks().push_back({.kind = SheetBlock::Kind::text, .runs = {{words}}}); break;
    }
}

void PerturbSheet::equation(const std::string& left, const std::string& right, const std::string& relation) {
    if (is_latex()) return rows_.push_back({left, relation, right});
    const std::size_t indent = 2 + present::width(left, Style::unicode) + 3;
    const auto pieces = present::broken(right, indent > 50 ? 60 : 110 - indent, Style::unicode);
    for (std::size_t i = 0; i < pieces.size(); ++i)
        out_ += (i == 0 ? "  " + left + " " + relation + " " : std::string(indent, ' ')) + pieces[i] + "\n";
}

std::string PerturbSheet::cell(const Runs& runs) const {
    std::string out;
    for (const present::Run& r : runs) {
        if (as_ == As::text)
            out += r.text;
        else
            out += r.is_latex ? "$" + r.text + "$" : present::latex_prose(r.text);
    }
    return out;
}

void PerturbSheet::table(const std::vector<std::vector<Runs>>& rows) {
    close();
    if (rows.empty()) return;
    if (as_ == As::data) return blocks().push_back({.kind = SheetBlock::Kind::table, .rows = rows});
    std::vector<std::vector<std::string>> cells;
    for (const auto& row : rows) {
        cells.emplace_back();
        for (const Runs& runs : row) cells.back().push_back(cell(runs));
    }
    if (as_ == As::document) {
        out_ += "\\begin{longtable}[l]{" + std::string(cells[0].size(), 'l') + "}\n";
        for (const auto& row : cells) out_ += fmt::format("{} \\\\\n", fmt::join(row, " & "));
        out_ += "\\end{longtable}\n";
        return;
    }
    std::vector<std::size_t> widths(cells[0].size(), 0);
    for (const auto& row : cells) {
        for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], present::width(row[c], Style::unicode));
    }
    for (const auto& row : cells) {
        std::string line = "  ";
        for (std::size_t c = 0; c < row.size(); ++c)
            line += row[c] + std::string(widths[c] - present::width(row[c], Style::unicode) + 3, ' ');
        out_ += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
}

void PerturbSheet::space() {
    close();
    if (as_ == As::text) out_ += "\n";
}

std::string PerturbSheet::text() {
    close();
    return as_ == As::document ? out_ + "\\end{document}\n" : out_;
}

std::vector<present::SheetSection> PerturbSheet::sections() {
    close();
    return std::move(sections_);
}

/// Of the equations that stand one below the other: lines that leave room for the widest left-hand side.
std::vector<std::string> PerturbSheet::lines_of_rows() const {
    constexpr std::size_t line = 75, widest_left = 45;  // columns
    std::size_t widest = 0;
    for (const Row& row : rows_) widest = std::max(widest, present::width(row.left, Style::latex));
    const std::size_t room = line - std::min(widest, widest_left);
    const auto fitted = [&](const std::string& piece) {
        if (as_ == As::data || present::width(piece, Style::latex) <= room) return piece;  // what is wider cannot be cut
        return fmt::format("\\fitted{{{:.2f}}}{{{}}}", 0.9 * static_cast<double>(room) / line, piece);
    };
    std::vector<std::string> lines;
    for (const Row& row : rows_) {
        std::string start = row.left + " & " + row.relation + " ";
        for (const std::string& piece : present::broken(row.right, room, Style::latex)) {
            lines.push_back(start + fitted(piece));
            start = " & \\quad {} ";
        }
    }
    return lines;
}

void PerturbSheet::close() {
    if (rows_.empty()) return;
    const std::vector<std::string> lines = lines_of_rows();
    const std::size_t lines_a_display = as_ == As::data ? 20 : 100;  // TeX holds a display in its memory as a whole
    for (std::size_t i = 0; i < lines.size(); i += lines_a_display) {
        const auto some = std::span(lines).subspan(i, std::min(lines_a_display, lines.size() - i));
        if (as_ == As::data)
            blocks().push_back({.kind = SheetBlock::Kind::formula,
                                .latex = fmt::format("\\begin{{aligned}} {} \\end{{aligned}}", fmt::join(some, " \\\\ "))});
        else
            out_ += fmt::format("\\begin{{align*}}\n{}\n\\end{{align*}}\n", fmt::join(some, " \\\\\n"));
    }
    rows_.clear();
}

}  // namespace linkwright::session
