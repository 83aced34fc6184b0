#pragma once
// The one place that knows a Rational is an fmpq: for sources that call FLINT, never for public headers.

#include <flint/fmpq.h>

#include "linkwright/sym/rational.hpp"

namespace linkwright::sym {

static_assert(sizeof(fmpq) == sizeof(Rational) && sizeof(fmpz) == sizeof(std::int64_t));

inline const fmpq* flint(const Rational& r) { return reinterpret_cast<const fmpq*>(r.words()); }
inline fmpq* flint(Rational& r) { return reinterpret_cast<fmpq*>(r.words()); }

}  // namespace linkwright::sym
