#pragma once
// Looking for a state that persists, from one start. Two ways, told apart in equilibrium.hpp: `descend` makes the residual smaller,
// `creep` lets the mechanism go where it is pushed.

#include <functional>

#include "linkwright/linear/equilibrium/balance.hpp"
#include "linkwright/linear/equilibrium/equilibrium.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

class BalanceSearch {
public:
    /// `start` says the time, inputs and speeds; what is held is put in by `prepare`.
    BalanceSearch(const Balance& balance, const EquilibriumOptions& options, const numeric::State& start);

    struct Found {
        numeric::State state;
        double residual = 0;  ///< largest, each row against its scale
        double merit = 0;     ///< sum of squares of the same
        bool is_ok = false;
        bool recedes = false;  ///< the residual is small only because forces fade with distance: no equilibrium, hence not ok
    };
    /// With held values put in and loops closed near it; not ok when that cannot be.
    Found prepare(const numeric::State& from) const;
    /// Trust region on all rows, with λ eliminated as the best one for each state.
    Found descend(const numeric::State& from, std::size_t iterations) const;
    /// Without inertia, along the constraints: M η/τ = f, implicitly, with τ as long as the step may be. Static only.
    Found creep(const numeric::State& from, std::size_t iterations) const;

    /// Another start: displaced by `size` times a normal number in every direction that is free, turns by radians, slides and speeds by
    /// the model's scales and `spread` times more.
    numeric::State displaced(const numeric::State& from, double size, std::uint64_t seed, double spread = 1) const;

    /// The residual is small only because forces fade: Newton's next steps do not become shorter, as towards an equilibrium they would; or
    /// nothing is left of forces that vary at the start, in a whole neighbourhood, though an analytic function vanishes in none.
    bool recedes(const numeric::State& state) const;
    /// The coordinate that has gone furthest, in words.
    std::string recession(const numeric::State& state) const;

    /// What remains at a state, in words: the row that is furthest from zero.
    std::string complaint(const numeric::State& state) const;
    /// The multipliers that balance best, shortest.
    VectorXd multipliers(const numeric::State& state) const;

    struct Look {
        Balance::Values values;
        VectorXd lambda;
        VectorXd R;          ///< all rows, scaled: forces, ẋ, then what closes and holds
        MatrixXd J;          ///< by the unknowns that are free
        bool is_ok = false;  ///< finite
    };
    Look look(const numeric::State& state, bool with_derivatives) const;
    /// The state moved along the free unknowns.
    numeric::State moved(const numeric::State& from, const Balance::Values& at, const VectorXd& step) const;
    bool has_speeds() const { return with_speeds_; }
    const std::vector<bool>& is_moving() const { return is_moving_; }
    const ModelScale& scale() const { return scale_; }
    /// By the model's scales; with speeds where some are free.
    double distance(const numeric::State& a, const numeric::State& b) const;
    /// Which of `states` is nearest to `start`, which next, and so on. Of those equally near, or nearly, the one with less potential energy,
    /// then the one with larger coordinates: what differs by rounding alone decides nothing.
    std::vector<std::size_t> nearest_first(const numeric::State& start, std::span<const numeric::State> states) const;
    /// No other balance is beside it, to first order.
    bool is_isolated(const numeric::State& state) const;
    bool is_on_branch(const numeric::State& state) const;

    /// What is looked for: coordinates that are neither held nor ignorable, speeds that are not held; and whether that is all there is.
    std::vector<Eigen::Index> free_coordinates() const;
    const std::vector<Eigen::Index>& free_speeds() const { return free_u_; }
    const std::vector<Eigen::Index>& standing() const { return standing_; }
    bool has_more_unknowns() const { return nx_ > 0 || !options_.trimmed.empty() || !held_rows_.empty(); }

private:
    bool runs_away(const numeric::State& state) const;
    bool is_faded(const numeric::State& state) const;
    MatrixXd free_displacements(const MatrixXd& T) const;
    std::string complaint_about_derivatives(const numeric::State& state, const Look& l) const;  ///< empty where they are finite
    Found minimise(const numeric::State& from, bool only_closure, std::size_t iterations) const;
    void set_scales(const numeric::State& at);
    VectorXd closure_part(const VectorXd& R) const;
    void settle_auxiliary(numeric::State& state) const;

    const Balance& balance_;
    const EquilibriumOptions& options_;
    Eigen::Index n_, m_, nq_, nx_;
    bool with_speeds_ = false;
    std::vector<bool> is_moving_;
    std::vector<Eigen::Index> holonomic_, standing_;  ///< rows of φ; coordinates that must not move
    std::vector<Eigen::Index> held_q_, free_u_;
    std::vector<numeric::Wanted> held_values_, held_rows_;  ///< coordinates and speeds; expressions
    numeric::CompiledEquations::Function held_function_;
    std::vector<std::pair<Eigen::Index, Eigen::Index>> held_places_;  ///< of its derivatives by q, u
    ModelScale scale_;
    VectorXd stiffness_;  ///< how much the scaled forces change with each displacement by its scale, at the start
    VectorXd force_scale_, phi_scale_, rate_scale_, input_scale_;
    VectorXd xdot_scale_, x_scale_;  ///< of the rows ẋ = 0, and of x as unknowns
};

}  // namespace linkwright::linear
