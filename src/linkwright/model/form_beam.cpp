#include "linkwright/model/form_beam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "linkwright/model/beam_constants.hpp"
#include "linkwright/model/beam_field.hpp"
#include "linkwright/model/modal_damping.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/spatial/inertia.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::model {

namespace {

using flex::Frame;
using Direction = BeamDirection;
using Family = BeamFamily;

/// A mass with its centre at `com` beside what a body has already.
void add_mass(Body& body, const Expr& mass, const Vec3& com, const Mat3& inertia) {
    if (body.mass.is_literally(0)) {
        body.mass = mass, body.com = com, body.inertia = body.inertia + inertia;
        return;
    }
    const Expr m = body.mass + mass;
    const Vec3 c = (1 / m) * (body.mass * body.com + mass * com);
    const auto shifted = [&](const Expr& part, const Vec3& at, const Mat3& I) { return spatial::inertia_about_origin(part, at - c, I).I; };
    body.inertia = shifted(body.mass, body.com, body.inertia) + shifted(mass, com, inertia);
    body.mass = m, body.com = c;
}

class Forming {
public:
    Forming(Model& model, BodyIndex index)
        : model_(model),
          index_(index),
          name_(model.bodies[index].name),
          field_(*model.bodies[index].beam),
          constant_(model, name_ + ".", model.bodies[index].where) {}

    void run() {
        integrate_mass();
        integrate_spins();
        integrate_stiffness();
        place_masses();
        damp();
        place_stations();
    }

private:
    Beam& beam() { return *model_.bodies[index_].beam; }

