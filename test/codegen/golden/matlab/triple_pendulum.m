function s = triple_pendulum()
% Triple pendulum: equations of motion
% Derived by the formulation 'recursive', written by linkwright 0.1.0.
%
%     qdot = N(q, t) u + nu(q, t)
%     M(q, t) udot = f(q, u, w, t)
%
% SI units, angles in radians. The state x is q, then u.
%
% Coordinates q, with their initial values
%     1  q1  0.0
%     2  q2  0.0
%     3  q3  0.0
%
% Speeds u, with their initial values
%     1  q1'  0.0
%     2  q2'  0.0
%     3  q3'  0.0
%
% Inputs w, with their default values
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
%     setup           p -> c                                32 add, 33 mul, 1 div
%     rates           t q u c -> qdot                       none
%     dynamics        t q u w c -> M f                      62 add, 76 mul, 3 sincos
%     accelerations   t q u w c -> udot                     68 add, 86 mul, 2 div, 3 sincos
%     rate_jacobians  t q u c -> qdot_q qdot_u              none
%     jacobians       t q u w udot lambda c -> r_q r_u r_w  137 add, 216 mul, 3 sincos
%     inverse         t q u w udot lambda c -> r            54 add, 67 mul, 3 sincos
%     energy          t q u c -> T V                        35 add, 60 mul, 3 sincos
%     momentum        t q u c -> linear angular             63 add, 102 mul, 3 sincos
%     outputs         t q u w udot lambda c -> y            110 add, 164 mul, 3 sincos
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
    s.formulation = 'recursive';
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
    % What depends on parameters only, computed once.
    %   c (62 x 1): constants for the other functions
    % Operations: 32 add, 33 mul, 1 div.
    v0 = p(2) + p(5);
    v1 = p(3) + p(6);
    v2 = p(2)*p(7);
    v3 = p(10) - p(11);
    v4 = p(2)*v2 + 0.5*(p(12) + v3);
    v5 = 0.5*(p(12) - v3);
    v6 = p(3)*p(8);
    v7 = p(13) - p(14);
    v8 = 0.5*(p(13) + p(14) - p(15));
    v9 = p(4)*p(9);
    v10 = p(17) - p(16);
    v11 = p(18) + v10;
    v12 = 0.5*v11;
    v13 = 0.5*(p(18) - v10) + p(4)*v9;
    v14 = v0*(p(8) + p(9));
    v15 = p(9)*v1;
    v16 = v6 + v15;
    v17 = p(3)*v6 + 0.5*(p(15) + v7) + v1*v15;
    v18 = 0.5*(p(15) - v7) + 0.5*(p(16) + p(17) - p(18));
    v19 = v17 - v18;
    v20 = v12 + v13;
    v21 = p(1)*p(9);
    v22 = p(1)*p(8);
    v23 = p(1)*p(7);
    v24 = v1*v9;
    c = zeros(62, 1);
    c(1) = p(1);
    c(2) = p(19);
    c(3) = p(20);
    c(4) = p(21);
    c(5) = p(22);
    c(6) = p(23);
    c(7) = p(24);
    c(8) = p(25);
    c(9) = p(26);
    c(10) = p(27);
    c(11) = v0;
    c(12) = v1;
    c(13) = v9;
    c(14) = v11;
    c(15) = v12;
    c(16) = v13;
    c(17) = v14;
    c(18) = v2 + v14;
    c(19) = v16;
    c(20) = v17;
    c(21) = v18;
    c(22) = v19;
    c(23) = v12 - v13;
    c(24) = v20;
    c(25) = v24;
    c(26) = v4;
    c(27) = v5;
    c(28) = v8;
    c(29) = 2.0*v18;
    c(30) = 1.0/v20;
    c(31) = p(2);
    c(32) = p(3);
    c(33) = p(4);
    c(34) = p(5);
    c(35) = p(6);
    c(36) = p(7);
    c(37) = p(8);
    c(38) = p(9);
    c(39) = 2.0*v1;
    c(40) = -v19;
    c(41) = 2.0*v9;
    c(42) = 2.0*v16;
    c(43) = 2.0*v17;
    c(44) = 2.0*v19;
    c(45) = 2.0*v24;
    c(46) = 2.0*v13;
    c(47) = v4 + v0*v14 + (v5 + v8);
    c(48) = p(12);
    c(49) = p(13);
    c(50) = p(14);
    c(51) = p(15);
    c(52) = p(16);
    c(53) = p(17);
    c(54) = p(18);
    c(55) = 0.5*p(21);
    c(56) = 0.5*p(20);
    c(57) = 0.5*p(19);
    c(58) = v21;
    c(59) = v22;
    c(60) = v21 + v22;
    c(61) = v23;
    c(62) = v22 + v23;
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
    % Operations: 62 add, 76 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = sin(q(3));
    v5 = cos(q(3));
    v6 = c(1)*v0;
    v7 = c(1)*v1 + c(11)*(u(1)*u(1));
    v8 = u(1)*v2;
    v9 = u(1)*v3;
    v10 = v8*v9;
    v11 = v2*v7;
    v12 = u(2)*v8;
    v13 = u(2)*v9;
    v14 = v4*v8 + u(2)*v5;
    v15 = v5*v8 - u(2)*v4;
    v16 = u(3) + v9;
    v17 = v5*c(13);
    v18 = c(12)*v17;
    v19 = v4*c(23);
    v20 = v4*v19;
    v21 = c(20) + (c(16) + v20 + 2.0*v18);
    v22 = v3*(v3*(v21 - c(21))) + (c(21) + (c(26) + c(11)*(c(17) + 2.0*(v3*(c(19) + v17))))) + c(27);
    v23 = 2.0*v12;
    v24 = u(3) + v16;
    v25 = v4*v13 + v15*v24;
    v26 = v12 + v14*v15;
    v27 = c(15)*(v14*v24 - v5*v13);
    v28 = c(16)*v25 + c(13)*(v11 + c(12)*v10);
    v29 = c(13)*(v4*(v3*v7 + c(12)*(v9*v9 + u(2)*u(2))) + v5*(v6 - c(12)*v23));
    v30 = c(23)*v26 - c(14)*v12 + v29;
    v31 = c(13)*(v4*(v14*v14 + v16*v16) + v5*v26);
    v32 = v2*(v13*c(29) + v4*v28 - v5*v27) + v3*(v30 + (c(19)*v6 - c(20)*v23) - c(12)*v31);
    v33 = w(2) - u(2)*c(6) - c(3)*(q(2) - c(9)) - c(19)*v11 - v10*c(22) - c(25)*v25 - v4*v27;
    M = zeros(3, 3);
    M(1, 1) = c(15) + (v22 + c(28)) - v20;
    M(2, 1) = -v2*(v5*v19 - v4*c(25));
    M(1, 2) = M(2, 1);
    M(2, 2) = c(21) + v21;
    M(3, 1) = v3*(c(24) + v18) + c(11)*v17;
    M(1, 3) = M(3, 1);
    M(3, 3) = c(24);
    f = zeros(3, 1);
    f(1) = w(1) - u(1)*c(5) - c(2)*(q(1) - c(8)) - (c(18)*v6 + (v32 + c(11)*(-c(19)*v23 - v31)));
    f(2) = v33 - v5*v28;
    f(3) = w(3) - u(3)*c(7) - c(4)*(q(3) - c(10)) - v30;
