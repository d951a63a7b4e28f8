// The bytes of a value as sent over the wire.
#pragma once

#include <cstddef>
#include <span>

namespace verbcast::testing {

template <typename T>
std::span<const std::byte> bytesOf(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

}  // namespace verbcast::testing
