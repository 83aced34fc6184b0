// The recursive formulation against Kane's, on every model that comes with the project.

#include <nlohmann/json.hpp>

#include "agree/subject.hpp"
#include "linkwright/model/build.hpp"
#include "support/random_model.hpp"

namespace linkwright::agree {
namespace {

using spatial::Rotation;
using spatial::Vec3;

std::uint64_t seeds() {
    const char* n = std::getenv("SEEDS");
    return n != nullptr ? std::strtoull(n, nullptr, 10) : 40;
}

std::string name_of(const std::filesystem::path& p) {
    std::string name = p.parent_path().filename().string() + "_" + p.stem().string();
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

double largest(std::span<const double> v) {
    double r = 0;
    for (const double x : v) r = std::isnan(x) ? x : std::max(r, std::abs(x));
    return r;
}

void expect_near(std::span<const double> a, std::span<const double> b, double scale, double tolerance, const char* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * scale) << what << " " << i;
}

void expect_agreement(const Subject& s, int states = 2) {
    const EquationsOfMotion &k = s.kane, &r = s.recursive;
    ASSERT_EQ(k.u.size(), r.u.size());
    const std::size_t n = r.u.size();
    EXPECT_EQ(r.formulation, "recursive");
    ASSERT_EQ(r.inverse.size(), n);
    ASSERT_EQ(r.a.size(), r.constraints.empty() && s.model.speeds.empty() ? n : 0);
    for (int state = 0; state < states; ++state) {
        const Values v = s.random_values(static_cast<std::uint64_t>(state) + 1);
        const auto Mk = s.evaluate(flat(k.M), v), Mr = s.evaluate(flat(r.M), v), fk = s.evaluate(k.f, v), fr = s.evaluate(r.f, v);
        expect_near(Mr, Mk, largest(Mk), 1e-10, "M");
        const double scale_f = 1 + largest(fk);
        expect_near(fr, fk, scale_f, 1e-10, "f");
        std::vector<double> residual, udot = s.evaluate(r.udot, v);
        double scale = scale_f;
        for (std::size_t i = 0; i < n; ++i) {
            residual.push_back(-fk[i]);
            for (std::size_t j = 0; j < n; ++j) residual[i] += Mk[i * n + j] * udot[j], scale = std::max(scale, std::abs(Mk[i * n + j]));
        }
        expect_near(s.evaluate(r.inverse, v), residual, scale, 1e-10, "inverse");
        if (!r.constraints.empty()) continue;
        for (const auto& a : {s.evaluate(r.a, v), s.evaluate(eom::accelerations(r), v), s.evaluate(eom::factored_accelerations(r), v)}) {
            if (a.empty()) continue;
            std::vector<double> Ma(n);
            double terms = scale_f;
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = 0; j < n; ++j) Ma[i] += Mk[i * n + j] * a[j], terms = std::max(terms, std::abs(Mk[i * n + j] * a[j]));
            }
            expect_near(Ma, fk, terms, 1e-10, "M a");
        }
    }
}

class OfFile : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(OfFile, AgreesWithKane) { expect_agreement(Subject(read(GetParam()))); }
INSTANTIATE_TEST_SUITE_P(Zoo, OfFile, ::testing::ValuesIn(files("/models")), [](const auto& p) { return name_of(p.param); });
INSTANTIATE_TEST_SUITE_P(Bench, OfFile, ::testing::ValuesIn(files("/bench/models")), [](const auto& p) { return name_of(p.param); });

// ------------------------------------------------------------------------------------------------------------ random trees

