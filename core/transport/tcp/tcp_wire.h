// What travels over the two connections to a peer, besides the payload.
//
// The caller opens two, each beginning with a Preamble: the same random token pairs them.
//   control: ControlHeader, then `length` bytes: messages, in both directions.
//   data:    DataHeader; the head of a FrameInfo; its rectangles; the blocks (ByteBlock), if any; then
//            `payloadBytes` bytes of payload, block by block: frames, from the source to the sink only.
#pragma once

#include <array>
#include <cstdint>

#include "core/transport/frame_path.h"
#include "core/video/frame_info.h"

namespace verbcast::tcp {

inline constexpr std::array<char, 8> kMagic = {'V', 'B', 'C', 'T', 'T', 'C', 'P', '2'};

enum class StreamKind : std::uint32_t { Control = 1, Data = 2 };

struct Preamble {
    std::array<char, 8> magic;
    StreamKind kind;
    std::uint32_t reserved;
    std::array<std::uint8_t, 16> token;
};
static_assert(sizeof(Preamble) == 32);

inline constexpr std::uint32_t kControlMagic = 0x4C434256;  // "VBCL"
struct ControlHeader {
    std::uint32_t magic;
    std::uint32_t length;
};
static_assert(sizeof(ControlHeader) == 8);

inline constexpr std::uint32_t kDataMagic = 0x32444256;  // "VBD2"
struct DataHeader {
    std::uint32_t magic;
    std::uint32_t ring;
    std::uint32_t slot;
    std::uint32_t blockCount;    ///< 0: all of info.payloadBytes
    std::uint64_t payloadBytes;  ///< that follow: the sum of the blocks
};
static_assert(sizeof(DataHeader) == 24);

/// The part before a frame's payload that tells how much more there is, and the largest it can be.
inline constexpr std::size_t kFixedHeadBytes = sizeof(DataHeader) + kFrameInfoHeadBytes;
inline constexpr std::size_t kMaxHeadBytes =
    sizeof(DataHeader) + kFrameInfoBytes + kMaxByteBlocks * sizeof(ByteBlock);

}  // namespace verbcast::tcp
