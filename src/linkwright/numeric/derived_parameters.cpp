#include "linkwright/numeric/derived_parameters.hpp"

#include <algorithm>

#include "linkwright/sym/dependency.hpp"

namespace linkwright::numeric {

using Index = Eigen::Index;

DerivedParameters::DerivedParameters(const CompiledEquations& numbers) : numbers_(numbers) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const sym::PoolScope scope(*e.pool);
    for (std::size_t i = 0; i < e.parameters.size(); ++i) {
        const Expr& value = e.parameters[i].value;
        if (value.is_number()) continue;
        Follower follower{i, {}};
        for (const Expr& s : sym::symbols_in(value)) {
            for (std::size_t k = 0; k < e.parameters.size(); ++k) {
                if (e.parameters[k].symbol == s) follower.by.emplace_back(k, sym::derivative(value, s));
            }
        }
        if (!follower.by.empty()) followers_.push_back(std::move(follower));
    }
}

std::vector<VectorXd> DerivedParameters::derivatives(std::span<const std::size_t> parameters) const {
    const eom::EquationsOfMotion& e = numbers_.equations();
    struct Now {
        Index parameter;
        std::vector<std::pair<Index, double>> by;
    };
    std::vector<Now> now;
    for (const Follower& f : followers_) {
        const auto i = static_cast<Index>(f.parameter);
        if (numbers_.constant(e.parameters[f.parameter].value) != numbers_.parameters()[i]) continue;  // given a value of its own
        now.push_back({i, {}});
        for (const auto& [k, by] : f.by) now.back().by.emplace_back(k, numbers_.constant(by));
    }
    std::vector<VectorXd> all;
    for (const std::size_t p : parameters) {
        VectorXd derivatives = VectorXd::Unit(e.parameters.size(), static_cast<Index>(p));
        bool is_new = true;
        for (std::size_t round = 0; is_new && round <= now.size(); ++round) {  // as often as the longest chain of formulas asks for
            is_new = false;
            for (const Now& f : now) {
                if (f.parameter == static_cast<Index>(p)) continue;
                double derivative = 0;
                for (const auto& [k, by] : f.by) {
                    if (derivatives[k] != 0) derivative += by * derivatives[k];
                }
                is_new |= derivative != derivatives[f.parameter];
                derivatives[f.parameter] = derivative;
            }
        }
        all.push_back(std::move(derivatives));
    }
    return all;
}

std::vector<std::size_t> DerivedParameters::reached_from(std::span<const std::size_t> parameters) const {
    std::vector<bool> is_reached(numbers_.equations().parameters.size(), false);
    for (const std::size_t p : parameters) is_reached[p] = true;
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (const Follower& f : followers_) {
            if (is_reached[f.parameter] || std::ranges::none_of(f.by, [&](const auto& by) { return is_reached[by.first]; })) continue;
            is_reached[f.parameter] = is_new = true;
        }
    }
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < is_reached.size(); ++k) {
        if (is_reached[k]) list.push_back(k);
    }
    return list;
}

}  // namespace linkwright::numeric
