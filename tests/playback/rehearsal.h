// A stream's sound, its pictures and a device in virtual time, and an ear that knows what it should hear.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "render/sound/sound_player.h"

namespace verbcast::testing {

/// Hears a sine whose phase tells the media time, and everything that is not that sine.
class Ear {
  public:
    Ear(double frequency, double amplitude, std::uint32_t rate);
    /// `media`: what should be heard with this sample.
    void hear(double sample, double media);
    /// Forgets what it heard.
    void clear();

    double p99() const { return quantile(0.99); }  ///< of the distance from where it should be, in seconds
    double largest() const { return quantile(1); }
    double latest() const { return latest_; }  ///< positive: late
    /// The loudest of what is no part of the sine, as a factor of it: a step of one has about its height.
    double click() const { return click_; }
    std::uint64_t samples() const { return heard_; }
    std::uint64_t silent() const { return silent_; }  ///< samples without the sine

  private:
    double quantile(double fraction) const;

    const double frequency_, amplitude_, angle_;
    double before_[3] = {};  // the newest first
    double media_ = 0;
    std::vector<float> distances_;
    double latest_ = 0, click_ = 0;
    std::uint64_t heard_ = 0, silent_ = 0;
};

/// What is played to it. All times in seconds; ours are true.
struct Scene {
    std::uint32_t rate = 48'000, outputRate = 48'000;
    std::uint16_t channels = 1;
    std::uint32_t outputs = 1;  ///< channels of the device
    std::uint32_t block = 240;  ///< samples
    std::uint32_t fill = 480;   ///< samples
    double frequency = 1000, amplitude = 0.5;
    double mediaPpm = 0;            ///< how fast the sender's clock runs against ours
    double soundPpm = 0;            ///< its sound's clock against that
    double devicePpm = 0;           ///< the device's clock against ours
    double arrival = 0.005;         ///< from the capture of a block's end until it is here
    double arrivalJitter = 0;       ///< up to so much later
    double pictureDelay = 0.06;     ///< from the capture of a picture until it is shown
    double pictureJitter = 0;       ///< up to so much later or earlier
    double picturesPerSecond = 60;  ///< 0: none
    double deviceDelay = 0.015;
    double deviceJitter = 0;  ///< of its account of that, up to so much less or more
    bool holds = false;       ///< pictures are held as the player wants
};

/// Plays a scene. What happens is changed between calls of run().
class Rehearsal {
  public:
    explicit Rehearsal(const Scene& scene);

    /// Goes on for so long.
    void run(double seconds);
    /// The source goes to that media time now; pictures and sound on their way still come.
    void seek(double media);
    /// Blocks that are on their way from now on.
    bool soundFlows = true;
    bool picturesFlow = true;
    bool deviceFills = true;
    /// Instead of the sine: makes the sample of a media time.
    std::function<float(double media)> signal;
    /// Added to the time stamps of sound.
    double stampError = 0;
    /// Blocks lost of a hundred.
    int lossPercent = 0;

    double now() const { return now_; }
    /// The player's, now.
    SoundPlaybackStats stats() const;
    std::chrono::nanoseconds wantedDelay() const;
    /// Pauses the source.
    void pause(bool paused);
    double media() const { return mediaAt(now_); }

    Scene scene;
    SoundPlayer player;
    Ear ear;
    /// The last fill's first channel, and all of it since recording began.
    bool recording = false;
    std::vector<float> recorded;

  private:
    struct Anchor {
        double at, media;
    };
    struct Coming {
        double at = 0, media = 0;
        std::int64_t pts = 0;
        bool follows = true;
        SoundFormat format;
        std::vector<float> samples;
    };
    double mediaAt(double local) const;
    double mediaHeardAt(double local) const;
    void captureSound();
    void capturePicture();
    void arrive();
    void show();
    void fillDevice();
    double jitter(double most) { return std::uniform_real_distribution<double>(0, most)(random_); }

    std::mt19937 random_{1};
    double now_ = 0;
    std::vector<Anchor> anchors_{{0, 0}};  // of the media: it runs on from there
    bool paused_ = false;
    double nextBlock_ = 0, nextPicture_ = 0, nextFill_ = 0.0031;
    bool lost_ = false;
    std::vector<Coming> blocks_, pictures_;  // in order
    double heldNow_ = 0;
    std::vector<float> output_;
};

}  // namespace verbcast::testing
