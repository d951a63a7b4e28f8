// Kills a process group when this process ends, however that happens.
#pragma once

#include <sys/types.h>

#include "core/base/os/guard_process.h"

namespace verbcast {

/// A guard process whose group others join when they are started, so that it can kill all of them at any
/// time. It holds the group's input open until the group is killed, so that nobody takes truncated input for
/// complete.
class GroupGuard {
  public:
    /// Forks: construct before there are threads. `input`: the write end of the group's input; the caller
    /// keeps it too. Throws Error{Resource}.
    explicit GroupGuard(int input);

    pid_t group() const { return guard_.pid(); }
    /// From now on nothing is killed.
    void release() const { tell(Message::Release); }
    /// Call after closing the input: the guard closes it too.
    void endInput() const { tell(Message::EndInput); }

  private:
    enum class Message : char { Release = 'r', EndInput = 'i' };
    static void watch(int line, int input);
    void tell(Message message) const;

    GuardProcess guard_;
};

}  // namespace verbcast