end

function udot = accelerations(t, q, u, w, c)
    % Accelerations, written out.
    %   udot (3 x 1): accelerations
    % Operations: 68 add, 86 mul, 2 div, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = sin(q(3));
    v5 = cos(q(3));
    v6 = c(1)*v0;
    v7 = c(1)*v1 + c(11)*(u(1)*u(1));
    v8 = u(1)*v2;
    v9 = u(1)*v3;
    v10 = v8*v9;
    v11 = v2*v7;
    v12 = u(2)*v8;
    v13 = u(2)*v9;
    v14 = v4*v8 + u(2)*v5;
    v15 = v5*v8 - u(2)*v4;
    v16 = u(3) + v9;
    v17 = v5*c(13);
    v18 = c(12)*v17;
    v19 = v3*(c(24) + v18) + c(11)*v17;
    v20 = v4*c(23);
    v21 = v4*v20;
    v22 = c(20) + (c(16) + v21 + 2.0*v18);
    v23 = v2*(v5*v20 - v4*c(25));
    v24 = 2.0*v12;
    v25 = u(3) + v16;
    v26 = v4*v13 + v15*v25;
    v27 = v12 + v14*v15;
    v28 = c(15)*(v14*v25 - v5*v13);
    v29 = c(16)*v26 + c(13)*(v11 + c(12)*v10);
    v30 = c(13)*(v4*(v3*v7 + c(12)*(v9*v9 + u(2)*u(2))) + v5*(v6 - c(12)*v24));
    v31 = c(23)*v27 - c(14)*v12 + v30;
    v32 = v31 - (w(3) - u(3)*c(7) - c(4)*(q(3) - c(10)));
    v33 = c(13)*(v4*(v14*v14 + v16*v16) + v5*v27);
    v34 = u(2)*c(6) + (v5*v29 + (v4*v28 + (c(25)*v26 + (c(19)*v11 + v10*c(22)))) - w(2));
    v35 = c(3)*(q(2) - c(9)) + v34;
    v36 = v2*(v13*c(29) + v4*v29 - v5*v28) + v3*(v31 + (c(19)*v6 - c(20)*v24) - c(12)*v33);
    v37 = v19*c(30);
    v38 = c(18)*v6 + (v36 + c(11)*(-c(19)*v24 - v33)) - (w(1) - u(1)*c(5) - c(2)*(q(1) - c(8)));
    v39 = 1.0/(c(21) + v22);
    v40 = v23*v39;
    v41 = v3*(v3*(v22 - c(21))) + (c(21) + (c(26) + c(11)*(c(17) + 2.0*(v3*(c(19) + v17))))) + c(27);
    v42 = (v32*v37 - v38 - v35*v40)/(c(15) + (v41 + c(28)) - v21 - v19*v37 - v23*v40);
    udot = zeros(3, 1);
    udot(1) = v42;
    udot(2) = v40*v42 - v35*v39;
    udot(3) = -(v32*c(30) + v37*v42);
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
    % Operations: 137 add, 216 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = sin(q(3));
    v5 = cos(q(3));
    v6 = c(1)*v1;
    v7 = c(1)*v0;
    v8 = u(1)*c(11);
    v9 = v6 + u(1)*v8;
    v10 = v7 + udot(1)*c(11);
    v11 = u(1)*v2;
    v12 = u(1)*v3;
    v13 = v11*v12;
    v14 = v12*v12;
    v15 = v3*v9;
    v16 = v2*v9;
    v17 = u(2)*v11;
    v18 = u(2)*v12;
    v19 = udot(1)*v2 + v18;
    v20 = udot(1)*v3 - v17;
    v21 = v17 - v20;
    v22 = v15 + c(12)*(v14 + u(2)*u(2));
    v23 = v10 - c(12)*v21;
    v24 = v4*v11 + u(2)*v5;
    v25 = v5*v11 - u(2)*v4;
    v26 = v24*v24;
    v27 = v24*v25;
    v28 = udot(3) + v20;
    v29 = u(3) + v12;
    v30 = v18 + v19;
    v31 = v14 - v11*v11;
    v32 = u(3) + v29;
    v33 = udot(2)*v4 + (v24*v32 - v5*v19);
    v34 = udot(2)*v5 + (v4*v19 + v25*v32);
    v35 = v27 - v28;
    v36 = c(13)*v35;
    v37 = c(13)*(v26 + v29*v29);
    v38 = c(14)*v33;
    v39 = v25*v25 - v26;
    v40 = c(16)*v34 + c(13)*(v16 + c(12)*(udot(2) + v13));
    v41 = v4*v40;
    v42 = v5*v38;
    v43 = c(31)*v1;
    v44 = v1*(c(34) + c(32)*v3) + v43;
    v45 = v2*v5;
    v46 = v2*v4;
    v47 = v5*c(13);
    v48 = c(38)*(v0*(c(33)*v4) - (c(35) + c(33)*v5)*(v1*v3) - v44) - c(37)*v44 - c(36)*v43;
    v49 = v4*v12;
    v50 = v5*v12;
    v51 = 2.0*v24;
    v52 = 2.0*v11;
    v53 = v4*v20 + (v32*v50 - v11*v25);
    v54 = v19 + (v25*v49 + v24*v50);
    v55 = c(14)*(v32*v49 - v11*v24 - v5*v20);
    v56 = c(16)*v53 + c(13)*(v15 + c(12)*v31);
    v57 = c(23)*v54 - c(14)*v19 + c(13)*(v4*(-v13*c(39) - v16) - v5*(c(12)*v30));
    v58 = 0.5*v5;
    v59 = 0.5*v4;
    v60 = c(13)*(v5*v54 + v4*(v49*v51 - v29*v52));
    v61 = v4*v56 - v55*v58 - v21*c(40) - c(19)*v10 - v35*c(23) - c(14)*v28;
    v62 = v2*(c(12)*(v5*v36 + v4*v37) + (v61 - c(13)*(v4*v22 + v5*v23)));
    v63 = c(16)*v33;
    v64 = c(14)*v34;
    v65 = c(23)*v39 + c(13)*(v5*v22 - v4*v23);
    v66 = v5*(v37 + c(13)*v39) + v4*(v27*c(41) - v36);
    v67 = v2*(v5*v40 - v4*v63 - 0.5*(v5*v64 - v4*v38)) + v3*(v65 - c(12)*v66);
    v68 = v2*v12;
    v69 = v2*v8;
    v70 = u(2)*v2;
    v71 = u(2)*v3;
    v72 = 2.0*v3;
    v73 = v4*v71 + (v3*v25 + v32*v45);
    v74 = v70 + (v25*v46 + v24*v45);
    v75 = c(14)*(v3*v24 + v32*v46 - v5*v71);
    v76 = c(16)*v73 + c(13)*(c(39)*v68 + 2.0*v69);
    v77 = c(23)*v74 - c(14)*v70 + c(13)*(v4*(v72*(v8 + c(12)*v12)) - v70*(v5*c(39)));
    v78 = c(13)*(v5*v74 + v4*(v46*v51 + v29*v72));
    v79 = v2*(v71*c(29) + v4*v76 - v58*v75) + v3*(v77 - v70*c(43) - c(12)*v78);
    v80 = v49 - v4*v32;
    v81 = v11 + (v5*v25 - v4*v24);
    v82 = c(16)*v80;
    v83 = c(14)*(v5*v32 - v50);
    v84 = c(23)*v81 - c(14)*v11 - v25*c(45);
    v85 = v47*(v81 + v4*v51);
    v86 = v2*(v12*c(29) + v4*v82 - v58*v83) + v3*(v84 - c(20)*v52 - c(12)*v85);
    r_q = zeros(3, 3);
    r_q(1, 1) = c(2) - c(1)*v48;
    r_q(1, 2) = v3*(v57 + (v41 + v30*c(40) - 0.5*v42) - c(12)*v60) + v62 - c(11)*(c(19)*v30 + v60);
    r_q(1, 3) = v67 - c(11)*v66;
    r_q(2, 1) = -v2*v7*(c(19) + v47);
    r_q(2, 2) = v5*v56 + (v55*v59 + (v53*c(25) + (c(19)*v15 + (c(3) + c(22)*v31))));
    r_q(2, 3) = -(v41 + v5*v63 - 0.5*(v42 + v4*v64) + v33*c(25));
    r_q(3, 1) = c(13)*(v5*v6 - v4*(v3*v7));
    r_q(3, 2) = v57;
    r_q(3, 3) = c(4) + v65;
    r_u = zeros(3, 3);
    r_u(1, 1) = c(5) + (v79 - c(11)*(v70*c(42) + v78));
    r_u(1, 2) = v86 - c(11)*(v11*c(42) + v85);
    r_u(1, 3) = v2*(v25*(v4*c(46)) - v5*(c(14)*v24)) - (c(11) + v3*c(12))*(v4*(v29*c(41)));
    r_u(2, 1) = v68*c(44) + (v69*c(42) + (c(25)*v73 + (v5*v76 + v59*v75)));
    r_u(2, 2) = v5*v82 + (v59*v83 + (c(6) + c(25)*v80));
    r_u(2, 3) = -v84;
    r_u(3, 1) = v77;
    r_u(3, 2) = v84;
    r_u(3, 3) = c(7);
    r_w = zeros(3, 3);
    r_w(1, 1) = -1.0;
    r_w(2, 2) = -1.0;
    r_w(3, 3) = -1.0;
