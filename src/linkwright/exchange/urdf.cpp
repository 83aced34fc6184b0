#include "linkwright/exchange/urdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "linkwright/base/text.hpp"
#include "linkwright/exchange/mesh_path.hpp"
#include "linkwright/exchange/robot.hpp"

namespace linkwright::exchange {

namespace {

namespace fs = std::filesystem;
using xml::Element;
using Kind = RobotJoint::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 9> kinds{{{"revolute", Kind::revolute},
                                                                  {"continuous", Kind::revolute},
                                                                  {"prismatic", Kind::prismatic},
                                                                  {"fixed", Kind::fixed},
                                                                  {"floating", Kind::floating},
                                                                  {"planar", Kind::planar},
                                                                  {"ball", Kind::ball},
                                                                  {"spherical", Kind::ball},
                                                                  {"universal", Kind::universal}}};

/// <origin xyz rpy>, wherever it stands.
Frame frame_of(const Element& holder, Problems& problems, std::string_view name = "origin") {
    const Element origin = holder.child(name);
    Frame frame;
    if (!origin) return frame;
    if (const auto xyz = xml::vector(origin, "xyz", problems)) frame.at = *xyz;
    if (const auto rpy = xml::vector(origin, "rpy", problems)) frame.rpy = *rpy;
    return frame;
}

class Reader {
public:
    Reader(const xml::Document& document, Problems& problems, const TranslateOptions& options)
        : root_(document.root()), problems_(problems), options_(options), folder_(fs::path(problems.files.front()).parent_path()) {}

    std::optional<Robot> read() {
        if (is_xacro()) return std::nullopt;
        robot_.name = root_.attribute("name").value_or("robot");
        robot_.origin = root_.origin();
        robot_.gravity_remark = "URDF has no gravity: here it is 9.81 m/s^2, downwards along z";
        for (const Element& material : root_.children("material")) read_material(material);
        for (const Element& link : root_.children("link")) read_link(link);
        add_world();
        for (const Element& e : root_.children()) {
            if (e.name() == "joint" || e.name() == "drake:joint") read_joint(e);
        }
        for (const Element& e : root_.children()) read_other(e);
        check_mimics();
        if (robot_.links.empty() && problems_.is_ok())
            problems_.error(root_.origin(), "this robot has no links", "write <link name=\"…\"/>");
        if (problems_.is_ok()) check_tree();
        if (!problems_.is_ok()) return std::nullopt;
        add_base();
        for (const Element& loop : root_.children("loop_joint")) read_loop(loop);
        if (!problems_.is_ok()) return std::nullopt;
        robot_.left_out = left_out_.words();
        return std::move(robot_);
    }

private:
    Element root_;
    Problems& problems_;
    const TranslateOptions& options_;
    fs::path folder_;
    Robot robot_{};
    LeftOut left_out_{};
    std::map<std::string, std::vector<double>> materials_{};
    std::map<std::string, std::size_t> links_{}, joints_{};
    std::vector<std::size_t> inward_{};  ///< of each link the joint whose child it is

    // --- the whole ---

    bool is_xacro() {
        std::vector<Element> todo = root_.children();
        const auto is_macro = [](const Element& e) { return e.name().starts_with("xacro:"); };
        auto at = std::ranges::find_if(todo, is_macro);
        if (at == todo.end()) return false;
        const auto defines = [&](const Element& e) {
            const std::string_view word = is_macro(e) ? e.name().substr(6) : std::string_view{};
            return word == "macro" || word == "include" || word == "property" || word == "arg" || word == "if" || word == "unless";
        };
        if (std::ranges::none_of(todo, defines) && root_.child("link")) {
            problems_.warning(at->origin(), fmt::format("<{}> was not expanded by xacro: what it stands for is missing", at->name()));
            return false;
        }
        problems_.error(at->origin(), "this is a xacro file, a macro that makes a URDF",
                        fmt::format("expand it first: xacro {} > robot.urdf", problems_.files.front()));
        return true;
    }

