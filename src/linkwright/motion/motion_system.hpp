#pragma once
// A mechanism as its integrators see it: where is it going from here, and how far has it strayed? Numbers in one row of
// memory, no allocation while it moves.

#include "linkwright/motion/simulate.hpp"
#include "linkwright/numeric/eliminated_dynamics.hpp"
#include "linkwright/numeric/jacobian_function.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

/// Rates, multipliers, power; residuals and the way back onto the constraints. Not to be shared between threads.
///
/// Auxiliary states x stand after the coordinates and move as they do: where this class and its readers say q they mean q, x, unless
/// constraints are meant.
class MotionSystem {
public:
    MotionSystem(const numeric::CompiledEquations& numbers, const numeric::State& start, const SimulateOptions& options);

    Eigen::Index coordinates() const { return nq_; }  ///< with the auxiliary states
    Eigen::Index speeds() const { return n_; }
    Eigen::Index rows() const { return m_; }
    bool has_power() const { return has_power_; }        ///< something feeds energy in or takes it out
    bool follows_time() const { return follows_time_; }  ///< t occurs in the equations, or moves the inputs
    /// There is something that `project` might have to put right.
    bool must_project() const {
        return (m_ > 0 && (options_.keep == ConstraintStabilization::projection || options_.integrator == Integrator::ida)) ||
               !e_.quaternions.empty();
    }
    const numeric::CompiledEquations& numbers() const { return numbers_; }

    /// Where to look next. Inputs follow from t.
    void put(double t, const double* q, const double* u);
    void put(const numeric::State& state);
    const double* q() const { return in_.data() + at_.q(); }
    const double* u() const { return in_.data() + at_.u(); }
    numeric::State state() const;

    /// q̇, u̇, λ and the power there. False: they cannot be had, and `refusal()` says why.
    bool calc_rates();
    const VectorXd& qdot() const { return qdot_; }
    const VectorXd& udot() const { return udot_; }
    const VectorXd& lambda() const { return lambda_; }
    double power() const { return power_; }
    /// Rates there that come from elsewhere: a singular position has none of its own.
    void put_rates(const VectorXd& udot, const VectorXd& lambda);
    long evaluations = 0;
    long eliminations = 0;  ///< those of them that straight-line code has done
    long pivot_choices() const { return eliminated_ ? eliminated_->choices : 0; }

    /// M, f, G, γ there (of a tree only when asked here).
    bool calc_dynamics();
    const numeric::Dynamics& dynamics() const { return d_; }
    VectorXd calc_inertias() const;  ///< the diagonal of M there, of a loop at the last dynamics; of a tree compiled for this one look
    /// How far the rows of G are from losing their rank: last over first pivot, both scaled. 1 for a tree.
    double calc_independence();
    double independence();                                           ///< at the last rates
    Eigen::Index rank() const { return rank_; }                      ///< of G, decided at the start
    Eigen::Index holonomic_rank() const { return holonomic_rank_; }  ///< of its holonomic rows
    /// Of ∂φ/∂q on the motions of q: rows that hold speeds while φ is 0 by construction do not count.
    Eigen::Index position_rank() const { return position_rank_; }
    /// Rows that the others imply at the start, among those that have speeds in them at all, of which there are loaded_rows().
    const std::vector<Eigen::Index>& redundant() const { return redundant_; }
    Eigen::Index loaded_rows() const { return loaded_; }
    /// Names of the rows that come closest to losing their rank, at the last dynamics: "loop.x and loop.z".
    std::string weakest_rows() const;
    std::string names_of(const std::vector<Eigen::Index>& rows, std::size_t most = 4) const;
    const std::vector<Eigen::Index>& holonomic() const { return holonomic_; }
    /// For right-hand sides of one's own, at the last dynamics.
    solve::DescriptorFactor& factor() { return catch_up(), factor_; }
    std::span<const double> in(bool with_accelerations = false) const;  ///< t, q, x, u, w (and u̇, λ of the last rates) in a row

