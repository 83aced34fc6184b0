#include "linkwright/exchange/mjcf_actuator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string_view>

#include "linkwright/exchange/mjcf_words.hpp"

namespace linkwright::exchange::mjcf {

namespace {

Tendon read_tendon(Source& source, const xml::Element& e, const Attributes& a, Tree& tree, Problems& problems) {
    Tendon tendon{.at = e.origin(), .name = e.attribute("name").value_or("")};
    for (const xml::Element& part : source.children(e)) {
        if (part.name() != "joint") continue;
        const auto joint = find_named(tree.joint_names, part, "joint", "joint", problems);
        const auto coefficient = xml::number(part, "coef", problems);
        if (!joint || !coefficient) {
            if (!part.has("joint") || !part.has("coef"))
                problems.error(part.origin(), "a <joint> of a fixed tendon has 'joint' and 'coef'");
            continue;
        }
        const JointKind kind = tree.joints[*joint].kind;
        if (kind != JointKind::hinge && kind != JointKind::slide)
            problems.error(part.origin(), "a fixed tendon is made of hinges and slides");
        else
            tendon.joints.emplace_back(*joint, *coefficient);
    }
    const auto first = [&](std::string_view name) {
        const auto all = a.numbers(name, 0, problems);
        return all && !all->empty() ? all->front() : 0.0;
    };
    tendon.stiffness = first("stiffness");
    tendon.damping = first("damping");
    if (const auto rest = a.numbers("springlength", 0, problems); rest && !rest->empty() && rest->front() >= 0) {
        tendon.spring_length = rest->front();
        if (rest->size() > 1 && (*rest)[1] != (*rest)[0] && tendon.stiffness != 0) {
            leave_out(tree.left_out, "springs of tendons that are slack over a range", e.origin());
            tendon.stiffness = 0;
        }
    }
    if (a.has("range") && a.text("limited").value_or("auto") != "false") leave_out(tree.left_out, "limits of tendons", e.origin());
    if (a.number("frictionloss", problems).value_or(0) != 0) leave_out(tree.left_out, "dry friction of tendons", e.origin());
    if (a.number("armature", problems).value_or(0) != 0) leave_out(tree.left_out, "armatures of tendons", e.origin());
    return tendon;
}

// --- laws ---

/// The numbers of an actuator, as class after class and then the element set them.
struct Law {
    std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
    std::array<double, 10> gain{1}, bias{}, dynamics{1};
    std::string gain_type = "fixed", bias_type = "none", dynamics_type = "none";
};

template <std::size_t N>
void overlay(const xml::Element& e, std::string_view name, std::array<double, N>& into, Problems& problems) {
    if (const auto given = xml::numbers(e, name, problems)) std::copy_n(given->begin(), std::min(given->size(), N), into.begin());
}

void types(Law& law, std::string_view gain, std::string_view bias) {
    law.gain_type = gain;
    law.bias_type = bias;
}

void set_position(const xml::Element& e, Law& law, Problems& problems) {
    law.gain[0] = xml::number(e, "kp", problems).value_or(law.gain[0]);
    law.bias[1] = -law.gain[0];
    if (const auto kv = xml::number(e, "kv", problems)) law.bias[2] = -*kv;
    if (const auto ratio = xml::number(e, "dampratio", problems)) law.bias[2] = *ratio;
    if (const auto lag = xml::number(e, "timeconst", problems)) {
        law.dynamics[0] = *lag;
        law.dynamics_type = *lag == 0 ? "none" : "filterexact";
    }
    types(law, "fixed", "affine");
}

void set_cylinder(const xml::Element& e, Law& law, Problems& problems) {
    law.dynamics[0] = xml::number(e, "timeconst", problems).value_or(law.dynamics[0]);
    law.gain[0] = xml::number(e, "area", problems).value_or(law.gain[0]);
    if (const auto d = xml::number(e, "diameter", problems)) law.gain[0] = std::numbers::pi / 4 * *d * *d;
    overlay(e, "bias", law.bias, problems);
    law.dynamics_type = "filter";
    types(law, "fixed", "affine");
}

void apply(const xml::Element& e, Law& law, Problems& problems) {
    const std::string_view kind = e.name();
    overlay(e, "gear", law.gear, problems);
    if (kind == "general") {
        law.dynamics_type = e.attribute("dyntype").value_or(law.dynamics_type);
        law.gain_type = e.attribute("gaintype").value_or(law.gain_type);
        law.bias_type = e.attribute("biastype").value_or(law.bias_type);
        overlay(e, "dynprm", law.dynamics, problems);
        overlay(e, "gainprm", law.gain, problems);
        overlay(e, "biasprm", law.bias, problems);
    } else if (kind == "motor") {
        law.gain[0] = 1;
        law.dynamics_type = "none";
        types(law, "fixed", "none");
    } else if (kind == "position") {
        set_position(e, law, problems);
    } else if (kind == "intvelocity") {
        set_position(e, law, problems);
        law.dynamics_type = "integrator";
    } else if (kind == "velocity") {
        law.bias = {};
        law.gain[0] = xml::number(e, "kv", problems).value_or(law.gain[0]);
        law.bias[2] = -law.gain[0];
        law.dynamics_type = "none";
        types(law, "fixed", "affine");
    } else if (kind == "damper") {
        const double before = law.gain_type == "affine" ? -law.gain[2] : 0;
        law.gain = {};
        law.gain[2] = -xml::number(e, "kv", problems).value_or(before);
        law.dynamics_type = "none";
        types(law, "affine", "none");
    } else if (kind == "cylinder") {
        set_cylinder(e, law, problems);
    }
}

const std::vector<std::string_view>& smooth_kinds() {
    static const std::vector<std::string_view> kinds{"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder"};
    return kinds;
}

// Polynomials in length and rate; false when it is something else.
bool translate_law(const Law& law, Actuator& a) {
    if (law.gain_type != "fixed" && law.gain_type != "affine") return false;
    if (law.bias_type != "none" && law.bias_type != "affine") return false;
    a.gear = law.gear;
    a.gain =
        law.gain_type == "fixed" ? std::array<double, 3>{law.gain[0], 0, 0} : std::array<double, 3>{law.gain[0], law.gain[1], law.gain[2]};
    if (law.bias_type == "affine") a.bias = {law.bias[0], law.bias[1], law.bias[2]};
    a.is_position = law.gain_type == "fixed" && law.bias_type == "affine" && law.gain[0] == -law.bias[1];
    a.time_constant = law.dynamics[0];
    if (law.dynamics_type == "none")
        a.dynamics = Dynamics::none;
    else if (law.dynamics_type == "integrator")
        a.dynamics = Dynamics::integrator;
    else if (law.dynamics_type == "filter" || law.dynamics_type == "filterexact")
        a.dynamics = law.dynamics[0] > 0 ? Dynamics::filter : Dynamics::none;
    else
        return false;
    return true;
}

// --- what they pull at ---

struct Reader {
    Source& source;
    const Defaults& defaults;
    const Tendons& tendons;
    Tree& tree;
    Problems& problems;

