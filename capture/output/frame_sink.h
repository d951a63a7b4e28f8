// What received frames are written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/output/container_names.h"
#include "core/base/os/event.h"
#include "core/video/frame_info.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Takes each frame completely before write() returns, directly from its slot if it can; but encoders keep
/// some, until finish(). Used by one thread.
class FrameSink {
  public:
    virtual ~FrameSink() = default;

    /// Ok. Closed: the reader is gone. Cancelled. The first frame sets the format. Throws Error{Usage} if the
    /// sink cannot hold it, Error{Input} if a later one differs in size or pixel format, Error{Resource} if
    /// writing fails, naming how much was written.
    virtual Status write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) = 0;

    /// Writes what is left and closes; throws as write() does.
    virtual Status finish() = 0;

    virtual std::uint64_t bytesWritten() const = 0;

    /// Notes for the user: "p010le is written as yuv420p10le, ...".
    virtual const std::vector<std::string>& notes() const = 0;
};

/// `cancel` ends waits for the reader. Throws Error{Usage} if the file cannot be written to, or is kept, or
/// there is no such encoder for it.
std::unique_ptr<FrameSink> openSink(const VideoFile& file, const Event& cancel);

}  // namespace verbcast
