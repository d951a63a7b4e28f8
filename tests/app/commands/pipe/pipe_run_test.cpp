// verbcast pipe run, as a user runs it, over a real sshd.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <thread>

#include "core/base/checksum.h"
#include "core/base/version.h"
#include "tests/app/commands/pipe/ssh_server.h"
#include "tests/support/documented_keys.h"
#include "tests/support/exit_codes.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;
using Program = std::unique_ptr<Verbcast>;

constexpr const char* kOne = "127.0.0.1:";
constexpr const char* kTwo = "127.0.0.2:";
constexpr const char* kThree = "127.0.0.3:";

class Pipeline : public OverSsh {
  protected:
    Program run(const Arguments& arguments, int input = -1, int output = -1) const {
        return runBy(access(), arguments, input, output);
    }
    Program runBy(const Arguments& access, const Arguments& arguments, int input = -1,
                  int output = -1) const {
        return std::make_unique<Verbcast>(Arguments{"pipe", "run"} + access + arguments, home_, input,
                                          output);
    }
    void expectCode(int code, const Arguments& arguments, const std::string& words = "") const {
        SCOPED_TRACE(::testing::PrintToString(arguments));
        const Program program = run(arguments);
        EXPECT_TRUE(endsWith(*program, code));
        EXPECT_TRUE(holds(program->errors(), words));
    }
};

TEST_F(Pipeline, UppercaseAtOneHostReverseAtTheNext) {
    std::ofstream(file("in")) << "first\nsecond\nthird\n";
    const UniqueFd in = opened("in");
    const Program program =
        run({"-v", kOne + std::string("tr a-z A-Z"), kTwo + std::string("tac")}, in.get());
    EXPECT_TRUE(endsWith(*program, 0));
    EXPECT_EQ(program->output(), "THIRD\nSECOND\nFIRST\n");
    for (const std::string hop : {"here -> 127.0.0.1 ", "127.0.0.1 -> 127.0.0.2 ", "127.0.0.2 -> here "}) {
        EXPECT_TRUE(holds(program->errors(), hop));
    }
    EXPECT_TRUE(holds(program->errors(), "19 B in "));
}

TEST_F(Pipeline, EveryByteArrivesThroughAnyNumberOfHosts) {
    const Arguments cats{kOne + std::string("cat"), kTwo + std::string("cat"), kThree + std::string("cat")};
    for (const std::string transport : {"auto", "tcp"}) {
        for (std::size_t hosts = 1; hosts <= cats.size(); ++hosts) {
            SCOPED_TRACE(transport + " " + std::to_string(hosts));
            const std::string content = makeContent(hosts == 2 ? 0 : (9U << 20) + hosts);
            const UniqueFd in = opened("content");
            const UniqueFd out = created("copy");
            const Arguments stages(cats.begin(), cats.begin() + static_cast<std::ptrdiff_t>(hosts));
            const Program program = run(Arguments{"--transport", transport} + stages, in.get(), out.get());
            EXPECT_TRUE(endsWith(*program, 0));
            EXPECT_EQ(program->errors(), "");
            EXPECT_TRUE(contentOf(file("copy")) == content);
        }
    }
}

TEST_F(Pipeline, NineHosts) {
    Arguments stages{kOne + std::string("echo from the first")};
    for (int host = 2; host <= 9; ++host) {
        stages.push_back(fmt::format("127.0.0.{}:cat", host % 3 + 1));
    }
    const Program program = run(stages);
    EXPECT_TRUE(endsWith(*program, 0));
    EXPECT_EQ(program->output(), "from the first\n");
}

