#include "linkwright/exchange/mjcf_tree.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "linkwright/exchange/mjcf_words.hpp"

namespace linkwright::exchange::mjcf {

using Eigen::Matrix3d;
using Eigen::Vector3d;

void leave_out(LeftOuts& all, const std::string& what, const Origin& at, std::size_t count) {
    if (count == 0) return;
    LeftOut& one = all.try_emplace(what, LeftOut{0, at}).first->second;
    one.count += count;
}

Pose Tree::world_pose(std::size_t body) const {
    Pose X;
    for (std::size_t b = body; b != 0; b = bodies[b].parent) X = bodies[b].pose * X;
    return X;
}

namespace {

struct Reader {
    Source& source;
    const Defaults& defaults;
    const Compiler& compiler;
    Problems& problems;
    Tree tree{};
    std::string suffix{};  ///< of names, inside of <replicate>
    bool is_full = false;

    void name(std::map<std::string, std::size_t, std::less<>>& names, const std::string& name, std::size_t index, const xml::Element& e);
    void read_content(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF);
    void read_body(const xml::Element& e, std::size_t parent, ClassId around, const Pose& X_PF);
    void read_frame(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF);
    void read_joint(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF);
    void read_free_joint(const xml::Element& e, std::size_t body);
    void add_joint(Joint joint, const xml::Element& e);
    void read_geom(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF);
    void read_from_to(const Attributes& a, Geom& geom);
    void read_site(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF);
    void read_inertial(const xml::Element& e, Body& body, const Pose& X_BF);
    void read_replicas(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF);
    std::string name_of(const xml::Element& e) const;
    ClassId child_class(const xml::Element& e, ClassId around) const;
};

void Reader::name(std::map<std::string, std::size_t, std::less<>>& names, const std::string& name, std::size_t index,
                  const xml::Element& e) {
    if (name.empty()) return;
    if (!names.try_emplace(name, index).second)
        problems.error(e.origin_of("name"), "the name '" + name + "' is given to two of <" + std::string(e.name()) + ">",
                       "every name stands once");
}

ClassId Reader::child_class(const xml::Element& e, ClassId around) const {
    const auto name = e.attribute("childclass");
    return name ? defaults.find(*name, e.origin_of("childclass"), problems) : around;
}

void Reader::read_content(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF) {
    for (const xml::Element& child : source.children(e)) {
        const std::string_view kind = child.name();
        if (kind == "body")
            read_body(child, body, around, X_BF);
        else if (kind == "frame")
            read_frame(child, body, around, X_BF);
        else if (kind == "replicate")
            read_replicas(child, body, around, X_BF);
        else if (kind == "joint")
            read_joint(child, body, around, X_BF);
        else if (kind == "freejoint")
            read_free_joint(child, body);
        else if (kind == "geom")
            read_geom(child, body, around, X_BF);
        else if (kind == "site")
            read_site(child, body, around, X_BF);
        else if (kind == "inertial")
            read_inertial(child, tree.bodies[body], X_BF);
        else if (makes_bodies(kind))
            problems.error(child.origin(), "<" + std::string(kind) + "> is not read: it makes bodies of its own",
                           "load the model in MuJoCo and save it (mj_saveLastXML); the bodies are then written out");
        else
            leave_out(tree.left_out, words_for(kind), child.origin());
    }
}

std::string Reader::name_of(const xml::Element& e) const {
    const std::string own = e.attribute("name").value_or("");
    return own.empty() ? own : own + suffix;
}

// Each copy is moved and turned against the one before; its names end with its number, as many digits as the count has.
void Reader::read_replicas(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF) {
    constexpr std::size_t most = 200'000;  // bodies and geoms
    const auto count = xml::number(e, "count", problems);
    if (!count && !e.has("count")) problems.error(e.origin(), "<replicate> has no 'count'", "how many copies there are");
    if (!count) return;
    if (!(*count >= 1) || *count > 1e6 || *count != std::floor(*count))
        return problems.error(e.origin_of("count"), "'count' is not a whole number from 1 to 1000000");
    Pose step = read_pose(Attributes(e), compiler.angles, problems);
    if (const auto offset = xml::vector(e, "offset", problems)) step.p = to_vector(*offset);
    const std::string before = suffix, separator = e.attribute("sep").value_or("");
    const auto n = static_cast<std::size_t>(*count);
    const std::size_t digits = std::to_string(n).size();
    Pose X = X_BF;
    for (std::size_t i = 0; i < n && !is_full; ++i, X = X * step) {
        std::string number = std::to_string(i);
        number.insert(0, digits - number.size(), '0');
        suffix = before + separator + number;
        read_content(e, body, around, X);
        is_full = tree.bodies.size() + tree.geoms.size() > most;
        if (is_full) problems.error(e.origin(), "the copies are more than 200000 bodies and geoms", "a smaller 'count'");
    }
    suffix = before;
}

void Reader::read_frame(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF) {
    read_content(e, body, child_class(e, around), X_BF * read_pose(Attributes(e), compiler.angles, problems));
}

void Reader::read_body(const xml::Element& e, std::size_t parent, ClassId around, const Pose& X_PF) {
    const std::size_t index = tree.bodies.size();
    Body body{.at = e.origin(), .name = name_of(e), .parent = parent};
    body.pose = X_PF * read_pose(Attributes(e), compiler.angles, problems);
    body.gravity_compensation = xml::number(e, "gravcomp", problems).value_or(0);
    if (xml::boolean(e, "mocap", problems).value_or(false))
        leave_out(tree.left_out, "motions of mocap bodies, which stand still", e.origin());
    name(tree.body_names, body.name, index, e);
    check_attributes(e, problems);
    if (!compiler.is_global) {
        tree.bodies.push_back(std::move(body));
        return read_content(e, index, child_class(e, around), Pose{});
    }
    // All is placed in the world, and X leads from there. Without a place the frame of a body is any: that of its parent, say.
    const Pose X_WP = tree.world_pose(parent);
    const bool is_placed = e.has("pos");
    if (!is_placed) body.pose = Pose{};
    const Pose X = (X_WP * body.pose).inverse();
    tree.bodies.push_back(std::move(body));
    read_content(e, index, child_class(e, around), X);
    for (const std::size_t j : tree.bodies[index].joints)
        if (const JointKind kind = tree.joints[j].kind; !is_placed && (kind == JointKind::free || kind == JointKind::ball))
            problems.error(e.origin(), "a body with a free joint or a ball has no 'pos', which global coordinates ask for",
                           "write where its frame is in the world");
}

void Reader::add_joint(Joint joint, const xml::Element& e) {
    if (joint.body == 0) return problems.error(e.origin(), "the world has no joints", "put the joint into a <body>");
    if (joint.kind == JointKind::free && (tree.bodies[joint.body].parent != 0 || !tree.bodies[joint.body].joints.empty()))
        return problems.error(e.origin(), "a free joint stands alone, in a body of the world",
                              "bodies inside others have hinges, slides and balls");
    name(tree.joint_names, joint.name, tree.joints.size(), e);
    tree.bodies[joint.body].joints.push_back(tree.joints.size());
    tree.joints.push_back(std::move(joint));
}

void Reader::read_free_joint(const xml::Element& e, std::size_t body) {
    check_attributes(e, problems);
    add_joint({.at = e.origin(), .name = name_of(e), .kind = JointKind::free, .body = body}, e);
}

std::optional<JointKind> joint_kind(const Attributes& a, Problems& problems) {
    const std::string word = a.text("type").value_or("hinge");
    if (word == "hinge") return JointKind::hinge;
    if (word == "slide") return JointKind::slide;
    if (word == "ball") return JointKind::ball;
    if (word == "free") return JointKind::free;
    problems.error(a.origin_of("type"), "there is no joint of type '" + word + "'", "the types are hinge, slide, ball and free");
    return {};
}

// The first of up to three: newer versions have polynomials.
double first_of(const Attributes& a, std::string_view name, LeftOuts& left_out, Problems& problems) {
    const auto all = a.numbers(name, 0, problems);
    if (!all || all->empty()) return 0;
    if (std::any_of(all->begin() + 1, all->end(), [](double x) { return x != 0; }))
        leave_out(left_out, "higher coefficients of '" + std::string(name) + "'", a.origin_of(name));
    return all->front();
}

void Reader::read_joint(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF) {
    const Attributes a = defaults.attributes(e, "joint", around, problems);
    check_attributes(e, problems);
    const auto kind = joint_kind(a, problems);
    if (!kind) return;
    Joint joint{.at = e.origin(), .name = name_of(e), .kind = *kind, .body = body};
    if (const auto p = a.vector("pos", problems); p && *kind != JointKind::free) joint.pos = to_vector(*p);
    joint.pos = X_BF * joint.pos;
    if (const auto axis = a.vector("axis", problems)) joint.axis = to_vector(*axis);
    const bool has_axis = *kind == JointKind::hinge || *kind == JointKind::slide;
    if (has_axis && joint.axis.norm() < 1e-14)
        return problems.error(a.origin_of("axis"), "the axis has length 0", "an axis is a direction, as 0 0 1");
    joint.axis = has_axis ? (X_BF.q * joint.axis).normalized() : Vector3d::UnitZ();
    joint.armature = a.number("armature", problems).value_or(0);
    joint.damping = first_of(a, "damping", tree.left_out, problems);
    joint.stiffness = first_of(a, "stiffness", tree.left_out, problems);
    const auto angle = [&](std::string_view name) {
        const double x = a.number(name, problems).value_or(0);
        return *kind == JointKind::hinge ? compiler.angles.radians(x) : x;
    };
    if (has_axis) {
        joint.ref = angle("ref");
        joint.spring_ref = angle("springref");
    }
    if (a.number("frictionloss", problems).value_or(0) != 0) leave_out(tree.left_out, "dry friction in joints", e.origin());
    if (const auto pair = a.numbers("springdamper", 2, problems); pair && ((*pair)[0] != 0 || (*pair)[1] != 0)) {
        if ((*pair)[0] > 0 && (*pair)[1] > 0)
            joint.spring_damper = {(*pair)[0], (*pair)[1]};
        else
            problems.error(a.origin_of("springdamper"), "'springdamper' is not positive", "a time constant in seconds and a damping ratio");
    }
    const std::string limited = a.text("limited").value_or("auto");
    if (*kind != JointKind::free && (limited == "true" || (limited == "auto" && a.has("range"))))
        leave_out(tree.left_out, "limits of joints", e.origin());
    add_joint(std::move(joint), e);
}

std::optional<GeomKind> geom_kind(const Attributes& a, Problems& problems) {
    static const std::map<std::string, GeomKind, std::less<>> kinds{
        {"plane", GeomKind::plane},     {"hfield", GeomKind::hfield},       {"sphere", GeomKind::sphere},
        {"capsule", GeomKind::capsule}, {"ellipsoid", GeomKind::ellipsoid}, {"cylinder", GeomKind::cylinder},
        {"box", GeomKind::box},         {"mesh", GeomKind::mesh},           {"sdf", GeomKind::sdf}};
    const std::string word = a.text("type").value_or("sphere");
    const auto kind = kinds.find(word);
    if (kind != kinds.end()) return kind->second;
    problems.error(a.origin_of("type"), "there is no geom of type '" + word + "'",
                   "the types are plane, sphere, capsule, ellipsoid, cylinder, box and mesh");
    return {};
}

// The z axis runs from the second point to the first; of a box and an ellipsoid the two other sizes are the same.
void Reader::read_from_to(const Attributes& a, Geom& geom) {
    const auto v = a.numbers("fromto", 6, problems);
    if (!v) return;
    const Vector3d from((*v)[0], (*v)[1], (*v)[2]), to((*v)[3], (*v)[4], (*v)[5]);
    const double half = (from - to).norm() / 2;
    if (half < 1e-14) return problems.error(a.origin_of("fromto"), "the two points of 'fromto' are the same");
    geom.pose.p = (from + to) / 2;
    geom.pose.q = turn_of_z(from - to);
    if (geom.kind == GeomKind::box || geom.kind == GeomKind::ellipsoid)
        geom.size = {geom.size[0], geom.size[0], half};
    else
        geom.size[1] = half;
}

void Reader::read_geom(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF) {
    const Attributes a = defaults.attributes(e, "geom", around, problems);
    check_attributes(e, problems);
    const auto kind = geom_kind(a, problems);
    if (!kind) return;
    Geom geom{.at = e.origin(), .kind = *kind};
    const auto sizes = a.overlaid("size", {0, 0, 0}, problems);
    geom.size = {sizes[0], sizes[1], sizes[2]};
    geom.pose = read_pose(a, compiler.angles, problems);
    if (a.has("fromto")) read_from_to(a, geom);
    geom.pose = X_BF * geom.pose;
    geom.mass = a.number("mass", problems);
    geom.density = a.number("density", problems).value_or(geom.density);
    geom.group = static_cast<int>(std::clamp(a.number("group", problems).value_or(0), -1e6, 1e6));
    geom.is_shell = a.flag("shellinertia", false, problems);
    geom.mesh = a.text("mesh").value_or("");
    geom.material = a.text("material").value_or("");
    Problems unheard{.files = problems.files};  // a colour is worth no refusal
    geom.rgba = a.numbers("rgba", 4, unheard);
    if (a.number("contype", problems).value_or(1) != 0 || a.number("conaffinity", problems).value_or(1) != 0)
        leave_out(tree.left_out, "geoms that could touch", e.origin());
    tree.bodies[body].geoms.push_back(tree.geoms.size());
    tree.geoms.push_back(std::move(geom));
}

void Reader::read_site(const xml::Element& e, std::size_t body, ClassId around, const Pose& X_BF) {
    const Attributes a = defaults.attributes(e, "site", around, problems);
    Site site{.name = name_of(e), .body = body, .pose = X_BF * read_pose(a, compiler.angles, problems)};
    name(tree.site_names, site.name, tree.sites.size(), e);
    if (a.has("fromto")) {
        const auto v = a.numbers("fromto", 6, problems);
        if (v) site.pose.p = X_BF * Vector3d(((*v)[0] + (*v)[3]) / 2, ((*v)[1] + (*v)[4]) / 2, ((*v)[2] + (*v)[5]) / 2);
    }
    tree.bodies[body].sites.push_back(tree.sites.size());
    tree.sites.push_back(std::move(site));
}

void Reader::read_inertial(const xml::Element& e, Body& body, const Pose& X_BF) {
    const Attributes a(e);
    check_attributes(e, problems);
    Inertia inertia;
    const auto mass = xml::number(e, "mass", problems);
    if (!mass && !e.has("mass"))
        problems.error(e.origin(), "<inertial> has no 'mass'", "write <inertial mass=\"…\" pos=\"…\" diaginertia=\"…\"/>");
    inertia.mass = mass.value_or(0);
    const Pose X = compiler.is_global ? X_BF * read_pose(a, compiler.angles, problems) : read_pose(a, compiler.angles, problems);
    inertia.com = X.p;
    if (const auto f = xml::numbers(e, "fullinertia", 6, problems)) {
        inertia.moments << (*f)[0], (*f)[3], (*f)[4], (*f)[3], (*f)[1], (*f)[5], (*f)[4], (*f)[5], (*f)[2];
        if (compiler.is_global) inertia.moments = X.q.toRotationMatrix() * inertia.moments * X.q.conjugate().toRotationMatrix();
        inertia.is_full = true;
    } else if (const auto d = xml::vector(e, "diaginertia", problems)) {
        const Matrix3d R = X.q.toRotationMatrix();
        inertia.moments = R * to_vector(*d).asDiagonal() * R.transpose();
    }
    if (inertia.mass < 0) problems.error(e.origin_of("mass"), "the mass is negative");
    body.inertial = inertia;
}

}  // namespace

Tree read_tree(Source& source, const Defaults& defaults, const Compiler& compiler, Problems& problems) {
    Reader reader{source, defaults, compiler, problems};
    reader.tree.bodies.push_back({.at = source.root().origin(), .name = "world"});
    reader.tree.body_names["world"] = 0;
    for (const xml::Element& e : source.sections("worldbody")) {
        const auto around = e.attribute("childclass");
        reader.read_content(e, 0, around ? defaults.find(*around, e.origin_of("childclass"), problems) : 0, Pose{});
    }
    return std::move(reader.tree);
}

std::optional<std::size_t> find_named(const std::map<std::string, std::size_t, std::less<>>& names, const xml::Element& e,
                                      std::string_view attribute, std::string_view what, Problems& problems) {
    const auto name = e.attribute(attribute);
    if (!name) return {};
    const auto place = names.find(*name);
    if (place != names.end()) return place->second;
    problems.error(e.origin_of(attribute), "there is no " + std::string(what) + " '" + *name + "'");
    return {};
}

}  // namespace linkwright::exchange::mjcf
