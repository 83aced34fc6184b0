#pragma once
// A small model that keeps parameters as symbols: frequencies along a sweep without putting the structure together again.
//
// With K(p) = Σ c_m(p) K_m (affine.hpp) and a basis V that does not change, Vᵀ K(p) V = Σ c_m(p) VᵀK_mV: exact functions of the parameters, of
// the size of V. V spans the lowest modes at a few points of the parameters' ranges. Which points is found by asking [rozza08 §4]: at points
// in between the small model is compared with the whole one, and where it is worst the modes of the whole are added, until the largest error of a
// frequency is below what is wanted. That error is told; it is measured, not estimated, at points that are not among those of V.

#include <functional>

#include "linkwright/structure/affine.hpp"
#include "linkwright/structure/natural_modes.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::structure {

struct RetainedParameter {
    sym::Expr symbol;
    double value = 0, from = 0, to = 0;
};

struct RetainOptions {
    Index count = 6;        ///< modes that matter
    double wanted = 1e-6;   ///< largest relative error of a frequency
    std::size_t most = 24;  ///< points of V, at most
};

class RetainedModel {
public:
    std::vector<RetainedParameter> parameters;
    Index rigid = 0;
    Index full_freedoms = 0;
    std::shared_ptr<sym::Pool> pool;  ///< of coefficients and symbols
    std::vector<sym::Expr> coefficients;
    sym::Sweep sweep;            ///< of the coefficients
    std::vector<MatrixXd> K, M;  ///< of each coefficient
    bool is_definite = true;     ///< no spring under load that could make stiffness negative
    double shift = 0;            ///< σ that makes K + σM regular: 0, or ω² of the lowest elastic mode where there are rigid ones
    std::size_t points = 0;      ///< at which modes were taken
    std::size_t checks = 0;      ///< at which the whole was solved for comparison
    double error = 0;            ///< largest relative error of a frequency there
    bool ok = false;
    std::string why;

    Index size() const { return K.empty() ? 0 : K.front().rows(); }
    /// Of the coefficients.
    std::vector<double> values(const std::vector<double>& at) const;
    /// ω² of the lowest modes, rigid ones first.
    VectorXd omega2(const std::vector<double>& at, Index count) const;
};

/// A structure put together with other values of the parameters; nothing when it does not close there.
using AssembleAt = std::function<std::optional<Assembly>(const std::vector<double>&)>;

RetainedModel retain(const model::Model& model, const Assembly& assembly, std::vector<RetainedParameter> parameters,
                     const AssembleAt& assemble_at, const RetainOptions& options);

}  // namespace linkwright::structure
