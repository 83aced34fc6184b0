// Triple pendulum: equations of motion
// Derived by the formulation 'kane', written by linkwright 0.1.0.
//
//     qdot = N(q, t) u + nu(q, t)
//     M(q, t) udot = f(q, u, w, t)
//
// Coordinates q
//     0  q1
//     1  q2
//     2  q3
//
// Speeds u
//     0  q1'
//     1  q2'
//     2  q3'
//
// Inputs w, with their values when nothing drives them
//     0  TAU21  0.0
//     1  TAU32  0.0
//     2  TAU43  0.0
//
// Parameters p, with their values in the model
//      0  g      9.81  m/s^2      98.1 gives the eigenvalues of his tables 6.1 and 6.2
//      1  DL22   0.5   m          joint to centre of mass
//      2  DL33   0.5   m
//      3  DL44   0.5   m
//      4  SL32   0.5   m          centre of mass to the next joint
//      5  SL43   0.5   m
//      6  MA2    1.0   kg
//      7  MA3    1.0   kg
//      8  MA4    1.0   kg
//      9  J2X    0.2   kg*m^2
//     10  J2Y    0.1   kg*m^2
//     11  J2Z    0.2   kg*m^2
//     12  J3X    0.2   kg*m^2
//     13  J3Y    0.1   kg*m^2
//     14  J3Z    0.2   kg*m^2
//     15  J4X    0.2   kg*m^2
//     16  J4Y    0.1   kg*m^2
//     17  J4Z    0.2   kg*m^2
//     18  KR21   0.0   N*m/rad    joint stiffness
//     19  KR32   0.0   N*m/rad
//     20  KR43   0.0   N*m/rad
//     21  CR21   0.0   N*m*s/rad  joint damping; simulation 2 has 5
//     22  CR32   0.0   N*m*s/rad
//     23  CR43   0.0   N*m*s/rad
//     24  PHI02  0.0   rad        angle at which the spring is free
//     25  PHI03  0.0   rad
//     26  PHI04  0.0   rad
//
// Outputs y
//     0  hand.x
//     1  hand.y
//     2  hand.z
//     3  hanger.fx
//     4  hanger.fy
//     5  hanger.fz
//     6  hanger.tx
//     7  hanger.ty
//     8  hanger.tz
//
// Functions and their operations
//     setup           p -> c                                7 add, 7 mul, 1 div
//     rates           t q u c -> qdot                       none
//     dynamics        t q u w c -> M f                      114 add, 167 mul, 3 sincos
//     accelerations   t q u w c -> udot                     120 add, 177 mul, 2 div, 3 sincos
//     rate_jacobians  t q u c -> qdot_q qdot_u              none
//     jacobians       t q u w udot lambda c -> r_q r_u r_w  385 add, 533 mul, 3 sincos
//     inverse         t q u w udot lambda c -> r            121 add, 174 mul, 3 sincos
//     energy          t q u c -> T V                        35 add, 65 mul, 3 sincos
//     momentum        t q u c -> linear angular             65 add, 105 mul, 3 sincos
//     outputs         t q u w udot lambda c -> y            105 add, 161 mul, 3 sincos
//
// S is any scalar: float, double, std::complex<double> (for the complex step), a type of automatic differentiation.
//
//     const auto c = triple_pendulum::setup(triple_pendulum::Parameters<double>{});   // again whenever a parameter changes
//     std::array<double, triple_pendulum::nx> x{};
//     for (int step = 0; step < 1000; ++step) {    // Euler's method, the simplest there is
//         const auto [xdot, status] = triple_pendulum::rhs(1e-3*step, x, triple_pendulum::inputs<double>(), c);
//         if (status != triple_pendulum::Status::ok) break;
//         for (std::size_t i = 0; i < triple_pendulum::nx; ++i) x[i] += 1e-3*xdot[i];
//         triple_pendulum::normalise(x);
//     }

#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace triple_pendulum {

inline constexpr std::size_t nq = 3;  ///< coordinates
inline constexpr std::size_t nu = 3;  ///< speeds
inline constexpr std::size_t nw = 3;  ///< inputs
inline constexpr std::size_t np = 27;  ///< parameters
inline constexpr std::size_t nc = 34;  ///< constants, from setup
inline constexpr std::size_t nm = 0;  ///< constraints
inline constexpr std::size_t ny = 9;  ///< outputs
inline constexpr std::size_t nx = 6;  ///< states x = [q; u]

/// By rows.
template <class S, std::size_t rows, std::size_t columns>
using Matrix = std::array<std::array<S, columns>, rows>;

enum class Status {
    ok,
    no_inertia,     ///< a motion that the constraints allow has no inertia
    contradiction,  ///< constraints contradict each other here; what is returned meets them as well as it can be
    not_finite,     ///< something is infinite or not a number
};

/// Values of the model.
template <class S>
struct Parameters {
    S g = S(9.81);  ///< m/s^2, 98.1 gives the eigenvalues of his tables 6.1 and 6.2
    S DL22 = S(0.5);  ///< m, joint to centre of mass
    S DL33 = S(0.5);  ///< m
    S DL44 = S(0.5);  ///< m
    S SL32 = S(0.5);  ///< m, centre of mass to the next joint
    S SL43 = S(0.5);  ///< m
    S MA2 = S(1.0);  ///< kg
    S MA3 = S(1.0);  ///< kg
    S MA4 = S(1.0);  ///< kg
    S J2X = S(0.2);  ///< kg*m^2
    S J2Y = S(0.1);  ///< kg*m^2
    S J2Z = S(0.2);  ///< kg*m^2
    S J3X = S(0.2);  ///< kg*m^2
    S J3Y = S(0.1);  ///< kg*m^2
    S J3Z = S(0.2);  ///< kg*m^2
    S J4X = S(0.2);  ///< kg*m^2
    S J4Y = S(0.1);  ///< kg*m^2
    S J4Z = S(0.2);  ///< kg*m^2
    S KR21 = S(0.0);  ///< N*m/rad, joint stiffness
    S KR32 = S(0.0);  ///< N*m/rad
    S KR43 = S(0.0);  ///< N*m/rad
    S CR21 = S(0.0);  ///< N*m*s/rad, joint damping; simulation 2 has 5
    S CR32 = S(0.0);  ///< N*m*s/rad
    S CR43 = S(0.0);  ///< N*m*s/rad
    S PHI02 = S(0.0);  ///< rad, angle at which the spring is free
    S PHI03 = S(0.0);  ///< rad
    S PHI04 = S(0.0);  ///< rad
};

/// What depends on parameters only: made by setup.
template <class S>
struct Setup {
    S g{};  ///< 98.1 gives the eigenvalues of his tables 6.1 and 6.2
    S DL22{};  ///< joint to centre of mass
    S DL33{};
    S DL44{};
    S SL32{};  ///< centre of mass to the next joint
    S SL43{};
    S MA2{};
    S MA3{};
    S MA4{};
    S J2Z{};
    S J3X{};
    S J3Y{};
    S J3Z{};
    S J4X{};
    S J4Y{};
    S J4Z{};
    S KR21{};  ///< joint stiffness
    S KR32{};
    S KR43{};
    S CR21{};  ///< joint damping; simulation 2 has 5
    S CR32{};
    S CR43{};
    S c0{};  ///< DL44*MA4
    S c1{};  ///< J4Z + MA4*DL44^2
    S c2{};  ///< -PHI02
    S c3{};  ///< -PHI03
    S c4{};  ///< -PHI04
    S c5{};  ///< MA3 + MA4
    S c6{};  ///< DL22*(MA3 + MA4 + MA2)
    S c7{};  ///< DL33*(MA3 + MA4)
    S c8{};  ///< g*MA3
    S c9{};  ///< g*MA4
    S c10{};  ///< 1/(J4Z + MA4*DL44^2)
    S c11{};  ///< -KR21
};

/// Inputs when nothing drives them.
template <class S>
std::array<S, nw> inputs() {
    return {{S(0.0), S(0.0), S(0.0)}};
}

