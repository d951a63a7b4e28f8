// The parts that know of clocks only.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "render/sound/delay_locked_loop.h"
#include "render/sound/latency_need.h"
#include "render/sound/media_tie.h"
#include "render/sound/phase_loop.h"

namespace verbcast::testing {
namespace {

TEST(DelayLockedLoop, LearnsAClockFromStampsThatJitter) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> jitter(-0.002, 0.002);
    DelayLockedLoop loop;
    const double period = 1.0002 / 48'000;
    loop.restart(jitter(random), 1.0 / 48'000);
    for (int i = 1; i <= 20'000; ++i) {
        loop.update(240, i * 240 * period + jitter(random) - loop.expected(240));
        if (i > 4'000) {
            ASSERT_NEAR(loop.time(), i * 240 * period, 0.0005);
        }
    }
    EXPECT_NEAR(loop.period() / period, 1, 30e-6);
    loop.jump(1e6);
    EXPECT_NEAR(loop.expected(48'000), 1e6 + 1.0002, 1e-4);
}

TEST(PhaseLoop, EndsAnOffsetWithoutOvershoot) {
    PhaseLoop loop;
    double error = 0.05, before = 1;
    for (int i = 0; i < 4000; ++i) {
        const double speed = loop.update(error, 0.01);
        ASSERT_LE(std::abs(speed - 1), 0.005);
        ASSERT_LE(std::abs(speed - before), 0.00005 + 1e-9);
        before = speed;
        error -= (speed - 1) * 0.01;
        ASSERT_GT(error, -1e-4);
    }
    EXPECT_LT(error, 1e-4);
}

TEST(MediaTie, SmoothsWhenPicturesAreShown) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> jitter(-0.008, 0.008);
    MediaTie tie;
    EXPECT_FALSE(tie.tied());
    for (int i = 0; i < 3600; ++i) {
        const double late = i % 100 == 99 ? 0.05 : 0;
        tie.add(i / 60.0, 500 + i / 60.0 + jitter(random) + late);
        if (i > 300) {
            ASSERT_NEAR(tie.mediaOf(500 + i / 60.0), i / 60.0, 0.004);
        }
    }
    EXPECT_NEAR(tie.speed(), 1, 300e-6);
}

MediaTie tiedFor(double seconds) {
    MediaTie tie;
    for (int i = 0; i <= seconds * 60; ++i) {
        tie.add(i / 60.0, 500 + i / 60.0);
    }
    return tie;
}

TEST(MediaTie, TakesStepsAtOnce) {
    MediaTie back = tiedFor(10);
    back.add(2, 510.1);
    EXPECT_NEAR(back.mediaOf(510.1), 2, 1e-9);
    MediaTie forwards = tiedFor(10);
    forwards.add(100, 510.1);
    EXPECT_NEAR(forwards.mediaOf(510.1), 100, 1e-9);
}

TEST(MediaTie, TakesAPauseForOneWithTheSecondPicture) {
    MediaTie tie = tiedFor(10);
    tie.add(10.1, 513.1);
    EXPECT_NEAR(tie.mediaOf(510.2), 10.2, 1e-6) << "may be a single late one";
    tie.add(10.2, 513.2);
    EXPECT_NEAR(tie.mediaOf(513.2), 10.2, 1e-9);
}

TEST(MediaTie, IgnoresASingleLatePictureAndRepetitions) {
    MediaTie tie = tiedFor(10);
    tie.add(10.1, 510.3);
    tie.add(10.2, 510.2);
    tie.add(10.2, 510.9);
    tie.add(std::numeric_limits<double>::quiet_NaN(), 511);
    EXPECT_NEAR(tie.mediaOf(510.2), 10.2, 1e-6);
}

TEST(LatencyNeed, IsTheWorstButOneOfTheLastSeconds) {
    LatencyNeed need;
    double at = 1000;
    auto pass = [&](double seconds, double amount) {
        for (const double end = at + seconds; at < end; at += 0.01) {
            need.add(amount, at, true);
        }
    };
    pass(10, 0.02);
    EXPECT_TRUE(need.known());
    EXPECT_NEAR(need.wanted(), 0.021, 1e-9);
    pass(0.05, 0.3);
    pass(5, 0.02);
    EXPECT_NEAR(need.wanted(), 0.021, 1e-9) << "once is no rule";
    pass(3, 0.05);
    EXPECT_GT(need.wanted(), 0.05);
    pass(31, 0.02);
    EXPECT_NEAR(need.wanted(), 0.021, 1e-9);
    pass(31, 0.018);
    EXPECT_NEAR(need.wanted(), 0.021, 1e-9) << "not worth a change";
    pass(31, -0.5);
    EXPECT_EQ(need.wanted(), 0);
}

TEST(LatencyNeed, DoesNotCountPauses) {
    LatencyNeed need;
    for (int i = 0; i < 1000; ++i) {
        need.add(0.01 * i, 1000 + 0.01 * i, false);
    }
    need.add(0.01, 1010, true);
    need.add(0.01, 1010.1, true);
    EXPECT_NEAR(need.wanted(), 0.011, 1e-9);
}

}  // namespace
}  // namespace verbcast::testing
