#include "linkwright/solve/orthogonal.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace linkwright::solve {
namespace {

template <class Qr>
MatrixXd upper(const Qr& qr) {
    return qr.matrixQR().topRows(std::min(qr.rows(), qr.cols())).template triangularView<Eigen::Upper>();
}

}  // namespace

PlainQr plain_qr(const MatrixXd& a) {
    const Eigen::HouseholderQR<MatrixXd> qr(a);
    return {qr.householderQ(), upper(qr)};
}

MatrixXd triangular_factor(const MatrixXd& a) { return upper(Eigen::HouseholderQR<MatrixXd>(a)); }

struct PivotedQr::Inside {
    Eigen::ColPivHouseholderQR<MatrixXd> qr;
};

void PivotedQr::compute(const MatrixXd& a) {
    if (!inside_ || inside_.use_count() > 1) inside_ = std::make_shared<Inside>();
    inside_->qr.compute(a);
}

double PivotedQr::pivot(Index i) const { return std::abs(inside_->qr.matrixQR()(i, i)); }
VectorXd PivotedQr::pivots() const { return inside_->qr.matrixQR().diagonal().cwiseAbs(); }
const Eigen::VectorXi& PivotedQr::order() const { return inside_->qr.colsPermutation().indices(); }
MatrixXd PivotedQr::q() const { return inside_->qr.householderQ(); }
MatrixXd PivotedQr::r() const { return upper(inside_->qr); }
VectorXd PivotedQr::solve(const VectorXd& b) const { return inside_->qr.solve(b); }
MatrixXd PivotedQr::solve(const MatrixXd& b) const { return inside_->qr.solve(b); }
void PivotedQr::solve_into(const VectorXd& b, VectorXd& x) const { x = inside_->qr.solve(b); }

VectorXd solve_transposed(const MatrixXd& a, const VectorXd& b) { return a.transpose().colPivHouseholderQr().solve(b); }

struct CompleteOrthogonal::Inside {
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod;
};

CompleteOrthogonal::CompleteOrthogonal(const MatrixXd& a) : inside_(std::make_shared<Inside>()) { inside_->cod.compute(a); }

void CompleteOrthogonal::compute(const MatrixXd& a, double threshold) {
    if (!inside_ || inside_.use_count() > 1) inside_ = std::make_shared<Inside>();
    inside_->cod.setThreshold(threshold);
    inside_->cod.compute(a);
}

Index CompleteOrthogonal::rank() const { return inside_->cod.rank(); }
MatrixXd CompleteOrthogonal::pseudo_inverse() const { return inside_->cod.pseudoInverse(); }
VectorXd CompleteOrthogonal::solve(const VectorXd& b) const { return inside_->cod.solve(b); }
MatrixXd CompleteOrthogonal::solve(const MatrixXd& b) const { return inside_->cod.solve(b); }
void CompleteOrthogonal::solve_into(const VectorXd& b, VectorXd& x) const { x = inside_->cod.solve(b); }

}  // namespace linkwright::solve
