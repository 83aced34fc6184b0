// Mechanisms with more constraints than they need: joints doubled and tripled, coaxial and parallel, in any orientation, on every kind of
// base, against the same mechanism without what is redundant. And the same joints a little out of line, which lock what they hold: a
// tolerance that is merely wider would not see that.

#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/inspect.hpp"
#include "session/placing.hpp"
#include "session/same_motion.hpp"
#include "session/subject.hpp"

namespace linkwright {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::turn, test::write;

/// Where a joint stands in its two bodies.
struct Mount {
    Matrix3d R_P, R_C;  ///< joint axes in parent and child
    Vector3d p_P, p_C;  ///< joint points there
};

/// A door in a frame: the joint that holds it, and joints that say nothing new.
struct Case {
    std::string base, door;           ///< types of joints
    std::vector<std::string> extras;  ///< types
    std::uint64_t seed = 0;
    double size = 1;             ///< all lengths are about this
    double tilt = 0, shift = 0;  ///< of the extras, out of line
    bool is_moving = true;
};

class Writer {
public:
    explicit Writer(const Case& c) : case_(c), random_(c.seed) {
        hinge_ = {random_.any_rotation(), random_.any_rotation(), case_.size * random_.any_vector(), case_.size * random_.any_vector()};
        angle_ = has_angle() ? random_.uniform() : 0;
        travel_ = c.door == "prismatic" || c.door == "cylindrical" || c.door == "planar" ? case_.size * random_.uniform() : 0;
        for (const std::string& type : case_.extras) extras_.push_back(extra(type));
        text_ = fmt::format("format = 1\nname = \"door\"\ngravity = [0, 0, {}]\n", -9.81 * case_.size);
        for (const char* name : {"frame", "door"}) {
            const double d = case_.size * case_.size;
            text_ += fmt::format("[[body]]\nname = \"{}\"\nmass = 1\ninertia = [{}, {}, {}]\ncom = {}\n", name, d, 1.5 * d, 1.2 * d,
                                 write(0.3 * case_.size * random_.any_vector()));
        }
        std::string base = case_.base;
        if (base == "ground") base = "weld";
        text_ += fmt::format("[[joint]]\nname = \"base\"\ntype = \"{}\"\nparent = \"ground\"\nchild = \"frame\"\n", base);
        add_joint("hinge", case_.door, hinge_, false, "");
        initial_ = "[initial]\n";
        const auto give = [&](const std::string& name, double x) { initial_ += fmt::format("\"{}\" = {:.17g}\n", name, x); };
        if (case_.door == "revolute" || case_.door == "screw") give("hinge", angle_);
        if (case_.door == "prismatic") give("hinge", travel_);
        if (case_.door == "cylindrical") give("hinge.angle", angle_), give("hinge.travel", travel_);
        if (case_.door == "planar") give("hinge.angle", angle_), give("hinge.x", travel_);
        if (case_.door == "universal") give("hinge.1", angle_);
        if (case_.is_moving) {
            if (base == "spherical" || base == "free") {
                for (const char* w : {"base.wx", "base.wy", "base.wz"}) give(w, 2 * random_.uniform());
            }
            if (base == "gimbal") give("base.1'", random_.uniform()), give("base.2'", random_.uniform());
            if (base == "revolute") give("base'", random_.uniform());
            if (case_.door == "revolute" || case_.door == "screw") give("hinge'", random_.uniform());
            if (case_.door == "prismatic") give("hinge'", case_.size * random_.uniform());
            if (case_.door == "universal") give("hinge.2'", random_.uniform());
            if (case_.door == "planar" || case_.door == "cylindrical") give("hinge.angle'", random_.uniform());
        }
    }

    std::string with_extras() const {
        Writer copy = *this;
        for (std::size_t k = 0; k < extras_.size(); ++k) {
            copy.add_joint(fmt::format("extra{}", k + 1), case_.extras[k], extras_[k], k % 2 == 1, "cut = true\n");
        }
        return copy.text_ + copy.initial_;
    }
    std::string without() const { return text_ + initial_; }

private:
    bool has_angle() const { return case_.door != "prismatic" && case_.door != "weld"; }

