#include "linkwright/exchange/sdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "linkwright/exchange/mesh_path.hpp"
#include "linkwright/exchange/robot.hpp"
#include "linkwright/exchange/sdf_frames.hpp"
#include "linkwright/exchange/sdf_include.hpp"

namespace linkwright::exchange {

namespace {

namespace fs = std::filesystem;
using xml::Element;
using Kind = RobotJoint::Kind;

/// A model and the names of what is in it.
struct Scope {
    Element model{};
    std::string prefix{};  ///< "" or "arm::hand::"
    std::string frame{};   ///< of the model, full name; empty: the world
    bool is_static = false;
    fs::path folder{};  ///< of its file
};

constexpr std::size_t most_frames = 50'000;
constexpr int deepest_model = 500;

class Reader {
public:
    Reader(const xml::Document& document, Problems& problems, const TranslateOptions& options)
        : root_(document.root()),
          problems_(problems),
          options_(options),
          folder_(fs::path(problems.files.front()).parent_path()),
          includes_(options, problems) {}

    std::optional<Robot> read() {
        robot_.origin = root_.origin();
        read_world();
        for (const Scope& scope : scopes_) check_names(scope);
        if (!problems_.is_ok()) return std::nullopt;
        for (std::size_t i = placements_.size(); i-- > 0;) {  // inner models first
            const Placement& p = placements_[i];
            if (!frames_.place_by(p.model, p.frame, p.origin, problems_)) return std::nullopt;
        }
        for (const Scope& scope : scopes_) read_links(scope);
        for (const Scope& scope : scopes_) {
            for (const Element& joint : scope.model.children("joint")) read_joint(joint, scope);
        }
        for (const Scope& scope : scopes_) {
            for (const Element& joint : scope.model.children("joint")) read_gearbox(joint, scope);
        }
        if (robot_.links.empty() && problems_.is_ok()) problems_.error(root_.origin(), "there is no link in this file");
        if (!problems_.is_ok()) return std::nullopt;
        add_bases();
        if (without_inertial_ > 0)
            problems_.note(robot_.origin, fmt::format("links without <inertial>: {}; SDF gives them 1 kg and 1 kg*m^2 about every axis",
                                                      without_inertial_));
        robot_.left_out = left_out_.words();
        return problems_.is_ok() ? std::optional(std::move(robot_)) : std::nullopt;
    }

private:
    Element root_;
    Problems& problems_;
    const TranslateOptions& options_;
    fs::path folder_;
    Robot robot_{};
    LeftOut left_out_{};
    SdfFrames frames_{};
    SdfIncludes includes_;
    std::vector<Scope> scopes_{};
    int depth_ = 0;
    bool is_full_ = false;
    struct Placement {
        std::string model, frame;  ///< full names
        Origin origin;
    };
    std::vector<Placement> placements_{};
    std::map<std::string, std::size_t> links_{}, joints_{};  ///< by full name
    std::set<std::string> link_names_{};
    std::map<std::string, std::string> joint_frames_{};  ///< of joints whose name is that of a link
    std::vector<bool> is_static_{};                      ///< of each link
    std::size_t without_inertial_ = 0;

    // --- values between tags ---

    std::optional<double> value(const Element& holder, std::string_view name) {
        const Element e = holder.child(name);
        return e ? xml::parse_number(e.text(), e.origin(), fmt::format("<{}>", name), problems_) : std::nullopt;
    }
    /// Infinite or huge: none.
    std::optional<double> limit(const Element& holder, std::string_view name) {
        const std::string text = holder.child(name).text();
        if (text.find("inf") != std::string::npos) return std::nullopt;
        const auto x = value(holder, name);
        return x && std::abs(*x) < 1e9 ? x : std::nullopt;
    }
    std::optional<Vector> vector(const Element& holder, std::string_view name) {
        const Element e = holder.child(name);
        if (!e) return std::nullopt;
        const auto v = xml::parse_numbers(e.text(), 3, e.origin(), fmt::format("<{}>", name), problems_);
        return v ? std::optional(Vector{(*v)[0], (*v)[1], (*v)[2]}) : std::nullopt;
    }

