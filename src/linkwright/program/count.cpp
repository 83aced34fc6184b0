#include "linkwright/program/count.hpp"

namespace linkwright::program {

Operations count(const Program& program) {
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
            default: ++n.other;
        }
    }
    return n;
}

}  // namespace linkwright::program
