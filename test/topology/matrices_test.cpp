#include "linkwright/topology/matrices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "topology/graph.hpp"

namespace linkwright::topology {
namespace {

using model::JointType;
using testing::ElementsAre;

/// A tree with random labels, joints in random order and direction, and chords.
model::Model random_graph(std::mt19937& random, std::size_t bodies, std::size_t chords) {
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    std::vector<std::size_t> label(bodies + 1);
    std::iota(label.begin(), label.end(), std::size_t{0});
    std::shuffle(label.begin() + 1, label.end(), random);
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t i = 1; i <= bodies; ++i) edges.emplace_back(label[below(i)], label[i]);
    for (std::size_t c = 0; bodies > 0 && c < chords; ++c) {
        const std::size_t a = below(bodies + 1);
        edges.emplace_back(a, (a + 1 + below(bodies)) % (bodies + 1));
    }
    std::shuffle(edges.begin(), edges.end(), random);
    model::Model m = graph(bodies);
    for (const auto& [a, b] : edges) below(2) == 0 ? connect(m, a, b) : connect(m, b, a);
    return m;
}

IntMatrix beside(const IntMatrix& a, const IntMatrix& b) {
    IntMatrix c(a.rows, a.columns + b.columns);
    for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t j = 0; j < a.columns; ++j) c(i, j) = a(i, j);
        for (std::size_t j = 0; j < b.columns; ++j) c(i, a.columns + j) = b(i, j);
    }
    return c;
}

TEST(Matrices, KeepTheirLawsOnRandomGraphs) {
    std::mt19937 random(7);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t bodies = random() % 25, chords = random() % 6;
        const model::Model m = random_graph(random, bodies, chords);
        const Analysis a = analyse(m);
        ASSERT_TRUE(a.topology) << to_string(a.problems);
        const Topology& t = *a.topology;
        ASSERT_EQ(t.chords.size(), m.joints.size() - bodies);

        // Regular labelling: a body stands after its inner body, each once.
        ASSERT_EQ(t.order.size(), bodies + 1);
        std::vector<std::size_t> place(bodies + 1, bodies + 1);
        for (std::size_t k = 0; k < t.order.size(); ++k) place[t.order[k]] = k;
        for (BodyIndex b = 1; b <= bodies; ++b) {
            ASSERT_TRUE(t.arc[b]);
            ASSERT_LT(place[t.arc[b]->inner], place[b]);
            const model::Joint& joint = m.joints[t.arc[b]->joint];
            ASSERT_EQ(t.arc[b]->is_reversed ? joint.parent : joint.child, b);
            ASSERT_EQ(t.arc[b]->is_reversed ? joint.child : joint.parent, t.arc[b]->inner);
        }

        const IntMatrix pi = path_matrix(t), rho = reference_matrix(t), one = int_identity(bodies + 1);
        ASSERT_EQ(rho * pi, one);
        ASSERT_EQ(pi * rho, one);

        const IntMatrix d = distance_matrix(t);
        for (std::size_t i = 0; i <= bodies; ++i) {
            for (std::size_t j = 0; j <= bodies; ++j) {
                int sum = 0;
                for (std::size_t k = 0; k <= bodies; ++k) sum += std::abs(pi(i, k) - pi(j, k));
                ASSERT_EQ(d(i, j), sum);
                ASSERT_EQ(d(i, j), d(j, i));
            }
        }

        const Incidence in = incidence(m, t);
        IntMatrix ones(1, bodies + 1), minus(1, bodies);
        std::ranges::fill(ones.entries, 1);
        std::ranges::fill(minus.entries, -1);
        ASSERT_EQ(ones * in.S, IntMatrix(1, m.joints.size()));  // every joint leaves one body and reaches one
        ASSERT_EQ(in.T * in.S_A, int_identity(bodies));
        ASSERT_EQ(in.S_A * in.T, int_identity(bodies));
        ASSERT_EQ(in.S_0 * in.T, minus);

        // Fundamental loops: by products, and by walking the ways.
        const IntMatrix U = in.T * in.S_C;
        ASSERT_EQ(U, loop_matrix(m, t));
        ASSERT_EQ(in.S_A * U, in.S_C);
        for (std::size_t c = 0; c < t.loops.size(); ++c) {
            const model::Joint& chord = m.joints[t.loops[c].chord];
            ASSERT_EQ(static_cast<int>(t.loops[c].joints.size()), d(chord.parent, chord.child));
        }
        IntMatrix circuits(m.joints.size(), t.chords.size());  // along the chord, back along the tree
        for (std::size_t c = 0; c < t.chords.size(); ++c) {
            circuits(t.chords[c], c) = 1;
            for (BodyIndex b = 1; b <= bodies; ++b) circuits(t.arc[b]->joint, c) = -U(b - 1, c);
        }
        ASSERT_EQ(in.S * circuits, IntMatrix(bodies + 1, t.chords.size()));

        // Chains hold every body once, in the order of the tree, and do not branch inside.
        std::vector<int> seen(bodies + 1, 0);
        for (const auto& run : chains(t)) {
            for (std::size_t k = 0; k < run.size(); ++k) {
                ++seen[run[k]];
                if (k > 0) {
                    ASSERT_EQ(t.arc[run[k]]->inner, run[k - 1]);
                    ASSERT_EQ(t.outer[run[k - 1]].size(), 1U);
                }
            }
            ASSERT_NE(t.outer[run.back()].size(), 1U);
        }
        for (BodyIndex b = 1; b <= bodies; ++b) ASSERT_EQ(seen[b], 1);
    }
}

