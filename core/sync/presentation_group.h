// The displays of one sender that show the same frame at the same time.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/session/messages/frame_lock.h"
#include "core/stats/frame_lock_stats.h"
#include "core/stats/recent_extremes.h"
#include "core/video/frame_info.h"

namespace verbcast {

struct PresentationOptions {
    SyncMode mode = SyncMode::Hold;
    /// Hold: a connected display that does not get ready for this long is left out until it does.
    std::chrono::nanoseconds patience = std::chrono::milliseconds(900);
    std::uint32_t slots = 8;  ///< of the sender's ring
    bool lossless = false;    ///< offer() rejects nothing: the sender itself waits
};

/// Sends to one display.
class GroupDisplay {
  public:
    /// Called from any thread with the group's lock held: must not call the group.
    virtual void present(const PresentFrame& message) noexcept = 0;

  protected:
    ~GroupDisplay() = default;
};

/// A display's report on a frame, on the sender's clock.
struct ShownFrame {
    std::uint64_t sequence = 0;
    TimestampNs shownAt = 0, due = 0, couldAt = 0;
    ShownBy by = ShownBy::Timer;
    ClockBy clock = ClockBy::Unknown;
    TimestampNs clockError = 0;
};

/// Every frame has a time to present: a delay after its submission, by which all displays are ready. The
/// delay is the smallest with which no display would have been late in the last seconds, plus a millisecond;
/// it rises at once and sinks slowly. The slots in which frames wait bound it.
///
/// Go: that time travels with the frame, and displays show it on their own. Hold: a display shows nothing
/// until told. Displays take the frames in order and get ready for one at a time; once all that take part are
/// ready for the same one, all are told its time. If one display lacks a frame, the others leave it out, too.
/// While the most frames wait that may, no display is offered another.
///
/// A display takes part from the first frame that it is ready for. Time is passed in. Thread-safe. Throws
/// Error{Peer} for an impossible report.
class PresentationGroup {
  public:
    using Id = std::uint64_t;

    explicit PresentationGroup(const PresentationOptions& options) : options_(options) {}
    SyncMode mode() const { return options_.mode; }

    /// For the submitting thread, called for each frame in order: sets its time to present. `interval`: from
    /// one frame to the next; 0: not known. Returns false if it must be sent to no display.
    bool offer(FrameInfo& info, TimestampNs interval);

    /// `display` must stay valid until leave(). `instance` (Hello's) identifies a display that comes back.
    void join(Id id, std::uint64_t instance, const std::string& name, std::uint32_t slots,
              GroupDisplay& display);
    void leave(Id id, TimestampNs now);
    /// This frame was sent to the display.
    void sent(Id id, std::uint64_t sequence);
    /// The display no longer holds any frame up to this one. It will not show those that it was not ready
    /// for: other senders had left out their parts of them.
    void cameBack(Id id, std::uint64_t newest);
    void ready(Id id, std::uint64_t sequence, TimestampNs now);
    void presented(Id id, const ShownFrame& shown, TimestampNs now);
    /// Call a few times a second.
    void tick(TimestampNs now);

    FrameLockStats stats() const;

  private:
    struct Member {
        std::uint64_t instance = 0;
        std::uint32_t slots = 0;
        GroupDisplay* display = nullptr;
        bool leftOut = false;
        std::optional<std::uint64_t> first;        ///< the first frame that it was ready for
        std::deque<std::uint64_t> sent;            ///< not yet ready for, nor for a later one
        std::optional<std::uint64_t> cameBack;     ///< it holds no frame up to this one
        std::deque<std::uint64_t> toShow;          ///< ready for, but not reported shown
        std::optional<std::uint64_t> forgottenTo;  ///< too many of those: all up to this one are forgotten
        std::optional<std::uint64_t> ready;        ///< hold: the frame that it is ready to show next
        TimestampNs readyAt = 0;
        std::uint64_t leavesOutTo = 0;       ///< hold: told to show this one, or to leave out those before
        std::optional<std::uint64_t> shown;  ///< last
        LatencyHistogram behindDue;
        DisplayStats stats;
        bool takesPart() const { return first.has_value() && !leftOut; }
    };
    struct Frame {
        std::uint64_t sequence = 0;
        TimestampNs submittedAt = 0, planned = 0;
        TimestampNs orderedAt = 0;  // 0: not yet
        std::uint32_t shown = 0;    // by this many displays
        TimestampNs first = 0, last = 0;
    };
    // All called with mutex_ held:
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
    mutable std::mutex mutex_;  // guards the members below
    std::map<Id, Member> members_;
    std::deque<Member> departed_;  // the most recent
    std::deque<Frame> frames_;     // offered but not concluded
    TimestampNs interval_ = 0;
    TimestampNs delay_ = 0, smallest_ = 0;
    bool hasDelay_ = false;
    RecentExtremes needed_;                    // from a frame's submission until a display could show it
    RecentExtremes transit_;                   // hold: from the order until a display has it
    PresentFrame last_;                        // hold: the last order
    bool ordered_ = false;                     // an order was given
    std::optional<TimestampNs> waitingSince_;  // hold: some are ready, others are not
    std::uint64_t frameLock_ = 0, held_ = 0, without_ = 0;
    std::string late_;
    LatencyHistogram skew_;
};

}  // namespace verbcast
