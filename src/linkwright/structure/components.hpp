#pragma once
// A structure taken apart: each body a component with the rows that hold it alone put in, and the rows that are left as its interfaces.

#include "linkwright/structure/assembly.hpp"

namespace linkwright::structure {

/// x = own · y for the displacements of one body. J y are its interface displacements: those that rows tie to other bodies.
class Component {
public:
    std::size_t body = 0;
    SparseMatrix own;
    solve::Stiffness K;  ///< of its elements, and of springs that hold it alone
    SparseMatrix M;
    VectorXd scale;  ///< of y
    MatrixXd rigid;  ///< y as the body moves rigidly: six columns, for those motions that `held` allows
    MatrixXd held;   ///< rows that such motions must fulfil: what holds the body alone
    SparseMatrix J;  ///< rows of all groups, most of them empty

    Index size() const { return own.cols(); }
    /// Motions that strain nothing and leave these rows zero.
    MatrixXd null(const SparseMatrix& rows) const;
};

/// One for each body but the ground. A combination of a joint's rows that only one body takes part in belongs to that body: where a
/// neighbour is held by the ground, what hangs on it is held as well.
std::vector<Component> take_apart(const Assembly& assembly);

/// Interface displacements as coordinates: y = E j + W o with J y = j, for rows that are independent.
struct Interface {
    std::vector<Index> rows;  ///< independent ones among those of J
    SparseMatrix J;           ///< these
    MatrixXd E;
    SparseMatrix W;
    std::vector<Index> others;  ///< which of y are o
    Index size() const { return static_cast<Index>(rows.size()); }
};
/// Of some rows of a component's J.
Interface make_interface(const Component& component, const std::vector<Index>& rows);
/// The rows in which a component takes part.
std::vector<Index> rows_of(const Component& component);

}  // namespace linkwright::structure
