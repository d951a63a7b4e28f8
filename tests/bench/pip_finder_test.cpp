// Pips of the real test tone, louder, fainter, in noise and with sound missing.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "app/bench/av/pip_finder.h"
#include "capture/sound/tone_sound.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;
constexpr TimestampNs kBeginning = 1'234'567'891;

struct Sound {
    std::uint32_t rate = 48'000;
    std::uint16_t channels = 2;
    double seconds = 3.1;
    std::function<float(float sample, std::int64_t at)> change = [](float sample, std::int64_t) {
        return sample;
    };
    std::function<TimestampNs(TimestampNs at)> time = [](TimestampNs at) { return at; };
};

struct Heard {
    PipFinder finder;
    std::vector<TimestampNs> pips;
};

/// The test tone as a device would play it, with changes.
Heard hear(const Sound& sound) {
    Heard heard;
    ToneSound tone(sound.rate, sound.channels, std::chrono::milliseconds(3));
    CapturedSound block;
    const auto end = static_cast<std::int64_t>(sound.seconds * sound.rate);
    while (tone.read(block) == Status::Ok && block.at < end) {
        const std::size_t count = block.samples.size() / sound.channels;
        for (std::size_t i = 0; i < block.samples.size(); ++i) {
            block.samples[i] =
                sound.change(block.samples[i], block.at + static_cast<std::int64_t>(i % count));
        }
        block.capturedAt = sound.time(kBeginning + block.at * kSecond / sound.rate);
        heard.finder.put(tone.format(), block, heard.pips);
    }
    return heard;
}

/// One at each of these whole seconds.
void expectPips(const Heard& heard, const std::vector<std::int64_t>& seconds, TimestampNs tolerance) {
    ASSERT_EQ(heard.pips.size(), seconds.size());
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(heard.pips[i]),
                    static_cast<double>(kBeginning + seconds[i] * kSecond), static_cast<double>(tolerance));
    }
}

TEST(PipFinder, FindsEachPipToTheSampleAtAnyRate) {
    for (const std::uint32_t rate : {44'100U, 48'000U, 96'000U}) {
        for (const std::uint16_t channels : {std::uint16_t{1}, std::uint16_t{6}}) {
            SCOPED_TRACE(rate);
            const Heard heard = hear({.rate = rate, .channels = channels});
            expectPips(heard, {0, 1, 2, 3}, 5'000);
            // The first sample of a sine is 0.
            ASSERT_TRUE(heard.finder.firstSound().has_value());
            EXPECT_NEAR(static_cast<double>(*heard.finder.firstSound() - kBeginning), 0, 300'000);
        }
    }
}

TEST(PipFinder, LoudnessDoesNotMatter) {
    for (const float gain : {0.01F, 0.3F, 3.9F}) {
        SCOPED_TRACE(gain);
        expectPips(hear({.change = [gain](float sample, std::int64_t) { return sample * gain; }}),
                   {0, 1, 2, 3}, 5'000);
    }
}

TEST(PipFinder, NoiseMovesAPipByLessThanATenthOfAMillisecond) {
    std::minstd_rand random;
    std::uniform_real_distribution<float> noise(-0.02F, 0.02F);
    expectPips(hear({.change = [&](float sample, std::int64_t) { return sample + noise(random); }}),
               {0, 1, 2, 3}, 100'000);
}

TEST(PipFinder, OtherSoundIsNoPip) {
    std::minstd_rand random;
    std::uniform_real_distribution<float> noise(-0.5F, 0.5F);
    EXPECT_TRUE(hear({.change = [&](float, std::int64_t) { return noise(random); }}).pips.empty());
    const auto steady = [](float, std::int64_t at) {
        return static_cast<float>(0.25 *
                                  std::sin(2 * std::numbers::pi * 1000 * static_cast<double>(at) / 48'000));
    };
    // Its beginning is none either.
    EXPECT_TRUE(hear({.change = steady}).pips.empty());
    const Heard silence = hear({.change = [](float, std::int64_t) { return 0.0F; }});
    EXPECT_TRUE(silence.pips.empty());
    EXPECT_FALSE(silence.finder.firstSound().has_value());
}

TEST(PipFinder, MissingSoundMovesNoLaterPip) {
    constexpr TimestampNs kMissing = 40'000'000;
    const Heard heard =
        hear({.time = [](TimestampNs at) { return at - kBeginning < kSecond * 3 / 2 ? at : at + kMissing; }});
    ASSERT_EQ(heard.pips.size(), 4U);
    EXPECT_NEAR(static_cast<double>(heard.pips[1] - kBeginning - kSecond), 0, 5'000);
    EXPECT_NEAR(static_cast<double>(heard.pips[2] - kBeginning - 2 * kSecond - kMissing), 0, 5'000);
}

}  // namespace
}  // namespace verbcast::testing
