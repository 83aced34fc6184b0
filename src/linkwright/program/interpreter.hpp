#pragma once
// The reference: runs a program without any machine's help. Slower than compiled code, right by inspection, needs nothing.
//
// Most of an interpreter's time goes into finding out what to do next. So the lines are sorted once into runs of the same
// operation, each line still after those it needs: a run is a loop with one operation in it, and a branch is paid for once a
// run instead of once a line. Every line does to the same numbers what it did before: results do not change by a bit.

#include <stdexcept>

#include "linkwright/program/evaluator.hpp"
#include "linkwright/program/inline.hpp"

namespace linkwright::program {

/// A program behind the interface of an evaluator; calls are inlined. The constructor throws std::invalid_argument when a line or an
/// output refers to a value that is not above it; what `lower` makes never does.
class Interpreter final : public Evaluator {
public:
    explicit Interpreter(Program program);
    std::size_t inputs() const override { return program_.inputs; }
    std::size_t outputs() const override { return program_.outputs.size(); }
    const Program& program() const { return program_; }  ///< without calls

private:
    /// Lines of one operation in a row; a pair is a sine and its cosine, two values each.
    struct Run {
        Op op;
        bool is_pair;
        std::uint32_t count;
    };
    void sort_into_runs();
    template <std::size_t lanes>
    void run_lanes(std::size_t points, const double* in, double* out) const;
    void run(const double* in, double* out) const override;
    void run_batch(std::size_t points, const double* in, double* out) const override;

    Program program_;
    std::vector<Run> runs_;
    std::vector<Index> args_;     ///< of the sorted lines, as many for each as the operation takes
    std::vector<Index> outputs_;  ///< where the program's outputs stand when values are numbered in sorted order
};

/// The outputs of a program at one point, on numbers of another kind: with S = std::complex<double> and h = 1e-100,
/// Im f(x + i·h)/h is the derivative of f to full precision.
template <class S>
std::vector<S> run(const Program& program, std::span<const S> in) {
    if (in.size() != program.inputs) throw std::invalid_argument("run: wrong number of inputs");
    if (!program.calls.empty()) return run<S>(inlined(program), in);
    std::vector<S> value(in.begin(), in.end());
    value.reserve(program.values() + 1);
    for (const double x : program.constants) value.push_back(S(x));
    if (value.empty()) return {};
    for (const auto& [op, args] : program.lines) {
        value.push_back(calc<S>(op, value[args[0]], value[args[1]], value[args[2]]));
    }
    std::vector<S> out;
    for (const Index i : program.outputs) out.push_back(value[i]);
    return out;
}

}  // namespace linkwright::program
