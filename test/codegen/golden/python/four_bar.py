"""Four-bar: equations of motion
Derived by the formulation 'recursive', written by linkwright 0.1.0.

    qdot = N(q, t) u + nu(q, t)
    M(q, t) udot + G(q, t)' lambda = f(q, u, w, t)
    G(q, t) udot = gamma(q, u, t)

SI units, angles in radians. The state x is q, then u.

Coordinates q, with their values at the start
    0  alpha  0.0
    1  beta   0.0
    2  delta  0.0

Speeds u, with their values at the start
    0  alpha'  0.0
    1  beta'   0.0
    2  delta'  0.0

Inputs w, with their values when nothing drives them
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

Of the 2 rows of G 2 are independent: so it was at the start, and so it is taken to be at every call.
Parameters that change the kind of mechanism need code of their own.

Outputs y
    0  knee
    1  knee'
    2  pen.x
    3  pen.y
    4  pen.z
    5  freudenstein

Functions and their operations
    setup           p -> c                                            4 add, 25 mul
    rates           t q u c -> qdot                                   none
    dynamics        t q u w c -> M f G gamma                          23 add, 37 mul, 4 sincos
    rate_jacobians  t q u c -> qdot_q qdot_u                          none
    jacobians       t q u w udot lambda c -> r_q r_u r_w s_q s_u s_w  38 add, 75 mul, 4 sincos
    inverse         t q u w udot lambda c -> r                        23 add, 37 mul, 4 sincos
    energy          t q u c -> T V                                    10 add, 28 mul, 4 sincos
    momentum        t q u c -> linear angular                         20 add, 44 mul, 4 sincos
    residuals       t q u c -> phi rate                               11 add, 15 mul, 3 sincos
    outputs         t q u w udot lambda c -> y                        15 add, 12 mul, 5 sincos, 1 other

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
the integrator. Rows may be redundant: of the multipliers that serve the shortest are returned. Rows that
contradict each other by more than drift explains, and motions without inertia, raise LinAlgError.
"""

from typing import NamedTuple

import numpy as np

NAME = "Four-bar"
FORMULATION = "recursive"
NQ, NU, NW, NP, NC, NM = 3, 3, 1, 6, 28, 2
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
    """What depends on parameters only, worked out once.

    c (28,): constants for the other functions

    Operations: 4 add, 25 mul.
    """
    p, shape = _read((p, 6, "p"))
    p0, p1, p2, p3, p4, p5 = p
    v0 = p3*p5
    v1 = p3*p3
    v2 = v0*v1
    v3 = p2*v0
    v4 = p2*p5
    v5 = p2*p2
    v6 = v4*v5
    v7 = p2*v3 + 0.2916666666666667*v6
    v8 = 0.041666666666666664*v6
    v9 = p4*p5
    v10 = p4*p4
    v11 = v9*v10
    c = np.zeros((28,) + shape)
    c[0] = p0
    c[1] = p1
    c[2] = p2
    c[3] = p3
    c[4] = p4
    c[5] = v0
    c[6] = p3*v0
    c[7] = v2
    c[8] = v4
    c[9] = v3 + 0.5*(p2*v4)
    c[10] = v6
    c[11] = v7
    c[12] = v7 - v8
    c[13] = v9
    c[14] = p4*v9
    c[15] = v11
    c[16] = 0.2916666666666667*v2
    c[17] = v8
    c[18] = 0.041666666666666664*v2
    c[19] = 0.3333333333333333*v2
    c[20] = 0.3333333333333333*v11
    c[21] = -v1
    c[22] = v10
    c[23] = p1*p1
    c[24] = v5
    c[25] = p2*p4
    c[26] = p1*p2
    c[27] = p1*p4
    return c


