#include "core/session/host_clock.h"

#include <algorithm>

namespace verbcast {

void PeerClock::addSample(TimestampNs t1, TimestampNs t2, TimestampNs t3, TimestampNs t4) noexcept {
    const TimestampNs away = elapsedNs(t1, t4);
    const TimestampNs turnaround = elapsedNs(t2, t3);
    if (turnaround < 0 || away < turnaround) {
        return;
    }
    const TimestampNs there = elapsedNs(t1, t2);
    const TimestampNs back = elapsedNs(t4, t3);
    samples_[count_ % samples_.size()] = {there / 2 + back / 2, away - turnaround};
    ++count_;
}

const PeerClock::Sample& PeerClock::best() const noexcept {
    const auto end = samples_.begin() + static_cast<std::ptrdiff_t>(std::min(count_, samples_.size()));
    return *std::min_element(samples_.begin(), std::max(end, samples_.begin() + 1),
                             [](const Sample& a, const Sample& b) { return a.roundTrip < b.roundTrip; });
}

TimestampNs PeerClock::toLocal(TimestampNs peer) const noexcept {
    if (sameHost_ || count_ == 0) {
        return peer;
    }
    return elapsedNs(best().offset, peer);
}

}  // namespace verbcast
