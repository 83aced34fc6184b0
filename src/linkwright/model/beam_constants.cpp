#include "linkwright/model/beam_constants.hpp"

namespace linkwright::model {

Expr BeamConstants::operator()(const std::string& kind, const std::string& of, const Expr& value, std::string unit, std::string about) {
    if (value.is_literally(0)) return 0;
    const auto [at, is_new] = known_.try_emplace({kind, value.id()}, Expr(0));
    if (!is_new) return at->second;
    Parameter p;
    p.symbol = model_.pool->symbol(prefix_ + kind + of, sym::Role::parameter);
    p.value = value;
    p.unit = std::move(unit);
    p.about = std::move(about);
    p.where = where_;
    p.is_shape_constant = true;
    model_.parameters.push_back(p);
    return at->second = p.symbol;
}

}  // namespace linkwright::model
