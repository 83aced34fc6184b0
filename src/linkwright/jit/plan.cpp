#include "linkwright/jit/plan.hpp"

#include <algorithm>
#include <span>

namespace linkwright::jit {
namespace {

using program::Op;
using program::Program;

/// A line after fusing. Absorbed and dead lines have no users and are left out.
struct Node {
    Kind kind;
    Op op;
    std::uint8_t arity;
    bool is_wanted;
    std::array<Index, 3> args;
};

Kind kind_of(Op op) {
    switch (op) {
        case Op::neg: return Kind::neg;
        case Op::sqrt: return Kind::sqrt;
        case Op::abs: return Kind::abs;
        case Op::sign: return Kind::sign;
        case Op::add: return Kind::add;
        case Op::sub: return Kind::sub;
        case Op::mul: return Kind::mul;
        case Op::div: return Kind::div;
        case Op::min: return Kind::min;
        case Op::max: return Kind::max;
        case Op::select: return Kind::select;
        case Op::sin:
        case Op::cos: return Kind::turn;
        default: return Kind::call;
    }
}

class Planner {
public:
    explicit Planner(const Program& program) : program_(program), first_(static_cast<Index>(program.first_line())) {}

    Plan make() {
        count_uses();
        fuse();
        arrange();
        look_ahead(plan_, program_.values());
        return std::move(plan_);
    }

private:
    Node& node(Index value) { return nodes_[value - first_]; }
    Index end() const { return first_ + static_cast<Index>(nodes_.size()); }

    void count_uses() {
        plan_.first_output.assign(program_.values(), none);
        plan_.next_output.resize(program_.outputs.size());
        uses_.assign(program_.values(), 0);
        for (std::size_t k = program_.outputs.size(); k-- > 0;) {
            const Index v = program_.outputs[k];
            ++uses_[v];
            plan_.next_output[k] = plan_.first_output[v];
            plan_.first_output[v] = static_cast<Index>(k);
        }
        nodes_.reserve(program_.lines.size());
        for (const auto& [op, args] : program_.lines) {
            nodes_.push_back({kind_of(op), op, static_cast<std::uint8_t>(arity(op)), false, args});
        }
        for (Index v = end(); v-- > first_;) {
            Node& n = node(v);
            n.is_wanted = uses_[v] > 0;
            for (std::size_t i = 0; n.is_wanted && i < n.arity; ++i) ++uses_[n.args[i]];
        }
    }

    /// A line of this kind that one other line needs, and nothing else.
    bool is_single(Index v, Kind kind) { return v >= first_ && uses_[v] == 1 && node(v).kind == kind; }
    Index absorb_neg(Index v) {
        node(v).is_wanted = false;
        return node(v).args[0];
    }

    void fuse() {
        for (Node& n : nodes_) {
            if (!n.is_wanted || (n.kind != Kind::add && n.kind != Kind::sub)) continue;
            auto& [x, y, c] = n.args;
            if (is_single(y, Kind::neg)) {  // x ± (−y) = x ∓ y
                y = absorb_neg(y);
                n.kind = n.kind == Kind::add ? Kind::sub : Kind::add;
            } else if (n.kind == Kind::add && is_single(x, Kind::neg)) {  // −x + y = y − x
                x = absorb_neg(x);
                std::swap(x, y);
                n.kind = Kind::sub;
            }
            const bool first = is_single(x, Kind::mul), second = is_single(y, Kind::mul);
            if (!first && !second) continue;
            // Of two products the later one is fused: the other is ready before.
            const bool is_first = first && (!second || x > y);
            const Index product = is_first ? x : y;
            Kind kind = n.kind == Kind::add ? Kind::fma : is_first ? Kind::fms : Kind::fnma;
            c = is_first ? y : x;
            node(product).is_wanted = false;
            x = node(product).args[0];
            y = node(product).args[1];
            for (Index* factor : {&x, &y}) {
                if (!is_single(*factor, Kind::neg)) continue;
                *factor = absorb_neg(*factor);
                kind = kind == Kind::fma ? Kind::fnma : kind == Kind::fnma ? Kind::fma : kind == Kind::fms ? Kind::fnms : Kind::fms;
            }
            n.kind = kind;
            n.arity = 3;
        }
    }

