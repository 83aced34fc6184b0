#include "linkwright/numeric/deferred_evaluator.hpp"

#include "linkwright/program/factor.hpp"

namespace linkwright::numeric {

DeferredEvaluator::DeferredEvaluator(program::Program program, Compile compile)
    : first_(std::move(program)), compile_(std::move(compile)) {}

const program::Evaluator& DeferredEvaluator::after(std::size_t calls) const {
    if (const program::Evaluator* compiled = compiled_.load(std::memory_order_acquire)) return *compiled;
    if (calls_.fetch_add(calls, std::memory_order_relaxed) + calls <= few_calls) return first_;
    std::call_once(once_, [&] {
        own_ = compile_(program::factor(first_.program()));
        compiled_.store(own_.get(), std::memory_order_release);
    });
    return *own_;
}

}  // namespace linkwright::numeric
