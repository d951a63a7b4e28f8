// Decides which frames of several streams are shown together, and when.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "core/flow/received_frame.h"
#include "core/stats/alignment_stats.h"
#include "core/stats/recent_extremes.h"
#include "core/video/picture_changes.h"

namespace verbcast {

enum class AlignBy {
    Newest,   ///< not at all: each stream shows its newest frame
    Capture,  ///< by FrameInfo::capturedAt on this host's clock
    Pts,      ///< by FrameInfo::pts: frames with equal ones belong together
};

struct AlignmentOptions {
    AlignBy by = AlignBy::Newest;
    /// After the capture or, with Pts, after the arrival of the fastest stream; nullopt: the smallest that
    /// suffices.
    std::optional<std::chrono::nanoseconds> delay{};
};

/// Delays frames so that those that belong together are shown together. A frame's time is that of its
/// capture, or its pts. It is due once a common delay has passed since then.
///
/// The stream with the highest frame rate leads (the first of several). When one of its frames is due, each
/// other stream shows its newest frame that is at most half of the leader's interval ahead; so streams whose
/// capture times jitter, or interleave, show the nearest. A frame whose leading one is missing is due half an
/// interval later.
///
/// Unless one is given, the delay is the smallest with which no frame of the last four seconds would have
/// been late, plus kMargin; it rises at once, and sinks slowly. A late frame is shown as soon as it arrives.
/// A stream that stops no longer counts, and holds up nobody.
///
/// Streams without a time (their clock is not known), and those whose times are more than kFarthest from the
/// others', are not aligned: their newest frame is due at once.
///
/// Waiting frames keep their leases, as many per stream as add() says. Drop policy: if there are more, the
/// newest but one goes, so that too high a rate is thinned out and something is always shown.
///
/// Times are on this host's clock (nowNs(), or a test's) and never go back. Not thread-safe. Throws only for
/// lack of memory.
class FrameAlignment {
  public:
    using StreamId = std::uint32_t;
    static constexpr TimestampNs kFarthest = 2'000'000'000;
    static constexpr TimestampNs kMargin = 1'000'000;

    /// `by` must not be Newest.
    explicit FrameAlignment(const AlignmentOptions& options) : options_(options) {}

    /// `held`: frames that may wait, at least one.
    StreamId add(std::uint32_t held);
    /// Drops its waiting frames.
    void remove(StreamId stream) { streams_.erase(stream); }

    /// Takes a frame that has just arrived; call in order. One whose time goes back, or jumps, begins its
    /// stream anew.
    void put(StreamId stream, ReceivedFrame frame, TimestampNs now);

    /// The stream has ended or is lost: it no longer counts until its next frame. What waits is still shown.
    void expectNone(StreamId stream);

    /// When take() has something to return; nullopt while no frame waits.
    std::optional<TimestampNs> due() const;

    struct Shown {
        StreamId stream;
        ReceivedFrame frame;
    };
    /// Returns what to show now: at most one frame of each stream; the others keep their picture. Adds what
    /// changed in skipped frames to FrameInfo::rects.
    std::vector<Shown> take(TimestampNs now);

    /// How many frames of a stream arrived but were not shown; 0 for a removed one.
    std::uint64_t skipped(StreamId stream) const;
    StreamAlignment statsOf(StreamId stream) const;
    AlignmentStats stats() const;

  private:
    struct Waiting {
        TimestampNs time = 0, cameAt = 0;
        ReceivedFrame frame;
    };
    enum class Standing { Aligned, NoClock, Apart };
    struct Stream {
        explicit Stream(std::uint32_t most) : held(most) {}
        std::uint32_t held;
        std::deque<Waiting> waiting{};
        Standing standing = Standing::Aligned;
        bool begun = false;
        bool expected = true;  // further frames may come
        TimestampNs lastTime = 0, lastCame = 0;
        TimestampNs interval = 0;                      // between its frames
        RecentExtremes transit{};                      // from a frame's time until it arrives
        RecentExtremes needed{};                       // delay with which it is on time
        std::optional<TimestampNs> shown{};            // time of the picture that is shown
        PictureChanges left = PictureChanges::none();  // in skipped frames
        std::uint64_t skipped = 0, late = 0, thinned = 0;
        std::uint32_t slotsNeeded = 0;
    };
    using Entry = std::pair<const StreamId, Stream>;
    /// What applies to all streams now.
    struct Common {
        const Stream* leader = nullptr;  // null: none counts
        TimestampNs halfInterval = 0;    // the leader's
        TimestampNs delay = 0;           // after a frame's time
    };

    std::optional<TimestampNs> timeOf(const ReceivedFrame& frame) const;
    void begin(Stream& stream);
    void follow(Stream& stream, TimestampNs time, const ReceivedFrame& frame);
    void makeRoom(Stream& stream, ReceivedFrame& frame);
    void group();
    bool counts(const Stream& stream) const;
    const Stream* leader() const;
    Common common() const;
    std::optional<TimestampNs> fastest() const;
    std::optional<TimestampNs> smallestDelay() const;
    static TimestampNs dueOf(const Stream& stream, const Common& common);
    Entry* dueFirst(const Common& common);
    bool isTooOld(const Stream& stream, const Waiting& waiting, const Common& common) const;
    static TimestampNs partner(const Common& common, const Stream& stream, TimestampNs time);
    static void skip(Stream& stream, const FrameInfo& info);
    static void show(StreamId id, Stream& stream, std::vector<Shown>& shown);
    void recordSet();

    const AlignmentOptions options_;
    std::map<StreamId, Stream> streams_;
    StreamId nextId_ = 0;
    TimestampNs now_ = 0;  // the last one given
    TimestampNs groupedAt_ = 0;
    TimestampNs chosen_ = 0;  // the delay, if none is given
    bool hasChosen_ = false;
    struct {
        TimestampNs delay = 0, smallest = 0, at = 0;
    } told_;  // for stats(): those of the last set, even if streams have just ended
    std::uint64_t sets_ = 0;
    LatencyHistogram skew_;
};

}  // namespace verbcast
