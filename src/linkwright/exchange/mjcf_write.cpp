// A model as MJCF. Links without mass that lead to one other link are no bodies of their own: MuJoCo takes several joints a body, and no mass of zero.
//
// Loops are equalities: a spherical joint is a connect, a revolute one two of them along its axis, a weld a weld, a rod the length of a tendon between two
// sites. A connect holds what coincides where the file shows the bodies; so they are shown where the loops are closed, and `ref` says which
// coordinates that is. A ball has no `ref`: where one is turned there, sites say what is held, which MuJoCo 3.2 reads.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
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
        for (std::size_t j = 0; j < robot.joints.size(); ++j) {
            below_[robot.joints[j].parent].push_back(j);
            by_name_.emplace(robot.joints[j].name, j);
        }
        by_sites_ = needs_sites(robot);
        n_ = find_normal();
        add_sites();
    }

    static bool needs_sites(const Robot& robot) {
        const bool has_points = std::ranges::any_of(robot.closures, [](const Closure& c) { return c.kind != Closure::Kind::weld; });
        return has_points && std::ranges::any_of(robot.joints, [](const RobotJoint& j) {
                   return j.kind == Kind::ball && length(j.shown_frame.rpy) > 1e-12;
               });
    }

    std::string write() {
        out_.open("mujoco", {{"model", robot_.name}});
        out_.empty("compiler", {{"angle", "radian"}, {"eulerseq", "XYZ"}, {"inertiafromgeom", "false"}});
        out_.empty("option", {{"gravity", words(robot_.gravity)}});
        write_meshes();
        out_.open("worldbody");
        write_sites(the_ground);
        write_below(the_ground);
        out_.close();
        write_tendons();
        write_equalities();
        write_actuators();
        out_.close();
        return out_.text();
    }

    // MuJoCo asks that no moment be more than the sum of the others. Where everything turns about one direction the others have no part in any equation, and files
    // of plane mechanisms often leave them out: here they become what a lamina has.
    Matrix rounded_out(Matrix I, std::size_t link) const {
        if (!n_ || I[0][1] != 0 || I[0][2] != 0 || I[1][2] != 0) return I;
        const Vector n = transposed(rotation(world_frame(link).rpy)) * *n_;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
            if (std::abs(std::abs(n[k]) - 1) > 1e-9) continue;
            if (I[i][i] + I[j][j] < I[k][k]) I[i][i] = I[j][j] = I[k][k];
        }
        return I;
    }

