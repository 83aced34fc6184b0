#include "linkwright/report/front_end.hpp"

// The assembler takes the file in as it is: compilers need minutes for a megabyte of characters. The digest is for caches of objects, which do
// not see the file.
asm("/* " LINKWRIGHT_FRONT_END_DIGEST R"( */
    .section .rodata
    .global linkwright_front_end_begin
    .global linkwright_front_end_end
linkwright_front_end_begin:
    .incbin ")" LINKWRIGHT_FRONT_END R"("
linkwright_front_end_end:
    .byte 0
    .text
)");

extern "C" {
extern const char linkwright_front_end_begin[];
extern const char linkwright_front_end_end[];
}

namespace linkwright::report {

std::string_view front_end() {
    return {linkwright_front_end_begin, static_cast<std::size_t>(linkwright_front_end_end - linkwright_front_end_begin)};
}

}  // namespace linkwright::report
