#include "linkwright/structure/affine.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "linkwright/model/values.hpp"
#include "linkwright/spatial/inertia.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::structure {

namespace {

using solve::Triplet;
using sym::Expr;

constexpr int along_x = 0, along_y = 1, along_z = 2, about_x = 3, about_y = 4, about_z = 5;

/// Expressions in a pool of retained parameters: every other parameter is its value, or its formula where that depends on a retained one.
class Retaining {
public:
    Retaining(const model::Model& model, const std::vector<Expr>& retained)
        : pool(std::make_shared<sym::Pool>()), value_(model), put_in_(*pool) {
        for (const model::Parameter& p : model.parameters) by_symbol_.emplace(p.symbol.id(), &p);
        for (const Expr& p : retained) depends_[p.id()] = true;
        for (const model::Parameter& p : model.parameters) define(p);
        for (const Expr& p : retained) parameters.push_back(put_in_(p));
    }

    std::shared_ptr<sym::Pool> pool;
    std::vector<Expr> parameters;

    double value(const Expr& e) const { return value_(e); }
    Expr operator()(const Expr& e) { return put_in_(e); }
    /// On a retained one.
    bool depends(const Expr& e) { return !sym::symbols_in(put_in_(e)).empty(); }

private:
    /// Whether it depends on a retained one; then its formula is there, otherwise its value.
    bool define(const model::Parameter& p) {
        if (const auto known = depends_.find(p.symbol.id()); known != depends_.end()) return known->second;
        bool depends = false;
        for (const Expr& s : sym::symbols_in(p.value)) {
            const auto at = by_symbol_.find(s.id());
            if (at != by_symbol_.end() && define(*at->second)) depends = true;
        }
        const sym::PoolScope scope(*pool);
        put_in_.replace(p.symbol, depends ? put_in_(p.value) : Expr(value_(p.symbol)));
        return depends_[p.symbol.id()] = depends;
    }

    const model::ParameterValues value_;
    sym::Transplant put_in_;
    std::unordered_map<sym::NodeId, bool> depends_;
    std::unordered_map<sym::NodeId, const model::Parameter*> by_symbol_;
};

class Terms {
public:
    Terms(const model::Model& model, const Assembly& a, const std::vector<Expr>& retained)
        : model_(model), a_(a), reduced_(model, retained) {}

    AffineTerms run() {
        for (std::size_t b = 0; b < a_.of->bodies.size(); ++b) {
            const model::Body& body = model_.bodies[*model::find_body(model_, a_.of->bodies[b].name)];
            if (a_.of->bodies[b].is_ground) continue;
            at_ = a_.first[b];
            if (a_.meshes[b]) {
                add_beam(*body.beam, *a_.meshes[b]);
            } else {
                nodal_ = solve::identity(6);
                add_rigid(0, body.mass, body.com, body.inertia);
            }
        }
        add_springs();
        return {reduced_.pool, reduced_.parameters, std::move(terms_)};
    }

private:
    /// Entries between displacements of nodes of the present body, times a formula.
    void add_mass(const Expr& factor, const std::vector<Triplet>& entries) {
        if (entries.empty()) return;
        const SparseMatrix own = solve::congruence(solve::make_sparse(nodal_.rows(), nodal_.rows(), entries), nodal_);
        auto [term, scale] = term_of(factor);
        term.M += scale * moved(own, a_.size(), at_);
    }
    /// Strains as rows over displacements of nodes of the present body. No b: the square of a.
    void add_strains(const Expr& factor, const std::vector<Triplet>& a, const std::vector<Triplet>& b, Index rows) {
        const auto strain = [&](const std::vector<Triplet>& entries) {
            return moved(solve::times(solve::make_sparse(rows, nodal_.rows(), entries), nodal_), rows, 0);
        };
        add_strains(factor, strain(a), b.empty() ? SparseMatrix() : strain(b));
    }
    void add_strains(const Expr& factor, SparseMatrix a, SparseMatrix b) {
        auto [term, scale] = term_of(factor);
        if (scale != 1 && b.size() == 0) b = a;
        if (scale != 1) a *= scale;
        term.strains.push_back({std::move(a), std::move(b)});
    }
    /// The term with this factor, and what is left of it as a number.
    std::pair<AffineTerm&, double> term_of(const Expr& factor) {
        const Expr reduced = reduced_(factor);
        const bool is_constant = sym::symbols_in(reduced).empty();
        const Expr coefficient = is_constant ? reduced_(Expr(1)) : reduced;
        const auto [known, is_new] = index_.try_emplace(coefficient.id(), terms_.size());
        const Index n = a_.size();
        if (is_new) terms_.push_back({.coefficient = coefficient, .S = SparseMatrix(n, n), .M = SparseMatrix(n, n)});
        return {terms_[known->second], is_constant ? reduced_.value(factor) : 1};
    }
    /// Columns of the present body among those of all bodies, and so many rows, from `first` on.
    SparseMatrix moved(const SparseMatrix& own, Index rows, Index first) const {
        std::vector<Triplet> entries;
        for (Index j = 0; j < own.cols(); ++j) {
            for (SparseMatrix::InnerIterator k(own, j); k; ++k) entries.emplace_back(first + k.row(), at_ + j, k.value());
        }
        return solve::make_sparse(rows, a_.size(), entries);
    }

