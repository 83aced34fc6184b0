"""Four-bar: equations of motion
Derived by the formulation 'recursive', written by linkwright 0.1.0.

    qdot = N(q, t) u + nu(q, t)
    M(q, t) udot + G(q, t)' lambda = f(q, u, w, t)
    G(q, t) udot = gamma(q, u, t)

SI units, angles in radians. The state x is q, then u.

Coordinates q, with their initial values
    0  alpha  0.0
    1  beta   0.0
    2  delta  0.0

Speeds u, with their initial values
    0  alpha'  0.0
    1  beta'   0.0
    2  delta'  0.0

Inputs w, with their default values
    0  drive  0.0

Parameters p, with their values in the model
    0  g     9.81
    1  base  0.4   m     between the pins in the ground
    2  a     0.1   m     crank
    3  b     0.35  m     coupler
    4  c     0.25  m     rocker
    5  rho   2.0   kg/m  mass per length of the bars

Constraints: rows of G, entries of lambda
    0  knee.x  joint 'knee' holds its point along x of the ground
    1  knee.y  joint 'knee' holds its point along y of the ground

Of the 2 rows of G 2 are independent at the initial state, and are assumed to be so at every call. Parameters
that change this number need code of their own.

Outputs y
    0  knee
    1  knee'
    2  pen.x
    3  pen.y
    4  pen.z
    5  freudenstein

Functions and their operations
    setup           p -> c                                            3 add, 36 mul
    rates           t q u c -> qdot                                   none
    dynamics        t q u w c -> M f G gamma                          19 add, 32 mul, 4 sincos
    rate_jacobians  t q u c -> qdot_q qdot_u                          none
    jacobians       t q u w udot lambda c -> r_q r_u r_w s_q s_u s_w  38 add, 65 mul, 4 sincos
    inverse         t q u w udot lambda c -> r                        22 add, 31 mul, 4 sincos
    energy          t q u c -> T V                                    10 add, 21 mul, 4 sincos
    momentum        t q u c -> linear angular                         20 add, 39 mul, 4 sincos
    residuals       t q u c -> phi rate                               11 add, 15 mul, 3 sincos
    outputs         t q u w udot lambda c -> y                        15 add, 11 mul, 5 sincos, 1 other

Use

    import numpy as np
    from scipy.integrate import solve_ivp
    import four_bar as model

    p = model.values(model.PARAMETERS, {"g": 9.81})    # the others as in the table
    c = model.setup(p)
    w = model.values(model.INPUTS)
    x = np.concatenate([model.values(model.COORDINATES), model.values(model.SPEEDS)])    # must close the loops
    motion = solve_ivp(lambda t, x: model.rhs(t, x, w, c), (0.0, 10.0), x, rtol=1e-8)
    A, B = model.rhs_jacobian(0.0, x, w, c)

Shapes: q has the shape (NQ,) for one state or (NQ, N) for N of them, and likewise u, w, udot, lam;
t is a number or has the shape (N,). Results then end in N as well: M has the shape (NU, NU, N).

A state must fulfil the constraints (see residuals); accelerations keep it there up to the drift of
the integrator. Rows may be redundant: of all multipliers those of smallest norm are returned. Rows that
contradict each other by more than drift explains, and motions without inertia, raise LinAlgError.
"""

from typing import NamedTuple

import numpy as np

NAME = "Four-bar"
FORMULATION = "recursive"
NQ, NU, NW, NP, NC, NM = 3, 3, 1, 6, 36, 2
RANK = 2  # independent constraints, at the start


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


COORDINATES = (
    Symbol("alpha", "", "", 0.0),
    Symbol("beta", "", "", 0.0),
    Symbol("delta", "", "", 0.0),
)
SPEEDS = (
    Symbol("alpha'", "", "", 0.0),
    Symbol("beta'", "", "", 0.0),
    Symbol("delta'", "", "", 0.0),
)
INPUTS = (
    Symbol("drive", "", "", 0.0),
)
PARAMETERS = (
    Symbol("g", "", "", 9.81),
    Symbol("base", "m", "between the pins in the ground", 0.4),
    Symbol("a", "m", "crank", 0.1),
    Symbol("b", "m", "coupler", 0.35),
    Symbol("c", "m", "rocker", 0.25),
    Symbol("rho", "kg/m", "mass per length of the bars", 2.0),
)
CONSTRAINTS = (
    Symbol("knee.x", "", "joint 'knee' holds its point along x of the ground", 0.0),
    Symbol("knee.y", "", "joint 'knee' holds its point along y of the ground", 0.0),
)
OUTPUTS = (
    Symbol("knee", "", "", 0.0),
    Symbol("knee'", "", "", 0.0),
    Symbol("pen.x", "", "", 0.0),
    Symbol("pen.y", "", "", 0.0),
    Symbol("pen.z", "", "", 0.0),
    Symbol("freudenstein", "", "", 0.0),
)


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


