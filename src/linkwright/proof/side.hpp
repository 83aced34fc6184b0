#pragma once
// One side of a comparison: named expressions in a pool that does not fold, at a point drawn for the occasion.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "linkwright/eom/equations.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::proof {

using eom::EquationsOfMotion;
using sym::Expr;

/// What an entry tells. Numbers are small or large beside others of their kind.
enum class EntryKind : std::uint8_t {
    mass,        ///< of M, or of M u'
    force,       ///< of f
    constraint,  ///< of G, or of G u'
    gamma,
    phi,
    rate,  ///< of a constraint or a coordinate
    energy,
    momentum,
    power,
    output,
    event,
    acceleration,  ///< of a = M⁻¹ f, written out
    inverse,       ///< of M u' − f
};

struct Entry {
    EntryKind kind;
    std::string name;  ///< "M[hip', knee']"
    Expr value;
};

/// Everything a formulation says about the motion, entry by entry: q̇, M (one half), f, rows of constraints, energies,
/// momenta, power, outputs, events. Two formulations with the same speeds and the same cut say it under the same names.
std::vector<Entry> entries(const EquationsOfMotion& equations);

/// Names of entries, as above.
std::string mass_name(const EquationsOfMotion& equations, std::size_t i, std::size_t j);
std::string speed_name(std::string_view letter, const Expr& speed);  ///< "f[hip']"

/// Shape by shape into a pool that does not fold, whose point `seed` draws. Two sides with the same seed and the same names
/// are looked at in the same point.
EquationsOfMotion carried(const EquationsOfMotion& equations, std::uint64_t seed);

struct Side {
    std::string name;  ///< "kane", "recursive, program"
    std::vector<Entry> entries;
    std::vector<sym::FormalDegree> degrees;  ///< of the entries
    sym::Rational division = 1;              ///< of angles, to which the degrees refer

    bool has_point() const;  ///< no denominator vanished there
};
Side make_side(std::string name, std::vector<Entry> entries, const sym::Rational& division);

/// A division of angles that serves all of these.
sym::Rational common_division(std::span<const Entry> entries, const sym::Rational& so_far);

}  // namespace linkwright::proof