def rates(t, q, u, c):
    """Rates of the coordinates.

    qdot (3,): rates of the coordinates

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 28, "c"))
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

    Operations: 23 add, 37 mul, 4 sincos.
    """
    t, q, u, w, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (w, 1, "w"),
        (c, 28, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0 = w[0]
    (c0, c2, c3, c4, c6, c9, c11, c14, c16, c17, c18, c19, c20) = c[[0, 2, 3, 4, 6, 9, 11, 14,
     16, 17, 18, 19, 20]]
    v0 = q0 + q1
    v1 = u0 + u1
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = u0*(u0*c2)
    v5 = np.sin(q0)
    v6 = np.cos(q0)
    v7 = c0*v6
    v8 = np.sin(q2)
    v9 = np.cos(q2)
    v10 = c2*c6
    v11 = c6*(v3*v7 - v2*(c0*v5 - v4))
    v12 = v3*v10
    v13 = np.sin(v0)
    v14 = np.cos(v0)
    v15 = c3*v14
    v16 = c3*v13
    v17 = v1*(c3*v1)
    v18 = u2*(u2*c4)
    M = np.zeros((3, 3) + shape)
    M[0, 0] = v12 + (c18 + (c11 + (c16 + c17)))
    M[1, 0] = M[0, 1] = c19 + 0.5*v12
    M[1, 1] = c19
    M[2, 2] = c20
    f = np.zeros((3,) + shape)
    f[0] = w0 - (c9*v7 + (-0.5*(v1*(v1*(v2*v10))) + 0.5*v11))
    f[1] = -0.5*v11
    f[2] = -(0.05*u2 + 0.5*(c14*(c0*v9)))
    G = np.zeros((2, 3) + shape)
    G[0, 0] = v16 + c2*v5
    G[0, 1] = v16
    G[0, 2] = -c4*v8
    G[1, 0] = -(v15 + c2*v6)
    G[1, 1] = -v15
    G[1, 2] = c4*v9
    gamma = np.zeros((2,) + shape)
    gamma[0] = v9*v18 - (v14*v17 + v4*v6)
    gamma[1] = v8*v18 - (v13*v17 + v4*v5)
    return M, f, G, gamma


def rate_jacobians(t, q, u, c):
    """Derivatives of the coordinates' rates.

    qdot_q (3, 3): derivative of qdot by q
    qdot_u (3, 3): derivative of qdot by u

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 28, "c"))
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

    Operations: 38 add, 75 mul, 4 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 1, "w"), (udot, 3, "udot"), (lam, 2, "lam"), (c, 28, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    udot0, udot1, udot2 = udot
    lam0, lam1 = lam
    c0, c2, c3, c4, c5, c6, c8, c13 = c[[0, 2, 3, 4, 5, 6, 8, 13]]
    v0 = q0 + q1
    v1 = u0 + u1
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = u0*c2
    v5 = np.sin(q0)
    v6 = np.cos(q0)
    v7 = c0*v5
    v8 = c0*v6
    v9 = np.sin(q2)
    v10 = np.cos(q2)
    v11 = np.sin(v0)
    v12 = np.cos(v0)
    v13 = c3*v12
    v14 = v13 + c2*v6
    v15 = c4*v10
    v16 = u2*v9
    v17 = 2.0*c4
    v18 = u0*v5
    v19 = 2.0*c2
    v20 = v1*v11
    v21 = c3*v11
    v22 = c2*v5
    v23 = v21 + v22
    v24 = c4*v9
    v25 = v1*v12
    v26 = c3*v1
    v27 = u0*v6
    v28 = u2*v10
    v29 = u2*c4
    v30 = lam0*v13 + lam1*v21
    v31 = v30 - 0.5*(c6*(v3*(v7 - u0*v4) + v2*(udot0*c2 + v8)))
    v32 = c2*v2*(c6*v1)
    v33 = v4*(c6*v2)
    v34 = udot1*v13 - v20*v26
    v35 = v25*v26 + udot1*v21
    v36 = 2.0*(c3*v25)
    v37 = 2.0*(c3*v20)
    r_q = np.zeros((3, 3) + shape)
    r_q[0, 0] = lam1*v23 + (lam0*v14 - c0*(c5*(v22 + 0.5*v21) + 0.5*(c8*v22)))
    r_q[0, 1] = v31 - 0.5*(c2*(c6*((udot0 + udot1)*v2 + v1*(v1*v3))))
    r_q[1, 0] = v30 - 0.5*(c6*(v2*v8 + v3*v7))
    r_q[1, 1] = v31
    r_q[2, 2] = -v24*(lam1 + 0.5*(c0*c13)) - lam0*v15
    r_u = np.zeros((3, 3) + shape)
    r_u[0, 0] = v33 - v32
    r_u[0, 1] = -v32
    r_u[1, 0] = v33
    r_u[2, 2] = 0.05
    r_w = np.zeros((3, 1) + shape)
    r_w[0, 0] = -1.0
    s_q = np.zeros((2, 3) + shape)
    s_q[0, 0] = udot0*v14 + v34 - v4*v18
    s_q[0, 1] = v34 + udot0*v13
    s_q[0, 2] = v16*v29 - udot2*v15
    s_q[1, 0] = udot0*v23 + (v4*v27 + v35)
    s_q[1, 1] = v35 + udot0*v21
    s_q[1, 2] = -(v28*v29 + udot2*v24)
    s_u = np.zeros((2, 3) + shape)
    s_u[0, 0] = v19*v27 + v36
    s_u[0, 1] = v36
    s_u[0, 2] = -v17*v28
    s_u[1, 0] = v18*v19 + v37
    s_u[1, 1] = v37
    s_u[1, 2] = -v16*v17
    s_w = np.zeros((2, 1) + shape)
    return r_q, r_u, r_w, s_q, s_u, s_w


def inverse(t, q, u, w, udot, lam, c):
    """Forces along the speeds that are missing for this udot (inverse dynamics).

    r (3,): M udot + G' lambda - f

    Operations: 23 add, 37 mul, 4 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 1, "w"), (udot, 3, "udot"), (lam, 2, "lam"), (c, 28, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0 = w[0]
    udot0, udot1, udot2 = udot
    lam0, lam1 = lam
    c0, c2, c3, c4, c6, c7, c9, c10, c12, c14, c15 = c[[0, 2, 3, 4, 6, 7, 9, 10, 12, 14, 15]]
    v0 = q0 + q1
    v1 = u0 + u1
    v2 = udot0 + udot1
    v3 = np.sin(q1)
    v4 = np.cos(q1)
    v5 = np.sin(q0)
    v6 = np.cos(q0)
    v7 = c0*v6
    v8 = 0.5*(c6*(v4*(udot0*c2 + v7) - v3*(c0*v5 - c2*(u0*u0))))
    v9 = v8 + 0.3333333333333333*(c7*v2)
    v10 = np.sin(q2)
    v11 = np.cos(q2)
    v12 = np.sin(v0)
    v13 = np.cos(v0)
    v14 = c3*v13
    v15 = c3*v12
    v16 = c9*v7 + (v9 - 0.5*(c2*(c6*(v1*(v1*v3) - v2*v4))))
    v17 = lam0*(v15 + c2*v5) + (v16 + udot0*(c12 + 0.08333333333333333*c10) - w0)
    v18 = 0.05*u2 + 0.5*(c14*(c0*v11)) + 0.3333333333333333*(udot2*c15)
    r = np.zeros((3,) + shape)
    r[0] = v17 - lam1*(v14 + c2*v6)
    r[1] = v9 + lam0*v15 - lam1*v14
    r[2] = v18 - c4*(lam0*v10 - lam1*v11)
    return r


def energy(t, q, u, c):
    """Kinetic and potential energy.

    T (): kinetic energy
    V (): potential energy

    Operations: 10 add, 28 mul, 4 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 28, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    c0, c2, c3, c4, c5, c7, c8, c13 = c[[0, 2, 3, 4, 5, 7, 8, 13]]
    v0 = u0 + u1
    v1 = np.sin(q1)
    v2 = np.cos(q1)
    v3 = 0.5*c3
    v4 = c2*np.sin(q0)
    v5 = u2*c4
    v6 = u0*c2
    v7 = v0*v3 + v2*v6
    v8 = v1*v6
    v9 = 0.08333333333333333*(v0*(c7*v0)) + c5*(v7*v7 + v8*v8)
    v10 = 0.5*(np.sin(q2)*(c4*c13)) + c5*(np.sin(q0 + q1)*v3 + v4) + 0.5*(c8*v4)
    T = np.zeros(shape)
    T[...] = 0.5*(0.3333333333333333*(c13*(v5*v5)) + (v9 + 0.3333333333333333*(c8*(v6*v6))))
    V = np.zeros(shape)
    V[...] = c0*v10
    return T[()], V[()]


def momentum(t, q, u, c):
    """Linear momentum, and angular momentum about the origin, in ground axes.

    linear (3,): linear momentum
    angular (3,): angular momentum

    Operations: 20 add, 44 mul, 4 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 28, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    c1, c2, c3, c4, c5, c7, c8, c10, c13, c15 = c[[1, 2, 3, 4, 5, 7, 8, 10, 13, 15]]
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
    v10 = 0.5*c3
    v11 = c2*v5
    v12 = c2*v4
    v13 = u0*c2
    v14 = c13*(u2*c4)
    v15 = v6*v14
    v16 = c5*(v1*v10 + v3*v13)
    v17 = c5*(v2*v13)
    v18 = v9*v17 - v8*v16
    v19 = c8*v13
    v20 = v4*v19
    v21 = 0.5*(v7*v14)
    v22 = v9*v16 + v8*v17
    v23 = v5*v19
    v24 = v21*(c1 + 0.5*(c4*v7)) + 0.25*(c4*v6*v15) + 0.08333333333333333*(u2*c15)
    v25 = v22*(v9*v10 + v11) + v24 - (v8*v10 + v12)*v18 + 0.08333333333333333*(c7*v1)
    linear = np.zeros((3,) + shape)
    linear[0] = -0.5*v15 + (v18 - 0.5*v20)
    linear[1] = v21 + (v22 + 0.5*v23)
    angular = np.zeros((3,) + shape)
    angular[2] = v25 + 0.25*(v12*v20) + 0.25*(v11*v23) + 0.08333333333333333*(u0*c10)
    return linear, angular


def residuals(t, q, u, c):
    """How far the constraints are violated, and how fast.

    phi (2,): position residuals; 0 for rows that only speeds obey
    rate (2,): velocity residuals

    Operations: 11 add, 15 mul, 3 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 28, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    c1, c2, c3, c4 = c[[1, 2, 3, 4]]
    v0 = q0 + q1
    v1 = np.sin(q0)
    v2 = np.cos(q0)
    v3 = np.sin(q2)
    v4 = np.cos(q2)
    v5 = np.sin(v0)
    v6 = np.cos(v0)
    v7 = u2*c4
    v8 = u0*c2
    v9 = c3*(u0 + u1)
    phi = np.zeros((2,) + shape)
    phi[0] = c1 + c4*v4 - (c3*v6 + c2*v2)
    phi[1] = c4*v3 - (c3*v5 + c2*v1)
    rate = np.zeros((2,) + shape)
    rate[0] = v1*v8 + v5*v9 - v3*v7
    rate[1] = v4*v7 - (v2*v8 + v6*v9)
    return phi, rate


def outputs(t, q, u, w, udot, lam, c):
    """Outputs of the model.

    y (6,): outputs

    Operations: 15 add, 12 mul, 5 sincos, 1 other.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 1, "w"), (udot, 3, "udot"), (lam, 2, "lam"), (c, 28, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    c2, c3, c21, c22, c23, c24, c25, c26, c27 = c[[2, 3, 21, 22, 23, 24, 25, 26, 27]]
    v0 = q0 + q1
    v1 = q2 - v0
    v2 = np.sin(v1)
    v3 = np.cos(v1)
    v4 = np.sin(q0)
    v5 = np.cos(q0)
    v6 = np.sin(v0)
    v7 = np.cos(v0)
    v8 = 0.5*(c3*v7)
    v9 = 0.5*(c3*v6)
    v10 = c24 + (-2.0*(c25*np.cos(q2 - q0)) + (-2.0*(c26*v5) + 2.0*(c27*np.cos(q2))))
    y = np.zeros((6,) + shape)
    y[0] = np.arctan2(v2, v3)
    y[1] = u2 - (u0 + u1)
    y[2] = c2*v5 + v8 - v9
    y[3] = v8 + (c2*v4 + v9)
    y[5] = c21 + (c22 + (c23 + v10))
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
        # of all lambda the shortest: nothing along what G' does not see
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
    lam (NM,): multipliers of the constraints, the shortest where rows are redundant
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
