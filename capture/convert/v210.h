// v210: 4:2:2 at 10 bits, six pixels in four little-endian 32-bit words (SMPTE serial digital video in
// memory).
#pragma once

#include <cstddef>
#include <cstdint>

namespace verbcast {

/// Packs one row. `luma` has `width` samples, `cb` and `cr` have (width + 1) / 2, all of 10 bits. Values are
/// clamped to 4..1019 as on SDI, where the others are timing codes; FFmpeg's encoder does the same. Pixels
/// past the end in the row's last group, and the bytes up to `rowBytes` (a multiple of 16), are zero.
void packV210Row(const std::uint16_t* luma, const std::uint16_t* cb, const std::uint16_t* cr,
                 std::uint32_t width, std::byte* row, std::size_t rowBytes);

/// The reverse; writes exactly `width` and (width + 1) / 2 samples.
void unpackV210Row(const std::byte* row, std::uint32_t width, std::uint16_t* luma, std::uint16_t* cb,
                   std::uint16_t* cr);

}  // namespace verbcast
