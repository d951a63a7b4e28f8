// A device's clock, in virtual time.
#include "core/sound/sound_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace verbcast::testing {
namespace {

constexpr double kRate = 48'000;
constexpr std::uint32_t kPeriod = 256;
constexpr TimestampNs kStart = 5'000'000'000'000;

/// A device whose crystal is off, and whose reports come late by up to `jitterNs`.
struct Device {
    double ppm = 0;
    double jitterNs = 0;
    std::uint64_t samples = 0;
    std::mt19937 random{7};

    TimestampNs exact() const {
        return kStart + std::llround(static_cast<double>(samples) * 1e9 / (kRate * (1 + ppm * 1e-6)));
    }
    TimestampNs next(SoundClock& clock) {
        const double late = std::uniform_real_distribution<double>(0, jitterNs)(random);
        const TimestampNs smooth = clock.next(exact() + std::llround(late), kPeriod);
        const TimestampNs error = smooth - exact() - std::llround(jitterNs / 2);
        samples += kPeriod;
        return error;
    }
};

TEST(SoundClock, ExactReportsStayExact) {
    SoundClock clock(kRate);
    Device device;
    for (int i = 0; i < 10'000; ++i) {
        EXPECT_LE(std::abs(device.next(clock)), 2) << i;
    }
}

TEST(SoundClock, FollowsACrystalThroughJitter) {
    for (const double ppm : {-200.0, 0.0, 200.0}) {
        SoundClock clock(kRate);
        Device device{.ppm = ppm, .jitterNs = 2e6};
        const auto periods = static_cast<int>(kRate / kPeriod);  // a second
        for (int i = 0; i < 30 * periods; ++i) {
            device.next(clock);
        }
        TimestampNs worst = 0;
        for (int i = 0; i < 600 * periods; ++i) {
            worst = std::max(worst, std::abs(device.next(clock)));
        }
        EXPECT_LT(worst, 200'000) << ppm << " ppm";  // a tenth of the jitter
        EXPECT_NEAR(clock.perSample(), 1e9 / (kRate * (1 + ppm * 1e-6)), 1e9 / kRate * 60e-6);
    }
}

TEST(SoundClock, NeverStepsByTheJitter) {
    SoundClock clock(kRate);
    Device device{.jitterNs = 2e6};
    TimestampNs last = 0;
    for (int i = 0; i < 20'000; ++i) {
        const TimestampNs before = device.exact();
        const TimestampNs at = device.next(clock) + before + 1'000'000;
        if (i > 2000) {
            EXPECT_NEAR(static_cast<double>(at - last), kPeriod * 1e9 / kRate, 20'000) << i;
        }
        last = at;
    }
}

TEST(SoundClock, JumpsWhereSamplesWereLost) {
    SoundClock clock(kRate);
    Device device{.jitterNs = 1e6};
    for (int i = 0; i < 5000; ++i) {
        device.next(clock);
    }
    device.samples += static_cast<std::uint64_t>(kRate);
    EXPECT_LT(std::abs(device.next(clock)), 1'000'000);
    // Less than its threshold: it has to be told.
    device.samples += kPeriod;
    clock.restart();
    EXPECT_LT(std::abs(device.next(clock)), 1'000'000);
}

TEST(SoundClock, BearsAnyReport) {
    SoundClock clock(kRate);
    for (const TimestampNs report : {TimestampNs{0}, std::numeric_limits<TimestampNs>::max() - 1'000'000'000,
                                     TimestampNs{-5}, TimestampNs{86'400'000'000'000}}) {
        EXPECT_EQ(clock.next(report, kPeriod), report);
    }
    clock.restart();
    EXPECT_EQ(clock.next(7, 0), 7);
}

}  // namespace
}  // namespace verbcast::testing
