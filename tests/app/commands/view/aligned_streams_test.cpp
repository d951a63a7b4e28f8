// Streams that are shown together: two senders, one of which is behind the other.
#include "tests/app/commands/view/many_streams.h"

namespace verbcast::testing {
namespace {

class AlignedStreams : public ManyStreams, public ::testing::WithParamInterface<std::string> {
  protected:
    static Arguments counting(const Arguments& more, int fps = 20) {
        return Arguments{"send",  "pattern:counter",   "--size",  "64x48",
                         "--fps", std::to_string(fps), "--slots", "40"} +
               more;
    }
    /// Two senders that count from 0. The second begins when the first has shown three frames, a tenth of a
    /// second, to somebody else.
    void startSenders() {
        for (int i = 0; i < 2; ++i) {
            senders_.push_back(start(counting({"--listen", listenAddressFor(GetParam())})));
            addresses_.push_back(senders_.back()->listenAddress());
        }
        const Program somebody = start({"view", "--headless", addresses_[0], "--frames", "3"});
        ASSERT_TRUE(endsWith(*somebody, 0));
    }
    /// Views both for a while and gives its statistics.
    Json viewed(const Arguments& more) {
        startSenders();
        const Program viewer = start(Arguments{"view", "--headless", "--frames", "100", "--slots", "64",
                                               "--stats-json", file("viewer")} +
                                     addresses_ + more);
        EXPECT_TRUE(endsWith(*viewer, 0));
        said_ = viewer->errors();
        return readJson(file("viewer"));
    }

    std::vector<Program> senders_;
    Arguments addresses_;
    std::string said_;
};

TEST_P(AlignedStreams, EqualTimeStampsAreShownTogether) {
    const Json stats = viewed({"--align", "pts"});
    const Json& alignment = stats.at("alignment");
    EXPECT_EQ(alignment.at("by"), "pts");
    EXPECT_EQ(alignment.at("delay_given"), false);
    EXPECT_GE(alignment.at("delay_ms"), 100.0) << alignment;
    EXPECT_GE(alignment.at("skew_us").at("count"), 10) << alignment;
    EXPECT_EQ(alignment.at("skew_us").at("p50"), 0.0) << alignment;
    for (const Json& stream : stats.at("streams")) {
        SCOPED_TRACE(stream.dump());
        EXPECT_EQ(stream.at("alignment").at("aligned"), true);
        EXPECT_EQ(stream.at("frames_shown").get<int>() + stream.at("frames_skipped").get<int>(),
                  stream.at("frames_received").get<int>());
        EXPECT_GE(stream.at("frames_shown"), 10);
    }
    EXPECT_TRUE(holds(said_, "aligned by pts: "));
}

// What the test above would see of streams that are not aligned.
TEST_P(AlignedStreams, WithoutADelayTheSkewIsMeasured) {
    const Json alignment = viewed({"--align", "pts", "--delay", "0"}).at("alignment");
    EXPECT_EQ(alignment.at("delay_ms"), 0.0);
    EXPECT_EQ(alignment.at("delay_given"), true);
    EXPECT_GE(alignment.at("smallest_delay_ms"), 100.0);
    EXPECT_GE(alignment.at("skew_us").at("p50"), 50'000.0) << alignment;
    EXPECT_TRUE(holds(said_, "ms would suffice"));
}

TEST_P(AlignedStreams, OfOneHostAreAlignedByCapture) {
    const Json stats = viewed({"--align", "capture", "--delay", "150"});
    const Json& alignment = stats.at("alignment");
    EXPECT_EQ(alignment.at("by"), "capture");
    EXPECT_EQ(alignment.at("delay_ms"), 150.0);
    // Free-running senders: pictures are half of 50 ms apart at most.
    EXPECT_LE(alignment.at("skew_us").at("p50"), 26'000.0) << alignment;
    for (const Json& stream : stats.at("streams")) {
        EXPECT_EQ(stream.at("alignment").at("aligned"), true) << stream;
        EXPECT_EQ(stream.at("alignment").at("reason"), "");
    }
}

TEST_P(AlignedStreams, ThatCallAreAlignedAsTheyCome) {
    const Program viewer = start({"view", "--headless", "--listen", listenAddressFor(GetParam()), "--streams",
                                  "2", "--align", "pts", "--slots", "64", "--stats-json", file("viewer")});
    const std::string address = viewer->listenAddress();
    // At 3 frames a second the viewer's slots hold 20 s: so much later may the second come.
    const Program first = start(counting({"--to", address}, 3));
    ASSERT_TRUE(viewer->waitForError("receiving")) << viewer->errors();
    const Program second = start(counting({"--to", address, "--frames", "24", "--once"}, 3));
    EXPECT_TRUE(endsWith(*second, 0)) << second->errors();
    viewer->signal(SIGINT);
    EXPECT_TRUE(endsWith(*viewer, 130)) << viewer->errors();
    const Json stats = readJson(file("viewer"));
    EXPECT_EQ(stats.at("streams").size(), 2U);
    EXPECT_GE(stats.at("alignment").at("skew_us").at("count"), 16) << stats.at("alignment");
    EXPECT_EQ(stats.at("alignment").at("skew_us").at("p50"), 0.0) << stats.at("alignment");
}

INSTANTIATE_TEST_SUITE_P(Over, AlignedStreams, ::testing::Values("shm", "tcp"),
                         [](const auto& each) { return each.param; });

class AlignmentOptionsTest : public ManyStreams {
  protected:
    void refuses(const Arguments& options, const std::string& why) {
        const Program viewer = start(Arguments{"view", "--headless"} + options);
        EXPECT_TRUE(endsWith(*viewer, 2));
        EXPECT_TRUE(holds(viewer->errors(), why));
    }
};

TEST_F(AlignmentOptionsTest, AreRefusedByName) {
    const Arguments two{"tcp://127.0.0.1:1", "tcp://127.0.0.1:2"};
    refuses(two + Arguments{"--align", "sound"}, "--align sound: newest, capture or pts expected");
    refuses(two + Arguments{"--align", "pts", "--delay", "soon"},
            "--delay soon: milliseconds from 0 to 10000");
    refuses(two + Arguments{"--align", "pts", "--delay", "nan"}, "--delay nan: milliseconds from 0 to 10000");
    refuses(two + Arguments{"--align", "pts", "--delay", "-5"}, "--delay -5: milliseconds from 0 to 10000");
    refuses(two + Arguments{"--delay", "50"}, "--delay needs --align");
    refuses({"tcp://127.0.0.1:1", "--align", "pts"}, "--align pts: several streams expected");
    refuses(two + Arguments{"--swap-eyes"}, "--swap-eyes needs a window");
}

}  // namespace
}  // namespace verbcast::testing
