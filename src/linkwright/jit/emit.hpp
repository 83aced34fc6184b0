#pragma once
// From a plan to machine code, for x86-64 with AVX2 and FMA.
//
// Registers are given out in one pass, forward, with the rule of Belady: when one is needed and none is free, the value that
// is wanted again last of all leaves. A straight line makes that rule possible, since the plan knows every next use; it is
// the best one can do when loads are what counts. Details that pay:
//
// - A value in memory (an input, a constant, what was spilled, an output already written) is an operand like any other: at
//   most one per instruction, but free. It is loaded only when an instruction has no place for it.
// - A value that has a place in memory leaves without a store. Outputs are stored once, as soon as they are known, and that is
//   their place.
// - Of the three forms of a fused product the one that overwrites an operand no longer wanted is taken, so moves are rare.
// - With AVX-512VL there are 32 registers instead of 16, the upper ones at a byte or two more per instruction: taken last.
//
// Packs (packs.hpp) live in the same registers, four lanes wide. A value in common is an operand in memory that the instruction repeats (AVX-512), or is repeated once
// into a register, of which it is the first lane; so whichever of the two leaves last is stored as a single value. A pack with lanes that are wanted by themselves
// is stored when it is made, and those lanes are values in memory from then on.
//
// Calls find registers empty: whatever lives on is in memory before. Sines and cosines come out of their calls in memory.

#include <cstddef>
#include <memory>

#include "linkwright/jit/plan.hpp"

namespace linkwright::jit {

/// Code in memory. It reads `in`, writes `out` and uses `scratch`, all of them rows of `lanes` doubles: value i of lane p stands at
/// i·lanes + p. With four lanes all three are on 32-byte boundaries, with eight on 64-byte ones.
class Code {
public:
    using Function = void (*)(const double* in, double* out, double* scratch);

    Code() = default;
    Code(Code&& other) noexcept { *this = std::move(other); }
    Code& operator=(Code&& other) noexcept;
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;
    ~Code();

    explicit operator bool() const { return function_ != nullptr; }
    void operator()(const double* in, double* out, double* scratch) const { function_(in, out, scratch); }
    std::size_t scratch() const { return scratch_; }  ///< how many doubles of it are needed
    std::size_t bytes() const { return bytes_; }      ///< the length of the code
    Function function() const { return function_; }   ///< where it stands

private:
    friend Code emit(const Plan&, const program::Program&, unsigned, unsigned);
    std::shared_ptr<void> runtime_;
    Function function_ = nullptr;
    std::size_t scratch_ = 0, bytes_ = 0;
    struct Free {
        void operator()(double* p) const;
    };
    std::unique_ptr<double, Free> constants_;
};

/// How many vector registers this processor has: 32, 16, or 0 when it cannot run our code at all.
unsigned vector_registers();

/// How many points go side by side where that many registers are used: 8 with the 32 of AVX-512, otherwise 4.
constexpr unsigned lanes_of(unsigned registers) { return registers > 16 ? 8 : 4; }

/// The code of a plan for 1, 4 or 8 lanes, in the first 16 or 32 registers. Empty when the system gives no memory for code.
Code emit(const Plan& plan, const program::Program& program, unsigned lanes, unsigned registers);

}  // namespace linkwright::jit
