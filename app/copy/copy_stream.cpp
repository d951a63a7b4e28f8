#include "app/copy/copy_stream.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/pipe/pipe_messages.h"

namespace verbcast {

void CopyWriter::writeAll(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
        if (put > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(put));
        } else if (errno != EINTR) {
            throw PipeStopped(kBrokenPipeCode, "the other end of the copy has disconnected");
        }
    }
}

void CopyWriter::write(CopyRecord type, std::span<const std::byte> head, std::span<const std::byte> rest) {
    ByteWriter writer;
    writer.put(static_cast<std::uint8_t>(type));
    writer.put(static_cast<std::uint32_t>(head.size() + rest.size()));
    writer.putBytes(head);
    writeAll(writer.bytes());
    writeAll(rest);
}

void CopyWriter::write(const CopyEntry& entry) {
    ByteWriter writer;
    writer.put(static_cast<std::uint8_t>(entry.kind));
    writer.putText(entry.path);
    writer.put(entry.mode);
    writer.put(entry.seconds);
    writer.put(entry.nanoseconds);
    writer.put(entry.size);
    writer.putText(entry.target);
    write(CopyRecord::Entry, writer.bytes());
}

void CopyWriter::write(const CopyAnswer& answer) {
    ByteWriter writer;
    writer.put(static_cast<std::uint8_t>(answer.whole));
    writer.put(answer.start);
    writer.put(answer.checksum);
    write(CopyRecord::Answer, writer.bytes());
}

void CopyReader::readAll(std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t got = ::read(descriptor_, bytes.data(), bytes.size());
        if (got > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            throw PipeStopped(kBrokenPipeCode, "the other end of the copy has disconnected");
        }
    }
}

CopyRecord CopyReader::next() {
    std::array<std::byte, 5> head{};
    readAll(head);
    ByteReader reader(head);
    const auto type = reader.get<std::uint8_t>();
    const auto length = reader.get<std::uint32_t>();
    if (type < static_cast<std::uint8_t>(CopyRecord::Entry) ||
        type > static_cast<std::uint8_t>(CopyRecord::End) || length > kMaxRecordBytes) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the copy holds a record of type {} and {} bytes", type, length),
                    "use the same version of verbcast on both sides");
    }
    payload_.resize(length);
    readAll(payload_);
    return static_cast<CopyRecord>(type);
}

CopyEntry decodeCopyEntry(ByteReader reader) {
    CopyEntry entry;
    const auto kind = reader.get<std::uint8_t>();
    entry.kind = static_cast<CopyKind>(kind);
    entry.path = reader.getText();
    entry.mode = reader.get<std::uint32_t>();
    entry.seconds = reader.get<std::int64_t>();
    entry.nanoseconds = reader.get<std::uint32_t>();
    entry.size = reader.get<std::uint64_t>();
    entry.target = reader.getText();
    const bool known = kind >= static_cast<std::uint8_t>(CopyKind::Folder) &&
                       kind <= static_cast<std::uint8_t>(CopyKind::Link);
    if (!known || entry.nanoseconds >= 1'000'000'000 || entry.size > INT64_MAX) {
        throw Error(ErrorKind::Peer, fmt::format("the copy holds an entry of kind {}", kind));
    }
    return entry;
}

CopyAnswer decodeCopyAnswer(ByteReader reader) {
    CopyAnswer answer;
    answer.whole = reader.get<std::uint8_t>() != 0;
    answer.start = reader.get<std::uint64_t>();
    answer.checksum = reader.get<std::uint64_t>();
    return answer;
}

}  // namespace verbcast
