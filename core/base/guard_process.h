// Does what is left to do when this process ends, however that happens.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>

#include "core/base/unique_fd.h"

namespace verbcast {

/// A process that sleeps until our end of a pipe to it is closed, which the kernel does even after SIGKILL.
/// It leads a process group of its own, and a terminal's signals are not for it.
class GuardProcess {
  public:
    /// Runs in the guard, and reads `line`: what tell() says, then its end. The guard has no other
    /// descriptors than this and `kept`: others wait for the ends of theirs. What it throws ends it.
    using Duty = std::function<void(int line, int kept)>;

    /// Forks: best before there are threads; the duty must need no lock that another thread may hold now.
    /// `kept` stays the caller's, too; -1: none. Throws Error{Resource}, whose text says that there is no
    /// guard for `what`.
    GuardProcess(const char* what, const Duty& duty, int kept = -1);
    /// Ends the line and waits until the guard has done its duty.
    ~GuardProcess();
    GuardProcess(const GuardProcess&) = delete;
    GuardProcess& operator=(const GuardProcess&) = delete;

    /// Its number and that of its group.
    pid_t pid() const { return pid_; }
    /// A few bytes, whole: there is always room for them.
    void tell(std::span<const std::byte> message) const;

  private:
    UniqueFd line_;
    pid_t pid_ = -1;
};

/// For a duty: the next message. False: the line has ended.
bool hear(int line, std::span<std::byte> message);

}  // namespace verbcast
