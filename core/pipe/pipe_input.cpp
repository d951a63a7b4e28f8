#include "core/pipe/pipe_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/os/pipe_buffer.h"

namespace verbcast {
namespace {

// Mapping and unmapping cost a few system calls each, so several blocks share them.
constexpr std::uint64_t kWindowBytes = 32ULL << 20;

}  // namespace

PipeInput PipeInput::open(const std::string& path) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) {
        throwErrno(ErrorKind::Input, "reading", path, errno, "name a file that exists and may be read");
    }
    return PipeInput(std::move(fd), path);
}

PipeInput::PipeInput(UniqueFd owned, std::string name) : PipeInput(owned.get(), std::move(name)) {
    owned_ = std::move(owned);
}

PipeInput::PipeInput(int descriptor, std::string name) : fd_(descriptor), name_(std::move(name)) {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) {
        throwErrno(ErrorKind::Input, "reading", name_, errno);
    }
    if (S_ISDIR(status.st_mode)) {
        throwErrno(ErrorKind::Input, "reading", name_, EISDIR, "name a file");
    }
    mayBlock_ = !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode);
    if (!mayBlock_) {
        ::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    growPipeBuffer(fd_);
}

std::optional<std::uint64_t> PipeInput::length() const {
    struct stat status {};
    const off_t at = ::lseek(fd_, 0, SEEK_CUR);
    // Files in /proc and the like claim to be empty.
    if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0 || at < 0 ||
        at > status.st_size) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(status.st_size - at);
}

bool PipeInput::ready() const {
    pollfd p{fd_, POLLIN, 0};
    return !mayBlock_ || ::poll(&p, 1, 0) > 0;
}

std::size_t PipeInput::fill(std::span<std::byte> target) {
    std::size_t filled = 0;
    while (filled < target.size()) {
        const ssize_t got = ::read(fd_, target.data() + filled, target.size() - filled);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 && errno == EAGAIN && filled > 0) {
            break;
        }
        if (got < 0 && errno == EAGAIN) {
            pollfd p{fd_, POLLIN, 0};
            ::poll(&p, 1, -1);  // another reader of a non-blocking descriptor was faster
            continue;
        }
        if (got < 0) {
            throwErrno(ErrorKind::Input, "reading", name_, errno);
        }
        filled += static_cast<std::size_t>(got);
        if (got == 0 || (mayBlock_ && !ready())) {
            break;
        }
    }
    return filled;
}

std::uint64_t PipeInput::position() const {
    return static_cast<std::uint64_t>(std::max<off_t>(::lseek(fd_, 0, SEEK_CUR), 0));
}

void PipeInput::skip(std::uint64_t bytes) {
    ::lseek(fd_, static_cast<off_t>(bytes), SEEK_CUR);
}

std::shared_ptr<FramePool> PipeInput::mapBlocks(std::uint64_t blockBytes, std::uint32_t mostBlocks) {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const off_t at = ::lseek(fd_, 0, SEEK_CUR);
    const std::uint64_t left = length().value_or(0);
    const std::uint64_t blocks = std::min<std::uint64_t>(
        {left / blockBytes, kWindowBytes / blockBytes + 1, kMaxWindowBlocks, mostBlocks});
    if (blocks == 0 || blockBytes % page != 0 || static_cast<std::uint64_t>(at) % page != 0) {
        return nullptr;
    }
    auto pool = FramePool::mapFile(fd_, static_cast<std::uint64_t>(at), blockBytes,
                                   static_cast<std::uint32_t>(blocks));
    if (pool) {
        mappedUntil_ = static_cast<std::uint64_t>(at) + blocks * blockBytes;
        ::lseek(fd_, static_cast<off_t>(mappedUntil_), SEEK_SET);
    }
    return pool;
}

void PipeInput::giveBack(std::uint64_t bytes) {
    mappedUntil_ -= bytes;
    ::lseek(fd_, static_cast<off_t>(mappedUntil_), SEEK_SET);
}

void PipeInput::populate(std::span<std::byte> block) const {
    // Older kernels do not know the flag (EINVAL): then the send that needs the pages faults them in.
    if (::madvise(block.data(), block.size(), MADV_POPULATE_READ) != 0 && errno != EINVAL && errno != EINTR) {
        throwErrno(ErrorKind::Input, "reading", name_, errno);
    }
}

bool PipeInput::becameShorter() const {
    struct stat status {};
    return mappedUntil_ > 0 && ::fstat(fd_, &status) == 0 &&
           static_cast<std::uint64_t>(status.st_size) < mappedUntil_;
}

}  // namespace verbcast
