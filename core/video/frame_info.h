// What travels with each frame: a fixed-size little-endian value.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/clock.h"

namespace verbcast {

/// 128 bytes on every wire, laid out as declared (no padding on any 64-bit little-endian machine).
struct FrameInfo {
    std::uint32_t epoch = 0;     ///< which VideoFormat of the stream describes the payload
    std::uint32_t flags = 0;     ///< FrameFlags
    std::uint64_t sequence = 0;  ///< counts the frames the source offered, from 0; a gap is a dropped frame
    std::int64_t pts = 0;        ///< presentation time in units of VideoFormat::timeBase
    std::uint64_t payloadBytes = 0;   ///< equals the format's payloadBytes
    TimestampNs capturedAt = 0;       ///< sender's clock: the source began to fill the slot
    TimestampNs submittedAt = 0;      ///< sender's clock: the frame was complete and handed to the session
    TimestampNs postedAt = 0;         ///< sender's clock: handed to the transport
    std::uint64_t inputSequence = 0;  ///< last input event that the picture shows; 0 for none
    std::uint8_t reserved[64] = {};
};

inline constexpr std::size_t kFrameInfoBytes = 128;
static_assert(sizeof(FrameInfo) == kFrameInfoBytes);

enum FrameFlags : std::uint32_t {
    kFrameDamaged = 1,  ///< the decoder reported errors in this picture
};

}  // namespace verbcast
