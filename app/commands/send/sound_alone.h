// Sound that is sent without pictures.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/send/sound_beside.h"
#include "app/commands/send/sound_blocks.h"
#include "capture/frame_source.h"
#include "capture/sound_source.h"

namespace verbcast {

/// A source without pictures for Sending, which serves viewers, controls and ends it as any other. capture()
/// never brings a frame: it waits until more sound is due, and tells its end. Sound of a source that waits is
/// sent somewhat ahead, in turns of kSoundStep, which are what PlaybackControl steps by; its time
/// stamps go on without a gap over loops and seeks. Live sound is sent as it comes, by the same thread.
class SoundAlone final : public FrameSource, private Playback {
  public:
    /// Of `part` only `start`, `length`, `loop` and `unpaced` matter. The length is exact to the sample.
    SoundAlone(std::unique_ptr<SoundSource> sound, const SourceOptions& part);

    /// What sends it, to be destroyed before this. Call once.
    std::unique_ptr<SoundBeside> soundBeside();

    std::string describe() const override { return sound_->describe(); }
    std::vector<std::string> notes() const override { return sound_->notes(); }
    const VideoFormat& format() const override { return none_; }
    bool isLive() const override { return sound_->isLive(); }
    bool isFed() const override { return isLive(); }
    bool pacesItself() const override { return true; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return {}; }
    Playback* playback() override { return isLive() ? nullptr : this; }

  private:
    class Beside;

    /// Of what was sent last.
    std::chrono::nanoseconds position() const override;
    std::optional<std::chrono::nanoseconds> duration() const override { return sound_->duration(); }
    bool canSeek() const override { return sound_->canRewind(); }
    void seek(std::chrono::nanoseconds time) override;
    void stepBack(std::uint32_t turns) override;

    bool sendDue(Broadcast& sender, const Event& cancel);
    bool hasDue();
    bool readBlock();
    bool readPart();
    void goTo(std::int64_t place);
    std::int64_t samplesIn(std::chrono::nanoseconds time) const;

    const std::unique_ptr<SoundSource> sound_;
    const VideoFormat none_;
    const bool loop_, unpaced_;
    // In samples of the source's time:
    const std::int64_t start_;
    const std::optional<std::int64_t> stop_;
    std::int64_t place_;  // after the last block sent
    // In those of the stream's:
    std::int64_t shift_ = 0;      // from the source's time
    std::int64_t end_ = 0;        // of the last block sent
    std::int64_t loopedAt_ = -1;  // since when nothing was sought
    double heard_ = 0;            // seconds
    TimestampNs due_ = 0;         // of heard_
    CapturedSound block_;
    bool waiting_ = false;  // block_ is read and not sent
    bool over_ = false;
    SoundBlocks blocks_;
};

}  // namespace verbcast
