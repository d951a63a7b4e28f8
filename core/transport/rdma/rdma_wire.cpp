#include "core/transport/rdma/rdma_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/wire.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kMagic = 0x54434256;         // "VBCT"
constexpr std::uint32_t kRefusalMagic = 0x4e434256;  // "VBCN"

constexpr std::size_t kVersionBytes = 6;
constexpr std::size_t kGreetingBytes = 16 + sizeof(VoucherSecret);
static_assert(kGreetingBytes <= kMaxPrivateBytes);

bool endOverflows(std::uint64_t start, std::uint64_t count, std::uint64_t size) {
    std::uint64_t bytes = 0;
    std::uint64_t end = 0;
    return __builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(start, bytes, &end);
}

std::vector<std::byte> encoded(const auto&... fields) {
    std::array<std::byte, kMaxPrivateBytes> buffer;
    WireWriter writer(buffer);
    writer(fields...);
    return {writer.bytes().begin(), writer.bytes().end()};
}

}  // namespace

std::vector<std::byte> encodeGreeting(const RdmaGreeting& greeting) {
    return encoded(kMagic, greeting.version, greeting.features, greeting.messageCredits, std::uint16_t{0},
                   greeting.largestWriteBytes, greeting.voucher);
}

std::vector<std::byte> encodeRefusal(RefusalReason reason) {
    return encoded(kRefusalMagic, kRdmaWireVersion, reason);
}

std::optional<std::string> decodeRefusal(std::span<const std::byte> bytes) {
    if (bytes.size() < 8) {
        return std::nullopt;
    }
    ByteReader reader(bytes);
    if (reader.get<std::uint32_t>() != kRefusalMagic) {
        return std::nullopt;
    }
    const auto version = reader.get<std::uint16_t>();
    switch (static_cast<RefusalReason>(reader.get<std::uint16_t>())) {
        case RefusalReason::Version:
            return fmt::format("the peer speaks version {} of the RDMA protocol, this program version {}",
                               version, kRdmaWireVersion);
        case RefusalReason::Resources:
            return "the peer has no memory or queue pairs left";
        case RefusalReason::NotOurs:
            return "the peer did not understand the request";
    }
    return "the peer refused, for a reason that this version does not know";
}

GreetingOrRefusal decodeGreeting(std::span<const std::byte> bytes) {
    GreetingOrRefusal result;
    ByteReader reader(bytes);
    if (bytes.size() < kVersionBytes || reader.get<std::uint32_t>() != kMagic) {
        result.problem = fmt::format("its private data ({} bytes) is not Verbcast's", bytes.size());
        return result;
    }
    RdmaGreeting greeting;
    greeting.version = reader.get<std::uint16_t>();
    if (greeting.version != kRdmaWireVersion) {
        result.refusal = RefusalReason::Version;
        result.problem = fmt::format("it speaks version {} of the RDMA protocol, this program version {}",
                                     greeting.version, kRdmaWireVersion);
        return result;
    }
    if (bytes.size() < kGreetingBytes) {
        result.problem =
            fmt::format("{} bytes of private data, at least {} expected", bytes.size(), kGreetingBytes);
        return result;
    }
    std::uint16_t reserved = 0;
    reader(greeting.features, greeting.messageCredits, reserved, greeting.largestWriteBytes,
           greeting.voucher);
    if (greeting.messageCredits == 0 || greeting.largestWriteBytes < 4096) {
        result.problem =
            fmt::format("{} message credits and writes of {} bytes, at least 1 and 4096 expected",
                        greeting.messageCredits, greeting.largestWriteBytes);
        return result;
    }
    result.greeting = greeting;
    return result;
}

std::vector<std::byte> encodeOffer(const RingOffer& offer) {
    return encoded(offer.payloadAddress, offer.payloadKey, offer.infoAddress, offer.infoKey);
}

RingOffer decodeOffer(const RingShape& shape, std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    RingOffer offer;
    reader(offer.payloadAddress, offer.payloadKey, offer.infoAddress, offer.infoKey);
    if (reader.remaining() != 0) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer's offer is {} bytes too long", reader.remaining()));
    }
    if (endOverflows(offer.payloadAddress, shape.slotCount, shape.slotBytes) ||
        endOverflows(offer.infoAddress, shape.slotCount, kFrameRecordBytes)) {
        throw Error(ErrorKind::Peer, "the peer offers memory that ends beyond 64 bits");
    }
    return offer;
}

FrameRecord copyFrameRecord(const std::byte* from) {
    FrameRecord record;
    std::memcpy(&record, from, sizeof record);
    FrameInfo& info = record.info;
    if (info.rectCount > kMaxFrameRects) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer says that {} rectangles changed, at most {} expected",
                                info.rectCount, kMaxFrameRects));
    }
    std::fill(info.rects.begin() + info.rectCount, info.rects.end(), FrameRect{});
    return record;
}

FrameNotice decodeFrameNotice(std::span<const std::byte> bytes) {
    std::array<std::byte, sizeof(FrameNotice)> whole{};
    if (bytes.size() >= kFrameNoticeHeadBytes + kFrameInfoHeadBytes && bytes.size() <= whole.size()) {
        std::memcpy(whole.data(), bytes.data(), bytes.size());
        FrameNotice notice;
        std::memcpy(&notice.ring, whole.data(), sizeof notice.ring);
        std::memcpy(&notice.slot, whole.data() + offsetof(FrameNotice, slot), sizeof notice.slot);
        notice.record = copyFrameRecord(whole.data() + offsetof(FrameNotice, record));
        if (bytes.size() == frameNoticeBytes(notice.record.info)) {
            return notice;
        }
    }
    throw Error(ErrorKind::Peer, fmt::format("the peer sent a frame notice of {} bytes", bytes.size()));
}

}  // namespace verbcast
