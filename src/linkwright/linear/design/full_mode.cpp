#include "linkwright/linear/design/full_mode.hpp"

#include "linkwright/solve/scale.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
constexpr double rank_tolerance = 1e-9;  // as that of the linearizer

std::vector<Index> others(const std::vector<std::size_t>& some, Index n) {
    std::vector<bool> is_in(static_cast<std::size_t>(n), false);
    for (const std::size_t i : some) is_in[i] = true;
    std::vector<Index> list;
    for (Index i = 0; i < n; ++i) {
        if (!is_in[i]) list.push_back(i);
    }
    return list;
}

VectorXcd times(const MatrixXd& A, const VectorXcd& x) {
    VectorXcd y(A.rows());
    y.real() = A * x.real();
    y.imag() = A * x.imag();
    return y;
}

VectorXcd times_transposed(const MatrixXd& A, const VectorXcd& x) {
    VectorXcd y(A.cols());
    y.real() = A.transpose() * x.real();
    y.imag() = A.transpose() * x.imag();
    return y;
}

/// Zero but for `part`, whose entries go `where`.
template <class Vector>
Vector spread(const Vector& part, const std::vector<std::size_t>& where, Index size) {
    Vector x = Vector::Zero(size);
    for (std::size_t k = 0; k < where.size(); ++k) x[where[k]] = part[k];
    return x;
}

template <class Factor>
VectorXcd solved(const Factor& factor, Index size, const VectorXcd& b) {
    VectorXcd x(size);
    x.real() = factor.solve(b.real());
    x.imag() = factor.solve(b.imag());
    return x;
}

}  // namespace

FullMode::FullMode(const Linearization& at) : at_(at) {
    const FullLinear& f = at.full;
    const Index ny = at.Y.cols(), nz = at.Z.cols();
    if (ny == nz && ny > 0) {
        MatrixXd N(ny, nz);
        const MatrixXd NZ = f.N * at.Z;
        for (Index i = 0; i < ny; ++i) N.row(i) = NZ.row(at.y[i]);
        has_T_ = N.isIdentity(0);
        if (has_T_) {
            T_ = N;
        } else {
            const solve::FullLu lu(N);
            has_T_ = lu.is_invertible();
            if (has_T_) T_ = lu.inverse();
        }
    }
    dependent_s_ = others(at.y, f.Phi.cols());
    dependent_u_ = others(at.z, f.G.cols());
    position_scale_ = solve::row_scale(f.Phi);
    speed_scale_ = solve::row_scale(f.G);
    if (f.G.rows() == 0) return;
    const MatrixXd Phi = position_scale_.asDiagonal() * f.Phi, G = speed_scale_.asDiagonal() * f.G;
    if (!dependent_s_.empty()) position_qr_.compute(Phi(Eigen::all, dependent_s_));
    if (!dependent_u_.empty()) speed_qr_.compute(G(Eigen::all, dependent_u_));
    position_transposed_.compute(Phi.transpose(), rank_tolerance);
    speed_transposed_.compute(G.transpose(), rank_tolerance);
}

VectorXcd FullMode::solve(const solve::PivotedQr& qr, const VectorXd& scale, const std::vector<Index>& dependent, Index size,
                          const VectorXcd& b) {
    VectorXcd x = VectorXcd::Zero(size);
    if (dependent.empty() || b.size() == 0) return x;
    const VectorXcd part = solved(qr, static_cast<Index>(dependent.size()), scale.asDiagonal() * b);
    for (std::size_t k = 0; k < dependent.size(); ++k) x[dependent[k]] = -part[k];
    return x;
}

VectorXcd FullMode::over_rows(const solve::CompleteOrthogonal& transposed, const VectorXd& scale, const VectorXcd& b) const {
    if (scale.size() == 0) return VectorXcd(0);
    return scale.asDiagonal() * solved(transposed, scale.size(), b);
}

VectorXcd FullMode::by_mass(const VectorXcd& b) const {
    if (!mass_) mass_.emplace(at_.Z.transpose() * at_.full.M * at_.Z);
    return solved(*mass_, b.size(), b);
}

VectorXcd FullMode::on_y(const VectorXcd& s) const {
    VectorXcd part(static_cast<Index>(at_.y.size()));
    for (std::size_t k = 0; k < at_.y.size(); ++k) part[k] = s[at_.y[k]];
    return part;
}

SmallMotion FullMode::motion(Complex mu, const VectorXcd& w) const {
    const FullLinear& f = at_.full;
    const VectorXcd y = w.head(at_.Y.cols()), z = w.tail(at_.Z.cols());
    SmallMotion x;
    x.s = times(at_.Y, y);
    x.u = times(at_.Z, z) + times(at_.P, y);
    x.udot = mu * times(at_.Z, z) + times(at_.Q_z, z) + times(at_.Q_y, y);
    x.lambda = over_rows(speed_transposed_, speed_scale_, -times(f.M, x.udot) - times(f.C, x.u) - times(f.K, x.s));
    return x;
}

