// --stats-json, and the ways a stream can end.
#include <poll.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/support/documented_keys.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using Json = nlohmann::json;

class StatsTest : public ProgramTest {
  protected:
    /// A 64x48 rgba pattern to a viewer over shared memory, with additional arguments for each.
    void run(const Arguments& forSender, const Arguments& forViewer) {
        Arguments send{"send",
                       "pattern",
                       "--size",
                       "64x48",
                       "--format",
                       "rgba",
                       "--policy",
                       "lossless",
                       "--once",
                       "--listen",
                       listenAddressFor("shm"),
                       "--stats-json",
                       file("sender")};
        send.insert(send.end(), forSender.begin(), forSender.end());
        Verbcast sender(send, home_);
        Arguments view{"view",         "--headless",  "--once", sender.listenAddress(),
                       "--stats-json", file("viewer")};
        view.insert(view.end(), forViewer.begin(), forViewer.end());
        Verbcast viewer(view, home_);
        EXPECT_TRUE(endsWith(viewer, 0));
        EXPECT_TRUE(endsWith(sender, 0));
        sender_ = readJson(file("sender"));
        viewer_ = readJson(file("viewer"));
    }

    Json sender_, viewer_;
};

void expectPercentiles(const Json& json, std::uint64_t count) {
    EXPECT_EQ(json.at("count"), count);
    EXPECT_GE(json.at("p50"), 0);
    EXPECT_LE(json.at("p50"), json.at("max"));
    EXPECT_TRUE(json.at("p99").is_null()) << "with " << count << " frames it is the largest";
    EXPECT_TRUE(json.at("p999").is_null()) << "likewise";
    EXPECT_LT(json.at("max"), 60e6);
}

void expectRates(const Json& json, std::uint64_t frames) {
    const double seconds = json.at("seconds");
    const double frameBytes = 64 * 48 * 4;
    EXPECT_EQ(json.at("bytes"), frames * 64 * 48 * 4);
    ASSERT_GT(seconds, 0);
    EXPECT_NEAR(json.at("fps"), static_cast<double>(frames - 1) / seconds,
                1e-6 * static_cast<double>(json.at("fps")));
    const double rate = json.at("gigabytes_per_second");
    EXPECT_NEAR(rate, static_cast<double>(frames - 1) * frameBytes / seconds / 1e9, 1e-6 * rate);
}

TEST_F(StatsTest, HoldAllKeysWithSensibleValues) {
    run({"--frames", "20", "--fps", "200"}, {});
    EXPECT_EQ(sender_.at("frames_sent"), 20);
    EXPECT_EQ(viewer_.at("frames_received"), 20);
    for (const Json& json : {sender_, viewer_}) {
        EXPECT_EQ(json.at("transport"), "shm");
        EXPECT_EQ(json.at("width"), 64);
        EXPECT_EQ(json.at("height"), 48);
        EXPECT_EQ(json.at("pixel_format"), "rgba");
        EXPECT_EQ(json.at("frames_shown"), 20);
        EXPECT_EQ(json.at("frames_dropped"), 0);
        EXPECT_EQ(json.at("frames_corrupt"), 0);
        EXPECT_EQ(json.at("connections"), 1);
        EXPECT_EQ(json.at("connections_lost"), 0);
        expectRates(json, 20);
        expectPercentiles(json.at("latency_us"), 20);
        EXPECT_GT(json.at("cpu_seconds"), 0);
        EXPECT_LT(json.at("cpu_seconds"), 60);
        EXPECT_TRUE(json.at("exit_reason").is_string());
    }
    EXPECT_EQ(sender_.at("latency_us"), viewer_.at("latency_us"))
        << "measured by the viewer, told to the sender";
    EXPECT_GT(viewer_.at("connect_to_first_frame_shown_ms"), 0);
    // 19 intervals of 5 ms. On a busy machine the first frame may be late, and those after it catch up.
    EXPECT_GT(sender_.at("seconds"), 0.1 * 19 * 0.005);
}

