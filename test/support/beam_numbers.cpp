#include "support/beam_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>

namespace linkwright::laws {

namespace {

using Family = model::BeamFamily;
using Direction = model::BeamDirection;
using flex::Frame;
using Index = Eigen::Index;

bool bends(Direction d) { return d == Direction::y || d == Direction::z; }

double choose(double n, int k) {
    double c = 1;
    for (int i = 1; i <= k; ++i) c *= (n - k + i) / i;
    return c;
}

using Polynomial = std::vector<double>;  // ascending
Polynomial product(const Polynomial& f, const Polynomial& g) {
    Polynomial h(f.size() + g.size() - 1);
    for (std::size_t i = 0; i < f.size(); ++i) {
        for (std::size_t j = 0; j < g.size(); ++j) h[i + j] += f[i] * g[j];
    }
    return h;
}
/// P_n of Jacobi at 2ξ − 1: Σ (n+a over n−s)(n+b over s)(ξ − 1)^s ξ^(n−s).
Polynomial jacobi(int n, int a, int b) {
    Polynomial sum(static_cast<std::size_t>(n) + 1);
    for (int s = 0; s <= n; ++s) {
        Polynomial term{choose(n + a, n - s) * choose(n + b, s)};
        for (int i = 0; i < s; ++i) term = product(term, {-1, 1});
        for (int i = s; i < n; ++i) term = product(term, {0, 1});
        for (std::size_t i = 0; i < term.size(); ++i) sum[i] += term[i];
    }
    return sum;
}
ShapeValues at(const Polynomial& f, double x) {
    ShapeValues v{};
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double n = static_cast<double>(i);
        v[0] += f[i] * std::pow(x, n);
        if (i > 0) v[1] += n * f[i] * std::pow(x, n - 1);
        if (i > 1) v[2] += n * (n - 1) * f[i] * std::pow(x, n - 2);
    }
    return v;
}

double root(const std::function<double(double)>& f, double low, double high) {
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        ((f(low) < 0) == (f(middle) < 0) ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// β of bending.
double wave_number(Family family, int n) {
    static std::map<std::pair<Family, int>, double> known;
    const auto [at, is_new] = known.try_emplace({family, n}, 0);
    if (!is_new) return at->second;
    const double middle = (family == Family::clamped_free     ? n - 0.5
                           : family == Family::clamped_pinned ? n + 0.25
                                                              : n + 0.5) *
                          std::numbers::pi;
    return at->second = root(
               [&](double z) {
                   if (family == Family::clamped_free) return std::cos(z) + 1 / std::cosh(z);
                   if (family == Family::free_free) return std::cos(z) - 1 / std::cosh(z);
                   return std::sin(z) - std::tanh(z) * std::cos(z);
               },
               middle - 0.5, middle + 0.5);
}

ShapeValues wave(double b, double x, bool is_cosine) {
    const double s = std::sin(b * x), c = std::cos(b * x);
    return is_cosine ? ShapeValues{c, -b * s, -b * b * c} : ShapeValues{s, b * c, -b * b * s};
}

ShapeValues polynomial(Direction direction, Frame frame, int n, double xi) {
    if (!bends(direction)) return at(frame == Frame::mean ? jacobi(n, 0, 0) : product({0, 1}, jacobi(n - 1, 0, 2)), xi);
    switch (frame) {
        case Frame::tangent: return at(product({0, 0, 1}, jacobi(n - 1, 0, 4)), xi);
        case Frame::chord: return at(product({0, 1, -1}, jacobi(n - 1, 2, 2)), xi);
        case Frame::mean: break;
    }
    return at(jacobi(n + 1, 0, 0), xi);
}

}  // namespace

std::vector<Node> gauss_nodes(double from, double to, int count) {
    std::vector<Node> nodes;
    const double half = (to - from) / 2;
    for (int i = 0; i < count; ++i) {
        double x = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5)), slope = 1;
        for (int step = 0; step < 20; ++step) {
            double p = 1, before = 0;
            for (int n = 1; n <= count; ++n) {
                const double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
                before = p, p = next;
            }
            slope = count * (x * p - before) / (x * x - 1);
            x -= p / slope;
        }
        nodes.push_back({from + half * (1 + x), half * 2 / ((1 - x * x) * slope * slope)});
    }
    return nodes;
}

