#pragma once
// A model file in the making out of MJCF: what was read, the names that things have in the text, and the forces that joints collect before they are written.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/exchange/mjcf_actuator.hpp"
#include "linkwright/exchange/mjcf_inertia.hpp"
#include "linkwright/exchange/mjcf_tree.hpp"
#include "linkwright/exchange/model_text.hpp"

namespace linkwright::exchange::mjcf {

/// A sum of products as an expression: "2*hip - 0.5*knee".
class Sum {
public:
    void add(double coefficient, std::string_view factor);  ///< nothing when the coefficient is 0
    void add(double constant) { add(constant, {}); }
    void add(std::string_view term);
    bool is_empty() const { return text_.empty(); }
    std::string text() const { return text_.empty() ? "0" : text_; }
    std::string in_brackets() const { return "(" + text() + ")"; }

private:
    std::string text_{};
};

struct Draft {
    Source& source;
    const Compiler& compiler;
    Tree& tree;
    const std::vector<Inertia>& inertias;
    Meshes& meshes;
    const TranslateOptions& options;
    ModelText& text;
    Problems& problems;

    std::vector<std::string> bodies{}, joints{}, points{};  ///< names in the text, of the tree's bodies, joints and sites ("body.point")
    std::vector<std::vector<Sum>> drives{};                 ///< of every joint: expressions along its speeds, in the order of the text
    bool has_constraints = false;

    void claim_names();
    void drive(std::size_t joint, std::size_t speed, const std::string& term) { drives[joint][speed].add(term); }
    /// "hip", and "hip'" for the rate.
    std::string coordinate(std::size_t joint) const { return joints[joint]; }
    std::string speed(std::size_t joint) const { return joints[joint] + "'"; }
    /// A parameter with a value, whose name begins with that of something else.
    std::string parameter(const std::string& wish, double value, const Origin& at);
};

/// Two axes of a frame, { z = …, x = … }; empty when it is not turned.
std::string axes_text(const Turn& q);
/// Without what rounding leaves of zeros.
std::string vector_text(const Eigen::Vector3d& v);

// Parts of the text.

void write_bodies(Draft& draft);  ///< and joints; after the forces
void write_forces(Draft& draft, const Tendons& tendons, const std::vector<Actuator>& actuators);
void write_equalities(Draft& draft, const Defaults& defaults, const Tendons& tendons);
void write_start(Draft& draft);  ///< the first keyframe, or the pose in which the file shows the bodies
void write_shapes(Draft& draft);

}  // namespace linkwright::exchange::mjcf
