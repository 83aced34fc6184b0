#include "linkwright/program/lower.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/program/factor.hpp"

namespace linkwright::program {
namespace {

using sym::Expr;
using sym::Rational;
constexpr Index none = ~Index{0};

/// Lines under construction: each value once, found again by what it is. Values are numbered as they come and sorted
/// into inputs, constants and lines at the end.
class Draft {
public:
    Draft(std::size_t inputs, std::vector<sym::NodeId>* origins) : inputs_(inputs), values_(inputs), origins_(origins) {
        if (origins_ != nullptr) origins_->assign(inputs, 0);
    }

    /// Lines from now on are written for this node.
    void begin(sym::NodeId node) { node_ = node; }

    /// Room for so many values more, so that they need not move as they come.
    void expect(std::size_t count) {
        values_.reserve(values_.size() + count);
        if (const std::size_t room = std::bit_ceil(used_ + count + count / 2); room > slots_.size()) rehash(room);
    }

    Index constant(double x) {
        const auto bits = std::bit_cast<std::uint64_t>(std::isnan(x) ? std::nan("") : x == 0 ? 0.0 : x);
        return intern({.kind = Kind::constant, .args = {static_cast<Index>(bits >> 32), static_cast<Index>(bits), 0}});
    }

    Index make(Op op, Index a, Index b = 0, Index c = 0) {
        const std::size_t n = arity(op);
        if (is_constant(a) && (n < 2 || is_constant(b)) && (n < 3 || is_constant(c))) {
            return constant(calc<double>(op, number(a), n < 2 ? 0 : number(b), n < 3 ? 0 : number(c)));
        }
        if (op == Op::select && is_constant(a)) return number(a) > 0 ? b : c;
        return intern({.op = op, .kind = Kind::line, .args = {a, b, c}});
    }

    Index neg(Index a) {
        if (is_line(a, Op::neg)) return arg(a, 0);
        if (has_twin(a)) return values_[a].twin;
        if (is_line(a, Op::sub)) {  // remembered: where it would be subtracted, a − b is added
            const Index flipped = sub(arg(a, 1), arg(a, 0));
            if (flipped != a && is_line(flipped, Op::sub)) values_[flipped].twin = a;
            return flipped;
        }
        return make(Op::neg, a);
    }
    Index add(Index a, Index b) {
        if (is_number(a, 0)) return b;
        if (is_number(b, 0)) return a;
        if (has_twin(b)) return sub(a, values_[b].twin);
        if (has_twin(a)) return sub(b, values_[a].twin);
        if (is_line(b, Op::neg)) return sub(a, arg(b, 0));
        if (is_line(a, Op::neg)) return sub(b, arg(a, 0));
        return make(Op::add, std::min(a, b), std::max(a, b));
    }
    Index sub(Index a, Index b) {
        if (a == b && !is_constant(a)) return constant(0);
        if (is_number(b, 0)) return a;
        if (is_number(a, 0)) return neg(b);
        if (is_line(b, Op::neg)) return add(a, arg(b, 0));
        if (has_twin(b)) return add(a, values_[b].twin);
        return make(Op::sub, a, b);
    }
    Index mul(Index a, Index b) {
        if (is_constant(a) && is_constant(b)) return make(Op::mul, a, b);
        if (is_constant(b)) std::swap(a, b);
        if (is_number(a, 0)) return a;
        if (is_number(a, 1)) return b;
        if (is_number(a, -1)) return neg(b);
        if (is_constant(a) && has_twin(b)) return mul(constant(-number(a)), values_[b].twin);
        if (is_constant(a) && is_line(b, Op::neg)) return make(Op::mul, constant(-number(a)), arg(b, 0));
        if (is_constant(a) && is_line(b, Op::mul) && is_constant(arg(b, 0))) {
            return mul(make(Op::mul, a, arg(b, 0)), arg(b, 1));
        }
        if (is_constant(a)) return make(Op::mul, a, b);
        return make(Op::mul, std::min(a, b), std::max(a, b));
    }
    Index div(Index a, Index b) {
        if (is_constant(b)) return mul(a, make(Op::div, constant(1), b));
        if (is_number(a, 0)) return a;
        return make(Op::div, a, b);
    }

    /// x^n by repeated squaring, n ≥ 0, in the order in which sym::evaluate multiplies.
    Index power(Index x, std::uint64_t n) {
        Index result = none;
        for (Index square = x;; square = mul(square, square)) {
            if ((n & 1) != 0) result = result == none ? square : mul(result, square);
            n >>= 1;
            if (n == 0) return result == none ? constant(1) : result;
        }
    }

