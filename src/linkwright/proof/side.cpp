#include "linkwright/proof/side.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/eom/visit.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::proof {

namespace {

std::vector<Expr> values(std::span<const Entry> entries) {
    std::vector<Expr> result;
    result.reserve(entries.size());
    for (const Entry& e : entries) result.push_back(e.value);
    return result;
}

}  // namespace

std::string mass_name(const EquationsOfMotion& e, std::size_t i, std::size_t j) {
    return fmt::format("M[{}, {}]", e.u[i].symbol().name, e.u[j].symbol().name);
}
std::string speed_name(std::string_view letter, const Expr& speed) { return fmt::format("{}[{}]", letter, speed.symbol().name); }

std::vector<Entry> entries(const EquationsOfMotion& e) {
    std::vector<Entry> list;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        for (std::size_t j = i; j < e.u.size(); ++j) list.push_back({EntryKind::mass, mass_name(e, i, j), e.M[i][j]});
        list.push_back({EntryKind::force, speed_name("f", e.u[i]), e.f[i]});
    }
    for (const eom::Constraint& c : e.constraints) {
        for (std::size_t j = 0; j < e.u.size(); ++j)
            list.push_back({EntryKind::constraint, fmt::format("G[{}, {}]", c.name, e.u[j].symbol().name), c.G[j]});
        list.push_back({EntryKind::gamma, fmt::format("gamma[{}]", c.name), c.gamma});
        list.push_back({EntryKind::phi, fmt::format("phi[{}]", c.name), c.phi});
        list.push_back({EntryKind::rate, fmt::format("rate[{}]", c.name), c.rate});
    }
    for (std::size_t i = 0; i < e.q.size(); ++i) list.push_back({EntryKind::rate, speed_name("rate", e.q[i]), e.qdot[i]});
    for (std::size_t i = 0; i < e.x.size(); ++i) list.push_back({EntryKind::rate, speed_name("rate", e.x[i]), e.xdot[i]});
    list.push_back({EntryKind::energy, "energy.kinetic", e.energy.kinetic});
    list.push_back({EntryKind::energy, "energy.potential", e.energy.potential});
    list.push_back({EntryKind::power, "power", e.power});
    for (std::size_t k = 0; k < 3; ++k) {
        list.push_back({EntryKind::momentum, fmt::format("momentum.linear.{}", "xyz"[k]), e.momentum.linear[k]});
        list.push_back({EntryKind::momentum, fmt::format("momentum.angular.{}", "xyz"[k]), e.momentum.angular[k]});
    }
    for (const eom::Output& o : e.outputs) list.push_back({EntryKind::output, fmt::format("output {}", o.name), o.value});
    for (const eom::Event& v : e.events) list.push_back({EntryKind::event, fmt::format("event {}", v.name), v.when});
    return list;
}

EquationsOfMotion carried(const EquationsOfMotion& equations, std::uint64_t seed) {
    EquationsOfMotion result = equations;
    result.pool = std::make_shared<sym::Pool>(sym::Pool::Options{.fold = false, .seed = seed});
    const sym::PoolScope scope(*result.pool);
    sym::Transplant over(*result.pool);
    result.poses.clear();
    result.partial_velocities.clear();
    eom::for_each_expression(result, [&](Expr& x) { x = over(x); });
    return result;
}

bool Side::has_point() const {
    return std::ranges::none_of(entries, [](const Entry& e) { return (e.value.node().flags & sym::Node::no_residue) != 0; });
}

Side make_side(std::string name, std::vector<Entry> list, const sym::Rational& division) {
    Side side{std::move(name), std::move(list), {}, division};
    side.degrees = sym::formal_degrees(values(side.entries), division);
    return side;
}

sym::Rational common_division(std::span<const Entry> entries, const sym::Rational& so_far) {
    return lcm(so_far, sym::angle_division(values(entries)));
}

}  // namespace linkwright::proof
