#pragma once
// The method of sincos.hpp, for whatever number of lanes: `L` names the instructions. Each width has a source of its own, compiled for its processors,
// and this header is for these sources alone.

#include <cmath>

namespace linkwright::jit {
namespace {

/// Lanes out of range: rare, and out of the way of the others.
__attribute__((noinline, cold)) void far_lanes(unsigned size, const double* x, unsigned near, double* out) {
    for (unsigned i = 0; i < size; ++i) {
        if ((near >> i & 1U) != 0) continue;
        out[i] = ::sin(x[i]);
        out[size + i] = ::cos(x[i]);
    }
}

template <class L>
__attribute__((always_inline)) inline void sincos_lanes(typename L::Number x, double* out) {
    using Number = typename L::Number;
    const Number sign_bit = L::number(-0.0), one = L::number(1.0);
    const Number sign = L::bit_and(x, sign_bit);
    const Number t = L::and_not(sign_bit, x);  // |x|

    // n = round(t·2/π), by adding and taking away 1.5·2⁵²: the low bits of the sum are n.
    const Number shift = L::number(0x1.8p52);
    const Number sum = L::fmadd(t, L::number(0x1.45f306dc9c883p-1), shift);
    const Number n = L::sub(sum, shift);

    // r + y = t − n·(P₁ + P₂ + P₃). The first difference is a multiple of 2⁻⁵³ below 1, hence exact.
    const Number p2 = L::number(0x1.1a62633145c07p-54);
    const Number r0 = L::fnmadd(n, L::number(0x1.921fb54442d18p+0), t);
    const Number w = L::mul(n, p2);
    const Number r = L::sub(r0, w);
    const Number back = L::sub(r0, r);  // then what r0 − w lost, exactly (Knuth's two-sum)
    const Number lost = L::sub(L::sub(r0, L::add(r, back)), L::sub(w, back));
    const Number w_lost = L::fmsub(n, p2, w);
    const Number y = L::sub(lost, L::fmadd(n, L::number(-0x1.f1976b7ed8fbcp-110), w_lost));

    // sin r = r + r³·S(r²) and cos r = 1 − r²/2 + r⁴·C(r²), S and C minimax to 3e-18 and 5e-20.
    const Number z = L::mul(r, r), z2 = L::mul(z, z), z4 = L::mul(z2, z2);
    const Number half_z = L::mul(z, L::number(0.5));
    const Number s01 = L::fmadd(z, L::number(0x1.111111110f87ap-7), L::number(-0x1.5555555555549p-3));
    const Number s23 = L::fmadd(z, L::number(0x1.71de3577b56b1p-19), L::number(-0x1.a01a019c11978p-13));
    const Number s45 = L::fmadd(z, L::number(0x1.5d9300cf18812p-33), L::number(-0x1.ae5e6639d428fp-26));
    const Number c01 = L::fmadd(z, L::number(-0x1.6c16c16c1517ep-10), L::number(0x1.555555555554cp-5));
    const Number c23 = L::fmadd(z, L::number(-0x1.27e4f809f15ecp-22), L::number(0x1.a01a019cb1bebp-16));
    const Number c45 = L::fmadd(z, L::number(-0x1.8fae9cb4449ffp-37), L::number(0x1.1ee9ebe9aae80p-29));
    const Number S = L::fmadd(z4, s45, L::fmadd(z2, s23, s01));
    const Number C = L::fmadd(z4, c45, L::fmadd(z2, c23, c01));
    // sin(r + y) = r + (r³S + y·(1 − r²/2)),   cos(r + y) = (1 − r²/2) + (what that lost + r⁴C − r·y)
    const Number sine = L::add(r, L::fmadd(L::mul(r, z), S, L::fnmadd(half_z, y, y)));
    const Number near_one = L::sub(one, half_z);
    const Number rest = L::sub(L::sub(one, near_one), half_z);
    const Number cosine = L::add(near_one, L::fmadd(z2, C, L::fnmadd(r, y, rest)));

    // Odd quadrants swap them; sin changes sign in 2 and 3, cos in 1 and 2.
    const Number odd = L::template shifted<63>(sum);
    const Number second = L::bit_and(L::template shifted<62>(sum), sign_bit);
    const Number a = L::blend(sine, cosine, odd), b = L::blend(cosine, sine, odd);
    L::store(out, L::bit_xor(a, L::bit_xor(second, sign)));
    L::store(out + L::size, L::bit_xor(b, L::bit_and(L::bit_xor(second, odd), sign_bit)));

    const unsigned near = L::below(t, L::number(0x1p30));
    if (near != (1U << L::size) - 1) {
        alignas(sizeof(Number)) double angle[L::size];
        L::store(angle, x);
        _mm256_zeroupper();
        far_lanes(L::size, angle, near, out);
    }
}

}  // namespace
}  // namespace linkwright::jit
