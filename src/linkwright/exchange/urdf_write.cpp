// A model as URDF.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linkwright/exchange/model_robot.hpp"
#include "linkwright/exchange/urdf.hpp"
#include "linkwright/exchange/xml_text.hpp"

namespace linkwright::exchange {

namespace {

using Kind = RobotJoint::Kind;
using toml::number;

std::string_view word_of(Kind kind) {
    switch (kind) {
        case Kind::revolute: return "continuous";
        case Kind::prismatic: return "prismatic";
        case Kind::floating: return "floating";
        default: return "fixed";
    }
}

class Writer {
public:
    explicit Writer(const Robot& robot) : robot_(robot) {}

    std::string write() {
        out_.open("robot", {{"name", robot_.name}});
        out_.empty("link", {{"name", world_}});
        for (const Link& link : robot_.links) write_link(link);
        for (const RobotJoint& joint : robot_.joints) write_joint(joint);
        for (const RobotJoint& joint : robot_.joints) {
            if (joint.is_driven) write_transmission(joint);
        }
        out_.close();
        return out_.text();
    }

private:
    const Robot& robot_;
    XmlText out_{};
    std::string world_ = "world";

    void write_origin(const Frame& frame) {
        if (frame != Frame{}) out_.empty("origin", {{"xyz", words(frame.at)}, {"rpy", words(frame.rpy)}});
    }

    void write_link(const Link& link) {
        out_.open("link", {{"name", link.name}});
        if (link.inertial) {
            const Inertial& own = *link.inertial;
            out_.open("inertial");
            write_origin({own.com, {}});
            out_.empty("mass", {{"value", number(own.mass)}});
            const Matrix& I = own.inertia;
            out_.empty("inertia", {{"ixx", number(I[0][0])},
                                   {"ixy", number(I[0][1])},
                                   {"ixz", number(I[0][2])},
                                   {"iyy", number(I[1][1])},
                                   {"iyz", number(I[1][2])},
                                   {"izz", number(I[2][2])}});
            out_.close();
        }
        for (const Visual& v : link.visuals) write_visual(v);
        out_.close();
    }

    void write_visual(const Visual& v) {
        out_.open("visual");
        write_origin(v.frame);
        out_.open("geometry");
        const std::string radius = number(v.radius), along = number(v.length);
        switch (v.kind) {
            case Visual::Kind::box: out_.empty("box", {{"size", words(v.size)}}); break;
            case Visual::Kind::sphere: out_.empty("sphere", {{"radius", radius}}); break;
            case Visual::Kind::cylinder: out_.empty("cylinder", {{"radius", radius}, {"length", along}}); break;
            case Visual::Kind::capsule: out_.empty("capsule", {{"radius", radius}, {"length", along}}); break;
            case Visual::Kind::mesh: out_.empty("mesh", {{"filename", v.file}, {"scale", words({v.scale, v.scale, v.scale})}}); break;
        }
        out_.close();
        if (v.colour.size() >= 3) {
            out_.open("material", {{"name", ""}});
            out_.empty("color", {{"rgba", words({v.colour[0], v.colour[1], v.colour[2]}) + " 1"}});
            out_.close();
        }
        out_.close();
    }

    const std::string& link_name(std::size_t link) const { return link == the_ground ? world_ : robot_.links[link].name; }

    void write_joint(const RobotJoint& j) {
        out_.open("joint", {{"name", j.name}, {"type", std::string(word_of(j.kind))}});
        write_origin(j.X_PF);
        out_.empty("parent", {{"link", link_name(j.parent)}});
        out_.empty("child", {{"link", link_name(j.child)}});
        if (!j.axes.empty()) out_.empty("axis", {{"xyz", words(j.axes.front())}});
        if (j.kind == Kind::prismatic) out_.empty("limit", {{"lower", "-1e6"}, {"upper", "1e6"}, {"effort", "1e6"}, {"velocity", "1e6"}});
        if (!j.damping.empty() && j.damping.front() != 0) out_.empty("dynamics", {{"damping", number(j.damping.front())}});
        if (j.mimic)
            out_.empty("mimic",
                       {{"joint", j.mimic->leader}, {"multiplier", number(j.mimic->multiplier)}, {"offset", number(j.mimic->offset)}});
        out_.close();
    }

    void write_transmission(const RobotJoint& j) {
        out_.open("transmission", {{"name", j.name + "_drive"}});
        out_.value("type", "transmission_interface/SimpleTransmission");
        out_.open("joint", {{"name", j.name}});
        out_.value("hardwareInterface", "hardware_interface/EffortJointInterface");
        out_.close();
        out_.open("actuator", {{"name", j.name + "_motor"}});
        out_.value("mechanicalReduction", "1");
        out_.close();
        out_.close();
    }
};

constexpr double standard_gravity = 9.81;

/// URDF has no gravity, and its readers have it along −z: the whole is turned so that the model's is there.
void stand_upright(Robot& robot, const model::Model& m, Diagnostics& problems) {
    const double g = length(robot.gravity);
    const auto warn = [&](std::string what) {
        problems.push_back(
            {.severity = Diagnostic::Severity::warning, .file = m.file, .where = {0, 0}, .what = std::move(what), .hint = {}});
    };
    if (std::abs(g - standard_gravity) > 1e-12)
        warn(fmt::format("URDF has no gravity: the model has {:.6g} m/s^2, readers of the file have 9.81", g));
    if (g == 0 || (robot.gravity[0] == 0 && robot.gravity[1] == 0 && robot.gravity[2] < 0)) return;
    // R takes z to where up is in the model; its inverse makes that z.
    const Frame up{{}, rpy_towards({-robot.gravity[0], -robot.gravity[1], -robot.gravity[2]})};
    const Frame turn = inverse(up);
    for (RobotJoint& joint : robot.joints) {
        if (joint.parent == the_ground) joint.X_PF = compose(turn, joint.X_PF);
    }
    warn("the ground is turned in the file: up is its z axis");
}

void refuse_other_joints(const Robot& robot, Diagnostics& problems, const model::Model& m) {
    for (const RobotJoint& j : robot.joints) {
        if (j.kind != Kind::ball && j.kind != Kind::screw) continue;
        problems.push_back(
            {.file = m.file,
             .where = {0, 0},
             .what = fmt::format("URDF has no {} joint, as '{}' is one", j.kind == Kind::ball ? "spherical" : "screw", j.name),
             .hint = "SDF has one: --to sdf"});
    }
}

}  // namespace

Written write_urdf(const model::Model& model, const Assembled&) {
    Written out;
    auto robot = robot_of(model, out.problems);
    if (!robot) return out;
    refuse_other_joints(*robot, out.problems, model);
    warn_of_armature(model, "URDF", out.problems);
    for (const RobotJoint& j : robot->joints) {
        if (std::ranges::any_of(j.stiffness, [](double k) { return k != 0; }))
            out.problems.push_back({.severity = Diagnostic::Severity::warning,
                                    .file = model.file,
                                    .where = {0, 0},
                                    .what = fmt::format("left out: the stiffness of the joint '{}', for which URDF has no word", j.name),
                                    .hint = {}});
    }
    if (std::ranges::any_of(out.problems, [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; })) return out;
    stand_upright(*robot, model, out.problems);
    out.text = Writer(*robot).write();
    return out;
}

}  // namespace linkwright::exchange
