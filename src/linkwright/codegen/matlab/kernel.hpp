#pragma once
// What emitted files contain besides straight-line code, in the common part of MATLAB and Octave.

#include <utility>

#include "linkwright/program/operation.hpp"

namespace linkwright::codegen::matlab {

// [Y Z] from QR with column pivoting, G Z = 0, and a second QR where rows are redundant: the method of
// solve/descriptor.hpp.
inline constexpr const char* descriptor_kernel = R"(
function [udot, lambda] = solve_descriptor(M, f, G, gamma, known)
    % M udot + G' lambda = f, G udot = gamma, by the null-space method. Columns of f and gamma are right-hand
    % sides. Rows of G may be redundant: lambda has the smallest norm. M need only be positive definite
    % on the motions that G allows. known: how many rows are independent; without it, or negative, they are
    % counted with a tolerance of 1e-10.
    n = size(M, 1);
    m = size(G, 1);
    most = min(n, m);

    % speeds against their inertia, then rows to length 1, but short ones stay short
    d = diag(M);
    column = ones(n, 1);
    heavy = d > 0;
    if any(heavy)
        logs = log(d(heavy));
        column(heavy) = min(max(exp((mean(logs) - logs) / 2), 1e-4), 1e4);
    end
    G = G .* column';
    len = sqrt(sum(G.^2, 2));
    longest = max(len);
    row = ones(m, 1);
    if longest > 1e-13
        row = 1 ./ max(len, 0.01 * longest);
    end
    G = row .* G;
    M = column .* M .* column';
    f = column .* f;

    % G' P = Q R, Q = [Y Z], G Z = 0; then R(1:rank, :)' = Q2 S
    [Q, R, P] = qr(G');
    pivots = zeros(most, 1);
    for i = 1:most
        pivots(i) = abs(R(i, i));
    end
    if nargin < 5 || known < 0
        rank_G = sum(pivots > 1e-10 * pivots(1));
    else
        rank_G = min(known, sum(pivots > 8 * eps * (n + m) * pivots(1)));
    end
    Y = Q(:, 1:rank_G);
    Z = Q(:, rank_G+1:n);
    [Q2, S] = qr(R(1:rank_G, :)');
    S = S(1:rank_G, 1:rank_G);
    silent = Q2(:, rank_G+1:m);
    Q2 = Q2(:, 1:rank_G);

    udot = Y * (S \ (Q2' * (P' * (row .* gamma))));
    if rank_G < n
        H = Z' * M * Z;
        H = (H + H') / 2;
        size_H = sum(abs(Z) .* (abs(M) * abs(Z)), 1)';
        h = diag(H);
        bad = any(~(h > 8 * n * eps * size_H));
        if ~bad
            h = 1 ./ sqrt(h);
            [L, bad] = chol(h .* H .* h', 'lower');
            bad = bad > 0 || any(diag(L).^2 <= 8 * n * eps);
        end
        if bad
            error('linkwright:inertia', 'a motion that the constraints allow has no inertia');
        end
        udot = udot + Z * (h .* (L' \ (L \ (h .* (Z' * (f - M * udot))))));
    end
    lambda = row .* (P * (Q2 * (S' \ (Y' * (f - M * udot)))));
    if rank_G < m
        % of all lambda the one of smallest norm: nothing along what G' does not see
        [basis, ~] = qr(row .* (P * silent), 0);
        lambda = lambda - basis * (basis' * lambda);
    end
    udot = column .* udot;
end
)";

// Functions that MATLAB continues into the complex plane, or decides otherwise about NaN; each is emitted where it is
// used.
inline constexpr std::pair<program::Op, const char*> small_kernels[] = {
    {program::Op::sqrt, R"(
function y = square_root(x)
    y = NaN;
    if x >= 0
        y = sqrt(x);
    end
end
)"},
    {program::Op::log, R"(
function y = logarithm(x)
    y = NaN;
    if x >= 0
        y = log(x);
    end
end
)"},
    {program::Op::asin, R"(
function y = arcsine(x)
    y = NaN;
    if abs(x) <= 1
        y = asin(x);
    end
end
)"},
    {program::Op::acos, R"(
function y = arccosine(x)
    y = NaN;
    if abs(x) <= 1
        y = acos(x);
    end
end
)"},
    {program::Op::pow, R"(
function y = raised(x, exponent)
    y = NaN;
    if x >= 0
        y = x^exponent;
    end
end
)"},
    {program::Op::min, R"(
function y = minimum(a, b)
    y = a;
    if b < a
        y = b;
    end
end
)"},
    {program::Op::max, R"(
function y = maximum(a, b)
    y = a;
    if a < b
        y = b;
    end
end
)"},
    {program::Op::select, R"(
function y = choose(condition, a, b)
    y = b;
    if condition > 0
        y = a;
    end
end
)"},
};

}  // namespace linkwright::codegen::matlab
