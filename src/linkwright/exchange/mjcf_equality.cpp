// Equality constraints: connect and weld as joints that close a loop, couplings of joints and tendons as gears and holonomic constraints.
//
// What a constraint holds is what the file shows: points and poses where the bodies are drawn, and positions counted from their `ref`. Two connects of the
// same two bodies hold an axis: they are one revolute joint, without the row that says the same twice. A tendon between two sites whose length is held is a rod.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "linkwright/exchange/mjcf_draft.hpp"
#include "linkwright/exchange/mjcf_words.hpp"

namespace linkwright::exchange::mjcf {

using Eigen::Vector3d;

namespace {

Vector3d cross(const Vector3d& a, const Vector3d& b) {
    return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}

struct Writer {
    Draft& draft;
    const Defaults& defaults;
    const Tendons& tendons;

    struct Pair {
        std::size_t one, two;
        Pose in_one{}, in_two{};
        bool by_sites = false;
    };
    std::optional<Pair> read_pair(const xml::Element& e) const;
    Block& add_cut(const xml::Element& e, const Pair& pair, const char* type) const;
    std::optional<Pair> connected(const xml::Element& e) const;
    void connect(const xml::Element& e);
    static bool is_axis(const Pair& first, const Pair& second);
    void hold_axis(const xml::Element& e, const Pair& first, const Pair& second) const;
    bool hold_distance(const xml::Element& e) const;
    void weld(const xml::Element& e) const;
    void couple(const xml::Element& e) const;
    std::optional<std::pair<std::string, std::string>> gear_of(const xml::Element& e, const std::string& kind,
                                                               const std::array<double, 5>& c) const;
    std::string joint_side(std::size_t joint) const;
    std::string tendon_side(std::size_t tendon) const;
    std::optional<std::string> side(const xml::Element& e, const std::string& attribute, bool& is_plain) const;
    void write(const xml::Element& e);
    void find_connects();

