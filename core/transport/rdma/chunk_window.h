// How much payload may be in the send queue: enough to keep the device busy, but little enough to let a
// message through in time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/os/clock.h"

namespace verbcast {

/// Counts bytes of payload between posting and completion. Thread-bound with its connection.
class ChunkWindow {
  public:
    /// Frames are split into writes of up to `chunkBytes`.
    explicit ChunkWindow(std::uint32_t chunkBytes)
        : chunkBytes_(chunkBytes),
          largest_(std::max<std::uint64_t>(kMaxBytes, 2 * std::uint64_t{chunkBytes})),
          signalInterval_(std::max<std::uint64_t>(largest_ / 4, chunkBytes)),
          smallest_(2 * signalInterval_),
          window_(std::max(largest_, smallest_)) {}

    std::uint32_t chunkBytes() const { return chunkBytes_; }
    bool full() const { return posted_ - retired_ >= window_; }
    bool empty() const { return posted_ == retired_; }

    /// A write is about to be posted. True if it should be signalled: often enough that a full window never
    /// completes unsignalled. `followed`: by a signalled request, before any other payload.
    bool post(std::uint32_t bytes, bool followed) {
        posted_ += bytes;
        if (!followed && posted_ - signalled_ < signalInterval_) {
            return false;
        }
        signalled_ = posted_;
        return !followed;
    }

    /// `total` bytes have completed since the connection was made. Adapts the window to the device's speed,
    /// so that a message waits at most about kMessageWait behind payload.
    void retire(std::uint64_t total) {
        const std::uint64_t bytes = total - retired_;
        if (bytes == 0) {
            return;
        }
        retired_ = total;
        const TimestampNs now = nowNs();
        if (clock_ != 0) {
            const double fitting = static_cast<double>(kMessageWait) * static_cast<double>(bytes) /
                                   static_cast<double>(std::max<TimestampNs>(now - clock_, 1));
            window_ = fitting >= static_cast<double>(largest_)
                          ? std::max(largest_, smallest_)
                          : std::max(static_cast<std::uint64_t>(fitting), smallest_);
        }
        clock_ = empty() ? 0 : now;
    }

  private:
    // Keeps the device busy while this thread wakes up (0.3 ms at 50 GB/s).
    static constexpr std::uint64_t kMaxBytes = 16U << 20;
    // Well below the session's 900 ms timeout, for emulated devices that take 50 ms per chunk.
    static constexpr TimestampNs kMessageWait = 100'000'000;

    std::uint32_t chunkBytes_;
    std::uint64_t largest_;
    std::uint64_t signalInterval_;
    std::uint64_t smallest_;
    std::uint64_t window_;
    std::uint64_t posted_ = 0;
    std::uint64_t retired_ = 0;
    std::uint64_t signalled_ = 0;
    TimestampNs clock_ = 0;  ///< when payload last completed; 0 if none was left
};

}  // namespace verbcast
