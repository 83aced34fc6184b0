#include "linkwright/compare/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "linkwright/base/text.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/functions.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::compare {

using sym::Binding;

namespace {

/// Parameters that are made of others, spelled out in those that are numbers.
std::vector<Binding> derived_parameters(const eom::EquationsOfMotion& e, sym::Pool& desk) {
    std::vector<Binding> made;
    std::vector<Binding> waiting;
    for (const eom::Parameter& p : e.parameters) {
        const Expr symbol = sym::transplant(std::span(&p.symbol, 1), desk)[0], value = sym::transplant(std::span(&p.value, 1), desk)[0];
        if (!sym::nodes_below(std::span(&value, 1)).empty() &&
            std::ranges::any_of(sym::nodes_below(std::span(&value, 1)), [](const Expr& n) { return n.is_symbol(); })) {
            waiting.emplace_back(symbol, value);
        }
    }
    // as deep as they are made of one another
    for (std::size_t round = 0; round < waiting.size(); ++round) {
        sym::Substitution put_in(waiting);
        bool changes = false;
        for (auto& [symbol, value] : waiting) {
            const Expr next = put_in(value);
            changes |= next != value;
            value = next;
        }
        if (!changes) break;
    }
    return waiting;
}

bool is_singular(const sym::Matrix& A) {  // at the desk's point
    std::vector<std::vector<sym::Residue>> m;
    for (const auto& row : A) {
        m.emplace_back();
        for (const Expr& x : row) m.back().push_back(x.node().residue);
    }
    for (std::size_t k = 0; k < m.size(); ++k) {
        const auto pivot = std::find_if(m.begin() + static_cast<std::ptrdiff_t>(k), m.end(),
                                        [&](const auto& row) { return sym::inverse(row[k]).has_value(); });
        if (pivot == m.end()) return true;
        std::swap(*pivot, m[k]);
        const sym::Residue inverse = *sym::inverse(m[k][k]);
        for (std::size_t i = k + 1; i < m.size(); ++i) {
            const sym::Residue by = m[i][k] * inverse;
            for (std::size_t j = k; j < m.size(); ++j) m[i][j] = m[i][j] - by * m[k][j];
        }
    }
    return false;
}

}  // namespace

Quantities::Quantities(const eom::EquationsOfMotion& e, sym::Pool& pool, const std::vector<std::pair<std::string, Expr>>& frozen)
    : desk(pool) {
    const std::vector<Binding> derived = derived_parameters(e, desk);
    sym::Transplant carry(desk);
    sym::Substitution spelled_out(derived);
    const auto here = [&](const Expr& x) { return derived.empty() ? carry(x) : spelled_out(carry(x)); };
    const auto all = [&](const std::vector<Expr>& list) {
        std::vector<Expr> out;
        for (const Expr& x : list) out.push_back(here(x));
        return out;
    };
    q = all(e.q), u = all(e.u), udot = all(e.udot), qdot = all(e.qdot), f = all(e.f);
    states = all(e.x), state_rates = all(e.xdot);
    for (const auto& row : e.M) M.push_back(all(row));
    for (const eom::Constraint& c : e.constraints) {
        G.push_back(all(c.G)), gamma.push_back(here(c.gamma)), phi.push_back(here(c.phi)), rate.push_back(here(c.rate));
        lambda.push_back(here(c.lambda)), constraint_names.push_back(c.name);
    }
    t = here(e.t), T = here(e.energy.kinetic), V = here(e.energy.potential), power = here(e.power);
    for (const eom::Output& o : e.outputs) outputs.emplace_back(o.name, here(o.value));
    for (const eom::BodyPose& pose : e.poses) {
        Body b{.name = pose.name, .com = all({pose.com.begin(), pose.com.end()}), .R = {}, .B = {}, .a0 = {}};
        for (const auto& row : pose.R) {
            for (const Expr& x : row) b.R.push_back(here(x));
        }
        const auto partial = std::ranges::find(e.partial_velocities, pose.name, &eom::PartialVelocities::body);
        if (partial != e.partial_velocities.end()) {
            for (const auto& row : partial->B) b.B.push_back(all(row));
            b.a0 = all({partial->Bdot_u.begin(), partial->Bdot_u.end()});
        }
        bodies.push_back(std::move(b));
    }
    is_natural = q.size() == u.size() && std::ranges::equal(qdot, u);
    for (const eom::Parameter& p : e.parameters) constants_.insert_or_assign(p.symbol.symbol().name, here(p.symbol));
    for (const eom::Input& w : e.inputs) constants_.insert_or_assign(w.symbol.symbol().name, here(w.symbol));
    for (const Expr& state : states) constants_.insert_or_assign(state.symbol().name, state);
    constants_.insert_or_assign(t.symbol().name, t);
    for (const Expr& l : lambda) constants_.insert_or_assign(l.symbol().name, l);
    for (const auto& [name, value] : frozen) constants_.emplace(name, here(value));
    const auto known = [&](const Expr& s) {
        const auto at = nominal.find(s.symbol().name);
        return at == nominal.end() ? 0.0 : at->second;
    };
    for (std::size_t round = 0; round < 8; ++round) {  // parameters that are made of others
        for (const eom::Parameter& p : e.parameters)
            nominal.insert_or_assign(p.symbol.symbol().name, sym::evaluate<double>(here(p.value), known));
    }
    for (const eom::Input& w : e.inputs) nominal.insert_or_assign(w.symbol.symbol().name, sym::evaluate<double>(here(w.value), known));
    for (const eom::Initial& i : e.initial) {
        const Expr what = here(i.what);
        if (what.is_symbol()) nominal.insert_or_assign(what.symbol().name, sym::evaluate<double>(here(i.value), known));
    }
    std::erase_if(nominal, [](const auto& entry) { return !std::isfinite(entry.second); });
    name_symbols();
}

