#pragma once
// What comes out when a model is written in another format.

#include <optional>
#include <string>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::exchange {

/// `text` is empty exactly when `problems` holds an error: something of the model that the format has no word for, and that matters to its motion.
/// Warnings tell what is left out.
struct Written {
    std::optional<std::string> text{};
    Diagnostics problems{};
};

}  // namespace linkwright::exchange
