// A bracket that stands in the wrong place of a formula that parses.

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/compare/term_repair.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::compare {

/// Every bracket of the right side, at every other place: parsed, built, compared by its residue.
void Repairer::tell_moved_brackets(const std::vector<Bound>& statements, std::size_t s, const Expr& need, Effort& effort,
                                   std::vector<Choice>& out) const {
    const Bound& bound = statements[s];
    const auto& tokens = bound.text->tokens;
    const std::size_t begin = bound.text->equals + 1;
    if (bound.role != Bound::Role::target || bound.is_rate || tokens.size() > 300 || !tokens[bound.text->equals].is("=")) return;
    Expr before(need.pool(), sym::Pool::zero_id);
    if (bound.previous >= 0) {
        const Bound& earlier = statements[bound.previous];
        if (earlier.is_damaged) return;
        before = earlier.parts[earlier.root];
    }
    const auto is_value = [](const Token& t) { return t.kind == Token::Kind::number || t.kind == Token::Kind::name; };
    for (std::size_t i = begin; i + 1 < tokens.size(); ++i) {
        const bool closes = tokens[i].is(")");
        if (!closes && (!tokens[i].is("(") || tokens[i - 1].kind == Token::Kind::name)) continue;
        std::vector<Token> rest = tokens;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        for (std::size_t at = begin; at + 1 < rest.size(); ++at) {
            if (effort.is_over()) return;
            const bool fits = is_value(rest[at]) || rest[at].is(closes ? ")" : "(");
            if (!fits || (closes ? at + 1 == i : at == i)) continue;
            effort.spend(tokens.size());
            std::vector<Token> moved = rest;
            moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(closes ? at + 1 : at), tokens[i]);
            const TreeOrProblem parsed = parse_tokens(moved, begin, moved.size() - 1, binder_.language());
            if (parsed.problem) continue;
            const auto reading = binder_.read_again(parsed.tree, parsed.root, s, before);
            if (!reading || reading->parts[parsed.root].node().residue != need.node().residue ||
                sym::equal(reading->parts[parsed.root], need) != sym::Verdict::equal)
                continue;
            out.push_back({Repair{fmt::format("the '{}' belongs {} {}", tokens[i].text, closes ? "after" : "before", rest[at].text),
                                  RepairKind::bracket, tokens[i].where, tokens[i].width, 1.1}});
        }
    }
}

}  // namespace linkwright::compare
