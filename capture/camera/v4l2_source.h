// A camera as a source (Video4Linux2).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/camera/camera_stream.h"
#include "capture/frame_source.h"
#include "core/base/os/device_watch.h"

namespace verbcast {

/// The camera sets the pace: capture() returns each picture as it arrives. If the camera is unplugged, the
/// source waits for it and resumes in the same mode.
class V4l2Source final : public FrameSource {
  public:
    /// Opens the camera with that path (empty: the first one) and sets the mode that best suits the options.
    /// Streaming starts with the first capture(); in a compressed mode at once, because only a first picture
    /// tells what it decodes to. Throws Error{Device}, or Error{Input} if there is no decoder.
    V4l2Source(const SourceOptions& options, std::string_view path);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return notes_; }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return true; }
    bool pacesItself() const override { return true; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }

  private:
    void open(const Event& cancel);
    VideoFormat firstFormat(const Event& cancel);
    Status awaitReturn(const Event& cancel);
    bool reopen(const Event& cancel);
    void lose();
    void noteSilence();
    void complete(const FilledBuffer& filled, CapturedFrame& frame);
    void addNote(const std::string& note);

    SourceOptions options_;
    std::string path_;
    std::string card_;
    CameraWish wish_;
    VideoFormat format_;
    std::shared_ptr<FramePool> pool_;
    SlotAllocator allocator_;               // for compressed pictures; must outlive the decoder in stream_
    std::unique_ptr<CameraStream> stream_;  // null: unplugged
    std::unique_ptr<DeviceWatch> watch_;    // set while unplugged

    TimestampNs lostAt_ = 0;                   // 0: connected
    bool failedAtOnce_ = false;                // the stream failed before its first picture
    std::optional<TimestampNs> waitingSince_;  // for a picture; unset between them
    bool silenceNoted_ = false;
    std::uint64_t framesOfStream_ = 0;  // since stream_ was opened
    TimestampNs lastReturned_ = 0;
    std::optional<TimestampNs> firstTaken_;  // pts 0
    SourceCounters counters_;
    std::vector<std::string> notes_;
};

}  // namespace verbcast
