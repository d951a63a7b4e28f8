// What travels over the two connections of a tcp channel, before and besides the payload.
//
// The connecting side opens two connections, each beginning with a Preamble: the same random token pairs
// them.
//   control: ControlHeader, then `length` bytes: session messages and pool announcements, both ways.
//   data:    DataHeader, then info.payloadBytes bytes of payload: frames, from the source to the sink only.
#pragma once

#include <array>
#include <cstdint>

#include "core/video/frame_info.h"

namespace verbcast::tcp {

inline constexpr std::array<char, 8> kMagic = {'V', 'B', 'C', 'T', 'T', 'C', 'P', '1'};

enum class StreamKind : std::uint32_t { Control = 1, Data = 2 };

struct Preamble {
    std::array<char, 8> magic;
    StreamKind kind;
    std::uint32_t reserved;
    std::array<std::uint8_t, 16> token;
};
static_assert(sizeof(Preamble) == 32);

enum class ControlKind : std::uint32_t { SessionMessage = 1, PoolAnnouncement = 2 };

struct ControlHeader {
    std::uint32_t length;
    ControlKind kind;
};
static_assert(sizeof(ControlHeader) == 8);

struct PoolAnnouncement {
    std::uint64_t slotBytes;
    std::uint32_t generation;
    std::uint32_t slotCount;
};
static_assert(sizeof(PoolAnnouncement) == 16);

struct DataHeader {
    std::uint32_t magic;
    std::uint32_t generation;
    std::uint32_t slot;
    std::uint32_t reserved;
    FrameInfo info;
};
static_assert(sizeof(DataHeader) == 144);
inline constexpr std::uint32_t kDataMagic = 0x54414456;  // "VDAT"

}  // namespace verbcast::tcp
