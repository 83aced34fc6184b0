#pragma once
// Articulated inertias: what a body with everything outward of it resists, when its joints give way [featherstone08 §7.2].

#include <algorithm>

#include "linkwright/formulation/recursive/linkage.hpp"

namespace linkwright::formulation::recursive {

/// n = I α + H a, f = Hᵀ α + M a.
struct Articulated {
    Mat3 I, H, M;
};

Articulated of_body(const Moments& body);
Articulated operator+(const Articulated& a, const Articulated& b);
Wrench times(const Articulated& a, const Twist& V);
Articulated inwards(const Move& move, const Articulated& a);

template <class F>
void for_each_entry(Articulated& a, F f) {
    for (Mat3* m : {&a.I, &a.H, &a.M}) {
        for (auto& row : m->e) std::ranges::for_each(row, f);
    }
}

// Six-vectors by number, the rotational part first.
inline Expr& entry(Wrench& F, std::size_t c) { return c < 3 ? F.t[c] : F.f[c - 3]; }
inline const Expr& entry(const Wrench& F, std::size_t c) { return c < 3 ? F.t[c] : F.f[c - 3]; }
inline Expr& entry(Twist& V, std::size_t c) { return c < 3 ? V.w[c] : V.v[c - 3]; }
inline const Expr& entry(const Twist& V, std::size_t c) { return c < 3 ? V.w[c] : V.v[c - 3]; }

/// The coordinate direction of a way, if it is one, and which way round.
struct Direction {
    std::size_t c = none;
    int sign = 1;
};
Direction direction(const Twist& S);

/// A freedom that has been eliminated: what its acceleration is made of.
struct Pivot {
    std::size_t freedom;
    Twist S;           ///< the way, turned round where `along` says so
    Direction along;   ///< none as well where a drive keeps a part of the inertia along S
    Wrench U, scaled;  ///< IA S, and the same over D
    Expr rest;         ///< what is left of its force, over D
    Expr inverse;      ///< 1/D
};

/// What acts along a freedom that is to be eliminated.
struct AlongFreedom {
    Expr tau;       ///< its force
    Expr beside;    ///< what stands beside P along S
    Expr armature;  ///< the inertia of a drive
};

/// Takes one freedom out of IA and P. With D = Sᵀ IA S + armature, IA loses IA S Sᵀ IA / D; without a drive nothing of it is left along S.
/// `is_number`: IA, S and the armature have no symbols in them.
Pivot eliminate(const Move::MotionAxis& way, const AlongFreedom& along, bool is_number, Articulated& IA, Wrench& P);

/// The freedom's acceleration, when its inner side accelerates by A; A then is that of the outer side.
Expr joint_acceleration(const Pivot& pivot, Twist& A);

}  // namespace linkwright::formulation::recursive
