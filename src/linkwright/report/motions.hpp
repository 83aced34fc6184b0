#pragma once
// Motions as columns of numbers, with what is worth knowing about them.

#include "linkwright/report/symbols.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/simulate.hpp"

namespace linkwright::report {

/// What is said of one motion beside its numbers.
struct MotionWords {
    std::string name, command;
    std::vector<std::pair<std::string, double>> parameters;  ///< that differ from the file's
};

/// Of more than `most` rows every k-th is kept; a sentence that says so goes to `notes`.
Json make_motion(const session::Simulation& simulation, const session::Session& session, const SymbolTable& symbols,
                 const MotionWords& words, std::size_t most, std::vector<std::string>& notes);

}  // namespace linkwright::report
