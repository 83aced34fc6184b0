"""Triple pendulum: equations of motion
Derived by the formulation 'recursive', written by linkwright 0.1.0.

    qdot = N(q, t) u + nu(q, t)
    M(q, t) udot = f(q, u, w, t)

SI units, angles in radians. The state x is q, then u.

Coordinates q, with their values at the start
    0  q1  0.0
    1  q2  0.0
    2  q3  0.0

Speeds u, with their values at the start
    0  q1'  0.0
    1  q2'  0.0
    2  q3'  0.0

Inputs w, with their values when nothing drives them
    0  TAU21  0.0
    1  TAU32  0.0
    2  TAU43  0.0

Parameters p, with their values in the model
     0  g      9.81  m/s^2      98.1 gives the eigenvalues of his tables 6.1 and 6.2
     1  DL22   0.5   m          joint to centre of mass
     2  DL33   0.5   m
     3  DL44   0.5   m
     4  SL32   0.5   m          centre of mass to the next joint
     5  SL43   0.5   m
     6  MA2    1.0   kg
     7  MA3    1.0   kg
     8  MA4    1.0   kg
     9  J2X    0.2   kg*m^2
    10  J2Y    0.1   kg*m^2
    11  J2Z    0.2   kg*m^2
    12  J3X    0.2   kg*m^2
    13  J3Y    0.1   kg*m^2
    14  J3Z    0.2   kg*m^2
    15  J4X    0.2   kg*m^2
    16  J4Y    0.1   kg*m^2
    17  J4Z    0.2   kg*m^2
    18  KR21   0.0   N*m/rad    joint stiffness
    19  KR32   0.0   N*m/rad
    20  KR43   0.0   N*m/rad
    21  CR21   0.0   N*m*s/rad  joint damping; simulation 2 has 5
    22  CR32   0.0   N*m*s/rad
    23  CR43   0.0   N*m*s/rad
    24  PHI02  0.0   rad        angle at which the spring is free
    25  PHI03  0.0   rad
    26  PHI04  0.0   rad

Outputs y
    0  hand.x
    1  hand.y
    2  hand.z
    3  hanger.fx
    4  hanger.fy
    5  hanger.fz
    6  hanger.tx
    7  hanger.ty
    8  hanger.tz

Functions and their operations
    setup           p -> c                                33 add, 21 mul, 1 div
    rates           t q u c -> qdot                       none
    dynamics        t q u w c -> M f                      60 add, 78 mul, 3 sincos
    accelerations   t q u w c -> udot                     66 add, 88 mul, 2 div, 3 sincos
    rate_jacobians  t q u c -> qdot_q qdot_u              none
    jacobians       t q u w udot lambda c -> r_q r_u r_w  139 add, 229 mul, 3 sincos
    inverse         t q u w udot lambda c -> r            55 add, 71 mul, 3 sincos
    energy          t q u c -> T V                        35 add, 63 mul, 3 sincos
    momentum        t q u c -> linear angular             63 add, 102 mul, 3 sincos
    outputs         t q u w udot lambda c -> y            113 add, 167 mul, 3 sincos

Use

    import numpy as np
    from scipy.integrate import solve_ivp
    import triple_pendulum as model

    p = model.values(model.PARAMETERS, {"g": 9.81})    # the others as in the table
    c = model.setup(p)
    w = model.values(model.INPUTS)
    x = np.concatenate([model.values(model.COORDINATES), model.values(model.SPEEDS)])
    motion = solve_ivp(lambda t, x: model.rhs(t, x, w, c), (0.0, 10.0), x, rtol=1e-8)
    A, B = model.rhs_jacobian(0.0, x, w, c)

Shapes: q has the shape (NQ,) for one state or (NQ, N) for N of them, and likewise u, w, udot, lam;
t is a number or has the shape (N,). Results then end in N as well: M has the shape (NU, NU, N).
"""

from typing import NamedTuple

import numpy as np

