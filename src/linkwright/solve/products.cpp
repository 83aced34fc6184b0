#include "linkwright/solve/products.hpp"

namespace linkwright::solve {

MatrixXd times(const MatrixXd& a, const MatrixXd& b) { return a * b; }
MatrixXd times(const MatrixXd& a, const MatrixXd& b, const MatrixXd& c) { return times(times(a, b), c); }
MatrixXd transposed_times(const MatrixXd& a, const MatrixXd& b) { return a.transpose() * b; }
MatrixXd congruent(const MatrixXd& m, const MatrixXd& z) { return times(transposed_times(z, m), z); }
MatrixXd sizes(const MatrixXd& a) { return a.cwiseAbs(); }
double largest(const MatrixXd& a) { return a.size() == 0 ? 0 : a.cwiseAbs().maxCoeff(); }

}  // namespace linkwright::solve
