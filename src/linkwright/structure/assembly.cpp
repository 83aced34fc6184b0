#include "linkwright/structure/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/structure/elimination.hpp"

namespace linkwright::structure {

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using solve::Triplet;

Matrix3d cross(const Vector3d& c) {
    Matrix3d m;
    m << 0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0;
    return m;
}

/// Motion at a point `lever` away, both in axes R of the ground.
MatrixXd carried(const Matrix3d& R, const Vector3d& lever) {
    MatrixXd m = MatrixXd::Zero(6, 6);
    m << R, -R * cross(lever), Matrix3d::Zero(), R;
    return m;
}

/// Rows of `top` and then of `bottom`.
SparseMatrix stacked(const SparseMatrix& top, const SparseMatrix& bottom) {
    std::vector<Triplet> entries;
    for (Index j = 0; j < top.cols(); ++j) {
        for (SparseMatrix::InnerIterator at(top, j); at; ++at) entries.emplace_back(at.row(), j, at.value());
        for (SparseMatrix::InnerIterator at(bottom, j); at; ++at) entries.emplace_back(top.rows() + at.row(), j, at.value());
    }
    return solve::make_sparse(top.rows() + bottom.rows(), top.cols(), entries);
}

/// Everything of `a` moved so many rows down and columns to the right.
void put(std::vector<Triplet>& entries, const SparseMatrix& a, Index row, Index column) {
    for (Index j = 0; j < a.cols(); ++j) {
        for (SparseMatrix::InnerIterator at(a, j); at; ++at) {
            if (at.value() != 0) entries.emplace_back(row + at.row(), column + j, at.value());
        }
    }
}

/// Directions across the columns of `free`, unit vectors of the six as far as they will do.
MatrixXd across(const MatrixXd& free) {
    MatrixXd taken(6, 6);
    Index n = 0;
    const auto left = [&](VectorXd v) {
        for (int twice = 0; twice < 2; ++twice) v -= taken.leftCols(n) * (taken.leftCols(n).transpose() * v);
        return v;
    };
    for (Index k = 0; k < free.cols(); ++k) {
        const VectorXd v = left(free.col(k));
        if (v.norm() > 1e-9 * free.col(k).norm() && v.norm() > 0) taken.col(n++) = v.normalized();
    }
    const Index rank = n;
    while (n < 6) {
        VectorXd best = VectorXd::Zero(6);
        for (Index i = 0; i < 6; ++i) {
            const VectorXd v = left(VectorXd::Unit(6, i));
            if (v.norm() > best.norm() * (1 + 1e-9)) best = v;
        }
        for (double& x : best) {
            if (std::abs(x) < 1e-14) x = 0;
        }
        taken.col(n++) = best.normalized();
    }
    return taken.rightCols(6 - rank);
}

class Assembling {
public:
    explicit Assembling(Structure structure) : s_(*(a_.of = std::make_shared<const Structure>(std::move(structure)))) {}

    Assembly run() {
        mesh();
        measure();
        put_bodies();
        hold_joints();
        hold_rods();
        tie();
        finish_rows();
        put_springs();
        put_drives();
        return std::move(a_);
    }

private:
    void mesh() {
        std::vector<std::vector<double>> places(s_.bodies.size());
        const auto note = [&](const Place& p) {
            if (p.is_section) places[p.body].push_back(p.at);
        };
        for (const Joint& j : s_.joints) note(j.parent), note(j.child);
        for (const Spring& x : s_.springs) note(x.from), note(x.to);
        for (const Rod& x : s_.rods) note(x.from), note(x.to);
        a_.meshes.resize(s_.bodies.size());
        a_.first = {0};
        for (std::size_t b = 0; b < s_.bodies.size(); ++b) {
            const Body& body = s_.bodies[b];
            if (body.beam) a_.meshes[b].emplace(*body.beam, body.elements, places[b]);
            a_.first.push_back(a_.first.back() + (body.is_ground ? 0 : body.beam ? a_.meshes[b]->size() : 6));
        }
    }

