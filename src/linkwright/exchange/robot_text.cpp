// A robot as the text of a model file.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "linkwright/exchange/robot.hpp"

namespace linkwright::exchange {

namespace {

using Kind = RobotJoint::Kind;
using Space = ModelText::Space;

/// Masses and lengths have names while a person can keep them in mind; a robot of more links has numbers.
constexpr std::size_t most_named_links = 60;

std::string_view word_of(Kind kind) {
    switch (kind) {
        case Kind::fixed: return "weld";
        case Kind::revolute: return "revolute";
        case Kind::prismatic: return "prismatic";
        case Kind::screw: return "screw";
        case Kind::universal: return "universal";
        case Kind::ball: return "spherical";
        case Kind::planar: return "planar";
        case Kind::floating: return "free";
    }
    return "weld";
}

class Writer {
public:
    Writer(const Robot& robot, Problems& problems)
        : robot_(robot), problems_(problems), text_(robot.name, robot.origin), has_names_(robot.links.size() <= most_named_links) {}

    Translation write() {
        head();
        for (const Link& link : robot_.links) bodies_.push_back(text_.claim(Space::body, link.name));
        for (const RobotJoint& joint : robot_.joints) {
            joints_.push_back(text_.claim(Space::joint, joint.name));
            by_name_.emplace(joint.name, joints_.size() - 1);
        }
        gravity();
        for (std::size_t i = 0; i < robot_.links.size(); ++i) body(i);
        for (std::size_t i = 0; i < robot_.joints.size(); ++i) joint(i);
        for (std::size_t i = 0; i < robot_.joints.size(); ++i) mimic(i);
        for (const RobotGear& gear : robot_.gears) write_gear(gear);
        for (std::size_t i = 0; i < robot_.links.size(); ++i) shapes(i);
        return text_.finish(std::move(problems_));
    }

private:
    const Robot& robot_;
    Problems& problems_;
    ModelText text_;
    bool has_names_;
    std::vector<std::string> bodies_, joints_;
    std::map<std::string, std::size_t> by_name_;

    void head() {
        if (robot_.left_out.empty()) return;
        const std::string words = fmt::format("left out: {}", fmt::join(robot_.left_out, ", "));
        text_.comment(words);
        problems_.note(robot_.origin, words);
    }

    std::string body_name(std::size_t link) const { return link == the_ground ? "ground" : bodies_[link]; }

    /// A number under a name of its own, or as it is; ready to stand in the text.
    std::string named(const std::string& wish, double value, const Origin& origin) {
        if (!has_names_ || value == 0) return toml::number(value);
        const std::string name = text_.claim(Space::quantity, wish);
        text_.parameter(name, toml::number(value), origin);
        return toml::quoted(name);
    }

    void gravity() {
        if (!robot_.gravity_remark.empty()) text_.comment(robot_.gravity_remark);
        const Vector& g = robot_.gravity;
        if (g[0] != 0 || g[1] != 0 || g[2] == 0) {
            if (length(g) > 0) text_.gravity({toml::number(g[0]), toml::number(g[1]), toml::number(g[2])}, robot_.origin);
            return;
        }
        const std::string name = text_.claim(Space::quantity, "g");
        text_.parameter(name, fmt::format("{{ value = {}, unit = \"m/s^2\" }}", toml::number(std::abs(g[2]))), robot_.origin);
        text_.gravity({"0", "0", toml::quoted((g[2] < 0 ? "-" : "") + name)}, robot_.origin);
    }

    void body(std::size_t i) {
        const Link& link = robot_.links[i];
        Block& block = text_.add("body", link.origin);
        block.key("name", toml::quoted(bodies_[i]));
        if (!link.inertial) return;
        const Inertial& own = *link.inertial;
        block.key("mass", named("m_" + link.name, own.mass, own.origin), own.origin);
        if (own.com != Vector{}) block.key("com", toml::vector(own.com), own.origin);
        const Matrix& I = own.inertia;
        if (I == Matrix{}) return;
        std::vector<std::string> entries{toml::number(I[0][0]), toml::number(I[1][1]), toml::number(I[2][2])};
        if (I[0][1] != 0 || I[0][2] != 0 || I[1][2] != 0) {
            for (const double product : {I[0][1], I[0][2], I[1][2]}) entries.push_back(toml::number(product));
        }
        block.key("inertia", toml::list(entries), own.origin);
    }

    void limits(Block& block, const std::vector<Limits>& all) {
        for (const Limits& l : all) {
            std::vector<std::string> words;
            if (l.lower || l.upper)
                words.push_back(
                    fmt::format("from {} to {}", l.lower ? toml::number(*l.lower) : "-inf", l.upper ? toml::number(*l.upper) : "inf"));
            if (l.velocity) words.push_back(fmt::format("speed up to {}", toml::number(*l.velocity)));
            if (l.effort) words.push_back(fmt::format("effort up to {}", toml::number(*l.effort)));
            if (!words.empty()) block.comment(fmt::format("limits: {}", fmt::join(words, ", ")));
        }
    }

    /// One scalar, or a list for several freedoms; nothing where all are 0.
    static void along(Block& block, std::string_view key, const std::vector<double>& values) {
        if (std::ranges::all_of(values, [](double x) { return x == 0; })) return;
        std::vector<std::string> words;
        for (const double x : values) words.push_back(toml::number(x));
        block.key(key, words.size() == 1 ? words.front() : toml::list(words));
    }

    std::string place(const std::string& joint, const Vector& at, const Origin& origin) {
        std::vector<std::string> entries;
        for (std::size_t k = 0; k < 3; ++k) entries.push_back(named(fmt::format("{}_{}", joint, "xyz"[k]), at[k], origin));
        return toml::list(entries);
    }

