// The layout of a group's datagrams, and the checks on arrival.
//
//   head      DatagramHead, in the clear
//   payload   a chunk of a frame, or a beacon
//   tag       16 bytes if the stream has a key (core/session/trust: of a chunk DatagramSeal, of a beacon
//             beacon_proof.h)
//
// All chunks of a stream have the same size, except the last one of each frame, so that a frame is split in
// only one way: a chunk's number says where it belongs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/text/clean_text.h"
#include "core/base/wire.h"

namespace verbcast::multicast {

inline constexpr std::uint32_t kDatagramMagic = 0x434d4256;  // "VBMC"
inline constexpr std::uint8_t kDatagramVersion = 2;
inline constexpr std::size_t kTagBytes = 16;
/// Per frame: what one bitmap holds.
inline constexpr std::uint32_t kMaxChunks = 1U << 22;
inline constexpr std::uint32_t kMinChunkBytes = 256;
inline constexpr std::uint32_t kMaxChunkBytes = 65536 - 512;
/// Larger frames are not sent over a group.
inline constexpr std::uint64_t kMaxFrameBytes = std::uint64_t{1} << 32;

enum class DatagramKind : std::uint8_t {
    Chunk = 1,
    Beacon = 2,
};

/// Laid out as declared, little-endian.
struct DatagramHead {
    std::uint32_t magic = kDatagramMagic;
    std::uint8_t version = kDatagramVersion;
    DatagramKind kind = DatagramKind::Chunk;
    std::uint16_t keyId = 0;    ///< of the key that made its tag; 0: no tag
    std::uint64_t stream = 0;   ///< random, announced in the session
    std::uint64_t counter = 0;  ///< unique among the stream's datagrams
    std::uint64_t frame = 0;    ///< counts the stream's frames sent over this group, from 1
    std::uint32_t chunk = 0;    ///< index in the frame, from 0
    std::uint32_t chunks = 0;   ///< in the frame
};
static_assert(sizeof(DatagramHead) == 40);

inline constexpr std::size_t kHeadBytes = sizeof(DatagramHead);

/// How much of a datagram of this size is left for a chunk; a multiple of 16.
std::uint32_t chunkBytesFor(std::size_t datagramBytes, bool tagged);

/// How many chunks a frame of this size (1 to kMaxFrameBytes) is split into.
std::uint32_t chunksOf(std::uint64_t frameBytes, std::uint32_t chunkBytes);
/// `chunk`: less than chunksOf().
std::uint32_t bytesOfChunk(std::uint64_t frameBytes, std::uint32_t chunkBytes, std::uint32_t chunk);

/// Known to a receiver from the session.
struct StreamShape {
    std::uint64_t stream = 0;
    std::uint32_t chunkBytes = 0;
    std::uint16_t keyId = 0;  ///< 0: datagrams have no tags
};

/// A chunk with plausible numbers: from this stream, with a matching size and number. Its tag is still to be
/// checked.
struct Chunk {
    DatagramHead head;
    std::span<const std::byte> payload;
    std::span<const std::byte> tag;  ///< empty without a key
};

/// Why a datagram is not one of the stream's.
enum class Refusal {
    Beacon,       ///< no chunk, but nothing is wrong
    NotOurs,      ///< too short, or not from this program
    OtherStream,  ///< from another sender in the same group
    Impossible,   ///< impossible numbers or size
};

/// The head of a chunk, from a datagram of `datagramBytes` in all that starts with `begin`, if its numbers
/// are possible. Safe for any bytes. `why`, which may be null, is set if there is none. Only the presence of
/// a key is checked, not its number: keys change.
std::optional<DatagramHead> readHead(std::span<const std::byte> begin, std::size_t datagramBytes,
                                     const StreamShape& shape, Refusal* why = nullptr);
/// The same for a datagram in contiguous memory.
std::optional<Chunk> readChunk(std::span<const std::byte> datagram, const StreamShape& shape,
                               Refusal* why = nullptr);

/// Sent into the group several times a second: where the stream's sessions are.
struct Beacon {
    std::uint64_t stream = 0;  // from the head
    bool tagged = false;       // from the head: a tag follows
    std::uint16_t port = 0;    ///< of the sender's tcp listener
    std::string name;          ///< of the stream or the host, cleaned
    template <typename Self, typename Visit>
    static void fields(Self& self, Visit& visit) {
        visit(self.port);
        visit(self.name);
    }
};

inline constexpr std::size_t kMaxBeaconName = 64;

/// Without its tag.
std::vector<std::byte> encodeBeacon(const Beacon& beacon);
/// Nothing for any other datagram; safe for any bytes.
std::optional<Beacon> readBeacon(std::span<const std::byte> datagram);

}  // namespace verbcast::multicast
