// Whether linuxptp keeps this host's clock, and what that clock says.
#pragma once

#include <functional>
#include <string>

#include "core/base/clock.h"

namespace verbcast {

/// Whether the kernel calls CLOCK_REALTIME synchronised (adjtimex).
bool kernelClockSynchronised();

/// Hosts whose CLOCK_REALTIME is kept by linuxptp share that clock, and so the difference of their
/// CLOCK_MONOTONIC is known without asking each other. Kept means: phc2sys or ptp4l runs, and the kernel
/// calls the clock synchronised. Used by one thread at a time.
class KeptClock {
  public:
    explicit KeptClock(std::string processes = "/proc",
                       std::function<bool()> synchronised = kernelClockSynchronised)
        : processes_(std::move(processes)), synchronised_(std::move(synchronised)) {}

    /// CLOCK_REALTIME minus CLOCK_MONOTONIC, looked at once a second, the processes every ten; 0 while the
    /// clock is not kept.
    TimestampNs wallOffset(TimestampNs now);

  private:
    bool daemonRuns() const;

    std::string processes_;
    std::function<bool()> synchronised_;
    bool runs_ = false;
    TimestampNs lookedForAt_ = 0, readAt_ = 0;
    bool looked_ = false;
    TimestampNs offset_ = 0;
};

}  // namespace verbcast
