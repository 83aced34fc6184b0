#include "linkwright/linear/frequency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linkwright/linear/modes.hpp"
#include "linkwright/solve/eigen.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/zero_chains.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::VectorXcd;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

/// Powers of two that make rows and columns of T⁻¹AT alike [parlett69].
VectorXd balance(MatrixXd& A) {
    const Index n = A.rows();
    VectorXd t = VectorXd::Ones(n);
    for (bool is_moving = true; is_moving;) {
        is_moving = false;
        for (Index i = 0; i < n; ++i) {
            const double own = std::abs(A(i, i)), column = A.col(i).cwiseAbs().sum() - own, row = A.row(i).cwiseAbs().sum() - own;
            if (!(column > 0) || !(row > 0) || !std::isfinite(column + row)) continue;
            const double factor = std::exp2(std::round(std::log2(row / column) / 2));
            if (column * factor + row / factor >= 0.95 * (column + row)) continue;
            A.col(i) *= factor, A.row(i) /= factor, t[i] *= factor;
            is_moving = true;
        }
    }
    return t;
}

/// sI − H with H upper Hessenberg, solved by elimination with exchange of neighbours.
MatrixXcd solve_hessenberg(const MatrixXd& H, Complex s, MatrixXcd x) {
    const Index n = H.rows();
    MatrixXcd R = -H.cast<Complex>();
    R.diagonal().array() += s;
    for (Index k = 0; k + 1 < n; ++k) {
        if (std::abs(R(k + 1, k)) > std::abs(R(k, k))) {
            R.row(k).tail(n - k).swap(R.row(k + 1).tail(n - k));
            x.row(k).swap(x.row(k + 1));
        }
        if (R(k + 1, k) == 0.0) continue;
        const Complex factor = R(k + 1, k) / R(k, k);
        R.row(k + 1).tail(n - k - 1) -= factor * R.row(k).tail(n - k - 1);
        x.row(k + 1) -= factor * x.row(k);
    }
    for (Index k = n - 1; k >= 0; --k) {
        x.row(k) -= R.row(k).tail(n - k - 1) * x.bottomRows(n - k - 1);
        x.row(k) /= R(k, k);
    }
    return x;
}

bool is_finite(Complex z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

/// arg(iω − r), continuous in ω: a root on the axis or to its left turns it up by 180°, one to the right down.
double turn_of(double omega, Complex r) {
    if (r.real() <= 0) return std::atan2(omega - r.imag(), 0 - r.real());  // on the root itself half way
    return pi - std::atan2(omega - r.imag(), r.real());
}

/// k Π(s − z)/Π(s − p)
struct Factored {
    VectorXcd zeros, poles;
    double gain = 0;
    double phase(double omega) const {  // degrees
        double sum = gain < 0 ? -pi : 0;
        for (const Complex z : zeros) sum += turn_of(omega, z);
        for (const Complex p : poles) sum -= turn_of(omega, p);
        return sum * 180 / pi;
    }
};

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

/// Where f changes sign between a and b.
template <class F>
double bisect(const F& f, double a, double b) {
    const bool at_a = f(a) > 0;
    for (int k = 0; k < 60 && b - a > 1e-13 * b; ++k) {
        const double middle = a + (b - a) / 2;
        (f(middle) > 0) == at_a ? a = middle : b = middle;
    }
    return a + (b - a) / 2;
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

Margins find_margins(const Entry& entry, const std::vector<double>& grid) {
    Margins m;
    const auto wrapped = [](double degrees) { return degrees - 360 * std::round(degrees / 360); };
    std::vector<Complex> g;
    for (const double omega : grid) g.push_back(entry.at(omega));
    for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
        if (!is_finite(g[i]) || !is_finite(g[i + 1])) continue;
        if ((std::abs(g[i]) > 1) != (std::abs(g[i + 1]) > 1)) {
            const double omega = bisect([&](double w) { return entry.size(w) - 1; }, grid[i], grid[i + 1]);
            const double phase = wrapped(180 + std::arg(entry.at(omega)) * 180 / pi);
            if (!m.phase || std::abs(phase) < std::abs(*m.phase)) m.phase = phase, m.phase_at = omega;
        }
        if ((g[i].imag() > 0) != (g[i + 1].imag() > 0) && (g[i].real() < 0 || g[i + 1].real() < 0)) {
            const double omega = bisect([&](double w) { return entry.at(w).imag(); }, grid[i], grid[i + 1]);
            const Complex there = entry.at(omega);
            if (!(there.real() < 0) || !is_finite(there)) continue;
            const double gain = 1 / std::abs(there);
            if (!m.gain || std::abs(std::log(gain)) < std::abs(std::log(*m.gain))) m.gain = gain, m.gain_at = omega;
        }
    }
    return m;
}

/// Does the input reach the output at all? Where it does not, what is left is the rounding of terms that cancel.
bool is_dead(const LinearSystem& s, Index row, Index column, double scale) {
    if (s.D(row, column) != 0) return false;
    for (const double part : {0.37, 1.9, 0.81}) {
        const MatrixXcd whole =
            Complex(part * scale, 1.3 * part * scale) * MatrixXcd::Identity(s.A.rows(), s.A.cols()) - s.A.cast<Complex>();
        const VectorXcd x = solve::ComplexLu(whole).solve(s.B.col(column).cast<Complex>());
        const VectorXcd terms = s.C.row(row).transpose().cast<Complex>().cwiseProduct(x);
        double worth = 1e-12 * terms.cwiseAbs().sum();
        if (s.noise.size() > 0) {  // what A is not worth, to first order
            const VectorXcd y = solve::ComplexLu(MatrixXcd(whole.transpose())).solve(VectorXcd(s.C.row(row).transpose().cast<Complex>()));
            worth += y.cwiseAbs().dot(s.noise * x.cwiseAbs());
        }
        if (std::abs(terms.sum()) > worth) return false;
    }
    return true;
}

}  // namespace

