// The handler itself, in a child process; how the programs react to it is tested in life_test.cpp.
#include "app/host/interrupt.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

/// How a child ends that is interrupted twice, `between` apart; 0: it survives the second.
int fateOf(std::chrono::milliseconds between) {
    const pid_t child = ::fork();
    if (child == 0) {
        installInterruptHandler();
        ::raise(SIGINT);
        std::this_thread::sleep_for(between);
        ::raise(SIGTERM);
        ::_exit(interruptEvent().isSet() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(Interrupt, SignalsAtOnceAreOne) {
    EXPECT_EQ(fateOf(0ms), 0);
}

TEST(Interrupt, ALaterSecondOneEndsTheProcess) {
    EXPECT_EQ(fateOf(600ms), SIGTERM);
}

TEST(Interrupt, AnIgnoredSignalStaysIgnored) {
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::signal(signal, SIG_IGN);
            installInterruptHandler();
            ::raise(signal);
            ::_exit(interruptEvent().isSet() ? 1 : 0);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
}

}  // namespace
}  // namespace verbcast::testing
