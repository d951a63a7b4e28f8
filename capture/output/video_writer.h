// Writes received frames to a file or a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/output/container_names.h"
#include "core/base/os/event.h"
#include "core/video/frame_info.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Writes each frame completely before write() returns, directly from its slot if the container takes those
/// bytes; but encoders keep some, until finish(). Used by one thread.
class VideoWriter {
  public:
    /// `cancel` ends waits for the reader. Throws Error{Usage} if the file cannot be written to, or is kept,
    /// or there is no such encoder for it.
    VideoWriter(const VideoFile& file, const Event& cancel);
    ~VideoWriter();

    /// Ok. Closed: the reader is gone. Cancelled. The first frame sets the file's format. Throws Error{Usage}
    /// if the container cannot hold it, Error{Input} if a later one differs in size or pixel format,
    /// Error{Resource} if writing fails, naming how much was written.
    Status write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload);

    /// Writes the trailer and closes; throws as write() does.
    Status finish();

    std::uint64_t bytesWritten() const;

    /// Notes for the user: "p010le is written as yuv420p10le, ...".
    const std::vector<std::string>& notes() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