void Quantities::name_symbols() {
    symbols_ = constants_;
    std::vector<Binding> rates;
    for (std::size_t i = 0; i < q.size(); ++i) rates.emplace_back(q[i], qdot[i]);
    for (std::size_t i = 0; i < u.size(); ++i) rates.emplace_back(u[i], udot[i]);
    for (std::size_t i = 0; i < states.size(); ++i) rates.emplace_back(states[i], state_rates[i]);
    sym::Tangent rate_of = sym::time_derivative(desk, rates);
    for (std::size_t i = 0; i < states.size(); ++i) symbols_.emplace(states[i].symbol().name + "'", state_rates[i]);
    for (const auto* list : {&q, &u, &udot}) {
        for (const Expr& x : *list) symbols_.insert_or_assign(x.symbol().name, x);
    }
    for (std::size_t i = 0; i < q.size(); ++i) {
        const std::string name = q[i].symbol().name;
        symbols_.emplace(name + "'", qdot[i]);
        symbols_.emplace(name + "''", rate_of(qdot[i]));
    }
}

std::optional<Expr> Quantities::symbol(std::string_view name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? std::nullopt : std::optional(found->second);
}

Expr Quantities::row(std::size_t i) const {
    Expr e = -f[i];
    for (std::size_t j = 0; j < u.size(); ++j) e += M[i][j] * udot[j];
    for (std::size_t r = 0; r < lambda.size(); ++r) e += G[r][i] * lambda[r];
    return held(e);
}

std::optional<std::size_t> Quantities::find_index(std::string_view word, std::size_t size, Counts what) const {
    std::size_t n = 0;
    const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (trouble == std::errc{} && end == word.data() + word.size()) return n >= 1 && n <= size ? std::optional(n - 1) : std::nullopt;
    if (what == Counts::plain) return std::nullopt;
    if (what == Counts::bodies) {
        const auto at = std::ranges::find(bodies, word, &Body::name);
        return at == bodies.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - bodies.begin()));
    }
    if (what == Counts::rows) {
        const auto at = std::ranges::find(constraint_names, word);
        return at == constraint_names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - constraint_names.begin()));
    }
    for (const auto* list : {&q, &u, &udot}) {
        for (std::size_t i = 0; i < list->size() && i < size; ++i) {
            if ((*list)[i].symbol().name == word) return i;
        }
    }
    return std::nullopt;
}

const std::vector<Expr>& Quantities::accelerations() {
    if (accelerations_.empty() && !u.empty()) accelerations_ = eom::factored_accelerations(M, f);
    return accelerations_;
}

