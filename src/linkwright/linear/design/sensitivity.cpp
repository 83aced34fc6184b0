#include "linkwright/linear/design/sensitivity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numbers>
#include <numeric>

#include "linkwright/linear/design/full_mode.hpp"
#include "linkwright/numeric/derived_parameters.hpp"
#include "linkwright/solve/eigen.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/singular_values.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;

constexpr double ill_conditioned = 1e7;  // beyond, rounding of A has moved the eigenvalue by more than a root of ε or so
constexpr double least_product = 1e-7;   // of unit vectors from left and right
constexpr double least_independence =
    1e-5;  // of unit vectors: of a repeated eigenvalue chance leaves 1e-3 or so, of a defective one rounding 1e-8

bool is_zero_column(const Matrix& rows, std::size_t column) {
    return std::ranges::all_of(rows, [&](const std::vector<Expr>& row) { return row[column].is_literally(0); });
}

/// One eigenvalue with its vectors on independent coordinates.
struct Pair {
    Complex value;
    VectorXcd right, left;  ///< of poles: A w = μ w, lᵀA = μ lᵀ
    VectorXd shape;         ///< of λ: on y
    Multiplicity multiplicity = Multiplicity::simple;
    bool is_ill_conditioned = false;  ///< taken alone
};

/// Indices that belong together, in the order of the first of each.
std::vector<std::vector<Index>> groups(Index n, const std::function<bool(Index, Index)>& are_same) {
    std::vector<Index> root(static_cast<std::size_t>(n));
    std::iota(root.begin(), root.end(), Index{0});
    const auto find = [&](Index i) {
        while (root[i] != i) i = root[i];
        return i;
    };
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            if (are_same(i, j)) root[find(i)] = find(j);
        }
    }
    std::vector<std::vector<Index>> found;
    std::vector<Index> place(static_cast<std::size_t>(n), -1);
    for (Index i = 0; i < n; ++i) {
        Index& at = place[find(i)];
        if (at < 0) at = static_cast<Index>(found.size()), found.emplace_back();
        found[at].push_back(i);
    }
    return found;
}

std::string number(Complex z) {
    if (z.imag() == 0) return fmt::format("{:.6g}", z.real());
    return fmt::format("{:.6g} {} {:.6g}i", z.real(), z.imag() < 0 ? '-' : '+', std::abs(z.imag()));
}

std::string these(const char* name, const std::vector<Index>& group) {
    std::vector<std::string> names;
    for (const Index i : group) names.push_back(fmt::format("{}{}", name, i + 1));
    if (names.size() == 1) return names[0];
    const std::string last = names.back();
    names.pop_back();
    return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

/// Powers of two that make rows and columns of A alike in size.
VectorXd balancing(MatrixXd A) {
    VectorXd d = VectorXd::Ones(A.rows());
    A.diagonal().setZero();
    for (int sweep = 0; sweep < 10; ++sweep) {
        bool is_new = false;
        for (Index i = 0; i < A.rows(); ++i) {
            const double column = A.col(i).norm(), row = A.row(i).norm();
            if (!(column > 0 && row > 0)) continue;
            const double f = std::exp2(std::round(std::log2(std::sqrt(row / column))));
            if (f == 1) continue;
            d[i] *= f, A.col(i) *= f, A.row(i) /= f, is_new = true;
        }
        if (!is_new) break;
    }
    return d;
}

/// Of finite numbers, without the care that others take for infinite ones.
Complex product(Complex a, Complex b) { return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()}; }

bool all_finite(const MatrixXcd& a) { return a.real().allFinite() && a.imag().allFinite(); }

}  // namespace

struct Sensitivity::Inside {
    const numeric::CompiledEquations& numbers;
    const Linearizer& linearizer;
    PencilDerivative pencil;
    std::vector<bool> is_ignorable;  ///< of s: nothing depends on it
    numeric::DerivedParameters derived_parameters;

    Inside(const numeric::CompiledEquations& some_numbers, const Linearizer& some_linearizer, numeric::Compile compile)
        : numbers(some_numbers),
          linearizer(some_linearizer),
          pencil(numbers, linearizer.form(), std::move(compile)),
          derived_parameters(numbers) {
        const LinearForm& f = linearizer.form();
        for (std::size_t k = 0; k < f.s.size(); ++k) {
            is_ignorable.push_back(
                std::ranges::all_of(std::array{&f.K, &f.H, &f.Phi, &f.D, &f.F}, [&](const Matrix* a) { return is_zero_column(*a, k); }));
        }
    }

