#include "linkwright/kinematics/rolling.hpp"

#include "linkwright/model/values.hpp"
#include "linkwright/spatial/exact.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::kinematics {

namespace {

using model::RollingType;

/// Whether an expression of the coordinates is negative where the model says the motion begins; what it does not say is 0.
bool is_negative_at_start(const model::Model& model, const Expr& e) {
    const model::ParameterValues parameters(model);
    const double value = sym::evaluate<double>(e, [&](const Expr& s) {
        for (const auto* list : {&model.initial, &model.guess}) {
            for (const model::InitialValue& v : *list) {
                if (v.symbol == s) return parameters(v.value);
            }
        }
        return s.symbol().role == sym::Role::parameter ? parameters(s) : 0.0;
    });
    return value < 0;
}

/// √(1 − x²): ± cos α when x is ± sin α, ± sin α when x is ± cos α, with the sign that the motion begins with. It vanishes
/// only when the disk lies flat, where rolling ends; a state on the other side is told by Branch.
Expr complement(const model::Model& model, const Expr& x) {
    const Expr positive = x.op() == sym::Op::mul && x.arg(0).is_literally(-1)   ? x.arg(1)
                          : x.op() == sym::Op::mul && x.arg(1).is_literally(-1) ? x.arg(0)
                                                                                : x;
    if (positive.op() != sym::Op::sin && positive.op() != sym::Op::cos) return sqrt(1 - x * x);
    const Expr root = positive.op() == sym::Op::sin ? cos(positive.arg(0)) : sin(positive.arg(0));
    return is_negative_at_start(model, root) ? -root : root;
}

}  // namespace

Contact roll(const Mechanism& m, const model::Rolling& rolling) {
    Contact c;
    c.normal = rolling.normal;
    const Vec3 centre = position(m, rolling.on), v = velocity(m, rolling.on);
    const Vec3 w = m.X_W[rolling.on.body].R * m.V[rolling.on.body].w;
    const Vec3 a = m.X_W[rolling.on.body].R * rolling.axis;
    Vec3 arm;     // from the centre to the point of contact
    Expr height;  // of the centre above the plane when it touches
    if (rolling.type == RollingType::sphere) {
        std::tie(c.along, c.across) = plane_axes(c.normal);
        arm = -(rolling.radius * c.normal);
        height = rolling.radius;
    } else {
        // The rim's lowest point lies along −(n − (n·a) a); the heading is across axis and normal [meijaard07].
        const Expr lean = dot(c.normal, a), upright = complement(*m.model, lean);
        c.along = (1 / upright) * cross(a, c.normal);
        c.across = cross(c.normal, c.along);
        if (rolling.type == RollingType::disk) {
            arm = (rolling.radius / upright) * (lean * a - c.normal);
            height = rolling.radius * upright;
            c.upright = upright;
        }
    }
    c.point = centre + arm;
    const Vec3 slip = v + cross(w, arm);
    const auto add = [&](const char* part, const char* holds, bool is_holonomic, const Expr& phi, const Expr& rate, const Vec3& direction) {
        const spatial::Rotation& R = m.X_W[rolling.on.body].R;
        const Vec3 f = R.back(direction);
        const Wrench on{cross(rolling.on.at + R.back(arm), f), f};
        c.rows.push_back({rolling.name + part,
                          "'" + rolling.name + "' is held " + holds,
                          is_holonomic,
                          phi,
                          rate,
                          {{rolling.on.body, on}},
                          rolling.where});
    };
    add(".normal", "on its plane", true, dot(centre - rolling.plane_at, c.normal) - height, 0, c.normal);
    if (rolling.type != RollingType::knife_edge) add(".along", "from slipping along its heading", false, 0, dot(slip, c.along), c.along);
    add(".across", "from slipping across it", false, 0, dot(slip, c.across), c.across);
    return c;
}

}  // namespace linkwright::kinematics
