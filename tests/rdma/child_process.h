// This test program run again as another process: verbs objects do not survive fork().
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace verbcast::testing {

/// Runs /proc/self/exe with these arguments; its standard output is read here. Killed and reaped when
/// destroyed.
class ChildProcess {
  public:
    explicit ChildProcess(const std::vector<std::string>& arguments);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    void kill();
    /// The next line of its standard output, without its end.
    std::string line();
    /// Waits for its end and gives the rest of what it wrote to standard output.
    std::string output();

  private:
    pid_t pid_ = -1;
    int out_ = -1;
};

/// What a child does: connects to the URL, streams frames into the listener's slots until it is killed.
int streamForEver(const std::string& url);
/// What a child does: connects two ends at the URL, prints "connected", and once the device is removed why
/// the first one closed, and twice what kind of error a listener at the URL gives then; "connected again"
/// when that works.
int connectOverARemoval(const std::string& url);
/// What a child does: tries to register a pool with little lockable memory, and prints "kind: message /
/// remedy".
int registerWithLittleMemory();

}  // namespace verbcast::testing
