#include "linkwright/solve/reflections.hpp"

#include <cmath>
#include <numeric>

namespace linkwright::solve {

void Reflections::compute(MatrixXd& a, Index n, Index count) {
    constexpr double nothing = 1e-280;  // of squares
    const Index m = a.cols(), end = a.rows();
    n_ = n, count_ = count;
    v_.swap(a);
    r_.setZero(count, m);
    beta_.resize(count), lengths_.resize(m), order_.resize(m);
    std::iota(order_.begin(), order_.end(), Index{0});
    for (Index k = 0; k < m; ++k) lengths_[k] = dot(v_.col(k).data(), v_.col(k).data(), 0, end);
    for (Index j = 0; j < count; ++j) {
        Index next = j;
        for (Index k = j + 1; k < m; ++k) {
            if (lengths_[k] > lengths_[next]) next = k;
        }
        if (next != j) {
            v_.col(j).swap(v_.col(next)), r_.col(j).swap(r_.col(next));
            std::swap(lengths_[j], lengths_[next]), std::swap(order_[j], order_[next]);
        }
        double* v = v_.col(j).data();
        const double length = lengths_[j] > nothing ? std::sqrt(lengths_[j]) : 0, first = v[j];
        r_(j, j) = first > 0 ? -length : length;
        v[j] -= r_(j, j);
        const double beta = beta_[j] = length > 0 ? 1 / (length * (length + std::abs(first))) : 0;
        for (Index k = j + 1; k < m; ++k) {
            double* x = v_.col(k).data();
            r_(j, k) = take_out(x, -beta * dot(v, x, j, end), v, j, end, lengths_[k]);
        }
    }
}

void Reflections::to_turned(double* x) const {
    for (Index j = 0; j < count_; ++j) {
        const double* v = v_.col(j).data();
        add(x, -beta_[j] * dot(v, x, j, v_.rows()), v, j, v_.rows());
    }
}

void Reflections::from_turned(double* x) const {
    for (Index j = count_ - 1; j >= 0; --j) {
        const double* v = v_.col(j).data();
        add(x, -beta_[j] * dot(v, x, j, v_.rows()), v, j, v_.rows());
    }
}

/// Reflection by reflection, not column by column: then sums of one column need not wait for each other.
void Reflections::from_turned(MatrixXd& x) const {
    for (Index j = count_ - 1; j >= 0; --j) {
        const double* v = v_.col(j).data();
        for (Index k = 0; k < x.cols(); ++k) {
            double* column = x.col(k).data();
            add(column, -beta_[j] * dot(v, column, j, v_.rows()), v, j, v_.rows());
        }
    }
}

void Reflections::turn(MatrixXd& M) {
    const Index end = M.rows();
    w_.resize(end);
    double* w = w_.data();
    for (Index j = 0; j < count_; ++j) {
        const double *v = v_.col(j).data(), beta = beta_[j];
        w_.setZero();
        for (Index k = j; k < n_; ++k) add(w, beta * v[k], M.col(k).data(), 0, end);
        add(w, -beta / 2 * dot(v, w, j, end), v, j, end);
        for (Index k = 0; k < j; ++k) add(M.col(k).data(), -w[k], v, j, end);
        for (Index k = j; k < n_; ++k) add(M.col(k).data(), -w[k], v, -v[k], w, 0, end);
    }
}

void Reflections::solve_transposed(const double* g, double* y) const {
    for (Index i = 0; i < count_; ++i) {
        double x = g[order_[i]];
        for (Index k = 0; k < i; ++k) x -= r_(k, i) * y[k];
        y[i] = x / r_(i, i);
    }
}

void Reflections::solve(double* c, double* x) const {
    for (Index i = count_ - 1; i >= 0; --i) {
        c[i] /= r_(i, i);
        for (Index k = 0; k < i; ++k) c[k] -= r_(k, i) * c[i];
        x[order_[i]] = c[i];
    }
}

}  // namespace linkwright::solve
