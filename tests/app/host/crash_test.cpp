// A program that crashes reports where; one that was killed leaves nothing that blocks the next.
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "core/base/version.h"
#include "tests/support/exit_codes.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class CrashTest : public ProgramTest {
  protected:
    CrashTest() {
        const rlimit noCore{0, 0};
        ::setrlimit(RLIMIT_CORE, &noCore);  // for the programs, too
    }
    std::unique_ptr<Verbcast> start(const Arguments& arguments) const {
        return std::make_unique<Verbcast>(arguments, home_);
    }
};

TEST_F(CrashTest, ItNamesTheSignalTheVersionAndTheFunctions) {
    if (VERBCAST_SANITIZED) {
        GTEST_SKIP() << "sanitizers tell of crashes themselves";
    }
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) {
        SCOPED_TRACE(signal);
        const auto sender =
            start({"send", "pattern", "--size", "160x90", "--fps", "100", "--listen", "tcp://127.0.0.1:0"});
        const auto viewer = start({"view", "--headless", sender->listenAddress()});
        EXPECT_TRUE(viewer->waitForError("receiving"));  // no new thread could take the signal
        sender->signal(signal);
        EXPECT_TRUE(endsWith(*sender, 128 + signal));
        const std::string errors = sender->errors();
        EXPECT_TRUE(holds(errors, "verbcast: crashed: SIG"));
        EXPECT_TRUE(holds(errors, ", sent by another process\n"));
        EXPECT_TRUE(holds(errors, std::string("This is a bug in verbcast ") + kVersion));
        EXPECT_TRUE(holds(errors, "_ZN8verbcast")) << "functions of ours by name";
        EXPECT_TRUE(std::regex_search(errors, std::regex("addr2line -Cfpie /.*verbcast( 0x[0-9a-f]+)+\n")))
            << errors;
    }
}

/// For every command that takes a name or an address, whether it listens there or has a viewer there.
TEST_F(CrashTest, NothingOfAKilledProgramBlocksTheNext) {
    const std::string name = "shm://killed-" + std::to_string(::getpid());
    const std::string preview = name + "-preview";
    const ReservedAddress port("tcp");
    for (int round = 0; round < 3; ++round) {
        SCOPED_TRACE(round);
        const auto byName = start({"send", "pattern", "--size", "160x90", "--fps", "100", "--listen", name});
        EXPECT_EQ(byName->listenAddress(), name);
        const auto viewer = start({"view", "--headless", name});
        EXPECT_TRUE(viewer->waitForError("receiving"));
        const auto byPort = start({"send", "pattern", "--size", "160x90", "--fps", "100", "--preview",
                                   preview, "--listen", port.url()});
        EXPECT_EQ(byPort->listenAddress(), port.url());
        const auto other = start({"view", "--headless", port.url()});
        EXPECT_TRUE(other->waitForError("receiving"));
        const auto looker = start({"view", "--headless", preview});
        EXPECT_TRUE(looker->waitForError("receiving"));
        const auto pipe = start({"pipe", "recv", "--listen", name + "-pipe", "--output", file("pipe"), "-v"});
        EXPECT_EQ(pipe->listenAddress(), name + "-pipe");
        for (const auto* program : {&byName, &viewer, &byPort, &other, &looker, &pipe}) {
            (*program)->signal(SIGKILL);
        }
        for (const auto* program : {&byName, &viewer, &byPort, &other, &looker, &pipe}) {
            EXPECT_TRUE(endsWith(**program, 128 + SIGKILL));
        }
    }
    // ProgramTest checks for leftovers in their folder and in /dev/shm.
}

#ifdef VERBCAST_TEST_OFI
/// libfabric's shm provider keeps files in /dev/shm, 16 MiB for each end.
TEST_F(CrashTest, WhatAKilledProgramLeftInSharedMemoryGoesWithTheNextStart) {
    const auto names = [] {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
            const std::string name = entry.path().filename();
            if (name.starts_with("vbst-")) {
                found.push_back(name);
            }
        }
        return found;
    };
    const auto ofPrograms = [&](const Verbcast& one, const Verbcast& other) {
        const auto found = names();
        return std::ranges::count_if(found, [&](const std::string& name) {
            return name.starts_with("vbst-" + std::to_string(one.pid()) + "-") ||
                   name.starts_with("vbst-" + std::to_string(other.pid()) + "-");
        });
    };
    const Arguments sending{"send",  "pattern", "--size",   "160x90",
                            "--fps", "100",     "--listen", "ofi://127.0.0.1:0?provider=shm"};
    const auto sender = start(sending);
    const auto viewer = start({"view", "--headless", sender->listenAddress()});
    ASSERT_TRUE(viewer->waitForError("receiving")) << viewer->errors();
    EXPECT_EQ(ofPrograms(*sender, *viewer), 2);
    sender->signal(SIGKILL);
    viewer->signal(SIGKILL);
    EXPECT_TRUE(endsWith(*sender, 128 + SIGKILL));
    EXPECT_TRUE(endsWith(*viewer, 128 + SIGKILL));
    const auto next = start(sending);
    const auto last = start({"view", "--headless", "--frames", "3", next->listenAddress()});
    EXPECT_TRUE(endsWith(*last, 0));
    EXPECT_EQ(ofPrograms(*sender, *viewer), 0);
}
#endif

}  // namespace
}  // namespace verbcast::testing
