#include "linkwright/formulation/explain_finish.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "linkwright/formulation/armature.hpp"
#include "linkwright/formulation/user_speeds.hpp"
#include "linkwright/kinematics/rotor.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::formulation {

namespace {

bool vanishes(std::span<const Expr> v) {
    return std::ranges::all_of(v, [](const Expr& e) { return e.is_literally(0); });
}

std::string listed(std::span<const Expr> symbols) {
    std::vector<std::string> names;
    for (const Expr& s : symbols) names.push_back(fmt::format("`{}`", s.symbol().name));
    return fmt::format("{}", fmt::join(names, ", "));
}

/// The model's definitions where the equations live: given motions and cut joints put in, as finish() has them.
std::vector<model::UserSpeed> definitions_in(sym::Pool& pool, const Mechanism& m) {
    std::vector<model::UserSpeed> speeds = m.model->speeds;
    if (&pool == m.model->pool.get()) return speeds;
    sym::Transplant put_in(pool);
    for (const auto* list : {&m.given, &m.defined}) {
        for (const sym::Binding& b : *list) put_in.replace(b.first, put_in(b.second));
    }
    for (model::UserSpeed& s : speeds) s.symbol = put_in(s.symbol), s.definition = put_in(s.definition);
    return speeds;
}

/// Ẏ s + ẏ, in the model's own speeds.
std::vector<Expr> rest(const eom::EquationsOfMotion& e, const UserSpeeds& own) {
    const std::size_t n = e.u.size();
    std::vector<Expr> u = own.nu;
    std::vector<sym::Binding> speeds, moving;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) u[i] += own.N[i][j] * own.s[j];
        speeds.emplace_back(e.u[i], u[i]);
    }
    sym::Substitution in_speeds(speeds);
    for (std::size_t i = 0; i < e.q.size(); ++i) moving.emplace_back(e.q[i], in_speeds(e.qdot[i]));
    moving.emplace_back(e.t, Expr(1));
    sym::Tangent rate(moving);
    for (Expr& x : u) x = rate(x);
    return u;
}

}  // namespace

std::optional<OwnTerms> own_terms(const Mechanism& m) {
    const std::size_t n = m.freedoms.size();
    OwnTerms terms{sym::zeros(n, n), std::vector<Expr>(n), "M_rotors", "f_rotors", {}, {}};
    const std::string about =
        "A rotor with a speed of its own turns in its body about an axis a. `I` is its inertia about that axis, which the inertia of the "
        "body contains already; `c` is the derivative of `a^T omega` by the speeds, `omega` being the angular velocity of the body; `e` "
        "has "
        "a 1 in the column of the rotor's speed";
    terms.step = {"Driven rotors", about + "; `p` is the rate of `a^T omega` at `u' = 0`.", {}, ""};
    terms.step_of_M = {"Driven rotors", about + ".", {}, ""};
    const auto put = [&](eom::Step::Line line) {
        terms.step.lines.push_back(line);
        terms.step_of_M.lines.push_back(std::move(line));
    };
    std::vector<Expr> u;
    for (const kinematics::Freedom& f : m.freedoms) u.push_back(f.u);
    sym::Tangent rate(kinematics::rates(m, false));
    for (std::size_t r = 0; r < n; ++r) {
        const auto* rotor = dynamic_cast<const kinematics::Rotor*>(m.freedoms[r].of.get());
        if (rotor == nullptr) continue;
        const Expr& inertia = rotor->axial_inertia();
        const std::string& name = u[r].symbol().name;
        const Expr turning = dot(rotor->axis(), m.V[m.freedoms[r].body].w), p = rate(turning);
        const std::vector<Expr> c = gradient(turning, u);
        std::vector<Expr> e(n);
        e[r] = 1;
        for (std::size_t i = 0; i < n; ++i) {
            terms.M[i][r] += inertia * c[i];
            terms.M[r][i] += inertia * c[i];
        }
        terms.M[r][r] += inertia;
        terms.f[r] -= inertia * p;
        put({fmt::format("I[{}]", name), {{inertia}}});
        put({fmt::format("c[{}]", name), {c}});
        put({fmt::format("e[{}]", name), {std::move(e)}});
        terms.step.lines.push_back({fmt::format("p[{}]", name), {{p}}});
    }
    if (terms.step.lines.empty()) return std::nullopt;
    put({terms.name_of_M, terms.M, "sum over r of I[r] (e[r]^T c[r] + c[r]^T e[r] + e[r]^T e[r])"});
    terms.step.lines.push_back({terms.name_of_f, column(terms.f), "-sum over r of I[r] e[r]^T p[r]"});
    return terms;
}