    /// What the outputs need, in order.
    Program finish(std::span<const Index> outputs) const {
        std::vector<bool> is_live(values_.size());
        for (const Index i : outputs) is_live[i] = true;
        Program program;
        program.inputs = inputs_;
        std::size_t lines = 0;
        for (std::size_t i = values_.size(); i-- > inputs_;) {
            if (!is_live[i] || values_[i].kind != Kind::line) continue;
            for (std::size_t k = 0; k < arity(values_[i].op); ++k) is_live[values_[i].args[k]] = true;
            ++lines;
        }
        program.lines.reserve(lines);
        std::vector<Index> place(values_.size());
        for (std::size_t i = 0; i < inputs_; ++i) place[i] = static_cast<Index>(i);
        for (std::size_t i = inputs_; i < values_.size(); ++i) {
            if (!is_live[i] || values_[i].kind != Kind::constant) continue;
            place[i] = static_cast<Index>(program.first_line());
            program.constants.push_back(number(static_cast<Index>(i)));
        }
        for (std::size_t i = inputs_; i < values_.size(); ++i) {
            if (!is_live[i] || values_[i].kind != Kind::line) continue;
            Line line{values_[i].op, values_[i].args};
            for (std::size_t k = 0; k < arity(line.op); ++k) line.args[k] = place[line.args[k]];
            place[i] = static_cast<Index>(program.values());
            if (origins_ != nullptr) (*origins_)[program.lines.size()] = (*origins_)[i];  // the line has come down from i
            program.lines.push_back(line);
        }
        if (origins_ != nullptr) origins_->resize(program.lines.size());
        for (const Index i : outputs) program.outputs.push_back(place[i]);
        return program;
    }

private:
    enum class Kind : std::uint8_t { input, constant, line };
    struct Value {  // 20 bytes: a long program has millions of them
        Op op{};
        Kind kind = Kind::input;
        std::array<Index, 3> args{};  ///< of a constant: the bits of its number
        Index twin = none;            ///< of b − a, made as the opposite of a − b: the latter
    };
    /// A value, and the part of its key by which its place was found: what stands in the way need not be fetched.
    struct Slot {
        std::uint32_t key = 0;
        Index value = none;
    };

    double number(Index i) const { return std::bit_cast<double>(std::uint64_t{values_[i].args[0]} << 32 | values_[i].args[1]); }
    bool is_constant(Index i) const { return values_[i].kind == Kind::constant; }
    bool is_number(Index i, double x) const { return is_constant(i) && number(i) == x; }
    bool is_line(Index i, Op op) const { return values_[i].kind == Kind::line && values_[i].op == op; }
    bool has_twin(Index i) const { return values_[i].twin != none; }
    Index arg(Index i, std::size_t k) const { return values_[i].args[k]; }

    static std::uint32_t hash(const Value& v) {
        const auto mix = [](std::uint64_t h, std::uint64_t x) { return std::rotl((h ^ x) * 0x9E3779B97F4A7C15ULL, 29); };
        std::uint64_t h = v.kind == Kind::constant ? 1 : static_cast<std::uint64_t>(v.op) + 2;
        for (const Index i : v.args) h = mix(h, i);
        return static_cast<std::uint32_t>(h * 0x9E3779B97F4A7C15ULL >> 32);
    }
    static bool is_same(const Value& v, const Value& w) { return v.kind == w.kind && v.op == w.op && v.args == w.args; }
    /// Where to look for a value, one place after the other: a few near its last argument's, since what is written together is then kept
    /// together, and a long table is gone through instead of being looked at all over; then wherever its key says.
    class Way {
    public:
        Way(const Value& v, std::uint32_t key, std::size_t mask)
            : at_(v.kind == Kind::constant ? key : 2 * std::max({v.args[0], v.args[1], v.args[2]}) + key % near), key_(key), mask_(mask) {}
        std::size_t place() const { return at_ & mask_; }
        void go_on() {
            if (++at_, ++steps_ == near) at_ = key_;
        }

    private:
        static constexpr std::size_t near = 32;
        std::size_t at_, steps_ = 0;
        std::uint32_t key_;
        std::size_t mask_;
    };
    Index intern(const Value& v) {
        if ((used_ + 1) * 2 > slots_.size()) rehash(std::max<std::size_t>(256, 2 * slots_.size()));
        const std::uint32_t key = hash(v);
        for (Way way(v, key, slots_.size() - 1);; way.go_on()) {
            Slot& slot = slots_[way.place()];
            if (slot.value == none) {
                ++used_;
                values_.push_back(v);
                if (origins_ != nullptr) origins_->push_back(node_);
                slot = {key, static_cast<Index>(values_.size() - 1)};
                return slot.value;
            }
            if (slot.key == key && is_same(values_[slot.value], v)) return slot.value;
        }
    }
    void rehash(std::size_t room) {
        const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(room));
        for (const Slot& slot : old) {
            if (slot.value == none) continue;
            Way way(values_[slot.value], slot.key, slots_.size() - 1);
            while (slots_[way.place()].value != none) way.go_on();
            slots_[way.place()] = slot;
        }
    }

