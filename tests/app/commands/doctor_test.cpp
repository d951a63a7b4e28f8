// verbcast doctor, as a user runs it. Its findings depend on the machine; that they are complete and
// consistent does not.
#include <algorithm>
#include <sstream>

#include "tests/support/documented_keys.h"
#include "tests/support/exit_codes.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class DoctorTest : public ProgramTest {
  protected:
    struct Answer {
        int exitCode = -1;
        std::string text;
        nlohmann::json json;
    };

    Answer ask(Arguments arguments) {
        arguments.insert(arguments.begin(), "doctor");
        Verbcast program(arguments, home_);
        const auto code = program.waitForEnd();
        EXPECT_TRUE(code.has_value()) << "it runs on";
        EXPECT_EQ(program.errors(), "");
        Answer answer{code.value_or(-1), program.output(), {}};
        if (std::count(arguments.begin(), arguments.end(), "--json") > 0) {
            answer.json = nlohmann::json::parse(answer.text);
        }
        return answer;
    }
};

/// A stream so small that any machine carries it: the result must not depend on this machine.
const Arguments kSmall{"--size", "64x64", "--fps", "10"};

nlohmann::json checkNamed(const nlohmann::json& report, const std::string& name) {
    for (const auto& check : report["checks"]) {
        if (check["name"] == name) {
            return check;
        }
    }
    ADD_FAILURE() << "there is no check \"" << name << "\" in " << report.dump(2);
    return {};
}

TEST_F(DoctorTest, ExitCodeIsThatOfTheReportAndFollowsItsStates) {
    const Answer answer = ask(kSmall + Arguments{"--json", "--strict"});
    const nlohmann::json& report = answer.json;
    EXPECT_EQ(report["schema"], "verbcast-doctor/1");
    EXPECT_EQ(report["exit_code"], answer.exitCode);
    bool warned = false;
    bool failed = false;
    for (const auto& check : report["checks"]) {
        warned |= check["state"] == "warning";
        failed |= check["state"] == "failed";
    }
    const int expected = failed || !report["verdict"]["fits"].get<bool>() ? 11 : warned ? 10 : 0;
    EXPECT_EQ(answer.exitCode, expected) << report.dump(2);
    EXPECT_TRUE(report["verdict"]["fits"]) << "64x64 at 10 fps fits any machine: " << report.dump(2);
}

TEST_F(DoctorTest, EveryCheckIsWholeAndEveryProblemHasARemedy) {
    const nlohmann::json report = ask({"--json"}).json;
    for (const auto& check : report["checks"]) {
        expectRow(check["name"], "What the doctor checks");
        EXPECT_NE(check["seen"], "") << check;
        const std::string state = check["state"];
        EXPECT_TRUE(state == "ok" || state == "info" || !check["remedy"].get<std::string>().empty()) << check;
    }
    for (const char* name :
         {"RDMA device", "locked memory", "huge pages", "free memory", "memory speed", "processors",
          "processor clock", "TCP speed", "TCP buffers", "network", "clock source", "time between hosts",
          "OpenGL", "desktop session", "sound", "hardware decoders", "GPUDirect"}) {
        checkNamed(report, name);
    }
    EXPECT_EQ(report["stream"]["ring_bytes"], 8U * 33'177'600);
}

TEST_F(DoctorTest, LinesStartWithTheirStateAndTheLastIsTheVerdict) {
    const Answer answer = ask(kSmall);
    EXPECT_EQ(answer.text.find('\033'), std::string::npos) << "colours without a terminal";
    std::istringstream lines(answer.text);
    std::string last;
    for (std::string line; std::getline(lines, line); last = line) {
        const bool known = line.empty() || line.starts_with("ok  ") || line.starts_with("info  ") ||
                           line.starts_with("warning  ") || line.starts_with("failed  ") ||
                           line.starts_with("           ") || line.starts_with("64x64 ");
        EXPECT_TRUE(known) << line;
    }
    EXPECT_TRUE(last.starts_with("64x64 rgba at 10 fps (0.00 GB/s, 0.0 Gb/s): fits over shm")) << last;
}

TEST_F(DoctorTest, AStreamThatNoMachineCarriesDoesNotFit) {
    const Answer answer = ask({"--size", "16384x16384", "--fps", "1000", "--json"});
    EXPECT_EQ(answer.exitCode, 11);
    EXPECT_FALSE(answer.json["verdict"]["fits"]);
    EXPECT_NE(answer.json["verdict"]["reason"], "");
}

TEST_F(DoctorTest, WrongOptionsAreUsageErrors) {
    for (const Arguments& wrong :
         {Arguments{"--size", "large"}, Arguments{"--size", "8x8"}, Arguments{"--format", "rgb48"},
          Arguments{"--fps", "0"}, Arguments{"ftp://host"}, Arguments{"--json", "tcp://host"},
          Arguments{"--json", "/no/such/folder"}}) {
        Verbcast program(Arguments{"doctor"} + wrong, home_);
        EXPECT_TRUE(endsWith(program, kUsage));
        EXPECT_EQ(program.output(), "") << "checked before the command line was";
        EXPECT_TRUE(holds(program.errors(), wrong.back()));
    }
}

