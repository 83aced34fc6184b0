#include "linkwright/present/sums.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "linkwright/present/formula_parts.hpp"
#include "linkwright/present/intermediates.hpp"

namespace linkwright::present {

using sym::Formula, sym::Op, sym::Rational;
using Part = Formula::Part;
using Kind = Formula::Kind;

namespace {

// Lengths in characters of text.
constexpr double shortest_sum = 20, shortest_call = 40;
constexpr double worth_a_name = 60;  // that are saved on the whole page
constexpr double long_factor = 60;   // beside another one it gets a name
constexpr double long_entry = 100;   // an entry that is all of a named sum is written as that name only when it is longer
constexpr double length_of_name = 3, length_of_line = 6;  // "z12"; "z12 = " and its end
constexpr std::size_t largest_ratio = 12;                 // bits of the factor between two sums that share a name
constexpr char placeholder = '\x04';

/// Every part of every formula, equal ones once: a shape is a part up to a rational factor.
class Shapes {
public:
    using Id = std::uint32_t;
    struct Scaled {
        Rational times;
        Id id;
    };
    struct Shape {
        Kind kind = Kind::number;
        std::vector<Id> args;
        double own_length = 0;  ///< without its arguments
        bool is_named = false;
    };

    Shapes() { shapes_.push_back({}); }  // a number

    /// The shape of each part; parts that are not below the root keep none.
    std::vector<Scaled> read(const Formula& f) {
        std::vector<char> is_needed(f.size(), 0);
        is_needed[f.root] = 1;
        for (Part i = f.root + 1; i-- > 0;) {
            if (is_needed[i] == 0) continue;
            for (const Part arg : f[i].args) is_needed[arg] = 1;
        }
        std::vector<Scaled> at(f.size(), Scaled{Rational(1), none});
        for (Part i = 0; i <= f.root; ++i) {
            if (is_needed[i] != 0) at[i] = shape_of(f[i], at);
        }
        return at;
    }

    std::size_t size() const { return shapes_.size(); }
    Shape& operator[](Id id) { return shapes_[id]; }
    const Shape& operator[](Id id) const { return shapes_[id]; }
    static constexpr Id number = 0, none = static_cast<Id>(-1);

private:
    Scaled shape_of(const Formula::Node& n, const std::vector<Scaled>& at) {
        switch (n.kind) {
            case Kind::undefined: return {Rational(1), find("?", {.kind = Kind::undefined, .args = {}, .own_length = 5})};
            case Kind::number: return {n.number, number};
            case Kind::pi: return {Rational(1), find("pi", {.kind = Kind::pi, .args = {}, .own_length = 2})};
            case Kind::name: return {Rational(1), find("n" + n.name, {.kind = Kind::name, .args = {}, .own_length = chars(n.name.size())})};
            case Kind::sum: return sum(n, at);
            case Kind::product: return product(n, at);
            case Kind::power: return power(n, at);
            case Kind::call: return call(n, at);
        }
        return {Rational(1), none};
    }

    Scaled sum(const Formula::Node& n, const std::vector<Scaled>& at) {
        std::vector<Scaled> terms;
        for (const Part arg : n.args) terms.push_back(at[arg]);
        std::ranges::stable_sort(terms, {}, &Scaled::id);
        const Rational lead = terms.front().times.is_zero() ? Rational(1) : terms.front().times;
        std::string key = "+";
        Shape shape{.kind = Kind::sum, .args = {}, .own_length = 3 * chars(terms.size() - 1)};
        for (const Scaled& term : terms) {
            key += std::to_string(term.id) + '*' + (term.times / lead).to_string() + ' ';
            shape.args.push_back(term.id);
            shape.own_length += term.id == number ? length(term.times) : abs(term.times).is_one() ? 0 : length(term.times) + 1;
        }
        return {lead, find(key, std::move(shape))};
    }

    Scaled product(const Formula::Node& n, const std::vector<Scaled>& at) {
        Rational times(1);
        Shape shape{.kind = Kind::product, .args = {}};
        for (const Part arg : n.args) {
            times *= at[arg].times;
            if (at[arg].id != number) shape.args.push_back(at[arg].id);
        }
        if (shape.args.empty()) return {times, number};
        if (shape.args.size() == 1) return {times, shape.args.front()};
        std::ranges::sort(shape.args);
        std::string key = "*";
        for (const Id arg : shape.args) key += std::to_string(arg) + ' ', shape.own_length += shapes_[arg].kind == Kind::sum ? 3 : 1;
        shape.own_length -= 1;
        return {times, find(key, std::move(shape))};
    }

