#include "linkwright/model/form_beam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "linkwright/flex/shape_function.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/spatial/inertia.hpp"

namespace linkwright::model {

namespace {

using flex::Frame;
using flex::ShapeFunction;
using Direction = BeamDirection;
using Family = BeamFamily;

bool bends(Direction d) { return d == Direction::y || d == Direction::z; }
std::size_t axis_of(Direction d) { return d == Direction::y ? 1 : d == Direction::z ? 2 : 0; }

flex::Family eigenfunctions(Family family) {
    switch (family) {
        case Family::pinned_pinned: return flex::Family::pinned_pinned;
        case Family::clamped_pinned: return flex::Family::clamped_pinned;
        case Family::free_free: return flex::Family::free_free;
        default: return flex::Family::clamped_free;
    }
}

/// The shapes of one direction, and what is known of them beforehand when the section is the same throughout.
struct ShapeSet {
    std::vector<ShapeFunction> shapes;
    bool bend_apart = false;             ///< ∫φᵢ''φⱼ'' = 0, and no more: of a mass at the tip
    bool are_orthogonal = false;         ///< ∫φᵢφⱼ = 0 and ∫φᵢ''φⱼ'' = 0 (∫φᵢ'φⱼ' of stretch and twist)
    Expr norm;                           ///< ∫φ²
    std::vector<double> wave_numbers{};  ///< of eigenfunctions
};

ShapeSet shape_set(const BeamShapes& given, Frame frame) {
    ShapeSet set;
    if (given.family == Family::polynomial) {
        const auto list =
            bends(given.direction) ? flex::bending_polynomials(frame, given.count) : flex::second_order_polynomials(frame, given.count);
        set.shapes.assign(list.begin(), list.end());
        return set;
    }
    if (given.family == Family::clamped_mass) {
        for (const Expr& beta : given.wave_numbers) set.shapes.emplace_back(flex::clamped_mass_shape(beta, given.mass_ratio));
        set.bend_apart = true;
        return set;
    }
    if (given.family == Family::given) {
        const double length = given.given.x.back();
        std::vector<double> xi, slope;
        for (const double x : given.given.x) xi.push_back(x / length);
        for (std::size_t i = 0; i < given.count; ++i) {
            slope.clear();
            for (const double d : given.given.slope[i]) slope.push_back(d * length);
            set.shapes.emplace_back(flex::Piecewise::cubic(xi, given.given.phi[i], slope));
        }
        return set;
    }
    const flex::Family family = eigenfunctions(given.family);
    const auto list = bends(given.direction) ? flex::bending_shapes(family, given.count) : flex::second_order_shapes(family, given.count);
    set.shapes.assign(list.begin(), list.end());
    set.are_orthogonal = true;
    set.norm = bends(given.direction) && given.family != Family::pinned_pinned ? Expr(1) : Expr(1) / 2;
    if (bends(given.direction)) {
        set.wave_numbers = flex::wave_numbers(family, given.count);
    } else {
        for (std::size_t i = 1; i <= given.count; ++i)
            set.wave_numbers.push_back((static_cast<double>(i) - (given.family == Family::clamped_free ? 0.5 : 0)) * std::numbers::pi);
    }
    return set;
}

/// Σ c_k b_k(ξ): functions of x as combinations of a few functions of ξ whose integrals are numbers.
using Combination = std::vector<std::pair<std::size_t, Expr>>;

/// The shapes of a beam and the functions g_a that its field is made of.
class Field {
public:
    static constexpr std::size_t one = 0, xi = 1;

    Field(const Beam& beam) : beam_(beam) {
        start_ = beam.sleeves.start, end_ = beam.sleeves.end;
        span_ = beam.length - start_ - end_;
        basis_ = {flex::ExponentialPolynomial<Expr>::monomial(0), flex::ExponentialPolynomial<Expr>::monomial(1)};
        Expr from = 0;
        for (const BeamPiece& p : beam.pieces) {
            const bool is_last = &p == &beam.pieces.back();
            const Expr to = is_last ? Expr(1) : (p.to - start_) / span_;
            limits_.emplace_back(from, to);
            from = to;
        }
        add_shapes();
        add_terms();
    }

    const Expr& start() const { return start_; }
    const Expr& span() const { return span_; }
    const std::vector<ElasticTerm>& terms() const { return terms_; }
    const std::vector<std::string>& labels() const { return labels_; }  ///< of the terms: "", y1, y1y2
    const std::vector<Combination>& functions() const { return functions_; }
    const std::vector<Combination>& shapes() const { return shapes_; }  ///< of each coordinate
    const std::vector<Direction>& directions() const { return directions_; }
    const std::vector<std::string>& names() const { return names_; }  ///< of the coordinates: y1

