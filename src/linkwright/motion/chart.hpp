#pragma once
// As many numbers as a closed mechanism has freedoms, and the way from them to all coordinates and speeds.
//
//     v = Zᵀ q,  φ(q, t) = 0     →  q by Newton's method from where it last was
//     z = Yᵀ u,  G u + φ_t = 0   →  u by one linear solution
//
// Z and Y have a column for each freedom. By selection these are columns of the identity: some coordinates are independent and
// the others follow (coordinate partitioning [wehage82]). Or they span the null spaces of ∂φ/∂q and G where they were chosen,
// by orthogonal decomposition (tangent coordinates [mani85], [lee90 §3]). Nonholonomic rows take part in Y only, so there may
// be fewer z than v. Either way the map is good near where it was chosen; `quality()` tells when to choose again.

#include "linkwright/motion/motion_system.hpp"
#include "linkwright/numeric/position_rows.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/row_lengths.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class Chart {
public:
    Chart(MotionSystem& system, bool by_selection);

    Eigen::Index coordinates() const { return Z_.cols(); }
    Eigen::Index speeds() const { return Y_.cols(); }

    /// Around the place where the system is. False when the constraints have lost rank there.
    bool choose();
    /// How well the map serves where the system is, against where it was chosen: 1 there, 0 where it folds.
    double calc_quality();
    /// Where Newton's method starts from now on: where the system is.
    void settle();

    void pack(double* v, double* z) const;
    /// Puts the system at v, z. False when it cannot be closed there; the system says why.
    bool unpack(double t, const double* v, const double* z);
    /// Rates of v and z from those of the system.
    void rates(double* v, double* z) const;

private:
    double decompose(solve::PivotedQr& qr, solve::RowLengths& lengths, const MatrixXd& rows, const MatrixXd& basis);

    MotionSystem& system_;
    numeric::PositionRows positions_;
    bool by_selection_;
    MatrixXd Z_, Y_, stacked_;
    solve::PivotedQr position_qr_, speed_qr_;
    solve::RowLengths position_lengths_, speed_lengths_;
    double position_quality_ = 1, speed_quality_ = 1;
    VectorXd q_, u_, rhs_, step_, scale_, q_at_, u_at_;
    double t_ = 0;
};

}  // namespace linkwright::motion
