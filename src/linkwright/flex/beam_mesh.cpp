#include "linkwright/flex/beam_mesh.hpp"

#include <algorithm>
#include <cmath>

namespace linkwright::flex {

namespace {

using solve::SparseMatrix;
using solve::Triplet;

constexpr int along_x = 0, along_y = 1, along_z = 2, about_x = 3, about_y = 4, about_z = 5;

bool any(const BeamNumbers& beam, double SectionNumbers::* of) {
    return std::ranges::any_of(beam.pieces, [&](const BeamNumbers::Piece& p) { return p.section.*of > 0; });
}

Matrix3d cross(const Vector3d& c) {
    Matrix3d m;
    m << 0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0;
    return m;
}

/// Entries between two nodes, in the displacements of both.
class Entries {
public:
    void add(std::size_t node, int which, std::size_t other, int other_which, double value) {
        if (value != 0) all.emplace_back(index(node, which), index(other, other_which), value);
    }
    void add(std::size_t node, const Eigen::Matrix<double, 6, 6>& m) {
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) add(node, i, node, j, m(i, j));
        }
    }
    static Index index(std::size_t node, int which) { return static_cast<Index>(6 * node) + which; }

    std::vector<Triplet> all;
};

using Matrix4d = Eigen::Matrix<double, 4, 4>;

/// ∫ N Nᵀ dx of the cubic functions for v₁, v'₁, v₂, v'₂.
Matrix4d cubic_mass(double h) {
    Matrix4d m;
    m << 156, 22 * h, 54, -13 * h, 22 * h, 4 * h * h, 13 * h, -3 * h * h, 54, 13 * h, 156, -22 * h, -13 * h, -3 * h * h, -22 * h, 4 * h * h;
    return h / 420 * m;
}

/// ∫ N' N'ᵀ dx
Matrix4d cubic_slopes(double h) {
    Matrix4d m;
    m << 36, 3 * h, -36, 3 * h, 3 * h, 4 * h * h, -3 * h, -h * h, -36, -3 * h, 36, -3 * h, 3 * h, -h * h, -3 * h, 4 * h * h;
    return m / (30 * h);
}

}  // namespace

bool BeamNumbers::bends_y() const { return any(*this, &SectionNumbers::bending_y); }
bool BeamNumbers::bends_z() const { return any(*this, &SectionNumbers::bending_z); }
bool BeamNumbers::stretches() const { return any(*this, &SectionNumbers::axial); }
bool BeamNumbers::twists() const { return any(*this, &SectionNumbers::torsion); }

Eigen::Matrix<double, 6, 6> point_inertia(double mass, const Vector3d& c, const Matrix3d& inertia) {
    const Matrix3d s = cross(c);
    Eigen::Matrix<double, 6, 6> m;
    m << mass * Matrix3d::Identity(), -mass * s, mass * s, inertia - mass * s * s;
    return m;
}

BeamMesh::BeamMesh(BeamNumbers beam, std::size_t elements, std::vector<double> places) : beam_(std::move(beam)) {
    make_nodes(elements, std::move(places));
    number();
}

void BeamMesh::make_nodes(std::size_t elements, std::vector<double> places) {
    const double first = beam_.start, last = beam_.length - beam_.end, span = last - first, close = 1e-9 * beam_.length;
    for (const BeamNumbers::Mass& m : beam_.masses) places.push_back(m.at);
    for (const BeamNumbers::Piece& p : beam_.pieces) places.push_back(p.to);
    std::erase_if(places, [&](double x) { return x < first + close || x > last - close; });
    places.push_back(first), places.push_back(last);
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end(), [&](double a, double b) { return b - a < close; }), places.end());
    nodes_ = {first};
    for (std::size_t i = 1; i < places.size(); ++i) {
        const double from = places[i - 1], to = places[i];
        const auto n = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(static_cast<double>(elements) * (to - from) / span)));
        for (std::size_t k = 1; k < n; ++k) nodes_.push_back(from + (to - from) * static_cast<double>(k) / static_cast<double>(n));
        nodes_.push_back(to);
    }
}

void BeamMesh::number() {
    const std::array<bool, 6> is_free{beam_.stretches(), beam_.bends_y(), beam_.bends_z(),
                                      beam_.twists(),    beam_.bends_z(), beam_.bends_y()};
    std::array<Index, 6> shared{};
    size_ = 0;
    for (int c = 0; c < 6; ++c) shared[c] = is_free[c] ? -1 : size_++;
    std::vector<Triplet> entries;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        for (int c = 0; c < 6; ++c) {
            const Index row = Entries::index(k, c);
            if (is_free[c]) {
                entries.emplace_back(row, size_++, 1.0);
                continue;
            }
            entries.emplace_back(row, shared[c], 1.0);
            if (c == along_y) entries.emplace_back(row, shared[about_z], nodes_[k]);
            if (c == along_z) entries.emplace_back(row, shared[about_y], -nodes_[k]);
        }
    }
    nodal_ = solve::make_sparse(static_cast<Index>(6 * nodes_.size()), size_, entries);
}