TEST_F(StatsTest, EachViewerHasStatsOfItsOwnAndTotalsAreSums) {
    Verbcast sender({"send", "pattern", "--size", "640x480", "--format", "rgba", "--fps", "500", "--policy",
                     "latest", "--once", "--listen", "tcp://127.0.0.1:0", "--stats-json", file("sender")},
                    home_);
    KernelPipe pipe;
    const std::string address = sender.listenAddress();
    Verbcast slow({"view", "--headless", "--once", address, "--output", "-"}, home_, -1, pipe.writing.get());
    pipe.writing.reset();
    pollfd firstBytes{pipe.reading.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&firstBytes, 1, 20'000), 1) << "from now on it waits for its reader";
    Verbcast fast({"view", "--headless", "--once", address, "--frames", "150"}, home_);
    EXPECT_TRUE(endsWith(fast, 0));
    pipe.reading.reset();
    EXPECT_TRUE(endsWith(slow, 141));
    EXPECT_TRUE(endsWith(sender, 0));
    const Json stats = readJson(file("sender"));
    ASSERT_EQ(stats.at("receivers").size(), 2U);
    // In the order in which the sender has heard that they left, which a busy machine may turn round.
    const bool inOrder = stats.at("receivers").at(0).at("frames_shown") == 150;
    const Json& left = stats.at("receivers").at(inOrder ? 0 : 1);
    const Json& stalled = stats.at("receivers").at(inOrder ? 1 : 0);
    EXPECT_EQ(left.at("frames_shown"), 150);
    EXPECT_LT(stalled.at("frames_shown"), 100);
    EXPECT_GT(stalled.at("frames_dropped"), 50);
    EXPECT_GT(stalled.at("frames_dropped"), left.at("frames_dropped"));
    for (const Json& receiver : stats.at("receivers")) {
        EXPECT_EQ(receiver.at("transport"), "tcp");
        EXPECT_EQ(receiver.at("connected"), false);
        EXPECT_TRUE(holds(receiver.at("end_reason"), "the receiver left: "));
        EXPECT_GT(receiver.at("connected_seconds"), 0);
    }
    EXPECT_GT(left.at("latency_us").at("count"), 0);
    const auto sum = [&](const char* key) {
        return left.at(key).get<std::uint64_t>() + stalled.at(key).get<std::uint64_t>();
    };
    for (const char* key : {"frames_sent", "frames_dropped", "frames_shown", "frames_skipped", "bytes"}) {
        EXPECT_EQ(stats.at(key), sum(key)) << key;
    }
    EXPECT_LE(stats.at("frames"), stats.at("frames_sent"));
    EXPECT_TRUE(stats.at("latency_us").is_null()) << "percentiles of two viewers have no sum";
    EXPECT_EQ(stats.at("receivers_left_out"), 0);
    EXPECT_TRUE(holds(sender.errors(), "frames to 2 viewers"));
    EXPECT_TRUE(holds(sender.errors(), "150 shown, latency p50"));
}

TEST_F(StatsTest, TheNodeOfMemoryAndThreadsIsTold) {
    run({"--frames", "3", "--numa", "off"}, {});
    EXPECT_EQ(sender_["numa"], (Json{{"node", nullptr}, {"chosen_by", "off"}, {"reason", "as --numa says"}}));
    EXPECT_TRUE(viewer_["numa"]["node"].is_null()) << "over shm no device is used";
    EXPECT_EQ(viewer_["numa"]["chosen_by"], "auto");
}

TEST_F(StatsTest, FramesEndTheSender) {
    run({"--frames", "7", "--fps", "max"}, {});
    EXPECT_EQ(sender_.at("frames_sent"), 7);
    EXPECT_EQ(sender_.at("exit_reason"), "frames");
    EXPECT_EQ(viewer_.at("frames_received"), 7);
    EXPECT_EQ(viewer_.at("exit_reason"), "end of stream");
}

TEST_F(StatsTest, SecondsEndTheSenderAfterThatLengthOfStream) {
    run({"--seconds", "0.5", "--fps", "50"}, {});
    EXPECT_EQ(sender_.at("frames_sent"), 25);
    EXPECT_EQ(sender_.at("exit_reason"), "duration");
    EXPECT_EQ(viewer_.at("frames_received"), 25);
}

TEST_F(StatsTest, FramesEndTheViewer) {
    run({"--fps", "200"}, {"--frames", "9"});
    EXPECT_EQ(viewer_.at("frames_shown"), 9);
    EXPECT_GE(viewer_.at("frames_received"), 9);
    EXPECT_EQ(viewer_.at("exit_reason"), "frames");
    EXPECT_EQ(sender_.at("exit_reason"), "receiver left");
    EXPECT_GE(sender_.at("frames_sent"), 9);
}

TEST_F(StatsTest, SecondsEndTheViewer) {
    const auto begun = std::chrono::steady_clock::now();
    run({"--fps", "100"}, {"--seconds", "0.3"});
    EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(300));
    EXPECT_EQ(viewer_.at("exit_reason"), "duration");
    EXPECT_GE(viewer_.at("frames_shown"), 1);
}

