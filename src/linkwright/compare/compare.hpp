#pragma once
// Equations that a person derived by hand, or found in print, against ours: entry by entry.
//
// A file of assignments and equations (printed.hpp) is read with a table of its names (names_table.hpp); every left side that is
// a quantity of ours (quantities.hpp) is judged by its fingerprint at a fresh random point, and by the normal form where that is
// affordable. Where functions stand that neither can decide, numbers are compared (compare_numbers.hpp), which shows differences but
// no equality. What is not equal is told in the writer's own terms: equal up to a sign or a factor; or the difference, and the
// smallest change that would make it right (term_repair.hpp). Text that print has damaged until it cannot be parsed is mended, where a
// small mend gives what it should be (syntax_repair.hpp).

#include <random>

#include "linkwright/base/goes_on.hpp"
#include "linkwright/compare/syntax_repair.hpp"

namespace linkwright::compare {

enum class Outcome : std::uint8_t {
    equal,           ///< shown: the same function wherever both have a value, and no state was found where only one has
    up_to_constant,  ///< of a potential energy: it differs by what no motion changes
    agrees,          ///< as numbers; functions stand in it that symbols cannot decide, so it is not shown
    up_to_sign,
    up_to_factor,
    mended,  ///< does not parse, and is right once small damages are mended
    different,
    unknown,     ///< opaque functions, and numbers say nothing
    unreadable,  ///< does not parse, and no mend was found
};
std::string_view to_string(Outcome outcome);

/// What an "equal" rests on.
enum class Witness : std::uint8_t {
    none,
    fingerprint,
    fingerprint_and_normal_form,
    normal_form,
    numbers,  ///< where neither can decide: the entry agrees, and is not shown equal
};
std::string_view to_string(Witness witness);  ///< "fingerprint, normal form"; empty for none

struct ComparedEntry {
    std::string ours;                ///< "M[1,2]"; of an equation "row 1 (theta1)"
    std::string theirs;              ///< "lhs1(1,2)"
    std::optional<std::size_t> row;  ///< of the system, from 0, where `ours` is that row as an equation
    Position where;
    Outcome outcome = Outcome::unknown;
    bool is_accepted = true;  ///< equal, for an energy up to a constant, or as much as the file or the command line accepts
    std::string factor;       ///< theirs = factor · ours
    std::string difference;   ///< theirs − ours in normal form
    std::string expected;     ///< ours, when it is short
    std::vector<std::vector<Repair>> repairs;  ///< best first; changes of one repair belong together
    std::string note;
    Witness witness = Witness::none;
};

struct Comparison {
    std::vector<ComparedEntry> entries;
    std::vector<std::string> unchecked;  ///< entries of ours that the file does not give
    std::vector<std::string> notes;      ///< what several entries have in common
    Diagnostics problems;                ///< errors of the input, warnings; an error does not keep other entries from being compared,
                                         ///< except unknown names: then there are no entries
    std::vector<std::string> lines;      ///< of the file, for showing places
    double log2_error = 0;               ///< that any "equal" is wrong; union bound, without those the normal form confirms
    std::uint64_t seed = 0;
    bool is_stopped = false;  ///< not all of the file was looked at
    bool is_wrong_input() const;
    bool is_all_equal() const;         ///< all of the file could be read, and every entry is shown to be equal, or accepted
    bool is_all_in_agreement() const;  ///< the same, or agrees as numbers
};

struct CompareRequest {
    std::string file, text;  ///< name and content
    std::string names_file{}, names_text{};
    std::optional<Language> language{};  ///< otherwise stated in the files, or by the suffix
    bool accepts_sign = false, accepts_factor = false;
    std::uint64_t seed = std::random_device{}();
    std::chrono::milliseconds patience{2000};            ///< for finding a repair, each entry; all entries together get a few times as much
    std::vector<std::pair<std::string, Expr>> frozen{};  ///< parameters that the equations have as numbers, and their values
    GoesOn goes_on{};                                    ///< asked before every statement of the file
};

Comparison compare(const eom::EquationsOfMotion& equations, const CompareRequest& request);

}  // namespace linkwright::compare
