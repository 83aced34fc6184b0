#include "linkwright/sym/arrangement.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "linkwright/sym/node_map.hpp"

namespace linkwright::sym {

namespace {

using Part = Formula::Part;

/// Which factors of a term are taken together as its key.
using Key = std::function<bool(const Expr&)>;

class Arranger {
public:
    using Clock = std::chrono::steady_clock;
    /// After `deadline` sums are written flat.
    Arranger(Formula& formula, Clock::time_point deadline, const Weights& weights) : f_(formula), deadline_(deadline), weights_(weights) {}

    Part arrange(const Terms& terms, int depth) {
        if (terms.empty()) return f_.number(0);
        return arrange_group(terms, {}, depth);
    }

private:
    Part expression(const Expr& generator) {
        if (const Part* known = generators_.find(generator.id())) return *known;
        const Part part = f_.append(faithful(generator));
        generators_.insert(generator.id(), part);
        if (const auto weight = weights_.find(generator.id()); weight != weights_.end()) heavy_.emplace(part, weight->second);
        return part;
    }
    bool is_letter(const Expr& generator) const { return weights_.contains(generator.id()); }

    /// coefficient · Π factors · inner, parameters first, sines and cosines last.
    Part product(Term term, std::optional<Part> inner) {
        std::vector<Part> inside;
        if (inner) inside = {*inner};
        if (inner && f_[*inner].kind == Formula::Kind::product) {  // products of products are one product
            inside = f_[*inner].args;
            if (f_[inside[0]].kind == Formula::Kind::number) {
                term.coefficient *= f_[inside[0]].number;
                inside.erase(inside.begin());
            }
        }
        std::vector<Factor>& factors = term.factors;
        std::ranges::stable_sort(factors, {}, [](const Factor& f) { return std::pair(class_of(f.generator), f.generator.id()); });
        std::vector<Part> parts;
        if (!term.coefficient.is_one() || (factors.empty() && !inner)) parts.push_back(f_.number(term.coefficient));
        const auto circular = std::ranges::find(factors, Class::circular, [](const Factor& f) { return class_of(f.generator); });
        for (auto f = factors.begin(); f != factors.end(); ++f) {
            if (f == circular) parts.insert(parts.end(), inside.begin(), inside.end());
            parts.push_back(f_.power(expression(f->generator), Rational(f->exponent)));
        }
        if (circular == factors.end()) parts.insert(parts.end(), inside.begin(), inside.end());
        return f_.product(std::move(parts));
    }

    /// key · Σ terms, with what the terms share in front: the number too, if that is shorter.
    Part arrange_group(const Terms& terms, const std::vector<Factor>& key, int depth) {
        auto [content, rest] = factor_content(terms);
        if (content.coefficient.sign() < 0 && std::ranges::any_of(rest, [](const Term& t) { return t.coefficient.sign() < 0; })) {
            content.coefficient = -content.coefficient;  // of both signs: z - x, not -(x - z)
            for (Term& t : rest) t.coefficient = -t.coefficient;
        }
        content.factors.insert(content.factors.end(), key.begin(), key.end());
        if (rest.size() == 1) return product(content, {});
        const Part with_number = product(content, arrange_sum(rest, depth));
        const Rational size = abs(content.coefficient);
        if (size.is_integer()) return with_number;  // 2*(x + y); but x/2 + y, not (x + 2*y)/2
        for (Term& t : rest) t.coefficient *= size;
        content.coefficient = Rational(content.coefficient.sign());
        const Part without = product(content, arrange_sum(rest, depth));
        return is_shorter(without, with_number) ? without : with_number;
    }

    Part flat(const Terms& terms) {
        std::vector<Part> parts;
        for (const Term& t : terms) parts.push_back(product(t, {}));
        return sum(std::move(parts));
    }

