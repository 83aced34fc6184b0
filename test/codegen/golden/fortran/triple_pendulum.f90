! Triple pendulum: equations of motion
! Derived by the formulation 'kane', written by linkwright 0.1.0.
!
!     qdot = N(q, t) u + nu(q, t)
!     M(q, t) udot = f(q, u, w, t)
!
! Coordinates q
!     1  q1
!     2  q2
!     3  q3
!
! Speeds u
!     1  q1'
!     2  q2'
!     3  q3'
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
!     setup           p -> c                                7 add, 7 mul, 1 div
!     rates           t q u c -> qdot                       none
!     dynamics        t q u w c -> M f                      114 add, 167 mul, 3 sincos
!     accelerations   t q u w c -> udot                     120 add, 177 mul, 2 div, 3 sincos
!     rate_jacobians  t q u c -> qdot_q qdot_u              none
!     jacobians       t q u w udot lambda c -> r_q r_u r_w  385 add, 533 mul, 3 sincos
!     inverse         t q u w udot lambda c -> r            121 add, 174 mul, 3 sincos
!     energy          t q u c -> T V                        35 add, 65 mul, 3 sincos
!     momentum        t q u c -> linear angular             65 add, 105 mul, 3 sincos
!     outputs         t q u w udot lambda c -> y            105 add, 161 mul, 3 sincos
!
! In the code T and V are called kinetic and potential: Fortran does not tell T from t.
!
!     use triple_pendulum
!     real(dp) :: c(nc), x(nx), xdot(nx)
!     integer :: status, step
!     call setup(parameters, c)                   ! again whenever a parameter changes
!     x = 0
!     do step = 0, 999                            ! Euler's method, the simplest there is
!       call rhs(1e-3_dp*step, x, inputs, c, xdot, status)
!       if (status /= status_ok) exit
!       x = x + 1e-3_dp*xdot
!       call normalise(x)
!     end do

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
  integer, parameter, public :: nc = 34  ! constants, from setup
  integer, parameter, public :: nm = 0  ! constraints
  integer, parameter, public :: ny = 9  ! outputs
  integer, parameter, public :: nx = 6  ! states x = [q; u]

  ! What accelerations, rhs and rhs_jacobian may say.
  integer, parameter, public :: status_ok = 0
  integer, parameter, public :: status_no_inertia = 1     ! a motion that the constraints allow has no inertia
  integer, parameter, public :: status_contradiction = 2  ! constraints contradict each other here
  integer, parameter, public :: status_not_finite = 3     ! something is infinite or not a number

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

  ! What depends on parameters only, worked out once. Operations: 7 add, 7 mul, 1 div.
  !   c: constants for the other functions
  pure subroutine setup(p, c)
    real(dp), intent(in) :: p(np)
    real(dp), intent(out) :: c(34)
    real(dp) :: v0, v1
    v0 = p(18) + p(9)*(p(4)*p(4))
    v1 = p(8) + p(9)
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
    c(23) = p(4)*p(9)  ! c0 = DL44*MA4
    c(24) = v0  ! c1 = J4Z + MA4*DL44^2
    c(25) = -p(25)  ! c2 = -PHI02
    c(26) = -p(26)  ! c3 = -PHI03
    c(27) = -p(27)  ! c4 = -PHI04
    c(28) = v1  ! c5 = MA3 + MA4
    c(29) = p(2)*(p(7) + v1)  ! c6 = DL22*(MA3 + MA4 + MA2)
    c(30) = p(3)*v1  ! c7 = DL33*(MA3 + MA4)
    c(31) = p(1)*p(8)  ! c8 = g*MA3
    c(32) = p(1)*p(9)  ! c9 = g*MA4
    c(33) = 1.0_dp/v0  ! c10 = 1/(J4Z + MA4*DL44^2)
    c(34) = -p(19)  ! c11 = -KR21
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

  ! Mass matrix and forcing: M udot = f. Operations: 114 add, 167 mul, 3 sincos.
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
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35
    real(dp) :: v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47
    real(dp) :: v48, v49, v50, v51, v52, v53, v54, v55, v56, v57, v58, v59
    real(dp) :: v60, v61, v62, v63, v64, v65, v66, v67, v68, v69, v70, v71
    real(dp) :: v72
    associate (unused1 => t)
    end associate
    M = 0
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = c(3)*v2
    v5 = c(5) + c(3)*v3
    v6 = sin(q(3)); v7 = cos(q(3))
    v8 = c(4)*v6
    v9 = c(6) + c(4)*v7
    v10 = u(1)*c(2)
    v11 = u(2)*c(3)
    v12 = u(1)*v3
    v13 = u(1)*v2
    v14 = v10 + u(1)*v5
    v15 = u(3)*c(4)
    v16 = u(2)*v7 + v6*v13
    v17 = v7*v13 - u(2)*v6
    v18 = v8*v12
    v19 = v14 + v9*v12
    v20 = v7*v18 - v6*v19
    v21 = u(3) + v12
    v22 = v15 + (v7*v19 + v6*v18)
    v23 = v9*v9
    v24 = v8*v8
    v25 = c(9)*v24
    v26 = c(14)*v6
    v27 = c(15)*v7
    v28 = c(9)*v9
    v29 = v3*v28
    v30 = v4*(v2*v28)
    v31 = v2*(v2*(c(12) + (v25 + (v7*v27 + v6*v26))))
    v32 = 2.0_dp*(v5*v29 + v30) - v30 - v30 + (v31 + v3*(v3*(c(11) + (c(16) + c(9)*(v23 + v24)))))
    v33 = v29 + c(28)*v5
    v34 = c(23)*v7
    v35 = c(1)*v0
    v36 = c(1)*v1
    v37 = u(2)*v13
    v38 = u(2)*v12
    v39 = v2*v36
    v40 = v3*v36
    v41 = v35 - v11*v13
    v42 = v40 - v8*v37
    v43 = v41 - v9*v37
    v44 = c(11)*v12
    v45 = c(12)*v13
    v46 = u(2)*c(13)
    v47 = c(8)*v11
    v48 = c(8)*v14
    v49 = c(14)*v16
    v50 = c(15)*v17
    v51 = c(16)*v21
    v52 = c(9)*v22
    v53 = c(9)*v20
    v54 = c(9)*(v11 + (u(2)*v9 + v8*v13))
    v55 = v16*v53 - v17*v52
    v56 = c(9)*(v15*v17 + (v39 + v8*v38))
    v57 = v17*v51 - v21*v50 + c(14)*(u(3)*v17 + v6*v38)
    v58 = v21*v49 - v16*v51 + c(15)*(v7*v38 - u(3)*v16)
    v59 = v16*v50 - v17*v49 - c(16)*v37
    v60 = c(9)*(u(3)*v20 + (v7*v43 + v6*v42)) - (v21*v53 + v17*v54)
    v61 = v16*v54 + v21*v52 + c(9)*(v15*v21 - u(3)*v22 + (v7*v42 - v6*v43))
    v62 = v55 - v56
    v63 = v7*v61 + v6*v60
    v64 = v7*v60 - v6*v61
    v65 = v13*v48 + c(8)*v39 + (v56 - v55)
    v66 = c(8)*v41 - v13*v47 + v64
    v67 = v2*(v12*v46 - u(2)*v44 + c(12)*v38 + (v7*v58 + v6*v57 - v8*v62))
    v68 = c(7)*v35 + v66
    v69 = u(1)*(c(7)*v10) + c(7)*v36 + (v3*(v12*v48 + u(2)*v47 + c(8)*v40 + v63) + v2*v65)
    v70 = v5*v66 + (v67 - v3*(v13*v46 - u(2)*v45 + c(11)*v37 - (v59 + (v8*v63 + v9*v64))))
    v71 = v70 + (c(2)*v1*(v1*v68 - v0*v69) + c(2)*v0*(v1*v69 + v0*v68))
    v72 = v13*v44 - v12*v45 + (v7*v57 - v6*v58 - v9*v62) + c(3)*v65
    M(1, 1) = c(10) + (c(28)*(v5*v5) + v32) + c(2)*v33 + c(2)*(c(29) + v33)
    M(2, 1) = v4*(c(9)*v8) + v2*(c(9)*(v8*v9) + (v7*v26 - v6*v27))
    M(1, 2) = M(2, 1)
    M(2, 2) = c(13) + (c(9)*v23 + (v6*(c(15)*v6) + v7*(c(14)*v7))) + c(3)*v28 + c(3)*(c(30) + v28)
    M(3, 1) = v5*v34 + v3*(c(16) + (v25 + v9*v34)) + c(2)*v34
    M(1, 3) = M(3, 1)
    M(3, 3) = c(24)
    f(1) = w(1) - u(1)*c(20) - c(17)*(q(1) + c(25)) - v71
    f(2) = w(2) - u(2)*c(21) - c(18)*(q(2) + c(26)) - v72
    f(3) = w(3) - u(3)*c(22) - c(19)*(q(3) + c(27)) - (v59 + c(4)*v60)
  end subroutine

  ! Accelerations, written out. Operations: 120 add, 177 mul, 2 div, 3 sincos.
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
    real(dp) :: v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47
    real(dp) :: v48, v49, v50, v51, v52, v53, v54, v55, v56, v57, v58, v59
    real(dp) :: v60, v61, v62, v63, v64, v65, v66, v67, v68, v69, v70, v71
    real(dp) :: v72, v73, v74, v75, v76, v77, v78, v79, v80, v81
    associate (unused1 => t)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = c(3)*v2
    v5 = c(5) + c(3)*v3
    v6 = sin(q(3)); v7 = cos(q(3))
    v8 = c(4)*v6
    v9 = c(6) + c(4)*v7
    v10 = u(1)*c(2)
    v11 = u(2)*c(3)
    v12 = u(1)*v3
    v13 = u(1)*v2
    v14 = v10 + u(1)*v5
    v15 = u(3)*c(4)
    v16 = u(2)*v7 + v6*v13
    v17 = v7*v13 - u(2)*v6
    v18 = v8*v12
    v19 = v14 + v9*v12
    v20 = v7*v18 - v6*v19
    v21 = u(3) + v12
    v22 = v15 + (v7*v19 + v6*v18)
    v23 = v9*v9
    v24 = v8*v8
    v25 = c(9)*v24
    v26 = c(14)*v6
    v27 = c(15)*v7
    v28 = c(9)*v9
    v29 = v3*v28
    v30 = v4*(v2*v28)
    v31 = v2*(v2*(c(12) + (v25 + (v7*v27 + v6*v26))))
    v32 = v4*(c(9)*v8) + v2*(c(9)*(v8*v9) + (v7*v26 - v6*v27))
    v33 = 2.0_dp*(v5*v29 + v30) - v30 - v30 + (v31 + v3*(v3*(c(11) + (c(16) + c(9)*(v23 + v24)))))
    v34 = v29 + c(28)*v5
    v35 = c(23)*v7
    v36 = v5*v35 + v3*(c(16) + (v25 + v9*v35)) + c(2)*v35
    v37 = c(1)*v0
    v38 = c(1)*v1
    v39 = u(2)*v13
    v40 = u(2)*v12
    v41 = v2*v38
    v42 = v3*v38
    v43 = v37 - v11*v13
    v44 = v42 - v8*v39
    v45 = v43 - v9*v39
    v46 = c(11)*v12
    v47 = c(12)*v13
    v48 = u(2)*c(13)
    v49 = c(8)*v11
    v50 = c(8)*v14
    v51 = c(14)*v16
    v52 = c(15)*v17
    v53 = c(16)*v21
    v54 = c(9)*v22
    v55 = c(9)*v20
    v56 = c(9)*(v11 + (u(2)*v9 + v8*v13))
    v57 = v16*v55 - v17*v54
    v58 = c(9)*(v15*v17 + (v41 + v8*v40))
    v59 = v17*v53 - v21*v52 + c(14)*(u(3)*v17 + v6*v40)
    v60 = v21*v51 - v16*v53 + c(15)*(v7*v40 - u(3)*v16)
    v61 = v16*v52 - v17*v51 - c(16)*v39
    v62 = c(9)*(u(3)*v20 + (v7*v45 + v6*v44)) - (v21*v55 + v17*v56)
    v63 = v16*v56 + v21*v54 + c(9)*(v15*v21 - u(3)*v22 + (v7*v44 - v6*v45))
    v64 = v57 - v58
    v65 = v7*v63 + v6*v62
    v66 = v7*v62 - v6*v63
    v67 = v13*v50 + c(8)*v41 + (v58 - v57)
    v68 = c(8)*v43 - v13*v49 + v66
    v69 = v2*(v12*v48 - u(2)*v46 + c(12)*v40 + (v7*v60 + v6*v59 - v8*v64))
    v70 = c(7)*v37 + v68
    v71 = u(1)*(c(7)*v10) + c(7)*v38 + (v3*(v12*v50 + u(2)*v49 + c(8)*v42 + v65) + v2*v67)
    v72 = v5*v68 + (v69 - v3*(v13*v48 - u(2)*v47 + c(11)*v39 - (v61 + (v8*v65 + v9*v66))))
    v73 = v72 + (c(2)*v1*(v1*v70 - v0*v71) + c(2)*v0*(v1*v71 + v0*v70))
    v74 = v13*v46 - v12*v47 + (v7*v59 - v6*v60 - v9*v64) + c(3)*v67
    v75 = w(2) - u(2)*c(21) - c(18)*(q(2) + c(26)) - v74
    v76 = w(3) - u(3)*c(22) - c(19)*(q(3) + c(27)) - (v61 + c(4)*v62)
    v77 = c(33)*v36
    v78 = 1.0_dp/(c(13) + (c(9)*v23 + (v6*(c(15)*v6) + v7*(c(14)*v7))) + c(3)*v28 + c(3)*(c(30) + v28))
    v79 = v32*v78
    v80 = c(10) + (c(28)*(v5*v5) + v33) + c(2)*v34 + c(2)*(c(29) + v34) - v36*v77 - v32*v79
    v81 = (w(1) - u(1)*c(20) - c(17)*(q(1) + c(25)) - v73 - v76*v77 - v75*v79)/v80
    udot(1) = v81
    udot(2) = v75*v78 - v79*v81
    udot(3) = c(33)*v76 - v77*v81
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

  pure subroutine jacobians_1(q, u, c, r_q, s)
    real(dp), intent(in) :: q(nq)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(inout) :: r_q(3, 3)
    real(dp), intent(inout) :: s(109)
    real(dp) :: v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11
    real(dp) :: v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35
    real(dp) :: v36, v37
    s(1) = sin(q(1))
    s(2) = cos(q(1))
    s(3) = c(2)*s(1)
    s(4) = c(2)*s(2)
    s(5) = sin(q(2))
    s(6) = cos(q(2))
    s(7) = c(3)*s(5)
    s(8) = c(5) + c(3)*s(6)
    s(9) = sin(q(3))
    s(10) = cos(q(3))
    s(11) = c(4)*s(9)
    s(12) = c(4)*s(10)
    s(13) = c(6) + s(12)
    s(14) = u(1)*c(2)
    v0 = s(4) + s(2)*s(8)
    s(15) = u(2)*c(3)
    s(16) = u(1)*s(6)
    s(17) = u(1)*s(5)
    v1 = s(14) + u(1)*s(8)
    s(18) = s(5)*s(9)
    s(19) = s(5)*s(10)
    s(20) = u(3)*c(4)
    s(21) = u(2)*s(10) + s(9)*s(17)
    s(22) = s(10)*s(17) - u(2)*s(9)
    v2 = s(11)*s(17)
    s(23) = s(11)*s(16)
    v3 = v1 + s(13)*s(16)
    s(24) = s(10)*v3
    s(25) = s(9)*s(23)
    v4 = s(10)*s(23) - s(9)*v3
    s(26) = u(3) + s(16)
    v5 = s(20) + (s(24) + s(25))
    s(27) = s(11)*s(13)
    s(28) = s(11)*s(11)
    v6 = c(9)*s(28)
    s(29) = c(9)*s(27)
    v7 = c(14)*s(9)
    v8 = c(15)*s(10)
    s(30) = c(14)*s(10)
    s(31) = c(15)*s(9)
    s(32) = s(10)*v8
    s(33) = s(9)*v7
    s(34) = s(9)*v8
    s(35) = s(10)*v7
    v9 = c(9)*s(13)
    s(36) = c(9)*s(11)
    v10 = s(5)*v9
    v11 = s(7)*(s(6)*v9)
    s(37) = c(2)*(v10 + c(28)*s(7))
    s(38) = c(3)*s(36)
    s(39) = s(6)*(s(29) + (s(35) - s(34)) + s(38))
    v12 = c(23)*s(10)
    s(40) = s(6)*s(36)
    s(41) = s(5)*s(36)
    s(42) = s(7)*v12
    s(43) = s(42) + s(5)*(c(16) + (v6 + s(13)*v12))
    v13 = c(1)*s(1)
    v14 = c(1)*s(2)
    s(44) = u(2)*s(17)
    s(45) = u(2)*s(16)
    v15 = s(5)*v14
    v16 = s(6)*v14
    s(46) = v13 - s(15)*s(17)
    s(47) = u(3)*v4
    s(48) = s(11)*s(44)
    v17 = v15 + s(11)*s(45)
    v18 = v16 - s(48)
    v19 = s(46) - s(13)*s(44)
    s(49) = s(10)*v19
    s(50) = s(9)*v18
    s(51) = u(3)*s(22) + s(9)*s(45)
    s(52) = s(10)*s(45) - u(3)*s(21)
    s(53) = c(11)*s(16)
    s(54) = c(12)*s(17)
    s(55) = u(2)*c(13)
    s(56) = c(8)*s(15)
    v20 = c(8)*v1
    s(57) = u(2)*s(54)
    s(58) = s(17)*s(55)
    s(59) = s(16)*s(55)
    s(60) = u(2)*s(53)
    s(61) = s(17)*v20
    s(62) = s(16)*v20
    s(63) = c(11)*s(44)
    s(64) = c(12)*s(45)
    s(65) = c(8)*v15
    s(66) = c(8)*v16
    s(67) = c(14)*s(21)
    s(68) = c(15)*s(22)
    s(69) = c(16)*s(26)
    s(70) = c(9)*v5
    s(71) = c(9)*v4
    s(72) = c(9)*(s(15) + (u(2)*s(13) + v2))
    s(73) = s(22)*s(69)
    s(74) = s(21)*s(69)
    s(75) = s(26)*s(71)
    s(76) = s(22)*s(72)
    s(77) = s(21)*s(72)
    s(78) = s(21)*s(71) - s(22)*s(70)
    s(79) = c(9)*(s(20)*s(26) - u(3)*v5 + (s(10)*v18 - s(9)*v19))
    s(80) = c(9)*(s(20)*s(22) + v17)
    s(81) = s(73) - s(26)*s(68) + c(14)*s(51)
    s(82) = s(26)*s(67) - s(74) + c(15)*s(52)
    v21 = c(9)*(s(47) + (s(49) + s(50))) - (s(75) + s(76))
    v22 = s(77) + s(26)*s(70) + s(79)
    s(83) = s(78) - s(80)
    s(84) = s(10)*v22
    s(85) = s(9)*v21
    s(86) = s(84) + s(85)
    s(87) = s(9)*v22
    s(88) = s(10)*v21
    s(89) = s(88) - s(87)
    s(90) = s(11)*s(83)
    s(91) = s(10)*s(82)
    s(92) = s(9)*s(81)
    v23 = s(5)*v13
    v24 = c(9)*v23
    r_q(2, 1) = -(s(13)*v24 + c(3)*(c(8)*v23 + v24))
    r_q(3, 1) = c(4)*(c(9)*(s(10)*v14 - s(9)*(s(6)*v13)))
    v25 = c(34) + (c(9)*(c(1)*(s(1)*s(11) - s(13)*(s(2)*s(6)) - v0)) - (c(7)*(c(1)*s(4)) + c(8)*(c(1)*v0)))
    r_q(1, 1) = -v25
    v26 = u(1)*s(7)
    s(93) = s(9)*s(16)
    s(94) = s(10)*s(16)
    v27 = v26 + s(13)*s(17)
    v28 = s(10)*v27 + s(9)*v2
    v29 = s(9)*v27 - s(10)*v2
    v30 = -2.0_dp*v11
    v31 = -2.0_dp*(s(6)*(s(5)*(c(11) + (c(16) + c(9)*(s(13)*s(13) + s(28))))))
    v32 = v30 + (2.0_dp*(2.0_dp*v11 - (s(8)*v10 + v11)) + v30)
    s(95) = v32 + (2.0_dp*(s(5)*(s(6)*(c(12) + (v6 + (s(32) + s(33)))))) + v31)
    v33 = s(15)*s(16) + s(13)*s(45)
    s(96) = c(11)*s(17)
    s(97) = c(12)*s(16)
    s(98) = c(8)*v26
    v34 = c(14)*s(93)
    v35 = c(15)*s(94)
    s(99) = c(16)*s(17)
    s(100) = c(9)*v28
    s(101) = c(9)*v29
    v36 = c(9)*s(23)
    s(102) = s(21)*s(101) + s(71)*s(93) + (s(22)*s(100) - s(70)*s(94))
    s(103) = c(9)*(v18 + s(20)*s(94))
    s(104) = s(69)*s(94) - s(22)*s(99) + (s(17)*s(68) - s(26)*v35) + c(14)*(u(3)*s(94) - s(9)*s(44))
    s(105) = s(26)*v34 - s(17)*s(67) + (s(21)*s(99) - s(69)*s(93)) - c(15)*(u(3)*s(93) + s(10)*s(44))
    s(106) = s(21)*v35 + s(68)*s(93) - (s(22)*v34 + s(67)*s(94)) - c(16)*s(45)
    s(107) = c(9)*(u(3)*v29 - (s(10)*v33 + s(9)*v17)) - (s(26)*s(101) - s(17)*s(71) + (s(22)*v36 + s(72)*s(94)))
    v37 = c(9)*(u(3)*v28 - s(17)*s(20) + (s(9)*v33 - s(10)*v17))
    s(108) = s(21)*v36 + s(72)*s(93) - (s(26)*s(100) + s(17)*s(70)) + v37
    s(109) = s(102) - s(103)
  end subroutine

  pure subroutine jacobians_2(u, udot, c, r_q, r_u, r_w, s)
    real(dp), intent(in) :: u(nu)
    real(dp), intent(in) :: udot(nu)
    real(dp), intent(in) :: c(nc)
    real(dp), intent(inout) :: r_q(3, 3)
    real(dp), intent(inout) :: r_u(3, 3)
    real(dp), intent(inout) :: r_w(3, 3)
    real(dp), intent(inout) :: s(109)
    real(dp) :: v38, v39, v40, v41, v42, v43, v44, v45, v46, v47, v48, v49
    real(dp) :: v50, v51, v52, v53, v54, v55, v56, v57, v58, v59, v60, v61
    real(dp) :: v62, v63, v64, v65, v66, v67, v68, v69, v70, v71, v72, v73
    real(dp) :: v74, v75, v76, v77, v78, v79, v80, v81, v82, v83, v84, v85
    real(dp) :: v86, v87, v88, v89, v90, v91, v92, v93, v94, v95, v96, v97
    real(dp) :: v98, v99, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109
    real(dp) :: v110, v111, v112, v113, v114, v115, v116, v117, v118, v119, v120, v121
    real(dp) :: v122, v123, v124, v125, v126, v127, v128, v129, v130, v131
    v38 = s(10)*s(108) + s(9)*s(107)
    v39 = s(10)*s(107) - s(9)*s(108)
    v40 = s(66) + (s(62) - s(17)*s(98)) + (s(103) - s(102))
    v41 = -2.0_dp*(s(16)*s(56)) + v39
    v42 = s(6)*(v38 - (s(65) + (s(61) + s(16)*s(98)))) - s(5)*(s(62) + u(2)*s(56) + s(66) + s(86))
    v43 = v42 + (s(6)*(s(61) + s(65) + (s(80) - s(78))) + s(5)*v40)
    v44 = s(5)*(s(63) - s(58) - s(57) + (s(10)*s(105) + s(9)*s(104) - s(11)*s(109)))
    v45 = s(5)*(s(58) - s(57) + s(63) - (s(21)*s(68) - s(22)*s(67) - c(16)*s(44) + (s(11)*s(86) + s(13)*s(89))))
    v46 = v45 - s(6)*(s(60) + (s(59) - s(64)) - (s(106) + (s(11)*v38 + s(13)*v39)))
    v47 = s(6)*(s(59) - s(60) + s(64) + (s(91) + s(92) - s(90))) + v44 + v46
    v48 = s(4)*(s(2)*v41 - s(1)*v43) + s(3)*(s(2)*v43 + s(1)*v41)
    v49 = s(16)*s(53) - s(17)*s(96) + (s(17)*s(54) - s(16)*s(97)) + (s(10)*s(104) - s(9)*s(105) - s(13)*s(109))
    v50 = s(8)*v41 - s(7)*(c(8)*s(46) - s(17)*s(56) + s(89)) + v47 + v48
    r_q(1, 2) = v50 + udot(1)*(-2.0_dp*(c(28)*(s(7)*s(8))) + s(95) - s(37) - s(37)) + udot(2)*s(39) - udot(3)*s(43)
    r_q(2, 2) = c(18) + (v49 + c(3)*v40) + udot(1)*s(39)
    r_q(3, 2) = s(106) + c(4)*s(107) - udot(1)*s(43)
    v51 = s(11)*s(12)
    v52 = c(9)*v51
    v53 = 2.0_dp*v52
    v54 = -2.0_dp*s(34) + 2.0_dp*s(35)
    v55 = s(7)*s(41)
    v56 = s(42) + s(5)*(c(9)*(s(12)*s(13) - s(28)) + (s(9)*s(31) - s(32) + (s(10)*s(30) - s(33))))
    v57 = s(5)*(s(5)*(v53 + v54)) + s(6)*(s(6)*(c(9)*(-2.0_dp*s(27) + 2.0_dp*v51)))
    v58 = c(2)*s(40)
    v59 = s(6)*(v53 - (s(29) + v52)) - s(8)*s(36) - c(2)*s(36)
    v60 = c(14)*s(22)
    v61 = c(15)*s(21)
    v62 = c(9)*(s(25) - s(24) + (s(10)*(s(12)*s(16)) - s(25)))
    v63 = c(9)*(s(12)*s(17) - u(2)*s(11))
    v64 = s(22)*s(68) - s(21)*v61 + (s(21)*s(67) - s(22)*v60)
    v65 = s(22)*s(71)
    v66 = s(26)*v61 - s(74) + c(14)*s(52)
    v67 = s(26)*v60 - s(73) - c(15)*s(51)
    v68 = s(79) - (s(26)*v62 + (s(22)*v63 - s(77)))
    v69 = s(75) + (s(76) + s(21)*v63) - c(9)*(s(47) + (s(49) + s(9)*s(48) + (s(50) + s(10)*(s(12)*s(44)))))
    v70 = v65 + s(21)*v62 + (s(21)*s(70) - v65) - c(9)*(s(12)*s(45) - s(20)*s(21))
    v71 = s(10)*v69 - s(87) + (s(88) + s(9)*v68)
    v72 = s(10)*v68 - s(85) - (s(84) + s(9)*v69)
    v73 = s(6)*v71 - s(5)*v70
    v74 = s(5)*(s(10)*v67 - s(9)*s(82) + (s(10)*s(81) + s(9)*v66) - (s(11)*v70 + s(12)*s(83)))
    v75 = s(8)*v72 + (v74 + s(6)*(v64 + (s(11)*v71 + s(12)*s(86) + (s(13)*v72 - s(11)*s(89)))))
    v76 = udot(1)*(v55 + (v55 - 2.0_dp*(s(8)*s(40) + v55)) + v57 - v58 - v58)
    v77 = v75 + (s(4)*(s(2)*v72 - s(1)*v73) + s(3)*(s(2)*v73 + s(1)*v72)) + v76 + udot(2)*v56
    r_q(1, 3) = v77 + udot(3)*v59
    v78 = s(90) - s(13)*v70 + (s(10)*v66 - s(92) - (s(91) + s(9)*v67)) - c(3)*v70 + udot(1)*v56
    r_q(2, 3) = v78 + udot(2)*(-2.0_dp*s(29) - v54 - s(38) - s(38))
    r_q(3, 3) = c(19) + (v64 + c(4)*v68) + udot(1)*v59
    v79 = c(2) + s(8)
    v80 = s(6)*s(11)
    v81 = v79 + s(6)*s(13)
    v82 = s(10)*v81 + s(9)*v80
    v83 = s(10)*v80 - s(9)*v81
    v84 = u(2)*s(5)
    v85 = u(2)*s(6)
    v86 = s(11)*v84
    v87 = s(5)*s(15) + s(13)*v84
    v88 = c(11)*s(6)
    v89 = c(12)*s(5)
    v90 = c(8)*v79
    v91 = c(14)*s(18)
    v92 = c(15)*s(19)
    v93 = c(16)*s(6)
    v94 = c(9)*v82
    v95 = c(9)*v83
    v96 = s(21)*v95 + s(18)*s(71) - (s(22)*v94 + s(19)*s(70))
    v97 = c(9)*(s(19)*s(20) + s(11)*v85)
    v98 = s(22)*v93 + s(19)*s(69) - (s(26)*v92 + s(6)*s(68)) + c(14)*(u(3)*s(19) + s(9)*v85)
    v99 = s(26)*v91 + s(6)*s(67) - (s(21)*v93 + s(18)*s(69)) + c(15)*(s(10)*v85 - u(3)*s(18))
    v100 = s(21)*v92 + s(18)*s(68) - (s(22)*v91 + s(19)*s(67)) - c(16)*v84
    v101 = c(9)*(u(3)*v83 - (s(10)*v87 + s(9)*v86)) - (s(26)*v95 + s(6)*s(71) + (s(22)*s(41) + s(19)*s(72)))
    v102 = c(9)*(s(6)*s(20) - u(3)*v82 + (s(9)*v87 - s(10)*v86))
    v103 = s(21)*s(41) + s(18)*s(72) + (s(26)*v94 + s(6)*s(70)) + v102
    v104 = v96 - v97
    v105 = s(10)*v103 + s(9)*v101
    v106 = s(10)*v101 - s(9)*v103
    v107 = 2.0_dp*(s(17)*v90) + (v97 - v96)
    v108 = -2.0_dp*(s(5)*s(56)) + v106
    v109 = s(5)*(s(6)*s(55) - u(2)*v88 + c(12)*v85 + (s(10)*v99 + s(9)*v98 - s(11)*v104))
    v110 = v109 - s(6)*(s(5)*s(55) - u(2)*v89 + c(11)*v84 - (v100 + (s(11)*v105 + s(13)*v106)))
    v111 = 2.0_dp*(c(7)*s(14)) + (s(6)*(2.0_dp*(s(16)*v90) + v105) + s(5)*v107)
    r_u(1, 1) = c(20) + (s(8)*v108 + v110 + (s(4)*(s(2)*v108 - s(1)*v111) + s(3)*(s(2)*v111 + s(1)*v108)))
    r_u(2, 1) = 2.0_dp*(s(17)*v88) - 2.0_dp*(s(16)*v89) + (s(10)*v98 - s(9)*v99 - s(13)*v104) + c(3)*v107
    r_u(3, 1) = v100 + c(4)*v101
    v112 = c(9)*(c(3) + s(13))
    v113 = s(26)*s(31) - s(9)*s(69) + c(14)*(s(93) - u(3)*s(9))
    v114 = s(26)*s(30) - s(10)*s(69) + c(15)*(s(94) - u(3)*s(10))
    v115 = s(10)*s(68) - s(21)*s(31) + (s(9)*s(67) - s(22)*s(30)) - s(99)
    v116 = s(100) + (s(22)*v112 - s(9)*s(72))
    v117 = s(101) + (s(21)*v112 + s(10)*s(72))
    v118 = s(9)*s(70) + s(10)*s(71) - c(9)*(s(23) - s(9)*s(20))
    v119 = s(10)*v117 - s(9)*v116
    v120 = s(9)*v117 + s(10)*v116
    v121 = -2.0_dp*s(98) - v120
    v122 = s(6)*(2.0_dp*s(56) + v119) - s(5)*v118
    v123 = s(5)*(s(97) + (c(13)*s(16) - s(53)) + (s(10)*v114 + s(9)*v113 - s(11)*v118))
    v124 = s(8)*v121 + (v123 - s(6)*(s(96) + (c(13)*s(17) - s(54)) - (v115 + (s(11)*v119 - s(13)*v120))))
    r_u(1, 2) = v124 + (s(4)*(s(2)*v121 - s(1)*v122) + s(3)*(s(2)*v122 + s(1)*v121))
    r_u(2, 2) = c(21) + (s(10)*v113 - s(9)*v114 - s(13)*v118 - c(3)*v118)
    v125 = c(4)*v116
    r_u(3, 2) = v115 - v125
    r_u(2, 3) = v125 - v115
    v126 = v62 + (s(70) + c(23)*s(26))
    v127 = s(10)*v126
    v128 = s(9)*v126
    v129 = s(6)*v127 + 2.0_dp*(s(5)*v63)
    v130 = s(5)*(2.0_dp*(s(11)*v63) + (s(10)*(s(67) - c(16)*s(21) - v61) + s(9)*(v60 + (c(16)*s(22) - s(68)))))
    v131 = s(3)*(s(2)*v129 - s(1)*v128) - s(4)*(s(1)*v129 + s(2)*v128)
    r_u(1, 3) = v130 + s(6)*(s(11)*v127 - s(13)*v128) - s(8)*v128 + v131
    r_u(3, 3) = c(22)
    r_w(1, 1) = -1.0_dp
    r_w(2, 2) = -1.0_dp
    r_w(3, 3) = -1.0_dp
  end subroutine

  ! Derivatives of r = M udot - f at fixed udot. Operations: 385 add, 533 mul, 3 sincos.
  !   r_q: derivative of r by q
  !   r_u: derivative of r by u
  !   r_w: derivative of r by w
  ! In 2 parts, which share s: compilers do not like long functions.
  pure recursive subroutine jacobians(t, q, u, w, udot, lambda, c, r_q, r_u, r_w)
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
    real(dp) :: s(109)
    associate (unused1 => t, unused2 => w, unused3 => lambda)
    end associate
    r_w = 0
    r_q = 0
    r_u = 0
    call jacobians_1(q, u, c, r_q, s)
    call jacobians_2(u, udot, c, r_q, r_u, r_w, s)
  end subroutine

  ! Forces along the speeds that are missing for this udot (inverse dynamics). Operations: 121 add, 174 mul, 3 sincos.
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
    real(dp) :: v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35
    real(dp) :: v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47
    real(dp) :: v48, v49, v50, v51, v52, v53, v54, v55, v56, v57, v58, v59
    real(dp) :: v60, v61, v62, v63, v64, v65, v66, v67, v68, v69, v70, v71
    real(dp) :: v72, v73, v74, v75, v76
    associate (unused1 => t, unused2 => lambda)
    end associate
    v0 = sin(q(1)); v1 = cos(q(1))
    v2 = sin(q(2)); v3 = cos(q(2))
    v4 = c(3)*v2
    v5 = c(5) + c(3)*v3
    v6 = sin(q(3)); v7 = cos(q(3))
    v8 = c(4)*v6
    v9 = c(6) + c(4)*v7
    v10 = u(1)*c(2)
    v11 = u(2)*c(3)
    v12 = u(1)*v3
    v13 = u(1)*v2
    v14 = v10 + u(1)*v5
    v15 = u(3)*c(4)
    v16 = u(2)*v7 + v6*v13
    v17 = v7*v13 - u(2)*v6
    v18 = v8*v12
    v19 = v14 + v9*v12
    v20 = v7*v18 - v6*v19
    v21 = u(3) + v12
    v22 = v15 + (v7*v19 + v6*v18)
    v23 = v9*v9
    v24 = v8*v8
    v25 = c(9)*v24
    v26 = c(14)*v6
    v27 = c(15)*v7
    v28 = c(9)*v9
    v29 = v3*v28
    v30 = v4*(v2*v28)
    v31 = v2*(v2*(c(12) + (v25 + (v7*v27 + v6*v26))))
    v32 = v4*(c(9)*v8) + v2*(c(9)*(v8*v9) + (v7*v26 - v6*v27))
    v33 = 2.0_dp*(v5*v29 + v30) - v30 - v30 + (v31 + v3*(v3*(c(11) + (c(16) + c(9)*(v23 + v24)))))
    v34 = v29 + c(28)*v5
    v35 = c(23)*v7
    v36 = v5*v35 + v3*(c(16) + (v25 + v9*v35)) + c(2)*v35
    v37 = c(1)*v0
    v38 = c(1)*v1
    v39 = u(2)*v13
    v40 = u(2)*v12
    v41 = v2*v38
    v42 = v3*v38
    v43 = v37 - v11*v13
    v44 = v42 - v8*v39
    v45 = v43 - v9*v39
    v46 = c(11)*v12
    v47 = c(12)*v13
    v48 = u(2)*c(13)
    v49 = c(8)*v11
    v50 = c(8)*v14
    v51 = c(14)*v16
    v52 = c(15)*v17
    v53 = c(16)*v21
    v54 = c(9)*v22
    v55 = c(9)*v20
    v56 = c(9)*(v11 + (u(2)*v9 + v8*v13))
    v57 = v16*v55 - v17*v54
    v58 = c(9)*(v15*v17 + (v41 + v8*v40))
    v59 = v17*v53 - v21*v52 + c(14)*(u(3)*v17 + v6*v40)
    v60 = v21*v51 - v16*v53 + c(15)*(v7*v40 - u(3)*v16)
    v61 = v16*v52 - v17*v51 - c(16)*v39
    v62 = c(9)*(u(3)*v20 + (v7*v45 + v6*v44)) - (v21*v55 + v17*v56)
    v63 = v16*v56 + v21*v54 + c(9)*(v15*v21 - u(3)*v22 + (v7*v44 - v6*v45))
    v64 = v57 - v58
    v65 = v7*v63 + v6*v62
    v66 = v7*v62 - v6*v63
    v67 = v13*v50 + c(8)*v41 + (v58 - v57)
    v68 = c(8)*v43 - v13*v49 + v66
    v69 = v2*(v12*v48 - u(2)*v46 + c(12)*v40 + (v7*v60 + v6*v59 - v8*v64))
    v70 = c(7)*v37 + v68
    v71 = u(1)*(c(7)*v10) + c(7)*v38 + (v3*(v12*v50 + u(2)*v49 + c(8)*v42 + v65) + v2*v67)
    v72 = v5*v68 + (v69 - v3*(v13*v48 - u(2)*v47 + c(11)*v39 - (v61 + (v8*v65 + v9*v66))))
    v73 = v72 + (c(2)*v1*(v1*v70 - v0*v71) + c(2)*v0*(v1*v71 + v0*v70))
    v74 = udot(1)*(c(10) + (c(28)*(v5*v5) + v33) + c(2)*v34 + c(2)*(c(29) + v34))
    v75 = v13*v46 - v12*v47 + (v7*v59 - v6*v60 - v9*v64) + c(3)*v67
    v76 = udot(2)*(c(13) + (c(9)*v23 + (v6*(c(15)*v6) + v7*(c(14)*v7))) + c(3)*v28 + c(3)*(c(30) + v28))
    r(1) = v73 - (w(1) - u(1)*c(20) - c(17)*(q(1) + c(25))) + v74 + udot(2)*v32 + udot(3)*v36
    r(2) = v75 - (w(2) - u(2)*c(21) - c(18)*(q(2) + c(26))) + udot(1)*v32 + v76
    r(3) = v61 + c(4)*v62 - (w(3) - u(3)*c(22) - c(19)*(q(3) + c(27))) + udot(1)*v36 + udot(3)*c(24)
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
    v2 = c(2)*v1
    v3 = sin(q(2)); v4 = cos(q(2))
    v5 = c(5) + c(3)*v4
    v6 = sin(q(3)); v7 = cos(q(3))
    v8 = c(4)*v6
    v9 = c(6) + c(4)*v7
    v10 = u(1)*c(2)
    v11 = v2 + v1*v5
    v12 = u(2)*c(3)
    v13 = u(1)*v4
    v14 = u(1)*v3
    v15 = v10 + u(1)*v5
    v16 = u(2)*v7 + v6*v14
    v17 = v7*v14 - u(2)*v6
    v18 = v8*v13
    v19 = v12 + (u(2)*v9 + v8*v14)
    v20 = v15 + v9*v13
    v21 = v7*v18 - v6*v20
    v22 = u(3) + v13
    v23 = u(3)*c(4) + (v7*v20 + v6*v18)
    v24 = q(1) + c(25)
    v25 = q(2) + c(26)
    v26 = q(3) + c(27)
    v27 = u(2)*(u(2)*c(13)) + (v14*(c(12)*v14) + v13*(c(11)*v13)) + c(8)*(v15*v15 + v12*v12)
    v28 = v22*(c(16)*v22) + (v17*(c(15)*v17) + v16*(c(14)*v16))
    v29 = u(1)*(u(1)*c(10)) + c(7)*(v10*v10) + v27 + (v28 + c(9)*(v19*v19 + (v21*v21 + v23*v23)))
    v30 = 0.5_dp*(v24*(c(17)*v24)) + 0.5_dp*(v25*(c(18)*v25)) + 0.5_dp*(v26*(c(19)*v26))
    kinetic = 0.5_dp*v29
    potential = v30 + (c(9)*(c(1)*(v0*v8 - v9*(v1*v4) - v11)) - (c(7)*(c(1)*v2) + c(8)*(c(1)*v11)))
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
    v2 = c(2)*v0
    v3 = c(2)*v1
    v4 = sin(q(2)); v5 = cos(q(2))
    v6 = c(3)*v4
    v7 = c(5) + c(3)*v5
    v8 = sin(q(3)); v9 = cos(q(3))
    v10 = c(4)*v8
    v11 = c(6) + c(4)*v9
    v12 = u(1)*c(2)
    v13 = v0*v4
    v14 = v0*v5
    v15 = v1*v4
    v16 = v1*v5
    v17 = v2 + v0*v7
    v18 = v3 + v1*v7
    v19 = u(2)*c(3)
    v20 = u(1)*v5
    v21 = u(1)*v4
    v22 = v12 + u(1)*v7
    v23 = v1*v9 - v8*v14
    v24 = v1*v8 + v9*v14
    v25 = v0*v9 + v8*v16
    v26 = v9*v16 - v0*v8
    v27 = v4*v8
    v28 = v4*v9
    v29 = v17 + (v1*v10 + v11*v14)
    v30 = v0*v10 - v11*v16 - v18
    v31 = v6 + v4*v11
    v32 = v10*v20
    v33 = v22 + v11*v20
    v34 = c(7)*v12
    v35 = c(11)*v20
    v36 = c(12)*v21
    v37 = u(2)*c(13)
    v38 = c(8)*v19
    v39 = c(8)*v22
    v40 = c(14)*(u(2)*v9 + v8*v21)
    v41 = c(15)*(v9*v21 - u(2)*v8)
    v42 = c(16)*(u(3) + v20)
    v43 = c(9)*(u(3)*c(4) + (v9*v33 + v8*v32))
    v44 = c(9)*(v9*v32 - v8*v33)
    v45 = c(9)*(v19 + (u(2)*v11 + v10*v21))
    v46 = v1*v34
    v47 = v0*v34
    v48 = v1*v39 - v13*v38
    v49 = v0*v39 + v15*v38
    v50 = v5*v38
    v51 = v23*v43 - v24*v44 - v13*v45
    v52 = v15*v45 + (v26*v44 + v25*v43)
    v53 = v28*v44 + v27*v43 - v5*v45
    v54 = v13*v42 + (v23*v40 - v24*v41) + (v31*v52 + v30*v53)
    v55 = v0*v37 + (v16*v36 - v15*v35) + (v17*v50 - v6*v48)
    v56 = u(1)*c(10) + (v3*v46 + v2*v47) + (v4*v36 + v5*v35 + (v18*v48 + v17*v49))
    linear(1) = v46 + v48 + v51
    linear(2) = v47 + v49 + v52
    linear(3) = v53 - v50
    angular(1) = v1*v37 + (v13*v35 - v14*v36) + (v6*v49 + v18*v50) + v54
    angular(2) = v55 + (v26*v41 + v25*v40 - v15*v42 - (v29*v53 + v31*v51))
    angular(3) = v56 + (v5*v42 + (v28*v41 + v27*v40) + (v29*v52 - v30*v51))
  end subroutine

  ! Outputs of the model. Operations: 105 add, 161 mul, 3 sincos.
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
    v2 = c(2)*v0
    v3 = c(2)*v1
    v4 = sin(q(2)); v5 = cos(q(2))
    v6 = c(3)*v4
    v7 = c(5) + c(3)*v5
    v8 = sin(q(3)); v9 = cos(q(3))
    v10 = c(4)*v8
    v11 = c(6) + c(4)*v9
    v12 = u(1)*c(2)
    v13 = v1*v5
    v14 = u(2)*c(3)
    v15 = u(1)*v5
    v16 = u(1)*v4
    v17 = v12 + u(1)*v7
    v18 = u(3)*c(4)
    v19 = u(2)*v9 + v8*v16
    v20 = v9*v16 - u(2)*v8
    v21 = v10*v15
    v22 = v17 + v11*v15
    v23 = v9*v21 - v8*v22
    v24 = u(3) + v15
    v25 = v18 + (v9*v22 + v8*v21)
    v26 = c(1)*v1
    v27 = u(2)*v16
    v28 = c(11)*v15
    v29 = c(12)*v16
    v30 = u(2)*c(13)
    v31 = c(8)*v14
    v32 = c(8)*v17
    v33 = c(14)*v19
    v34 = c(15)*v20
    v35 = c(16)*v24
    v36 = c(9)*v25
    v37 = c(9)*v23
    v38 = c(9)*(v14 + (u(2)*v11 + v10*v16))
    v39 = c(32)*(v1*v4)
    v40 = udot(1)*c(2)
    v41 = udot(2)*c(3)
    v42 = udot(1)*v5
    v43 = v27 - v42
    v44 = u(2)*v15 + udot(1)*v4
    v45 = v40 + udot(1)*v7 - v14*v16
    v46 = v10*v43
    v47 = v45 - v11*v43
    v48 = v20*v35 - v24*v34 + c(14)*(u(3)*v20 + (udot(2)*v9 + v8*v44))
    v49 = v24*v33 - v19*v35 + c(15)*(v9*v44 - udot(2)*v8 - u(3)*v19)
    v50 = v19*v37 - v20*v36 - c(9)*(v18*v20 + (v41 + (udot(2)*v11 + v10*v44)))
    v51 = c(9)*(u(3)*v23 + udot(3)*c(4) + (v9*v47 - v8*v46)) - (v24*v37 + v20*v38)
    v52 = c(32)*(v0*v9 + v8*v13) + v51
    v53 = v19*v38 + v24*v36 + c(9)*(v18*v24 - u(3)*v25 - (v8*v47 + v9*v46))
    v54 = c(32)*(v9*v13 - v0*v8) + v53
    v55 = v50 - v39
    v56 = v9*v54 + v8*v52
    v57 = v9*v52 - v8*v54
    v58 = v19*v34 - v20*v33 + c(16)*(udot(3) + (v42 - v27)) + (v10*v56 + v11*v57)
    v59 = v16*v30 - u(2)*v29 + c(11)*v43 - v58
    v60 = v15*v30 - u(2)*v28 + c(12)*v44 + (v9*v49 + v8*v48 - v10*v55)
    v61 = c(8)*(v4*v26) + (v16*v32 + c(8)*v41) + (v39 - v50)
    v62 = v15*v32 + u(2)*v31 + c(8)*(v5*v26) + v56
    v63 = c(31)*v0 + (c(8)*v45 - v16*v31) + v57
    v64 = v5*v62 + v4*v61
    v65 = v4*v62 - v5*v61
    v66 = v16*v28 - v15*v29 + udot(2)*c(13) + (v9*v48 - v8*v49 - v11*v55) + (v6*v64 - v7*v65)
    v67 = v5*v60 + v4*v59 - v6*v63
    v68 = c(7)*(c(1)*v0) + c(7)*v40 + v63
    v69 = u(1)*(c(7)*v12) + c(7)*v26 + v64
    v70 = v1*v68 - v0*v69
    v71 = v1*v69 + v0*v68
    y(1) = v2 + v0*v7 + (v1*v10 + v11*(v0*v5))
    y(2) = v0*v10 - v11*v13 - (v3 + v1*v7)
    y(3) = -(v6 + v4*v11)
    y(4) = v70
    y(5) = v71
    y(6) = v65
    y(7) = v1*v66 - v0*v67 - v3*v65
    y(8) = v1*v67 + v0*v66 - v2*v65
    y(9) = udot(1)*c(10) + (v7*v63 + (v4*v60 - v5*v59)) + (v3*v70 + v2*v71)
  end subroutine

  ! A X = B by A = L D L'; of A (n x n) the lower triangle is read and overwritten, B (n x k) becomes X. bounds(i) is what
  ! rounding errors of A(i, i) are proportional to. Not definite: a pivot is not positive beyond rounding; B is left alone.
  pure recursive subroutine solve_definite(n, A, bounds, k, B, is_definite)
    integer, intent(in) :: n, k
    real(dp), intent(inout) :: A(n, n), B(n, k)
    real(dp), intent(in) :: bounds(n)
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
    real(dp) :: M(nu, nu), f(nu), udot(nu), lambda(nm), right(nu, nx + nw)
    logical :: is_solved
    real(dp) :: bounds(nu)
    integer :: i
    A = 0
    B = 0
    lambda = 0
    call accelerations(t, x(:nq), x(nq+1:), w, c, udot)
    call dynamics(t, x(:nq), x(nq+1:), w, c, M, f)
    call rate_jacobians(t, x(:nq), x(nq+1:), c, A(:nq, :nq), A(:nq, nq+1:))
    call jacobians(t, x(:nq), x(nq+1:), w, udot, lambda, c, right(:, :nq), right(:, nq+1:nx), right(:, nx+1:))
    right = -right
    do i = 1, nu
      bounds(i) = abs(M(i, i))
    end do
    call solve_definite(nu, M, bounds, nx + nw, right, is_solved)
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
