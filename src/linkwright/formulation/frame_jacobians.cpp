#include "linkwright/formulation/frame_jacobians.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/base/text.hpp"
#include "linkwright/formulation/outputs.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::formulation {

namespace {

using eom::FrameJacobian;
using model::Output;

/// A velocity, by rows.
struct Velocity {
    std::string name, about;
    std::vector<std::string> rows;
    std::vector<Expr> v;
};

class Frames {
public:
    explicit Frames(const System& system) : m_(system.mechanism), model_(*m_.model), sight_(system) {}

    static bool is_frame(const Output& o) { return o.kind == Output::Kind::position || o.kind == Output::Kind::orientation; }

    std::optional<Velocity> find(const std::string& name) const {
        for (const Output& o : model_.outputs) {
            if (o.name == name && is_frame(o)) return of_output(o);
        }
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            const std::string& body = model_.bodies[b].name;
            if (name == body) return of_point({b, {}, name});
            if (!name.starts_with(body + ".")) continue;
            if (const auto point = model::point_of(model_, b, std::string_view(name).substr(body.size() + 1))) {
                return of_point({point->body, point->at, name});
            }
        }
        return std::nullopt;
    }

    Velocity of_output(const Output& o) const {
        const std::string axes = o.in == model::ground ? "ground axes" : fmt::format("axes of '{}'", model_.bodies[o.in].name);
        if (o.kind == Output::Kind::orientation) {
            const spatial::Rotation R = m_.X_W[o.in].R.inverse() * m_.X_W[o.point.body].R;
            const Vec3 w = R * m_.V[o.point.body].w - m_.V[o.in].w;  // seen from the body in whose axes it is
            return {o.name, "angular velocity, " + axes, {"wx", "wy", "wz"}, {w.e.begin(), w.e.end()}};
        }
        const Vec3 v = sight_.velocity(o);
        const std::string from = o.relative_to ? fmt::format(" seen from '{}'", o.relative_to->name) : "";
        return {o.name, "velocity" + from + ", " + axes, {"vx", "vy", "vz"}, {v.e.begin(), v.e.end()}};
    }

    /// What else there is to name.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const Output& o : model_.outputs) {
            if (is_frame(o)) all.push_back(o.name);
        }
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            all.push_back(model_.bodies[b].name);
            for (const model::Point& p : model_.bodies[b].points) all.push_back(model_.bodies[b].name + "." + p.name);
        }
        return all;
    }

    FrameJacobian jacobian_of(Velocity velocity) const {
        std::vector<Expr> u;
        for (const kinematics::Freedom& f : m_.freedoms) u.push_back(f.u);
        FrameJacobian frame{std::move(velocity.name), std::move(velocity.about), std::move(velocity.rows), {}, {}, velocity.v, {}};
        frame.J = sym::zeros(frame.rows.size(), u.size());
        for (const auto& [row, column, value] : jacobian(velocity.v, u).entries) {
            frame.J[row][column] = value;
            frame.rest[row] -= value * u[column];
        }
        return frame;
    }

private:
    Velocity of_point(const model::PointOf& point) const {
        const Vec3 w = m_.X_W[point.body].R * m_.V[point.body].w, v = kinematics::velocity(m_, point);
        return {point.name,
                "angular velocity, then velocity, ground axes",
                {"wx", "wy", "wz", "vx", "vy", "vz"},
                {w[0], w[1], w[2], v[0], v[1], v[2]}};
    }

    const Mechanism& m_;
    const model::Model& model_;
    Observables sight_;
};

}  // namespace

std::vector<FrameJacobian> frame_jacobians(const System& system, bool all, std::span<const std::string> names, Diagnostics& problems) {
    const model::Model& model = *system.mechanism.model;
    const Frames frames(system);
    std::vector<FrameJacobian> result;
    for (const Output& o : model.outputs) {
        if (all && Frames::is_frame(o)) result.push_back(frames.jacobian_of(frames.of_output(o)));
    }
    const auto complain = [&](std::string what, std::string hint) {
        problems.push_back(
            {.severity = Diagnostic::Severity::error, .file = {}, .where = {0, 0}, .what = std::move(what), .hint = std::move(hint)});
    };
    for (const std::string& name : names) {
        if (std::ranges::find(result, name, &FrameJacobian::name) != result.end()) continue;
        if (auto velocity = frames.find(name)) {
            result.push_back(frames.jacobian_of(*std::move(velocity)));
            continue;
        }
        const auto meant = did_you_mean(name, frames.names());
        complain(fmt::format("there is no frame '{}'", name),
                 meant ? fmt::format("did you mean {}?", *meant)
                       : "a frame is an output that is a position or an orientation, a body, or BODY.POINT");
    }
    if (all && names.empty() && result.empty())
        complain("no frame is given, and the model has no output that is a position or an orientation",
                 "name a body or one of its points: --frame BODY.POINT");
    return result;
}

}  // namespace linkwright::formulation
