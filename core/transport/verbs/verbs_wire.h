// Everything that two verbs ends say to each other beside the payload: the private data of connecting, the
// header of each message, and the announcement of a pool. Encoded little-endian; every number is checked when
// decoded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/pool/frame_pool.h"
#include "core/transport/transport.h"
#include "core/video/frame_info.h"

namespace verbcast {

/// Rises when the ends of two builds cannot understand each other any more.
inline constexpr std::uint16_t kVerbsWireVersion = 1;

/// Feature bits of a greeting; unknown ones are ignored.
inline constexpr std::uint16_t kTakesImmediates = 1;

/// What both sides tell in the private data of CONNECT and ACCEPT.
struct Greeting {
    std::uint16_t version = kVerbsWireVersion;
    std::uint16_t features = 0;
    std::uint16_t messageCredits = 0;     ///< messages that may be on their way to the teller
    std::uint32_t largestWriteBytes = 0;  ///< max_msg_sz of the teller's port
};

/// IBTA allows 56 bytes in a connection request of rdma_cm's TCP port space.
inline constexpr std::size_t kMaxPrivateBytes = 56;
std::vector<std::byte> encodeGreeting(const Greeting& greeting);

enum class RefusalReason : std::uint16_t {
    Version = 1,    ///< `version` tells which one is spoken
    NotOurs = 2,    ///< the request was not Verbcast's
    Resources = 3,  ///< out of memory, queue pairs, ...
};
std::vector<std::byte> encodeRefusal(RefusalReason reason);
/// "the peer speaks version 2 of the protocol, this program version 1"; nothing when the bytes are no
/// refusal.
std::optional<std::string> decodeRefusal(std::span<const std::byte> bytes);

/// Private data as received. InfiniBand pads it with zeros; only the start counts.
struct GreetingOrRefusal {
    std::optional<Greeting> greeting;
    RefusalReason refusal = RefusalReason::NotOurs;
    std::string problem;  ///< for the log, when there is no greeting
};
GreetingOrRefusal decodeGreeting(std::span<const std::byte> bytes);

enum class MessageKind : std::uint8_t {
    Hello = 1,    ///< first from the connecting side: it is ready
    Session = 2,  ///< a message of the session
    Pool = 3,     ///< a PoolAnnouncement
    Credits = 4,  ///< only the header counts
    Frame = 5,    ///< a FrameNotice, where immediates do not exist
    Close = 6,    ///< nothing follows
    Alive = 7,    ///< only that it comes counts
};

/// Before every SEND.
struct MessageHeader {
    MessageKind kind = MessageKind::Session;
    std::uint8_t reserved[3] = {};
    std::uint32_t consumed = 0;  ///< messages that the sender of this has taken from us so far, modulo 2^32
};
inline constexpr std::size_t kMessageHeaderBytes = 8;
static_assert(sizeof(MessageHeader) == kMessageHeaderBytes);

inline constexpr std::size_t kMaxWireMessageBytes = kMessageHeaderBytes + kMaxMessageBytes;

/// Session, Pool and Alive messages need a credit of the receiver; see kUncreditedReceives.
bool needsCredit(MessageKind kind);

/// Where the source may write.
struct PoolAnnouncement {
    std::uint32_t generation = 0;
    std::uint32_t slotCount = 0;
    std::uint64_t slotBytes = 0;
    std::uint64_t poolAddress = 0;
    std::uint32_t poolKey = 0;
    std::uint32_t infoKey = 0;
    std::uint64_t infoAddress = 0;  ///< table of slotCount FrameInfo
};
std::vector<std::byte> encodePool(const PoolAnnouncement& pool);
/// Throws Error{Peer} when a number is out of range or an end of a range overflows 64 bits.
PoolAnnouncement decodePool(std::span<const std::byte> bytes);

/// What a SEND carries where a device has no RDMA WRITE with immediate.
struct FrameNotice {
    std::uint32_t generation = 0;
    std::uint32_t slot = 0;
    FrameInfo info;
};
inline constexpr std::size_t kFrameNoticeBytes = 8 + kFrameInfoBytes;
static_assert(sizeof(FrameNotice) == kFrameNoticeBytes);

/// The whole SEND of a FrameNotice.
struct FrameNoticeMessage {
    MessageHeader header;
    FrameNotice notice;
};
static_assert(sizeof(FrameNoticeMessage) == kMessageHeaderBytes + kFrameNoticeBytes);

/// The immediate: slot in the low 16 bits, the generation's low 16 bits above.
constexpr std::uint32_t makeImmediate(std::uint32_t generation, std::uint32_t slot) {
    return ((generation & 0xffff) << 16) | (slot & 0xffff);
}
constexpr std::uint32_t slotOfImmediate(std::uint32_t immediate) {
    return immediate & 0xffff;
}
constexpr std::uint16_t generationOfImmediate(std::uint32_t immediate) {
    return static_cast<std::uint16_t>(immediate >> 16);
}

}  // namespace verbcast
