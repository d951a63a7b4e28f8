#include "app/copy/copy_receiver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

/// Limit for reading holes of a part again, beyond as many bytes as it has data: a sender creates holes of
/// any size at no cost, and can resend what follows them for free too.
constexpr std::uint64_t kMaxHoles = 64ULL << 20;

/// How much of the start of a part to read again.
std::uint64_t worthReading(int file, std::uint64_t bytes) {
    std::uint64_t at = 0, holes = 0;
    while (at < bytes) {
        const off_t found = ::lseek(file, static_cast<off_t>(at), SEEK_DATA);
        if (found < 0 && errno != ENXIO) {
            return bytes;  // the file system has no holes
        }
        const std::uint64_t data = found < 0 ? bytes : std::min(bytes, static_cast<std::uint64_t>(found));
        const std::uint64_t allowed = kMaxHoles + (at - holes);
        if (holes + (data - at) > allowed) {
            return at + (allowed - holes);
        }
        holes += data - at;
        const off_t end = data < bytes ? ::lseek(file, static_cast<off_t>(data), SEEK_HOLE) : -1;
        at = end < 0 ? bytes : static_cast<std::uint64_t>(end);
    }
    return bytes;
}

[[noreturn]] void throwOutOfOrder() {
    throw Error(ErrorKind::Peer, "the records of the copy arrive in an invalid order",
                "use the same version of verbcast on both sides");
}

}  // namespace

Checksum checksumOfStart(int file, const std::string& name, std::uint64_t bytes) {
    Checksum checksum;
    std::vector<std::byte> piece(kCopyPieceBytes);
    for (std::uint64_t at = 0; at < bytes;) {
        const ssize_t got = ::pread(file, piece.data(), std::min<std::uint64_t>(piece.size(), bytes - at),
                                    static_cast<off_t>(at));
        if (got <= 0) {
            throwErrno(ErrorKind::Input, "reading", name, got == 0 ? ENODATA : errno);
        }
        checksum.add(std::span(piece).first(static_cast<std::size_t>(got)));
        at += static_cast<std::uint64_t>(got);
    }
    return checksum;
}

CopyReceiver::CopyReceiver(const CopyReceiveOptions& options, int input, int output)
    : tree_(options.target, options.intoFolder),
      resume_(options.resume),
      maxListBytes_(options.maxListBytes),
      reader_(input),
      writer_(output) {}

void CopyReceiver::run() {
    receiveList();
    for (const CopyEntry& entry : entries_) {
        if (entry.kind == CopyKind::File) {
            answers_.push_back(answerFor(entry));
            writer_.write(answers_.back());
        }
    }
    for (std::size_t file = 0; const CopyEntry& entry : entries_) {
        if (entry.kind == CopyKind::Folder) {
            tree_.makeFolder(entry);
        } else if (entry.kind == CopyKind::Link) {
            tree_.makeLink(entry);
        } else if (const std::size_t number = file++; !answers_[number].whole) {
            receiveFile(entry, number);
        }
    }
    if (reader_.next() != CopyRecord::End) {
        throwOutOfOrder();
    }
    // Innermost first: creating something in a folder changes its time, and its mode may forbid it.
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
        if (entry->kind == CopyKind::Folder) {
            tree_.finishFolder(*entry);
        }
    }
}

void CopyReceiver::receiveList() {
    std::uint64_t bytes = 0;
    for (CopyRecord record = reader_.next(); record != CopyRecord::ListEnd; record = reader_.next()) {
        if (record != CopyRecord::Entry) {
            throwOutOfOrder();
        }
        entries_.push_back(decodeCopyEntry(reader_.payload()));
        bytes += sizeof(CopyEntry) + sizeof(CopyAnswer) + reader_.bytes().size();
        if (bytes > maxListBytes_) {
            throw Error(
                ErrorKind::Resource,
                fmt::format(
                    "the list of what is to be copied needs more than {} KiB at {} files, folders and "
                    "links",
                    maxListBytes_ >> 10U, entries_.size()),
                "copy the folders in it one after the other");
        }
        TargetTree::check(entries_.back().path);
    }
}

CopyAnswer CopyReceiver::answerFor(const CopyEntry& entry) {
    CopyAnswer answer;
    if (!resume_) {
        return answer;
    }
    answer.whole = tree_.has(entry);
    if (answer.whole) {
        return answer;
    }
    if (const auto part = tree_.existingPart(entry)) {
        const PartFile::State state = part->state();
        answer.start = worthReading(part->descriptor(), std::min(state.bytes, entry.size));
        answer.checksum =
            checksumOfStart(part->descriptor(), tree_.placeOf(entry.path), answer.start).value();
        kept_[answers_.size()] = state;
    }
    return answer;
}

void CopyReceiver::receiveFile(const CopyEntry& entry, std::size_t file) {
    if (reader_.next() == CopyRecord::Abandoned) {
        return;
    }
    const std::uint64_t start = reader_.payload().get<std::uint64_t>();
    if (start != 0 && start != answers_[file].start) {
        throwOutOfOrder();
    }
    PartFile part = tree_.openPart(entry, start, start > 0 ? std::optional(kept_.at(file)) : std::nullopt);
    std::uint64_t at = start;
    Checksum checksum;
    CopyRecord record = reader_.next();
    for (; record == CopyRecord::Data; record = reader_.next()) {
        ByteReader payload = reader_.payload();
        const auto place = payload.get<std::uint64_t>();
        const auto bytes = payload.getBytes(payload.remaining());
        if (place < at || place > entry.size || bytes.size() > entry.size - place) {
            throwOutOfOrder();
        }
        checksum.add(bytes);
        write(entry, part.descriptor(), place, bytes);
        at = place + bytes.size();
    }
    if (record == CopyRecord::Abandoned) {
        part.remove();  // it will not be completed
        return;
    }
    if (record != CopyRecord::FileEnd) {
        throwOutOfOrder();
    }
    if (reader_.payload().get<std::uint64_t>() != checksum.value()) {
        throw Error(ErrorKind::Corrupt,
                    fmt::format("{}: the bytes that arrived differ from those that were sent",
                                tree_.placeOf(entry.path)));
    }
    tree_.finishPart(entry, part);
}

void CopyReceiver::write(const CopyEntry& entry, int part, std::uint64_t at,
                         std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(part, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (put < 0 && errno != EINTR) {
            throw Error(ErrorKind::Resource,
                        fmt::format("writing {}: {} ({}) after {}", tree_.placeOf(entry.path),
                                    errnoText(errno), errno, counted(at, "byte")),
                        "free some space, then continue with --resume");
        }
        if (put > 0) {
            at += static_cast<std::uint64_t>(put);
            bytes = bytes.subspan(static_cast<std::size_t>(put));
        }
    }
}

}  // namespace verbcast
