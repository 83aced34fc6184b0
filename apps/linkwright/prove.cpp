#include "linkwright/session/prove.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "common.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using proof::Certificate;
using proof::Pair;
using session::ClosedStates;
using sym::Verdict;

struct Settings {
    SharedOptions common;
    session::ProveOptions prove;
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

std::string bound(const Pair& p) {
    if (p.verdict != Verdict::equal) return "";
    if (p.is_heuristic()) return "heuristic";
    if (p.is_exact()) return "exact";
    if (p.numeric + p.only_exact >= p.entries || p.log2_error < -1000) return "no proof";
    return fmt::format("2^{:.0f}", p.log2_error);
}

/// "fingerprint, normal form 24"
std::string witness(const Pair& p) {
    std::string text = p.points > 1 ? fmt::format("fingerprint, {} points", p.points) : "fingerprint";
    if (p.exact_entries() > 0) text += fmt::format("; normal form ({} of {})", p.exact_entries(), p.entries);
    if (p.numeric > 0) text += fmt::format("; numeric to {:.0e} ({} of {})", std::max(p.numeric_gap, 1e-16), p.numeric, p.entries);
    return text;
}

std::string degree(const Pair& p) {
    return p.degree < 1e6 ? fmt::format("{:.0f}", p.degree) : fmt::format("2^{:.0f}", std::log2(p.degree));
}

/// "2^-69", or "0" of what nothing random is in
std::string bound_of(double log2_error) { return log2_error < -1000 ? "0" : fmt::format("2^{:.0f}", log2_error); }

/// One verdict of everything, and what it rests on.
std::string closing(const session::Proof& proof) {
    const Certificate& c = proof.certificate;
    const ClosedStates& closed = proof.closed;
    const auto differing = std::ranges::count(closed.pairs, Verdict::different, &Pair::verdict);
    std::size_t equal = 0, proved = 0, numeric = 0, heuristic = 0;
    double gap = 1e-16;
    for (const Pair& p : c.pairs) {
        equal += p.verdict == Verdict::equal ? 1 : 0;
        proved += p.is_proved() ? 1 : 0;
        numeric += p.verdict == Verdict::equal && p.numeric > 0 ? 1 : 0;
        heuristic += p.is_heuristic() ? 1 : 0;
        gap = std::max(gap, p.numeric_gap);
    }
    const std::size_t all = c.pairs.size();
    std::string text;
    if (differing > 0) {
        text = fmt::format(
            "Different: {} of {} comparisons of numbers where the constraints are met; {} of {} pairs are equal at random points (seed "
            "{}).\n",
            differing, closed.pairs.size(), equal, all, c.seed);
    } else if (c.verdict() == Verdict::equal && c.is_proved()) {
        text = fmt::format("Equal: all {} pairs are the same functions, with a probability of error below {} (seed {}).\n", all,
                           bound_of(c.log2_error()), c.seed);
    } else if (c.verdict() == Verdict::equal && proved > 0) {
        text = fmt::format("Equal: {} of {} pairs are proved to be the same functions, with a probability of error below {} (seed {}).\n",
                           proved, all, bound_of(c.log2_error()), c.seed);
    } else if (c.verdict() == Verdict::equal) {
        text = fmt::format("Equal as far as can be seen: none of the {} pairs is proved (seed {}).\n", all, c.seed);
    } else if (c.verdict() == Verdict::different) {
        text = fmt::format("Different: {} of {} pairs are equal (seed {}).\n", equal, all, c.seed);
    } else {
        text = fmt::format("Unknown: {} of {} pairs are equal, nothing speaks against the others (seed {}).\n", equal, all, c.seed);
    }
    if (heuristic > 0) {
        text += fmt::format("{} are equal at every point looked at, but the formal degree is too large for a bound: that is no proof.\n",
                            heuristic);
    }
    if (numeric > 0) {
        text += fmt::format(
            "{} have entries that agree as numbers only (to {:.0e}), where constants of many digits were rounded or roots and nested "
            "functions "
            "stand: that is no proof.\n",
            numeric, gap);
    }
    if (differing == 0 && !closed.pairs.empty())
        text += fmt::format("Where the constraints are met, {} more comparisons of numbers agree.\n", closed.pairs.size());
    if (const auto& at = closed.constraints) {
        const auto met = [](double residual) { return residual == 0 ? std::string("exactly") : fmt::format("to {:.0e}", residual); };
        text += fmt::format("Constraints where the motion begins: {} of rank {}, freedoms {}; positions met {}, accelerations {}.\n",
                            at->rows == 1 ? "1 row" : fmt::format("{} rows", at->rows), at->rank, at->freedoms, met(at->position),
                            met(at->acceleration));
    }
    return text;
}

std::string row(const Pair& p, std::size_t width, std::size_t about, const std::string& error, const std::string& degree,
                const std::string& witness) {
    std::string out = fmt::format("{:<{}}  {:<{}}  {:<9}  {:>7}  {:>6}  {:>9}  {:>5.0f} ms  {}\n", p.a + " = " + p.b, width, p.about, about,
                                  to_string(p.verdict), p.entries, degree, error, p.time.count() * 1e3, witness);
    if (!p.note.empty()) out += "    " + p.note + "\n";
    if (!p.why.empty()) out += fmt::format("    unknown: {}\n", p.why);
    if (!p.difference) return out;
    out += fmt::format("    {} of {} entries differ. {}: {} says {:.17g}, {} says {:.17g}, where\n", p.differing, p.entries,
                       p.difference->entry, p.a, p.difference->a, p.b, p.difference->b);
    std::string line = "       ";
    for (const auto& [name, value] : p.difference->state) {
        const std::string word = fmt::format(" {} = {:.17g}", name, value);
        if (line.size() + word.size() > 110) out += line + "\n", line = "       ";
        line += word;
    }
    return out + line + "\n";
}

std::string as_text(const session::Proof& proof) {
    const Certificate& c = proof.certificate;
    const ClosedStates& closed = proof.closed;
    std::size_t width = 12, about = 8;
    for (const auto* pairs : {&c.pairs, &closed.pairs}) {
        for (const Pair& p : *pairs) {
            width = std::max(width, p.a.size() + p.b.size() + 3);
            about = std::max(about, p.about.size());
        }
    }
    std::string out = fmt::format("{}\n\n{:<{}}  {:<{}}  {:<9}  {:>7}  {:>6}  {:>9}  {:>8}  {}\n", proof.model, "pair", width, "compared",
                                  about, "verdict", "entries", "degree", "error", "time", "witness");
    for (const Pair& p : c.pairs) out += row(p, width, about, bound(p), degree(p), witness(p));
    for (const Pair& p : closed.pairs) out += row(p, width, about, "no proof", "", p.witness);
    for (const auto* remarks : {&c.remarks, &closed.remarks}) {
        for (const std::string& remark : *remarks) out += remark + "\n";
    }
    for (const proof::LeftOut& left : c.left_out) out += fmt::format("left out: {}\n", to_string(left));
    return out + "\n" + closing(proof);
}

int run(Settings& settings) {
    if (!are_right(check(settings.prove), settings.common)) return wrong_input;
    const auto session = open(settings.common);
    if (!session) return wrong_input;
    Status status_line(settings.common.quiet);
    settings.prove.progress = [&](const std::string& what) { return status_line.show(what), true; };
    const auto proof = prove(*session, settings.prove);
    status_line.clear();
    return deliver(settings.common, proof, [&](const session::Proof& p) { return settings.common.json ? dump(to_json(p)) : as_text(p); });
}

std::string whole_number(const std::string& text) {
    std::uint64_t n = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (problem == std::errc{} && end == text.data() + text.size()) return {};
    return fmt::format("'{}' is no whole number from 0 to 18446744073709551615", text);
}
std::string seconds(const std::string& text) {
    double s = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), s);
    if (problem == std::errc{} && end == text.data() + text.size() && s >= 0 && s <= 3600) return {};
    return fmt::format("'{}' is no number of seconds from 0 to 3600", text);
}

}  // namespace

Work declare_prove(Words words) {
    auto settings = std::make_shared<Settings>();
    declare(words, settings->common);
    words.remove("--formulation");
    words.add_option("--only", settings->prove.only, "Only these formulations: kane,recursive").type_name("NAMES").delimiter(',');
    words.add_option("--seed", settings->prove.seed, "Draw the random point from this number, to repeat a proof")
        .type_name("N")
        .check(whole_number);
    words
        .add_option("--patience", settings->prove.patience,
                    "Seconds, more or less, for the normal form and the readable form (default 0.5)")
        .type_name("S")
        .check(seconds);
    words.footer(
        "Exit status: 0 when all are equal, as far as can be seen, and when something stays unknown (the last lines say so); 1 when two "
        "differ; "
        "2 when there is nothing to compare or the input is wrong.");
    return [settings] { return run(*settings); };
}

}  // namespace linkwright::cli
