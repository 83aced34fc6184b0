#include "linkwright/compare/compare_damage.hpp"

#include <algorithm>
#include <deque>

#include "linkwright/compare/compare_equation.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::compare {

using sym::Residue;

namespace {

/// A reading of a damaged statement: what it adds to the entry.
struct Option {
    Residue adds;
    double cost;
    std::vector<Repair> told;
};

struct Damaged {
    std::size_t statement;
    std::vector<Option> options;
    std::vector<Mend> cheapest;
};

constexpr std::size_t few = 12;  // readings that are tried with one repair more
constexpr double most_sums = 40'000'000;

struct Picked {
    std::vector<std::size_t> option;
    double cost = 0;
};

/// Residues to the options that have them; probing beats a node of memory for each.
class Table {
public:
    explicit Table(const std::vector<Option>& options) : options_(options) {
        std::size_t size = 16;
        while (size < 2 * options.size()) size *= 2;
        slots_.assign(size, 0);
        for (std::uint32_t k = 0; k < options.size(); ++k) {
            std::size_t at = options[k].adds.r1 & (size - 1);
            while (slots_[at] != 0) at = (at + 1) & (size - 1);
            slots_[at] = k + 1;
        }
    }
    /// The cheapest option with this residue, or none.
    std::optional<std::size_t> find(Residue r) const {
        std::optional<std::size_t> best;
        for (std::size_t at = r.r1 & (slots_.size() - 1); slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
            const std::size_t k = slots_[at] - 1;
            if (options_[k].adds == r && (!best || options_[k].cost < options_[*best].cost)) best = k;
        }
        return best;
    }

private:
    const std::vector<Option>& options_;
    std::vector<std::uint32_t> slots_;
};

/// One option of each list, the sum of them `need`, as cheap as can be: for a price that rises until there is something to buy.
class Picker {
public:
    Picker(std::vector<Damaged>& damaged, Residue need) : damaged_(damaged) {
        if (std::ranges::any_of(damaged, [](const Damaged& d) { return d.options.empty(); })) return;
        for (Damaged& d : damaged) std::ranges::stable_sort(d.options, {}, &Option::cost);
        std::size_t longest = 0;
        double cheapest = 0, dearest = 0;
        for (std::size_t i = 0; i < damaged.size(); ++i) {
            if (damaged[i].options.size() > damaged[longest].options.size()) longest = i;
            cheapest += damaged[i].options.front().cost;
            dearest += damaged[i].options.back().cost;
        }
        for (std::size_t i = 0; i < damaged.size(); ++i) {
            if (i != longest) order_.push_back(i);
        }
        order_.push_back(longest);
        const Table table(damaged[longest].options);
        table_ = &table;
        at_.resize(damaged.size());
        for (double price = cheapest + 0.01; !best && sums_ < most_sums; price += 0.5) {
            walk(0, need, price, 0);
            if (price > dearest) break;
        }
    }
    std::optional<Picked> best;

private:
    void walk(std::size_t depth, Residue need, double left, double cost) {
        const std::size_t list = order_[depth];
        if (depth + 1 == order_.size()) {
            ++sums_;
            const auto k = table_->find(need);
            if (!k || damaged_[list].options[*k].cost > left) return;
            cost += damaged_[list].options[*k].cost;
            if (best && best->cost <= cost) return;
            at_[list] = *k;
            best = Picked{at_, cost};
            return;
        }
        double others = 0;
        for (std::size_t d = depth + 1; d < order_.size(); ++d) others += damaged_[order_[d]].options.front().cost;
        const auto& options = damaged_[list].options;
        for (std::size_t k = 0; k < options.size() && options[k].cost + others <= left && sums_ < most_sums; ++k) {
            at_[list] = k;
            walk(depth + 1, need - options[k].adds, left - options[k].cost, cost + options[k].cost);
        }
    }

    const std::vector<Damaged>& damaged_;
    std::vector<std::size_t> order_, at_;
    const Table* table_ = nullptr;
    double sums_ = 0;
};

}  // namespace

bool uses_previous(const Binder& binder, std::size_t statement) {
    const Bound& b = binder.statements()[statement];
    if (b.previous < 0) return false;
    if (!b.is_damaged) return std::ranges::find(b.definition, b.previous) != b.definition.end();
    // damaged: the right side begins as the left side reads
    const auto& t = b.text->tokens;
    const std::size_t n = b.text->equals;
    if (2 * n + 1 >= t.size()) return false;
    for (std::size_t i = 0; i < n; ++i) {
        if (folded(t[i].text, binder.language()) != folded(t[n + 1 + i].text, binder.language())) return false;
    }
    return true;
}

std::vector<std::size_t> chain_of(const Binder& binder, std::size_t last) {
    std::vector<std::size_t> chain{last};
    while (uses_previous(binder, chain.back())) chain.push_back(binder.statements()[chain.back()].previous);
    std::ranges::reverse(chain);
    return chain;
}