const SectionNumbers& BeamMesh::section(std::size_t element) const {
    const double middle = (nodes_[element] + nodes_[element + 1]) / 2;
    for (const BeamNumbers::Piece& p : beam_.pieces) {
        if (middle <= p.to) return p.section;
    }
    return beam_.pieces.back().section;
}

solve::Stiffness BeamMesh::stiffness() const {
    std::vector<Triplet> entries;
    std::vector<double> d;
    const auto strain = [&](double rigidity, std::initializer_list<std::pair<Index, double>> of) {
        for (const auto& [column, value] : of) entries.emplace_back(static_cast<Index>(d.size()), column, value);
        d.push_back(rigidity);
    };
    for (std::size_t e = 0; e < elements(); ++e) {
        const SectionNumbers& s = section(e);
        const double h = nodes_[e + 1] - nodes_[e];
        const auto at = [&](int c) { return Entries::index(e, c); };
        const auto next = [&](int c) { return Entries::index(e + 1, c); };
        const auto bend = [&](double EI, int move, int turn, double sign) {
            if (EI <= 0) return;
            strain(EI * h, {{next(turn), sign / h}, {at(turn), -sign / h}});
            strain(EI * h / 3, {{at(turn), 3 * sign / h}, {next(turn), 3 * sign / h}, {next(move), -6 / (h * h)}, {at(move), 6 / (h * h)}});
        };
        bend(s.bending_y, along_y, about_z, 1);
        bend(s.bending_z, along_z, about_y, -1);
        if (s.axial > 0) strain(s.axial * h, {{next(along_x), 1 / h}, {at(along_x), -1 / h}});
        if (s.torsion > 0) strain(s.torsion * h, {{next(about_x), 1 / h}, {at(about_x), -1 / h}});
    }
    const SparseMatrix B = solve::make_sparse(static_cast<Index>(d.size()), nodal_.rows(), entries);
    return {solve::times(B, nodal_), Eigen::Map<const VectorXd>(d.data(), static_cast<Index>(d.size())), {}};
}

SparseMatrix BeamMesh::mass() const {
    Entries m;
    for (std::size_t e = 0; e < elements(); ++e) {
        const SectionNumbers& s = section(e);
        const double h = nodes_[e + 1] - nodes_[e];
        const auto linear = [&](double density, int c) {
            for (std::size_t i = 0; i < 2; ++i) {
                for (std::size_t j = 0; j < 2; ++j) m.add(e + i, c, e + j, c, density * h / (i == j ? 3 : 6));
            }
        };
        linear(s.mass_per_length, along_x);
        linear(s.torsion_inertia, about_x);
        const Matrix4d bending = s.mass_per_length * cubic_mass(h) + s.rotary * cubic_slopes(h);
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                const bool turns = i % 2 == 1, other_turns = j % 2 == 1;
                const double sign = turns == other_turns ? 1 : -1;  // θy = −w'
                m.add(e + i / 2, turns ? about_z : along_y, e + j / 2, other_turns ? about_z : along_y, bending(i, j));
                m.add(e + i / 2, turns ? about_y : along_z, e + j / 2, other_turns ? about_y : along_z, sign * bending(i, j));
            }
        }
    }
    const auto rod = [&](std::size_t node, double mass, double length, double centre) {
        const double i = mass * length * length / 12;
        m.add(node, point_inertia(mass, {centre, 0, 0}, Vector3d(0, i, i).asDiagonal()));
    };
    if (beam_.start > 0) rod(0, beam_.start_mass, beam_.start, -beam_.start / 2);
    if (beam_.end > 0) rod(nodes_.size() - 1, beam_.end_mass, beam_.end, beam_.end / 2);
    for (const BeamNumbers::Mass& x : beam_.masses) {
        const std::size_t k = node_near(x.at);
        m.add(k, point_inertia(x.mass, {x.at - nodes_[k], 0, 0}, x.inertia));
    }
    return solve::congruence(solve::make_sparse(nodal_.rows(), nodal_.rows(), m.all), nodal_);
}

std::size_t BeamMesh::node_near(double x) const {
    const auto next = std::ranges::lower_bound(nodes_, x);
    if (next == nodes_.begin()) return 0;
    if (next == nodes_.end()) return nodes_.size() - 1;
    const auto k = static_cast<std::size_t>(next - nodes_.begin());
    return x - nodes_[k - 1] < nodes_[k] - x ? k - 1 : k;
}

