#include "linkwright/model/joint_type.hpp"

#include <algorithm>
#include <array>

namespace linkwright::model {

namespace {

constexpr std::array<std::string_view, 11> names{"weld", "revolute", "prismatic", "screw", "cylindrical", "universal",
                                                 "planar", "gimbal", "translation", "spherical", "free"};

}  // namespace

std::string_view to_string(JointType type) { return names[std::min<std::size_t>(static_cast<std::size_t>(type), 10)]; }

std::optional<JointType> joint_type(std::string_view name) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) return std::nullopt;
    return static_cast<JointType>(at - names.begin());
}

std::span<const std::string_view> joint_type_names() { return names; }

std::size_t freedoms(JointType type, std::size_t axes) {
    switch (type) {
        case JointType::weld: return 0;
        case JointType::revolute: case JointType::prismatic: case JointType::screw: return 1;
        case JointType::cylindrical: case JointType::universal: return 2;
        case JointType::planar: case JointType::gimbal: case JointType::spherical: return 3;
        case JointType::translation: return axes;
        case JointType::free: case JointType::free_axes: return 6;
    }
    return 0;
}

JointNames joint_names(JointType type, const std::string& joint, std::span<const std::string> axes) {
    JointNames n;
    const auto add = [&](std::initializer_list<const char*> parts) {
        for (const char* part : parts) {
            n.coordinates.push_back(joint + part);
            n.speeds.push_back(joint + part + "'");
        }
    };
    const auto add_coordinates = [&](std::initializer_list<const char*> parts) {
        for (const char* part : parts) n.coordinates.push_back(joint + part);
    };
    const auto add_speeds = [&](std::initializer_list<const char*> parts) {
        for (const char* part : parts) n.speeds.push_back(joint + part);
    };
    switch (type) {
        case JointType::weld: break;
        case JointType::revolute: case JointType::prismatic: case JointType::screw: add({""}); break;
        case JointType::cylindrical: add({".angle", ".travel"}); break;
        case JointType::universal: add({".1", ".2"}); break;
        case JointType::planar: add({".x", ".y", ".angle"}); break;
        case JointType::gimbal: add({".1", ".2", ".3"}); break;
        case JointType::translation:
            for (const std::string& axis : axes) {
                const std::string part = "." + axis;
                add({part.c_str()});
            }
            break;
        case JointType::spherical:
            add_coordinates({".e0", ".e1", ".e2", ".e3"});
            add_speeds({".wx", ".wy", ".wz"});
            break;
        case JointType::free:
            add_coordinates({".x", ".y", ".z", ".e0", ".e1", ".e2", ".e3"});
            add_speeds({".wx", ".wy", ".wz", ".vx", ".vy", ".vz"});
            break;
        case JointType::free_axes: add({".x", ".y", ".z", ".1", ".2", ".3"}); break;
    }
    return n;
}

std::optional<std::size_t> quaternion_at(JointType type) {
    if (type == JointType::spherical) return 0;
    if (type == JointType::free) return 3;
    return std::nullopt;
}

}  // namespace linkwright::model