def setup(p):
    """What depends on parameters only, computed once.

    c (36,): constants for the other functions

    Operations: 3 add, 36 mul.
    """
    p, shape = _read((p, 6, "p"))
    p0, p1, p2, p3, p4, p5 = p
    v0 = p3*p5
    v1 = p3*v0
    v2 = p3*p3
    v3 = p3*v2
    v4 = p5*v3
    v5 = p2*v0
    v6 = p2*p5
    v7 = p2*v6
    v8 = p4*p5
    v9 = 0.5*p4
    v10 = p4*p4
    v11 = 0.3333333333333333*p4
    v12 = 0.5*p0
    v13 = p2*v1
    v14 = p2*(v5 + 0.33333333333333337*v7)
    c = np.zeros((36,) + shape)
    c[0] = p0
    c[1] = p2
    c[2] = p3
    c[3] = p4
    c[4] = v1
    c[5] = v5 + 0.5*v7
    c[6] = v8*v12
    c[7] = 0.5*v13
    c[8] = v13
    c[9] = 0.33333333333333337*v4 + v14
    c[10] = 0.3333333333333333*v4
    c[11] = v10*(p5*v11)
    c[12] = v0
    c[13] = 2.0*p4
    c[14] = 2.0*p2
    c[15] = 0.5*v1
    c[16] = 0.5*v6
    c[17] = 0.3333333333333333*p3
    c[18] = v14
    c[19] = v12
    c[20] = v11
    c[21] = v8
    c[22] = 0.5*p3
    c[23] = 0.3333333333333333*v8
    c[24] = 0.3333333333333333*v6
    c[25] = 0.08333333333333333*v2
    c[26] = v8*v9
    c[27] = p1
    c[28] = v9
    c[29] = v6
    c[30] = 0.25*p4
    c[31] = v10
    c[32] = v3
    c[33] = p2*p2
    c[34] = 0.08333333333333333*p5
    c[35] = v2
    return c


def rates(t, q, u, c):
    """Rates of the coordinates.

    qdot (3,): rates of the coordinates

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 36, "c"))
    u0, u1, u2 = u
    qdot = np.zeros((3,) + shape)
    qdot[0] = u0
    qdot[1] = u1
    qdot[2] = u2
    return qdot


def dynamics(t, q, u, w, c):
    """M udot + G' lambda = f, G udot = gamma.

    M (3, 3): mass matrix, symmetric
    f (3,): forcing
    G (2, 3): Jacobian of the constraints
    gamma (2,): right-hand side of the constraints

    Operations: 19 add, 32 mul, 4 sincos.
    """
    t, q, u, w, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (w, 1, "w"),
        (c, 36, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0 = w[0]
    c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]
    v0 = q0 + q1
    v1 = u0 + u1
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = u0*(u0*c1)
    v5 = np.sin(q0)
    v6 = np.cos(q0)
    v7 = c0*v6
    v8 = np.sin(q2)
    v9 = np.cos(q2)
    v10 = c3*v9
    v11 = v1*v1
    v12 = c4*(v3*v7 - v2*(c0*v5 - v4))
    v13 = v3*c8
    v14 = np.sin(v0)
    v15 = np.cos(v0)
    v16 = c2*v15
    v17 = c2*v14
    v18 = c2*v11
    v19 = u2*(u2*c3)
    M = np.zeros((3, 3) + shape)
    M[0, 0] = v13 + c9
    M[1, 0] = M[0, 1] = 0.5*v13 + c10
    M[1, 1] = c10
    M[2, 2] = c11
    f = np.zeros((3,) + shape)
    f[0] = v2*(c7*v11) + (w0 - v7*c5) - 0.5*v12
    f[1] = -0.5*v12
    f[2] = -0.05*u2 - v10*c6
    G = np.zeros((2, 3) + shape)
    G[0, 0] = v17 + c1*v5
    G[0, 1] = v17
    G[0, 2] = -c3*v8
    G[1, 0] = -(v16 + c1*v6)
    G[1, 1] = -v16
    G[1, 2] = v10
    gamma = np.zeros((2,) + shape)
    gamma[0] = v9*v19 - (v15*v18 + v4*v6)
    gamma[1] = v8*v19 - (v14*v18 + v4*v5)
    return M, f, G, gamma


def rate_jacobians(t, q, u, c):
    """Derivatives of the coordinates' rates.

    qdot_q (3, 3): derivative of qdot by q
    qdot_u (3, 3): derivative of qdot by u

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 36, "c"))
    qdot_q = np.zeros((3, 3) + shape)
    qdot_u = np.zeros((3, 3) + shape)
    qdot_u[0, 0] = 1.0
    qdot_u[1, 1] = 1.0
    qdot_u[2, 2] = 1.0
    return qdot_q, qdot_u


