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
//     0  alpha  0.0
//     1  beta   0.0
//     2  delta  0.0
//
// Speeds u, with their initial values
//     0  alpha'  0.0
//     1  beta'   0.0
//     2  delta'  0.0
//
// Inputs w, with their default values
//     0  drive  0.0
//
// Parameters p, with their values in the model
//     0  g     9.81
//     1  base  0.4   m     between the pins in the ground
//     2  a     0.1   m     crank
//     3  b     0.35  m     coupler
//     4  c     0.25  m     rocker
//     5  rho   2.0   kg/m  mass per length of the bars
//
// Constraints: rows of G, entries of lambda
//     0  knee.x  joint 'knee' holds its point along x of the ground
//     1  knee.y  joint 'knee' holds its point along y of the ground
//
// Of the 2 rows of G 2 are independent at the initial state, and are assumed to be so at every call. Parameters
// that change this number need code of their own.
//
// Outputs y
//     0  knee
//     1  knee'
//     2  pen.x
//     3  pen.y
//     4  pen.z
//     5  freudenstein
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
// S is any scalar: float, double, std::complex<double> (for the complex step), a type of automatic differentiation.
//
//     const auto c = four_bar::setup(four_bar::Parameters<double>{});   // again whenever a parameter changes
//     std::array<double, four_bar::nx> x = four_bar::start<double>();
//     for (int step = 0; step < 1000; ++step) {    // Euler's method, the simplest there is
//         const auto [xdot, status] = four_bar::rhs(1e-3*step, x, four_bar::inputs<double>(), c);
//         if (status != four_bar::Status::ok) break;
//         for (std::size_t i = 0; i < four_bar::nx; ++i) x[i] += 1e-3*xdot[i];
//         four_bar::normalise(x);
//     }
//
// Start where the constraints are satisfied, as start does with the parameters of the model; residuals gives their violation.

#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace four_bar {

inline constexpr std::size_t nq = 3;  ///< coordinates
inline constexpr std::size_t nu = 3;  ///< speeds
inline constexpr std::size_t nw = 1;  ///< inputs
inline constexpr std::size_t np = 6;  ///< parameters
inline constexpr std::size_t nc = 36;  ///< constants, from setup
inline constexpr std::size_t nm = 2;  ///< constraints
inline constexpr std::size_t ny = 6;  ///< outputs
inline constexpr std::size_t nx = 6;  ///< states x = [q; u]
inline constexpr int rank = 2;  ///< independent constraints, at the start

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
    S g = S(9.81);
    S base = S(0.4);  ///< m, between the pins in the ground
    S a = S(0.1);  ///< m, crank
    S b = S(0.35);  ///< m, coupler
    S c = S(0.25);  ///< m, rocker
    S rho = S(2.0);  ///< kg/m, mass per length of the bars
};

/// What depends on parameters only: computed by setup.
template <class S>
struct Setup {
    S g{};
    S a{};  ///< crank
    S b{};  ///< coupler
    S c{};  ///< rocker
    S c0{};  ///< b*rho*b
    S c1{};  ///< b*rho*a + a*rho*a/2
    S c2{};  ///< c*rho*g/2
    S c3{};  ///< b*rho*b*a/2
    S c4{};  ///< b*rho*b*a
    S c5{};
    S c6{};  ///< 3333333333333333*rho*b^3/10000000000000000
    S c7{};  ///< 3333333333333333*rho*c^3/10000000000000000
    S c8{};  ///< b*rho
    S c9{};  ///< 2*c
    S c10{};  ///< 2*a
    S c11{};  ///< b*rho*b/2
    S c12{};  ///< a*rho/2
    S c13{};  ///< 3333333333333333*b/10000000000000000
    S c14{};  ///< a*(b*rho*a + 3333333333333333*a*rho*a/10000000000000000)
    S c15{};  ///< g/2
    S c16{};  ///< 3333333333333333*c/10000000000000000
    S c17{};  ///< c*rho
    S c18{};  ///< b/2
    S c19{};  ///< 3333333333333333*c*rho/10000000000000000
    S c20{};  ///< 3333333333333333*a*rho/10000000000000000
    S c21{};  ///< 8333333333333333*b^2/100000000000000000
    S c22{};  ///< c*rho*c/2
    S base{};  ///< between the pins in the ground
    S c23{};  ///< c/2
    S c24{};  ///< a*rho
    S c25{};  ///< c/4
    S c26{};  ///< c^2
    S c27{};  ///< b^3
    S c28{};  ///< a^2
    S c29{};  ///< 8333333333333333*rho/100000000000000000
    S c30{};  ///< b^2
};

