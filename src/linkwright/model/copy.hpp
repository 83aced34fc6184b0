#pragma once

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// The same model with its expressions in another pool, which must be fresh: what is then built there owes nothing to what
/// was built from the first. Symbols keep their names, roles and order.
Model copy(const Model& model, std::shared_ptr<sym::Pool> pool);

}  // namespace linkwright::model