def jacobians(t, q, u, w, udot, lam, c):
    """Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda.

    r_q (3, 3): derivative of r by q
    r_u (3, 3): derivative of r by u
    r_w (3, 1): derivative of r by w
    s_q (2, 3): derivative of s by q
    s_u (2, 3): derivative of s by u
    s_w (2, 1): derivative of s by w

    Operations: 38 add, 65 mul, 4 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 1, "w"), (udot, 3, "udot"), (lam, 2, "lam"), (c, 36, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    udot0, udot1, udot2 = udot
    lam0, lam1 = lam
    (c0, c1, c2, c3, c4, c6, c7, c8, c12, c13, c14, c15, c16) = c[[0, 1, 2, 3, 4, 6, 7, 8, 12,
     13, 14, 15, 16]]
    v0 = q0 + q1
    v1 = u0 + u1
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = u0*c1
    v5 = np.sin(q0)
    v6 = np.cos(q0)
    v7 = c0*v5
    v8 = c0*v6
    v9 = np.sin(q2)
    v10 = np.cos(q2)
    v11 = np.sin(v0)
    v12 = np.cos(v0)
    v13 = c2*v12
    v14 = v13 + c1*v6
    v15 = c3*v10
    v16 = u2*v9
    v17 = u0*v5
    v18 = v1*v11
    v19 = c2*v11
    v20 = c1*v5
    v21 = v19 + v20
    v22 = c3*v9
    v23 = v1*v12
    v24 = c2*v1
    v25 = u0*v6
    v26 = u2*v10
    v27 = u2*c3
    v28 = lam0*v13 + lam1*v19
    v29 = v28 - c15*(v3*(v7 - u0*v4) + v2*(udot0*c1 + v8))
    v30 = v1*(v2*c8)
    v31 = v4*(c4*v2)
    v32 = udot1*v13 - v18*v24
    v33 = v23*v24 + udot1*v19
    v34 = 2.0*(c2*v23)
    v35 = 2.0*(c2*v18)
    r_q = np.zeros((3, 3) + shape)
    r_q[0, 0] = lam1*v21 + (lam0*v14 - c0*(c12*(v20 + 0.5*v19) + v20*c16))
    r_q[0, 1] = v29 - ((udot0 + udot1)*v2 + v1*(v1*v3))*c7
    r_q[1, 0] = v28 - (v2*v8 + v3*v7)*c15
    r_q[1, 1] = v29
    r_q[2, 2] = -v22*(lam1 + c6) - lam0*v15
    r_u = np.zeros((3, 3) + shape)
    r_u[0, 0] = v31 - v30
    r_u[0, 1] = -v30
    r_u[1, 0] = v31
    r_u[2, 2] = 0.05
    r_w = np.zeros((3, 1) + shape)
    r_w[0, 0] = -1.0
    s_q = np.zeros((2, 3) + shape)
    s_q[0, 0] = udot0*v14 + v32 - v4*v17
    s_q[0, 1] = v32 + udot0*v13
    s_q[0, 2] = v16*v27 - udot2*v15
    s_q[1, 0] = udot0*v21 + (v4*v25 + v33)
    s_q[1, 1] = v33 + udot0*v19
    s_q[1, 2] = -(v26*v27 + udot2*v22)
    s_u = np.zeros((2, 3) + shape)
    s_u[0, 0] = c14*v25 + v34
    s_u[0, 1] = v34
    s_u[0, 2] = -c13*v26
    s_u[1, 0] = v17*c14 + v35
    s_u[1, 1] = v35
    s_u[1, 2] = -v16*c13
    s_w = np.zeros((2, 1) + shape)
    return r_q, r_u, r_w, s_q, s_u, s_w


def inverse(t, q, u, w, udot, lam, c):
    """Generalized forces required in addition for this udot (inverse dynamics).

    r (3,): M udot + G' lambda - f

    Operations: 22 add, 31 mul, 4 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 1, "w"), (udot, 3, "udot"), (lam, 2, "lam"), (c, 36, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0 = w[0]
    udot0, udot1, udot2 = udot
    lam0, lam1 = lam
    (c0, c1, c2, c3, c4, c5, c7, c17, c18, c19, c20, c21) = c[[0, 1, 2, 3, 4, 5, 7, 17, 18, 19,
     20, 21]]
    v0 = q0 + q1
    v1 = u0 + u1
    v2 = udot0 + udot1
    v3 = np.sin(q1)
    v4 = np.cos(q1)
    v5 = np.sin(q0)
    v6 = np.cos(q0)
    v7 = c0*v6
    v8 = c4*(0.5*(v4*(udot0*c1 + v7) - v3*(c0*v5 - c1*(u0*u0))) + v2*c17)
    v9 = np.sin(q2)
    v10 = np.cos(q2)
    v11 = np.sin(v0)
    v12 = np.cos(v0)
    v13 = c2*v12
    v14 = c2*v11
    v15 = v7*c5 + (v8 - (v1*(v1*v3) - v2*v4)*c7) + udot0*c18 - w0
    r = np.zeros((3,) + shape)
    r[0] = lam0*(v14 + c1*v5) + v15 - lam1*(v13 + c1*v6)
    r[1] = v8 + lam0*v14 - lam1*v13
    r[2] = 0.05*u2 + c3*((v10*c19 + udot2*c20)*c21 - lam0*v9 + lam1*v10)
    return r


def energy(t, q, u, c):
    """Kinetic and potential energy.

    T (): kinetic energy
    V (): potential energy

    Operations: 10 add, 21 mul, 4 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 36, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    c0, c1, c3, c12, c16, c22, c23, c24, c25, c26 = c[[0, 1, 3, 12, 16, 22, 23, 24, 25, 26]]
    v0 = u0 + u1
    v1 = np.sin(q1)
    v2 = np.cos(q1)
    v3 = c1*np.sin(q0)
    v4 = u2*c3
    v5 = u0*c1
    v6 = v0*c22 + v2*v5
    v7 = v1*v5
    T = np.zeros(shape)
    T[...] = 0.5*(v5*(v5*c24) + (v4*(v4*c23) + c12*(v0*(v0*c25) + (v6*v6 + v7*v7))))
    V = np.zeros(shape)
    V[...] = c0*(v3*c16 + (np.sin(q2)*c26 + c12*(np.sin(q0 + q1)*c22 + v3)))
    return T[()], V[()]


def momentum(t, q, u, c):
    """Linear momentum, and angular momentum about the origin, in ground axes.

    linear (3,): linear momentum
    angular (3,): angular momentum

    Operations: 20 add, 39 mul, 4 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 36, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    (c1, c3, c12, c21, c22, c27, c28, c29, c30, c31, c32, c33, c34) = c[[1, 3, 12, 21, 22, 27,
     28, 29, 30, 31, 32, 33, 34]]
    v0 = q0 + q1
    v1 = u0 + u1
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q0)
    v5 = np.cos(q0)
    v6 = np.sin(q2)
    v7 = np.cos(q2)
    v8 = np.sin(v0)
    v9 = np.cos(v0)
    v10 = c1*v5
    v11 = c1*v4
    v12 = u0*c1
    v13 = u2*c3
    v14 = v13*c21
    v15 = v6*v14
    v16 = c12*(v1*c22 + v3*v12)
    v17 = c12*(v2*v12)
    v18 = v9*v17 - v8*v16
    v19 = v12*c29
    v20 = v4*v19
    v21 = 0.5*(v7*v14)
    v22 = v9*v16 + v8*v17
    v23 = v5*v19
    v24 = v15*(v6*c30) + (v21*(c27 + v7*c28) + v22*(v9*c22 + v10))
    v25 = (v13*c31 + v1*c32 + v12*c33)*c34 + v24 - (v8*c22 + v11)*v18
    linear = np.zeros((3,) + shape)
    linear[0] = -0.5*v15 + (v18 - 0.5*v20)
    linear[1] = v21 + (v22 + 0.5*v23)
    angular = np.zeros((3,) + shape)
    angular[2] = v25 + 0.25*(v11*v20) + 0.25*(v10*v23)
    return linear, angular