/// Default values of the inputs.
template <class S>
std::array<S, nw> inputs() {
    return {{S(0.0)}};
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

/// What depends on parameters only, computed once. Operations: 3 add, 36 mul.
template <class S>
Setup<S> setup(const Parameters<S>& p) {
    Setup<S> out{};
    const S v0 = p.b*p.rho;
    const S v1 = p.b*v0;
    const S v2 = p.b*p.b;
    const S v3 = p.b*v2;
    const S v4 = p.rho*v3;
    const S v5 = p.a*v0;
    const S v6 = p.a*p.rho;
    const S v7 = p.a*v6;
    const S v8 = p.c*p.rho;
    const S v9 = S(0.5)*p.c;
    const S v10 = p.c*p.c;
    const S v11 = S(0.3333333333333333)*p.c;
    const S v12 = S(0.5)*p.g;
    const S v13 = p.a*v1;
    const S v14 = p.a*(v5 + S(0.33333333333333337)*v7);
    out.g = p.g;
    out.a = p.a;
    out.b = p.b;
    out.c = p.c;
    out.c0 = v1;
    out.c1 = v5 + S(0.5)*v7;
    out.c2 = v8*v12;
    out.c3 = S(0.5)*v13;
    out.c4 = v13;
    out.c5 = S(0.33333333333333337)*v4 + v14;
    out.c6 = S(0.3333333333333333)*v4;
    out.c7 = v10*(p.rho*v11);
    out.c8 = v0;
    out.c9 = S(2.0)*p.c;
    out.c10 = S(2.0)*p.a;
    out.c11 = S(0.5)*v1;
    out.c12 = S(0.5)*v6;
    out.c13 = S(0.3333333333333333)*p.b;
    out.c14 = v14;
    out.c15 = v12;
    out.c16 = v11;
    out.c17 = v8;
    out.c18 = S(0.5)*p.b;
    out.c19 = S(0.3333333333333333)*v8;
    out.c20 = S(0.3333333333333333)*v6;
    out.c21 = S(0.08333333333333333)*v2;
    out.c22 = v8*v9;
    out.base = p.base;
    out.c23 = v9;
    out.c24 = v6;
    out.c25 = S(0.25)*p.c;
    out.c26 = v10;
    out.c27 = v3;
    out.c28 = p.a*p.a;
    out.c29 = S(0.08333333333333333)*p.rho;
    out.c30 = v2;
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
    Matrix<S, 2, 3> G{};  ///< Jacobian of the constraints
    std::array<S, 2> gamma{};  ///< right-hand side of the constraints
};

/// M udot + G' lambda = f, G udot = gamma. Operations: 19 add, 32 mul, 4 sincos.
template <class S>
Dynamics<S> dynamics(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& w, const Setup<S>& c) {
    Dynamics<S> out{};
    using std::cos, std::sin;
    const S v0 = q[0] + q[1];
    const S v1 = u[0] + u[1];
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = u[0]*(u[0]*c.a);
    const S v5 = sin(q[0]), v6 = cos(q[0]);
    const S v7 = c.g*v6;
    const S v8 = sin(q[2]), v9 = cos(q[2]);
    const S v10 = c.c*v9;
    const S v11 = v1*v1;
    const S v12 = c.c0*(v3*v7 - v2*(c.g*v5 - v4));
    const S v13 = v3*c.c4;
    const S v14 = sin(v0), v15 = cos(v0);
    const S v16 = c.b*v15;
    const S v17 = c.b*v14;
    const S v18 = c.b*v11;
    const S v19 = u[2]*(u[2]*c.c);
    out.M[0][0] = v13 + c.c5;
    out.M[1][0] = out.M[0][1] = S(0.5)*v13 + c.c6;
    out.M[1][1] = c.c6;
    out.M[2][2] = c.c7;
    out.f[0] = v2*(c.c3*v11) + (w[0] - v7*c.c1) - S(0.5)*v12;
    out.f[1] = -S(0.5)*v12;
    out.f[2] = -S(0.05)*u[2] - v10*c.c2;
    out.G[0][0] = v17 + c.a*v5;
    out.G[0][1] = v17;
    out.G[0][2] = -c.c*v8;
    out.G[1][0] = -(v16 + c.a*v6);
    out.G[1][1] = -v16;
    out.G[1][2] = v10;
    out.gamma[0] = v9*v19 - (v15*v18 + v4*v6);
    out.gamma[1] = v8*v19 - (v14*v18 + v4*v5);
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
    Matrix<S, 3, 1> r_w{};  ///< derivative of r by w
    Matrix<S, 2, 3> s_q{};  ///< derivative of s by q
    Matrix<S, 2, 3> s_u{};  ///< derivative of s by u
    Matrix<S, 2, 1> s_w{};  ///< derivative of s by w
};

/// Derivatives of r = M udot + G' lambda - f and s = G udot - gamma at fixed udot and lambda. Operations: 38 add,
/// 65 mul, 4 sincos.
template <class S>
Jacobians<S> jacobians(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& /*w*/, const std::array<S, nu>& udot,
    const std::array<S, nm>& lambda, const Setup<S>& c) {
    Jacobians<S> out{};
    using std::cos, std::sin;
    const S v0 = q[0] + q[1];
    const S v1 = u[0] + u[1];
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = u[0]*c.a;
    const S v5 = sin(q[0]), v6 = cos(q[0]);
    const S v7 = c.g*v5;
    const S v8 = c.g*v6;
    const S v9 = sin(q[2]), v10 = cos(q[2]);
    const S v11 = sin(v0), v12 = cos(v0);
    const S v13 = c.b*v12;
    const S v14 = v13 + c.a*v6;
    const S v15 = c.c*v10;
    const S v16 = u[2]*v9;
    const S v17 = u[0]*v5;
    const S v18 = v1*v11;
    const S v19 = c.b*v11;
    const S v20 = c.a*v5;
    const S v21 = v19 + v20;
    const S v22 = c.c*v9;
    const S v23 = v1*v12;
    const S v24 = c.b*v1;
    const S v25 = u[0]*v6;
    const S v26 = u[2]*v10;
    const S v27 = u[2]*c.c;
    const S v28 = lambda[0]*v13 + lambda[1]*v19;
    const S v29 = v28 - c.c11*(v3*(v7 - u[0]*v4) + v2*(udot[0]*c.a + v8));
    const S v30 = v1*(v2*c.c4);
    const S v31 = v4*(c.c0*v2);
    const S v32 = udot[1]*v13 - v18*v24;
    const S v33 = v23*v24 + udot[1]*v19;
    const S v34 = S(2.0)*(c.b*v23);
    const S v35 = S(2.0)*(c.b*v18);
    out.r_q[0][0] = lambda[1]*v21 + (lambda[0]*v14 - c.g*(c.c8*(v20 + S(0.5)*v19) + v20*c.c12));
    out.r_q[0][1] = v29 - ((udot[0] + udot[1])*v2 + v1*(v1*v3))*c.c3;
    out.r_q[1][0] = v28 - (v2*v8 + v3*v7)*c.c11;
    out.r_q[1][1] = v29;
    out.r_q[2][2] = -v22*(lambda[1] + c.c2) - lambda[0]*v15;
    out.r_u[0][0] = v31 - v30;
    out.r_u[0][1] = -v30;
    out.r_u[1][0] = v31;
    out.r_u[2][2] = S(0.05);
    out.r_w[0][0] = -S(1.0);
    out.s_q[0][0] = udot[0]*v14 + v32 - v4*v17;
    out.s_q[0][1] = v32 + udot[0]*v13;
    out.s_q[0][2] = v16*v27 - udot[2]*v15;
    out.s_q[1][0] = udot[0]*v21 + (v4*v25 + v33);
    out.s_q[1][1] = v33 + udot[0]*v19;
    out.s_q[1][2] = -(v26*v27 + udot[2]*v22);
    out.s_u[0][0] = c.c10*v25 + v34;
    out.s_u[0][1] = v34;
    out.s_u[0][2] = -c.c9*v26;
    out.s_u[1][0] = v17*c.c10 + v35;
    out.s_u[1][1] = v35;
    out.s_u[1][2] = -v16*c.c9;
    return out;
}

/// Generalized forces required in addition for this udot (inverse dynamics). Returns M udot + G' lambda - f.
/// Operations: 22 add, 31 mul, 4 sincos.
template <class S>
std::array<S, 3> inverse(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& w, const std::array<S, nu>& udot,
    const std::array<S, nm>& lambda, const Setup<S>& c) {
    std::array<S, 3> out{};
    using std::cos, std::sin;
    const S v0 = q[0] + q[1];
    const S v1 = u[0] + u[1];
    const S v2 = udot[0] + udot[1];
    const S v3 = sin(q[1]), v4 = cos(q[1]);
    const S v5 = sin(q[0]), v6 = cos(q[0]);
    const S v7 = c.g*v6;
    const S v8 = c.c0*(S(0.5)*(v4*(udot[0]*c.a + v7) - v3*(c.g*v5 - c.a*(u[0]*u[0]))) + v2*c.c13);
    const S v9 = sin(q[2]), v10 = cos(q[2]);
    const S v11 = sin(v0), v12 = cos(v0);
    const S v13 = c.b*v12;
    const S v14 = c.b*v11;
    const S v15 = lambda[0]*(v14 + c.a*v5) + (v7*c.c1 + (v8 - (v1*(v1*v3) - v2*v4)*c.c3) + udot[0]*c.c14 - w[0]);
    out[0] = v15 - lambda[1]*(v13 + c.a*v6);
    out[1] = v8 + lambda[0]*v14 - lambda[1]*v13;
    out[2] = S(0.05)*u[2] + c.c*((v10*c.c15 + udot[2]*c.c16)*c.c17 - lambda[0]*v9 + lambda[1]*v10);
    return out;
}

template <class S>
struct Energy {
    S T{};  ///< kinetic energy
    S V{};  ///< potential energy
};

/// Kinetic and potential energy. Operations: 10 add, 21 mul, 4 sincos.
template <class S>
Energy<S> energy(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const Setup<S>& c) {
    Energy<S> out{};
    using std::cos, std::sin;
    const S v0 = u[0] + u[1];
    const S v1 = sin(q[1]), v2 = cos(q[1]);
    const S v3 = c.a*sin(q[0]);
    const S v4 = u[2]*c.c;
    const S v5 = u[0]*c.a;
    const S v6 = v0*c.c18 + v2*v5;
    const S v7 = v1*v5;
    out.T = S(0.5)*(v5*(v5*c.c20) + (v4*(v4*c.c19) + c.c8*(v0*(v0*c.c21) + (v6*v6 + v7*v7))));
    out.V = c.g*(v3*c.c12 + (sin(q[2])*c.c22 + c.c8*(sin(q[0] + q[1])*c.c18 + v3)));
    return out;
}

template <class S>
struct Momentum {
    std::array<S, 3> linear{};  ///< linear momentum
    std::array<S, 3> angular{};  ///< angular momentum
};

/// Linear momentum, and angular momentum about the origin, in ground axes. Operations: 20 add, 39 mul, 4 sincos.
template <class S>
Momentum<S> momentum(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const Setup<S>& c) {
    Momentum<S> out{};
    using std::cos, std::sin;
    const S v0 = q[0] + q[1];
    const S v1 = u[0] + u[1];
    const S v2 = sin(q[1]), v3 = cos(q[1]);
    const S v4 = sin(q[0]), v5 = cos(q[0]);
    const S v6 = sin(q[2]), v7 = cos(q[2]);
    const S v8 = sin(v0), v9 = cos(v0);
    const S v10 = c.a*v5;
    const S v11 = c.a*v4;
    const S v12 = u[0]*c.a;
    const S v13 = u[2]*c.c;
    const S v14 = v13*c.c17;
    const S v15 = v6*v14;
    const S v16 = c.c8*(v1*c.c18 + v3*v12);
    const S v17 = c.c8*(v2*v12);
    const S v18 = v9*v17 - v8*v16;
    const S v19 = v12*c.c24;
    const S v20 = v4*v19;
    const S v21 = S(0.5)*(v7*v14);
    const S v22 = v9*v16 + v8*v17;
    const S v23 = v5*v19;
    const S v24 = v15*(v6*c.c25) + (v21*(c.base + v7*c.c23) + v22*(v9*c.c18 + v10));
    const S v25 = (v13*c.c26 + v1*c.c27 + v12*c.c28)*c.c29 + v24 - (v8*c.c18 + v11)*v18 + S(0.25)*(v11*v20);
    out.linear[0] = -S(0.5)*v15 + (v18 - S(0.5)*v20);
    out.linear[1] = v21 + (v22 + S(0.5)*v23);
    out.angular[2] = v25 + S(0.25)*(v10*v23);
    return out;
}

template <class S>
struct Residuals {
    std::array<S, 2> phi{};  ///< position residuals; 0 for rows that only speeds obey
    std::array<S, 2> rate{};  ///< velocity residuals
};

/// How far the constraints are violated, and how fast. Operations: 11 add, 15 mul, 3 sincos.
template <class S>
Residuals<S> residuals(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const Setup<S>& c) {
    Residuals<S> out{};
    using std::cos, std::sin;
    const S v0 = q[0] + q[1];
    const S v1 = sin(q[0]), v2 = cos(q[0]);
    const S v3 = sin(q[2]), v4 = cos(q[2]);
    const S v5 = sin(v0), v6 = cos(v0);
    const S v7 = u[2]*c.c;
    const S v8 = u[0]*c.a;
    const S v9 = c.b*(u[0] + u[1]);
    out.phi[0] = c.base + c.c*v4 - (c.b*v6 + c.a*v2);
    out.phi[1] = c.c*v3 - (c.b*v5 + c.a*v1);
    out.rate[0] = v1*v8 + v5*v9 - v3*v7;
    out.rate[1] = v4*v7 - (v2*v8 + v6*v9);
    return out;
}

/// Outputs of the model. Returns outputs. Operations: 15 add, 11 mul, 5 sincos, 1 other.
template <class S>
std::array<S, 6> outputs(const typename detail::Same<S>::type& /*t*/, const std::array<S, nq>& q,
    const std::array<S, nu>& u, const std::array<S, nw>& /*w*/, const std::array<S, nu>& /*udot*/,
    const std::array<S, nm>& /*lambda*/, const Setup<S>& c) {
    std::array<S, 6> out{};
    using std::cos, std::sin;
    const S v0 = q[0] + q[1];
    const S v1 = q[2] - v0;
    const S v2 = sin(v1), v3 = cos(v1);
    const S v4 = sin(q[0]), v5 = cos(q[0]);
    const S v6 = sin(v0), v7 = cos(v0);
    const S v8 = c.a*v5;
    const S v9 = S(0.5)*(c.b*v7);
    const S v10 = S(0.5)*(c.b*v6);
    out[0] = detail::angle(S(v2), S(v3));
    out[1] = u[2] - (u[0] + u[1]);
    out[2] = v8 + v9 - v10;
    out[3] = v10 + (c.a*v4 + v9);
    out[5] = c.c26 + c.base*(c.base - S(2.0)*v8 + cos(q[2])*c.c9) + c.a*(c.a - cos(q[2] - q[0])*c.c9) - c.c30;
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

/// The length of (x[first], x[first + 1], …): sqrt(x' x), no conjugates, so that a complex step passes through.
template <class S, std::size_t n>
S norm(const std::array<S, n>& x, std::size_t first = 0) {
    using std::sqrt;
    S largest(0.0), sum(0.0);
    for (std::size_t i = first; i < n; ++i) largest = larger(largest, magnitude(x[i]));
    if (!less(S(0.0), largest)) return S(0.0);
    for (std::size_t i = first; i < n; ++i) sum = sum + (x[i]/largest)*(x[i]/largest);
    return largest*sqrt(sum);
}

/// 1 - beta v v' with v[i] = 0 for i < first: takes x to (…, d, 0, 0, …).
template <class S, std::size_t n>
struct Reflection {
    std::size_t first = 0;
    std::array<S, n> v{};
    S beta = S(0.0), d = S(0.0);

    Reflection() = default;
    Reflection(std::size_t first_, const std::array<S, n>& x, const S& length) : first(first_), v(x) {
        d = less(S(0.0), x[first]) ? -length : length;
        v[first] = v[first] - d;
        beta = S(-1.0)/(d*v[first]);
    }
    void apply(std::array<S, n>& x) const {
        S sum(0.0);
        for (std::size_t i = first; i < n; ++i) sum = sum + v[i]*x[i];
        for (std::size_t i = first; i < n; ++i) x[i] = x[i] - beta*sum*v[i];
    }
    template <std::size_t k>
    void apply(Matrix<S, n, k>& B) const {
        for (std::size_t j = 0; j < k; ++j) {
            S sum(0.0);
            for (std::size_t i = first; i < n; ++i) sum = sum + v[i]*B[i][j];
            for (std::size_t i = first; i < n; ++i) B[i][j] = B[i][j] - beta*sum*v[i];
        }
    }
};

/// M X + G' L = F, G X = C for k right-hand sides: F becomes X, C becomes L; M and G are overwritten. Rows of G may depend
/// on each other: of the multipliers that serve, L is the shortest. `known` of them are independent, if that is not negative;
/// less only where rounding leaves nothing of the others. The method is that of the null space. With rows of G scaled to
/// length 1 and columns by 1/sqrt(M[j][j]),
///
///     P G = V T Q1', Q = [Q1 Q2] from a pivoted QR of G', V and the triangle T from a QR of what that leaves
///     T y = V' P C               what the constraints alone decide
///     Q2' M Q2 z = Q2' (F - M Q1 y),   X = Q1 y + Q2 z
///     T' (V' P L) = Q1' (F - M X)
///
/// False when a motion that the constraints allow has no inertia.
template <class S, std::size_t n, std::size_t m, std::size_t k>
bool solve_descriptor(Matrix<S, n, n>& M, Matrix<S, m, n>& G, Matrix<S, n, k>& F, Matrix<S, m, k>& C, int known) {
    using std::exp, std::log;
    const S zero(0.0);

    // scales: 1/sqrt(M[j][j]) against its geometric mean, within four decades; rows of length 1, but short ones stay short
    std::array<S, n> column{}, size{};
    std::array<S, m> row{};
    std::array<std::size_t, m> order{};
    S logs(0.0), count(0.0), longest(0.0), most(0.0);
    for (std::size_t j = 0; j < n; ++j) {
        if (less(zero, M[j][j])) logs = logs + log(M[j][j]), count = count + S(1.0);
    }
    for (std::size_t j = 0; j < n; ++j) {
        column[j] = less(zero, M[j][j]) ? smaller(larger(S(exp((logs/count - log(M[j][j]))/S(2.0))), S(1e-4)), S(1e4)) : S(1.0);
    }
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) G[i][j] = G[i][j]*column[j];
        row[i] = norm(G[i]);
        longest = larger(longest, row[i]);
    }
    for (std::size_t i = 0; i < m; ++i) {
        row[i] = less(S(1e-13), longest) ? S(1.0)/larger(row[i], S(S(0.01)*longest)) : S(1.0);
        for (S& x : G[i]) x = x*row[i];
        for (S& x : C[i]) x = x*row[i];
        order[i] = i;
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) M[i][j] = M[i][j]*column[i]*column[j];
        for (S& x : F[i]) x = x*column[i];
        most = larger(most, magnitude(M[i][i]));
    }
    size.fill(most);

    // G' P' = Q R: later rows of G keep the entries of R
    std::array<Reflection<S, n>, m> Q{};
    std::size_t independent = 0;
    S first(0.0);
    constexpr double eps = Rounding<S>::epsilon;
    const S least(known >= 0 ? 8*eps*static_cast<double>(n + m) : eps < 1e-14 ? 1e-10 : 1e3*eps);
    for (std::size_t s = 0; s < m && s < n && (known < 0 || s < static_cast<std::size_t>(known)); ++s) {
        std::size_t pivot = s;
        S length = norm(G[s], s);
        for (std::size_t i = s + 1; i < m; ++i) {
            const S other = norm(G[i], s);
            if (less(length, other)) length = other, pivot = i;
        }
        if (s == 0) first = length;
        if (!less(least*first, length)) break;
        std::swap(G[s], G[pivot]);
        std::swap(order[s], order[pivot]);
        Q[s] = Reflection<S, n>(s, G[s], length);
        for (std::size_t i = s + 1; i < m; ++i) Q[s].apply(G[i]);
        independent = s + 1;
    }

    // R' = V T, by columns: W[s] becomes column s of T
    Matrix<S, m, m> W{};
    std::array<Reflection<S, m>, m> V{};
    for (std::size_t s = 0; s < independent; ++s) {
        W[s][s] = Q[s].d;
        for (std::size_t i = s + 1; i < m; ++i) W[s][i] = G[i][s];
        for (std::size_t l = 0; l < s; ++l) V[l].apply(W[s]);
        V[s] = Reflection<S, m>(s, W[s], norm(W[s], s));
    }

    // M := Q' M Q, F := Q' F; and in place of the first `independent` rows of C: y
    for (std::size_t s = 0; s < independent; ++s) {
        Q[s].apply(M);
        for (std::size_t i = 0; i < n; ++i) Q[s].apply(M[i]);
        Q[s].apply(F);
    }
    const Matrix<S, m, k> given = C;
    for (std::size_t i = 0; i < m; ++i) C[i] = given[order[i]];
    for (std::size_t s = 0; s < independent; ++s) V[s].apply(C);
    for (std::size_t s = independent; s-- > 0;) {
        for (std::size_t j = 0; j < k; ++j) {
            for (std::size_t l = s + 1; l < independent; ++l) C[s][j] = C[s][j] - W[l][s]*C[l][j];
            C[s][j] = C[s][j]/V[s].d;
        }
    }

    // z in place of the last rows of F, then Q1' (F - M X) in place of the first
    for (std::size_t i = independent; i < n; ++i) {
        for (std::size_t l = 0; l < independent; ++l) {
            for (std::size_t j = 0; j < k; ++j) F[i][j] = F[i][j] - M[i][l]*C[l][j];
        }
    }
    const bool has_inertia = solve_definite(independent, M, size, F);
    for (std::size_t i = independent; i < n && !has_inertia; ++i) F[i].fill(zero);
    for (std::size_t i = 0; i < independent; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            for (std::size_t l = 0; l < n; ++l) F[i][j] = F[i][j] - M[i][l]*(l < independent ? C[l][j] : F[l][j]);
        }
    }

    // X takes y from C, C takes T'^-1 of what F had there; then both are turned back
    for (std::size_t s = 0; s < independent; ++s) {
        for (std::size_t j = 0; j < k; ++j) {
            S r = F[s][j];
            F[s][j] = C[s][j];
            for (std::size_t l = 0; l < s; ++l) r = r - W[s][l]*C[l][j];
            C[s][j] = r/V[s].d;
        }
    }
    for (std::size_t i = independent; i < m; ++i) C[i].fill(zero);
    for (std::size_t s = independent; s-- > 0;) {
        Q[s].apply(F);
        V[s].apply(C);
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (S& x : F[i]) x = x*column[i];
    }
    const Matrix<S, m, k> turned = C;
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < k; ++j) C[order[i]][j] = row[order[i]]*turned[i][j];
    }

    // the shortest L: less its part along what G' does not see, an orthonormal basis of which comes from the rest of V
    Matrix<S, m, m> N{};
    for (std::size_t s = independent; s < m; ++s) {
        std::array<S, m> e{};
        e.fill(zero);
        e[s] = S(1.0);
        for (std::size_t l = independent; l-- > 0;) V[l].apply(e);
        for (std::size_t i = 0; i < m; ++i) N[s][order[i]] = row[order[i]]*e[i];
        for (int twice = 0; twice < 2; ++twice) {
            for (std::size_t l = independent; l < s; ++l) {
                S along(0.0);
                for (std::size_t i = 0; i < m; ++i) along = along + N[l][i]*N[s][i];
                for (std::size_t i = 0; i < m; ++i) N[s][i] = N[s][i] - along*N[l][i];
            }
            const S length = norm(N[s]);
            for (S& x : N[s]) x = x/length;
        }
        for (std::size_t j = 0; j < k; ++j) {
            S along(0.0);
            for (std::size_t i = 0; i < m; ++i) along = along + N[s][i]*C[i][j];
            for (std::size_t i = 0; i < m; ++i) C[i][j] = C[i][j] - along*N[s][i];
        }
    }
    return has_inertia;
}

}  // namespace detail

