#pragma once
// Large batches on all cores.

#include "linkwright/program/evaluator.hpp"

namespace linkwright::program {

/// evaluator.batch(points, in, out), split among `threads` threads, the caller's being one of them; 0 is as many as the
/// machine runs at once. Small batches stay with the caller: a thread takes longer to start than they take to finish. The
/// numbers do not depend on `threads`. Returns when all points are done; what a part throws is thrown here.
void batch(const Evaluator& evaluator, std::size_t points, std::span<const double> in, std::span<double> out, unsigned threads = 0);

}  // namespace linkwright::program
