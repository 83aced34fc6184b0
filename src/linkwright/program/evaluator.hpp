#pragma once
// Something that turns numbers into numbers: the interpreter is one, compiled code another, and its users cannot tell
// them apart.

#include <cstddef>
#include <span>

namespace linkwright::program {

/// A function from inputs() numbers to outputs() numbers. Calls do not change it: threads may share one.
/// Spans of the wrong size are a mistake of the calling program and throw std::invalid_argument.
class Evaluator {
public:
    virtual ~Evaluator() = default;
    virtual std::size_t inputs() const = 0;   ///< how many numbers go in
    virtual std::size_t outputs() const = 0;  ///< how many come out

    /// One point. `in` and `out` must not overlap.
    void operator()(std::span<const double> in, std::span<double> out) const;

    /// Many points: in[p·inputs() + i] is input i of point p, out likewise. The same numbers as one by one, faster.
    void batch(std::size_t points, std::span<const double> in, std::span<double> out) const;

protected:
    Evaluator() = default;
    Evaluator(const Evaluator&) = default;
    Evaluator(Evaluator&&) = default;
    Evaluator& operator=(const Evaluator&) = default;
    Evaluator& operator=(Evaluator&&) = default;

private:
    virtual void run(const double* in, double* out) const = 0;  ///< sizes are right
    virtual void run_batch(std::size_t points, const double* in, double* out) const;
};

}  // namespace linkwright::program
