#include "linkwright/numeric/deferred_evaluator.hpp"

#include "linkwright/program/factor.hpp"

namespace linkwright::numeric {

DeferredEvaluator::DeferredEvaluator(program::Program program, Compile compile)
    : first_(std::make_unique<program::Interpreter>(std::move(program))), compile_(std::move(compile)), first_calls_(few_calls) {}

DeferredEvaluator::DeferredEvaluator(std::unique_ptr<const program::Evaluator> first, program::Program program, Compile compile)
    : program_(std::move(program)), first_(std::move(first)), compile_(std::move(compile)), first_calls_(many_calls) {}

const program::Evaluator& DeferredEvaluator::after(std::size_t calls) const {
    if (const program::Evaluator* compiled = compiled_.load(std::memory_order_acquire)) return *compiled;
    if (calls_.fetch_add(calls, std::memory_order_relaxed) + calls <= first_calls_) return *first_;
    std::call_once(once_, [&] {
        const auto* interpreter = dynamic_cast<const program::Interpreter*>(first_.get());
        own_ = compile_(program::factor(interpreter != nullptr ? interpreter->program() : program_));
        compiled_.store(own_.get(), std::memory_order_release);
    });
    return *own_;
}

}  // namespace linkwright::numeric
