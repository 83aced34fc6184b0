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
#include "linkwright/numeric/assemble.hpp"

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

constexpr std::array every_manner{Manner{false, false}, Manner{false, true},        Manner{true, false},
                                  Manner{true, true},   Manner{false, false, true}, Manner{true, false, true}};

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

// ------------------------------------------------------------------------------------------------------------ in numbers

/// What is written and what the residuals give, native and interpreted: two ways to one matrix.
TEST(DerivativesInNumbers, OfTreesAreTheSameBothWays) {
    for (const char* name : {"stanford6", "puma6", "iiwa7", "chain12"}) {
        SCOPED_TRACE(name);
        const Tree t(read(project_root() + "/bench/models/" + name + "/model.toml"));
        const numeric::CompiledEquations numbers(t.e);
        numeric::AccelerationDerivatives written(numbers, jit::native(), differentiate_accelerations(t.model, t.topology)),
            solved(numbers, numeric::interpret);
        EXPECT_TRUE(written.is_written());
        EXPECT_FALSE(solved.is_written());
        std::mt19937_64 random(3);
        std::vector<double> in(static_cast<std::size_t>(numbers.layout().size()));
        for (double& x : in) x = std::uniform_real_distribution<double>(-1, 1)(random);
        numeric::AccelerationDerivatives::Values a, b;
        ASSERT_TRUE(written(in, a)) << written.why();
        ASSERT_TRUE(solved(in, b)) << solved.why();
        EXPECT_EQ(a.of_udot.cols(), written.columns());
        for (Eigen::Index j = 0; j < a.of_udot.cols(); ++j) {
            EXPECT_LE((a.of_udot.col(j) - b.of_udot.col(j)).norm(), 1e-9 * (1 + b.of_udot.col(j).norm())) << "column " << j;
        }
        EXPECT_LE((a.udot - b.udot).norm(), 1e-9 * (1 + b.udot.norm()));
    }
}

/// Nothing finite comes out of what is not.
TEST(DerivativesInNumbers, SayWhereThereAreNone) {
    const Tree t(read(project_root() + "/bench/models/puma6/model.toml"));
    const numeric::CompiledEquations numbers(t.e);
    numeric::AccelerationDerivatives written(numbers, numeric::interpret, differentiate_accelerations(t.model, t.topology)),
        solved(numbers, numeric::interpret);
    const std::vector<double> in(static_cast<std::size_t>(numbers.layout().size()), std::nan(""));
    numeric::AccelerationDerivatives::Values values;
    EXPECT_FALSE(written(in, values));
    EXPECT_FALSE(written.why().empty());
    EXPECT_FALSE(solved(in, values));
    EXPECT_FALSE(solved.why().empty());
}

/// u̇ and λ of a closed chain by elimination in long doubles.
RealVector solved(const Tree& t, const std::map<std::string, Real>& v) {
    const auto n = static_cast<Eigen::Index>(t.e.u.size()), m = static_cast<Eigen::Index>(t.e.constraints.size());
    std::vector<std::vector<Expr>> G;
    std::vector<Expr> gamma;
    for (const eom::Constraint& c : t.e.constraints) G.push_back(c.G), gamma.push_back(c.gamma);
    RealMatrix K = RealMatrix::Zero(n + m, n + m);
    K.topLeftCorner(n, n) = evaluated(t.e.M, v);
    K.bottomLeftCorner(m, n) = evaluated(G, v);
    K.topRightCorner(n, m) = K.bottomLeftCorner(m, n).transpose();
    RealVector right(n + m);
    right << evaluated(t.e.f, v), evaluated(gamma, v);
    return K.fullPivLu().solve(right);
}