    /// Where x is on the beam, as the model says it.
    Expr place(const model::Beam& beam, double x) const {
        std::vector<Expr> candidates{beam.sleeves.start, beam.length - beam.sleeves.end};
        for (const model::BeamPiece& p : beam.pieces) candidates.push_back(p.to);
        for (const model::BeamMass& m : beam.masses) candidates.push_back(m.at);
        for (const model::Joint& j : model_.joints) {
            if (j.section && model_.bodies[j.parent].beam && &*model_.bodies[j.parent].beam == &beam) candidates.push_back(j.section->at);
        }
        const auto nearest = std::ranges::min_element(candidates, {}, [&](const Expr& e) { return std::abs(reduced_.value(e) - x); });
        return *nearest;
    }
    bool is_place(const model::Beam& beam, double x) const {
        return std::abs(reduced_.value(place(beam, x)) - x) < 1e-9 * reduced_.value(beam.length);
    }

    void add_beam(const model::Beam& beam, const flex::BeamMesh& mesh) {
        nodal_ = mesh.nodal();
        const std::vector<double>& x = mesh.nodes();
        for (std::size_t from = 0; from + 1 < x.size();) {
            // A stretch: to the next place that the model knows with the same section and equal elements between.
            std::size_t to = from + 1;
            while (to + 1 < x.size() && !is_place(beam, x[to])) ++to;
            add_stretch(beam, place(beam, x[to]) - place(beam, x[from]), from, to, (x[from] + x[to]) / 2);
            from = to;
        }
        const model::BeamSleeves& s = beam.sleeves;
        const auto rod = [&](std::size_t node, const Expr& mass, const Expr& length, const Expr& centre) {
            const Expr i = mass * length * length / 12;
            add_rigid(node, mass, {{centre, 0, 0}}, spatial::diagonal(0, i, i));
        };
        if (!s.start.is_literally(0))
            rod(0, s.start_mass.value_or(beam.pieces.front().section.mass_per_length * s.start), s.start, -s.start / 2);
        if (!s.end.is_literally(0))
            rod(x.size() - 1, s.end_mass.value_or(beam.pieces.back().section.mass_per_length * s.end), s.end, s.end / 2);
        for (const model::BeamMass& m : beam.masses) {
            const double at = reduced_.value(m.at);
            const auto nearest = std::ranges::min_element(x, {}, [&](double node) { return std::abs(node - at); });
            const bool is_there = std::abs(*nearest - at) < 1e-9 * reduced_.value(beam.length);
            add_rigid(static_cast<std::size_t>(nearest - x.begin()), m.mass, {{is_there ? Expr(0) : m.at - place(beam, *nearest), 0, 0}},
                      m.inertia);
        }
    }