SparseMatrix BeamMesh::motion_at(double x) const {
    const std::size_t k = node_near(x);
    double beyond = x - nodes_[k];
    if (std::abs(beyond) < 1e-9 * beam_.length) beyond = 0;
    std::vector<Triplet> entries;
    for (int c = 0; c < 6; ++c) entries.emplace_back(c, Entries::index(k, c), 1.0);
    if (beyond != 0) {
        entries.emplace_back(along_y, Entries::index(k, about_z), beyond);
        entries.emplace_back(along_z, Entries::index(k, about_y), -beyond);
    }
    return solve::times(solve::make_sparse(6, nodal_.rows(), entries), nodal_);
}

SparseMatrix BeamMesh::frame_motion() const {
    if (beam_.frame == Frame::tangent) return motion_at(0);
    const std::size_t last = nodes_.size() - 1;
    const double first = nodes_.front(), span = nodes_.back() - first;
    if (beam_.frame == Frame::chord) {
        std::vector<Triplet> entries{{along_x, Entries::index(0, along_x), 1.0}, {about_x, Entries::index(0, about_x), 1.0}};
        const auto chord = [&](int move, int turn, double sign) {
            entries.emplace_back(turn, Entries::index(last, move), sign / span);
            entries.emplace_back(turn, Entries::index(0, move), -sign / span);
            entries.emplace_back(move, Entries::index(0, move), 1 + first / span);
            entries.emplace_back(move, Entries::index(last, move), -first / span);
        };
        chord(along_y, about_z, 1);
        chord(along_z, about_y, -1);
        return solve::times(solve::make_sparse(6, nodal_.rows(), entries), nodal_);
    }
    // Mean: the rigid motion r with the least ∫|x − R r|² dm, so that RᵀM (x − R r) = 0, of the elastic part alone.
    BeamMesh plain = *this;
    BeamNumbers& bare = plain.beam_;
    bare.masses.clear(), bare.start_mass = bare.end_mass = 0;
    for (BeamNumbers::Piece& p : bare.pieces) p.section.rotary = 0;
    const MatrixXd R = rigid(), MR = solve::times(plain.mass(), R);
    MatrixXd gram = R.transpose() * MR, right = MR.transpose();
    if (gram(about_x, about_x) <= 0) {  // twist has no inertia to take a mean of: the first section counts
        gram(about_x, about_x) = 1;
        right.row(about_x) = solve::dense(motion_at(0)).row(about_x);
    }
    MatrixXd rows(6, size_);
    for (Index j = 0; j < size_; ++j) rows.col(j) = solve::solve_definite(gram, right.col(j)).x;
    return solve::sparse(rows);
}

MatrixXd BeamMesh::rigid() const {
    MatrixXd nodes = MatrixXd::Zero(nodal_.rows(), 6);
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        for (int c = 0; c < 6; ++c) nodes(Entries::index(k, c), c) = 1;
        nodes(Entries::index(k, along_y), about_z) = nodes_[k];
        nodes(Entries::index(k, along_z), about_y) = -nodes_[k];
    }
    // Unknowns are displacements of nodes, or shared ones counted from x = 0: each is one row of nodes or the rigid motion itself.
    MatrixXd r = MatrixXd::Zero(size_, 6);
    const std::array<bool, 6> is_free{beam_.stretches(), beam_.bends_y(), beam_.bends_z(),
                                      beam_.twists(),    beam_.bends_z(), beam_.bends_y()};
    Index at = 0;
    for (int c = 0; c < 6; ++c) {
        if (!is_free[c]) r(at++, c) = 1;
    }
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        for (int c = 0; c < 6; ++c) {
            if (is_free[c]) r.row(at++) = nodes.row(Entries::index(k, c));
        }
    }
    return r;
}

Eigen::Array<bool, Eigen::Dynamic, 1> BeamMesh::is_turn() const {
    Eigen::Array<bool, Eigen::Dynamic, 1> turns(size_);
    const MatrixXd r = rigid();
    for (Index i = 0; i < size_; ++i) turns[i] = r.row(i).head(3).isZero();
    return turns;
}

VectorXd BeamMesh::component(const VectorXd& x, int which) const {
    const VectorXd all = nodal_ * x;
    VectorXd out(static_cast<Index>(nodes_.size()));
    for (std::size_t k = 0; k < nodes_.size(); ++k) out[static_cast<Index>(k)] = all[Entries::index(k, which)];
    return out;
}

}  // namespace linkwright::flex
