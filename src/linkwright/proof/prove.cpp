#include "linkwright/proof/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/model/copy.hpp"
#include "linkwright/proof/at_solution.hpp"
#include "linkwright/proof/judge.hpp"
#include "linkwright/proof/maximal.hpp"
#include "linkwright/proof/own_forms.hpp"
#include "linkwright/proof/second_witness.hpp"

namespace linkwright::proof {

namespace {

struct Subject {
    std::string name;
    EquationsOfMotion equations;  ///< as shipped
    bool is_maximal() const { return equations.reduction.has_value(); }
};

std::uint64_t next_seed(std::uint64_t seed, std::uint64_t n) { return n == 0 ? seed : sym::keyed_hash(seed, n); }

class Proving {
public:
    Proving(const model::Model& model, const topology::Topology& topology, const Options& options) : options_(options) {
        for (const formulation::Formulation& f : formulation::formulations()) {
            if (!is_wanted(f.name)) continue;
            if (!tell(fmt::format("deriving: {}", f.name))) return;
            model::Model own = model::copy(model, std::make_shared<sym::Pool>(model.pool->options()));
            ask_for_reactions(own);
            formulation::Derived derived = f.derive(own, topology, {});
            if (derived.equations) {
                subjects_.push_back({std::string(f.name), std::move(*derived.equations)});
            } else {
                result_.left_out.push_back(
                    {std::string(f.name), derived.problems.empty() ? "it does not apply" : derived.problems.front().what});
            }
        }
    }

    Certificate run() && {
        result_.seed = options_.seed;
        std::size_t vanished = 0;
        for (std::size_t n = 0; !result_.is_stopped && (points_ < 1 || (points_ < options_.most_points && wants_another())); ++n) {
            const std::uint64_t seed = next_seed(options_.seed, n);
            const bool is_last_try = vanished >= 3;
            if (!look_from(seed, is_last_try)) {
                ++vanished;
                continue;
            }
            ++points_;
        }
        if (tell("normal form")) add_second_witness();
        for (Pair& p : result_.pairs) {
            if (p.exact_entries() > 0) p.witness += fmt::format("; normal form ({} of {})", p.exact_entries(), p.entries);
            if (p.numeric == 0) continue;
            const std::string numeric = fmt::format("numeric to {:.0e}", std::max(p.numeric_gap, 1e-16));
            p.witness = p.numeric == p.entries ? numeric : fmt::format("{}; {} ({} of {})", p.witness, numeric, p.numeric, p.entries);
        }
        return std::move(result_);
    }

private:
    /// False: it is not to go on.
    bool tell(const std::string& what) {
        if (!result_.is_stopped && options_.progress) result_.is_stopped = !options_.progress(what);
        return !result_.is_stopped;
    }
    bool is_wanted(std::string_view name) const {
        return options_.formulations.empty() || std::ranges::find(options_.formulations, name) != options_.formulations.end();
    }
    bool wants_another() const {
        return std::ranges::any_of(result_.pairs, [](const Pair& p) { return p.is_heuristic(); });
    }

    /// At the first point everything is; at others what the first had no bound for: pairs of these two, or of one with its own forms.
    bool is_open(std::string_view a, std::string_view b) const {
        const auto is_of = [](std::string_view side, std::string_view name) {
            return side == name || side.starts_with(std::string(name) + ", ");
        };
        return points_ == 0 ||
               std::ranges::any_of(result_.pairs, [&](const Pair& p) { return p.is_heuristic() && is_of(p.a, a) && is_of(p.b, b); });
    }

    /// At other points only those are carried over that have an open question.
    bool is_needed(const Subject& s) const {
        return std::ranges::any_of(subjects_,
                                   [&](const Subject& other) { return is_open(s.name, other.name) || is_open(other.name, s.name); });
    }

