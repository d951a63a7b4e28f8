// Reads pipes for libavformat, whose own file protocol would block uncancellably in read(2).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

bool isNamedPipe(const std::string& path);

/// read(2), once there is data: never fails with EAGAIN or EINTR, but with ECANCELED once `cancel` (may be
/// null) is set.
ssize_t readWhenReady(int descriptor, void* to, std::size_t bytes, const Event* cancel);

/// Used by the demuxing thread only, but for setCancel(). Must outlive the format context that reads from it.
class PipeReader {
  public:
    /// Opens the pipe for reading, which waits for its writer. `cancel` as of setCancel(). Throws
    /// Error{Input}.
    PipeReader(const std::string& path, const Event* cancel);

    /// Reads `head`, which was already taken out of the descriptor, and then what follows. The descriptor
    /// stays the caller's. If it is a regular file, the reader can seek. Throws Error{Resource}.
    PipeReader(int descriptor, std::vector<std::uint8_t> head, const Event* cancel);

    /// What ends reads that come; may be null. From any thread.
    void setCancel(const Event* cancel) { cancel_ = cancel; }

    /// For AVFormatContext::pb.
    AVIOContext* context() const { return context_.get(); }

  private:
    struct FreeContext {
        void operator()(AVIOContext* context) const;
    };
    static int read(void* self, std::uint8_t* buffer, int size);
    static std::int64_t seek(void* self, std::int64_t offset, int whence);
    void makeContext(bool seekable);

    UniqueFd opened_;
    int descriptor_;
    std::vector<std::uint8_t> head_;
    std::size_t headRead_ = 0;
    std::atomic<const Event*> cancel_;
    std::unique_ptr<AVIOContext, FreeContext> context_;
};

}  // namespace verbcast
