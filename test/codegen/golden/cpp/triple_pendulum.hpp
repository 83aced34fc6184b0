// Triple pendulum: equations of motion
// Derived by the formulation 'recursive', written by linkwright 0.1.0.
//
//     qdot = N(q, t) u + nu(q, t)
//     M(q, t) udot = f(q, u, w, t)
//
// SI units, angles in radians. The state x is q, then u.
//
// Coordinates q, with their initial values
//     0  q1  0.0
//     1  q2  0.0
//     2  q3  0.0
//
// Speeds u, with their initial values
//     0  q1'  0.0
//     1  q2'  0.0
//     2  q3'  0.0
//
// Inputs w, with their default values
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
//     setup           p -> c                                32 add, 33 mul, 1 div
//     rates           t q u c -> qdot                       none
//     dynamics        t q u w c -> M f                      62 add, 76 mul, 3 sincos
//     accelerations   t q u w c -> udot                     68 add, 86 mul, 2 div, 3 sincos
//     rate_jacobians  t q u c -> qdot_q qdot_u              none
//     jacobians       t q u w udot lambda c -> r_q r_u r_w  137 add, 216 mul, 3 sincos
//     inverse         t q u w udot lambda c -> r            54 add, 67 mul, 3 sincos
//     energy          t q u c -> T V                        35 add, 60 mul, 3 sincos
//     momentum        t q u c -> linear angular             63 add, 102 mul, 3 sincos
//     outputs         t q u w udot lambda c -> y            110 add, 164 mul, 3 sincos
//
// S is any scalar: float, double, std::complex<double> (for the complex step), a type of automatic differentiation.
//
//     const auto c = triple_pendulum::setup(triple_pendulum::Parameters<double>{});   // again whenever a parameter changes
//     std::array<double, triple_pendulum::nx> x = triple_pendulum::start<double>();
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
inline constexpr std::size_t nc = 62;  ///< constants, from setup
inline constexpr std::size_t nm = 0;  ///< constraints
inline constexpr std::size_t ny = 9;  ///< outputs
inline constexpr std::size_t nx = 6;  ///< states x = [q; u]

/// By rows.
template <class S, std::size_t rows, std::size_t columns>
using Matrix = std::array<std::array<S, columns>, rows>;

enum class Status {
    ok,
    no_inertia,     ///< a motion that the constraints allow has no inertia
    contradiction,  ///< constraints contradict each other here; the result meets them as closely as possible
    not_finite,     ///< something is infinite or not a number
};

/// Values of the model.
template <class S>
struct Parameters {
    S g = S(9.81);  ///< m/s^2, 98.1 gives the eigenvalues of his tables 6.1 and 6.2
    S DL22_ = S(0.5);  ///< DL22, m, joint to centre of mass
    S DL33_ = S(0.5);  ///< DL33, m
    S DL44_ = S(0.5);  ///< DL44, m
    S SL32_ = S(0.5);  ///< SL32, m, centre of mass to the next joint
    S SL43_ = S(0.5);  ///< SL43, m
    S MA2_ = S(1.0);  ///< MA2, kg
    S MA3_ = S(1.0);  ///< MA3, kg
    S MA4_ = S(1.0);  ///< MA4, kg
    S J2X_ = S(0.2);  ///< J2X, kg*m^2
    S J2Y_ = S(0.1);  ///< J2Y, kg*m^2
    S J2Z_ = S(0.2);  ///< J2Z, kg*m^2
    S J3X_ = S(0.2);  ///< J3X, kg*m^2
    S J3Y_ = S(0.1);  ///< J3Y, kg*m^2
    S J3Z_ = S(0.2);  ///< J3Z, kg*m^2
    S J4X_ = S(0.2);  ///< J4X, kg*m^2
    S J4Y_ = S(0.1);  ///< J4Y, kg*m^2
    S J4Z_ = S(0.2);  ///< J4Z, kg*m^2
    S KR21_ = S(0.0);  ///< KR21, N*m/rad, joint stiffness
    S KR32_ = S(0.0);  ///< KR32, N*m/rad
    S KR43_ = S(0.0);  ///< KR43, N*m/rad
    S CR21_ = S(0.0);  ///< CR21, N*m*s/rad, joint damping; simulation 2 has 5
    S CR32_ = S(0.0);  ///< CR32, N*m*s/rad
    S CR43_ = S(0.0);  ///< CR43, N*m*s/rad
    S PHI02_ = S(0.0);  ///< PHI02, rad, angle at which the spring is free
    S PHI03_ = S(0.0);  ///< PHI03, rad
    S PHI04_ = S(0.0);  ///< PHI04, rad
};