    /// A sum that does not begin with a minus if it need not.
    Part sum(std::vector<Part> parts) {
        const auto is_positive = [&](Part p) {
            const Formula::Node& n = f_[p];
            const Formula::Node& first = n.kind == Formula::Kind::product ? f_[n.args[0]] : n;
            return first.kind != Formula::Kind::number || first.number.sign() > 0;
        };
        const auto positive = std::ranges::find_if(parts, is_positive);
        if (positive != parts.end()) std::rotate(parts.begin(), positive, positive + 1);
        return f_.sum(std::move(parts));
    }

    /// Π factor^power, each arranged: (u1 + u2)^2.
    Part factored(const Factored& f, int depth) {
        std::vector<Part> parts;
        if (!f.coefficient.is_one()) parts.push_back(f_.number(f.coefficient));
        for (const auto& [base, power] : f.factors) parts.push_back(f_.power(arrange(base, depth), Rational(power)));
        return f_.product(std::move(parts));
    }

    /// The same with a letter alone in front of each sum: (z - 3/10)^2, not (10*z - 3)^2/100. Empty when that is so already.
    static std::optional<Factored> with_bare_letters(Factored f) {
        bool is_changed = false;
        for (auto& [base, power] : f.factors) {
            const auto first = std::ranges::find_if(base, [](const Term& t) { return !t.factors.empty(); });
            const bool has_number = std::ranges::any_of(base, [](const Term& t) { return t.factors.empty(); });
            if (base.size() != 2 || !has_number || first == base.end() || abs(first->coefficient).is_one()) continue;
            const Rational size = abs(first->coefficient);
            for (Term& t : base) t.coefficient = t.coefficient / size;
            f.coefficient *= sym::power(size, power);
            is_changed = true;
        }
        return is_changed ? std::optional(std::move(f)) : std::nullopt;
    }

    /// Empty when the groups would be one or each a single term: the sum as it stands.
    std::optional<Part> grouped(const Terms& terms, const Key& in_key, int depth) {
        std::vector<std::pair<Term, Terms>> groups;
        std::map<std::vector<std::pair<NodeId, std::int64_t>>, std::size_t> place;
        for (const Term& t : terms) {
            Term key{Rational(1), {}}, rest{t.coefficient, {}};
            std::vector<std::pair<NodeId, std::int64_t>> name;
            for (const Factor& f : t.factors) {
                (in_key(f.generator) ? key : rest).factors.push_back(f);
                if (in_key(f.generator)) name.emplace_back(f.generator.id(), f.exponent);
            }
            const auto [at, is_new] = place.emplace(std::move(name), groups.size());
            if (is_new) groups.emplace_back(std::move(key), Terms{});
            groups[at->second].second.push_back(std::move(rest));
        }
        if (groups.size() == 1 || groups.size() == terms.size()) return std::nullopt;
        std::vector<Part> parts;
        for (const auto& [key, members] : groups) {
            const Part part = arrange_group(members, key.factors, depth - 1);
            const Formula::Node& n = f_[part];
            if (n.kind == Formula::Kind::sum) {  // a group without a factor in front is part of this sum
                parts.insert(parts.end(), n.args.begin(), n.args.end());
            } else {
                parts.push_back(part);
            }
        }
        return sum(std::move(parts));
    }

    /// The generator that stands in most terms, if in more than one and not in all.
    static std::optional<Expr> most_frequent(const Terms& terms) {
        std::map<NodeId, std::size_t> count;
        std::optional<Expr> best;
        std::size_t most = 1;
        for (const Term& t : terms) {
            for (const Factor& f : t.factors) {
                if (++count[f.generator.id()] > most) {
                    most = count[f.generator.id()];
                    best = f.generator;
                }
            }
        }
        return best;
    }

    /// Different groupings meet the same sums again and again: what was arranged once is looked up. Empty for numbers that do
    /// not fit the key.
    static std::vector<std::int64_t> key_of(const Terms& terms, int depth) {
        std::vector<std::int64_t> key{depth};
        for (const Term& t : terms) {
            const auto numerator = t.coefficient.small_numerator(), denominator = t.coefficient.small_denominator();
            if (!numerator || !denominator) return {};
            key.insert(key.end(), {*numerator, *denominator, static_cast<std::int64_t>(t.factors.size())});
            for (const Factor& f : t.factors) key.insert(key.end(), {f.generator.id(), f.exponent});
        }
        return key;
    }

