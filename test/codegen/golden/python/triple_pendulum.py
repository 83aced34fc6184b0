"""Triple pendulum: equations of motion
Derived by the formulation 'kane', written by linkwright 0.1.0.

    qdot = N(q, t) u + nu(q, t)
    M(q, t) udot = f(q, u, w, t)

Coordinates q
    0  q1
    1  q2
    2  q3

Speeds u
    0  q1'
    1  q2'
    2  q3'

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
    setup           p -> c                                7 add, 7 mul, 1 div
    rates           t q u c -> qdot                       none
    dynamics        t q u w c -> M f                      114 add, 167 mul, 3 sincos
    accelerations   t q u w c -> udot                     120 add, 177 mul, 2 div, 3 sincos
    rate_jacobians  t q u c -> qdot_q qdot_u              none
    jacobians       t q u w udot lambda c -> r_q r_u r_w  385 add, 533 mul, 3 sincos
    inverse         t q u w udot lambda c -> r            121 add, 174 mul, 3 sincos
    energy          t q u c -> T V                        35 add, 65 mul, 3 sincos
    momentum        t q u c -> linear angular             65 add, 105 mul, 3 sincos
    outputs         t q u w udot lambda c -> y            105 add, 161 mul, 3 sincos

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
FORMULATION = "kane"
NQ, NU, NW, NP, NC, NM = 3, 3, 3, 27, 34, 0


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

    c (34,): constants for the other functions

    Operations: 7 add, 7 mul, 1 div.
    """
    p, shape = _read((p, 27, "p"))
    (p0, p1, p2, p3, p4, p5, p6, p7, p8, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21,
     p22, p23, p24, p25, p26) = p[[0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18,
     19, 20, 21, 22, 23, 24, 25, 26]]
    v0 = p17 + p8*(p3*p3)
    v1 = p7 + p8
    c = np.zeros((34,) + shape)
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
    c[22] = p3*p8
    c[23] = v0
    c[24] = -p24
    c[25] = -p25
    c[26] = -p26
    c[27] = v1
    c[28] = p1*(p6 + v1)
    c[29] = p2*v1
    c[30] = p0*p7
    c[31] = p0*p8
    c[32] = 1.0/v0
    c[33] = -p18
    return c


def rates(t, q, u, c):
    """Rates of the coordinates.

    qdot (3,): rates of the coordinates

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 34, "c"))
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

    Operations: 114 add, 167 mul, 3 sincos.
    """
    t, q, u, w, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (w, 3, "w"),
        (c, 34, "c"))
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
    v4 = c2*v2
    v5 = c4 + c2*v3
    v6 = np.sin(q2)
    v7 = np.cos(q2)
    v8 = c3*v6
    v9 = c5 + c3*v7
    v10 = u0*c1
    v11 = u1*c2
    v12 = u0*v3
    v13 = u0*v2
    v14 = v10 + u0*v5
    v15 = u2*c3
    v16 = u1*v7 + v6*v13
    v17 = v7*v13 - u1*v6
    v18 = v8*v12
    v19 = v14 + v9*v12
    v20 = v7*v18 - v6*v19
    v21 = u2 + v12
    v22 = v15 + (v7*v19 + v6*v18)
    v23 = v9*v9
    v24 = v8*v8
    v25 = c8*v24
    v26 = c13*v6
    v27 = c14*v7
    v28 = c8*v9
    v29 = v3*v28
    v30 = v4*(v2*v28)
    v31 = v2*(v2*(c11 + (v25 + (v7*v27 + v6*v26))))
    v32 = v31 + v3*(v3*(c10 + (c15 + c8*(v23 + v24))))
    v33 = v29 + c27*v5
    v34 = c9 + (c27*(v5*v5) + (2.0*(v5*v29 + v30) - v30 - v30 + v32)) + c1*v33
    v35 = c22*v7
    v36 = c0*v0
    v37 = c0*v1
    v38 = u1*v13
    v39 = u1*v12
    v40 = v2*v37
    v41 = v3*v37
    v42 = v36 - v11*v13
    v43 = v41 - v8*v38
    v44 = v42 - v9*v38
    v45 = c10*v12
    v46 = c11*v13
    v47 = u1*c12
    v48 = c7*v11
    v49 = c7*v14
    v50 = c13*v16
    v51 = c14*v17
    v52 = c15*v21
    v53 = c8*v22
    v54 = c8*v20
    v55 = c8*(v11 + (u1*v9 + v8*v13))
    v56 = v16*v54 - v17*v53
    v57 = c8*(v15*v17 + (v40 + v8*v39))
    v58 = v17*v52 - v21*v51 + c13*(u2*v17 + v6*v39)
    v59 = v21*v50 - v16*v52 + c14*(v7*v39 - u2*v16)
    v60 = v16*v51 - v17*v50 - c15*v38
    v61 = c8*(u2*v20 + (v7*v44 + v6*v43)) - (v21*v54 + v17*v55)
    v62 = v16*v55 + v21*v53 + c8*(v15*v21 - u2*v22 + (v7*v43 - v6*v44))
    v63 = v56 - v57
    v64 = v7*v62 + v6*v61
    v65 = v7*v61 - v6*v62
    v66 = v13*v49 + c7*v40 + (v57 - v56)
    v67 = c7*v42 - v13*v48 + v65
    v68 = v2*(v12*v47 - u1*v45 + c11*v39 + (v7*v59 + v6*v58 - v8*v63))
    v69 = v68 - v3*(v13*v47 - u1*v46 + c10*v38 - (v60 + (v8*v64 + v9*v65)))
    v70 = c6*v36 + v67
    v71 = u0*(c6*v10) + c6*v37 + (v3*(v12*v49 + u1*v48 + c7*v41 + v64) + v2*v66)
    v72 = v5*v67 + v69 + (c1*v1*(v1*v70 - v0*v71) + c1*v0*(v1*v71 + v0*v70))
    v73 = v13*v45 - v12*v46 + (v7*v58 - v6*v59 - v9*v63) + c2*v66
    M = np.zeros((3, 3) + shape)
    M[0, 0] = v34 + c1*(c28 + v33)
    M[1, 0] = M[0, 1] = v4*(c8*v8) + v2*(c8*(v8*v9) + (v7*v26 - v6*v27))
    M[1, 1] = c12 + (c8*v23 + (v6*(c14*v6) + v7*(c13*v7))) + c2*v28 + c2*(c29 + v28)
    M[2, 0] = M[0, 2] = v5*v35 + v3*(c15 + (v25 + v9*v35)) + c1*v35
    M[2, 2] = c23
    f = np.zeros((3,) + shape)
    f[0] = w0 - u0*c19 - c16*(q0 + c24) - v72
    f[1] = w1 - u1*c20 - c17*(q1 + c25) - v73
    f[2] = w2 - u2*c21 - c18*(q2 + c26) - (v60 + c3*v61)
    return M, f


