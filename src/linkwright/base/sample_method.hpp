#pragma once
// How a computer runs a filter that was designed in continuous time. A model asks for it, equations carry it, simulation does it.

#include <cstdint>

namespace linkwright {

enum class SampleMethod : std::uint8_t {
    hold,    ///< exact for an input that is held between samples
    tustin,  ///< s ← 2(z − 1)/T(z + 1): the trapezoidal rule
};

}  // namespace linkwright