    Part arrange_sum(const Terms& terms, int depth) {
        std::vector<std::int64_t> key = key_of(terms, depth);
        if (const auto known = sums_.find(key); known != sums_.end()) return known->second;
        const Part part = best_sum(terms, depth);
        if (!key.empty()) sums_.emplace(std::move(key), part);
        return part;
    }

    std::optional<Factored> factors_of(const Terms& terms) {
        std::vector<std::int64_t> key = key_of(terms, 0);
        if (key.empty()) return factor(terms);
        const auto [at, is_new] = factors_.try_emplace(std::move(key));
        if (is_new) at->second = factor(terms);
        return at->second;
    }

    Part best_sum(const Terms& terms, int depth) {
        constexpr std::size_t too_many_to_try = 400;
        if (terms.size() > too_many_to_try) depth = std::min(depth, 1);
        if (Clock::now() > deadline_) depth = 0;
        std::vector<Part> candidates{flat(terms)};
        if (depth > 0) {
            if (const std::optional<Factored> f = factors_of(terms)) {
                if (const auto bare = with_bare_letters(*f)) candidates.push_back(factored(*bare, depth - 1));
                candidates.push_back(factored(*f, depth - 1));
            }
        }
        if (depth > 0 && terms.size() > 2) {
            const auto by = [](auto... classes) { return [=](const Expr& g) { return ((class_of(g) == classes) || ...); }; };
            const auto try_grouping = [&](const Key& key) {
                if (const auto part = grouped(terms, key, depth)) candidates.push_back(*part);
            };
            if (!weights_.empty()) try_grouping([this](const Expr& g) { return is_letter(g); });
            try_grouping(by(Class::moving, Class::circular, Class::other));
            if (terms.size() <= too_many_to_try) {
                try_grouping(by(Class::moving));
                try_grouping(by(Class::circular));
                try_grouping(by(Class::parameter));
                if (const auto g = most_frequent(terms)) try_grouping([g](const Expr& x) { return x == *g; });
            }
        }
        return *std::ranges::min_element(candidates, [&](Part a, Part b) { return is_shorter(a, b); });
    }

    bool is_shorter(Part a, Part b) { return measured(a) < measured(b); }

    /// Operations, then parts. Kept for every part, as the formula only grows.
    std::pair<double, double> measured(Part p) {
        while (measures_.size() < f_.size()) {
            const auto i = static_cast<Part>(measures_.size());
            const Formula::Node& n = f_[i];
            double ops = 0, length = 1;
            for (const Part arg : n.args) {
                ops += measures_[arg].first;
                length += measures_[arg].second;
            }
            if (const auto heavy = heavy_.find(i); heavy != heavy_.end()) ops += heavy->second;
            measures_.emplace_back(ops + own_operations(f_, n), length);
        }
        return measures_[p];
    }

