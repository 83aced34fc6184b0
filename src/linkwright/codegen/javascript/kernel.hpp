#pragma once
// What emitted modules contain besides straight-line code, in JavaScript.

namespace linkwright::codegen::javascript {

extern const char* const values_kernel;      ///< default values as arrays
extern const char* const definite_kernel;    ///< A X = B by A = L D Lᵀ
extern const char* const descriptor_kernel;  ///< M X + Gᵀ L = F, G X = C: the method of solve/descriptor.hpp

}  // namespace linkwright::codegen::javascript