TEST_F(Pipeline, JsonTellsWhatEachHopMoved) {
    const std::string content = makeContent(1'000'003);
    const UniqueFd in = opened("content");
    const Program program = run({"--stats-json", file("stats"), "--checksum", "--block", "64K", "--depth",
                                 "3", kOne + std::string("cat"), kTwo + std::string("cat; exit 3")},
                                in.get());
    EXPECT_TRUE(endsWith(*program, 3));
    EXPECT_TRUE(program->output() == content);
    const nlohmann::json stats = readJson(file("stats"));
    expectDocumented(stats, "Pipes");
    const std::string checksum = fmt::format("xxh3:{:016x}", checksumOf(std::as_bytes(std::span(content))));
    const std::vector<std::pair<std::string, std::string>> hops{
        {"here", "127.0.0.1"}, {"127.0.0.1", "127.0.0.2"}, {"127.0.0.2", "here"}};
    ASSERT_EQ(stats.at("hops").size(), hops.size());
    for (std::size_t i = 0; i < hops.size(); ++i) {
        const nlohmann::json& hop = stats.at("hops").at(i);
        EXPECT_EQ(hop.at("from"), hops[i].first);
        EXPECT_EQ(hop.at("to"), hops[i].second);
        EXPECT_EQ(hop.at("transport"), "shm");
        EXPECT_EQ(hop.at("bytes"), content.size());
        EXPECT_EQ(hop.at("block_bytes"), 65536);
        EXPECT_EQ(hop.at("depth"), 3);
        EXPECT_EQ(hop.at("checksum"), checksum);
    }
    EXPECT_EQ(stats.at("commands").dump(),
              R"([{"exit_code":0,"host":"127.0.0.1"},{"exit_code":3,"host":"127.0.0.2"}])");
    EXPECT_EQ(stats.at("exit_code"), 3);
    EXPECT_TRUE(stats.at("error").is_null());

    expectCode(kInput,
               {"--stats-json", file("failed"), kOne + ("<" + file("nothing")), kTwo + std::string("cat")},
               "No such file");
    EXPECT_TRUE(holds(readJson(file("failed")).at("error"), "No such file"));
    EXPECT_EQ(readJson(file("failed")).at("exit_code"), kInput);
}

TEST_F(Pipeline, AHostThatDoesNotAnswerIsGivenUp) {
    std::ofstream(file("silent")) << "#!/bin/sh\nexec sleep 1000\n";
    const Program program =
        runBy({"--ssh", "sh " + file("silent")}, {"--wait", "0.2", "one:cat", "two:cat"}, -1);
    EXPECT_TRUE(endsWith(*program, kNetwork));
    EXPECT_TRUE(holds(program->errors(), "one has not answered in 0.2 s (--wait)"));
}

TEST_F(Pipeline, AHostThatNeverStopsTalkingHoldsNothingUp) {
    std::ofstream(file("talker")) << "#!/bin/sh\nyes there >&2 &\nexec yes here\n";
    const Arguments access{"--ssh", "sh " + file("talker")};
    const Program waiting = runBy(access, {"--wait", "0.2", "one:cat"});
    EXPECT_TRUE(endsWith(*waiting, kNetwork));
    EXPECT_TRUE(holds(waiting->errors(), "one has not answered in 0.2 s (--wait)"));
    const Program interrupted = runBy(access, {"one:cat"});
    ASSERT_TRUE(interrupted->waitForError("there"));
    interrupted->signal(SIGINT);
    EXPECT_TRUE(endsWith(*interrupted, kInterrupted));
}