NAME = "Triple pendulum"
FORMULATION = "recursive"
NQ, NU, NW, NP, NC, NM = 3, 3, 3, 27, 46, 0


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
    Symbol("q1", "", "", 0.0),
    Symbol("q2", "", "", 0.0),
    Symbol("q3", "", "", 0.0),
)
SPEEDS = (
    Symbol("q1'", "", "", 0.0),
    Symbol("q2'", "", "", 0.0),
    Symbol("q3'", "", "", 0.0),
)
INPUTS = (
    Symbol("TAU21", "", "", 0.0),
    Symbol("TAU32", "", "", 0.0),
    Symbol("TAU43", "", "", 0.0),
)
PARAMETERS = (
    Symbol("g", "m/s^2", "98.1 gives the eigenvalues of his tables 6.1 and 6.2", 9.81),
    Symbol("DL22", "m", "joint to centre of mass", 0.5),
    Symbol("DL33", "m", "", 0.5),
    Symbol("DL44", "m", "", 0.5),
    Symbol("SL32", "m", "centre of mass to the next joint", 0.5),
    Symbol("SL43", "m", "", 0.5),
    Symbol("MA2", "kg", "", 1.0),
    Symbol("MA3", "kg", "", 1.0),
    Symbol("MA4", "kg", "", 1.0),
    Symbol("J2X", "kg*m^2", "", 0.2),
    Symbol("J2Y", "kg*m^2", "", 0.1),
    Symbol("J2Z", "kg*m^2", "", 0.2),
    Symbol("J3X", "kg*m^2", "", 0.2),
    Symbol("J3Y", "kg*m^2", "", 0.1),
    Symbol("J3Z", "kg*m^2", "", 0.2),
    Symbol("J4X", "kg*m^2", "", 0.2),
    Symbol("J4Y", "kg*m^2", "", 0.1),
    Symbol("J4Z", "kg*m^2", "", 0.2),
    Symbol("KR21", "N*m/rad", "joint stiffness", 0.0),
    Symbol("KR32", "N*m/rad", "", 0.0),
    Symbol("KR43", "N*m/rad", "", 0.0),
    Symbol("CR21", "N*m*s/rad", "joint damping; simulation 2 has 5", 0.0),
    Symbol("CR32", "N*m*s/rad", "", 0.0),
    Symbol("CR43", "N*m*s/rad", "", 0.0),
    Symbol("PHI02", "rad", "angle at which the spring is free", 0.0),
    Symbol("PHI03", "rad", "", 0.0),
    Symbol("PHI04", "rad", "", 0.0),
)
CONSTRAINTS = ()
OUTPUTS = (
    Symbol("hand.x", "", "", 0.0),
    Symbol("hand.y", "", "", 0.0),
    Symbol("hand.z", "", "", 0.0),
    Symbol("hanger.fx", "", "", 0.0),
    Symbol("hanger.fy", "", "", 0.0),
    Symbol("hanger.fz", "", "", 0.0),
    Symbol("hanger.tx", "", "", 0.0),
    Symbol("hanger.ty", "", "", 0.0),
    Symbol("hanger.tz", "", "", 0.0),
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

    c (46,): constants for the other functions

    Operations: 33 add, 21 mul, 1 div.
    """
    p, shape = _read((p, 27, "p"))
    (p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19,
     p20, p21, p22, p23, p24, p25, p26) = p
    v0 = p1 + p4
    v1 = p2 + p5
    v2 = p1*p6
    v3 = p9 - p10
    v4 = p2*p7
    v5 = p12 - p13
    v6 = p3*p8
    v7 = p16 - p15
    v8 = p17 + v7
    v9 = 0.5*v8
    v10 = 0.5*(p17 - v7) + p3*v6
    v11 = v0*(p7 + p8)
    v12 = p1*v2 + 0.5*(p11 + v3) + v0*v11
    v13 = 0.5*(p11 - v3) + 0.5*(p12 + p13 - p14)
    v14 = p8*v1
    v15 = p2*v4 + 0.5*(p14 + v5) + v1*v14
    v16 = 0.5*(p14 - v5) + 0.5*(p15 + p16 - p17)
    v17 = v9 + v10
    c = np.zeros((46,) + shape)
    c[0] = p0
    c[1] = p1
    c[2] = p2
    c[3] = p3
    c[4] = p4
    c[5] = p5
    c[6] = p6
    c[7] = p7
    c[8] = p8
    c[9] = p11
    c[10] = p12
    c[11] = p13
    c[12] = p14
    c[13] = p15
    c[14] = p16
    c[15] = p17
    c[16] = p18
    c[17] = p19
    c[18] = p20
    c[19] = p21
    c[20] = p22
    c[21] = p23
    c[22] = v0
    c[23] = v1
    c[24] = v6
    c[25] = v8
    c[26] = v9
    c[27] = v10
    c[28] = v2 + v11
    c[29] = v12
    c[30] = v13
    c[31] = v4 + v14
    c[32] = v15
    c[33] = v16
    c[34] = -p24
    c[35] = -p25
    c[36] = -p26
    c[37] = v12 - v13
    c[38] = -v16
    c[39] = v15 - v16
    c[40] = v9 - v10
    c[41] = v17
    c[42] = 1.0/v17
    c[43] = p0*p8
    c[44] = p0*p7
    c[45] = p0*p6
    return c


def rates(t, q, u, c):
    """Rates of the coordinates.

    qdot (3,): rates of the coordinates

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 46, "c"))
    u0, u1, u2 = u
    qdot = np.zeros((3,) + shape)
    qdot[0] = u0
    qdot[1] = u1
    qdot[2] = u2
    return qdot


