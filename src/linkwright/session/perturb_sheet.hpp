#pragma once
// The sheet that perturb writes on: headings, prose, equations and tables one below the other. It is set as text, as a LaTeX document, or kept as
// data for a page that sets it by itself; what is written is the same.

#include "linkwright/present/sheet.hpp"
#include "linkwright/present/words.hpp"

namespace linkwright::session {

class PerturbSheet {
public:
    enum class As : std::uint8_t { text, document, data };

    PerturbSheet(As as, const std::string& title);

    /// Formulas are LaTeX: everywhere but in the text.
    bool is_latex() const { return as_ != As::text; }

    void heading(const std::string& words);
    void smaller_heading(const std::string& words);
    void prose(const std::string& words);
    /// left = right
    void equation(const std::string& left, const std::string& right, const std::string& relation = "=");
    /// Cells of words and formulas.
    void table(const std::vector<std::vector<present::Runs>>& rows);
    void space();

    std::string text();                             ///< of a text or a document
    std::vector<present::SheetSection> sections();  ///< of data

private:
    struct Row {
        std::string left, relation, right;
    };
    std::vector<present::SheetBlock>& blocks();
    std::vector<std::string> lines_of_rows() const;
    void close();
    std::string cell(const present::Runs& runs) const;

    As as_;
    std::string out_;
    std::vector<present::SheetSection> sections_;
    std::vector<Row> rows_;  ///< of an alignment that is still open
};

}  // namespace linkwright::session