TEST_F(Pipeline, AHostThatNeverReadsHoldsNothingUp) {
    // Six bytes each in the plan, which is then longer than a pipe holds.
    std::ofstream(file("deaf")) << fmt::format(
        "#!/bin/sh\necho '{{\"type\":\"hello\",\"version\":\"{}\",\"address\":\"127.0.0.1\"}}'\n"
        "dd bs=1 count=1 2>/dev/null >&2\necho heard >&2\nexec sleep 1000\n",
        kVersion);
    const Program program = runBy({"--ssh", "sh " + file("deaf")}, {"one:echo " + std::string(20'000, '\1')});
    ASSERT_TRUE(program->waitForError("heard")) << program->errors();
    program->signal(SIGINT);
    EXPECT_TRUE(endsWith(*program, kInterrupted));
}

TEST_F(Pipeline, WhatAHostSaysDoesNotSteerTheTerminal) {
    const Program program =
        run({kOne + std::string("printf 'one\\033]0;owned\\007\\nt\\342\\200\\256wo' >&2; echo three")});
    EXPECT_TRUE(endsWith(*program, 0));
    EXPECT_EQ(program->output(), "three\n");
    EXPECT_EQ(program->errors(), "one?]0;owned?\nt?wo\n");
}

TEST_F(Pipeline, EndsAsTheLastCommandOrTheFirstThatFailed) {
    expectCode(3, {kOne + std::string("exit 3")});
    expectCode(0, {kOne + std::string("exit 3"), kTwo + std::string("cat")});
    expectCode(3, {"--pipefail", kOne + std::string("exit 3"), kTwo + std::string("cat; exit 4")});
    expectCode(4, {"--pipefail", kOne + std::string("true"), kTwo + std::string("cat; exit 4")});
    expectCode(128 + SIGKILL, {kOne + std::string("kill -9 $$")});
    expectCode(127, {kOne + std::string("no-such-program"), kTwo + std::string("no-such-program")},
               "no-such-program");
}

TEST_F(Pipeline, AStageThatHasEnoughEndsThoseBeforeItSilently) {
    const UniqueFd zeros = opened("/dev/zero");
    const Program program = run({kOne + std::string("cat"), kTwo + std::string("head -c 5")}, zeros.get());
    EXPECT_TRUE(endsWith(*program, 0));
    EXPECT_EQ(program->output().size(), 5U);
    EXPECT_EQ(program->errors(), "");
    expectCode(kBrokenPipe, {"--pipefail", kOne + std::string("yes"), kTwo + std::string("head -1")});
    // A command may close its ends and continue.
    expectCode(6, {kOne + std::string("exec <&- >&-; sleep 0.2; exit 6")});
}

TEST_F(Pipeline, AReaderOfTheOutputThatHasEnough) {
    KernelPipe pipe;
    const Program program = run({kOne + std::string("yes")}, -1, pipe.writing.get());
    pipe.writing.reset();
    std::array<char, 100> some{};
    EXPECT_EQ(::read(pipe.reading.get(), some.data(), some.size()), 100);
    pipe.reading.reset();
    EXPECT_TRUE(endsWith(*program, kBrokenPipe));
    EXPECT_EQ(program->errors(), "");
}

TEST_F(Pipeline, FilesAtTheHosts) {
    const std::string content = makeContent((3U << 20) + 5);
    expectCode(0, {kOne + ("<" + file("content")), kTwo + ("> " + file("copy"))});
    EXPECT_TRUE(contentOf(file("copy")) == content);
    EXPECT_FALSE(std::filesystem::exists(file("copy.part")));
    const Program program = run({kOne + ("<" + file("content")), kTwo + std::string("wc -c")});
    EXPECT_TRUE(endsWith(*program, 0));
    EXPECT_TRUE(holds(program->output(), std::to_string(content.size())));
}

TEST_F(Pipeline, AFileThatIsNotWholeHasNoName) {
    makeContent(1000);
    expectCode(kInput, {kOne + ("<" + file("nothing")), kTwo + (">" + file("copy"))}, "No such file");
    expectCode(kInput, {kOne + ("<" + file("")), kTwo + (">" + file("copy"))}, "Is a directory");
    expectCode(kUsage, {kOne + ("<" + file("content")), kTwo + (">" + file("no/copy"))}, "127.0.0.2: ");
    EXPECT_EQ(files_.names(), Arguments{"content"});
    expectCode(kResource, {kOne + ("<" + file("content")), kTwo + std::string(">/dev/full")},
               "127.0.0.2: writing /dev/full: No space left on device");
    expectCode(127, {kOne + std::string("no-such-program"), kTwo + (">" + file("copy"))}, "no-such-program");
    EXPECT_EQ(files_.names(), Arguments{"content"});
    expectCode(5, {kOne + std::string("echo begun; exit 5"), kTwo + (">" + file("copy"))},
               "copy.part holds 6 bytes");
    EXPECT_FALSE(std::filesystem::exists(file("copy")));
    expectCode(
        5,
        {kOne + std::string("echo begun; exit 5"), kTwo + std::string("cat"), kThree + (">" + file("copy"))},
        "copy.part holds 6 bytes");
    EXPECT_FALSE(std::filesystem::exists(file("copy"))) << "what the last command read was not whole";
    expectCode(0, {kOne + std::string("yes"), kTwo + std::string("head -c 6"), kThree + (">" + file("copy"))},
               "");
    EXPECT_TRUE(std::filesystem::exists(file("copy")));
}

TEST_F(Pipeline, NothingRunsBeforeAllIsReady) {
    expectCode(kInput, {kOne + ("<" + file("nothing")), kTwo + ("touch " + file("ran"))}, "nothing");
    EXPECT_EQ(files_.names(), Arguments{});
}

TEST_F(Pipeline, NothingIsLeftWhenAnyProcessIsKilled) {
    const UniqueFd zeros = opened("/dev/zero");
    const UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    // The second has a child that only sleeps; the third would take a truncated input for the whole.
    const Arguments stages{kOne + std::string("cat"), kTwo + std::string("sleep 1234 & cat"),
                           kThree + ("cat; touch " + file("complete"))};
    const std::string coordinator = verbcastPath() + " pipe run";
    for (const std::string& victim : {verbcastPath() + " pipe stage", std::string("ssh -F"), coordinator}) {
        SCOPED_TRACE(victim);
        const Program program = run(stages, zeros.get(), nowhere.get());
        waitForProcess("sleep 1234");
        ::kill(waitForProcess(victim), SIGKILL);
        EXPECT_TRUE(endsWith(*program, victim == coordinator ? 128 + SIGKILL : kNetwork));
        EXPECT_EQ(holds(program->errors(), "verbcast: 127.0.0."), victim != coordinator);
        expectNothingRuns();
        EXPECT_EQ(files_.names(), Arguments{});
    }
}

TEST_F(Pipeline, AnInterruptEndsAllOfIt) {
    const Program program =
        run({kOne + std::string("sleep 1234"), kTwo + std::string("trap '' TERM; sleep 1234")});
    waitForProcess("/bin/sh -c trap");
    program->signal(SIGINT);
    EXPECT_TRUE(endsWith(*program, kInterrupted));
    EXPECT_EQ(program->errors(), "");
    expectNothingRuns();
}

TEST_F(Pipeline, HostsThatCannotBeUsed) {
    const Arguments command{kOne + std::string("cat")};
    const auto expectRefusal = [&](const Arguments& access, int code, const Arguments& words) {
        const Program program = runBy(access, command);
        EXPECT_TRUE(endsWith(*program, code));
        for (const std::string& word : words) {
            EXPECT_TRUE(holds(program->errors(), word));
        }
    };
    const ReservedAddress closed("tcp");
    const auto port = static_cast<std::uint16_t>(std::stoi(closed.url().substr(closed.url().rfind(':') + 1)));
    expectRefusal({"--ssh", server().commandWithPort(port)}, kNetwork,
                  {"Connection refused", "127.0.0.1: ssh cannot reach the host"});
    expectRefusal({"--ssh", "/no/such/ssh"}, kUsage, {"/no/such/ssh", "No such file"});
    expectRefusal({"--ssh", server().command(), "--program", "/no/verbcast"}, kPeer,
                  {"there is no program \"/no/verbcast\"", "--program PATH"});
    const std::string hello = R"('{"type":"hello","version":"0.0.7","address":""}')";
    expectRefusal({"--ssh", server().command(), "--program", "echo " + hello + "; cat; :"}, kPeer,
                  {"version 0.0.7, here it is " + std::string(kVersion)});
    expectRefusal({"--ssh", server().command(), "--program", "exit 2;"}, kPeer,
                  {"there does not know", kVersion});
    expectRefusal({"--ssh", server().command(), "--program", "echo '{nonsense'; cat; :"}, kPeer,
                  {"127.0.0.1: \"{nonsense\" is not understood"});
    // A login that prints something first does no harm.
    const Program program =
        runBy({"--ssh", server().command(), "--program", "echo Welcome; " + remoteProgram()},
              {kOne + std::string("echo done")});
    EXPECT_TRUE(endsWith(*program, 0));
    EXPECT_EQ(program->output(), "done\n");
}

TEST_F(Pipeline, CommandLinesThatMakeNoSense) {
    expectCode(kUsage, {}, "STAGES");
    expectCode(kUsage, {"cat"}, "host:'command' expected");
    expectCode(kUsage, {"host:"}, "a command is missing");
    expectCode(kUsage, {"-oProxyCommand=x:cat"}, "");
    expectCode(kUsage, {"host:>"}, "the name of a file is missing");
    expectCode(kUsage, {"one:cat", "two:<file"}, "only the first stage can read a file");
    expectCode(kUsage, {"one:>file", "two:cat"}, "only the last stage can write a file");
    expectCode(kUsage, {"one:cat", "--transport", "udp"}, "--transport udp");
    expectCode(kUsage, {"one:cat", "--block", "0"}, "--block 0: bytes from 1 to");
    expectCode(kUsage, {"one:cat", "--depth", "65"}, "--depth 65: 1 to 64 expected");
    expectCode(kUsage, {"one:cat", "--checksum", "md5"}, "--checksum md5: xxh3 expected");
    expectCode(kUsage, {"one:cat", "--stats-json", "-"}, "would both go to standard output");
    expectCode(kUsage, {"one:cat", "--stats-json", file("no/stats")}, "no/stats");
    expectCode(kUsage, {"one:cat", "--address", "two=10.0.0.1"}, "HOST=ADDRESS expected");
    Verbcast help({"pipe", "--help"}, home_);
    EXPECT_TRUE(endsWith(help, 0));
    EXPECT_TRUE(holds(help.output(), "Run commands on several hosts"));
    EXPECT_EQ(help.output().find("stage "), std::string::npos) << help.output();
}

}  // namespace
}  // namespace verbcast::testing