/// Why they cannot be asked for, if so.
std::string Quantities::no_accelerations() const {
    if (!lambda.empty()) return "accelerations of a closed chain are not written out; compare M, f, G and gamma";
    if (!held_.empty()) return "accelerations are not written out where coordinates are held; compare M and f";
    return {};
}

Expr Quantities::christoffel(std::size_t i, std::size_t j, std::size_t k) {
    const auto derivative = [&](std::size_t a, std::size_t b, std::size_t c) {
        const auto key = std::pair{std::min(a, b), std::pair{std::max(a, b), c}};
        const auto found = derivatives_.find(key);
        return found != derivatives_.end()
                   ? found->second
                   : derivatives_.emplace(key, sym::derivative((free_M_.empty() ? M : free_M_)[a][b], q[c])).first->second;
    };
    return Expr(Rational(1, 2)) * (derivative(i, j, k) + derivative(i, k, j) - derivative(j, k, i));
}

std::vector<std::string> Quantities::known() const {
    std::vector<std::string> names{"M", "f", "q", "u", "udot", "qdot", "T", "V", "power", "C", "h", "dV", "com", "R", "B", "a0"};
    if (!lambda.empty()) names.insert(names.end(), {"G", "gamma", "phi", "rate", "lambda"});
    for (const auto& [name, value] : outputs) names.push_back(name);
    return names;
}