bool is_chain_damaged(const Binder& binder, std::size_t last) {
    return std::ranges::any_of(chain_of(binder, last), [&](std::size_t i) { return binder.statements()[i].is_damaged; });
}

bool judge_damaged(Binder& binder, Repairer& repairer, std::size_t last, std::chrono::milliseconds patience, ComparedEntry& entry) {
    sym::Pool& desk = binder.ours().desk;
    const Expr zero(desk, sym::Pool::zero_id);
    const Expr& target = *binder.statements()[last].need;
    entry.outcome = Outcome::unreadable;
    Residue need = target.node().residue;
    std::vector<Damaged> damaged;
    const std::vector<std::size_t> chain = chain_of(binder, last);
    for (const std::size_t i : chain) {
        const Bound& b = binder.statements()[i];
        if (!b.is_damaged) {
            const auto reading = binder.read_again(b.tree, b.root, i, zero);
            if (!reading) return false;
            need = need - reading->parts[b.root].node().residue;
            continue;
        }
        Damaged d{i, {}, {}};
        for_each_mend(*b.text, binder.language(), binder.atoms(), 2 * patience, [&](Mend&& m) {
            const auto reading = binder.read_again(m.tree, m.root, i, zero);
            if (!reading || (reading->parts[m.root].node().flags & sym::Node::no_residue) != 0) return;
            d.options.push_back({reading->parts[m.root].node().residue, m.cost, m.told});
            const auto at = std::ranges::upper_bound(d.cheapest, m.cost, {}, &Mend::cost);
            if (d.cheapest.size() < few || at != d.cheapest.end()) {
                d.cheapest.insert(at, std::move(m));
                if (d.cheapest.size() > few) d.cheapest.pop_back();
            }
        });
        damaged.push_back(std::move(d));
    }
    if (const auto best = Picker(damaged, need).best) {
        entry.outcome = Outcome::mended;
        std::vector<Repair> all;
        for (std::size_t i = 0; i < damaged.size(); ++i) {
            const auto& told = damaged[i].options[best->option[i]].told;
            all.insert(all.end(), told.begin(), told.end());
        }
        entry.repairs = {std::move(all)};
        return true;
    }

    // mended as cheaply as can be, and one repair more
    if (std::ranges::any_of(damaged, [](const Damaged& d) { return d.cheapest.empty(); })) return false;
    std::deque<Statement> texts;
    double best_cost = 0;
    bool is_text = true;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (std::size_t round = 0; round < few * damaged.size(); ++round) {
        // each statement in turn takes its other readings; the rest keep their cheapest
        const std::size_t which = round / few, option = round % few;
        if (std::chrono::steady_clock::now() > deadline) break;
        if (option >= damaged[which].cheapest.size() || (which > 0 && option == 0)) continue;
        std::vector<Bound> statements = binder.statements();
        std::vector<Repair> told;
        Expr so_far = zero;
        bool is_read = true;
        for (const std::size_t i : chain) {
            Bound& b = statements[i];
            const auto at = std::ranges::find(damaged, i, &Damaged::statement);
            if (at != damaged.end()) {
                const Mend& m = at->cheapest[static_cast<std::size_t>(at - damaged.begin()) == which ? option : 0];
                texts.push_back(*b.text);
                texts.back().tokens = m.tokens;
                b.text = &texts.back();
                b.tree = m.tree, b.root = m.root, b.is_damaged = false;
                told.insert(told.end(), m.told.begin(), m.told.end());
            }
            const auto reading = binder.read_again(b.tree, b.root, i, so_far);
            if (!reading) {
                is_read = false;
                break;
            }
            b.parts = reading->parts, b.definition = reading->definition;
            so_far = b.parts[b.root];
        }
        if (!is_read) continue;
        for (const Repairer::Choice& choice : repairer.repair(statements, last, target, patience / 8)) {
            std::vector<Repair> all = told;
            all.insert(all.end(), choice.begin(), choice.end());
            double cost = 0;
            for (const Repair& r : all) cost += r.cost;
            if (!entry.repairs.empty() && cost >= best_cost) continue;
            entry.repairs = {std::move(all)}, best_cost = cost;
            is_text =
                std::ranges::all_of(choice, [](const Repair& r) { return r.kind == RepairKind::bracket || r.kind == RepairKind::text; });
        }
    }
    if (entry.repairs.empty()) {
        entry.outcome = Outcome::different;
        entry.expected = readable_text(target, 400);
        entry.note = "the line does not parse; with the smallest repair it is still different";
        return false;
    }
    // brackets and lost signs are the printer's; another name, number or term is the formula's
    entry.outcome = is_text ? Outcome::mended : Outcome::different;
    if (is_text) return true;
    entry.note = "the line is also damaged: it was repaired before it was compared";
    entry.expected = readable_text(target, 400);
    return true;
}

}  // namespace linkwright::compare