def accelerations(t, q, u, w, c):
    """Accelerations, written out.

    udot (3,): accelerations

    Operations: 120 add, 177 mul, 2 div, 3 sincos.
    """
    t, q, u, w, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (w, 3, "w"),
        (c, 34, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0, w1, w2 = w
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19,
     c20, c21, c22, c24, c25, c26, c27, c28, c29, c32) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 32]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = c2*v2
    v5 = c4 + c2*v3
    v6 = np.sin(q2)
    v7 = np.cos(q2)
    v8 = c3*v6
    v9 = c5 + c3*v7
    v10 = u0*c1
    v11 = u1*c2
    v12 = u0*v3
    v13 = u0*v2
    v14 = v10 + u0*v5
    v15 = u2*c3
    v16 = u1*v7 + v6*v13
    v17 = v7*v13 - u1*v6
    v18 = v8*v12
    v19 = v14 + v9*v12
    v20 = v7*v18 - v6*v19
    v21 = u2 + v12
    v22 = v15 + (v7*v19 + v6*v18)
    v23 = v9*v9
    v24 = v8*v8
    v25 = c8*v24
    v26 = c13*v6
    v27 = c14*v7
    v28 = c8*v9
    v29 = v3*v28
    v30 = v4*(v2*v28)
    v31 = v2*(v2*(c11 + (v25 + (v7*v27 + v6*v26))))
    v32 = v4*(c8*v8) + v2*(c8*(v8*v9) + (v7*v26 - v6*v27))
    v33 = v31 + v3*(v3*(c10 + (c15 + c8*(v23 + v24))))
    v34 = v29 + c27*v5
    v35 = c9 + (c27*(v5*v5) + (2.0*(v5*v29 + v30) - v30 - v30 + v33)) + c1*v34
    v36 = c22*v7
    v37 = v5*v36 + v3*(c15 + (v25 + v9*v36)) + c1*v36
    v38 = c0*v0
    v39 = c0*v1
    v40 = u1*v13
    v41 = u1*v12
    v42 = v2*v39
    v43 = v3*v39
    v44 = v38 - v11*v13
    v45 = v43 - v8*v40
    v46 = v44 - v9*v40
    v47 = c10*v12
    v48 = c11*v13
    v49 = u1*c12
    v50 = c7*v11
    v51 = c7*v14
    v52 = c13*v16
    v53 = c14*v17
    v54 = c15*v21
    v55 = c8*v22
    v56 = c8*v20
    v57 = c8*(v11 + (u1*v9 + v8*v13))
    v58 = v16*v56 - v17*v55
    v59 = c8*(v15*v17 + (v42 + v8*v41))
    v60 = v17*v54 - v21*v53 + c13*(u2*v17 + v6*v41)
    v61 = v21*v52 - v16*v54 + c14*(v7*v41 - u2*v16)
    v62 = v16*v53 - v17*v52 - c15*v40
    v63 = c8*(u2*v20 + (v7*v46 + v6*v45)) - (v21*v56 + v17*v57)
    v64 = v16*v57 + v21*v55 + c8*(v15*v21 - u2*v22 + (v7*v45 - v6*v46))
    v65 = v58 - v59
    v66 = v7*v64 + v6*v63
    v67 = v7*v63 - v6*v64
    v68 = v13*v51 + c7*v42 + (v59 - v58)
    v69 = c7*v44 - v13*v50 + v67
    v70 = v2*(v12*v49 - u1*v47 + c11*v41 + (v7*v61 + v6*v60 - v8*v65))
    v71 = v70 - v3*(v13*v49 - u1*v48 + c10*v40 - (v62 + (v8*v66 + v9*v67)))
    v72 = c6*v38 + v69
    v73 = u0*(c6*v10) + c6*v39 + (v3*(v12*v51 + u1*v50 + c7*v43 + v66) + v2*v68)
    v74 = v5*v69 + v71 + (c1*v1*(v1*v72 - v0*v73) + c1*v0*(v1*v73 + v0*v72))
    v75 = v13*v47 - v12*v48 + (v7*v60 - v6*v61 - v9*v65) + c2*v68
    v76 = w1 - u1*c20 - c17*(q1 + c25) - v75
    v77 = w2 - u2*c21 - c18*(q2 + c26) - (v62 + c3*v63)
    v78 = c32*v37
    v79 = c12 + (c8*v23 + (v6*(c14*v6) + v7*(c13*v7))) + c2*v28 + c2*(c29 + v28)
    v80 = 1.0/v79
    v81 = v32*v80
    v82 = w0 - u0*c19 - c16*(q0 + c24) - v74 - v77*v78 - v76*v81
    v83 = v82/(v35 + c1*(c28 + v34) - v37*v78 - v32*v81)
    udot = np.zeros((3,) + shape)
    udot[0] = v83
    udot[1] = v76*v80 - v81*v83
    udot[2] = c32*v77 - v78*v83
    return udot


