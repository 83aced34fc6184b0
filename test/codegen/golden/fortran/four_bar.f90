! Four-bar: equations of motion
! Derived by the formulation 'recursive', written by linkwright 0.1.0.
!
!     qdot = N(q, t) u + nu(q, t)
!     M(q, t) udot + G(q, t)' lambda = f(q, u, w, t)
!     G(q, t) udot = gamma(q, u, t)
!
! SI units, angles in radians. The state x is q, then u.
!
! Coordinates q, with their initial values
!     1  alpha  0.0
!     2  beta   0.0
!     3  delta  0.0
!
! Speeds u, with their initial values
!     1  alpha'  0.0
!     2  beta'   0.0
!     3  delta'  0.0
!
! Inputs w, with their default values
!     1  drive  0.0
!
! Parameters p, with their values in the model
!     1  g     9.81
!     2  base  0.4   m     between the pins in the ground
!     3  a     0.1   m     crank
!     4  b     0.35  m     coupler
!     5  c     0.25  m     rocker
!     6  rho   2.0   kg/m  mass per length of the bars
!
! Constraints: rows of G, entries of lambda
!     1  knee.x  joint 'knee' holds its point along x of the ground
!     2  knee.y  joint 'knee' holds its point along y of the ground
!
! Of the 2 rows of G 2 are independent at the initial state, and are assumed to be so at every call. Parameters
! that change this number need code of their own.
!
! Outputs y
!     1  knee
!     2  knee'
!     3  pen.x
!     4  pen.y
!     5  pen.z
!     6  freudenstein
!
! Functions and their operations
!     setup           p -> c                                            3 add, 36 mul
!     rates           t q u c -> qdot                                   none
!     dynamics        t q u w c -> M f G gamma                          19 add, 32 mul, 4 sincos
!     rate_jacobians  t q u c -> qdot_q qdot_u                          none
!     jacobians       t q u w udot lambda c -> r_q r_u r_w s_q s_u s_w  38 add, 65 mul, 4 sincos
!     inverse         t q u w udot lambda c -> r                        22 add, 31 mul, 4 sincos
!     energy          t q u c -> T V                                    10 add, 21 mul, 4 sincos
!     momentum        t q u c -> linear angular                         20 add, 39 mul, 4 sincos
!     residuals       t q u c -> phi rate                               11 add, 15 mul, 3 sincos
!     outputs         t q u w udot lambda c -> y                        15 add, 11 mul, 5 sincos, 1 other
!
! In the code T and V are called kinetic and potential: Fortran does not tell T from t.
!
!     use four_bar
!     integer, parameter :: dp = kind(1d0)
!     real(dp) :: c(nc), x(nx), xdot(nx)
!     integer :: status, step
!     call setup(parameters, c)                   ! again whenever a parameter changes
!     x = start
!     do step = 0, 999                            ! Euler's method, the simplest there is
!       call rhs(1e-3_dp*step, x, inputs, c, xdot, status)
!       if (status /= status_ok) exit
!       x = x + 1e-3_dp*xdot
!       call normalise(x)
!     end do
!
! Start where the constraints are satisfied, as start does with the parameters of the model; residuals gives their violation.
!
! Two such modules in one program: use four_bar, only: four_bar_rhs => rhs, and so on.

