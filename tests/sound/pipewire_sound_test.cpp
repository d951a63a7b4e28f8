// Sound through a PipeWire of the test's own, whose sinks play nowhere: what is played comes out of their
// monitors, bit by bit and in time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "capture/sound/open_sound_device.h"
#include "capture/sound/pipewire_sound.h"
#include "tests/capture/screen/portal/pipewire_daemon.h"
#include "tests/sound/counting_filler.h"
#include "tests/sound/pipewire_sinks.h"
#include "tests/sound/sound_support.h"
#include "tests/support/child_process.h"
#include "tests/support/required_package.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kMs = 1'000'000;
// The monitor passes on what a sink that plays nowhere took in the cycle before: the two accounts of a
// sample's time differ by one cycle. A busy machine must pass, too.
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
        preparePipeWire(folder_.path(), kSinks);
    }

    void TearDown() override {
        if (HasFailure() && daemon_) {
            std::cerr << daemon_->said();
        }
    }
    void start() { daemon_ = std::make_unique<PipeWireDaemon>(folder_.path()); }
    /// Waits until it has all sinks.
    void startWithSinks() {
        start();
        const auto hasPorts = [](const SoundDevice& device) {
            return !device.name.starts_with("pipewire:") || device.detail != "PipeWire";
        };
        ASSERT_TRUE(comesTrue([&] {
            const SoundDevices found = soundOutputs();
            return found.devices.size() >= 3 && std::ranges::all_of(found.devices, hasPorts);
        })) << daemon_->said();
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

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

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

    const Heard heard = hear(*monitor, 12'000);
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

TEST_F(PipeWireSoundTest, ListsDevicesBothWays) {
    startWithSinks();
    const auto isNamed = [](const std::string& name) {
        return [name](const SoundDevice& device) { return device.name == name; };
    };
    const SoundDevices outputs = soundOutputs();
    const auto first = std::ranges::find_if(outputs.devices, isNamed("pipewire:first"));
    ASSERT_NE(first, outputs.devices.end());
    EXPECT_EQ(first->description, "First sink");
    EXPECT_EQ(first->detail, "PipeWire, 2 channels");
    EXPECT_TRUE(first->isDefault);
    const SoundDevices inputs = soundInputs();
    const auto surround = std::ranges::find_if(inputs.devices, isNamed("pipewire:surround"));
    ASSERT_NE(surround, inputs.devices.end());
    EXPECT_EQ(surround->description, "monitor of Surround sink");
    EXPECT_EQ(surround->detail, "PipeWire, 6 channels");
    EXPECT_FALSE(surround->isDefault);
}

TEST_F(PipeWireSoundTest, RefusesWhatThereIsNot) {
    startWithSinks();
    const auto messageOf = [](auto&& open) -> std::string {
        try {
            open();
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_PRED2(contains, messageOf([&] { play("pipewire:absent"); }), "pipewire:first, pipewire:surround");
    EXPECT_PRED2(contains, messageOf([&] { play("absent"); }), "there is no sound output absent");
    EXPECT_PRED2(contains, messageOf([] { openSoundDevice("absent", {}); }), "pipewire:first");
    EXPECT_PRED2(contains, messageOf([] { openSoundDevice("default", {}); }),
                 "there is no sound input default");
    EXPECT_PRED2(contains, messageOf([&] { play("default", 1); }), "1 Hz: 8000 to 192000 expected");
}

TEST_F(PipeWireSoundTest, EachDeviceIsCapturedWithItsOwnChannels) {
    startWithSinks();
    const auto output = play("Surround sink");
    const auto surround = openSoundDevice("surround", {});
    EXPECT_EQ(surround->format().channels, 6U);
    EXPECT_EQ(surround->format().layout, 0x3FU);
    CapturedSound block;
    ASSERT_TRUE(comesTrue([&] {
        block = nextBlock(*surround, std::move(block));
        return CountingFiller::countOf(block.samples.front()).has_value();
    }));
    const std::size_t count = block.samples.size() / 6;
    EXPECT_EQ(block.samples[count], -block.samples[0]);
    EXPECT_EQ(block.samples[2 * count], 0);  // the centre is silent
    const auto many = openSoundDevice("pipewire:many", {.block = std::chrono::milliseconds(10)});
    EXPECT_EQ(many->format().channels, 64U);
    EXPECT_EQ(many->format().layout, 0U);
    EXPECT_EQ(nextBlock(*many).samples.size() % 64, 0U);
}

TEST_F(PipeWireSoundTest, OneProgramIsCapturedByItsNode) {
    startWithSinks();
    const auto output = play("surround");
    ASSERT_TRUE(comesTrue([&] { return output->status().device == "Surround sink (PipeWire)"; }));
    const auto program = openSoundDevice("pipewire:verbcast", {});
    EXPECT_EQ(program->format().channels, 6U);  // as PipeWire mixes it for its sink
    EXPECT_EQ(program->describe(), "sound of verbcast (PipeWire)");
    hear(*program, 4800);
}

TEST_F(PipeWireSoundTest, ProgramsThatComeAndGoAreAddedUp) {
    startWithSinks();
    const auto levelFile = [&](const std::string& level) {
        std::string path = folder_.file(level + ".wav");
        run({"ffmpeg", "-v", "error", "-f", "lavfi", "-i",
             "aevalsrc=" + level + "|" + level + ":s=48000:d=60", "-c:a", "pcm_f32le", path});
        return path;
    };
    const auto output = play();  // this process's, and not wanted
    const auto sound = openPipeWirePrograms([](pid_t process) { return process != ::getpid(); }, {});
    float loudest = 0;
    const auto becomes = [&](float wanted) {
        CapturedSound block;
        return comesTrue([&] {
            block = nextBlock(*sound, std::move(block));
            loudest = std::max(loudest, std::ranges::max(block.samples));
            return block.samples.front() == wanted;
        });
    };
    EXPECT_TRUE(becomes(0)) << "silence";
    EXPECT_EQ(sound->format().layout, 3U);
    const auto plays = [&](const std::string& level) {
        return std::make_unique<ChildProcess>(
            std::vector<std::string>{"pw-play", "--target", "surround", levelFile(level)});
    };
    auto first = plays("0.25");
    EXPECT_TRUE(becomes(0.25F));
    EXPECT_EQ(sound->format().layout, 0x3FU) << "what it plays to has 5.1";
    auto second = plays("0.5");
    EXPECT_TRUE(becomes(0.75F));
    first.reset();
    EXPECT_TRUE(becomes(0.5F));
    second.reset();
    EXPECT_TRUE(becomes(0));
    // In between PipeWire resamples, and mixes other channels.
    EXPECT_LE(loudest, 0.7501F);
}

TEST_F(PipeWireSoundTest, BothSidesFollowTheDefaultDevice) {
    startWithSinks();
    const auto output = play();
    const auto monitor = openSoundDevice("monitor", {});
    hear(*monitor, 480);
    run({"pw-metadata", "0", "default.configured.audio.sink", R"({ "name": "surround" })",
         "Spa:String:JSON"});
    EXPECT_TRUE(comesTrue([&] { return output->status().device == "Surround sink (PipeWire)"; }));
    CapturedSound block;
    EXPECT_TRUE(comesTrue([&] {
        block = nextBlock(*monitor, std::move(block));
        return monitor->format().channels == 6 && CountingFiller::countOf(block.samples.front());
    }));
    EXPECT_EQ(monitor->notes().size(), 1U) << ::testing::PrintToString(monitor->notes());
}

TEST_F(PipeWireSoundTest, ADeviceThatGoesIsReplacedOrWaitedFor) {
    startWithSinks();
    const auto output = play("first");
    const auto monitor = openSoundDevice("pipewire:first", {});
    hear(*monitor, 480);
    run({"pw-cli", "destroy", "first"});
    EXPECT_TRUE(comesTrue([&] { return output->status().device == "Surround sink (PipeWire)"; }));
    EXPECT_TRUE(comesTrue([&] { return !monitor->notes().empty(); }));
    EXPECT_EQ(monitor->notes().front(), "PipeWire has no first: sound is waited for");
    EXPECT_EQ(monitor->describe(), "sound of no device (PipeWire)");
    run({"pw-cli", "create-node", "adapter",
         "{ factory.name=support.null-audio-sink node.name=first media.class=Audio/Sink object.linger=true "
         "priority.session=1000 audio.position=[FL FR] }"});
    EXPECT_TRUE(comesTrue([&] { return output->status().device == "first (PipeWire)"; }));
    hear(*monitor, 480);
    EXPECT_EQ(output->status().problem, "");
}

TEST_F(PipeWireSoundTest, BothSidesFollowTheGraphsRate) {
    startWithSinks();
    const auto output = play();
    const auto monitor = openSoundDevice("monitor", {});
    hear(*monitor, 480);
    run({"pw-metadata", "-n", "settings", "0", "clock.force-rate", "44100"});
    CapturedSound block;
    std::int64_t last = 0;
    EXPECT_TRUE(comesTrue([&] {
        block = nextBlock(*monitor, std::move(block));
        const bool isNew = monitor->format().rate == 44'100;
        const bool goesOn = !isNew || last == 0 || block.at > last;
        EXPECT_TRUE(goesOn) << block.at << " after " << last;
        last = isNew ? block.at : 0;
        return isNew && std::ranges::any_of(block.samples, [](float sample) { return sample != 0; });
    }));
    std::vector<std::string> notes = monitor->notes();
    std::erase(notes, "sound was lost, because it was not read in time");  // on a busy machine
    ASSERT_EQ(notes.size(), 1U) << ::testing::PrintToString(notes);
    EXPECT_EQ(
        notes.front(),
        "the sound device has changed from 48 kHz, 2 channels (stereo) to 44.1 kHz, 2 channels (stereo)");
    const std::uint64_t fills = filler_.fills();
    EXPECT_TRUE(comesTrue([&] { return filler_.fills() > fills + 10; }));
    EXPECT_EQ(output->status().rate, 48'000U);
}

TEST_F(PipeWireSoundTest, SoundComesBackWithTheDaemon) {
    startWithSinks();
    const auto output = play();
    const auto monitor = openSoundDevice("monitor", {});
    hear(*monitor, 480);
    daemon_.reset();
    EXPECT_TRUE(comesTrue([&] { return output->status().problem == "PipeWire has ended"; }));
    const std::uint64_t fills = filler_.fills();
    start();
    EXPECT_TRUE(comesTrue([&] { return filler_.fills() > fills + 10; })) << output->status().problem;
    EXPECT_EQ(output->status().problem, "");
    CapturedSound block;
    while (monitor->read(block) == Status::Ok) {  // what came before
    }
    const Heard heard = hear(*monitor, 4800);
    EXPECT_LT(std::abs(heard.at - filler_.heardAt(heard.first)), kAgreement);
    const std::vector<std::string> notes = monitor->notes();
    EXPECT_EQ(std::ranges::count(notes, "PipeWire has ended: sound is waited for"), 1);
}

TEST_F(PipeWireSoundTest, AnOutputWaitsForTheFirstDaemon) {
    const auto output = play();
    EXPECT_EQ(output->status().problem, "no PipeWire runs, and ALSA has no device that plays");
    EXPECT_THROW(openSoundDevice("monitor", {}), Error);
    EXPECT_EQ(soundOutputs().problems.front(), "no PipeWire runs");
    EXPECT_EQ(filler_.fills(), 0U);
    start();
    EXPECT_TRUE(comesTrue([&] { return filler_.fills() > 10; })) << output->status().problem;
}

class ThoroughPipeWireSoundTest : public PipeWireSoundTest {};

TEST_F(ThoroughPipeWireSoundTest, TimesAgreeForAMinute) {
    startWithSinks();
    const auto output = play();
    const auto monitor = openSoundDevice("monitor", {});
    for (int i = 0; i < 60; ++i) {
        const Heard heard = hear(*monitor, 48'000);
        EXPECT_LT(std::abs(heard.at - filler_.heardAt(heard.first)), kAgreement);
    }
}

}  // namespace
}  // namespace verbcast::testing