ShapeValues book_shape(Direction direction, Family family, Frame frame, std::size_t number, double xi) {
    const int n = static_cast<int>(number);
    const double pi = std::numbers::pi;
    if (family == Family::polynomial) return polynomial(direction, frame, n, xi);
    if (family == Family::pinned_pinned) return wave(n * pi, xi, false);
    if (!bends(direction)) return family == Family::clamped_free ? wave((n - 0.5) * pi, xi, false) : wave(n * pi, xi, true);
    const double b = wave_number(family, n);
    const double sign = family == Family::clamped_free ? 1 : -1;
    const double sigma = (std::cosh(b) + sign * std::cos(b)) / (std::sinh(b) + sign * std::sin(b));
    const double ch = std::cosh(b * xi), sh = std::sinh(b * xi), c = std::cos(b * xi), s = std::sin(b * xi);
    const double side = family == Family::free_free ? 1 : -1;  // cosh ∓ cos
    return {ch + side * c - sigma * (sh + side * s), b * (sh - side * s - sigma * (ch + side * c)),
            b * b * (ch - side * c - sigma * (sh - side * s))};
}

ShapeValues book_shape_with_mass(double eta, double tau, std::size_t number, double xi) {
    const auto sigma = [&](double b) {  // φ''' = −ηβ⁴φ at the tip
        return (std::sinh(b) - std::sin(b) + eta * b * (std::cosh(b) - std::cos(b))) /
               (std::cosh(b) + std::cos(b) + eta * b * (std::sinh(b) - std::sin(b)));
    };
    const auto moment = [&](double b) {  // φ'' = τβ⁴φ' at the tip, over what grows
        const double s = sigma(b);
        return (std::cosh(b) + std::cos(b) - s * (std::sinh(b) + std::sin(b)) -
                tau * b * b * b * (std::sinh(b) + std::sin(b) - s * (std::cosh(b) - std::cos(b)))) /
               std::cosh(b);
    };
    double b = 0;
    std::size_t found = 0;
    for (double low = 0.05; found < number; low += 0.05) {
        if ((moment(low) < 0) == (moment(low + 0.05) < 0)) continue;
        b = root(moment, low, low + 0.05), ++found;
    }
    const double s = sigma(b), ch = std::cosh(b * xi), sh = std::sinh(b * xi), c = std::cos(b * xi), n = std::sin(b * xi);
    return {ch - c - s * (sh - n), b * (sh + n - s * (ch - c)), b * b * (ch + c - s * (sh + n))};
}

