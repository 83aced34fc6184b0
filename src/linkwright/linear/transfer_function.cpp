#include "linkwright/linear/transfer_function.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <tuple>

#include "linkwright/solve/eigen.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/zero_chains.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Complex = std::complex<double>;

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

double largest(const VectorXcd& v) { return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff(); }

/// arg(iω − r), continuous in ω: a root on the axis or to its left turns it up by 180°, one to the right down.
double turn_of(double omega, Complex r) {
    if (r.real() <= 0) return std::atan2(omega - r.imag(), 0 - r.real());  // on the root itself half way
    return pi - std::atan2(omega - r.imag(), r.real());
}

MatrixXd side_by_side(const MatrixXd& a, const MatrixXd& b, const MatrixXd& c) {
    MatrixXd all(a.rows(), a.cols() + b.cols() + c.cols());
    all << a, b, c;
    return all;
}

}  // namespace

LinearSystem entry_of(const LinearSystem& s, Index output, Index input) {
    LinearSystem e;
    e.poles = s.poles;
    e.inputs = {s.inputs[static_cast<std::size_t>(input)]}, e.outputs = {s.outputs[static_cast<std::size_t>(output)]};
    if (!s.rate_of(input)) {
        e.A = s.A, e.B = s.B.col(input), e.C = s.C.row(output), e.D = s.D.block(output, input, 1, 1), e.noise = s.noise;
        return e;
    }
    const Index n = s.A.rows();
    const auto widened = [n](const MatrixXd& a) {
        MatrixXd wide = MatrixXd::Zero(n + 2, n + 2);
        wide.topLeftCorner(n, n) = a;
        return wide;
    };
    e.A = widened(s.A), e.noise = widened(s.noise.size() > 0 ? s.noise : MatrixXd(1e-14 * s.A.cwiseAbs()));
    e.A.col(n).head(n) = s.B.col(input), e.A.col(n + 1).head(n) = s.B_1.col(input), e.A(n, n + 1) = 1;
    e.noise.rightCols(2) = 1e-14 * e.A.rightCols(2).cwiseAbs(), e.noise(n, n + 1) = 0;
    e.B = MatrixXd::Zero(n + 2, 1), e.B.col(0).head(n) = s.B_2.col(input), e.B(n + 1, 0) = 1;
    e.C.resize(1, n + 2), e.C << s.C.row(output), s.D(output, input), s.D_1(output, input);
    e.D = s.D_2.block(output, input, 1, 1);
    e.poles = VectorXcd::Zero(s.poles.size() + 2), e.poles.head(s.poles.size()) = s.poles;
    return e;
}

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

