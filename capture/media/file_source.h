// A source that demuxes and decodes a media file with FFmpeg, in place if the decoder can.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "capture/media/decode/picture_decoder.h"
#include "capture/media/decode/picture_delivery.h"
#include "capture/media/decode/slot_allocator.h"
#include "capture/media/input/media_input.h"
#include "capture/media/orientation.h"
#include "capture/media/presentation_clock.h"

namespace verbcast {

class FileSource final : public FrameSource, private Playback {
  public:
    /// Opens the file, or takes piped media, and decodes the first picture. Throws Error{Input} if none.
    explicit FileSource(const SourceOptions& options, std::optional<PipedMedia> piped = {});

    std::string describe() const override;
    std::vector<std::string> notes() const override { return notes_; }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return false; }
    bool mayJump() const override { return input_.mayJump(); }
    std::optional<std::uint64_t> expectedFrames() const override;
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }
    const DecodingStats* decoding() const override { return &decoder_.decoding(); }
    Playback* playback() override { return this; }
    std::unique_ptr<SoundSource> sound(const SoundOptions& options) override;

  private:
    struct Sought {
        std::chrono::microseconds place;
        std::int64_t from;       // see from_
        std::uint32_t back = 0;  // so many pictures before that
    };

    std::chrono::nanoseconds position() const override;
    std::optional<std::chrono::nanoseconds> duration() const override { return input_.duration(); }
    bool canSeek() const override { return input_.canRewind(); }
    void seek(std::chrono::nanoseconds time) override;
    void stepBack(std::uint32_t pictures) override;

    /// Decodes the next picture of the wanted part into picture_: in CPU memory, or a surface to be
    /// delivered.
    Status decode();
    /// The same, in whatever memory. Restarts the part if looping.
    Status findPicture();
    /// Keeps the format of hardware's pictures when software takes over.
    void keepFormatOf(const AVFrame& picture);
    /// Finds the picture so many before the sought one.
    void countBack(Sought& sought);
    /// Goes where `sought_` says. Cancelled: not there yet.
    Status goToSought();
    void approach(std::chrono::microseconds margin);
    /// Learns how picture_ is to be turned. What a stream's message says holds until the next one.
    void turn();
    void take(const Orientation& orientation);
    /// Sets the time of picture_ as its pts.
    void stamp();
    /// Skips picture_; after a seek, keeps the last one skipped.
    void passOver();
    void forgetPassed();
    /// Whether the first result after a seek shows that it went too far.
    bool isTooFar(Status status) const;
    /// Whether picture_ is before, or past, the wanted part.
    bool isEarly() const;
    bool isLate() const;
    Status produce(CapturedFrame& frame, const Event& cancel);
    void finish();
    void addNote(const std::string& note);
    void tellMemory();
    std::string nothingDecoded() const;

    SourceOptions options_;
    SourceCounters counters_;
    std::vector<std::string> notes_;
    bool saidInterlaced_ = false;
    SlotAllocator allocator_;  // first: everything below may hold pictures in its slots
    MediaInput input_;
    PictureDecoder decoder_;
    FramePtr picture_;
    FramePtr passed_;  // last picture skipped; null while opening, because -ss past the end is an error
    PictureDelivery delivery_;
    StreamTraits traits_;
    PresentationClock clock_;
    VideoFormat format_;
    std::optional<CapturedFrame> first_;  // decoded while opening, so that format() is known
    std::uint64_t picturesInLap_ = 0;
    std::optional<Sought> sought_;                    // unset once we are there
    std::chrono::microseconds place_{0}, margin_{0};  // of the last seek: target, and how much before it
    bool arriving_ = false;                           // no picture has come since the last seek
    std::int64_t from_ = INT64_MIN;                   // earlier ones are skipped; in the stream's time base
    std::optional<std::int64_t> end_;  // end of the part, likewise; known from the first picture on
    std::int64_t nextTime_ = 0;  // of the next picture if it has no time stamp, likewise, or AV_NOPTS_VALUE
    std::int64_t lastTime_ = 0;  // of the last picture delivered
    std::int64_t lastEnd_ = 0;   // of the last picture decoded, in the stream's time base
    bool finished_ = false;
};

}  // namespace verbcast
