#include "linkwright/formulation/lagrange/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/formulation/explain_beams.hpp"
#include "linkwright/formulation/explain_finish.hpp"
#include "linkwright/formulation/invariants.hpp"
#include "linkwright/formulation/lagrange/lagrange.hpp"
#include "linkwright/formulation/lagrange/lagrangian.hpp"
#include "linkwright/formulation/lagrange/structure.hpp"
#include "linkwright/formulation/second_order.hpp"
#include "linkwright/kinematics/jacobians.hpp"

namespace linkwright::formulation::lagrange {

namespace {

using Line = eom::Step::Line;

constexpr std::size_t most_symbols = 120;  // more are not read
constexpr std::size_t most_freedoms = 30;  // more take longer than the derivation

std::string name(const Symbol& c) { return fmt::format("C[{},{}]({})", c.j + 1, c.k + 1, c.i + 1); }

class Page {
public:
    Page(const System& s, const eom::EquationsOfMotion& e) : s_(s), m_(s.mechanism), e_(e), L_(lagrangian(s)), speeds_(m_) {
        for (const kinematics::Freedom& f : m_.freedoms) u_.push_back(f.u);
        for (std::size_t i = 0; i < u_.size(); ++i) has_quasi_speeds_ |= !speeds_.is_rate(i);
    }

    eom::Derivation write() {
        coordinates();
        velocities();
        for (eom::Step& s : explain_beams(m_)) d_.steps.push_back(std::move(s));
        energies();
        mass_matrix();
        if (has_quasi_speeds_) structure_coefficients();
        velocity_coupling();
        if (!L_.given_momenta.empty()) gyroscopic_terms();
        generalized_forces();
        constraints();
        drives();
        given_motions();
        equations();
        return std::move(d_);
    }

private:
    eom::Step& step(std::string title, std::string text, std::string citation = {}) {
        return d_.steps.emplace_back(eom::Step{std::move(title), std::move(text), {}, std::move(citation)});
    }

    void coordinates() {
        std::vector<std::string> numbered, quasi;
        for (std::size_t i = 0; i < u_.size(); ++i) {
            numbered.push_back(fmt::format("{} is `{}`", i + 1, u_[i].symbol().name));
            if (!speeds_.is_rate(i)) quasi.push_back(fmt::format("`{}`", u_[i].symbol().name));
        }
        std::string text = fmt::format("Indices count the speeds: {}.", fmt::join(numbered, ", "));
        if (has_quasi_speeds_) {
            text += fmt::format(
                " Of these {} are not the rates of coordinates: `q' = N u` with a matrix `N` that is not 1, and "
                "Lagrange's equations hold in the form of Boltzmann and Hamel.",
                fmt::join(quasi, ", "));
        }
        eom::Step& s = step("Coordinates and speeds", std::move(text), "lee90 (A.12)");
        if (!has_quasi_speeds_) s.text += " Each is the rate of its coordinate.";
        for (const kinematics::Coordinate& c : m_.coordinates) {
            if (!c.rate.is_symbol()) s.lines.push_back({.symbol = c.q.symbol().name + "'", .value = {{c.rate}}});
        }
        for (std::size_t i = 0; i < u_.size(); ++i) {
            if (m_.freedoms[i].is_own() && !m_.freedoms[i].of->moves_mass()) {
                s.lines.push_back({.symbol = u_[i].symbol().name,
                                   .value = {},
                                   .note = fmt::format("`{}` is the spin of a rotor. Its angle enters nowhere: a cyclic coordinate.",
                                                       u_[i].symbol().name)});
            }
        }
    }

