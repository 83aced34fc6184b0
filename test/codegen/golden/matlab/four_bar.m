function s = four_bar()
% Four-bar: equations of motion
% Derived by the formulation 'recursive', written by linkwright 0.1.0.
%
%     qdot = N(q, t) u + nu(q, t)
%     M(q, t) udot + G(q, t)' lambda = f(q, u, w, t)
%     G(q, t) udot = gamma(q, u, t)
%
% SI units, angles in radians. The state x is q, then u.
%
% Coordinates q, with their initial values
%     1  alpha  0.0
%     2  beta   0.0
%     3  delta  0.0
%
% Speeds u, with their initial values
%     1  alpha'  0.0
%     2  beta'   0.0
%     3  delta'  0.0
%
% Inputs w, with their default values
%     1  drive  0.0
%
% Parameters p, with their values in the model
%     1  g     9.81
%     2  base  0.4   m     between the pins in the ground
%     3  a     0.1   m     crank
%     4  b     0.35  m     coupler
%     5  c     0.25  m     rocker
%     6  rho   2.0   kg/m  mass per length of the bars
%
% Constraints: rows of G, entries of lambda
%     1  knee.x  joint 'knee' holds its point along x of the ground
%     2  knee.y  joint 'knee' holds its point along y of the ground
%
% Of the 2 rows of G 2 are independent at the initial state, and are assumed to be so at every call. Parameters
% that change this number need code of their own.
%
% Outputs y
%     1  knee
%     2  knee'
%     3  pen.x
%     4  pen.y
%     5  pen.z
%     6  freudenstein
%
% Functions and their operations
%     setup           p -> c                                            3 add, 36 mul
%     rates           t q u c -> qdot                                   none
%     dynamics        t q u w c -> M f G gamma                          19 add, 32 mul, 4 sincos
%     rate_jacobians  t q u c -> qdot_q qdot_u                          none
%     jacobians       t q u w udot lambda c -> r_q r_u r_w s_q s_u s_w  38 add, 65 mul, 4 sincos
%     inverse         t q u w udot lambda c -> r                        22 add, 31 mul, 4 sincos
%     energy          t q u c -> T V                                    10 add, 21 mul, 4 sincos
%     momentum        t q u c -> linear angular                         20 add, 39 mul, 4 sincos
%     residuals       t q u c -> phi rate                               11 add, 15 mul, 3 sincos
%     outputs         t q u w udot lambda c -> y                        15 add, 11 mul, 5 sincos, 1 other
%
% Use
%
%     s = four_bar();
%     p = s.p;                       % parameters as in the table; change them here
%     c = s.setup(p);
%     x = [s.q; s.u];                % must close the loops
%     [t, x] = ode45(@(t, x) s.rhs(t, x, s.w, c), [0 10], x, odeset('RelTol', 1e-8));
%     [A, B] = s.rhs_jacobian(0, x(end, :)', s.w, c);
%
% Vectors are columns. Every function is a handle in s: setup rates dynamics rate_jacobians
% jacobians inverse energy momentum residuals outputs accelerations rhs rhs_jacobian.
% A state must fulfil the constraints (see residuals). Rows may be redundant: of all admissible multipliers those
% of smallest norm are returned. Rows that contradict each other by more than drift explains, and motions without
% inertia, are errors.

    s.name = 'Four-bar';
    s.formulation = 'recursive';
    s.rank = 2;  % independent constraints, at the start
    s.q = [0.0; 0.0; 0.0];
    s.q_names = {'alpha'; 'beta'; 'delta'};
    s.u = [0.0; 0.0; 0.0];
    s.u_names = {'alpha'''; 'beta'''; 'delta'''};
    s.w = [0.0];
    s.w_names = {'drive'};
    s.w_units = {''};
    s.p = [9.81; 0.4; 0.1; 0.35; 0.25; 2.0];
    s.p_names = {'g'; 'base'; 'a'; 'b'; 'c'; 'rho'};
    s.p_units = {''; 'm'; 'm'; 'm'; 'm'; 'kg/m'};
    s.lambda_names = {'knee.x'; 'knee.y'};
    s.y_names = {'knee'; 'knee'''; 'pen.x'; 'pen.y'; 'pen.z'; 'freudenstein'};
    s.setup = @setup;
    s.rates = @rates;
    s.dynamics = @dynamics;
    s.rate_jacobians = @rate_jacobians;
    s.jacobians = @jacobians;
    s.inverse = @inverse;
    s.energy = @energy;
    s.momentum = @momentum;
    s.residuals = @residuals;
    s.outputs = @outputs;
    s.accelerations = @accelerations;
    s.rhs = @rhs;
    s.rhs_jacobian = @rhs_jacobian;
end

function c = setup(p)
    % What depends on parameters only, computed once.
    %   c (36 x 1): constants for the other functions
    % Operations: 3 add, 36 mul.
    v0 = p(4)*p(6);
    v1 = p(4)*v0;
    v2 = p(4)*p(4);
    v3 = p(4)*v2;
    v4 = p(6)*v3;
    v5 = p(3)*v0;
    v6 = p(3)*p(6);
    v7 = p(3)*v6;
    v8 = p(5)*p(6);
    v9 = 0.5*p(5);
    v10 = p(5)*p(5);
    v11 = 0.3333333333333333*p(5);
    v12 = 0.5*p(1);
    v13 = p(3)*v1;
    v14 = p(3)*(v5 + 0.33333333333333337*v7);
    c = zeros(36, 1);
    c(1) = p(1);
    c(2) = p(3);
    c(3) = p(4);
    c(4) = p(5);
    c(5) = v1;
    c(6) = v5 + 0.5*v7;
    c(7) = v8*v12;
    c(8) = 0.5*v13;
    c(9) = v13;
    c(10) = 0.33333333333333337*v4 + v14;
    c(11) = 0.3333333333333333*v4;
    c(12) = v10*(p(6)*v11);
    c(13) = v0;
    c(14) = 2.0*p(5);
    c(15) = 2.0*p(3);
    c(16) = 0.5*v1;
    c(17) = 0.5*v6;
    c(18) = 0.3333333333333333*p(4);
    c(19) = v14;
    c(20) = v12;
    c(21) = v11;
    c(22) = v8;
    c(23) = 0.5*p(4);
    c(24) = 0.3333333333333333*v8;
    c(25) = 0.3333333333333333*v6;
    c(26) = 0.08333333333333333*v2;
    c(27) = v8*v9;
    c(28) = p(2);
    c(29) = v9;
    c(30) = v6;
    c(31) = 0.25*p(5);
    c(32) = v10;
    c(33) = v3;
    c(34) = p(3)*p(3);
    c(35) = 0.08333333333333333*p(6);
    c(36) = v2;
end

function qdot = rates(t, q, u, c)
    % Rates of the coordinates.
    %   qdot (3 x 1): rates of the coordinates
    % Operations: none.
    qdot = zeros(3, 1);
    qdot(1) = u(1);
    qdot(2) = u(2);
    qdot(3) = u(3);
end

function [M, f, G, gamma] = dynamics(t, q, u, w, c)
    % M udot + G' lambda = f, G udot = gamma.
    %   M (3 x 3): mass matrix, symmetric
    %   f (3 x 1): forcing
    %   G (2 x 3): Jacobian of the constraints
    %   gamma (2 x 1): right-hand side of the constraints
    % Operations: 19 add, 32 mul, 4 sincos.
    v0 = q(1) + q(2);
    v1 = u(1) + u(2);
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = u(1)*(u(1)*c(2));
    v5 = sin(q(1));
    v6 = cos(q(1));
    v7 = c(1)*v6;
    v8 = sin(q(3));
    v9 = cos(q(3));
    v10 = c(4)*v9;
    v11 = v1*v1;
    v12 = c(5)*(v3*v7 - v2*(c(1)*v5 - v4));
    v13 = v3*c(9);
    v14 = sin(v0);
    v15 = cos(v0);
    v16 = c(3)*v15;
    v17 = c(3)*v14;
    v18 = c(3)*v11;
    v19 = u(3)*(u(3)*c(4));
    M = zeros(3, 3);
    M(1, 1) = v13 + c(10);
    M(2, 1) = 0.5*v13 + c(11);
    M(1, 2) = M(2, 1);
    M(2, 2) = c(11);
    M(3, 3) = c(12);
    f = zeros(3, 1);
    f(1) = v2*(c(8)*v11) + (w(1) - v7*c(6)) - 0.5*v12;
    f(2) = -0.5*v12;
    f(3) = -0.05*u(3) - v10*c(7);
    G = zeros(2, 3);
    G(1, 1) = v17 + c(2)*v5;
    G(1, 2) = v17;
    G(1, 3) = -c(4)*v8;
    G(2, 1) = -(v16 + c(2)*v6);
    G(2, 2) = -v16;
    G(2, 3) = v10;
    gamma = zeros(2, 1);
    gamma(1) = v9*v19 - (v15*v18 + v4*v6);
    gamma(2) = v8*v19 - (v14*v18 + v4*v5);
end

function [qdot_q, qdot_u] = rate_jacobians(t, q, u, c)
    % Derivatives of the coordinates' rates.
    %   qdot_q (3 x 3): derivative of qdot by q
    %   qdot_u (3 x 3): derivative of qdot by u
    % Operations: none.
    qdot_q = zeros(3, 3);
    qdot_u = zeros(3, 3);
    qdot_u(1, 1) = 1.0;
    qdot_u(2, 2) = 1.0;
    qdot_u(3, 3) = 1.0;
end

function [r_q, r_u, r_w, s_q, s_u, s_w] = jacobians(t, q, u, w, udot, lambda, c)
    % Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda.
    %   r_q (3 x 3): derivative of r by q
    %   r_u (3 x 3): derivative of r by u
    %   r_w (3 x 1): derivative of r by w
    %   s_q (2 x 3): derivative of s by q
    %   s_u (2 x 3): derivative of s by u
    %   s_w (2 x 1): derivative of s by w
    % Operations: 38 add, 65 mul, 4 sincos.
    v0 = q(1) + q(2);
    v1 = u(1) + u(2);
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = u(1)*c(2);
    v5 = sin(q(1));
    v6 = cos(q(1));
    v7 = c(1)*v5;
    v8 = c(1)*v6;
    v9 = sin(q(3));
    v10 = cos(q(3));
    v11 = sin(v0);
    v12 = cos(v0);
    v13 = c(3)*v12;
    v14 = v13 + c(2)*v6;
    v15 = c(4)*v10;
    v16 = u(3)*v9;
    v17 = u(1)*v5;
    v18 = v1*v11;
    v19 = c(3)*v11;
    v20 = c(2)*v5;
    v21 = v19 + v20;
    v22 = c(4)*v9;
    v23 = v1*v12;
    v24 = c(3)*v1;
    v25 = u(1)*v6;
    v26 = u(3)*v10;
    v27 = u(3)*c(4);
    v28 = lambda(1)*v13 + lambda(2)*v19;
    v29 = v28 - c(16)*(v3*(v7 - u(1)*v4) + v2*(udot(1)*c(2) + v8));
    v30 = v1*(v2*c(9));
    v31 = v4*(c(5)*v2);
    v32 = udot(2)*v13 - v18*v24;
    v33 = v23*v24 + udot(2)*v19;
    v34 = 2.0*(c(3)*v23);
    v35 = 2.0*(c(3)*v18);
    r_q = zeros(3, 3);
    r_q(1, 1) = lambda(2)*v21 + (lambda(1)*v14 - c(1)*(c(13)*(v20 + 0.5*v19) + v20*c(17)));
    r_q(1, 2) = v29 - ((udot(1) + udot(2))*v2 + v1*(v1*v3))*c(8);
    r_q(2, 1) = v28 - (v2*v8 + v3*v7)*c(16);
    r_q(2, 2) = v29;
    r_q(3, 3) = -v22*(lambda(2) + c(7)) - lambda(1)*v15;
    r_u = zeros(3, 3);
    r_u(1, 1) = v31 - v30;
    r_u(1, 2) = -v30;
    r_u(2, 1) = v31;
    r_u(3, 3) = 0.05;
    r_w = zeros(3, 1);
    r_w(1, 1) = -1.0;
    s_q = zeros(2, 3);
    s_q(1, 1) = udot(1)*v14 + v32 - v4*v17;
    s_q(1, 2) = v32 + udot(1)*v13;
    s_q(1, 3) = v16*v27 - udot(3)*v15;
    s_q(2, 1) = udot(1)*v21 + (v4*v25 + v33);
    s_q(2, 2) = v33 + udot(1)*v19;
    s_q(2, 3) = -(v26*v27 + udot(3)*v22);
    s_u = zeros(2, 3);
    s_u(1, 1) = c(15)*v25 + v34;
    s_u(1, 2) = v34;
    s_u(1, 3) = -c(14)*v26;
    s_u(2, 1) = v17*c(15) + v35;
    s_u(2, 2) = v35;
    s_u(2, 3) = -v16*c(14);
    s_w = zeros(2, 1);
end

function r = inverse(t, q, u, w, udot, lambda, c)
    % Generalized forces required in addition for this udot (inverse dynamics).
    %   r (3 x 1): M udot + G' lambda - f
    % Operations: 22 add, 31 mul, 4 sincos.
    v0 = q(1) + q(2);
    v1 = u(1) + u(2);
    v2 = udot(1) + udot(2);
    v3 = sin(q(2));
    v4 = cos(q(2));
    v5 = sin(q(1));
    v6 = cos(q(1));
    v7 = c(1)*v6;
    v8 = c(5)*(0.5*(v4*(udot(1)*c(2) + v7) - v3*(c(1)*v5 - c(2)*(u(1)*u(1)))) + v2*c(18));
    v9 = sin(q(3));
    v10 = cos(q(3));
    v11 = sin(v0);
    v12 = cos(v0);
    v13 = c(3)*v12;
    v14 = c(3)*v11;
    v15 = v7*c(6) + (v8 - (v1*(v1*v3) - v2*v4)*c(8)) + udot(1)*c(19) - w(1);
    r = zeros(3, 1);
    r(1) = lambda(1)*(v14 + c(2)*v5) + v15 - lambda(2)*(v13 + c(2)*v6);
    r(2) = v8 + lambda(1)*v14 - lambda(2)*v13;
    r(3) = 0.05*u(3) + c(4)*((v10*c(20) + udot(3)*c(21))*c(22) - lambda(1)*v9 + lambda(2)*v10);
end

function [T, V] = energy(t, q, u, c)
    % Kinetic and potential energy.
    %   T: kinetic energy
    %   V: potential energy
    % Operations: 10 add, 21 mul, 4 sincos.
    v0 = u(1) + u(2);
    v1 = sin(q(2));
    v2 = cos(q(2));
    v3 = c(2)*sin(q(1));
    v4 = u(3)*c(4);
    v5 = u(1)*c(2);
    v6 = v0*c(23) + v2*v5;
    v7 = v1*v5;
    T = 0.5*(v5*(v5*c(25)) + (v4*(v4*c(24)) + c(13)*(v0*(v0*c(26)) + (v6*v6 + v7*v7))));
    V = c(1)*(v3*c(17) + (sin(q(3))*c(27) + c(13)*(sin(q(1) + q(2))*c(23) + v3)));
end

function [linear, angular] = momentum(t, q, u, c)
    % Linear momentum, and angular momentum about the origin, in ground axes.
    %   linear (3 x 1): linear momentum
    %   angular (3 x 1): angular momentum
    % Operations: 20 add, 39 mul, 4 sincos.
    v0 = q(1) + q(2);
    v1 = u(1) + u(2);
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = sin(q(1));
    v5 = cos(q(1));
    v6 = sin(q(3));
    v7 = cos(q(3));
    v8 = sin(v0);
    v9 = cos(v0);
    v10 = c(2)*v5;
    v11 = c(2)*v4;
    v12 = u(1)*c(2);
    v13 = u(3)*c(4);
    v14 = v13*c(22);
    v15 = v6*v14;
    v16 = c(13)*(v1*c(23) + v3*v12);
    v17 = c(13)*(v2*v12);
    v18 = v9*v17 - v8*v16;
    v19 = v12*c(30);
    v20 = v4*v19;
    v21 = 0.5*(v7*v14);
    v22 = v9*v16 + v8*v17;
    v23 = v5*v19;
    v24 = v15*(v6*c(31)) + (v21*(c(28) + v7*c(29)) + v22*(v9*c(23) + v10));
    v25 = (v13*c(32) + v1*c(33) + v12*c(34))*c(35) + v24 - (v8*c(23) + v11)*v18;
    linear = zeros(3, 1);
    linear(1) = -0.5*v15 + (v18 - 0.5*v20);
    linear(2) = v21 + (v22 + 0.5*v23);
    angular = zeros(3, 1);
    angular(3) = v25 + 0.25*(v11*v20) + 0.25*(v10*v23);
end

function [phi, rate] = residuals(t, q, u, c)
    % How far the constraints are violated, and how fast.
    %   phi (2 x 1): position residuals; 0 for rows that only speeds obey
    %   rate (2 x 1): velocity residuals
    % Operations: 11 add, 15 mul, 3 sincos.
    v0 = q(1) + q(2);
    v1 = sin(q(1));
    v2 = cos(q(1));
    v3 = sin(q(3));
    v4 = cos(q(3));
    v5 = sin(v0);
    v6 = cos(v0);
    v7 = u(3)*c(4);
    v8 = u(1)*c(2);
    v9 = c(3)*(u(1) + u(2));
    phi = zeros(2, 1);
    phi(1) = c(28) + c(4)*v4 - (c(3)*v6 + c(2)*v2);
    phi(2) = c(4)*v3 - (c(3)*v5 + c(2)*v1);
    rate = zeros(2, 1);
    rate(1) = v1*v8 + v5*v9 - v3*v7;
    rate(2) = v4*v7 - (v2*v8 + v6*v9);
end

function y = outputs(t, q, u, w, udot, lambda, c)
    % Outputs of the model.
    %   y (6 x 1): outputs
    % Operations: 15 add, 11 mul, 5 sincos, 1 other.
    v0 = q(1) + q(2);
    v1 = q(3) - v0;
    v2 = sin(v1);
    v3 = cos(v1);
    v4 = sin(q(1));
    v5 = cos(q(1));
    v6 = sin(v0);
    v7 = cos(v0);
    v8 = c(2)*v5;
    v9 = 0.5*(c(3)*v7);
    v10 = 0.5*(c(3)*v6);
    y = zeros(6, 1);
    y(1) = atan2(v2, v3);
    y(2) = u(3) - (u(1) + u(2));
    y(3) = v8 + v9 - v10;
    y(4) = v10 + (c(2)*v4 + v9);
    y(6) = c(32) + c(28)*(c(28) - 2.0*v8 + cos(q(3))*c(14)) + c(2)*(c(2) - cos(q(3) - q(1))*c(14)) - c(36);
end

function [udot, lambda] = accelerations(t, q, u, w, c)
    % Accelerations and multipliers: M udot + G' lambda = f, G udot = gamma.
    [M, f, G, gamma] = dynamics(t, q, u, w, c);
    [udot, lambda] = solve_descriptor(M, f, G, gamma, 2);
    longest = max(sqrt(sum(G.^2, 2)));
    allowed = 0.01 * (longest * norm(udot) + abs(gamma));     % more than the drift of an integrator
    allowed = allowed + (1e-6 + 1e-3 * sum(u.^2)) * (longest + (longest == 0));
    if any(abs(G * udot - gamma) > allowed)
        error('linkwright:contradiction', 'constraints contradict each other here');
    end
end

function xdot = rhs(t, x, w, c)
    % The rate of the state x = [q; u]; for ode45 and its like.
    q = x(1:3);
    u = x(4:6);
    xdot = [rates(t, q, u, c); accelerations(t, q, u, w, c)];
end

function [A, B] = rhs_jacobian(t, x, w, c)
    % A = d rhs / d x and B = d rhs / d w.
    q = x(1:3);
    u = x(4:6);
    A = zeros(6, 6);
    B = zeros(6, 1);
    [qdot_q, qdot_u] = rate_jacobians(t, q, u, c);
    A(1:3, 1:3) = qdot_q;
    A(1:3, 4:6) = qdot_u;
    [udot, lambda] = accelerations(t, q, u, w, c);
    [M, f, G, gamma] = dynamics(t, q, u, w, c);
    [r_q, r_u, r_w, s_q, s_u, s_w] = jacobians(t, q, u, w, udot, lambda, c);
    % M dudot + G' dlambda = -dr, G dudot = -ds
    slope = solve_descriptor(M, -[r_q, r_u, r_w], G, -[s_q, s_u, s_w], 2);
    A(4:6, :) = slope(:, 1:6);
    B(4:6, :) = slope(:, 7:7);
end

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
