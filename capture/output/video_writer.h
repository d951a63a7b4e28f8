// Writes received frames to a file or a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/output/container_names.h"
#include "core/base/event.h"
#include "core/video/frame_info.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Each frame is written whole before write() returns, straight from its slot where the container takes the
/// bytes as they lie there. Used by one thread.
class VideoWriter {
  public:
    /// Opens `path`, or standard output for "-". `cancel` ends waits for who reads there. Throws Error{Usage}
    /// when it cannot be written to.
    VideoWriter(const std::string& path, Container container, const Event& cancel);
    ~VideoWriter();

    /// Ok. Closed: nobody reads any more. Cancelled. The first frame's format is the file's; throws
    /// Error{Usage} when the container cannot hold it or a later one differs in size or pixel format,
    /// Error{Resource} when writing fails, with what has been written until then.
    Status write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload);

    /// Writes the end and closes; throws as write() does.
    Status finish();

    std::uint64_t bytesWritten() const;

    /// What a person should know: "p010le is written as yuv420p10le, ...".
    const std::vector<std::string>& notes() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