    /// An extra joint on the hinge's axis z, or where the door's joint allows it.
    Mount extra(const std::string& type) {
        Mount m = hinge_;
        const bool is_anywhere = case_.door == "prismatic" || case_.door == "planar" || case_.door == "weld";
        const bool is_fixed = case_.door == "universal" || case_.door == "spherical" || case_.door == "gimbal";
        Vector3d away = Vector3d::Zero();
        if (!is_fixed) away.z() = case_.size * random_.uniform();
        if (is_anywhere) away = case_.size * random_.any_vector();
        if (case_.door == "planar") away.z() = 0;
        m.p_P += m.R_P * away;
        m.p_C += m.R_C * away;
        const double about = type == case_.door && case_.door == "universal" ? 0 : 2 * random_.uniform();
        Matrix3d turned = turn(Vector3d::UnitZ(), about);
        if (type == "planar" && case_.door == "prismatic")
            turned = turn(Vector3d::UnitX(), std::numbers::pi / 2) * turned;  // the axis lies in it
        m.R_P = m.R_P * turned;
        m.R_C = m.R_C * turned;
        if (case_.tilt != 0 || case_.shift != 0) {
            // out of line in the parent; in the child so that it closes where the motion begins
            const Matrix3d R_h = turn(Vector3d::UnitZ(), angle_);
            const Matrix3d bend = turn(Vector3d::UnitX(), case_.tilt);
            const Vector3d off(case_.size * case_.shift, 0, 0);
            m.R_P = hinge_.R_P * bend * turned;
            m.p_P = hinge_.p_P + hinge_.R_P * (away + off);
            m.R_C = hinge_.R_C * R_h.transpose() * bend * turned;
            m.p_C = hinge_.p_C + hinge_.R_C * (R_h.transpose() * (away + off));
        }
        return m;
    }

    void add_joint(const std::string& name, const std::string& type, const Mount& m, bool is_reversed, const std::string& more) {
        text_ += fmt::format("[[joint]]\nname = \"{}\"\ntype = \"{}\"\n", name, type);
        text_ += is_reversed ? "parent = \"door\"\nchild = \"frame\"\n" : "parent = \"frame\"\nchild = \"door\"\n";
        text_ += fmt::format("parent_at = {}\nchild_at = {}\n", write(is_reversed ? m.p_C : m.p_P), write(is_reversed ? m.p_P : m.p_C));
        text_ += fmt::format("parent_axes = {}\nchild_axes = {}\n", test::write_axes(is_reversed ? m.R_C : m.R_P),
                             test::write_axes(is_reversed ? m.R_P : m.R_C));
        const bool has_axis =
            type == "revolute" || type == "prismatic" || type == "cylindrical" || type == "planar" || type == "point-on-line";
        if (has_axis) text_ += "axis = \"z\"\n";
        if (type == "screw") text_ += fmt::format("axis = \"z\"\npitch = {}\n", 0.3 * case_.size);
        if (type == "universal") text_ += is_reversed ? "axes = [\"y\", \"z\"]\n" : "axes = [\"z\", \"y\"]\n";
        text_ += more;
    }

