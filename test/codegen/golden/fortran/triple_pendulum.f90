! Triple pendulum: equations of motion
! Derived by the formulation 'recursive', written by linkwright 0.1.0.
!
!     qdot = N(q, t) u + nu(q, t)
!     M(q, t) udot = f(q, u, w, t)
!
! SI units, angles in radians. The state x is q, then u.
!
! Coordinates q, with their initial values
!     1  q1  0.0
!     2  q2  0.0
!     3  q3  0.0
!
! Speeds u, with their initial values
!     1  q1'  0.0
!     2  q2'  0.0
!     3  q3'  0.0
!
! Inputs w, with their default values
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
!     setup           p -> c                                32 add, 33 mul, 1 div
!     rates           t q u c -> qdot                       none
!     dynamics        t q u w c -> M f                      62 add, 76 mul, 3 sincos
!     accelerations   t q u w c -> udot                     68 add, 86 mul, 2 div, 3 sincos
!     rate_jacobians  t q u c -> qdot_q qdot_u              none
!     jacobians       t q u w udot lambda c -> r_q r_u r_w  137 add, 216 mul, 3 sincos
!     inverse         t q u w udot lambda c -> r            54 add, 67 mul, 3 sincos
!     energy          t q u c -> T V                        35 add, 60 mul, 3 sincos
!     momentum        t q u c -> linear angular             63 add, 102 mul, 3 sincos
!     outputs         t q u w udot lambda c -> y            110 add, 164 mul, 3 sincos
!
! In the code T and V are called kinetic and potential: Fortran does not tell T from t.
!
!     use triple_pendulum
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
! Two such modules in one program: use triple_pendulum, only: triple_pendulum_rhs => rhs, and so on.

