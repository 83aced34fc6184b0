#include "linkwright/session/prove.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "common.hpp"
#include "linkwright/codegen/prose.hpp"
#include "linkwright/session/inspection_summary.hpp"
#include "linkwright/session/same.hpp"
#include "page.hpp"
#include "paint.hpp"
#include "several.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using proof::Certificate;
using proof::Pair;
using session::ClosedStates;
using sym::Verdict;

struct Settings {
    SharedOptions common;
    std::vector<std::string> models;
    session::ProveOptions prove;
    std::string same;  ///< another file, which is to be the same mechanism
};

/// One line on a terminal once a second has passed: what is being looked at.
class Status {
public:
    explicit Status(bool quiet) : is_terminal_(!quiet && ::isatty(STDERR_FILENO) != 0) {}
    void show(const std::string& what) {
        if (!is_terminal_ || std::chrono::steady_clock::now() - start_ < std::chrono::seconds(1)) return;
        fmt::print(stderr, "\r{}\033[K", what);
        std::fflush(stderr);
        has_drawn_ = true;
    }
    void clear() {
        if (has_drawn_) fmt::print(stderr, "\r\033[K");
        has_drawn_ = false;
    }

private:
    bool is_terminal_, has_drawn_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What the last column says of a pair that is equal: a bound on the probability of error, or why there is none.
std::string bound(const Pair& p) {
    if (p.verdict != Verdict::equal) return "";
    if (p.is_heuristic()) return "no bound";
    if (p.is_exact()) return "exact";
    if (p.numeric + p.only_exact >= p.entries || p.log2_error < -1000) return "no proof";
    return fmt::format("2^{:.0f}", p.log2_error);
}

/// "2^-69", or "0" of what nothing random is in
std::string bound_of(double log2_error) { return log2_error < -1000 ? "0" : fmt::format("2^{:.0f}", log2_error); }

/// How good that is.
std::string in_words(double log2_error) {
    if (log2_error < -1000) return "Nothing random is in it: every entry was compared exactly.";
    const double decades = std::floor(-log2_error * std::log10(2.0));
    const std::string odds = fmt::format("less than 1 in 10^{:.0f}", decades);
    if (log2_error < -50) return fmt::format("That is {}: beyond practical doubt, whatever the equations are.", odds);
    return fmt::format("That is {}; another run with another --seed multiplies the two.", odds);
}

struct Totals {
    std::size_t all = 0, equal = 0, proved = 0, numeric = 0, heuristic = 0;
    double gap = 1e-16;
};

Totals totals_of(const Certificate& c) {
    Totals n;
    n.all = c.pairs.size();
    for (const Pair& p : c.pairs) {
        n.equal += p.verdict == Verdict::equal ? 1 : 0;
        n.proved += p.is_proved() ? 1 : 0;
        n.numeric += p.verdict == Verdict::equal && p.numeric > 0 ? 1 : 0;
        n.heuristic += p.is_heuristic() ? 1 : 0;
        n.gap = std::max(n.gap, p.numeric_gap);
    }
    return n;
}

/// One verdict of everything, in a sentence.
std::string verdict(const session::Proof& proof) {
    const Certificate& c = proof.certificate;
    const Totals n = totals_of(c);
    const auto differing = std::ranges::count(proof.closed.pairs, Verdict::different, &Pair::verdict);
    if (differing > 0) {
        return fmt::format("Different: {} of {} comparisons of numbers at assembled states; {} of {} pairs are equal at random points.",
                           differing, proof.closed.pairs.size(), n.equal, n.all);
    }
    if (c.verdict() == Verdict::different) return fmt::format("Different: {} of {} pairs are equal.", n.equal, n.all);
    if (c.verdict() != Verdict::equal)
        return fmt::format("Unknown: {} of {} pairs are equal, the others could not be decided.", n.equal, n.all);
    if (c.is_proved()) {
        return fmt::format("Equal: all {} pairs are the same functions, with a probability of error below {}.", n.all,
                           bound_of(c.log2_error()));
    }
    if (n.proved == 0) return fmt::format("Equal as far as can be seen: none of the {} pairs is proved.", n.all);
    return fmt::format("Equal: {} of {} pairs are proved to be the same functions, with a probability of error below {}.", n.proved, n.all,
                       bound_of(c.log2_error()));
}

/// What the verdict rests on.
std::string grounds(const session::Proof& proof) {
    const Certificate& c = proof.certificate;
    const ClosedStates& closed = proof.closed;
    const Totals n = totals_of(c);
    std::string text;
    const auto line = [&](const std::string& sentence) { text += wrapped(sentence); };
    if (n.proved > 0 && c.verdict() == Verdict::equal) line(in_words(c.log2_error()));
    if (n.heuristic > 0)
        line(fmt::format("{} are equal at every point looked at, but the formal degree is too large for a bound: that is no proof.",
                         n.heuristic));
    if (n.numeric > 0) {
        line(
            fmt::format("{} have entries that agree as numbers only (to {:.0e}), where constants of many digits were rounded or roots and "
                        "nested functions occur: that is no proof.",
                        n.numeric, n.gap));
    }
    if (!closed.pairs.empty() && std::ranges::none_of(closed.pairs, [](const Pair& p) { return p.verdict == Verdict::different; }))
        line(fmt::format("At assembled states, {} more comparisons of numbers agree.", closed.pairs.size()));
    if (const auto& at = closed.constraints) {
        const auto met = [](double residual) { return residual == 0 ? std::string("exactly") : fmt::format("to {:.0e}", residual); };
        line(fmt::format("At the initial state: {} of rank {}, {}; positions met {}, accelerations {}.",
                         session::counted(static_cast<long>(at->rows), "constraint equation"), at->rank,
                         session::counted(static_cast<long>(at->freedoms), "degree of freedom", "degrees of freedom"), met(at->position),
                         met(at->acceleration)));
    }
    return text;
}

std::string limits(const session::Proof& proof) {
    std::string text = "\n" + paint(Ink::heading, "What this does not prove") + "\n";
    for (const std::string& limit : session::limits_of(proof)) text += wrapped("- " + limit, 0, 2);
    return text;
}

Ink ink_of(Verdict v) { return v == Verdict::equal ? Ink::good : v == Verdict::different ? Ink::bad : Ink::doubtful; }

/// What goes under the line of a pair.
std::string remarks(const Pair& p, bool is_numeric) {
    std::string out;
    if (!p.note.empty()) out += wrapped(p.note, 4, 4);
    if (p.verdict == Verdict::equal && p.numeric > 0 && !is_numeric)
        out += fmt::format("    {} of {} entries as numbers only, to {:.0e}\n", p.numeric, p.entries, std::max(p.numeric_gap, 1e-16));
    if (p.points > 1 && !is_numeric) out += fmt::format("    at {} points\n", p.points);
    if (!p.why.empty()) out += wrapped("unknown: " + p.why, 4, 4);
    if (!p.difference) return out;
    out += wrapped(fmt::format("{} of {} entries differ. {}: {} says {:.17g}, {} says {:.17g}, where", p.differing, p.entries,
                               p.difference->entry, p.a, p.difference->a, p.b, p.difference->b),
                   4, 4);
    std::string state;
    for (const auto& [name, value] : p.difference->state) state += fmt::format("{}\u00a0=\u00a0{:.17g} ", name, value);
    return out + with_plain_blanks(wrapped(state, 8, 8));
}

constexpr std::size_t pair_width = 56;

std::string row(const Pair& p, bool is_numeric) {
    std::string name = p.a + " = " + p.b;
    if (width_of(name) > pair_width)
        name += "\n" + std::string(pair_width, ' ');  // the figures on a line of their own
    else
        name += std::string(pair_width - width_of(name), ' ');
    const std::string word(to_string(p.verdict)), pad(word.size() < 9 ? 9 - word.size() : 0, ' ');
    const std::string exact = p.exact_entries() > 0 ? fmt::format("{}", p.exact_entries()) : "";
    std::string last = bound(p);
    if (is_numeric) last = p.witness.starts_with("numeric to ") ? p.witness.substr(8) : p.witness;
    std::string line = fmt::format("{}  {}{}  {:>7}  {:>7}  {:>9}", name, paint(ink_of(p.verdict), word), pad, p.entries, exact, last);
    while (line.ends_with(' ')) line.pop_back();
    return line + "\n" + remarks(p, is_numeric);
}

/// Pairs of which the same was compared stand under one heading.
std::string heading_of(const Pair& p) {
    if (p.about.ends_with("lines executed again")) return "programs, executed again line by line";
    return p.about;
}

std::string table(const std::vector<Pair>& pairs, bool is_numeric) {
    std::string out;
    std::vector<std::string> headings;
    for (const Pair& p : pairs) {
        if (std::ranges::find(headings, heading_of(p)) == headings.end()) headings.push_back(heading_of(p));
    }
    for (const std::string& heading : headings) {
        out += paint(Ink::faint, with_plain_blanks(wrapped(heading + (is_numeric ? ": no proof" : ""))));
        for (const Pair& p : pairs) {
            if (heading_of(p) == heading) out += row(p, is_numeric);
        }
    }
    return out;
}

std::string as_text(const session::Proof& proof) {
    const Certificate& c = proof.certificate;
    const ClosedStates& closed = proof.closed;
    std::string out = paint(Ink::heading, proof.model) + "\n";
    out += paint(ink_of(proof.verdict()), wrapped(verdict(proof))) + grounds(proof) + "\n";
    if (!proof.file.empty()) out += fmt::format("model       {}\n", proof.file);
    if (!proof.sha256.empty()) out += fmt::format("sha256      {}\n", proof.sha256);
    for (const std::string& set : proof.set) out += fmt::format("set         {}\n", set);
    out += fmt::format("proved by   {}, seed {}\n\n", proof.version, c.seed);
    out += paint(Ink::heading,
                 fmt::format("{:<{}}  {:<9}  {:>7}  {:>7}  {:>9}", "pair", pair_width, "verdict", "entries", "exactly", "error")) +
           "\n";
    out += table(c.pairs, false) + table(closed.pairs, true);
    for (const auto* remarks : {&c.remarks, &closed.remarks}) {
        for (const std::string& remark : *remarks) out += wrapped(remark, 0, 4);
    }
    for (const proof::LeftOut& left : c.left_out) out += wrapped(fmt::format("left out: {}", to_string(left)), 0, 4);
    return out + limits(proof);
}

session::Result<session::Proof> prove_quietly(const Session& session, session::ProveOptions options, bool quiet) {
    Status status_line(quiet);
    options.progress = [&](const std::string& what) { return status_line.show(what), true; };
    auto proof = prove(session, options);
    status_line.clear();
    return proof;
}

OfOneModel prove_one(const SharedOptions& common, const session::ProveOptions& options) {
    const auto session = open(common);
    if (!session) return {.status = wrong_input, .line = {}, .json = {}};
    const auto proof = prove_quietly(*session, options, common.quiet);
    report(proof.problems, common.quiet);
    const int status = static_cast<int>(proof.status);
    return proof ? OfOneModel{status, verdict(*proof), common.json ? to_json(*proof) : session::Json{}} : OfOneModel{status, {}, {}};
}

/// Two files, one mechanism?
int run_same(Settings& settings) {
    SharedOptions other = settings.common;
    settings.common.model = settings.models.front();
    other.model = settings.same;
    const auto a = open(settings.common), b = open(other);
    if (!a || !b) return wrong_input;
    auto pair = prove_same(*a, *b, {.seed = settings.prove.seed});
    session::Result<session::Proof> proof(pair);
    if (pair) {
        session::Proof whole{
            .model = fmt::format("{} and {}", a->source(), b->source()), .set = a->options().set, .version = codegen::made_by()};
        whole.certificate.pairs.push_back(std::move(*pair));
        proof = {pair, std::move(whole)};
    }
    return deliver(settings.common, proof, [&](const session::Proof& p) { return settings.common.json ? dump(to_json(p)) : as_text(p); });
}

int run(Settings& settings) {
    if (!are_right(check(settings.prove), settings.common)) return wrong_input;
    if (!settings.same.empty()) {
        if (settings.models.size() == 1) return run_same(settings);
        fmt::print(stderr, "error: --same compares one model with another file, not {}\n", settings.models.size());
        return wrong_input;
    }
    if (settings.models.size() > 1) {
        return run_several(settings.common, settings.models,
                           [&](const SharedOptions& common) { return prove_one(common, settings.prove); });
    }
    settings.common.model = settings.models.front();
    const auto session = open(settings.common);
    if (!session) return wrong_input;
    return deliver(settings.common, prove_quietly(*session, settings.prove, settings.common.quiet),
                   [&](const session::Proof& p) { return settings.common.json ? dump(to_json(p)) : as_text(p); });
}

std::string whole_number(const std::string& text) {
    std::uint64_t n = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (problem == std::errc{} && end == text.data() + text.size()) return {};
    return fmt::format("'{}' is not a whole number from 0 to 18446744073709551615", text);
}
std::string seconds(const std::string& text) {
    double s = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), s);
    if (problem == std::errc{} && end == text.data() + text.size() && s >= 0 && s <= 3600) return {};
    return fmt::format("'{}' is not a number of seconds from 0 to 3600", text);
}

}  // namespace

Work declare_prove(Words words) {
    auto settings = std::make_shared<Settings>();
    declare(words, settings->common, settings->models);
    words.remove("--formulation");
    words.add_option("--only", settings->prove.only, "Compare only these formulations: kane,recursive").type_name("NAMES").delimiter(',');
    words
        .add_option(
            "--same", settings->same,
            "Compare with this file instead, of any format: that both are the same mechanism, names matched, parameters by their values")
        .type_name("FILE");
    words.add_option("--seed", settings->prove.seed, "Seed of the random point, to repeat a proof").type_name("N").check(whole_number);
    words
        .add_option("--patience", settings->prove.patience,
                    "Approximate time for the normal form and the readable form, in seconds (default 0.5)")
        .type_name("S")
        .check(seconds);
    words.footer(
        "Exit status: 0 when no difference was found, even if something stays unknown (the first lines report it); 1 when two "
        "differ; 2 when there is nothing to compare or the input is wrong.");
    return [settings] { return run(*settings); };
}

}  // namespace linkwright::cli
