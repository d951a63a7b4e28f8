// Looks after the program's windows: asks for a picture that viewers lack, and whether the window is still
// shown.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "capture/screen/x_display.h"
#include "core/base/os/clock.h"
#include "core/base/os/event.h"
#include "core/stream/broadcast.h"

namespace verbcast {

/// Sends the window an Expose event if a viewer has come, or the last picture could not be taken, and no
/// other picture follows: programs may draw only on changes. If the window is hidden or gone while the
/// program shows another one, it asks that one instead. It has a thread of its own, which works while
/// somebody watches. The sender must outlive it, and nobody else may call the sender's waitForReceiver()
/// meanwhile.
class Repainter {
  public:
    explicit Repainter(Broadcast& sender);
    ~Repainter();
    Repainter(const Repainter&) = delete;
    Repainter& operator=(const Repainter&) = delete;

    // For the threads that swap.

    /// Whether anybody watches.
    bool watched() const;
    /// Pictures come from this window from now on; 0: from none that the X server knows.
    void follow(std::uint32_t window);
    /// The program also shows this one, of which no pictures are taken.
    void alsoShows(std::uint32_t window) { other_.store(window, std::memory_order_relaxed); }
    /// Whether the window is not shown, and not as an icon either, while this one is.
    bool isNext(std::uint32_t window) const {
        return window != 0 && window == next_.load(std::memory_order_relaxed);
    }
    /// A picture of the window was shown; the last one was sent.
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
    void lookAtWindows(const XDisplay& display);

    Broadcast& sender_;
    std::atomic<std::uint32_t> window_{0}, other_{0}, next_{0};
    std::atomic<TimestampNs> shownAt_{0};
    std::atomic<bool> owed_{false};  // viewers lack the last picture
    Event stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
