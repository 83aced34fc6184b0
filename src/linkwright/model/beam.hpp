#pragma once
// A beam as its file describes it, and what equations of motion see of it.
//
// A beam lies along the x axis of its body, from x = 0 to x = length. Its deflection is a sum of shapes that are chosen beforehand, each times a
// coordinate of its own:
//
//     v(x) = Σ φᵢ(x) yᵢ      w(x) = Σ ψᵢ(x) zᵢ      stretch Σ χᵢ(x) xᵢ      twist Σ τᵢ(x) twistᵢ
//
// and with shortening the axis keeps its length, u(x) = Σ χᵢ xᵢ − ½ ∫₀ˣ (v'² + w'²) dx. So the place of a particle in the body frame,
//
//     ρ(x) = (x + u) i + v j + w k = Σ_a g_a(x) s_a(q) e_a,
//
// is a sum of functions of x, each times a product of at most two coordinates along one axis. Integrated over the mass the g_a become
// numbers: ∫g_a dm and ∫g_a g_b dm are all that kinetic energy needs to know of the shapes. They are derived parameters of the model, named
// after the beam (`arm.S.y1`), with values in closed form in the beam's own parameters.
//
// What is attached to a beam is attached to a *section*: a body without mass whose place and attitude in the beam's frame are functions of the
// beam's coordinates. Joints, springs, forces, outputs then see bodies and nothing else; masses on the beam are the mass of sections.

#include <optional>
#include <string>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/flex/shapes.hpp"
#include "linkwright/spatial/vector.hpp"

namespace linkwright::model {

using spatial::Mat3;
using spatial::Vec3;
using sym::Expr;

enum class BeamDirection : std::uint8_t { y, z, x, twist };
enum class BeamFamily : std::uint8_t { pinned_pinned, clamped_free, clamped_pinned, free_free, polynomial, clamped_mass, given, component };
/// What the far side of a component's interfaces is taken for, while its shapes are found.
enum class BeamInterface : std::uint8_t {
    fixed,   ///< held; beside these shapes stand those that the interfaces bend statically
    free,    ///< nothing
    loaded,  ///< the mass of what hangs there, locked
};
enum class BeamNormalise : std::uint8_t {
    unit,  ///< the coefficient of the books is 1
    tip,   ///< 1 at the far end
    mass,  ///< ∫φ² dm = 1
};
enum class BeamOrder : std::uint8_t {
    all,     ///< kinetic energy as it is
    second,  ///< up to products of two elastic coordinates or speeds of the whole mechanism
};

/// Per length, at one place of a beam.
struct BeamSection {
    Expr mass_per_length;
    Expr bending_y, bending_z;  ///< EI against deflection along y, z
    Expr axial, torsion;        ///< EA, GJ
    Expr torsion_inertia;       ///< ρJ: against twist
    Expr rotary;                ///< ρI: against turning of the section as it bends; none in Euler's and Bernoulli's beam
};

struct BeamPiece {
    Expr to;  ///< x where it ends
    BeamSection section;
};

/// Shapes from elsewhere: their values and slopes at places of the elastic part, cubic in between as in beam elements.
struct GivenShapes {
    std::string file;                             ///< as the model names it
    std::vector<double> x;                        ///< ascending, from 0 to the length of the elastic part
    std::vector<std::vector<double>> phi, slope;  ///< of each shape, at every x
};

struct BeamShapes {
    BeamDirection direction = BeamDirection::y;
    BeamFamily family = BeamFamily::clamped_free;
    std::size_t count = 1;
    BeamNormalise normalise = BeamNormalise::unit;
    /// Of clamped-mass: what is at the tip, by default the masses that are there; then the wave numbers and m/μL, filled in.
    std::optional<Expr> tip_mass{}, tip_inertia{};
    std::vector<Expr> wave_numbers{};
    Expr mass_ratio{};
    GivenShapes given{};                             ///< read from a file, or found from finite elements
    BeamInterface interface = BeamInterface::fixed;  ///< of component
    std::size_t elements = 0;                        ///< of component; 0: as the beam says
    Position where{};
};

/// A rigid mass on the beam, fixed in the section at x = at and turning with it.
struct BeamMass {
    Expr at, mass;
    Mat3 inertia;  ///< about its centre, which is on the axis; axes of the section
    Position where{};
};

/// Rigid ends, inside the length. Shapes live between them.
struct BeamSleeves {
    Expr start, end;
    std::optional<Expr> start_mass, end_mass;  ///< of the section's mass per length when nothing is said
};

/// s = coefficient · Π q_factors along axis: one term of ρ.
struct ElasticTerm {
    std::size_t axis = 0;
    std::vector<std::size_t> factors{};  ///< of the coordinates: none, one, two
    Expr coefficient = 1;
};

/// Turning of sections against the frame: T = ½ ∫ρ (ω_axis + Σ s_k q̇_k)² dx.
struct ElasticSpin {
    std::size_t axis = 0;
    Expr inertia;             ///< ∫ρ dx
    std::vector<Expr> first;  ///< ∫ρ s_k dx, for each coordinate
    sym::Matrix second;       ///< ∫ρ s_k s_l dx
};

/// What the equations know of an elastic body, in the axes of its frame.
struct Elastic {
    std::vector<Expr> coordinates, speeds;  ///< symbols
    std::vector<ElasticTerm> terms;         ///< of ρ; the first is x i
    Expr mass;
    std::vector<Expr> first;  ///< ∫g_a dm
    sym::Matrix second;       ///< ∫g_a g_b dm
    std::vector<ElasticSpin> spins;
    sym::Matrix stiffness, damping;
};

struct Beam {
    Expr length;
    std::vector<BeamPiece> pieces;  ///< one when the section is the same throughout
    flex::Frame frame = flex::Frame::tangent;
    std::vector<BeamShapes> shapes;  ///< in the order y, z, x, twist
    bool shortening = true;
    BeamOrder order = BeamOrder::all;
    std::vector<Expr> damping;  ///< ratios: none, one for all, or one for each shape
    std::vector<BeamMass> masses;
    BeamSleeves sleeves;
    std::size_t elements = 0;         ///< finite elements it is cut into as a structure; 0: nothing is said
    std::vector<std::string> retain;  ///< parameters that stay symbols in what is found from finite elements; none: all of them
    Elastic elastic;
    /// The deflected axis in the frame of the body, and its slopes v' and w', at places from one end of the elastic part to the other.
    struct Station {
        Expr x;
        Vec3 at;
        std::vector<Expr> slopes;
    };
    std::vector<Station> stations;
};

std::string_view to_string(BeamDirection direction);
std::string_view to_string(BeamFamily family);
std::string_view to_string(flex::Frame frame);

}  // namespace linkwright::model
