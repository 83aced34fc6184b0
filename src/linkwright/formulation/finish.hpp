#pragma once
// From a formulation's M and f to the finished equations: constraints, given motions, the user's speeds, energies, outputs.

#include <functional>

#include "linkwright/eom/equations.hpp"
#include "linkwright/eom/strands.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

/// M u̇ + Gᵀλ = f over all freedoms of the mechanism, given ones as if they were free.
struct FormulatedEquations {
    Matrix M{};  ///< symmetric; empty where `inertias` stand for it
    std::vector<Expr> f{};
    /// The diagonal of M, when only accelerations were asked for. f then has the accelerations of given freedoms in it, and those of
    /// `inverse` that belong to given freedoms are there.
    std::vector<Expr> inertias{};
    /// Of the free freedoms of a tree, those of given ones as symbols: u̇ = a. Entries of given freedoms mean nothing.
    /// Empty when the formulation does not solve for them, or there are constraints.
    std::vector<Expr> accelerations{};
    std::vector<Expr> inverse{};  ///< M u̇ − f of every freedom in the symbols u̇, or empty
    /// Where these expressions live, if not in the model's pool. A pool finds equal expressions again and keeps the one that
    /// was built first; so a formulation that cares for few operations builds alone, and what finish() adds comes after.
    std::shared_ptr<sym::Pool> pool{};
    /// Of a formulation whose speeds are not those of the joints: `freedoms` of the mechanism are its own speeds, none of them
    /// given, `defined` tells what the joints' speeds are in terms of them, and rows hold the bodies together.
    struct BodyCoordinates {
        std::vector<Expr> rates{};                      ///< velocity residual of each row of the system
        std::vector<Twist> accelerations{};             ///< spatial ones of the bodies, body axes, without gravity
        std::function<Wrench(std::size_t)> reaction{};  ///< of a joint of the tree, as Observables::reaction() has it
        std::vector<eom::Output> outputs{};             ///< more than the model asks for
        eom::Reduction reduction{};
    };
    std::optional<BodyCoordinates> maximal{};
    eom::Strands strands{};     ///< of what `accelerations` are made of, in `pool`
    bool has_armature = false;  ///< what drives in the joints add (armature.hpp) is in all of these already
};

/// A pool that knows the model's parameters, inputs, coordinates and speeds, in their order, and nothing else.
std::shared_ptr<sym::Pool> pool_with_symbols(const System& system);

enum class Axes : std::uint8_t { body, ground };

struct Options {
    bool partial_velocities = false;    ///< B and Ḃu as well
    Axes axes = Axes::body;             ///< of B and Ḃu
    bool shares = false;                ///< C, and f by cause
    bool all_frames = false;            ///< J of every output that is a position or an orientation
    std::vector<std::string> frames{};  ///< J of these: outputs, or points of bodies ("hand.tip")
    /// Of a tree u̇ = a is all that is asked for: M and M u̇ − f, of which M grows with the square of the bodies, may be left out.
    bool only_accelerations = false;
    bool sampled = false;  ///< filters with a period as a computer runs them (model::hold_samples): the model was made so

    auto operator<=>(const Options&) const = default;
};

struct Derived {
    std::optional<eom::EquationsOfMotion> equations;  ///< empty exactly when there is an error
    Diagnostics problems;
};

Derived finish(System& system, FormulatedEquations raw, std::string formulation, const Options& options);

}  // namespace linkwright::formulation
