#include "linkwright/proof/maximal.hpp"

namespace linkwright::proof {

std::vector<Pair> maximal_pairs(const std::string&, const EquationsOfMotion&, const std::string&, const EquationsOfMotion&, const sym::Rational&) {
    return {};
}

}  // namespace linkwright::proof
