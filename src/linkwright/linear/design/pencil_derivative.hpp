#pragma once
// Small motions x e^(μt) with all that belongs to them, and how the equations they obey change. At one operating point, in the
// letters of linear_form.hpp,
//
//     η │ M δu̇ + C δu + K δs + Gᵀδλ = 0
//     κ │ Φ δs = 0
//     β │ G δu + D δs = 0
//     ζ │ G δu̇ + E δu + F δs = 0
//     a │ N δu + H δs (= μ δs)
//
// hold for X = (δs, δu, δu̇, δλ). Weighted by Y = (η, κ, β, ζ, a) and added up they are one number Yᵀ P X: the weighted residuals
// of motion, differentiated along X. No matrix is formed for it, and one pass backwards over its graph gives its derivatives by
// everything at once: all parameters, and q, x, u, w, u̇, λ of the operating point. That is what the derivative of an eigenvalue
// asks for, whatever the number of parameters.

#include "linkwright/linear/linear_form.hpp"
#include "linkwright/numeric/operating_point.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

using Eigen::MatrixXcd;
using Eigen::VectorXcd;

/// X: one small motion. Entries for all of s, of u, of u̇ and of λ.
struct SmallMotion {
    VectorXcd s, u, udot, lambda;
};

/// Y: a weight for each row; `kinematic` has one for each of s.
struct RowWeights {
    VectorXcd force, position, speed, acceleration, kinematic;
};

/// The rows themselves.
struct PencilRows {
    VectorXcd force, position, speed, acceleration, kinematic;
};

struct WeightedMotion {
    RowWeights weights;
    SmallMotion motion;
};

/// How the operating point moves when one parameter does: dp_i/dp for every parameter (derived ones follow), and the point.
struct PointDirection {
    VectorXd parameters;
    numeric::PointDerivative point;
};

/// Graphs built and compiled when first asked for.
class PencilDerivative {
public:
    /// `form` is that of numbers.equations().
    PencilDerivative(const numeric::CompiledEquations& numbers, const LinearForm& form, numeric::Compile compile = numeric::interpret);
    ~PencilDerivative();
    PencilDerivative(const PencilDerivative&) = delete;
    PencilDerivative& operator=(const PencilDerivative&) = delete;

    /// d(Yᵀ P X) by parameters, q, x, u, w, u̇, λ, in a row for each of `pairs`, X and Y kept. Of the members of a quaternion only
    /// derivatives along the sphere mean something.
    MatrixXcd gradients(const numeric::OperatingPoint& at, std::span<const WeightedMotion> pairs) const;
    /// A direction in the columns of `gradients`.
    VectorXd column(const PointDirection& direction) const;
    /// d(P X) along a direction, X kept.
    PencilRows rows(const numeric::OperatingPoint& at, const PointDirection& direction, const SmallMotion& motion) const;

    /// How many lines the program behind `gradients` has, once made.
    std::size_t lines() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace linkwright::linear