std::optional<OwnTerms> drive_terms(const System& s) {
    if (s.armatures.empty()) return std::nullopt;
    const ArmatureTerms all = armature_terms(s);
    OwnTerms terms{all.M, all.f, "M_drives", vanishes(all.f) ? "" : "f_drives", {}, {}};
    terms.step = {"Drives in the joints",
                  "A rotor that turns with a joint through a gear resists with `-a w'`: `w` is the speed of the joint, `a` the inertia of "
                  "the rotor times the square of the gear's ratio, `j` the derivative of `w` by the speeds.",
                  {},
                  "featherstone08 §9.6"};
    if (!terms.name_of_f.empty()) terms.step.text += " `p` is the rate of `w` at `u' = 0`.";
    std::vector<Expr> u;
    for (const kinematics::Freedom& f : s.mechanism.freedoms) u.push_back(f.u);
    sym::Tangent rate(kinematics::rates(s.mechanism, false));
    for (const kinematics::Armature& a : s.armatures) {
        const std::string& name = s.mechanism.model->joints[a.joint].speeds[a.part].symbol().name;
        terms.step.lines.push_back({fmt::format("a[{}]", name), {{a.inertia}}});
        terms.step.lines.push_back({fmt::format("j[{}]", name), {gradient(a.speed, u)}});
        if (!terms.name_of_f.empty()) terms.step.lines.push_back({fmt::format("p[{}]", name), {{rate(a.speed)}}});
    }
    terms.step.lines.push_back({terms.name_of_M, terms.M, "sum over d of a[d] j[d]^T j[d]"});
    if (!terms.name_of_f.empty()) terms.step.lines.push_back({terms.name_of_f, column(terms.f), "-sum over d of a[d] j[d]^T p[d]"});
    terms.step_of_M = terms.step;
    return terms;
}

std::string with_own_M(std::string all, const std::optional<OwnTerms>& own) {
    if (own) all.append(" + ").append(own->name_of_M);
    return all;
}
std::string with_own_f(std::string all, const std::optional<OwnTerms>& own) {
    if (own && !own->name_of_f.empty()) all.append(" + ").append(own->name_of_f);
    return all;
}

std::string carried_by(const Mechanism& m, BodyIndex b) {
    std::vector<std::string_view> kinds;
    for (const auto& c : m.contributions[b]) {
        if (std::ranges::find(kinds, c->plural()) == kinds.end()) kinds.push_back(c->plural());
    }
    return fmt::format("{}", fmt::join(kinds, " and "));
}

std::optional<eom::Step> given_motions(const Mechanism& m, std::string citation) {
    if (m.given.empty()) return std::nullopt;
    eom::Step step{"Given motions",
                   "These coordinates are functions of time, and so are their speeds. Their rows of `M` and `f` leave the equations: they "
                   "give the forces "
                   "that drive the motion. Their columns, times the given accelerations `u_g'`, move to the right-hand side.",
                   {},
                   std::move(citation)};
    for (const sym::Binding& b : m.given) step.lines.push_back({b.first.symbol().name, {{b.second}}});
    return step;
}