    /// Derivatives by p, q, x, u, w, u̇, λ become total ones by each of `parameters`.
    MatrixXcd along(const MatrixXcd& gradients, const PointDerivatives& derivatives, std::span<const std::size_t> parameters) const {
        const Index np = static_cast<Index>(parameters.size()), all = numbers.parameters().size(), rest = gradients.cols() - all;
        MatrixXcd total(gradients.rows(), np);
        MatrixXd point(rest, np);
        std::vector<VectorXd> following;
        if (!derived_parameters.empty()) following = derived_parameters.derivatives(parameters);
        for (Index k = 0; k < np; ++k) {
            const std::size_t p = parameters[k];
            total.col(k) = gradients.col(p);
            const numeric::PointDerivative& s = derivatives.by[k];
            point.col(k) << s.q, s.x, s.u, s.w, s.udot, s.lambda;
            for (Index i = 0; i < all && !following.empty(); ++i) {
                const double derivative = following[k][i];
                if (i != static_cast<Index>(p) && derivative != 0) total.col(k) += derivative * gradients.col(i);
            }
        }
        std::vector<Index> moving;  // what of the point moves at all
        for (Index i = 0; i < rest; ++i) {
            if (!point.row(i).isZero(0)) moving.push_back(i);
        }
        if (moving.empty()) return total;
        const MatrixXd derivative = point(moving, Eigen::all);
        const MatrixXcd by = gradients.rightCols(rest)(Eigen::all, moving);
        total.real() += by.real() * derivative;
        if (!by.imag().isZero(0)) total.imag() += by.imag() * derivative;
        return total;
    }

    std::vector<PointDirection> directions(const PointDerivatives& derivatives, std::span<const std::size_t> parameters) const {
        std::vector<PointDirection> all;
        const std::vector<VectorXd> following = derived_parameters.derivatives(parameters);
        for (std::size_t k = 0; k < parameters.size(); ++k) all.push_back({following[k], derivatives.by[k]});
        return all;
    }

    std::vector<Pair> lambda_pairs(const Linearization& at, const Modes& of) const {
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i < of.lambda.size(); ++i) {
            Pair p{.value = of.lambda[i], .right = {}, .left = {}, .shape = VectorXd(static_cast<Index>(at.y.size()))};
            for (std::size_t k = 0; k < at.y.size(); ++k) p.shape[k] = of.vectors(static_cast<Index>(at.y[k]), static_cast<Index>(i));
            pairs.push_back(std::move(p));
        }
        return pairs;
    }

    struct Poles {
        std::vector<Pair> pairs;
        VectorXd error;
        double norm = 0;
        std::string why;
    };
    Poles pole_pairs(const Linearization& at, const Modes& of) const;
    EigenvalueSensitivity derivatives(const Linearization& at, const Modes& of, const PointDerivatives& point,
                                      std::span<const std::size_t> parameters, Eigenvalues which, std::vector<Pair>* keep) const;
    bool is_lambda(const Linearization& at, const Modes& of, Eigenvalues which) const {
        if (which != Eigenvalues::lambda_or_poles || !of.has_lambda || of.vectors.cols() != static_cast<Index>(of.lambda.size()))
            return false;
        // where constraints are accelerated, or speeds come with coordinates, K x = λ M x is not all there is
        const auto largest = [](const MatrixXd& a) { return a.size() == 0 ? 0.0 : a.cwiseAbs().maxCoeff(); };
        const bool is_accelerated = at.full.G.rows() > 0 && at.point.relative_acceleration > 1e-8;
        return !is_accelerated && largest(at.full.D) < 1e-12 && largest(at.full.H) < 1e-12;
    }
};

Sensitivity::Sensitivity(const numeric::CompiledEquations& numbers, const Linearizer& linearizer, numeric::Compile compile)
    : inside_(std::make_unique<Inside>(numbers, linearizer, std::move(compile))) {}
Sensitivity::~Sensitivity() = default;

const PencilDerivative& Sensitivity::pencil() const { return inside_->pencil; }