TransferFunction::TransferFunction(const LinearSystem& system) : d_(system.D), rate_(system.rate) {
    LinearSystem all = system;
    if (!rate_.empty()) {
        all.B = side_by_side(system.B, system.B_1, system.B_2);
        d_ = side_by_side(system.D, system.D_1, system.D_2);
    }
    const SplitSystem parts = split(all);
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

MatrixXcd TransferFunction::parts_at(Complex s) const {
    MatrixXcd G = d_.cast<Complex>();
    if (h_.rows() > 0) G += c_ * solve_hessenberg(h_, s, b_.cast<Complex>());
    Complex power = 1;
    for (const MatrixXd& g : g_) power /= s, G += (g.array() == 0).select(MatrixXcd::Zero(g.rows(), g.cols()), g.cast<Complex>() * power);
    return G;
}

MatrixXcd TransferFunction::joined(const MatrixXcd& parts, Complex s) const {
    if (rate_.empty()) return parts;
    const auto m = static_cast<Index>(rate_.size());
    MatrixXcd G = parts.leftCols(m);
    for (Index k = 0; k < m; ++k) {
        const auto rate = rate_[static_cast<std::size_t>(k)];
        if (!rate) continue;
        G.col(k) += s * parts.col(m + k) + s * s * parts.col(2 * m + k);
        for (int i = 0; i < *rate; ++i) G.col(k) /= s;
    }
    return G;
}

MatrixXcd TransferFunction::operator()(Complex s) const { return joined(parts_at(s), s); }

/// G(0), from the series Σ c_p s^p of each column: that of the regular part is −c A^(−p−1) b, poles at zero have g. What comes before the power
/// that is asked for must vanish.
MatrixXcd TransferFunction::at_rest() const {
    const Index m = rate_.empty() ? d_.cols() : static_cast<Index>(rate_.size());
    const auto poles = static_cast<Index>(g_.size());
    constexpr Index terms = 3;
    std::vector<MatrixXd> series, size;  // of s^0, s^1, s²
    MatrixXd x = b_;
    for (Index p = 0; p < (rate_.empty() ? 1 : terms); ++p) {
        MatrixXd value = p == 0 ? d_ : MatrixXd::Zero(d_.rows(), d_.cols()), of = value.cwiseAbs();
        if (h_.rows() > 0) {
            x = solve_hessenberg(h_, 0, x.cast<Complex>()).real();  // (−A)⁻¹ x
            const double sign = p % 2 == 0 ? 1 : -1;
            value += sign * c_ * x, of += c_.cwiseAbs() * x.cwiseAbs();
        }
        series.push_back(std::move(value)), size.push_back(std::move(of));
    }
    MatrixXcd G(d_.rows(), m);
    for (Index k = 0; k < m; ++k) {
        const auto rate = rate_.empty() ? std::nullopt : rate_[static_cast<std::size_t>(k)];
        for (Index i = 0; i < G.rows(); ++i) {
            const auto coefficient = [&](Index p) {  // of s^p in parts j = 0, 1, 2 times s^j
                double sum = 0, worth = 0;
                for (Index j = 0; j < (rate ? terms : 1); ++j) {
                    const Index power = p - j, column = j * m + k;
                    if (power >= 0) sum += series[power](i, column), worth += size[power](i, column);
                    if (power < 0 && -power <= poles) sum += g_[-power - 1](i, column), worth += std::abs(g_[-power - 1](i, column));
                }
                return std::abs(sum) <= 1e-11 * worth ? 0 : sum;
            };
            const Index wanted = rate.value_or(0);
            bool is_infinite = false;
            for (Index p = -poles; p < wanted; ++p) is_infinite |= coefficient(p) != 0;
            G(i, k) = is_infinite ? Complex(infinity, 0) : rate ? Complex(coefficient(wanted)) : Complex(series[0](i, k));
        }
    }
    return G;
}

MatrixXcd TransferFunction::at(double omega) const {
    const bool is_driven = std::ranges::any_of(rate_, [](const auto& rate) { return rate.has_value(); });
    if (omega == 0 && (!g_.empty() || is_driven)) return at_rest();
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

/// By absolute value; conjugates stand together, the upper one first, and are conjugates to the last digit.
void pair_up(VectorXcd& values) {
    std::vector<Complex> rest(values.begin(), values.end()), singles;
    std::erase_if(rest, [&](Complex z) { return z.imag() == 0 ? singles.push_back(z), true : false; });
    while (!rest.empty()) {
        const Complex z = rest.back();
        rest.pop_back();
        const auto twin = std::ranges::min_element(rest, {}, [&](Complex w) { return std::abs(w - std::conj(z)); });
        singles.emplace_back(z.real(), std::abs(z.imag()));
        if (twin == rest.end()) continue;
        rest.erase(twin);
    }
    std::ranges::sort(singles, {}, [](Complex z) { return std::tuple(std::abs(z), z.real(), z.imag()); });
    Index at = 0;
    for (const Complex z : singles) {
        if (at < values.size()) values[at++] = z;
        if (z.imag() != 0 && at < values.size()) values[at++] = std::conj(z);
    }
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
    pair_up(zeros.values);
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

/// k from any place that is no root.
double gain_beside(const Factored& f, Complex s, Complex G) {
    Complex product = G;
    for (Index j = 0; j < std::max(f.poles.size(), f.zeros.size()); ++j) {
        if (j < f.poles.size()) product *= s - f.poles[j];
        if (j < f.zeros.size()) product /= s - f.zeros[j];
    }
    return product.real();
}

/// Takes `count` zeros out of a list at most; the number taken.
Index take_zeros(VectorXcd& list, Index count) {
    std::vector<Complex> kept;
    Index taken = 0;
    for (const Complex z : list) z == 0.0 && taken < count ? void(++taken) : kept.push_back(z);
    list = Eigen::Map<const VectorXcd>(kept.data(), static_cast<Index>(kept.size()));
    return taken;
}

}  // namespace

double Factored::phase(double omega) const {
    double sum = gain < 0 ? -pi : 0;
    for (const Complex z : zeros) sum += turn_of(omega, z);
    for (const Complex p : poles) sum -= turn_of(omega, p);
    return sum * 180 / pi;
}

namespace {

Factored factors(const LinearSystem& system, const SplitSystem& parts, Index output, Index input,
                 const std::function<Complex(Complex)>& at) {
    const double scale = largest(system.poles) > 0 ? largest(system.poles) : 1;
    Factored f{{}, system.poles, 0, false, {}};
    const Leading lead = leading(system.A, system.B.col(input), system.C.row(output), system.D(output, input));
    const Zeros z = entry_zeros(system, parts, lead, output, input);
    f.is_dead = z.is_dead || is_dead(system, output, input, scale);
    if (f.is_dead) return f;
    z.is_ok ? void(f.zeros = z.values) : void(f.why = z.why);
    const Complex s(1.7 * std::max(scale, largest(f.zeros) < 1e3 * scale ? largest(f.zeros) : 0), 0.4 * scale);
    const bool is_complete = lead.excess >= 0 && f.poles.size() - f.zeros.size() == lead.excess;
    f.gain = is_complete ? lead.gain : gain_beside(f, s, at(s));
    return f;
}

}  // namespace

Factored factored(const LinearSystem& system, const SplitSystem& parts, const TransferFunction& G, Index output, Index input) {
    const auto rate = system.rate_of(input);
    const auto at = [&](Complex s) { return G(s)(output, input); };
    if (!rate) return factors(system, parts, output, input, at);
    const LinearSystem e = entry_of(system, output, input);
    Factored f = factors(e, split(e), 0, 0, [&](Complex s) { return at(s) * std::pow(s, *rate - 2); });
    // As many of the two poles at zero as the motion has been integrated, and none that a zero cancels.
    take_zeros(f.poles, 2 - *rate);
    take_zeros(f.poles, take_zeros(f.zeros, *rate));
    return f;
}

}  // namespace linkwright::linear