Quantities::Found Quantities::find(std::string_view name, const std::vector<std::string>& indices) {
    Found out;
    const std::size_t n = u.size(), m = lambda.size();
    const auto no = [&](std::string why) {
        out.is_known = true;
        out.why = std::move(why);
        return out;
    };
    const bool is_of_body = name == "com" || name == "R" || name == "B" || name == "a0";
    std::vector<std::size_t> at;
    constexpr Counts freedom = Counts::freedoms, constraint = Counts::rows, plain = Counts::plain;
    /// The indices against the sizes they count in.
    const auto fits = [&](std::initializer_list<std::pair<std::size_t, Counts>> sizes) {
        out.is_known = true;
        if (indices.size() != sizes.size()) {
            out.is_miscounted = true;
            out.why = fmt::format("{} takes {} {}, not {}", name, sizes.size(), sizes.size() == 1 ? "index" : "indices", indices.size());
            return false;
        }
        std::size_t k = 0;
        for (const auto& [size, what] : sizes) {
            const auto i = find_index(indices[k], size, what);
            if (!i) {
                out.why = fmt::format("{} has no index {}: there are {}", name, indices[k], size);
                return false;
            }
            at.push_back(*i);
            ++k;
        }
        std::string shown;
        for (std::size_t i = 0; i < at.size(); ++i)
            shown += fmt::format("{}{}",
                                 i == 0                     ? ""
                                 : i == 1 && at.size() == 3 ? "]["
                                                            : ",",
                                 i == 0 && is_of_body ? bodies[at[0]].name : std::to_string(at[i] + 1));
        out.name = at.empty() ? std::string(name) : fmt::format("{}[{}]", name, shown);
        return true;
    };
    const auto give = [&](const Expr& e) {
        out.value = held(e);
        out.at = at;
        return out;
    };
    const auto list = [&](const std::vector<Expr>& values, Counts what) {
        if (fits({{values.size(), what}})) return give(values[at[0]]);
        return out;
    };
    const std::string natural = "this needs coordinates whose rates are the speeds";

    if (name == "M") return fits({{n, freedom}, {n, freedom}}) ? give(M[at[0]][at[1]]) : out;
    if (name == "f") return list(f, freedom);
    if (name == "q") return list(q, freedom);
    if (name == "u") return list(u, freedom);
    if (name == "qdot") return list(qdot, freedom);
    if (name == "udot") {
        if (!fits({{n, freedom}})) return out;
        if (const std::string why = no_accelerations(); !why.empty()) return no(why);
        return give(accelerations()[at[0]]);
    }
    if (m > 0 && name == "G") return fits({{m, constraint}, {n, freedom}}) ? give(G[at[0]][at[1]]) : out;
    if (m > 0 && name == "gamma") return list(gamma, constraint);
    if (m > 0 && name == "phi") return list(phi, constraint);
    if (m > 0 && name == "rate") return list(rate, constraint);
    if (m > 0 && name == "lambda") return list(lambda, constraint);
    if (name == "T") return fits({}) ? give(T) : out;
    if (name == "V") return fits({}) ? give(V) : out;
    if (name == "power") return fits({}) ? give(power) : out;
    if (name == "C") {
        if (!is_natural) return no(natural);
        return fits({{n, freedom}, {n, freedom}, {n, freedom}}) ? give(christoffel(at[0], at[1], at[2])) : out;
    }
    if (name == "h") {
        if (!is_natural) return no(natural);
        if (!fits({{n, freedom}})) return out;
        Expr sum(desk, sym::Pool::zero_id);
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < n; ++k) sum += christoffel(at[0], j, k) * u[j] * u[k];
        }
        return give(sum);
    }
    if (name == "dV") return fits({{q.size(), freedom}}) ? give(sym::derivative(free_M_.empty() ? V : free_V_, q[at[0]])) : out;
    if (is_of_body) {
        const auto body = std::pair{bodies.size(), Counts::bodies};
        if (name == "com") return fits({body, {3, plain}}) ? give(bodies[at[0]].com[at[1]]) : out;
        if (name == "R") return fits({body, {3, plain}, {3, plain}}) ? give(bodies[at[0]].R[3 * at[1] + at[2]]) : out;
        if (!std::ranges::all_of(bodies, [](const Body& b) { return !b.B.empty() || b.name == "ground"; }))
            return no("these equations have no partial velocities");
        if (name == "B" && !fits({body, {6, plain}, {n, freedom}})) return out;
        if (name == "a0" && !fits({body, {6, plain}})) return out;
        const Body& b = bodies[at[0]];
        if (b.B.empty()) return give(Expr(desk, sym::Pool::zero_id));
        return give(name == "B" ? b.B[at[1]][at[2]] : b.a0[at[1]]);
    }
    for (const auto& [output, value] : outputs) {
        if (output == name) return fits({}) ? give(value) : out;
    }
    // hip' and hip'' on the left side: what ours is
    for (std::size_t i = 0; i < q.size(); ++i) {
        const std::string q_name = q[i].symbol().name;
        if (name == q_name + "'") return fits({}) ? give(qdot[i]) : out;
        if (name != q_name + "''") continue;
        if (const std::string why = no_accelerations(); !why.empty()) return no(why);
        if (!fits({})) return out;
        std::vector<Binding> known_rates;
        for (std::size_t k = 0; k < n; ++k) known_rates.emplace_back(udot[k], accelerations()[k]);
        return give(sym::Substitution(known_rates)(symbols_.at(std::string(name))));
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (name != udot[i].symbol().name) continue;
        if (const std::string why = no_accelerations(); !why.empty()) return no(why);
        return fits({}) ? give(accelerations()[i]) : out;
    }
    return out;
}

/// A number or parameters; no coordinate.
std::optional<Expr> Quantities::read_constant(const Rule& rule, Diagnostics& problems) const {
    const auto complain = [&](Position where, std::string what, std::string hint) {
        problems.push_back(
            {.severity = Diagnostic::Severity::error, .file = rule.file, .where = where, .what = std::move(what), .hint = std::move(hint)});
    };
    const TreeOrProblem text = parse_printed(rule.text, Language::ours, rule.text_where);
    if (text.problem) {
        complain(text.problem->where, text.problem->what, text.problem->hint);
        return std::nullopt;
    }
    bool is_right = true;
    const auto meaning = [&](Tree::Part part) -> Expr {
        const Tree::Node& node = text.tree[part];
        if (node.indices.empty() && node.name == "pi") return Expr(desk, sym::Pool::pi_id);
        if (const auto c = constants_.find(node.name); c != constants_.end() && node.indices.empty()) return c->second;
        if (is_right)
            complain(rule.text_where, fmt::format("'{}' is not a constant", node.name),
                     "a coordinate is held at a number or at parameters");
        is_right = false;
        return Expr(desk, sym::Pool::zero_id);
    };
    const Expr value = build(text.tree, text.root, desk, meaning);
    return is_right ? std::optional(value) : std::nullopt;
}

