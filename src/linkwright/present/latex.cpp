// LaTeX and Markdown: the same mathematics in two kinds of prose.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "linkwright/present/definition.hpp"
#include "linkwright/present/pen.hpp"

namespace linkwright::present {

namespace {

constexpr std::size_t equations_a_block = 20;  // what is aligned
constexpr std::size_t lines_a_display = 100;   // TeX holds a display in its memory as a whole
constexpr std::size_t widest_left = 25;        // columns; a wider left-hand side stands in a line of its own

class Setter {
public:
    explicit Setter(const Formulas& formulas) : pen_(formulas, Style::latex) {}
    virtual ~Setter() = default;

    std::string set(const Page& page, const std::string& subtitle) {
        open(page.title);
        put(Paragraph{subtitle});
        for (const Section& s : page.before) section(s);
        intermediates();
        for (const Section& s : page.after) section(s);
        if (pen_.has_rounded()) put(Paragraph{std::string(rounding_remark)});
        close();
        return std::move(out_);
    }

protected:
    virtual void open(const std::string& title) = 0;
    virtual void close() {}
    virtual void heading(const std::string& words) = 0;
    virtual std::string words(std::string_view s) const = 0;
    virtual void display(const std::string& maths) = 0;
    virtual void display_rows(const std::string& rows) = 0;
    virtual void item(const std::string& letter, const std::string& meaning) = 0;
    virtual std::string squeezed(const std::string& maths, std::size_t room) const = 0;
    virtual void put(const Pattern& p) = 0;
    virtual void put(const Table& t) = 0;

    void line(const std::string& s) { out_ += s + "\n"; }
    std::string name(const std::string& n) const { return "$" + sym::write_name(n, Style::latex) + "$"; }

    void section(const Section& s) {
        if (!s.heading.empty()) heading(s.heading);
        put(s.blocks);
    }
    void put(const std::vector<Block>& blocks) {
        for (const Block& b : blocks) std::visit([this](const auto& block) { put(block); }, b);
    }
    void intermediates() {
        if (pen_.formulas().intermediates().empty()) return;
        heading("Intermediates");
        std::vector<Row> rows;
        for (const auto& step : pen_.formulas().intermediates()) {
            rows.push_back({sym::write_name(step.name, Style::latex), pen_.formula(step.value)});
        }
        put_rows(rows);
    }
    struct Row {
        std::string left, right;
    };
    /// What an alignment leaves to right-hand sides, beside left-hand sides that are not too wide.
    static std::size_t room_beside(std::span<const Row> rows) {
        std::size_t widest = 0;
        for (const Row& row : rows) {
            if (const std::size_t w = width(row.left, Style::latex); w <= widest_left) widest = std::max(widest, w);
        }
        return latex_width - widest;
    }
    /// Lines of an alignment, each balanced by itself.
    std::vector<std::string> equation(const Row& row, std::size_t room) const {
        std::vector<std::string> lines;
        std::string start = row.left + " & = ";
        if (width(row.left, Style::latex) > widest_left) {
            lines.push_back("& " + fitted(row.left, room));
            start = "  & \\quad {} = ";
        }
        for (const std::string& piece : broken(row.right, room, Style::latex)) {
            lines.push_back(start + fitted(piece, room));
            start = "  & \\quad {} ";
        }
        return lines;
    }
    void put_rows(const std::vector<Row>& rows) {
        for (std::size_t i = 0; i < rows.size(); i += equations_a_block) {
            const auto these = std::span(rows).subspan(i, std::min(equations_a_block, rows.size() - i));
            const std::size_t room = room_beside(these);
            std::vector<std::string> lines;
            for (const Row& row : these) {
                for (std::string& one : equation(row, room)) lines.push_back(std::move(one));
            }
            for (std::size_t j = 0; j < lines.size(); j += lines_a_display) {
                const auto some = std::span(lines).subspan(j, std::min(lines_a_display, lines.size() - j));
                display_rows(fmt::format("{}", fmt::join(some, " \\\\\n")));
            }
        }
    }
    /// Mathematics, made smaller if it is too wide and cannot be cut.
    std::string fitted(const std::string& maths, std::size_t room) const {
        return width(maths, Style::latex) > room ? squeezed(maths, room) : maths;
    }

