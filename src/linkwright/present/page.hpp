#pragma once
// The page before it is set: sections of paragraphs, equations, matrices and tables, still made of expressions. Text,
// Markdown and LaTeX are three ways to set the same page.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "linkwright/present/present.hpp"
#include "linkwright/present/words.hpp"

namespace linkwright::present {

/// Prose; `name` between backticks is a name of the model.
struct Paragraph {
    std::string prose;
};
/// An equation between letters, as each style spells it.
struct Law {
    std::string text, unicode, latex;
};
/// "q  coordinates: q1, q2"
struct Legend {
    Label letter;
    std::string meaning;
    std::vector<std::string> names{};
};
struct Entry {
    Label label;
    Expr value;
};
/// Equations, one below the other. What has been said before is referred to.
struct Entries {
    std::vector<Entry> entries;
};
struct Matrix {
    Label label;
    sym::Matrix rows;
    std::string citation{};     ///< where it is written, when no definition says so
    bool is_symmetric = false;  ///< where it does not fit the page, its pattern and one half of its entries are shown
};
/// How a quantity is made of others, before its value: a line in the language of definition.hpp, and where it is written.
struct Definition {
    Label label;
    std::string text, citation;
};
/// A remark about the value above: why it is zero, say. Prose.
struct Note {
    std::string prose;
};
/// Which entries of a matrix are zero and which are alike.
struct Pattern {
    Label label;
    std::vector<std::vector<std::string>> cells;
};
struct Table {
    struct Row {
        std::string name;
        Expr value;
        std::string unit, about;
        bool is_given = true;  ///< by a person, and not computed
    };
    std::vector<Row> rows;
};
using Block = std::variant<Paragraph, Law, Legend, Entries, Matrix, Definition, Note, Pattern, Table>;

struct Section {
    std::string heading;
    std::vector<Block> blocks{};
    bool may_be_brief = false;  ///< it could be told by a definition
};
struct Page {
    std::string title;
    std::vector<Section> before;  ///< what needs no intermediates: letters, parameters
    std::vector<Section> after;   ///< what may use them; those that a section needs first stand below it
};

/// Whether a part is asked for, by name or because nothing is.
bool is_wanted(const Options& options, std::string_view part);

/// With `brief`, the right-hand sides of constraints are told by their definition.
Page make_page(const eom::EquationsOfMotion& equations, const eom::Derivation* derivation, const Options& options, bool brief = false);

/// x when e is −x.
std::optional<Expr> negative_of(const Expr& e);

/// Every expression whose formula the sections after the intermediates show, by section; each is listed once, where it comes first.
std::vector<std::vector<Expr>> expressions(const Page& page);

/// What the one entry of a matrix is called: M[1][1], or B of a step.
Label of_one(const Matrix& matrix);

/// A matrix too wide for the page: what there is to say about it, and its entries as equations.
std::vector<Block> spread(const Matrix& matrix);

/// The entries of a matrix as equations, those of a column by one index; zeros are left out when there are many, and the second block says so.
std::vector<Block> entry_by_entry(const Label& label, const sym::Matrix& rows, bool is_symmetric = false);

}  // namespace linkwright::present