/// What depends on parameters only: computed by setup.
template <class S>
struct Setup {
    S g{};  ///< 98.1 gives the eigenvalues of his tables 6.1 and 6.2
    S KR21_{};  ///< joint stiffness
    S KR32_{};
    S KR43_{};
    S CR21_{};  ///< joint damping; simulation 2 has 5
    S CR32_{};
    S CR43_{};
    S PHI02_{};  ///< angle at which the spring is free
    S PHI03_{};
    S PHI04_{};
    S c0{};  ///< DL22 + SL32
    S c1{};  ///< DL33 + SL43
    S c2{};  ///< DL44*MA4
    S c3{};  ///< J4Y + J4Z - J4X
    S c4{};  ///< (J4Y + J4Z - J4X)/2
    S c5{};  ///< (J4X + J4Z - J4Y)/2 + MA4*DL44^2
    S c6{};  ///< (DL22 + SL32)*(MA3 + MA4)
    S c7{};  ///< DL22*MA2 + (DL22 + SL32)*(MA3 + MA4)
    S c8{};  ///< DL33*MA3 + MA4*(DL33 + SL43)
    S c9{};  ///< DL33*MA3*DL33 + (J3X + J3Z - J3Y)/2 + MA4*(DL33 + SL43)*(DL33 + SL43)
    S c10{};  ///< (J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2
    S c11{};
    S c12{};  ///< (J4Y + J4Z - J4X)/2 - ((J4X + J4Z - J4Y)/2 + MA4*DL44^2)
    S c13{};  ///< (J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2
    S c14{};  ///< DL44*MA4*(DL33 + SL43)
    S c15{};  ///< DL22*MA2*DL22 + (J2X + J2Z - J2Y)/2
    S c16{};  ///< (J2Y + J2Z - J2X)/2
    S c17{};  ///< (J3X + J3Y - J3Z)/2
    S c18{};  ///< 2*((J3Y + J3Z - J3X)/2 + (J4X + J4Y - J4Z)/2)
    S c19{};  ///< 1/((J4X + J4Z - J4Y)/2 + MA4*DL44^2 + (J4Y + J4Z - J4X)/2)
    S DL22_{};  ///< joint to centre of mass
    S DL33_{};
    S DL44_{};
    S SL32_{};  ///< centre of mass to the next joint
    S SL43_{};
    S MA2_{};
    S MA3_{};
    S MA4_{};
    S c20{};  ///< 2*(DL33 + SL43)
    S c21{};
    S c22{};  ///< 2*DL44*MA4
    S c23{};  ///< 2*(DL33*MA3 + MA4*(DL33 + SL43))
    S c24{};  ///< 2*(DL33*MA3*DL33 + (J3X + J3Z - J3Y)/2 + MA4*(DL33 + SL43)*(DL33 + SL43))
    S c25{};
    S c26{};  ///< 2*DL44*MA4*(DL33 + SL43)
    S c27{};  ///< 2*((J4X + J4Z - J4Y)/2 + MA4*DL44^2)
    S c28{};
    S J2Z_{};
    S J3X_{};
    S J3Y_{};
    S J3Z_{};
    S J4X_{};
    S J4Y_{};
    S J4Z_{};
    S c29{};  ///< KR43/2
    S c30{};  ///< KR32/2
    S c31{};  ///< KR21/2
    S c32{};  ///< g*MA4
    S c33{};  ///< g*MA3
    S c34{};  ///< g*MA4 + g*MA3
    S c35{};  ///< g*MA2
    S c36{};  ///< g*MA3 + g*MA2
};

/// Default values of the inputs.
template <class S>
std::array<S, nw> inputs() {
    return {{S(0.0), S(0.0), S(0.0)}};
}