module four_bar
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  implicit none
  private
  public :: setup, rates, dynamics, rate_jacobians, jacobians, inverse, energy, momentum, residuals, outputs, &
      accelerations, rhs, rhs_jacobian, normalise

  integer, parameter, public :: nq = 3  ! coordinates
  integer, parameter, public :: nu = 3  ! speeds
  integer, parameter, public :: nw = 1  ! inputs
  integer, parameter, public :: np = 6  ! parameters
  integer, parameter, public :: nc = 36  ! constants, from setup
  integer, parameter, public :: nm = 2  ! constraints
  integer, parameter, public :: ny = 6  ! outputs
  integer, parameter, public :: nx = 6  ! states x = [q; u]
  integer, parameter, public :: nr = 2  ! independent constraints, at the start

  ! What accelerations, rhs and rhs_jacobian may return.
  integer, parameter, public :: status_ok = 0
  integer, parameter, public :: status_no_inertia = 1     ! a motion that the constraints allow has no inertia
  integer, parameter, public :: status_contradiction = 2  ! constraints contradict each other here
  integer, parameter, public :: status_not_finite = 3     ! something is infinite or not a number

  ! Initial coordinates and speeds.
  real(dp), protected, public :: start(nx)
  data start(1) /0.0_dp/  ! alpha
  data start(2) /0.0_dp/  ! beta
  data start(3) /0.0_dp/  ! delta
  data start(4) /0.0_dp/  ! alpha'
  data start(5) /0.0_dp/  ! beta'
  data start(6) /0.0_dp/  ! delta'
  ! Default values of the inputs.
  real(dp), protected, public :: inputs(nw)
  data inputs(1) /0.0_dp/  ! drive
  ! Parameters of the model.
  real(dp), protected, public :: parameters(np)
  data parameters(1) /9.81_dp/  ! g
  data parameters(2) /0.4_dp/  ! base, m
  data parameters(3) /0.1_dp/  ! a, m
  data parameters(4) /0.35_dp/  ! b, m
  data parameters(5) /0.25_dp/  ! c, m
  data parameters(6) /2.0_dp/  ! rho, kg/m
  ! Names.
  character(len=5), protected, public :: coordinate_names(3)
  data coordinate_names(1) /'alpha'/
  data coordinate_names(2) /'beta '/
  data coordinate_names(3) /'delta'/
  character(len=6), protected, public :: speed_names(3)
  data speed_names(1) /'alpha'''/
  data speed_names(2) /'beta'' '/
  data speed_names(3) /'delta'''/
  character(len=5), protected, public :: input_names(1)
  data input_names(1) /'drive'/
  character(len=4), protected, public :: parameter_names(6)
  data parameter_names(1) /'g   '/
  data parameter_names(2) /'base'/
  data parameter_names(3) /'a   '/
  data parameter_names(4) /'b   '/
  data parameter_names(5) /'c   '/
  data parameter_names(6) /'rho '/
  character(len=6), protected, public :: constraint_names(2)
  data constraint_names(1) /'knee.x'/
  data constraint_names(2) /'knee.y'/
  character(len=12), protected, public :: output_names(6)
  data output_names(1) /'knee        '/
  data output_names(2) /'knee''       '/
  data output_names(3) /'pen.x       '/
  data output_names(4) /'pen.y       '/
  data output_names(5) /'pen.z       '/
  data output_names(6) /'freudenstein'/

