# Four-bar: equations of motion
# Derived by the formulation 'recursive', written by linkwright 0.1.0.
#
#     qdot = N(q, t) u + nu(q, t)
#     M(q, t) udot + G(q, t)' lambda = f(q, u, w, t)
#     G(q, t) udot = gamma(q, u, t)
#
# SI units, angles in radians. The state x is q, then u.
#
# Coordinates q, with their initial values
#     1  alpha  0.0
#     2  beta   0.0
#     3  delta  0.0
#
# Speeds u, with their initial values
#     1  alpha'  0.0
#     2  beta'   0.0
#     3  delta'  0.0
#
# Inputs w, with their default values
#     1  drive  0.0
#
# Parameters p, with their values in the model
#     1  g     9.81
#     2  base  0.4   m     between the pins in the ground
#     3  a     0.1   m     crank
#     4  b     0.35  m     coupler
#     5  c     0.25  m     rocker
#     6  rho   2.0   kg/m  mass per length of the bars
#
# Constraints: rows of G, entries of lambda
#     1  knee.x  joint 'knee' holds its point along x of the ground
#     2  knee.y  joint 'knee' holds its point along y of the ground
#
# Of the 2 rows of G 2 are independent at the initial state, and are assumed to be so at every call. Parameters
# that change this number need code of their own.
#
# Outputs y
#     1  knee
#     2  knee'
#     3  pen.x
#     4  pen.y
#     5  pen.z
#     6  freudenstein
#
# Functions and their operations
#     setup           p -> c                                            3 add, 36 mul
#     rates           t q u c -> qdot                                   none
#     dynamics        t q u w c -> M f G gamma                          19 add, 32 mul, 4 sincos
#     rate_jacobians  t q u c -> qdot_q qdot_u                          none
#     jacobians       t q u w udot lambda c -> r_q r_u r_w s_q s_u s_w  38 add, 65 mul, 4 sincos
#     inverse         t q u w udot lambda c -> r                        22 add, 31 mul, 4 sincos
#     energy          t q u c -> T V                                    10 add, 21 mul, 4 sincos
#     momentum        t q u c -> linear angular                         20 add, 39 mul, 4 sincos
#     residuals       t q u c -> phi rate                               11 add, 15 mul, 3 sincos
#     outputs         t q u w udot lambda c -> y                        15 add, 11 mul, 5 sincos, 1 other
#
# Use
#
#     include("four_bar.jl")
#     using OrdinaryDiffEq
#     const Model = FourBar
#
#     p = Model.values(Model.parameters, "g" => 9.81)    # the others as in the table
#     c, w = Model.setup(p), Model.values(Model.inputs)
#     x = [Model.values(Model.coordinates); Model.values(Model.speeds)]    # must close the loops
#     problem = ODEProblem((xdot, x, p, t) -> Model.rhs!(xdot, t, x, w, c), x, (0.0, 10.0))
#     motion = solve(problem, Tsit5(); reltol = 1e-8)
#     A, B = Model.rhs_jacobian(0.0, x, w, c)
#
# Every function f(arguments...) that returns arrays has a companion f!(results..., arguments...) that fills them.
# Numbers may be of any real type. Roots, powers, logarithms and arcs are NaN outside their domain: nothing is thrown.
# A state must fulfil the constraints (see residuals). Rows may be redundant: of all admissible multipliers
# those of smallest norm are returned.

module FourBar

using LinearAlgebra

const name = "Four-bar"
const formulation = "recursive"
const nq, nu, nw, np, nc, nm = 3, 3, 1, 6, 36, 2
const nr = 2 # independent constraints, at the start