namespace detail {

template <class S>
struct Same {
    using type = S;
};

// Decisions look at real parts, so that a complex step passes through them.
template <class S>
bool less(const S& x, const S& y) { return x < y; }
template <class T>
bool less(const std::complex<T>& x, const std::complex<T>& y) { return x.real() < y.real(); }

template <class S>
bool is_finite(const S& x) { return less(x - x, S(1.0)); }
template <class S, std::size_t n>
bool is_finite(const std::array<S, n>& x) {
    for (const S& entry : x) {
        if (!is_finite(entry)) return false;
    }
    return true;
}
template <class S, std::size_t n, std::size_t m>
bool is_finite(const std::array<std::array<S, m>, n>& x) {
    for (const auto& row : x) {
        if (!is_finite(row)) return false;
    }
    return true;
}

template <class S>
S magnitude(const S& x) { return less(x, S(0.0)) ? -x : x; }
template <class S>
S sign(const S& x) { return less(S(0.0), x) ? S(1.0) : less(x, S(0.0)) ? S(-1.0) : x; }
template <class S>
S smaller(const S& x, const S& y) { return less(y, x) ? y : x; }
template <class S>
S larger(const S& x, const S& y) { return less(x, y) ? y : x; }
template <class S>
S choose(const S& condition, const S& positive, const S& otherwise) { return less(S(0.0), condition) ? positive : otherwise; }
template <class S>
S power(const S& x, double exponent) {
    using std::pow;
    return S(pow(x, exponent));
}
template <class S>
S angle(const S& y, const S& x) {
    using std::atan2;
    return atan2(y, x);
}
template <class T>
std::complex<T> angle(const std::complex<T>& y, const std::complex<T>& x) {  // the branch from real parts
    const T b = y.real(), a = x.real(), branch = std::atan2(b, a);
    if (std::abs(a) > std::abs(b)) return std::atan(y/x) + std::complex<T>(branch - std::atan(b/a));
    return std::complex<T>(branch + std::atan(a/b)) - std::atan(x/y);
}

}  // namespace detail

/// What depends on parameters only, worked out once. Operations: 7 add, 7 mul, 1 div.
template <class S>
Setup<S> setup(const Parameters<S>& p) {
    Setup<S> out{};
    const S v0 = p.J4Z + p.MA4*(p.DL44*p.DL44);
    const S v1 = p.MA3 + p.MA4;
    out.g = p.g;
    out.DL22 = p.DL22;
    out.DL33 = p.DL33;
    out.DL44 = p.DL44;
    out.SL32 = p.SL32;
    out.SL43 = p.SL43;
    out.MA2 = p.MA2;
    out.MA3 = p.MA3;
    out.MA4 = p.MA4;
    out.J2Z = p.J2Z;
    out.J3X = p.J3X;
    out.J3Y = p.J3Y;
    out.J3Z = p.J3Z;
    out.J4X = p.J4X;
    out.J4Y = p.J4Y;
    out.J4Z = p.J4Z;
    out.KR21 = p.KR21;
    out.KR32 = p.KR32;
    out.KR43 = p.KR43;
    out.CR21 = p.CR21;
    out.CR32 = p.CR32;
    out.CR43 = p.CR43;
    out.c0 = p.DL44*p.MA4;
    out.c1 = v0;
    out.c2 = -p.PHI02;
    out.c3 = -p.PHI03;
    out.c4 = -p.PHI04;
    out.c5 = v1;
    out.c6 = p.DL22*(p.MA2 + v1);
    out.c7 = p.DL33*v1;
    out.c8 = p.g*p.MA3;
    out.c9 = p.g*p.MA4;
    out.c10 = S(1.0)/v0;
    out.c11 = -p.KR21;
    return out;
}

/// Rates of the coordinates. Returns rates of the coordinates. Operations: none.
template <class S>
std::array<S, 3> rates(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& /*q*/,
    const std::array<S, nu>& u, const Setup<S>& /*c*/) {
    std::array<S, 3> out{};
    out[0] = u[0];
    out[1] = u[1];
    out[2] = u[2];
    return out;
}

template <class S>
struct Dynamics {
    Matrix<S, 3, 3> M{};  ///< mass matrix, symmetric
    std::array<S, 3> f{};  ///< forcing
};

/// Mass matrix and forcing: M udot = f. Operations: 114 add, 167 mul, 3 sincos.
template <class S>
Dynamics<S> dynamics(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& w, const Setup<S>& c) {
    Dynamics<S> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = c.DL33*v2;
    const S v5 = c.SL32 + c.DL33*v3;
    const S v6 = sin(q[2]), v7 = cos(q[2]);
    const S v8 = c.DL44*v6;
    const S v9 = c.SL43 + c.DL44*v7;
    const S v10 = u[0]*c.DL22;
    const S v11 = u[1]*c.DL33;
    const S v12 = u[0]*v3;
    const S v13 = u[0]*v2;
    const S v14 = v10 + u[0]*v5;
    const S v15 = u[2]*c.DL44;
    const S v16 = u[1]*v7 + v6*v13;
    const S v17 = v7*v13 - u[1]*v6;
    const S v18 = v8*v12;
    const S v19 = v14 + v9*v12;
    const S v20 = v7*v18 - v6*v19;
    const S v21 = u[2] + v12;
    const S v22 = v15 + (v7*v19 + v6*v18);
    const S v23 = v9*v9;
    const S v24 = v8*v8;
    const S v25 = c.MA4*v24;
    const S v26 = c.J4X*v6;
    const S v27 = c.J4Y*v7;
    const S v28 = c.MA4*v9;
    const S v29 = v3*v28;
    const S v30 = v4*(v2*v28);
    const S v31 = v2*(v2*(c.J3Y + (v25 + (v7*v27 + v6*v26)))) + v3*(v3*(c.J3X + (c.J4Z + c.MA4*(v23 + v24))));
    const S v32 = v29 + c.c5*v5;
    const S v33 = c.J2Z + (c.c5*(v5*v5) + (S(2.0)*(v5*v29 + v30) - v30 - v30 + v31)) + c.DL22*v32;
    const S v34 = c.c0*v7;
    const S v35 = c.g*v0;
    const S v36 = c.g*v1;
    const S v37 = u[1]*v13;
    const S v38 = u[1]*v12;
    const S v39 = v2*v36;
    const S v40 = v3*v36;
    const S v41 = v35 - v11*v13;
    const S v42 = v40 - v8*v37;
    const S v43 = v41 - v9*v37;
    const S v44 = c.J3X*v12;
    const S v45 = c.J3Y*v13;
    const S v46 = u[1]*c.J3Z;
    const S v47 = c.MA3*v11;
    const S v48 = c.MA3*v14;
    const S v49 = c.J4X*v16;
    const S v50 = c.J4Y*v17;
    const S v51 = c.J4Z*v21;
    const S v52 = c.MA4*v22;
    const S v53 = c.MA4*v20;
    const S v54 = c.MA4*(v11 + (u[1]*v9 + v8*v13));
    const S v55 = v16*v53 - v17*v52;
    const S v56 = c.MA4*(v15*v17 + (v39 + v8*v38));
    const S v57 = v17*v51 - v21*v50 + c.J4X*(u[2]*v17 + v6*v38);
    const S v58 = v21*v49 - v16*v51 + c.J4Y*(v7*v38 - u[2]*v16);
    const S v59 = v16*v50 - v17*v49 - c.J4Z*v37;
    const S v60 = c.MA4*(u[2]*v20 + (v7*v43 + v6*v42)) - (v21*v53 + v17*v54);
    const S v61 = v16*v54 + v21*v52 + c.MA4*(v15*v21 - u[2]*v22 + (v7*v42 - v6*v43));
    const S v62 = v55 - v56;
    const S v63 = v7*v61 + v6*v60;
    const S v64 = v7*v60 - v6*v61;
    const S v65 = v13*v48 + c.MA3*v39 + (v56 - v55);
    const S v66 = c.MA3*v41 - v13*v47 + v64;
    const S v67 = v2*(v12*v46 - u[1]*v44 + c.J3Y*v38 + (v7*v58 + v6*v57 - v8*v62));
    const S v68 = c.MA2*v35 + v66;
    const S v69 = u[0]*(c.MA2*v10) + c.MA2*v36 + (v3*(v12*v48 + u[1]*v47 + c.MA3*v40 + v63) + v2*v65);
    const S v70 = v5*v66 + (v67 - v3*(v13*v46 - u[1]*v45 + c.J3X*v37 - (v59 + (v8*v63 + v9*v64))));
    const S v71 = v70 + (c.DL22*v1*(v1*v68 - v0*v69) + c.DL22*v0*(v1*v69 + v0*v68));
    const S v72 = v13*v44 - v12*v45 + (v7*v57 - v6*v58 - v9*v62) + c.DL33*v65;
    out.M[0][0] = v33 + c.DL22*(c.c6 + v32);
    out.M[1][0] = out.M[0][1] = v4*(c.MA4*v8) + v2*(c.MA4*(v8*v9) + (v7*v26 - v6*v27));
    out.M[1][1] = c.J3Z + (c.MA4*v23 + (v6*(c.J4Y*v6) + v7*(c.J4X*v7))) + c.DL33*v28 + c.DL33*(c.c7 + v28);
    out.M[2][0] = out.M[0][2] = v5*v34 + v3*(c.J4Z + (v25 + v9*v34)) + c.DL22*v34;
    out.M[2][2] = c.c1;
    out.f[0] = w[0] - u[0]*c.CR21 - c.KR21*(q[0] + c.c2) - v71;
    out.f[1] = w[1] - u[1]*c.CR32 - c.KR32*(q[1] + c.c3) - v72;
    out.f[2] = w[2] - u[2]*c.CR43 - c.KR43*(q[2] + c.c4) - (v59 + c.DL44*v60);
    return out;
}