    /// Questions to which there is nothing to say are no rows of the certificate.
    void set_empty_ones_aside(std::vector<Pair>& pairs) {
        for (const Pair& p : pairs) {
            if (is_empty(p))
                result_.remarks.push_back(
                    fmt::format("{} = {}: {}: nothing to compare{}", p.a, p.b, p.about, p.note.empty() ? "" : "; " + p.note));
        }
        std::erase_if(pairs, is_empty);
    }
    static bool is_empty(const Pair& p) { return p.entries == 0 && p.unknown == 0; }

    /// All open pairs at one point; false when a denominator vanished there and another point is to be drawn, or when it is not to go on.
    bool look_from(std::uint64_t seed, bool is_last_try) {
        std::vector<Pair> pairs;
        std::vector<Side> sides;
        std::vector<EquationsOfMotion> carried_equations;
        std::vector<bool> is_here;
        sym::Rational division = 1;
        std::vector<std::vector<Entry>> lists;
        for (const Subject& s : subjects_) {
            if (!tell(fmt::format("looking at: {}", s.name))) return false;
            is_here.push_back(is_needed(s));
            carried_equations.push_back(is_here.back() ? carried(s.equations, seed) : s.equations);
            lists.push_back(is_here.back() ? entries(carried_equations.back()) : std::vector<Entry>{});
            if (lists.back().empty()) continue;
            division = common_division(lists.back(), division);
        }
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            sides.push_back(is_here[i] ? make_side(subjects_[i].name, std::move(lists[i]), division)
                                       : Side{subjects_[i].name, {}, {}, division});
            if (!sides.back().has_point() && !is_last_try) return false;
        }
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            for (std::size_t j = i + 1; j < subjects_.size(); ++j) {
                if (subjects_[i].is_maximal() || subjects_[j].is_maximal() || !is_open(subjects_[i].name, subjects_[j].name)) continue;
                if (!tell(fmt::format("{} = {}", subjects_[i].name, subjects_[j].name))) return false;
                pairs.push_back(judge(sides[i], sides[j]));
                pairs.back().about = "everything, entry by entry";
            }
        }
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            if (subjects_[i].is_maximal() || !is_open(subjects_[i].name, subjects_[i].name)) continue;
            if (!tell(fmt::format("{}, program", subjects_[i].name))) return false;
            for (Pair& p : own_forms(subjects_[i].name, carried_equations[i], division)) pairs.push_back(std::move(p));
            pairs.push_back(program_pair(subjects_[i].name, subjects_[i].equations, carried_equations[i], division));
        }
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            const bool is_wanted_again =
                std::ranges::any_of(subjects_, [&](const Subject& s) { return !s.is_maximal() && is_open(s.name, subjects_[i].name); });
            if (!subjects_[i].is_maximal() || !is_wanted_again) continue;
            if (!tell(fmt::format("{}: six speeds for each body", subjects_[i].name))) return false;
            const Projection projection = project(carried_equations[i]);
            for (std::size_t j = 0; j < subjects_.size(); ++j) {
                if (subjects_[j].is_maximal() || !is_open(subjects_[j].name, subjects_[i].name)) continue;
                if (!tell(fmt::format("{} = {}", subjects_[j].name, subjects_[i].name))) return false;
                for (Pair& p : maximal_pairs(subjects_[i].name, projection, subjects_[j].name, carried_equations[j], division)) {
                    pairs.push_back(std::move(p));
                }
            }
        }
        if (points_ == 0) {
            if (const Subject* first = first_relative()) {
                const auto at = static_cast<std::size_t>(first - subjects_.data());
                if (!tell(fmt::format("{}, readable form", first->name))) return false;
                pairs.push_back(readable_pair(first->name, first->equations, carried_equations[at], division, options_.reading));
            }
            set_empty_ones_aside(pairs);
            result_.pairs = std::move(pairs);
            return true;
        }
        for (Pair& known : result_.pairs) {
            for (const Pair& p : pairs) {
                if (known.is_heuristic() && p.a == known.a && p.b == known.b && p.about == known.about) {
                    known = at_both_points(std::move(known), p);
                    break;
                }
            }
        }
        return true;
    }

    const Subject* first_relative() const {
        const auto at = std::ranges::find_if(subjects_, [](const Subject& s) { return !s.is_maximal(); });
        return at == subjects_.end() ? nullptr : &*at;
    }

    /// The normal form against the first formulation; the other pairs follow, since equality does.
    void add_second_witness() {
        const Subject* first = first_relative();
        if (first == nullptr) return;
        std::vector<const Subject*> others;
        for (const Subject& s : subjects_) {
            if (&s != first && !s.is_maximal()) others.push_back(&s);
        }
        std::vector<const EquationsOfMotion*> list;
        for (const Subject* s : others) list.push_back(&s->equations);
        const auto exact = exactly_equal(first->equations, list, options_.patience);
        for (Pair& pair : result_.pairs) {
            for (std::size_t i = 0; i < others.size(); ++i) {
                if (pair.a == first->name && pair.b == others[i]->name) pair.also_exact = exact.count(i);
                for (std::size_t j = i + 1; j < others.size(); ++j) {
                    if (pair.a == others[i]->name && pair.b == others[j]->name) pair.also_exact = exact.count(i, j);
                }
            }
        }
    }

    const Options& options_;
    std::vector<Subject> subjects_;
    std::size_t points_ = 0;
    Certificate result_;
};

}  // namespace

