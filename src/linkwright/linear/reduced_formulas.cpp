#include "linkwright/linear/reduced_formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "linkwright/linear/formula_system.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::linear {

namespace {

using Clock = std::chrono::steady_clock;

Matrix plus(Matrix a, const Matrix& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] += b[i][j];
    }
    return a;
}

Matrix rows_of(const Matrix& a, const Places& which) {
    Matrix part;
    for (const std::size_t i : which) part.push_back(a[i]);
    return part;
}

Places others(const Places& some, std::size_t n) {
    Places list;
    for (std::size_t i = 0; i < n; ++i) {
        if (std::ranges::find(some, i) == some.end()) list.push_back(i);
    }
    return list;
}

/// How what is dependent follows: A x + b = 0, with zeros for what is independent.
std::optional<Matrix> follow(const Matrix& A, const MatrixXd& value, const Places& independent, std::size_t n, Matrix b, std::size_t width,
                             Clock::time_point deadline) {
    const Places dependent = others(independent, n);
    for (auto& row : b) {
        for (Expr& e : row) e = -e;
    }
    Matrix X = sym::zeros(n, width);
    const auto solved = solution({A, value, dependent, b}, deadline);
    if (!solved) return std::nullopt;
    for (std::size_t k = 0; k < dependent.size(); ++k) X[dependent[k]] = (*solved)[k];
    return X;
}

std::optional<Matrix> freedoms(const Matrix& A, const MatrixXd& value, const Places& independent, std::size_t n,
                               Clock::time_point deadline) {
    Matrix b;
    for (const auto& row : A) {
        auto& part = b.emplace_back();
        for (const std::size_t i : independent) part.push_back(row[i]);
    }
    auto X = follow(A, value, independent, n, std::move(b), independent.size(), deadline);
    for (std::size_t k = 0; X && k < independent.size(); ++k) (*X)[independent[k]][k] = 1;
    return X;
}

/// Symbols for entries that are long.
class Names {
public:
    explicit Names(const LinearFormulas& formulas) : pool_(*formulas.form.pool) {
        std::vector<Expr> all;
        const LinearForm& f = formulas.form;
        for (const Matrix* a : {&f.N, &f.H, &f.W, &f.M, &f.C, &f.K, &f.geometric, &f.B, &f.Phi, &f.G, &f.D, &f.E, &f.F}) {
            for (const auto& row : *a) all.insert(all.end(), row.begin(), row.end());
        }
        for (const Expr& s : sym::symbols_in(all)) taken_.insert(s.symbol().name);
    }
    Matrix operator()(const Matrix& a, std::string letter, std::size_t most, bool is_symmetric = false) {
        while (std::ranges::any_of(taken_, [&](const std::string& name) { return name.starts_with(letter + "_"); })) letter += "_r";
        Matrix short_ones = a;
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = 0; j < a[i].size(); ++j) {
                if (is_symmetric && j < i) {
                    short_ones[i][j] = short_ones[j][i];
                    continue;
                }
                if (sym::nodes_below(std::array{a[i][j]}).size() <= most) continue;
                const bool is_small = a.size() < 10 && a[i].size() < 10;
                short_ones[i][j] = pool_.symbol(fmt::format("{}_{}{}{}", letter, i + 1, is_small ? "" : "_", j + 1));
                list_.emplace_back(short_ones[i][j], a[i][j]);
            }
        }
        return short_ones;
    }
    const std::vector<std::pair<Expr, Expr>>& list() const { return list_; }

private:
    sym::Pool& pool_;
    std::set<std::string> taken_;
    std::vector<std::pair<Expr, Expr>> list_;
};

}  // namespace

