"""Triple pendulum: equations of motion
Derived by the formulation 'recursive', written by linkwright 0.1.0.

    qdot = N(q, t) u + nu(q, t)
    M(q, t) udot = f(q, u, w, t)

SI units, angles in radians. The state x is q, then u.

Coordinates q, with their initial values
    0  q1  0.0
    1  q2  0.0
    2  q3  0.0

Speeds u, with their initial values
    0  q1'  0.0
    1  q2'  0.0
    2  q3'  0.0

Inputs w, with their default values
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
    setup           p -> c                                32 add, 33 mul, 1 div
    rates           t q u c -> qdot                       none
    dynamics        t q u w c -> M f                      62 add, 76 mul, 3 sincos
    accelerations   t q u w c -> udot                     68 add, 86 mul, 2 div, 3 sincos
    rate_jacobians  t q u c -> qdot_q qdot_u              none
    jacobians       t q u w udot lambda c -> r_q r_u r_w  137 add, 216 mul, 3 sincos
    inverse         t q u w udot lambda c -> r            54 add, 67 mul, 3 sincos
    energy          t q u c -> T V                        35 add, 60 mul, 3 sincos
    momentum        t q u c -> linear angular             63 add, 102 mul, 3 sincos
    outputs         t q u w udot lambda c -> y            110 add, 164 mul, 3 sincos

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
NQ, NU, NW, NP, NC, NM = 3, 3, 3, 27, 62, 0


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
    """What depends on parameters only, computed once.

    c (62,): constants for the other functions

    Operations: 32 add, 33 mul, 1 div.
    """
    p, shape = _read((p, 27, "p"))
    (p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19,
     p20, p21, p22, p23, p24, p25, p26) = p
    v0 = p1 + p4
    v1 = p2 + p5
    v2 = p1*p6
    v3 = p9 - p10
    v4 = p1*v2 + 0.5*(p11 + v3)
    v5 = 0.5*(p11 - v3)
    v6 = p2*p7
    v7 = p12 - p13
    v8 = 0.5*(p12 + p13 - p14)
    v9 = p3*p8
    v10 = p16 - p15
    v11 = p17 + v10
    v12 = 0.5*v11
    v13 = 0.5*(p17 - v10) + p3*v9
    v14 = v0*(p7 + p8)
    v15 = p8*v1
    v16 = v6 + v15
    v17 = p2*v6 + 0.5*(p14 + v7) + v1*v15
    v18 = 0.5*(p14 - v7) + 0.5*(p15 + p16 - p17)
    v19 = v17 - v18
    v20 = v12 + v13
    v21 = p0*p8
    v22 = p0*p7
    v23 = p0*p6
    v24 = v1*v9
    c = np.zeros((62,) + shape)
    c[0] = p0
    c[1] = p18
    c[2] = p19
    c[3] = p20
    c[4] = p21
    c[5] = p22
    c[6] = p23
    c[7] = p24
    c[8] = p25
    c[9] = p26
    c[10] = v0
    c[11] = v1
    c[12] = v9
    c[13] = v11
    c[14] = v12
    c[15] = v13
    c[16] = v14
    c[17] = v2 + v14
    c[18] = v16
    c[19] = v17
    c[20] = v18
    c[21] = v19
    c[22] = v12 - v13
    c[23] = v20
    c[24] = v24
    c[25] = v4
    c[26] = v5
    c[27] = v8
    c[28] = 2.0*v18
    c[29] = 1.0/v20
    c[30] = p1
    c[31] = p2
    c[32] = p3
    c[33] = p4
    c[34] = p5
    c[35] = p6
    c[36] = p7
    c[37] = p8
    c[38] = 2.0*v1
    c[39] = -v19
    c[40] = 2.0*v9
    c[41] = 2.0*v16
    c[42] = 2.0*v17
    c[43] = 2.0*v19
    c[44] = 2.0*v24
    c[45] = 2.0*v13
    c[46] = v4 + v0*v14 + (v5 + v8)
    c[47] = p11
    c[48] = p12
    c[49] = p13
    c[50] = p14
    c[51] = p15
    c[52] = p16
    c[53] = p17
    c[54] = 0.5*p20
    c[55] = 0.5*p19
    c[56] = 0.5*p18
    c[57] = v21
    c[58] = v22
    c[59] = v21 + v22
    c[60] = v23
    c[61] = v22 + v23
    return c


def rates(t, q, u, c):
    """Rates of the coordinates.

    qdot (3,): rates of the coordinates

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 62, "c"))
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

    Operations: 62 add, 76 mul, 3 sincos.
    """
    t, q, u, w, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (w, 3, "w"),
        (c, 62, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0, w1, w2 = w
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19,
     c20, c21, c22, c23, c24, c25, c26, c27, c28) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
     13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v0
    v7 = c0*v1 + c10*(u0*u0)
    v8 = u0*v2
    v9 = u0*v3
    v10 = v8*v9
    v11 = v2*v7
    v12 = u1*v8
    v13 = u1*v9
    v14 = v4*v8 + u1*v5
    v15 = v5*v8 - u1*v4
    v16 = u2 + v9
    v17 = v5*c12
    v18 = c11*v17
    v19 = v4*c22
    v20 = v4*v19
    v21 = c19 + (c15 + v20 + 2.0*v18)
    v22 = v3*(v3*(v21 - c20)) + (c20 + (c25 + c10*(c16 + 2.0*(v3*(c18 + v17))))) + c26
    v23 = 2.0*v12
    v24 = u2 + v16
    v25 = v4*v13 + v15*v24
    v26 = v12 + v14*v15
    v27 = c14*(v14*v24 - v5*v13)
    v28 = c15*v25 + c12*(v11 + c11*v10)
    v29 = c12*(v4*(v3*v7 + c11*(v9*v9 + u1*u1)) + v5*(v6 - c11*v23))
    v30 = c22*v26 - c13*v12 + v29
    v31 = c12*(v4*(v14*v14 + v16*v16) + v5*v26)
    v32 = v2*(v13*c28 + v4*v28 - v5*v27) + v3*(v30 + (c18*v6 - c19*v23) - c11*v31)
    v33 = w1 - u1*c5 - c2*(q1 - c8) - c18*v11 - v10*c21 - c24*v25 - v4*v27
    M = np.zeros((3, 3) + shape)
    M[0, 0] = c14 + (v22 + c27) - v20
    M[1, 0] = M[0, 1] = -v2*(v5*v19 - v4*c24)
    M[1, 1] = c20 + v21
    M[2, 0] = M[0, 2] = v3*(c23 + v18) + c10*v17
    M[2, 2] = c23
    f = np.zeros((3,) + shape)
    f[0] = w0 - u0*c4 - c1*(q0 - c7) - (c17*v6 + (v32 + c10*(-c18*v23 - v31)))
    f[1] = v33 - v5*v28
    f[2] = w2 - u2*c6 - c3*(q2 - c9) - v30
    return M, f


def accelerations(t, q, u, w, c):
    """Accelerations, written out.

    udot (3,): accelerations

    Operations: 68 add, 86 mul, 2 div, 3 sincos.
    """
    t, q, u, w, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (w, 3, "w"),
        (c, 62, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0, w1, w2 = w
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19,
     c20, c21, c22, c23, c24, c25, c26, c27, c28, c29) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v0
    v7 = c0*v1 + c10*(u0*u0)
    v8 = u0*v2
    v9 = u0*v3
    v10 = v8*v9
    v11 = v2*v7
    v12 = u1*v8
    v13 = u1*v9
    v14 = v4*v8 + u1*v5
    v15 = v5*v8 - u1*v4
    v16 = u2 + v9
    v17 = v5*c12
    v18 = c11*v17
    v19 = v3*(c23 + v18) + c10*v17
    v20 = v4*c22
    v21 = v4*v20
    v22 = c19 + (c15 + v21 + 2.0*v18)
    v23 = v2*(v5*v20 - v4*c24)
    v24 = 2.0*v12
    v25 = u2 + v16
    v26 = v4*v13 + v15*v25
    v27 = v12 + v14*v15
    v28 = c14*(v14*v25 - v5*v13)
    v29 = c15*v26 + c12*(v11 + c11*v10)
    v30 = c12*(v4*(v3*v7 + c11*(v9*v9 + u1*u1)) + v5*(v6 - c11*v24))
    v31 = c22*v27 - c13*v12 + v30
    v32 = v31 - (w2 - u2*c6 - c3*(q2 - c9))
    v33 = c12*(v4*(v14*v14 + v16*v16) + v5*v27)
    v34 = u1*c5 + (v5*v29 + (v4*v28 + (c24*v26 + (c18*v11 + v10*c21))) - w1)
    v35 = c2*(q1 - c8) + v34
    v36 = v2*(v13*c28 + v4*v29 - v5*v28) + v3*(v31 + (c18*v6 - c19*v24) - c11*v33)
    v37 = v19*c29
    v38 = c17*v6 + (v36 + c10*(-c18*v24 - v33)) - (w0 - u0*c4 - c1*(q0 - c7))
    v39 = 1.0/(c20 + v22)
    v40 = v23*v39
    v41 = v3*(v3*(v22 - c20)) + (c20 + (c25 + c10*(c16 + 2.0*(v3*(c18 + v17))))) + c26
    v42 = (v32*v37 - v38 - v35*v40)/(c14 + (v41 + c27) - v21 - v19*v37 - v23*v40)
    udot = np.zeros((3,) + shape)
    udot[0] = v42
    udot[1] = v40*v42 - v35*v39
    udot[2] = -(v32*c29 + v37*v42)
    return udot


def rate_jacobians(t, q, u, c):
    """Derivatives of the coordinates' rates.

    qdot_q (3, 3): derivative of qdot by q
    qdot_u (3, 3): derivative of qdot by u

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 62, "c"))
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

    Operations: 137 add, 216 mul, 3 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 3, "w"), (udot, 3, "udot"), (lam, 0, "lam"), (c, 62, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    udot0, udot1, udot2 = udot
    (c0, c1, c2, c3, c4, c5, c6, c10, c11, c12, c13, c15, c18, c19, c21, c22, c24, c28, c30,
     c31, c32, c33, c34, c35, c36, c37, c38, c39, c40, c41, c42, c43, c44, c45) = c[[0, 1, 2, 3,
     4, 5, 6, 10, 11, 12, 13, 15, 18, 19, 21, 22, 24, 28, 30, 31, 32, 33, 34, 35, 36, 37, 38,
     39, 40, 41, 42, 43, 44, 45]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v1
    v7 = c0*v0
    v8 = u0*c10
    v9 = v6 + u0*v8
    v10 = v7 + udot0*c10
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
    v22 = v15 + c11*(v14 + u1*u1)
    v23 = v10 - c11*v21
    v24 = v4*v11 + u1*v5
    v25 = v5*v11 - u1*v4
    v26 = v24*v24
    v27 = v24*v25
    v28 = udot2 + v20
    v29 = u2 + v12
    v30 = v18 + v19
    v31 = v14 - v11*v11
    v32 = u2 + v29
    v33 = udot1*v4 + (v24*v32 - v5*v19)
    v34 = udot1*v5 + (v4*v19 + v25*v32)
    v35 = v27 - v28
    v36 = c12*v35
    v37 = c12*(v26 + v29*v29)
    v38 = c13*v33
    v39 = v25*v25 - v26
    v40 = c15*v34 + c12*(v16 + c11*(udot1 + v13))
    v41 = v4*v40
    v42 = v5*v38
    v43 = c30*v1
    v44 = v1*(c33 + c31*v3) + v43
    v45 = v2*v5
    v46 = v2*v4
    v47 = v5*c12
    v48 = c37*(v0*(c32*v4) - (c34 + c32*v5)*(v1*v3) - v44) - c36*v44 - c35*v43
    v49 = v4*v12
    v50 = v5*v12
    v51 = 2.0*v24
    v52 = 2.0*v11
    v53 = v4*v20 + (v32*v50 - v11*v25)
    v54 = v19 + (v25*v49 + v24*v50)
    v55 = c13*(v32*v49 - v11*v24 - v5*v20)
    v56 = c15*v53 + c12*(v15 + c11*v31)
    v57 = c22*v54 - c13*v19 + c12*(v4*(-v13*c38 - v16) - v5*(c11*v30))
    v58 = 0.5*v5
    v59 = 0.5*v4
    v60 = c12*(v5*v54 + v4*(v49*v51 - v29*v52))
    v61 = v4*v56 - v55*v58 - v21*c39 - c18*v10 - v35*c22 - c13*v28
    v62 = v2*(c11*(v5*v36 + v4*v37) + (v61 - c12*(v4*v22 + v5*v23)))
    v63 = c15*v33
    v64 = c13*v34
    v65 = c22*v39 + c12*(v5*v22 - v4*v23)
    v66 = v5*(v37 + c12*v39) + v4*(v27*c40 - v36)
    v67 = v2*(v5*v40 - v4*v63 - 0.5*(v5*v64 - v4*v38)) + v3*(v65 - c11*v66)
    v68 = v2*v12
    v69 = v2*v8
    v70 = u1*v2
    v71 = u1*v3
    v72 = 2.0*v3
    v73 = v4*v71 + (v3*v25 + v32*v45)
    v74 = v70 + (v25*v46 + v24*v45)
    v75 = c13*(v3*v24 + v32*v46 - v5*v71)
    v76 = c15*v73 + c12*(c38*v68 + 2.0*v69)
    v77 = c22*v74 - c13*v70 + c12*(v4*(v72*(v8 + c11*v12)) - v70*(v5*c38))
    v78 = c12*(v5*v74 + v4*(v46*v51 + v29*v72))
    v79 = v2*(v71*c28 + v4*v76 - v58*v75) + v3*(v77 - v70*c42 - c11*v78)
    v80 = v49 - v4*v32
    v81 = v11 + (v5*v25 - v4*v24)
    v82 = c15*v80
    v83 = c13*(v5*v32 - v50)
    v84 = c22*v81 - c13*v11 - v25*c44
    v85 = v47*(v81 + v4*v51)
    v86 = v2*(v12*c28 + v4*v82 - v58*v83) + v3*(v84 - c19*v52 - c11*v85)
    r_q = np.zeros((3, 3) + shape)
    r_q[0, 0] = c1 - c0*v48
    r_q[0, 1] = v3*(v57 + (v41 + v30*c39 - 0.5*v42) - c11*v60) + v62 - c10*(c18*v30 + v60)
    r_q[0, 2] = v67 - c10*v66
    r_q[1, 0] = -v2*v7*(c18 + v47)
    r_q[1, 1] = v5*v56 + (v55*v59 + (v53*c24 + (c18*v15 + (c2 + c21*v31))))
    r_q[1, 2] = -(v41 + v5*v63 - 0.5*(v42 + v4*v64) + v33*c24)
    r_q[2, 0] = c12*(v5*v6 - v4*(v3*v7))
    r_q[2, 1] = v57
    r_q[2, 2] = c3 + v65
    r_u = np.zeros((3, 3) + shape)
    r_u[0, 0] = c4 + (v79 - c10*(v70*c41 + v78))
    r_u[0, 1] = v86 - c10*(v11*c41 + v85)
    r_u[0, 2] = v2*(v25*(v4*c45) - v5*(c13*v24)) - (c10 + v3*c11)*(v4*(v29*c40))
    r_u[1, 0] = v68*c43 + (v69*c41 + (c24*v73 + (v5*v76 + v59*v75)))
    r_u[1, 1] = v5*v82 + (v59*v83 + (c5 + c24*v80))
    r_u[1, 2] = -v84
    r_u[2, 0] = v77
    r_u[2, 1] = v84
    r_u[2, 2] = c6
    r_w = np.zeros((3, 3) + shape)
    r_w[0, 0] = -1.0
    r_w[1, 1] = -1.0
    r_w[2, 2] = -1.0
    return r_q, r_u, r_w


def inverse(t, q, u, w, udot, lam, c):
    """Generalized forces required in addition for this udot (inverse dynamics).

    r (3,): M udot - f

    Operations: 54 add, 67 mul, 3 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 3, "w"), (udot, 3, "udot"), (lam, 0, "lam"), (c, 62, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0, w1, w2 = w
    udot0, udot1, udot2 = udot
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c17, c18, c19, c20,
     c21, c22, c24, c28, c46) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18,
     19, 20, 21, 22, 24, 28, 46]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v0
    v7 = c0*v1 + c10*(u0*u0)
    v8 = v6 + udot0*c10
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
    v25 = c14*(udot1*v4 + (v18*v22 - v5*v14))
    v26 = c15*v23 + c12*(v11 + c11*v16)
    v27 = c12*(v4*(v3*v7 + c11*(v10*v10 + u1*u1)) + v5*(v8 - c11*v17))
    v28 = v24*c22 + c13*v20 + v27
    v29 = c12*(v5*v24 + v4*(v18*v18 + v21*v21))
    v30 = c18*v11 + (v23*c24 + (v4*v25 + (v5*v26 + (c2*(q1 - c8) + u1*c5))))
    v31 = v2*(c20*(v13 + v14) + v4*v26 - v5*v25) + (c17*v6 + udot0*c46)
    v32 = v3*(c18*v8 - c19*v17 + (v28 - c11*v29)) + v31 - c10*(c18*v17 + v29) - w0
    r = np.zeros((3,) + shape)
    r[0] = c1*(q0 - c7) + (u0*c4 + v32)
    r[1] = udot1*c28 + (v16*c21 + v30) - w1
    r[2] = v28 - (w2 - u2*c6 - c3*(q2 - c9))
    return r


def energy(t, q, u, c):
    """Kinetic and potential energy.

    T (): kinetic energy
    V (): potential energy

    Operations: 35 add, 60 mul, 3 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 62, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    (c0, c7, c8, c9, c30, c31, c32, c33, c34, c35, c36, c37, c47, c48, c49, c50, c51, c52, c53,
     c54, c55, c56) = c[[0, 7, 8, 9, 30, 31, 32, 33, 34, 35, 36, 37, 47, 48, 49, 50, 51, 52, 53,
     54, 55, 56]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = q0 - c7
    v7 = q1 - c8
    v8 = q2 - c9
    v9 = u0*v2
    v10 = u0*v3
    v11 = v4*v9 + u1*v5
    v12 = v5*v9 - u1*v4
    v13 = u2 + v10
    v14 = c34 + c32*v5
    v15 = c32*v4
    v16 = u1*c31
    v17 = u1*v14 + v9*v15 + v16
    v18 = c33 + c31*v3
    v19 = u0*c30
    v20 = u0*v18 + v19
    v21 = v10*v14 + v20
    v22 = v10*v15
    v23 = v5*v22 - v4*v21
    v24 = v5*v21 + v4*v22 + u2*c32
    v25 = v13*(c53*v13) + (v12*(c52*v12) + v11*(c51*v11))
    v26 = u1*(u1*c50) + (v9*(c49*v9) + v10*(c48*v10)) + c36*(v20*v20 + v16*v16)
    v27 = v25 + c37*(v17*v17 + (v23*v23 + v24*v24))
    v28 = c30*v1
    v29 = v1*v18 + v28
    v30 = v8*(v8*c54) + c0*(c37*(v0*v15 - v14*(v1*v3) - v29) - c36*v29 - c35*v28)
    T = np.zeros(shape)
    T[...] = 0.5*(v27 + (v26 + (u0*(u0*c47) + c35*(v19*v19))))
    V = np.zeros(shape)
    V[...] = v6*(v6*c56) + (v7*(v7*c55) + v30)
    return T[()], V[()]


def momentum(t, q, u, c):
    """Linear momentum, and angular momentum about the origin, in ground axes.

    linear (3,): linear momentum
    angular (3,): angular momentum

    Operations: 63 add, 102 mul, 3 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 62, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    (c30, c31, c32, c33, c34, c35, c36, c37, c47, c48, c49, c50, c51, c52, c53) = c[[30, 31, 32,
     33, 34, 35, 36, 37, 47, 48, 49, 50, 51, 52, 53]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = u0*v2
    v7 = u0*v3
    v8 = c52*(v5*v6 - u1*v4)
    v9 = c51*(v4*v6 + u1*v5)
    v10 = c34 + c32*v5
    v11 = c32*v4
    v12 = u1*c31
    v13 = c33 + c31*v3
    v14 = u0*c30
    v15 = u0*v13 + v14
    v16 = v7*v10 + v15
    v17 = v7*v11
    v18 = u1*c50
    v19 = c49*v6
    v20 = v1*v3
    v21 = c30*v1
    v22 = v1*v13 + v21
    v23 = v0*v11 - v10*v20 - v22
    v24 = c37*(u1*v10 + v6*v11 + v12)
    v25 = v0*v2
    v26 = c37*(v5*v17 - v4*v16)
    v27 = v0*v3
    v28 = v1*v4 + v5*v27
    v29 = c37*(v5*v16 + v4*v17 + u2*c32)
    v30 = v1*v5 - v4*v27
    v31 = v29*v30 - v26*v28 - v24*v25
    v32 = c36*v15
    v33 = c36*v12
    v34 = v1*v32 - v25*v33
    v35 = c35*v14
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
    v47 = c31*v2
    v48 = v2*v10 + v47
    v49 = c53*(u2 + v7) + c48*v7
    v50 = v1*v18 + (v23*v45 + (v40*v48 + (v9*v30 + v25*v49 - v8*v28))) - v19*v27
    v51 = c30*v0
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
    angular[2] = v42*v51 + (v21*v36 + (u0*c47 + (v41*v52 + v55)))
    return linear, angular


def outputs(t, q, u, w, udot, lam, c):
    """Outputs of the model.

    y (9,): outputs

    Operations: 110 add, 164 mul, 3 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 3, "w"), (udot, 3, "udot"), (lam, 0, "lam"), (c, 62, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    udot0, udot1, udot2 = udot
    (c0, c10, c11, c12, c13, c14, c15, c17, c18, c19, c20, c21, c22, c28, c30, c31, c32, c33,
     c34, c35, c36, c37, c46, c57, c58, c59, c60, c61) = c[[0, 10, 11, 12, 13, 14, 15, 17, 18,
     19, 20, 21, 22, 28, 30, 31, 32, 33, 34, 35, 36, 37, 46, 57, 58, 59, 60, 61]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = np.sin(q2)
    v5 = np.cos(q2)
    v6 = c0*v0
    v7 = u0*u0
    v8 = c0*v1 + c10*v7
    v9 = v6 + udot0*c10
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
    v27 = c12*v26
    v28 = c12*(v20*v20 + v23*v23)
    v29 = c12*v25
    v30 = c14*(udot1*v4 + (v20*v24 - v5*v15))
    v31 = c15*v25 + c12*(v12 + c11*v18)
    v32 = v5*v27 + v4*v28
    v33 = v26*c22 + c13*v22 + c12*(v4*(v3*v8 + c11*v17) + v5*(v9 - c11*v19))
    v34 = c20*(v14 + v15) + v4*v31 - v5*v30
    v35 = c18*v9 - c19*v19 + (v33 - c11*v32)
    v36 = c18*v17 + (v5*v28 - v4*v27)
    v37 = c18*v18 + v29
    v38 = c18*v19 + v32
    v39 = v3*v34 - v2*v35
    v40 = v2*v36 - v3*v37
    v41 = c10*v40 - v18*c21 - udot1*c28 - c18*v12 - c11*v29 - v4*v30 - v5*v31
    v42 = c34 + c32*v5
    v43 = c32*v4
    v44 = u1*c31
    v45 = c33 + c31*v3
    v46 = u0*c30
    v47 = u0*v45 + v46
    v48 = v11*v42 + v47
    v49 = v11*v43
    v50 = v5*v49 - v4*v48
    v51 = u2*c32
    v52 = v5*v48 + v4*v49 + v51
    v53 = v1*v3
    v54 = c30 + v45
    v55 = c37*(u1*v42 + v10*v43 + v44)
    v56 = c37*v50
    v57 = c37*v52
    v58 = c36*v47
    v59 = c36*v44
    v60 = udot0*c30
    v61 = udot0*v45 + v60 - v10*v44
    v62 = v16*v42 + v61
    v63 = v16*v43
    v64 = v20*v55 + v23*v57 + c37*(v23*v51 - u2*v52 - (v4*v62 - v5*v63))
    v65 = v64 + (v5*v53 - v0*v4)*c57
    v66 = c37*(v5*v62 + v4*v63 + (udot2*c32 + u2*v50)) - (v23*v56 + v21*v55)
    v67 = v66 + (v0*v5 + v4*v53)*c57
    v68 = udot1*c31
    v69 = v21*v57 + (v10*v58 + c36*v68 + v1*v2*c59 - v20*v56)
    v70 = v3*(v5*v65 + v4*v67 + (v11*v58 + u1*v59 + v53*c58))
    v71 = v70 + v2*(c37*(udot1*v42 + v15*v43 + v68 + v21*v51) + v69)
    v72 = v0*(c35*v60 + (c36*v61 + (v5*v67 - v4*v65) - v10*v59 + v0*c61))
    y = np.zeros((9,) + shape)
    y[0] = v1*v43 + v0*(v54 + v3*v42)
    y[1] = v0*v43 - v42*v53 - v1*v54
    y[2] = -v2*(c31 + v42)
    y[3] = -(v0*(c17*v7 + (v3*v36 + v2*v37)) + v1*(v38 - udot0*c17))
    y[4] = v1*(v71 + (u0*(c35*v46) + v1*c60)) + v72
    y[5] = v40
    y[6] = -(v0*v39 + v1*v41)
    y[7] = v1*v39 - v0*v41
    y[8] = v3*v35 + (v2*v34 + (c17*v6 + udot0*c46)) - c10*v38
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
