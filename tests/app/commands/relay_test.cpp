// verbcast relay: a sender's stream arrives unchanged behind any number of relays.
#include <signal.h>

#include "tests/app/commands/viewers_address.h"
#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class RelayTest : public ProgramTest, public ::testing::WithParamInterface<std::string> {
  protected:
    using Program = std::unique_ptr<Verbcast>;
    Program start(const Arguments& arguments) const { return std::make_unique<Verbcast>(arguments, home_); }
    std::string anyAddress() const { return listenAddressFor(GetParam()); }
    Program send(const std::string& address, const Arguments& more) const {
        Arguments arguments{"send", "pattern:counter", "--size", "162x91", "--fps",
                            "100",  "--listen",        address};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return start(arguments);
    }
};

/// Lines "sequence,pts,bytes,md5" without the sequence number, which each sender assigns anew.
std::vector<std::string> md5sOf(const std::string& path) {
    std::vector<std::string> sums;
    for (const FrameSum& sum : frameSums(path)) {
        sums.push_back(std::to_string(sum.pts) + " " + sum.md5);
    }
    return sums;
}

TEST_P(RelayTest, EveryFramePassesTwoRelays) {
    const Program sender =
        send(anyAddress(), {"--policy", "lossless", "--frames", "60", "--once", "--frame-md5", file("sent")});
    const Program first = start({"relay", sender->listenAddress(), "--listen", anyAddress(), "--once"});
    const Program second = start({"relay", viewersAddress(*first), "--listen", anyAddress(), "--once"});
    const Program viewer =
        start({"view", "--headless", "--once", viewersAddress(*second), "--frame-md5", file("seen")});
    for (Verbcast* program : {sender.get(), first.get(), second.get(), viewer.get()}) {
        EXPECT_TRUE(endsWith(*program, 0));
    }
    EXPECT_EQ(md5sOf(file("seen")).size(), 60U);
    EXPECT_EQ(md5sOf(file("seen")), md5sOf(file("sent")));
    EXPECT_TRUE(holds(viewer->errors(), "162x91"));
}

// Regression: the relay kept the oldest frames, and the sender never ended.
TEST_P(RelayTest, WithoutAViewerItHoldsUpNobody) {
    const Program sender = send(anyAddress(), {"--frames", "60", "--once"});
    const Program relay = start({"relay", sender->listenAddress(), "--listen", anyAddress(), "--once"});
    EXPECT_TRUE(endsWith(*sender, 0));
    EXPECT_TRUE(endsWith(*relay, 0));
}

TEST_P(RelayTest, ItsFirstViewerSeesWhatIsNew) {
    const Program sender = send(anyAddress(), {});
    const Program relay = start({"relay", sender->listenAddress(), "--listen", anyAddress()});
    const std::string address = viewersAddress(*relay);
    const Program other = start({"view", "--headless", "--frames", "60", sender->listenAddress()});
    EXPECT_TRUE(endsWith(*other, 0)) << "time passes";
    const Program viewer =
        start({"view", "--headless", "--once", "--frames", "1", address, "--frame-md5", file("seen")});
    EXPECT_TRUE(endsWith(*viewer, 0));
    const auto seen = frameSums(file("seen"), Gaps::Allowed);
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_GE(seen.front().pts, 30);
}

TEST_P(RelayTest, ASenderThatVanishesIsWaitedFor) {
    const ReservedAddress address(GetParam());
    Program sender = send(address.url(), {});
    const Program relay = start({"relay", address.url(), "--listen", anyAddress()});
    const Program viewer = start({"view", "--headless", viewersAddress(*relay)});
    ASSERT_TRUE(viewer->waitForError("receiving 162x91")) << viewer->errors();
    sender->signal(SIGKILL);
    ASSERT_TRUE(relay->waitForError("signal lost")) << relay->errors();
    sender = send(address.url(), {});
    ASSERT_TRUE(relay->waitForError("signal restored")) << relay->errors();
    EXPECT_TRUE(viewer->running());
    relay->signal(SIGINT);
    EXPECT_TRUE(endsWith(*relay, kInterrupted));
}

TEST_P(RelayTest, OnceEndsWithTheSender) {
    const Program sender = send(anyAddress(), {});
    const Program relay = start({"relay", sender->listenAddress(), "--listen", anyAddress(), "--once"});
    const Program viewer = start({"view", "--headless", "--once", viewersAddress(*relay)});
    ASSERT_TRUE(viewer->waitForError("receiving 162x91")) << viewer->errors();
    sender->signal(SIGKILL);
    EXPECT_TRUE(endsWith(*relay, kNetwork));
    EXPECT_TRUE(endsWith(*viewer, 0));
}

INSTANTIATE_TEST_SUITE_P(Over, RelayTest, ::testing::ValuesIn(schemesUnderTest()), variantName);

}  // namespace
}  // namespace verbcast::testing
