// LaTeX and Markdown: the same mathematics in two kinds of prose.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "linkwright/present/definition.hpp"
#include "linkwright/present/pen.hpp"

namespace linkwright::present {

namespace {

constexpr std::size_t equations_a_block = 20;  // what is aligned
constexpr std::size_t lines_a_display = 100;   // TeX holds a display in its memory as a whole

/// How rows are set: in columns of so many units of width().
struct Columns {
    std::size_t count = 1, room = latex_width;
};

class Setter {
public:
    explicit Setter(Pen pen) : pen_(std::move(pen)) {}
    virtual ~Setter() = default;

    std::string set(const Page& page, const std::string& subtitle) {
        open(page.title);
        put(Paragraph{subtitle});
        if (pen_.has_short_sines()) line("$\\mathrm{s}_{x} = \\sin x$, $\\mathrm{c}_{x} = \\cos x$.\n");
        for (const Section& s : page.before) section(s);
        for (std::size_t i = 0; i < page.after.size(); ++i) {
            section(page.after[i]);
            where(pen_.intermediates_of(i));
        }
        if (pen_.has_rounded()) put(Paragraph{rounding_remark(pen_.digits())});
        close();
        return std::move(out_);
    }

protected:
    virtual void open(const std::string& title) = 0;
    virtual void close() {}
    virtual void heading(const std::string& words) = 0;
    virtual std::string words(std::string_view s) const = 0;
    virtual void display(const std::string& maths) = 0;
    virtual void display_rows(const std::string& rows, bool are_numbered) = 0;
    virtual bool has_columns() const { return false; }  // and numbers
    virtual void open_columns(std::size_t, bool) {}
    virtual void close_columns(std::size_t, bool) {}
    virtual void item(const std::string& letter, const std::string& meaning) = 0;
    virtual std::string squeezed(const std::string& maths, double part_of_line) const = 0;
    virtual void put(const Pattern& p) = 0;
    virtual void put(const Table& t) = 0;

    void line(const std::string& s) { out_ += s + "\n"; }
    std::string name(const std::string& n) const { return "$" + pen_.name(n) + "$"; }

