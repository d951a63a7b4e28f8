// What each process of the program has of ours.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "capture/run/swap_capture.h"

namespace verbcast {

/// The X windows of surfaces, by what GLX or EGL calls those.
class WindowTable {
  public:
    void add(std::uint64_t surface, std::uint64_t window);
    std::optional<std::uint32_t> find(std::uint64_t surface) const;
    /// The numbers of X have 29 bits; what is larger is another window system's: 0.
    static std::uint32_t xWindow(std::uint64_t window) {
        return window < 1U << 29 ? static_cast<std::uint32_t>(window) : 0;
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::uint64_t> windows_;
};

/// A process that was forked begins with nothing, however it was forked: its parent's capture goes on in the
/// parent alone. Never destroyed: the program's threads may swap until its last moment.
class ProcessCapture {
  public:
    /// Of the calling process. Any thread; in a forked child as well.
    static ProcessCapture& own();
    /// Null as long as own() has not been called in this process.
    static ProcessCapture* ownIfAny();

    /// Made at the first call. Null outside `verbcast run`, or when it cannot be made, which has been said
    /// then.
    SwapCapture* capture();
    WindowTable& windows() { return windows_; }

    /// The process ends.
    void finish();

  private:
    std::once_flag made_;
    std::atomic<SwapCapture*> capture_{nullptr};
    WindowTable windows_;
};

/// Set while the calling thread swaps and the capture is to be told what is presented.
extern thread_local SwapCapture* swapping;

/// Swaps with the picture taken before, and handed on after.
template <typename Swap>
auto capturing(const SwapTarget& target, Swap&& swap) {
    SwapCapture* const taking = target.context() != nullptr ? ProcessCapture::own().capture() : nullptr;
    if (taking != nullptr) {
        swapping = taking->beforeSwap(target) ? taking : nullptr;
    }
    struct After {
        SwapCapture* taking;
        const SwapTarget& target;
        ~After() {
            swapping = nullptr;
            if (taking != nullptr) {
                taking->afterSwap(target);
            }
        }
    } after{taking, target};
    return swap();
}

}  // namespace verbcast
