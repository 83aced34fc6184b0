#include "linkwright/sym/residue.hpp"

namespace linkwright::sym {

namespace {

template <class F>
CirclePoint turn(CirclePoint a, CirclePoint b) {  // the angles add
    return {F::sub(F::mul(a.c, b.c), F::mul(a.s, b.s)), F::add(F::mul(a.s, b.c), F::mul(a.c, b.s))};
}

/// Powers of a generator of the circle group, four bits of the exponent at a time.
///
/// The generator is the point t of the rational parametrisation c = (1−t²)/(1+t²), s = 2t/(1+t²): t = 9 for the first
/// field, 11 for the second. Of the generators these are the smallest t for which g^{order/4} is the quarter turn (0, 1)
/// and 2cos(π/4), 2cos(π/6), 4cos(π/5)−1 are the *principal* roots of 2, 3, 5 (test/sym/residue_test.cpp checks it).
template <class F, std::uint64_t T>
class Generator {
public:
    Generator() {
        const std::uint64_t inv = F::inv(1 + T * T);
        CirclePoint power{F::mul(F::sub(1, T * T), inv), F::mul(2 * T, inv)};
        for (auto& window : windows_) {
            window[0] = {};
            for (std::size_t i = 1; i < window.size(); ++i) window[i] = turn<F>(window[i - 1], power);
            power = turn<F>(window.back(), power);
        }
    }
    CirclePoint pow(std::uint64_t e) const {
        CirclePoint r;
        for (std::size_t w = 0; e != 0; ++w, e >>= 4) {
            if ((e & 15) != 0) r = turn<F>(r, windows_[w][e & 15]);
        }
        return r;
    }

private:
    std::array<std::array<CirclePoint, 16>, 16> windows_;
};

template <class F>
std::uint64_t scaled(std::uint64_t e, std::int64_t n) {
    constexpr std::uint64_t order = F::circle_order;
    const std::uint64_t size = (n < 0 ? -static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n)) % order;
    const auto product = static_cast<std::uint64_t>(static_cast<unsigned __int128>(e) * size % order);
    return n < 0 && product != 0 ? order - product : product;
}

constexpr std::uint64_t mix(std::uint64_t x) {  // the finaliser of splitmix64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

}  // namespace

std::optional<Residue> inverse(Residue a) {
    if (a.r1 == 0 || a.r2 == 0) return std::nullopt;
    return Residue{Field1::inv(a.r1), Field2::inv(a.r2)};
}

Angle operator+(Angle a, Angle b) {
    const std::uint64_t e1 = a.e1 + b.e1, e2 = a.e2 + b.e2;
    return {e1 >= Field1::circle_order ? e1 - Field1::circle_order : e1, e2 >= Field2::circle_order ? e2 - Field2::circle_order : e2};
}

Angle times(Angle a, std::int64_t n) { return {scaled<Field1>(a.e1, n), scaled<Field2>(a.e2, n)}; }

CosSin point_of(Angle a) {
    static const Generator<Field1, 9> g1;
    static const Generator<Field2, 11> g2;
    const CirclePoint p1 = g1.pow(a.e1), p2 = g2.pow(a.e2);
    return {.cos = {p1.c, p2.c}, .sin = {p1.s, p2.s}};
}

CosSin power(CosSin a, std::int64_t n) {
    if (n < 0) a.sin = -a.sin;
    CosSin r{residue_of(1), {}};
    for (std::uint64_t left = n < 0 ? -static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n); left != 0; left >>= 1) {
        if ((left & 1) != 0) r = r * a;
        a = a * a;
    }
    return r;
}

std::uint64_t keyed_hash(std::uint64_t key, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    // Multiplying between the steps keeps the arguments' places apart: swapping two of them changes everything.
    std::uint64_t h = mix(key + 0x9E3779B97F4A7C15ULL) * 0x8CB92BA72F3D8DD7ULL;
    h = mix(h ^ mix(a + 0x2545F4914F6CDD1DULL)) * 0xD6E8FEB86659FD93ULL;
    h = mix(h ^ mix(b + 0xC2B2AE3D27D4EB4FULL)) * 0xA0761D6478BD642FULL;
    return mix(h ^ mix(c + 0x165667B19E3779F9ULL));
}

Residue hashed_residue(std::uint64_t key, Residue a, Residue b, Residue c) {
    const std::uint64_t h1 = keyed_hash(key, a.r1, b.r1, c.r1), h2 = keyed_hash(key + 1, a.r2, b.r2, c.r2);
    // Each field's hash is fed with both residues, so that a chance collision needs both.
    return {keyed_hash(h1, h2) % Field1::p, keyed_hash(h2, h1) % Field2::p};
}

Angle hashed_angle(std::uint64_t key, Residue a) {
    const std::uint64_t h = keyed_hash(key, a.r1, a.r2);
    return {keyed_hash(h, 1) % Field1::circle_order, keyed_hash(h, 2) % Field2::circle_order};
}

}  // namespace linkwright::sym
