// A program that we start, and what it has started in turn, such as a shell's programs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/host/process.h"

namespace verbcast {

/// While it lives, a process below this one whose parent has ended becomes this process's child, so that it
/// is found, too. One that has left our session is a daemon, which is meant to stay: no member. Neither are
/// the children that were there before. One in a process, which must not wait for other children meanwhile.
class ProcessTree {
  public:
    ProcessTree();
    ~ProcessTree();
    ProcessTree(const ProcessTree&) = delete;
    ProcessTree& operator=(const ProcessTree&) = delete;

    /// As spawn(). Call once.
    [[nodiscard]] int start(const std::string& program, const std::vector<std::string>& words,
                            const SpawnOptions& options);
    pid_t root() const { return root_; }
    /// Readable when a child has ended, until status() is called.
    int descriptor() const;
    /// As waitpid() tells it, once the program that was started has ended.
    std::optional<int> status();

    /// Sends a signal to all members.
    void signal(int number) const;
    /// Waits until the program and all other members have ended. Those that come meanwhile get SIGTERM; after
    /// `patience`, or when `insist` is readable, all get SIGKILL. Returns whether that was necessary.
    bool awaitEnd(std::chrono::nanoseconds patience, int insist);

  private:
    /// Those that run.
    std::set<pid_t> members() const;

    std::set<pid_t> others_;
    pid_t root_ = -1;
    std::optional<int> status_;
};

}  // namespace verbcast
