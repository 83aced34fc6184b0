#include "linkwright/flex/beam_mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace linkwright::flex {
namespace {

constexpr double EI = 7, mu = 2, L = 3;

BeamNumbers beam_with(SectionNumbers section) {
    BeamNumbers b;
    b.length = L;
    b.pieces = {{L, section}};
    return b;
}

BeamNumbers spatial() {
    return beam_with(
        {.mass_per_length = mu, .bending_y = EI, .bending_z = 5, .axial = 300, .torsion = 4, .torsion_inertia = 0.1, .rotary = 0.02});
}

/// The lowest eigenvalues with the section at x = 0 held.
VectorXd clamped(const BeamMesh& mesh, Index count) {
    const solve::SparseMatrix at = mesh.motion_at(0);
    std::vector<Index> left;
    for (Index j = 0; j < mesh.size(); ++j) {
        if (solve::dense(solve::columns(at, {j})).norm() == 0) left.push_back(j);
    }
    const solve::SparseMatrix T = solve::columns(solve::identity(mesh.size()), left);
    const solve::ElasticPencil pencil(mesh.stiffness().seen_by(T), solve::congruence(mesh.mass(), T), MatrixXd(T.cols(), 0));
    const solve::LowestModes low = pencil.lowest(count);
    EXPECT_TRUE(low.ok) << low.why;
    return low.lambda;
}

TEST(BeamMesh, RigidMotionsStrainNothingAndHaveTheMassOfARod) {
    BeamNumbers beam = spatial();
    beam.masses = {{1.0, 0.5, Matrix3d(Vector3d(0.1, 0.2, 0.3).asDiagonal())}};
    const BeamMesh mesh(beam, 7, {0.4});
    const MatrixXd R = mesh.rigid();
    EXPECT_LT((mesh.stiffness() * R).norm(), 1e-9);
    const MatrixXd M = R.transpose() * solve::times(mesh.mass(), R);
    const double m = mu * L, J = mu * L * L * L / 3 + 0.02 * L;
    Eigen::Matrix<double, 6, 6> expected = Eigen::Matrix<double, 6, 6>::Zero();
    expected.diagonal() << m, m, m, 0.1 * L, J, J;
    expected(1, 5) = expected(5, 1) = m * L / 2, expected(2, 4) = expected(4, 2) = -m * L / 2;
    expected += point_inertia(0.5, {1, 0, 0}, beam.masses[0].inertia);
    EXPECT_LT((M - expected).norm(), 1e-12 * expected.norm());
}

TEST(BeamMesh, PatchTests) {
    // A tip force, a tip moment, a pull and a twist: cubic, quadratic and linear shapes, which the elements have in them.
    const BeamMesh mesh(spatial(), 3, {1.1});
    const solve::SparseMatrix root = mesh.motion_at(0), tip = mesh.motion_at(L);
    std::vector<Index> left;
    for (Index j = 0; j < mesh.size(); ++j) {
        if (solve::dense(solve::columns(root, {j})).norm() == 0) left.push_back(j);
    }
    const solve::SparseMatrix T = solve::columns(solve::identity(mesh.size()), left);
    const solve::ElasticPencil pencil(mesh.stiffness().seen_by(T), solve::congruence(mesh.mass(), T), MatrixXd(T.cols(), 0));
    const MatrixXd rows = solve::dense(solve::times(tip, T));
    const MatrixXd flexibility = rows * pencil.solve(rows.transpose());
    Eigen::Matrix<double, 6, 6> expected = Eigen::Matrix<double, 6, 6>::Zero();
    const double y = EI, z = 5;
    expected.diagonal() << L / 300, L * L * L / (3 * y), L * L * L / (3 * z), L / 4, L / z, L / y;
    expected(1, 5) = expected(5, 1) = L * L / (2 * y), expected(2, 4) = expected(4, 2) = -L * L / (2 * z);
    EXPECT_LT((flexibility - expected).norm(), 1e-11 * expected.norm());
}

TEST(BeamMesh, CantileverConvergesByTheFourthOrder) {
    const double exact = EI / mu * std::pow(4.694091132974175 / L, 4);
    double before = 0;
    for (const std::size_t n : {4, 8, 16, 32}) {
        const double error = clamped(BeamMesh(beam_with({.mass_per_length = mu, .bending_y = EI}), n, {}), 3)[1] / exact - 1;
        EXPECT_GT(error, 0);
        if (before > 0) EXPECT_NEAR(std::log2(before / error), 4, 0.15) << n;
        before = error;
    }
}

TEST(BeamMesh, StretchAndTwistAreThoseOfRods) {
    const VectorXd stretch = clamped(BeamMesh(beam_with({.mass_per_length = mu, .axial = 300}), 200, {}), 1);
    EXPECT_NEAR(stretch[0] / (300 / mu * std::pow(std::numbers::pi / (2 * L), 2)), 1, 1e-4);
    const VectorXd twist = clamped(BeamMesh(beam_with({.mass_per_length = mu, .torsion = 4, .torsion_inertia = 0.1}), 200, {}), 1);
    EXPECT_NEAR(twist[0] / (4 / 0.1 * std::pow(std::numbers::pi / (2 * L), 2)), 1, 1e-4);
}

TEST(BeamMesh, BothPlanesAreOnePlane) {
    const VectorXd y = clamped(BeamMesh(beam_with({.mass_per_length = mu, .bending_y = EI, .rotary = 0.01}), 10, {}), 3);
    const VectorXd z = clamped(BeamMesh(beam_with({.mass_per_length = mu, .bending_z = EI, .rotary = 0.01}), 10, {}), 3);
    const VectorXd both =
        clamped(BeamMesh(beam_with({.mass_per_length = mu, .bending_y = EI, .bending_z = EI, .rotary = 0.01}), 10, {}), 6);
    for (Index k = 0; k < 3; ++k) {
        EXPECT_NEAR(z[k] / y[k], 1, 1e-10);
        EXPECT_NEAR(both[2 * k] / y[k], 1, 1e-10);
        EXPECT_NEAR(both[2 * k + 1] / y[k], 1, 1e-10);
    }
}

TEST(BeamMesh, SleevesAreRigidAndCarryTheirMass) {
    // A rigid start is a shorter beam; a rigid end is a piece that is ten million times as stiff.
    BeamNumbers with = beam_with({.mass_per_length = mu, .bending_y = EI});
    with.start = 0.5, with.end = 0.4, with.start_mass = 3, with.end_mass = 1.2;
    BeamNumbers without = beam_with({.mass_per_length = mu, .bending_y = EI});
    without.length = without.pieces[0].to = L - 0.9;
    BeamNumbers stiff = without;
    stiff.length = L - 0.5;
    stiff.pieces.push_back({L - 0.5, {.mass_per_length = 3, .bending_y = 1e7 * EI}});
    const VectorXd a = clamped(BeamMesh(with, 20, {}), 3), b = clamped(BeamMesh(stiff, 24, {}), 3);
    for (Index k = 0; k < 3; ++k) EXPECT_NEAR(a[k] / b[k], 1, 1e-5) << k;
    const BeamMesh mesh(with, 20, {0.2, 2.9});
    const MatrixXd R = mesh.rigid();
    const MatrixXd at = solve::times(mesh.motion_at(2.9), R);
    EXPECT_NEAR(at(1, 5), 2.9, 1e-12);
    EXPECT_NEAR(solve::times(mesh.motion_at(0.2), R)(2, 4), -0.2, 1e-12);
}

TEST(BeamMesh, FramesMoveWithRigidMotions) {
    for (const Frame frame : {Frame::tangent, Frame::chord, Frame::mean}) {
        BeamNumbers beam = spatial();
        beam.start = 0.3, beam.end = 0.2, beam.frame = frame;
        const BeamMesh mesh(beam, 6, {1.0});
        const MatrixXd moved = solve::times(mesh.frame_motion(), mesh.rigid());
        EXPECT_LT((moved - MatrixXd::Identity(6, 6)).norm(), 1e-10) << static_cast<int>(frame);
    }
}

TEST(BeamMesh, HasNodesWhereSomethingIs) {
    BeamNumbers beam = beam_with({.mass_per_length = mu, .bending_y = EI});
    beam.pieces = {{1, beam.pieces[0].section}, {L, beam.pieces[0].section}};
    beam.masses = {{2.2, 1, Matrix3d::Zero()}};
    const BeamMesh mesh(beam, 10, {0.05, 2.9});
    for (const double x : {0.0, 0.05, 1.0, 2.2, 2.9, 3.0}) {
        EXPECT_TRUE(std::ranges::any_of(mesh.nodes(), [&](double n) { return std::abs(n - x) < 1e-12; })) << x;
    }
    EXPECT_EQ(BeamMesh(beam_with({.mass_per_length = mu, .bending_y = EI}), 1, {}).elements(), 1u);
}

}  // namespace
}  // namespace linkwright::flex