/// Accelerations, written out. Returns accelerations. Operations: 120 add, 177 mul, 2 div, 3 sincos.
template <class S>
std::array<S, 3> accelerations(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& w, const Setup<S>& c) {
    std::array<S, 3> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = c.DL33*v2;
    const S v5 = c.SL32 + c.DL33*v3;
    const S v6 = sin(q[2]), v7 = cos(q[2]);
    const S v8 = c.DL44*v6;
    const S v9 = c.SL43 + c.DL44*v7;
    const S v10 = u[0]*c.DL22;
    const S v11 = u[1]*c.DL33;
    const S v12 = u[0]*v3;
    const S v13 = u[0]*v2;
    const S v14 = v10 + u[0]*v5;
    const S v15 = u[2]*c.DL44;
    const S v16 = u[1]*v7 + v6*v13;
    const S v17 = v7*v13 - u[1]*v6;
    const S v18 = v8*v12;
    const S v19 = v14 + v9*v12;
    const S v20 = v7*v18 - v6*v19;
    const S v21 = u[2] + v12;
    const S v22 = v15 + (v7*v19 + v6*v18);
    const S v23 = v9*v9;
    const S v24 = v8*v8;
    const S v25 = c.MA4*v24;
    const S v26 = c.J4X*v6;
    const S v27 = c.J4Y*v7;
    const S v28 = c.MA4*v9;
    const S v29 = v3*v28;
    const S v30 = v4*(v2*v28);
    const S v31 = v4*(c.MA4*v8) + v2*(c.MA4*(v8*v9) + (v7*v26 - v6*v27));
    const S v32 = v2*(v2*(c.J3Y + (v25 + (v7*v27 + v6*v26)))) + v3*(v3*(c.J3X + (c.J4Z + c.MA4*(v23 + v24))));
    const S v33 = v29 + c.c5*v5;
    const S v34 = c.J2Z + (c.c5*(v5*v5) + (S(2.0)*(v5*v29 + v30) - v30 - v30 + v32)) + c.DL22*v33;
    const S v35 = c.c0*v7;
    const S v36 = v5*v35 + v3*(c.J4Z + (v25 + v9*v35)) + c.DL22*v35;
    const S v37 = c.g*v0;
    const S v38 = c.g*v1;
    const S v39 = u[1]*v13;
    const S v40 = u[1]*v12;
    const S v41 = v2*v38;
    const S v42 = v3*v38;
    const S v43 = v37 - v11*v13;
    const S v44 = v42 - v8*v39;
    const S v45 = v43 - v9*v39;
    const S v46 = c.J3X*v12;
    const S v47 = c.J3Y*v13;
    const S v48 = u[1]*c.J3Z;
    const S v49 = c.MA3*v11;
    const S v50 = c.MA3*v14;
    const S v51 = c.J4X*v16;
    const S v52 = c.J4Y*v17;
    const S v53 = c.J4Z*v21;
    const S v54 = c.MA4*v22;
    const S v55 = c.MA4*v20;
    const S v56 = c.MA4*(v11 + (u[1]*v9 + v8*v13));
    const S v57 = v16*v55 - v17*v54;
    const S v58 = c.MA4*(v15*v17 + (v41 + v8*v40));
    const S v59 = v17*v53 - v21*v52 + c.J4X*(u[2]*v17 + v6*v40);
    const S v60 = v21*v51 - v16*v53 + c.J4Y*(v7*v40 - u[2]*v16);
    const S v61 = v16*v52 - v17*v51 - c.J4Z*v39;
    const S v62 = c.MA4*(u[2]*v20 + (v7*v45 + v6*v44)) - (v21*v55 + v17*v56);
    const S v63 = v16*v56 + v21*v54 + c.MA4*(v15*v21 - u[2]*v22 + (v7*v44 - v6*v45));
    const S v64 = v57 - v58;
    const S v65 = v7*v63 + v6*v62;
    const S v66 = v7*v62 - v6*v63;
    const S v67 = v13*v50 + c.MA3*v41 + (v58 - v57);
    const S v68 = c.MA3*v43 - v13*v49 + v66;
    const S v69 = v2*(v12*v48 - u[1]*v46 + c.J3Y*v40 + (v7*v60 + v6*v59 - v8*v64));
    const S v70 = c.MA2*v37 + v68;
    const S v71 = u[0]*(c.MA2*v10) + c.MA2*v38 + (v3*(v12*v50 + u[1]*v49 + c.MA3*v42 + v65) + v2*v67);
    const S v72 = v5*v68 + (v69 - v3*(v13*v48 - u[1]*v47 + c.J3X*v39 - (v61 + (v8*v65 + v9*v66))));
    const S v73 = v72 + (c.DL22*v1*(v1*v70 - v0*v71) + c.DL22*v0*(v1*v71 + v0*v70));
    const S v74 = v13*v46 - v12*v47 + (v7*v59 - v6*v60 - v9*v64) + c.DL33*v67;
    const S v75 = w[1] - u[1]*c.CR32 - c.KR32*(q[1] + c.c3) - v74;
    const S v76 = w[2] - u[2]*c.CR43 - c.KR43*(q[2] + c.c4) - (v61 + c.DL44*v62);
    const S v77 = c.c10*v36;
    const S v78 = S(1.0)/(c.J3Z + (c.MA4*v23 + (v6*(c.J4Y*v6) + v7*(c.J4X*v7))) + c.DL33*v28 + c.DL33*(c.c7 + v28));
    const S v79 = v31*v78;
    const S v80 = w[0] - u[0]*c.CR21 - c.KR21*(q[0] + c.c2) - v73 - v76*v77 - v75*v79;
    const S v81 = v80/(v34 + c.DL22*(c.c6 + v33) - v36*v77 - v31*v79);
    out[0] = v81;
    out[1] = v75*v78 - v79*v81;
    out[2] = c.c10*v76 - v77*v81;
    return out;
}

template <class S>
struct RateJacobians {
    Matrix<S, 3, 3> qdot_q{};  ///< derivative of qdot by q
    Matrix<S, 3, 3> qdot_u{};  ///< derivative of qdot by u
};

/// Derivatives of the coordinates' rates. Operations: none.
template <class S>
RateJacobians<S> rate_jacobians(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& /*q*/,
    const std::array<S, nu>& /*u*/, const Setup<S>& /*c*/) {
    RateJacobians<S> out{};
    out.qdot_u[0][0] = S(1.0);
    out.qdot_u[1][1] = S(1.0);
    out.qdot_u[2][2] = S(1.0);
    return out;
}

template <class S>
struct Jacobians {
    Matrix<S, 3, 3> r_q{};  ///< derivative of r by q
    Matrix<S, 3, 3> r_u{};  ///< derivative of r by u
    Matrix<S, 3, 3> r_w{};  ///< derivative of r by w
};

