#include "linkwright/model/schema.hpp"
#include "common.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

Work declare_schema(Words words) {
    auto common = std::make_shared<SharedOptions>();
    words.add_option("-o,--output", common->output, "Write it to this file; - is standard output").type_name("FILE");
    words.footer("An editor that knows TOML uses it when a model file begins with the line\n  #:schema ./model.schema.json");
    return [common] { return deliver(*common, std::string(model::schema())); };
}

}  // namespace linkwright::cli
