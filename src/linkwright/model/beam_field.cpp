#include "linkwright/model/beam_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linkwright/model/values.hpp"

namespace linkwright::model {

namespace {

using flex::Frame;
using flex::ShapeFunction;
using Direction = BeamDirection;
using Family = BeamFamily;

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
    if (given.family == Family::given || given.family == Family::component) {
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

/// Their sum; 0 when it is nothing but the rounding of numbers that cancel.
Expr total(std::vector<Expr>& parts) {
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

}  // namespace

BeamField::BeamField(const Beam& beam) : beam_(beam) {
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

Expr BeamField::integral(const Combination& f, const Combination& g, Expr BeamSection::* weight, int derivatives) {
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

Expr BeamField::at(const Combination& f, const Expr& x_over_span, int derivatives) const {
    Expr sum = 0;
    for (const auto& [k, c] : f) sum += c * differentiated(k, derivatives).at(x_over_span);
    return derivatives == 0 ? sum : sum * pow(span_, -derivatives);
}

ShapeFunction BeamField::differentiated(std::size_t k, int derivatives) const {
    ShapeFunction f = basis_[k];
    for (int d = 0; d < derivatives; ++d) f = f.derivative();
    return f;
}

Expr BeamField::piece(std::size_t p, std::size_t k, std::size_t l, int derivatives) {
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

void BeamField::add_shapes() {
    // One function for y and z alike, where they do not depend on more than their family.
    std::map<std::tuple<bool, Family, Direction, std::size_t>, std::size_t> seen;
    const auto key = [](const BeamShapes& s, std::size_t i) {
        const bool is_shared = s.family != Family::given && s.family != Family::component && s.family != Family::clamped_mass;
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
            if (beam_.frame == Frame::mean && (limits_.size() > 1 || given.family == Family::given || given.family == Family::component))
                take_mean(shapes_.back(), given.direction);
            normalise(shapes_.back(), given);
        }
    }
}

void BeamField::normalise(Combination& f, const BeamShapes& given) {
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

void BeamField::take_mean(Combination& f, Direction direction) {
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

void BeamField::add_terms() {
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

Combination BeamField::integral_of_slopes(const Combination& f, const Combination& g) {
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

PlaceOnBeam place_of(const Model& model, const Beam& beam, const BeamField& field, const Expr& at) {
    const Expr first = field.start(), last = field.start() + field.span();
    if (beam.sleeves.start.is_literally(0) && beam.sleeves.end.is_literally(0)) return {at / field.span()};
    const ParameterValues value(model);
    const double x = value(at), tolerance = 1e-9 * value(beam.length);
    if (!beam.sleeves.start.is_literally(0) && x < value(first) - tolerance) return {0, at - first};
    if (!beam.sleeves.end.is_literally(0) && x > value(last) + tolerance) return {1, at - last};
    return {(at - first) / field.span()};
}

}  // namespace linkwright::model
