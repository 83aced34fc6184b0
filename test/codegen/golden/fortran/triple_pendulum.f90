! Triple pendulum: equations of motion
! Derived by the formulation 'recursive', written by linkwright 0.1.0.
!
!     qdot = N(q, t) u + nu(q, t)
!     M(q, t) udot = f(q, u, w, t)
!
! SI units, angles in radians. The state x is q, then u.
!
! Coordinates q, with their values at the start
!     1  q1  0.0
!     2  q2  0.0
!     3  q3  0.0
!
! Speeds u, with their values at the start
!     1  q1'  0.0
!     2  q2'  0.0
!     3  q3'  0.0
!
! Inputs w, with their values when nothing drives them
!     1  TAU21  0.0
!     2  TAU32  0.0
!     3  TAU43  0.0
!
! Parameters p, with their values in the model
!      1  g      9.81  m/s^2      98.1 gives the eigenvalues of his tables 6.1 and 6.2
!      2  DL22   0.5   m          joint to centre of mass
!      3  DL33   0.5   m
!      4  DL44   0.5   m
!      5  SL32   0.5   m          centre of mass to the next joint
!      6  SL43   0.5   m
!      7  MA2    1.0   kg
!      8  MA3    1.0   kg
!      9  MA4    1.0   kg
!     10  J2X    0.2   kg*m^2
!     11  J2Y    0.1   kg*m^2
!     12  J2Z    0.2   kg*m^2
!     13  J3X    0.2   kg*m^2
!     14  J3Y    0.1   kg*m^2
!     15  J3Z    0.2   kg*m^2
!     16  J4X    0.2   kg*m^2
!     17  J4Y    0.1   kg*m^2
!     18  J4Z    0.2   kg*m^2
!     19  KR21   0.0   N*m/rad    joint stiffness
!     20  KR32   0.0   N*m/rad
!     21  KR43   0.0   N*m/rad
!     22  CR21   0.0   N*m*s/rad  joint damping; simulation 2 has 5
!     23  CR32   0.0   N*m*s/rad
!     24  CR43   0.0   N*m*s/rad
!     25  PHI02  0.0   rad        angle at which the spring is free
!     26  PHI03  0.0   rad
!     27  PHI04  0.0   rad
!
! Outputs y
!     1  hand.x
!     2  hand.y
!     3  hand.z
!     4  hanger.fx
!     5  hanger.fy
!     6  hanger.fz
!     7  hanger.tx
!     8  hanger.ty
!     9  hanger.tz
!
! Functions and their operations
!     setup           p -> c                                36 add, 22 mul, 1 div
!     rates           t q u c -> qdot                       none
!     dynamics        t q u w c -> M f                      60 add, 86 mul, 3 sincos
!     accelerations   t q u w c -> udot                     66 add, 96 mul, 2 div, 3 sincos
!     rate_jacobians  t q u c -> qdot_q qdot_u              none
!     jacobians       t q u w udot lambda c -> r_q r_u r_w  145 add, 274 mul, 3 sincos
!     inverse         t q u w udot lambda c -> r            56 add, 76 mul, 3 sincos
!     energy          t q u c -> T V                        35 add, 65 mul, 3 sincos
!     momentum        t q u c -> linear angular             65 add, 105 mul, 3 sincos
!     outputs         t q u w udot lambda c -> y            115 add, 177 mul, 3 sincos
!
! In the code T and V are called kinetic and potential: Fortran does not tell T from t.
!
!     use triple_pendulum
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
! Two such modules in one program: use triple_pendulum, only: triple_pendulum_rhs => rhs, and so on.

