#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "linkwright/analysis/steady_search.hpp"

namespace linkwright::analysis {

namespace {

/// Multiple scales at any Ω in one ordering. Ω enters through its detuning only, as a polynomial: worked out at a few Ω, it is
/// known at all.
class ScalesFamily {
public:
    ScalesFamily(const ModalForm<double>& form, const ScalesOptions& options, const Ordering& ordering, double from, double until) {
        const auto n = static_cast<std::size_t>(form.omega.size());
        BaseFrequencies base([&] {
            auto f = form.omega_value;
            f.push_back((from + until) / 2);
            return f;
        }());
        unsigned p = 1;
        bool is_moved = false;
        for (const auto& r : ordering.relations)
            if (r.multiples.back() != 0) p = is_moved ? std::min(p, r.order) : r.order, is_moved = true;
        const unsigned order = options.order != 0 ? options.order : std::max(2U, form.degree - 1);
        const unsigned nodes = (order + 1) / std::max(1U, p) + 1;
        const double span = std::max(until - from, 1e-6 * until);
        for (unsigned i = 0; i < nodes; ++i) {
            const double Omega = (from + until) / 2 - span / 2 * std::cos(M_PI * (2 * i + 1) / (2.0 * nodes));
            auto at = form;
            at.Omega = at.Omega_value = Omega;
            auto m = multiple_scales(at, options, ordering);
            if (!m.is_ok) {
                why_ = m.why;
                return;
            }
            if (i == 0) pattern_ = m;
            nodes_.push_back(Omega);
            samples_.push_back(std::move(m));
        }
        // One pattern with every term that occurs at some node.
        for (std::size_t k = 0; k < n; ++k) {
            gather(k, &MultipleScales<double>::modulation);
            gather(k, &MultipleScales<double>::solution);
        }
        samples_.clear();
    }
    const std::string& why() const { return why_; }

    MultipleScales<double> operator()(double Omega) const {
        MultipleScales<double> m = pattern_;
        m.Omega = m.Omega_value = Omega;
        VectorXd weight(static_cast<Eigen::Index>(nodes_.size()));
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            double w = 1;
            for (std::size_t j = 0; j < nodes_.size(); ++j)
                if (j != i) w *= (Omega - nodes_[j]) / (nodes_[i] - nodes_[j]);
            weight[static_cast<Eigen::Index>(i)] = w;
        }
        std::size_t at = 0;
        const auto fill = [&](auto& list) {
            for (auto& t : list) {
                std::complex<double> sum = 0;
                for (std::size_t i = 0; i < nodes_.size(); ++i) sum += weight[static_cast<Eigen::Index>(i)] * values_[at][i];
                t.coefficient = {sum.real(), sum.imag()};
                ++at;
            }
        };
        for (std::size_t k = 0; k < m.modulation.size(); ++k) {
            fill(m.modulation[k]);
            fill(m.solution[k]);
        }
        return m;
    }

private:
    void gather(std::size_t k, std::vector<std::vector<HarmonicTerm<double>>> MultipleScales<double>::* part) {
        std::map<std::tuple<unsigned, std::vector<std::uint8_t>, int>, std::vector<std::complex<double>>> found;
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            for (const auto& t : (samples_[i].*part)[k]) {
                auto& values = found[{t.order, t.powers, t.harmonic}];
                values.resize(samples_.size(), 0);
                values[i] += std::complex<double>(t.coefficient.re, t.coefficient.im);
            }
        }
        auto& list = (pattern_.*part)[k];
        list.clear();
        for (auto& [key, values] : found) {
            list.push_back({{0, 0}, std::get<1>(key), std::get<2>(key), std::get<0>(key)});
            values_.push_back(std::move(values));
        }
    }

    MultipleScales<double> pattern_;
    std::vector<MultipleScales<double>> samples_;
    std::vector<double> nodes_;
    std::vector<std::vector<std::complex<double>>> values_;
    std::string why_;
};

struct Point {
    double Omega = 0;
    SteadyPoint at;
};

/// Along a curve of steady motions in (B, turning rates, Ω), by steps of the arc in units of the problem.
class Tracer {
public:
    Tracer(const ScalesFamily& family, double from, double until, std::size_t steps, double size)
        : family_(family), from_(from), until_(until), step_(1.0 / static_cast<double>(std::max<std::size_t>(steps, 10))), least_(size), size_(size) {}

