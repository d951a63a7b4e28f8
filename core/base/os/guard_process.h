// Cleans up when this process ends, however that happens.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// What ps(1) calls one. At most 15 bytes.
inline constexpr const char* kGuardName = "verbcast-guard";

/// A process that sleeps until our end of a pipe to it is closed, which the kernel does even after SIGKILL.
/// It leads its own process group, so a terminal's signals do not reach it.
class GuardProcess {
  public:
    /// Runs in the guard and reads `line`: what tell() sends, then end of file. The guard keeps no
    /// descriptors other than this and `kept`: other processes wait for theirs to close. An exception ends
    /// it.
    using Duty = std::function<void(int line, int kept)>;

    /// Forks: best done before there are threads; the duty must need no lock that another thread may hold
    /// now. `kept` also stays with the caller; -1: none. Throws Error{Resource}, whose text says that there
    /// is no guard for `what`.
    GuardProcess(const char* what, const Duty& duty, int kept = -1);
    /// Closes the line and waits until the guard has done its duty.
    ~GuardProcess();
    GuardProcess(const GuardProcess&) = delete;
    GuardProcess& operator=(const GuardProcess&) = delete;

    /// Its process id, which is also its process group.
    pid_t pid() const { return pid_; }
    /// Sends a few bytes atomically: there is always room for them.
    void tell(std::span<const std::byte> message) const;

  private:
    UniqueFd line_;
    pid_t pid_ = -1;
};

/// For a duty: reads the next message. False at the end of the line.
bool hear(int line, std::span<std::byte> message);

}  // namespace verbcast