TEST_F(StatsTest, StatsGoToADescriptorWhileItSends) {
    Verbcast sender({"send", "pattern", "--size", "64x48", "--policy", "lossless", "--fps", "100", "--frames",
                     "20", "--once", "--listen", listenAddressFor("shm"), "--stats-fd", "1"},
                    home_);
    Verbcast viewer({"view", "--headless", "--once", sender.listenAddress()}, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    std::istringstream lines(sender.output());
    std::vector<Json> stats;
    for (std::string line; std::getline(lines, line);) {
        stats.push_back(Json::parse(line));
    }
    ASSERT_GE(stats.size(), 2U) << "one at the start, one at the end";
    EXPECT_EQ(stats.front().at("frames_sent"), 0);
    EXPECT_EQ(stats.back().at("frames_sent"), 20);
    EXPECT_EQ(stats.back().at("frames_dropped"), 0);
    EXPECT_EQ(stats.back().at("width"), 64);
    EXPECT_EQ(stats.back().at("connections"), 1);
    EXPECT_TRUE(stats.back().at("receivers").empty());
    ASSERT_EQ(stats.back().at("receivers_ended").size(), 1U);
    EXPECT_EQ(stats.back().at("receivers_ended").at(0).at("frames_shown"), 20);
    EXPECT_TRUE(stats.back().at("receivers_ended").at(0).at("end_reason").is_string());
    stats.back()["receivers_ended"] = nullptr;  // each viewer: as at the end
    expectDocumented(stats.back(), "While a stream runs");
}

TEST_F(StatsTest, APreviewOfALiveSourceNeedsNoViewer) {
    const std::string preview = listenAddressFor("shm");
    Verbcast sender({"send", "pattern", "--size", "64x48", "--fps", "100", "--listen",
                     listenAddressFor("shm"), "--preview", preview, "--stats-json", file("sender")},
                    home_);
    Verbcast viewer({"view", "--headless", preview, "--frames", "10"}, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    sender.signal(SIGTERM);
    EXPECT_TRUE(endsWith(sender, 130));
    EXPECT_EQ(readJson(file("sender")).at("frames_sent"), 0);
    EXPECT_EQ(readJson(file("sender")).at("frames_dropped"), 0);
}

TEST_F(StatsTest, FilesOfStatisticsAreReplaced) {
    std::ofstream(file("sender")) << "something old";
    run({"--frames", "3", "--fps", "max"}, {});
    EXPECT_EQ(sender_.at("frames_sent"), 3);
    EXPECT_EQ(files_.names(), (std::vector<std::string>{"sender", "viewer"}))
        << "written aside, then renamed";
}

TEST_F(StatsTest, DashWritesToStandardOutput) {
    Verbcast sender({"send", "pattern", "--size", "64x48", "--frames", "3", "--once", "--policy", "lossless",
                     "--listen", listenAddressFor("shm"), "--stats-json", "-"},
                    home_);
    Verbcast viewer({"view", "--headless", sender.listenAddress(), "--frame-md5", "-", "--stats-json", "-"},
                    home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_EQ(Json::parse(sender.output()).at("frames_sent"), 3);
    const std::string both = viewer.output();
    EXPECT_TRUE(both.starts_with("#sequence,pts,bytes,md5\n0,0,")) << both;
    EXPECT_EQ(Json::parse(both.substr(both.find('{'))).at("frames_received"), 3);
}

TEST_F(StatsTest, QuietSaysNothingWhenAllIsWell) {
    const ReservedAddress address("shm");
    Verbcast viewer({"view", "--headless", "-q", "--once", address.url()}, home_);
    Verbcast sender({"send", "pattern", "--size", "64x48", "--frames", "3", "-q", "--listen", address.url()},
                    home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_EQ(viewer.errors() + sender.errors(), "");
}

TEST_F(StatsTest, UnwritablePlaceIsRefusedBeforeAnythingStarts) {
    const std::string place = file("no/such/folder.json");
    const std::string address = listenAddressFor("shm");
    for (const std::string option : {"--stats-json", "--frame-md5"}) {
        Verbcast sender({"send", "pattern", "--size", "64x48", "--listen", address, option, place}, home_);
        Verbcast viewer({"view", "--headless", "--listen", address + "-v", option, place}, home_);
        for (Verbcast* program : {&sender, &viewer}) {
            EXPECT_TRUE(endsWith(*program, 2)) << option;
            EXPECT_TRUE(holds(program->errors(), place));
            EXPECT_TRUE(holds(program->errors(), "No such file or directory"));
            EXPECT_TRUE(holds(program->errors(), "try: "));
            EXPECT_EQ(program->errors().find("waiting"), std::string::npos) << program->errors();
            EXPECT_EQ(program->output(), "");
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