BeamNumbers::BeamNumbers(const model::Beam& beam, const Value& value)
    : length_(value(beam.length)),
      start_(value(beam.sleeves.start)),
      end_(value(beam.sleeves.end)),
      span_(length_ - start_ - end_),
      shortens_(beam.shortening),
      frame_(beam.frame) {
    double from = start_;
    for (const model::BeamPiece& p : beam.pieces) {
        const model::BeamSection& s = p.section;
        const double to = &p == &beam.pieces.back() ? last() : value(p.to);
        pieces_.push_back({from, to, value(s.mass_per_length), value(s.bending_y), value(s.bending_z), value(s.axial), value(s.torsion),
                           value(s.torsion_inertia), value(s.rotary)});
        from = to;
    }
    for (const model::BeamShapes& s : beam.shapes) {
        for (std::size_t i = 1; i <= s.count; ++i) {
            const std::size_t k = directions_.size();
            given_.push_back(s.given);
            if (i == 1) cut_pieces_at(s.given.x);
            directions_.push_back(s.direction), families_.push_back(s.family), numbers_.push_back(i);
            tip_.push_back(s.family == Family::clamped_mass ? tip_ratios(beam, s, value) : std::pair(0.0, 0.0));
            scale_.push_back(1), shift_.push_back(0), slope_.push_back(0);
            const bool is_twist = s.direction == Direction::twist;
            if (frame_ == Frame::mean) {  // ∫φ dm = ∫xφ dm = 0, of stretch and twist the first: least squares in dm
                Eigen::Matrix2d A = Eigen::Matrix2d::Zero();
                Eigen::Vector2d b = Eigen::Vector2d::Zero();
                for (const Piece& p : pieces_) {
                    for (const Node& node : gauss_nodes(p.from, p.to)) {
                        const double xi = (node.x - start_) / span_, dm = node.weight * (is_twist ? p.torsion_inertia : p.mass);
                        const Eigen::Vector2d e(1, bends(s.direction) ? xi : 0);
                        A += dm * e * e.transpose();
                        b += dm * raw(k, node.x)[0] * e;
                    }
                }
                if (!bends(s.direction)) A(1, 1) = 1;
                const Eigen::Vector2d c = A.inverse() * b;
                shift_[k] = c[0], slope_[k] = c[1];
            }
            if (s.normalise == model::BeamNormalise::tip) scale_[k] = 1 / raw(k, last())[0];
            if (s.normalise == model::BeamNormalise::mass) {
                double mass = 0;
                for (const Piece& p : pieces_) {
                    for (const Node& node : gauss_nodes(p.from, p.to)) {
                        mass += node.weight * (is_twist ? p.torsion_inertia : p.mass) * std::pow(raw(k, node.x)[0], 2);
                    }
                }
                scale_[k] = 1 / std::sqrt(mass);
            }
        }
    }
    const Index n = static_cast<Index>(count());
    mean_shortening_ = Eigen::MatrixXd::Zero(n, n);
    if (frame_ != Frame::mean) return;
    Eigen::MatrixXd mean = mean_shortening_;
    double mass = 0;
    for (const Piece& p : pieces_) {
        for (const Node& node : gauss_nodes(p.from, p.to)) {
            mean += node.weight * p.mass * station(node.x).shortening;
            mass += node.weight * p.mass;
        }
    }
    mean_shortening_ = mean / mass;
}

std::pair<double, double> BeamNumbers::tip_ratios(const model::Beam& beam, const model::BeamShapes& shapes, const Value& value) const {
    double mass = 0, inertia = 0;
    const std::size_t axis = shapes.direction == Direction::y ? 2 : 1;
    for (const model::BeamMass& m : beam.masses) {
        if (std::abs(value(m.at) - length_) < 1e-12 * length_) mass += value(m.mass), inertia += value(m.inertia[axis][axis]);
    }
    if (shapes.tip_mass) mass = value(*shapes.tip_mass);
    if (shapes.tip_inertia) inertia = value(*shapes.tip_inertia);
    const double whole = pieces_[0].mass * span_;
    return {mass / whole, inertia / (whole * span_ * span_)};
}

/// Where given shapes change from one cubic to the next.
void BeamNumbers::cut_pieces_at(const std::vector<double>& x) {
    for (const double at : x) {
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const double cut = start_ + at;
            if (!(cut > pieces_[i].from + 1e-9 * span_ && cut < pieces_[i].to - 1e-9 * span_)) continue;
            Piece rest = pieces_[i];
            pieces_[i].to = rest.from = cut;
            pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
        }
    }
}

/// The cubic with these values and slopes at both ends, by ξ = x/span.
ShapeValues hermite(const model::GivenShapes& shapes, std::size_t number, double x, double span) {
    const auto& at = shapes.x;
    const std::size_t k = std::clamp<std::size_t>(std::ranges::upper_bound(at, x) - at.begin(), 1, at.size() - 1) - 1;
    const std::vector<double>&phi = shapes.phi[number - 1], &slope = shapes.slope[number - 1];
    const double h = at[k + 1] - at[k], s = (x - at[k]) / h, rise = phi[k + 1] - phi[k], a = h * slope[k] - rise,
                 b = rise - h * slope[k + 1];
    const double value = phi[k] + s * rise + s * (1 - s) * (a * (1 - s) + b * s);
    const double first = rise + (1 - 2 * s) * (a * (1 - s) + b * s) + s * (1 - s) * (b - a);
    const double second = -2 * (a * (1 - s) + b * s) + 2 * (1 - 2 * s) * (b - a);
    return {value, first / h * span, second / (h * h) * span * span};
}

