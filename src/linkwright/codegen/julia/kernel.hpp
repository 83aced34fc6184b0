#pragma once
// What emitted modules contain besides straight-line code, in Julia.

namespace linkwright::codegen::julia {

inline constexpr const char* common_kernel = R"(
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
)";

// [Y Z] from QR with column pivoting, G Z = 0, and a second QR where rows are redundant: the method of
// solve/descriptor.hpp.
inline constexpr const char* descriptor_kernel = R"(
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
)";

}  // namespace linkwright::codegen::julia
