#include "core/pipe/pipe_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/base/pipe_buffer.h"
#include "core/pipe/pipe_messages.h"
#include "core/pipe/pipe_stopped.h"

namespace verbcast {
namespace {

constexpr const char* kRemedy = "choose a file in a folder that exists and can be written";

[[noreturn]] void throwNobodyReads(const std::string& name) {
    throw PipeStopped(kBrokenPipeCode, fmt::format("nobody reads {} any more", name));
}

}  // namespace

std::unique_ptr<PipeOutput> PipeOutput::toFile(const std::string& path, bool resume) {
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        if (resume) {
            throw Error(ErrorKind::Usage, fmt::format("--resume: {} is no regular file", path));
        }
        UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
        if (!fd) {
            throwErrno(ErrorKind::Usage, "writing", path, errno, kRemedy);
        }
        return std::unique_ptr<PipeOutput>(new PipeOutput(std::move(fd), path));
    }
    UniqueFd part(::open((path + ".part").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!part) {
        throwErrno(ErrorKind::Usage, "writing", path + ".part", errno, kRemedy);
    }
    std::unique_ptr<PipeOutput> output(new PipeOutput(std::move(part), path));
    output->beginPart(path, resume);
    return output;
}

void PipeOutput::beginPart(const std::string& path, bool resume) {
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
        throw Error(ErrorKind::Usage, fmt::format("another process is writing {}.part", path),
                    "wait for it, or choose another --output");
    }
    finalPath_ = path;
    partPath_ = path + ".part";
    if (resume) {
        keepStart();
    } else if (::ftruncate(fd_, 0) != 0) {
        throwErrno(ErrorKind::Usage, "writing", partPath_, errno, kRemedy);
    }
}

/// Its checksum shows whether the sender's stream begins like it.
void PipeOutput::keepStart() {
    std::vector<std::byte> piece(1U << 20);
    for (;;) {
        const ssize_t got = ::read(fd_, piece.data(), piece.size());
        if (got == 0) {
            return;
        }
        if (got < 0 && errno != EINTR) {
            throwErrno(ErrorKind::Usage, "reading", partPath_, errno, kRemedy);
        }
        if (got > 0) {
            startChecksum_.add(std::span(piece).first(static_cast<std::size_t>(got)));
            start_ += static_cast<std::uint64_t>(got);
        }
    }
}

PipeOutput::PipeOutput(UniqueFd owned, std::string name) : PipeOutput(owned.get(), std::move(name)) {
    if (fd_ == owned.get()) {
        owned_ = std::move(owned);
    }
}

PipeOutput::PipeOutput(int descriptor, std::string name) : fd_(descriptor), name_(std::move(name)) {
    struct stat status {};
    if (::fstat(fd_, &status) != 0 || (::fcntl(fd_, F_GETFL) & O_ACCMODE) == O_RDONLY) {
        throw Error(ErrorKind::Usage, fmt::format("{} cannot be written to", name_),
                    "redirect it, or use --output FILE");
    }
    isSocket_ = S_ISSOCK(status.st_mode);
    if (S_ISFIFO(status.st_mode) || ::isatty(fd_) == 1) {
        growPipeBuffer(fd_);
        openWithoutBlocking();
    }
    if (!S_ISREG(status.st_mode)) {
        watch();
    }
}

/// O_NONBLOCK belongs to the open file, which other programs share: a file of our own is opened on the same
/// pipe or terminal.
void PipeOutput::openWithoutBlocking() {
    const std::string self = fmt::format("/proc/self/fd/{}", fd_);
    UniqueFd own(::open(self.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (own) {
        fd_ = own.get();
        owned_ = std::move(own);
    } else {
        mostAtOnce_ =
            PIPE_BUF;  // another user's: so much is written without blocking when there is room at all
    }
}

void PipeOutput::watch() {
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{};  // an error, such as a reader that has gone, is always told
    if (epoll_ && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd_, &event) != 0) {
        epoll_.reset();  // a device that never blocks
    }
}

void PipeOutput::wantRoom(bool wanted) {
    if (wanted != wantsRoom_) {
        wantsRoom_ = wanted;
        epoll_event event{};
        event.events = wanted ? EPOLLOUT : 0U;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd_, &event);
    }
}

PipeOutput::~PipeOutput() {
    if (!partPath_.empty() && start_ + written_ == 0) {
        ::unlink(partPath_.c_str());
    }
}

std::size_t PipeOutput::write(std::span<const std::byte> bytes) {
    if (mostAtOnce_ > 0) {
        wantRoom(true);
        if (!ready()) {
            return 0;
        }
        bytes = bytes.first(std::min(bytes.size(), mostAtOnce_));
    }
    for (;;) {
        const ssize_t put = isSocket_ ? ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                                      : ::write(fd_, bytes.data(), bytes.size());
        if (put >= 0) {
            written_ += static_cast<std::uint64_t>(put);
            wantRoom(false);
            return static_cast<std::size_t>(put);
        }
        if (errno == EAGAIN) {
            wantRoom(true);
            return 0;
        }
        if (errno == EPIPE || errno == ECONNRESET) {
            throwNobodyReads(name_);
        }
        if (errno != EINTR) {
            throwWriteError(errno);
        }
    }
}

void PipeOutput::throwWriteError(int code) const {
    throw Error(ErrorKind::Resource,
                fmt::format("writing {}: {} ({}) after {} bytes", partPath_.empty() ? name_ : partPath_,
                            errnoText(code), code, start_ + written_),
                code == ENOSPC || code == EDQUOT ? "make room, then go on with --output FILE --resume" : "");
}

bool PipeOutput::ready() const {
    epoll_event event{};
    return !epoll_ || ::epoll_wait(epoll_.get(), &event, 1, 0) == 1;
}

void PipeOutput::throwIfClosed() const {
    epoll_event event{};
    if (epoll_ && ::epoll_wait(epoll_.get(), &event, 1, 0) == 1 &&
        (event.events & (EPOLLERR | EPOLLHUP)) != 0) {
        throwNobodyReads(name_);
    }
}

void PipeOutput::finish() {
    // What knows no disk (a pipe, /dev/null) says EINVAL or EROFS.
    if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) {
        throwWriteError(errno);
    }
    if (!namesLater_) {
        takeName();
    }
}

void PipeOutput::takeName() {
    if (finalPath_.empty()) {
        return;
    }
    if (::rename(partPath_.c_str(), finalPath_.c_str()) != 0) {
        throwErrno(ErrorKind::Resource, "renaming", partPath_, errno);
    }
    partPath_.clear();
    const auto folder = std::filesystem::path(finalPath_).parent_path();
    const UniqueFd directory(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) {
        ::fsync(directory.get());  // the name, too; a file system without that has nothing to lose
    }
}

std::string PipeOutput::leftBehind() const {
    if (partPath_.empty() || start_ + written_ == 0) {
        return "";
    }
    const std::string left = fmt::format("{} holds {} bytes", partPath_, start_ + written_);
    return namesLater_ ? left : left + "; --resume goes on from there";
}

}  // namespace verbcast
