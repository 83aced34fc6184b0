#include "linkwright/structure/synthesis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/structure/elimination.hpp"

namespace linkwright::structure {

namespace {

constexpr std::array<std::pair<std::string_view, Method>, 5> words{{{"full", Method::full},
                                                                    {"fixed", Method::fixed},
                                                                    {"free", Method::free},
                                                                    {"free-residual", Method::free_residual},
                                                                    {"loaded", Method::loaded}}};

MatrixXd beside(const MatrixXd& a, const MatrixXd& b) {
    MatrixXd all(a.rows(), a.cols() + b.cols());
    all << a, b;
    return all;
}

SparseMatrix below(const SparseMatrix& a, const SparseMatrix& b) {
    MatrixXd all(a.rows() + b.rows(), a.cols());
    all << solve::dense(a), solve::dense(b);
    return solve::sparse(all);
}

MatrixXd chosen_rows(const MatrixXd& a, const std::vector<Index>& rows) {
    MatrixXd out(static_cast<Index>(rows.size()), a.cols());
    for (std::size_t k = 0; k < rows.size(); ++k) out.row(static_cast<Index>(k)) = a.row(rows[k]);
    return out;
}

/// Columns of a, M-orthonormal; what is small beside the largest of them or beside itself before is left out.
MatrixXd orthonormal(const MatrixXd& a, const MatrixXd& against, const SparseMatrix& M, const VectorXd& before) {
    MatrixXd q(a.rows(), 0);
    const double most = before.size() == 0 ? 0 : before.maxCoeff();
    for (Index k = 0; k < a.cols(); ++k) {
        if (before[k] <= 1e-11 * most) continue;
        VectorXd v = a.col(k);
        for (int twice = 0; twice < 2; ++twice) {
            if (against.cols() > 0) v -= against * (against.transpose() * (M * v));
            if (q.cols() > 0) v -= q * (q.transpose() * (M * v));
        }
        const double size = std::sqrt(std::max(0.0, v.dot(M * v)));
        if (size <= 1e-8 * before[k]) continue;
        q = beside(q, v / size);
    }
    return q;
}

class Synthesizing {
public:
    Synthesizing(const Assembly& a, Method method, Index modes) : a_(a), method_(method), modes_(modes), all_(take_apart(a)) {}

    Synthesis run(const RigidModes& rigid, Index count) {
        method_ == Method::loaded ? load() : shape_each();
        if (!out_.modes.why.empty()) return std::move(out_);
        put_together();
        solve_together(rigid, count);
        return std::move(out_);
    }

private:
    bool is_beam(const Component& c) const { return a_.of->bodies[c.body].beam.has_value(); }
    const std::string& name_of(const Component& c) const { return a_.of->bodies[c.body].name; }

    /// The shapes of a pencil, its rigid ones first; fails when there are too few.
    MatrixXd shapes_of(const Component& c, const solve::ElasticPencil& pencil, ComponentModes& told) {
        told.name = name_of(c), told.rigid = pencil.null().cols();
        if (!is_beam(c)) return pencil.null();
        const solve::LowestModes low = pencil.lowest(modes_);
        if (!low.ok) {
            out_.modes.why = fmt::format("component '{}': {}", name_of(c), low.why);
        } else if (low.lambda.size() < modes_) {
            out_.modes.why = fmt::format("component '{}' has {} elastic shapes, not {}", name_of(c), low.lambda.size(), modes_);
        }
        told.omega2 = low.lambda;
        return beside(pencil.null(), low.vectors);
    }

    void shape_each() {
        for (const Component& c : all_) {
            ComponentModes told;
            shapes_.push_back(method_ == Method::fixed ? with_fixed_interface(c, told) : with_free_interface(c, told));
            if (!out_.modes.why.empty()) return;
            out_.components.push_back(std::move(told));
        }
    }

    MatrixXd with_fixed_interface(const Component& c, ComponentModes& told) {
        const Interface j = make_interface(c, rows_of(c));
        const solve::ElasticPencil pencil(c.K.seen_by(j.W), solve::congruence(c.M, j.W), chosen_rows(c.null(j.J), j.others));
        const MatrixXd shapes = solve::times(j.W, shapes_of(c, pencil, told));
        told.statical = j.size();
        return beside(statically(c.K, j, pencil), shapes);
    }

