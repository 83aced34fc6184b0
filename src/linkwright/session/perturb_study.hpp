#pragma once
// Everything perturb has found out about one mechanism, before it is written down.

#include <optional>
#include <string>
#include <vector>

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/perturb/expansion.hpp"
#include "linkwright/perturb/modulation.hpp"
#include "linkwright/sym/rational.hpp"

namespace linkwright::session {

/// The forms with numbers, or those with expressions.
template <class Real>
struct Forms {
    perturb::ModalForm<Real> modal;
    perturb::MultipleScales<Real> scales;
    perturb::PolarForm<Real> polar;
};

struct Study {
    std::string name;                      ///< of the model
    std::vector<std::string> parameters;   ///< names that the model uses itself
    std::vector<std::string> coordinates;  ///< of q
    numeric::OperatingPoint at;
    std::vector<std::string> notes;   ///< of the way to the equilibrium and of the expansion
    std::shared_ptr<sym::Pool> pool;  ///< of the expressions
    Forms<double> numbers;
    std::optional<Forms<sym::Expr>> formulas;  ///< where there are any
    std::vector<perturb::Backbone> backbones;
    std::vector<perturb::SteadyState> steady;
};

/// A real function as a sum of waves: coefficient · Π a_j^p_j · cos or sin of Σ phases_j φ_j + harmonic Ω t.
template <class Real>
struct Wave {
    Real cosine{0}, sine{0};
    std::vector<std::uint8_t> powers;  ///< of a
    std::vector<int> phases;           ///< of φ = ω t + β
    int harmonic = 0;
    unsigned order = 0;
};

/// A sum of harmonic terms that is real, with A = ½ a e^{iφ}.
template <class Real>
std::vector<Wave<Real>> waves(const std::vector<perturb::HarmonicTerm<Real>>& terms);

/// A coordinate: its shape with the solution of every mode put in, up to the order of that solution.
template <class Real>
std::vector<perturb::HarmonicTerm<Real>> composed(const std::vector<perturb::ShapeTerm<Real>>& shape,
                                                  const std::vector<std::vector<perturb::HarmonicTerm<Real>>>& solution);

/// A slow angle: Σ phases_j (ω_j t + β_j) + harmonic Ω t. By the resonances it is Σ phases_j β_j + Σ detunings_r σ_r t.
struct SlowAngle {
    std::vector<int> phases;
    int harmonic = 0;
    std::vector<sym::Rational> detunings;  ///< of each resonance; empty: they do not make it up
};
/// As few as the angles of a polar form are whole multiples and sums of: those of resonances, and others where that does not do.
class SlowAngles {
public:
    SlowAngles() = default;
    template <class Real>
    SlowAngles(const perturb::PolarForm<Real>& polar, const std::vector<perturb::Resonance>& resonances);

    const std::vector<SlowAngle>& list() const { return list_; }
    /// How often each of the list is in it; all zero: no angle at all.
    std::vector<int> multiples(const std::vector<int>& phases, int harmonic) const;

private:
    std::vector<SlowAngle> list_;
    std::vector<std::size_t> of_resonance_;  ///< those at the head of the list: which resonance
    std::vector<std::vector<int>> rows_;     ///< of the resonances that act, with h last; zeros for others
};

bool is_nothing(double x);
bool is_nothing(const sym::Expr& x);

}  // namespace linkwright::session