    /// What stands in <pose>, whatever it is relative to.
    Frame pose_in(const Element& holder) {
        const Element e = holder.child("pose");
        if (!e || e.text().empty()) return {};
        const bool is_quaternion = e.attribute("rotation_format") == "quat_xyzw";
        const auto v = xml::parse_numbers(e.text(), is_quaternion ? 7 : 6, e.origin(), "<pose>", problems_);
        if (!v) return {};
        const auto& x = *v;
        Frame frame{{x[0], x[1], x[2]}, {}};
        if (is_quaternion) {
            frame.rpy = rpy_of_quaternion({x[6], x[3], x[4], x[5]}, e);
        } else {
            const double unit = e.attribute("degrees") == "true" ? std::numbers::pi / 180 : 1;
            frame.rpy = {x[3] * unit, x[4] * unit, x[5] * unit};
        }
        return frame;
    }

    Vector rpy_of_quaternion(std::array<double, 4> q, const Element& e) {
        const double size = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
        if (!(size > 1e-100)) return problems_.error(e.origin(), "the quaternion of <pose> is zero"), Vector{};
        for (double& x : q) x /= size;
        const auto [w, x, y, z] = q;
        return rpy_of({{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}});
    }

    // --- the world ---

    void read_world() {
        const std::vector<Element> worlds = root_.children("world");
        Scope around{.folder = folder_};
        std::vector<Element> models = root_.children("model");
        bool is_alone = true;  // a single model's names need no prefix
        robot_.gravity = {0, 0, -9.8};
        robot_.gravity_remark = "the file has no gravity: here it is that of an SDF world, 9.8 m/s^2 downwards along z";
        if (!worlds.empty()) {
            if (worlds.size() > 1) left_out_.add("<world> beside the first");
            around.model = worlds.front();
            // In versions before 1.6 it stands in <physics>.
            const Element physics = around.model.child("physics");
            if (const auto g = vector(around.model.child("gravity") || !is_before(root_, 6) ? around.model : physics, "gravity")) {
                robot_.gravity = *g;
                robot_.gravity_remark.clear();
            }
            for (const Element& e : around.model.children()) {
                const std::string_view kind = e.name();
                if (kind == "model" || kind == "include") models.push_back(e);
                if (kind == "frame" || kind == "joint") is_alone = false;
                static const std::set<std::string_view> known{"model", "gravity", "include", "frame", "joint"};
                if (!known.contains(kind)) left_out_.add(fmt::format("<{}>", kind));
            }
        }
        if (models.empty()) {
            if (problems_.is_ok()) problems_.error(root_.origin(), "there is no <model> in this file");
            return;
        }
        robot_.name = models.front().attribute("name").value_or("robot");
        if (models.size() > 1 || !is_alone) {
            scopes_.push_back(around);
            for (const Element& e : around.model.children()) add_part(e, around);
        }
        for (const Element& e : models) add_inner(e, around, models.size() == 1 && is_alone);
    }

    /// A model inside of another or of the world, or one that is included there. Its name; empty when there is none.
    std::string add_inner(const Element& e, const Scope& around, bool is_alone = false) {
        if (e.name() == "model") {
            std::string name = e.attribute("name").value_or("model");
            add_model(e, {}, is_alone ? "" : name, around, around.folder);
            return name;
        }
        const auto other = includes_.enter(e, around.folder);
        if (!other) return {};
        std::string name = e.child("name").text();
        if (name.empty()) name = other->model.attribute("name").value_or("model");
        if (is_alone) robot_.name = name;
        add_model(other->model, e, is_alone ? "" : name, around, other->folder);
        includes_.leave();
        return name;
    }

    static bool says_true(const Element& e) {
        std::string word = e.text();
        for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return word == "true" || word == "1";
    }

    /// Whether the file that an element stands in is of a version before 1.`minor`.
    static bool is_before(const Element& e, int minor) {
        Element root = e;
        for (Element up = e.parent(); up; up = up.parent()) root = up;
        const std::string version = root.attribute("version").value_or("");
        int own = 0;
        if (!version.starts_with("1.") || std::from_chars(version.data() + 2, version.data() + version.size(), own).ec != std::errc())
            return false;
        return own < minor;
    }