namespace detail {

template <class S>
void jacobians_1(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& /*w*/, const std::array<S, nu>& /*udot*/,
    const std::array<S, nm>& /*lambda*/, const Setup<S>& c, Jacobians<S>& out, S* s) {
    using std::cos, std::sin;
    s[0] = sin(q[0]);
    s[1] = cos(q[0]);
    s[2] = c.DL22*s[0];
    s[3] = c.DL22*s[1];
    s[4] = sin(q[1]);
    s[5] = cos(q[1]);
    s[6] = c.DL33*s[4];
    s[7] = c.SL32 + c.DL33*s[5];
    s[8] = sin(q[2]);
    s[9] = cos(q[2]);
    s[10] = c.DL44*s[8];
    s[11] = c.DL44*s[9];
    s[12] = c.SL43 + s[11];
    s[13] = u[0]*c.DL22;
    const S v0 = s[3] + s[1]*s[7];
    s[14] = u[1]*c.DL33;
    s[15] = u[0]*s[5];
    s[16] = u[0]*s[4];
    const S v1 = s[13] + u[0]*s[7];
    s[17] = s[4]*s[8];
    s[18] = s[4]*s[9];
    s[19] = u[2]*c.DL44;
    s[20] = u[1]*s[9] + s[8]*s[16];
    s[21] = s[9]*s[16] - u[1]*s[8];
    const S v2 = s[10]*s[16];
    s[22] = s[10]*s[15];
    const S v3 = v1 + s[12]*s[15];
    s[23] = s[9]*v3;
    s[24] = s[8]*s[22];
    const S v4 = s[9]*s[22] - s[8]*v3;
    s[25] = u[2] + s[15];
    const S v5 = s[19] + (s[23] + s[24]);
    s[26] = s[10]*s[12];
    s[27] = s[10]*s[10];
    const S v6 = c.MA4*s[27];
    s[28] = c.MA4*s[26];
    const S v7 = c.J4X*s[8];
    const S v8 = c.J4Y*s[9];
    s[29] = c.J4X*s[9];
    s[30] = c.J4Y*s[8];
    s[31] = s[9]*v8;
    s[32] = s[8]*v7;
    s[33] = s[8]*v8;
    s[34] = s[9]*v7;
    const S v9 = c.MA4*s[12];
    s[35] = c.MA4*s[10];
    const S v10 = s[4]*v9;
    const S v11 = s[6]*(s[5]*v9);
    s[36] = c.DL22*(v10 + c.c5*s[6]);
    s[37] = c.DL33*s[35];
    s[38] = s[5]*(s[28] + (s[34] - s[33]) + s[37]);
    const S v12 = c.c0*s[9];
    s[39] = s[5]*s[35];
    s[40] = s[4]*s[35];
    s[41] = s[6]*v12;
    s[42] = s[41] + s[4]*(c.J4Z + (v6 + s[12]*v12));
    const S v13 = c.g*s[0];
    const S v14 = c.g*s[1];
    s[43] = u[1]*s[16];
    s[44] = u[1]*s[15];
    const S v15 = s[4]*v14;
    const S v16 = s[5]*v14;
    s[45] = v13 - s[14]*s[16];
    s[46] = u[2]*v4;
    s[47] = s[10]*s[43];
    const S v17 = v15 + s[10]*s[44];
    const S v18 = v16 - s[47];
    const S v19 = s[45] - s[12]*s[43];
    s[48] = s[9]*v19;
    s[49] = s[8]*v18;
    s[50] = u[2]*s[21] + s[8]*s[44];
    s[51] = s[9]*s[44] - u[2]*s[20];
    s[52] = c.J3X*s[15];
    s[53] = c.J3Y*s[16];
    s[54] = u[1]*c.J3Z;
    s[55] = c.MA3*s[14];
    const S v20 = c.MA3*v1;
    s[56] = u[1]*s[53];
    s[57] = s[16]*s[54];
    s[58] = s[15]*s[54];
    s[59] = u[1]*s[52];
    s[60] = s[16]*v20;
    s[61] = s[15]*v20;
    s[62] = c.J3X*s[43];
    s[63] = c.J3Y*s[44];
    s[64] = c.MA3*v15;
    s[65] = c.MA3*v16;
    s[66] = c.J4X*s[20];
    s[67] = c.J4Y*s[21];
    s[68] = c.J4Z*s[25];
    s[69] = c.MA4*v5;
    s[70] = c.MA4*v4;
    s[71] = c.MA4*(s[14] + (u[1]*s[12] + v2));
    s[72] = s[21]*s[68];
    s[73] = s[20]*s[68];
    s[74] = s[25]*s[70];
    s[75] = s[21]*s[71];
    s[76] = s[20]*s[71];
    s[77] = s[20]*s[70] - s[21]*s[69];
    s[78] = c.MA4*(s[19]*s[25] - u[2]*v5 + (s[9]*v18 - s[8]*v19));
    s[79] = c.MA4*(s[19]*s[21] + v17);
    s[80] = s[72] - s[25]*s[67] + c.J4X*s[50];
    s[81] = s[25]*s[66] - s[73] + c.J4Y*s[51];
    const S v21 = c.MA4*(s[46] + (s[48] + s[49])) - (s[74] + s[75]);
    const S v22 = s[76] + s[25]*s[69] + s[78];
    s[82] = s[77] - s[79];
    s[83] = s[9]*v22;
    s[84] = s[8]*v21;
    s[85] = s[83] + s[84];
    s[86] = s[8]*v22;
    s[87] = s[9]*v21;
    s[88] = s[87] - s[86];
    s[89] = s[10]*s[82];
    s[90] = s[9]*s[81];
    s[91] = s[8]*s[80];
    const S v23 = s[4]*v13;
    const S v24 = c.MA4*v23;
    out.r_q[1][0] = -(s[12]*v24 + c.DL33*(c.MA3*v23 + v24));
    out.r_q[2][0] = c.DL44*(c.MA4*(s[9]*v14 - s[8]*(s[5]*v13)));
    out.r_q[0][0] = -(c.c11 + (c.MA4*(c.g*(s[0]*s[10] - s[12]*(s[1]*s[5]) - v0)) - (c.MA2*(c.g*s[3]) + c.MA3*(c.g*v0))));
    const S v25 = u[0]*s[6];
    s[92] = s[8]*s[15];
    s[93] = s[9]*s[15];
    const S v26 = v25 + s[12]*s[16];
    const S v27 = s[9]*v26 + s[8]*v2;
    const S v28 = s[8]*v26 - s[9]*v2;
    const S v29 = -S(2.0)*v11;
    const S v30 = -S(2.0)*(s[5]*(s[4]*(c.J3X + (c.J4Z + c.MA4*(s[12]*s[12] + s[27])))));
    const S v31 = v29 + (S(2.0)*(S(2.0)*v11 - (s[7]*v10 + v11)) + v29);
    s[94] = -S(2.0)*(c.c5*(s[6]*s[7])) + (v31 + (S(2.0)*(s[4]*(s[5]*(c.J3Y + (v6 + (s[31] + s[32]))))) + v30));
    const S v32 = s[14]*s[15] + s[12]*s[44];
    s[95] = c.J3X*s[16];
    s[96] = c.J3Y*s[15];
    s[97] = c.MA3*v25;
    const S v33 = c.J4X*s[92];
    const S v34 = c.J4Y*s[93];
    s[98] = c.J4Z*s[16];
    s[99] = c.MA4*v27;
    s[100] = c.MA4*v28;
    const S v35 = c.MA4*s[22];
    s[101] = s[20]*s[100] + s[70]*s[92] + (s[21]*s[99] - s[69]*s[93]);
    s[102] = c.MA4*(v18 + s[19]*s[93]);
    s[103] = s[68]*s[93] - s[21]*s[98] + (s[16]*s[67] - s[25]*v34) + c.J4X*(u[2]*s[93] - s[8]*s[43]);
    s[104] = s[25]*v33 - s[16]*s[66] + (s[20]*s[98] - s[68]*s[92]) - c.J4Y*(u[2]*s[92] + s[9]*s[43]);
    s[105] = s[20]*v34 + s[67]*s[92] - (s[21]*v33 + s[66]*s[93]) - c.J4Z*s[44];
    s[106] = c.MA4*(u[2]*v28 - (s[9]*v32 + s[8]*v17)) - (s[25]*s[100] - s[16]*s[70] + (s[21]*v35 + s[71]*s[93]));
    const S v36 = c.MA4*(u[2]*v27 - s[16]*s[19] + (s[8]*v32 - s[9]*v17));
    s[107] = s[20]*v35 + s[71]*s[92] - (s[25]*s[99] + s[16]*s[69]) + v36;
    s[108] = s[101] - s[102];
    s[109] = s[9]*s[107] + s[8]*s[106];
}

template <class S>
void jacobians_2(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& /*q*/,
    const std::array<S, nu>& u, const std::array<S, nw>& /*w*/, const std::array<S, nu>& udot,
    const std::array<S, nm>& /*lambda*/, const Setup<S>& c, Jacobians<S>& out, S* s) {
    const S v37 = s[9]*s[106] - s[8]*s[107];
    const S v38 = s[65] + (s[61] - s[16]*s[97]) + (s[102] - s[101]);
    const S v39 = -S(2.0)*(s[15]*s[55]) + v37;
    const S v40 = s[5]*(s[109] - (s[64] + (s[60] + s[15]*s[97]))) - s[4]*(s[61] + u[1]*s[55] + s[65] + s[85]);
    const S v41 = v40 + (s[5]*(s[60] + s[64] + (s[79] - s[77])) + s[4]*v38);
    const S v42 = s[4]*(s[62] - s[57] - s[56] + (s[9]*s[104] + s[8]*s[103] - s[10]*s[108]));
    const S v43 = s[4]*(s[57] - s[56] + s[62] - (s[20]*s[67] - s[21]*s[66] - c.J4Z*s[43] + (s[10]*s[85] + s[12]*s[88])));
    const S v44 = v43 - s[5]*(s[59] + (s[58] - s[63]) - (s[105] + (s[10]*s[109] + s[12]*v37)));
    const S v45 = s[5]*(s[58] - s[59] + s[63] + (s[90] + s[91] - s[89])) + v42 + v44;
    const S v46 = s[3]*(s[1]*v39 - s[0]*v41) + s[2]*(s[1]*v41 + s[0]*v39);
    const S v47 = s[15]*s[52] - s[16]*s[95] + (s[16]*s[53] - s[15]*s[96]) + (s[9]*s[103] - s[8]*s[104] - s[12]*s[108]);
    const S v48 = s[7]*v39 - s[6]*(c.MA3*s[45] - s[16]*s[55] + s[88]) + v45 + v46 + udot[0]*(s[94] - s[36] - s[36]);
    out.r_q[0][1] = v48 + udot[1]*s[38] - udot[2]*s[42];
    out.r_q[1][1] = c.KR32 + (v47 + c.DL33*v38) + udot[0]*s[38];
    out.r_q[2][1] = s[105] + c.DL44*s[106] - udot[0]*s[42];
    const S v49 = s[10]*s[11];
    const S v50 = c.MA4*v49;
    const S v51 = S(2.0)*v50;
    const S v52 = -S(2.0)*s[33] + S(2.0)*s[34];
    const S v53 = s[6]*s[40];
    const S v54 = s[41] + s[4]*(c.MA4*(s[11]*s[12] - s[27]) + (s[8]*s[30] - s[31] + (s[9]*s[29] - s[32])));
    const S v55 = s[4]*(s[4]*(v51 + v52)) + s[5]*(s[5]*(c.MA4*(-S(2.0)*s[26] + S(2.0)*v49)));
    const S v56 = c.DL22*s[39];
    const S v57 = s[5]*(v51 - (s[28] + v50)) - s[7]*s[35] - c.DL22*s[35];
    const S v58 = c.J4X*s[21];
    const S v59 = c.J4Y*s[20];
    const S v60 = c.MA4*(s[24] - s[23] + (s[9]*(s[11]*s[15]) - s[24]));
    const S v61 = c.MA4*(s[11]*s[16] - u[1]*s[10]);
    const S v62 = s[21]*s[67] - s[20]*v59 + (s[20]*s[66] - s[21]*v58);
    const S v63 = s[21]*s[70];
    const S v64 = s[25]*v59 - s[73] + c.J4X*s[51];
    const S v65 = s[25]*v58 - s[72] - c.J4Y*s[50];
    const S v66 = s[78] - (s[25]*v60 + (s[21]*v61 - s[76]));
    const S v67 = s[74] + (s[75] + s[20]*v61) - c.MA4*(s[46] + (s[48] + s[8]*s[47] + (s[49] + s[9]*(s[11]*s[43]))));
    const S v68 = v63 + s[20]*v60 + (s[20]*s[69] - v63) - c.MA4*(s[11]*s[44] - s[19]*s[20]);
    const S v69 = s[9]*v67 - s[86] + (s[87] + s[8]*v66);
    const S v70 = s[9]*v66 - s[84] - (s[83] + s[8]*v67);
    const S v71 = s[5]*v69 - s[4]*v68;
    const S v72 = s[4]*(s[9]*v65 - s[8]*s[81] + (s[9]*s[80] + s[8]*v64) - (s[10]*v68 + s[11]*s[82]));
    const S v73 = s[7]*v70 + (v72 + s[5]*(v62 + (s[10]*v69 + s[11]*s[85] + (s[12]*v70 - s[10]*s[88]))));
    const S v74 = udot[0]*(v53 + (v53 - S(2.0)*(s[7]*s[39] + v53)) + v55 - v56 - v56);
    const S v75 = v73 + (s[3]*(s[1]*v70 - s[0]*v71) + s[2]*(s[1]*v71 + s[0]*v70)) + v74 + udot[1]*v54;
    out.r_q[0][2] = v75 + udot[2]*v57;
    const S v76 = s[89] - s[12]*v68 + (s[9]*v64 - s[91] - (s[90] + s[8]*v65)) - c.DL33*v68 + udot[0]*v54;
    out.r_q[1][2] = v76 + udot[1]*(-S(2.0)*s[28] - v52 - s[37] - s[37]);
    out.r_q[2][2] = c.KR43 + (v62 + c.DL44*v66) + udot[0]*v57;
    const S v77 = c.DL22 + s[7];
    const S v78 = s[5]*s[10];
    const S v79 = v77 + s[5]*s[12];
    const S v80 = s[9]*v79 + s[8]*v78;
    const S v81 = s[9]*v78 - s[8]*v79;
    const S v82 = u[1]*s[4];
    const S v83 = u[1]*s[5];
    const S v84 = s[10]*v82;
    const S v85 = s[4]*s[14] + s[12]*v82;
    const S v86 = c.J3X*s[5];
    const S v87 = c.J3Y*s[4];
    const S v88 = c.MA3*v77;
    const S v89 = c.J4X*s[17];
    const S v90 = c.J4Y*s[18];
    const S v91 = c.J4Z*s[5];
    const S v92 = c.MA4*v80;
    const S v93 = c.MA4*v81;
    const S v94 = s[20]*v93 + s[17]*s[70] - (s[21]*v92 + s[18]*s[69]);
    const S v95 = c.MA4*(s[18]*s[19] + s[10]*v83);
    const S v96 = s[21]*v91 + s[18]*s[68] - (s[25]*v90 + s[5]*s[67]) + c.J4X*(u[2]*s[18] + s[8]*v83);
    const S v97 = s[25]*v89 + s[5]*s[66] - (s[20]*v91 + s[17]*s[68]) + c.J4Y*(s[9]*v83 - u[2]*s[17]);
    const S v98 = s[20]*v90 + s[17]*s[67] - (s[21]*v89 + s[18]*s[66]) - c.J4Z*v82;
    const S v99 = c.MA4*(u[2]*v81 - (s[9]*v85 + s[8]*v84)) - (s[25]*v93 + s[5]*s[70] + (s[21]*s[40] + s[18]*s[71]));
    const S v100 = c.MA4*(s[5]*s[19] - u[2]*v80 + (s[8]*v85 - s[9]*v84));
    const S v101 = s[20]*s[40] + s[17]*s[71] + (s[25]*v92 + s[5]*s[69]) + v100;
    const S v102 = v94 - v95;
    const S v103 = s[9]*v101 + s[8]*v99;
    const S v104 = s[9]*v99 - s[8]*v101;
    const S v105 = S(2.0)*(s[16]*v88) + (v95 - v94);
    const S v106 = -S(2.0)*(s[4]*s[55]) + v104;
    const S v107 = s[4]*(s[5]*s[54] - u[1]*v86 + c.J3Y*v83 + (s[9]*v97 + s[8]*v96 - s[10]*v102));
    const S v108 = S(2.0)*(c.MA2*s[13]) + (s[5]*(S(2.0)*(s[15]*v88) + v103) + s[4]*v105);
    const S v109 = s[7]*v106 + (v107 - s[5]*(s[4]*s[54] - u[1]*v87 + c.J3X*v82 - (v98 + (s[10]*v103 + s[12]*v104))));
    out.r_u[0][0] = c.CR21 + (v109 + (s[3]*(s[1]*v106 - s[0]*v108) + s[2]*(s[1]*v108 + s[0]*v106)));
    out.r_u[1][0] = S(2.0)*(s[16]*v86) - S(2.0)*(s[15]*v87) + (s[9]*v96 - s[8]*v97 - s[12]*v102) + c.DL33*v105;
    out.r_u[2][0] = v98 + c.DL44*v99;
    const S v110 = c.MA4*(c.DL33 + s[12]);
    const S v111 = s[25]*s[30] - s[8]*s[68] + c.J4X*(s[92] - u[2]*s[8]);
    const S v112 = s[25]*s[29] - s[9]*s[68] + c.J4Y*(s[93] - u[2]*s[9]);
    const S v113 = s[9]*s[67] - s[20]*s[30] + (s[8]*s[66] - s[21]*s[29]) - s[98];
    const S v114 = s[99] + (s[21]*v110 - s[8]*s[71]);
    const S v115 = s[100] + (s[20]*v110 + s[9]*s[71]);
    const S v116 = s[8]*s[69] + s[9]*s[70] - c.MA4*(s[22] - s[8]*s[19]);
    const S v117 = s[9]*v115 - s[8]*v114;
    const S v118 = s[8]*v115 + s[9]*v114;
    const S v119 = -S(2.0)*s[97] - v118;
    const S v120 = s[5]*(S(2.0)*s[55] + v117) - s[4]*v116;
    const S v121 = s[4]*(s[96] + (c.J3Z*s[15] - s[52]) + (s[9]*v112 + s[8]*v111 - s[10]*v116));
    const S v122 = s[7]*v119 + (v121 - s[5]*(s[95] + (c.J3Z*s[16] - s[53]) - (v113 + (s[10]*v117 - s[12]*v118))));
    out.r_u[0][1] = v122 + (s[3]*(s[1]*v119 - s[0]*v120) + s[2]*(s[1]*v120 + s[0]*v119));
    out.r_u[1][1] = c.CR32 + (s[9]*v111 - s[8]*v112 - s[12]*v116 - c.DL33*v116);
    const S v123 = c.DL44*v114;
    out.r_u[2][1] = v113 - v123;
    out.r_u[1][2] = v123 - v113;
    const S v124 = v60 + (s[69] + c.c0*s[25]);
    const S v125 = s[9]*v124;
    const S v126 = s[8]*v124;
    const S v127 = s[5]*v125 + S(2.0)*(s[4]*v61);
    const S v128 = s[4]*(S(2.0)*(s[10]*v61) + (s[9]*(s[66] - c.J4Z*s[20] - v59) + s[8]*(v58 + (c.J4Z*s[21] - s[67]))));
    const S v129 = s[2]*(s[1]*v127 - s[0]*v126) - s[3]*(s[0]*v127 + s[1]*v126);
    out.r_u[0][2] = v128 + s[5]*(s[10]*v125 - s[12]*v126) - s[7]*v126 + v129;
    out.r_u[2][2] = c.CR43;
    out.r_w[0][0] = -S(1.0);
    out.r_w[1][1] = -S(1.0);
    out.r_w[2][2] = -S(1.0);
}

}  // namespace detail

