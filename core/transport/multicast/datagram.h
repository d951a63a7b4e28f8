// What a datagram of a group looks like, and what is checked when one arrives.
//
//   head      DatagramHead, in the clear
//   payload   a chunk of a frame, or a beacon
//   tag       16 bytes where the stream has a key (core/session/trust/datagram_seal.h)
//
// All chunks of a stream but the last of a frame have the same size, so that a frame is cut in one way only:
// a chunk's number says where it belongs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/clean_text.h"
#include "core/base/wire.h"

namespace verbcast::multicast {

inline constexpr std::uint32_t kDatagramMagic = 0x434d4256;  // "VBMC"
inline constexpr std::uint8_t kDatagramVersion = 1;
inline constexpr std::size_t kTagBytes = 16;
/// Chunks of a frame at most: what one bitmap holds.
inline constexpr std::uint32_t kMaxChunks = 1U << 22;
inline constexpr std::uint32_t kMinChunkBytes = 256;
inline constexpr std::uint32_t kMaxChunkBytes = 65536 - 512;
/// Larger frames do not travel by a group.
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
    std::uint16_t keyId = 0;    ///< of the key that its tag was made with; 0: it has none
    std::uint64_t stream = 0;   ///< random, told in the session
    std::uint64_t counter = 0;  ///< of the stream's datagrams: no two have the same
    std::uint64_t frame = 0;    ///< of the stream's frames by this group, from 1
    std::uint32_t chunk = 0;    ///< of the frame, from 0
    std::uint32_t chunks = 0;   ///< of the frame
};
static_assert(sizeof(DatagramHead) == 40);

inline constexpr std::size_t kHeadBytes = sizeof(DatagramHead);

/// What of a datagram of so many bytes is left for a chunk; a multiple of 16.
std::uint32_t chunkBytesFor(std::size_t datagramBytes, bool tagged);

/// How a frame of so many bytes (1 to kMaxFrameBytes) is cut.
std::uint32_t chunksOf(std::uint64_t frameBytes, std::uint32_t chunkBytes);
/// Bytes of the chunk of that number, which is less than chunksOf().
std::uint32_t bytesOfChunk(std::uint64_t frameBytes, std::uint32_t chunkBytes, std::uint32_t chunk);

/// What a receiver knows of the stream from the session.
struct StreamShape {
    std::uint64_t stream = 0;
    std::uint32_t chunkBytes = 0;
    std::uint16_t keyId = 0;  ///< 0: datagrams have no tags
};

/// A chunk whose numbers can be: of this stream, its size and number in order. Its tag is still to be
/// checked.
struct Chunk {
    DatagramHead head;
    std::span<const std::byte> payload;
    std::span<const std::byte> tag;  ///< empty without a key
};

/// Why a datagram is none of the stream's.
enum class Refusal {
    Beacon,       ///< no chunk, but nothing wrong
    NotOurs,      ///< too short, or not of this program
    OtherStream,  ///< of another sender on the same group
    Impossible,   ///< numbers or a size that cannot be
};

/// The head of a chunk, of a datagram of so many bytes in all that begins with `begin`, where its numbers can
/// be. Safe for any bytes. `why`, which may be null, is set where there is none. Of the key's number it only
/// matters whether there is one: keys change.
std::optional<DatagramHead> readHead(std::span<const std::byte> begin, std::size_t datagramBytes,
                                     const StreamShape& shape, Refusal* why = nullptr);
/// The same for a datagram that lies in one piece.
std::optional<Chunk> readChunk(std::span<const std::byte> datagram, const StreamShape& shape,
                               Refusal* why = nullptr);

/// Said into the group several times a second: where the stream's sessions are.
struct Beacon {
    std::uint64_t stream = 0;  // of the head
    std::uint16_t port = 0;    ///< of the sender's tcp listener
    bool asks = false;         ///< the sender looks whether the group is in use before it begins
    std::string name;          ///< of the stream or the host, cleaned
    template <typename Self, typename Visit>
    static void fields(Self& self, Visit& visit) {
        visit(self.port);
        visit(self.asks);
        visit(self.name);
    }
};

inline constexpr std::size_t kMaxBeaconName = 64;

std::vector<std::byte> encodeBeacon(const Beacon& beacon);
/// Nothing for anything else; safe for any bytes.
std::optional<Beacon> readBeacon(std::span<const std::byte> datagram);

}  // namespace verbcast::multicast
