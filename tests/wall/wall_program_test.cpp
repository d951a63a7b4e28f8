// verbcast wall, and viewers that are its displays: they receive what ffmpeg crops from the stream.
#include <fstream>

#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class WallTest : public ProgramAndFfmpegTest {
  protected:
    static constexpr int kFrames = 12;

    void makeClip(int width, int height, const std::string& pixels) {
        ffmpeg({"-f", "lavfi", "-i", movingPicture(width, height, pixels), "-frames:v",
                std::to_string(kFrames), "-r", "25", "-c:v", pixels == "v210" ? "v210" : "rawvideo", "-y",
                file("clip.nut")});
    }
    void makeWall(const Arguments& more) {
        Verbcast made(Arguments{"wall", "new"} + more + Arguments{"--output", file("wall.json"), "--force"},
                      home_);
        ASSERT_TRUE(endsWith(made, 0));
    }
    struct Watched {
        std::vector<FrameSum> sums;
        nlohmann::json stats;
        std::string said;
    };
    Watched watch(const std::string& transport, const std::string& tile, const Arguments& sending = {}) {
        Verbcast sender(Arguments{"send", file("clip.nut"), "--once", "--fps", "max", "--listen",
                                  listenAddressFor(transport)} +
                            sending,
                        home_);
        Verbcast viewer({"view", "--headless", "--once", "--wall", file("wall.json"), "--tile", tile,
                         sender.listenAddress(), "--frame-md5", file("got"), "--stats-json", file("stats")},
                        home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        return {frameSums(file("got")), readJson(file("stats")), viewer.errors()};
    }
    std::vector<FrameSum> cropped(int width, int height, int x, int y) const {
        return ffmpegFrameSums({"-i", file("clip.nut"), "-vf",
                                "crop=" + std::to_string(width) + ":" + std::to_string(height) + ":" +
                                    std::to_string(x) + ":" + std::to_string(y)});
    }
};

class TileOver : public WallTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(TileOver, IsWhatFfmpegCutsOut) {
    struct Case {
        const char* pixels;
        int width, height;
        const char* tile;
        int column, row;
    };
    for (const Case& each : {Case{"yuv420p", 320, 180, "1-2", 1, 0}, Case{"bgra", 322, 182, "2-1", 0, 1},
                             Case{"yuv422p10le", 320, 180, "2-2", 1, 1}}) {
        makeClip(each.width, each.height, each.pixels);
        const int width = each.width / 2, height = each.height / 2;
        makeWall({"2x2", "--size", std::to_string(width) + "x" + std::to_string(height)});
        // --changes compare: the sender detects what has changed in the picture.
        const Watched watched = watch(GetParam(), each.tile, {"--changes", "compare"});
        ASSERT_EQ(watched.sums.size(), static_cast<std::size_t>(kFrames));
        EXPECT_EQ(watched.sums, cropped(width, height, each.column * width, each.row * height))
            << each.pixels;
        const std::uint64_t rectangle = watched.sums.front().bytes * kFrames;
        EXPECT_EQ(watched.stats["bytes"], rectangle);
        EXPECT_LE(watched.stats["bytes_moved"].get<double>(), 1.02 * static_cast<double>(rectangle));
    }
}

VERBCAST_OVER_TRANSPORTS(TileOver, variantsUnderTest());

TEST_F(WallTest, OfV210IsCutInItsUnits) {
    makeClip(384, 96, "yuv422p10le");
    makeWall({"2x1", "--size", "192x96"});
    const Arguments asV210{"--format", "v210"};
    const auto sums = watch("tcp", "1-2", asV210).sums;
    EXPECT_EQ(sums.size(), static_cast<std::size_t>(kFrames));
    EXPECT_EQ(sums, watch("shm", "1-2", asV210).sums);
}

TEST_F(WallTest, ShowsPicturesOfItsShapeInProportionAndOthersAsTheFileSays) {
    makeClip(320, 180, "yuv420p");
    makeWall({"2x2", "--size", "1920x1080"});
    const Watched small = watch("tcp", "2-2");
    EXPECT_EQ(small.sums, cropped(160, 90, 160, 90));
    EXPECT_TRUE(holds(small.said,
                      "tile 2-2: the picture has 320x180 pixels, the wall was made for 3840x2160: "
                      "shown in proportion"));
    makeWall({"4x1", "--size", "640x480"});
    const Watched fitted = watch("tcp", "1-2");  // 320 of its 640 pixels are beside the picture
    EXPECT_TRUE(holds(fitted.said, "the wall was made for 2560x480: shown with black at its sides"));
    EXPECT_EQ(fitted.sums, cropped(160, 180, 0, 0));
    makeWall({"4x1", "--size", "640x480", "--fit", "fill"});
    const Watched filled = watch("tcp", "1-2");
    EXPECT_TRUE(holds(filled.said, "cut off above and below"));
    EXPECT_EQ(filled.sums, cropped(80, 60, 80, 60));
    makeWall({"4x1", "--size", "640x480", "--fit", "stretch"});
    EXPECT_EQ(watch("tcp", "1-2").sums, cropped(80, 180, 80, 0));
}

