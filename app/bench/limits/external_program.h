// A measuring tool that somebody else wrote, run beside our own measurements.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"

namespace verbcast {

/// True when a program of that name is in $PATH.
bool isInstalled(const std::string& program);

/// Started by the constructor with its output and errors captured; ended (SIGTERM, then SIGKILL) and reaped
/// by the destructor. It has a process group of its own: Ctrl-C reaches it through us.
class ExternalProgram {
  public:
    /// Throws Error{Resource} when it cannot be started.
    explicit ExternalProgram(const std::vector<std::string>& arguments);
    ~ExternalProgram();
    ExternalProgram(const ExternalProgram&) = delete;
    ExternalProgram& operator=(const ExternalProgram&) = delete;

    /// Waits until it has ended and gives all that it said. Throws Error{Device} with its last words when its
    /// exit code is not 0, when the time is over, or when interruptEvent() is set.
    std::string waitForOutput(std::chrono::nanoseconds timeout);

    /// Waits until this host has a socket that listens on a TCP port. Throws Error{Device} when the program
    /// ended or the time is over.
    void waitUntilListening(std::uint16_t port, std::chrono::nanoseconds timeout);

  private:
    bool hasEnded(bool wait);
    [[noreturn]] void fail(const std::string& what) const;

    std::string name_;
    pid_t pid_ = -1;
    int status_ = 0;
    bool ended_ = false;
    UniqueFd output_;
    std::string text_;
};

}  // namespace verbcast
