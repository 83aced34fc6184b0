#pragma once
// What a backend prints: the equations as a handful of named functions, each a straight-line program with named arguments
// and results, and the few things around them that are not straight-line (linear solves), which a backend writes as kernels
// in its own language. Nothing in here knows a language.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/base/crossing.hpp"
#include "linkwright/base/sample_method.hpp"
#include "linkwright/eom/acceleration_derivatives.hpp"
#include "linkwright/eom/substructures.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/program.hpp"

namespace linkwright::codegen {

/// One number of an argument or result, as the model names it.
struct Entry {
    std::string name;       ///< "hip", "hip'", "base.e0"
    std::string unit;       ///< SI; may be empty
    std::string about;      ///< may be empty
    double value = 0;       ///< when nothing else is said; of coordinates and speeds: at the start
    std::string formula{};  ///< "0.3*sin(3*t)": where the value comes from, when it is more than a number; may be empty
    bool is_held = false;   ///< of coordinates and speeds, with Extras::signals: [initial] gives it, closing loops leaves it alone
};

/// Something that is to be noticed: an expression that crosses zero.
struct EventEntry {
    std::string name;
    Crossing direction = Crossing::both;
    bool stops = false;
};

/// A filter that a computer runs, in the order of `sampling`'s numbers: period, D, B, A row by row, its input.
struct SampledEntry {
    std::string name;
    SampleMethod method = SampleMethod::hold;
    std::vector<std::size_t> x;  ///< places of its states among u, in which auxiliary states stand after the speeds
    std::size_t held = 0;        ///< and of what it puts out
};

/// A vector that goes in; `t` is a scalar.
struct Argument {
    std::string name;   ///< t q u w p c udot lambda
    std::string about;  ///< "coordinates"
    bool is_scalar = false;
    std::vector<Entry> entries;
};

/// An array that comes out, rows × columns; a vector has one column, a scalar one of each. Entries that are identically zero
/// are not computed: `at` lists the others by row·columns + column, in the order of the program's outputs, and a symmetric
/// matrix is computed below its diagonal only, then mirrored.
struct Result {
    std::string name;  ///< M f G gamma qdot udot …
    std::string about;
    std::size_t rows = 1, columns = 1;
    bool is_scalar = false;
    bool is_symmetric = false;
    bool is_matrix = false;  ///< also with one column
    std::vector<std::size_t> at;
};

/// One function of straight-line code. The program's inputs are the entries of the arguments in order; its outputs those of
/// the results in order.
struct Function {
    std::string name;                    ///< without the model's name in front
    std::string about;                   ///< one sentence
    std::vector<std::size_t> arguments;  ///< indices into Package::arguments
    std::vector<Result> results;
    program::Program program;
    program::Operations operations;
    bool is_called = true;  ///< of a routine: by some function, directly or not; nobody need print the others
};

/// Which speeds the constraints give, by which rows, in the order of the elimination (program/elimination.hpp); the others are independent. Where it holds:
/// each pivot keeps `least` of its size, and growth stays below program::Elimination::most_growth.
struct PivotChoice {
    struct Pair {
        std::string speed, row;
        double value = 0, least = 0;  ///< of the pivot, where the mechanism starts
    };
    std::vector<Pair> pairs;
    std::vector<std::string> independent;
};

/// Everything about a model that code needs.
///
/// Functions, in this order; those without results are absent, and so are results without entries (r_w of a model without
/// inputs, s_q of a tree):
///
///     setup          p → c                    what depends on parameters only, worked out once; the others take c, never p
///     input_values   t c → w                  when some input follows time or parameters: what it is when nothing else drives it
///     rates          t q u c → qdot
///     dynamics       t q u w c → M f G gamma  G and gamma only with constraints
///     elimination    t q u w c → udot lambda weakest growth  of closed chains, where put in (codegen/elimination.hpp)
///     accelerations  t q u w c → udot         straight-line, for trees only
///     acceleration_derivatives t q u w c → udot udot_q udot_u udot_w mobility     on request (Extras), of trees: ∂u̇/∂q …, M⁻¹
///     rate_jacobians t q u c → qdot_q qdot_u  ∂q̇/∂q, ∂q̇/∂u
///     jacobians      t q u w udot lambda c → r_q r_u r_w s_q s_u s_w
///                                             of r = M u̇ + Gᵀλ − f and s = G u̇ − γ at fixed u̇, λ
///     inverse        t q u w udot lambda c → r     of trees and chains: the forces missing for this u̇
///     energy         t q u c → T V (scalars)
///     momentum       t q u c → linear angular
///     residuals      t q u c → phi rate       of constraints
///     outputs        t q u w udot lambda c → y
///     velocity_matrix t q u w c → coriolis    these four where the equations have them (eom: C, shares, jacobians)
///     gravity        t q c → g
///     causes         t q u w c → f_gravity f_velocity …      where f is told by cause
///     frame_NAME     t q u c → J bias mobility               of each frame; mobility J M⁻¹ Jᵀ of trees only
///     inertia_NAME   t q c → inertia pivots                  likewise, where there is one: Λ, by elimination
///     poses          t q c → pose             these two on request (Extras)
///     geometry       c → numbers
///     signals        t q u w udot lambda c → v               these two on request: outputs, then what events watch,
///     signal_jacobians  the same → v_q v_u v_w v_udot v_lambda   and their partial derivatives
///
/// What a backend adds by hand, from kernels: with constraints, `accelerations` (t q u w c → udot, lambda) from `dynamics` and
/// the kernel that solves M u̇ + Gᵀλ = f, G u̇ = γ (redundant rows allowed, the shortest λ); in any case `rhs` (t, x = [q; u],
/// w, c → ẋ) and `rhs_jacobian` (the same → A = ∂ẋ/∂x, B = ∂ẋ/∂w), the latter from rates, jacobians and the kernel:
/// M δu̇ + Gᵀδλ = −r_x δx, G δu̇ = −s_x δx. Derivatives by members of a unit quaternion are meant along its sphere, and those of a
/// mechanism with loops along the motions that its constraints allow.
///
/// The kernel must know how many rows of G are independent. Deciding that at every call does not do: a plain integrator drifts
/// from the constraints, rows that are redundant on them are not quite so beside them, and an overconstrained loop would stop.
/// So `rank` is decided once, where the mechanism starts, by whoever knows the start; until then kernels decide as they go.
struct Package {
    static constexpr std::size_t undecided = std::numeric_limits<std::size_t>::max();
    std::string name;        ///< of the model, as written
    std::string identifier;  ///< the same as an identifier: "triple_pendulum"
    std::string formulation;
    std::vector<std::string> assumptions;  ///< a line for each beam
    std::vector<Argument>
        arguments;               ///< t q u w p c udot lambda, always these eight in this order; some may be empty. Then those of routines
    std::vector<Entry> derived;  ///< parameters given by formulas of others: worked out inside setup, not in p
    std::vector<Entry> frozen;   ///< parameters that became numbers in the code; only told
    std::vector<Entry> constraints;     ///< names of the rows
    std::size_t rank = undecided;       ///< of G, at the start
    std::optional<PivotChoice> pivots;  ///< of the function `elimination`, where there is one
    std::vector<Entry> outputs;
    std::vector<EventEntry> events;     ///< only with Extras::signals
    std::vector<SampledEntry> sampled;  ///< likewise, of equations with samples
    /// Of what is an archive with a date: FMI 2 or 3, and "2026-01-31T12:00:00Z".
    int fmi = 2;
    std::string written_at = "1980-01-01T00:00:00Z";
    std::vector<std::vector<std::size_t>> quaternions;  ///< groups of four in q
    std::vector<Function> functions;
    /// What functions call, in the order of their library: one for each repeated chain, inner ones first. A routine takes one vector x
    /// and gives one vector y; its x is an argument behind the eight.
    std::vector<Function> routines;
    std::size_t nq() const { return arguments[1].entries.size(); }
    std::size_t nu() const { return arguments[2].entries.size(); }
    std::size_t nw() const { return arguments[3].entries.size(); }
    std::size_t np() const { return arguments[4].entries.size(); }
    std::size_t nc() const { return arguments[5].entries.size(); }
    std::size_t m() const { return constraints.size(); }
    const Function* find(const std::string& function) const;  ///< null when absent
};

/// When chains that repeat become routines.
enum class UseRoutines : std::uint8_t { when_shorter, never, always };

/// What a package has on request, for drawing the mechanism.
struct Extras {
    /// `poses`: for each body but the ground R (row by row), p and the centre of mass, in ground axes: 15 numbers; after all bodies the points
    /// of the deflected axes of beams, 3 numbers each.
    bool poses = false;
    std::vector<sym::Expr> geometry{};  ///< what `geometry` gives: expressions of parameters alone, in the pool of the equations
    std::vector<sym::Expr> loads{};     ///< what `loads` gives: expressions of t, q, u, x, w and parameters
    std::vector<sym::Expr> sampling{};  ///< what `sampling` gives: the same kind; sampling_numbers
    /// `signals`, `signal_jacobians`, events, what samples and what [initial] holds: for programs that simulate.
    bool signals = false;
    /// What `acceleration_derivatives` gives; of the same model.
    const eom::AccelerationDerivatives* derivatives = nullptr;
};

/// Lowers everything. An input whose value is an expression of t keeps its value at t = 0 as default. Coordinates and speeds
/// start at zero, e0 at 1, and the rank is not known: who knows better, because loops have been closed, puts it in.
///
/// Auxiliary states ẋ = g stand after the speeds, as speeds whose mass is 1 and whose force is g: then every function and every kernel
/// serves them, and x = [q; u] holds all states.
///
/// With `substructures`, of the same model, `accelerations`, `inverse` and the f of `dynamics` call routines where that is shorter.
Package make_package(const eom::EquationsOfMotion& equations, const eom::Substructures* substructures = nullptr,
                     UseRoutines use = UseRoutines::when_shorter, const Extras& extras = {});

/// What functions are made of, in the pool of the equations, which must be the thread's: u, x as speeds with M = diag(M, 1) and f, g; and
/// r = M u̇ + Gᵀλ − f.
eom::EquationsOfMotion with_states_as_speeds(eom::EquationsOfMotion equations);
std::vector<sym::Expr> missing_forces(const eom::EquationsOfMotion& equations);

/// For each filter with a period: the period, D, B, A row by row, its input.
std::vector<sym::Expr> sampling_numbers(const eom::EquationsOfMotion& equations);

/// The same without routines, for languages that are not to have any: calls are written out.
Package inlined(Package package);

/// A file to be written.
struct File {
    std::string name;  ///< "triple_pendulum.h"
    std::string text;
};

/// The languages, in the order they are listed to users: c cpp fortran python julia matlab modelica javascript fmu.
struct Backend {
    std::string name;
    std::string about;
    std::vector<File> (*write)(const Package& package);
    bool wants_signals = false;  ///< a package with Extras::signals
    bool eliminates = false;     ///< tries `elimination`, where there is one, before its kernel
};

/// A valid identifier made of this name: lower-case letters, digits and underscores, not a number first, not too long for any
/// language. A name that some language, its library or emitted code has a use for gets `_model` behind.
std::string identifier(const std::string& name);

}  // namespace linkwright::codegen
