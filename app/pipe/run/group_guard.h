// Ends a process group when this process ends, however that happens.
#pragma once

#include <sys/types.h>

#include "core/base/unique_fd.h"

namespace verbcast {

/// A process that sleeps until our end of a pipe to it is closed, which the kernel does even after SIGKILL,
/// and then kills the group that it was told of. It holds the group's input open, so that this does not end
/// before the group does: nobody takes a part for the whole.
class GroupGuard {
  public:
    /// Forks: before there are threads. `input`: the writing end of the group's input, which stays the
    /// caller's, too. Throws Error{Resource}.
    explicit GroupGuard(int input);
    ~GroupGuard();
    GroupGuard(const GroupGuard&) = delete;
    GroupGuard& operator=(const GroupGuard&) = delete;

    void guard(pid_t group) const { tell(group); }
    /// Nothing is to be killed any more.
    void release() const { tell(0); }
    /// The caller has closed the input, and so does the guard.
    void endInput() const { tell(kEndInput); }

  private:
    static constexpr pid_t kEndInput = -1;
    [[noreturn]] static void watch(int line, int input);
    void tell(pid_t message) const;

    UniqueFd line_;
    pid_t pid_ = -1;
};

}  // namespace verbcast
