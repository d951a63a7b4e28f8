// How fast a group's frames leave: at the rate of the slowest interface, and more slowly while most viewers
// lose much.
#pragma once

#include <cstdint>
#include <map>

#include "core/base/clock.h"

namespace verbcast {

/// Pure: time is passed in. Not thread-safe.
class GroupPace {
  public:
    /// `bitRate`: what our own interface takes, or 0 if it does not say. `limit`: the user's, or 0.
    GroupPace(std::uint64_t bitRate, std::uint64_t limit);

    /// `bitRate` is the viewer's claim; a low one is raised to what a slow interface may have (10 Mbit/s, or
    /// a hundredth of our own). What waits at the old rate goes on at the new one.
    void join(std::uint64_t viewer, std::uint64_t bitRate, TimestampNs now);
    void leave(std::uint64_t viewer, TimestampNs now);
    /// A frame is over for a viewer; `lossPart` of it did not arrive at first. A rate at which at least half
    /// of the viewers lose little is not lowered: one bad viewer costs the others nothing.
    void frameOver(std::uint64_t viewer, double lossPart, TimestampNs now);

    std::uint64_t bytesPerSecond() const;
    /// Bursts may leave this long before their time, so that not each costs a sleep: 300 KB at 10 Gbit/s.
    static constexpr TimestampNs kAhead = 250'000;
    /// When the next bytes may leave; in the past: now.
    TimestampNs readyAt() const { return readyAt_; }
    void sent(std::uint64_t bytes, TimestampNs now);

  private:
    struct Viewer {
        std::uint64_t bitRate = 0;
        double loss = 0;
    };
    double medianLoss() const;
    TimestampNs timeOf(std::uint64_t bytes) const;
    void boundWait(TimestampNs now);

    const std::uint64_t ownBitRate_;
    const std::uint64_t limit_;
    std::map<std::uint64_t, Viewer> viewers_;
    double share_ = 1;
    std::uint64_t lastBytes_ = 0;  // of the last burst
    TimestampNs readyAt_ = 0;
};

}  // namespace verbcast
