#pragma once

#include "linkwright/program/program.hpp"

namespace linkwright::program {

/// How much arithmetic a program is.
struct Operations {
    std::size_t add = 0;  ///< sums, differences and changes of sign
    std::size_t mul = 0;
    std::size_t div = 0;
    std::size_t sqrt = 0;
    std::size_t sincos = 0;  ///< sines and cosines; the pair of one angle counts once
    std::size_t other = 0;   ///< every other function
    std::size_t total() const { return add + mul + div + sqrt + sincos + other; }
    bool operator==(const Operations&) const = default;
};

/// The operations of one run, those of called routines as often as they are called.
Operations count(const Program& program);

/// How long the program is when every routine it calls, directly or not, is written once: lines, a call counting as one for
/// each argument and each result that it passes.
std::size_t length(const Program& program);

}  // namespace linkwright::program