# names, SI units, meanings and values by default
const coordinates = (
    (name = "alpha", unit = "", about = "", value = 0.0),
    (name = "beta", unit = "", about = "", value = 0.0),
    (name = "delta", unit = "", about = "", value = 0.0),
)
const speeds = (
    (name = "alpha'", unit = "", about = "", value = 0.0),
    (name = "beta'", unit = "", about = "", value = 0.0),
    (name = "delta'", unit = "", about = "", value = 0.0),
)
const inputs = (
    (name = "drive", unit = "", about = "", value = 0.0),
)
const parameters = (
    (name = "g", unit = "", about = "", value = 9.81),
    (name = "base", unit = "m", about = "between the pins in the ground", value = 0.4),
    (name = "a", unit = "m", about = "crank", value = 0.1),
    (name = "b", unit = "m", about = "coupler", value = 0.35),
    (name = "c", unit = "m", about = "rocker", value = 0.25),
    (name = "rho", unit = "kg/m", about = "mass per length of the bars", value = 2.0),
)
const constraints = (
    (name = "knee.x", unit = "", about = "joint 'knee' holds its point along x of the ground", value = 0.0),
    (name = "knee.y", unit = "", about = "joint 'knee' holds its point along y of the ground", value = 0.0),
)
const output_names = (
    (name = "knee", unit = "", about = "", value = 0.0),
    (name = "knee'", unit = "", about = "", value = 0.0),
    (name = "pen.x", unit = "", about = "", value = 0.0),
    (name = "pen.y", unit = "", about = "", value = 0.0),
    (name = "pen.z", unit = "", about = "", value = 0.0),
    (name = "freudenstein", unit = "", about = "", value = 0.0),
)

"The default values of these symbols as a vector, some of them changed: `values(parameters, \"m\" => 2.0)`."
function values(symbols, changes::Pair...)
    x = Float64[s.value for s in symbols]
    for (name, value) in changes
        i = findfirst(s -> s.name == name, symbols)
        i === nothing && throw(ArgumentError("no symbol is called $name"))
        x[i] = value
    end
    return x
end

# NaN outside their domain instead of an error: a choice between two formulas works out both
square_root(x) = x >= 0 ? sqrt(x) : oftype(float(x), NaN)
logarithm(x) = x >= 0 ? log(x) : oftype(float(x), NaN)
arcsine(x) = abs(x) <= 1 ? asin(x) : oftype(float(x), NaN)
arccosine(x) = abs(x) <= 1 ? acos(x) : oftype(float(x), NaN)
raised(x, exponent) = x >= 0 ? x^exponent : oftype(float(x), NaN)

# the type that numbers of these types become
number_type(x...) = float(promote_type(map(eltype, x)...))

function check(name, x, dimensions...)
    Base.require_one_based_indexing(x)
    size(x) == dimensions || throw(DimensionMismatch("$name has the size $(size(x)) and needs $dimensions"))
    return nothing
end

"""
    c = setup(p)

What depends on parameters only, computed once.

- c (36): constants for the other functions

Operations: 3 add, 36 mul.
"""
function setup!(c, p)
    check(:c, c, 36)
    check(:p, p, 6)
    @inbounds begin
        v0 = p[4]*p[6]
        v1 = p[4]*v0
        v2 = p[4]*p[4]
        v3 = p[4]*v2
        v4 = p[6]*v3
        v5 = p[3]*v0
        v6 = p[3]*p[6]
        v7 = p[3]*v6
        v8 = p[5]*p[6]
        v9 = 0.5*p[5]
        v10 = p[5]*p[5]
        v11 = 0.3333333333333333*p[5]
        v12 = 0.5*p[1]
        v13 = p[3]*v1
        v14 = p[3]*(v5 + 0.33333333333333337*v7)
        c[1] = p[1]
        c[2] = p[3]
        c[3] = p[4]
        c[4] = p[5]
        c[5] = v1
        c[6] = v5 + 0.5*v7
        c[7] = v8*v12
        c[8] = 0.5*v13
        c[9] = v13
        c[10] = 0.33333333333333337*v4 + v14
        c[11] = 0.3333333333333333*v4
        c[12] = v10*(p[6]*v11)
        c[13] = v0
        c[14] = 2.0*p[5]
        c[15] = 2.0*p[3]
        c[16] = 0.5*v1
        c[17] = 0.5*v6
        c[18] = 0.3333333333333333*p[4]
        c[19] = v14
        c[20] = v12
        c[21] = v11
        c[22] = v8
        c[23] = 0.5*p[4]
        c[24] = 0.3333333333333333*v8
        c[25] = 0.3333333333333333*v6
        c[26] = 0.08333333333333333*v2
        c[27] = v8*v9
        c[28] = p[2]
        c[29] = v9
        c[30] = v6
        c[31] = 0.25*p[5]
        c[32] = v10
        c[33] = v3
        c[34] = p[3]*p[3]
        c[35] = 0.08333333333333333*p[6]
        c[36] = v2
    end
    return c
