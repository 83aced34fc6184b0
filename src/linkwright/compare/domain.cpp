#include "linkwright/compare/domain.hpp"

#include <algorithm>
#include <limits>

#include "linkwright/compare/compare_numbers.hpp"
#include "linkwright/sym/functions.hpp"

namespace linkwright::compare {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Interval {
    double from = -infinite, to = infinite;
    bool is_everything() const { return from == -infinite && to == infinite; }
};

/// Which first arguments give a real value.
Interval allowed(const Bound& b, Tree::Part part) {
    const Tree::Node& node = b.tree[part];
    if (node.kind == Tree::Kind::power) {
        const Expr& exponent = b.parts[node.args[1]];
        if (!exponent.is_number()) return {sym::elementary_function(sym::Op::log).from, infinite};
        return exponent.number().is_integer() ? Interval{} : Interval{0, infinite};
    }
    if (node.kind != Tree::Kind::call) return {};
    if (node.name == "sqrt") return {0, infinite};
    const auto* row = sym::find_elementary_function(node.name);
    return row == nullptr ? Interval{} : Interval{row->from, row->to};
}

/// A name that a rule explains with roots and the like.
bool is_partial_name(const Bound& b, Tree::Part part) {
    return b.tree[part].kind == Tree::Kind::name && b.definition[part] < 0 && is_opaque(b.parts[part]);
}

}  // namespace

Domain::Domain(const std::vector<Bound>& statements, std::size_t statement) {
    // which statements and which parts of them it is made of; both come after what they use
    std::vector<std::vector<bool>> wanted(statement + 1);
    wanted[statement].assign(statements[statement].tree.nodes.size(), false);
    if (wanted[statement].empty()) return;
    wanted[statement][statements[statement].root] = true;
    bool is_partial = false;
    for (std::size_t k = statement + 1; k-- > 0;) {
        const Bound& b = statements[k];
        for (std::size_t p = wanted[k].size(); p-- > 0;) {
            const auto part = static_cast<Tree::Part>(p);
            if (!wanted[k][p]) continue;
            is_partial = is_partial || !allowed(b, part).is_everything() || is_partial_name(b, part);
            for (const Tree::Part a : b.tree[part].args) wanted[k][a] = true;
            const int d = b.definition[p];
            if (d < 0 || statements[d].is_damaged) continue;
            wanted[d].resize(statements[d].tree.nodes.size(), false);
            wanted[d][statements[d].root] = true;
        }
    }
    if (!is_partial) return;
    std::vector<std::size_t> roots(statement + 1, none);
    for (std::size_t k = 0; k <= statement; ++k) {
        std::vector<std::size_t> done(wanted[k].size(), none);
        for (std::size_t p = 0; p < wanted[k].size(); ++p) {
            if (!wanted[k][p]) continue;
            add(statements[k], static_cast<Tree::Part>(p), done, roots);
            done[p] = steps_.size() - 1;
        }
        if (!wanted[k].empty()) roots[k] = done[statements[k].root];
    }
}

void Domain::add(const Bound& b, Tree::Part part, const std::vector<std::size_t>& done, std::span<const std::size_t> roots) {
    const Tree::Node& node = b.tree[part];
    Step step;
    for (const Tree::Part a : node.args) step.args.push_back(done[a]);
    if (const int d = b.definition[part]; d >= 0 && roots[d] != none) step.args.push_back(roots[d]);
    const auto ask = [&](Tree::Part about, Interval in) {
        step.asked = asked_.size(), step.from = in.from, step.to = in.to;
        asked_.push_back(b.parts[about]);
    };
    step.is_branch = node.kind == Tree::Kind::call && node.name == "if";
    const Interval in = allowed(b, part);
    if (step.is_branch || !in.is_everything())
        ask(node.args[0], in);
    else if (is_partial_name(b, part))
        ask(part, in);
    steps_.push_back(std::move(step));
}

bool Domain::is_outside(std::span<const Real> values) const {
    std::vector<bool> is_void(steps_.size(), false);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step& s = steps_[i];
        if (s.is_branch) {
            const Real& condition = values[s.asked];
            const bool is_second = condition.is_zero() || condition.number.is_negative(), is_first = condition.number.is_positive();
            is_void[i] = is_void[s.args[0]] || (is_first && is_void[s.args[1]]) || (is_second && is_void[s.args[2]]);
            continue;
        }
        is_void[i] = std::ranges::any_of(s.args, [&](std::size_t a) { return is_void[a]; });
        if (s.asked != none) is_void[i] = is_void[i] || values[s.asked].is_void || values[s.asked].is_outside(s.from, s.to);
    }
    return !is_void.empty() && is_void.back();
}

}  // namespace linkwright::compare
