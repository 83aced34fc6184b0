#pragma once
// Linear algebra that emitted Fortran carries with it.

namespace linkwright::codegen::fortran {

extern const char* const definite_kernel;    ///< A X = B by L D L'
extern const char* const descriptor_kernel;  ///< M X + G' L = F, G X = C

}  // namespace linkwright::codegen::fortran
