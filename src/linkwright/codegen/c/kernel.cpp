#include "linkwright/codegen/c/kernel.hpp"

namespace linkwright::codegen::c {

const char* const definite_kernel = R"kernel(
/* A X = B by A = L D L', for the n x n matrix A with rows `stride` apart, of which the lower triangle is read and
   overwritten; B (n x k) becomes X. size[i] is what rounding errors of A[i][i] are proportional to. Returns 1 when a
   pivot is not positive beyond rounding, and leaves B alone. */
static int NAME_solve_definite(int n, double *A, int stride, const double *size, int k, double *B)
{
    SCRATCHdouble z[NAME_nu];
    for (int j = 0; j < n; ++j) {
        double *row = A + j*stride, d = row[j];
        for (int i = 0; i < j; ++i) d -= row[i]*row[i]*A[i*stride + i];
        if (!(d > 1e-3*size[j])) {
            /* z' A z = d with z[j] = 1, so errors of A are worth (sum |z| sqrt(size))^2 here */
            double bound = sqrt(size[j]);
            for (int i = j - 1; i >= 0; --i) {
                z[i] = -row[i];
                for (int l = i + 1; l < j; ++l) z[i] -= A[l*stride + i]*z[l];
                bound += fabs(z[i])*sqrt(size[i]);
            }
            if (!(d > 8*DBL_EPSILON*bound*bound)) return 1;
        }
        row[j] = d;
        for (int i = j + 1; i < n; ++i) {
            double a = A[i*stride + j];
            for (int l = 0; l < j; ++l) a -= A[i*stride + l]*row[l]*A[l*stride + l];
            A[i*stride + j] = a/d;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int l = 0; l < i; ++l) {
            for (int j = 0; j < k; ++j) B[i*k + j] -= A[i*stride + l]*B[l*k + j];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = 0; j < k; ++j) B[i*k + j] /= A[i*stride + i];
        for (int l = i + 1; l < n; ++l) {
            for (int j = 0; j < k; ++j) B[i*k + j] -= A[l*stride + i]*B[l*k + j];
        }
    }
    return 0;
}
)kernel";

const char* const descriptor_kernel = R"kernel(
/* B := (1 - beta v v') B for B (size x k) */
static void NAME_reflect(int size, const double *v, double beta, int k, double *B)
{
    for (int j = 0; j < k; ++j) {
        double s = 0;
        for (int i = 0; i < size; ++i) s += v[i]*B[i*k + j];
        s *= beta;
        for (int i = 0; i < size; ++i) B[i*k + j] -= s*v[i];
    }
}

/* Makes x, of length `norm`, the v of a reflection 1 - beta v v' that takes it to (d, 0, 0, ...); returns d. */
static double NAME_make_reflection(double *x, double norm, double *beta)
{
    const double d = x[0] > 0 ? -norm : norm;
    x[0] -= d;
    *beta = -1/(d*x[0]);
    return d;
}

static double NAME_norm(int size, const double *x, int stride)
{
    double largest = 0, sum = 0;
    for (int i = 0; i < size; ++i) largest = fabs(x[i*stride]) > largest ? fabs(x[i*stride]) : largest;
    if (!(largest > 0)) return 0;
    for (int i = 0; i < size; ++i) sum += (x[i*stride]/largest)*(x[i*stride]/largest);
    return largest*sqrt(sum);
}

/* M X + G' L = F, G X = C for k right-hand sides: F becomes X, C becomes L; M and G are overwritten. Rows of G may depend on
   each other: of all multipliers, L are those of smallest norm. NAME_rank of them are independent, as they were at the start;
   less only where rounding leaves nothing of the others. The method is that of the null space. With rows of G scaled to length
   1 and columns by 1/sqrt(M[j][j]),

       P G = V T Q1', Q = [Q1 Q2] from a pivoted QR of G', V and the triangle T from a QR of what that leaves
       T y = V' P C               what the constraints alone decide
       Q2' M Q2 z = Q2' (F - M Q1 y),   X = Q1 y + Q2 z
       T' (V' P L) = Q1' (F - M X)

   Returns 1 when a motion that the constraints allow has no inertia. */
