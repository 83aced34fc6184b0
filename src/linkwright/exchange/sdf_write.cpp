// A model as SDF.

#include <fmt/format.h>

#include <numbers>

#include "linkwright/exchange/model_robot.hpp"
#include "linkwright/exchange/sdf.hpp"
#include "linkwright/exchange/xml_text.hpp"

namespace linkwright::exchange {

namespace {

using Kind = RobotJoint::Kind;
using toml::number;

std::string_view word_of(Kind kind) {
    switch (kind) {
        case Kind::revolute: return "continuous";
        case Kind::prismatic: return "prismatic";
        case Kind::screw: return "screw";
        case Kind::ball: return "ball";
        default: return "fixed";
    }
}

class Writer {
public:
    explicit Writer(const Robot& robot) : robot_(robot), holder_(robot.links.size(), nullptr) {
        for (const RobotJoint& joint : robot.joints) {
            if (joint.child != the_ground) holder_[joint.child] = &joint;
        }
    }

    std::string write() {
        out_.open("sdf", {{"version", "1.11"}});
        out_.open("world", {{"name", "world"}});
        out_.value("gravity", words(robot_.gravity));
        out_.open("model", {{"name", robot_.name}});
        for (std::size_t i = 0; i < robot_.links.size(); ++i) write_link(i);
        for (const RobotJoint& joint : robot_.joints) write_joint(joint);
        out_.close();
        out_.close();
        out_.close();
        return out_.text();
    }

private:
    const Robot& robot_;
    std::vector<const RobotJoint*> holder_;  ///< of each link the joint that holds it
    XmlText out_{};

    void write_pose(const Frame& frame, const std::string& relative_to = {}) {
        XmlText::Attributes attributes;
        if (!relative_to.empty()) attributes.emplace_back("relative_to", relative_to);
        if (frame != Frame{} || !relative_to.empty()) out_.value("pose", words(frame.at) + " " + words(frame.rpy), attributes);
    }

    std::string frame_of(std::size_t link) const { return link == the_ground ? "__model__" : robot_.links[link].name; }

    void write_link(std::size_t i) {
        const Link& link = robot_.links[i];
        out_.open("link", {{"name", link.name}});
        if (const RobotJoint* joint = holder_[i]) {  // the link stands where its joint does; nothing holds one that floats
            if (joint->kind == Kind::floating) write_pose(joint->X_PF, frame_of(joint->parent));
            if (joint->kind != Kind::floating) write_pose({}, joint->name);
        }
        const Inertial own = link.inertial.value_or(Inertial{});
        out_.open("inertial");
        write_pose({own.com, {}});
        out_.value("mass", number(own.mass));
        out_.open("inertia");
        static constexpr std::array<std::tuple<std::string_view, std::size_t, std::size_t>, 6> entries{
            {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}}};
        for (const auto& [name, row, column] : entries) out_.value(name, number(own.inertia[row][column]));
        out_.close();
        out_.close();
        for (std::size_t k = 0; k < link.visuals.size(); ++k) write_visual(link.visuals[k], fmt::format("visual_{}", k + 1));
        out_.close();
    }

    void write_visual(const Visual& v, const std::string& name) {
        out_.open("visual", {{"name", name}});
        write_pose(v.frame);
        out_.open("geometry");
        switch (v.kind) {
            case Visual::Kind::box:
                out_.open("box");
                out_.value("size", words(v.size));
                break;
            case Visual::Kind::sphere:
                out_.open("sphere");
                out_.value("radius", number(v.radius));
                break;
            case Visual::Kind::cylinder:
            case Visual::Kind::capsule:
                out_.open(v.kind == Visual::Kind::cylinder ? "cylinder" : "capsule");
                out_.value("radius", number(v.radius));
                out_.value("length", number(v.length));
                break;
            case Visual::Kind::mesh:
                out_.open("mesh");
                out_.value("uri", v.file);
                out_.value("scale", words({v.scale, v.scale, v.scale}));
                break;
        }
        out_.close();
        out_.close();
        if (v.colour.size() >= 3) {
            out_.open("material");
            out_.value("diffuse", words({v.colour[0], v.colour[1], v.colour[2]}) + " 1");
            out_.close();
        }
        out_.close();
    }

    void write_joint(const RobotJoint& j) {
        if (j.kind == Kind::floating) return;
        out_.open("joint", {{"name", j.name}, {"type", std::string(word_of(j.kind))}});
        write_pose(j.X_PF, frame_of(j.parent));
        out_.value("parent", j.parent == the_ground ? "world" : robot_.links[j.parent].name);
        out_.value("child", robot_.links[j.child].name);
        if (j.kind == Kind::screw) out_.value("screw_thread_pitch", number(j.pitch * 2 * std::numbers::pi));
        if (!j.axes.empty()) write_axis(j);
        out_.close();
    }

    void write_axis(const RobotJoint& j) {
        out_.open("axis");
        out_.value("xyz", words(j.axes.front()));
        if (!j.damping.empty() && (j.damping[0] != 0 || j.stiffness[0] != 0)) {
            out_.open("dynamics");
            out_.value("damping", number(j.damping[0]));
            out_.value("spring_stiffness", number(j.stiffness[0]));
            out_.value("spring_reference", number(j.rest[0]));
            out_.close();
        }
        if (j.mimic) {
            out_.open("mimic", {{"joint", j.mimic->leader}});
            out_.value("multiplier", number(j.mimic->multiplier));
            out_.value("offset", number(j.mimic->offset));
            out_.value("reference", "0");
            out_.close();
        }
        out_.close();
    }
};

}  // namespace

Written write_sdf(const model::Model& model, const Assembled&) {
    Written out;
    const auto robot = robot_of(model, out.problems);
    if (!robot) return out;
    warn_of_armature(model, "SDF", out.problems);
    for (const RobotJoint& j : robot->joints) {
        if (!j.is_driven) continue;
        out.problems.push_back({.severity = Diagnostic::Severity::warning,
                                .file = model.file,
                                .where = {0, 0},
                                .what = "left out: inputs that act along joints, for which SDF has no word",
                                .hint = {}});
        break;
    }
    out.text = Writer(*robot).write();
    return out;
}

}  // namespace linkwright::exchange
