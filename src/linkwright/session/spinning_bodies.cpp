#include "linkwright/session/spinning_bodies.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::session {

std::vector<linear::SpinningBody> spinning_bodies(const model::Model& model, const eom::EquationsOfMotion& e) {
    if (e.poses.size() + 1 != model.bodies.size()) return {};
    const sym::PoolScope scope(*e.pool);
    sym::Transplant moved(*e.pool);
    std::set<std::string> known{e.t.symbol().name};
    const auto know = [&](const sym::Expr& s) { known.insert(s.symbol().name); };
    for (const auto* list : {&e.q, &e.u, &e.x}) std::ranges::for_each(*list, know);
    for (const eom::Parameter& p : e.parameters) know(p.symbol);
    for (const eom::Input& w : e.inputs) know(w.symbol);
    const auto here = [&](const sym::Expr& x) {
        const auto is_known = [&](const sym::Expr& s) { return known.contains(s.symbol().name); };
        return std::ranges::all_of(symbols_in(x), is_known) ? moved(x) : sym::Expr(0);
    };
    std::vector<linear::SpinningBody> found;
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
        const model::Body& body = model.bodies[b];
        linear::SpinningBody r{here(body.mass), {}, {}};
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) r.inertia[i][j] = here(body.inertia[i][j]);
            for (const model::Rotor& wheel : body.rotors)
                r.wheels[i] += here(wheel.axis[i]) * here(wheel.inertia) * here(wheel.speed ? *wheel.speed : *wheel.spin);
        }
        found.push_back(std::move(r));
    }
    return found;
}

}  // namespace linkwright::session
