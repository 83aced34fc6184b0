#include "linkwright/sym/readable.hpp"

#include <algorithm>
#include <unordered_map>

#include "linkwright/sym/arrangement.hpp"
#include "linkwright/sym/stand_ins.hpp"

namespace linkwright::sym {

namespace {

using Clock = std::chrono::steady_clock;

class Reader {
public:
    Reader(Pool& plain, Budget budget) : plain_(plain), budget_(budget), deadline_(Clock::now() + budget.time) {}

    /// The shortest of three: over one denominator, with roots and denominators apart, as it stands.
    Affordable<Formula> read(const Expr& e, std::size_t most_terms) {
        const StandIns letters(e, StandIns::For::roots_and_inverses);
        std::size_t most_for_whole = most_terms;
        std::optional<Formula> apart;
        if (!letters.empty()) {
            if (const auto form = normal_form(letters.lettered(), plain_, {.terms = most_terms, .time = what_is_left()})) {
                most_for_whole = std::min(most_for_whole, 10 * form->numerator.size() + 200);
                apart = with_letters(*form, letters);
            }
        }
        const auto form = normal_form(e, plain_, {.terms = most_for_whole, .time = what_is_left()});
        if (form && form->is_undefined) {
            Formula f;
            f.root = f.undefined();
            return {std::move(f), ""};
        }
        if (!form && !apart) return {std::nullopt, form.why_not};
        Formula best = form ? arrangement(*form, plain_, deadline_) : *apart;
        const bool has_roots = std::ranges::any_of(letters.all(), [](const StandIn& s) { return !s.degree.is_one(); });
        // Of two that are as long the one in which every root is written the same way.
        if (form && apart && (has_roots ? !is_shorter(best, *apart) : is_shorter(*apart, best))) best = std::move(*apart);
        if (auto same = as_it_stands(e, operations(best)); same && is_shorter_throughout(*same, best)) best = std::move(*same);
        return {std::move(best), ""};
    }

private:
    static constexpr std::size_t many = 500;  // terms of a part

    std::chrono::milliseconds what_is_left() const {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
        return std::max(left, std::chrono::milliseconds(0));
    }

    /// For what has not been collected it is not enough to save an operation or a letter.
    static bool is_shorter_throughout(const Formula& a, const Formula& b) {
        return operations(a) <= operations(b) && 20 * write(a).size() < 19 * write(b).size();
    }

    std::optional<Formula> with_letters(NormalForm form, StandIns letters) {
        std::vector<Formula> bases;
        Weights weights;
        const auto read_bases = [&] {
            for (const StandIn& s : letters.all().subspan(bases.size())) {
                const Formula& base = bases.emplace_back(part(s.base));
                if (base[base.root].kind == Formula::Kind::number) return false;  // 1/0, or a number in disguise
                if (s.base.is_symbol()) continue;
                const double size = operations(base) + (s.degree.is_one() ? 0 : 1);
                weights.emplace(s.letter.id(), size);
                weights.emplace(s.inverse.id(), size);
            }
            return true;
        };
        const auto arranged = [&] { return letters.opened(arrangement(form, plain_, deadline_, weights), bases); };
        if (!read_bases()) return std::nullopt;
        form.numerator = letters.reduced(form.numerator);
        Formula best = arranged();
        if (auto stretched = letters.with_stretches(form.numerator); stretched && read_bases()) {
            form.numerator = std::move(*stretched);
            if (Formula other = arranged(); is_shorter(other, best)) best = std::move(other);
        }
        return best;
    }

    /// A part of the whole, below a root or in parentheses: never refused.
    const Formula& part(const Expr& e) {
        if (const auto known = parts_.find(e.id()); known != parts_.end()) return known->second;
        const bool is_leaf = e.arity() == 0 || Clock::now() > deadline_;
        auto formula = is_leaf ? Affordable<Formula>{} : read(e, std::min(budget_.terms, many));
        return parts_.emplace(e.id(), formula ? std::move(*formula.value) : faithful(e)).first->second;
    }

    /// With nothing in parentheses multiplied out. Nothing when it would be longer than `known` operations by far.
    std::optional<Formula> as_it_stands(const Expr& e, double known) {
        constexpr double large = 300;
        if (!has_sums(e) || Clock::now() > deadline_ || operations(faithful(e)) > std::min(large, 2 * known + 10)) return std::nullopt;
        const StandIns letters(e, StandIns::For::all_sums);
        if (letters.empty()) return std::nullopt;
        const auto form = normal_form(letters.lettered(), plain_, {.terms = many, .time = what_is_left()});
        return form ? with_letters(*form, letters) : std::nullopt;
    }

    Pool& plain_;
    Budget budget_;
    Deadline deadline_;
    std::unordered_map<NodeId, Formula> parts_;
};

}  // namespace

Affordable<Formula> readable(const Expr& e, Budget budget) {
    Pool plain({.fold = false, .seed = e.pool().options().seed});
    Reader reader(plain, budget);
    return reader.read(transplant(std::span(&e, 1), plain).front(), budget.terms);
}

Expr to_expr(const Formula& f, Pool& pool) {
    std::vector<Expr> value;
    for (Formula::Part i = 0; i < f.size(); ++i) {
        const Formula::Node& n = f[i];
        const auto arg = [&](std::size_t k) { return value[n.args[k]]; };
        Expr e(pool, Pool::undefined_id);
        switch (n.kind) {
            case Formula::Kind::undefined: break;
            case Formula::Kind::number: e = Expr(pool, pool.make_number(n.number)); break;
            case Formula::Kind::pi: e = Expr(pool, Pool::pi_id); break;
            case Formula::Kind::name:
                if (const auto known = pool.find_symbol(n.name)) e = *known;
                break;
            case Formula::Kind::sum:
                e = arg(0);
                for (std::size_t k = 1; k < n.args.size(); ++k) e += arg(k);
                break;
            case Formula::Kind::product:
                e = arg(0);
                for (std::size_t k = 1; k < n.args.size(); ++k) e *= arg(k);
                break;
            case Formula::Kind::power: e = pow(arg(0), n.number); break;
            case Formula::Kind::call:
                if (n.function == Op::select) {
                    e = select(arg(0), arg(1), arg(2));
                } else if (n.args.size() == 2) {
                    e = Expr(pool, pool.binary(n.function, arg(0).id(), arg(1).id()));
                } else {
                    e = Expr(pool, pool.unary(n.function, arg(0).id()));
                }
                break;
        }
        value.push_back(e);
    }
    return f.size() == 0 ? Expr(pool, Pool::undefined_id) : value[f.root];
}

}  // namespace linkwright::sym
