#include "linkwright/model/model.hpp"

#include <algorithm>

#include "linkwright/model/visit.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::model {

Model empty_model(std::string name) {
    Model m;
    m.pool = std::make_shared<sym::Pool>();
    m.name = std::move(name);
    m.t = m.pool->symbol("t", sym::Role::time);
    Body world;
    world.name = "ground";
    m.bodies.push_back(std::move(world));
    const sym::PoolScope scope(*m.pool);
    for_each_expression(m, [](Expr& e) {
        if (e.is_literally(0)) e = Expr();  // zeros made in the pool that was current outside
    });
    return m;
}

std::optional<BodyIndex> find_body(const Model& model, std::string_view name) {
    const auto at = std::ranges::find(model.bodies, name, &Body::name);
    if (at == model.bodies.end()) return std::nullopt;
    return static_cast<BodyIndex>(at - model.bodies.begin());
}

std::optional<std::size_t> find_joint(const Model& model, std::string_view name) {
    const auto at = std::ranges::find(model.joints, name, &Joint::name);
    if (at == model.joints.end()) return std::nullopt;
    return static_cast<std::size_t>(at - model.joints.begin());
}

void freeze(Model& model, const std::vector<std::string>& names) {
    const sym::PoolScope scope(*model.pool);
    const auto is_frozen = [&](const auto& x) { return std::ranges::find(names, x.symbol.symbol().name) != names.end(); };
    std::vector<sym::Binding> bindings;
    for (const Parameter& p : model.parameters) {
        if (is_frozen(p)) bindings.emplace_back(p.symbol, p.value);
    }
    for (const Input& w : model.inputs) {
        if (is_frozen(w)) bindings.emplace_back(w.symbol, w.value);
    }
    std::erase_if(model.parameters, is_frozen);
    std::erase_if(model.inputs, is_frozen);
    std::erase_if(model.symbols, [&](const SymbolText& s) { return std::ranges::find(names, s.name) != names.end(); });

    // Values hold names that are frozen, too; there are no circles, so the names are gone after finitely many rounds.
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        sym::Substitution once(bindings);
        for (auto& [symbol, value] : bindings) {
            const Expr next = once(value);
            goes_on = goes_on || next != value;
            value = next;
        }
    }
    sym::Substitution put(bindings);
    for_each_expression(model, [&](Expr& e) { e = put(e); });
}

}  // namespace linkwright::model