static int NAME_solve_descriptor(double *M, double *G, int k, double *F, double *C)
{
    enum { n = NAME_nu, m = NAME_nm };
    SCRATCHdouble column[n], row[m], size[n], diagonal[m], beta[m] = {0}, triangle[m] = {0}, turn[m] = {0};
    SCRATCHdouble W[m*m], N[m*m], v[n + m], Mv[n];
    int order[m], rank = 0, status;

    /* scales: 1/sqrt(M[j][j]) against its geometric mean, within four decades; rows of length 1, but short ones stay short */
    double logs = 0, count = 0, longest = 0, most = 0, first = 0;
    for (int j = 0; j < n; ++j) {
        if (M[j*n + j] > 0) logs += log(M[j*n + j]), ++count;
    }
    for (int j = 0; j < n; ++j) {
        column[j] = M[j*n + j] > 0 ? exp((logs/count - log(M[j*n + j]))/2) : 1;
        column[j] = column[j] < 1e-4 ? 1e-4 : column[j] > 1e4 ? 1e4 : column[j];
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) G[i*n + j] *= column[j];
        row[i] = NAME_norm(n, G + i*n, 1);
        longest = row[i] > longest ? row[i] : longest;
    }
    const double least = NAME_rank < 0 ? 1e-10 : 8*DBL_EPSILON*(n + m);
    for (int i = 0; i < m; ++i) {
        row[i] = longest > 1e-13 ? 1/(row[i] > 0.01*longest ? row[i] : 0.01*longest) : 1;
        for (int j = 0; j < n; ++j) G[i*n + j] *= row[i];
        for (int j = 0; j < k; ++j) C[i*k + j] *= row[i];
        order[i] = i;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) M[i*n + j] *= column[i]*column[j];
        for (int j = 0; j < k; ++j) F[i*k + j] *= column[i];
        most = fabs(M[i*n + i]) > most ? fabs(M[i*n + i]) : most;
    }

    /* G' P' = Q R: row s of G keeps the s-th reflection from place s on, later rows the entries of R before it */
    for (int s = 0; s < m && s < n && s != NAME_rank; ++s) {
        int pivot = s;
        double norm = -1;
        for (int i = s; i < m; ++i) {
            const double length = NAME_norm(n - s, G + i*n + s, 1);
            if (length > norm) norm = length, pivot = i;
        }
        if (s == 0) first = norm;
        if (!(norm > least*first)) break;
        for (int j = 0; j < n && pivot != s; ++j) {
            const double swap = G[s*n + j];
            G[s*n + j] = G[pivot*n + j];
            G[pivot*n + j] = swap;
        }
        const int swap = order[s];
        order[s] = order[pivot];
        order[pivot] = swap;
        diagonal[s] = NAME_make_reflection(G + s*n + s, norm, &beta[s]);
        for (int i = s + 1; i < m; ++i) NAME_reflect(n - s, G + s*n + s, beta[s], 1, G + i*n + s);
        rank = s + 1;
    }

    /* R' = V T; column s of W keeps the s-th reflection from place s on, T stands above */
    for (int i = 0; i < m; ++i) {
        for (int s = 0; s < rank; ++s) W[i*m + s] = s < i ? G[i*n + s] : s == i ? diagonal[s] : 0;
    }
    for (int s = 0; s < rank; ++s) {
        const double norm = NAME_norm(m - s, W + s*m + s, m);
        for (int i = s; i < m; ++i) v[i] = W[i*m + s];
        triangle[s] = NAME_make_reflection(v + s, norm, &turn[s]);
        for (int j = s + 1; j < rank; ++j) {
            double sum = 0;
            for (int i = s; i < m; ++i) sum += v[i]*W[i*m + j];
            for (int i = s; i < m; ++i) W[i*m + j] -= turn[s]*sum*v[i];
        }
        for (int i = s; i < m; ++i) W[i*m + s] = v[i];
    }

    /* M := Q' M Q, F := Q' F; and in place of the first `rank` rows of C: y */
    for (int s = 0; s < rank; ++s) {
        const double *h = G + s*n;
        double hMh = 0;
        for (int i = 0; i < n; ++i) {
            Mv[i] = 0;
            for (int j = s; j < n; ++j) Mv[i] += M[i*n + j]*h[j];
            Mv[i] *= beta[s];
        }
        for (int i = s; i < n; ++i) hMh += h[i]*Mv[i];
        for (int i = s; i < n; ++i) Mv[i] -= beta[s]*hMh/2*h[i];
        for (int i = 0; i < n; ++i) {
            for (int j = s; j < n; ++j) M[i*n + j] -= Mv[i]*h[j];
        }
        for (int i = s; i < n; ++i) {
            for (int j = 0; j < n; ++j) M[i*n + j] -= h[i]*Mv[j];
        }
        NAME_reflect(n - s, h + s, beta[s], k, F + s*k);
    }
    for (int j = 0; j < k; ++j) {
        for (int i = 0; i < m; ++i) v[i] = C[order[i]*k + j];
        for (int i = 0; i < m; ++i) C[i*k + j] = v[i];
    }
    for (int s = 0; s < rank; ++s) {
        for (int i = s; i < m; ++i) v[i] = W[i*m + s];
        NAME_reflect(m - s, v + s, turn[s], k, C + s*k);
    }
    for (int s = rank - 1; s >= 0; --s) {
        for (int j = 0; j < k; ++j) {
            for (int l = s + 1; l < rank; ++l) C[s*k + j] -= W[s*m + l]*C[l*k + j];
            C[s*k + j] /= triangle[s];
        }
    }

    /* z in place of the last rows of F, then Q1' (F - M X) in place of the first */
    for (int i = rank; i < n; ++i) {
        size[i] = most;
        for (int l = 0; l < rank; ++l) {
            for (int j = 0; j < k; ++j) F[i*k + j] -= M[i*n + l]*C[l*k + j];
        }
    }
    status = NAME_solve_definite(n - rank, M + rank*n + rank, n, size + rank, k, F + rank*k);
    for (int i = rank; i < n && status != 0; ++i) {
        for (int j = 0; j < k; ++j) F[i*k + j] = 0;
    }
    for (int i = 0; i < rank; ++i) {
        for (int j = 0; j < k; ++j) {
            for (int l = 0; l < rank; ++l) F[i*k + j] -= M[i*n + l]*C[l*k + j];
            for (int l = rank; l < n; ++l) F[i*k + j] -= M[i*n + l]*F[l*k + j];
        }
    }

    /* X takes y from C, C takes T'^-1 of what F had there; then both are turned back */
    for (int s = 0; s < rank; ++s) {
        for (int j = 0; j < k; ++j) {
            double r = F[s*k + j];
            F[s*k + j] = C[s*k + j];
            for (int l = 0; l < s; ++l) r -= W[l*m + s]*C[l*k + j];
            C[s*k + j] = r/triangle[s];
        }
    }
    for (int i = rank; i < m; ++i) {
        for (int j = 0; j < k; ++j) C[i*k + j] = 0;
    }
    for (int s = rank - 1; s >= 0; --s) {
        NAME_reflect(n - s, G + s*n + s, beta[s], k, F + s*k);
        for (int i = s; i < m; ++i) v[i] = W[i*m + s];
        NAME_reflect(m - s, v + s, turn[s], k, C + s*k);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < k; ++j) F[i*k + j] *= column[i];
    }
    for (int j = 0; j < k; ++j) {
        for (int i = 0; i < m; ++i) v[order[i]] = row[order[i]]*C[i*k + j];
        for (int i = 0; i < m; ++i) C[i*k + j] = v[i];
    }

    /* L of smallest norm: less its part along what G' does not see, an orthonormal basis N of which comes from the rest of V */
    for (int s = rank; s < m; ++s) {
        double *e = N + s*m;
        for (int i = 0; i < m; ++i) e[i] = i == s;
        for (int l = rank - 1; l >= 0; --l) {
            for (int i = l; i < m; ++i) v[i] = W[i*m + l];
            NAME_reflect(m - l, v + l, turn[l], 1, e + l);
        }
        for (int i = 0; i < m; ++i) v[order[i]] = row[order[i]]*e[i];
        for (int i = 0; i < m; ++i) e[i] = v[i];
        for (int twice = 0; twice < 2; ++twice) {
            for (int l = rank; l < s; ++l) {
                double along = 0;
                for (int i = 0; i < m; ++i) along += N[l*m + i]*e[i];
                for (int i = 0; i < m; ++i) e[i] -= along*N[l*m + i];
            }
            const double length = NAME_norm(m, e, 1);
            for (int i = 0; i < m; ++i) e[i] /= length;
        }
        for (int j = 0; j < k; ++j) {
            double along = 0;
            for (int i = 0; i < m; ++i) along += e[i]*C[i*k + j];
            for (int i = 0; i < m; ++i) C[i*k + j] -= along*e[i];
        }
    }
    return status;
}
)kernel";

}  // namespace linkwright::codegen::c
