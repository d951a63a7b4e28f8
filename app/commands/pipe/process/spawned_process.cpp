#include "app/commands/pipe/process/spawned_process.h"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

#include "app/host/process.h"
#include "core/base/error.h"

namespace verbcast {
SpawnedProcess::SpawnedProcess(const std::vector<std::string>& words, const SpawnOptions& options)
    : group_(options.group.value_or(0)) {
    const int code = spawn(pid_, words.front(), words, options);
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
    // Do not reap it before the destructor, so that its process id is not reused.
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
