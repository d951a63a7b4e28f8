#include "capture/output/output_descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "core/base/error.h"
#include "core/base/os/pipe_buffer.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

// Larger calls are no faster, and a file's disk may be slow: cancelling waits for at most one call.
constexpr std::size_t kMaxAtOnce = 16 << 20;
// No event tells that a named pipe has got a reader.
constexpr std::chrono::milliseconds kLookForReader{50};

/// S_IFREG, S_IFIFO, ...
mode_t kindOf(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

/// Reopens the same pipe: O_NONBLOCK applies to all who share the open file description, and others share our
/// standard output.
UniqueFd reopened(int descriptor) {
    return UniqueFd(
        ::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
}

/// Waits until the descriptor is writable, its reader is gone, or `cancel` is set.
void waitWritable(int descriptor, const Event& cancel) {
    std::array<pollfd, 2> waits{{{descriptor, POLLOUT, 0}, {cancel.descriptor(), POLLIN, 0}}};
    ::poll(waits.data(), waits.size(), -1);
}

}  // namespace

OutputDescriptor::OutputDescriptor(const std::string& path, const Event& cancel, Existing existing)
    : name_(path == "-" ? "standard output" : path), cancel_(cancel) {
    if (path == "-") {
        descriptor_ = STDOUT_FILENO;
        if (::isatty(descriptor_) == 1) {
            throw Error(ErrorKind::Usage, "standard output is a terminal, which shows no video",
                        "name a file, or pipe it: verbcast view --headless --output - | ffplay -");
        }
        if (kindOf(descriptor_) == S_IFIFO) {
            opened_ = reopened(descriptor_);
        }
    } else {
        opened_ = openOutput(path, O_NONBLOCK, existing);
        if (!opened_ && errno == ENXIO) {
            pipe_ = findOutput(path);
            if (pipe_.kind == S_IFIFO) {
                return;
            }
            errno = ENXIO;
        }
        if (!opened_) {
            throwErrno(ErrorKind::Usage, "opening the --output file", path, errno,
                       "choose a place that can be written");
        }
        if (kindOf(opened_.get()) != S_IFIFO) {
            ::fcntl(opened_.get(), F_SETFL, 0);
        }
    }
    useOpened();
}

OutputDescriptor::~OutputDescriptor() {
    if (pipe_.found) {
        openPipe();
    }
}

void OutputDescriptor::useOpened() {
    descriptor_ = opened_ ? opened_.get() : descriptor_;
    isFile_ = kindOf(descriptor_) == S_IFREG;
    growPipeBuffer(descriptor_);
}

/// False, with errno set, if it has no reader.
bool OutputDescriptor::openPipe() {
    opened_ = pipe_.open(O_NONBLOCK);
    return static_cast<bool>(opened_);
}

Status OutputDescriptor::awaitReader() {
    while (pipe_.found && !openPipe()) {
        if (errno != ENXIO && errno != EINTR) {
            fail("opening", errno);
        }
        waitReadable({cancel_.descriptor()}, kLookForReader);
        if (cancel_.isSet()) {
            return Status::Cancelled;
        }
    }
    if (pipe_.found) {
        pipe_ = {};
        useOpened();
    }
    return Status::Ok;
}

Status OutputDescriptor::write(std::span<const std::byte> bytes) {
    if (awaitReader() == Status::Cancelled) {
        return Status::Cancelled;
    }
    while (!bytes.empty()) {
        const ssize_t got = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kMaxAtOnce));
        if (got >= 0) {
            at_ += static_cast<std::uint64_t>(got);
            written_ = std::max(written_, at_);
            bytes = bytes.subspan(static_cast<std::size_t>(got));
        } else if (errno == EPIPE) {
            return Status::Closed;
        } else if (errno == EAGAIN) {
            waitWritable(descriptor_, cancel_);
        } else if (errno != EINTR) {
            fail("writing", errno);
        }
        // A file still takes the rest, to be complete; a pipe's reader may never read again.
        if (!bytes.empty() && !isFile_ && cancel_.isSet()) {
            return Status::Cancelled;
        }
    }
    return Status::Ok;
}

std::int64_t OutputDescriptor::seek(std::int64_t offset, int whence) {
    const off_t now = ::lseek(descriptor_, offset, whence);
    at_ = now >= 0 ? static_cast<std::uint64_t>(now) : at_;
    return now;
}

void OutputDescriptor::close() {
    const int descriptor = opened_.release();
    descriptor_ = -1;
    if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR) {
        fail("closing", errno);
    }
}

void OutputDescriptor::fail(const char* call, int code) const {
    throw Error(ErrorKind::Resource,
                fmt::format("{} {}: {}; {} written until then", call, name_, errnoText(code),
                            counted(written_, "byte was", "bytes were")),
                unwrittenRemedy(code));
}

}  // namespace verbcast