end

function r = inverse(t, q, u, w, udot, lambda, c)
    % Generalized forces required in addition for this udot (inverse dynamics).
    %   r (3 x 1): M udot - f
    % Operations: 54 add, 67 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = sin(q(3));
    v5 = cos(q(3));
    v6 = c(1)*v0;
    v7 = c(1)*v1 + c(11)*(u(1)*u(1));
    v8 = v6 + udot(1)*c(11);
    v9 = u(1)*v2;
    v10 = u(1)*v3;
    v11 = v2*v7;
    v12 = u(2)*v9;
    v13 = u(2)*v10;
    v14 = udot(1)*v2 + v13;
    v15 = udot(1)*v3 - v12;
    v16 = udot(2) + v9*v10;
    v17 = v12 - v15;
    v18 = v4*v9 + u(2)*v5;
    v19 = v5*v9 - u(2)*v4;
    v20 = udot(3) + v15;
    v21 = u(3) + v10;
    v22 = u(3) + v21;
    v23 = udot(2)*v5 + (v4*v14 + v19*v22);
    v24 = v18*v19 - v20;
    v25 = c(15)*(udot(2)*v4 + (v18*v22 - v5*v14));
    v26 = c(16)*v23 + c(13)*(v11 + c(12)*v16);
    v27 = c(13)*(v4*(v3*v7 + c(12)*(v10*v10 + u(2)*u(2))) + v5*(v8 - c(12)*v17));
    v28 = v24*c(23) + c(14)*v20 + v27;
    v29 = c(13)*(v5*v24 + v4*(v18*v18 + v21*v21));
    v30 = c(19)*v11 + (v23*c(25) + (v4*v25 + (v5*v26 + (c(3)*(q(2) - c(9)) + u(2)*c(6)))));
    v31 = v2*(c(21)*(v13 + v14) + v4*v26 - v5*v25) + (c(18)*v6 + udot(1)*c(47));
    v32 = v3*(c(19)*v8 - c(20)*v17 + (v28 - c(12)*v29)) + v31 - c(11)*(c(19)*v17 + v29) - w(1);
    r = zeros(3, 1);
    r(1) = c(2)*(q(1) - c(8)) + (u(1)*c(5) + v32);
    r(2) = udot(2)*c(29) + (v16*c(22) + v30) - w(2);
    r(3) = v28 - (w(3) - u(3)*c(7) - c(4)*(q(3) - c(10)));
