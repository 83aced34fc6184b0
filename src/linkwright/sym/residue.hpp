#pragma once
// Arithmetic in the two prime fields where fingerprints live, and on the unit circle over them.
//
// The primes are p = 2⁶¹ − 3153 and p = 2⁶¹ − 4473. Both are 119 mod 120, which gives three gifts:
//   - −1 is no square, so 1 + t² never vanishes and every t is a point of the circle c² + s² = 1;
//   - the circle has p + 1 points, a multiple of 120, so e^{iπ/60} exists and multiples of π/12 are exact;
//   - √2, √3, √5 exist, and of the two roots the one that is itself a square is called principal: principal
//     roots multiply, √2·√3 = √6, as they do among positive reals.
// The circle is a cyclic group; a fixed generator g of each makes an angle an *exponent*: adding angles adds exponents.

#include <array>
#include <cstdint>
#include <optional>

namespace linkwright::sym {

/// One prime field of order 2⁶¹ − C. Values are kept reduced.
template <std::uint64_t C>
struct Field {
    using Word = std::uint64_t;
    static constexpr Word mask = (Word{1} << 61) - 1;
    static constexpr Word p = mask - (C - 1);
    static constexpr Word circle_order = p + 1;

    static constexpr Word reduce(Word x) {  // x < 2⁶⁴
        x = (x & mask) + (x >> 61) * C;
        return x >= p ? x - p : x;
    }
    static constexpr Word add(Word a, Word b) {
        const Word s = a + b;
        return s >= p ? s - p : s;
    }
    static constexpr Word neg(Word a) { return a == 0 ? 0 : p - a; }
    static constexpr Word sub(Word a, Word b) { return add(a, neg(b)); }
    static constexpr Word mul(Word a, Word b) {
        // 2⁶¹ ≡ C: fold the upper half down twice.
        const auto z = static_cast<unsigned __int128>(a) * b;
        const auto y = static_cast<unsigned __int128>(static_cast<Word>(z >> 61)) * C + (static_cast<Word>(z) & mask);
        const Word x = (static_cast<Word>(y) & mask) + static_cast<Word>(y >> 61) * C;
        return x >= p ? x - p : x;
    }
    static constexpr Word pow(Word a, Word n) {
        Word r = 1;
        for (; n != 0; n >>= 1) {
            if ((n & 1) != 0) r = mul(r, a);
            a = mul(a, a);
        }
        return r;
    }
    static constexpr Word inv(Word a) {  // a ≠ 0, by Euclid
        std::int64_t x = 0, next_x = 1;
        auto r = static_cast<std::int64_t>(p), next_r = static_cast<std::int64_t>(a);
        while (next_r != 0) {
            const std::int64_t q = r / next_r;
            const std::int64_t keep_r = next_r, keep_x = next_x;
            next_r = r - q * next_r, r = keep_r;
            next_x = x - q * next_x, x = keep_x;
        }
        return x < 0 ? static_cast<Word>(x + static_cast<std::int64_t>(p)) : static_cast<Word>(x);
    }
    static constexpr bool is_square(Word a) { return a == 0 || pow(a, (p - 1) / 2) == 1; }
    /// The root that is itself a square; p ≡ 3 mod 4 makes it one power. a must be a square.
    static constexpr Word principal_root(Word a) { return pow(a, (p + 1) / 4); }
};

using Field1 = Field<3153>;
using Field2 = Field<4473>;

/// A point of the unit circle over one field.
struct CirclePoint {
    std::uint64_t c = 1, s = 0;
    bool operator==(const CirclePoint&) const = default;
};

/// A value in both fields: what a node carries.
struct Residue {
    std::uint64_t r1 = 0, r2 = 0;
    bool operator==(const Residue&) const = default;
    bool is_zero() const { return r1 == 0 && r2 == 0; }
};

inline Residue operator+(Residue a, Residue b) { return {Field1::add(a.r1, b.r1), Field2::add(a.r2, b.r2)}; }
inline Residue operator-(Residue a) { return {Field1::neg(a.r1), Field2::neg(a.r2)}; }
inline Residue operator-(Residue a, Residue b) { return a + -b; }
inline Residue operator*(Residue a, Residue b) { return {Field1::mul(a.r1, b.r1), Field2::mul(a.r2, b.r2)}; }
inline Residue residue_of(std::int64_t n) {
    const Residue size{Field1::reduce(static_cast<std::uint64_t>(n < 0 ? -n : n)),
                       Field2::reduce(static_cast<std::uint64_t>(n < 0 ? -n : n))};
    return n < 0 ? -size : size;
}
/// 1/a; empty when a vanishes in either field.
std::optional<Residue> inverse(Residue a);

/// An angle as exponents of the two generators: the angle's point is g^e in each field.
struct Angle {
    std::uint64_t e1 = 0, e2 = 0;
};
Angle operator+(Angle a, Angle b);
Angle times(Angle a, std::int64_t n);

struct CosSin {
    Residue cos, sin;
};
/// g^e in both fields.
CosSin point_of(Angle a);
/// The angles add.
inline CosSin operator*(CosSin a, CosSin b) { return {a.cos * b.cos - a.sin * b.sin, a.sin * b.cos + a.cos * b.sin}; }
/// The angle n times.
CosSin power(CosSin a, std::int64_t n);

/// A keyed hash: the source of every random point and of the residues of opaque functions.
std::uint64_t keyed_hash(std::uint64_t key, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);
Residue hashed_residue(std::uint64_t key, Residue a, Residue b = {}, Residue c = {});
Angle hashed_angle(std::uint64_t key, Residue a);

}  // namespace linkwright::sym
