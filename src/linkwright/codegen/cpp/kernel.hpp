#pragma once
// What emitted C++ carries with it, for any scalar.

namespace linkwright::codegen::cpp {

extern const char* const scalar_kernel;      ///< comparisons and functions that decide by real values
extern const char* const definite_kernel;    ///< A X = B by L D L'
extern const char* const descriptor_kernel;  ///< M X + G' L = F, G X = C

}  // namespace linkwright::codegen::cpp
