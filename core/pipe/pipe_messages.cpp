#include "core/pipe/pipe_messages.h"

#include <fmt/format.h>

#include <limits>

#include "core/session/messages.h"

namespace verbcast {
namespace {

constexpr std::uint64_t kLengthUnknown = std::numeric_limits<std::uint64_t>::max();
// Offsets are added to without a look at their size.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

std::uint64_t checkedBytes(std::uint64_t bytes) {
    if (bytes > kMostBytes) {
        throw Error(ErrorKind::Peer, fmt::format("the peer speaks of a stream of {} bytes", bytes));
    }
    return bytes;
}

}  // namespace

void checkRing(std::uint64_t blockBytes, std::uint32_t depth) {
    if (blockBytes < kLeastBlockBytes || blockBytes > kMostBlockBytes || depth < 1 || depth > kMostDepth ||
        blockBytes * depth > kMostRingBytes) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer wants {} blocks of {} bytes in flight: at most {} "
                                "blocks, {} bytes each and {} together expected",
                                depth, blockBytes, kMostDepth, kMostBlockBytes, kMostRingBytes));
    }
}

std::vector<std::byte> encodeMessage(const PipeOffer& m) {
    ByteWriter writer = beginMessage(PipeMessageType::Offer);
    writer.put(m.blockBytes);
    writer.put(m.depth);
    writer.put(static_cast<std::uint8_t>(m.checksum ? 1 : 0));
    writer.put(m.length.value_or(kLengthUnknown));
    return writer.take();
}

PipeOffer decodePipeOffer(ByteReader& reader) {
    PipeOffer m;
    m.blockBytes = reader.get<std::uint64_t>();
    m.depth = reader.get<std::uint32_t>();
    m.checksum = reader.get<std::uint8_t>() != 0;
    if (const auto length = reader.get<std::uint64_t>(); length != kLengthUnknown) {
        m.length = checkedBytes(length);
    }
    checkRing(m.blockBytes, m.depth);
    return m;
}

std::vector<std::byte> encodeMessage(const PipeAccept& m) {
    ByteWriter writer = beginMessage(PipeMessageType::Accept);
    writer.put(m.blockBytes);
    writer.put(m.depth);
    writer.put(static_cast<std::uint8_t>(m.checksum ? 1 : 0));
    writer.put(m.start);
    writer.put(m.startChecksum);
    return writer.take();
}

PipeAccept decodePipeAccept(ByteReader& reader) {
    PipeAccept m;
    m.blockBytes = reader.get<std::uint64_t>();
    m.depth = reader.get<std::uint32_t>();
    m.checksum = reader.get<std::uint8_t>() != 0;
    m.start = checkedBytes(reader.get<std::uint64_t>());
    m.startChecksum = reader.get<std::uint64_t>();
    checkRing(m.blockBytes, m.depth);
    return m;
}

std::vector<std::byte> encodeMessage(const PipeEnd& m) {
    ByteWriter writer = beginMessage(PipeMessageType::End);
    writer.put(m.bytes);
    writer.put(m.checksum);
    return writer.take();
}

PipeEnd decodePipeEnd(ByteReader& reader) {
    PipeEnd m;
    m.bytes = checkedBytes(reader.get<std::uint64_t>());
    m.checksum = reader.get<std::uint64_t>();
    return m;
}

std::vector<std::byte> encodeMessage(const PipeDone& m) {
    ByteWriter writer = beginMessage(PipeMessageType::Done);
    writer.put(m.bytes);
    return writer.take();
}

PipeDone decodePipeDone(ByteReader& reader) {
    return {checkedBytes(reader.get<std::uint64_t>())};
}

std::vector<std::byte> encodeMessage(const PipeFailure& m) {
    ByteWriter writer = beginMessage(PipeMessageType::Failed);
    writer.put(m.code);
    writer.putText(cleanText(m.text));
    return writer.take();
}

PipeFailure decodePipeFailure(ByteReader& reader) {
    PipeFailure m;
    m.code = reader.get<std::uint8_t>();
    m.text = cleanText(reader.getText());
    if (m.code == 0) {
        throw Error(ErrorKind::Peer, "the peer failed with the code of success");
    }
    return m;
}

}  // namespace verbcast