    void velocities() {
        eom::Step& s = step("Velocities",
                            "`omega` is the angular velocity of a body and `v` the velocity of its centre of mass, in the "
                            "body's axes; the columns of `J` are their derivatives by the speeds, `omega` above `v`.",
                            "lee90 (A.2)");
        const std::vector<std::vector<kinematics::Column>> J = kinematics::jacobians(m_);
        for (const BodyIndex b : m_.topology->order) {
            if (b == model::ground || is_bare_section(m_, b)) continue;
            const model::Body& body = m_.model->bodies[b];
            const Vec3 v = com_velocity(m_, b);
            s.lines.push_back({.symbol = fmt::format("omega[{}]", body.name), .value = column(m_.V[b].w.e)});
            s.lines.push_back({.symbol = fmt::format("v[{}]", body.name), .value = column(v.e)});
            Matrix rows = sym::zeros(6, u_.size());
            for (const auto& [i, S] : J[b]) {
                const Vec3 at_com = S.v + cross(S.w, body.com);
                for (std::size_t k = 0; k < 3; ++k) rows[k][i] = S.w[k], rows[3 + k][i] = at_com[k];
            }
            s.lines.push_back({.symbol = fmt::format("J[{}]", body.name),
                               .value = std::move(rows),
                               .definition = fmt::format("derivative of omega[{0}] and v[{0}] by u", body.name)});
        }
    }

    void energies() {
        const eom::Energy energy = formulation::energy(s_);
        eom::Step& s = step("Energies", "", "lee90 (A.6), (A.7)");
        std::string T = "sum over i of (m[i] v[i]^T v[i] + omega[i]^T I[i] omega[i]) / 2";
        if (has_rotors()) {
            T += " + sum over r of I[r] sigma[r] (a[r]^T omega + sigma[r] / 2)";
            s.text =
                "The last sum is over the rotors: I is the inertia about the axis a of a rotor, sigma its speed in the body that carries "
                "it, omega the "
                "angular velocity of that body.";
        }
        if (drives_) T += " + sum over d of a[d] w[d]^2 / 2 of the drives";
        if (has_beams(m_)) T += " + sum over the beams of (V^T I V + 2 V^T P w + w^T N w) / 2";
        s.lines.push_back({.symbol = "T", .value = {{energy.kinetic}}, .definition = std::move(T)});
        s.lines.push_back({.symbol = "V",
                           .value = {{energy.potential}},
                           .definition = has_beams(m_) ? "sum over i of -m[i] g^T p[i], and the energy of springs and bent beams"
                                                       : "sum over i of -m[i] g^T p[i], and the energy of the springs"});
        if (!(L_.potential == energy.potential)) {
            s.lines.back().note =
                "Not all of it can be differentiated to give forces: springs in cut joints, and those whose stiffness "
                "follows the motion, enter as generalized forces.";
        }
    }

    void mass_matrix() {
        M_ = lagrange::mass_matrix(m_);
        if (is_second_order(*m_.model)) truncate(m_, M_);
        const std::optional<OwnTerms> own = own_terms(m_);
        if (own) d_.steps.push_back(own->step_of_M);  // that in f: the velocity coupling has it
        eom::Step& s = step("Mass matrix",
                            drives_ ? "The kinetic energy is `u^T M u / 2` apart from what held rotors and drives add; `M` is `M_bodies` "
                                      "until drives are put in."
                                    : "The kinetic energy is `u^T M u / 2` apart from what held rotors add.",
                            "lee90 (A.5)");
        s.lines.push_back(
            {.symbol = drives_ ? "M_bodies" : "M",
             .value = M_,
             .definition = with_own_M(
                 has_beams(m_) ? "sum over i of J[i]^T I[i] J[i], and J^T P and N of the beams" : "sum over i of J[i]^T I[i] J[i]", own)});
    }

    void structure_coefficients() {
        eom::Step& s =
            step("Structure coefficients",
                 "`X[i]` is the derivative along degree of freedom i: the sum over r of `N[r,i]` times the derivative by `q[r]`. Two of "
                 "them do not commute: "
                 "`X[i] X[j] - X[j] X[i] = sum over k of c[k](i,j) X[k]`. Those with `i < j` that are not zero:",
                 "hamel04");
        for (const auto& [i, j, k, value] : speeds_.brackets()) {
            if (i < j) s.lines.push_back({.symbol = fmt::format("c[{}]({},{})", k + 1, i + 1, j + 1), .value = {{value}}});
        }
        if (s.lines.empty()) s.text += " none.";
    }

