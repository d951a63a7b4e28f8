// Raw frames on a file descriptor, tightly packed, as FFmpeg's rawvideo: `ffmpeg ... -f rawvideo - | verbcast
// send -`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/frame_source.h"

namespace verbcast {

/// Reads each frame straight into its slot.
class RawSource final : public FrameSource {
  public:
    /// Reads from `descriptor`, which stays the caller's; `name` is for messages ("stdin"). Throws
    /// Error{Usage} when the options lack size or pixel format. `head` has been taken out of it already.
    RawSource(const SourceOptions& options, int descriptor, std::string name,
              std::vector<std::uint8_t> head = {});

    std::string describe() const override { return name_; }
    std::vector<std::string> notes() const override { return notes_; }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return false; }
    /// Known when the descriptor is a regular file.
    std::optional<std::uint64_t> expectedFrames() const override;
    /// A last frame that ends too early is not given out: it counts as damaged, and notes() says so.
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }

  private:
    /// Reads on into slot_. Ok: the frame is whole. Closed: the data ended before.
    Status fill(const Event& cancel);
    void fillFromHead();
    Status end();

    int descriptor_;
    std::string name_;
    VideoFormat format_;
    std::shared_ptr<FramePool> pool_;
    SourceCounters counters_;
    std::vector<std::string> notes_;
    std::vector<std::uint8_t> head_;
    std::size_t headUsed_ = 0;
    FrameLease slot_;           // of the frame being read: a cancelled capture() goes on where it was
    std::uint64_t filled_ = 0;  // bytes of it
    TimestampNs began_ = 0;
    bool ended_ = false;
};

}  // namespace verbcast
