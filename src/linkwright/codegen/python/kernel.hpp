#pragma once
// What emitted modules contain besides straight-line code, in Python.

namespace linkwright::codegen::python {

inline constexpr const char* symbol_kernel = R"(

class Symbol(NamedTuple):
    """One entry of a vector: what it is called, its SI unit, what it means, its value by default."""
    name: str
    unit: str
    about: str
    value: float


def values(symbols, changes=None):
    """The default values of these symbols as an array; changes is a dictionary {name: value}."""
    changes = dict(changes or {})
    result = np.array([changes.pop(s.name, s.value) for s in symbols], dtype=float)
    if changes:
        raise KeyError(f"no symbol is called {', '.join(map(str, changes))}")
    return result


)";

inline constexpr const char* read_kernel = R"(

def _read(*vectors):
    """Arguments as arrays of floats, and the shape of what comes behind their first axes."""
    arrays, shapes = [], []
    for x, size, name in vectors:
        x = np.asarray(x, dtype=float)
        if size is None:
            arrays.append(x[()])
            shapes.append(x.shape)
            continue
        if x.ndim == 0 or x.shape[0] != size:
            raise ValueError(f"{name} needs {size} values along its first axis, not the shape {x.shape}")
        arrays.append(x)
        shapes.append(x.shape[1:])
    return (*arrays, np.broadcast_shapes(*shapes))
)";

// [Y Z] from a singular value decomposition, G Z = 0: the method of solve/descriptor.hpp.
inline constexpr const char* descriptor_kernel = R"(

def _solve_descriptor(M, f, G, gamma, known=None):
    """udot and lambda with M udot + G' lambda = f, G udot = gamma, by the null-space method.

    Columns of f and gamma are right-hand sides. Rows of G may be redundant: lambda is the shortest that
    serves. M need only be positive definite on the motions that G allows. known: how many rows are
    independent; without it they are counted with a tolerance of 1e-10.
    """
    f, gamma = f.reshape(len(f), -1), gamma.reshape(len(gamma), -1)
    n, eps = len(M), np.finfo(float).eps

    # speeds against their inertia, then rows to length 1, but short ones stay short
    column = np.ones(n)
    heavy = np.diag(M) > 0.0
    if heavy.any():
        logs = np.log(np.diag(M)[heavy])
        column[heavy] = np.clip(np.exp((logs.mean() - logs) / 2), 1e-4, 1e4)
    length = np.linalg.norm(G * column, axis=1)
    longest = length.max()
    row = 1.0 / np.maximum(length, 0.01 * longest) if longest > 1e-13 else np.ones(len(G))
    M = column[:, None] * M * column
    f = column[:, None] * f
    G = row[:, None] * G * column

    # G = U S V', V = [Y Z], G Z = 0
    U, s, Vt = np.linalg.svd(G)
    rank = int(np.sum(s > (1e-10 if known is None else 8 * eps * (n + len(G))) * s[0]))
    rank = rank if known is None else min(rank, known)
    U, silent, s, Y, Z = U[:, :rank], U[:, rank:], s[:rank, None], Vt[:rank].T, Vt[rank:].T
    udot = Y @ ((U.T @ (row[:, None] * gamma)) / s)
    if rank < n:
        H = Z.T @ M @ Z
        size = np.einsum("ij,ik,kj->j", abs(Z), abs(M), abs(Z))
        h = np.sqrt(np.where(np.diag(H) > 8 * n * eps * size, np.diag(H), np.inf))
        weight, mode = np.linalg.eigh(H / h / h[:, None])
        if weight[0] <= 8 * n * eps:
            raise np.linalg.LinAlgError("a motion that the constraints allow has no inertia")
        z = mode @ ((mode.T @ ((Z.T @ (f - M @ udot)) / h[:, None])) / weight[:, None])
        udot = udot + Z @ (z / h[:, None])
    lam = row[:, None] * (U @ ((Y.T @ (f - M @ udot)) / s))
    if rank < len(G):
        # of all lambda the one of smallest norm: nothing along what G' does not see
        basis, _ = np.linalg.qr(row[:, None] * silent)
        lam = lam - basis @ (basis.T @ lam)
    return column[:, None] * udot, lam
)";

inline constexpr const char* accelerations_kernel = R"(

def _check(u, G, gamma, udot):
    """Raises an error when G udot misses gamma by more than the drift of an integrator explains."""
    longest = np.linalg.norm(G, axis=1).max()
    allowed = 0.01 * (longest * np.linalg.norm(udot) + abs(gamma))
    allowed += (1e-6 + 1e-3 * np.dot(u, u)) * (longest if longest > 0.0 else 1.0)
    if np.any(abs(G @ udot - gamma) > allowed):
        raise np.linalg.LinAlgError("constraints contradict each other here")


def accelerations(t, q, u, w, c):
    """Accelerations and multipliers: M udot + G' lambda = f, G udot = gamma.

    udot (NU,): accelerations
    lam (NM,): multipliers of the constraints, of smallest norm where rows are redundant
    """
    M, f, G, gamma = dynamics(t, q, u, w, c)
    if f.ndim == 1:
        udot, lam = _solve_descriptor(M, f, G, gamma, RANK)
        udot, lam = udot[:, 0], lam[:, 0]
        _check(u, G, gamma, udot)
        return udot, lam
    udot, lam = np.zeros_like(f), np.zeros_like(gamma)
    for i in np.ndindex(f.shape[1:]):
        k = (slice(None),) + i
        a, b = _solve_descriptor(M[(slice(None),) + k], f[k], G[(slice(None),) + k], gamma[k], RANK)
        udot[k], lam[k] = a[:, 0], b[:, 0]
        _check(np.broadcast_to(np.asarray(u).T, f.T.shape).T[k], G[(slice(None),) + k], gamma[k], udot[k])
    return udot, lam
)";

inline constexpr const char* accelerations_without_speeds = R"(

def accelerations(t, q, u, w, c):
    """No accelerations, as there are no speeds, and multipliers that are zero."""
    return np.zeros(0), np.zeros(NM)
)";

inline constexpr const char* accelerations_of_nothing = R"(

def accelerations(t, q, u, w, c):
    """No accelerations: every motion is given."""
    return np.zeros(0)
)";

}  // namespace linkwright::codegen::python
