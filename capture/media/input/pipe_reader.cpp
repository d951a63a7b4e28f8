#include "capture/media/input/pipe_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/os/pipe_buffer.h"

namespace verbcast {
namespace {

constexpr int kBufferBytes = 64 * 1024;  // larger reads bypass it

bool isRegularFile(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

bool isNamedPipe(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

ssize_t readWhenReady(int descriptor, void* to, std::size_t bytes, const Event* cancel) {
    for (;;) {
        waitReadable({descriptor, cancel != nullptr ? cancel->descriptor() : -1}, Deadline::never());
        if (cancel != nullptr && cancel->isSet()) {
            errno = ECANCELED;
            return -1;
        }
        const ssize_t got = ::read(descriptor, to, bytes);
        if (got >= 0 || (errno != EAGAIN && errno != EINTR)) {
            return got;
        }
    }
}

void PipeReader::FreeContext::operator()(AVIOContext* context) const {
    av_freep(&context->buffer);  // libavformat may have replaced the original buffer
    avio_context_free(&context);
}

PipeReader::PipeReader(const std::string& path, const Event* cancel)
    : opened_(
          ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)),  // a writer is waited for when reading
      descriptor_(opened_.get()),
      cancel_(cancel) {
    if (!opened_) {
        throwErrno(ErrorKind::Input, "open", path, errno);
    }
    makeContext(false);
}

PipeReader::PipeReader(int descriptor, std::vector<std::uint8_t> head, const Event* cancel)
    : descriptor_(descriptor), head_(std::move(head)), cancel_(cancel) {
    makeContext(head_.empty() && isRegularFile(descriptor));
}

void PipeReader::makeContext(bool seekable) {
    loadFfmpeg();
    growPipeBuffer(descriptor_);
    auto* buffer = static_cast<std::uint8_t*>(av_malloc(kBufferBytes));
    context_.reset(
        avio_alloc_context(buffer, kBufferBytes, 0, this, read, nullptr, seekable ? seek : nullptr));
    if (!context_) {
        av_free(buffer);
        throw Error(ErrorKind::Resource, "no memory to read a pipe");
    }
}

int PipeReader::read(void* opaque, std::uint8_t* buffer, int size) {
    auto* self = static_cast<PipeReader*>(opaque);
    if (self->headRead_ < self->head_.size()) {
        const std::size_t count =
            std::min(static_cast<std::size_t>(size), self->head_.size() - self->headRead_);
        std::memcpy(buffer, self->head_.data() + self->headRead_, count);
        self->headRead_ += count;
        return static_cast<int>(count);
    }
    const ssize_t got =
        readWhenReady(self->descriptor_, buffer, static_cast<std::size_t>(size), self->cancel_.load());
    if (got > 0) {
        return static_cast<int>(got);
    }
    return got == 0 ? AVERROR_EOF : errno == ECANCELED ? AVERROR_EXIT : AVERROR(errno);
}

std::int64_t PipeReader::seek(void* opaque, std::int64_t offset, int whence) {
    const int descriptor = static_cast<PipeReader*>(opaque)->descriptor_;
    if ((whence & AVSEEK_SIZE) != 0) {
        struct stat status {};
        return ::fstat(descriptor, &status) == 0 ? status.st_size : AVERROR(errno);
    }
    const off_t place = ::lseek(descriptor, offset, whence & ~AVSEEK_FORCE);
    return place >= 0 ? place : AVERROR(errno);
}

}  // namespace verbcast
