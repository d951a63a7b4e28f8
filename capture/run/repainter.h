// Asks programs that draw only on changes for a picture when a viewer lacks one.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "core/base/clock.h"
#include "core/base/event.h"
#include "core/stream/broadcast.h"

namespace verbcast {

/// Sends the window an Expose event if a viewer has come, or the last picture could not be taken, and no
/// other picture follows. Runs on a thread of its own. The sender must outlive it, and nobody else may call
/// the sender's waitForReceiver() meanwhile.
class Repainter {
  public:
    Repainter(Broadcast& sender, std::uint32_t window);
    ~Repainter();
    Repainter(const Repainter&) = delete;
    Repainter& operator=(const Repainter&) = delete;

    /// For the thread that swaps: a picture was shown; the last one was sent.
    void shown(TimestampNs at) {
        shownAt_.store(at, std::memory_order_relaxed);
        owed_.store(true, std::memory_order_relaxed);
    }
    void sent() { owed_.store(false, std::memory_order_relaxed); }

    /// Stops asking.
    void stop();

  private:
    void run();
    void watch();
    void ask();

    Broadcast& sender_;
    const std::uint32_t window_;
    std::atomic<TimestampNs> shownAt_{0};
    std::atomic<bool> owed_{false};  // viewers lack the last picture
    Event stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