    void integrate_mass() {
        Elastic& e = beam().elastic;
        e.terms = field_.terms();
        const auto mu = &BeamSection::mass_per_length;
        const Combination one{{BeamField::one, Expr(1)}};
        const auto& g = field_.functions();
        const auto& label = field_.labels();
        const std::size_t n = g.size(), shapes = std::ranges::count_if(e.terms, [](const ElasticTerm& t) { return t.factors.size() < 2; });
        e.mass = constant_("m", "", field_.integral(one, one, mu), "kg", "mass of the elastic part");
        e.first.assign(n, Expr(0));
        e.second = sym::zeros(n, n);
        const auto is_shortening = [&](std::size_t a) { return a >= shapes; };
        const bool has_no_mean = beam().frame == Frame::mean;  // ∫φ dm, and ∫xφ dm as it bends, are zero by what shapes it takes
        for (std::size_t a = 0; a < n; ++a) {
            const Expr value = has_no_mean && a > 0 ? Expr(0) : field_.integral(g[a], one, mu);
            if (a == 0)
                e.first[a] = constant_("S", "", value, "kg*m", "first moment: integral of x dm");
            else if (is_shortening(a))
                e.first[a] = constant_("H.", label[a], value, "",
                                       fmt::format("integral of h dm, h(x) that of phi' phi' of {} from 0 to x", label[a]));
            else
                e.first[a] = constant_("S.", label[a], value, "", fmt::format("integral of phi dm, {}", label[a]));
        }
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = a; b < n; ++b) {
                const bool is_tilt = a == 0 && e.terms[b].axis != 0;
                const Expr value = has_no_mean && is_tilt ? Expr(0) : field_.integral(g[a], g[b], mu);
                std::string kind = "N.", of = label[a] + label[b],
                            about = fmt::format("integral of phi phi dm, {} and {}", label[a], label[b]);
                if (b == 0)
                    kind = "X", of = "", about = "second moment: integral of x^2 dm";
                else if (is_shortening(b))
                    kind = "H.", of = (a == 0 ? "x" : label[a]) + "." + label[b],
                    about = fmt::format("integral of {} h dm, {}",
                                        is_shortening(a) ? "h"
                                        : a == 0         ? "x"
                                                         : "phi",
                                        of);
                else if (a == 0)
                    kind = "X.", about = fmt::format("integral of x phi dm, {}", label[b]);
                e.second[a][b] = e.second[b][a] = constant_(kind, of, value, "", about);
            }
        }
    }

    void spin(std::size_t axis, Direction direction, int derivatives, int sign, Expr BeamSection::* weight, const std::string& kind) {
        const std::size_t n = field_.shapes().size();
        const Combination one{{BeamField::one, Expr(1)}};
        ElasticSpin s{
            .axis = axis, .inertia = field_.integral(one, one, weight), .first = std::vector<Expr>(n), .second = sym::zeros(n, n)};
        if (s.inertia.is_literally(0)) return;
        s.inertia = constant_(kind, direction == Direction::twist ? "" : "." + std::string(to_string(direction)), s.inertia, "",
                              "inertia of sections that turn, over the length");
        const auto& names = field_.names();
        for (std::size_t k = 0; k < n; ++k) {
            if (field_.directions()[k] != direction) continue;
            // ∫ρ φ' dx = ∫ρ ξ' φ' · span: the derivative of ξ by x is 1/span
            const Combination linear{{BeamField::xi, derivatives == 0 ? Expr(0) : field_.span()}};
            const Expr first = derivatives == 0 ? beam().frame == Frame::mean ? Expr(0) : field_.integral(field_.shapes()[k], one, weight)
                                                : field_.integral(field_.shapes()[k], linear, weight, 1);
            s.first[k] = sign * constant_(kind + ".", names[k], first, "", fmt::format("turning sections and {}", names[k]));
            for (std::size_t l = 0; l <= k; ++l) {
                if (field_.directions()[l] != direction) continue;
                const Expr value = field_.integral(field_.shapes()[l], field_.shapes()[k], weight, derivatives);
                s.second[k][l] = s.second[l][k] =
                    constant_(kind + ".", names[l] + names[k], value, "", fmt::format("turning sections, {} and {}", names[l], names[k]));
            }
        }
        beam().elastic.spins.push_back(std::move(s));
    }
    void integrate_spins() {
        spin(0, Direction::twist, 0, 1, &BeamSection::torsion_inertia, "J");
        spin(2, Direction::y, 1, 1, &BeamSection::rotary, "R");
        spin(1, Direction::z, 1, -1, &BeamSection::rotary, "R");
    }

    void integrate_stiffness() {
        const std::size_t n = field_.shapes().size();
        sym::Matrix K = sym::zeros(n, n);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t l = k; l < n; ++l) {
                const Direction d = field_.directions()[k];
                if (d != field_.directions()[l]) continue;
                const auto weight = d == Direction::y   ? &BeamSection::bending_y
                                    : d == Direction::z ? &BeamSection::bending_z
                                    : d == Direction::x ? &BeamSection::axial
                                                        : &BeamSection::torsion;
                const Expr value = field_.integral(field_.shapes()[k], field_.shapes()[l], weight, bends(d) ? 2 : 1);
                K[k][l] = K[l][k] = constant_("K.", field_.names()[k] + field_.names()[l], value, d == Direction::twist ? "N*m" : "N/m",
                                              fmt::format("stiffness of {} and {}", field_.names()[k], field_.names()[l]));
            }
        }
        beam().elastic.stiffness = std::move(K);
    }

    void place_masses() {
        const Beam description = beam();
        const std::vector<BeamPiece>& pieces = description.pieces;
        const auto rod = [](const Expr& m, const Expr& l) {
            const Expr i = m * l * l / 12;
            return spatial::diagonal(0, i, i);
        };
        const BeamSleeves& s = description.sleeves;
        if (!s.start.is_literally(0)) {
            const Expr m = s.start_mass.value_or(pieces.front().section.mass_per_length * s.start);
            if (description.frame == Frame::tangent)
                add_mass(model_.bodies[index_], m, {{s.start / 2, 0, 0}}, rod(m, s.start));
            else
                add_mass(model_.bodies[section(model_, index_, s.start, true, "near")], m, {{-s.start / 2, 0, 0}}, rod(m, s.start));
        }
        if (!s.end.is_literally(0)) {
            const Expr m = s.end_mass.value_or(pieces.back().section.mass_per_length * s.end);
            add_mass(model_.bodies[section(model_, index_, description.length - s.end, true, "far")], m, {{s.end / 2, 0, 0}},
                     rod(m, s.end));
        }
        for (std::size_t i = 0; i < description.masses.size(); ++i) {
            const BeamMass& x = description.masses[i];
            const bool is_tip = x.at == description.length;
            const BodyIndex on = section(model_, index_, x.at, true, is_tip ? "tip" : fmt::format("mass{}", i + 1));
            add_mass(model_.bodies[on], x.mass, {}, x.inertia);
            if (x.where != Position{}) model_.bodies[on].where = x.where;
        }
    }

    /// C = Φ⁻ᵀ diag(2ζω) Φ⁻¹ with the shapes Φ and frequencies ω that the beam has with its frame held, its masses on it.
    void damp() {
        const std::vector<Expr>& ratios = beam().damping;
        Elastic& e = beam().elastic;
        const std::size_t n = e.coordinates.size();
        e.damping = sym::zeros(n, n);
        if (std::ranges::all_of(ratios, [](const Expr& z) { return z.is_literally(0); })) return;
        const sym::Matrix N = mass_at_rest(model_, index_);
        std::vector<bool> is_damped(n);
        for (std::size_t k = 0; k < n; ++k) {
            if (is_damped[k]) continue;
            const std::vector<std::size_t> group = coupled(k, N, e.stiffness);
            for (const std::size_t l : group) is_damped[l] = true;
            if (group.size() == 1)
                damp(k, k, 2 * ratio(k) * sqrt(e.stiffness[k][k] * N[k][k]));
            else
                damp_together(group, N);
        }
    }
    Expr ratio(std::size_t k) { return beam().damping.size() == 1 ? beam().damping[0] : beam().damping[k]; }
    void damp(std::size_t k, std::size_t l, const Expr& value) {
        const std::string of = field_.names()[k] + field_.names()[l], about = k == l ? field_.names()[k] : of;
        const Expr c = constant_("C.", of, value, "", fmt::format("damping of {}", about));
        beam().elastic.damping[k][l] = beam().elastic.damping[l][k] = c;
    }
    /// Coordinates that inertia or stiffness tie to one, with itself.
    static std::vector<std::size_t> coupled(std::size_t first, const sym::Matrix& N, const sym::Matrix& K) {
        std::vector<std::size_t> group{first};
        for (std::size_t i = 0; i < group.size(); ++i) {
            for (std::size_t l = 0; l < N.size(); ++l) {
                const bool is_tied = !N[group[i]][l].is_literally(0) || !K[group[i]][l].is_literally(0);
                if (is_tied && std::ranges::find(group, l) == group.end()) group.push_back(l);
            }
        }
        return group;
    }
    /// The lowest frequency has the ratio of the coordinate that is slowest by itself, and so on.
    void damp_together(std::vector<std::size_t> group, const sym::Matrix& N) {
        const ParameterValues value(model_);
        const sym::Matrix& stiffness = beam().elastic.stiffness;
        std::ranges::stable_sort(group, {}, [&](std::size_t k) { return value(stiffness[k][k]) / value(N[k][k]); });
        const std::size_t n = group.size();
        sym::Matrix M = sym::zeros(n, n), K = M;
        Eigen::MatrixXd M0(n, n), K0(n, n);
        std::vector<Expr> ratios(n);
        for (std::size_t k = 0; k < n; ++k) {
            ratios[k] = ratio(group[k]);
            for (std::size_t l = 0; l < n; ++l) {
                M[k][l] = N[group[k]][group[l]], K[k][l] = stiffness[group[k]][group[l]];
                M0(k, l) = value(M[k][l]), K0(k, l) = value(K[k][l]);
            }
        }
        const sym::Matrix C = modal_damping(M, K, std::move(ratios), M0, K0);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t l = k; l < n; ++l) damp(std::min(group[k], group[l]), std::max(group[k], group[l]), C[k][l]);
        }
    }

    void place_stations() {
        constexpr int intervals = 16;
        Beam& b = beam();
        const std::vector<Expr>& q = b.elastic.coordinates;
        for (int i = 0; i <= intervals; ++i) {
            const Expr xi = Expr(i) / intervals, x = field_.start() + xi * field_.span();
            Beam::Station station{x, {{x, 0, 0}}, {}};
            for (std::size_t a = 1; a < field_.terms().size(); ++a) {
                const ElasticTerm& t = field_.terms()[a];
                Expr s = t.coefficient * field_.at(field_.functions()[a], xi, 0);
                for (const std::size_t k : t.factors) s = s * q[k];
                station.at[t.axis] += s;
            }
            for (const Direction d : {Direction::y, Direction::z}) {
                Expr slope = 0;
                for (std::size_t k = 0; k < q.size(); ++k) {
                    if (field_.directions()[k] == d) slope += field_.at(field_.shapes()[k], xi, 1) * q[k];
                }
                if (!slope.is_literally(0)) station.slopes.push_back(slope);
            }
            b.stations.push_back(std::move(station));
        }
    }

    Model& model_;
    BodyIndex index_;
    std::string name_;
    BeamField field_;
    BeamConstants constant_;
};

}  // namespace

