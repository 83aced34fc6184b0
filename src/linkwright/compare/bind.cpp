#include "linkwright/compare/bind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "linkwright/base/text.hpp"
#include "linkwright/sym/formula.hpp"

namespace linkwright::compare {

namespace {

std::string lower(std::string_view s) { return folded(s, Language::fortran); }

bool is_whole(std::string_view s) {
    return !s.empty() && s.size() < 9 && std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether an acceleration stands in an expression.
bool has_acceleration(const Expr& e) {
    return std::ranges::any_of(sym::nodes_below(std::span(&e, 1)),
                               [](const Expr& n) { return n.is_symbol() && n.symbol().role == sym::Role::acceleration; });
}

}  // namespace

Binder::Binder(const Printed& printed, const std::string& file, const NamesTable& table, Quantities& ours, Diagnostics& problems)
    : printed_(printed), file_(file), table_(table), ours_(ours), problems_(problems) {
    statements_.resize(printed.statements.size());
    for (std::size_t i = 0; i < statements_.size(); ++i) {
        statements_[i].text = &printed.statements[i];
        bind(statements_[i], i);
    }
    collect_atoms();
}

std::string Binder::key(const Tree::Node& node) const {
    std::vector<std::string> indices;
    for (const std::string& i : node.indices) indices.push_back(folded(i, printed_.language));
    return write_name(folded(node.name, printed_.language), indices, Language::ours);
}

/// Indices of an array of ours that is named directly: C counts from 0.
std::vector<std::string> Binder::from_one(const std::vector<std::string>& indices) const {
    std::vector<std::string> out = indices;
    if (!counts_from_zero(printed_.language)) return out;
    for (std::string& i : out) {
        if (is_whole(i)) i = std::to_string(std::stol(i) + 1);
    }
    return out;
}

std::optional<Expr> Binder::constant(std::string_view name) const {
    sym::Pool& desk = ours_.desk;
    const Expr pi(desk, sym::Pool::pi_id);
    if (name == "pi" || name == "M_PI" || (printed_.language == Language::fortran && name == "PI")) return pi;
    if (name == "deg" && printed_.language == Language::ours) return pi * Expr(Rational(1, 180));
    return std::nullopt;
}

std::optional<Expr> Binder::by_rule(const std::vector<Rule>& rules, const Tree::Node& node, bool is_target, std::string* shown) {
    std::vector<std::string> indices;
    for (const std::string& i : node.indices) indices.push_back(folded(i, printed_.language));
    auto fit = NamesTable::find(rules, folded(node.name, printed_.language), indices);
    if (!fit && is_target && !indices.empty()) {
        // lhs1 = "M": the same indices, a column's second index dropped
        if (const auto whole = NamesTable::find(rules, folded(node.name, printed_.language), {})) {
            std::vector<std::string> ours = from_one(indices);
            std::string text = whole->text;
            // the first quantity's name gets them
            std::vector<Token> tokens;
            const TreeOrProblem parsed = parse_printed(text, Language::ours, {}, &tokens);
            if (!parsed.problem) {
                for (const Tree::Node& n : parsed.tree.nodes) {
                    if (n.kind != Tree::Kind::name || !n.indices.empty()) continue;
                    if (!ours_.find(n.name, ours).value && ours.size() == 2 && ours[1] == "1") ours.pop_back();
                    const std::string with = write_name(n.name, ours, Language::ours);
                    const std::size_t at = tokens[n.first].where.column - 1;
                    if (at + n.name.size() <= text.size()) text.replace(at, n.name.size(), with);
                    break;
                }
            }
            fit = NamesTable::Fit{whole->rule, text};
        }
    }
    if (!fit) return std::nullopt;
    if (shown != nullptr) *shown = fit->text;
    const std::string memo = (is_target ? "target " : "name ") + fit->text;
    if (const auto known = expanded_.find(memo); known != expanded_.end()) return known->second;

    const TreeOrProblem text = parse_printed(fit->text, Language::ours, fit->rule->text_where);
    const auto complain = [&](std::string what, std::string hint) {
        problems_.push_back({.severity = Diagnostic::Severity::error,
                             .file = fit->rule->file,
                             .where = fit->rule->text_where,
                             .what = std::move(what),
                             .hint = std::move(hint)});
    };
    std::optional<Expr> result;
    if (text.problem) {
        problems_.push_back(*text.problem);
        problems_.back().file = fit->rule->file;
    } else {
        bool is_right = true;
        const auto value = [&](Tree::Part part) -> Expr {
            const Tree::Node& n = text.tree[part];
            if (n.indices.empty() && !is_target) {
                if (const auto s = ours_.symbol(n.name)) return *s;
            }
            if (n.indices.empty()) {
                if (const auto c = constant(n.name)) return *c;
            }
            const bool is_state = n.name == "q" || n.name == "u" || n.name == "qdot" || n.name == "lambda";
            const Quantities::Found found =
                n.name == "udot" && !is_target && n.indices.size() == 1 ? Quantities::Found{} : ours_.find(n.name, n.indices);
            if (found.value && (is_target || is_state)) return *found.value;
            if (n.indices.empty()) {
                if (const auto s = ours_.symbol(n.name)) return *s;
            }
            is_right = false;
            std::vector<std::string> known = is_target ? ours_.known() : std::vector<std::string>{};
            for (const auto& [name, e] : ours_.symbols()) known.push_back(name);
            const auto meant = did_you_mean(n.name, known);
            complain(
                found.is_known && is_target ? found.why : fmt::format("unknown name '{}'", write_name(n.name, n.indices, Language::ours)),
                meant && *meant != n.name ? fmt::format("did you mean '{}'?", *meant)
                : is_target               ? "the right-hand side of a target is a quantity of the model, such as M[i,j] or -f[i]"
                                          : "the right-hand side of a name is an expression in symbols of the model");
            return Expr(ours_.desk, sym::Pool::zero_id);
        };
        const Expr e = build(text.tree, text.root, ours_.desk, value);
        if (is_right) result = e;
        if (!is_right) result = Expr(ours_.desk, sym::Pool::undefined_id);  // told; not unknown as well
    }
    expanded_.emplace(memo, result);
    return result;
}

std::optional<Expr> Binder::our_symbol(const Tree::Node& node) {
    if (node.indices.empty()) {
        if (const auto s = ours_.symbol(node.name)) return s;
        if (const auto c = constant(node.name)) return c;
        if (printed_.language == Language::fortran) {  // one letter case
            std::optional<Expr> only;
            for (const auto& [name, e] : ours_.symbols()) {
                if (lower(name) != lower(node.name)) continue;
                if (only) return std::nullopt;
                only = e;
            }
            return only;
        }
        // p.m1, self.m1: a structure holds the parameters
        if (const std::size_t dot = node.name.rfind('.'); dot != std::string::npos && is_script(printed_.language))
            return ours_.symbol(node.name.substr(dot + 1));
        return std::nullopt;
    }
    const std::string name = folded(node.name, printed_.language);
    if (name != "q" && name != "u" && name != "qdot" && name != "udot" && name != "lambda") return std::nullopt;
    if (name == "udot") {  // the symbols, not what they are
        const Quantities::Found at = ours_.find("u", from_one(node.indices));
        for (std::size_t i = 0; at.value && i < ours_.u.size(); ++i) {
            if (ours_.u[i] == *at.value) return ours_.udot[i];
        }
        return std::nullopt;
    }
    return ours_.find(name, from_one(node.indices)).value;
}

Binder::Meaning Binder::meaning(const Tree::Node& node, std::size_t statement) {
    if (const auto defined = scope_.find(key(node)); defined != scope_.end() && static_cast<std::size_t>(defined->second) < statement) {
        const Bound& d = statements_[defined->second];
        if (d.is_damaged) return {Expr(ours_.desk, sym::Pool::undefined_id), defined->second};
        return {d.parts[d.root], defined->second};
    }
    if (const auto e = by_rule(table_.names, node, false)) return {e, -1};
    return {our_symbol(node), -1};
}

void Binder::complain_unknown(const Tree::Node& node, const Bound& bound) {
    const std::string written = write_name(node.name, node.indices, printed_.language);
    if (std::ranges::find(told_, written) != told_.end()) return;
    told_.push_back(written);
    std::vector<std::string> known;
    std::string hint;
    for (const Statement& s : printed_.statements) {
        if (s.problem) continue;
        const Tree::Node& left = s.tree[s.left];
        if (left.kind != Tree::Kind::name) continue;
        const std::string name = write_name(left.name, left.indices, printed_.language);
        if (key(left) == key(node) && hint.empty()) hint = fmt::format("it is assigned only in line {}", s.where.line);
        known.push_back(name);
    }
    for (const Rule& r : table_.names) known.push_back(write_name(r.name, r.indices, printed_.language));
    for (const auto& [name, e] : ours_.symbols()) known.push_back(name);
    if (hint.empty()) {
        const auto meant = did_you_mean(written, known);
        if (meant && *meant != written) hint = fmt::format("did you mean '{}'?", *meant);
    }
    if (hint.empty())
        hint = fmt::format("define it: \"{}\" = \"…\" under [names] of a --names file, or a comment '@ name {} = …'", written, written);
    problems_.push_back({.severity = Diagnostic::Severity::error,
                         .file = file_,
                         .where = bound.text->tokens[node.first].where,
                         .what = fmt::format("unknown name '{}'", written),
                         .hint = hint});
}

/// In Python and MATLAB a column is a matrix, too: f(2,1) is f[2]; and a matrix of one row may have one index.
Quantities::Found Binder::find_entry(const std::string& name, const std::vector<std::string>& indices) {
    Quantities::Found found = ours_.find(name, indices);
    if (found.value || !found.is_known || !is_script(printed_.language)) return found;
    std::vector<std::vector<std::string>> others;
    if (indices.size() == 2 && indices[1] == "1") others.push_back({indices[0]});
    if (indices.size() == 2 && indices[0] == "1") others.push_back({indices[1]});
    if (indices.size() == 1) others = {{"1", indices[0]}, {indices[0], "1"}};
    for (const std::vector<std::string>& other : others) {
        if (Quantities::Found again = ours_.find(name, other); again.value) return again;
    }
    return found;
}

/// What the left side is: a quantity of ours, or a name of the writer's.
void Binder::take_left_side(Bound& bound) {
    const Statement& s = *bound.text;
    const TreeOrProblem left = parse_tokens(s.tokens, 0, s.equals, printed_.language);
    if (left.problem || left.tree[left.root].kind != Tree::Kind::name) {
        bound.role = Bound::Role::equation;
        bound.theirs = "equation";
        return;
    }
    const Tree::Node& node = left.tree[left.root];
    bound.theirs = write_name(node.name, node.indices, printed_.language);
    if (const auto before = scope_.find(key(node)); before != scope_.end()) bound.previous = before->second;
    const std::size_t so_far = problems_.size();
    std::string shown;
    if (const auto need = by_rule(table_.targets, node, true, &shown)) {
        bound.role = Bound::Role::target;
        bound.need = need;
        bound.ours = shown;
        return;
    }
    if (problems_.size() > so_far) {
        bound.role = Bound::Role::target;
        return;
    }
    std::vector<std::string> names{node.name};
    if (printed_.language == Language::fortran && !node.indices.empty()) {
        for (const std::string& known : ours_.known()) {
            if (lower(known) == lower(node.name)) names = {known};
        }
    }
    if (NamesTable::find(table_.names, folded(node.name, printed_.language), node.indices)) return take_ruled_name(bound, node);
    const bool is_state = names[0] == "q" || names[0] == "u" || names[0] == "lambda";
    const Quantities::Found found = is_state ? Quantities::Found{} : find_entry(names[0], from_one(node.indices));
    const bool is_symbol = ours_.symbol(node.name).has_value() && node.indices.empty() && node.name.find('\'') == std::string::npos;
    // C(6) and R may be names of the writer's; M and f with the wrong indices are slips
    const bool is_plainly_ours = names[0] == "M" ? !node.indices.empty() || printed_.language == Language::ours
                                                 : (names[0] == "f" || names[0] == "G" || names[0] == "gamma") && !node.indices.empty();
    if (found.value && !is_symbol) {
        bound.role = Bound::Role::target;
        bound.need = found.value;
        bound.ours = found.name;
    } else if (found.is_known && !found.value && !is_symbol && (!found.is_miscounted || is_plainly_ours)) {
        problems_.push_back({.severity = Diagnostic::Severity::error, .file = file_, .where = s.where, .what = found.why, .hint = {}});
    } else if (is_symbol) {
        bound.role = Bound::Role::equation;  // tau = M … : decided when the right side is known
        bound.is_rate = node.name.ends_with('\'');
    }
    bound.is_rate |= node.indices.empty() && node.name.ends_with('\'');
}

/// A name that a rule explains, and that is assigned all the same: what it is given must be what the rule says.
void Binder::take_ruled_name(Bound& bound, const Tree::Node& node) {
    std::string shown;
    const auto meant = by_rule(table_.names, node, false, &shown);
    if (!meant || meant->is_undefined()) return;
    bound.ours = shown;
    const bool is_symbol = meant->is_symbol();
    if (is_symbol && meant->symbol().role == sym::Role::acceleration) {
        bound.is_rate = true;
        const TreeOrProblem parsed = parse_printed(shown, Language::ours);
        const Tree::Node& named = parsed.tree[parsed.root];
        const Quantities::Found found = ours_.find(named.name, named.indices);
        bound.role = found.value ? Bound::Role::target : Bound::Role::equation;
        bound.need = found.value;
    } else if (is_symbol && (meant->symbol().role == sym::Role::parameter || meant->symbol().role == sym::Role::input)) {
        bound.role = Bound::Role::equation;  // tau = …, or m = 2: decided when the right side is known
    } else {
        bound.role = Bound::Role::target;
        bound.need = meant;
    }
}

/// `g = 9.81` where the model says the same: then g stays g. Any other value is told, as it changes what later lines mean.
bool Binder::is_own_value(const Bound& bound, const Expr& symbol, const Expr& value) {
    if (value.is_undefined()) return false;
    if (value == symbol || value.node().residue == symbol.node().residue) return true;
    if (!symbol.is_symbol()) return false;
    const std::string name = symbol.symbol().name;
    const auto own = ours_.nominal.find(name);
    if (value.is_number() && own != ours_.nominal.end() &&
        std::abs(value.number().to_double() - own->second) <= 1e-12 * std::abs(own->second))
        return true;
    std::string hint = "later lines use this value";
    if (value.is_number() && own != ours_.nominal.end())
        hint = fmt::format("the model has {:.10g}; leave the line out, and {} stays a symbol", own->second, name);
    problems_.push_back({.severity = Diagnostic::Severity::warning,
                         .file = file_,
                         .where = bound.text->where,
                         .what = fmt::format("line {} gives the model's {} another meaning", bound.text->where.line, name),
                         .hint = std::move(hint)});
    return false;
}

std::optional<Binder::Reading> Binder::read_again(const Tree& tree, Tree::Part root, std::size_t statement, const Expr& before) {
    Reading out;
    out.definition.assign(tree.nodes.size(), -1);
    bool is_known = true;
    const auto value = [&](Tree::Part part) -> Expr {
        // what the name was when this statement was reached
        const Bound& bound = statements_[statement];
        const Tree::Node& node = tree[part];
        const std::string wanted = key(node);
        Meaning m;
        int defined = -1;
        for (std::size_t i = 0; i < statement; ++i) {
            if (!statements_[i].key.empty() && statements_[i].key == wanted) defined = static_cast<int>(i);
        }
        if (defined >= 0) {
            out.definition[part] = defined;
            if (defined == bound.previous) return before;
            const Bound& d = statements_[defined];
            return d.is_damaged ? Expr(ours_.desk, sym::Pool::undefined_id) : d.parts[d.root];
        }
        const auto known = meanings_.find(wanted);
        if (known != meanings_.end()) {
            m.value = known->second;
        } else {
            m.value = by_rule(table_.names, node, false);
            if (!m.value) m.value = our_symbol(node);
            meanings_.emplace(wanted, m.value);
        }
        is_known &= m.value.has_value();
        return m.value.value_or(Expr(ours_.desk, sym::Pool::zero_id));
    };
    build(tree, root, ours_.desk, value, &out.parts);
    if (!is_known) return std::nullopt;
    return out;
}

void Binder::bind(Bound& bound, std::size_t index) {
    const Statement& s = *bound.text;
    if (s.problem && (s.equals == 0 || s.equals + 1 >= s.tokens.size())) {
        bound.is_damaged = true;
        bound.role = Bound::Role::intermediate;
        return;
    }
    take_left_side(bound);
    bound.is_damaged = s.problem.has_value();
    const auto define = [&] {
        const TreeOrProblem left = parse_tokens(s.tokens, 0, s.equals, printed_.language);
        const bool is_name = !left.problem && left.tree[left.root].kind == Tree::Kind::name;
        if (is_name && !bound.is_rate) {
            bound.key = key(left.tree[left.root]);
            scope_.insert_or_assign(bound.key, static_cast<int>(index));
        }
    };
    if (bound.is_damaged) {
        if (bound.previous >= 0) statements_[bound.previous].is_used = true;
        return define();
    }
    bound.tree = s.tree;
    bound.root = s.right;
    const bool is_single_name = s.tree[s.left].kind == Tree::Kind::name;
    const bool is_rate = bound.is_rate;
    if (bound.role == Bound::Role::equation || is_rate) {
        bound.tree.nodes.push_back({.kind = Tree::Kind::sum,
                                    .first = 0,
                                    .last = static_cast<std::uint32_t>(s.tokens.size() - 2),
                                    .name = {},
                                    .indices = {},
                                    .number = {},
                                    .args = {s.left, s.right},
                                    .turned = {false, true},
                                    .signs = {Tree::none, Tree::none}});
        bound.root = static_cast<Tree::Part>(bound.tree.nodes.size() - 1);
    }
    bound.definition.assign(bound.tree.nodes.size(), -1);
    const auto value = [&](Tree::Part part) -> Expr {
        const Meaning m = meaning(bound.tree[part], index);
        bound.definition[part] = m.definition;
        if (m.definition >= 0) {
            Bound& d = statements_[m.definition];
            d.is_used = true;
            if (d.is_damaged)
                bound.unreadable = m.definition;
            else if (d.unreadable >= 0)
                bound.unreadable = d.unreadable;
        }
        if (!m.value) complain_unknown(bound.tree[part], bound);
        return m.value.value_or(Expr(ours_.desk, sym::Pool::undefined_id));
    };
    build(bound.tree, bound.root, ours_.desk, value, &bound.parts);
    if (bound.role == Bound::Role::target && is_rate) {
        if (has_acceleration(bound.parts[s.right])) {
            bound.role = Bound::Role::equation;  // x'' = … - l*theta'': one row, solved for x''
            bound.need.reset();
        } else {
            bound.root = s.right;
        }
    }
    if (bound.role == Bound::Role::equation && is_single_name && !has_acceleration(bound.parts[bound.root])) {
        bound.role = Bound::Role::intermediate;  // m1 = 2: a name of the writer's, whatever ours means
        bound.root = s.right;
        const Expr& meant = bound.parts[s.left];
        const bool is_first = bound.definition[s.left] < 0;
        if (is_first && is_own_value(bound, meant, bound.parts[s.right])) {
            bound.is_used = true;  // no target that was misspelled
            return;
        }
        bound.is_used |= is_first;
    }
    if (bound.role == Bound::Role::equation) {
        bound.theirs = "equation";
    } else {
        define();
    }
}

void Binder::collect_atoms() {
    std::set<std::string> seen;
    std::set<std::pair<std::uint64_t, std::uint64_t>> values;
    const auto add = [&](std::string spelling, std::string_view name, const Expr& value, bool only_if_new, int definition = -1) {
        if (value.is_undefined() || value.is_number()) return;
        const auto residue = std::pair{value.node().residue.r1, value.node().residue.r2};
        if (only_if_new && values.contains(residue)) return;
        if (!seen.insert(spelling).second) return;
        values.insert(residue);
        atoms_.push_back({std::move(spelling), folded(name, printed_.language), value, definition});
    };
    for (const Bound& b : statements_) {
        if (b.is_damaged) continue;
        for (Tree::Part i = 0; i < b.tree.nodes.size(); ++i) {
            const Tree::Node& node = b.tree[i];
            if (node.kind == Tree::Kind::name && i < b.parts.size() && b.definition[i] < 0) {
                add(write_name(node.name, node.indices, printed_.language), node.name, b.parts[i], false);
            }
        }
    }
    Diagnostics kept = problems_;
    const auto try_rule = [&](const Rule& r, std::vector<std::string> indices) {
        Tree::Node node;
        node.kind = Tree::Kind::name;
        node.name = r.name;
        node.indices = std::move(indices);
        if (const auto e = by_rule(table_.names, node, false))
            add(write_name(node.name, node.indices, printed_.language), r.name, *e, false);
    };
    for (const Rule& r : table_.names) {
        if (!r.has_letters) {
            try_rule(r, r.indices);
        } else if (r.indices.size() == 1) {
            for (int i = 0; i < 10; ++i) try_rule(r, {std::to_string(i)});
        } else if (r.indices.size() == 2) {
            for (int i = 0; i < 7; ++i) {
                for (int j = 0; j < 7; ++j) try_rule(r, {std::to_string(i), std::to_string(j)});
            }
        }
    }
    problems_ = std::move(kept);  // indices that lead nowhere are nobody's mistake
    const bool is_ours = printed_.language == Language::ours;
    for (const auto& [name, e] : ours_.symbols()) {
        if (name.find('\'') == std::string::npos || is_ours) add(name, name, e, true);
    }
    // names of the writer's own that have one meaning
    for (std::size_t i = 0; i < statements_.size(); ++i) {
        const Bound& b = statements_[i];
        if (b.role != Bound::Role::intermediate || b.is_damaged || b.key.empty() || b.previous >= 0) continue;
        if (std::ranges::any_of(statements_, [&](const Bound& later) { return later.previous == static_cast<int>(i); })) continue;
        add(b.theirs, b.theirs, b.parts[b.root], true, static_cast<int>(i));
    }
    for (const Expr& x : ours_.angles()) {
        const std::string of = spelled_angle(x);
        if (of.empty()) continue;
        add("cos(" + of + ")", "cos", cos(x), true);
        add("sin(" + of + ")", "sin", sin(x), true);
    }
}

/// An angle in the writer's names; empty when one of its coordinates has no name in formulas.
std::string Binder::spelled_angle(const Expr& x) const {
    const auto spelling = [&](const Expr& symbol) -> const std::string* {
        const auto at = std::ranges::find(atoms_, symbol, &Atom::value);
        return at == atoms_.end() ? nullptr : &at->spelling;
    };
    if (x.is_symbol()) return spelling(x) == nullptr ? std::string() : *spelling(x);
    for (const Expr& n : sym::nodes_below(std::span(&x, 1))) {
        if (n.is_symbol() && (spelling(n) == nullptr || *spelling(n) != n.symbol().name)) return {};
    }
    return sym::print(x);
}

}  // namespace linkwright::compare