contains

  ! What depends on parameters only, computed once. Operations: 3 add, 36 mul.
  !   c: constants for the other functions
  pure subroutine setup(p, c)
    real(dp), intent(in) :: p(np)
    real(dp), intent(out) :: c(36)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14
    v0 = p(4)*p(6)
    v1 = p(4)*v0
    v2 = p(4)*p(4)
    v3 = p(4)*v2
    v4 = p(6)*v3
    v5 = p(3)*v0
    v6 = p(3)*p(6)
    v7 = p(3)*v6
    v8 = p(5)*p(6)
    v9 = 0.5_dp*p(5)
    v10 = p(5)*p(5)
    v11 = 0.3333333333333333_dp*p(5)
    v12 = 0.5_dp*p(1)
    v13 = p(3)*v1
    v14 = p(3)*(v5 + 0.33333333333333337_dp*v7)
    c(1) = p(1)  ! g
    c(2) = p(3)  ! a
    c(3) = p(4)  ! b
    c(4) = p(5)  ! c
    c(5) = v1  ! c0 = b*rho*b
    c(6) = v5 + 0.5_dp*v7  ! c1 = b*rho*a + a*rho*a/2
    c(7) = v8*v12  ! c2 = c*rho*g/2
    c(8) = 0.5_dp*v13  ! c3 = b*rho*b*a/2
    c(9) = v13  ! c4 = b*rho*b*a
    c(10) = 0.33333333333333337_dp*v4 + v14  ! c5
    c(11) = 0.3333333333333333_dp*v4  ! c6 = 3333333333333333*rho*b^3/10000000000000000
    c(12) = v10*(p(6)*v11)  ! c7 = 3333333333333333*rho*c^3/10000000000000000
    c(13) = v0  ! c8 = b*rho
    c(14) = 2.0_dp*p(5)  ! c9 = 2*c
    c(15) = 2.0_dp*p(3)  ! c10 = 2*a
    c(16) = 0.5_dp*v1  ! c11 = b*rho*b/2
    c(17) = 0.5_dp*v6  ! c12 = a*rho/2
    c(18) = 0.3333333333333333_dp*p(4)  ! c13 = 3333333333333333*b/10000000000000000
    c(19) = v14  ! c14 = a*(b*rho*a + 3333333333333333*a*rho*a/10000000000000000)
    c(20) = v12  ! c15 = g/2
    c(21) = v11  ! c16 = 3333333333333333*c/10000000000000000
    c(22) = v8  ! c17 = c*rho
    c(23) = 0.5_dp*p(4)  ! c18 = b/2
    c(24) = 0.3333333333333333_dp*v8  ! c19 = 3333333333333333*c*rho/10000000000000000
    c(25) = 0.3333333333333333_dp*v6  ! c20 = 3333333333333333*a*rho/10000000000000000
    c(26) = 0.08333333333333333_dp*v2  ! c21 = 8333333333333333*b^2/100000000000000000
    c(27) = v8*v9  ! c22 = c*rho*c/2
    c(28) = p(2)  ! base
    c(29) = v9  ! c23 = c/2
    c(30) = v6  ! c24 = a*rho
    c(31) = 0.25_dp*p(5)  ! c25 = c/4
    c(32) = v10  ! c26 = c^2
    c(33) = v3  ! c27 = b^3
    c(34) = p(3)*p(3)  ! c28 = a^2
    c(35) = 0.08333333333333333_dp*p(6)  ! c29 = 8333333333333333*rho/100000000000000000
    c(36) = v2  ! c30 = b^2
  end subroutine

  ! Rates of the coordinates. Operations: none.
  !   qdot: rates of the coordinates
  pure subroutine rates(t, q, u, c, qdot)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: qdot(3)
    associate (unused1 => t, unused2 => q, unused3 => c)
    end associate
    qdot(1) = u(1)
    qdot(2) = u(2)
    qdot(3) = u(3)
  end subroutine

  ! M udot + G' lambda = f, G udot = gamma. Operations: 19 add, 32 mul, 4 sincos.
  !   M: mass matrix, symmetric
  !   f: forcing
  !   G: Jacobian of the constraints
  !   gamma: right-hand side of the constraints
  pure subroutine dynamics(t, q, u, w, c, M, f, G, gamma)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: w(nw)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: M(3, 3)
    real(dp), intent(out) :: f(3)
    real(dp), intent(out) :: G(2, 3)
    real(dp), intent(out) :: gamma(2)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19
    associate (unused1 => t)
    end associate
    M = 0
    v0 = q(1) + q(2)
    v1 = u(1) + u(2)
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = u(1)*(u(1)*c(2))
    v5 = sin(q(1)); v6 = cos(q(1))
    v7 = c(1)*v6
    v8 = sin(q(3)); v9 = cos(q(3))
    v10 = c(4)*v9
    v11 = v1*v1
    v12 = c(5)*(v3*v7 - v2*(c(1)*v5 - v4))
    v13 = v3*c(9)
    v14 = sin(v0); v15 = cos(v0)
    v16 = c(3)*v15
    v17 = c(3)*v14
    v18 = c(3)*v11
    v19 = u(3)*(u(3)*c(4))
    M(1, 1) = v13 + c(10)
    M(2, 1) = 0.5_dp*v13 + c(11)
    M(1, 2) = M(2, 1)
    M(2, 2) = c(11)
    M(3, 3) = c(12)
    f(1) = v2*(c(8)*v11) + (w(1) - v7*c(6)) - 0.5_dp*v12
    f(2) = -0.5_dp*v12
    f(3) = -0.05_dp*u(3) - v10*c(7)
    G(1, 1) = v17 + c(2)*v5
    G(1, 2) = v17
    G(1, 3) = -c(4)*v8
    G(2, 1) = -(v16 + c(2)*v6)
    G(2, 2) = -v16
    G(2, 3) = v10
    gamma(1) = v9*v19 - (v15*v18 + v4*v6)
    gamma(2) = v8*v19 - (v14*v18 + v4*v5)
  end subroutine

  ! Derivatives of the coordinates' rates. Operations: none.
  !   qdot_q: derivative of qdot by q
  !   qdot_u: derivative of qdot by u
  pure subroutine rate_jacobians(t, q, u, c, qdot_q, qdot_u)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: qdot_q(3, 3)
    real(dp), intent(out) :: qdot_u(3, 3)
    associate (unused1 => t, unused2 => q, unused3 => u, unused4 => c)
    end associate
    qdot_q = 0
    qdot_u = 0
    qdot_u(1, 1) = 1.0_dp
    qdot_u(2, 2) = 1.0_dp
    qdot_u(3, 3) = 1.0_dp
  end subroutine

  ! Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda. Operations: 38 add, 65
  ! mul, 4 sincos.
  !   r_q: derivative of r by q
  !   r_u: derivative of r by u
  !   r_w: derivative of r by w
  !   s_q: derivative of s by q
  !   s_u: derivative of s by u
  !   s_w: derivative of s by w
  pure subroutine jacobians(t, q, u, w, udot, lambda, c, r_q, r_u, r_w, s_q, s_u, s_w)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: w(nw)
    real(dp), intent(in) :: udot(nu)
    real(dp), intent(in) :: lambda(nm)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: r_q(3, 3)
    real(dp), intent(out) :: r_u(3, 3)
    real(dp), intent(out) :: r_w(3, 1)
    real(dp), intent(out) :: s_q(2, 3)
    real(dp), intent(out) :: s_u(2, 3)
    real(dp), intent(out) :: s_w(2, 1)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35
    associate (unused1 => t, unused2 => w)
    end associate
    r_q = 0
    r_u = 0
    r_w = 0
    s_w = 0
    v0 = q(1) + q(2)
    v1 = u(1) + u(2)
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = u(1)*c(2)
    v5 = sin(q(1)); v6 = cos(q(1))
    v7 = c(1)*v5
    v8 = c(1)*v6
    v9 = sin(q(3)); v10 = cos(q(3))
    v11 = sin(v0); v12 = cos(v0)
    v13 = c(3)*v12
    v14 = v13 + c(2)*v6
    v15 = c(4)*v10
    v16 = u(3)*v9
    v17 = u(1)*v5
    v18 = v1*v11
    v19 = c(3)*v11
    v20 = c(2)*v5
    v21 = v19 + v20
    v22 = c(4)*v9
    v23 = v1*v12
    v24 = c(3)*v1
    v25 = u(1)*v6
    v26 = u(3)*v10
    v27 = u(3)*c(4)
    v28 = lambda(1)*v13 + lambda(2)*v19
    v29 = v28 - c(16)*(v3*(v7 - u(1)*v4) + v2*(udot(1)*c(2) + v8))
    v30 = v1*(v2*c(9))
    v31 = v4*(c(5)*v2)
    v32 = udot(2)*v13 - v18*v24
    v33 = v23*v24 + udot(2)*v19
    v34 = 2.0_dp*(c(3)*v23)
    v35 = 2.0_dp*(c(3)*v18)
    r_q(1, 1) = lambda(2)*v21 + (lambda(1)*v14 - c(1)*(c(13)*(v20 + 0.5_dp*v19) + v20*c(17)))
    r_q(1, 2) = v29 - ((udot(1) + udot(2))*v2 + v1*(v1*v3))*c(8)
    r_q(2, 1) = v28 - (v2*v8 + v3*v7)*c(16)
    r_q(2, 2) = v29
    r_q(3, 3) = -v22*(lambda(2) + c(7)) - lambda(1)*v15
    r_u(1, 1) = v31 - v30
    r_u(1, 2) = -v30
    r_u(2, 1) = v31
    r_u(3, 3) = 0.05_dp
    r_w(1, 1) = -1.0_dp
    s_q(1, 1) = udot(1)*v14 + v32 - v4*v17
    s_q(1, 2) = v32 + udot(1)*v13
    s_q(1, 3) = v16*v27 - udot(3)*v15
    s_q(2, 1) = udot(1)*v21 + (v4*v25 + v33)
    s_q(2, 2) = v33 + udot(1)*v19
    s_q(2, 3) = -(v26*v27 + udot(3)*v22)
    s_u(1, 1) = c(15)*v25 + v34
    s_u(1, 2) = v34
    s_u(1, 3) = -c(14)*v26
    s_u(2, 1) = v17*c(15) + v35
    s_u(2, 2) = v35
    s_u(2, 3) = -v16*c(14)
  end subroutine

  ! Generalized forces required in addition for this udot (inverse dynamics). Operations: 22 add, 31 mul, 4 sincos.
  !   r: M udot + G' lambda - f
  pure subroutine inverse(t, q, u, w, udot, lambda, c, r)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: w(nw)
    real(dp), intent(in) :: udot(nu)
    real(dp), intent(in) :: lambda(nm)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: r(3)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15
    associate (unused1 => t)
    end associate
    v0 = q(1) + q(2)
    v1 = u(1) + u(2)
    v2 = udot(1) + udot(2)
    v3 = sin(q(2)); v4 = cos(q(2))
    v5 = sin(q(1)); v6 = cos(q(1))
    v7 = c(1)*v6
    v8 = c(5)*(0.5_dp*(v4*(udot(1)*c(2) + v7) - v3*(c(1)*v5 - c(2)*(u(1)*u(1)))) + v2*c(18))
    v9 = sin(q(3)); v10 = cos(q(3))
    v11 = sin(v0); v12 = cos(v0)
    v13 = c(3)*v12
    v14 = c(3)*v11
    v15 = lambda(1)*(v14 + c(2)*v5) + (v7*c(6) + (v8 - (v1*(v1*v3) - v2*v4)*c(8)) + udot(1)*c(19) - w(1))
    r(1) = v15 - lambda(2)*(v13 + c(2)*v6)
    r(2) = v8 + lambda(1)*v14 - lambda(2)*v13
    r(3) = 0.05_dp*u(3) + c(4)*((v10*c(20) + udot(3)*c(21))*c(22) - lambda(1)*v9 + lambda(2)*v10)
  end subroutine

  ! Kinetic and potential energy. Operations: 10 add, 21 mul, 4 sincos.
  !   kinetic: kinetic energy
  !   potential: potential energy
  pure subroutine energy(t, q, u, c, kinetic, potential)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: kinetic
    real(dp), intent(out) :: potential
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7
    associate (unused1 => t)
    end associate
    v0 = u(1) + u(2)
    v1 = sin(q(2)); v2 = cos(q(2))
    v3 = c(2)*sin(q(1))
    v4 = u(3)*c(4)
    v5 = u(1)*c(2)
    v6 = v0*c(23) + v2*v5
    v7 = v1*v5
    kinetic = 0.5_dp*(v5*(v5*c(25)) + (v4*(v4*c(24)) + c(13)*(v0*(v0*c(26)) + (v6*v6 + v7*v7))))
    potential = c(1)*(v3*c(17) + (sin(q(3))*c(27) + c(13)*(sin(q(1) + q(2))*c(23) + v3)))
  end subroutine

  ! Linear momentum, and angular momentum about the origin, in ground axes. Operations: 20 add, 39 mul, 4 sincos.
  !   linear: linear momentum
  !   angular: angular momentum
  pure subroutine momentum(t, q, u, c, linear, angular)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: linear(3)
    real(dp), intent(out) :: angular(3)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24, v25
    associate (unused1 => t)
    end associate
    linear = 0
    angular = 0
    v0 = q(1) + q(2)
    v1 = u(1) + u(2)
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(1)); v5 = cos(q(1))
    v6 = sin(q(3)); v7 = cos(q(3))
    v8 = sin(v0); v9 = cos(v0)
    v10 = c(2)*v5
    v11 = c(2)*v4
    v12 = u(1)*c(2)
    v13 = u(3)*c(4)
    v14 = v13*c(22)
    v15 = v6*v14
    v16 = c(13)*(v1*c(23) + v3*v12)
    v17 = c(13)*(v2*v12)
    v18 = v9*v17 - v8*v16
    v19 = v12*c(30)
    v20 = v4*v19
    v21 = 0.5_dp*(v7*v14)
    v22 = v9*v16 + v8*v17
    v23 = v5*v19
    v24 = v15*(v6*c(31)) + (v21*(c(28) + v7*c(29)) + v22*(v9*c(23) + v10))
    v25 = (v13*c(32) + v1*c(33) + v12*c(34))*c(35) + v24 - (v8*c(23) + v11)*v18 + 0.25_dp*(v11*v20)
    linear(1) = -0.5_dp*v15 + (v18 - 0.5_dp*v20)
    linear(2) = v21 + (v22 + 0.5_dp*v23)
    angular(3) = v25 + 0.25_dp*(v10*v23)
  end subroutine

  ! How far the constraints are violated, and how fast. Operations: 11 add, 15 mul, 3 sincos.
  !   phi: position residuals; 0 for rows that only speeds obey
  !   rate: velocity residuals
  pure subroutine residuals(t, q, u, c, phi, rate)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: phi(2)
    real(dp), intent(out) :: rate(2)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9
    associate (unused1 => t)
    end associate
    v0 = q(1) + q(2)
    v1 = sin(q(1)); v2 = cos(q(1))
    v3 = sin(q(3)); v4 = cos(q(3))
    v5 = sin(v0); v6 = cos(v0)
    v7 = u(3)*c(4)
    v8 = u(1)*c(2)
    v9 = c(3)*(u(1) + u(2))
    phi(1) = c(28) + c(4)*v4 - (c(3)*v6 + c(2)*v2)
    phi(2) = c(4)*v3 - (c(3)*v5 + c(2)*v1)
    rate(1) = v1*v8 + v5*v9 - v3*v7
    rate(2) = v4*v7 - (v2*v8 + v6*v9)
  end subroutine

  ! Outputs of the model. Operations: 15 add, 11 mul, 5 sincos, 1 other.
  !   y: outputs
  pure subroutine outputs(t, q, u, w, udot, lambda, c, y)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: w(nw)
    real(dp), intent(in) :: udot(nu)
    real(dp), intent(in) :: lambda(nm)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: y(6)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10
    associate (unused1 => t, unused2 => w, unused3 => udot, unused4 => lambda)
    end associate
    y = 0
    v0 = q(1) + q(2)
    v1 = q(3) - v0
    v2 = sin(v1); v3 = cos(v1)
    v4 = sin(q(1)); v5 = cos(q(1))
    v6 = sin(v0); v7 = cos(v0)
    v8 = c(2)*v5
    v9 = 0.5_dp*(c(3)*v7)
    v10 = 0.5_dp*(c(3)*v6)
    y(1) = atan2(v2, v3)
    y(2) = u(3) - (u(1) + u(2))
    y(3) = v8 + v9 - v10
    y(4) = v10 + (c(2)*v4 + v9)
    y(6) = c(32) + c(28)*(c(28) - 2.0_dp*v8 + cos(q(3))*c(14)) + c(2)*(c(2) - cos(q(3) - q(1))*c(14)) - c(36)
  end subroutine

  ! A X = B by A = L D L'; of A (n x n) the lower triangle is read and overwritten, B (n x k) becomes X. bounds(i) is what
  ! rounding errors of A(i, i) are proportional to. Not definite: a pivot is not positive beyond rounding; B is left alone.
  pure recursive subroutine solve_definite(n, A, bounds, B, is_definite)
    integer, intent(in) :: n
    real(dp), intent(inout) :: A(:, :), B(:, :)
    real(dp), intent(in) :: bounds(:)
    logical, intent(out) :: is_definite
    real(dp) :: z(n), d, bound
    integer :: i, j, l
    is_definite = .false.
    do j = 1, n
      d = A(j, j)
      do i = 1, j - 1
        d = d - A(j, i)*A(j, i)*A(i, i)
      end do
      if (.not. d > 1e-3_dp*bounds(j)) then
        ! z' A z = d with z(j) = 1, so errors of A are worth (sum |z| sqrt(bounds))^2 here
        bound = sqrt(bounds(j))
        do i = j - 1, 1, -1
          z(i) = -A(j, i) - dot_product(A(i+1:j-1, i), z(i+1:j-1))
          bound = bound + abs(z(i))*sqrt(bounds(i))
        end do
        if (.not. d > 8*epsilon(d)*bound*bound) return
      end if
      A(j, j) = d
      do i = j + 1, n
        do l = 1, j - 1
          A(i, j) = A(i, j) - A(i, l)*A(j, l)*A(l, l)
        end do
        A(i, j) = A(i, j)/d
      end do
    end do
    do i = 1, n
      do l = 1, i - 1
        B(i, :) = B(i, :) - A(i, l)*B(l, :)
      end do
    end do
    do i = n, 1, -1
      B(i, :) = B(i, :)/A(i, i)
      do l = i + 1, n
        B(i, :) = B(i, :) - A(l, i)*B(l, :)
      end do
    end do
    is_definite = .true.
  end subroutine

  ! B := (1 - beta v v') B
  pure subroutine reflect(v, beta, B)
    real(dp), intent(in) :: v(:), beta
    real(dp), intent(inout) :: B(:, :)
    integer :: j
    do j = 1, size(B, 2)
      B(:, j) = B(:, j) - (beta*dot_product(v, B(:, j)))*v
    end do
  end subroutine

  ! Makes x the v of a reflection 1 - beta v v' that takes it to (d, 0, 0, ...).
  pure subroutine make_reflection(x, beta, d)
    real(dp), intent(inout) :: x(:)
    real(dp), intent(out) :: beta, d
    d = sign(norm2(x), -x(1))
    x(1) = x(1) - d
    beta = -1/(d*x(1))
  end subroutine

  ! M X + G' L = F, G X = C for k right-hand sides: F becomes X, C becomes L; M and G are overwritten. Rows of G may depend
  ! on each other: of all multipliers, L are those of smallest norm. nr of them are independent, as they were at the start; less
  ! only where rounding leaves nothing of the others. The method is that of the null space. With rows of G scaled to length 1
  ! and columns by 1/sqrt(M(j, j)),
  !
  !     P G = V T Q1', Q = [Q1 Q2] from a pivoted QR of G', V and the triangle T from a QR of what that leaves
  !     T y = V' P C               what the constraints alone decide
  !     Q2' M Q2 z = Q2' (F - M Q1 y),   X = Q1 y + Q2 z
  !     T' (V' P L) = Q1' (F - M X)
  !
  ! No inertia: a motion that the constraints allow has none.
  pure recursive subroutine solve_descriptor(M, G, k, F, C, has_inertia)
    integer, intent(in) :: k
    real(dp), intent(inout) :: M(nu, nu), G(nm, nu), F(nu, k), C(nm, k)
    logical, intent(out) :: has_inertia
    real(dp) :: A(nu, nm), W(nm, nm), N(nm, nm), row(nm), column(nu), bounds(nu), r(nm, k)
    real(dp) :: beta(nm), diagonal(nm), turn(nm), triangle(nm), length, longest, least, first
    integer :: order(nm), rank, s, i, l, pivot, twice

    ! scales: 1/sqrt(M(j, j)) against its geometric mean, within four decades; rows of length 1, but short ones stay short
    first = 0
    i = 0
    do s = 1, nu
      if (M(s, s) > 0) then
        first = first + log(M(s, s))
        i = i + 1
      end if
    end do
    column = 1
    do s = 1, nu
      if (M(s, s) > 0) column(s) = min(max(exp((first/i - log(M(s, s)))/2), 1e-4_dp), 1e4_dp)
    end do
    do s = 1, nu
      G(:, s) = G(:, s)*column(s)
      M(:, s) = M(:, s)*column*column(s)
    end do
    do i = 1, k
      F(:, i) = F(:, i)*column
    end do
    do i = 1, nm
      row(i) = norm2(G(i, :))
      order(i) = i
    end do
    longest = maxval(row)
    do i = 1, nm
      if (longest > 1e-13_dp) then
        row(i) = 1/max(row(i), 0.01_dp*longest)
      else
        row(i) = 1
      end if
      A(:, i) = G(i, :)*row(i)
      C(i, :) = C(i, :)*row(i)
    end do
    bounds = 0
    do s = 1, nu
      bounds = max(bounds, abs(M(s, s)))
    end do

    ! A = G', A P' = Q R: column s of A keeps the s-th reflection from place s on, later columns the entries of R before it
    rank = 0
    first = 0
    least = merge(1e-10_dp, 8*epsilon(least)*(nu + nm), nr < 0)
    do s = 1, merge(min(nu, nm), min(nu, nm, nr), nr < 0)
      pivot = s
      length = -1
      do i = s, nm
        if (norm2(A(s:, i)) > length) then
          length = norm2(A(s:, i))
          pivot = i
        end if
      end do
      if (s == 1) first = length
      if (.not. length > least*first) exit
      if (pivot /= s) then
        A(:, [s, pivot]) = A(:, [pivot, s])
        order([s, pivot]) = order([pivot, s])
      end if
      call make_reflection(A(s:, s), beta(s), diagonal(s))
      call reflect(A(s:, s), beta(s), A(s:, s+1:))
      rank = s
    end do

    ! R' = V T: column s of W keeps the s-th reflection from place s on, T stands above
    W = 0
    do s = 1, rank
      W(s, s) = diagonal(s)
      W(s+1:, s) = A(s, s+1:)
    end do
    do s = 1, rank
      call make_reflection(W(s:, s), turn(s), triangle(s))
      call reflect(W(s:, s), turn(s), W(s:, s+1:rank))
    end do

    ! M := Q' M Q, F := Q' F; and in place of the first `rank` rows of C: y
    do s = 1, rank
      call reflect(A(s:, s), beta(s), M(s:, :))
      M = transpose(M)
      call reflect(A(s:, s), beta(s), M(s:, :))
      M = transpose(M)
      call reflect(A(s:, s), beta(s), F(s:, :))
    end do
    C = C(order, :)
    do s = 1, rank
      call reflect(W(s:, s), turn(s), C(s:, :))
    end do
    do s = rank, 1, -1
      do l = s + 1, rank
        C(s, :) = C(s, :) - W(s, l)*C(l, :)
      end do
      C(s, :) = C(s, :)/triangle(s)
    end do

    ! z in place of the last rows of F, then r = Q1' (F - M X)
    do l = 1, rank
      do i = 1, k
        F(rank+1:, i) = F(rank+1:, i) - M(rank+1:, l)*C(l, i)
      end do
    end do
    call solve_definite(nu - rank, M(rank+1:, rank+1:), bounds(rank+1:), F(rank+1:, :), has_inertia)
    if (.not. has_inertia) F(rank+1:, :) = 0
    r = 0
    do i = 1, k
      r(:rank, i) = F(:rank, i) - matmul(M(:rank, :rank), C(:rank, i)) - matmul(M(:rank, rank+1:), F(rank+1:, i))
    end do

    ! X takes y from C, C takes T'^-1 r; then both are turned back
    F(:rank, :) = C(:rank, :)
    do s = 1, rank
      do l = 1, s - 1
        r(s, :) = r(s, :) - W(l, s)*r(l, :)
      end do
      r(s, :) = r(s, :)/triangle(s)
    end do
    do s = rank, 1, -1
      call reflect(A(s:, s), beta(s), F(s:, :))
      call reflect(W(s:, s), turn(s), r(s:, :))
    end do
    do i = 1, k
      F(:, i) = F(:, i)*column
    end do
    do i = 1, nm
      C(order(i), :) = row(order(i))*r(i, :)
    end do

    ! L of smallest norm: less its part along what G' does not see, an orthonormal basis N of which comes from the rest of V
    do s = rank + 1, nm
      N(:, s) = 0
      N(s, s) = 1
      do l = rank, 1, -1
        call reflect(W(l:, l), turn(l), N(l:, s:s))
      end do
      N(order, s) = row(order)*N(:, s)
      do twice = 1, 2
        do l = rank + 1, s - 1
          N(:, s) = N(:, s) - dot_product(N(:, l), N(:, s))*N(:, l)
        end do
        N(:, s) = N(:, s)/norm2(N(:, s))
      end do
      do i = 1, k
        C(:, i) = C(:, i) - dot_product(N(:, s), C(:, i))*N(:, s)
      end do
    end do
  end subroutine

  ! Accelerations and multipliers; where constraints are redundant, the multipliers of smallest norm.
  pure recursive subroutine accelerations(t, q, u, w, c, udot, lambda, status)
    real(dp), intent(in) :: t, q(nq), u(nu), w(nw), c(nc)
    real(dp), intent(out) :: udot(nu), lambda(nm)
    integer, intent(out) :: status
    real(dp) :: M(nu, nu), f(nu, 1), G(nm, nu), rows(nm, nu), gamma(nm), L(nm, 1), length, longest
    logical :: has_inertia
    integer :: i
    udot = 0
    lambda = 0
    status = status_not_finite
    call dynamics(t, q, u, w, c, M, f(:, 1), G, gamma)
    if (.not. (all(ieee_is_finite(M)) .and. all(ieee_is_finite(f)) .and. all(ieee_is_finite(G)) .and. &
        all(ieee_is_finite(gamma)))) return
    rows = G
    L(:, 1) = gamma
    call solve_descriptor(M, G, 1, f, L, has_inertia)
    udot = f(:, 1)
    lambda = L(:, 1)
    if (.not. (all(ieee_is_finite(udot)) .and. all(ieee_is_finite(lambda)))) return
    status = merge(status_ok, status_no_inertia, has_inertia)
    length = norm2(udot)
    longest = 0
    do i = 1, nm
      longest = max(longest, norm2(rows(i, :)))
    end do
    do i = 1, nm
      ! more than the drift of an integrator
      if (abs(dot_product(rows(i, :), udot) - gamma(i)) > 0.01_dp*(longest*length + abs(gamma(i))) + &
          (1e-6_dp + 1e-3_dp*dot_product(u, u))*merge(longest, 1.0_dp, longest > 0) .and. has_inertia) status = status_contradiction
    end do
  end subroutine

  ! The rate of the state x = [q; u].
  pure recursive subroutine rhs(t, x, w, c, xdot, status)
    real(dp), intent(in) :: t, x(nx), w(nw), c(nc)
    real(dp), intent(out) :: xdot(nx)
    integer, intent(out) :: status
    real(dp) :: lambda(nm)
    call rates(t, x(:nq), x(nq+1:), c, xdot(:nq))
    call accelerations(t, x(:nq), x(nq+1:), w, c, xdot(nq+1:), lambda, status)
  end subroutine

  ! Its derivatives: A by x, B by w. Columns of A have a meaning only along motions that the constraints allow.
  pure recursive subroutine rhs_jacobian(t, x, w, c, A, B, status)
    real(dp), intent(in) :: t, x(nx), w(nw), c(nc)
    real(dp), intent(out) :: A(nx, nx), B(nx, nw)
    integer, intent(out) :: status
    real(dp) :: M(nu, nu), f(nu), udot(nu), lambda(nm), right(nu, nx + nw), qdot_q(nq, nq), qdot_u(nq, nu)
    logical :: is_solved
    real(dp) :: G(nm, nu), gamma(nm), below(nm, nx + nw)
    A = 0
    B = 0
    call accelerations(t, x(:nq), x(nq+1:), w, c, udot, lambda, status)
    if (status /= status_ok .and. status /= status_contradiction) return
    call dynamics(t, x(:nq), x(nq+1:), w, c, M, f, G, gamma)
    call rate_jacobians(t, x(:nq), x(nq+1:), c, qdot_q, qdot_u)
    A(:nq, :nq) = qdot_q
    A(:nq, nq+1:) = qdot_u
    call jacobians(t, x(:nq), x(nq+1:), w, udot, lambda, c, right(:, :nq), right(:, nq+1:nx), right(:, nx+1:), &
        below(:, :nq), below(:, nq+1:nx), below(:, nx+1:))
    right = -right
    below = -below
    call solve_descriptor(M, G, nx + nw, right, below, is_solved)
    A(nq+1:, :) = right(:, :nx)
    B(nq+1:, :) = right(:, nx+1:)
    status = merge(status_ok, status_no_inertia, is_solved)
    if (.not. all(ieee_is_finite(A))) status = status_not_finite
  end subroutine

  ! Normalises the unit quaternions among the coordinates.
  pure subroutine normalise(q)
    real(dp), intent(inout) :: q(:)
    associate (unused => q)
    end associate
  end subroutine

end module