/// Derivatives of r = M udot - f at fixed udot. Operations: 385 add, 533 mul, 3 sincos.
template <class S>
Jacobians<S> jacobians(const typename detail::Same<S>::type& t, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& w, const std::array<S, nu>& udot,
    const std::array<S, nm>& lambda, const Setup<S>& c) {
    Jacobians<S> out{};
    std::array<S, 110> shared{};
    S* s = shared.data();
    detail::jacobians_1<S>(t, q, u, w, udot, lambda, c, out, s);
    detail::jacobians_2<S>(t, q, u, w, udot, lambda, c, out, s);
    return out;
}

/// Forces along the speeds that are missing for this udot (inverse dynamics). Returns M udot - f. Operations: 121
/// add, 174 mul, 3 sincos.
template <class S>
std::array<S, 3> inverse(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& w, const std::array<S, nu>& udot,
    const std::array<S, nm>& /*lambda*/, const Setup<S>& c) {
    std::array<S, 3> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = c.DL33*v2;
    const S v5 = c.SL32 + c.DL33*v3;
    const S v6 = sin(q[2]), v7 = cos(q[2]);
    const S v8 = c.DL44*v6;
    const S v9 = c.SL43 + c.DL44*v7;
    const S v10 = u[0]*c.DL22;
    const S v11 = u[1]*c.DL33;
    const S v12 = u[0]*v3;
    const S v13 = u[0]*v2;
    const S v14 = v10 + u[0]*v5;
    const S v15 = u[2]*c.DL44;
    const S v16 = u[1]*v7 + v6*v13;
    const S v17 = v7*v13 - u[1]*v6;
    const S v18 = v8*v12;
    const S v19 = v14 + v9*v12;
    const S v20 = v7*v18 - v6*v19;
    const S v21 = u[2] + v12;
    const S v22 = v15 + (v7*v19 + v6*v18);
    const S v23 = v9*v9;
    const S v24 = v8*v8;
    const S v25 = c.MA4*v24;
    const S v26 = c.J4X*v6;
    const S v27 = c.J4Y*v7;
    const S v28 = c.MA4*v9;
    const S v29 = v3*v28;
    const S v30 = v4*(v2*v28);
    const S v31 = v4*(c.MA4*v8) + v2*(c.MA4*(v8*v9) + (v7*v26 - v6*v27));
    const S v32 = v2*(v2*(c.J3Y + (v25 + (v7*v27 + v6*v26)))) + v3*(v3*(c.J3X + (c.J4Z + c.MA4*(v23 + v24))));
    const S v33 = v29 + c.c5*v5;
    const S v34 = c.J2Z + (c.c5*(v5*v5) + (S(2.0)*(v5*v29 + v30) - v30 - v30 + v32)) + c.DL22*v33;
    const S v35 = c.c0*v7;
    const S v36 = v5*v35 + v3*(c.J4Z + (v25 + v9*v35)) + c.DL22*v35;
    const S v37 = c.g*v0;
    const S v38 = c.g*v1;
    const S v39 = u[1]*v13;
    const S v40 = u[1]*v12;
    const S v41 = v2*v38;
    const S v42 = v3*v38;
    const S v43 = v37 - v11*v13;
    const S v44 = v42 - v8*v39;
    const S v45 = v43 - v9*v39;
    const S v46 = c.J3X*v12;
    const S v47 = c.J3Y*v13;
    const S v48 = u[1]*c.J3Z;
    const S v49 = c.MA3*v11;
    const S v50 = c.MA3*v14;
    const S v51 = c.J4X*v16;
    const S v52 = c.J4Y*v17;
    const S v53 = c.J4Z*v21;
    const S v54 = c.MA4*v22;
    const S v55 = c.MA4*v20;
    const S v56 = c.MA4*(v11 + (u[1]*v9 + v8*v13));
    const S v57 = v16*v55 - v17*v54;
    const S v58 = c.MA4*(v15*v17 + (v41 + v8*v40));
    const S v59 = v17*v53 - v21*v52 + c.J4X*(u[2]*v17 + v6*v40);
    const S v60 = v21*v51 - v16*v53 + c.J4Y*(v7*v40 - u[2]*v16);
    const S v61 = v16*v52 - v17*v51 - c.J4Z*v39;
    const S v62 = c.MA4*(u[2]*v20 + (v7*v45 + v6*v44)) - (v21*v55 + v17*v56);
    const S v63 = v16*v56 + v21*v54 + c.MA4*(v15*v21 - u[2]*v22 + (v7*v44 - v6*v45));
    const S v64 = v57 - v58;
    const S v65 = v7*v63 + v6*v62;
    const S v66 = v7*v62 - v6*v63;
    const S v67 = v13*v50 + c.MA3*v41 + (v58 - v57);
    const S v68 = c.MA3*v43 - v13*v49 + v66;
    const S v69 = v2*(v12*v48 - u[1]*v46 + c.J3Y*v40 + (v7*v60 + v6*v59 - v8*v64));
    const S v70 = c.MA2*v37 + v68;
    const S v71 = u[0]*(c.MA2*v10) + c.MA2*v38 + (v3*(v12*v50 + u[1]*v49 + c.MA3*v42 + v65) + v2*v67);
    const S v72 = v5*v68 + (v69 - v3*(v13*v48 - u[1]*v47 + c.J3X*v39 - (v61 + (v8*v65 + v9*v66))));
    const S v73 = v72 + (c.DL22*v1*(v1*v70 - v0*v71) + c.DL22*v0*(v1*v71 + v0*v70));
    const S v74 = v73 - (w[0] - u[0]*c.CR21 - c.KR21*(q[0] + c.c2)) + udot[0]*(v34 + c.DL22*(c.c6 + v33)) + udot[1]*v31;
    const S v75 = v13*v46 - v12*v47 + (v7*v59 - v6*v60 - v9*v64) + c.DL33*v67;
    const S v76 = udot[1]*(c.J3Z + (c.MA4*v23 + (v6*(c.J4Y*v6) + v7*(c.J4X*v7))) + c.DL33*v28 + c.DL33*(c.c7 + v28));
    out[0] = v74 + udot[2]*v36;
    out[1] = v75 - (w[1] - u[1]*c.CR32 - c.KR32*(q[1] + c.c3)) + udot[0]*v31 + v76;
    out[2] = v61 + c.DL44*v62 - (w[2] - u[2]*c.CR43 - c.KR43*(q[2] + c.c4)) + udot[0]*v36 + udot[2]*c.c1;
    return out;
}

