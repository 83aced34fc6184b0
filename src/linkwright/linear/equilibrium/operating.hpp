#pragma once
// Which operating point is meant, in words that survive a change of parameters: the equilibrium near some state, the initial
// state, or a state that was given. So a sweep finds its point again at every value, and stays on its branch.

#include "linkwright/linear/equilibrium/equilibrium.hpp"

namespace linkwright::linear {

using Eigen::VectorXd;

class PointSensitivity;

struct Operating {
    enum class At : std::uint8_t { equilibrium, initial, given };
    At at = At::equilibrium;
    numeric::State start;        ///< near the equilibrium, or the given state
    EquilibriumOptions options;  ///< of an equilibrium
};

class OperatingPoints {
public:
    /// `numbers` must outlive it.
    OperatingPoints(const numeric::CompiledEquations& numbers, Operating what)
        : numbers_(numbers),
          what_(std::move(what)),
          equilibria_(numbers),
          has_own_inputs_(what_.start.w == numbers.input_values(what_.start.t)) {}

    const Operating& what() const { return what_; }
    /// With the parameters as they are now: near `previous`, or from the beginning without one. Not ok: `why`.
    numeric::OperatingPoint find(const numeric::OperatingPoint* previous = nullptr) const;
    /// The equilibrium last found, when it is one.
    const std::optional<Equilibrium>& equilibrium() const { return last_; }
    /// How the point last found moves with parameters; a given state does as little as loops allow.
    PointDerivatives derivatives(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters) const;

private:
    const numeric::Closing& closing() const;

    const numeric::CompiledEquations& numbers_;
    Operating what_;
    Equilibria equilibria_;
    bool has_own_inputs_;  ///< those of the model, which may depend on parameters
    mutable std::unique_ptr<numeric::Closing> closing_;
    mutable std::shared_ptr<PointSensitivity> derivatives_;
    mutable std::optional<Equilibrium> last_;
};

}  // namespace linkwright::linear
