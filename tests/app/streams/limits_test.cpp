// What unknown peers cannot make the programs do: use unlimited memory, serve unlimited peers, write control
// sequences to a terminal.
#include "tests/support/exit_codes.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class LimitsTest : public ProgramTest {
  protected:
    std::unique_ptr<Verbcast> start(const Arguments& arguments) const {
        return std::make_unique<Verbcast>(arguments, home_);
    }
};

TEST_F(LimitsTest, AStreamBeyondMaxMemoryIsRefusedAndBothSidesSayWhy) {
    const auto sender =
        start({"send", "pattern", "--size", "640x360", "--listen", "tcp://127.0.0.1:0", "-v"});
    const std::string address = sender->listenAddress();
    const std::string why = " of memory, but the viewer allows 2.0 MiB (--max-memory)";
    const auto viewer = start({"view", "--headless", "--max-memory", "2M", address});
    EXPECT_TRUE(endsWith(*viewer, kResource));
    EXPECT_TRUE(holds(viewer->errors(), why));
    EXPECT_TRUE(holds(viewer->errors(), "  try: allow more with --max-memory SIZE"));
    EXPECT_TRUE(sender->waitForError(why)) << sender->errors();
    const auto other = start({"view", "--headless", "--frames", "3", "--max-memory", "8M", address});
    EXPECT_TRUE(endsWith(*other, 0));
}

TEST_F(LimitsTest, NoMoreThanMaxViewersAreServed) {
    const auto sender = start({"send", "pattern", "--size", "160x90", "--fps", "100", "--max-viewers", "1",
                               "--listen", "tcp://127.0.0.1:0"});
    const std::string address = sender->listenAddress();
    const auto first = start({"view", "--headless", address});
    ASSERT_TRUE(first->waitForError("receiving")) << first->errors();
    const auto second = start({"view", "--headless", "--once", address});
    EXPECT_TRUE(endsWith(*second, kPeer));
    EXPECT_TRUE(holds(second->errors(), "the sender already serves its maximum number of viewers"));
    EXPECT_TRUE(first->running());
}

TEST_F(LimitsTest, NamesDoNotSteerTheTerminal) {
    const auto sender = start({"send", file("no\x1b]0;owned\x07such\u202efile\u009b2J.y4m")});
    EXPECT_TRUE(endsWith(*sender, kInput));
    EXPECT_TRUE(holds(sender->errors(), "no?]0;owned?such?file?2J.y4m"));
}

}  // namespace
}  // namespace verbcast::testing