    /// The names of a model and of those in it. `include` says where it stands when it is of another file; without a name its parts have no prefix.
    void add_model(const Element& model, const Element& include, const std::string& name, const Scope& around, const fs::path& folder) {
        const bool is_merged = include && (include.attribute("merge") == "true" || include.attribute("merge") == "1") && !name.empty();
        Scope scope{.model = model, .prefix = around.prefix, .folder = folder};
        if (!is_merged && !name.empty()) scope.prefix += name + "::";
        scope.frame = is_merged ? fmt::format("{}_merged__{}__model__", scope.prefix, name) : scope.prefix + "__model__";
        scope.is_static = around.is_static || says_true(include.child("static") ? include.child("static") : model.child("static"));
        SdfFrames::Entry own = entry(include.child("pose") ? include : model, around, around.frame);
        const std::string canonical = model.attribute("canonical_link").value_or(model.child("link").attribute("name").value_or(""));
        own.attached_to = canonical.empty() ? "" : scope.prefix + canonical;
        if (!frames_.add(scope.frame, std::move(own)))
            return problems_.error((include ? include : model).origin(), fmt::format("the name '{}' is there already", name),
                                   include ? "give it another one: <name>…</name>" : "give it another name");
        note_placement(model, include, scope);
        if (++depth_ > deepest_model) {
            --depth_;
            return problems_.error(model.origin(), fmt::format("models lie more than {} deep inside one another", deepest_model));
        }
        scopes_.push_back(scope);
        for (const Element& link : model.children("link")) link_names_.insert(scope.prefix + link.attribute("name").value_or(""));
        bool has_link = !canonical.empty();
        for (const Element& e : model.children()) {
            if (is_full_) break;
            if (e.name() == "model" || e.name() == "include") {
                const std::string inner = add_inner(e, scope);
                if (has_link || inner.empty() || !frames_.find(inner, scope.prefix)) continue;
                frames_.attach(scope.frame, *frames_.find(inner, scope.prefix));  // its first link is of a nested model
                has_link = true;
                continue;
            }
            if (add_part(e, scope)) continue;
            static const std::set<std::string_view> known{"pose", "static", "self_collide", "allow_auto_disable", "enable_wind"};
            if (!known.contains(e.name())) left_out_.add(fmt::format("<{}>", e.name()));
        }
        --depth_;
    }

    void note_placement(const Element& model, const Element& include, const Scope& scope) {
        const Element given = include.child("placement_frame");
        if (given && !include.child("pose"))
            problems_.error(given.origin(), "<placement_frame> says what <pose> places, and there is no <pose>",
                            "write <pose>0 0 0 0 0 0</pose> beside it");
        const std::string frame = given ? given.text() : model.attribute("placement_frame").value_or("");
        if (frame.empty() || frame == "__model__") return;
        placements_.push_back({scope.frame, scope.prefix + frame, given ? given.origin() : model.origin_of("placement_frame")});
    }

    /// A link, joint or frame; false when it is something else.
    bool add_part(const Element& e, const Scope& scope) {
        if (e.name() != "link" && e.name() != "joint" && e.name() != "frame") return false;
        if (!xml::required(e, "name", problems_)) return true;
        const std::string name = *e.attribute("name");
        std::string relative = scope.frame;
        if (e.name() == "joint") relative = full_name(e.child("child").text(), scope);
        const auto attached = e.attribute("attached_to");
        if (e.name() == "frame" && attached && !attached->empty()) relative = full_name(*attached, scope);
        SdfFrames::Entry made = entry(e, scope, relative);
        made.is_link = e.name() == "link";
        made.attached_to = relative;
        std::string own = scope.prefix + name;
        if (e.name() == "joint") own = joint_frame(e, own);
        if (!frames_.add(own, std::move(made)))
            problems_.error(e.origin_of("name"), fmt::format("the name '{}' is there already", name), "give it another name");
        if (frames_.size() > most_frames && !is_full_) {
            is_full_ = true;
            problems_.error(e.origin(), fmt::format("more than {} links, joints and frames", most_frames), "fewer models, or simpler ones");
        }
        return true;
    }