    /// From a point on, in one direction, until Ω leaves the range or the curve closes.
    std::vector<Point> trace(const Point& start, int direction) {
        std::vector<Point> points;
        Point now = start;
        VectorXd before = VectorXd::Zero(0);
        double length = step_;
        const std::size_t most = static_cast<std::size_t>(40 / step_);
        for (std::size_t i = 0; i < most; ++i) {
            const double larger = std::max(least_, now.at.B.cwiseAbs().maxCoeff());
            if (before.size() > 0) before.head(2 * now.at.B.size()) *= size_ / larger;
            size_ = larger;
            const MatrixXd turns = turns_of(SlowFlow(family_(now.Omega)), now.at.B);
            std::optional<VectorXd> tangent = tangent_at(now, turns);
            if (!tangent) break;
            if (before.size() == tangent->size() ? before.dot(*tangent) < 0 : (*tangent)[tangent->size() - 1] * direction < 0) *tangent = -*tangent;
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
            const bool is_outside = now.Omega > until_ || now.Omega < from_;
            if (is_outside) {
                const double edge = now.Omega > until_ ? until_ : from_;
                const double w = points.empty() ? 1 : (edge - points.back().Omega) / (now.Omega - points.back().Omega);
                Point last = now;
                if (!points.empty()) last.at.B = points.back().at.B + w * (now.at.B - points.back().at.B), last.at.spin = points.back().at.spin + w * (now.at.spin - points.back().at.spin);
                last.Omega = edge;
                const SlowFlow flow(family_(edge));
                if (settle(flow, last.at)) points.push_back(last);
                break;
            }
            if (!points.empty() && has_mirrored(points.back(), now)) break;
            points.push_back(now);
            if (i > 5 && distance(now, start) < 0.6 * length) break;  // closed
        }
        return points;
    }