    std::string counted(const Structure& c) const {
        const auto verb = [](std::size_t n, const char* does) {
            return fmt::format("{} {}{}", n, does, n != 1 ? "" : does == std::string_view("vanish") ? "es" : "s");
        };
        const std::size_t zero = c.count(Fate::non_interacting) + c.count(Fate::independent) + c.count(Fate::cancelled);
        if (c.in_all() == 1) {
            return std::string("There is one symbol, `C[1,1](1)`, half the derivative of `M[1,1]`") +
                   (has_quasi_speeds_ ? " along degree of freedom 1" : " by `q[1]`") + (zero > 0 ? ": it vanishes." : ".");
        }
        std::string text = fmt::format("Of the {} symbols `C[j,k](i)`, {} by symmetry, `C[j,k](i) = C[k,j](i)` (2.63). Of the others {}",
                                       c.in_all(), verb(c.symmetric(), "follow"), verb(zero, "vanish"));
        std::vector<std::string> why;
        const auto add = [&](Fate fate, const std::string& reason) {
            if (const std::size_t n = c.count(fate)) why.push_back(fmt::format("{} {}", n, reason));
        };
        add(Fate::non_interacting,
            has_quasi_speeds_
                ? "because `C[i,j](i)` is half the derivative of `M[i,i]` along degree of freedom j, along which it does not change (2.64)"
                : "because `C[i,j](i)` is half the derivative of `M[i,i]` by `q[j]`, which is not in it (2.64)");
        add(Fate::independent, has_quasi_speeds_
                                   ? "because none of the three entries of `M` changes along the degree of freedom in question"
                                   : "because none of the three entries of `M` depends on the coordinate in question");
        add(Fate::cancelled, "because the derivatives cancel");
        if (!why.empty()) text += fmt::format(" ({})", fmt::join(why, "; "));
        text += fmt::format(", {} by reflective coupling, `C[j,k](i) = -C[j,i](k)` where `M[i,k]` does not {} (2.65)",
                            verb(c.count(Fate::reflected), "follow"),
                            has_quasi_speeds_ ? "change along degree of freedom j" : "depend on `q[j]`");
        if (const std::size_t n = c.count(Fate::repeated))
            text += fmt::format(", {} out to be another one or its negative", verb(n, "turn"));
        return text + fmt::format(", and {}.", verb(c.count(Fate::left), "remain"));
    }

