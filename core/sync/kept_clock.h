// Whether linuxptp disciplines this host's clock, and what that clock shows.
#pragma once

#include <functional>
#include <future>
#include <string>

#include "core/base/os/clock.h"

namespace verbcast {

/// Whether the kernel considers CLOCK_REALTIME synchronised (adjtimex).
bool kernelClockSynchronised();

/// Hosts whose CLOCK_REALTIME linuxptp keeps share that clock, so the difference between their
/// CLOCK_MONOTONIC follows without measuring it. Kept means: phc2sys or ptp4l runs, and the kernel considers
/// the clock synchronised. Used by one thread at a time, which serves a link: nothing blocks.
class KeptClock {
  public:
    explicit KeptClock(std::string processes = "/proc",
                       std::function<bool()> synchronised = kernelClockSynchronised)
        : processes_(std::move(processes)), synchronised_(std::move(synchronised)) {}

    /// CLOCK_REALTIME minus CLOCK_MONOTONIC, read once a second; 0 while the clock is not kept, or not yet
    /// known to be. Searches for the daemons every ten seconds, on a thread of its own: a host may run
    /// thousands of processes.
    TimestampNs wallOffset(TimestampNs now);
    /// Whether that search is still running.
    bool looking() const;

  private:
    void lookForDaemon(TimestampNs now);

    std::string processes_;
    std::function<bool()> synchronised_;
    bool runs_ = false;
    bool looked_ = false, read_ = false;
    TimestampNs lookedForAt_ = 0, readAt_ = 0;
    TimestampNs offset_ = 0;
    std::future<bool> looking_;  // the destructor waits for its thread
};

}  // namespace verbcast
