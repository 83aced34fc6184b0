// Closed chains that move although a count of their constraints says they cannot: planar and spherical loops tilted in space by arbitrary
// decimals, Sarrus, Bennett, Goldberg, Bricard; a Stewart platform with doubled legs. Each on every kind of base, in millimetres, metres and
// kilometres, against the same mechanism whose closing joint holds only what has to be held. And the same loops with one bar a little too long
// or twisted, which are stiff.

#include <functional>

#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/inspect.hpp"
#include "linkwright/session/inverse.hpp"
#include "linkwright/session/prove.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "session/placing.hpp"
#include "session/same_motion.hpp"
#include "session/subject.hpp"

namespace linkwright {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::Placing, test::turn, test::write;

/// A pin where the mechanism begins: its axis is R's z.
struct Pin {
    Matrix3d R;
    Vector3d p;
};

/// What closes a loop.
struct Closing {
    const char* type = "revolute";
    const char* keys = "axis = \"z\"\n";
    double away = 0;  ///< from the pin's point, along its axis
};

/// A loop of bars and pins: bar k lies between pin k and pin k+1, the last pin closes it, bar 0 is held by the base.
struct Loop {
    std::vector<Pin> pins;
    Closing enough;  ///< instead of the last pin: holds what has to be held, and no more
    std::size_t freedoms = 1;
};

/// Bars and pins by [denavit55]: from one pin to the next a turn about z, then along z by `offset`, along x by `length`, about x by `twist`.
struct Bars {
    std::vector<double> length, twist, offset;
};

std::vector<Pin> placed(const Bars& bars, const VectorXd& angles) {
    std::vector<Pin> pins{{Matrix3d::Identity(), Vector3d::Zero()}};
    for (std::size_t k = 0; k < bars.length.size(); ++k) {
        Pin next = pins.back();
        next.R = next.R * turn(Vector3d::UnitZ(), angles[static_cast<Eigen::Index>(k)]);
        next.p += next.R * Vector3d(bars.length[k], 0, bars.offset[k]);
        next.R = next.R * turn(Vector3d::UnitX(), bars.twist[k]);
        pins.push_back(next);
    }
    return pins;  // one more than bars: the first again, when it is closed
}

/// Closed from `angles` by steps of least squares; `expand` makes all angles of those that are searched.
std::vector<Pin> close(const Bars& bars, VectorXd angles, const std::function<VectorXd(const VectorXd&)>& expand) {
    const auto gap = [&](const VectorXd& x) {
        const Pin last = placed(bars, expand(x)).back();
        VectorXd r(12);
        for (int i = 0; i < 9; ++i) r[i] = last.R(i % 3, i / 3) - (i % 3 == i / 3);
        r.tail(3) = last.p;
        return r;
    };
    for (int step = 0; step < 200; ++step) {
        const VectorXd r = gap(angles);
        if (r.norm() < 1e-15) break;
        MatrixXd J(12, angles.size());
        for (Eigen::Index k = 0; k < angles.size(); ++k) {
            VectorXd a = angles, b = angles;
            a[k] += 1e-5, b[k] -= 1e-5;
            J.col(k) = (gap(a) - gap(b)) / 2e-5;
        }
        const VectorXd move = solve::CompleteOrthogonal(J, 1e-6).solve(r);
        angles -= std::min(1.0, 0.3 / move.norm()) * move;
    }
    if (gap(angles).norm() > 1e-13) return {};
    std::vector<Pin> pins = placed(bars, expand(angles));
    pins.pop_back();
    return pins;
}

VectorXd as_they_are(const VectorXd& x) { return x; }

/// Closed from random angles; drawn again when it does not, or when two bars fold onto each other.
std::vector<Pin> close_somehow(const Bars& bars, Placing& random, Eigen::Index n,
                               const std::function<VectorXd(const VectorXd&)>& expand = as_they_are) {
    for (int tries = 0; tries < 100; ++tries) {
        VectorXd angles(n);
        for (double& a : angles) a = 3 * random.uniform();
        std::vector<Pin> pins = close(bars, angles, expand);
        if (!pins.empty()) return pins;
    }
    return {};
}

/// A planar loop with these bars, the pins shifted along their axes.
Loop planar(Placing& random, std::vector<double> lengths) {
    Bars bars{lengths, std::vector<double>(lengths.size(), 0.0), {}};
    double sum = 0;
    for (std::size_t k = 0; k + 1 < lengths.size(); ++k) sum += bars.offset.emplace_back(0.3 * random.uniform());
    bars.offset.push_back(-sum);
    return {close_somehow(bars, random, static_cast<Eigen::Index>(lengths.size())), {"point-on-line"}, lengths.size() - 3};
}
Loop four_bar(Placing& random) { return planar(random, {1, 0.4, 0.9 + 0.05 * random.uniform(), 0.8}); }
Loop parallelogram(Placing& random) {
    const double a = 1.1, b = 0.6 + 0.1 * random.uniform(), corner = random.between(0.5, 2.5);
    const Bars bars{{a, b, a, b}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    std::vector<Pin> pins = placed(bars, Eigen::Vector4d(0, corner, std::numbers::pi - corner, corner));
    pins.pop_back();
    return {pins, {"point-on-line"}, 1};
}
Loop five_bar(Placing& random) { return planar(random, {1, 0.5, 0.9, 0.8, 0.6}); }
Loop spherical(Placing& random) {  // all axes through one point
    const Bars bars{{0, 0, 0, 0}, {1.3, 0.6, 1.1 + 0.1 * random.uniform(), 0.9}, {0, 0, 0, 0}};
    return {close_somehow(bars, random, 4), {"point-on-line", "axis = \"z\"\n", 0.7}, 1};
}
Loop bennett(Placing& random) {  // [bennett03]: opposite bars are equal, sin(twist)/length is one number
    const double a = 0.5, alpha = 0.6 + 0.1 * random.uniform(), beta = 1.2, b = a * std::sin(beta) / std::sin(alpha);
    const Bars bars{{a, b, a, b}, {alpha, beta, alpha, beta}, {0, 0, 0, 0}};
    return {close_somehow(bars, random, 4), {"point-on-line"}, 1};
}
Loop goldberg(Placing& random) {  // [goldberg43]: two loops of Bennett's, a bar and a pin of both taken out
    const double a = 0.5, alpha = 0.6 + 0.1 * random.uniform(), beta = 1.2, gamma = 0.9, k = a / std::sin(alpha);
    const double b = k * std::sin(beta), c = k * std::sin(gamma);
    const Bars bars{{a, b + c, a, c, b}, {alpha, beta + gamma, alpha, gamma, beta}, {0, 0, 0, 0, 0}};
    return {close_somehow(bars, random, 5), {"spherical", ""}, 1};
}
Loop bricard(Placing& random) {  // [bricard27]: symmetric about a line, opposite bars and angles are equal
    const auto thrice = [&](double low, double high) {
        std::vector<double> x{random.between(low, high), random.between(low, high), random.between(low, high)};
        x.insert(x.end(), x.begin(), x.begin() + 3);
        return x;
    };
    const Bars bars{thrice(0.5, 1), thrice(0.5, 1.5), thrice(-0.3, 0.3)};
    const auto twice = [](const VectorXd& x) {
        VectorXd all(6);
        all << x, x;
        return all;
    };
    return {close_somehow(bars, random, 3, twice), {"cylindrical"}, 1};
}
Loop sarrus(Placing& random) {                                   // [sarrus1853]: three parallel pins, and three of another direction
    Loop loop{{}, {"universal", "axes = [\"z\", \"x\"]\n"}, 1};  // x: at right angles to all pins
    for (const double about : {0.0, random.between(0.6, 2.5)}) {
        const Matrix3d R = turn(Vector3d::UnitX(), about);
        for (int k = 0; k < 3; ++k) loop.pins.push_back({R, random.any_vector()});
    }
    return loop;
}

const char* bases[] = {"weld", "gimbal", "spherical", "free"};

struct Family {
    const char* name;
    Loop (*make)(Placing&);
};
const Family families[] = {{"four_bar", four_bar}, {"parallelogram", parallelogram}, {"five_bar", five_bar}, {"spherical", spherical},
                           {"bennett", bennett},   {"goldberg", goldberg},           {"bricard", bricard},   {"sarrus", sarrus}};

/// The model file of a loop that stands somewhere in space, on a base; bodies have axes of their own.
std::string text_of(const Loop& loop, const std::string& base, const Closing& closing, std::uint64_t seed, double size, bool is_moving) {
    Placing random(seed + 100);
    const Matrix3d R = random.any_rotation();
    const Vector3d p = random.any_vector();
    const std::size_t n = loop.pins.size();
    std::vector<Pin> pins, bars;
    for (const Pin& pin : loop.pins) pins.push_back({R * pin.R, size * (p + R * pin.p)});
    for (std::size_t k = 0; k < n; ++k) bars.push_back({random.any_rotation(), pins[k].p + 0.2 * size * random.any_vector()});
    std::string text = fmt::format("format = 1\nname = \"loop\"\ngravity = [0, 0, {:.17g}]\n", -9.81 * size);
    const auto in = [](const Pin& body, const Vector3d& x) { return write(body.R.transpose() * (x - body.p)); };
    for (std::size_t k = 0; k < n; ++k) {
        const double d = size * size;
        text +=
            fmt::format("[[body]]\nname = \"bar{}\"\nmass = {}\ninertia = [{}, {}, {}]\ncom = {}\n", k, 1 + 0.1 * static_cast<double>(k),
                        0.2 * d, 0.3 * d, 0.25 * d, in(bars[k], (pins[k].p + pins[(k + 1) % n].p) / 2));
    }
    text += fmt::format("[[joint]]\nname = \"base\"\ntype = \"{}\"\nparent = \"ground\"\nchild = \"bar0\"\n", base);
    std::string initial = "[initial]\n", guess = "[guess]\n";
    for (std::size_t k = 1; k <= n; ++k) {
        const bool is_last = k == n;
        Pin pin = pins[k % n];
        if (is_last) pin.p += size * closing.away * pin.R.col(2);
        const double angle = is_last ? 0 : random.uniform();
        const Pin &parent = bars[k - 1], &child = bars[k % n];
        text += fmt::format("[[joint]]\nname = \"q{}\"\ntype = \"{}\"\nparent = \"bar{}\"\nchild = \"bar{}\"\n", k,
                            is_last ? closing.type : "revolute", k - 1, k % n);
        text += fmt::format("parent_at = {}\nchild_at = {}\n", in(parent, pin.p), in(child, pin.p));
        text += fmt::format("parent_axes = {}\nchild_axes = {}\n", test::write_axes(parent.R.transpose() * pin.R),
                            test::write_axes(child.R.transpose() * pin.R * turn(Vector3d::UnitZ(), angle)));
        text += is_last ? fmt::format("cut = true\n{}", closing.keys) : "axis = \"z\"\n";
        if (!is_last) (k <= loop.freedoms ? initial : guess) += fmt::format("q{} = {:.17g}\n", k, angle);
        if (k <= loop.freedoms && is_moving) initial += fmt::format("\"q{}'\" = {:.17g}\n", k, random.between(0.5, 1));
    }
    if (is_moving && (base == "spherical" || base == "free")) {
        for (const char* w : {"wx", "wy", "wz"}) initial += fmt::format("\"base.{}\" = {:.17g}\n", w, random.uniform());
    }
    return text + initial + guess;
}

session::Session open_loop(const std::string& text, const std::string& formulation = {}) {
    const auto opened = session::open_text(text, "loop.toml", {.formulation = formulation});
    EXPECT_TRUE(opened) << to_string(opened.problems) << text;
    return *opened;
}

/// Every verb says the same of `with` as of `without`, which has the same freedoms and no redundant row.
void expect_same(const std::string& with_text, const std::string& without_text, std::size_t freedoms, double size) {
    const session::Session with = open_loop(with_text), without = open_loop(without_text);
    const auto seen = session::inspect(with), truth = session::inspect(without);
    ASSERT_TRUE(seen) << to_string(seen.problems);
    ASSERT_TRUE(truth) << to_string(truth.problems);
    ASSERT_EQ(truth->freedoms, freedoms);
    EXPECT_EQ(seen->freedoms, freedoms);
    EXPECT_FALSE(seen->nearby.is_singular());

    const auto right = session::evaluate(without);
    ASSERT_TRUE(right) << to_string(right.problems);
    for (const char* formulation : {"kane", "lagrange", "recursive", "newton_euler"}) {
        const auto found = session::evaluate(open_loop(with_text, formulation));
        ASSERT_TRUE(found) << formulation << to_string(found.problems);
        if (std::string(formulation) == "newton_euler") continue;  // its speeds are those of the bodies
        EXPECT_LT(test::off(found->evaluation.accelerations, right->evaluation.accelerations), 1e-7) << formulation;
    }

    test::expect_same_linear(with, without, freedoms);

    session::SimulateOptions options;
    options.rows.until = 0.02, options.rows.samples = 2;
    options.tolerance = 1e-11;  // some begin near a singular position, and move fast
    const auto moved = session::simulate(with, options), should = session::simulate(without, options);
    ASSERT_TRUE(moved) << to_string(moved.problems);
    ASSERT_TRUE(should) << to_string(should.problems);
    test::expect_same_end(*moved, *should, 1e-6 * (1 + size * size));
}

std::size_t freedoms_of(const std::string& base) { return base == "weld" ? 0 : base == "free" ? 6 : 3; }

class OverconstrainedLoop : public ::testing::TestWithParam<std::tuple<const char*, Family>> {
public:
    /// The loops of these seeds, in sizes from millimetres to kilometres, every second one moving.
    void look_at(std::uint64_t from, std::uint64_t to) {
        const auto& [base, family] = GetParam();
        for (std::uint64_t seed = from; seed <= to && !HasFatalFailure(); ++seed) {
            Placing random(seed);
            const Loop loop = family.make(random);
            ASSERT_FALSE(loop.pins.empty());
            const double size = std::array{1.0, 1e-3, 1e3, 37.0}[seed % 4];
            const bool is_moving = seed % 3 != 0;
            const std::string with = text_of(loop, base, {}, seed, size, is_moving);
            SCOPED_TRACE(fmt::format("seed {}\n{}", seed, with));
            expect_same(with, text_of(loop, base, loop.enough, seed, size, is_moving), loop.freedoms + freedoms_of(base), size);
        }
    }
};

TEST_P(OverconstrainedLoop, MovesAsWithoutRedundantRows) { look_at(1, 3); }
TEST_P(OverconstrainedLoop, MovesSoInHundredsOfShapes) { look_at(4, 20); }

std::string loop_name(const ::testing::TestParamInfo<std::tuple<const char*, Family>>& info) {
    return fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name);
}
INSTANTIATE_TEST_SUITE_P(Loops, OverconstrainedLoop, ::testing::Combine(::testing::ValuesIn(bases), ::testing::ValuesIn(families)),
                         loop_name);

/// Drives of the first pins move a loop on a fixed base in one way, with and without the redundant rows.
TEST(OverconstrainedLoops, AreDrivenByTheSameTorques) {
    for (const Family& family : families) {
        Placing random(2);
        const Loop loop = family.make(random);
        std::vector<session::Result<session::InverseForces>> found;
        for (const Closing& closing : {Closing{}, loop.enough}) {
            const std::string text = text_of(loop, "weld", closing, 2, 1, false);
            session::InverseOptions options;
            for (std::size_t k = 1; k <= loop.freedoms; ++k) {
                const std::size_t at = text.find(fmt::format("\nq{} = ", k)) + 6;
                const std::string start = text.substr(at, text.find('\n', at) - at);
                options.motion.push_back(fmt::format("q{} = {} + 0.1*t + 0.3*t^2", k, start));
            }
            options.rows.until = 0.1, options.rows.samples = 3;
            options.by = motion::ActuatedBy::coordinates;
            found.push_back(session::inverse(open_loop(text), options));
            ASSERT_TRUE(found.back()) << family.name << to_string(found.back().problems) << text;
        }
        const auto &with = found[0]->forces, &without = found[1]->forces;
        for (std::size_t k = 0; k < without.columns.size(); ++k) {
            if (without.columns[k].starts_with("lambda.")) continue;  // not determined
            const auto same = std::ranges::find(with.columns, without.columns[k]);
            if (same == with.columns.end()) continue;
            const double x = with.rows.back()[static_cast<std::size_t>(same - with.columns.begin())], y = without.rows.back()[k];
            EXPECT_LT(std::abs(x - y), 1e-7 * (1 + std::abs(y))) << family.name << " " << without.columns[k];
        }
    }
}

/// The certificate has the rank and the freedoms, and every formulation and every cut agrees on them.
TEST(OverconstrainedLoops, AreProvedWithTheirRank) {
    for (const Family& family : families) {
        for (const char* base : {"weld", "spherical"}) {
            Placing random(1);
            const Loop loop = family.make(random);
            const std::string text = text_of(loop, base, {}, 1, 1, true);
            const auto proof =
                session::prove(open_loop(text), {.only = {"kane", "recursive", "newton_euler"}, .seed = 1, .patience = 0.01});
            ASSERT_TRUE(proof) << family.name << to_string(proof.problems) << text;
            ASSERT_TRUE(proof->closed.constraints) << family.name;
            EXPECT_EQ(proof->closed.constraints->freedoms, loop.freedoms + freedoms_of(base)) << family.name << " " << base;
            EXPECT_LT(proof->closed.constraints->acceleration, 1e-9) << family.name << " " << base;
            EXPECT_GE(proof->closed.pairs.size(), 3u) << family.name << " " << base;
        }
    }
}

/// The same loops with every pin a little out of line: the screws of the pins are independent then, and nothing moves. A tolerance
/// that is merely wider would not see that.
TEST(OverconstrainedLoops, AreStiffWhenPinsAreOutOfLine) {
    for (const Family& family : families) {
        for (const double by : {1e-2, 1e-3, 1e-4}) {
            for (const char* base : {"weld", "spherical"}) {
                const double size = by == 1e-3 ? 1e-3 : by == 1e-4 ? 1e3 : 1;
                Placing random(3);
                Loop loop = family.make(random);
                for (Pin& pin : loop.pins) pin.R = turn(random.any_vector(), by) * pin.R, pin.p += by * random.any_vector();
                loop.freedoms = 0;
                const std::string text = text_of(loop, base, {}, 3, size, false);
                SCOPED_TRACE(fmt::format("{} {} {}\n{}", family.name, base, by, text));
                const auto seen = session::inspect(open_loop(text));
                ASSERT_TRUE(seen) << to_string(seen.problems);
                EXPECT_EQ(seen->freedoms, freedoms_of(base));
                EXPECT_TRUE(session::evaluate(open_loop(text)));
            }
        }
    }
}

/// Closing from a rough guess moves the bars, not the base that carries them.
TEST(OverconstrainedLoops, CloseWithoutMovingTheirBase) {
    for (const Family& family : families) {
        for (const std::string base : {"gimbal", "free"}) {
            Placing random(2);
            const Loop loop = family.make(random);
            std::string text = text_of(loop, base, {}, 2, 1, false);
            const std::size_t at = text.find("q3 = ", text.find("[guess]")) + 5;
            ASSERT_NE(at, std::string::npos + 5);
            text.insert(at, "0.01 + ").insert(at, "\"").insert(text.find('\n', at), "\"");
            SCOPED_TRACE(text);
            const auto seen = session::inspect(open_loop(text));
            ASSERT_TRUE(seen) << to_string(seen.problems);
            ASSERT_TRUE(seen->closed.is_ok()) << seen->closed.why;
            EXPECT_THAT(seen->closed.moved, ::testing::Not(::testing::IsEmpty()));
            EXPECT_THAT(seen->closed.moved, ::testing::Each(::testing::StartsWith("q"))) << family.name;
        }
    }
}

/// A parallelogram near the position in which all its bars lie in one line has one freedom still, and no singular position.
TEST(OverconstrainedLoops, KeepTheirRankBesideAChangePoint) {
    for (const double corner : {0.1, 0.01, 0.001}) {
        for (const char* base : bases) {
            for (const double size : {1.0, 1e-3, 1e3}) {
                const Bars bars{{1.1, 0.6, 1.1, 0.6}, {0, 0, 0, 0}, {0, 0, 0, 0}};
                Loop loop{placed(bars, Eigen::Vector4d(0, corner, std::numbers::pi - corner, corner)), {"point-on-line"}, 1};
                loop.pins.pop_back();
                const std::string text = text_of(loop, base, {}, 5, size, false);
                SCOPED_TRACE(fmt::format("{} {} {}\n{}", base, corner, size, text));
                const auto seen = session::inspect(open_loop(text));
                ASSERT_TRUE(seen) << to_string(seen.problems);
                EXPECT_EQ(seen->freedoms, 1 + freedoms_of(base));
                EXPECT_FALSE(seen->nearby.is_singular());
                const auto right = session::evaluate(open_loop(text_of(loop, base, loop.enough, 5, size, false)));
                const auto found = session::evaluate(open_loop(text));
                ASSERT_TRUE(right) << to_string(right.problems);
                ASSERT_TRUE(found) << to_string(found.problems);
                EXPECT_LT(test::off(found->evaluation.accelerations, right->evaluation.accelerations), 1e-6);
            }
        }
    }
}

/// Six rods hold a platform on a base that moves; those among them that stand there twice or three times say nothing new.
std::string platform(const std::string& base, int doubled, std::uint64_t seed, double size) {
    Placing random(seed);
    const double d = size * size;
    std::string text = fmt::format("format = 1\nname = \"platform\"\ngravity = [0, 0, {:.17g}]\n", -9.81 * size);
    const Matrix3d R[] = {random.any_rotation(), random.any_rotation()};
    const Vector3d p[] = {size * random.any_vector(), size * random.any_vector()};
    constexpr int legs = 5;  // so that one freedom is left
    std::string points[2];
    std::array<double, legs> lengths{};
    for (int k = 0; k < legs; ++k) {
        const Vector3d foot = size * random.any_vector(), head = size * random.any_vector();
        lengths[static_cast<std::size_t>(k)] = (foot - head).norm();
        points[0] += fmt::format("{} p{} = {}", k == 0 ? "" : ",", k, write(p[0] + R[0] * foot));
        points[1] += fmt::format("{} p{} = {}", k == 0 ? "" : ",", k, write(p[1] + R[1] * head));
    }
    for (const int body : {0, 1}) {
        text += fmt::format("[[body]]\nname = \"{}\"\nmass = 2\ninertia = [{}, {}, {}]\ncom = {}\npoints = {{{} }}\n",
                            body == 0 ? "base" : "top", d, 1.5 * d, 1.2 * d, write(0.3 * size * random.any_vector()), points[body]);
    }
    text += fmt::format("[[joint]]\nname = \"mount\"\ntype = \"{}\"\nparent = \"ground\"\nchild = \"base\"\n", base);
    text += fmt::format("[[joint]]\nname = \"pose\"\ntype = \"free\"\nparent = \"base\"\nchild = \"top\"\nparent_at = {}\nchild_at = {}\n",
                        write(p[0]), write(p[1]));
    text += fmt::format("parent_axes = {}\nchild_axes = {}\n", test::write_axes(R[0]), test::write_axes(R[1]));
    for (int k = 0; k < legs; ++k) {
        for (int again = 0; again < (k < doubled ? 2 : 1) + (k == 0 && doubled > 2 ? 1 : 0); ++again) {
            text += fmt::format("[[rod]]\nname = \"leg{}{}\"\nfrom = \"base.p{}\"\nto = \"top.p{}\"\nlength = {:.17g}\n", k, "abc"[again],
                                k, k, lengths[static_cast<std::size_t>(k)]);
        }
    }
    text += "[initial]\n";
    if (base == "spherical" || base == "free") {
        for (const char* w : {"wx", "wy", "wz"}) text += fmt::format("\"mount.{}\" = {:.17g}\n", w, random.uniform());
    }
    return text;
}

TEST(OverconstrainedLoops, PlatformsWithDoubledLegsMoveAsWithout) {
    for (const char* base : bases) {
        for (const int doubled : {1, 3, 5}) {
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                const double size = std::array{1.0, 1e-3, 1e3}[seed - 1];
                const std::string with = platform(base, doubled, seed, size);
                SCOPED_TRACE(fmt::format("{} {} seed {}\n{}", base, doubled, seed, with));
                expect_same(with, platform(base, 0, seed, size), 1 + freedoms_of(base), size);
                if (HasFatalFailure()) return;
            }
        }
    }
}

}  // namespace
}  // namespace linkwright