    Scaled power(const Formula::Node& n, const std::vector<Scaled>& at) {
        constexpr std::int64_t highest = 8;
        const Scaled& base = at[n.args[0]];
        const auto exponent = n.number.is_integer() ? n.number.small_numerator() : std::nullopt;
        const bool goes_outside = base.times.is_one() || (exponent && std::abs(*exponent) <= highest && !base.times.is_zero());
        const std::string inside = goes_outside ? "" : base.times.to_string();
        Shape shape{.kind = Kind::power, .args = {base.id}, .own_length = 2 + chars(inside.size())};
        const Id id = find("^" + std::to_string(base.id) + ' ' + n.number.to_string() + ' ' + inside, std::move(shape));
        return {goes_outside && !base.times.is_one() ? sym::power(base.times, *exponent) : Rational(1), id};
    }

    Scaled call(const Formula::Node& n, const std::vector<Scaled>& at) {
        std::string key = "(" + std::to_string(static_cast<int>(n.function));
        Shape shape{.kind = Kind::call, .args = {}, .own_length = 5};
        for (const Part arg : n.args) {
            key += ' ' + std::to_string(at[arg].id) + '*' + at[arg].times.to_string();
            shape.args.push_back(at[arg].id);
            shape.own_length += at[arg].times.is_one() ? 1 : length(at[arg].times) + 1;
        }
        return {Rational(1), find(key, std::move(shape))};
    }

    /// Of a number as pages round it.
    static double length(const Rational& r) {
        constexpr double bits_of_digit = 3.3, longest = 9;
        return std::min(longest, 1 + chars(r.bits()) / bits_of_digit);
    }
    static double chars(std::size_t n) { return static_cast<double>(n); }

    Id find(const std::string& key, Shape shape) {
        const auto [at, is_new] = known_.try_emplace(key, static_cast<Id>(shapes_.size()));
        if (is_new) shapes_.push_back(std::move(shape));
        return at->second;
    }

    std::vector<Shape> shapes_;
    std::unordered_map<std::string, Id> known_;
};

class SumNamer {
public:
    using Id = Shapes::Id;
    using Scaled = Shapes::Scaled;

    explicit SumNamer(std::span<Formula* const> formulas) : formulas_(formulas.begin(), formulas.end()) {
        for (const Formula* f : formulas_) read_.push_back(shapes_.read(*f));
        // A sum whose inner sums have names is shorter, and may no longer be worth one.
        for (int round = 0; round < 3; ++round) {
            length_ = lengths();
            choose_names();
        }
    }

    std::vector<StraightLine::Step> name() {
        find_usual_scales();
        std::vector<StraightLine::Step> steps;
        for (auto& [id, usual] : usual_) {  // inner ones first
            const auto& [formula, part] = usual.where;
            Formula value = written(*formulas_[formula], read_[formula], part);
            if (is_negative_throughout(value)) value = opposite(value), usual.times = -usual.times;
            steps.push_back({name_of(id), std::move(value)});
        }
        std::vector<Formula> values;
        for (std::size_t k = 0; k < formulas_.size(); ++k) values.push_back(written(*formulas_[k], read_[k], std::nullopt));
        for (std::size_t k = 0; k < formulas_.size(); ++k) *formulas_[k] = std::move(values[k]);
        return steps;
    }

    bool has_names() const {
        for (Id id = 0; id < shapes_.size(); ++id) {
            if (shapes_[id].is_named) return true;
        }
        return false;
    }

private:
    /// The factor with which a named sum is written most often, and a place where it is.
    struct Usual {
        Rational times{1};
        std::pair<std::size_t, Part> where;
    };

    /// −a − b·c
    static bool is_negative_throughout(const Formula& f) {
        return f[f.root].kind == Kind::sum && std::ranges::all_of(f[f.root].args, [&](Part term) { return is_negative(f, term); });
    }
    static Formula opposite(Formula f) {
        std::vector<Part> terms = f[f.root].args;
        for (Part& term : terms) term = multiplied(f, term, Rational(-1));
        f.root = f.sum(std::move(terms));
        return f;
    }