    /// ∫ weight f g dx with a weight for each piece; f and g differentiated so often.
    Expr integral(const Combination& f, const Combination& g, Expr BeamSection::* weight, int derivatives = 0) {
        Expr sum = 0;
        for (std::size_t p = 0; p < limits_.size(); ++p) {
            const Expr& w = beam_.pieces[p].section.*weight;
            if (w.is_literally(0)) continue;
            std::vector<Expr> parts;
            for (const auto& [k, c] : f) {
                for (const auto& [l, d] : g) parts.push_back(c * d * piece(p, k, l, derivatives));
            }
            sum += w * total(parts);
        }
        return sum * pow(span_, 1 - 2 * derivatives);
    }
    /// f at x, differentiated so often by x. Beyond the elastic part: at its end.
    Expr at(const Combination& f, const Expr& x_over_span, int derivatives) {
        Expr sum = 0;
        for (const auto& [k, c] : f) sum += c * differentiated(k, derivatives).at(x_over_span);
        return derivatives == 0 ? sum : sum * pow(span_, -derivatives);
    }

private:
    ShapeFunction differentiated(std::size_t k, int derivatives) const {
        ShapeFunction f = basis_[k];
        for (int d = 0; d < derivatives; ++d) f = f.derivative();
        return f;
    }

    /// Their sum; 0 when it is nothing but the rounding of numbers that cancel.
    static Expr total(std::vector<Expr>& parts) {
        std::erase_if(parts, [](const Expr& e) { return e.is_literally(0); });
        Expr sum = 0;
        double left = 0, size = 0;
        for (const Expr& e : parts) {
            sum += e;
            const Expr times = e / parts[0];
            const double r = times.is_number() ? times.number().to_double() : std::nan("");
            left += r, size += std::abs(r);
        }
        return parts.size() > 1 && std::abs(left) <= 1e-13 * size ? Expr(0) : sum;
    }

    /// ∫ b_k b_l dξ over a piece
    Expr piece(std::size_t p, std::size_t k, std::size_t l, int derivatives) {
        if (k > l) std::swap(k, l);
        const auto [at, is_new] = integrals_.try_emplace({p, k, l, derivatives}, Expr(0));
        if (!is_new) return at->second;
        const Known &a = known_[k], &b = known_[l];
        const int eigen = a.is_bending ? 2 : 1;  // the order of the derivatives that are orthogonal, too
        const bool is_known = limits_.size() == 1 && a.set != none && a.set == b.set;
        if (is_known && a.bends_apart && derivatives == eigen && k != l) return at->second;
        if (is_known && !a.bends_apart && (derivatives == 0 || derivatives == eigen)) {
            if (k != l) return at->second;
            const Expr scale = derivatives == 0 ? Expr(1) : flex::fifteen_digits(std::pow(a.wave_number, 2 * eigen));
            return at->second = a.norm * scale;
        }
        return at->second = (differentiated(k, derivatives) * differentiated(l, derivatives)).between(limits_[p].first, limits_[p].second);
    }

    void add_shapes() {
        // One function for y and z alike, where they do not depend on more than their family.
        std::map<std::tuple<bool, Family, Direction, std::size_t>, std::size_t> seen;
        const auto key = [](const BeamShapes& s, std::size_t i) {
            const bool is_shared = s.family != Family::given && s.family != Family::clamped_mass;
            return std::tuple(bends(s.direction), s.family, is_shared ? Direction::y : s.direction, i);
        };
        std::size_t sets = 0;
        known_.resize(2);
        for (const BeamShapes& given : beam_.shapes) {
            const ShapeSet set = shape_set(given, beam_.frame);
            for (std::size_t i = 0; i < given.count; ++i) {
                const auto [at, is_new] = seen.try_emplace(key(given, i), basis_.size());
                if (is_new) {
                    basis_.push_back(set.shapes[i]);
                    const auto same = seen.find(key(given, 0));
                    const std::size_t id = i == 0 ? sets++ : known_[same->second].set;
                    known_.push_back({set.are_orthogonal || set.bend_apart ? id : none, set.bend_apart, bends(given.direction), set.norm,
                                      set.are_orthogonal ? set.wave_numbers[i] : 0.0});
                }
                directions_.push_back(given.direction);
                names_.push_back(fmt::format("{}{}", to_string(given.direction), i + 1));
                shapes_.push_back({{at->second, Expr(1)}});
                if (beam_.frame == Frame::mean && (limits_.size() > 1 || given.family == Family::given))
                    take_mean(shapes_.back(), given.direction);
                normalise(shapes_.back(), given);
            }
        }
    }

