// Reads queued sound from the media time that it is told, without clicks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "render/sound/channel_map.h"
#include "render/sound/sound_queue.h"
#include "render/sound/sound_resampler.h"

namespace verbcast {

/// Before each stretch of reading it is told which media time should be heard. It reads runs (QueuedBlock)
/// from there on. Whatever ends or begins (a run, what has arrived so far, a jump to another time, a pause)
/// fades over 2.5 ms of real samples: so the last 2.5 ms of what has arrived are only played when more comes.
/// In between there is silence, until sound for the time that should be heard is there; sound is never read
/// again. Used by the device's thread, without locks or allocation.
class SoundReader final : public SampleSource {
  public:
    /// Of what has arrived that much is only played when more has.
    static constexpr double kFadeSeconds = 0.0025;
    static constexpr double kResync = 0.1;  ///< seconds

    explicit SoundReader(SoundQueues& queues) : queues_(queues) {}

    /// How many channels read() is asked for.
    void setOutputs(std::uint32_t outputs) noexcept;
    /// Moves on to a new format, once the old one has been played or is no longer wanted and its last samples
    /// have left the resampler, which is then to be reset. Returns whether it did.
    bool changeFormat() noexcept;

    struct Aim {
        double media = 0;          ///< should be heard with the next frame that is read
        std::uint64_t frames = 0;  ///< about as many will be read before the next aim
        bool silent = false;       ///< play nothing
        double most = kResync;     ///< an error beyond that is ended by a jump
    };
    /// Seconds by which the next frame is late, if it plays and is to go on. A jump by more than kResync is a
    /// resync.
    std::optional<double> aim(const Aim& aim) noexcept;
    void read(std::span<float> samples, std::uint32_t channels) noexcept override;

    bool playing() const { return level_ > 0; }
    double period() const { return period_; }  ///< seconds of media for each frame
    /// Frames of a second of the stream, nominally; 0 without a stream.
    std::uint32_t rate() const { return queue_ != nullptr ? queue_->format().rate : 0; }
    /// Media time of what should be heard with the next frame, as last told.
    double target() const { return target_; }
    /// Where the sound ends that has arrived; nullopt: there is none of this format, or already another one.
    std::optional<double> end() const noexcept;
    double buffered() const noexcept;  ///< seconds that have arrived and have not been read
    std::uint64_t arrivedBlocks() const { return known_; }

    /// From any thread.
    std::uint64_t resyncs() const { return resyncs_.load(std::memory_order_relaxed); }
    std::uint64_t underruns() const { return underruns_.load(std::memory_order_relaxed); }
    /// From any thread: the largest sample of each channel that has been read since the last call.
    std::vector<float> takePeaks();

  private:
    struct Place {
        std::uint64_t block, frame;
    };
    struct Search {
        std::optional<Place> place;  // of the newest sound of that time
        double wait = 0;             // else: seconds until the first sound comes; infinite if none
    };
    Search find(const SoundQueue& queue, double media, std::uint64_t oldest) const noexcept;
    bool elsewhere() const noexcept;
    void discardOverflow() noexcept;
    std::uint64_t silence(std::uint64_t frames) noexcept;
    void start(const Place& place) noexcept;
    void learnRun() noexcept;
    void playFrame(std::span<float> output) noexcept;
    const QueuedBlock& newest() const noexcept;

    SoundQueues& queues_;
    SoundQueue* queue_ = nullptr;
    ChannelMap map_;
    std::uint32_t outputs_ = 0;
    std::uint64_t fade_ = 1;  // frames

    std::uint64_t known_ = 0;              // blocks that had arrived when it was aimed
    std::uint64_t block_ = 0, frame_ = 0;  // the next one; block_ is known_ at the end of what has arrived
    QueuedBlock run_;                      // the block of frame_, or the last one before
    std::uint64_t runEnd_ = 0;
    bool runGoesOn_ = false;  // for all that is known: nothing after it has arrived

    double target_ = 0;  // media time to be heard with the next frame
    double period_ = 1.0 / 48'000;
    std::uint64_t wanted_ = 0;  // frames until the next aim
    bool silent_ = true;
    std::uint64_t level_ = 0;  // of fade_
    bool leaving_ = false;     // fades out to go elsewhere
    bool ranDry_ = false;
    double quiet_ = 0;  // seconds of silence

    std::array<std::atomic<float>, kMaxSoundChannels> peaks_{};
    std::atomic<std::uint16_t> channels_{0};
    std::atomic<std::uint64_t> resyncs_{0}, underruns_{0};
};

}  // namespace verbcast
