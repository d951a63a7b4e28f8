// Everything that two ends of an RDMA connection exchange besides the payload: the greetings, the header of
// each message, the notice of a frame; and the offer of a ring, which the session carries. Encoded
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
#include "core/transport/rdma/voucher.h"
#include "core/video/frame_info.h"

namespace verbcast {

/// Increases when two builds can no longer understand each other.
inline constexpr std::uint16_t kRdmaWireVersion = 4;

/// Feature bits of a greeting; unknown ones are ignored.
inline constexpr std::uint16_t kTakesImmediates = 1;

/// What both sides send when they connect.
struct RdmaGreeting {
    std::uint16_t version = kRdmaWireVersion;
    std::uint16_t features = 0;
    std::uint16_t messageCredits = 0;     ///< messages that may be in flight to the sender of this
    std::uint32_t largestWriteBytes = 0;  ///< the sender's PortLimits
    VoucherSecret voucher{};              ///< the sender's, for a peer on the same machine; else zeros
};

/// IBTA allows 56 bytes in a connection request of rdma_cm's TCP port space.
inline constexpr std::size_t kMaxPrivateBytes = 56;
std::vector<std::byte> encodeGreeting(const RdmaGreeting& greeting);

enum class RefusalReason : std::uint16_t {
    Version = 1,    ///< `version` is the one spoken
    NotOurs = 2,    ///< the request was not from Verbcast
    Resources = 3,  ///< out of memory, queue pairs, ...
};
std::vector<std::byte> encodeRefusal(RefusalReason reason);
/// "the peer speaks version 2 of the protocol, this program version 1"; nothing if the bytes are no refusal.
std::optional<std::string> decodeRefusal(std::span<const std::byte> bytes);

/// Private data as received. InfiniBand pads it with zeros, so only the beginning counts.
struct GreetingOrRefusal {
    std::optional<RdmaGreeting> greeting;
    RefusalReason refusal = RefusalReason::NotOurs;
    std::string problem;  ///< for the log, if there is no greeting
};
GreetingOrRefusal decodeGreeting(std::span<const std::byte> bytes);

enum class MessageKind : std::uint8_t {
    Hello = 1,    ///< first from the connecting side: it is ready
    Session = 2,  ///< a message of the session
    Credits = 3,  ///< carries only the header
    Frame = 4,    ///< a FrameNotice, if there are no immediates
    Close = 5,    ///< the last message
};

/// Precedes every SEND.
struct MessageHeader {
    MessageKind kind = MessageKind::Session;
    std::uint8_t reserved[3] = {};
    std::uint32_t consumed = 0;  ///< messages that the sender of this has taken so far, modulo 2^32
};
inline constexpr std::size_t kMessageHeaderBytes = 8;
static_assert(sizeof(MessageHeader) == kMessageHeaderBytes);

inline constexpr std::size_t kMaxWireMessageBytes = kMessageHeaderBytes + kMaxMessageBytes;

/// Where the source may write: the offer that FramePath::offer() gives to the session.
struct RingOffer {
    std::uint64_t payloadAddress = 0;  ///< address of the slots, one after the other
    std::uint64_t payloadKey = 0;
    std::uint64_t infoAddress = 0;  ///< address of a table with a FrameRecord for each slot
    std::uint64_t infoKey = 0;
};
std::vector<std::byte> encodeOffer(const RingOffer& offer);
/// For a shape that passed requireAcceptable(). Throws Error{Peer} if there are too few or too many bytes, or
/// if an end of the memory overflows 64 bits.
RingOffer decodeOffer(const RingShape& shape, std::span<const std::byte> bytes);

/// What the sink learns about a frame. Only the first frameRecordBytes() travel.
struct FrameRecord {
    std::uint64_t bytes = 0;  ///< of payload that travelled: fewer than info.payloadBytes if sent in parts
    FrameInfo info;
};
inline constexpr std::size_t kFrameRecordBytes = 8 + kFrameInfoBytes;
static_assert(sizeof(FrameRecord) == kFrameRecordBytes);
inline std::size_t frameRecordBytes(const FrameRecord& record) {
    return 8 + frameInfoBytes(record.info);
}

/// In a SEND, where there are no immediates. Only the first frameNoticeBytes() travel.
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
/// Throws Error{Peer} if the size does not match what the notice says of itself.
FrameNotice decodeFrameNotice(std::span<const std::byte> bytes);

/// Reads a peer's FrameRecord from memory that the peer may still be writing: copies it, then checks it.
/// Anything beyond rectCount is zero. Throws Error{Peer} if rectCount is more than kMaxFrameRects.
FrameRecord copyFrameRecord(const std::byte* from);

struct FrameNoticeMessage {
    MessageHeader header;
    FrameNotice notice;
};
static_assert(sizeof(FrameNoticeMessage) == kMessageHeaderBytes + sizeof(FrameNotice));

/// The immediate: the slot in the low 16 bits, the ring (below 65536) above.
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