RowWeights FullMode::weights(Complex mu, const VectorXcd& l) const {
    const FullLinear& f = at_.full;
    const Index ns = f.N.rows(), n = f.N.cols();
    const VectorXcd a = spread<VectorXcd>(l.head(at_.Y.cols()), at_.y, ns), b = spread<VectorXcd>(l.tail(at_.Z.cols()), at_.z, n);
    RowWeights w;
    w.kinematic = a;
    w.force = VectorXcd::Zero(n);
    if (at_.Z.cols() > 0) w.force = -times(at_.Z, by_mass(l.tail(at_.Z.cols())));
    w.acceleration = over_rows(speed_transposed_, speed_scale_, -times(f.M, w.force) - b);
    w.speed = over_rows(speed_transposed_, speed_scale_,
                        mu * b - times_transposed(f.C, w.force) - times_transposed(f.E, w.acceleration) - times_transposed(f.N, a));
    w.position = over_rows(position_transposed_, position_scale_,
                           mu * a - times_transposed(f.D, w.speed) - times_transposed(f.K, w.force) -
                               times_transposed(f.F, w.acceleration) - times_transposed(f.H, a));
    return w;
}

FullMode::Shape FullMode::shape(double lambda, const VectorXd& v) const {
    const FullLinear& f = at_.full;
    Shape s;
    s.x = at_.Y * v;
    s.xi = at_.Z * (T_ * v);
    s.alpha = -lambda * s.xi + at_.Q_y * v;
    if (f.G.rows() > 0) s.nu = over_rows(speed_transposed_, speed_scale_, (-f.M * s.alpha - f.K * s.x).cast<Complex>()).real();
    return s;
}

std::array<SmallMotion, 2> FullMode::motions(const Shape& s) const {
    const VectorXcd no_s = VectorXcd::Zero(s.x.size()), no_u = VectorXcd::Zero(s.xi.size()), no_nu = VectorXcd::Zero(s.nu.size());
    return {SmallMotion{s.x.cast<Complex>(), no_u, s.alpha.cast<Complex>(), s.nu.cast<Complex>()},
            SmallMotion{no_s, s.xi.cast<Complex>(), no_u, no_nu}};
}

std::array<RowWeights, 2> FullMode::weights(double lambda, const Shape& of) const {
    const FullLinear& f = at_.full;
    const Index ns = f.N.rows(), n = f.N.cols(), m = f.G.rows();
    RowWeights shape, speeds;
    shape.force = -of.xi.cast<Complex>();
    shape.kinematic = VectorXcd::Zero(ns);
    shape.position = shape.speed = shape.acceleration = VectorXcd::Zero(m);
    speeds = shape;
    speeds.force = VectorXcd::Zero(n);
    VectorXd rest = -f.K.transpose() * of.xi;
    if (m == 0) {
        speeds.kinematic = spread<VectorXd>(at_.Y.transpose() * rest, at_.y, ns).cast<Complex>();
        return {shape, speeds};
    }
    const VectorXd inertia = f.M * of.xi, b = spread<VectorXd>(at_.Z.transpose() * inertia, at_.z, n);
    shape.acceleration = over_rows(speed_transposed_, speed_scale_, (inertia - b).cast<Complex>());
    // Φᵀκ + Kᵀη + Fᵀζ is zero but on y, where it is a; the rows of Φᵀ that are not y determine κ
    rest += f.F.transpose() * shape.acceleration.real();
    const VectorXd a = spread<VectorXd>(at_.Y.transpose() * rest, at_.y, ns);
    shape.position = over_rows(position_transposed_, position_scale_, (a - rest).cast<Complex>());
    speeds.kinematic = a.cast<Complex>();
    speeds.speed = over_rows(speed_transposed_, speed_scale_, (-f.N.transpose() * a - lambda * b).cast<Complex>());
    return {shape, speeds};
}

double FullMode::product(const Shape& left, const Shape& right) const { return left.xi.dot(at_.full.M * right.xi); }

FullMode::Change FullMode::change(const PencilRows& r, bool with_speeds) const {
    const FullLinear& f = at_.full;
    Change c;
    c.s = solve(position_qr_, position_scale_, dependent_s_, f.N.rows(), r.position);
    c.u = VectorXcd::Zero(f.N.cols());
    VectorXcd acceleration = r.acceleration + times(f.F, c.s), force = r.force + times(f.K, c.s);
    if (with_speeds) {
        c.u = dependent_speeds(r.speed + times(f.D, c.s));
        acceleration += times(f.E, c.u);
        force += times(f.C, c.u);
    }
    const VectorXcd dependent = dependent_speeds(acceleration);
    VectorXcd z = VectorXcd::Zero(at_.Z.cols());
    if (z.size() > 0) z = -by_mass(times_transposed(at_.Z, force + times(f.M, dependent)));
    const VectorXcd y = with_speeds ? on_y(r.kinematic + times(f.N, c.u) + times(f.H, c.s)) : VectorXcd::Zero(at_.Y.cols());
    c.Aw.resize(y.size() + z.size());
    c.Aw << y, z;
    return c;
}

}  // namespace linkwright::linear
