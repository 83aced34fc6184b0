#pragma once
// Equations as a person wrote or printed them: a text in our expression language, in Fortran, C, Python or MATLAB, cut into statements and
// parsed into trees that remember where every token stands. Nothing is simplified and no name has a meaning yet, so that what
// is found wrong later can be told in the writer's own words.
//
//     M[1,2] = m2*l1*l2/2*cos(theta2) + m2*l2^2/3                     ours: indices from 1, or names: M[hip, knee]
//           lhs1(1,1) = ma(4)*c(6)**2*sl43**2+(2*ma(4)*c(6)           Fortran, fixed form: blanks mean nothing, upper and
//          1  *sl32)*sl43                                             lower case are one, column 6 goes on
//     M[0][1] = m*pow(l, 2)*cos(q[1]);                                C: indices from 0
//     M = np.array([[m*l**2, 0], [0, I]])                             Python: indices from 0, whole arrays
//     M(1,2) = m.*l^2*cos(q(2));                                      MATLAB: indices from 1, whole arrays
//
// Only assignments (and, in our language, equations) are read. Declarations, headers and the like are passed over.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/sym/expr.hpp"

namespace linkwright::compare {

using sym::Expr;
using sym::Rational;

enum class Language : std::uint8_t { ours, fortran, c, python, matlab };

/// "fortran", "c", "python", "matlab", "ours".
std::optional<Language> find_language(std::string_view name);
inline constexpr std::string_view known_languages = "ours, fortran, c, python, matlab";
/// By the suffix of a file's name: .f .for .f90 … Fortran; .c .h .cpp … C; .py Python; .m MATLAB; anything else ours.
Language language_of(std::string_view file);
/// Whether the first entry of an array has the index 0.
constexpr bool counts_from_zero(Language language) { return language == Language::c || language == Language::python; }
/// Whether names may have parts (p.m1) and arrays come as a whole.
constexpr bool is_script(Language language) { return language == Language::python || language == Language::matlab; }

struct Token {
    enum class Kind : std::uint8_t { number, name, sign, strange, end };
    Kind kind = Kind::end;
    std::string text;  ///< as written; without blanks in fixed form
    Position where;
    std::uint32_t width = 1;   ///< characters on its (first) line
    bool starts_line = false;  ///< the first one on a line that goes on with the statement before it

    bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
};

/// What an expression is made of, as written: `(a - b)*c` is a product of a sum and a name. Parts come after their arguments.
struct Tree {
    enum class Kind : std::uint8_t { number, name, sum, product, power, call };
    using Part = std::uint32_t;
    static constexpr std::uint32_t none = 0xFFFFFFFF;
    struct Node {
        Kind kind = Kind::number;
        std::uint32_t first = 0, last = 0;  ///< tokens, both included, brackets around it left out
        std::string name;                   ///< of a name, or of a call as our language spells it
        std::vector<std::string> indices;   ///< of a name: as written
        Rational number;
        std::vector<Part> args;
        std::vector<bool> turned;          ///< of a sum: this one is subtracted; of a product: it divides
        std::vector<std::uint32_t> signs;  ///< of a sum: the token before each term, or none
    };
    std::vector<Node> nodes;
    const Node& operator[](Part i) const { return nodes[i]; }
};

/// `left = right`.
struct Statement {
    Position where;
    std::vector<Token> tokens;  ///< ends with an end token
    std::size_t equals = 0;     ///< which token is "=" (or "+=" …); that of the end when there is none
    Tree tree;
    Tree::Part left = 0, right = 0;
    std::optional<Diagnostic> problem;  ///< of syntax; then `tree` means nothing
};

/// A comment that begins with @: a line of the names table (names_table.hpp) inside the file itself.
struct Remark {
    Position where;
    std::string text;  ///< after the @
};

struct Printed {
    Language language = Language::ours;
    std::vector<Statement> statements;
    std::vector<Remark> remarks;
    Diagnostics warnings;            ///< 1/2 in Fortran and C is 0; it is read as one half. In Python and MATLAB it is one half
    std::vector<std::string> lines;  ///< for showing where something stands
};

/// Cuts and parses a text. Never fails: what could not be read stands in `problem` of its statement.
Printed read_printed(std::string_view text, Language language, std::string_view file = {});

/// The @ comments alone: they may say which language the rest is in.
std::vector<Remark> find_remarks(std::string_view text);

/// Parses tokens [begin, end) into `tree`; the problem when they are no expression. How damaged statements are tried again.
struct TreeOrProblem {
    Tree tree;
    Tree::Part root = 0;
    std::optional<Diagnostic> problem;
};
TreeOrProblem parse_tokens(const std::vector<Token>& tokens, std::size_t begin, std::size_t end, Language language);

/// One expression of our language, or one name in any.
TreeOrProblem parse_printed(std::string_view text, Language language, Position start = {}, std::vector<Token>* tokens = nullptr);

/// The letters that count: lower case in Fortran, as they are otherwise.
std::string folded(std::string_view name, Language language);

/// "ma(4)", "M[0][1]", "C[1][2,3]": a name as its language writes it.
std::string write_name(std::string_view name, const std::vector<std::string>& indices, Language language);
/// "l**2", "l^2", "pow(l, 2)"
std::string write_power(std::string_view base, std::string_view exponent, Language language);

/// The text of the tokens from `first` to `last`, a blank around + and − left as our language likes it.
std::string write_tokens(const std::vector<Token>& tokens, std::size_t first, std::size_t last);

}  // namespace linkwright::compare