ShapeValues BeamNumbers::raw(std::size_t k, double x) const {
    const double xi = (x - start_) / span_;
    const bool is_given = !given_[k].x.empty();
    const bool has_mass = families_[k] == Family::clamped_mass;
    ShapeValues v = is_given   ? hermite(given_[k], numbers_[k], x - start_, span_)
                    : has_mass ? book_shape_with_mass(tip_[k].first, tip_[k].second, numbers_[k], xi)
                               : book_shape(directions_[k], families_[k], frame_, numbers_[k], xi);
    v[0] -= shift_[k] + slope_[k] * xi, v[1] -= slope_[k];
    v[1] /= span_, v[2] /= span_ * span_;
    for (double& d : v) d *= scale_[k];
    return v;
}

BeamNumbers::Station BeamNumbers::station(double x) const {
    x = std::clamp(x, start(), last());
    const Index n = static_cast<Index>(count());
    Station s{x, {}, Eigen::MatrixXd::Zero(n, n)};
    for (std::size_t k = 0; k < count(); ++k) s.shape.push_back(raw(k, x));
    if (!shortens_) return s;
    for (const Piece& p : pieces_) {
        if (p.from >= x) break;
        for (const Node& node : gauss_nodes(p.from, std::min(p.to, x))) add_shortening(s, node);
    }
    s.shortening -= mean_shortening_;
    return s;
}

void BeamNumbers::add_shortening(Station& s, const Node& node) const {
    for (std::size_t k = 0; k < count(); ++k) {
        for (std::size_t l = 0; l < count(); ++l) {
            if (!bends(directions_[k]) || directions_[k] != directions_[l]) continue;
            s.shortening(static_cast<Index>(k), static_cast<Index>(l)) += node.weight * raw(k, node.x)[1] * raw(l, node.x)[1];
        }
    }
}

Jet BeamNumbers::sum(const Station& s, const std::vector<Jet>& q, Direction direction, std::size_t derivative) const {
    Jet total;
    for (std::size_t k = 0; k < count(); ++k) {
        if (directions_[k] == direction) total = total + Jet(s.shape[k][derivative]) * q[k];
    }
    return total;
}

JetVec BeamNumbers::place(const Station& s, const std::vector<Jet>& q) const {
    Jet x = Jet(s.x) + sum(s, q, Direction::x, 0);
    for (std::size_t k = 0; k < count(); ++k) {
        for (std::size_t l = 0; l < count(); ++l)
            x = x - Jet(0.5 * s.shortening(static_cast<Index>(k), static_cast<Index>(l))) * q[k] * q[l];
    }
    return x * fixed(Eigen::Vector3d::UnitX()) + sum(s, q, Direction::y, 0) * fixed(Eigen::Vector3d::UnitY()) +
           sum(s, q, Direction::z, 0) * fixed(Eigen::Vector3d::UnitZ());
}

JetMat BeamNumbers::axes(const Station& s, const std::vector<Jet>& q) const {
    return turn(Eigen::Vector3d::UnitZ(), sum(s, q, Direction::y, 1)) * turn(Eigen::Vector3d::UnitY(), -sum(s, q, Direction::z, 1)) *
           turn(Eigen::Vector3d::UnitX(), sum(s, q, Direction::twist, 0));
}

Eigen::MatrixXd BeamNumbers::stiffness() const {
    const Index n = static_cast<Index>(count());
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
    for (const Piece& p : pieces_) {
        for (const Node& node : gauss_nodes(p.from, p.to)) {
            for (std::size_t k = 0; k < count(); ++k) {
                for (std::size_t l = 0; l < count(); ++l) {
                    if (directions_[k] != directions_[l]) continue;
                    const Direction d = directions_[k];
                    const double stiff = d == Direction::y   ? p.bending_y
                                         : d == Direction::z ? p.bending_z
                                         : d == Direction::x ? p.axial
                                                             : p.torsion;
                    const std::size_t derivative = bends(d) ? 2 : 1;
                    K(static_cast<Index>(k), static_cast<Index>(l)) +=
                        node.weight * stiff * raw(k, node.x)[derivative] * raw(l, node.x)[derivative];
                }
            }
        }
    }
    return K;
}

}  // namespace linkwright::laws
