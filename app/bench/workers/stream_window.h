// What the streams of one process cost together, over the time in which all of them run.
#pragma once

#include <cstdint>
#include <mutex>

#include "app/bench/workers/worker.h"

namespace verbcast {

/// Senders start and stop one after the other: what is measured begins with the last of them that begins, and
/// ends with the first that ends. Called by the streams' threads.
class StreamWindow {
  public:
    explicit StreamWindow(std::size_t streams) : streams_(streams) {}

    /// A measured frame, perhaps the first of its stream.
    void arrived(bool first) {
        const std::lock_guard lock(mutex_);
        if (first && ++begun_ <= streams_) {
            from_ = now();
        }
        ++frames_;
    }
    /// A stream has had its last frame.
    void ended() {
        const std::lock_guard lock(mutex_);
        if (!over_) {
            over_ = true;
            to_ = now();
        }
    }
    /// Processor time of the process for so many frames, at the price that each had within the window. After
    /// all have ended.
    CpuUse costOf(std::uint64_t frames) const {
        const std::lock_guard lock(mutex_);
        const std::uint64_t within = to_.frames > from_.frames ? to_.frames - from_.frames : 0;
        return within == 0
                   ? CpuUse{}
                   : scaled(to_.cpu - from_.cpu, static_cast<double>(frames) / static_cast<double>(within));
    }

  private:
    struct Moment {
        CpuUse cpu{};
        std::uint64_t frames = 0;
    };
    Moment now() const { return {cpuUseNow(), frames_}; }
    static CpuUse scaled(CpuUse use, double factor) {
        const auto times = [factor](std::uint64_t count) {
            return static_cast<std::uint64_t>(static_cast<double>(count) * factor);
        };
        use.userSeconds *= factor;
        use.systemSeconds *= factor;
        use.voluntarySwitches = times(use.voluntarySwitches);
        use.involuntarySwitches = times(use.involuntarySwitches);
        if (use.systemCalls) {
            use.systemCalls = times(*use.systemCalls);
        }
        return use;
    }

    const std::size_t streams_;
    mutable std::mutex mutex_;  // guards what follows
    std::size_t begun_ = 0;
    std::uint64_t frames_ = 0;
    bool over_ = false;
    Moment from_, to_;
};

}  // namespace verbcast