std::size_t SplitSystem::order(Index output, Index input) const {
    std::size_t k = g.size();
    while (k > 0 && g[k - 1](output, input) == 0) --k;
    return k;
}

SplitSystem split(const LinearSystem& given) {
    // In units that make rows and columns alike: a pressure beside an angle would pass for rounding, or the angle for nothing.
    LinearSystem system = given;
    MatrixXd& A = system.A;
    const VectorXd unit = balance(A);
    system.B = unit.cwiseInverse().asDiagonal() * given.B;
    system.C = given.C * unit.asDiagonal();
    const Index n = A.rows();
    SplitSystem r{A, system.B, system.C, {}, 0};
    const MatrixXd noise = given.noise.size() > 0 ? MatrixXd(unit.cwiseInverse().asDiagonal() * given.noise * unit.asDiagonal())
                                                  : MatrixXd(1e-14 * A.cwiseAbs());
    const solve::ZeroChains right = solve::zero_chains(A, noise), left = solve::zero_chains(A.transpose(), noise.transpose());
    const Index m = right.count();
    if (m == 0 || left.count() != m) return r;
    // A X = X J, Yᵀ A = J' Yᵀ; the rest of the space is where Yᵀ x = 0.
    const MatrixXd &X = right.basis, &Y = left.basis;
    const solve::Lu lu(MatrixXd(Y.transpose() * X));
    if (!(lu.rcond() > 1e-12)) return r;
    const MatrixXd onto = lu.solve(MatrixXd(Y.transpose()));
    MatrixXd J = onto * A * X;
    for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < m; ++j) {
            if (right.levels[i] >= right.levels[j]) J(i, j) = 0;  // one level down, or more
        }
    }
    r.zero_poles = m;
    MatrixXd b = onto * system.B, size = onto.cwiseAbs() * system.B.cwiseAbs();
    const MatrixXd c = system.C * X, c_size = system.C.cwiseAbs() * X.cwiseAbs();
    for (Index k = 0; k < right.levels.back(); ++k) {
        MatrixXd g = c * b;
        const MatrixXd worth = 1e-10 * c_size * size;
        for (Index i = 0; i < g.size(); ++i) {
            if (std::abs(g(i)) <= worth(i)) g(i) = 0;
        }
        r.g.push_back(std::move(g));
        b = (J * b).eval(), size = (J.cwiseAbs() * size).eval();
    }
    const MatrixXd rest = n > m ? solve::null_space(Y.transpose()) : MatrixXd(n, 0);
    r.A = rest.transpose() * A * rest;
    r.B = rest.transpose() * (system.B - X * (onto * system.B));
    r.C = system.C * rest;
    return r;
}

