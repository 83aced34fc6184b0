#include "linkwright/perturb/response_tracer.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/singular_values.hpp"

namespace linkwright::perturb {

namespace {

/// Of modulation (0) and solution (1): mode, order, harmonic, powers. Natural frequencies are (2): mode.
void put(CoefficientFamily::Values& values, int part, const std::vector<std::vector<HarmonicTerm<double>>>& modes) {
    for (std::size_t k = 0; k < modes.size(); ++k) {
        for (const auto& t : modes[k]) {
            CoefficientFamily::Key key{part, static_cast<int>(k), static_cast<int>(t.order), t.harmonic};
            key.insert(key.end(), t.powers.begin(), t.powers.end());
            values[key] += std::complex<double>(t.coefficient.re, t.coefficient.im);
        }
    }
}

}  // namespace

ScalesFamily::ScalesFamily(const FormAt& form, const ScalesOptions& options, const Ordering& ordering, double from, double until)
    : coefficients_(
          [&](double Omega) -> std::optional<CoefficientFamily::Values> {
              const auto m = multiple_scales(form(Omega), options, ordering);
              if (!m.is_ok) return std::nullopt;
              CoefficientFamily::Values values;
              put(values, 0, m.modulation);
              put(values, 1, m.solution);
              for (std::size_t k = 0; k < m.omega.size(); ++k) values[{2, static_cast<int>(k)}] = m.omega[k];
              pattern_ = m;
              return values;
          },
          from, until) {
    for (auto* part : {&pattern_.modulation, &pattern_.solution}) {
        for (auto& terms : *part) terms.clear();
    }
    pattern_.orders.clear();
}

MultipleScales<double> ScalesFamily::operator()(double Omega) const {
    MultipleScales<double> m = pattern_;
    m.Omega = m.Omega_value = Omega;
    const Eigen::VectorXcd values = coefficients_(Omega);
    for (std::size_t i = 0; i < coefficients_.keys().size(); ++i) {
        const auto& key = coefficients_.keys()[i];
        const std::complex<double> c = values[i];
        if (key[0] == 2) {
            m.omega[key[1]] = m.omega_value[key[1]] = c.real();
            continue;
        }
        (key[0] == 0 ? m.modulation : m.solution)[key[1]].push_back(
            {{c.real(), c.imag()}, {key.begin() + 4, key.end()}, key[3], static_cast<unsigned>(key[2])});
    }
    return m;
}

std::vector<ResponsePoint> ResponseTracer::trace(const ResponsePoint& start, int direction) {
    std::vector<Point> points;
    Point now = start;
    VectorXd before = VectorXd::Zero(0);
    double length = step_;
    const auto most = static_cast<std::size_t>(40 / step_);
    for (std::size_t i = 0; i < most && goes_on(goes_on_); ++i) {
        const double larger = std::max(least_, now.at.B.cwiseAbs().maxCoeff());
        if (before.size() > 0) before.head(2 * now.at.B.size()) *= size_ / larger;
        size_ = larger;
        const MatrixXd turns = turns_of(SlowFlow(family_(now.Omega)), now.at.B);
        std::optional<VectorXd> tangent = tangent_at(now, turns);
        if (!tangent) break;
        if (before.size() == tangent->size() ? before.dot(*tangent) < 0 : (*tangent)[tangent->size() - 1] * direction < 0)
            *tangent = -*tangent;
        const Point last = now;
        bool done = false;
        while (!done && length > 1e-7 * step_) {
            Point next = moved(now, turns, length * *tangent);
            int iterations = 0;
            if (correct(next, now, turns, *tangent, iterations)) {
                const std::optional<VectorXd> t = tangent_at(next, turns_of(SlowFlow(family_(next.Omega)), next.at.B));
                if (t && t->size() == tangent->size() && std::abs(t->dot(*tangent)) > 0.9) {
                    before = *tangent;
                    now = next;
                    done = true;
                    if (iterations <= 3) length = std::min(1.6 * length, 1.5 * step_);
                    break;
                }
                if (t && t->size() != tangent->size()) break;  // a mode comes to rest: another branch begins here
            }
            length /= 2;
        }
        if (!done) break;
        if (now.Omega > until_ || now.Omega < from_) {
            if (const auto edge = between(last, now, now.Omega > until_ ? until_ : from_)) points.push_back(*edge);
            break;
        }
        if (!points.empty() && has_mirrored(points.back(), now)) break;
        points.push_back(now);
        if (i > 5 && distance(now, start) < 0.6 * length) break;  // closed
    }
    return points;
}

std::optional<ResponsePoint> ResponseTracer::between(const Point& a, const Point& b, double Omega) const {
    const double w = (Omega - a.Omega) / (b.Omega - a.Omega);
    Point p{Omega, {a.at.B + w * (b.at.B - a.at.B), a.at.spin + w * (b.at.spin - a.at.spin)}};
    const bool is_there = settle(SlowFlow(family_(Omega)), p.at) && distance(p, a) <= 2 * distance(a, b);
    return is_there ? std::optional<Point>(p) : std::nullopt;
}

double ResponseTracer::distance(const ResponsePoint& a, const ResponsePoint& b) const {
    return std::hypot((a.at.B.cwiseAbs() - b.at.B.cwiseAbs()).norm() / size_, (a.Omega - b.Omega) / (until_ - from_));
}

/// A mode has gone through rest and comes back reversed: the same motions again.
bool ResponseTracer::has_mirrored(const Point& a, const Point& b) const {
    for (Eigen::Index k = 0; k < a.at.B.size(); ++k) {
        const auto x = a.at.B[k], y = b.at.B[k];
        if (std::min(std::abs(x), std::abs(y)) < 1e-6 * size_) continue;  // it rests
        if ((std::conj(x) * y).real() < -0.9 * std::abs(x) * std::abs(y) && std::abs(x) < 0.1 * size_ && std::abs(y) < 0.1 * size_)
            return true;
    }
    return false;
}

VectorXd ResponseTracer::residual(const Point& p) const {
    Eigen::VectorXcd r = SlowFlow(family_(p.Omega)).rate(p.at.B);
    for (Eigen::Index k = 0; k < r.size(); ++k) r[k] -= std::complex<double>(0, p.at.spin[k]) * p.at.B[k];
    return parts_of(r);
}

/// Columns: X, Y in units of size, turning rates and Ω in units of the range.
MatrixXd ResponseTracer::matrix(const Point& p, const MatrixXd& turns) const {
    const auto n = p.at.B.size();
    const double range = until_ - from_;
    MatrixXd J(2 * n, 2 * n + turns.cols() + 1);
    MatrixXd own = SlowFlow(family_(p.Omega)).jacobian(p.at.B);
    for (Eigen::Index k = 0; k < n; ++k) {
        own(k, n + k) += p.at.spin[k];
        own(n + k, k) -= p.at.spin[k];
        for (Eigen::Index c = 0; c < turns.cols(); ++c) {
            J(k, 2 * n + c) = range * turns(k, c) * p.at.B[k].imag();
            J(n + k, 2 * n + c) = -range * turns(k, c) * p.at.B[k].real();
        }
    }
    J.leftCols(2 * n) = size_ * own;
    Point up = p, down = p;
    const double h = 1e-5 * range;
    up.Omega += h, down.Omega -= h;
    J.col(J.cols() - 1) = (residual(up) - residual(down)) / (2 * h) * range;
    return J;
}

/// Rows that forbid free turns.
MatrixXd ResponseTracer::gauge(const Point& p, const MatrixXd& turns, Eigen::Index columns) {
    const auto n = p.at.B.size();
    MatrixXd rows = MatrixXd::Zero(turns.cols(), columns);
    for (Eigen::Index c = 0; c < turns.cols(); ++c)
        for (Eigen::Index k = 0; k < n; ++k) {
            rows(c, k) = -turns(k, c) * p.at.B[k].imag();
            rows(c, n + k) = turns(k, c) * p.at.B[k].real();
        }
    for (Eigen::Index c = 0; c < turns.cols(); ++c)
        if (rows.row(c).norm() > 0) rows.row(c).normalize();
    return rows;
}

std::optional<VectorXd> ResponseTracer::tangent_at(const Point& p, const MatrixXd& turns) const {
    const MatrixXd J = matrix(p, turns);
    MatrixXd all(J.rows() + turns.cols(), J.cols());
    all << J / std::max(J.cwiseAbs().maxCoeff(), 1e-300), gauge(p, turns, J.cols());
    const VectorXd t = solve::singular_values(all, solve::SingularVectors::none, solve::SingularVectors::full).v.col(J.cols() - 1);
    return t.allFinite() ? std::optional<VectorXd>(t) : std::nullopt;
}

ResponsePoint ResponseTracer::moved(const Point& p, const MatrixXd& turns, const VectorXd& dx) const {
    const auto n = p.at.B.size();
    const double range = until_ - from_;
    Point q = p;
    q.at.B += size_ * whole_of(dx.head(2 * n));
    if (turns.cols() > 0) q.at.spin += range * (turns * dx.segment(2 * n, turns.cols()));
    q.Omega += range * dx[dx.size() - 1];
    return q;
}

bool ResponseTracer::correct(Point& p, const Point& base, const MatrixXd& turns, const VectorXd& tangent, int& iterations) const {
    for (iterations = 0; iterations < 8; ++iterations) {
        const VectorXd r = residual(p);
        const MatrixXd J = matrix(p, turns);
        const double scale = std::max(J.cwiseAbs().maxCoeff(), 1e-300);
        MatrixXd all(J.rows() + turns.cols() + 1, J.cols());
        all << J / scale, gauge(base, turns, J.cols()), tangent.transpose();
        VectorXd right = VectorXd::Zero(all.rows());
        right.head(r.size()) = -r / scale;
        const VectorXd dx = solve::CompleteOrthogonal(all).solve(right);
        if (!dx.allFinite() || dx.norm() > 1) return false;
        p = moved(p, turns, dx);
        if (dx.norm() < 1e-10) return true;
    }
    return false;
}

}  // namespace linkwright::perturb
