#include "capture/sound/device_sound.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <thread>

#include "tests/support/patience.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kRate = 48'000;

/// Counts up in channel 0, down in channel 1.
struct Counter {
    std::uint32_t next = 0;

    void put(DeviceBlocks& intake, std::uint32_t samples, TimestampNs at, std::uint32_t rate = kRate) {
        intake.put(intake.formatOf(rate, 2, 3), samples, at,
                   [&](std::uint32_t channel, std::uint32_t first, std::uint32_t count, float* to) {
                       for (std::uint32_t i = 0; i < count; ++i) {
                           const auto value = static_cast<float>(next + first + i);
                           to[i] = channel == 0 ? value : -value;
                       }
                   });
        next += samples;
    }
};

constexpr TimestampNs timeOf(std::uint32_t sample) {
    return 1'000'000'000 + TimestampNs{sample} * 1'000'000'000 / kRate;
}

TEST(DeviceBlocks, CutsWhatComesIntoEvenBlocksThatFollowEachOther) {
    DeviceBlocks intake({.block = std::chrono::milliseconds(5)});
    Counter counter;
    counter.put(intake, 1024, timeOf(0));
    counter.put(intake, 1024, timeOf(1024));
    CapturedSound block;
    SoundFormat format;
    std::uint32_t next = 0;
    while (intake.read(block, format) == Status::Ok) {
        const std::size_t count = block.samples.size() / 2;
        EXPECT_LE(count, 240U);
        EXPECT_GE(count, 204U);
        EXPECT_EQ(block.samples[0], static_cast<float>(next));
        EXPECT_EQ(block.samples[count], -static_cast<float>(next));
        EXPECT_EQ(block.samples.back(), -static_cast<float>(next + count - 1));
        EXPECT_EQ(block.at, next);
        EXPECT_NEAR(static_cast<double>(block.capturedAt), static_cast<double>(timeOf(next)), 2);
        next += static_cast<std::uint32_t>(count);
    }
    EXPECT_EQ(next, 2048U);
    EXPECT_EQ(format, (SoundFormat{.rate = kRate, .channels = 2, .maxSamples = 240, .layout = 3}));
    EXPECT_FALSE(waitReadable({intake.descriptor()}, std::chrono::nanoseconds(0)));
    EXPECT_EQ(intake.lost(), 0U);
}

TEST(DeviceBlocks, CountsFromTheZeroThatItIsGiven) {
    DeviceBlocks intake({.ptsZero = timeOf(0)});
    Counter counter;
    counter.put(intake, 240, timeOf(4800));
    CapturedSound block;
    SoundFormat format;
    ASSERT_EQ(intake.read(block, format), Status::Ok);
    EXPECT_EQ(block.at, 4800);
}

TEST(DeviceBlocks, WhatIsNotReadInTimeIsAJump) {
    DeviceBlocks intake({});
    Counter counter;
    for (std::uint32_t i = 0; i < 200; ++i) {
        counter.put(intake, 240, timeOf(i * 240));
    }
    CapturedSound block;
    SoundFormat format;
    std::uint32_t blocks = 0;
    for (; intake.read(block, format) == Status::Ok; ++blocks) {
        EXPECT_EQ(block.at, blocks * 240);
    }
    EXPECT_EQ(blocks, 100U);
    EXPECT_EQ(intake.lost(), 100U);
    counter.put(intake, 240, timeOf(200 * 240));
    ASSERT_EQ(intake.read(block, format), Status::Ok);
    EXPECT_EQ(block.at, 200 * 240);
    EXPECT_EQ(block.samples[0], 200 * 240);
}

TEST(DeviceBlocks, TimeNeverRunsBack) {
    DeviceBlocks intake({});
    Counter counter;
    CapturedSound block;
    SoundFormat format;
    counter.put(intake, 240, timeOf(48'000));
    ASSERT_EQ(intake.read(block, format), Status::Ok);
    intake.gap();
    counter.put(intake, 240, timeOf(0));  // a device with a second more of delay
    ASSERT_EQ(intake.read(block, format), Status::Ok);
    EXPECT_EQ(block.at, 1);
}

TEST(DeviceBlocks, ChangesItsFormat) {
    DeviceBlocks intake({});
    Counter counter;
    CapturedSound block;
    SoundFormat format;
    counter.put(intake, 240, timeOf(0));
    counter.put(intake, 441, timeOf(240), 44'100);
    ASSERT_EQ(intake.read(block, format), Status::Ok);
    ASSERT_EQ(intake.read(block, format), Status::Ok);
    EXPECT_EQ(format.rate, 44'100U);
    EXPECT_EQ(format.maxSamples, 220U);
    EXPECT_EQ(block.samples.size(), 147U * 2);
    EXPECT_EQ(block.at, 221);  // 5 ms at the new rate
    counter.put(intake, 10, timeOf(0), 1);
    EXPECT_NE(intake.read(block, format), Status::Closed);
}

class FastDevice final : public DeviceSound {
  public:
    FastDevice() : DeviceSound({}) {}
    std::string describe() const override { return "a fast device"; }
    void play(std::uint32_t rate) { counter_.put(intake_, 1024, timeOf(0), rate); }

  private:
    Counter counter_;
};

TEST(DeviceSound, SaysOnceWhatCannotBeSent) {
    FastDevice device;
    device.play(384'000);
    EXPECT_TRUE(waitReadable({device.waitDescriptor()}, std::chrono::nanoseconds(0)));
    CapturedSound block;
    EXPECT_EQ(device.read(block), Status::TimedOut);
    device.play(768'000);
    EXPECT_EQ(device.read(block), Status::TimedOut);
    device.play(kRate);
    EXPECT_EQ(device.read(block), Status::Ok);
    EXPECT_EQ(device.notes(),
              std::vector<std::string>{
                  "the sound device gives what cannot be sent: 384000 Hz: 8000 to 192000 expected"});
}

TEST(DeviceBlocks, CarriesSoundFromThreadToThread) {
    DeviceBlocks intake({});
    constexpr std::uint32_t kSamples = 480'000;
    std::jthread device([&](const std::stop_token& stop) {
        Counter counter;
        while (counter.next < kSamples && !stop.stop_requested()) {
            const std::uint64_t lost = intake.lost();
            counter.put(intake, 240, timeOf(counter.next));
            counter.next -= intake.lost() != lost ? 240 : 0;  // again
        }
    });
    CapturedSound block;
    SoundFormat format;
    for (std::uint32_t next = 0; next < kSamples;) {
        if (intake.read(block, format) != Status::Ok) {
            ASSERT_TRUE(waitReadable({intake.descriptor()}, kPatience));
            continue;
        }
        ASSERT_EQ(block.samples[0], static_cast<float>(next));
        ASSERT_EQ(block.samples.back(), -static_cast<float>(next + 239));
        next += static_cast<std::uint32_t>(block.samples.size() / 2);
    }
}

}  // namespace
}  // namespace verbcast::testing
