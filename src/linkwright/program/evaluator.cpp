#include "linkwright/program/evaluator.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace linkwright::program {
namespace {

void check_size(std::size_t got, std::size_t wanted, const char* what) {
    if (got != wanted) throw std::invalid_argument(fmt::format("Evaluator: {} {}, {} wanted", got, what, wanted));
}

}  // namespace

void Evaluator::operator()(std::span<const double> in, std::span<double> out) const {
    check_size(in.size(), inputs(), "inputs");
    check_size(out.size(), outputs(), "outputs");
    run(in.data(), out.data());
}

void Evaluator::batch(std::size_t points, std::span<const double> in, std::span<double> out) const {
    check_size(in.size(), points * inputs(), "inputs");
    check_size(out.size(), points * outputs(), "outputs");
    run_batch(points, in.data(), out.data());
}

void Evaluator::run_batch(std::size_t points, const double* in, double* out) const {
    for (std::size_t p = 0; p < points; ++p) run(in + p * inputs(), out + p * outputs());
}

}  // namespace linkwright::program
