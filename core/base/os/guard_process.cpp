#include "core/base/os/guard_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr int kLine = 0, kKept = 1, kAboveAll = 3;

/// Keeps only these two descriptors in the guard, with /dev/null for a missing one, so that no file of its
/// own gets that number.
void keepOnly(int line, int kept) {
    line = ::fcntl(line, F_DUPFD, kAboveAll);
    const int nothing = ::open("/dev/null", O_RDWR);
    kept = ::fcntl(kept >= 0 ? kept : nothing, F_DUPFD, kAboveAll);
    ::dup2(nothing, STDERR_FILENO);
    ::dup2(line, kLine);
    ::dup2(kept, kKept);
    if (::close_range(kAboveAll, ~0U, 0) != 0) {  // before Linux 5.9, or refused by a sandbox
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        const auto end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 20));
        for (int each = kAboveAll; each < end; ++each) {
            ::close(each);
        }
    }
}

[[noreturn]] void beGuard(const GuardProcess::Duty& duty, int line, int kept) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_NAME, kGuardName);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        ::signal(signal, SIG_IGN);
    }
    keepOnly(line, kept);
    try {
        duty(kLine, kKept);
    } catch (const std::exception&) {
        // There is nobody left to tell.
    }
    ::_exit(0);
}

}  // namespace

GuardProcess::GuardProcess(const char* what, const Duty& duty, int kept) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throwErrno(ErrorKind::Resource, "pipe2", what, errno, kRaiseFileLimit);
    }
    const UniqueFd reading(ends[0]);
    line_.reset(ends[1]);
    pid_ = ::fork();
    if (pid_ == 0) {
        beGuard(duty, reading.get(), kept);
    }
    if (pid_ < 0) {
        throwErrno(ErrorKind::Resource, "fork", what, errno);
    }
    ::setpgid(pid_, pid_);  // it does so itself, but perhaps after others join the group
}

GuardProcess::~GuardProcess() {
    line_.reset();
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void GuardProcess::tell(std::span<const std::byte> message) const {
    // Writes of this size are atomic.
    static_cast<void>(!::write(line_.get(), message.data(), message.size()));
}

bool hear(int line, std::span<std::byte> message) {
    ssize_t got = 0;
    do {
        got = ::read(line, message.data(), message.size());
    } while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(message.size());
}

}  // namespace verbcast