std::string mass_of_free(const Mechanism& m, const std::string& all) {
    return m.given.empty() ? all : "the rows and columns of the free speeds, M_ff, of " + all;
}
std::string forcing_of_free(const Mechanism& m, const std::string& all) {
    return m.given.empty()
               ? all
               : "f_f - M_fg u_g', where f_f are the rows of the free speeds, and M_fg those in the columns of given ones, of " + all;
}

std::optional<JointSpeeds> in_joint_speeds(const System& system, const eom::EquationsOfMotion& finished, Derive derive,
                                           const std::string& row) {
    const Mechanism& m = system.mechanism;
    if (m.model->speeds.empty() || finished.reduction) return std::nullopt;
    model::Model plain = *m.model;
    plain.speeds.clear();
    Derived derived = derive(plain, *m.topology, {});
    if (!derived.equations) return std::nullopt;
    JointSpeeds result{std::move(*derived.equations), {}};
    const eom::EquationsOfMotion& e = result.equations;
    const sym::PoolScope scope(*e.pool);
    const auto own = choose_speeds(e.u, e.udot, definitions_in(*e.pool, m), *e.pool);
    if (!own) return std::nullopt;
    const std::vector<Expr> z = rest(e, *own);
    const bool is_still = vanishes(z), has_shift = !vanishes(own->nu);
    eom::Step& step = result.step;
    step = {"The model's own speeds",
            fmt::format("So far `u` are the speeds of the joints: {}. The model chose speeds `s` of its own: {}. Then `u = Y s + y`, `u' = "
                        "Y s' + z`, and "
                        "the equations, times `Y^T`, are `M_own s' {}= f_own`: the finished ones.",
                        listed(e.u), listed(own->s), e.constraints.empty() ? "" : fmt::format("+ {}_own^T lambda ", row)),
            {},
            ""};
    step.lines.push_back({"Y", own->N});
    step.lines.push_back(
        {"y", column(own->nu), "", has_shift ? "" : "Zero: the model's speeds are combinations of those of the joints and nothing else."});
    step.lines.push_back({"z", column(z), "Y' s + y'", is_still ? "Zero: the combinations are constant." : ""});
    step.lines.push_back({"M_own", finished.M, "Y^T M Y"});
    step.lines.push_back(
        {"f_own", column(finished.f), is_still ? "Y^T f, with u = Y s + y put in" : "Y^T (f - M z), with u = Y s + y put in"});
    for (const eom::Constraint& c : finished.constraints) {
        step.lines.push_back({fmt::format("{}_own[{}]", row, c.name), {c.G}, fmt::format("{}[{}] Y", row, c.name)});
        step.lines.push_back({fmt::format("gamma_own[{}]", c.name),
                              {{c.gamma}},
                              is_still ? fmt::format("gamma[{}], with u = Y s + y put in", c.name)
                                       : fmt::format("gamma[{0}] - {1}[{0}] z, with u = Y s + y put in", c.name, row)});
    }
    return result;
}

std::optional<eom::Derivation> nothing_moves(const Mechanism& m) {
    if (!m.freedoms.empty()) return std::nullopt;
    return eom::Derivation{
        {{"Equations of motion",
          m.model->bodies.size() < 2 ? "There are no bodies, and so no speeds and no equations of motion."
                                     : "The joints hold everything: there are no speeds, and no equations of motion are left.",
          {},
          ""}}};
}

void gather(eom::Derivation& derivation, sym::Pool& pool) {
    std::map<const sym::Pool*, sym::Transplant> carriers;  // one for each pool that something comes from
    for (eom::Step& step : derivation.steps) {
        for (eom::Step::Line& line : step.lines) {
            for (auto& row : line.value) {
                for (Expr& x : row) {
                    if (&x.pool() != &pool) x = carriers.try_emplace(&x.pool(), pool).first->second(x);
                }
            }
        }
    }
}

}  // namespace linkwright::formulation
