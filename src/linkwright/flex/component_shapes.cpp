#include "linkwright/flex/component_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linkwright::flex {

namespace {

using Direction = ComponentDirection;

bool bends(Direction d) { return d == Direction::y || d == Direction::z; }
int move_of(Direction d) { return d == Direction::y ? 1 : d == Direction::z ? 2 : d == Direction::x ? 0 : 3; }
int turn_of(Direction d) { return d == Direction::y ? 5 : 4; }
/// v' = θz, w' = −θy
double sign_of(Direction d) { return d == Direction::z ? -1 : 1; }

/// The beam with stiffness in one direction alone: it is rigid in all others, and these are held.
BeamNumbers alone(BeamNumbers beam, Direction direction) {
    for (BeamNumbers::Piece& p : beam.pieces) {
        SectionNumbers& s = p.section;
        if (direction != Direction::y) s.bending_y = 0;
        if (direction != Direction::z) s.bending_z = 0;
        if (direction != Direction::x) s.axial = 0;
        if (direction != Direction::twist) s.torsion = 0;
    }
    return beam;
}

/// Displacements of the nodes in this direction, and of all of them which are held, are interfaces, are left.
class OneDirection {
public:
    OneDirection(const BeamNumbers& beam, Direction direction, std::size_t elements, const std::vector<InterfaceLoad>& loads)
        : direction_(direction), loads_(loads), mesh_(alone(beam, direction), elements, places(loads)) {
        const MatrixXd moves = rows(move_of(direction));
        const MatrixXd turns = bends(direction) ? rows(turn_of(direction)) : MatrixXd(0, mesh_.size());
        const auto column = [](const MatrixXd& m, Index node) -> Index {
            Index j = 0;
            m.row(node).cwiseAbs().maxCoeff(&j);
            return j;
        };
        for (Index k = 0; k < moves.rows(); ++k) {
            move_.push_back(column(moves, k));
            if (bends(direction)) turn_.push_back(column(turns, k));
        }
    }

    ComponentShapes run(ComponentInterface interface, std::size_t count) {
        hold_frame();
        std::vector<Index> interfaces = interface == ComponentInterface::fixed ? interface_unknowns() : std::vector<Index>{};
        // Nothing else holds a beam in a mean frame: the first interface displacements do, and what follows them is rigid motion.
        const std::size_t rigid = mesh_.beam().frame != Frame::mean ? 0 : bends(direction_) ? 2 : 1;
        if (interfaces.size() < rigid) interfaces.clear();
        ComponentShapes out;
        const double start = mesh_.nodes().front();
        for (const double x : mesh_.nodes()) out.x.push_back(x - start);
        for (std::size_t k = rigid; k < interfaces.size() && out.phi.size() < count; ++k) add(out, follow(interfaces, k, out), 0);
        if (out.phi.size() < count && out.why.empty()) add_modes(out, interfaces, interface == ComponentInterface::loaded, count);
        out.ok = out.why.empty();
        return out;
    }

private:
    static std::vector<double> places(const std::vector<InterfaceLoad>& loads) {
        std::vector<double> x;
        for (const InterfaceLoad& l : loads) x.push_back(l.at);
        return x;
    }

    /// One component of all nodes, from the unknowns.
    MatrixXd rows(int which) const {
        MatrixXd m(static_cast<Index>(mesh_.nodes().size()), mesh_.size());
        for (Index j = 0; j < mesh_.size(); ++j) m.col(j) = mesh_.component(VectorXd::Unit(mesh_.size(), j), which);
        return m;
    }

    void hold_frame() {
        const Frame frame = mesh_.beam().frame;
        if (frame == Frame::mean) return;
        held_.push_back(move_.front());
        if (bends(direction_)) held_.push_back(frame == Frame::tangent ? turn_.front() : move_.back());
    }

    bool is_held(Index j) const { return std::ranges::find(held_, j) != held_.end(); }

    /// Displacements of nodes where something is attached, beside those that the frame holds. Sleeves go with their end.
    std::vector<Index> interface_unknowns() const {
        std::vector<Index> all;
        const auto add_one = [&](Index j) {
            if (!is_held(j) && std::ranges::find(all, j) == all.end()) all.push_back(j);
        };
        for (const InterfaceLoad& l : loads_) {
            const auto nearest = std::ranges::min_element(mesh_.nodes(), {}, [&](double x) { return std::abs(x - l.at); });
            const auto k = static_cast<std::size_t>(nearest - mesh_.nodes().begin());
            if (l.passes[move_of(direction_)]) add_one(move_[k]);
            if (bends(direction_) && l.passes[turn_of(direction_)]) add_one(turn_[k]);
        }
        return all;
    }

