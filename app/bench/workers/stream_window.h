// The total cost of a process's streams while all of them run.
#pragma once

#include <cstdint>
#include <mutex>

#include "app/bench/workers/worker.h"

namespace verbcast {

/// Senders start and stop one after the other: the measurement starts when the last stream starts and ends
/// when the first one ends. Called by the streams' threads.
class StreamWindow {
  public:
    explicit StreamWindow(std::size_t streams) : streams_(streams) {}

    /// Counts a measured frame; `first`: the first of its stream.
    void arrived(bool first) {
        const std::lock_guard lock(mutex_);
        if (first && ++begun_ <= streams_) {
            from_ = now();
        }
        ++frames_;
    }
    /// Call after a stream's last frame.
    void ended() {
        const std::lock_guard lock(mutex_);
        if (!over_) {
            over_ = true;
            to_ = now();
        }
    }
    /// The process's CPU time for that many frames, at the cost per frame within the window. Call after all
    /// have ended.
    CpuUse costOf(std::uint64_t frames) const {
        const std::lock_guard lock(mutex_);
        const std::uint64_t within = to_.frames > from_.frames ? to_.frames - from_.frames : 0;
        return within == 0
                   ? CpuUse{}
                   : plus({}, to_.cpu - from_.cpu, static_cast<double>(frames) / static_cast<double>(within));
    }

  private:
    struct Moment {
        CpuUse cpu{};
        std::uint64_t frames = 0;
    };
    Moment now() const { return {cpuUseNow(), frames_}; }

    const std::size_t streams_;
    mutable std::mutex mutex_;  // guards the members below
    std::size_t begun_ = 0;
    std::uint64_t frames_ = 0;
    bool over_ = false;
    Moment from_, to_;
};

}  // namespace verbcast
