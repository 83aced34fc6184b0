#include "linkwright/jit/sincos.hpp"

#if defined(__x86_64__)

#include <cmath>

namespace linkwright::jit {
namespace {

__attribute__((target("avx2,fma"), always_inline)) inline __m256d number(double c) { return _mm256_set1_pd(c); }

/// Lanes out of range: rare, and out of the way of the others.
__attribute__((noinline, cold)) void far_lanes(const double* x, unsigned mask, double* out) {
    for (unsigned i = 0; i < 4; ++i) {
        if ((mask >> i & 1U) != 0) continue;
        out[i] = std::sin(x[i]);
        out[4 + i] = std::cos(x[i]);
    }
}

}  // namespace

__attribute__((target("avx2,fma"))) void sincos4(__m256d x, double* out) {
    const __m256d sign_bit = number(-0.0), one = number(1.0);
    const __m256d sign = _mm256_and_pd(x, sign_bit);
    const __m256d t = _mm256_andnot_pd(sign_bit, x);  // |x|

    // n = round(t·2/π), by adding and taking away 1.5·2⁵²: the low bits of the sum are n.
    const __m256d shift = number(0x1.8p52);
    const __m256d sum = _mm256_fmadd_pd(t, number(0x1.45f306dc9c883p-1), shift);
    const __m256d n = _mm256_sub_pd(sum, shift);
    const __m256i quadrant = _mm256_castpd_si256(sum);

    // r + y = t − n·(P₁ + P₂ + P₃). The first difference is a multiple of 2⁻⁵³ below 1, hence exact.
    const __m256d p2 = number(0x1.1a62633145c07p-54);
    const __m256d r0 = _mm256_fnmadd_pd(n, number(0x1.921fb54442d18p+0), t);
    const __m256d w = _mm256_mul_pd(n, p2);
    const __m256d r = _mm256_sub_pd(r0, w);
    const __m256d back = _mm256_sub_pd(r0, r);  // then what r0 − w lost, exactly (Knuth's two-sum)
    const __m256d lost = _mm256_sub_pd(_mm256_sub_pd(r0, _mm256_add_pd(r, back)), _mm256_sub_pd(w, back));
    const __m256d w_lost = _mm256_fmsub_pd(n, p2, w);
    const __m256d y = _mm256_sub_pd(lost, _mm256_fmadd_pd(n, number(-0x1.f1976b7ed8fbcp-110), w_lost));

    // sin r = r + r³·S(r²) and cos r = 1 − r²/2 + r⁴·C(r²), S and C minimax to 3e-18 and 5e-20.
    const __m256d z = _mm256_mul_pd(r, r), z2 = _mm256_mul_pd(z, z), z4 = _mm256_mul_pd(z2, z2);
    const __m256d half_z = _mm256_mul_pd(z, number(0.5));
    const __m256d s01 = _mm256_fmadd_pd(z, number(0x1.111111110f87ap-7), number(-0x1.5555555555549p-3));
    const __m256d s23 = _mm256_fmadd_pd(z, number(0x1.71de3577b56b1p-19), number(-0x1.a01a019c11978p-13));
    const __m256d s45 = _mm256_fmadd_pd(z, number(0x1.5d9300cf18812p-33), number(-0x1.ae5e6639d428fp-26));
    const __m256d c01 = _mm256_fmadd_pd(z, number(-0x1.6c16c16c1517ep-10), number(0x1.555555555554cp-5));
    const __m256d c23 = _mm256_fmadd_pd(z, number(-0x1.27e4f809f15ecp-22), number(0x1.a01a019cb1bebp-16));
    const __m256d c45 = _mm256_fmadd_pd(z, number(-0x1.8fae9cb4449ffp-37), number(0x1.1ee9ebe9aae80p-29));
    const __m256d S = _mm256_fmadd_pd(z4, s45, _mm256_fmadd_pd(z2, s23, s01));
    const __m256d C = _mm256_fmadd_pd(z4, c45, _mm256_fmadd_pd(z2, c23, c01));
    // sin(r + y) = r + (r³S + y·(1 − r²/2)),   cos(r + y) = (1 − r²/2) + (what that lost + r⁴C − r·y)
    const __m256d sine = _mm256_add_pd(r, _mm256_fmadd_pd(_mm256_mul_pd(r, z), S, _mm256_fnmadd_pd(half_z, y, y)));
    const __m256d near_one = _mm256_sub_pd(one, half_z);
    const __m256d rest = _mm256_sub_pd(_mm256_sub_pd(one, near_one), half_z);
    const __m256d cosine = _mm256_add_pd(near_one, _mm256_fmadd_pd(z2, C, _mm256_fnmadd_pd(r, y, rest)));

    // Odd quadrants swap them; sin changes sign in 2 and 3, cos in 1 and 2.
    const __m256d odd = _mm256_castsi256_pd(_mm256_slli_epi64(quadrant, 63));
    const __m256d second = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(quadrant, 62)), sign_bit);
    const __m256d a = _mm256_blendv_pd(sine, cosine, odd), b = _mm256_blendv_pd(cosine, sine, odd);
    _mm256_store_pd(out, _mm256_xor_pd(a, _mm256_xor_pd(second, sign)));
    _mm256_store_pd(out + 4, _mm256_xor_pd(b, _mm256_and_pd(_mm256_xor_pd(second, odd), sign_bit)));

    const int near = _mm256_movemask_pd(_mm256_cmp_pd(t, number(0x1p30), _CMP_LT_OQ));
    if (near != 15) {
        alignas(32) double angle[4];
        _mm256_store_pd(angle, x);
        _mm256_zeroupper();
        far_lanes(angle, static_cast<unsigned>(near), out);
    }
}

}  // namespace linkwright::jit

#endif
