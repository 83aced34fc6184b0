#include "linkwright/codegen/javascript/kernel.hpp"

namespace linkwright::codegen::javascript {

const char* const values_kernel = R"kernel(
// The default values of these symbols as an array; changes is an object {name: value}.
function values(symbols, changes = {}) {
  const unknown = Object.keys(changes).filter((name) => !symbols.some((s) => s.name === name));
  if (unknown.length > 0) throw new RangeError(`no symbol is called ${unknown.join(", ")}`);
  return Float64Array.from(symbols, (s) => (Object.hasOwnProperty.call(changes, s.name) ? changes[s.name] : s.value));
}
)kernel";

const char* const definite_kernel = R"kernel(
// A X = B by A = L D L', for the n x n matrix A, which begins at `from` and has rows `stride` apart; its lower triangle is read and
// overwritten. B (n x k), from place `to` on, becomes X. size is what rounding errors of A's diagonal are proportional to. Returns
// false when a pivot is not positive beyond rounding, and leaves B alone.
function solve_definite(n, A, from, stride, size, k, B, to) {
  let z = null;
  for (let j = 0; j < n; ++j) {
    const row = from + j * stride;
    let d = A[row + j];
    for (let i = 0; i < j; ++i) d -= A[row + i] * A[row + i] * A[from + i * stride + i];
    if (!(d > 1e-3 * size[j])) {
      // z' A z = d with z[j] = 1, so errors of A are worth (sum |z| sqrt(size))^2 here
      z ??= new Float64Array(n);
      let bound = Math.sqrt(size[j]);
      for (let i = j - 1; i >= 0; --i) {
        z[i] = -A[row + i];
        for (let l = i + 1; l < j; ++l) z[i] -= A[from + l * stride + i] * z[l];
        bound += Math.abs(z[i]) * Math.sqrt(size[i]);
      }
      if (!(d > 8 * Number.EPSILON * bound * bound)) return false;
    }
    A[row + j] = d;
    for (let i = j + 1; i < n; ++i) {
      let a = A[from + i * stride + j];
      for (let l = 0; l < j; ++l) a -= A[from + i * stride + l] * A[row + l] * A[from + l * stride + l];
      A[from + i * stride + j] = a / d;
    }
  }
  for (let i = 0; i < n; ++i) {
    for (let l = 0; l < i; ++l) {
      for (let j = 0; j < k; ++j) B[to + i * k + j] -= A[from + i * stride + l] * B[to + l * k + j];
    }
  }
  for (let i = n - 1; i >= 0; --i) {
    for (let j = 0; j < k; ++j) B[to + i * k + j] /= A[from + i * stride + i];
    for (let l = i + 1; l < n; ++l) {
      for (let j = 0; j < k; ++j) B[to + i * k + j] -= A[from + l * stride + i] * B[to + l * k + j];
    }
  }
  return true;
}
)kernel";

const char* const descriptor_kernel = R"kernel(
// B := (1 - beta v v') B for B (size x k); v and B begin at the places `from` and `to`.
function reflect(size, v, from, beta, k, B, to) {
  for (let j = 0; j < k; ++j) {
    let s = 0;
    for (let i = 0; i < size; ++i) s += v[from + i] * B[to + i * k + j];
    s *= beta;
    for (let i = 0; i < size; ++i) B[to + i * k + j] -= s * v[from + i];
  }
}

function norm(size, x, from, stride) {
  let largest = 0, sum = 0;
  for (let i = 0; i < size; ++i) largest = Math.max(largest, Math.abs(x[from + i * stride]));
  if (!(largest > 0)) return 0;
  for (let i = 0; i < size; ++i) sum += (x[from + i * stride] / largest) ** 2;
  return largest * Math.sqrt(sum);
}

// What solve_descriptor works in, kept from call to call: a motion calls it thousands of times.
let descriptor_room = null;
function make_descriptor_room(n, m) {
  const of = (count) => new Float64Array(count);
  return { n, m, column: of(n), row: of(m), diagonal: of(m), beta: of(m), triangle: of(m), turn: of(m), W: of(m * m), N: of(m * m),
           v: of(n + m), Mv: of(n), order: new Int32Array(m), size: of(n) };
}

