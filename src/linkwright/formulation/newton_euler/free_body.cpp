#include "linkwright/formulation/newton_euler/free_body.hpp"

namespace linkwright::formulation::newton_euler {

FreeBody free_body(const BodySystem& bodies, BodyIndex b) {
    const Mechanism& m = bodies.system.mechanism;
    const model::Body& body = m.model->bodies[b];
    const Wrench& load = bodies.system.loads.on[b];
    const auto& [w, v] = bodies.speeds[b];
    FreeBody r{body.inertia, body.mass, load.t - cross(body.com, load.f), load.f + m.X_W[b].R.back(body.mass * m.model->gravity), {}, {}};
    Vec3 H = body.inertia * w;
    for (const auto& c : m.contributions[b]) {
        H += c->momentum().t;
        r.gyroscopic += c->momentum_rate(m.V[b]).t;
    }
    r.gyroscopic += cross(w, H);
    r.turning = body.mass * cross(w, v);
    return r;
}

}  // namespace linkwright::formulation::newton_euler