    /// Unknowns of this direction that are neither held nor among `others`.
    solve::SparseMatrix left(const std::vector<Index>& others) const {
        std::vector<Index> which;
        for (const auto* list : {&move_, &turn_}) {
            for (const Index j : *list) {
                if (!is_held(j) && std::ranges::find(others, j) == others.end()) which.push_back(j);
            }
        }
        std::ranges::sort(which);
        return solve::columns(solve::identity(mesh_.size()), which);
    }

    /// Motions of the whole that nothing holds: of a mean frame.
    MatrixXd null(const solve::SparseMatrix& T, bool is_free) const {
        if (mesh_.beam().frame != Frame::mean || !is_free) return MatrixXd(T.cols(), 0);
        const MatrixXd r = solve::transposed_times(T, mesh_.rigid());
        if (!bends(direction_)) return r.col(move_of(direction_));
        MatrixXd both(T.cols(), 2);
        both << r.col(move_of(direction_)), r.col(turn_of(direction_));
        return both;
    }

    /// The static shape for one interface displacement, the others held.
    VectorXd follow(const std::vector<Index>& interfaces, std::size_t k, ComponentShapes& out) const {
        const solve::SparseMatrix T = left(interfaces);
        VectorXd x = VectorXd::Unit(mesh_.size(), interfaces[k]);
        const solve::Stiffness K = mesh_.stiffness();
        const solve::ElasticPencil pencil(K.seen_by(T), solve::congruence(mesh_.mass(), T), MatrixXd(T.cols(), 0));
        if (!pencil.ok()) return out.why = pencil.why(), x;
        return x - solve::times(T, pencil.solve(solve::transposed_times(T, MatrixXd(K * x))));
    }

    void add_modes(ComponentShapes& out, const std::vector<Index>& interfaces, bool is_loaded, std::size_t count) {
        const solve::SparseMatrix T = left(interfaces);
        solve::SparseMatrix M = mesh_.mass();
        for (const InterfaceLoad& l : loads_) {
            if (is_loaded) M += solve::congruence(solve::sparse(l.inertia), mesh_.motion_at(l.at));
        }
        const auto wanted = static_cast<Index>(count - out.phi.size());
        const solve::ElasticPencil pencil(mesh_.stiffness().seen_by(T), solve::congruence(M, T), null(T, interfaces.empty()));
        const solve::LowestModes low = pencil.lowest(wanted);
        if (!low.ok) return void(out.why = low.why);
        if (low.lambda.size() < wanted) {
            out.why = fmt::format("its elements have {} shapes in this direction, not {}",
                                  out.phi.size() + static_cast<std::size_t>(low.lambda.size()), count);
            return;
        }
        for (Index k = 0; k < wanted; ++k) add(out, solve::times(T, low.vectors.col(k)), low.lambda[k]);
    }

    void add(ComponentShapes& out, const VectorXd& x, double omega2) const {
        const VectorXd value = mesh_.component(x, move_of(direction_));
        const VectorXd slope =
            bends(direction_) ? VectorXd(sign_of(direction_) * mesh_.component(x, turn_of(direction_))) : slopes(out.x, value);
        double by = value.cwiseAbs().maxCoeff();
        if (value[value.size() - 1] < -1e-9 * by) by = -by;  // the end goes the positive way
        out.phi.emplace_back();
        out.slope.emplace_back();
        for (Index k = 0; k < value.size(); ++k) {
            out.phi.back().push_back(is_held(move_[k]) ? 0 : value[k] / by);
            out.slope.back().push_back(bends(direction_) && is_held(turn_[k]) ? 0 : slope[k] / by);
        }
        out.omega2.push_back(omega2);
    }

    /// Of parabolas through three neighbours.
    static VectorXd slopes(const std::vector<double>& x, const VectorXd& y) {
        const Index n = y.size();
        VectorXd s(n);
        if (n == 2) return s.setConstant((y[1] - y[0]) / (x[1] - x[0])), s;
        for (Index k = 0; k < n; ++k) {
            const Index i = std::clamp<Index>(k, 1, n - 2);
            const double a = x[i] - x[i - 1], b = x[i + 1] - x[i], left = (y[i] - y[i - 1]) / a, right = (y[i + 1] - y[i]) / b;
            const double second = (right - left) / (a + b);
            s[k] = left + a * second + 2 * second * (x[k] - x[i]);
        }
        return s;
    }

    Direction direction_;
    const std::vector<InterfaceLoad>& loads_;
    BeamMesh mesh_;
    std::vector<Index> move_, turn_, held_;
};

}  // namespace

ComponentShapes component_shapes(const BeamNumbers& beam, ComponentDirection direction, ComponentInterface interface, std::size_t count,
                                 std::size_t elements, const std::vector<InterfaceLoad>& loads) {
    return OneDirection(beam, direction, elements, loads).run(interface, count);
}

}  // namespace linkwright::flex
