#include "linkwright/exchange/mjcf_words.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace linkwright::exchange::mjcf {

namespace {

// Names between blanks, as the XML reference lists them for versions 2 and 3.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> known{{
    {"body", " name childclass mocap pos quat axisangle xyaxes zaxis euler gravcomp sleep user "},
    {"joint",
     " name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit solreffriction solimpfriction "
     "stiffness range "
     "actuatorfrcrange actuatorgravcomp margin ref springref armature damping frictionloss user "},
    {"freejoint", " name group align "},
    {"inertial", " pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia "},
    {"geom",
     " name class type contype conaffinity condim group priority size material rgba friction mass density shellinertia solmix solref "
     "solimp margin gap fromto "
     "pos quat axisangle xyaxes zaxis euler hfield mesh fitscale user fluidshape fluidcoef "},
    {"site", " name class type group pos quat axisangle xyaxes zaxis euler material size fromto rgba user "},
}};

}  // namespace

void check_attributes(const xml::Element& e, Problems& problems) {
    const auto row = std::ranges::find(known, e.name(), &std::pair<std::string_view, std::string_view>::first);
    if (row == known.end()) return;
    for (const std::string& name : e.attributes())
        if (row->second.find(" " + name + " ") == std::string_view::npos)
            problems.note(e.origin_of(name), "<" + std::string(e.name()) + "> has no attribute '" + name + "' in MJCF; it is not used");
}

bool makes_bodies(std::string_view element) {
    constexpr std::array<std::string_view, 3> all{"attach", "composite", "flexcomp"};
    return std::ranges::find(all, element) != all.end();
}

std::string words_for(std::string_view element) {
    static const std::map<std::string, std::string, std::less<>> words{
        {"camera", "cameras"}, {"light", "lights"}, {"plugin", "plugins"}, {"pair", "contact pairs"}, {"exclude", "contact exclusions"}};
    const auto place = words.find(element);
    return place != words.end() ? place->second : "elements <" + std::string(element) + ">, which are not known here";
}

}  // namespace linkwright::exchange::mjcf