ReducedFormulas reduced_formulas(const LinearFormulas& formulas, const Linearization& at, const ReductionLimit& limit) {
    const LinearForm& f = formulas.form;
    const sym::PoolScope scope(*f.pool);
    ReducedFormulas r;
    const auto refuse = [&](std::string why) {
        r.is_ok = false;
        r.why = std::move(why);
        return r;
    };
    const std::size_t ns = f.s.size(), nu = f.M.size(), ny = at.y.size(), nz = at.z.size(), nw = columns_of(f.B),
                      dependent = ns - ny + nu - nz;
    if (ny + nz > limit.states || dependent > limit.dependent) {
        return refuse(
            fmt::format("formulas of a state space are given up to {} states and {} dependent motions and speeds; here there are {} and {}",
                        limit.states, limit.dependent, ny + nz, dependent));
    }
    const auto vanishes = [&] { return refuse("a pivot of the elimination vanishes at the point"); };
    const auto deadline = Clock::now() + limit.reading;
    Names names(formulas);
    constexpr std::size_t short_factor = 6, short_entry = 40;  // nodes
    const auto Y = freedoms(f.Phi, at.full.Phi, at.y, ns, deadline);
    const auto Z = f.G == f.Phi && at.z == at.y ? Y : freedoms(f.G, at.full.G, at.z, nu, deadline);
    if (!Y || !Z) return vanishes();
    r.Y = *Y, r.Z = *Z;
    const Matrix y = names(r.Y, "Y", short_factor), z = r.Z == r.Y ? y : names(r.Z, "Z", short_factor);
    const auto P = follow(f.G, at.full.G, at.z, nu, product(f.D, y, ny), ny, deadline);
    if (!P) return vanishes();
    r.P = *P;
    const Matrix p = names(r.P, "P", short_factor);
    const auto Q_z = follow(f.G, at.full.G, at.z, nu, product(f.E, z, nz), nz, deadline);
    const auto Q_y = follow(f.G, at.full.G, at.z, nu, plus(product(f.E, p, ny), product(f.F, y, ny)), ny, deadline);
    if (!Q_z || !Q_y) return vanishes();
    r.Q_z = *Q_z, r.Q_y = *Q_y;
    const Matrix qz = names(r.Q_z, "Q_z", short_factor), qy = names(r.Q_y, "Q_x", short_factor);
    Matrix K = f.K;
    for (std::size_t i = 0; i < nu && !at.has_geometric_stiffness; ++i) {
        for (std::size_t j = 0; j < ns; ++j) K[i][j] -= f.geometric[i][j];
    }
    const Matrix zt = transpose(z, nz);
    r.M = product(zt, product(f.M, z, nz), nz);
    r.C = product(zt, plus(product(f.C, z, nz), product(f.M, qz, nz)), nz);
    r.K = product(zt, plus(plus(product(K, y, ny), product(f.C, p, ny)), product(f.M, qy, ny)), ny);
    r.B = product(zt, f.B, nw);
    r.N = product(rows_of(f.N, at.y), z, nz);
    r.H = plus(product(rows_of(f.N, at.y), p, ny), product(rows_of(f.H, at.y), y, ny));
    const Matrix M = names(r.M, "M_x", short_entry, true), C = names(r.C, "C_x", short_entry), B = names(r.B, "B_x", short_entry);
    K = names(r.K, "K_x", short_entry);
    r.names = names.list();

    Places all(nz);
    for (std::size_t i = 0; i < nz; ++i) all[i] = i;
    Matrix right = sym::zeros(nz, ny + nz + nw);
    for (std::size_t i = 0; i < nz; ++i) {
        for (std::size_t j = 0; j < ny; ++j) right[i][j] = -K[i][j];
        for (std::size_t j = 0; j < nz; ++j) right[i][ny + j] = -C[i][j];
        for (std::size_t j = 0; j < nw; ++j) right[i][ny + nz + j] = B[i][j];
    }
    const MatrixXd value = nz == 0 ? MatrixXd(0, 0) : MatrixXd(at.Z.transpose() * at.full.M * at.Z);
    const auto X = solution({M, value, all, right}, deadline);
    if (!X) return vanishes();
    r.A = sym::zeros(ny + nz, ny + nz), r.B_x = sym::zeros(ny + nz, nw);
    for (std::size_t i = 0; i < ny; ++i) {
        for (std::size_t j = 0; j < ny; ++j) r.A[i][j] = r.H[i][j];
        for (std::size_t j = 0; j < nz; ++j) r.A[i][ny + j] = r.N[i][j];
        for (std::size_t j = 0; j < nw; ++j) r.B_x[i][j] = f.W[at.y[i]][j];
    }
    for (std::size_t i = 0; i < nz; ++i) {
        for (std::size_t j = 0; j < ny + nz; ++j) r.A[ny + i][j] = (*X)[i][j];
        for (std::size_t j = 0; j < nw; ++j) r.B_x[ny + i][j] = (*X)[i][ny + nz + j];
    }
    return r;
}

}  // namespace linkwright::linear
