#include "linkwright/structure/retained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/structure/elimination.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::structure {

namespace {

/// Well spread over [0, 1): the digits of k in base b, behind the point [halton60].
double radical_inverse(std::size_t k, std::size_t b) {
    double x = 0, digit = 1;
    for (; k > 0; k /= b) {
        digit /= static_cast<double>(b);
        x += digit * static_cast<double>(k % b);
    }
    return x;
}

/// λ of K x = λ M x as 1/μ − σ of M x = μ (K + σM) x. Some columns of V have a stiffness that is larger by many powers of ten, and rounding is of the
/// size of the largest eigenvalue: here those are the smallest.
VectorXd inverse_eigenvalues(const MatrixXd& K, const MatrixXd& M, double shift) {
    const MatrixXd shifted = K + shift * M;
    const VectorXd size = shifted.diagonal().cwiseSqrt().cwiseInverse();
    const VectorXd mu =
        solve::symmetric_eigenvalues(size.asDiagonal() * M * size.asDiagonal(), size.asDiagonal() * shifted * size.asDiagonal()).values;
    return mu.reverse().cwiseInverse().array() - shift;
}

class Retain {
public:
    Retain(const model::Model& model, const Assembly& a, std::vector<RetainedParameter> parameters, const AssembleAt& at,
           const RetainOptions& options)
        : a_(a), at_(at), options_(options) {
        out_.parameters = std::move(parameters);
        std::vector<sym::Expr> symbols;
        for (const RetainedParameter& p : out_.parameters) symbols.push_back(p.symbol);
        AffineTerms affine = affine_terms(model, a, symbols);
        terms_ = std::move(affine.terms), out_.pool = std::move(affine.pool);
        for (std::size_t i = 0; i < symbols.size(); ++i) out_.parameters[i].symbol = affine.parameters[i];
        for (const AffineTerm& t : terms_) out_.coefficients.push_back(t.coefficient);
        out_.sweep = sym::sweep(out_.coefficients);
        for (const AffineTerm& t : terms_) out_.is_definite &= t.S.nonZeros() == 0;
    }

    RetainedModel run() {
        std::vector<double> middle;
        for (const RetainedParameter& p : out_.parameters) middle.push_back(p.value);
        if (!take(middle)) return std::move(out_);
        out_.rigid = rigid_, out_.full_freedoms = freedoms_;
        if (rigid_ > 0) out_.shift = lowest_;
        for (const std::vector<double>& corner : corners()) {
            if (!take(corner)) return std::move(out_);
        }
        // Compare in between, and take what is worst.
        std::vector<std::vector<double>> checks;
        const std::size_t n = 4 + 4 * out_.parameters.size();
        for (std::size_t k = 1; k <= n; ++k) checks.push_back(between(k));
        std::vector<Full> full;
        for (const std::vector<double>& p : checks) {
            full.push_back(solve_at(p));
            if (!out_.why.empty()) return std::move(out_);
        }
        out_.checks = n;
        for (;;) {
            project();
            std::size_t worst = 0;
            out_.error = 0;
            for (std::size_t k = 0; k < n; ++k) {
                const double e = error_of(checks[k], full[k]);
                if (e > out_.error) out_.error = e, worst = k;
            }
            if (!out_.why.empty() || out_.error <= options_.wanted || out_.points >= options_.most) break;
            if (!add(full[worst].shapes)) break;
            ++out_.points;
        }
        out_.ok = out_.why.empty();
        return std::move(out_);
    }

private:
    struct Full {
        VectorXd omega2;
        MatrixXd shapes;
    };

    std::vector<std::vector<double>> corners() const {
        std::vector<std::vector<double>> all{{}};
        for (const RetainedParameter& p : out_.parameters) {
            std::vector<std::vector<double>> longer;
            for (const std::vector<double>& c : all) {
                for (const double x : {p.from, p.to}) longer.push_back(c), longer.back().push_back(x);
            }
            all = std::move(longer);
        }
        if (all.size() > 8) all.resize(8);
        return all;
    }
    std::vector<double> between(std::size_t k) const {
        static constexpr std::size_t bases[]{2, 3, 5, 7, 11, 13, 17, 19};
        std::vector<double> p;
        for (std::size_t i = 0; i < out_.parameters.size(); ++i) {
            const RetainedParameter& x = out_.parameters[i];
            p.push_back(x.from + (x.to - x.from) * radical_inverse(k, bases[i % 8]));
        }
        return p;
    }

    std::string told(const std::vector<double>& p) const {
        std::string text;
        for (std::size_t i = 0; i < p.size(); ++i)
            text += fmt::format("{}{} = {:.6g}", i > 0 ? ", " : "", out_.parameters[i].symbol.symbol().name, p[i]);
        return text;
    }

