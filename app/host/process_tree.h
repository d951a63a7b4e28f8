// A program that we start, and what it has started in turn, such as a shell's programs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/host/process.h"
#include "core/base/os/event.h"

namespace verbcast {

/// While it lives, orphans below this process become its children, so that it finds them, too. Members are
/// the program and everything below this process in its session or ours. What has left both is a daemon and
/// meant to stay; children that were there before are no members either. Only one may exist in a process,
/// which must not wait for other children meanwhile.
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

    /// Asks all members to end (SIGTERM), also those that come meanwhile, and waits for that; after
    /// `patience`, or when `insist` is set, they get SIGKILL. Gives up on those that it may not signal, and
    /// on those that are still there two seconds after that. Returns whether SIGKILL was necessary.
    bool end(std::chrono::nanoseconds patience, const Event& insist);

  private:
    /// Those that run and may be signalled.
    std::set<pid_t> members() const;
    void signal(const std::set<pid_t>& members, int number);

    std::set<pid_t> others_;  // no members
    pid_t root_ = -1;
    std::optional<int> status_;
};

/// Whether this process has started that one, or one of those that it has started. From any thread.
bool isBelowThisProcess(pid_t process);

}  // namespace verbcast
