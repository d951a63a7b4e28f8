// Rounding to multiples.
#pragma once

#include <cstdint>

namespace verbcast {

/// The smallest multiple of `alignment` (any number above 0) that is at least `value`.
constexpr std::uint64_t roundUp(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

}  // namespace verbcast
