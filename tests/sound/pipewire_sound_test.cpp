// Sound through a PipeWire of the test's own, whose sinks play nowhere: what is played comes out of their
// monitors, bit by bit and in time.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "capture/sound/open_sound_device.h"
#include "tests/capture/screen/portal/pipewire_daemon.h"
#include "tests/sound/counting_filler.h"
#include "tests/sound/sound_support.h"
#include "tests/support/child_process.h"
#include "tests/support/required_package.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kMs = 1'000'000;
// The two accounts of one sample's time agree within one sample; a busy machine must pass, too.
constexpr TimestampNs kAgreement = 50 * kMs;

constexpr const char* kSinks = R"(
context.properties = { default.clock.allowed-rates = [ 44100 48000 ] }
context.objects = [
    { factory = adapter
      args = { factory.name = support.null-audio-sink  node.name = first  node.description = "First sink"
               media.class = Audio/Sink  audio.position = [ FL FR ]  priority.session = 1000 } }
    { factory = adapter
      args = { factory.name = support.null-audio-sink  node.name = surround  node.description = "Surround sink"
               media.class = Audio/Sink  audio.position = [ FL FR FC LFE RL RR ]  priority.session = 500 } }
    { factory = adapter
      args = { factory.name = support.null-audio-sink  node.name = many
               media.class = Audio/Sink  audio.channels = 64  priority.session = 100
               audio.position = [ AUX0 AUX1 AUX2 AUX3 AUX4 AUX5 AUX6 AUX7 AUX8 AUX9 AUX10 AUX11 AUX12 AUX13 AUX14
                   AUX15 AUX16 AUX17 AUX18 AUX19 AUX20 AUX21 AUX22 AUX23 AUX24 AUX25 AUX26 AUX27 AUX28 AUX29 AUX30
                   AUX31 AUX32 AUX33 AUX34 AUX35 AUX36 AUX37 AUX38 AUX39 AUX40 AUX41 AUX42 AUX43 AUX44 AUX45 AUX46
                   AUX47 AUX48 AUX49 AUX50 AUX51 AUX52 AUX53 AUX54 AUX55 AUX56 AUX57 AUX58 AUX59 AUX60 AUX61 AUX62
                   AUX63 ] } }
]
)";

class PipeWireSoundTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const std::string missing = PipeWireDaemon::missingPrograms(); !missing.empty()) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "a PipeWire of its own needs" << missing;
        }
        for (const char* variable : {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"}) {
            ::setenv(variable, folder_.path().c_str(), 1);
        }
        // No card of this machine's.
        ::setenv("ALSA_CONFIG_PATH", "/dev/null", 1);
        std::filesystem::create_directories(folder_.file("pipewire/pipewire.conf.d"));
        std::ofstream(folder_.file("pipewire/pipewire.conf.d/sinks.conf")) << kSinks;
    }

    void start() { daemon_ = std::make_unique<PipeWireDaemon>(folder_.path()); }
    /// Waits until it has all sinks.
    void startWithSinks() {
        start();
        ASSERT_TRUE(comesTrue([] { return soundOutputs().devices.size() >= 3; })) << daemon_->said();
    }
    std::unique_ptr<SoundOutput> play(const std::string& device = "default", std::uint32_t rate = 48'000) {
        return openSoundOutput({.device = device, .rate = rate, .channels = 2, .layout = 3, .name = "test"},
                               filler_);
    }
    static void run(std::vector<std::string> command) {
        ChildProcess child(command);
        ASSERT_EQ(child.waitForEnd(), 0) << child.errors();
    }

    TemporaryFolder folder_;
    CountingFiller filler_;
    std::unique_ptr<PipeWireDaemon> daemon_;
};

/// Reads until the counts are heard, and then until `wanted` of them have followed each other.
struct Heard {
    std::uint64_t first = 0;
    std::uint64_t samples = 0;
    TimestampNs at = 0;  // capturedAt of the first
};
Heard hear(SoundSource& source, std::uint64_t wanted) {
    Heard heard;
    CapturedSound block;
    while (heard.samples < wanted) {
        block = nextBlock(source, std::move(block));
        const std::size_t count = block.samples.size() / source.format().channels;
        for (std::size_t i = 0; i < count; ++i) {
            const auto which = CountingFiller::countOf(block.samples[i]);
            const bool follows = which && *which == heard.first + heard.samples &&
                                 block.samples[count + i] == -block.samples[i];
            if (heard.samples > 0 && follows) {
                ++heard.samples;
            } else if (which) {
                heard = {.first = *which,
                         .samples = 1,
                         .at = block.capturedAt +
                               static_cast<TimestampNs>(i * 1'000'000'000 / source.format().rate)};
            } else {
                heard = {};
            }
        }
    }
    return heard;
}

TEST_F(PipeWireSoundTest, WhatIsPlayedIsHeardBitByBitAndInTime) {
    startWithSinks();
    const auto output = play();
    const auto monitor = openSoundDevice("monitor", {});
    EXPECT_EQ(monitor->format().rate, 48'000U);
    EXPECT_EQ(monitor->format().channels, 2U);
    EXPECT_EQ(monitor->format().layout, 3U);
    EXPECT_EQ(monitor->format().maxSamples, 240U);

    const Heard heard = hear(*monitor, 48'000);
    const TimestampNs apart = heard.at - filler_.heardAt(heard.first);
    RecordProperty("apart_us", std::to_string(apart / 1000));
    EXPECT_LT(std::abs(apart), kAgreement) << apart / 1000 << " us";

    const SoundOutputStatus status = output->status();
    EXPECT_EQ(status.device, "First sink (PipeWire)");
    EXPECT_EQ(status.problem, "");
    EXPECT_EQ(status.rate, 48'000U);
    EXPECT_EQ(status.channels, 2U);
    EXPECT_EQ(monitor->describe(), "sound of First sink (PipeWire)");
}

}  // namespace
}  // namespace verbcast::testing