    void normalise(Combination& f, const BeamShapes& given) {
        Expr scale = 1;
        switch (given.normalise) {
            case BeamNormalise::unit: return;
            case BeamNormalise::tip: scale = 1 / at(f, 1, 0); break;
            case BeamNormalise::mass: {
                const auto weight = given.direction == Direction::twist ? &BeamSection::torsion_inertia : &BeamSection::mass_per_length;
                scale = 1 / sqrt(integral(f, f, weight));
            }
        }
        for (auto& [k, c] : f) c = c * scale;
    }

    /// φ − a − bξ with ∫ dm = ∫ ξ dm = 0 of it; of stretch and twist φ − a.
    void take_mean(Combination& f, Direction direction) {
        const auto weight = direction == Direction::twist ? &BeamSection::torsion_inertia : &BeamSection::mass_per_length;
        const Combination c1{{one, Expr(1)}}, cx{{xi, Expr(1)}};
        const Expr m = integral(c1, c1, weight), s = integral(c1, cx, weight), j = integral(cx, cx, weight);
        const Expr p = integral(f, c1, weight), q = integral(f, cx, weight);
        if (!bends(direction)) {
            f.emplace_back(one, -p / m);
            return;
        }
        const Expr det = m * j - s * s;
        f.emplace_back(one, -(j * p - s * q) / det);
        f.emplace_back(xi, -(m * q - s * p) / det);
    }

    void add_terms() {
        const auto add = [&](ElasticTerm term, Combination f, std::string label) {
            terms_.push_back(std::move(term));
            functions_.push_back(std::move(f));
            labels_.push_back(std::move(label));
        };
        add({.axis = 0}, {{one, start_}, {xi, span_}}, "");
        if (start_.is_literally(0)) functions_.back().erase(functions_.back().begin());
        for (std::size_t k = 0; k < shapes_.size(); ++k) {
            if (directions_[k] != Direction::twist) add({.axis = axis_of(directions_[k]), .factors = {k}}, shapes_[k], names_[k]);
        }
        if (!beam_.shortening) return;
        for (std::size_t k = 0; k < shapes_.size(); ++k) {
            for (std::size_t l = k; l < shapes_.size(); ++l) {
                if (!bends(directions_[k]) || directions_[k] != directions_[l]) continue;
                Combination h = integral_of_slopes(shapes_[k], shapes_[l]);
                if (beam_.frame == Frame::mean) {
                    const Combination c1{{one, Expr(1)}};
                    const auto weight = &BeamSection::mass_per_length;
                    h.emplace_back(one, -integral(h, c1, weight) / integral(c1, c1, weight));
                }
                add({.axis = 0, .factors = {k, l}, .coefficient = k == l ? -Expr(1) / 2 : Expr(-1)}, std::move(h), names_[k] + names_[l]);
            }
        }
    }

    /// h(x) = ∫₀ˣ f' g' dx
    Combination integral_of_slopes(const Combination& f, const Combination& g) {
        Combination h;
        for (const auto& [k, c] : f) {
            for (const auto& [l, d] : g) {
                if (k == one || l == one) continue;
                const auto [at, is_new] = slopes_.try_emplace({std::min(k, l), std::max(k, l)}, basis_.size());
                if (is_new) {
                    basis_.push_back((basis_[k].derivative() * basis_[l].derivative()).integral());
                    known_.push_back({});
                }
                h.emplace_back(at->second, c * d / span_);
            }
        }
        return h;
    }

    static constexpr std::size_t none = -1;
    struct Known {
        std::size_t set = none;    ///< of functions that are orthogonal to each other on a uniform beam
        bool bends_apart = false;  ///< by their curvatures alone
        bool is_bending = false;
        Expr norm = 0;
        double wave_number = 0;
    };

    const Beam beam_;  // a copy: bodies move while sections are added
    Expr start_, end_, span_;
    std::vector<ShapeFunction> basis_;
    std::vector<Known> known_;
    std::vector<std::pair<Expr, Expr>> limits_;
    std::map<std::tuple<std::size_t, std::size_t, std::size_t, int>, Expr> integrals_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> slopes_;
    std::vector<Combination> shapes_;
    std::vector<Direction> directions_;
    std::vector<std::string> names_;
    std::vector<ElasticTerm> terms_;
    std::vector<Combination> functions_;
    std::vector<std::string> labels_;
};

/// Constants of a beam as parameters of the model. Zero is no parameter, and equal ones of a kind are one.
class Constants {
public:
    Constants(Model& model, std::string prefix, Position where) : model_(model), prefix_(std::move(prefix)), where_(where) {}