TEST_F(DoctorTest, JsonGoesToTheNamedFileAndTextToStdout) {
    Verbcast program(Arguments{"doctor"} + kSmall + Arguments{"--json", file("report.json")}, home_);
    const auto code = program.waitForEnd();
    const nlohmann::json report = readJson(file("report.json"));
    EXPECT_EQ(report["schema"], "verbcast-doctor/1");
    EXPECT_EQ(report["exit_code"], code.value_or(-1));
    EXPECT_TRUE(holds(program.output(), "64x64 rgba at 10 fps"));
    EXPECT_EQ(ask(kSmall + Arguments{"--json", "-"}).json["schema"], "verbcast-doctor/1");
}

TEST_F(DoctorTest, NobodyListeningIsAFailureThatNamesTheAddress) {
    const ReservedAddress nobody("tcp");
    const Answer answer = ask(kSmall + Arguments{nobody.url(), "--json"});
    EXPECT_EQ(answer.exitCode, 11);
    const auto check = checkNamed(answer.json, "peer");
    EXPECT_EQ(check["state"], "failed");
    EXPECT_TRUE(holds(check["seen"], nobody.url()));
    EXPECT_NE(check["remedy"], "");
    EXPECT_FALSE(answer.json["verdict"]["fits"]);
}

TEST_F(DoctorTest, AnUnknownNameInSharedMemoryIsAFailure) {
    const ReservedAddress nobody("shm");
    const Answer answer = ask(kSmall + Arguments{nobody.url(), "--json"});
    EXPECT_EQ(checkNamed(answer.json, "peer")["state"], "failed");
    EXPECT_EQ(answer.exitCode, 11);
}

class DoctorsPeer : public DoctorTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(DoctorsPeer, ASenderIsRecognisedAndServesItsOnlyViewerAfterwards) {
    // --once: it ends after its first viewer, so the doctor must not count as one.
    Verbcast sender({"send", "pattern", "--size", "64x64", "--once", "--frames", "20", "--policy", "lossless",
                     "--listen", listenAddressFor(GetParam())},
                    home_);
    const std::string address = sender.listenAddress();
    for (int visit = 0; visit < 2; ++visit) {
        const auto check = checkNamed(ask(kSmall + Arguments{address, "--json"}).json, "peer");
        EXPECT_EQ(check["state"], "ok") << check;
        EXPECT_TRUE(holds(check["seen"], std::string("over ") + GetParam()));
        EXPECT_TRUE(holds(check["seen"], "a sender"));
    }
    ASSERT_TRUE(sender.running()) << sender.errors();
    Verbcast viewer({"view", "--headless", "--frames", "20", "--stats-json", file("got.json"), address},
                    home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_EQ(readJson(file("got.json"))["frames_received"], 20);
}

TEST_P(DoctorsPeer, AViewerThatWaitsGoesOnWaiting) {
    Verbcast viewer({"view", "--headless", "--once", "--listen", listenAddressFor(GetParam())}, home_);
    const std::string address = viewer.listenAddress();
    const auto check = checkNamed(ask(kSmall + Arguments{address, "--json"}).json, "peer");
    EXPECT_EQ(check["state"], "ok") << check;
    EXPECT_TRUE(holds(check["seen"], "a viewer"));
    ASSERT_TRUE(viewer.running()) << viewer.errors();
    Verbcast sender({"send", "pattern", "--size", "64x64", "--frames", "5", "--to", address}, home_);
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(endsWith(viewer, 0));
}

INSTANTIATE_TEST_SUITE_P(Over, DoctorsPeer, ::testing::Values("tcp", "shm"));

TEST_F(DoctorTest, AStreamThatRunsIsNotDisturbed) {
    Verbcast sender({"send", "pattern", "--size", "64x64", "--fps", "100", "--policy", "lossless", "--once",
                     "--listen", "tcp://127.0.0.1:0"},
                    home_);
    const std::string address = sender.listenAddress();
    Verbcast viewer({"view", "--headless", "--stats-json", file("got.json"), "--once", address}, home_);
    ASSERT_TRUE(viewer.waitForError("receiving"));
    EXPECT_EQ(checkNamed(ask(kSmall + Arguments{address, "--json"}).json, "peer")["state"], "ok");
    sender.signal(SIGINT);
    EXPECT_TRUE(endsWith(sender, kInterrupted));
    EXPECT_TRUE(endsWith(viewer, 0));
    const auto stats = readJson(file("got.json"));
    EXPECT_GT(stats["frames_received"], 0);
    EXPECT_EQ(stats["frames_dropped"], 0);
    EXPECT_EQ(stats["connections"], 1);
    EXPECT_EQ(stats["connections_lost"], 0);
}

}  // namespace
}  // namespace verbcast::testing