end

function setup(p)
    T = number_type(p)
    return setup!(zeros(T, 36), p)
end

"""
    qdot = rates(t, q, u, c)

Rates of the coordinates.

- qdot (3): rates of the coordinates

Operations: none.
"""
function rates!(qdot, t, q, u, c)
    check(:qdot, qdot, 3)
    check(:q, q, 3)
    check(:u, u, 3)
    check(:c, c, 36)
    @inbounds begin
        qdot[1] = u[1]
        qdot[2] = u[2]
        qdot[3] = u[3]
    end
    return qdot
end

function rates(t, q, u, c)
    T = number_type(t, q, u, c)
    return rates!(zeros(T, 3), t, q, u, c)
end

"""
    M, f, G, gamma = dynamics(t, q, u, w, c)

M udot + G' lambda = f, G udot = gamma.

- M (3, 3): mass matrix, symmetric
- f (3): forcing
- G (2, 3): Jacobian of the constraints
- gamma (2): right-hand side of the constraints

Operations: 19 add, 32 mul, 4 sincos.
"""
function dynamics!(M, f, G, gamma, t, q, u, w, c)
    check(:M, M, 3, 3)
    check(:f, f, 3)
    check(:G, G, 2, 3)
    check(:gamma, gamma, 2)
    check(:q, q, 3)
    check(:u, u, 3)
    check(:w, w, 1)
    check(:c, c, 36)
    @inbounds begin
        v0 = q[1] + q[2]
        v1 = u[1] + u[2]
        v2, v3 = sincos(q[2])
        v4 = u[1]*(u[1]*c[2])
        v5, v6 = sincos(q[1])
        v7 = c[1]*v6
        v8, v9 = sincos(q[3])
        v10 = c[4]*v9
        v11 = v1*v1
        v12 = c[5]*(v3*v7 - v2*(c[1]*v5 - v4))
        v13 = v3*c[9]
        v14, v15 = sincos(v0)
        v16 = c[3]*v15
        v17 = c[3]*v14
        v18 = c[3]*v11
        v19 = u[3]*(u[3]*c[4])
        fill!(M, 0)
        M[1, 1] = v13 + c[10]
        M[2, 1] = 0.5*v13 + c[11]
        M[1, 2] = M[2, 1]
        M[2, 2] = c[11]
        M[3, 3] = c[12]
        f[1] = v2*(c[8]*v11) + (w[1] - v7*c[6]) - 0.5*v12
        f[2] = -0.5*v12
        f[3] = -0.05*u[3] - v10*c[7]
        G[1, 1] = v17 + c[2]*v5
        G[1, 2] = v17
        G[1, 3] = -c[4]*v8
        G[2, 1] = -(v16 + c[2]*v6)
        G[2, 2] = -v16
        G[2, 3] = v10
        gamma[1] = v9*v19 - (v15*v18 + v4*v6)
        gamma[2] = v8*v19 - (v14*v18 + v4*v5)
    end
    return M, f, G, gamma
end

function dynamics(t, q, u, w, c)
    T = number_type(t, q, u, w, c)
    return dynamics!(zeros(T, 3, 3), zeros(T, 3), zeros(T, 2, 3), zeros(T, 2), t, q, u, w, c)
