#include "linkwright/program/program.hpp"

#include <fmt/format.h>

namespace linkwright::program {

std::string_view name(Op op) {
    if (is_elementary(op)) return sym::elementary_function(elementary_function(op)).name;
    constexpr std::array<std::string_view, 2> before{"neg", "sqrt"};
    constexpr std::array<std::string_view, 10> behind{"add", "sub", "mul", "div", "pow", "atan2", "min", "max", "select", "result"};
    static_assert(before.size() == static_cast<std::size_t>(Op::sin));
    static_assert(behind.size() == static_cast<std::size_t>(Op::result) - static_cast<std::size_t>(Op::sign));
    return op < Op::sin ? before[static_cast<std::size_t>(op)] : behind[static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::add)];
}

bool is_sincos(const Program& program, std::size_t k) {
    const auto& lines = program.lines;
    return k + 1 < lines.size() && lines[k].op == Op::sin && lines[k + 1].op == Op::cos && lines[k].args[0] == lines[k + 1].args[0];
}

std::string write(const Program& program) {
    const auto value = [&](Index i) {
        if (i < program.inputs) return fmt::format("x{}", i);
        if (i < program.first_line()) return fmt::format("{}", program.constants[i - program.inputs]);
        return fmt::format("v{}", i - program.first_line());
    };
    std::string text;
    for (std::size_t k = 0; k < program.lines.size(); ++k) {
        const Line& line = program.lines[k];
        if (line.op == Op::result) {
            if (line.args[1] == 0) {
                const Call& call = program.calls[line.args[0]];
                text += fmt::format("call {}:",
                                    program.library ? program.library->routines[call.routine].name : fmt::format("{}", call.routine));
                for (const Index argument : call.args) text += " " + value(argument);
                text += '\n';
            }
            text += fmt::format("v{} = result {}\n", k, line.args[1]);
            continue;
        }
        text += fmt::format("v{} = {}", k, name(line.op));
        for (std::size_t i = 0; i < arity(line.op); ++i) text += " " + value(line.args[i]);
        text += '\n';
    }
    text += "out";
    for (const Index output : program.outputs) text += " " + value(output);
    return text + '\n';
}

}  // namespace linkwright::program
