// The displays of one sender that show the same frame at the same time.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/session/messages/together.h"
#include "core/stats/recent_extremes.h"
#include "core/stats/together_stats.h"
#include "core/video/frame_info.h"

namespace verbcast {

struct PresentationOptions {
    SyncMode mode = SyncMode::Hold;
    /// Hold: a display that is connected and does not get ready for so long is left out until it does.
    std::chrono::nanoseconds patience = std::chrono::milliseconds(900);
    std::uint32_t slots = 8;  ///< of the sender's ring
    bool lossless = false;    ///< offer() turns nothing down: the sender waits by itself
};

/// The way to one display.
class GroupDisplay {
  public:
    /// From any thread, with the group's lock held: must not call the group.
    virtual void present(const PresentFrame& message) noexcept = 0;

  protected:
    ~GroupDisplay() = default;
};

/// What a display tells of a frame, on the sender's clock.
struct ShownFrame {
    std::uint64_t sequence = 0;
    TimestampNs shownAt = 0, due = 0, couldAt = 0;
    ShownBy by = ShownBy::Timer;
    ClockBy clock = ClockBy::Unknown;
    TimestampNs clockError = 0;
};

/// Every frame has a time to present: so long after it was submitted that all displays are ready by then. The
/// delay is the smallest with which no display would have been late in the last seconds, and a millisecond;
/// it rises at once and sinks slowly. It is bounded by the slots in which frames wait.
///
/// Go: that time travels with the frame, and displays show it by themselves. Hold: a display shows nothing
/// before it is told. Displays take the frames in order and get ready for one at a time; when all that take
/// part are ready for the same one, all are told its time. One that lacks a frame makes the others leave it
/// out, too. While as many frames wait as may, no further one is offered to any.
///
/// A display takes part from the first frame that it is ready for. Time comes in by arguments; safe from any
/// thread. What a display says wrongly throws Error{Peer}.
class PresentationGroup {
  public:
    using Id = std::uint64_t;

    explicit PresentationGroup(const PresentationOptions& options) : options_(options) {}
    SyncMode mode() const { return options_.mode; }

    /// For the submitting thread, of each frame in order: writes down its time to present. `interval`: from
    /// one frame to the next; 0: not known. False: it is to be sent to no display.
    bool offer(FrameInfo& info, TimestampNs interval);

    /// `display` is used until leave(). `instance` (Hello's) tells one that comes back from others.
    void join(Id id, std::uint64_t instance, const std::string& name, std::uint32_t slots,
              GroupDisplay& display);
    void leave(Id id, TimestampNs now);
    /// This frame has left for the display.
    void sent(Id id, std::uint64_t sequence);
    void ready(Id id, std::uint64_t sequence, TimestampNs now);
    void presented(Id id, const ShownFrame& shown, TimestampNs now);
    /// Some times a second.
    void tick(TimestampNs now);

    TogetherStats stats() const;
    TogetherNews news() const;

  private:
    struct Member {
        std::uint64_t instance = 0;
        std::uint32_t slots = 0;
        GroupDisplay* display = nullptr;
        bool leftOut = false;
        std::optional<std::uint64_t> first;        ///< the first frame that it was ready for
        std::deque<std::uint64_t> sent;            ///< and not ready for, nor for a later one
        std::deque<std::uint64_t> toShow;          ///< ready for, and not told of yet
        std::optional<std::uint64_t> forgottenTo;  ///< one of those, and all before: too many to remember
        std::optional<std::uint64_t> ready;        ///< hold: for the frame that is to be shown next
        TimestampNs readyAt = 0;
        std::uint64_t leavesOutTo = 0;       ///< hold: it was told to leave out those before, or of this one
        std::optional<std::uint64_t> shown;  ///< last
        LatencyHistogram behindDue;
        DisplayStats stats;
        bool takesPart() const { return first.has_value() && !leftOut; }
    };
    struct Frame {
        std::uint64_t sequence = 0;
        TimestampNs submittedAt = 0, planned = 0;
        TimestampNs orderedAt = 0;  // 0: not yet
        std::uint32_t shown = 0;    // by so many
        TimestampNs first = 0, last = 0;
    };
    // All with the lock:
    Member& member(Id id);
    Frame* frame(std::uint64_t sequence);
    bool full() const;
    bool hasSomething(const Member& member) const;
    std::uint32_t window() const;
    TimestampNs longestDelay() const;
    void followDelay(TimestampNs now);
    void decide(TimestampNs now);
    void order(std::uint64_t sequence, TimestampNs now);
    static void tell(Member& member, const PresentFrame& message);
    void callUp(Member& member);
    void conclude(TimestampNs now);
    void count(const Frame& frame);
    void noteLate(Member& member);
    static void checkTimes(const ShownFrame& shown, const Frame& frame, TimestampNs now);

    const PresentationOptions options_;
    mutable std::mutex mutex_;  // guards what follows
    std::map<Id, Member> members_;
    std::deque<Member> departed_;  // the last ones
    std::deque<Frame> frames_;     // offered, not concluded
    TimestampNs interval_ = 0;
    TimestampNs delay_ = 0, smallest_ = 0;
    bool hasDelay_ = false;
    RecentExtremes needed_;                    // from the submission of a frame until a display could show it
    RecentExtremes transit_;                   // hold: from the order until a display has it
    PresentFrame last_;                        // hold: the order given last
    bool ordered_ = false;                     // any was
    std::optional<TimestampNs> waitingSince_;  // hold: some are ready, others are not
    std::uint64_t together_ = 0, held_ = 0, without_ = 0;
    std::string late_;
    LatencyHistogram skew_;
};

}  // namespace verbcast