    Full solve_at(const std::vector<double>& p) {
        const auto a = at_(p);
        if (!a) return out_.why = fmt::format("the mechanism does not close with {}", told(p)), Full{};
        if (a->size() != a_.size() || a->G.rows() != a_.G.rows())
            return out_.why = fmt::format("with {} the structure has other elements or joints", told(p)), Full{};
        const RigidModes rigid = rigid_modes(*a);
        NaturalModes modes = full_modes(*a, rigid, options_.count);
        if (!modes.ok) return out_.why = fmt::format("{}: {}", told(p), modes.why), Full{};
        rigid_ = modes.rigid, freedoms_ = modes.freedoms;
        if (modes.omega2.size() > rigid_) lowest_ = modes.omega2[rigid_];
        // The joints must hold the same motions there, and the terms must add up to the matrices.
        const MatrixXd& x = modes.shapes;
        const VectorXd size = (a_.scale.cwiseInverse().asDiagonal() * x).cwiseAbs().colwise().maxCoeff();
        const MatrixXd open = solve::times(a_.G, x) * size.cwiseInverse().asDiagonal();
        const MatrixXd K = a->stiffness().seen_by(x), M = x.transpose() * solve::times(a->M, x);
        MatrixXd K_sum = MatrixXd::Zero(x.cols(), x.cols()), M_sum = K_sum;
        const std::vector<double> c = out_.values(p);
        for (std::size_t m = 0; m < terms_.size(); ++m) {
            K_sum += c[m] * terms_[m].stiffness_seen_by(x);
            M_sum += c[m] * x.transpose() * solve::times(terms_[m].M, x);
        }
        const bool is_same = (open.size() == 0 || open.cwiseAbs().maxCoeff() < 1e-8) && (K - K_sum).norm() <= 1e-6 * K.norm() &&
                             (M - M_sum).norm() <= 1e-8 * M.norm();
        if (!is_same)
            out_.why = fmt::format(
                "with {} the joints stand elsewhere on rigid parts or turn otherwise: matrices are no sums of constant ones", told(p));
        return {modes.omega2, x};
    }

    bool take(const std::vector<double>& p) {
        const Full f = solve_at(p);
        if (!out_.why.empty()) return false;
        add(f.shapes);
        ++out_.points;
        return true;
    }

    /// Vectors that are new to V, by the mass of the reference.
    bool add(const MatrixXd& shapes) {
        bool is_new = false;
        for (Index k = 0; k < shapes.cols(); ++k) {
            VectorXd v = shapes.col(k);
            const double before = std::sqrt(v.dot(a_.M * v));
            for (int twice = 0; twice < 2 && V_.cols() > 0; ++twice) v -= V_ * (V_.transpose() * (a_.M * v));
            const double left = std::sqrt(std::max(0.0, v.dot(a_.M * v)));
            if (!(left > 1e-7 * before)) continue;
            V_.conservativeResize(v.size(), V_.cols() + 1);
            V_.rightCols(1) = v / left;
            is_new = true;
        }
        return is_new;
    }

    void project() {
        out_.K.clear(), out_.M.clear();
        for (const AffineTerm& t : terms_) {
            out_.K.push_back(t.stiffness_seen_by(V_));
            out_.M.push_back(V_.transpose() * solve::times(t.M, V_));
        }
    }

    double error_of(const std::vector<double>& p, const Full& full) {
        const VectorXd small = out_.omega2(p, options_.count);
        double most = 0;
        for (Index k = out_.rigid; k < std::min(small.size(), full.omega2.size()); ++k)
            most = std::max(most, std::abs(std::sqrt(std::abs(small[k] / full.omega2[k])) - 1));
        return most;
    }

    const Assembly& a_;
    const AssembleAt& at_;
    const RetainOptions& options_;
    std::vector<AffineTerm> terms_;
    MatrixXd V_;
    Index rigid_ = 0, freedoms_ = 0;
    double lowest_ = 0;  ///< ω² above zero, where it was solved last
    RetainedModel out_;
};

}  // namespace

std::vector<double> RetainedModel::values(const std::vector<double>& at) const {
    return sym::evaluate<double>(*pool, sweep, [&](const sym::Expr& s) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (s == parameters[i].symbol) return at[i];
        }
        return std::nan("");
    });
}

VectorXd RetainedModel::omega2(const std::vector<double>& at, Index count) const {
    const std::vector<double> c = values(at);
    MatrixXd k = c[0] * K[0], m = c[0] * M[0];
    for (std::size_t i = 1; i < c.size(); ++i) k += c[i] * K[i], m += c[i] * M[i];
    VectorXd values = is_definite ? inverse_eigenvalues(k, m, shift) : solve::symmetric_eigenvalues(k, m).values;
    count = std::min<Index>(count + rigid, values.size());
    values.head(rigid).setZero();
    return values.head(count);
}

RetainedModel retain(const model::Model& model, const Assembly& assembly, std::vector<RetainedParameter> parameters,
                     const AssembleAt& assemble_at, const RetainOptions& options) {
    return Retain(model, assembly, std::move(parameters), assemble_at, options).run();
}

}  // namespace linkwright::structure
