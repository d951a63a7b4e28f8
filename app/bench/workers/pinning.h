// --pin: runs processes or threads of a benchmark on given processors.
#pragma once

#include <sched.h>

#include <optional>
#include <vector>

namespace verbcast {

/// The processor of one end of a measurement, of those that --pin lists; -1 if it lists none.
inline int senderPin(const std::vector<int>& pin) {
    return pin.empty() ? -1 : pin.front();
}
inline int receiverPin(const std::vector<int>& pin) {
    return pin.empty() ? -1 : pin.back();
}

/// Pins the calling thread, and those it starts from now on, to one processor; a negative number means no
/// pinning. Throws Error{Usage} if this machine or container has no such processor.
void pinThread(int processor);

/// The same while this lives.
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