    void velocity_coupling() {
        eom::Step& s = step("Velocity coupling", "", "lee90 (2.54), (2.63)-(2.65)");
        if (u_.size() > most_freedoms) {
            s.text = fmt::format(
                "The symbols `C[j,k](i)` of {} degrees of freedom are not listed: there are {}. The same terms come from "
                "the gradients of `T`: `d/dt (dT/du[i]) - X[i] T`.",
                u_.size(), u_.size() * u_.size() * u_.size());
            return;
        }
        const Structure c = lagrange::velocity_coupling(M_, speeds_);
        s.text = counted(c);
        const char* derivative = has_quasi_speeds_ ? "X" : "d";
        std::size_t shown = 0;
        for (std::size_t i = 0; i < u_.size(); ++i) {
            std::vector<std::string> non_interacting, independent, cancelled, others;
            for (const Symbol& symbol : c.symbols) {
                if (symbol.i != i) continue;
                const std::string of = fmt::format("`{} = {}{}`", name(symbol), symbol.is_opposite ? "-" : "", name(c.symbols[symbol.of]));
                switch (symbol.fate) {
                    case Fate::left:
                        if (++shown > most_symbols) break;
                        s.lines.push_back(
                            {.symbol = name(symbol), .value = {{symbol.value}}, .definition = definition(symbol, derivative)});
                        break;
                    case Fate::reflected: others.push_back(of + " by reflective coupling"); break;
                    case Fate::repeated: others.push_back(of); break;
                    case Fate::non_interacting: non_interacting.push_back(name(symbol)); break;
                    case Fate::independent: independent.push_back(name(symbol)); break;
                    case Fate::cancelled: cancelled.push_back(name(symbol)); break;
                }
            }
            std::vector<std::string> notes;
            const auto add = [&](const std::vector<std::string>& names, const char* why) {
                if (!names.empty()) notes.push_back(fmt::format("`{} = 0`: {}.", fmt::join(names, "` = `"), why));
            };
            if (u_.size() <= 8) {
                if (!others.empty()) notes.push_back(fmt::format("{}.", fmt::join(others, "; ")));
                const bool is_small = u_.size() <= 4;  // of larger ones the zeros are counted, not listed
                if (is_small) add(non_interacting, "non-interacting");
                if (is_small)
                    add(independent, has_quasi_speeds_ ? "nothing in them changes along the degree of freedom"
                                                       : "nothing in them depends on the coordinate");
                if (is_small) add(cancelled, "the derivatives cancel");
                if (!is_small && notes.empty()) continue;
                Matrix rows = sym::zeros(u_.size(), u_.size());
                for (std::size_t j = 0; j < u_.size(); ++j) {
                    for (std::size_t k = 0; k < u_.size(); ++k) rows[j][k] = c.at(j, k, i).value;
                }
                s.lines.push_back({.symbol = fmt::format("C({})", i + 1),
                                   .value = is_small ? std::move(rows) : Matrix{},
                                   .note = fmt::format("{}", fmt::join(notes, " "))});
            }
        }
        if (shown > most_symbols) s.text += fmt::format(" The first {} of these:", most_symbols);
    }

    static std::string definition(const Symbol& c, std::string_view derivative) {
        const auto term = [&](std::size_t by, std::size_t a, std::size_t b) {
            if (a > b) std::swap(a, b);
            return derivative == "X" ? fmt::format("X[{}] M[{},{}]", by + 1, a + 1, b + 1)
                                     : fmt::format("dM[{},{}]/dq[{}]", a + 1, b + 1, by + 1);
        };
        if (c.i == c.j || c.i == c.k) return term(c.i == c.j ? c.k : c.j, c.i, c.i) + " / 2";
        if (c.j == c.k) return fmt::format("{} - {} / 2", term(c.j, c.i, c.j), term(c.i, c.j, c.j));
        return fmt::format("({} + {} - {}) / 2", term(c.k, c.i, c.j), term(c.j, c.i, c.k), term(c.i, c.j, c.k));
    }

    void gyroscopic_terms() {
        eom::Step& s = step("Held rotors",
                            "A rotor held at its speed adds `h a^T omega` to `T`, with `h` its inertia times the speed and `a` its axis. "
                            "`b` is the derivative of that by the speeds; it changes with time and with the attitude.");
        Expr linear = 0;
        std::vector<Expr> b(u_.size());
        for (const auto& [h, met] : L_.given_momenta) {
            linear += h * met;
            const std::vector<Expr> along = gradient(met, u_);
            for (std::size_t i = 0; i < u_.size(); ++i) b[i] += h * along[i];
        }
        s.lines.push_back({.symbol = "T_1", .value = {{linear}}, .definition = "sum over the held rotors of h a^T omega"});
        s.lines.push_back({.symbol = "b", .value = column(b), .definition = "derivative of T_1 by u"});
    }