    /// Some files name a parent 'world' and have no such link: it is the ground.
    void add_world() {
        if (links_.contains("world")) return;
        const auto hangs = [](const Element& joint) { return joint.child("parent").attribute("link").value_or("") == "world"; };
        if (std::ranges::none_of(root_.children("joint"), hangs)) return;
        links_.emplace("world", robot_.links.size());
        robot_.links.push_back({.name = "world", .origin = root_.origin()});
    }

    void read_other(const Element& e) {
        const std::string_view name = e.name();
        for (const std::string_view known : {"link", "joint", "drake:joint", "material", "loop_joint"}) {
            if (name == known) return;
        }
        if (name == "transmission") return read_transmission(e);
        if (name == "ros2_control") return read_ros2_control(e);
        left_out_.add(fmt::format("<{}>", name));
    }

    void drive(const Element& joint) {
        const std::string name = joint.attribute("name").value_or("");
        const auto at = joints_.find(name);
        if (at == joints_.end()) return problems_.warning(joint.origin(), fmt::format("there is no joint '{}' to drive", name));
        RobotJoint& driven = robot_.joints[at->second];
        driven.is_driven = driven.kind == Kind::revolute || driven.kind == Kind::prismatic;
    }

    void read_transmission(const Element& e) {
        const std::vector<Element> joints = e.children("joint");
        if (joints.size() != 1) return left_out_.add("<transmission> of several joints");
        drive(joints.front());
    }

    void read_ros2_control(const Element& e) {
        for (const Element& joint : e.children("joint")) {
            const std::vector<Element> commands = joint.children("command_interface");
            if (std::ranges::any_of(commands, [](const Element& c) { return c.attribute("name") == "effort"; })) drive(joint);
        }
    }

    void twice(const Element& e, const std::string& name, const Origin& first) {
        problems_.error(e.origin_of("name"), fmt::format("the {} '{}' is there already", e.name(), name),
                        fmt::format("the first is in line {}; give this one another name", first.where.line));
    }

    // --- links ---

    void read_material(const Element& e) {
        const Element color = e.child("color");
        const std::string name = e.attribute("name").value_or("");
        if (e.child("texture")) left_out_.add("<texture>");
        if (!color || name.empty()) return;
        const auto rgba = xml::numbers(color, "rgba", problems_);
        if (rgba && rgba->size() >= 3 && !materials_.try_emplace(name, *rgba).second && materials_[name] != *rgba)
            left_out_.add(fmt::format("second colour of a material ('{}')", name));
    }

    std::vector<double> colour_of(const Element& visual) {
        const Element material = visual.child("material");
        if (!material) return {};
        if (const Element color = material.child("color")) {
            const auto rgba = xml::numbers(color, "rgba", problems_);
            if (rgba && rgba->size() >= 3) {
                if (const auto name = material.attribute("name"); name && !name->empty()) materials_.try_emplace(*name, *rgba);
                return *rgba;
            }
        }
        const auto at = materials_.find(material.attribute("name").value_or(""));
        return at == materials_.end() ? std::vector<double>{} : at->second;
    }

    void read_link(const Element& e) {
        const auto name = xml::required(e, "name", problems_);
        if (!name) return;
        const auto [at, is_new] = links_.try_emplace(*name, robot_.links.size());
        if (!is_new) return twice(e, *name, robot_.links[at->second].origin);
        Link link;
        link.name = *name;
        link.origin = e.origin();
        if (const Element inertial = e.child("inertial")) link.inertial = read_inertial(inertial);
        for (const Element& visual : e.children("visual")) {
            if (auto shape = read_visual(visual)) link.visuals.push_back(std::move(*shape));
        }
        for (const Element& child : e.children()) {
            const std::string_view n = child.name();
            if (n != "inertial" && n != "visual") left_out_.add(fmt::format("<{}>", n));
        }
        robot_.links.push_back(std::move(link));
    }

