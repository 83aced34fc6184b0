#pragma once
// A beam in numbers, for tests: shapes by the formulas of books, integrals by quadrature. Of the model only the description is used (lengths, pieces,
// families), never its shape constants, its terms or its sections.

#include <functional>
#include <vector>

#include "linkwright/model/model.hpp"
#include "support/jet.hpp"

namespace linkwright::laws {

/// Gauss's nodes and weights on (from, to), as roots of Legendre's polynomial found by Newton.
struct Node {
    double x, weight;
};
std::vector<Node> gauss_nodes(double from, double to, int count = 24);

/// φ, φ' and φ'' at ξ of 0 … 1, differentiated by ξ.
using ShapeValues = std::array<double, 3>;
/// [blevins79 tables 8-1, 8-16] with coefficient 1; polynomials by [abramowitz64 22.3.1].
ShapeValues book_shape(model::BeamDirection direction, model::BeamFamily family, flex::Frame frame, std::size_t number, double xi);

/// The same with a mass m = ημL and an inertia J = τμL³ at ξ = 1.
ShapeValues book_shape_with_mass(double eta, double tau, std::size_t number, double xi);

class BeamNumbers {
public:
    using Direction = model::BeamDirection;
    using Value = std::function<double(const sym::Expr&)>;

    BeamNumbers(const model::Beam& beam, const Value& value);

    struct Piece {
        double from, to, mass, bending_y, bending_z, axial, torsion, torsion_inertia, rotary;  ///< per length
    };
    /// The shapes at one x of the elastic part, differentiated by x, and what shortens it up to there.
    struct Station {
        double x = 0;
        std::vector<ShapeValues> shape;  ///< for each coordinate
        Eigen::MatrixXd
            shortening;  ///< ∫φ'φ' dx from the start, of two coordinates that bend in one plane; its mean taken off in a mean frame
    };

    std::size_t count() const { return directions_.size(); }
    Direction direction(std::size_t k) const { return directions_[k]; }
    const std::vector<Piece>& pieces() const { return pieces_; }
    double start() const { return start_; }
    double last() const { return length_ - end_; }  ///< where the elastic part ends
    Station station(double x) const;                ///< in a sleeve: of the section that it goes on straight from

    /// (x + u) i + v j + w k
    JetVec place(const Station& s, const std::vector<Jet>& q) const;
    /// v' about z, −w' about y, twist about x.
    JetMat axes(const Station& s, const std::vector<Jet>& q) const;

    Eigen::MatrixXd stiffness() const;  ///< ∫EI φ''φ'' dx and its like

private:
    Jet sum(const Station& s, const std::vector<Jet>& q, Direction direction, std::size_t derivative) const;
    ShapeValues raw(std::size_t k, double x) const;
    void cut_pieces_at(const std::vector<double>& x);
    void add_shortening(Station& s, const Node& node) const;
    std::pair<double, double> tip_ratios(const model::Beam& beam, const model::BeamShapes& shapes, const Value& value) const;

    double length_ = 0, start_ = 0, end_ = 0, span_ = 0;
    bool shortens_ = false;
    flex::Frame frame_{};
    std::vector<Piece> pieces_;
    std::vector<Direction> directions_;
    std::vector<model::BeamFamily> families_;
    std::vector<std::size_t> numbers_;
    std::vector<std::pair<double, double>> tip_;  ///< η and τ of clamped-mass
    std::vector<model::GivenShapes> given_;       ///< of each coordinate; empty where its shape is in books
    std::vector<double> scale_, shift_, slope_;   ///< φ = scale (φ of the book − shift − slope ξ)
    Eigen::MatrixXd mean_shortening_;
};

}  // namespace linkwright::laws
