#include "linkwright/compare/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "linkwright/base/text.hpp"
#include "linkwright/compare/compare_damage.hpp"
#include "linkwright/compare/compare_equation.hpp"
#include "linkwright/compare/compare_numbers.hpp"
#include "linkwright/sym/readable.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::compare {

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::equal: return "equal";
        case Outcome::up_to_sign: return "equal up to sign";
        case Outcome::up_to_factor: return "equal up to a factor";
        case Outcome::mended: return "equal once mended";
        case Outcome::different: return "different";
        case Outcome::unknown: return "unknown";
        case Outcome::unreadable: return "unreadable";
    }
    return "";
}

std::string_view to_string(Witness witness) {
    switch (witness) {
        case Witness::none: return "";
        case Witness::fingerprint: return "fingerprint";
        case Witness::fingerprint_and_normal_form: return "fingerprint, normal form";
        case Witness::normal_form: return "normal form";
        case Witness::numbers: return "numbers";
    }
    return "";
}

bool Comparison::is_wrong_input() const {
    return std::ranges::any_of(problems, [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
}
bool Comparison::is_all_equal() const { return !is_stopped && std::ranges::all_of(entries, &ComparedEntry::is_accepted); }

std::string readable_text(const Expr& e, std::size_t longest) {
    const auto formula = sym::readable(e, {.terms = 400, .time = std::chrono::milliseconds(500)});
    if (!formula) return {};
    std::string text = sym::write(*formula);
    return text.size() <= longest ? text : std::string();
}

namespace {

constexpr sym::Budget affordable{.terms = 20'000, .time = std::chrono::milliseconds(300)};

class Comparer {
public:
    Comparer(const eom::EquationsOfMotion& equations, const CompareRequest& request)
        : request_(request), desk_({.fold = false, .seed = request.seed}) {
        out_.seed = request.seed;
        const sym::PoolScope scope(desk_);
        const Language language =
            request.language ? *request.language : stated_language(request.names_text, request.text).value_or(language_of(request.file));
        Printed printed = read_printed(request.text, language, request.file);
        out_.lines = printed.lines;
        NamesTable table;
        if (!request.names_text.empty()) read_names(request.names_text, request.names_file, language, table, out_.problems);
        read_remarks(printed.remarks, request.file, language, table, out_.problems);
        table.accepts_sign |= request.accepts_sign || request.accepts_factor;
        table.accepts_factor |= request.accepts_factor;
        Quantities ours(equations, desk_, request.frozen);
        ours.change_coordinates(table.coordinates, out_.problems);
        if (out_.is_wrong_input()) return;
        Binder binder(printed, request.file, table, ours, out_.problems);
        for (Diagnostic& d : printed.warnings) d.file = request.file, out_.problems.push_back(d);
        if (out_.is_wrong_input()) {
            sort_problems();
            return;
        }
        Repairer repairer(binder);
        binder_ = &binder, ours_ = &ours, repairer_ = &repairer, table_ = &table;
        const std::size_t count = binder.statements().size();
        for (std::size_t i = 0; i < count && !out_.is_stopped; ++i) {
            out_.is_stopped = !goes_on(request.goes_on, i, count);
            if (!out_.is_stopped) judge(i);
        }
        notice_common_factors();
        list_unchecked();
        if (!out_.is_stopped) tell_unused();
        sort_problems();
    }
    Comparison take() { return std::move(out_); }

private:
    void sort_problems() {
        std::ranges::stable_sort(out_.problems, {}, [](const Diagnostic& d) { return std::tuple(d.file, d.where.line, d.where.column); });
        for (std::size_t i = 1; i < out_.problems.size();) {
            if (out_.problems[i] == out_.problems[i - 1])
                out_.problems.erase(out_.problems.begin() + static_cast<std::ptrdiff_t>(i));
            else
                ++i;
        }
    }

    void judge(std::size_t i) {
        const Bound& b = binder_->statements()[i];
        const Statement& s = *b.text;
        if (b.is_damaged && b.role != Bound::Role::target) return complain(s);
        if (b.role == Bound::Role::intermediate) return;
        if (b.role == Bound::Role::target && (is_continued(i) || !b.need)) return;
        ComparedEntry e;
        e.theirs = b.theirs;
        e.ours = b.ours;
        e.where = s.where;
        if (b.role == Bound::Role::equation) {
            judge_equation(*binder_, *repairer_, i, patience(), e);
        } else if (is_chain_damaged(*binder_, i)) {
            if (!judge_damaged(*binder_, *repairer_, i, patience(), e)) {
                for (const std::size_t k : chain_of(*binder_, i)) {
                    if (binder_->statements()[k].is_damaged) complain(*binder_->statements()[k].text);
                }
            }
        } else {
            judge_value(b.parts[b.root], *b.need, i, e);
        }
        e.is_accepted = e.outcome == Outcome::equal || (e.outcome == Outcome::up_to_sign && table_->accepts_sign);
        if (e.outcome == Outcome::equal) add_bound(b, e);
        out_.entries.push_back(std::move(e));
    }

    /// For one entry; a file in which everything is wrong is not given as much for each.
    std::chrono::milliseconds patience() const {
        const auto spent = std::chrono::steady_clock::now() - begin_;
        return spent < 2 * request_.patience ? request_.patience : std::max(request_.patience / 20, std::chrono::milliseconds(1));
    }

    /// A later statement says x = x + …: only the last one counts.
    bool is_continued(std::size_t i) const {
        const auto& all = binder_->statements();
        for (std::size_t k = i + 1; k < all.size(); ++k) {
            if (all[k].previous == static_cast<int>(i) && uses_previous(*binder_, k)) return true;
        }
        return false;
    }

    void judge_value(const Expr& theirs, const Expr& ours, std::size_t i, ComparedEntry& e) {
        if (const int k = binder_->statements()[i].unreadable; k >= 0 && theirs.is_undefined()) {
            e.outcome = Outcome::unreadable;
            e.note = fmt::format("it uses line {}, which could not be read", binder_->statements()[k].text->where.line);
            return;
        }
        const sym::Verdict verdict = sym::equal(theirs, ours);
        if (verdict == sym::Verdict::equal) {
            e.outcome = Outcome::equal;
            const bool is_exact = sym::equal_exactly(theirs, ours, affordable).verdict == sym::Verdict::equal;
            e.witness = is_exact ? Witness::fingerprint_and_normal_form : Witness::fingerprint;
            return;
        }
        const sym::ExactVerdict exact = verdict == sym::Verdict::unknown ? sym::equal_exactly(theirs, ours, affordable)
                                                                         : sym::ExactVerdict{sym::Verdict::different, {}};
        if (exact.verdict == sym::Verdict::equal) {
            e.outcome = Outcome::equal;
            e.witness = Witness::normal_form;
            return;
        }
        if (sym::equal(theirs, -ours) == sym::Verdict::equal) {
            e.outcome = Outcome::up_to_sign;
            e.factor = "-1";
        } else if (is_settled_by_numbers(theirs, ours, e)) {
            return;
        } else if (exact.verdict == sym::Verdict::unknown && !is_opaque(theirs) && !is_opaque(ours)) {
            e.outcome = Outcome::unknown;
            e.note = theirs.is_undefined() ? "it divides by zero, or has no value at all" : "functions stand in it that cannot be decided";
            return;
        } else {
            e.outcome = Outcome::different;
            if (const auto factor = common_factor(theirs, ours)) {
                e.outcome = Outcome::up_to_factor;
                e.factor = readable_text(*factor, 200);
            }
        }
        e.difference = readable_text(theirs - ours, 1200);
        if (e.difference.empty()) e.note = "the difference is too long to be written";
        e.expected = readable_text(ours, 400);
        if (sym::is_zero(ours) == sym::Verdict::equal) {
            e.note = "it must be 0";
            return;
        }
        e.repairs = repairer_->repair(binder_->statements(), i, ours, patience());
        if (e.repairs.size() > 3) e.repairs.resize(3);
    }

    /// Roots and other functions of which fingerprints know nothing: "different" is said only where numbers show it.
    bool is_settled_by_numbers(const Expr& theirs, const Expr& ours, ComparedEntry& e) {
        if ((!is_opaque(theirs) && !is_opaque(ours)) || theirs.is_undefined()) return false;
        const AsNumbers numbers = compare_numbers(*ours_, theirs, ours, request_.seed);
        if (numbers == AsNumbers::different) return false;
        e.outcome = numbers == AsNumbers::equal ? Outcome::equal : Outcome::unknown;
        e.witness = numbers == AsNumbers::equal ? Witness::numbers : Witness::none;
        e.note = numbers == AsNumbers::equal    ? "as numbers: functions stand in it that cannot be decided otherwise"
                 : numbers == AsNumbers::nearby ? "equal where the model starts, with its parameters; not everywhere"
                                                : "functions stand in it that cannot be decided";
        return true;
    }

    /// K with theirs = K·ours, when the two have something of two or more terms in common: of single terms anything would be a
    /// factor, and a wrong term is not a convention.
    std::optional<Expr> common_factor(const Expr& theirs, const Expr& ours) {
        const auto a = sym::normal_form(theirs, desk_, affordable), b = sym::normal_form(ours, desk_, affordable);
        if (!a || !b || a->is_undefined || b->is_undefined || a->numerator.size() < 2 || b->numerator.size() < 2) return std::nullopt;
        struct Pieces {
            Expr unit;
            std::vector<std::pair<Expr, std::size_t>> factors;  ///< and how many terms each has
        };
        const auto pieces = [&](const sym::NormalForm& form) {
            const sym::ContentAndRest content = sym::factor_content(form.numerator);
            Pieces p{sym::to_expr(sym::Terms{content.content}, desk_), {}};
            if (const auto factored = content.rest.size() < 400 ? sym::factor(content.rest) : std::nullopt) {
                p.unit = p.unit * Expr(desk_, desk_.make_number(factored->coefficient));
                for (const auto& [terms, power] : factored->factors) {
                    for (std::int64_t k = 0; k < power; ++k) p.factors.emplace_back(sym::to_expr(terms, desk_), terms.size());
                }
            } else {
                p.factors.emplace_back(sym::to_expr(content.rest, desk_), content.rest.size());
            }
            for (const auto& d : form.denominators) p.unit = p.unit / sym::pow(sym::to_expr(d.base, desk_), d.power);
            return p;
        };
        Pieces x = pieces(*a), y = pieces(*b);
        bool has_common = false;
        for (auto& [f, terms] : x.factors) {
            for (auto& [g, other] : y.factors) {
                if (terms < 2 || other < 2) continue;
                const bool same = f.node().residue == g.node().residue, opposite = f.node().residue == -g.node().residue;
                if (!same && !opposite) continue;
                has_common = true;
                if (opposite) x.unit = -x.unit;
                f = g = Expr(desk_, sym::Pool::one_id);
                terms = other = 1;
                break;
            }
        }
        if (!has_common) return std::nullopt;
        Expr factor = x.unit / y.unit;
        for (const auto& [f, terms] : x.factors) factor = factor * f;
        for (const auto& [g, terms] : y.factors) factor = factor / g;
        if (sym::equal(theirs, factor * ours) != sym::Verdict::equal) return std::nullopt;
        // a sum over a sum: something was replaced, not multiplied
        const auto form = sym::normal_form(factor, desk_, affordable);
        const auto is_sum = [](const sym::NormalForm::Denominator& d) { return d.base.size() > 1; };
        if (!form || (form->numerator.size() > 1 && std::ranges::any_of(form->denominators, is_sum))) return std::nullopt;
        return factor;
    }

    void complain(const Statement& s) {
        Diagnostic d = *s.problem;
        d.file = request_.file;
        out_.problems.push_back(std::move(d));
    }

    void add_bound(const Bound& b, const ComparedEntry& e) {
        if (e.witness != Witness::fingerprint) return;
        const double one = b.need ? sym::error_bound(b.parts[b.root], *b.need).log2_error : sym::error_bound(b.parts[b.root]).log2_error;
        out_.log2_error =
            out_.log2_error == 0 ? one : std::max(out_.log2_error, one) + std::log2(1 + std::exp2(-std::abs(out_.log2_error - one)));
    }

    /// "M[2,1]" → row 2 of the system.
    static std::optional<std::size_t> row_of(const std::string& ours) {
        const std::string_view s = ours.starts_with('-') ? std::string_view(ours).substr(1) : std::string_view(ours);
        if (!s.starts_with("M[") && !s.starts_with("f[")) return std::nullopt;
        const int row = std::atoi(s.substr(2).data());
        return row > 0 ? std::optional(static_cast<std::size_t>(row)) : std::nullopt;
    }

    /// A row multiplied throughout is a convention, a single entry is not: factors are accepted only where all entries of the row
    /// have the same one. Entries that are zero fit any.
    void notice_common_factors() {
        std::map<std::size_t, std::set<std::string>> factors;
        const auto is_zero = [&](const ComparedEntry& e) { return e.outcome == Outcome::equal && e.expected == "0"; };
        for (ComparedEntry& e : out_.entries) {
            const auto row = row_of(e.ours);
            if (!row) continue;
            const Quantities::Found found = find_ours(e.ours);
            if (e.outcome == Outcome::equal && found.value && sym::is_zero(*found.value) == sym::Verdict::equal) e.expected = "0";
            if (is_zero(e)) continue;
            factors[*row].insert(e.outcome == Outcome::equal ? "1" : e.factor.empty() ? "none" : e.factor);
        }
        // one sign throughout a row is a convention
        for (const auto& [row, found] : factors) {
            if (!found.contains("1") || !found.contains("-1")) continue;
            bool is_news = false;
            for (ComparedEntry& e : out_.entries) {
                if (row_of(e.ours) != row || e.outcome != Outcome::up_to_sign) continue;
                is_news |= e.is_accepted;
                e.is_accepted = false;
            }
            if (is_news)
                out_.notes.push_back(fmt::format(
                    "the signs of row {} disagree: a row may be turned as a whole, in M and f; for f alone declare a target = \"-f\"",
                    row));
        }
        std::set<std::string> forces;
        std::size_t force_count = 0;
        for (const ComparedEntry& e : out_.entries) {
            if (e.ours.starts_with("f[") && !is_zero(e))
                forces.insert(e.outcome == Outcome::equal ? "1" : e.factor.empty() ? "none" : e.factor), ++force_count;
        }
        if (force_count > 1 && forces == std::set<std::string>{"-1"}) {
            out_.notes.emplace_back("every f has the opposite sign: if that is meant, declare a target = \"-f\" (docs/formats/compare.md)");
        }
        for (const auto& [row, found] : factors) {
            if (found.size() != 1 || *found.begin() == "1" || *found.begin() == "none") continue;
            const std::string factor = *found.begin();
            std::size_t members = 0;
            for (ComparedEntry& e : out_.entries) {
                if (row_of(e.ours) != row || is_zero(e)) continue;
                ++members;
                if (table_->accepts_factor && members > 0) e.is_accepted |= e.outcome == Outcome::up_to_factor;
            }
            if (members > 1) out_.notes.push_back(fmt::format("row {} is multiplied by {} throughout", row, factor));
        }
    }
    Quantities::Found find_ours(const std::string& text) const {
        const TreeOrProblem parsed = parse_printed(text, Language::ours);
        if (parsed.problem || parsed.tree[parsed.root].kind != Tree::Kind::name) return {};
        return ours_->find(parsed.tree[parsed.root].name, parsed.tree[parsed.root].indices);
    }

    void list_unchecked() {
        std::set<std::string> given;
        std::size_t accelerations = 0;
        for (const ComparedEntry& e : out_.entries) {
            if (e.row) {
                const std::size_t row = *e.row + 1;
                for (std::size_t j = 1; j <= ours_->rows(); ++j)
                    given.insert(fmt::format("M[{},{}]", row, j)), given.insert(fmt::format("M[{},{}]", j, row));
                given.insert(fmt::format("f[{}]", row));
                continue;
            }
            if (e.ours.starts_with("udot[") || e.ours.ends_with("''")) ++accelerations;
            const TreeOrProblem parsed = parse_printed(e.ours, Language::ours);
            if (parsed.problem) continue;
            for (const Tree::Node& n : parsed.tree.nodes) {
                if (n.kind != Tree::Kind::name) continue;
                const Quantities::Found found = ours_->find(n.name, n.indices);
                given.insert(found.name);
                const bool is_mass = found.value && n.name == "M";
                if (is_mass) given.insert(fmt::format("M[{},{}]", found.at[1] + 1, found.at[0] + 1));  // symmetric
            }
        }
        const std::size_t n = ours_->rows(), m = ours_->lambda.size();
        if (accelerations >= n && n > 0) return;
        const auto family = [&](const std::string& name, const std::vector<std::string>& all) {
            std::vector<std::string> missing;
            for (const std::string& entry : all) {
                if (!given.contains(entry)) missing.push_back(entry);
            }
            if (missing.empty()) return;
            if (missing.size() == all.size() && all.size() > 1) {
                out_.unchecked.push_back(name);
            } else {
                out_.unchecked.insert(out_.unchecked.end(), missing.begin(), missing.end());
            }
        };
        std::vector<std::string> M, f, G, gamma;
        for (std::size_t i = 1; i <= n; ++i) {
            for (std::size_t j = i; j <= n; ++j) M.push_back(fmt::format("M[{},{}]", i, j));
            f.push_back(fmt::format("f[{}]", i));
        }
        for (std::size_t r = 1; r <= m; ++r) {
            for (std::size_t j = 1; j <= n; ++j) G.push_back(fmt::format("G[{},{}]", r, j));
            gamma.push_back(fmt::format("gamma[{}]", r));
        }
        family("M", M), family("f", f), family("G", G), family("gamma", gamma);
    }

    /// Assigned, not ours, and never used: perhaps a target that was misspelled.
    void tell_unused() {
        for (const Bound& b : binder_->statements()) {
            if (b.role != Bound::Role::intermediate || b.is_used || b.is_damaged || b.key.empty()) continue;
            const TreeOrProblem left = parse_tokens(b.text->tokens, 0, b.text->equals, binder_->language());
            const std::string name = left.problem ? b.theirs : left.tree[left.root].name;
            std::vector<std::string> known = ours_->known();
            for (const Rule& r : table_->targets) known.push_back(r.name);
            const auto meant = did_you_mean(name, known);
            out_.problems.push_back({.severity = Diagnostic::Severity::warning,
                                     .file = request_.file,
                                     .where = b.text->where,
                                     .what = fmt::format("'{}' is no quantity of ours and is never used: it is not compared", b.theirs),
                                     .hint = meant && *meant != name
                                                 ? fmt::format("did you mean '{}'?", *meant)
                                                 : fmt::format("say what it is: \"{}\" = \"M\" under [targets] of a --names file", name)});
        }
        if (out_.entries.empty() && !out_.is_wrong_input()) {
            out_.problems.push_back({.severity = Diagnostic::Severity::error,
                                     .file = request_.file,
                                     .where = {},
                                     .what = "nothing in this file can be compared",
                                     .hint = "write assignments to quantities of ours, as M[1,1] = … or f[1] = …, or equations of motion"});
        }
    }

    const CompareRequest& request_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    sym::Pool desk_;
    Comparison out_;
    Binder* binder_ = nullptr;
    Quantities* ours_ = nullptr;
    Repairer* repairer_ = nullptr;
    const NamesTable* table_ = nullptr;
};

}  // namespace

Comparison compare(const eom::EquationsOfMotion& equations, const CompareRequest& request) { return Comparer(equations, request).take(); }

}  // namespace linkwright::compare