/// Initial coordinates and speeds.
template <class S>
std::array<S, nx> start() {
    return {{S(0.0), S(0.0), S(0.0), S(0.0), S(0.0), S(0.0)}};
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

/// What rounding does to numbers that S is made of, as far as S says; otherwise as for double.
template <class S>
struct Rounding {
    static constexpr double epsilon = std::numeric_limits<double>::epsilon();
};
template <>
struct Rounding<float> {
    static constexpr double epsilon = static_cast<double>(std::numeric_limits<float>::epsilon());
};
template <class T>
struct Rounding<std::complex<T>> : Rounding<T> {};

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

/// What depends on parameters only, computed once. Operations: 32 add, 33 mul, 1 div.
template <class S>
Setup<S> setup(const Parameters<S>& p) {
    Setup<S> out{};
    const S v0 = p.DL22_ + p.SL32_;
    const S v1 = p.DL33_ + p.SL43_;
    const S v2 = p.DL22_*p.MA2_;
    const S v3 = p.J2X_ - p.J2Y_;
    const S v4 = p.DL22_*v2 + S(0.5)*(p.J2Z_ + v3);
    const S v5 = S(0.5)*(p.J2Z_ - v3);
    const S v6 = p.DL33_*p.MA3_;
    const S v7 = p.J3X_ - p.J3Y_;
    const S v8 = S(0.5)*(p.J3X_ + p.J3Y_ - p.J3Z_);
    const S v9 = p.DL44_*p.MA4_;
    const S v10 = p.J4Y_ - p.J4X_;
    const S v11 = p.J4Z_ + v10;
    const S v12 = S(0.5)*v11;
    const S v13 = S(0.5)*(p.J4Z_ - v10) + p.DL44_*v9;
    const S v14 = v0*(p.MA3_ + p.MA4_);
    const S v15 = p.MA4_*v1;
    const S v16 = v6 + v15;
    const S v17 = p.DL33_*v6 + S(0.5)*(p.J3Z_ + v7) + v1*v15;
    const S v18 = S(0.5)*(p.J3Z_ - v7) + S(0.5)*(p.J4X_ + p.J4Y_ - p.J4Z_);
    const S v19 = v17 - v18;
    const S v20 = v12 + v13;
    const S v21 = p.g*p.MA4_;
    const S v22 = p.g*p.MA3_;
    const S v23 = p.g*p.MA2_;
    const S v24 = v1*v9;
    out.g = p.g;
    out.KR21_ = p.KR21_;
    out.KR32_ = p.KR32_;
    out.KR43_ = p.KR43_;
    out.CR21_ = p.CR21_;
    out.CR32_ = p.CR32_;
    out.CR43_ = p.CR43_;
    out.PHI02_ = p.PHI02_;
    out.PHI03_ = p.PHI03_;
    out.PHI04_ = p.PHI04_;
    out.c0 = v0;
    out.c1 = v1;
    out.c2 = v9;
    out.c3 = v11;
    out.c4 = v12;
    out.c5 = v13;
    out.c6 = v14;
    out.c7 = v2 + v14;
    out.c8 = v16;
    out.c9 = v17;
    out.c10 = v18;
    out.c11 = v19;
    out.c12 = v12 - v13;
    out.c13 = v20;
    out.c14 = v24;
    out.c15 = v4;
    out.c16 = v5;
    out.c17 = v8;
    out.c18 = S(2.0)*v18;
    out.c19 = S(1.0)/v20;
    out.DL22_ = p.DL22_;
    out.DL33_ = p.DL33_;
    out.DL44_ = p.DL44_;
    out.SL32_ = p.SL32_;
    out.SL43_ = p.SL43_;
    out.MA2_ = p.MA2_;
    out.MA3_ = p.MA3_;
    out.MA4_ = p.MA4_;
    out.c20 = S(2.0)*v1;
    out.c21 = -v19;
    out.c22 = S(2.0)*v9;
    out.c23 = S(2.0)*v16;
    out.c24 = S(2.0)*v17;
    out.c25 = S(2.0)*v19;
    out.c26 = S(2.0)*v24;
    out.c27 = S(2.0)*v13;
    out.c28 = v4 + v0*v14 + (v5 + v8);
    out.J2Z_ = p.J2Z_;
    out.J3X_ = p.J3X_;
    out.J3Y_ = p.J3Y_;
    out.J3Z_ = p.J3Z_;
    out.J4X_ = p.J4X_;
    out.J4Y_ = p.J4Y_;
    out.J4Z_ = p.J4Z_;
    out.c29 = S(0.5)*p.KR43_;
    out.c30 = S(0.5)*p.KR32_;
    out.c31 = S(0.5)*p.KR21_;
    out.c32 = v21;
    out.c33 = v22;
    out.c34 = v21 + v22;
    out.c35 = v23;
    out.c36 = v22 + v23;
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

/// Mass matrix and forcing: M udot = f. Operations: 62 add, 76 mul, 3 sincos.
template <class S>
Dynamics<S> dynamics(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& w, const Setup<S>& c) {
    Dynamics<S> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = sin(q[2]), v5 = cos(q[2]);
    const S v6 = c.g*v0;
    const S v7 = c.g*v1 + c.c0*(u[0]*u[0]);
    const S v8 = u[0]*v2;
    const S v9 = u[0]*v3;
    const S v10 = v8*v9;
    const S v11 = v2*v7;
    const S v12 = u[1]*v8;
    const S v13 = u[1]*v9;
    const S v14 = v4*v8 + u[1]*v5;
    const S v15 = v5*v8 - u[1]*v4;
    const S v16 = u[2] + v9;
    const S v17 = v5*c.c2;
    const S v18 = c.c1*v17;
    const S v19 = v4*c.c12;
    const S v20 = v4*v19;
    const S v21 = c.c9 + (c.c5 + v20 + S(2.0)*v18);
    const S v22 = v3*(v3*(v21 - c.c10)) + (c.c10 + (c.c15 + c.c0*(c.c6 + S(2.0)*(v3*(c.c8 + v17))))) + c.c16 + c.c17;
    const S v23 = S(2.0)*v12;
    const S v24 = u[2] + v16;
    const S v25 = v4*v13 + v15*v24;
    const S v26 = v12 + v14*v15;
    const S v27 = c.c4*(v14*v24 - v5*v13);
    const S v28 = c.c5*v25 + c.c2*(v11 + c.c1*v10);
    const S v29 = c.c12*v26 - c.c3*v12 + c.c2*(v4*(v3*v7 + c.c1*(v9*v9 + u[1]*u[1])) + v5*(v6 - c.c1*v23));
    const S v30 = c.c2*(v4*(v14*v14 + v16*v16) + v5*v26);
    const S v31 = v2*(v13*c.c18 + v4*v28 - v5*v27) + v3*(v29 + (c.c8*v6 - c.c9*v23) - c.c1*v30);
    out.M[0][0] = c.c4 + v22 - v20;
    out.M[1][0] = out.M[0][1] = -v2*(v5*v19 - v4*c.c14);
    out.M[1][1] = c.c10 + v21;
    out.M[2][0] = out.M[0][2] = v3*(c.c13 + v18) + c.c0*v17;
    out.M[2][2] = c.c13;
    out.f[0] = w[0] - u[0]*c.CR21_ - c.KR21_*(q[0] - c.PHI02_) - (c.c7*v6 + (v31 + c.c0*(-c.c8*v23 - v30)));
    out.f[1] = w[1] - u[1]*c.CR32_ - c.KR32_*(q[1] - c.PHI03_) - c.c8*v11 - v10*c.c11 - c.c14*v25 - v4*v27 - v5*v28;
    out.f[2] = w[2] - u[2]*c.CR43_ - c.KR43_*(q[2] - c.PHI04_) - v29;
    return out;
}

/// Accelerations, written out. Returns accelerations. Operations: 68 add, 86 mul, 2 div, 3 sincos.
template <class S>
std::array<S, 3> accelerations(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& w, const Setup<S>& c) {
    std::array<S, 3> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = sin(q[2]), v5 = cos(q[2]);
    const S v6 = c.g*v0;
    const S v7 = c.g*v1 + c.c0*(u[0]*u[0]);
    const S v8 = u[0]*v2;
    const S v9 = u[0]*v3;
    const S v10 = v8*v9;
    const S v11 = v2*v7;
    const S v12 = u[1]*v8;
    const S v13 = u[1]*v9;
    const S v14 = v4*v8 + u[1]*v5;
    const S v15 = v5*v8 - u[1]*v4;
    const S v16 = u[2] + v9;
    const S v17 = v5*c.c2;
    const S v18 = c.c1*v17;
    const S v19 = v3*(c.c13 + v18) + c.c0*v17;
    const S v20 = v4*c.c12;
    const S v21 = v4*v20;
    const S v22 = c.c9 + (c.c5 + v21 + S(2.0)*v18);
    const S v23 = v2*(v5*v20 - v4*c.c14);
    const S v24 = S(2.0)*v12;
    const S v25 = u[2] + v16;
    const S v26 = v4*v13 + v15*v25;
    const S v27 = v12 + v14*v15;
    const S v28 = c.c4*(v14*v25 - v5*v13);
    const S v29 = c.c5*v26 + c.c2*(v11 + c.c1*v10);
    const S v30 = c.c12*v27 - c.c3*v12 + c.c2*(v4*(v3*v7 + c.c1*(v9*v9 + u[1]*u[1])) + v5*(v6 - c.c1*v24));
    const S v31 = v30 - (w[2] - u[2]*c.CR43_ - c.KR43_*(q[2] - c.PHI04_));
    const S v32 = c.c2*(v4*(v14*v14 + v16*v16) + v5*v27);
    const S v33 = u[1]*c.CR32_ + (v5*v29 + (v4*v28 + (c.c14*v26 + (c.c8*v11 + v10*c.c11))) - w[1]);
    const S v34 = c.KR32_*(q[1] - c.PHI03_) + v33;
    const S v35 = v2*(v13*c.c18 + v4*v29 - v5*v28) + v3*(v30 + (c.c8*v6 - c.c9*v24) - c.c1*v32);
    const S v36 = v19*c.c19;
    const S v37 = S(1.0)/(c.c10 + v22);
    const S v38 = v23*v37;
    const S v39 = v3*(v3*(v22 - c.c10)) + (c.c10 + (c.c15 + c.c0*(c.c6 + S(2.0)*(v3*(c.c8 + v17))))) + c.c16 + c.c17;
    const S v40 = v31*v36 - (c.c7*v6 + (v35 + c.c0*(-c.c8*v24 - v32)) - (w[0] - u[0]*c.CR21_ - c.KR21_*(q[0] - c.PHI02_)));
    const S v41 = (v40 - v34*v38)/(c.c4 + v39 - v21 - v19*v36 - v23*v38);
    out[0] = v41;
    out[1] = v38*v41 - v34*v37;
    out[2] = -(v31*c.c19 + v36*v41);
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

/// Derivatives of r = M udot - f at fixed udot. Operations: 137 add, 216 mul, 3 sincos.
template <class S>
Jacobians<S> jacobians(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& /*w*/, const std::array<S, nu>& udot,
    const std::array<S, nm>& /*lambda*/, const Setup<S>& c) {
    Jacobians<S> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = sin(q[2]), v5 = cos(q[2]);
    const S v6 = c.g*v1;
    const S v7 = c.g*v0;
    const S v8 = u[0]*c.c0;
    const S v9 = v6 + u[0]*v8;
    const S v10 = v7 + udot[0]*c.c0;
    const S v11 = u[0]*v2;
    const S v12 = u[0]*v3;
    const S v13 = v11*v12;
    const S v14 = v12*v12;
    const S v15 = v3*v9;
    const S v16 = v2*v9;
    const S v17 = u[1]*v11;
    const S v18 = u[1]*v12;
    const S v19 = udot[0]*v2 + v18;
    const S v20 = udot[0]*v3 - v17;
    const S v21 = v17 - v20;
    const S v22 = v15 + c.c1*(v14 + u[1]*u[1]);
    const S v23 = v10 - c.c1*v21;
    const S v24 = v4*v11 + u[1]*v5;
    const S v25 = v5*v11 - u[1]*v4;
    const S v26 = v24*v24;
    const S v27 = v24*v25;
    const S v28 = udot[2] + v20;
    const S v29 = u[2] + v12;
    const S v30 = v18 + v19;
    const S v31 = v14 - v11*v11;
    const S v32 = u[2] + v29;
    const S v33 = udot[1]*v4 + (v24*v32 - v5*v19);
    const S v34 = udot[1]*v5 + (v4*v19 + v25*v32);
    const S v35 = v27 - v28;
    const S v36 = c.c2*v35;
    const S v37 = c.c2*(v26 + v29*v29);
    const S v38 = c.c3*v33;
    const S v39 = v25*v25 - v26;
    const S v40 = c.c5*v34 + c.c2*(v16 + c.c1*(udot[1] + v13));
    const S v41 = v4*v40;
    const S v42 = v5*v38;
    const S v43 = c.DL22_*v1;
    const S v44 = v1*(c.SL32_ + c.DL33_*v3) + v43;
    const S v45 = v2*v5;
    const S v46 = v2*v4;
    const S v47 = v5*c.c2;
    const S v48 = v4*v12;
    const S v49 = v5*v12;
    const S v50 = S(2.0)*v24;
    const S v51 = S(2.0)*v11;
    const S v52 = v4*v20 + (v32*v49 - v11*v25);
    const S v53 = v19 + (v25*v48 + v24*v49);
    const S v54 = c.c3*(v32*v48 - v11*v24 - v5*v20);
    const S v55 = c.c5*v52 + c.c2*(v15 + c.c1*v31);
    const S v56 = c.c12*v53 - c.c3*v19 + c.c2*(v4*(-v13*c.c20 - v16) - v5*(c.c1*v30));
    const S v57 = S(0.5)*v5;
    const S v58 = S(0.5)*v4;
    const S v59 = c.c2*(v5*v53 + v4*(v48*v50 - v29*v51));
    const S v60 = v4*v55 - v54*v57 - v21*c.c21 - c.c8*v10 - v35*c.c12 - c.c3*v28 - c.c2*(v4*v22 + v5*v23);
    const S v61 = v3*(v56 + (v41 + v30*c.c21 - S(0.5)*v42) - c.c1*v59) + v2*(c.c1*(v5*v36 + v4*v37) + v60);
    const S v62 = c.c5*v33;
    const S v63 = c.c3*v34;
    const S v64 = c.c12*v39 + c.c2*(v5*v22 - v4*v23);
    const S v65 = v5*(v37 + c.c2*v39) + v4*(v27*c.c22 - v36);
    const S v66 = v2*v12;
    const S v67 = v2*v8;
    const S v68 = u[1]*v2;
    const S v69 = u[1]*v3;
    const S v70 = S(2.0)*v3;
    const S v71 = v4*v69 + (v3*v25 + v32*v45);
    const S v72 = v68 + (v25*v46 + v24*v45);
    const S v73 = c.c3*(v3*v24 + v32*v46 - v5*v69);
    const S v74 = c.c5*v71 + c.c2*(c.c20*v66 + S(2.0)*v67);
    const S v75 = c.c12*v72 - c.c3*v68 + c.c2*(v4*(v70*(v8 + c.c1*v12)) - v68*(v5*c.c20));
    const S v76 = c.c2*(v5*v72 + v4*(v46*v50 + v29*v70));
    const S v77 = v2*(v69*c.c18 + v4*v74 - v57*v73) + v3*(v75 - v68*c.c24 - c.c1*v76);
    const S v78 = v48 - v4*v32;
    const S v79 = v11 + (v5*v25 - v4*v24);
    const S v80 = c.c5*v78;
    const S v81 = c.c3*(v5*v32 - v49);
    const S v82 = c.c12*v79 - c.c3*v11 - v25*c.c26;
    const S v83 = v47*(v79 + v4*v50);
    const S v84 = v2*(v12*c.c18 + v4*v80 - v57*v81) + v3*(v82 - c.c9*v51 - c.c1*v83);
    out.r_q[0][0] = c.KR21_ - c.g*(c.MA4_*(v0*(c.DL44_*v4) - (c.SL43_ + c.DL44_*v5)*(v1*v3) - v44) - c.MA3_*v44 - c.MA2_*v43);
    out.r_q[0][1] = v61 - c.c0*(c.c8*v30 + v59);
    out.r_q[0][2] = v2*(v5*v40 - v4*v62 - S(0.5)*(v5*v63 - v4*v38)) + v3*(v64 - c.c1*v65) - c.c0*v65;
    out.r_q[1][0] = -v2*v7*(c.c8 + v47);
    out.r_q[1][1] = v5*v55 + (v54*v58 + (v52*c.c14 + (c.c8*v15 + (c.KR32_ + c.c11*v31))));
    out.r_q[1][2] = -(v41 + v5*v62 - S(0.5)*(v42 + v4*v63) + v33*c.c14);
    out.r_q[2][0] = c.c2*(v5*v6 - v4*(v3*v7));
    out.r_q[2][1] = v56;
    out.r_q[2][2] = c.KR43_ + v64;
    out.r_u[0][0] = c.CR21_ + (v77 - c.c0*(v68*c.c23 + v76));
    out.r_u[0][1] = v84 - c.c0*(v11*c.c23 + v83);
    out.r_u[0][2] = v2*(v25*(v4*c.c27) - v5*(c.c3*v24)) - (c.c0 + v3*c.c1)*(v4*(v29*c.c22));
    out.r_u[1][0] = v66*c.c25 + (v67*c.c23 + (c.c14*v71 + (v5*v74 + v58*v73)));
    out.r_u[1][1] = v5*v80 + (v58*v81 + (c.CR32_ + c.c14*v78));
    out.r_u[1][2] = -v82;
    out.r_u[2][0] = v75;
    out.r_u[2][1] = v82;
    out.r_u[2][2] = c.CR43_;
    out.r_w[0][0] = -S(1.0);
    out.r_w[1][1] = -S(1.0);
    out.r_w[2][2] = -S(1.0);
    return out;
}

/// Generalized forces required in addition for this udot (inverse dynamics). Returns M udot - f. Operations: 54
/// add, 67 mul, 3 sincos.
template <class S>
std::array<S, 3> inverse(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& w, const std::array<S, nu>& udot,
    const std::array<S, nm>& /*lambda*/, const Setup<S>& c) {
    std::array<S, 3> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = sin(q[2]), v5 = cos(q[2]);
    const S v6 = c.g*v0;
    const S v7 = c.g*v1 + c.c0*(u[0]*u[0]);
    const S v8 = v6 + udot[0]*c.c0;
    const S v9 = u[0]*v2;
    const S v10 = u[0]*v3;
    const S v11 = v2*v7;
    const S v12 = u[1]*v9;
    const S v13 = u[1]*v10;
    const S v14 = udot[0]*v2 + v13;
    const S v15 = udot[0]*v3 - v12;
    const S v16 = udot[1] + v9*v10;
    const S v17 = v12 - v15;
    const S v18 = v4*v9 + u[1]*v5;
    const S v19 = v5*v9 - u[1]*v4;
    const S v20 = udot[2] + v15;
    const S v21 = u[2] + v10;
    const S v22 = u[2] + v21;
    const S v23 = udot[1]*v5 + (v4*v14 + v19*v22);
    const S v24 = v18*v19 - v20;
    const S v25 = c.c4*(udot[1]*v4 + (v18*v22 - v5*v14));
    const S v26 = c.c5*v23 + c.c2*(v11 + c.c1*v16);
    const S v27 = v24*c.c12 + c.c3*v20 + c.c2*(v4*(v3*v7 + c.c1*(v10*v10 + u[1]*u[1])) + v5*(v8 - c.c1*v17));
    const S v28 = c.c2*(v5*v24 + v4*(v18*v18 + v21*v21));
    const S v29 = v16*c.c11 + (c.c8*v11 + (v23*c.c14 + (v4*v25 + (v5*v26 + (c.KR32_*(q[1] - c.PHI03_) + u[1]*c.CR32_)))));
    const S v30 = v2*(c.c10*(v13 + v14) + v4*v26 - v5*v25) + (c.c7*v6 + udot[0]*c.c28);
    const S v31 = u[0]*c.CR21_ + (v3*(c.c8*v8 - c.c9*v17 + (v27 - c.c1*v28)) + v30 - c.c0*(c.c8*v17 + v28) - w[0]);
    out[0] = c.KR21_*(q[0] - c.PHI02_) + v31;
    out[1] = udot[1]*c.c18 + v29 - w[1];
    out[2] = v27 - (w[2] - u[2]*c.CR43_ - c.KR43_*(q[2] - c.PHI04_));
    return out;
}

template <class S>
struct Energy {
    S T{};  ///< kinetic energy
    S V{};  ///< potential energy
};

/// Kinetic and potential energy. Operations: 35 add, 60 mul, 3 sincos.
template <class S>
Energy<S> energy(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const Setup<S>& c) {
    Energy<S> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = sin(q[2]), v5 = cos(q[2]);
    const S v6 = q[0] - c.PHI02_;
    const S v7 = q[1] - c.PHI03_;
    const S v8 = q[2] - c.PHI04_;
    const S v9 = u[0]*v2;
    const S v10 = u[0]*v3;
    const S v11 = v4*v9 + u[1]*v5;
    const S v12 = v5*v9 - u[1]*v4;
    const S v13 = u[2] + v10;
    const S v14 = c.SL43_ + c.DL44_*v5;
    const S v15 = c.DL44_*v4;
    const S v16 = u[1]*c.DL33_;
    const S v17 = u[1]*v14 + v9*v15 + v16;
    const S v18 = c.SL32_ + c.DL33_*v3;
    const S v19 = u[0]*c.DL22_;
    const S v20 = u[0]*v18 + v19;
    const S v21 = v10*v14 + v20;
    const S v22 = v10*v15;
    const S v23 = v5*v22 - v4*v21;
    const S v24 = v5*v21 + v4*v22 + u[2]*c.DL44_;
    const S v25 = v13*(c.J4Z_*v13) + (v12*(c.J4Y_*v12) + v11*(c.J4X_*v11));
    const S v26 = u[1]*(u[1]*c.J3Z_) + (v9*(c.J3Y_*v9) + v10*(c.J3X_*v10)) + c.MA3_*(v20*v20 + v16*v16);
    const S v27 = v25 + c.MA4_*(v17*v17 + (v23*v23 + v24*v24)) + (v26 + (u[0]*(u[0]*c.J2Z_) + c.MA2_*(v19*v19)));
    const S v28 = c.DL22_*v1;
    const S v29 = v1*v18 + v28;
    const S v30 = v8*(v8*c.c29) + c.g*(c.MA4_*(v0*v15 - v14*(v1*v3) - v29) - c.MA3_*v29 - c.MA2_*v28);
    out.T = S(0.5)*v27;
    out.V = v6*(v6*c.c31) + (v7*(v7*c.c30) + v30);
    return out;
}

template <class S>
struct Momentum {
    std::array<S, 3> linear{};  ///< linear momentum
    std::array<S, 3> angular{};  ///< angular momentum
};

/// Linear momentum, and angular momentum about the origin, in ground axes. Operations: 63 add, 102 mul, 3 sincos.
template <class S>
Momentum<S> momentum(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const Setup<S>& c) {
    Momentum<S> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = sin(q[2]), v5 = cos(q[2]);
    const S v6 = u[0]*v2;
    const S v7 = u[0]*v3;
    const S v8 = c.J4Y_*(v5*v6 - u[1]*v4);
    const S v9 = c.J4X_*(v4*v6 + u[1]*v5);
    const S v10 = c.SL43_ + c.DL44_*v5;
    const S v11 = c.DL44_*v4;
    const S v12 = u[1]*c.DL33_;
    const S v13 = c.SL32_ + c.DL33_*v3;
    const S v14 = u[0]*c.DL22_;
    const S v15 = u[0]*v13 + v14;
    const S v16 = v7*v10 + v15;
    const S v17 = v7*v11;
    const S v18 = u[1]*c.J3Z_;
    const S v19 = c.J3Y_*v6;
    const S v20 = v1*v3;
    const S v21 = c.DL22_*v1;
    const S v22 = v1*v13 + v21;
    const S v23 = v0*v11 - v10*v20 - v22;
    const S v24 = c.MA4_*(u[1]*v10 + v6*v11 + v12);
    const S v25 = v0*v2;
    const S v26 = c.MA4_*(v5*v17 - v4*v16);
    const S v27 = v0*v3;
    const S v28 = v1*v4 + v5*v27;
    const S v29 = c.MA4_*(v5*v16 + v4*v17 + u[2]*c.DL44_);
    const S v30 = v1*v5 - v4*v27;
    const S v31 = v29*v30 - v26*v28 - v24*v25;
    const S v32 = c.MA3_*v15;
    const S v33 = c.MA3_*v12;
    const S v34 = v1*v32 - v25*v33;
    const S v35 = c.MA2_*v14;
    const S v36 = v1*v35;
    const S v37 = v1*v2;
    const S v38 = v5*v20 - v0*v4;
    const S v39 = v0*v5 + v4*v20;
    const S v40 = v24*v37 + (v26*v38 + v29*v39);
    const S v41 = v0*v32 + v33*v37;
    const S v42 = v0*v35;
    const S v43 = v2*v5;
    const S v44 = v2*v4;
    const S v45 = v26*v43 + v29*v44 - v3*v24;
    const S v46 = v3*v33;
    const S v47 = c.DL33_*v2;
    const S v48 = v2*v10 + v47;
    const S v49 = c.J4Z_*(u[2] + v7) + c.J3X_*v7;
    const S v50 = v41*v47 + (v1*v18 + (v23*v45 + (v40*v48 + (v9*v30 + v25*v49 - v8*v28))) - v19*v27);
    const S v51 = c.DL22_*v0;
    const S v52 = v0*v13 + v51;
    const S v53 = v1*v11 + v10*v27 + v52;
    const S v54 = v46*v52 + (v19*v20 + (v0*v18 + (v8*v38 + v9*v39 - v37*v49 - v45*v53 - v31*v48)));
    const S v55 = v41*v52 + (v22*v34 + (v2*v19 + (v40*v53 + (v9*v44 + (v8*v43 + v3*v49)) - v23*v31)));
    out.linear[0] = v31 + (v34 + v36);
    out.linear[1] = v40 + (v41 + v42);
    out.linear[2] = v45 - v46;
    out.angular[0] = v22*v46 + v50;
    out.angular[1] = v54 - v34*v47;
    out.angular[2] = v42*v51 + (v21*v36 + (u[0]*c.J2Z_ + v55));
    return out;
}

/// Outputs of the model. Returns outputs. Operations: 110 add, 164 mul, 3 sincos.
template <class S>
std::array<S, 9> outputs(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& /*w*/, const std::array<S, nu>& udot,
    const std::array<S, nm>& /*lambda*/, const Setup<S>& c) {
    std::array<S, 9> out{};
    using std::cos, std::sin;
    const S v0 = sin(q[0]), v1 = cos(q[0]);
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = sin(q[2]), v5 = cos(q[2]);
    const S v6 = c.g*v0;
    const S v7 = u[0]*u[0];
    const S v8 = c.g*v1 + c.c0*v7;
    const S v9 = v6 + udot[0]*c.c0;
    const S v10 = u[0]*v2;
    const S v11 = u[0]*v3;
    const S v12 = v2*v8;
    const S v13 = u[1]*v10;
    const S v14 = u[1]*v11;
    const S v15 = udot[0]*v2 + v14;
    const S v16 = udot[0]*v3 - v13;
    const S v17 = v11*v11 + u[1]*u[1];
    const S v18 = udot[1] + v10*v11;
    const S v19 = v13 - v16;
    const S v20 = v4*v10 + u[1]*v5;
    const S v21 = v5*v10 - u[1]*v4;
    const S v22 = udot[2] + v16;
    const S v23 = u[2] + v11;
    const S v24 = u[2] + v23;
    const S v25 = udot[1]*v5 + (v4*v15 + v21*v24);
    const S v26 = v20*v21 - v22;
    const S v27 = c.c2*v26;
    const S v28 = c.c2*(v20*v20 + v23*v23);
    const S v29 = c.c2*v25;
    const S v30 = c.c4*(udot[1]*v4 + (v20*v24 - v5*v15));
    const S v31 = c.c5*v25 + c.c2*(v12 + c.c1*v18);
    const S v32 = v5*v27 + v4*v28;
    const S v33 = c.c10*(v14 + v15) + v4*v31 - v5*v30;
    const S v34 = v26*c.c12 + c.c3*v22 + c.c2*(v4*(v3*v8 + c.c1*v17) + v5*(v9 - c.c1*v19)) - c.c1*v32;
    const S v35 = c.c8*v9 - c.c9*v19 + v34;
    const S v36 = c.c8*v17 + (v5*v28 - v4*v27);
    const S v37 = c.c8*v18 + v29;
    const S v38 = c.c8*v19 + v32;
    const S v39 = v3*v33 - v2*v35;
    const S v40 = v2*v36 - v3*v37;
    const S v41 = c.c0*v40 - v18*c.c11 - udot[1]*c.c18 - c.c8*v12 - c.c1*v29 - v4*v30 - v5*v31;
    const S v42 = c.SL43_ + c.DL44_*v5;
    const S v43 = c.DL44_*v4;
    const S v44 = u[1]*c.DL33_;
    const S v45 = c.SL32_ + c.DL33_*v3;
    const S v46 = u[0]*c.DL22_;
    const S v47 = u[0]*v45 + v46;
    const S v48 = v11*v42 + v47;
    const S v49 = v11*v43;
    const S v50 = v5*v49 - v4*v48;
    const S v51 = u[2]*c.DL44_;
    const S v52 = v5*v48 + v4*v49 + v51;
    const S v53 = v1*v3;
    const S v54 = c.DL22_ + v45;
    const S v55 = c.MA4_*(u[1]*v42 + v10*v43 + v44);
    const S v56 = c.MA4_*v50;
    const S v57 = c.MA4_*v52;
    const S v58 = c.MA3_*v47;
    const S v59 = c.MA3_*v44;
    const S v60 = udot[0]*c.DL22_;
    const S v61 = udot[0]*v45 + v60 - v10*v44;
    const S v62 = v16*v42 + v61;
    const S v63 = v16*v43;
    const S v64 = v20*v55 + v23*v57 + c.MA4_*(v23*v51 - u[2]*v52 - (v4*v62 - v5*v63));
    const S v65 = v64 + (v5*v53 - v0*v4)*c.c32;
    const S v66 = c.MA4_*(v5*v62 + v4*v63 + (udot[2]*c.DL44_ + u[2]*v50)) - (v23*v56 + v21*v55);
    const S v67 = v66 + (v0*v5 + v4*v53)*c.c32;
    const S v68 = udot[1]*c.DL33_;
    const S v69 = v21*v57 + (v10*v58 + c.MA3_*v68 + v1*v2*c.c34 - v20*v56);
    const S v70 = v3*(v5*v65 + v4*v67 + (v11*v58 + u[1]*v59 + v53*c.c33));
    const S v71 = v70 + v2*(c.MA4_*(udot[1]*v42 + v15*v43 + v68 + v21*v51) + v69) + (u[0]*(c.MA2_*v46) + v1*c.c35);
    out[0] = v1*v43 + v0*(v54 + v3*v42);
    out[1] = v0*v43 - v42*v53 - v1*v54;
    out[2] = -v2*(c.DL33_ + v42);
    out[3] = -(v0*(c.c7*v7 + (v3*v36 + v2*v37)) + v1*(v38 - udot[0]*c.c7));
    out[4] = v1*v71 + v0*(c.MA2_*v60 + (c.MA3_*v61 + (v5*v67 - v4*v65) - v10*v59 + v0*c.c36));
    out[5] = v40;
    out[6] = -(v0*v39 + v1*v41);
    out[7] = v1*v39 - v0*v41;
    out[8] = v3*v35 + (v2*v33 + (c.c7*v6 + udot[0]*c.c28)) - c.c0*v38;
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
            if (!less(S(8*Rounding<S>::epsilon)*bound*bound, d)) return false;
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

/// Normalises the unit quaternions among the coordinates.
template <class S, std::size_t n>
void normalise(std::array<S, n>&) {}

}  // namespace triple_pendulum
