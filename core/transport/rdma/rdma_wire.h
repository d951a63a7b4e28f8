// Everything that two ends of an RDMA connection say to each other beside the payload: the greetings, the
// header of each message, the notice of a frame; and the offer of a ring, which the session carries. Encoded
// little-endian; every number is checked when decoded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/transport/frame_path.h"
#include "core/transport/message_channel.h"
#include "core/video/frame_info.h"

namespace verbcast {

/// Rises when the ends of two builds cannot understand each other any more.
inline constexpr std::uint16_t kRdmaWireVersion = 3;

/// Feature bits of a greeting; unknown ones are ignored.
inline constexpr std::uint16_t kTakesImmediates = 1;

/// What both sides tell when they connect.
struct RdmaGreeting {
    std::uint16_t version = kRdmaWireVersion;
    std::uint16_t features = 0;
    std::uint16_t messageCredits = 0;     ///< messages that may be on their way to the teller
    std::uint32_t largestWriteBytes = 0;  ///< PortLimits of the teller
};

/// IBTA allows 56 bytes in a connection request of rdma_cm's TCP port space.
inline constexpr std::size_t kMaxPrivateBytes = 56;
std::vector<std::byte> encodeGreeting(const RdmaGreeting& greeting);

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
    std::optional<RdmaGreeting> greeting;
    RefusalReason refusal = RefusalReason::NotOurs;
    std::string problem;  ///< for the log, when there is no greeting
};
GreetingOrRefusal decodeGreeting(std::span<const std::byte> bytes);

enum class MessageKind : std::uint8_t {
    Hello = 1,    ///< first from the connecting side: it is ready
    Session = 2,  ///< a message of the session
    Credits = 3,  ///< only the header counts
    Frame = 4,    ///< a FrameNotice, where immediates do not exist
    Close = 5,    ///< nothing follows
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

/// Where the source may write: what FramePath::offer() gives to the session.
struct RingOffer {
    std::uint64_t payloadAddress = 0;  ///< of the slots, one after the other
    std::uint64_t payloadKey = 0;
    std::uint64_t infoAddress = 0;  ///< of a table with a FrameRecord for each slot
    std::uint64_t infoKey = 0;
};
std::vector<std::byte> encodeOffer(const RingOffer& offer);
/// For a shape that passes requireAcceptable(). Throws Error{Peer} when the bytes are too few or too many, or
/// when an end of the memory overflows 64 bits.
RingOffer decodeOffer(const RingShape& shape, std::span<const std::byte> bytes);

/// What the sink learns of a frame. Only the first frameRecordBytes() travel.
struct FrameRecord {
    std::uint64_t bytes = 0;  ///< of payload that travelled: fewer than info.payloadBytes of a frame in parts
    FrameInfo info;
};
inline constexpr std::size_t kFrameRecordBytes = 8 + kFrameInfoBytes;
static_assert(sizeof(FrameRecord) == kFrameRecordBytes);
inline std::size_t frameRecordBytes(const FrameRecord& record) {
    return 8 + frameInfoBytes(record.info);
}

/// What a SEND carries where a device has no RDMA WRITE with immediate. Only the first frameNoticeBytes()
/// travel.
struct FrameNotice {
    std::uint32_t ring = 0;
    std::uint32_t slot = 0;
    FrameRecord record;
};
inline constexpr std::size_t kFrameNoticeHeadBytes = 16;  ///< before the FrameInfo
static_assert(sizeof(FrameNotice) == kFrameNoticeHeadBytes + kFrameInfoBytes);
inline std::size_t frameNoticeBytes(const FrameInfo& info) {
    return kFrameNoticeHeadBytes + frameInfoBytes(info);
}
/// Throws Error{Peer} when the size does not fit what the notice says of itself.
FrameNotice decodeFrameNotice(std::span<const std::byte> bytes);

/// A peer's FrameRecord as it lies in memory that the peer may still be writing: copied, then checked. What
/// its rectCount does not cover is zero. Throws Error{Peer} when rectCount is more than kMaxFrameRects.
FrameRecord copyFrameRecord(const std::byte* from);

/// The whole SEND of a FrameNotice.
struct FrameNoticeMessage {
    MessageHeader header;
    FrameNotice notice;
};
static_assert(sizeof(FrameNoticeMessage) == kMessageHeaderBytes + sizeof(FrameNotice));

/// The immediate: slot in the low 16 bits, the ring (below 65536) above.
constexpr std::uint32_t makeImmediate(RingId ring, std::uint32_t slot) {
    return (ring << 16) | (slot & 0xffff);
}
constexpr std::uint32_t slotOfImmediate(std::uint32_t immediate) {
    return immediate & 0xffff;
}
constexpr RingId ringOfImmediate(std::uint32_t immediate) {
    return immediate >> 16;
}

}  // namespace verbcast
