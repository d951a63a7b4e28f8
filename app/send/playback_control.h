// Pauses, seeks and steps in a file that is sent, as another program commands.
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

/// Commands come as lines on a descriptor: "pause", "play", "seek SECONDS" (from the beginning), "step N"
/// (N pictures on, or back when negative; pauses). Anything else gets a warning. When nobody
/// can send commands any more, it plays. Where it is goes to the statistics stream, ten times a second and
/// after each command: {"playback": {"position_s": 1.5, "duration_s": 10.0, "paused": false}}; the duration
/// is null where the file does not say. Used by the thread that captures.
class PlaybackControl {
  public:
    /// All outlive this object; the descriptor stays the caller's. `report` may be null. Throws Error{Usage}
    /// for a source without a beginning and an end.
    PlaybackControl(int commands, FrameSource& source, StatsStream* report);

    enum class Turn {
        Next,    ///< time has gone on: the next picture is due when its time stamp says
        AtOnce,  ///< it has not, or `cancel` is set: the next picture is due at once
        Held,    ///< paused, and no picture is wanted: look who has left and whether the time is over
    };
    /// Before a picture is captured: carries out what was asked for. Waits while it is paused, until a
    /// receiver leaves, none is there, or the time is over. Throws what Playback::seek() throws.
    Turn follow(Broadcast& sender, std::chrono::nanoseconds longest, const Event& cancel);

  private:
    bool readCommands();
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
    bool jumped_ = false;     // since a picture was captured
    std::int64_t steps_ = 0;  // pictures to send although it is paused
    TimestampNs toldAt_ = 0;
};

}  // namespace verbcast