template <class S>
struct Accelerations {
    std::array<S, nu> udot{};    ///< accelerations
    std::array<S, nm> lambda{};  ///< multipliers; those of smallest norm where constraints are redundant
    Status status = Status::ok;
};

/// Accelerations and multipliers.
template <class S>
Accelerations<S> accelerations(const typename detail::Same<S>::type& t, const std::array<S, nq>& q, const std::array<S, nu>& u,
    const std::array<S, nw>& w, const Setup<S>& c) {
    Accelerations<S> out{};
    auto [M, f, G, gamma] = dynamics<S>(t, q, u, w, c);
    if (!detail::is_finite(M) || !detail::is_finite(f) || !detail::is_finite(G) || !detail::is_finite(gamma)) {
        out.status = Status::not_finite;
        return out;
    }
    Matrix<S, nu, 1> X{};
    Matrix<S, nm, 1> L{};
    for (std::size_t i = 0; i < nu; ++i) X[i][0] = f[i];
    for (std::size_t i = 0; i < nm; ++i) L[i][0] = gamma[i];
    const Matrix<S, nm, nu> rows = G;
    if (!detail::solve_descriptor<S, nu, nm, 1>(M, G, X, L, rank)) out.status = Status::no_inertia;
    for (std::size_t i = 0; i < nu; ++i) out.udot[i] = X[i][0];
    for (std::size_t i = 0; i < nm; ++i) out.lambda[i] = L[i][0];
    if (!detail::is_finite(out.udot) || !detail::is_finite(out.lambda)) out.status = Status::not_finite;
    const S length = detail::norm(out.udot);
    S drift(1e-6 + 8*detail::Rounding<S>::epsilon), longest(0.0);
    for (const S& x : u) drift = drift + S(1e-3)*x*x;
    for (const auto& row : rows) longest = detail::larger(longest, detail::norm(row));
    for (std::size_t i = 0; i < nm && out.status == Status::ok; ++i) {
        S left = -gamma[i];
        for (std::size_t j = 0; j < nu; ++j) left = left + rows[i][j]*out.udot[j];
        const S floor = drift*(detail::less(S(0.0), longest) ? longest : S(1.0));
        const S allowed = S(0.01)*(longest*length + detail::magnitude(gamma[i])) + floor;  // more than the drift of an integrator
        if (detail::less(allowed, detail::magnitude(left))) out.status = Status::contradiction;
    }
    return out;
}

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
    const auto [udot, lambda, status] = accelerations<S>(t, q, detail::speeds(x), w, c);
    out.status = status;
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

