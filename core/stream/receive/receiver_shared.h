// What the links of one incoming stream share.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "core/base/os/event.h"
#include "core/flow/path_account.h"
#include "core/stream/receive/format_choice.h"
#include "core/stream/receive/incoming_track.h"
#include "core/stream/receive/ring_memory.h"

namespace verbcast {

class ReceiverLink;

/// What came before the present sender: reports to it tell of its own frames only.
struct ReportBase {
    std::uint64_t sender = 0;  ///< Hello::instance
    std::uint64_t received = 0, shown = 0, skipped = 0;
    LatencyHistogram latency;
};

/// What a track of a link leaves to others; null: the usual way.
struct TrackParts {
    std::unique_ptr<FormatChoice> choice;
    std::unique_ptr<RingSource> rings;
};

/// Tells one thread that ReceiverStatus may have changed.
class StatusChanges {
  public:
    void note() noexcept {
        ++count_;
        event_.notify();
    }
    std::uint64_t count() const { return count_; }
    /// Set by note(); for the thread that waits.
    ArmedEvent& event() { return event_; }

  private:
    std::atomic<std::uint64_t> count_{1};
    ArmedEvent event_;
};

/// What the links of one incoming stream, one after the other or side by side, share; outlives them.
struct ReceiverShared {
    /// `contents`: of each track, from 0 on; any further ones are declined.
    ReceiverShared(std::uint32_t ringSlots, std::span<const TrackContent> contents,
                   std::optional<std::uint64_t> maxMemory)
        : slots(ringSlots), ringMemory(maxMemory) {
        for (const TrackContent content : contents) {
            tracks.emplace_back(static_cast<TrackId>(tracks.size()), content, ringSlots);
        }
    }

    /// The one whose statistics are the stream's.
    IncomingTrack& first() { return tracks.front(); }
    /// Whether the consumer has taken all that has come.
    bool empty() const { return std::ranges::all_of(tracks, &IncomingTrack::empty); }
    /// Frames of all tracks.
    std::uint64_t received() const {
        std::uint64_t sum = 0;
        std::ranges::for_each(tracks, [&](const IncomingTrack& track) { sum += track.received(); });
        return sum;
    }
    /// Wakes all who wait for frames.
    void wake() { std::ranges::for_each(tracks, &IncomingTrack::wake); }

    const std::uint32_t slots;
    std::deque<IncomingTrack> tracks;
    RingMemory ringMemory;
    /// For each track of a link; may be null.
    std::function<TrackParts(ReceiverLink& link, TrackId track, FramePath& path, TrackRecord& record)>
        partsFor;
    std::mutex reportMutex;  ///< guards reportBase
    ReportBase reportBase;
    StreamTotals totals;  ///< of the connections
    StatusChanges changes;
    std::atomic<TimestampNs> clockError{0};
};

}  // namespace verbcast
