#pragma once
// Differential equations with algebraic ones among them, F(t, x, ẋ) = 0, by IDA's backward differences of order 1 to 5.
//
// Meant for mechanisms in their stabilised form (index 2): unknowns without a rate, multipliers, are left out of the error
// test, as must be; the Newton iteration has them under control.

#include "linkwright/solve/ode.hpp"

namespace linkwright::solve {

struct Dae {
    Index size = 0;
    std::function<bool(double t, const double* x, const double* xdot, double* residual)> residual;
    /// ∂F/∂x + c ∂F/∂ẋ by columns.
    std::function<bool(double t, double c, const double* x, const double* xdot, double* columns)> jacobian;
    std::vector<bool> is_differential;  ///< for each unknown: does its rate occur?
    VectorXd absolute;                  ///< tolerances, as in Ode
    double relative = 1e-8;
    double end = 0;
    double max_step = 0;
};

/// A stepper like the others. `restart` needs rates as well: `rates` makes consistent ones for x at t.
std::unique_ptr<Stepper> make_ida(const Dae& dae, double t, const VectorXd& x, const VectorXd& xdot,
                                  std::function<bool(double t, VectorXd& x, VectorXd& xdot)> rates);

}  // namespace linkwright::solve
