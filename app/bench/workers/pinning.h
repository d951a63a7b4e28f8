// --pin: which processor a process or thread of a benchmark runs on.
#pragma once

#include <sched.h>

#include <optional>

namespace verbcast {

/// Keeps the calling thread, and those that it starts from now on, on one processor. Throws Error{Usage} when
/// this machine or container has no such processor.
void pinThread(int processor);

/// The same as long as this lives; a negative number leaves the thread free.
class PinnedThread {
  public:
    explicit PinnedThread(int processor);
    ~PinnedThread();
    PinnedThread(const PinnedThread&) = delete;
    PinnedThread& operator=(const PinnedThread&) = delete;

  private:
    std::optional<cpu_set_t> before_;  ///< the mask to go back to
};

}  // namespace verbcast
