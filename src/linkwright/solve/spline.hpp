#pragma once
// Curves through samples.

#include <span>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// The cubic spline through samples of several quantities at common times: twice continuously differentiable, with the third
/// derivative continuous at the first and last inner sample too (not-a-knot), so that cubics are met exactly. Two samples
/// give a line, three a parabola, one a constant. Beyond its ends it stays where it was, at rest.
class Spline {
public:
    /// `times` ascend strictly; row k of `samples` belongs to times[k]. Anything else throws std::invalid_argument.
    Spline(std::span<const double> times, const MatrixXd& samples);

    Index size() const { return y_.cols(); }  ///< how many quantities
    /// Values at t; rates and second derivatives where wanted.
    void operator()(double t, VectorXd& x, VectorXd* rate = nullptr, VectorXd* second = nullptr) const;

private:
    VectorXd t_;
    MatrixXd y_, m_;  ///< samples and second derivatives there, a row each
};

}  // namespace linkwright::solve
