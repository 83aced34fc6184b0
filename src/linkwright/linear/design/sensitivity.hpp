#pragma once
// How eigenvalues and vectors change with parameters, exactly and totally: parameters derived from others follow, and so does the
// operating point, with its accelerations and constraint forces.
//
// With right and left vectors of the lifted pencil (pencil_derivative.hpp),
//
//     dμ/dp = − Yᵀ P' X / Yᵀ P_μ X                                                 [lynch88 (6.18)] for K x = λ M x on a tree
//
// and P' is never formed: Yᵀ P' X for all p at once comes out of one backward pass, compiled once, whatever the number of
// parameters. Where r eigenvalues coincide with r independent vectors, their derivatives along one parameter are the eigenvalues
// of the r × r matrix of −(Yᵀ P_μ X)⁻¹ Yᵀ P' X: each parameter has vectors of its own, so derivatives of the single branches do not
// add up along mixed directions; the matrices do. Where vectors are missing (a defective eigenvalue) branches part like a root of
// p, and there is no derivative.
//
// Derivatives of vectors follow from the differentiated problem with one more row for their length [nelson76].

#include "linkwright/linear/design/pencil_derivative.hpp"
#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/linear/modes.hpp"

namespace linkwright::linear {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;
using sym::Expr;

/// λ of K x = λ M x where there are such, otherwise poles; or poles in any case.
enum class Eigenvalues : std::uint8_t { lambda_or_poles, poles };

enum class Multiplicity : std::uint8_t {
    simple,
    repeated,   ///< derivatives are those of branches along one parameter alone, ascending
    defective,  ///< no derivative: the entries are zero and mean nothing
    ignorable,  ///< a pole at zero because nothing depends on some coordinate: it stays there
};

/// Eigenvalues that coincide, and the matrices D of each parameter: along a direction d they part like the eigenvalues of Σ D_k d_k.
struct Coinciding {
    std::vector<Eigen::Index> members;  ///< rows of `values`
    std::vector<MatrixXcd> by;
};

struct EigenvalueSensitivity {
    bool is_lambda = false;  ///< λ of K x = λ M x; otherwise poles, one for each real one and each pair (the upper)
    VectorXcd values;        ///< λ ascending; poles by |Im|, then Re
    std::vector<Multiplicity> multiplicity;
    std::vector<Coinciding> coinciding;  ///< those whose standing is `repeated`
    MatrixXcd derivatives;               ///< rows: values; columns: parameters
    MatrixXcd relative;                  ///< (p/μ) dμ/dp; 0 where μ is 0
    MatrixXd frequency_hz;               ///< d(|Im μ|/2π)/dp; of λ > 0: of √λ/2π
    MatrixXd damping_ratio;              ///< d(−Re μ/|μ|)/dp
    std::vector<std::string> notes;
    bool is_ok = true;
    std::string why;
};

struct EigenvectorSensitivity {
    EigenvalueSensitivity of;            ///< of the eigenvalues they belong to
    std::vector<std::string> s;          ///< names of rows: all small motions
    MatrixXcd vectors;                   ///< columns, one for each eigenvalue: xᵀMx = 1 with λ, else the largest entry is 1 (and stays)
    std::vector<MatrixXcd> derivatives;  ///< for each parameter, columns likewise
    std::vector<bool> has_derivative;    ///< of each eigenvalue: not where it is repeated
};

/// Compiled once; parameters may be live. What it is given must outlive it.
class Sensitivity {
public:
    Sensitivity(const numeric::CompiledEquations& numbers, const Linearizer& linearizer, numeric::Compile compile = numeric::interpret);
    ~Sensitivity();
    Sensitivity(const Sensitivity&) = delete;
    Sensitivity& operator=(const Sensitivity&) = delete;

    /// `at` as the linearizer gave it, on all independent coordinates and with the geometric stiffness; `of` its modes; `slopes` how
    /// the operating point moves with each of `parameters`.
    EigenvalueSensitivity eigenvalues(const Linearization& at, const Modes& of, const PointDerivatives& derivatives,
                                      std::span<const std::size_t> parameters, Eigenvalues which = Eigenvalues::lambda_or_poles) const;
    EigenvectorSensitivity vectors(const Linearization& at, const Modes& of, const PointDerivatives& derivatives,
                                   std::span<const std::size_t> parameters, Eigenvalues which = Eigenvalues::lambda_or_poles) const;

    const PencilDerivative& pencil() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

/// Slopes of a point that stays where it is whatever the parameters, u̇ and λ too.
PointDerivatives no_sensitivity(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, std::size_t parameters);

}  // namespace linkwright::linear
