#include "linkwright/model/schema.hpp"

// The assembler takes the file in as it is.
asm(R"(
    .section .rodata
    .global linkwright_model_schema_begin
    .global linkwright_model_schema_end
linkwright_model_schema_begin:
    .incbin ")" LINKWRIGHT_MODEL_SCHEMA R"("
linkwright_model_schema_end:
    .byte 0
    .text
)");

extern "C" {
extern const char linkwright_model_schema_begin[];
extern const char linkwright_model_schema_end[];
}

namespace linkwright::model {

std::string_view schema() {
    return {linkwright_model_schema_begin, static_cast<std::size_t>(linkwright_model_schema_end - linkwright_model_schema_begin)};
}

}  // namespace linkwright::model
