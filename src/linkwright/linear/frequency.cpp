#include "linkwright/linear/frequency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "linkwright/linear/modes.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::VectorXcd;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

double largest(const VectorXcd& v) { return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff(); }

/// Absolute values of poles and zeros that are not 0. Zeros far out, or far in, are mostly what rounding made of others.
std::vector<double> corners(const VectorXcd& poles, const std::vector<Factored>& entries) {
    std::vector<double> all;
    for (const Complex p : poles) {
        if (std::abs(p) > 1e-7 * largest(poles)) all.push_back(std::abs(p));
    }
    const double low = all.empty() ? 1e-4 : 1e-2 * *std::ranges::min_element(all),
                 high = all.empty() ? infinity : 1e2 * *std::ranges::max_element(all);
    for (const Factored& f : entries) {
        for (const Complex z : f.zeros) {
            if (std::abs(z) > low && std::abs(z) < high) all.push_back(std::abs(z));
        }
    }
    return all;
}

/// Zeros for what only rounding has left: the sine of an angle that is 1e-20 instead of 0.
MatrixXd without_dust(MatrixXd m) {
    const double dust = m.size() == 0 ? 0 : 1e-15 * m.cwiseAbs().maxCoeff();
    return m.unaryExpr([dust](double x) { return std::abs(x) <= dust ? 0.0 : x; });
}

MatrixXd without_dust_by_columns(MatrixXd m) {
    for (Index k = 0; k < m.cols(); ++k) m.col(k) = without_dust(m.col(k));
    return m;
}

/// Around a lightly damped root: close to it where it matters, never on it.
void add_around(std::vector<double>& grid, Complex root, double from, double to) {
    const double omega = std::abs(root.imag()), size = std::abs(root);
    if (root.imag() <= 0 || std::abs(root.real()) > 0.3 * size) return;
    const double width = std::max(std::abs(root.real()), 1e-4 * omega);
    for (const double step : {0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0}) {
        for (const double side : {-1.0, 1.0}) {
            if (step == 0 && root.real() == 0) continue;
            const double at = omega + side * step * width;
            if (at > from && at < to && std::abs(at - omega) < 0.5 * omega) grid.push_back(at);
        }
    }
}

std::vector<double> make_grid(double from, double to, std::size_t points, bool refine, const VectorXcd& poles,
                              const std::vector<Factored>& entries) {
    std::vector<double> grid;
    points = std::max<std::size_t>(points, 2);
    for (std::size_t i = 0; i < points; ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(points - 1);
        grid.push_back(i == 0 ? from : i + 1 == points ? to : from * std::pow(to / from, part));
    }
    if (refine) {
        for (const Complex p : poles) add_around(grid, p, from, to);
        for (const Factored& f : entries) {
            for (const Complex z : f.zeros) add_around(grid, z, from, to);
        }
    }
    std::ranges::sort(grid);
    const auto close = [](double a, double b) { return b - a <= 1e-9 * b; };
    grid.erase(std::unique(grid.begin(), grid.end(), close), grid.end());
    return grid;
}

/// One entry at work.
struct Entry {
    const TransferFunction& G;
    Index row, column;
    Complex at(double omega) const { return G.at(omega)(row, column); }
    double size(double omega) const { return std::abs(at(omega)); }
};

std::vector<Peak> find_resonances(const Entry& entry, const std::vector<double>& grid, const std::vector<double>& size,
                                  const VectorXcd& poles) {
    std::vector<Peak> found;
    for (const Complex p : poles) {
        if (p.real() != 0 || !(p.imag() >= grid.front()) || !(p.imag() <= grid.back()) || std::isfinite(entry.size(p.imag()))) continue;
        if (std::ranges::none_of(found, [&](const Peak& r) { return r.omega == p.imag(); })) found.push_back({p.imag(), infinity});
    }
    const std::size_t known = found.size();
    for (std::size_t i = 1; i + 1 < grid.size(); ++i) {
        if (!(size[i] >= size[i - 1]) || !(size[i] > size[i + 1])) continue;
        double a = grid[i - 1], b = grid[i + 1];
        if (std::any_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(known),
                        [&](const Peak& r) { return r.omega >= a && r.omega <= b; }))
            continue;
        const double golden = (std::sqrt(5.0) - 1) / 2;
        double l = b - golden * (b - a), r = a + golden * (b - a), at_l = entry.size(l), at_r = entry.size(r);
        for (int k = 0; k < 60 && b - a > 1e-9 * b; ++k) {
            if (at_l > at_r) {
                b = r, r = l, at_r = at_l, l = b - golden * (b - a), at_l = entry.size(l);
            } else {
                a = l, l = r, at_l = at_r, r = a + golden * (b - a), at_r = entry.size(r);
            }
        }
        // what rounding makes of a plateau is no peak
        const double top = std::max(at_l, at_r);
        if (top > (1 + 1e-9) * std::min(size[i - 1], size[i + 1])) found.push_back({at_l > at_r ? l : r, top});
    }
    std::ranges::sort(found, {}, &Peak::omega);
    return found;
}

}  // namespace

