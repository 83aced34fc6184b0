#include "linkwright/compare/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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
        case Outcome::up_to_constant: return "equal up to a constant";
        case Outcome::agrees: return "agrees as numbers";
        case Outcome::up_to_sign: return "equal up to sign";
        case Outcome::up_to_factor: return "equal up to a factor";
        case Outcome::mended: return "equal after repair";
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
bool Comparison::is_all_equal() const {
    return !is_stopped && !is_wrong_input() && std::ranges::all_of(entries, &ComparedEntry::is_accepted);
}
bool Comparison::is_all_in_agreement() const {
    return !is_stopped && !is_wrong_input() &&
           std::ranges::all_of(entries, [](const ComparedEntry& e) { return e.is_accepted || e.outcome == Outcome::agrees; });
}

std::string readable_text(const Expr& e, std::size_t longest) {
    const auto formula = sym::readable(e, {.terms = 400, .time = std::chrono::seconds(2)});
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
        ours.hold(table.at, out_.problems);
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
        e.is_accepted = e.outcome == Outcome::equal || e.outcome == Outcome::up_to_constant ||
                        (e.outcome == Outcome::up_to_sign && table_->accepts_sign);
        if (e.outcome == Outcome::equal) add_bound(b, e);
        out_.entries.push_back(std::move(e));
    }

    /// For one entry; a file in which everything is wrong is not given as much for each.
    std::chrono::milliseconds patience() const {
        return repairer_->spent() < 2 * request_.patience ? request_.patience
                                                          : std::max(request_.patience / 20, std::chrono::milliseconds(1));
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
        const Domain domain(binder_->statements(), i);
        const bool is_undecidable = !theirs.is_undefined() && (is_opaque(theirs) || is_opaque(ours));
        const bool needs_numbers = !theirs.is_undefined() && (is_undecidable || !domain.is_everywhere());
        const auto numbers_against = [&](const Expr& x) {
            return needs_numbers ? compare_numbers(*ours_, theirs, x, domain, request_.seed) : AsNumbers{};
        };
        const AsNumbers numbers = numbers_against(ours);
        const bool differs = numbers.answer == AsNumbers::Answer::different;
        const Judgement symbols = judge_symbols(theirs, ours);
        if (symbols.verdict == sym::Verdict::equal) {
            e.outcome = differs ? Outcome::different : Outcome::equal;
            e.witness = differs ? Witness::none : symbols.witness;
            if (!differs) return;
            e.difference = "0";
            e.expected = readable_text(ours, 400);
            e.note = numbers.where;
            return;
        }
        if (is_energy(e.ours) && is_constant(theirs - ours)) {
            e.outcome = Outcome::up_to_constant;
            e.difference = readable_text(theirs - ours, 400);
            return;
        }
        if (sym::equal(theirs, -ours) == sym::Verdict::equal && numbers_against(-ours).answer != AsNumbers::Answer::different) {
            e.outcome = Outcome::up_to_sign;
            e.factor = "-1";
        } else if (is_undecidable && numbers.answer == AsNumbers::Answer::agree) {
            e.outcome = Outcome::agrees;
            e.witness = Witness::numbers;
            e.note = numbers.where;
            return;
        } else if (!differs && (is_undecidable || symbols.verdict == sym::Verdict::unknown)) {
            e.outcome = Outcome::unknown;
            e.note =
                theirs.is_undefined() ? "it divides by zero, or is undefined" : "it contains functions whose equality cannot be decided";
            return;
        } else {
            e.outcome = Outcome::different;
            e.note = numbers.where;
            if (const auto factor = common_factor(theirs, ours)) {
                e.outcome = Outcome::up_to_factor;
                e.factor = readable_text(*factor, 200);
            }
        }
        e.difference = readable_text(theirs - ours, 1200);
        if (e.difference.empty()) add_note(e, "the difference is too long to be written");
        e.expected = readable_text(ours, 400);
        if (sym::is_zero(ours) == sym::Verdict::equal) {
            add_note(e, "it must be 0");
            return;
        }
        e.repairs = repairer_->repair(binder_->statements(), i, ours, patience());
        if (e.repairs.size() > 3) e.repairs.resize(3);
    }
    static void add_note(ComparedEntry& e, const std::string& note) { e.note += (e.note.empty() ? "" : "; ") + note; }

    /// What fingerprints and the normal form say, wherever both have a value.
    struct Judgement {
        sym::Verdict verdict;
        Witness witness = Witness::none;
    };
    static Judgement judge_symbols(const Expr& theirs, const Expr& ours) {
        const sym::Verdict verdict = sym::equal(theirs, ours);
        if (verdict == sym::Verdict::different) return {verdict};
        const sym::Verdict exact = sym::equal_exactly(theirs, ours, affordable).verdict;
        if (exact != sym::Verdict::equal)
            return verdict == sym::Verdict::equal ? Judgement{verdict, Witness::fingerprint} : Judgement{exact};
        return {exact, verdict == exact ? Witness::fingerprint_and_normal_form : Witness::normal_form};
    }

    /// A potential energy, alone or in a sum with T: it is defined up to a constant.
    static bool is_energy(const std::string& ours) {
        const TreeOrProblem parsed = parse_printed(ours, Language::ours);
        if (parsed.problem) return false;
        bool has_potential = false;
        for (const Tree::Node& n : parsed.tree.nodes) {
            const bool is_name = n.kind == Tree::Kind::name;
            if (!(is_name && (n.name == "T" || n.name == "V")) && n.kind != Tree::Kind::sum) return false;
            has_potential |= is_name && n.name == "V";
        }
        return has_potential;
    }
    /// Made of parameters alone, once what cancels is gone.
    bool is_constant(const Expr& e) {
        const auto form = sym::normal_form(e, desk_, affordable);
        if (!form || form->is_undefined) return false;
        const Expr left = sym::to_expr(*form, desk_);
        return std::ranges::all_of(sym::nodes_below(std::span(&left, 1)),
                                   [](const Expr& n) { return !n.is_symbol() || n.symbol().role == sym::Role::parameter; });
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

    static std::string factor_of(const ComparedEntry& e) {
        if (e.outcome == Outcome::equal || e.outcome == Outcome::agrees) return "1";
        return e.factor.empty() ? "none" : e.factor;
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
            factors[*row].insert(factor_of(e));
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
            if (e.ours.starts_with("f[") && !is_zero(e)) forces.insert(factor_of(e)), ++force_count;
        }
        if (force_count > 1 && forces == std::set<std::string>{"-1"}) {
            out_.notes.emplace_back(
                "every f has the opposite sign: if this is intended, declare a target = \"-f\" (docs/formats/compare.md)");
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
            out_.problems.push_back(
                {.severity = Diagnostic::Severity::warning,
                 .file = request_.file,
                 .where = b.text->where,
                 .what = fmt::format("'{}' is not a quantity of the model and is never used: it is not compared", b.theirs),
                 .hint = meant && *meant != name ? fmt::format("did you mean '{}'?", *meant)
                                                 : fmt::format("define it: \"{}\" = \"M\" under [targets] of a --names file", name)});
        }
        if (out_.entries.empty() && !out_.is_wrong_input()) {
            out_.problems.push_back(
                {.severity = Diagnostic::Severity::error,
                 .file = request_.file,
                 .where = {},
                 .what = "nothing in this file can be compared",
                 .hint = "write assignments to quantities of the model, such as M[1,1] = … or f[1] = …, or equations of motion"});
        }
    }

    const CompareRequest& request_;
    sym::Pool desk_;
    Comparison out_;
    Binder* binder_ = nullptr;
    Quantities* ours_ = nullptr;
    Repairer* repairer_ = nullptr;
    const NamesTable* table_ = nullptr;
};