end

"""
    qdot_q, qdot_u = rate_jacobians(t, q, u, c)

Derivatives of the coordinates' rates.

- qdot_q (3, 3): derivative of qdot by q
- qdot_u (3, 3): derivative of qdot by u

Operations: none.
"""
function rate_jacobians!(qdot_q, qdot_u, t, q, u, c)
    check(:qdot_q, qdot_q, 3, 3)
    check(:qdot_u, qdot_u, 3, 3)
    check(:q, q, 3)
    check(:u, u, 3)
    check(:c, c, 36)
    @inbounds begin
        fill!(qdot_q, 0)
        fill!(qdot_u, 0)
        qdot_u[1, 1] = 1.0
        qdot_u[2, 2] = 1.0
        qdot_u[3, 3] = 1.0
    end
    return qdot_q, qdot_u
end

function rate_jacobians(t, q, u, c)
    T = number_type(t, q, u, c)
    return rate_jacobians!(zeros(T, 3, 3), zeros(T, 3, 3), t, q, u, c)
end

"""
    r_q, r_u, r_w, s_q, s_u, s_w = jacobians(t, q, u, w, udot, lambda, c)

Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda.

- r_q (3, 3): derivative of r by q
- r_u (3, 3): derivative of r by u
- r_w (3, 1): derivative of r by w
- s_q (2, 3): derivative of s by q
- s_u (2, 3): derivative of s by u
- s_w (2, 1): derivative of s by w

Operations: 38 add, 65 mul, 4 sincos.
"""
function jacobians!(r_q, r_u, r_w, s_q, s_u, s_w, t, q, u, w, udot, lambda, c)
    check(:r_q, r_q, 3, 3)
    check(:r_u, r_u, 3, 3)
    check(:r_w, r_w, 3, 1)
    check(:s_q, s_q, 2, 3)
    check(:s_u, s_u, 2, 3)
    check(:s_w, s_w, 2, 1)
    check(:q, q, 3)
    check(:u, u, 3)
    check(:w, w, 1)
    check(:udot, udot, 3)
    check(:lambda, lambda, 2)
    check(:c, c, 36)
    @inbounds begin
        v0 = q[1] + q[2]
        v1 = u[1] + u[2]
        v2, v3 = sincos(q[2])
        v4 = u[1]*c[2]
        v5, v6 = sincos(q[1])
        v7 = c[1]*v5
        v8 = c[1]*v6
        v9, v10 = sincos(q[3])
        v11, v12 = sincos(v0)
        v13 = c[3]*v12
        v14 = v13 + c[2]*v6
        v15 = c[4]*v10
        v16 = u[3]*v9
        v17 = u[1]*v5
        v18 = v1*v11
        v19 = c[3]*v11
        v20 = c[2]*v5
        v21 = v19 + v20
        v22 = c[4]*v9
        v23 = v1*v12
        v24 = c[3]*v1
        v25 = u[1]*v6
        v26 = u[3]*v10
        v27 = u[3]*c[4]
        v28 = lambda[1]*v13 + lambda[2]*v19
        v29 = v28 - c[16]*(v3*(v7 - u[1]*v4) + v2*(udot[1]*c[2] + v8))
        v30 = v1*(v2*c[9])
        v31 = v4*(c[5]*v2)
        v32 = udot[2]*v13 - v18*v24
        v33 = v23*v24 + udot[2]*v19
        v34 = 2.0*(c[3]*v23)
        v35 = 2.0*(c[3]*v18)
        fill!(r_q, 0)
        r_q[1, 1] = lambda[2]*v21 + (lambda[1]*v14 - c[1]*(c[13]*(v20 + 0.5*v19) + v20*c[17]))
        r_q[1, 2] = v29 - ((udot[1] + udot[2])*v2 + v1*(v1*v3))*c[8]
        r_q[2, 1] = v28 - (v2*v8 + v3*v7)*c[16]
        r_q[2, 2] = v29
        r_q[3, 3] = -v22*(lambda[2] + c[7]) - lambda[1]*v15
        fill!(r_u, 0)
        r_u[1, 1] = v31 - v30
        r_u[1, 2] = -v30
        r_u[2, 1] = v31
        r_u[3, 3] = 0.05
        fill!(r_w, 0)
        r_w[1, 1] = -1.0
        s_q[1, 1] = udot[1]*v14 + v32 - v4*v17
        s_q[1, 2] = v32 + udot[1]*v13
        s_q[1, 3] = v16*v27 - udot[3]*v15
        s_q[2, 1] = udot[1]*v21 + (v4*v25 + v33)
        s_q[2, 2] = v33 + udot[1]*v19
        s_q[2, 3] = -(v26*v27 + udot[3]*v22)
        s_u[1, 1] = c[15]*v25 + v34
        s_u[1, 2] = v34
        s_u[1, 3] = -c[14]*v26
        s_u[2, 1] = v17*c[15] + v35
        s_u[2, 2] = v35
        s_u[2, 3] = -v16*c[14]
        fill!(s_w, 0)
    end
    return r_q, r_u, r_w, s_q, s_u, s_w
