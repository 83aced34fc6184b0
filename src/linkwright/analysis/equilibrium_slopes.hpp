#pragma once
// How operating points move with parameters: the implicit function theorem on the rows of balance.hpp, and on those that close a state.
//
// The derivatives of these rows are compiled once and kept, so that they serve at every step of a walk with live parameters.

#include "linkwright/analysis/balance.hpp"
#include "linkwright/analysis/equilibrium.hpp"

namespace linkwright::analysis {

/// Threads may share one. `numbers` must outlive it.
class PointSlopes {
public:
    explicit PointSlopes(const Numbers& numbers);
    ~PointSlopes();
    PointSlopes(const PointSlopes&) = delete;
    PointSlopes& operator=(const PointSlopes&) = delete;

    Slopes of_equilibrium(const Balance& balance, const Equilibrium& at, const EquilibriumOptions& options, std::span<const std::size_t> parameters) const;
    /// As initial_slopes and given_slopes say.
    Slopes of_initial(const OperatingPoint& at, std::span<const std::size_t> parameters) const;
    Slopes of_given(const OperatingPoint& at, std::span<const std::size_t> parameters) const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace linkwright::analysis
