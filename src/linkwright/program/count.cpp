#include "linkwright/program/count.hpp"

#include "linkwright/program/inline.hpp"

namespace linkwright::program {
namespace {

Operations& operator+=(Operations& a, const Operations& b) {
    a.add += b.add, a.mul += b.mul, a.div += b.div, a.sqrt += b.sqrt, a.sincos += b.sincos, a.other += b.other;
    return a;
}

/// Its own lines, without what it calls.
Operations own(const Program& program) {
    Operations n;
    for (std::size_t k = 0; k < program.lines.size(); ++k) {
        switch (program.lines[k].op) {
            case Op::add:
            case Op::sub:
            case Op::neg: ++n.add; break;
            case Op::mul: ++n.mul; break;
            case Op::div: ++n.div; break;
            case Op::sqrt: ++n.sqrt; break;
            case Op::sin:
            case Op::cos:
                ++n.sincos;
                if (is_sincos(program, k)) ++k;
                break;
            case Op::result: break;
            default: ++n.other;
        }
    }
    return n;
}

std::size_t own_length(const Program& program) {
    std::size_t n = program.lines.size();
    for (const Call& call : program.calls) n += call.args.size();
    return n;
}

}  // namespace

Operations count(const Program& program) {
    Operations n = own(program);
    if (program.calls.empty()) return n;
    std::vector<Operations> of_routine;  // inner ones first
    for (const Routine& routine : program.library->routines) {
        of_routine.push_back(own(routine.program));
        for (const Call& call : routine.program.calls) of_routine.back() += of_routine[call.routine];
    }
    for (const Call& call : program.calls) n += of_routine[call.routine];
    return n;
}

std::size_t length(const Program& program) {
    std::size_t n = own_length(program);
    for (const std::size_t r : routines_of(program)) n += own_length(program.library->routines[r].program);
    return n;
}

}  // namespace linkwright::program
