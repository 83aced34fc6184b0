#pragma once
// Coefficients as functions of one number x, each worked out at great cost: known at a few x, they are known at all.
//
// Polynomials through Chebyshev's points, halved into pieces until two x that were not used come out right. The barycentric
// weights are those of [berrut04].

#include <complex>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/solve/dense.hpp"

namespace linkwright::perturb {

class CoefficientFamily {
public:
    using Key = std::vector<int>;  ///< what a coefficient belongs to; one that is missing somewhere is zero there
    using Values = std::map<Key, std::complex<double>>;

    /// `at` is empty where there is nothing.
    CoefficientFamily(const std::function<std::optional<Values>(double)>& at, double from, double until);

    bool is_ok() const { return is_ok_; }
    /// Whether no coefficient changes.
    bool is_constant() const { return pieces_.size() == 1 && pieces_[0].nodes.size() == 1; }
    const std::vector<Key>& keys() const { return keys_; }
    /// In the order of the keys.
    Eigen::VectorXcd operator()(double x) const;

private:
    struct Piece {
        double from, until;
        std::vector<double> nodes, weights;
        std::vector<Values> samples;
        Eigen::MatrixXcd values;  ///< a column for each node
    };
    static Values between(const Piece& piece, double x);

    std::vector<Piece> pieces_;  ///< ascending
    std::vector<Key> keys_;
    bool is_ok_ = true;
};

}  // namespace linkwright::perturb