TransferFunction::TransferFunction(const LinearSystem& system) : d_(system.D) {
    const SplitSystem parts = split(system);
    MatrixXd A = parts.A;
    const VectorXd t = balance(A);
    if (A.rows() > 1) {
        const auto [Q, H] = solve::hessenberg(A);
        h_ = H;
        b_ = Q.transpose() * t.cwiseInverse().asDiagonal() * parts.B;
        c_ = parts.C * t.asDiagonal() * Q;
    } else {
        h_ = A, b_ = parts.B, c_ = parts.C;
        if (A.rows() == 1) b_ /= t[0], c_ *= t[0];
    }
    g_ = parts.g;
    std::vector<Complex> list;
    double slowest = infinity;
    for (const Complex p : system.poles) {
        if (p != 0.0 || parts.zero_poles == 0) list.push_back(p);
        if (p != 0.0) slowest = std::min(slowest, std::abs(p));
    }
    poles_ = Eigen::Map<const VectorXcd>(list.data(), static_cast<Index>(list.size()));
    if (std::isfinite(slowest)) slowest_ = slowest;
}

MatrixXcd TransferFunction::operator()(Complex s) const {
    MatrixXcd G = d_.cast<Complex>();
    if (h_.rows() > 0) G += c_ * solve_hessenberg(h_, s, b_.cast<Complex>());
    Complex power = 1;
    for (const MatrixXd& g : g_) power /= s, G += (g.array() == 0).select(MatrixXcd::Zero(g.rows(), g.cols()), g.cast<Complex>() * power);
    return G;
}

MatrixXcd TransferFunction::at(double omega) const {
    if (omega == 0 && !g_.empty()) {
        MatrixXcd G = d_.cast<Complex>();
        if (h_.rows() > 0) G += c_ * solve_hessenberg(h_, 0, b_.cast<Complex>());
        for (const MatrixXd& g : g_) G = (g.array() == 0).select(G, MatrixXcd::Constant(g.rows(), g.cols(), {infinity, 0}));
        return G;
    }
    const bool is_on_pole =
        std::ranges::any_of(poles_, [&](Complex p) { return std::abs(Complex(0, omega) - p) <= 1e-11 * std::max(std::abs(p), slowest_); });
    if (!is_on_pole) return (*this)(Complex(0, omega));
    // Nearer and nearer: an entry that grows has the pole, one that does not has not.
    const double size = omega == 0 ? slowest_ : omega;
    const auto around = [&](double part, MatrixXd& most) {
        const MatrixXcd above = (*this)(Complex(0, omega + part * size)), below = (*this)(Complex(0, omega - part * size));
        most = above.cwiseAbs().cwiseMax(below.cwiseAbs());
        return MatrixXcd((above + below) / 2);
    };
    MatrixXd near, far;
    around(1e-5, near);
    MatrixXcd G = around(1e-4, far);
    for (Index i = 0; i < G.size(); ++i) {
        if (near(i) > 3 * far(i) || !std::isfinite(near(i))) G(i) = {infinity, 0};
    }
    return G;
}

namespace {

/// How many zeros of d + c (s − A)⁻¹ b are at s = 0, from d − c A⁻¹b, −c A⁻²b, … which vanish one after the other; none when A is
/// singular or nearly so. QZ would split k of them by the k-th root of rounding.
Index zeros_at_origin(const MatrixXd& A, const VectorXd& b, const Eigen::RowVectorXd& c, double d) {
    if (A.rows() == 0) return 0;
    const solve::Lu lu(A);
    if (!(lu.rcond() > 1e-9)) return 0;
    VectorXd x = b;
    Index count = 0;
    for (double through = d; count <= A.rows(); ++count, through = 0) {
        x = lu.solve(x);
        if (std::abs(through - c.dot(x)) > 1e-11 * (std::abs(through) + c.cwiseAbs().dot(x.cwiseAbs()))) break;
    }
    return count > A.rows() ? 0 : count;
}

}  // namespace