    /// The name of a joint's frame. Older files give a joint and a link the same name; it then means the frame of the link.
    std::string joint_frame(const Element& e, const std::string& own) {
        if (!link_names_.contains(own)) return own;
        std::string frame = own + "_joint";
        while (link_names_.contains(frame) || frames_.has(frame)) frame += "_joint";
        if (!joint_frames_.emplace(own, frame).second) return own;  // two joints of one name are told
        if (!is_before(e, 7))
            problems_.warning(e.origin_of("name"),
                              fmt::format("a link has the name of the joint '{}', too; as a frame it is that of the link", own),
                              "give the joint another name");
        return frame;
    }

    /// What a name means inside of a model; "" for the world. Whether it is there is another question.
    static std::string full_name(const std::string& name, const Scope& scope) {
        if (name == "world") return {};
        return name == "__model__" ? scope.frame : scope.prefix + name;
    }
    std::optional<std::string> find(const std::string& name, const Scope& scope) const {
        return name == "__model__" ? std::optional(scope.frame) : frames_.find(name, scope.prefix);
    }

    static std::optional<std::string> relative_to(const Element& pose) {
        const auto frame = pose.attribute("relative_to");
        return frame || !pose || !is_before(pose, 7) ? frame : pose.attribute("frame");  // its name until 1.6
    }

    SdfFrames::Entry entry(const Element& e, const Scope& scope, const std::string& otherwise) {
        SdfFrames::Entry made;
        made.pose = pose_in(e);
        made.origin = e.origin();
        made.relative_to = otherwise;
        const auto relative = relative_to(e.child("pose"));
        if (relative && !relative->empty()) made.relative_to = full_name(*relative, scope);
        return made;
    }

    /// Every frame that is named must be there; a model's name stands for its own frame.
    void check_names(const Scope& scope) {
        for (const Element& e : scope.model.children()) {
            const Element pose = e.child("pose");
            if (const auto name = relative_to(pose); name && !name->empty())
                check_name(*name, pose, pose.has("relative_to") ? "relative_to" : "frame", scope);
            if (const auto name = e.attribute("attached_to"); name && !name->empty()) check_name(*name, e, "attached_to", scope);
        }
    }
    void check_name(const std::string& name, const Element& e, std::string_view attribute, const Scope& scope) {
        if (!find(name, scope))
            problems_.error(e.origin_of(attribute), fmt::format("there is no frame '{}' in this model", name),
                            "a link, joint, frame or nested model has that name, or __model__");
    }

    /// A frame by a name that stands in the text of an element.
    std::optional<std::string> frame_named(const Element& e, const Element& holder, std::string_view role, const Scope& scope) {
        std::string name = e.text();
        if (name.empty()) name = e.attribute("link").value_or("");
        if (name.empty()) {
            problems_.error(holder.origin(), fmt::format("the joint '{}' has no <{}>", holder.attribute("name").value_or(""), role),
                            fmt::format("write <{}>LINK</{}> in it", role, role));
            return std::nullopt;
        }
        const auto found = find(name, scope);
        if (!found) problems_.error(e.origin(), fmt::format("there is no link '{}' in this model", name));
        return found;
    }

    // --- links ---

    void read_links(const Scope& scope) {
        for (const Element& e : scope.model.children("link")) {
            Link link;
            link.name = scope.prefix + e.attribute("name").value_or("");
            link.origin = e.origin();
            link.inertial = read_inertial(e);
            for (const Element& visual : e.children("visual")) {
                if (auto shape = read_visual(visual, scope)) link.visuals.push_back(std::move(*shape));
            }
            for (const Element& child : e.children()) {
                static const std::set<std::string_view> known{"pose",         "inertial",       "visual",
                                                              "self_collide", "velocity_decay", "enable_wind"};
                if (child.name() == "gravity" && (child.text() == "false" || child.text() == "0")) left_out_.add("link without gravity");
                if (child.name() != "gravity" && !known.contains(child.name())) left_out_.add(fmt::format("<{}>", child.name()));
            }
            links_.emplace(link.name, robot_.links.size());
            is_static_.push_back(scope.is_static);
            robot_.links.push_back(std::move(link));
        }
    }