    std::map<std::pair<std::size_t, std::size_t>, std::vector<xml::Element>> connects{};  ///< by their bodies, in the order of the file
};

/// Two bodies, or two sites; the second body may be the world.
std::optional<Writer::Pair> Writer::read_pair(const xml::Element& e) const {
    const Tree& tree = draft.tree;
    if (e.has("site1") || e.has("site2")) {
        const auto one = find_named(tree.site_names, e, "site1", "site", draft.problems);
        const auto two = find_named(tree.site_names, e, "site2", "site", draft.problems);
        if (!one || !two) return {};
        const Site &a = tree.sites[*one], &b = tree.sites[*two];
        return Pair{a.body, b.body, a.pose, b.pose, true};
    }
    if (!xml::required(e, "body1", draft.problems)) return {};
    const auto one = find_named(tree.body_names, e, "body1", "body", draft.problems);
    const auto two = e.has("body2") ? find_named(tree.body_names, e, "body2", "body", draft.problems) : std::optional<std::size_t>(0);
    if (!one || !two) return {};
    if (*one == *two) return draft.problems.error(e.origin(), "a body is held to itself"), std::nullopt;
    return Pair{*one, *two};
}

Block& Writer::add_cut(const xml::Element& e, const Pair& pair, const char* type) const {
    const std::string wish =
        e.attribute("name").value_or(fmt::format("{}_{}_{}", draft.bodies[pair.one], draft.bodies[pair.two], e.name()));
    Block& block = draft.text.add("joint", e.origin());
    block.key("name", toml::quoted(draft.text.claim(ModelText::Space::joint, wish)));
    block.key("type", toml::quoted(type));
    block.key("parent", toml::quoted(draft.bodies[pair.one]));
    block.key("child", toml::quoted(draft.bodies[pair.two]));
    block.key("cut", "true");
    if (!pair.in_one.p.isZero(0)) block.key("parent_at", vector_text(pair.in_one.p));
    if (!pair.in_two.p.isZero(0)) block.key("child_at", vector_text(pair.in_two.p));
    return block;
}

// A point of the first body, and the point of the second that is at the same place.
std::optional<Writer::Pair> Writer::connected(const xml::Element& e) const {
    auto pair = read_pair(e);
    if (!pair || pair->by_sites) return pair;
    const auto anchor = xml::vector(e, "anchor", draft.problems);
    if (!anchor && !e.has("anchor")) draft.problems.error(e.origin(), "<connect> has no 'anchor'", "a point in the axes of body1");
    if (!anchor) return {};
    pair->in_one.p = to_vector(*anchor);
    if (draft.compiler.is_global) pair->in_one.p = draft.tree.world_pose(pair->one).inverse() * pair->in_one.p;
    pair->in_two.p = draft.tree.world_pose(pair->two).inverse() * (draft.tree.world_pose(pair->one) * pair->in_one.p);
    return pair;
}

// Both points are as far from each other in the one body as in the other.
bool Writer::is_axis(const Pair& first, const Pair& second) {
    const double a = (second.in_one.p - first.in_one.p).norm(), b = (second.in_two.p - first.in_two.p).norm();
    return a > 1e-6 && std::abs(a - b) <= 1e-9 * a;
}

void Writer::hold_axis(const xml::Element& e, const Pair& first, const Pair& second) const {
    const Vector3d a = second.in_one.p - first.in_one.p, b = second.in_two.p - first.in_two.p;
    Block& block = add_cut(e, first, "revolute");
    const auto rounded = [](const Vector3d& v) {
        Vector3d n = v.normalized();
        for (int k = 0; k < 3; ++k)
            if (std::abs(std::abs(n[k]) - 1) < 1e-14) n = n[k] * Vector3d::Unit(k) / std::abs(n[k]);
        return n;
    };
    const Vector3d axis = rounded(a), axis_in_two = rounded(b);
    block.key("axis", toml::axis({axis.x(), axis.y(), axis.z()}));
    if ((axis - axis_in_two).norm() < 1e-12) return;
    const Vector3d across = cross(axis, axis_in_two);
    const Vector3d about =
        across.norm() > 1e-9 ? across.normalized() : cross(axis, Vector3d::Unit(std::abs(axis.x()) < 0.7 ? 0 : 1)).normalized();
    block.key("child_axes", axes_text(turn_about(about, std::atan2(across.norm(), axis.dot(axis_in_two)))));
}

void Writer::connect(const xml::Element& e) {
    const auto pair = connected(e);
    if (!pair) return;
    const auto& all = connects[{pair->one, pair->two}];
    if (all.size() == 2) {
        const auto first = connected(all[0]), second = connected(all[1]);
        if (first && second && is_axis(*first, *second)) {
            if (all[0] == e) hold_axis(e, *first, *second);
            return;
        }
    }
    add_cut(e, *pair, "spherical");
}

// relpose is the second body in the first, unless its quaternion is zero; the anchor is a point of the second.
void Writer::weld(const xml::Element& e) const {
    auto pair = read_pair(e);
    if (!pair) return;
    if (!pair->by_sites) {
        if (const auto anchor = xml::vector(e, "anchor", draft.problems)) pair->in_two.p = to_vector(*anchor);
        const auto given = xml::numbers(e, "relpose", 7, draft.problems);
        const Turn q = given ? Turn((*given)[3], (*given)[4], (*given)[5], (*given)[6]) : Turn(0, 0, 0, 0);
        if (given && q.norm() > 1e-14)
            pair->in_one = {Vector3d((*given)[0], (*given)[1], (*given)[2]), q.normalized()};
        else
            pair->in_one = draft.tree.world_pose(pair->one).inverse() * draft.tree.world_pose(pair->two) * pair->in_two;
    }
    Block& block = add_cut(e, *pair, "weld");
    if (const std::string axes = axes_text(pair->in_one.q); !axes.empty()) block.key("parent_axes", axes);
    if (const std::string axes = axes_text(pair->in_two.q); !axes.empty()) block.key("child_axes", axes);
}

// Counted from where it is shown.
std::string Writer::joint_side(std::size_t joint) const {
    Sum sum;
    sum.add(draft.coordinate(joint));
    sum.add(-draft.tree.joints[joint].ref);
    return sum.text();
}

std::string Writer::tendon_side(std::size_t tendon) const {
    Sum sum;
    double shown = 0;
    for (const auto& [joint, c] : tendons.fixed[tendon].joints) {
        sum.add(c, draft.coordinate(joint));
        shown += c * draft.tree.joints[joint].ref;
    }
    sum.add(-shown);
    return sum.text();
}

/// The joint or tendon of one side as an expression, and whether it is a coordinate alone.
std::optional<std::string> Writer::side(const xml::Element& e, const std::string& attribute, bool& is_plain) const {
    is_plain = false;
    if (attribute.starts_with("tendon")) {
        if (tendons.spatial.contains(e.attribute(attribute).value_or(""))) {
            leave_out(draft.tree.left_out, "equalities of spatial tendons", e.origin());
            return {};
        }
        const auto tendon = find_named(tendons.names, e, attribute, "tendon", draft.problems);
        return tendon ? std::optional(tendon_side(*tendon)) : std::nullopt;
    }
    const auto joint = find_named(draft.tree.joint_names, e, attribute, "joint", draft.problems);
    if (!joint) return {};
    const JointKind kind = draft.tree.joints[*joint].kind;
    if (kind != JointKind::hinge && kind != JointKind::slide)
        return draft.problems.error(e.origin_of(attribute), "hinges and slides can be coupled, balls and free joints cannot"), std::nullopt;
    is_plain = draft.tree.joints[*joint].ref == 0;
    return joint_side(*joint);
}

/// The coordinates of two joints when y − y₀ = c₀ + c₁(x − x₀) comes to y = c₁x.
std::optional<std::pair<std::string, std::string>> Writer::gear_of(const xml::Element& e, const std::string& kind,
                                                                   const std::array<double, 5>& c) const {
    if (kind != "joint" || !e.has("joint2") || c[1] == 0 || c[2] != 0 || c[3] != 0 || c[4] != 0) return {};
    const std::size_t y = draft.tree.joint_names.at(*e.attribute("joint1")), x = draft.tree.joint_names.at(*e.attribute("joint2"));
    const double y0 = draft.tree.joints[y].ref, x0 = c[1] * draft.tree.joints[x].ref;
    if (std::abs(c[0] + y0 - x0) > 1e-14 * (std::abs(c[0]) + std::abs(y0) + std::abs(x0))) return {};
    return std::pair(draft.coordinate(y), draft.coordinate(x));
}

// y = c₀ + c₁x + … + c₄x⁴; without x only the constant.
void Writer::couple(const xml::Element& e) const {
    const std::string kind(e.name());
    bool is_y_plain = false, is_x_plain = true;
    if (!xml::required(e, kind + "1", draft.problems)) return;
    const auto y = side(e, kind + "1", is_y_plain);
    const auto x = e.has(kind + "2") ? side(e, kind + "2", is_x_plain) : std::optional<std::string>("");
    if (!y || !x) return;
    std::array<double, 5> c{0, 1, 0, 0, 0};
    if (const auto given = xml::numbers(e, "polycoef", draft.problems))
        std::copy_n(given->begin(), std::min<std::size_t>(given->size(), 5), c.begin());
    const std::string wish = e.attribute("name").value_or(fmt::format("{}_coupling", e.attribute(kind + "1").value_or(kind)));
    const std::string name = draft.text.claim(ModelText::Space::element, wish);
    if (const auto gear = gear_of(e, kind, c)) {
        Block& block = draft.text.add("gear", e.origin());
        block.key("name", toml::quoted(name));
        block.key("drive", toml::quoted(gear->first));
        block.key("driven", toml::quoted(gear->second));
        return block.key("ratio", toml::number(c[1]));
    }
    Sum sum;
    sum.add(*y);
    sum.add(-c[0]);
    const std::string base = is_x_plain ? *x : "(" + *x + ")";
    for (std::size_t k = 1; k < c.size() && !x->empty(); ++k) sum.add(-c[k], k == 1 ? base : fmt::format("{}^{}", base, k));
    Block& block = draft.text.add("constraint", e.origin());
    block.key("name", toml::quoted(name));
    block.key("holonomic", toml::quoted(sum.text()));
}

/// Those that are active, by the bodies they hold.
void Writer::find_connects() {
    Problems unheard{.files = draft.problems.files};  // what is wrong is told when they are written
    std::swap(unheard, draft.problems);
    for (const xml::Element& section : draft.source.sections("equality"))
        for (const xml::Element& e : draft.source.children(section)) {
            if (e.name() != "connect" || !defaults.attributes(e, "equality", 0, draft.problems).flag("active", true, draft.problems))
                continue;
            if (const auto pair = read_pair(e)) connects[{pair->one, pair->two}].push_back(e);
        }
    std::swap(unheard, draft.problems);
}

/// A spatial tendon that runs from one site to another: its length, counted from where the file shows it, is held.
bool Writer::hold_distance(const xml::Element& e) const {
    const auto tendon = tendons.straight.find(e.attribute("tendon1").value_or(""));
    if (tendon == tendons.straight.end() || e.has("tendon2")) return false;
    const auto [from, to] = tendon->second;
    const Tree& tree = draft.tree;
    const auto place = [&](std::size_t site) { return tree.world_pose(tree.sites[site].body) * tree.sites[site].pose.p; };
    double held = (place(to) - place(from)).norm();
    if (const auto given = xml::numbers(e, "polycoef", draft.problems); given && !given->empty()) held += given->front();
    Block& rod = draft.text.add("rod", e.origin());
    rod.key("name", toml::quoted(draft.text.claim(ModelText::Space::element, e.attribute("name").value_or(tendon->first))));
    rod.key("from", toml::quoted(draft.points[from]));
    rod.key("to", toml::quoted(draft.points[to]));
    rod.key("length", toml::number(held));
    return true;
}

void Writer::write(const xml::Element& e) {
    const Attributes a = defaults.attributes(e, "equality", 0, draft.problems);
    const std::string_view kind = e.name();
    if (kind != "connect" && kind != "weld" && kind != "joint" && kind != "tendon")
        return leave_out(draft.tree.left_out, "equalities of type " + std::string(kind), e.origin());
    if (!a.flag("active", true, draft.problems)) return leave_out(draft.tree.left_out, "equalities that are not active", e.origin());
    draft.has_constraints = true;
    if (kind == "tendon" && hold_distance(e)) return;
    if (kind == "connect")
        connect(e);
    else if (kind == "weld")
        weld(e);
    else
        couple(e);
}

}  // namespace

void write_equalities(Draft& draft, const Defaults& defaults, const Tendons& tendons) {
    Writer writer{draft, defaults, tendons};
    writer.find_connects();
    for (const xml::Element& section : draft.source.sections("equality"))
        for (const xml::Element& e : draft.source.children(section)) writer.write(e);
}

}  // namespace linkwright::exchange::mjcf