Zeros transmission_zeros(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C, const MatrixXd& D) {
    Zeros zeros;
    const Index n = A.rows(), m = B.cols();
    MatrixXd balanced = A;
    const VectorXd t = balance(balanced);
    const double size = std::max(balanced.size() == 0 ? 0 : balanced.cwiseAbs().maxCoeff(), 1e-300);
    MatrixXd b = t.cwiseInverse().asDiagonal() * B, c = C * t.asDiagonal(), d = D;
    for (Index k = 0; k < m; ++k) {
        const double most = std::max(n == 0 ? 0 : b.col(k).cwiseAbs().maxCoeff(), d.col(k).cwiseAbs().maxCoeff());
        if (most > 0) b.col(k) *= size / most, d.col(k) *= size / most;
    }
    for (Index k = 0; k < m; ++k) {
        const double most = std::max(n == 0 ? 0 : c.row(k).cwiseAbs().maxCoeff(), d.row(k).cwiseAbs().maxCoeff());
        if (most > 0) c.row(k) *= size / most, d.row(k) *= size / most;
    }
    MatrixXd P(n + m, n + m), E = MatrixXd::Zero(n + m, n + m);
    P << balanced, b, c, d;
    E.topLeftCorner(n, n).setIdentity();
    const solve::PencilSpectrum s = solve::pencil_spectrum(P, E);
    zeros.is_dead = s.undetermined > 0;
    if (!s.ok && !zeros.is_dead) {
        zeros.is_ok = false;
        zeros.why = s.why;
        return zeros;
    }
    if (zeros.is_dead) return zeros;
    zeros.values = s.values;
    for (Index k = 0; k < zeros.values.size(); ++k) {  // what rounding has left of zero, more of repeated ones
        Complex& z = zeros.values[k];
        const double worth = k < s.condition.size() && std::isfinite(s.condition[k]) ? 1e-14 * s.condition[k] : 1;
        if (std::abs(z) <= std::clamp(worth, 1e-12, 1e-5) * size) z = 0;
        if (std::abs(z.real()) <= 1e-8 * std::abs(z)) z.real(0);
        if (std::abs(z.imag()) <= 1e-12 * std::abs(z)) z.imag(0);
    }
    std::stable_sort(zeros.values.begin(), zeros.values.end(),
                     [](Complex x, Complex y) { return std::pair(std::abs(x), -x.imag()) < std::pair(std::abs(y), -y.imag()); });
    if (m == 1) zeros.values.head(std::min(zeros_at_origin(balanced, b, c, d(0, 0)), zeros.values.size())).setZero();
    return zeros;
}