template <class S>
struct Energy {
    S T{};  ///< kinetic energy
    S V{};  ///< potential energy
};

/// Kinetic and potential energy. Operations: 35 add, 65 mul, 3 sincos.
template <class S>
Energy<S> energy(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const Setup<S>& c) {
    Energy<S> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = c.DL22*v1;
    const S v3 = sin(q[1]), v4 = cos(q[1]);
    const S v5 = c.SL32 + c.DL33*v4;
    const S v6 = sin(q[2]), v7 = cos(q[2]);
    const S v8 = c.DL44*v6;
    const S v9 = c.SL43 + c.DL44*v7;
    const S v10 = u[0]*c.DL22;
    const S v11 = v2 + v1*v5;
    const S v12 = u[1]*c.DL33;
    const S v13 = u[0]*v4;
    const S v14 = u[0]*v3;
    const S v15 = v10 + u[0]*v5;
    const S v16 = u[1]*v7 + v6*v14;
    const S v17 = v7*v14 - u[1]*v6;
    const S v18 = v8*v13;
    const S v19 = v12 + (u[1]*v9 + v8*v14);
    const S v20 = v15 + v9*v13;
    const S v21 = v7*v18 - v6*v20;
    const S v22 = u[2] + v13;
    const S v23 = u[2]*c.DL44 + (v7*v20 + v6*v18);
    const S v24 = q[0] + c.c2;
    const S v25 = q[1] + c.c3;
    const S v26 = q[2] + c.c4;
    const S v27 = u[1]*(u[1]*c.J3Z) + (v14*(c.J3Y*v14) + v13*(c.J3X*v13)) + c.MA3*(v15*v15 + v12*v12);
    const S v28 = v22*(c.J4Z*v22) + (v17*(c.J4Y*v17) + v16*(c.J4X*v16));
    const S v29 = u[0]*(u[0]*c.J2Z) + c.MA2*(v10*v10) + v27 + (v28 + c.MA4*(v19*v19 + (v21*v21 + v23*v23)));
    const S v30 = S(0.5)*(v24*(c.KR21*v24)) + S(0.5)*(v25*(c.KR32*v25)) + S(0.5)*(v26*(c.KR43*v26));
    out.T = S(0.5)*v29;
    out.V = v30 + (c.MA4*(c.g*(v0*v8 - v9*(v1*v4) - v11)) - (c.MA2*(c.g*v2) + c.MA3*(c.g*v11)));
    return out;
}