    static std::string name_of(Id id) { return placeholder + std::to_string(id); }

    std::vector<double> lengths() const {
        std::vector<double> length(shapes_.size(), 0);
        for (Id id = 1; id < shapes_.size(); ++id) {
            length[id] = shapes_[id].own_length;
            for (const Id arg : shapes_[id].args) length[id] += shapes_[arg].is_named ? length_of_name : length[arg];
        }
        return length;
    }

    bool may_be_named(Id id) const {
        const Kind kind = shapes_[id].kind;
        return (kind == Kind::sum && length_[id] >= shortest_sum) || (kind == Kind::call && length_[id] >= shortest_call);
    }
    bool is_long_entry(Id id) const { return length_[id] > long_entry; }

    /// Outer shapes first: how often each stands on the page, and whether a name is worth it.
    void choose_names() {
        std::vector<double> uses(shapes_.size(), 0), as_entry(shapes_.size(), 0);
        std::vector<char> is_long_factor(shapes_.size(), 0);
        for (std::size_t k = 0; k < formulas_.size(); ++k) as_entry[read_[k][formulas_[k]->root].id] += 1;
        for (auto id = static_cast<Id>(shapes_.size()); id-- > 1;) {
            Shapes::Shape& shape = shapes_[id];
            const double saved = uses[id] * (length_[id] + 2 - length_of_name) - length_[id] - length_of_line;
            const bool is_worth_it = uses[id] > 1 && saved >= worth_a_name;
            shape.is_named = may_be_named(id) && uses[id] > 0 && (is_worth_it || is_long_factor[id] != 0);
            const bool is_written_as_entry = !(shape.is_named && is_long_entry(id));
            const double times = (shape.is_named ? 1 : uses[id]) + (is_written_as_entry ? as_entry[id] : 0);
            if (times == 0) continue;
            for (const Id arg : shape.args) uses[arg] += times;
            if (shape.kind == Kind::product) mark_long_factors(shape, is_long_factor);
        }
    }

    void mark_long_factors(const Shapes::Shape& product, std::vector<char>& is_long_factor) const {
        const auto sum_in = [&](Id factor) { return shapes_[factor].kind == Kind::power ? shapes_[factor].args[0] : factor; };
        const auto is_long = [&](Id factor) { return shapes_[sum_in(factor)].kind == Kind::sum && length_[sum_in(factor)] >= long_factor; };
        if (std::ranges::count_if(product.args, is_long) < 2) return;
        for (const Id factor : product.args) {
            if (is_long(factor)) is_long_factor[sum_in(factor)] = 1;
        }
    }

    bool is_name(const Scaled& at) const { return at.id != Shapes::none && shapes_[at.id].is_named; }

    void find_usual_scales() {
        struct Found {
            std::size_t times = 0;
            std::pair<std::size_t, Part> where;
        };
        std::map<Id, std::map<std::string, Found>> found;
        for (std::size_t k = 0; k < formulas_.size(); ++k) {
            for (Part i = 0; i <= formulas_[k]->root; ++i) {
                const Kind kind = (*formulas_[k])[i].kind;
                if (!is_name(read_[k][i]) || kind != shapes_[read_[k][i].id].kind) continue;
                Found& f = found[read_[k][i].id][read_[k][i].times.to_string()];
                if (f.times++ == 0) f.where = {k, i};
            }
        }
        for (const auto& [id, scales] : found) {
            const Found* most = nullptr;
            const auto is_before = [](const Found& a, const Found& b) {
                return a.times != b.times ? a.times > b.times : a.where < b.where;
            };
            for (const auto& [scale, f] : scales) {
                if (most == nullptr || is_before(f, *most)) most = &f;
            }
            usual_.emplace(id, Usual{read_[most->where.first][most->where.second].times, most->where});
        }
    }

    /// A part with a name is the name times a rational; that goes to where rationals stand.
    struct Written {
        Rational times{1};
        Part part = 0;
    };

