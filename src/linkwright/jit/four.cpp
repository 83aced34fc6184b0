#include "linkwright/jit/four.hpp"

#include <vector>

#include "linkwright/jit/emit.hpp"
#include "linkwright/program/inline.hpp"
#include "linkwright/program/interpreter.hpp"

namespace linkwright::jit {

namespace {

class Native final : public Four {
public:
    Native(const program::Program& program, Code code) : Four(program.inputs, program.outputs.size()), code_(std::move(code)) {}
    void operator()(const double* in, double* out) const override {
        constexpr std::size_t few = 512;
        alignas(64) double room[few];  // NOLINT(cppcoreguidelines-pro-type-member-init): not read before written
        code_(in, out, code_.scratch() <= few ? room : thread_room(code_.scratch()));
    }

private:
    static double* thread_room(std::size_t size) {
        static thread_local std::vector<double> room;
        if (room.size() < size + 8) room.resize(size + 8);
        const std::size_t past = reinterpret_cast<std::uintptr_t>(room.data()) / sizeof(double) % 8;
        return room.data() + (8 - past) % 8;
    }
    Code code_;
};

class Interpreted final : public Four {
public:
    explicit Interpreted(program::Program program) : Four(program.inputs, program.outputs.size()), run_(std::move(program)) {}
    void operator()(const double* in, double* out) const override {
        const std::size_t n = inputs(), m = outputs();
        static thread_local std::vector<double> points;
        points.resize(4 * (n + m));
        for (std::size_t p = 0; p < 4; ++p) {
            for (std::size_t i = 0; i < n; ++i) points[p * n + i] = in[4 * i + p];
        }
        run_.batch(4, {points.data(), 4 * n}, {points.data() + 4 * n, 4 * m});
        for (std::size_t p = 0; p < 4; ++p) {
            for (std::size_t i = 0; i < m; ++i) out[4 * i + p] = points[4 * n + p * m + i];
        }
    }

private:
    program::Interpreter run_;
};

}  // namespace

std::unique_ptr<Four> compile_four(program::Program program, bool interpret) {
    const unsigned registers = interpret ? 0 : vector_registers();
    if (registers > 0) {
        program = program::inlined(std::move(program));
        if (Code code = emit(make_plan(program), program, 4, registers)) return std::make_unique<Native>(program, std::move(code));
    }
    return std::make_unique<Interpreted>(std::move(program));
}

}  // namespace linkwright::jit
