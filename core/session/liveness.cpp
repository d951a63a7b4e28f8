#include "core/session/liveness.h"

#include <algorithm>
#include <limits>

namespace verbcast {
namespace {

constexpr TimestampNs kMillisecond = 1'000'000;
constexpr TimestampNs kPingInterval = 200 * kMillisecond;
// A byte counts from the check that finds it, so a loss may be noticed this much after the patience is over.
constexpr TimestampNs kLookInterval = 80 * kMillisecond;
// Looks come at least as often as pings: after so long this thread has not run.
constexpr TimestampNs kLongestLook = 2 * kPingInterval;
constexpr TimestampNs kNever = std::numeric_limits<TimestampNs>::max();
constexpr int kQuickPings = 8;

}  // namespace

Liveness::Liveness(std::chrono::milliseconds patience, const HostId& peer, TimestampNs now,
                   bool othersReceive)
    : patience_(std::chrono::nanoseconds(patience).count()),
      heardAt_(now),
      lookedAt_(now),
      lookDue_(othersReceive ? now + kLookInterval : kNever) {
    if (peer == hostId()) {
        clock_.setSameHost();
    } else {
        quickPings_ = kQuickPings;
    }
}

void Liveness::heard(std::uint64_t bytes, TimestampNs now) {
    if (now - lookedAt_ > kLongestLook) {
        heardAt_ += now - lookedAt_ - kPingInterval;
    }
    lookedAt_ = now;
    // Kept to, however often it is called in between: after each frame, for one, whose period may divide it.
    if (now >= lookDue_) {
        lookDue_ += ((now - lookDue_) / kLookInterval + 1) * kLookInterval;
    }
    if (bytes != bytes_) {
        bytes_ = bytes;
        heardAt_ = now;
    }
}

std::optional<std::chrono::milliseconds> Liveness::silentFor(TimestampNs now) const {
    if (now - heardAt_ <= patience_) {
        return std::nullopt;
    }
    return std::chrono::milliseconds((now - heardAt_) / kMillisecond);
}

bool Liveness::pingDue(TimestampNs now) {
    if (now - pingedAt_ < kPingInterval) {
        return false;
    }
    pingedAt_ = now;
    return true;
}

bool Liveness::takePong(const Pong& pong, TimestampNs now) {
    clock_.addSample(pong.pingSentAt, pong.receivedAt, pong.sentAt, now);
    return quickPings_ > 0 && quickPings_-- > 0;
}

std::chrono::nanoseconds Liveness::untilNext(TimestampNs now) const {
    const TimestampNs until = std::min({pingedAt_ + kPingInterval, heardAt_ + patience_, lookDue_});
    return std::chrono::nanoseconds(std::max(until - now, kMillisecond));
}

}  // namespace verbcast
