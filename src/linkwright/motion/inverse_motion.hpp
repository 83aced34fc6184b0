#pragma once
// The workbench of inverse(): where the motion is, the rows that it must fulfil there, what pushes. Internal to the room; inverse.hpp is the door.

#include <array>
#include <limits>

#include "linkwright/motion/actuation.hpp"
#include "linkwright/motion/inverse.hpp"
#include "linkwright/motion/least_energy.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/jacobian_function.hpp"
#include "linkwright/solve/rank.hpp"
#include "linkwright/solve/row_lengths.hpp"

namespace linkwright::motion {

using Index = Eigen::Index;

inline Index length(const auto& list) { return static_cast<Index>(list.size()); }

/// How speeds and accelerations are found.
enum class Rule : std::uint8_t {
    path,         ///< the path decides them all
    energy,       ///< freedoms are open: of all speeds those of least kinetic energy
    own_dynamics  ///< and nothing pushes some of these: they move by their own equations
};

class InverseMotion {
public:
    InverseMotion(const numeric::CompiledEquations& numbers, const numeric::State& start, const Prescription& prescription,
                  const InverseOptions& options)
        : numbers_(numbers),
          e_(numbers.equations()),
          state_(start),
          prescription_(prescription),
          options_(options),
          closing_(numbers, followed(prescription)) {
        for (const std::size_t i : prescription.coordinates) held_.push_back(i);
        if (state_.x.size() != length(e_.x)) state_.x.setZero(length(e_.x));
    }

    Forces run() &&;

private:
    static std::vector<numeric::Wanted> followed(const Prescription& prescription);
    std::string name_of_prescribed(Index i) const;
    bool is_solved_for() const { return !e_.constraints.empty() || !prescription_.outputs.empty(); }
    bool is_integrated() const { return rule_ != Rule::path || !e_.x.empty(); }

    bool fail(double t, const std::string& why, bool is_wrong_input = false);
    bool refuse(std::string why);

    bool set_up();

    bool choose_what_pushes();

    VectorXd packed() const { return numeric::arguments(numbers_.layout(), state_); }

    /// Where the motion begins, how much of it is open, and what that follows from.
    bool begin(double t);

    void tell_open(Index unpushed);
    static MatrixXd scaled(const MatrixXd& rows) { return solve::row_scale(rows).asDiagonal() * rows; }

    /// Row after row, each position from the one before.
    void walk();

    bool add_row(double t);

    // Along a differential equation.
    //
    // What the path leaves open, and states that are carried along, are integrated: z = q, then u where speeds are free, then these states. After
    // every step positions go back to the path and to the constraints, speeds likewise.

    bool has_speeds() const { return rule_ == Rule::own_dynamics; }
    VectorXd gathered() const;
    void spread(const VectorXd& z);
    /// ż, once everything is known at a place.
    VectorXd flow() const;
    /// Everything at a place, as far as the levels of what pushes up to this one.
    bool at(double t, const VectorXd& z, std::size_t level);

    bool rate(double t, const VectorXd& z, VectorXd& out);
    /// What failed on trial is no end of the motion.
    bool forgive();
    bool settle(double t, const VectorXd& z);

    void integrate();
    std::size_t last_level() const { return actuation_.levels().empty() ? 0 : actuation_.levels().size() - 1; }

    // Positions (inverse_position.cpp).

    /// To the position at time t, in steps short enough to stay on the branch where the mechanism is: a loop can often be closed
    /// in more than one way.
    bool position(double t);

    /// No step is short enough to go on from here.
    bool end_of_the_way(double t, const std::string& out_of_reach);

    /// Where outputs are prescribed the start may be far from there: the way to it is gone in steps.
    bool first_position(double t);

    /// At time t; or `part` of the way there from `start`.
    bool position_at(double t, const numeric::State* start = nullptr, double part = 1) { return prescribe(t, start, part) && close(t); }

    /// What is wanted at time t; coordinates that are prescribed are there at once.
    bool prescribe(double t, const numeric::State* start = nullptr, double part = 1);

    /// The nearest position that fulfils the constraints and meets what is prescribed.
    bool close(double t);

    /// e/|e| and its derivatives instead of e: a curve through samples leaves the sphere between them.
    void put_on_sphere(const std::array<std::size_t, 4>& group);

    // Speeds and accelerations (inverse_speeds.cpp).

