// Pipes for libavformat: its own file protocol would wait in read(2), where nobody can cancel it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"
#include "core/base/event.h"
#include "core/base/unique_fd.h"

namespace verbcast {

bool isNamedPipe(const std::string& path);

/// Used by one thread, the one that demuxes. Outlives the format context that reads from it.
class PipeReader {
  public:
    /// Opens the pipe for reading, which waits for its writer. `cancel` may point to null; it is looked at in
    /// every read. Throws Error{Input}.
    PipeReader(const std::string& path, const std::atomic<const Event*>& cancel);

    /// Reads `head`, which somebody has taken out of the descriptor already, and then what follows there. The
    /// descriptor stays the caller's. Of a regular file any place can be read. Throws Error{Resource}.
    PipeReader(int descriptor, std::vector<std::uint8_t> head, const std::atomic<const Event*>& cancel);

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
    const std::atomic<const Event*>& cancel_;
    std::unique_ptr<AVIOContext, FreeContext> context_;
};

}  // namespace verbcast