TEST(Matrices, LynchsSatellite) {  // [lynch88 (3.15), (3.16), (3.18)], with the ground before his four bodies
    model::Model m = graph(4);
    connect(m, 0, 1, JointType::free);
    connect(m, 1, 2);
    connect(m, 1, 3);
    connect(m, 3, 4);
    const Topology t = analyse(m).topology.value();
    EXPECT_EQ(to_string(path_matrix(t)), "1 0 0 0 0\n1 1 0 0 0\n1 1 1 0 0\n1 1 0 1 0\n1 1 0 1 1\n");
    EXPECT_EQ(to_string(reference_matrix(t)), " 1  0  0  0  0\n-1  1  0  0  0\n 0 -1  1  0  0\n 0 -1  0  1  0\n 0  0  0 -1  1\n");
    EXPECT_EQ(to_string(joint_code_matrix(m, t).value()),
              " 0  0  0  0  0\n 0  2 10 10  0\n 0 10  0  0  0\n 0 10  0  0 10\n 0  0  0 10  0\n");
    EXPECT_THAT(chains(t), ElementsAre(ElementsAre(1), ElementsAre(2), ElementsAre(3, 4)));
    m.joints[3].type = JointType::cylindrical;
    EXPECT_FALSE(joint_code_matrix(m, t));
}

TEST(Matrices, ForehandsExample) {  // [forehand (6), (7)]: arcs 3 and 5 lead to bodies 5 and 3
    model::Model m = graph(5);
    connect(m, 0, 1);
    connect(m, 1, 2);
    connect(m, 2, 5);
    connect(m, 3, 4);
    connect(m, 3, 2);
    connect(m, 5, 4);
    for (std::size_t j = 0; j < 6; ++j) m.joints[j].axes = {spatial::unit(j % 3)};  // spatial: the last one stays the chord
    const Topology t = analyse(m).topology.value();
    const Incidence in = incidence(m, t);
    EXPECT_EQ(to_string(in.S),
              " 1  0  0  0  0  0\n-1  1  0  0  0  0\n 0 -1  1  0 -1  0\n"
              " 0  0  0  1  1  0\n 0  0  0 -1  0 -1\n 0  0 -1  0  0  1\n");
    EXPECT_EQ(to_string(in.T),  // rows in the order of the bodies the arcs lead to: 1, 2, 5, 4, 3 there
              "-1 -1 -1 -1 -1\n 0 -1 -1 -1 -1\n 0  0  1  1  0\n 0  0  0 -1  0\n 0  0  0  0 -1\n");
    EXPECT_EQ(beside(in.S_A, in.S_C).columns, 6U);
}

}  // namespace
}  // namespace linkwright::topology
