// Walls whose picture several senders draw: each display assembles its part and shows nothing else.
#include <signal.h>

#include <fstream>

#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using Program = std::unique_ptr<Verbcast>;

class WallSources : public ProgramAndFfmpegTest, public ::testing::WithParamInterface<std::string> {
  protected:
    static constexpr int kFrames = 12;

    Program start(const Arguments& arguments) const { return std::make_unique<Verbcast>(arguments, home_); }
    static std::string crop(int width, int height, int x, int y) {
        return "crop=" + std::to_string(width) + ":" + std::to_string(height) + ":" + std::to_string(x) +
               ":" + std::to_string(y);
    }
    void makeWall(const Arguments& more) {
        const Program made =
            start(Arguments{"wall", "new"} + more + Arguments{"--output", file("wall.json"), "--force"});
        ASSERT_TRUE(endsWith(*made, 0));
        wall_ = readJson(file("wall.json"));
    }
    std::string part(const std::string& source) const { return file(source + ".nut"); }
    /// Writes each source's part of the clip into a file of its own.
    void cutClip(int width, int height, const std::string& pixels) {
        ffmpeg({"-f", "lavfi", "-i", movingPicture(width, height, pixels), "-frames:v",
                std::to_string(kFrames), "-r", "25", "-c:v", "rawvideo", "-y", file("clip.nut")});
        for (const auto& source : wall_["sources"]) {
            const auto& rect = source["rectangle"];
            ffmpeg({"-i", file("clip.nut"), "-vf", crop(rect["width"], rect["height"], rect["x"], rect["y"]),
                    "-c:v", "rawvideo", "-pix_fmt", pixels, "-y", part(source["name"])});
        }
    }
    /// Starts a sender for each source and writes their addresses into the wall file.
    std::vector<Program> sendAll() {
        std::vector<Program> senders;
        for (auto& source : wall_["sources"]) {
            senders.push_back(
                start({"send", part(source["name"]), "--once", "--listen", listenAddressFor(GetParam())}));
            source["url"] = senders.back()->listenAddress();
        }
        std::ofstream(file("wall.json")) << wall_;
        return senders;
    }

    nlohmann::json wall_;
};

TEST_P(WallSources, MakeThePictureThatOneSenderHas) {
    for (const char* pixels : {"yuv420p", "bgra"}) {
        makeWall({"1x1", "--size", "320x180", "--sources", "2x2"});
        // The display shows the middle, to which every source contributes.
        wall_["canvas"]["gaps"] = true;
        wall_["displays"][0]["rectangle"] = {{"x", 62}, {"y", 40}, {"width", 200}, {"height", 100}};
        cutClip(320, 180, pixels);
        const std::vector<Program> senders = sendAll();
        const Program viewer = start({"view", "--headless", "--once", "--wall", file("wall.json"), "--tile",
                                      "1-1", "--frame-md5", file("got"), "--stats-json", file("stats")});
        EXPECT_TRUE(endsWith(*viewer, 0));
        EXPECT_EQ(frameSums(file("got")),
                  ffmpegFrameSums({"-i", file("clip.nut"), "-vf", crop(200, 100, 62, 40)}))
            << pixels << "\n"
            << viewer->errors();
        const auto stats = readJson(file("stats"));
        EXPECT_EQ(stats["frames_received"], kFrames);
        EXPECT_EQ(stats["frames_dropped"], 0);
        EXPECT_LE(stats["bytes_moved"].get<double>(), 1.02 * stats["bytes"].get<double>());
        const bool copied = GetParam() == "shm";  // elsewhere the senders write directly into the frames
        EXPECT_EQ(stats["bytes_assembled"], copied ? stats["bytes"] : nlohmann::json(0)) << viewer->errors();
        for (const Program& sender : senders) {
            EXPECT_TRUE(endsWith(*sender, 0)) << sender->errors();
        }
    }
}

TEST_P(WallSources, OfWhichOneThatIsNotThereIsNamedAndWaitedFor) {
    makeWall({"1x1", "--size", "320x180", "--sources", "2x1"});
    cutClip(320, 180, "yuv420p");
    std::vector<Program> senders = sendAll();
    const std::string address = senders[1]->listenAddress();
    senders[1]->signal(SIGINT);
    EXPECT_TRUE(endsWith(*senders[1], 130));
    const Program viewer = start({"view", "--headless", "--wall", file("wall.json"), "--tile", "1-1",
                                  "--frames", std::to_string(kFrames), "--frame-md5", file("got"), "-v"});
    EXPECT_TRUE(viewer->waitForError("part-1-2")) << viewer->errors();
    EXPECT_TRUE(viewer->running());
    senders[1] = start({"send", part("part-1-2"), "--once", "--listen", address});
    EXPECT_TRUE(endsWith(*viewer, 0)) << viewer->errors();
    EXPECT_EQ(frameSums(file("got")), ffmpegFrameSums({"-i", file("clip.nut")}));
}

