#include "linkwright/structure/components.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/structure/elimination.hpp"

namespace linkwright::structure {

namespace {

using solve::Triplet;

constexpr double tolerance = 1e-9;

/// Rows `which` of a, in this order.
SparseMatrix rows_from(const SparseMatrix& a, const std::vector<Index>& which) {
    std::vector<Triplet> entries;
    for (std::size_t k = 0; k < which.size(); ++k) entries.emplace_back(static_cast<Index>(k), which[k], 1.0);
    return solve::times(solve::make_sparse(static_cast<Index>(which.size()), a.rows(), entries), a);
}

SparseMatrix block(const SparseMatrix& a, Index column, Index count) {
    std::vector<Index> which(static_cast<std::size_t>(count));
    for (Index k = 0; k < count; ++k) which[k] = column + k;
    return solve::columns(a, which);
}

/// In units that can be compared.
MatrixXd scaled_dense(const SparseMatrix& rows, const VectorXd& scale) {
    return solve::dense(solve::times(rows, solve::make_diagonal(scale)));
}

/// Rows that are nothing but rounding are nothing.
MatrixXd without_noise(MatrixXd a) {
    for (Index i = 0; i < a.rows(); ++i) {
        if (a.row(i).norm() < tolerance) a.row(i).setZero();
    }
    return a;
}

/// λ with λᵀ a = 0, as columns: rows of zeros by themselves first.
MatrixXd left_null(const MatrixXd& a) {
    const MatrixXd clean = without_noise(a);
    if (clean.cols() == 0 || clean.norm() == 0) return MatrixXd::Identity(a.rows(), a.rows());
    std::vector<Index> zero, full;
    for (Index i = 0; i < clean.rows(); ++i) (clean.row(i).norm() == 0 ? zero : full).push_back(i);
    MatrixXd rest(static_cast<Index>(full.size()), clean.cols());
    for (std::size_t k = 0; k < full.size(); ++k) rest.row(static_cast<Index>(k)) = clean.row(full[k]);
    const MatrixXd inner = solve::null_space(rest.transpose(), tolerance);
    MatrixXd all = MatrixXd::Zero(a.rows(), static_cast<Index>(zero.size()) + inner.cols());
    for (std::size_t k = 0; k < zero.size(); ++k) all(zero[k], static_cast<Index>(k)) = 1;
    for (std::size_t k = 0; k < full.size(); ++k) all.row(full[k]).tail(inner.cols()) = inner.row(static_cast<Index>(k));
    return all;
}

class TakingApart {
public:
    explicit TakingApart(const Assembly& a) : a_(a) {
        at_.assign(a.of->bodies.size(), none);
        for (std::size_t b = 0; b < a.of->bodies.size(); ++b) {
            if (a.of->bodies[b].is_ground) continue;
            Component c;
            c.body = b;
            c.own = solve::identity(a.size(b));
            c.scale = a.scale.segment(a.first[b], a.size(b));
            c.rigid = a.rigid[b];
            c.held.resize(0, 6);
            c.J = block(a.G, a.first[b], a.size(b));
            at_[b] = all_.size();
            all_.push_back(std::move(c));
        }
    }

    std::vector<Component> run() {
        while (settle()) {
        }
        for (Component& c : all_) put_matrices(c);
        return std::move(all_);
    }

private:
    /// One round over the groups of rows; whether anything has changed.
    bool settle() {
        bool changes = false;
        for (const RowGroup& group : a_.groups) {
            for (const std::size_t b : group.bodies) changes = settle(group, all_[at_[b]]) || changes;
        }
        return changes;
    }

    bool settle(const RowGroup& group, Component& c) {
        std::vector<Index> rows;
        for (Index k = 0; k < group.count; ++k) rows.push_back(group.first + k);
        MatrixXd others(group.count, 0);
        for (const std::size_t b : group.bodies) {
            const Component& other = all_[at_[b]];
            if (&other == &c) continue;
            const MatrixXd part = scaled_dense(rows_from(other.J, rows), other.scale);
            others.conservativeResize(group.count, others.cols() + part.cols());
            others.rightCols(part.cols()) = part;
        }
        const MatrixXd alone = left_null(others);
        if (alone.cols() == 0) return false;
        const SparseMatrix own = solve::times(solve::sparse(alone.transpose()), rows_from(c.J, rows));
        if (without_noise(scaled_dense(own, c.scale)).norm() == 0) return false;
        const MatrixXd on_rigid = without_noise(solve::times(own, c.rigid));
        c.held.conservativeResize(c.held.rows() + on_rigid.rows(), 6);
        c.held.bottomRows(on_rigid.rows()) = on_rigid;
        const Elimination e = eliminate(own, c.scale);
        c.own = solve::times(c.own, e.T), c.J = solve::times(c.J, e.T);
        c.J.prune([](Index, Index, double x) { return std::abs(x) > 1e-13; });
        VectorXd scale(e.T.cols());
        MatrixXd rigid(e.T.cols(), 6);
        for (Index k = 0; k < e.T.cols(); ++k) scale[k] = c.scale[e.kept[k]], rigid.row(k) = c.rigid.row(e.kept[k]);
        c.scale = std::move(scale), c.rigid = std::move(rigid);
        return true;
    }