template <class S>
struct Momentum {
    std::array<S, 3> linear{};  ///< linear momentum
    std::array<S, 3> angular{};  ///< angular momentum
};

/// Linear momentum, and angular momentum about the origin, in ground axes. Operations: 65 add, 105 mul, 3 sincos.
template <class S>
Momentum<S> momentum(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const Setup<S>& c) {
    Momentum<S> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = c.DL22*v0;
    const S v3 = c.DL22*v1;
    const S v4 = sin(q[1]), v5 = cos(q[1]);
    const S v6 = c.DL33*v4;
    const S v7 = c.SL32 + c.DL33*v5;
    const S v8 = sin(q[2]), v9 = cos(q[2]);
    const S v10 = c.DL44*v8;
    const S v11 = c.SL43 + c.DL44*v9;
    const S v12 = u[0]*c.DL22;
    const S v13 = v0*v4;
    const S v14 = v0*v5;
    const S v15 = v1*v4;
    const S v16 = v1*v5;
    const S v17 = v2 + v0*v7;
    const S v18 = v3 + v1*v7;
    const S v19 = u[1]*c.DL33;
    const S v20 = u[0]*v5;
    const S v21 = u[0]*v4;
    const S v22 = v12 + u[0]*v7;
    const S v23 = v1*v9 - v8*v14;
    const S v24 = v1*v8 + v9*v14;
    const S v25 = v0*v9 + v8*v16;
    const S v26 = v9*v16 - v0*v8;
    const S v27 = v4*v8;
    const S v28 = v4*v9;
    const S v29 = v17 + (v1*v10 + v11*v14);
    const S v30 = v0*v10 - v11*v16 - v18;
    const S v31 = v6 + v4*v11;
    const S v32 = v10*v20;
    const S v33 = v22 + v11*v20;
    const S v34 = c.MA2*v12;
    const S v35 = c.J3X*v20;
    const S v36 = c.J3Y*v21;
    const S v37 = u[1]*c.J3Z;
    const S v38 = c.MA3*v19;
    const S v39 = c.MA3*v22;
    const S v40 = c.J4X*(u[1]*v9 + v8*v21);
    const S v41 = c.J4Y*(v9*v21 - u[1]*v8);
    const S v42 = c.J4Z*(u[2] + v20);
    const S v43 = c.MA4*(u[2]*c.DL44 + (v9*v33 + v8*v32));
    const S v44 = c.MA4*(v9*v32 - v8*v33);
    const S v45 = c.MA4*(v19 + (u[1]*v11 + v10*v21));
    const S v46 = v1*v34;
    const S v47 = v0*v34;
    const S v48 = v1*v39 - v13*v38;
    const S v49 = v0*v39 + v15*v38;
    const S v50 = v5*v38;
    const S v51 = v23*v43 - v24*v44 - v13*v45;
    const S v52 = v15*v45 + (v26*v44 + v25*v43);
    const S v53 = v28*v44 + v27*v43 - v5*v45;
    const S v54 = v13*v42 + (v23*v40 - v24*v41) + (v31*v52 + v30*v53);
    const S v55 = v0*v37 + (v16*v36 - v15*v35) + (v17*v50 - v6*v48);
    const S v56 = u[0]*c.J2Z + (v3*v46 + v2*v47) + (v4*v36 + v5*v35 + (v18*v48 + v17*v49));
    out.linear[0] = v46 + v48 + v51;
    out.linear[1] = v47 + v49 + v52;
    out.linear[2] = v53 - v50;
    out.angular[0] = v1*v37 + (v13*v35 - v14*v36) + (v6*v49 + v18*v50) + v54;
    out.angular[1] = v55 + (v26*v41 + v25*v40 - v15*v42 - (v29*v53 + v31*v51));
    out.angular[2] = v56 + (v5*v42 + (v28*v41 + v27*v40) + (v29*v52 - v30*v51));
    return out;
}

/// Outputs of the model. Returns outputs. Operations: 105 add, 161 mul, 3 sincos.
template <class S>
std::array<S, 9> outputs(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& /*w*/, const std::array<S, nu>& udot,
    const std::array<S, nm>& /*lambda*/, const Setup<S>& c) {
    std::array<S, 9> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = c.DL22*v0;
    const S v3 = c.DL22*v1;
    const S v4 = sin(q[1]), v5 = cos(q[1]);
    const S v6 = c.DL33*v4;
    const S v7 = c.SL32 + c.DL33*v5;
    const S v8 = sin(q[2]), v9 = cos(q[2]);
    const S v10 = c.DL44*v8;
    const S v11 = c.SL43 + c.DL44*v9;
    const S v12 = u[0]*c.DL22;
    const S v13 = v1*v5;
    const S v14 = u[1]*c.DL33;
    const S v15 = u[0]*v5;
    const S v16 = u[0]*v4;
    const S v17 = v12 + u[0]*v7;
    const S v18 = u[2]*c.DL44;
    const S v19 = u[1]*v9 + v8*v16;
    const S v20 = v9*v16 - u[1]*v8;
    const S v21 = v10*v15;
    const S v22 = v17 + v11*v15;
    const S v23 = v9*v21 - v8*v22;
    const S v24 = u[2] + v15;
    const S v25 = v18 + (v9*v22 + v8*v21);
    const S v26 = c.g*v1;
    const S v27 = u[1]*v16;
    const S v28 = c.J3X*v15;
    const S v29 = c.J3Y*v16;
    const S v30 = u[1]*c.J3Z;
    const S v31 = c.MA3*v14;
    const S v32 = c.MA3*v17;
    const S v33 = c.J4X*v19;
    const S v34 = c.J4Y*v20;
    const S v35 = c.J4Z*v24;
    const S v36 = c.MA4*v25;
    const S v37 = c.MA4*v23;
    const S v38 = c.MA4*(v14 + (u[1]*v11 + v10*v16));
    const S v39 = c.c9*(v1*v4);
    const S v40 = udot[0]*c.DL22;
    const S v41 = udot[1]*c.DL33;
    const S v42 = udot[0]*v5;
    const S v43 = v27 - v42;
    const S v44 = u[1]*v15 + udot[0]*v4;
    const S v45 = v40 + udot[0]*v7 - v14*v16;
    const S v46 = v10*v43;
    const S v47 = v45 - v11*v43;
    const S v48 = v20*v35 - v24*v34 + c.J4X*(u[2]*v20 + (udot[1]*v9 + v8*v44));
    const S v49 = v24*v33 - v19*v35 + c.J4Y*(v9*v44 - udot[1]*v8 - u[2]*v19);
    const S v50 = v19*v37 - v20*v36 - c.MA4*(v18*v20 + (v41 + (udot[1]*v11 + v10*v44)));
    const S v51 = c.MA4*(u[2]*v23 + udot[2]*c.DL44 + (v9*v47 - v8*v46)) - (v24*v37 + v20*v38);
    const S v52 = c.c9*(v0*v9 + v8*v13) + v51;
    const S v53 = v19*v38 + v24*v36 + c.MA4*(v18*v24 - u[2]*v25 - (v8*v47 + v9*v46));
    const S v54 = c.c9*(v9*v13 - v0*v8) + v53;
    const S v55 = v50 - v39;
    const S v56 = v9*v54 + v8*v52;
    const S v57 = v9*v52 - v8*v54;
    const S v58 = v19*v34 - v20*v33 + c.J4Z*(udot[2] + (v42 - v27)) + (v10*v56 + v11*v57);
    const S v59 = v16*v30 - u[1]*v29 + c.J3X*v43 - v58;
    const S v60 = v15*v30 - u[1]*v28 + c.J3Y*v44 + (v9*v49 + v8*v48 - v10*v55);
    const S v61 = c.MA3*(v4*v26) + (v16*v32 + c.MA3*v41) + (v39 - v50);
    const S v62 = v15*v32 + u[1]*v31 + c.MA3*(v5*v26) + v56;
    const S v63 = c.c8*v0 + (c.MA3*v45 - v16*v31) + v57;
    const S v64 = v5*v62 + v4*v61;
    const S v65 = v4*v62 - v5*v61;
    const S v66 = v16*v28 - v15*v29 + udot[1]*c.J3Z + (v9*v48 - v8*v49 - v11*v55) + (v6*v64 - v7*v65);
    const S v67 = v5*v60 + v4*v59 - v6*v63;
    const S v68 = c.MA2*(c.g*v0) + c.MA2*v40 + v63;
    const S v69 = u[0]*(c.MA2*v12) + c.MA2*v26 + v64;
    const S v70 = v1*v68 - v0*v69;
    const S v71 = v1*v69 + v0*v68;
    out[0] = v2 + v0*v7 + (v1*v10 + v11*(v0*v5));
    out[1] = v0*v10 - v11*v13 - (v3 + v1*v7);
    out[2] = -(v6 + v4*v11);
    out[3] = v70;
    out[4] = v71;
    out[5] = v65;
    out[6] = v1*v66 - v0*v67 - v3*v65;
    out[7] = v1*v67 + v0*v66 - v2*v65;
    out[8] = udot[0]*c.J2Z + (v7*v63 + (v4*v60 - v5*v59)) + (v3*v70 + v2*v71);
    return out;
}

