#include "linkwright/sym/substitute.hpp"

namespace linkwright::sym {

Substitution::Substitution(std::span<const Binding> replacements) {
    for (const auto& [from, to] : replacements) memo_.insert(from.id(), (Expr(from.pool(), Pool::zero_id) + to).id());
}

Expr Substitution::operator()(const Expr& e) {
    Pool& pool = e.pool();
    const auto work = [&](NodeId id) {
        const auto args = arguments(pool.node(id));
        std::array<Expr, 3> changed{Expr(pool, 0), Expr(pool, 0), Expr(pool, 0)};
        bool is_changed = false;
        for (std::size_t i = 0; i < args.size(); ++i) {
            changed[i] = Expr(pool, memo_.at(args[i]));
            is_changed = is_changed || changed[i].id() != args[i];
        }
        return is_changed ? rebuild(Expr(pool, id), std::span(changed.data(), args.size())).id() : id;
    };
    return {pool, walk_up(pool, e.id(), memo_, [](NodeId) { return std::optional<NodeId>(); }, work)};
}

}  // namespace linkwright::sym
