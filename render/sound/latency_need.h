// Learns how much later sound must be played so that it has always arrived.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace verbcast {

/// Keeps the largest need of each of the last 30 seconds. Needs are seconds of delay, and times are in
/// seconds. Used by one thread.
class LatencyNeed {
  public:
    LatencyNeed() { seconds_.fill({}); }

    /// At time `at` a delay of `need` would just have been enough. `more`: sound has arrived since the last
    /// call, so the needs before count. Those beyond half a second do not: that was a pause, or another time.
    void add(double need, double at, bool more);
    /// The delay that was enough in all of those seconds but the worst one, if there are several, and 1 ms
    /// more. It is lowered only by 5 ms or more: pictures should not follow every change.
    double wanted() const { return wanted_; }
    /// Whether it was learned for some seconds.
    bool known() const { return known_; }

  private:
    struct Second {
        std::int64_t number = -1;
        double need = 0;
    };
    void learn(std::int64_t second);

    static constexpr std::size_t kSeconds = 30;
    std::array<Second, kSeconds> seconds_;
    double pending_ = 0;  // the largest since sound arrived
    double wanted_ = 0;
    bool known_ = false;
};

}  // namespace verbcast
