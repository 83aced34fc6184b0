#include "linkwright/jit/sincos.hpp"

#if defined(__x86_64__)

#include "linkwright/jit/sincos_lanes.hpp"

namespace linkwright::jit {
namespace {

struct Eight {
    using Number = __m512d;
    static constexpr unsigned size = 8;
    static Number number(double c) { return _mm512_set1_pd(c); }
    static Number add(Number a, Number b) { return _mm512_add_pd(a, b); }
    static Number sub(Number a, Number b) { return _mm512_sub_pd(a, b); }
    static Number mul(Number a, Number b) { return _mm512_mul_pd(a, b); }
    static Number fmadd(Number a, Number b, Number c) { return _mm512_fmadd_pd(a, b, c); }
    static Number fmsub(Number a, Number b, Number c) { return _mm512_fmsub_pd(a, b, c); }
    static Number fnmadd(Number a, Number b, Number c) { return _mm512_fnmadd_pd(a, b, c); }
    static Number bit_and(Number a, Number b) { return _mm512_and_pd(a, b); }
    static Number and_not(Number a, Number b) { return _mm512_andnot_pd(a, b); }
    static Number bit_xor(Number a, Number b) { return _mm512_xor_pd(a, b); }
    static void store(double* to, Number a) { _mm512_store_pd(to, a); }
    template <int places>
    static Number shifted(Number a) {
        return _mm512_castsi512_pd(_mm512_slli_epi64(_mm512_castpd_si512(a), places));
    }
    /// Lane by lane b where the sign of `which` is set, else a.
    static Number blend(Number a, Number b, Number which) {
        return _mm512_mask_blend_pd(_mm512_movepi64_mask(_mm512_castpd_si512(which)), a, b);
    }
    static unsigned below(Number a, Number b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
};

}  // namespace

void sincos8(__m512d x, double* out) { sincos_lanes<Eight>(x, out); }

}  // namespace linkwright::jit

#endif
