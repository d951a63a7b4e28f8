// Our state in each process of the program.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "app/preload/swap_capture.h"

namespace verbcast {

/// Maps surfaces, as GLX or EGL name them, to X windows.
class WindowTable {
  public:
    /// `display`: null in GLX, where surfaces outlive it.
    void add(std::uint64_t surface, std::uint64_t window, const void* display = nullptr);
    void remove(std::uint64_t surface);
    /// Returns those that it had.
    std::vector<std::uint64_t> removeAllOf(const void* display);
    std::optional<std::uint32_t> find(std::uint64_t surface) const;
    /// X window numbers have 29 bits; larger ones belong to another window system: 0.
    static std::uint32_t xWindow(std::uint64_t window) {
        return window < 1U << 29 ? static_cast<std::uint32_t>(window) : 0;
    }

  private:
    mutable std::mutex mutex_;
    struct Shown {
        std::uint64_t window = 0;
        const void* display = nullptr;
    };
    std::map<std::uint64_t, Shown> windows_;
};

/// A forked process starts without any state, however it was forked: its parent's capture continues in the
/// parent only. Never destroyed: the program's threads may swap until the end.
class ProcessCapture {
  public:
    /// The calling process's. Thread-safe, also in a forked child.
    static ProcessCapture& own();
    /// Null if own() was not called in this process.
    static ProcessCapture* ownIfAny();

    /// Created by the first call. Null outside `verbcast run`, or if that failed, which was reported.
    SwapCapture* capture();
    /// Null if capture() was not called in this process, or returned that.
    static SwapCapture* captureIfAny();
    WindowTable& windows() { return windows_; }

  private:
    std::once_flag made_;
    std::atomic<SwapCapture*> capture_{nullptr};
    WindowTable windows_;
};

/// Set while the calling thread swaps and the capture wants to know what is presented.
extern thread_local SwapCapture* swapping;

/// Call before a surface is destroyed.
void closed(std::uint64_t surface);
/// Likewise for a context.
void contextDestroyed(const void* context);
/// Likewise for a display of EGL.
void displayEnded(const void* display);

/// Takes the picture, swaps, and then hands the picture on.
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
