// Programs whose standard streams are full, closed or left by their reader, and whose terminal or shell
// limits them.
#include "tests/support/exit_codes.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class StandardStreamsTest : public ProgramTest {
  protected:
    /// Runs a shell's command line in which $V is the program.
    std::unique_ptr<ChildProcess> shell(const std::string& line) const {
        return std::make_unique<ChildProcess>(Arguments{"sh", "-c", line, "sh"},
                                              ChildOptions{.folder = home_.path()});
    }
    void SetUp() override {
        ProgramTest::SetUp();
        ::setenv("V", verbcastPath().c_str(), 1);
    }
};

constexpr const char* kSend = "\"$V\" send pattern --size 160x90 --listen tcp://127.0.0.1:0 ";

TEST_F(StandardStreamsTest, NobodyNeedsToReadTheMessages) {
    for (const std::string errors : {"2>/dev/full", "2>&-", "2>&1 >/dev/null | true"}) {
        for (const std::string& command : {
                 std::string(kSend) + "--wait 0.05",
                 std::string("\"$V\" view --headless --wait 0.05 tcp://127.0.0.1:1"),
                 std::string("\"$V\" pipe send tcp://127.0.0.1:1 --wait 0.05 </dev/null"),
             }) {
            const auto program = shell("{ " + command + "; echo $? >code; } " + errors);
            ASSERT_TRUE(program->waitForEnd());
            EXPECT_EQ(contentOf(home_.file("code")), "4\n") << command << " " << errors;
        }
    }
    std::filesystem::remove(home_.file("code"));
}

TEST_F(StandardStreamsTest, ResultsThatCannotBeWrittenAreAnError) {
    for (const std::string output : {">/dev/full", ">&-"}) {
        for (const std::string& command : {
                 std::string("\"$V\" formats"),
                 std::string("\"$V\" --help"),
                 std::string(kSend) + "--wait 0.05 --stats-json -",
                 std::string(kSend) + "--wait 0.05 --frame-md5 -",
             }) {
            const auto program = shell("exec " + command + " " + output);
            EXPECT_TRUE(endsWith(*program, kResource)) << command << output;
            EXPECT_TRUE(holds(program->errors(), output == ">&-" ? "Bad file descriptor" : "No space left"));
        }
    }
}

TEST_F(StandardStreamsTest, ClosedInputIsNoInput) {
    const auto program = shell(std::string("exec ") + "\"$V\" send - --listen tcp://127.0.0.1:0 <&-");
    EXPECT_TRUE(endsWith(*program, kInput));
    EXPECT_TRUE(holds(program->errors(), "Bad file descriptor"));
}

TEST_F(StandardStreamsTest, AHangupThatIsIgnoredStaysIgnored) {
    const auto program = shell(std::string("trap '' HUP; exec ") + kSend);
    ASSERT_TRUE(program->waitUntilItHandles(SIGTERM));
    program->signal(SIGHUP);
    program->signal(SIGTERM);
    EXPECT_TRUE(endsWith(*program, kInterrupted));
    EXPECT_TRUE(holds(program->errors(), "(interrupted)"));
}

TEST_F(StandardStreamsTest, ALimitOnTheSizeOfFilesIsAnError) {
    const auto sender = shell(std::string("ulimit -f 8; exec ") + kSend);
    EXPECT_TRUE(endsWith(*sender, kResource));
    EXPECT_TRUE(holds(sender->errors(), "RLIMIT_FSIZE"));
    EXPECT_TRUE(holds(sender->errors(), "  try: raise it: ulimit -f unlimited"));
}

TEST_F(StandardStreamsTest, ARecordingBeyondTheLimitOnTheSizeOfFilesIsAnError) {
    Verbcast sender({"send", "pattern", "--size", "160x90", "--fps", "max", "--listen", "tcp://127.0.0.1:0"},
                    home_);
    const auto viewer = shell("ulimit -f 4096; exec \"$V\" view --headless --output '" + file("long.nut") +
                              "' " + sender.listenAddress());
    EXPECT_TRUE(endsWith(*viewer, kResource));
    EXPECT_TRUE(holds(viewer->errors(), "File too large"));
    EXPECT_TRUE(holds(viewer->errors(), "ulimit -f unlimited"));
}

}  // namespace
}  // namespace verbcast::testing
