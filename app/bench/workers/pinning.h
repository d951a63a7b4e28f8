// --pin: runs processes or threads of a benchmark on given processors.
#pragma once

#include <sched.h>

#include <optional>

namespace verbcast {

/// Pins the calling thread, and those it starts from now on, to one processor. Throws Error{Usage} if this
/// machine or container has no such processor.
void pinThread(int processor);

/// The same while this lives; a negative number means no pinning.
class PinnedThread {
  public:
    explicit PinnedThread(int processor);
    ~PinnedThread();
    PinnedThread(const PinnedThread&) = delete;
    PinnedThread& operator=(const PinnedThread&) = delete;

  private:
    std::optional<cpu_set_t> before_;  ///< the previous mask
};

}  // namespace verbcast