    void put_matrices(Component& c) const {
        const Index at = a_.first[c.body], n = a_.size(c.body);
        SparseMatrix B = block(a_.elements.B, at, n);
        std::vector<Index> used;
        std::vector<bool> is_used(static_cast<std::size_t>(B.rows()), false);
        for (Index j = 0; j < n; ++j) {
            for (SparseMatrix::InnerIterator k(B, j); k; ++k) is_used[k.row()] = true;
        }
        for (Index i = 0; i < B.rows(); ++i) {
            if (is_used[i]) used.push_back(i);
        }
        const SparseMatrix elements = rows_from(B, used);
        const std::vector<Index> springs = own_springs(c.body);
        const SparseMatrix held = rows_from(block(a_.springs.B, at, n), springs);
        std::vector<Triplet> entries;
        VectorXd d(elements.rows() + held.rows());
        for (Index i = 0; i < elements.rows(); ++i) d[i] = a_.elements.d[used[i]];
        for (Index i = 0; i < held.rows(); ++i) d[elements.rows() + i] = a_.springs.d[springs[i]];
        for (Index j = 0; j < n; ++j) {
            for (SparseMatrix::InnerIterator k(elements, j); k; ++k) entries.emplace_back(k.row(), j, k.value());
            for (SparseMatrix::InnerIterator k(held, j); k; ++k) entries.emplace_back(elements.rows() + k.row(), j, k.value());
        }
        solve::Stiffness K{solve::make_sparse(d.size(), n, entries), d, {}};
        c.K = K.seen_by(c.own);
        c.M = solve::congruence(block(SparseMatrix(block(a_.M, at, n).transpose()), at, n), c.own);
        MatrixXd on_rigid = solve::times(held, a_.rigid[c.body]);
        for (Index i = 0; i < on_rigid.rows(); ++i) on_rigid.row(i).normalize();
        c.held.conservativeResize(c.held.rows() + on_rigid.rows(), 6);
        c.held.bottomRows(on_rigid.rows()) = on_rigid;
    }

    /// Springs between the body and the ground.
    std::vector<Index> own_springs(std::size_t body) const {
        std::vector<int> touches(static_cast<std::size_t>(a_.springs.B.rows()), 0);  // 1: the body, 2: others
        for (std::size_t b = 0; b + 1 < a_.first.size(); ++b) {
            for (Index j = a_.first[b]; j < a_.first[b + 1]; ++j) {
                for (SparseMatrix::InnerIterator k(a_.springs.B, j); k; ++k) touches[k.row()] |= b == body ? 1 : 2;
            }
        }
        std::vector<Index> rows;
        for (std::size_t i = 0; i < touches.size(); ++i) {
            if (touches[i] == 1) rows.push_back(static_cast<Index>(i));
        }
        return rows;
    }

    static constexpr std::size_t none = -1;
    const Assembly& a_;
    std::vector<std::size_t> at_;
    std::vector<Component> all_;
};

}  // namespace

MatrixXd Component::null(const SparseMatrix& rows) const {
    const MatrixXd more = without_noise(solve::times(rows, rigid));
    MatrixXd all(held.rows() + more.rows(), 6);
    all << held, more;
    if (all.norm() == 0) return rigid;
    return rigid * solve::null_space(all, tolerance);
}

std::vector<Component> take_apart(const Assembly& assembly) { return TakingApart(assembly).run(); }

std::vector<Index> rows_of(const Component& c) {
    std::vector<double> size(static_cast<std::size_t>(c.J.rows()), 0);
    for (Index j = 0; j < c.J.cols(); ++j) {
        for (SparseMatrix::InnerIterator k(c.J, j); k; ++k) size[k.row()] = std::max(size[k.row()], std::abs(k.value()) * c.scale[j]);
    }
    std::vector<Index> rows;
    for (std::size_t i = 0; i < size.size(); ++i) {
        if (size[i] > tolerance) rows.push_back(static_cast<Index>(i));
    }
    return rows;
}

Interface make_interface(const Component& c, const std::vector<Index>& rows) {
    const SparseMatrix J = rows_from(c.J, rows);
    const Elimination e = eliminate(J, c.scale);
    Interface r;
    for (const Index i : e.independent) r.rows.push_back(rows[i]);
    r.J = rows_from(J, e.independent);
    r.W = e.T, r.others = e.kept;
    const Index m = r.size();
    r.E = MatrixXd::Zero(c.size(), m);
    if (m == 0) return r;
    const MatrixXd pivots = solve::dense(solve::columns(r.J, e.eliminated));
    for (Index k = 0; k < m; ++k) {
        const VectorXd x = solve::solve_least_squares(pivots, VectorXd::Unit(m, k), 1e-14).x;
        for (Index i = 0; i < m; ++i) r.E(e.eliminated[i], k) = x[i];
    }
    return r;
}

}  // namespace linkwright::structure
