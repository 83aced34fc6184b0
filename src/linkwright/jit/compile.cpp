#include "linkwright/jit/compile.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include <fmt/format.h>

#include "linkwright/jit/calls.hpp"
#include "linkwright/jit/emit.hpp"
#include "linkwright/jit/packs.hpp"
#include "linkwright/jit/room.hpp"
#include "linkwright/jit/transpose.hpp"
#include "linkwright/program/inline.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/roll.hpp"

namespace linkwright::jit {
namespace {

using program::Program;

void check(const Program& program) {
    const auto check_value = [](Index value, std::size_t known, const char* what) {
        if (value >= known) throw std::invalid_argument(fmt::format("compile: {} refers to value {} of {}", what, value, known));
    };
    std::size_t known = program.first_line();
    for (const auto& [op, args] : program.lines) {
        for (std::size_t i = 0; i < arity(op); ++i) check_value(args[i], known, "a line");
        ++known;
    }
    for (const Index output : program.outputs) check_value(output, known, "an output");
}

constexpr std::size_t few = 512;  // doubles that a call takes from the stack without asking

class Native final : public program::Evaluator {
public:
    Native(Program program, unsigned registers, Code code)
        : program_(std::move(program)), registers_(registers), scalar_(std::move(code)) {}
    std::size_t inputs() const override { return program_.inputs; }
    std::size_t outputs() const override { return program_.outputs.size(); }

private:
    void run(const double* in, double* out) const override {
        alignas(64) double room[few];  // NOLINT(cppcoreguidelines-pro-type-member-init): not read before written
        scalar_(in, out, scalar_.scratch() <= few ? room : thread_room(scalar_.scratch()));
    }

    void run_batch(std::size_t points, const double* in, double* out) const override {
        const std::size_t n = inputs(), m = outputs();
        std::size_t p = 0;
        if (points >= 4 && has_lanes()) {
            // Rows of as many as there are lanes: inputs, outputs, scratch.
            const std::size_t l = lanes_of(registers_);
            double* const rows = thread_room(l * (n + m) + lanes_.scratch());
            double *const results = rows + l * n, *const scratch = results + l * m;
            for (; p + 1 < points; p += l) {
                const std::size_t size = std::min(l, points - p);
                to_rows(n, l, size, in + p * n, rows);
                lanes_(rows, results, scratch);
                from_rows(m, l, size, results, out + p * m);
            }
        }
        for (; p < points; ++p) run(in + p * n, out + p * m);
    }

    bool has_lanes() const {
        std::call_once(once_, [&] { lanes_ = emit(make_plan(program_), program_, lanes_of(registers_), registers_); });
        return static_cast<bool>(lanes_);
    }

    Program program_;
    unsigned registers_;
    Code scalar_;
    mutable std::once_flag once_;
    mutable Code lanes_;
};

}  // namespace

double* thread_room(std::size_t size) {
    static thread_local std::vector<double> room;
    if (room.size() < size + 8) room.resize(size + 8);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(room.data()) / sizeof(double) % 8;
    return room.data() + (8 - past) % 8;
}

std::string why_not() {
    if (vector_registers() > 0) return {};
    return "native code is made for x86-64 processors with AVX2 and FMA, and this is none";
}

std::unique_ptr<program::Evaluator> compile(Program program, const Options& options) {
    const unsigned there = vector_registers();
    if (there > 0) {
        const unsigned registers = options.registers == 0 ? there : std::clamp(options.registers, 16U, there);
        if (program::is_worth_calling(program)) {
            if (auto calling = compile_calls(program, registers)) return calling;
        }
        program = program::inlined(std::move(program));
        check(program);
        Plan plan = make_plan(program);
        if (options.packs) plan = with_packs(std::move(plan), program);
        if (Code code = emit(plan, program, 1, registers)) {
            return std::make_unique<Native>(std::move(program), registers, std::move(code));
        }
    }
    return std::make_unique<program::Interpreter>(std::move(program));
}

std::function<std::unique_ptr<program::Evaluator>(Program)> native(const Options& options) {
    return [options](Program program) { return compile(std::move(program), options); };
}

bool is_native(const program::Evaluator& evaluator) { return dynamic_cast<const Native*>(&evaluator) != nullptr || is_calling(evaluator); }

}  // namespace linkwright::jit