    Inertial read_inertial(const Element& e) {
        Inertial own;
        own.origin = e.origin();
        const Frame frame = frame_of(e, problems_);
        own.com = frame.at;
        if (const Element mass = e.child("mass")) own.mass = xml::number(mass, "value", problems_).value_or(0);
        const Element tensor = e.child("inertia");
        if (!tensor) return own;
        const auto entry = [&](std::string_view name) { return xml::number(tensor, name, problems_).value_or(0); };
        const double xx = entry("ixx"), yy = entry("iyy"), zz = entry("izz"), xy = entry("ixy"), xz = entry("ixz"), yz = entry("iyz");
        own.inertia = turned(rotation(frame.rpy), {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}});
        return own;
    }

    std::optional<Visual> read_visual(const Element& e) {
        const std::vector<Element> all = e.child("geometry").children();
        if (all.empty()) return std::nullopt;
        const Element& geometry = all.front();
        Visual v;
        v.origin = e.origin();
        v.frame = frame_of(e, problems_);
        v.colour = colour_of(e);
        v.radius = xml::number(geometry, "radius", problems_).value_or(0);
        v.length = xml::number(geometry, "length", problems_).value_or(0);
        const std::string_view name = geometry.name();
        if (name == "box") {
            v.size = xml::vector(geometry, "size", problems_).value_or(Vector{});
            return is_seen(v.size[0] > 0 && v.size[1] > 0 && v.size[2] > 0, v);
        }
        if (name == "sphere") return v.kind = Visual::Kind::sphere, is_seen(v.radius > 0, v);
        if (name == "cylinder") return v.kind = Visual::Kind::cylinder, is_seen(v.radius > 0 && v.length > 0, v);
        if (name == "capsule") return v.kind = Visual::Kind::capsule, is_seen(v.radius > 0 && v.length > 0, v);
        if (name == "mesh") return read_mesh(geometry, v);
        left_out_.add(fmt::format("shape <{}>", name));
        return std::nullopt;
    }

    std::optional<Visual> is_seen(bool has_size, const Visual& v) {
        if (has_size) return v;
        left_out_.add("shape without size");
        return std::nullopt;
    }

    std::optional<Visual> read_mesh(const Element& e, Visual& v) {
        const std::string uri = e.attribute("filename").value_or("");
        const auto file = find_mesh(uri, folder_);
        if (!file) return left_out_.add("mesh that is not found"), std::nullopt;
        if (!is_drawn(*file))
            return left_out_.add(fmt::format("mesh in '{}' (STL and OBJ are drawn)", file->extension().string())), std::nullopt;
        const fs::path& from = options_.folder.empty() ? folder_ : options_.folder;
        std::error_code ignored;
        v.kind = Visual::Kind::mesh;
        v.file = fs::proximate(*file, from.empty() ? fs::path(".") : from, ignored).generic_string();
        if (const auto scale = xml::numbers(e, "scale", problems_); scale && !scale->empty()) {
            v.scale = scale->front();
            if (std::ranges::any_of(*scale, [&](double s) { return s != v.scale; })) left_out_.add("mesh scale that differs by axis");
        }
        return is_seen(v.scale > 0, v);
    }

    // --- joints ---

    std::optional<std::size_t> link_at(const Element& joint, std::string_view role) {
        const Element e = joint.child(role);
        if (!e) {
            problems_.error(joint.origin(), fmt::format("the joint '{}' has no <{}>", joint.attribute("name").value_or(""), role),
                            fmt::format("write <{} link=\"…\"/> in it", role));
            return std::nullopt;
        }
        return link_named(e);
    }

