#include "linkwright/present/roots.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>

#include "linkwright/present/formula_parts.hpp"
#include "linkwright/present/intermediates.hpp"

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

class RootNamer {
public:
    explicit RootNamer(std::span<Formula* const> formulas) : formulas_(formulas.begin(), formulas.end()) {}

    std::vector<StraightLine::Step> name(const std::string& prefix) {
        // What a named root is made of may hold further ones.
        constexpr int deepest = 8;
        for (int round = 0; round < deepest && name_some(); ++round) continue;
        std::vector<StraightLine::Step> steps;
        for (std::size_t i = 0; i < definitions_.size(); ++i) steps.push_back({placeholder_of(i), std::move(definitions_[i])});
        number(steps, formulas_, prefix);
        return steps;
    }

private:
    using Key = std::pair<std::string, std::string>;  // base and degree, written
    static std::string placeholder_of(std::size_t definition) { return placeholder + std::to_string(definition); }

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

    /// Names what is worth it by now, outermost roots first; false when nothing is.
    bool name_some() {
        std::vector<Formula*> all = formulas_;
        for (Formula& f : definitions_) all.push_back(&f);
        std::map<Key, double> times;
        std::vector<std::unordered_map<Part, Key>> keys;
        for (const Formula* f : all) {
            keys.push_back(roots_of(*f));
            if (keys.back().empty()) continue;
            std::vector<double> uses(f->size(), 0);
            uses[f->root] = 1;
            for (Part i = f->root + 1; i-- > 0;) {
                for (const Part arg : (*f)[i].args) uses[arg] += uses[i];
            }
            for (const auto& [part, key] : keys.back()) times[key] += uses[part];
        }
        const auto is_worth = [&](const Key& key) {
            return definition_of_.contains(key) || (times.at(key) - 1) * static_cast<double>(key.first.size()) >= worth_a_name;
        };
        bool has_changed = false;
        std::vector<Formula> found;
        for (std::size_t k = 0; k < all.size(); ++k) {
            Formula& f = *all[k];
            const bool is_definition = k >= formulas_.size();
            const auto is_chosen = [&](const auto& entry) { return is_worth(entry.second) && !(is_definition && entry.first == f.root); };
            if (std::ranges::none_of(keys[k], is_chosen)) continue;
            has_changed = true;
            f = rebuilt(f, [&](Formula& out, Part i, bool is_wanted) -> std::optional<Part> {
                const auto known = keys[k].find(i);
                if (known == keys[k].end() || !is_chosen(*known)) return std::nullopt;
                if (!is_wanted) return Part{0};
                const Rational degree = f[i].number.denominator();
                const auto [at, is_new] = definition_of_.try_emplace(known->second, definitions_.size() + found.size());
                if (is_new) {
                    Formula& root = found.emplace_back(taken(f, f[i].args[0]));
                    root.root = root.power(root.root, Rational(1) / degree);
                }
                return out.power(out.name(placeholder_of(at->second)), f[i].number * degree);
            });
        }
        std::ranges::move(found, std::back_inserter(definitions_));
        return has_changed;
    }

    std::vector<Formula*> formulas_;
    std::vector<Formula> definitions_;
    std::map<Key, std::size_t> definition_of_;
};

}  // namespace

std::vector<StraightLine::Step> name_roots(std::span<Formula* const> formulas, const std::string& prefix) {
    return RootNamer(formulas).name(prefix);
}

}  // namespace linkwright::present
