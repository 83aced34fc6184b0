#include "linkwright/solve/spline.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace linkwright::solve {

namespace {

/// Second derivatives at the samples [deboor78, ch. IV]: h_{k−1} m_{k−1} + 2(h_{k−1} + h_k) m_k + h_k m_{k+1} = 6(d_k − d_{k−1}),
/// d the divided differences. Not-a-knot says m_0 = m_1 − (m_2 − m_1) h_0/h_1, and so at the other end; both are put in, and
/// a tridiagonal system is left.
MatrixXd second_derivatives(const VectorXd& t, const MatrixXd& y) {
    const Index n = t.size();
    MatrixXd m = MatrixXd::Zero(n, y.cols());
    if (n < 3) return m;
    const VectorXd h = t.tail(n - 1) - t.head(n - 1);
    MatrixXd d(n - 1, y.cols());
    for (Index k = 0; k + 1 < n; ++k) d.row(k) = (y.row(k + 1) - y.row(k)) / h[k];
    if (n == 3) {  // one parabola
        const Eigen::RowVectorXd curvature = 2 * (d.row(1) - d.row(0)) / (t[2] - t[0]);
        m.rowwise() = curvature;
        return m;
    }
    VectorXd lower = VectorXd::Zero(n), diagonal = VectorXd::Zero(n), upper = VectorXd::Zero(n);
    for (Index k = 1; k + 1 < n; ++k) {
        lower[k] = h[k - 1];
        diagonal[k] = 2 * (h[k - 1] + h[k]);
        upper[k] = h[k];
        m.row(k) = 6 * (d.row(k) - d.row(k - 1));
    }
    const double a = h[0] / h[1], b = h[n - 2] / h[n - 3];
    diagonal[1] += h[0] * (1 + a);
    upper[1] -= h[0] * a;
    diagonal[n - 2] += h[n - 2] * (1 + b);
    lower[n - 2] -= h[n - 2] * b;
    for (Index k = 2; k + 1 < n; ++k) {
        const double w = lower[k] / diagonal[k - 1];
        diagonal[k] -= w * upper[k - 1];
        m.row(k) -= w * m.row(k - 1);
    }
    m.row(n - 2) /= diagonal[n - 2];
    for (Index k = n - 3; k >= 1; --k) m.row(k) = (m.row(k) - upper[k] * m.row(k + 1)) / diagonal[k];
    m.row(0) = m.row(1) - a * (m.row(2) - m.row(1));
    m.row(n - 1) = m.row(n - 2) + b * (m.row(n - 2) - m.row(n - 3));
    return m;
}

}  // namespace

Spline::Spline(std::span<const double> times, const MatrixXd& samples)
    : t_(Eigen::Map<const VectorXd>(times.data(), static_cast<Index>(times.size()))), y_(samples) {
    if (t_.size() == 0 || t_.size() != y_.rows()) throw std::invalid_argument("Spline: as many rows as times, and at least one");
    for (Index k = 0; k + 1 < t_.size(); ++k) {
        if (!(t_[k + 1] > t_[k])) throw std::invalid_argument("Spline: times must ascend");
    }
    m_ = second_derivatives(t_, y_);
}

void Spline::operator()(double t, VectorXd& x, VectorXd* rate, VectorXd* second) const {
    const Index n = t_.size();
    if (n == 1 || !(t >= t_[0] && t <= t_[n - 1])) {
        x = y_.row(t > t_[n - 1] ? n - 1 : 0).transpose();
        if (rate) rate->setZero(x.size());
        if (second) second->setZero(x.size());
        return;
    }
    const Index k = std::clamp<Index>(std::upper_bound(t_.begin(), t_.end(), t) - t_.begin() - 1, 0, n - 2);
    const double h = t_[k + 1] - t_[k], a = (t_[k + 1] - t) / h, b = (t - t_[k]) / h;
    x = (a * y_.row(k) + b * y_.row(k + 1) + h * h / 6 * ((a * a * a - a) * m_.row(k) + (b * b * b - b) * m_.row(k + 1))).transpose();
    if (rate) {
        *rate = ((y_.row(k + 1) - y_.row(k)) / h + h / 6 * ((1 - 3 * a * a) * m_.row(k) + (3 * b * b - 1) * m_.row(k + 1))).transpose();
    }
    if (second) *second = (a * m_.row(k) + b * m_.row(k + 1)).transpose();
}

}  // namespace linkwright::solve