/// Joints of every type, either way round, between frames of every kind; wheels, given motions, springs, massless links.
model::Model random_tree(std::uint64_t seed, bool with_parameters) {
    using model::JointType;
    laws::Random random(seed);
    model::Model m = model::empty_model("random");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.vector(9);
    static constexpr std::array types{JointType::revolute, JointType::prismatic, JointType::screw, JointType::cylindrical,
        JointType::universal, JointType::planar, JointType::gimbal, JointType::translation, JointType::spherical, JointType::free,
        JointType::free_axes, JointType::weld, JointType::revolute, JointType::revolute};
    const std::size_t n = 3 + random.below(4);
    for (std::size_t b = 1; b <= n; ++b) {
        const std::string name = std::to_string(b);
        model::BodyOptions body{.mass = random.number(0.5, 3), .inertia = random.inertia(), .com = random.vector(0.4)};
        if (random.below(4) == 0) body.com = {}, body.inertia = spatial::diagonal(sym::Rational(1, 5), sym::Rational(1, 5), sym::Rational(1, 7));
        if (random.below(4) == 0) {
            model::Rotor rotor{random.direction(), sym::Rational(1, 20), {}, {}, {}, {}};
            if (random.below(2) == 0) {
                rotor.speed = random.number(1, 9);
            } else {
                rotor.torque = random.number(-1, 1);
            }
            body.rotors.push_back(rotor);
        }
        const model::BodyIndex outer = model::body(m, "b" + name, body), inner = random.below(3) == 0 ? random.below(outer) : outer - 1;
        const JointType type = types[random.below(types.size())];
        model::JointOptions joint{.parent_at = random.vector(0.5), .child_at = random.vector(0.5)};
        if (with_parameters) {
            joint.parent_axes = random.frame(m);
            joint.child_axes = random.frame(m);
        } else if (random.below(2) == 0) {
            const Vec3 z{{random.number(0.2, 1), random.number(-1, 1), random.number(-1, 1)}};
            joint.parent_axes = Rotation(*spatial::frame_from_axes(2, z, 0, cross(z, {{0, 1, 2}})));
        }
        if (type == JointType::universal) joint.axes = random.orthogonal(2);
        else if (type == JointType::gimbal || type == JointType::free_axes) joint.axes = random.orthogonal(3);
        else if (type == JointType::translation) joint.axes = {*spatial::normalized({{1, 2, static_cast<int>(random.below(3))}}), spatial::unit(1)};
        else if (type == JointType::planar) joint.axes = {spatial::unit(random.below(3))};
        else if (type != JointType::spherical && type != JointType::free && type != JointType::weld) joint.axes = {random.direction()};
        if (type == JointType::screw) joint.pitch = random.number(0.1, 0.5);
        if (type != JointType::weld) joint.damping = {random.number(0, 1)};
        const bool is_reversed = random.below(3) == 0;
        const std::size_t j = is_reversed ? model::joint(m, type, "j" + name, outer, inner, joint) : model::joint(m, type, "j" + name, inner, outer, joint);
        if (type == JointType::revolute && random.below(3) == 0) m.motions.push_back({m.joints[j].coordinates[0], sin(3 * m.t) / 2, {}});
    }
    const auto point = [&] { return model::PointOf{random.below(m.bodies.size()), random.vector(0.4), ""}; };
    m.springs.push_back({"spring", point(), {n, random.vector(0.4), ""}, 3, sym::Rational(1, 10), sym::Rational(1, 2), 0, {}});
    m.forces.push_back({"force", point(), random.vector(2), n, {}, {}});
    return m;
}

class RandomTree : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(RandomTree, AgreesWithKane) {
    for (const bool with_parameters : {false, true}) {
        SCOPED_TRACE(with_parameters ? "with parameters" : "without");
        model::Model m = random_tree(GetParam(), with_parameters);
        expect_agreement(Subject(std::move(m)));
    }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomTree, ::testing::Range<std::uint64_t>(0, seeds()));

class Bench : public ::testing::TestWithParam<std::string> {
protected:
    std::filesystem::path folder() const { return std::filesystem::path(LINKWRIGHT_ROOT "/bench/models") / GetParam(); }
};

struct Counts {
    std::size_t inverse, forward, M;
};
Counts counts(const Subject& s) {
    const EquationsOfMotion& e = s.recursive;
    const auto of = [&](std::span<const Expr> x) { return cost(lowered(s, e, x)); };
    return {of(e.inverse), of(eom::accelerations(e)), of(flat(e.M))};
}

TEST_P(Bench, Counts) {
    const Subject s(read(folder() / "model.toml"));
    const Counts c = counts(s);
    std::cout << GetParam() << ": inverse " << c.inverse << " forward " << c.forward << " M " << c.M << "\n";
}
INSTANTIATE_TEST_SUITE_P(Of, Bench, ::testing::Values("stanford6", "puma6", "iiwa7", "chain12", "chain30", "tree30f"),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace linkwright::agree
