// What a window plays on a PipeWire of the test's own, heard at its sink's monitor.
#include "tests/window/sound/pipewire_window_fixture.h"

namespace verbcast::testing {
namespace {

class ThoroughWindowPipeWireTest : public PipeWireWindowTest {
  protected:
    /// The next pip (half of full scale; the tone between is quieter), and the seconds since `from`.
    static double secondsToNextPip(SoundSource& monitor, TimestampNs from) {
        for (;;) {
            const CapturedSound block = nextBlock(monitor);
            for (std::size_t i = 0; i < block.samples.size() / monitor.format().channels; ++i) {
                const TimestampNs at =
                    block.capturedAt + static_cast<TimestampNs>(i * 1'000'000'000 / monitor.format().rate);
                if (std::abs(block.samples[i]) > kPip && at > from + kBetween) {
                    return static_cast<double>(at - from) * 1e-9;
                }
            }
        }
    }

    static constexpr float kPip = 0.15F;
    static constexpr TimestampNs kBetween = 500'000'000;
};

TEST_F(ThoroughWindowPipeWireTest, PipsAreASecondApart) {
    const Verbcast sender({"send", "pattern:flash", "--size", "320x180", "--fps", "30", "--listen", url()},
                          folder());
    const auto monitor = openMonitor();
    openWindow({"--stats-json", file("stats.json"), "--seconds", "12"});
    TimestampNs at = nowNs();
    std::vector<double> apart;
    for (int pip = 0; pip < 6; ++pip) {
        apart.push_back(secondsToNextPip(*monitor, at));
        at += static_cast<TimestampNs>(apart.back() * 1e9);
    }
    // The first one follows the start, and the second one may follow a correction.
    for (std::size_t pip = 2; pip < apart.size(); ++pip) {
        EXPECT_NEAR(apart[pip], 1, 0.01) << pip;
    }
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    const QJsonObject played = readJson(file("stats.json"))["sound"].toObject()["playback"].toObject();
    EXPECT_EQ(played["device"].toString(), "Studio (PipeWire)");
    EXPECT_EQ(played["problem"].toString(), "");
    EXPECT_LT(std::abs(played["offset_ms"].toDouble()), 20) << "of a busy machine";
}

}  // namespace
}  // namespace verbcast::testing
