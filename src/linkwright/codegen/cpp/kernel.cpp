#include "linkwright/codegen/cpp/kernel.hpp"

namespace linkwright::codegen::cpp {

const char* const scalar_kernel = R"kernel(
namespace detail {

template <class S>
struct Same {
    using type = S;
};

// Decisions look at real parts, so that a complex step passes through them.
template <class S>
bool less(const S& x, const S& y) { return x < y; }
template <class T>
bool less(const std::complex<T>& x, const std::complex<T>& y) { return x.real() < y.real(); }

/// What rounding does to numbers that S is made of, as far as S says; otherwise as for double.
template <class S>
struct Rounding {
    static constexpr double epsilon = std::numeric_limits<double>::epsilon();
};
template <>
struct Rounding<float> {
    static constexpr double epsilon = static_cast<double>(std::numeric_limits<float>::epsilon());
};
template <class T>
struct Rounding<std::complex<T>> : Rounding<T> {};

template <class S>
bool is_finite(const S& x) { return less(x - x, S(1.0)); }
template <class S, std::size_t n>
bool is_finite(const std::array<S, n>& x) {
    for (const S& entry : x) {
        if (!is_finite(entry)) return false;
    }
    return true;
}
template <class S, std::size_t n, std::size_t m>
bool is_finite(const std::array<std::array<S, m>, n>& x) {
    for (const auto& row : x) {
        if (!is_finite(row)) return false;
    }
    return true;
}

template <class S>
S magnitude(const S& x) { return less(x, S(0.0)) ? -x : x; }
template <class S>
S sign(const S& x) { return less(S(0.0), x) ? S(1.0) : less(x, S(0.0)) ? S(-1.0) : x; }
template <class S>
S smaller(const S& x, const S& y) { return less(y, x) ? y : x; }
template <class S>
S larger(const S& x, const S& y) { return less(x, y) ? y : x; }
template <class S>
S choose(const S& condition, const S& positive, const S& otherwise) { return less(S(0.0), condition) ? positive : otherwise; }
template <class S>
S power(const S& x, double exponent) {
    using std::pow;
    return S(pow(x, exponent));
}
template <class S>
S angle(const S& y, const S& x) {
    using std::atan2;
    return atan2(y, x);
}
template <class T>
std::complex<T> angle(const std::complex<T>& y, const std::complex<T>& x) {  // the branch from real parts
    const T b = y.real(), a = x.real(), branch = std::atan2(b, a);
    if (std::abs(a) > std::abs(b)) return std::atan(y/x) + std::complex<T>(branch - std::atan(b/a));
    return std::complex<T>(branch + std::atan(a/b)) - std::atan(x/y);
}

}  // namespace detail
)kernel";

const char* const definite_kernel = R"kernel(
namespace detail {

/// A X = B by A = L D L', for the rows and columns from `first` on of A, of which the lower triangle is read and overwritten;
/// those rows of B become X. size[i] is what rounding errors of A[i][i] are proportional to. False when a pivot is not
/// positive beyond rounding; B is left alone then.
template <class S, std::size_t n, std::size_t k>
bool solve_definite(std::size_t first, Matrix<S, n, n>& A, const std::array<S, n>& size, Matrix<S, n, k>& B) {
    using std::sqrt;
    std::array<S, n> z{};
    for (std::size_t j = first; j < n; ++j) {
        S d = A[j][j];
        for (std::size_t i = first; i < j; ++i) d = d - A[j][i]*A[j][i]*A[i][i];
        if (!less(S(1e-3)*size[j], d)) {
            // z' A z = d with z[j] = 1, so errors of A are worth (sum |z| sqrt(size))^2 here
            S bound = less(S(0.0), size[j]) ? sqrt(size[j]) : S(0.0);
            for (std::size_t i = j; i-- > first;) {
                z[i] = -A[j][i];
                for (std::size_t l = i + 1; l < j; ++l) z[i] = z[i] - A[l][i]*z[l];
                bound = bound + magnitude(z[i])*sqrt(size[i]);
            }
            if (!less(S(8*Rounding<S>::epsilon)*bound*bound, d)) return false;
        }
        A[j][j] = d;
        for (std::size_t i = j + 1; i < n; ++i) {
            S a = A[i][j];
            for (std::size_t l = first; l < j; ++l) a = a - A[i][l]*A[j][l]*A[l][l];
            A[i][j] = a/d;
        }
    }
    for (std::size_t i = first; i < n; ++i) {
        for (std::size_t l = first; l < i; ++l) {
            for (std::size_t j = 0; j < k; ++j) B[i][j] = B[i][j] - A[i][l]*B[l][j];
        }
    }
    for (std::size_t i = n; i-- > first;) {
        for (std::size_t j = 0; j < k; ++j) B[i][j] = B[i][j]/A[i][i];
        for (std::size_t l = i + 1; l < n; ++l) {
            for (std::size_t j = 0; j < k; ++j) B[i][j] = B[i][j] - A[l][i]*B[l][j];
        }
    }
    return true;
}

}  // namespace detail
)kernel";

