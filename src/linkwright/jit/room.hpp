#pragma once

#include <cstddef>

namespace linkwright::jit {

/// Room for `size` doubles on a 64-byte boundary, the thread's own; the next call may give the same.
double* thread_room(std::size_t size);

}  // namespace linkwright::jit
