#pragma once
// How long work is stopped from outside: between its steps it asks whether to go on.
//
// Whoever is told "no" returns soon, with a result that says it is none. The answer stays no: it may be asked for again on the way out.

#include <cstddef>
#include <functional>

namespace linkwright {

/// Told how many steps are done, and of how many; 0 of 0 where that is not known. False: stop. Empty: nobody will.
using GoesOn = std::function<bool(std::size_t done, std::size_t of)>;

inline bool goes_on(const GoesOn& ask, std::size_t done = 0, std::size_t of = 0) { return !ask || ask(done, of); }

/// What a result says of itself that was stopped.
inline constexpr const char* interrupted = "interrupted";

}  // namespace linkwright