def rate_jacobians(t, q, u, c):
    """Derivatives of the coordinates' rates.

    qdot_q (3, 3): derivative of qdot by q
    qdot_u (3, 3): derivative of qdot by u

    Operations: none.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 34, "c"))
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

    Operations: 385 add, 533 mul, 3 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 3, "w"), (udot, 3, "udot"), (lam, 0, "lam"), (c, 34, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    udot0, udot1, udot2 = udot
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c10, c11, c12, c13, c14, c15, c17, c18, c19, c20, c21,
     c22, c27, c33) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21,
     22, 27, 33]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = c1*v0
    v3 = c1*v1
    v4 = np.sin(q1)
    v5 = np.cos(q1)
    v6 = c2*v4
    v7 = c4 + c2*v5
    v8 = np.sin(q2)
    v9 = np.cos(q2)
    v10 = c3*v8
    v11 = c3*v9
    v12 = c5 + v11
    v13 = u0*c1
    v14 = v3 + v1*v7
    v15 = u1*c2
    v16 = u0*v5
    v17 = u0*v4
    v18 = v13 + u0*v7
    v19 = v4*v8
    v20 = v4*v9
    v21 = u2*c3
    v22 = u1*v9 + v8*v17
    v23 = v9*v17 - u1*v8
    v24 = v10*v17
    v25 = v10*v16
    v26 = v18 + v12*v16
    v27 = v9*v26
    v28 = v8*v25
    v29 = v9*v25 - v8*v26
    v30 = u2 + v16
    v31 = v21 + (v27 + v28)
    v32 = v10*v12
    v33 = v10*v10
    v34 = c8*v33
    v35 = c8*v32
    v36 = c13*v8
    v37 = c14*v9
    v38 = c13*v9
    v39 = c14*v8
    v40 = v9*v37
    v41 = v8*v36
    v42 = v8*v37
    v43 = v9*v36
    v44 = c8*v12
    v45 = c8*v10
    v46 = v4*v44
    v47 = v6*(v5*v44)
    v48 = c1*(v46 + c27*v6)
    v49 = c2*v45
    v50 = v5*(v35 + (v43 - v42) + v49)
    v51 = c22*v9
    v52 = v5*v45
    v53 = v4*v45
    v54 = v6*v51
    v55 = v54 + v4*(c15 + (v34 + v12*v51))
    v56 = c0*v0
    v57 = c0*v1
    v58 = u1*v17
    v59 = u1*v16
    v60 = v4*v57
    v61 = v5*v57
    v62 = v56 - v15*v17
    v63 = u2*v29
    v64 = v10*v58
    v65 = v60 + v10*v59
    v66 = v61 - v64
    v67 = v62 - v12*v58
    v68 = v9*v67
    v69 = v8*v66
    v70 = u2*v23 + v8*v59
    v71 = v9*v59 - u2*v22
    v72 = c10*v16
    v73 = c11*v17
    v74 = u1*c12
    v75 = c7*v15
    v76 = c7*v18
    v77 = u1*v73
    v78 = v17*v74
    v79 = v16*v74
    v80 = u1*v72
    v81 = v17*v76
    v82 = v16*v76
    v83 = c10*v58
    v84 = c11*v59
    v85 = c7*v60
    v86 = c7*v61
    v87 = c13*v22
    v88 = c14*v23
    v89 = c15*v30
    v90 = c8*v31
    v91 = c8*v29
    v92 = c8*(v15 + (u1*v12 + v24))
    v93 = v23*v89
    v94 = v22*v89
    v95 = v30*v91
    v96 = v23*v92
    v97 = v22*v92
    v98 = v22*v91 - v23*v90
    v99 = c8*(v21*v30 - u2*v31 + (v9*v66 - v8*v67))
    v100 = c8*(v21*v23 + v65)
    v101 = v93 - v30*v88 + c13*v70
    v102 = v30*v87 - v94 + c14*v71
    v103 = c8*(v63 + (v68 + v69)) - (v95 + v96)
    v104 = v97 + v30*v90 + v99
    v105 = v98 - v100
    v106 = v9*v104
    v107 = v8*v103
    v108 = v106 + v107
    v109 = v8*v104
    v110 = v9*v103
    v111 = v110 - v109
    v112 = v10*v105
    v113 = v9*v102
    v114 = v8*v101
    v115 = v78 - v77 + v83 - (v22*v88 - v23*v87 - c15*v58 + (v10*v108 + v12*v111))
    v116 = v4*v56
    v117 = c8*v116
    v118 = c8*(c0*(v0*v10 - v12*(v1*v5) - v14)) - (c6*(c0*v3) + c7*(c0*v14))
    v119 = u0*v6
    v120 = v8*v16
    v121 = v9*v16
    v122 = v119 + v12*v17
    v123 = v9*v122 + v8*v24
    v124 = v8*v122 - v9*v24
    v125 = -2.0*v47
    v126 = -2.0*(v5*(v4*(c10 + (c15 + c8*(v12*v12 + v33)))))
    v127 = 2.0*(v4*(v5*(c11 + (v34 + (v40 + v41))))) + v126
    v128 = -2.0*(c27*(v6*v7)) + (v125 + (2.0*(2.0*v47 - (v7*v46 + v47)) + v125) + v127)
    v129 = v15*v16 + v12*v59
    v130 = c10*v17
    v131 = c11*v16
    v132 = c7*v119
    v133 = c13*v120
    v134 = c14*v121
    v135 = c15*v17
    v136 = c8*v123
    v137 = c8*v124
    v138 = c8*v25
    v139 = v22*v137 + v91*v120 + (v23*v136 - v90*v121)
    v140 = c8*(v66 + v21*v121)
    v141 = v89*v121 - v23*v135 + (v17*v88 - v30*v134) + c13*(u2*v121 - v8*v58)
    v142 = v30*v133 - v17*v87 + (v22*v135 - v89*v120) - c14*(u2*v120 + v9*v58)
    v143 = v22*v134 + v88*v120 - (v23*v133 + v87*v121) - c15*v59
    v144 = v30*v137 - v17*v91 + (v23*v138 + v92*v121)
    v145 = c8*(u2*v124 - (v9*v129 + v8*v65)) - v144
    v146 = c8*(u2*v123 - v17*v21 + (v8*v129 - v9*v65))
    v147 = v22*v138 + v92*v120 - (v30*v136 + v17*v90) + v146
    v148 = v139 - v140
    v149 = v9*v147 + v8*v145
    v150 = v9*v145 - v8*v147
    v151 = v86 + (v82 - v17*v132) + (v140 - v139)
    v152 = -2.0*(v16*v75) + v150
    v153 = v5*(v149 - (v85 + (v81 + v16*v132))) - v4*(v82 + u1*v75 + v86 + v108)
    v154 = v153 + (v5*(v81 + v85 + (v100 - v98)) + v4*v151)
    v155 = v4*(v83 - v78 - v77 + (v9*v142 + v8*v141 - v10*v148))
    v156 = v4*v115 - v5*(v80 + (v79 - v84) - (v143 + (v10*v149 + v12*v150)))
    v157 = v5*(v79 - v80 + v84 + (v113 + v114 - v112)) + v155 + v156
    v158 = v3*(v1*v152 - v0*v154) + v2*(v1*v154 + v0*v152)
    v159 = v16*v72 - v17*v130 + (v17*v73 - v16*v131) + (v9*v141 - v8*v142 - v12*v148)
    v160 = v7*v152 - v6*(c7*v62 - v17*v75 + v111) + v157 + v158
    v161 = v10*v11
    v162 = c8*v161
    v163 = 2.0*v162
    v164 = -2.0*v42 + 2.0*v43
    v165 = v6*v53
    v166 = v54 + v4*(c8*(v11*v12 - v33) + (v8*v39 - v40 + (v9*v38 - v41)))
    v167 = v4*(v4*(v163 + v164)) + v5*(v5*(c8*(-2.0*v32 + 2.0*v161)))
    v168 = c1*v52
    v169 = v5*(v163 - (v35 + v162)) - v7*v45 - c1*v45
    v170 = c13*v23
    v171 = c14*v22
    v172 = c8*(v28 - v27 + (v9*(v11*v16) - v28))
    v173 = c8*(v11*v17 - u1*v10)
    v174 = v23*v88 - v22*v171 + (v22*v87 - v23*v170)
    v175 = v23*v91
    v176 = v30*v171 - v94 + c13*v71
    v177 = v30*v170 - v93 - c14*v70
    v178 = v99 - (v30*v172 + (v23*v173 - v97))
    v179 = v95 + (v96 + v22*v173) - c8*(v63 + (v68 + v8*v64 + (v69 + v9*(v11*v58))))
    v180 = v175 + v22*v172 + (v22*v90 - v175) - c8*(v11*v59 - v21*v22)
    v181 = v9*v179 - v109 + (v110 + v8*v178)
    v182 = v9*v178 - v107 - (v106 + v8*v179)
    v183 = v5*v181 - v4*v180
    v184 = v4*(v9*v177 - v8*v102 + (v9*v101 + v8*v176) - (v10*v180 + v11*v105))
    v185 = v184 + v5*(v174 + (v10*v181 + v11*v108 + (v12*v182 - v10*v111)))
    v186 = v7*v182 + v185 + (v3*(v1*v182 - v0*v183) + v2*(v1*v183 + v0*v182))
    v187 = v186 + udot0*(v165 + (v165 - 2.0*(v7*v52 + v165)) + v167 - v168 - v168)
    v188 = v112 - v12*v180 + (v9*v176 - v114 - (v113 + v8*v177)) - c2*v180 + udot0*v166
    v189 = c1 + v7
    v190 = v5*v10
    v191 = v189 + v5*v12
    v192 = v9*v191 + v8*v190
    v193 = v9*v190 - v8*v191
    v194 = u1*v4
    v195 = u1*v5
    v196 = v10*v194
    v197 = v4*v15 + v12*v194
    v198 = c10*v5
    v199 = c11*v4
    v200 = c7*v189
    v201 = c13*v19
    v202 = c14*v20
    v203 = c15*v5
    v204 = c8*v192
    v205 = c8*v193
    v206 = v22*v205 + v19*v91 - (v23*v204 + v20*v90)
    v207 = c8*(v20*v21 + v10*v195)
    v208 = v23*v203 + v20*v89 - (v30*v202 + v5*v88) + c13*(u2*v20 + v8*v195)
    v209 = v30*v201 + v5*v87 - (v22*v203 + v19*v89) + c14*(v9*v195 - u2*v19)
    v210 = v22*v202 + v19*v88 - (v23*v201 + v20*v87) - c15*v194
    v211 = v30*v205 + v5*v91 + (v23*v53 + v20*v92)
    v212 = c8*(u2*v193 - (v9*v197 + v8*v196)) - v211
    v213 = c8*(v5*v21 - u2*v192 + (v8*v197 - v9*v196))
    v214 = v22*v53 + v19*v92 + (v30*v204 + v5*v90) + v213
    v215 = v206 - v207
    v216 = v9*v214 + v8*v212
    v217 = v9*v212 - v8*v214
    v218 = 2.0*(v17*v200) + (v207 - v206)
    v219 = -2.0*(v4*v75) + v217
    v220 = v4*(v5*v74 - u1*v198 + c11*v195 + (v9*v209 + v8*v208 - v10*v215))
    v221 = v220 - v5*(v4*v74 - u1*v199 + c10*v194 - (v210 + (v10*v216 + v12*v217)))
    v222 = 2.0*(c6*v13) + (v5*(2.0*(v16*v200) + v216) + v4*v218)
    v223 = c8*(c2 + v12)
    v224 = v30*v39 - v8*v89 + c13*(v120 - u2*v8)
    v225 = v30*v38 - v9*v89 + c14*(v121 - u2*v9)
    v226 = v9*v88 - v22*v39 + (v8*v87 - v23*v38) - v135
    v227 = v136 + (v23*v223 - v8*v92)
    v228 = v137 + (v22*v223 + v9*v92)
    v229 = v8*v90 + v9*v91 - c8*(v25 - v8*v21)
    v230 = v9*v228 - v8*v227
    v231 = v8*v228 + v9*v227
    v232 = -2.0*v132 - v231
    v233 = v5*(2.0*v75 + v230) - v4*v229
    v234 = v4*(v131 + (c12*v16 - v72) + (v9*v225 + v8*v224 - v10*v229))
    v235 = v234 - v5*(v130 + (c12*v17 - v73) - (v226 + (v10*v230 - v12*v231)))
    v236 = c3*v227
    v237 = v172 + (v90 + c22*v30)
    v238 = v9*v237
    v239 = v8*v237
    v240 = v5*v238 + 2.0*(v4*v173)
    v241 = 2.0*(v10*v173) + (v9*(v87 - c15*v22 - v171) + v8*(v170 + (c15*v23 - v88)))
    v242 = v2*(v1*v240 - v0*v239) - v3*(v0*v240 + v1*v239)
    r_q = np.zeros((3, 3) + shape)
    r_q[0, 0] = -(c33 + v118)
    r_q[0, 1] = v160 + udot0*(v128 - v48 - v48) + udot1*v50 - udot2*v55
    r_q[0, 2] = v187 + udot1*v166 + udot2*v169
    r_q[1, 0] = -(v12*v117 + c2*(c7*v116 + v117))
    r_q[1, 1] = c17 + (v159 + c2*v151) + udot0*v50
    r_q[1, 2] = v188 + udot1*(-2.0*v35 - v164 - v49 - v49)
    r_q[2, 0] = c3*(c8*(v9*v57 - v8*(v5*v56)))
    r_q[2, 1] = v143 + c3*v145 - udot0*v55
    r_q[2, 2] = c18 + (v174 + c3*v178) + udot0*v169
    r_u = np.zeros((3, 3) + shape)
    r_u[0, 0] = c19 + (v7*v219 + v221 + (v3*(v1*v219 - v0*v222) + v2*(v1*v222 + v0*v219)))
    r_u[0, 1] = v7*v232 + v235 + (v3*(v1*v232 - v0*v233) + v2*(v1*v233 + v0*v232))
    r_u[0, 2] = v4*v241 + v5*(v10*v238 - v12*v239) - v7*v239 + v242
    r_u[1, 0] = 2.0*(v17*v198) - 2.0*(v16*v199) + (v9*v208 - v8*v209 - v12*v215) + c2*v218
    r_u[1, 1] = c20 + (v9*v224 - v8*v225 - v12*v229 - c2*v229)
    r_u[1, 2] = v236 - v226
    r_u[2, 0] = v210 + c3*v212
    r_u[2, 1] = v226 - v236
    r_u[2, 2] = c21
    r_w = np.zeros((3, 3) + shape)
    r_w[0, 0] = -1.0
    r_w[1, 1] = -1.0
    r_w[2, 2] = -1.0
    return r_q, r_u, r_w


def inverse(t, q, u, w, udot, lam, c):
    """Forces along the speeds that are missing for this udot (inverse dynamics).

    r (3,): M udot - f

    Operations: 121 add, 174 mul, 3 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 3, "w"), (udot, 3, "udot"), (lam, 0, "lam"), (c, 34, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    w0, w1, w2 = w
    udot0, udot1, udot2 = udot
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19,
     c20, c21, c22, c23, c24, c25, c26, c27, c28, c29) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = np.sin(q1)
    v3 = np.cos(q1)
    v4 = c2*v2
    v5 = c4 + c2*v3
    v6 = np.sin(q2)
    v7 = np.cos(q2)
    v8 = c3*v6
    v9 = c5 + c3*v7
    v10 = u0*c1
    v11 = u1*c2
    v12 = u0*v3
    v13 = u0*v2
    v14 = v10 + u0*v5
    v15 = u2*c3
    v16 = u1*v7 + v6*v13
    v17 = v7*v13 - u1*v6
    v18 = v8*v12
    v19 = v14 + v9*v12
    v20 = v7*v18 - v6*v19
    v21 = u2 + v12
    v22 = v15 + (v7*v19 + v6*v18)
    v23 = v9*v9
    v24 = v8*v8
    v25 = c8*v24
    v26 = c13*v6
    v27 = c14*v7
    v28 = c8*v9
    v29 = v3*v28
    v30 = v4*(v2*v28)
    v31 = v2*(v2*(c11 + (v25 + (v7*v27 + v6*v26))))
    v32 = v4*(c8*v8) + v2*(c8*(v8*v9) + (v7*v26 - v6*v27))
    v33 = v31 + v3*(v3*(c10 + (c15 + c8*(v23 + v24))))
    v34 = v29 + c27*v5
    v35 = c9 + (c27*(v5*v5) + (2.0*(v5*v29 + v30) - v30 - v30 + v33)) + c1*v34
    v36 = c22*v7
    v37 = v5*v36 + v3*(c15 + (v25 + v9*v36)) + c1*v36
    v38 = c0*v0
    v39 = c0*v1
    v40 = u1*v13
    v41 = u1*v12
    v42 = v2*v39
    v43 = v3*v39
    v44 = v38 - v11*v13
    v45 = v43 - v8*v40
    v46 = v44 - v9*v40
    v47 = c10*v12
    v48 = c11*v13
    v49 = u1*c12
    v50 = c7*v11
    v51 = c7*v14
    v52 = c13*v16
    v53 = c14*v17
    v54 = c15*v21
    v55 = c8*v22
    v56 = c8*v20
    v57 = c8*(v11 + (u1*v9 + v8*v13))
    v58 = v16*v56 - v17*v55
    v59 = c8*(v15*v17 + (v42 + v8*v41))
    v60 = v17*v54 - v21*v53 + c13*(u2*v17 + v6*v41)
    v61 = v21*v52 - v16*v54 + c14*(v7*v41 - u2*v16)
    v62 = v16*v53 - v17*v52 - c15*v40
    v63 = c8*(u2*v20 + (v7*v46 + v6*v45)) - (v21*v56 + v17*v57)
    v64 = v16*v57 + v21*v55 + c8*(v15*v21 - u2*v22 + (v7*v45 - v6*v46))
    v65 = v58 - v59
    v66 = v7*v64 + v6*v63
    v67 = v7*v63 - v6*v64
    v68 = v13*v51 + c7*v42 + (v59 - v58)
    v69 = c7*v44 - v13*v50 + v67
    v70 = v2*(v12*v49 - u1*v47 + c11*v41 + (v7*v61 + v6*v60 - v8*v65))
    v71 = v70 - v3*(v13*v49 - u1*v48 + c10*v40 - (v62 + (v8*v66 + v9*v67)))
    v72 = c6*v38 + v69
    v73 = u0*(c6*v10) + c6*v39 + (v3*(v12*v51 + u1*v50 + c7*v43 + v66) + v2*v68)
    v74 = v5*v69 + v71 + (c1*v1*(v1*v72 - v0*v73) + c1*v0*(v1*v73 + v0*v72))
    v75 = v74 - (w0 - u0*c19 - c16*(q0 + c24)) + udot0*(v35 + c1*(c28 + v34))
    v76 = v13*v47 - v12*v48 + (v7*v60 - v6*v61 - v9*v65) + c2*v68
    v77 = c12 + (c8*v23 + (v6*(c14*v6) + v7*(c13*v7))) + c2*v28 + c2*(c29 + v28)
    r = np.zeros((3,) + shape)
    r[0] = v75 + udot1*v32 + udot2*v37
    r[1] = v76 - (w1 - u1*c20 - c17*(q1 + c25)) + udot0*v32 + udot1*v77
    r[2] = v62 + c3*v63 - (w2 - u2*c21 - c18*(q2 + c26)) + udot0*v37 + udot2*c23
    return r


