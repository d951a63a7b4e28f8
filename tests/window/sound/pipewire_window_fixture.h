// A window that plays on a PipeWire of the test's own, whose one sink plays nowhere.
#pragma once

#include <algorithm>
#include <memory>

#include "capture/sound/open_sound_device.h"
#include "tests/capture/screen/portal/pipewire_daemon.h"
#include "tests/sound/pipewire_sinks.h"
#include "tests/sound/sound_support.h"
#include "tests/support/required_package.h"
#include "tests/window/window_fixture.h"

namespace verbcast::testing {

class PipeWireWindowTest : public WindowTest {
  protected:
    void SetUp() override {
        if (const std::string missing = PipeWireDaemon::missingPrograms(); !missing.empty()) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "a PipeWire of its own needs" << missing;
        }
        preparePipeWire(folder().toStdString(), kSink);
        startDaemon();
    }
    void TearDown() override {
        WindowTest::TearDown();
        daemon_.reset();
    }

    void startDaemon() {
        daemon_ = std::make_unique<PipeWireDaemon>(folder().toStdString());
        ASSERT_TRUE(comesTrue([] {
            const SoundDevices found = soundInputs();
            return std::ranges::any_of(found.devices, [](const SoundDevice& device) {
                return device.detail == "PipeWire, 2 channels";
            });
        })) << daemon_->said();
    }
    /// What the sink plays.
    static std::unique_ptr<SoundSource> openMonitor() { return openSoundDevice("pipewire:studio", {}); }

    static constexpr const char* kSink = R"(
context.properties = { default.clock.allowed-rates = [ 44100 48000 ] }
context.objects = [
    { factory = adapter
      args = { factory.name = support.null-audio-sink  node.name = studio  node.description = "Studio"
               media.class = Audio/Sink  audio.position = [ FL FR ] } }
]
)";
    std::unique_ptr<PipeWireDaemon> daemon_;
};

}  // namespace verbcast::testing