private:
    const Robot& robot_;
    const Armatures armatures_;
    XmlText out_{};
    std::map<std::size_t, std::vector<std::size_t>> below_{};
    std::map<std::string, std::size_t, std::less<>> by_name_{};  ///< joints
    bool by_sites_ = false;
    std::optional<Vector> n_{};  ///< of the world: all bodies turn about it, if they turn

    struct Site {
        std::string name;
        Vector at;
    };
    std::map<std::size_t, std::vector<Site>> sites_{};  ///< of links

    /// What a joint does where the file shows it.
    static Frame shown(const RobotJoint& j) {
        if (j.kind == Kind::floating) return j.shown_frame;
        if (j.shown == 0 || j.axes.empty()) return {};
        const Vector& a = j.axes.front();
        if (j.kind == Kind::prismatic) return {{a[0] * j.shown, a[1] * j.shown, a[2] * j.shown}, {}};
        if (j.kind != Kind::revolute) return {};
        for (std::size_t k = 0; k < 3; ++k) {  // an axis of coordinates: the angle stays what it is
            if (std::abs(a[k]) != 1) continue;
            Frame X;
            X.rpy[k] = a[k] * j.shown;
            if (k != 1 || std::abs(j.shown) <= std::numbers::pi / 2) return X;
        }
        Matrix R = identity();
        const double s = std::sin(j.shown), c = std::cos(j.shown);
        const Matrix K{{{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}}, K2 = K * K;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) R[i][k] += s * K[i][k] + (1 - c) * K2[i][k];
        return {{}, rpy_of(R)};
    }

    Frame world_frame(std::size_t link) const {
        Frame X;
        while (link != the_ground) {
            const auto held = std::ranges::find(robot_.joints, link, &RobotJoint::child);
            if (held == robot_.joints.end()) break;
            X = compose(compose(held->X_PF, shown(*held)), X);
            link = held->parent;
        }
        return X;
    }

    /// The direction about which everything turns; empty when there are several, or bodies that turn freely. Of a mechanism that only slides it is any.
    std::optional<Vector> find_normal() const {
        std::optional<Vector> n;
        for (const RobotJoint& j : robot_.joints) {
            if (j.kind == Kind::prismatic || j.kind == Kind::fixed) continue;
            if (j.kind != Kind::revolute) return {};
            const Vector a = rotation(world_frame(j.child).rpy) * j.axes.front();
            if (!n) n = a;
            if (length(cross(*n, a)) > 1e-9) return {};
        }
        return n;
    }

    static Vector point_of(const Frame& X, const Vector& in_frame) { return sum(X.at, rotation(X.rpy) * in_frame); }

    void add_sites() {
        for (const Distance& d : robot_.distances) {
            sites_[d.a].push_back({d.name + "_from", d.at_a});
            sites_[d.b].push_back({d.name + "_to", d.at_b});
        }
        for (const RobotSite& site : robot_.sites) sites_[site.link].push_back({site.name, site.at});
        if (!by_sites_) return;
        for (const Closure& c : robot_.closures) {
            if (c.kind == Closure::Kind::weld) continue;
            for (const std::string& part : parts_of(c)) {
                const Vector along = part == c.name ? Vector{} : c.axis;
                sites_[c.a].push_back({part + "_1", point_of(c.X_AF, along)});
                sites_[c.b].push_back({part + "_2", point_of(c.X_BF, along)});
            }
        }
    }

    /// An axis is held at two points, the second a length of 1 along it.
    static std::vector<std::string> parts_of(const Closure& c) {
        return c.kind == Closure::Kind::axis ? std::vector<std::string>{c.name, c.name + "_axis"} : std::vector<std::string>{c.name};
    }

    void write_sites(std::size_t link) {
        const auto own = sites_.find(link);
        if (own == sites_.end()) return;
        for (const Site& site : own->second) out_.empty("site", {{"name", site.name}, {"pos", words(site.at)}});
    }

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
        return (!own.inertial || own.inertial->mass == 0) && own.visuals.empty() && !is_held(link) && below != below_.end() &&
               below->second.size() == 1 &&
               (moves_by_one(robot_.joints[below->second.front()].kind) || robot_.joints[below->second.front()].kind == Kind::ball);
    }

    bool is_held(std::size_t link) const {
        return sites_.contains(link) || std::ranges::any_of(robot_.closures, [&](const Closure& c) { return c.a == link || c.b == link; });
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
            const Frame X = compose(joint.X_PF, shown(joint));
            for (Placed& before : row) before.X_BJ = compose(inverse(X), before.X_BJ);
            X_PB = compose(X_PB, X);
            row.push_back({&joint});
            if (joint.kind == Kind::floating || joint.kind == Kind::fixed || joint.kind == Kind::ball || !is_passed(joint.child)) break;
            j = below_.at(joint.child).front();
        }
        const std::size_t end = robot_.joints[j].child;
        const Link& link = robot_.links[end];
        XmlText::Attributes place{{"name", link.name}};
        if (X_PB.at != Vector{}) place.emplace_back("pos", words(X_PB.at));
        if (X_PB.rpy != Vector{}) place.emplace_back("euler", words(X_PB.rpy));
        if (link.gravity_compensation != 0) place.emplace_back("gravcomp", number(link.gravity_compensation));
        out_.open("body", place);
        for (const Placed& placed : row) write_joint(placed);
        write_inertial(link, end);
        write_sites(end);
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
        if (joint.shown != 0) a.emplace_back("ref", number(joint.shown));
        if (armature != armatures_.end() && armature->second != 0) a.emplace_back("armature", number(armature->second));
        out_.empty("joint", a);
    }

    // Principal moments and axes, which are read back as they are; MuJoCo would find those of a full tensor less well.
    void write_inertial(const Link& link, std::size_t index) {
        if (!link.inertial) return;
        const Inertial& own = *link.inertial;
        const Matrix I = rounded_out(own.inertia, index);
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

    void write_tendons() {
        const auto is_long = [](const Coupling& c) { return c.terms.size() > 2; };
        if (robot_.distances.empty() && robot_.tendons.empty() && std::ranges::none_of(robot_.couplings, is_long)) return;
        out_.open("tendon");
        for (const Distance& d : robot_.distances) {
            out_.open("spatial", {{"name", d.name}});
            out_.empty("site", {{"site", d.name + "_from"}});
            out_.empty("site", {{"site", d.name + "_to"}});
            out_.close();
        }
        for (const Coupling& c : robot_.couplings)
            if (is_long(c)) write_fixed({{"name", c.name}}, c.terms);
        for (const RobotTendon& t : robot_.tendons) {
            XmlText::Attributes a{{"name", t.name}};
            if (t.stiffness != 0) a.insert(a.end(), {{"stiffness", number(t.stiffness)}, {"springlength", number(t.length)}});
            if (t.damping != 0) a.emplace_back("damping", number(t.damping));
            write_fixed(a, t.terms);
        }
        out_.close();
    }

    void write_fixed(const XmlText::Attributes& a, const std::vector<std::pair<std::string, double>>& terms) {
        out_.open("fixed", a);
        for (const auto& [joint, coefficient] : terms) out_.empty("joint", {{"joint", joint}, {"coef", number(coefficient)}});
        out_.close();
    }

    void write_equalities() {
        if (robot_.couplings.empty() && robot_.closures.empty() && robot_.distances.empty()) return;
        out_.open("equality");
        for (const Closure& c : robot_.closures) write_closure(c);
        for (const Distance& d : robot_.distances) {
            const Vector a = point_of(world_frame(d.a), d.at_a), b = point_of(world_frame(d.b), d.at_b);
            const double gap = d.length - length(sum(a, {-b[0], -b[1], -b[2]}));
            out_.empty(
                "tendon",
                {{"name", d.name}, {"tendon1", d.name}, {"polycoef", number(std::abs(gap) < 1e-9 * d.length ? 0 : gap) + " 0 0 0 0"}});
        }
        for (const Coupling& c : robot_.couplings) write_coupling(c);
        out_.close();
    }

    std::string name_of(std::size_t link) const { return link == the_ground ? "world" : robot_.links[link].name; }

    // A point in the axes of body1, and in those of body2 where the file shows them.
    void write_closure(const Closure& c) {
        if (c.kind == Closure::Kind::weld) {
            const Frame X = compose(c.X_AF, inverse(c.X_BF));
            const mjcf::Turn q = quaternion(X.rpy);
            out_.empty("weld", {{"name", c.name},
                                {"body1", name_of(c.a)},
                                {"body2", name_of(c.b)},
                                {"relpose",
                                 fmt::format("{} {} {} {} {}", words(X.at), number(q.w()), number(q.x()), number(q.y()), number(q.z()))}});
            return;
        }
        for (const std::string& part : parts_of(c)) {
            XmlText::Attributes a{{"name", part}};
            if (by_sites_)
                a.insert(a.end(), {{"site1", part + "_1"}, {"site2", part + "_2"}});
            else
                a.insert(a.end(), {{"body1", name_of(c.a)},
                                   {"body2", name_of(c.b)},
                                   {"anchor", words(point_of(c.X_AF, part == c.name ? Vector{} : c.axis))}});
            out_.empty("connect", a);
        }
    }

    static mjcf::Turn quaternion(const Vector& rpy) {
        const Matrix R = rotation(rpy);
        Eigen::Matrix3d r;
        r << R[0][0], R[0][1], R[0][2], R[1][0], R[1][1], R[1][2], R[2][0], R[2][1], R[2][2];
        return mjcf::Turn(r);
    }

    double shown_of(const std::string& joint) const {
        const auto at = by_name_.find(joint);
        return at == by_name_.end() ? 0 : robot_.joints[at->second].shown;
    }

    // Counted from where the file shows the joints: y − y₀ = c₀ + c₁(x − x₀). The first coefficient of those that tendons do not take becomes 1.
    void write_coupling(const Coupling& c) {
        double rest = c.constant, size = std::abs(c.constant);
        for (const auto& [joint, coefficient] : c.terms) {
            rest += coefficient * shown_of(joint);
            size += std::abs(coefficient * shown_of(joint));
        }
        if (std::abs(rest) < 1e-12 * size) rest = 0;
        if (c.terms.size() > 2)
            return out_.empty("tendon", {{"name", c.name}, {"tendon1", c.name}, {"polycoef", number(-rest) + " 0 0 0 0"}});
        auto terms = c.terms;
        if (terms.size() == 2 && std::abs(terms[0].second) != 1 && std::abs(terms[1].second) == 1) std::swap(terms[0], terms[1]);
        const double a = terms[0].second;
        XmlText::Attributes words{{"name", c.name}, {"joint1", terms[0].first}};
        if (terms.size() == 2) words.emplace_back("joint2", terms[1].first);
        words.emplace_back("polycoef",
                           fmt::format("{} {} 0 0 0", number(-rest / a + 0.0), number(terms.size() == 2 ? -terms[1].second / a : 0)));
        out_.empty("joint", words);
    }

    void write_actuators() {
        if (robot_.actuators.empty()) return;
        out_.open("actuator");
        for (const RobotActuator& a : robot_.actuators) write_actuator(a);
        out_.close();
    }

    static std::string row(const auto& numbers) {
        std::vector<std::string> all;
        for (const double x : numbers) all.push_back(number(x + 0.0));
        while (all.size() > 1 && all.back() == "0") all.pop_back();
        return fmt::format("{}", fmt::join(all, " "));
    }

    // By the shortest word that says it; old versions of MuJoCo know no kv of a position servo.
    void write_actuator(const RobotActuator& a) {
        static constexpr std::array words{"joint", "tendon", "site"};
        XmlText::Attributes out{{"name", a.name}, {words[static_cast<std::size_t>(a.pull)], a.target}};
        const bool is_plain = a.gain[1] == 0 && a.gain[2] == 0 && a.dynamics == RobotActuator::Dynamics::none;
        const auto [b0, b1, b2] = a.bias;
        auto gear = a.gear;
        if (is_plain && b0 == 0 && b1 == 0 && b2 == 0 && a.gain[0] != 0) {
            for (double& g : gear) g *= a.gain[0];
            if (row(gear) != "1") out.emplace_back("gear", row(gear));
            return out_.empty("motor", out);
        }
        if (row(gear) != "1") out.emplace_back("gear", row(gear));
        if (is_plain && a.gain[0] != 0 && b0 == 0 && b2 == 0 && a.gain[0] == -b1) {
            out.emplace_back("kp", number(a.gain[0]));
            return out_.empty("position", out);
        }
        if (is_plain && a.gain[0] != 0 && b0 == 0 && b1 == 0 && a.gain[0] == -b2) {
            out.emplace_back("kv", number(a.gain[0]));
            return out_.empty("velocity", out);
        }
        if (a.dynamics == RobotActuator::Dynamics::integrator) out.emplace_back("dyntype", "integrator");
        if (a.dynamics == RobotActuator::Dynamics::filter)
            out.insert(out.end(), {{"dyntype", "filter"}, {"dynprm", number(a.time_constant)}});
        const bool is_fixed = a.gain[1] == 0 && a.gain[2] == 0;
        out.insert(out.end(), {{"gaintype", is_fixed ? "fixed" : "affine"}, {"gainprm", row(a.gain)}});
        if (b0 != 0 || b1 != 0 || b2 != 0) out.insert(out.end(), {{"biastype", "affine"}, {"biasprm", row(a.bias)}});
        out_.empty("general", out);
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

/// What MuJoCo will not load, though the file says what the model does.
void warn_of_light_bodies(const Robot& robot, const Writer& writer, const model::Model& m, Diagnostics& problems) {
    const auto is_round = [](const Inertial& i) {
        const double x = i.inertia[0][0], y = i.inertia[1][1], z = i.inertia[2][2];
        return i.mass > 1e-15 && x > 1e-15 && y > 1e-15 && z > 1e-15 && x + y >= z && y + z >= x && z + x >= y;
    };
    std::vector<std::string> light;
    for (const RobotJoint& j : robot.joints) {
        if (j.kind == Kind::fixed || j.child == the_ground || !robot.links[j.child].inertial) continue;
        Inertial own = *robot.links[j.child].inertial;
        own.inertia = writer.rounded_out(own.inertia, j.child);
        if (!is_round(own)) light.push_back("'" + robot.links[j.child].name + "'");
    }
    if (light.empty()) return;
    problems.push_back({.severity = Diagnostic::Severity::warning,
                        .file = m.file,
                        .where = {0, 0},
                        .what = fmt::format("MuJoCo loads no moving body without mass, or whose moments of inertia no solid has: {}",
                                            fmt::join(light, ", ")),
                        .hint = "give it some in the model, or add boundmass, boundinertia, balanceinertia to <compiler> of the file"});
}

void warn_of_sites(const model::Model& m, Diagnostics& problems) {
    problems.push_back(
        {.severity = Diagnostic::Severity::warning,
         .file = m.file,
         .where = {0, 0},
         .what = "a spherical joint is turned where the loops are closed: sites say what is held, which MuJoCo reads from 3.2 on",
         .hint = "cut the loop at the spherical joint (cut = true) for older ones"});
}

}  // namespace

Written write_mjcf(const model::Model& model, const Assembled& assembled) {
    Written out;
    const auto robot = robot_with_loops(model, assembled, out.problems);
    if (!robot) return out;
    refuse_other_joints(*robot, model, out.problems);
    if (std::ranges::any_of(out.problems, [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; })) return out;
    Writer writer(*robot, armatures_of(model));
    warn_of_light_bodies(*robot, writer, model, out.problems);
    if (Writer::needs_sites(*robot)) warn_of_sites(model, out.problems);
    out.text = writer.write();
    return out;
}

}  // namespace linkwright::exchange
