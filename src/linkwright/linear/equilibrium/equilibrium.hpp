#pragma once
// States that persist: rest, and steady motion with given constant speeds.
//
//     f(q, u, w, t) = Gᵀλ        no acceleration
//     φ(q, t) = 0,  G u + φ_t = 0
//     q̇_j = 0                    for every coordinate that is not free to move
//
// At rest u = 0 follows. In steady motion some speeds are given (a governor's spindle, a satellite's spin, a bicycle's wheel)
// and the coordinates they carry along move, as do all on which nothing depends. What depends on time explicitly is frozen at the
// time of the start.
//
// "Nearest" is meant, by the scales of the model (model_scale.hpp). From the start the residual is followed downhill; where that leads
// nowhere, or far away, the mechanism relaxes from the start without inertia (overdamped), as in honey, until it hangs; and the nearer of
// the two is taken. With one or two freedoms everything nearer than that is then looked through (balance_region.hpp), and what is found
// there taken instead: so none is nearer, or a note says that the search ended before that was shown. Of several that are equally near the
// one of least potential energy is taken. A pendulum left at 30° hangs in the end, one put upside down stays, and is called unstable.

#include <span>

#include "linkwright/base/goes_on.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/operating_point.hpp"

namespace linkwright::linear {

using Eigen::VectorXd;
using sym::Expr;

struct EquilibriumOptions {
    /// Values kept exactly: coordinates, or in steady motion speeds.
    std::vector<numeric::Wanted> held;
    /// The same values as expressions in parameters, where they are: so they follow when parameters change. Empty: numbers.
    std::vector<Expr> held_values;
    /// Speeds may differ from zero: those held, and what follows from them.
    bool is_steady = false;
    /// Coordinates that may go on moving, as indices of q, beside those on which nothing depends.
    std::vector<std::size_t> moving;
    /// Inputs that are looked for too, as indices: what must push so that the held state persists.
    std::vector<std::size_t> trimmed;
    std::size_t starts = 1;  ///< the given one and further ones, always the same
    std::uint64_t seed = 1;
    std::size_t iterations = 200;
    bool with_stability = true;  ///< false: no linear model is made, the verdict stays empty
    GoesOn goes_on{};            ///< asked at every iteration, told the starts that are done; stopped: not ok, or those found so far
};

enum class Stability : std::uint8_t {
    asymptotically_stable,  ///< every pole in the left half plane
    stable,                 ///< oscillates and stays: poles on the imaginary axis, the potential energy a minimum
    neutral,                ///< a pole at zero, and none grows: it may be moved without resistance, or to first order at least
    marginal,               ///< poles on the imaginary axis, and no energy that would decide: not decided to first order
    unstable,
    undecided,  ///< neither the energy nor the linear model says: time stands in the equations, or there is no linear model
};
/// What a verdict rests on: the energy never grows and has a minimum (Lagrange, Dirichlet); the linear model (Lyapunov); or neither, which
/// is then said.
enum class RestsOn : std::uint8_t { neither, first_order, energy };
std::string to_string(RestsOn basis);
/// "asymptotically stable", "stable", …
std::string to_string(Stability stability);

struct Equilibrium {
    numeric::OperatingPoint point;
    double residual = 0;  ///< largest of what ought to be zero, against the size of its terms
    double distance = 0;  ///< from the start, closed, by the scales of the model
    Stability stability = Stability::neutral;
    RestsOn rests_on = RestsOn::neither;
    std::string verdict;              ///< stability in one sentence, with the pole that decides
    Eigen::VectorXcd poles;           ///< of the linear model on independent coordinates, the rightmost first
    std::vector<std::size_t> moving;  ///< coordinates that go on moving, as indices of q: none at rest
    std::vector<std::string> notes;
    bool is_ok = true;
    std::string why;  ///< no equilibrium was found: how close it came, and what pushes there
};

/// The equilibrium nearest to `start`, which need not be closed.
Equilibrium find_equilibrium(const numeric::CompiledEquations& numbers, const numeric::State& start, const EquilibriumOptions& options);

/// Between which values an unknown was looked for.
struct UnknownRange {
    std::string name;
    double lower = 0, upper = 0;
    bool is_turn = false;  ///< a whole one, after which all is as before
};

struct EquilibriumList {
    std::vector<Equilibrium> found;  ///< the nearest first; one that is not ok when there is none
    /// Every equilibrium within these ranges is in the list: that was shown. Empty: it was not.
    std::vector<UnknownRange> within;
    std::size_t starts = 1;     ///< that were tried; none where all was looked through
    bool has_clusters = false;  ///< but for equilibria that are not simple: there may be others too near to tell apart
    std::string words;          ///< the same in one sentence
    std::string metric;         ///< how distances are measured: "turns in radians, lengths in units of 0.5 m"

    bool is_complete() const { return !within.empty() && !has_clusters; }  ///< within the ranges
};

/// With one or two freedoms every equilibrium within ranges that the result states, where boxes of states can be decided; otherwise
/// all that `options.starts` starts lead to. Different ones only: angles that differ by whole turns are the same, and so are places of
/// coordinates on which nothing depends.
EquilibriumList find_equilibria(const numeric::CompiledEquations& numbers, const numeric::State& start, const EquilibriumOptions& options);

/// How an equilibrium moves with parameters (indices of equations().parameters), by the implicit function theorem; derived
/// parameters follow. Where it is not isolated, the shortest of many derivatives. Not ok when the equilibrium ends there (a fold).
struct PointDerivatives {
    std::vector<numeric::PointDerivative> by;  ///< one for each parameter
    bool is_ok = true;
    std::string why;
};
PointDerivatives equilibrium_sensitivity(const numeric::CompiledEquations& numbers, const Equilibrium& at,
                                         const EquilibriumOptions& options, std::span<const std::size_t> parameters);

/// The same for the initial state: held values are functions of parameters, closing does the rest.
PointDerivatives initial_sensitivity(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at,
                                     std::span<const std::size_t> parameters);

/// And of a state that was given as numbers: it moves as little as the loops make it.
PointDerivatives given_sensitivity(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at,
                                   std::span<const std::size_t> parameters);

/// The same again and again, as along a sweep of live parameters: what has to be compiled is compiled once. `numbers` must outlive it.
class Equilibria {
public:
    explicit Equilibria(const numeric::CompiledEquations& numbers);
    ~Equilibria();
    Equilibria(const Equilibria&) = delete;
    Equilibria& operator=(const Equilibria&) = delete;

    Equilibrium nearest(const numeric::State& start, const EquilibriumOptions& options) const;
    EquilibriumList all(const numeric::State& start, const EquilibriumOptions& options) const;
    PointDerivatives derivatives(const Equilibrium& at, const EquilibriumOptions& options, std::span<const std::size_t> parameters) const;
    /// Coordinates on which nothing depends, as indices of q: they may move and no force notices.
    const std::vector<std::size_t>& ignorable() const;
    /// Time stands in the equations: what persists at one time need not at another.
    bool has_time() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace linkwright::linear