    std::optional<std::size_t> link_named(const Element& e) {
        const auto name = xml::required(e, "link", problems_);
        if (!name) return std::nullopt;
        if (const auto at = links_.find(*name); at != links_.end()) return at->second;
        std::string hint = "every link that a joint names must be there";
        if (links_.size() < 2000 && problems_.errors < 50) {
            std::vector<std::string> known;
            for (const auto& [link, index] : links_) known.push_back(link);
            if (const auto meant = did_you_mean(*name, known)) hint = fmt::format("did you mean '{}'?", *meant);
        }
        problems_.error(e.origin_of("link"), fmt::format("there is no link '{}'", *name), hint);
        return std::nullopt;
    }

    std::optional<Kind> kind_of(const Element& e) {
        const auto type = xml::required(e, "type", problems_);
        if (!type) return std::nullopt;
        for (const auto& [word, kind] : kinds) {
            if (*type == word) return kind;
        }
        std::vector<std::string> known;
        for (const auto& [word, kind] : kinds) known.emplace_back(word);
        const auto meant = did_you_mean(*type, known);
        problems_.error(
            e.origin_of("type"), fmt::format("unknown type of joint '{}'", *type),
            meant ? fmt::format("did you mean '{}'?", *meant) : "there are revolute, continuous, prismatic, fixed, floating, planar");
        return std::nullopt;
    }

    void read_axis(const Element& e, RobotJoint& joint) {
        if (joint.kind == Kind::universal) return joint.axes = {{1, 0, 0}, {0, 1, 0}}, void();
        if (joint.kind == Kind::fixed || joint.kind == Kind::floating || joint.kind == Kind::ball) return;
        const Element axis = e.child("axis");
        joint.axes = {{1, 0, 0}};
        if (!axis) return;
        const auto v = xml::vector(axis, "xyz", problems_);
        if (!v) return;
        const double size = length(*v);
        if (!(size > 1e-100) || size > 1e100)
            return problems_.error(axis.origin_of("xyz"), fmt::format("the axis of the joint '{}' has no direction", joint.name),
                                   "write an axis that is not zero, as xyz=\"0 0 1\"");
        if (std::abs(size - 1) > 1e-3)
            problems_.note(axis.origin_of("xyz"),
                           fmt::format("the axis of the joint '{}' has the length {:.6g}; its direction counts", joint.name, size));
        joint.axes = {*v};
    }

    void read_joint(const Element& e) {
        const auto name = xml::required(e, "name", problems_);
        if (name && joints_.contains(*name)) return twice(e, *name, robot_.joints[joints_[*name]].origin);
        const auto kind = kind_of(e);
        const auto parent = link_at(e, "parent"), child = link_at(e, "child");
        RobotJoint joint;
        joint.name = name.value_or("");
        joint.origin = e.origin();
        joint.kind = kind.value_or(Kind::fixed);
        joint.X_PF = frame_of(e, problems_);
        read_axis(e, joint);
        if (const Element dynamics = e.child("dynamics")) read_dynamics(dynamics, joint);
        if (const Element limit = e.child("limit")) read_limit(limit, joint);
        if (const Element mimic = e.child("mimic")) read_mimic(mimic, joint);
        for (const Element& other : e.children()) {
            static const std::set<std::string_view> known{"origin", "parent", "child", "axis", "dynamics", "limit", "mimic"};
            if (!known.contains(other.name())) left_out_.add(fmt::format("<{}>", other.name()));
        }
        if (!name || !kind || !parent || !child) return;
        joint.parent = *parent;
        joint.child = *child;
        if (*parent == *child)
            return problems_.error(e.origin(), fmt::format("the joint '{}' connects a link with itself", *name), "name another <child>");
        joints_.emplace(*name, robot_.joints.size());
        robot_.joints.push_back(std::move(joint));
    }

    std::size_t freedoms(const RobotJoint& joint) const {
        switch (joint.kind) {
            case Kind::fixed: return 0;
            case Kind::floating: return 6;
            case Kind::planar:
            case Kind::ball: return 3;
            case Kind::universal: return 2;
            default: return 1;
        }
    }

