#include "capture/pipe_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr int kBufferBytes = 64 * 1024;  // what a pipe holds

}  // namespace

bool isNamedPipe(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

void PipeReader::FreeContext::operator()(AVIOContext* context) const {
    av_freep(&context->buffer);  // libavformat may have replaced the buffer that it was given
    avio_context_free(&context);
}

PipeReader::PipeReader(const std::string& path, const std::atomic<const Event*>& cancel)
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), cancel_(cancel) {
    if (!fd_ || ::fcntl(fd_.get(), F_SETFL, O_NONBLOCK) != 0) {
        throwErrno(ErrorKind::Input, "open", path, errno);
    }
    auto* buffer = static_cast<std::uint8_t*>(av_malloc(kBufferBytes));
    context_.reset(avio_alloc_context(buffer, kBufferBytes, 0, this, read, nullptr, nullptr));
    if (!context_) {
        av_free(buffer);
        throw Error(ErrorKind::Resource, "no memory to read " + path);
    }
}

int PipeReader::read(void* opaque, std::uint8_t* buffer, int size) {
    const auto* self = static_cast<const PipeReader*>(opaque);
    for (;;) {
        const Event* cancel = self->cancel_.load();
        waitReadable({self->fd_.get(), cancel != nullptr ? cancel->descriptor() : -1},
                     std::chrono::nanoseconds(-1));
        if (cancel != nullptr && cancel->isSet()) {
            return AVERROR_EXIT;
        }
        const ssize_t got = ::read(self->fd_.get(), buffer, static_cast<std::size_t>(size));
        if (got > 0) {
            return static_cast<int>(got);
        }
        if (got == 0) {
            return AVERROR_EOF;
        }
        if (errno != EAGAIN && errno != EINTR) {
            return AVERROR(errno);
        }
    }
}

}  // namespace verbcast