const char* const descriptor_kernel = R"kernel(
namespace detail {

/// The length of (x[first], x[first + 1], …): sqrt(x' x), no conjugates, so that a complex step passes through.
template <class S, std::size_t n>
S norm(const std::array<S, n>& x, std::size_t first = 0) {
    using std::sqrt;
    S largest(0.0), sum(0.0);
    for (std::size_t i = first; i < n; ++i) largest = larger(largest, magnitude(x[i]));
    if (!less(S(0.0), largest)) return S(0.0);
    for (std::size_t i = first; i < n; ++i) sum = sum + (x[i]/largest)*(x[i]/largest);
    return largest*sqrt(sum);
}

/// 1 - beta v v' with v[i] = 0 for i < first: takes x to (…, d, 0, 0, …).
template <class S, std::size_t n>
struct Reflection {
    std::size_t first = 0;
    std::array<S, n> v{};
    S beta = S(0.0), d = S(0.0);

    Reflection() = default;
    Reflection(std::size_t first_, const std::array<S, n>& x, const S& length) : first(first_), v(x) {
        d = less(S(0.0), x[first]) ? -length : length;
        v[first] = v[first] - d;
        beta = S(-1.0)/(d*v[first]);
    }
    void apply(std::array<S, n>& x) const {
        S sum(0.0);
        for (std::size_t i = first; i < n; ++i) sum = sum + v[i]*x[i];
        for (std::size_t i = first; i < n; ++i) x[i] = x[i] - beta*sum*v[i];
    }
    template <std::size_t k>
    void apply(Matrix<S, n, k>& B) const {
        for (std::size_t j = 0; j < k; ++j) {
            S sum(0.0);
            for (std::size_t i = first; i < n; ++i) sum = sum + v[i]*B[i][j];
            for (std::size_t i = first; i < n; ++i) B[i][j] = B[i][j] - beta*sum*v[i];
        }
    }
};

/// M X + G' L = F, G X = C for k right-hand sides: F becomes X, C becomes L; M and G are overwritten. Rows of G may depend
/// on each other: of the multipliers that serve, L is the shortest. `known` of them are independent, if that is not negative;
/// less only where rounding leaves nothing of the others. The method is that of the null space. With rows of G scaled to
/// length 1 and columns by 1/sqrt(M[j][j]),
///
///     P G = V T Q1', Q = [Q1 Q2] from a pivoted QR of G', V and the triangle T from a QR of what that leaves
///     T y = V' P C               what the constraints alone decide
///     Q2' M Q2 z = Q2' (F - M Q1 y),   X = Q1 y + Q2 z
///     T' (V' P L) = Q1' (F - M X)
///
/// False when a motion that the constraints allow has no inertia.
template <class S, std::size_t n, std::size_t m, std::size_t k>
bool solve_descriptor(Matrix<S, n, n>& M, Matrix<S, m, n>& G, Matrix<S, n, k>& F, Matrix<S, m, k>& C, int known) {
    using std::exp, std::log;
    const S zero(0.0);

    // scales: 1/sqrt(M[j][j]) against its geometric mean, within four decades; rows of length 1, but short ones stay short
    std::array<S, n> column{}, size{};
    std::array<S, m> row{};
    std::array<std::size_t, m> order{};
    S logs(0.0), count(0.0), longest(0.0), most(0.0);
    for (std::size_t j = 0; j < n; ++j) {
        if (less(zero, M[j][j])) logs = logs + log(M[j][j]), count = count + S(1.0);
    }
    for (std::size_t j = 0; j < n; ++j) {
        column[j] = less(zero, M[j][j]) ? smaller(larger(S(exp((logs/count - log(M[j][j]))/S(2.0))), S(1e-4)), S(1e4)) : S(1.0);
    }
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) G[i][j] = G[i][j]*column[j];
        row[i] = norm(G[i]);
        longest = larger(longest, row[i]);
    }
    for (std::size_t i = 0; i < m; ++i) {
        row[i] = less(S(1e-13), longest) ? S(1.0)/larger(row[i], S(S(0.01)*longest)) : S(1.0);
        for (S& x : G[i]) x = x*row[i];
        for (S& x : C[i]) x = x*row[i];
        order[i] = i;
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) M[i][j] = M[i][j]*column[i]*column[j];
        for (S& x : F[i]) x = x*column[i];
        most = larger(most, magnitude(M[i][i]));
    }
    size.fill(most);

    // G' P' = Q R: later rows of G keep the entries of R
    std::array<Reflection<S, n>, m> Q{};
    std::size_t independent = 0;
    S first(0.0);
    constexpr double eps = Rounding<S>::epsilon;
    const S least(known >= 0 ? 8*eps*static_cast<double>(n + m) : eps < 1e-14 ? 1e-10 : 1e3*eps);
    for (std::size_t s = 0; s < m && s < n && (known < 0 || s < static_cast<std::size_t>(known)); ++s) {
        std::size_t pivot = s;
        S length = norm(G[s], s);
        for (std::size_t i = s + 1; i < m; ++i) {
            const S other = norm(G[i], s);
            if (less(length, other)) length = other, pivot = i;
        }
        if (s == 0) first = length;
        if (!less(least*first, length)) break;
        std::swap(G[s], G[pivot]);
        std::swap(order[s], order[pivot]);
        Q[s] = Reflection<S, n>(s, G[s], length);
        for (std::size_t i = s + 1; i < m; ++i) Q[s].apply(G[i]);
        independent = s + 1;
    }

    // R' = V T, by columns: W[s] becomes column s of T
    Matrix<S, m, m> W{};
    std::array<Reflection<S, m>, m> V{};
    for (std::size_t s = 0; s < independent; ++s) {
        W[s][s] = Q[s].d;
        for (std::size_t i = s + 1; i < m; ++i) W[s][i] = G[i][s];
        for (std::size_t l = 0; l < s; ++l) V[l].apply(W[s]);
        V[s] = Reflection<S, m>(s, W[s], norm(W[s], s));
    }

    // M := Q' M Q, F := Q' F; and in place of the first `independent` rows of C: y
    for (std::size_t s = 0; s < independent; ++s) {
        Q[s].apply(M);
        for (std::size_t i = 0; i < n; ++i) Q[s].apply(M[i]);
        Q[s].apply(F);
    }
    const Matrix<S, m, k> given = C;
    for (std::size_t i = 0; i < m; ++i) C[i] = given[order[i]];
    for (std::size_t s = 0; s < independent; ++s) V[s].apply(C);
    for (std::size_t s = independent; s-- > 0;) {
        for (std::size_t j = 0; j < k; ++j) {
            for (std::size_t l = s + 1; l < independent; ++l) C[s][j] = C[s][j] - W[l][s]*C[l][j];
            C[s][j] = C[s][j]/V[s].d;
        }
    }

    // z in place of the last rows of F, then Q1' (F - M X) in place of the first
    for (std::size_t i = independent; i < n; ++i) {
        for (std::size_t l = 0; l < independent; ++l) {
            for (std::size_t j = 0; j < k; ++j) F[i][j] = F[i][j] - M[i][l]*C[l][j];
        }
    }
    const bool has_inertia = solve_definite(independent, M, size, F);
    for (std::size_t i = independent; i < n && !has_inertia; ++i) F[i].fill(zero);
    for (std::size_t i = 0; i < independent; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            for (std::size_t l = 0; l < n; ++l) F[i][j] = F[i][j] - M[i][l]*(l < independent ? C[l][j] : F[l][j]);
        }
    }

    // X takes y from C, C takes T'^-1 of what F had there; then both are turned back
    for (std::size_t s = 0; s < independent; ++s) {
        for (std::size_t j = 0; j < k; ++j) {
            S r = F[s][j];
            F[s][j] = C[s][j];
            for (std::size_t l = 0; l < s; ++l) r = r - W[s][l]*C[l][j];
            C[s][j] = r/V[s].d;
        }
    }
    for (std::size_t i = independent; i < m; ++i) C[i].fill(zero);
    for (std::size_t s = independent; s-- > 0;) {
        Q[s].apply(F);
        V[s].apply(C);
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (S& x : F[i]) x = x*column[i];
    }
    const Matrix<S, m, k> turned = C;
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < k; ++j) C[order[i]][j] = row[order[i]]*turned[i][j];
    }

    // the shortest L: less its part along what G' does not see, an orthonormal basis of which comes from the rest of V
    Matrix<S, m, m> N{};
    for (std::size_t s = independent; s < m; ++s) {
        std::array<S, m> e{};
        e.fill(zero);
        e[s] = S(1.0);
        for (std::size_t l = independent; l-- > 0;) V[l].apply(e);
        for (std::size_t i = 0; i < m; ++i) N[s][order[i]] = row[order[i]]*e[i];
        for (int twice = 0; twice < 2; ++twice) {
            for (std::size_t l = independent; l < s; ++l) {
                S along(0.0);
                for (std::size_t i = 0; i < m; ++i) along = along + N[l][i]*N[s][i];
                for (std::size_t i = 0; i < m; ++i) N[s][i] = N[s][i] - along*N[l][i];
            }
            const S length = norm(N[s]);
            for (S& x : N[s]) x = x/length;
        }
        for (std::size_t j = 0; j < k; ++j) {
            S along(0.0);
            for (std::size_t i = 0; i < m; ++i) along = along + N[s][i]*C[i][j];
            for (std::size_t i = 0; i < m; ++i) C[i][j] = C[i][j] - along*N[s][i];
        }
    }
    return has_inertia;
}

}  // namespace detail
)kernel";

}  // namespace linkwright::codegen::cpp
