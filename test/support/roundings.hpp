#pragma once
// Tests with other roundings (tools/test_roundings): how programs are made to run, and models moved by one unit in the last place.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string_view>

#include "linkwright/jit/compile.hpp"
#include "linkwright/model/model.hpp"
#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright {

/// Native code; with TEST_CODE=avx2 that of a processor without AVX-512, with TEST_CODE=interpreter none.
inline numeric::Compile test_code() {
    const char* asked = std::getenv("TEST_CODE");
    const std::string_view word = asked == nullptr ? "" : asked;
    if (word == "interpreter") return numeric::interpret;
    return jit::native({.registers = word == "avx2" ? 16U : 0U});
}

/// With TEST_NUDGE=n: every number among the parameters is moved by one unit in the last place, up or down by chance; n is the seed.
inline void nudge(model::Model& model) {
    const char* seed = std::getenv("TEST_NUDGE");
    if (seed == nullptr) return;
    std::mt19937_64 random(std::strtoull(seed, nullptr, 10));
    const sym::PoolScope scope(*model.pool);
    for (model::Parameter& p : model.parameters) {
        const double way = random() % 2 == 0 ? 1 : -1;
        if (!p.value.is_number() || p.value.is_literally(0)) continue;
        p.value = sym::Expr(std::nextafter(p.value.number().to_double(), way * std::numeric_limits<double>::infinity()));
    }
}

}  // namespace linkwright