TEST_F(WallTest, DoesNotShowPicturesThatMustBeStretched) {
    ffmpeg({"-f", "lavfi", "-i", movingPicture(320, 180, "yuv420p"), "-vf", "setsar=4/3", "-frames:v",
            std::to_string(kFrames), "-r", "25", "-c:v", "rawvideo", "-y", file("clip.nut")});
    makeWall({"2x2", "--size", "1920x1080"});
    const Watched other = watch("tcp", "1-1");
    EXPECT_TRUE(other.sums.empty());
    EXPECT_TRUE(holds(other.said, "must be rotated or stretched before it is shown"));
    EXPECT_EQ(other.stats["frames_received"], kFrames) << "they came, and none was lost";
    EXPECT_EQ(other.stats["frames_dropped"], 0);
    EXPECT_EQ(other.stats["frames_shown"], 0);
    Verbcast sender({"send", file("clip.nut"), "--loop", "--listen", listenAddressFor("shm")}, home_);
    Verbcast viewer({"view", "--headless", "--frames", "2", "--wall", file("wall.json"), "--tile", "1-1",
                     sender.listenAddress()},
                    home_);
    EXPECT_TRUE(endsWith(viewer, 0)) << "those that do not fit count, too";
}

TEST_F(WallTest, NewWritesAFileThatCheckLikesAndNeverReplacesOne) {
    const Arguments make{"wall",    "new",  "3x2",      "--bezel",     "7mm",
                         "--pitch", "0.53", "--output", file("w.json")};
    Verbcast made(make, home_);
    EXPECT_TRUE(endsWith(made, 0));
    EXPECT_TRUE(holds(made.output(), "A wall of 6 displays for pictures of 5786x2173"));
    Verbcast again(make, home_);
    EXPECT_TRUE(endsWith(again, kUsage));
    EXPECT_TRUE(holds(again.errors(), "w.json exists"));
    Verbcast checked({"wall", "check", file("w.json")}, home_);
    EXPECT_TRUE(endsWith(checked, 0));
    EXPECT_TRUE(holds(checked.output(), "2-3"));
    EXPECT_TRUE(holds(checked.output(), "3866,1093"));
    EXPECT_TRUE(holds(checked.output(), "1.04 % of which is between or beside them. No problems."));
    Verbcast asked({"wall", "check", file("w.json"), "--picture", "1280x960"}, home_);
    EXPECT_TRUE(endsWith(asked, 0));
    EXPECT_TRUE(holds(asked.output(), "the wall was made for 5786x2173: shown with black at its sides"));
    EXPECT_TRUE(holds(asked.output(), "1-1: 210x477 of the picture's pixels, the rest black"));
    Verbcast drawn({"wall", "show", file("w.json"), "--output", file("w.svg")}, home_);
    EXPECT_TRUE(endsWith(drawn, 0));
    EXPECT_TRUE(holds(contentOf(file("w.svg")), "<svg xmlns"));
    Verbcast printed({"wall", "new", "2x1"}, home_);
    EXPECT_TRUE(endsWith(printed, 0));
    EXPECT_EQ(nlohmann::json::parse(printed.output())["displays"].size(), 2U);
}

TEST_F(WallTest, CheckListsEachProblem) {
    std::ofstream(file("bad.json")) << R"({"verbcast_wall": 1, "canvas": {"width": 200, "height": 100},
        "displays": [{"name": "a", "rectangle": {"x": 0, "y": 0, "width": 120, "height": 100}},
                     {"name": "a", "rectangle": {"x": 90, "y": 0, "width": 120, "height": 90}}]})";
    Verbcast checked({"wall", "check", file("bad.json")}, home_);
    EXPECT_TRUE(endsWith(checked, kInput));
    EXPECT_TRUE(holds(checked.output(), "problems in "));
    EXPECT_TRUE(holds(checked.output(), "two displays have the name a"));
    EXPECT_TRUE(holds(checked.output(), "extends beyond the canvas of 200x100"));
    EXPECT_TRUE(holds(checked.output(), "overlap by 30x90 pixels"));
    Verbcast viewer({"view", "--headless", "--wall", file("bad.json"), "--tile", "a"}, home_);
    EXPECT_TRUE(endsWith(viewer, kInput));
    EXPECT_TRUE(holds(viewer.errors(), "is not a valid wall"));
}

TEST_F(WallTest, WordsThatDoNotFitTogetherAreRefused) {
    makeWall({"2x1"});
    const std::string wall = file("wall.json");
    struct Case {
        Arguments arguments;
        std::string says;
    };
    for (const Case& each : std::vector<Case>{
             {{"view", "--headless", "--wall", wall}, "--wall needs --tile"},
             {{"view", "--headless", "--tile", "1-1"}, "--tile needs --wall"},
             {{"view", "--headless", "--wall", wall, "--tile", "1-3"}, "its displays are 1-1, 1-2"},
             {{"view", "--headless", "--wall", wall, "--tile", "1-1", "shm://a", "shm://b"},
              "one stream expected"},
             {{"wall", "new", "3"}, "COLUMNSxROWS expected"},
             {{"wall", "new", "0x2"}, "COLUMNSxROWS expected"},
             {{"wall", "new", "100x10"}, "are 1000 displays: at most 256"},
             {{"wall", "new", "2x2", "--bezel", "7mm"}, "add --pitch MM"},
             {{"wall", "new", "2x2", "--bezel", "2.5"}, "whole pixels from 0 to 4096 expected, not 2.5"},
             {{"wall", "new", "2x2", "--bezel", "5", "--overlap", "5"}, "leave one of them out"},
             {{"wall", "new", "2x2", "--overlap", "-5"}, "--overlap -5: whole pixels"},
             {{"wall", "new", "2x2", "--rotate", "45"}, "--rotate 45: 0, 90, 180 or 270"},
             {{"wall", "show", wall, "--output", file("w.png")}, "a name that ends with .svg expected"},
         }) {
        Verbcast refused(each.arguments, home_);
        EXPECT_TRUE(endsWith(refused, kUsage));
        EXPECT_TRUE(holds(refused.errors(), each.says));
    }
}

}  // namespace
}  // namespace verbcast::testing
