#include "linkwright/ensemble/random.hpp"

namespace linkwright::ensemble {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> x, std::array<std::uint32_t, 2> key) {
    constexpr std::uint64_t left = 0xD2511F53, right = 0xCD9E8D57;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t l = left * x[0], r = right * x[2];
        x = {static_cast<std::uint32_t>(r >> 32) ^ x[1] ^ key[0], static_cast<std::uint32_t>(r),
             static_cast<std::uint32_t>(l >> 32) ^ x[3] ^ key[1], static_cast<std::uint32_t>(l)};
        key[0] += 0x9E3779B9, key[1] += 0xBB67AE85;
    }
    return x;
}

std::uint64_t bits(std::uint64_t seed, Stream stream, std::uint64_t at, std::uint32_t series) {
    const auto x =
        philox({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), series, static_cast<std::uint32_t>(stream)},
               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    return (static_cast<std::uint64_t>(x[0]) << 32) | x[1];
}

double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

std::uint64_t below(std::uint64_t size, std::uint64_t bits) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * size) >> 64);
}

}  // namespace linkwright::ensemble
