#pragma once
// Large batches on all cores.

#include <functional>

#include "linkwright/program/evaluator.hpp"

namespace linkwright::program {

/// run(from, to) for parts of 0 … points that do not overlap and leave nothing out, split among `threads` threads, the caller's being one of
/// them; 0 is as many as the machine runs at once. What the rest is worth is judged by the first points. Returns when all are done; what a
/// part throws is thrown here.
void run_in_parts(std::size_t points, const std::function<void(std::size_t from, std::size_t to)>& run, unsigned threads = 0);

/// evaluator.batch(points, in, out), split among `threads` threads, the caller's being one of them; 0 is as many as the
/// machine runs at once. Small batches stay with the caller: a thread takes longer to start than they take to finish. The
/// numbers do not depend on `threads`. Returns when all points are done; what a part throws is thrown here.
void batch(const Evaluator& evaluator, std::size_t points, std::span<const double> in, std::span<double> out, unsigned threads = 0);

}  // namespace linkwright::program