TEST_P(WallSources, ThatSendAnotherSizeOrFormatAreNamed) {
    makeWall({"1x1", "--size", "320x180", "--sources", "2x1"});
    cutClip(320, 180, "yuv420p");
    for (const auto& [change, words] :
         {std::pair{Arguments{"-vf", "scale=100:60"},
                    "tile 1-1: the pictures of part-1-2 have 100x60 pixels, 160x180 expected"},
          {Arguments{"-pix_fmt", "bgra"}, "tile 1-1: part-1-1 sends 160x180 yuv420p"}}) {
        ffmpeg(Arguments{"-i", part("part-1-1"), "-c:v", "rawvideo"} + change +
               Arguments{"-y", part("part-1-2")});
        const std::vector<Program> senders = sendAll();
        const Program viewer = start({"view", "--headless", "--once", "--wall", file("wall.json"), "--tile",
                                      "1-1", "--frame-md5", file("got")});
        EXPECT_TRUE(endsWith(*viewer, 0));
        EXPECT_TRUE(holds(viewer->errors(), words));
        EXPECT_TRUE(frameSums(file("got")).empty());
    }
}

VERBCAST_OVER_TRANSPORTS(WallSources, variantsUnderTest());

class WallWords : public ProgramTest {};

TEST_F(WallWords, AboutSourcesAreRefusedWithWhatWasExpected) {
    Verbcast made({"wall", "new", "2x1", "--sources", "2x2", "--output", file("w")}, home_);
    ASSERT_TRUE(endsWith(made, 0));
    const auto refused = [&](const Arguments& arguments, int code, const std::string& words) {
        Verbcast program(arguments, home_);
        EXPECT_TRUE(endsWith(program, code)) << words;
        EXPECT_TRUE(holds(program.errors(), words));
    };
    const Arguments view{"view", "--headless", "--wall", file("w"), "--tile", "1-1"};
    refused(view, kUsage, "has no URL of the source part-1-1");
    refused(view + Arguments{"tcp://127.0.0.1:1"}, kUsage, "has 4 sources: the URL of each expected");
    refused(view + Arguments{"--listen"}, kUsage, "not --listen");
    refused({"render", "--source", "part-1-1"}, kUsage, "--source needs --wall");
    refused({"render", "--wall", file("w")}, kUsage, "--wall needs --source");
    refused({"render", "--wall", file("w"), "--source", "x"}, kUsage,
            "its sources are part-1-1, part-1-2, part-2-1, part-2-2");
    refused({"render", "--wall", file("w"), "--source", "part-1-1", "--size", "64x64"}, kUsage,
            "--size with --source");
    refused({"render", "--wall", file("w"), "--source", "part-1-1", "--fps", "max"}, kUsage, "--fps max");
    refused(view + Arguments{"--frame-lock", "on", "shm://a", "shm://b", "shm://c", "shm://d"}, kUsage,
            "does not say which of them says when to show");
    refused({"wall", "new", "2x1", "--sources", "2x2", "--conductor", "x"}, kUsage,
            "name one of them, part-1-1 to part-2-2");
    refused({"wall", "new", "2x1", "--conductor", "part-1-1"}, kUsage, "add --sources COLUMNSxROWS");
    refused({"wall", "new", "2x1", "--sources", "90x2"}, kUsage, "at most 64 sources");
    refused({"wall", "new", "2x1", "--sources", "two"}, kUsage, "--sources two: COLUMNSxROWS expected");
}

using RenderedSources = DrawingTest<ProgramAndFfmpegTest>;

