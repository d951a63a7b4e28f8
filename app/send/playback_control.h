// Pauses, seeks and steps in a file being sent, as another program commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "capture/frame_source.h"
#include "core/base/event.h"
#include "core/stream/broadcast.h"
#include "core/stream/stats_stream.h"

namespace verbcast {

/// Reads commands as lines from a descriptor: "pause", "play", "seek SECONDS" (from the beginning), "step N"
/// (N pictures forward, or back if negative; pauses). Anything else gets a warning. Once no more commands can
/// come, it plays. Reports its position in the statistics stream, ten times a second and after each command:
/// {"playback": {"position_s": 1.5, "duration_s": 10.0, "paused": false}}; the duration is null if unknown.
/// Used by the capturing thread.
class PlaybackControl {
  public:
    /// `source` and `report` must outlive this; the caller keeps the descriptor open. `report` may be null.
    /// Throws Error{Usage} if the source has no beginning and end.
    PlaybackControl(int commands, FrameSource& source, StatsStream* report);

    enum class Turn {
        Next,    ///< time runs on: the next picture is due at its time stamp
        AtOnce,  ///< after a jump, or if `cancel` is set: the next picture is due at once
        Held,    ///< paused and no picture wanted: check for viewers that left and the time limit
    };
    /// Call before capturing a picture: executes pending commands, at most 4 KiB of them. While paused, waits
    /// until more come, a receiver leaves, none is left, or the time is over. Throws what Playback::seek()
    /// throws.
    Turn follow(Broadcast& sender, std::chrono::nanoseconds longest, const Event& cancel);

  private:
    void readCommands();
    bool isHeld() const { return paused_ && steps_ == 0 && open_; }
    void obey(std::string_view line);
    void step(std::int64_t pictures);
    bool canMove() const;
    void tell(bool now);

    const int commands_;
    Playback& playback_;
    StatsStream* const report_;
    std::string partial_;
    bool open_ = true;
    bool paused_ = false;
    bool jumped_ = false;     // since the last captured picture
    std::int64_t steps_ = 0;  // pictures still to send while paused
    TimestampNs toldAt_ = 0;
};

}  // namespace verbcast
