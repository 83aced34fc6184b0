#pragma once
// One beam as finite elements, in numbers: Euler's and Bernoulli's beam cut into pieces in which its deflection is cubic, its stretch and
// twist linear [przemieniecki68 §5.6, §11.5].
//
// A node has six displacements in the axes of the body: u, v, w and the turns θx, θy = −w', θz = v'. An element of length h has the strains
//
//     bending along y   κ₀ = (θ₂ − θ₁)/h,   κ₁ = 3(θ₁ + θ₂ − 2(v₂ − v₁)/h)/h       v'' = κ₀ + κ₁(2ξ − 1)
//     stretch           ε = (u₂ − u₁)/h              twist   τ = (θx₂ − θx₁)/h
//
// and the energy ½ EI h (κ₀² + κ₁²/3) + ½ EA h ε² + ½ GJ h τ². So its stiffness is Bᵀ D B with a diagonal D, and it stays in that form: a
// rigid motion has no strain, exactly but for the rounding of differences. Its mass is the consistent one, ∫ of products of the same functions,
// with the inertia of sections that turn (`rotary`, `torsion_inertia`) where there is one.
//
// A direction without stiffness is rigid: all nodes share one u, one θx, or move as a straight line in v or w. Sleeves are rigid too and move
// with the end they stand on; so do masses with the node they sit at.

#include "linkwright/flex/shapes.hpp"
#include "linkwright/solve/elastic_pencil.hpp"

namespace linkwright::flex {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Per length.
struct SectionNumbers {
    double mass_per_length = 0, bending_y = 0, bending_z = 0, axial = 0, torsion = 0, torsion_inertia = 0, rotary = 0;
};

/// A beam of numbers; x counts from the body's origin over the whole length, sleeves included.
struct BeamNumbers {
    struct Piece {
        double to = 0;
        SectionNumbers section;
    };
    struct Mass {
        double at = 0, mass = 0;
        Matrix3d inertia = Matrix3d::Zero();  ///< about its centre, which is on the axis; axes of the section
    };
    double length = 0;
    double start = 0, end = 0;            ///< of the sleeves
    double start_mass = 0, end_mass = 0;  ///< uniform over them
    std::vector<Piece> pieces;            ///< of the elastic part, from `start` on
    std::vector<Mass> masses;
    Frame frame = Frame::tangent;

    bool bends_y() const;  ///< somewhere; a piece without stiffness beside others that have some is the caller's mistake
    bool bends_z() const;
    bool stretches() const;
    bool twists() const;
};

/// 6×6 inertia about a point, [displacement; turn], of a mass with its centre at c from there.
Eigen::Matrix<double, 6, 6> point_inertia(double mass, const Vector3d& c, const Matrix3d& inertia);

class BeamMesh {
public:
    /// About so many elements, evenly, with a node at every one of `places`, every mass and every end of a piece.
    BeamMesh(BeamNumbers beam, std::size_t elements, std::vector<double> places);

    const BeamNumbers& beam() const { return beam_; }
    const std::vector<double>& nodes() const { return nodes_; }  ///< x, ascending over the elastic part
    std::size_t elements() const { return nodes_.size() - 1; }
    Index size() const { return size_; }  ///< how many displacements

    solve::Stiffness stiffness() const;
    solve::SparseMatrix mass() const;

    /// Displacement and turn of the section at x, a node or in a sleeve, in body axes: 6 rows.
    solve::SparseMatrix motion_at(double x) const;
    /// Displacement and turn of the body's frame: what holds it (shapes.hpp), seen in the nodes.
    solve::SparseMatrix frame_motion() const;
    /// Displacements of all nodes when the body moves rigidly: size × 6, by displacement of the origin and turn.
    MatrixXd rigid() const;
    /// Displacements of the nodes in one of u v w θx θy θz, of a vector of displacements.
    VectorXd component(const VectorXd& x, int which) const;
    /// Displacements of nodes from the unknowns: row 6 k + which.
    const solve::SparseMatrix& nodal() const { return nodal_; }
    /// Which of the displacements are turns.
    Eigen::Array<bool, Eigen::Dynamic, 1> is_turn() const;

private:
    void make_nodes(std::size_t elements, std::vector<double> places);
    void number();
    std::size_t node_near(double x) const;
    const SectionNumbers& section(std::size_t element) const;

    BeamNumbers beam_;
    std::vector<double> nodes_;
    Index size_ = 0;
    solve::SparseMatrix nodal_;  ///< displacements of nodes from the unknowns
};

}  // namespace linkwright::flex
