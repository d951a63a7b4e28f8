// A media file as a source: demuxed and decoded by FFmpeg, in place where the decoder allows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "capture/media/media_input.h"
#include "capture/media/picture_decoder.h"
#include "capture/media/picture_delivery.h"
#include "capture/media/presentation_clock.h"
#include "capture/media/slot_allocator.h"

namespace verbcast {

class FileSource final : public FrameSource, private Playback {
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
    Playback* playback() override { return this; }

  private:
    std::chrono::nanoseconds position() const override;
    std::optional<std::chrono::nanoseconds> duration() const override;
    bool canSeek() const override { return input_.canRewind(); }
    void seek(std::chrono::nanoseconds time) override;
    void stepBack(std::uint32_t pictures) override;

    /// The next picture of the wanted part in picture_; starts that again when it loops.
    Status decode();
    /// Pictures before `time` (in the stream's time base) are passed over from now on.
    void goTo(std::chrono::microseconds place, std::int64_t time);
    void approach(std::chrono::microseconds margin);
    /// Notes the time of the picture in picture_, as its pts.
    void stamp();
    /// Leaves out the picture in picture_; the last such one is kept after a seek.
    void passOver();
    void forgetPassed();
    /// The first answer after a seek shows that it went too far.
    bool isTooFar(Status status) const;
    /// The picture in picture_ is before the wanted part; behind it.
    bool isEarly() const;
    bool isLate() const;
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
    FramePtr passed_;  // the last one passed over; null while opening: -ss behind the end is an error
    PictureDelivery delivery_;
    StreamTraits traits_;
    PresentationClock clock_;
    VideoFormat format_;
    std::optional<CapturedFrame> first_;  // decoded while opening, so that format() is known
    std::uint64_t picturesInLap_ = 0;
    std::chrono::microseconds place_{0}, margin_{0};  // of the last seek: where to, and so much earlier
    bool arriving_ = false;                           // no picture has come since
    std::int64_t from_ = INT64_MIN;    // pictures before are passed over; this and the next two in the
    std::optional<std::int64_t> end_;  // stream's time base; end_ is known from the first picture on
    std::int64_t nextTime_ = 0;        // of the next picture if it has no time stamp, or AV_NOPTS_VALUE
    std::int64_t lastTime_ = 0;        // of the last picture delivered
    std::int64_t lastEnd_ = 0;         // of the last picture decoded, in the stream's time base
    bool finished_ = false;
};

}  // namespace verbcast