module triple_pendulum
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  implicit none
  private
  public :: dp
  public :: setup, rates, dynamics, accelerations, rate_jacobians, jacobians, inverse, energy, momentum, outputs, rhs, &
      rhs_jacobian, normalise

  integer, parameter, public :: nq = 3  ! coordinates
  integer, parameter, public :: nu = 3  ! speeds
  integer, parameter, public :: nw = 3  ! inputs
  integer, parameter, public :: np = 27  ! parameters
  integer, parameter, public :: nc = 46  ! constants, from setup
  integer, parameter, public :: nm = 0  ! constraints
  integer, parameter, public :: ny = 9  ! outputs
  integer, parameter, public :: nx = 6  ! states x = [q; u]

  ! What accelerations, rhs and rhs_jacobian may say.
  integer, parameter, public :: status_ok = 0
  integer, parameter, public :: status_no_inertia = 1     ! a motion that the constraints allow has no inertia
  integer, parameter, public :: status_contradiction = 2  ! constraints contradict each other here
  integer, parameter, public :: status_not_finite = 3     ! something is infinite or not a number

  ! Coordinates and speeds at the start.
  real(dp), protected, public :: start(nx)
  data start(1) /0.0_dp/  ! q1
  data start(2) /0.0_dp/  ! q2
  data start(3) /0.0_dp/  ! q3
  data start(4) /0.0_dp/  ! q1'
  data start(5) /0.0_dp/  ! q2'
  data start(6) /0.0_dp/  ! q3'
  ! Inputs when nothing drives them.
  real(dp), protected, public :: inputs(nw)
  data inputs(1) /0.0_dp/  ! TAU21
  data inputs(2) /0.0_dp/  ! TAU32
  data inputs(3) /0.0_dp/  ! TAU43
  ! Parameters of the model.
  real(dp), protected, public :: parameters(np)
  data parameters(1) /9.81_dp/  ! g, m/s^2
  data parameters(2) /0.5_dp/  ! DL22, m
  data parameters(3) /0.5_dp/  ! DL33, m
  data parameters(4) /0.5_dp/  ! DL44, m
  data parameters(5) /0.5_dp/  ! SL32, m
  data parameters(6) /0.5_dp/  ! SL43, m
  data parameters(7) /1.0_dp/  ! MA2, kg
  data parameters(8) /1.0_dp/  ! MA3, kg
  data parameters(9) /1.0_dp/  ! MA4, kg
  data parameters(10) /0.2_dp/  ! J2X, kg*m^2
  data parameters(11) /0.1_dp/  ! J2Y, kg*m^2
  data parameters(12) /0.2_dp/  ! J2Z, kg*m^2
  data parameters(13) /0.2_dp/  ! J3X, kg*m^2
  data parameters(14) /0.1_dp/  ! J3Y, kg*m^2
  data parameters(15) /0.2_dp/  ! J3Z, kg*m^2
  data parameters(16) /0.2_dp/  ! J4X, kg*m^2
  data parameters(17) /0.1_dp/  ! J4Y, kg*m^2
  data parameters(18) /0.2_dp/  ! J4Z, kg*m^2
  data parameters(19) /0.0_dp/  ! KR21, N*m/rad
  data parameters(20) /0.0_dp/  ! KR32, N*m/rad
  data parameters(21) /0.0_dp/  ! KR43, N*m/rad
  data parameters(22) /0.0_dp/  ! CR21, N*m*s/rad
  data parameters(23) /0.0_dp/  ! CR32, N*m*s/rad
  data parameters(24) /0.0_dp/  ! CR43, N*m*s/rad
  data parameters(25) /0.0_dp/  ! PHI02, rad
  data parameters(26) /0.0_dp/  ! PHI03, rad
  data parameters(27) /0.0_dp/  ! PHI04, rad
  ! Names.
  character(len=2), protected, public :: coordinate_names(3)
  data coordinate_names(1) /'q1'/
  data coordinate_names(2) /'q2'/
  data coordinate_names(3) /'q3'/
  character(len=3), protected, public :: speed_names(3)
  data speed_names(1) /'q1'''/
  data speed_names(2) /'q2'''/
  data speed_names(3) /'q3'''/
  character(len=5), protected, public :: input_names(3)
  data input_names(1) /'TAU21'/
  data input_names(2) /'TAU32'/
  data input_names(3) /'TAU43'/
  character(len=5), protected, public :: parameter_names(27)
  data parameter_names(1) /'g    '/
  data parameter_names(2) /'DL22 '/
  data parameter_names(3) /'DL33 '/
  data parameter_names(4) /'DL44 '/
  data parameter_names(5) /'SL32 '/
  data parameter_names(6) /'SL43 '/
  data parameter_names(7) /'MA2  '/
  data parameter_names(8) /'MA3  '/
  data parameter_names(9) /'MA4  '/
  data parameter_names(10) /'J2X  '/
  data parameter_names(11) /'J2Y  '/
  data parameter_names(12) /'J2Z  '/
  data parameter_names(13) /'J3X  '/
  data parameter_names(14) /'J3Y  '/
  data parameter_names(15) /'J3Z  '/
  data parameter_names(16) /'J4X  '/
  data parameter_names(17) /'J4Y  '/
  data parameter_names(18) /'J4Z  '/
  data parameter_names(19) /'KR21 '/
  data parameter_names(20) /'KR32 '/
  data parameter_names(21) /'KR43 '/
  data parameter_names(22) /'CR21 '/
  data parameter_names(23) /'CR32 '/
  data parameter_names(24) /'CR43 '/
  data parameter_names(25) /'PHI02'/
  data parameter_names(26) /'PHI03'/
  data parameter_names(27) /'PHI04'/
  character(len=1), protected, public :: constraint_names(0)
  character(len=9), protected, public :: output_names(9)
  data output_names(1) /'hand.x   '/
  data output_names(2) /'hand.y   '/
  data output_names(3) /'hand.z   '/
  data output_names(4) /'hanger.fx'/
  data output_names(5) /'hanger.fy'/
  data output_names(6) /'hanger.fz'/
  data output_names(7) /'hanger.tx'/
  data output_names(8) /'hanger.ty'/
  data output_names(9) /'hanger.tz'/