Sensitivity::Inside::Poles Sensitivity::Inside::pole_pairs(const Linearization& at, const Modes& of) const {
    Poles found;
    const MatrixXd A = cleaned_state_matrix(at);
    const Index ny = at.y.size();
    std::vector<Index> kept, left_out;
    for (Index i = 0; i < A.rows(); ++i) {
        (i < ny && is_ignorable[at.y[i]] ? left_out : kept).push_back(i);
    }
    const Index n = A.rows();
    std::vector<double> errors;
    if (!kept.empty()) {
        const solve::Spectrum s = solve::spectrum(A(kept, kept));
        if (!s.ok) return found.why = s.why, found;
        found.norm = s.norm;
        // what rounding has left of zero is what `modes` says it is
        MatrixXd distance(s.values.size(), of.poles.size());
        for (Index i = 0; i < distance.rows(); ++i) {
            for (Index j = 0; j < distance.cols(); ++j) distance(i, j) = std::abs(s.values[i] - of.poles[j]);
        }
        const std::vector<Index> known = solve::assign(distance);
        for (Index i = 0; i < s.values.size(); ++i) {
            Pair p{.value = s.values[i], .right = VectorXcd::Zero(n), .left = VectorXcd::Zero(n), .shape = {}};
            const double error = std::min(s.error[i], 1e-6 * s.norm);
            const Index j = known[i];
            if (j >= 0 && distance(i, j) <= 1000 * error + 1e-9 * s.norm) p.value = of.poles[j];
            if (p.value.imag() < 0) continue;
            for (std::size_t k = 0; k < kept.size(); ++k) {
                p.right[kept[k]] = s.right(static_cast<Index>(k), i);
                p.left[kept[k]] = std::conj(s.left(static_cast<Index>(k), i));
            }
            // coordinates on which nothing depends are carried along
            for (const Index c : left_out) {
                if (std::abs(p.value) > 1e-9 * s.norm) p.right[c] = (A.row(c).cast<Complex>() * p.right)(0) / p.value;
            }
            p.is_ill_conditioned = !(s.condition[i] < ill_conditioned);
            found.pairs.push_back(std::move(p));
            errors.push_back(error);
        }
    }
    for (const Index c : left_out) {
        found.pairs.push_back(
            {.value = 0, .right = VectorXcd::Unit(n, c), .left = VectorXcd::Zero(n), .shape = {}, .multiplicity = Multiplicity::ignorable});
        errors.push_back(0);
    }
    std::vector<std::size_t> order(found.pairs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        const Complex x = found.pairs[a].value, y = found.pairs[b].value;
        return std::pair(std::abs(x.imag()), x.real()) < std::pair(std::abs(y.imag()), y.real());
    });
    std::vector<Pair> sorted;
    found.error.resize(order.size());
    for (const std::size_t k : order) {
        found.error[sorted.size()] = errors[k];
        sorted.push_back(std::move(found.pairs[k]));
    }
    found.pairs = std::move(sorted);
    return found;
}