    std::size_t inputs_;
    std::vector<Value> values_;
    std::vector<Slot> slots_;  // open addressing
    std::size_t used_ = 0;
    std::vector<sym::NodeId>* origins_;  ///< of values; of lines when it is finished
    sym::NodeId node_ = 0;
};

/// x^r as above / below, where "below" is none for a denominator of 1.
struct Quotient {
    Index above, below;
};
Quotient lower_power(Draft& draft, Index x, const Rational& r) {
    const auto n = r.small_numerator(), d = r.small_denominator();
    if (!n || !d || *d > 2) return {draft.make(Op::pow, x, draft.constant(r.to_double())), none};
    const auto size = static_cast<std::uint64_t>(std::abs(*n));
    Index p = draft.power(x, size / static_cast<std::uint64_t>(*d));
    if (*d == 2) p = draft.mul(p, draft.make(Op::sqrt, x));
    return *n < 0 ? Quotient{draft.constant(1), p} : Quotient{p, none};
}

Op function(sym::Op op) {
    if (sym::is_elementary(op)) return operation(op);
    switch (op) {
        case sym::Op::atan2: return Op::atan2;
        case sym::Op::min: return Op::min;
        case sym::Op::max: return Op::max;
        default: return Op::select;
    }
}

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("lower: " + what); }

void check_pool(const Expr& e, const sym::Pool& pool, const char* what) {
    if (&e.pool() == &pool) return;
    refuse(e.is_symbol() ? fmt::format("{} '{}' belongs to another pool", what, e.symbol().name)
                         : fmt::format("{} belongs to another pool", what));
}

/// Where each symbol's value comes from.
sym::NodeMap<Index> bind(Draft& draft, const sym::Pool& pool, std::span<const Expr> inputs, std::span<const sym::Binding> constants) {
    sym::NodeMap<Index> source;
    for (const auto& [symbol, value] : constants) {
        if (!symbol.is_symbol()) refuse("a constant is not a symbol");
        check_pool(symbol, pool, "a constant");
        const auto refuse_symbol = [&, &name = symbol.symbol().name](const Expr& inside) -> double {
            refuse(fmt::format("the constant '{}' depends on '{}'", name, inside.symbol().name));
        };
        const double number = value.is_number() ? value.number().to_double() : sym::evaluate<double>(value, refuse_symbol);
        if (!source.insert(symbol.id(), draft.constant(number))) {
            refuse(fmt::format("the constant '{}' is given twice", symbol.symbol().name));
        }
    }
    sym::NodeMap<Index> seen;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        check_pool(inputs[i], pool, "an input");
        if (!seen.insert(inputs[i].id(), 0)) {
            refuse(inputs[i].is_symbol() ? fmt::format("the input '{}' is named twice", inputs[i].symbol().name)
                                         : "an input is given twice");
        }
        source.insert(inputs[i].id(), static_cast<Index>(i));
    }
    return source;
}

/// The steps that the roots need when inputs and constants are leaves; symbols without a source are refused.
std::vector<bool> calc_needed(const sym::Pool& pool, const sym::Sweep& sweep, const sym::NodeMap<Index>& source) {
    std::vector<bool> is_needed(sweep.steps.size());
    for (const std::uint32_t root : sweep.roots) is_needed[root] = true;
    std::vector<std::string> missing;
    for (std::size_t k = sweep.steps.size(); k-- > 0;) {
        const auto& step = sweep.steps[k];
        if (!is_needed[k] || source.contains(step.id)) continue;
        if (pool.op(step.id) == sym::Op::symbol) missing.push_back(pool.symbol_info(step.id).name);
        for (std::size_t i = 0; i < step.arity; ++i) is_needed[step.args[i]] = true;
    }
    std::ranges::reverse(missing);
    if (!missing.empty()) refuse(fmt::format("neither an input nor constant: {}", fmt::join(missing, ", ")));
    return is_needed;
}

