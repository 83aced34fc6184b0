#pragma once
// What the writer's names mean. A small table, in a TOML file of its own (--names) or in comments of the file that begin with @:
//
//     language = "fortran"                      C @ language fortran
//     accept = "sign"                           C @ accept sign
//     [names]                                   C @ name ma(i) = MA{i}
//     "ma(i)" = "MA{i}"                         C @ name c(6) = cos(q2)
//     "c(6)" = "cos(q2)"
//     [targets]                                 C @ target rhs1(i,1) = f[i]
//     "lhs1" = "M"                              C @ target lhs1 = M
//     "rhs1(i,1)" = "-f[i]"
//     [coordinates]                             C @ coordinate theta2 = phi2 - phi1
//     theta2 = "phi2 - phi1"
//     [at]                                      C @ at link1.y1 = 0
//     "link1.y1" = 0
//
// Left stands their name, in their language; right an expression in ours. A word for an index is a letter for any number, and
// {i}, {i+1}, {i-4} on the right put it in. Rules are tried in order, those without letters first.

#include <filesystem>

#include "linkwright/compare/printed.hpp"

namespace linkwright::compare {

struct Rule {
    std::string name;                  ///< folded
    std::vector<std::string> indices;  ///< numbers, or letters for any
    std::string text;                  ///< right side, in our language
    std::string file;
    Position where;  ///< of the left side
    Position text_where;
    bool has_letters = false;
};

struct NamesTable {
    std::optional<Language> language;
    bool accepts_sign = false, accepts_factor = false;
    std::vector<Rule> names, targets;
    std::vector<Rule> coordinates;  ///< name: a coordinate of ours; text: in theirs
    std::vector<Rule> at;           ///< name: a coordinate; text: the constant that it is

    /// The first rule that fits, and its right side with the indices put in.
    struct Fit {
        const Rule* rule;
        std::string text;
    };
    static std::optional<Fit> find(const std::vector<Rule>& rules, std::string_view name, const std::vector<std::string>& indices);
};

/// Adds a TOML text. Every mistake is told.
void read_names(std::string_view text, const std::string& file, Language language, NamesTable& table, Diagnostics& problems);
/// Adds the @ comments of a file.
void read_remarks(const std::vector<Remark>& remarks, const std::string& file, Language language, NamesTable& table, Diagnostics& problems);
/// `language` alone, from either: it must be known before anything else can be read.
std::optional<Language> stated_language(std::string_view toml, std::string_view printed);

}  // namespace linkwright::compare