namespace {

/// The first of d, c b, c A b, c A²b, … that is not zero, and which one it is: how many poles more than zeros an entry has. Nothing where
/// none is.
struct Leading {
    double gain = 0;
    Index excess = -1;
};
Leading leading(const MatrixXd& A, const VectorXd& b, const Eigen::RowVectorXd& c, double d) {
    if (d != 0) return {d, 0};
    VectorXd x = b, size = b.cwiseAbs();
    for (Index k = 1; k <= A.rows(); ++k) {
        const double value = c.dot(x);
        if (std::abs(value) > 1e-11 * c.cwiseAbs().dot(size)) return {value, k};
        x = (A * x).eval(), size = (A.cwiseAbs() * size).eval();
    }
    return {};
}

/// Zeros of one entry. Those at the origin are counted, and so are those at infinity; the pencil finds the others, without poles at
/// zero that the entry does not have.
Zeros entry_zeros(const LinearSystem& system, const SplitSystem& parts, const Leading& lead, Index output, Index input) {
    const VectorXd b = system.B.col(input);
    const Eigen::RowVectorXd c = system.C.row(output);
    const double d = system.D(output, input);
    Zeros z;
    Index at_origin = 0;
    if (parts.zero_poles == 0) {
        z = transmission_zeros(system.A, b, c, MatrixXd::Constant(1, 1, d));
    } else {
        const auto order = static_cast<Index>(parts.order(output, input));
        const Index n = parts.A.rows();
        MatrixXd A = MatrixXd::Zero(n + order, n + order), B = MatrixXd::Zero(n + order, 1), C(1, n + order);
        A.topLeftCorner(n, n) = parts.A, B.col(0).head(n) = parts.B.col(input), C.leftCols(n) = parts.C.row(output);
        for (Index k = 0; k < order; ++k) {  // integrators in a row, the push at the last
            if (k > 0) A(n + k - 1, n + k) = 1;
            C(0, n + k) = parts.g[order - 1 - k](output, input);
        }
        if (order > 0) B(n + order - 1, 0) = 1;
        z = transmission_zeros(A, B, C, MatrixXd::Constant(1, 1, d));
        at_origin = parts.zero_poles - order;
    }
    if (!z.is_ok || z.is_dead) return z;
    // Ascending: the last ones are what rounding made of those at infinity.
    const Index expected = lead.excess < 0 ? z.values.size() : system.A.rows() - lead.excess - at_origin;
    const Index kept = std::clamp<Index>(expected, 0, z.values.size());
    VectorXcd all = VectorXcd::Zero(at_origin + kept);
    all.tail(kept) = z.values.head(kept);
    z.values = all;
    return z;
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
    const double scale = largest(r.poles) > 0 ? largest(r.poles) : 1;
    for (Index k = 0; k < system.B.cols(); ++k) {
        for (Index i = 0; i < system.C.rows(); ++i) {
            if (!goes_on(options.goes_on)) return refuse(interrupted);
            Channel c{.from = system.inputs[k],
                      .to = system.outputs[i],
                      .magnitude = {},
                      .phase = {},
                      .zeros = {},
                      .resonances = {},
                      .margins = {}};
            Factored f{{}, r.poles, 0};
            const Leading lead = leading(system.A, system.B.col(k), system.C.row(i), system.D(i, k));
            const Zeros z = entry_zeros(system, parts, lead, i, k);
            c.is_dead = z.is_dead || is_dead(system, i, k, scale);
            if (!z.is_ok && !c.is_dead) {
                r.notes.push_back(fmt::format("zeros from {} to {} could not be found: {}", c.from, c.to, z.why));
            } else if (!c.is_dead) {
                c.zeros = f.zeros = z.values;
            }
            if (!c.is_dead) {
                // k from any place that is no root
                const Complex s(1.7 * std::max(scale, largest(c.zeros) < 1e3 * scale ? largest(c.zeros) : 0), 0.4 * scale);
                Complex product = G(s)(i, k);
                for (Index j = 0; j < std::max(r.poles.size(), c.zeros.size()); ++j) {
                    if (j < r.poles.size()) product *= s - r.poles[j];
                    if (j < c.zeros.size()) product /= s - c.zeros[j];
                }
                const bool is_complete = lead.excess >= 0 && r.poles.size() - c.zeros.size() == lead.excess;
                c.gain = f.gain = is_complete ? lead.gain : product.real();
            }
            r.channels.push_back(std::move(c));
            entries.push_back(std::move(f));
        }
    }
    if (system.B.cols() == system.C.rows() && system.B.cols() > 1) {
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
            if (is_stable) c.margins = find_margins(entry, fine);
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

    const MatrixXd B = without_dust(linear.state_space.B);
    s.inputs = from.empty() ? linear.inputs : from;
    s.B.resize(n, static_cast<Index>(s.inputs.size()));
    std::vector<Index> columns;
    for (std::size_t k = 0; k < s.inputs.size(); ++k) {
        const auto at = place(linear.inputs, s.inputs[k]);
        if (!at) {
            ports.unknown = s.inputs[k], ports.is_input = true, ports.known = linear.inputs;
            return ports;
        }
        columns.push_back(*at);
        s.B.col(k) = B.col(*at);
    }

    // everything that may be seen, by states and by inputs
    std::vector<std::string> names;
    MatrixXd C(0, n), D(0, nw);
    const auto add = [&](const std::string& name, const Eigen::RowVectorXd& by_state, const Eigen::RowVectorXd& by_input) {
        if (place(names, name)) return;
        names.push_back(name);
        C.conservativeResize(C.rows() + 1, n), D.conservativeResize(D.rows() + 1, nw);
        C.row(C.rows() - 1) = by_state, D.row(D.rows() - 1) = by_input;
    };
    for (std::size_t i = 0; i < linear.outputs.size(); ++i)
        add(linear.outputs[i], linear.state_space.C.row(i), linear.state_space.D.row(i));
    const Eigen::RowVectorXd none = Eigen::RowVectorXd::Zero(nw);
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n);
    const MatrixXd q_by_y = linear.full.S * linear.Y;
    for (std::size_t i = 0; i < equations.q.size(); ++i) {
        row.setZero(), row.head(y) = q_by_y.row(i);
        add(equations.q[i].symbol().name, row, none);
    }
    for (std::size_t i = 0; i < linear.s.size(); ++i) {
        row.setZero(), row.head(y) = linear.Y.row(i);
        add(linear.s[i], row, none);
    }
    for (std::size_t i = 0; i < linear.u.size(); ++i) {
        row.head(y) = linear.P.row(i), row.tail(n - y) = linear.Z.row(i);
        add(linear.u[i], row, none);
    }
    C = without_dust(C), D = without_dust(D);
    s.outputs = !to.empty() ? to : equations.outputs.empty() ? linear.s : linear.outputs;
    s.C.resize(s.outputs.size(), n), s.D.resize(s.C.rows(), s.B.cols());
    for (std::size_t i = 0; i < s.outputs.size(); ++i) {
        const auto at = place(names, s.outputs[i]);
        if (!at) {
            ports.unknown = s.outputs[i], ports.known = names;
            return ports;
        }
        s.C.row(i) = C.row(*at);
        for (std::size_t k = 0; k < columns.size(); ++k) s.D(static_cast<Index>(i), static_cast<Index>(k)) = D(*at, columns[k]);
    }
    return ports;
}

}  // namespace linkwright::linear
