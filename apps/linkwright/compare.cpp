#include "linkwright/session/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using compare::ComparedEntry;
using compare::Comparison;
using compare::Outcome;
using compare::Repair;

struct Settings {
    SharedOptions common;
    session::CompareOptions compare;
};

constexpr int only_as_numbers = 3;   // exit status: nothing differs, and not everything is shown to be equal
constexpr std::size_t widest = 120;  // of a line that is longer than twice that

/// The line, and carets below what is meant.
std::string shown(const std::vector<std::string>& lines, Position where, std::uint32_t width) {
    if (where.line == 0 || where.line > lines.size()) return {};
    std::string line = lines[where.line - 1];
    for (char& c : line) c = c == '\t' ? ' ' : c;
    const std::string number = std::to_string(where.line);
    if (line.size() > 2 * widest) {  // what stands around it; columns are characters, a character is one byte or more
        const auto starts = [&](std::size_t i) { return (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U; };
        std::size_t begin = 0, characters = 0;
        const std::size_t skipped = where.column > widest / 2 ? where.column - widest / 2 : 0;
        while (begin < line.size() && (characters < skipped || !starts(begin))) characters += starts(begin++) ? 1 : 0;
        std::size_t end = begin, shown = 0;
        while (end < line.size() && (shown < widest || !starts(end))) shown += starts(end++) ? 1 : 0;
        const bool goes_on = end < line.size();
        line = (begin > 0 ? "... " : "") + line.substr(begin, end - begin) + (goes_on ? " ..." : "");
        where.column -= static_cast<std::uint32_t>(skipped);
        if (begin > 0) where.column += 4;
        width = std::min(width, static_cast<std::uint32_t>(widest / 2));
    }
    return fmt::format("    {} | {}\n    {:{}} | {:{}}{}\n", number, line, "", number.size(), "", where.column - 1,
                       std::string(std::max(width, 1U), '^'));
}

std::string_view word_for(compare::RepairKind kind) { return kind == compare::RepairKind::text ? "misprint" : to_string(kind); }

std::string summary(const ComparedEntry& e) {
    switch (e.outcome) {
        case Outcome::up_to_constant:
            return e.difference.empty() ? "equal up to a constant"
                                        : fmt::format("equal up to a constant: theirs is ours + ({})", e.difference);
        case Outcome::up_to_sign: return "equal up to sign: theirs is -1 times ours";
        case Outcome::up_to_factor:
            return e.factor.empty() ? "equal up to a factor" : fmt::format("equal up to a factor: theirs is {} times ours", e.factor);
        case Outcome::mended:
            return fmt::format("equal after repair: {} damage{}", e.repairs.front().size(), e.repairs.front().size() == 1 ? "" : "s");
        case Outcome::different:
            if (e.repairs.empty()) return "different";
            if (e.repairs.front().size() == 1) return fmt::format("different: one {}", word_for(e.repairs.front().front().kind));
            return fmt::format("different: {} changes", e.repairs.front().size());
        default: return std::string(to_string(e.outcome)) + (e.note.empty() ? "" : ": " + e.note);
    }
}

std::string detail(const Comparison& c, const ComparedEntry& e) {
    std::string out = fmt::format("\n{}{}\n", e.ours, e.theirs == e.ours ? "" : fmt::format("  ({})", e.theirs));
    for (std::size_t i = 0; i < e.repairs.size(); ++i) {
        if (i > 0) out += "  or\n";
        for (const Repair& r : e.repairs[i]) {
            out += shown(c.lines, r.where, r.width);
            out += fmt::format("    line {}, column {}: {}\n", r.where.line, r.where.column, r.what);
        }
    }
    if (e.repairs.empty()) out += shown(c.lines, e.where, 1);
    if (e.outcome == Outcome::different || e.outcome == Outcome::up_to_factor) {
        const bool is_same_formula = e.difference == "0";
        if (is_same_formula)
            out += "    theirs - ours = 0 where both have a value, and they do not have one in the same places\n";
        else if (!e.difference.empty())
            out += fmt::format("    theirs - ours = {}\n", e.difference);
        if (!e.expected.empty()) out += fmt::format("    ours = {}\n", e.expected);
        if (e.repairs.empty() && e.expected != "0" && !is_same_formula) out += "    no small correction makes it equal\n";
    }
    if (e.outcome == Outcome::up_to_sign) out += "    if this is intended, use --accept-sign or a rule under [targets]\n";
    if (!e.note.empty()) out += fmt::format("    {}\n", e.note);
    return out;
}

std::string closing(const Comparison& c) {
    std::size_t equal = 0, constant = 0, agrees = 0, mended = 0, convention = 0, other = 0;
    for (const ComparedEntry& e : c.entries) {
        switch (e.outcome) {
            case Outcome::equal: ++equal; break;
            case Outcome::up_to_constant: ++constant; break;
            case Outcome::agrees: ++agrees; break;
            case Outcome::mended: ++mended; break;
            case Outcome::up_to_sign:
            case Outcome::up_to_factor: ++convention; break;
            default: ++other;
        }
    }
    std::vector<std::string> parts;
    if (equal > 0) parts.push_back(fmt::format("{} equal", equal));
    if (constant > 0) parts.push_back(fmt::format("{} up to a constant", constant));
    if (convention > 0) parts.push_back(fmt::format("{} up to sign or factor", convention));
    if (agrees > 0) parts.push_back(fmt::format("{} as numbers", agrees));
    if (mended > 0) parts.push_back(fmt::format("{} after repair", mended));
    if (other > 0) parts.push_back(fmt::format("{} not", other));
    const auto unread = std::ranges::count(c.problems, Diagnostic::Severity::error, &Diagnostic::severity);
    std::string out = equal == c.entries.size() && !c.entries.empty() && !c.is_stopped && unread == 0
                          ? fmt::format("All {} equal", equal)
                          : fmt::format("Of {}{}: {}", c.entries.size(), unread > 0 ? " that could be read" : "", fmt::join(parts, ", "));
    if (unread > 0) out += fmt::format("; {} error{} in the file", unread, unread == 1 ? "" : "s");
    if (c.log2_error < 0) out += fmt::format("; probability of error below 2^{:.0f} where the normal form was too expensive", c.log2_error);
    out += fmt::format(" (seed {}).\n", c.seed);
    if (agrees > 0)
        out +=
            "Lines that agree only as numbers are not proved equal: they contain functions (abs, sqrt, atan2, max, if …) that can only be "
            "compared "
            "at sample points.\n";
    return out;
}

std::string as_text(const Comparison& c) {
    std::size_t ours = 4, theirs = 4;
    for (const ComparedEntry& e : c.entries) ours = std::max(ours, e.ours.size()), theirs = std::max(theirs, e.theirs.size());
    std::string out;
    for (const ComparedEntry& e : c.entries) {
        const bool is_same = e.theirs == e.ours;
        std::string told = summary(e);
        if (e.outcome == Outcome::equal && !e.note.empty() && e.note != told) told = "equal, " + e.note;
        if (!e.is_accepted || e.outcome == Outcome::equal || e.outcome == Outcome::up_to_constant) {
            const char mark = e.is_accepted ? ' ' : e.outcome == Outcome::agrees ? '~' : '!';
            out +=
                fmt::format("{} {:<{}}  {:<{}}  line {:>4}  {}\n", mark, e.ours, ours, is_same ? "" : e.theirs, theirs, e.where.line, told);
        } else {
            out += fmt::format("  {:<{}}  {:<{}}  line {:>4}  {} (accepted)\n", e.ours, ours, is_same ? "" : e.theirs, theirs, e.where.line,
                               told);
        }
    }
    for (const ComparedEntry& e : c.entries) {
        if (!e.is_accepted && e.outcome != Outcome::agrees) out += detail(c, e);
    }
    if (!c.notes.empty()) out += '\n';
    for (const std::string& note : c.notes) out += fmt::format("note: {}\n", note);
    if (!c.unchecked.empty()) {
        std::vector<std::string> listed = c.unchecked;
        if (listed.size() > 24) listed.resize(24), listed.push_back(fmt::format("and {} more", c.unchecked.size() - 24));
        out += fmt::format("\nnot checked: {}\n", fmt::join(listed, ", "));
    }
    return out + "\n" + closing(c);
}

int compare(Settings& s) {
    const bool reads_once = s.compare.file == standard_input;  // then what is wrong is told when it is compared
    if (!reads_once && !are_right(check(s.compare), s.common)) return wrong_input;
    const auto session = open(s.common);
    if (!session) return wrong_input;
    Progress progress("comparing", s.common.quiet, Progress::Of::steps);
    s.compare.on_step = progress.on_step();
    const auto result = session::compare(*session, s.compare);
    report(result.problems, s.common.quiet);
    if (!result) return static_cast<int>(result.status);
    const int delivered = deliver(s.common, s.common.json ? dump(session::to_json(*result)) : as_text(*result));
    if (delivered != done) return delivered;
    const bool is_only_as_numbers = result.status == session::Status::numerical_failure && result->is_all_in_agreement();
    return is_only_as_numbers ? only_as_numbers : static_cast<int>(result.status);
}

}  // namespace