    /// How far small errors of positions are magnified: the largest over the least singular value of the rows that count. A row of an output is
    /// measured by the longest that it and the other components of its point have been, since one that vanishes is a singular position too; columns
    /// by their length, since units are a matter of taste.
    double calc_condition(MatrixXd A, VectorXd scale);

    /// Is a position too near a singular one? Where outputs are prescribed, y(q) = y₀ is met to δ, a few units in the last place. With the condition
    /// κ of its rows q is then right to κδ, the rows themselves likewise, and speeds, which κ magnifies once more, to κ²δ. That is to be
    /// within the tolerance. Where coordinates are prescribed they are there exactly, and nothing is magnified.
    bool is_singular(double t, const MatrixXd& A, const VectorXd& scale);

    /// The rank of the rows at this position, or at others close by when it is larger there.
    Index calc_generic_rank(Index here);

    /// [N; G] x = [a; b], prescribed rows and constraints together; where these leave x open, the one of least ½ xᵀM x + hᵀx.
    bool solve_rows(double t, const VectorXd& a, const VectorXd& b, const VectorXd& h, VectorXd& x, const char* what);

    /// Where the constraints lose rank a prescribed motion does not decide how the others follow. Near such a place the smallest
    /// singular value is nothing beside what it is elsewhere; a start there shows when it grows.
    bool has_rank(double t);

    /// Rows of constraints that are only rounding hold nothing.
    void find_dynamics();

    /// Those that the rule asks for. Where the motion has speeds of its own, they stay.
    bool speeds(double t);

    /// The speeds nearest to those that the state has, measured by ½ uᵀM u, that follow the path.
    bool fit_speeds(double t);

    bool accelerations(double t);

    /// Where nothing pushes, Pᵀ(M u̇ − f) = 0, P a basis of the motions along which neither inputs nor constraints act; beside the rows of the path.
    bool own_accelerations(double t);

    // Forces (inverse_forces.cpp).

    /// What pushes, level by level, and the multipliers.
    bool forces(double t, std::size_t level);
    bool forces(double t) { return forces(t, last_level()); }

    bool level_zero(double t);

    /// The states that the level before wants must change as they do along the motion: B p = ẋ − g at p = 0.
    bool next_level(double t, std::size_t k);

    /// d/dt of the states of the level before, along the motion, by differences of five places. The step is halved until two results agree as well as they will.
    bool rates_of_states(double t, std::size_t k, VectorXd& rate);

    /// All that is known at one place.
    struct Moment {
        numeric::State state, driven;
        VectorXd q, qdot, qddot, udot, push, lambda, mu;
        MatrixXd A, N;
        numeric::Dynamics dynamics;
        void put_back(InverseMotion& i) const {
            i.state_ = state, i.driven_ = driven, i.q_ = q, i.qdot_ = qdot, i.qddot_ = qddot, i.udot_ = udot, i.push_ = push;
            i.lambda_ = lambda, i.mu_ = mu, i.A_ = A, i.N_now_ = N, i.dynamics_ = dynamics;
        }
    };

    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    numeric::State state_;   ///< what pushes counts as 0 here
    numeric::State driven_;  ///< the same with what pushes
    const Prescription& prescription_;
    const InverseOptions& options_;
    numeric::Closing closing_;
    Actuation actuation_;
    MetricRates metric_rates_;
    Rule rule_ = Rule::path;
    std::vector<Index> held_;
    std::vector<Expr> qdot_rows_;  ///< rates of what is prescribed
    numeric::JacobianFunction N_;
    numeric::CompiledEquations::Function values_, rates_, coasting_;
    VectorXd q_, qdot_, qddot_, udot_, push_, lambda_, mu_;
    MatrixXd N_now_, A_;
    numeric::Dynamics dynamics_;
    static constexpr Index most_iterations = 6;  ///< Newton's method from a good guess needs three or four
    Index iterations_ = 0, rank_ = -1;
    Index open_ = -1;  ///< degrees of freedom that the path leaves open; −1: not yet known
    Index held_by_inputs_ = 0,
          own_rank_ = -1;  ///< where freedoms are open: of what pushes; of the rows with the equations where nothing does
    solve::RowLengths lengths_;
    VectorXd first_lengths_, longest_;
    double least_independence_ = std::numeric_limits<double>::infinity(), most_independence_ = 0;
    bool is_overactuated_ = false, is_redundant_ = false;
    std::string why_;  ///< of the last failure, without its time
    Forces result_;
};

}  // namespace linkwright::motion