    void put(const Paragraph& p) { line(prose(p.prose) + "\n"); }
    std::string prose(std::string_view text) const {
        return pen_.prose(text, "$", [this](std::string_view s) { return words(s); });
    }
    void put(const Law& law) { display(law.latex); }
    void put(const Entries& block) {
        std::vector<Row> rows;
        std::vector<std::string> notices;
        for (const Entry& entry : block.entries) {
            const std::string left = write(entry.label, Style::latex);
            rows.push_back({left, pen_.value(entry)});
            const std::string notice = pen_.notice(entry.value);
            if (!notice.empty()) notices.push_back(fmt::format("${}$: {}.\n", left, notice));
        }
        put_rows(rows);
        for (const std::string& notice : notices) line(notice);
    }
    void put(const Matrix& m) {
        const std::string source = m.citation.empty() ? "" : words("[" + m.citation + "]");
        if (m.rows.size() == 1 && m.rows[0].size() == 1) {
            put(Entries{{{m.label, m.rows[0][0]}}});
            if (!source.empty()) line(source + "\n");
            return;
        }
        std::vector<std::size_t> widths;
        std::string body;
        for (const auto& row : m.rows) {
            widths.resize(std::max(widths.size(), row.size()), 0);
            for (std::size_t j = 0; j < row.size(); ++j) {
                const std::string cell = pen_.formula(row[j]);
                widths[j] = std::max(widths[j], width(cell, Style::latex) + 2);
                body += (j == 0 ? "" : " & ") + cell;
            }
            body += " \\\\\n";
        }
        constexpr std::size_t frame = 6;  // parentheses and =
        std::size_t total = width(write(m.label, Style::latex), Style::latex) + frame;
        for (const std::size_t w : widths) total += w;
        if (total > latex_width || m.rows.size() > 24) {
            put(entry_by_entry(m.label, m.rows));
            if (!source.empty()) line(source + "\n");
        } else {
            display_with_source(write(m.label, Style::latex) + " = \\begin{pmatrix}\n" + body + "\\end{pmatrix}", total, source);
        }
    }
    /// The source stands beside the formula where there is room, below it otherwise.
    void display_with_source(const std::string& maths, std::size_t columns, const std::string& source) {
        const std::string beside = source.empty() ? "" : " \\qquad \\text{" + source + "}";
        const bool fits = columns + width(beside, Style::latex) <= latex_width;
        display(fits ? maths + beside : maths);
        if (!fits) line(source + "\n");
    }
    void put(const Definition& d) {
        constexpr std::size_t a_sentence = 60;
        const std::string left = write(d.label, Style::latex), right = latex_definition(d.text);
        const std::string source = d.citation.empty() ? "" : words("[" + d.citation + "]");
        const std::size_t columns = width(left, Style::latex) + width(right, Style::latex) + 3, prose = longest_prose(d.text);
        if (prose > a_sentence || (prose > 0 && columns > latex_width)) {
            line("$" + left + "$ = " + latex_sentence(d.text) + (source.empty() ? "" : " " + source) + "\n");
        } else if (columns <= latex_width) {
            display_with_source(left + " = " + right, columns, source);
        } else {
            put_rows({{left, right}});
            if (!source.empty()) line(source + "\n");
        }
    }
    void put(const Note& n) { put(Paragraph{n.prose}); }
    void put(const Legend& l) {
        std::string s = prose(l.meaning);
        for (std::size_t i = 0; i < l.names.size(); ++i) s += (i == 0 ? ": " : ", ") + name(l.names[i]);
        item("$" + write(l.letter, Style::latex) + "$", s);
    }

