// A process that a test forks from itself, to be stopped or killed.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace verbcast::testing {

/// Runs `body` in a child process. Create it before this process has any threads.
class ForkedChild {
  public:
    explicit ForkedChild(const std::function<void()>& body) : pid_(::fork()) {
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            body();
            ::_exit(0);
        }
    }
    ~ForkedChild() { kill(); }
    ForkedChild(const ForkedChild&) = delete;
    ForkedChild& operator=(const ForkedChild&) = delete;

    void send(int signal) const { ::kill(pid_, signal); }
    /// Kills it and waits until it is gone.
    void kill() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
            pid_ = -1;
        }
    }

  private:
    pid_t pid_;
};

}  // namespace verbcast::testing
