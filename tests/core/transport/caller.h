// A connecting peer in a process of its own.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace verbcast::testing {

/// The process's role: retries until it is accepted, stays connected, and then connects again.
[[noreturn]] void callForEver(const std::string& url);

/// Runs this program again, since verbs do not survive a fork: see main.cpp.
class Caller {
  public:
    explicit Caller(const std::string& url) : pid_(::fork()) {
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::execl("/proc/self/exe", "transport_test", "--call", url.c_str(), nullptr);
            ::_exit(127);
        }
    }
    ~Caller() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

  private:
    pid_t pid_;
};

}  // namespace verbcast::testing
