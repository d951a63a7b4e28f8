// Ends a process group when this process ends, however that happens.
#pragma once

#include <sys/types.h>

#include "core/base/guard_process.h"

namespace verbcast {

/// A guard whose process group others join when they are started: so it knows them at any time, and kills the
/// group. It holds the group's input open, so that this does not end before the group does: nobody takes a
/// part for the whole.
class GroupGuard {
  public:
    /// Forks: before there are threads. `input`: the writing end of the group's input, which stays the
    /// caller's, too. Throws Error{Resource}.
    explicit GroupGuard(int input);

    pid_t group() const { return guard_.pid(); }
    /// Nothing is to be killed any more.
    void release() const { tell(Message::Release); }
    /// The caller has closed the input, and so does the guard.
    void endInput() const { tell(Message::EndInput); }

  private:
    enum class Message : char { Release = 'r', EndInput = 'i' };
    static void watch(int line, int input);
    void tell(Message message) const;

    GuardProcess guard_;
};

}  // namespace verbcast
