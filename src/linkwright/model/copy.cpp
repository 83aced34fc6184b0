#include "linkwright/model/copy.hpp"

#include "linkwright/model/visit.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::model {

Model copy(const Model& model, std::shared_ptr<sym::Pool> pool) {
    Model result = model;
    sym::Transplant over(*pool);
    for (const sym::SymbolInfo& symbol : model.pool->symbols()) over(Expr(*model.pool, symbol.node));
    const sym::PoolScope scope(*pool);
    for_each_expression(result, [&](Expr& e) { e = over(e); });
    result.pool = std::move(pool);
    return result;
}

}  // namespace linkwright::model
