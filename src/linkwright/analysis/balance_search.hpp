#pragma once
// Looking for a state that persists, from one start. Two ways, told apart in equilibrium.hpp: `descend` makes the residual smaller,
// `creep` lets the mechanism go where it is pushed.

#include <functional>

#include "linkwright/analysis/balance.hpp"
#include "linkwright/analysis/equilibrium.hpp"

namespace linkwright::analysis {

class BalanceSearch {
public:
    /// `start` says the time, inputs and speeds; what is held is put in by `prepare`.
    BalanceSearch(const Balance& balance, const EquilibriumOptions& options, const State& start);

    struct Found {
        State state;
        double residual = 0;  ///< largest, each row against its scale
        double merit = 0;     ///< sum of squares of the same
        bool is_ok = false;
    };
    /// With held values put in and loops closed near it; not ok when that cannot be.
    Found prepare(const State& from) const;
    /// Trust region on all rows, with λ eliminated as the best one for each state.
    Found descend(const State& from, std::size_t iterations) const;
    /// Without inertia, along the constraints: M η/τ = f, implicitly, with τ as long as the step may be. Static only.
    Found creep(const State& from, std::size_t iterations) const;

    /// Another start: displaced by `size` times a normal number in every direction that is free.
    State displaced(const State& from, double size, std::uint64_t seed) const;

    /// What remains at a state, in words: the row that is furthest from zero.
    std::string complaint(const State& state) const;
    /// The multipliers that balance best, shortest.
    VectorXd multipliers(const State& state) const;

    struct Look {
        Balance::Values values;
        VectorXd lambda;
        VectorXd R;           ///< all rows, scaled
        MatrixXd J;           ///< by the unknowns that are free
        bool is_ok = false;   ///< finite
    };
    Look look(const State& state, bool with_slopes) const;
    /// The state moved along the free unknowns.
    State moved(const State& from, const Balance::Values& at, const VectorXd& step) const;
    bool has_speeds() const { return with_speeds_; }
    const std::vector<bool>& is_moving() const { return is_moving_; }
    double distance(const State& a, const State& b) const;
    bool is_on_branch(const State& state) const;

private:
    MatrixXd free_displacements(const MatrixXd& T) const;
    Found minimise(const State& from, bool only_closure, std::size_t iterations) const;
    void set_scales(const State& at);
    VectorXd closure_part(const VectorXd& R) const;

    const Balance& balance_;
    const EquilibriumOptions& options_;
    Eigen::Index n_, m_, nq_;
    bool with_speeds_ = false;
    std::vector<bool> is_moving_;
    std::vector<Eigen::Index> holonomic_, standing_;     ///< rows of φ; coordinates that must not move
    std::vector<Eigen::Index> held_q_, free_u_;
    std::vector<Wanted> held_values_, held_rows_;        ///< coordinates and speeds; expressions
    Numbers::Function held_function_;
    std::vector<std::pair<Eigen::Index, Eigen::Index>> held_places_;  ///< of its derivatives by q, u
    VectorXd force_scale_, phi_scale_, rate_scale_, input_scale_;
};

}  // namespace linkwright::analysis
