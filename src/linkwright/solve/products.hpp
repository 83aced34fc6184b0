#pragma once
// Products of whole matrices, compiled once. Written as a * b they are compiled again in every source, for every kind of expression that
// stands on either side; a sum or a cwiseAbs() as a factor costs most. Where many are formed, these take seconds off the build.

#include <Eigen/Core>

namespace linkwright::solve {

using Eigen::MatrixXd;

MatrixXd times(const MatrixXd& a, const MatrixXd& b);
MatrixXd times(const MatrixXd& a, const MatrixXd& b, const MatrixXd& c);  ///< (a b) c
MatrixXd transposed_times(const MatrixXd& a, const MatrixXd& b);          ///< aᵀ b
MatrixXd congruent(const MatrixXd& m, const MatrixXd& z);                 ///< zᵀ m z
MatrixXd sizes(const MatrixXd& a);                                        ///< absolute values, entry by entry
double largest(const MatrixXd& a);                                        ///< of them; 0 of an empty matrix

}  // namespace linkwright::solve