    void section(const Section& s) {
        if (!s.heading.empty()) heading(s.heading);
        put(s.blocks);
    }
    void put(const std::vector<Block>& blocks) {
        for (const Block& b : blocks) std::visit([this](const auto& block) { put(block); }, b);
    }
    struct Row {
        std::string left, right;
    };
    /// The intermediates that a section needs first: small, and not numbered but by their names.
    void where(std::span<const StraightLine::Step> steps) {
        if (steps.empty()) return;
        line("where\n");
        std::vector<Row> rows;
        for (const auto& step : steps) rows.push_back({pen_.name(step.name), pen_.formula(step.value)});
        put_rows(rows, false);
    }
    /// What an alignment leaves to right-hand sides, beside left-hand sides that are not too wide.
    static std::size_t room_beside(std::span<const Row> rows, const Columns& columns) {
        std::size_t widest = 0;
        for (const Row& row : rows) {
            if (const std::size_t w = width(row.left, Style::latex); w <= widest_left(columns)) widest = std::max(widest, w);
        }
        return columns.room - widest;
    }
    static std::size_t widest_left(const Columns& columns) { return columns.room / 3; }
    /// Lines of an alignment, each balanced by itself; the last has the number.
    std::vector<std::string> equation(const Row& row, std::size_t room, const Columns& columns) const {
        std::vector<std::string> lines;
        std::string start = row.left + " & = ";
        if (width(row.left, Style::latex) > widest_left(columns)) {
            lines.push_back("& " + fitted(row.left, room, columns));
            start = "  & \\quad {} = ";
        }
        for (const std::string& piece : broken(row.right, room, Style::latex)) {
            lines.push_back(start + fitted(piece, room, columns));
            start = "  & \\quad {} ";
        }
        return lines;
    }
    /// Fractions no higher than a line, for columns.
    static std::string with_low_fractions(const std::string& s) {
        constexpr std::string_view fraction = "\\frac{", low = "\\tfrac{";
        std::string out;
        for (std::size_t i = 0; i < s.size();) {
            const bool is_here = s.compare(i, fraction.size(), fraction) == 0;
            out += is_here ? low : std::string_view(s).substr(i, 1);
            i += is_here ? fraction.size() : 1;
        }
        return out;
    }
    /// Rows in alignments of a few each, line by line.
    std::vector<std::vector<std::string>> alignments(const std::vector<Row>& rows, const Columns& columns, bool are_numbered) const {
        std::vector<std::vector<std::string>> out;
        for (std::size_t i = 0; i < rows.size(); i += equations_a_block) {
            const auto these = std::span(rows).subspan(i, std::min(equations_a_block, rows.size() - i));
            const std::size_t room = room_beside(these, columns);
            auto& lines = out.emplace_back();
            for (const Row& row : these) {
                std::vector<std::string> some = equation(row, room, columns);
                for (std::size_t k = 0; k < some.size(); ++k) {
                    if (are_numbered && k + 1 < some.size()) some[k] += " \\notag";
                    if (columns.count > 1) some[k] = with_low_fractions(some[k]);
                    lines.push_back(std::move(some[k]));
                }
            }
        }
        return out;
    }
    /// In one, two or three columns, whichever takes the fewest lines.
    void put_rows(const std::vector<Row>& rows, bool may_be_numbered) {
        const bool are_numbered = may_be_numbered && has_columns();
        constexpr std::size_t few = 6, a_number = 6;
        constexpr std::array<std::size_t, 3> plain{latex_width, 36, 23}, small{80, 40, 25};
        const std::size_t most = has_columns() && rows.size() > few ? 3 : 1;
        constexpr std::size_t sample = 400;  // of rows, by which the columns are chosen
        const std::vector<Row> some_rows(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), sample)));
        Columns best;
        std::size_t fewest = 0;
        for (std::size_t count = 1; count <= most; ++count) {
            const std::size_t room = most == 1 ? latex_width : (are_numbered ? plain : small)[count - 1];
            const Columns columns{count, room - (are_numbered ? a_number : 0)};
            std::size_t lines = 0;
            if (most > 1) {
                for (const auto& block : alignments(some_rows, columns, are_numbered)) lines += block.size();
            }
            lines = (lines + count - 1) / count;
            if (count == 1 || lines < fewest) best = columns, fewest = lines;
        }
        const auto set = alignments(rows, best, are_numbered);
        const bool is_small = most > 1 && !are_numbered;
        open_columns(best.count, is_small);
        for (const auto& lines : set) {
            for (std::size_t j = 0; j < lines.size(); j += lines_a_display) {
                const auto some = std::span(lines).subspan(j, std::min(lines_a_display, lines.size() - j));
                display_rows(fmt::format("{}", fmt::join(some, " \\\\\n")), are_numbered);
            }
        }
        close_columns(best.count, is_small);
    }
    /// Mathematics, made smaller if it is too wide and cannot be cut.
    std::string fitted(const std::string& maths, std::size_t room, const Columns& columns = {}) const {
        return width(maths, Style::latex) > room ? squeezed(maths, static_cast<double>(room) / static_cast<double>(columns.room)) : maths;
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
            const std::string left = pen_.label(entry.label);
            rows.push_back({left, pen_.value(entry)});
            const std::string notice = pen_.notice(entry.value);
            if (!notice.empty()) notices.push_back(fmt::format("${}$: {}.\n", left, notice));
        }
        put_rows(rows, true);
        for (const std::string& notice : notices) line(notice);
    }
    void put(const Matrix& m) {
        const std::string source = m.citation.empty() ? "" : words("[" + m.citation + "]");
        if (m.rows.size() == 1 && m.rows[0].size() == 1) {
            put(Entries{{{of_one(m), m.rows[0][0]}}});
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
        std::size_t total = width(pen_.label(m.label), Style::latex) + frame;
        for (const std::size_t w : widths) total += w;
        if (total > latex_width || m.rows.size() > 24) {
            put(spread(m));
            if (!source.empty()) line(source + "\n");
        } else {
            display_with_source(pen_.label(m.label) + " = \\begin{pmatrix}\n" + body + "\\end{pmatrix}", total, source);
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
        const std::string left = pen_.label(d.label), right = latex_definition(d.text);
        const std::string source = d.citation.empty() ? "" : words("[" + d.citation + "]");
        const std::size_t columns = width(left, Style::latex) + width(right, Style::latex) + 3, prose = longest_prose(d.text);
        if (prose > a_sentence || (prose > 0 && columns > latex_width)) {
            line("$" + left + "$ = " + latex_sentence(d.text) + (source.empty() ? "" : " " + source) + "\n");
        } else if (columns <= latex_width) {
            display_with_source(left + " = " + right, columns, source);
        } else {
            put_rows({{left, right}}, true);
            if (!source.empty()) line(source + "\n");
        }
    }
    void put(const Note& n) { put(Paragraph{n.prose}); }
    void put(const Legend& l) {
        std::string s = prose(l.meaning);
        for (std::size_t i = 0; i < l.names.size(); ++i) s += (i == 0 ? ": " : ", ") + name(l.names[i]);
        item("$" + pen_.label(l.letter) + "$", s);
    }

    Pen pen_;
    std::string out_;
};

class LatexSetter final : public Setter {
public:
    LatexSetter(Pen pen, bool is_fragment) : Setter(std::move(pen)), is_fragment_(is_fragment) {}

private:
    using Setter::put;
    void open(const std::string& title) override { line(is_fragment_ ? latex_fragment_opening(title) : latex_opening(title)); }
    void close() override {
        if (!is_fragment_) line("\\end{document}");
    }
    void heading(const std::string& s) override { line("\\subsection*{" + latex_prose(s) + "}"); }
    std::string words(std::string_view s) const override { return latex_prose(s); }
    void item(const std::string& letter, const std::string& meaning) override { line(letter + " \\quad " + meaning + "\n"); }
    void display(const std::string& maths) override { line("\\begin{equation}\n" + maths + "\n\\end{equation}"); }
    void display_rows(const std::string& rows, bool are_numbered) override {
        const char* kind = are_numbered ? "align" : "align*";
        line(fmt::format("\\begin{{{0}}}\n{1}\n\\end{{{0}}}", kind, rows));
    }
    bool has_columns() const override { return true; }
    void open_columns(std::size_t count, bool is_small) override {
        if (count > 1 || is_small) line(is_small ? "\\begingroup\\small\\closerows" : "\\begingroup\\closerows");
        if (count > 1) line(fmt::format("\\begin{{multicols}}{{{}}}\\raggedcolumns", count));
    }
    void close_columns(std::size_t count, bool is_small) override {
        if (count > 1) line("\\end{multicols}");
        if (count > 1 || is_small) line("\\endgroup");
    }
    std::string squeezed(const std::string& maths, double part_of_line) const override {
        return fmt::format("\\fitted{{{:.2f}}}{{{}}}", 0.9 * part_of_line, maths);
    }
    void put(const Pattern& p) override {
        constexpr std::size_t many = 24;
        std::string body;
        for (const auto& row : p.cells) {
            for (std::size_t j = 0; j < row.size(); ++j) body += (j == 0 ? "" : " & ") + (row[j] == "." ? "\\cdot" : row[j]);
            body += " \\\\\n";
        }
        if (p.cells.size() > 100) line(fmt::format("\\setcounter{{MaxMatrixCols}}{{{}}}", p.cells.size()));  // more than the preamble has
        const std::string maths = pen_.label(p.label) + " \\sim \\begin{pmatrix}\n" + body + "\\end{pmatrix}";
        const auto show = [&](const std::string& m) { line("\\[\n" + m + "\n\\]"); };
        show(p.cells.size() > many ? "\\fitted{0.95}{\\setlength{\\arraycolsep}{2pt}" + maths + "}" : maths);
        line("Here $\\cdot$ is zero, a letter stands for entries that are alike, $*$ for one of its own.\n");
    }
    void put(const Table& t) override {
        constexpr std::size_t room = 26;
        line("\\begin{longtable}[l]{@{}ll>{\\raggedright\\arraybackslash}p{0.4\\linewidth}}");
        for (const Table::Row& r : t.rows) {
            const std::string unit = r.unit.empty() ? "" : "\\," + latex_unit(r.unit);
            const std::string quantity = fitted(pen_.quantity(r.value, r.is_given), room);
            const bool is_tall = quantity.find("\\frac") != quantity.npos;  // a fraction would touch the next one
            line(fmt::format("{} & $= {}{}${} & {} \\\\", name(r.name), is_tall ? "\\rule[-1.4ex]{0pt}{4ex}" : "", quantity, unit,
                             latex_prose(r.about)));
        }
        line("\\end{longtable}");
    }

    bool is_fragment_;
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
    std::string squeezed(const std::string& maths, double) const override { return maths; }
    void item(const std::string& letter, const std::string& meaning) override { line("- " + letter + " " + meaning + "\n"); }
    void display(const std::string& maths) override { line("$$\n" + maths + "\n$$\n"); }
    void display_rows(const std::string& rows, bool) override { display("\\begin{aligned}\n" + rows + "\n\\end{aligned}"); }
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
            const std::string value = pen_.quantity(r.value, r.is_given);
            line(fmt::format("| {} | ${}$ | {} | {} |", name(r.name), value, latex_unit(r.unit), words(r.about)));
        }
        line("");
    }
};

}  // namespace

std::string set_latex(const Page& page, const std::string& subtitle, Pen pen, bool is_fragment) {
    return LatexSetter(std::move(pen), is_fragment).set(page, subtitle);
}
std::string set_markdown(const Page& page, const std::string& subtitle, Pen pen) {
    return MarkdownSetter(std::move(pen)).set(page, subtitle);
}

}  // namespace linkwright::present
