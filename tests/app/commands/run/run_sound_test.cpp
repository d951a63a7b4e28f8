// What the programs of `verbcast run` play, on an X server and a PipeWire of the test's own.
#include <algorithm>
#include <memory>

#include "tests/app/commands/run/run_fixture.h"
#include "tests/capture/screen/portal/pipewire_daemon.h"
#include "tests/sound/pipewire_sinks.h"
#include "tests/support/exit_codes.h"
#include "tests/support/ffmpeg_program.h"
#include "tests/support/required_package.h"

namespace verbcast::testing {
namespace {

class RunSoundTest : public RunTest {
  protected:
    void SetUp() override {
        RunTest::SetUp();
        if (const std::string missing = PipeWireDaemon::missingPrograms(); !missing.empty()) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "a PipeWire of its own needs" << missing;
        }
        preparePipeWire(desktop_.path(), kSink);
    }

    /// A file of samples that all have this value: PipeWire passes them on as they are.
    std::string level(const char* value) const {
        const std::string path = file(std::string(value) + ".wav");
        ffmpeg({"-v", "error", "-f", "lavfi", "-i",
                std::string("aevalsrc=") + value + "|" + value + ":s=48000:d=60", "-c:a", "pcm_f32le", path});
        return path;
    }

    static constexpr const char* kSink = R"(context.objects = [
        { factory = adapter
          args = { factory.name = support.null-audio-sink  node.name = nowhere
                   media.class = Audio/Sink  audio.position = [ FL FR ] } } ])";
    TemporaryFolder desktop_;
};

ReceiverOptions withSound(const std::string& address) {
    ReceiverOptions options;
    options.url = parseUrl(address);
    options.further = {{.content = TrackContent::Nothing}, {.content = TrackContent::Sound}};
    return options;
}

TEST_F(RunSoundTest, WhatItsProcessesPlayIsSentBesideItsPictures) {
    const PipeWireDaemon daemon(desktop_.path());
    // A process beside the one that draws plays two sounds; another program plays, too.
    ChildProcess other({"pw-play", level("0.125")});
    Verbcast running(run({"sh", "-c",
                          "pw-play " + level("0.25") + " & pw-play " + level("0.5") + " & exec " +
                              KNOWN_SCENE_PROGRAM + " glx 100000 64x48"}),
                     home_);
    FrameReceiver receiver(withSound(address()));
    ReceivedFrame picture;
    ASSERT_EQ(receiver.receive(picture, kPatience), Status::Ok) << running.errors();
    const double shown = static_cast<double>(picture.info.pts) * picture.format->timeBase.value();
    std::vector<float> levels{0};
    double heard = 0;
    while (levels.back() != 0.75F) {
        ReceivedFrame sound;
        ASSERT_EQ(receiver.receive(sound, kPatience, kSoundTrack), Status::Ok) << running.errors();
        const auto* const samples = reinterpret_cast<const float*>(sound.lease.data());
        for (std::size_t i = 0; i < sound.info.payloadBytes / sizeof(float); ++i) {
            if (samples[i] != levels.back()) {
                levels.push_back(samples[i]);
            }
        }
        heard = sound.sound->secondsOf(sound.info.pts);
        EXPECT_NEAR(heard, static_cast<double>(sound.info.capturedAt) * 1e-9, 0.001);
    }
    for (const float value : levels) {
        EXPECT_TRUE(value == 0 || value == 0.25F || value == 0.5F || value == 0.75F) << value;
    }
    EXPECT_NEAR(heard, shown, std::chrono::duration<double>(kPatience).count()) << "on one time line";
    EXPECT_TRUE(endsBySignal(running));
}

TEST_F(RunSoundTest, WithoutPipeWirePicturesGoOnAndItIsSaidOnce) {
    Verbcast running(run({KNOWN_SCENE_PROGRAM, "glx", "100000", "64x48"}), home_);
    ColourViewer viewer(address());
    for (int picture = 0; picture < 5; ++picture) {
        EXPECT_TRUE(viewer.next());
    }
    EXPECT_TRUE(endsBySignal(running));
    const std::string said = running.errors();
    const std::size_t at = said.find("no PipeWire runs");
    EXPECT_NE(at, std::string::npos) << said;
    EXPECT_EQ(said.find("no PipeWire runs", at + 1), std::string::npos) << said;
}

TEST_F(RunSoundTest, ADeviceThatIsNotThereIsRefused) {
    Verbcast running(run({"true"}, {"--audio", "absent"}), home_);
    EXPECT_TRUE(endsWith(running, kDevice));
    EXPECT_TRUE(holds(running.errors(), "there is no sound input absent"));
}

}  // namespace
}  // namespace verbcast::testing
