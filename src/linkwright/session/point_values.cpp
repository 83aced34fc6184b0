#include "linkwright/session/point_values.hpp"

#include <algorithm>

#include "linkwright/sym/dependency.hpp"

namespace linkwright::session {

PointValues::PointValues(const model::Model& model, const eom::EquationsOfMotion& equations)
    : model_(model), e_(equations), points_(model) {}

std::optional<sym::Expr> PointValues::operator()(std::string_view name) const {
    const sym::PoolScope scope(*e_.pool);
    const auto [base, primes] = model::without_primes(name);
    const auto at = points_(base);
    if (!at || primes > 2) return std::nullopt;
    const auto here = [&](const sym::Expr& x) {  // numbers alone may come from elsewhere
        return &x.pool() == e_.pool.get() ? x : transplant(std::span(&x, 1), *e_.pool).front();
    };
    const auto component = [&]() -> sym::Expr {
        if (at->point.body == model::ground)
            return at->is_of_rotation ? sym::Expr(at->row == at->column ? 1 : 0) : here(at->point.at[at->row]);
        const eom::BodyPose& pose = e_.poses[at->point.body - 1];  // every body but the ground has one, in the model's order
        const auto& R = pose.R[at->row];
        if (at->is_of_rotation) return here(R[at->column]);
        sym::Expr sum = here(pose.p[at->row]);
        for (std::size_t k = 0; k < 3; ++k) sum += here(R[k]) * here(at->point.at[k]);
        return sum;
    };
    return rate_of(component(), primes, e_);
}

std::optional<sym::Expr> rate_of(const sym::Expr& value, std::size_t primes, const eom::EquationsOfMotion& e) {
    if (primes == 0) return value;
    const sym::PoolScope scope(*e.pool);
    sym::Tangent rate(eom::rates(e));
    sym::Expr x = value;
    for (std::size_t k = 0; k < primes; ++k) {
        const bool has_rate = std::ranges::none_of(symbols_in(x), [](const sym::Expr& s) {
            const sym::Role role = s.symbol().role;
            return role == sym::Role::input || role == sym::Role::acceleration || role == sym::Role::multiplier;
        });
        if (!has_rate) return std::nullopt;
        x = rate(x);
    }
    return x;
}

}  // namespace linkwright::session
