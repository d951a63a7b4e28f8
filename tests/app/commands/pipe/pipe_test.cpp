// verbcast pipe, as a user runs it: files, redirections, signals, exit codes.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "tests/support/documented_keys.h"
#include "tests/support/exit_codes.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class PipeProgram : public ProgramTest, public ::testing::WithParamInterface<std::string> {
  protected:
    using Program = std::unique_ptr<Verbcast>;

    Program pipe(Arguments more, int input = -1, int output = -1) const {
        more.insert(more.begin(), "pipe");
        return std::make_unique<Verbcast>(more, home_, input, output);
    }
    std::string anyAddress() const { return listenAddressFor(GetParam()); }
    /// Writes to the reader of reading_.
    void feed(const std::string& text) const {
        for (std::size_t done = 0; done < text.size();) {
            const auto put = ::write(writing_.get(), text.data() + done, text.size() - done);
            ASSERT_GT(put, 0);
            done += static_cast<std::size_t>(put);
        }
    }
    static void waitForSize(const std::string& path, std::size_t bytes) {
        const auto deadline = TestClock::now() + kPatience;
        std::error_code missing;
        while (std::filesystem::file_size(path, missing) != bytes && TestClock::now() < deadline) {
            std::this_thread::sleep_for(1ms);
        }
        ASSERT_EQ(std::filesystem::file_size(path), bytes);
    }
    void SetUp() override {
        ProgramTest::SetUp();
        KernelPipe pipe;
        reading_ = std::move(pipe.reading);
        writing_ = std::move(pipe.writing);
    }

    UniqueFd reading_, writing_;  // a kernel pipe
    std::minstd_rand random_{42};
};

TEST_P(PipeProgram, ARedirectedFileArrivesThroughARelay) {
    const std::string content = makeContent((3U << 20) + 1);
    const UniqueFd in = opened("content");
    const UniqueFd out = created("copy");
    const Program receiver =
        pipe({"recv", "--listen", anyAddress(), "-v", "--stats-json", file("received")}, -1, out.get());
    const Program relay = pipe({"relay", "--from-listen", anyAddress(), "--to", receiver->listenAddress()});
    const Program sender = pipe({"send", relay->listenAddress(), "--checksum", "xxh3", "--block", "64K", "-v",
                                 "--stats-json", file("sent")},
                                in.get());
    EXPECT_TRUE(endsWith(*sender, 0));
    EXPECT_TRUE(endsWith(*relay, 0));
    EXPECT_TRUE(endsWith(*receiver, 0));
    EXPECT_TRUE(contentOf(file("copy")) == content);
    const auto sent = readJson(file("sent"));
    const auto received = readJson(file("received"));
    for (const auto& json : {sent, received}) {
        EXPECT_EQ(json["bytes"], content.size());
        EXPECT_EQ(json["transport"], GetParam());
        EXPECT_EQ(json["block_bytes"], 64U << 10);
        EXPECT_EQ(json["exit_code"], 0);
        EXPECT_TRUE(json["error"].is_null());
        EXPECT_GT(json["seconds"], 0);
        expectDocumented(json, "Pipes");
    }
    EXPECT_EQ(sent["role"], "send");
    EXPECT_EQ(received["role"], "recv");
    EXPECT_EQ(sent["checksum"], received["checksum"]);
    EXPECT_TRUE(sent["checksum"].get<std::string>().starts_with("xxh3:"));
    EXPECT_TRUE(holds(sender->errors(), "3.15 MB in "));
    EXPECT_TRUE(holds(receiver->errors(), "receiving over " + GetParam()));
    EXPECT_EQ(sender->output(), "");
}

TEST_P(PipeProgram, WithoutVerboseItSaysOnlyWhereItWaits) {
    makeContent(100);
    const Program receiver = pipe({"recv", "--listen", anyAddress()});
    const Program sender = pipe({"send", receiver->listenAddress(), "--input", file("content"), "-q"});
    EXPECT_TRUE(endsWith(*sender, 0));
    EXPECT_TRUE(endsWith(*receiver, 0));
    EXPECT_EQ(sender->errors(), "");
    const std::string said = receiver->errors();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    EXPECT_TRUE(receiver->output() == contentOf(file("content")));
}