    Inertial read_inertial(const Element& link) {
        const Element e = link.child("inertial");
        Inertial own;
        own.origin = e ? e.origin() : link.origin();
        if (!e) ++without_inertial_;
        if (e.attribute("auto") == "true") left_out_.add("<inertial auto> (write its numbers)");
        const Frame frame = pose_in(e);
        own.com = frame.at;
        own.mass = value(e, "mass").value_or(1);
        const Element tensor = e.child("inertia");
        const auto entry_of = [&](std::string_view name, double otherwise) { return value(tensor, name).value_or(otherwise); };
        const double xy = entry_of("ixy", 0), xz = entry_of("ixz", 0), yz = entry_of("iyz", 0);
        const Matrix I{{{entry_of("ixx", 1), xy, xz}, {xy, entry_of("iyy", 1), yz}, {xz, yz, entry_of("izz", 1)}}};
        own.inertia = turned(rotation(frame.rpy), I);
        return own;
    }

    std::optional<Visual> read_visual(const Element& e, const Scope& scope) {
        const std::vector<Element> all = e.child("geometry").children();
        if (all.empty()) return std::nullopt;
        const Element& geometry = all.front();
        Visual v;
        v.origin = e.origin();
        v.frame = pose_in(e);
        if (const Element diffuse = e.child("material").child("diffuse")) {
            const auto rgba = xml::parse_numbers(diffuse.text(), 0, diffuse.origin(), "<diffuse>", problems_);
            if (rgba && rgba->size() >= 3) v.colour = *rgba;
        }
        v.radius = value(geometry, "radius").value_or(1);
        v.length = value(geometry, "length").value_or(1);
        const std::string_view name = geometry.name();
        bool is_seen = v.radius > 0 && v.length > 0;
        if (name == "box") {
            v.size = vector(geometry, "size").value_or(Vector{1, 1, 1});
            is_seen = v.size[0] > 0 && v.size[1] > 0 && v.size[2] > 0;
        } else if (name == "sphere") {
            v.kind = Visual::Kind::sphere;
        } else if (name == "cylinder") {
            v.kind = Visual::Kind::cylinder;
        } else if (name == "capsule") {
            v.kind = Visual::Kind::capsule;
        } else if (name == "mesh") {
            return read_mesh(geometry, v, scope);
        } else {
            return left_out_.add(fmt::format("shape <{}>", name)), std::nullopt;
        }
        if (is_seen) return v;
        return left_out_.add("shape without size"), std::nullopt;
    }

    std::optional<Visual> read_mesh(const Element& e, Visual& v, const Scope& scope) {
        const auto file = find_mesh(e.child("uri").text(), scope.folder);
        if (!file) return left_out_.add("mesh that is not found"), std::nullopt;
        if (!is_drawn(*file))
            return left_out_.add(fmt::format("mesh in '{}' (STL and OBJ are drawn)", file->extension().string())), std::nullopt;
        const fs::path& from = options_.folder.empty() ? folder_ : options_.folder;
        std::error_code ignored;
        v.kind = Visual::Kind::mesh;
        v.file = fs::proximate(*file, from.empty() ? fs::path(".") : from, ignored).generic_string();
        const Vector scale = vector(e, "scale").value_or(Vector{1, 1, 1});
        v.scale = scale[0];
        if (scale[1] != scale[0] || scale[2] != scale[0]) left_out_.add("mesh scale that differs by axis");
        if (v.scale > 0) return v;
        return left_out_.add("shape without size"), std::nullopt;
    }

    // --- joints ---

    std::optional<Kind> kind_of(const Element& e) {
        const std::string type = e.attribute("type").value_or("");
        static const std::map<std::string_view, Kind> kinds{
            {"revolute", Kind::revolute}, {"continuous", Kind::revolute}, {"prismatic", Kind::prismatic}, {"fixed", Kind::fixed},
            {"ball", Kind::ball},         {"universal", Kind::universal}, {"revolute2", Kind::universal}, {"screw", Kind::screw}};
        if (const auto at = kinds.find(type); at != kinds.end()) return at->second;
        problems_.error(e.origin_of("type"), fmt::format("unknown type of joint '{}'", type),
                        "there are revolute, continuous, prismatic, fixed, ball, universal, screw, gearbox");
        return std::nullopt;
    }

