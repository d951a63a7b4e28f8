#include "core/transport/verbs/verbs_wire.h"

#include <fmt/format.h>

#include "core/base/wire.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kMagic = 0x54434256;         // "VBCT"
constexpr std::uint32_t kRefusalMagic = 0x4e434256;  // "VBCN"

std::vector<std::byte> toVector(const ByteWriter& writer) {
    return {writer.bytes().begin(), writer.bytes().end()};
}

bool endOverflows(std::uint64_t start, std::uint64_t count, std::uint64_t size) {
    std::uint64_t bytes = 0;
    std::uint64_t end = 0;
    return __builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(start, bytes, &end);
}

}  // namespace

std::vector<std::byte> encodeGreeting(const Greeting& greeting) {
    ByteWriter writer;
    writer.put(kMagic);
    writer.put(greeting.version);
    writer.put(greeting.features);
    writer.put(greeting.messageCredits);
    writer.put(std::uint16_t{0});
    writer.put(greeting.largestWriteBytes);
    static_assert(16 <= kMaxPrivateBytes);
    return toVector(writer);
}

std::vector<std::byte> encodeRefusal(RefusalReason reason) {
    ByteWriter writer;
    writer.put(kRefusalMagic);
    writer.put(kVerbsWireVersion);
    writer.put(static_cast<std::uint16_t>(reason));
    return toVector(writer);
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
            return fmt::format("the peer speaks version {} of the verbs protocol, this program version {}",
                               version, kVerbsWireVersion);
        case RefusalReason::Resources:
            return "the peer has no memory or queue pairs left";
        case RefusalReason::NotOurs:
            return "the peer did not understand the request";
    }
    return "the peer refused, for a reason that this version does not know";
}

GreetingOrRefusal decodeGreeting(std::span<const std::byte> bytes) {
    GreetingOrRefusal result;
    if (bytes.size() < 16) {
        result.problem = fmt::format("{} bytes of private data, at least 16 expected", bytes.size());
        return result;
    }
    ByteReader reader(bytes);
    if (reader.get<std::uint32_t>() != kMagic) {
        result.problem = "its private data is not Verbcast's";
        return result;
    }
    Greeting greeting;
    greeting.version = reader.get<std::uint16_t>();
    greeting.features = reader.get<std::uint16_t>();
    greeting.messageCredits = reader.get<std::uint16_t>();
    reader.get<std::uint16_t>();
    greeting.largestWriteBytes = reader.get<std::uint32_t>();
    if (greeting.version != kVerbsWireVersion) {
        result.refusal = RefusalReason::Version;
        result.problem = fmt::format("it speaks version {} of the verbs protocol, this program version {}",
                                     greeting.version, kVerbsWireVersion);
        return result;
    }
    if (greeting.messageCredits == 0 || greeting.largestWriteBytes < 4096) {
        result.problem =
            fmt::format("{} message credits and writes of {} bytes, at least 1 and 4096 expected",
                        greeting.messageCredits, greeting.largestWriteBytes);
        return result;
    }
    result.greeting = greeting;
    return result;
}

bool needsCredit(MessageKind kind) {
    return kind == MessageKind::Session || kind == MessageKind::Pool;
}

std::vector<std::byte> encodePool(const PoolAnnouncement& pool) {
    ByteWriter writer;
    writer.put(pool.generation);
    writer.put(pool.slotCount);
    writer.put(pool.slotBytes);
    writer.put(pool.poolAddress);
    writer.put(pool.poolKey);
    writer.put(pool.infoKey);
    writer.put(pool.infoAddress);
    return toVector(writer);
}

PoolAnnouncement decodePool(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    PoolAnnouncement pool;
    pool.generation = reader.get<std::uint32_t>();
    pool.slotCount = reader.get<std::uint32_t>();
    pool.slotBytes = reader.get<std::uint64_t>();
    pool.poolAddress = reader.get<std::uint64_t>();
    pool.poolKey = reader.get<std::uint32_t>();
    pool.infoKey = reader.get<std::uint32_t>();
    pool.infoAddress = reader.get<std::uint64_t>();
    if (pool.slotCount == 0 || pool.slotCount > kMaxSlots || pool.slotBytes == 0) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer announced {} slots of {} bytes, 1 to {} slots expected",
                                pool.slotCount, pool.slotBytes, kMaxSlots));
    }
    if (endOverflows(pool.poolAddress, pool.slotCount, pool.slotBytes) ||
        endOverflows(pool.infoAddress, pool.slotCount, kFrameInfoBytes)) {
        throw Error(ErrorKind::Peer, "the peer announced memory that ends beyond 64 bits");
    }
    return pool;
}

}  // namespace verbcast
