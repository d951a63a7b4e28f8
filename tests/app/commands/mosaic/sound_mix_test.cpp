// The sum of inputs with clocks, rates and channels of their own.
#include "app/commands/compose/mosaic/sound/sound_mix.h"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/app/commands/mosaic/loudness.h"

namespace verbcast::testing {
namespace {

/// A sine that is sent in blocks of 5 ms, 50 ms ahead of its pictures, which are shown 0.1 s later.
class Tone {
  public:
    Tone(SoundFormat format, double hertz, const Event& news)
        : input(std::make_shared<InputSound>(news, std::chrono::nanoseconds(0))),
          format_(format),
          hertz_(hertz) {}

    void play(double now, double speed = 1) {
        input->pictureDrawn(now * speed - 0.1, now);
        while (format_.secondsOf(next_) < now * speed - 0.05) {
            std::vector<float> planar(std::size_t{format_.channels} * format_.maxSamples);
            for (std::size_t i = 0; i < planar.size(); ++i) {
                const auto at = next_ + static_cast<std::int64_t>(i % format_.maxSamples);
                planar[i] = 0.25F * static_cast<float>(
                                        std::sin(2 * std::numbers::pi * hertz_ * format_.secondsOf(at)));
            }
            input->put(format_, next_, planar, true, 0);
            next_ += format_.maxSamples;
        }
    }

    const std::shared_ptr<InputSound> input;

  private:
    const SoundFormat format_;
    const double hertz_;
    std::int64_t next_ = 0;
};

class SoundMixTest : public ::testing::Test {
  protected:
    /// Takes what there is at that time.
    void take(double now) {
        PlacedSound block;
        while (mix_.next({mono_.input, stereo_.input}, now, block)) {
            ASSERT_EQ(block.format.rate, 48'000U);
            ASSERT_EQ(block.format.channels, 2U);
            if (end_ != 0) {
                ASSERT_EQ(block.pts, end_) << now;
            }
            end_ = block.pts + block.samples();
            const auto half = static_cast<std::ptrdiff_t>(block.planar.size() / 2);
            left_.insert(left_.end(), block.planar.begin(), block.planar.begin() + half);
            right_.insert(right_.end(), block.planar.begin() + half, block.planar.end());
        }
    }
    /// Of the last half second.
    std::span<const float> last(const std::vector<float>& samples) const {
        return std::span(samples).last(24'000);
    }

    const Event news_;
    Tone mono_{{.rate = 44'100, .channels = 1, .maxSamples = 220}, 440, news_};
    Tone stereo_{{.rate = 48'000, .channels = 2, .maxSamples = 240}, 1000, news_};
    SoundMix mix_;
    std::vector<float> left_, right_;
    std::int64_t end_ = 0;
};

TEST_F(SoundMixTest, HoldsAllInputsWithoutABreak) {
    for (int i = 0; i < 400; ++i) {
        mono_.play(0.005 * i);
        stereo_.play(0.005 * i, 1.0002);
        take(0.005 * i);
    }
    for (const auto* side : {&left_, &right_}) {
        ASSERT_GT(side->size(), 80'000U);
        EXPECT_NEAR(amplitudeOf(440, last(*side), 48'000), 0.25, 0.003);
        EXPECT_NEAR(amplitudeOf(1000, last(*side), 48'000), 0.25, 0.01);
        EXPECT_NEAR(amplitudeOf(700, last(*side), 48'000), 0, 0.003);
    }
    // Where the pictures are that belong to it: 0.1 s later than it began.
    const double phase = std::remainder(static_cast<double>(end_ - 24'000) / 48'000 - 0.1, 1.0 / 440);
    std::vector<float> difference(24'000);
    for (std::size_t i = 0; i < difference.size(); ++i) {
        const double time = phase + static_cast<double>(i) / 48'000;
        difference[i] =
            last(left_)[i] - 0.25F * static_cast<float>(std::sin(2 * std::numbers::pi * 440 * time));
    }
    EXPECT_LT(amplitudeOf(440, difference, 48'000), 0.03);
}

TEST_F(SoundMixTest, GoesOnWithoutAnInputThatVanishes) {
    for (int i = 0; i < 400; ++i) {
        mono_.play(0.005 * i);
        if (i < 150) {
            stereo_.play(0.005 * i);
        }
        take(0.005 * i);
    }
    EXPECT_NEAR(static_cast<double>(end_) / 48'000, 2.02, 0.03);
    EXPECT_NEAR(amplitudeOf(440, last(left_), 48'000), 0.25, 0.003);
    EXPECT_NEAR(amplitudeOf(1000, last(left_), 48'000), 0, 0.003);
}

}  // namespace
}  // namespace verbcast::testing