end

function [T, V] = energy(t, q, u, c)
    % Kinetic and potential energy.
    %   T: kinetic energy
    %   V: potential energy
    % Operations: 35 add, 60 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = sin(q(3));
    v5 = cos(q(3));
    v6 = q(1) - c(8);
    v7 = q(2) - c(9);
    v8 = q(3) - c(10);
    v9 = u(1)*v2;
    v10 = u(1)*v3;
    v11 = v4*v9 + u(2)*v5;
    v12 = v5*v9 - u(2)*v4;
    v13 = u(3) + v10;
    v14 = c(35) + c(33)*v5;
    v15 = c(33)*v4;
    v16 = u(2)*c(32);
    v17 = u(2)*v14 + v9*v15 + v16;
    v18 = c(34) + c(32)*v3;
    v19 = u(1)*c(31);
    v20 = u(1)*v18 + v19;
    v21 = v10*v14 + v20;
    v22 = v10*v15;
    v23 = v5*v22 - v4*v21;
    v24 = v5*v21 + v4*v22 + u(3)*c(33);
    v25 = v13*(c(54)*v13) + (v12*(c(53)*v12) + v11*(c(52)*v11));
    v26 = u(2)*(u(2)*c(51)) + (v9*(c(50)*v9) + v10*(c(49)*v10)) + c(37)*(v20*v20 + v16*v16);
    v27 = v25 + c(38)*(v17*v17 + (v23*v23 + v24*v24));
    v28 = c(31)*v1;
    v29 = v1*v18 + v28;
    v30 = v8*(v8*c(55)) + c(1)*(c(38)*(v0*v15 - v14*(v1*v3) - v29) - c(37)*v29 - c(36)*v28);
    T = 0.5*(v27 + (v26 + (u(1)*(u(1)*c(48)) + c(36)*(v19*v19))));
    V = v6*(v6*c(57)) + (v7*(v7*c(56)) + v30);
