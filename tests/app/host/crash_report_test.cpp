// What a crashed program writes to stderr, and what its parent sees. Each crash is in a process of its own.
#include "app/host/crash_report.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

#include "core/base/version.h"

namespace verbcast::testing {
namespace {

volatile int zero = 0;

[[noreturn]] void crashBy(void (*how)()) {
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
    reportCrashes("testing");
    how();
    std::_Exit(0);
}

int fillStack(int depth) {
    volatile char space[4096];
    space[0] = static_cast<char>(depth);
    return depth == 0 ? 0 : fillStack(depth + 1) + space[0];
}

class CrashReportDeathTest : public ::testing::Test {
  protected:
    CrashReportDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
    void SetUp() override {
        if (VERBCAST_SANITIZED) {
            GTEST_SKIP() << "sanitizers tell of crashes themselves";
        }
    }
    static std::string text(const std::string& what) {
        return "testing: crashed: " + what + ".*verbcast " + kVersion +
               ".*Please report.*app_test.*addr2line -Cfpie /.*app_test 0x";
    }
};

TEST_F(CrashReportDeathTest, AWrongAddress) {
    EXPECT_EXIT(crashBy([] { *reinterpret_cast<volatile int*>(zero) = 1; }),
                ::testing::KilledBySignal(SIGSEGV), text("SIGSEGV, invalid address \\(0x0\\)"));
}

TEST_F(CrashReportDeathTest, Arithmetic) {
    EXPECT_EXIT(crashBy([] { zero = 7 / zero; }), ::testing::KilledBySignal(SIGFPE), text("SIGFPE"));
}

TEST_F(CrashReportDeathTest, MemoryThatIsGone) {
    EXPECT_EXIT(crashBy([] {
                    const int file = ::memfd_create("gone", 0);
                    auto* page =
                        static_cast<volatile char*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0));
                    zero = page[0];
                }),
                ::testing::KilledBySignal(SIGBUS), text("SIGBUS"));
}

TEST_F(CrashReportDeathTest, AFullStack) {
    EXPECT_EXIT(crashBy([] { zero = fillStack(1); }), ::testing::KilledBySignal(SIGSEGV), text("SIGSEGV"));
}

TEST_F(CrashReportDeathTest, AnExceptionThatNobodyCatchesInAnyThread) {
    EXPECT_EXIT(
        crashBy([] { std::thread([] { throw std::runtime_error("what \x1b nobody expected"); }).join(); }),
        ::testing::KilledBySignal(SIGABRT),
        "testing: internal error: uncaught exception: what \\? nobody expected.*" + text("SIGABRT"));
}

TEST_F(CrashReportDeathTest, ASignalThatIsSent) {
    EXPECT_EXIT(crashBy([] { ::raise(SIGSEGV); }), ::testing::KilledBySignal(SIGSEGV), text("SIGSEGV"));
}

TEST_F(CrashReportDeathTest, SeveralThreadsAtOnceMakeOneReport) {
    EXPECT_EXIT(crashBy([] {
                    const auto fail = [] { *reinterpret_cast<volatile int*>(zero) = 1; };
                    std::thread one(fail), two(fail), three(fail);
                    one.join();
                }),
                ::testing::KilledBySignal(SIGSEGV), text("SIGSEGV"));
}

}  // namespace
}  // namespace verbcast::testing
