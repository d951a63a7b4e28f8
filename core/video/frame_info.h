// What travels with each frame: a little-endian value with a fixed layout.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/os/clock.h"

namespace verbcast {

/// A part of a picture, in pixels from its top left corner. One received from a peer is checked against the
/// format before use.
struct FrameRect {
    std::uint16_t x = 0, y = 0, width = 0, height = 0;
    bool isEmpty() const { return width == 0 || height == 0; }
    friend bool operator==(const FrameRect&, const FrameRect&) = default;
};
static_assert(sizeof(FrameRect) == 8);

/// The intersection; empty if there is none.
inline FrameRect commonPart(const FrameRect& a, const FrameRect& b) {
    const auto left = std::max(a.x, b.x), top = std::max(a.y, b.y);
    const int right = std::min(a.x + a.width, b.x + b.width),
              bottom = std::min(a.y + a.height, b.y + b.height);
    return left < right && top < bottom ? FrameRect{left, top, static_cast<std::uint16_t>(right - left),
                                                    static_cast<std::uint16_t>(bottom - top)}
                                        : FrameRect{};
}

inline constexpr std::size_t kMaxFrameRects = 16;

/// Laid out as declared (no padding on any 64-bit little-endian machine). Only its first frameInfoBytes()
/// need to travel.
struct FrameInfo {
    std::uint32_t epoch = 0;     ///< which format of the track describes the payload
    std::uint32_t flags = 0;     ///< FrameFlags
    std::uint64_t sequence = 0;  ///< counts the frames the source offered, from 0; a gap is a dropped frame
    std::int64_t pts = 0;        ///< presentation time in units of VideoFormat::timeBase
    std::uint64_t payloadBytes = 0;   ///< of the whole frame; equals the format's payloadBytes for video
    TimestampNs capturedAt = 0;       ///< sender's clock: the source began to fill the slot
    TimestampNs submittedAt = 0;      ///< sender's clock: the frame was complete and handed to the session
    TimestampNs postedAt = 0;         ///< sender's clock: handed to the transport
    std::uint64_t inputSequence = 0;  ///< last input event that the picture shows; 0: none
    std::uint16_t track = 0;          ///< the track it belongs to
    /// How many of `rects` hold what changed since the track's previous frame; the rest of the picture is
    /// unchanged. 0: the frame stands alone. A single empty one: nothing changed. The previous frame is the
    /// last one submitted, on the wire the last one sent over the connection, and for a consumer the last one
    /// that it received. Whatever pixels the receiver lacks travel in any case.
    std::uint16_t rectCount = 0;
    /// From a sender that tells its displays when to show a frame: its presentation time, in microseconds
    /// after submittedAt. Otherwise 0.
    std::uint32_t presentAfterUs = 0;
    std::array<FrameRect, kMaxFrameRects> rects{};
};

inline constexpr std::size_t kFrameInfoBytes = 200;
inline constexpr std::size_t kFrameInfoHeadBytes = 72;  ///< without rectangles
static_assert(sizeof(FrameInfo) == kFrameInfoBytes && offsetof(FrameInfo, rects) == kFrameInfoHeadBytes);

/// Bytes of `info` that carry information and must travel. rectCount is at most kMaxFrameRects.
inline std::size_t frameInfoBytes(const FrameInfo& info) {
    return kFrameInfoHeadBytes + info.rectCount * sizeof(FrameRect);
}

/// The FrameInfo that begins with these bytes, at most kFrameInfoBytes; the rest of it is zero. A peer's is
/// unchecked: read the head first, then rectCount, then as much as that requires.
inline FrameInfo frameInfoFrom(std::span<const std::byte> bytes) {
    std::array<std::byte, kFrameInfoBytes> whole{};
    std::memcpy(whole.data(), bytes.data(), bytes.size());
    return std::bit_cast<FrameInfo>(whole);
}

enum FrameFlags : std::uint32_t {
    kFrameDamaged = 1,  ///< the decoder reported errors in this picture
};

}  // namespace verbcast