end

function jacobians(t, q, u, w, udot, lambda, c)
    T = number_type(t, q, u, w, udot, lambda, c)
    return jacobians!(zeros(T, 3, 3), zeros(T, 3, 3), zeros(T, 3, 1), zeros(T, 2, 3),
        zeros(T, 2, 3), zeros(T, 2, 1), t, q, u, w, udot, lambda, c)
end

"""
    r = inverse(t, q, u, w, udot, lambda, c)

Generalized forces required in addition for this udot (inverse dynamics).

- r (3): M udot + G' lambda - f

Operations: 22 add, 31 mul, 4 sincos.
"""
function inverse!(r, t, q, u, w, udot, lambda, c)
    check(:r, r, 3)
    check(:q, q, 3)
    check(:u, u, 3)
    check(:w, w, 1)
    check(:udot, udot, 3)
    check(:lambda, lambda, 2)
    check(:c, c, 36)
    @inbounds begin
        v0 = q[1] + q[2]
        v1 = u[1] + u[2]
        v2 = udot[1] + udot[2]
        v3, v4 = sincos(q[2])
        v5, v6 = sincos(q[1])
        v7 = c[1]*v6
        v8 = c[5]*(0.5*(v4*(udot[1]*c[2] + v7) - v3*(c[1]*v5 - c[2]*(u[1]*u[1]))) + v2*c[18])
        v9, v10 = sincos(q[3])
        v11, v12 = sincos(v0)
        v13 = c[3]*v12
        v14 = c[3]*v11
        v15 = v7*c[6] + (v8 - (v1*(v1*v3) - v2*v4)*c[8]) + udot[1]*c[19] - w[1]
        r[1] = lambda[1]*(v14 + c[2]*v5) + v15 - lambda[2]*(v13 + c[2]*v6)
        r[2] = v8 + lambda[1]*v14 - lambda[2]*v13
        r[3] = 0.05*u[3] + c[4]*((v10*c[20] + udot[3]*c[21])*c[22] - lambda[1]*v9 + lambda[2]*v10)
    end
    return r
end

function inverse(t, q, u, w, udot, lambda, c)
    T = number_type(t, q, u, w, udot, lambda, c)
    return inverse!(zeros(T, 3), t, q, u, w, udot, lambda, c)
end

"""
    T, V = energy(t, q, u, c)

Kinetic and potential energy.

- T (number): kinetic energy
- V (number): potential energy

Operations: 10 add, 21 mul, 4 sincos.
"""
function energy(t, q, u, c)
    check(:q, q, 3)
    check(:u, u, 3)
    check(:c, c, 36)
    @inbounds begin
        v0 = u[1] + u[2]
        v1, v2 = sincos(q[2])
        v3 = c[2]*sin(q[1])
        v4 = u[3]*c[4]
        v5 = u[1]*c[2]
        v6 = v0*c[23] + v2*v5
        v7 = v1*v5
        T = 0.5*(v5*(v5*c[25]) + (v4*(v4*c[24]) + c[13]*(v0*(v0*c[26]) + (v6*v6 + v7*v7))))
        V = c[1]*(v3*c[17] + (sin(q[3])*c[27] + c[13]*(sin(q[1] + q[2])*c[23] + v3)))
    end
    return T, V
