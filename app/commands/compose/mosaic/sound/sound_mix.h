// The sound of all inputs of a mosaic at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/commands/compose/mosaic/sound/input_sound.h"
#include "render/sound/sound_player.h"

namespace verbcast {

/// The sum of all inputs, in stereo at 48 kHz. Each input is played by a SoundPlayer whose device is this
/// mix, in the mosaic's time: it resamples by a ratio that follows the input's clock, mixes its channels down
/// as their layout says, and fades what begins and ends. A block is made as soon as the sound of its time has
/// come from all inputs; one that has stalled is waited for no longer than its sound is early. Used by one
/// thread.
class SoundMix {
  public:
    using Inputs = std::vector<std::shared_ptr<InputSound>>;  ///< shared with who has their sound
    /// The next block; `now`: seconds on the mosaic's time line. False: there is none yet.
    bool next(const Inputs& inputs, double now, PlacedSound& block);

  private:
    struct Part {
        explicit Part(std::shared_ptr<InputSound> its) : input(std::move(its)) {}

        std::shared_ptr<InputSound> input;
        SoundPlayer player{};
        std::optional<double> until{};  // seconds, of what has come
        double margin = 0;              // seconds of it that are only played when more comes
        double cameAt = 0;              // seconds
    };
    void follow(const Inputs& inputs);
    void gather(Part& part, double now);
    std::optional<double> readyUntil(double now) const;
    void play(Part& part, std::vector<float>& sum);

    std::vector<std::unique_ptr<Part>> parts_;
    std::int64_t next_ = 0;  // where the next block begins, in samples
    PlacedSound arrived_;
    std::vector<float> interleaved_;  // of one part
};

}  // namespace verbcast
