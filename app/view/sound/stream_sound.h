// The sound of one stream, as a viewer plays it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/view/sound/sound_thread.h"
#include "app/view/view_options.h"
#include "core/stats/sound_stats.h"
#include "render/sound/sound_output.h"
#include "render/sound/sound_player.h"

namespace verbcast {

struct SoundControls {
    double volume = 100;  ///< per cent, as mixers show it: a quarter of the loudness at half of it
    bool muted = false;
    bool audible = true;  ///< false: another stream sounds
    bool paused = false;  ///< pictures are
    bool holds = true;    ///< pictures may wait for their sound

    friend bool operator==(const SoundControls&, const SoundControls&) = default;
};

/// Those that the options ask for.
inline SoundControls soundControls(const ViewOptions& options) {
    return {.volume = options.volume, .muted = options.muted};
}

/// Opens the device on a thread of its own, once sound has come that is to be heard, and again for sound of
/// more channels or a higher rate. A device that is not there is logged once, and nothing else is affected.
class StreamSound {
  public:
    using Open = std::function<std::unique_ptr<SoundOutput>(const SoundOutputOptions&, SoundFiller&)>;

    explicit StreamSound(const ViewOptions& options, Open open = openSoundOutput);

    /// From the thread that takes the sound.
    void put(const ArrivedSound& sound);
    /// From the thread that shows pictures: this one became visible at `at`.
    void pictureShown(const ReceivedFrame& frame, TimestampNs at);

    // From any thread:
    void control(const SoundControls& controls);
    /// How much later than they could be pictures are to be shown; 0 while nothing is played.
    TimestampNs hold() const;
    /// Returns nullopt before the device was asked for.
    std::optional<SoundPlaybackStats> stats() const;
    /// See SoundPlayer.
    std::vector<float> takePeaks() { return player_.takePeaks(); }

  private:
    void want(const SoundFormat& format);
    void openWanted();
    void open(const SoundOutputOptions& wanted);

    const Open open_;
    SoundPlayer player_;
    std::atomic<bool> audible_{true}, holds_{true}, muted_{false};
    std::atomic<TimestampNs> heldFor_{0};             // the last picture
    std::atomic<bool> asked_{false};                  // for the device
    std::shared_ptr<const VideoFormat> shownFormat_;  // of the last picture; of the thread that shows
    mutable std::mutex mutex_;                        // guards the members below
    SoundOutputOptions wanted_;                       // written by the thread that takes the sound
    bool isWanted_ = false;                           // what is open, or being opened, is not enough
    bool opens_ = false;
    std::unique_ptr<SoundOutput> output_;
    std::string problem_;
    std::jthread opening_;  // last: it uses everything above
};

}  // namespace verbcast
