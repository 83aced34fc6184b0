#include <vector>

#include "verb.hpp"

namespace linkwright::cli {

std::span<const Verb> verbs() {
    static const std::vector<Verb> all{};
    return all;
}

}  // namespace linkwright::cli
