// Raw, tightly packed frames from a file descriptor: `ffmpeg ... -f rawvideo - | verbcast send -`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/frame_source.h"

namespace verbcast {

/// Reads each frame directly into its slot.
class RawSource final : public FrameSource {
  public:
    /// Reads from `descriptor`, which stays the caller's; `name` is for messages ("stdin"). `head` holds
    /// bytes already read from it. Throws Error{Usage} if the options lack size or pixel format.
    RawSource(const SourceOptions& options, int descriptor, std::string name,
              std::vector<std::uint8_t> head = {});

    std::string describe() const override { return name_; }
    std::vector<std::string> notes() const override { return notes_; }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return false; }
    /// Known for regular files only.
    std::optional<std::uint64_t> expectedFrames() const override;
    /// An incomplete last frame is dropped: it counts as damaged, and notes() says so.
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }

  private:
    /// Continues reading into slot_. Ok: the frame is complete. Closed: the data ended before.
    Status fill(const Event& cancel);
    Status end();

    int descriptor_;
    std::string name_;
    VideoFormat format_;
    std::shared_ptr<FramePool> pool_;
    SourceCounters counters_;
    std::vector<std::string> notes_;
    std::vector<std::uint8_t> head_;
    std::size_t headUsed_ = 0;
    FrameLease slot_;           // of the frame being read: capture() resumes it after a cancel
    std::uint64_t filled_ = 0;  // bytes of it
    TimestampNs began_ = 0;
    bool ended_ = false;
};

}  // namespace verbcast