end

"""
    linear, angular = momentum(t, q, u, c)

Linear momentum, and angular momentum about the origin, in ground axes.

- linear (3): linear momentum
- angular (3): angular momentum

Operations: 20 add, 39 mul, 4 sincos.
"""
function momentum!(linear, angular, t, q, u, c)
    check(:linear, linear, 3)
    check(:angular, angular, 3)
    check(:q, q, 3)
    check(:u, u, 3)
    check(:c, c, 36)
    @inbounds begin
        v0 = q[1] + q[2]
        v1 = u[1] + u[2]
        v2, v3 = sincos(q[2])
        v4, v5 = sincos(q[1])
        v6, v7 = sincos(q[3])
        v8, v9 = sincos(v0)
        v10 = c[2]*v5
        v11 = c[2]*v4
        v12 = u[1]*c[2]
        v13 = u[3]*c[4]
        v14 = v13*c[22]
        v15 = v6*v14
        v16 = c[13]*(v1*c[23] + v3*v12)
        v17 = c[13]*(v2*v12)
        v18 = v9*v17 - v8*v16
        v19 = v12*c[30]
        v20 = v4*v19
        v21 = 0.5*(v7*v14)
        v22 = v9*v16 + v8*v17
        v23 = v5*v19
        v24 = v15*(v6*c[31]) + (v21*(c[28] + v7*c[29]) + v22*(v9*c[23] + v10))
        v25 = (v13*c[32] + v1*c[33] + v12*c[34])*c[35] + v24 - (v8*c[23] + v11)*v18
        fill!(linear, 0)
        linear[1] = -0.5*v15 + (v18 - 0.5*v20)
        linear[2] = v21 + (v22 + 0.5*v23)
        fill!(angular, 0)
        angular[3] = v25 + 0.25*(v11*v20) + 0.25*(v10*v23)
    end
    return linear, angular
end

function momentum(t, q, u, c)
    T = number_type(t, q, u, c)
    return momentum!(zeros(T, 3), zeros(T, 3), t, q, u, c)
end

"""
    phi, rate = residuals(t, q, u, c)

How far the constraints are violated, and how fast.

- phi (2): position residuals; 0 for rows that only speeds obey
- rate (2): velocity residuals

Operations: 11 add, 15 mul, 3 sincos.
"""
function residuals!(phi, rate, t, q, u, c)
    check(:phi, phi, 2)
    check(:rate, rate, 2)
    check(:q, q, 3)
    check(:u, u, 3)
    check(:c, c, 36)
    @inbounds begin
        v0 = q[1] + q[2]
        v1, v2 = sincos(q[1])
        v3, v4 = sincos(q[3])
        v5, v6 = sincos(v0)
        v7 = u[3]*c[4]
        v8 = u[1]*c[2]
        v9 = c[3]*(u[1] + u[2])
        phi[1] = c[28] + c[4]*v4 - (c[3]*v6 + c[2]*v2)
        phi[2] = c[4]*v3 - (c[3]*v5 + c[2]*v1)
        rate[1] = v1*v8 + v5*v9 - v3*v7
        rate[2] = v4*v7 - (v2*v8 + v6*v9)
    end
    return phi, rate
end

function residuals(t, q, u, c)
    T = number_type(t, q, u, c)
    return residuals!(zeros(T, 2), zeros(T, 2), t, q, u, c)
end

