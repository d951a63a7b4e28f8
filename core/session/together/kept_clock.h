// Whether linuxptp keeps this host's clock, and what that clock says.
#pragma once

#include <functional>
#include <future>
#include <string>

#include "core/base/clock.h"

namespace verbcast {

/// Whether the kernel calls CLOCK_REALTIME synchronised (adjtimex).
bool kernelClockSynchronised();

/// Hosts whose CLOCK_REALTIME is kept by linuxptp share that clock, and so the difference of their
/// CLOCK_MONOTONIC is known without asking each other. Kept means: phc2sys or ptp4l runs, and the kernel
/// calls the clock synchronised. Used by one thread at a time, which serves a link: it waits for nothing.
class KeptClock {
  public:
    explicit KeptClock(std::string processes = "/proc",
                       std::function<bool()> synchronised = kernelClockSynchronised)
        : processes_(std::move(processes)), synchronised_(std::move(synchronised)) {}

    /// CLOCK_REALTIME minus CLOCK_MONOTONIC, looked at once a second, the processes every ten in a thread of
    /// its own, for there may be thousands; 0 while the clock is not kept, or that is not known yet.
    TimestampNs wallOffset(TimestampNs now);
    /// That thread has not finished.
    bool looking() const;

  private:
    void lookForDaemon(TimestampNs now);

    std::string processes_;
    std::function<bool()> synchronised_;
    bool runs_ = false;
    bool looked_ = false, read_ = false;
    TimestampNs lookedForAt_ = 0, readAt_ = 0;
    TimestampNs offset_ = 0;
    std::future<bool> looking_;  // its thread is waited for at the end
};

}  // namespace verbcast
