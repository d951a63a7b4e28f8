// The fuzzer's bytes as a script of small values.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/video/frame_info.h"
#include "tests/fuzz/target.h"

namespace verbcast::fuzz {

/// Takes values from the front, little-endian; missing bytes are zero.
class Script {
  public:
    explicit Script(Bytes input) : rest_(input) {}

    bool done() const { return rest_.empty(); }
    template <typename T>
    requires std::is_trivially_copyable_v<T> T take() {
        T value{};
        const Bytes bytes = takeBytes(sizeof value);
        if (!bytes.empty()) {
            std::memcpy(static_cast<void*>(&value), bytes.data(), bytes.size());
        }
        return value;
    }
    std::uint8_t byte() { return take<std::uint8_t>(); }
    bool flag() { return (byte() & 1) != 0; }
    /// Takes as many as there are, at most `count`.
    Bytes takeBytes(std::size_t count) {
        const Bytes head = rest_.first(std::min(count, rest_.size()));
        rest_ = rest_.subspan(head.size());
        return head;
    }
    /// A length (16 bits) and that many bytes.
    Bytes takeText() { return takeBytes(take<std::uint16_t>()); }

    /// Takes fewer bytes than the wire format has, so that most of them matter.
    FrameInfo takeInfo() {
        FrameInfo info;
        info.epoch = byte();
        info.track = byte();
        info.rectCount = byte();
        info.flags = byte();
        info.sequence = take<std::uint16_t>();
        info.payloadBytes = take<std::uint32_t>();
        info.pts = take<std::uint32_t>();
        info.postedAt = info.submittedAt = info.capturedAt = take<std::int32_t>();
        info.rects.fill({1, 2, 3, 4});
        return info;
    }

  private:
    Bytes rest_;
};

/// In the wire format; an impossible rectangle count is kept and followed by the maximum number of
/// rectangles.
inline Bytes bytesOf(const FrameInfo& info) {
    FrameInfo there = info;
    there.rectCount = std::min<std::uint16_t>(info.rectCount, kMaxFrameRects);
    return std::as_bytes(std::span(&info, 1)).first(frameInfoBytes(there));
}

}  // namespace verbcast::fuzz