// M X + G' L = F, G X = C with n speeds, m rows and k right-hand sides: F becomes X, C becomes L; M and G are overwritten. Rows of G
// may depend on each other: of the multipliers that serve, L is the shortest. `known` of them are independent, as they were at the
// start, less only where rounding leaves nothing of the others; null: they are counted with a tolerance of 1e-10. The method is
// that of the null space. With rows of G scaled to length 1 and columns by 1/sqrt(M[j][j]),
//
//     P G = V T Q1', Q = [Q1 Q2] from a pivoted QR of G', V and the triangle T from a QR of what that leaves
//     T y = V' P C               what the constraints alone decide
//     Q2' M Q2 z = Q2' (F - M Q1 y),   X = Q1 y + Q2 z
//     T' (V' P L) = Q1' (F - M X)
//
// Returns false when a motion that the constraints allow has no inertia.
function solve_descriptor(n, m, known, M, G, k, F, C) {
  if (descriptor_room === null || descriptor_room.n !== n || descriptor_room.m !== m) descriptor_room = make_descriptor_room(n, m);
  const { column, row, diagonal, beta, triangle, turn, W, N, v, Mv, order, size } = descriptor_room;
  column.fill(1);
  N.fill(0);
  for (let i = 0; i < m; ++i) order[i] = i;

  // scales: 1/sqrt(M[j][j]) against its geometric mean, within four decades; rows of length 1, but short ones stay short
  let logs = 0, count = 0, longest = 0, most = 0, first = 0, rank = 0;
  for (let j = 0; j < n; ++j) {
    if (M[j * n + j] > 0) logs += Math.log(M[j * n + j]), ++count;
  }
  for (let j = 0; j < n; ++j) {
    if (M[j * n + j] > 0) column[j] = Math.min(Math.max(Math.exp((logs / count - Math.log(M[j * n + j])) / 2), 1e-4), 1e4);
  }
  for (let i = 0; i < m; ++i) {
    for (let j = 0; j < n; ++j) G[i * n + j] *= column[j];
    row[i] = norm(n, G, i * n, 1);
    longest = Math.max(longest, row[i]);
  }
  const least = known === null ? 1e-10 : 8 * Number.EPSILON * (n + m);
  for (let i = 0; i < m; ++i) {
    row[i] = longest > 1e-13 ? 1 / Math.max(row[i], 0.01 * longest) : 1;
    for (let j = 0; j < n; ++j) G[i * n + j] *= row[i];
    for (let j = 0; j < k; ++j) C[i * k + j] *= row[i];
  }
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) M[i * n + j] *= column[i] * column[j];
    for (let j = 0; j < k; ++j) F[i * k + j] *= column[i];
    most = Math.max(most, Math.abs(M[i * n + i]));
  }

  // a reflection 1 - beta v v' that takes x, of this length, to (d, 0, 0, ...): x becomes v
  const make_reflection = (x, from, length, into, s) => {
    const d = x[from] > 0 ? -length : length;
    x[from] -= d;
    into[s] = -1 / (d * x[from]);
    return d;
  };

  // G' P' = Q R: row s of G keeps the s-th reflection from place s on, later rows the entries of R before it
  for (let s = 0; s < m && s < n && s !== known; ++s) {
    let pivot = s, length = -1;
    for (let i = s; i < m; ++i) {
      const own = norm(n - s, G, i * n + s, 1);
      if (own > length) length = own, pivot = i;
    }
    if (s === 0) first = length;
    if (!(length > least * first)) break;
    for (let j = 0; j < n && pivot !== s; ++j) {
      const swap = G[s * n + j];
      G[s * n + j] = G[pivot * n + j];
      G[pivot * n + j] = swap;
    }
    const swap = order[s];
    order[s] = order[pivot];
    order[pivot] = swap;
    diagonal[s] = make_reflection(G, s * n + s, length, beta, s);
    for (let i = s + 1; i < m; ++i) reflect(n - s, G, s * n + s, beta[s], 1, G, i * n + s);
    rank = s + 1;
  }

  // R' = V T; column s of W keeps the s-th reflection from place s on, T stands above
  for (let i = 0; i < m; ++i) {
    for (let s = 0; s < rank; ++s) W[i * m + s] = s < i ? G[i * n + s] : s === i ? diagonal[s] : 0;
  }
  for (let s = 0; s < rank; ++s) {
    const length = norm(m - s, W, s * m + s, m);
    for (let i = s; i < m; ++i) v[i] = W[i * m + s];
    triangle[s] = make_reflection(v, s, length, turn, s);
    for (let j = s + 1; j < rank; ++j) {
      let sum = 0;
      for (let i = s; i < m; ++i) sum += v[i] * W[i * m + j];
      for (let i = s; i < m; ++i) W[i * m + j] -= turn[s] * sum * v[i];
    }
    for (let i = s; i < m; ++i) W[i * m + s] = v[i];
  }

  // M := Q' M Q, F := Q' F; and in place of the first `rank` rows of C: y
  for (let s = 0; s < rank; ++s) {
    const h = s * n;
    let hMh = 0;
    for (let i = 0; i < n; ++i) {
      Mv[i] = 0;
      for (let j = s; j < n; ++j) Mv[i] += M[i * n + j] * G[h + j];
      Mv[i] *= beta[s];
    }
    for (let i = s; i < n; ++i) hMh += G[h + i] * Mv[i];
    for (let i = s; i < n; ++i) Mv[i] -= (beta[s] * hMh / 2) * G[h + i];
    for (let i = 0; i < n; ++i) {
      for (let j = s; j < n; ++j) M[i * n + j] -= Mv[i] * G[h + j];
    }
    for (let i = s; i < n; ++i) {
      for (let j = 0; j < n; ++j) M[i * n + j] -= G[h + i] * Mv[j];
    }
    reflect(n - s, G, h + s, beta[s], k, F, s * k);
  }
  for (let j = 0; j < k; ++j) {
    for (let i = 0; i < m; ++i) v[i] = C[order[i] * k + j];
    for (let i = 0; i < m; ++i) C[i * k + j] = v[i];
  }
  for (let s = 0; s < rank; ++s) {
    for (let i = s; i < m; ++i) v[i] = W[i * m + s];
    reflect(m - s, v, s, turn[s], k, C, s * k);
  }
  for (let s = rank - 1; s >= 0; --s) {
    for (let j = 0; j < k; ++j) {
      for (let l = s + 1; l < rank; ++l) C[s * k + j] -= W[s * m + l] * C[l * k + j];
      C[s * k + j] /= triangle[s];
    }
  }

  // z in place of the last rows of F, then Q1' (F - M X) in place of the first
  for (let i = rank; i < n; ++i) {
    for (let l = 0; l < rank; ++l) {
      for (let j = 0; j < k; ++j) F[i * k + j] -= M[i * n + l] * C[l * k + j];
    }
  }
  size.fill(most);
  const is_ok = solve_definite(n - rank, M, rank * n + rank, n, size, k, F, rank * k);
  if (!is_ok) F.fill(0, rank * k, n * k);
  for (let i = 0; i < rank; ++i) {
    for (let j = 0; j < k; ++j) {
      for (let l = 0; l < rank; ++l) F[i * k + j] -= M[i * n + l] * C[l * k + j];
      for (let l = rank; l < n; ++l) F[i * k + j] -= M[i * n + l] * F[l * k + j];
    }
  }

  // X takes y from C, C takes T'^-1 of what F had there; then both are turned back
  for (let s = 0; s < rank; ++s) {
    for (let j = 0; j < k; ++j) {
      let r = F[s * k + j];
      F[s * k + j] = C[s * k + j];
      for (let l = 0; l < s; ++l) r -= W[l * m + s] * C[l * k + j];
      C[s * k + j] = r / triangle[s];
    }
  }
  C.fill(0, rank * k, m * k);
  for (let s = rank - 1; s >= 0; --s) {
    reflect(n - s, G, s * n + s, beta[s], k, F, s * k);
    for (let i = s; i < m; ++i) v[i] = W[i * m + s];
    reflect(m - s, v, s, turn[s], k, C, s * k);
  }
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < k; ++j) F[i * k + j] *= column[i];
  }
  for (let j = 0; j < k; ++j) {
    for (let i = 0; i < m; ++i) v[order[i]] = row[order[i]] * C[i * k + j];
    for (let i = 0; i < m; ++i) C[i * k + j] = v[i];
  }

  // the shortest L: less its part along what G' does not see, an orthonormal basis N of which comes from the rest of V
  for (let s = rank; s < m; ++s) {
    const e = N.subarray(s * m, s * m + m);
    e[s] = 1;
    for (let l = rank - 1; l >= 0; --l) {
      for (let i = l; i < m; ++i) v[i] = W[i * m + l];
      reflect(m - l, v, l, turn[l], 1, e, l);
    }
    for (let i = 0; i < m; ++i) v[order[i]] = row[order[i]] * e[i];
    for (let i = 0; i < m; ++i) e[i] = v[i];
    for (let twice = 0; twice < 2; ++twice) {
      for (let l = rank; l < s; ++l) {
        let along = 0;
        for (let i = 0; i < m; ++i) along += N[l * m + i] * e[i];
        for (let i = 0; i < m; ++i) e[i] -= along * N[l * m + i];
      }
      const length = norm(m, e, 0, 1);
      for (let i = 0; i < m; ++i) e[i] /= length;
    }
    for (let j = 0; j < k; ++j) {
      let along = 0;
      for (let i = 0; i < m; ++i) along += e[i] * C[i * k + j];
      for (let i = 0; i < m; ++i) C[i * k + j] -= along * e[i];
    }
  }
  return is_ok;
}
)kernel";

}  // namespace linkwright::codegen::javascript
