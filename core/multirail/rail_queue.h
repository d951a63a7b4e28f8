// The frames of one track on their way to one receiver over several rails: what has not arrived yet, and
// which rail has taken what.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/flow/queued_frame.h"
#include "core/session/messages/rail_hello.h"

namespace verbcast {

/// A frame stays here until the receiver says that it has handed it on, so that another rail still has
/// whatever a dying one had taken. Thread-safe; holds a lock for a few pointer moves.
class RailQueue {
  public:
    /// `slots`: frames that the sender may hold. `waiting`: most of a stream's newest frames that wait for a
    /// rail.
    RailQueue(RailMode mode, Policy policy, std::uint32_t slots, std::uint32_t waiting);

    // From the submitting thread:
    /// Returns how many frames it dropped for this one: in a live stream, those that no rail could take.
    std::uint64_t push(QueuedFrame&& frame);
    /// Whether there is room. Always true unless lossless.
    bool canPush() const;

    // From the thread that serves a rail:
    struct Taken {
        QueuedFrame frame;
        bool first = false;  ///< no rail had it before
    };
    /// Returns what that rail must send next; nullopt: nothing now. `lastPlace`: the receiver has one slot
    /// left for the rail, which is kept for the frame that the receiver waits for. Passes each taken frame to
    /// count(), one at a time.
    template <typename Count>
    std::optional<Taken> take(std::uint8_t rail, bool lastPlace, TimestampNs now, Count&& count) {
        const std::lock_guard lock(mutex_);
        auto taken = choose(rail, lastPlace, now);
        if (taken) {
            count(*taken);
        }
        return taken;
    }
    /// A frame that was taken was given to the transport, or has left it.
    void began(std::uint8_t rail, std::uint64_t sequence);
    void left(std::uint8_t rail, std::uint64_t sequence);
    /// No rail can send this frame any more. Returns false if it is not here: it is counted elsewhere.
    bool giveUp(std::uint64_t sequence);
    /// The receiver has handed on all frames before `next`. Throws Error{Peer} for frames that were never
    /// here. Returns true if that was new.
    bool accepted(std::uint64_t next);
    bool isAccepted(std::uint64_t sequence) const;
    /// The receiver does not want the track: keeps nothing for it from now on.
    void decline();
    /// Tells what the receiver must know before it can hand on frames that follow a gap: calls tell(sequence,
    /// begins, follows) once for each rail and gap. It need not know of frames that no rail has taken yet.
    template <typename Tell>
    void tellGaps(std::uint8_t rail, Tell&& tell) {
        const std::lock_guard lock(mutex_);
        if (untold_ == 0) {
            return;
        }
        untold_ &= ~bitOf(rail);
        for (Entry& entry : entries_) {
            if (entry.gap && entry.everTaken && (entry.told & bitOf(rail)) == 0) {
                entry.told |= bitOf(rail);
                tell(entry.frame.info.sequence, entry.begins, entry.follows);
            }
        }
    }
    /// When a frame that another rail has taken may be due for this one, which has room; nullopt if there is
    /// none. `lastPlace`: as for take().
    std::optional<TimestampNs> nextDue(std::uint8_t rail, bool lastPlace = false) const;
    /// A rail begins: it must be told of all gaps.
    void joined(std::uint8_t rail);
    /// A rail has ended: others get what it had taken. Returns how many frames nobody has any more.
    std::uint64_t gone(std::uint8_t rail);

    bool empty() const;
    /// Once no rail is left: returns what has not arrived, in order.
    std::vector<QueuedFrame> takeAll();

    /// How many frames of a live stream a sender with `slots` slots keeps in case rails die, besides the two
    /// newest.
    static std::uint32_t kept(std::uint32_t slots) { return slots / 4 > 0 ? slots / 4 : 1; }
    /// How many frames each of `rails` rails may be sending at a time. Even if all are stuck, the source
    /// keeps the slots for new and kept frames; if lossless, where the viewer sets the pace, one for another
    /// rail.
    static std::uint32_t atOnce(std::uint32_t slots, std::uint32_t rails, Policy policy);

  private:
    using Rails = std::uint32_t;  // a bit for each
    static Rails bitOf(std::uint8_t rail) { return Rails{1} << rail; }
    struct Entry {
        QueuedFrame frame;
        Rails taken = 0;  // by rails that are there
        Rails inPath = 0;
        bool everTaken = false;
        TimestampNs takenAt = 0;
        bool gap = false;  // does not follow the frame numbered just before it
        bool begins = false;
        std::uint64_t follows = 0;
        Rails told = 0;
    };
    /// Accepted, but a rail is still sending it.
    struct Stale {
        std::uint64_t sequence;
        Rails inPath;
    };
    std::optional<Taken> choose(std::uint8_t rail, bool lastPlace, TimestampNs now);
    bool mayTake(const Entry& entry, std::uint8_t rail, TimestampNs now) const;
    TimestampNs dueAt(const Entry& entry) const;
    void erase(std::size_t index) { entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index)); }
    void inherit(std::size_t index);
    std::size_t staleOf(std::uint8_t rail) const;
    bool isFarBehind(std::uint8_t rail) const;
    void dropFront();
    void forgetOld(std::uint64_t& dropped);
    Entry* find(std::uint64_t sequence);

    const RailMode mode_;
    const Policy policy_;
    const std::uint32_t slots_;
    const std::uint32_t waiting_;
    mutable std::mutex mutex_;   // guards the members below
    std::deque<Entry> entries_;  // by sequence
    std::vector<Stale> stale_;
    Rails there_ = 0;
    Rails untold_ = 0;  // rails that may have gaps to tell of
    bool any_ = false;  // there were any frames
    bool declined_ = false;
    bool pendingGap_ = true;            // before the next frame,
    bool pendingBegin_ = true;          // which begins,
    std::uint64_t pendingFollows_ = 0;  // or follows this one
    std::uint64_t newest_ = 0;
    std::uint64_t accepted_ = 0;
    TimestampNs travel_ = 0;  // from taken to accepted, on average
};

}  // namespace verbcast