    Expr operator()(const std::string& kind, const std::string& of, const Expr& value, std::string unit, std::string about) {
        if (value.is_literally(0)) return 0;
        const auto [at, is_new] = known_.try_emplace({kind, value.id()}, Expr(0));
        if (!is_new) return at->second;
        Parameter p;
        p.symbol = model_.pool->symbol(prefix_ + kind + of, sym::Role::parameter);
        p.value = value;
        p.unit = std::move(unit);
        p.about = std::move(about);
        p.where = where_;
        p.is_shape_constant = true;
        model_.parameters.push_back(p);
        return at->second = p.symbol;
    }

private:
    Model& model_;
    std::string prefix_;
    Position where_;
    std::map<std::pair<std::string, sym::NodeId>, Expr> known_;
};

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

/// Where on the beam x = at is: in its elastic part, or in a sleeve, that far from where the sleeve begins.
struct Place {
    Expr xi;
    Expr beyond = 0;
};

Place place_of(const Model& model, const Beam& beam, const Field& field, const Expr& at) {
    const Expr first = field.start(), last = field.start() + field.span();
    if (beam.sleeves.start.is_literally(0) && beam.sleeves.end.is_literally(0)) return {at / field.span()};
    const ParameterValues value(model);
    const double x = value(at), tolerance = 1e-9 * value(beam.length);
    if (!beam.sleeves.start.is_literally(0) && x < value(first) - tolerance) return {0, at - first};
    if (!beam.sleeves.end.is_literally(0) && x > value(last) + tolerance) return {1, at - last};
    return {(at - first) / field.span()};
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
        const Combination one{{Field::one, Expr(1)}};
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
        const Combination one{{Field::one, Expr(1)}};
        ElasticSpin s{
            .axis = axis, .inertia = field_.integral(one, one, weight), .first = std::vector<Expr>(n), .second = sym::zeros(n, n)};
        if (s.inertia.is_literally(0)) return;
        s.inertia = constant_(kind, direction == Direction::twist ? "" : "." + std::string(to_string(direction)), s.inertia, "",
                              "inertia of sections that turn, over the length");
        const auto& names = field_.names();
        for (std::size_t k = 0; k < n; ++k) {
            if (field_.directions()[k] != direction) continue;
            // ∫ρ φ' dx = ∫ρ ξ' φ' · span: the derivative of ξ by x is 1/span
            const Combination linear{{Field::xi, derivatives == 0 ? Expr(0) : field_.span()}};
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
    /// By numbers. The lowest frequency has the ratio of the coordinate that is slowest by itself, and so on.
    void damp_together(std::vector<std::size_t> group, const sym::Matrix& N) {
        const ParameterValues value(model_);
        const sym::Matrix& stiffness = beam().elastic.stiffness;
        std::ranges::stable_sort(group, {}, [&](std::size_t k) { return value(stiffness[k][k]) / value(N[k][k]); });
        const std::size_t n = group.size();
        Eigen::MatrixXd M(n, n), K(n, n);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t l = 0; l < n; ++l) M(k, l) = value(N[group[k]][group[l]]), K(k, l) = value(stiffness[group[k]][group[l]]);
        }
        const solve::SymmetricEigen found = solve::symmetric_eigen(K, M);  // ΦᵀMΦ = 1, so Φ⁻¹ = ΦᵀM
        const Eigen::MatrixXd back = M * found.vectors;
        const Eigen::VectorXd rates = 2 * found.values.cwiseMax(0).cwiseSqrt();
        const Eigen::MatrixXd whole = back * rates.asDiagonal() * back.transpose();
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t l = k; l < n; ++l) {
                const bool is_one_ratio = beam().damping.size() == 1;
                if (is_one_ratio && std::abs(whole(k, l)) <= 1e-12 * std::sqrt(whole(k, k) * whole(l, l))) continue;
                Expr sum = is_one_ratio ? flex::fifteen_digits(whole(k, l)) * ratio(0) : Expr(0);
                for (std::size_t i = 0; i < n && !is_one_ratio; ++i)
                    sum += flex::fifteen_digits(back(k, i) * back(l, i) * rates[i]) * ratio(group[i]);
                damp(std::min(group[k], group[l]), std::max(group[k], group[l]), sum);
            }
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
    Field field_;
    Constants constant_;
};

}  // namespace

