#pragma once
// How GoogleTest shows expressions and verdicts. Every test of sym includes it, so that all agree.

#include <ostream>

#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/formula.hpp"

namespace linkwright::sym {

inline void PrintTo(const Expr& e, std::ostream* out) { *out << print(e, {.style = Style::text, .longest = 2000}); }
inline void PrintTo(Verdict v, std::ostream* out) { *out << to_string(v); }

}  // namespace linkwright::sym
