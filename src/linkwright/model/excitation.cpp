#include "linkwright/model/excitation.hpp"

#include <fmt/format.h>

#include "linkwright/model/values.hpp"

namespace linkwright::model {

namespace {

/// Three primes at least: no other symbol has so many.
Expr symbol(Model& m, const std::string& name, std::size_t rate) {
    return m.pool->symbol(name + std::string(3 + rate, '\''), sym::Role::input);
}

Excitation excite(Model& m, std::string name, std::string unit, Expr& motion, const Expr& tau) {
    Excitation e{std::move(name), std::move(unit), {}, motion};
    Expr power = 1;
    const std::array<Expr, 3> over{1, 1, sym::Rational(1, 2)};
    for (std::size_t k = 0; k < 3; ++k) {
        e.inputs[k] = m.inputs.size();
        m.inputs.push_back({symbol(m, e.name, k), 0, "", "", {}});
        motion += over[k] * m.inputs.back().symbol * power;
        power *= tau;
    }
    return e;
}

}  // namespace

bool is_deviation(const Expr& input) { return input.symbol().name.ends_with("'''"); }

std::vector<Excitation> excite(Model& m) {
    std::vector<Excitation> all;
    if (m.motions.empty() && m.joint_motions.empty()) return all;
    const sym::PoolScope scope(*m.pool);
    const Expr begin = symbol(m, "t", 0), tau = m.t - begin;
    const auto units = coordinate_units(m);
    for (Motion& motion : m.motions) {
        const auto unit = units.find(motion.coordinate.id());
        all.push_back(excite(m, motion.coordinate.symbol().name, unit == units.end() ? "" : unit->second, motion.equals, tau));
    }
    for (JointMotion& motion : m.joint_motions) {
        const Joint& joint = m.joints[motion.joint];
        const std::size_t travels = *quaternion_at(joint.type);
        for (std::size_t k = 0; k < travels; ++k)
            all.push_back(excite(m, fmt::format("{}.given{}", joint.name, k + 1), "m", motion.translation[k], tau));
        for (std::size_t k = 0; k < motion.angles.size(); ++k)
            all.push_back(excite(m, fmt::format("{}.turn{}", joint.name, k + 1), "rad", motion.angles[k], tau));
    }
    m.inputs.push_back({begin, m.t, "s", "", {}});
    return all;
}

}  // namespace linkwright::model
