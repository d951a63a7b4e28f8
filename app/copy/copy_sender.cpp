#include "app/copy/copy_sender.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "app/copy/copy_receiver.h"
#include "core/base/error.h"
#include "core/base/os/folder.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxTextLength = 4000;  // of a path or link; PATH_MAX is 4096

CopyEntry entryOf(const struct stat& status, CopyKind kind, const std::string& path) {
    CopyEntry entry;
    entry.kind = kind;
    entry.path = path;
    entry.mode = status.st_mode & 0777U;
    entry.seconds = status.st_mtim.tv_sec;
    entry.nanoseconds = static_cast<std::uint32_t>(status.st_mtim.tv_nsec);
    entry.size = kind == CopyKind::File ? static_cast<std::uint64_t>(status.st_size) : 0;
    return entry;
}

/// Also handles "a/b/", "." and "..".
std::string nameOf(const std::string& source) {
    const std::filesystem::path path = std::filesystem::path(source).lexically_normal();
    std::string name = path.filename().empty() ? path.parent_path().filename() : path.filename();
    if (name == "." || name == ".." || name.empty()) {
        name = std::filesystem::canonical(source).filename();
    }
    if (name.empty() || name == "/") {
        throw Error(ErrorKind::Usage, fmt::format("{} has no file name", source));
    }
    return name;
}

bool unchanged(int file, const CopyEntry& entry) {
    struct stat status {};
    return ::fstat(file, &status) == 0 && static_cast<std::uint64_t>(status.st_size) == entry.size &&
           status.st_mtim.tv_sec == entry.seconds &&
           status.st_mtim.tv_nsec == static_cast<long>(entry.nanoseconds);
}

}  // namespace

CopySender::CopySender(const std::vector<std::string>& sources, bool recursive) : recursive_(recursive) {
    for (const std::string& source : sources) {
        struct stat status {};
        if (::lstat(source.c_str(), &status) != 0) {
            throwErrno(ErrorKind::Input, "reading", source, errno, "name what exists");
        }
        if (S_ISDIR(status.st_mode) && !recursive) {
            throw Error(ErrorKind::Usage, fmt::format("{} is a folder", source), "copy it with -r");
        }
        add(source, nameOf(source));
    }
}

void CopySender::add(const std::string& place, const std::string& name) {
    struct stat status {};
    if (::lstat(place.c_str(), &status) != 0) {
        failures_.push_back(fmt::format("{}: {}", place, errnoText(errno)));
    } else if (name.size() > kMaxTextLength) {
        failures_.push_back(fmt::format("{}: the path is too long", place));
    } else if (S_ISDIR(status.st_mode)) {
        sources_.push_back({place, entryOf(status, CopyKind::Folder, name)});
        addFolder(place, name);
    } else if (S_ISLNK(status.st_mode)) {
        CopyEntry entry = entryOf(status, CopyKind::Link, name);
        std::error_code code;
        entry.target = std::filesystem::read_symlink(place, code);
        sources_.push_back({place, entry});
    } else if (S_ISREG(status.st_mode)) {
        sources_.push_back({place, entryOf(status, CopyKind::File, name)});
        bytes_ += sources_.back().entry.size;
        ++files_;
    } else {
        failures_.push_back(fmt::format("{}: is not a file, folder or link", place));
    }
}

void CopySender::addFolder(const std::string& place, const std::string& name) {
    std::error_code code;
    const std::vector<std::string> names = namesIn(place, code);
    if (code) {
        failures_.push_back(fmt::format("{}: {}", place, code.message()));
    }
    for (const std::string& below : names) {
        add(place + "/" + below, name + "/" + below);
    }
}

void CopySender::run(int input, int output) {
    CopyReader reader(input);
    CopyWriter writer(output);
    for (const Source& source : sources_) {
        writer.write(source.entry);
    }
    writer.write(CopyRecord::ListEnd);
    std::vector<CopyAnswer> answers;
    while (answers.size() < files_) {
        if (reader.next() != CopyRecord::Answer) {
            throw Error(ErrorKind::Peer, "the receiver of the copy sent an unexpected answer");
        }
        answers.push_back(decodeCopyAnswer(reader.payload()));
    }
    for (std::size_t file = 0; const Source& source : sources_) {
        if (source.entry.kind == CopyKind::File && !answers[file++].whole) {
            sendFile(source, answers[file - 1], writer);
        }
    }
    writer.write(CopyRecord::End);
}

void CopySender::sendFile(const Source& source, const CopyAnswer& answer, CopyWriter& writer) {
    try {
        const UniqueFd file(::open(source.place.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        if (!file) {
            throwErrno(ErrorKind::Input, "reading", source.place, errno);
        }
        const std::uint64_t kept = std::min(answer.start, source.entry.size);
        const bool goesOn =
            kept > 0 && checksumOfStart(file.get(), source.place, kept).value() == answer.checksum;
        const std::uint64_t start = goesOn ? kept : 0;
        writer.write(CopyRecord::Begin, std::as_bytes(std::span(&start, 1)));
        const std::uint64_t checksum = sendData(source, file.get(), start, writer);
        if (!unchanged(file.get(), source.entry)) {
            throw Error(ErrorKind::Input, source.place + " changed while it was being copied");
        }
        writer.write(CopyRecord::FileEnd, std::as_bytes(std::span(&checksum, 1)));
    } catch (const Error& error) {
        failures_.emplace_back(error.what());
        writer.write(CopyRecord::Abandoned);
    }
}

std::uint64_t CopySender::sendData(const Source& source, int file, std::uint64_t start, CopyWriter& writer) {
    const auto size = static_cast<off_t>(source.entry.size);
    std::vector<std::byte> piece(kCopyPieceBytes);
    Checksum checksum;
    for (auto at = static_cast<off_t>(start); at < size;) {
        // On a file system without holes, everything is data.
        const off_t data = ::lseek(file, at, SEEK_DATA);
        at = data >= 0 ? data : errno == ENXIO ? size : at;
        const off_t hole = ::lseek(file, at, SEEK_HOLE);
        const off_t end = std::min(size, hole > at ? hole : size);
        while (at < end) {
            const ssize_t got =
                ::pread(file, piece.data(),
                        std::min<std::size_t>(piece.size(), static_cast<std::size_t>(end - at)), at);
            if (got <= 0) {
                throwErrno(ErrorKind::Input, "reading", source.place, got == 0 ? ENODATA : errno);
            }
            const auto bytes = std::span(piece).first(static_cast<std::size_t>(got));
            const auto place = static_cast<std::uint64_t>(at);
            writer.write(CopyRecord::Data, std::as_bytes(std::span(&place, 1)), bytes);
            checksum.add(bytes);
            at += got;
        }
    }
    return checksum.value();
}

}  // namespace verbcast