TransferFunctions frequency_response(const LinearSystem& system, const FrequencyOptions& options) {
    TransferFunctions r;
    r.poles = system.poles;
    const auto refuse = [&](std::string why) {
        r.is_ok = false;
        r.why = std::move(why);
        return r;
    };
    if (!system.A.allFinite() || !system.B.allFinite() || !system.C.allFinite() || !system.D.allFinite())
        return refuse("the linear model is not finite");
    const TransferFunction G(system);
    const SplitSystem parts = split(system);
    std::vector<Factored> entries;
    bool has_motions = false;
    for (Index k = 0; k < system.B.cols(); ++k) {
        has_motions |= system.rate_of(k).has_value();
        for (Index i = 0; i < system.C.rows(); ++i) {
            if (!goes_on(options.goes_on)) return refuse(interrupted);
            Channel c;
            c.from = system.inputs[k], c.to = system.outputs[i];
            const Factored f = factored(system, parts, G, i, k);
            if (!f.why.empty()) r.notes.push_back(fmt::format("zeros from {} to {} could not be found: {}", c.from, c.to, f.why));
            c.is_dead = f.is_dead, c.zeros = f.zeros, c.gain = f.gain;
            c.integrations = static_cast<std::size_t>(f.poles.size() - r.poles.size());
            r.channels.push_back(std::move(c));
            entries.push_back(f);
        }
    }
    if (system.B.cols() == system.C.rows() && system.B.cols() > 1 && !has_motions) {
        const Zeros z = transmission_zeros(system.A, system.B, system.C, system.D);
        if (z.is_dead)
            r.notes.emplace_back("the inputs do not move the outputs independently: the whole has no zeros of its own");
        else if (z.is_ok)
            r.zeros = z.values;
    }

    std::vector<double> corner = corners(r.poles, entries);
    double from = corner.empty() ? 0.1 : *std::ranges::min_element(corner) / 10,
           to = corner.empty() ? 10 : *std::ranges::max_element(corner) * 10;
    if (options.range) from = options.range->first, to = options.range->second;
    if (!options.omega.empty() && !options.range) {
        // peaks are looked for where there are any
        from = std::min(from, *std::ranges::min_element(options.omega)), to = std::max(to, *std::ranges::max_element(options.omega));
        if (!(from > 0)) from = corner.empty() ? 1e-3 * to : *std::ranges::min_element(corner) / 10;
    }
    if (!(from > 0) || !(to > from) || !std::isfinite(to))
        return refuse(fmt::format("frequencies from {:g} to {:g} rad/s make no range", from, to));
    r.omega = options.omega.empty() ? make_grid(from, to, options.points, options.refine, r.poles, entries) : options.omega;
    const std::vector<double> fine = make_grid(from, to, std::max<std::size_t>(options.points, 200), true, r.poles, entries);

    std::vector<MatrixXcd> values, fine_values;
    const std::size_t all = r.omega.size() + fine.size();
    const auto look = [&](const std::vector<double>& grid, std::vector<MatrixXcd>& at) {
        for (const double omega : grid) {
            if (!goes_on(options.goes_on, values.size() + fine_values.size(), all)) return false;
            at.push_back(G.at(omega));
        }
        return true;
    };
    if (!look(r.omega, values) || !look(fine, fine_values)) return refuse(interrupted);
    const MatrixXcd at_rest = G.at(0);
    const bool is_stable = std::ranges::all_of(r.poles, [](Complex p) { return p.real() < 0 || p == 0.0; });
    std::size_t which = 0;
    for (Index k = 0; k < system.B.cols(); ++k) {
        for (Index i = 0; i < system.C.rows(); ++i, ++which) {
            if (!goes_on(options.goes_on, all, all)) return refuse(interrupted);
            Channel& c = r.channels[which];
            const Factored& f = entries[which];
            const auto at_zero = [](const VectorXcd& v) { return std::ranges::count(v, Complex(0)); };
            c.static_gain = c.is_dead || at_zero(f.zeros) > at_zero(f.poles) ? 0 : at_rest(i, k).real();
            std::vector<double> infinite, nothing;
            for (std::size_t j = 0; j < r.omega.size(); ++j) {
                const Complex g = c.is_dead ? 0 : values[j](i, k);
                c.values.push_back(g);
                const double expected = c.is_dead ? 0 : f.phase(std::max(r.omega[j], 1e-300));  // 0 has but one side
                c.magnitude.push_back(std::isfinite(g.real()) ? std::abs(g) : infinity);
                if (!std::isfinite(c.magnitude.back())) infinite.push_back(r.omega[j]);
                const double phase = std::arg(g) * 180 / pi;
                const bool is_on_zero =
                    std::ranges::any_of(f.zeros, [&](Complex z) { return std::abs(Complex(0, r.omega[j]) - z) <= 1e-11 * std::abs(z); });
                if (is_on_zero && std::isfinite(c.magnitude.back())) nothing.push_back(r.omega[j]);
                const bool has_phase = std::isfinite(c.magnitude.back()) && g != 0.0 && !is_on_zero;
                c.phase.push_back(has_phase ? phase + 360 * std::round((expected - phase) / 360) : expected);
            }
            for (const double omega : infinite)
                r.notes.push_back(
                    fmt::format("the response of {} to {} is infinite at {:.6g} rad/s: an undamped pole", c.to, c.from, omega));
            for (const double omega : nothing) {
                r.notes.push_back(fmt::format("the response of {} to {} vanishes at {:.6g} rad/s: the phase given there is that {}", c.to,
                                              c.from, omega, omega == 0 ? "of slow pushes" : "half way between its two sides"));
            }
            if (c.is_dead) continue;
            const Entry entry{G, i, k};
            std::vector<double> size;
            for (const MatrixXcd& value : fine_values) size.push_back(std::abs(value(i, k)));
            c.resonances = find_resonances(entry, fine, size, r.poles);
            if (!options.loops || system.rate_of(k)) continue;
            const LinearSystem alone = entry_of(system, i, k);
            const TransferFunction of_entry(alone);
            c.loop = nyquist(alone, of_entry, fine);
            if (is_stable || c.loop->verdict == Nyquist::Verdict::stable) c.margins = margins(of_entry, 0, 0, fine, *c.loop);
        }
    }
    return r;
}