"""
    y = outputs(t, q, u, w, udot, lambda, c)

Outputs of the model.

- y (6): outputs

Operations: 15 add, 11 mul, 5 sincos, 1 other.
"""
function outputs!(y, t, q, u, w, udot, lambda, c)
    check(:y, y, 6)
    check(:q, q, 3)
    check(:u, u, 3)
    check(:w, w, 1)
    check(:udot, udot, 3)
    check(:lambda, lambda, 2)
    check(:c, c, 36)
    @inbounds begin
        v0 = q[1] + q[2]
        v1 = q[3] - v0
        v2, v3 = sincos(v1)
        v4, v5 = sincos(q[1])
        v6, v7 = sincos(v0)
        v8 = c[2]*v5
        v9 = 0.5*(c[3]*v7)
        v10 = 0.5*(c[3]*v6)
        fill!(y, 0)
        y[1] = atan(v2, v3)
        y[2] = u[3] - (u[1] + u[2])
        y[3] = v8 + v9 - v10
        y[4] = v10 + (c[2]*v4 + v9)
        y[6] = c[32] + c[28]*(c[28] - 2.0*v8 + cos(q[3])*c[14]) + c[2]*(c[2] - cos(q[3] - q[1])*c[14]) - c[36]
    end
    return y
end

function outputs(t, q, u, w, udot, lambda, c)
    T = number_type(t, q, u, w, udot, lambda, c)
    return outputs!(zeros(T, 6), t, q, u, w, udot, lambda, c)
end

"""
    udot, lambda = solve_descriptor(M, f, G, gamma, known)

M udot + G' lambda = f, G udot = gamma, by the null-space method. Columns of f and gamma are right-hand sides. Rows of G
may be redundant: lambda has the smallest norm. M need only be positive definite on the motions that G allows.
known: how many rows are independent; negative: they are counted with a tolerance of 1e-10.
"""
function solve_descriptor(M, f, G, gamma, known = -1)
    T = number_type(M, f, G, gamma)
    n, m = size(M, 1), size(G, 1)

    # speeds against their inertia, then rows to length 1, but short ones stay short
    logs, heavy = zero(T), 0
    for j in 1:n
        M[j, j] > 0 && (logs += log(M[j, j]); heavy += 1)
    end
    column = ones(T, n)
    for j in 1:n
        M[j, j] > 0 && (column[j] = clamp(exp((logs / heavy - log(M[j, j])) / 2), 1e-4, 1e4))
    end
    lengths = sqrt.(vec(sum(abs2, G .* transpose(column); dims = 2)))
    longest = maximum(lengths)
    row = [longest > 1e-13 ? 1 / max(x, longest / 100) : one(x) for x in lengths]
    Ms = column .* M .* transpose(column)
    fs = column .* f

    # Gs' P = Q R, Q = [Y Z], Gs Z = 0; then R[1:rank, :]' = Q2 S
    A = qr(Matrix(transpose(row .* G .* transpose(column))), ColumnNorm())
    Q, R, p = A.Q * Matrix{T}(I, n, n), A.R, A.p
    pivots = [abs(R[i, i]) for i in 1:min(n, m)]
    least = known < 0 ? 1e-10 : 8 * eps(Float64) * (n + m)
    r = count(>(least * pivots[1]), pivots)
    r = known < 0 ? r : min(r, known)
    Y, Z = Q[:, 1:r], Q[:, r+1:n]
    Q2, S = Matrix{T}(I, m, m), UpperTriangular(zeros(T, r, r))
    if r > 0
        B = qr(Matrix(transpose(R[1:r, :])))
        Q2, S = B.Q * Q2, UpperTriangular(B.R)
    end
    seen, silent = Q2[:, 1:r], Q2[:, r+1:m]

    udot = Y * (S \ (transpose(seen) * (row .* gamma)[p, :]))
    if r < n
        H = transpose(Z) * Ms * Z
        extent = vec(sum(abs.(Z) .* (abs.(Ms) * abs.(Z)); dims = 1))
        all(i -> H[i, i] > 8 * n * eps(Float64) * extent[i], 1:n-r) || error("a motion that the constraints allow has no inertia")
        h = [1 / sqrt(H[i, i]) for i in 1:n-r]
        factor = cholesky(Symmetric(h .* H .* transpose(h)); check = false)
        issuccess(factor) || error("a motion that the constraints allow has no inertia")
        udot = udot + Z * (h .* (factor \ (h .* (transpose(Z) * (fs - Ms * udot)))))
    end
    lambda = zeros(T, m, size(f, 2))
    lambda[p, :] = seen * (transpose(S) \ (transpose(Y) * (fs - Ms * udot)))
    lambda = row .* lambda
    if r < m
        # of all lambda the one of smallest norm: nothing along what G' does not see
        basis = zeros(T, m, m - r)
        basis[p, :] = silent
        basis = qr(row .* basis).Q * Matrix{T}(I, m, m - r)
        lambda = lambda - basis * (transpose(basis) * lambda)
    end
    return column .* udot, lambda