    void generalized_forces() {
        eom::Step& s = step("Generalized forces",
                            "Gravity and springs come from `V`. `Q` is what has no potential: dampers, actuators, forces and "
                            "torques, each times the velocity of its point for a unit speed.",
                            "lee90 (A.18), (A.20)");
        const std::vector<Expr> derivatives = speeds_.derivatives(L_.potential);
        s.lines.push_back({.symbol = "V_q", .value = column(derivatives), .definition = has_quasi_speeds_ ? "X V" : "dV/dq"});
        s.lines.push_back({.symbol = "Q", .value = column(L_.forces)});
    }

    void constraints() {
        if (e_.constraints.empty()) return;
        eom::Step& s =
            step("Constraints",
                 "`phi = 0` closes the loops; its derivative by the speeds is the row of `lambda`, and row times `u'` is `gamma`.",
                 "lee90 (3.1)");
        for (const eom::Constraint& c : e_.constraints) {
            if (c.is_holonomic) s.lines.push_back({.symbol = fmt::format("phi[{}]", c.name), .value = {{c.phi}}});
            s.lines.push_back({.symbol = fmt::format("row[{}]", c.name), .value = {c.G}});
            s.lines.push_back({.symbol = fmt::format("gamma[{}]", c.name), .value = {{c.gamma}}});
        }
    }

    void drives() {
        if (drives_) d_.steps.push_back(drives_->step);
    }

    void given_motions() {
        if (auto given = formulation::given_motions(m_)) d_.steps.push_back(*std::move(given));
    }

    bool has_rotors() const {
        return std::ranges::any_of(m_.model->bodies, [](const model::Body& body) { return !body.rotors.empty(); });
    }

    void equations() {
        std::string f = "Q[i] - V_q[i] - sum over j, k of C[j,k](i) u[j] u[k]";
        if (!L_.given_momenta.empty()) f += has_quasi_speeds_ ? " - (b[i]' - X[i] T_1)" : " - (b[i]' - dT_1/dq[i])";
        if (has_quasi_speeds_)
            f += fmt::format(" - sum over j, k of c[k](i,j) u[j] ({} u{})[k]", drives_ ? "M_bodies" : "M",
                             L_.given_momenta.empty() ? "" : " + b");
        std::string text = e_.constraints.empty() ? "`M u' = f`." : "`M u'` and the rows of the constraints times `lambda` are `f`.";
        if (e_.u.empty())
            text = all_is_given;
        else if (!m_.given.empty())
            text += " Given motions are put in.";
        eom::Step& s = step("Equations of motion", std::move(text), has_quasi_speeds_ ? "lee90 (A.14), hamel04" : "lee90 (A.14)");
        if (e_.u.empty()) return;
        std::string mass = m_.given.empty() ? "" : mass_of_free(m_, "the mass matrix above");
        if (drives_) mass = mass_of_free(m_, with_own_M("M_bodies", drives_));
        s.lines.push_back({.symbol = "M", .value = e_.M, .definition = std::move(mass)});
        s.lines.push_back({.symbol = "f", .value = column(e_.f), .definition = forcing_of_free(m_, with_own_f(f, drives_))});
    }

    const System& s_;
    const Mechanism& m_;
    const eom::EquationsOfMotion& e_;
    const Lagrangian L_;
    const QuasiSpeeds speeds_;
    const std::optional<OwnTerms> drives_ = drive_terms(s_);
    std::vector<Expr> u_;
    Matrix M_;
    bool has_quasi_speeds_ = false;
    eom::Derivation d_;
};

}  // namespace

eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*model.pool);
    const System s = set_up(model, topology);
    if (auto rest = nothing_moves(s.mechanism)) return *std::move(rest);
    const std::optional<JointSpeeds> joint_speeds = in_joint_speeds(s, e, derive, "row");
    eom::Derivation d = Page(s, joint_speeds ? joint_speeds->equations : e).write();
    if (joint_speeds) d.steps.push_back(joint_speeds->step);
    gather(d, *e.pool);
    return d;
}

}  // namespace linkwright::formulation::lagrange