namespace detail {

/// A X = B by A = L D L', for the rows and columns from `first` on of A, of which the lower triangle is read and overwritten;
/// those rows of B become X. size[i] is what rounding errors of A[i][i] are proportional to. False when a pivot is not
/// positive beyond rounding; B is left alone then.
template <class S, std::size_t n, std::size_t k>
bool solve_definite(std::size_t first, Matrix<S, n, n>& A, const std::array<S, n>& size, Matrix<S, n, k>& B) {
    using std::sqrt;
    std::array<S, n> z{};
    for (std::size_t j = first; j < n; ++j) {
        S d = A[j][j];
        for (std::size_t i = first; i < j; ++i) d = d - A[j][i]*A[j][i]*A[i][i];
        if (!less(S(1e-3)*size[j], d)) {
            // z' A z = d with z[j] = 1, so errors of A are worth (sum |z| sqrt(size))^2 here
            S bound = less(S(0.0), size[j]) ? sqrt(size[j]) : S(0.0);
            for (std::size_t i = j; i-- > first;) {
                z[i] = -A[j][i];
                for (std::size_t l = i + 1; l < j; ++l) z[i] = z[i] - A[l][i]*z[l];
                bound = bound + magnitude(z[i])*sqrt(size[i]);
            }
            if (!less(S(8*std::numeric_limits<double>::epsilon())*bound*bound, d)) return false;
        }
        A[j][j] = d;
        for (std::size_t i = j + 1; i < n; ++i) {
            S a = A[i][j];
            for (std::size_t l = first; l < j; ++l) a = a - A[i][l]*A[j][l]*A[l][l];
            A[i][j] = a/d;
        }
    }
    for (std::size_t i = first; i < n; ++i) {
        for (std::size_t l = first; l < i; ++l) {
            for (std::size_t j = 0; j < k; ++j) B[i][j] = B[i][j] - A[i][l]*B[l][j];
        }
    }
    for (std::size_t i = n; i-- > first;) {
        for (std::size_t j = 0; j < k; ++j) B[i][j] = B[i][j]/A[i][i];
        for (std::size_t l = i + 1; l < n; ++l) {
            for (std::size_t j = 0; j < k; ++j) B[i][j] = B[i][j] - A[l][i]*B[l][j];
        }
    }
    return true;
}

}  // namespace detail

namespace detail {

template <class S>
std::array<S, nq> coordinates(const std::array<S, nx>& x) {
    std::array<S, nq> q{};
    for (std::size_t i = 0; i < nq; ++i) q[i] = x[i];
    return q;
}
template <class S>
std::array<S, nu> speeds(const std::array<S, nx>& x) {
    std::array<S, nu> u{};
    for (std::size_t i = 0; i < nu; ++i) u[i] = x[nq + i];
    return u;
}

}  // namespace detail

template <class S>
struct Rhs {
    std::array<S, nx> xdot{};
    Status status = Status::ok;
};

/// The rate of the state x = [q; u].
template <class S>
Rhs<S> rhs(const typename detail::Same<S>::type& t, const std::array<S, nx>& x, const std::array<S, nw>& w, const Setup<S>& c) {
    Rhs<S> out{};
    const std::array<S, nq> q = detail::coordinates(x), qdot = rates<S>(t, q, detail::speeds(x), c);
    const std::array<S, nu> udot = accelerations<S>(t, q, detail::speeds(x), w, c);
    for (std::size_t i = 0; i < nq; ++i) out.xdot[i] = qdot[i];
    for (std::size_t i = 0; i < nu; ++i) out.xdot[nq + i] = udot[i];
    if (!detail::is_finite(out.xdot)) out.status = Status::not_finite;
    return out;
}

template <class S>
struct RhsJacobian {
    Matrix<S, nx, nx> A{};  ///< by x
    Matrix<S, nx, nw> B{};  ///< by w
    Status status = Status::ok;
};

/// Derivatives of the rate of the state.
template <class S>
RhsJacobian<S> rhs_jacobian(const typename detail::Same<S>::type& t, const std::array<S, nx>& x, const std::array<S, nw>& w,
    const Setup<S>& c) {
    constexpr std::size_t k = nx + nw;
    RhsJacobian<S> out{};
    const std::array<S, nq> q = detail::coordinates(x);
    const std::array<S, nu> u = detail::speeds(x);
    const std::array<S, nu> udot = accelerations<S>(t, q, u, w, c);
    const std::array<S, nm> lambda{};
    auto d = dynamics<S>(t, q, u, w, c);
    const auto rate = rate_jacobians<S>(t, q, u, c);
    const auto J = jacobians<S>(t, q, u, w, udot, lambda, c);
    Matrix<S, nu, k> X{};
    for (std::size_t i = 0; i < nu; ++i) {
        for (std::size_t j = 0; j < nq; ++j) X[i][j] = -J.r_q[i][j];
        for (std::size_t j = 0; j < nu; ++j) X[i][nq + j] = -J.r_u[i][j];
        for (std::size_t j = 0; j < nw; ++j) X[i][nx + j] = -J.r_w[i][j];
    }
    std::array<S, nu> size{};
    for (std::size_t i = 0; i < nu; ++i) size[i] = detail::magnitude(d.M[i][i]);
    if (!detail::solve_definite<S, nu, k>(0, d.M, size, X)) out.status = Status::no_inertia;
    for (std::size_t i = 0; i < nq; ++i) {
        for (std::size_t j = 0; j < nq; ++j) out.A[i][j] = rate.qdot_q[i][j];
        for (std::size_t j = 0; j < nu; ++j) out.A[i][nq + j] = rate.qdot_u[i][j];
    }
    for (std::size_t i = 0; i < nu; ++i) {
        for (std::size_t j = 0; j < nx; ++j) out.A[nq + i][j] = X[i][j];
        for (std::size_t j = 0; j < nw; ++j) out.B[nq + i][j] = X[i][nx + j];
    }
    if (out.status == Status::ok && !detail::is_finite(out.A)) out.status = Status::not_finite;
    return out;
}

/// Unit quaternions among the coordinates made unit again.
template <class S, std::size_t n>
void normalise(std::array<S, n>&) {}

}  // namespace triple_pendulum