    double distance(const Point& a, const Point& b) const {
        return std::hypot((a.at.B.cwiseAbs() - b.at.B.cwiseAbs()).norm() / size_, (a.Omega - b.Omega) / (until_ - from_));
    }

private:
    /// A mode has gone through rest and comes back reversed: the same motions again.
    bool has_mirrored(const Point& a, const Point& b) const {
        for (Eigen::Index k = 0; k < a.at.B.size(); ++k) {
            const auto x = a.at.B[k], y = b.at.B[k];
            if (std::min(std::abs(x), std::abs(y)) < 1e-6 * size_) continue;  // it rests
            if ((std::conj(x) * y).real() < -0.9 * std::abs(x) * std::abs(y) && std::abs(x) < 0.1 * size_ && std::abs(y) < 0.1 * size_) return true;
        }
        return false;
    }
    VectorXd residual(const Point& p) const {
        Eigen::VectorXcd r = SlowFlow(family_(p.Omega)).rate(p.at.B);
        for (Eigen::Index k = 0; k < r.size(); ++k) r[k] -= std::complex<double>(0, p.at.spin[k]) * p.at.B[k];
        return parts_of(r);
    }
    /// Columns: X, Y in units of size, turning rates and Ω in units of the range.
    MatrixXd matrix(const Point& p, const MatrixXd& turns) const {
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
    static MatrixXd gauge(const Point& p, const MatrixXd& turns, Eigen::Index columns) {
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
    std::optional<VectorXd> tangent_at(const Point& p, const MatrixXd& turns) const {
        const MatrixXd J = matrix(p, turns);
        MatrixXd all(J.rows() + turns.cols(), J.cols());
        all << J / std::max(J.cwiseAbs().maxCoeff(), 1e-300), gauge(p, turns, J.cols());
        const Eigen::JacobiSVD<MatrixXd> svd(all, Eigen::ComputeFullV);
        const VectorXd t = svd.matrixV().col(J.cols() - 1);
        return t.allFinite() ? std::optional<VectorXd>(t) : std::nullopt;
    }
    Point moved(const Point& p, const MatrixXd& turns, const VectorXd& dx) const {
        const auto n = p.at.B.size();
        const double range = until_ - from_;
        Point q = p;
        q.at.B += size_ * whole_of(dx.head(2 * n));
        if (turns.cols() > 0) q.at.spin += range * (turns * dx.segment(2 * n, turns.cols()));
        q.Omega += range * dx[dx.size() - 1];
        return q;
    }
    bool correct(Point& p, const Point& base, const MatrixXd& turns, const VectorXd& tangent, int& iterations) const {
        for (iterations = 0; iterations < 8; ++iterations) {
            const VectorXd r = residual(p);
            const MatrixXd J = matrix(p, turns);
            const double scale = std::max(J.cwiseAbs().maxCoeff(), 1e-300);
            MatrixXd all(J.rows() + turns.cols() + 1, J.cols());
            all << J / scale, gauge(base, turns, J.cols()), tangent.transpose();
            VectorXd right = VectorXd::Zero(all.rows());
            right.head(r.size()) = -r / scale;
            const VectorXd dx = all.completeOrthogonalDecomposition().solve(right);
            if (!dx.allFinite() || dx.norm() > 1) return false;
            p = moved(p, turns, dx);
            if (dx.norm() < 1e-10) return true;
        }
        return false;
    }

    const ScalesFamily& family_;
    double from_, until_, step_, least_, size_;  // amplitudes count in units of the present one
};

/// A resonance with Ω that acts, the ordering it needs, and where it is.
struct Centre {
    double Omega;
    Ordering ordering;
};

std::vector<Centre> centres_of(const ModalForm<double>& form, const ScalesOptions& options, double from, double until) {
    const auto& w = form.omega_value;
    const std::size_t n = w.size();
    std::vector<double> candidates;
    const double near = 1 + options.closeness;
    const auto propose = [&](double Omega) {
        if (Omega > from / near && Omega < until * near) candidates.push_back(std::clamp(Omega, from, until));
    };
    const unsigned order = options.order != 0 ? options.order : std::max(2U, form.degree - 1);
    const int most = static_cast<int>(order) + 1;
    for (std::size_t k = 0; k < n; ++k) {
        for (int m = 1; m <= most; ++m)
            for (int h = 1; h <= most; ++h)
                if (m + h <= most + 1) propose(m * w[k] / h);
        for (std::size_t j = 0; j < k; ++j)
            for (int h = 1; h < most; ++h) propose((w[k] + w[j]) / h), propose(std::abs(w[k] - w[j]) / h);
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end(), [](double a, double b) { return b - a < 1e-6 * b; }), candidates.end());
    std::vector<Centre> list;
    for (const double Omega : candidates) {
        if (!(Omega > 0)) continue;
        auto at = form;
        at.Omega = at.Omega_value = Omega;
        const auto m = multiple_scales(at, options);
        if (!m.is_ok) continue;
        unsigned lowest = 0;
        for (const auto& r : m.ordering.relations)
            if (r.multiples.back() != 0) lowest = lowest == 0 ? r.order : std::min(lowest, r.order);
        if (lowest == 0) continue;
        // Neighbours that rest on the same relation are one.
        bool is_known = false;
        for (const auto& c : list)
            for (const auto& a : c.ordering.relations)
                for (const auto& b : m.ordering.relations) is_known = is_known || (a.multiples.back() != 0 && a.multiples == b.multiples);
        if (!is_known) list.push_back({Omega, m.ordering});
    }
    return list;
}

SteadyState state_at(const ScalesFamily& family, const Point& p) {
    const auto m = family(p.Omega);
    return describe(m, SlowFlow(m), p.at);
}

/// Where a branch passes an Ω, between which two of its states.
bool passes(const ScalesFamily& family, const std::vector<Point>& branch, const SteadyState& state, double Omega) {
    const SlowFlow flow(family(Omega));
    for (std::size_t i = 0; i + 1 < branch.size(); ++i) {
        const auto &a = branch[i], &b = branch[i + 1];
        if ((a.Omega - Omega) * (b.Omega - Omega) > 0 || a.Omega == b.Omega) continue;
        const double w = (Omega - a.Omega) / (b.Omega - a.Omega);
        SteadyPoint at{a.at.B + w * (b.at.B - a.at.B), a.at.spin + w * (b.at.spin - a.at.spin)};
        if (!settle(flow, at)) continue;
        if (are_alike(flow, describe(family(Omega), flow, at), state)) return true;
    }
    return false;
}

void note_changes(ResponseBranch& branch) {
    const auto& s = branch.states;
    for (std::size_t i = 1; i < s.size(); ++i) {
        const bool turns = i + 1 < s.size() && (s[i].Omega - s[i - 1].Omega) * (s[i + 1].Omega - s[i].Omega) < 0;
        if (s[i].is_stable != s[i - 1].is_stable || turns) branch.folds.push_back(i);
    }
}

void respond_near(FrequencyResponse& response, const ModalForm<double>& form, const ScalesOptions& options, const Ordering& ordering, double from, double until, std::size_t steps) {
    const ScalesFamily family(form, options, ordering, from, until);
    if (!family.why().empty()) {
        response.notes.push_back(family.why());
        return;
    }
    std::vector<std::vector<Point>> traced;
    constexpr int stations = 9;
    for (int i = 0; i < stations; ++i) {
        // Both ends first, then between.
        const double share = i == 0 ? 0 : i == 1 ? 1 : (i - 1.0) / (stations - 1.0);
        const double Omega = from + share * (until - from);
        const auto m = family(Omega);
        const SlowFlow flow(m);
        for (const auto& at : search(m, flow)) {
            const auto state = describe(m, flow, at);
            bool is_known = false;
            for (const auto& branch : traced) is_known = is_known || passes(family, branch, state, Omega);
            if (is_known) continue;
            const auto sizes = flow.scales();
            const double size = std::max(at.B.cwiseAbs().maxCoeff(), sizes.empty() ? 1.0 : 0.3 * sizes[sizes.size() / 2]);
            Tracer tracer(family, from, until, steps, size);
            const Point start{Omega, at};
            std::vector<Point> branch;
            if (share > 0) {
                branch = tracer.trace(start, -1);
                std::reverse(branch.begin(), branch.end());
            }
            branch.push_back(start);
            const bool is_closed = branch.size() > 8 && tracer.distance(branch.front(), start) < 2.0 / static_cast<double>(steps);
            if (share < 1 && !is_closed) {
                const auto onward = tracer.trace(start, 1);
                branch.insert(branch.end(), onward.begin(), onward.end());
            }
            traced.push_back(std::move(branch));
        }
    }
    for (const auto& branch : traced) {
        ResponseBranch b;
        for (const auto& p : branch) {
            if (is_within_series(family(p.Omega), p.at.B)) b.states.push_back(state_at(family, p));
        }
        note_changes(b);
        if (!b.states.empty()) response.branches.push_back(std::move(b));
    }
}

/// Away from resonance with Ω every state follows Ω by itself.
void respond_between(FrequencyResponse& response, const ModalForm<double>& form, const ScalesOptions& options, double from, double until, std::size_t steps) {
    std::vector<ResponseBranch> branches;
    for (std::size_t i = 0; i <= steps; ++i) {
        auto at = form;
        at.Omega = at.Omega_value = from + (until - from) * static_cast<double>(i) / static_cast<double>(steps);
        const auto m = multiple_scales(at, options);
        if (!m.is_ok) continue;
        const auto states = steady_states(m);
        for (std::size_t j = 0; j < states.size(); ++j) {
            if (j == branches.size()) branches.emplace_back();
            branches[j].states.push_back(states[j]);
        }
    }
    for (auto& b : branches) {
        note_changes(b);
        response.branches.push_back(std::move(b));
    }
}

}  // namespace

