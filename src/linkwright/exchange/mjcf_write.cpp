// A model as MJCF. Links without mass that lead to one other link are no bodies of their own: MuJoCo takes several joints a body, and no mass of zero.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "linkwright/exchange/mjcf.hpp"
#include "linkwright/exchange/mjcf_inertia.hpp"
#include "linkwright/exchange/model_robot.hpp"
#include "linkwright/exchange/xml_text.hpp"
#include "linkwright/model/values.hpp"

namespace linkwright::exchange {

namespace {

using Kind = RobotJoint::Kind;
using toml::number;

/// What a joint has in the model and not in a Robot.
using Armatures = std::map<std::string, double>;

Armatures armatures_of(const model::Model& m) {
    const model::ParameterValues value(m);
    Armatures all;
    for (const model::Joint& joint : m.joints)
        for (std::size_t i = 0; i < joint.armature.size(); ++i) {
            const double a = value(joint.armature[i]);
            all[joint.speeds.size() == 1 || i == 0 ? joint.name : ""] = a;
            if (i < joint.coordinates.size() && joint.coordinates.size() == joint.armature.size())
                all[joint.coordinates[i].symbol().name] = a;
        }
    all.erase("");
    return all;
}

class Writer {
public:
    Writer(const Robot& robot, Armatures armatures) : robot_(robot), armatures_(std::move(armatures)) {
        for (std::size_t j = 0; j < robot.joints.size(); ++j) below_[robot.joints[j].parent].push_back(j);
    }

    std::string write() {
        out_.open("mujoco", {{"model", robot_.name}});
        out_.empty("compiler", {{"angle", "radian"}, {"eulerseq", "XYZ"}, {"inertiafromgeom", "false"}});
        out_.empty("option", {{"gravity", words(robot_.gravity)}});
        write_meshes();
        out_.open("worldbody");
        write_below(the_ground);
        out_.close();
        write_gears();
        write_motors();
        out_.close();
        return out_.text();
    }

private:
    const Robot& robot_;
    const Armatures armatures_;
    XmlText out_{};
    std::map<std::size_t, std::vector<std::size_t>> below_{};

    /// A joint with its place and axis in the body that is written.
    struct Placed {
        const RobotJoint* joint;
        Frame X_BJ{};
    };

    void write_meshes() {
        std::map<std::string, std::string> files;
        for (const Link& link : robot_.links)
            for (const Visual& v : link.visuals)
                if (v.kind == Visual::Kind::mesh) files.try_emplace(mesh_name(v), v.file + " " + number(v.scale));
        if (files.empty()) return;
        out_.open("asset");
        std::set<std::string> done;
        for (const Link& link : robot_.links)
            for (const Visual& v : link.visuals)
                if (v.kind == Visual::Kind::mesh && done.insert(mesh_name(v)).second)
                    out_.empty("mesh", {{"name", mesh_name(v)}, {"file", v.file}, {"scale", words({v.scale, v.scale, v.scale})}});
        out_.close();
    }

    static std::string mesh_name(const Visual& v) { return v.scale == 1 ? v.file : v.file + "*" + number(v.scale); }

    bool is_passed(std::size_t link) const {
        const auto below = below_.find(link);
        const Link& own = robot_.links[link];
        const auto moves_by_one = [](Kind kind) { return kind == Kind::revolute || kind == Kind::prismatic; };
        return (!own.inertial || own.inertial->mass == 0) && own.visuals.empty() && below != below_.end() && below->second.size() == 1 &&
               (moves_by_one(robot_.joints[below->second.front()].kind) || robot_.joints[below->second.front()].kind == Kind::ball);
    }

    void write_below(std::size_t link) {
        const auto below = below_.find(link);
        if (below == below_.end()) return;
        for (const std::size_t j : below->second) write_body(j);
    }

    // Joints in a row, until a link that is a body.
    void write_body(std::size_t first) {
        std::vector<Placed> row;
        Frame X_PB{};
        std::size_t j = first;
        for (;;) {
            const RobotJoint& joint = robot_.joints[j];
            for (Placed& before : row) before.X_BJ = compose(inverse(joint.X_PF), before.X_BJ);
            X_PB = compose(X_PB, joint.X_PF);
            row.push_back({&joint});
            if (joint.kind == Kind::floating || joint.kind == Kind::fixed || joint.kind == Kind::ball || !is_passed(joint.child)) break;
            j = below_.at(joint.child).front();
        }
        const std::size_t end = robot_.joints[j].child;
        const Link& link = robot_.links[end];
        XmlText::Attributes place{{"name", link.name}};
        if (X_PB.at != Vector{}) place.emplace_back("pos", words(X_PB.at));
        if (X_PB.rpy != Vector{}) place.emplace_back("euler", words(X_PB.rpy));
        out_.open("body", place);
        for (const Placed& placed : row) write_joint(placed);
        write_inertial(link);
        for (const Visual& v : link.visuals) write_geom(v);
        write_below(end);
        out_.close();
    }