    void read_dynamics(const Element& e, RobotJoint& joint) {
        const double damping = xml::number(e, "damping", problems_).value_or(0);
        if (damping != 0) joint.damping.assign(freedoms(joint), damping);
        if (xml::number(e, "friction", problems_).value_or(0) != 0 && freedoms(joint) > 0) left_out_.add("joint friction");
    }

    void read_limit(const Element& e, RobotJoint& joint) {
        const Limits l{xml::limit(e, "lower", problems_), xml::limit(e, "upper", problems_), xml::limit(e, "effort", problems_),
                       xml::limit(e, "velocity", problems_)};
        if (freedoms(joint) > 0) joint.limits.push_back(l);
    }

    void read_mimic(const Element& e, RobotJoint& joint) {
        const auto leader = xml::required(e, "joint", problems_);
        const Mimic mimic{leader.value_or(""), xml::number(e, "multiplier", problems_).value_or(1),
                          xml::number(e, "offset", problems_).value_or(0), e.origin()};
        if (freedoms(joint) == 1) return joint.mimic = mimic, void();
        if (freedoms(joint) > 1) left_out_.add("<mimic> of a joint with several freedoms");
    }

    void check_mimics() {
        for (const RobotJoint& joint : robot_.joints) {
            if (!joint.mimic || joint.mimic->leader.empty()) continue;
            const std::string& leader = joint.mimic->leader;
            if (leader == joint.name) {
                problems_.error(joint.mimic->origin, fmt::format("the joint '{}' mimics itself", joint.name),
                                "name the joint that it follows");
            } else if (!joints_.contains(leader)) {
                problems_.error(joint.mimic->origin, fmt::format("the joint '{}' mimics '{}', which is not there", joint.name, leader),
                                hint_for_joint(leader));
            } else if (follows_itself(joint)) {
                problems_.error(joint.mimic->origin,
                                fmt::format("joints that mimic each other in a circle: '{}' follows itself", joint.name),
                                "let one of them lead");
            }
        }
    }

    std::string hint_for_joint(const std::string& wanted) const {
        std::vector<std::string> known;
        if (joints_.size() < 2000 && problems_.errors < 50)
            for (const auto& [name, index] : joints_) known.push_back(name);
        const auto meant = did_you_mean(wanted, known);
        return meant ? fmt::format("did you mean '{}'?", *meant)
                     : "the joint that leads must be there; without <mimic> this one moves freely";
    }

    bool follows_itself(const RobotJoint& joint) const {
        const RobotJoint* at = &joint;
        for (int steps = 0; steps < 64 && at->mimic; ++steps) {
            const auto leader = joints_.find(at->mimic->leader);
            if (leader == joints_.end()) return false;
            at = &robot_.joints[leader->second];
            if (at == &joint) return true;
        }
        return false;
    }

    // --- the tree ---

    void check_tree() {
        constexpr std::size_t none = the_ground;
        inward_.assign(robot_.links.size(), none);
        for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
            const RobotJoint& joint = robot_.joints[j];
            std::size_t& own = inward_[joint.child];
            if (own == none) {
                own = j;
                continue;
            }
            problems_.error(joint.origin,
                            fmt::format("the link '{}' is the child of two joints, '{}' and '{}'", robot_.links[joint.child].name,
                                        robot_.joints[own].name, joint.name),
                            "a URDF is a tree; a joint that closes a loop is written as <loop_joint>");
        }
        std::vector<std::size_t> roots;
        for (std::size_t i = 0; i < inward_.size(); ++i) {
            if (inward_[i] == none) roots.push_back(i);
        }
        for (std::size_t i = 1; i < std::min<std::size_t>(roots.size(), 20); ++i) {
            problems_.error(robot_.links[roots[i]].origin,
                            fmt::format("the link '{}' is a second root: no joint holds it, nor '{}'", robot_.links[roots[i]].name,
                                        robot_.links[roots.front()].name),
                            "make it the child of a joint; of type fixed, if it does not move");
        }
        check_circles();
    }

