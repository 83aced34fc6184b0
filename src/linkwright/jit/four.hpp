#pragma once
// A program on four points side by side: what steps four motions together calls it with numbers that stand ready in rows of four.

#include <memory>
#include <span>

#include "linkwright/program/program.hpp"

namespace linkwright::jit {

/// Calls do not change it: threads may share one.
class Four {
public:
    virtual ~Four() = default;
    Four(const Four&) = delete;
    Four& operator=(const Four&) = delete;
    std::size_t inputs() const { return inputs_; }
    std::size_t outputs() const { return outputs_; }
    /// in[4·i + p] is input i of point p, out likewise: 4·inputs() and 4·outputs() numbers, both on 32-byte boundaries.
    virtual void operator()(const double* in, double* out) const = 0;

protected:
    Four(std::size_t inputs, std::size_t outputs) : inputs_(inputs), outputs_(outputs) {}

private:
    std::size_t inputs_, outputs_;
};

/// Native code where this processor can run it (see compile.hpp), otherwise the interpreter. The numbers of a point are those that `compile` gives
/// it alone, to the last bit, whatever its neighbours are.
std::unique_ptr<Four> compile_four(program::Program program, bool interpret = false);

}  // namespace linkwright::jit
