#include "linkwright/proof/prove.hpp"

namespace linkwright::proof {}  // namespace linkwright::proof
