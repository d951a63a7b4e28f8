// Slots and credits of one track on one connection, as its source sees them.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ring_queue.h"
#include "core/memory/frame_pool.h"
#include "core/session/messages/messages.h"
#include "core/session/messages/placing.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// Knows which slots of the peer may be written, and keeps each frame's lease while somebody reads it: until
/// the transport has sent it or, with shared memory, until the peer's credit. Used by the thread that serves
/// the link, one at a time.
class SourceLedger {
  public:
    /// `path` must outlive the ledger's use, not necessarily the ledger itself.
    SourceLedger(FramePath& path, TrackId track);

    TrackId track() const { return track_; }
    bool sharesMemory() const { return shares_; }

    /// The frames that follow lie in this pool or, with shared memory, in others that were added. With shared
    /// memory, offers it as `ring`, and closes rings of pools that are gone, or of the earliest if there are
    /// too many. Throws what FramePath::prepare() and offer() throw.
    void addSource(const std::shared_ptr<FramePool>& pool, RingId ring);
    /// No frame follows from the pools that it has: closes their rings.
    void closeSources();
    bool hasSource(const std::shared_ptr<FramePool>& pool);
    /// With shared memory: how many pools it has, and the slots of the smallest.
    std::size_t openCount() const;
    std::size_t fewestSlots() const;
    /// The one that was added last.
    const std::shared_ptr<FramePool>& source() const { return pool_; }
    /// With shared memory: RingMessage::open for the one that was added last.
    WireList<RingId, kMaxOpenRings - 1> openBesides() const;

    /// Takes the peer's ring, replacing the one before. Throws Error{Peer}.
    void takeRing(const RingMessage& message);
    /// Of the peer's ring; 0 if memory is shared or no ring was offered.
    std::uint64_t remoteSlotBytes() const { return remoteShape_.slotBytes; }

    /// Takes slots that came back. Calls left() for each frame that nobody reads any more. Throws Error{Peer}
    /// for a slot that the peer did not hold.
    template <typename Left>
    void takeCredit(const Credit& credit, Left&& left) {
        for (const std::uint16_t slot : credit.slots.span()) {
            if (shares_) {
                left(giveBack(credit.ring, slot));
            } else if (credit.ring == remoteRing_) {  // else on its way when the ring was replaced
                requirePlaces(false);
                addCredit(sinkPlaces_ ? anyNotCredited() : slot);
            }
        }
    }

    /// From now on frames go into slots by that rule, because others write into them, too; nullopt: into any
    /// slot.
    void placeBy(const std::optional<PlaceRule>& rule);
    /// Like takeCredit(), with a rule set by placeBy().
    void takePlaced(const PlacedCredit& credit);

    /// The newest frame among those in slots that came back; nullopt if no slot did, or the sink chooses the
    /// slots.
    std::optional<std::uint64_t> newestBack() const {
        return newestBack_ != 0 ? std::optional(newestBack_ - 1) : std::nullopt;
    }

    /// Whether the peer has room for a frame; with a rule, for one with that pts.
    bool hasRoom(std::int64_t pts = 0) const { return shares_ || slotFor(pts).has_value(); }
    /// How many slots of the peer may be written; 0 with shared memory.
    std::size_t credits() const { return credited_.count(); }
    /// The sequence of the frame in the slot that the next one goes into: the slot chosen by the rule or,
    /// without a rule, the credited slot with the newest frame. nullopt if it is unknown, as with shared
    /// memory.
    std::optional<std::uint64_t> nextSlotHolds(std::int64_t pts = 0) const;
    /// Sends the frame in `lease`, which must be from a source that it has. `blocks`, `from`:
    /// OutgoingFrame's. On Ok takes ownership of the lease. Returns Busy if there is no room, the peer still
    /// reads an earlier frame in that slot, or the transport takes no more at present.
    Status send(FrameLease&& lease, const FrameInfo& info, std::span<const ByteBlock> blocks = {},
                std::span<const ByteBlock> from = {});
    /// For FrameHandler::onFrameSent(): returns the sequence of the frame that has left. Throws
    /// Error{Internal} if the transport sends out of order.
    std::uint64_t sent(std::uint32_t localSlot);

    /// With shared memory, once the connection has ended: takes back the slots that the peer no longer reads,
    /// and calls left() as takeCredit() does. Returns descriptors to sleep on until there may be more of
    /// them; empty if the peer reads none.
    std::vector<int> releaseUnread(const std::function<void(std::uint64_t sequence)>& left);
    /// Call once the path is gone, so nothing is being sent. Tells a peer that still reads slots which will
    /// be reused: all, unless this is the `ending` of the stream, and then those in memory of somebody else,
    /// who goes on using it.
    void drop(bool ending);

    /// How many frames are being sent or read.
    std::uint32_t inFlight() const { return static_cast<std::uint32_t>(sending_.size()) + lentCount_; }

  private:
    struct Sending {
        FrameLease lease;
        std::uint64_t sequence = 0;
    };
    /// A pool that the peer reads in place.
    struct Lent {
        RingId ring = 0;
        std::weak_ptr<const FramePool> pool{};
        bool open = true;  // frames may follow in it
        std::vector<std::optional<Sending>> slots{};
        std::uint32_t count = 0;
        UniqueFd deathSocket{};
        std::size_t told = 0;  // slots that came back through the peer-death socket
    };

    void close(Lent& lent);
    void forgetFinished();
    std::deque<Lent>::iterator openRing(const std::shared_ptr<FramePool>& pool);

    /// The sequence of the frame that was lent in that slot, if any.
    std::optional<std::uint64_t> takeBack(Lent& lent, std::uint32_t slot);
    bool hearDeathSocket(Lent& lent, const std::function<void(std::uint64_t)>& left);
    std::uint64_t giveBack(RingId ring, std::uint32_t slot);
    void addCredit(std::uint32_t slot);
    /// `held`: as in held_.
    void noteBack(std::uint64_t held) { newestBack_ = std::max(newestBack_, held); }
    void dropCredits();
    void requirePlaces(bool placed) const;
    std::optional<std::uint16_t> slotFor(std::int64_t pts) const;
    std::uint32_t anyNotCredited() const;

    FramePath& path_;
    const TrackId track_;
    const bool shares_;
    const bool sinkPlaces_;
    std::shared_ptr<FramePool> pool_;  // shared with the source and with leases
    std::uint64_t newestBack_ = 0;     // 1 + its sequence; 0: none

    // With shared memory: newest first; closed ones stay until all of their slots have come back.
    std::deque<Lent> lent_;
    std::uint32_t lentCount_ = 0;

    // Without shared memory:
    RingQueue<Sending> sending_;  // in order
    RingId remoteRing_ = 0;
    RingShape remoteShape_;
    std::vector<std::uint64_t> held_;     // of each slot: 1 + the sequence of the frame in it; 0: unknown
    std::vector<std::uint16_t> credits_;  // by what they hold, newest last
    std::bitset<kMaxSlots> credited_;     // the same as a set, to refuse double credits
    std::optional<PlaceRule> rule_;
    std::vector<std::optional<std::uint16_t>> placed_;  // instead of credits_: the slot of each place
};

}  // namespace verbcast
