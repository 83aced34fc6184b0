#include "linkwright/exchange/mjcf_defaults.hpp"

#include <algorithm>

namespace linkwright::exchange::mjcf {

Attributes::Attributes(const xml::Element& own, std::vector<xml::Element> defaults) : layers_{own} {
    layers_.insert(layers_.end(), defaults.rbegin(), defaults.rend());
}

xml::Element Attributes::holder(std::string_view name) const {
    for (const xml::Element& layer : layers_)
        if (layer.has(name)) return layer;
    return {};
}

Origin Attributes::origin_of(std::string_view name) const {
    const xml::Element e = holder(name);
    return e ? e.origin_of(name) : own().origin();
}

bool Attributes::has(std::string_view name) const { return static_cast<bool>(holder(name)); }

std::optional<std::string> Attributes::text(std::string_view name) const { return holder(name).attribute(name); }

std::optional<double> Attributes::number(std::string_view name, Problems& problems) const {
    return xml::number(holder(name), name, problems);
}

std::optional<std::vector<double>> Attributes::numbers(std::string_view name, std::size_t count, Problems& problems) const {
    return xml::numbers(holder(name), name, count, problems);
}

std::optional<std::array<double, 3>> Attributes::vector(std::string_view name, Problems& problems) const {
    return xml::vector(holder(name), name, problems);
}

std::vector<double> Attributes::overlaid(std::string_view name, std::vector<double> start, Problems& problems) const {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
        const auto given = xml::numbers(*layer, name, problems);
        if (given) std::copy_n(given->begin(), std::min(given->size(), start.size()), start.begin());
    }
    return start;
}

bool Attributes::flag(std::string_view name, bool otherwise, Problems& problems) const {
    return xml::boolean(holder(name), name, problems).value_or(otherwise);
}

Defaults::Defaults(Source& source, Problems& problems) {
    classes_.push_back({"main", std::nullopt, {}});
    by_name_["main"] = 0;
    for (const xml::Element& e : source.sections("default")) read(source, e, std::nullopt, problems);
}

// The outermost class is the main one, whatever it is called. A class may be opened again, by another file for instance, where it stood before.
std::optional<ClassId> Defaults::declare(const xml::Element& e, std::optional<ClassId> parent, Problems& problems) {
    const std::string name = e.attribute("class").value_or("");
    if (!parent) {
        if (!name.empty()) by_name_.try_emplace(name, 0);
        return 0;
    }
    if (name.empty()) {
        problems.error(e.origin(), "a class of defaults inside another one needs a name", "<default class=\"name\">");
        return {};
    }
    const auto [place, is_new] = by_name_.try_emplace(name, classes_.size());
    if (is_new) classes_.push_back({name, parent, {}});
    if (classes_[place->second].parent != parent) {
        problems.error(e.origin_of("class"), "the class '" + name + "' is defined twice",
                       "a class has one parent, and does not contain itself");
        return {};
    }
    return place->second;
}

void Defaults::read(Source& source, const xml::Element& e, std::optional<ClassId> parent, Problems& problems) {
    const auto id = declare(e, parent, problems);
    if (!id) return;
    for (const xml::Element& child : source.children(e)) {
        if (child.name() == "default")
            read(source, child, id, problems);
        else
            classes_[*id].elements.push_back(child);
    }
}

ClassId Defaults::find(std::string_view name, const Origin& at, Problems& problems) const {
    const auto place = by_name_.find(name);
    if (place != by_name_.end()) return place->second;
    problems.error(at, "there is no class '" + std::string(name) + "'",
                   "classes are defined by <default class=\"…\"> in the section <default>");
    return 0;
}

ClassId Defaults::class_of(const xml::Element& e, ClassId around, Problems& problems) const {
    const auto name = e.attribute("class");
    return name ? find(*name, e.origin_of("class"), problems) : around;
}

std::vector<xml::Element> Defaults::elements(ClassId id, const std::vector<std::string_view>& kinds) const {
    std::vector<ClassId> line{id};
    while (classes_[line.back()].parent) line.push_back(*classes_[line.back()].parent);
    std::vector<xml::Element> found;
    for (auto c = line.rbegin(); c != line.rend(); ++c)
        for (const xml::Element& e : classes_[*c].elements)
            if (std::ranges::find(kinds, e.name()) != kinds.end()) found.push_back(e);
    return found;
}

Attributes Defaults::attributes(const xml::Element& e, std::string_view kind, ClassId around, Problems& problems) const {
    return {e, elements(class_of(e, around, problems), {kind})};
}

}  // namespace linkwright::exchange::mjcf
