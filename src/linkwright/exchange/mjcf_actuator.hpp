#pragma once
// Fixed tendons and actuators as plain data. An actuator's force is gain·a + bias: a is its control, or what a filter makes of it; gain and bias are made of
// the length and the rate of what it pulls at, times the gear. motor, position, velocity and their like are words for certain gains and biases.

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linkwright/exchange/mjcf_tree.hpp"

namespace linkwright::exchange::mjcf {

/// Length = Σ coefficient · position of a joint.
struct Tendon {
    Origin at{};
    std::string name{};
    std::vector<std::pair<std::size_t, double>> joints{};
    double stiffness = 0, damping = 0;
    std::optional<double> spring_length{};  ///< none: the length where every joint is at its springref
};

struct Tendons {
    std::vector<Tendon> fixed{};
    std::map<std::string, std::size_t, std::less<>> names{};
    std::map<std::string, Origin, std::less<>> spatial{};  ///< those that run through space, which are left out
    /// Of these, the ones that run straight from a site to another and whose length an equality holds: rods.
    std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> straight{};
};
Tendons read_tendons(Source& source, const Defaults& defaults, Tree& tree, Problems& problems);

enum class Dynamics { none, integrator, filter };
enum class Pull { joint, joint_in_parent, tendon, site };

struct Actuator {
    Origin at{};
    std::string name{};
    Pull pull = Pull::joint;
    std::size_t target = 0;  ///< a joint, a fixed tendon or a site
    std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
    Dynamics dynamics = Dynamics::none;
    double time_constant = 1;
    std::array<double, 3> gain{1, 0, 0}, bias{};  ///< constant, times length, times rate
    bool is_position = false;                     ///< bias[2] > 0 is then a damping ratio
};
/// Those that have a smooth law; the others are counted in the tree.
std::vector<Actuator> read_actuators(Source& source, const Defaults& defaults, const Tendons& tendons, Tree& tree, Problems& problems);

}  // namespace linkwright::exchange::mjcf
