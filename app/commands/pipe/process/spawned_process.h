// Runs another program with its standard input and output redirected.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "app/host/process.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Its signals are as in a shell. Use from one thread only.
class SpawnedProcess {
  public:
    /// Throws Error{Usage} if there is no such program.
    SpawnedProcess(const std::vector<std::string>& words, const SpawnOptions& options);
    /// Kills it if it still runs.
    ~SpawnedProcess();
    SpawnedProcess(const SpawnedProcess&) = delete;
    SpawnedProcess& operator=(const SpawnedProcess&) = delete;

    pid_t pid() const { return pid_; }
    /// Readable when it has ended; -1 once status() has reported that.
    int descriptor() const { return status_ ? -1 : ended_.get(); }
    /// As in a shell: the exit code, or 128 plus the signal's number. nullopt: still running.
    std::optional<int> status();
    /// Signals the program or its group. Its process id is not reused while this object lives.
    void signal(int number) const;
    /// Leaves the rest of the group running.
    void letGo() { letGo_ = true; }

  private:
    pid_t pid_ = -1;
    pid_t group_;
    bool letGo_ = false;
    UniqueFd ended_;
    std::optional<int> status_;
};

}  // namespace verbcast
