// Sound that a command sends on a track of its own, beside its pictures.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/stream/broadcast.h"

namespace verbcast {

/// Seconds of sound that a viewer has before they are to be heard, if the source waits.
inline constexpr double kSoundAhead = 0.2;
inline constexpr double kSoundStep = 0.02;  ///< of what no picture paces

/// Whether sound is due, as SoundBeside::moreDue() says, too early to be sent with the next picture, of time
/// `media`: pictures that follow each other fast bring it in time.
inline bool isDueBefore(std::optional<double> more, double media) {
    return more && *more + kSoundAhead / 2 < media;
}

/// Of a picture that was sent.
struct PlaceOfPicture {
    double media = 0;  ///< its time stamp, in seconds
    /// Its place in a source that begins and ends: Playback::position().
    std::optional<std::chrono::nanoseconds> position{};
    TimestampNs capturedAt = 0;
};

/// Used by the thread that sends the pictures.
class SoundBeside {
  public:
    SoundBeside() = default;
    SoundBeside(const SoundBeside&) = delete;
    SoundBeside& operator=(const SoundBeside&) = delete;
    virtual ~SoundBeside() = default;

    /// Whether viewers are told that there will be sound.
    virtual bool isExpected() const { return true; }
    virtual Policy policyBeside(Policy pictures) const = 0;
    /// A thread of its own may send from now on. `sender` must outlive this.
    virtual void start(Broadcast& sender) = 0;
    /// The source was asked for a picture: sends what has come meanwhile. Returns whether sound goes out
    /// without waiting for a picture.
    virtual bool sendMeanwhile(Broadcast& /*sender*/, const Event& /*cancel*/) { return false; }
    /// That picture was sent: sends what goes with it. Returns Broadcast::submit()'s status; Ok if there is
    /// none any more.
    virtual Status sendWith(const PlaceOfPicture& /*picture*/, Broadcast& /*sender*/,
                            const Event& /*cancel*/) {
        return Status::Ok;
    }
    /// The pictures have ended, and the sound does so now: waits until its thread has sent it all.
    virtual void awaitEnd(const Event& /*cancel*/) {}
    /// The media time at which more is to be sent than went with the last picture; nullopt: it is all sent.
    virtual std::optional<double> moreDue() const { return std::nullopt; }
    /// It is that time, or later.
    virtual Status sendMore(double /*media*/, Broadcast& /*sender*/, const Event& /*cancel*/) {
        return Status::Ok;
    }
    /// The next ones for the user.
    virtual std::vector<std::string> takeNotes() { return {}; }
};

}  // namespace verbcast