    /// How y follows interface displacements when no other forces act.
    static MatrixXd statically(const solve::Stiffness& K, const Interface& j, const solve::ElasticPencil& pencil) {
        if (j.size() == 0) return MatrixXd(j.W.rows(), 0);
        const MatrixXd load = solve::transposed_times(j.W, MatrixXd(K * j.E));
        return j.E - solve::times(j.W, pencil.solve(load));
    }

    MatrixXd with_free_interface(const Component& c, ComponentModes& told) {
        const solve::ElasticPencil pencil(c.K, c.M, c.null(SparseMatrix(0, c.size())));
        const MatrixXd shapes = shapes_of(c, pencil, told);
        if (method_ == Method::free || !is_beam(c)) return shapes;
        const Interface j = make_interface(c, rows_of(c));
        if (j.size() == 0) return shapes;
        const MatrixXd flexible = pencil.solve(solve::dense(SparseMatrix(j.J.transpose())));
        VectorXd size(j.size());
        for (Index k = 0; k < j.size(); ++k) size[k] = std::sqrt(std::max(0.0, flexible.col(k).dot(c.M * flexible.col(k))));
        const MatrixXd residual = orthonormal(flexible, shapes, c.M, size);
        told.statical = residual.cols();
        return beside(shapes, residual);
    }

    /// What branches bring to a component, in its y.
    struct Load {
        SparseMatrix K, M;
        SparseMatrix strains;  ///< rows that a motion without strain leaves zero
    };

    void load() {
        const std::size_t n = all_.size();
        std::vector<Load> loads(n);
        for (std::size_t k = 0; k < n; ++k) {
            const Index size = all_[k].size();
            loads[k] = {SparseMatrix(size, size), SparseMatrix(size, size), SparseMatrix(0, size)};
        }
        std::vector<Interface> up(n);
        std::vector<MatrixXd> statical(n), own(n);
        out_.components.resize(n);
        for (std::size_t k = n; k-- > 0;) {
            const Component& c = all_[k];
            solve::Stiffness K = c.K;
            K.S = loads[k].K;
            const SparseMatrix M = c.M + loads[k].M;
            const Interface& j = up[k] = make_interface(c, rows_to_earlier(k));
            const MatrixXd null = c.null(below(j.J, loads[k].strains));
            const solve::ElasticPencil pencil(K.seen_by(j.W), solve::congruence(M, j.W), chosen_rows(null, j.others));
            own[k] = solve::times(j.W, shapes_of(c, pencil, out_.components[k]));
            if (!out_.modes.why.empty()) return;
            statical[k] = statically(K, j, pencil);
            const MatrixXd loose = solve::times(j.W, pencil.null());  // what can still turn about its joints follows without momentum
            statical[k] -= loose * (loose.transpose() * (M * statical[k]));
            out_.components[k].statical = j.size();
            if (j.size() > 0)
                hang(k, j, K.seen_by(statical[k]), statical[k].transpose() * (M * statical[k]), c.null(loads[k].strains), loads);
        }
        // From the first on: a branch follows those before it.
        Index total = 0;
        for (const MatrixXd& m : own) total += m.cols();
        Index at = 0;
        for (std::size_t k = 0; k < n; ++k) {
            MatrixXd y = MatrixXd::Zero(all_[k].size(), total);
            for (std::size_t e = 0; e < k && up[k].size() > 0; ++e)
                y -= statical[k] * chosen_rows(solve::times(all_[e].J, shapes_[e]), up[k].rows);
            y.middleCols(at, own[k].cols()) += own[k];
            at += own[k].cols();
            shapes_.push_back(std::move(y));
        }
        is_whole_ = true;
    }

    /// Rows that tie a component to earlier ones and to no later one.
    std::vector<Index> rows_to_earlier(std::size_t k) const {
        std::vector<bool> is_taken(static_cast<std::size_t>(a_.G.rows()), false);
        for (std::size_t e = k + 1; e < all_.size(); ++e) {
            for (const Index i : rows_of(all_[e])) is_taken[i] = true;
        }
        std::vector<Index> rows;
        for (const Index i : rows_of(all_[k])) {
            if (!is_taken[i]) rows.push_back(i);
        }
        return rows;
    }