    void write_joint(const Placed& placed) {
        const RobotJoint& joint = *placed.joint;
        if (joint.kind == Kind::fixed) return;
        XmlText::Attributes a{{"name", joint.name}};
        const auto first = [](const std::vector<double>& v) { return v.empty() ? 0.0 : v.front(); };
        const auto armature = armatures_.find(joint.name);
        switch (joint.kind) {
            case Kind::floating: a.emplace_back("type", "free"); break;
            case Kind::ball: a.emplace_back("type", "ball"); break;
            case Kind::prismatic: a.emplace_back("type", "slide"); break;
            default: a.emplace_back("type", "hinge"); break;
        }
        if (!joint.axes.empty()) a.emplace_back("axis", words(rotation(placed.X_BJ.rpy) * joint.axes.front()));
        if (placed.X_BJ.at != Vector{} && joint.kind != Kind::floating) a.emplace_back("pos", words(placed.X_BJ.at));
        if (first(joint.damping) != 0) a.emplace_back("damping", number(first(joint.damping)));
        if (first(joint.stiffness) != 0) a.emplace_back("stiffness", number(first(joint.stiffness)));
        if (first(joint.rest) != 0) a.emplace_back("springref", number(first(joint.rest)));
        if (armature != armatures_.end() && armature->second != 0) a.emplace_back("armature", number(armature->second));
        out_.empty("joint", a);
    }

    // Principal moments and axes, which are read back as they are; MuJoCo would find those of a full tensor less well.
    void write_inertial(const Link& link) {
        if (!link.inertial) return;
        const Inertial& own = *link.inertial;
        const Matrix& I = own.inertia;
        XmlText::Attributes a{{"mass", number(own.mass)}, {"pos", words(own.com)}};
        if (I[0][1] == 0 && I[0][2] == 0 && I[1][2] == 0) {
            a.emplace_back("diaginertia", words({I[0][0], I[1][1], I[2][2]}));
        } else {
            Eigen::Matrix3d tensor;
            tensor << I[0][0], I[0][1], I[0][2], I[1][0], I[1][1], I[1][2], I[2][0], I[2][1], I[2][2];
            const mjcf::Principal axes = mjcf::find_principal(tensor, 0);
            const mjcf::Turn q(axes.R);
            const Eigen::Vector3d& A = axes.moments;
            a.emplace_back("quat", fmt::format("{} {} {} {}", number(q.w()), number(q.x()), number(q.y()), number(q.z())));
            a.emplace_back("diaginertia", words({A.x(), A.y(), A.z()}));
        }
        out_.empty("inertial", a);
    }

    void write_geom(const Visual& v) {
        XmlText::Attributes a;
        switch (v.kind) {
            case Visual::Kind::box: a = {{"type", "box"}, {"size", words({v.size[0] / 2, v.size[1] / 2, v.size[2] / 2})}}; break;
            case Visual::Kind::sphere: a = {{"type", "sphere"}, {"size", number(v.radius)}}; break;
            case Visual::Kind::cylinder: a = {{"type", "cylinder"}, {"size", number(v.radius) + " " + number(v.length / 2)}}; break;
            case Visual::Kind::capsule: a = {{"type", "capsule"}, {"size", number(v.radius) + " " + number(v.length / 2)}}; break;
            case Visual::Kind::mesh: a = {{"type", "mesh"}, {"mesh", mesh_name(v)}}; break;
        }
        if (v.frame.at != Vector{}) a.emplace_back("pos", words(v.frame.at));
        if (v.frame.rpy != Vector{}) a.emplace_back("euler", words(v.frame.rpy));
        a.insert(a.end(), {{"mass", "0"}, {"contype", "0"}, {"conaffinity", "0"}, {"group", "2"}});
        if (v.colour.size() >= 3) a.emplace_back("rgba", words({v.colour[0], v.colour[1], v.colour[2]}) + " 1");
        out_.empty("geom", a);
    }

    void write_gears() {
        const bool has_mimic = std::ranges::any_of(robot_.joints, [](const RobotJoint& j) { return j.mimic.has_value(); });
        if (robot_.gears.empty() && !has_mimic) return;
        out_.open("equality");
        for (const RobotGear& gear : robot_.gears)
            out_.empty("joint",
                       {{"joint1", gear.drive}, {"joint2", gear.driven}, {"polycoef", fmt::format("0 {} 0 0 0", number(gear.ratio))}});
        for (const RobotJoint& j : robot_.joints)
            if (j.mimic)
                out_.empty("joint", {{"joint1", j.name},
                                     {"joint2", j.mimic->leader},
                                     {"polycoef", fmt::format("{} {} 0 0 0", number(j.mimic->offset), number(j.mimic->multiplier))}});
        out_.close();
    }

    void write_motors() {
        if (std::ranges::none_of(robot_.joints, &RobotJoint::is_driven)) return;
        out_.open("actuator");
        for (const RobotJoint& j : robot_.joints)
            if (j.is_driven && (j.kind == Kind::revolute || j.kind == Kind::prismatic))
                out_.empty("motor", {{"name", j.name + "_motor"}, {"joint", j.name}});
        out_.close();
    }
};

void refuse_other_joints(const Robot& robot, const model::Model& m, Diagnostics& problems) {
    for (const RobotJoint& j : robot.joints) {
        if (j.kind == Kind::screw)
            problems.push_back({.file = m.file,
                                .where = {0, 0},
                                .what = fmt::format("MJCF has no screw, as the joint '{}' is one", j.name),
                                .hint = "SDF has one: --to sdf"});
        const bool is_moved = j.kind == Kind::floating && (j.parent != the_ground || j.X_PF != Frame{});
        if (is_moved)
            problems.push_back({.file = m.file,
                                .where = {0, 0},
                                .what = fmt::format("a free joint of MJCF starts at the origin of the world, and '{}' elsewhere", j.name),
                                .hint = "let its frame in the parent be that of the ground"});
    }
}

}  // namespace

Written write_mjcf(const model::Model& model) {
    Written out;
    const auto robot = robot_of(model, out.problems);
    if (!robot) return out;
    refuse_other_joints(*robot, model, out.problems);
    if (std::ranges::any_of(out.problems, [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; })) return out;
    out.text = Writer(*robot, armatures_of(model)).write();
    return out;
}

}  // namespace linkwright::exchange
