// What becomes of standard streams that are full, closed, or left by their reader; in child processes.
#include "core/base/os/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/support/kernel_pipe.h"

namespace verbcast::testing {
namespace {

/// 0 if `claim` holds in a child process; 1 if not, 128 and more if a signal ends it.
int failureOf(const std::function<bool()>& claim) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(claim() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

UniqueFd fullDisk() {
    return UniqueFd(::open("/dev/full", O_WRONLY | O_CLOEXEC));
}

/// Whether words to people leave a process as it was.
bool survivesWords() {
    errno = EXDEV;
    printToStderr("{} words\n", 3);
    writeToStderr("and more\n");
    sigset_t pending;
    return errno == EXDEV && ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 0;
}

TEST(StandardStreams, WordsForNobodyAreDropped) {
    EXPECT_EQ(failureOf([] { return ::dup2(fullDisk().get(), STDERR_FILENO) >= 0 && survivesWords(); }), 0)
        << "a full disk";
    EXPECT_EQ(failureOf([] { return ::close(STDERR_FILENO) == 0 && survivesWords(); }), 0) << "closed";
    EXPECT_EQ(failureOf([] {
                  KernelPipe pipe;
                  pipe.reading.reset();
                  return ::dup2(pipe.writing.get(), STDERR_FILENO) >= 0 && survivesWords();
              }),
              0)
        << "a reader that has left";
}

TEST(StandardStreams, WordsWaitForRoomInANonBlockingPipe) {
    KernelPipe pipe;
    ASSERT_EQ(::fcntl(pipe.writing.get(), F_SETFL, O_NONBLOCK), 0);
    const std::string words(1 << 20, 'w');
    std::size_t come = 0;
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(pipe.writing.get(), STDERR_FILENO);
        writeToStderr(words);
        ::_exit(0);
    }
    pipe.writing.reset();
    std::vector<char> buffer(words.size());
    for (ssize_t got = 1; got > 0; come += static_cast<std::size_t>(got)) {
        got = ::read(pipe.reading.get(), buffer.data(), buffer.size());
        ASSERT_GE(got, 0);
    }
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(come, words.size());
}

TEST(StandardStreams, ResultsForNobodyAreAnError) {
    const auto fails = [](const std::function<void()>& write) {
        try {
            write();
        } catch (const Error& error) {
            return error.kind() == ErrorKind::Resource &&
                   std::string(error.what()).find("standard output") != std::string::npos;
        }
        return false;
    };
    EXPECT_EQ(failureOf([&] {
                  ::dup2(fullDisk().get(), STDOUT_FILENO);
                  printToStdout("{} line\n", 1);
                  return fails(flushStdout);
              }),
              0);
    EXPECT_EQ(failureOf([&] {
                  ::dup2(fullDisk().get(), STDOUT_FILENO);
                  return fails([] { writeToStdout(std::string(1 << 20, 'r')); });
              }),
              0)
        << "more than the buffer holds";
    EXPECT_EQ(failureOf([&] {
                  ::close(STDOUT_FILENO);
                  reserveStandardStreams();
                  printToStdout("{} line\n", 1);
                  return fails(flushStdout);
              }),
              0)
        << "closed";
}

TEST(StandardStreams, NoFileGetsTheNumberOfAClosedOne) {
    EXPECT_EQ(failureOf([] {
                  for (int descriptor = 0; descriptor < 3; ++descriptor) {
                      ::close(descriptor);
                  }
                  reserveStandardStreams();
                  char byte = 0;
                  return fullDisk().get() > STDERR_FILENO && ::read(STDIN_FILENO, &byte, 1) < 0 &&
                         errno == EBADF && ::write(STDOUT_FILENO, &byte, 1) < 0 && errno == EBADF &&
                         ::write(STDERR_FILENO, &byte, 1) < 0 && errno == EBADF;
              }),
              0);
}

}  // namespace
}  // namespace verbcast::testing