    /// Hangs a branch, condensed onto its interface displacements, on those that bear it [lee90 (4.10), (4.12)].
    void hang(std::size_t k, const Interface& j, MatrixXd K, const MatrixXd& M, const MatrixXd& rigid, std::vector<Load>& loads) const {
        // What moves the branch rigidly costs nothing, whatever rounding says.
        const Index m = j.size();
        MatrixXd strains = MatrixXd::Identity(m, m);
        const MatrixXd moved = solve::times(j.J, rigid);
        if (moved.cols() > 0 && moved.norm() > 1e-9) {
            const solve::Svd svd = solve::make_svd(moved);
            const MatrixXd q = svd.u.leftCols(svd.rank(1e-9));
            strains -= q * q.transpose();
            if (q.cols() == m) strains.setZero();
        }
        K = (strains * K * strains).eval();
        for (std::size_t e = 0; e < k; ++e) {
            const MatrixXd rows = chosen_rows(solve::dense(all_[e].J), j.rows);
            if (rows.norm() == 0) continue;
            loads[e].K += solve::sparse(rows.transpose() * K * rows);
            loads[e].M += solve::sparse(rows.transpose() * M * rows);
            if (strains.norm() > 0) loads[e].strains = below(loads[e].strains, solve::sparse(strains * rows));
        }
    }

    /// Displacements of all bodies from the coordinates of all shapes, and the rows that are left between these.
    void put_together() {
        Index total = 0;
        if (is_whole_) {
            total = shapes_.empty() ? 0 : shapes_.front().cols();
        } else {
            for (const MatrixXd& s : shapes_) total += s.cols();
        }
        MatrixXd all = MatrixXd::Zero(a_.size(), total), rows = MatrixXd::Zero(a_.G.rows(), total);
        VectorXd size = VectorXd::Zero(total);
        Index at = 0;
        for (std::size_t k = 0; k < all_.size(); ++k) {
            const Component& c = all_[k];
            const Index n = shapes_[k].cols();
            all.block(a_.first[c.body], at, a_.size(c.body), n) = solve::times(c.own, shapes_[k]);
            rows.middleCols(at, n) += solve::times(c.J, shapes_[k]);
            const MatrixXd scaled = c.scale.cwiseInverse().asDiagonal() * shapes_[k];
            for (Index i = 0; i < n && scaled.rows() > 0; ++i) size[at + i] = std::max(size[at + i], scaled.col(i).cwiseAbs().maxCoeff());
            if (!is_whole_) at += n;
        }
        for (Index i = 0; i < total; ++i) {
            const double by = size[i] > 0 ? 1 / size[i] : 1;
            all.col(i) *= by, rows.col(i) *= by;
        }
        for (Index i = 0; i < rows.rows(); ++i) {
            if (rows.row(i).size() > 0 && rows.row(i).cwiseAbs().maxCoeff() < 1e-9) rows.row(i).setZero();
        }
        out_.basis = all * solve::dense(eliminate(solve::sparse(rows), VectorXd::Ones(total), 1e-8).T);
    }

    void solve_together(const RigidModes& rigid, Index count) {
        NaturalModes& r = out_.modes;
        const MatrixXd& basis = out_.basis;
        r.freedoms = basis.cols(), r.rigid = rigid.count();
        const MatrixXd K = a_.stiffness().seen_by(basis), M = basis.transpose() * (a_.M * basis);
        MatrixXd null(basis.cols(), r.rigid);
        if (r.rigid > 0) null = solve::PivotedQr(basis).solve(rigid.vectors);
        const solve::LowestModes low = solve::lowest_dense(K, M, null, std::min(count, r.freedoms - r.rigid));
        r.ok = low.ok, r.why = low.why;
        if (!r.ok) return;
        r.omega2 = VectorXd::Zero(r.rigid + low.lambda.size());
        r.omega2.tail(low.lambda.size()) = low.lambda;
        r.shapes.resize(a_.size(), r.omega2.size());
        r.shapes << rigid.vectors, basis * low.vectors;
    }

    const Assembly& a_;
    Method method_;
    Index modes_;
    std::vector<Component> all_;
    std::vector<MatrixXd> shapes_;  ///< of each component: by its own coordinates, or, once it is whole, by those of all
    bool is_whole_ = false;
    Synthesis out_;
};

}  // namespace

std::string_view to_string(Method method) { return std::ranges::find(words, method, &std::pair<std::string_view, Method>::second)->first; }

std::optional<Method> method_by(std::string_view word) {
    const auto at = std::ranges::find(words, word, &std::pair<std::string_view, Method>::first);
    return at == words.end() ? std::nullopt : std::optional(at->second);
}

Synthesis synthesize(const Assembly& assembly, const RigidModes& rigid, Method method, Index modes, Index count) {
    return Synthesizing(assembly, method, modes).run(rigid, count);
}

}  // namespace linkwright::structure
