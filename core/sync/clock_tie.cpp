#include "core/sync/clock_tie.h"

namespace verbcast {
namespace {

// Both sides read their two clocks one after the other, and up to a second ago.
constexpr TimestampNs kReadingError = 100'000;

}  // namespace

/// How far the peer's offset by PTP is from the estimated one, in nanoseconds; never negative.
TimestampNs ClockTie::disagreement(const PeerClock& estimate) const {
    const TimestampNs estimated = elapsedNs(estimate.toLocal(0), 0);
    const TimestampNs difference = elapsedNs(estimated, offset());
    return difference < 0 ? elapsedNs(difference, 0) : difference;
}

ClockBy ClockTie::by(const PeerClock& estimate) const {
    if (estimate.sameHost()) {
        return ClockBy::SameHost;
    }
    if (!estimate.known()) {
        return ClockBy::Unknown;
    }
    const bool kept = ours_ != 0 && peers_ != 0;
    return kept && disagreement(estimate) <= estimate.errorNs() + kReadingError ? ClockBy::Ptp
                                                                                : ClockBy::Session;
}

TimestampNs ClockTie::toLocal(const PeerClock& estimate, TimestampNs peer) const {
    return by(estimate) == ClockBy::Ptp ? elapsedNs(offset(), peer) : estimate.toLocal(peer);
}

TimestampNs ClockTie::errorNs(const PeerClock& estimate) const {
    return estimate.errorNs() + (by(estimate) == ClockBy::Ptp ? disagreement(estimate) : 0);
}

}  // namespace verbcast