def dynamics(t, q, u, w, c):
    """Mass matrix and forcing: M udot = f.

    M (3, 3): mass matrix, symmetric
    f (3,): forcing

    Operations: 60 add, 78 mul, 3 sincos.
    """
    t, q, u, w, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (w, 3, "w"),
        (c, 46, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0, w1, w2 = w
    (c0, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, c32,
     c33, c34, c35, c36, c38, c39, c40, c41) = c[[0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
     27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 38, 39, 40, 41]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v0
    v7 = c0*v1 + c22*(u0*u0)
    v8 = u0*v2
    v9 = u0*v3
    v10 = v8*v9
    v11 = v2*v7
    v12 = u1*v8
    v13 = u1*v9
    v14 = v4*v8 + u1*v5
    v15 = v5*v8 - u1*v4
    v16 = u2 + v9
    v17 = c24*v5
    v18 = c23*v17
    v19 = c40*v4
    v20 = v4*v19
    v21 = c23*c24
    v22 = c32 + (c27 + v20 + 2.0*v18)
    v23 = c26 + (c30 + (c29 + c33 + v3*(v3*(c38 + v22) + 2.0*(c22*(c31 + v17)))))
    v24 = 2.0*v12
    v25 = u2 + v16
    v26 = v4*v13 + v15*v25
    v27 = v12 + v14*v15
    v28 = c27*v26 + c24*(v11 + c23*v10)
    v29 = c24*(v4*(v3*v7 + c23*(v9*v9 + u1*u1)) + v5*(v6 - c23*v24))
    v30 = c40*v27 - c25*v12 + v29
    v31 = 0.5*(c25*(v14*v25 - v5*v13))
    v32 = c24*(v4*(v14*v14 + v16*v16) + v5*v27)
    v33 = v3*(v30 + (c31*v6 - c32*v24) - c23*v32)
    v34 = v2*(v4*v28 + 2.0*(c33*v13) - v5*v31) + v33 + c22*(-c31*v24 - v32)
    v35 = w1 - u1*c20 - c17*(q1 + c35) - c31*v11 - c39*v10 - v21*v26 - v4*v31
    M = np.zeros((3, 3) + shape)
    M[0, 0] = v23 - v20
    M[1, 0] = M[0, 1] = -v2*(v5*v19 - v4*v21)
    M[1, 1] = c33 + v22
    M[2, 0] = M[0, 2] = v3*(c41 + v18) + c22*v17
    M[2, 2] = c41
    f = np.zeros((3,) + shape)
    f[0] = w0 - u0*c19 - c16*(q0 + c34) - (c28*v6 + v34)
    f[1] = v35 - v5*v28
    f[2] = w2 - u2*c21 - c18*(q2 + c36) - v30
    return M, f


def accelerations(t, q, u, w, c):
    """Accelerations, written out.

    udot (3,): accelerations

    Operations: 66 add, 88 mul, 2 div, 3 sincos.
    """
    t, q, u, w, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (w, 3, "w"),
        (c, 46, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0, w1, w2 = w
    (c0, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, c32,
     c33, c34, c35, c36, c38, c39, c40, c41, c42) = c[[0, 16, 17, 18, 19, 20, 21, 22, 23, 24,
     25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 38, 39, 40, 41, 42]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v0
    v7 = c0*v1 + c22*(u0*u0)
    v8 = u0*v2
    v9 = u0*v3
    v10 = v8*v9
    v11 = v2*v7
    v12 = u1*v8
    v13 = u1*v9
    v14 = v4*v8 + u1*v5
    v15 = v5*v8 - u1*v4
    v16 = u2 + v9
    v17 = c24*v5
    v18 = c23*v17
    v19 = v3*(c41 + v18) + c22*v17
    v20 = c40*v4
    v21 = v4*v20
    v22 = c23*c24
    v23 = c32 + (c27 + v21 + 2.0*v18)
    v24 = v2*(v5*v20 - v4*v22)
    v25 = 2.0*v12
    v26 = u2 + v16
    v27 = v4*v13 + v15*v26
    v28 = v12 + v14*v15
    v29 = c27*v27 + c24*(v11 + c23*v10)
    v30 = c24*(v4*(v3*v7 + c23*(v9*v9 + u1*u1)) + v5*(v6 - c23*v25))
    v31 = c40*v28 - c25*v12 + v30
    v32 = v31 - (w2 - u2*c21 - c18*(q2 + c36))
    v33 = 0.5*(c25*(v14*v26 - v5*v13))
    v34 = c24*(v4*(v14*v14 + v16*v16) + v5*v28)
    v35 = u1*c20 + (v5*v29 + (v4*v33 + (v22*v27 + (c31*v11 + c39*v10))) - w1)
    v36 = c17*(q1 + c35) + v35
    v37 = v3*(v31 + (c31*v6 - c32*v25) - c23*v34)
    v38 = v2*(v4*v29 + 2.0*(c33*v13) - v5*v33) + v37 + c22*(-c31*v25 - v34)
    v39 = c42*v19
    v40 = 1.0/(c33 + v23)
    v41 = v24*v40
    v42 = c26 + (c30 + (c29 + c33 + v3*(v3*(c38 + v23) + 2.0*(c22*(c31 + v17)))))
    v43 = v32*v39 - (c28*v6 + v38 - (w0 - u0*c19 - c16*(q0 + c34))) - v36*v41
    v44 = v43/(v42 - v21 - v19*v39 - v24*v41)
    udot = np.zeros((3,) + shape)
    udot[0] = v44
    udot[1] = v41*v44 - v36*v40
    udot[2] = -(c42*v32 + v39*v44)
    return udot


def rate_jacobians(t, q, u, c):
    """Derivatives of the coordinates' rates.

    qdot_q (3, 3): derivative of qdot by q
    qdot_u (3, 3): derivative of qdot by u

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 46, "c"))
    qdot_q = np.zeros((3, 3) + shape)
    qdot_u = np.zeros((3, 3) + shape)
    qdot_u[0, 0] = 1.0
    qdot_u[1, 1] = 1.0
    qdot_u[2, 2] = 1.0
    return qdot_q, qdot_u


def jacobians(t, q, u, w, udot, lam, c):
    """Derivatives of r = M udot - f at fixed udot.

    r_q (3, 3): derivative of r by q
    r_u (3, 3): derivative of r by u
    r_w (3, 3): derivative of r by w

    Operations: 139 add, 229 mul, 3 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 3, "w"), (udot, 3, "udot"), (lam, 0, "lam"), (c, 46, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    udot0, udot1, udot2 = udot
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c27,
     c31, c32, c33, c39, c40) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 18, 19, 20, 21, 22, 23,
     24, 25, 27, 31, 32, 33, 39, 40]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v1
    v7 = c0*v0
    v8 = u0*c22
    v9 = v6 + u0*v8
    v10 = v7 + udot0*c22
    v11 = u0*v2
    v12 = u0*v3
    v13 = v11*v12
    v14 = v12*v12
    v15 = v3*v9
    v16 = v2*v9
    v17 = u1*v11
    v18 = u1*v12
    v19 = udot0*v2 + v18
    v20 = udot0*v3 - v17
    v21 = v17 - v20
    v22 = v15 + c23*(v14 + u1*u1)
    v23 = v10 - c23*v21
    v24 = v4*v11 + u1*v5
    v25 = u1*v4
    v26 = v5*v11
    v27 = v26 - v25
    v28 = v24*v24
    v29 = v24*v27
    v30 = udot2 + v20
    v31 = u2 + v12
    v32 = v18 + v19
    v33 = v14 - v11*v11
    v34 = u2 + v31
    v35 = udot1*v4 + (v24*v34 - v5*v19)
    v36 = udot1*v5 + (v4*v19 + v27*v34)
    v37 = v29 - v30
    v38 = c24*v37
    v39 = c24*(v28 + v31*v31)
    v40 = c25*v35
    v41 = v27*v27 - v28
    v42 = c27*v36 + c24*(v16 + c23*(udot1 + v13))
    v43 = v4*v42
    v44 = v5*v40
    v45 = c40*v37 + c25*v30 + c24*(v4*v22 + v5*v23) - c23*(v5*v38 + v4*v39)
    v46 = 2.0*c23
    v47 = c1*v1
    v48 = v1*(c4 + c2*v3) + v47
    v49 = v2*v5
    v50 = v2*v4
    v51 = c8*(v0*(c3*v4) - (c5 + c3*v5)*(v1*v3) - v48) - c7*v48 - c6*v47
    v52 = v4*v12
    v53 = v5*v12
    v54 = 2.0*v24
    v55 = 2.0*v11
    v56 = v4*v20 + (v34*v53 - v11*v27)
    v57 = v19 + (v27*v52 + v24*v53)
    v58 = c25*(v34*v52 - v11*v24 - v5*v20)
    v59 = c27*v56 + c24*(v15 + c23*v33)
    v60 = c40*v57 - c25*v19 + c24*(v4*(-v13*v46 - v16) - v5*(c23*v32))
    v61 = 0.5*v5
    v62 = 0.5*v4
    v63 = c24*(v5*v57 + v4*(v52*v54 - v31*v55))
    v64 = c23*c24
    v65 = v2*(v4*v59 - v58*v61 - c33*v21 - (c31*v10 - c32*v21 + v45))
    v66 = v3*(c33*v32 + (v43 - 0.5*v44) + (v60 - c23*v63 - c32*v32)) + v65
    v67 = c27*v35
    v68 = c25*v36
    v69 = c40*v41 + c24*(v5*v22 - v4*v23)
    v70 = 2.0*v4
    v71 = v5*v39 + (c24*(v5*v41 + v29*v70) - v4*v38)
    v72 = v2*(v5*v42 - v4*v67 - 0.5*(v5*v68 - v4*v40)) + v3*(v69 - c23*v71)
    v73 = v2*v12
    v74 = v2*v8
    v75 = u1*v2
    v76 = u1*v3
    v77 = 2.0*v3
    v78 = 2.0*c31
    v79 = 2.0*c33
    v80 = v4*v76 + (v3*v27 + v34*v49)
    v81 = v75 + (v27*v50 + v24*v49)
    v82 = c25*(v3*v24 + v34*v50 - v5*v76)
    v83 = c27*v80 + c24*(v46*v73 + 2.0*v74)
    v84 = c40*v81 - c25*v75 + c24*(v4*(v77*(v8 + c23*v12)) - v75*(v5*v46))
    v85 = c24*(v5*v81 + v4*(v50*v54 + v31*v77))
    v86 = v2*(v76*v79 + v4*v83 - v61*v82) + v3*(-2.0*(c32*v75) + (v84 - c23*v85))
    v87 = v52 - v4*v34
    v88 = v11 + (v5*v27 - v4*v24)
    v89 = c27*v87
    v90 = c25*(v5*v34 - v53)
    v91 = c40*v88 - c25*v11 + c24*(v46*(v25 - v26))
    v92 = c24*(v5*(v88 + v24*v70))
    v93 = v2*(v12*v79 + v4*v89 - v61*v90) + v3*(v91 - c32*v55 - c23*v92)
    r_q = np.zeros((3, 3) + shape)
    r_q[0, 0] = c16 - c0*v51
    r_q[0, 1] = v66 - c22*(c31*v32 + v63)
    r_q[0, 2] = v72 - c22*v71
    r_q[1, 0] = -v2*v7*(c31 + c24*v5)
    r_q[1, 1] = v5*v59 + (v58*v62 + (v56*v64 + (c31*v15 + (c17 + c39*v33))))
    r_q[1, 2] = -(v43 + v5*v67 - 0.5*(v44 + v4*v68) + v35*v64)
    r_q[2, 0] = c24*(v5*v6 - v4*(v3*v7))
    r_q[2, 1] = v60
    r_q[2, 2] = c18 + v69
    r_u = np.zeros((3, 3) + shape)
    r_u[0, 0] = c19 + (v86 - c22*(v75*v78 + v85))
    r_u[0, 1] = v93 - c22*(v11*v78 + v92)
    r_u[0, 2] = v2*(v27*(c27*v70) - v5*(c25*v24)) - 2.0*(v31*(c24*v4)*(c22 + c23*v3))
    r_u[1, 0] = v5*v83 + (v62*v82 + (v64*v80 + (v74*v78 + 2.0*(c39*v73))))
    r_u[1, 1] = v5*v89 + (v62*v90 + (c20 + v64*v87))
    r_u[1, 2] = -v91
    r_u[2, 0] = v84
    r_u[2, 1] = v91
    r_u[2, 2] = c21
    r_w = np.zeros((3, 3) + shape)
    r_w[0, 0] = -1.0
    r_w[1, 1] = -1.0
    r_w[2, 2] = -1.0
    return r_q, r_u, r_w


def inverse(t, q, u, w, udot, lam, c):
    """Forces along the speeds that are missing for this udot (inverse dynamics).

    r (3,): M udot - f

    Operations: 55 add, 71 mul, 3 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 3, "w"), (udot, 3, "udot"), (lam, 0, "lam"), (c, 46, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0, w1, w2 = w
    udot0, udot1, udot2 = udot
    (c0, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c27, c28, c30, c31, c32, c33, c34,
     c35, c36, c37, c39, c40) = c[[0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 27, 28, 30, 31,
     32, 33, 34, 35, 36, 37, 39, 40]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v0
    v7 = c0*v1 + c22*(u0*u0)
    v8 = v6 + udot0*c22
    v9 = u0*v2
    v10 = u0*v3
    v11 = v2*v7
    v12 = u1*v9
    v13 = u1*v10
    v14 = udot0*v2 + v13
    v15 = udot0*v3 - v12
    v16 = udot1 + v9*v10
    v17 = v12 - v15
    v18 = v4*v9 + u1*v5
    v19 = v5*v9 - u1*v4
    v20 = udot2 + v15
    v21 = u2 + v10
    v22 = u2 + v21
    v23 = udot1*v5 + (v4*v14 + v19*v22)
    v24 = v18*v19 - v20
    v25 = c27*v23 + c24*(v11 + c23*v16)
    v26 = c24*(v4*(v3*v7 + c23*(v10*v10 + u1*u1)) + v5*(v8 - c23*v17))
    v27 = c40*v24 + c25*v20 + v26
    v28 = 0.5*(c25*(udot1*v4 + (v18*v22 - v5*v14)))
    v29 = c24*(v5*v24 + v4*(v18*v18 + v21*v21))
    v30 = v5*v25 + (v4*v28 + (c23*(c24*v23) + (c31*v11 + (c39*v16 + 2.0*(udot1*c33)))))
    v31 = v2*(c33*(v13 + v14) + v4*v25 - v5*v28) + (c28*v6 + udot0*(c37 + 2.0*c30))
    v32 = v3*(c31*v8 - c32*v17 + (v27 - c23*v29)) + v31 - c22*(c31*v17 + v29) - w0
    r = np.zeros((3,) + shape)
    r[0] = c16*(q0 + c34) + (u0*c19 + v32)
    r[1] = c17*(q1 + c35) + (u1*c20 + (v30 - w1))
    r[2] = v27 - (w2 - u2*c21 - c18*(q2 + c36))
    return r


def energy(t, q, u, c):
    """Kinetic and potential energy.

    T (): kinetic energy
    V (): potential energy

    Operations: 35 add, 63 mul, 3 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 46, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c34,
     c35, c36) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 34, 35,
     36]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = q0 + c34
    v7 = q1 + c35
    v8 = q2 + c36
    v9 = u0*v2
    v10 = u0*v3
    v11 = v4*v9 + u1*v5
    v12 = v5*v9 - u1*v4
    v13 = u2 + v10
    v14 = c5 + c3*v5
    v15 = c3*v4
    v16 = u1*c2
    v17 = u1*v14 + v9*v15 + v16
    v18 = c4 + c2*v3
    v19 = u0*c1
    v20 = u0*v18 + v19
    v21 = v10*v14 + v20
    v22 = v10*v15
    v23 = v5*v22 - v4*v21
    v24 = v5*v21 + v4*v22 + u2*c3
    v25 = v13*(c15*v13) + (v12*(c14*v12) + v11*(c13*v11))
    v26 = u1*(u1*c12) + (v9*(c11*v9) + v10*(c10*v10)) + c7*(v20*v20 + v16*v16)
    v27 = v25 + c8*(v17*v17 + (v23*v23 + v24*v24))
    v28 = c1*v1
    v29 = v1*v18 + v28
    v30 = c0*(c8*(v0*v15 - v14*(v1*v3) - v29) - c7*v29 - c6*v28)
    T = np.zeros(shape)
    T[...] = 0.5*(v27 + (v26 + (u0*(u0*c9) + c6*(v19*v19))))
    V = np.zeros(shape)
    V[...] = v30 + 0.5*(v8*(c18*v8)) + 0.5*(v7*(c17*v7)) + 0.5*(v6*(c16*v6))
    return T[()], V[()]