    /// The formula in names, or the part that is a definition.
    Formula written(const Formula& f, const std::vector<Scaled>& at, std::optional<Part> definition) const {
        const Part root = definition.value_or(f.root);
        const auto is_replaced = [&](Part i) {
            if (!is_name(at[i]) || f[i].kind != shapes_[at[i].id].kind) return false;
            if (at[i].id == at[root].id && (definition || !is_long_entry(at[i].id))) return false;
            return (at[i].times / usual_.at(at[i].id).times).bits() <= largest_ratio;
        };
        std::vector<char> is_needed(f.size(), 0);
        is_needed[root] = 1;
        for (Part i = root + 1; i-- > 0;) {
            if (is_needed[i] == 0 || is_replaced(i)) continue;
            for (const Part arg : f[i].args) is_needed[arg] = 1;
        }
        Formula out;
        std::vector<Written> done(f.size());
        for (Part i = 0; i <= root; ++i) {
            if (is_needed[i] == 0) continue;
            if (is_replaced(i)) {
                done[i] = {at[i].times / usual_.at(at[i].id).times, out.name(name_of(at[i].id))};
            } else {
                done[i] = joined(out, f[i], done);
            }
        }
        out.root = multiplied(out, done[root].part, done[root].times);
        out.keeps_association = f.keeps_association;
        return out;
    }

    Written joined(Formula& out, const Formula::Node& n, const std::vector<Written>& done) const {
        const auto whole = [&](Part arg) { return multiplied(out, done[arg].part, done[arg].times); };
        std::vector<Part> args;
        const auto is_scaled = [&](Part arg) { return !done[arg].times.is_one(); };
        if (n.kind == Kind::product && std::ranges::any_of(n.args, is_scaled)) return scaled_product(out, n, done);
        if (n.kind == Kind::product) {
            for (const Part arg : n.args) args.push_back(done[arg].part);
            put_names_before_sums(out, args);
            return {Rational(1), out.product(std::move(args))};
        }
        if (n.kind == Kind::power && n.number.is_integer() && is_scaled(n.args[0])) {
            return {sym::power(done[n.args[0]].times, *n.number.small_numerator()), out.power(done[n.args[0]].part, n.number)};
        }
        for (const Part arg : n.args) args.push_back(whole(arg));
        if (n.kind == Kind::sum) put_positive_first(out, args);
        return {Rational(1), copied(out, n, std::move(args))};
    }

    /// One number, and one product of what is left.
    static Written scaled_product(Formula& out, const Formula::Node& n, const std::vector<Written>& done) {
        Rational times(1);
        std::vector<Part> factors;
        for (const Part arg : n.args) {
            times *= done[arg].times;
            const Part part = done[arg].part;
            for (const Part factor : out[part].kind == Kind::product ? out[part].args : std::vector<Part>{part}) {
                if (out[factor].kind == Kind::number) {
                    times *= out[factor].number;
                } else {
                    factors.push_back(factor);
                }
            }
        }
        put_names_before_sums(out, factors);
        return {times, out.product(std::move(factors))};
    }

    /// m·z1·(a + b)·sin q
    static void put_names_before_sums(const Formula& f, std::vector<Part>& factors) {
        const auto is_sum = [&](Part p) {
            return f[p].kind == Kind::sum || (f[p].kind == Kind::power && f[f[p].args[0]].kind == Kind::sum);
        };
        const auto is_placeholder = [&](Part p) {
            const Formula::Node& n = f[p].kind == Kind::power ? f[f[p].args[0]] : f[p];
            return n.kind == Kind::name && n.name.front() == placeholder;
        };
        std::stable_partition(std::ranges::find_if(factors, is_sum), factors.end(), is_placeholder);
    }

    Shapes shapes_;
    std::vector<Formula*> formulas_;
    std::vector<std::vector<Scaled>> read_;
    std::vector<double> length_;
    std::map<Id, Usual> usual_;
};

}  // namespace

void name_sums(std::span<Formula* const> formulas, std::vector<StraightLine::Step>& steps, const std::string& prefix) {
    std::vector<Formula*> all(formulas.begin(), formulas.end());
    for (StraightLine::Step& step : steps) all.push_back(&step.value);
    SumNamer namer(all);
    if (!namer.has_names()) return;
    std::vector<StraightLine::Step> found = namer.name();
    std::ranges::move(found, std::back_inserter(steps));
    number(steps, formulas, prefix);
}

}  // namespace linkwright::present