    const model::BeamSection& section(const model::Beam& beam, double middle) const {
        for (const model::BeamPiece& p : beam.pieces) {
            if (middle <= reduced_.value(p.to)) return p.section;
        }
        return beam.pieces.back().section;
    }

    static Index index(std::size_t node, int which) { return static_cast<Index>(6 * node) + which; }

    /// Of a 4 × 4 element matrix with h = 1, the entries with so many turns, for all elements of a stretch.
    static std::vector<Triplet> bending(const double (&m)[4][4], int turns, std::size_t from, std::size_t to, int move, int turn,
                                        double sign) {
        std::vector<Triplet> entries;
        for (std::size_t e = from; e < to; ++e) {
            for (int i = 0; i < 4; ++i) {
                for (int j = 0; j < 4; ++j) {
                    if (i % 2 + j % 2 != turns) continue;
                    const double s = turns == 1 ? sign : 1;
                    entries.emplace_back(index(e + i / 2, i % 2 == 1 ? turn : move), index(e + j / 2, j % 2 == 1 ? turn : move),
                                         s * m[i][j]);
                }
            }
        }
        return entries;
    }
    /// first·x + second·y, x and y one displacement at the ends of each element of a stretch: a row for each.
    struct Difference {
        std::size_t from, to;
        std::vector<Triplet> operator()(int which, double first, double second) const {
            std::vector<Triplet> rows;
            for (std::size_t e = from; e < to; ++e) {
                rows.emplace_back(static_cast<Index>(e - from), index(e, which), first);
                rows.emplace_back(static_cast<Index>(e - from), index(e + 1, which), second);
            }
            return rows;
        }
    };
    static std::vector<Triplet> linear(double same, double other, std::size_t from, std::size_t to, int which) {
        std::vector<Triplet> entries;
        for (std::size_t e = from; e < to; ++e) {
            for (std::size_t i = 0; i < 2; ++i) {
                for (std::size_t j = 0; j < 2; ++j) entries.emplace_back(index(e + i, which), index(e + j, which), i == j ? same : other);
            }
        }
        return entries;
    }