end

"""
    udot, lambda = accelerations(t, q, u, w, c)

Accelerations and multipliers: M udot + G' lambda = f, G udot = gamma. Constraints that contradict each other by more than
the drift of an integrator are an error, and so is a motion without inertia.
"""
function accelerations(t, q, u, w, c)
    M, f, G, gamma = dynamics(t, q, u, w, c)
    x, y = solve_descriptor(M, reshape(f, :, 1), G, reshape(gamma, :, 1), nr)
    udot, lambda = x[:, 1], y[:, 1]
    longest = maximum(norm(G[i, :]) for i in 1:nm)
    for i in 1:nm
        # more than the drift of an integrator
        left = abs(sum(G[i, :] .* udot) - gamma[i])
        allowed = 0.01 * (longest * norm(udot) + abs(gamma[i]))
        allowed += (1e-6 + 1e-3 * sum(abs2, u)) * (longest > 0 ? longest : one(longest))
        left > allowed && error("constraints contradict each other here")
    end
    return udot, lambda
end

"""
    rhs!(xdot, t, x, w, c)

The rate of the state x = [q; u].
"""
function rhs!(xdot, t, x, w, c)
    check(:xdot, xdot, nq + nu)
    check(:x, x, nq + nu)
    q, u = view(x, 1:nq), view(x, nq+1:nq+nu)
    rates!(view(xdot, 1:nq), t, q, u, c)
    xdot[nq+1:nq+nu] = accelerations(t, q, u, w, c)[1]
    return xdot
end

"The rate of the state x = [q; u], a new vector."
rhs(t, x, w, c) = rhs!(zeros(number_type(t, x, w, c), nq + nu), t, x, w, c)

"""
    A, B = rhs_jacobian(t, x, w, c)

A = d rhs / d x and B = d rhs / d w.
"""
function rhs_jacobian(t, x, w, c)
    check(:x, x, nq + nu)
    T = number_type(t, x, w, c)
    q, u = x[1:nq], x[nq+1:nq+nu]
    A, B = zeros(T, nq + nu, nq + nu), zeros(T, nq + nu, nw)
    qdot_q, qdot_u = rate_jacobians(t, q, u, c)
    A[1:nq, 1:nq] = qdot_q
    A[1:nq, nq+1:nq+nu] = qdot_u
    udot, lambda = accelerations(t, q, u, w, c)
    M, f, G, gamma = dynamics(t, q, u, w, c)
    r_q, r_u, r_w, s_q, s_u, s_w = jacobians(t, q, u, w, udot, lambda, c)
    # M dudot + G' dlambda = -dr, G dudot = -ds
    slope, _ = solve_descriptor(M, -hcat(r_q, r_u, r_w), G, -hcat(s_q, s_u, s_w), nr)
    A[nq+1:nq+nu, :] = slope[:, 1:nq+nu]
    B[nq+1:nq+nu, :] = slope[:, nq+nu+1:end]
    return A, B
end

end # module
