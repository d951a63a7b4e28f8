// One track of an incoming stream, over all of its connections: frames on their way to who consumes them, and
// what is counted of them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "core/base/os/early_wake.h"
#include "core/flow/frame_inbox.h"
#include "core/stats/live_stats.h"
#include "core/stats/stream_stats.h"

namespace verbcast {

/// Most connections of one stream at a time.
inline constexpr std::uint8_t kMaxLanes = 4;

/// What a viewer takes of a track. A track of another sort than it expects is declined.
enum class TrackContent : std::uint8_t {
    Frames,   ///< of any kind that takes the connection's own path
    Sound,    ///< blocks of sound
    Nothing,  ///< it is declined
};

/// What a track keeps from one connection to the next of the same sender.
struct TrackRecord {
    std::shared_ptr<FramePool> pool;  ///< our ring; null before the first, or with shared memory
    std::uint64_t instance = 0;       ///< of the sender whose frames these were
    std::uint64_t nextSequence = 0;   ///< all frames before it have arrived, or were found missing
    bool begun = false;               ///< any frame of that sender has arrived
};

/// Its links' threads hand frames on, one at a time; one thread consumes them.
class IncomingTrack {
  public:
    /// `slots`: most frames that the consumer holds.
    IncomingTrack(TrackId id, TrackContent content, std::uint32_t slots)
        : id_(id),
          content_(content),
          slots_(content == TrackContent::Sound ? kSoundSlots : slots),
          inbox_(slots_) {}

    TrackId id() const { return id_; }
    TrackContent content() const { return content_; }
    std::uint32_t slots() const { return slots_; }

    // By the thread that serves a link:
    /// Of that lane; for its thread alone.
    TrackRecord& record(std::uint8_t lane) { return records_[lane]; }
    /// Whether the next frame finds room.
    bool full() const { return inbox_.full(); }
    bool hasRoomForNewRings() const { return inbox_.hasRoomForNewRings(); }
    /// Counts the frame and hands it on. Throws Error{Peer} if it finds no room.
    void arrived(ReceivedFrame&& frame);
    /// Counts frames that the consumer will never get. Thread-safe.
    void countMissing(std::uint64_t first, std::uint64_t frames, bool lossless, std::string_view why);

    // By the consumer:
    /// Takes the next frame, if there is one. What changed in frames that passOver() was given is in its
    /// info.rects, too.
    bool take(ReceivedFrame& frame);
    /// The frame was taken, and makes way for a newer one.
    void passOver(const ReceivedFrame& frame) { passedOver_ = PictureChanges::of(frame.info); }
    /// There was no newer one after all.
    void keep() { passedOver_.reset(); }
    /// See IncomingStream. From any thread.
    bool confirm(const ReceivedFrame& frame);
    /// Counts a frame that was not intact; its lease may be gone. From any thread.
    void countTakenBack(const ReceivedFrame& frame);
    /// Adds the times of the frame that was taken last to the histograms. Those touch so many cold cache
    /// lines that it would cost the frame a microsecond, so it is done when the next is asked for. From any
    /// thread.
    void recordPassage();
    /// How many of those taken it has shown none of, so far; the number never falls. From any thread.
    void setSkippedLater(std::uint64_t frames);
    bool empty() const { return inbox_.empty(); }
    /// Set when a frame is there, and by wake().
    ArmedEvent& available() { return inbox_.available(); }

    // From any thread:
    /// The stream's state has changed.
    void wake() { inbox_.available().notify(); }
    std::uint64_t received() const { return counts[&StreamStats::framesTransferred]; }
    std::uint64_t skipped() const { return counts[&StreamStats::framesSkipped] + skippedLater_; }
    /// Of the last block that was taken; null: it brings no sound, or none yet.
    std::shared_ptr<const SoundFormat> soundFormat() const {
        const std::lock_guard lock(passageMutex_);
        return sound_;
    }
    /// Fills in what is counted here. `over`: frames that wait are not taken any more.
    void addTo(StreamStats& stats, bool over) const;

    Counters<StreamStats> counts;
    Recorders<StreamStats> times;  ///< each has a thread that records it

    // For the consumer's waits:
    TimestampNs lastWait = 0;  ///< for the previous frame: tells whether a spin would find the next
    SpinAllowance spins;       ///< for frames that the peer has announced

  private:
    struct Passage {
        TimestampNs captureTime, postTime, latency, wireTime;
        bool clockKnown;
    };

    const TrackId id_;
    const TrackContent content_;
    const std::uint32_t slots_;
    FrameInbox inbox_;
    std::array<TrackRecord, kMaxLanes> records_;
    std::atomic<std::uint64_t> taken_{0};         // out of the inbox
    std::atomic<std::uint64_t> skippedLater_{0};  // by the consumer
    std::atomic<TimestampNs> firstAt_{0}, lastAt_{0};
    std::optional<PictureChanges> passedOver_;  // what changed in those frames since the last one returned
    mutable std::mutex passageMutex_;           // guards what follows, and the recording of the histograms
    std::optional<Passage> passage_;
    std::shared_ptr<const SoundFormat> sound_;  // of the last block taken; shared with those of its epoch
};

}  // namespace verbcast
