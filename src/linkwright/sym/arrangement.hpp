#pragma once
// A normal form arranged to be read: terms gathered and factored until few operations are left.

#include <chrono>
#include <cstdint>
#include <unordered_map>

#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/normal_form.hpp"

namespace linkwright::sym {

/// What a generator is to a reader; also the order of factors in a product.
enum class Class : std::uint8_t { parameter, other, moving, circular };
Class class_of(const Expr& generator);

/// Generators that stand for more than they show (stand_ins.hpp), and how many operations that is.
using Weights = std::unordered_map<NodeId, double>;
using Deadline = std::chrono::steady_clock::time_point;

/// Several arrangements are tried, and the one with the fewest operations wins, then the shortest:
///   - products of sines and cosines, or sines and cosines of sums; sin² or cos² written by the other;
///   - terms gathered by letters that stand for roots, by speeds and other moving symbols, by sines and cosines, by
///     parameters, by the most frequent factor; what a group shares taken out in front.
/// After the deadline sums are written flat. `plain` is the pool of the generators.
Formula arrangement(const NormalForm& form, Pool& plain, Deadline deadline, const Weights& weights = {});

/// Fewer operations, or as many and fewer characters.
bool is_shorter(const Formula& a, const Formula& b);

}  // namespace linkwright::sym
