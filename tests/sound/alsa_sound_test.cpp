// ALSA's plugins that need no card: null, and file, which writes down what it plays.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "capture/sound/open_sound_device.h"
#include "render/sound/sound_player.h"
#include "tests/sound/counting_filler.h"
#include "tests/sound/sound_support.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

class AlsaSoundTest : public ::testing::Test {
  protected:
    AlsaSoundTest() {
        ::setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);  // no PipeWire there
        ::setenv("ALSA_CONFIG_PATH", folder_.file("asound.conf").c_str(), 1);
        std::ofstream(folder_.file("asound.conf"))
            << "pcm.null { type null  hint { show on  description \"Nothing\" } }\n"
            << "pcm.written { type file  file \"" << folder_.file("played")
            << "\"  format raw  slave.pcm null\n"
            << "    hint { show on  description \"Written to a file\" } }\n"
            << "pcm.read { type file  file /dev/null  infile \"" << folder_.file("recorded")
            << "\"  format raw  slave.pcm null }\n"
            << "pcm.narrow { type plug  slave { pcm written  channels 2 } }\n"
            << "pcm.integers { type linear  slave { pcm written  format S32_LE } }\n";
    }
    std::vector<float> played() const {
        const std::string bytes = contentOf(folder_.file("played"));
        std::vector<float> samples(bytes.size() / sizeof(float));
        std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
        return samples;
    }

    static float loudestOf(const std::vector<float>& samples) {
        return samples.empty() ? 0 : *std::ranges::max_element(samples);
    }

    TemporaryFolder folder_;
    CountingFiller filler_;
};

