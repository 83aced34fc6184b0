#include "linkwright/solve/sparse.hpp"

namespace linkwright::solve {

SparseMatrix make_sparse(Index rows, Index columns, const std::vector<Triplet>& entries) {
    SparseMatrix a(rows, columns);
    a.setFromTriplets(entries.begin(), entries.end());
    return a;
}

SparseMatrix make_diagonal(const VectorXd& d) {
    std::vector<Triplet> entries;
    for (Index i = 0; i < d.size(); ++i) entries.emplace_back(i, i, d[i]);
    return make_sparse(d.size(), d.size(), entries);
}

SparseMatrix identity(Index n) { return make_diagonal(VectorXd::Ones(n)); }

MatrixXd dense(const SparseMatrix& a) { return a; }

SparseMatrix sparse(const MatrixXd& a) { return a.sparseView(0, 0); }

SparseMatrix transposed_times(const SparseMatrix& a, const SparseMatrix& b) { return a.transpose() * b; }

SparseMatrix times(const SparseMatrix& a, const SparseMatrix& b) { return a * b; }

SparseMatrix congruence(const SparseMatrix& a, const SparseMatrix& t) {
    const SparseMatrix at = a * t;
    return t.transpose() * at;
}

MatrixXd times(const SparseMatrix& a, const MatrixXd& b) { return a * b; }

MatrixXd transposed_times(const SparseMatrix& a, const MatrixXd& b) { return a.transpose() * b; }

SparseMatrix columns(const SparseMatrix& a, const std::vector<Index>& which) {
    std::vector<Triplet> entries;
    for (std::size_t k = 0; k < which.size(); ++k) {
        for (SparseMatrix::InnerIterator at(a, which[k]); at; ++at) entries.emplace_back(at.row(), static_cast<Index>(k), at.value());
    }
    return make_sparse(a.rows(), static_cast<Index>(which.size()), entries);
}

}  // namespace linkwright::solve