std::string_view to_string(BeamDirection direction) {
    constexpr std::array<std::string_view, 4> words{"y", "z", "x", "twist"};
    return words[static_cast<std::size_t>(direction)];
}

std::string_view to_string(BeamFamily family) {
    constexpr std::array<std::string_view, 8> words{"pinned-pinned", "clamped-free", "clamped-pinned", "free-free",
                                                    "polynomial",    "clamped-mass", "given",          "component"};
    return words[static_cast<std::size_t>(family)];
}

std::string_view to_string(flex::Frame frame) {
    constexpr std::array<std::string_view, 3> words{"tangent", "chord", "mean"};
    return words[static_cast<std::size_t>(frame)];
}

namespace {

/// Wave numbers of a cantilever with a mass at its tip are roots of an equation in m/μL and J/μL³: derived parameters.
void find_wave_numbers(Model& model, BodyIndex index) {
    BeamConstants constant(model, model.bodies[index].name + ".", model.bodies[index].where);
    Beam& beam = *model.bodies[index].beam;
    const Expr span = beam.length - beam.sleeves.start - beam.sleeves.end;
    for (BeamShapes& s : beam.shapes) {
        if (s.family != Family::clamped_mass) continue;
        Expr m = 0, J = 0;
        for (const BeamMass& x : beam.masses) {
            if (!(x.at == beam.length)) continue;
            m += x.mass;
            J += s.direction == Direction::y ? x.inertia[2][2] : x.inertia[1][1];
        }
        const Expr mu = beam.pieces.back().section.mass_per_length;
        const std::string of(to_string(s.direction));
        s.mass_ratio = constant("eta.", of, s.tip_mass.value_or(m) / (mu * span), "", "mass at the tip over that of the beam");
        const Expr tau = constant("tau.", of, s.tip_inertia.value_or(J) / (mu * pow(span, 3)), "",
                                  "inertia at the tip over mass and length^2 of the beam");
        const ParameterValues value(model);
        const std::vector<double> roots = flex::clamped_mass_wave_numbers(value(s.mass_ratio), value(tau), s.count);
        if (roots.size() < s.count) throw std::invalid_argument("form_beam: a mass at the tip beyond all measure");
        for (std::size_t i = 0; i < roots.size(); ++i) {
            const std::string name = of + std::to_string(i + 1);
            s.wave_numbers.push_back(
                constant("beta.", name, flex::clamped_mass_wave_number(s.mass_ratio, tau, roots[i]), "", "wave number of " + name));
        }
    }
}

}  // namespace