/// Derivatives of the rate of the state. Columns of A have a meaning only along motions that the constraints allow.
template <class S>
RhsJacobian<S> rhs_jacobian(const typename detail::Same<S>::type& t, const std::array<S, nx>& x, const std::array<S, nw>& w,
    const Setup<S>& c) {
    constexpr std::size_t k = nx + nw;
    RhsJacobian<S> out{};
    const std::array<S, nq> q = detail::coordinates(x);
    const std::array<S, nu> u = detail::speeds(x);
    const auto [udot, lambda, status] = accelerations<S>(t, q, u, w, c);
    out.status = status == Status::contradiction ? Status::ok : status;
    if (out.status != Status::ok) return out;
    auto d = dynamics<S>(t, q, u, w, c);
    const auto rate = rate_jacobians<S>(t, q, u, c);
    const auto J = jacobians<S>(t, q, u, w, udot, lambda, c);
    Matrix<S, nu, k> X{};
    for (std::size_t i = 0; i < nu; ++i) {
        for (std::size_t j = 0; j < nq; ++j) X[i][j] = -J.r_q[i][j];
        for (std::size_t j = 0; j < nu; ++j) X[i][nq + j] = -J.r_u[i][j];
        for (std::size_t j = 0; j < nw; ++j) X[i][nx + j] = -J.r_w[i][j];
    }
    Matrix<S, nm, k> L{};
    for (std::size_t i = 0; i < nm; ++i) {
        for (std::size_t j = 0; j < nq; ++j) L[i][j] = -J.s_q[i][j];
        for (std::size_t j = 0; j < nu; ++j) L[i][nq + j] = -J.s_u[i][j];
        for (std::size_t j = 0; j < nw; ++j) L[i][nx + j] = -J.s_w[i][j];
    }
    if (!detail::solve_descriptor<S, nu, nm, k>(d.M, d.G, X, L, rank)) out.status = Status::no_inertia;
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

}  // namespace four_bar
