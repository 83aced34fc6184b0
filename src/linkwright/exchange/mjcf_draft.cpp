#include "linkwright/exchange/mjcf_draft.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <set>

namespace linkwright::exchange::mjcf {

using Eigen::Matrix3d;
using Eigen::Vector3d;

void Sum::add(double coefficient, std::string_view factor) {
    if (coefficient == 0) return;
    const double size = std::abs(coefficient);
    const std::string term = factor.empty() ? fmt::format("{}", size)
                             : size == 1    ? std::string(factor)
                                            : fmt::format("{}*{}", size, factor);
    if (coefficient < 0)
        text_ += (text_.empty() ? "-" : " - ") + term;
    else
        text_ += (text_.empty() ? "" : " + ") + term;
}

void Sum::add(std::string_view term) {
    if (term.empty() || term == "0") return;
    if (!text_.empty() && term.starts_with('-'))
        text_ += " - " + std::string(term.substr(1));
    else
        text_ += (text_.empty() ? "" : " + ") + std::string(term);
}

namespace {

std::size_t speeds_of(JointKind kind) { return kind == JointKind::free ? 6 : kind == JointKind::ball ? 3 : 1; }

std::string_view word_for(JointKind kind) {
    switch (kind) {
        case JointKind::hinge: return "hinge";
        case JointKind::slide: return "slide";
        case JointKind::ball: return "ball";
        case JointKind::free: return "free";
    }
    return "";
}

/// A name that a point of a body may have.
std::string point_name(const std::string& wish, std::set<std::string>& taken) {
    std::string name;
    for (const char c : wish) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "site_");
    std::string own = name;
    for (int n = 2; own == "origin" || own == "com" || taken.contains(own); ++n) own = fmt::format("{}_{}", name, n);
    taken.insert(own);
    return own;
}

double clean(double x) { return std::abs(x) < 1e-15 ? 0 : x; }

}  // namespace

void Draft::claim_names() {
    bodies.assign(1, "ground");
    for (std::size_t b = 1; b < tree.bodies.size(); ++b) {
        const Body& body = tree.bodies[b];
        bodies.push_back(text.claim(ModelText::Space::body, body.name.empty() ? fmt::format("body{}", b) : body.name));
    }
    for (const Joint& joint : tree.joints) {
        const std::string wish = joint.name.empty() ? fmt::format("{}_{}", bodies[joint.body], word_for(joint.kind)) : joint.name;
        joints.push_back(text.claim(ModelText::Space::joint, wish));
        drives.emplace_back(speeds_of(joint.kind));
    }
    for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
        std::set<std::string> taken;
        for (const std::size_t s : tree.bodies[b].sites) {
            if (points.size() <= s) points.resize(s + 1);
            points[s] = bodies[b] + "." + point_name(tree.sites[s].name, taken);
        }
    }
    points.resize(tree.sites.size());
}

std::string Draft::parameter(const std::string& wish, double value, const Origin& at) {
    const std::string name = text.claim(ModelText::Space::quantity, wish);
    text.parameter(name, toml::number(value), at);
    return name;
}

std::string vector_text(const Vector3d& v) { return toml::vector({clean(v.x()), clean(v.y()), clean(v.z())}); }

std::string axes_text(const Turn& q) {
    const Matrix3d R = q.toRotationMatrix();
    if ((R - Matrix3d::Identity()).cwiseAbs().maxCoeff() < 1e-15) return "";
    const auto column = [&](int k) { return toml::axis({clean(R(0, k)), clean(R(1, k)), clean(R(2, k))}); };
    return fmt::format("{{ z = {}, x = {} }}", column(2), column(0));
}

}  // namespace linkwright::exchange::mjcf
