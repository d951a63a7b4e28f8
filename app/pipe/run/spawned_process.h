// Another program, with its standard input and output where we want them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"

namespace verbcast {

struct SpawnOptions {
    int input = -1;   ///< its standard input; -1: nothing to read
    int output = -1;  ///< its standard output; -1: our standard error
    int errors = -1;  ///< its standard error; -1: ours
    /// The process group that it joins; 0: ours. signal() goes to the whole group.
    pid_t group = 0;
    /// A terminal's Ctrl-C is left to us.
    bool shielded = false;
};

struct Pipe {
    UniqueFd reading, writing;
};
/// Not inherited by other programs. Throws Error{Resource}.
Pipe makePipe();

/// Its signals are as in a shell. Thread-bound.
class SpawnedProcess {
  public:
    /// Throws Error{Usage} when there is no such program.
    SpawnedProcess(const std::vector<std::string>& words, const SpawnOptions& options);
    /// Kills it, if it runs on.
    ~SpawnedProcess();
    SpawnedProcess(const SpawnedProcess&) = delete;
    SpawnedProcess& operator=(const SpawnedProcess&) = delete;

    pid_t pid() const { return pid_; }
    /// Readable when it has ended; -1 once status() has said so.
    int descriptor() const { return status_ ? -1 : ended_.get(); }
    /// As a shell tells it: the exit code, or 128 and the number of the signal. Nothing: it runs on.
    std::optional<int> status();
    /// To the program, or to its group. Its number stays its own until this object goes.
    void signal(int number) const;
    /// What is left of the group goes on living.
    void letGo() { letGo_ = true; }

  private:
    pid_t pid_ = -1;
    pid_t group_;
    bool letGo_ = false;
    UniqueFd ended_;
    std::optional<int> status_;
};

}  // namespace verbcast
