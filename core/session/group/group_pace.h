// How fast a group's frames leave: as the slowest interface says, and more slowly while most viewers lose
// much.
#pragma once

#include <cstdint>
#include <map>

#include "core/base/clock.h"

namespace verbcast {

/// Pure: time comes in by its arguments. Not synchronised.
class GroupPace {
  public:
    /// `bitRate`: that our own interface takes, 0 when it does not say; `limit` of the user, or 0.
    GroupPace(std::uint64_t bitRate, std::uint64_t limit);

    void join(std::uint64_t viewer, std::uint64_t bitRate);
    void leave(std::uint64_t viewer);
    /// A frame is over for a viewer, that part of which did not come at first. What more than half of the
    /// viewers take without loss does not slow down: one bad viewer costs the others nothing.
    void frameOver(std::uint64_t viewer, double lossPart);

    std::uint64_t bytesPerSecond() const;
    /// When the next bytes may leave; in the past: now.
    TimestampNs readyAt() const { return readyAt_; }
    void sent(std::uint64_t bytes, TimestampNs now);

  private:
    struct Viewer {
        std::uint64_t bitRate = 0;
        double loss = 0;
    };
    double medianLoss() const;

    const std::uint64_t ownBitRate_;
    const std::uint64_t limit_;
    std::map<std::uint64_t, Viewer> viewers_;
    double share_ = 1;
    TimestampNs readyAt_ = 0;
};

}  // namespace verbcast