std::string_view to_string(BeamDirection direction) {
    constexpr std::array<std::string_view, 4> words{"y", "z", "x", "twist"};
    return words[static_cast<std::size_t>(direction)];
}

std::string_view to_string(BeamFamily family) {
    constexpr std::array<std::string_view, 7> words{"pinned-pinned", "clamped-free", "clamped-pinned", "free-free",
                                                    "polynomial",    "clamped-mass", "given"};
    return words[static_cast<std::size_t>(family)];
}

std::string_view to_string(flex::Frame frame) {
    constexpr std::array<std::string_view, 3> words{"tangent", "chord", "mean"};
    return words[static_cast<std::size_t>(frame)];
}

namespace {

/// Wave numbers of a cantilever with a mass at its tip are roots of an equation in m/μL and J/μL³: derived parameters.
void find_wave_numbers(Model& model, BodyIndex index) {
    Constants constant(model, model.bodies[index].name + ".", model.bodies[index].where);
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
        for (std::size_t i = 0; i < roots.size(); ++i) {
            const std::string name = of + std::to_string(i + 1);
            s.wave_numbers.push_back(
                constant("beta.", name, flex::clamped_mass_wave_number(s.mass_ratio, tau, roots[i]), "", "wave number of " + name));
        }
    }
}

}  // namespace

Diagnostics form_beam(Model& model, BodyIndex beam) {
    const sym::PoolScope scope(*model.pool);
    find_wave_numbers(model, beam);
    Forming(model, beam).run();
    return {};
}

Rotation section_axes(const Vec3& angles) {
    Rotation R;
    const std::array<std::size_t, 3> axes{2, 1, 0};
    for (std::size_t i = 0; i < 3; ++i) {
        if (!angles[i].is_literally(0)) R = R * Rotation::turn(spatial::unit(axes[i]), angles[i]);
    }
    return R;
}

namespace {

/// A body without mass, at p in the frame of the beam.
BodyIndex add_section(Model& model, BodyIndex index, const std::string& name, const Vec3& p, Section section) {
    Body body;
    body.name = name;
    body.where = model.bodies[index].where;
    Joint joint;  // a weld
    joint.name = name;
    joint.parent = index;
    joint.child = model.bodies.size();
    joint.parent_at = p;
    joint.parent_axes = section_axes(section.angles);
    joint.section = std::move(section);
    joint.where = body.where;
    model.bodies.push_back(std::move(body));
    model.joints.push_back(std::move(joint));
    return model.bodies.size() - 1;
}

}  // namespace

BodyIndex section(Model& model, BodyIndex index, const Expr& at, bool turns, const std::string& name) {
    const sym::PoolScope scope(*model.pool);
    for (const Joint& joint : model.joints) {
        if (joint.section && joint.parent == index && joint.section->at == at && joint.section->turns == turns &&
            !joint.name.ends_with(".com_now"))
            return joint.child;
    }
    const Beam& beam = *model.bodies[index].beam;
    Field field(beam);
    const Place place = place_of(model, beam, field, at);
    const std::string full = model.bodies[index].name + "." + name;
    Constants constant(model, full + ".", model.bodies[index].where);
    const std::vector<Expr>& q = beam.elastic.coordinates;
    // Where the axis is, and how its section is turned, at the last place of the elastic part before x = at.
    Vec3 p{{at - place.beyond, 0, 0}}, angles;
    for (std::size_t a = 1; a < field.terms().size(); ++a) {
        const ElasticTerm& t = field.terms()[a];
        Expr s = t.coefficient * constant("", field.labels()[a], field.at(field.functions()[a], place.xi, 0), "",
                                          fmt::format("{} at {}", t.factors.size() == 1 ? "phi" : "integral of phi' phi' up to", name));
        for (const std::size_t k : t.factors) s = s * q[k];
        p[t.axis] += s;
    }
    for (std::size_t k = 0; k < q.size(); ++k) {
        const BeamDirection d = field.directions()[k];
        if (d == BeamDirection::x) continue;
        const bool is_twist = d == BeamDirection::twist;
        const Expr c = constant("", field.names()[k] + (is_twist ? "" : "'"), field.at(field.shapes()[k], place.xi, is_twist ? 0 : 1), "",
                                fmt::format("{} at {}", is_twist ? "phi" : "phi'", name));
        angles[is_twist ? 2 : d == BeamDirection::y ? 0 : 1] += (d == BeamDirection::z ? -c : c) * q[k];
    }
    if (!place.beyond.is_literally(0)) p += section_axes(angles) * Vec3{{place.beyond, 0, 0}};
    if (!turns) angles = {};
    return add_section(model, index, full, p, Section{at, turns, angles});
}

