#pragma once
// What comes out when a model is written in another format.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::exchange {

/// A closed chain as it stands: which joints close its loops, and where its coordinates are then. A tree needs none of it.
struct Assembled {
    std::vector<bool> is_cut{};                           ///< of each joint; empty: those that the file marks, and whatever no tree reaches
    std::map<std::string, double, std::less<>> values{};  ///< of coordinates, by name; others are 0
    double value(std::string_view name) const {
        const auto at = values.find(name);
        return at == values.end() ? 0 : at->second;
    }
};

/// `text` is empty exactly when `problems` holds an error: something of the model that the format has no word for, and that matters to its motion.
/// Warnings tell what is left out.
struct Written {
    std::optional<std::string> text{};
    Diagnostics problems{};
};

}  // namespace linkwright::exchange