TEST_P(PipeProgram, AnInterruptedFileGoesOn) {
    const std::string content = makeContent(5U << 20);
    constexpr std::size_t kHad = (2U << 20) + 17;
    {
        const Program receiver = pipe({"recv", "--listen", anyAddress(), "--output", file("copy")});
        const Program sender = pipe({"send", receiver->listenAddress()}, reading_.get());
        feed(content.substr(0, kHad));
        waitForSize(file("copy.part"), kHad);
        sender->signal(SIGKILL);
        EXPECT_TRUE(endsWith(*sender, 128 + SIGKILL));
        EXPECT_TRUE(endsWith(*receiver, kNetwork));
        EXPECT_TRUE(holds(receiver->errors(), "copy.part holds " + std::to_string(kHad)));
        EXPECT_FALSE(std::filesystem::exists(file("copy")));
    }
    const Program receiver = pipe({"recv", "--listen", anyAddress(), "--output", file("copy"), "--resume",
                                   "--stats-json", file("json")});
    const Program sender = pipe({"send", receiver->listenAddress(), "--input", file("content")});
    EXPECT_TRUE(endsWith(*sender, 0));
    EXPECT_TRUE(endsWith(*receiver, 0));
    EXPECT_EQ(readJson(file("json"))["resumed_at"], kHad);
    EXPECT_EQ(readJson(file("json"))["bytes"], content.size() - kHad);
    EXPECT_TRUE(contentOf(file("copy")) == content);
    EXPECT_FALSE(std::filesystem::exists(file("copy.part")));
}

TEST_P(PipeProgram, TheOthersEndWhenOneIsKilled) {
    const UniqueFd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    const UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    for (const std::size_t victim : {0U, 1U, 2U}) {
        SCOPED_TRACE(victim);
        std::array<Program, 3> programs;
        programs[2] = pipe({"recv", "--listen", anyAddress()}, -1, nowhere.get());
        programs[1] = pipe({"relay", "--from-listen", anyAddress(), "--to", programs[2]->listenAddress()});
        programs[0] = pipe({"send", programs[1]->listenAddress(), "-v"}, zeros.get());
        ASSERT_TRUE(programs[0]->waitForError("sending over")) << programs[0]->errors();
        std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 100));
        programs[victim]->signal(SIGKILL);
        for (std::size_t i = 0; i < programs.size(); ++i) {
            EXPECT_TRUE(endsWith(*programs[i], i == victim ? 128 + SIGKILL : kNetwork));
        }
    }
}

TEST_P(PipeProgram, AnInterruptTravels) {
    const UniqueFd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    const UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    for (const bool sendersTurn : {true, false}) {
        const Program receiver = pipe({"recv", "--listen", anyAddress(), "-v"}, -1, nowhere.get());
        const Program sender = pipe({"send", receiver->listenAddress(), "-v"}, zeros.get());
        ASSERT_TRUE(receiver->waitForError("receiving over"));
        (sendersTurn ? sender : receiver)->signal(SIGINT);
        EXPECT_TRUE(endsWith(*sender, kInterrupted));
        EXPECT_TRUE(endsWith(*receiver, kInterrupted));
    }
}

TEST_P(PipeProgram, AReaderThatHasEnoughEndsBothSilently) {
    const UniqueFd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    const Program receiver = pipe({"recv", "--listen", anyAddress()}, -1, writing_.get());
    writing_.reset();
    const Program sender = pipe({"send", receiver->listenAddress(), "-q"}, zeros.get());
    std::array<char, 100> some{};
    EXPECT_EQ(::read(reading_.get(), some.data(), some.size()), 100);
    reading_.reset();
    EXPECT_TRUE(endsWith(*sender, kBrokenPipe));
    EXPECT_TRUE(endsWith(*receiver, kBrokenPipe));
    EXPECT_EQ(sender->errors(), "");
}

TEST_P(PipeProgram, AStopIsNoLoss) {
    const Program receiver = pipe({"recv", "--listen", anyAddress()});
    const Program sender = pipe({"send", receiver->listenAddress(), "-v"}, reading_.get());
    feed("before ");
    ASSERT_TRUE(sender->waitForError("sending over"));
    receiver->signal(SIGSTOP);
    feed("while it stood still ");
    EXPECT_FALSE(sender->waitForEnd(1500ms).has_value()) << sender->errors();
    receiver->signal(SIGCONT);
    feed("and after");
    writing_.reset();
    EXPECT_TRUE(endsWith(*sender, 0));
    EXPECT_TRUE(endsWith(*receiver, 0));
    EXPECT_EQ(receiver->output(), "before while it stood still and after");
}

INSTANTIATE_TEST_SUITE_P(Over, PipeProgram, ::testing::ValuesIn(schemesUnderTest()), variantName);

