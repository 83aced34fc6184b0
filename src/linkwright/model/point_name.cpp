#include "linkwright/model/point_name.hpp"

#include <algorithm>

#include "linkwright/model/beam_section.hpp"

namespace linkwright::model {

RateName without_primes(std::string_view name) {
    RateName r{name};
    while (r.of.ends_with('\'')) r.of.remove_suffix(1), ++r.primes;
    return r;
}

std::optional<ComponentName> split_component(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return std::nullopt;
    const ComponentName c{name.substr(0, dot), name.substr(dot + 1)};
    const auto is_axis = [](char letter) { return letter >= 'x' && letter <= 'z'; };
    if (c.part.empty() || c.part.size() > 2 || !std::ranges::all_of(c.part, is_axis)) return std::nullopt;
    return c;
}

PointNames::PointNames(const Model& model) : model_(model) {
    for (BodyIndex b = 0; b < model.bodies.size(); ++b) bodies_.emplace(model.bodies[b].name, b);
    for (const Joint& joint : model.joints) {
        if (!joint.section) continue;
        const std::string& name = model.bodies[joint.child].name;
        if (const auto at = bodies_.find(name); at != bodies_.end() && at->second == joint.child) bodies_.erase(at);
        sections_.emplace(name, joint.child);
    }
}

std::optional<PointComponent> PointNames::operator()(std::string_view name) const {
    const auto component = split_component(name);
    if (!component) return std::nullopt;
    const auto at = point(component->of);
    if (!at) return std::nullopt;
    const auto axis = [&](std::size_t i) { return static_cast<std::size_t>(component->part[i] - 'x'); };
    return PointComponent{*at, component->is_of_rotation(), axis(0), component->is_of_rotation() ? axis(1) : 0};
}

std::optional<PointOf> PointNames::point(std::string_view name) const {
    if (const auto whole = bodies_.find(std::string(name)); whole != bodies_.end()) return PointOf{whole->second, {}, std::string(name)};
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto body = bodies_.find(std::string(name.substr(0, dot)));
    return body == bodies_.end() ? std::nullopt : point_of(body->second, name.substr(dot + 1));
}

std::optional<PointOf> PointNames::point_of(BodyIndex index, std::string_view name) const {
    const Body& b = model_.bodies[index];
    const std::string full = b.name + "." + std::string(name);
    if (name == "origin") return PointOf{index, {}, full};
    if (name == "com") return PointOf{index, b.beam ? straight_com(model_, index) : b.com, full};
    if (name == "com_now" && b.beam) {
        const auto section = sections_.find(full);
        return section == sections_.end() ? std::nullopt : std::optional(PointOf{section->second, {}, full});
    }
    const auto at = std::ranges::find(b.points, name, &Point::name);
    if (at == b.points.end()) return std::nullopt;
    return PointOf{at->on.value_or(index), at->at, full};
}

std::vector<std::string> component_names(const Model& model) {
    std::vector<bool> is_section(model.bodies.size(), false);
    for (const Joint& joint : model.joints) {
        if (joint.section && joint.child < is_section.size()) is_section[joint.child] = true;
    }
    std::vector<std::string> all;
    const auto add = [&](const std::string& point) {
        for (const char* axis : {".x", ".y", ".z"}) all.push_back(point + axis);
    };
    for (BodyIndex b = 0; b < model.bodies.size(); ++b) {
        if (is_section[b]) continue;
        const Body& body = model.bodies[b];
        if (b != ground) add(body.name), add(body.name + ".com");
        for (const Point& p : body.points) add(body.name + "." + p.name);
    }
    return all;
}

}  // namespace linkwright::model