/// First and second moment of a uniform beam as people write them: m L/2, m L²/3.
void write_moments(std::vector<eom::Parameter>& parameters, const std::vector<eom::Parameter>& as_made) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string& name = parameters[i].symbol.symbol().name;
        const bool is_first = name.ends_with(".S");
        if (!parameters[i].is_shape_constant || (!is_first && !name.ends_with(".X"))) continue;
        const auto mass = std::ranges::find(as_made, name.substr(0, name.size() - 1) + "m",
                                            [](const eom::Parameter& p) { return p.symbol.symbol().name; });
        if (mass == as_made.end()) continue;
        for (const eom::Parameter& length : as_made) {
            if (length.is_shape_constant) continue;
            const Expr& L = length.symbol;
            const auto moment = [&](const Expr& m) { return is_first ? m * L / 2 : m * L * L / 3; };
            if (sym::equal(as_made[i].value, moment(mass->value)) != sym::Verdict::equal) continue;
            parameters[i].value = moment(mass->symbol);
            break;
        }
    }
}

/// Shape constants of beams are what they are made of when equality is asked, and letters when a difference is told.
void tell_in_letters(const eom::EquationsOfMotion& equations, const CompareRequest& request, Comparison& out) {
    eom::EquationsOfMotion lettered = equations;
    const sym::PoolScope scope(*lettered.pool);
    bool has_constants = false;
    for (eom::Parameter& p : lettered.parameters) {
        if (p.is_shape_constant) p.value = Expr(1), has_constants = true;
    }
    if (!has_constants || out.is_all_equal() || out.is_stopped) return;
    write_moments(lettered.parameters, equations.parameters);
    const Comparison told = Comparer(lettered, request).take();
    if (told.entries.size() != out.entries.size()) return;
    for (std::size_t i = 0; i < out.entries.size(); ++i) {
        ComparedEntry& e = out.entries[i];
        const ComparedEntry& by = told.entries[i];
        if (e.is_accepted || by.outcome != e.outcome || by.ours != e.ours || by.difference.size() > e.difference.size()) continue;
        e.difference = by.difference, e.expected = by.expected, e.note = by.note;
        e.repairs = by.repairs;
    }
}

}  // namespace

Comparison compare(const eom::EquationsOfMotion& equations, const CompareRequest& request) {
    Comparison out = Comparer(equations, request).take();
    tell_in_letters(equations, request, out);
    const bool is_foreign = std::ranges::any_of(std::array<std::string_view, 2>{".jl", ".mo"},
                                                [&](std::string_view suffix) { return request.file.ends_with(suffix); });
    if (is_foreign && !request.language && out.is_wrong_input()) {
        out.problems.push_back(
            {.severity = Diagnostic::Severity::warning,
             .file = request.file,
             .where = {},
             .what = "Julia and Modelica cannot be read: the file was read as expressions of model files",
             .hint = "keep only the assignments, indices from 1, comments with #; or write Fortran, C, Python or MATLAB"});
    }
    return out;
}

}  // namespace linkwright::compare
