#include "app/pipe/run/spawned_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "app/host/process.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

/// posix_spawn's two sets of wishes.
class SpawnWishes {
  public:
    explicit SpawnWishes(const SpawnOptions& options) {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        if (options.input >= 0) {
            posix_spawn_file_actions_adddup2(&actions, options.input, STDIN_FILENO);
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        }
        posix_spawn_file_actions_adddup2(&actions, options.output >= 0 ? options.output : STDERR_FILENO,
                                         STDOUT_FILENO);
        if (options.errors >= 0) {
            posix_spawn_file_actions_adddup2(&actions, options.errors, STDERR_FILENO);
        }
        sigset_t usual, blocked;
        sigemptyset(&usual);
        sigemptyset(&blocked);
        for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) {
            sigaddset(&usual, signal);
        }
        if (options.shielded) {
            sigaddset(&blocked, SIGINT);
        }
        posix_spawnattr_setsigdefault(&attributes, &usual);
        posix_spawnattr_setsigmask(&attributes, &blocked);
        posix_spawnattr_setpgroup(&attributes, options.group);
        const int flags =
            POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (options.group != 0 ? POSIX_SPAWN_SETPGROUP : 0);
        posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
    }
    ~SpawnWishes() {
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    SpawnWishes(const SpawnWishes&) = delete;
    SpawnWishes& operator=(const SpawnWishes&) = delete;

    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};
};

}  // namespace

Pipe makePipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throwErrno(ErrorKind::Resource, "pipe2", "a pipe to a program", errno);
    }
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

SpawnedProcess::SpawnedProcess(const std::vector<std::string>& words, const SpawnOptions& options)
    : group_(options.group) {
    const SpawnWishes wishes(options);
    const int code = ::posix_spawnp(&pid_, words.front().c_str(), &wishes.actions, &wishes.attributes,
                                    pointersTo(words).data(), environ);
    if (code != 0) {
        throwErrno(ErrorKind::Usage, "starting", words.front(), code, "name a program that is installed");
    }
    ended_ = processDescriptor(pid_);
    if (!ended_) {
        const int why = errno;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        throwErrno(ErrorKind::Resource, "pidfd_open", words.front(), why);
    }
}

SpawnedProcess::~SpawnedProcess() {
    if (pid_ <= 0 || !ended_) {
        return;
    }
    if (!letGo_) {
        signal(SIGKILL);
    }
    ::waitpid(pid_, nullptr, 0);
}

std::optional<int> SpawnedProcess::status() {
    // It is not reaped before the end, so that nobody else gets its number.
    siginfo_t info{};
    if (!status_ && ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid_) {
        status_ = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
    }
    return status_;
}

void SpawnedProcess::signal(int number) const {
    ::kill(group_ != 0 ? -group_ : pid_, number);
}

}  // namespace verbcast