TEST_F(AlsaSoundTest, TheFilePluginWritesWhatIsPlayed) {
    const TimestampNs before = nowNs();
    {
        const auto output = openSoundOutput(
            {.device = "alsa:written", .rate = 44'100, .channels = 2, .name = "test"}, filler_);
        ASSERT_TRUE(comesTrue([&] { return filler_.filled() >= 4410; }));
        const SoundOutputStatus status = output->status();
        EXPECT_EQ(status.device, "written (ALSA)");
        EXPECT_EQ(status.problem, "");
        EXPECT_EQ(status.rate, 44'100U);
        EXPECT_EQ(status.channels, 2U);
        EXPECT_EQ(status.underruns, 0U);
    }
    const double seconds = static_cast<double>(nowNs() - before) * 1e-9;
    EXPECT_LE(static_cast<double>(filler_.filled()), 44'100 * (seconds + 0.1)) << "faster than time passes";
    const std::vector<float> samples = played();
    ASSERT_GE(samples.size(), 4410U);
    EXPECT_LE(samples.size(), filler_.filled() * 2);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        ASSERT_EQ(samples[i], CountingFiller::sample(i / 2, i % 2)) << i;
    }
}

TEST_F(AlsaSoundTest, TheCentreOfManyChannelsIsHeardFromTwo) {
    const SoundFormat surround{.rate = 48'000, .channels = 6, .maxSamples = 480, .layout = 0x3f};
    std::vector<float> block(std::size_t{6} * 480);
    std::fill_n(block.begin() + 2 * 480, 480, 0.5F);  // the third is the centre
    SoundPlayer player;
    {
        const auto output = openSoundOutput({.device = "alsa:narrow",
                                             .rate = surround.rate,
                                             .channels = surround.channels,
                                             .layout = surround.layout,
                                             .name = "test"},
                                            player);
        const TimestampNs start = nowNs();
        player.pictureShown(0, start);
        for (std::int64_t i = 0; i < 100; ++i) {
            player.put(surround, i * 480, true, block, start);
        }
        ASSERT_TRUE(comesTrue([&] { return loudestOf(played()) > 0.34F; })) << "after it has faded in";
    }
    const std::vector<float> samples = played();
    EXPECT_NEAR(loudestOf(samples), 0.5 / std::numbers::sqrt2, 0.01);
    for (std::size_t i = 0; i + 1 < samples.size(); i += 2) {
        ASSERT_EQ(samples[i], samples[i + 1]) << i;
    }
}

TEST_F(AlsaSoundTest, NullPlaysInRealTime) {
    const auto output = openSoundOutput({.device = "null", .name = "test"}, filler_);
    ASSERT_TRUE(comesTrue([&] { return filler_.filled() >= 9600; }));
    const TimestampNs apart = filler_.heardAt(9599) - filler_.heardAt(0);
    EXPECT_GT(apart, 150'000'000);
}

TEST_F(AlsaSoundTest, TheFilePluginIsCapturedBitByBit) {
    std::vector<float> recorded(48'000 * 2);
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        recorded[i] = CountingFiller::sample(i / 2, i % 2);
    }
    std::ofstream(folder_.file("recorded"), std::ios::binary)
        .write(reinterpret_cast<const char*>(recorded.data()),
               static_cast<std::streamsize>(recorded.size() * sizeof(float)));
    const auto source = openSoundDevice("alsa:read", {});
    EXPECT_EQ(source->describe(), "sound of read (ALSA)");
    EXPECT_EQ(source->format(), (SoundFormat{.rate = 48'000, .channels = 2, .maxSamples = 240, .layout = 3}));
    CapturedSound block;
    std::int64_t last = -1;
    for (std::uint64_t next = 0; next < 9600;) {
        block = nextBlock(*source, std::move(block));
        const std::size_t count = block.samples.size() / 2;
        for (std::size_t i = 0; i < count; ++i, ++next) {
            ASSERT_EQ(block.samples[i], CountingFiller::sample(next, 0)) << next;
            ASSERT_EQ(block.samples[count + i], CountingFiller::sample(next, 1)) << next;
        }
        EXPECT_GT(block.at, last);
        last = block.at;
    }
}

TEST_F(AlsaSoundTest, NullIsCapturedInRealTime) {
    const TimestampNs before = nowNs();
    const auto source = openSoundDevice("alsa:null", {});
    CapturedSound block;
    std::size_t samples = 0;
    while (samples < 9600) {
        block = nextBlock(*source, std::move(block));
        samples += block.samples.size() / source->format().channels;
        EXPECT_LE(block.capturedAt, nowNs() + 20'000'000);
    }
    EXPECT_GT(nowNs() - before, 150'000'000);
    EXPECT_GT(block.at, 4800);
}

TEST_F(AlsaSoundTest, ListsTheConfiguration) {
    const SoundDevices outputs = soundOutputs();
    ASSERT_EQ(outputs.devices.size(), 2U);
    EXPECT_EQ(outputs.devices[0].name, "alsa:null");
    EXPECT_EQ(outputs.devices[1].name, "alsa:written");
    EXPECT_EQ(outputs.devices[1].description, "Written to a file");
    ASSERT_FALSE(outputs.problems.empty());
    EXPECT_EQ(outputs.problems.front(), "no PipeWire runs");
}

TEST_F(AlsaSoundTest, APipeWireWithoutItsFilesIsNoReasonToFail) {
    ::setenv("PIPEWIRE_CONFIG_DIR", folder_.path().c_str(), 1);
    EXPECT_EQ(soundOutputs().devices.size(), 2U);
    const auto output = openSoundOutput({.device = "null", .name = "test"}, filler_);
    EXPECT_EQ(output->status().device, "null (ALSA)");
    EXPECT_NE(openSoundDevice("null", {}), nullptr);
    ::unsetenv("PIPEWIRE_CONFIG_DIR");
}

TEST_F(AlsaSoundTest, RefusesNamesThatAlsaDoesNotKnow) {
    try {
        openSoundOutput({.device = "alsa:absent", .name = "test"}, filler_);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Usage);
        EXPECT_EQ(std::string(error.what()),
                  "there is no sound output alsa:absent; there are: alsa:null, alsa:written");
    }
    try {
        openSoundDevice("default", {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
    }
}

}  // namespace
}  // namespace verbcast::testing