FrequencyResponse frequency_response(const ModalForm<double>& form, const ScalesOptions& options, double from, double until, std::size_t steps) {
    FrequencyResponse response;
    if (!(from > 0) || !(until > from) || !std::isfinite(until)) {
        response.notes.push_back("A range of frequencies needs 0 < from < until.");
        return response;
    }
    steps = std::max<std::size_t>(steps, 10);
    const auto centres = centres_of(form, options, from, until);
    if (centres.empty()) {
        response.notes.push_back("No resonance with the excitation acts in this range.");
        respond_between(response, form, options, from, until, steps);
        return response;
    }
    double begin = from;
    for (std::size_t i = 0; i < centres.size(); ++i) {
        const double end = i + 1 < centres.size() ? std::sqrt(centres[i].Omega * centres[i + 1].Omega) : until;
        const auto share = static_cast<std::size_t>(std::max(10.0, static_cast<double>(steps) * (end - begin) / (until - from)));
        auto frequencies = form.omega_value;
        frequencies.push_back(centres[i].Omega);
        for (const auto& r : centres[i].ordering.relations)
            if (r.multiples.back() != 0) {
                Excitation excitation;
                for (const auto& terms : form.terms)
                    for (const auto& t : terms)
                        if (t.harmonic != 0) (t.degree() == 0 ? excitation.is_forced : excitation.is_parametric) = true;
                response.notes.push_back(fmt::format("From {:.6g} to {:.6g} rad/s: {}.", begin, end, describe(r.multiples, frequencies, excitation).words));
            }
        respond_near(response, form, options, centres[i].ordering, begin, end, share);
        begin = end;
    }
    return response;
}

}  // namespace linkwright::analysis