def energy(t, q, u, c):
    """Kinetic and potential energy.

    T (): kinetic energy
    V (): potential energy

    Operations: 35 add, 65 mul, 3 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 34, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c24,
     c25, c26) = c[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 24, 25,
     26]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = c1*v1
    v3 = np.sin(q1)
    v4 = np.cos(q1)
    v5 = c4 + c2*v4
    v6 = np.sin(q2)
    v7 = np.cos(q2)
    v8 = c3*v6
    v9 = c5 + c3*v7
    v10 = u0*c1
    v11 = v2 + v1*v5
    v12 = u1*c2
    v13 = u0*v4
    v14 = u0*v3
    v15 = v10 + u0*v5
    v16 = u1*v7 + v6*v14
    v17 = v7*v14 - u1*v6
    v18 = v8*v13
    v19 = v12 + (u1*v9 + v8*v14)
    v20 = v15 + v9*v13
    v21 = v7*v18 - v6*v20
    v22 = u2 + v13
    v23 = u2*c3 + (v7*v20 + v6*v18)
    v24 = q0 + c24
    v25 = q1 + c25
    v26 = q2 + c26
    v27 = u1*(u1*c12) + (v14*(c11*v14) + v13*(c10*v13)) + c7*(v15*v15 + v12*v12)
    v28 = v22*(c15*v22) + (v17*(c14*v17) + v16*(c13*v16))
    v29 = v28 + c8*(v19*v19 + (v21*v21 + v23*v23))
    v30 = c8*(c0*(v0*v8 - v9*(v1*v4) - v11)) - (c6*(c0*v2) + c7*(c0*v11))
    T = np.zeros(shape)
    T[...] = 0.5*(u0*(u0*c9) + c6*(v10*v10) + v27 + v29)
    V = np.zeros(shape)
    V[...] = 0.5*(v24*(c16*v24)) + 0.5*(v25*(c17*v25)) + 0.5*(v26*(c18*v26)) + v30
    return T[()], V[()]


def momentum(t, q, u, c):
    """Linear momentum, and angular momentum about the origin, in ground axes.

    linear (3,): linear momentum
    angular (3,): angular momentum

    Operations: 65 add, 105 mul, 3 sincos.
    """
    t, q, u, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"), (c, 34, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15) = c[[1, 2, 3, 4, 5, 6, 7,
     8, 9, 10, 11, 12, 13, 14, 15]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = c1*v0
    v3 = c1*v1
    v4 = np.sin(q1)
    v5 = np.cos(q1)
    v6 = c2*v4
    v7 = c4 + c2*v5
    v8 = np.sin(q2)
    v9 = np.cos(q2)
    v10 = c3*v8
    v11 = c5 + c3*v9
    v12 = u0*c1
    v13 = v0*v4
    v14 = v0*v5
    v15 = v1*v4
    v16 = v1*v5
    v17 = v2 + v0*v7
    v18 = v3 + v1*v7
    v19 = u1*c2
    v20 = u0*v5
    v21 = u0*v4
    v22 = v12 + u0*v7
    v23 = v1*v9 - v8*v14
    v24 = v1*v8 + v9*v14
    v25 = v0*v9 + v8*v16
    v26 = v9*v16 - v0*v8
    v27 = v4*v8
    v28 = v4*v9
    v29 = v17 + (v1*v10 + v11*v14)
    v30 = v0*v10 - v11*v16 - v18
    v31 = v6 + v4*v11
    v32 = v10*v20
    v33 = v22 + v11*v20
    v34 = c6*v12
    v35 = c10*v20
    v36 = c11*v21
    v37 = u1*c12
    v38 = c7*v19
    v39 = c7*v22
    v40 = c13*(u1*v9 + v8*v21)
    v41 = c14*(v9*v21 - u1*v8)
    v42 = c15*(u2 + v20)
    v43 = c8*(u2*c3 + (v9*v33 + v8*v32))
    v44 = c8*(v9*v32 - v8*v33)
    v45 = c8*(v19 + (u1*v11 + v10*v21))
    v46 = v1*v34
    v47 = v0*v34
    v48 = v1*v39 - v13*v38
    v49 = v0*v39 + v15*v38
    v50 = v5*v38
    v51 = v23*v43 - v24*v44 - v13*v45
    v52 = v15*v45 + (v26*v44 + v25*v43)
    v53 = v28*v44 + v27*v43 - v5*v45
    v54 = v13*v42 + (v23*v40 - v24*v41) + (v31*v52 + v30*v53)
    v55 = v0*v37 + (v16*v36 - v15*v35) + (v17*v50 - v6*v48)
    v56 = u0*c9 + (v3*v46 + v2*v47) + (v4*v36 + v5*v35 + (v18*v48 + v17*v49))
    linear = np.zeros((3,) + shape)
    linear[0] = v46 + v48 + v51
    linear[1] = v47 + v49 + v52
    linear[2] = v53 - v50
    angular = np.zeros((3,) + shape)
    angular[0] = v1*v37 + (v13*v35 - v14*v36) + (v6*v49 + v18*v50) + v54
    angular[1] = v55 + (v26*v41 + v25*v40 - v15*v42 - (v29*v53 + v31*v51))
    angular[2] = v56 + (v5*v42 + (v28*v41 + v27*v40) + (v29*v52 - v30*v51))
    return linear, angular


def outputs(t, q, u, w, udot, lam, c):
    """Outputs of the model.

    y (9,): outputs

    Operations: 105 add, 161 mul, 3 sincos.
    """
    t, q, u, w, udot, lam, c, shape = _read((t, None, "t"), (q, 3, "q"), (u, 3, "u"),
        (w, 3, "w"), (udot, 3, "udot"), (lam, 0, "lam"), (c, 34, "c"))
    q0, q1, q2 = q
    u0, u1, u2 = u
    udot0, udot1, udot2 = udot
    (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c30, c31) = c[[0, 1,
     2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30, 31]]
    v0 = np.sin(q0)
    v1 = np.cos(q0)
    v2 = c1*v0
    v3 = c1*v1
    v4 = np.sin(q1)
    v5 = np.cos(q1)
    v6 = c2*v4
    v7 = c4 + c2*v5
    v8 = np.sin(q2)
    v9 = np.cos(q2)
    v10 = c3*v8
    v11 = c5 + c3*v9
    v12 = u0*c1
    v13 = v1*v5
    v14 = u1*c2
    v15 = u0*v5
    v16 = u0*v4
    v17 = v12 + u0*v7
    v18 = u2*c3
    v19 = u1*v9 + v8*v16
    v20 = v9*v16 - u1*v8
    v21 = v10*v15
    v22 = v17 + v11*v15
    v23 = v9*v21 - v8*v22
    v24 = u2 + v15
    v25 = v18 + (v9*v22 + v8*v21)
    v26 = c0*v1
    v27 = u1*v16
    v28 = c10*v15
    v29 = c11*v16
    v30 = u1*c12
    v31 = c7*v14
    v32 = c7*v17
    v33 = c13*v19
    v34 = c14*v20
    v35 = c15*v24
    v36 = c8*v25
    v37 = c8*v23
    v38 = c8*(v14 + (u1*v11 + v10*v16))
    v39 = c31*(v1*v4)
    v40 = udot0*c1
    v41 = udot1*c2
    v42 = udot0*v5
    v43 = v27 - v42
    v44 = u1*v15 + udot0*v4
    v45 = v40 + udot0*v7 - v14*v16
    v46 = v10*v43
    v47 = v45 - v11*v43
    v48 = v20*v35 - v24*v34 + c13*(u2*v20 + (udot1*v9 + v8*v44))
    v49 = v24*v33 - v19*v35 + c14*(v9*v44 - udot1*v8 - u2*v19)
    v50 = v19*v37 - v20*v36 - c8*(v18*v20 + (v41 + (udot1*v11 + v10*v44)))
    v51 = c8*(u2*v23 + udot2*c3 + (v9*v47 - v8*v46)) - (v24*v37 + v20*v38)
    v52 = c31*(v0*v9 + v8*v13) + v51
    v53 = v19*v38 + v24*v36 + c8*(v18*v24 - u2*v25 - (v8*v47 + v9*v46))
    v54 = c31*(v9*v13 - v0*v8) + v53
    v55 = v50 - v39
    v56 = v9*v54 + v8*v52
    v57 = v9*v52 - v8*v54
    v58 = v19*v34 - v20*v33 + c15*(udot2 + (v42 - v27)) + (v10*v56 + v11*v57)
    v59 = v16*v30 - u1*v29 + c10*v43 - v58
    v60 = v15*v30 - u1*v28 + c11*v44 + (v9*v49 + v8*v48 - v10*v55)
    v61 = c7*(v4*v26) + (v16*v32 + c7*v41) + (v39 - v50)
    v62 = v15*v32 + u1*v31 + c7*(v5*v26) + v56
    v63 = c30*v0 + (c7*v45 - v16*v31) + v57
    v64 = v5*v62 + v4*v61
    v65 = v4*v62 - v5*v61
    v66 = v16*v28 - v15*v29 + udot1*c12 + (v9*v48 - v8*v49 - v11*v55)
    v67 = v66 + (v6*v64 - v7*v65)
    v68 = v5*v60 + v4*v59 - v6*v63
    v69 = c6*(c0*v0) + c6*v40 + v63
    v70 = u0*(c6*v12) + c6*v26 + v64
    v71 = v1*v69 - v0*v70
    v72 = v1*v70 + v0*v69
    y = np.zeros((9,) + shape)
    y[0] = v2 + v0*v7 + (v1*v10 + v11*(v0*v5))
    y[1] = v0*v10 - v11*v13 - (v3 + v1*v7)
    y[2] = -(v6 + v4*v11)
    y[3] = v71
    y[4] = v72
    y[5] = v65
    y[6] = v1*v67 - v0*v68 - v3*v65
    y[7] = v1*v68 + v0*v67 - v2*v65
    y[8] = udot0*c9 + (v7*v63 + (v4*v60 - v5*v59)) + (v3*v71 + v2*v72)
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
