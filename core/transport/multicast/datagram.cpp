#include "core/transport/multicast/datagram.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace verbcast::multicast {
namespace {

std::optional<DatagramHead> readAnyHead(std::span<const std::byte> datagram) {
    if (datagram.size() < kHeadBytes) {
        return std::nullopt;
    }
    DatagramHead head;
    std::memcpy(&head, datagram.data(), sizeof head);
    const bool ours = head.magic == kDatagramMagic && head.version == kDatagramVersion;
    return ours ? std::optional(head) : std::nullopt;
}

std::nullopt_t refused(Refusal* why, Refusal refusal) {
    if (why != nullptr) {
        *why = refusal;
    }
    return std::nullopt;
}

}  // namespace

std::uint32_t chunkBytesFor(std::size_t datagramBytes, bool tagged) {
    const std::size_t besides = kHeadBytes + (tagged ? kTagBytes : 0);
    const std::size_t room =
        std::min<std::size_t>(std::max(datagramBytes, besides) - besides, kMaxChunkBytes);
    return std::max(static_cast<std::uint32_t>(room / 16 * 16), kMinChunkBytes);
}

std::uint32_t chunksOf(std::uint64_t frameBytes, std::uint32_t chunkBytes) {
    return static_cast<std::uint32_t>((frameBytes + chunkBytes - 1) / chunkBytes);
}

std::uint32_t bytesOfChunk(std::uint64_t frameBytes, std::uint32_t chunkBytes, std::uint32_t chunk) {
    const std::uint64_t begin = std::uint64_t{chunk} * chunkBytes;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(chunkBytes, frameBytes - begin));
}

std::optional<DatagramHead> readHead(std::span<const std::byte> begin, std::size_t datagramBytes,
                                     const StreamShape& shape, Refusal* why) {
    const auto head = datagramBytes < kHeadBytes ? std::nullopt : readAnyHead(begin);
    if (!head) {
        return refused(why, Refusal::NotOurs);
    }
    if (head->kind == DatagramKind::Beacon) {
        return refused(why, Refusal::Beacon);
    }
    if (head->stream != shape.stream) {
        return refused(why, Refusal::OtherStream);
    }
    const std::size_t tagBytes = shape.keyId == 0 ? 0 : kTagBytes;
    const bool possible = head->kind == DatagramKind::Chunk && head->frame != 0 &&
                          (head->keyId != 0) == (shape.keyId != 0) && head->chunks >= 1 &&
                          head->chunks <= kMaxChunks && head->chunk < head->chunks &&
                          datagramBytes > kHeadBytes + tagBytes;
    if (!possible) {
        return refused(why, Refusal::Impossible);
    }
    const std::size_t bytes = datagramBytes - kHeadBytes - tagBytes;
    const bool last = head->chunk + 1 == head->chunks;
    if (last ? bytes > shape.chunkBytes : bytes != shape.chunkBytes) {
        return refused(why, Refusal::Impossible);
    }
    return head;
}

std::optional<Chunk> readChunk(std::span<const std::byte> datagram, const StreamShape& shape, Refusal* why) {
    const auto head = readHead(datagram, datagram.size(), shape, why);
    if (!head) {
        return std::nullopt;
    }
    const std::size_t tagBytes = shape.keyId == 0 ? 0 : kTagBytes;
    return Chunk{*head, datagram.subspan(kHeadBytes, datagram.size() - kHeadBytes - tagBytes),
                 datagram.last(tagBytes)};
}

std::vector<std::byte> encodeBeacon(const Beacon& beacon) {
    DatagramHead head;
    head.kind = DatagramKind::Beacon;
    head.keyId = beacon.tagged ? 1 : 0;
    head.stream = beacon.stream;
    Beacon cut = beacon;
    cut.name.resize(std::min(cut.name.size(), kMaxBeaconName));
    std::vector<std::byte> bytes(kHeadBytes + 2 + 2 + kMaxBeaconName);
    std::memcpy(bytes.data(), &head, sizeof head);
    WireWriter writer{std::span(bytes).subspan(kHeadBytes)};
    writer(cut);
    bytes.resize(kHeadBytes + writer.bytes().size());
    return bytes;
}

std::optional<Beacon> readBeacon(std::span<const std::byte> datagram) {
    const auto head = readAnyHead(datagram);
    if (!head || head->kind != DatagramKind::Beacon || head->stream == 0) {
        return std::nullopt;
    }
    try {
        ByteReader reader(datagram.subspan(kHeadBytes));
        Beacon beacon;
        reader(beacon);
        beacon.stream = head->stream;
        beacon.tagged = head->keyId != 0;
        if (beacon.name.size() > kMaxBeaconName) {
            return std::nullopt;
        }
        beacon.name = cleanText(beacon.name);
        return beacon;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace verbcast::multicast