    /// Lengths of the structure: of its beams, of distances between bodies where it has none.
    void measure() {
        double most = 0;
        for (const Body& b : s_.bodies) {
            if (b.beam) most = std::max(most, b.beam->length);
        }
        if (most == 0) {
            for (const Body& b : s_.bodies) most = std::max(most, (b.p - s_.bodies.front().p).norm());
        }
        a_.length = most > 0 ? most : 1;
    }

    void put_bodies() {
        std::vector<Triplet> strains, mass;
        std::vector<double> d;
        a_.scale.resize(a_.size());
        for (std::size_t b = 0; b < s_.bodies.size(); ++b) {
            const Body& body = s_.bodies[b];
            const Index at = a_.first[b];
            VectorXd units(6);
            units << VectorXd::Constant(3, a_.length), VectorXd::Ones(3);
            if (body.is_ground) {
                a_.rigid.emplace_back(0, 6);
            } else if (body.beam) {
                const flex::BeamMesh& m = *a_.meshes[b];
                const solve::Stiffness k = m.stiffness();
                put(strains, k.B, static_cast<Index>(d.size()), at);
                d.insert(d.end(), k.d.begin(), k.d.end());
                put(mass, m.mass(), at, at);
                a_.rigid.push_back(m.rigid() * units.asDiagonal());
                a_.scale.segment(at, m.size()) = m.is_turn().select(VectorXd::Ones(m.size()), VectorXd::Constant(m.size(), a_.length));
            } else {
                put(mass, solve::sparse(flex::point_inertia(body.mass, body.com, body.inertia)), at, at);
                a_.rigid.push_back(units.asDiagonal());
                a_.scale.segment(at, 6) = units;
            }
        }
        a_.elements.B = solve::make_sparse(static_cast<Index>(d.size()), a_.size(), strains);
        a_.elements.d = Eigen::Map<const VectorXd>(d.data(), static_cast<Index>(d.size()));
        a_.M = solve::make_sparse(a_.size(), a_.size(), mass);
    }

    SparseMatrix relative(const Joint& joint) const {
        const SparseMatrix child = a_.motion(joint.child), parent = a_.motion(joint.parent);
        const SparseMatrix difference = child - parent;
        return solve::times(solve::sparse(carried(joint.R.transpose(), Vector3d::Zero())), difference);
    }

    void add_rows(const std::string& name, const SparseMatrix& rows, std::initializer_list<std::size_t> bodies) {
        RowGroup group{name, rows_, rows.rows(), {}};
        for (const std::size_t b : bodies) {
            if (!s_.bodies[b].is_ground && std::ranges::find(group.bodies, b) == group.bodies.end()) group.bodies.push_back(b);
        }
        put(entries_, rows, rows_, 0);
        rows_ += rows.rows();
        a_.groups.push_back(std::move(group));
    }

    VectorXd row_units() const {
        VectorXd units(6);
        units << VectorXd::Constant(3, 1 / a_.length), VectorXd::Ones(3);
        return units;
    }

    void hold_joints() {
        for (const Joint& joint : s_.joints) {
            if (joint.is_open) continue;
            MatrixXd free(6, 0);
            for (const Freedom& f : joint.freedoms) {
                if (f.is_held) continue;
                free.conservativeResize(6, free.cols() + 1);
                free.rightCols(1) = row_units().asDiagonal() * f.motion;
            }
            const MatrixXd held = across(free);
            if (held.cols() == 0) continue;
            const MatrixXd rows = held.transpose() * row_units().asDiagonal();
            add_rows(joint.name, solve::times(solve::sparse(rows), relative(joint)), {joint.parent.body, joint.child.body});
        }
    }

    /// The change of the distance, or of a spring's length.
    template <class X>
    SparseMatrix lengthening(const X& x) const {
        MatrixXd along = MatrixXd::Zero(1, 6);
        along.leftCols(3) = x.direction.transpose();
        const SparseMatrix difference = a_.motion(x.to) - a_.motion(x.from);
        return solve::times(solve::sparse(along), difference);
    }

    void hold_rods() {
        for (const Rod& rod : s_.rods) {
            const SparseMatrix row = lengthening(rod) / a_.length;
            add_rows(rod.name, row, {rod.from.body, rod.to.body});
        }
    }

