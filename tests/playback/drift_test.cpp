// Clocks that run apart: sound stays with the pictures, without a click or a gap.
#include <gtest/gtest.h>

#include <string>

#include "rehearsal.h"

namespace verbcast::testing {
namespace {

struct Clocks {
    double media, sound, device;
};

/// A low tone at a low rate: the loops work alike, and an hour takes a second or two.
Scene slowScene(const Clocks& clocks) {
    Scene scene;
    scene.rate = scene.outputRate = 8000;
    scene.block = 40;
    scene.fill = 160;
    scene.frequency = 40;
    scene.mediaPpm = clocks.media;
    scene.soundPpm = clocks.sound;
    scene.devicePpm = clocks.device;
    return scene;
}

void expectInStep(Rehearsal& rehearsal, double seconds) {
    rehearsal.run(1);
    rehearsal.ear.clear();
    rehearsal.run(19);  // until the clocks' rates are known
    EXPECT_LT(rehearsal.ear.largest(), 0.005);
    rehearsal.ear.clear();
    const LatencyHistogram before = rehearsal.player.offsets();
    rehearsal.run(seconds);
    const SoundPlaybackStats stats = rehearsal.stats();
    EXPECT_LT(rehearsal.ear.p99(), 0.001);
    EXPECT_LT(rehearsal.ear.largest(), 0.002);
    EXPECT_LT(rehearsal.ear.click(), 0.001);
    EXPECT_EQ(rehearsal.ear.silent(), 0U);
    EXPECT_EQ(stats.resyncs + stats.underruns + stats.concealed + stats.dropped, 0U);
    EXPECT_LT(rehearsal.player.offsets().since(before).percentiles().p99, 1000);
}

TEST(SoundDrift, StaysInStepForMinutes) {
    for (const Clocks& clocks : {Clocks{0, 0, 0}, Clocks{0, 200, -200}, Clocks{-200, -200, 200}}) {
        SCOPED_TRACE(::testing::Message() << clocks.media << " " << clocks.sound << " " << clocks.device);
        Rehearsal rehearsal(slowScene(clocks));
        expectInStep(rehearsal, 120);
        EXPECT_NEAR(rehearsal.stats().driftPpm, clocks.media + clocks.sound - clocks.device, 20);
    }
}

class ThoroughSoundDrift : public ::testing::TestWithParam<Clocks> {};

TEST_P(ThoroughSoundDrift, StaysInStepForAnHour) {
    Scene scene = slowScene(GetParam());
    scene.arrivalJitter = 0.03;
    scene.pictureDelay = 0.12;
    scene.deviceJitter = 0.001;
    scene.pictureJitter = 0.004;
    Rehearsal rehearsal(scene);
    expectInStep(rehearsal, VERBCAST_SANITIZED ? 300 : 3600);
}

INSTANTIATE_TEST_SUITE_P(Thorough, ThoroughSoundDrift,
                         ::testing::Values(Clocks{0, 200, 0}, Clocks{0, -200, 0}, Clocks{0, 0, 200},
                                           Clocks{0, 0, -200}, Clocks{200, 200, -200},
                                           Clocks{-200, -200, 200}));

}  // namespace
}  // namespace verbcast::testing
