// What programs that we start inherit.
#include "app/host/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace verbcast::testing {
namespace {

TEST(Process, ProgramsIgnoreWhatTheyWouldIgnoreWithoutUs) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGPIPE, SIG_DFL);
        ::signal(SIGHUP, SIG_IGN);
        ::signal(SIGXFSZ, SIG_IGN);
        ignoreHere(SIGPIPE);
        ignoreHere(SIGXFSZ);
        pid_t shell = -1;
        int status = 0;
        // A shell leaves ignored signals alone: the first two do nothing, the last one ends it.
        const int code = spawn(shell, "sh", {"sh", "-c", "kill -HUP $$; kill -XFSZ $$; kill -PIPE $$"},
                               {.usualSignals = true});
        const bool right = code == 0 && ::waitpid(shell, &status, 0) == shell && WIFSIGNALED(status) &&
                           WTERMSIG(status) == SIGPIPE && ::raise(SIGPIPE) == 0;
        ::_exit(right ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace verbcast::testing