contains

  ! What depends on parameters only, worked out once. Operations: 36 add, 22 mul, 1 div.
  !   c: constants for the other functions
  pure subroutine setup(p, c)
    real(dp), intent(in) :: p(np)
    real(dp), intent(out) :: c(46)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13
    v0 = p(2) + p(5)
    v1 = p(3) + p(6)
    v2 = p(2)*p(7)
    v3 = p(3)*p(8)
    v4 = p(17) + p(18) - p(16)
    v5 = 0.5_dp*v4
    v6 = 0.5_dp*(p(16) + p(18) - p(17)) + p(9)*(p(4)*p(4))
    v7 = v0*(p(8) + p(9))
    v8 = p(2)*v2 + 0.5_dp*(p(10) + p(12) - p(11)) + v0*v7
    v9 = 0.5_dp*(p(11) + p(12) - p(10)) + 0.5_dp*(p(13) + p(14) - p(15))
    v10 = p(9)*v1
    v11 = p(3)*v3 + 0.5_dp*(p(13) + p(15) - p(14)) + v1*v10
    v12 = 0.5_dp*(p(14) + p(15) - p(13)) + 0.5_dp*(p(16) + p(17) - p(18))
    v13 = v5 + v6
    c(1) = p(1)  ! g
    c(2) = p(2)  ! DL22
    c(3) = p(3)  ! DL33
    c(4) = p(4)  ! DL44
    c(5) = p(5)  ! SL32
    c(6) = p(6)  ! SL43
    c(7) = p(7)  ! MA2
    c(8) = p(8)  ! MA3
    c(9) = p(9)  ! MA4
    c(10) = p(12)  ! J2Z
    c(11) = p(13)  ! J3X
    c(12) = p(14)  ! J3Y
    c(13) = p(15)  ! J3Z
    c(14) = p(16)  ! J4X
    c(15) = p(17)  ! J4Y
    c(16) = p(18)  ! J4Z
    c(17) = p(19)  ! KR21
    c(18) = p(20)  ! KR32
    c(19) = p(21)  ! KR43
    c(20) = p(22)  ! CR21
    c(21) = p(23)  ! CR32
    c(22) = p(24)  ! CR43
    c(23) = v0  ! c0 = DL22 + SL32
    c(24) = v1  ! c1 = DL33 + SL43
    c(25) = p(4)*p(9)  ! c2 = DL44*MA4
    c(26) = v4  ! c3 = J4Y + J4Z - J4X
    c(27) = v5  ! c4 = (J4Y + J4Z - J4X)/2
    c(28) = v6  ! c5 = (J4X + J4Z - J4Y)/2 + MA4*DL44^2
    c(29) = v2 + v7  ! c6 = DL22*MA2 + (DL22 + SL32)*(MA3 + MA4)
    c(30) = v8  ! c7 = DL22*MA2*DL22 + (J2X + J2Z - J2Y)/2 + (DL22 + SL32)*(MA3 + MA4)*(DL22 + SL32)
    c(31) = v9  ! c8 = (J2Y + J2Z - J2X)/2 + (J3X + J3Y - J3Z)/2
    c(32) = v3 + v10  ! c9 = DL33*MA3 + MA4*(DL33 + SL43)
    c(33) = v11  ! c10 = DL33*MA3*DL33 + (J3X + J3Z - J3Y)/2 + MA4*(DL33 + SL43)*(DL33 + SL43)
    c(34) = v12  ! c11 = (J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2
    c(35) = -p(25)  ! c12 = -PHI02
    c(36) = -p(26)  ! c13 = -PHI03
    c(37) = -p(27)  ! c14 = -PHI04
    c(38) = v8 - v9  ! c15
    c(39) = -v12  ! c16 = -((J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2)
    c(40) = v11 - v12  ! c17
    c(41) = v5 - v6  ! c18 = (J4Y + J4Z - J4X)/2 - ((J4X + J4Z - J4Y)/2 + MA4*DL44^2)
    c(42) = v13  ! c19 = (J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2
    c(43) = 1.0_dp/v13  ! c20 = 1/((J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2)
    c(44) = p(1)*p(9)  ! c21 = g*MA4
    c(45) = p(1)*p(8)  ! c22 = g*MA3
    c(46) = p(1)*p(7)  ! c23 = g*MA2
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

  ! Mass matrix and forcing: M udot = f. Operations: 60 add, 86 mul, 3 sincos.
  !   M: mass matrix, symmetric
  !   f: forcing
  pure subroutine dynamics(t, q, u, w, c, M, f)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: w(nw)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: M(3, 3)
    real(dp), intent(out) :: f(3)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32
    associate (unused1 => t)
    end associate
    M = 0
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = c(1)*v0
    v7 = c(1)*v1 + c(23)*(u(1)*u(1))
    v8 = u(1)*v2
    v9 = u(1)*v3
    v10 = v8*v9
    v11 = v2*v7
    v12 = u(2)*v8
    v13 = u(2)*v9
    v14 = u(2)*v5 + v4*v8
    v15 = v5*v8 - u(2)*v4
    v16 = u(3) + v9
    v17 = c(25)*v5
    v18 = c(24)*v17
    v19 = c(41)*v4
    v20 = v4*v19
    v21 = c(33) + (c(28) + v20 + 2.0_dp*v18)
    v22 = c(30) + (c(34) + v3*(v3*(c(39) + v21)) + 2.0_dp*(c(23)*(v3*(c(32) + v17))))
    v23 = v15*v16 + (u(3)*v15 + v4*v13)
    v24 = v12 + v14*v15
    v25 = c(26)*(v14*v16 - (v5*v13 - u(3)*v14))
    v26 = c(28)*v23 + c(25)*(v11 + c(24)*v10)
    v27 = c(25)*(v4*(v3*v7 + c(24)*(v9*v9 + u(2)*u(2))) + v5*(v6 - 2.0_dp*(c(24)*v12)))
    v28 = c(41)*v24 - c(26)*v12 + v27
    v29 = v4*(c(25)*(v14*v14 + v16*v16)) + v5*(c(25)*v24)
    v30 = v2*(2.0_dp*(c(34)*v13) + (-0.5_dp*(v5*v25) + v4*v26))
    v31 = v3*(-2.0_dp*(c(33)*v12) + c(32)*v6 + (v28 - c(24)*v29)) + v30
    v32 = c(32)*v11 + c(40)*v10 + (c(24)*(c(25)*v23) - (-0.5_dp*(v4*v25) - v5*v26))
    M(1, 1) = v22 + (c(31) + (c(27) - v20))
    M(2, 1) = -v2*(v5*v19 - c(24)*(c(25)*v4))
    M(1, 2) = M(2, 1)
    M(2, 2) = c(34) + v21
    M(3, 1) = v3*(c(42) + v18) + c(23)*v17
    M(1, 3) = M(3, 1)
    M(3, 3) = c(42)
    f(1) = w(1) - u(1)*c(20) - c(17)*(q(1) + c(35)) - (c(29)*v6 + (v31 + c(23)*(-2.0_dp*(c(32)*v12) - v29)))
    f(2) = w(2) - u(2)*c(21) - c(18)*(q(2) + c(36)) - v32
    f(3) = w(3) - u(3)*c(22) - c(19)*(q(3) + c(37)) - v28
  end subroutine

  ! Accelerations, written out. Operations: 66 add, 96 mul, 2 div, 3 sincos.
  !   udot: accelerations
  pure subroutine accelerations(t, q, u, w, c, udot)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: w(nw)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: udot(3)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35
    real(dp) :: v36, v37, v38, v39, v40, v41
    associate (unused1 => t)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = c(1)*v0
    v7 = c(1)*v1 + c(23)*(u(1)*u(1))
    v8 = u(1)*v2
    v9 = u(1)*v3
    v10 = v8*v9
    v11 = v2*v7
    v12 = u(2)*v8
    v13 = u(2)*v9
    v14 = u(2)*v5 + v4*v8
    v15 = v5*v8 - u(2)*v4
    v16 = u(3) + v9
    v17 = c(25)*v5
    v18 = c(24)*v17
    v19 = v3*(c(42) + v18) + c(23)*v17
    v20 = c(41)*v4
    v21 = v4*v20
    v22 = c(33) + (c(28) + v21 + 2.0_dp*v18)
    v23 = v2*(v5*v20 - c(24)*(c(25)*v4))
    v24 = c(30) + (c(34) + v3*(v3*(c(39) + v22)) + 2.0_dp*(c(23)*(v3*(c(32) + v17))))
    v25 = v15*v16 + (u(3)*v15 + v4*v13)
    v26 = v12 + v14*v15
    v27 = c(26)*(v14*v16 - (v5*v13 - u(3)*v14))
    v28 = c(28)*v25 + c(25)*(v11 + c(24)*v10)
    v29 = c(25)*(v4*(v3*v7 + c(24)*(v9*v9 + u(2)*u(2))) + v5*(v6 - 2.0_dp*(c(24)*v12)))
    v30 = c(41)*v26 - c(26)*v12 + v29
    v31 = v30 - (w(3) - u(3)*c(22) - c(19)*(q(3) + c(37)))
    v32 = v4*(c(25)*(v14*v14 + v16*v16)) + v5*(c(25)*v26)
    v33 = c(32)*v11 + c(40)*v10 + (c(24)*(c(25)*v25) - (-0.5_dp*(v4*v27) - v5*v28))
    v34 = v33 - (w(2) - u(2)*c(21) - c(18)*(q(2) + c(36)))
    v35 = v2*(2.0_dp*(c(34)*v13) + (-0.5_dp*(v5*v27) + v4*v28))
    v36 = v3*(-2.0_dp*(c(33)*v12) + c(32)*v6 + (v30 - c(24)*v32)) + v35
    v37 = c(43)*v19
    v38 = c(29)*v6 + (v36 + c(23)*(-2.0_dp*(c(32)*v12) - v32)) - (w(1) - u(1)*c(20) - c(17)*(q(1) + c(35)))
    v39 = 1.0_dp/(c(34) + v22)
    v40 = v23*v39
    v41 = (v31*v37 - v38 - v34*v40)/(v24 + (c(31) + (c(27) - v21)) - v19*v37 - v23*v40)
    udot(1) = v41
    udot(2) = v40*v41 - v34*v39
    udot(3) = -(c(43)*v31 + v37*v41)
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

  ! Derivatives of r = M udot - f at fixed udot. Operations: 145 add, 274 mul, 3 sincos.
  !   r_q: derivative of r by q
  !   r_u: derivative of r by u
  !   r_w: derivative of r by w
  pure subroutine jacobians(t, q, u, w, udot, lambda, c, r_q, r_u, r_w)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: w(nw)
    real(dp), intent(in) :: udot(nu)
    real(dp), intent(in) :: lambda(nm)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: r_q(3, 3)
    real(dp), intent(out) :: r_u(3, 3)
    real(dp), intent(out) :: r_w(3, 3)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35
    real(dp) :: v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47
    real(dp) :: v48, v49, v50, v51, v52, v53, v54, v55, v56, v57, v58, v59
    real(dp) :: v60, v61, v62, v63, v64, v65, v66, v67, v68, v69, v70, v71
    real(dp) :: v72, v73, v74, v75, v76, v77, v78, v79, v80, v81, v82, v83
    real(dp) :: v84
    associate (unused1 => t, unused2 => w, unused3 => lambda)
    end associate
    r_w = 0
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = c(1)*v1
    v7 = c(1)*v0
    v8 = v6 + c(23)*(u(1)*u(1))
    v9 = v7 + udot(1)*c(23)
    v10 = u(1)*v2
    v11 = u(1)*v3
    v12 = v10*v11
    v13 = v11*v11
    v14 = v3*v8
    v15 = v2*v8
    v16 = u(2)*v10
    v17 = u(2)*v11
    v18 = udot(1)*v2 + v17
    v19 = udot(1)*v3 - v16
    v20 = v16 - v19
    v21 = v14 + c(24)*(v13 + u(2)*u(2))
    v22 = v9 - c(24)*v20
    v23 = u(2)*v5 + v4*v10
    v24 = v5*v10 - u(2)*v4
    v25 = v23*v23
    v26 = v23*v24
    v27 = udot(3) + v19
    v28 = u(3) + v11
    v29 = v17 + v18
    v30 = v13 - v10*v10
    v31 = v23*v28 - (v5*v18 - udot(2)*v4 - u(3)*v23)
    v32 = v24*v28 + (udot(2)*v5 + v4*v18 + u(3)*v24)
    v33 = v26 - v27
    v34 = c(25)*v33
    v35 = c(25)*(v25 + v28*v28)
    v36 = c(26)*v31
    v37 = v24*v24 - v25
    v38 = c(28)*v32 + c(25)*(v15 + c(24)*(udot(2) + v12))
    v39 = v5*v36
    v40 = v4*v38
    v41 = c(26)*v27 + c(41)*v33 + c(25)*(v5*v22 + v4*v21) - c(24)*(v4*v35 + v5*v34)
    v42 = c(2)*v1
    v43 = v1*(c(5) + c(3)*v3) + v42
    v44 = c(9)*(c(1)*(v0*(c(4)*v4) - (c(6) + c(4)*v5)*(v1*v3) - v43))
    v45 = v2*v4
    v46 = v2*v5
    v47 = v2*v7
    v48 = v4*v11
    v49 = v5*v11
    v50 = v28*v49 - v10*v24 + (v4*v19 + u(3)*v49)
    v51 = v18 + (v23*v49 + v24*v48)
    v52 = c(26)*(v28*v48 - v10*v23 - (v5*v19 - u(3)*v48))
    v53 = c(28)*v50 + c(25)*(v14 + c(24)*v30)
    v54 = c(41)*v51 - c(26)*v18 + c(25)*(v4*(-2.0_dp*(c(24)*v12) - v15) - v5*(c(24)*v29))
    v55 = v4*(c(25)*(2.0_dp*(v23*v48) - 2.0_dp*(v10*v28))) + v5*(c(25)*v51)
    v56 = v3*(c(34)*v29 + (-0.5_dp*v39 + v40)) + v2*(-0.5_dp*(v5*v52) + v4*v53 - c(34)*v20)
    v57 = v3*(v54 - c(24)*v55 - c(33)*v29) - v2*(c(32)*v9 - c(33)*v20 + v41) + v56
    v58 = c(28)*v31
    v59 = c(26)*v32
    v60 = c(41)*v37 + c(25)*(v5*v21 - v4*v22)
    v61 = v5*v35 + 2.0_dp*(v4*(c(25)*v26)) + (v5*(c(25)*v37) - v4*v34)
    v62 = u(1)*c(23)
    v63 = v3*v10
    v64 = v2*v62
    v65 = u(2)*v2
    v66 = u(2)*v3
    v67 = v3*v24 + v28*v46 + (v4*v66 + u(3)*v46)
    v68 = v65 + (v23*v46 + v24*v45)
    v69 = c(26)*(v3*v23 + v28*v45 - (v5*v66 - u(3)*v45))
    v70 = c(28)*v67 + c(25)*(2.0_dp*v64 + 2.0_dp*(c(24)*v63))
    v71 = c(25)*(-2.0_dp*(v5*(c(24)*v65)) + v4*(2.0_dp*(v3*v62) + 2.0_dp*(c(24)*(v3*v11))))
    v72 = c(41)*v68 - c(26)*v65 + v71
    v73 = v4*(c(25)*(2.0_dp*(v23*v45) + 2.0_dp*(v3*v28))) + v5*(c(25)*v68)
    v74 = v2*(2.0_dp*(c(34)*v66) + (-0.5_dp*(v5*v69) + v4*v70))
    v75 = v3*(-2.0_dp*(c(33)*v65) + (v72 - c(24)*v73)) + v74 - c(23)*(2.0_dp*(c(32)*v65) + v73)
    v76 = v48 - u(3)*v4 - v4*v28
    v77 = v10 + (v5*v24 - v4*v23)
    v78 = c(28)*v76
    v79 = c(26)*(v5*v28 - (v49 - u(3)*v5))
    v80 = c(41)*v77 - c(26)*v10 + c(25)*(-2.0_dp*(v5*(c(24)*v10)) + 2.0_dp*(v4*(u(2)*c(24))))
    v81 = 2.0_dp*(v4*(c(25)*(v5*v23))) + v5*(c(25)*v77)
    v82 = v2*(2.0_dp*(c(34)*v11) + (-0.5_dp*(v5*v79) + v4*v78))
    v83 = v4*(c(25)*v28)
    v84 = -2.0_dp*(v3*(c(24)*v83)) + v2*(2.0_dp*(v4*(c(28)*v24)) - v5*(c(26)*v23))
    r_q(1, 1) = c(17) - (v44 - (c(8)*(c(1)*v43) + c(7)*(c(1)*v42)))
    r_q(1, 2) = v57 - c(23)*(c(32)*v29 + v55)
    r_q(1, 3) = v3*(v60 - c(24)*v61) + v2*(-0.5_dp*(v5*v59 - v4*v36) + (v5*v38 - v4*v58)) - c(23)*v61
    r_q(2, 1) = -(c(32)*v47 + v5*(c(25)*v47))
    r_q(2, 2) = c(18) + (c(40)*v30 + c(32)*v14 + (c(24)*(c(25)*v50) - (-0.5_dp*(v4*v52) - v5*v53)))
    r_q(2, 3) = -(-0.5_dp*(v39 + v4*v59) + (v40 + v5*v58) + c(24)*(c(25)*v31))
    r_q(3, 1) = c(25)*(v5*v6 - v4*(v3*v7))
    r_q(3, 2) = v54
    r_q(3, 3) = c(19) + v60
    r_u(1, 1) = c(20) + v75
    r_u(1, 2) = v3*(-2.0_dp*(c(33)*v10) + (v80 - c(24)*v81)) + v82 - c(23)*(2.0_dp*(c(32)*v10) + v81)
    r_u(1, 3) = v84 - 2.0_dp*(c(23)*v83)
    r_u(2, 1) = 2.0_dp*(c(40)*v63) + 2.0_dp*(c(32)*v64) + (c(24)*(c(25)*v67) - (-0.5_dp*(v4*v69) - v5*v70))
    r_u(2, 2) = c(21) + (c(24)*(c(25)*v76) - (-0.5_dp*(v4*v79) - v5*v78))
    r_u(2, 3) = -v80
    r_u(3, 1) = v72
    r_u(3, 2) = v80
    r_u(3, 3) = c(22)
    r_w(1, 1) = -1.0_dp
    r_w(2, 2) = -1.0_dp
    r_w(3, 3) = -1.0_dp
  end subroutine

  ! Forces along the speeds that are missing for this udot (inverse dynamics). Operations: 56 add, 76 mul, 3 sincos.
  !   r: M udot - f
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
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31
    associate (unused1 => t, unused2 => lambda)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = c(1)*v0
    v7 = c(1)*v1 + c(23)*(u(1)*u(1))
    v8 = v6 + udot(1)*c(23)
    v9 = u(1)*v2
    v10 = u(1)*v3
    v11 = v2*v7
    v12 = u(2)*v9
    v13 = u(2)*v10
    v14 = udot(1)*v2 + v13
    v15 = udot(1)*v3 - v12
    v16 = udot(2) + v9*v10
    v17 = v12 - v15
    v18 = u(2)*v5 + v4*v9
    v19 = v5*v9 - u(2)*v4
    v20 = udot(3) + v15
    v21 = u(3) + v10
    v22 = v19*v21 + (udot(2)*v5 + v4*v14 + u(3)*v19)
    v23 = v18*v19 - v20
    v24 = c(26)*(v18*v21 - (v5*v14 - udot(2)*v4 - u(3)*v18))
    v25 = c(28)*v22 + c(25)*(v11 + c(24)*v16)
    v26 = c(25)*(v5*(v8 - c(24)*v17) + v4*(v3*v7 + c(24)*(v10*v10 + u(2)*u(2))))
    v27 = c(26)*v20 + c(41)*v23 + v26
    v28 = v4*(c(25)*(v18*v18 + v21*v21)) + v5*(c(25)*v23)
    v29 = c(24)*(c(25)*v22) - (-0.5_dp*(v4*v24) - v5*v25)
    v30 = v2*(c(34)*(v13 + v14) + (-0.5_dp*(v5*v24) + v4*v25))
    v31 = v3*(c(32)*v8 - c(33)*v17 + (v27 - c(24)*v28)) + v30 - c(23)*(c(32)*v17 + v28)
    r(1) = 2.0_dp*(udot(1)*c(31)) + udot(1)*c(38) + c(29)*v6 + v31 - (w(1) - u(1)*c(20) - c(17)*(q(1) + c(35)))
    r(2) = 2.0_dp*(udot(2)*c(34)) + c(40)*v16 + c(32)*v11 + v29 - (w(2) - u(2)*c(21) - c(18)*(q(2) + c(36)))
    r(3) = v27 - (w(3) - u(3)*c(22) - c(19)*(q(3) + c(37)))
  end subroutine

  ! Kinetic and potential energy. Operations: 35 add, 65 mul, 3 sincos.
  !   kinetic: kinetic energy
  !   potential: potential energy
  pure subroutine energy(t, q, u, c, kinetic, potential)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: kinetic
    real(dp), intent(out) :: potential
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24, v25, v26, v27, v28, v29, v30
    associate (unused1 => t)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = q(1) + c(35)
    v7 = q(2) + c(36)
    v8 = q(3) + c(37)
    v9 = u(1)*v2
    v10 = u(1)*v3
    v11 = u(2)*v5 + v4*v9
    v12 = v5*v9 - u(2)*v4
    v13 = u(3) + v10
    v14 = c(4)*v4
    v15 = v10*v14
    v16 = c(6) + c(4)*v5
    v17 = c(5) + c(3)*v3
    v18 = u(1)*c(2)
    v19 = u(1)*v17 + v18
    v20 = v10*v16 + v19
    v21 = v4*v15 + v5*v20 + u(3)*c(4)
    v22 = v5*v15 - v4*v20
    v23 = u(2)*c(3)
    v24 = v9*v14 + u(2)*v16 + v23
    v25 = v11*(c(14)*v11) + v12*(c(15)*v12) + v13*(c(16)*v13)
    v26 = c(8)*(v23*v23 + v19*v19) + (v10*(c(11)*v10) + v9*(c(12)*v9) + u(2)*(u(2)*c(13)))
    v27 = c(9)*(v21*v21 + v22*v22 + v24*v24) + v25 + (v26 + (c(7)*(v18*v18) + u(1)*(u(1)*c(10))))
    v28 = c(2)*v1
    v29 = v1*v17 + v28
    v30 = c(9)*(c(1)*(v0*v14 - v16*(v1*v3) - v29)) - (c(8)*(c(1)*v29) + c(7)*(c(1)*v28))
    kinetic = 0.5_dp*v27
    potential = v30 + (0.5_dp*(v8*(c(19)*v8)) + (0.5_dp*(v7*(c(18)*v7)) + 0.5_dp*(v6*(c(17)*v6))))
  end subroutine

  ! Linear momentum, and angular momentum about the origin, in ground axes. Operations: 65 add, 105 mul, 3 sincos.
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
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35
    real(dp) :: v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47
    real(dp) :: v48, v49, v50, v51, v52, v53, v54, v55, v56
    associate (unused1 => t)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = u(1)*v2
    v7 = u(1)*v3
    v8 = c(4)*v4
    v9 = v7*v8
    v10 = c(6) + c(4)*v5
    v11 = c(5) + c(3)*v3
    v12 = u(1)*c(2)
    v13 = u(1)*v11 + v12
    v14 = v7*v10 + v13
    v15 = u(2)*c(3)
    v16 = c(14)*(u(2)*v5 + v4*v6)
    v17 = c(15)*(v5*v6 - u(2)*v4)
    v18 = c(16)*(u(3) + v7)
    v19 = c(11)*v7
    v20 = c(12)*v6
    v21 = u(2)*c(13)
    v22 = v1*v3
    v23 = c(2)*v1
    v24 = v1*v11 + v23
    v25 = v0*v8 - v10*v22 - v24
    v26 = c(9)*(v4*v9 + v5*v14 + u(3)*c(4))
    v27 = v0*v3
    v28 = v1*v5 - v4*v27
    v29 = c(9)*(v5*v9 - v4*v14)
    v30 = v5*v27 + v1*v4
    v31 = c(9)*(v6*v8 + u(2)*v10 + v15)
    v32 = v0*v2
    v33 = v26*v28 - v29*v30 - v31*v32
    v34 = c(8)*v15
    v35 = c(8)*v13
    v36 = v1*v35 - v32*v34
    v37 = c(7)*v12
    v38 = v1*v37
    v39 = v4*v22 + v0*v5
    v40 = v5*v22 - v0*v4
    v41 = v1*v2
    v42 = v26*v39 + v29*v40 + v31*v41
    v43 = v34*v41 + v0*v35
    v44 = v0*v37
    v45 = v2*v4
    v46 = v2*v5
    v47 = v26*v45 + v29*v46 - v3*v31
    v48 = v3*v34
    v49 = c(3)*v2
    v50 = v2*v10 + v49
    v51 = v25*v47 + v42*v50 + (v16*v28 - v17*v30 + v18*v32)
    v52 = c(2)*v0
    v53 = v0*v11 + v52
    v54 = v10*v27 + v1*v8 + v53
    v55 = v16*v39 + v17*v40 - v18*v41 - (v33*v50 + v47*v54)
    v56 = v43*v53 + v24*v36 + (v3*v19 + v2*v20) + (u(1)*c(10) + (v44*v52 + v23*v38))
    linear(1) = v33 + (v36 + v38)
    linear(2) = v42 + (v43 + v44)
    linear(3) = v47 - v48
    angular(1) = v51 + (v24*v48 + v43*v49 + (v19*v32 - v20*v27 + v1*v21))
    angular(2) = v55 + (v48*v53 - v36*v49 + (v20*v22 - v19*v41 + v0*v21))
    angular(3) = v42*v54 - v25*v33 + (v16*v45 + v17*v46 + v3*v18) + v56
  end subroutine

  ! Outputs of the model. Operations: 115 add, 177 mul, 3 sincos.
  !   y: outputs
  pure subroutine outputs(t, q, u, w, udot, lambda, c, y)
    real(dp), intent(in) :: t
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: w(nw)
    real(dp), intent(in) :: udot(nu)
    real(dp), intent(in) :: lambda(nm)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(out) :: y(9)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35
    real(dp) :: v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47
    real(dp) :: v48, v49, v50, v51, v52, v53, v54, v55, v56, v57, v58, v59
    real(dp) :: v60, v61, v62, v63, v64, v65, v66, v67, v68, v69, v70, v71
    associate (unused1 => t, unused2 => w, unused3 => lambda)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = c(1)*v0
    v7 = u(1)*u(1)
    v8 = c(1)*v1 + c(23)*v7
    v9 = v6 + udot(1)*c(23)
    v10 = u(1)*v2
    v11 = u(1)*v3
    v12 = v2*v8
    v13 = u(2)*v10
    v14 = u(2)*v11
    v15 = udot(1)*v2 + v14
    v16 = udot(1)*v3 - v13
    v17 = v11*v11 + u(2)*u(2)
    v18 = udot(2) + v10*v11
    v19 = v13 - v16
    v20 = u(2)*v5 + v4*v10
    v21 = v5*v10 - u(2)*v4
    v22 = udot(3) + v16
    v23 = u(3) + v11
    v24 = v21*v23 + (udot(2)*v5 + v4*v15 + u(3)*v21)
    v25 = v20*v21 - v22
    v26 = c(25)*v25
    v27 = c(25)*(v20*v20 + v23*v23)
    v28 = c(25)*v24
    v29 = c(26)*(v20*v23 - (v5*v15 - udot(2)*v4 - u(3)*v20))
    v30 = c(28)*v24 + c(25)*(v12 + c(24)*v18)
    v31 = v4*v27 + v5*v26
    v32 = c(34)*(v14 + v15) + (-0.5_dp*(v5*v29) + v4*v30)
    v33 = c(26)*v22 + c(41)*v25 + c(25)*(v5*(v9 - c(24)*v19) + v4*(v3*v8 + c(24)*v17)) - c(24)*v31
    v34 = c(32)*v9 - c(33)*v19 + v33
    v35 = c(32)*v17 + (v5*v27 - v4*v26)
    v36 = c(32)*v18 + v28
    v37 = c(32)*v19 + v31
    v38 = v3*v32 - v2*v34
    v39 = v2*v35 - v3*v36
    v40 = 2.0_dp*(udot(2)*c(34)) + c(40)*v18 + c(32)*v12 + (c(24)*v28 - (-0.5_dp*(v4*v29) - v5*v30))
    v41 = c(23)*v39 - v40
    v42 = c(4)*v4
    v43 = v11*v42
    v44 = c(6) + c(4)*v5
    v45 = c(5) + c(3)*v3
    v46 = u(1)*c(2)
    v47 = u(1)*v45 + v46
    v48 = v11*v44 + v47
    v49 = u(3)*c(4)
    v50 = v4*v43 + v5*v48 + v49
    v51 = v5*v43 - v4*v48
    v52 = u(2)*c(3)
    v53 = v1*v3
    v54 = c(9)*v50
    v55 = c(9)*v51
    v56 = c(9)*(v10*v42 + u(2)*v44 + v52)
    v57 = c(8)*v52
    v58 = c(8)*v47
    v59 = v1*v2
    v60 = v16*v42
    v61 = udot(1)*c(2)
    v62 = udot(1)*v45 + v61 - v10*v52
    v63 = v16*v44 + v62
    v64 = c(9)*(v4*v60 + v5*v63 + (udot(3)*c(4) + u(3)*v51)) - (v21*v56 + v23*v55)
    v65 = v64 + c(44)*(v4*v53 + v0*v5)
    v66 = c(9)*(v23*v49 - u(3)*v50 - (v4*v63 - v5*v60)) + (v23*v54 + v20*v56)
    v67 = v66 + c(44)*(v5*v53 - v0*v4)
    v68 = udot(2)*c(3)
    v69 = v20*v55 - v21*v54 - c(9)*(v15*v42 + udot(2)*v44 + v68 + v21*v49) - c(44)*v59
    v70 = v3*(v4*v65 + v5*v67 + (u(2)*v57 + v11*v58 + c(45)*v53))
    v71 = v1*(v2*(c(8)*v68 + v10*v58 + c(45)*v59 - v69) + v70 + (u(1)*(c(7)*v46) + c(46)*v1))
    y(1) = v44*(v0*v3) + v1*v42 + (v0*v45 + c(2)*v0)
    y(2) = v0*v42 - v44*v53 - (v1*v45 + c(2)*v1)
    y(3) = -(v2*v44 + c(3)*v2)
    y(4) = -(v1*(v37 - udot(1)*c(29)) + v0*(c(29)*v7 + (v2*v36 + v3*v35)))
    y(5) = v0*(v5*v65 - v4*v67 + (c(8)*v62 - v10*v57 + c(45)*v0) + (c(7)*v61 + c(46)*v0)) + v71
    y(6) = v39
    y(7) = -(v1*v41 + v0*v38)
    y(8) = v1*v38 - v0*v41
    y(9) = 2.0_dp*(udot(1)*c(31)) + udot(1)*c(38) + c(29)*v6 + (v3*v34 + v2*v32 - c(23)*v37)
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

  ! The rate of the state x = [q; u].
  pure recursive subroutine rhs(t, x, w, c, xdot, status)
    real(dp), intent(in) :: t, x(nx), w(nw), c(nc)
    real(dp), intent(out) :: xdot(nx)
    integer, intent(out) :: status
    call rates(t, x(:nq), x(nq+1:), c, xdot(:nq))
    call accelerations(t, x(:nq), x(nq+1:), w, c, xdot(nq+1:))
    status = merge(status_ok, status_not_finite, all(ieee_is_finite(xdot)))
  end subroutine

  ! Its derivatives: A by x, B by w.
  pure recursive subroutine rhs_jacobian(t, x, w, c, A, B, status)
    real(dp), intent(in) :: t, x(nx), w(nw), c(nc)
    real(dp), intent(out) :: A(nx, nx), B(nx, nw)
    integer, intent(out) :: status
    real(dp) :: M(nu, nu), f(nu), udot(nu), lambda(nm), right(nu, nx + nw), qdot_q(nq, nq), qdot_u(nq, nu)
    logical :: is_solved
    real(dp) :: bounds(nu)
    integer :: i
    A = 0
    B = 0
    lambda = 0
    call accelerations(t, x(:nq), x(nq+1:), w, c, udot)
    call dynamics(t, x(:nq), x(nq+1:), w, c, M, f)
    call rate_jacobians(t, x(:nq), x(nq+1:), c, qdot_q, qdot_u)
    A(:nq, :nq) = qdot_q
    A(:nq, nq+1:) = qdot_u
    call jacobians(t, x(:nq), x(nq+1:), w, udot, lambda, c, right(:, :nq), right(:, nq+1:nx), right(:, nx+1:))
    right = -right
    do i = 1, nu
      bounds(i) = abs(M(i, i))
    end do
    call solve_definite(nu, M, bounds, right, is_solved)
    A(nq+1:, :) = right(:, :nx)
    B(nq+1:, :) = right(:, nx+1:)
    status = merge(status_ok, status_no_inertia, is_solved)
    if (.not. all(ieee_is_finite(A))) status = status_not_finite
  end subroutine

  ! Unit quaternions among the coordinates made unit again.
  pure subroutine normalise(q)
    real(dp), intent(inout) :: q(:)
    associate (unused => q)
    end associate
  end subroutine

end module
