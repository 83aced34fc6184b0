// Derivatives of accelerations: what the recursion writes against the graph's own derivatives of M u̇ − f and against differences, on
// every model that comes with the project and on random trees.

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include "agree/random_tree.hpp"
#include "agree/subject.hpp"
#include "linkwright/formulation/recursive/derivatives.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/numeric/acceleration_derivatives.hpp"

namespace linkwright::agree {
namespace {

using eom::AccelerationDerivatives;
using formulation::recursive::differentiate_accelerations;
using formulation::recursive::Manner;
using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

std::string name_of(const std::filesystem::path& p) {
    std::string name = p.parent_path().filename().string() + "_" + p.stem().string();
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

/// A model with u̇ and M u̇ − f, and numbers for it.
struct Tree {
    model::Model model;
    topology::Topology topology;
    EquationsOfMotion e;

    explicit Tree(model::Model m) : model(std::move(m)) {
        topology = topology::analyse(model).topology.value();
        e = formulation::recursive::derive(model, topology).equations.value();
    }

    std::vector<Expr> columns() const {
        std::vector<Expr> r = eom::q_and_x(e);
        r.insert(r.end(), e.u.begin(), e.u.end());
        for (const eom::Input& w : e.inputs) r.push_back(w.symbol);
        return r;
    }

    std::map<std::string, Real> random_state(std::uint64_t seed) const {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> between(-1, 1);
        std::map<std::string, Real> v{{e.t.symbol().name, between(random)}};
        for (const Expr& z : columns()) v[z.symbol().name] = between(random);
        for (const auto& group : e.quaternions) {
            Real square = 0;
            for (const std::size_t i : group) square += std::pow(v[e.q[i].symbol().name], 2);
            for (const std::size_t i : group) v[e.q[i].symbol().name] /= std::sqrt(square);
        }
        const model::ParameterValues parameters(model);
        for (const model::Parameter& p : model.parameters) v[p.symbol.symbol().name] = parameters(p.symbol);
        return v;
    }
};

RealVector evaluated(std::span<const Expr> roots, const std::map<std::string, Real>& v) {
    const std::vector<Real> r = sym::evaluate<Real>(roots, [&](const Expr& s) { return v.at(s.symbol().name); });
    return Eigen::Map<const RealVector>(r.data(), static_cast<Eigen::Index>(r.size()));
}

RealMatrix evaluated(const std::vector<std::vector<Expr>>& rows, const std::map<std::string, Real>& v) {
    RealMatrix m(rows.size(), rows.empty() ? 0 : rows[0].size());
    for (std::size_t i = 0; i < rows.size(); ++i) m.row(static_cast<Eigen::Index>(i)) = evaluated(rows[i], v);
    return m;
}

/// Columns of a unit quaternion along the sphere: the others are nobody's.
void keep_to_spheres(const Tree& t, const std::map<std::string, Real>& v, RealMatrix& D) {
    for (const auto& group : t.e.quaternions) {
        RealVector along = RealVector::Zero(D.rows());
        const auto e = [&](std::size_t i) { return v.at(t.e.q[i].symbol().name); };
        for (const std::size_t i : group) along += e(i) * D.col(static_cast<Eigen::Index>(i));
        for (const std::size_t i : group) D.col(static_cast<Eigen::Index>(i)) -= e(i) * along;
    }
}

/// ∂u̇ by q, x, u, w: −M⁻¹ ∂(M u̇ − f), M⁻¹ beside it.
RealMatrix by_graph(const Tree& t, std::map<std::string, Real> v) {
    const sym::PoolScope scope(*t.e.pool);
    const RealVector a = evaluated(t.e.a, v);
    for (std::size_t i = 0; i < t.e.udot.size(); ++i) v[t.e.udot[i].symbol().name] = a[static_cast<Eigen::Index>(i)];
    const std::vector<Expr> columns = t.columns();
    const auto n = static_cast<Eigen::Index>(t.e.u.size()), m = static_cast<Eigen::Index>(columns.size());
    RealMatrix right = RealMatrix::Zero(n, m + n);
    std::vector<Expr> values;
    const auto entries = sym::jacobian(t.e.inverse, columns).entries;
    for (const auto& entry : entries) values.push_back(entry.value);
    const RealVector numbers = evaluated(values, v);
    for (std::size_t k = 0; k < entries.size(); ++k) right(entries[k].row, entries[k].column) = -numbers[static_cast<Eigen::Index>(k)];
    right.rightCols(n).setIdentity();
    return evaluated(t.e.M, v).ldlt().solve(right);
}

/// Central differences of the fourth order.
RealVector by_difference(const Tree& t, const std::map<std::string, Real>& at, const RealVector& direction) {
    constexpr Real h = 1e-3L;
    const std::vector<Expr> columns = t.columns();
    const auto value = [&](Real step) {
        std::map<std::string, Real> v = at;
        for (std::size_t j = 0; j < columns.size(); ++j) v[columns[j].symbol().name] += step * direction[static_cast<Eigen::Index>(j)];
        return evaluated(t.e.a, v);
    };
    return (8 * (value(h / 2) - value(-h / 2)) - (value(h) - value(-h))) / (6 * h);
}

RealMatrix all_of(const AccelerationDerivatives& d, const std::map<std::string, Real>& v) {
    RealMatrix r(d.a.size(), 0);
    for (const auto* m : {&d.by_q, &d.by_x, &d.by_u, &d.by_w, &d.by_tau}) {
        const RealMatrix block = evaluated(*m, v);
        r.conservativeResize(Eigen::NoChange, r.cols() + block.cols());
        r.rightCols(block.cols()) = block;
    }
    return r;
}

/// Every column to `tolerance` of the largest entry of its kind of rows.
void expect_same(const RealMatrix& got, const RealMatrix& wanted, Real tolerance, const std::string& what) {
    ASSERT_EQ(got.rows(), wanted.rows()) << what;
    ASSERT_EQ(got.cols(), wanted.cols()) << what;
    for (Eigen::Index j = 0; j < got.cols(); ++j) {
        const Real scale = 1 + wanted.col(j).lpNorm<Eigen::Infinity>();
        EXPECT_LE((got.col(j) - wanted.col(j)).lpNorm<Eigen::Infinity>(), tolerance * scale) << what << ", column " << j;
    }
}

void expect_right(const Tree& t, std::span<const Manner> manners, std::uint64_t seed = 1) {
    const std::map<std::string, Real> v = t.random_state(seed);
    RealMatrix wanted = by_graph(t, v);
    ASSERT_TRUE(wanted.allFinite());
    for (const Manner manner : manners) {
        SCOPED_TRACE(std::string(manner.from_ground ? "from the ground" : "from joint to joint") +
                     (manner.with_compliance ? ", compliances" : ""));
        const auto d = differentiate_accelerations(t.model, t.topology, manner);
        ASSERT_TRUE(d.has_value());
        RealMatrix got = all_of(*d, v), reference = wanted;
        EXPECT_LE((evaluated(d->a, v) - evaluated(t.e.a, v)).lpNorm<Eigen::Infinity>(),
                  1e-10L * (1 + evaluated(t.e.a, v).lpNorm<Eigen::Infinity>()));
        keep_to_spheres(t, v, got), keep_to_spheres(t, v, reference);
        expect_same(got, reference, 1e-10L, "derivatives");
    }
    // one direction along which everything changes, and stays on the spheres to first order
    std::mt19937_64 random(seed + 7);
    const auto m = static_cast<Eigen::Index>(t.columns().size());
    RealVector direction(m);
    for (Real& x : direction) x = std::uniform_real_distribution<double>(-1, 1)(random);
    for (const auto& group : t.e.quaternions) {
        Real along = 0;
        for (const std::size_t i : group) along += v.at(t.e.q[i].symbol().name) * direction[static_cast<Eigen::Index>(i)];
        for (const std::size_t i : group) direction[static_cast<Eigen::Index>(i)] -= along * v.at(t.e.q[i].symbol().name);
    }
    if (!t.e.quaternions.empty()) return;  // off the sphere accelerations are nobody's either
    expect_same(RealMatrix(wanted.leftCols(m) * direction), RealMatrix(by_difference(t, v, direction)), 1e-7L, "differences");
}

constexpr std::array every_manner{Manner{false, false}, Manner{false, true}, Manner{true, false}, Manner{true, true}};

class DerivativesOfFile : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(DerivativesOfFile, AreThoseOfTheGraph) {
    const Tree t(read(GetParam()));
    if (!differentiate_accelerations(t.model, t.topology)) {
        const bool is_plain = t.e.constraints.empty() && t.model.speeds.empty() && t.e.assumptions.empty();
        EXPECT_FALSE(is_plain) << "a rigid tree has derivatives";
        return;
    }
    expect_right(t, every_manner);
}
INSTANTIATE_TEST_SUITE_P(Zoo, DerivativesOfFile, ::testing::ValuesIn(files("/models")), [](const auto& p) { return name_of(p.param); });
INSTANTIATE_TEST_SUITE_P(Bench, DerivativesOfFile, ::testing::ValuesIn(files("/bench/models")),
                         [](const auto& p) { return name_of(p.param); });

/// Every type of joint either way round, wheels held and free, given motions, springs, dampers, forces.
class DerivativesOfRandomTree : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(DerivativesOfRandomTree, AreThoseOfTheGraph) {
    expect_right(Tree(random_tree(GetParam(), GetParam() % 3 == 0)), every_manner, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Seeds, DerivativesOfRandomTree, ::testing::Range<std::uint64_t>(0, 40));

}  // namespace
}  // namespace linkwright::agree
