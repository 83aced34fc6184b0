#pragma once
// The n-link spatial chain that every system of the benchmark builds: one recipe, whatever the scalar.
//
// Link i turns about z, y, x, z, … by q_i against link i−1. Its frame sits at the joint, p_i from the joint before; its
// centre of mass at c_i; J_i is its inertia about the centre of mass. All in the axes of the link that owns them, all
// full and all symbols. With R = R(q_i) from link i to link i−1:
//
//     ω_i = Rᵀ ω_{i−1} + u_i e_i
//     v_i = Rᵀ (v_{i−1} + ω_{i−1} × p_i)
//     T   = ½ Σ  m_i |v_i + ω_i × c_i|² + ω_i · J_i ω_i
//
// chain_sympy.py says the same in Python. Symbols are numbered in the order make_chain asks for them.

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace bench {

enum class Kind { coordinate, speed, parameter };

template <class S>
using Vec = std::array<S, 3>;

template <class S>
struct Link {
    S q, u;
    Vec<S> p;
    S m;
    Vec<S> c;
    std::array<S, 6> J;  // xx yy zz xy xz yz
};

constexpr int symbols_per_link = 15;

/// The number that stands for symbol k where values are compared: 0.300 … 1.299, no two alike below k = 1000.
inline int thousandths(int k) { return 300 + 371 * (k + 1) % 1000; }
inline double value_of(int k) { return thousandths(k) / 1000.0; }

inline std::string numbered(std::string stem, std::size_t i) { return stem += std::to_string(i); }

/// `make(name, kind, k)` gives the symbol number k.
template <class S, class Make>
std::vector<Link<S>> make_chain(int n, Make make) {
    std::vector<Link<S>> links;
    int k = 0;
    for (int i = 1; i <= n; ++i) {
        const auto next = [&](const char* name, Kind kind = Kind::parameter) {
            return S(make(numbered(name, static_cast<std::size_t>(i)), kind, k++));
        };
        // Braces keep the order of the calls.
        links.push_back(Link<S>{next("q", Kind::coordinate),
                                next("u", Kind::speed),
                                {next("px"), next("py"), next("pz")},
                                next("m"),
                                {next("cx"), next("cy"), next("cz")},
                                {next("Jxx"), next("Jyy"), next("Jzz"), next("Jxy"), next("Jxz"), next("Jyz")}});
    }
    return links;
}

template <class S>
Vec<S> cross(const Vec<S>& a, const Vec<S>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
template <class S>
Vec<S> plus(const Vec<S>& a, const Vec<S>& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class S>
S dot(const Vec<S>& a, const Vec<S>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Rᵀ a for the turn with cosine c and sine s about `axis`.
template <class S>
Vec<S> turned_back(const Vec<S>& a, std::size_t axis, const S& c, const S& s) {
    const std::size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
    Vec<S> r = a;
    r[j] = c * a[j] + s * a[k];
    r[k] = c * a[k] - s * a[j];
    return r;
}

template <class S>
S kinetic_energy(std::span<const Link<S>> links) {
    Vec<S> w{S(0), S(0), S(0)}, v = w;
    S twice(0);
    for (std::size_t i = 0; i < links.size(); ++i) {
        const auto& [q, u, p, m, c, J] = links[i];
        const std::size_t axis = 2 - i % 3;
        const S cq = cos(q), sq = sin(q);
        v = turned_back(plus(v, cross(w, p)), axis, cq, sq);
        w = turned_back(w, axis, cq, sq);
        w[axis] = w[axis] + u;
        const Vec<S> vc = plus(v, cross(w, c));
        const Vec<S> h{J[0] * w[0] + J[3] * w[1] + J[4] * w[2], J[3] * w[0] + J[1] * w[1] + J[5] * w[2],
                       J[4] * w[0] + J[5] * w[1] + J[2] * w[2]};
        twice = twice + m * dot(vc, vc) + dot(w, h);
    }
    return twice / S(2);
}

/// q_1 … q_n, u_1 … u_n: what T is differentiated by, in this order.
template <class S>
std::vector<S> variables(std::span<const Link<S>> links) {
    std::vector<S> all;
    for (const auto& link : links) all.push_back(link.q);
    for (const auto& link : links) all.push_back(link.u);
    return all;
}

/// T and its 2n derivatives as plain numbers, by complex steps: a witness that knows no algebra.
inline std::vector<double> numeric_values(int n) {
    using C = std::complex<double>;
    constexpr double step = 1e-100;
    const std::vector<Link<C>> at = make_chain<C>(n, [](const std::string&, Kind, int k) { return C(value_of(k)); });
    std::vector<double> values{kinetic_energy<C>(at).real()};
    for (C Link<C>::* x : {&Link<C>::q, &Link<C>::u}) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            std::vector<Link<C>> moved = at;
            moved[i].*x += C(0, step);
            values.push_back(kinetic_energy<C>(moved).imag() / step);
        }
    }
    return values;
}

/// One line "system what n v₀ v₁ …", to be compared across the systems.
inline void print_values(const char* system, const char* what, int n, std::span<const double> values) {
    std::printf("%s %s %d", system, what, n);
    for (const double v : values) std::printf(" %.17g", v);
    std::printf("\n");
}

}  // namespace bench
