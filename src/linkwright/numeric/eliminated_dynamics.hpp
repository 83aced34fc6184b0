#pragma once
// u̇ and λ of a closed chain by straight-line code (program/elimination.hpp) that is made while the mechanism moves: pivots are chosen at a state, serve while
// the state stays in their domain, and are chosen again when it has left it. A few choices are kept, since what turns comes back.
//
// Where no choice serves the caller solves the system in general (solve/descriptor.hpp) and offers what it has worked out for a new one. That takes as long as many
// evaluations, so it is not taken up at once, and later each time that it fails: near a singular position no pivots are good.

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/program/elimination.hpp"

namespace linkwright::numeric {

class EliminatedDynamics {
public:
    /// `system`: M (lower half), f, G and γ row by row, then whatever else is wanted, in terms of t, q, x, u, w and, where accelerations take part, u̇, λ.
    /// `rank` is that of G; pivots that find another are not used.
    EliminatedDynamics(const CompiledEquations& numbers, program::Program system, Eigen::Index rank,
                       program::EliminationOptions options = {});

    /// Solves at a state. False: it is in the domain of no choice. Takes no memory.
    bool solve(std::span<const double> in);
    auto udot() const { return out_.head(n_); }
    auto lambda() const { return out_.segment(n_, m_); }
    auto pivots() const { return out_.segment(n_ + m_ + 2, n_); }  ///< in the order of choice().pivots
    /// What is wanted besides; solutions for further right-hand sides, where there are some, are the last of it.
    auto others() const { return out_.tail(out_.size() - 2 * n_ - m_ - 2); }

    /// After the system was solved in general: its numbers there, as `system` gives them. True when pivots were chosen.
    bool offer(std::span<const double> numbers);
    /// Chooses at once.
    bool choose(std::span<const double> numbers);

    bool has_choice() const { return !choices_.empty(); }
    const program::Elimination& choice() const { return choices_[current_].elimination; }
    std::size_t place() const { return current_; }            ///< of that choice among those that are kept
    long choices = 0;                                         ///< how often pivots were chosen
    const VectorXd& row_sizes() const { return row_sizes_; }  ///< of each row of G its largest entry in all that was offered
    const std::string& why() const { return why_; }           ///< the last choice failed

private:
    struct Choice {
        program::Elimination elimination;
        CompiledEquations::Function run;
    };
    bool is_within() const;
    void measure(std::span<const double> numbers);

    const CompiledEquations& numbers_;
    program::Program system_;
    Eigen::Index n_, m_, rank_;
    program::EliminationOptions options_;
    std::vector<Choice> choices_;
    std::size_t current_ = 0;
    long patience_, wait_;  ///< so many offers pass before one is taken up
    VectorXd out_;
    std::vector<double> sizes_;  ///< the largest that entries of G have been
    VectorXd row_sizes_;
    std::string why_;
};

}  // namespace linkwright::numeric