Ports connect(const eom::EquationsOfMotion& equations, const Linearization& linear, const std::vector<std::string>& from,
              const std::vector<std::string>& to) {
    Ports ports;
    LinearSystem& s = ports.system;
    const StateMatrix of = state_matrix(linear);
    s.A = of.A, s.noise = of.noise;
    s.poles = modes(linear).poles;
    const Index n = s.A.rows(), y = static_cast<Index>(linear.y.size()), nw = static_cast<Index>(linear.inputs.size());
    const auto place = [](const std::vector<std::string>& names, const std::string& name) -> std::optional<Index> {
        const auto at = std::ranges::find(names, name);
        if (at == names.end()) return std::nullopt;
        return static_cast<Index>(at - names.begin());
    };

    // columns of inputs, then z, ż and z̈ of the given motions
    const ByMotions& motions = linear.by_motions;
    const auto nz = static_cast<Index>(motions.names.size()), columns = nw + 3 * nz;
    const auto all = [&](const MatrixXd& inputs, const MatrixXd& deviations) {
        MatrixXd wide = MatrixXd::Zero(inputs.rows(), columns);
        wide.leftCols(nw) = inputs;
        if (nz > 0) wide.rightCols(3 * nz) = deviations;
        return wide;
    };
    std::vector<std::string> known = linear.inputs;
    for (const std::string& name : motions.columns()) known.push_back(name);
    s.inputs = !from.empty() ? from : linear.inputs.empty() ? motions.names : linear.inputs;
    const auto m = static_cast<Index>(s.inputs.size());
    std::vector<std::array<Index, 3>> taken;  // of an input the first alone
    for (const std::string& name : s.inputs) {
        const auto at = place(known, name);
        if (!at) {
            ports.unknown = name, ports.is_input = true, ports.known = known;
            return ports;
        }
        const bool is_motion = *at >= nw;
        s.rate.push_back(is_motion ? std::optional(static_cast<int>((*at - nw) / nz)) : std::nullopt);
        const Index first = is_motion ? nw + (*at - nw) % nz : *at;
        taken.push_back({first, is_motion ? first + nz : -1, is_motion ? first + 2 * nz : -1});
    }
    const auto take = [&](const MatrixXd& from_all, std::size_t rate) {
        MatrixXd part = MatrixXd::Zero(from_all.rows(), m);
        for (std::size_t k = 0; k < taken.size(); ++k) {
            if (taken[k][rate] >= 0) part.col(static_cast<Index>(k)) = from_all.col(taken[k][rate]);
        }
        return part;
    };
    const MatrixXd B = all(without_dust(linear.state_space.B), without_dust_by_columns(motions.state));
    s.B = take(B, 0);

    // everything that may be seen, by states and by inputs
    std::vector<std::string> names;
    MatrixXd C(0, n), D(0, columns);
    const auto add = [&](const std::string& name, const Eigen::RowVectorXd& by_state, const Eigen::RowVectorXd& by_input) {
        if (place(names, name)) return;
        names.push_back(name);
        C.conservativeResize(C.rows() + 1, n), D.conservativeResize(D.rows() + 1, columns);
        C.row(C.rows() - 1) = by_state, D.row(D.rows() - 1) = by_input;
    };
    const MatrixXd through = all(linear.state_space.D, motions.outputs), of_s = all(linear.Y_w, motions.s),
                   of_u = all(linear.P_w, motions.u), of_q = linear.full.S * of_s;
    for (std::size_t i = 0; i < linear.outputs.size(); ++i) add(linear.outputs[i], linear.state_space.C.row(i), through.row(i));
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n);
    const MatrixXd q_by_y = linear.full.S * linear.Y;
    for (std::size_t i = 0; i < equations.q.size(); ++i) {
        row.setZero(), row.head(y) = q_by_y.row(i);
        add(equations.q[i].symbol().name, row, of_q.row(i));
    }
    for (std::size_t i = 0; i < linear.s.size(); ++i) {
        row.setZero(), row.head(y) = linear.Y.row(i);
        add(linear.s[i], row, of_s.row(i));
    }
    for (std::size_t i = 0; i < linear.u.size(); ++i) {
        row.head(y) = linear.P.row(i), row.tail(n - y) = linear.Z.row(i);
        add(linear.u[i], row, of_u.row(i));
    }
    C = without_dust(C), D = all(without_dust(D.leftCols(nw)), without_dust_by_columns(D.rightCols(3 * nz)));
    s.outputs = !to.empty() ? to : equations.outputs.empty() ? linear.s : linear.outputs;
    s.C.resize(s.outputs.size(), n);
    MatrixXd seen(s.C.rows(), columns);
    for (std::size_t i = 0; i < s.outputs.size(); ++i) {
        const auto at = place(names, s.outputs[i]);
        if (!at) {
            ports.unknown = s.outputs[i], ports.known = names;
            return ports;
        }
        s.C.row(i) = C.row(*at), seen.row(i) = D.row(*at);
    }
    s.D = take(seen, 0);
    if (std::ranges::none_of(s.rate, [](const auto& rate) { return rate.has_value(); }))
        s.rate.clear();
    else
        s.B_1 = take(B, 1), s.B_2 = take(B, 2), s.D_1 = take(seen, 1), s.D_2 = take(seen, 2);
    return ports;
}

}  // namespace linkwright::linear
