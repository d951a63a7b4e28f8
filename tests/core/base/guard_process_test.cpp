// A guard does its duty when its process is killed, and holds nothing that others wait for.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <string>

#include "core/base/os/event.h"
#include "core/base/os/guard_process.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

struct Ends {
    UniqueFd ours, theirs;
};
Ends connectedSockets() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// Reads the next text; "" once the other side has closed the socket.
std::string next(const UniqueFd& socket) {
    std::array<char, 64> bytes{};
    if (!waitReadable({socket.get()}, 60s)) {
        return "nothing came";
    }
    const ssize_t got = ::read(socket.get(), bytes.data(), bytes.size());
    return std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
}

void say(int socket, const std::string& text) {
    EXPECT_EQ(::write(socket, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

/// Reports what it hears and, when the line is closed, that it has begun its duty. Ends when the other side
/// sends or closes.
void duty(int line, int kept) {
    for (char byte = 0; hear(line, std::as_writable_bytes(std::span(&byte, 1)));) {
        say(kept, std::string("heard ") + byte);
    }
    say(kept, "line ended");
    char byte = 0;
    static_cast<void>(!::read(kept, &byte, 1));
}

constexpr std::byte kWord{'w'};

/// Flushes first: a guard would also write unflushed output, since _exit() flushes under the thread
/// sanitizer.
class GuardProcessTest : public ::testing::Test {
  protected:
    void SetUp() override { std::fflush(nullptr); }
};

/// As kernels before 5.9 and some sandboxes do.
void refuseCloseRange() {
    std::array code{sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                    sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
                    sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                    sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{code.size(), code.data()};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void expectDutyWhenKilled(void (*prepare)()) {
    Ends guard = connectedSockets(), other = connectedSockets();
    const pid_t killed = ::fork();
    if (killed == 0) {
        prepare();
        const GuardProcess process("a test", &duty, guard.theirs.get());
        process.tell({&kWord, 1});
        ::kill(::getpid(), SIGKILL);
    }
    guard.theirs.reset();
    other.theirs.reset();
    EXPECT_EQ(next(guard.ours), "heard w");
    EXPECT_EQ(next(guard.ours), "line ended");
    EXPECT_EQ(next(other.ours), "") << "the guard, which is at work, holds a descriptor of somebody else";
    say(guard.ours.get(), "end");
    EXPECT_EQ(next(guard.ours), "");
    int status = 0;
    EXPECT_EQ(::waitpid(killed, &status, 0), killed);
    EXPECT_EQ(status, SIGKILL);
}

TEST_F(GuardProcessTest, DoesItsDutyWhenItsProcessIsKilled) {
    expectDutyWhenKilled([] {});
}

TEST_F(GuardProcessTest, AndWhereASandboxRefusesToCloseRanges) {
    expectDutyWhenKilled(&refuseCloseRange);
}

TEST_F(GuardProcessTest, IsWaitedForAtTheEnd) {
    Ends guard = connectedSockets();
    pid_t pid = 0;
    {
        const GuardProcess process("a test", &duty, guard.theirs.get());
        pid = process.pid();
        process.tell({&kWord, 1});
        EXPECT_EQ(next(guard.ours), "heard w");
        EXPECT_EQ(::getpgid(pid), pid);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            EXPECT_EQ(::kill(pid, signal), 0);
        }
        say(guard.ours.get(), "end");
    }
    guard.theirs.reset();
    EXPECT_EQ(next(guard.ours), "line ended");
    EXPECT_EQ(next(guard.ours), "");
    EXPECT_NE(::kill(pid, 0), 0);
}

}  // namespace
}  // namespace verbcast::testing
