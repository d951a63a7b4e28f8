// What the links of one incoming stream share.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "core/flow/frame_inbox.h"
#include "core/flow/path_account.h"
#include "core/stats/histogram.h"
#include "core/stream/receive/format_choice.h"
#include "core/stream/receive/ring_memory.h"

namespace verbcast {

class ReceiverLink;
class RingSource;

/// Most connections of one stream at a time.
inline constexpr std::uint8_t kMaxLanes = 4;

/// What a track keeps from one connection to the next of the same sender.
struct TrackRecord {
    std::shared_ptr<FramePool> pool;  ///< our ring; null before the first, or with shared memory
    std::uint64_t instance = 0;       ///< of the sender whose frames these were
    std::uint64_t nextSequence = 0;   ///< all frames before it have arrived, or were found missing
    bool begun = false;               ///< any frame of that sender has arrived
};

/// What came before the present sender: reports to it tell of its own frames only.
struct ReportBase {
    std::uint64_t sender = 0;  ///< Hello::instance
    std::uint64_t received = 0, shown = 0, skipped = 0;
    LatencyHistogram latency;
};

/// What the links of one incoming stream, one after the other, share; outlives them.
struct ReceiverShared {
    ReceiverShared(std::uint32_t ringSlots, std::uint16_t trackCount, std::optional<std::uint64_t> maxMemory)
        : slots(ringSlots), tracks(trackCount), inbox(ringSlots * trackCount), ringMemory(maxMemory) {}

    /// Counts frames that the consumer never got. Thread-safe.
    void countMissing(TrackId track, std::uint64_t first, std::uint64_t frames, bool lossless,
                      std::string_view why);
    /// Counts a frame that is handed on.
    void countArrived(const ReceivedFrame& frame);
    /// For the consumer: the next frame of the inbox.
    bool take(ReceivedFrame& frame);
    /// See FrameReceiver.
    bool confirm(const ReceivedFrame& frame);
    /// Counts a frame that was not intact: see confirm(). Its lease may be gone.
    void countTakenBack(const ReceivedFrame& frame);

    const std::uint32_t slots;
    const std::uint16_t tracks;  ///< wanted: those with lower numbers
    /// For each track of a link.
    std::function<std::unique_ptr<FormatChoice>(ReceiverLink& link, TrackId track)> choiceFor =
        [](ReceiverLink&, TrackId) { return std::make_unique<FormatChoice>(); };
    /// The same; null, or returns null: frames come into main memory.
    std::function<std::unique_ptr<RingSource>(TrackId track, RingMemory::Owner owner, FramePath& path,
                                              TrackRecord& record)>
        ringsFor;
    FrameInbox inbox;
    /// Of each lane; used by the thread that serves its link.
    std::array<std::array<TrackRecord, kMaxTracks>, kMaxLanes> records;
    RingMemory ringMemory;
    std::mutex reportMutex;  ///< guards reportBase
    ReportBase reportBase;
    StreamTotals totals;           ///< frames are those of the main track
    Recorders<StreamStats> times;  ///< latencies of the main track; each has a thread that records it
    std::atomic<std::uint64_t> framesTaken{0};   ///< of the main track, out of the inbox
    std::atomic<std::uint64_t> skippedLater{0};  ///< by the consumer; see IncomingStream::setSkipped()
    std::uint64_t allSkipped() const { return totals[&StreamStats::framesSkipped] + skippedLater; }
    /// From any thread; the number never falls.
    void setSkippedLater(std::uint64_t frames) {
        std::uint64_t before = skippedLater;
        while (before < frames && !skippedLater.compare_exchange_weak(before, frames)) {
        }
    }
    std::atomic<TimestampNs> firstAt{0};
    std::atomic<TimestampNs> lastAt{0};
    std::atomic<TimestampNs> clockError{0};
};

}  // namespace verbcast
