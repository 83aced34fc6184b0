#include "linkwright/sym/substitute.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

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

void Transplant::keep_to(const Expr& e) {
    if (source_ == nullptr) source_ = &e.pool();
    if (source_ != &e.pool()) throw std::invalid_argument("a Transplant copies from one pool");
}

void Transplant::replace(const Expr& symbol, const Expr& by) {
    keep_to(symbol);
    memo_.insert(symbol.id(), (Expr(*target_, Pool::zero_id) + by).id());
}

Expr Transplant::operator()(const Expr& e) {
    if (e.is_number()) return {*target_, target_->make_number(e.number())};
    keep_to(e);
    Pool& source = e.pool();
    const auto work = [&](NodeId id) {
        const Expr like(source, id);
        const auto args = arguments(source.node(id));
        if (like.is_number()) return target_->make_number(like.number());
        if (like.is_symbol()) {
            const SymbolInfo& s = like.symbol();
            if (s.quaternion >= 0 && !target_->find_symbol(s.name)) {
                std::array<std::string, 4> names;
                const Quaternion& group = source.quaternions()[s.quaternion];
                std::ranges::transform(group.e, names.begin(), [&](NodeId n) { return source.symbol_info(n).name; });
                target_->quaternion(names);
            }
            return target_->symbol(s.name, s.role).id();
        }
        if (args.empty()) return id;  // undefined and π have the same number in every pool
        if (like.op() == Op::pow) return target_->pow(memo_.at(args[0]), like.exponent());
        std::array<Expr, 3> copied{Expr(*target_, 0), Expr(*target_, 0), Expr(*target_, 0)};
        for (std::size_t i = 0; i < args.size(); ++i) copied[i] = Expr(*target_, memo_.at(args[i]));
        return rebuild(like, std::span(copied.data(), args.size())).id();
    };
    return {*target_, walk_up(source, e.id(), memo_, [](NodeId) { return std::optional<NodeId>(); }, work)};
}

}  // namespace linkwright::sym
