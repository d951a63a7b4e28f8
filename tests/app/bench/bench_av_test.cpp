// bench av: real programs on an X server without a monitor and with a PipeWire that plays nowhere.
#include <stdlib.h>

#include <cmath>
#include <optional>

#include "tests/capture/screen/portal/pipewire_daemon.h"
#include "tests/sound/pipewire_sinks.h"
#include "tests/support/exit_codes.h"
#include "tests/support/required_package.h"
#include "tests/support/verbcast_program.h"
#include "tests/support/xvfb.h"

namespace verbcast::testing {
namespace {

using Json = nlohmann::json;

class BenchAvTest : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "QT_QPA_PLATFORM"}) {
            ::unsetenv(variable);
        }
        preparePipeWire(desktop_.path(), kSink);
        ::setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
        ::setenv("VERBCAST_TIMEOUT", "5", 1);
    }
    void startDisplay() {
        xvfb_.emplace("800x600x24");
        ::setenv("DISPLAY", xvfb_->display().c_str(), 1);
    }
    void expectRefused(const Arguments& arguments, int exitCode, const std::vector<std::string>& says) {
        Verbcast program(Arguments{"bench", "av"} + arguments, home_);
        EXPECT_TRUE(endsWith(program, exitCode));
        for (const std::string& part : says) {
            EXPECT_TRUE(holds(program.errors(), part));
        }
    }

    static constexpr const char* kSink = R"(context.objects = [
        { factory = adapter
          args = { factory.name = support.null-audio-sink  node.name = nowhere  node.description = "Nowhere"
                   media.class = Audio/Sink  audio.position = [ FL FR ] } } ])";
    TemporaryFolder desktop_;
    std::optional<Xvfb> xvfb_;
};

TEST_F(BenchAvTest, SaysWhatItNeeds) {
    expectRefused({}, kDisplay, {"DISPLAY"});
    startDisplay();
    expectRefused({}, kDevice, {"no default device", "no PipeWire runs", "--audio"});
    expectRefused({"--audio", "alsa:null"}, kDevice, {"no device alsa:null that plays", "monitor"});
    ::setenv("XDG_SESSION_TYPE", "wayland", 1);
    expectRefused({}, kDisplay, {"in a Wayland session", "xvfb-run"});
}

class ThoroughBenchAvTest : public BenchAvTest {};

TEST_F(ThoroughBenchAvTest, FindsSoundBesideItsPictures) {
    if (const std::string missing = PipeWireDaemon::missingPrograms(); !missing.empty()) {
        SKIP_FOR_WANT_OF_A_PACKAGE() << "a PipeWire of its own needs" << missing;
    }
    startDisplay();
    const PipeWireDaemon daemon(desktop_.path());
    Verbcast program({"bench", "av", "--transport", "shm,tcp", "--size", "320x180", "--fps", "30",
                      "--seconds", "8", "--json", file("report.json"), "--quiet"},
                     home_);
    ASSERT_TRUE(endsWith(program, 0)) << daemon.said();
    const Json rows = readJson(file("report.json")).at("av");
    ASSERT_EQ(rows.size(), 2U);
    for (const Json& row : rows) {
        EXPECT_EQ(row.at("device"), "pipewire:nowhere");
        EXPECT_GE(row.at("offset_ms").at("count"), 5) << row;
        EXPECT_LT(std::abs(row.at("offset_ms").at("p50").get<double>()), 100) << row;
        EXPECT_GT(row.at("monitor_delay_ms"), 0);
        EXPECT_TRUE(row.at("viewer_sound").is_object()) << row;
    }
}

}  // namespace
}  // namespace verbcast::testing
