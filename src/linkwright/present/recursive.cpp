#include "linkwright/present/recursive.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "linkwright/present/formula_parts.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::present {

using sym::Expr, sym::Formula, sym::Op, sym::Rational, sym::Role;
using Part = Formula::Part;

std::string free_prefix(const sym::Pool& pool) {
    std::string prefix;
    bool is_taken = true;
    while (is_taken) {
        prefix += 'z';
        is_taken = std::ranges::any_of(pool.symbols(), [&](const sym::SymbolInfo& s) {
            const bool is_longer = s.name.starts_with(prefix) && s.name.size() > prefix.size();
            return is_longer && s.name.find_first_not_of("_0123456789", prefix.size()) == std::string::npos;
        });
    }
    return prefix;
}

namespace {

class Straightener {
public:
    explicit Straightener(std::span<const Expr> roots, std::size_t first, bool short_sines)
        : pool_(roots.front().pool()),
          first_(first),
          short_sines_(short_sines),
          sweep_(sym::sweep(roots)),
          prefix_(free_prefix(pool_)),
          name_(sweep_.steps.size(), 0) {
        Uses uses(name_.size(), {0, 0});
        for (Position i = 0; i < name_.size(); ++i) {
            for (const Position a : args(i)) ++uses[a].in_lines;
        }
        for (const Position root : sweep_.roots) ++uses[root].as_root;
        choose_names(uses);
        // Writing a line gathers and cancels; what is then used once needs no name, which may gather more.
        for (int round = 0; round < 3; ++round) choose_names(uses_in_lines());
        drop_unused(uses_in_lines());
    }

    StraightLine write() {
        StraightLine out;
        for (Position i = 0; i < name_.size(); ++i) {
            if (name_[i] != 0) out.steps.push_back({name(i), formula(i)});
        }
        for (const Position root : sweep_.roots) out.values.push_back(name_[root] != 0 ? reference(root) : formula(root));
        return out;
    }

private:
    using Position = std::uint32_t;
    static constexpr std::size_t longest_line = 40;  // symbols, numbers and names

    Expr at(Position i) const { return {pool_, sweep_.steps[i].id}; }
    Op op(Position i) const { return pool_.op(sweep_.steps[i].id); }
    Position arg(Position i, std::size_t k) const { return sweep_.steps[i].args[k]; }
    std::span<const Position> args(Position i) const { return {sweep_.steps[i].args.data(), sweep_.steps[i].arity}; }
    std::string name(Position i) const { return prefix_ + std::to_string(name_[i] - 1 + first_); }

    bool is_symbol_power(Position i) const {
        return op(i) == Op::symbol || (op(i) == Op::pow && op(arg(i, 0)) == Op::symbol && at(i).exponent().is_integer());
    }
    bool is_sine(Position i) const { return (op(i) == Op::sin || op(i) == Op::cos) && op(arg(i, 0)) == Op::symbol; }
    bool is_letter(Position i) const { return is_symbol_power(i) || (short_sines_ && is_sine(i)); }
    bool is_short(Position i) const {
        if (op(i) < Op::add || name_[i] != 0 || is_symbol_power(i) || is_sine(i)) return true;
        return op(i) == Op::mul && is_letter(arg(i, 0)) && is_letter(arg(i, 1));
    }
    bool is_shorter_than_a_name(Position i) const {
        if (is_short(i)) return true;
        return op(i) == Op::mul &&
               ((op(arg(i, 0)) == Op::number && is_short(arg(i, 1))) || (op(arg(i, 1)) == Op::number && is_short(arg(i, 0))));
    }

    struct Use {
        std::uint32_t in_lines, as_root;
    };
    using Uses = std::vector<Use>;

    void choose_names(const Uses& uses) {
        std::ranges::fill(name_, 0);
        std::vector<std::size_t> length(name_.size(), 1);
        for (Position i = 0; i < name_.size(); ++i) {
            std::size_t sum = 0;
            for (const Position a : args(i)) sum += name_[a] != 0 ? 1 : length[a];
            length[i] = std::max<std::size_t>(sum, 1);
            if (is_shorter_than_a_name(i)) continue;
            const auto [in_lines, as_root] = uses[i];
            if (in_lines + as_root > 1 || (in_lines > 0 && length[i] > longest_line)) name_[i] = 1;
        }
        number_names();
    }
    /// How often each named node stands in a line that is needed; last lines first.
    Uses uses_in_lines() const {
        Uses uses(name_.size(), {0, 0});
        for (const Position root : sweep_.roots) ++uses[root].as_root;
        std::vector<Position> open;
        for (auto top = static_cast<Position>(name_.size()); top-- > 0;) {
            if (uses[top].as_root == 0 && (name_[top] == 0 || uses[top].in_lines == 0)) continue;
            open.assign(1, top);
            while (!open.empty()) {
                const Position i = open.back();
                open.pop_back();
                for (const Operand& x : operands(i)) {
                    ++uses[x.position].in_lines;
                    if (name_[x.position] == 0) open.push_back(x.position);
                }
            }
        }
        return uses;
    }
    void drop_unused(const Uses& uses) {
        for (Position i = 0; i < name_.size(); ++i) {
            if (uses[i].in_lines + uses[i].as_root == 0) name_[i] = 0;
        }
        number_names();
    }
    void number_names() {
        std::uint32_t count = 0;
        for (std::uint32_t& n : name_) n = n == 0 ? 0 : ++count;
    }

