#pragma once
// A long program that perhaps is asked for a few times only. To shorten and compile it takes as long as hundreds of calls; so it runs in a way that
// is there at once, and is compiled when it has been called so often that this would have paid.

#include <atomic>
#include <mutex>

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/program/interpreter.hpp"

namespace linkwright::numeric {

/// Threads may share one. When it is compiled its numbers may change in the last digits: who needs the same bits whatever was asked before
/// takes one for himself, or what `CompiledEquations::compile` gives.
class DeferredEvaluator final : public program::Evaluator {
public:
    static constexpr std::size_t long_program = 20'000;  ///< lines: shorter ones are compiled in a few milliseconds
    static constexpr std::size_t few_calls = 200;        ///< interpreting these takes about as long as to shorten and compile
    /// Native code that calls routines is half as fast as a straight line, as long as that fits the caches, and better beyond.
    static constexpr std::size_t many_calls = 5000, longest_straight_line = 500'000;

    /// `program` as program::transcribe gives it; interpreted first.
    DeferredEvaluator(program::Program program, Compile compile);
    /// `first` does the same as `program`, and `many_calls` times instead of it.
    DeferredEvaluator(std::unique_ptr<const program::Evaluator> first, program::Program program, Compile compile);
    std::size_t inputs() const override { return first_->inputs(); }
    std::size_t outputs() const override { return first_->outputs(); }
    bool is_compiled() const { return compiled_.load(std::memory_order_acquire) != nullptr; }
    const program::Evaluator& first() const { return *first_; }

private:
    void run(const double* in, double* out) const override { after(1)({in, inputs()}, {out, outputs()}); }
    void run_batch(std::size_t points, const double* in, double* out) const override {
        after(points).batch(points, {in, points * inputs()}, {out, points * outputs()});
    }
    const program::Evaluator& after(std::size_t calls) const;

    program::Program program_;  ///< unless the interpreter has it
    std::unique_ptr<const program::Evaluator> first_;
    Compile compile_;
    std::size_t first_calls_;
    mutable std::atomic<std::size_t> calls_ = 0;
    mutable std::once_flag once_;
    mutable std::unique_ptr<program::Evaluator> own_;
    mutable std::atomic<const program::Evaluator*> compiled_ = nullptr;
};

}  // namespace linkwright::numeric
