// The test tone: when it sounds, in which channels, and at which frequency.
#include "capture/sound/tone_sound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <span>

#include "tests/capture/sound/heard.h"

namespace verbcast::testing {
namespace {

std::vector<float> channelOf(const Heard& heard, std::size_t channel, std::size_t channels) {
    std::vector<float> samples;
    samples.reserve(heard.samples.size() / channels);
    for (std::size_t i = channel; i < heard.samples.size(); i += channels) {
        samples.push_back(heard.samples[i]);
    }
    return samples;
}

/// The frequency in steps of 25 Hz at which the samples' spectrum is highest.
double loudestFrequency(std::span<const float> samples, double rate) {
    double loudest = 0, found = 0;
    for (int hertz = 50; hertz < 4000; hertz += 25) {
        std::complex<double> sum;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const double turns = hertz * static_cast<double>(i) / rate;
            sum += std::polar(static_cast<double>(samples[i]), -2 * std::numbers::pi * turns);
        }
        if (std::abs(sum) > loudest) {
            loudest = std::abs(sum);
            found = hertz;
        }
    }
    return found;
}

float peakOf(std::span<const float> samples) {
    float peak = 0;
    for (const float sample : samples) {
        peak = std::max(peak, std::abs(sample));
    }
    return peak;
}

struct ToneCase {
    std::uint32_t rate;
    std::uint16_t channels;
};

class ToneSounds : public ::testing::TestWithParam<ToneCase> {};

TEST_P(ToneSounds, PipsAtEachSecondAndNamesAChannelBetween) {
    const auto [rate, channels] = GetParam();
    ToneSound tone(rate, channels);
    const std::size_t seconds = channels + 1U;
    const Heard heard = hear(tone, static_cast<std::int64_t>(seconds * rate));
    ASSERT_EQ(heard.runs.size(), 1U);
    EXPECT_EQ(heard.runs.front().at, 0);
    const std::size_t pip = (std::size_t{rate} * 4 + 999) / 1000, half = rate / 2, identity = rate / 10;
    for (std::size_t channel = 0; channel < channels; ++channel) {
        const std::vector<float> all = channelOf(heard, channel, channels);
        for (std::size_t second = 0; second < seconds; ++second) {
            SCOPED_TRACE("channel " + std::to_string(channel) + ", second " + std::to_string(second));
            const std::span<const float> samples(all.data() + second * rate, rate);
            EXPECT_NEAR(20 * std::log10(peakOf(samples.first(pip))), -12, 0.3);
            EXPECT_NEAR(loudestFrequency(samples.first(pip), rate), 1000, 25);
            EXPECT_EQ(samples[0], 0);  // phase 0
            EXPECT_NE(samples[1], 0);
            EXPECT_NE(samples[pip - 2], 0);
            EXPECT_EQ(peakOf(samples.subspan(pip, half - pip)), 0);
            const auto named = samples.subspan(half, identity);
            if (second % channels == channel) {
                EXPECT_NEAR(20 * std::log10(peakOf(named)), -24, 0.3);
                EXPECT_NEAR(loudestFrequency(named, rate), 400, 25);
            } else {
                EXPECT_EQ(peakOf(named), 0);
            }
            EXPECT_EQ(peakOf(samples.subspan(half + identity)), 0);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, ToneSounds,
                         ::testing::Values(ToneCase{48000, 2}, ToneCase{44100, 1}, ToneCase{8000, 6}),
                         [](const auto& test) {
                             return std::to_string(test.param.rate) + "Hz" +
                                    std::to_string(test.param.channels);
                         });

// A click is energy where a pip of 4 ms has none: its window keeps what is 8 kHz and more away 60 dB down.
TEST(ToneSound, DoesNotClick) {
    ToneSound tone(96000, 1);
    const Heard heard = hear(tone, 480);
    const auto levelAt = [&](double hertz) {
        std::complex<double> sum;
        for (std::size_t i = 0; i < heard.samples.size(); ++i) {
            sum += std::polar<double>(heard.samples[i],
                                      -2 * std::numbers::pi * hertz * static_cast<double>(i) / 96000);
        }
        return std::abs(sum);
    };
    for (double hertz = 9000; hertz < 40000; hertz += 125) {
        EXPECT_LT(20 * std::log10(levelAt(hertz) / levelAt(1000)), -60) << hertz;
    }
}

TEST(ToneSound, DependsOnItsTimeOnly) {
    ToneSound whole(48000, 2);
    const Heard heard = hear(whole, 2 * 48000);
    ToneSound tone(48000, 2, std::chrono::milliseconds(10));
    EXPECT_EQ(tone.format().maxSamples, 480);
    for (const int milliseconds : {1999, 1001, 1000, 500, 0}) {
        SCOPED_TRACE(milliseconds);
        tone.seek(std::chrono::milliseconds(milliseconds));
        const Heard part = hear(tone, 480);
        ASSERT_EQ(part.runs.front().at, milliseconds * 48);
        const auto compared = static_cast<std::ptrdiff_t>(std::min<std::size_t>(48 * 2, part.samples.size()));
        EXPECT_TRUE(std::equal(part.samples.begin(), part.samples.begin() + compared,
                               heard.samples.begin() + std::ptrdiff_t{milliseconds} * 48 * 2));
    }
}

TEST(ToneSound, RefusesWhatCannotBeSent) {
    for (const ToneCase& wrong : {ToneCase{1, 2}, {7999, 2}, {192001, 2}, {48000, 0}, {48000, 65}}) {
        try {
            const ToneSound tone(wrong.rate, wrong.channels);
            ADD_FAILURE() << wrong.rate << " Hz, " << wrong.channels << " channels";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
        }
    }
    EXPECT_EQ(ToneSound(192000, 64).format().bytes(1), 256U);
}

}  // namespace
}  // namespace verbcast::testing
