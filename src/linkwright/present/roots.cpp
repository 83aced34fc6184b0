#include "linkwright/present/roots.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace linkwright::present {

using sym::Formula, sym::Rational;
using Part = Formula::Part;

namespace {

constexpr double worth_a_name = 40;  // characters that are saved
constexpr char placeholder = '\x03';

bool is_root(const Formula::Node& n) { return n.kind == Formula::Kind::power && !n.number.is_integer(); }

/// The part alone, as a formula.
Formula taken(const Formula& f, Part root) {
    Formula out = f;
    out.root = root;
    return out;
}

/// f with some parts replaced; `make` gives the new part, or nothing to keep the old one. What is below a replaced part goes.
template <class Make>
Formula rebuilt(const Formula& f, Make make) {
    Formula out;
    std::vector<char> is_needed(f.size(), 0), is_replaced(f.size(), 0);
    is_needed[f.root] = 1;
    for (Part i = f.root + 1; i-- > 0;) {
        if (is_needed[i] == 0) continue;
        is_replaced[i] = make(out, i, false) ? 1 : 0;
        if (is_replaced[i] != 0) continue;
        for (const Part arg : f[i].args) is_needed[arg] = 1;
    }
    std::vector<Part> at(f.size(), 0);
    for (Part i = 0; i <= f.root; ++i) {
        if (is_needed[i] == 0) continue;
        if (is_replaced[i] != 0) {
            at[i] = *make(out, i, true);
            continue;
        }
        const Formula::Node& n = f[i];
        std::vector<Part> args;
        for (const Part arg : n.args) args.push_back(at[arg]);
        switch (n.kind) {
            case Formula::Kind::undefined: at[i] = out.undefined(); break;
            case Formula::Kind::number: at[i] = out.number(n.number); break;
            case Formula::Kind::pi: at[i] = out.pi(); break;
            case Formula::Kind::name: at[i] = out.name(n.name); break;
            case Formula::Kind::sum: at[i] = out.sum(std::move(args)); break;
            case Formula::Kind::product: at[i] = out.product(std::move(args)); break;
            case Formula::Kind::power: at[i] = out.power(args[0], n.number); break;
            case Formula::Kind::call: at[i] = out.call(n.function, std::move(args)); break;
        }
    }
    out.root = at[f.root];
    out.keeps_association = f.keeps_association;
    return out;
}

class RootNamer {
public:
    explicit RootNamer(std::span<Formula* const> formulas) : formulas_(formulas.begin(), formulas.end()) {}

    std::vector<StraightLine::Step> name(const std::string& prefix) {
        // What a named root is made of may hold further ones, which are then defined before it.
        std::vector<std::vector<StraightLine::Step>> rounds;
        constexpr std::size_t deepest = 8;
        while (rounds.size() < deepest) {
            std::vector<StraightLine::Step> found = round();
            if (found.empty()) break;
            rounds.push_back(std::move(found));
            for (StraightLine::Step& step : rounds.back()) formulas_.push_back(&step.value);
        }
        std::vector<StraightLine::Step> steps;
        std::unordered_map<std::string, std::string> names;
        for (auto found = rounds.rbegin(); found != rounds.rend(); ++found) {
            for (StraightLine::Step& step : *found) names.emplace(step.name, prefix + std::to_string(names.size() + 1));
        }
        if (names.empty()) return steps;
        for (Formula* f : formulas_) {
            *f = rebuilt(*f, [&](Formula& out, Part i, bool is_wanted) -> std::optional<Part> {
                const auto known = (*f)[i].kind == Formula::Kind::name ? names.find((*f)[i].name) : names.end();
                if (known == names.end()) return std::nullopt;
                return is_wanted ? out.name(known->second) : Part{0};
            });
        }
        for (auto found = rounds.rbegin(); found != rounds.rend(); ++found) {
            for (StraightLine::Step& step : *found) steps.push_back({names.at(step.name), std::move(step.value)});
        }
        return steps;
    }

private:
    using Key = std::pair<std::string, std::string>;  // base and degree, written
    struct Met {
        double times = 0;
        Formula root;
        std::string name{};
    };

    /// The roots below one formula, each with its key.
    static std::unordered_map<Part, Key> roots_of(const Formula& f) {
        std::unordered_map<Part, Key> keys;
        for (Part i = 0; i < f.size() && i <= f.root; ++i) {
            constexpr std::size_t longest = 4000;
            if (!is_root(f[i]) || f[f[i].args[0]].kind == Formula::Kind::number) continue;
            keys.emplace(i, Key{sym::write(taken(f, f[i].args[0]), {.longest = longest}), f[i].number.denominator().to_string()});
        }
        return keys;
    }

    std::vector<StraightLine::Step> round() {
        std::map<Key, Met> met;
        std::vector<std::unordered_map<Part, Key>> keys;
        for (const Formula* f : formulas_) {
            keys.push_back(roots_of(*f));
            if (keys.back().empty()) continue;
            std::vector<double> times(f->size(), 0);
            times[f->root] = 1;
            for (Part i = f->root + 1; i-- > 0;) {
                for (const Part arg : (*f)[i].args) times[arg] += times[i];
            }
            for (const auto& [part, key] : keys.back()) met[key].times += times[part];
        }
        const auto is_worth = [&](const Key& key) {
            return (met.at(key).times - 1) * static_cast<double>(key.first.size()) >= worth_a_name;
        };
        std::vector<StraightLine::Step> found;
        for (std::size_t k = 0; k < keys.size(); ++k) {
            Formula& f = *formulas_[k];
            const bool is_definition = k >= formulas_.size() - definitions_ && is_root(f[f.root]);
            if (std::ranges::none_of(keys[k], [&](const auto& entry) { return is_worth(entry.second); })) continue;
            f = rebuilt(f, [&](Formula& out, Part i, bool is_wanted) -> std::optional<Part> {
                const auto known = keys[k].find(i);
                if (known == keys[k].end() || !is_worth(known->second) || (is_definition && i == f.root)) return std::nullopt;
                if (!is_wanted) return Part{0};
                Met& m = met.at(known->second);
                const Rational degree = f[i].number.denominator();
                if (m.name.empty()) {
                    m.name = placeholder + std::to_string(count_++);
                    Formula root = taken(f, f[i].args[0]);
                    root.root = root.power(root.root, Rational(1) / degree);
                    found.push_back({m.name, std::move(root)});
                }
                return out.power(out.name(m.name), f[i].number * degree);
            });
        }
        definitions_ += found.size();
        return found;
    }

    std::vector<Formula*> formulas_;
    std::size_t count_ = 0, definitions_ = 0;
};

}  // namespace

std::vector<StraightLine::Step> name_roots(std::span<Formula* const> formulas, const std::string& prefix) {
    return RootNamer(formulas).name(prefix);
}

}  // namespace linkwright::present
