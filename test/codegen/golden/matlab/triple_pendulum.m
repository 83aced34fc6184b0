function s = triple_pendulum()
% Triple pendulum: equations of motion
% Derived by the formulation 'kane', written by linkwright 0.1.0.
%
%     qdot = N(q, t) u + nu(q, t)
%     M(q, t) udot = f(q, u, w, t)
%
% Coordinates q
%     1  q1
%     2  q2
%     3  q3
%
% Speeds u
%     1  q1'
%     2  q2'
%     3  q3'
%
% Inputs w, with their values when nothing drives them
%     1  TAU21  0.0
%     2  TAU32  0.0
%     3  TAU43  0.0
%
% Parameters p, with their values in the model
%      1  g      9.81  m/s^2      98.1 gives the eigenvalues of his tables 6.1 and 6.2
%      2  DL22   0.5   m          joint to centre of mass
%      3  DL33   0.5   m
%      4  DL44   0.5   m
%      5  SL32   0.5   m          centre of mass to the next joint
%      6  SL43   0.5   m
%      7  MA2    1.0   kg
%      8  MA3    1.0   kg
%      9  MA4    1.0   kg
%     10  J2X    0.2   kg*m^2
%     11  J2Y    0.1   kg*m^2
%     12  J2Z    0.2   kg*m^2
%     13  J3X    0.2   kg*m^2
%     14  J3Y    0.1   kg*m^2
%     15  J3Z    0.2   kg*m^2
%     16  J4X    0.2   kg*m^2
%     17  J4Y    0.1   kg*m^2
%     18  J4Z    0.2   kg*m^2
%     19  KR21   0.0   N*m/rad    joint stiffness
%     20  KR32   0.0   N*m/rad
%     21  KR43   0.0   N*m/rad
%     22  CR21   0.0   N*m*s/rad  joint damping; simulation 2 has 5
%     23  CR32   0.0   N*m*s/rad
%     24  CR43   0.0   N*m*s/rad
%     25  PHI02  0.0   rad        angle at which the spring is free
%     26  PHI03  0.0   rad
%     27  PHI04  0.0   rad
%
% Outputs y
%     1  hand.x
%     2  hand.y
%     3  hand.z
%     4  hanger.fx
%     5  hanger.fy
%     6  hanger.fz
%     7  hanger.tx
%     8  hanger.ty
%     9  hanger.tz
%
% Functions and their operations
%     setup           p -> c                                7 add, 7 mul, 1 div
%     rates           t q u c -> qdot                       none
%     dynamics        t q u w c -> M f                      114 add, 167 mul, 3 sincos
%     accelerations   t q u w c -> udot                     120 add, 177 mul, 2 div, 3 sincos
%     rate_jacobians  t q u c -> qdot_q qdot_u              none
%     jacobians       t q u w udot lambda c -> r_q r_u r_w  385 add, 533 mul, 3 sincos
%     inverse         t q u w udot lambda c -> r            121 add, 174 mul, 3 sincos
%     energy          t q u c -> T V                        35 add, 65 mul, 3 sincos
%     momentum        t q u c -> linear angular             65 add, 105 mul, 3 sincos
%     outputs         t q u w udot lambda c -> y            105 add, 161 mul, 3 sincos
%
% Use
%
%     s = triple_pendulum();
%     p = s.p;                       % parameters as in the table; change them here
%     c = s.setup(p);
%     x = [s.q; s.u];
%     [t, x] = ode45(@(t, x) s.rhs(t, x, s.w, c), [0 10], x, odeset('RelTol', 1e-8));
%     [A, B] = s.rhs_jacobian(0, x(end, :)', s.w, c);
%
% Vectors are columns. Every function is a handle in s: setup rates dynamics accelerations
% rate_jacobians jacobians inverse energy momentum outputs rhs rhs_jacobian.

    s.name = 'Triple pendulum';
    s.formulation = 'kane';
    s.q = [0.0; 0.0; 0.0];
    s.q_names = {'q1'; 'q2'; 'q3'};
    s.u = [0.0; 0.0; 0.0];
    s.u_names = {'q1'''; 'q2'''; 'q3'''};
    s.w = [0.0; 0.0; 0.0];
    s.w_names = {'TAU21'; 'TAU32'; 'TAU43'};
    s.w_units = {''; ''; ''};
    s.p = [9.81; 0.5; 0.5; 0.5; 0.5; 0.5; 1.0; 1.0; 1.0; 0.2; 0.1; 0.2; 0.2; 0.1; 0.2; 0.2; ...
        0.1; 0.2; 0.0; 0.0; 0.0; 0.0; 0.0; 0.0; 0.0; 0.0; 0.0];
    s.p_names = {'g'; 'DL22'; 'DL33'; 'DL44'; 'SL32'; 'SL43'; 'MA2'; 'MA3'; 'MA4'; 'J2X'; ...
        'J2Y'; 'J2Z'; 'J3X'; 'J3Y'; 'J3Z'; 'J4X'; 'J4Y'; 'J4Z'; 'KR21'; 'KR32'; 'KR43'; ...
        'CR21'; 'CR32'; 'CR43'; 'PHI02'; 'PHI03'; 'PHI04'};
    s.p_units = {'m/s^2'; 'm'; 'm'; 'm'; 'm'; 'm'; 'kg'; 'kg'; 'kg'; 'kg*m^2'; 'kg*m^2'; ...
        'kg*m^2'; 'kg*m^2'; 'kg*m^2'; 'kg*m^2'; 'kg*m^2'; 'kg*m^2'; 'kg*m^2'; 'N*m/rad'; ...
        'N*m/rad'; 'N*m/rad'; 'N*m*s/rad'; 'N*m*s/rad'; 'N*m*s/rad'; 'rad'; 'rad'; 'rad'};
    s.lambda_names = cell(0, 1);
    s.y_names = {'hand.x'; 'hand.y'; 'hand.z'; 'hanger.fx'; 'hanger.fy'; 'hanger.fz'; ...
        'hanger.tx'; 'hanger.ty'; 'hanger.tz'};
    s.setup = @setup;
    s.rates = @rates;
    s.dynamics = @dynamics;
    s.accelerations = @accelerations;
    s.rate_jacobians = @rate_jacobians;
    s.jacobians = @jacobians;
    s.inverse = @inverse;
    s.energy = @energy;
    s.momentum = @momentum;
    s.outputs = @outputs;
    s.rhs = @rhs;
    s.rhs_jacobian = @rhs_jacobian;
end

function c = setup(p)
    % What depends on parameters only, worked out once.
    %   c (34 x 1): constants for the other functions
    % Operations: 7 add, 7 mul, 1 div.
    v0 = p(18) + p(9)*(p(4)*p(4));
    v1 = p(8) + p(9);
    c = zeros(34, 1);
    c(1) = p(1);
    c(2) = p(2);
    c(3) = p(3);
    c(4) = p(4);
    c(5) = p(5);
    c(6) = p(6);
    c(7) = p(7);
    c(8) = p(8);
    c(9) = p(9);
    c(10) = p(12);
    c(11) = p(13);
    c(12) = p(14);
    c(13) = p(15);
    c(14) = p(16);
    c(15) = p(17);
    c(16) = p(18);
    c(17) = p(19);
    c(18) = p(20);
    c(19) = p(21);
    c(20) = p(22);
    c(21) = p(23);
    c(22) = p(24);
    c(23) = p(4)*p(9);
    c(24) = v0;
    c(25) = -p(25);
    c(26) = -p(26);
    c(27) = -p(27);
    c(28) = v1;
    c(29) = p(2)*(p(7) + v1);
    c(30) = p(3)*v1;
    c(31) = p(1)*p(8);
    c(32) = p(1)*p(9);
    c(33) = 1.0/v0;
    c(34) = -p(19);
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

function [M, f] = dynamics(t, q, u, w, c)
    % Mass matrix and forcing: M udot = f.
    %   M (3 x 3): mass matrix, symmetric
    %   f (3 x 1): forcing
    % Operations: 114 add, 167 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = c(3)*v2;
    v5 = c(5) + c(3)*v3;
    v6 = sin(q(3));
    v7 = cos(q(3));
    v8 = c(4)*v6;
    v9 = c(6) + c(4)*v7;
    v10 = u(1)*c(2);
    v11 = u(2)*c(3);
    v12 = u(1)*v3;
    v13 = u(1)*v2;
    v14 = v10 + u(1)*v5;
    v15 = u(3)*c(4);
    v16 = u(2)*v7 + v6*v13;
    v17 = v7*v13 - u(2)*v6;
    v18 = v8*v12;
    v19 = v14 + v9*v12;
    v20 = v7*v18 - v6*v19;
    v21 = u(3) + v12;
    v22 = v15 + (v7*v19 + v6*v18);
    v23 = v9*v9;
    v24 = v8*v8;
    v25 = c(9)*v24;
    v26 = c(14)*v6;
    v27 = c(15)*v7;
    v28 = c(9)*v9;
    v29 = v3*v28;
    v30 = v4*(v2*v28);
    v31 = v2*(v2*(c(12) + (v25 + (v7*v27 + v6*v26))));
    v32 = v31 + v3*(v3*(c(11) + (c(16) + c(9)*(v23 + v24))));
    v33 = v29 + c(28)*v5;
    v34 = c(10) + (c(28)*(v5*v5) + (2.0*(v5*v29 + v30) - v30 - v30 + v32)) + c(2)*v33;
    v35 = c(23)*v7;
    v36 = c(1)*v0;
    v37 = c(1)*v1;
    v38 = u(2)*v13;
    v39 = u(2)*v12;
    v40 = v2*v37;
    v41 = v3*v37;
    v42 = v36 - v11*v13;
    v43 = v41 - v8*v38;
    v44 = v42 - v9*v38;
    v45 = c(11)*v12;
    v46 = c(12)*v13;
    v47 = u(2)*c(13);
    v48 = c(8)*v11;
    v49 = c(8)*v14;
    v50 = c(14)*v16;
    v51 = c(15)*v17;
    v52 = c(16)*v21;
    v53 = c(9)*v22;
    v54 = c(9)*v20;
    v55 = c(9)*(v11 + (u(2)*v9 + v8*v13));
    v56 = v16*v54 - v17*v53;
    v57 = c(9)*(v15*v17 + (v40 + v8*v39));
    v58 = v17*v52 - v21*v51 + c(14)*(u(3)*v17 + v6*v39);
    v59 = v21*v50 - v16*v52 + c(15)*(v7*v39 - u(3)*v16);
    v60 = v16*v51 - v17*v50 - c(16)*v38;
    v61 = c(9)*(u(3)*v20 + (v7*v44 + v6*v43)) - (v21*v54 + v17*v55);
    v62 = v16*v55 + v21*v53 + c(9)*(v15*v21 - u(3)*v22 + (v7*v43 - v6*v44));
    v63 = v56 - v57;
    v64 = v7*v62 + v6*v61;
    v65 = v7*v61 - v6*v62;
    v66 = v13*v49 + c(8)*v40 + (v57 - v56);
    v67 = c(8)*v42 - v13*v48 + v65;
    v68 = v2*(v12*v47 - u(2)*v45 + c(12)*v39 + (v7*v59 + v6*v58 - v8*v63));
    v69 = v68 - v3*(v13*v47 - u(2)*v46 + c(11)*v38 - (v60 + (v8*v64 + v9*v65)));
    v70 = c(7)*v36 + v67;
    v71 = u(1)*(c(7)*v10) + c(7)*v37 + (v3*(v12*v49 + u(2)*v48 + c(8)*v41 + v64) + v2*v66);
    v72 = v5*v67 + v69 + (c(2)*v1*(v1*v70 - v0*v71) + c(2)*v0*(v1*v71 + v0*v70));
    v73 = v13*v45 - v12*v46 + (v7*v58 - v6*v59 - v9*v63) + c(3)*v66;
    M = zeros(3, 3);
    M(1, 1) = v34 + c(2)*(c(29) + v33);
    M(2, 1) = v4*(c(9)*v8) + v2*(c(9)*(v8*v9) + (v7*v26 - v6*v27));
    M(1, 2) = M(2, 1);
    M(2, 2) = c(13) + (c(9)*v23 + (v6*(c(15)*v6) + v7*(c(14)*v7))) + c(3)*v28 + c(3)*(c(30) + v28);
    M(3, 1) = v5*v35 + v3*(c(16) + (v25 + v9*v35)) + c(2)*v35;
    M(1, 3) = M(3, 1);
    M(3, 3) = c(24);
    f = zeros(3, 1);
    f(1) = w(1) - u(1)*c(20) - c(17)*(q(1) + c(25)) - v72;
    f(2) = w(2) - u(2)*c(21) - c(18)*(q(2) + c(26)) - v73;
    f(3) = w(3) - u(3)*c(22) - c(19)*(q(3) + c(27)) - (v60 + c(4)*v61);
end

function udot = accelerations(t, q, u, w, c)
    % Accelerations, written out.
    %   udot (3 x 1): accelerations
    % Operations: 120 add, 177 mul, 2 div, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = c(3)*v2;
    v5 = c(5) + c(3)*v3;
    v6 = sin(q(3));
    v7 = cos(q(3));
    v8 = c(4)*v6;
    v9 = c(6) + c(4)*v7;
    v10 = u(1)*c(2);
    v11 = u(2)*c(3);
    v12 = u(1)*v3;
    v13 = u(1)*v2;
    v14 = v10 + u(1)*v5;
    v15 = u(3)*c(4);
    v16 = u(2)*v7 + v6*v13;
    v17 = v7*v13 - u(2)*v6;
    v18 = v8*v12;
    v19 = v14 + v9*v12;
    v20 = v7*v18 - v6*v19;
    v21 = u(3) + v12;
    v22 = v15 + (v7*v19 + v6*v18);
    v23 = v9*v9;
    v24 = v8*v8;
    v25 = c(9)*v24;
    v26 = c(14)*v6;
    v27 = c(15)*v7;
    v28 = c(9)*v9;
    v29 = v3*v28;
    v30 = v4*(v2*v28);
    v31 = v2*(v2*(c(12) + (v25 + (v7*v27 + v6*v26))));
    v32 = v4*(c(9)*v8) + v2*(c(9)*(v8*v9) + (v7*v26 - v6*v27));
    v33 = v31 + v3*(v3*(c(11) + (c(16) + c(9)*(v23 + v24))));
    v34 = v29 + c(28)*v5;
    v35 = c(10) + (c(28)*(v5*v5) + (2.0*(v5*v29 + v30) - v30 - v30 + v33)) + c(2)*v34;
    v36 = c(23)*v7;
    v37 = v5*v36 + v3*(c(16) + (v25 + v9*v36)) + c(2)*v36;
    v38 = c(1)*v0;
    v39 = c(1)*v1;
    v40 = u(2)*v13;
    v41 = u(2)*v12;
    v42 = v2*v39;
    v43 = v3*v39;
    v44 = v38 - v11*v13;
    v45 = v43 - v8*v40;
    v46 = v44 - v9*v40;
    v47 = c(11)*v12;
    v48 = c(12)*v13;
    v49 = u(2)*c(13);
    v50 = c(8)*v11;
    v51 = c(8)*v14;
    v52 = c(14)*v16;
    v53 = c(15)*v17;
    v54 = c(16)*v21;
    v55 = c(9)*v22;
    v56 = c(9)*v20;
    v57 = c(9)*(v11 + (u(2)*v9 + v8*v13));
    v58 = v16*v56 - v17*v55;
    v59 = c(9)*(v15*v17 + (v42 + v8*v41));
    v60 = v17*v54 - v21*v53 + c(14)*(u(3)*v17 + v6*v41);
    v61 = v21*v52 - v16*v54 + c(15)*(v7*v41 - u(3)*v16);
    v62 = v16*v53 - v17*v52 - c(16)*v40;
    v63 = c(9)*(u(3)*v20 + (v7*v46 + v6*v45)) - (v21*v56 + v17*v57);
    v64 = v16*v57 + v21*v55 + c(9)*(v15*v21 - u(3)*v22 + (v7*v45 - v6*v46));
    v65 = v58 - v59;
    v66 = v7*v64 + v6*v63;
    v67 = v7*v63 - v6*v64;
    v68 = v13*v51 + c(8)*v42 + (v59 - v58);
    v69 = c(8)*v44 - v13*v50 + v67;
    v70 = v2*(v12*v49 - u(2)*v47 + c(12)*v41 + (v7*v61 + v6*v60 - v8*v65));
    v71 = v70 - v3*(v13*v49 - u(2)*v48 + c(11)*v40 - (v62 + (v8*v66 + v9*v67)));
    v72 = c(7)*v38 + v69;
    v73 = u(1)*(c(7)*v10) + c(7)*v39 + (v3*(v12*v51 + u(2)*v50 + c(8)*v43 + v66) + v2*v68);
    v74 = v5*v69 + v71 + (c(2)*v1*(v1*v72 - v0*v73) + c(2)*v0*(v1*v73 + v0*v72));
    v75 = v13*v47 - v12*v48 + (v7*v60 - v6*v61 - v9*v65) + c(3)*v68;
    v76 = w(2) - u(2)*c(21) - c(18)*(q(2) + c(26)) - v75;
    v77 = w(3) - u(3)*c(22) - c(19)*(q(3) + c(27)) - (v62 + c(4)*v63);
    v78 = c(33)*v37;
    v79 = c(13) + (c(9)*v23 + (v6*(c(15)*v6) + v7*(c(14)*v7))) + c(3)*v28 + c(3)*(c(30) + v28);
    v80 = 1.0/v79;
    v81 = v32*v80;
    v82 = w(1) - u(1)*c(20) - c(17)*(q(1) + c(25)) - v74 - v77*v78 - v76*v81;
    v83 = v82/(v35 + c(2)*(c(29) + v34) - v37*v78 - v32*v81);
    udot = zeros(3, 1);
    udot(1) = v83;
    udot(2) = v76*v80 - v81*v83;
    udot(3) = c(33)*v77 - v78*v83;
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

function [r_q, r_u, r_w] = jacobians(t, q, u, w, udot, lambda, c)
    % Derivatives of r = M udot - f at fixed udot.
    %   r_q (3 x 3): derivative of r by q
    %   r_u (3 x 3): derivative of r by u
    %   r_w (3 x 3): derivative of r by w
    % Operations: 385 add, 533 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = c(2)*v0;
    v3 = c(2)*v1;
    v4 = sin(q(2));
    v5 = cos(q(2));
    v6 = c(3)*v4;
    v7 = c(5) + c(3)*v5;
    v8 = sin(q(3));
    v9 = cos(q(3));
    v10 = c(4)*v8;
    v11 = c(4)*v9;
    v12 = c(6) + v11;
    v13 = u(1)*c(2);
    v14 = v3 + v1*v7;
    v15 = u(2)*c(3);
    v16 = u(1)*v5;
    v17 = u(1)*v4;
    v18 = v13 + u(1)*v7;
    v19 = v4*v8;
    v20 = v4*v9;
    v21 = u(3)*c(4);
    v22 = u(2)*v9 + v8*v17;
    v23 = v9*v17 - u(2)*v8;
    v24 = v10*v17;
    v25 = v10*v16;
    v26 = v18 + v12*v16;
    v27 = v9*v26;
    v28 = v8*v25;
    v29 = v9*v25 - v8*v26;
    v30 = u(3) + v16;
    v31 = v21 + (v27 + v28);
    v32 = v10*v12;
    v33 = v10*v10;
    v34 = c(9)*v33;
    v35 = c(9)*v32;
    v36 = c(14)*v8;
    v37 = c(15)*v9;
    v38 = c(14)*v9;
    v39 = c(15)*v8;
    v40 = v9*v37;
    v41 = v8*v36;
    v42 = v8*v37;
    v43 = v9*v36;
    v44 = c(9)*v12;
    v45 = c(9)*v10;
    v46 = v4*v44;
    v47 = v6*(v5*v44);
    v48 = c(2)*(v46 + c(28)*v6);
    v49 = c(3)*v45;
    v50 = v5*(v35 + (v43 - v42) + v49);
    v51 = c(23)*v9;
    v52 = v5*v45;
    v53 = v4*v45;
    v54 = v6*v51;
    v55 = v54 + v4*(c(16) + (v34 + v12*v51));
    v56 = c(1)*v0;
    v57 = c(1)*v1;
    v58 = u(2)*v17;
    v59 = u(2)*v16;
    v60 = v4*v57;
    v61 = v5*v57;
    v62 = v56 - v15*v17;
    v63 = u(3)*v29;
    v64 = v10*v58;
    v65 = v60 + v10*v59;
    v66 = v61 - v64;
    v67 = v62 - v12*v58;
    v68 = v9*v67;
    v69 = v8*v66;
    v70 = u(3)*v23 + v8*v59;
    v71 = v9*v59 - u(3)*v22;
    v72 = c(11)*v16;
    v73 = c(12)*v17;
    v74 = u(2)*c(13);
    v75 = c(8)*v15;
    v76 = c(8)*v18;
    v77 = u(2)*v73;
    v78 = v17*v74;
    v79 = v16*v74;
    v80 = u(2)*v72;
    v81 = v17*v76;
    v82 = v16*v76;
    v83 = c(11)*v58;
    v84 = c(12)*v59;
    v85 = c(8)*v60;
    v86 = c(8)*v61;
    v87 = c(14)*v22;
    v88 = c(15)*v23;
    v89 = c(16)*v30;
    v90 = c(9)*v31;
    v91 = c(9)*v29;
    v92 = c(9)*(v15 + (u(2)*v12 + v24));
    v93 = v23*v89;
    v94 = v22*v89;
    v95 = v30*v91;
    v96 = v23*v92;
    v97 = v22*v92;
    v98 = v22*v91 - v23*v90;
    v99 = c(9)*(v21*v30 - u(3)*v31 + (v9*v66 - v8*v67));
    v100 = c(9)*(v21*v23 + v65);
    v101 = v93 - v30*v88 + c(14)*v70;
    v102 = v30*v87 - v94 + c(15)*v71;
    v103 = c(9)*(v63 + (v68 + v69)) - (v95 + v96);
    v104 = v97 + v30*v90 + v99;
    v105 = v98 - v100;
    v106 = v9*v104;
    v107 = v8*v103;
    v108 = v106 + v107;
    v109 = v8*v104;
    v110 = v9*v103;
    v111 = v110 - v109;
    v112 = v10*v105;
    v113 = v9*v102;
    v114 = v8*v101;
    v115 = v78 - v77 + v83 - (v22*v88 - v23*v87 - c(16)*v58 + (v10*v108 + v12*v111));
    v116 = v4*v56;
    v117 = c(9)*v116;
    v118 = c(9)*(c(1)*(v0*v10 - v12*(v1*v5) - v14)) - (c(7)*(c(1)*v3) + c(8)*(c(1)*v14));
    v119 = u(1)*v6;
    v120 = v8*v16;
    v121 = v9*v16;
    v122 = v119 + v12*v17;
    v123 = v9*v122 + v8*v24;
    v124 = v8*v122 - v9*v24;
    v125 = -2.0*v47;
    v126 = -2.0*(v5*(v4*(c(11) + (c(16) + c(9)*(v12*v12 + v33)))));
    v127 = 2.0*(v4*(v5*(c(12) + (v34 + (v40 + v41))))) + v126;
    v128 = -2.0*(c(28)*(v6*v7)) + (v125 + (2.0*(2.0*v47 - (v7*v46 + v47)) + v125) + v127);
    v129 = v15*v16 + v12*v59;
    v130 = c(11)*v17;
    v131 = c(12)*v16;
    v132 = c(8)*v119;
    v133 = c(14)*v120;
    v134 = c(15)*v121;
    v135 = c(16)*v17;
    v136 = c(9)*v123;
    v137 = c(9)*v124;
    v138 = c(9)*v25;
    v139 = v22*v137 + v91*v120 + (v23*v136 - v90*v121);
    v140 = c(9)*(v66 + v21*v121);
    v141 = v89*v121 - v23*v135 + (v17*v88 - v30*v134) + c(14)*(u(3)*v121 - v8*v58);
    v142 = v30*v133 - v17*v87 + (v22*v135 - v89*v120) - c(15)*(u(3)*v120 + v9*v58);
    v143 = v22*v134 + v88*v120 - (v23*v133 + v87*v121) - c(16)*v59;
    v144 = v30*v137 - v17*v91 + (v23*v138 + v92*v121);
    v145 = c(9)*(u(3)*v124 - (v9*v129 + v8*v65)) - v144;
    v146 = c(9)*(u(3)*v123 - v17*v21 + (v8*v129 - v9*v65));
    v147 = v22*v138 + v92*v120 - (v30*v136 + v17*v90) + v146;
    v148 = v139 - v140;
    v149 = v9*v147 + v8*v145;
    v150 = v9*v145 - v8*v147;
    v151 = v86 + (v82 - v17*v132) + (v140 - v139);
    v152 = -2.0*(v16*v75) + v150;
    v153 = v5*(v149 - (v85 + (v81 + v16*v132))) - v4*(v82 + u(2)*v75 + v86 + v108);
    v154 = v153 + (v5*(v81 + v85 + (v100 - v98)) + v4*v151);
    v155 = v4*(v83 - v78 - v77 + (v9*v142 + v8*v141 - v10*v148));
    v156 = v4*v115 - v5*(v80 + (v79 - v84) - (v143 + (v10*v149 + v12*v150)));
    v157 = v5*(v79 - v80 + v84 + (v113 + v114 - v112)) + v155 + v156;
    v158 = v3*(v1*v152 - v0*v154) + v2*(v1*v154 + v0*v152);
    v159 = v16*v72 - v17*v130 + (v17*v73 - v16*v131) + (v9*v141 - v8*v142 - v12*v148);
    v160 = v7*v152 - v6*(c(8)*v62 - v17*v75 + v111) + v157 + v158;
    v161 = v10*v11;
    v162 = c(9)*v161;
    v163 = 2.0*v162;
    v164 = -2.0*v42 + 2.0*v43;
    v165 = v6*v53;
    v166 = v54 + v4*(c(9)*(v11*v12 - v33) + (v8*v39 - v40 + (v9*v38 - v41)));
    v167 = v4*(v4*(v163 + v164)) + v5*(v5*(c(9)*(-2.0*v32 + 2.0*v161)));
    v168 = c(2)*v52;
    v169 = v5*(v163 - (v35 + v162)) - v7*v45 - c(2)*v45;
    v170 = c(14)*v23;
    v171 = c(15)*v22;
    v172 = c(9)*(v28 - v27 + (v9*(v11*v16) - v28));
    v173 = c(9)*(v11*v17 - u(2)*v10);
    v174 = v23*v88 - v22*v171 + (v22*v87 - v23*v170);
    v175 = v23*v91;
    v176 = v30*v171 - v94 + c(14)*v71;
    v177 = v30*v170 - v93 - c(15)*v70;
    v178 = v99 - (v30*v172 + (v23*v173 - v97));
    v179 = v95 + (v96 + v22*v173) - c(9)*(v63 + (v68 + v8*v64 + (v69 + v9*(v11*v58))));
    v180 = v175 + v22*v172 + (v22*v90 - v175) - c(9)*(v11*v59 - v21*v22);
    v181 = v9*v179 - v109 + (v110 + v8*v178);
    v182 = v9*v178 - v107 - (v106 + v8*v179);
    v183 = v5*v181 - v4*v180;
    v184 = v4*(v9*v177 - v8*v102 + (v9*v101 + v8*v176) - (v10*v180 + v11*v105));
    v185 = v184 + v5*(v174 + (v10*v181 + v11*v108 + (v12*v182 - v10*v111)));
    v186 = v7*v182 + v185 + (v3*(v1*v182 - v0*v183) + v2*(v1*v183 + v0*v182));
    v187 = v186 + udot(1)*(v165 + (v165 - 2.0*(v7*v52 + v165)) + v167 - v168 - v168);
    v188 = v112 - v12*v180 + (v9*v176 - v114 - (v113 + v8*v177)) - c(3)*v180 + udot(1)*v166;
    v189 = c(2) + v7;
    v190 = v5*v10;
    v191 = v189 + v5*v12;
    v192 = v9*v191 + v8*v190;
    v193 = v9*v190 - v8*v191;
    v194 = u(2)*v4;
    v195 = u(2)*v5;
    v196 = v10*v194;
    v197 = v4*v15 + v12*v194;
    v198 = c(11)*v5;
    v199 = c(12)*v4;
    v200 = c(8)*v189;
    v201 = c(14)*v19;
    v202 = c(15)*v20;
    v203 = c(16)*v5;
    v204 = c(9)*v192;
    v205 = c(9)*v193;
    v206 = v22*v205 + v19*v91 - (v23*v204 + v20*v90);
    v207 = c(9)*(v20*v21 + v10*v195);
    v208 = v23*v203 + v20*v89 - (v30*v202 + v5*v88) + c(14)*(u(3)*v20 + v8*v195);
    v209 = v30*v201 + v5*v87 - (v22*v203 + v19*v89) + c(15)*(v9*v195 - u(3)*v19);
    v210 = v22*v202 + v19*v88 - (v23*v201 + v20*v87) - c(16)*v194;
    v211 = v30*v205 + v5*v91 + (v23*v53 + v20*v92);
    v212 = c(9)*(u(3)*v193 - (v9*v197 + v8*v196)) - v211;
    v213 = c(9)*(v5*v21 - u(3)*v192 + (v8*v197 - v9*v196));
    v214 = v22*v53 + v19*v92 + (v30*v204 + v5*v90) + v213;
    v215 = v206 - v207;
    v216 = v9*v214 + v8*v212;
    v217 = v9*v212 - v8*v214;
    v218 = 2.0*(v17*v200) + (v207 - v206);
    v219 = -2.0*(v4*v75) + v217;
    v220 = v4*(v5*v74 - u(2)*v198 + c(12)*v195 + (v9*v209 + v8*v208 - v10*v215));
    v221 = v220 - v5*(v4*v74 - u(2)*v199 + c(11)*v194 - (v210 + (v10*v216 + v12*v217)));
    v222 = 2.0*(c(7)*v13) + (v5*(2.0*(v16*v200) + v216) + v4*v218);
    v223 = c(9)*(c(3) + v12);
    v224 = v30*v39 - v8*v89 + c(14)*(v120 - u(3)*v8);
    v225 = v30*v38 - v9*v89 + c(15)*(v121 - u(3)*v9);
    v226 = v9*v88 - v22*v39 + (v8*v87 - v23*v38) - v135;
    v227 = v136 + (v23*v223 - v8*v92);
    v228 = v137 + (v22*v223 + v9*v92);
    v229 = v8*v90 + v9*v91 - c(9)*(v25 - v8*v21);
    v230 = v9*v228 - v8*v227;
    v231 = v8*v228 + v9*v227;
    v232 = -2.0*v132 - v231;
    v233 = v5*(2.0*v75 + v230) - v4*v229;
    v234 = v4*(v131 + (c(13)*v16 - v72) + (v9*v225 + v8*v224 - v10*v229));
    v235 = v234 - v5*(v130 + (c(13)*v17 - v73) - (v226 + (v10*v230 - v12*v231)));
    v236 = c(4)*v227;
    v237 = v172 + (v90 + c(23)*v30);
    v238 = v9*v237;
    v239 = v8*v237;
    v240 = v5*v238 + 2.0*(v4*v173);
    v241 = 2.0*(v10*v173) + (v9*(v87 - c(16)*v22 - v171) + v8*(v170 + (c(16)*v23 - v88)));
    v242 = v2*(v1*v240 - v0*v239) - v3*(v0*v240 + v1*v239);
    r_q = zeros(3, 3);
    r_q(1, 1) = -(c(34) + v118);
    r_q(1, 2) = v160 + udot(1)*(v128 - v48 - v48) + udot(2)*v50 - udot(3)*v55;
    r_q(1, 3) = v187 + udot(2)*v166 + udot(3)*v169;
    r_q(2, 1) = -(v12*v117 + c(3)*(c(8)*v116 + v117));
    r_q(2, 2) = c(18) + (v159 + c(3)*v151) + udot(1)*v50;
    r_q(2, 3) = v188 + udot(2)*(-2.0*v35 - v164 - v49 - v49);
    r_q(3, 1) = c(4)*(c(9)*(v9*v57 - v8*(v5*v56)));
    r_q(3, 2) = v143 + c(4)*v145 - udot(1)*v55;
    r_q(3, 3) = c(19) + (v174 + c(4)*v178) + udot(1)*v169;
    r_u = zeros(3, 3);
    r_u(1, 1) = c(20) + (v7*v219 + v221 + (v3*(v1*v219 - v0*v222) + v2*(v1*v222 + v0*v219)));
    r_u(1, 2) = v7*v232 + v235 + (v3*(v1*v232 - v0*v233) + v2*(v1*v233 + v0*v232));
    r_u(1, 3) = v4*v241 + v5*(v10*v238 - v12*v239) - v7*v239 + v242;
    r_u(2, 1) = 2.0*(v17*v198) - 2.0*(v16*v199) + (v9*v208 - v8*v209 - v12*v215) + c(3)*v218;
    r_u(2, 2) = c(21) + (v9*v224 - v8*v225 - v12*v229 - c(3)*v229);
    r_u(2, 3) = v236 - v226;
    r_u(3, 1) = v210 + c(4)*v212;
    r_u(3, 2) = v226 - v236;
    r_u(3, 3) = c(22);
    r_w = zeros(3, 3);
    r_w(1, 1) = -1.0;
    r_w(2, 2) = -1.0;
    r_w(3, 3) = -1.0;
end

function r = inverse(t, q, u, w, udot, lambda, c)
    % Forces along the speeds that are missing for this udot (inverse dynamics).
    %   r (3 x 1): M udot - f
    % Operations: 121 add, 174 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = c(3)*v2;
    v5 = c(5) + c(3)*v3;
    v6 = sin(q(3));
    v7 = cos(q(3));
    v8 = c(4)*v6;
    v9 = c(6) + c(4)*v7;
    v10 = u(1)*c(2);
    v11 = u(2)*c(3);
    v12 = u(1)*v3;
    v13 = u(1)*v2;
    v14 = v10 + u(1)*v5;
    v15 = u(3)*c(4);
    v16 = u(2)*v7 + v6*v13;
    v17 = v7*v13 - u(2)*v6;
    v18 = v8*v12;
    v19 = v14 + v9*v12;
    v20 = v7*v18 - v6*v19;
    v21 = u(3) + v12;
    v22 = v15 + (v7*v19 + v6*v18);
    v23 = v9*v9;
    v24 = v8*v8;
    v25 = c(9)*v24;
    v26 = c(14)*v6;
    v27 = c(15)*v7;
    v28 = c(9)*v9;
    v29 = v3*v28;
    v30 = v4*(v2*v28);
    v31 = v2*(v2*(c(12) + (v25 + (v7*v27 + v6*v26))));
    v32 = v4*(c(9)*v8) + v2*(c(9)*(v8*v9) + (v7*v26 - v6*v27));
    v33 = v31 + v3*(v3*(c(11) + (c(16) + c(9)*(v23 + v24))));
    v34 = v29 + c(28)*v5;
    v35 = c(10) + (c(28)*(v5*v5) + (2.0*(v5*v29 + v30) - v30 - v30 + v33)) + c(2)*v34;
    v36 = c(23)*v7;
    v37 = v5*v36 + v3*(c(16) + (v25 + v9*v36)) + c(2)*v36;
    v38 = c(1)*v0;
    v39 = c(1)*v1;
    v40 = u(2)*v13;
    v41 = u(2)*v12;
    v42 = v2*v39;
    v43 = v3*v39;
    v44 = v38 - v11*v13;
    v45 = v43 - v8*v40;
    v46 = v44 - v9*v40;
    v47 = c(11)*v12;
    v48 = c(12)*v13;
    v49 = u(2)*c(13);
    v50 = c(8)*v11;
    v51 = c(8)*v14;
    v52 = c(14)*v16;
    v53 = c(15)*v17;
    v54 = c(16)*v21;
    v55 = c(9)*v22;
    v56 = c(9)*v20;
    v57 = c(9)*(v11 + (u(2)*v9 + v8*v13));
    v58 = v16*v56 - v17*v55;
    v59 = c(9)*(v15*v17 + (v42 + v8*v41));
    v60 = v17*v54 - v21*v53 + c(14)*(u(3)*v17 + v6*v41);
    v61 = v21*v52 - v16*v54 + c(15)*(v7*v41 - u(3)*v16);
    v62 = v16*v53 - v17*v52 - c(16)*v40;
    v63 = c(9)*(u(3)*v20 + (v7*v46 + v6*v45)) - (v21*v56 + v17*v57);
    v64 = v16*v57 + v21*v55 + c(9)*(v15*v21 - u(3)*v22 + (v7*v45 - v6*v46));
    v65 = v58 - v59;
    v66 = v7*v64 + v6*v63;
    v67 = v7*v63 - v6*v64;
    v68 = v13*v51 + c(8)*v42 + (v59 - v58);
    v69 = c(8)*v44 - v13*v50 + v67;
    v70 = v2*(v12*v49 - u(2)*v47 + c(12)*v41 + (v7*v61 + v6*v60 - v8*v65));
    v71 = v70 - v3*(v13*v49 - u(2)*v48 + c(11)*v40 - (v62 + (v8*v66 + v9*v67)));
    v72 = c(7)*v38 + v69;
    v73 = u(1)*(c(7)*v10) + c(7)*v39 + (v3*(v12*v51 + u(2)*v50 + c(8)*v43 + v66) + v2*v68);
    v74 = v5*v69 + v71 + (c(2)*v1*(v1*v72 - v0*v73) + c(2)*v0*(v1*v73 + v0*v72));
    v75 = v74 - (w(1) - u(1)*c(20) - c(17)*(q(1) + c(25))) + udot(1)*(v35 + c(2)*(c(29) + v34));
    v76 = v13*v47 - v12*v48 + (v7*v60 - v6*v61 - v9*v65) + c(3)*v68;
    v77 = c(13) + (c(9)*v23 + (v6*(c(15)*v6) + v7*(c(14)*v7))) + c(3)*v28 + c(3)*(c(30) + v28);
    r = zeros(3, 1);
    r(1) = v75 + udot(2)*v32 + udot(3)*v37;
    r(2) = v76 - (w(2) - u(2)*c(21) - c(18)*(q(2) + c(26))) + udot(1)*v32 + udot(2)*v77;
    r(3) = v62 + c(4)*v63 - (w(3) - u(3)*c(22) - c(19)*(q(3) + c(27))) + udot(1)*v37 + udot(3)*c(24);
end

function [T, V] = energy(t, q, u, c)
    % Kinetic and potential energy.
    %   T: kinetic energy
    %   V: potential energy
    % Operations: 35 add, 65 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = c(2)*v1;
    v3 = sin(q(2));
    v4 = cos(q(2));
    v5 = c(5) + c(3)*v4;
    v6 = sin(q(3));
    v7 = cos(q(3));
    v8 = c(4)*v6;
    v9 = c(6) + c(4)*v7;
    v10 = u(1)*c(2);
    v11 = v2 + v1*v5;
    v12 = u(2)*c(3);
    v13 = u(1)*v4;
    v14 = u(1)*v3;
    v15 = v10 + u(1)*v5;
    v16 = u(2)*v7 + v6*v14;
    v17 = v7*v14 - u(2)*v6;
    v18 = v8*v13;
    v19 = v12 + (u(2)*v9 + v8*v14);
    v20 = v15 + v9*v13;
    v21 = v7*v18 - v6*v20;
    v22 = u(3) + v13;
    v23 = u(3)*c(4) + (v7*v20 + v6*v18);
    v24 = q(1) + c(25);
    v25 = q(2) + c(26);
    v26 = q(3) + c(27);
    v27 = u(2)*(u(2)*c(13)) + (v14*(c(12)*v14) + v13*(c(11)*v13)) + c(8)*(v15*v15 + v12*v12);
    v28 = v22*(c(16)*v22) + (v17*(c(15)*v17) + v16*(c(14)*v16));
    v29 = v28 + c(9)*(v19*v19 + (v21*v21 + v23*v23));
    v30 = c(9)*(c(1)*(v0*v8 - v9*(v1*v4) - v11)) - (c(7)*(c(1)*v2) + c(8)*(c(1)*v11));
    T = 0.5*(u(1)*(u(1)*c(10)) + c(7)*(v10*v10) + v27 + v29);
    V = 0.5*(v24*(c(17)*v24)) + 0.5*(v25*(c(18)*v25)) + 0.5*(v26*(c(19)*v26)) + v30;
end

function [linear, angular] = momentum(t, q, u, c)
    % Linear momentum, and angular momentum about the origin, in ground axes.
    %   linear (3 x 1): linear momentum
    %   angular (3 x 1): angular momentum
    % Operations: 65 add, 105 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = c(2)*v0;
    v3 = c(2)*v1;
    v4 = sin(q(2));
    v5 = cos(q(2));
    v6 = c(3)*v4;
    v7 = c(5) + c(3)*v5;
    v8 = sin(q(3));
    v9 = cos(q(3));
    v10 = c(4)*v8;
    v11 = c(6) + c(4)*v9;
    v12 = u(1)*c(2);
    v13 = v0*v4;
    v14 = v0*v5;
    v15 = v1*v4;
    v16 = v1*v5;
    v17 = v2 + v0*v7;
    v18 = v3 + v1*v7;
    v19 = u(2)*c(3);
    v20 = u(1)*v5;
    v21 = u(1)*v4;
    v22 = v12 + u(1)*v7;
    v23 = v1*v9 - v8*v14;
    v24 = v1*v8 + v9*v14;
    v25 = v0*v9 + v8*v16;
    v26 = v9*v16 - v0*v8;
    v27 = v4*v8;
    v28 = v4*v9;
    v29 = v17 + (v1*v10 + v11*v14);
    v30 = v0*v10 - v11*v16 - v18;
    v31 = v6 + v4*v11;
    v32 = v10*v20;
    v33 = v22 + v11*v20;
    v34 = c(7)*v12;
    v35 = c(11)*v20;
    v36 = c(12)*v21;
    v37 = u(2)*c(13);
    v38 = c(8)*v19;
    v39 = c(8)*v22;
    v40 = c(14)*(u(2)*v9 + v8*v21);
    v41 = c(15)*(v9*v21 - u(2)*v8);
    v42 = c(16)*(u(3) + v20);
    v43 = c(9)*(u(3)*c(4) + (v9*v33 + v8*v32));
    v44 = c(9)*(v9*v32 - v8*v33);
    v45 = c(9)*(v19 + (u(2)*v11 + v10*v21));
    v46 = v1*v34;
    v47 = v0*v34;
    v48 = v1*v39 - v13*v38;
    v49 = v0*v39 + v15*v38;
    v50 = v5*v38;
    v51 = v23*v43 - v24*v44 - v13*v45;
    v52 = v15*v45 + (v26*v44 + v25*v43);
    v53 = v28*v44 + v27*v43 - v5*v45;
    v54 = v13*v42 + (v23*v40 - v24*v41) + (v31*v52 + v30*v53);
    v55 = v0*v37 + (v16*v36 - v15*v35) + (v17*v50 - v6*v48);
    v56 = u(1)*c(10) + (v3*v46 + v2*v47) + (v4*v36 + v5*v35 + (v18*v48 + v17*v49));
    linear = zeros(3, 1);
    linear(1) = v46 + v48 + v51;
    linear(2) = v47 + v49 + v52;
    linear(3) = v53 - v50;
    angular = zeros(3, 1);
    angular(1) = v1*v37 + (v13*v35 - v14*v36) + (v6*v49 + v18*v50) + v54;
    angular(2) = v55 + (v26*v41 + v25*v40 - v15*v42 - (v29*v53 + v31*v51));
    angular(3) = v56 + (v5*v42 + (v28*v41 + v27*v40) + (v29*v52 - v30*v51));
end

function y = outputs(t, q, u, w, udot, lambda, c)
    % Outputs of the model.
    %   y (9 x 1): outputs
    % Operations: 105 add, 161 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = c(2)*v0;
    v3 = c(2)*v1;
    v4 = sin(q(2));
    v5 = cos(q(2));
    v6 = c(3)*v4;
    v7 = c(5) + c(3)*v5;
    v8 = sin(q(3));
    v9 = cos(q(3));
    v10 = c(4)*v8;
    v11 = c(6) + c(4)*v9;
    v12 = u(1)*c(2);
    v13 = v1*v5;
    v14 = u(2)*c(3);
    v15 = u(1)*v5;
    v16 = u(1)*v4;
    v17 = v12 + u(1)*v7;
    v18 = u(3)*c(4);
    v19 = u(2)*v9 + v8*v16;
    v20 = v9*v16 - u(2)*v8;
    v21 = v10*v15;
    v22 = v17 + v11*v15;
    v23 = v9*v21 - v8*v22;
    v24 = u(3) + v15;
    v25 = v18 + (v9*v22 + v8*v21);
    v26 = c(1)*v1;
    v27 = u(2)*v16;
    v28 = c(11)*v15;
    v29 = c(12)*v16;
    v30 = u(2)*c(13);
    v31 = c(8)*v14;
    v32 = c(8)*v17;
    v33 = c(14)*v19;
    v34 = c(15)*v20;
    v35 = c(16)*v24;
    v36 = c(9)*v25;
    v37 = c(9)*v23;
    v38 = c(9)*(v14 + (u(2)*v11 + v10*v16));
    v39 = c(32)*(v1*v4);
    v40 = udot(1)*c(2);
    v41 = udot(2)*c(3);
    v42 = udot(1)*v5;
    v43 = v27 - v42;
    v44 = u(2)*v15 + udot(1)*v4;
    v45 = v40 + udot(1)*v7 - v14*v16;
    v46 = v10*v43;
    v47 = v45 - v11*v43;
    v48 = v20*v35 - v24*v34 + c(14)*(u(3)*v20 + (udot(2)*v9 + v8*v44));
    v49 = v24*v33 - v19*v35 + c(15)*(v9*v44 - udot(2)*v8 - u(3)*v19);
    v50 = v19*v37 - v20*v36 - c(9)*(v18*v20 + (v41 + (udot(2)*v11 + v10*v44)));
    v51 = c(9)*(u(3)*v23 + udot(3)*c(4) + (v9*v47 - v8*v46)) - (v24*v37 + v20*v38);
    v52 = c(32)*(v0*v9 + v8*v13) + v51;
    v53 = v19*v38 + v24*v36 + c(9)*(v18*v24 - u(3)*v25 - (v8*v47 + v9*v46));
    v54 = c(32)*(v9*v13 - v0*v8) + v53;
    v55 = v50 - v39;
    v56 = v9*v54 + v8*v52;
    v57 = v9*v52 - v8*v54;
    v58 = v19*v34 - v20*v33 + c(16)*(udot(3) + (v42 - v27)) + (v10*v56 + v11*v57);
    v59 = v16*v30 - u(2)*v29 + c(11)*v43 - v58;
    v60 = v15*v30 - u(2)*v28 + c(12)*v44 + (v9*v49 + v8*v48 - v10*v55);
    v61 = c(8)*(v4*v26) + (v16*v32 + c(8)*v41) + (v39 - v50);
    v62 = v15*v32 + u(2)*v31 + c(8)*(v5*v26) + v56;
    v63 = c(31)*v0 + (c(8)*v45 - v16*v31) + v57;
    v64 = v5*v62 + v4*v61;
    v65 = v4*v62 - v5*v61;
    v66 = v16*v28 - v15*v29 + udot(2)*c(13) + (v9*v48 - v8*v49 - v11*v55);
    v67 = v66 + (v6*v64 - v7*v65);
    v68 = v5*v60 + v4*v59 - v6*v63;
    v69 = c(7)*(c(1)*v0) + c(7)*v40 + v63;
    v70 = u(1)*(c(7)*v12) + c(7)*v26 + v64;
    v71 = v1*v69 - v0*v70;
    v72 = v1*v70 + v0*v69;
    y = zeros(9, 1);
    y(1) = v2 + v0*v7 + (v1*v10 + v11*(v0*v5));
    y(2) = v0*v10 - v11*v13 - (v3 + v1*v7);
    y(3) = -(v6 + v4*v11);
    y(4) = v71;
    y(5) = v72;
    y(6) = v65;
    y(7) = v1*v67 - v0*v68 - v3*v65;
    y(8) = v1*v68 + v0*v67 - v2*v65;
    y(9) = udot(1)*c(10) + (v7*v63 + (v4*v60 - v5*v59)) + (v3*v71 + v2*v72);
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
    B = zeros(6, 3);
    [qdot_q, qdot_u] = rate_jacobians(t, q, u, c);
    A(1:3, 1:3) = qdot_q;
    A(1:3, 4:6) = qdot_u;
    lambda = zeros(0, 1);
    udot = accelerations(t, q, u, w, c);
    [M, f] = dynamics(t, q, u, w, c);
    [r_q, r_u, r_w] = jacobians(t, q, u, w, udot, lambda, c);
    slope = M \ -[r_q, r_u, r_w];
    A(4:6, :) = slope(:, 1:6);
    B(4:6, :) = slope(:, 7:9);
end
