#include "linkwright/jit/sincos.hpp"

#if defined(__x86_64__)

#include "linkwright/jit/sincos_lanes.hpp"

namespace linkwright::jit {
namespace {

struct Four {
    using Number = __m256d;
    static constexpr unsigned size = 4;
    static Number number(double c) { return _mm256_set1_pd(c); }
    static Number add(Number a, Number b) { return _mm256_add_pd(a, b); }
    static Number sub(Number a, Number b) { return _mm256_sub_pd(a, b); }
    static Number mul(Number a, Number b) { return _mm256_mul_pd(a, b); }
    static Number fmadd(Number a, Number b, Number c) { return _mm256_fmadd_pd(a, b, c); }
    static Number fmsub(Number a, Number b, Number c) { return _mm256_fmsub_pd(a, b, c); }
    static Number fnmadd(Number a, Number b, Number c) { return _mm256_fnmadd_pd(a, b, c); }
    static Number bit_and(Number a, Number b) { return _mm256_and_pd(a, b); }
    static Number and_not(Number a, Number b) { return _mm256_andnot_pd(a, b); }
    static Number bit_xor(Number a, Number b) { return _mm256_xor_pd(a, b); }
    static void store(double* to, Number a) { _mm256_store_pd(to, a); }
    template <int places>
    static Number shifted(Number a) {
        return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(a), places));
    }
    /// Lane by lane b where the sign of `which` is set, else a.
    static Number blend(Number a, Number b, Number which) { return _mm256_blendv_pd(a, b, which); }
    static unsigned below(Number a, Number b) { return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ))); }
};

}  // namespace

void sincos4(__m256d x, double* out) { sincos_lanes<Four>(x, out); }

}  // namespace linkwright::jit

#endif
