// The program with a hardware decoder: what it sends and what it reports.
#include "tests/decoding/double_display.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class DecoderProgram : public ProgramAndFfmpegTest {
  protected:
    void SetUp() override {
        ProgramAndFfmpegTest::SetUp();
        screen_.emplace("64x64x24");
        environment_.emplace(doubleVariables(screen_->display()));  // also for child processes
        clip_ = file("clip.mkv");
        ffmpeg(std::vector<std::string>{"-f", "lavfi", "-i", "testsrc2=s=192x128:r=25", "-frames:v", "30",
                                        "-c:v", "mpeg2video", "-b:v", "1M", "-bf", "2", clip_});
    }

    /// Sends the file to a viewer; returns the sender's statistics.
    nlohmann::json play(const Arguments& more) {
        const std::string address = "shm://" + home_.path().substr(home_.path().rfind('/') + 1);
        const Arguments common{"send",   clip_,    "--fps", "max",          "--listen",       address,
                               "--open", "--once", "-v",    "--stats-json", file("sent.json")};
        Verbcast sender(common + more, home_);
        Verbcast viewer({"view", address, "--headless", "--once", "--frame-md5", file("seen")}, home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        said_ = sender.errors();
        return readJson(file("sent.json"));
    }

    std::optional<Xvfb> screen_;
    std::optional<Environment> environment_;
    std::string clip_, said_;
};

TEST_F(DecoderProgram, TellsWhichDecodes) {
    const auto stats = play({});
    EXPECT_EQ(stats["decoder"]["name"], "vaapi");
    EXPECT_EQ(stats["decoder"]["codec"], "mpeg2video");
    EXPECT_EQ(stats["decoder"]["from_device"], 30);
    EXPECT_TRUE(holds(said_, "(mpeg2video by vaapi)"));
    EXPECT_EQ(frameSums(file("seen")), ffmpegFrameSums({"-i", clip_, "-pix_fmt", "nv12"}));
}

TEST_F(DecoderProgram, TellsOnceWhoTookOver) {
    environment_->set("VA_DOUBLE_FAIL", "vaEndPicture:17");
    const auto stats = play({"--decoder", "vaapi"});
    EXPECT_EQ(stats["decoder"]["name"], "software");
    EXPECT_TRUE(holds(stats["decoder"]["reason"], "vaapi failed: "));
    const std::string note = "note: the decoder vaapi failed (";
    EXPECT_TRUE(holds(said_, note));
    EXPECT_EQ(said_.find(note), said_.rfind(note));
    EXPECT_EQ(frameSums(file("seen")), ffmpegFrameSums({"-i", clip_, "-pix_fmt", "nv12"}));
}

TEST_F(DecoderProgram, ListsWhatThereIs) {
    Verbcast devices({"devices"}, home_);
    EXPECT_TRUE(endsWith(devices, 0));
    EXPECT_TRUE(holds(devices.output(), "  software  works\n"));
    EXPECT_TRUE(holds(devices.output(), "  vaapi     works; FFmpeg decodes "));
    environment_->set("LIBVA_DRIVER_NAME", "absent");
    Verbcast without({"devices"}, home_);
    EXPECT_TRUE(endsWith(without, 0));
    EXPECT_TRUE(holds(without.output(), "  vaapi     none: "));
}

TEST_F(DecoderProgram, RefusesWhatIsMissing) {
    environment_->set("LIBVA_DRIVER_NAME", "absent");
    Verbcast sender({"send", clip_, "--decoder", "vaapi"}, home_);
    EXPECT_TRUE(endsWith(sender, static_cast<int>(ErrorKind::Device)));
    EXPECT_TRUE(holds(sender.errors(), "--decoder vaapi cannot decode the video in " + clip_));
    EXPECT_TRUE(holds(sender.errors(), "mesa-va-drivers"));
    Verbcast misspelt({"send", clip_, "--decoder", "vappi"}, home_);
    EXPECT_TRUE(endsWith(misspelt, static_cast<int>(ErrorKind::Usage)));
    EXPECT_TRUE(holds(misspelt.errors(), "did you mean vaapi?"));
}

}  // namespace
}  // namespace verbcast::testing