    Case case_;
    test::Placing random_;
    Mount hinge_;
    std::vector<Mount> extras_;
    double angle_ = 0, travel_ = 0;
    std::string text_, initial_;
};

session::Session open_case(const std::string& text, const std::string& formulation = {}) {
    const auto opened = session::open_text(text, "door.toml", {.formulation = formulation});
    EXPECT_TRUE(opened) << to_string(opened.problems) << text;
    return *opened;
}

const char* bases[] = {"ground", "revolute", "gimbal", "spherical", "free"};

struct Pair {
    const char* door;
    std::vector<std::string> extras;
};
const Pair pairs[] = {
    {"revolute", {"revolute"}},
    {"revolute", {"revolute", "revolute"}},
    {"revolute", {"cylindrical"}},
    {"revolute", {"spherical", "point-on-line"}},
    {"revolute", {"planar"}},
    {"screw", {"screw"}},
    {"screw", {"cylindrical", "screw"}},
    {"prismatic", {"prismatic"}},
    {"prismatic", {"cylindrical", "prismatic"}},
    {"prismatic", {"planar"}},
    {"cylindrical", {"cylindrical"}},
    {"cylindrical", {"point-on-line", "cylindrical"}},
    {"universal", {"universal"}},
    {"universal", {"spherical", "universal"}},
    {"spherical", {"spherical", "spherical"}},
    {"gimbal", {"spherical"}},
    {"planar", {"planar"}},
    {"planar", {"planar", "planar"}},
    {"weld", {"weld"}},
    {"weld", {"revolute", "prismatic"}},
};

class Overconstrained : public ::testing::TestWithParam<std::tuple<const char*, std::size_t>> {};

/// check, evaluate in every formulation, simulate, linearize, modes and emitted code say what they say without the redundant joints.
TEST_P(Overconstrained, MovesAsWithoutThem) {
    const auto& [base, number] = GetParam();
    const Pair& pair = pairs[number];
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Case c{base, pair.door, pair.extras, seed, std::array{1.0, 1.0, 1e-3, 1e3, 1.0, 37.0}[seed - 1], 0, 0, seed % 2 == 0};
        const Writer writer(c);
        const std::string text = writer.with_extras();
        SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
        const session::Session with = open_case(text), without = open_case(writer.without());
        const auto seen = session::inspect(with), truth = session::inspect(without);
        ASSERT_TRUE(seen) << to_string(seen.problems);
        EXPECT_EQ(seen->freedoms, truth->freedoms);
        const auto right = session::evaluate(without);
        ASSERT_TRUE(right) << to_string(right.problems);
        for (const char* formulation : {"kane", "lagrange", "recursive", "newton_euler"}) {
            const auto found = session::evaluate(open_case(text, formulation));
            ASSERT_TRUE(found) << formulation << to_string(found.problems);
            if (std::string(formulation) == "newton_euler") continue;  // its speeds are those of the bodies
            EXPECT_LT(test::off(found->evaluation.accelerations, right->evaluation.accelerations), 1e-7) << formulation;
        }
        session::SimulateOptions options;
        options.rows.until = 0.02, options.rows.samples = 2;
        const auto moved = session::simulate(with, options), should = session::simulate(without, options);
        ASSERT_TRUE(moved) << to_string(moved.problems);
        ASSERT_TRUE(should);
        test::expect_same_end(*moved, *should, 1e-6 * (1 + c.size * c.size));
        if (seed <= 2) test::expect_same_linear(with, without, truth->freedoms);
    }
}

std::string pair_name(const ::testing::TestParamInfo<std::tuple<const char*, std::size_t>>& info) {
    const auto& [base, number] = info.param;
    std::string name = fmt::format("{}_{}", base, pairs[number].door);
    for (const std::string& extra : pairs[number].extras) name += "_" + extra;
    std::erase(name, '-');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Doors, Overconstrained,
                         ::testing::Combine(::testing::ValuesIn(bases), ::testing::Range<std::size_t>(0, std::size(pairs))), pair_name);

/// Hinges out of line hold the door fast: their base alone moves.
TEST(OverconstrainedButTrue, TiltedAndShiftedHingesAreLocked) {
    for (const char* base : bases) {
        for (const double by : {1e-2, 1e-3, 1e-4}) {
            for (const bool is_tilted : {true, false}) {
                for (const double size : {1.0, 1e-3, 1e3}) {
                    const Case c{base, "revolute", {"revolute"}, 11, size, is_tilted ? by : 0, is_tilted ? 0 : by, false};
                    const Writer writer(c);
                    SCOPED_TRACE(fmt::format("{} {} {} {}\n{}", base, by, is_tilted, size, writer.with_extras()));
                    const auto locked = session::inspect(open_case(writer.with_extras())),
                               open = session::inspect(open_case(writer.without()));
                    ASSERT_TRUE(locked) << to_string(locked.problems);
                    EXPECT_EQ(locked->freedoms + 1, open->freedoms);
                }
            }
        }
    }
}

}  // namespace
}  // namespace linkwright