    void tie() {
        for (const Tie& t : s_.ties) {
            SparseMatrix row(1, a_.size());
            for (const Tie::Term& x : t.terms) row += x.coefficient * a_.coordinate(s_.joints[x.joint], x.freedom);
            RowGroup group{t.name, rows_, 1, {}};
            for (const Tie::Term& x : t.terms) {
                for (const std::size_t b : {s_.joints[x.joint].parent.body, s_.joints[x.joint].child.body}) {
                    if (!s_.bodies[b].is_ground && std::ranges::find(group.bodies, b) == group.bodies.end()) group.bodies.push_back(b);
                }
            }
            put(entries_, row, rows_++, 0);
            a_.groups.push_back(std::move(group));
        }
    }

    void finish_rows() { a_.G = solve::make_sparse(rows_, a_.size(), entries_); }

    void put_springs() {
        std::vector<Triplet> strains;
        std::vector<double> d;
        SparseMatrix S(a_.size(), a_.size());
        const auto add = [&](double stiffness, const SparseMatrix& row) {
            if (stiffness > 0) {
                put(strains, row, static_cast<Index>(d.size()), 0);
                d.push_back(stiffness);
            } else if (stiffness < 0) {
                S += stiffness * solve::transposed_times(row, row);
            }
        };
        for (const Joint& joint : s_.joints) {
            for (std::size_t i = 0; i < joint.freedoms.size(); ++i) {
                const Freedom& f = joint.freedoms[i];
                if (!joint.is_open && !f.is_held && f.stiffness != 0) add(f.stiffness, a_.coordinate(joint, i));
            }
        }
        for (const Spring& x : s_.springs) {
            add(x.stiffness, lengthening(x));
            if (x.tension == 0) continue;
            MatrixXd sideways = MatrixXd::Zero(3, 6);
            sideways.leftCols(3) = Matrix3d::Identity() - x.direction * x.direction.transpose();
            const SparseMatrix difference = a_.motion(x.to) - a_.motion(x.from);
            const SparseMatrix rows = solve::times(solve::sparse(sideways), difference);
            S += x.tension / x.length * solve::transposed_times(rows, rows);
        }
        a_.springs.B = solve::make_sparse(static_cast<Index>(d.size()), a_.size(), strains);
        a_.springs.d = Eigen::Map<const VectorXd>(d.data(), static_cast<Index>(d.size()));
        if (S.nonZeros() > 0) a_.springs.S = S;
    }

    /// ½ a w² of what turns with a joint, w being the rate of its coordinate.
    void put_drives() {
        for (const Joint& joint : s_.joints) {
            for (std::size_t i = 0; i < joint.freedoms.size(); ++i) {
                const Freedom& f = joint.freedoms[i];
                if (joint.is_open || f.is_held || f.armature == 0) continue;
                const SparseMatrix row = a_.coordinate(joint, i);
                a_.M += f.armature * solve::transposed_times(row, row);
            }
        }
    }

    Assembly a_;
    const Structure& s_;
    std::vector<Triplet> entries_;
    Index rows_ = 0;
};

}  // namespace

solve::Stiffness Assembly::stiffness() const {
    VectorXd d(elements.d.size() + springs.d.size());
    d << elements.d, springs.d;
    return {stacked(elements.B, springs.B), d, springs.S};
}

SparseMatrix Assembly::motion(const Place& place) const {
    const Body& body = of->bodies[place.body];
    if (body.is_ground) return SparseMatrix(6, size());
    SparseMatrix rows = solve::identity(6);
    if (const auto& mesh = meshes[place.body]) {
        if (!place.is_section) {
            rows = mesh->frame_motion();
        } else {
            rows = mesh->motion_at(place.at);
            if (!place.turns) {
                MatrixXd take = MatrixXd::Zero(6, 6), turn = take;
                take.topLeftCorner(3, 3).setIdentity(), turn.bottomRightCorner(3, 3).setIdentity();
                const SparseMatrix frame = mesh->frame_motion();
                const SparseMatrix moved = solve::times(solve::sparse(take), rows), turned = solve::times(solve::sparse(turn), frame);
                rows = moved + turned;
            }
        }
    }
    std::vector<Triplet> entries;
    put(entries, solve::times(solve::sparse(carried(body.R, place.offset)), rows), 0, first[place.body]);
    return solve::make_sparse(6, size(), entries);
}

