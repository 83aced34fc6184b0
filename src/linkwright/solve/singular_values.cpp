#include "linkwright/solve/singular_values.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <limits>

namespace linkwright::solve {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

SingularValues singular_values(const MatrixXd& a, SingularVectors u, SingularVectors v) {
    unsigned wanted = 0;
    if (u != SingularVectors::none) wanted |= u == SingularVectors::thin ? Eigen::ComputeThinU : Eigen::ComputeFullU;
    if (v != SingularVectors::none) wanted |= v == SingularVectors::thin ? Eigen::ComputeThinV : Eigen::ComputeFullV;
    const Eigen::JacobiSVD<MatrixXd> svd(a, wanted);
    SingularValues f{.s = svd.singularValues(), .u = {}, .v = {}, .ok = svd.info() == Eigen::Success};
    if (svd.computeU()) f.u = svd.matrixU();
    if (svd.computeV()) f.v = svd.matrixV();
    if (f.ok) {
        f.rank = svd.rank();
    } else {
        f.s.setConstant(nan), f.u.setConstant(nan), f.v.setConstant(nan);
    }
    return f;
}

VectorXd singular_values(const Eigen::MatrixXcd& a) {
    const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(a);
    if (svd.info() != Eigen::Success) return VectorXd::Constant(std::min(a.rows(), a.cols()), nan);
    return svd.singularValues();
}

}  // namespace linkwright::solve