EigenvalueSensitivity Sensitivity::Inside::derivatives(const Linearization& at, const Modes& of, const PointDerivatives& point,
                                                       std::span<const std::size_t> parameters, Eigenvalues which,
                                                       std::vector<Pair>* keep) const {
    EigenvalueSensitivity r;
    const auto fail = [&](std::string why) {
        r.is_ok = false;
        r.why = std::move(why);
        return r;
    };
    if (!at.is_ok) return fail(at.why);
    if (!of.is_ok) return fail(of.why);
    if (!point.is_ok) return fail(point.why);
    r.is_lambda = is_lambda(at, of, which);

    std::vector<Pair> pairs;
    std::vector<std::vector<Index>> together;
    if (r.is_lambda) {
        pairs = lambda_pairs(at, of);
        double most = 0;
        for (const Pair& p : pairs) most = std::max(most, std::abs(p.value));
        together = groups(static_cast<Index>(pairs.size()), [&](Index i, Index j) {
            const Complex a = pairs[i].value, b = pairs[j].value;
            return std::abs(a - b) <= repeated_tolerance * std::max(std::abs(a), std::abs(b)) + 1e-13 * most;
        });
    } else {
        Poles poles = pole_pairs(at, of);
        if (!poles.why.empty()) return fail(poles.why);
        pairs = std::move(poles.pairs);
        together = groups(static_cast<Index>(pairs.size()), [&](Index i, Index j) {
            const Pair &a = pairs[i], &b = pairs[j];
            if ((a.multiplicity == Multiplicity::ignorable) || (b.multiplicity == Multiplicity::ignorable)) return false;
            const double size = std::max(std::abs(a.value), std::abs(b.value));
            return std::abs(a.value - b.value) <=
                   std::max({repeated_tolerance * size, 20 * (poles.error[i] + poles.error[j]), 1e-12 * poles.norm});
        });
    }
    const Index count = static_cast<Index>(pairs.size()), np = static_cast<Index>(parameters.size());
    r.values.resize(count);
    for (Index i = 0; i < count; ++i) r.values[i] = pairs[i].value;
    r.derivatives = MatrixXcd::Zero(count, np);

    // every product Y_i P' X_j within a group, all in one batch
    const FullMode lift(at);
    std::vector<WeightedMotion> batch;
    struct Product {
        std::size_t group;
        Index i, j;  ///< within the group
    };
    std::vector<Product> products;
    std::vector<MatrixXcd> normal(together.size());
    for (std::size_t g = 0; g < together.size(); ++g) {
        const std::vector<Index>& group = together[g];
        const Index size = group.size();
        const auto pair = [&](Index k) -> Pair& { return pairs[group[k]]; };
        if (pair(0).multiplicity == Multiplicity::ignorable) continue;
        bool is_defective = false;
        if (!r.is_lambda) {  // members of a cluster have no condition of their own: it is that of the space they span
            MatrixXcd space(pair(0).right.size(), size);
            for (Index k = 0; k < size; ++k) space.col(k) = pair(k).right.normalized();
            is_defective = size == 1 ? pair(0).is_ill_conditioned : solve::singular_values(space).minCoeff() < least_independence;
        }
        normal[g] = MatrixXcd::Zero(size, size);
        if (r.is_lambda) {
            std::vector<FullMode::Shape> shapes;
            for (Index k = 0; k < size; ++k) shapes.push_back(lift.shape(pair(k).value.real(), pair(k).shape));
            for (Index i = 0; i < size; ++i) {
                for (Index j = 0; j < size; ++j) normal[g](i, j) = lift.product(shapes[i], shapes[j]);
            }
            for (Index i = 0; i < size; ++i) {
                const auto weights = lift.weights(pair(i).value.real(), shapes[i]);
                for (Index j = 0; j < size; ++j) {
                    const auto motions = lift.motions(shapes[j]);
                    for (std::size_t k = 0; k < 2; ++k) batch.push_back({weights[k], motions[k]});
                    products.push_back({g, i, j});
                }
            }
        } else {
            for (Index i = 0; i < size; ++i) {
                for (Index j = 0; j < size; ++j) normal[g](i, j) = -(pair(i).left.transpose() * pair(j).right)(0);
            }
            // vectors from left and right have the length 1 but for what is carried along
            is_defective = is_defective || solve::singular_values(normal[g]).minCoeff() < least_product;
            if (!is_defective) {
                std::vector<SmallMotion> motions;
                for (Index j = 0; j < size; ++j) motions.push_back(lift.motion(pair(j).value, pair(j).right));
                for (Index i = 0; i < size; ++i) {
                    const RowWeights weights = lift.weights(pair(i).value, pair(i).left);
                    for (Index j = 0; j < size; ++j) batch.push_back({weights, motions[j]}), products.push_back({g, i, j});
                }
            }
        }
        for (Index k = 0; k < size; ++k) {
            if (size > 1) pair(k).multiplicity = Multiplicity::repeated;
            if (is_defective) pair(k).multiplicity = Multiplicity::defective;
        }
    }
    if (!batch.empty() && np > 0) {
        MatrixXcd gradients = pencil.gradients(at.point, batch);
        if (r.is_lambda) {  // two pairs make one product
            MatrixXcd sums(gradients.rows() / 2, gradients.cols());
            for (Index c = 0; c < sums.cols(); ++c) {
                for (Index k = 0; k < sums.rows(); ++k) sums(k, c) = gradients(2 * k, c) + gradients(2 * k + 1, c);
            }
            gradients = std::move(sums);
        }
        const MatrixXcd changes = along(gradients, point, parameters);
        if (!all_finite(changes)) return fail("the derivatives are not finite here: a root or a distance that is zero, a division by zero");
        std::vector<std::vector<MatrixXcd>> of_group(together.size());
        std::vector<Index> single;  // products of eigenvalues that stand alone
        for (std::size_t k = 0; k < products.size(); ++k) {
            const Product& p = products[k];
            const Index size = normal[p.group].rows();
            if (size == 1) {
                single.push_back(k);
                continue;
            }
            if (of_group[p.group].empty()) of_group[p.group].assign(static_cast<std::size_t>(np), MatrixXcd::Zero(size, size));
            for (Index c = 0; c < np; ++c) of_group[p.group][c](p.i, p.j) += changes(static_cast<Index>(k), c);
        }
        std::vector<Index> rows;
        VectorXcd factors(static_cast<Index>(single.size()));
        for (std::size_t k = 0; k < single.size(); ++k) {
            const std::size_t g = products[single[k]].group;
            rows.push_back(together[g][0]);
            factors[k] = -1.0 / normal[g](0, 0);
        }
        for (Index c = 0; c < np; ++c) {
            for (std::size_t k = 0; k < rows.size(); ++k) r.derivatives(rows[k], c) = product(factors[k], changes(single[k], c));
        }
        for (std::size_t g = 0; g < together.size(); ++g) {
            const std::vector<Index>& group = together[g];
            if (of_group[g].empty()) continue;
            r.coinciding.push_back({group, {}});
            for (Index c = 0; c < np; ++c) {
                const MatrixXcd& small = r.coinciding.back().by.emplace_back(-solve::ComplexLu(normal[g]).solve(of_group[g][c]));
                VectorXcd d = solve::eigenvalues(small);
                std::sort(d.begin(), d.end(),
                          [](Complex a, Complex b) { return std::pair(a.real(), a.imag()) < std::pair(b.real(), b.imag()); });
                for (std::size_t k = 0; k < group.size(); ++k) r.derivatives(group[k], c) = d[k];
            }
        }
    }

    const char* name = r.is_lambda ? "λ" : "μ";
    for (const std::vector<Index>& group : together) {
        const Pair& first = pairs[group[0]];
        if (first.multiplicity == Multiplicity::repeated) {
            r.notes.push_back(fmt::format(
                "{} coincide at {}: their derivatives are those of the branches into which they part along each parameter alone",
                these(name, group), number(first.value)));
        } else if (first.multiplicity == Multiplicity::defective) {
            r.notes.push_back(fmt::format("{} at {}: fewer vectors than eigenvalues, or nearly so (defective), and no derivative",
                                          these(name, group), number(first.value)));
        }
    }
    std::vector<Index> ignorable;
    for (Index i = 0; i < count; ++i) {
        const Pair& p = pairs[i];
        r.multiplicity.push_back(p.multiplicity);
        if (p.multiplicity == Multiplicity::ignorable) ignorable.push_back(i);
        if (p.value.imag() == 0 && p.multiplicity != Multiplicity::repeated) r.derivatives.row(i).imag().setZero();
    }
    if (!ignorable.empty())
        r.notes.push_back(fmt::format("{} at zero: nothing depends on some coordinate, whatever the parameters", these(name, ignorable)));

    double most = 0;
    for (Index i = 0; i < count; ++i) most = std::max(most, std::abs(r.values[i]));
    r.relative = MatrixXcd::Zero(count, np);
    r.frequency_hz = r.damping_ratio = MatrixXd::Zero(count, np);
    VectorXcd inverse = VectorXcd::Zero(count), damping = VectorXcd::Zero(count);
    VectorXd of_root = VectorXd::Zero(count), turn = VectorXd::Zero(count);
    for (Index i = 0; i < count; ++i) {
        const Complex v = r.values[i];
        const double size = std::abs(v);
        if (size <= 1e-13 * most) continue;
        inverse[i] = 1.0 / v;
        if (r.is_lambda) {
            if (v.real() > 0) of_root[i] = 1 / (4 * std::numbers::pi * std::sqrt(v.real()));
            continue;
        }
        if (v.imag() != 0) turn[i] = (v.imag() > 0 ? 1 : -1) / (2 * std::numbers::pi);
        damping[i] = -1 / size + v.real() * std::conj(v) / (size * size * size);  // d(−Re v/|v|) = Re(damping dv)
    }
    for (Index c = 0; c < np; ++c) {
        const double p = numbers.parameters()[parameters[c]];
        for (Index i = 0; i < count; ++i) {
            const Complex d = r.derivatives(i, c);
            r.relative(i, c) = p * product(inverse[i], d);
            r.frequency_hz(i, c) = of_root[i] * d.real() + turn[i] * d.imag();
            r.damping_ratio(i, c) = product(damping[i], d).real();
        }
    }
    if (keep) *keep = std::move(pairs);
    return r;
}

