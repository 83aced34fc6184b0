#pragma once
// Different equilibria, as they are found one after the other.
//
// Two are the same when all bodies stand alike and move alike: angles may differ by whole turns, coordinates on which nothing depends by
// anything. Of a continuum one is listed: where the balance is singular, and between two of the same energy there is a third.

#include "linkwright/linear/equilibrium/balance_search.hpp"

namespace linkwright::linear {

class EquilibriumCollection {
public:
    /// `pose` gives the attitude (nine numbers) and place of each body. All must outlive it.
    EquilibriumCollection(const Balance& balance, const numeric::CompiledEquations::Function& pose, const BalanceSearch& way,
                          const numeric::State& start)
        : balance_(balance), pose_(pose), way_(way), start_(start) {}

    /// Of two that are the same, the nearer stays. What is not ok is not taken.
    void add(Equilibrium next);
    bool is_empty() const { return list_.empty(); }
    /// The nearest first.
    std::vector<Equilibrium> sorted() const;

private:
    VectorXd picture(const Equilibrium& x) const;
    bool are_connected(const Equilibrium& a, const Equilibrium& b) const;
    numeric::State beside(const Equilibrium& a, const Equilibrium& b) const;
    double potential(const numeric::State& s) const { return balance_.numbers().invariants(s)[1]; }

    const Balance& balance_;
    const numeric::CompiledEquations::Function& pose_;
    const BalanceSearch& way_;
    const numeric::State& start_;
    std::vector<Equilibrium> list_;
    bool has_family_ = false;
};

}  // namespace linkwright::linear
