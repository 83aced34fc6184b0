#include "linkwright/program/interpreter.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace linkwright::program {
namespace {

constexpr std::size_t batch_lanes = 8;

/// Runs every line on `lanes` points at once; value i of point p stands at value[i·lanes + p]. Each case stays in its
/// own loop while the operation is the same.
template <std::size_t lanes>
void run_lines(const std::vector<Line>& lines, double* value, double* target) {
    const Line* line = lines.data();
    const Line* const end = line + lines.size();
    const auto at = [&](std::size_t i) { return value + line->args[i] * lanes; };
    const auto one = [&](auto f) {
        for (const Op op = line->op; line != end && line->op == op; ++line, target += lanes) {
            const double* a = at(0);
            for (std::size_t p = 0; p < lanes; ++p) target[p] = f(a[p]);
        }
    };
    const auto two = [&](auto f) {
        for (const Op op = line->op; line != end && line->op == op; ++line, target += lanes) {
            const double *a = at(0), *b = at(1);
            for (std::size_t p = 0; p < lanes; ++p) target[p] = f(a[p], b[p]);
        }
    };
    const auto any = [&] {
        for (const Op op = line->op; line != end && line->op == op; ++line, target += lanes) {
            const double *a = at(0), *b = at(1), *c = at(2);
            for (std::size_t p = 0; p < lanes; ++p) target[p] = calc<double>(op, a[p], b[p], c[p]);
        }
    };
    while (line != end) {
        switch (line->op) {
            case Op::add: two([](double a, double b) { return a + b; }); break;
            case Op::sub: two([](double a, double b) { return a - b; }); break;
            case Op::mul: two([](double a, double b) { return a * b; }); break;
            case Op::div: two([](double a, double b) { return a / b; }); break;
            case Op::neg: one([](double a) { return -a; }); break;
            case Op::sqrt: one([](double a) { return std::sqrt(a); }); break;
            case Op::cos: one([](double a) { return std::cos(a); }); break;
            case Op::sin:
                if (line + 1 != end && line[1].op == Op::cos && line[1].args[0] == line->args[0]) {
                    const double* a = at(0);
                    for (std::size_t p = 0; p < lanes; ++p) {  // compilers make one call of the two
                        target[p] = std::sin(a[p]);
                        target[lanes + p] = std::cos(a[p]);
                    }
                    line += 2;
                    target += 2 * lanes;
                } else {
                    const double* a = at(0);
                    for (std::size_t p = 0; p < lanes; ++p) target[p] = std::sin(a[p]);
                    ++line;
                    target += lanes;
                }
                break;
            default: any();
        }
    }
}

}  // namespace

Interpreter::Interpreter(Program program) : program_(std::move(program)) {
    const auto check = [](Index value, std::size_t known, const char* what) {
        if (value < known) return;
        throw std::invalid_argument(fmt::format("Interpreter: {} refers to value {} of {}", what, value, known));
    };
    std::size_t known = program_.first_line();
    for (Line& line : program_.lines) {
        for (std::size_t i = 0; i < 3; ++i) {
            if (i < arity(line.op)) {
                check(line.args[i], known, "a line");
            } else {
                line.args[i] = 0;
            }
        }
        ++known;
    }
    for (const Index output : program_.outputs) check(output, known, "an output");
}

template <std::size_t lanes>
void Interpreter::run_lanes(std::size_t points, const double* in, double* out) const {
    // Scratch of the thread: calls may come from many, and a call makes none of its own.
    static thread_local std::vector<double> scratch;
    if (scratch.size() < program_.values() * lanes) scratch.resize(program_.values() * lanes);
    double* const value = scratch.data();
    for (std::size_t i = 0; i < program_.inputs; ++i) {
        for (std::size_t p = 0; p < lanes; ++p) {
            value[i * lanes + p] = in[std::min(p, points - 1) * program_.inputs + i];
        }
    }
    double* target = value + program_.inputs * lanes;
    for (const double x : program_.constants) target = std::fill_n(target, lanes, x);
    run_lines<lanes>(program_.lines, value, target);
    for (std::size_t k = 0; k < program_.outputs.size(); ++k) {
        const double* result = value + program_.outputs[k] * lanes;
        for (std::size_t p = 0; p < points; ++p) out[p * program_.outputs.size() + k] = result[p];
    }
}

void Interpreter::run(const double* in, double* out) const { run_lanes<1>(1, in, out); }

void Interpreter::run_batch(std::size_t points, const double* in, double* out) const {
    for (std::size_t p = 0; p < points; p += batch_lanes) {
        const std::size_t block = std::min(batch_lanes, points - p);
        run_lanes<batch_lanes>(block, in + p * inputs(), out + p * outputs());
    }
}

}  // namespace linkwright::program