end

function [linear, angular] = momentum(t, q, u, c)
    % Linear momentum, and angular momentum about the origin, in ground axes.
    %   linear (3 x 1): linear momentum
    %   angular (3 x 1): angular momentum
    % Operations: 63 add, 102 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = sin(q(3));
    v5 = cos(q(3));
    v6 = u(1)*v2;
    v7 = u(1)*v3;
    v8 = c(53)*(v5*v6 - u(2)*v4);
    v9 = c(52)*(v4*v6 + u(2)*v5);
    v10 = c(35) + c(33)*v5;
    v11 = c(33)*v4;
    v12 = u(2)*c(32);
    v13 = c(34) + c(32)*v3;
    v14 = u(1)*c(31);
    v15 = u(1)*v13 + v14;
    v16 = v7*v10 + v15;
    v17 = v7*v11;
    v18 = u(2)*c(51);
    v19 = c(50)*v6;
    v20 = v1*v3;
    v21 = c(31)*v1;
    v22 = v1*v13 + v21;
    v23 = v0*v11 - v10*v20 - v22;
    v24 = c(38)*(u(2)*v10 + v6*v11 + v12);
    v25 = v0*v2;
    v26 = c(38)*(v5*v17 - v4*v16);
    v27 = v0*v3;
    v28 = v1*v4 + v5*v27;
    v29 = c(38)*(v5*v16 + v4*v17 + u(3)*c(33));
    v30 = v1*v5 - v4*v27;
    v31 = v29*v30 - v26*v28 - v24*v25;
    v32 = c(37)*v15;
    v33 = c(37)*v12;
    v34 = v1*v32 - v25*v33;
    v35 = c(36)*v14;
    v36 = v1*v35;
    v37 = v1*v2;
    v38 = v5*v20 - v0*v4;
    v39 = v0*v5 + v4*v20;
    v40 = v24*v37 + (v26*v38 + v29*v39);
    v41 = v0*v32 + v33*v37;
    v42 = v0*v35;
    v43 = v2*v5;
    v44 = v2*v4;
    v45 = v26*v43 + v29*v44 - v3*v24;
    v46 = v3*v33;
    v47 = c(32)*v2;
    v48 = v2*v10 + v47;
    v49 = c(54)*(u(3) + v7) + c(49)*v7;
    v50 = v1*v18 + (v23*v45 + (v40*v48 + (v9*v30 + v25*v49 - v8*v28))) - v19*v27;
    v51 = c(31)*v0;
    v52 = v0*v13 + v51;
    v53 = v1*v11 + v10*v27 + v52;
    v54 = v19*v20 + (v0*v18 + (v8*v38 + v9*v39 - v37*v49 - v45*v53 - v31*v48));
    v55 = v22*v34 + (v2*v19 + (v40*v53 + (v9*v44 + (v8*v43 + v3*v49)) - v23*v31));
    linear = zeros(3, 1);
    linear(1) = v31 + (v34 + v36);
    linear(2) = v40 + (v41 + v42);
    linear(3) = v45 - v46;
    angular = zeros(3, 1);
    angular(1) = v22*v46 + (v41*v47 + v50);
    angular(2) = v46*v52 + v54 - v34*v47;
    angular(3) = v42*v51 + (v21*v36 + (u(1)*c(48) + (v41*v52 + v55)));