void Quantities::hold(const std::vector<Rule>& rules, Diagnostics& problems) {
    if (rules.empty()) return;
    const std::size_t before = problems.size();
    const auto complain = [&](const Rule& rule, std::string what, std::string hint) {
        problems.push_back({.severity = Diagnostic::Severity::error,
                            .file = rule.file,
                            .where = rule.where,
                            .what = std::move(what),
                            .hint = std::move(hint)});
    };
    if (!is_natural) return complain(rules[0], "coordinates can be held only where speeds are the rates of coordinates", "leave 'at' out");
    std::vector<std::string> names;
    for (const Expr& x : q) names.push_back(x.symbol().name);
    const Expr zero(desk, sym::Pool::zero_id);
    std::vector<Binding> bindings;
    for (const Rule& rule : rules) {
        const auto at = std::ranges::find(names, rule.name);
        if (at == names.end() || !rule.indices.empty()) {
            const auto meant = did_you_mean(rule.name, names);
            complain(rule, fmt::format("'{}' is not a coordinate", rule.name),
                     meant ? fmt::format("did you mean '{}'?", *meant)
                           : "write a coordinate on the left, a constant on the right: link1.y1 = 0");
            continue;
        }
        const auto i = static_cast<std::size_t>(at - names.begin());
        if (const auto value = read_constant(rule, problems)) {
            bindings.emplace_back(q[i], *value), bindings.emplace_back(u[i], zero), bindings.emplace_back(udot[i], zero);
        }
    }
    if (problems.size() > before) return;
    free_M_ = M, free_V_ = V, held_ = bindings;
    sym::Substitution put_in(held_);
    const auto all = [&](std::vector<Expr>& list) {
        for (Expr& x : list) x = put_in(x);
    };
    for (auto* list : {&f, &gamma, &phi, &rate}) all(*list);
    for (auto* matrix : {&M, &G}) {
        for (auto& row : *matrix) all(row);
    }
    for (Expr* e : {&T, &V, &power}) *e = put_in(*e);
    for (auto& [name, value] : outputs) value = put_in(value);
    for (auto& [name, value] : symbols_) value = put_in(value);
}

std::vector<Expr> Quantities::angles() const {
    std::vector<Expr> out, roots = f;
    for (const Expr& x : q) {
        if (x.symbol().quaternion < 0) out.push_back(x);
    }
    for (const auto* matrix : {&M, &G}) {
        for (const auto& row : *matrix) roots.insert(roots.end(), row.begin(), row.end());
    }
    constexpr std::size_t most = 200;
    for (const Expr& n : sym::nodes_below(roots)) {
        if (n.op() != sym::Op::sin && n.op() != sym::Op::cos) continue;
        if (out.size() < most && std::ranges::find(out, n.arg(0)) == out.end()) out.push_back(n.arg(0));
    }
    return out;
}