class PipeCommand : public ProgramTest {
  protected:
    void writeKey(const std::string& secret) const {
        std::ofstream(file("key")) << secret;
        std::filesystem::permissions(
            file("key"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }
    void expectRefusal(const Arguments& arguments, int code, const std::string& part) {
        Arguments command{"pipe"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        Verbcast program(command, home_);
        EXPECT_TRUE(endsWith(program, code));
        EXPECT_TRUE(holds(program.errors(), part));
        EXPECT_EQ(program.output(), "");
    }
};

TEST_F(PipeCommand, SaysWhatIsWrong) {
    const std::string address = listenAddressFor("shm");
    expectRefusal({}, kUsage, "subcommand is required");
    expectRefusal({"send", address, "--block", "0"}, kUsage, "--block 0: bytes from 1 to 67108864 expected");
    expectRefusal({"send", address, "--block", "1T"}, kUsage, "--block 1T");
    expectRefusal({"send", address, "--depth", "65"}, kUsage, "--depth 65: 1 to 64 expected");
    expectRefusal({"send", address, "--block", "64M", "--depth", "64"}, kUsage, "together");
    expectRefusal({"send", address, "--checksum", "md5"}, kUsage, "--checksum md5: xxh3 expected");
    expectRefusal({"send", address, "--wait", "soon"}, kUsage, "--wait soon");
    expectRefusal({"send", address, "--input", file("nothing")}, kInput, "No such file or directory");
    expectRefusal({"send", address, "--input", file("")}, kInput, "Is a directory");
    expectRefusal({"send", "tcp://no.such.host.invalid"}, kNetwork, "no.such.host.invalid");
    expectRefusal({"send", address, "--wait", "0"}, kNetwork, "nobody is listening");
    writeKey("too short");
    expectRefusal({"send", address, "--key-file", file("key")}, kUsage, "has 9 bytes, 32 to 4096 expected");
    expectRefusal({"send", address, "--key-file", file("no-key")}, kUsage, "No such file or directory");
    expectRefusal({"recv", "--listen", address, "--resume"}, kUsage, "--output FILE");
    expectRefusal({"recv", "--listen", address, "--stats-json", "-"}, kUsage, "standard output");
    expectRefusal({"recv", "--listen", address, "--output", file("no/file")}, kUsage,
                  "No such file or directory");
    expectRefusal({"relay", address}, kUsage, "--to URL or --listen for the receiver");
    expectRefusal({"relay", "--to", address}, kUsage, "--from URL or --from-listen for the sender");
    expectRefusal({"relay", "--from", address, "--from-listen", "--to", address}, kUsage,
                  "--from " + address + " and --from-listen contradict each other");
    expectRefusal({"send", address, "--listen", ":7000"}, kUsage,
                  "--to " + address + " and --listen :7000 contradict each other");
    expectRefusal({"recv", address, "--listen"}, kUsage,
                  "--from connects to the peer, --listen waits here for it");
    expectRefusal({"send", address, "-q", "-v"}, kUsage, "-q and -v contradict each other");
}

TEST_F(PipeCommand, APlainAddressTakesTheBestThatWorks) {
    std::ofstream(file("content")) << "some bytes";
    Verbcast receiver({"pipe", "recv", "--listen", "127.0.0.1:0"}, home_);
    const std::string address = receiver.listenAddress();
    Verbcast sender({"pipe", "send", address.substr(address.find("//") + 2), "--input", file("content"),
                     "--stats-json", "-"},
                    home_);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(receiver, 0));
    EXPECT_EQ(receiver.output(), "some bytes");
    EXPECT_EQ(nlohmann::json::parse(sender.output())["transport"], "shm");
}

TEST_F(PipeCommand, OnlyThoseWithTheKeyGetThrough) {
    writeKey("0123456789abcdef0123456789abcdef\n");
    std::ofstream(file("content")) << "some bytes";
    Verbcast receiver({"pipe", "recv", "--listen", "tcp://127.0.0.1:0", "--key-file", file("key")}, home_);
    Verbcast relay({"pipe", "relay", "--from-listen", "tcp://127.0.0.1:0", "--to", receiver.listenAddress(),
                    "--key-file", file("key")},
                   home_);
    const std::string address = relay.listenAddress();
    expectRefusal({"send", address, "--input", file("content")}, kPeer, "only one side has a key");
    Verbcast sender({"pipe", "send", address, "--input", file("content"), "--key-file", file("key")}, home_);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(relay, 0));
    EXPECT_TRUE(endsWith(receiver, 0));
    EXPECT_EQ(receiver.output(), "some bytes");
}

/// A stage that `verbcast pipe run` starts on a host, and an unknown peer who finds its port.
TEST_F(PipeCommand, AStageServesOnlyPeersWithTheKeyOfItsRun) {
    KernelPipe line;
    Verbcast stage({"pipe", "stage"}, home_, line.reading.get());
    const nlohmann::json plan = {{"type", "plan"},       {"kind", "command"},
                                 {"text", "cat"},        {"input", "tcp://127.0.0.1:0"},
                                 {"output", nullptr},    {"flow", false},
                                 {"block_bytes", 4096},  {"depth", 4},
                                 {"checksum", false},    {"patience_ns", std::int64_t{10'000'000'000}},
                                 {"numa", "auto"},       {"numa_node", nullptr},
                                 {"route", "127.0.0.1"}, {"key", std::string(64, '7')}};
    const std::string order = plan.dump() + "\n";
    ASSERT_EQ(::write(line.writing.get(), order.data(), order.size()), static_cast<ssize_t>(order.size()));
    const auto deadline = TestClock::now() + kPatience;
    while (stage.output().find("ready") == std::string::npos && TestClock::now() < deadline) {
        std::this_thread::sleep_for(1ms);
    }
    const std::string reports = stage.output();
    const std::size_t start = reports.find("tcp://");
    ASSERT_NE(start, std::string::npos) << reports;
    const std::string address = reports.substr(start, reports.find('"', start) - start);
    std::ofstream(file("content")) << "rm -r";
    expectRefusal({"send", address, "--input", file("content")}, kPeer, "only one side has a key");
    writeKey("0123456789abcdef0123456789abcdef");
    expectRefusal({"send", address, "--input", file("content"), "--key-file", file("key")}, kPeer,
                  "different keys");
    line.writing.reset();
    EXPECT_TRUE(endsWith(stage, kNetwork));
}

TEST_F(PipeCommand, AVideoSenderIsNoPipe) {
    Verbcast video({"send", "pattern", "--size", "64x64", "--listen", listenAddressFor("tcp")}, home_);
    Verbcast receiver({"pipe", "recv", video.listenAddress()}, home_);
    EXPECT_TRUE(endsWith(receiver, kPeer));
    EXPECT_TRUE(holds(receiver.errors(), "one end sends video and the other receives a pipe"));
    EXPECT_TRUE(holds(receiver.errors(), "send and view, or pipe send and pipe recv"));
    EXPECT_EQ(receiver.errors().find("version"), std::string::npos) << receiver.errors();
    video.signal(SIGINT);
    EXPECT_TRUE(endsWith(video, kInterrupted));
}

TEST_F(PipeCommand, VideoDoesNotGoIntoAPipe) {
    Verbcast receiver({"pipe", "recv", "--listen", listenAddressFor("tcp")}, home_);
    const std::string address = receiver.listenAddress();
    Verbcast video(
        {"send", "pattern", "--size", "64x64", "--to", address, "--once", "--stats-json", file("stats")},
        home_);
    EXPECT_TRUE(endsWith(video, kPeer));
    EXPECT_TRUE(holds(video.errors(),
                      "one end receives a pipe and the other sends video: verbcast pipe "
                      "connects only to verbcast pipe"));
    EXPECT_TRUE(holds(video.errors(), "(refused)"));
    EXPECT_EQ(readJson(file("stats"))["exit_reason"], "refused");
    EXPECT_EQ(video.errors().find("version"), std::string::npos) << video.errors();
    receiver.signal(SIGINT);
    EXPECT_TRUE(endsWith(receiver, kInterrupted));
}

TEST_F(PipeCommand, HelpNamesEverything) {
    for (const auto& [command, words] : std::vector<std::pair<std::string, Arguments>>{
             {"send",
              {"--to URL", "--listen [ADDRESS]", "--input", "--block", "--depth", "--checksum",
               "--stats-json", "--wait", "Exit codes"}},
             {"recv", {"--from URL", "--listen [ADDRESS]", "--output", "--resume", "-v"}},
             {"relay",
              {"--from URL", "--from-listen [ADDRESS]", "--to URL", "--listen [ADDRESS]", "--key-file"}}}) {
        Verbcast help({"pipe", command, "--help", "all"}, home_);
        EXPECT_TRUE(endsWith(help, 0));
        for (const std::string& word : words) {
            EXPECT_TRUE(holds(help.output(), word));
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