def momentum(t, q, u, c):
    """Linear momentum, and angular momentum about the origin, in ground axes.

    linear (3,): linear momentum
    angular (3,): angular momentum

    Operations: 63 add, 102 mul, 3 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 46, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15) = c[[1, 2, 3, 4, 5, 6, 7,
     8, 9, 10, 11, 12, 13, 14, 15]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = u0*v2
    v7 = u0*v3
    v8 = c14*(v5*v6 - u1*v4)
    v9 = c13*(v4*v6 + u1*v5)
    v10 = c5 + c3*v5
    v11 = c3*v4
    v12 = u1*c2
    v13 = c4 + c2*v3
    v14 = u0*c1
    v15 = u0*v13 + v14
    v16 = v7*v10 + v15
    v17 = v7*v11
    v18 = u1*c12
    v19 = c11*v6
    v20 = v1*v3
    v21 = c1*v1
    v22 = v1*v13 + v21
    v23 = v0*v11 - v10*v20 - v22
    v24 = c8*(u1*v10 + v6*v11 + v12)
    v25 = v0*v2
    v26 = c8*(v5*v17 - v4*v16)
    v27 = v0*v3
    v28 = v1*v4 + v5*v27
    v29 = c8*(v5*v16 + v4*v17 + u2*c3)
    v30 = v1*v5 - v4*v27
    v31 = v29*v30 - v26*v28 - v24*v25
    v32 = c7*v15
    v33 = c7*v12
    v34 = v1*v32 - v25*v33
    v35 = c6*v14
    v36 = v1*v35
    v37 = v1*v2
    v38 = v5*v20 - v0*v4
    v39 = v0*v5 + v4*v20
    v40 = v24*v37 + (v26*v38 + v29*v39)
    v41 = v0*v32 + v33*v37
    v42 = v0*v35
    v43 = v2*v5
    v44 = v2*v4
    v45 = v26*v43 + v29*v44 - v3*v24
    v46 = v3*v33
    v47 = c2*v2
    v48 = v2*v10 + v47
    v49 = c15*(u2 + v7) + c10*v7
    v50 = v1*v18 + (v23*v45 + (v40*v48 + (v9*v30 + v25*v49 - v8*v28))) - v19*v27
    v51 = c1*v0
    v52 = v0*v13 + v51
    v53 = v1*v11 + v10*v27 + v52
    v54 = v19*v20 + (v0*v18 + (v8*v38 + v9*v39 - v37*v49 - v45*v53 - v31*v48))
    v55 = v22*v34 + (v2*v19 + (v40*v53 + (v9*v44 + (v8*v43 + v3*v49)) - v23*v31))
    linear = np.zeros((3,) + shape)
    linear[0] = v31 + (v34 + v36)
    linear[1] = v40 + (v41 + v42)
    linear[2] = v45 - v46
    angular = np.zeros((3,) + shape)
    angular[0] = v22*v46 + (v41*v47 + v50)
    angular[1] = v46*v52 + v54 - v34*v47
    angular[2] = v42*v51 + (v21*v36 + (u0*c9 + (v41*v52 + v55)))
    return linear, angular


def outputs(t, q, u, w, udot, lam, c):
    """Outputs of the model.

    y (9,): outputs

    Operations: 113 add, 167 mul, 3 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 3, "w"), (udot, 3, "udot"), (lam, 0, "lam"), (c, 46, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    udot0, udot1, udot2 = udot
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c22, c23, c24, c25, c27, c28, c30, c31, c32, c33, c37,
     c39, c40, c43, c44, c45) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 22, 23, 24, 25, 27, 28, 30, 31,
     32, 33, 37, 39, 40, 43, 44, 45]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v0
    v7 = u0*u0
    v8 = c0*v1 + c22*v7
    v9 = v6 + udot0*c22
    v10 = u0*v2
    v11 = u0*v3
    v12 = v2*v8
    v13 = u1*v10
    v14 = u1*v11
    v15 = udot0*v2 + v14
    v16 = udot0*v3 - v13
    v17 = v11*v11 + u1*u1
    v18 = udot1 + v10*v11
    v19 = v13 - v16
    v20 = v4*v10 + u1*v5
    v21 = v5*v10 - u1*v4
    v22 = udot2 + v16
    v23 = u2 + v11
    v24 = u2 + v23
    v25 = udot1*v5 + (v4*v15 + v21*v24)
    v26 = v20*v21 - v22
    v27 = c24*v26
    v28 = c24*(v20*v20 + v23*v23)
    v29 = c24*v25
    v30 = c27*v25 + c24*(v12 + c23*v18)
    v31 = 0.5*(c25*(udot1*v4 + (v20*v24 - v5*v15)))
    v32 = v5*v27 + v4*v28
    v33 = c40*v26 + c25*v22 + c24*(v4*(v3*v8 + c23*v17) + v5*(v9 - c23*v19))
    v34 = c33*(v14 + v15) + v4*v30 - v5*v31
    v35 = c31*v9 - c32*v19 + (v33 - c23*v32)
    v36 = c31*v17 + (v5*v28 - v4*v27)
    v37 = c31*v18 + v29
    v38 = c31*v19 + v32
    v39 = v3*v34 - v2*v35
    v40 = v2*v36 - v3*v37
    v41 = c22*v40 - c39*v18 - 2.0*(udot1*c33) - c31*v12 - c23*v29 - v4*v31 - v5*v30
    v42 = c5 + c3*v5
    v43 = c3*v4
    v44 = u1*c2
    v45 = c4 + c2*v3
    v46 = u0*c1
    v47 = u0*v45 + v46
    v48 = v11*v42 + v47
    v49 = v11*v43
    v50 = v5*v49 - v4*v48
    v51 = u2*c3
    v52 = v5*v48 + v4*v49 + v51
    v53 = v1*v3
    v54 = c1 + v45
    v55 = c8*(u1*v42 + v10*v43 + v44)
    v56 = c8*v50
    v57 = c8*v52
    v58 = c7*v47
    v59 = c7*v44
    v60 = udot0*c1
    v61 = udot0*v45 + v60 - v10*v44
    v62 = v16*v42 + v61
    v63 = v16*v43
    v64 = v20*v55 + v23*v57 + c8*(v23*v51 - u2*v52 - (v4*v62 - v5*v63))
    v65 = v64 + c43*(v5*v53 - v0*v4)
    v66 = c8*(v5*v62 + v4*v63 + (udot2*c3 + u2*v50)) - (v23*v56 + v21*v55)
    v67 = v66 + c43*(v0*v5 + v4*v53)
    v68 = udot1*c2
    v69 = v21*v57 + (v10*v58 + c7*v68 + v1*v2*(c43 + c44) - v20*v56)
    v70 = v3*(v5*v65 + v4*v67 + (v11*v58 + u1*v59 + c44*v53))
    v71 = v70 + v2*(c8*(udot1*v42 + v15*v43 + v68 + v21*v51) + v69)
    v72 = v0*(c6*v60 + (c7*v61 + (v5*v67 - v4*v65) - v10*v59 + v0*(c44 + c45)))
    y = np.zeros((9,) + shape)
    y[0] = v1*v43 + v0*(v54 + v3*v42)
    y[1] = v0*v43 - v42*v53 - v1*v54
    y[2] = -v2*(c2 + v42)
    y[3] = -(v0*(c28*v7 + (v3*v36 + v2*v37)) + v1*(v38 - udot0*c28))
    y[4] = v1*(v71 + (u0*(c6*v46) + c45*v1)) + v72
    y[5] = v40
    y[6] = -(v0*v39 + v1*v41)
    y[7] = v1*v39 - v0*v41
    y[8] = v3*v35 + (v2*v34 + (c28*v6 + udot0*(c37 + 2.0*c30))) - c22*v38
    return y


def rhs(t, x, w, c):
    """The rate of the state x = [q; u], of the shape of x; for solve_ivp and its like."""
    x = np.asarray(x, dtype=float)
    q, u = x[:NQ], x[NQ:]
    return np.concatenate([rates(t, q, u, c), accelerations(t, q, u, w, c)])


def rhs_jacobian(t, x, w, c):
    """A = d rhs / d x and B = d rhs / d w at one state."""
    x = np.asarray(x, dtype=float)
    q, u = x[:NQ], x[NQ:]
    A, B = np.zeros((NQ + NU, NQ + NU)), np.zeros((NQ + NU, NW))
    qdot_q, qdot_u = rate_jacobians(t, q, u, c)
    A[:NQ, :NQ] = qdot_q
    A[:NQ, NQ:] = qdot_u
    lam = np.zeros(0)
    udot = accelerations(t, q, u, w, c)
    M, f = dynamics(t, q, u, w, c)
    r_q, r_u, r_w = jacobians(t, q, u, w, udot, lam, c)
    slope = np.linalg.solve(M, -np.hstack([r_q, r_u, r_w]))
    A[NQ:, :] = slope[:, :NQ + NU]
    B[NQ:, :] = slope[:, NQ + NU:]
    return A, B
