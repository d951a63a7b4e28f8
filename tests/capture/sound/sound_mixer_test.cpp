// The sum of several inputs on one time line.
#include "capture/sound/sound_mixer.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

using Samples = std::vector<float>;

Samples taken(SoundMixer& mixer, std::uint32_t samples) {
    Samples sum;
    mixer.take(samples, sum);
    return sum;
}

TEST(SoundMixer, SumsWhatLiesAtOneTime) {
    SoundMixer mixer(2, 8);
    EXPECT_EQ(mixer.add(1, Samples{1, 2, 3, 10, 20, 30}), 0U);
    EXPECT_EQ(mixer.add(2, Samples{100, 200, 1000, 2000}), 0U);
    EXPECT_EQ(taken(mixer, 3), (Samples{0, 1, 102, 0, 10, 1020}));
    EXPECT_EQ(mixer.next(), 3);
    EXPECT_EQ(taken(mixer, 3), (Samples{203, 0, 0, 2030, 0, 0}));
    // Around the end of the ring; what was taken has left it.
    EXPECT_EQ(mixer.add(6, Samples{1, 2, 3, 4, 5, 6, 7, 8}), 0U);
    EXPECT_EQ(taken(mixer, 5), (Samples{1, 2, 3, 4, 0, 5, 6, 7, 8, 0}));
}

TEST(SoundMixer, LeavesOutWhatComesTooLateOrTooEarly) {
    SoundMixer mixer(1, 4);
    mixer.restart(100);
    EXPECT_EQ(mixer.add(98, Samples{1, 2, 3, 4, 5, 6, 7, 8}), 4U);
    EXPECT_EQ(mixer.add(90, Samples{9, 9}), 2U);
    EXPECT_EQ(mixer.add(104, Samples{9, 9}), 2U);
    EXPECT_EQ(taken(mixer, 4), (Samples{3, 4, 5, 6}));
    EXPECT_EQ(taken(mixer, 4), (Samples{0, 0, 0, 0}));
}

TEST(SoundMixer, ForgetsWhatWasBeforeAnotherTime) {
    SoundMixer mixer(1, 4);
    mixer.add(0, Samples{1, 2, 3, 4});
    mixer.restart(-3);
    EXPECT_EQ(mixer.add(-2, Samples{5}), 0U);
    EXPECT_EQ(taken(mixer, 3), (Samples{0, 5, 0}));
    EXPECT_EQ(mixer.next(), 0);
}

}  // namespace
}  // namespace verbcast::testing