/// What a look ahead over the sweep tells about its steps.
struct Uses {
    std::vector<std::uint32_t> count;
    std::vector<std::uint8_t> circular;  // of an angle: 1 its sine, 2 its cosine is wanted
};
Uses calc_uses(const sym::Pool& pool, const sym::Sweep& sweep, const std::vector<bool>& is_needed, const sym::NodeMap<Index>& source) {
    Uses uses{std::vector<std::uint32_t>(sweep.steps.size()), std::vector<std::uint8_t>(sweep.steps.size())};
    for (std::size_t k = 0; k < sweep.steps.size(); ++k) {
        const auto& step = sweep.steps[k];
        if (!is_needed[k] || source.contains(step.id)) continue;
        for (std::size_t i = 0; i < step.arity; ++i) ++uses.count[step.args[i]];
        if (pool.op(step.id) == sym::Op::sin) uses.circular[step.args[0]] |= 1;
        if (pool.op(step.id) == sym::Op::cos) uses.circular[step.args[0]] |= 2;
    }
    for (const std::uint32_t root : sweep.roots) ++uses.count[root];
    return uses;
}

/// What it takes to find the lines is gone before they are looked at as wholes.
Program written(const sym::Pool& pool, std::span<const Expr> outputs, std::span<const Expr> inputs, std::span<const sym::Binding> constants,
                std::vector<sym::NodeId>* origins) {
    Draft draft(inputs.size(), origins);
    const auto source = bind(draft, pool, inputs, constants);
    const sym::Sweep sweep = sym::sweep(outputs);
    const std::vector<bool> is_needed = calc_needed(pool, sweep, source);
    const Uses uses = calc_uses(pool, sweep, is_needed, source);
    draft.expect(static_cast<std::size_t>(std::ranges::count(is_needed, true)));

    std::vector<Index> value(sweep.steps.size());        // of each step
    std::vector<Index> below(sweep.steps.size(), none);  // its denominator, when only a product can want it
    for (std::size_t k = 0; k < sweep.steps.size(); ++k) {
        const auto& [id, count, at] = sweep.steps[k];
        if (!is_needed[k]) continue;
        if (const Index* given = source.find(id)) {
            value[k] = *given;
            continue;
        }
        draft.begin(id);
        const sym::Op op = pool.op(id);
        const auto x = [&, &from = at](std::size_t i) { return value[from[i]]; };
        switch (op) {
            case sym::Op::undefined: value[k] = draft.constant(std::nan("")); break;
            case sym::Op::number: value[k] = draft.constant(pool.number(id).to_double()); break;
            case sym::Op::pi: value[k] = draft.constant(sym::Scalar<double>::pi()); break;
            case sym::Op::symbol: break;  // has a source
            case sym::Op::add: value[k] = draft.add(x(0), x(1)); break;
            case sym::Op::mul: {
                const Index p = below[at[0]], q = below[at[1]];
                if (p != none && q != none) {
                    value[k] = draft.div(draft.constant(1), draft.mul(p, q));
                } else if (p != none) {
                    value[k] = draft.div(x(1), p);
                } else if (q != none) {
                    value[k] = draft.div(x(0), q);
                } else {
                    value[k] = draft.mul(x(0), x(1));
                }
                break;
            }
            case sym::Op::pow: {
                const Quotient power = lower_power(draft, x(0), pool.number(pool.node(id).b));
                value[k] = power.below == none ? power.above : draft.div(power.above, power.below);
                if (uses.count[k] == 1) below[k] = power.below;
                break;
            }
            case sym::Op::sin:
            case sym::Op::cos:
                if (uses.circular[at[0]] == 3) {
                    draft.make(Op::sin, x(0));
                    draft.make(Op::cos, x(0));
                }
                [[fallthrough]];
            default: value[k] = draft.make(function(op), x(0), count > 1 ? x(1) : 0, count > 2 ? x(2) : 0);
        }
    }
    std::vector<Index> results;
    for (const std::uint32_t root : sweep.roots) results.push_back(value[root]);
    return draft.finish(results);
}

}  // namespace

Program transcribe(std::span<const Expr> outputs, std::span<const Expr> inputs, std::span<const sym::Binding> constants,
                   std::vector<sym::NodeId>* origins) {
    if (outputs.empty()) {
        if (origins != nullptr) origins->clear();
        Program nothing;
        nothing.inputs = inputs.size();
        return nothing;
    }
    const sym::Pool& pool = outputs.front().pool();
    for (const Expr& e : outputs) {
        if (&e.pool() != &pool) refuse("outputs of two pools");
    }
    return written(pool, outputs, inputs, constants, origins);
}

Program lower(std::span<const Expr> outputs, std::span<const Expr> inputs, std::span<const sym::Binding> constants) {
    return factor(transcribe(outputs, inputs, constants));
}

}  // namespace linkwright::program