    void arrange() {
        // depth: how many sines and cosines lie, one over the other, below a value
        std::vector<Index> depth(program_.values(), 0);
        Index layers = 0;
        for (Index v = first_; v < end(); ++v) {
            const Node& n = node(v);
            if (!n.is_wanted) continue;
            for (std::size_t i = 0; i < n.arity; ++i) depth[v] = std::max(depth[v], depth[n.args[i]]);
            if (n.kind == Kind::turn) layers = std::max(layers, ++depth[v]);
        }
        // layer: the first layer of angles that needs a value; `layers` is what none of them needs
        std::vector<Index> layer(program_.values(), layers), count(layers + 2, 0);
        for (Index v = end(); v-- > first_;) {
            const Node& n = node(v);
            if (!n.is_wanted) continue;
            if (n.kind == Kind::turn) layer[v] = depth[v] - 1;
            for (std::size_t i = 0; i < n.arity; ++i) layer[n.args[i]] = std::min(layer[n.args[i]], layer[v]);
            ++count[layer[v] + 1];
        }
        for (std::size_t i = 1; i < count.size(); ++i) count[i] += count[i - 1];
        std::vector<Index> order(count.back());
        std::vector<Index> at = count;
        for (Index v = first_; v < end(); ++v) {
            if (node(v).is_wanted) order[at[layer[v]]++] = v;
        }
        plan_.steps.reserve(order.size());
        for (Index i = 0; i <= layers; ++i) {
            const std::span part(order.data() + count[i], count[i + 1] - count[i]);
            for (const Index v : part) {
                if (node(v).kind != Kind::turn) append(v);
            }
            append_turns(part);
        }
    }

    void append(Index v) {
        const Node& n = node(v);
        plan_.steps.push_back({n.kind, n.op, n.arity, v, n.args, {none, none, none}, none});
        plan_.has_calls |= n.kind == Kind::call;
    }

    void append_turns(std::span<const Index> part) {
        Turn turn;
        const auto finish = [&] {
            if (turn.size == 0) return;
            plan_.steps.push_back({Kind::turn, Op::sin, 0, none, {static_cast<Index>(plan_.turns.size()), 0, 0}, {none, none, none}, none});
            plan_.turns.push_back(turn);
            plan_.has_calls = true;
            turn.size = 0;
        };
        Index angle = none;
        for (const Index v : part) {
            const Node& n = node(v);
            if (n.kind != Kind::turn) continue;
            const bool is_cosine = n.op == Op::cos;
            // The cosine that stands right behind its sine joins it.
            if (turn.size > 0 && angle == n.args[0] && is_cosine && turn.angles[turn.size - 1U].cosine == none) {
                turn.angles[turn.size - 1U].cosine = v;
                continue;
            }
            if (turn.size == 4) finish();
            angle = n.args[0];
            turn.angles[turn.size++] = {angle, is_cosine ? none : v, is_cosine ? v : none, none, none, none};
        }
        finish();
    }

    const Program& program_;
    Index first_;
    std::vector<std::uint32_t> uses_;
    std::vector<Node> nodes_;
    Plan plan_;
};

}  // namespace

void look_ahead(Plan& plan, std::size_t values) {
    std::vector<Index> next(values + plan.packs.size(), none);
    const auto first = [&](Index v) { return v == none ? none : next[v]; };
    for (std::size_t k = plan.steps.size(); k-- > 0;) {
        Step& s = plan.steps[k];
        const auto here = static_cast<Index>(k);
        if (s.kind == Kind::turn) {
            Turn& t = plan.turns[s.args[0]];
            for (std::size_t i = 0; i < t.size; ++i) {
                t.angles[i].next = next[t.angles[i].angle];
                t.angles[i].sine_first = first(t.angles[i].sine);
                t.angles[i].cosine_first = first(t.angles[i].cosine);
            }
            for (std::size_t i = 0; i < t.size; ++i) next[t.angles[i].angle] = here;
            continue;
        }
        s.first_use = next[s.value];
        for (std::size_t i = 0; i < s.arity; ++i) s.next[i] = next[s.args[i]];
        for (std::size_t i = 0; i < s.arity; ++i) next[s.args[i]] = here;
        if (s.kind != Kind::gather) continue;
        Pack& pack = plan.packs[s.value - values];
        for (std::size_t i = 0; i < 4; ++i) pack.next[i] = first(pack.source(i));
        for (std::size_t i = 0; i < 4; ++i) {
            if (pack.source(i) != none) next[pack.source(i)] = here;
        }
    }
    for (std::size_t k = 0; k < plan.packs.size(); ++k) plan.packs[k].first_use = next[values + k];
}

Plan make_plan(const Program& program) { return Planner(program).make(); }

}  // namespace linkwright::jit
