// Counts what becomes of the frames of a track: for one viewer, and for all.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/os/clock.h"
#include "core/session/messages/track.h"
#include "core/stream/send/viewer_list.h"

namespace verbcast {

/// Of all viewers. Thread-safe.
struct FrameTotals {
    std::atomic<std::uint64_t> sent{0};   ///< each counted once, however many viewers got it
    std::atomic<std::uint64_t> bytes{0};  ///< of those
    std::atomic<std::uint64_t> dropped{0};
    std::atomic<std::uint64_t> nextUncounted{0};  ///< first sequence that no link has sent yet
    std::atomic<TimestampNs> firstSentAt{0}, lastSentAt{0};

    /// A link has sent this frame; others may have, too.
    void countSent(const FrameInfo& info) {
        std::uint64_t next = nextUncounted.load(std::memory_order_relaxed);
        do {
            if (info.sequence < next) {
                return;  // another viewer got this frame, or a later one, before
            }
        } while (!nextUncounted.compare_exchange_weak(next, info.sequence + 1));
        ++sent;
        bytes += info.payloadBytes;
        TimestampNs none = 0;
        firstSentAt.compare_exchange_strong(none, info.postedAt);
        lastSentAt = info.postedAt;
    }
};

/// Of one viewer. Thread-safe.
class FrameTally {
  public:
    FrameTally(ViewerAccount& viewer, FrameTotals& totals, TrackId track)
        : viewer_(viewer.ofTrack(track)), totals_(totals) {}

    void countSent(const FrameInfo& info) {
        viewer_.countSent(info);
        totals_.countSent(info);
    }
    void countDropped(std::uint64_t frames = 1) {
        viewer_.counters[&ViewerStats::framesDropped] += frames;
        totals_.dropped += frames;
    }

  private:
    ViewerAccount::Track& viewer_;
    FrameTotals& totals_;
};

}  // namespace verbcast
