// Four-bar: equations of motion
// Derived by the formulation 'recursive', written by linkwright 0.1.0.
//
//     qdot = N(q, t) u + nu(q, t)
//     M(q, t) udot + G(q, t)' lambda = f(q, u, w, t)
//     G(q, t) udot = gamma(q, u, t)
//
// SI units, angles in radians. The state x is q, then u.
//
// Coordinates q, with their initial values
//     1  alpha  0.0
//     2  beta   0.0
//     3  delta  0.0
//
// Speeds u, with their initial values
//     1  alpha'  0.0
//     2  beta'   0.0
//     3  delta'  0.0
//
// Inputs w, with their default values
//     1  drive  0.0
//
// Parameters p, with their values in the model
//     1  g     9.81
//     2  base  0.4   m     between the pins in the ground
//     3  a     0.1   m     crank
//     4  b     0.35  m     coupler
//     5  c     0.25  m     rocker
//     6  rho   2.0   kg/m  mass per length of the bars
//
// Constraints: rows of G, entries of lambda
//     1  knee.x  joint 'knee' holds its point along x of the ground
//     2  knee.y  joint 'knee' holds its point along y of the ground
//
// Of the 2 rows of G 2 are independent at the initial state, and are assumed to be so at every call. Parameters
// that change this number need code of their own.
//
// Outputs y
//     1  knee
//     2  knee'
//     3  pen.x
//     4  pen.y
//     5  pen.z
//     6  freudenstein
//
// Functions and their operations
//     setup           p -> c                                            3 add, 36 mul
//     rates           t q u c -> qdot                                   none
//     dynamics        t q u w c -> M f G gamma                          19 add, 32 mul, 4 sincos
//     rate_jacobians  t q u c -> qdot_q qdot_u                          none
//     jacobians       t q u w udot lambda c -> r_q r_u r_w s_q s_u s_w  38 add, 65 mul, 4 sincos
//     inverse         t q u w udot lambda c -> r                        22 add, 31 mul, 4 sincos
//     energy          t q u c -> T V                                    10 add, 21 mul, 4 sincos
//     momentum        t q u c -> linear angular                         20 add, 39 mul, 4 sincos
//     residuals       t q u c -> phi rate                               11 add, 15 mul, 3 sincos
//     outputs         t q u w udot lambda c -> y                        15 add, 11 mul, 5 sincos, 1 other
//
// Use
//
//     model Drive
//       four_bar.Motion motion(q_start = {0.0, 0.0, 0.0}) "must close the loops at the start";
//     equation
//       motion.w = four_bar.w_default;
//     end Drive;
//
// A state must fulfil the constraints (see residuals); accelerations keep it there up to the drift of the solver. Rows
// may be redundant: of all multipliers those of smallest norm are returned. Rows that contradict each other by more
// than drift explains, and motions without inertia, fail an assertion.