/// Beside the constraints too: u̇ and λ are functions of the state wherever the rows are independent.
class DerivativesOfLoop : public ::testing::TestWithParam<std::string> {};
TEST_P(DerivativesOfLoop, AreThoseOfDifferences) {
    const Tree t(read(project_root() + "/models/" + GetParam() + "/model.toml"));
    ASSERT_FALSE(t.e.constraints.empty());
    EXPECT_FALSE(differentiate_accelerations(t.model, t.topology).has_value());
    const sym::PoolScope scope(*t.e.pool);
    const numeric::CompiledEquations numbers(t.e, jit::native());
    numeric::AccelerationDerivatives derivatives(numbers, jit::native());
    const std::map<std::string, Real> at = t.random_state(5);
    std::vector<double> in{static_cast<double>(at.at(t.e.t.symbol().name))};
    const std::vector<Expr> columns = t.columns();
    for (const Expr& z : columns) in.push_back(static_cast<double>(at.at(z.symbol().name)));
    numeric::AccelerationDerivatives::Values values, general;
    ASSERT_TRUE(derivatives(in, general)) << derivatives.why();
    EXPECT_FALSE(derivatives.is_eliminated());
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(derivatives(in, values)) << derivatives.why();  // from some time on by straight-line code
    EXPECT_TRUE(derivatives.is_eliminated());
    EXPECT_LE((values.udot - general.udot).norm(), 1e-9 * general.udot.norm());
    EXPECT_LE((values.of_udot - general.of_udot).norm(), 1e-8 * general.of_udot.norm());
    EXPECT_LE((values.of_lambda - general.of_lambda).norm(), 1e-8 * general.of_lambda.norm());
    std::mt19937_64 random(11);
    RealVector direction(static_cast<Eigen::Index>(columns.size()));
    for (Real& x : direction) x = std::uniform_real_distribution<double>(-1, 1)(random);
    for (const auto& group : t.e.quaternions) {
        for (const std::size_t i : group) direction[static_cast<Eigen::Index>(i)] = 0;  // off the sphere they are nobody's
    }
    constexpr Real h = 1e-3L;
    const auto value = [&](Real step) {
        std::map<std::string, Real> v = at;
        for (std::size_t j = 0; j < columns.size(); ++j) v[columns[j].symbol().name] += step * direction[static_cast<Eigen::Index>(j)];
        return solved(t, v);
    };
    const RealVector wanted = (8 * (value(h / 2) - value(-h / 2)) - (value(h) - value(-h))) / (6 * h), here = value(0);
    RealVector got(wanted.size()), now(wanted.size());
    got << values.of_udot.leftCols(direction.size()).cast<Real>() * direction,
        values.of_lambda.leftCols(direction.size()).cast<Real>() * direction;
    now << values.udot.cast<Real>(), values.lambda.cast<Real>();
    EXPECT_LE((now - here).norm(), 1e-8L * here.norm());
    EXPECT_LE((got - wanted).norm(), 1e-6L * (1 + wanted.norm()));
    // M⁻¹ on the motions that G allows: symmetric, and G takes nothing of it
    const auto n = static_cast<Eigen::Index>(t.e.u.size());
    const Eigen::MatrixXd A = values.of_udot.rightCols(n);
    EXPECT_LE((A - A.transpose()).norm(), 1e-8 * A.norm());
}
INSTANTIATE_TEST_SUITE_P(Zoo, DerivativesOfLoop,
                         ::testing::Values("four_bar", "slider_crank", "andrews_squeezer", "delta_robot", "stewart_platform",
                                           "knife_edge_sleigh"),
                         [](const auto& p) { return p.param; });

/// Put together, where rows may be redundant: straight-line code and dense matrices.
class DerivativesOfAssembledLoop : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(DerivativesOfAssembledLoop, AreTheSameByElimination) {
    const Tree t(read(GetParam()));
    if (t.e.constraints.empty() || t.e.u.size() > 40) GTEST_SKIP() << "no closed chain, or a large one";
    const sym::PoolScope scope(*t.e.pool);
    const numeric::CompiledEquations numbers(t.e, jit::native());
    const numeric::AssembledState start = numeric::assemble(numbers, numeric::wanted(numbers), 0);
    if (!start.is_ok()) GTEST_SKIP() << start.why;
    numeric::AccelerationDerivatives derivatives(numbers, jit::native());
    const Eigen::VectorXd in = numeric::arguments(numbers.layout(), start.state);
    const std::span<const double> x(in.data(), static_cast<std::size_t>(in.size()));
    numeric::AccelerationDerivatives::Values general, values;
    if (!derivatives(x, general)) GTEST_SKIP() << derivatives.why();
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(derivatives(x, values)) << derivatives.why();
    if (!derivatives.is_eliminated()) GTEST_SKIP() << "no pivots are good enough, or rows are redundant";
    const auto expect_near = [](const auto& got, const auto& wanted, const char* what) {
        EXPECT_LE((got - wanted).norm(), 1e-6 * (1 + wanted.norm())) << what;
    };
    expect_near(values.udot, general.udot, "accelerations");
    expect_near(values.lambda, general.lambda, "multipliers");
    expect_near(values.of_udot, general.of_udot, "derivatives of accelerations");
    expect_near(values.of_lambda, general.of_lambda, "derivatives of multipliers");
}
INSTANTIATE_TEST_SUITE_P(Zoo, DerivativesOfAssembledLoop, ::testing::ValuesIn(files("/models")),
                         [](const auto& p) { return name_of(p.param); });

// ------------------------------------------------------------------------------------------------------------ operations

/// mul + add + div of u̇ with all its derivatives over those of u̇ alone: may only fall. (tree30f: 9.4 in the shortest manner, which takes a quarter more time.)
TEST(DerivativeCounts, AreAsFewAsPromised) {
    struct Bar {
        const char* model;
        double ratio;
    };
    for (const Bar& bar :
         {Bar{"stanford6", 5.75}, Bar{"puma6", 5.4}, Bar{"iiwa7", 5.6}, Bar{"chain12", 6.8}, Bar{"chain30", 11.0}, Bar{"tree30f", 10.0}}) {
        const Tree t(read(project_root() + "/bench/models/" + bar.model + "/model.toml"));
        const sym::PoolScope scope(*t.e.pool);
        const numeric::CompiledEquations numbers(t.e);
        const auto all =
            static_cast<double>(cost(numeric::lower(differentiate_accelerations(t.model, t.topology).value(), numbers).program));
        const auto alone = static_cast<double>(cost(numbers.lower(t.e.a)));
        EXPECT_LE(all / alone, bar.ratio) << bar.model;
    }
}

}  // namespace
}  // namespace linkwright::agree