EigenvalueSensitivity Sensitivity::eigenvalues(const Linearization& at, const Modes& of, const PointDerivatives& derivatives,
                                               std::span<const std::size_t> parameters, Eigenvalues which) const {
    return inside_->derivatives(at, of, derivatives, parameters, which, nullptr);
}

EigenvectorSensitivity Sensitivity::vectors(const Linearization& at, const Modes& of, const PointDerivatives& derivatives,
                                            std::span<const std::size_t> parameters, Eigenvalues which) const {
    EigenvectorSensitivity r;
    std::vector<Pair> pairs;
    r.of = inside_->derivatives(at, of, derivatives, parameters, which, &pairs);
    r.s = at.s;
    if (!r.of.is_ok) return r;
    const FullMode lift(at);
    const MatrixXd A = cleaned_state_matrix(at);
    const VectorXd balance = balancing(A), unbalance = balance.cwiseInverse();
    const Index count = static_cast<Index>(pairs.size()), ns = at.Y.rows(), ny = at.Y.cols(), n = A.rows();
    r.vectors = MatrixXcd::Zero(ns, count);
    r.derivatives.assign(parameters.size(), MatrixXcd::Zero(ns, count));
    const std::vector<PointDirection> directions = inside_->directions(derivatives, parameters);
    const double size = n == 0 ? 0 : A.cwiseAbs().maxCoeff();
    for (Index i = 0; i < count; ++i) {
        const Pair& p = pairs[i];
        bool has = p.multiplicity == Multiplicity::simple;
        if (r.of.is_lambda) {
            const double lambda = p.value.real();
            FullMode::Shape shape = lift.shape(lambda, p.shape);
            const double mass = shape.xi.dot(at.full.M * shape.xi);
            const VectorXd v = p.shape / std::sqrt(mass);
            shape = lift.shape(lambda, v);
            r.vectors.col(i) = shape.x.cast<Complex>();
            r.has_derivative.push_back(has);
            if (!has) continue;
            // (N Q + λ) v' + λ' v = −(N Q)' v, where Q v = δu̇ on z; and ξᵀM ξ = 1
            const MatrixXd T = lift.speeds_of_rates();
            const solve::Lu by_T(T);
            const MatrixXd NQ = by_T.solve(A.bottomLeftCorner(n - ny, ny));
            const VectorXd mass_row = T.transpose() * (at.Z.transpose() * (at.full.M * shape.xi));
            MatrixXd bordered = MatrixXd::Zero(ny + 1, ny + 1);
            bordered.topLeftCorner(ny, ny) = NQ + lambda * MatrixXd::Identity(ny, ny);
            bordered.col(ny).head(ny) = v;
            bordered.row(ny).head(ny) = 2 * mass_row;
            const solve::FullLu lu(bordered);
            const auto motions = lift.motions(shape);
            const SmallMotion inertia{VectorXcd::Zero(ns), VectorXcd::Zero(at.Z.rows()), shape.xi.cast<Complex>(),
                                      VectorXcd::Zero(shape.nu.size())};
            for (std::size_t k = 0; k < directions.size(); ++k) {
                const FullMode::Change of_shape = lift.change(inside_->pencil.rows(at.point, directions[k], motions[0]), false);
                const PencilRows of_speeds = inside_->pencil.rows(at.point, directions[k], motions[1]);
                const VectorXd xi_fixed = lift.dependent_speeds(of_speeds.speed).real();
                const VectorXd turned = lift.on_y(of_speeds.kinematic + (at.full.N * xi_fixed).cast<Complex>()).real();  // N' ξ
                const VectorXd m = inside_->pencil.rows(at.point, directions[k], inertia).force.real();                  // M' ξ
                VectorXd b(ny + 1);
                b.head(ny) = lambda * turned - by_T.solve(of_shape.Aw.tail(n - ny).real());
                b[ny] = -shape.xi.dot(m) - 2 * shape.xi.dot(at.full.M * xi_fixed) + 2 * mass_row.dot(turned);
                const VectorXd x = lu.solve(b);
                r.derivatives[k].col(i) = (at.Y * x.head(ny)).cast<Complex>() + of_shape.s;
            }
            continue;
        }
        SmallMotion motion = lift.motion(p.value, p.right);
        Index largest = 0;
        const double most = ns == 0 ? 0 : motion.s.cwiseAbs().maxCoeff();
        while (most > 0 && std::abs(motion.s[largest]) < most * (1 - 1e-9)) ++largest;  // the first of equals: symmetry makes many
        has = has && most > 1e-12 && (std::abs(p.value) > 1e-9 * size || std::ranges::none_of(r.of.multiplicity, [](Multiplicity s) {
                                          return s == Multiplicity::ignorable;
                                      }));
        r.has_derivative.push_back(has);
        if (most > 0) r.vectors.col(i) = motion.s / motion.s[largest];
        if (!has) continue;
        // (A − μ) w' − μ' w = −A' w, and the largest entry of s stays 1; on the balanced matrix
        VectorXcd w = p.right / motion.s[largest];
        Complex mu = p.value;
        const MatrixXcd balanced = (unbalance.asDiagonal() * A * balance.asDiagonal()).cast<Complex>();
        MatrixXcd bordered = MatrixXcd::Zero(n + 1, n + 1);
        bordered.topLeftCorner(n, n) = balanced - mu * MatrixXcd::Identity(n, n);
        bordered.col(n).head(n) = -(unbalance.asDiagonal() * w);
        bordered.row(n).head(ny) = (at.Y.row(largest) * balance.head(ny).asDiagonal()).cast<Complex>();
        const solve::ComplexFullLu lu(bordered);
        for (int pass = 0; pass < 2; ++pass) {  // the same system has the last digits of the vector
            VectorXcd b = VectorXcd::Zero(n + 1);
            const VectorXcd x = unbalance.asDiagonal() * w;
            b.head(n) = mu * x - balanced * x;
            const VectorXcd correction = lu.solve(b);
            if (!(correction.head(n).norm() <= 1e-4 * x.norm())) break;
            w += balance.asDiagonal() * correction.head(n), mu += correction[n];
        }
        motion = lift.motion(mu, w);
        r.vectors.col(i) = motion.s / motion.s[largest];
        for (std::size_t k = 0; k < directions.size(); ++k) {
            const FullMode::Change change = lift.change(inside_->pencil.rows(at.point, directions[k], motion));
            VectorXcd b(n + 1);
            b << -(unbalance.asDiagonal() * change.Aw), -change.s[largest];
            const VectorXcd x = balance.head(ny).asDiagonal() * lu.solve(b).head(ny);
            r.derivatives[k].col(i) = at.Y.cast<Complex>() * x + change.s;
        }
    }
    for (Index i = 0; i < count; ++i) {
        if (!r.has_derivative[i] && r.of.multiplicity[i] != Multiplicity::ignorable) {
            r.of.notes.push_back(fmt::format("the vector of {}{} is not determined by its eigenvalue alone, so it has no derivative",
                                             r.of.is_lambda ? "λ" : "μ", i + 1));
        }
    }
    return r;
}

PointDerivatives no_sensitivity(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, std::size_t parameters) {
    const Index m = numbers.equations().constraints.size();
    const numeric::PointDerivative none{VectorXd::Zero(at.state.q.size()),
                                        VectorXd::Zero(at.state.u.size()),
                                        VectorXd::Zero(at.state.w.size()),
                                        VectorXd::Zero(at.udot.size()),
                                        VectorXd::Zero(m),
                                        VectorXd::Zero(at.state.x.size())};
    return {std::vector<numeric::PointDerivative>(parameters, none), true, ""};
}

}  // namespace linkwright::linear