std::vector<BeamFamily> fitting(flex::Frame frame, BeamDirection direction) {
    using F = BeamFamily;
    if (frame == flex::Frame::mean) return {F::free_free, F::polynomial};
    if (!bends(direction)) return {F::clamped_free, F::pinned_pinned, F::polynomial};
    if (frame == flex::Frame::tangent) return {F::clamped_free, F::clamped_mass, F::clamped_pinned, F::polynomial};
    return {F::pinned_pinned, F::clamped_pinned, F::polynomial};
}

void form_beam(Model& model, BodyIndex beam) {
    const sym::PoolScope scope(*model.pool);
    find_wave_numbers(model, beam);
    Forming(model, beam).run();
}

sym::Matrix mass_at_rest(const Model& model, BodyIndex index) {
    const sym::PoolScope scope(*model.pool);
    const Elastic& e = model.bodies[index].beam->elastic;
    const std::size_t n = e.coordinates.size();
    sym::Matrix N = sym::zeros(n, n);
    std::vector<sym::Binding> straight;
    for (const Expr& q : e.coordinates) straight.emplace_back(q, Expr(0));
    for (std::size_t a = 0; a < e.terms.size(); ++a) {
        for (std::size_t b = 0; b < e.terms.size(); ++b) {
            if (e.terms[a].factors.size() != 1 || e.terms[b].factors.size() != 1 || e.terms[a].axis != e.terms[b].axis) continue;
            N[e.terms[a].factors[0]][e.terms[b].factors[0]] += e.second[a][b];
        }
    }
    for (const ElasticSpin& s : e.spins) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t l = 0; l < n; ++l) N[k][l] += s.second[k][l];
        }
    }
    sym::Substitution at_rest(straight);
    for (const Joint& joint : model.joints) {
        if (!joint.section || joint.parent != index) continue;
        const Body& body = model.bodies[joint.child];
        if (body.mass.is_literally(0) && body.inertia == Mat3{}) continue;
        const spatial::Inertia I = spatial::inertia_about_origin(body.mass, body.com, body.inertia);
        std::vector<spatial::Twist> column(n);
        for (std::size_t k = 0; k < n; ++k) {
            const auto slope = [&](const Expr& x) { return at_rest(derivative(x, e.coordinates[k])); };
            const Vec3& a = joint.section->angles;
            column[k] = {{{slope(a[2]), slope(a[1]), slope(a[0])}},
                         {{slope(joint.parent_at[0]), slope(joint.parent_at[1]), slope(joint.parent_at[2])}}};
        }
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t l = 0; l < n; ++l) N[k][l] += dot(column[k], I * column[l]);
        }
    }
    return N;
}

std::string describe(const Body& body) {
    const Beam& beam = *body.beam;
    std::string shapes;
    for (const BeamShapes& s : beam.shapes) {
        shapes += fmt::format("{}{}: {} {}{}", shapes.empty() ? "" : ", ", to_string(s.direction), s.count, to_string(s.family),
                              s.normalise == BeamNormalise::unit  ? ""
                              : s.normalise == BeamNormalise::tip ? ", 1 at the tip"
                                                                  : ", of mass 1");
    }
    return fmt::format("beam '{}': {} frame, {}; {}; kinetic energy {}", body.name, to_string(beam.frame), shapes,
                       beam.shortening ? "shortened as it bends" : "no shortening",
                       beam.order == BeamOrder::all ? "of all orders" : "to second order in the elastic coordinates");
}

Expr elastic_energy(const Beam& beam) {
    const Elastic& e = beam.elastic;
    Expr twice = 0;
    for (std::size_t k = 0; k < e.coordinates.size(); ++k) {
        for (std::size_t l = 0; l < e.coordinates.size(); ++l) twice += e.stiffness[k][l] * e.coordinates[k] * e.coordinates[l];
    }
    return twice / 2;
}

}  // namespace linkwright::model
