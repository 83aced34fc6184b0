#pragma once
// Linear algebra that emitted C carries with it. NAME is the model's identifier, SCRATCH the storage of large arrays.

namespace linkwright::codegen::c {

extern const char* const definite_kernel;    ///< A X = B by L D L'
extern const char* const descriptor_kernel;  ///< M X + G' L = F, G X = C

}  // namespace linkwright::codegen::c
