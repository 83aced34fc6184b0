#pragma once
// A robot in numbers: what URDF and SDF have in common, and what a rigid tree is when it is written in one of them.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linkwright/exchange/frame.hpp"
#include "linkwright/exchange/model_text.hpp"
#include "linkwright/exchange/translation.hpp"
#include "linkwright/exchange/xml.hpp"

namespace linkwright::exchange {

/// Mass, centre of mass and tensor of inertia about it, in link axes.
struct Inertial {
    double mass = 0;
    Vector com{};
    Matrix inertia{};
    Origin origin{};
};

struct Visual {
    enum class Kind { box, cylinder, sphere, capsule, mesh };
    Kind kind = Kind::box;
    Frame frame{};  ///< in the link
    Vector size{};  ///< of a box
    double radius = 0, length = 0;
    std::string file{};  ///< of a mesh, relative to the folder of the model file
    double scale = 1;
    std::vector<double> colour{};  ///< red, green, blue from 0 to 1; may be empty
    Origin origin{};
};

struct Link {
    std::string name{};
    std::optional<Inertial> inertial{};
    std::vector<Visual> visuals{};
    double gravity_compensation = 0;  ///< how much of its weight is carried, where a model is written
    Origin origin{};
};

inline constexpr std::size_t the_ground = static_cast<std::size_t>(-1);

/// q = multiplier · leader + offset.
struct Mimic {
    std::string leader{};
    double multiplier = 1, offset = 0;
    Origin origin{};
};

struct Limits {
    std::optional<double> lower{}, upper{}, effort{}, velocity{};
};

/// The joint frame is X_PF in the parent and X_CF in the child; axes are in the joint frame. At zero both coincide.
struct RobotJoint {
    enum class Kind { fixed, revolute, prismatic, screw, universal, ball, planar, floating };
    std::string name{};
    Kind kind = Kind::fixed;
    std::size_t parent = the_ground, child = the_ground;  ///< links
    Frame X_PF{}, X_CF{};
    std::vector<Vector> axes{};
    double pitch = 0;                                    ///< of a screw: travel per radian
    std::vector<double> damping{}, stiffness{}, rest{};  ///< for each freedom, or none
    std::vector<Limits> limits{};
    bool is_driven = false;  ///< an input acts along it
    std::string input{};     ///< its name, where a model is written
    double shown = 0;        ///< the coordinate where the file shows it, of one freedom
    Frame shown_frame{};     ///< the same of a ball (its turn) and of what floats
    std::optional<Mimic> mimic{};
    Origin origin{};
};

/// Two joints of one freedom: drive = ratio · driven.
struct RobotGear {
    std::string drive{}, driven{};
    double ratio = 1;
    Origin origin{};
};

/// What closes a loop: two links hold a point, an axis or all of two frames together.
struct Closure {
    enum class Kind { point, axis, weld };
    std::string name{};
    Kind kind = Kind::point;
    std::size_t a = the_ground, b = the_ground;  ///< links
    Frame X_AF{}, X_BF{};
    Vector axis{};  ///< in both frames
};

/// The distance of two points is held.
struct Distance {
    std::string name{};
    std::size_t a = the_ground, b = the_ground;
    Vector at_a{}, at_b{};
    double length = 0;
};

/// Σ coefficient · coordinate + constant = 0.
struct Coupling {
    std::string name{};
    std::vector<std::pair<std::string, double>> terms{};  ///< joints of one freedom
    double constant = 0;
};

/// Along a length L: a joint's coordinate or a tendon's length, times gear[0]. Force (g₀ + g₁ L + g₂ L')·s + b₀ + b₁ L + b₂ L', with s the control or what its
/// filter makes of it. A ball takes three gears, a site six: force and torque along the axes of its link.
struct RobotActuator {
    enum class Pull { joint, tendon, site };
    enum class Dynamics { none, filter, integrator };
    std::string name{};
    Pull pull = Pull::joint;
    std::string target{};
    std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
    std::array<double, 3> gain{1, 0, 0}, bias{};
    Dynamics dynamics = Dynamics::none;
    double time_constant = 0;
};

/// L = Σ coefficient · coordinate, with a spring and a damper along it.
struct RobotTendon {
    std::string name{};
    std::vector<std::pair<std::string, double>> terms{};  ///< joints of one freedom
    double stiffness = 0, damping = 0, length = 0;
};

struct RobotSite {
    std::string name{};
    std::size_t link = the_ground;
    Vector at{};
};

struct Robot {
    std::string name{};
    Origin origin{};
    Vector gravity{0, 0, -9.81};
    std::string gravity_remark{};  ///< where the value is from; for a comment
    std::vector<Link> links{};
    std::vector<RobotJoint> joints{};
    std::vector<RobotGear> gears{};
    std::vector<Closure> closures{};         ///< these six: of a model that is written where loops have words
    std::vector<Distance> distances{};       ///<
    std::vector<Coupling> couplings{};       ///<
    std::vector<RobotActuator> actuators{};  ///<
    std::vector<RobotTendon> tendons{};      ///<
    std::vector<RobotSite> sites{};          ///<
    std::vector<std::string> left_out{};     ///< "12 <collision>", for a note
};

/// Joints that close no loop, from the ground outwards, and those that do, in the order of the file. Told: links that nothing holds.
struct RobotTree {
    std::vector<std::size_t> order;   ///< of joints
    std::vector<std::size_t> chords;  ///< likewise
};
RobotTree tree_of(const Robot& robot);

/// Moments of inertia that are negative by rounding alone, as programs that turn tensors write them, become 0, with a note each.
void mend_moments(Robot& robot, Problems& problems);

/// Joints that would move what has no mass become fixed, with a warning each: no equation says how they move.
void hold_massless(Robot& robot, Problems& problems);

/// The model file. Takes the problems over.
Translation write_text(Robot robot, Problems problems);

/// Counts what is left out, by name, in the order in which it was first met.
class LeftOut {
public:
    void add(const std::string& what);
    std::vector<std::string> words() const;

private:
    std::vector<std::pair<std::string, std::size_t>> counts_;
};

}  // namespace linkwright::exchange