package four_bar "Four-bar: equations of motion"
  constant Integer rank = 2 "independent constraints, at the start";
  constant String q_names[3] = {"alpha", "beta", "delta"};
  constant String u_names[3] = {"alpha'", "beta'", "delta'"};
  constant String w_names[1] = {"drive"};
  constant Real w_default[1] = {0.0};
  constant String p_names[6] = {"g", "base", "a", "b", "c", "rho"};
  constant Real p_default[6] = {9.81, 0.4, 0.1, 0.35, 0.25, 2.0};
  constant String lambda_names[2] = {"knee.x", "knee.y"};
  constant String y_names[6] = {"knee", "knee'", "pen.x", "pen.y", "pen.z", "freudenstein"};

  function setup "What depends on parameters only, computed once."
    // Operations: 3 add, 36 mul.
    input Real p[6] "parameters";
    output Real c[36] "constants for the other functions";
  protected
    Real v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14;
  algorithm
    v0 := p[4]*p[6];
    v1 := p[4]*v0;
    v2 := p[4]*p[4];
    v3 := p[4]*v2;
    v4 := p[6]*v3;
    v5 := p[3]*v0;
    v6 := p[3]*p[6];
    v7 := p[3]*v6;
    v8 := p[5]*p[6];
    v9 := 0.5*p[5];
    v10 := p[5]*p[5];
    v11 := 0.3333333333333333*p[5];
    v12 := 0.5*p[1];
    v13 := p[3]*v1;
    v14 := p[3]*(v5 + 0.33333333333333337*v7);
    c[1] := p[1];
    c[2] := p[3];
    c[3] := p[4];
    c[4] := p[5];
    c[5] := v1;
    c[6] := v5 + 0.5*v7;
    c[7] := v8*v12;
    c[8] := 0.5*v13;
    c[9] := v13;
    c[10] := 0.33333333333333337*v4 + v14;
    c[11] := 0.3333333333333333*v4;
    c[12] := v10*(p[6]*v11);
    c[13] := v0;
    c[14] := 2.0*p[5];
    c[15] := 2.0*p[3];
    c[16] := 0.5*v1;
    c[17] := 0.5*v6;
    c[18] := 0.3333333333333333*p[4];
    c[19] := v14;
    c[20] := v12;
    c[21] := v11;
    c[22] := v8;
    c[23] := 0.5*p[4];
    c[24] := 0.3333333333333333*v8;
    c[25] := 0.3333333333333333*v6;
    c[26] := 0.08333333333333333*v2;
    c[27] := v8*v9;
    c[28] := p[2];
    c[29] := v9;
    c[30] := v6;
    c[31] := 0.25*p[5];
    c[32] := v10;
    c[33] := v3;
    c[34] := p[3]*p[3];
    c[35] := 0.08333333333333333*p[6];
    c[36] := v2;
  end setup;

  function rates "Rates of the coordinates."
    // Operations: none.
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real c[36] "constants from setup";
    output Real qdot[3] "rates of the coordinates";
  algorithm
    qdot[1] := u[1];
    qdot[2] := u[2];
    qdot[3] := u[3];
  end rates;

  function dynamics "M udot + G' lambda = f, G udot = gamma."
    // Operations: 19 add, 32 mul, 4 sincos.
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real w[1] "inputs";
    input Real c[36] "constants from setup";
    output Real M[3, 3] "mass matrix, symmetric";
    output Real f[3] "forcing";
    output Real G[2, 3] "Jacobian of the constraints";
    output Real gamma[2] "right-hand side of the constraints";
  protected
    Real v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18,
      v19;
  algorithm
    v0 := q[1] + q[2];
    v1 := u[1] + u[2];
    v2 := sin(q[2]);
    v3 := cos(q[2]);
    v4 := u[1]*(u[1]*c[2]);
    v5 := sin(q[1]);
    v6 := cos(q[1]);
    v7 := c[1]*v6;
    v8 := sin(q[3]);
    v9 := cos(q[3]);
    v10 := c[4]*v9;
    v11 := v1*v1;
    v12 := c[5]*(v3*v7 - v2*(c[1]*v5 - v4));
    v13 := v3*c[9];
    v14 := sin(v0);
    v15 := cos(v0);
    v16 := c[3]*v15;
    v17 := c[3]*v14;
    v18 := c[3]*v11;
    v19 := u[3]*(u[3]*c[4]);
    M := zeros(3, 3);
    M[1, 1] := v13 + c[10];
    M[2, 1] := 0.5*v13 + c[11];
    M[1, 2] := M[2, 1];
    M[2, 2] := c[11];
    M[3, 3] := c[12];
    f[1] := v2*(c[8]*v11) + (w[1] - v7*c[6]) - 0.5*v12;
    f[2] := -0.5*v12;
    f[3] := -0.05*u[3] - v10*c[7];
    G[1, 1] := v17 + c[2]*v5;
    G[1, 2] := v17;
    G[1, 3] := -c[4]*v8;
    G[2, 1] := -(v16 + c[2]*v6);
    G[2, 2] := -v16;
    G[2, 3] := v10;
    gamma[1] := v9*v19 - (v15*v18 + v4*v6);
    gamma[2] := v8*v19 - (v14*v18 + v4*v5);
  end dynamics;

  function rate_jacobians "Derivatives of the coordinates' rates."
    // Operations: none.
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real c[36] "constants from setup";
    output Real qdot_q[3, 3] "derivative of qdot by q";
    output Real qdot_u[3, 3] "derivative of qdot by u";
  algorithm
    qdot_q := zeros(3, 3);
    qdot_u := zeros(3, 3);
    qdot_u[1, 1] := 1.0;
    qdot_u[2, 2] := 1.0;
    qdot_u[3, 3] := 1.0;
  end rate_jacobians;

  function jacobians "Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda."
    // Operations: 38 add, 65 mul, 4 sincos.
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real w[1] "inputs";
    input Real udot[3] "accelerations";
    input Real lambda[2] "multipliers of the constraints";
    input Real c[36] "constants from setup";
    output Real r_q[3, 3] "derivative of r by q";
    output Real r_u[3, 3] "derivative of r by u";
    output Real r_w[3, 1] "derivative of r by w";
    output Real s_q[2, 3] "derivative of s by q";
    output Real s_u[2, 3] "derivative of s by u";
    output Real s_w[2, 1] "derivative of s by w";
  protected
    Real v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18,
      v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35;
  algorithm
    v0 := q[1] + q[2];
    v1 := u[1] + u[2];
    v2 := sin(q[2]);
    v3 := cos(q[2]);
    v4 := u[1]*c[2];
    v5 := sin(q[1]);
    v6 := cos(q[1]);
    v7 := c[1]*v5;
    v8 := c[1]*v6;
    v9 := sin(q[3]);
    v10 := cos(q[3]);
    v11 := sin(v0);
    v12 := cos(v0);
    v13 := c[3]*v12;
    v14 := v13 + c[2]*v6;
    v15 := c[4]*v10;
    v16 := u[3]*v9;
    v17 := u[1]*v5;
    v18 := v1*v11;
    v19 := c[3]*v11;
    v20 := c[2]*v5;
    v21 := v19 + v20;
    v22 := c[4]*v9;
    v23 := v1*v12;
    v24 := c[3]*v1;
    v25 := u[1]*v6;
    v26 := u[3]*v10;
    v27 := u[3]*c[4];
    v28 := lambda[1]*v13 + lambda[2]*v19;
    v29 := v28 - c[16]*(v3*(v7 - u[1]*v4) + v2*(udot[1]*c[2] + v8));
    v30 := v1*(v2*c[9]);
    v31 := v4*(c[5]*v2);
    v32 := udot[2]*v13 - v18*v24;
    v33 := v23*v24 + udot[2]*v19;
    v34 := 2.0*(c[3]*v23);
    v35 := 2.0*(c[3]*v18);
    r_q := zeros(3, 3);
    r_q[1, 1] := lambda[2]*v21 + (lambda[1]*v14 - c[1]*(c[13]*(v20 + 0.5*v19) + v20*c[17]));
    r_q[1, 2] := v29 - ((udot[1] + udot[2])*v2 + v1*(v1*v3))*c[8];
    r_q[2, 1] := v28 - (v2*v8 + v3*v7)*c[16];
    r_q[2, 2] := v29;
    r_q[3, 3] := -v22*(lambda[2] + c[7]) - lambda[1]*v15;
    r_u := zeros(3, 3);
    r_u[1, 1] := v31 - v30;
    r_u[1, 2] := -v30;
    r_u[2, 1] := v31;
    r_u[3, 3] := 0.05;
    r_w := zeros(3, 1);
    r_w[1, 1] := -1.0;
    s_q[1, 1] := udot[1]*v14 + v32 - v4*v17;
    s_q[1, 2] := v32 + udot[1]*v13;
    s_q[1, 3] := v16*v27 - udot[3]*v15;
    s_q[2, 1] := udot[1]*v21 + (v4*v25 + v33);
    s_q[2, 2] := v33 + udot[1]*v19;
    s_q[2, 3] := -(v26*v27 + udot[3]*v22);
    s_u[1, 1] := c[15]*v25 + v34;
    s_u[1, 2] := v34;
    s_u[1, 3] := -c[14]*v26;
    s_u[2, 1] := v17*c[15] + v35;
    s_u[2, 2] := v35;
    s_u[2, 3] := -v16*c[14];
    s_w := zeros(2, 1);
  end jacobians;

  function inverse "Generalized forces required in addition for this udot (inverse dynamics)."
    // Operations: 22 add, 31 mul, 4 sincos.
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real w[1] "inputs";
    input Real udot[3] "accelerations";
    input Real lambda[2] "multipliers of the constraints";
    input Real c[36] "constants from setup";
    output Real r[3] "M udot + G' lambda - f";
  protected
    Real v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15;
  algorithm
    v0 := q[1] + q[2];
    v1 := u[1] + u[2];
    v2 := udot[1] + udot[2];
    v3 := sin(q[2]);
    v4 := cos(q[2]);
    v5 := sin(q[1]);
    v6 := cos(q[1]);
    v7 := c[1]*v6;
    v8 := c[5]*(0.5*(v4*(udot[1]*c[2] + v7) - v3*(c[1]*v5 - c[2]*(u[1]*u[1]))) + v2*c[18]);
    v9 := sin(q[3]);
    v10 := cos(q[3]);
    v11 := sin(v0);
    v12 := cos(v0);
    v13 := c[3]*v12;
    v14 := c[3]*v11;
    v15 := v7*c[6] + (v8 - (v1*(v1*v3) - v2*v4)*c[8]) + udot[1]*c[19] - w[1];
    r[1] := lambda[1]*(v14 + c[2]*v5) + v15 - lambda[2]*(v13 + c[2]*v6);
    r[2] := v8 + lambda[1]*v14 - lambda[2]*v13;
    r[3] := 0.05*u[3] + c[4]*((v10*c[20] + udot[3]*c[21])*c[22] - lambda[1]*v9 + lambda[2]*v10);
  end inverse;

  function energy "Kinetic and potential energy."
    // Operations: 10 add, 21 mul, 4 sincos.
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real c[36] "constants from setup";
    output Real T "kinetic energy";
    output Real V "potential energy";
  protected
    Real v0, v1, v2, v3, v4, v5, v6, v7;
  algorithm
    v0 := u[1] + u[2];
    v1 := sin(q[2]);
    v2 := cos(q[2]);
    v3 := c[2]*sin(q[1]);
    v4 := u[3]*c[4];
    v5 := u[1]*c[2];
    v6 := v0*c[23] + v2*v5;
    v7 := v1*v5;
    T := 0.5*(v5*(v5*c[25]) + (v4*(v4*c[24]) + c[13]*(v0*(v0*c[26]) + (v6*v6 + v7*v7))));
    V := c[1]*(v3*c[17] + (sin(q[3])*c[27] + c[13]*(sin(q[1] + q[2])*c[23] + v3)));
  end energy;

  function momentum "Linear momentum, and angular momentum about the origin, in ground axes."
    // Operations: 20 add, 39 mul, 4 sincos.
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real c[36] "constants from setup";
    output Real linear[3] "linear momentum";
    output Real angular[3] "angular momentum";
  protected
    Real v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18,
      v19, v20, v21, v22, v23, v24, v25;
  algorithm
    v0 := q[1] + q[2];
    v1 := u[1] + u[2];
    v2 := sin(q[2]);
    v3 := cos(q[2]);
    v4 := sin(q[1]);
    v5 := cos(q[1]);
    v6 := sin(q[3]);
    v7 := cos(q[3]);
    v8 := sin(v0);
    v9 := cos(v0);
    v10 := c[2]*v5;
    v11 := c[2]*v4;
    v12 := u[1]*c[2];
    v13 := u[3]*c[4];
    v14 := v13*c[22];
    v15 := v6*v14;
    v16 := c[13]*(v1*c[23] + v3*v12);
    v17 := c[13]*(v2*v12);
    v18 := v9*v17 - v8*v16;
    v19 := v12*c[30];
    v20 := v4*v19;
    v21 := 0.5*(v7*v14);
    v22 := v9*v16 + v8*v17;
    v23 := v5*v19;
    v24 := v15*(v6*c[31]) + (v21*(c[28] + v7*c[29]) + v22*(v9*c[23] + v10));
    v25 := (v13*c[32] + v1*c[33] + v12*c[34])*c[35] + v24 - (v8*c[23] + v11)*v18;
    linear := zeros(3);
    linear[1] := -0.5*v15 + (v18 - 0.5*v20);
    linear[2] := v21 + (v22 + 0.5*v23);
    angular := zeros(3);
    angular[3] := v25 + 0.25*(v11*v20) + 0.25*(v10*v23);
  end momentum;

  function residuals "How far the constraints are violated, and how fast."
    // Operations: 11 add, 15 mul, 3 sincos.
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real c[36] "constants from setup";
    output Real phi[2] "position residuals; 0 for rows that only speeds obey";
    output Real rate[2] "velocity residuals";
  protected
    Real v0, v1, v2, v3, v4, v5, v6, v7, v8, v9;
  algorithm
    v0 := q[1] + q[2];
    v1 := sin(q[1]);
    v2 := cos(q[1]);
    v3 := sin(q[3]);
    v4 := cos(q[3]);
    v5 := sin(v0);
    v6 := cos(v0);
    v7 := u[3]*c[4];
    v8 := u[1]*c[2];
    v9 := c[3]*(u[1] + u[2]);
    phi[1] := c[28] + c[4]*v4 - (c[3]*v6 + c[2]*v2);
    phi[2] := c[4]*v3 - (c[3]*v5 + c[2]*v1);
    rate[1] := v1*v8 + v5*v9 - v3*v7;
    rate[2] := v4*v7 - (v2*v8 + v6*v9);
  end residuals;

  function outputs "Outputs of the model."
    // Operations: 15 add, 11 mul, 5 sincos, 1 other.
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real w[1] "inputs";
    input Real udot[3] "accelerations";
    input Real lambda[2] "multipliers of the constraints";
    input Real c[36] "constants from setup";
    output Real y[6] "outputs";
  protected
    Real v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10;
  algorithm
    v0 := q[1] + q[2];
    v1 := q[3] - v0;
    v2 := sin(v1);
    v3 := cos(v1);
    v4 := sin(q[1]);
    v5 := cos(q[1]);
    v6 := sin(v0);
    v7 := cos(v0);
    v8 := c[2]*v5;
    v9 := 0.5*(c[3]*v7);
    v10 := 0.5*(c[3]*v6);
    y := zeros(6);
    y[1] := atan2(v2, v3);
    y[2] := u[3] - (u[1] + u[2]);
    y[3] := v8 + v9 - v10;
    y[4] := v10 + (c[2]*v4 + v9);
    y[6] := c[32] + c[28]*(c[28] - 2.0*v8 + cos(q[3])*c[14]) + c[2]*(c[2] - cos(q[3] - q[1])*c[14]) - c[36];
  end outputs;

  function factor "A P = Q R with column pivoting, by reflections; column k of A P is column p[k] of A"
    input Real A[:, :];
    output Real Q[size(A, 1), size(A, 1)];
    output Real R[size(A, 1), size(A, 2)];
    output Integer p[size(A, 2)];
  protected
    Integer n = size(A, 1);
    Integer m = size(A, 2);
    Integer best;
    Integer swap;
    Real x[size(A, 1)];
    Real most;
    Real s;
  algorithm
    R := A;
    Q := identity(n);
    for j in 1:m loop
      p[j] := j;
    end for;
    for k in 1:min(n, m) loop
      // the longest of the columns that are left
      best := k;
      most := -1.0;
      for j in k:m loop
        s := 0.0;
        for i in k:n loop
          s := s + R[i, j]*R[i, j];
        end for;
        if s > most then
          most := s;
          best := j;
        end if;
      end for;
      if best > k then
        swap := p[k];
        p[k] := p[best];
        p[best] := swap;
        for i in 1:n loop
          s := R[i, k];
          R[i, k] := R[i, best];
          R[i, best] := s;
        end for;
      end if;
      if most > 0.0 then
        // reflected at the plane across x: column k becomes a multiple of the axis k
        for i in 1:n loop
          x[i] := if i < k then 0.0 else R[i, k];
        end for;
        x[k] := x[k] + (if x[k] < 0.0 then -sqrt(most) else sqrt(most));
        most := 0.0;
        for i in k:n loop
          most := most + x[i]*x[i];
        end for;
        for j in k:m loop
          s := 0.0;
          for i in k:n loop
            s := s + x[i]*R[i, j];
          end for;
          s := 2.0*s/most;
          for i in k:n loop
            R[i, j] := R[i, j] - s*x[i];
          end for;
        end for;
        for j in 1:n loop
          s := 0.0;
          for i in k:n loop
            s := s + Q[j, i]*x[i];
          end for;
          s := 2.0*s/most;
          for i in k:n loop
            Q[j, i] := Q[j, i] - s*x[i];
          end for;
        end for;
      end if;
    end for;
  end factor;

  function solve_definite "X with A X = B, A symmetric and positive definite in its first n rows and columns"
    input Real A[:, :];
    input Real B[:, :];
    input Integer n;
    input Real extent[:] "what rounding errors of A[i, i] are proportional to";
    output Real X[size(B, 1), size(B, 2)];
  protected
    Real L[size(A, 1), size(A, 1)];
    Real s;
  algorithm
    X := B;
    L := A;
    for j in 1:n loop
      s := L[j, j];
      for k in 1:j - 1 loop
        s := s - L[j, k]*L[j, k];
      end for;
      assert(s > 1.8e-15*n*extent[j], "a motion that the constraints allow has no inertia");
      L[j, j] := sqrt(s);
      for i in j + 1:n loop
        s := L[i, j];
        for k in 1:j - 1 loop
          s := s - L[i, k]*L[j, k];
        end for;
        L[i, j] := s/L[j, j];
      end for;
    end for;
    for c in 1:size(B, 2) loop
      for i in 1:n loop
        s := X[i, c];
        for k in 1:i - 1 loop
          s := s - L[i, k]*X[k, c];
        end for;
        X[i, c] := s/L[i, i];
      end for;
      for r in 1:n loop
        s := X[n + 1 - r, c];
        for k in n + 2 - r:n loop
          s := s - L[k, n + 1 - r]*X[k, c];
        end for;
        X[n + 1 - r, c] := s/L[n + 1 - r, n + 1 - r];
      end for;
    end for;
  end solve_definite;

  function solve_descriptor "M udot + G' lambda = f, G udot = gamma, by the null-space method"
    input Real M[:, :] "positive definite on the motions that G allows";
    input Real f[size(M, 1), :] "columns are right-hand sides";
    input Real G[:, size(M, 1)] "rows may be redundant";
    input Real gamma[size(G, 1), size(f, 2)];
    input Integer known "how many rows of G are independent; negative: counted with a tolerance of 1e-10";
    output Real udot[size(M, 1), size(f, 2)];
    output Real lambda[size(G, 1), size(f, 2)] "the one of smallest norm";
  protected
    Integer n = size(M, 1);
    Integer m = size(G, 1);
    Integer sides = size(f, 2);
    Integer rank;
    Integer heavy;
    Integer p[size(G, 1)];
    Integer p2[size(G, 1)];
    Integer p3[size(G, 1)];
    Real column[size(M, 1)];
    Real row[size(G, 1)];
    Real A[size(M, 1), size(G, 1)];
    Real Q[size(M, 1), size(M, 1)];
    Real R[size(M, 1), size(G, 1)];
    Real B[size(G, 1), size(G, 1)];
    Real Q2[size(G, 1), size(G, 1)];
    Real S[size(G, 1), size(G, 1)];
    Real Q3[size(G, 1), size(G, 1)];
    Real S3[size(G, 1), size(G, 1)];
    Real Ms[size(M, 1), size(M, 1)];
    Real H[size(M, 1), size(M, 1)];
    Real extent[size(M, 1)];
    Real force[size(M, 1), size(f, 2)];
    Real z[size(M, 1), size(f, 2)];
    Real y[size(G, 1)];
    Real x[size(G, 1)];
    Real s;
    Real longest;
    Real least;
  algorithm
    // speeds against their inertia, then rows to length 1, but short ones stay short
    heavy := 0;
    s := 0.0;
    for j in 1:n loop
      if M[j, j] > 0.0 then
        heavy := heavy + 1;
        s := s + log(M[j, j]);
      end if;
    end for;
    for j in 1:n loop
      column[j] := 1.0;
      if M[j, j] > 0.0 then
        column[j] := min(1.0e4, max(1.0e-4, exp((s/heavy - log(M[j, j]))/2.0)));
      end if;
    end for;
    longest := 0.0;
    for i in 1:m loop
      s := 0.0;
      for j in 1:n loop
        s := s + (G[i, j]*column[j])*(G[i, j]*column[j]);
      end for;
      row[i] := sqrt(s);
      longest := max(longest, row[i]);
    end for;
    for i in 1:m loop
      row[i] := if longest < 1.0e-13 then 1.0 else 1.0/max(row[i], 0.01*longest);
    end for;
    for j in 1:n loop
      for i in 1:m loop
        A[j, i] := row[i]*G[i, j]*column[j];
      end for;
      for i in 1:n loop
        Ms[i, j] := column[i]*M[i, j]*column[j];
      end for;
    end for;

    // G' P = Q R, Q = [Y Z], G Z = 0; then B = R[1:rank, :]', B P2 = Q2 S
    (Q, R, p) := factor(A);
    rank := 0;
    least := if known < 0 then 1.0e-10 else 1.8e-15*(n + m);
    for i in 1:min(n, m) loop
      if abs(R[i, i]) > least*abs(R[1, 1]) and (known < 0 or i <= known) then
        rank := rank + 1;
      end if;
    end for;
    for i in 1:m loop
      for j in 1:m loop
        B[i, j] := 0.0;
        if j <= rank then
          B[i, j] := R[j, i];
        end if;
      end for;
    end for;
    (Q2, S, p2) := factor(B);

    // what the constraints alone decide: S P2' (Y' udot) = Q2' P' gamma
    for c in 1:sides loop
      for i in 1:rank loop
        y[i] := 0.0;
        for k in 1:m loop
          y[i] := y[i] + Q2[k, i]*row[p[k]]*gamma[p[k], c];
        end for;
      end for;
      for r in 1:rank loop
        s := y[rank + 1 - r];
        for k in rank + 2 - r:rank loop
          s := s - S[rank + 1 - r, k]*x[p2[k]];
        end for;
        x[p2[rank + 1 - r]] := s/S[rank + 1 - r, rank + 1 - r];
      end for;
      for j in 1:n loop
        udot[j, c] := 0.0;
        for k in 1:rank loop
          udot[j, c] := udot[j, c] + Q[j, k]*x[k];
        end for;
      end for;
    end for;

    // and what is left to inertia: (Z' M Z) z = Z' (f - M udot)
    H := zeros(n, n);
    extent := zeros(n);
    for i in 1:n - rank loop
      for j in 1:n - rank loop
        for k in 1:n loop
          for l in 1:n loop
            H[i, j] := H[i, j] + Q[k, rank + i]*Ms[k, l]*Q[l, rank + j];
            if i == j then
              extent[i] := extent[i] + abs(Q[k, rank + i]*Ms[k, l]*Q[l, rank + j]);
            end if;
          end for;
        end for;
      end for;
    end for;
    for c in 1:sides loop
      for k in 1:n loop
        force[k, c] := column[k]*f[k, c];
        for l in 1:n loop
          force[k, c] := force[k, c] - Ms[k, l]*udot[l, c];
        end for;
      end for;
      for i in 1:n loop
        z[i, c] := 0.0;
        if i <= n - rank then
          for k in 1:n loop
            z[i, c] := z[i, c] + Q[k, rank + i]*force[k, c];
          end for;
        end if;
      end for;
    end for;
    z := solve_definite(H, z, n - rank, extent);
    for c in 1:sides loop
      for k in 1:n loop
        for i in 1:n - rank loop
          udot[k, c] := udot[k, c] + Q[k, rank + i]*z[i, c];
        end for;
      end for;
    end for;

    // G' lambda = f - M udot: S' (Q2' P' lambda) = P2' Y' (f - M udot)
    for c in 1:sides loop
      for k in 1:n loop
        force[k, c] := column[k]*f[k, c];
        for l in 1:n loop
          force[k, c] := force[k, c] - Ms[k, l]*udot[l, c];
        end for;
      end for;
      for i in 1:rank loop
        s := 0.0;
        for k in 1:n loop
          s := s + Q[k, p2[i]]*force[k, c];
        end for;
        for k in 1:i - 1 loop
          s := s - S[k, i]*y[k];
        end for;
        y[i] := s/S[i, i];
      end for;
      for i in 1:m loop
        s := 0.0;
        for k in 1:rank loop
          s := s + Q2[i, k]*y[k];
        end for;
        lambda[p[i], c] := row[p[i]]*s;
      end for;
    end for;
    if rank < m then
      // of all lambda the shortest: nothing along what G' does not see
      for i in 1:m loop
        for j in 1:m loop
          B[p[i], j] := 0.0;
          if j <= m - rank then
            B[p[i], j] := row[p[i]]*Q2[i, rank + j];
          end if;
        end for;
      end for;
      (Q3, S3, p3) := factor(B);
      for c in 1:sides loop
        for k in 1:m - rank loop
          s := 0.0;
          for i in 1:m loop
            s := s + Q3[i, k]*lambda[i, c];
          end for;
          for i in 1:m loop
            lambda[i, c] := lambda[i, c] - s*Q3[i, k];
          end for;
        end for;
      end for;
    end if;
    for c in 1:sides loop
      for k in 1:n loop
        udot[k, c] := column[k]*udot[k, c];
      end for;
    end for;
  end solve_descriptor;

  function accelerations "Accelerations and multipliers: M udot + G' lambda = f, G udot = gamma"
    input Real t "time";
    input Real q[3] "coordinates";
    input Real u[3] "speeds";
    input Real w[1] "inputs";
    input Real c[36] "constants from setup";
    output Real udot[3] "accelerations";
    output Real lambda[2] "multipliers of the constraints";
  protected
    Real M[3, 3], f[3], G[2, 3], gamma[2], a[3, 1], b[2, 1], left, size_G, size_a, longest, drift;
  algorithm
    (M, f, G, gamma) := dynamics(t, q, u, w, c);
    (a, b) := solve_descriptor(M, matrix(f), G, matrix(gamma), rank);
    udot := a[:, 1];
    lambda := b[:, 1];
    longest := 0.0;
    for i in 1:2 loop
      size_G := 0.0;
      for j in 1:3 loop
        size_G := size_G + G[i, j]*G[i, j];
      end for;
      longest := max(longest, sqrt(size_G));
    end for;
    for i in 1:2 loop
      left := -gamma[i];
      size_a := 0.0;
      drift := 1.0e-6;
      for j in 1:3 loop
        left := left + G[i, j]*udot[j];
        size_a := size_a + udot[j]*udot[j];
        drift := drift + 1.0e-3*u[j]*u[j];
      end for;
      // more than the drift of an integrator
      drift := drift*(if longest > 0.0 then longest else 1.0);
      drift := drift + 0.01*(longest*sqrt(size_a) + abs(gamma[i]));
      assert(abs(left) <= drift, "constraints contradict each other here");
    end for;
  end accelerations;

  function rhs "The rate of the state x = [q; u]"
    input Real t "time";
    input Real x[6] "coordinates, then speeds";
    input Real w[1] "inputs";
    input Real c[36] "constants from setup";
    output Real xdot[6];
  protected
    Real q[3], u[3];
    Real udot[3], lambda[2];
  algorithm
    q := x[1:3];
    u := x[4:6];
    xdot[1:3] := rates(t, q, u, c);
    (udot, lambda) := accelerations(t, q, u, w, c);
    xdot[4:6] := udot;
  end rhs;

  function rhs_jacobian "A = d rhs / d x and B = d rhs / d w"
    input Real t "time";
    input Real x[6] "coordinates, then speeds";
    input Real w[1] "inputs";
    input Real c[36] "constants from setup";
    output Real A[6, 6];
    output Real B[6, 1];
  protected
    Real q[3], u[3], udot[3], M[3, 3], f[3];
    Real lambda[2], G[2, 3], gamma[2], s[2, 7], change[2, 7];
    Real r[3, 7], slope[3, 7];
    Real r_q[3, 3], r_u[3, 3], r_w[3, 1], s_q[2, 3], s_u[2, 3], s_w[2, 1];
    Real qdot_q[3, 3], qdot_u[3, 3];
  algorithm
    q := x[1:3];
    u := x[4:6];
    (udot, lambda) := accelerations(t, q, u, w, c);
    (M, f, G, gamma) := dynamics(t, q, u, w, c);
    (r_q, r_u, r_w, s_q, s_u, s_w) := jacobians(t, q, u, w, udot, lambda, c);
    r[:, 1:3] := -r_q;
    r[:, 4:6] := -r_u;
    r[:, 7:7] := -r_w;
    // M dudot + G' dlambda = -dr, G dudot = -ds
    s[:, 1:3] := -s_q;
    s[:, 4:6] := -s_u;
    s[:, 7:7] := -s_w;
    (slope, change) := solve_descriptor(M, r, G, s, rank);
    A := zeros(6, 6);
    (qdot_q, qdot_u) := rate_jacobians(t, q, u, c);
    A[1:3, 1:3] := qdot_q;
    A[1:3, 4:6] := qdot_u;
    A[4:6, :] := slope[:, 1:6];
    B := zeros(6, 1);
    B[4:6, :] := slope[:, 7:7];
  end rhs_jacobian;

  model Motion "The mechanism in motion"
    parameter Real p[6](unit = {"", "m", "m", "m", "m",
      "kg/m"}) = p_default "parameters, by p_names";
    input Real w[1](unit = {""}) "inputs, by w_names";
    parameter Real q_start[3] = {0.0, 0.0, 0.0} "coordinates at the start";
    Real q[3](start = q_start, each fixed = true) "coordinates, by q_names";
    parameter Real u_start[3] = {0.0, 0.0, 0.0} "speeds at the start";
    Real u[3](start = u_start, each fixed = true) "speeds, by u_names";
    Real udot[3] "accelerations";
    Real lambda[2] "multipliers of the constraints, by lambda_names";
    Real T(unit = "J") "kinetic energy";
    Real V(unit = "J") "potential energy";
    Real y[6] "outputs, by y_names";
  protected
    final parameter Real c[36] = setup(p) "what depends on parameters only";
  equation
    der(q) = rates(time, q, u, c);
    der(u) = udot;
    (udot, lambda) = accelerations(time, q, u, w, c);
    (T, V) = energy(time, q, u, c);
    y = outputs(time, q, u, w, udot, lambda, c);
  end Motion;
end four_bar;
