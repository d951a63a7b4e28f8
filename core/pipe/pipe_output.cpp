#include "core/pipe/pipe_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/output_file.h"
#include "core/base/os/pipe_buffer.h"
#include "core/base/text/counted.h"
#include "core/pipe/pipe_messages.h"

namespace verbcast {
namespace {

[[noreturn]] void throwNobodyReads(const std::string& name) {
    throw PipeStopped(kBrokenPipeCode, fmt::format("nobody reads {} anymore", name));
}

std::string partOf(const std::string& path) {
    return path.substr(0, path.size() - nameIn(path).size()) + partNameOf(nameIn(path));
}

}  // namespace

std::unique_ptr<PipeOutput> PipeOutput::toFile(const std::string& path, bool resume) {
    const OutputPlace place = findOutput(path);
    if (place.found && place.kind != S_IFREG) {
        if (resume) {
            throw Error(ErrorKind::Usage, fmt::format("--resume: {} is no regular file", path));
        }
        UniqueFd fd = place.open();
        if (!fd) {
            throwErrno(ErrorKind::Usage, "writing", path, errno, kChooseWritable);
        }
        return std::unique_ptr<PipeOutput>(new PipeOutput(std::move(fd), path));
    }
    PartFile part = PartFile::open(folderOf(path), partNameOf(nameIn(path)), 0666, partOf(path));
    std::unique_ptr<PipeOutput> output(new PipeOutput(std::move(part), path));
    if (resume) {
        output->keepStart();
    } else if (::ftruncate(output->fd_, 0) != 0) {
        throwErrno(ErrorKind::Usage, "writing", output->name_, errno, kChooseWritable);
    }
    return output;
}

PipeOutput::PipeOutput(PartFile part, const std::string& path)
    : fd_(part.descriptor()), name_(partOf(path)), part_(std::move(part)), finalPath_(path) {}

/// Its checksum shows whether the sender's stream begins the same way.
void PipeOutput::keepStart() {
    std::vector<std::byte> piece(1U << 20);
    for (;;) {
        const ssize_t got = ::read(fd_, piece.data(), piece.size());
        if (got == 0) {
            return;
        }
        if (got < 0 && errno != EINTR) {
            throwErrno(ErrorKind::Usage, "reading", name_, errno, kChooseWritable);
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

/// O_NONBLOCK belongs to the open file description, which other programs share: so we open our own on the
/// same pipe or terminal.
void PipeOutput::openWithoutBlocking() {
    const std::string self = fmt::format("/proc/self/fd/{}", fd_);
    UniqueFd own(::open(self.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (own) {
        fd_ = own.get();
        owned_ = std::move(own);
    } else {
        mostAtOnce_ = PIPE_BUF;  // another user's: a write of this size does not block if there is any room
    }
}

void PipeOutput::watch() {
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{};  // an error, such as a reader that has gone, is always reported
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
    if (part_ && start_ + written_ == 0) {
        part_->remove();
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
                fmt::format("writing {}: {} ({}) after {}", name_, errnoText(code), code,
                            counted(start_ + written_, "byte")),
                code == ENOSPC || code == EDQUOT
                    ? "free some space, then continue with --output FILE --resume"
                    : unwrittenRemedy(code));
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
    // Anything that is not on a disk (a pipe, /dev/null) returns EINVAL or EROFS.
    if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) {
        throwWriteError(errno);
    }
    if (!namesLater_) {
        takeName();
    }
}

void PipeOutput::takeName() {
    if (!part_) {
        return;
    }
    if (const int code = part_->rename(nameIn(finalPath_)); code != 0) {
        throwErrno(ErrorKind::Resource, "renaming", name_, code);
    }
    part_->syncName();
    part_.reset();
    fd_ = -1;
}

std::string PipeOutput::leftBehind() const {
    if (!part_ || start_ + written_ == 0) {
        return "";
    }
    const std::string left = fmt::format("{} holds {}", name_, counted(start_ + written_, "byte"));
    return namesLater_ ? left : left + "; --resume continues there";
}

}  // namespace verbcast