/// Each display shows one source alone, so the second display shows nothing of the conductor.
TEST_F(RenderedSources, AreShownTogetherWhenTheConductorSaysSo) {
    Verbcast made({"wall", "new", "2x1", "--size", "96x96", "--sources", "2x1", "--conductor", "part-1-1",
                   "--output", file("w")},
                  home_);
    ASSERT_TRUE(endsWith(made, 0));
    const auto render = [&](const std::string& source, const Arguments& more) {
        return std::make_unique<Verbcast>(Arguments{"render", "--wall", file("w"), "--source", source,
                                                    "--fps", "10", "--listen", "tcp://127.0.0.1:0"} +
                                              more,
                                          home_);
    };
    const auto left = render("part-1-1", {"--sync", "hold", "--stats-json", file("conductor")}),
               right = render("part-1-2", {});
    const auto view = [&](const std::string& tile, const Arguments& more) {
        return std::make_unique<Verbcast>(
            Arguments{"view", "--headless", "--frame-lock", "on", "--wall", file("w"), "--tile", tile,
                      left->listenAddress(), right->listenAddress(), "--stats-json", file(tile)} +
                more,
            home_);
    };
    const auto one = view("1-1", {});
    ASSERT_TRUE(one->waitForError("receiving ")) << one->errors();
    const auto two = view("1-2", {"--frames", "30"});
    EXPECT_TRUE(endsWith(*two, 0)) << two->errors();
    left->signal(SIGINT);
    EXPECT_TRUE(endsWith(*left, 130));
    EXPECT_TRUE(endsWith(*one, 0));
    right->signal(SIGINT);
    EXPECT_TRUE(endsWith(*right, 130));
    const auto frameLock = readJson(file("conductor"))["together"];
    EXPECT_EQ(frameLock["mode"], "hold");
    EXPECT_EQ(frameLock["displays"].size(), 2U) << frameLock;
    EXPECT_GT(frameLock["frames"].get<int>(), 0) << frameLock;
    const auto shown = readJson(file("1-2"));
    EXPECT_GT(shown["together"]["own"]["frames_shown"].get<int>(), 0) << shown;
    EXPECT_EQ(shown["bytes"], shown["frames_received"].get<std::uint64_t>() * 96 * 96 * 4);
}

/// Compares the pixels of the part with those of the whole picture of the same time.
TEST_F(RenderedSources, AreTheWholePicture) {
    Verbcast made({"wall", "new", "1x1", "--size", "160x96", "--sources", "2x1", "--output", file("w")},
                  home_);
    ASSERT_TRUE(endsWith(made, 0));
    Verbcast one({"wall", "new", "1x1", "--size", "160x96", "--sources", "1x1", "--output", file("one")},
                 home_);
    ASSERT_TRUE(endsWith(one, 0));
    const auto render = [&](const std::string& wall, const std::string& source) {
        return std::make_unique<Verbcast>(Arguments{"render", "--wall", file(wall), "--source", source,
                                                    "--fps", "5", "--listen", "tcp://127.0.0.1:0"},
                                          home_);
    };
    const auto left = render("w", "part-1-1"), right = render("w", "part-1-2"),
               whole = render("one", "part-1-1");
    const auto record = [&](const Arguments& from, const std::string& name) {
        return std::make_unique<Verbcast>(Arguments{"view", "--headless", "--frames", "30", "--output",
                                                    file(name + ".raw"), "--frame-md5", file(name)} +
                                              from,
                                          home_);
    };
    // Both watch at the same time: the programs that draw have started by then.
    const Arguments ofParts{left->listenAddress(), right->listenAddress()}, ofWhole{whole->listenAddress()};
    const auto parts = record(Arguments{"--wall", file("w"), "--tile", "1-1"} + ofParts, "parts");
    const auto all = record(ofWhole, "all");
    EXPECT_TRUE(endsWith(*parts, 0));
    EXPECT_TRUE(endsWith(*all, 0));
    const std::string one_ = contentOf(file("parts.raw")), other = contentOf(file("all.raw"));
    const auto sums = frameSums(file("parts"), Gaps::Allowed);
    const auto wholeSums = frameSums(file("all"), Gaps::Allowed);
    constexpr std::size_t kBytes = std::size_t{160} * 96 * 4;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        for (std::size_t k = 0; k < wholeSums.size(); ++k) {
            if (sums[i].pts != wholeSums[k].pts) {
                continue;
            }
            // Coordinates that far apart are rounded slightly differently; a pixel at an edge may differ.
            std::size_t different = 0;
            for (std::size_t byte = 0; byte < kBytes; ++byte) {
                const int a = static_cast<unsigned char>(one_[i * kBytes + byte]);
                const int b = static_cast<unsigned char>(other[k * kBytes + byte]);
                different += std::abs(a - b) > 1 ? 1 : 0;
            }
            EXPECT_LE(different, kBytes / 1000) << "frame " << i;
            ++compared;
        }
    }
    EXPECT_GE(compared, 1U) << "no frame was drawn by both";
}

}  // namespace
}  // namespace verbcast::testing
