#include <fmt/format.h>

#include <algorithm>

#include "linkwright/present/pen.hpp"

namespace linkwright::present {

namespace {

constexpr std::size_t page_width = 100;

class TextSetter {
public:
    explicit TextSetter(Pen pen) : pen_(std::move(pen)) {}

    std::string set(const Page& page, const std::string& subtitle) {
        heading(page.title, '=');
        put(Paragraph{subtitle});
        for (const Section& s : page.before) section(s);
        for (std::size_t i = 0; i < page.after.size(); ++i) {
            section(page.after[i]);
            where(pen_.intermediates_of(i));
        }
        if (pen_.has_rounded()) {
            line("");
            put(Paragraph{rounding_remark(pen_.digits())});
        }
        return std::move(out_);
    }

private:
    std::size_t columns(std::string_view s) const { return width(s, Style::text); }
    std::string padded(const std::string& s, std::size_t to) const { return s + std::string(to - std::min(to, columns(s)), ' '); }
    void line(const std::string& s) { out_ += s + "\n"; }
    void heading(const std::string& words, char rule) {
        line(words);
        line(std::string(columns(words), rule));
    }
    void section(const Section& s) {
        line("");
        if (!s.heading.empty()) heading(s.heading, '-');
        for (const Block& b : s.blocks) {
            std::visit([this](const auto& block) { put(block); }, b);
        }
    }
    /// The intermediates that a section needs first.
    void where(std::span<const StraightLine::Step> steps) {
        if (steps.empty()) return;
        line("\nwhere");
        for (const auto& step : steps) equation(pen_.name(step.name), pen_.formula(step.value));
    }

    void equation(const std::string& left, const std::string& right) {
        const std::size_t indent = std::min<std::size_t>(columns(left) + 5, 20);
        const std::string start = "  " + left + " = ";
        bool is_first = true;
        for (const std::string& piece : broken(right, page_width - std::max(indent, columns(start)), pen_.style())) {
            line((is_first ? start : std::string(indent, ' ')) + piece);
            is_first = false;
        }
    }

    std::string prose(std::string_view text) const {
        return pen_.prose(text, "", [](std::string_view s) { return std::string(s); });
    }
    void put(const Paragraph& p) {
        for (const std::string& piece : wrapped(prose(p.prose), page_width)) line(piece);
    }
    void put(const Law& law) { line("  " + (pen_.style() == Style::unicode ? law.unicode : law.text) + "\n"); }
    void put(const Legend& l) {
        std::string meaning = prose(l.meaning);
        for (std::size_t i = 0; i < l.names.size(); ++i) {
            meaning += (i == 0 ? ": " : ", ") + pen_.name(l.names[i]);
        }
        const std::string letter = "  " + padded(pen_.label(l.letter), 2) + "  ";
        const std::string indent(columns(letter), ' ');
        bool is_first = true;
        for (const std::string& piece : wrapped(meaning, page_width - indent.size())) {
            line((is_first ? letter : indent) + piece);
            is_first = false;
        }
    }
    void put(const Entries& block) {
        for (const Entry& entry : block.entries) {
            equation(pen_.label(entry.label), pen_.value(entry));
            if (const std::string notice = pen_.notice(entry.value); !notice.empty()) line("    (" + notice + ")");
        }
    }
    void put(const Matrix& m) {
        const std::string left = pen_.label(m.label);
        const std::string source = m.citation.empty() ? "" : "   [" + m.citation + "]";
        if (m.rows.size() == 1 && m.rows[0].size() == 1) {
            put(Entries{{{of_one(m), m.rows[0][0]}}});
            cite(source);
            return;
        }
        std::vector<std::vector<std::string>> cells;
        for (const auto& row : m.rows) {
            auto& written = cells.emplace_back();
            for (const Expr& e : row) written.push_back(pen_.formula(e));
        }
        const std::size_t before = out_.size();
        if (grid(left, cells)) {  // the source beside the first row
            const std::size_t end = out_.find('\n', before);
            if (columns(std::string_view(out_).substr(before, end - before)) + columns(source) <= page_width)
                out_.insert(end, source);
            else
                cite(source);
            return;
        }
        for (const Block& b : spread(m)) std::visit([this](const auto& block) { put(block); }, b);
        cite(source);
    }
    /// After the last line, or below it.
    void cite(const std::string& source) {
        if (source.empty()) return;
        const std::size_t start = out_.rfind('\n', out_.size() - 2) + 1;
        if (columns(std::string_view(out_).substr(start)) + columns(source) <= page_width)
            out_.insert(out_.size() - 1, source);
        else
            line("  " + source);
    }
    void put(const Definition& d) {
        const std::string start = "  " + pen_.label(d.label) + " = ", indent(std::min<std::size_t>(columns(start), 20) + 2, ' ');
        const std::string source = d.citation.empty() ? "" : "   [" + d.citation + "]";
        std::vector<std::string> pieces = wrapped(d.text, page_width - std::max(columns(start), indent.size()));
        const bool has_room = columns(pieces.back()) + columns(start) + columns(source) <= page_width;
        if (has_room)
            pieces.back() += source;
        else if (!source.empty())
            pieces.push_back(source.substr(3));
        for (std::size_t i = 0; i < pieces.size(); ++i) line((i == 0 ? start : indent) + pieces[i]);
    }
    void put(const Note& n) {
        for (const std::string& piece : wrapped(prose(n.prose), page_width - 4)) line("    " + piece);
    }
    void put(const Pattern& p) {
        line("");
        grid(pen_.label(p.label), p.cells);
        line("\n  . is zero, a letter stands for entries that are alike, * for one of its own.\n");
    }
    void put(const Table& t) {
        std::vector<std::vector<std::string>> rows;
        for (const Table::Row& r : t.rows) {
            const std::string value = "= " + pen_.quantity(r.value, r.is_given);
            rows.push_back({pen_.name(r.name), value, r.unit, r.about});
        }
        for (const auto& row : rows) {
            std::string s = " ";
            for (std::size_t j = 0; j < row.size(); ++j) {
                s += " " + padded(row[j], column_width(rows, j)) + (j > 0 ? " " : "");
            }
            line(s.substr(0, s.find_last_not_of(' ') + 1));
        }
    }

    static std::size_t column_width(const std::vector<std::vector<std::string>>& rows, std::size_t j) {
        std::size_t most = 0;
        for (const auto& row : rows) {
            if (j < row.size()) most = std::max(most, width(row[j], Style::text));
        }
        return most;
    }
    /// Rows in brackets with aligned columns; false when they do not fit the page.
    bool grid(const std::string& left, const std::vector<std::vector<std::string>>& rows) {
        const std::string start = "  " + left + " = ";
        std::size_t total = columns(start) + 3;
        const std::size_t count = rows.empty() ? 0 : rows[0].size();
        std::vector<std::size_t> widths;
        for (std::size_t j = 0; j < count; ++j) total += widths.emplace_back(column_width(rows, j)) + 2;
        if (total > page_width) return false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::string s = (i == 0 ? start : std::string(columns(start), ' ')) + "[";
            for (std::size_t j = 0; j < rows[i].size(); ++j) s += (j == 0 ? " " : "  ") + padded(rows[i][j], widths[j]);
            line(s + " ]");
        }
        return true;
    }

    Pen pen_;
    std::string out_;
};

}  // namespace

std::string set_text(const Page& page, const std::string& subtitle, Pen pen) { return TextSetter(std::move(pen)).set(page, subtitle); }

}  // namespace linkwright::present
