// The sound of a stream, on a track of its own beside the pictures.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "capture/sound/sound_source.h"
#include "core/base/os/owned_thread.h"
#include "core/stream/broadcast.h"

namespace verbcast {

/// Of a picture that was sent.
struct PlaceOfPicture {
    double media = 0;  ///< its time stamp, in seconds
    /// Its place in a source that begins and ends: Playback::position().
    std::optional<std::chrono::nanoseconds> position{};
    TimestampNs capturedAt = 0;
};

/// Which sound goes with a stream's pictures.
struct SoundPart {
    std::chrono::nanoseconds start{0};                 ///< of a file
    std::optional<std::chrono::nanoseconds> length{};  ///< of a file; nullopt: all that follows
    TimestampNs zero = 0;                              ///< live: SoundOptions::ptsZero
};

/// Sound of a source that waits is sent by the thread that sends the pictures, somewhat ahead of each, so
/// that it pauses, jumps and ends with them. Live sound has a thread of its own and waits for no picture.
class SentSound {
  public:
    SentSound(std::unique_ptr<SoundSource> source, const SoundPart& part);
    ~SentSound();
    SentSound(const SentSound&) = delete;
    SentSound& operator=(const SentSound&) = delete;

    std::string describe() const { return source_->describe(); }
    bool isLive() const { return live_; }
    Policy policyBeside(Policy pictures) const { return live_ ? Policy::Latest : pictures; }
    /// Live: sends from now on. `sender` must outlive this.
    void start(Broadcast& sender);
    /// That picture was sent: sends what goes with it. Returns Broadcast::submit()'s status; Ok if there is
    /// none any more.
    Status sendWith(const PlaceOfPicture& picture, Broadcast& sender, const Event& cancel);
    /// After the last picture: the media time at which more is to be sent; nullopt: it is all sent.
    std::optional<double> restDue() const;
    /// It is that time.
    Status sendRest(double media, Broadcast& sender, const Event& cancel) {
        return sendUntil(media + kAhead + kStep - offset_, sender, cancel);
    }
    /// The next ones of the source's notes. From the thread that sends pictures.
    std::vector<std::string> takeNotes();

  private:
    /// Seconds of sound that a viewer has before they are to be heard.
    static constexpr double kAhead = 0.2;
    static constexpr double kStep = 0.02;  ///< of what follows the last picture

    void tieLive(const PlaceOfPicture& picture);
    Status sendUntil(double position, Broadcast& sender, const Event& cancel);
    Status submit(const CapturedSound& block, Broadcast& sender, const Event& cancel);
    std::optional<FrameLease> slotFor(const SoundFormat& format, const Event& cancel);
    void keepNotes();
    void sendLive(Broadcast& sender);

    const std::unique_ptr<SoundSource> source_;
    const bool live_;
    const SoundPart part_;
    std::shared_ptr<FramePool> pool_;
    CapturedSound block_;
    bool waiting_ = false;  // block_ is read and not sent
    bool over_ = false;
    bool anchored_ = false;
    std::atomic<double> offset_{0};  // from the source's time to media time, in seconds
    std::mutex mutex_;               // guards notes_
    std::vector<std::string> notes_;
    std::size_t notesTaken_ = 0;
    Event stop_;
    std::optional<OwnedThread> thread_;  // last: it uses everything above
};

}  // namespace verbcast
