// A media file as a source: demuxed and decoded by FFmpeg, in place where the decoder allows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "capture/media_input.h"
#include "capture/picture_decoder.h"
#include "capture/picture_delivery.h"
#include "capture/presentation_clock.h"
#include "capture/slot_allocator.h"

namespace verbcast {

class FileSource final : public FrameSource {
  public:
    /// Opens the file, or takes what is piped, and decodes the first picture. Throws Error{Input} when there
    /// is none.
    explicit FileSource(const SourceOptions& options, std::optional<PipedMedia> piped = {});

    std::string describe() const override;
    std::vector<std::string> notes() const override { return notes_; }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return false; }
    std::optional<std::uint64_t> expectedFrames() const override;
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }

  private:
    /// The next picture in picture_; starts the file again when it loops.
    Status decode();
    Status produce(CapturedFrame& frame, const Event& cancel);
    void finish();
    void addNote(const std::string& note);
    std::string nothingDecoded() const;

    SourceOptions options_;
    SourceCounters counters_;
    std::vector<std::string> notes_;
    SlotAllocator allocator_;  // before all that may hold pictures in its slots
    MediaInput input_;
    PictureDecoder decoder_;
    FramePtr picture_;
    PictureDelivery delivery_;
    StreamTraits traits_;
    PresentationClock clock_;
    VideoFormat format_;
    std::optional<CapturedFrame> first_;  // decoded while opening, so that format() is known
    std::uint64_t picturesInLap_ = 0;
    std::int64_t lastEnd_ = 0;  // of the last picture, in the stream's time base
    bool finished_ = false;
};

}  // namespace verbcast
