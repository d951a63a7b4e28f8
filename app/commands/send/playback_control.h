// Pauses, seeks and steps in a file being sent, as another program commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/commands/send/command_lines.h"
#include "capture/frame_source.h"
#include "core/base/os/event.h"
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
        Next,       ///< time runs on: the next picture is due at its time stamp
        AtOnce,     ///< after a pause, or if `cancel` is set: the next picture is due at once
        Elsewhere,  ///< the same after a seek: a picture captured before is no longer wanted
        Held,       ///< paused and no picture wanted: check for viewers that left and the time limit
    };
    /// Call before capturing a picture: executes pending commands, at most 4 KiB of them. While paused, waits
    /// until more come, a receiver leaves, none is left, or the time is over. `ahead`: one more picture has
    /// been captured than sent. Throws what Playback::seek() throws.
    Turn follow(Broadcast& sender, std::chrono::nanoseconds longest, const Event& cancel, bool ahead);
    /// Call after sending the last picture captured.
    void countSent();
    /// Waits until commands come, a receiver leaves, none is left, or the time is over.
    void waitForCommand(Broadcast& sender, std::chrono::nanoseconds longest, const Event& cancel) const;

  private:
    void obeyCommands();
    bool isHeld() const { return paused_ && steps_ == 0 && lines_.descriptor() >= 0; }
    void obey(std::string_view line);
    void move();
    void step(std::int64_t pictures);
    bool canMove() const;
    void tell(bool now);

    CommandLines lines_;
    Playback& playback_;
    StatsStream* const report_;
    bool paused_ = false;
    bool jumped_ = false;             // paused since the last captured picture
    bool moved_ = false;              // sought since then
    bool ahead_ = false;              // the last captured picture is not sent yet
    std::int64_t steps_ = 0;          // pictures still to send while paused
    std::chrono::nanoseconds shown_;  // the time of the last picture sent
    TimestampNs toldAt_ = 0;
};

}  // namespace verbcast