    Formula reference(Position i) const {
        Formula f;
        f.root = f.name(name(i));
        return f;
    }

    struct Operand {
        Position position;
        Rational times{1};  // the exponent of a factor, the coefficient of a term
    };
    /// The terms of a sum or the factors of a product, through sums and products that have no name; otherwise the arguments.
    std::vector<Operand> operands(Position i) const {
        std::vector<Operand> found;
        if (op(i) == Op::pow) return {{arg(i, 0), at(i).exponent()}};
        if (op(i) != Op::add && op(i) != Op::mul) {
            for (const Position a : args(i)) found.push_back({a});
            return found;
        }
        const auto is_open = [&](Position p, Op what) { return op(p) == what && name_[p] == 0; };
        std::vector<Operand> open{{i}};
        while (!open.empty()) {
            const auto [p, times] = std::move(open.back());
            open.pop_back();
            if (is_open(p, op(i)) || p == i) {
                for (const Position a : args(p)) open.push_back({a, times});
            } else if (op(i) == Op::mul && is_open(p, Op::pow)) {
                found.push_back({arg(p, 0), at(p).exponent()});
            } else if (op(i) == Op::add && is_open(p, Op::mul) && at(arg(p, 0)).is_literally(-1)) {
                open.push_back({arg(p, 1), -times});
            } else if (op(i) == Op::add && is_open(p, Op::mul) && (op(arg(p, 0)) == Op::number || op(arg(p, 1)) == Op::number)) {
                const std::size_t number = op(arg(p, 0)) == Op::number ? 0 : 1;  // 2·x + 3·x is 5·x
                found.push_back({arg(p, 1 - number), times * at(arg(p, number)).number()});
            } else {
                found.push_back({p, times});
            }
        }
        // a + a and l·l are one operand, m·l²·u·sin(q)·(…) is the order in which books write factors.
        const bool is_product = op(i) == Op::mul;
        std::ranges::sort(found, {}, [&](const Operand& x) { return std::pair(is_product ? rank(x.position) : 0, x.position); });
        std::vector<Operand> gathered;
        for (Operand& x : found) {
            if (!gathered.empty() && gathered.back().position == x.position)
                gathered.back().times += x.times;
            else
                gathered.push_back(std::move(x));
        }
        std::erase_if(gathered, [](const Operand& x) { return x.times.is_zero(); });
        return gathered;
    }
    int rank(Position p) const {
        if (name_[p] != 0) return 2;
        if (op(p) == Op::symbol) return at(p).symbol().role == Role::parameter ? 1 : 2;
        return op(p) < Op::add ? 0 : op(p) == Op::add || op(p) == Op::mul ? 4 : 3;
    }

    /// The node spelled out down to symbols and names, by a stack of its own.
    Formula formula(Position top) const {
        struct Frame {
            Position position;
            bool is_open;
            std::vector<Operand> operands;
        };
        Formula f;
        std::vector<Frame> open{{top, false, {}}};
        std::vector<Part> done;
        while (!open.empty()) {
            const Frame frame = std::move(open.back());
            const Position i = frame.position;
            open.pop_back();
            if (i != top && name_[i] != 0) {
                done.push_back(f.name(name(i)));
            } else if (op(i) < Op::add) {
                done.push_back(leaf(f, i));
            } else if (!frame.is_open) {
                std::vector<Operand> below = operands(i);
                std::vector<Position> positions;
                for (const Operand& x : below) positions.push_back(x.position);
                open.push_back({i, true, std::move(below)});
                for (auto p = positions.rbegin(); p != positions.rend(); ++p) open.push_back({*p, false, {}});
            } else {
                const std::size_t rest = done.size() - frame.operands.size();
                std::vector<Part> given(done.begin() + static_cast<std::ptrdiff_t>(rest), done.end());
                done.resize(rest);
                done.push_back(join(f, i, frame.operands, std::move(given)));
            }
        }
        f.root = done.front();
        return f;
    }
    Part leaf(Formula& f, Position i) const {
        switch (op(i)) {
            case Op::number: return f.number(at(i).number());
            case Op::pi: return f.pi();
            case Op::symbol: return f.name(at(i).symbol().name);
            default: return f.undefined();
        }
    }
    Part join(Formula& f, Position i, const std::vector<Operand>& operands, std::vector<Part> given) const {
        if (op(i) == Op::add) {
            for (std::size_t k = 0; k < given.size(); ++k) given[k] = multiplied(f, given[k], operands[k].times);
            put_positive_first(f, given);
            return f.sum(std::move(given));
        }
        if (op(i) != Op::mul && op(i) != Op::pow) return f.call(op(i), std::move(given));
        Rational coefficient(1);
        std::vector<Part> factors;
        for (std::size_t k = 0; k < given.size(); ++k) {
            const bool is_coefficient = f[given[k]].kind == Formula::Kind::number && operands[k].times.is_one();
            if (is_coefficient)
                coefficient *= f[given[k]].number;
            else
                factors.push_back(f.power(given[k], operands[k].times));
        }
        return multiplied(f, f.product(std::move(factors)), coefficient);
    }

    sym::Pool& pool_;
    std::size_t first_;
    bool short_sines_;
    sym::Sweep sweep_;
    std::string prefix_;
    std::vector<std::uint32_t> name_;  // 0: none
};

}  // namespace

StraightLine straight_line(std::span<const Expr> roots, std::size_t first, bool short_sines) {
    return roots.empty() ? StraightLine{} : Straightener(roots, first, short_sines).write();
}

}  // namespace linkwright::present
