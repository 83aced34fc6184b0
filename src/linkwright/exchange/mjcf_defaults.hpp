#pragma once
// Defaults: attributes that elements have without saying so. Classes are nested, and a class has what its parents have unless it says otherwise. An element
// has the class that it names, or the childclass of the nearest body around it, or the main one.

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linkwright/exchange/mjcf_source.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange::mjcf {

using ClassId = std::size_t;  ///< 0 is the main class

/// The attributes of an element, its own before those of its class. Values are read where they stand, and problems are told there.
class Attributes {
public:
    explicit Attributes(const xml::Element& own) : layers_{own} {}
    Attributes(const xml::Element& own, std::vector<xml::Element> defaults);

    const xml::Element& own() const { return layers_.front(); }
    Origin origin_of(std::string_view name) const;
    bool has(std::string_view name) const;
    std::optional<std::string> text(std::string_view name) const;
    std::optional<double> number(std::string_view name, Problems& problems) const;
    std::optional<std::vector<double>> numbers(std::string_view name, std::size_t count, Problems& problems) const;
    std::optional<std::array<double, 3>> vector(std::string_view name, Problems& problems) const;
    /// Up to so many numbers; those that an element does not give are its class's, as sizes and gears are.
    std::vector<double> overlaid(std::string_view name, std::vector<double> start, Problems& problems) const;
    bool flag(std::string_view name, bool otherwise, Problems& problems) const;

private:
    xml::Element holder(std::string_view name) const;
    std::vector<xml::Element> layers_;  ///< nearest first
};

class Defaults {
public:
    Defaults(Source& source, Problems& problems);

    /// With a problem when there is no such class.
    ClassId find(std::string_view name, const Origin& at, Problems& problems) const;
    /// The class of an element inside of `around`.
    ClassId class_of(const xml::Element& e, ClassId around, Problems& problems) const;
    Attributes attributes(const xml::Element& e, std::string_view kind, ClassId around, Problems& problems) const;
    /// Elements of the class and its parents whose names are in `kinds`, the outermost first.
    std::vector<xml::Element> elements(ClassId id, const std::vector<std::string_view>& kinds) const;

private:
    struct Class {
        std::string name;
        std::optional<ClassId> parent;
        std::vector<xml::Element> elements;
    };
    void read(Source& source, const xml::Element& e, std::optional<ClassId> parent, Problems& problems);
    std::optional<ClassId> declare(const xml::Element& e, std::optional<ClassId> parent, Problems& problems);

    std::vector<Class> classes_;
    std::map<std::string, ClassId, std::less<>> by_name_;
};

}  // namespace linkwright::exchange::mjcf