    void add_stretch(const model::Beam& beam, const Expr& length, std::size_t from, std::size_t to, double middle) {
        static constexpr double mass[4][4]{{156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
        static constexpr double slopes[4][4]{{36, 3, -36, 3}, {3, 4, -3, -1}, {-36, -3, 36, -3}, {3, -1, -3, 4}};
        const model::BeamSection& s = section(beam, middle);
        const auto elements = static_cast<Index>(to - from);
        const Expr h = length / static_cast<std::int64_t>(elements);
        const Difference between{from, to};
        for (const auto& [EI, move, turn, sign] :
             {std::tuple(s.bending_y, along_y, about_z, 1.0), std::tuple(s.bending_z, along_z, about_y, -1.0)}) {
            if (!EI.is_literally(0)) {
                const double now = reduced_.value(h);
                const std::vector<Triplet> mean = between(turn, sign / 2, sign / 2), turned = between(turn, -sign, sign);
                std::vector<Triplet> sheared = between(move, -1, 1);
                for (const Triplet& m : mean) sheared.emplace_back(m.row(), m.col(), -now * m.value());
                add_strains(12 * EI / pow(h, 3), sheared, {}, elements);
                add_strains(EI / h, turned, {}, elements);
                if (reduced_.depends(h)) {
                    const Expr longer = h - Expr(now);
                    add_strains(-24 * EI * longer / pow(h, 3), sheared, mean, elements);
                    add_strains(12 * EI * pow(longer, 2) / pow(h, 3), mean, {}, elements);
                }
            }
            for (int turns = 0; turns < 3; ++turns) {
                add_mass(s.mass_per_length * pow(h, turns + 1) / 420, bending(mass, turns, from, to, move, turn, sign));
                if (!s.rotary.is_literally(0))
                    add_mass(s.rotary * pow(h, turns - 1) / 30, bending(slopes, turns, from, to, move, turn, sign));
            }
        }
        if (!s.axial.is_literally(0)) add_strains(s.axial / h, between(along_x, -1, 1), {}, elements);
        if (!s.torsion.is_literally(0)) add_strains(s.torsion / h, between(about_x, -1, 1), {}, elements);
        add_mass(s.mass_per_length * h / 6, linear(2, 1, from, to, along_x));
        if (!s.torsion_inertia.is_literally(0)) add_mass(s.torsion_inertia * h / 6, linear(2, 1, from, to, about_x));
    }

    /// A rigid mass at a node, its centre at c from there.
    void add_rigid(std::size_t node, const Expr& mass, const spatial::Vec3& c, const spatial::Mat3& inertia) {
        const spatial::Inertia about = spatial::inertia_about_origin(mass, c, inertia);
        const auto both = [&](int i, int j, double x) {
            std::vector<Triplet> entries{{index(node, i), index(node, j), x}};
            if (i != j) entries.emplace_back(index(node, j), index(node, i), x);
            return entries;
        };
        const auto put = [&](const Expr& factor, std::vector<Triplet> entries) {
            if (!factor.is_literally(0)) add_mass(factor, entries);
        };
        put(about.m, {{index(node, 0), index(node, 0), 1.0}, {index(node, 1), index(node, 1), 1.0}, {index(node, 2), index(node, 2), 1.0}});
        for (int k = 0; k < 3; ++k) {  // −h× between displacements and turns
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            std::vector<Triplet> entries = both(i, 3 + j, -1), back = both(j, 3 + i, 1);
            entries.insert(entries.end(), back.begin(), back.end());
            put(-about.h[k], entries);
            for (int l = k; l < 3; ++l) put(about.I[k][l], both(3 + k, 3 + l, 1));
        }
    }

    void add_drive(const Expr& armature, const SparseMatrix& row) {
        auto [term, scale] = term_of(armature);
        term.M += scale * solve::transposed_times(row, row);
    }

    void add_springs() {
        const auto put = [&](const Expr& stiffness, const SparseMatrix& row) {
            if (!stiffness.is_literally(0)) add_strains(stiffness, row, {});
        };
        for (const Joint& joint : a_.of->joints) {
            const model::Joint& of = model_.joints[*model::find_joint(model_, joint.name)];
            for (std::size_t i = 0; i < joint.freedoms.size() && !joint.is_open; ++i) {
                if (joint.freedoms[i].is_held) continue;
                if (!of.forces.empty()) put(of.forces[i].stiffness, a_.coordinate(joint, i));
                if (!of.armature.empty() && !of.armature[i].is_literally(0)) add_drive(of.armature[i], a_.coordinate(joint, i));
            }
        }
        for (std::size_t k = 0; k < a_.of->springs.size(); ++k) {
            const Spring& x = a_.of->springs[k];
            MatrixXd along = MatrixXd::Zero(1, 6);
            along.leftCols(3) = x.direction.transpose();
            const SparseMatrix difference = a_.motion(x.to) - a_.motion(x.from);
            const auto of = std::ranges::find(model_.springs, x.name, &model::Spring::name);
            put(of->stiffness, solve::times(solve::sparse(along), difference));
        }
        if (a_.springs.S.size() > 0) term_of(Expr(1)).first.S += a_.springs.S;
    }

    const model::Model& model_;
    const Assembly& a_;
    Retaining reduced_;
    std::vector<AffineTerm> terms_;
    std::map<sym::NodeId, std::size_t> index_;
    Index at_ = 0;
    SparseMatrix nodal_;
};

}  // namespace

MatrixXd AffineTerm::stiffness_seen_by(const MatrixXd& t) const {
    MatrixXd K = t.transpose() * solve::times(S, t);
    for (const StrainProduct& p : strains) {
        const MatrixXd a = solve::times(p.a, t), product = a.transpose() * (p.b.size() > 0 ? solve::times(p.b, t) : a);
        K += (product + product.transpose()) / 2;
    }
    return K;
}

AffineTerms affine_terms(const model::Model& model, const Assembly& assembly, const std::vector<sym::Expr>& retained) {
    const sym::PoolScope scope(*model.pool);
    return Terms(model, assembly, retained).run();
}

}  // namespace linkwright::structure