    bool read_target(const Attributes& a, Actuator& actuator);
    std::optional<Actuator> read(const xml::Element& e);
};

bool Reader::read_target(const Attributes& a, Actuator& actuator) {
    const auto holder = [&](std::string_view name) { return a.own().has(name); };
    const auto take = [&](Pull pull, const std::optional<std::size_t>& found) {
        actuator.pull = pull;
        actuator.target = found.value_or(0);
        return found.has_value();
    };
    if (holder("joint")) return take(Pull::joint, find_named(tree.joint_names, a.own(), "joint", "joint", problems));
    if (holder("jointinparent"))
        return take(Pull::joint_in_parent, find_named(tree.joint_names, a.own(), "jointinparent", "joint", problems));
    if (holder("tendon")) {
        if (tendons.spatial.contains(*a.text("tendon")))
            return leave_out(tree.left_out, "actuators of spatial tendons", actuator.at), false;
        return take(Pull::tendon, find_named(tendons.names, a.own(), "tendon", "tendon", problems));
    }
    if (holder("site")) {
        const auto site = find_named(tree.site_names, a.own(), "site", "site", problems);
        if (holder("refsite")) return leave_out(tree.left_out, "actuators between two sites", actuator.at), false;
        return take(Pull::site, site);
    }
    if (holder("cranksite")) return leave_out(tree.left_out, "actuators by slider and crank", actuator.at), false;
    if (holder("body")) return leave_out(tree.left_out, "actuators of whole bodies", actuator.at), false;
    problems.error(actuator.at, "this actuator pulls at nothing", "it has one of joint, jointinparent, tendon, site");
    return false;
}

std::optional<Actuator> Reader::read(const xml::Element& e) {
    Actuator actuator{.at = e.origin(), .name = e.attribute("name").value_or("")};
    const Attributes a(e);
    if (std::ranges::find(smooth_kinds(), e.name()) == smooth_kinds().end())
        return leave_out(tree.left_out, "actuators of type " + std::string(e.name()), e.origin()), std::nullopt;
    Law law;
    const auto layers = defaults.elements(defaults.class_of(e, 0, problems), smooth_kinds());
    for (const xml::Element& layer : layers) apply(layer, law, problems);
    apply(e, law, problems);
    if (!read_target(a, actuator)) return {};
    if (!translate_law(law, actuator)) return leave_out(tree.left_out, "actuators with laws that are not affine", e.origin()), std::nullopt;
    const Attributes with_class(e, layers);
    for (const auto& [range, limited, what] :
         {std::array<std::string_view, 3>{"ctrlrange", "ctrllimited", "limits of controls"},
          std::array<std::string_view, 3>{"forcerange", "forcelimited", "limits of actuators' forces"}}) {
        const std::string word = with_class.text(limited).value_or("auto");
        if (word == "true" || (word == "auto" && with_class.has(range))) leave_out(tree.left_out, std::string(what), e.origin());
    }
    return actuator;
}

/// Names of tendons whose length an equality holds at a number.
std::set<std::string> held_tendons(Source& source) {
    std::set<std::string> names;
    for (const xml::Element& section : source.sections("equality"))
        for (const xml::Element& e : source.children(section))
            if (e.name() == "tendon" && !e.has("tendon2") && e.attribute("active").value_or("true") == "true")
                names.insert(e.attribute("tendon1").value_or(""));
    return names;
}

/// Two sites of two bodies and nothing else, and no forces of its own.
std::optional<std::pair<std::size_t, std::size_t>> straight_ends(Source& source, const xml::Element& e, const Tree& tree) {
    const auto parts = source.children(e);
    if (parts.size() != 2 || e.has("stiffness") || e.has("damping")) return {};
    std::array<std::size_t, 2> ends{};
    for (std::size_t i = 0; i < 2; ++i) {
        const auto site = tree.site_names.find(parts[i].attribute("site").value_or(""));
        if (parts[i].name() != "site" || site == tree.site_names.end()) return {};
        ends[i] = site->second;
    }
    if (tree.sites[ends[0]].body == tree.sites[ends[1]].body) return {};
    return std::pair(ends[0], ends[1]);
}

}  // namespace

Tendons read_tendons(Source& source, const Defaults& defaults, Tree& tree, Problems& problems) {
    Tendons all;
    const std::set<std::string> held = held_tendons(source);
    for (const xml::Element& section : source.sections("tendon")) {
        for (const xml::Element& e : source.children(section)) {
            const std::string name = e.attribute("name").value_or("");
            if (e.name() == "spatial") {
                if (!name.empty()) all.spatial.try_emplace(name, e.origin());
                const auto ends = held.contains(name) ? straight_ends(source, e, tree) : std::nullopt;
                if (ends)
                    all.straight.try_emplace(name, *ends);
                else
                    leave_out(tree.left_out, "spatial tendons", e.origin());
            } else if (e.name() == "fixed") {
                if (!name.empty() && !all.names.try_emplace(name, all.fixed.size()).second)
                    problems.error(e.origin_of("name"), "the name '" + name + "' is given to two tendons");
                all.fixed.push_back(read_tendon(source, e, defaults.attributes(e, "tendon", 0, problems), tree, problems));
            } else {
                leave_out(tree.left_out, words_for(e.name()), e.origin());
            }
        }
    }
    return all;
}

std::vector<Actuator> read_actuators(Source& source, const Defaults& defaults, const Tendons& tendons, Tree& tree, Problems& problems) {
    Reader reader{source, defaults, tendons, tree, problems};
    std::vector<Actuator> all;
    for (const xml::Element& section : source.sections("actuator"))
        for (const xml::Element& e : source.children(section))
            if (const auto actuator = reader.read(e)) all.push_back(*actuator);
    return all;
}

}  // namespace linkwright::exchange::mjcf
