// The sound of a source of this host, read beside its pictures.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/send/fresh_notes.h"
#include "app/commands/send/slewed_offset.h"
#include "app/commands/send/sound_beside.h"
#include "capture/sound_source.h"
#include "core/base/os/owned_thread.h"
#include "render/sound/media_tie.h"

namespace verbcast {

/// Which sound goes with a stream's pictures.
struct SoundPart {
    std::chrono::nanoseconds start{0};                 ///< of a file
    std::optional<std::chrono::nanoseconds> length{};  ///< of a file; nullopt: all that follows
    TimestampNs zero = 0;                              ///< live: SoundOptions::ptsZero
};

/// Sound of a source that waits is read by the thread that has the pictures, somewhat ahead of each, so that
/// it pauses, jumps and ends with them. Live sound has a thread of its own and waits for no picture.
class SourceSound {
  public:
    /// Takes a block, whose first sample is at `pts` on the time line of the pictures, in 1/rate s. Busy: it
    /// is to be offered again with the next picture. Closed and Cancelled end the reading.
    using Take =
        std::function<Status(const CapturedSound& block, const SoundFormat& format, std::int64_t pts)>;

    SourceSound(std::unique_ptr<SoundSource> source, const SoundPart& part);
    ~SourceSound();

    bool isLive() const { return live_; }
    /// Call once. Live: a thread reads from now on.
    void start(Take take);
    /// That picture was sent: reads what goes with it. Returns what `take` did; Ok if there is none any more.
    Status readWith(const PlaceOfPicture& picture, const Take& take);
    /// The source was asked for a picture: reads what has come meanwhile, of a pipe.
    void readMeanwhile(const Take& take);
    /// The media time at which more is to be read than went with the last picture; nullopt: there is no more.
    std::optional<double> moreDue() const;
    /// It is that time, or later.
    Status readMore(double media, const Take& take);
    /// The source's next ones for the user.
    std::vector<std::string> takeNotes() { return notes_.take(); }

  private:
    static constexpr double kNever = -std::numeric_limits<double>::infinity();

    void tieLive(const PlaceOfPicture& picture);
    std::int64_t tiedPtsOf(const CapturedSound& block);
    Status readUntil(double position, const Take& take);
    bool readBlock();
    double placeUntil(double position);
    void readLive(const Take& take);

    const std::unique_ptr<SoundSource> source_;
    const bool live_;
    const SoundPart part_;
    CapturedSound block_;
    bool waiting_ = false;  // block_ is read and not taken
    bool over_ = false;
    bool anchored_ = false;
    double until_ = 0;   // the source's time that was asked for last
    double offset_ = 0;  // from the source's time to media time, in seconds
    // Where the clock of a file goes back, its sound and its pictures do so one after the other:
    double end_ = kNever;         // of what was given, in the source's time
    bool early_ = false;          // block_ has gone back, and waits for the pictures
    std::optional<double> rest_;  // the pictures have gone back: where the sound from before ends, at most
    // Live:
    std::mutex mutex_;     // guards the next
    MediaTie tie_;         // from our clock to that of the pictures
    SlewedOffset slewed_;  // of thread_
    FreshNotes notes_;
    Event stop_;
    std::optional<OwnedThread> thread_;  // last: it uses everything above
};

}  // namespace verbcast
