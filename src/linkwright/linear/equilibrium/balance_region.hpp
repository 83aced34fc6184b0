#pragma once
// Every balance within a region of states, where the unknowns are few: the rows that must vanish are bounded on boxes and boxes are
// thrown away or divided until each balance has one of its own (solve/box_search).
//
// Constraints bring multipliers, and they are eliminated: f = Gᵀλ says that f depends linearly on the rows of G, so that for m speeds D
// and each other speed i the minor
//
//     det [ f_D  f_i ; G_D  G_i ] = 0
//
// vanishes. Every balance meets these rows and φ = 0; what else meets them (det G_D = 0, a dead centre) is sorted out by who looks at the
// state.

#include <optional>

#include "linkwright/linear/equilibrium/balance_search.hpp"
#include "linkwright/numeric/interval_function.hpp"
#include "linkwright/solve/box_search.hpp"

namespace linkwright::linear {

class BalanceRegion {
public:
    /// Whether the unknowns of a search are few enough: two freedoms, four coordinates and speeds.
    static bool is_within_reach(const Balance& balance, const BalanceSearch& way);
    /// The rows for that search; `near` is closed.
    BalanceRegion(const Balance& balance, const BalanceSearch& way, const numeric::State& near);

    struct Found {
        std::vector<numeric::State> states;  ///< in which the rows vanish
        /// Every balance within these ranges is near one of `states`; empty: that is not known of any range.
        std::vector<UnknownRange> within;
        bool is_cut = false;                   ///< these ranges are only part of what was to be looked through
        std::vector<numeric::State> clusters;  ///< places (among `states`) near which there may be more balances than one, or none
        bool is_whole() const { return !within.empty() && !is_cut; }
    };
    /// About `start`: angles that return in a whole turn, others in two either way; slides and rates in a thousand of their scales.
    Found everywhere(const BalanceSearch& way, const numeric::State& start, const GoesOn& goes_on) const;
    /// No further than `radius` from `start`, each unknown by its scale.
    Found nearby(const BalanceSearch& way, const numeric::State& start, double radius, const GoesOn& goes_on) const;

    /// A state within the ranges of `found`, whole turns aside: were it a balance, it would be among its states.
    bool covers(const Found& found, const numeric::State& state) const;

    /// The same unknowns: the rows serve again, whatever the parameters are.
    bool serves(const BalanceSearch& way) const;
    /// Coordinates that may be moved by whole turns and nothing changes.
    const std::vector<Eigen::Index>& periodic() const { return periodic_; }

private:
    std::vector<Expr> rows(const BalanceSearch& way, const numeric::State& near) const;
    void find_periodic(const std::vector<Expr>& rows);
    solve::Enclosure enclose(const numeric::State& start, const solve::Box& box, bool with_derivatives) const;
    Found search(const BalanceSearch& way, const numeric::State& start, const solve::Box& box, std::size_t budget,
                 const GoesOn& goes_on) const;

    const Balance& balance_;
    std::vector<Eigen::Index> q_, u_, free_u_;  ///< unknowns; speeds among them are those that no coordinate at rest stops
    std::vector<Eigen::Index> periodic_;
    std::size_t rows_ = 0;
    std::vector<std::pair<std::size_t, std::size_t>> places_;  ///< of the derivatives
    std::optional<numeric::IntervalFunction> values_, all_;    ///< rows; rows and their derivatives
};

}  // namespace linkwright::linear
