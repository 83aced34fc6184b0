#pragma once
// The JSON Schema of the model file: what editors check a file by while it is written.

#include <string_view>

namespace linkwright::model {

/// The text of docs/formats/model.schema.json, Draft 2020-12. It knows keys and shapes of values; names, expressions and what depends on
/// other places of the file are for read().
std::string_view schema();

}  // namespace linkwright::model
