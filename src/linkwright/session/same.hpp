#pragma once
// Two models, one mechanism: that a file written in another format and read again has the same equations of motion.

#include <optional>

#include "linkwright/proof/prove.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct SameOptions {
    std::string formulation = "kane";     ///< of both
    std::optional<std::uint64_t> seed{};  ///< of the random point; empty: drawn
};

/// M, f, the rows of constraints, q̇, energies, momenta and power of both, entry by entry: parameters have their values, and coordinates, speeds and
/// constraints are matched by their names, in whatever order they stand. Inputs that only one side has are matched in their order, and the note says so.
/// Outputs and events are not compared: other formats have none.
///
/// The verdict is that of proof::compare(): equal by fingerprints at a random point that both share. Where decimals were rounded on the way (an angle that is no
/// multiple of π/12, a place that was turned), entries agree as numbers only and are counted in Pair::numeric. A loop may be closed by
/// other rows; then entries are missing and the verdict is unknown.
Result<proof::Pair> prove_same(const Session& a, const Session& b, const SameOptions& options = {});

}  // namespace linkwright::session
