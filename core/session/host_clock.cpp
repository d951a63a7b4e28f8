#include "core/session/host_clock.h"

#include <algorithm>

namespace verbcast {

void PeerClock::addSample(TimestampNs t1, TimestampNs t2, TimestampNs t3, TimestampNs t4) noexcept {
    // Unsigned sums: the peer's numbers may be anything.
    const auto u = [](TimestampNs t) { return static_cast<std::uint64_t>(t); };
    const auto roundTrip = static_cast<TimestampNs>((u(t4) - u(t1)) - (u(t3) - u(t2)));
    if (roundTrip < 0) {
        return;
    }
    const auto there = static_cast<TimestampNs>(u(t2) - u(t1));
    const auto back = static_cast<TimestampNs>(u(t3) - u(t4));
    samples_[count_ % samples_.size()] = {there / 2 + back / 2, roundTrip};
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
    return static_cast<TimestampNs>(static_cast<std::uint64_t>(peer) -
                                    static_cast<std::uint64_t>(best().offset));
}

TimestampNs PeerClock::errorNs() const noexcept {
    return sameHost_ || count_ == 0 ? 0 : best().roundTrip / 2;
}

}  // namespace verbcast
