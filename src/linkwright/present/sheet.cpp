#include "linkwright/present/sheet.hpp"

#include <fmt/format.h>

#include "linkwright/present/definition.hpp"
#include "linkwright/present/pen.hpp"

namespace linkwright::present {

namespace {

using BlockKind = SheetBlock::Kind;

class SheetSetter {
public:
    explicit SheetSetter(Pen pen) : pen_(std::move(pen)) {}

    Sheet set(const Page& page, std::string form) {
        sheet_.form = std::move(form);
        if (pen_.has_short_sines()) {
            sheet_.sections.push_back({});
            text({{"\\mathrm{s}_{x} = \\sin x", true}, {", "}, {"\\mathrm{c}_{x} = \\cos x", true}, {"."}});
        }
        for (const Section& s : page.before) section(s);
        for (std::size_t i = 0; i < page.after.size(); ++i) {
            section(page.after[i]);
            where(pen_.intermediates_of(i));
        }
        if (pen_.has_rounded()) {
            sheet_.sections.push_back({});
            put(Paragraph{rounding_remark(pen_.digits())});
        }
        return std::move(sheet_);
    }

private:
    std::vector<SheetBlock>& blocks() { return sheet_.sections.back().blocks; }
    void section(const Section& s) {
        sheet_.sections.push_back({s.heading, {}});
        for (const Block& b : s.blocks) std::visit([this](const auto& block) { put(block); }, b);
    }
    void where(std::span<const StraightLine::Step> steps) {
        if (steps.empty()) return;
        text({{"where"}});
        for (const auto& step : steps) equation(pen_.name(step.name), pen_.formula(step.value));
    }

    void text(Runs runs) { blocks().push_back({.kind = BlockKind::text, .runs = std::move(runs)}); }
    void formula(std::string latex, std::string citation = {}) {
        blocks().push_back({.kind = BlockKind::formula, .latex = std::move(latex), .citation = std::move(citation)});
    }
    void equation(const std::string& left, const std::string& right, const std::string& citation = {}) {
        constexpr std::size_t least = 20;
        const std::size_t taken = width(left, Style::latex) + 3;
        const auto pieces = broken(right, taken + least > latex_width ? latex_width : latex_width - taken, Style::latex);
        if (pieces.size() == 1) return formula(left + " = " + pieces[0], citation);
        std::string s = "\\begin{aligned} " + left + " & = " + pieces[0];
        for (std::size_t i = 1; i < pieces.size(); ++i) s += " \\\\ & \\quad {} " + pieces[i];
        formula(s + " \\end{aligned}", citation);
    }

    /// Words, and what stands between backticks as LaTeX.
    Runs prose(std::string_view words) const {
        constexpr char mark = '\x01';
        const std::string marked = pen_.prose(words, std::string(1, mark), [](std::string_view s) { return std::string(s); });
        Runs runs;
        std::string_view rest = marked;
        for (bool is_latex = false; !rest.empty(); is_latex = !is_latex) {
            const std::size_t end = std::min(rest.find(mark), rest.size());
            if (end > 0) runs.push_back({std::string(rest.substr(0, end)), is_latex});
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return runs;
    }

    void put(const Paragraph& p) { text(prose(p.prose)); }
    void put(const Note& n) { text(prose(n.prose)); }
    void put(const Law& law) { formula(law.latex); }
    void put(const Legend& l) {
        Runs runs{{pen_.label(l.letter), true}, {"  "}};
        for (Run& r : prose(l.meaning)) runs.push_back(std::move(r));
        for (std::size_t i = 0; i < l.names.size(); ++i) {
            runs.push_back({i == 0 ? ": " : ", "});
            runs.push_back({pen_.name(l.names[i]), true});
        }
        text(std::move(runs));
    }
    void put(const Entries& entries) {
        for (const Entry& entry : entries.entries) {
            const std::string left = pen_.label(entry.label);
            equation(left, pen_.value(entry));
            if (const std::string notice = pen_.notice(entry.value); !notice.empty()) text({{left, true}, {": " + notice + "."}});
        }
    }
    void put(const Matrix& m) {
        if (m.rows.size() == 1 && m.rows[0].size() == 1) {
            put(Entries{{{of_one(m), m.rows[0][0]}}});
            blocks().back().citation = m.citation;
            return;
        }
        constexpr std::size_t most_rows = 12, frame = 6;
        std::vector<std::size_t> widths;
        std::string body;
        for (const auto& row : m.rows) {
            widths.resize(std::max(widths.size(), row.size()), 0);
            for (std::size_t j = 0; j < row.size(); ++j) {
                const std::string cell = pen_.formula(row[j]);
                widths[j] = std::max(widths[j], width(cell, Style::latex) + 2);
                body += (j == 0 ? "" : " & ") + cell;
            }
            body += " \\\\ ";
        }
        std::size_t total = width(pen_.label(m.label), Style::latex) + frame;
        for (const std::size_t w : widths) total += w;
        if (total <= latex_width && m.rows.size() <= most_rows)
            return formula(fmt::format("{} = \\begin{{pmatrix}} {}\\end{{pmatrix}}", pen_.label(m.label), body), m.citation);
        for (const Block& b : spread(m)) std::visit([this](const auto& block) { put(block); }, b);
        if (!m.citation.empty()) text({{"[" + m.citation + "]"}});
    }
    void put(const Definition& d) {
        constexpr std::size_t a_sentence = 60;
        const std::string left = pen_.label(d.label);
        if (longest_prose(d.text) > a_sentence) {
            text({{left, true}, {" = " + d.text + (d.citation.empty() ? "" : " [" + d.citation + "]")}});
        } else {
            equation(left, latex_definition(d.text), d.citation);
        }
    }
    void put(const Pattern& p) {
        constexpr std::size_t most = 30;
        if (p.cells.size() > most) return;
        std::string body;
        for (const auto& row : p.cells) {
            for (std::size_t j = 0; j < row.size(); ++j) body += (j == 0 ? "" : " & ") + (row[j] == "." ? "\\cdot" : row[j]);
            body += " \\\\ ";
        }
        formula(pen_.label(p.label) + " \\sim \\begin{pmatrix} " + body + "\\end{pmatrix}");
        text({{"Here "},
              {"\\cdot", true},
              {" is zero, a letter stands for entries that are alike, "},
              {"*", true},
              {" for one of its own."}});
    }
    void put(const Table& t) {
        SheetBlock block{.kind = BlockKind::table};
        for (const Table::Row& r : t.rows) {
            const Runs value{{"= " + pen_.quantity(r.value, r.is_given), true}};
            block.rows.push_back({{{pen_.name(r.name), true}}, value, {{r.unit}}, {{r.about}}});
        }
        blocks().push_back(std::move(block));
    }

    Pen pen_;
    Sheet sheet_;
};

}  // namespace

Sheet set_sheet(const Page& page, const std::string& subtitle, Pen pen) { return SheetSetter(std::move(pen)).set(page, subtitle); }

}  // namespace linkwright::present
