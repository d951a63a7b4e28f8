// Runs a third-party measuring tool beside our own measurements.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/base/os/deadline.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Throws Error{Device} unless $PATH has a program of that name, which is in this Debian package.
void requireInstalled(const std::string& program, const std::string& package);

/// The constructor starts it with output and errors captured; the destructor ends it (SIGTERM, then SIGKILL)
/// and reaps it. It has a process group of its own: Ctrl-C reaches it through us.
class ExternalProgram {
  public:
    /// Throws Error{Resource} if it cannot be started.
    explicit ExternalProgram(const std::vector<std::string>& arguments);
    ~ExternalProgram();
    ExternalProgram(const ExternalProgram&) = delete;
    ExternalProgram& operator=(const ExternalProgram&) = delete;

    /// Waits until it has ended and returns all its output. Throws Error{Device}, quoting its last output, if
    /// its exit code is not 0, the time is over, or interruptEvent() is set.
    std::string waitForOutput(std::chrono::nanoseconds timeout);

    pid_t pid() const { return pid_; }
    /// Throws Error{Device}, quoting its last output, if it has ended.
    void requireRunning();
    /// Sends SIGINT and waits until it has ended, however it ends. Throws Error{Device} if it does not in
    /// time.
    void interrupt(std::chrono::nanoseconds timeout);

    /// Waits until a socket on this host listens on the TCP port. Throws Error{Device} if the program ended
    /// or the time is over.
    void waitUntilListening(std::uint16_t port, std::chrono::nanoseconds timeout);

  private:
    bool hasEnded(bool wait);
    void readToEnd(Deadline deadline, bool mayBeInterrupted);
    [[noreturn]] void fail(const std::string& what) const;

    std::string name_;
    pid_t pid_ = -1;
    int status_ = 0;
    bool ended_ = false;
    UniqueFd output_;
    std::string text_;
};

}  // namespace verbcast