namespace {

/// Mass and first moment of a beam with what is on it, in the frame of the body.
std::pair<Expr, Vec3> first_moment(const Model& model, BodyIndex index) {
    const Body& body = model.bodies[index];
    const Elastic& e = body.beam->elastic;
    Expr m = body.mass + e.mass;
    Vec3 h = body.mass * body.com;
    for (std::size_t a = 0; a < e.terms.size(); ++a) {
        Expr s = e.terms[a].coefficient * e.first[a];
        for (const std::size_t k : e.terms[a].factors) s = s * e.coordinates[k];
        h[e.terms[a].axis] += s;
    }
    for (const Joint& joint : model.joints) {
        if (!joint.section || joint.parent != index) continue;
        const Body& on = model.bodies[joint.child];
        if (on.mass.is_literally(0)) continue;
        m += on.mass;
        h += on.mass * (joint.parent_at + section_axes(joint.section->angles) * on.com);
    }
    return {m, h};
}

}  // namespace

Vec3 straight_com(const Model& model, BodyIndex index) {
    const sym::PoolScope scope(*model.pool);
    const auto [m, h] = first_moment(model, index);
    std::vector<sym::Binding> straight;
    for (const Expr& q : model.bodies[index].beam->elastic.coordinates) straight.emplace_back(q, Expr(0));
    sym::Substitution at_rest(straight);
    return {{at_rest(h[0]) / m, at_rest(h[1]) / m, at_rest(h[2]) / m}};
}

BodyIndex moving_com(Model& model, BodyIndex index) {
    const sym::PoolScope scope(*model.pool);
    const std::string name = model.bodies[index].name + ".com_now";
    if (const auto known = find_body(model, name)) return *known;
    const auto [m, h] = first_moment(model, index);
    return add_section(model, index, name, (1 / m) * h, Section{straight_com(model, index)[0], false, {}});
}

Vec3 deflection(Model& model, BodyIndex index, const Expr& at) {
    const sym::PoolScope scope(*model.pool);
    const BodyIndex on = section(model, index, at, true, fmt::format("at{}", model.bodies.size()));
    for (const Joint& joint : model.joints) {
        if (joint.section && joint.child == on) return joint.parent_at - Vec3{{at, 0, 0}};
    }
    return {};
}

namespace {

/// Σ c_k q_k over the coordinates of one direction, c_k the derivative of the shape at x.
Expr differentiated(const Model& model, const Beam& beam, BeamDirection direction, const Expr& at, int derivatives) {
    Field field(beam);
    const Expr xi = place_of(model, beam, field, at).xi;
    Expr sum = 0;
    for (std::size_t k = 0; k < field.shapes().size(); ++k) {
        if (field.directions()[k] == direction) sum += field.at(field.shapes()[k], xi, derivatives) * beam.elastic.coordinates[k];
    }
    return sum;
}

const BeamSection& section_at(const Model& model, const Beam& beam, const Expr& at) {
    const ParameterValues value(model);
    for (const BeamPiece& p : beam.pieces) {
        if (value(at) <= value(p.to) * (1 + 1e-9)) return p.section;
    }
    return beam.pieces.back().section;
}

}  // namespace

Expr strain(Model& model, BodyIndex index, const Expr& at, const Vec3& offset) {
    const sym::PoolScope scope(*model.pool);
    const Beam& beam = *model.bodies[index].beam;
    return differentiated(model, beam, BeamDirection::x, at, 1) - offset[1] * differentiated(model, beam, BeamDirection::y, at, 2) -
           offset[2] * differentiated(model, beam, BeamDirection::z, at, 2);
}

Vec3 moment(Model& model, BodyIndex index, const Expr& at) {
    const sym::PoolScope scope(*model.pool);
    const Beam& beam = *model.bodies[index].beam;
    const BeamSection& s = section_at(model, beam, at);
    return {{s.torsion * differentiated(model, beam, BeamDirection::twist, at, 1),
             -s.bending_z * differentiated(model, beam, BeamDirection::z, at, 2),
             s.bending_y * differentiated(model, beam, BeamDirection::y, at, 2)}};
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