    void joint(std::size_t i) {
        const RobotJoint& j = robot_.joints[i];
        Block& block = text_.add("joint", j.origin);
        block.key("name", toml::quoted(joints_[i]));
        block.key("type", toml::quoted(word_of(j.kind)));
        block.key("parent", toml::quoted(body_name(j.parent)));
        block.key("child", toml::quoted(body_name(j.child)));
        Frame X_PF = j.X_PF, X_CF = j.X_CF;
        std::vector<Vector> axes = j.axes;
        if (j.kind == Kind::planar && !axes.empty()) {  // a normal that is no axis of the frame turns the frame
            const std::string normal = toml::axis(axes.front());
            if (normal.size() != 3) {
                const Frame turn{{}, rpy_towards(axes.front())};
                X_PF = compose(X_PF, turn);
                X_CF = compose(X_CF, turn);
                axes = {{0, 0, 1}};
            }
        }
        if (X_PF.at != Vector{}) block.key("parent_at", place(j.name, X_PF.at, j.origin));
        if (const std::string frame = toml::axes_rpy(X_PF.rpy); !frame.empty()) block.key("parent_axes", frame);
        if (X_CF.at != Vector{}) block.key("child_at", toml::vector(X_CF.at));
        if (const std::string frame = toml::axes_rpy(X_CF.rpy); !frame.empty()) block.key("child_axes", frame);
        if (axes.size() == 1) block.key("axis", toml::axis(axes.front()));
        if (axes.size() == 2) block.key("axes", toml::list({toml::axis(axes[0]), toml::axis(axes[1])}));
        if (j.kind == Kind::screw) block.key("pitch", toml::number(j.pitch));
        along(block, "stiffness", j.stiffness);
        along(block, "rest", j.rest);
        along(block, "damping", j.damping);
        if (j.is_driven) {
            const std::string input = text_.claim(Space::quantity, "tau_" + j.name);
            text_.input(input, "0", j.origin);
            block.key("actuator", toml::quoted(input));
        }
        limits(block, j.limits);
    }

    static bool has_one_freedom(const RobotJoint& j) {
        return j.kind == Kind::revolute || j.kind == Kind::prismatic || j.kind == Kind::screw;
    }

    const std::string* coordinate(const std::string& joint) const {
        const auto at = by_name_.find(joint);
        return at != by_name_.end() && has_one_freedom(robot_.joints[at->second]) ? &joints_[at->second] : nullptr;
    }

    void mimic(std::size_t i) {
        const RobotJoint& j = robot_.joints[i];
        if (!j.mimic || !has_one_freedom(j)) return;
        const Mimic& m = *j.mimic;
        const std::string* leader = coordinate(m.leader);
        const std::string offset = toml::number(m.offset);
        if (leader != nullptr && m.offset == 0 && m.multiplier != 0) {
            Block& gear = text_.add("gear", m.origin);
            gear.comment(fmt::format("{} = {}*{}", joints_[i], toml::number(m.multiplier), *leader));
            gear.key("drive", toml::quoted(joints_[i]));
            gear.key("driven", toml::quoted(*leader));
            gear.key("ratio", toml::number(m.multiplier));
            return;
        }
        Block& constraint = text_.add("constraint", m.origin);
        const std::string follows = leader == nullptr ? "" : fmt::format("{}*{} + ", toml::number(m.multiplier), *leader);
        constraint.key("holonomic", toml::quoted(fmt::format("{} - ({}{})", joints_[i], follows, offset)));
        text_.guess(joints_[i], offset, m.origin);
    }

    void write_gear(const RobotGear& g) {
        const std::string *drive = coordinate(g.drive), *driven = coordinate(g.driven);
        if (drive == nullptr || driven == nullptr) return;
        Block& gear = text_.add("gear", g.origin);
        gear.key("drive", toml::quoted(*drive));
        gear.key("driven", toml::quoted(*driven));
        gear.key("ratio", toml::number(g.ratio));
    }

    void shapes(std::size_t i) {
        for (const Visual& v : robot_.links[i].visuals) {
            Block& block = text_.add("shape", v.origin);
            block.key("on", toml::quoted(bodies_[i]));
            switch (v.kind) {
                case Visual::Kind::box:
                    block.key("type", "\"box\"");
                    block.key("size", toml::vector(v.size));
                    break;
                case Visual::Kind::sphere:
                    block.key("type", "\"sphere\"");
                    block.key("radius", toml::number(v.radius));
                    break;
                case Visual::Kind::cylinder:
                case Visual::Kind::capsule:
                    block.key("type", v.kind == Visual::Kind::cylinder ? "\"cylinder\"" : "\"capsule\"");
                    block.key("radius", toml::number(v.radius));
                    block.key("length", toml::number(v.length));
                    break;
                case Visual::Kind::mesh:
                    block.key("type", "\"mesh\"");
                    block.key("file", toml::quoted(v.file));
                    if (v.scale != 1) block.key("scale", toml::number(v.scale));
                    break;
            }
            if (v.frame.at != Vector{}) block.key("at", toml::vector(v.frame.at));
            if (const std::string axes = toml::axes_rpy(v.frame.rpy); !axes.empty()) block.key("axes", axes);
            if (!v.colour.empty()) block.key("colour", toml::colour(v.colour));
        }
    }
};

}  // namespace

Translation write_text(Robot robot, Problems problems) { return Writer(robot, problems).write(); }

}  // namespace linkwright::exchange
