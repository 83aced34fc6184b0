#include "linkwright/solve/elimination.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace linkwright::solve {

struct Lu::Inside {
    Eigen::PartialPivLU<MatrixXd> lu;
};

void Lu::compute(const MatrixXd& a) {
    if (!inside_ || inside_.use_count() > 1) inside_ = std::make_shared<Inside>();
    inside_->lu.compute(a);
}

VectorXd Lu::pivots() const { return inside_->lu.matrixLU().diagonal(); }
double Lu::rcond() const { return inside_->lu.rcond(); }
MatrixXd Lu::inverse() const { return inside_->lu.inverse(); }
VectorXd Lu::solve(const VectorXd& b) const { return inside_->lu.solve(b); }
MatrixXd Lu::solve(const MatrixXd& b) const { return inside_->lu.solve(b); }
VectorXcd Lu::solve(const VectorXcd& b) const { return inside_->lu.solve(b); }
void Lu::solve_into(const VectorXd& b, VectorXd& x) const { x = inside_->lu.solve(b); }

struct ComplexLu::Inside {
    Eigen::PartialPivLU<MatrixXcd> lu;
};

ComplexLu::ComplexLu(const MatrixXcd& a) : inside_(std::make_shared<const Inside>(Inside{Eigen::PartialPivLU<MatrixXcd>(a)})) {}
VectorXcd ComplexLu::solve(const VectorXcd& b) const { return inside_->lu.solve(b); }
MatrixXcd ComplexLu::solve(const MatrixXcd& b) const { return inside_->lu.solve(b); }

struct FullLu::Inside {
    Eigen::FullPivLU<MatrixXd> lu;
};

FullLu::FullLu(const MatrixXd& a) : inside_(std::make_shared<const Inside>(Inside{Eigen::FullPivLU<MatrixXd>(a)})) {}
double FullLu::rcond() const { return inside_->lu.rcond(); }
bool FullLu::is_invertible() const { return inside_->lu.isInvertible(); }
MatrixXd FullLu::inverse() const { return inside_->lu.inverse(); }
VectorXd FullLu::solve(const VectorXd& b) const { return inside_->lu.solve(b); }

struct ComplexFullLu::Inside {
    Eigen::FullPivLU<MatrixXcd> lu;
};

ComplexFullLu::ComplexFullLu(const MatrixXcd& a) : inside_(std::make_shared<const Inside>(Inside{Eigen::FullPivLU<MatrixXcd>(a)})) {}
double ComplexFullLu::rcond() const { return inside_->lu.rcond(); }

Index ComplexFullLu::rank(double threshold) const {
    const auto& lu = inside_->lu;
    const double least = std::abs(lu.maxPivot()) * threshold;
    Index rank = 0;
    for (Index i = 0; i < lu.nonzeroPivots(); ++i) rank += std::abs(lu.matrixLU()(i, i)) > least ? 1 : 0;
    return rank;
}

VectorXcd ComplexFullLu::solve(const VectorXcd& b) const { return inside_->lu.solve(b); }
MatrixXcd ComplexFullLu::solve(const MatrixXcd& b) const { return inside_->lu.solve(b); }

struct Ldlt::Inside {
    Eigen::LDLT<MatrixXd> ldlt;
};

Ldlt::Ldlt(const MatrixXd& a) : inside_(std::make_shared<const Inside>(Inside{Eigen::LDLT<MatrixXd>(a)})) {}
MatrixXd Ldlt::solve(const MatrixXd& b) const { return inside_->ldlt.solve(b); }

}  // namespace linkwright::solve
