#pragma once
// From eigenvectors on independent coordinates to whole small motions with their constraint forces, and to the weights of all
// rows that make the lifted pencil vanish from the left (pencil_derivative.hpp).
//
//     poles:  right w = (y, z): δs = Y y, δu = Z z + P y, δu̇ = μ Z z + Q_z z + Q_y y, Gᵀδλ = −(M δu̇ + C δu + K δs)
//             left l = (a, b):  G η = 0, M η + Gᵀζ + b = 0,  Gᵀβ + Cᵀη + Eᵀζ + Nᵀa = μ b,  Φᵀκ + Dᵀβ + Kᵀη + Fᵀζ + Hᵀa = μ a
//
// and Yᵀ P_μ X = −lᵀw. Redundant rows leave weights undetermined; any that serve do.
//
//     K x = λ M x:  the same without C, D, E, H, and δu = ξ the speeds for which N ξ = x, δu̇ = −λ ξ on independent ones.

#include "linkwright/linear/design/pencil_derivative.hpp"
#include "linkwright/linear/linearize.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/orthogonal.hpp"

#include <optional>

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

using Complex = std::complex<double>;

class FullMode {
public:
    explicit FullMode(const Linearization& at);

    SmallMotion motion(Complex mu, const VectorXcd& w) const;
    RowWeights weights(Complex mu, const VectorXcd& l) const;

    /// Of λ with x = Y v on y. Two pairs whose sum is Yᵀ P X: what is weighted with the shape, and what with its speeds.
    struct Shape {
        VectorXd x, xi, alpha, nu;  ///< δs, δu, δu̇, δλ
    };
    Shape shape(double lambda, const VectorXd& v) const;
    std::array<RowWeights, 2> weights(double lambda, const Shape& shape) const;
    std::array<SmallMotion, 2> motions(const Shape& shape) const;
    /// bᵀξ on z: −Yᵀ P_λ X with its sign turned, vᵀM v of the second-order form.
    double product(const Shape& left, const Shape& right) const;

    /// How (A w) changes when its rows do, w kept: rows of y, then of z; and the parts of δs, δu that follow.
    struct Change {
        VectorXcd Aw, s, u;
    };
    Change change(const PencilRows& rows, bool with_speeds = true) const;
    VectorXcd dependent_speeds(const VectorXcd& b) const { return solve(speed_qr_, speed_scale_, dependent_u_, at_.full.G.cols(), b); }
    VectorXcd on_y(const VectorXcd& s) const;
    MatrixXd speeds_of_rates() const { return T_; }  ///< z = T ẏ, where there are as many
    bool has_speeds_of_rates() const { return has_T_; }

private:
    static VectorXcd solve(const solve::PivotedQr& qr, const VectorXd& scale, const std::vector<Eigen::Index>& dependent, Eigen::Index size,
                           const VectorXcd& b);
    VectorXcd over_rows(const solve::CompleteOrthogonal& transposed, const VectorXd& scale, const VectorXcd& b) const;  ///< x with Aᵀx = b
    VectorXcd by_mass(const VectorXcd& b) const;                                                                        ///< (ZᵀM Z)⁻¹ b

    const Linearization& at_;
    MatrixXd T_;
    bool has_T_ = false;
    mutable std::optional<solve::Lu> mass_;  ///< ZᵀM Z, once asked for
    VectorXd position_scale_, speed_scale_;
    std::vector<Eigen::Index> dependent_s_, dependent_u_;
    solve::PivotedQr position_qr_, speed_qr_;
    solve::CompleteOrthogonal position_transposed_, speed_transposed_;
};

}  // namespace linkwright::linear