    Formula& f_;
    Clock::time_point deadline_;
    struct KeyHash {
        std::size_t operator()(const std::vector<std::int64_t>& key) const {
            std::uint64_t h = key.size();
            for (const std::int64_t k : key) h = (h ^ static_cast<std::uint64_t>(k)) * 0x9E3779B97F4A7C15ULL, h ^= h >> 29;
            return h;
        }
    };
    const Weights& weights_;
    std::unordered_map<Part, double> heavy_;  // parts that stand for more than they show
    NodeMap<Part> generators_;
    std::unordered_map<std::vector<std::int64_t>, Part, KeyHash> sums_;
    std::unordered_map<std::vector<std::int64_t>, std::optional<Factored>, KeyHash> factors_;
    std::vector<std::pair<double, double>> measures_;
};

bool has_products_of_angles(const Terms& terms) {
    return std::ranges::any_of(terms, [](const Term& t) {
        std::int64_t degree = 0;
        for (const Factor& f : t.factors) degree += class_of(f.generator) == Class::circular ? f.exponent : 0;
        return degree > 1;
    });
}

void negate(Terms& terms) {
    for (Term& t : terms) t.coefficient = -t.coefficient;
}

Formula arranged(const NormalForm& form, Terms numerator, int depth, Arranger::Clock::time_point deadline, const Weights& weights) {
    Formula f;
    Arranger arranger(f, deadline, weights);
    std::vector<NormalForm::Denominator> denominators = form.denominators;
    std::ranges::stable_sort(denominators, {}, [](const NormalForm::Denominator& d) {
        return std::pair(d.base.size(), d.base[0].factors.empty() ? Class::other : class_of(d.base[0].factors[0].generator));
    });
    for (NormalForm::Denominator& d : denominators) {
        d.base = shorter_squares(d.base);
        const bool is_negative = std::ranges::all_of(d.base, [](const Term& t) { return t.coefficient.sign() < 0; });
        if (!is_negative) continue;
        negate(d.base);
        if (d.power % 2 != 0) negate(numerator);
    }
    const Part root = arranger.arrange(numerator, depth);
    std::vector<Part> factors{root};
    for (const NormalForm::Denominator& d : denominators) {
        factors.push_back(f.power(arranger.arrange(d.base, depth), Rational(-d.power)));
    }
    // A product keeps its number in front when denominators join it.
    if (factors.size() > 1 && f[root].kind == Formula::Kind::product) {
        std::vector<Part> flat = f[root].args;
        flat.insert(flat.end(), factors.begin() + 1, factors.end());
        factors = std::move(flat);
    }
    if (factors.size() > 1 && f[factors[0]].kind == Formula::Kind::number && f[factors[0]].number.is_one()) factors.erase(factors.begin());
    f.root = f.product(std::move(factors));
    return f;
}

}  // namespace

Class class_of(const Expr& generator) {
    switch (generator.op()) {
        case Op::sin:
        case Op::cos: return Class::circular;
        case Op::pi: return Class::parameter;
        case Op::symbol: return generator.symbol().role == Role::parameter ? Class::parameter : Class::moving;
        case Op::pow: return generator.arg(0).is_number() ? Class::parameter : Class::other;
        default: return Class::other;
    }
}

Formula arrangement(const NormalForm& opened, Pool& plain, Deadline deadline, const Weights& weights) {
    constexpr std::size_t most_terms_to_merge = 2000;
    constexpr int shallow = 1, deep = 5;  // levels of groups within groups
    NormalForm form = opened;
    for (NormalForm::Denominator& d : form.denominators) {  // sin(a + b) was one term before it was opened
        if (!has_products_of_angles(d.base) || d.base.size() > most_terms_to_merge || Arranger::Clock::now() > deadline) continue;
        if (Terms merged = merged_angles(d.base, plain); merged.size() < d.base.size()) d.base = std::move(merged);
    }
    Terms numerator = form.numerator;
    // What stands still comes first, then what has speeds, then what has sines.
    std::ranges::stable_sort(numerator, {}, [&](const Term& t) {
        Class highest = Class::parameter;
        for (const Factor& f : t.factors) {
            if (!weights.contains(f.generator.id())) highest = std::max(highest, class_of(f.generator));
        }
        return highest;
    });
    const Terms products = shorter_squares(numerator);
    Formula best = arranged(form, products, deep, deadline, weights);
    if (has_products_of_angles(numerator) && numerator.size() <= most_terms_to_merge && Arranger::Clock::now() < deadline) {
        // Sums of angles are worth a full search only if a quick one does not rule them out.
        const Terms sums = merged_angles(numerator, plain);
        const double quick_products = operations(arranged(form, products, shallow, deadline, weights));
        const double quick_sums = operations(arranged(form, sums, shallow, deadline, weights));
        if (quick_sums > quick_products) return best;
        Formula merged = arranged(form, sums, deep, deadline, weights);
        if (is_shorter(merged, best)) best = std::move(merged);
    }
    return best;
}

bool is_shorter(const Formula& a, const Formula& b) {
    const double of_a = operations(a), of_b = operations(b);
    return of_a < of_b || (of_a == of_b && write(a).size() < write(b).size());
}

}  // namespace linkwright::sym