void Quantities::change_coordinates(const std::vector<Rule>& rules, Diagnostics& problems) {
    if (rules.empty()) return;
    const auto complain = [&](const Rule& rule, Position where, std::string what, std::string hint = {}) {
        problems.push_back(
            {.severity = Diagnostic::Severity::error, .file = rule.file, .where = where, .what = std::move(what), .hint = std::move(hint)});
    };
    const std::size_t before = problems.size();
    if (!is_natural)
        return complain(rules[0], rules[0].where, "coordinates can be changed only where speeds are the rates of coordinates",
                        "leave [coordinates] out");
    std::vector<std::string> names;
    for (const Expr& x : q) names.push_back(x.symbol().name);
    for (const Rule& rule : rules) {
        if (rule.indices.empty() && std::ranges::find(names, rule.name) != names.end()) continue;
        const auto meant = did_you_mean(rule.name, names);
        complain(rule, rule.where, fmt::format("'{}' is not a coordinate of the model", rule.name),
                 meant ? fmt::format("did you mean '{}'?", *meant)
                       : "write the model's on the left, those of the file on the right: theta2 = phi2 - phi1");
    }
    if (problems.size() > before) return;

    // their coordinates, in the places of those they replace
    std::vector<Expr> p, p_dot, p_ddot, X;
    const auto their = [&](const std::string& name) -> Expr {
        const auto at = std::ranges::find_if(p, [&](const Expr& x) { return x.symbol().name == name; });
        if (at != p.end()) return *at;
        p.push_back(desk.symbol(name, sym::Role::coordinate));
        p_dot.push_back(desk.symbol(name + "'", sym::Role::speed));
        p_ddot.push_back(desk.symbol(name + "''", sym::Role::acceleration));
        return p.back();
    };
    for (std::size_t i = 0; i < q.size(); ++i) {
        const auto rule = std::ranges::find(rules, names[i], &Rule::name);
        if (rule == rules.end()) {
            X.push_back(their(names[i]));
            continue;
        }
        const TreeOrProblem text = parse_printed(rule->text, Language::ours, rule->text_where);
        if (text.problem) {
            complain(*rule, text.problem->where, text.problem->what, text.problem->hint);
            continue;
        }
        bool is_right = true;
        const auto meaning = [&](Tree::Part part) -> Expr {
            const Tree::Node& node = text.tree[part];
            if (node.indices.empty() && node.name == "pi") return Expr(desk, sym::Pool::pi_id);
            if (const auto c = constants_.find(node.name); c != constants_.end() && node.indices.empty()) return c->second;
            const auto taken = desk.find_symbol(node.name);
            if (!node.indices.empty() || node.name.find('\'') != std::string::npos ||
                (taken && taken->symbol().role != sym::Role::coordinate)) {
                complain(*rule, rule->text_where,
                         fmt::format("'{}' cannot be a coordinate", write_name(node.name, node.indices, Language::ours)),
                         "use a plain name");
                is_right = false;
                return Expr(desk, sym::Pool::zero_id);
            }
            return their(node.name);
        };
        X.push_back(build(text.tree, text.root, desk, meaning));
        if (!is_right) return;
    }
    if (problems.size() > before) return;
    if (p.size() != q.size()) {
        std::string list;
        for (const Expr& x : p) list += (list.empty() ? "" : ", ") + x.symbol().name;
        return complain(rules[0], rules[0].where,
                        fmt::format("{} coordinates of the model are given by {} of the file: {}", q.size(), p.size(), list),
                        "there must be as many; coordinates that have no rule stay");
    }

    const std::size_t n = q.size();
    std::vector<Binding> along;
    for (std::size_t j = 0; j < n; ++j) along.emplace_back(p[j], p_dot[j]);
    sym::Tangent rate_of = sym::time_derivative(desk, along);
    sym::Matrix A(n);
    std::vector<Expr> v(n), rest(n);  // u = A ṗ + ∂X/∂t, u̇ = A p̈ + rest
    std::vector<Binding> put_in_list;
    for (std::size_t i = 0; i < n; ++i) {
        v[i] = rate_of(X[i]);
        rest[i] = rate_of(v[i]);
        for (std::size_t j = 0; j < n; ++j) A[i].push_back(sym::derivative(X[i], p[j]));
    }
    if (is_singular(A))
        return complain(rules[0], rules[0].where, "these coordinates do not determine the motion", "one of them follows from the others");
    for (std::size_t i = 0; i < n; ++i) {
        Expr a = rest[i];
        for (std::size_t j = 0; j < n; ++j) a += A[i][j] * p_ddot[j];
        put_in_list.emplace_back(q[i], X[i]);
        put_in_list.emplace_back(u[i], v[i]);
        put_in_list.emplace_back(udot[i], a);
    }
    sym::Substitution put_in(put_in_list);
    for (auto* list : {&f, &gamma, &phi, &rate}) {
        for (Expr& x : *list) x = put_in(x);
    }
    for (auto* matrix : {&M, &G}) {
        for (auto& row : *matrix) {
            for (Expr& x : row) x = put_in(x);
        }
    }
    T = put_in(T), V = put_in(V), power = put_in(power);
    for (Body& b : bodies) {
        for (auto* list : {&b.com, &b.R, &b.a0}) {
            for (Expr& x : *list) x = put_in(x);
        }
        for (std::size_t k = 0; k < b.B.size(); ++k) {
            std::vector<Expr> row(n, Expr(desk, sym::Pool::zero_id));
            for (std::size_t i = 0; i < n; ++i) {
                const Expr old = put_in(b.B[k][i]);
                b.a0[k] += old * rest[i];
                for (std::size_t j = 0; j < n; ++j) row[j] += old * A[i][j];
            }
            b.B[k] = std::move(row);
        }
    }
    for (auto& [name, value] : outputs) value = put_in(value);

    const Expr zero(desk, sym::Pool::zero_id);
    sym::Matrix MA(n, std::vector<Expr>(n, zero)), new_M = MA;
    std::vector<Expr> left(n, zero), new_f(n, zero);
    for (std::size_t i = 0; i < n; ++i) {
        left[i] = f[i];
        for (std::size_t k = 0; k < n; ++k) {
            left[i] -= M[i][k] * rest[k];
            for (std::size_t j = 0; j < n; ++j) MA[i][j] += M[i][k] * A[k][j];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            new_f[i] += A[k][i] * left[k];
            for (std::size_t j = 0; j < n; ++j) new_M[i][j] += A[k][i] * MA[k][j];
        }
    }
    for (std::size_t r = 0; r < G.size(); ++r) {
        std::vector<Expr> row(n, zero);
        for (std::size_t k = 0; k < n; ++k) {
            gamma[r] -= G[r][k] * rest[k];
            for (std::size_t j = 0; j < n; ++j) row[j] += G[r][k] * A[k][j];
        }
        G[r] = row;
    }
    M = new_M, f = new_f, q = p, u = p_dot, udot = p_ddot, qdot = p_dot;
    name_symbols();
}

