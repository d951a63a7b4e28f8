#include "app/pipe/run/group_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "app/pipe/run/spawned_process.h"
#include "core/base/error.h"

namespace verbcast {

/// In the forked process. Holds no other descriptor: others wait for the ends of theirs.
void GroupGuard::watch(int line, int input) {
    constexpr int kLine = 0, kInput = 1, kAboveBoth = 2;
    ::setpgid(0, 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ::signal(signal, SIG_IGN);
    }
    line = ::fcntl(line, F_DUPFD, kAboveBoth);
    input = ::fcntl(input, F_DUPFD, kAboveBoth);
    ::dup2(line, kLine);
    ::dup2(input, kInput);
    ::close_range(kAboveBoth, ~0U, 0);
    bool released = false;
    for (;;) {
        Message told{};
        const ssize_t got = ::read(kLine, &told, sizeof told);
        if (got == 1 && told == Message::EndInput) {
            ::close(kInput);
        } else if (got == 1) {
            released = true;
        } else if (got >= 0 || errno != EINTR) {
            break;
        }
    }
    if (!released) {
        ::kill(0, SIGKILL);  // the group, and this process with it
    }
    ::_exit(0);
}

GroupGuard::GroupGuard(int input) {
    Pipe pipe = makePipe();
    pid_ = ::fork();
    if (pid_ == 0) {
        watch(pipe.reading.get(), input);
    }
    if (pid_ < 0) {
        throwErrno(ErrorKind::Resource, "fork", "a guard for the command", errno);
    }
    ::setpgid(pid_, pid_);  // it does so itself, perhaps later than the first that joins
    line_ = std::move(pipe.writing);
}

GroupGuard::~GroupGuard() {
    line_.reset();
    ::waitpid(pid_, nullptr, 0);
}

void GroupGuard::tell(Message message) const {
    // Writes of this size are whole, and there is always room for them.
    static_cast<void>(!::write(line_.get(), &message, sizeof message));
}

}  // namespace verbcast
