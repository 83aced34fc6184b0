#include "linkwright/linear/singular_position.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <tuple>

#include "linkwright/numeric/motion_in_words.hpp"
#include "linkwright/numeric/quaternions.hpp"
#include "linkwright/numeric/rounding.hpp"
#include "linkwright/solve/independent.hpp"
#include "linkwright/solve/scale.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;

constexpr double rank_tolerance = 1e-7;  ///< where closing has left its errors
constexpr double step = 1e-3;
constexpr double nearly_lost = 0.01;  ///< strength left of what it is beside: nearer to a singular position than closing can tell

Index rank(const MatrixXd& a) {
    return a.rows() == 0 ? Index{0} : solve::independent_columns(solve::row_scale(a).asDiagonal() * a, rank_tolerance).rank;
}

std::string lost(Index here, Index there, const char* what) {
    return fmt::format(
        "the rank of the constraints changes here: {} of their {} are independent at this state, {} nearby. The mechanism is at a "
        "singular "
        "position (a change point, a dead centre), where no linear model describes it; move it a little",
        here, what, there);
}

}  // namespace

void SingularPositions::compile() const {
    closing_ = std::make_unique<numeric::Closing>(numbers_);
    std::vector<Expr> where, entries;
    for (const eom::BodyPose& pose : numbers_.equations().poses) {
        where.insert(where.end(), pose.p.begin(), pose.p.end());
        where.insert(where.end(), pose.com.begin(), pose.com.end());
    }
    points_ = numbers_.compile(where);
    for (const bool is_position : {true, false}) {
        const Matrix& rows = is_position ? form_.Phi : form_.G;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t j = 0; j < rows[i].size(); ++j) {
                if (rows[i][j].is_literally(0)) continue;
                places_.push_back({is_position, static_cast<Index>(i), static_cast<Index>(j)});
                entries.push_back(rows[i][j]);
            }
        }
    }
    derivatives_ = numbers_.compile(entries);
}

double SingularPositions::length_scale(const numeric::State& state) const {
    const VectorXd x = points_(state);
    double size = 0;
    for (Index i = 0; i + 2 < x.size(); i += 3) size = std::max(size, (x.segment<3>(i) - x.segment<3>(0)).norm());
    return size > 0 && std::isfinite(size) ? size : 1;
}

std::optional<std::string> SingularPositions::why(const Linearization& at, Index rank_phi, Index rank_g) const {
    std::call_once(once_, [&] { compile(); });
    if (at.Y.cols() == 0) return std::nullopt;
    const Index motions = static_cast<Index>(form_.s.size()) - numbers_.layout().nx;  // auxiliary states are held by nothing
    const MatrixXd S = at.full.S.topLeftCorner(numbers_.layout().nq, motions);
    const double length = length_scale(at.point.state);
    const auto unit = [&](Index i) { return form_.units[i] == "m" ? length : 1.0; };
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    VectorXd direction(at.Y.cols());
    for (double& x : direction) x = normal(random);
    VectorXd ds = (at.Y * direction).head(motions);
    double most = 0;
    for (Index i = 0; i < ds.size(); ++i) most = std::max(most, std::abs(ds[i]) / unit(i));
    if (!(most > 0)) return std::nullopt;
    ds *= step / most;

    numeric::State beside = at.point.state;
    beside.q += S * ds;
    numeric::normalise_quaternions(numbers_.equations(), beside.q);
    const auto first_order_only = [&] {
        return fmt::format(
            "the constraints allow the motion {} to first order only: it cannot be followed. The mechanism is at a singular position, "
            "where no "
            "linear model describes it",
            numeric::motion_in_words(ds, form_.s));
    };
    const solve::Assembly closed = (*closing_)(beside, {});
    if (!closed.ok) return first_order_only();
    // how far it went from where it was sent, against how far that was
    const VectorXd back = closed.x - beside.q;
    double returned = 0;
    for (Index s = 0; s < ds.size(); ++s) returned = std::max(returned, std::abs(S.col(s).dot(back)) / (unit(s) * S.col(s).squaredNorm()));
    beside.q = closed.x;
    const VectorXd x = derivatives_(beside);
    if (!x.allFinite()) return std::nullopt;
    MatrixXd Phi = MatrixXd::Zero(at.full.Phi.rows(), at.full.Phi.cols()), G = MatrixXd::Zero(at.full.G.rows(), at.full.G.cols());
    for (std::size_t k = 0; k < places_.size(); ++k) (places_[k].is_position ? Phi : G)(places_[k].row, places_[k].column) = x[k];
    for (const Index i : numeric::rows_of_rounding(numbers_, beside, G)) G.row(i).setZero(), Phi.row(i).setZero();
    if (const Index there = rank(Phi); there > rank_phi) return lost(rank_phi, there, "position rows");
    if (const Index there = rank(G); there > rank_g) return lost(rank_g, there, "rows");
    // Where loops close at a singular position they do so with half the digits: the last singular value is small, not zero. Rows are
    // measured by their lengths beside, where none has vanished.
    for (const auto& [here, there, count, what] :
         {std::tuple(&at.full.Phi, &Phi, rank_phi, "position rows"), std::tuple(&at.full.G, &G, rank_g, "rows")}) {
        if (count == 0) continue;
        const VectorXd scale = solve::row_scale(*there);
        const VectorXd on = solve::make_svd(scale.asDiagonal() * *here).s, off = solve::make_svd(scale.asDiagonal() * *there).s;
        if (on[count - 1] < nearly_lost * off[count - 1]) return lost(count - 1, count, what);
    }
    if (returned > 0.5 * step) return first_order_only();
    return std::nullopt;
}

}  // namespace linkwright::linear