end

function y = outputs(t, q, u, w, udot, lambda, c)
    % Outputs of the model.
    %   y (9 x 1): outputs
    % Operations: 110 add, 164 mul, 3 sincos.
    v0 = sin(q(1));
    v1 = cos(q(1));
    v2 = sin(q(2));
    v3 = cos(q(2));
    v4 = sin(q(3));
    v5 = cos(q(3));
    v6 = c(1)*v0;
    v7 = u(1)*u(1);
    v8 = c(1)*v1 + c(11)*v7;
    v9 = v6 + udot(1)*c(11);
    v10 = u(1)*v2;
    v11 = u(1)*v3;
    v12 = v2*v8;
    v13 = u(2)*v10;
    v14 = u(2)*v11;
    v15 = udot(1)*v2 + v14;
    v16 = udot(1)*v3 - v13;
    v17 = v11*v11 + u(2)*u(2);
    v18 = udot(2) + v10*v11;
    v19 = v13 - v16;
    v20 = v4*v10 + u(2)*v5;
    v21 = v5*v10 - u(2)*v4;
    v22 = udot(3) + v16;
    v23 = u(3) + v11;
    v24 = u(3) + v23;
    v25 = udot(2)*v5 + (v4*v15 + v21*v24);
    v26 = v20*v21 - v22;
    v27 = c(13)*v26;
    v28 = c(13)*(v20*v20 + v23*v23);
    v29 = c(13)*v25;
    v30 = c(15)*(udot(2)*v4 + (v20*v24 - v5*v15));
    v31 = c(16)*v25 + c(13)*(v12 + c(12)*v18);
    v32 = v5*v27 + v4*v28;
    v33 = v26*c(23) + c(14)*v22 + c(13)*(v4*(v3*v8 + c(12)*v17) + v5*(v9 - c(12)*v19));
    v34 = c(21)*(v14 + v15) + v4*v31 - v5*v30;
    v35 = c(19)*v9 - c(20)*v19 + (v33 - c(12)*v32);
    v36 = c(19)*v17 + (v5*v28 - v4*v27);
    v37 = c(19)*v18 + v29;
    v38 = c(19)*v19 + v32;
    v39 = v3*v34 - v2*v35;
    v40 = v2*v36 - v3*v37;
    v41 = c(11)*v40 - v18*c(22) - udot(2)*c(29) - c(19)*v12 - c(12)*v29 - v4*v30 - v5*v31;
    v42 = c(35) + c(33)*v5;
    v43 = c(33)*v4;
    v44 = u(2)*c(32);
    v45 = c(34) + c(32)*v3;
    v46 = u(1)*c(31);
    v47 = u(1)*v45 + v46;
    v48 = v11*v42 + v47;
    v49 = v11*v43;
    v50 = v5*v49 - v4*v48;
    v51 = u(3)*c(33);
    v52 = v5*v48 + v4*v49 + v51;
    v53 = v1*v3;
    v54 = c(31) + v45;
    v55 = c(38)*(u(2)*v42 + v10*v43 + v44);
    v56 = c(38)*v50;
    v57 = c(38)*v52;
    v58 = c(37)*v47;
    v59 = c(37)*v44;
    v60 = udot(1)*c(31);
    v61 = udot(1)*v45 + v60 - v10*v44;
    v62 = v16*v42 + v61;
    v63 = v16*v43;
    v64 = v20*v55 + v23*v57 + c(38)*(v23*v51 - u(3)*v52 - (v4*v62 - v5*v63));
    v65 = v64 + (v5*v53 - v0*v4)*c(58);
    v66 = c(38)*(v5*v62 + v4*v63 + (udot(3)*c(33) + u(3)*v50)) - (v23*v56 + v21*v55);
    v67 = v66 + (v0*v5 + v4*v53)*c(58);
    v68 = udot(2)*c(32);
    v69 = v21*v57 + (v10*v58 + c(37)*v68 + v1*v2*c(60) - v20*v56);
    v70 = v3*(v5*v65 + v4*v67 + (v11*v58 + u(2)*v59 + v53*c(59)));
    v71 = v70 + v2*(c(38)*(udot(2)*v42 + v15*v43 + v68 + v21*v51) + v69);
    v72 = v0*(c(36)*v60 + (c(37)*v61 + (v5*v67 - v4*v65) - v10*v59 + v0*c(62)));
    y = zeros(9, 1);
    y(1) = v1*v43 + v0*(v54 + v3*v42);
    y(2) = v0*v43 - v42*v53 - v1*v54;
    y(3) = -v2*(c(32) + v42);
    y(4) = -(v0*(c(18)*v7 + (v3*v36 + v2*v37)) + v1*(v38 - udot(1)*c(18)));
    y(5) = v1*(v71 + (u(1)*(c(36)*v46) + v1*c(61))) + v72;
    y(6) = v40;
    y(7) = -(v0*v39 + v1*v41);
    y(8) = v1*v39 - v0*v41;
    y(9) = v3*v35 + (v2*v34 + (c(18)*v6 + udot(1)*c(47))) - c(11)*v38;
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