Expr build(const Tree& tree, Tree::Part root, sym::Pool& pool, const std::function<Expr(Tree::Part)>& value, std::vector<Expr>* parts) {
    std::vector<Expr> own;
    std::vector<Expr>& out = parts != nullptr ? *parts : own;
    out.assign(tree.nodes.size(), Expr(pool, sym::Pool::zero_id));
    const auto number = [&](const Rational& r) { return Expr(pool, pool.make_number(r)); };
    std::vector<bool> wanted(tree.nodes.size(), false);
    wanted[root] = true;
    for (std::size_t i = root + 1; i-- > 0;) {
        if (!wanted[i]) continue;
        for (const Tree::Part a : tree.nodes[i].args) wanted[a] = true;
    }
    for (Tree::Part i = 0; i <= root; ++i) {
        if (!wanted[i]) continue;
        const Tree::Node& node = tree[i];
        switch (node.kind) {
            case Tree::Kind::number: out[i] = number(node.number); break;
            case Tree::Kind::name: out[i] = value(i); break;
            case Tree::Kind::sum: {
                Expr sum = number(0);
                for (std::size_t k = 0; k < node.args.size(); ++k) sum = node.turned[k] ? sum - out[node.args[k]] : sum + out[node.args[k]];
                out[i] = sum;
                break;
            }
            case Tree::Kind::product: {
                Expr product = number(1);
                for (std::size_t k = 0; k < node.args.size(); ++k)
                    product = node.turned[k] ? product / out[node.args[k]] : product * out[node.args[k]];
                out[i] = product;
                break;
            }
            case Tree::Kind::power: out[i] = sym::pow(out[node.args[0]], out[node.args[1]]); break;
            case Tree::Kind::call: {
                const Expr& x = out[node.args[0]];
                const std::string& f = node.name;
                if (const auto* row = sym::find_elementary_function(f))
                    out[i] = sym::make_function(row->op, x);
                else if (f == "sqrt")
                    out[i] = sqrt(x);
                else if (f == "atan2")
                    out[i] = atan2(x, out[node.args[1]]);
                else if (f == "if")
                    out[i] = select(x, out[node.args[1]], out[node.args[2]]);
                else {
                    Expr value_so_far = x;
                    for (std::size_t k = 1; k < node.args.size(); ++k) {
                        value_so_far = f == "min" ? min(value_so_far, out[node.args[k]]) : max(value_so_far, out[node.args[k]]);
                    }
                    out[i] = value_so_far;
                }
                break;
            }
        }
    }
    return out[root];
}

}  // namespace linkwright::compare