    /// Why the last rates, or the last projection, could not be had: "the rate of hip' is not finite".
    const std::string& failure() const { return failure_; }
    double refused_at() const { return refused_at_; }
    void set_failure(std::string why, double at) { failure_ = std::move(why), refused_at_ = at; }
    const std::string& note() const { return factor_.note(); }

    /// φ of holonomic rows (0 of others) and the rates of all rows there.
    void calc_residuals();
    const VectorXd& phi() const { return phi_; }
    const VectorXd& phi_rate() const { return phi_rate_; }

    /// Redundant rows may ask for different things, and a solution then averages them. At the last rates: one sentence with the
    /// row that is furthest off, or nothing. Also where rows turn out to be redundant at the start only. Unless something keeps
    /// the state on the constraints, the nearest place on them is looked at.
    std::string find_contradiction(bool is_kept);

    /// The nearest place on the constraints, in the metric of the mass matrix: q ← q + N Δ with G Δ = −φ, u likewise.
    /// Unit quaternions are made so; where the constraints are kept in another way, that is all, unless told to do it `anyway`.
    /// What moved is in q() and u().
    enum class Projection : std::uint8_t { kept, moved, failed };
    Projection project(bool anyway = false);

    bool refuse(std::string why);

private:
    bool factor_here(solve::DescriptorFactor& factor, const MatrixXd& G, Eigen::Index rank);
    bool is_factored_near() const;
    bool eliminate();
    void catch_up();
    bool close(const VectorXd& gap);
    void measure_rows();
    bool project_positions(bool& moved);
    bool project_speeds(bool& moved);
    std::string what_is_not_finite() const;
    std::string contradiction(Eigen::Index row, double off, const char* of);
    std::string began_singular(Eigen::Index here) const;
    Eigen::Index calc_rank(double tolerance) const;  ///< at the last dynamics, rows measured by their lengths at the start
    bool normalise();
    auto q_part() { return in_.segment(at_.q(), nq_); }
    auto u_part() { return in_.segment(at_.u(), n_); }

    const numeric::CompiledEquations& numbers_;
    const eom::EquationsOfMotion& e_;
    const SimulateOptions& options_;
    numeric::Layout at_;
    Eigen::Index nq_, n_, m_, nw_;
    bool has_power_, is_tree_, follows_time_ = false;
    VectorXd in_;  ///< t, q, x, u, w, u̇, λ
    VectorXd out_, w_, qdot_, udot_, lambda_, phi_, phi_rate_, residuals_out_;
    numeric::Dynamics d_;
    double power_ = 0, independence_ = 1;
    std::string failure_;
    double refused_at_ = 0;
    numeric::CompiledEquations::Function rates_, inputs_, power_function_, residuals_;
    numeric::JacobianFunction coordinate_jacobian_;  ///< N: of q alone
    MatrixXd N_;
    VectorXd n_out_;
    bool inputs_move_ = false;
    solve::DescriptorFactor factor_, holonomic_factor_;
    VectorXd factored_at_;  ///< t, q where factor_ was made; empty when it failed
    std::unique_ptr<numeric::EliminatedDynamics> eliminated_, closing_;
    bool is_behind_ = false;     ///< the last rates were had without d_ and factor_
    bool has_dynamics_ = false;  ///< d_ is of the last look around
    VectorXd anchor_;            ///< pivots of the elimination where its independence was worked out last
    double anchor_independence_ = 1;
    std::size_t anchor_choice_ = 0;  ///< whose pivots they are
    MatrixXd G_holonomic_;
    VectorXd step_, zero_, g_, unused_, row_size_, start_scales_;
    double negligible_ = 1e-12;
    Eigen::Index rank_ = 0, holonomic_rank_ = 0, position_rank_ = 0, loaded_ = 0;
    std::vector<Eigen::Index> holonomic_, redundant_;
};

}  // namespace linkwright::motion
