// A stream from another sender as a source: sends frames from the slots they arrived in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/progress_line.h"
#include "app/commands/send/sound_beside.h"
#include "capture/frame_source.h"
#include "core/stream/frame_receiver.h"

namespace verbcast {

/// Holds each frame's slot until every viewer has it. A slow viewer thus slows this relay, and the upstream
/// sender reacts as its own policy says.
class RelaySource final : public FrameSource {
  public:
    explicit RelaySource(const ReceiverOptions& options) : receiver_(options) {}

    /// Waits for the first frame, which carries the format, or for sound that comes without any; shows on
    /// `line` what it waits for. Returns false if interrupted or if the stream ended first. Throws
    /// Error{Network} if no sender came within `patience`. Call first.
    bool open(ProgressLine& line, std::optional<std::chrono::nanoseconds> patience, const Event& interrupt);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return {}; }
    std::vector<std::string> takeNews() override { return std::exchange(news_, {}); }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return false; }
    bool isFed() const override { return true; }
    /// The sender's policy. Call after open().
    Policy policy() const { return policy_; }
    /// The stream's sound, to be sent by that policy and before this is gone. Call once, after open().
    std::unique_ptr<SoundBeside> soundBeside(Policy policy);
    bool pacesItself() const override { return true; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }
    bool wasLost() const override { return receiver_.status().state == StreamState::Lost; }

  private:
    Status receive(const Event& cancel);
    bool soundIsAlone(Status pictures);
    void begin(ProgressLine& line, const std::string& what, bool lossless);
    void noteLoss();

    FrameReceiver receiver_;
    ReceivedFrame next_;        // received but not yet captured, if it has a lease
    ReceivedFrame firstSound_;  // of sound that is alone, until it is sent
    TimestampNs soundSince_ = 0;
    VideoFormat format_;
    Policy policy_ = Policy::Lossless;
    std::vector<std::string> news_;  // not taken yet
    bool lost_ = false;
    bool waitsForSound_ = false;  // as well as for pictures
    SourceCounters counters_;
};

}  // namespace verbcast