    /// The axis in the joint's frame.
    std::optional<Vector> axis_of(const Element& e, const Frame& X_WJ, const Scope& scope) {
        const Element xyz = e.child("xyz");
        const Vector v = vector(e, "xyz").value_or(Vector{0, 0, 1});
        if (!(length(v) > 1e-100))
            return problems_.error(xyz.origin(), "this axis has no direction", "write an axis that is not zero, as 0 0 1"), std::nullopt;
        std::string in = xyz.attribute("expressed_in").value_or("");
        if (says_true(e.child("use_parent_model_frame")) || (in.empty() && e && is_before(e, 5))) in = "__model__";
        if (in.empty()) return v;
        const auto frame = find(in, scope);
        if (!frame)
            return problems_.error(xyz.origin_of("expressed_in"), fmt::format("there is no frame '{}' in this model", in)), std::nullopt;
        const auto X_WE = frames_.place(*frame, problems_);
        if (!X_WE) return std::nullopt;
        return transposed(rotation(X_WJ.rpy)) * (rotation(X_WE->rpy) * v);
    }

    void read_axis(const Element& e, RobotJoint& joint) {
        const Element dynamics = e.child("dynamics"), bounds = e.child("limit");
        joint.damping.push_back(value(dynamics, "damping").value_or(0));
        joint.stiffness.push_back(value(dynamics, "spring_stiffness").value_or(0));
        joint.rest.push_back(value(dynamics, "spring_reference").value_or(0));
        if (value(dynamics, "friction").value_or(0) != 0) left_out_.add("joint friction");
        joint.limits.push_back({limit(bounds, "lower"), limit(bounds, "upper"), limit(bounds, "effort"), limit(bounds, "velocity")});
        if (const Element mimic = e.child("mimic")) {
            const double multiplier = value(mimic, "multiplier").value_or(1);
            const double offset = value(mimic, "offset").value_or(0) - multiplier * value(mimic, "reference").value_or(0);
            joint.mimic = Mimic{mimic.attribute("joint").value_or(""), multiplier, offset, mimic.origin()};
        }
    }

    std::size_t link_index(const std::string& name) const {
        const auto at = links_.find(name);
        return at == links_.end() ? the_ground : at->second;
    }

    void read_joint(const Element& e, const Scope& scope) {
        if (e.attribute("type") == "gearbox") return;
        const auto kind = kind_of(e);
        const auto parent = frame_named(e.child("parent"), e, "parent", scope), child = frame_named(e.child("child"), e, "child", scope);
        const std::string name = scope.prefix + e.attribute("name").value_or("");
        if (!kind || !parent || !child) return;
        const auto inner = frames_.link_of(*parent, problems_), outer = frames_.link_of(*child, problems_);
        const auto own = joint_frames_.find(name);
        const auto X_WJ = frames_.place(own == joint_frames_.end() ? name : own->second, problems_);
        if (!inner || !outer || !X_WJ) return;
        const auto X_WP = frames_.place(*inner, problems_), X_WC = frames_.place(*outer, problems_);
        if (!X_WP || !X_WC) return;
        RobotJoint joint;
        joint.name = name;
        joint.kind = *kind;
        joint.origin = e.origin();
        joint.parent = link_index(*inner);
        joint.child = link_index(*outer);
        joint.X_PF = compose(inverse(*X_WP), *X_WJ);
        joint.X_CF = compose(inverse(*X_WC), *X_WJ);
        if (joint.parent == joint.child)
            return problems_.error(e.origin(), fmt::format("the joint '{}' connects a link with itself", name), "name another <child>");
        const std::size_t axes = *kind == Kind::fixed || *kind == Kind::ball ? 0 : *kind == Kind::universal ? 2 : 1;
        for (std::size_t i = 0; i < axes; ++i) {
            const Element axis = e.child(i == 0 ? "axis" : "axis2");
            if (const auto v = axis_of(axis, *X_WJ, scope)) joint.axes.push_back(*v);
            read_axis(axis, joint);
        }
        if (joint.mimic) joint.mimic->leader = scope.prefix + joint.mimic->leader;
        if (*kind == Kind::screw) joint.pitch = pitch_of(e);
        if (!joints_.emplace(name, robot_.joints.size()).second) return;  // told
        robot_.joints.push_back(std::move(joint));
    }