SparseMatrix Assembly::coordinate(const Joint& joint, std::size_t freedom) const {
    // The least squares inverse of the columns of motion; displacements in units of `length`.
    VectorXd units(6);
    units << VectorXd::Constant(3, 1 / length), VectorXd::Ones(3);
    MatrixXd columns(6, static_cast<Index>(joint.freedoms.size()));
    for (std::size_t i = 0; i < joint.freedoms.size(); ++i)
        columns.col(static_cast<Index>(i)) = units.asDiagonal() * joint.freedoms[i].motion;
    const MatrixXd gram = columns.transpose() * columns;
    const VectorXd pick = solve::solve_least_squares(gram, VectorXd::Unit(gram.rows(), static_cast<Index>(freedom))).x;
    const MatrixXd row = (columns * pick).transpose() * units.asDiagonal();
    const SparseMatrix difference = motion(joint.child) - motion(joint.parent);
    return solve::times(solve::sparse(row * carried(joint.R.transpose(), Vector3d::Zero())), difference);
}

Assembly assemble(Structure structure) { return Assembling(std::move(structure)).run(); }

RigidModes rigid_modes(const Assembly& a) {
    const std::size_t bodies = a.of->bodies.size();
    std::vector<Triplet> entries;
    Index columns = 0;
    std::vector<Index> first;
    for (std::size_t b = 0; b < bodies; ++b) {
        first.push_back(columns);
        if (a.of->bodies[b].is_ground) continue;
        put(entries, solve::sparse(a.rigid[b]), a.first[b], columns);
        columns += 6;
    }
    const SparseMatrix R = solve::make_sparse(a.size(), columns, entries);  // scaled: a column is one length or one radian
    const Elimination e = eliminate(solve::times(a.G, R), VectorXd::Ones(columns));
    RigidModes r;
    MatrixXd left = MatrixXd::Identity(e.T.cols(), e.T.cols());
    const SparseMatrix RT = solve::times(R, e.T);
    const Index strains = a.springs.B.rows();
    if (left.cols() > 0 && strains > 0) {  // springs hold, however soft: rows by their size alone
        MatrixXd rows = solve::dense(solve::times(a.springs.B, RT));
        const MatrixXd whole = solve::dense(solve::times(a.springs.B, R));
        for (Index i = 0; i < strains; ++i) {
            const double size = whole.row(i).norm();
            if (size > 0) rows.row(i) /= size;
            if (rows.row(i).norm() < 1e-9) rows.row(i).setZero();
        }
        left = rows.norm() == 0 ? left : solve::null_space(rows, 1e-9);
    }
    if (left.cols() > 0 && a.springs.S.size() > 0) {
        const MatrixXd N = solve::times(RT, left);
        const MatrixXd K = N.transpose() * solve::times(a.springs.S, N);
        const double size = solve::dense(a.springs.S).cwiseAbs().maxCoeff() * a.length * a.length;
        const MatrixXd rows = K / size;
        if (rows.cwiseAbs().maxCoeff() > 1e-12) left = (left * solve::null_space(rows, 1e-9)).eval();
    }
    r.vectors = solve::times(RT, left);
    if (r.count() == 0) return r;
    const MatrixXd by_body = solve::times(e.T, left);
    for (std::size_t b = 0; b < bodies; ++b) {
        if (!a.of->bodies[b].is_ground && by_body.middleRows(first[b], 6).cwiseAbs().maxCoeff() > 1e-9)
            r.bodies.push_back(a.of->bodies[b].name);
    }
    for (const Joint& joint : a.of->joints) {
        bool moves = false;
        for (std::size_t i = 0; i < joint.freedoms.size() && !joint.is_open; ++i) {
            if (joint.freedoms[i].is_held) continue;
            const MatrixXd q = solve::times(a.coordinate(joint, i), r.vectors);
            moves = moves || q.cwiseAbs().maxCoeff() > 1e-9 * (joint.freedoms[i].motion.head(3).norm() > 0 ? a.length : 1);
        }
        if (moves) r.joints.push_back(joint.name);
    }
    return r;
}

}  // namespace linkwright::structure
