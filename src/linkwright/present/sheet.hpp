#pragma once
// The page as data, for a program that sets it by itself: sections of blocks, words apart from LaTeX. Web pages are made of it.

#include <string>
#include <vector>

#include "linkwright/present/present.hpp"

namespace linkwright::present {

/// A piece of a line: words as they are, or LaTeX.
struct Run {
    std::string text;
    bool is_latex = false;
};
using Runs = std::vector<Run>;

struct SheetBlock {
    enum class Kind : std::uint8_t { text, formula, table };
    Kind kind = Kind::text;
    Runs runs{};                            ///< of a text
    std::string latex{};                    ///< of a formula: in a display of its own, broken into lines where it is long
    std::string citation{};                 ///< where it is written; may be empty
    std::vector<std::vector<Runs>> rows{};  ///< of a table
};

struct SheetSection {
    std::string title;  ///< may be empty
    std::vector<SheetBlock> blocks;
};

struct Sheet {
    std::string form;  ///< a sentence: "Formulation: kane. Readable form."
    std::vector<SheetSection> sections;
    bool is_recursive = false;
};

/// `options.to` is of no account.
Sheet sheet(const eom::EquationsOfMotion& equations, const Options& options);
/// The steps of the derivation only, a section each.
Sheet sheet(const eom::Derivation& derivation, const eom::EquationsOfMotion& equations, const Options& options);

}  // namespace linkwright::present
