// Chooses whose sound a mosaic sends, while it runs.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

#include "app/commands/compose/mosaic/sound/audio_from.h"
#include "app/commands/compose/mosaic/sound/sound_mix.h"

namespace verbcast {

/// The thread that draws says what there is; another one takes blocks.
class SoundDesk {
  public:
    using Inputs = SoundMix::Inputs;

    /// `pictureDelay`: see InputSound.
    SoundDesk(const mosaic::AudioFrom& from, std::chrono::nanoseconds pictureDelay);

    /// Of one of the inputs that follow; this must outlive it.
    std::shared_ptr<InputSound> open() const { return std::make_shared<InputSound>(news_, pictureDelay_); }

    // From the thread that draws:
    void choose(const mosaic::AudioFrom& from);
    /// In the order of their numbers. `focus` may be beyond them. The input that was chosen stays chosen when
    /// its number changes, and hands over to the one in focus when it is gone.
    void show(Inputs inputs, std::size_t focus);
    /// The mosaic's picture of time `media` (seconds) was drawn `at`, and what it shows has been told.
    void pictureDrawn(double media, TimestampNs at);

    // From the thread that takes blocks:
    /// Readable when there may be a block.
    const Event& news() const { return news_; }
    /// False: there is none yet.
    bool next(PlacedSound& block);

  private:
    struct Scene {
        mosaic::AudioFrom from;
        Inputs inputs{};
        std::size_t focus = 0;
        double media = 0;  // of the last picture
        TimestampNs drawnAt = 0;
    };
    Scene scene() const;
    static std::shared_ptr<InputSound> chosen(const Scene& scene);
    bool nextOf(const Scene& scene, double now, PlacedSound& block);

    const std::chrono::nanoseconds pictureDelay_;
    const Event news_;
    mutable std::mutex mutex_;  // guards scene_
    Scene scene_;
    // Of the thread that takes:
    SoundMix mix_;
    std::shared_ptr<InputSound> last_;  // null: the mix, or nobody
    double begin_ = 0, end_ = 0;        // of what was sent of it, in seconds
};

}  // namespace verbcast
