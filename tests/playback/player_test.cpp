// What happens to a stream, and what is heard then.
#include "render/sound/sound_player.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "rehearsal.h"

namespace verbcast::testing {
namespace {

/// The source's media time before and after something tells what is heard: 0.5 and -0.5.
void playSteps(Rehearsal& rehearsal, double boundary) {
    rehearsal.signal = [boundary](double media) { return media < boundary ? 0.5F : -0.5F; };
}

/// That of a tone of 1 kHz, and some for fades.
constexpr double kTone = 0.5 * 0.0172 * 1.05;

double maxSecondDifference(const std::vector<float>& samples) {
    double largest = 0;
    for (std::size_t i = 2; i < samples.size(); ++i) {
        largest = std::max(largest, std::abs(double{samples[i]} - 2 * samples[i - 1] + samples[i - 2]));
    }
    return largest;
}

/// Seconds of recording until the first or last sample of that sign; negative if there is none.
double firstOf(const Rehearsal& rehearsal, float sign) {
    const auto& samples = rehearsal.recorded;
    const auto at = std::ranges::find_if(samples, [sign](float sample) { return sample * sign > 0.1F; });
    return at == samples.end() ? -1 : static_cast<double>(at - samples.begin()) / rehearsal.scene.outputRate;
}
double lastOf(const Rehearsal& rehearsal, float sign) {
    const auto& samples = rehearsal.recorded;
    for (std::size_t i = samples.size(); i-- > 0;) {
        if (samples[i] * sign > 0.1F) {
            return static_cast<double>(i) / rehearsal.scene.outputRate;
        }
    }
    return -1;
}

/// A jump of both pictures and sound between media times around 100.
void expectCleanJump(double from, double to) {
    Rehearsal rehearsal({});
    playSteps(rehearsal, 100);
    const float oldSign = from < 100 ? 1 : -1;
    rehearsal.seek(from);
    rehearsal.run(3);
    rehearsal.recording = true;
    rehearsal.seek(to);
    rehearsal.run(2);
    // What is recorded first is heard in 15 ms; the first new picture is seen in 60 to 77 ms, and what the
    // device is filled with after that is heard 15 ms later.
    const double lastOld = lastOf(rehearsal, oldSign), firstNew = firstOf(rehearsal, -oldSign);
    EXPECT_GT(lastOld, 0.03);
    EXPECT_LT(lastOld, 0.08) << "old sound with new pictures";
    EXPECT_GT(firstNew, lastOld);
    EXPECT_LT(firstNew, 0.062 + 0.01 + 0.015 + 0.003);
    EXPECT_LT(maxSecondDifference(rehearsal.recorded), 0.001);
    EXPECT_LT(std::abs(rehearsal.stats().offsetMs), 1);
    EXPECT_EQ(rehearsal.stats().underruns, 0U);
}

TEST(SoundPlayer, LeavesOldSoundWithThePicturesAfterSeeksAndLoops) {
    expectCleanJump(50, 150);        // forwards
    expectCleanJump(150, 50);        // back
    expectCleanJump(150, 0);         // a loop
    expectCleanJump(50, 86400 * 2);  // days
    expectCleanJump(96.8, 100.1);    // a little
}

TEST(SoundPlayer, StartsWithThePicturesInStep) {
    double earliest = 1, latest = -1;
    for (int start = 0; start < 20; ++start) {
        Scene scene;
        scene.block = 100 + static_cast<std::uint32_t>(start) * 17;
        scene.pictureDelay = 0.06 + 0.0007 * start;
        Rehearsal rehearsal(scene);
        rehearsal.run(scene.pictureDelay + 0.1);
        EXPECT_TRUE(rehearsal.stats().sounding) << "0.1 s after the first picture";
        rehearsal.run(1);
        earliest = std::min(earliest, rehearsal.ear.latest());
        latest = std::max(latest, rehearsal.ear.latest());
    }
    EXPECT_LT(latest - earliest, 0.001);
    EXPECT_LT(std::max(std::abs(earliest), std::abs(latest)), 0.001);
}

TEST(SoundPlayer, IsSoonInStepThoughTheFirstPicturesAreLate) {
    Scene scene;
    scene.pictureDelay = 0.1;  // shaders, textures
    Rehearsal rehearsal(scene);
    rehearsal.run(0.2);
    EXPECT_TRUE(rehearsal.stats().sounding);
    rehearsal.scene.pictureDelay = 0.06;
    rehearsal.run(2.3);
    EXPECT_LT(std::abs(rehearsal.ear.latest()), 0.004);
    EXPECT_LT(rehearsal.ear.click(), kTone) << "it fades";
    rehearsal.run(2);
    rehearsal.ear.clear();
    rehearsal.run(2);
    EXPECT_LT(rehearsal.ear.largest(), 0.003);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
    EXPECT_EQ(rehearsal.stats().resyncs, 0U);
}

TEST(SoundPlayer, FollowsPicturesThatAreShownLaterFromNowOnWithoutOvershoot) {
    Scene scene;
    scene.rate = scene.outputRate = 8000;
    scene.block = 40;
    scene.fill = 160;
    scene.frequency = 10;
    scene.pictureJitter = 0.002;
    scene.devicePpm = 200;
    Rehearsal rehearsal(scene);
    rehearsal.run(30);
    rehearsal.scene.pictureDelay += 0.01;
    rehearsal.run(4);
    EXPECT_NEAR(rehearsal.ear.latest(), 0, 0.003) << "positive: late";
    rehearsal.run(1);
    rehearsal.ear.clear();
    rehearsal.run(30);
    EXPECT_LT(rehearsal.ear.largest(), 0.002);
    EXPECT_LT(rehearsal.ear.click(), 0.001);
}

TEST(SoundPlayer, JoinsALongRunningStream) {
    Rehearsal rehearsal({});
    rehearsal.seek(1e6);
    rehearsal.soundFlows = false;
    rehearsal.run(5);
    EXPECT_FALSE(rehearsal.stats().sounding);
    rehearsal.soundFlows = true;
    rehearsal.run(1);
    rehearsal.ear.clear();
    rehearsal.run(1);
    EXPECT_LT(rehearsal.ear.largest(), 0.001);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
}

TEST(SoundPlayer, HoldsThePicturesForSoundThatJitters) {
    Scene scene;
    scene.frequency = 40;
    scene.arrivalJitter = 0.03;
    scene.pictureJitter = 0.008;
    scene.pictureDelay = 0.02;
    scene.holds = true;
    Rehearsal rehearsal(scene);
    rehearsal.run(20);
    // Block, arrival and jitter, fill, device and some 4 ms of reading ahead, less the pictures' own delay.
    EXPECT_NEAR(rehearsal.stats().delayMs, 5 + 35 + 10 + 15 + 4 - 20, 6);
    rehearsal.ear.clear();
    const std::uint64_t underruns = rehearsal.stats().underruns;
    rehearsal.run(20);
    EXPECT_LT(rehearsal.ear.p99(), 0.005);
    EXPECT_LE(rehearsal.stats().underruns, underruns + 1);
    EXPECT_LT(rehearsal.ear.click(), 0.001);
}

TEST(SoundPlayer, IsLateRatherThanChoppyIfPicturesDoNotWait) {
    Scene scene;
    scene.frequency = 10;
    scene.rate = scene.outputRate = 8000;
    scene.block = 40;
    scene.fill = 80;
    scene.pictureDelay = 0.01;
    Rehearsal rehearsal(scene);
    rehearsal.run(6);
    rehearsal.ear.clear();
    rehearsal.run(5);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
    EXPECT_GT(rehearsal.stats().offsetMs, 10);
    EXPECT_NEAR(rehearsal.stats().offsetMs, rehearsal.ear.latest() * 1e3, 1);
    EXPECT_NEAR(rehearsal.stats().offsetMs, rehearsal.stats().delayMs, 1);
}

TEST(SoundPlayer, ObeysTheOffset) {
    Scene scene;
    scene.frequency = 10;
    scene.rate = scene.outputRate = 8000;
    scene.block = 40;
    scene.fill = 80;
    Rehearsal rehearsal(scene);
    rehearsal.player.setOffset(std::chrono::milliseconds(30));
    rehearsal.run(3);
    EXPECT_NEAR(rehearsal.ear.latest(), 0.03, 0.001);
    EXPECT_LT(std::abs(rehearsal.stats().offsetMs), 1) << "the offset is as wanted";
}

TEST(SoundPlayer, GoesOnAfterAStallOfALiveSource) {
    Rehearsal rehearsal({});
    rehearsal.run(3);
    rehearsal.soundFlows = rehearsal.picturesFlow = false;
    rehearsal.run(1);
    EXPECT_FALSE(rehearsal.stats().sounding);
    rehearsal.run(2);
    rehearsal.soundFlows = rehearsal.picturesFlow = true;
    rehearsal.run(0.2);
    rehearsal.ear.clear();
    rehearsal.run(2);
    EXPECT_LT(rehearsal.ear.largest(), 0.001);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
    EXPECT_LT(rehearsal.ear.click(), 0.001);
}

TEST(SoundPlayer, GoesOnWhereAPausedSourceStopped) {
    Rehearsal rehearsal({});
    rehearsal.run(3);
    rehearsal.recording = true;
    rehearsal.pause(true);
    rehearsal.run(3);
    EXPECT_FALSE(rehearsal.stats().sounding);
    rehearsal.pause(false);
    rehearsal.run(0.3);
    EXPECT_LT(maxSecondDifference(rehearsal.recorded), kTone);
    rehearsal.ear.clear();
    rehearsal.run(2);
    EXPECT_LT(rehearsal.ear.largest(), 0.001);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
    EXPECT_EQ(rehearsal.stats().underruns, 0U) << "a pause is none";
}

TEST(SoundPlayer, KeepsPlayingWhilePicturesStandStillButSoundComes) {
    Rehearsal rehearsal({});
    rehearsal.run(5);
    rehearsal.picturesFlow = false;  // nothing changes on a shared screen
    rehearsal.run(0.5);
    rehearsal.ear.clear();
    rehearsal.run(5);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
    EXPECT_LT(rehearsal.ear.largest(), 0.001);
}

TEST(SoundPlayer, IsSilentWhileTheViewerPauses) {
    Rehearsal rehearsal({});
    rehearsal.run(2);
    rehearsal.player.setPaused(true);
    rehearsal.run(0.1);
    rehearsal.ear.clear();
    rehearsal.run(4);
    EXPECT_EQ(rehearsal.ear.silent(), rehearsal.ear.samples() - 2);
    rehearsal.player.setPaused(false);
    rehearsal.run(0.1);
    rehearsal.ear.clear();
    rehearsal.run(1);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
    EXPECT_LT(rehearsal.ear.largest(), 0.001);
}

TEST(SoundPlayer, FadesWhereBlocksAreLostAndStaysInTime) {
    Rehearsal rehearsal({});
    rehearsal.run(3);
    rehearsal.lossPercent = 3;
    rehearsal.recording = true;
    rehearsal.ear.clear();
    rehearsal.run(5);
    EXPECT_LT(rehearsal.ear.largest(), 0.001);
    EXPECT_GT(rehearsal.stats().concealed, 10U);
    EXPECT_EQ(rehearsal.stats().underruns, 0U);
    EXPECT_LT(maxSecondDifference(rehearsal.recorded), kTone);
}

TEST(SoundPlayer, CountsAndFadesAnUnderrun) {
    Rehearsal rehearsal({});
    rehearsal.run(3);
    rehearsal.recording = true;
    rehearsal.scene.arrival = 0.2;
    rehearsal.run(0.1);
    rehearsal.scene.arrival = 0.005;
    rehearsal.run(2);
    EXPECT_EQ(rehearsal.stats().underruns, 1U);
    EXPECT_LT(maxSecondDifference(rehearsal.recorded), kTone);
}

TEST(SoundPlayer, FollowsANewFormat) {
    Rehearsal rehearsal({});
    rehearsal.run(3);
    rehearsal.recording = true;
    rehearsal.ear.clear();
    rehearsal.scene.rate = 44'100;
    rehearsal.scene.block = 441;
    rehearsal.run(1);
    EXPECT_LT(static_cast<double>(rehearsal.ear.silent()) / 48'000, 0.04);
    EXPECT_LT(maxSecondDifference(rehearsal.recorded), kTone);
    rehearsal.ear.clear();
    rehearsal.run(3);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
    EXPECT_LT(rehearsal.ear.largest(), 0.001);
    EXPECT_LT(rehearsal.ear.click(), 0.001);
    EXPECT_LT(std::abs(rehearsal.stats().driftPpm), 20);
}

TEST(SoundPlayer, IsSilentWhileOnlyTheSoundsTimeIsAnother) {
    Rehearsal rehearsal({});
    rehearsal.run(3);
    rehearsal.stampError = 86'400;
    rehearsal.run(0.5);
    rehearsal.ear.clear();
    rehearsal.run(3);
    EXPECT_EQ(rehearsal.ear.silent(), rehearsal.ear.samples() - 2);
    rehearsal.stampError = 0;
    rehearsal.run(0.5);
    rehearsal.ear.clear();
    rehearsal.run(1);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
    EXPECT_LT(rehearsal.ear.largest(), 0.001);
}

TEST(SoundPlayer, PlaysSoundWithoutPictures) {
    Scene scene;
    scene.frequency = 40;
    scene.picturesPerSecond = 0;
    scene.arrivalJitter = 0.03;
    Rehearsal rehearsal(scene);
    rehearsal.run(1);
    EXPECT_TRUE(rehearsal.stats().sounding);
    rehearsal.run(19);
    rehearsal.ear.clear();
    const std::uint64_t underruns = rehearsal.stats().underruns;
    rehearsal.run(10);
    EXPECT_LE(rehearsal.stats().underruns, underruns + 1);
    EXPECT_LT(rehearsal.ear.click(), 0.001);
    rehearsal.player.setBudget(std::chrono::milliseconds(80));
    rehearsal.run(5);
    EXPECT_EQ(rehearsal.wantedDelay(), std::chrono::milliseconds(80));
    EXPECT_EQ(rehearsal.stats().resyncs, 0U);
}

TEST(SoundPlayer, ChangesVolumeGradually) {
    Rehearsal rehearsal({});
    playSteps(rehearsal, 1e9);
    rehearsal.run(2);
    rehearsal.recording = true;
    rehearsal.player.setVolume(0.5);
    rehearsal.run(0.1);
    EXPECT_NEAR(rehearsal.recorded.back(), 0.25, 1e-3);
    rehearsal.player.setMuted(true);
    rehearsal.run(0.1);
    EXPECT_EQ(rehearsal.recorded.back(), 0.0F);
    rehearsal.player.setMuted(false);
    rehearsal.player.setVolume(std::numeric_limits<double>::quiet_NaN());
    rehearsal.run(0.1);
    EXPECT_EQ(rehearsal.recorded.back(), 0.0F);
    rehearsal.player.setVolume(7);
    rehearsal.run(0.1);
    EXPECT_NEAR(rehearsal.recorded.back(), 0.5, 1e-3);
    float step = 0;
    for (std::size_t i = 1; i < rehearsal.recorded.size(); ++i) {
        step = std::max(step, std::abs(rehearsal.recorded[i] - rehearsal.recorded[i - 1]));
    }
    EXPECT_LT(step, 0.5 / (0.02 * 48'000) * 1.1);
    EXPECT_NEAR(rehearsal.player.takePeaks().at(0), 0.5, 1e-6) << "before the volume";
}

TEST(SoundPlayer, PlaysNoNaN) {
    Rehearsal rehearsal({});
    rehearsal.signal = [](double media) {
        const auto at = static_cast<std::int64_t>(media * 1000) % 4;
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        return at == 0   ? std::numeric_limits<float>::quiet_NaN()
               : at == 1 ? kInfinity
               : at == 2 ? 3e38F
                         : 0.1F;
    };
    rehearsal.recording = true;
    rehearsal.run(2);
    EXPECT_TRUE(rehearsal.stats().sounding);
    EXPECT_TRUE(std::ranges::all_of(rehearsal.recorded, [](float s) { return std::abs(s) <= 1; }));
}

TEST(SoundPlayer, DropsWhatMakesNoSense) {
    SoundPlayer player;
    const std::vector<float> samples(240 * 2);
    player.put({.channels = 65}, 0, true, samples, 0);
    player.put({.rate = 1}, 0, true, samples, 0);
    player.put({.channels = 0}, 0, true, samples, 0);
    player.put({}, 0, true, {}, 0);
    player.put({}, 0, true, std::span(samples).first(7), 0);
    EXPECT_EQ(player.stats(0).dropped, 5U);
    player.put({}, std::numeric_limits<std::int64_t>::max(), true, samples, 0);
    player.put({}, std::numeric_limits<std::int64_t>::min(), true, samples, 0);
    player.pictureShown(std::numeric_limits<double>::quiet_NaN(), 0);
    player.pictureShown(std::numeric_limits<double>::max(), 0);
    player.pictureShown(-std::numeric_limits<double>::max(), 1);
    std::vector<float> output(480, 1);
    player.fill(output, 0, 48'000, 0);
    player.fill(output, 2, 0, 0);
    player.fill(output, 1000, 48'000, 0);
    player.fill(output, 2, 48'000, std::numeric_limits<TimestampNs>::max());
    player.fill(output, 2, 48'000, std::numeric_limits<TimestampNs>::min());
    EXPECT_TRUE(std::ranges::all_of(output, [](float sample) { return sample == 0; }));
}

TEST(SoundPlayer, KeepsAtMostFourFormatsAndTwoSeconds) {
    SoundPlayer player;
    const std::vector<float> samples(240);
    for (std::uint32_t i = 0; i < 100; ++i) {
        player.put({.rate = 48'000 + i, .channels = 1}, 0, true, samples, 0);
    }
    EXPECT_EQ(player.stats(0).dropped, 96U);
    for (int i = 0; i < 500; ++i) {
        player.put({.rate = 48'003, .channels = 1}, 240 * i, true, samples, i);
    }
    EXPECT_EQ(player.stats(0).dropped, 96U + 500 - 399);
}

TEST(SoundPlayer, FollowsADeviceThatChanges) {
    Rehearsal rehearsal({});
    rehearsal.run(2);
    rehearsal.scene.outputRate = 44'100;
    rehearsal.scene.outputs = 2;
    rehearsal.scene.deviceDelay = 0.03;
    rehearsal.run(2);
    EXPECT_TRUE(rehearsal.stats().sounding);
    EXPECT_LT(std::abs(rehearsal.stats().offsetMs), 1);
    EXPECT_LT(std::abs(rehearsal.stats().driftPpm), 20);
}

TEST(SoundPlayer, BeginsThoughNothingJitters) {
    Scene scene;
    scene.pictureDelay = 0.01;
    scene.holds = true;
    Rehearsal rehearsal(scene);
    rehearsal.run(1);
    EXPECT_TRUE(rehearsal.stats().sounding);
    rehearsal.ear.clear();
    rehearsal.run(5);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
}

TEST(SoundPlayer, HoldsNothingForADeviceThatIsGone) {
    Scene scene;
    scene.pictureDelay = 0.01;
    scene.holds = true;
    Rehearsal rehearsal(scene);
    rehearsal.run(2);
    const std::chrono::nanoseconds learned = rehearsal.wantedDelay();
    EXPECT_GT(learned, std::chrono::milliseconds(10));
    rehearsal.deviceFills = false;
    rehearsal.run(1);
    EXPECT_EQ(rehearsal.wantedDelay().count(), 0);
    EXPECT_EQ(rehearsal.stats().delayMs, 0);
    EXPECT_FALSE(rehearsal.stats().sounding);
    rehearsal.deviceFills = true;
    rehearsal.run(1);
    EXPECT_GE(rehearsal.wantedDelay(), learned);
    EXPECT_TRUE(rehearsal.stats().sounding);
}

TEST(SoundPlayerThreads, MeetWithoutRaces) {
    SoundPlayer player;
    constexpr int kRounds = 300;
    std::jthread receiver([&player] {
        const std::vector<float> samples(480, 0.5F);
        for (int i = 0; i < kRounds; ++i) {
            const SoundFormat format{.rate = i < kRounds / 2 ? 48'000U : 44'100U};
            player.put(format, i * 240, true, samples, i * 5'000'000LL);
        }
    });
    std::jthread display([&player] {
        for (int i = 0; i < kRounds; ++i) {
            player.pictureShown(i * 0.005, i * 5'000'000LL, 1000);
        }
    });
    std::jthread controls([&player] {
        for (int i = 0; i < kRounds; ++i) {
            player.setVolume(i % 2);
            player.setOffset(std::chrono::milliseconds(i % 7));
            player.takePeaks();
            EXPECT_LE(player.stats(0).concealed, 0U);
        }
    });
    std::vector<float> output(480);
    for (int i = 0; i < kRounds; ++i) {
        player.fill(output, 2, 48'000, i * 5'000'000LL);
    }
}

}  // namespace
}  // namespace verbcast::testing