Work declare_compare(Words words) {
    const auto s = std::make_shared<Settings>();
    declare(words, s->common);
    words
        .add_input("file", s->compare.file,
                   "The equations to check: assignments in the expression language of model files, Fortran, C, Python or MATLAB")
        .required();
    words.add_input("--names", s->compare.names, "What the names in the file mean (TOML; docs/formats/compare.md)");
    words
        .add_option("--language,--from", s->compare.language,
                    "ours (expressions as in model files), fortran, c, python or matlab (default: by the file's suffix)")
        .type_name("NAME");
    words.add_flag("--accept-sign", s->compare.accepts_sign, "Accept entries that have the opposite sign");
    words.add_flag("--accept-factor", s->compare.accepts_factor, "Accept rows that are multiplied by one factor throughout");
    words.add_option("--patience", s->compare.patience, "Seconds to search for the correction of each wrong entry (default 2)")
        .type_name("SECONDS");
    words.add_option("--seed", s->compare.seed, "Seed of the random point at which values are compared").type_name("N");
    words.footer(
        "Exit status: 0 when everything is shown to be equal, or accepted; 3 when nothing differs, but some lines agree only as numbers "
        "(abs, "
        "sqrt, atan2, max, if and similar functions occur in them); 1 when something differs or stays unknown; 2 when the input is wrong.");
    return [s] { return compare(*s); };
}

}  // namespace linkwright::cli
