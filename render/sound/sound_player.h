// Plays received sound in step with the pictures.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/os/clock.h"
#include "core/sound/sound_format.h"
#include "core/stats/histogram.h"
#include "core/stats/sound_stats.h"
#include "render/sound/delay_locked_loop.h"
#include "render/sound/latency_need.h"
#include "render/sound/media_tie.h"
#include "render/sound/newest_value.h"
#include "render/sound/phase_loop.h"
#include "render/sound/sound_intake.h"
#include "render/sound/sound_output.h"
#include "render/sound/sound_queue.h"
#include "render/sound/sound_reader.h"
#include "render/sound/sound_resampler.h"

namespace verbcast {

/// Three threads meet here: one puts sound, one tells when pictures are shown, and the device's fills. Each
/// fill() asks which media time should be heard, by the pictures (MediaTie) and the device (DelayLockedLoop),
/// and where reading stands (SoundReader, SoundResampler). From the clocks' rates follows the ratio of
/// resampling, and an offset that is left is pulled to 0 (PhaseLoop).
///
/// All sound passes the resampler, even where no clock drifts: what is played is not bit-exact. It is limited
/// to full scale. ChannelMap says which channels are heard where.
///
/// What is heard:
/// - What is lost or comes too late is silence of that length. Every end and beginning fades over 2.5 ms.
/// - After a seek or in a loop, the sound from before goes on until the pictures are on the other side.
/// - If both pictures and sound stop for 100 ms, as when the source is paused, it stops, too, and goes on
/// with
///   the pictures.
/// - Without pictures, sound is tied to its arrival: once there were none for half a second, nor sound for
///   where they would be.
/// - If sound comes too late for the pictures, it is played later by as much (up to 250 ms) until the
/// pictures
///   are held for wantedDelay().
/// - Half a second after sound has begun with the pictures, and a second later, what is left of an error of
/// more
///   than 3 ms is ended by a jump: of the first pictures, some are late.
/// - A change of rate or channels is heard as a pause of some 15 ms, or one more fill.
///
/// No clock is read: all times are of the caller's CLOCK_MONOTONIC.
class SoundPlayer final : public SoundFiller {
  public:
    SoundPlayer();
    ~SoundPlayer() override;

    /// From the thread that receives the sound: a block as SoundFormat describes it, that arrived then.
    /// `follows`: no block was lost before it. A time stamp that is more than 20 ms from where it should be
    /// is another time. What makes no sense is dropped.
    void put(const SoundFormat& format, std::int64_t pts, bool follows, std::span<const float> planar,
             TimestampNs arrivedAt) {
        intake_.put(format, pts, follows, planar, arrivedAt);
    }

    /// From the thread that shows pictures: one of that media time becomes visible at `shownAt`. `held`: that
    /// much later than it could have been, because of wantedDelay(); included in `shownAt`.
    void pictureShown(double mediaSeconds, TimestampNs shownAt, TimestampNs held = 0);

    /// Allocates when the output's channels are not those of the last call.
    void fill(std::span<float> samples, std::uint32_t channels, std::uint32_t rate,
              TimestampNs heardAt) noexcept override;

    // From any thread.
    /// 0 to 1, a factor. Changes take 20 ms, as with setMuted().
    void setVolume(double volume);
    void setMuted(bool muted) { muted_ = muted; }
    /// The viewer's own pause: silence, and sound that comes meanwhile is not kept.
    void setPaused(bool paused) { paused_ = paused; }
    /// How much later than its pictures sound is to be heard; negative: earlier.
    void setOffset(std::chrono::nanoseconds offset) { avOffset_ = offset.count(); }
    /// nullopt: as late as sound needs to be.
    void setBudget(std::optional<std::chrono::nanoseconds> budget);
    /// For how long pictures should be held so that the sound that belongs to them has arrived, and the
    /// device has had time to play it: learned from the last 30 s, or the budget. 0 if sound is early enough,
    /// before any is played, or while the device is gone: without a fill() for half a second before `now`.
    /// Does not depend on for how long they are held now.
    std::chrono::nanoseconds wantedDelay(TimestampNs now) const {
        return std::chrono::nanoseconds(plays(now) ? wantedDelay_.load() : 0);
    }

    /// Without what the output and whoever shows pictures know.
    SoundPlaybackStats stats(TimestampNs now) const;
    /// The distance of offsetMs from 0, while it sounded.
    LatencyHistogram offsets() const { return offsets_.snapshot(); }
    /// The largest sample of each of the stream's channels that was played since the last call, before volume
    /// and mute. Empty before there is sound.
    std::vector<float> takePeaks() { return reader_.takePeaks(); }

  private:
    static constexpr TimestampNs kDeviceGone = 500'000'000;
    struct Pictures {
        MediaTie tie;
        double held = 0;
    };
    struct Heard {
        double at = 0;  // when the first sample of a fill will be, smoothed
        std::uint32_t frames = 0;
    };
    bool plays(TimestampNs now) const { return elapsedNs(filledFor_, now) < kDeviceGone; }
    bool openResampler(std::uint32_t channels) noexcept;
    Heard followDevice(std::uint32_t frames, std::uint32_t rate, TimestampNs heardAt) noexcept;
    void followTies(double heard) noexcept;
    void chooseDelay() noexcept;
    double mostError(double heard) noexcept;
    bool standsStill(double heard) const noexcept;
    double mediaHeardAt(double local) const noexcept;
    double mediaToRead(double heardAt) const noexcept;
    const MediaTie& tie() const { return byPictures_ ? pictures_.tie : arrivals_; }
    double ratio(const Heard& heard, std::uint32_t rate) noexcept;
    void learnNeed(const Heard& heard) noexcept;
    void applyVolume(std::span<float> samples, std::uint32_t channels, std::uint32_t rate) noexcept;

    // Between threads.
    SoundQueues queues_;
    SoundIntake intake_{queues_};
    Pictures shown_;  // of the thread that shows
    NewestValue<Pictures> newestShown_;
    std::atomic<double> volume_{1};
    std::atomic<bool> muted_{false}, paused_{false};
    std::atomic<TimestampNs> avOffset_{0};
    std::atomic<TimestampNs> budget_{-1};  // negative: auto
    std::atomic<TimestampNs> wantedDelay_{0};
    std::atomic<TimestampNs> filledFor_{0};  // when the last fill() is heard
    std::atomic<bool> sounding_{false};
    std::atomic<double> offsetMs_{0}, driftPpm_{0}, bufferedMs_{0};
    LatencyRecorder offsets_;

    // Of the device's thread.
    SoundReader reader_{queues_};
    std::unique_ptr<SoundResampler> resampler_;
    DelayLockedLoop device_;  // counts frames
    std::uint32_t deviceRate_ = 0, lastFrames_ = 0;
    Pictures pictures_;
    MediaTie arrivals_;
    double pictureAt_ = 0, arrivalAt_ = 0, soundAt_ = 0;  // heard when there last was one
    bool byPictures_ = true;                              // else by arrivals_
    bool beginsAnew_ = false;  // the device or what ties is another since the last fill
    double delay_ = 0;         // from the tie to hearing
    double lateness_ = 0;      // how much of it the pictures do not have
    PhaseLoop phase_;
    double tiedAt_ = 0;        // heard then
    std::uint64_t steps_ = 0;  // of the tie until then
    std::size_t looks_ = 0;    // at what is left of the first error since then
    LatencyNeed need_;
    std::uint64_t arrivedBlocks_ = 0;
    float gain_ = 1;
};

}  // namespace verbcast