def residuals(t, q, u, c):
    """How far the constraints are violated, and how fast.

    phi (2,): position residuals; 0 for rows that only speeds obey
    rate (2,): velocity residuals

    Operations: 11 add, 15 mul, 3 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 36, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    c1, c2, c3, c27 = c[[1, 2, 3, 27]]
    v0 = q0 + q1
    v1 = np.sin(q0)
    v2 = np.cos(q0)
    v3 = np.sin(q2)
    v4 = np.cos(q2)
    v5 = np.sin(v0)
    v6 = np.cos(v0)
    v7 = u2*c3
    v8 = u0*c1
    v9 = c2*(u0 + u1)
    phi = np.zeros((2,) + shape)
    phi[0] = c27 + c3*v4 - (c2*v6 + c1*v2)
    phi[1] = c3*v3 - (c2*v5 + c1*v1)
    rate = np.zeros((2,) + shape)
    rate[0] = v1*v8 + v5*v9 - v3*v7
    rate[1] = v4*v7 - (v2*v8 + v6*v9)
    return phi, rate


def outputs(t, q, u, w, udot, lam, c):
    """Outputs of the model.

    y (6,): outputs

    Operations: 15 add, 11 mul, 5 sincos, 1 other.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 1, "w"), (udot, 3, "udot"), (lam, 2, "lam"), (c, 36, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    c1, c2, c13, c27, c31, c35 = c[[1, 2, 13, 27, 31, 35]]
    v0 = q0 + q1
    v1 = q2 - v0
    v2 = np.sin(v1)
    v3 = np.cos(v1)
    v4 = np.sin(q0)
    v5 = np.cos(q0)
    v6 = np.sin(v0)
    v7 = np.cos(v0)
    v8 = c1*v5
    v9 = 0.5*(c2*v7)
    v10 = 0.5*(c2*v6)
    v11 = c31 + c27*(c27 - 2.0*v8 + np.cos(q2)*c13) + c1*(c1 - np.cos(q2 - q0)*c13)
    y = np.zeros((6,) + shape)
    y[0] = np.arctan2(v2, v3)
    y[1] = u2 - (u0 + u1)
    y[2] = v8 + v9 - v10
    y[3] = v10 + (c1*v4 + v9)
    y[5] = v11 - c35
    return y


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


def rhs(t, x, w, c):
    """The rate of the state x = [q; u], of the shape of x; for solve_ivp and its like."""
    x = np.asarray(x, dtype=float)
    q, u = x[:NQ], x[NQ:]
    return np.concatenate([rates(t, q, u, c), accelerations(t, q, u, w, c)[0]])


def rhs_jacobian(t, x, w, c):
    """A = d rhs / d x and B = d rhs / d w at one state."""
    x = np.asarray(x, dtype=float)
    q, u = x[:NQ], x[NQ:]
    A, B = np.zeros((NQ + NU, NQ + NU)), np.zeros((NQ + NU, NW))
    qdot_q, qdot_u = rate_jacobians(t, q, u, c)
    A[:NQ, :NQ] = qdot_q
    A[:NQ, NQ:] = qdot_u
    udot, lam = accelerations(t, q, u, w, c)
    M, f, G, gamma = dynamics(t, q, u, w, c)
    r_q, r_u, r_w, s_q, s_u, s_w = jacobians(t, q, u, w, udot, lam, c)
    # M dudot + G' dlambda = -dr, G dudot = -ds
    slope, _ = _solve_descriptor(M, -np.hstack([r_q, r_u, r_w]), G, -np.hstack([s_q, s_u, s_w]), RANK)
    A[NQ:, :] = slope[:, :NQ + NU]
    B[NQ:, :] = slope[:, NQ + NU:]
    return A, B