    Pen pen_;
    std::string out_;
};

class LatexSetter final : public Setter {
public:
    using Setter::Setter;

private:
    using Setter::put;
    void open(const std::string& title) override { line(latex_opening(title)); }
    void close() override { line("\\end{document}"); }
    void heading(const std::string& s) override { line("\\section*{" + latex_prose(s) + "}"); }
    std::string words(std::string_view s) const override { return latex_prose(s); }
    void item(const std::string& letter, const std::string& meaning) override { line(letter + " \\quad " + meaning + "\n"); }
    void display(const std::string& maths) override { line("\\[\n" + maths + "\n\\]"); }
    void display_rows(const std::string& rows) override { line("\\begin{align*}\n" + rows + "\n\\end{align*}"); }
    std::string squeezed(const std::string& maths, std::size_t room) const override {
        return fmt::format("\\fitted{{{:.2f}}}{{{}}}", 0.9 * static_cast<double>(room) / latex_width, maths);
    }
    void put(const Pattern& p) override {
        constexpr std::size_t many = 24;
        std::string body;
        for (const auto& row : p.cells) {
            for (std::size_t j = 0; j < row.size(); ++j) body += (j == 0 ? "" : " & ") + (row[j] == "." ? "\\cdot" : row[j]);
            body += " \\\\\n";
        }
        if (p.cells.size() > 100) line(fmt::format("\\setcounter{{MaxMatrixCols}}{{{}}}", p.cells.size()));  // more than the preamble has
        const std::string maths = write(p.label, Style::latex) + " \\sim \\begin{pmatrix}\n" + body + "\\end{pmatrix}";
        display(p.cells.size() > many ? "\\fitted{0.95}{\\setlength{\\arraycolsep}{2pt}" + maths + "}" : maths);
        line("Here $\\cdot$ is zero, a letter stands for entries that are alike, $*$ for one of its own.\n");
    }
    void put(const Table& t) override {
        constexpr std::size_t room = 26;
        line("\\begin{longtable}[l]{@{}lll>{\\raggedright\\arraybackslash}p{0.34\\linewidth}}");
        for (const Table::Row& r : t.rows) {
            line(fmt::format("{} & $= {}$ & {} & {} \\\\", name(r.name), fitted(pen_.quantity(r.value), room), latex_unit(r.unit),
                             latex_prose(r.about)));
        }
        line("\\end{longtable}");
    }
};

class MarkdownSetter final : public Setter {
public:
    using Setter::Setter;

private:
    using Setter::put;
    void open(const std::string& title) override { line("# " + words(title) + "\n"); }
    void heading(const std::string& s) override { line("## " + words(s) + "\n"); }
    std::string words(std::string_view s) const override {
        constexpr std::string_view special = "*_`<>|\\$";
        std::string out;
        for (const char c : s) {
            if (special.find(c) != special.npos) out += '\\';
            out += c;
        }
        return out;
    }
    std::string squeezed(const std::string& maths, std::size_t) const override { return maths; }
    void item(const std::string& letter, const std::string& meaning) override { line("- " + letter + " " + meaning + "\n"); }
    void display(const std::string& maths) override { line("$$\n" + maths + "\n$$\n"); }
    void display_rows(const std::string& rows) override { display("\\begin{aligned}\n" + rows + "\n\\end{aligned}"); }
    void put(const Pattern& p) override {
        std::string s = "```\n";
        for (const auto& row : p.cells) {
            for (const std::string& cell : row) s += std::string(cell.size() < 2 ? 2 : 1, ' ') + cell;
            s += "\n";
        }
        line(s + "```\n\n`.` is zero, a letter stands for entries that are alike, `*` for one of its own.\n");
    }
    void put(const Table& t) override {
        line("| name | value | unit | |\n| --- | --- | --- | --- |");
        for (const Table::Row& r : t.rows) {
            const std::string value = pen_.quantity(r.value);
            line(fmt::format("| {} | ${}$ | {} | {} |", name(r.name), value, latex_unit(r.unit), words(r.about)));
        }
        line("");
    }
};

}  // namespace

std::string set_latex(const Page& page, const std::string& subtitle, const Formulas& formulas) {
    return LatexSetter(formulas).set(page, subtitle);
}
std::string set_markdown(const Page& page, const std::string& subtitle, const Formulas& formulas) {
    return MarkdownSetter(formulas).set(page, subtitle);
}

}  // namespace linkwright::present