Verdict Certificate::verdict() const {
    Verdict all = is_stopped ? Verdict::unknown : Verdict::equal;
    for (const Pair& p : pairs) {
        if (p.verdict == Verdict::different) return Verdict::different;
        if (p.verdict == Verdict::unknown) all = Verdict::unknown;
    }
    return all;
}

double Certificate::log2_error() const {
    std::vector<double> bounds;
    for (const Pair& p : pairs) {
        if (p.verdict == Verdict::equal && p.entries > p.numeric + p.only_exact && !p.is_heuristic()) bounds.push_back(p.log2_error);
    }
    if (bounds.empty()) return pairs.empty() || !is_proved() ? 0 : -1e9;
    const double largest = std::ranges::max(bounds);
    double sum = 0;
    for (const double b : bounds) sum += std::exp2(b - largest);
    return std::min(0.0, largest + std::log2(sum));
}

bool Certificate::is_proved() const { return !is_stopped && std::ranges::all_of(pairs, &Pair::is_proved); }

std::string Certificate::witness() const {
    std::string text = "fingerprint, two 61-bit primes";
    if (std::ranges::any_of(pairs, [](const Pair& p) { return p.also_exact + p.only_exact > 0; })) text += "; normal form";
    double gap = 0;
    std::size_t numeric = 0, heuristic = 0;
    for (const Pair& p : pairs) {
        numeric += p.numeric > 0 ? 1 : 0, heuristic += p.is_heuristic() ? 1 : 0;
        gap = std::max(gap, p.numeric_gap);
    }
    if (numeric > 0)
        text += fmt::format("; numeric to {:.0e} in {} of {} pairs, which is no proof", std::max(gap, 1e-16), numeric, pairs.size());
    if (heuristic > 0) text += fmt::format("; without a bound in {} of {} pairs, which is no proof", heuristic, pairs.size());
    return text;
}

std::string to_string(const LeftOut& left_out) { return fmt::format("{}: {}", left_out.formulation, left_out.why); }

Certificate prove(const model::Model& model, const topology::Topology& topology, const Options& options) {
    return Proving(model, topology, options).run();
}

Pair compare(const EquationsOfMotion& a, const EquationsOfMotion& b, const Options& options) {
    const EquationsOfMotion x = carried(a, options.seed), y = carried(b, options.seed);
    std::vector<Entry> of_x = entries(x), of_y = entries(y);
    const sym::Rational division = common_division(of_y, common_division(of_x, 1));
    return judge(make_side(a.formulation, std::move(of_x), division), make_side(b.formulation, std::move(of_y), division));
}

}  // namespace linkwright::proof