module triple_pendulum
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  implicit none
  private
  public :: setup, rates, dynamics, accelerations, rate_jacobians, jacobians, inverse, energy, momentum, outputs, rhs, &
      rhs_jacobian, normalise

  integer, parameter, public :: nq = 3  ! coordinates
  integer, parameter, public :: nu = 3  ! speeds
  integer, parameter, public :: nw = 3  ! inputs
  integer, parameter, public :: np = 27  ! parameters
  integer, parameter, public :: nc = 62  ! constants, from setup
  integer, parameter, public :: nm = 0  ! constraints
  integer, parameter, public :: ny = 9  ! outputs
  integer, parameter, public :: nx = 6  ! states x = [q; u]

  ! What rhs and rhs_jacobian may return.
  integer, parameter, public :: status_ok = 0
  integer, parameter, public :: status_no_inertia = 1     ! a motion that the constraints allow has no inertia
  integer, parameter, public :: status_contradiction = 2  ! constraints contradict each other here
  integer, parameter, public :: status_not_finite = 3     ! something is infinite or not a number

  ! Initial coordinates and speeds.
  real(dp), protected, public :: start(nx)
  data start(1) /0.0_dp/  ! q1
  data start(2) /0.0_dp/  ! q2
  data start(3) /0.0_dp/  ! q3
  data start(4) /0.0_dp/  ! q1'
  data start(5) /0.0_dp/  ! q2'
  data start(6) /0.0_dp/  ! q3'
  ! Default values of the inputs.
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

  ! What depends on parameters only, computed once. Operations: 32 add, 33 mul, 1 div.
  !   c: constants for the other functions
  pure subroutine setup(p, c)
    real(dp), intent(in) :: p(np)
    real(dp), intent(out) :: c(62)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24
    v0 = p(2) + p(5)
    v1 = p(3) + p(6)
    v2 = p(2)*p(7)
    v3 = p(10) - p(11)
    v4 = p(2)*v2 + 0.5_dp*(p(12) + v3)
    v5 = 0.5_dp*(p(12) - v3)
    v6 = p(3)*p(8)
    v7 = p(13) - p(14)
    v8 = 0.5_dp*(p(13) + p(14) - p(15))
    v9 = p(4)*p(9)
    v10 = p(17) - p(16)
    v11 = p(18) + v10
    v12 = 0.5_dp*v11
    v13 = 0.5_dp*(p(18) - v10) + p(4)*v9
    v14 = v0*(p(8) + p(9))
    v15 = p(9)*v1
    v16 = v6 + v15
    v17 = p(3)*v6 + 0.5_dp*(p(15) + v7) + v1*v15
    v18 = 0.5_dp*(p(15) - v7) + 0.5_dp*(p(16) + p(17) - p(18))
    v19 = v17 - v18
    v20 = v12 + v13
    v21 = p(1)*p(9)
    v22 = p(1)*p(8)
    v23 = p(1)*p(7)
    v24 = v1*v9
    c(1) = p(1)  ! g
    c(2) = p(19)  ! KR21
    c(3) = p(20)  ! KR32
    c(4) = p(21)  ! KR43
    c(5) = p(22)  ! CR21
    c(6) = p(23)  ! CR32
    c(7) = p(24)  ! CR43
    c(8) = p(25)  ! PHI02
    c(9) = p(26)  ! PHI03
    c(10) = p(27)  ! PHI04
    c(11) = v0  ! c0 = DL22 + SL32
    c(12) = v1  ! c1 = DL33 + SL43
    c(13) = v9  ! c2 = DL44*MA4
    c(14) = v11  ! c3 = J4Y + J4Z - J4X
    c(15) = v12  ! c4 = (J4Y + J4Z - J4X)/2
    c(16) = v13  ! c5 = (J4X + J4Z - J4Y)/2 + MA4*DL44^2
    c(17) = v14  ! c6 = (DL22 + SL32)*(MA3 + MA4)
    c(18) = v2 + v14  ! c7 = DL22*MA2 + (DL22 + SL32)*(MA3 + MA4)
    c(19) = v16  ! c8 = DL33*MA3 + MA4*(DL33 + SL43)
    c(20) = v17  ! c9 = DL33*MA3*DL33 + (J3X + J3Z - J3Y)/2 + MA4*(DL33 + SL43)*(DL33 + SL43)
    c(21) = v18  ! c10 = (J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2
    c(22) = v19  ! c11
    c(23) = v12 - v13  ! c12 = (J4Y + J4Z - J4X)/2 - ((J4X + J4Z - J4Y)/2 + MA4*DL44^2)
    c(24) = v20  ! c13 = (J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2
    c(25) = v24  ! c14 = DL44*MA4*(DL33 + SL43)
    c(26) = v4  ! c15 = DL22*MA2*DL22 + (J2X + J2Z - J2Y)/2
    c(27) = v5  ! c16 = (J2Y + J2Z - J2X)/2
    c(28) = v8  ! c17 = (J3X + J3Y - J3Z)/2
    c(29) = 2.0_dp*v18  ! c18 = 2*((J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2)
    c(30) = 1.0_dp/v20  ! c19 = 1/((J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2)
    c(31) = p(2)  ! DL22
    c(32) = p(3)  ! DL33
    c(33) = p(4)  ! DL44
    c(34) = p(5)  ! SL32
    c(35) = p(6)  ! SL43
    c(36) = p(7)  ! MA2
    c(37) = p(8)  ! MA3
    c(38) = p(9)  ! MA4
    c(39) = 2.0_dp*v1  ! c20 = 2*(DL33 + SL43)
    c(40) = -v19  ! c21
    c(41) = 2.0_dp*v9  ! c22 = 2*DL44*MA4
    c(42) = 2.0_dp*v16  ! c23 = 2*(DL33*MA3 + MA4*(DL33 + SL43))
    c(43) = 2.0_dp*v17  ! c24 = 2*(DL33*MA3*DL33 + (J3X + J3Z - J3Y)/2 + MA4*(DL33 + SL43)*(DL33 + SL43))
    c(44) = 2.0_dp*v19  ! c25
    c(45) = 2.0_dp*v24  ! c26 = 2*DL44*MA4*(DL33 + SL43)
    c(46) = 2.0_dp*v13  ! c27 = 2*((J4X + J4Z - J4Y)/2 + MA4*DL44^2)
    c(47) = v4 + v0*v14 + (v5 + v8)  ! c28
    c(48) = p(12)  ! J2Z
    c(49) = p(13)  ! J3X
    c(50) = p(14)  ! J3Y
    c(51) = p(15)  ! J3Z
    c(52) = p(16)  ! J4X
    c(53) = p(17)  ! J4Y
    c(54) = p(18)  ! J4Z
    c(55) = 0.5_dp*p(21)  ! c29 = KR43/2
    c(56) = 0.5_dp*p(20)  ! c30 = KR32/2
    c(57) = 0.5_dp*p(19)  ! c31 = KR21/2
    c(58) = v21  ! c32 = g*MA4
    c(59) = v22  ! c33 = g*MA3
    c(60) = v21 + v22  ! c34 = g*MA4 + g*MA3
    c(61) = v23  ! c35 = g*MA2
    c(62) = v22 + v23  ! c36 = g*MA3 + g*MA2
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

  ! Mass matrix and forcing: M udot = f. Operations: 62 add, 76 mul, 3 sincos.
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
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31
    associate (unused1 => t)
    end associate
    M = 0
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = c(1)*v0
    v7 = c(1)*v1 + c(11)*(u(1)*u(1))
    v8 = u(1)*v2
    v9 = u(1)*v3
    v10 = v8*v9
    v11 = v2*v7
    v12 = u(2)*v8
    v13 = u(2)*v9
    v14 = v4*v8 + u(2)*v5
    v15 = v5*v8 - u(2)*v4
    v16 = u(3) + v9
    v17 = v5*c(13)
    v18 = c(12)*v17
    v19 = v4*c(23)
    v20 = v4*v19
    v21 = c(20) + (c(16) + v20 + 2.0_dp*v18)
    v22 = v3*(v3*(v21 - c(21))) + (c(21) + (c(26) + c(11)*(c(17) + 2.0_dp*(v3*(c(19) + v17))))) + c(27)
    v23 = 2.0_dp*v12
    v24 = u(3) + v16
    v25 = v4*v13 + v15*v24
    v26 = v12 + v14*v15
    v27 = c(15)*(v14*v24 - v5*v13)
    v28 = c(16)*v25 + c(13)*(v11 + c(12)*v10)
    v29 = c(23)*v26 - c(14)*v12 + c(13)*(v4*(v3*v7 + c(12)*(v9*v9 + u(2)*u(2))) + v5*(v6 - c(12)*v23))
    v30 = c(13)*(v4*(v14*v14 + v16*v16) + v5*v26)
    v31 = v2*(v13*c(29) + v4*v28 - v5*v27) + v3*(v29 + (c(19)*v6 - c(20)*v23) - c(12)*v30)
    M(1, 1) = c(15) + (v22 + c(28)) - v20
    M(2, 1) = -v2*(v5*v19 - v4*c(25))
    M(1, 2) = M(2, 1)
    M(2, 2) = c(21) + v21
    M(3, 1) = v3*(c(24) + v18) + c(11)*v17
    M(1, 3) = M(3, 1)
    M(3, 3) = c(24)
    f(1) = w(1) - u(1)*c(5) - c(2)*(q(1) - c(8)) - (c(18)*v6 + (v31 + c(11)*(-c(19)*v23 - v30)))
    f(2) = w(2) - u(2)*c(6) - c(3)*(q(2) - c(9)) - c(19)*v11 - v10*c(22) - c(25)*v25 - v4*v27 - v5*v28
    f(3) = w(3) - u(3)*c(7) - c(4)*(q(3) - c(10)) - v29
  end subroutine

  ! Accelerations, written out. Operations: 68 add, 86 mul, 2 div, 3 sincos.
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
    v7 = c(1)*v1 + c(11)*(u(1)*u(1))
    v8 = u(1)*v2
    v9 = u(1)*v3
    v10 = v8*v9
    v11 = v2*v7
    v12 = u(2)*v8
    v13 = u(2)*v9
    v14 = v4*v8 + u(2)*v5
    v15 = v5*v8 - u(2)*v4
    v16 = u(3) + v9
    v17 = v5*c(13)
    v18 = c(12)*v17
    v19 = v3*(c(24) + v18) + c(11)*v17
    v20 = v4*c(23)
    v21 = v4*v20
    v22 = c(20) + (c(16) + v21 + 2.0_dp*v18)
    v23 = v2*(v5*v20 - v4*c(25))
    v24 = 2.0_dp*v12
    v25 = u(3) + v16
    v26 = v4*v13 + v15*v25
    v27 = v12 + v14*v15
    v28 = c(15)*(v14*v25 - v5*v13)
    v29 = c(16)*v26 + c(13)*(v11 + c(12)*v10)
    v30 = c(23)*v27 - c(14)*v12 + c(13)*(v4*(v3*v7 + c(12)*(v9*v9 + u(2)*u(2))) + v5*(v6 - c(12)*v24))
    v31 = v30 - (w(3) - u(3)*c(7) - c(4)*(q(3) - c(10)))
    v32 = c(13)*(v4*(v14*v14 + v16*v16) + v5*v27)
    v33 = u(2)*c(6) + (v5*v29 + (v4*v28 + (c(25)*v26 + (c(19)*v11 + v10*c(22)))) - w(2))
    v34 = c(3)*(q(2) - c(9)) + v33
    v35 = v2*(v13*c(29) + v4*v29 - v5*v28) + v3*(v30 + (c(19)*v6 - c(20)*v24) - c(12)*v32)
    v36 = v19*c(30)
    v37 = c(18)*v6 + (v35 + c(11)*(-c(19)*v24 - v32)) - (w(1) - u(1)*c(5) - c(2)*(q(1) - c(8)))
    v38 = 1.0_dp/(c(21) + v22)
    v39 = v23*v38
    v40 = v3*(v3*(v22 - c(21))) + (c(21) + (c(26) + c(11)*(c(17) + 2.0_dp*(v3*(c(19) + v17))))) + c(27)
    v41 = (v31*v36 - v37 - v34*v39)/(c(15) + (v40 + c(28)) - v21 - v19*v36 - v23*v39)
    udot(1) = v41
    udot(2) = v39*v41 - v34*v38
    udot(3) = -(v31*c(30) + v36*v41)
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

  ! Derivatives of r = M udot - f at fixed udot. Operations: 137 add, 216 mul, 3 sincos.
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
    v8 = u(1)*c(11)
    v9 = v6 + u(1)*v8
    v10 = v7 + udot(1)*c(11)
    v11 = u(1)*v2
    v12 = u(1)*v3
    v13 = v11*v12
    v14 = v12*v12
    v15 = v3*v9
    v16 = v2*v9
    v17 = u(2)*v11
    v18 = u(2)*v12
    v19 = udot(1)*v2 + v18
    v20 = udot(1)*v3 - v17
    v21 = v17 - v20
    v22 = v15 + c(12)*(v14 + u(2)*u(2))
    v23 = v10 - c(12)*v21
    v24 = v4*v11 + u(2)*v5
    v25 = v5*v11 - u(2)*v4
    v26 = v24*v24
    v27 = v24*v25
    v28 = udot(3) + v20
    v29 = u(3) + v12
    v30 = v18 + v19
    v31 = v14 - v11*v11
    v32 = u(3) + v29
    v33 = udot(2)*v4 + (v24*v32 - v5*v19)
    v34 = udot(2)*v5 + (v4*v19 + v25*v32)
    v35 = v27 - v28
    v36 = c(13)*v35
    v37 = c(13)*(v26 + v29*v29)
    v38 = c(14)*v33
    v39 = v25*v25 - v26
    v40 = c(16)*v34 + c(13)*(v16 + c(12)*(udot(2) + v13))
    v41 = v4*v40
    v42 = v5*v38
    v43 = c(31)*v1
    v44 = v1*(c(34) + c(32)*v3) + v43
    v45 = v2*v5
    v46 = v2*v4
    v47 = v5*c(13)
    v48 = v4*v12
    v49 = v5*v12
    v50 = 2.0_dp*v24
    v51 = 2.0_dp*v11
    v52 = v4*v20 + (v32*v49 - v11*v25)
    v53 = v19 + (v25*v48 + v24*v49)
    v54 = c(14)*(v32*v48 - v11*v24 - v5*v20)
    v55 = c(16)*v52 + c(13)*(v15 + c(12)*v31)
    v56 = c(23)*v53 - c(14)*v19 + c(13)*(v4*(-v13*c(39) - v16) - v5*(c(12)*v30))
    v57 = 0.5_dp*v5
    v58 = 0.5_dp*v4
    v59 = c(13)*(v5*v53 + v4*(v48*v50 - v29*v51))
    v60 = v4*v55 - v54*v57 - v21*c(40) - c(19)*v10 - v35*c(23) - c(14)*v28
    v61 = v2*(c(12)*(v5*v36 + v4*v37) + (v60 - c(13)*(v4*v22 + v5*v23)))
    v62 = c(16)*v33
    v63 = c(14)*v34
    v64 = c(23)*v39 + c(13)*(v5*v22 - v4*v23)
    v65 = v5*(v37 + c(13)*v39) + v4*(v27*c(41) - v36)
    v66 = v2*v12
    v67 = v2*v8
    v68 = u(2)*v2
    v69 = u(2)*v3
    v70 = 2.0_dp*v3
    v71 = v4*v69 + (v3*v25 + v32*v45)
    v72 = v68 + (v25*v46 + v24*v45)
    v73 = c(14)*(v3*v24 + v32*v46 - v5*v69)
    v74 = c(16)*v71 + c(13)*(c(39)*v66 + 2.0_dp*v67)
    v75 = c(23)*v72 - c(14)*v68 + c(13)*(v4*(v70*(v8 + c(12)*v12)) - v68*(v5*c(39)))
    v76 = c(13)*(v5*v72 + v4*(v46*v50 + v29*v70))
    v77 = v2*(v69*c(29) + v4*v74 - v57*v73) + v3*(v75 - v68*c(43) - c(12)*v76)
    v78 = v48 - v4*v32
    v79 = v11 + (v5*v25 - v4*v24)
    v80 = c(16)*v78
    v81 = c(14)*(v5*v32 - v49)
    v82 = c(23)*v79 - c(14)*v11 - v25*c(45)
    v83 = v47*(v79 + v4*v50)
    v84 = v2*(v12*c(29) + v4*v80 - v57*v81) + v3*(v82 - c(20)*v51 - c(12)*v83)
    r_q(1, 1) = c(2) - c(1)*(c(38)*(v0*(c(33)*v4) - (c(35) + c(33)*v5)*(v1*v3) - v44) - c(37)*v44 - c(36)*v43)
    r_q(1, 2) = v3*(v56 + (v41 + v30*c(40) - 0.5_dp*v42) - c(12)*v59) + v61 - c(11)*(c(19)*v30 + v59)
    r_q(1, 3) = v2*(v5*v40 - v4*v62 - 0.5_dp*(v5*v63 - v4*v38)) + v3*(v64 - c(12)*v65) - c(11)*v65
    r_q(2, 1) = -v2*v7*(c(19) + v47)
    r_q(2, 2) = v5*v55 + (v54*v58 + (v52*c(25) + (c(19)*v15 + (c(3) + c(22)*v31))))
    r_q(2, 3) = -(v41 + v5*v62 - 0.5_dp*(v42 + v4*v63) + v33*c(25))
    r_q(3, 1) = c(13)*(v5*v6 - v4*(v3*v7))
    r_q(3, 2) = v56
    r_q(3, 3) = c(4) + v64
    r_u(1, 1) = c(5) + (v77 - c(11)*(v68*c(42) + v76))
    r_u(1, 2) = v84 - c(11)*(v11*c(42) + v83)
    r_u(1, 3) = v2*(v25*(v4*c(46)) - v5*(c(14)*v24)) - (c(11) + v3*c(12))*(v4*(v29*c(41)))
    r_u(2, 1) = v66*c(44) + (v67*c(42) + (c(25)*v71 + (v5*v74 + v58*v73)))
    r_u(2, 2) = v5*v80 + (v58*v81 + (c(6) + c(25)*v78))
    r_u(2, 3) = -v82
    r_u(3, 1) = v75
    r_u(3, 2) = v82
    r_u(3, 3) = c(7)
    r_w(1, 1) = -1.0_dp
    r_w(2, 2) = -1.0_dp
    r_w(3, 3) = -1.0_dp
  end subroutine

  ! Generalized forces required in addition for this udot (inverse dynamics). Operations: 54 add, 67 mul, 3 sincos.
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
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32
    associate (unused1 => t, unused2 => lambda)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = c(1)*v0
    v7 = c(1)*v1 + c(11)*(u(1)*u(1))
    v8 = v6 + udot(1)*c(11)
    v9 = u(1)*v2
    v10 = u(1)*v3
    v11 = v2*v7
    v12 = u(2)*v9
    v13 = u(2)*v10
    v14 = udot(1)*v2 + v13
    v15 = udot(1)*v3 - v12
    v16 = udot(2) + v9*v10
    v17 = v12 - v15
    v18 = v4*v9 + u(2)*v5
    v19 = v5*v9 - u(2)*v4
    v20 = udot(3) + v15
    v21 = u(3) + v10
    v22 = u(3) + v21
    v23 = udot(2)*v5 + (v4*v14 + v19*v22)
    v24 = v18*v19 - v20
    v25 = c(15)*(udot(2)*v4 + (v18*v22 - v5*v14))
    v26 = c(16)*v23 + c(13)*(v11 + c(12)*v16)
    v27 = c(13)*(v4*(v3*v7 + c(12)*(v10*v10 + u(2)*u(2))) + v5*(v8 - c(12)*v17))
    v28 = v24*c(23) + c(14)*v20 + v27
    v29 = c(13)*(v5*v24 + v4*(v18*v18 + v21*v21))
    v30 = v16*c(22) + (c(19)*v11 + (v23*c(25) + (v4*v25 + (v5*v26 + (c(3)*(q(2) - c(9)) + u(2)*c(6))))))
    v31 = v2*(c(21)*(v13 + v14) + v4*v26 - v5*v25) + (c(18)*v6 + udot(1)*c(47))
    v32 = v3*(c(19)*v8 - c(20)*v17 + (v28 - c(12)*v29)) + v31 - c(11)*(c(19)*v17 + v29) - w(1)
    r(1) = c(2)*(q(1) - c(8)) + (u(1)*c(5) + v32)
    r(2) = udot(2)*c(29) + v30 - w(2)
    r(3) = v28 - (w(3) - u(3)*c(7) - c(4)*(q(3) - c(10)))
  end subroutine

  ! Kinetic and potential energy. Operations: 35 add, 60 mul, 3 sincos.
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
    v6 = q(1) - c(8)
    v7 = q(2) - c(9)
    v8 = q(3) - c(10)
    v9 = u(1)*v2
    v10 = u(1)*v3
    v11 = v4*v9 + u(2)*v5
    v12 = v5*v9 - u(2)*v4
    v13 = u(3) + v10
    v14 = c(35) + c(33)*v5
    v15 = c(33)*v4
    v16 = u(2)*c(32)
    v17 = u(2)*v14 + v9*v15 + v16
    v18 = c(34) + c(32)*v3
    v19 = u(1)*c(31)
    v20 = u(1)*v18 + v19
    v21 = v10*v14 + v20
    v22 = v10*v15
    v23 = v5*v22 - v4*v21
    v24 = v5*v21 + v4*v22 + u(3)*c(33)
    v25 = v13*(c(54)*v13) + (v12*(c(53)*v12) + v11*(c(52)*v11))
    v26 = u(2)*(u(2)*c(51)) + (v9*(c(50)*v9) + v10*(c(49)*v10)) + c(37)*(v20*v20 + v16*v16)
    v27 = v25 + c(38)*(v17*v17 + (v23*v23 + v24*v24)) + (v26 + (u(1)*(u(1)*c(48)) + c(36)*(v19*v19)))
    v28 = c(31)*v1
    v29 = v1*v18 + v28
    v30 = v8*(v8*c(55)) + c(1)*(c(38)*(v0*v15 - v14*(v1*v3) - v29) - c(37)*v29 - c(36)*v28)
    kinetic = 0.5_dp*v27
    potential = v6*(v6*c(57)) + (v7*(v7*c(56)) + v30)
  end subroutine

  ! Linear momentum, and angular momentum about the origin, in ground axes. Operations: 63 add, 102 mul, 3 sincos.
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
    real(dp) :: v48, v49, v50, v51, v52, v53, v54, v55
    associate (unused1 => t)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = u(1)*v2
    v7 = u(1)*v3
    v8 = c(53)*(v5*v6 - u(2)*v4)
    v9 = c(52)*(v4*v6 + u(2)*v5)
    v10 = c(35) + c(33)*v5
    v11 = c(33)*v4
    v12 = u(2)*c(32)
    v13 = c(34) + c(32)*v3
    v14 = u(1)*c(31)
    v15 = u(1)*v13 + v14
    v16 = v7*v10 + v15
    v17 = v7*v11
    v18 = u(2)*c(51)
    v19 = c(50)*v6
    v20 = v1*v3
    v21 = c(31)*v1
    v22 = v1*v13 + v21
    v23 = v0*v11 - v10*v20 - v22
    v24 = c(38)*(u(2)*v10 + v6*v11 + v12)
    v25 = v0*v2
    v26 = c(38)*(v5*v17 - v4*v16)
    v27 = v0*v3
    v28 = v1*v4 + v5*v27
    v29 = c(38)*(v5*v16 + v4*v17 + u(3)*c(33))
    v30 = v1*v5 - v4*v27
    v31 = v29*v30 - v26*v28 - v24*v25
    v32 = c(37)*v15
    v33 = c(37)*v12
    v34 = v1*v32 - v25*v33
    v35 = c(36)*v14
    v36 = v1*v35
    v37 = v1*v2
    v38 = v5*v20 - v0*v4
    v39 = v0*v5 + v4*v20
    v40 = v24*v37 + (v26*v38 + v29*v39)
    v41 = v0*v32 + v33*v37
    v42 = v0*v35
    v43 = v2*v5
    v44 = v2*v4
    v45 = v26*v43 + v29*v44 - v3*v24
    v46 = v3*v33
    v47 = c(32)*v2
    v48 = v2*v10 + v47
    v49 = c(54)*(u(3) + v7) + c(49)*v7
    v50 = v1*v18 + (v23*v45 + (v40*v48 + (v9*v30 + v25*v49 - v8*v28))) - v19*v27
    v51 = c(31)*v0
    v52 = v0*v13 + v51
    v53 = v1*v11 + v10*v27 + v52
    v54 = v46*v52 + (v19*v20 + (v0*v18 + (v8*v38 + v9*v39 - v37*v49 - v45*v53 - v31*v48)))
    v55 = v22*v34 + (v2*v19 + (v40*v53 + (v9*v44 + (v8*v43 + v3*v49)) - v23*v31))
    linear(1) = v31 + (v34 + v36)
    linear(2) = v40 + (v41 + v42)
    linear(3) = v45 - v46
    angular(1) = v22*v46 + (v41*v47 + v50)
    angular(2) = v54 - v34*v47
    angular(3) = v42*v51 + (v21*v36 + (u(1)*c(48) + (v41*v52 + v55)))
  end subroutine

  ! Outputs of the model. Operations: 110 add, 164 mul, 3 sincos.
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
    real(dp) :: v72
    associate (unused1 => t, unused2 => w, unused3 => lambda)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = sin(q(3)); v5 = cos(q(3))
    v6 = c(1)*v0
    v7 = u(1)*u(1)
    v8 = c(1)*v1 + c(11)*v7
    v9 = v6 + udot(1)*c(11)
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
    v20 = v4*v10 + u(2)*v5
    v21 = v5*v10 - u(2)*v4
    v22 = udot(3) + v16
    v23 = u(3) + v11
    v24 = u(3) + v23
    v25 = udot(2)*v5 + (v4*v15 + v21*v24)
    v26 = v20*v21 - v22
    v27 = c(13)*v26
    v28 = c(13)*(v20*v20 + v23*v23)
    v29 = c(13)*v25
    v30 = c(15)*(udot(2)*v4 + (v20*v24 - v5*v15))
    v31 = c(16)*v25 + c(13)*(v12 + c(12)*v18)
    v32 = v5*v27 + v4*v28
    v33 = c(21)*(v14 + v15) + v4*v31 - v5*v30
    v34 = v26*c(23) + c(14)*v22 + c(13)*(v4*(v3*v8 + c(12)*v17) + v5*(v9 - c(12)*v19)) - c(12)*v32
    v35 = c(19)*v9 - c(20)*v19 + v34
    v36 = c(19)*v17 + (v5*v28 - v4*v27)
    v37 = c(19)*v18 + v29
    v38 = c(19)*v19 + v32
    v39 = v3*v33 - v2*v35
    v40 = v2*v36 - v3*v37
    v41 = c(11)*v40 - v18*c(22) - udot(2)*c(29) - c(19)*v12 - c(12)*v29 - v4*v30 - v5*v31
    v42 = c(35) + c(33)*v5
    v43 = c(33)*v4
    v44 = u(2)*c(32)
    v45 = c(34) + c(32)*v3
    v46 = u(1)*c(31)
    v47 = u(1)*v45 + v46
    v48 = v11*v42 + v47
    v49 = v11*v43
    v50 = v5*v49 - v4*v48
    v51 = u(3)*c(33)
    v52 = v5*v48 + v4*v49 + v51
    v53 = v1*v3
    v54 = c(31) + v45
    v55 = c(38)*(u(2)*v42 + v10*v43 + v44)
    v56 = c(38)*v50
    v57 = c(38)*v52
    v58 = c(37)*v47
    v59 = c(37)*v44
    v60 = udot(1)*c(31)
    v61 = udot(1)*v45 + v60 - v10*v44
    v62 = v16*v42 + v61
    v63 = v16*v43
    v64 = v20*v55 + v23*v57 + c(38)*(v23*v51 - u(3)*v52 - (v4*v62 - v5*v63))
    v65 = v64 + (v5*v53 - v0*v4)*c(58)
    v66 = c(38)*(v5*v62 + v4*v63 + (udot(3)*c(33) + u(3)*v50)) - (v23*v56 + v21*v55)
    v67 = v66 + (v0*v5 + v4*v53)*c(58)
    v68 = udot(2)*c(32)
    v69 = v21*v57 + (v10*v58 + c(37)*v68 + v1*v2*c(60) - v20*v56)
    v70 = v3*(v5*v65 + v4*v67 + (v11*v58 + u(2)*v59 + v53*c(59)))
    v71 = v70 + v2*(c(38)*(udot(2)*v42 + v15*v43 + v68 + v21*v51) + v69)
    v72 = v0*(c(36)*v60 + (c(37)*v61 + (v5*v67 - v4*v65) - v10*v59 + v0*c(62)))
    y(1) = v1*v43 + v0*(v54 + v3*v42)
    y(2) = v0*v43 - v42*v53 - v1*v54
    y(3) = -v2*(c(32) + v42)
    y(4) = -(v0*(c(18)*v7 + (v3*v36 + v2*v37)) + v1*(v38 - udot(1)*c(18)))
    y(5) = v1*(v71 + (u(1)*(c(36)*v46) + v1*c(61))) + v72
    y(6) = v40
    y(7) = -(v0*v39 + v1*v41)
    y(8) = v1*v39 - v0*v41
    y(9) = v3*v35 + (v2*v33 + (c(18)*v6 + udot(1)*c(47))) - c(11)*v38
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

  ! Normalises the unit quaternions among the coordinates.
  pure subroutine normalise(q)
    real(dp), intent(inout) :: q(:)
    associate (unused => q)
    end associate
  end subroutine

end module