    /// Travel per radian: the pitch of the thread in metres a turn over 2π; in older files the thread is in −radians a metre.
    double pitch_of(const Element& e) {
        if (const auto turn = value(e, "screw_thread_pitch")) return *turn / (2 * std::numbers::pi);
        const double thread = value(e, "thread_pitch").value_or(1);
        if (thread == 0) return problems_.error(e.child("thread_pitch").origin(), "<thread_pitch> is zero"), 0.0;
        return -1 / thread;
    }

    /// θ2 = −ratio θ1: the angles of child and parent about the reference body, which joints of the file have as coordinates.
    void read_gearbox(const Element& e, const Scope& scope) {
        if (e.attribute("type") != "gearbox") return;
        const auto parent = frame_named(e.child("parent"), e, "parent", scope), child = frame_named(e.child("child"), e, "child", scope);
        if (!parent || !child) return;
        const auto reference = find(e.child("gearbox_reference_body").text(), scope);
        if (!reference) return problems_.error(e.origin(), "the gearbox has no <gearbox_reference_body> of this model");
        const auto turning = [&](const std::string& link) -> std::pair<const RobotJoint*, double> {
            for (const RobotJoint& j : robot_.joints) {
                if (j.kind != Kind::revolute) continue;
                if (j.parent == link_index(*reference) && j.child == link_index(link)) return {&j, 1.0};
                if (j.child == link_index(*reference) && j.parent == link_index(link)) return {&j, -1.0};
            }
            return {nullptr, 0.0};
        };
        const auto [first, sign_1] = turning(*parent);
        const auto [second, sign_2] = turning(*child);
        if (first == nullptr || second == nullptr) return left_out_.add("gearbox whose links do not turn about its reference body");
        const double ratio = value(e, "gearbox_ratio").value_or(1);
        robot_.gears.push_back({second->name, first->name, -ratio * sign_1 * sign_2, e.origin()});
    }

    // --- what holds the models ---

    /// A model that no joint holds at the world floats, or rests when it is static.
    void add_bases() {
        std::vector<bool> is_held(robot_.links.size()), is_child(robot_.links.size());
        std::vector<std::vector<std::size_t>> beside(robot_.links.size());
        std::vector<std::size_t> todo;
        for (const RobotJoint& j : robot_.joints) {
            if (j.child != the_ground) is_child[j.child] = true;
            if (j.child == the_ground) todo.push_back(j.parent);
            if (j.parent == the_ground) todo.push_back(j.child);
            if (j.child == the_ground || j.parent == the_ground) continue;
            beside[j.parent].push_back(j.child);
            beside[j.child].push_back(j.parent);
        }
        const auto spread = [&] {
            while (!todo.empty()) {
                const std::size_t at = todo.back();
                todo.pop_back();
                if (at == the_ground || is_held[at]) continue;
                is_held[at] = true;
                todo.insert(todo.end(), beside[at].begin(), beside[at].end());
            }
        };
        spread();
        std::vector<RobotJoint> bases;
        for (const bool wants_root : {true, false}) {  // a link that is nobody's child first
            for (std::size_t i = 0; i < robot_.links.size(); ++i) {
                if (is_held[i] || (wants_root && is_child[i])) continue;
                const auto X_WL = frames_.place(robot_.links[i].name, problems_);
                if (!X_WL) return;
                RobotJoint base;
                base.name = bases.empty() ? "base" : "base_" + robot_.links[i].name;
                base.kind = is_static_[i] || options_.base == Base::fixed ? Kind::fixed : Kind::floating;
                base.child = i;
                base.X_PF = *X_WL;
                base.origin = robot_.links[i].origin;
                bases.push_back(std::move(base));
                todo.push_back(i);
                spread();
            }
        }
        robot_.joints.insert(robot_.joints.begin(), std::make_move_iterator(bases.begin()), std::make_move_iterator(bases.end()));
    }
};

}  // namespace

Translation translate_sdf(const xml::Document& document, Problems problems, const TranslateOptions& options) {
    auto robot = Reader(document, problems, options).read();
    if (!robot) return ModelText("", {}).finish(std::move(problems));
    mend_moments(*robot, problems);
    hold_massless(*robot, problems);
    return write_text(std::move(*robot), std::move(problems));
}

}  // namespace linkwright::exchange