    /// Walks inwards from every link; each is passed once.
    void check_circles() {
        std::vector<std::size_t> visited(robot_.links.size(), 0);  // by which walk
        for (std::size_t i = 0; i < robot_.links.size(); ++i) {
            std::size_t at = i;
            while (at != the_ground && visited[at] == 0) {
                visited[at] = i + 1;
                at = inward_[at] == the_ground ? the_ground : robot_.joints[inward_[at]].parent;
            }
            if (at == the_ground || visited[at] != i + 1) continue;
            std::string words = robot_.links[at].name;
            std::size_t count = 0;
            for (std::size_t k = robot_.joints[inward_[at]].parent; k != at && ++count < 8; k = robot_.joints[inward_[k]].parent)
                words = robot_.links[k].name + " → " + words;
            problems_.error(robot_.joints[inward_[at]].origin, fmt::format("links form a circle: {} → {}", robot_.links[at].name, words),
                            "a URDF is a tree; a joint that closes a loop is written as <loop_joint>");
        }
    }

    /// How the root is held. A link called world that has no mass is the ground itself.
    void add_base() {
        const auto at = std::ranges::find(inward_, the_ground);
        const auto root = static_cast<std::size_t>(at - inward_.begin());
        const Link& link = robot_.links[root];
        const bool floats = options_.base == Base::floating;
        if (!floats && link.name == "world" && !link.inertial && link.visuals.empty()) return make_ground(root);
        RobotJoint base;
        base.name = "base";
        base.kind = floats ? Kind::floating : Kind::fixed;
        base.child = root;
        base.origin = link.origin;
        robot_.joints.insert(robot_.joints.begin(), std::move(base));
    }

    void make_ground(std::size_t root) {
        robot_.links.erase(robot_.links.begin() + static_cast<std::ptrdiff_t>(root));
        const auto moved = [&](std::size_t link) {
            return link == root ? the_ground : link > root && link != the_ground ? link - 1 : link;
        };
        for (RobotJoint& joint : robot_.joints) {
            joint.parent = moved(joint.parent);
            joint.child = moved(joint.child);
        }
        links_.clear();
        for (std::size_t i = 0; i < robot_.links.size(); ++i) links_.emplace(robot_.links[i].name, i);
        links_.emplace("world", the_ground);
    }

    /// <loop_joint name type><link1 link xyz rpy/><link2 link xyz rpy/><axis xyz/></loop_joint>: the joint frame in both links.
    void read_loop(const Element& e) {
        const auto name = xml::required(e, "name", problems_);
        const auto kind = kind_of(e);
        RobotJoint joint;
        joint.name = name.value_or("");
        joint.kind = kind.value_or(Kind::fixed);
        joint.origin = e.origin();
        std::optional<std::size_t> ends[2];
        for (const int i : {0, 1}) {
            const std::string role = i == 0 ? "link1" : "link2";
            const Element end = e.child(role);
            if (!end) {
                problems_.error(e.origin(), fmt::format("the loop joint '{}' has no <{}>", joint.name, role),
                                fmt::format("write <{} link=\"…\" xyz=\"…\" rpy=\"…\"/> in it", role));
                continue;
            }
            ends[i] = link_named(end);
            (i == 0 ? joint.X_PF : joint.X_CF) = frame_of(e, problems_, role);
        }
        read_axis(e, joint);
        if (!name || !kind || !ends[0] || !ends[1]) return;
        joint.parent = *ends[0];
        joint.child = *ends[1];
        robot_.joints.push_back(std::move(joint));
    }
};

}  // namespace

Translation translate_urdf(const xml::Document& document, Problems problems, const TranslateOptions& options) {
    auto robot = Reader(document, problems, options).read();
    if (!robot) return ModelText("", {}).finish(std::move(problems));
    mend_moments(*robot, problems);
    hold_massless(*robot, problems);
    return write_text(std::move(*robot), std::move(problems));
}

}  // namespace linkwright::exchange
